#!/usr/bin/env bash
# The worker's side of docs/protocol.md: usage: worker_test.sh FOLDER [COMMAND...]. FOLDER has topk-worker and
# broken.so, broken_abi.so, broken_empty.so; or topk-worker.exe and .dll files, and COMMAND runs it. Prints
# a line a check and "N passed, M failed".
set -u

bin=$(cd "${1:?usage: worker_test.sh FOLDER [COMMAND...]}" && pwd) || exit 2
shift
if [ -f "$bin/topk-worker.exe" ]; then
    worker=("$@" "$bin/topk-worker.exe")
    plugin=dll
else
    worker=("$bin/topk-worker")
    plugin=so
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
# shellcheck source=backends/process/test/conditions.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../process/test/conditions.sh"

case_text='top_k fl=5.0 in=f32[4] axis=0 k=2 data=shuffle.1:1'
other_text='top_k1 fl=5.0 in=u8[9] axis=0 k=3 dir=inc data=few.1:2:1'
invalid_text='top_k fl=5.0 in=f32[4] axis=1 k=2'

# run ARGUMENT...: runs the worker with this standard input; writes out and err, sets $code
run() {
    # hides the shell's messages about a crashed worker
    { timeout 60 "${worker[@]}" "$@" >"$work/out" 2>"$work/err"; } 2>/dev/null
    code=$?
}

# says FORMAT [ARGUMENT...]: sends the output of printf to a worker of cpu
says() {
    # shellcheck disable=SC2059
    printf "$@" | run_cpu
    code=$(cat "$work/code")
}

run_cpu() {
    run --backend cpu
    printf '%s\n' "$code" >"$work/code"
}

# line N PATTERN: whether line N of the output matches an extended regular expression as a whole
line() {
    sed -n "$1p" "$work/out" | grep -qxE -e "$2"
}

lines() {
    [ "$(wc -l <"$work/out")" -eq "$1" ]
}

# ended CODE LINES: whether the exit code and the number of lines of the output are these
ended() {
    [ "$code" -eq "$1" ] && lines "$2"
}

no_return() {
    ! grep -q $'\r' "$work/out"
}

silent() {
    [ ! -s "$work/err" ]
}

err_has() {
    grep -qF -e "$1" "$work/err"
}

word='[!-$&-+.-<>-~%-]*'
greeting="topk-worker 1 name=cpu version=$word device=$word driver=$word features=$word level=5\\.0 flags=6 batch=1 own="
done_pass() {
    printf 'done %s pass clause=- obs=[0-9a-f]+ ns=[0-9]+' "$1"
}

# ---- the command line
run --help </dev/null
check '--help exits with 0' ended 0 "$(wc -l <"$work/out")"
check '--help prints the usage' line 1 'Usage: topk-worker \[OPTION...\] --process .*'
run --list </dev/null
check '--list lists cpu' line 1 $'cpu\t.+'
check '--list exits with 0' [ "$code" -eq 0 ]
check 'lines of --list end with a line feed only' no_return
for arguments in '' '--backend' '--list x' '--backend cpu x' '--nothing' '-h' 'cpu' '--help --list'; do
    # shellcheck disable=SC2086
    run $arguments </dev/null
    check "usage error: '$arguments'" ended 2 0
    check "usage on standard error: '$arguments'" err_has 'Usage: topk-worker'
done

# ---- unavailable backends
# unavailable NAME BACKEND PATTERN: the backend cannot be opened, and PATTERN matches the reason
unavailable() {
    run --backend "$2" </dev/null
    check "unavailable: $1" ended 4 1
    check "reason: $1" line 1 "unavailable $3"
}
unavailable 'unknown name' nothing "unknown%20backend%20'nothing';.*cpu.*"
unavailable 'missing plugin' "./missing.$plugin" "\./missing\.$plugin:.*"
unavailable 'missing plugin without a folder' "missing.$plugin" "\./missing\.$plugin:.*"
unavailable 'another ABI' "$bin/broken_abi.$plugin" ".*broken_abi\.$plugin%20has%20ABI%20version%202%2C%20this%20worker%20needs%201"
unavailable 'no entry' "$bin/broken_empty.$plugin" ".*broken_empty\.$plugin.*topk_backend_entry"
unavailable 'unknown option' cpu:options "cpu:%20option%20'options'%20is%20not%20known;.*"
unavailable 'unknown option with a path' cpu:lib=/a/b.so "cpu:%20option%20'lib%3D/a/b\.so'%20is%20not%20known;.*"
unavailable 'unknown fault' "$bin/broken.$plugin:nothing" "no%20fault%20'nothing';.*"

# ---- the greeting and the end
says ''
check 'the worker exits with 0 at the end of input' ended 0 1
check 'the worker sends its greeting' line 1 "$greeting"
says 'quit\n'
check 'the worker exits with 0 after quit' ended 0 1
says 'quit\nbatch 1\n%s\n' "$case_text"
check 'commands after quit are ignored' ended 0 1
says 'quit\r\n'
check 'quit may end with a carriage return' ended 0 1

