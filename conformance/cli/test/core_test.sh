#!/usr/bin/env bash
# Profile core, or a shard of it, on a backend. cpu must be conformant. A run with ONNX Runtime must finish with
# a result for every case; its deviations do not matter here, but the harness must not crash.
# usage: core_test.sh BIN cpu|onnxruntime|none [I/N]
set -euo pipefail
bin=$1
backend=$2
shard=${3-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# each case of the selection has a record
all_there() {
    if [ -n "$shard" ]; then
        whole=$asked
        asked=$(sed -n '1s/.*"cases":\([0-9]*\),"started":.*/\1/p' "$work/run/results.jsonl")
        [ "$((asked * parts * 10 / whole))" -ge 8 ] || fail "a shard of $shard has only $asked of $whole cases"
    fi
    [ "$(grep -c '"record":"case"' "$work/run/results.jsonl")" = "$asked" ] || fail "cases are missing"
    xmllint --noout "$work/run/junit.xml"
}

"$bin/topk-cts" profile core --verify || fail "profile core has drifted"
asked=$("$bin/topk-cts" list --profile core | wc -l)
[ "$asked" -ge 5000 ] || fail "core has only $asked cases"
run=("$bin/topk-cts" run --backend "$backend" --profile core --out "$work/run")
if [ -n "$shard" ]; then
    run+=(--shard "$shard")
    parts=${shard#*/}
fi

case $backend in
cpu)
    "$bin/topk-cts" spec --check || fail "a clause has no case"
    "${run[@]}" >"$work/log" || { cat "$work/log"; fail "cpu is not conformant"; }
    all_there
    # README.md has the first and the last line of the output
    readme=$(dirname "$0")/../../../README.md
    for line in "$(head -n 1 "$work/log")" "$(tail -n 1 "$work/log")"; do
        [ -n "$shard" ] || grep -qxF -- "$line" "$readme" || fail "README.md does not have the line: $line"
    done
    ;;
onnxruntime)
    status=0
    "${run[@]}" >"$work/log" || status=$?
    cat "$work/log"
    case $status in
    0 | 1) ;;
    *) fail "onnxruntime: exit code $status" ;;
    esac
    all_there
    if grep -qE '"verdict":"(crash|timeout|device-lost|harness-error)"' "$work/run/results.jsonl"; then
        fail "a case was not answered"
    fi
    # facts about ONNX Runtime 1.30 that a run must show
    grep -q 'uint64: Could not find an implementation' "$work/log" || fail "uint64 is not unsupported"
    grep -q 'K = 0 is legal' "$work/log" || fail "invalid calls are not unsupported"
    ;;
*) fail "this build has no onnxruntime backend" ;;
esac
