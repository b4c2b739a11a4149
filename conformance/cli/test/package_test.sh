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

# changed OFFSET VALUE: writes changed.tar, which is p.tar with one byte replaced
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
check 'a run of core' 0 -- "$cts" run --backend cpu --out run
check 'package: a run is packed' 0 has 'package: p.tar, signed with key' has 'the backend conforms' -- \
    "$cts" package run --sign signer.sec --output p.tar
before=$(find . | sort)
check 'verify: the package with --key and a file' 0 has 'the given key' has 'VERIFIED: the backend conforms' -- \
    "$cts" verify p.tar --key signer.pub
same 'verify writes no file' "$(find . | grep -v -e out -e err | sort)" \
    "$(grep -v -e out -e err <<<"$before")"
check 'verify: the package with --key and the key itself' 0 has 'the given key' -- "$cts" verify p.tar --key "$key"
check 'verify without a key names the key in the package' 0 has 'which the package contains' -- "$cts" verify p.tar
check 'verify --key KEY, although a file has that name' 0 has 'the given key' -- \
    env -C named "$cts" verify ../p.tar --key "$key"
check 'verify: another key is refused' 3 has 'NOT VERIFIED: p.tar: manifest.sha256.minisig: it was signed' -- \
    "$cts" verify p.tar --key other.pub
check 'package without --output' 0 has 'run/package.tar' -- "$cts" package run --sign signer.sec
same 'package without --output makes the same package' "$(sha256sum <p.tar)" "$(sha256sum <run/package.tar)"
check 'package does not replace a package' 2 has 'run/package.tar already exists' -- \
    "$cts" package run/results.jsonl --sign signer.sec

echo '# a package is verified by other programs'
mkdir unpacked
check 'tar lists the package' 0 has results.jsonl has statement.txt -- tar -tvf p.tar
check 'tar unpacks the package' 0 -- tar -C unpacked -xf p.tar
cd unpacked || exit 1
check 'minisign verifies the manifest' 0 has 'Signature and comment signature verified' \
    has 'Trusted comment: topk-cts ' has 'cpu 1.0' -- minisign -Vm manifest.sha256 -p ../signer.pub
check 'minisign: the public key in the package is that of the signer' 0 -- minisign -Vm manifest.sha256 -p key.pub
check 'minisign refuses another key' 1 -- minisign -Vm manifest.sha256 -p ../other.pub
check 'sha256sum verifies the files' 0 has 'results.jsonl: OK' has 'key.pub: OK' -- \
    sha256sum -c --strict manifest.sha256
digest=$(sha256sum mustpass.txt)
same 'package.json: the digest of the profile is that of the list' "${digest%% *}" \
    "$(jq -r .profile.digest package.json)"
"$cts" list --profile core >listed
check 'the list of cases is that of the profile' 0 -- cmp listed mustpass.txt
check 'the log in the package is that of the run' 0 -- cmp results.jsonl ../run/results.jsonl
same 'package.json: the totals are those that jq counts' \
    "$(jq -c '.totals | with_entries(select(.value > 0))' package.json)" \
    "$(jq -nc 'reduce (inputs | select(.record == "case").verdict) as $v ({}; .[$v] += 1)' results.jsonl)"
same 'package.json: the totals of a feature level are those that jq counts' \
    "$(jq -c '.levels[] | select(.level == "3.1").totals.pass' package.json)" \
    "$(awk -F ' fl=' '{ most = 0; for (i = 2; i <= NF; i++) if ($i + 0 > most) most = $i + 0; n += most == 3.1 } END { print n }' mustpass.txt)"
same 'package.json has the revision of the suite' "$(jq -r '.revision != ""' package.json)" true
check 'statement.txt says that the run conforms' 0 has 'It conforms, as far as these cases tell' \
    has 'Cases of feature level 5.0: it conforms' \
    has 'of 29000' has 'at least 2 % had to be served' has 'What it does not show' -- cat statement.txt
same 'statement.txt: the order of its sections' \
    "$(grep -n '^[A-Z]' statement.txt | cut -d: -f2 | head -n 6 | tr '\n' ';')" \
    'Statement of conformance;What was tested;Contract;Share served;How it was judged;Result;'
same 'package.json has the share of served calls' "$(jq -c '[.share.served, .share.asked, .share.percent, .gate.least]' package.json)" \
    '[29000,29000,100,2]'
cd .. || exit 1

echo '# corrupted packages'
size=$(stat -c %s p.tar)
for at in 0 600 1100 3000 $((size / 2)) $((size - 1200)) $((size - 1)); do
    changed "$at" '\001'
    check "verify: byte $at of $size changed" 3 has 'NOT VERIFIED: changed.tar: ' -- "$cts" verify changed.tar
