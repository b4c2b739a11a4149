#!/usr/bin/env bash
# The build for OSS-Fuzz and ClusterFuzzLite, and the files that it must produce; then scripts/fuzz with those
# programs: its findings, and its messages when something is wrong.
# usage: fuzz_test.sh SOURCE BIN
set -euo pipefail
source=$1
bin=$2
cts=$bin/topk-cts
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# expect STATUS TEXT COMMAND...: the exit code is STATUS, and the output contains TEXT
expect() {
    local wanted=$1 text=$2 status=0
    shift 2
    "$@" >"$work/log" 2>&1 || status=$?
    [ "$status" = "$wanted" ] || { cat "$work/log" >&2; fail "exit code $status instead of $wanted: $*"; }
    grep -qF -- "$text" "$work/log" || { cat "$work/log" >&2; fail "'$text' is missing: $*"; }
}

# ---- the build as these services run it ----------------------------------------------------------

mkdir src built
ln -s "$source" src/topk-cts
export SRC=$work/src OUT=$work/built WORK=$work/work CC=clang-14 CXX=clang++-14 TOPK_FUZZ_TOOLS=$bin
# Not optimised and linked by lld, to save time. The definition shows that CFLAGS are used.
export CFLAGS='-O0 -fuse-ld=lld -Wno-unused-command-line-argument -DTOPK_FUZZ_CFLAGS_SEEN=1 -fsanitize=fuzzer-no-link' CXXFLAGS=-O0
export LIB_FUZZING_ENGINE=-fsanitize=fuzzer
SANITIZER=memory expect 1 'sanitizer memory' "$source/fuzz/oss-fuzz/build.sh"
SANITIZER=none expect 0 'fuzz/differential' "$source/fuzz/oss-fuzz/build.sh"
grep -q TOPK_FUZZ_CFLAGS_SEEN=1 work/topk-cts/build/compile_commands.json || fail "CFLAGS are not taken"
unset CFLAGS CXXFLAGS

# in another folder, where the services run the programs
mv built out
known=$(awk '/^[a-z]+\.[A-Za-z0-9_]+:/ && length <= 2000' "$source"/corpus/*.txt | wc -l)
for file in "$source"/fuzz/targets/*.c; do
    name=${file##*/}
    name=${name%.c}
    [ -x "out/$name" ] || fail "no program $name"
    grep -q '^max_len = [1-9]' "out/$name.options" || fail "$name.options has no max_len"
    [ -z "$("$bin/fuzz_$name" --words)" ] || [ -s "out/$name.dict" ] || fail "no dictionary of $name"
    [[ $(ldd "out/$name") != *'not found'* ]] || fail "$name lacks a library"
    elsewhere=$(ldd "out/$name" | grep ' => ' | grep -vE "=> $work/out/lib/|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)\.so" || true)
    [ -z "$elsewhere" ] || fail "$name takes libraries from elsewhere: $elsewhere"
    mkdir -p "seeds/$name"
    (cd "seeds/$name" && cmake -E tar xf "$work/out/${name}_seed_corpus.zip")
    "out/$name" -runs=0 "seeds/$name" >log 2>&1 || { tail -n 20 log >&2; fail "$name does not run on its seeds"; }
    # the seeds are the kept inputs and, for targets that read cases, the cases of corpus/
    cases=$(find "seeds/$name" -name 'case-*' -printf . -delete)
    case $name in
    differential | case_text) [ "${#cases}" = "$known" ] || fail "the cases of corpus/ are no seeds of $name" ;;
    *) [ -z "$cases" ] || fail "$name has cases as seeds" ;;
    esac
    "$bin/fuzz_$name" --pack "$name.tar" "seeds/$name"
    cmp "$name.tar" "$source/corpus/fuzz/$name.tar" || fail "other inputs are the seeds of $name"
done

# ---- AFL++ ---------------------------------------------------------------------------------------

# Only the code that guides AFL++ is built here, which takes seconds; the rest is that of the tests.
command -v afl-clang-fast >/dev/null || fail "afl++ is not installed; scripts/test installs it"
include=(-I"$source/fuzz" -I"$source/backends/include" -I"$source" -I"$source/conformance" -I"$source/backends")
build=$(dirname "$bin")
read -ra system < <(pkg-config --libs jansson libxml-2.0 libsodium libuv libzstd nettle)
mkdir out/afl
unset LSAN_OPTIONS # of the other tests; AFL++ asks for words of its own in it
AFL_QUIET=1 afl-clang-fast -O1 "${include[@]}" "$source"/fuzz/{engine_afl,targets/differential}.c "$source/backends/worker/host.c" \
    -Wl,--start-group "$build"/libtopk_*.a -Wl,--end-group \
    "${system[@]}" -ldl -lm -o out/afl/differential >log 2>&1 || { cat log >&2; fail "it cannot be built by AFL++'s compiler"; }
