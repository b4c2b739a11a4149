#!/usr/bin/env bash
# How much a run must support to pass: the supported share is first in the last line and in every report, and
# --min-supported and --require affect the exit code, reports and packages in the same way. Run as
#   gate_test.sh BIN
# where BIN holds topk-cts and topk-worker.
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
begin BIN "$@"

# A worker that supports every case whose text does not match a pattern, and reports a pass for it.
cat >some.sh <<'SOME'
echo "topk-worker 1 name=some version=1 device=d driver= features= level=5.0 flags=0 batch=1 own="
while read -r word n; do
    [ "$word" = batch ] || exit 0
    i=0
    while [ $i -lt $n ]; do read -r text; eval "t$i=\$text"; i=$((i + 1)); done
    i=0
    while [ $i -lt $n ]; do
        echo "begin $i 1"
        eval "text=\$t$i"
        case $text in
        $1) echo "done $i unsupported clause=${2:--} obs=0 ns=1 why=no" ;;
        *) echo "done $i pass clause=- obs=0 ns=1" ;;
        esac
        i=$((i + 1))
    done
done
SOME
# serves NAME CODE PATTERN [has TEXT|lacks TEXT]... -- OPTION...: a run of a backend that serves the cases that
# do not match, with a trusted judge
serves() {
    local name=$1 code=$2 pattern=$3
    shift 3
    local said_of=()
    while [ "$1" != -- ]; do
        said_of+=("$1" "$2")
        shift 2
    done
    shift
    check "$name" "$code" "${said_of[@]}" -- "$cts" run --profile peers --out run --overwrite \
        --worker "sh $work/some.sh '$pattern'" --trust-worker "$@"
}
# the profile has 43 cases, all of them valid calls: 26 of f32, 2 of f16
told='JUDGED BY THE WORKER, not by this suite'
echo '# the supported share'
check 'all calls served: no share is printed' 0 has 'CONFORMANT: 43 passed' lacks 'calls served' -- "$cts" run --profile peers --backend cpu --out all
serves '95 % served' 0 '*=f16[[]*' has "$told, 95 % of the valid calls served: 41 passed, 0 failed, 2 unsupported (" --
for format in html json markdown; do
    check "$format: the share is in the first line" 0 has "$told, 95 % of the valid calls served" -- "$cts" report run --format $format
done
check 'JUnit: the share is in the properties' 0 has '<property name="served-percent" value="95"/>' \
    has '<property name="served" value="41"/>' has '<property name="served-of" value="43"/>' lacks 'name="gate"' \
    -- "$cts" report run --format junit
serves '4 % served with --min-supported 10' 1 '*=[fi]*' has 'SERVES TOO LITTLE, 4 % of the valid calls served: --min-supported is 10 %; 2 passed, 0 failed, 41 unsupported (' \
    has 'judged by the worker' -- --min-supported 10
check 'JUnit: a gate that failed' 0 has 'failures="1"' has '<testcase classname="run" name="gate"' \
    has '<failure message="--min-supported is 10 %" type="gate"/>' -- cat run/junit.xml
check 'report --max-failures fails because of --min-supported' 1 has 'topk-cts report: --min-supported is 10 %' \
    -- "$cts" report run --format markdown --max-failures 9 --trust-worker
serves '4 % served with --min-supported 4' 0 '*=[fi]*' has "$told, 4 % of the valid calls served: 2 passed" -- --min-supported 4
serves '4 % served without --min-supported' 0 '*=[fi]*' has "$told, 4 % of the valid calls served: 2 passed" --
printf 'topk-contract 1\ntypes=f16 ranks=8\n' >narrow.contract
check 'less than 2 % served without --min-supported' 1 has 'SERVES TOO LITTLE by the declared contract (types=f16 ranks=8), ' \
    has '--min-supported is 2 %; ' -- "$cts" run --backend cpu --contract narrow.contract --out narrow
serves 'a selection needs no share without --min-supported' 0 '*=[fi]*' has "$told, 2 % of the valid calls served: 1 passed" lacks LITTLE -- 'peers.onnxruntime:'
serves '0 % served without --min-supported' 77 '*' has 'NOT TESTED: all 43 cases are unsupported' lacks '%' --
serves '0 % served with --min-supported' 1 '*' has 'SERVES TOO LITTLE, 0 % of the valid calls served: --min-supported is 1 %' \
    -- --min-supported 1

echo '# --min-supported'
serves '95 % served with --min-supported 96' 1 '*=f16[[]*' has 'SERVES TOO LITTLE, 95 % of the valid calls served: --min-supported is 96 %' -- --min-supported 96
serves '95 % served with --min-supported 95' 0 '*=f16[[]*' has "$told, 95 %" -- --min-supported 95
check '100 % served with --min-supported 100' 0 has 'CONFORMANT: 43 passed' -- \
    "$cts" run --profile peers --backend cpu --min-supported 100 --out all --overwrite
