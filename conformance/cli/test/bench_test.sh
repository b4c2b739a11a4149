#!/usr/bin/env bash
# topk-cts bench: its output has the requested rows, wrong results get no numbers, and refused calls are named. No
# check depends on measured times. Run as
#   bench_test.sh BIN
# where BIN holds topk-cts and the plugins of the tests.
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
begin BIN "$@"
need jq

# ---- measuring ---------------------------------------------------------------------------------------

check 'a quick run' 0 has 'judge: ns per element' has 'backend cpu 1.0: ' has 'f32      16      8' has 'one thread: reads ' \
    lacks 'rows,' -- "$cts" bench --quick --json quick.json --svg quick.svg
same 'JSON: each listed row has numbers' \
    "$(jq -r '.rows[] | "\(.subject) \(.type) n=\(.n) k=\(.k) stride=\(.stride) sequences=\(.sequences)"' quick.json)" \
    "$("$cts" bench --quick --list)"
same 'JSON: all numbers are above 0' \
    "$(jq '[.rows[] | .ratio, .time.median, .limit.median, .peers[].ratio, .peers[].time.median] | all(. > 0)' quick.json)" true
same 'JSON: least <= median <= greatest' \
    "$(jq '[.rows[].time | .least <= .median and .median <= .greatest] | all' quick.json)" true
same 'JSON: each peer takes part or has a reason why not' "$(jq '[.peers[] | .open or .about != ""] | all' quick.json)" true
same 'the C library is a peer everywhere' "$(jq -r '.peers[] | select(.name == "qsort").open' quick.json)" true
same '--svg writes one SVG' "$(head -c 4 quick.svg) $(tail -n 1 quick.svg)" '<svg </svg>'
same 'no row is wider than a terminal' "$("$cts" bench --quick --type f32 --n 16 | awk 'length > 100 && !/pinned to processor/')" ''
check 'the judge alone' 0 has 'judge: ns' lacks 'backend cpu' -- "$cts" bench judge --quick --type i64 --n 16 --k n
check 'a backend alone' 0 has 'backend cpu' lacks 'judge: ns' lacks 'qsort' -- \
    "$cts" bench backend --quick --type u8 --n 16 --k 1 --no-peers
check 'JSON alone' 0 has '"format": 1' lacks 'topk-cts 0' -- \
    "$cts" bench judge --quick --type u8 --n 16 --json -
check 'a peer that a user names' 0 has 'peer cpu: 1.0' -- \
    "$cts" bench backend --quick --type f32 --n 16 --k 8 --no-peers --backend faulty:none --peer cpu
check 'a type that a peer does not serve is noted' 0 has 'qsort, f16: the library does not take the type' -- \
    "$cts" bench backend --quick --type f16 --n 16 --k 8
mkdir alone
cp "$cts" alone
check 'missing peers are named, with the packages that they need' 0 has 'peer torch: left out: this build lacks it; it needs' \
    has 'libtorch-dev and g++' has 'f32      16      8' lacks 'qsort, f32' -- alone/topk-cts bench backend --quick --type f32 --n 16 --k 8
check 'a wrong result gets no number' 1 has 'index-one-based, f32: the result is wrong, so it gets no number: clause S' \
    has 'f32      16      8      -' -- \
    "$cts" bench backend --quick --type f32 --n 16 --k 8 --no-peers --backend faulty:index-one-based
check 'a row that lacks memory is reported, and the others run' 0 has 'n = 256M takes more memory than there is' \
    has 'u8       16      8' -- bash -c "ulimit -v 700000; exec '$cts' bench judge --quick --type u8 --n 16,256M --k 8"

# ---- comparing ---------------------------------------------------------------------------------------

bench=("$cts" bench judge --quick --type f32 --n 16 --k 8 --json now.json)
jq '.rows[].ratio *= 1000' quick.json >slow.json
jq '.rows[].ratio /= 1000' quick.json >fast.json
check '--compare: nothing regressed since a slow file' 0 has 'NOT REGRESSED: 0 of 2 rows' has '2 faster' has 'faster: judge f32 n=16 k=8' -- \
    "${bench[@]}" --compare slow.json
check '--compare: all rows regressed since a fast file' 1 has 'REGRESSED: 2 of 2 rows' has 'slower: judge f32 n=16 k=8 stride 3' -- \
    "${bench[@]}" --compare fast.json
check '--tolerance: no row regressed by 10000 %' 0 has 'NOT REGRESSED' -- "${bench[@]}" --compare quick.json --tolerance 10000
check '--compare: no row in common' 2 has 'quick.json has no row in common with this run' -- \
    "$cts" bench judge --quick --type i8 --n 16 --k 8 --compare quick.json

# ---- errors ------------------------------------------------------------------------------------------

check 'an unknown type' 2 has "there is no type 'f80'" -- "$cts" bench --type f32,f80
check 'no type' 2 has "there is no type ''" -- "$cts" bench --type f32,
check 'n of 0' 2 has "--n takes lengths from 1 to 256M" has "not '0'" -- "$cts" bench --n 16,0
check 'n that is no number' 2 has "not '1x'" -- "$cts" bench --n 1x
check 'n that is too large' 2 has "not '257M'" -- "$cts" bench --n 257M
check 'K of 0' 2 has "--k takes K from 1 to 256M" has "not '0'" -- "$cts" bench --k 0
check 'K that is no part of n' 2 has "not 'n/0'" -- "$cts" bench --k n/0
check 'K beyond n' 2 has 'K = 17 is greater than every n of --n' -- "$cts" bench --n 4,16 --k 17
check 'no rounds' 2 has '--runs takes a number from 1 to 99' -- "$cts" bench --runs 0
check 'a third subject' 2 has "unexpected argument 'jury'" -- "$cts" bench jury
check 'two outputs in one' 2 has 'cannot both be standard output' -- "$cts" bench --json - --svg -
check 'a backend that is not there' 4 has "unknown backend 'none'" -- "$cts" bench --quick --backend none
check 'a backend with wrong options' 4 has 'backend ' has 'nonsense' -- "$cts" bench --quick --backend cpu:nonsense
check 'a peer that is not there' 4 has './none.so' -- "$cts" bench --quick --peer ./none.so
check 'a file that cannot be written, before anything is measured' 2 has 'no/such/file' lacks 'ns per element' -- \
    "$cts" bench --quick --json no/such/file
check '--compare: a missing file' 2 has 'none.json' -- "$cts" bench --quick --compare none.json
echo '{"format": 1, "suite"' >cut.json
check '--compare: a truncated file' 3 has 'cut.json: line 2: it is not a JSON object' -- "$cts" bench --quick --compare cut.json
jq '.format = 9' quick.json >newer.json
check '--compare: a newer format' 3 has 'newer.json: format is newer than this topk-cts knows' -- "$cts" bench --quick --compare newer.json
jq '.rows[3].ratio = "fast"' quick.json >spoiled.json
check '--compare: a malformed number' 3 has 'spoiled.json: rows[3].ratio is missing, or not a number above 0' -- \
    "$cts" bench --quick --compare spoiled.json

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
