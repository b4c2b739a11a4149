#!/usr/bin/env bash
# topk-cts report: each format is checked with an independent parser. Run as
#   report_test.sh DIR SOURCE CHROMIUM
# where DIR holds topk-cts and topk-worker, SOURCE is the source tree, and CHROMIUM the folder that
# scripts/get-chromium filled, or `none`: the page is then not opened. Prints a line for each check and, at the
# end, how many passed.
set -u

if [ $# -ne 3 ] || [ ! -x "$1/topk-cts" ] || [ ! -d "$2/reports/html/test" ]; then
    echo "usage: $0 DIR SOURCE CHROMIUM|none" >&2
    exit 2
fi
if [ "$3" != none ] && [ ! -x "$3/chromium" ]; then
    echo "$3 has no browser to open the page with: scripts/get-chromium" >&2
    exit 1
fi
bin=$(cd "$1" && pwd)
cts=$bin/topk-cts
reports=$(cd "$2/reports" && pwd)
chromium=$3
work=$(mktemp -d) || exit 1
# shellcheck source=reports/html/test/browser.sh
. "$reports/html/test/browser.sh"
trap 'browser_stop; rm -rf "$work"' EXIT
cd "$work" || exit 1
unset TOPK_WORKER NO_COLOR
export LC_ALL=C XDG_CACHE_HOME=$work/cache

passed=0
failed=0

# check NAME EXPECTED ACTUAL
check() {
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
        echo "ok - $1"
    else
        failed=$((failed + 1))
        printf 'not ok - %s\n  expected: %s\n  actual:   %s\n' "$1" "$2" "$3"
    fi
}

# refused NAME CODE TEXT COMMAND...: the exit code of COMMAND, and a part of its messages
refused() {
    local name=$1 code=$2 text=$3
    shift 3
    "$@" >out 2>err
    check "$name" "$code: $text" "$?: $(grep -oF -m 1 -e "$text" err || cat err)"
}

# ---- runs -----------------------------------------------------------------------------------------

# a backend that fails, with a command that looks like markup; one that passes and does not serve all calls;
# and one that reports nothing about itself
evil='</script><img id=evil src=x onerror=alert(1)>"&amp;{{title}}'$'\xe2\x80\xae'
"$cts" run --backend-command "$bin/topk-backend faulty:B26 # $evil" 'ties.*' examples floats.zeros --shrink --out fails >said 2>&1
check 'setup: a run that fails' 1 $?
"$cts" run --backend cpu examples 'axis.*' --out passes >/dev/null 2>&1
check 'setup: a run that passes' 0 $?
count=$(grep -c '"record":"case"' fails/results.jsonl)
failures=$(grep '"record":"case"' fails/results.jsonl | grep -c '"verdict":"fail"')
s09=$(sed -n 's/^  S09 *\([0-9]*\) cases.*/\1/p' said)

for run in fails passes; do
    for format in html junit json markdown issue github sarif matrix matrix-csv; do
        "$cts" report "$run" --format "$format" --output "$run.$format" || check "report $run as $format" 0 $?
    done
done
"$cts" report fails/results.jsonl >again
check 'report to standard output has the same bytes' '' "$(cmp again fails.html)"
# --output refuses a link to a file, but not an open file
echo older >target
ln -s target link
refused 'report to a link is refused' 3 'link is a symbolic link' "$cts" report fails --output link
check 'report to a link leaves its target' older "$(cat link)"
"$cts" report fails --output /dev/stdout >redirected
check 'report to /dev/stdout has the same bytes' '' "$(cmp redirected fails.html)"
check 'report leaves no temporary file' '' "$(ls ./*.tmp 2>/dev/null)"

# ---- JUnit, JSON, Markdown -------------------------------------------------------------------------

for run in fails passes; do
    for mode in tests failures cases; do
        check "$run: JUnit of $mode keeps the schema" '- validates' \
            "$("$cts" report "$run" --format junit --junit "$mode" |
                xmllint --huge --noout --schema "$reports/formats/test/junit.xsd" - 2>&1)"
    done
done
tests=$("$cts" list --profile core --tests ties examples floats.zeros | wc -l)
check 'JUnit: one testcase per test' "$tests" "$(xmllint --xpath "count(//testcase)" fails.junit)"
check 'JUnit: one testcase per case' "$count" \
    "$("$cts" report fails --format junit --junit cases | xmllint --huge --xpath "count(//testcase)" -)"
"$cts" run --backend cpu examples --junit cases --out each >/dev/null 2>&1
check 'JUnit: a run with --junit cases has one testcase per case' "$(grep -c "\"record\":\"case\"" each/results.jsonl)" \
    "$(xmllint --xpath "count(//testcase)" each/junit.xml)"
check 'JUnit: the same as the run wrote' '' "$(cmp fails.junit fails/junit.xml)"
check 'JSON: verdict and totals' "NOT CONFORMANT false $failures $count" \
    "$(jq -r '"\(.conformance) \(.good) \(.totals.fail) \(.run.recorded)"' fails.json)"
check 'JSON: every failure has its cause' "$failures" \
    "$(jq '[.causes[] | select(.failure) | .count] | add' fails.json)"
check 'JSON: the maps have all cases' "$count $count $count" \
    "$(jq -r '[.maps[] | map(.cases) | add] | join(" ")' fails.json)"
check 'JSON: the sizes have all cases but those of invalid calls' "$count $failures" \
    "$(jq -r '[([.sizes[].cases] | add) + ([.maps[2][] | select(.axis == "invalid call") | .cases] | add // 0),
        ([.sizes[].failures] | add)] | join(" ")' fails.json)"
