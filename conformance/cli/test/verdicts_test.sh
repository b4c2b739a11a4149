#!/usr/bin/env bash
# What a run reports about each fault of the backend faulty agrees with the fault's row and the reviewed figures.
# usage: verdicts_test.sh some|all BIN LEDGER
#   some  every 24th fault: no reported condition may exclude the fault's trigger
set -euo pipefail
part=$1
bin=$2
ledger=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# expect CODE TEXT ARGUMENT...: the exit code and a part of the output of `topk-cts trust --verdicts ARGUMENT...`
expect() {
    local code=$1 text=$2 status=0
    shift 2
    "$bin/topk-cts" trust --verdicts "$@" >"$work/log" 2>&1 || status=$?
    [ "$status" = "$code" ] || { tail -n 90 "$work/log"; fail "trust --verdicts $*: exit code $status"; }
    grep -qF -e "$text" "$work/log" || { tail -n 90 "$work/log"; fail "trust --verdicts $*: no '$text'"; }
}

expect 2 '--verdicts and --brief cannot go together' --brief
expect 2 'is about all faults, not those of --fault' --fault B26 --check "$ledger"
grep -v '^faults with one entry' "$ledger" >"$work/other"
expect 2 'lacks a figure of --verdicts, nothing was run' --check "$work/other"

# the statements do not depend on how many faults are run at once
for jobs in 1 3; do
    expect 0 'triggers that failing cases are outside of: 0' --jobs "$jobs" --out "$work/$jobs" --fault rank-7-ties \
        --fault B97 --fault crash-rank-8
done
diff -r "$work/1" "$work/3" || fail "the number of jobs matters"
grep -q '^rank-7-ties: [0-9]* cases failed, distinguished as 1$' "$work/1/verdicts.txt" || fail "rank-7-ties is not in verdicts.txt"

if [ "$part" = all ]; then
    expect 0 'triggers that failing cases are outside of: 0' --check "$ledger"
else
    # faults that hang or need guard pages have no verdict
    mapfile -t faults < <(awk '$5 == "dead" && $2 != "hang" && $2 != "guard-pages" && ++n % 24 == 0 { print $1 }' "$ledger")
    [ "${#faults[@]}" -ge 10 ] || fail "$ledger has few faults"
    expect 0 'triggers that failing cases are outside of: 0' "${faults[@]/#/--fault=}"
fi
cat "$work/log"
