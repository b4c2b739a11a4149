#!/usr/bin/env bash
# Builds and runs each example backend as its head says. Each case that it is asked has to get the
# verdict that the backend cpu gets: only calls that are invalid or too large are not asked. Run as
#   test.sh DIR PART
# where DIR holds topk-cts and the other programs. PART: a shard of profile core such as 1/4, or 1/1 for all.
set -euo pipefail
bin=$1
part=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
own='descriptions are not checked'
large='is too large to be run, and the contract says nothing of creation alone'

fail() {
    echo "$*" >&2
    exit 1
}

# Runs the profile with some options: NAME.log has what was said, NAME the results.
run() {
    local name=$1
    shift
    "$bin/topk-cts" run "$@" --profile core --shard "$part" --jobs 0 --out "$name" >"$name.log" ||
        fail "$name: $(cat "$name.log")"
    tail -n 1 "$name.log" | grep -qE '^(CONFORMANT|PASSED)' || fail "$name: $(cat "$name.log")"
}

# Writes the verdicts to NAME.verdicts, sorted: those of cases that were not asked have a mark.
list_verdicts() {
    jq -r --arg own "$own" --arg large "$large" '
        select(.record == "case")
        | (.verdict == "unsupported"
           and (.reason == $large or (((.reason // "") | endswith($own)) and .clause != null))) as $unasked
        | if $unasked then "unasked" else .verdict end + " " + .id' "$1/results.jsonl" |
        LC_ALL=C sort >"$1.verdicts"
}

# Compares what an example was asked with what cpu got.
compare() {
    local others
    list_verdicts "$1"
    others=$(grep -v '^unasked ' "$1.verdicts" | LC_ALL=C comm -23 - cpu.verdicts)
    [ -z "$others" ] || fail "$1 gets other verdicts than cpu:
$others"
    diff <(cut -d ' ' -f 2- cpu.verdicts | LC_ALL=C sort) \
        <(cut -d ' ' -f 2- "$1.verdicts" | LC_ALL=C sort) >&2 || fail "$1 got other cases than cpu"
}

for file in example.c example.mjs example.pl; do
    lines=$(wc -l <"$here/$file")
    [ "$lines" -lt 120 ] || fail "$file has $lines lines; it is to stay under 120"
done

cd "$work"
cp "$here"/example.* .
gcc -std=c17 -Wall -Wextra -Wpedantic -Werror -O2 -o example example.c
for command in ./example 'node example.mjs' 'perl example.pl'; do
    "$bin/topk-cts" check-backend "$command" >check.log || fail "$command: $(cat check.log)"
done
run cpu --backend cpu
list_verdicts cpu
for command in ./example 'node example.mjs' 'perl example.pl'; do
    name=${command##*[ /]}
    run "run-$name" --backend-command "$command"
    compare "run-$name"
done
