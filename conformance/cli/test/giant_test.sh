#!/usr/bin/env bash
# Profile giant: a case that needs more memory than is free is reported as such, and the other cases are run; every
# fault of class `giant' is caught by a few of the cases; and, without `few', `cpu' passes the whole profile.
# usage: giant_test.sh BIN [few]
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
few=${2:-}
begin BIN "$1"

run=(run --profile giant --no-identity --no-probes --overwrite)

echo '# memory'
large='top_k1 fl=2.1 in=f32[1,1,2,3]{1,1,1073741827,1} axis=3 k=2 dir=dec'
small='top_k1 fl=2.1 in=f32[1,1,2,3] axis=3 k=2 dir=dec'
worker="'$bin/topk-worker' --case-memory 17179869184 --free-memory 1073741824 --process '$bin/topk-backend' cpu"
check 'a case without enough memory is not run, and its memory is printed' 3 \
    has 'not run: it takes 8.0 GiB of memory beside what the backend takes, and 1.0 GiB are free' has '1 pass, 1 harness-error' -- \
    "$cts" run --no-identity --no-probes --worker "$worker" --trust-worker --out memory "$large" "$small"
check 'a case above --case-memory is created, not run' 0 has 'created, not run: it takes' -- \
    "$cts" replay --backend cpu --case-memory 64M "$large"
check 'a large case without --case-memory is created, not run' 0 has 'bytes of buffers, the worker takes at most 1073741824' -- "$cts" replay --backend cpu "$large"
check 'a malformed size' 2 has "--case-memory takes a size from 1M to 900T" -- \
    "$cts" replay --backend cpu --case-memory much "$small"

echo '# faults'
faults=$("$cts" trust --list | awk '$2 == "giant" { print $1 }')
same 'there are at least 12 faults of class giant' "$([ "$(wc -w <<<"$faults")" -ge 12 ] && echo many)" many
# cases_of FAULT: cases that detect it, as few as are needed
cases_of() {
    case $1 in
    input-elements-31) echo 'giant.offsets:*in=u8?2,3?{2147483651,1}*' ;;
    value-elements-31) echo 'giant.offsets:*val=i8{2147483651,1}*' ;;
    *-bytes-31) echo 'giant.offsets:*'"$(role "$1")"'{536870915,1}*' ;;
    *-bytes-32) echo 'giant.offsets:*'"$(role "$1")"'{1073741827,1}*' ;;
    sequences-22) echo 'giant.sequences:*?2,4194311?*' ;;
    sequences-24) echo 'giant.sequences:*?2,16777225?*' ;;
    *) echo 'giant.blocks:*in=f32?16777225?*' ;;
    esac
}
role() {
    case $1 in
    input-*) echo 'in=f32?2,3?' ;;
    value-*) echo 'val=f32' ;;
    *) echo 'idx=u32' ;;
    esac
}
for fault in $faults; do
    [ -z "$few" ] || [ "$fault" = "$few" ] || continue
    check "$fault is caught" 1 has ' failed' lacks '0 failed' -- \
        "$cts" "${run[@]}" --backend "faulty:$fault" --out "fault-$fault" "$(cases_of "$fault")"
done

if [ -z "$few" ]; then
    echo '# cpu'
    check 'cpu passes profile giant' 0 has CONFORMANT has ' 0 failed' -- \
        "$cts" "${run[@]}" --backend cpu --timeout 600 --out cpu
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
