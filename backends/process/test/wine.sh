# shellcheck shell=bash
# A separate Wine prefix for a test, in the folder `work`. To be sourced once that exists; call `end_wine` before
# it is removed.
# shellcheck disable=SC2154

export TMPDIR=$work # Wine's server leaves a folder there
export WINEPREFIX=$work/wine WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml,winedbg.exe='
PATH=$PATH:/usr/lib/wine

# The server of the prefix outlives the program, and would write into the folder during its removal.
end_wine() {
    wineserver -k 2>/dev/null || wineserver64 -k 2>/dev/null || true
}
