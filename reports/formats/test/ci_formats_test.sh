#!/usr/bin/env bash
# topk-cts report as SARIF, checked against its schema with an independent validator, and as annotations and job
# summary for GitHub, checked against GitHub's rules for them. Run as
#   ci_formats_test.sh DIR SOURCE AJV SARIF
# where DIR holds topk-cts, SOURCE is the source tree, AJV the folder that scripts/get-ajv filled, and SARIF that of
# scripts/get-sarif. Prints a line a check.
set -u

if [ $# -ne 4 ] || [ ! -x "$1/topk-cts" ] || [ ! -d "$2/reports/formats" ]; then
    echo "usage: $0 DIR SOURCE AJV SARIF" >&2
    exit 2
fi
for file in "$3/node_modules/ajv" "$4/sarif-2.1.0-rtm.5.json"; do
    if [ ! -e "$file" ]; then
        echo "$file is missing: scripts/get-ajv and scripts/get-sarif" >&2
        exit 1
    fi
done
bin=$(cd "$1" && pwd)
cts=$bin/topk-cts
source=$(cd "$2" && pwd)
ajv=$(cd "$3" && pwd)
schema=$(cd "$4" && pwd)/sarif-2.1.0-rtm.5.json
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset TOPK_WORKER TOPK_BACKEND NO_COLOR
export LC_ALL=C
ulimit -c 0
# shellcheck source=conformance/cli/test/checks.sh
. "$source/conformance/cli/test/checks.sh"

# ---- runs: one that passes, one that fails in many ways, one that is waived, one that crashes, one that is truncated

evil=$'::error::100%\x1b[31m,:'
check 'a run that passes exits with 0' 0 -- "$cts" run --backend cpu examples --out passes
check 'a run that fails exits with 1' 1 -- "$cts" run --backend-command "$bin/topk-backend faulty:B26 # $evil" examples 'ties.*' --out fails
echo 'verdict=fail select=examples backend=faulty owner=o reason=r expires=2099-12-31' >rules
check 'a run with waivers for some failures exits with 1' 1 -- "$cts" run --backend faulty:B26 examples floats.zeros --expectations rules --out waived
check 'a run that crashes exits with 1' 1 -- "$cts" run --backend "$bin/crashing.so:null" examples --max-crashes 2 --out crash
mkdir cut
head -n 1000 fails/results.jsonl >cut/results.jsonl
for run in passes fails waived crash cut; do
    for format in sarif github markdown json; do
        "$cts" report "$run" --format "$format" >"$run.$format" 2>/dev/null
    done
done

# ---- SARIF --------------------------------------------------------------------------------------------------------

check 'SARIF is valid by its schema' 0 -- node "$source/reports/formats/test/sarif.mjs" "$ajv" "$schema" ./*.sarif
for spoil in 'del(.version)' '.runs[0].results[0].level = "bad"' 'del(.runs[0].results[0].message)' \
    '.runs[0].tool.driver.rules[0].help = "words"' '.runs[0].results[0].ruleIndex = -2'; do
    jq "$spoil" fails.sarif >spoiled.sarif
    check "the schema rejects $spoil" 1 has 'spoiled.sarif: ' -- node "$source/reports/formats/test/sarif.mjs" "$ajv" "$schema" spoiled.sarif
done
same 'SARIF has a rule per clause, with help' "$(jq '.clauses | length' passes.json)" \
    "$(jq '[.runs[0].tool.driver.rules[] | select(.properties.grade and (.help.text | length > 10))] | length' passes.sarif)"
for run in passes fails waived crash cut; do
    same "$run: each result refers to its own rule" true \
        "$(jq '.runs[0] | .tool.driver.rules as $rules | all(.results[]; $rules[.ruleIndex].id == .ruleId)' $run.sarif)"
    same "$run: the results have all failures" "$(jq '[.causes[] | select(.failure) | .count] | add' $run.json)" \
        "$(jq '[.runs[0].results[] | select(.suppressions | not) | .occurrenceCount] | add' $run.sarif)"
    same "$run: fingerprints differ" true \
        "$(jq '[.runs[0].results[].partialFingerprints[]] | length == (unique | length)' $run.sarif)"
done
same 'waived failures are suppressed' "$(jq '.totals["expected-fail"]' waived.json)" \
    "$(jq '[.runs[0].results[] | select(.suppressions) | .occurrenceCount] | add' waived.sarif)"
same 'a crash has its own rule' crash "$(jq -r '.runs[0].results[0].ruleId' crash.sarif)"
same 'a truncated run was not successful' false "$(jq '.runs[0].invocations[0].executionSuccessful' cut.sarif)"

# ---- GitHub -------------------------------------------------------------------------------------------------------

for run in passes fails waived crash cut; do
    same "$run: every line is an annotation" '' \
        "$(grep -vE '^::(error|warning|notice) title=[^:,]+::.+$' $run.github)"
    same "$run: at most ten annotations of a level" '' \
        "$(sed 's/ .*//' $run.github | sort | uniq -c | awk '$1 > 10')"
    same "$run: no control characters" '' "$(tr -d '\n' <$run.github | tr -cd '\000-\037\177')"
    same "$run: the job summary is below 1 MiB" true "$([ "$(wc -c <$run.markdown)" -lt 1048576 ] && echo true)"
done
check 'the first annotation of a failing run is the verdict' 0 has '::error title=topk-cts::NOT CONFORMANT: faulty B26' -- head -n 1 fails.github
check 'the first annotation of a passing run is the verdict' 0 has '::notice title=topk-cts::PASSED: cpu' -- head -n 1 passes.github
same 'a passing run has no other annotation' 1 "$(wc -l <passes.github)"
check 'the first annotation of a truncated run says so' 0 has '::error title=topk-cts::INCOMPLETE: ' has '; the log was truncated' -- head -n 1 cut.github
same 'one bug is one annotation' "$(jq '.bugs | length' fails.json)" "$(grep -c '^::error title=fail ' fails.github)"
check 'a waived failure is a warning' 0 has '::warning title=expected-fail S0' -- cat waived.github
command=$(sed -n '2s/.*%0A//p' waived.github | sed 's/%25/%/g')
check 'the command of an annotation reproduces the failure' 1 has 'FAIL ' -- bash -c "$command"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
