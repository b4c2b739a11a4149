#!/usr/bin/env bash
# topk-cts explore, as users run it.
# usage: explore_test.sh BIN
set -euo pipefail
bin=$1
cts=$bin/topk-cts
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# expect STATUS TEXT COMMAND...: the exit code, and a part of the output
expect() {
    local wanted=$1 text=$2 status=0
    shift 2
    "$@" >"$work/log" 2>&1 || status=$?
    [ "$status" = "$wanted" ] || { cat "$work/log" >&2; fail "exit code $status instead of $wanted: $*"; }
    grep -qF -- "$text" "$work/log" || { cat "$work/log" >&2; fail "'$text' is missing: $*"; }
}

# a seed and a position mean one case, whatever positions come before
"$cts" explore --list --seed 7 --count 100 >"$work/all"
[ "$(wc -l <"$work/all")" = 100 ] || fail "--list --count 100 prints another number of cases"
"$cts" explore --list --seed 7 --from 60 --count 40 | diff - <(tail -n 40 "$work/all") || fail "--from"
"$cts" explore --list --seed 8 --count 100 | cmp -s - "$work/all" && fail "another seed has the same cases"
"$cts" replay --backend cpu - <"$work/all" >"$work/log" || fail "cpu fails a case of seed 7"

expect 0 'none failed' "$cts" explore --backend cpu --seed 7 --count 2000
expect 0 'explored 2000 cases' "$cts" explore --backend cpu --seed 7 --count 2000 --jobs 2
expect 0 'to continue: --seed 7 --from 2000' "$cts" explore --backend cpu --seed 7 --count 2000 --time 600
expect 0 'with seed ' "$cts" explore --backend cpu --time 0.2

# failures are shrunk, written, and found again: from the file, and by seed and position
expect 1 'distinct failures: topk-results/explore-faulty-3-10.txt' \
    "$cts" explore --backend faulty:B26 --seed 3 --from 10 --count 500
expect 1 'S08' "$cts" replay --backend faulty:B26 --file topk-results/explore-faulty-3-10.txt
grep -q '^top_k' topk-results/explore-faulty-3-10.txt || fail "the file has no case"
while read -r line; do
    case $line in
    # a single missing element has another cause in large cases than in small ones
    '#'* | *f32\[[1-4]\]* | *f32\[11\]*) ;;
    *) fail "not shrunk: $line" ;;
    esac
done <topk-results/explore-faulty-3-10.txt
expect 0 'PASS' "$cts" replay --backend cpu --file topk-results/explore-faulty-3-10.txt
expect 1 'explored' "$cts" explore --backend faulty:B26 --seed 3 --count 500 --first --out first.txt
position=$(sed -n 's/^# .* explore\.3-\([0-9]*\):.*/\1/p' first.txt)
expect 1 '1 failed' "$cts" explore --backend faulty:B26 --seed 3 --from "$position" --count 1 --out again.txt
diff <(tail -n 1 first.txt) <(tail -n 1 again.txt) || fail "another case at position $position"

# an interrupt ends the run, and earlier failures are shrunk; the worker sends the interrupt once, when it is asked for
# more cases after so many batches that some have failed
cat >interrupted <<END
#!/bin/sh
while read -r line; do
    case \$line in batch*) batches=\$((batches + 1)) ;; esac
    [ "\$batches" != 20 ] || ! mkdir was-interrupted 2>/dev/null || kill -s INT "\$(cat pid)"
    printf '%s\\n' "\$line"
done | '$bin/topk-worker' --backend faulty:B26
END
chmod +x interrupted
# shellcheck disable=SC2016 # the shell that is started expands it
expect 1 '--from ' sh -c 'echo $$ >pid; exec "$@"' sh "$cts" explore --worker ./interrupted --seed 3 --time 600 --out cut.txt
[ -d was-interrupted ] || fail "it ended by itself"
grep -q '^top_k' cut.txt || fail "nothing is kept after an interrupt"

# a backend that crashes
expect 1 'CRASH' "$cts" explore --backend faulty:B78 --seed 1 --count 1000 --first --out crash.txt

expect 2 'no backend given' "$cts" explore --count 1
expect 2 "seconds above 0, not '0'" "$cts" explore --backend cpu --time 0
expect 2 "seconds above 0, not 'soon'" "$cts" explore --backend cpu --time soon
expect 2 "seconds above 0, not 'nan'" "$cts" explore --backend cpu --time nan
expect 2 "from 1 on, not '0'" "$cts" explore --backend cpu --count 0
expect 2 "from 1 on, not '0'" "$cts" explore --backend cpu --max-elements 0
expect 2 'cases are for --against' "$cts" explore --backend cpu 'ties.*'
expect 2 '--list needs --count' "$cts" explore --list
expect 2 "'--cuont'" "$cts" explore --cuont 5
expect 2 "there is no backend 'cpuu'" "$cts" explore --backend cpuu --count 1
expect 2 'cannot write nowhere/x.txt' "$cts" explore --backend faulty:B26 --seed 3 --count 100 --out nowhere/x.txt
expect 2 'cut.txt exists' "$cts" explore --backend cpu --count 1 --out cut.txt
expect 2 '--trust-worker is for --worker' "$cts" explore --backend cpu --trust-worker --count 1
expect 2 'exclude each other' "$cts" explore --backend cpu --worker x --count 1

# a case that was running and has no result is not skipped when exploring continues
expect 1 'to continue: --seed 9 --from 2' "$cts" explore --backend faulty:B26 --seed 9 --first --out few.txt

# workers that cannot be kept running: earlier failures are written
cat >dying <<END
#!/bin/sh
echo >>started
[ "\$(wc -l <started)" -lt 5 ] || exit 1
exec '$bin/topk-worker' --backend faulty:B78
END
chmod +x dying
expect 3 'distinct failures: dying.txt' "$cts" explore --worker ./dying --seed 1 --count 100000 --out dying.txt
grep -q '^explore' dying.txt || fail "what failed is lost with the workers"
echo "explore behaves"
