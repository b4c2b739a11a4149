#!/usr/bin/env bash
# The probes of the backend vulkan on software drivers: each must give the result in vulkan_probes.txt, the
# validation layer must not complain about them, and a run must record them.
# usage: vulkan_probe_test.sh BIN LIST none|ICD_FILE...; those of scripts/get-vulkan-drivers
set -euo pipefail
bin=$1
list=$2
shift 2
cts=$bin/topk-cts
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# probe OPTIONS...: writes the table of the driver to the file `table`, as rows of the list
probe() {
    local status=0
    "$cts" probe --verbose --backend "$@" >"$work/out" 2>"$work/errors" || status=$?
    sed -E '1,2d; s/  +/\t/g' "$work/out" | awk -F '\t' '{ print $1 " | " $2 " | " $3 }' >"$work/table"
    return "$status"
}

# expected: prints the rows of the list for the driver of the last table, by the start of their driver text
expected() {
    awk -v said="$(head -n 1 "$work/out")" '
        /^driver / { mine = index(said, ", driver " substr($0, 8)) > 0 }
        mine && /\|/ { gsub(/ +\| +/, " | "); print }' "$list" >"$work/expected"
    [ -s "$work/expected" ] || fail "$list has no row of this driver: $(head -n 1 "$work/out")"
}

# as_listed OPTIONS WHAT: the probes give the listed results
as_listed() {
    local status=0 wanted=0
    probe "$1" || status=$?
    [ "$status" != 4 ] || { cat "$work/errors"; fail "$1 is not available"; }
    expected
    diff "$work/expected" "$work/table" || fail "$1 on $VK_DRIVER_FILES sees something else"
    if grep -q 'violation$' "$work/expected"; then
        wanted=1
    fi
    [ "$status" = "$wanted" ] || fail "$1 on $VK_DRIVER_FILES: exit code $status instead of $wanted"
}

# Probes that memory=host does not support are left out.
same_by_host_memory() {
    sed -i '/^buffer.copy /d' "$work/expected"
    probe vulkan:memory=host || true
    sed '/^buffer.copy /d' "$work/table" | diff "$work/expected" - || fail "memory=host changes what is seen"
}

validated() {
    probe vulkan:validation=on || [ $? != 4 ] || {
        grep -q 'VK_LAYER_KHRONOS_validation' "$work/errors" || fail "$(cat "$work/errors")"
        echo "no validation layer is installed: what it says of the probes is not looked at"
        return 0
    }
    diff "$work/expected" "$work/table" || fail "the validation layer changes what is seen"
    ! grep -i 'VUID\|validation' "$work/errors" || fail "the validation layer has something to say"
}

# The probes of a run: in its log, in its last line, and in the comparison with another driver.
written_down() {
    "$cts" run --backend vulkan --profile core --overwrite --out "$work/run-$1" examples \
        >"$work/out" || fail "the cases do not pass"
    [ "$(grep -c '"record":"probe"' "$work/run-$1/results.jsonl")" = "$(wc -l <"$work/expected")" ] ||
        fail "not all probes are in the log"
    grep -q '^probes: ' "$work/out" || fail "a run does not say what its probes saw"
    if grep -q 'violation$' "$work/expected"; then
        tail -n 1 "$work/out" | grep -q '; [0-9]* probes\? \(have\|has\) a finding' ||
            fail "the last line does not tell of violations: $(tail -n 1 "$work/out")"
    fi
}

[ "${1-none}" != none ] || fail "this build has no vulkan backend: libvulkan-dev and glslang-tools are \
needed"
# drivers look for a display; they must find none
export XDG_RUNTIME_DIR=$work
unset DISPLAY WAYLAND_DISPLAY
export LP_NUM_THREADS=0 LP_NATIVE_VECTOR_WIDTH=256
number=0
for icd in "$@"; do
    [ -f "$icd" ] || fail "there is no $icd"
    export VK_DRIVER_FILES=$icd
    as_listed vulkan
    validated
    written_down "$number"
    same_by_host_memory
    number=$((number + 1))
done
if [ "$number" -gt 1 ]; then
    "$cts" compare "$work/run-0" "$work/run-1" >"$work/out" || true
    grep -q '    subgroup.partial: coherent -> wrong, violation (new finding)' "$work/out" ||
        { cat "$work/out"; fail "compare does not show what the drivers differ in"; }
fi
