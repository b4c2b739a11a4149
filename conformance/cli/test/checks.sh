# shellcheck shell=bash
# Checks for tests of topk-cts's command line, which print a line for each check and how many passed. To be
# sourced under `set -u`. The output of the last command is in the files out and err of the folder `said`,
# which is the current one unless the caller sets it before.

passed=0
failed=0
said=${said:-.} # folder of out and err

# begin ARGUMENTS "$@": ends the test if there are fewer arguments than words in ARGUMENTS, or if the first is not a
# folder with the programs. Otherwise sets bin to that folder, cts to the program, tests to the folder of the test,
# root to that of the sources, and work to a new folder, which becomes the current one and is removed at the end.
# shellcheck disable=SC2034 # they are for the test
begin() {
    local asked_for
    read -ra asked_for <<<"$1"
    shift
    if [ $# -lt "${#asked_for[@]}" ] || [ ! -x "$1/topk-cts" ]; then
        echo "usage: $0 ${asked_for[*]}, where ${asked_for[0]} has topk-cts and the other programs" >&2
        exit 2
    fi
    bin=$(cd "$1" && pwd)
    cts=$bin/topk-cts
    tests=$(cd "$(dirname "$0")" && pwd)
    root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
    work=$(realpath "$(mktemp -d)") && cd "$work" || exit 1
    trap 'rm -rf "$work"' EXIT
    unset TOPK_WORKER TOPK_BACKEND NO_COLOR
    # shellcheck disable=SC2046 # names
    unset $(compgen -e | grep -xE "G?TEST_.*|TESTBRIDGE_.*|XML_OUTPUT_FILE")
    export LC_ALL=C
}

# need TOOL...: without them nothing is checked
need() {
    local tool
    for tool in "$@"; do
        if ! type -P "$tool" >/dev/null; then
            echo "$tool is missing: nothing is checked without it" >&2
            exit 1
        fi
    done
}

# report RESULT NAME: RESULT is what is wrong, or nothing
report() {
    if [ -z "$1" ]; then
        passed=$((passed + 1))
        echo "ok - $2"
    else
        failed=$((failed + 1))
        printf 'not ok - %s\n  %s\n' "$2" "$1"
        sed 's/^/  | /' "$said/out" "$said/err" 2>/dev/null | cut -c 1-300 | head -n 40
    fi
}

# check NAME CODE [has TEXT|lacks TEXT]... -- COMMAND...: the exit code of COMMAND, and what its output has or lacks
check() {
    local name=$1 want=$2 wrong='' has=() lacks=() text
    shift 2
    while [ "$1" != -- ]; do
        if [ "$1" = has ]; then has+=("$2"); else lacks+=("$2"); fi
        shift 2
    done
    shift
    "$@" >"$said/out" 2>"$said/err"
    local code=$?
    [ "$code" = "$want" ] || wrong="exit code $code instead of $want"
    for text in ${has[@]+"${has[@]}"}; do
        cat "$said/out" "$said/err" | grep -qF -e "$text" || wrong="${wrong:+$wrong; }no \"$text\""
    done
    for text in ${lacks[@]+"${lacks[@]}"}; do
        ! cat "$said/out" "$said/err" | grep -qF -e "$text" || wrong="${wrong:+$wrong; }there is \"$text\""
    done
    report "$wrong" "$name"
}

# same NAME A B: two texts are equal
same() {
    if [ "$2" = "$3" ]; then report '' "$1"; else report "'${2:0:300}' is not '${3:0:300}'" "$1"; fi
}

# that NAME CONDITION...: a condition of `test` is true
that() {
    local name=$1
    shift
    if test "$@"; then report '' "$name"; else report "not so: $*" "$name"; fi
}
