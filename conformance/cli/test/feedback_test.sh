#!/usr/bin/env bash
# topk-cts explore --feedback: it finds hidden faults sooner, repeats, keeps its cases, and bears backends that crash
# or spoil their counters.
# usage: feedback_test.sh BIN
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
begin BIN "$@"

# summary: what the last run prints about its results and about feedback
summary() {
    grep -h -e '^results' -e '^feedback from' out
}

# kept: how many cases the last run kept
kept() {
    sed -n 's/^feedback from [a-z]*: \([0-9]*\) case.*/\1/p' out
}

# first PLUGIN SEED COUNT [OPTION...]: how many cases explore takes up to the first failure; COUNT + 1: it finds none
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
    that "$fault: fewer cases than without, in the median" \
        "$(sort -n edges | sed -n 2p)" -lt "$(sort -n blind | sed -n 2p)"
    rm blind edges
done <<END
length 500
ends 1200
END

echo '# it repeats'
hidden=(explore --backend "$bin/hidden.so:k" --seed 1 --count 400)
check 'a run' 1 has 'feedback from edges' -- "$cts" "${hidden[@]}" --feedback --out one.txt
summary >one
check 'again' 1 has 'feedback from edges' -- "$cts" "${hidden[@]}" --feedback=edges --out two.txt
same 'draws the same cases' "$(summary)" "$(cat one)"
same 'and finds the same' "$(cat two.txt)" "$(cat one.txt)"
check 'with three workers' 1 has 'feedback from edges' -- "$cts" "${hidden[@]}" --feedback --jobs 3 --out three.txt
check 'it finds the same fault' 0 -- grep -q 'k=37' three.txt
check 'what it finds fails again' 1 has FAIL -- "$cts" replay --backend "$bin/hidden.so:k" --file one.txt
check 'and passes without the fault' 0 has PASS -- "$cts" replay --backend "$bin/hidden.so:none" --file one.txt
check 'a command' 1 has 'feedback from edges' -- "$cts" explore --backend-command "$bin/topk-backend $bin/hidden.so:k" \
    --seed 1 --count 400 --feedback --out command.txt
same 'counts the same edges' "$(summary)" "$(cat one)"
same 'and shows the same failures' "$(cat command.txt)" "$(cat one.txt)"

echo '# without counters'
none=(explore --seed 1 --count 100)
check 'results guide' 0 has 'feedback from results' -- \
    "$cts" explore --backend "$bin/hidden_plain.so:none" --seed 1 --count 200 --feedback
that 'and cases are kept' "$(kept)" -gt 0
check 'if asked for' 0 has 'feedback from results' -- "$cts" "${none[@]}" --backend "$bin/hidden.so:none" --feedback=results
check 'edges that are asked for and missing' 4 has 'counted no edges' -- \
    "$cts" explore --backend "$bin/hidden_plain.so:none" --seed 1 --count 200 --feedback=edges
check 'no file for counters' 0 has 'note: feedback from results: no file for counters' -- \
    env LD_PRELOAD="$bin/failing_calls.so" TOPK_TEST_FAIL=mkstemp,shmget \
    "$cts" "${none[@]}" --backend "$bin/hidden.so:none" --feedback
check 'no shared memory' 0 has 'note: feedback from backends/edges alone: no shared memory' has 'feedback from edges: ' -- \
    env LD_PRELOAD="$bin/failing_calls.so" TOPK_TEST_FAIL=shmget \
    "$cts" "${none[@]}" --backend "$bin/hidden.so:none" --feedback

echo '# kept cases'
tile=(explore --backend "$bin/hidden.so:tile" --seed 5 --feedback --keep kept)
check 'are a folder' 0 has 'to continue: --seed 5 --from 300 --feedback --keep kept' -- "$cts" "${tile[@]}" --count 300
kept=$(kept)
same 'with a file each' "$(find kept -type f | wc -l)" "$kept"
check 'which is a corpus' 0 has pass -- "$cts" replay --backend cpu --corpus kept
check 'another run starts from it' 0 has 'feedback from edges' -- "$cts" "${tile[@]}" --from 300 --count 100
that 'and knows most of them' "$(kept)" -ge $((kept / 2))
echo 'topk-cts fuzz corpus of differential, version 0' >kept.version
check 'a folder of another version' 2 has 'another target or version' -- "$cts" "${tile[@]}" --count 10

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
check 'ends it, and says how to go on' 5 has '--feedback --keep cut' -- sh -c 'echo $$ >pid; exec "$@"' sh \
    "$cts" explore --worker ./interrupted --trust-worker --seed 3 --time 600 --feedback --keep cut
that 'it came from outside' -d was-interrupted
that 'what was kept stays' -n "$(ls cut)"

echo '# backends that crash, or spoil their counters'
check 'a crash' 1 has CRASH -- \
    "$cts" explore --backend faulty:B78 --seed 1 --count 1000 --first --feedback --out crash.txt
for way in garbage grow cut lose segment; do
    check "counters: $way" 0 has 'none failed' -- "$cts" "${none[@]}" --backend "$bin/hostile_counters.so:$way" --feedback
done

echo '# AFL++'
need afl-clang-fast
AFL_QUIET=1 afl-clang-fast -std=gnu17 -O2 -o afl "$root/docs/example-backends/example.c" 2>/dev/null
check 'a program that it compiled' 0 has 'feedback from edges' -- \
    "$cts" explore --backend-command ./afl --seed 1 --count 200 --feedback
check 'with a larger map' 0 has 'feedback from edges' -- \
    env AFL_MAP_SIZE=100000 "$cts" explore --backend-command ./afl --seed 1 --count 50 --feedback
check 'a malformed size' 2 has "not 'much'" -- \
    env AFL_MAP_SIZE=much "$cts" explore --backend-command ./afl --count 1 --feedback

echo '# what is left, and wrong options'
for folder in /dev/shm "${TMPDIR:-/tmp}"; do
    same "no file is left in $folder" "$(compgen -G "$folder/topk-edges-$(cat pid)-*")" ''
done
cpu=(explore --backend cpu --count 1)
check 'an unknown kind' 2 has "auto, edges or results, not 'edge'" -- "$cts" "${cpu[@]}" --feedback=edge
check '--keep alone' 2 has '--keep goes with --feedback' -- "$cts" "${cpu[@]}" --keep kept
check 'beside --against' 2 has '--feedback and --against exclude each other' -- "$cts" "${cpu[@]}" --against cpu --feedback
check 'beside --list' 2 has '--list and --feedback exclude each other' -- "$cts" explore --list --count 1 --feedback
check 'a folder that cannot be made' 2 has 'cannot make the folder nowhere/kept' -- \
    "$cts" "${cpu[@]}" --feedback --keep nowhere/kept

echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
