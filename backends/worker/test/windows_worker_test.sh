#!/usr/bin/env bash
# topk-worker.exe under Wine: it uses the same protocol as the native worker, gives the same verdicts, loads
# plugins, and its crashes and hangs are attributed to the right cases.
# usage: windows_worker_test.sh BIN WINDOWS_BIN. Prints a line a check and "N passed, M failed".
set -uo pipefail
bin=$1
exe=$2/topk-worker.exe
if [ ! -f "$exe" ]; then
    echo "FAILED: there is no $exe: the build needs the Debian package gcc-mingw-w64-x86-64-win32" >&2
    exit 1
fi
bin=$(cd "$bin" && pwd)
windows=$(cd "$2" && pwd)
exe=$windows/topk-worker.exe
work=$(mktemp -d) || exit 2
tests=$(dirname "${BASH_SOURCE[0]}")/../../process/test
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
# shellcheck source=backends/process/test/wine.sh
. "$tests/wine.sh"
trap 'end_wine; rm -rf "$work"' EXIT
if [ -z "$(type -P wine64)" ]; then
    echo "FAILED: the command wine64 is missing; the Debian package wine64 has it" >&2
    exit 1
fi
# shellcheck source=backends/process/test/conditions.sh
. "$tests/conditions.sh"
export LC_ALL=C.UTF-8

# ended CODE: whether the last command exited with CODE
ended() {
    [ "$code" -eq "$1" ]
}

out_has() {
    grep -qF -e "$1" "$work/out"
}

# opens BACKEND: writes out, sets $code
opens() {
    timeout 60 wine64 "$exe" --backend "$1" >"$work/out" 2>&1 </dev/null
    code=$?
}

# refused NAME BACKEND TEXT: the backend cannot be opened, with TEXT in the reason
refused() {
    opens "$2"
    check "$1: exit code" ended 4
    check "$1: the reason" out_has "$3"
}

# suite NAME ARGUMENT...: runs topk-cts; writes out and NAME/results.jsonl, sets $code
suite() {
    local name=$1
    shift
    timeout 600 "$bin/topk-cts" run --out "$work/$name" "$@" >"$work/out" 2>&1
    code=$?
}

# verdicts NAME: the cases of a log, without times, crashes and reasons
verdicts() {
    grep '^{"record":"case"' "$work/$1/results.jsonl" |
        sed -E 's/,"crash":\{[^]]*\]\}//; s/,"(nanoseconds|chain|worker)":[^,}]*//g; s/"reason":"([^"\\]|\\.)*"//g' | sort
}

same_verdicts() {
    verdicts "$1" >"$work/left"
    verdicts "$2" >"$work/right"
    [ "$(wc -l <"$work/left")" -gt 3 ] && diff "$work/left" "$work/right" >"$work/out"
}

# nothing_left: waits for the server of Wine, which ends after the last of its processes
nothing_left() {
    timeout 60 wineserver -w
}

hosts() {
    printf "wine64 '%s' --backend '%s'" "$exe" "$1"
}

timeout 300 wine64 "$exe" --list >"$work/out" 2>&1
code=$?
check 'topk-worker.exe runs under Wine' ended 0

# One program runs all the time; otherwise Wine would end its services, slowly, and start them again.
mkfifo "$work/keep"
timeout 900 wine64 "$exe" --backend cpu <"$work/keep" >"$work/kept" 2>&1 &
exec 9>"$work/keep"

# ---- the protocol, as on any system
"$(dirname "${BASH_SOURCE[0]}")/worker_test.sh" "$windows" wine64 2>&1 | grep -av "^ok" >"$work/out"
code=${PIPESTATUS[0]}
check "worker_test.sh passes under Wine: $(tail -n 1 "$work/out")" ended 0

