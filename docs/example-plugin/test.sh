#!/usr/bin/env bash
# Builds the example plugin the way its head says, and runs it: every valid case must pass. Compiles the header that it
# includes as Microsoft's dialect of C and of C++, too.
set -euo pipefail
bin=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

lines=$(wc -l <"$here/example.c")
[ "$lines" -lt 150 ] || { echo "example.c has $lines lines; it is to stay under 150" >&2; exit 1; }

cd "$work"
gcc -std=c17 -Wall -Wextra -Werror -O2 -fPIC -shared -I"$here/../../backends/include" -o example.so \
    "$here/example.c"
"$bin/topk-cts" run --backend ./example.so --profile core --out results >log || { cat log >&2; exit 1; }
grep -q '^CONFORMANT' log || { cat log >&2; exit 1; }
grep -q 'example does not check descriptions' log

echo '#include "topk_backend.h"' >dialect.c
cp dialect.c dialect.cpp
for language in c17:c c++17:cpp; do
    clang-14 --driver-mode=cl --target=x86_64-pc-windows-msvc "/std:${language%:*}" /W4 /WX /clang:-pedantic /clang:-ffreestanding \
        "/I$here/../../backends/include" /c "dialect.${language#*:}"
done
