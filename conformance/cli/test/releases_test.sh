#!/usr/bin/env bash
# Current commands read files that earlier releases wrote and files that were written for them. corpus/releases has a
# folder for each release, with a README.md that describes its files. Logs and packages by format are in formats_test.sh.
# Run as
#   releases_test.sh BIN
# where BIN holds topk-cts and its programs. Prints a line for each check.
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
begin BIN "$@"
need gcc perl jq

# one row for each release: RELEASE|CASES|OUTCOME OF THE LOG|FAILING CASES OF THE LOG|PACKAGE, in corpus|ITS CASES
comes_to() {
    cat <<END
0.1.0|91|NOT CONFORMANT|4|formats/package.1.tar|43
END
}
same 'each release has a row' "$(cd "$root/corpus/releases" && printf '%s\n' */)" "$(comes_to | sed 's#|.*#/#')"

while IFS='|' read -r release cases conformance failing package packed; do
    files=$root/corpus/releases/$release
    echo "# $release"

    echo '# cases as text, whose meaning has not changed'
    same "cases of $release: their number" "$(grep -vc '^#' "$files/cases.txt")" "$cases"
    check "cases of $release: each passes" 0 has "results: $cases pass" -- "$cts" replay --backend cpu --file "$files/cases.txt"
    same "cases of $release: each has the same text today" "$(sed -n 's/^PASS \([^ ]*\): /\1:/p' out | sed 's/ \[.*//; s/: [A-Z].*//' | sort)" \
        "$(grep -v '^#' "$files/cases.txt" | sort)"

    echo '# a log'
    check "log of $release: report" 0 -- "$cts" report "$files/results.jsonl" --format json --output report.json
    same "log of $release: its outcome" "$(jq -r '"\(.conformance) \(.totals.fail)"' report.json)" "$conformance $failing"
    # run the cases of the log on the same backend
    sed 1d "$files/results.jsonl" | jq -r 'select(.record == "case") | .id' >ids
    mapfile -t ids <ids
    check "log of $release: its cases are run again" 1 has "$failing of ${#ids[@]} cases failed" -- \
        "$cts" run --backend faulty:B26 "${ids[@]}" --out "again-$release"
    check "log of $release: its cases have the same results" 0 has 'THE SAME AS' -- "$cts" compare "$files/results.jsonl" "again-$release"

    echo '# expectations'
    check "expectations of $release: they waive the same failures" 0 has "$failing expected-fail" -- \
        "$cts" run --backend faulty:B26 "${ids[@]}" --expectations "$files/expectations.txt" --strict --out "expected-$release"

    echo '# a contract'
    check "contract of $release: it is valid" 0 -- "$cts" contract --check "$files/rules.contract"
    check "contract of $release: a run is judged by it" 0 has 'PASSED by the declared contract (ties=any invalid=own)' -- \
        "$cts" run --backend faulty:B26 "${ids[@]}" --contract "$files/rules.contract" --out "declared-$release"

    echo '# a plugin, compiled with the header of its release'
    check "plugin of $release: it compiles" 0 -- gcc -std=c17 -Wall -Wextra -Werror -O2 -fPIC -shared -I"$files" -o plugin.so "$files/plugin.c"
    check "plugin of $release: it passes" 0 has 'PASSED by the declared contract (invalid=own)' -- \
        "$cts" run --backend ./plugin.so examples ties floats --out "hosted-$release"
    check "plugin of $release: it compiles with the current header" 0 -- \
        gcc -std=c17 -Wall -Wextra -Werror -O2 -fPIC -shared -I"$root/backends/include" -o plugin.so "$files/plugin.c"

    echo '# a backend process'
    check "process of $release: it follows the current protocol" 0 has 'No rule of docs/backend-protocol.md is broken' -- \
        "$cts" check-backend "perl '$files/backend.pl'"
    check "process of $release: it passes" 0 has ' 0 failed' -- "$cts" run --backend-command "perl '$files/backend.pl'" examples ties.boundary --out "process-$release"

    echo '# a package'
    package=$root/corpus/$package
    check "package of $release: it is verified" 0 has 'VERIFIED' has "all $packed cases up to feature level" -- "$cts" verify "$package"
    sed 's/"verdict":"pass"/"verdict":"fail"/' "$package" >spoiled.tar
    check "package of $release: a corrupted one is refused" 3 has 'results.jsonl: its SHA-256 is not the one in the manifest' -- "$cts" verify spoiled.tar
done < <(comes_to)

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
