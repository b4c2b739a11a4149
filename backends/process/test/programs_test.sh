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
check 'backend: --help exits with 0' ended 0
check 'backend: --help prints the usage' out_has 'Usage: topk-backend NAME'
for arguments in '' '--nothing' '-h' 'cpu cpu' '--help cpu'; do
    # shellcheck disable=SC2086
    run topk-backend $arguments </dev/null
    check "backend: usage error exits with 2: '$arguments'" ended 2
    check "backend: usage on standard error: '$arguments'" err_has 'Usage: topk-backend NAME'
    check "backend: usage error prints nothing to standard output: '$arguments'" silent
done
run topk-backend nothing </dev/null
check 'backend: an unknown name exits with 4' ended 4
check 'backend: an unknown name is reported' out_has "unavailable unknown%20backend%20'nothing';"
said quit run topk-backend cpu
check 'backend: quit exits with 0' ended 0
check 'backend: quit prints nothing' silent
run topk-backend cpu <"$work"
check 'backend: unreadable input exits with 3' ended 3
check 'backend: unreadable input is reported' err_has 'standard input cannot be read'
said devices run topk-backend cpu
check 'backend: the command devices is answered' out_has 'devices='
printf 'devices\n' | { timeout 60 "$bin/topk-backend" cpu >/dev/full 2>"$work/err"; printf '%s\n' "$?" >"$work/code"; }
code=$(cat "$work/code")
check 'backend: unwritable output exits with 3' ended 3
check 'backend: unwritable output is reported' err_has 'standard output cannot be written'
# the answer has more bytes than a pipe holds, and its reader has ended
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
check 'backend: a closed output pipe exits with 3' ended 3
check 'backend: a closed output pipe is reported' err_has 'standard output cannot be written'

# ---- topk-worker: options ----------------------------------------------------------------------

# wrong NAME MESSAGE ARGUMENT...: checks that topk-worker rejects these arguments
wrong() {
    run topk-worker "${@:3}" </dev/null
    check "worker: $1: exit code" ended 2
    check "worker: $1: message" err_has "$2"
    check "worker: $1: nothing on standard output" silent
}
usage='Usage: topk-worker [OPTION...]'
wrong 'an option without a backend' "$usage" --device a
wrong 'a device of a backend in this process' "$usage" --device a --backend cpu
wrong 'an unknown option' "$usage" --nothing a --backend cpu
wrong 'an unknown side' "--guard-pages takes end, start or both, not 'middle'" --guard-pages middle --backend cpu
wrong 'unknown results' "--results takes outputs, not 'inputs'" --results inputs --backend cpu
wrong 'a malformed size of case memory' "--case-memory takes a number of bytes, not '1G'" --case-memory 1G --backend cpu
wrong 'memory with a space' "--case-memory takes a number of bytes, not '1 1'" --case-memory '1 1' --backend cpu
wrong 'empty free memory' "--free-memory takes a number of bytes, not ''" --free-memory '' --backend cpu
wrong 'a malformed contract' '--contract: ' --contract ties=never --backend cpu
for word in nothing core-dump core-dumpsx memory= memory=x memory=9223372036854775808 'memory=1 1' 'memory=1 1' cpu cpu=-1; do
    wrong "unknown containment: '$word'" "--contain has no word '$word'" --contain "own-folder,$word" --backend cpu
done
check 'worker: of two words the wrong one is named' err_has "'cpu=-1'"

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
wrong 'devices of two backends' "$usage" --devices cpu cpu
wrong 'devices of an unknown name' "no backend 'nothing' is built in" --devices nothing
wrong 'a check without a command' "$usage" --check 1
for seconds in '' x 1x 0 0.0001 1000001 nan -1; do
    wrong "a check of '$seconds' seconds" "--check takes seconds from 0.001 to 1000000, not '$seconds'" \
        --check "$seconds" "$bin/topk-backend" cpu
done

run topk-worker --check 5 true </dev/null
check 'worker: --check of a process that ends at once exits with 1' ended 1
check 'worker: --check names the broken rule' out_has '  rule:   '

run topk-worker --parent $$ --devices cpu </dev/null
check 'worker: --devices of a backend without devices exits with 0' ended 0
check 'worker: --devices of a backend without devices lists none' silent
run topk-worker --faults </dev/null
check 'worker: --faults exits with 0' ended 0
check 'worker: --faults lists the faults' out_has 'tie-high'
for name in $("$bin/topk-worker" --list | cut -f1); do
    # Drivers keep memory until the end of the process. Once they are unloaded, it looks like a leak.
    ASAN_OPTIONS=detect_leaks=0 run topk-worker --devices "$name" </dev/null
    check "worker: --devices $name exits with 0" ended 0
done
run topk-worker --devices --process "$bin/topk-backend" cpu </dev/null
check 'worker: --devices of a process exits with 0' ended 0
run topk-worker --devices --process "$bin/nothing" </dev/null
check 'worker: --devices of a missing program exits with 70' ended 70
check 'worker: --devices of a missing program is reported' [ -s "$work/err" ]
run topk-worker --devices --process "$bin/topk-backend" nothing </dev/null
check 'worker: --devices of an unknown backend exits with 70' ended 70
run topk-worker --process "$bin/nothing" </dev/null
check 'worker: a missing program exits with 70' ended 70
check 'worker: a missing program is reported' [ -s "$work/err" ]
run topk-worker --process "$bin/topk-backend" nothing </dev/null
check 'worker: a backend unknown to its process exits with 4' ended 4
check 'worker: a backend unknown to its process is reported' out_has "unavailable unknown%20backend%20'nothing'"

