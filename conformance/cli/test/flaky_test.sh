#!/usr/bin/env bash
# Failures that are run again: topk-cts run with --retries and --repeat, and replay --repeat, on a worker that fails
# always, sometimes, or only after other cases; and how reporting, merging and resuming handle these. Run as
#   flaky_test.sh BIN
# where BIN holds topk-cts.
set -u

if [ $# -ne 1 ] || [ ! -x "$1/topk-cts" ]; then
    echo "usage: $0 BIN" >&2
    exit 2
fi
if ! type -P jq >/dev/null; then
    echo "jq is missing: nothing is checked without it" >&2
    exit 1
fi
cts=$(cd "$1" && pwd)/topk-cts
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset TOPK_WORKER TOPK_BACKEND
export LC_ALL=C NO_COLOR=1

# shellcheck source=conformance/cli/test/checks.sh
. "$tests/checks.sh"

# its worker fails as $HOW tells it
worker=$tests/flaky_worker.sh
export STARTS=$work/count
good='top_k fl=2.0 in=f32[1,1,1,9] axis=3 k=2 data=few.1:2:1'
bad='top_k fl=2.0 in=f32[1,1,1,9] axis=3 k=3 data=few.1:2:1'
also='top_k fl=2.0 in=f32[1,1,1,9] axis=3 k=4 data=few.1:2:1'

# run NAME CODE HOW [has TEXT|lacks TEXT]... -- ARGUMENT...: a run of the cases, and its log in NAME
run() {
    local name=$1 code=$2 says=()
    export HOW=$3
    shift 3
    while [ "$1" != -- ]; do
        says+=("$1" "$2")
        shift 2
    done
    shift
    rm -f count
    check "$name" "$code" ${says[@]+"${says[@]}"} -- "$cts" run --worker "$worker" --trust-worker --no-identity \
        --out "$name" --overwrite "$@"
}

# logged NAME TEXT FILTER: the output of a jq filter for the records of a log
logged() {
    same "$1: $3" "$(jq -sc "$3" "$1/results.jsonl")" "$2"
}
again='[.[] | select(.record == "again") | del(.chain, .record)]'
totals='.[-1].totals | with_entries(select(.value > 0))'

echo '# failures that occur each time'
run always 1 always has 'run again: 1 of 1 failure: 1 failed each time' lacks FLAKY lacks 'PASSES ALONE' -- \
    "$good" "$bad" "$also"
logged always '[{"number":1,"kind":"always","alone":{"runs":2,"failed":2}}]' "$again"
logged always '{"pass":2,"fail":1}' "$totals"
run often 1 always has '1 failed each time' -- --retries 5 "$good" "$bad"
logged often '[{"number":1,"kind":"always","alone":{"runs":5,"failed":5}}]' "$again"
run off 1 always lacks 'run again' -- --retries 0 "$good" "$bad"
logged off '[]' "$again"

echo '# failures that occur sometimes'
run third 1 third has 'FLAKY: top_k fl=2.0' has 'FLAKY case (S09' has 'failed 0 of 2 times alone, 1 of 2 times after the 1 case before it' \
    has '1 flaky' has 'NOT CONFORMANT: 1 of 3 cases failed' lacks 'PASSES ALONE' -- "$good" "$bad" "$also"
logged third '[{"number":1,"kind":"flaky","alone":{"runs":2,"failed":0},"behind":{"runs":2,"failed":1,"before":1}}]' \
    "$again"
logged third '{"pass":2,"flaky":1}' "$totals"
logged third '["pass","fail","pass"]' '[.[] | select(.record == "case").verdict]'
run first 1 first has 'FLAKY' has '0 of 2 times alone, 0 of 2 times after the 1 case' -- "$good" "$bad"
run alone 1 first has 'FLAKY' has 'it failed 0 of 2 times alone' lacks behind -- "$bad"
run fast 1 third has 'FLAKY' has 'ended early after the first failure' -- --fail-fast "$bad" "$also"

echo '# failures that need other cases'
run behind 1 behind has 'PASSES ALONE' has 'it fails after 1 earlier case' \
    has '1 failed each time, but only after other cases' lacks FLAKY -- "$good" "$bad" "$also"
logged behind '[{"number":1,"kind":"behind","alone":{"runs":2,"failed":0},"behind":{"runs":2,"failed":2,"before":1}}]' \
    "$again"
logged behind '{"pass":2,"fail":1}' "$totals"

echo '# expected failures'
cat >flaky.rules <<END
verdict=flaky select="$bad" backend=fake owner=o reason=r expires=2099-12-31
END
sed s/verdict=flaky/verdict=fail/ flaky.rules >fail.rules
run waived 0 third has FLAKY has '1 expected-fail' -- --expectations flaky.rules "$good" "$bad"
logged waived '{"pass":1,"expected-fail":1}' "$totals"
logged waived '[{"line":1,"verdict":"flaky"}]' '[.[] | select(.record == "again").expectation]'
run other 0 third lacks 'run again' has '1 expected-fail' -- --expectations fail.rules "$good" "$bad"
run steady 1 always has '1 failed each time' -- --expectations flaky.rules "$good" "$bad"
check 'report of a waived flaky case' 0 has '"expected-fail": 1' -- "$cts" report waived --format json

echo '# reports'
check 'a flaky case in JUnit' 0 has 'type="flaky"' has 'failures="1"' has 'errors="0"' \
    has 'message="1 of 3 cases failed: failed 0 of 2 times alone, 1 of 2 times after the 1 case before it; S09' -- cat third/junit.xml
check 'a flaky case in JSON' 0 has '"flaky": 1' -- "$cts" report third --format json
check 'a flaky case in Markdown' 0 has '| flaky | 1 |' has 'Failures were run again: 1 of 1 failure: 1 failed in some runs and passed in others' -- \
    "$cts" report third --format markdown
check 'a flaky case on the page' 0 has 'Failures were run again: 1 of 1 failure: 1 failed in some' \
    has 'it failed 0 of 2 times alone, 1 of 2 times after' has flaky -- "$cts" report third --format html
check 'a flaky case in compare' 0 has '1 of cases: flaky S09 -> fail S09' -- "$cts" compare third always

echo '# resuming and merging'
run cut 1 third -- "$good" "$bad"
# as if the run had been killed before failures were run again
head -n 3 cut/results.jsonl >whole && mv whole cut/results.jsonl
rm -f count && echo x >count
check '--resume of a run that was killed before it ran failures again' 1 has FLAKY has '0 of 2 times alone, 1 of 2 times after the 1 case' -- \
    "$cts" run --worker "$worker" --trust-worker --no-identity --out cut --resume "$good" "$bad"
logged cut '{"pass":1,"flaky":1}' "$totals"
# another case, which passes
echo x >count
check '--resume once more does not run failures again' 1 lacks 'run again' has 'FLAKY case' has 'the log says how it failed' lacks 'PASSES ALONE' has '1 flaky' -- \
    "$cts" run --worker "$worker" --trust-worker --no-identity --out cut --resume "$good" "$bad"
logged cut '1' "$again | length"
# the ids decide which shard a case belongs to
run shard1 0 third -- --shard 2/5 "$good" "$bad"
run shard2 1 third has FLAKY -- --shard 3/5 "$good" "$bad"
rm -rf merged
check 'merge of shards with a flaky case' 1 has '1 flaky' -- "$cts" merge shard1 shard2 --out merged --trust-worker
logged merged '{"pass":1,"flaky":1}' "$totals"
logged merged '1' "$again | length"

echo '# cases that are run several times'
run repeated 1 third has 'failed 1 of 3 times' has '1 flaky' lacks 'run again' -- --repeat 3 "$good" "$bad"
logged repeated '[{"verdict":"pass","repeat":{"runs":3,"failed":0}},{"verdict":"flaky","repeat":{"runs":3,"failed":1}}]' \
    '[.[] | select(.record == "case") | {verdict, repeat}]'
run each 1 always has 'failed 3 of 3 times' has '1 failed each time' -- --repeat 3 --jobs 2 "$good" "$bad"
logged each '{"pass":1,"fail":1}' "$totals"
export HOW=third
rm -f count
check 'replay --repeat' 1 has 'FLAKY' has 'failed 2 of 6 times' has ': 6 times' -- \
    "$cts" replay --worker "$worker" --trust-worker --repeat 6 "$good" "$bad"
check 'replay --repeat 0' 2 has '--repeat takes a number from 1' -- "$cts" replay --backend cpu --repeat 0 "$good"
check 'run --retries 1001' 2 has '--retries takes a number' -- "$cts" run --backend cpu --retries 1001 "$good"

echo '# processes that are killed from outside'
run killed 0 killed has 'note: a process was ended from outside, and its cases are run again: ' -- \
    "$good" "$bad"
logged killed '{"pass":2}' "$totals"

exit $((failed > 0))
