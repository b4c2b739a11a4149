#!/usr/bin/env bash
# The backend vulkan on software drivers: profile core on the first driver; a selection of cases with all
# variants on each given driver and on hardware, if there is any; which device is used if there are several
# drivers; and bad input.
# usage: vulkan_test.sh BIN driver|core|input none|ICD_FILE...
set -euo pipefail
bin=$1
part=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
selection=(examples sizes.lengths sizes.rows ties.boundary layout.mixed types.extremes floats
    memory.tails memory.offsets memory.slack order.walk relations.concurrent invalid.ranks)
short=(examples layout.mixed types.extremes memory.tails memory.offsets)

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# conforms OPTIONS SELECTION...: the cases pass; vulkan_probe_test.sh tests the probes
conforms() {
    local options=$1
    shift
    "$bin/topk-cts" run --backend "vulkan$options" --profile core --no-probes --overwrite \
        --out "$work/run" "$@" \
        >"$work/log" || { cat "$work/log"; fail "vulkan$options on $VK_DRIVER_FILES"; }
    tail -n 1 "$work/log"
}

# says TEXT: the log contains TEXT
says() {
    grep -qF -- "$1" "$work/log" || { cat "$work/log"; fail "nobody says: $1"; }
}

# unavailable OPTIONS TEXT
unavailable() {
    local status=0
    "$bin/topk-cts" run --backend "vulkan$1" --out "$work/none" examples >"$work/log" 2>&1 || status=$?
    [ "$status" = 4 ] || { cat "$work/log"; fail "vulkan$1: exit code $status"; }
    says "$2"
}

# sequences of several chunks, an odd number, in every variant; the last in parts with push constants
long_sequences() {
    "$bin/topk-cts" replay --backend vulkan:variant=all - >"$work/log" 2>&1 <<'END' ||
top_k fl=5.0 in=i64[33000] axis=0 k=33000 data=shuffle.1:7
top_k1 fl=5.0 in=f16[2,33000] axis=1 k=1500 dir=inc data=few.1:300:7
top_k1 fl=5.0 in=f32[2,3,2,2,2,2100] axis=5 k=2100 dir=dec data=few.1:9:7
END
        { cat "$work/log"; fail "long sequences are wrong with $VK_DRIVER_FILES"; }
    says 'results: 3 pass'
}

# too little memory for the kernels of a long sequence, which not every driver reports
scarce_memory() {
    local kib
    for kib in 760000 780000 800000 820000; do
        "$bin/topk-cts" replay - >"$work/log" 2>&1 <<'END' \
            --worker "ulimit -v $kib; exec '$bin/topk-worker' --backend vulkan:variant=address" || true
top_k1 fl=5.0 in=u8[33000000] axis=0 k=100 dir=dec data=few.1:5:7
top_k1 fl=5.0 in=f32[4000] axis=0 k=4000 dir=dec data=few.1:5:7
END
        says 'PASS case top_k1 fl=5.0 in=f32[4000]'
        ! grep -q crash "$work/log" ||
            { cat "$work/log"; fail "with $kib KiB of memory on $VK_DRIVER_FILES"; }
    done
}

# driver_conforms ICD_FILE
driver_conforms() {
    local icd=$1 variant
    [ -f "$icd" ] || fail "there is no $icd"
    export VK_DRIVER_FILES=$icd
    case $icd in
    *swiftshader*)
        # a barrier is slow on this driver
        conforms :variant=all "${short[@]}"
        says 'variant all: each that serves a call, without native, int64; NaN'
        conforms :variant=floats floats.denormals
        says 'F04  as zeros'
        unavailable :subgroup=8 'has subgroups of 4 to 4'
        unavailable :variant=native 'variant native needs 16-bit integers'
        unavailable :variant=int64 'variant int64 needs 64-bit integers'
        ;;
    *)
        scarce_memory
        conforms :variant=all "${selection[@]}"
        says 'variant all: each that serves a call; NaN'
        for variant in rank bitonic radix select split subgroup native int64 push address special floats; do
            conforms ":variant=$variant" examples
        done
        ;;
    esac
    long_sequences
    conforms :memory=host "${short[@]}"
    conforms :robust=on "${short[@]}"
    conforms :memory=host,robust=on,variant=radix "${short[@]}"
}

# lavapipe's subgroups are as wide as its vectors
subgroups() {
    local size
    for size in 4 8 16; do
        export LP_NATIVE_VECTOR_WIDTH=$((32 * size))
        conforms ":variant=subgroup,subgroup=$size" "${short[@]}"
        says "subgroups of $size "
        unavailable ":subgroup=$((2 * size))" "has subgroups of $size to $size"
    done
    unset LP_NATIVE_VECTOR_WIDTH
}

core_conforms() {
    conforms ''
    [ "$(grep -c '"verdict":"pass"' "$work/run/results.jsonl")" = \
        "$("$bin/topk-cts" list --profile core | wc -l)" ] || fail "cases of core do not pass"
}

