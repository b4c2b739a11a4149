#!/usr/bin/env bash
# Tests the command lines of topk-backend and topk-worker, and what they do if a standard file cannot be used. Usage:
# programs_test.sh BIN. Prints one line per check, then "N passed, M failed".
set -u

bin=$(cd "${1:?usage: programs_test.sh BIN}" && pwd) || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
# shellcheck source=backends/process/test/conditions.sh
. "$(dirname "${BASH_SOURCE[0]}")/conditions.sh"

case_text='top_k fl=5.0 in=f32[4] axis=0 k=2 data=shuffle.1:1'
batch=$(printf 'batch 1\n%s\nquit' "$case_text")

# run PROGRAM ARGUMENT...: runs a program; sets $code and writes the files out and err
run() {
    timeout 60 "$bin/$1" "${@:2}" >"$work/out" 2>"$work/err"
    code=$?
}

# said TEXT COMMAND...: runs a command with this input
said() {
    printf '%s\n' "$1" >"$work/in"
    "${@:2}" <"$work/in"
}

# ended CODE: whether the exit code was this
ended() {
    [ "$code" -eq "$1" ]
}

# out_has TEXT, err_has TEXT: whether the output contains this
out_has() {
    grep -qF -e "$1" "$work/out"
}
err_has() {
    grep -qF -e "$1" "$work/err"
}
silent() {
    [ ! -s "$work/out" ]
}
lines() {
    [ "$(wc -l <"$work/out")" -eq "$1" ]
}

# ---- topk-backend ------------------------------------------------------------------------------

run topk-backend --help </dev/null
check 'backend: help' ended 0
check 'backend: help is printed' out_has 'Usage: topk-backend NAME'
for arguments in '' '--nothing' '-h' 'cpu cpu' '--help cpu'; do
    # shellcheck disable=SC2086
    run topk-backend $arguments </dev/null
    check "backend: usage error: '$arguments'" ended 2
    check "backend: usage on standard error: '$arguments'" err_has 'Usage: topk-backend NAME'
    check "backend: nothing is said: '$arguments'" silent
done
run topk-backend nothing </dev/null
check 'backend: an unknown name' ended 4
check 'backend: which is said' out_has "unavailable unknown%20backend%20'nothing';"
said quit run topk-backend cpu
check 'backend: quit' ended 0
check 'backend: without a word' silent
run topk-backend cpu <"$work"
check 'backend: input that cannot be read' ended 3
check 'backend: which is said' err_has 'standard input cannot be read'
said devices run topk-backend cpu
check 'backend: output that can be written' out_has 'devices='
printf 'devices\n' | { timeout 60 "$bin/topk-backend" cpu >/dev/full 2>"$work/err"; printf '%s\n' "$?" >"$work/code"; }
code=$(cat "$work/code")
check 'backend: output that cannot be written' ended 3
check 'backend: which is said' err_has 'standard output cannot be written'
# the answer has more bytes than fit into the pipe, and its reader has gone
call='call operator=71 level=20480 execution=0 create_only=0 axis=0 k=1 direction=1'
call+=' input.type=5 input.flags=0 input.alignment=0 input.sizes=1000000 input.strides=packed input.bytes=1000000'
call+=' input.buffer=1000000 input.offset=0 input.at=0'
for output in 'value 5 1000000' 'index 3 1000064'; do
    read -r role type at <<<"$output"
    call+=" $role.type=$type $role.flags=0 $role.alignment=0 $role.sizes=1 $role.strides=packed $role.bytes=4"
    call+=" $role.buffer=64 $role.offset=0 $role.at=$at"
done
{
    trap '' PIPE
    { printf 'open 1 \nframe 1 1 1 1000128\ngroup 1\n%s\n' "$call"; head -c 1000128 /dev/zero; } |
        { timeout 60 "$bin/topk-backend" cpu 2>"$work/err"; printf '%s\n' "$?" >"$work/code"; } | head -n 3 >"$work/out"
    trap - PIPE
}
code=$(cat "$work/code")
check 'backend: a reader that is gone' ended 3
check 'backend: which is said' err_has 'standard output cannot be written'

# ---- topk-worker: options ----------------------------------------------------------------------

