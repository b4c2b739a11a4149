#!/usr/bin/env bash
# --guard-pages: an access outside a tensor is caught where it happens and described in terms of the tensor, and no other
# access is caught: usage: guard_pages_test.sh BIN. BIN has topk-cts, topk-worker, topk-backend and overreads.so. Prints a
# line a check and "N passed, M failed".
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../../conformance/cli/test/checks.sh"
begin BIN "$@"
ulimit -c 0
plugin=$bin/overreads.so

# shellcheck disable=SC2034 # the table names them
{
# tensors of 16 bytes, which end where a page may start
even='top_k fl=2.0 in=f32[1,1,1,4] axis=3 k=4 data=few.1:2:1'
# the outputs have 12 bytes, so 4 bytes lie between an output and a page
odd='top_k fl=2.0 in=f32[1,1,1,4] axis=3 k=3 data=few.1:2:1'
# the input has strides, an offset and an alignment
strided='top_k1 fl=5.0 in=f32[2,3,8]{48,16,1}@256^256 axis=2 k=2 dir=inc data=few.1:3:1'
# a large case, and the smallest
large='top_k fl=2.0 in=f32[1,1,64,4096] axis=3 k=64 data=few.1:7:1'
least='top_k1 fl=5.0 in=u8[1] axis=0 k=1 dir=dec data=few.1:2:1'
}

# ---- which side of which tensor, and how far: ACCESS|CASE|SIDE|SENTENCE. SIDE is the value of --guard-pages, SENTENCE the
# reported text; "": the case passes.
table() {
    cat <<END
input-end-1|even|both|reads right behind the end of input
input-end-1|even|end|reads right behind the end of input
input-end-1|even|start|
input-tail-32|even|both|reads right behind the end of input
input-tail-32|even|start|
input-start-1|even|both|reads 1 byte before the start of input
input-start-1|even|end|
input-start-32|even|start|reads 32 bytes before the start of input
input-end-4-far-60|even|end|reads 60 bytes behind the end of input
input-end-4-far-60000|even|end|reads 60000 bytes behind the end of input
value-end-1|even|end|reads right behind the end of value
value-start-4|even|both|reads 4 bytes before the start of value
index-end-8|even|both|reads right behind the end of index
index-start-8|even|both|reads 8 bytes before the start of index
index-start-8|even|end|
value-end-4|odd|both|
value-end-8|odd|both|reads 4 bytes behind the end of value
value-tail-32|odd|end|reads 4 bytes behind the end of value
value-end-16-write|even|both|writes right behind the end of value
index-start-4-write|even|start|writes 4 bytes before the start of index
input-end-64|strided|end|reads 32 bytes behind the end of input
input-start-1|strided|start|reads 1 byte before the start of input
value-start-1|strided|both|reads 1 byte before the start of value
input-end-1|large|end|reads right behind the end of input
input-start-1|large|start|reads 1 byte before the start of input
index-tail-32|large|end|reads right behind the end of index
input-end-16|least|end|reads 12 bytes behind the end of input
input-start-1|least|start|reads 1 byte before the start of input
END
}
while IFS='|' read -r access name side sentence; do
    if [ -z "$sentence" ]; then
        check "$access, $name, $side: passes" 0 has PASS \
            -- "$cts" replay --backend "$plugin:$access" --guard-pages="$side" "${!name}"
    else
        check "$access, $name, $side: $sentence" 1 has CRASH has ": $sentence, the innermost" has ' (over_access+0x' \
            -- "$cts" replay --backend "$plugin:$access" --guard-pages="$side" "${!name}"
    fi
done < <(table)
for access in input-end-1 input-tail-32 input-start-32 value-end-16 index-start-8; do
    check "$access: passes without guard pages" 0 has PASS -- "$cts" replay --backend "$plugin:$access" "$even"
done
check 'a write outside an output breaks M02' 1 has '(M02 MUST)' \
    -- "$cts" replay --backend "$plugin:value-end-16-write" --guard-pages "$even"
check 'a write outside the input breaks M01' 1 has '(M01 MUST)' \
    -- "$cts" replay --backend "$plugin:input-end-16-write" --guard-pages "$even"
