#!/bin/bash -eu
# Copyright (c) 2026 The topk-cts authors
# SPDX-License-Identifier: MIT
#
# Builds the fuzz targets as OSS-Fuzz and ClusterFuzzLite ask: with CC, CXX, CFLAGS, CXXFLAGS and
# LIB_FUZZING_ENGINE, for SANITIZER; the sources are SRC/topk-cts, WORK is for what is thrown away. OUT
# gets for each target NAME: the program, NAME_seed_corpus.zip, NAME.options, and NAME.dict where its
# input is text; and in OUT/lib what they need of libraries, so that they run where none are installed.
#
# TOPK_FUZZ_TOOLS may name a folder that has the replay drivers already, bin of a usual build.
source=$SRC/topk-cts
work=${WORK:-/tmp}/topk-cts

die() {
    echo "build.sh: error: $*" >&2
    exit 1
}

: "${CC:?}" "${CXX:?}" "${OUT:?}" "${LIB_FUZZING_ENGINE:?}"
[ -f "$source/CMakeLists.txt" ] || die "no sources in $source"
[ "${SANITIZER:-address}" != memory ] ||
    die "sanitizer memory wants every library to be built with it; libuv, jansson, libxml2 and libzstd are not"

# configure FOLDER OPTION...: nothing but the targets. CFLAGS alone say how: CMake has no flags for
# this build type.
configure() {
    cmake -S "$source" -B "$1" -G Ninja -DCMAKE_BUILD_TYPE=Fuzz -DBUILD_TESTING=OFF -DTOPK_WARNINGS_ARE_ERRORS=OFF \
        -DTOPK_WINDOWS_WORKER=OFF -DTOPK_ONNXRUNTIME=OFF -DTOPK_VULKAN=OFF -DTOPK_D3D12=OFF "${@:2}" >"$1.log" 2>&1 ||
        { tail -n 20 "$1.log" >&2; die "cmake failed"; }
}

# what dictionaries come from, without the engine
mkdir -p "$work"
tools=${TOPK_FUZZ_TOOLS:-}
if [ -z "$tools" ]; then
    CFLAGS=-O1 CXXFLAGS=-O1 configure "$work/tools"
    cmake --build "$work/tools" --target fuzzers
    tools=$work/tools/bin
fi

# shellcheck disable=SC2016 # the loader's $ORIGIN
configure "$work/build" "-DTOPK_FUZZ_ENGINE=$LIB_FUZZING_ENGINE" \
    '-DCMAKE_BUILD_RPATH=$ORIGIN/lib' -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags
cmake --build "$work/build" --target fuzzers

# seeds NAME FOLDER: the kept corpus, and for cases those of corpus/
seeds() {
    mkdir -p "$2"
    [ ! -e "$source/corpus/fuzz/$1.tar" ] || tar -xf "$source/corpus/fuzz/$1.tar" -C "$2" --exclude=version
    case $1 in
    differential | case_text)
        awk 'match($0, /^[a-z]+\.[A-Za-z0-9_]+:/) && length <= 2000 { print substr($0, RLENGTH + 1) }' "$source"/corpus/*.txt |
            (cd "$2" && split -l 1 -a 4 - case-)
        ;;
    esac
    # a text ends where its file does
    find "$2" -name 'case-*' -exec sed -i -z 's/\n$//' {} +
}

for program in "$work"/build/fuzz/*; do
    name=${program##*/}
    IFS=$'\t' read -r _ max_bytes _ < <("$tools/fuzz_$name" --info)
    cp "$program" "$OUT/$name"
    seeds "$name" "$work/seeds/$name"
    (cd "$work/seeds/$name" && find . -type f -printf '%P\n' | LC_ALL=C sort | cmake -E tar cf "$OUT/${name}_seed_corpus.zip" --format=zip --files-from=/dev/stdin)
    "$tools/fuzz_$name" --words >"$OUT/$name.dict"
    [ -s "$OUT/$name.dict" ] || rm "$OUT/$name.dict"
    {
        printf '[libfuzzer]\nmax_len = %s\nentropic = 0\ntimeout = 25\n' "$max_bytes"
        [ ! -e "$OUT/$name.dict" ] || printf 'dict = %s.dict\n' "$name"
    } >"$OUT/$name.options"
done

# the libraries, but for those that every system with a sanitizer has
mkdir -p "$OUT/lib"
for name in "$work"/build/fuzz/*; do
    ldd "$name" | sed -nE 's/^.* => (\/[^ ]*) .*$/\1/p'
done | sort -u | grep -vE '/(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|ld-linux[^/]*)\.so' |
    while IFS= read -r library; do
        cp -L "$library" "$OUT/lib/"
    done
