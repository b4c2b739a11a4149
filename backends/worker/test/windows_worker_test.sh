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

# ended CODE: the exit code of what ran last
ended() {
    [ "$code" -eq "$1" ]
}

out_has() {
    grep -qF -e "$1" "$work/out"
}

# opens BACKEND: leaves out and $code
opens() {
    timeout 60 wine64 "$exe" --backend "$1" >"$work/out" 2>&1 </dev/null
    code=$?
}

# refused NAME BACKEND TEXT
refused() {
    opens "$2"
    check "$1: exit code" ended 4
    check "$1: the reason" out_has "$3"
}

# suite NAME ARGUMENT...: runs topk-cts; leaves out, NAME/results.jsonl and $code
suite() {
    local name=$1
    shift
    timeout 600 "$bin/topk-cts" run --out "$work/$name" "$@" >"$work/out" 2>&1
    code=$?
}

# verdicts NAME: of the cases of a log, without the times
verdicts() {
    grep '^{"record":"case"' "$work/$1/results.jsonl" |
        sed -E 's/,"crash":\{[^]]*\]\}//; s/,"(nanoseconds|chain|worker)":[^,}]*//g; s/"reason":"([^"\\]|\\.)*"//g' | sort
}

same_verdicts() {
    verdicts "$1" >"$work/left"
    verdicts "$2" >"$work/right"
    [ "$(wc -l <"$work/left")" -gt 3 ] && diff "$work/left" "$work/right" >"$work/out"
}

# nothing_left: the server of Wine ends when the last of its processes has
nothing_left() {
    timeout 60 wineserver -w
}

hosts() {
    printf "wine64 '%s' --backend '%s'" "$exe" "$1"
}

timeout 300 wine64 "$exe" --list >"$work/out" 2>&1
code=$?
check 'it runs under Wine' ended 0

# One program runs all the time: Wine would else end its services, slowly, and start them anew.
mkfifo "$work/keep"
timeout 900 wine64 "$exe" --backend cpu <"$work/keep" >"$work/kept" 2>&1 &
exec 9>"$work/keep"

# ---- the protocol, as on any system
"$(dirname "${BASH_SOURCE[0]}")/worker_test.sh" "$windows" wine64 2>&1 | grep -av "^ok" >"$work/out"
code=${PIPESTATUS[0]}
check "the worker's test: $(tail -n 1 "$work/out")" ended 0

# ---- verdicts
suite native --backend cpu --profile core
suite windows --worker "$(hosts cpu)" --trust-worker --profile core
check 'cpu passes on Windows' ended 0
check 'it says so' out_has 'JUDGED BY THE WORKER, not by this suite: '
check 'verdicts are those of the native worker' same_verdicts native windows
suite native-B26 --backend faulty:B26 ties
suite windows-B26 --worker "$(hosts faulty:B26)" ties
check 'a fault fails' ended 1
check 'verdicts and findings are those of the native worker' same_verdicts native-B26 windows-B26

