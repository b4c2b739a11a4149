#!/usr/bin/env bash
# A hostile backend process cannot obtain a pass: usage: hostile_test.sh BIN [HOSTILE]. BIN has topk-cts,
# topk-worker and, without HOSTILE, hostile. Runs the modes of hostile.c, several in parallel, and then checks
# their results in the order of the table below. Prints a line a check and "N passed, M failed".
set -u

# Names of checks that are known to fail. If such a check passes, this test fails until its line is removed.
KNOWN=()

bin=$(cd "${1:?usage: hostile_test.sh BIN [HOSTILE]}" && pwd) || exit 2
hostile=$(realpath "${2:-$bin/hostile}") || exit 2
work=$(mktemp -d) || exit 2
token=hostile-test-$$
at_once=8
passed=0
failed=0
known=0

# No process of a mode outlives this script.
clean() {
    local pid
    for pid in $(pgrep -f "$token-"); do
        kill -KILL "$pid" 2>/dev/null
    done
    rm -rf "$work"
}
trap clean EXIT

# A row a mode, the one that takes longest last: MODE|CASES|EXIT CODES|VERDICTS|PATTERN
#   CASES     many, more, judged, plain, few, one, large, grow: see select_cases
#   VERDICTS  all V,...   each judged case has one of these verdicts
#             some V,...  at least one case has: a run of a case alone may not repeat what ended a process
#             any         whatever came before the end; none: there is no log
#   PATTERN   an extended regular expression that the log or the output must match
table() {
    cat <<'END'
honest|many|0|all pass|
honest-place|many|0|all pass|
echo|many|1|all fail|
zeros|many|1|all fail|
ones|many|1|all fail|
replay|many|1|all fail|
neighbour|many|1|all fail|
late|many|1|all fail|
wrong-indices|many|1|all fail|
wrong-values|many|1|all fail|
one-short|many|1|all fail|
wrong-order|many|1|all fail|
shifted|many|1|all fail|
guard-value|many|1|all fail|M02
guard-index|many|1|all fail|M02
guard-input|many|1|all fail|M0[12]
changed-input|many|1|all fail|M01
matching-input|many|1|all fail|M01
slack-front|many|1|all fail|M02
slack-back|many|1|all fail|M02
gap|few|1|all crash|changed bytes between the buffers
refuse-all|many|1|all refused|it does not want to
unsupported-all|many|77|all unsupported|it does not want to
out-of-memory-all|many|77|all unsupported|it does not want to
lose-all|few|1|all device-lost|it does not want to
fail-all|many|1|all error|it does not want to
accept-all|many|1|all fail|"verdict":"accepted"
note|many|0|all pass|
truncated|few|1|all crash|exited with 0
half|few|1|all timeout|it stopped for 1 s in the middle of an answer
half-exit|few|1|all crash|exited with 0
half-head|one|1|all timeout|not finished after 1 s
drip|few|1|all timeout|it stopped for 1 s in the middle of an answer
drip-head|one|1|all timeout|not finished after 1 s
more-bytes|few|1|all crash|announces [0-9]+ bytes, and has to bring [0-9]+
trailing|judged|1|some crash,timeout,flaky|1234567|in the middle of an answer
one-byte-more|few|1|all crash|announces [0-9]+ bytes, and has to bring [0-9]+
no-bytes|few|1|all crash|announces 0 bytes, and has to bring [0-9]+
huge-bytes|few|1|all crash|announces 9223372036854775808 bytes
overflow-bytes|few|1|all crash|1844[0-9]{16}.* has to stand
signed-bytes|few|1|all crash|\+[0-9]+\\" where
negative-bytes|few|1|all crash| -1\\" where
zeros-before-bytes|few|1|all crash| 000[0-9]+\\" where
wrong-frame|few|1|all crash|where \\"answer [0-9]+ 1 BYTES\\" has to stand
wrong-count|few|1|all crash|where \\"answer [0-9]+ 1 BYTES\\" has to stand
twice|judged|1|some crash,flaky|\\"answer [0-9]+ [0-9]+ [0-9]+\\" where
ahead|judged|1|some crash,flaky,unsupported|\\"answer [0-9]+ 1 0\\" where
next-first|many|1|all crash|\\"answer [0-9]+ [0-9]+ [0-9]+\\" where|exited with 0
one-for-two|many|1|all crash|\\"answer [0-9]+ [0-9]+ [0-9]+\\" where|exited with 0
out-of-order|few|1|all fail,crash|
status-unknown|few|1|all crash|\\"perfect \\" where the status of a call has to stand
status-missing|few|1|all crash,timeout|
status-more|few|1|all crash,timeout|
status-verdict|few|1|all crash|\\"pass clause=- obs=0 ns=1\\" where
status-bare|few|1|all crash|\\"done\\" where
status-nul|few|1|all crash|which is not a line
status-word|few|1|all crash|\\"done %zz\\" where
status-long|few|1|all crash|where the status of a call
head-nul|few|1|all crash|which is not a line
blank-line|few|1|all crash|\\"\\" where
returns|many|0|all pass|
long-line|few|1|all crash|which is not a line
endless-line|few|1|all crash|which is not a line
binary-line|few|1|all crash|it said .*where .* has to stand
worker-lines|few|1|all crash|\\"begin 0 1\\" where
error-line|few|1|all crash|it did not understand its judge
stdout-flood|few|1|all fail,crash|
stdout-flood-first|one|4|none|does not introduce itself|is not a line
stderr-flood|few|1|all fail,timeout|
stderr-flood-first|one|1|all fail|
marks|many|0|all pass|
mark-back|few|1|all crash|\\"at [0-9]+ 0\\" where
mark-frame|few|1|all crash|\\"at [0-9]+ 0\\" where
mark-group|few|1|all crash|\\"at [0-9]+ [0-9]+\\" where
mark-endless|few|1|all crash|\\"at [0-9]+ 0\\" where
mark-slowly|one|1|all crash,timeout|
mark-crash|many|1|all crash|killed by signal 11
mark-hang|few|1|all timeout|not finished after 1 s
exit-between|judged|1|some crash,flaky|exited with 0
exit-77|judged|1|some crash,flaky|exited with 77
exit-77-first|one|4|none|exited with 77
die-killed|more|1|some crash,flaky|killed by signal 9
die-segv|few|1|all crash|killed by signal 11
die-abort|few|1|all crash|killed by signal 6
crash-told|few|1|all crash|"module":"anywhere.so","offset":"0x1139","symbol":"topk_run"
crash-lied|few|1|all crash|where the end of a process that said that it crashed has to stand
crash-malformed|few|1|all crash|\\"crash anywhere@16\\" where
crash-hang|one|1|all timeout|not finished after 1 s
close-output|few|1|all crash|killed, as it did not end within 1 s of closing its output
close-input|few|1|all crash|it closed its input, and was not finished after 1 s
never-read|few|1|all crash|which is not a line
never-again|one|1|all timeout|not finished after 1 s
read-half|large|1|all timeout|it did not read what it was sent for 1 s
hang|few|1|all timeout|not finished after 1 s
hang-create|one|1|all timeout|not finished after 1 s
deaf|few|1|all pass|"end":"quit","reason":"killed, as it did not end
quit-3|few|1|all pass|"record":"process","end":"quit","reason":"exited with 3"
quit-words|few|1|all pass|"end":"quit","reason":"it broke the backend protocol: it said .*and so on
quit-segv|few|1|all pass|"end":"quit","reason":"killed by signal 11
exit-last|one|1|all pass|"end":"(quit|between)","reason":"exited with 0
quit-late|few|1|all pass|"end":"quit","reason":"it broke the backend protocol: it said .*answer 1 1 0.* where nothing after its last answer has to stand
quit-slow|few|1|all pass|"end":"quit"
restart-name|few|3|any|introduce themselves differently
restart-version|few|3|any|introduce themselves differently
restart-device|few|3|any|introduce themselves differently
restart-driver|few|3|any|introduce themselves differently
restart-features|few|3|any|introduce themselves differently
restart-level|few|3|any|introduce themselves differently
restart-flags|few|3|any|another contract than at first
restart-own|few|3|any|introduce themselves differently: reason for invalid calls
restart-probes|few|3|any|introduce themselves differently: flags
restart-sizes|few|1|all crash|killed by signal 11
restart-frame|few|1|all unsupported,flaky|the backend takes 1
restart-unavailable|few|3|any|it has changed its mind
greeting-malformed|one|4|none|introduction is malformed
greeting-batch|one|4|none|introduction is malformed
greeting-batch-none|one|4|none|introduction is malformed
greeting-align|one|4|none|introduction is malformed
greeting-align-none|one|4|none|introduction is malformed
greeting-align-large|one|4|none|introduction is malformed
greeting-frame|one|4|none|introduction is malformed
greeting-version|one|4|none|version 2 of the protocol
greeting-worker|one|4|none|does not introduce itself
greeting-text|many|1|all fail|
greeting-level|one|5|none|nothing was selected
greeting-twice|few|1|all crash|\\"topk-backend 1 .* where
greeting-first|one|4|none|does not introduce itself
greeting-flood|one|4|none|does not introduce itself|is not a line
greeting-unavailable|one|4|none|there is none
tiny-frame|many|77|all unsupported|the backend takes 1
devices-garbage|few|0|all pass|
devices-control|few|0|all pass|
devices-verdict|few|0|all pass|
probes-garbage|plain|1|all fail|
probes-many|plain|1|all fail|
probes-crash|plain|1|all fail|
m-honest|grow|0|all pass|
m-honest-small|many|0|all pass|
m-echo|many|1|all fail|
m-wrong|many|1|all fail|
m-after|judged|1|some fail,crash,flaky|
m-after-10us|judged|1|some fail,crash,flaky|
m-after-100us|judged|1|some fail,crash,flaky|
m-after-1ms|judged|1|some fail,crash,flaky|
m-after-10ms|judged|1|some fail,crash,flaky|
m-after-once|judged|1|some fail,crash,flaky|
m-after-quit|judged|0|all pass|
m-done-later|judged|1|all fail,crash,flaky|
m-flips|judged|1|some fail,crash,flaky|
m-other-half|few|1|all crash|outside of the buffers of its frame
m-head|few|1|all crash|outside of the buffers of its frame
m-head-after|judged|1|some crash,flaky|outside of the buffers of its frame
m-beyond|few|1|all crash|outside of the buffers of its frame
m-truncate|many|1|some fail,crash,flaky|
m-seal|many|1|all fail|
m-punch|judged|1|some fail,crash,flaky|
m-grow|many|0|all pass|
m-read-only|many|1|all fail|
m-failed|many|1|all fail|
m-twice|few|1|all crash|\\"memory done \\" where
m-garbage|few|1|all crash|\\"memory pass clause=- obs=0 ns=1\\" where
m-hang|one|1|all timeout|not finished after 1 s
m-old|grow|1|some fail,crash,flaky|
m-bytes|few|1|all crash|and has to bring 0
m-stale|many|1|all fail|
m-mark-counts|few|1|all timeout|not finished after 1 s
m-slow-create|one|0|all pass|
m-mark-wild|many|1|all crash|exited with 0
fork-and-exit|few|1|all crash,timeout|
fork-away|few|1|all fail,crash,flaky|
leave-group|few|1|all crash,timeout|
stay|few|1|all fail|
stay-holding|few|1|all fail,crash|
stay-renewed|few|1|all fail|
stay-at-quit|few|1|all fail|
stay-answering|few|1|all fail,crash,flaky|
kill-judge-stay|one|4|none|killed by signal 9
stay-three|few|1|all fail|
stay-hang|one|1|all timeout|not finished after 1 s
storm|few|1|all fail|
eat-memory|one|1|all timeout|not finished after 1 s
burn|one|1|all timeout|not finished after 1 s
say-controls|few|0|all pass|
kill-keeper|few|1|all crash,flaky|killed by signal 9
kill-keeper-stay|one|4|none|killed by signal 9
stop-keeper|judged|1|some crash,flaky|killed, as it did not end within 1 s of closing its output
kill-judge|judged|1|some crash,flaky|killed by signal 9
kill-judge-first|one|4|none|killed by signal 9
stop-judge|few|1|all fail,timeout|
limit-judge|one|1 3 4|any|
kill-runner|many|137|any|
inherited-files|plain|1|all fail|
judges-files|plain|1|all fail|
runners-files|plain|1|all fail|
patch-judge|many|1|all fail|
trace-judge|many|1|all fail|
patch-runner|many|1|all fail|
trace-runner|many|1|all fail|
devices-hang|few|0|all pass|
greeting-never|one|4|none|there was no introduction: it said nothing for 60 s
END
}

