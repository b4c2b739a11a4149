#!/usr/bin/env bash
# No process of an implementation under test survives a run, however the run ends: usage: contain_test.sh BIN [HOSTILE].
# Kills the runner, the judge and both while a backend process has left processes behind that ignore signals and are in
# their own sessions; also checks what a backend process inherits at its start. Prints a line a check and "N passed,
# M failed".
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

# wait_until COMMAND...: false if it still fails after a minute
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

# run_with NAME COMMAND [OPTION...]: runs one case on a backend process
run_with() {
    local name=$1 command=$2
    shift 2
    "$bin/topk-cts" run --backend-command "$command" --profile peers --timeout 60 --jobs 1 --out "$work/$name" "$@" \
        'order.values:top_k fl=2.1 in=i32[1,2,3,7] axis=3 k=4 data=shuffle.1:434024' </dev/null >"$work/$name.out" 2>&1
}

# dies NAME MODE PROCESSES WHO...: kills WHO once the processes of a mode run; then none of them may be left
dies() {
    local name=$token-$1 mode=$2 processes=$3 who pids=() keeper judge runner started left
    shift 3
    run_with "$name" "exec '$hostile' $mode $name-" 2>/dev/null &
    started=$!
    wait_until has_as_many "$hostile $mode $name-" "$processes" || { cat "$work/$name.out"; return 1; }
    # the oldest is the one that the keeper started
    keeper=$(parent_of "$(pgrep -o -f -x -- "$hostile $mode $name-")")
    judge=$(parent_of "$keeper")
    runner=$(parent_of "$judge")
    for who; do
        pids+=("${!who}")
    done
    # without the runner, whose command line also contains the name
    mapfile -t left < <(pgrep -f -- "$hostile $mode $name-" | grep -vx -e "$runner")
    kill -KILL "${pids[@]}"
    wait_until all_gone "${left[@]}" || { ps -o pid,ppid,args "${left[@]}"; return 1; }
    kill -KILL "$runner" 2>/dev/null
    wait "$started" 2>/dev/null
    true
}

check 'no process survives when the runner is killed' dies runner stay-hang 4 runner
check 'no process survives when the judge is killed' dies judge stay-hang 4 judge
check 'no process survives when the keeper is killed' dies keeper stay-hang 4 keeper
check 'no process survives when runner and judge are killed' dies both stay-hang 4 runner judge

# ---- what a backend process inherits

# facts NAME OPTION...: writes what a backend process inherits to $work/facts-NAME; leaves a tree that is hard to remove
cat >"$work/facts" <<'END'
{
    printf 'folder %s\n' "$PWD"
    printf 'tmp %s\n' "$TMPDIR"
    printf 'core %s\n' "$(ulimit -c)"
    sed -n 's/^NoNewPrivs:[[:space:]]*/privileges /p' /proc/$$/status
    sed -n 's/^SigIgn:[[:space:]]*/ignored /p' /proc/$$/status
    for file in /proc/$$/fd/*; do
        case ${file##*/} in
        [012] | 10 | 255) ;; # 10 and 255: the shell reads this from there
        *) printf 'file %s %s\n' "${file##*/}" "$(readlink "$file")" ;;
        esac
    done
    env | sed 's/^/env /'
} >"$1"
mkdir -p "$TMPDIR/a/b/c" && : >"$TMPDIR/a/b/c/d" && ln -s / "$TMPDIR/link" && chmod 0 "$TMPDIR/a/b"
exec "$2" cpu
END

facts() {
    local name=$1
    shift
    (
        trap '' USR1
        export MY_API_KEY=hidden MY_TOKEN=hidden MY_OTHER=shown LP_NUM_THREADS=7
        exec 7</etc/passwd 8>"$work/leak"
        run_with "facts-$name" "exec sh '$work/facts' '$work/seen-$name' '$bin/topk-backend'" "$@"
    )
    [ -s "$work/seen-$name" ] || cat "$work/facts-$name.out"
}

# sees NAME LINE: the backend process saw a line that matches an extended regular expression
sees() {
    grep -qxE -e "$2" "$work/seen-$1" || { cat "$work/seen-$1"; return 1; }
}

# blind NAME LINE: it saw no such line
blind() {
    ! grep -xE -e "$2" "$work/seen-$1"
}

