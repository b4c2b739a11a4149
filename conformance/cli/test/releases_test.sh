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

# of a release: RELEASE|CASES|WHAT THE LOG COMES TO|CASES OF THE LOG THAT FAIL|PACKAGE, in corpus|ITS CASES
comes_to() {
    cat <<END
0.1.0|91|NOT CONFORMANT|4|formats/package.1.tar|43
END
}
same 'each release has a row' "$(cd "$root/corpus/releases" && printf '%s\n' */)" "$(comes_to | sed 's#|.*#/#')"

while IFS='|' read -r release cases conformance failing package packed; do
    files=$root/corpus/releases/$release
    echo "# $release"

    echo '# cases as text, which mean what they meant'
    same 'how many there are' "$(grep -vc '^#' "$files/cases.txt")" "$cases"
    check 'each is read and passes' 0 has "results: $cases pass" -- "$cts" replay --backend cpu --file "$files/cases.txt"
    same 'each has the same text today' "$(sed -n 's/^PASS \([^ ]*\): /\1:/p' out | sed 's/ \[.*//; s/: [A-Z].*//' | sort)" \
        "$(grep -v '^#' "$files/cases.txt" | sort)"

    echo '# a log'
    check 'is reported' 0 -- "$cts" report "$files/results.jsonl" --format json --output report.json
    same 'what it comes to' "$(jq -r '"\(.conformance) \(.totals.fail)"' report.json)" "$conformance $failing"
    # the cases of the log run by the same backend
    sed 1d "$files/results.jsonl" | jq -r 'select(.record == "case") | .id' >ids
    mapfile -t ids <ids
    check 'its cases are run again' 1 has "$failing of ${#ids[@]} cases failed" -- \
        "$cts" run --backend faulty:B26 "${ids[@]}" --out "again-$release"
    check 'and come to the same' 0 has 'THE SAME AS' -- "$cts" compare "$files/results.jsonl" "again-$release"

    echo '# expectations'
    check 'waive what they waived' 0 has "$failing expected-fail" -- \
        "$cts" run --backend faulty:B26 "${ids[@]}" --expectations "$files/expectations.txt" --strict --out "expected-$release"

    echo '# a contract'
    check 'is right' 0 -- "$cts" contract --check "$files/rules.contract"
    check 'its rules are judged by' 0 has 'PASSED by the declared contract (ties=any invalid=own)' -- \
        "$cts" run --backend faulty:B26 "${ids[@]}" --contract "$files/rules.contract" --out "declared-$release"

    echo '# a plugin, compiled with the header of then'
    check 'is compiled' 0 -- gcc -std=c17 -Wall -Wextra -Werror -O2 -fPIC -shared -I"$files" -o plugin.so "$files/plugin.c"
    check 'is hosted' 0 has 'PASSED by the declared contract (invalid=own)' -- \
        "$cts" run --backend ./plugin.so examples ties floats --out "hosted-$release"
    check 'compiled with the header of today' 0 -- \
        gcc -std=c17 -Wall -Wextra -Werror -O2 -fPIC -shared -I"$root/backends/include" -o plugin.so "$files/plugin.c"

    echo '# a backend process'
    check 'keeps the protocol of today' 0 has 'No rule of docs/backend-protocol.md is broken' -- \
        "$cts" check-backend "perl '$files/backend.pl'"
    check 'is run' 0 has ' 0 failed' -- "$cts" run --backend-command "perl '$files/backend.pl'" examples ties.boundary --out "process-$release"

    echo '# a package'
    package=$root/corpus/$package
    check 'is verified' 0 has 'VERIFIED' has "all $packed cases up to feature level" -- "$cts" verify "$package"
    sed 's/"verdict":"pass"/"verdict":"fail"/' "$package" >spoiled.tar
    check 'a spoiled one is not' 3 has 'results.jsonl: its SHA-256 is not the one in the manifest' -- "$cts" verify spoiled.tar
done < <(comes_to)

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
