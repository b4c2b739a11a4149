#!/usr/bin/env bash
# The backend d3d12 on software Vulkan drivers: through libvkd3d, profile core on the first driver or a quarter of
# it (slice), and a few cases with each variant that the driver can run (variants), or more of them and on all
# drivers (variants_whole); under Wine, a quarter of core again.
# usage: d3d12_test.sh BIN SOURCE variants|variants_whole|core|slice|wine none|ICD_FILE...
set -euo pipefail
bin=$1
source=$2
part=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
selection=(examples sizes.lengths sizes.rows ties.boundary layout.mixed types.extremes floats
    memory.tails memory.offsets memory.slack order.walk relations.concurrent invalid.ranks)
# what all drivers support
few=(examples layout.mixed types.extremes memory.tails memory.offsets)

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# all_pass: all cases of the last run passed
all_pass() {
    local cases
    cases=$(head -n 1 "$work/run/results.jsonl" | jq .cases)
    [ "$(grep -c '"verdict":"pass"' "$work/run/results.jsonl")" = "$cases" ] || fail "cases of core do not pass"
}

# conforms OPTIONS SELECTION...
conforms() {
    local options=$1
    shift
    "$bin/topk-cts" run --backend "d3d12$options" --profile core --overwrite --out "$work/run" "$@" \
        >"$work/log" || { cat "$work/log"; fail "d3d12$options on $VK_DRIVER_FILES"; }
    tail -n 1 "$work/log"
}

# unavailable OPTIONS TEXT
unavailable() {
    local status=0
    "$bin/topk-cts" run --backend "d3d12$1" --out "$work/none" examples >"$work/log" 2>&1 || status=$?
    [ "$status" = 4 ] || { cat "$work/log"; fail "d3d12$1: exit code $status"; }
    grep -qF -- "$2" "$work/log" || { cat "$work/log"; fail "d3d12$1 does not say: $2"; }
}

[ "${1-none}" != none ] || fail "this build has no d3d12 backend: scripts/get-directml, wine64 and \
gcc-mingw-w64-x86-64-win32 are needed"
# drivers look for a display; they must find none
export XDG_RUNTIME_DIR=$work
unset DISPLAY WAYLAND_DISPLAY
# lavapipe is faster with small calls if it computes on the calling thread
export LP_NUM_THREADS=0

# each variant, and calls that no variant supports
variants() {
    local icd variant
    if [ "$part" = variants ]; then
        selection=("${few[@]}")
        set -- "$1"
    fi
    for icd in "$@"; do
        export VK_DRIVER_FILES=$icd
        [ -f "$icd" ] || fail "there is no $icd"
        for variant in auto rank bitonic radix; do
            conforms ":variant=$variant" "${selection[@]}"
        done
        selection=("${few[@]}")
    done

    export VK_DRIVER_FILES=$1
    # Cases that a variant does not support are no failures, and are named.
    conforms :variant=bitonic sizes.large sizes.lengths
    grep -qF 'variant bitonic serves sequences of up to 2048 elements' "$work/log" ||
        fail "bitonic serves all"
    # every variant that the device can run, beside each other
    conforms :variant=all examples ties.boundary floats
    grep -qF "variant all: each that serves a call, without wave, native16, int64; " "$work/run/results.jsonl" ||
        fail "all does not say what it leaves out"
    # the device's work alone can be timed
    "$bin/topk-cts" bench backend --backend d3d12 --no-peers --quick --type f32 --n 16 --k 8 --json "$work/bench.json" \
        >"$work/log" 2>&1 || { cat "$work/log"; fail "bench d3d12"; }
    [ "$(jq '[.. | objects | select(has("bare"))] | length' "$work/bench.json")" = 1 ] ||
        { cat "$work/log"; fail "bench does not time bare dispatches"; }
    unavailable :variant=quick "option 'variant=quick' is not understood"
    unavailable :variant= "option 'variant=' is not understood"
    unavailable :adapter=1 'libvkd3d takes the first Vulkan device'
    VK_DRIVER_FILES=$work/none.json unavailable '' 'libvkd3d finds no Vulkan device'
}

wine() {
    local windows
    windows=$(dirname "$bin")/windows/bin
    "$bin/topk-cts" run --backend-command "$source/scripts/wine-backend --program $windows/topk-backend.exe d3d12" \
        --timeout 300 --profile core --shard 1/4 --overwrite --out "$work/run" >"$work/log" 2>&1 || { cat "$work/log"; fail "d3d12 under Wine"; }
    tail -n 1 "$work/log"
    all_pass
}

export VK_DRIVER_FILES=$1
case $part in
variants | variants_whole) variants "$@" ;;
core | slice)
    quarter=()
    [ "$part" = core ] || quarter=(--shard 1/4)
    conforms '' ${quarter[@]+"${quarter[@]}"}
    all_pass
    ;;
wine) wine ;;
*) fail "there is no part '$part'" ;;
esac