check 'JSON: expected and actual stand side by side, and differ' true \
    "$(jq '[.causes[] | select(.cause | startswith("tie-order")) | .examples[0].outputs |
        any(.expected != .actual)] | all' fails.json)"
check 'JSON: each cause of a failure has the case that run --shrink made' "true $(sed -n '/^#/!{p;q;}' fails/shrunk.txt)" \
    "$(jq -r '[.causes[] | select(.failure) | .shrunk] |
        "\(all(length > 0 and all(.minimal and (.outputs | any(.expected != .actual))))) \(.[0][0].id)"' fails.json)"
check 'JSON: a clause counts its cases' "$s09" \
    "$(jq '.clauses[] | select(.id == "S09") | .failing' fails.json)"
check 'JSON: a clause counts the cases that test it' true \
    "$(jq '.clauses[] | select(.id == "S09") |
        .verdict == "broken" and .cases >= .failing and .cases >= .passing' fails.json)"
check 'JSON: the verdicts of clauses' \
    'S01 held,S11 held 7,V03 open,M08 not tested 0' \
    "$(jq -r '[.clauses[] | select(.id == "S11" or .id == "M08" or .id == "S01" or .id == "V03") |
        if .id == "S11" or .id == "M08" then "\(.id) \(.verdict) \(.cases)" else "\(.id) \(.verdict)" end] |
        join(",")' passes.json)"
check 'JSON: a run that passes' 'PASSED true 0' \
    "$(jq -r '"\(.conformance) \(.good) \(.causes | length)"' passes.json)"
# calls that a higher feature level allows, and one that no level allows
"$cts" run --backend cpu 'top_k fl=2.0 in=i32[4] axis=0 k=2 data=few.1:1:1' 'top_k1 fl=2.0 in=f32[1,1,2,4] axis=3 k=2 dir=inc data=few.1:1:1' \
    'top_k fl=2.0 in=f32[1,1,2,4] axis=3 k=0 data=few.1:1:1' --out levels >/dev/null 2>&1
"$cts" report levels --format json >levels.json
check 'JSON: only a call that no feature level allows is an invalid call' 'f32 4,i32 1;only,last,invalid call' \
    "$(jq -r '[([.maps[0][] | "\(.type) \(.rank)"] | join(",")), ([.maps[2][] | .axis] | join(","))] | join(";")' levels.json)"

# a call that is too large to be run passes by a status alone
"$cts" run --backend cpu 'top_k fl=3.1 in=u8[268435456] axis=0 k=2 data=few.1:1:1' 'top_k fl=3.1 in=u8[8] axis=0 k=2 data=few.1:1:1' \
    --out giant >/dev/null 2>&1
"$cts" report giant --against giant --format json >giant.json
check 'JSON: times over n are of cases that passed with a result' '268435456,8 8 1' \
    "$(jq -r '"\([.sizes[] | .["n-from"]] | sort_by(tostring) | join(",")) \(.["times-by-n"] | map(.["n-from"]) | join(",")) \(
        .["times-by-n"][0].both.cases)"' giant.json)"
"$cts" compare giant giant --format json >giant.json 2>/dev/null
check 'compare: times of the trend are of cases that passed with a result' 1 "$(jq .trend.common giant.json)"

# ---- an earlier run -------------------------------------------------------------------------------

"$cts" report fails --against passes --format json >against.json
check 'JSON: --against: times of cases that passed with a result in both runs' \
    "cpu $(jq -r 'select(.record == "case" and .verdict == "pass" and .by_status != true) | .id' fails/results.jsonl passes/results.jsonl | sort | uniq -d | wc -l)" \
    "$(jq -r '"\(.against.backend) \([.["times-by-n"][].both | select(.) | .cases] | add)"' against.json)"
"$cts" report passes --against passes/results.jsonl --format json >against.json
check 'JSON: --against the same run: the times are equal' true \
    "$(jq '[.["times-by-n"][] | .both | .cases > 0 and .median == 1 and .before == .after] | all' against.json)"
