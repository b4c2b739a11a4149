#!/usr/bin/env bash
# Profile core catches every fault of the backend faulty, as recorded in the reviewed ledger.
# usage: trust_test.sh BIN LEDGER
set -euo pipefail
bin=$1
ledger=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# expect CODE TEXT ARGUMENT...: the exit code and a part of the output of `topk-cts trust ARGUMENT...`
expect() {
    local code=$1 text=$2 status=0
    shift 2
    "$bin/topk-cts" trust "$@" >"$work/log" 2>&1 || status=$?
    [ "$status" = "$code" ] || { tail -n 60 "$work/log"; fail "trust $*: exit code $status"; }
    grep -qF -e "$text" "$work/log" || { tail -n 60 "$work/log"; fail "trust $*: no '$text'"; }
}

# a ledger with a false line
sed 's/^none  .*/none allowed 3 ties dead/' "$ledger" >"$work/other"
for brief in '' --brief; do
    expect 1 'none was killed by 3 groups, the first of them ties; now it is alive' \
        --fault none --check "$work/other" ${brief:+"$brief"}
done
sed '1s/suite [0-9.]*/suite 0.0.1/' "$ledger" >"$work/other"
expect 2 'is of another version, nothing was run' --check "$work/other"
sed 's/^none  .*/none allowed/' "$ledger" >"$work/other"
expect 2 "other:$(grep -n '^none  ' "$ledger" | cut -d: -f1): not 'fault class groups" --check "$work/other"
echo 'something else' >"$work/other"
expect 2 'is not a ledger' --check "$work/other"
expect 2 'leaves out what --out writes' --brief --out "$work/brief"

# the outcome of a fault does not depend on how many are run at once
for jobs in 1 3; do
    expect 0 "faults: 3, dead 3" --jobs "$jobs" --out "$work/$jobs" --fault B33 --fault leak-fails \
        --fault rare-call-50
done
diff -r "$work/1" "$work/3" || fail "the number of jobs matters"

# the figures of docs/trust.md on the tests of the peers
peers=$(sed -n 's/^They kill \([0-9]*\) of the \([0-9]*\) faults.*/faults: \2, dead \1 (/p' "$(dirname "$0")/../../../docs/trust.md")
[ -n "$peers" ] || fail "docs/trust.md does not say what peers kill"
expect 1 "$peers" --profile peers --brief

expect 0 'mistrusted cases: 0' --check "$ledger" --brief
grep -E '^(faults|kernels|mistrusted)' "$work/log"
