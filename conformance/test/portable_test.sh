#!/usr/bin/env bash
# The same cases everywhere: cases_digest, built by the compiler of this build, and by mingw-w64 and run
# under Wine, prints the same.
# usage: portable_test.sh BIN SOURCE
set -euo pipefail
bin=$1
source=$2
work=$(mktemp -d)
export WINEPREFIX=$work/wine WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml,winedbg.exe='
PATH=$PATH:/usr/lib/wine
# the server of this prefix outlives the program, and would write into the folder while it is removed
trap 'wineserver -k 2>/dev/null || wineserver64 -k 2>/dev/null || true; rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

"$bin/cases_digest" >"$work/here"
[ "$(wc -l <"$work/here")" -gt 20 ] || fail "cases_digest prints too little"

# not what needs POSIX: the list of the library of cases is the build's own
mapfile -t files <"$bin/cases_sources.txt"
cd "$source"
x86_64-w64-mingw32-gcc -std=c17 -O2 -Wall -Wextra -Werror -D__USE_MINGW_ANSI_STDIO=1 -Ireference -Iconformance \
    -o "$work/cases_digest.exe" conformance/test/cases_digest.c "${files[@]}"
timeout 300 wine64 "$work/cases_digest.exe" 2>"$work/errors" | tr -d '\r' >"$work/there" ||
    { cat "$work/errors" >&2; fail "cases_digest.exe did not run"; }
diff "$work/here" "$work/there" || fail "cases are others on Windows"
echo "the same on both: $(tail -n 1 "$work/there")"
