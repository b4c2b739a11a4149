#!/usr/bin/env bash
# Deliberately wrong shaders of the backend vulkan, the rows of wrong_shaders.cmake, fail on software drivers
# with the clause in their row, or pass if the row says so.
# usage: wrong_shaders_test.sh BIN ICD_FILE...; those of scripts/get-vulkan-drivers
set -euo pipefail
bin=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# drivers look for a display; they must find none
export XDG_RUNTIME_DIR=$work
unset DISPLAY WAYLAND_DISPLAY
# lavapipe is faster with small calls if it computes on the calling thread; the order of invocations is also fixed
export LP_NUM_THREADS=0
export LD_LIBRARY_PATH=$bin/wrong_vulkan
# rows whose first failure is replayed
replayed=(ties grid barrier-sort)

fail() {
    [ ! -f "$work/log" ] || tail -n 40 "$work/log"
    echo "FAILED: shader $id on $VK_DRIVER_FILES: $*" >&2
    exit 1
}

# run_row CLAUSE VARIANT CASE...: the wrong shader is used and breaks CLAUSE; -: no clause
run_row() {
    local clause=$1 variant=$2 expected=1 status=0
    shift 2
    [ "$clause" != - ] || expected=0
    "$bin/topk-cts" run --no-probes --verbose --backend "vulkan:variant=$variant" --profile core --overwrite \
        --out "$work/run" "$@" >"$work/log" 2>&1 || status=$?
    [ "$status" = "$expected" ] || fail "exit code $status, not $expected"
    grep -qx "wrong_vulkan: shader $id" "$work/log" || fail "it is not used"
    [ "$clause" = - ] || grep -q "^NOT CONFORMANT.*: .* clauses .*\<$clause\>" "$work/log" ||
        fail "$clause is not named"
    local folder=${VK_DRIVER_FILES%/*}
    echo "$id on ${folder##*/}: $(tail -n 1 "$work/log")"
}

# the replay command in the log fails again
replay_first() {
    local line status=0
    line=$(grep -m 1 '^ *[^ ]*topk-cts replay --backend ' "$work/log") || fail "no line replays it"
    bash -c "'$bin/topk-cts' replay${line#*topk-cts replay}" >"$work/log" 2>&1 || status=$?
    [ "$status" = 1 ] || fail "replayed, it gives exit code $status"
    grep -q '^FAIL' "$work/log" || fail "replayed, it does not fail"
}

for VK_DRIVER_FILES in "$@"; do
    export VK_DRIVER_FILES
    id=none
    [ -f "$VK_DRIVER_FILES" ] || fail "there is no such driver"
    while IFS='|' read -r -a row; do
        id=${row[0]}
        clause=${row[2]}
        case $VK_DRIVER_FILES in
        *swiftshader*) clause=${row[3]} ;;
        esac
        [ "$clause" != . ] || continue
        export TOPK_WRONG_VULKAN=shader=$id
        run_row "$clause" "${row[1]}" "${row[@]:4}" </dev/null
        case " ${replayed[*]} " in
        *" $id "*) replay_first </dev/null ;;
        esac
    done <"$bin/wrong_vulkan/shaders.txt"
done
