#!/usr/bin/env bash
# Compressed logs and packages: every reader accepts them, a kill at any step of replacing one form by the other
# loses nothing and counts nothing twice, and files that would exhaust their reader are refused. Run as
#   zstd_test.sh BIN
# where BIN holds topk-cts and its programs.
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
begin BIN "$@"
need cc jq minisign sha256sum zstd

# files FOLDER: the names in it, with hidden ones
files() { (cd "$1" && find . -mindepth 1 -printf '%P\n' | sort | tr '\n' ' '); }
# json RUN: its report as JSON
json() { "$cts" report "$1" --format json; }
options=(--no-identity --no-probes --retries 0)
run=(run --backend cpu "${options[@]}")
wrong=(run --backend faulty:B26 "${options[@]}")
"$cts" "${wrong[@]}" ties.boundary floats.zeros --out plain >out 2>err

echo '# a run'
check 'run --zstd' 0 has 'log: peers/results.jsonl.zst' has CONFORMANT -- \
    "$cts" "${run[@]}" --profile peers --zstd --out peers
same 'run --zstd leaves only the compressed log' "$(files peers)" 'junit.xml results.jsonl.zst '
check 'zstd accepts the compressed log' 0 -- zstd -q -t peers/results.jsonl.zst
check 'the compressed log is one frame with a checksum' 0 has XXH64 -- zstd -l -v peers/results.jsonl.zst
mkdir unpacked
zstd -q -d peers/results.jsonl.zst -o unpacked/results.jsonl
same 'the compressed log has one record per case' "$(grep -c '"record":"case"' unpacked/results.jsonl)" 43
same 'the report of the compressed log is the same' "$(json peers | sha256sum)" "$(json unpacked | sha256sum)"
check 'another run into the folder of a compressed log is refused' 2 has 'peers/results.jsonl.zst already exists' -- "$cts" "${run[@]}" --out peers
check 'prepare the plain log of a killed run' 0 -- bash -c "head -c -300 unpacked/results.jsonl >unpacked/cut && mv unpacked/cut unpacked/results.jsonl"
check '--resume --zstd of a plain log' 0 has 'log: unpacked/results.jsonl.zst' has 'CONFORMANT: 43 passed' -- \
    "$cts" "${run[@]}" --profile peers --resume --zstd --out unpacked
same '--resume --zstd compresses the log' "$(files unpacked)" 'junit.xml results.jsonl.zst '
check '--resume of a complete compressed log' 0 has 'CONFORMANT: 43 passed' -- \
    "$cts" "${run[@]}" --profile peers --resume --out unpacked
same '--resume without --zstd leaves a plain log' "$(files unpacked)" 'junit.xml results.jsonl '
same '--resume of a complete log adds no record' "$(grep -c '"record":"case"' unpacked/results.jsonl)" 43
check '--resume of the compressed log of another run is refused' 2 has 'peers/results.jsonl.zst is of another run' -- \
    "$cts" "${run[@]}" floats.zeros --resume --out peers
same '--resume leaves the compressed log of another run' "$(files peers)" 'junit.xml results.jsonl.zst '
check 'run --zstd that ends early' 1 has 'log: early/results.jsonl.zst' -- \
    "$cts" "${wrong[@]}" floats.zeros --fail-fast --zstd --out early
check '--resume --zstd of a run that ended early' 1 has 'log: early/results.jsonl.zst' lacks 'ended early' -- \
    "$cts" "${wrong[@]}" floats.zeros --resume --zstd --out early
same '--resume --zstd of a run that ended early: its files' "$(files early)" "$("$cts" "${wrong[@]}" floats.zeros --out all >all.txt; files all | sed 's/jsonl/jsonl.zst/')"
same '--resume --zstd of a run that ended early: each case once' "$(zstd -dcq early/results.jsonl.zst | jq -r 'select(.record == "case").id' | sort)" \
    "$(jq -r 'select(.record == "case").id' all/results.jsonl | sort)"
