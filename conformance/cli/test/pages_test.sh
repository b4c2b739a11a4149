#!/usr/bin/env bash
# The pages below show the program's real output: each line `$ topk-cts ...` in a code block is run, and the text
# after it, up to the next such line or the end of the block, must be its output. Run as
#   pages_test.sh BIN [--write]
# where BIN holds topk-cts; --write puts what is printed into the pages.
set -eu

if [ $# -lt 1 ] || [ ! -x "$1/topk-cts" ] || [ "${2:---write}" != --write ]; then
    echo "usage: $0 BIN [--write]" >&2
    exit 2
fi
bin=$(cd "$1" && pwd)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset TOPK_WORKER
export LC_ALL=C NO_COLOR=1
PATH=$bin:$PATH

status=0
# check PAGE COMMANDS OPTION: the page has at least so many commands, and they print what it says
check() {
    local page=$root/$1 commands=0 skip='' line
    while IFS= read -r line; do
        case $line in
        '$ topk-cts '*)
            printf '%s\n' "$line"
            eval "${line#??}" 2>&1 </dev/null || true
            commands=$((commands + 1))
            skip=yes
            ;;
        '```'*)
            printf '%s\n' "$line"
            skip=''
            ;;
        *) [ -n "$skip" ] || printf '%s\n' "$line" ;;
        esac
    done <"$page" >"$work/page.md"
    [ "$commands" -ge "$2" ] || {
        echo "there are $commands commands in $1: is it still read?" >&2
        status=1
    }
    if [ "${3-}" = --write ]; then
        cp "$work/page.md" "$page"
    elif ! diff "$page" "$work/page.md"; then
        echo "$1 is not what the program prints; $0 BIN --write updates it" >&2
        status=1
    fi
    echo "$commands commands of $1"
}

check README.md 1 "${2-}"
check docs/case-text.md 10 "${2-}"
check docs/coverage.md 1 "${2-}"
exit "$status"