# cases of profile core: all but those of invalid.* are judged by their outputs
select_cases() {
    local globs
    case $1 in
    one) globs=('order.values:top_k fl*in=i32?1,2,3,7?*shuffle*') ;;
    few) globs=('order.values:*in=i32?1,2,3,7?*shuffle*') ;;
    large) globs=('paths.equal:top_k fl=3.1 in=f32?140000?*') ;;
    # more than one frame can hold, however fast the machine is
    more) globs=('order.values:*') ;;
    grow) globs=('order.values:*in=i32*shuffle*' 'reach.many:top_k1 fl=3.1 in=f32?40,30000?*') ;;
    *) globs=('order.values:*in=i32*shuffle*' 'order.values:*in=f32*k=2 *uniform*' 'order.values:*in=i64*shuffle*') ;;
    esac
    case $1 in
    many) globs+=('invalid.axis:*in=i32*' 'relations.twin:*in=f32?13?*') ;;
    plain) globs+=('invalid.axis:*in=i32*') ;;
    esac
    "$bin/topk-cts" list --profile core "${globs[@]}" >"$work/cases-$1"
}

# A process of root may do anything to any other; without its privileges it may do only what any user may.
unprivileged=()
attacks=1
if [ "$(id -u)" -eq 0 ]; then
    unprivileged=(setpriv --bounding-set=-all --inh-caps=-all --no-new-privs)
    if ! "${unprivileged[@]}" true 2>/dev/null; then
        unprivileged=()
        attacks=0
    fi
