#!/usr/bin/env bash
# topk-cts.exe under Wine compared to topk-cts: the same exit codes, messages, verdicts and files; and what exists only
# on Windows: DLLs, cmd.exe, long paths, crashes as exceptions, Ctrl-C. Run as
#   windows_test.sh BIN WINDOWS
# where BIN holds the programs of this system and WINDOWS those for Windows, with the plugins of the tests. Prints a
# line a check and, at the end, how many passed.
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../cli/test/checks.sh"
windows=$(realpath "${2:-.}")
begin 'BIN WINDOWS' "$@"
PATH=$PATH:/usr/lib/wine # where Debian has it
need wine64 wineserver jq minisign
exec </dev/null

export WINEDEBUG=-all WINEPREFIX=$work/wine WINEDLLOVERRIDES='mscoree,mshtml,winedbg.exe,winemenubuilder.exe='
export LC_ALL=C.UTF-8 # or Wine cannot name all files
unset DISPLAY WAYLAND_DISPLAY
trap 'wineserver -k; wineserver -w; rm -rf "$work"' EXIT
timeout 300 wine64 wineboot -i >wine.log 2>&1 || { tail wine.log; exit 1; }

win() { wine64 "$windows/topk-cts.exe" "$@"; }

# Masks what may differ: names of programs, quotes, hashes, times and messages of the system.
masked() {
    sed -E -e 's/\r$//' -e "s#'?(Z:[^ ']*|/[^ ']*/)topk-cts(\\.exe)?'?#topk-cts#g" -e 's/\.exe\b//g' -e "s/[\"\`]/'/g" \
        -e 's/\(SHA-256 [0-9a-f]{12}\)/(SHA-256)/g' -e 's/[0-9]+(\.[0-9]+)? (s|ms|us|ns|MiB|KiB)\b/N \2/g' \
        -e 's/run again: [0-9]+ of .*/run again: SOME/' -e 's/, [0-9]+ (program|librar)[a-z]*( told of)?//g' -e 's/20[0-9-]+T[0-9:]+Z/TIME/g' "$1"
}

# alike NAME ARGUMENT...: both programs print the same and exit with the same code; in the folders n and w
alike() {
    local name=$1 code other wrong=''
    shift
    (cd n && "$cts" "$@" >out 2>err)
    code=$?
    (cd w && win "$@" >out 2>err)
    other=$?
    [ "$code" = "$other" ] || wrong="exit codes $code and $other"
    masked n/out >n/out.masked && masked w/out >w/out.masked
    masked n/err >n/err.masked && masked w/err >w/err.masked
    wrong="$wrong$(diff n/out.masked w/out.masked | head -n 12; diff n/err.masked w/err.masked | head -n 12)"
    said=w report "$wrong" "$name"
}

# the cases of a log, without times and other facts of this run
cases_of() {
    jq -c 'select(.record == "case") | del(.chain, .nanoseconds, .time, .pid, .crash, .reason)' "$1/results.jsonl"
}

# alike_runs NAME ARGUMENT...: as alike, and the logs have the same cases
alike_runs() {
    local name=$1
    shift
    alike "$name" run --out run --overwrite "$@"
    same "$name: its log" "$(cases_of n/run | sha256sum)" "$(cases_of w/run | sha256sum)"
}

mkdir n w
case='top_k1 fl=3.1 in=f32[3,4] axis=1 k=2 dir=inc data=nan.2:2:590186'

# ---- output

alike 'the version' --version
alike 'no command' # prints the usage
alike 'the cases of core' list --profile core
alike 'cases by a pattern' list --profile core 'order.values:*in=i32*'
alike 'the clauses' spec S12 M01
alike 'the profiles' profile core
alike 'a schema' schema log
alike 'a completion' completion bash
alike 'a manual page' man run
alike 'faults' trust --list
alike 'the coverage of core' coverage --profile core

# ---- errors

alike 'an unknown command' runn
alike 'an unknown option' run --colour
alike 'an unknown profile' run --profile cor --backend cpu
alike 'an unknown fault' run --backend faulty:nan-indexx
alike 'a missing file' replay --backend cpu --file nowhere.txt
alike 'a malformed case' replay --backend cpu 'top_k fl=9'
alike 'a folder without a run' report nowhere

# ---- runs

