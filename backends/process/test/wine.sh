# shellcheck shell=bash
# A Wine prefix of a test's own, in the folder `work`. To be sourced once that is there; `end_wine` has to run before
# it is removed.
# shellcheck disable=SC2154

export TMPDIR=$work # Wine's server leaves a folder there
export WINEPREFIX=$work/wine WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml,winedbg.exe='
PATH=$PATH:/usr/lib/wine

# The server of the prefix outlives the program, and would write into the folder while it is removed.
end_wine() {
    wineserver -k 2>/dev/null || wineserver64 -k 2>/dev/null || true
}