fi
# limits memory, so that unbounded growth fails; sanitizers reserve more than there is
memory=1048576
if grep -q __asan_init "$bin/topk-worker"; then
    attacks=0 # the leak sanitizer wants a process that a debugger may look into
    memory=unlimited
fi
ulimit -c 0

# The processes that this script starts must not inherit its open files.
close_files() {
    local file
    for file in /proc/"$BASHPID"/fd/*; do
        file=${file##*/}
        [ "$file" -le 2 ] || eval "exec $file>&-"
    done
}

# run_mode MODE CASES: leaves out, code and log in a folder of its own
# Cases are given by their whole ids, so the profile may be a small one: core takes longer to make than to run.
run_mode() {
    local cases mode=$1 here=$work/$1 limit=180
    mkdir "$here"
    mapfile -t cases <"$work/cases-$2"
    # hides the shell's messages about a killed runner
    {
        (
            ulimit -v "$memory"
            close_files
            HOSTILE_STATE=$here/starts exec timeout -k 2 "$limit" "${unprivileged[@]}" "$bin/topk-cts" run \
                --backend-command "exec '$hostile' $mode $token-$mode-" --profile peers \
                --timeout 1 --jobs 1 --show-failures 1 --out "$here/log" "${cases[@]}" \
                </dev/null >"$here/out" 2>&1
        )
        echo $? >"$here/code"
    } 2>/dev/null
    date +%s >"$here/ending"
    mv "$here/ending" "$here/ended"
}

