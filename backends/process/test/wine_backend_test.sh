#!/usr/bin/env bash
# Tests scripts/wine-backend, with a small Windows program instead of the backend process and empty files instead
# of DirectML. usage: wine_backend_test.sh BIN SOURCE. Prints a line a check and "N passed, M failed".
set -u

bin=$(cd "${1:?usage: wine_backend_test.sh BIN SOURCE}" && pwd) || exit 2
source=$(cd "${2:?usage: wine_backend_test.sh BIN SOURCE}" && pwd) || exit 2
wine_backend=$source/scripts/wine-backend
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
# shellcheck source=backends/process/test/conditions.sh
. "$source/backends/process/test/conditions.sh"

cat >"$work/program.c" <<'END'
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    _setmode(0, _O_BINARY);
    _setmode(1, _O_BINARY);
    if (strcmp(what, "exit") == 0) {
        return atoi(argv[2]);
    }
    if (strcmp(what, "arguments") == 0) {
        for (int i = 2; i < argc; i++) {
            printf("%s\n", argv[i]);
        }
        return 0;
    }
    printf("started\n");
    fflush(stdout);
    if (strcmp(what, "crash") == 0) {
        *(volatile int *)8 = 0;
    }
    while (strcmp(what, "hang") == 0) {
    }
    for (int c = getchar(); c != EOF; c = getchar()) {
        putchar(c);
    }
    return 0;
}
END
x86_64-w64-mingw32-gcc -O1 -o "$work/program.exe" "$work/program.c" || exit 2

directml=$work/directml
mkdir -p "$directml/bin"
touch "$directml"/bin/{DirectML,d3dcompiler_47}.dll "$work/icd.json"
export TOPK_DIRECTML_DIR=$directml TOPK_BACKEND_EXE=$work/program.exe
export WINEPREFIX=$work/none HOME=$work/home # to be left alone
mkdir "$HOME"
export TOPK_VK_ICD=$work/icd.json
unset TOPK_WINEPREFIX WINEDEBUG

# run ARGUMENT...: writes out and err, sets $code; uses $path instead of PATH if it is set
run() {
    { timeout 120 env PATH="${path-$PATH}" "$wine_backend" "$@" >"$work/out" 2>"$work/err"; } 2>/dev/null
    code=$?
}

# processes of this test's sessions; a zombie has no environment
members() {
    grep -lzE "^(WINEPREFIX|TOPK_SESSION)=$directml/wine/" /proc/[0-9]*/environ 2>/dev/null
    pgrep -f "wine-session [0-9]+ $directml/"
}

# what is left: processes, folders, displays
left() {
    members
    ls "$directml/wine/run"
    comm -13 <(printf '%s\n' "$displays_before") <(displays)
}

# Whether nothing is left after a while: sessions end a little later than their programs, and the X server of
# another test, which just ends, may have closed its socket but not removed it yet.
nothing_left() {
    local tries
    for ((tries = 0; tries < 200; tries++)); do
        [ -n "$(left)" ] || return 0
        sleep 0.1
    done
    left
    return 1
}

# sockets without an X server; other programs of this machine may have left some before
displays() {
    local file
    for file in /tmp/.X11-unix/X*; do
        if [ -e "$file" ] && ! grep -qF "$file" /proc/net/unix; then
            printf '%s\n' "$file"
        fi
    done
}
displays_before=$(displays)

has() {
    grep -qxF -e "$2" "$1"
}

# unavailable PATTERN: the reason, as encoded by the protocol, matches an extended regular expression
unavailable() {
    [ "$code" -eq 4 ] && [ "$(wc -l <"$work/out")" -eq 1 ] && grep -qxE -e "unavailable $1" "$work/out"
}

# ---- four at once, before there is a prefix
mkdir "$work/many"
for i in 1 2 3 4; do
    printf 'this is %d\n' "$i" | timeout 300 "$wine_backend" copy >"$work/many/$i" 2>"$work/many/err$i" &
    pids[i]=$!
done
for i in 1 2 3 4; do
    wait "${pids[i]}"
    code=$?
    cp "$work/many/$i" "$work/out"
    cp "$work/many/err$i" "$work/err"
    check "program $i of four exits with 0" [ "$code" -eq 0 ]
    check "program $i of four answers its input" cmp -s "$work/out" <(printf 'started\nthis is %d\n' "$i")
    check "program $i of four prints nothing to standard error" [ ! -s "$work/err" ]
done
check 'nothing is left after four programs' nothing_left

# ---- the pipe and the command line
printf 'a\nb\r\nc\0\001\032\377%%\n\nlast' >"$work/in"
run copy <"$work/in"
check 'bytes pass through the pipe unchanged' cmp -s "$work/out" <(printf 'started\n'; cat "$work/in")
check 'nothing is printed to standard error' [ ! -s "$work/err" ]
run exit 0 </dev/null
check 'exit code 0 is passed on' [ "$code" -eq 0 ]
run exit 3 </dev/null
check 'exit code 3 is passed on' [ "$code" -eq 3 ]
run arguments --some 'two words' '' --program </dev/null
check 'arguments are passed on' cmp -s "$work/out" <(printf -- '--some\ntwo words\n\n--program\n')
(cd "$work" && TOPK_BACKEND_EXE='' run --program program.exe -- exit 9 </dev/null && exit "$code")
code=$?
check '--program accepts a relative path' [ "$code" -eq 9 ]
run crash </dev/null
check 'a crash gives exit code 5' [ "$code" -eq 5 ]
check 'output before a crash is passed on' has "$work/out" started
check 'a crash is reported on standard error' grep -q 'Unhandled page fault' "$work/err"
check 'nothing is left after exits and crashes' nothing_left

