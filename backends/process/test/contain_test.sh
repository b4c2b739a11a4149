#!/usr/bin/env bash
# Nothing that is under test survives a run, however that ends: usage: contain_test.sh BIN [HOSTILE]. Kills the runner,
# the judge and both while a backend process has left deaf processes behind in sessions of their own, and looks at what
# a backend process was started with. Prints a line a check and "N passed, M failed".
set -u

bin=$(cd "${1:?usage: contain_test.sh BIN [HOSTILE]}" && pwd) || exit 2
hostile=$(realpath "${2:-$bin/hostile}") || exit 2
work=$(mktemp -d) || exit 2
token=contain-test-$$
passed=0
failed=0

clean() {
    local pid
    for pid in $(pgrep -f "$token-"); do
        kill -KILL "$pid" 2>/dev/null
    done
    rm -rf "$work"
}
trap clean EXIT

# check NAME CONDITION...: the condition is a command; what it prints is shown if it fails
check() {
    local name=$1
    shift
    if "$@" >"$work/seen" 2>&1; then
        passed=$((passed + 1))
        printf 'ok %s\n' "$name"
    else
        failed=$((failed + 1))
        printf 'not ok %s\n' "$name"
        sed 's/^/# /' "$work/seen"
    fi
}

# wait_until COMMAND...: false if it does not hold within a minute
wait_until() {
    local tries
    for ((tries = 0; tries < 600; tries++)); do
        ! "$@" || return 0
        sleep 0.1
    done
    return 1
}

count_of() {
    pgrep -f -c -- "$1"
}

has_as_many() {
    [ "$(count_of "$1")" -ge "$2" ]
}

# all_gone PID...
all_gone() {
    local pid
    for pid; do
        [ ! -e "/proc/$pid" ] || return 1
    done
}

# parent_of PID
parent_of() {
    local line fields
    read -r line <"/proc/$1/stat" || return 1
    read -ra fields <<<"${line##*) }"
    printf '%s\n' "${fields[1]}"
}

# run_with NAME COMMAND [OPTION...]: one case, on a backend process
run_with() {
    local name=$1 command=$2
    shift 2
    "$bin/topk-cts" run --backend-command "$command" --profile peers --timeout 60 --jobs 1 --out "$work/$name" "$@" \
        'order.values:top_k fl=1.0 in=i32[1,1,1,7] axis=3 k=3 data=shuffle.1:1' </dev/null >"$work/$name.out" 2>&1
}

# dies NAME MODE PROCESSES WHO...: kills those when the processes of a mode are there; none of them is left then
dies() {
    local name=$token-$1 mode=$2 processes=$3 who pids=() keeper judge runner started left
    shift 3
    run_with "$name" "exec '$hostile' $mode $name-" 2>/dev/null &
    started=$!
    wait_until has_as_many "$hostile $mode $name-" "$processes" || { cat "$work/$name.out"; return 1; }
    # the oldest is the one that was started
    keeper=$(parent_of "$(pgrep -o -f -x -- "$hostile $mode $name-")")
    judge=$(parent_of "$keeper")
    runner=$(parent_of "$judge")
    for who; do
        pids+=("${!who}")
    done
    # without the runner, which has the name in its command line too
    mapfile -t left < <(pgrep -f -- "$hostile $mode $name-" | grep -vx -e "$runner")
    kill -KILL "${pids[@]}"
    wait_until all_gone "${left[@]}" || { ps -o pid,ppid,args "${left[@]}"; return 1; }
    kill -KILL "$runner" 2>/dev/null
    wait "$started" 2>/dev/null
    true
}

check 'the runner is killed' dies runner stay-hang 4 runner
check 'the judge is killed' dies judge stay-hang 4 judge
check 'the keeper is killed' dies keeper stay-hang 4 keeper
check 'runner and judge are killed' dies both stay-hang 4 runner judge

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