# wrong NAME MESSAGE ARGUMENT...: checks that these arguments are a usage error
wrong() {
    run topk-worker "${@:3}" </dev/null
    check "worker: $1" ended 2
    check "worker: $1: which is said" err_has "$2"
    check "worker: $1: nothing else is" silent
}
usage='Usage: topk-worker [OPTION...]'
wrong 'an option of nothing' "$usage" --device a
wrong 'a device of a backend in this process' "$usage" --device a --backend cpu
wrong 'an unknown option' "$usage" --nothing a --backend cpu
wrong 'no such side' "--guard-pages takes end, start or both, not 'middle'" --guard-pages middle --backend cpu
wrong 'no such results' "--results takes outputs, not 'inputs'" --results inputs --backend cpu
wrong 'no memory of a case' "--case-memory takes a number of bytes, not '1G'" --case-memory 1G --backend cpu
wrong 'memory with a space' "--case-memory takes a number of bytes, not '1 1'" --case-memory '1 1' --backend cpu
wrong 'no free memory' "--free-memory takes a number of bytes, not ''" --free-memory '' --backend cpu
wrong 'no such contract' '--contract: ' --contract ties=never --backend cpu
for word in nothing core-dump core-dumpsx memory= memory=x memory=9223372036854775808 'memory=1 1' 'memory=1 1' cpu cpu=-1; do
    wrong "no such containment: '$word'" "--contain has no word '$word'" --contain "own-folder,$word" --backend cpu
done
check 'worker: a word of two is named' err_has "'cpu=-1'"

# plain NAME ARGUMENT...: checks that this mode accepts none of the options
plain() {
    local option
    for option in '--contract ties=any' '--device a' '--results outputs' '--stages s' '--case-memory 1' \
        '--free-memory 1' '--guard-pages end'; do
        # shellcheck disable=SC2086
        wrong "$1 with $option" "$usage" $option "${@:2}"
    done
}
plain 'devices of a name' --devices cpu
plain 'devices of a process' --devices --process "$bin/topk-backend" cpu
plain 'a check' --check 1 "$bin/topk-backend" cpu
wrong 'devices of two names' "$usage" --devices cpu cpu
wrong 'devices of an unknown name' "no backend 'nothing' is built in" --devices nothing
wrong 'a check of nothing' "$usage" --check 1
for seconds in '' x 1x 0 0.0001 1000001 nan -1; do
    wrong "a check of '$seconds' seconds" "--check takes seconds from 0.001 to 1000000, not '$seconds'" \
        --check "$seconds" "$bin/topk-backend" cpu
done

run topk-worker --check 5 true </dev/null
check 'worker: a check of a process that ends at once' ended 1
check 'worker: which rule it breaks is said' out_has '  rule:   '

run topk-worker --parent $$ --devices cpu </dev/null
check 'worker: a backend without devices' ended 0
check 'worker: lists none' silent
run topk-worker --faults </dev/null
check 'worker: the faults' ended 0
check 'worker: are listed' out_has 'tie-high'
for name in $("$bin/topk-worker" --list | cut -f1); do
    run topk-worker --devices "$name" </dev/null
    check "worker: devices of $name" ended 0
done
run topk-worker --devices --process "$bin/topk-backend" cpu </dev/null
check 'worker: devices of a process' ended 0
run topk-worker --devices --process "$bin/nothing" </dev/null
check 'worker: devices of none' ended 70
check 'worker: which is said' [ -s "$work/err" ]
run topk-worker --devices --process "$bin/topk-backend" nothing </dev/null
check 'worker: devices of an unknown backend' ended 70
run topk-worker --process "$bin/nothing" </dev/null
check 'worker: a process that is not there' ended 70
check 'worker: which is said' [ -s "$work/err" ]
run topk-worker --process "$bin/topk-backend" nothing </dev/null
check 'worker: a backend that its process has not' ended 4
check 'worker: which is said' out_has "unavailable unknown%20backend%20'nothing'"

# ---- topk-worker: effects of options -----------------------------------------------------------

