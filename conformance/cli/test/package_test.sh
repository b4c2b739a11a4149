#!/usr/bin/env bash
# topk-cts package and verify as a vendor and a third party use them, checked with independent
# tools: minisign, tar, sha256sum and jq. Run as
#   package_test.sh DIR
# where DIR holds topk-cts and topk-worker. Prints a line for each check and, at the end, how many passed.
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
begin BIN "$@"
need minisign tar sha256sum jq

# first_pass LOG: the number of the line of the first case that passed
first_pass() { grep -n '"record":"case".*"verdict":"pass"' "$1" | head -n 1 | cut -d: -f1; }

# changed OFFSET VALUE: p.tar with another byte there, as changed.tar
changed() {
    cp -f p.tar changed.tar
    # shellcheck disable=SC2059 # the byte is the format
    printf "$2" | dd of=changed.tar bs=1 seek="$1" conv=notrunc status=none
}

minisign -G -W -p signer.pub -s signer.sec >/dev/null
minisign -G -W -p other.pub -s other.sec >/dev/null
key=$(sed -n 2p signer.pub)
mkdir -p "named/${key%/*}" # a file whose name is the key; the key may have slashes
cp other.pub "named/$key"

echo '# a run is packed, and verified by topk-cts'
check 'a run' 0 -- "$cts" run --backend cpu --out run
check 'is packed' 0 has 'package: p.tar, signed with key' has 'the backend conforms' -- \
    "$cts" package run --sign signer.sec --output p.tar
before=$(find . | sort)
check 'and verified' 0 has 'the given key' has 'VERIFIED: the backend conforms' -- \
    "$cts" verify p.tar --key signer.pub
same 'which writes nothing' "$(find . | grep -v -e out -e err | sort)" \
    "$(grep -v -e out -e err <<<"$before")"
check 'by the key itself' 0 has 'the given key' -- "$cts" verify p.tar --key "$key"
check 'without a key it says so' 0 has 'which the package contains' -- "$cts" verify p.tar
check 'a key is a key, whatever file has its name' 0 has 'the given key' -- \
    env -C named "$cts" verify ../p.tar --key "$key"
check 'another key is refused' 3 has 'NOT VERIFIED: p.tar: manifest.sha256.minisig: it was signed' -- \
    "$cts" verify p.tar --key other.pub
check 'packed beside the log' 0 has 'run/package.tar' -- "$cts" package run --sign signer.sec
same 'it is the same' "$(sha256sum <p.tar)" "$(sha256sum <run/package.tar)"
check 'a package is not replaced' 2 has 'run/package.tar already exists' -- \
    "$cts" package run/results.jsonl --sign signer.sec

echo '# and by others'
mkdir unpacked
check 'tar lists it' 0 has results.jsonl has statement.txt -- tar -tvf p.tar
check 'tar unpacks it' 0 -- tar -C unpacked -xf p.tar
cd unpacked || exit 1
check 'minisign verifies it' 0 has 'Signature and comment signature verified' \
    has 'Trusted comment: topk-cts ' has 'cpu 1.0' -- minisign -Vm manifest.sha256 -p ../signer.pub
check 'its public key is the one' 0 -- minisign -Vm manifest.sha256 -p key.pub
check 'minisign refuses another key' 1 -- minisign -Vm manifest.sha256 -p ../other.pub
check 'sha256sum verifies the files' 0 has 'results.jsonl: OK' has 'key.pub: OK' -- \
    sha256sum -c --strict manifest.sha256
digest=$(sha256sum mustpass.txt)
same 'the digest of the profile is that of the list' "${digest%% *}" \
    "$(jq -r .profile.digest package.json)"
"$cts" list --profile core >listed
check 'the list is that of the profile' 0 -- cmp listed mustpass.txt
check 'the log is that of the run' 0 -- cmp results.jsonl ../run/results.jsonl
same 'its totals are those that jq counts' \
    "$(jq -c '.totals | with_entries(select(.value > 0))' package.json)" \
    "$(jq -nc 'reduce (inputs | select(.record == "case").verdict) as $v ({}; .[$v] += 1)' results.jsonl)"
same 'so are those of a feature level' \
    "$(jq -c '.levels[] | select(.level == "3.1").totals.pass' package.json)" \
    "$(awk -F ' fl=' '{ most = 0; for (i = 2; i <= NF; i++) if ($i + 0 > most) most = $i + 0; n += most == 3.1 } END { print n }' mustpass.txt)"
same 'it says of which sources the suite is' "$(jq -r '.revision != ""' package.json)" true
check 'a statement in words' 0 has 'It conforms, as far as these cases tell' \
    has 'Cases of feature level 5.0: it conforms' \
    has 'of 29000' has 'at least 2 % had to be served' has 'What it does not show' -- cat statement.txt
