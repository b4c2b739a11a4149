#!/usr/bin/env bash
# The environment variables of test engines: GoogleTest's and Bazel's. Run as
#   engine_test.sh DIR
# where DIR holds topk-cts and the other programs.
set -u
# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "$0")/checks.sh"
begin DIR "$@"
need jq xmllint
run=("$cts" run --backend cpu --no-identity examples.documents) # 7 cases

# ids RUN...: the sorted ids of the cases of logs
ids() {
    local dir
    for dir; do jq -r 'select(.record == "case").id' "$dir/results.jsonl"; done | LC_ALL=C sort
}

echo '# shards'
"${run[@]}" --out whole >out 2>err
for family in GTEST TEST; do
    for i in 0 1 2; do
        check "$family: shard $i of 3" 0 has "of 7: shard $((i + 1)) of 3" -- \
            env "${family}_TOTAL_SHARDS=3" "${family}_SHARD_INDEX=$i" "${family}_SHARD_STATUS_FILE=$work/$family$i.status" \
            "${run[@]}" --out "$family$i"
        same "$family: the status file of shard $((i + 1)) exists" "$(find "$family$i.status" -type f)" "$family$i.status"
    done
    check "$family: merged" 0 has '7 cases, merged from 3 of 3 shards' -- \
        "$cts" merge "${family}0" "${family}1" "${family}2" --out "$family"
    same "$family: the shards have all cases once" "$(ids "${family}0" "${family}1" "${family}2")" "$(ids whole)"
done
check 'one shard of one is the whole run' 0 lacks 'shard 1' has 'only a whole profile shows conformance' -- \
    env GTEST_TOTAL_SHARDS=1 GTEST_SHARD_INDEX=0 "${run[@]}" --out one
check 'Bazel: no shards are the whole run' 0 lacks 'shard 1' -- env TEST_TOTAL_SHARDS=0 TEST_SHARD_INDEX=0 "${run[@]}" --out none
check 'empty variables count as unset' 0 lacks 'shard 1' -- \
    env GTEST_TOTAL_SHARDS= GTEST_SHARD_INDEX= TEST_TOTAL_SHARDS= XML_OUTPUT_FILE= TEST_PREMATURE_EXIT_FILE= \
    TEST_UNDECLARED_OUTPUTS_DIR= TESTBRIDGE_TEST_ONLY= TEST_SHARD_STATUS_FILE= "${run[@]}" --out nothing
check 'both engines set the same shard' 0 has 'shard 2 of 3' -- \
    env GTEST_TOTAL_SHARDS=3 GTEST_SHARD_INDEX=1 TEST_TOTAL_SHARDS=3 TEST_SHARD_INDEX=1 "${run[@]}" --out both
check 'both engines set different shards' 2 has 'GTEST_TOTAL_SHARDS and TEST_TOTAL_SHARDS contradict' has 'shard 2 of 3' has 'shard 1 of 3' -- \
    env GTEST_TOTAL_SHARDS=3 GTEST_SHARD_INDEX=1 TEST_TOTAL_SHARDS=3 TEST_SHARD_INDEX=0 "${run[@]}" --out other
check '--shard agrees with the environment' 0 has 'shard 2 of 3' -- \
    env TEST_TOTAL_SHARDS=3 TEST_SHARD_INDEX=1 "${run[@]}" --shard 2/3 --out option
for shard in 1/3 2/4 1/1; do
    check "--shard $shard contradicts the environment" 2 has "--shard $shard contradicts the variable TEST_TOTAL_SHARDS" has 'shard 2/3' -- \
        env TEST_TOTAL_SHARDS=3 TEST_SHARD_INDEX=1 "${run[@]}" --shard "$shard" --out other
done