# the choice of a device if there are several drivers
devices() {
    local all uuid
    all=$(IFS=:; echo "$*")
    export VK_DRIVER_FILES=$all
    unavailable :device=99 "device=99 fits no Vulkan device; there are: 0 '"
    uuid=$(sed -n "s/.*, $(($# - 1)) '[^']*' (\([-0-9a-f]*\), software).*/\1/p" "$work/log")
    [ -n "$uuid" ] || fail "the last of $all is not listed"
    # an option must not select a device of another driver; the last is known by its driver's text
    conforms ":device=$(($# - 1))" examples
    grep '^backend:' "$work/log" >"$work/last"
    conforms ":device=$uuid" examples
    grep '^backend:' "$work/log" | cmp - "$work/last" || fail "device=$uuid takes another device"
    conforms :device=software examples
    "$bin/topk-cts" backends >"$work/log"
    says "device=$(($# - 1)): available: vulkan"
    unavailable :device=hardware 'device=hardware fits no Vulkan device'
    unavailable :device=nothing 'device=nothing fits no Vulkan device'
}

# malformed manifests; for the second kind the loader reports that memory ran out
manifests() {
    local text good=$VK_DRIVER_FILES none=$work/none.json wrong=$work/wrong.json
    VK_DRIVER_FILES=$none unavailable '' \
        "the Vulkan loader finds no driver: VK_DRIVER_FILES names '$none': No such file or directory"
    VK_DRIVER_FILES=$none:$good conforms '' examples
    for text in 'no JSON' '{"ICD": {'; do
        echo "$text" >"$wrong"
        VK_DRIVER_FILES=$wrong unavailable '' "; VK_DRIVER_FILES names '$wrong': it is not a JSON object"
        VK_DRIVER_FILES=$good:$wrong unavailable '' "names '$wrong': it is not a JSON object"
    done
    (
        unset VK_DRIVER_FILES
        VK_ICD_FILENAMES=$wrong unavailable '' "; VK_ICD_FILENAMES names '$wrong': it is not a JSON object"
    )
    # manifests that only a JSON parser finds malformed
    echo '{no JSON}' >"$wrong"
    VK_DRIVER_FILES=$wrong unavailable '' \
        "a driver's manifest may be no JSON; VK_DRIVER_FILES is '$wrong'"
}

bad_input() {
    local option
    for option in device= variant= variant=quick memory=some robust=maybe validation=1 timeout=0 \
        timeout=1s subgroup= subgroup=2 subgroup=24 subgroup=256 subgroup=any unknown; do
        unavailable ":$option" "option '$option' is not understood; the options are device="
    done
    unavailable :variant=rank,variant=radix "option 'variant' is given twice in 'variant=rank,variant=radix'"
    unavailable :variant=rank, "an option is missing beside a comma of 'variant=rank,'"
    VK_LAYER_PATH=$work unavailable :validation=on \
        'needs the layer VK_LAYER_KHRONOS_validation, which is not installed'
    manifests
    mkdir "$work/library"
    echo 'no library' >"$work/library/libvulkan.so.1"
    LD_LIBRARY_PATH=$work/library unavailable '' 'the Vulkan loader cannot be loaded'
}

# Unsupported cases are no failures, and are named.
limits() {
    conforms :variant=radix sizes.large
    says 'variant radix would take too long for 70000 sequences of '
    "$bin/topk-cts" replay --backend vulkan 'top_k fl=5.0 in=f32[33554433] axis=0 k=1 data=few.1:2:1' \
        >"$work/log" 2>&1 || true
    says 'the input is 134217732 bytes, and the device'
    # a call exceeds the time limit, and the worker starts again after it
    "$bin/topk-cts" replay --backend vulkan:variant=radix,timeout=1 \
        'top_k fl=5.0 in=f32[32,1000000] axis=1 k=8 data=few.1:2:1' >"$work/log" 2>&1 &&
        fail "an endless list is waited for"
    says 'executing the kernels: the device did not finish within 1000 ms'
}

# any hardware device of the drivers on this machine
hardware() {
    local status=0
    unset VK_DRIVER_FILES
    "$bin/topk-cts" run --backend vulkan:device=hardware,variant=all --profile core --no-probes --overwrite \
        --out "$work/run" "${short[@]}" >"$work/log" 2>&1 || status=$?
    case $status in
    0) echo "hardware: $(grep -m 1 '^backend:' "$work/log"): $(tail -n 1 "$work/log")" ;;
    4) echo "no hardware: $(tail -n 1 "$work/log")" ;;
    *) cat "$work/log"; fail "vulkan:device=hardware,variant=all" ;;
    esac
}

[ "${1-none}" != none ] || fail "this build has no vulkan backend: libvulkan-dev and glslang-tools are \
needed"
# drivers look for a display; they must find none
export XDG_RUNTIME_DIR=$work
unset DISPLAY WAYLAND_DISPLAY
# lavapipe is faster with small calls if it computes on the calling thread
export LP_NUM_THREADS=0

case $part in
driver) driver_conforms "$1" ;;
core)
    export VK_DRIVER_FILES=$1
    core_conforms
    ;;
input)
    devices "$@"
    export VK_DRIVER_FILES=$1
    bad_input
    limits
    subgroups
    hardware
    ;;
*) fail "there is no part '$part'" ;;
esac