# ---- plugins: paths as Windows and as POSIX has them
folder="$work/C files & ü日"
mkdir "$folder"
cp "$windows/example.dll" "$folder/my example.dll"
cp "$windows/example.dll" "$WINEPREFIX/drive_c/example.dll"
back=${folder//\//\\}
for path in "$folder/my example.dll" "Z:$folder/my example.dll" "Z:$back\\my example.dll" \
    'C:\example.dll' 'C:/example.dll' 'c:\windows\..\example.dll'; do
    opens "$path"
    check "it loads '${path//$work/WORK}'" ended 0
    check 'and greets' out_has ' name=example '
    refused 'options reach it' "$path:some" "example%20takes%20no%20options%2C%20not%20'some'"
done
(cd "$folder" && timeout 60 wine64 "$exe" --backend 'my example.dll' >"$work/out" 2>&1 </dev/null)
code=$?
check 'a name alone is of this folder' ended 0
suite plugin --worker "$(hosts "$folder/my example.dll")" --trust-worker examples
check 'a plugin is tested' ended 0

# at OFFSET FILE: the number that has 4 bytes there
at() {
    od -An -t u4 -j "$1" -N 4 "$2" | tr -d ' '
}
# the machine of a library stands behind the signature that the header points to
cp "$windows/example.dll" "$work/i386.dll"
printf '\x4c\x01' | dd of="$work/i386.dll" bs=1 seek=$(($(at 60 "$work/i386.dll") + 4)) conv=notrunc status=none
head -c 1000 "$windows/example.dll" >"$work/cut.dll"
: >"$work/empty.dll"
cp "$bin/broken.so" "$work/linux.dll"
wrong='no%20library%20for%2064-bit%20Windows%20on%20x86-64'
refused 'of another architecture' "$work/i386.dll" "i386.dll:%20$wrong"
refused 'cut' "$work/cut.dll" "cut.dll:%20"
refused 'empty' "$work/empty.dll" "empty.dll:%20"
refused 'of Linux' "$work/linux.dll" "linux.dll:%20$wrong"
refused 'not there' 'C:\none\x.dll' 'C:\none\x.dll:%20no%20such%20file'
refused 'a folder' "$work" "a%20folder"
# a library that needs another one: the name of it in the library is replaced
sed 's/KERNEL32\.dll/KERNEL99.dll/' "$windows/example.dll" >"$work/needy.dll"
refused 'needs what is not there' "$work/needy.dll" 'needy.dll:%20a%20library%20that%20it%20needs'

# ---- libraries that are loaded, which nobody would see who is not on the same machine
printf '1 VERSIONINFO\nFILEVERSION 3,1,4,15\nBEGIN\nEND\n' >"$work/version.rc"
x86_64-w64-mingw32-windres "$work/version.rc" "$work/version.o"
x86_64-w64-mingw32-gcc -std=c17 -O1 -shared -static -D__USE_MINGW_ANSI_STDIO=1 -I "$root/backends/include" \
    -o "$folder/a versioned.dll" "$root/docs/example-plugin/example.c" "$work/version.o"
# parts NAME BY: the DLL's records in a log
parts() {
    jq -r --arg by "$2" 'select(.record == "part" and .by == $by and (.name | endswith("versioned.dll"))) |
        .role, .name, .version, .path == null, .sha256 == null' "$work/$1/results.jsonl" | tr '\n' ' '
}
suite told --backend-command "wine64 '$windows/topk-backend.exe' '$folder/a versioned.dll'" examples.documents
check 'a backend process tells of a DLL' [ "$(parts told told)" = 'library a?versioned.dll 3.1.4.15 true true ' ]
check 'which is seen here, too' [ "$(parts told seen | cut -d ' ' -f 2-)" = 'a versioned.dll 3.1.4.15 false false ' ]
suite told-worker --worker "$(hosts "$folder/a versioned.dll")" --trust-worker examples.documents
check 'so does a worker that hosts it' [ "$(parts told-worker told)" = 'library a?versioned.dll 3.1.4.15 true true ' ]
check 'of nothing of Windows by itself' [ "$(grep -c '"by":"told"' "$work/told/results.jsonl")" = 1 ]

# ---- plugins that print past the C library
for fault in writes-to-handle prints; do
    suite "$fault" --worker "$(hosts "$windows/broken_windows.dll:$fault")" --trust-worker examples.documents
    check "$fault does not disturb" ended 0
done

# ---- crashes: those cases and no others
suite native-crash --backend faulty:crash examples.documents
for fault in access-violation stack-overflow assert abort; do
    suite "$fault" --worker "$(hosts "$windows/broken_windows.dll:$fault")" examples.documents
    check "$fault is a failure" ended 1
    check "$fault is pinned to its cases" same_verdicts native-crash "$fault"
done
# crash_of NAME SIGNAL: whether the log says that it is in the plugin
crash_of() {
    grep -qE "\"crash\":\{\"signal\":\"$2\"(,\"address\":\"0x0\")?,\"frames\":\[[^]]*\"module\":\"broken_windows.dll\"" \
        "$work/$1/results.jsonl"
}
check 'an access violation is told' crash_of access-violation access-violation
check 'a stack overflow is told' crash_of stack-overflow stack-overflow
check 'an assertion is told' crash_of assert SIGABRT
check 'abort() is told' crash_of abort SIGABRT
check 'an exception is named in the reason' grep -q 'exception C00000FD at ' \
    "$work/stack-overflow/results.jsonl"

# ---- the backend in a process of its own, and its judge here or there
timeout 120 wine64 "$windows/children.exe" >"$work/out" 2>&1
code=$?
check "processes beside this one: $(tail -n 1 "$work/out")" ended 0
apart() {
    printf "wine64 '%s/topk-backend.exe' '%s'" "$windows" "$1"
}
both() {
    printf "wine64 '%s' --process '%s/topk-backend.exe' '%s'" "$exe" "$windows" "$1"
}
suite shared --worker "$(both "$windows/broken_windows.dll:wants-mapping")" --trust-worker examples.documents
check 'two Windows programs share memory' ended 0
suite piped --backend-command "$(apart "$windows/broken_windows.dll:wants-mapping")" examples.documents
check 'a judge from here sends bytes' ended 1
timeout 60 wine64 "$exe" --devices --process "$windows/topk-backend.exe" "$windows/broken_windows.dll" >"$work/out" 2>&1
code=$?
check 'devices are listed' ended 0
check 'all of them' [ "$(tr '\n' ' ' <"$work/out")" = \
    'access-violation stack-overflow assert abort writes-to-handle prints wants-mapping ' ]
timeout 60 wine64 "$exe" --device prints --process "$windows/topk-backend.exe" "$windows/broken_windows.dll" \
    </dev/null >"$work/out" 2>&1
code=$?
check 'a device is opened' ended 0
check 'it is that one' out_has 'topk-worker 1 name=prints '
suite apart-B26 --backend-command "$(apart faulty:B26)" ties
check 'a fault fails that is judged from here' ended 1
check 'its verdicts and findings are those of the native worker' same_verdicts native-B26 apart-B26
suite both-B26 --worker "$(both faulty:B26)" ties
check 'a fault fails that is judged beside it' ended 1
check 'and so are its verdicts and findings' same_verdicts native-B26 both-B26
suite apart-abort --backend-command "$(apart "$windows/broken_windows.dll:access-violation")" examples.documents
check 'a crash of the backend process is pinned to its cases' same_verdicts native-crash apart-abort
check 'and named in the reason' grep -q 'exception C0000005 at ' "$work/apart-abort/results.jsonl"
check 'and told' crash_of apart-abort access-violation
suite both-abort --worker "$(both "$windows/broken_windows.dll:abort")" examples.documents
check 'a crash is pinned by a judge beside it' same_verdicts native-crash both-abort
check 'and told by it' crash_of both-abort SIGABRT

case_text=$(sed -n 's/.*"id":"\([^"]* k=3 [^"]*\)".*/\1/p' "$work/native/results.jsonl" | head -n 1)
timeout 60 "$bin/topk-cts" replay --timeout 1 --worker "$(hosts faulty:hang)" "$case_text" \
    >"$work/out" 2>&1
code=$?
check 'a hang is a failure' ended 1
check 'it is killed' out_has TIMEOUT

# hangs KIND OPTION COMMAND: the limit is kept by the judge
hangs() {
    timeout 120 "$bin/topk-cts" replay --timeout 1 "$2" "$3" "$case_text" >"$work/out" 2>&1
    code=$?
    check "a hang is a failure $1" ended 1
    check "it is killed $1" out_has TIMEOUT
    check "by the judge $1" out_has 'not finished after' # the runner would say that the worker did not end
    check "and nobody is left $1" hanging_ends
}
# those_that_hang: backend processes of this prefix that were told to; their judges name them too
those_that_hang() {
    local file
    grep -lzxF -e "WINEPREFIX=$WINEPREFIX" /proc/[0-9]*/environ 2>/dev/null | while read -r file; do
        { printf '%s' "${file%/environ}: " && tr '\0' ' ' <"${file%environ}cmdline"; } 2>/dev/null
        echo
    done | grep -a 'topk-backend[.]exe.*faulty:hang' | grep -av topk-worker
}
# whether one has computed for half a second, in which it does nothing else
hanging() {
    local file rest fields
    read -r file rest < <(those_that_hang) && read -r rest <"${file%:}/stat" && read -ra fields <<<"${rest##*) }" &&
        [ $((fields[11] + fields[12])) -ge 50 ]
}
# soon: the system takes them away after their judge
hanging_ends() {
    local tries
    for ((tries = 0; tries < 300; tries++)); do
        [ -n "$(those_that_hang)" ] || return 0
        sleep 0.1
    done
    those_that_hang >"$work/out"
    return 1
}
hangs 'behind a judge from here' --backend-command "$(apart faulty:hang)"
hangs 'behind a judge beside it' --worker "$(both faulty:hang)"

# a judge that is killed takes it along
mkfifo "$work/requests"
exec 8<>"$work/requests"
wine64 "$exe" --process "$windows/topk-backend.exe" faulty:hang <"$work/requests" >"$work/judge" 2>&1 8>&- &
judge=$!
printf 'batch 1\n%s\n' "${case_text#*:}" >&8
for ((tries = 0; tries < 300; tries++)); do
    ! hanging 2>/dev/null || break
    sleep 0.1
done
check 'a judge waits for one that hangs' hanging
{
    kill -KILL "$judge"
    wait "$judge"
} 2>/dev/null
exec 8>&-
check 'none is left behind a judge that was killed' hanging_ends
exec 9>&-
wait
check 'the one that ran all the time greets and ends' grep -q '^topk-worker 1 ' "$work/kept"
check 'no process stays behind' nothing_left

sum_up