same 'in an order: what, by which rules, how much, by whom, and the outcome' \
    "$(grep -n '^[A-Z]' statement.txt | cut -d: -f2 | head -n 6 | tr '\n' ';')" \
    'Statement of conformance;What was tested;Contract;Share served;How it was judged;Result;'
same 'the share for programs' "$(jq -c '[.share.served, .share.asked, .share.percent, .gate.least]' package.json)" \
    '[29000,29000,100,2]'
cd .. || exit 1

echo '# what was changed'
size=$(stat -c %s p.tar)
for at in 0 600 1100 3000 $((size / 2)) $((size - 1200)) $((size - 1)); do
    changed "$at" '\001'
    check "byte $at of $size" 3 has 'NOT VERIFIED: changed.tar: ' -- "$cts" verify changed.tar
done
for to in 0 100 512 5000 $((size - 1)); do
    head -c "$to" p.tar >cut.tar
    check "cut to $to bytes" 3 has 'NOT VERIFIED: cut.tar: ' -- "$cts" verify cut.tar
done
tar -C unpacked --format=ustar -cf again.tar manifest.sha256 results.jsonl
check 'an archive of somebody else' 3 has 'NOT VERIFIED: again.tar: at byte 0' -- \
    "$cts" verify again.tar
gzip -k p.tar
check 'a compressed one' 3 has 'it is compressed: decompress it first' -- "$cts" verify p.tar.gz
check 'no file' 3 has 'cannot read none.tar: No such file' -- "$cts" verify none.tar
check 'a folder' 3 has 'run is a folder, not a package' -- "$cts" verify run

same 'passes by a status alone are counted by jq as well' \
    "$(jq .by_status unpacked/package.json) $(jq '[.levels[].by_status] | add' unpacked/package.json)" \
    "$(jq -n '[inputs | select(.by == "status")] | length' unpacked/results.jsonl | sed 's/.*/& &/')"

echo '# by which rules'
printf 'topk-contract 1\nties=any\n' >free.contract
"$cts" run --profile peers --backend cpu --contract free.contract --out free >out
"$cts" package free --sign signer.sec >out
check 'a declared contract' 0 has 'contract: ties=any' has 'to the declared contract' -- "$cts" verify free/package.tar --key signer.pub
check 'is in the statement' 0 has '  declared: these rules in the place of DirectML' has 'ties=any' -- tar -xOf free/package.tar statement.txt
same 'and for programs' "$(tar -xOf free/package.tar package.json | jq -r .contract.rules)" ties=any

echo '# who judged'
worker="'$(dirname "$cts")/topk-worker' --backend cpu"
check 'a run that a worker judged' 1 has 'JUDGED BY THE WORKER, not by this suite: 43 passed' -- \
    "$cts" run --profile peers --worker "$worker" --out told
check 'is packed as that' 0 has 'passes, judged by the worker, not by this suite: 43 cases' lacks conforms -- \
    "$cts" package told --sign signer.sec --output told.tar
check 'and verified as that' 1 has 'VERIFIED: the backend passes, judged by the worker, not by this suite' lacks conforms -- \
    "$cts" verify told.tar --key signer.pub
check 'its statement says so' 0 has 'It passes, judged by the worker, not by this suite' \
    has '  judge         judged by the worker, not by this suite' \
    has ': it passes, judged by the worker' lacks conforms -- tar -xOf told.tar statement.txt
same 'so it does for programs' "$(tar -xOf told.tar package.json | jq -c '[.judge, .conformance, (.levels | map(.conformance) | unique[])]')" \
    '["worker","judged-by-worker","judged-by-worker"]'
check 'what a worker runs again proves nothing' 1 has 'note: what was run again was judged by the worker' \
    has '0 gave another result' -- "$cts" verify p.tar --rerun 20 --worker "$worker"
check 'unless it is trusted' 0 has 'VERIFIED: the backend conforms' -- \
    "$cts" verify p.tar --rerun 20 --worker "$worker" --trust-worker
check 'nor may it say that more was judged' 1 has 'DIFFERS: the log has pass by status, now it is pass' has 'BUT THE RERUN DIFFERS' -- \
    "$cts" verify p.tar --rerun 100 --seed 7 --worker "$worker | sed -u 's/ by=status//'" --trust-worker

echo '# shards of a run'
all=$("$cts" list --profile core | wc -l)
for i in 1 2 3; do
    check "shard $i" 0 has "cases of $all: shard $i of 3" has "PASSED: " \
        has '; only all shards together show conformance' -- \
        "$cts" run --backend cpu --shard "$i/3" --out "shard$i"