# ---- a prefix of another Wine and a half-made prefix are replaced
printf 'another Wine\n' >"$directml/wine/base/made-by"
mkdir "$directml/wine/base.new" "$directml/wine/run/stale"
rm -r "$directml/wine/base/drive_c/windows/system32"
# a Wine whose wineboot leaves a process behind, as a starting service may
mkdir "$work/leaving"
cat >"$work/leaving/wine64" <<END
#!/bin/sh
[ "\$1" != wineboot ] || setsid sleep 1000 >/dev/null 2>&1 &
exec '$(PATH=$PATH:/usr/lib/wine type -P wine64)' "\$@"
END
chmod +x "$work/leaving/wine64"
path=$work/leaving:$PATH run exit 6 </dev/null
check 'a prefix of another Wine is replaced' [ "$code" -eq 6 ]
check 'leftovers of earlier sessions are removed' nothing_left
check 'a half-made prefix is removed' [ ! -e "$directml/wine/base.new" ]

# ---- kills
# killed SIGNAL MINUS MODE SECONDS: MINUS is - for the group; SECONDS after its start, or `started`
killed() {
    local pid tries
    : >"$work/out"
    mkfifo "$work/input"
    exec 9<>"$work/input"
    setsid env --default-signal=INT "$wine_backend" "$3" <"$work/input" >"$work/out" 2>"$work/err" 9>&- &
    pid=$!
    if [ "$4" = started ]; then
        for ((tries = 0; tries < 600; tries++)); do
            ! has "$work/out" started || break
            sleep 0.1
        done
    else
        sleep "$4"
    fi
    kill -s "$1" -- "$2$pid"
    { wait "$pid"; } 2>/dev/null
    code=$?
    exec 9>&-
    rm "$work/input"
    check "nothing is left after kill -$1 ${2}PID, $3, $4" nothing_left
}
for signal in TERM INT KILL; do
    killed "$signal" '' copy started
    killed "$signal" '' hang started
done
killed KILL - hang started
for moment in 0.02 0.1 0.2 0.3 0.5; do
    killed KILL - copy "$moment"
    killed TERM '' copy "$moment"
done
rm -r "$directml/wine/base"
killed KILL - copy 1
check 'a killed session leaves no half-made prefix' [ ! -e "$directml/wine/base.new" ]

# ---- a judge ends the session in time for it to clean up; in the first mode it must kill the program
# left_by_judge MODE: runs a judge on a program that does not speak its protocol; true if it leaves something
left_by_judge() {
    timeout 120 "$bin/topk-worker" --process "$wine_backend" "$1" </dev/null >"$work/out" 2>"$work/err"
    code=$?
    left >"$work/left"
    [ -s "$work/left" ]
}
# a session that is too slow on a busy machine leaves its cleanup to the next one
for mode in copy arguments; do
    tries=0
    while left_by_judge "$mode" && [ "$tries" -lt 5 ]; do
        tries=$((tries + 1))
    done
    cp "$work/left" "$work/out"
    check "nothing is left after a judge: $mode" [ ! -s "$work/left" ]
    check "the judge exits with 70: $mode" [ "$code" -eq 70 ]
done

# ---- bad input
# all tools but the missing one
mkdir "$work/path"
for tool in bash dirname uname ls head setsid cat grep cut sleep mkdir mktemp flock rm env tail sed cp ln mv; do
    ln -s "$(type -P "$tool")" "$work/path/"
done
printf '#!/bin/sh\necho cannot open display socket >&2\nexit 1\n' >"$work/Xvfb"
chmod +x "$work/Xvfb"
path=$work/path run copy </dev/null
check 'a missing Xvfb is reported' unavailable 'Xvfb%20is%20missing:%20install.*xvfb'
path=$work:$PATH run copy </dev/null
check 'a failing Xvfb is reported' unavailable 'Xvfb%20does%20not%20start:%20cannot%20open%20display%20socket'
TOPK_BACKEND_EXE=$work/nothing.exe run copy </dev/null
check 'a missing program is reported' unavailable '.*nothing\.exe%20does%20not%20exist'
TOPK_DIRECTML_DIR=$work/nothing run copy </dev/null
check 'a missing DirectML is reported' unavailable '.*DirectML\.dll%20is%20missing:%20run%20scripts/get-directml'
TOPK_VK_ICD=$work/no=icd run copy </dev/null
check 'a missing driver manifest is reported' unavailable 'TOPK_VK_ICD:%20.*/no%3Dicd%20does%20not%20exist'
TOPK_WINEPREFIX=/proc/nothing run copy </dev/null
check 'an unwritable prefix is reported' unavailable 'cannot%20write%20to%20/proc/nothing;%20TOPK_WINEPREFIX.*'
TOPK_WINEPREFIX=$work/program.c/wine run copy </dev/null
check 'a file in place of a folder is reported' unavailable 'cannot%20write%20to%20.*/program\.c/wine;.*'
for arguments in '' '--program' '--program x'; do
    # shellcheck disable=SC2086
    run $arguments </dev/null
    check "usage error: '$arguments'" [ "$code" -eq 2 ]
    check "usage on standard error: '$arguments'" grep -q '^usage: scripts/wine-backend' "$work/err"
    check "nothing on standard output: '$arguments'" [ ! -s "$work/out" ]
done
run --help </dev/null
check '--help prints the usage' grep -q '^usage: scripts/wine-backend' "$work/out"
check 'nothing is left after bad input' nothing_left
check "the user's prefix is left alone" [ ! -e "$work/none" ]
check "the user's home is left alone" [ -z "$(ls -A "$HOME"; find "$directml/wine/base" -lname "$HOME*")" ]

sum_up
