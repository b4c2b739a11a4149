#!/usr/bin/env bash
# Deliberately wrong probe shaders of the backend vulkan, the rows of wrong_probes.cmake, make the probes in
# their row report a violation, and no answer of a device makes a probe crash.
# usage: wrong_probes_test.sh BIN ICD_FILE...; SwiftShader's, of scripts/get-vulkan-drivers, by hand only;
# lavapipe 22's own NumSubgroups is wrong already
set -euo pipefail
bin=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# drivers look for a display; they must find none
export XDG_RUNTIME_DIR=$work
unset DISPLAY WAYLAND_DISPLAY
export LP_NUM_THREADS=0 LP_NATIVE_VECTOR_WIDTH=256
export LD_LIBRARY_PATH=$bin/wrong_vulkan

fail() {
    [ ! -f "$work/out" ] || cat "$work/out"
    echo "FAILED: $TOPK_WRONG_VULKAN on $VK_DRIVER_FILES: $*" >&2
    exit 1
}

# probe SPEC NAME...: writes the table of these probes to the file `out`
probe() {
    export TOPK_WRONG_VULKAN=$1
    shift
    "$bin/topk-cts" probe --backend vulkan "$@" >"$work/out" 2>"$work/log" || [ $? = 1 ] ||
        fail "exit code $?: $(tail -n 3 "$work/log")"
}

# has VERDICT NAME...: each of these probes has this verdict in the table
has() {
    local verdict=$1 name
    shift
    for name in "$@"; do
        grep -qE "^$name  +.*  $verdict(  |$)" "$work/out" || fail "$name: not $verdict"
    done
}

for VK_DRIVER_FILES in "$@"; do
    export VK_DRIVER_FILES
    TOPK_WRONG_VULKAN=
    [ -f "$VK_DRIVER_FILES" ] || fail "there is no such driver"
    rows=0
    while read -r -a row; do
        probe "shader=${row[0]}" "${row[@]:1}" </dev/null
        has violation "${row[@]:1}"
        rows=$((rows + 1))
    done <"$bin/wrong_vulkan/probes.txt"
    [ "$rows" -gt 0 ] || fail "there are no rows"
    echo "${VK_DRIVER_FILES%/*}: $rows wrong probes have a violation"
    # sizes and limits that no device may report
    for size in 0 3 256 4294967295; do
        probe "subgroupSize=$size" subgroup.size subgroup.full subgroup.partial
        has violation subgroup.size subgroup.full subgroup.partial
    done
    probe maxComputeWorkGroupInvocations=0 barrier subgroup
    has unsupported barrier.shared barrier.buffer subgroup.size
    probe maxStorageBufferRange=4 buffer.range
    has unsupported buffer.range
    probe minStorageBufferOffsetAlignment=9223372036854775808 buffer.offset
    has unsupported buffer.offset
done