done
check 'one is not packed' 1 has 'shard2/results.jsonl:1: only shard 2 of 3 was run' -- \
    "$cts" package shard2 --sign signer.sec
check 'they are merged' 0 has "$all cases, merged from 3 of 3 shards" has "CONFORMANT: $all passed (" has ' by status alone), 0 failed, 0 unsupported (topk core v' \
    has 'log: merged/results.jsonl' -- "$cts" merge shard3 shard1 shard2/results.jsonl --out merged
check 'to a run that is packed' 0 -- "$cts" package merged --sign signer.sec --output merged.tar
check 'and verified' 0 has 'VERIFIED: the backend conforms' -- "$cts" verify merged.tar --key signer.pub
check 'which says so' 0 has 'shards        3, run apart and merged' -- tar -xOf merged.tar statement.txt
check 'it is the same as one in one piece' 0 has 'B IS THE SAME AS A: every case has' has 'merged from 3' -- \
    "$cts" compare run merged
check 'it reports as a whole' 0 has '## CONFORMANT' -- "$cts" report merged --format markdown
check 'one shard does not' 0 has '## PASSED' -- "$cts" report shard1 --format markdown
check 'one is missing' 5 has '1 of 3 shards is missing or unfinished: the first is shard 2' \
    has INCOMPLETE -- "$cts" merge shard1 shard3 --out two
check 'nor continued' 2 has 'it was merged from shards: run those that are missing' -- \
    "$cts" run --backend cpu --resume --out two
check 'which is not packed' 1 has 'the run is not complete' -- "$cts" package two --sign signer.sec
check 'one comes twice' 2 has 'it is shard 1, and so is shard1/results.jsonl' -- \
    "$cts" merge shard1 shard2 shard3 ./shard1 --out twice
check 'no shard' 2 has 'run/results.jsonl:1: this is not a shard' -- "$cts" merge run shard1 --out twice
check 'a folder that has a log' 2 has 'merged/results.jsonl already exists' -- \
    "$cts" merge shard1 shard2 shard3 --out merged
"$cts" run --profile peers --backend cpu --shard 2/3 --out peers2 >/dev/null
check 'of another profile' 2 has "its profile is 'peers" -- "$cts" merge shard1 peers2 shard3 --out elsewhere
"$cts" run --backend faulty:B26 --shard 2/3 --out faulty2 >/dev/null
check 'of another backend' 2 has "its --backend is 'faulty:B26', and that of shard1" -- \
    "$cts" merge shard1 faulty2 shard3 --out elsewhere
"$cts" run --backend cpu --seed 5 --shard 2/3 --out seed2 >/dev/null
check 'of another seed' 2 has 'its seed is 5' -- "$cts" merge shard1 seed2 shard3 --out elsewhere
"$cts" run --backend cpu --shard 2/4 --out four2 examples >/dev/null
check 'of other selections' 2 has 'its selections is' -- "$cts" merge shard1 four2 shard3 --out elsewhere
check 'nothing was written' 0 -- test ! -e elsewhere/results.jsonl
mkdir edited2
line=$(first_pass shard2/results.jsonl)
sed "${line}s/\"pass\"/\"fail\"/" shard2/results.jsonl >edited2/results.jsonl
check 'an edited one' 3 has "edited2/results.jsonl:$line: the chain breaks" -- \
    "$cts" merge shard1 edited2 shard3 --out elsewhere
check 'and nothing stays' 0 -- test ! -e elsewhere
mkdir cut2
sed 100q shard2/results.jsonl | head -c -20 >cut2/results.jsonl
check 'one that was cut' 5 has 'cut2/results.jsonl:' has 'the line was truncated' -- \
    "$cts" merge shard1 cut2 shard3 --out cutm
check 'no such shard' 2 has 'there is no shard 4/3' -- "$cts" run --backend cpu --shard 4/3
check 'a malformed shard' 2 has "--shard takes I/N, such as 2/4, not '2'" -- "$cts" run --backend cpu --shard 2
check 'more shards than cases' 5 has 'there are 7 cases for 5000 shards' -- \
    "$cts" run --backend cpu examples.documents --shard 8/5000 --out nine
check 'a shard is continued as another' 2 has 'its shard is 2, not 1' -- \
    "$cts" run --backend cpu --shard 1/3 --out shard2 --resume

echo '# runs that cannot be shown'
"$cts" run peers.onnx: --profile peers --backend cpu --out part >/dev/null
check 'a selection' 1 has 'part/results.jsonl:1: only selected cases were run' -- \
    "$cts" package part --sign signer.sec
"$cts" run --backend cpu --feature-level 2.0 --out level >/dev/null
check 'a lower feature level' 1 has ':1: --feature-level left out what the backend claims' -- \
    "$cts" package level --sign signer.sec