# passes NAME ARGUMENT...: checks that one case passes
passes() {
    said "$batch" run topk-worker "${@:2}"
    check "worker: $1" ended 0
    check "worker: $1: the case passes" out_has 'done 0 pass '
}
passes 'memory that is enough' --case-memory 4294967296 --free-memory 4294967296 --backend cpu
passes 'containment' --contain memory=8000000000000,cpu=100000,core-dumps,new-privileges --backend cpu
passes 'no containment' --contain '' --backend cpu
passes 'a contract' --contract ties=any --backend cpu
passes 'results' --results outputs --process "$bin/topk-backend" cpu
check 'worker: with their outputs' out_has ' outputs='
for side in end start both; do
    passes "guard pages: $side" --guard-pages "$side" --backend cpu
    passes "guard pages of a process: $side" --guard-pages "$side" --process "$bin/topk-backend" cpu
done
passes 'stages' --stages "$work/stages" --backend cpu
check 'worker: stages: they are written' [ -s "$work/stages" ]
said "$(printf 'limit 5\n%s' "$batch")" run topk-worker --backend cpu
check 'worker: a limit for a backend in this process' out_has 'done 0 pass '
passes 'a device that is empty' --device '' --backend cpu
said "$batch" run topk-worker --stages "$work/none/stages" --backend cpu
check 'worker: stages that cannot be written' ended 3
check 'worker: which is said' err_has "--stages: $work/none/stages cannot be written"
said "$batch" run topk-worker --stages /dev/full --backend cpu
check 'worker: stages that are not written whole' ended 3
said "$batch" run topk-worker --contract ties=lowest --backend "$bin/contracts.so:heap"
check 'worker: another contract than the declared one' ended 3
check 'worker: which is said' out_has 'misdeclared '
said "$batch" run topk-worker --backend "$bin/contracts.so:heap,contract=ties=never"
check 'worker: a malformed contract' ended 3
check 'worker: which is said' out_has 'misdeclared backend%20'
run topk-worker --backend cpu <"$work"
check 'worker: input that cannot be read' ended 3
check 'worker: which is said' err_has 'standard input cannot be read'
timeout 60 "$bin/topk-worker" --backend cpu </dev/null >/dev/full 2>"$work/err"
code=$?
check 'worker: output that cannot be written' ended 3
check 'worker: which is said' err_has 'standard output cannot be written'

# backend processes that say more than was asked, exit with an error, or lack what is needed
cat >"$work/more" <<ENDS
"$bin/topk-backend" cpu
echo more
ENDS
said "$batch" run topk-worker --process sh "$work/more"
check 'worker: a process that says something after its end' ended 70
check 'worker: which is said' out_has 'died 0 0 it%20said%20"more"'
cat >"$work/fails" <<ENDS
"$bin/topk-backend" cpu
exit 9
ENDS
said "$batch" run topk-worker --process sh "$work/fails"
check 'worker: a process that ends badly' ended 70
check 'worker: which is said' out_has 'died 0 0 '
cat >"$work/guards" <<ENDS
read -r line
echo 'topk-backend 1 name=a version= device= driver= features= level=5.0 flags=0 batch=1 frame=0 align=1 own='
read -r line
ENDS
said "$batch" run topk-worker --guard-pages end --process sh "$work/guards"
check 'worker: a process without guard pages' ended 4
check 'worker: which is said' out_has 'unavailable guard%20pages%20need'
printf 'read -r line\necho "misdeclared why"\nexit 3\n' >"$work/misdeclared"
said "$batch" run topk-worker --process sh "$work/misdeclared"
check 'worker: a process that misdeclares' ended 3
check 'worker: which is said' out_has 'misdeclared why'

# ---- topk-worker: any command ------------------------------------------------------------------

"$bin/topk-worker" --parent $$ --contain '' --keep sh -c 'echo kept; exit 5' </dev/null >"$work/out" 2>"$work/err"
code=$?
check 'keep: exit code' ended 5
check 'keep: output' out_has kept
run topk-worker --keep "$bin/nothing" </dev/null
check 'keep: no such command' ended 3
check 'keep: which is said' [ -s "$work/err" ]
run topk-worker --contain nothing --keep true </dev/null
check 'keep: no such containment' ended 3
check 'keep: which is said' err_has "--contain has no word 'nothing'"
run topk-worker --keep </dev/null
check 'keep: no command' ended 2
run topk-worker --contain '' --nothing true </dev/null
check 'keep: another option' ended 2

sum_up