cp peers/results.jsonl.zst both.zst
cp unpacked/results.jsonl peers/
check '--resume of a folder with both logs continues the plain one' 0 has CONFORMANT -- "$cts" "${run[@]}" --profile peers --resume --out peers
same '--resume of a folder with both logs removes the compressed one' "$(files peers)" 'junit.xml results.jsonl '
cp both.zst peers/results.jsonl.zst
check '--overwrite of a folder with both logs' 0 -- "$cts" "${run[@]}" floats.zeros --overwrite --out peers
same '--overwrite replaces both logs' "$(files peers)" 'junit.xml results.jsonl '
cp both.zst peers/results.jsonl
check '--resume of a compressed log with the name of a plain one is refused' 3 has 'peers/results.jsonl is compressed: it would have to be named results.jsonl.zst' -- \
    "$cts" "${run[@]}" --profile peers --resume --out peers
check 'a compressed log with the name of a plain one is read' 0 has CONFORMANT -- "$cts" report peers --format markdown
rm peers/results.jsonl
cp both.zst peers/results.jsonl.zst
mkdir peers/results.jsonl
check 'a folder with the name of the plain log' 3 has 'results.jsonl' -- "$cts" report peers
rmdir peers/results.jsonl

echo '# readers'
mkdir packed
zstd -q plain/results.jsonl -o packed/results.jsonl.zst
cp packed/results.jsonl.zst any-name
for format in html junit json markdown github sarif matrix matrix-csv costs; do
    "$cts" report plain --format $format --output plain.out
    for run in packed any-name packed/results.jsonl.zst packed/results.jsonl; do
        "$cts" report $run --format $format --output packed.out
        same "report $run as $format" "$(cmp plain.out packed.out 2>&1)" ''
    done
done
run=(run --backend cpu "${options[@]}")
check compare 0 has 'THE SAME AS' -- "$cts" compare plain packed
same "report --against" "$("$cts" report plain --against packed --format json | jq -S "del(.. | .log?)" | sha256sum)" \
    "$("$cts" report plain --against plain --format json | jq -S "del(.. | .log?)" | sha256sum)"
same 'expectations update' "$("$cts" expectations update packed | grep -v ' from ' | sha256sum)" \
    "$("$cts" expectations update plain | grep -v ' from ' | sha256sum)"
same 'run --costs' "$("$cts" "${run[@]}" ties.boundary --shard 1/2 --costs packed --out c1 | sed 's/c1/c/' | grep '^shard\|passed'; head -n 1 c1/results.jsonl | jq .shard)" \
    "$("$cts" "${run[@]}" ties.boundary --shard 1/2 --costs plain --out c2 | sed 's/c2/c/' | grep '^shard\|passed'; head -n 1 c2/results.jsonl | jq .shard)"
check 'a higher level of zstd' 0 has 'THE SAME AS' -- bash -c "zstd -q -19 plain/results.jsonl -o higher.zst && '$cts' compare plain higher.zst"
check 'a compressed log without a checksum' 0 has 'THE SAME AS' -- bash -c "zstd -q --no-check plain/results.jsonl -o bare.zst && '$cts' compare plain bare.zst"

echo '# merge'
for i in 1 2; do
    "$cts" "${run[@]}" --profile peers --shard $i/2 --out s$i >/dev/null
    "$cts" "${run[@]}" --profile peers --shard $i/2 --zstd --out z$i >/dev/null
