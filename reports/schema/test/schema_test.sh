#!/usr/bin/env bash
# All JSON that topk-cts writes, for many kinds of runs, is valid by `topk-cts schema' according to an independent
# validator; and documents with errors are not valid. Run as
#   schema_test.sh BIN AJV
# where BIN holds topk-cts and the programs of its tests, and AJV the folder that
# scripts/get-ajv filled. Prints a line a check.
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../../conformance/cli/test/checks.sh"
begin 'BIN AJV' "$@"
need node jq minisign
ajv=$(cd "$OLDPWD" && realpath "$2")
if [ ! -d "$ajv/node_modules/ajv" ]; then
    echo "$2 has no validator: scripts/get-ajv" >&2
    exit 1
fi
ulimit -c 0

echo '# schemas'
check 'topk-cts schema lists the schemas' 0 has 'log        format ' has 'report     format ' has 'compare    format ' has 'bench      format ' has 'statement  format ' -- \
    "$cts" schema
names=$("$cts" schema | cut -d ' ' -f 1)
for name in $names; do
    "$cts" schema "$name" >"$name.schema.json"
    # shellcheck disable=SC2016 # the dollars are those of JSON Schema
    check "$name: schema and id are named" 0 has '"$schema": "https://json-schema.org/draft/2020-12/schema"' \
        has "\"\$id\": \"urn:topk-cts:schema:$name:$("$cts" schema | awk -v name="$name" '$1 == name { print $3 }')\"" -- \
        cat "$name.schema.json"
    check "$name: the installed schema is the same" 0 -- cmp "$name.schema.json" "$bin/../docs/schema/$name.json"
    format=$(jq -r '."$id" | split(":") | last' "$name.schema.json")
    digest=$(jq -cS 'del(.. | .description? | strings)' "$name.schema.json" | sha256sum)
    same "$name: the schema is the published one of format $format" "${digest%% *}" \
        "$(awk -v name="$name" -v format="$format" -v unpublished="${digest%% *}" '
            $1 == name && $2 == format { unpublished = $3 } END { print unpublished }' "$root/reports/schema/published.txt")"
done
check 'an unknown schema is rejected' 2 has "there is no schema 'none'" -- "$cts" schema none
check 'two schemas at once are rejected' 2 has 'one schema at a time' -- "$cts" schema log report

echo '# runs'
# run CODE NAME ARGUMENT...: the log is NAME/results.jsonl
run() {
    local code=$1 name=$2
    shift 2
    check "run $name exits with $code" "$code" -- "$cts" run --out "$name" "$@"
}
worker="'$bin/topk-worker' --backend"
chaos="'$bin/chaos_worker' seed=5,rate"
odd=$'\xff\x01<script>'
run 0 core --backend cpu
run 1 faulty --backend faulty:B26 examples 'floats.zeros:top_k fl=2.0*' --shrink --seed 18446744073709551615
cat >rules <<END
verdict=fail select="$(jq -r 'select(.record == "case" and .verdict == "fail").id' faulty/results.jsonl | head -n 1)" backend=faulty owner="J. Doe" reason="known" expires=2099-12-31
verdict=crash select=examples backend=none owner=o reason=r expires=2020-01-01 link=https://example.com/1
END
run 1 waived --backend faulty:B26 examples 'floats.zeros:top_k fl=2.0*' --expectations rules
sed 's/2099-/2021-/; s/select=examples /rank>=5 clause=S08|S09 cause=none mismatch=tie-order /' rules >expired-rules
run 1 expired --backend faulty:B26 examples --expectations expired-rules
run 1 allowed --backend faulty:B26 examples --expectations expired-rules --allow-expired
run 1 crash --backend "$bin/crashing.so:null" examples --max-crashes 2
run 1 crash --backend "$bin/crashing.so:null" examples --resume
run 1 shrunk --backend "$bin/crashing.so:wild" examples.documents --shrink
run 1 sequence --backend faulty:stale-tail --shrink \
    'top_k fl=2.0 in=f32[1,1,1,9] axis=3 k=3 then top_k fl=2.0 in=f32[1,1,1,5] axis=3 k=3'