# ---- topk-worker: effects of options -----------------------------------------------------------

# passes NAME ARGUMENT...: checks that one case passes
passes() {
    said "$batch" run topk-worker "${@:2}"
    check "worker: $1: exit code" ended 0
    check "worker: $1: the case passes" out_has 'done 0 pass '
}
passes 'enough memory' --case-memory 4294967296 --free-memory 4294967296 --backend cpu
passes 'containment' --contain memory=8000000000000,cpu=100000,core-dumps,new-privileges --backend cpu
passes 'no containment' --contain '' --backend cpu
passes 'a contract' --contract ties=any --backend cpu
passes 'results' --results outputs --process "$bin/topk-backend" cpu
check 'worker: --results outputs adds the outputs' out_has ' outputs='
for side in end start both; do
    passes "guard pages: $side" --guard-pages "$side" --backend cpu
    passes "guard pages of a process: $side" --guard-pages "$side" --process "$bin/topk-backend" cpu
done
passes 'stages' --stages "$work/stages" --backend cpu
check 'worker: --stages writes the stages' [ -s "$work/stages" ]
said "$(printf 'limit 5\n%s' "$batch")" run topk-worker --backend cpu
check 'worker: a limit does not affect a backend in this process' out_has 'done 0 pass '
passes 'an empty device' --device '' --backend cpu
said "$batch" run topk-worker --stages "$work/none/stages" --backend cpu
check 'worker: unwritable stages exit with 3' ended 3
check 'worker: unwritable stages are reported' err_has "--stages: $work/none/stages cannot be written"
said "$batch" run topk-worker --stages /dev/full --backend cpu
check 'worker: truncated stages exit with 3' ended 3
said "$batch" run topk-worker --contract ties=lowest --backend "$bin/contracts.so:heap"
check 'worker: another contract than the declared one exits with 3' ended 3
check 'worker: another contract than the declared one is reported' out_has 'misdeclared '
said "$batch" run topk-worker --backend "$bin/contracts.so:heap,contract=ties=never"
check 'worker: a malformed contract exits with 3' ended 3
check 'worker: a malformed contract is reported' out_has 'misdeclared backend%20'
run topk-worker --backend cpu <"$work"
check 'worker: unreadable input exits with 3' ended 3
check 'worker: unreadable input is reported' err_has 'standard input cannot be read'
timeout 60 "$bin/topk-worker" --backend cpu </dev/null >/dev/full 2>"$work/err"
code=$?
check 'worker: unwritable output exits with 3' ended 3
check 'worker: unwritable output is reported' err_has 'standard output cannot be written'
for list in --help --list --faults; do
    timeout 60 "$bin/topk-worker" "$list" </dev/null >/dev/full 2>"$work/err"
    code=$?
    check "worker: $list into an unwritable output exits with 3" ended 3
    check "worker: $list into an unwritable output is reported" err_has "standard output cannot be written"
done
timeout 60 "$bin/topk-worker" --backend nothing </dev/null >/dev/full 2>"$work/err"
code=$?
check 'worker: an unknown backend exits with 4, also if the output is unwritable' ended 4

# backend processes that print too much, fail, or lack a feature
cat >"$work/more" <<ENDS
"$bin/topk-backend" cpu
echo more
ENDS
said "$batch" run topk-worker --process sh "$work/more"
check 'worker: a process that prints after its last answer exits with 70' ended 70
check 'worker: a process that prints after its last answer is reported' out_has 'died 0 0 it%20broke%20the%20backend%20protocol:%20it%20said%20"more"'
cat >"$work/fails" <<ENDS
"$bin/topk-backend" cpu
exit 9
ENDS
said "$batch" run topk-worker --process sh "$work/fails"
check 'worker: a process that exits with an error exits with 70' ended 70
check 'worker: a process that exits with an error is reported' out_has 'died 0 0 '
cat >"$work/guards" <<ENDS
read -r line
echo 'topk-backend 1 name=a version= device= driver= features= level=5.0 flags=0 batch=1 frame=0 align=1 own='
read -r line
ENDS
said "$batch" run topk-worker --guard-pages end --process sh "$work/guards"
check 'worker: --guard-pages with a process that lacks them exits with 4' ended 4
check 'worker: --guard-pages with a process that lacks them is reported' out_has 'unavailable guard%20pages%20need'
printf 'read -r line\necho "misdeclared why"\nexit 3\n' >"$work/misdeclared"
said "$batch" run topk-worker --process sh "$work/misdeclared"
check 'worker: a misdeclared contract of a process exits with 3' ended 3
check 'worker: a misdeclared contract of a process is reported' out_has 'misdeclared why'

# ---- topk-worker: any command ------------------------------------------------------------------

"$bin/topk-worker" --parent $$ --contain '' --keep sh -c 'echo kept; exit 5' </dev/null >"$work/out" 2>"$work/err"
code=$?
check 'keep: the exit code is that of the command' ended 5
check 'keep: the output is that of the command' out_has kept
run topk-worker --keep "$bin/nothing" </dev/null
check 'keep: a missing command exits with 3' ended 3
check 'keep: a missing command is reported' [ -s "$work/err" ]
run topk-worker --contain nothing --keep true </dev/null
check 'keep: unknown containment exits with 3' ended 3
check 'keep: unknown containment is reported' err_has "--contain has no word 'nothing'"
run topk-worker --keep </dev/null
check 'keep: no command exits with 2' ended 2
run topk-worker --contain '' --nothing true </dev/null
check 'keep: an unknown option exits with 2' ended 2

sum_up