done
for to in 0 100 512 5000 $((size - 1)); do
    head -c "$to" p.tar >cut.tar
    check "verify: truncated to $to bytes" 3 has 'NOT VERIFIED: cut.tar: ' -- "$cts" verify cut.tar
done
tar -C unpacked --format=ustar -cf again.tar manifest.sha256 results.jsonl
check 'verify: an archive made by tar' 3 has 'NOT VERIFIED: again.tar: at byte 0' -- \
    "$cts" verify again.tar
gzip -k p.tar
check 'verify: a package compressed by gzip' 3 has 'it is compressed: decompress it first' -- "$cts" verify p.tar.gz
check 'verify: a missing file' 2 has 'cannot read none.tar: No such file' -- "$cts" verify none.tar
check 'verify: a folder' 2 has 'run is a folder, not a package' -- "$cts" verify run

same 'package.json: passes by a status alone are those that jq counts' \
    "$(jq .by_status unpacked/package.json) $(jq '[.levels[].by_status] | add' unpacked/package.json)" \
    "$(jq -n '[inputs | select(.by == "status")] | length' unpacked/results.jsonl | sed 's/.*/& &/')"

echo '# a declared contract'
printf 'topk-contract 1\nties=any\n' >free.contract
"$cts" run --profile peers --backend cpu --contract free.contract --out free >out
"$cts" package free --sign signer.sec >out
check 'a declared contract' 0 has 'contract: ties=any' has 'to the declared contract' -- "$cts" verify free/package.tar --key signer.pub
check 'a declared contract is in statement.txt' 0 has '  declared: these rules instead of DirectML' has 'ties=any' -- tar -xOf free/package.tar statement.txt
same 'a declared contract is in package.json' "$(tar -xOf free/package.tar package.json | jq -r .contract.rules)" ties=any

echo '# runs that a worker judged'
worker="'$(dirname "$cts")/topk-worker' --backend cpu"
check 'a run that a worker judged' 1 has 'JUDGED BY THE WORKER, not by this suite: 43 passed' -- \
    "$cts" run --profile peers --worker "$worker" --out told
check 'package of a run that a worker judged' 0 has 'passes, judged by the worker, not by this suite: 43 cases' lacks conforms -- \
    "$cts" package told --sign signer.sec --output told.tar
check 'verify of a run that a worker judged' 1 has 'VERIFIED: the backend passes, judged by the worker, not by this suite' lacks conforms -- \
    "$cts" verify told.tar --key signer.pub
check 'statement.txt of a run that a worker judged' 0 has 'It passes, judged by the worker, not by this suite' \
    has '  judge         judged by the worker, not by this suite' \
    has ': it passes, judged by the worker' lacks conforms -- tar -xOf told.tar statement.txt
same 'package.json of a run that a worker judged' "$(tar -xOf told.tar package.json | jq -c '[.judge, .conformance, (.levels | map(.conformance) | unique[])]')" \
    '["worker","judged-by-worker","judged-by-worker"]'
check '--rerun with a worker exits with 1' 1 has 'note: what was run again was judged by the worker' \
    has '0 gave another result' -- "$cts" verify p.tar --rerun 20 --worker "$worker"
check '--rerun with a worker and --trust-worker exits with 0' 0 has 'VERIFIED: the backend conforms' -- \
    "$cts" verify p.tar --rerun 20 --worker "$worker" --trust-worker
check '--rerun: a worker that judges more than the log differs' 1 has 'DIFFERS: the log has pass by status, now it is pass' has 'BUT THE RERUN DIFFERS' -- \
    "$cts" verify p.tar --rerun 100 --seed 7 --worker "$worker | sed -u 's/ by=status//'" --trust-worker

echo '# shards of a run'
all=$("$cts" list --profile core | wc -l)
for i in 1 2 3; do
    check "shard $i" 0 has "cases of $all: shard $i of 3" has "PASSED: " \
        has '; only all shards together show conformance' -- \
        "$cts" run --backend cpu --shard "$i/3" --out "shard$i"
done
check 'one shard is not packed' 1 has 'shard2/results.jsonl:1: only shard 2 of 3 was run' -- \
    "$cts" package shard2 --sign signer.sec
check 'shards are merged' 0 has "$all cases, merged from 3 of 3 shards" has "CONFORMANT: $all passed (" has ' by status alone), 0 failed, 0 unsupported (topk core v' \
    has 'log: merged/results.jsonl' -- "$cts" merge shard3 shard1 shard2/results.jsonl --out merged
