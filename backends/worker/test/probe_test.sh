#!/usr/bin/env bash
# Probes as users see them: `topk-cts probe`, and the probes in a run, its log, resuming and comparing; also
# plugins with wrong probes, and a plugin that is older than probes.
# usage: probe_test.sh BIN
set -euo pipefail
bin=$(cd "$1" && pwd)
cts=$bin/topk-cts
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# expect STATUS TEXT COMMAND...: the exit code is STATUS, and the output contains TEXT
expect() {
    local wanted=$1 text=$2 status=0
    shift 2
    "$@" >log 2>&1 || status=$?
    [ "$status" = "$wanted" ] || { cat log >&2; fail "exit code $status instead of $wanted: $*"; }
    says "$text"
}

# says TEXT: the output of the last command contains TEXT
says() {
    grep -qF -- "$1" log || { cat log >&2; fail "'$1' is missing"; }
}

# row NAME VALUE VERDICT DETAIL: the table has this row; DETAIL is a pattern
row() {
    grep -qE "^$1 +$2 +$3 +$4\$" log || { cat log >&2; fail "no row '$1 $2 $3 $4'"; }
}

# records DIR NUMBER: a log has this number of probes, each once
records() {
    local names
    names=$(sed -n 's/^{"record":"probe","name":"\([^"]*\)".*/\1/p' "$1/results.jsonl")
    [ "$(wc -w <<<"$names")" = "$2" ] || fail "$1 has not $2 probes: $names"
    [ -z "$(sort <<<"$names" | uniq -d)" ] || fail "$1 has a probe twice"
}

# ---- the worker --------------------------------------------------------------------------------

# worker PLUGIN TEXT ANSWER...: the worker's answers, after its greeting, to lines of input
worker() {
    printf '%b' "$2" | "$bin/topk-worker" --backend "$bin/$1" >answer 2>errors || true
    tail -n +2 answer | diff - <(printf '%s\n' "${@:3}") || fail "$1 answers '$2' in another way"
}

worker broken_probes.so 'probe 0\nprobe 2\nquit\n' 'begin 0 1' \
    'done 0 verdict=observed value=seen detail=this%20was%20done' 'begin 0 1' \
    'done 0 verdict=unsupported value=seen detail=this%20was%20done'
worker broken_probes.so 'probe 9\nprobe 9999\n' \
    'begin 0 1' 'done 0 verdict=failed value= detail=there%20is%20no%20such%20probe' \
    'begin 0 1' 'done 0 verdict=failed value= detail=there%20is%20no%20such%20probe'
worker broken_probes.so:none 'probes\n' 'begin 0 1' 'done 0 probes='
worker broken_older.so 'probes\nprobe 0\n' 'begin 0 1' 'done 0 probes=' \
    'begin 0 1' 'done 0 verdict=failed value= detail=there%20is%20no%20such%20probe'
for line in 'probe' 'probe ' 'probe x' 'probe -1' 'probe 12345' 'probes 1' 'probe 1 '; do
    worker broken_probes.so "$line\n" \
        "error not%20understood:%20${line// /%20}"
done
printf 'probes\n' | "$bin/topk-worker" --backend "$bin/broken_probes.so" | tail -n 1 >answer
grep -qx 'done 0 probes=good,violates,lacks,crashes,hangs,garbage,no-verdict,-pper-case--,a.name.that.is.longer.than.a.name.of.a.probe.ma' \
    answer || fail "other names: $(cat answer)"

# ---- the command -------------------------------------------------------------------------------

expect 1 'backend: broken-probes' "$cts" probe --backend "$bin/broken_probes.so" --timeout 1
row good seen observed 'this was done'
row violates seen violation 'this was done'
row lacks seen unsupported 'this was done'
row crashes - crashed 'killed by signal 6.*'
row hangs - hung 'not finished after 1 s'
row garbage '[?].{58}' observed '%+'
row no-verdict seen failed 'the backend answered with the unknown verdict 77: this was done'
row a.name.that.is.longer.than.a.name.of.a.probe.ma seen observed 'this was done'
[ "$(wc -l <log)" = 11 ] || fail "not nine probes"
# the row with the longest name and value, which determines the other columns
! sed 1,2d log | grep -vE "^.{47}  .{59}  [a-z]+ +[^ ]" || fail "a value breaks the table"

