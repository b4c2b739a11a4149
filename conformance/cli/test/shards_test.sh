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

# ids RUN...: the sorted ids of the cases of logs
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
    same "shard $i by id: the log has the rule" "$(header id$i .shard.rule)" '"id"'
done
same 'by id: each case is in one shard' "$(ids id1 id2 id3)" "$(ids whole)"
check 'by id: merge' 0 has "$(tail -n 1 whole.txt)" -- "$cts" merge id1 id2 id3 --out id
# other cases in the run must not change the shard of a case
"${run[@]}" invalid.k-zero axis --shard 2/3 --out more >out 2>err
same 'by id: more cases do not change the shard of a case' "$(ids more | grep -E '^(examples|ties.boundary)')" "$(ids id2)"

echo '# by costs'
for i in 1 2 3; do
    check "shard $i by the costs of a run" 0 -- "${run[@]}" --costs whole --shard $i/3 --out cost$i
    same "shard $i by costs: the log has the rule" "$(header cost$i .shard.rule)" '"costs"'
done
same 'by costs: each case is in one shard' "$(ids cost1 cost2 cost3)" "$(ids whole)"
check 'by costs: merge' 0 has "$(tail -n 1 whole.txt)" -- "$cts" merge cost1 cost2 cost3 --out cost
check 'report --format costs' 0 -- "$cts" report whole --format costs --output costs.txt
same 'the file of costs has its header' "$(head -n 1 costs.txt)" 'topk-costs 1'
check 'a shard by the file of costs' 0 -- "${run[@]}" --costs costs.txt --shard 2/3 --out file2
same 'the file has the same costs as the run' "$(header file2 .shard.costs)" "$(header cost2 .shard.costs)"
same 'the file gives the same cases as the run' "$(ids file2)" "$(ids cost2)"
check '--resume with the costs of the run instead of the file' 0 has 'already have a result' -- "${run[@]}" --costs whole --shard 2/3 --out file2 --resume
"${run[@]}" --costs whole invalid.k-zero axis --shard 2/3 --out more-costs >out 2>err
same 'by costs: more cases do not change the shard of a case' "$(ids more-costs | grep -E '^(examples|ties.boundary)')" "$(ids cost2)"
awk 'NR > 1 { $2 = $2 * (1 + 40 * ($1 % 7 == 0)); print; next } { print }' costs.txt >dear.txt
for i in 1 2; do "${run[@]}" --costs dear.txt --shard $i/2 --out dear$i >out 2>err; done
same 'by other costs: each case is in one shard' "$(ids dear1 dear2)" "$(ids whole)"
"${run[@]}" --costs dear.txt --shard 1/3 --out other1 >out 2>err
check 'merge of shards by different costs' 2 has 'were divided by costs' -- "$cts" merge other1 cost2 cost3 --out no
check 'merge of shards by id and by costs' 2 has 'were divided by costs' -- "$cts" merge id1 cost2 cost3 --out no
check '--resume with other costs' 2 has "its digest of --costs is" -- "${run[@]}" --costs dear.txt --shard 2/3 --out cost2 --resume
check '--resume without --costs' 2 has "its rule of shards is 'costs', not 'id'" -- "${run[@]}" --shard 2/3 --out cost2 --resume
check '--costs: a missing file' 2 has '--costs: cannot open nosuch' -- "${run[@]}" --costs nosuch --shard 2/3 --out no
printf 'topk-costs 1\n7 x\n' >bad.txt
check '--costs: a malformed line' 2 has 'bad.txt:2: ' -- "${run[@]}" --costs bad.txt --shard 2/3 --out no
check '--costs: too many shards' 2 has '4096 shards at most' -- "${run[@]}" --costs costs.txt --shard 2/5000 --out no
check '--costs without --shard' 0 -- "${run[@]}" --costs costs.txt --out undivided
same '--costs without --shard: the log has no shard' "$(header undivided .shard)" null

echo '# missing shards'
check 'merge: a missing shard' 5 has 'shard 2 of 3 is missing; to run it: ' has 'there is no log in nosuch' has 'merged from 2 of 3 shards' \
    has INCOMPLETE -- "$cts" merge id1 nosuch id3 --out part
again=$(sed -n 's/.*shard 2 of 3 is missing; to run it: //p' err)
check 'merge: the printed command runs the missing shard' 0 -- sh -c "$again"
same 'merge: this shard has the same cases' "$(ids nosuch)" "$(ids id2)"
check 'merge: then no shard is missing' 0 has 'merged from 3 of 3 shards' -- "$cts" merge id1 nosuch id3 --out part2
mkdir none
: >none/results.jsonl
check 'merge: a shard with an empty log' 5 has "--out 'none' --overwrite" has 'there is no log in none' -- "$cts" merge id1 none id3 --out part3
check 'merge: two missing shards' 5 has 'shard 1 of 3 is missing' has 'shard 3 of 3 is missing' has '--out DIR' -- "$cts" merge id2 --out part4
mkdir cut
head -n 20 id2/results.jsonl >cut/results.jsonl
check 'merge: an unfinished shard' 5 has 'shard 2 of 3 did not finish: cut/results.jsonl; to continue it: ' -- \
    "$cts" merge id1 cut id3 --out part5
again=$(sed -n 's/.*to continue it: //p' err)
check 'merge: the printed command continues the unfinished shard' 0 has 'continuing: ' -- sh -c "$again --no-identity"
check 'merge: then no shard is unfinished' 0 -- "$cts" merge id1 cut id3 --out part6
check 'merge: no shard has a log' 2 has 'none of the shards has a log' -- "$cts" merge nothing none --out part7
"$cts" run --backend cpu --no-identity examples.documents "ties.boundary:*k=2*" --seed 7 --timeout 9 --feature-level 4.1 --min-supported 5 \
    --shard 1/2 --out options >out 2>err
check 'merge: the printed command has all options of the run' 5 has '--profile core --feature-level 4.1 --seed 7 --timeout 9 --min-supported 5 --shard 2/2' \
    -- "$cts" merge options missing --out part9
again=$(sed -n 's/.*to run it: //p' err)
sh -c "$again" >out 2>err
check 'merge: the shard of this command is of the same run' 0 has '2 of 2 shards' -- "$cts" merge options missing --out part10

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
