#!/usr/bin/env bash
# Profiles full and stress: their digests, the coverage of full, and runs on correct backends.
# usage: full_test.sh BIN profiles|cpu|cpu_whole|onnxruntime onnxruntime|none
set -euo pipefail
bin=$1
part=$2
onnxruntime=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# passes BACKEND PROFILE TEXT OPTION...: the run exits with 0, and prints the text
passes() {
    "$bin/topk-cts" run --backend "$1" --profile "$2" --out "$work/$1-$2" "${@:4}" >"$work/log" ||
        { tail -n 60 "$work/log"; fail "$1 fails profile $2"; }
    grep -q "^$3\\(, [0-9]* % of the valid calls served\\)\\?: [0-9]* passed\\( ([0-9]* by status alone)\\)\\?, 0 failed, " "$work/log" || { cat "$work/log"; fail "no '$3'"; }
}

case $part in
profiles)
    for profile in full stress; do
        "$bin/topk-cts" profile "$profile" --verify >"$work/log" || { cat "$work/log"; fail "drifted"; }
    done
    cases=$("$bin/topk-cts" list --profile full | wc -l)
    [ "$cases" -ge 250000 ] || fail "full has only $cases cases"
    "$bin/topk-cts" coverage --profile full --strength 3 >"$work/log" || { tail -n 40 "$work/log"; fail "a triple is missing"; }
    ;;
cpu)
    passes cpu full PASSED --shard 1/4
    passes cpu stress CONFORMANT
    ;;
cpu_whole) passes cpu full CONFORMANT ;;
onnxruntime)
    [ "$onnxruntime" = onnxruntime ] || fail "this build has no onnxruntime backend"
    # the whole check takes two minutes, and is for authors of a new version of the profile
    passes onnxruntime full 'PASSED by the declared contract (invalid=own memory=gathered)' --shard 1/8
    ;;
*) fail "there is no part '$part'" ;;
esac