done
cp -r s1 x1
zstd -q --rm x1/results.jsonl
check 'merge of a compressed and a plain shard' 0 has 'CONFORMANT: 43 passed' has 'log: m/results.jsonl' -- "$cts" merge x1 s2 --out m
"$cts" merge s1 s2 --out whole >out
same 'merge of a compressed and a plain shard: the same log' "$(cmp m/results.jsonl whole/results.jsonl 2>&1)" ''
check 'merge --zstd' 0 has 'log: mz/results.jsonl.zst' has 'JUnit: mz/junit.xml' -- "$cts" merge s1 x1/../s2 --zstd --out mz
same 'merge --zstd: its files' "$(files mz)" 'junit.xml results.jsonl.zst '
same 'merge --zstd: the same log' "$(zstd -dcq mz/results.jsonl.zst | sha256sum)" "$(sha256sum <whole/results.jsonl)"
check 'merge over a compressed log is refused' 2 has 'mz/results.jsonl.zst already exists' -- "$cts" merge s1 s2 --out mz
check 'merge of the same shard, plain and compressed' 2 has 'it is shard 1, and so is' -- "$cts" merge s1 x1 --out none
cp z1/results.jsonl.zst aside
zstd -dcq aside | head -n -1 | zstd -q >z1/results.jsonl.zst
check 'merge of an unfinished compressed shard' 5 has 'shard 1 of 2 did not finish: z1/results.jsonl.zst; to continue it' \
    has "--shard 1/2 --resume --out 'z1'" -- "$cts" merge z1 z2 --out none
rm -r none
check 'the printed command continues the compressed shard' 0 -- "$cts" "${run[@]}" --profile peers --shard 1/2 --resume --out z1
check 'merge of the continued shard' 0 has 'CONFORMANT: 43 passed' -- "$cts" merge z1 z2 --out none
: >empty.zst
check 'an empty file is a shard without a log' 5 has 'shard 1 of 2 is missing' -- "$cts" merge empty.zst s2 --out nothing

echo '# packages'
minisign -G -W -p signer.pub -s signer.sec >/dev/null
minisign -G -W -p other.pub -s other.sec >/dev/null
check 'package --zstd' 0 has 'package: whole/package.tar.zst, signed with key' -- "$cts" package whole --zstd --sign signer.sec
check 'package of a compressed log' 0 -- "$cts" package mz --sign signer.sec --output p.tar
same 'package --zstd has the same content' "$(zstd -dcq whole/package.tar.zst | sha256sum)" "$(sha256sum <p.tar)"
mv whole/package.tar.zst p.tar.zst
cp p.tar.zst p
for package in p.tar p.tar.zst p; do
    check "$package is verified" 0 has 'VERIFIED: the backend conforms' -- "$cts" verify $package --key signer.pub
    check "$package: another key is refused" 3 has "NOT VERIFIED: $package: manifest.sha256.minisig: it was signed" -- "$cts" verify $package --key other.pub
    check "$package: compare reads it" 0 has 'THE SAME AS' -- "$cts" compare whole $package
    check "$package: report reads it" 0 has CONFORMANT -- "$cts" report $package --format markdown
done
size=$(stat -c %s p.tar)
# corrupted bytes are found in compressed packages, too
for at in 0 600 1100 3000 $((size / 2)) $((size - 1200)) $((size - 1)); do
    cp p.tar forged.tar
    printf '\001' | dd of=forged.tar bs=1 seek="$at" conv=notrunc status=none
    zstd -qf forged.tar
    check "a compressed package with byte $at of $size changed" 3 has 'NOT VERIFIED: forged.tar.zst: ' -- "$cts" verify forged.tar.zst
done
tar -xf p.tar results.jsonl
zstd -qf results.jsonl
check 'verify of a compressed log' 3 has 'NOT VERIFIED: results.jsonl.zst: ' -- "$cts" verify results.jsonl.zst
rm results.jsonl results.jsonl.zst
zstd -qf p.tar.zst -o twice.zst
check 'verify of a package that is compressed twice' 3 has 'NOT VERIFIED: twice.zst: at byte 0: it is compressed: decompress it first' -- "$cts" verify twice.zst
check 'package --zstd does not replace a package' 2 has 'p.tar.zst already exists' -- "$cts" package whole --zstd --sign signer.sec --output p.tar.zst
check 'package --zstd over the limit of file sizes' 3 has 'File too large' -- bash -c 'ulimit -f 4; trap "" XFSZ; "$@"' - "$cts" package whole --zstd --sign signer.sec --output full.tar.zst
same 'package --zstd over the limit of file sizes leaves no file' "$(find . -name 'full*' -o -name '.topk-cts*')" ''