facts plain
check 'a backend process inherits no open files' blind plain 'file .*/(passwd|leak)'
check 'a backend process inherits no ignored signals' sees plain 'ignored 0+'
check 'core dumps are off' sees plain 'core [01]'
check 'a backend process cannot gain privileges' sees plain 'privileges 1'
check 'a command runs in the folder where topk-cts was started' sees plain "folder $PWD"
check 'a command gets a folder for temporary files' sees plain 'tmp .*/topk-[^/]*'
check 'the folder for temporary files is removed' [ ! -e "$(sed -n 's/^tmp //p' "$work/seen-plain")" ]
check 'secrets are removed from the environment' blind plain 'env .*hidden'
check 'other variables are passed on' sees plain 'env MY_OTHER=shown'
log=$work/facts-plain/results.jsonl
check 'the log records variables that affect drivers' grep -q '"variables":"[^"]*LP_NUM_THREADS=7' "$log"
facts free --new-privileges --env MY_TOKEN --env NEW='a b' --memory 4G
check '--new-privileges allows new privileges' sees free 'privileges 0'
check '--env NAME passes a secret on' sees free 'env MY_TOKEN=hidden'
check '--env NAME=VALUE sets a variable' sees free 'env NEW=a b'
log=$work/facts-free/results.jsonl
check 'the log records the containment options' grep -q '"contained":"memory=4294967296 new-privileges env=MY_TOKEN env=NEW=a b"' "$log"
check 'the log contains no secret' [ "$(grep -c hidden "$log")" -eq 0 ]
check 'the replay command in the log has the containment options' grep -q -- "--new-privileges --env 'MY_TOKEN' --env 'NEW=a b'" "$log"
facts clean --clean-env --env ONE=1
check '--clean-env removes other variables' blind clean 'env (MY_OTHER|LP_NUM_THREADS)=.*'
check '--clean-env keeps PATH' sees clean 'env PATH=.*'
check '--clean-env keeps variables that --env sets' sees clean 'env ONE=1'
run_with facts-free "exec sh '$work/facts' '$work/seen-free' '$bin/topk-backend'" --resume
check 'a run cannot be resumed with other containment options' grep -q 'containment' "$work/facts-free.out"

# ---- other commands withhold secrets, too

cat >"$work/spy" <<END
printf '%s\\n' "\${SPY_TOKEN-withheld}" >>"$work/spied"
exec "$bin/topk-backend" cpu
END
withholds() {
    rm -f "$work/spied"
    SPY_TOKEN=leaked "$bin/topk-cts" "$@" >"$work/spy.out" 2>&1 || true
    grep -q '^withheld$' "$work/spied" && ! grep -q leaked "$work/spied"
}
check 'check-backend passes no secrets on' withholds check-backend "sh '$work/spy'"
check 'backends passes no secrets on' withholds backends --backend-command "sh '$work/spy'"

# ---- a worker that hangs leaves no folder ----------------------------------------------------------

mkdir "$work/temporary"
TMPDIR=$work/temporary "$bin/topk-cts" run --in-process --backend faulty:hang-refused --timeout 1 --max-timeouts 1 \
    --no-identity --out "$work/hangs" invalid.k-zero >"$work/hangs.out" 2>&1
check 'a worker that hangs gives a timeout' grep -q '"verdict":"timeout"' "$work/hangs/results.jsonl"
check 'the folder of a worker that hangs is removed' [ -z "$(ls "$work/temporary")" ]

# ---- limits, and text of a backend

says() {
    cat "$work/$1.out" "$work/$1/results.jsonl" | grep -qE -e "$2" || { tail -n 5 "$work/$1.out"; return 1; }
}

run_with memory "exec '$hostile' eat-memory $token-memory-" --memory 300M
check 'exceeding --memory is a crash, with the reason' says memory '"verdict":"crash".*it took more than the memory of --memory'
run_with cpu "exec '$hostile' burn $token-cpu-" --cpu 0.3
check 'exceeding --cpu is a timeout, with the reason' says cpu '"verdict":"timeout".*it took more than the processor time of --cpu'
run_with controls "exec '$hostile' say-controls" --verbose
check 'text of a backend is shown' says controls 'title'
check 'control characters of a backend are not printed' [ "$(LC_ALL=C tr -d '\n\t\040-\176\200-\377' <"$work/controls.out" | wc -c)" -eq 0 ]

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
