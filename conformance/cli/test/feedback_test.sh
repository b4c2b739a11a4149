#!/usr/bin/env bash
# topk-cts explore --feedback, as users meet it.
# usage: feedback_test.sh BIN SOURCE
set -euo pipefail
bin=$1 source=$2
cts=$bin/topk-cts
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# expect STATUS TEXT COMMAND...: the exit code, and what is in the output
expect() {
    local wanted=$1 text=$2 status=0
    shift 2
    "$@" >"$work/log" 2>&1 || status=$?
    [ "$status" = "$wanted" ] || { cat "$work/log" >&2; fail "exit code $status instead of $wanted: $*"; }
    grep -qF -- "$text" "$work/log" || { cat "$work/log" >&2; fail "'$text' is missing: $*"; }
}

# said: what was run last says of its results and of feedback
said() {
    grep -e '^results' -e '^feedback from' log
}

# kept: how many cases it kept
kept() {
    sed -n 's/^feedback from [a-z]*: \([0-9]*\) case.*/\1/p' log
}

# first PLUGIN SEED COUNT [OPTION...]: how many cases explore takes up to the first failure; COUNT + 1: it finds none
first() {
    local plugin=$1 seed=$2 count=$3 position
    shift 3
    rm -f first.txt
    "$cts" explore --backend "$plugin" --seed "$seed" --count "$count" --first --out first.txt "$@" >log 2>&1 || [ $? = 1 ]
    [ -e first.txt ] || { echo $((count + 1)) && return; }
    position=$(sed -n 's/^# .* explore\.[0-9]*-\([0-9]*\):.*/\1/p' first.txt)
    echo $((position + 1))
}

# edges guide to what hides behind conditions. A case is the same for the same seed, so these numbers are, too.
while read -r fault count; do
    for seed in 1 2 3; do
        first "$bin/hidden_plain.so:$fault" "$seed" "$count" >>blind
        first "$bin/hidden.so:$fault" "$seed" "$count" --feedback >>edges
    done
    blind=$(sort -n blind | sed -n 2p)
    edges=$(sort -n edges | sed -n 2p)
    [ "$edges" -lt "$blind" ] || fail "fault $fault: a median of $edges cases with feedback, $blind without"
    rm blind edges
done <<END
length 500
ends 1200
END

# the same seed draws the same cases; what is found is a case like any other
expect 1 'feedback from edges' "$cts" explore --backend "$bin/hidden.so:k" --seed 1 --count 400 --feedback --out one.txt
said >one
expect 1 'feedback from edges' "$cts" explore --backend "$bin/hidden.so:k" --seed 1 --count 400 --feedback=edges --out two.txt
said | diff one - || fail "the second time other cases are drawn"
cmp one.txt two.txt || fail "the second time other failures are found"
expect 1 'feedback from edges' "$cts" explore --backend "$bin/hidden.so:k" --seed 1 --count 400 --feedback --jobs 3 --out three.txt
grep -q 'k=37' three.txt || fail "with three workers something else is found"
expect 1 'FAIL' "$cts" replay --backend "$bin/hidden.so:k" --file one.txt
expect 0 'PASS' "$cts" replay --backend "$bin/hidden.so:none" --file one.txt

# by way of a command
expect 1 'feedback from edges' "$cts" explore --backend-command "$bin/topk-backend $bin/hidden.so:k" --seed 1 \
    --count 400 --feedback --out command.txt
said | diff one - || fail "a command has other edges"
cmp one.txt command.txt || fail "by way of a command other failures are found"

# without counters there are results
expect 0 'feedback from results' "$cts" explore --backend "$bin/hidden_plain.so:none" --seed 1 --count 200 --feedback
[ "$(kept)" -gt 0 ] || fail "no case is kept for its results"
expect 0 'feedback from results' "$cts" explore --backend "$bin/hidden.so:none" --seed 1 --count 100 --feedback=results
expect 4 'counted no edges' "$cts" explore --backend "$bin/hidden_plain.so:none" --seed 1 --count 200 --feedback=edges
expect 0 'note: feedback from results: no file for counters' env LD_PRELOAD="$bin/failing_calls.so" \
    TOPK_TEST_FAIL=mkstemp,shmget "$cts" explore --backend "$bin/hidden.so:none" --seed 1 --count 100 --feedback