alike_runs 'core on cpu' --profile core --backend cpu
cp -r n/run core
alike_runs 'a fault' --profile core --backend faulty:nan-index-behind 'paths.all-nan:*' 'order.values:*in=f32*'
alike_runs 'a fault in process' --profile peers --backend faulty:ties-descending --in-process
alike_runs 'a hang' --profile peers --backend faulty:hang --timeout 1 'peers.onnx:*in=i64?4? axis=0 k=3 dir=inc*'
alike 'a replay' replay --backend faulty:nan-index-behind "paths.all-nan:$case"
alike 'shrinking' shrink --backend faulty:nan-index-behind "$case"
alike 'trust' trust --profile core --fault heap-end-unsorted --jobs 1
printf '%s\r\n' '# a comment' "$case" >n/crlf.txt
cp n/crlf.txt w/
alike 'a file of cases whose lines end by CR LF' replay --backend cpu --file crlf.txt

# ---- reports of one run

"$cts" run --profile peers --backend faulty:nan-index-behind --out failing >out 2>err
"$cts" run --profile peers --backend cpu --out good >out 2>err
minisign -G -W -f -p k.pub -s k.sec >out 2>err
for file in failing good k.pub k.sec; do cp -r "$file" n/ && cp -r "$file" w/; done
for format in json html junit github sarif costs matrix matrix-csv; do
    check "the native program writes the report $format" 0 -- "$cts" report --format "$format" --output "n/$format" failing
    check "the Windows program writes the report $format" 0 -- win report --format "$format" --output "w/$format" failing
    check "both programs write the same report $format" 0 -- cmp n/"$format" w/"$format"
done
for format in markdown issue; do alike "the report $format" report --format "$format" failing; done
alike 'a comparison' compare failing good
alike 'a package' package --sign k.sec --output good.tar good
check 'both programs write the same package' 0 -- cmp n/good.tar w/good.tar
alike 'a package that is verified' verify --key k.pub good.tar
alike 'a package, compressed' package --zstd --sign k.sec --output good.tar.zst good
check 'both programs write the same compressed package' 0 -- cmp n/good.tar.zst w/good.tar.zst
alike 'a compressed package that is verified' verify --key k.pub good.tar.zst
alike 'a compressed log' run --profile peers --backend cpu --zstd --out packed
alike 'the report of a compressed log' report --format github packed
for shard in 1 2; do
    check "shard $shard runs" 0 -- win run --profile peers --backend cpu --shard "$shard/2" --out "part$shard"
done
check 'shards are merged' 0 has CONFORMANT -- win merge --out whole part1 part2
check 'a model for DxDispatch is exported by the Windows program' 0 -- win export --format dxdispatch --output model "$case"
check 'a model for DxDispatch is exported by the native program' 0 -- "$cts" export --format dxdispatch --output model-here "$case"
check 'both programs export the same model for DxDispatch' 0 -- diff -r model model-here

# ---- what exists only on Windows

check 'a plugin is found by its full path' 0 has CONFORMANT -- win run --profile peers --backend "Z:${windows//\//\\}\\example.dll" --out plugin --overwrite
cp "$windows/example.dll" "$windows/topk-backend.exe" .
check 'a plugin is found by a relative path' 0 has CONFORMANT -- win run --profile peers --backend '.\example.dll' --out plugin --overwrite
mkdir 'a b' && cp topk-backend.exe 'a b/'
check '--backend-command accepts a quoted path' 0 has CONFORMANT -- win run --profile peers --backend-command '"a b\topk-backend.exe" cpu' --out command --overwrite
check 'check-backend accepts a quoted path' 0 has 'No rule' -- win check-backend '"a b\topk-backend.exe" cpu'
printf '%s\r\n' '@echo the secret is %TOPK_SECRET% 1>&2' '@"a b\topk-backend.exe" cpu' >show.cmd
for command in check-backend 'run --profile peers --out shown --overwrite --verbose --backend-command'; do
    # shellcheck disable=SC2086 # words
    check "${command%% *} passes no secrets to cmd.exe" 0 has 'the secret is' lacks 'do not tell' -- env TOPK_SECRET='do not tell' wine64 "$windows/topk-cts.exe" $command show.cmd
