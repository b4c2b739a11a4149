#!/usr/bin/env bash
# topk-cts explore --feedback: it finds hidden faults sooner, is reproducible, keeps its cases, and survives backends
# that crash or corrupt their counters.
# usage: feedback_test.sh BIN
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
begin BIN "$@"

# summary: what the last run printed about its results and about feedback
summary() {
    grep -h -e '^results' -e '^feedback from' out
}

# kept: the number of cases that the last run kept
kept() {
    sed -n 's/^feedback from [a-z]*: \([0-9]*\) case.*/\1/p' out
}

# first PLUGIN SEED COUNT [OPTION...]: the number of cases up to the first failure; COUNT + 1: no failure
first() {
    local plugin=$1 seed=$2 count=$3 position
    shift 3
    rm -f first.txt
    "$cts" explore --backend "$plugin" --seed "$seed" --count "$count" --first --out first.txt "$@" >out 2>err
    [ -e first.txt ] || { echo $((count + 1)) && return; }
    position=$(sed -n 's/^# .* explore\.[0-9]*-\([0-9]*\):.*/\1/p' first.txt)
    echo $((position + 1))
}

echo '# it finds sooner what hides behind conditions; the same seed gives the same cases, so the numbers repeat'
while read -r fault count; do
    for seed in 1 2 3; do
        first "$bin/hidden_plain.so:$fault" "$seed" "$count" >>blind
        first "$bin/hidden.so:$fault" "$seed" "$count" --feedback >>edges
    done
    that "$fault: feedback needs fewer cases, in the median" \
        "$(sort -n edges | sed -n 2p)" -lt "$(sort -n blind | sed -n 2p)"
    rm blind edges
done <<END
length 500
ends 1200
END

echo '# the same seed'
hidden=(explore --backend "$bin/hidden.so:k" --seed 1 --count 400)
check '--feedback' 1 has 'feedback from edges' -- "$cts" "${hidden[@]}" --feedback --out one.txt
summary >one
check '--feedback=edges with the same seed' 1 has 'feedback from edges' -- "$cts" "${hidden[@]}" --feedback=edges --out two.txt
same 'the same seed draws the same cases' "$(summary)" "$(cat one)"
same 'the same seed finds the same failures' "$(cat two.txt)" "$(cat one.txt)"
check 'with three workers' 1 has 'feedback from edges' -- "$cts" "${hidden[@]}" --feedback --jobs 3 --out three.txt
check 'three workers find the same fault' 0 -- grep -q 'k=37' three.txt
check 'the found cases fail again' 1 has FAIL -- "$cts" replay --backend "$bin/hidden.so:k" --file one.txt
check 'the found cases pass without the fault' 0 has PASS -- "$cts" replay --backend "$bin/hidden.so:none" --file one.txt
check '--feedback with --backend-command' 1 has 'feedback from edges' -- "$cts" explore --backend-command "$bin/topk-backend $bin/hidden.so:k" \
    --seed 1 --count 400 --feedback --out command.txt
same 'a command counts the same edges as a plugin' "$(summary)" "$(cat one)"
same 'a command has the same failures as a plugin' "$(cat command.txt)" "$(cat one.txt)"

echo '# without counters'
none=(explore --seed 1 --count 100)
check 'a backend without counters: feedback from results' 0 has 'feedback from results' -- \
    "$cts" explore --backend "$bin/hidden_plain.so:none" --seed 1 --count 200 --feedback
that 'feedback from results keeps cases' "$(kept)" -gt 0
check '--feedback=results' 0 has 'feedback from results' -- "$cts" "${none[@]}" --backend "$bin/hidden.so:none" --feedback=results
check '--feedback=edges without counters' 4 has 'counted no edges' -- \
    "$cts" explore --backend "$bin/hidden_plain.so:none" --seed 1 --count 200 --feedback=edges
check 'no file for counters' 0 has 'note: feedback from results: no file for counters' -- \
    env LD_PRELOAD="$bin/failing_calls.so" TOPK_TEST_FAIL=mkstemp,shmget \
    "$cts" "${none[@]}" --backend "$bin/hidden.so:none" --feedback