# ---- batches
says 'batch 1\n%s\nquit\n' "$case_text"
check 'a batch of one case is answered' ended 0 3
check 'a batch of one case: begin comes first' line 2 'begin 0 1'
check 'a batch of one case: the result follows' line 3 "$(done_pass 0)"
check 'a batch of one case: nothing on standard error' silent
says 'batch 3\n%s\n%s\n%s\nbatch 1\n%s\nquit\n' "$case_text" "$other_text" "$invalid_text" "$case_text"
check 'two batches in a row are answered' ended 0 9
check 'results come in the order of the cases' line 5 "$(done_pass 1)"
check 'an invalid call is refused with a status' line 7 "$(done_pass 2) by=status"
check 'numbers start at 0 in each batch' line 8 'begin 0 1'
check 'the second batch gets a result' line 9 "$(done_pass 0)"
says 'batch 2\r\n%s\r\n%s\r\nquit\r\n' "$case_text" "$other_text"
check 'carriage returns are ignored' ended 0 5
check 'a case that ends with a carriage return gets a result' line 3 "$(done_pass 0)"
check 'the worker writes no carriage returns' no_return
{
    printf 'batch 1024\n'
    for ((i = 0; i < 1024; i++)); do printf '%s\n' "$other_text"; done
    printf 'quit\n'
} | run_cpu
code=$(cat "$work/code")
check 'a batch of 1024 cases is answered' ended 0 2049
check 'a batch of 1024 cases: the last result' line 2049 "$(done_pass 1023)"
printf 'batch 5\n%s\n%s\n%s\n%s\n%s\nquit\n' "$case_text" "$case_text" nothing "$case_text" \
    "$case_text" >"$work/in"
run --backend "$bin/broken.$plugin:none" <"$work/in"
check 'a backend of four calls at once answers all cases' ended 0 9
check 'cases before a malformed one begin together' line 2 'begin 0 2'
check 'a malformed case begins alone' line 5 'begin 2 1'
check 'cases after a malformed one begin together' line 7 'begin 3 2'

# ---- malformed cases
says 'batch 3\n%s\n%s\n%s\nquit\n' "$case_text" 'top_k fl=5.0 in=f32[04]' "$case_text"
check 'a batch with a malformed case is answered' ended 0 7
check 'a malformed case gets a harness-error with the column' line 5 \
    'done 1 harness-error clause=- obs=0 ns=0 why=no%20case:%20column%2021:.*leading%20zero'
check 'the case after a malformed one is run' line 7 "$(done_pass 2)"
says 'batch 2\n\n%s\nquit\n' "$case_text"
check 'an empty line gets a harness-error' line 3 'done 0 harness-error .*column%201:.*'
check 'the case after an empty line is run' line 5 "$(done_pass 1)"
head -c 300000 /dev/zero | tr '\0' x >"$work/long"
{
    printf 'batch 2\n'
    cat "$work/long"
    printf '\n%s\nquit\n' "$case_text"
} | run_cpu
code=$(cat "$work/code")
check 'a huge line gets a harness-error' line 3 'done 0 harness-error .*column%201:.*'
check 'the case after a huge line is run' line 5 "$(done_pass 1)"
says 'batch 2\nabc\0def\n%s\nquit\n' "$case_text"
check 'a batch whose line contains a NUL is answered' ended 0 5
check 'a line that contains a NUL gets a harness-error' line 3 'done 0 harness-error .*'
check 'the case after a line with a NUL is run' line 5 "$(done_pass 1)"

says 'batch 2\n\032\n%s\nquit\n' "$case_text"
check '^Z does not end the input' ended 0 5
check 'a line with ^Z gets a harness-error' line 3 'done 0 harness-error .*'

# ---- the end of input within a batch
says 'batch 2\n%s\n' "$case_text"
check 'end of input within a batch exits with 0 and runs nothing' ended 0 1
says 'batch 1\n%s' "$case_text"
check 'end of input within a line exits with 0 and runs nothing' ended 0 1
says 'batch 1'
check 'end of input within a command exits with 0 and runs nothing' ended 0 1

# ---- bad commands
for command in batch 'batch ' 'batch 0' 'batch 1025' 'batch 99999' 'batch -1' 'batch 1x' 'batch x' \
    'batch  1' 'Batch 1' 'quit now' 'hello' '' ' quit' 'batch 1 '; do
    says '%s\nquit\n' "$command"
    check "an unknown command exits with 3: '$command'" ended 3 2
    check "an unknown command is reported: '$command'" line 2 'error not%20understood:.*'
done
says '%s\n' "$(cat "$work/long")"
check 'a huge unknown command exits with 3' ended 3 2
says '\001\377%%,= \n'
check 'special bytes in an error are escaped' line 2 'error not%20understood:%20%01%FF%25%2C%3D%20'

# ---- plugins that print
for fault in prints-to-stdout garbage-on-stdout; do
    printf 'batch 2\n%s\n%s\nquit\n' "$case_text" "$other_text" >"$work/in"
    run --backend "$bin/broken.$plugin:$fault" <"$work/in"
    check "$fault does not disturb the protocol" ended 0 4
    check "$fault: all cases are answered" line 4 "$(done_pass 1)"
done
check 'output of a plugin goes to standard error' err_has 'begin 0 1'

# ---- plugins that end the process: the output shows which cases had begun
# ends FAULT CODES: the exit code matches CODES
ends() {
    printf 'batch 6\n%s\n%s\n%s\n%s\n%s\n%s\nquit\n' "$case_text" "$case_text" "$case_text" \
        "$case_text" "$case_text" "$other_text" >"$work/in"
    run --backend "$bin/broken.$plugin:$1" <"$work/in"
    check "$1 ends the worker with the right exit code" grep -qxE -e "$2" <<<"$code"
    check "$1: results before it are sent" line 6 "$(done_pass 3)"
    check "$1: the case that ends the worker has begun" line 7 'begin 4 2'
    check "$1: nothing is sent after it" lines 7
}
ulimit -c 0
# sanitizers, and Windows, turn a signal into an exit code
ends crash '139|1|3'
ends abort '134|1|3'
ends exit0 0

sum_up