# ---- results

report() {
    local name=$1 held=$2 entry
    for entry in ${KNOWN[@]+"${KNOWN[@]}"}; do
        if [ "$entry" = "$name" ]; then
            if [ "$held" -eq 0 ]; then
                known=$((known + 1))
                printf 'known %s\n' "$name"
                return
            fi
            held=0
            name="$name: it holds, and is to be removed from KNOWN"
        fi
    done
    if [ "$held" -eq 1 ]; then
        passed=$((passed + 1))
        printf 'ok %s\n' "$name"
        return
    fi
    failed=$((failed + 1))
    printf 'not ok %s\n' "$name"
    sed 's/^/# /' "$work/seen"
}

# check NAME CONDITION...: the condition is a command; what it prints is shown if it fails
check() {
    local name=$1 held=0
    shift
    if "$@" >"$work/seen" 2>&1; then
        held=1
    fi
    report "$name" "$held"
}

has_code() {
    local here=$1 codes=$2 code
    code=$(cat "$here/code")
    case " $codes " in
    *" $code "*) return 0 ;;
    esac
    printf 'exit code %s instead of %s\n' "$code" "$codes"
    tail -n 8 "$here/out" | cut -c 1-300
    return 1
}

# Success is announced only where it is expected.
is_modest() {
    local here=$1 codes=$2
    [[ " $codes " = *' 0 '* ]] || ! tail -n 1 "$here/out" | grep -E '^(CONFORMANT|PASSED)'
}

# judged LOG: the records of judged cases
judged() {
    grep '^{"record":"case",' "$1" | grep -v '"id":"invalid\.'
}

verdicts_hold() {
    local here=$1 rule=$2 log=$1/log/results.jsonl wanted=${2#* } records
    if [ "$rule" = none ]; then
        [ ! -e "$log" ]
        return
    fi
    [ -f "$log" ] || { echo 'there is no log'; return 1; }
    if grep '"verdict":"harness-error"' "$log"; then
        return 1
    fi
    records=$(judged "$log")
    case $rule in
    all*)
        [ -n "$records" ] || { echo 'no case was judged'; return 1; }
        ! grep -vE "\"verdict\":\"(${wanted//,/|})\"" <<<"$records" | cut -c 1-400 | head -n 3 | grep .
        ;;
    some*)
        grep -qE "\"verdict\":\"(${wanted//,/|})\"" <<<"$records" && return
        cut -c 1-400 <<<"$records" | head -n 3
        return 1
        ;;
    any) ;;
    esac
}

