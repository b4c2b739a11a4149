# shellcheck shell=bash
# Reads tables of mutants. A row has an id, a file, the test that must notice, the original line and the changed
# line. To be sourced after scripts/lib.sh.

# read_mutants TABLE: calls take_mutant ID FILE NOTICER FROM TO, which the script defines, for each row
read_mutants() {
    local id file noticer from to
    while read -r id file noticer; do
        case $id in '' | '#'*) continue ;; esac
        IFS= read -r from || die "$1: $id has no line to be changed"
        IFS= read -r to || die "$1: $id has no changed line"
        take_mutant "$id" "$file" "$noticer" "${from#- }" "${to#+ }"
    done <"$1"
}

# change_line FILE FROM TO OUT: writes the changed FILE to OUT; false unless FILE has the line FROM exactly once
change_line() {
    local text rest
    text=$(cat "$1" && printf .)
    rest=${text#*"$2"}
    if [ "$rest" = "$text" ] || [[ $rest == *"$2"* ]]; then
        return 1
    fi
    text=${text/"$2"/"$3"}
    printf '%s' "${text%.}" >"$4"
}
