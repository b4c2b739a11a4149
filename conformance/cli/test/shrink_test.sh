#!/usr/bin/env bash
# topk-cts shrink and run --shrink on a deliberately wrong plugin, including crashes and hangs; and the C programs
# that they write, which are compiled and run. Run as
#   shrink_test.sh BIN CC...
# where BIN holds topk-cts, topk-worker and broken.so, and each CC is a C compiler. Only the first one must be installed. With
# SANITIZED set, the plugins cannot be linked to a program without sanitizers: then no program is built.
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
begin 'BIN CC...' "$@"
shift
compilers=("$@")

# not_code WANT CODE: describes a wrong exit code, or prints nothing
not_code() {
    [ "$2" = "$1" ] || echo "exit code $2 instead of $1"
}

# shrinks FAULT CASE TEXT WORDS: a case that fails with a fault shrinks to a text, and the output has the
# words. Leaves the program of the failure in FAULT.c.
shrinks() {
    local fault=$1 from=$2 to=$3 words=$4 wrong='' code limit=60
    [ "$fault" != hang ] || limit=0.6 # all others are far below it
    "$cts" shrink --backend "$bin/broken.so:$fault" --timeout "$limit" --c "$fault.c" "$from" >out 2>&1 </dev/null
    code=$?
    [ $code = 1 ] || wrong="exit code $code"
    grep -qxF "  $to" out || wrong="${wrong:+$wrong; }not shrunk to '$to'"
    grep -qF -e "$words" out || wrong="${wrong:+$wrong; }no \"$words\""
    grep -q "replay --backend .*broken.so:$fault '" out || wrong="${wrong:+$wrong; }no command that replays it"
    "$cts" shrink --backend "$bin/broken.so:$fault" --timeout "$limit" "$to" >out 2>&1 </dev/null
    grep -qxF "  $to" out || wrong="${wrong:+$wrong; }it shrinks further when shrunk again"
    report "$wrong" "shrinks: $fault"
}

# program FAULT CODE: the program of a fault, in FAULT.c, exits with CODE when linked with the fault,
# and with 0 when linked with correct plugins
program() {
    local fault=$1 want=$2 wrong='' code cc limit=60
    [ "$fault" != hang ] || limit=1
    : >out
    [ -f "$fault.c" ] || wrong="there is no $fault.c"
    for cc in "${compilers[@]}"; do
        if [ -n "$wrong" ] || ! command -v "$cc" >/dev/null; then
            continue
        fi
        if ! "$cc" -std=c17 -Wall -Werror -I"$root/backends/include" -o program "$fault.c" "$bin/broken.so" \
            -lm -Wl,-rpath,"$bin" >out 2>&1 ||
            ! "$cc" -std=c17 -Wall -Werror -I"$root/backends/include" -o right "$fault.c" ./example.so \
                -lm -Wl,-rpath,"$work" >>out 2>&1; then
            wrong="$cc does not compile it"
            continue
        fi
        timeout "$limit" ./program "$fault" >out 2>&1
        code=$?
        cp out "$fault.said"
        [ $code = "$want" ] || wrong="$cc: exit code $code with the fault"
        ./program none >>out 2>&1 || wrong="${wrong:+$wrong; }$cc: not 0 without the fault"
        ./right >>out 2>&1 || wrong="${wrong:+$wrong; }$cc: not 0 with the example"
    done
    report "$wrong" "program: $fault"
}

shrinks ties-descending 'ties.boundary:top_k1 fl=5.0 in=i64[3,70] axis=1 k=12 dir=inc check=prefix data=few.1:2:7' \
    'top_k fl=3.1 in=f32[2] axis=0 k=2' 'shrinking: fail (S08), equal values are taken by descending index, 210 input'
shrinks flat-index 'top_k fl=5.0 in=f16[4,3,20]^64 axis=1 k=2 exec=4 data=uniform.1:5' \
    'top_k fl=3.1 in=f32[2,1] axis=1 k=1' 'S06'
shrinks packed-read 'top_k fl=5.0 in=f32[3,8]{20,2} axis=1 k=3 data=shuffle.1:5' \
    'top_k fl=3.1 in=f32[2]{2} axis=0 k=1' 'T04'
