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

check 'the archive is made' 0 -- "$source/scripts/windows-zip" "$work/once"
archive=("$work"/once/topk-cts-*-windows-x64.zip)
check 'made again it is the same' 0 -- env TZ=Pacific/Auckland "$source/scripts/windows-zip" "$work/again"
check 'made again: the same bytes' 0 -- cmp "${archive[0]}" "$work/again/${archive[0]##*/}"
mkdir unpacked && (cd unpacked && cmake -E tar xf "${archive[0]}") || exit 1
folders=(unpacked/*)
mv "${folders[0]}" "a folder"
for file in quickstart.cmd LICENSE docs/windows.md bin/topk-cts.exe bin/topk-worker.exe bin/topk-backend.exe include/topk_backend.h \
    licences/libuv1 docs/example-plugin/example.c; do
    check "it has $file" 0 -- test -s "a folder/$file"
done
check 'no program says where it was built' 1 -- grep -rlF "$source" "a folder/bin"

# with DirectML.dll in System32, as on a machine with Windows
"$source/scripts/wine-backend" --program "a folder/bin/topk-cts.exe" --version >out 2>err # makes Wine's files
cmd=$(find "$source/build/third_party/directml/wine/base" -name cmd.exe -path '*system32*' | head -n 1)
quickstart() { (cd "a folder" && "$source/scripts/wine-backend" --program "$cmd" /c quickstart.cmd "$@"); }
check 'its help' 0 has 'usage: quickstart.cmd' -- quickstart --help
check 'a wrong argument' 2 has "unknown argument nonsense" -- quickstart nonsense
check 'DirectML on the one adapter' 1 has 'directml, adapter=0' has 'NOT CONFORMANT' has 'page: ' -- quickstart --no-open
check 'its log' 0 -- test -s "a folder/results/directml-1/results.jsonl"
check 'its page' 0 -- grep -q 'NOT CONFORMANT' "a folder/results/directml-1/report.html"
mv "a folder/bin/topk-worker.exe" .
check 'a program that was removed' 3 has 'a program is missing' -- quickstart --no-open
mv topk-worker.exe "a folder/bin/"

# a fresh Wine without a display: no adapter
export WINEDEBUG=-all WINEPREFIX=$work/wine WINEDLLOVERRIDES='mscoree,mshtml,winedbg.exe,winemenubuilder.exe='
unset DISPLAY WAYLAND_DISPLAY
trap 'wineserver -k; wineserver -w; rm -rf "$work"' EXIT
timeout 300 wine64 wineboot -i >wine.log 2>&1
check 'no adapter' 4 has 'could not be started on any adapter' has 'cpu: ' -- env -C "a folder" wine64 cmd /c quickstart.cmd --no-open
check 'cpu without anything else' 0 has CONFORMANT -- env -C "a folder" wine64 bin/topk-cts.exe run --profile peers --backend cpu --out 'mine'

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