run 1 killed --backend "$bin/crashing.so:kill" examples.documents --fail-fast
run 1 hung --worker "$chaos=0.1,kinds=hang $worker $bin/chaos.so" --timeout 1 --max-timeouts 1 examples
run 1 told --worker "$chaos=0.3,kinds=lost+memory+guard+input+exit $worker $bin/chaos.so" examples
# in one run a case fails now and then, as a rule expects, in another it fails only after another case
flaky=$root/conformance/cli/test/flaky_worker.sh
flaky_case='top_k fl=2.0 in=f32[1,1,1,9] axis=3 k=3 data=few.1:2:1'
steady_case=${flaky_case/k=3/k=2}
echo "verdict=flaky select=\"$flaky_case\" backend=fake owner=o reason=r expires=2099-12-31" >flaky-rules
export STARTS=$work/count
HOW=third run 0 flaky --worker "$flaky" --trust-worker --expectations flaky-rules "$steady_case" "$flaky_case"
HOW=behind run 1 behind --worker "$flaky" --trust-worker "$steady_case" "$flaky_case"
HOW=always run 1 repeated --worker "$flaky" --trust-worker --repeat 3 "$steady_case" "$flaky_case"
cat >declared <<END
topk-contract 1
name=mine
source=its manual
ties=any
types=f32
END
run 0 contract --backend cpu examples --contract declared
run 0 gated --backend cpu examples --min-supported 50 --require f16,top_k1
run 0 looked-away --backend cpu examples.documents --no-identity
run 0 probes --backend "$bin/broken_probes.so" --timeout 1 examples.documents
run 0 listed --backend "$bin/broken_probes.so:list" examples.documents
run 0 command --backend-command "'$bin/topk-backend' cpu # $odd" examples --no-probes
run 1 within --backend cpu --in-process examples.documents
run 1 guarded --backend faulty:reads-vector-tail --guard-pages examples.documents
run 0 contained --backend cpu examples.documents --memory 4G --cpu 600 --env LP_NUM_THREADS=1 --max-unclean 2 --max-restarts 3
run 5 budget --backend cpu --time-budget 0.001
for i in 1 2; do run 0 "part$i" --backend cpu examples.documents --shard "$i/2"; done
check 'report writes costs' 0 -- "$cts" report core --format costs --output costs
run 0 costed --backend cpu examples.documents --shard 1/2 --costs costs
check 'merge writes a log' 0 -- "$cts" merge part1 part2 --out merged
mkdir cut
sed '$d' part1/results.jsonl >cut/results.jsonl
# Each fault has its own kinds of findings.
for fault in accepts-all-invalid depends-on-output device-lost duplicate-index fails index-one-based refuses-k-1 \
    twin-differs writes-before-start writes-past-end; do
    run 1 "$fault" --backend "faulty:$fault" examples latitude faults
done


echo '# reports, comparisons and packages'
for log in */results.jsonl; do
    folder=${log%/*}
    "$cts" report "$folder" --format json --output "$folder.report.json" 2>said
    [ -s "$folder.report.json" ] || echo "$folder"
done >missing
same 'report writes JSON for each log' "$(cat missing)" ''
check 'report writes JSON against an earlier run' 0 -- "$cts" report crash --against core --format json --output against.report.json
check 'bench writes JSON' 0 -- "$cts" bench --quick --type f32,f16 --n 16 --json bench.bench.json
# compared CODE A B...: compares runs, which must exit with CODE
compared() {
    local code=$1
    shift
    check "compare writes JSON for $*" "$code" -- "$cts" compare "$@" --format json --output "$(echo "$*" | tr ' ' -).compare.json"
}
compared 0 core core
compared 1 probes listed
compared 1 probes faulty told command
compared 0 faulty waived
compared 0 looked-away merged
compared 1 merged hung
minisign -G -W -p signer.pub -s signer.sec >/dev/null
# packed NAME ARGUMENT...: runs a whole profile and packages the run
packed() {
    local name=$1
    shift
    "$cts" run --profile peers --out "$name" "$@" >out 2>err
    check "$name: package writes a statement" 0 -- "$cts" package "$name" --sign signer.sec
    tar -xOf "$name/package.tar" package.json >"$name.package.json"
}
packed peers --backend cpu
packed peers-fail --backend faulty:B26
packed peers-known --backend faulty:B26 --expectations rules
packed peers-expired --backend faulty:B26 --expectations expired-rules
packed peers-gated --backend cpu --min-supported 5 --require top_k1 --guard-pages
packed peers-contract --backend cpu --contract declared
packed peers-told --worker "$worker cpu"
packed peers-probes --backend "$bin/broken_probes.so" --timeout 1
for i in 1 2; do "$cts" run --profile peers --backend cpu --shard "$i/2" --out "peers-$i" >out 2>err; done
"$cts" merge peers-1 peers-2 --out peers-all >out 2>err
check 'a merged run: package writes a statement' 0 -- "$cts" package peers-all --sign signer.sec
tar -xOf peers-all/package.tar package.json >peers-all.package.json

echo '# documents against schemas, and schemas against documents'
# held SCHEMA FILE...: validates the documents, and documents made from them with errors
held() {
    local name=$1
    shift
    check "$name: every document is valid" 0 has 'documents are held against' -- \
        node "$root/reports/schema/test/validate.mjs" "$ajv" "$name.schema.json" hold "$@"
    check "$name: every document with an error is invalid" 0 has 'changes were made' -- \
        node "$root/reports/schema/test/validate.mjs" "$ajv" "$name.schema.json" break "$@"
}
held log ./*/results.jsonl
held report ./*.report.json
held compare ./*.compare.json
held bench ./*.bench.json
held statement ./*.package.json

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
