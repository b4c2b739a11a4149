#!/usr/bin/env bash
# docs/case-text.md says what the program says: each line `$ topk-cts ...` in a block of it is run, and what
# is behind it, up to the next such line or the end of the block, has to be what is printed. Run as
#   case_text_test.sh BIN [--write]
# where BIN holds topk-cts; --write puts what is printed into the page.
set -eu

if [ $# -lt 1 ] || [ ! -x "$1/topk-cts" ] || [ "${2:---write}" != --write ]; then
    echo "usage: $0 BIN [--write]" >&2
    exit 2
fi
bin=$(cd "$1" && pwd)
page=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)/docs/case-text.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset TOPK_WORKER
export LC_ALL=C NO_COLOR=1
PATH=$bin:$PATH

commands=0
skip=''
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
[ "$commands" -ge 10 ] || {
    echo "there are $commands commands in $page: is it still read?" >&2
    exit 1
}
if [ $# = 2 ]; then
    cp "$work/page.md" "$page"
elif ! diff "$page" "$work/page.md"; then
    echo "docs/case-text.md is not what the program prints; $0 BIN --write mends it" >&2
    exit 1
fi
echo "$commands commands of docs/case-text.md print what it says"
