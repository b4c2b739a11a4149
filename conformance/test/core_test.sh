#!/usr/bin/env bash
# Profile core on the backends that are there. cpu must be conformant. ONNX Runtime must run to the end
# with every case answered: what it does wrong is its own affair, a crash of the harness is not.
# usage: core_test.sh BIN onnxruntime|none
set -euo pipefail
bin=$1
onnxruntime=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

"$bin/topk-cts" profile core --verify || fail "profile core has drifted"
"$bin/topk-cts" spec --check || fail "a clause has no case"
cases=$("$bin/topk-cts" list --profile core | wc -l)
[ "$cases" -ge 5000 ] || fail "core has only $cases cases"

"$bin/topk-cts" run --backend cpu --profile core --out "$work/cpu" >"$work/log" ||
    { cat "$work/log"; fail "cpu is not conformant"; }
xmllint --noout "$work/cpu/junit.xml"
# what people read is what there is
readme=$(dirname "$0")/../../README.md
for line in "$(head -n 1 "$work/log")" "$(tail -n 1 "$work/log")"; do
    grep -qxF -- "$line" "$readme" || fail "README.md does not have the line: $line"
done
[ "$(grep -c '"record":"case"' "$work/cpu/results.jsonl")" = "$cases" ] || fail "cases are missing"

[ "$onnxruntime" = onnxruntime ] || fail "this build has no onnxruntime backend"
status=0
"$bin/topk-cts" run --backend onnxruntime --profile core --out "$work/ort" >"$work/log" || status=$?
cat "$work/log"
case $status in
0 | 1) ;;
*) fail "onnxruntime: exit code $status" ;;
esac
[ "$(grep -c '"record":"case"' "$work/ort/results.jsonl")" = "$cases" ] || fail "cases are missing"
xmllint --noout "$work/ort/junit.xml"
if grep -qE '"verdict":"(crash|timeout|device-lost|harness-error)"' "$work/ort/results.jsonl"; then
    fail "a case was not answered"
fi
# facts about ONNX Runtime 1.30 that this build must see
grep -q 'uint64: Could not find an implementation' "$work/log" || fail "uint64 is not unsupported"
grep -q 'K = 0 is legal' "$work/log" || fail "invalid calls are not unsupported"
