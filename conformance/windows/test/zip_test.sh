#!/usr/bin/env bash
# The Windows archive as a user would use it: unpacked into a folder with a space in its name, with quickstart.cmd run
# under Wine, with and without DirectML. usage: zip_test.sh BIN SOURCE. Prints a line a check and "N passed, M failed".
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../cli/test/checks.sh"
source=$(realpath "${2:?usage: zip_test.sh BIN SOURCE}")
begin 'BIN SOURCE' "$@"
PATH=$PATH:/usr/lib/wine # where Debian has it
need wine64 wineserver cmake
exec </dev/null
export LC_ALL=C.UTF-8

check 'scripts/windows-zip makes the archive' 0 -- "$source/scripts/windows-zip" "$work/once"
archive=("$work"/once/topk-cts-*-windows-x64.zip)
check 'scripts/windows-zip makes the archive again' 0 -- env TZ=Pacific/Auckland "$source/scripts/windows-zip" "$work/again"
check 'the archive is reproducible' 0 -- cmp "${archive[0]}" "$work/again/${archive[0]##*/}"
mkdir unpacked && (cd unpacked && cmake -E tar xf "${archive[0]}") || exit 1
folders=(unpacked/*)
mv "${folders[0]}" "a folder"
for file in quickstart.cmd LICENSE docs/windows.md bin/topk-cts.exe bin/topk-worker.exe bin/topk-backend.exe include/topk_backend.h \
    licences/libuv1 docs/example-plugin/example.c; do
    check "the archive has $file" 0 -- test -s "a folder/$file"
done
check 'no program contains the path of the source tree' 1 -- grep -rlF "$source" "a folder/bin"

# with DirectML.dll in System32, as on a machine with Windows
"$source/scripts/wine-backend" --program "a folder/bin/topk-cts.exe" --version >out 2>err # makes Wine's files
cmd=$(find "$source/build/third_party/directml/wine/base" -name cmd.exe -path '*system32*' | head -n 1)
quickstart() { (cd "a folder" && "$source/scripts/wine-backend" --program "$cmd" /c quickstart.cmd "$@"); }
check 'quickstart.cmd --help prints the usage' 0 has 'usage: quickstart.cmd' -- quickstart --help
check 'quickstart.cmd rejects a wrong argument' 2 has "unknown argument nonsense" -- quickstart nonsense
check 'quickstart.cmd tests DirectML on the only adapter' 1 has 'directml, adapter=0' has 'NOT CONFORMANT' has 'page: ' -- quickstart --no-open
check 'quickstart.cmd writes a log' 0 -- test -s "a folder/results/directml-1/results.jsonl"
check 'quickstart.cmd writes a report page' 0 -- grep -q 'NOT CONFORMANT' "a folder/results/directml-1/report.html"
mv "a folder/bin/topk-worker.exe" .
check 'quickstart.cmd reports a missing program' 3 has 'a program is missing' -- quickstart --no-open
mv topk-worker.exe "a folder/bin/"

# a new Wine without a display, and so without an adapter
export WINEDEBUG=-all WINEPREFIX=$work/wine WINEDLLOVERRIDES='mscoree,mshtml,winedbg.exe,winemenubuilder.exe='
unset DISPLAY WAYLAND_DISPLAY
trap 'wineserver -k; wineserver -w; rm -rf "$work"' EXIT
timeout 300 wine64 wineboot -i >wine.log 2>&1
check 'quickstart.cmd reports that no adapter works' 4 has 'could not be started on any adapter' has 'cpu: ' -- env -C "a folder" wine64 cmd /c quickstart.cmd --no-open
check 'topk-cts.exe runs with nothing else installed' 0 has CONFORMANT -- env -C "a folder" wine64 bin/topk-cts.exe run --profile peers --backend cpu --out 'mine'

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