expect 0 'note: feedback from backends/edges alone: no shared memory' env LD_PRELOAD="$bin/failing_calls.so" \
    TOPK_TEST_FAIL=shmget "$cts" explore --backend "$bin/hidden.so:none" --seed 1 --count 100 --feedback
grep -q 'feedback from edges' log || fail "without shared memory there are no edges"

# kept cases are those of a corpus, from which another run goes on
expect 0 'to continue: --seed 5 --from 300 --feedback --keep kept' "$cts" explore --backend "$bin/hidden.so:tile" \
    --seed 5 --count 300 --feedback --keep kept
kept=$(kept)
[ "$(find kept -type f | wc -l)" = "$kept" ] || fail "the folder has not the $kept cases that were kept"
expect 0 'pass' "$cts" replay --backend cpu --corpus kept
expect 0 'feedback from edges' "$cts" explore --backend "$bin/hidden.so:tile" --seed 5 --from 300 --count 100 --feedback --keep kept
again=$(kept)
[ "$again" -ge $((kept / 2)) ] || fail "of $kept cases that were kept before $again are known"
echo 'topk-cts fuzz corpus of differential, version 0' >kept.version
expect 2 'another target or version' "$cts" explore --backend "$bin/hidden.so:tile" --count 10 --feedback --keep kept

# an interrupt ends it, and what was kept until then stays
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
expect 5 '--feedback --keep cut' sh -c 'echo $$ >pid; exec "$@"' sh "$cts" explore --worker ./interrupted --trust-worker \
    --seed 3 --time 600 --feedback --keep cut
[ -d was-interrupted ] || fail "it ended by itself"
[ -n "$(ls cut)" ] || fail "nothing is kept after an interrupt"

# a process that crashes, and those that spoil their counters
expect 1 'CRASH' "$cts" explore --backend faulty:B78 --seed 1 --count 1000 --first --feedback --out crash.txt
for way in garbage grow cut lose segment; do
    expect 0 'none failed' "$cts" explore --backend "$bin/hostile_counters.so:$way" --seed 1 --count 100 --feedback
done

# what AFL++ compiled needs nothing else
if command -v afl-clang-fast >/dev/null; then
    AFL_QUIET=1 afl-clang-fast -std=gnu17 -O2 -o afl "$source/docs/example-backends/example.c" 2>/dev/null
    expect 0 'feedback from edges' "$cts" explore --backend-command ./afl --seed 1 --count 200 --feedback
    expect 0 'feedback from edges' env AFL_MAP_SIZE=100000 "$cts" explore --backend-command ./afl --seed 1 --count 50 --feedback
    expect 2 "not 'much'" env AFL_MAP_SIZE=much "$cts" explore --backend-command ./afl --count 1 --feedback
fi
for folder in /dev/shm "${TMPDIR:-/tmp}"; do
    ! compgen -G "$folder/topk-edges-$(cat pid)-*" >/dev/null || fail "a file is left in $folder"
done

expect 2 "auto, edges or results, not 'edge'" "$cts" explore --backend cpu --count 1 --feedback=edge
expect 2 '--keep goes with --feedback' "$cts" explore --backend cpu --count 1 --keep kept
expect 2 '--feedback and --against exclude each other' "$cts" explore --backend cpu --against cpu --count 1 --feedback
expect 2 '--list and --feedback exclude each other' "$cts" explore --list --count 1 --feedback
expect 2 'cannot make the folder nowhere/kept' "$cts" explore --backend cpu --count 1 --feedback --keep nowhere/kept
echo "explore --feedback behaves"