check 'merged shards are packed' 0 -- "$cts" package merged --sign signer.sec --output merged.tar
check 'a package of merged shards is verified' 0 has 'VERIFIED: the backend conforms' -- "$cts" verify merged.tar --key signer.pub
check 'statement.txt of merged shards' 0 has 'shards        3, run separately and merged' -- tar -xOf merged.tar statement.txt
check 'merged shards are the same as a run in one piece' 0 has 'B IS THE SAME AS A: every case has' has 'merged from 3' -- \
    "$cts" compare run merged
check 'report of merged shards: CONFORMANT' 0 has '## CONFORMANT' -- "$cts" report merged --format markdown
check 'report of one shard: PASSED' 0 has '## PASSED' -- "$cts" report shard1 --format markdown
check 'merge with a missing shard' 5 has '1 of 3 shards is missing or unfinished: the first is shard 2' \
    has INCOMPLETE -- "$cts" merge shard1 shard3 --out two
check 'a merged log is not resumed' 2 has 'it was merged from shards: run those that are missing' -- \
    "$cts" run --backend cpu --resume --out two
check 'a merged log with a missing shard is not packed' 1 has 'the run is not complete' -- "$cts" package two --sign signer.sec
check 'merge with the same shard twice' 2 has 'it is shard 1, and so is shard1/results.jsonl' -- \
    "$cts" merge shard1 shard2 shard3 ./shard1 --out twice
check 'merge of a run that is not a shard' 2 has 'run/results.jsonl:1: this is not a shard' -- "$cts" merge run shard1 --out twice
check 'merge into a folder that has a log' 2 has 'merged/results.jsonl already exists' -- \
    "$cts" merge shard1 shard2 shard3 --out merged
"$cts" run --profile peers --backend cpu --shard 2/3 --out peers2 >/dev/null
check 'merge: a shard of another profile' 2 has "its profile is 'peers" -- "$cts" merge shard1 peers2 shard3 --out elsewhere
"$cts" run --backend faulty:none --shard 2/3 --out faulty2 >/dev/null
check 'merge: a shard of another backend' 2 has "its --backend is 'faulty:none', and that of shard1" -- \
    "$cts" merge shard1 faulty2 shard3 --out elsewhere
"$cts" run --backend cpu --seed 5 --shard 2/3 --out seed2 >/dev/null
check 'merge: a shard of another seed' 2 has 'its seed is 5' -- "$cts" merge shard1 seed2 shard3 --out elsewhere
"$cts" run --backend cpu --shard 2/4 --out four2 examples >/dev/null
check 'merge: a shard of other selections' 2 has 'its selections is' -- "$cts" merge shard1 four2 shard3 --out elsewhere
check 'these merges write no log' 0 -- test ! -e elsewhere/results.jsonl
mkdir edited2
line=$(first_pass shard2/results.jsonl)
sed "${line}s/\"pass\"/\"fail\"/" shard2/results.jsonl >edited2/results.jsonl
check 'merge: an edited shard' 3 has "edited2/results.jsonl:$line: the chain breaks" -- \
    "$cts" merge shard1 edited2 shard3 --out elsewhere
check 'merge of an edited shard leaves no folder' 0 -- test ! -e elsewhere
mkdir cut2
sed 100q shard2/results.jsonl | head -c -20 >cut2/results.jsonl
check 'merge: a truncated shard' 5 has 'cut2/results.jsonl:' has 'the line was truncated' -- \
    "$cts" merge shard1 cut2 shard3 --out cutm
check '--shard 4/3' 2 has 'there is no shard 4/3' -- "$cts" run --backend cpu --shard 4/3
check 'a malformed shard' 2 has "--shard takes I/N, such as 2/4, not '2'" -- "$cts" run --backend cpu --shard 2
check 'more shards than cases' 5 has 'there are 7 cases for 5000 shards' -- \
    "$cts" run --backend cpu examples.documents --shard 8/5000 --out nine
check 'a shard is not continued as another' 2 has 'its shard is 2, not 1' -- \
    "$cts" run --backend cpu --shard 1/3 --out shard2 --resume

echo '# runs that cannot be packed'
"$cts" run peers.onnx: --profile peers --backend cpu --out part >/dev/null
check 'package: a selection is refused' 1 has 'part/results.jsonl:1: only selected cases were run' -- \
    "$cts" package part --sign signer.sec
"$cts" run --backend cpu --feature-level 2.0 --out level >/dev/null
check 'package: a lower feature level is refused' 1 has ':1: --feature-level left out what the backend claims' -- \
    "$cts" package level --sign signer.sec
# as versions that had `run --chaos' wrote it: the header says so, and the chain is computed again
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
check 'package: results that --chaos corrupted are refused' 1 has ':1: results were corrupted on purpose: --chaos rate=0.5' -- \
    "$cts" package chaos --sign signer.sec