serves 'a selection with --min-supported' 1 '*=f16[[]*' has 'SERVES TOO LITTLE, 94 %' -- --min-supported 95 peers.onnxruntime:
check '--min-supported 1e2' 2 has "min-supported takes a number from 0 to 100, not '1e2'" -- "$cts" run --backend cpu --min-supported 1e2
check '--min-supported 101' 2 has "min-supported takes a number from 0 to 100, not '101'" -- "$cts" run --backend cpu --min-supported 101

echo '# --require'
lacks16='f16 is required, and 2 of its 2 cases are not served'
serves '--require of a type that is not served' 1 '*=f16[[]*' has "NOT AS REQUIRED, 95 % of the valid calls served: $lacks16; 41 passed" -- --require f16
check '--require is in the log' 0 has '"gate":{"require":["f16"]}' -- head -n 1 run/results.jsonl
check '--require fails in JUnit' 0 has "<failure message=\"$lacks16\" type=\"gate\"/>" -- cat run/junit.xml
check '--require fails in Markdown' 0 has '## NOT AS REQUIRED, 95 %' has 'f16 is required, and 2 of its 2 cases' -- "$cts" report run --format markdown
check 'report --max-failures fails because of --require' 1 has "topk-cts report: $lacks16" -- "$cts" report run --format markdown --max-failures 9 --trust-worker
check '--require fails in JSON' 0 has '"required": [' has '"word": "f16"' has '"lacking": 2' -- "$cts" report run --format json
serves '--require of calls that are served' 0 '*=f16[[]*' has "$told, 95 %" -- --require f32,i8,rank=3,k=n
serves '--require of an operator that no case asks for' 1 '*=f16[[]*' has 'NOT AS REQUIRED' has 'top_k is required, and no case asks for it; 41 passed' -- --require f32,top_k
serves '--require given twice' 1 '*=f16[[]*' has "$lacks16; top_k is required" -- --require f16,f16 --require top_k,f16
serves '--require of a backend that serves nothing' 1 '*' has "NOT AS REQUIRED, 0 % of the valid calls served: $lacks16; --min-supported is 2 %; 0 passed" -- --require f16
check 'failures are printed before --require' 1 has 'NOT CONFORMANT: 9 of 43 cases failed, clauses S08' has '; top_k is required, and no case asks for it' \
    -- "$cts" run --profile peers --backend faulty:B26 --require top_k
serves '--require and --min-supported' 1 '*=f16[[]*' has "$lacks16; --min-supported is 99 %" -- --require f16 --min-supported 99
# cases that may be refused count neither as served nor as lacking: V03, K = n
cat >unsupported.sh <<END
set -- '*=f32[[]4,2]*k=4 *' V03
. $work/some.sh
END
check '--require ignores cases that may be refused' 0 has '97 % of the valid calls served' has '1 unsupported' -- \
    "$cts" run --profile peers --worker "sh $work/unsupported.sh" --trust-worker --require f32 --out may
check '--require of an unknown word' 2 has "--require does not know 'f17'; it knows" has 'top_k top_k1' \
    has 'f32 f16 ' has 'rank=1 rank=2' lacks ties= -- "$cts" run --backend cpu --require f16,f17
for word in '' 'f16,' u32=index ties=all rank5 a-word-that-is-as-long-as-none-of-them-is; do
    check "--require '$word'" 2 has '--require does not know' -- "$cts" run --backend cpu --require "$word"
done

echo '# resumed and merged runs'
serves '--require of a run that is to be resumed' 1 '*=f16[[]*' has "$lacks16" -- --require f16
check '--resume without its --require' 2 has "its gate is '--require f16', not ''" -- "$cts" run --profile peers \
    --worker "sh $work/some.sh '*=f16[[]*'" --trust-worker --resume --out run
serves 'the same run with --require, from the start' 1 '*=f16[[]*' has "$lacks16" -- --require f16
for i in 1 2; do
    "$cts" run --profile peers --worker "sh $work/some.sh '*=f16[[]*'" --trust-worker --require f16 --shard $i/2 --out part$i >part$i.out
    same "shard $i does not fail because of --require" "$(tail -n 1 part$i.out | grep -c "^$told")" 1
done
check 'merged shards fail because of --require' 1 has "NOT AS REQUIRED, 95 % of the valid calls served: $lacks16" -- \
    "$cts" merge part1 part2 --trust-worker --out parts
"$cts" run --profile peers --worker "sh $work/some.sh '*=f16[[]*'" --trust-worker --shard 2/2 --out other >out
check 'merge of shards with different gates' 2 has "its gate is '', and that of part1/results.jsonl is '--require f16'" -- "$cts" merge part1 other --out mixed
check 'compare prints different gates' 1 has 'different gate:' has '--require f16' -- "$cts" compare run other

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