echo '# truncated and damaged files'
size=$(stat -c %s packed/results.jsonl.zst)
for to in 3 4 8 200 $((size / 2)) $((size - 4)) $((size - 1)); do
    head -c "$to" packed/results.jsonl.zst >shorter
    lines='the line was truncated'
    [ "$to" != 3 ] || lines='this is not a result log'
    [ "$to" -lt $((size - 4)) ] || lines='the log was truncated: the compressed data behind this line have no end'
    check "a compressed log truncated to $to of $size bytes" 3 has "shorter:" has "$lines" -- "$cts" report shorter --format json
done
size=$(stat -c %s p.tar.zst)
for to in 4 8 200 $((size / 2)) $((size - 4)) $((size - 1)); do
    head -c "$to" p.tar.zst >cut.tar.zst
    check "a compressed package truncated to $to of $size bytes" 3 has 'NOT VERIFIED: cut.tar.zst: the file was truncated' -- "$cts" verify cut.tar.zst
done
size=$(stat -c %s x1/results.jsonl.zst)
for at in 10 $((size / 3)) $((size - 3)); do
    cp x1/results.jsonl.zst damaged
    printf '\252\125' | dd of=damaged bs=1 seek="$at" conv=notrunc status=none
    for command in 'report damaged' 'compare damaged plain' 'compare plain damaged' 'merge damaged s2 --out none.d' 'expectations update damaged' \
        'package damaged --sign signer.sec --output none.tar'; do
        read -ra words <<<"$command"
        check "$command: byte $at is damaged" 3 has 'damaged: ' has 'data are damaged' -- "$cts" "${words[@]}"
    done
done
check 'a wrong checksum is noticed' 3 has "the compressed data are damaged: Restored data doesn't match checksum" -- "$cts" report damaged
check 'a damaged log is not continued' 3 has 'data are damaged' -- bash -c "mkdir d && cp damaged d/results.jsonl.zst && '$cts' run --resume --out d --shard 1/2 --profile peers --no-identity --no-probes --retries 0 --backend cpu"
same 'a damaged log stays' "$(files d)" 'results.jsonl.zst '