refused '--against a missing run' 2 'cannot read nowhere' "$cts" report fails --against nowhere
check 'Markdown: shrunk cases' 1 "$(grep -c " 'top_k fl=3.1 in=f32.2. axis=0 k=2'\$" fails.markdown)"
check 'Markdown: the verdicts of the clauses' 1 "$(grep -c '^Clauses: .* broken; .* held; ' fails.markdown)"
check 'Markdown: verdict first' '## NOT CONFORMANT' "$(head -n 1 fails.markdown)"
# shellcheck disable=SC2016 # backquotes of Markdown
check 'Markdown: text from a log is not markup' 0 \
    "$(sed '/^```/,/^```/d' fails.markdown | grep -c '<')"

check 'issue: a draft for each bug' "$("$cts" report fails --format json | jq -r '.bugs | length')" \
    "$(grep -c '^## [0-9]*\. faulty: ' fails.issue)"
check 'issue: the call of the smallest case' 'TOP_K of f32[2], Axis 0, K 2, the largest first' \
    "$(grep -m 1 '^TOP_K' fails.issue)"
check 'issue: its elements' 'input: 0, 0' "$(grep -m 1 '^input: ' fails.issue)"
check 'issue: expected and actual' '| 0 | 0 (00000000) | 0 | 0 (00000000) | 1 |' "$(grep -m 1 '^| 0 |' fails.issue)"
# shellcheck disable=SC2016 # backquotes of Markdown
check 'issue: text from a log is not markup' 0 "$(sed '/^```/,/^```/d' fails.issue | grep -c '<')"
check 'issue: no draft without a bug' '# 0 drafts, one for each bug of the run' "$(head -n 1 passes.issue)"

# ---- the data of pages ------------------------------------------------------------------------------

# a document, sorted; a hidden character in a page is shown by its name
sorted() {
    jq -S 'walk(if type == "string" then gsub("\u202e"; "\\u202e") else . end)'
}
# in FILE: the JSON in the page
in_page() {
    sed -n 's/^<script type="application\/json" id="report">\(.*\)<\/script>$/\1/p' "$1" | jq -S .
}
for run in fails passes; do
    sorted <$run.json >model
    check "$run: the page has the data of the JSON report" '' "$(in_page $run.html | cmp model -)"
    check "$run: the matrix has the data of the JSON report" '' "$(in_page $run.matrix | cmp model -)"
done

# static NAME EXPECTED XPATH: the page without its scripts
static() {
    check "page without scripts: $1" "$2" "$(xmllint --huge --html --xpath "$3" fails.html 2>/dev/null)"
}
static 'verdict' 'NOT CONFORMANT' 'string(//div[contains(@class, "banner")]/strong)'
static 'clauses' "$(jq -r '.clauses | length' fails.json)" 'count(//tr[starts-with(@id, "clause-")])'
static 'a broken clause' broken 'string(//tr[@id="clause-S09"]/td[1])'
static 'device, driver and software come first' "Device wrong on purpose software Driver (not told) Feature level 5.0" \
    'normalize-space(//header/dl[@class="who"])'
static 'the order of the sections' 'verdict bugs maps failures clauses' \
    'concat(//section[1]/@id, " ", //section[2]/@id, " ", //section[3]/@id, " ", //section[4]/@id, " ", //section[5]/@id)'
static 'causes' "$(jq -r '.causes | length' fails.json)" 'count(//details[@class="group"])'
static 'the smallest case of a cause' "$(jq -r '.causes[0].shrunk[0].id' fails.json)" \
    'string(//details[@id="cause-1"]//code)'

# ---- the traceability matrix ------------------------------------------------------------------------

# csv_records FILE: the records of a CSV file, a line each, with | between cells and line feeds as spaces; a
# quote that stands where none may is an error, and so is an end of line that is not CR LF
csv_records() {
    LC_ALL=C awk 'BEGIN { RS = "\001" } {
        quoted = 0; cell = ""; last = ""
        for (i = 1; i <= length($0); i++) {
            c = substr($0, i, 1)
            if (quoted && c == "\"" && substr($0, i + 1, 1) == "\"") { cell = cell c; i++ }
            else if (quoted && c == "\"") { quoted = 0; ended = 1 }
            else if (quoted) { cell = cell (c == "|" || c == "\n" ? " " : c) }
            else if (c == "\"" && cell == "" && !ended) { quoted = 1 }
            else if (c == ",") { printf "%s|", cell; cell = ""; ended = 0 }
            else if (c == "\r" && substr($0, i + 1, 1) == "\n") { print cell; cell = ""; ended = 0; i++ }
            else if (c == "\"" || c == "\n" || ended) { print "wrong at " i; exit }
            else cell = cell c
        }
        if (quoted || cell != "") print "no end"
    }' "$1"
}
# cell COLUMN...: these columns of the records on standard input, whose first record names the columns
cells() {
    awk -F '|' -v wanted="$*" 'BEGIN { count = split(wanted, want, ";") }
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { for (i = 1; i <= count; i++) printf "%s%s", $at[want[i]], i < count ? "|" : "\n" }'
}
for run in fails passes; do
    csv_records $run.matrix-csv >records
    check "$run: matrix as CSV: each record has all columns" "$(head -n 1 records | awk -F '|' '{ print NF }')" "$(awk -F '|' '{ print NF }' records | sort -u)"
    check "$run: matrix as CSV: a record for each wording and clause" \
        "$(jq '1 + ([.sentences[] | (.wordings | length) * ([1, (.clauses | length)] | max)] | add) +
            ([.clauses[] | select(.sentences == [])] | length)' $run.json)" "$(wc -l <records)"
    check "$run: matrix as CSV: its numbers are those of the report" \
        "$(jq -r '.clauses[] | "\(.id)|\(.verdict)|\(.cases)|\(.passing)|\(.failing)"' $run.json | sort)" \
        "$(cells 'clause;verdict on the clause;cases;passed;broke it' <records | grep -v '^|' | sort -u)"
