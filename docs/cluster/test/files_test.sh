#!/usr/bin/env bash
# The files for Kubernetes and Bazel, by their commands, with the variables that these set; neither runs here. Run as
#   files_test.sh DIR
# where DIR holds topk-cts and the other programs.
set -u
# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "$0")/../../../conformance/cli/test/checks.sh"
begin DIR "$@"
need jq xmllint
export PATH=$bin:$PATH
run=(--backend cpu --profile peers)
"$cts" run "${run[@]}" --out undivided >undivided.txt 2>err
conformant=$(tail -n 1 undivided.txt)
cases() {
    jq -c 'select(.record == "case") | del(.nanoseconds, .chain)' "$1/results.jsonl" | sort
}

echo '# Kubernetes'
# part N: the script of the N-th Job, which is the text behind `- |'
part() {
    awk -v part="$1" '
        /^ *- \|$/ { indent = match($0, /-/) + 1; at++; next }
        at == part && indent { if (substr($0, 1, indent) ~ /^ *$/) print substr($0, indent + 1); else indent = 0 }' \
        "$root/docs/cluster/kubernetes.yml"
}
for i in 1 2; do
    part "$i" >"part$i.sh"
    same "Job $i has a script" "$(sh -n "part$i.sh" && grep -c 'topk-cts' "part$i.sh")" 1
done
export RESULTS=$work/results SHARDS=4 OPTIONS="${run[*]}" WAIT=5
for i in 0 1 3; do check "pod $i" 0 -- env JOB_COMPLETION_INDEX=$i sh -c "$(cat part1.sh)"; done
check 'the merge names the part that did not come' 5 has 'shard 3 of 4 is missing' -- sh -c "$(cat part2.sh)"
JOB_COMPLETION_INDEX=2 sh -c "$(cat part1.sh)" >out 2>err
same 'pod 2' $? 0
# as if the pod had been lost in the middle
head -n 30 results/shard3/results.jsonl >some && mv some results/shard3/results.jsonl && rm results/shard3/code
check 'the next pod goes on' 0 has 'continuing: ' -- env JOB_COMPLETION_INDEX=2 sh -c "$(cat part1.sh)"
head -c 30 results/shard3/results.jsonl >some && mv some results/shard3/results.jsonl && rm results/shard3/code
check 'or begins anew' 0 lacks 'continuing: ' -- env JOB_COMPLETION_INDEX=2 sh -c "$(cat part1.sh)"
check 'the merge has the verdict' 0 has "$conformant" -- sh -c "$(cat part2.sh)"
same 'each case came to the same' "$(cases results/merged | sha256sum)" "$(cases undivided | sha256sum)"
export OPTIONS='--backend faulty:B26 examples' RESULTS=$work/faulty
for i in 0 1 2 3; do check "a part with failures has come: pod $i" 0 -- env JOB_COMPLETION_INDEX=$i sh -c "$(cat part1.sh)"; done
check 'the merge has the verdict' 1 has "NOT CONFORMANT" -- sh -c "$(cat part2.sh)"
check 'a backend that is not there' 4 -- env JOB_COMPLETION_INDEX=0 RESULTS="$work/none" OPTIONS='--backend ./no.so' sh -c "mkdir -p $work/none/shard1; $(cat part1.sh)"

echo '# Bazel'
bazel=$root/docs/cluster/bazel_test.sh
same 'its shards' "$(sed -n 's/^ *shard_count = \([0-9]*\),/\1/p' "$root/docs/cluster/BUILD.bazel")" 4
for i in 0 1 2 3; do
    mkdir -p "testlogs/shard_$((i + 1))_of_4/test.outputs"
    folder=$work/testlogs/shard_$((i + 1))_of_4
    check "shard $i" 0 -- env TEST_TOTAL_SHARDS=4 TEST_SHARD_INDEX=$i TEST_SHARD_STATUS_FILE="$folder/status" \
        XML_OUTPUT_FILE="$folder/test.xml" TEST_UNDECLARED_OUTPUTS_DIR="$folder/test.outputs" TEST_PREMATURE_EXIT_FILE="$folder/exited" \
        TEST_TARGET=//:topk_cts TEST_WORKSPACE=_main TEST_TMPDIR="$work" "$bazel" "${run[@]}"
    same "what Bazel looks for" "$(cd "$folder" && find . -type f | LC_ALL=C sort | paste -sd' ')" \
        './status ./test.outputs/junit.xml ./test.outputs/results.jsonl ./test.xml'
    same 'its XML is XML' "$(xmllint --noout "$folder/test.xml" 2>&1)" ''
done
check 'merged' 0 has "$conformant" -- sh -c "topk-cts merge testlogs/shard_*_of_4/test.outputs --out bazel"
same 'each case came to the same' "$(cases bazel | sha256sum)" "$(cases undivided | sha256sum)"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
