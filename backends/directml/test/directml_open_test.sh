#!/usr/bin/env bash
# What can go wrong when the backend directml is opened, and its messages: the DLL, the adapter, the options,
# and a device that is removed during a run.
# usage: directml_open_test.sh BIN SOURCE
set -euo pipefail
bin=$1
source=$2
windows=$(dirname "$bin")/windows/bin
process="$source/scripts/wine-backend --program $windows/topk-backend.exe"
work=$(mktemp -d)
failures=0
checks=0

# keep one program of the prefix running, so that each start is a warm one
exec {keep}> >(exec "$source/scripts/wine-backend" --program "$windows/topk-backend.exe" cpu >/dev/null)
keeper=$!
end() {
    exec {keep}>&-
    wait "$keeper" 2>/dev/null || true
    rm -rf "$work"
}
trap end EXIT

# check NAME STATUS: counts the check; prints the output if STATUS is not 0
check() {
    checks=$((checks + 1))
    if [ "$2" != 0 ]; then
        failures=$((failures + 1))
        echo "FAILED: $1" >&2
        sed 's/^/  | /' "$work/said" >&2
    fi
}

# opens BACKEND: writes the first answer of the process, decoded
opens() {
    # shellcheck disable=SC2086 # a command line
    printf 'open 1 \nquit\n' | $process "$1" 2>"$work/errors" | head -n 1 |
        sed 's/%20/ /g; s/%3D/=/g; s/%2C/,/g' >"$work/said" || true
}

# refused BACKEND TEXT...: the backend is unavailable, with each TEXT in the reason
refused() {
    local backend=$1 text status=0
    shift
    opens "$backend"
    grep -q '^unavailable ' "$work/said" || status=1
    for text in "$@"; do
        grep -qF -- "$text" "$work/said" || status=1
    done
    check "$backend is unavailable with: $*" "$status"
}

# opened BACKEND TEXT: the backend opens, and its greeting has TEXT
opened() {
    local status=0
    opens "$1"
    grep -q '^topk-backend 1 name=directml version=1\.15\.4 ' "$work/said" && grep -qF -- "$2" "$work/said" || status=1
    check "$1 opens" "$status"
}

# ---- the DLL
windows_path=Z:${work//\//\\}
printf 'not a library\n' >"$work/text.dll"
cp "$windows/broken_empty.dll" "$work/old.dll"
cp "$windows/broken_empty.dll" "$work/arm.dll"
header=$(od -An -tu4 -j 60 -N 4 "$work/arm.dll" | tr -d ' ')
printf '\x64\xaa' | dd of="$work/arm.dll" bs=1 seek=$((header + 4)) conv=notrunc status=none
refused "directml:dll=$windows_path\\nothing.dll" nothing.dll "no such file"
refused "directml:dll=$windows_path\\text.dll" text.dll
refused "directml:dll=$windows_path\\arm.dll" arm.dll x86-64
refused "directml:dll=$windows_path\\old.dll" "too old" DMLCreateDevice1

# ---- the adapter
refused directml:adapter=99 "no adapter '99'" "0 llvmpipe"
refused directml:adapter=hardware "no adapter 'hardware'" "0 llvmpipe"
refused directml:adapter=Arc "no adapter 'Arc'"
opened directml:adapter=0 llvmpipe
opened directml:adapter=LLVM,level=5.0 llvmpipe
opened directml:adapter=software "Mesa 25.0.7"
opened directml:metacommands=off "metacommands off"
printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s/nothing.so", "api_version": "1.3.0"}}\n' \
    "$work" >"$work/nothing.json"
TOPK_VK_ICD=$work/nothing.json refused directml "DXGI finds no adapter"

for name in directml d3d12; do
    status=0
    # shellcheck disable=SC2086 # a command line
    timeout 120 "$bin/topk-worker" --devices --process $process "$name" >"$work/said" 2>"$work/errors" || status=$?
    [ "$(cat "$work/said")" = adapter=0 ] || status=1
    check "$name lists its device" "$status"
done

# ---- the options
refused directml:level=9.0 "feature level 9.0" DXGI_ERROR_UNSUPPORTED
refused directml:level=high "'level=high' is not understood" adapter=NUMBER dll=PATH
refused directml:timeout=0 "'timeout=0' is not understood"
refused directml:metacommands=on "'metacommands=on' is not understood" metacommands=off
refused directml:colour=red "'colour=red' is not understood"
refused directml:debug "validation layer"

# ---- the verdict of a run
status=0
"$bin/topk-cts" run ties --backend-command "$process directml:adapter=99" --out "$work/run" >"$work/said" 2>&1 || status=$?
{ [ "$status" = 4 ] && grep -qF "no adapter '99'" "$work/said"; } && status=0 || status=1
check "run ends with 4 and says why" "$status"

# ---- a device that is lost during a case: this call takes much longer than a second
cat >"$work/cases" <<'END'
top_k fl=2.0 in=f32[4] axis=0 k=2
top_k fl=2.0 in=f32[16777216] axis=0 k=16777216
top_k fl=2.0 in=f32[5] axis=0 k=2
END
status=0
"$bin/topk-cts" replay --backend-command "$process directml:timeout=1" --file "$work/cases" >"$work/said" 2>&1 || status=$?
{
    [ "$status" = 1 ] && grep -q '^results: 2 pass, 1 device-lost$' "$work/said" &&
        grep -q 'did not finish within 1000 ms' "$work/said"
} && status=0 || status=1
check "a device that hangs is lost for its case only" "$status"

echo "$((checks - failures)) checks passed, $failures failed"
[ "$failures" = 0 ]