# ---- verdicts
suite native --backend cpu --profile core
suite windows --worker "$(hosts cpu)" --trust-worker --profile core
check 'cpu passes with the Windows worker' ended 0
check 'the run says that the Windows worker judged it' out_has 'JUDGED BY THE WORKER, not by this suite: '
check 'cpu: the verdicts are those of the native worker' same_verdicts native windows
suite native-B26 --backend faulty:B26 ties
suite windows-B26 --worker "$(hosts faulty:B26)" ties
check 'faulty:B26 fails with the Windows worker' ended 1
check 'faulty:B26: verdicts and findings are those of the native worker' same_verdicts native-B26 windows-B26

# ---- plugins: paths in the form of Windows and of POSIX
folder="$work/C files & ü日"
mkdir "$folder"
cp "$windows/example.dll" "$folder/my example.dll"
cp "$windows/example.dll" "$WINEPREFIX/drive_c/example.dll"
back=${folder//\//\\}
for path in "$folder/my example.dll" "Z:$folder/my example.dll" "Z:$back\\my example.dll" \
    'C:\example.dll' 'C:/example.dll' 'c:\windows\..\example.dll'; do
    opens "$path"
    check "the plugin '${path//$work/WORK}' opens" ended 0
    check "the greeting names the plugin '${path//$work/WORK}'" out_has ' name=example '
    refused "options reach the plugin '${path//$work/WORK}'" "$path:some" "example%20takes%20no%20options%2C%20not%20'some'"
done
(cd "$folder" && timeout 60 wine64 "$exe" --backend 'my example.dll' >"$work/out" 2>&1 </dev/null)
code=$?
check 'a plugin name without a folder is found in the current folder' ended 0
suite plugin --worker "$(hosts "$folder/my example.dll")" --trust-worker examples
check 'a plugin passes with the Windows worker' ended 0

# at OFFSET FILE: the 32-bit number at an offset
at() {
    od -An -t u4 -j "$1" -N 4 "$2" | tr -d ' '
}
# the machine field of a library follows the signature, whose offset is in the header
cp "$windows/example.dll" "$work/i386.dll"
printf '\x4c\x01' | dd of="$work/i386.dll" bs=1 seek=$(($(at 60 "$work/i386.dll") + 4)) conv=notrunc status=none
head -c 1000 "$windows/example.dll" >"$work/cut.dll"
: >"$work/empty.dll"
cp "$bin/broken.so" "$work/linux.dll"
wrong='no%20library%20for%2064-bit%20Windows%20on%20x86-64'
refused 'a DLL for another architecture' "$work/i386.dll" "i386.dll:%20$wrong"
refused 'a truncated DLL' "$work/cut.dll" "cut.dll:%20"
refused 'an empty DLL' "$work/empty.dll" "empty.dll:%20"
refused 'a Linux library' "$work/linux.dll" "linux.dll:%20$wrong"
refused 'a missing DLL' 'C:\none\x.dll' 'C:\none\x.dll:%20no%20such%20file'
refused 'a folder as a DLL' "$work" "a%20folder"
# a library that needs a missing one: a name in its imports is replaced
sed 's/KERNEL32\.dll/KERNEL99.dll/' "$windows/example.dll" >"$work/needy.dll"
refused 'a DLL that needs a missing DLL' "$work/needy.dll" 'needy.dll:%20a%20library%20that%20it%20needs'

# ---- loaded libraries, which only a program on the same machine can see
printf '1 VERSIONINFO\nFILEVERSION 3,1,4,15\nBEGIN\nEND\n' >"$work/version.rc"
x86_64-w64-mingw32-windres "$work/version.rc" "$work/version.o"
x86_64-w64-mingw32-gcc -std=c17 -O1 -shared -static -D__USE_MINGW_ANSI_STDIO=1 -I "$root/backends/include" \
    -o "$folder/a versioned.dll" "$root/docs/example-plugin/example.c" "$work/version.o"
# parts NAME BY: the records of the DLL in a log
parts() {
    jq -r --arg by "$2" 'select(.record == "part" and .by == $by and (.name | endswith("versioned.dll"))) |
        .role, .name, .version, .path == null, .sha256 == null' "$work/$1/results.jsonl" | tr '\n' ' '
}
suite told --backend-command "wine64 '$windows/topk-backend.exe' '$folder/a versioned.dll'" examples.documents
check 'a backend process reports the DLL that it loaded' [ "$(parts told told)" = 'library a?versioned.dll 3.1.4.15 true true ' ]
check 'the DLL of a backend process is seen from this system, too' [ "$(parts told seen | cut -d ' ' -f 2-)" = 'a versioned.dll 3.1.4.15 false false ' ]
suite told-worker --worker "$(hosts "$folder/a versioned.dll")" --trust-worker examples.documents
check 'a worker that hosts the backend reports the DLL that it loaded' [ "$(parts told-worker told)" = 'library a?versioned.dll 3.1.4.15 true true ' ]
check 'DLLs of Windows itself are not reported' [ "$(grep -c '"by":"told"' "$work/told/results.jsonl")" = 1 ]

# ---- plugins that print, bypassing the C library
for fault in writes-to-handle prints; do
    suite "$fault" --worker "$(hosts "$windows/broken_windows.dll:$fault")" --trust-worker examples.documents
    check "$fault does not disturb the protocol" ended 0
done

# ---- crashes are attributed to the right cases
suite native-crash --backend faulty:crash examples.documents
for fault in access-violation stack-overflow assert abort; do
    suite "$fault" --worker "$(hosts "$windows/broken_windows.dll:$fault")" examples.documents
    check "$fault gives exit code 1" ended 1
    check "$fault fails the same cases as natively" same_verdicts native-crash "$fault"
done
# crash_of NAME SIGNAL: whether the log attributes the crash to the plugin
crash_of() {
    grep -qE "\"crash\":\{\"signal\":\"$2\"(,\"address\":\"0x0\")?,\"frames\":\[[^]]*\"module\":\"broken_windows.dll\"" \
        "$work/$1/results.jsonl"
}
check 'an access violation is recorded' crash_of access-violation access-violation
check 'a stack overflow is recorded' crash_of stack-overflow stack-overflow
check 'a failed assertion is recorded' crash_of assert SIGABRT
check 'abort() is recorded' crash_of abort SIGABRT
check 'the reason of a crash names the exception' grep -q 'exception C00000FD at ' \
    "$work/stack-overflow/results.jsonl"

# ---- the backend in its own process, with a native judge or a Windows judge
timeout 120 wine64 "$windows/children.exe" >"$work/out" 2>&1
code=$?
check "children.exe passes: $(tail -n 1 "$work/out")" ended 0
apart() {
    printf "wine64 '%s/topk-backend.exe' '%s'" "$windows" "$1"
}
both() {
    printf "wine64 '%s' --process '%s/topk-backend.exe' '%s'" "$exe" "$windows" "$1"
}
suite shared --worker "$(both "$windows/broken_windows.dll:wants-mapping")" --trust-worker examples.documents
check 'a Windows judge and a Windows backend process share memory' ended 0
suite piped --backend-command "$(apart "$windows/broken_windows.dll:wants-mapping")" examples.documents
check 'a native judge and a Windows backend process do not share memory' ended 1
timeout 60 wine64 "$exe" --devices --process "$windows/topk-backend.exe" "$windows/broken_windows.dll" >"$work/out" 2>&1
code=$?
check '--devices of a process exits with 0' ended 0
check '--devices of a process lists all devices' [ "$(tr '\n' ' ' <"$work/out")" = \
    'access-violation stack-overflow assert abort writes-to-handle prints wants-mapping ' ]
timeout 60 wine64 "$exe" --device prints --process "$windows/topk-backend.exe" "$windows/broken_windows.dll" \
    </dev/null >"$work/out" 2>&1
code=$?
check 'a device can be opened' ended 0
check 'the requested device is opened' out_has 'topk-worker 1 name=prints '
suite apart-B26 --backend-command "$(apart faulty:B26)" ties
check 'faulty:B26 fails with a native judge' ended 1
check 'faulty:B26 with a native judge: verdicts and findings are those of the native worker' same_verdicts native-B26 apart-B26
suite both-B26 --worker "$(both faulty:B26)" ties
check 'faulty:B26 fails with a Windows judge' ended 1
check 'faulty:B26 with a Windows judge: verdicts and findings are those of the native worker' same_verdicts native-B26 both-B26
suite apart-abort --backend-command "$(apart "$windows/broken_windows.dll:access-violation")" examples.documents
check 'a crash with a native judge fails the right cases' same_verdicts native-crash apart-abort
check 'a crash with a native judge has the exception in its reason' grep -q 'exception C0000005 at ' "$work/apart-abort/results.jsonl"
check 'a crash with a native judge is recorded' crash_of apart-abort access-violation
suite both-abort --worker "$(both "$windows/broken_windows.dll:abort")" examples.documents
check 'a crash with a Windows judge fails the right cases' same_verdicts native-crash both-abort
check 'a crash with a Windows judge is recorded' crash_of both-abort SIGABRT

case_text=$(sed -n 's/.*"id":"\([^"]* k=3 [^"]*\)".*/\1/p' "$work/native/results.jsonl" | head -n 1)
timeout 60 "$bin/topk-cts" replay --timeout 1 --worker "$(hosts faulty:hang)" "$case_text" \
    >"$work/out" 2>&1
code=$?
check 'a hang gives exit code 1' ended 1
check 'a hanging worker gets a timeout' out_has TIMEOUT

# hangs KIND OPTION COMMAND: the judge enforces the limit
hangs() {
    timeout 120 "$bin/topk-cts" replay --timeout 1 "$2" "$3" "$case_text" >"$work/out" 2>&1
    code=$?
    check "a hang gives exit code 1 $1" ended 1
    check "a hang gets a timeout $1" out_has TIMEOUT
    check "the judge detects a hang $1" out_has 'not finished after' # the runner would say that the worker did not end
    check "no hanging process is left $1" hanging_ends
}
# those_that_hang: the hanging backend processes of this prefix, without their judges, whose command lines are similar
those_that_hang() {
    local file
    grep -lzxF -e "WINEPREFIX=$WINEPREFIX" /proc/[0-9]*/environ 2>/dev/null | while read -r file; do
        { printf '%s' "${file%/environ}: " && tr '\0' ' ' <"${file%environ}cmdline"; } 2>/dev/null
        echo
    done | grep -a 'topk-backend[.]exe.*faulty:hang' | grep -av topk-worker
}
# whether a backend process has used half a second of processor time, which it only does in a hang
hanging() {
    local file rest fields
    read -r file rest < <(those_that_hang) && read -r rest <"${file%:}/stat" && read -ra fields <<<"${rest##*) }" &&
        [ $((fields[11] + fields[12])) -ge 50 ]
}
# waits, because the system ends the processes only after their judge
hanging_ends() {
    local tries
    for ((tries = 0; tries < 300; tries++)); do
        [ -n "$(those_that_hang)" ] || return 0
        sleep 0.1
    done
    those_that_hang >"$work/out"
    return 1
}
hangs 'with a native judge' --backend-command "$(apart faulty:hang)"
hangs 'with a Windows judge' --worker "$(both faulty:hang)"

# killing a judge ends its backend process
mkfifo "$work/requests"
exec 8<>"$work/requests"
wine64 "$exe" --process "$windows/topk-backend.exe" faulty:hang <"$work/requests" >"$work/judge" 2>&1 8>&- &
judge=$!
printf 'batch 1\n%s\n' "${case_text#*:}" >&8
for ((tries = 0; tries < 300; tries++)); do
    ! hanging 2>/dev/null || break
    sleep 0.1
done
check 'a hanging backend process keeps computing' hanging
{
    kill -KILL "$judge"
    wait "$judge"
} 2>/dev/null
exec 8>&-
check 'no hanging process is left after its judge is killed' hanging_ends
exec 9>&-
wait
check 'the worker that ran all the time sent its greeting' grep -q '^topk-worker 1 ' "$work/kept"
check 'no process of Wine is left' nothing_left

sum_up