done
csv_records fails.matrix-csv >records
check 'matrix as CSV: a sentence in the words of an edition, and its clauses' \
    'V02,V03,V03b K debe ser mayor que 0, pero menor que el número de elementos de InputTensor a lo largo de la dimensión especificada por Eje.' \
    "$(cells 'sentence;document;clause;words' <records | awk -F '|' '$1 == "K1.25" && $2 == "004" {
        ids = ids (ids == "" ? "" : ",") $3; words = $4 } END { print ids " " words }')"
check 'matrix as CSV: a sentence without a clause has a reason' true \
    "$(cells 'clause;reason for no clause' <records | awk -F '|' '($1 == "") != ($2 != "") { wrong = 1 }
        END { print wrong ? "false" : "true" }')"
check 'matrix as CSV: the tests of a clause' "$(jq -r '[.clauses[] | select(.id == "S11") | .tests[] |
    "\(.name) \(.cases)"] | join("; ")' fails.json)" \
    "$(cells 'clause;tests and their cases' <records | sed -n 's/^S11|//p' | sort -u)"
check 'JSON: the tests of a clause have all its cases' true \
    "$(jq '[.clauses[] | .cases == ([.tests[].cases] | add // 0)] | all' fails.json)"
check 'JSON: the verdict on a sentence follows from its clauses' 'K1.10 held in what passed,K1.19 broken' \
    "$(jq -r '[.sentences[] | select(.id == "K1.10" or .id == "K1.19") | "\(.id) \(.verdict)"] | join(",")' fails.json)"
# in_matrix XPATH: the matrix without its scripts
in_matrix() {
    xmllint --huge --html --xpath "$1" fails.matrix 2>/dev/null
}
check 'matrix: each sentence once' "$(jq '.sentences | length' fails.json)" \
    "$(in_matrix 'count(//tr[starts-with(@id, "sentence-")])')"
check 'matrix: each clause once' "$(jq '.clauses | length' fails.json)" \
    "$(in_matrix 'count(//article[starts-with(@id, "clause-")])')"