cat >target.c <<'END'
#include "generate/decode.h"
#include "fuzz.h"
const struct fuzz_target fuzz_target = {
    .name = "differential", .draw = topk_decode_draw, .decode = topk_case_decode};
END
(cd "$source" && clang-14 -shared -fPIC -Wl,--no-undefined "${include[@]}" fuzz/{afl_mutator,fuzz}.c "$work/target.c" \
    conformance/{case,generate}/*.c reference/*.c -lm -o "$work/out/afl/differential_mutator.so") || fail "its mutator cannot be built"
TOPK_FUZZ_PROGRAMS=$work/out expect 1 'S08' "$source/scripts/fuzz" differential --engine both --backend faulty:B26 \
    --time 4 --empty --out both
[ -n "$(find both/afl/main/crashes -name 'id:*')" ] || fail "AFL++ finds nothing"
[ -n "$(find both/corpus -name 'afl-*')" ] || fail "what AFL++ finds does not join the corpus"

# ---- scripts/fuzz --------------------------------------------------------------------------------


export TOPK_FUZZ_PROGRAMS=$work/out
fuzz=$source/scripts/fuzz
expect 1 'S08' "$fuzz" differential --backend faulty:B26 --time 1 --out found
grep -qE '^regressions\.[A-Za-z0-9_]+:top_k' found/cases.txt || fail "no case was kept"
[ -z "$(sed -n 's/^[^#][^:]*://p' found/cases.txt | sort | uniq -d)" ] || fail "a case comes twice"
grep '^[^#]' found/cases.txt | while read -r line; do
    case $line in
    *'f32[1]'* | *'f32[2]'* | *'f32[3]'* | *'f32[4]'*) ;;
    *) fail "not shrunk: $line" ;;
    esac
done
expect 1 'S08' "$cts" replay --backend faulty:B26 --file found/cases.txt
expect 0 'PASS' "$cts" replay --backend cpu --file found/cases.txt
# every crashing input is still there
[ "$(find found/crashes -type f | wc -l)" -ge "$(wc -l <found/findings.txt)" ] || fail "a crashing input is lost"
# a backend that crashes; that overflows its stack, which libFuzzer cannot report; that is killed; that exits
expect 1 'crash signal' "$fuzz" differential --backend faulty:B78 --time 1 --out crashed
mkdir -p overflow/corpus
printf %s 'top_k fl=5.0 in=f32[1] axis=0 k=2' >overflow/corpus/deep
expect 1 '1 inputs: crash signal-11' "$fuzz" differential --backend faulty:B78 --empty --time 1 --out overflow
[ -n "$(find overflow/crashes -name 'ended-*')" ] || fail "libFuzzer has its say of a stack that overflows"
for end in 'raise(SIGKILL)' '_exit(0)'; do
    name=${end%%(*}.so
    sed "s/run_one(&calls\[i\], &answers\[i\])/$end/" "$source/docs/example-plugin/example.c" |
        gcc -std=gnu17 -fPIC -shared -include signal.h -include unistd.h -I"$source/backends/include" -o "$name" -x c -
    what=$([ "$name" = raise.so ] && echo signal-9 || echo exit)
    expect 1 "1 inputs: crash $what" "$fuzz" differential --backend "./$name" --empty --time 1 --out "$name.out"
    TOPK_FUZZ_BACKEND=./$name expect 0 "$name.out/corpus/empty" "$bin/fuzz_differential" --each "$name.out/corpus"
done
# a failure that only libFuzzer detects: the backend exits, which AFL++ takes for a normal end
AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 expect 1 'crash exit' "$fuzz" differential --engine afl --backend ./_exit.so \
    --empty --time 2 --out afl.out
# a disk that was full: libFuzzer's file is truncated, but the input is where the engine keeps it
mkdir -p full.1/crashes full.1/current
echo 'top_k fl' >full.1/crashes/crash-0000000000000000000000000000000000000000
text='top_k fl=3.1 in=f32[2] axis=0 k=2'
printf "\x$(printf %x $((${#text} + 1)))\0\0\0\0\0\0\0%s" "$text" >full.1/current/libfuzzer-1
expect 1 '1 inputs: S08' "$fuzz" differential --backend faulty:B26 --collect --out full.1
# a backend that was fixed
expect 0 '1 inputs of earlier runs do not fail any more' "$fuzz" differential --empty --time 1 --out full.1
[ ! -s full.1/cases.txt ] || fail "a case that passes is among those that were found"
# findings of AFL++ in earlier runs
mkdir -p earlier/afl/main/crashes.2026-01-01-00:00:00
printf %s "$text" >earlier/afl/main/crashes.2026-01-01-00:00:00/id:000000
expect 1 '1 inputs: S08' "$fuzz" differential --backend faulty:B26 --collect --out earlier
# --minimize converts a corpus of another version
mkdir other
ln -s "$source"/* other/
rm other/corpus
cp -r "$source/corpus" other/corpus
sed -i 's/version 00000001/version 00000000/' other/corpus/fuzz/npy.tar
expect 3 'To write it anew: scripts/fuzz npy --minimize' other/scripts/fuzz npy --time 1 --out npy
expect 0 'corpus/fuzz/npy.tar: ' other/scripts/fuzz npy --minimize --out npy
"$bin/fuzz_npy" other/corpus/fuzz/npy.tar >/dev/null || fail "--minimize leaves the version"
# A signal ends the engines. Only one run at a time may use a folder.
"$fuzz" differential --empty --time 600 --out ended >ended.log 2>&1 &
until [ -s ended/logs/last-1 ] || ! kill -0 $! 2>/dev/null; do sleep 0.1; done
expect 3 "another scripts/fuzz is running in $work/ended" "$fuzz" differential --time 1 --out ended
kill -TERM $!
status=0
wait $! || status=$?
[ "$status" = 143 ] || { cat ended.log >&2; fail "exit code $status of a run that SIGTERM ended"; }
grep -q -- '--out .*/ended --collect' ended.log || fail "it is not said how to put together what was found"
flock -n ended/.lock true || fail "engines outlive scripts/fuzz"
expect 2 "a number of MiB from 1 on, not 'abc'" env TOPK_FUZZ_SPACE=abc "$fuzz" differential
expect 3 "unknown backend 'nope'" "$fuzz" differential --backend nope --empty --time 1 --out nope

expect 2 'the targets are: archive build calls case_list' "$fuzz" nothing-like-it
expect 2 "there is no target 'archive case_list'" "$fuzz" 'archive case_list'
expect 2 'there is no plugin ./nowhere/none.so' "$fuzz" differential --backend ./nowhere/none.so:a
expect 2 '--sanitize is for --engine libfuzzer' "$fuzz" judge --sanitize --engine afl
expect 2 '--sanitize builds what it runs' "$fuzz" judge --sanitize
# a folder relative to the current one
TOPK_FUZZ_PROGRAMS=out expect 0 '0 crashing inputs' "$fuzz" case_text --time 1 --empty --out clean
TOPK_FUZZ_PROGRAMS=nowhere expect 3 'there is no folder nowhere' "$fuzz" case_text --time 1
expect 2 'no target given' "$fuzz"
expect 2 "there is no engine 'honggfuzz'" "$fuzz" judge --engine honggfuzz
expect 2 "--time takes seconds from 1 on, not '0'" "$fuzz" judge --time 0
expect 2 "--jobs takes a number" "$fuzz" judge --jobs many
expect 2 '--backend is for target differential' "$fuzz" judge --backend cpu2
expect 2 '--out needs a value' "$fuzz" judge --out
expect 0 'differential ' "$fuzz" --list
TOPK_FUZZ_SPACE=999999999 expect 3 'no space' "$fuzz" judge --out small
echo '|/bin/false' >pattern
TOPK_CORE_PATTERN=$work/pattern expect 3 'cores are sent to a program' "$fuzz" judge --engine afl
TOPK_FUZZ_PROGRAMS=$work expect 3 "has no judge" "$fuzz" judge --out missing
TOPK_FUZZ_PROGRAMS=$work AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 expect 3 "afl has no judge" "$fuzz" judge --engine afl --out missing
echo 'topk-cts fuzz corpus of differential, version 00000000' >found/corpus.version
expect 3 'is of another version' "$fuzz" differential --time 1 --out found

# ---- several machines ----------------------------------------------------------------------------

digest_of() {
    local digest
    digest=$(sha1sum <"$1")
    printf '%s\n' "${digest%% *}"
}

# a run that goes on for long, a run that joins later and finds a bug, and a run that collects all findings
mkdir -p first/corpus second/corpus
printf %s 'top_k fl=3.1 in=f32[3] axis=0 k=1' >first/corpus/mine
printf %s 'top_k fl=3.1 in=f32[5] axis=0 k=2' >second/corpus/mine
expect 0 '' "$fuzz" differential --empty --time 1 --share shared --out first
[ -f "shared/corpus/$(digest_of first/corpus/mine)" ] || fail "an input is not shared"
"$fuzz" differential --empty --time 600 --share shared --out long >long.log 2>&1 &
long=$!
until [ -s long/logs/last-1 ] || ! kill -0 $long 2>/dev/null; do sleep 0.1; done
[ -f "long/corpus/$(digest_of first/corpus/mine)" ] || fail "an input that was shared is not taken"
cp second/corpus/mine mine
expect 0 '' "$fuzz" differential --empty --time 1 --share shared --out second
for _ in $(seq 300); do
    [ ! -f "long/corpus/$(digest_of mine)" ] || break
    sleep 0.1
done
[ -f "long/corpus/$(digest_of mine)" ] || fail "an input that is shared later is not taken"
# the shared folder disappears and returns
mv shared away
until grep -q 'shared cannot be shared now: .*; this goes on without it' long.log || ! kill -0 $long; do sleep 0.1; done
mv away shared
kill -TERM $long
wait $long || true
[ -z "$(find shared/corpus -type f ! -regex '.*/[0-9a-f]*')" ] || fail "a shared file is not whole"
expect 2 '--share needs a value' "$fuzz" differential --share
expect 3 'shared is shared by runs of something else' "$fuzz" judge --time 1 --share shared --out other.target
expect 3 'this: backend faulty:B26' "$fuzz" differential --backend faulty:B26 --time 1 --share shared --out other.backend
: >file
expect 3 "cannot make $work/file" "$fuzz" differential --time 1 --share file --out not.shared
# inputs that crashed on one machine are collected on another
mkdir -p bad/corpus
printf %s "top_k fl=3.1 in=f32[2] axis=0 k=2" >bad/corpus/mine
expect 1 S08 "$fuzz" differential --backend faulty:B26 --empty --time 1 --share crashes --out bad
expect 1 S08 "$fuzz" differential --backend faulty:B26 --collect --share crashes --out all
[ -f "all/crashes/shared-$(digest_of bad/corpus/mine)" ] || fail "a finding of another machine is not collected"
grep -q '^regressions\..*:top_k' all/cases.txt || fail "what was collected is no case"

# ---- a corpus for backends that cannot be instrumented -------------------------------------------

kept=$source/corpus/fuzz/differential.tar
expect 0 'results:' "$cts" replay --backend cpu --corpus "$kept"
expect 1 'fail' "$cts" replay --backend faulty:B26 --corpus "$kept"
expect 0 'none failed' "$cts" explore --backend cpu --corpus "$kept" --seed 5 --count 3000
expect 1 "--corpus $kept" "$cts" explore --backend faulty:B23 --corpus "$kept" --seed 5 --count 3000 --out b23.txt
grep -q '^top_k' b23.txt || fail "explore --corpus keeps nothing"
# a folder gives the same cases as the archive of its files, including those drawn around them
mkdir old
tar -xf "$kept" -C old --exclude=version
for corpus in "$kept" old; do
    "$cts" explore --list --corpus "$corpus" --seed 5 --count 3000 >"${corpus##*/}.list"
done
cmp differential.tar.list old.list || fail "a folder is another corpus than its archive"
"$bin/fuzz_differential" --pack new.tar old/[0-7]* "$kept" >/dev/null
cmp new.tar "$kept" || fail "the kept archive is not as it is written"
echo 'topk-cts fuzz corpus of differential, version 00000000' >old.version
expect 2 'old is of another target or version' "$cts" replay --backend cpu --corpus old
expect 2 'it is:   topk-cts fuzz corpus of protocol' "$cts" replay --backend cpu --corpus "$source/corpus/fuzz/protocol.tar"
head -c 2000 "$kept" >cut.tar
expect 2 'cut.tar: at byte 1024: ' "$cts" replay --backend cpu --corpus cut.tar
expect 2 'cannot read' "$cts" explore --backend cpu --corpus nowhere --count 1
mkdir nothing
expect 5 'has no input' "$cts" replay --backend cpu --corpus nothing
echo "fuzzing behaves"