# as versions that had `run --chaos` wrote it: a header that says so, and all chained anew
mkdir chaos
"$cts" run --profile peers --backend cpu --out few >/dev/null
chain=
while read -r line; do
    body=${line%,\"chain\":*}
    [ -n "$chain" ] || body=$body,'"chaos":"rate=0.5,seed=1"'
    chain=$(printf '%s%s' "$chain" "$body" | sha256sum)
    chain=${chain%% *}
    printf '%s,"chain":"%s"}\n' "$body" "$chain"
done <few/results.jsonl >chaos/results.jsonl
check 'spoiled results' 1 has ':1: results were corrupted on purpose: --chaos rate=0.5' -- \
    "$cts" package chaos --sign signer.sec
mkdir cut edited
sed 400q run/results.jsonl | head -c -20 >cut/results.jsonl
check 'a log that was cut' 3 has 'cut/results.jsonl:' has 'the line was truncated' -- \
    "$cts" package cut --sign signer.sec
line=$(first_pass run/results.jsonl)
sed "${line}s/pass/fail/" run/results.jsonl >edited/results.jsonl
check 'a log that was edited' 3 has "edited/results.jsonl:$line: the chain breaks" -- \
    "$cts" package edited --sign signer.sec
check 'no package stays of them' 2 -- ls part/package.tar level/package.tar chaos/package.tar
"$cts" run --profile peers --backend faulty:B26 --out faulty >/dev/null
check 'failures are stated' 0 has 'the backend does not conform' -- \
    "$cts" package faulty --sign signer.sec
check 'and verified' 1 has 'VERIFIED: the backend does not conform' -- \
    "$cts" verify faulty/package.tar --key signer.pub

echo '# some cases again'
check 'the same backend' 0 has 'run again: 300 of' has '--seed 7: 0 gave another result' \
    has 'VERIFIED: the backend conforms' -- \
    "$cts" verify p.tar --rerun 300 --seed 7 --backend cpu
check 'it says which cases, on what' 0 has 'run again on cpu 1.0 on host processor' \
    has 'its backend, version, device and driver say the same as those of the package' has 'drawn: ' has ' of ties' \
    has 'their results in the log: 300 pass' -- \
    "$cts" verify p.tar --rerun 300 --seed 7 --rerun-list drawn --backend cpu
same 'and lists them' "$(sort -u drawn | grep -cFxf - unpacked/mustpass.txt)" 300
check 'for replay' 0 has 'results: 300 pass' -- "$cts" replay --backend cpu --file drawn
check 'a list that cannot be written' 3 has 'cannot write none/drawn' lacks VERIFIED -- \
    "$cts" verify p.tar --rerun 3 --rerun-list none/drawn --backend cpu
check 'one that is wrong' 1 has "note: the package has backend 'cpu', this run has 'faulty'" \
    has 'DIFFERS: the log has pass, now it is fail' has 'VERIFIED, BUT THE RERUN DIFFERS' -- \
    "$cts" verify p.tar --rerun 300 --seed 7 --backend faulty:B26
check 'failures fail again' 1 has '0 gave another result' -- \
    "$cts" verify faulty/package.tar --rerun 300 --seed 7 --backend faulty:B26
check 'no backend' 2 has "there is no backend 'none'" lacks VERIFIED -- \
    "$cts" verify p.tar --rerun 3 --backend none
check 'a log' 3 has "NOT VERIFIED: run/results.jsonl: this is the log of a run; \`topk-cts package' makes a package of it" \
    -- "$cts" verify run/results.jsonl
check 'rerun without a backend' 2 has '--rerun needs --backend' -- "$cts" verify p.tar --rerun 3
check 'a backend without rerun' 2 has 'is for --rerun N' -- "$cts" verify p.tar --backend cpu
check 'a list without rerun' 2 has '--rerun-list is for --rerun N' -- "$cts" verify p.tar --rerun-list drawn

echo '# failures that are known'
wrong=(run --profile peers --backend faulty:B26)
check 'are proposed' 0 has 'select="peers.onnx:top_k1' has 'owner="?"' has 'reason="equal values' -- \
    "$cts" expectations update faulty
cp out proposed
check 'for a person to complete' 2 has "proposed:2:" has "the '?' must be replaced" -- \
    "$cts" "${wrong[@]}" --expectations proposed --out known
sed 's/owner="?"/owner="J. Doe"/' proposed >expected
check 'they are run and waived' 0 has '9 expected-fail' has 'expected, 9 rules; 9 cases failed as expected' \
    has 'PASSED WITH WAIVERS: 34 passed, 0 failed, 9 failed as expected' -- \
    "$cts" "${wrong[@]}" --expectations expected --strict --out known
same 'the log has what they came to' 9 "$(jq -c 'select(.verdict == "expected-fail" and
    .expectation.verdict == "fail" and (.findings | length) > 0)' known/results.jsonl | wc -l)"