echo '# files that would exhaust their reader'
# little COMMAND...: in 300 MB of memory and 20 seconds
little() { (ulimit -v 300000 && exec timeout 20 "$@"); }
# readers FILE TEXT: each reader refuses the file with the text
readers() {
    check "report $1" 3 has "$2" -- little "$cts" report "$1" --format json --output none.json
    check "verify $1" 3 has "$2" -- little "$cts" verify "$1"
    check "compare $1" 3 has "$2" -- little "$cts" compare s1 "$1"
    case $1 in *.tar.zst) return ;; esac
    check "merge $1" 3 has "$2" -- little "$cts" merge "$1" s2 --out none.d
    check "run --costs $1" 2 has "$2" -- little "$cts" "${run[@]}" --shard 1/2 --costs "$1" --out none.d
    check "package $1" 3 has "$2" -- little "$cts" package "$1" --sign signer.sec --output none.tar
}
start='{"record":"header","format":2,'
{ printf %s "$start" && head -c 2G /dev/zero; } | zstd -q >line
readers line 'line: it expands to more than 64 times its size'
{ printf '%s\n' "$(head -n 1 s1/results.jsonl)" && yes '{"record":"case",' | head -c 2G; } | zstd -q >many
readers many 'many: it expands to more than 64 times its size'
{ printf 'manifest.sha256' && head -c 2G /dev/zero; } | zstd -q >bomb.tar.zst
readers bomb.tar.zst 'bomb.tar.zst: it expands to more than 64 times its size'
cat s1/results.jsonl - < <(head -c 64M /dev/urandom | base64) | zstd -q -1 --long=31 --ultra >window
readers window 'window: to decompress it takes a window of more than 8 MiB: compress it again, without --long or --ultra'
: | zstd -q >nothing.zst
for ((i = 0; i < 12; i++)); do cat nothing.zst nothing.zst >doubled && mv doubled nothing.zst; done
cat packed/results.jsonl.zst nothing.zst >frames
check 'many empty frames after a log' 3 has 'bytes follow the end of the compressed data' -- little "$cts" report frames
check 'many empty frames' 3 has 'bytes follow the end of the compressed data' -- little "$cts" report nothing.zst
cat packed/results.jsonl.zst packed/results.jsonl.zst >twice
check 'a compressed log twice in a file' 3 has 'bytes follow the end of the compressed data' -- little "$cts" report twice
printf '\x50\x2a\x4d\x18\x04\x00\x00\x00abcd' | cat - packed/results.jsonl.zst >skipped
check 'a skippable frame before a log' 3 has 'skipped:1: this is not a result log' -- little "$cts" report skipped
truncate -s 4G sparse
printf %s "$start" | dd of=sparse conv=notrunc status=none
check 'report of a plain line of gigabytes' 3 has 'sparse: a line is longer than 32 MiB' -- little "$cts" report sparse
check 'merge of a plain line of gigabytes' 3 has 'sparse: a line is longer than 32 MiB' -- little "$cts" merge sparse s2 --out none.d
# values of two bytes in the file that take fifty bytes each in memory, in a line with a valid digest
{ printf '%s"selections":[0' "$start" && yes ',0' | tr -d '\n' | head -c 10M; printf ']'; } >body
{ cat body && printf ',"chain":"%s"}\n' "$(sha256sum <body | cut -c 1-64)"; } >values
check 'a line of many values' 3 has 'values:1: it is not a record: there are too many values' -- little "$cts" report values
head -c 4M body >less && printf ']' >>less
{ cat less && printf ',"chain":"%s"}\n' "$(sha256sum <less | cut -c 1-64)"; } | zstd -q >values.zst
check 'a line of many values, compressed' 3 has 'values.zst:1: ' -- little "$cts" report values.zst
same 'these files make readers write nothing' "$(echo none.*)" 'none.*'

echo '# killed at each step'
# kills before (KILL=N) or after (KILL=N+) the Nth call that changes folders or syncs files
cat >kills.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int at(int behind)
{
    static int seen, last, after;
    const char *how = getenv("KILL");
    if (how == NULL || strcmp(program_invocation_short_name, "topk-cts") != 0) {
        return 0;
    }
    last = atoi(how);
    after = strchr(how, '+') != NULL;
    seen += !behind;
    if (seen == last && after == behind) {
        kill(getpid(), SIGKILL);
    }
    return 0;
}
#define STEP(name, parameters, arguments)                                          \
    int name parameters                                                            \
    {                                                                              \
        int (*real) parameters = (int (*) parameters)dlsym(RTLD_NEXT, #name);      \
        at(0);                                                                     \
        const int result = real arguments;                                         \
        const int reason = errno;                                                  \
        at(1);                                                                     \
        errno = reason;                                                            \
        return result;                                                             \
    }
STEP(fsync, (int fd), (fd))
STEP(unlink, (const char *path), (path))
STEP(unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
STEP(rename, (const char *from, const char *to), (from, to))
STEP(renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))
STEP(linkat, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags))
STEP(ftruncate, (int fd, off_t size), (fd, size))
END
cc -fPIC -shared -o kills.so kills.c -ldl || exit 1
killed() { env LD_PRELOAD="$work/kills.so" KILL="$1" "${@:2}" >killed.txt 2>&1; }

# each state of the folder with a log, by the names in it
states=''
saw() { states+="$(files "$1" | grep -o 'results[^ ]*\|\.tmp' | sort -u | tr '\n' ' ');"; }

