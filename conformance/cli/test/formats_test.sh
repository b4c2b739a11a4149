#!/usr/bin/env bash
# Logs and packages of earlier formats are read by every command that reads any, and newer ones are refused by
# each. corpus/formats has what earlier versions wrote: NAME.FORMAT.jsonl is a log, package.FORMAT.tar a package.
# Run as
#   formats_test.sh BIN
# where BIN holds topk-cts and its programs. Prints a line for each check.
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
begin BIN "$@"
formats=$root/corpus/formats

minisign -G -W -p signer.pub -s signer.sec >/dev/null || exit 1

# of NAME.FORMAT.jsonl: NAME.FORMAT|OUTCOME|CASES THAT DID NOT PASS, PROBES
comes_to() {
    cat <<END
crash.1|NOT CONFORMANT|2 crash, 0 probes
fails.1|NOT CONFORMANT|1 fail, 1 expected-fail, 0 probes
merged.1|PASSED|0 probes
probes.1|PASSED|9 probes
shard1.1|PASSED|0 probes
shard2.1|PASSED|0 probes
told.1|NOT CONFORMANT|3 device-lost, 0 probes
unjudged.1|NOT KNOWN WHO JUDGED|0 probes
END
}
same 'each log has a row' "$(cd "$formats" && printf '%s\n' ./*.jsonl | sed 's#./\(.*\).jsonl#\1#')" \
    "$(comes_to | cut -d '|' -f 1)"

while IFS='|' read -r name words rest; do
    log=$formats/$name.jsonl
    for format in html junit markdown github sarif; do
        check "$name as $format" 0 -- "$cts" report "$log" --format $format --output "report.$format"
    done
    check "$name as json" 0 -- "$cts" report "$log" --format json --output report.json
    same "$name: its outcome" "$words|$rest" "$(jq -r '[.conformance,
        ([(.totals | to_entries[] | select(.value > 0 and .key != "pass") | "\(.value) \(.key)"),
          "\(.probes | length) probes"] | join(", "))] | join("|")' report.json)"
    check "$name: compared with itself" 0 has 'THE SAME AS' -- "$cts" compare "$log" "$log"
    check "$name: proposes expectations" 0 -- "$cts" expectations update "$log"
done < <(comes_to)
check 'a shrunk case in format 1' 0 has "replay --backend faulty:B26 'top_k fl=3.1 in=f32[2] axis=0 k=2'" -- "$cts" report "$formats/fails.1.jsonl" --format markdown
check 'a crash and its place in format 1' 0 has 'SIGSEGV in crashing.so+0x122b' -- "$cts" report "$formats/crash.1.jsonl" --format markdown

echo '# shards of earlier formats are merged'
check 'shards of format 1 are merged' 0 has 'merged from 2 of 2 shards' -- \
    "$cts" merge "$formats/shard1.1.jsonl" "$formats/shard2.1.jsonl" --out merged
check 'merged shards of format 1 are the same as before' 0 has 'THE SAME AS' -- "$cts" compare "$formats/merged.1.jsonl" merged
check 'merged shards of format 1 are reported' 0 has '## PASSED' -- "$cts" report merged --format markdown

echo '# a package'
check 'a package of format 1 is verified' 0 has 'VERIFIED: the backend conforms' has 'note: the package is of format 1' -- "$cts" verify "$formats/package.1.tar"
mkdir unpacked
tar -C unpacked -xf "$formats/package.1.tar"
check 'the log of a package of format 1 is packed again' 0 -- "$cts" package unpacked/results.jsonl --sign signer.sec --output again.tar
check 'this package is verified' 0 has 'VERIFIED: the backend conforms' -- "$cts" verify again.tar --key signer.pub

echo '# newer formats are refused, and nothing is written'
known=$(sed -n 's/^#define TOPK_LOG_FORMAT //p' "$root/reports/log/log.h")
mkdir newer
sed "1s/\"format\":1/\"format\":$((known + 1))/" "$formats/shard1.1.jsonl" >newer/results.jsonl
newer="newer/results.jsonl:1: format $((known + 1)) is newer than format $known, the last known here"
for format in html junit json markdown github sarif; do
    check "a newer log: report as $format" 3 has "$newer" -- "$cts" report newer --format $format --output newer.out
done
for format in text html json; do
    check "a newer log: compare as $format" 3 has "$newer" -- \
        "$cts" compare "$formats/shard1.1.jsonl" newer --format $format --output newer.out
done
check 'a newer log: merge' 3 has "$newer" -- "$cts" merge newer "$formats/shard2.1.jsonl" --out newer.out
check 'a newer log: expectations update' 3 has "$newer" -- "$cts" expectations update newer --output newer.out
sed 's/# package of topk-cts, format 1;/# package of topk-cts, format 9;/' "$formats/package.1.tar" >newer.tar
check 'a newer package: verify' 3 has 'newer.tar: manifest.sha256: format 9 of packages is newer than format' -- "$cts" verify newer.tar
check 'a newer log: package' 3 has "$newer" -- "$cts" package newer --sign signer.sec --output newer.out
check 'a newer log: run --resume' 3 has "$newer" -- "$cts" run --backend cpu examples.documents --resume --out newer
same 'a newer log: nothing is written' "$(echo newer.out* newer/*)" 'newer.out* newer/results.jsonl'

echo '# a run is only resumed in its own format'
mkdir older
cp "$formats/shard1.1.jsonl" older/results.jsonl
check 'an older log: run --resume' 2 has 'it is in format 1, which this topk-cts reads but does not write' -- \
    "$cts" run --backend cpu examples.documents --shard 1/2 --resume --out older
check 'an older log: run --resume leaves it unchanged' 0 -- cmp "$formats/shard1.1.jsonl" older/results.jsonl

echo '# a run of long ago'
# shellcheck disable=SC2016 # it is Perl
perl -MDigest::SHA=sha256_hex -ne 's/"started":"\d+/"started":"2001/ if $. == 1; s/,"chain":"\w+"\}\n//;
    $chain = sha256_hex(($chain // "") . $_); print "$_,\"chain\":\"$chain\"}\n"' "$formats/fails.1.jsonl" >long-ago
check 'a run of long ago: its log is valid' 0 has 2001- -- "$cts" report long-ago --format markdown
check 'a run of long ago: the proposed rules have not expired' 0 has ' expires=2' lacks =2002- -- \
    "$cts" expectations update long-ago

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
