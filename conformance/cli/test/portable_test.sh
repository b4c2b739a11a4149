#!/usr/bin/env bash
# Cases are the same on every system: cases_digest of this build and that of the Windows build, run under Wine,
# print the same digests.
# usage: portable_test.sh BIN WINDOWS_BIN
set -euo pipefail
bin=$1
windows=$2
work=$(mktemp -d)
# shellcheck source=backends/process/test/wine.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../../backends/process/test/wine.sh"
trap 'end_wine; rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

"$bin/cases_digest" >"$work/here"
[ "$(wc -l <"$work/here")" -gt 20 ] || fail "cases_digest prints too little"
[ -f "$windows/cases_digest.exe" ] || fail "there is no $windows/cases_digest.exe: the build needs the" \
    "Debian package gcc-mingw-w64-x86-64-win32"
timeout 300 wine64 "$windows/cases_digest.exe" 2>"$work/errors" | tr -d '\r' >"$work/there" ||
    { cat "$work/errors" >&2; fail "cases_digest.exe did not run"; }
diff "$work/here" "$work/there" || fail "cases are others on Windows"
echo "the same on both: $(tail -n 1 "$work/there")"