shrinks nan-depends-on-output 'top_k fl=5.0 in=f32[3,7] axis=1 k=3 check=repeat data=nan.1:1:4' \
    'top_k fl=3.1 in=f32[2] axis=0 k=1 check=repeat data=hex:7fc00000,00000000' 'S14'
shrinks writes-past-end 'top_k1 fl=5.0 in=f16[3,7] axis=1 k=2 dir=dec data=shuffle.1:1' \
    'top_k fl=3.1 in=f32[1] axis=0 k=1' 'M02'
shrinks accepts-k-zero 'invalid.k-zero:top_k1 fl=5.0 in=f32[3,7] axis=1 k=0 dir=inc exec=2' \
    'top_k fl=5.0 in=f32[1] axis=0 k=0' 'ACCEPTED'
shrinks crash 'top_k1 fl=5.0 in=f16[3,7] axis=1 k=3 dir=dec data=shuffle.1:1' \
    'top_k fl=3.1 in=f32[3] axis=0 k=3' 'signal 11'
shrinks hang 'top_k1 fl=5.0 in=f16[3,7] axis=1 k=3 dir=dec data=shuffle.1:1' \
    'top_k fl=3.1 in=f32[3] axis=0 k=3' 'not finished after 0.6 s'

if [ -z "${SANITIZED:-}" ]; then
    "${compilers[0]}" -std=c17 -O2 -fPIC -shared -I"$root/backends/include" -o example.so \
        "$root/docs/example-plugin/example.c" || exit 1
    program ties-descending 1
    program flat-index 1
    program packed-read 1
    program nan-depends-on-output 1
    program writes-past-end 1
    program accepts-k-zero 1
    program crash 1
    program hang 124
    report "$(grep -qF 'the backend crashed, signal 11: the failure is there' crash.said || echo 'it does not say so')" \
        'program: it says that the backend crashed'

    # the program makes the data of large tensors itself
    large() {
        local fault=$1 from=$2 wrong=''
        "$cts" shrink --backend "$bin/broken.so:$fault" --max-runs 1 --c "$fault.c" "$from" >out 2>&1 </dev/null
        [ $? = 1 ] && [ "$(wc -c <"$fault.c")" -lt 100000 ] || wrong='it is not written, or not small'
        report "$wrong" "large: $from"
        program "$fault" 1
    }
    large index-one-based 'top_k1 fl=5.0 in=f32[2,2000] axis=1 k=33 dir=inc exec=1 data=mixed.1:7'
    large index-one-based 'top_k1 fl=5.0 in=i8[2000,2]{3,1} axis=0 k=33 dir=dec idx=u64{3,1} pad=random data=every.1:1:7'
    large ties-descending 'top_k fl=5.0 in=u64[2,3,4,5,6,7] axis=2 k=3 check=repeat data=tiles.1:4:0:7'
    large ties-descending 'top_k1 fl=5.0 in=f16[40,70]{0,1}^64 axis=1 k=9 dir=inc data=few.1:4:7'
    large duplicate-index 'top_k fl=5.0 in=f32[2,1500] axis=1 k=1499 data=nan.2:0:7'
    large wrong-direction 'top_k1 fl=5.0 in=f32[300000] axis=0 k=30000 dir=inc data=shuffle.1:7'
    large refuses-giant 'top_k fl=5.0 in=f32[600000000] axis=0 k=2'

    # the printed command builds the program and runs it
    "$cts" shrink --backend "$bin/broken.so:exit0" --c here.c 'top_k fl=3.1 in=f32[3] axis=0 k=3' >out 2>&1 </dev/null
    command=$(sed -n 's/^  \(cc -std=c17 \)/\1/p' out)
    report "$(grep -qF "$command" here.c || echo 'it is not in the program')" 'the command is in the program'
    (eval "${compilers[0]} ${command#cc}") >out 2>&1
    report "$(not_code 1 $?; grep -qF 'the backend ended the process, exit code 0: the failure is there' out || echo 'it does not say so')" \
        'the command builds it and runs it'
fi

