#!/usr/bin/env bash
# What a process that hosts a backend reports when it crashes, and how the judge and the log show that: usage:
# crash_test.sh BIN. BIN has topk-cts, topk-worker, topk-backend and crashing.so. Prints a line a check and "N passed,
# M failed".
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../../conformance/cli/test/checks.sh"
begin BIN "$@"
ulimit -c 0

case_text='top_k fl=2.0 in=f32[1,1,1,4] axis=3 k=3 data=few.1:2:1'
printf 'batch 1\n%s\n' "$case_text" >requests

# A row per way to crash: WAY|SIGNAL|LINE. SIGNAL is what the process dies of, LINE an extended regular expression for
# what it reports before that; "": nothing.
hex='0x[0-9a-f]+'
libraries="(;libc[^;:]*\\+$hex(:[^;]*)?)*"
table() {
    cat <<END
null|11|SIGSEGV@0x10;crashing\\.so\\+$hex:crash_null\\+$hex;crashing\\.so\\+.*
other|11|SIGSEGV@0x20;crashing\\.so\\+$hex:crash_other\\+$hex;.*
wild|11|SIGSEGV(@0x1000000000000000)?;crashing\\.so\\+$hex:crash_wild\\+$hex;.*
abort|6|SIGABRT$libraries;crashing\\.so\\+$hex:crash_abort\\+$hex;.*
divide|8|SIGFPE;crashing\\.so\\+$hex:crash_divide\\+$hex;.*
illegal|4|SIGILL;crashing\\.so\\+$hex:crash_illegal\\+$hex;.*
call|11|SIGSEGV@0x0;\\?\\+0x0;crashing\\.so\\+$hex:crash_call\\+$hex.*
copy|11|SIGSEGV@0x8$libraries;crashing\\.so\\+$hex:crash_copy\\+$hex;.*
raise|11|SIGSEGV$libraries;crashing\\.so\\+$hex:crash_raise\\+$hex;.*
stack|11|stack-overflow@$hex;crashing\\.so\\+$hex:crash_deep\\+$hex;crashing\\.so\\+($hex):crash_deep\\+$hex;.*
thread|11|SIGSEGV@0x10;crashing\\.so\\+$hex:crash_null\\+$hex;.*
replaced|11|
kill|9|
END
}

# crashed WAY SIGNAL LINE: prints what is wrong with the report and the exit code of topk-worker, or nothing
crashed() {
    local said
    "$bin/topk-worker" --backend "$bin/crashing.so:$1" <requests 2>err | cat >out
    local code=${PIPESTATUS[0]}
    said=$(tail -n +3 out)
    [ "$code" = $((128 + $2)) ] || echo "exit code $code"
    [ "$(sed -n 2p out)" = 'begin 0 1' ] || echo 'it has not begun'
    if [ -z "$3" ]; then
        [ -z "$said" ] || echo "it said '$said'"
    else
        printf '%s\n' "$said" | grep -qxE "crash $3" || echo "it said '$said'"
    fi
}

# judged WAY SIGNAL LINE: the same for a backend process; its judge passes the report on
judged() {
    "$bin/topk-worker" --process "$bin/topk-backend" "$bin/crashing.so:$1" <requests >out 2>err
    local code=$? said
    said=$(sed -n '3,$p' out | grep -v '^died ')
    [ $code = 70 ] || echo "exit code $code"
    grep -qE "^died 0 1 killed%20by%20signal%20$2%20" out || echo 'it did not die of it'
    if [ -z "$3" ]; then
        [ -z "$said" ] || echo "it said '$said'"
    else
        printf '%s\n' "$said" | grep -qxE "crash $3" || echo "it said '$said'"
    fi
}

# hides bash's messages about killed processes
exec 2>/dev/null
while IFS='|' read -r way signal line; do
    report "$(crashed "$way" "$signal" "$line")" "$way: reported by the process that hosts the backend"
    report "$(judged "$way" "$signal" "$line")" "$way: the judge passes the report on"