mkdir cut edited
sed 400q run/results.jsonl | head -c -20 >cut/results.jsonl
check 'package: a truncated log is refused' 3 has 'cut/results.jsonl:' has 'the line was truncated' -- \
    "$cts" package cut --sign signer.sec
line=$(first_pass run/results.jsonl)
sed "${line}s/pass/fail/" run/results.jsonl >edited/results.jsonl
check 'package: an edited log is refused' 3 has "edited/results.jsonl:$line: the chain breaks" -- \
    "$cts" package edited --sign signer.sec
check 'these runs leave no package' 2 -- ls part/package.tar level/package.tar chaos/package.tar
"$cts" run --profile peers --backend faulty:B26 --out faulty >/dev/null
check 'package: failures are stated' 0 has 'the backend does not conform' -- \
    "$cts" package faulty --sign signer.sec
check 'verify of a package with failures' 1 has 'VERIFIED: the backend does not conform' -- \
    "$cts" verify faulty/package.tar --key signer.pub

echo '# --rerun'
check '--rerun on the same backend' 0 has 'run again: 300 of' has '--seed 7: 0 gave another result' \
    has 'VERIFIED: the backend conforms' -- \
    "$cts" verify p.tar --rerun 300 --seed 7 --backend cpu
check '--rerun prints which cases, and on which backend' 0 has 'run again on cpu 1.0 on host processor' \
    has 'its backend, version, device and driver say the same as those of the package' has 'drawn: ' has ' of ties' \
    has 'their results in the log: 300 pass' -- \
    "$cts" verify p.tar --rerun 300 --seed 7 --rerun-list drawn --backend cpu
same '--rerun-list has the cases' "$(sort -u drawn | grep -cFxf - unpacked/mustpass.txt)" 300
check 'replay runs the cases of --rerun-list' 0 has 'results: 300 pass' -- "$cts" replay --backend cpu --file drawn
check '--rerun-list that cannot be written' 3 has 'cannot write none/drawn' lacks VERIFIED -- \
    "$cts" verify p.tar --rerun 3 --rerun-list none/drawn --backend cpu
check '--rerun on another, wrong backend' 1 has "note: the package has backend 'cpu', this run has 'faulty'" \
    has 'DIFFERS: the log has pass, now it is fail' has 'VERIFIED, BUT THE RERUN DIFFERS' -- \
    "$cts" verify p.tar --rerun 300 --seed 7 --backend faulty:B26
check '--rerun of failures on the same backend' 1 has '0 gave another result' -- \
    "$cts" verify faulty/package.tar --rerun 300 --seed 7 --backend faulty:B26
check '--rerun on an unknown backend' 2 has "there is no backend 'none'" lacks VERIFIED -- \
    "$cts" verify p.tar --rerun 3 --backend none
check 'verify of a log' 3 has "NOT VERIFIED: run/results.jsonl: this is the log of a run; \`topk-cts package' makes a package of it" \
    -- "$cts" verify run/results.jsonl
check 'rerun without a backend' 2 has '--rerun needs --backend' -- "$cts" verify p.tar --rerun 3
check 'a backend without rerun' 2 has 'is for --rerun N' -- "$cts" verify p.tar --backend cpu
check 'a list without rerun' 2 has '--rerun-list is for --rerun N' -- "$cts" verify p.tar --rerun-list drawn

echo '# expectations'
wrong=(run --profile peers --backend faulty:B26)
check 'expectations are proposed' 0 has 'select="peers.onnx:top_k1' has 'owner="?"' has 'reason="equal values' -- \
    "$cts" expectations update faulty
cp out proposed
check 'proposed expectations must be completed' 2 has "proposed:2:" has "the '?' must be replaced" -- \
    "$cts" "${wrong[@]}" --expectations proposed --out known
sed 's/owner="?"/owner="J. Doe"/' proposed >expected
check 'expectations waive the failures' 0 has '9 expected-fail' has 'expected, 9 rules; 9 cases failed as expected' \
    has 'PASSED WITH WAIVERS: 34 passed, 0 failed, 9 failed as expected' -- \
    "$cts" "${wrong[@]}" --expectations expected --strict --out known
same 'the log has the waived failures and their rules' 9 "$(jq -c 'select(.verdict == "expected-fail" and
    .expectation.verdict == "fail" and (.findings | length) > 0)' known/results.jsonl | wc -l)"
same 'the log has the text of the expectations' "$(jq -r 'select(.record == "header").expectations' known/results.jsonl)" \
    "$(cat expected)"
