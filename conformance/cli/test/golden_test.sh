#!/usr/bin/env bash
# What topk-cts prints, compared with files. Run as
#   golden_test.sh DIR [--write] [COMMAND...]
# where DIR holds topk-cts and the other programs. golden/COMMAND.txt has command lines for one command, each with
# all that it prints:
#   # a comment
#   $ a command line for bash, in a folder that is empty at the start of the file
#   | a line of standard output
#   ! a line of standard error
#   exit 2          the exit code, unless it is 0
# Times, digests, paths, versions and what depends on the machine are masked: see mask(). Some command lines print
# nothing: they prepare the next ones.
#
# --write runs the commands and writes the files again. `git diff` then shows what a change does to the messages.
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
begin DIR "$@"
shift
need minisign
write=''
if [ "${1-}" = --write ]; then
    write=1
    shift
fi
exec </dev/null
PATH=$bin:$PATH # so that topk-cts prints its name without its folder
export COLUMNS=80 TOPK_HEARTBEAT=0

# For the command lines: a worker that answers as its arguments say, and a case.
cp "$tests/fake_worker.sh" .
fake() { echo "sh ../fake_worker.sh $*"; }
# shellcheck disable=SC2034 # the command lines use it
case='top_k1 fl=5.0 in=f32[1,1,1,4] axis=3 k=2 dir=dec data=hex:40400000,3f800000,3f800000,3f800000'

version=$(topk-cts --version)
version=${version#* }

# mask: replaces on standard input what differs between runs, machines and versions
mask() {
    sed -E \
        -e "s#$work/[a-z-]*#WORK#g; s#$bin#BIN#g; s#$root#ROOT#g; s/\\b${version//./\\.}\\b/VERSION/g" \
        -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:\\]+Z/DATE/g' \
        -e 's/\b[0-9]+(\.[0-9]+)? (ns|us|ms|s|seconds|minutes)($|[^=a-z])/TIME\3/g; s/ time="[0-9.]+"/ time="TIME"/g' \
        -e 's/(SHA-256|digest) [0-9a-f]{12,64}/\1 DIGEST/g; s/\b[0-9a-f]{64}\b/DIGEST/g; s/\bcore v[0-9]+/core vN/' \
        -e 's/run again: [0-9]+ of ([0-9]+ failures?): [0-9]+ failed/run again: N of \1: N failed/; s/expires=[0-9]{4}-[0-9-]+/expires=DATE/; s/, revision [0-9a-f]{40}[^,]*//' \
        -e 's/\b(key:?) [0-9A-F]{16}\b/\1 KEY/g; s/RW[A-Za-z0-9+\/]{54}/PUBLIC-KEY/' \
        -e 's/^( *[Tt]ested: ).*/\1PARTS/; s/(compiled for) [A-Z0-9-]+/\1 LEVEL/' \
        -e 's/([Bb]uilt in:) [a-z0-9 ]+/\1 NAMES/'
}

# finish: runs the command line that render has read, if any, and prints its output
finish() {
    local code
    [ -n "$line_to_run" ] || return 0
    (eval "$line_to_run") >../out 2>../err
    code=$?
    mask <../out | sed 's/^/| /; s/ *$//'
    mask <../err | sed 's/^/! /; s/ *$//'
    [ "$code" = 0 ] || echo "exit $code"
    line_to_run=''
}

# render FILE: FILE with what its commands print now
render() {
    local line line_to_run=''
    while IFS= read -r line; do
        case $line in
        '| '* | '|' | '! '* | '!' | 'exit '*) continue ;;
        esac
        finish
        printf '%s\n' "$line"
        [ "${line#\$ }" = "$line" ] || line_to_run=${line#??}
    done <"$1"
    finish
}

if [ $# = 0 ]; then
    for file in "$tests"/golden/*.txt; do
        file=${file##*/}
        set -- "$@" "${file%.txt}"
    done
fi
for name in "$@"; do
    file=$tests/golden/$name.txt
    [ -f "$file" ] || {
        echo "there is no golden/$name.txt" >&2
        exit 2
    }
    mkdir "$name" && (cd "$name" && render "$file") >"$name.now" || exit 1
    if [ -n "$write" ]; then
        cp "$name.now" "$file"
    else
        report "$(diff -u --label "golden/$name.txt" --label printed "$file" "$name.now")" "topk-cts $name"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] || echo 'If you want the change: golden_test.sh DIR --write, then review the diff.'
[ "$failed" = 0 ]