same 'and the rules' "$(jq -r 'select(.record == "header").expectations' known/results.jsonl)" \
    "$(cat expected)"
check 'continuing with other rules' 2 has 'its text of expectations is' -- \
    "$cts" "${wrong[@]}" --out known --resume
check 'compare tells of them' 0 has 'different expectations' has '9 other changes of verdict' -- \
    "$cts" compare faulty known
check 'a package declares them' 0 -- "$cts" package known --sign signer.sec
check 'and is verified' 1 has 'VERIFIED: the backend does not conform without the waivers' \
    has '0 gave another result' -- \
    "$cts" verify known/package.tar --key signer.pub --rerun 43 --backend faulty:B26
tar -xOf known/package.tar expectations.txt >declared
check 'with the file as it was' 0 -- cmp declared expected
same 'and by whom they are waived' "$(tar -xOf known/package.tar package.json |
    jq -c '[.waivers[] | select(.owner == "J. Doe").failed] | add')" 9

rule() {
    echo "verdict=fail select=$1 backend=$2 owner=me reason=because expires=$3" >"$4"
}
rule peers.onnx: cpu 2999-12-31 passes
rule peers.none cpu 2999-12-31 idle
rule peers.onnx: faulty 2020-12-31 expired
rule peers.onnx: other 2999-12-31 other
right=(run --profile peers --backend cpu --overwrite --out rules)
check 'a case that passes' 0 has '6 unexpected-pass' \
    has 'passes:1: 6 of 6 cases passed unexpectedly: fail of peers.onnx: (owner me)' -- \
    "$cts" "${right[@]}" --expectations passes
check 'fails strictly' 1 has 'STRICT: 1 expectation does not hold' -- \
    "$cts" "${right[@]}" --expectations passes --strict
check 'a rule for no case' 0 has 'idle:1: it matches no case' -- \
    "$cts" "${right[@]}" --expectations idle
check 'fails strictly' 1 has 'STRICT: 1' -- "$cts" "${right[@]}" --expectations idle --strict
check 'but not of a selection' 0 lacks 'matches no case' -- \
    "$cts" "${right[@]}" peers.onnx: --expectations idle --strict
check 'a rule that is expired fails the run' 1 has 'expired:1: expired on 2020-12-31: fail of peers.onnx:' \
    has 'WAIVERS EXPIRED: 1 rule of the expectations is expired; 3 passed, 0 failed, 3 failed as expected' -- \
    "$cts" "${wrong[@]}" peers.onnx: --expectations expired --out late
check 'which reports say' 0 has '## WAIVERS EXPIRED' -- "$cts" report late --format markdown
check 'and JUnit' 0 has '1 rule of the expectations is expired' -- cat late/junit.xml
check 'unless it is allowed' 0 has 'expired:1: expired on 2020-12-31, which --allow-expired allows' \
    has 'PASSED WITH WAIVERS: 3 passed, 0 failed, 3 failed as expected' -- \
    "$cts" "${wrong[@]}" peers.onnx: --expectations expired --allow-expired --out allowed
check 'which the log says' 0 has '## PASSED WITH WAIVERS' -- "$cts" report allowed --format markdown
check 'and is to be said again' 2 has "its gate is '--allow-expired', not ''" -- \
    "$cts" "${wrong[@]}" peers.onnx: --expectations expired --resume --out allowed
grep -v '"record":"end"' late/results.jsonl >late/cut && mv late/cut late/results.jsonl
check 'a run that goes on, too' 1 has 'WAIVERS EXPIRED' -- \
    "$cts" "${wrong[@]}" peers.onnx: --expectations expired --resume --out late
check 'allowing without rules' 2 has '--allow-expired is for --expectations' -- "$cts" "${right[@]}" --allow-expired
rule peers. faulty 2020-12-31 late.rules
"$cts" "${wrong[@]}" --expectations late.rules --out late --overwrite >out 2>err
check 'so does a package' 0 has 'passes by waivers, of which some are expired' -- \
    "$cts" package late --sign signer.sec
for i in 1 2; do
    check "so does a shard: $i" 1 has 'WAIVERS EXPIRED' -- \
        "$cts" "${wrong[@]}" --expectations late.rules --shard "$i/2" --out "late$i"
done
check 'and what is merged of them' 1 has 'WAIVERS EXPIRED' -- "$cts" merge late1 late2 --out late12
check 'a rule for others' 0 has '1 rule is for other backends' lacks STRICT -- \
    "$cts" "${right[@]}" --expectations other --strict