says() {
    local here=$1 words=$2
    cat "$here/out" "$here/log/results.jsonl" 2>/dev/null | grep -qE -e "$words" && return
    printf 'nothing matches %s\n' "$words"
    tail -n 8 "$here/out" | cut -c 1-300
    return 1
}

# The log is complete and unedited, or truncated if its writer was killed.
log_verifies() {
    local here=$1 mode=$2 wanted=0 code
    [ "$mode" = kill-runner ] && wanted=3
    "$bin/topk-cts" report --format json --output "$here/report" "$here/log"
    code=$?
    [ "$code" -eq "$wanted" ] || { printf 'report exits with %s\n' "$code"; return 1; }
}

# No control character of the backend reaches a terminal or the log.
is_text() {
    local here=$1 file
    for file in "$here/out" "$here/log/results.jsonl"; do
        [ ! -f "$file" ] || [ "$(LC_ALL=C tr -d '\n\040-\176\200-\377' <"$file" | wc -c)" -eq 0 ] ||
            { printf '%s has control characters\n' "$file"; return 1; }
    done
}

look_at() {
    local mode=$1 codes=$2 rule=$3 words=$4 here=$work/$1
    check "$mode: exit code" has_code "$here" "$codes"
    check "$mode: no success is announced" is_modest "$here" "$codes"
    check "$mode: verdicts" verdicts_hold "$here" "$rule"
    [ -z "$words" ] || check "$mode: reason" says "$here" "$words"
    [ "$rule" = none ] || check "$mode: the log verifies" log_verifies "$here" "$mode"
    check "$mode: no control characters in output and log" is_text "$here"
}

# A malformed list of devices is not shown, and waiting for the list has a limit.
lists_devices() {
    local mode=$1 words=$2 code
    timeout 60 "${unprivileged[@]}" "$bin/topk-worker" --devices --process "$hostile" "$mode" "$token-$mode-" \
        >"$work/devices-$mode" 2>&1 </dev/null
    code=$?
    cat "$work/devices-$mode"
    [ "$code" -eq 70 ] && grep -qE -e "$words" "$work/devices-$mode" &&
        [ "$(LC_ALL=C tr -d '\n\040-\176' <"$work/devices-$mode" | wc -c)" -eq 0 ]
}

nobody_is_left() {
    ! pgrep -af "$token-$1-"
}

# MODE|PATTERN, for lists_devices
devices_table() {
    cat <<'END'
devices-garbage|where \"devices=W,...\" has to stand
devices-control|where \"devices=W,...\" has to stand
devices-verdict|where \"devices=W,...\" has to stand
devices-hang|not finished after 30 s
END
}

mapfile -t rows < <(table)
check 'the table has every mode' diff <(printf '%s\n' "${rows[@]%%|*}" | sort) <("$hostile" --list | cut -f 1 | sort)
for cases in many more judged plain few one large grow; do
    select_cases "$cases"
done
while IFS='|' read -r mode words; do
    { lists_devices "$mode" "$words" && : >"$work/listed-$mode"; } >"$work/said-$mode" &
done < <(devices_table)
# starts the longest first
for row in "${rows[-1]}" "${rows[@]::${#rows[@]}-1}"; do
    IFS='|' read -r mode cases _ <<<"$row"
    while [ "$(jobs -rp | wc -l)" -ge "$at_once" ]; do
        wait -n
    done
    run_mode "$mode" "$cases" &
done
for row in "${rows[@]}"; do
    IFS='|' read -r mode _ codes rule words <<<"$row"
    case $attacks,$mode in
    0,judges-files | 0,runners-files | 0,patch-* | 0,trace-*)
        printf '# %s: left out: root may do it, and so may anybody under the sanitizers\n' "$mode"
        continue
        ;;
    esac
    while [ ! -e "$work/$mode/ended" ]; do
        sleep 0.1
    done
    look_at "$mode" "$codes" "$rule" "$words"
done
wait
while IFS='|' read -r mode words; do
    check "$mode: a bad list of devices is rejected in time" [ -e "$work/listed-$mode" ]
done < <(devices_table)
# two seconds after the last
ended=$(cat "$work"/*/ended | sort -n | tail -n 1)
while [ $(($(date +%s) - ended)) -lt 3 ]; do
    sleep 0.2
done
for row in "${rows[@]}"; do
    check "${row%%|*}: no process is left" nobody_is_left "${row%%|*}"
done

[ "$known" -eq 0 ] || printf '%d known to fail\n' "$known"
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