check '--resume with other expectations' 2 has 'its text of expectations is' -- \
    "$cts" "${wrong[@]}" --out known --resume
check 'compare prints different expectations' 0 has 'different expectations' has '9 other changes of verdict' -- \
    "$cts" compare faulty known
check 'package of a run with waivers' 0 -- "$cts" package known --sign signer.sec
check 'verify of a run with waivers' 1 has 'VERIFIED: the backend does not conform without the waivers' \
    has '0 gave another result' -- \
    "$cts" verify known/package.tar --key signer.pub --rerun 43 --backend faulty:B26
tar -xOf known/package.tar expectations.txt >declared
check 'the package has the expectations as they were' 0 -- cmp declared expected
same 'package.json has the owners of the rules' "$(tar -xOf known/package.tar package.json |
    jq -c '[.waivers[] | select(.owner == "J. Doe").failed] | add')" 9

rule() {
    echo "verdict=fail select=$1 backend=$2 owner=me reason=because expires=$3" >"$4"
}
rule peers.onnx: cpu 2999-12-31 passes
rule peers.none cpu 2999-12-31 idle
rule peers.onnx: faulty 2020-12-31 expired
rule peers.onnx: other 2999-12-31 other
right=(run --profile peers --backend cpu --overwrite --out rules)
check 'an expected failure that passes' 0 has '6 unexpected-pass' \
    has 'passes:1: 6 of 6 cases passed unexpectedly: fail of peers.onnx: (owner me)' -- \
    "$cts" "${right[@]}" --expectations passes
check '--strict with an expected failure that passes' 1 has 'STRICT: 1 expectation does not hold' -- \
    "$cts" "${right[@]}" --expectations passes --strict
check 'a rule that matches no case' 0 has 'idle:1: it matches no case' -- \
    "$cts" "${right[@]}" --expectations idle
check '--strict with a rule that matches no case' 1 has 'STRICT: 1' -- "$cts" "${right[@]}" --expectations idle --strict
check '--strict in a selection ignores rules without a case' 0 lacks 'matches no case' -- \
    "$cts" "${right[@]}" peers.onnx: --expectations idle --strict
check 'an expired rule fails the run' 1 has 'expired:1: expired on 2020-12-31: fail of peers.onnx:' \
    has 'WAIVERS EXPIRED: 1 rule of the expectations is expired; 3 passed, 0 failed, 3 failed as expected' -- \
    "$cts" "${wrong[@]}" peers.onnx: --expectations expired --out late
check 'an expired rule in Markdown' 0 has '## WAIVERS EXPIRED' -- "$cts" report late --format markdown
check 'an expired rule in JUnit' 0 has '1 rule of the expectations is expired' -- cat late/junit.xml
check '--allow-expired' 0 has 'expired:1: expired on 2020-12-31, which --allow-expired allows' \
    has 'PASSED WITH WAIVERS: 3 passed, 0 failed, 3 failed as expected' -- \
    "$cts" "${wrong[@]}" peers.onnx: --expectations expired --allow-expired --out allowed
check 'report of a run with --allow-expired' 0 has '## PASSED WITH WAIVERS' -- "$cts" report allowed --format markdown
check '--resume without its --allow-expired' 2 has "its gate is '--allow-expired', not ''" -- \
    "$cts" "${wrong[@]}" peers.onnx: --expectations expired --resume --out allowed
grep -v '"record":"end"' late/results.jsonl >late/cut && mv late/cut late/results.jsonl
check 'an expired rule in a resumed run' 1 has 'WAIVERS EXPIRED' -- \
    "$cts" "${wrong[@]}" peers.onnx: --expectations expired --resume --out late
check '--allow-expired without --expectations' 2 has '--allow-expired is for --expectations' -- "$cts" "${right[@]}" --allow-expired
rule peers. faulty 2020-12-31 late.rules
"$cts" "${wrong[@]}" --expectations late.rules --out late --overwrite >out 2>err
check 'an expired rule in a package' 0 has 'passes by waivers, of which some are expired' -- \
    "$cts" package late --sign signer.sec
for i in 1 2; do
    check "an expired rule in shard $i" 1 has 'WAIVERS EXPIRED' -- \
        "$cts" "${wrong[@]}" --expectations late.rules --shard "$i/2" --out "late$i"
done
check 'an expired rule in merged shards' 1 has 'WAIVERS EXPIRED' -- "$cts" merge late1 late2 --out late12
check 'a rule for another backend' 0 has '1 rule is for other backends' lacks STRICT -- \
    "$cts" "${right[@]}" --expectations other --strict