"$cts" run --profile peers --backend cpu --expectations passes --out kept >/dev/null
check 'rules that do not hold are proposed as comments' 0 has '# cases passed: verdict=fail' -- \
    "$cts" expectations update kept
echo what=1 >bad
check 'a bad line' 2 has 'bad:1:1: unknown key' -- \
    "$cts" "${right[@]}" --expectations bad
check 'no file' 2 has 'cannot read none' -- "$cts" "${right[@]}" --expectations none
check 'strict without rules' 2 has '--strict is for --expectations' -- "$cts" "${right[@]}" --strict

echo '# what fails in another way is not waived'
cat >ways <<'WAYS'
verdict=fail clause=S09 backend=faulty owner=me reason=because expires=2999-12-31 n>=4
WAYS
check 'another clause' 1 has 'not waived by ways:1: it expects S09, and this case breaks S08' \
    has 'cases fail in another way, and are not waived: fail where n>=4, clause S09 (owner me)' \
    has 'the first: it expects S09, and this case breaks S08: peers.onnx' -- \
    "$cts" "${wrong[@]}" --expectations ways --out ways.out
sed -i 's/clause=S09/clause=S08|S09/' ways
check 'the clauses that it breaks' 0 has 'cases failed as it says, ' has 'passed: fail where n>=4, clause S08|S09' \
    has 'PASSED WITH WAIVERS' lacks 'another way' -- \
    "$cts" "${wrong[@]}" --expectations ways --strict --out ways.out --overwrite
check 'a package states it' 0 -- "$cts" package ways.out --sign signer.sec
tar -xOf ways.out/package.tar statement.txt >out
same 'in words' "$(grep -c 'line 1, fail where n>=4, clause S08|S09: 9 of ' out)" 1
check 'and is verified' 1 has VERIFIED -- "$cts" verify ways.out/package.tar --key signer.pub
sed -i 's/=faulty/=cpu/' ways
check 'a condition in which none fails' 0 has 'ways:1: none of its ' lacks unexpected -- \
    "$cts" "${right[@]}" --expectations ways
check 'fails strictly' 1 has 'STRICT: 1' -- "$cts" "${right[@]}" --expectations ways --strict

echo '# one rule a condition'
"$cts" run --backend faulty:rank-5-unsorted --out rank5 >out 2>err
check 'is proposed' 0 has '# fails only where rank=5: ' has 'verdict=fail clause=S04|S08|' has ' when="rank=5" backend="faulty"' -- \
    "$cts" expectations update rank5 --owner me
same 'and no other' "$(grep -c '^verdict=' out)" 1
cp out rank5.rules
check 'it waives the bug' 0 has 'PASSED WITH WAIVERS' lacks 'another way' -- \
    "$cts" run --backend faulty:rank-5-unsorted --expectations rank5.rules --strict --out rank5.known
check 'and stays as it is' 0 -- "$cts" expectations update rank5.known --owner me
cp out again
check 'with its comment' 0 -- cmp again rank5.rules
check 'a second bug is not waived' 1 has 'NOT CONFORMANT' lacks expected-fail \
    has 'not waived by rank5.rules:3: it expects S04, S08' has ', and this case breaks M01' -- \
    "$cts" run '*in=f32[?,?,?,?,?]*' --backend faulty:writes-input --expectations rank5.rules --out rank5.second
"$cts" expectations update rank5.second >out 2>err
same 'a part of a profile has none' "$(grep -c when= out), $(grep -c 'clause=M01 select="[a-z.-]*:top_k' out)" \
    "1, $(jq -r 'select(.record == "case" and .verdict == "fail").id' rank5.second/results.jsonl | wc -l)"

echo '# backends that say odd things of themselves'
cat >odd.sh <<'ODD'
printf '%s\n' "topk-worker 1 name=$1 version=$2 device=$1 driver=$3 features= level=5.0 flags=0 batch=1 own="
while read -r word n; do
    [ "$word" = batch ] && read -r text || exit 0
    printf '%s\n' 'begin 0 1' 'done 0 refused clause=V09 obs=0 ns=1 why=no%0Away%FF"\'
done
ODD
while read -r name version driver; do
    # shellcheck disable=SC2086
    set -- --worker "sh odd.sh '${name#-}' '${version#-}' '${driver#-}'" --out odd --overwrite --show-failures 0
    check "odd: $name $version $driver" 1 has '6 refused' -- "$cts" run --profile peers peers.onnx: "$@"
    check 'is proposed' 0 -- "$cts" expectations update odd --owner me
    cp out meant
    check 'and waived' 0 has ': 0 passed, 0 failed, 6 failed as expected' has '6 cases failed as expected' lacks 'for other backends' -- \
        "$cts" run --profile peers peers.onnx: "$@" --trust-worker --expectations meant --strict --max-unclean 6