check 'no shared memory' 0 has 'note: feedback from backends/edges alone: no shared memory' has 'feedback from edges: ' -- \
    env LD_PRELOAD="$bin/failing_calls.so" TOPK_TEST_FAIL=shmget \
    "$cts" "${none[@]}" --backend "$bin/hidden.so:none" --feedback

echo '# kept cases'
tile=(explore --backend "$bin/hidden.so:tile" --seed 5 --feedback --keep kept)
check '--keep writes a folder' 0 has 'to continue: --seed 5 --from 300 --feedback --keep kept' -- "$cts" "${tile[@]}" --count 300
kept=$(kept)
same '--keep writes a file for each kept case' "$(find kept -type f | wc -l)" "$kept"
check 'the folder of --keep can be replayed' 0 has pass -- "$cts" replay --backend cpu --corpus kept
check '--keep: another run starts from the folder' 0 has 'feedback from edges' -- "$cts" "${tile[@]}" --from 300 --count 100
that '--keep: another run keeps most of its cases' "$(kept)" -ge $((kept / 2))
echo 'topk-cts fuzz corpus of differential, version 0' >kept.version
check '--keep with a folder of another version' 2 has 'another target or version' -- "$cts" "${tile[@]}" --count 10

echo '# an interrupt'
cat >interrupted <<END
#!/bin/sh
while read -r line; do
    case \$line in batch*) batches=\$((batches + 1)) ;; esac
    [ "\$batches" != 150 ] || ! mkdir was-interrupted 2>/dev/null || kill -s INT "\$(cat pid)"
    printf '%s\\n' "\$line"
done | '$bin/topk-worker' --backend '$bin/hidden.so:none'
END
chmod +x interrupted
# shellcheck disable=SC2016 # the shell that is started expands it
check 'an interrupt ends the run, which prints how to continue' 5 has '--feedback --keep cut' -- sh -c 'echo $$ >pid; exec "$@"' sh \
    "$cts" explore --worker ./interrupted --trust-worker --seed 3 --time 600 --feedback --keep cut
that 'the interrupt came from outside' -d was-interrupted
that 'the kept cases stay after an interrupt' -n "$(ls cut)"

echo '# backends that crash, or corrupt their counters'
check '--feedback with a crash' 1 has CRASH -- \
    "$cts" explore --backend faulty:B78 --seed 1 --count 1000 --first --feedback --out crash.txt
for way in garbage grow cut lose segment; do
    check "hostile counters: $way" 0 has 'none failed' -- "$cts" "${none[@]}" --backend "$bin/hostile_counters.so:$way" --feedback
done

echo '# AFL++'
need afl-clang-fast
AFL_QUIET=1 afl-clang-fast -std=gnu17 -O2 -o afl "$root/docs/example-backends/example.c" 2>/dev/null
check 'a program compiled for AFL' 0 has 'feedback from edges' -- \
    "$cts" explore --backend-command ./afl --seed 1 --count 200 --feedback
check 'AFL_MAP_SIZE with a larger map' 0 has 'feedback from edges' -- \
    env AFL_MAP_SIZE=100000 "$cts" explore --backend-command ./afl --seed 1 --count 50 --feedback
check 'a malformed AFL_MAP_SIZE' 2 has "not 'much'" -- \
    env AFL_MAP_SIZE=much "$cts" explore --backend-command ./afl --count 1 --feedback

echo '# temporary files, and wrong options'
for folder in /dev/shm "${TMPDIR:-/tmp}"; do
    same "no file is left in $folder" "$(compgen -G "$folder/topk-edges-$(cat pid)-*")" ''
done
cpu=(explore --backend cpu --count 1)
check 'an unknown kind' 2 has "auto, edges or results, not 'edge'" -- "$cts" "${cpu[@]}" --feedback=edge
check '--keep without --feedback' 2 has '--keep goes with --feedback' -- "$cts" "${cpu[@]}" --keep kept
check '--feedback with --against' 2 has '--feedback and --against exclude each other' -- "$cts" "${cpu[@]}" --against cpu --feedback
check '--feedback with --list' 2 has '--list and --feedback exclude each other' -- "$cts" explore --list --count 1 --feedback
check 'a folder that cannot be made' 2 has 'cannot make the folder nowhere/kept' -- \
    "$cts" "${cpu[@]}" --feedback --keep nowhere/kept

echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