expect 0 'good ' "$cts" probe --backend "$bin/broken_probes.so" good a.name
[ "$(grep -c observed log)" = 2 ] || fail "two names do not select two probes"
expect 1 'violates ' "$cts" probe --backend "$bin/broken_probes.so" viol
expect 2 "the name of a probe is empty" "$cts" probe --backend "$bin/broken_probes.so" good ""
expect 2 "no probe is named 'goot'; did you mean 'good'?" "$cts" probe --backend "$bin/broken_probes.so" goot
expect 77 'the backend broken-probes has no probes' "$cts" probe --backend "$bin/broken_probes.so:none"
expect 77 'the backend cpu has no probes' "$cts" probe --backend cpu
expect 77 'has no probes' "$cts" probe --backend "$bin/broken_older.so"
expect 1 "probes  -  crashed" "$cts" probe --backend "$bin/broken_probes.so:list"
expect 2 "there is no backend 'cpv'" "$cts" probe --backend cpv
expect 4 'unavailable' "$cts" probe --backend ./none.so
expect 0 'good ' "$cts" probe --worker "'$bin/topk-worker' --backend '$bin/broken_probes.so'" good

# a worker that breaks its protocol
cat >liar <<'END'
#!/bin/sh
echo 'topk-worker 1 name=liar version= device= driver= features= level=5.0 flags=10 batch=1 own='
while read -r line; do
    case $line in
    probes) printf 'begin 0 1\ndone 0 probes=%s\n' "$NAMES" ;;
    probe*) printf 'begin 0 1\ndone 0 %s\n' "$ANSWER" ;;
    quit) exit 0 ;;
    esac
done
END
chmod +x liar
for names in 'a,a' 'a,' ',a' 'A' 'a b' "$(printf 'a%.0s,' {1..70})b" "$(printf 'p%s,' {1..70})p"; do
    NAMES=$names ANSWER='verdict=observed value=1 detail=' \
        expect 1 'probes  -  crashed      garbage on the pipe' "$cts" probe --worker ./liar
done
for answer in '' 'verdict=crashed value= detail=' 'verdict=observed value= detail= ' 'pass clause=- obs=0 ns=1'; do
    NAMES=a ANSWER=$answer expect 1 'garbage on the pipe' "$cts" probe --worker ./liar
done
NAMES=a,b ANSWER='verdict=observed value=1 detail=' expect 0 "b  1  observed" "$cts" probe --worker ./liar

# ---- a run -------------------------------------------------------------------------------------

expect 0 'PASSED: 87 passed, 0 failed, 0 unsupported' \
    "$cts" run --backend "$bin/broken_probes.so" --timeout 1 --jobs 2 --out first examples
says 'PROBE violation: violates, seen: this was done'
says 'PROBE crashed: crashes: killed by signal 6'
says 'PROBE hung: hangs: not finished after 1 s'
says 'probes: 4 observed, 1 violation, '
says '; 4 probes have a finding; only a whole profile shows conformance'
records first 9
grep -q '<testsuite name="probe" tests="9" failures="1" errors="3" skipped="1"' first/junit.xml ||
    fail "JUnit counts them in another way"

# Resuming an interrupted run runs the missing probes, and none twice.
mkdir second
head -n 6 first/results.jsonl >second/results.jsonl
expect 0 '4 probes have a finding' \
    "$cts" run --backend "$bin/broken_probes.so" --timeout 1 --out second --resume examples
records second 9
expect 0 '4 probes have a finding' \
    "$cts" run --backend "$bin/broken_probes.so" --timeout 1 --out second --resume examples
records second 9
expect 0 'B IS THE SAME AS A' "$cts" compare first second

expect 0 'PASSED: 87 passed' "$cts" run --backend "$bin/broken_probes.so" --no-probes --out third examples
records third 0
expect 0 'probes are in A only, and not compared' "$cts" compare first third
expect 0 'probes are in B only, and not compared' "$cts" compare third first
expect 0 'PASSED: 87 passed' "$cts" run --backend "$bin/broken_older.so" --out older examples
records older 0

# a worker that dies while it lists the probes: the cases are run nevertheless
expect 0 '; 1 probe has a finding' "$cts" run --backend "$bin/broken_probes.so:list" --out list examples
says 'PASSED: 87 passed'
records list 1
expect 0 '; 1 probe has a finding' \
    "$cts" run --backend "$bin/broken_probes.so:list" --out list --resume examples
records list 1

# a changed value, and a new finding
expect 1 '    good: seen -> no record' "$cts" compare first list
says '    violates: seen, violation -> no record'
says '    hangs: hung -> no record'
says '    probes: no record -> crashed (new finding)'
says 'B IS WORSE THAN A: every case has the same result, 10 probes differ'