# said CODE WORDS NAME ARGUMENT...: the exit code and a part of the output of topk-cts
said() {
    local want=$1 words=$2 name=$3 wrong='' code
    shift 3
    "$cts" "$@" >out 2>&1 </dev/null
    code=$?
    [ $code = "$want" ] || wrong="exit code $code instead of $want"
    grep -qF -e "$words" out || wrong="${wrong:+$wrong; }no \"$words\""
    report "$wrong" "$name"
}

said 5 'the case does not fail (pass): there is nothing to shrink' 'a case that passes' \
    shrink --backend cpu 'top_k fl=3.1 in=f32[2] axis=0 k=2'
said 2 'not a case: column 7' 'a text that is no case' shrink --backend cpu 'top_k fx=3.1'
said 2 'no case given' 'shrink without a case' shrink --backend cpu
said 2 '--max-runs takes a number from 1 on' '--max-runs 0' shrink --backend cpu --max-runs 0 'top_k fl=3.1 in=f32[2] axis=0 k=2'
said 1 'after 3 runs; it may become smaller' '--max-runs 3' \
    shrink --backend "$bin/broken.so:ties-descending" --max-runs 3 'top_k fl=5.0 in=f32[3,70]^64 axis=1 k=9 data=few.1:2:7'
said 3 'needs a second, different call (check=flags)' '--c of a relation that needs a different call' \
    shrink --backend "$bin/broken.so:flags-flush-denormals" --c flags.c \
    'top_k fl=5.0 in=f32[3,7] axis=1 k=3 check=flags data=denormals.1:4'
report "$([ ! -e flags.c ] || echo 'there is one')" 'no program is written for such a relation'
# it fails when the case runs first in a worker, and never again
flaky=$work/flaky.sh
cat >"$flaky" <<END
#!/bin/sh
[ -e $work/ran ] && exec "$bin/topk-worker" --backend cpu
: >$work/ran
exec "$bin/topk-worker" --backend "$bin/broken.so:crash"
END
chmod +x "$flaky"
said 3 'two workers introduce themselves differently' 'a backend that changes' \
    shrink --worker "$flaky" 'top_k fl=3.1 in=f32[3] axis=0 k=3'

# run --shrink: many failures of one cause are one entry, and the file can be replayed
"$cts" run --backend "$bin/broken.so:minus-zero-first" --shrink --out shrunk floats.zeros >out 2>&1
report "$(not_code 1 $?)" 'run --shrink exits with 1'
report "$(grep -qE '^[0-9]{3,} cases failed: 1 bug, as far as the cases can tell$' out || echo 'not one entry')" 'run --shrink: failures of one cause are one bug'
report "$([ "$(grep -c '^FAIL' out)" = 1 ] || echo 'not one failure is printed')" 'run --shrink prints one failure'
report "$(grep -qxF '  top_k fl=3.1 in=f32[2] axis=0 k=1 data=hex:80000000,00000000' out || echo 'not as the shrunk case')" 'run --shrink prints the shrunk case'
report "$(grep -qE '^# fail F01, [0-9]+ cases, one of them floats\.' shrunk/shrunk.txt || echo 'no comment')" \
    'shrunk.txt has a comment with an original case'
"$cts" replay --backend "$bin/broken.so:minus-zero-first" - <shrunk/shrunk.txt >out 2>&1
report "$(not_code 1 $?)" 'shrunk.txt fails on the same backend'
"$cts" replay --backend cpu - <shrunk/shrunk.txt >out 2>&1
report "$(not_code 0 $?)" 'shrunk.txt passes on cpu'
"$cts" run --backend "$bin/broken.so:crash" --shrink --out crashes k ties.boundary >out 2>&1
report "$(grep -qE '^[0-9]+ cases failed: 1 bug, as far as the cases can tell$' out || echo 'not one entry')" 'run --shrink: crashes are one bug'
"$cts" run --backend cpu --shrink --out fine ties.boundary >out 2>&1
report "$(not_code 0 $?; [ ! -e fine/shrunk.txt ] || echo 'there is a file')" 'run --shrink without a failure'

[ $failed = 0 ] || echo "$failed checks failed"
[ $failed = 0 ]