done
check 'an unknown backend is reported' 2 has "did you mean 'cpu'" has './NAME.dll' -- win run --backend cup
check 'a command that is no backend is unavailable' 4 has unavailable -- win run --profile peers --backend-command 'echo hello' --out command --overwrite
check '--out accepts a name beyond ASCII' 0 has CONFORMANT -- win run --profile peers --backend cpu --out 'a b\größe 数'
check '--out with a name beyond ASCII: the log exists' 0 -- test -s 'a b/größe 数/results.jsonl'
long=$(printf 'folder%.0s' {1..30})/$(printf 'within%.0s' {1..30})
check '--out accepts a path of more than 260 characters' 0 has CONFORMANT -- win run --profile peers --backend cpu --out "$long"
check '--out with a path of more than 260 characters: the log exists' 0 -- test -s "$long/results.jsonl"
check 'report reads a path of more than 260 characters' 0 has CONFORMANT -- win report --format github "$long"
check 'package reads a path of more than 260 characters' 0 -- win package --sign k.sec "$long"
check 'an existing folder is not overwritten' 2 has 'already exists' -- win run --profile peers --backend cpu --out "$long"
for fault in access-violation:C0000005 stack-overflow:C00000FD; do
    check "the exception of a crash is reported: ${fault%:*}" 1 has "ended by exception ${fault#*:}" has 'broken_windows.dll+0x' -- \
        win run --profile peers --backend "$windows/broken_windows.dll:${fault%:*}" --out crash --overwrite 'peers.onnx:*'
done
check 'a missing worker program is reported' 3 has topk-worker -- env TOPK_WORKER='Z:\nowhere\topk-worker.exe' wine64 "$windows/topk-cts.exe" run --profile peers --backend cpu --out gone

# until_so COMMAND...: waits for at most 60 s until it succeeds
until_so() {
    local tries
    for ((tries = 0; tries < 600; tries++)); do
        "$@" && return
        sleep 0.1
    done
    return 1
}
records() { [ -f "$1/results.jsonl" ] && [ "$(wc -l <"$1/results.jsonl")" -gt "$2" ]; }

# an antivirus program removes a program in use
mkdir own && cp "$windows"/topk-{cts,worker,backend}.exe own/
wine64 own/topk-cts.exe run --profile core --backend faulty:crash --out removed >removed.out 2>&1 &
until_so records removed 20
rm own/topk-backend.exe
wait $!
same 'a program that is removed during a run: exit code 3' "$?" 3
check 'a program that is removed during a run: it is named' 0 -- grep -q 'topk-backend' removed.out

# on a console, lines are not split, and progress is shown
script -qec "wine64 '$windows/topk-cts.exe' run --profile core --backend cpu --out console" console.txt >out 2>err
same 'run on a console exits with 0' "$?" 0
check 'a console shows whole words' 0 -- grep -q CONFORMANT console.txt
check 'a console shows the progress' 0 -- grep -qE '[0-9]+.*%.*left' console.txt

win run --profile core --backend cpu --out stopped >stopped.out 2>&1 &
until_so records stopped 2000
pkill -INT -f "topk-cts.exe run --profile core --backend cpu --out stopped"
wait $!
same 'Ctrl-C gives exit code 5' "$?" 5
check 'Ctrl-C prints how to continue' 0 -- grep -q 'To continue: .* --resume' stopped.out
# of_wine: prints the process ids of workers and backends of this Wine, as other tests run programs of the same names.
# A zombie has no environment.
of_wine() {
    local pid
    for pid in $(pgrep -f "^[^ ]*topk-(worker|backend)\\.exe"); do
        ! grep -qzxF "WINEPREFIX=$WINEPREFIX" "/proc/$pid/environ" 2>/dev/null || echo "$pid"
    done
}
# Wine 8.0 sometimes keeps a process of the host for a program that crashed, although it has ended for Windows.
kept=$(of_wine)
win run --profile core --backend cpu --out killed >killed.out 2>&1 &
until_so records killed 2000
pkill -KILL -f "topk-cts.exe run --profile core --backend cpu --out killed"
wait $!
none_left() {
    local pid left=0
    for pid in $(of_wine); do
        grep -qxF "$pid" <<<"$kept" || { ps -o pid=,etime=,stat=,args= -p "$pid" && left=1; }
    done
    return "$left"
}
check 'no process survives a killed run' 0 -- until_so none_left
check 'a killed run can be resumed' 0 has CONFORMANT -- win run --profile core --backend cpu --out killed --resume
same 'a resumed run has the cases of an uninterrupted one' "$(cases_of killed | sort | sha256sum)" "$(cases_of core | sort | sha256sum)"

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