check 'a write beside a tensor that no guard page catches still fails' 1 has 'FAIL case (M02 MUST)' \
    -- "$cts" replay --backend "$plugin:value-start-4-write" --guard-pages=end "$odd"
check 'a result that is wrong in only one of the two passes fails' 1 has 'FAIL' has 'only with guard pages at the start of tensors' \
    -- "$cts" replay --backend "$plugin:zero-offset-1" --guard-pages "$odd"

# ---- with --in-process, and with a worker of the user
check 'guard pages catch a read with --in-process' 1 has ': reads right behind the end of input' has ' --in-process --guard-pages=both ' \
    -- "$cts" replay --in-process --backend "$plugin:input-end-1" --guard-pages "$even"
check 'a valid call passes with --in-process' 1 has PASS \
    -- "$cts" replay --in-process --backend "$plugin" --guard-pages "$strided"
check "a worker's own guard pages catch a read" 1 has ': reads right behind the end of input' \
    -- "$cts" replay --worker "exec $bin/topk-worker --guard-pages end --backend $plugin:input-end-1" "$even"

# ---- bytes that come through a pipe, as from another machine
pipe() { printf '%s' "exec $bin/topk-backend $1 | cat"; }
check 'guard pages catch a read of a backend behind a pipe' 1 has ': reads 1 byte before the start of index' \
    -- "$cts" replay --backend-command "$(pipe "$plugin:index-start-1")" --guard-pages "$even"

# ---- wrong use
check 'an unknown side is rejected' 2 has "--guard-pages takes end, start or both, not 'middle'" \
    -- "$cts" replay --backend cpu --guard-pages=middle "$even"
check '--guard-pages is rejected with --worker' 2 has '--guard-pages is for --backend and --backend-command' \
    -- "$cts" replay --worker "$bin/topk-worker --backend cpu" --guard-pages "$even"
check 'a backend program without guard pages is unavailable' 4 has 'guard pages need topk-backend' \
    -- "$cts" replay --backend-command "perl $root/docs/example-backends/example.pl" --guard-pages "$even"

# ---- a run: it goes on, the crashes are one bug, which shrinks; log, statement and resumption record the guard pages
check 'a run with guard pages reports one bug and the command that replays it' 1 has '  guard pages: at the end of each tensor, then at its start' has '1 bug' \
    has 'bytes behind the end of input' has "replay --backend $plugin:input-tail-32 --guard-pages=both" \
    -- "$cts" run --backend "$plugin:input-tail-32" --guard-pages --shrink --out run --jobs 2 'examples.*'
same 'the header of the log records the guard pages' "$(jq -r 'select(.record == "header").guard_pages' run/results.jsonl)" both
same 'all cases of the log have a record' "$(jq -c 'select(.record == "case")' run/results.jsonl | wc -l)" \
    "$(jq -r 'select(.record == "header").cases' run/results.jsonl)"
same 'the log records the place of each access' "$(jq -c 'select(.record == "case" and .crash).crash.outside | {access, tensor, side}' run/results.jsonl |
    sort -u)" '{"access":"reads","tensor":"input","side":"end"}'
same 'the log records --guard-pages for replays' "$(jq -r 'select(.record == "header").replay' run/results.jsonl | grep -o -e '--guard-pages=.*')" \
    --guard-pages=both
"$cts" report run --format json >report.json 2>err
report "$(grep -q 'reads [^"]*behind the end of input' report.json || echo 'no sentence')" 'the report describes the access'
check 'a case that fails with guard pages shrinks' 1 has 'in=' has ' k=1' -- "$cts" shrink --backend "$plugin:input-end-64" --guard-pages "$strided"
check 'a run cannot be resumed with another --guard-pages' 2 has "its --guard-pages is 'both', not 'end'" \
    -- "$cts" run --backend "$plugin:input-tail-32" --guard-pages=end --resume --out run 'examples.*'

# ---- no false alarm
check 'cpu passes with guard pages on either side' 0 has 'PASSED: ' -- "$cts" run --backend cpu --guard-pages --jobs 2 --shard 1/40
check 'cpu passes with guard pages behind a pipe' 0 has 'PASSED: ' \
    -- "$cts" run --backend-command "$(pipe cpu)" --guard-pages --jobs 2 --shard 2/80

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