json whole >whole.json
[ -s whole.json ] || echo 'there is no report to compare with'
for ((i = 1; ; i++)); do
    code=137
    for after in '' +; do
        rm -rf k
        killed "$i$after" "$cts" merge s1 s2 --zstd --out k
        code=$?
        [ $code = 137 ] || break
        if files k | grep -q results; then
            saw k
            json k >k.json
            same "merge, killed at step $i$after: report" "$(cmp whole.json k.json 2>&1)" ''
            check "merge, killed at step $i$after: packed" 0 -- "$cts" package k --sign signer.sec --output "k/p.tar"
            same "merge, killed at step $i$after: the same package" "$(cmp p.tar k/p.tar 2>&1)" ''
            check "merge, killed at step $i$after: another merge is refused" 2 has 'already exists' -- "$cts" merge s1 s2 --out k
        fi
    done
    [ $code = 137 ] || break
done
same 'merge, not killed: it succeeds' "$code $(files k)" '0 junit.xml results.jsonl.zst '
for state in 'results.jsonl ;' '.tmp results.jsonl ;' 'results.jsonl results.jsonl.zst ;' 'results.jsonl.zst ;'; do
    same "merge was killed in the state: $state" "$(grep -cF ";$state" <<<";$states")" 1
done

# steps NAME FOLDER COMMAND...: kills a command that continues FOLDER at each step, then resumes it
steps() {
    local name=$1 folder=$2 i after code=137
    shift 2
    for ((i = 1; ; i++)); do
        for after in '' +; do
            rm -rf k
            [ -z "$folder" ] || cp -r "$folder" k
            killed "$i$after" "$cts" "$@" --out k
            code=$?
            [ $code = 137 ] || break
            saw k
            [ -z "$folder" ] || same "$name, killed at step $i$after: compared" "$("$cts" compare k "$folder" 2>/dev/null | grep -c 'IS THE SAME AS')" 1
            if files k | grep -q results; then
                check "$name, killed at step $i$after: --resume" 0 has 'CONFORMANT: 43 passed' -- "$cts" "${run[@]}" --profile peers --resume --zstd --out k
                same "$name, killed at step $i$after: each case once" "$(zstd -dcq k/results.jsonl.zst | grep -c '"record":"case"')" 43
                same "$name, killed at step $i$after: the files" "$(files k | sed 's/\.topk-cts[^ ]* //g')" 'junit.xml results.jsonl.zst '
            fi
        done
        [ $code = 137 ] || break
    done
    same "$name, not killed: it succeeds" "$code" 0
}
states=''
steps run '' "${run[@]}" --profile peers --zstd
for state in 'results.jsonl ;' 'results.jsonl results.jsonl.zst ;' 'results.jsonl.zst ;'; do
    same "run was killed in the state: $state" "$(grep -cF ";$state" <<<";$states")" 1
done
states=''
"$cts" "${run[@]}" --profile peers --zstd --out ended >/dev/null
steps 'resume of a compressed log' ended "${run[@]}" --profile peers --zstd --resume
for state in 'results.jsonl ;' 'results.jsonl results.jsonl.zst ;' 'results.jsonl.zst ;'; do
    same "resume was killed in the state: $state" "$(grep -cF ";$state" <<<";$states")" 1
done

echo '# failing compression'
cat >blocked.sh <<END
[ -e made ] || { mkdir -p blocked/results.jsonl.zst && touch made; }
exec '$bin/topk-backend' cpu
END
blocked=(run --no-identity --no-probes --profile peers --backend-command "sh $work/blocked.sh" --out blocked)
check 'a folder with the name of the compressed log' 3 has 'the log cannot be compressed: cannot write blocked/results.jsonl.zst' has INCOMPLETE has 'To continue: ' -- \
    "$cts" "${blocked[@]}" --zstd
same 'the log that cannot be compressed stays, and is incomplete' "$(tail -n 1 blocked/results.jsonl | jq .complete)" false
rmdir blocked/results.jsonl.zst
check 'the log is compressed by --resume' 0 has CONFORMANT has 'log: blocked/results.jsonl.zst' -- "$cts" "${blocked[@]}" --zstd --resume

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
