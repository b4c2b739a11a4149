#!/usr/bin/env bash
# The real DirectML.dll under Wine shows the deviations in docs/directml-findings.md and no others: a shard of
# profile core, the smallest cases of the findings, and every wrong use that directml_probe knows.
# usage: directml_test.sh BIN SOURCE SHARD. With SHARD 1/1, each finding has as many cases as the page says, and
# topk-cts.exe is needed.
# environment: TOPK_WINE_BACKEND, instead of SOURCE/scripts/wine-backend
set -euo pipefail
bin=$1
source=$2
shard=$3
wine_backend=${TOPK_WINE_BACKEND:-$source/scripts/wine-backend}
windows=$(dirname "$bin")/windows/bin
findings=$source/docs/directml-findings.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# complain TEXT: reports a failure; the test goes on
complain() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

[ -x "$wine_backend" ] || fail "there is no $wine_backend"
for program in topk-backend directml_probe; do
    [ -f "$windows/$program.exe" ] ||
        fail "there is no $windows/$program.exe: gcc-mingw-w64-x86-64-win32 was missing when this was built"
done
backend="$wine_backend --program $windows/topk-backend.exe directml"

# the first table: VERDICT|CLAUSE|CASES|COUNT|SMALLEST, without backticks
# shellcheck disable=SC2016 # the backticks are the table's
sed -nE 's/^\| (fail|accepted|refused|crash) \| ([A-Z0-9a-z]*) \| `([^`]*)` \| ([0-9]*) \| `([^`]*)` \|.*/\1|\2|\3|\4|\5/p' \
    "$findings" >"$work/rows"
[ -s "$work/rows" ] || fail "$findings has no findings"

# ---- profile core
status=0
part=()
[ "$shard" = 1/1 ] || part=(--shard "$shard")
"$bin/topk-cts" run --backend-command "$backend" --profile core ${part[@]+"${part[@]}"} --jobs 2 --timeout 300 \
    --out "$work/core" >"$work/log" 2>&1 || status=$?
[ "$status" = 1 ] || { tail -n 20 "$work/log" >&2; fail "run ended with $status, not with the findings' 1"; }
log=$work/core/results.jsonl
grep -q '"record":"end","complete":true' "$log" || fail "the run is not complete"
grep -q '"backend":{.*"name":"directml","version":"1\.15\.4"' "$log" ||
    fail "this is not DirectML 1.15.4, which the findings are of"
# the part of docs/results.md about such a run; and the device's work alone can be timed
if [ "$shard" = 1/1 ]; then
    "$wine_backend" --program "$windows/topk-cts.exe" bench backend --backend directml --no-peers --quick \
        --type f32 --n 16 --k 8 --json "Z:${work//\//\\}\\bench.json" >"$work/said" 2>&1 || complain 'bench failed'
    [ "$(jq '[.. | objects | select(has("bare"))] | length' "$work/bench.json")" = 1 ] ||
        complain 'bench does not time bare dispatches'
    for shown in '^results: ' '^NOT CONFORMANT: '; do
        grep -qxF -- "$(grep "$shown" "$work/log")" "$source/docs/results.md" ||
            complain "docs/results.md does not show: $(grep "$shown" "$work/log")"
    done
fi
# VERDICT|CLAUSE|ID; a refused case has no clause
sed -nE '/"record":"case"/{/"verdict":"(pass|unsupported)"/d
s/.*"id":"([^"]*)","verdict":"([a-z-]*)"(,"clause":"([A-Za-z0-9]*)")?.*/\2|\4|\1/p}' "$log" >"$work/failed"
: >"$work/explained"
while IFS='|' read -r verdict clause cases count _; do
    found=0
    while IFS='|' read -r its_verdict its_clause id; do
        # shellcheck disable=SC2053 # a pattern is meant
        if [ "$its_verdict" = "$verdict" ] && [ "${its_clause:-$clause}" = "$clause" ] && [[ $id == $cases ]]; then
            found=$((found + 1))
            printf '%s\n' "$its_verdict|$its_clause|$id" >>"$work/explained"
        fi
    done <"$work/failed"
    [ "$found" = "$count" ] || { [ "$shard" != 1/1 ] && [ "$found" -lt "$count" ]; } ||
        complain "$found cases of core, not $count, are the finding '$verdict $clause $cases'"
done <"$work/rows"
while IFS= read -r line; do
    complain "no finding explains $line"
done < <(sort "$work/failed" | comm -23 - <(sort -u "$work/explained"))
[ "$(wc -l <"$work/explained")" = "$(sort -u "$work/explained" | wc -l)" ] ||
    complain "a case is explained by two findings: $(sort "$work/explained" | uniq -d | head -n 1)"

# ---- the recorded parts, seen from Linux through Wine
grep -q '"role":"library","name":"DirectML.dll",.*"sha256":"[0-9a-f]*","version":"1\.15\.4\.0"' "$work/core/results.jsonl" ||
    complain "the log does not name DirectML.dll with its digest and version"

# ---- the smallest cases
cut -d '|' -f 5 "$work/rows" >"$work/smallest"
"$bin/topk-cts" replay --backend-command "$backend" --file "$work/smallest" >"$work/log" 2>&1 || true
# prints verdicts such as "fail F07" and "refused"
sed -nE 's/^(FAIL|ACCEPTED|REFUSED|CRASH) case( \(([A-Za-z0-9]+) .*)?$/\L\1\E \3/p' "$work/log" >"$work/there"
sed -E 's/^([a-z]*)\|([^|]*)\|.*/\1 \2/; s/^refused .*/refused /' "$work/rows" >"$work/here"
diff "$work/here" "$work/there" || { cat "$work/log" >&2; complain "the smallest cases do not fail as the findings say"; }

# ---- wrong uses: directml_probe prints the second table
sed -n '/^| right |/,/^$/p' "$findings" | sed '/^$/d' >"$work/here"
[ -s "$work/here" ] || fail "$findings has no table of wrong uses"
"$wine_backend" --program "$windows/directml_probe.exe" --all >"$work/there" 2>"$work/log" ||
    { cat "$work/log" >&2; complain "directml_probe --all failed"; }
diff "$work/here" "$work/there" || complain "DirectML answers wrong uses otherwise than the findings say (<)"

[ "$failures" = 0 ] || exit 1
echo "core: $(wc -l <"$work/failed") cases fail as $(wc -l <"$work/rows") findings say; $(wc -l <"$work/here") wrong uses are answered as they say"