"$cts" run --profile peers --backend cpu --expectations passes --out kept >/dev/null
check 'rules that do not hold are proposed as comments' 0 has '# cases passed: verdict=fail' -- \
    "$cts" expectations update kept
echo what=1 >bad
check '--expectations: a malformed line' 2 has 'bad:1:1: unknown key' -- \
    "$cts" "${right[@]}" --expectations bad
check '--expectations: a missing file' 2 has 'cannot read none' -- "$cts" "${right[@]}" --expectations none
check 'strict without rules' 2 has '--strict is for --expectations' -- "$cts" "${right[@]}" --strict

echo '# failures of another kind are not waived'
cat >ways <<'WAYS'
verdict=fail clause=S09 backend=faulty owner=me reason=because expires=2999-12-31 n>=4
WAYS
check 'a rule for another clause does not waive' 1 has 'not waived by ways:1: it expects S09, and this case breaks S08' \
    has 'cases fail in another way, and are not waived: fail where n>=4, clause S09 (owner me)' \
    has 'the first: it expects S09, and this case breaks S08: peers.onnx' -- \
    "$cts" "${wrong[@]}" --expectations ways --out ways.out
sed -i 's/clause=S09/clause=S08|S09/' ways
check 'a rule for the broken clauses waives' 0 has 'cases failed as it says, ' has 'passed: fail where n>=4, clause S08|S09' \
    has 'PASSED WITH WAIVERS' lacks 'another way' -- \
    "$cts" "${wrong[@]}" --expectations ways --strict --out ways.out --overwrite
check 'package of a run with a conditional rule' 0 -- "$cts" package ways.out --sign signer.sec
tar -xOf ways.out/package.tar statement.txt >out
same 'statement.txt has the conditional rule' "$(grep -c 'line 1, fail where n>=4, clause S08|S09: 9 of ' out)" 1
check 'verify of a run with a conditional rule' 1 has VERIFIED -- "$cts" verify ways.out/package.tar --key signer.pub
sed -i 's/=faulty/=cpu/' ways
check 'a conditional rule without a failing case' 0 has 'ways:1: none of its ' lacks unexpected -- \
    "$cts" "${right[@]}" --expectations ways
check '--strict with a conditional rule without a failing case' 1 has 'STRICT: 1' -- "$cts" "${right[@]}" --expectations ways --strict

echo '# one rule per condition'
"$cts" run --backend faulty:rank-5-unsorted --out rank5 >out 2>err
check 'a conditional rule is proposed' 0 has '# fails only where rank=5: ' has 'verdict=fail clause=S04|S08|' has ' when="rank=5" backend="faulty"' -- \
    "$cts" expectations update rank5 --owner me