done <<'NAMES'
%FF%FE %80 %ED%A0%80
a%0Ab%09c%20%20"d"\ 1.0%0D%0A2 x%20%0A1..2
%1B[31m%7F . ?
? 1.2.3 %C2%9B\xff
%20 1..2 %20..
- - -
NAMES
check 'compare of one without a name' 0 has '   (no name)' -- "$cts" compare odd odd
for format in html markdown; do
    check "report of one without a name: $format" 0 has 'no name' -- "$cts" report --format "$format" odd
done
for i in 1 2; do
    "$cts" run --profile peers peers.onnx: --worker 'sh odd.sh a%0A%FF%C3%A9 1%09 d%0A' --shard $i/2 --out odd$i >odd$i.out 2>err
done
identity='a\x0a\xffé 1\x09'
same 'run prints the form that a rule has' "$(grep -cF "$identity on a\\x0a\\xffé, driver d\\x0a" odd1.out)" 1
check 'merge does' 1 has '2 shards' -- "$cts" merge odd1 odd2 --out odd12
check 'compare does' 1 has "$identity on a\\x0a\\xffé, driver d\\x0a" -- "$cts" compare odd1 odd2

echo '# what was not run is not waived'
# proposed NAME RULES: how many rules there are for the run, all: one a case; and that none is for the whole test
proposed() {
    local name=$1 rules=$2
    shift 2
    "$cts" run --worker 'sh odd.sh part - -' --out refuses --overwrite "$@" >out 2>err
    [ "$rules" != all ] || rules=$(head -n 1 refuses/results.jsonl | jq .cases)
    check "$name" 0 lacks 'select="peers.onnx:"' lacks 'select="types.levels:"' lacks warning -- \
        "$cts" expectations update refuses --owner me
    same 'a rule a case' "$(grep -c '^verdict=refused clause=V09 select="[a-z.-]*:top_k' out)" "$rules"
}
proposed 'a glob' 4 --profile peers 'peers.onnx:*k=3 dir=dec*'
proposed 'a shard' all --profile peers peers.onnx: --shard 1/2
"$cts" merge refuses --out half >out 2>err
check 'a run that is incomplete' 0 has "warning: the run is incomplete: $(head -n 1 refuses/results.jsonl | jq .cases) of 6 cases have a result" \
    lacks 'select="peers.onnx:"' has 'select="peers.onnx:top_k1' -- "$cts" expectations update half
"$cts" list --feature-level 3.0 types.levels >levels
proposed 'a feature level' "$(wc -l <levels)" --feature-level 3.0 types.levels:
"$cts" run --profile peers --worker 'sh odd.sh part - -' --out refuses --overwrite >out 2>err
check 'a whole test' 0 has 'select="peers.onnx:"' has 'select="peers.onnxruntime:"' lacks :top_k -- \
    "$cts" expectations update refuses --owner me
grep -v '"record":"end"' refuses/results.jsonl >killed
check 'a log without an end' 3 has "killed:$(wc -l <killed): the log was truncated" has 'the records before it are used' \
    has 'select="peers.onnx:"' -- "$cts" expectations update killed
sed "$(($(grep -n -m 1 '"record":"case"' killed | cut -d: -f1) + 3))q" killed >killed5 # four cases
check 'nor all of its cases' 3 lacks 'select="peers.onnx:"' has 'select="peers.onnx:top_k1' -- \
    "$cts" expectations update killed5
rule peers.onnxruntime: part 2999-12-31 later
proposed 'a rule for what was left out' all --profile peers peers.onnx: --shard 1/2 --expectations later
same 'stays a rule' "$(grep -c '^verdict=fail select=peers.onnxruntime:' out)" 1
rule peers.none part 2999-12-31 idle
"$cts" run --profile peers --worker 'sh odd.sh part - -' --out refuses --overwrite --expectations idle >out 2>err
check 'of a whole profile it becomes a comment' 0 has '# matched no case: verdict=fail' -- \
    "$cts" expectations update refuses

echo '# packages are compared, and reported, as they are'
mkdir still
cp p.tar faulty/package.tar still
before=$(find still | sort)
check 'a package and its run' 0 has 'B IS THE SAME AS A' has "different signer's key" \
    has 'note: run A is a package, signed with key' -- "$cts" compare still/p.tar run
check 'two packages' 1 has 'B IS WORSE THAN A' lacks "different signer's key" -- \
    "$cts" compare still/p.tar still/package.tar
same 'nothing was unpacked' "$(find still | sort)" "$before"
changed $((size / 2)) '\001'
check 'one that does not hold' 3 has 'topk-cts compare: the package does not hold: changed.tar: ' \
    lacks 'B IS' -- "$cts" compare p.tar changed.tar
check 'whichever it is' 3 has 'the package does not hold: changed.tar: ' -- \
    "$cts" compare changed.tar run --format json
check 'a page of one' 0 -- "$cts" report p.tar --output p.html
"$cts" report run --output run.html
check 'is that of its run' 0 -- cmp p.html run.html
check 'none of one that does not hold' 3 has 'the package does not hold' -- \
    "$cts" report changed.tar --output none.html
check 'and no file' 0 -- test ! -e none.html
"$cts" report p.tar --format junit >p.xml 2>err
check 'JUnit of one' 0 -- cmp p.xml run/junit.xml

echo '# keys that are trusted'
today=$(jq -r 'select(.record == "header").started[:10]' run/results.jsonl)
trust() {
    printf '# who signs\nkey=%s name="somebody else"\nkey=%s name="Vendor, Inc." %s\n' \
        "$(sed -n 2p other.pub)" "$key" "$1" >trusted
}
# counts NAME WORDS CODE TEXT: what verify says if the signer's key has these words
counts() {
    trust "$2"
    check "$1" "$3" has "$4" -- "$cts" verify p.tar --trust trusted
}
counts 'a key of several' '' 0 "that of 'Vendor, Inc.' (trusted:3)"
counts 'on its only day' "from=$today until=$today" 0 'VERIFIED: the backend conforms'
counts 'before it counts' from=2999-01-01 3 "NOT VERIFIED: p.tar: the run began on $today, and the key of 'Vendor, Inc.' is valid only from 2999-01-01"
counts 'after it did' until=2020-12-31 3 "is valid only until 2020-12-31"
counts 'revoked' revoked=2999-01-01 3 "the key of 'Vendor, Inc.' was revoked on 2999-01-01: its signatures are no longer valid"
counts 'a bad line' until=soon 3 "trusted:3: until takes a date such as 2026-12-31, not 'soon'"
trust ''
sed -i 3d trusted
check 'a key that is not there' 3 has 'which is not among the 1 of trusted' lacks 'the backend' -- "$cts" verify p.tar --trust trusted
check 'no file of keys' 3 has 'cannot read none' -- "$cts" verify p.tar --trust none
check 'a key and a file of keys' 2 has '--key and --trust exclude each other' -- \
    "$cts" verify p.tar --trust trusted --key signer.pub
# dated FOLDER STARTED: the run as if it had begun then
dated() {
    local chain='' line body
    mkdir "$1"
    while read -r line; do
        body=${line%,\"chain\":*}
        [ -n "$chain" ] || body=$(sed -E "s/(\"started\":\")[^\"]*/\1$2/" <<<"$body")
        chain=$(printf '%s%s' "$chain" "$body" | sha256sum)
        chain=${chain%% *}
        printf '%s,"chain":"%s"}\n' "$body" "$chain"
    done <faulty/results.jsonl >"$1/results.jsonl"
}
dated future 2999-01-01T00:00:00Z
"$cts" package future --sign signer.sec >out
check 'a clock far off' 3 has 'NOT VERIFIED: future/package.tar: the run says that it began at 2999-01-01T00:00:00Z' \
    has 'one of the two clocks is wrong' -- "$cts" verify future/package.tar --key signer.pub
dated soon "$(date -u -d '+20 hours' +%Y-%m-%dT%H:%M:%SZ)"
"$cts" package soon --sign signer.sec >out
check 'one that is off by hours' 1 has 'VERIFIED: the backend does not conform' -- \
    "$cts" verify soon/package.tar --key signer.pub

echo '# keys'
check 'no key' 2 has 'Give --sign KEY' -- "$cts" package run
check 'a public key does not sign' 3 has 'signer.pub: this is not a secret key' -- \
    "$cts" package run --sign signer.pub --output q.tar
check 'a secret key does not verify' 3 has 'signer.sec: this is not a public key' -- \
    "$cts" verify p.tar --key signer.sec
printf 'open\nopen\n' | minisign -G -p hidden.pub -s hidden.sec >/dev/null 2>&1
check 'an encrypted key' 0 -- "$cts" package run --sign hidden.sec --output q.tar <<<open
check 'which signs the same way' 0 has 'VERIFIED' -- "$cts" verify q.tar --key hidden.pub
check 'a wrong password' 3 has 'hidden.sec: the password is wrong' -- \
    "$cts" package run --sign hidden.sec --output w.tar <<<wrong
check 'no password' 3 has 'the key is encrypted, and there is no password' -- \
    "$cts" package run --sign hidden.sec --output w.tar </dev/null

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
