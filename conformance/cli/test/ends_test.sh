#!/usr/bin/env bash
# Every command ends with a message and the right exit code when a stream is closed, a resource is exhausted or a
# call fails, and whatever a worker sends or fails to send. Run as
#   ends_test.sh BIN
set -u
# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "$0")/checks.sh"
begin BIN "$@"
ulimit -c 0

# limited OPTION LIMIT COMMAND...: under a limit of the shell, without the open files of the caller
limited() {
    local file
    (
        for file in /proc/self/fd/*; do
            file=${file##*/}
            [ "$file" -le 2 ] || eval "exec $file>&-"
        done
        ulimit "$1" "$2"
        shift 2
        exec "$@"
    )
}

# to_file COMMAND...: with standard output in a file that may grow to 1 KiB
to_file() {
    (
        ulimit -f 1
        exec "$@" >to_file.txt
    )
}

# without FILES COMMAND...: with these standard files closed
without() {
    local files=$1
    shift
    (
        [[ $files != *0* ]] || exec <&-
        [[ $files != *1* ]] || exec >&-
        [[ $files != *2* ]] || exec 2>&-
        exec "$@"
    )
}

# ---- standard files that are closed ----------------------------------------------------------------

for files in 0 1 2 01 02 12 012; do
    code=0
    words=()
    if [[ $files = *1* ]]; then
        code=3
        [[ $files = *2* ]] || words=(has 'standard output')
    fi
    check "run without $files" "$code" ${words[@]+"${words[@]}"} -- \
        without $files "$cts" run examples --backend cpu --out "without$files"
    check "check-backend without $files" "$code" ${words[@]+"${words[@]}"} -- \
        without $files "$cts" check-backend --timeout 5 "$bin/topk-backend cpu"
    check "the log of run without $files" 0 has '87 passed, 0 failed' -- "$cts" report "without$files" --format json
done
check 'list without 1' 3 has 'cannot write to standard output' -- without 1 "$cts" list
check 'replay - without 0' 3 has 'cannot read standard input: Bad file descriptor' -- \
    without 0 "$cts" replay --backend cpu -
for program in 'topk-worker --backend' 'topk-backend'; do
    read -ra words <<<"$program"
    check "$program without 1" 3 has 'standard output is not usable' -- \
        without 1 "$bin/${words[0]}" "${words[@]:1}" cpu
    check "$program without 0" 3 has 'standard input cannot be read' -- \
        without 0 "$bin/${words[0]}" "${words[@]:1}" cpu
    check "$program without 012" 3 -- without 012 "$bin/${words[0]}" "${words[@]:1}" cpu
done

# ---- limits ----------------------------------------------------------------------------------------

for files in 8 14 20; do
    check "run with $files files" 3 has 'Too many open files' -- \
        limited -n $files "$cts" run examples --backend cpu --out "files$files"
done
check 'run with 4 files' 3 has 'topk-cts run: ' -- limited -n 4 "$cts" run examples --backend cpu --out files4
check 'run with 40 files' 0 -- limited -n 40 "$cts" run examples --backend cpu --out files40
check 'list into a file that has reached its size limit' 3 has 'cannot write to standard output: File too large' -- \
    to_file "$cts" list
check 'a log that reaches the limit of file sizes' 3 has 'File too large' lacks 'CONFORMANT:' -- \
    limited -f 8 "$cts" run examples --backend cpu --out small
check 'a report that reaches the limit of file sizes' 3 has 'File too large' -- \
    limited -f 8 "$cts" report without0 --output page.html

# ---- system calls that fail ------------------------------------------------------------------------

# failing CALL COMMAND...
failing() {
    local call=$1
    shift
    LD_PRELOAD=$bin/failing_calls.so TOPK_TEST_FAIL=$call "$@"
}
if [ -n "${SANITIZED:-}" ]; then
    echo 'failing calls: not under the sanitizers, which have to be loaded first'
else
    # libuv calls abort() if it cannot wait
    for call in epoll_create1 epoll_ctl epoll_wait eventfd pipe2 fork; do
        check "run where $call fails" 3 has 'topk-cts' -- failing $call "$cts" run examples --backend cpu --out "no-$call"
    done
    # the process that the worker starts
    for call in pipe fork; do
        check "check-backend where $call fails" 4 has 'cannot start' -- \
            failing $call "$cts" check-backend "$bin/topk-backend cpu"
    done