done < <(table)

# ---- a crash handler that itself crashes or hangs: the process dies of the same signal
for how in hang abort crash; do
    CRASHING_TRACE=$how LD_PRELOAD=$bin/crashing.so timeout 60 \
        "$bin/topk-worker" --backend "$bin/crashing.so:null" <requests 2>err | cat >out
    code=${PIPESTATUS[0]}
    same "a trace that ends in '$how': the signal" "$code" 139
    same "a trace that ends in '$how': nothing is reported" "$(tail -n +3 out)" ''
done

# ---- how users see a crash
frame_of() { jq -r "select(.record == \"case\") | .crash.frames[] | select(.symbol == \"$1\") | .module" "$2"; }
for hosts in "--backend $bin/crashing.so" "--worker $bin/topk-worker --backend $bin/crashing.so"; do
    read -r key spec <<<"$hosts"
    rm -rf run
    check "run $key shows the crash" 1 has '  SIGSEGV at address 0x10, the innermost call first:' has ' (crash_null+0x' \
        -- "$cts" run --verbose "$key" "$spec:null" --out run "examples.*k=3*"
    same "the log of $key names the module" "$(frame_of crash_null run/results.jsonl | sort -u)" crashing.so
    same "the log records the address of the crash" "$(jq -r 'select(.crash).crash.address' run/results.jsonl | sort -u)" 0x10
    same "the log records the signal of the crash" "$(jq -r 'select(.crash).crash.signal' run/results.jsonl | sort -u)" SIGSEGV
done
check 'replay shows the crash' 1 has '  SIGSEGV at address 0x10, the innermost call first:' has ' (crash_null+0x' \
    -- "$cts" replay --backend "$bin/crashing.so:null" "$case_text"
check 'replay of a crash without a report names the signal only' 1 has 'killed by signal 11' lacks 'innermost' \
    -- "$cts" replay --backend "$bin/crashing.so:replaced" "$case_text"
check 'a crash while the backend is opened is reported' 4 has 'ended before it introduced itself: killed by signal 11' has ' in crashing.so+0x' \
    -- "$cts" replay --backend "$bin/crashing.so:opening" "$case_text"

check 'a crash while a worker opens the backend is reported' 4 has 'ended before it introduced itself: killed by signal 11' \
    has ' in crashing.so+0x' \
    -- "$cts" replay --worker "exec $bin/topk-worker --backend $bin/crashing.so:opening" "$case_text"

# ---- two places are two causes, each with all its cases
rm -rf run
"$cts" run --backend "$bin/crashing.so:sites" --jobs 2 --shrink --show-failures 0 --out run 'order' >out 2>err
crashes=$(jq -c 'select(.record == "case" and .verdict == "crash")' run/results.jsonl | wc -l)
report "$([ "$crashes" -gt 100 ] || echo "$crashes crashes")" 'more than 100 cases crash'
"$cts" report run --format json >report.json
same 'crashes at two places are two causes' "$(jq -r '.causes[] | select(.verdict == "crash").cause' report.json |
    sed -E "s/$hex/X/g" | sort)" "SIGSEGV in crashing.so+X (crash_null+X)
SIGSEGV in crashing.so+X (crash_other+X)"
same 'the two causes contain all crashes' "$(jq '[.causes[] | select(.verdict == "crash").count] | add' report.json)" "$crashes"
same 'the crashes shrink to one case per place' "$(jq -c 'select(.record == "shrunk") | .crash.frames[0].symbol' run/results.jsonl | sort)" \
    '"crash_null"
"crash_other"'
same 'a case that crashes at another place is not a smaller case' \
    "$("$cts" shrink --backend "$bin/crashing.so:sites" 'top_k fl=5.0 in=f32[3,40] axis=1 k=7 data=shuffle.1:1' 2>&1 |
        grep -o ' k=3$')" ' k=3'

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
