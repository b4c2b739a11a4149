#!/usr/bin/env bash
# usage: field_test.sh BIN [whole]    # BIN: the folder of topk-cts and topk-backend
# Checks that scripts/field, its tables and docs/field.md agree, and that some implementations that are quick to fetch
# give the results in backends/field/results.txt; whole: also runs that differ from the reviewed files, and a bisection,
# which fetch more versions. Prints a line a check and, at the end, "N passed, M failed".
set -u

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
export TOPK_BIN=$1
field=$root/scripts/field
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# check NAME EXPECTED ACTUAL
check() {
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
        printf 'ok - %s\n' "$1"
    else
        failed=$((failed + 1))
        printf 'not ok - %s\n  expected %s\n  found    %s\n' "$1" "$2" "$3"
    fi
}

# refused NAME CODE TEXT ARGUMENT...: scripts/field ends with CODE and prints TEXT
refused() {
    local name=$1 code=$2 text=$3 found=0
    shift 3
    "$field" "$@" >"$work/out" 2>&1 || found=$?
    check "$name: exit code" "$code" "$found"
    check "$name: message" 1 "$(grep -cF -- "$text" "$work/out" | sed 's/^[2-9].*/1/')"
}

# ---- wrong command lines ------------------------------------------------------------------------------

refused 'no command' 2 'a command is missing'
refused 'an unknown command' 2 "unknown command 'test'" test
refused 'an unknown implementation' 2 "there is no implementation 'tfjs'" run tfjs
refused 'an unknown version' 2 "there is no version '9.9' of tfjs-cpu; there are: " get tfjs-cpu@9.9
refused 'a bisection without versions' 2 'bisect needs' bisect tfjs-cpu 3.0.0
refused 'an unknown bug' 2 "there is no reproduction 'none'" reproduce none

# ---- the tables ---------------------------------------------------------------------------------------

rows() {
    sed -e 's/[ \t]*#.*//' -e '/^[ \t]*$/d' "$root/backends/field/$1"
}
check 'each line of results.txt names a known implementation and version' '' \
    "$(rows results.txt | while read -r name version _; do
        "$field" list | grep -qE "^$name .* ?${version//./\\.}(\*| |\$)" || echo "$name $version"
    done)"
check 'the table of docs/field.md is what scripts/field document prints' '' \
    "$(diff <("$field" document) <(sed '1,/^<!-- scripts.field document -->$/d; /^<!-- end -->$/,$d' "$root/docs/field.md"))"
check 'each reproduction has its section in docs/field.md' '' \
    "$(cd "$root/backends/field/bugs" && grep -l 'implementation: ' -- * | while read -r file; do
        grep -qF "bugs/$file" "$root/docs/field.md" || echo "$file"
    done)"

check 'each file of expectations names a known implementation and version' '' \
    "$(cd "$root/backends/field/expectations" && for file in *; do
        each=${file%.txt}
        "$field" list | grep -qE "^${each%@*} .* ?${each##*@}(\*| |\$)" || echo "$file"
    done)"
check 'each version with a bug has a line in results.txt' '' \
    "$(sed -n 's/.*bug: \(.*@.*\)/\1/p' "$root"/backends/field/bugs/* | tr ' ' '\n' | sort -u | while IFS=@ read -r name version; do
        rows results.txt | grep -qF "$name $version " || echo "$name@$version"
    done)"

# ---- small implementations, fetched and run -----------------------------------------------------------

small='tfjs-cpu@4.22.0 std-stable-sort'
# shellcheck disable=SC2086 # words
"$field" run $small >"$work/run" 2>&1
check 'the small implementations fail only as expected' 0 $?
check 'expected failures are waived' 1 "$(grep -c '^tfjs-cpu@4.22.0 .*PASSED WITH WAIVERS' "$work/run")"
# shellcheck disable=SC2086
check 'the results of the small implementations match results.txt' \
    "$(grep -E '^(tfjs-cpu 4\.22\.0|std-stable-sort) ' "$root/backends/field/results.txt" | sort)" \
    "$("$field" table $small | sort)"
"$field" reproduce tfjs-cpu-infinity.mjs >"$work/reproduced" 2>&1
check 'a bug is reproduced' 'there: tfjs-cpu-infinity.mjs' "$(grep '^there: ' "$work/reproduced")"

# ---- more versions ------------------------------------------------------------------------------------

if [ "${2-}" = whole ]; then
    mkdir "$work/expectations"
    sed 's/4\.22\.0/3.0.0/' "$root/backends/field/expectations/tfjs-cpu@4.22.0.txt" >"$work/expectations/tfjs-cpu@3.0.0.txt"
    code=0
    TOPK_FIELD_EXPECTATIONS=$work/expectations "$field" run tfjs-cpu@3.0.0 tfjs-cpu@4.22.0 >"$work/run" 2>&1 || code=$?
    check 'a new bug, and a bug that is gone, give exit code 1' 1 "$code"
    check 'a new bug, and a bug that is gone, are both named' 'tfjs-cpu@3.0.0 tfjs-cpu@4.22.0' \
        "$(sed -n 's/^field: \(.*\) does not fail as .*/\1/p' "$work/run" | paste -sd' ')"
    case='top_k fl=2.0 in=f32[3] axis=0 k=1 data=hex:ff800000,ff800000,ff800000'
    "$field" bisect tfjs-cpu 3.0.0..4.22.0 "$case" >"$work/bisected" 2>&1
    check 'bisect exits with 0' 0 $?
    check 'bisect finds the first version that fails' 'field: 3.21.0 is the first of these versions that fails, 3.0.0 the last that does not' \
        "$(tail -n 1 "$work/bisected")"
fi

# ---- known bugs as cases ------------------------------------------------------------------------------

"$TOPK_BIN/topk-cts" replay --backend cpu --file "$root/backends/field/cases.txt" >"$work/replayed" 2>&1
check 'the cases of known bugs pass on cpu' 0 $?
"$TOPK_BIN/topk-cts" replay --backend-command "$("$field" command tfjs-cpu)" --file "$root/backends/field/cases.txt" >"$work/replayed" 2>&1
check 'the cases of a known bug fail on the implementation that has it' '3 field.tfjs_infinity' \
    "$(grep -o '^FAIL [a-z_.]*' "$work/replayed" | sed 's/^FAIL //' | sort | uniq -c | sed 's/^ *//')"

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
