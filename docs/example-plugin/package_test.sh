#!/usr/bin/env bash
# usage: package_test.sh BUILD [whole]
# The package for authors of backends: the example is built and tested with what is installed of BUILD, by CMake and by
# pkg-config, and with the source tree as a part of its own build. With `whole' that part has the programs, too.
set -u
build=$(realpath "$1")
whole=${2-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(realpath "$here/../..")
work=$(realpath "$(mktemp -d)")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0
failed=0

# check NAME COMMAND...: it exits with 0
check() {
    local name=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        passed=$((passed + 1))
        echo "ok - $name"
    else
        failed=$((failed + 1))
        echo "not ok - $name"
        tail -n 30 "$work/log" | sed 's/^/  | /'
    fi
}

# refused NAME TEXT COMMAND...: it fails and says TEXT
refused() {
    local name=$1 text=$2 code=0
    shift 2
    "$@" >"$work/refusal" 2>&1 || code=$?
    # CMake breaks lines
    check "$name" eval "cat '$work/refusal'; [ $code != 0 ] && tr -s '\n ' ' ' <'$work/refusal' | grep -qF '$text'"
}

# built NAME SOURCE TESTS OPTION...: SOURCE is configured, built, and has so many tests, which pass
built() {
    local name=$1 source=$2 tests=$3
    shift 3
    rm -rf "$work/build"
    check "$name: configured" cmake -G Ninja -S "$source" -B "$work/build" -D CMAKE_BUILD_TYPE=Release "$@"
    check "$name: built" cmake --build "$work/build"
    check "$name: the plugin is there" test -f "$work/build/example.so"
    check "$name: $tests tests" eval "ctest --test-dir '$work/build' -N | grep -x 'Total Tests: $tests'"
    [ "$tests" = 0 ] || check "$name: they pass" ctest --test-dir "$work/build" -j2 --output-on-failure
}

# ---- installed ------------------------------------------------------------------------------------------

check 'installed' cmake --install "$build" --prefix "$work/first"
mv "$work/first" "$work/a prefix" # a package may be moved
built 'find_package' "$here" 2 -D "CMAKE_PREFIX_PATH=$work/a prefix"
check 'its results' test -f "$work/build/topk-results/example.core.2/results.jsonl"
built 'find_package without tests' "$here" 0 -D "CMAKE_PREFIX_PATH=$work/a prefix" -D BUILD_TESTING=OFF
mkdir "$work/version"
printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(version LANGUAGES C)' 'find_package(topk-cts 9.0 REQUIRED)' \
    >"$work/version/CMakeLists.txt"
refused 'another version' 'requested version "9.0"' \
    cmake -S "$work/version" -B "$work/version/build" -D "CMAKE_PREFIX_PATH=$work/a prefix"
mv "$work/a prefix" "$work/moved"
pc=$(find "$work/moved" -name topk-cts.pc)
export PKG_CONFIG_PATH=${pc%/*}
# shellcheck disable=SC2046 # words
check 'pkg-config: the header' gcc -std=c17 $(pkg-config --cflags topk-cts) -fPIC -shared -o pc.so "$here/example.c"
check 'pkg-config: the program' "$(pkg-config --variable=program topk-cts)" --version
check 'manual pages and completions' eval "find '$work/moved' -type f | grep -q topk-cts-run.1 && find '$work/moved' -type f | grep -q /_topk-cts"
check 'the licence' eval "find '$work/moved' -name LICENSE | grep -q ."

# ---- a part of another build ----------------------------------------------------------------------------

# project NAME LINE...: a project that has the example as its own, and what the lines do to get topk-cts
project() {
    mkdir -p "$work/$1"
    {
        printf 'cmake_minimum_required(VERSION 3.25)\nproject(%s LANGUAGES C)\ninclude(CTest)\n' "$1"
        printf '%s\n' "${@:2}"
        # the whole of profile core is run above
        sed '1,/^find_package/d' "$here/CMakeLists.txt" | sed "s#example\\.c#$here/example.c#; s#SHARDS 2#PROFILE peers#"
    } >"$work/$1/CMakeLists.txt"
}
project part "add_subdirectory($root topk-cts)"
built 'add_subdirectory' "$work/part" 1 -D "TOPK_CTS_PROGRAM=$build/bin/topk-cts"
check 'nothing else is built' eval "! find '$work/build' -name '*.a' | grep ."
built 'add_subdirectory without tests' "$work/part" 0 -D BUILD_TESTING=OFF
refused 'tests without a program' 'set TOPK_CTS_PROGRAM' cmake -S "$work/part" -B "$work/none"
project fetched 'include(FetchContent)' "FetchContent_Declare(topk-cts SOURCE_DIR $root)" 'FetchContent_MakeAvailable(topk-cts)'
built 'FetchContent' "$work/fetched" 1 -D "TOPK_CTS_PROGRAM=$build/bin/topk-cts"
project wrong "add_subdirectory($root topk-cts)" 'topk_cts_add_tests(nothing)'
refused 'tests of no target' 'there is no target' cmake -S "$work/wrong" -B "$work/none2" -D TOPK_CTS_PROGRAM=true
if [ "$whole" = whole ]; then
    built 'add_subdirectory with the programs' "$work/part" 1 -D TOPK_PROGRAMS=ON
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