echo '# malformed variables'
# malformed VARIABLE TEXT [NAME=VALUE...]
malformed() {
    local name=$1 text=$2
    shift 2
    check "$name=$text" 2 has "the variable $name" has "$text" -- env "$@" "$name=$text" "${run[@]}" --out other
}
for family in GTEST TEST; do
    for text in x -1 1x ' 1' 10001 99999999999999999999999 18446744073709551617 1.5; do
        malformed "${family}_TOTAL_SHARDS" "$text" "${family}_SHARD_INDEX=0"
    done
    for text in x -1 3 4294967296 18446744073709551616; do
        malformed "${family}_SHARD_INDEX" "$text" "${family}_TOTAL_SHARDS=3"
    done
    check "$family: no index" 2 has "${family}_TOTAL_SHARDS is set, and ${family}_SHARD_INDEX is not" -- \
        env "${family}_TOTAL_SHARDS=3" "${run[@]}" --out other
    check "$family: no number of shards" 2 has "${family}_SHARD_INDEX is set, and ${family}_TOTAL_SHARDS is not" -- \
        env "${family}_SHARD_INDEX=0" "${run[@]}" --out other
    check "$family: no status file" 3 has "cannot make $work/no/status" has "${family}_SHARD_STATUS_FILE" -- \
        env "${family}_SHARD_STATUS_FILE=$work/no/status" "${run[@]}" --out other
done
malformed GTEST_TOTAL_SHARDS 0 GTEST_SHARD_INDEX=0
check 'no file of a premature exit' 3 has "cannot make $work/no/file" has TEST_PREMATURE_EXIT_FILE -- \
    env TEST_PREMATURE_EXIT_FILE="$work/no/file" "${run[@]}" --out other
same 'after such errors nothing was run' "$(ls -d other 2>/dev/null)" ''

echo '# a shard without a case'
for i in 0 1; do
    check "shard $i" 0 has 'shard' -- env GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=$i \
        "$cts" run --backend cpu "$(ids whole | head -n 1)" --out "lone$i"
done
check 'a shard of an engine without cases exits with 0' 0 has 'of 2: it has none of the 1 cases' -- \
    sh -c 'env GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=0 "$@" --out a0; env GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=1 "$@" --out a1' \
    sh "$cts" run --backend cpu "$(ids whole | head -n 1)"
same 'a shard without cases does not claim that anything passed' "$(grep -A9 'NOTHING TO DO' out | grep -ciE 'conformant|passed')" 0
for i in 0 1; do
    [ "$(ids lone$i)" ] || nothing=$i
done
same 'a shard without cases has a JUnit file' "$(xmllint --xpath 'string(/testsuites/@tests)' "lone$nothing/junit.xml")" 0
check 'a shard without cases is merged' 0 has '1 cases, merged from 2 of 2 shards' -- "$cts" merge lone0 lone1 --out lone
check '--shard without cases exits with 5' 5 has 'nothing was selected: there are 1 cases for 2 shards' lacks 'NOTHING TO DO' -- \
    "$cts" run --backend cpu "$(ids whole | head -n 1)" --shard "$((nothing + 1))/2" --out user

echo '# files and selections'
check 'the environment sets the folder of the log and the XML file' 0 has 'log: outputs/results.jsonl' has "JUnit: $work/bazel.xml" -- \
    env TEST_UNDECLARED_OUTPUTS_DIR=outputs XML_OUTPUT_FILE="$work/bazel.xml" "${run[@]}"
same 'both XML files are the same' "$(cmp outputs/junit.xml bazel.xml 2>&1)" ''
check '--out overrides the environment' 0 has 'log: mine/results.jsonl' -- env TEST_UNDECLARED_OUTPUTS_DIR=outputs "${run[@]}" --out mine
check 'the folder of the environment already has a log' 2 has 'outputs/results.jsonl already exists' -- env TEST_UNDECLARED_OUTPUTS_DIR=outputs "${run[@]}"
check '--resume in the folder of the environment' 0 has '7 cases already have a result' -- \
    env TEST_UNDECLARED_OUTPUTS_DIR=outputs "${run[@]}" --resume
