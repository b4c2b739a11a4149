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

# run ARGUMENT...: standard input is that of the worker; leaves out, err and $code
run() {
    # the group takes what the shell says of a worker that crashed
    { timeout 60 "${worker[@]}" "$@" >"$work/out" 2>"$work/err"; } 2>/dev/null
    code=$?
}

# says FORMAT [ARGUMENT...]: what printf makes is said to a worker of cpu
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

# ended CODE LINES
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
check 'help is printed' ended 0 "$(wc -l <"$work/out")"
check 'help says how it is used' line 1 'Usage: topk-worker \[OPTION...\] --process .*'
run --list </dev/null
check 'the list has cpu' line 1 $'cpu\t.+'
check 'the list ends with 0' [ "$code" -eq 0 ]
check 'lines of the list end with a line feed only' no_return
for arguments in '' '--backend' '--list x' '--backend cpu x' '--nothing' '-h' 'cpu' '--help --list'; do
    # shellcheck disable=SC2086
    run $arguments </dev/null
    check "usage error: '$arguments'" ended 2 0
    check "usage on standard error: '$arguments'" err_has 'Usage: topk-worker'
done

# ---- backends that are not there
# unavailable NAME BACKEND PATTERN
unavailable() {
    run --backend "$2" </dev/null
    check "unavailable: $1" ended 4 1
    check "its reason: $1" line 1 "unavailable $3"
}
unavailable 'unknown name' nothing "unknown%20backend%20'nothing';.*cpu.*"
unavailable 'missing plugin' "./missing.$plugin" "\./missing\.$plugin:.*"
unavailable 'missing plugin without a folder' "missing.$plugin" "\./missing\.$plugin:.*"
unavailable 'another ABI' "$bin/broken_abi.$plugin" ".*broken_abi\.$plugin%20has%20ABI%20version%202%2C%20this%20worker%20needs%201"
unavailable 'no entry' "$bin/broken_empty.$plugin" ".*broken_empty\.$plugin.*topk_backend_entry"
unavailable 'options that it does not take' cpu:options "cpu:%20option%20'options'%20is%20not%20known;.*"
unavailable 'options that hold a path' cpu:lib=/a/b.so "cpu:%20option%20'lib%3D/a/b\.so'%20is%20not%20known;.*"
unavailable 'unknown fault' "$bin/broken.$plugin:nothing" "no%20fault%20'nothing';.*"

# ---- the greeting and the end
says ''
check 'end of input ends it' ended 0 1
check 'it introduces itself' line 1 "$greeting"
says 'quit\n'
check 'quit ends it' ended 0 1
says 'quit\nbatch 1\n%s\n' "$case_text"
check 'nothing is answered after quit' ended 0 1
says 'quit\r\n'
check 'quit with a carriage return' ended 0 1

# ---- batches
says 'batch 1\n%s\nquit\n' "$case_text"
check 'a batch of one' ended 0 3
check 'begin comes first' line 2 'begin 0 1'
check 'then the result' line 3 "$(done_pass 0)"
check 'nothing on standard error' silent
says 'batch 3\n%s\n%s\n%s\nbatch 1\n%s\nquit\n' "$case_text" "$other_text" "$invalid_text" "$case_text"
check 'two batches at once' ended 0 9
check 'results in order' line 5 "$(done_pass 1)"
check 'an invalid call is refused, which is a status' line 7 "$(done_pass 2) by=status"
check 'numbers start again' line 8 'begin 0 1'
check 'the second batch is answered' line 9 "$(done_pass 0)"
says 'batch 2\r\n%s\r\n%s\r\nquit\r\n' "$case_text" "$other_text"
check 'carriage returns are ignored' ended 0 5
check 'a case with one is a case' line 3 "$(done_pass 0)"
check 'and none is written' no_return
{
    printf 'batch 1024\n'
    for ((i = 0; i < 1024; i++)); do printf '%s\n' "$other_text"; done
    printf 'quit\n'
} | run_cpu
code=$(cat "$work/code")
check 'a batch of 1024' ended 0 2049
check 'its last result' line 2049 "$(done_pass 1023)"
printf 'batch 5\n%s\n%s\n%s\n%s\n%s\nquit\n' "$case_text" "$case_text" nothing "$case_text" \
    "$case_text" >"$work/in"
