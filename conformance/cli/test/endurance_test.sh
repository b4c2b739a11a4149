#!/usr/bin/env bash
# A run of random cases of mixed sizes: no process grows, no descriptor and no temporary file is left.
# usage: endurance_test.sh BIN SOURCES SANITIZED(0|1)
set -euo pipefail
bin=$1
if [ "$3" = 1 ]; then
    # a sanitizer keeps freed memory, so processes grow
    exec "$2/scripts/endurance" --bin "$bin" --count 4000 --max-elements 4096 --every 0.2 --no-memory
fi
# a worker that keeps 128 MiB of buffers has 163 MiB in the second quarter of these, and 208 in the last
exec "$2/scripts/endurance" --bin "$bin" --count 24000 --max-elements 16384 --every 0.1