check 'the XML cannot be written' 3 has "$work/no/bazel.xml" -- \
    env XML_OUTPUT_FILE="$work/no/bazel.xml" "${run[@]}" --out noxml
selected='examples.documents|ties.boundary:top_k1'
check 'a filter selects' 0 -- env TESTBRIDGE_TEST_ONLY="$selected" "$cts" run --backend cpu --out filter
"$cts" run --backend cpu examples.documents ties.boundary:top_k1 --out filtered >out 2>err
same 'a filter selects the same cases as selections' "$(ids filter)" "$(ids filtered)"
check 'a filter narrows' 0 has ' 7 cases' -- \
    env TESTBRIDGE_TEST_ONLY=examples.documents "$cts" run --backend cpu examples invalid --out narrow
check 'a filter outside the selections' 2 has "TESTBRIDGE_TEST_ONLY selects 'ties'" -- \
    env TESTBRIDGE_TEST_ONLY='examples.documents|ties' "$cts" run --backend cpu examples --out beside
check 'a filter of nothing' 2 has "TESTBRIDGE_TEST_ONLY is '||'" -- env TESTBRIDGE_TEST_ONLY='||' "${run[@]}" --out beside
check 'a filter that selects nothing' 5 -- env TESTBRIDGE_TEST_ONLY=nosuch "$cts" run --backend cpu --out beside

echo '# TEST_PREMATURE_EXIT_FILE'
# whether the file exists while the run goes on: a worker checks
printf '#!/bin/sh\n[ -f "%s" ] && echo seen >>"%s"\nexec "%s" "$@"\n' "$work/premature" "$work/seen" "$bin/topk-worker" >looks
chmod +x looks
for backend in cpu faulty:B26 nosuch; do
    : >seen
    TEST_PREMATURE_EXIT_FILE=$work/premature TOPK_WORKER=$work/looks "$cts" run --backend "$backend" examples.documents \
        --out "premature-$backend" >out 2>err
    same "$backend: TEST_PREMATURE_EXIT_FILE is gone at the end" "$(find . -name premature)" ''
    [ "$backend" = nosuch ] || same "$backend: it was there before" "$(sort -u seen)" seen
done
# a worker that never answers
printf '#!/bin/sh\necho $$ >"%s"\nexec sleep 600\n' "$work/sleeper" >sleeps
chmod +x sleeps
TEST_PREMATURE_EXIT_FILE=$work/premature TOPK_WORKER=$work/sleeps "$cts" run --backend cpu examples.documents --out killed >out 2>err &
killed=$!
while ! [ -s sleeper ]; do sleep 0.05; done
kill -KILL $killed
{ wait $killed; } 2>/dev/null
kill -KILL "$(cat sleeper)" 2>/dev/null
same 'a killed run leaves TEST_PREMATURE_EXIT_FILE' "$(find premature)" premature

echo '# continuing without the engine'
command=$(TEST_TOTAL_SHARDS=2 TEST_SHARD_INDEX=0 TEST_UNDECLARED_OUTPUTS_DIR="$work/go on" TESTBRIDGE_TEST_ONLY=ties.boundary \
    "$cts" run --backend faulty:B26 ties --fail-fast | sed -n 's/^To continue: //p')
check 'the printed command continues the run without the environment' 1 has 'shard 1 of 2' has 'continuing' -- sh -c "$command"

echo '# help'
for name in GTEST_TOTAL_SHARDS TEST_SHARD_INDEX XML_OUTPUT_FILE TEST_PREMATURE_EXIT_FILE TESTBRIDGE_TEST_ONLY; do
    check "$name: --help" 0 has "$name" -- "$cts" run --help
    check "$name: the manual page" 0 has "$name" -- "$cts" man
done
same '--help: no line is longer than 79 characters' "$("$cts" run --help | awk 'length > 79')" ''

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
