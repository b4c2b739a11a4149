# shellcheck shell=bash
# The fuzz targets and what they need to run, for scripts/fuzz, which sets root, engine, out and space, and for
# scripts/fuzz-bench and scripts/fuzz-faults.
# shellcheck disable=SC2154

targets() {
    local file
    for file in "$root"/fuzz/targets/*.c; do
        file=${file##*/}
        printf '%s\n' "${file%.c}"
    done
}

list_targets() {
    local name
    for name in $(targets); do
        printf '%-14s %s\n' "$name" "$(sed -n 's/^ *\.about = "\(.*\)",$/\1/p' "$root/fuzz/targets/$name.c")"
    done
}

# fuzz_packages ENGINE: prints the packages that it needs besides build_packages
fuzz_packages() {
    printf '%s\n' clang-14 libclang-rt-14-dev lld-14 llvm-14
    [ "$1" = libfuzzer ] || printf '%s\n' afl++
}

# AFL++ must see crashes itself, so the kernel must not pipe core dumps to a program.
check_core_pattern() {
    local file=${TOPK_CORE_PATTERN-/proc/sys/kernel/core_pattern} pattern
    [ "$engine" != libfuzzer ] && [ -z "${AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES-}" ] || return 0
    pattern=$(cat "$file" 2>/dev/null || true)
    case $pattern in
    '|'*) die "cores are sent to a program ($file is '$pattern'), so AFL++ would take crashes for hangs
  as root: echo core >/proc/sys/kernel/core_pattern
  or, if that does not matter: AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 scripts/fuzz ..." ;;
    esac
}

# has_space MIB PART: whether MIB / PART MiB are free at $out
has_space() {
    [ "$(df --output=avail -Bk "$out" | tail -n 1 | tr -dc '0-9')" -ge $(($1 * 1024 / $2)) ]
}

check_space() {
    has_space "$space" 1 || die "no space: less than $space MiB are free at $out (TOPK_FUZZ_SPACE)"
    { : >"$out/.writable"; } 2>/dev/null || die "cannot write to $out"
    rm "$out/.writable"
}

# build PRESET TARGET...: configures and builds targets
build() {
    local log
    log=$(mktemp)
    # an existing build folder keeps its options
    if ! { [ "$root/build/$1/build.ninja" -nt "$root/CMakePresets.json" ] || cmake --preset "$1"; } >"$log" 2>&1 ||
        ! cmake --build --preset "$1" --target "${@:2}" >>"$log" 2>&1; then
        tail -n 30 "$log" >&2
        rm "$log"
        die "preset $1 could not be built"
    fi
    rm "$log"
}

# unpack_kept FOLDER: unpacks the kept inputs of the target, except those that exist already
unpack_kept() {
    local kept=$root/corpus/fuzz/$target.tar
    [ ! -e "$kept" ] || tar -xmf "$kept" -C "$1" --skip-old-files --exclude=version || die "$kept cannot be unpacked"
}

count_files() {
    find "$1" -type f 2>/dev/null | wc -l
}