same 'the rules: with the cause, for large cases, for NaN' "$(grep -o ' cause=[a-z-]* when="[^"]*"' out | tr -d '\n')" \
    ' cause=opposite-order when="rank=5" cause=none when="rank=5 and elements>=65537" cause=none when="rank=5 and nan=yes"'
same 'no other rule is proposed' "$(grep -c '^verdict=' out)" 3
cp out rank5.rules
check 'the proposed conditional rule waives the bug' 0 has 'PASSED WITH WAIVERS' lacks 'another way' -- \
    "$cts" run --backend faulty:rank-5-unsorted --expectations rank5.rules --strict --out rank5.known
check 'expectations update keeps the conditional rule' 0 -- "$cts" expectations update rank5.known --owner me
cp out again
check 'expectations update keeps the comment of the rule' 0 -- cmp again rank5.rules
check 'the conditional rule does not waive another cause of the same clause' 1 has 'it expects opposite-order, and this case has the cause ' \
    has ties-descending -- "$cts" run '*in=f32[?,?,?,?,?]*' --backend faulty:ties-descending --expectations rank5.rules --out rank5.other
check 'the conditional rule does not waive a second bug' 1 has 'NOT CONFORMANT' lacks expected-fail \
    has 'not waived by rank5.rules:3: it expects S04, S08' has ', and this case breaks M01' -- \
    "$cts" run '*in=f32[?,?,?,?,?]*' --backend faulty:writes-input --expectations rank5.rules --out rank5.second
"$cts" expectations update rank5.second >out 2>err
same 'a part of a profile gets no conditional rule' "$(grep -c when= out), $(grep -c 'clause=M01 select="[a-z.-]*:top_k' out)" \
    "3, $(jq -r 'select(.record == "case" and .verdict == "fail").id' rank5.second/results.jsonl | wc -l)"

echo '# backends with odd names and versions'
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
    check 'odd names: a rule is proposed' 0 -- "$cts" expectations update odd --owner me
    cp out meant
    check 'odd names: the proposed rule waives the failures' 0 has ': 0 passed, 0 failed, 6 failed as expected' has '6 cases failed as expected' lacks 'for other backends' -- \
        "$cts" run --profile peers peers.onnx: "$@" --trust-worker --expectations meant --strict --max-unclean 6
done <<'NAMES'
%FF%FE %80 %ED%A0%80
a%0Ab%09c%20%20"d"\ 1.0%0D%0A2 x%20%0A1..2
%1B[31m%7F . ?
? 1.2.3 %C2%9B\xff
%20 1..2 %20..
- - -
NAMES
check 'compare of a backend without a name' 0 has '   (no name)' -- "$cts" compare odd odd
for format in html markdown; do
    check "report of a backend without a name: $format" 0 has 'no name' -- "$cts" report --format "$format" odd
done
for i in 1 2; do
    "$cts" run --profile peers peers.onnx: --worker 'sh odd.sh a%0A%FF%C3%A9 1%09 d%0A' --shard $i/2 --out odd$i >odd$i.out 2>err
done
identity='a\x0a\xffé 1\x09'
same 'run prints an odd name as rules have it' "$(grep -cF "$identity on a\\x0a\\xffé, driver d\\x0a" odd1.out)" 1
check 'merge of runs with odd names' 1 has '2 shards' -- "$cts" merge odd1 odd2 --out odd12
check 'compare prints an odd name as rules have it' 1 has "$identity on a\\x0a\\xffé, driver d\\x0a" -- "$cts" compare odd1 odd2

echo '# cases that were not run are not waived'
# proposed NAME RULES: the number of rules for the run, all: one per case; and no rule is for a whole test
proposed() {
    local name=$1 rules=$2
    shift 2
    "$cts" run --worker 'sh odd.sh part - -' --out refuses --overwrite "$@" >out 2>err
    [ "$rules" != all ] || rules=$(head -n 1 refuses/results.jsonl | jq .cases)
    check "$name" 0 lacks 'select="peers.onnx:"' lacks 'select="types.levels:"' lacks warning -- \
        "$cts" expectations update refuses --owner me
    same "$name: one rule per case" "$(grep -c '^verdict=refused clause=V09 select="[a-z.-]*:top_k' out)" "$rules"
}
proposed 'expectations for a glob' 4 --profile peers 'peers.onnx:*k=3 dir=dec*'
proposed 'expectations for a shard' all --profile peers peers.onnx: --shard 1/2
"$cts" merge refuses --out half >out 2>err
check 'expectations for an incomplete run' 0 has "warning: the run is incomplete: $(head -n 1 refuses/results.jsonl | jq .cases) of 6 cases have a result" \
    lacks 'select="peers.onnx:"' has 'select="peers.onnx:top_k1' -- "$cts" expectations update half
"$cts" list --feature-level 3.0 types.levels >levels
proposed 'expectations for a feature level' "$(wc -l <levels)" --feature-level 3.0 types.levels:
"$cts" run --profile peers --worker 'sh odd.sh part - -' --out refuses --overwrite >out 2>err
check 'rules for whole tests that failed' 0 has 'select="peers.onnx:"' has 'select="peers.onnxruntime:"' lacks :top_k -- \
    "$cts" expectations update refuses --owner me
grep -v '"record":"end"' refuses/results.jsonl >killed
check 'a truncated log: expectations from its records' 3 has "killed:$(wc -l <killed): the log was truncated" has 'the records before it are used' \
    has 'select="peers.onnx:"' -- "$cts" expectations update killed
sed "$(($(grep -n -m 1 '"record":"case"' killed | cut -d: -f1) + 3))q" killed >killed5 # four cases
check 'a truncated log: no rule for a whole test' 3 lacks 'select="peers.onnx:"' has 'select="peers.onnx:top_k1' -- \
    "$cts" expectations update killed5
rule peers.onnxruntime: part 2999-12-31 later
proposed 'expectations for a shard, with a rule for another one' all --profile peers peers.onnx: --shard 1/2 --expectations later
same 'a rule for cases that were left out is kept' "$(grep -c '^verdict=fail select=peers.onnxruntime:' out)" 1
rule peers.none part 2999-12-31 idle
"$cts" run --profile peers --worker 'sh odd.sh part - -' --out refuses --overwrite --expectations idle >out 2>err
check 'in a whole profile, a rule that matches no case becomes a comment' 0 has '# matched no case: verdict=fail' -- \
    "$cts" expectations update refuses

echo '# packages are compared and reported'
mkdir still
cp p.tar faulty/package.tar still
before=$(find still | sort)
check 'compare of a package and its run' 0 has 'B IS THE SAME AS A' has "different signer's key" \
    has 'note: run A is a package, signed with key' -- "$cts" compare still/p.tar run
check 'compare of two packages' 1 has 'B IS WORSE THAN A' lacks "different signer's key" -- \
    "$cts" compare still/p.tar still/package.tar
same 'compare unpacks no package' "$(find still | sort)" "$before"
changed $((size / 2)) '\001'
check 'compare with a corrupted package as B' 3 has 'topk-cts compare: the package does not hold: changed.tar: ' \
    lacks 'B IS' -- "$cts" compare p.tar changed.tar
check 'compare with a corrupted package as A' 3 has 'the package does not hold: changed.tar: ' -- \
    "$cts" compare changed.tar run --format json
check 'report of a package' 0 -- "$cts" report p.tar --output p.html
"$cts" report run --output run.html
check 'report of a package is that of its run' 0 -- cmp p.html run.html
check 'report of a corrupted package' 3 has 'the package does not hold' -- \
    "$cts" report changed.tar --output none.html
check 'report of a corrupted package writes no file' 0 -- test ! -e none.html
"$cts" report p.tar --format junit >p.xml 2>err
check 'JUnit of a package is that of its run' 0 -- cmp p.xml run/junit.xml

echo '# --trust'
today=$(jq -r 'select(.record == "header").started[:10]' run/results.jsonl)
trust() {
    printf '# who signs\nkey=%s name="somebody else"\nkey=%s name="Vendor, Inc." %s\n' \
        "$(sed -n 2p other.pub)" "$key" "$1" >trusted
}
# counts NAME WORDS CODE TEXT: the result of verify if the signer's key has these words
counts() {
    trust "$2"
    check "$1" "$3" has "$4" -- "$cts" verify p.tar --trust trusted
}
counts '--trust: one key of several' '' 0 "that of 'Vendor, Inc.' (trusted:3)"
counts '--trust: a key that is valid for one day' "from=$today until=$today" 0 'VERIFIED: the backend conforms'
counts '--trust: a key that is not valid yet' from=2999-01-01 3 "NOT VERIFIED: p.tar: the run began on $today, and the key of 'Vendor, Inc.' is valid only from 2999-01-01"
counts '--trust: a key that is no longer valid' until=2020-12-31 3 "is valid only until 2020-12-31"
counts '--trust: a revoked key' revoked=2999-01-01 3 "the key of 'Vendor, Inc.' was revoked on 2999-01-01: its signatures are no longer valid"
counts '--trust: a malformed line' until=soon 3 "trusted:3: until takes a date such as 2026-12-31, not 'soon'"
trust ''
sed -i 3d trusted
check '--trust: an unknown key' 3 has 'which is not among the 1 of trusted' lacks 'the backend' -- "$cts" verify p.tar --trust trusted
check '--trust: a missing file' 2 has 'cannot read none' -- "$cts" verify p.tar --trust none
check 'a key and a file of keys' 2 has '--key and --trust exclude each other' -- \
    "$cts" verify p.tar --trust trusted --key signer.pub
# dated FOLDER STARTED: the run with another time of its beginning
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
check 'a run that began far in the future is not verified' 3 has 'NOT VERIFIED: future/package.tar: the run says that it began at 2999-01-01T00:00:00Z' \
    has 'one of the two clocks is wrong' -- "$cts" verify future/package.tar --key signer.pub
dated soon "$(date -u -d '+20 hours' +%Y-%m-%dT%H:%M:%SZ)"
"$cts" package soon --sign signer.sec >out
check 'a run that began some hours in the future is verified' 1 has 'VERIFIED: the backend does not conform' -- \
    "$cts" verify soon/package.tar --key signer.pub

echo '# keys'
check 'package without --sign' 2 has 'Give --sign KEY' -- "$cts" package run
check 'a public key does not sign' 3 has 'signer.pub: this is not a secret key' -- \
    "$cts" package run --sign signer.pub --output q.tar
check 'a secret key does not verify' 3 has 'signer.sec: this is not a public key' -- \
    "$cts" verify p.tar --key signer.sec
printf 'open\nopen\n' | minisign -G -p hidden.pub -s hidden.sec >/dev/null 2>&1
check 'an encrypted key' 0 -- "$cts" package run --sign hidden.sec --output q.tar <<<open
check 'a package signed with an encrypted key is verified' 0 has 'VERIFIED' -- "$cts" verify q.tar --key hidden.pub
check 'a wrong password' 3 has 'hidden.sec: the password is wrong' -- \
    "$cts" package run --sign hidden.sec --output w.tar <<<wrong
check 'no password' 3 has 'the key is encrypted, and there is no password' -- \
    "$cts" package run --sign hidden.sec --output w.tar </dev/null

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