fi

# ---- a small stack ---------------------------------------------------------------------------------

zeros='floats.zeros:top_k fl=2.0 in=f32[1,1,3,2] axis=3 k=2 data=zeros.1:559542'
if [ -n "${SANITIZED:-}" ]; then
    echo 'a small stack: not under the sanitizers, whose frames are larger'
else
    small() { check "96 KiB of stack: $1" "$2" -- limited -s 96 "$cts" "${@:3}"; }
    small run 0 run examples --backend cpu --out stack
    small 'run that fails' 1 run floats.zeros --backend faulty:B26 --shrink --out stack-fails
    small list 0 list
    small spec 0 spec
    small man 0 man
    small backends 0 backends
    small schema 0 schema log
    small coverage 0 coverage
    small report 0 report stack --output stack.html
    small 'report of failures' 0 report stack-fails --format markdown
    small compare 1 compare stack-fails stack-fails stack
    small explore 0 explore --backend cpu --count 100 --seed 1 --out explored.txt
    small replay 1 replay --backend faulty:B26 "$zeros"
    small shrink 1 shrink --backend faulty:B26 "$zeros"
    small export 0 export "$zeros" --format npy --output npy
    small import 0 import npy
    small expectations 0 expectations update stack-fails
    small check-backend 0 check-backend "$bin/topk-backend cpu"
    "$cts" run examples --backend cpu --shard 1/2 --out shard1 >/dev/null
    "$cts" run examples --backend cpu --shard 2/2 --out shard2 >/dev/null
    small merge 0 merge shard1 shard2 --out merged
    "$cts" package stack --keygen key >/dev/null 2>&1
fi

# ---- workers that print too much, or nothing -------------------------------------------------------

cat >fake.sh <<'FAKE'
echo 'topk-worker 1 name=fake version=9 device=none driver= features= level=5.0 flags=4 batch=1 own='
while read -r word n; do
    [ "$word" = batch ] || exit 0
    i=0
    while [ $i -lt "$n" ]; do read -r text; i=$((i + 1)); done
    case $1 in
    errors) while echo 'error not%20mine'; do :; done ;;
    begun) echo 'begin 0 1'; while echo 'error not%20mine'; do :; done ;;
    crashes) while echo 'crash SIGSEGV@0x10;mine.so+0x1139'; do :; done ;;
    lines) while echo; do :; done ;;
    stderr) echo 'begin 0 1'; while echo words >&2; do :; done ;;
    silent) echo 'begin 0 1'; sleep 99 ;;
    esac
done
FAKE
fake() { echo "sh $work/fake.sh $*"; }
for how in errors crashes lines; do
    check "a worker that prints $how without end" 3 has 'ended 3 times in a row without a result' -- \
        timeout 60 "$cts" run examples --worker "$(fake $how)" --out "says-$how"
done
check 'a worker that prints lines without end within a case' 1 has '1 crash' has 'did not understand: not mine' -- \
    timeout 60 "$cts" run examples --worker "$(fake begun)" --max-crashes 1 --retries 0 --out begun
check 'a worker whose standard error has no end' 1 has '1 timeout' -- \
    timeout 60 "$cts" run examples --worker "$(fake stderr)" --timeout 0.2 --max-timeouts 1 --retries 0 --out stderr
check 'a worker that hangs in every case' 1 has 'the last 10 cases all timed out, so no more are run' \
    has '--max-timeouts N' has 'ended early after 10 timeouts' has '--resume' -- \
    timeout 60 "$cts" run examples --worker "$(fake silent)" --timeout 0.05 --retries 0 --out silent
check 'a run that ended after 10 timeouts is continued' 1 has 'continuing: 10 cases' has 'ended early after 10 timeouts' -- \
    timeout 60 "$cts" run examples --worker "$(fake silent)" --timeout 0.05 --retries 0 --out silent --resume
check '--max-timeouts 0: all cases run' 1 has '12 of 12 cases failed' lacks 'no more are run' -- \
    timeout 60 "$cts" run layout.far --worker "$(fake silent)" --timeout 0.05 --retries 0 --max-timeouts 0 --out all
check 'explore of a worker that hangs' 1 has 'the last 10 cases all timed out' -- \
    timeout 60 "$cts" explore --worker "$(fake silent)" --timeout 0.05 --count 1000 --seed 1 --out explored-silent.txt

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
