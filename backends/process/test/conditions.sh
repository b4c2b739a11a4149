# shellcheck shell=bash
# Checks for tests of processes: prints a line a check, and how many passed. To be sourced under `set -u`. The caller
# leaves the output of its last command in the files out and err of the folder `work`, and its exit code in `code`.
# shellcheck disable=SC2154

passed=0
failed=0

# check NAME CONDITION...: the condition is a command
check() {
    local name=$1 file
    shift
    if "$@"; then
        passed=$((passed + 1))
        printf 'ok %s\n' "$name"
        return
    fi
    failed=$((failed + 1))
    printf 'not ok %s\n' "$name"
    for file in out err; do
        [ ! -f "$work/$file" ] || tail -n 40 "$work/$file" | sed "s/^/# $file: /"
    done
    printf '# exit code %s\n' "${code-}"
}

# sum_up: prints how many passed, and fails if any failed
sum_up() {
    printf '%d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" -eq 0 ]
}