run --backend "$bin/broken.$plugin:none" <"$work/in"
check 'a backend of four calls at once' ended 0 9
check 'it begins two before the malformed case' line 2 'begin 0 2'
check 'the malformed case stands alone' line 5 'begin 2 1'
check 'and two after it' line 7 'begin 3 2'

# ---- malformed cases
says 'batch 3\n%s\n%s\n%s\nquit\n' "$case_text" 'top_k fl=5.0 in=f32[04]' "$case_text"
check 'a malformed case spoils no other' ended 0 7
check 'it is answered with its column' line 5 \
    'done 1 harness-error clause=- obs=0 ns=0 why=no%20case:%20column%2021:.*leading%20zero'
check 'the next one is run' line 7 "$(done_pass 2)"
says 'batch 2\n\n%s\nquit\n' "$case_text"
check 'an empty line is no case' line 3 'done 0 harness-error .*column%201:.*'
check 'the next one is run after it' line 5 "$(done_pass 1)"
head -c 300000 /dev/zero | tr '\0' x >"$work/long"
{
    printf 'batch 2\n'
    cat "$work/long"
    printf '\n%s\nquit\n' "$case_text"
} | run_cpu
code=$(cat "$work/code")
check 'a huge line is no case' line 3 'done 0 harness-error .*column%201:.*'
check 'and ends where it ends' line 5 "$(done_pass 1)"
says 'batch 2\nabc\0def\n%s\nquit\n' "$case_text"
check 'a line with a NUL is one line' ended 0 5
check 'which is no case' line 3 'done 0 harness-error .*'
check 'and hides no other' line 5 "$(done_pass 1)"

says 'batch 2\n\032\n%s\nquit\n' "$case_text"
check 'a ^Z is no end' ended 0 5
check 'and no case' line 3 'done 0 harness-error .*'

# ---- the end of input within a batch
says 'batch 2\n%s\n' "$case_text"
check 'end of input within a batch' ended 0 1
says 'batch 1\n%s' "$case_text"
check 'end of input within a line' ended 0 1
says 'batch 1'
check 'end of input within a command' ended 0 1

# ---- bad commands
for command in batch 'batch ' 'batch 0' 'batch 1025' 'batch 99999' 'batch -1' 'batch 1x' 'batch x' \
    'batch  1' 'Batch 1' 'quit now' 'hello' '' ' quit' 'batch 1 '; do
    says '%s\nquit\n' "$command"
    check "not understood: '$command'" ended 3 2
    check "it says so: '$command'" line 2 'error not%20understood:.*'
done
says '%s\n' "$(cat "$work/long")"
check 'a huge command is quoted in part' ended 3 2
says '\001\377%%,= \n'
check 'strange bytes are escaped' line 2 'error not%20understood:%20%01%FF%25%2C%3D%20'

# ---- plugins that print
for fault in prints-to-stdout garbage-on-stdout; do
    printf 'batch 2\n%s\n%s\nquit\n' "$case_text" "$other_text" >"$work/in"
    run --backend "$bin/broken.$plugin:$fault" <"$work/in"
    check "$fault does not disturb" ended 0 4
    check "$fault: all is answered" line 4 "$(done_pass 1)"
done
check 'what it prints goes to standard error' err_has 'begin 0 1'

# ---- plugins that end the process: what had begun is known
# ends FAULT CODES
ends() {
    printf 'batch 6\n%s\n%s\n%s\n%s\n%s\n%s\nquit\n' "$case_text" "$case_text" "$case_text" \
        "$case_text" "$case_text" "$other_text" >"$work/in"
    run --backend "$bin/broken.$plugin:$1" <"$work/in"
    check "$1 ends it" grep -qxE -e "$2" <<<"$code"
    check "$1: what was done is known" line 6 "$(done_pass 3)"
    check "$1: the culprit has begun" line 7 'begin 4 2'
    check "$1: nothing else is said" lines 7
}
ulimit -c 0
# a sanitizer makes an exit code of a signal, and so does Windows
ends crash '139|1|3'
ends abort '134|1|3'
ends exit0 0

sum_up