check 'matrix: a sentence links to its clauses' '#clause-S07 #clause-S08' \
    "$(in_matrix '//tr[@id="sentence-K1.19"]//a/@href' | sed 's/.*href="\([^"]*\)".*/\1/' | xargs)"
check 'matrix: a clause links to its sentences' "$(jq -r '.clauses[] | select(.id == "S08") | .sentences | map("#sentence-" + .) | join(" ")' fails.json)" \
    "$(in_matrix '//article[@id="clause-S08"]//a/@href' | sed 's/.*href="\([^"]*\)".*/\1/' | xargs)"
check 'matrix: the printed command lists the cases of a clause' "$(jq '.clauses[] | select(.id == "S11") | .cases' fails.json)" \
    "$(eval "\"\$cts\" $(in_matrix 'string(//article[@id="clause-S11"]//code)' | cut -d ' ' -f 2-)" | wc -l)"
check 'matrix: text from a log is not markup' 0 "$(in_matrix 'count(//*[@id="evil"])')"

# ---- errors ------------------------------------------------------------------------------------------

refused 'report without a run' 2 'no run given' "$cts" report
refused 'report of two runs' 2 'one run at a time' "$cts" report fails passes
refused 'an unknown format' 2 "there is no format 'pdf'; formats: html junit json" \
    "$cts" report fails --format pdf
mkdir edited newer cut empty
refused 'a folder without a log' 2 'results.jsonl' "$cts" report empty
echo '{"tests": 1}' >foreign.jsonl
refused 'a log of another program' 3 'foreign.jsonl:1:' "$cts" report foreign.jsonl
line=$(grep -n '"record":"case"' fails/results.jsonl | sed -n 2p | cut -d : -f 1)
sed "${line}s/\"verdict\":\"[a-z]*\"/\"verdict\":\"pass\" /" fails/results.jsonl >edited/results.jsonl
refused 'an edited log' 3 "edited/results.jsonl:$line:" "$cts" report edited -o edited.html
check 'report of an edited log writes no file' '' "$(ls edited.html* 2>/dev/null)"
echo old >edited.html
"$cts" report edited -o edited.html 2>/dev/null
check 'report of an edited log leaves an older report' old "$(cat edited.html)"
sed '1s/"format":[0-9]*/"format":99/' fails/results.jsonl >newer/results.jsonl
refused 'a newer log' 3 'newer/results.jsonl:1:' "$cts" report newer --format junit
sed 60q fails/results.jsonl | head -c -20 >cut/results.jsonl
refused 'a truncated log' 3 'the records before it are reported' "$cts" report cut --format json -o cut.json
check 'a truncated log is incomplete' 'INCOMPLETE true' "$(jq -r '"\(.conformance) \(.cut)"' cut.json)"
sed 60q fails/results.jsonl >cut/results.jsonl
for format in html junit json markdown issue github sarif matrix matrix-csv; do
    refused "a log that was truncated between two lines, as $format" 3 \
        'cut/results.jsonl:60: the log was truncated: no end record follows; the records before it are reported' \
        "$cts" report cut --format $format -o cut.$format
done
check 'a log that was truncated between two lines is incomplete' 'INCOMPLETE true' "$(jq -r '"\(.conformance) \(.cut)"' cut.json)"
: >cut/results.jsonl
refused 'an empty log' 3 'cut/results.jsonl:1: the file is empty' "$cts" report cut --format json -o cut.json
refused '--output in a missing folder' 3 'cannot write' "$cts" report fails -o "$work/none/page.html"
refused '--output to a full device' 3 'cannot write /dev/full' "$cts" report fails -o /dev/full
refused '--max-failures 1' 1 "$failures cases failed, and --max-failures is 1" \
    "$cts" report fails --format json --max-failures 1
"$cts" report fails --format junit --max-failures "$failures" >/dev/null
check '--max-failures that is large enough' 0 $?

# ---- a comparison ------------------------------------------------------------------------------------

"$cts" compare passes fails passes >compared
check 'compare as text exits with 1' 1 $?
"$cts" compare passes fails passes --format json --output compared.json
check 'compare as JSON exits with 1' 1 $?
"$cts" compare passes fails passes --format html --output compared.html
check 'compare as HTML exits with 1' 1 $?
"$cts" compare passes fails passes --format json --max-shown 1000 | sorted >model
check 'compare: the page has the data of the JSON comparison' '' "$(in_page compared.html | cmp model -)"
"$cts" compare passes passes --format json >same.json
check 'compare: the same runs, as JSON' '0 false THE SAME AS' \
    "$? $(jq -r '"\(.worse) \(.comparisons[0].verdict)"' same.json)"
new=$(sed -n 's/^B IS WORSE THAN A: \([0-9]*\) new failures.*/\1/p' compared)
missing=$(sed -n 's/^B IS WORSE THAN A: .* \([0-9]*\) missing cases.*/\1/p' compared)
check 'compare: JSON counts as the text does' "true true $new $missing false" \
    "$(jq -r '"\(.worse) \(.comparisons[0].worse) \(.comparisons[0].counts["new failures"]) \(
        .comparisons[0].counts["missing cases"]) \(.comparisons[1].worse)"' compared.json)"
check 'compare: JSON has every case that changed' true \
    "$(jq '.comparisons[0] | ([.counts[]] | add) == ([.groups[].cases | length] | add) and
        ([.counts[]] | add) == ([.groups[].count] | add)' compared.json)"
check 'compare: the sum of times is that of the logs' \
    "$(grep -h '"verdict":"pass"' passes/results.jsonl | jq -n '[inputs.nanoseconds] | add')" \
    "$(jq '.comparisons[1].time | if .before == .after and .median == 1 and .before == ([.tests[].before] | add)
        then .before else . end' compared.json)"
check 'compare: times are of the tests that passed in both runs' true \
    "$(jq '.comparisons[0].time | .cases == ([.tests[].cases] | add) and .median > 0 and (.tests | length) == 2' \
        compared.json)"
check 'compare: the trend is that of the reports' true \
    "$(jq -s '.[0].trend.runs | [.[] | {passed, failed, unsupported, share}]' compared.json | jq --slurpfile a passes.json --slurpfile b fails.json \
        '. == [($a[0], $b[0], $a[0]) | {passed: .totals.pass, failed: ([.causes[] | select(.failure) | .count] | add // 0),
            unsupported: .totals.unsupported, share}]')"
common=$(jq -r 'select(.record == "case" and .verdict == "pass" and .by_status != true) | .id' fails/results.jsonl passes/results.jsonl | sort | uniq -d)
check 'compare: the trend has the cases that passed with a result in every run' \
    "$(grep -c . <<<"$common") $(jq --arg ids "$common" -n '($ids | split("\n") | map({(.): 1}) | add) as $in |
        [inputs | select(.record == "case" and $in[.id] == 1) | .nanoseconds] | add' passes/results.jsonl)" \
    "$(jq -r '.trend | "\(.common) \(.runs[0].nanoseconds)"' compared.json)"
# shellcheck disable=SC2046 # a word a run
"$cts" compare $(yes passes | head -n 28) 2>/dev/null | sed -n 's/^\([A-Z]*\) IS THE SAME AS A:.*/\1/p' >letters
check 'compare: the letters of many runs' 'B Y Z AA AB' "$(sed -n '1p;24,$p' letters | xargs)"
refused 'compare: an unknown format' 2 "there is no format 'xml'; formats: text html json" \
    "$cts" compare passes fails --format xml
refused 'compare: --output in a missing folder' 3 'cannot write' \
    "$cts" compare passes fails --format html -o "$work/none/page.html"

# ---- the page, in a browser --------------------------------------------------------------------------

# page NAME EXPECTED EXPRESSION
page() {
    check "page: $1" "$2" "$(browser_value "$3")"
}

if [ "$chromium" != none ]; then
    LD_LIBRARY_PATH=$chromium/lib FONTCONFIG_FILE=$chromium/fonts.conf browser_start "$chromium/chromium"
    text_of='((id) => document.getElementById(id).textContent)'
    ready='document.getElementById("found").textContent !== ""'

    browser_open "file://$work/fails.html"
    browser_wait "$ready" || check 'page: opens' ready 'never'
    page 'verdict' 'NOT CONFORMANT' 'document.querySelector(".banner strong").textContent'
    page 'failures are listed first' "$failures of $count cases" "$text_of('found')"
    page 'fifty cases are listed at a time' 50 'document.querySelectorAll("#list tbody tr").length'
    page 'markup from a log stays text' "true true" \
        "(document.getElementById('evil') === null) + ' ' +
         $text_of('environment').includes('# </script><img id=evil')"
    page 'characters from a log do not change the direction of writing' 'false true' \
        "(document.getElementById('main').innerText.includes('\u202e')) + ' ' +
         document.getElementById('main').innerText.includes('{{title}}\\\\u202e')"
    page 'no accessibility fault, in light mode' '' "$(cat "$reports/html/test/page_faults.js")"
    browser_dark yes
    page 'no accessibility fault, in dark mode' '' "$(cat "$reports/html/test/page_faults.js")"
    browser_dark no

    # clicks a link; its value is there when the page has followed it
    follow='(link) => new Promise((done) => {
        addEventListener("hashchange", () => done(document.getElementById("found").textContent),
            { once: true });
        link.click();
    })'
    page 'each number of a map links to as many cases' '' "(async () => {
        const follow = $follow, wrong = [];
        for (const link of document.querySelectorAll('#maps .heat a')) {
            const wanted = link.textContent.split('/')[0].replace(/[^0-9]/g, '');
            const found = await follow(link);
            if (!found.startsWith(wanted + ' of ')) wrong.push(link.href + ': ' + found);
        }
        return wrong.join(', ');
    })()"
    page 'each field of the plot of n and K links to as many cases' 'true ' "(async () => {
        const follow = $follow, wrong = [], links = [...document.querySelectorAll('#size-plot svg a')];
        for (const link of links) {
            const click = { click: () => link.dispatchEvent(new MouseEvent('click', { bubbles: true })) };
            const wanted = link.getAttribute('aria-label').match(/: ([0-9\\u202f]*) of/)[1].replace(/[^0-9]/g, '');
            const found = await follow(click);
            if (!found.startsWith(wanted + ' of ')) wrong.push(link.getAttribute('href') + ': ' + found);
        }
        return (links.length > 5) + ' ' + wrong.join(', ');
    })()"
    page 'the plot of n and K has a table with the same data' true "(async () => {
        const folded = document.querySelector('#size-plot details');
        folded.open = true;
        await new Promise((done) => setTimeout(done, 100));
        return folded.querySelectorAll('tbody tr').length === document.querySelectorAll('#size-plot svg a').length;
    })()"
    page 'a button copies a command' 'Copied true' '(async () => {
        const button = document.querySelector("details.group .copy");
        let got;
        navigator.clipboard.writeText = async (text) => { got = text; };
        button.click();
        await new Promise((done) => setTimeout(done, 50));
        return button.textContent + " " + (got === button.nextSibling.textContent && got.includes(" replay "));
    })()'
    page 'the button selects the command where there is no clipboard' true '(async () => {
        const button = document.querySelector("details.group .copy");
        button.closest("details").open = true;
        navigator.clipboard.writeText = async () => { throw new Error("no"); };
        document.execCommand = () => false;
        button.click();
        await new Promise((done) => setTimeout(done, 50));
        return button.textContent.startsWith("Selected") && getSelection().toString().trim() === button.nextSibling.textContent.trim();
    })()'
    page 'a clause has its verdict and its cases' 'broken true' \
        '((row) => row[1].textContent + " " + /^(≥ )?[1-9]/.test(row[3].textContent))(
            document.querySelectorAll("#clause-S09 > *"))'
    page 'a clause links to its failing cases' "$s09 of $count cases" \
        "($follow)(document.querySelector('#clause-S09 a[href*=\"verdict=failing\"]'))"
    s08=$(jq '.clauses[] | select(.id == "S08") | .cases' fails.json)
    page 'a clause links to the cases that test it' "$s08 of $count cases" \
        "($follow)(document.querySelector('#clause-S08 a[href*=\"tests=\"]'))"
    page 'a clause says which sentences it comes from' true \
        'document.querySelector("#clause-S09 details").textContent.includes("K1.33, Examples, example 4: InputTensor: (Sizes")'
    page 'a cause links to its cases' true "(async () => {
        const group = document.querySelector('details.group');
        group.open = true;
        const found = await ($follow)(group.querySelector('a[href^=\"#cases\"]'));
        return parseInt(found) === parseInt(group.querySelector('.count').textContent.replace(/[^0-9]/g, ''));
    })()"
    page 'the list shows all cases' "$count of $count cases" "(() => {
        document.querySelector('#filter button').click();
        return new Promise((done) => setTimeout(() => done($text_of('found')), 300));
    })()"
    page 'the search finds cases by words' "$(grep -c '"id":"floats.zeros:top_k1 ' fails/results.jsonl) of $count cases" "(() => {
        const field = document.getElementById('search');
        field.value = 'FLOATS.zeros top_k1 ';
        field.dispatchEvent(new Event('input', { bubbles: true }));
        return new Promise((done) => setTimeout(() => done($text_of('found')), 500));
    })()"
    page 'a case has its replay command' true '(() => {
        document.querySelector("#list summary").click();
        const text = document.querySelector("#list pre").textContent;
        return text.includes(" replay --backend-command ") && text.includes("{{title}}\\xe2\\x80\\xae");
    })()'
    page 'the search finds nothing' "0 of $count cases true" "(() => {
        document.getElementById('search').value = 'no such words';
        document.getElementById('search').dispatchEvent(new Event('input', { bubbles: true }));
        return new Promise((done) => setTimeout(() => done($text_of('found') + ' ' +
            document.getElementById('list').hidden), 500));
    })()"
    page 'expected and actual outputs are side by side' true \
        'document.querySelectorAll("#failures tr.differs td:last-child").length > 0'
    page 'the shrunk case comes first, with its outputs and its replay command' 'Shrunk case true true' '(() => {
        const group = document.querySelector("details.group > div");
        return group.querySelector("h3").textContent + " " +
            (group.querySelector("tr.differs") !== null) + " " +
            /replay --backend-command .* .top_k fl=3.1 in=f32.2. axis=0 k=2.$/.test(group.querySelector("pre").textContent);
    })()'
    page 'a button unfolds all sections, and folds them' 'true true true' '(() => {
        const folded = [...document.querySelectorAll("details.group, details.more")];
        const button = document.querySelector("nav .fold");
        button.click();
        const open = folded.every((one) => one.open);
        const other = button.textContent === "Fold all";
        button.click();
        return [open, other, folded.every((one) => !one.open)].join(" ");
    })()'
    for width in 1280 760 390; do
        browser_screenshot screen.png "$width" 800
        page "no heading is covered at a width of $width" '' '(async () => {
            const wrong = [];
            for (const link of document.querySelectorAll("nav a")) {
                const target = document.querySelector(link.getAttribute("href"));
                target.scrollIntoView();
                await new Promise((done) => requestAnimationFrame(done));
                const nav = document.querySelector("nav").getBoundingClientRect();
                const heading = (target.querySelector("h2") ?? target).getBoundingClientRect();
                if (heading.top < nav.bottom && heading.bottom > nav.top) wrong.push(link.textContent);
            }
            return wrong.join(" ");
        })()'
    done
    page 'nothing is wider than a phone, and each clause is readable' '390 true' \
        'document.documentElement.scrollWidth + " " + [...document.querySelectorAll("#clauses td.text")].every((cell) =>
            cell.getBoundingClientRect().left >= 0 && cell.getBoundingClientRect().right <= 390 &&
            cell.getBoundingClientRect().width > 200)'
    check 'page: no message on the console' '' "$(browser_complaints)"
    browser_call Page.printToPDF '{"printBackground":true}' | jq -r .data | base64 -d >page.pdf
    check 'page: prints' '%PDF' "$(head -c 4 page.pdf)"
    pages=$(grep -ac '/Type /Page$' page.pdf)
    check "page: on ten pages at most: $pages" yes "$([ "$pages" -ge 1 ] && [ "$pages" -le 10 ] && echo yes)"

    "$cts" report fails --against passes --output against.html
    browser_open "file://$work/against.html"
    browser_wait "$ready" || check 'page: opens' ready 'never'
    page 'times over n, with those of an earlier run' '2 true this run,earlier run' \
        '[document.querySelectorAll("#times polyline").length,
          document.getElementById("times").textContent.includes("The earlier run: cpu 1.0 on "),
          [...document.querySelectorAll("#times svg")[0].querySelectorAll(":scope > text")].map((one) => one.textContent)
              .filter((one) => one.endsWith(" run")).join(",")].join(" ")'
    check 'page of two runs: no message on the console' '' "$(browser_complaints)"
    browser_open "file://$work/passes.html"
    browser_wait "$ready" || check 'page: opens' ready 'never'
    browser_call Page.bringToFront >/dev/null
    browser_key Tab
    page 'the Tab key begins at the link to the verdict' '#main' \
        'document.activeElement.getAttribute("href")'
    passes=$(grep -c '"record":"case"' passes/results.jsonl)
    page 'a run that passes: its cases' "PASSED, $passes of $passes cases" \
        "document.querySelector('.banner strong').textContent + ', ' + $text_of('found')"
    check 'page of a run that passes: no message on the console' '' "$(browser_complaints)"

    cp fails.matrix matrix.html
    browser_open "file://$work/matrix.html"
    browser_wait 'document.readyState === "complete" && document.getElementById("documents")' ||
        check 'matrix: opens' ready 'never'
    page 'matrix: no accessibility fault, in light mode' '' "$(cat "$reports/html/test/page_faults.js")"
    browser_dark yes
    page 'matrix: no accessibility fault, in dark mode' '' "$(cat "$reports/html/test/page_faults.js")"
    browser_dark no
    browser_screenshot phone.png 390 800
    page 'matrix: nothing is wider than a phone' true \
        'document.documentElement.scrollWidth <= 390'
    page 'matrix: a button unfolds all sections' 'true true' '(() => {
        const folded = [...document.querySelectorAll("details")];
        const before = folded.every((one) => !one.open);
        document.querySelector("nav .fold").click();
        return before + " " + folded.every((one) => one.open);
    })()'
    browser_call Page.printToPDF '{"printBackground":true}' | jq -r .data | base64 -d >page.pdf
    check 'page: the matrix prints' '%PDF' "$(head -c 4 page.pdf)"
    check 'page of a matrix: no message on the console' '' "$(browser_complaints)"

    browser_open "file://$work/compared.html"
    browser_wait "$ready" || check 'compare: opens' ready 'never'
    page 'comparison: the verdicts' 'B IS WORSE THAN A, C IS THE SAME AS A' \
        '[...document.querySelectorAll(".banner strong")].map((line) => line.textContent).join(", ")'
    page 'comparison: the trend is drawn, and has a table' '3 3 true A,B,C' \
        '(() => {
            const plots = [...document.querySelectorAll("#trend svg")], rows = [...document.querySelectorAll("#trend tbody tr")];
            return [plots.length, rows.length, plots.every((one) => one.querySelectorAll("circle").length === 3) &&
                /[0-9] (ns|µs|ms|s)$/.test(rows[0].lastElementChild.textContent),
                rows.map((one) => one.querySelector("th").textContent)].join(" ");
        })()'
    page 'comparison: markup from a log stays text' true "document.getElementById('evil') === null"
    page 'comparison: no accessibility fault, in light mode' '' "$(cat "$reports/html/test/page_faults.js")"
    browser_dark yes
    page 'comparison: no accessibility fault, in dark mode' '' "$(cat "$reports/html/test/page_faults.js")"
    browser_dark no
    page 'comparison: a change links to its cases' "$new new failures" '(() => {
        const place = document.querySelector(".banner a").hash.slice(1);
        return document.getElementById(place).textContent.replaceAll("\u202f", "");
    })()'
    page 'comparison: the search finds cases by words' 'true true true' "(() => {
        const field = document.getElementById('search');
        field.value = 'FLOATS.zeros top_k1 ';
        field.dispatchEvent(new Event('input', { bubbles: true }));
        return new Promise((done) => setTimeout(() => {
            const groups = [...document.querySelectorAll('details.group')].filter((group) => !group.hidden);
            const cases = groups.flatMap((group) => [...group.querySelectorAll('li')]).filter((item) => !item.hidden);
            done([groups.length > 0 && groups.every((group) => group.textContent.includes('floats.zeros')),
                cases.every((item) => item.textContent.startsWith('floats.zeros:top_k1 ')),
                $text_of('found').startsWith(groups.length + ' of ')].join(' '));
        }, 500));
    })()"
    check 'page of a comparison: no message on the console' '' "$(browser_complaints)"
    browser_call Page.printToPDF '{"printBackground":true}' | jq -r .data | base64 -d >page.pdf
    check 'page of a comparison: prints' '%PDF' "$(head -c 4 page.pdf)"
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
