#!/usr/bin/env bash
# usage: field_one_test.sh BIN NAME    # the folder of topk-cts and topk-backend, and an implementation
# Checks that all versions of an implementation give their known results, and runs the reproductions of its bugs.
set -u

export TOPK_BIN=$1
name=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
failed=0
"$root/scripts/field" run "$name@all" || failed=1
cd "$root/backends/field/bugs" || exit 1
bugs=$(grep -lE "implementation: $name(@|\$)" -- *)
for bug in $bugs; do
    "$root/scripts/field" reproduce "$bug" || failed=1
done
exit "$failed"
