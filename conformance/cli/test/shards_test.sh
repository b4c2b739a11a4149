#!/usr/bin/env bash
# Runs that are split into shards: the shard that a case belongs to, by its id and by costs, and how merge reports
# missing shards. Run as
#   shards_test.sh DIR
# where DIR holds topk-cts and the other programs.
set -u
# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "$0")/checks.sh"
begin DIR "$@"
need jq
run=("$cts" run --backend cpu --no-identity examples ties.boundary)

# ids RUN...: of the cases of logs, sorted
ids() {
    local dir
    for dir; do jq -r 'select(.record == "case").id' "$dir/results.jsonl"; done | LC_ALL=C sort
}
# header RUN FILTER
header() {
    head -n 1 "$1/results.jsonl" | jq -c "$2"
}

echo '# by id'
"${run[@]}" --out whole >whole.txt 2>err
for i in 1 2 3; do
    check "shard $i" 0 has "shard $i of 3" -- "${run[@]}" --shard $i/3 --out id$i
    same 'it says what decides' "$(header id$i .shard.rule)" '"id"'
done
same 'each case is of one shard' "$(ids id1 id2 id3)" "$(ids whole)"
check 'merged' 0 has "$(tail -n 1 whole.txt)" -- "$cts" merge id1 id2 id3 --out id
# what is there besides moves nothing
"${run[@]}" invalid.k-zero axis --shard 2/3 --out more >out 2>err
same 'more cases move no other' "$(ids more | grep -E '^(examples|ties.boundary)')" "$(ids id2)"

echo '# by costs'
for i in 1 2 3; do
    check "shard $i by the costs of a run" 0 -- "${run[@]}" --costs whole --shard $i/3 --out cost$i
    same 'it says what decides' "$(header cost$i .shard.rule)" '"costs"'
done
same 'each case is of one shard' "$(ids cost1 cost2 cost3)" "$(ids whole)"
check 'merged' 0 has "$(tail -n 1 whole.txt)" -- "$cts" merge cost1 cost2 cost3 --out cost
check 'the costs as a file' 0 -- "$cts" report whole --format costs --output costs.txt
same 'it is one' "$(head -n 1 costs.txt)" 'topk-costs 1'
check 'by that file' 0 -- "${run[@]}" --costs costs.txt --shard 2/3 --out file2
same 'these are the same costs' "$(header file2 .shard.costs)" "$(header cost2 .shard.costs)"
same 'and the same cases' "$(ids file2)" "$(ids cost2)"
check 'it is continued' 0 has 'already have a result' -- "${run[@]}" --costs whole --shard 2/3 --out file2 --resume
"${run[@]}" --costs whole invalid.k-zero axis --shard 2/3 --out more-costs >out 2>err
same 'more cases move no other' "$(ids more-costs | grep -E '^(examples|ties.boundary)')" "$(ids cost2)"
awk 'NR > 1 { $2 = $2 * (1 + 40 * ($1 % 7 == 0)); print; next } { print }' costs.txt >dear.txt
for i in 1 2; do "${run[@]}" --costs dear.txt --shard $i/2 --out dear$i >out 2>err; done
same 'each case is of one shard, by other costs' "$(ids dear1 dear2)" "$(ids whole)"
"${run[@]}" --costs dear.txt --shard 1/3 --out other1 >out 2>err
check 'other costs' 2 has 'were divided by costs' -- "$cts" merge other1 cost2 cost3 --out no
check 'by id and by costs' 2 has 'were divided by costs' -- "$cts" merge id1 cost2 cost3 --out no
check 'continued by other costs' 2 has "its digest of --costs is" -- "${run[@]}" --costs dear.txt --shard 2/3 --out cost2 --resume
check 'continued by id' 2 has "its rule of shards is 'costs', not 'id'" -- "${run[@]}" --shard 2/3 --out cost2 --resume
check 'no costs' 2 has '--costs: cannot open nosuch' -- "${run[@]}" --costs nosuch --shard 2/3 --out no
printf 'topk-costs 1\n7 x\n' >bad.txt
check 'a bad line' 2 has 'bad.txt:2: ' -- "${run[@]}" --costs bad.txt --shard 2/3 --out no
check 'more shards than costs divide' 2 has '4096 shards at most' -- "${run[@]}" --costs costs.txt --shard 2/5000 --out no
check 'a run that is not divided' 0 -- "${run[@]}" --costs costs.txt --out undivided
same 'says nothing of costs' "$(header undivided .shard)" null

echo '# what is missing'
check 'one never came' 5 has 'shard 2 of 3 is missing; to run it: ' has 'there is no log in nosuch' has 'merged from 2 of 3 shards' \
    has INCOMPLETE -- "$cts" merge id1 nosuch id3 --out part
again=$(sed -n 's/.*shard 2 of 3 is missing; to run it: //p' err)
check 'the command runs it' 0 -- sh -c "$again"
same 'the same cases' "$(ids nosuch)" "$(ids id2)"
check 'then nothing is' 0 has 'merged from 3 of 3 shards' -- "$cts" merge id1 nosuch id3 --out part2
mkdir none
: >none/results.jsonl
check 'one has an empty log' 5 has "--out 'none' --overwrite" has 'there is no log in none' -- "$cts" merge id1 none id3 --out part3
check 'two never came' 5 has 'shard 1 of 3 is missing' has 'shard 3 of 3 is missing' has '--out DIR' -- "$cts" merge id2 --out part4
mkdir cut
head -n 20 id2/results.jsonl >cut/results.jsonl
check 'one did not come to its end' 5 has 'shard 2 of 3 did not finish: cut/results.jsonl; to continue it: ' -- \
    "$cts" merge id1 cut id3 --out part5
again=$(sed -n 's/.*to continue it: //p' err)
check 'the command goes on' 0 has 'continuing: ' -- sh -c "$again --no-identity"
check 'then nothing is missing' 0 -- "$cts" merge id1 cut id3 --out part6
check 'none came' 3 has 'none of the shards has a log' -- "$cts" merge nothing none --out part7
"$cts" run --backend cpu --no-identity examples.documents "ties.boundary:*k=2*" --seed 7 --timeout 9 --feature-level 4.1 --min-supported 5 \
    --shard 1/2 --out options >out 2>err
check 'all that made the run is in the command' 5 has '--profile core --feature-level 4.1 --seed 7 --timeout 9 --min-supported 5 --shard 2/2' \
    -- "$cts" merge options missing --out part9
again=$(sed -n 's/.*to run it: //p' err)
sh -c "$again" >out 2>err
check 'so that they are of one run' 0 has '2 of 2 shards' -- "$cts" merge options missing --out part10

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
