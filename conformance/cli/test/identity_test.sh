#!/usr/bin/env bash
# A log identifies what was tested: plugins and libraries that they load later, commands and their files, packages,
# drivers, the clock; and files that are replaced, deleted or unreadable are noticed. Run as
#   identity_test.sh DIR
# where DIR holds topk-cts, topk-worker and topk-backend. Prints a line for each check and, at the end, how many passed.
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
begin BIN "$@"
unset VK_DRIVER_FILES VK_ICD_FILENAMES VK_ADD_DRIVER_FILES
exec </dev/null

# part DIR NAME MEMBER...: members of the records of a part of that name, each followed by a line feed
part() {
    jq -r --arg name "$2" 'select(.record == "part" and .name == $name) | '"$3" "$1/results.jsonl"
}
# digest FILE
digest() {
    local text
    text=$(sha256sum "$1")
    echo "${text%% *}"
}
# plugin FILE FLAG...: the example, with a build id
plugin() {
    local file=$1
    shift
    cc -std=c17 -O1 -fPIC -shared -Wl,--build-id=sha1 -I"$root/backends/include" "$@" -o "$file.new" \
        "$root/docs/example-plugin/example.c" && mv "$file.new" "$file"
}
# build_id FILE: as another program reads it
build_id() {
    readelf -n "$1" | sed -n 's/ *Build ID: //p'
}

echo '# a plugin'
plugin mine.so
check 'a run' 0 has "tested: mine.so (SHA-256 $(digest mine.so | cut -c 1-12))" -- \
    "$cts" run ties --backend ./mine.so --out plugin
same 'it is what was tested' "$(part plugin mine.so '.role, .path, .sha256, .build_id, .by')" \
    "backend
$work/mine.so
$(digest mine.so)
$(build_id mine.so)
seen"
for program in topk-cts topk-worker topk-backend; do
    same "$program is a program of the suite" "$(part plugin $program '.role, .sha256')" "suite
$(digest "$bin/$program")"
done
same 'the C library is left out' "$(jq -r 'select(.record == "part").name' plugin/results.jsonl | grep -c '^libc\.so\|^ld-')" 0
same 'the machine is there' "$(jq -r 'select(.record == "part" and .role == "kernel").name' plugin/results.jsonl)" \
    "$(uname -srm)"
same 'parts come before the cases' "$(jq -r .record plugin/results.jsonl | uniq | tr '\n' ' ')" 'header part case end '
same 'its name is not' "$(jq -r 'select(.record == "part").name' plugin/results.jsonl | grep -cxF "$(uname -n)")" 0
check 'without' 0 lacks tested: -- "$cts" run ties --backend ./mine.so --out without --no-identity
same 'nothing is recorded' "$(grep -c '"record":"part"' without/results.jsonl)" 0
check 'the page of both' 0 has 'What was tested: mine.so' has "$(digest mine.so)" -- "$cts" report plugin --format html
check 'and that of none' 0 has 'What was tested: not recorded' -- "$cts" report without --format html
check 'Markdown' 0 has 'Tested: mine.so' -- "$cts" report plugin --format markdown
same 'JSON' "$("$cts" report plugin --format json | jq -r '.parts[] | select(.name == "mine.so").sha256')" "$(digest mine.so)"
cp mine.so first.so

echo '# what it loads late'
echo 'int late(void) { return 1; }' >late.c
cc -fPIC -shared -Wl,--build-id=sha1 -o liblate.so late.c
# first_call HEADER STATEMENT: the example, which does this in each call to run()
first_call() {
    echo "#include <$1>"
    sed '/^static void run(/,/^}/ s|^    (void)self;|    (void)self; '"$2"'|' "$root/docs/example-plugin/example.c"
}
# opening HEADER STATEMENT: the same, when it is opened
opening() {
    echo "#include <dlfcn.h>"
    echo "#include <$1>"
    sed '/^static void \*open_example/,/^}/ s|^{|{ '"$2"'|' "$root/docs/example-plugin/example.c"
}
# late FILE SOURCE LATE: builds it, with LATE for a path
late() {
    cc -std=gnu17 -O1 -fPIC -shared -I"$root/backends/include" -D"LATE=\"$work/$3\"" -o "$1" "$2" -ldl
}
first_call dlfcn.h '(void)dlopen(LATE, RTLD_NOW);' >loads.c
late loads.so loads.c liblate.so
check 'a run' 0 -- "$cts" run ties --backend ./loads.so --out late
same 'it is there' "$(part late liblate.so '.role, .sha256, .build_id')" "library
$(digest liblate.so)
$(build_id liblate.so)"
same 'behind the cases' "$(jq -r .record late/results.jsonl | uniq | tr '\n' ' ')" 'header part case part end '

echo '# commands'
cp "$root/docs/example-backends/example.mjs" adapter.mjs
check 'node behind a shell' 0 -- \
    "$cts" run ties --backend-command "bash -c 'node adapter.mjs 2>errors'" --out command
same 'its script is there' "$(part command adapter.mjs '.role, .path, .sha256')" "named
$work/adapter.mjs
$(digest adapter.mjs)"
same 'and what runs it' "$(part command node '.role, .sha256')" "program
$(digest "$(command -v node)")"
same 'a file that is written to is not' "$(part command errors .name)" ''
# a backend that starts a compiler on a file that it made during the run
cat >compiling.sh <<'END'
touch -d '+1 hour' made
tail -f --pid=$$ made >/dev/null &
exec node adapter.mjs
END
check 'a file that is made during the run' 0 -- "$cts" run ties --backend-command 'bash compiling.sh' --out compiling
same 'the program that reads it is a part' "$(part compiling tail .role)" program
same 'the file is not' "$(part compiling made .name)" ''
check 'a worker of somebody' 1 -- \
    "$cts" run ties --worker "$bin/topk-worker --backend ./mine.so" --out worker
same 'what it hosts is there' "$(part worker mine.so .sha256)" "$(digest mine.so)"
check 'in one process' 1 -- "$cts" run ties --backend ./mine.so --in-process --out inside
same 'the plugin, too' "$(part inside mine.so .sha256)" "$(digest mine.so)"

echo '# what is told'
sed "s|are not checked') . \"|& parts=\$ENV{PARTS}|" "$root/docs/example-backends/example.pl" >telling.pl
# telling PARTS ARGUMENT...: a run of a backend process with these parts in its introduction
telling() {
    PARTS=$1 "$cts" run ties --backend-command 'perl telling.pl' "${@:2}"
}
old='DirectML.dll%201.15.4.0%0Aother.dll%202%20(beta)'
new=${old/15/16}
check 'a run' 0 has 'tested: telling.pl (SHA-256' has ', 2 libraries told of' -- telling "$old" --out told
same 'the log has what was told, and that it was' \
    "$(jq -c 'select(.record == "part" and .by == "told") | del(.chain)' told/results.jsonl)" \
    '{"record":"part","role":"library","name":"DirectML.dll","version":"1.15.4.0","by":"told"}
{"record":"part","role":"library","name":"other.dll","version":"2 (beta)","by":"told"}'
check 'the page' 0 has DirectML.dll has '"name":"DirectML.dll","version":"1.15.4.0","by":"told"' -- \
    "$cts" report told --format html
same 'JSON' "$("$cts" report told --format json | jq -r '.parts[] | select(.name == "DirectML.dll") | .version, .by')" '1.15.4.0
told'
# between a whole run, which a package must be of, and the processor
# shellcheck disable=SC2016 # Perl expands it
echo '$| = 1; while (sysread STDIN, my $b, 65536) { $said = $b =~ s/( own=.*)/$1 parts=DirectML.dll%201.15.4.0/ if !$said; print $b }' >adds.pl
minisign -G -W -p told.pub -s told.sec >out
check 'a whole run' 0 -- "$cts" run --backend-command "$bin/topk-backend cpu | perl adds.pl" --out whole
check 'a package' 0 -- "$cts" package whole --sign told.sec --output told.tar
check 'its statement' 0 has 'library: DirectML.dll, version 1.15.4.0, told by what was tested' -- \
    tar -xOf told.tar statement.txt
check 'it is verified' 0 -- "$cts" verify told.tar
check 'another version' 0 -- telling "$new" --out newer
check 'differs' 0 has 'different library DirectML.dll:' has 'A  version 1.15.4.0, told by what was tested' \
    has 'B  version 1.16.4.0, told by what was tested' lacks other.dll -- "$cts" compare told newer
mkdir told-on
sed 40q told/results.jsonl >told-on/results.jsonl
check 'neither continues the log of the other' 3 \
    has 'the backend reports DirectML.dll 1.16.4.0, and reported version 1.15.4.0 before' -- telling "$new" --out told-on --resume
same 'nothing is appended' "$(wc -l <told-on/results.jsonl)" 40
check 'unless it is put back' 0 -- telling "$old" --out told-on --resume
check 'what is malformed' 4 has 'its parts, line 2: "b" must be a name' -- telling a%201%0Ab --out malformed
telling "$old" --shard 1/2 --out told1 >out 2>err
telling "$new" --shard 2/2 --out told2 >out 2>err
check 'shards of two are refused' 2 \
    has 'the library DirectML.dll has the version 1.16.4.0, and in another shard, or before, 1.15.4.0' -- \
    "$cts" merge told1 told2 --out told-mixed

echo '# packages'
mkdir tools
cat >tools/dpkg-query <<'END'
#!/bin/sh
# knows liblate.so, and a file that another package diverts
case $1 in
-S)
    for file; do
        case $file in
        *liblate.so) echo "diversion by x from: $file" && echo "late:amd64, other: $file" ;;
        esac
    done
    exit 1
    ;;
-W) echo 'late:amd64 1.2-3' ;;
esac
END
chmod +x tools/dpkg-query
check 'a run' 0 -- env PATH="$work/tools:$PATH" "$cts" run ties --backend ./loads.so --out packages
same 'dpkg says whose it is' "$(part packages liblate.so .package)" 'late:amd64 1.2-3'
rm tools/dpkg-query
cat >tools/rpm <<'END'
#!/bin/sh
# a line for each file behind --, as rpm -qf does
while [ "$1" != -- ]; do shift; done
shift
for file; do
    case $file in
    *liblate.so) echo '=late.x86_64 1.2-3' ;;
    *) echo "file $file is not owned by any package" ;;
    esac
done
exit 1
END
printf '#!/bin/sh\nexit 1\n' >tools/dpkg-query
chmod +x tools/rpm tools/dpkg-query
check 'a run' 0 -- env PATH="$work/tools:$PATH" "$cts" run ties --backend ./loads.so --out rpm
same 'rpm says whose it is' "$(part rpm liblate.so .package)" 'late.x86_64 1.2-3'

echo '# drivers'
mkdir icd
printf '{"ICD":{"library_path":"%s/liblate.so","api_version":"1.0"}}' "$work" >icd/late.json
printf '{"ICD":{"library_path":"/nowhere/libother.so"}}' >icd/other.json
echo no >icd/none.json
check 'a run' 0 -- env VK_DRIVER_FILES="$work/icd" "$cts" run ties --backend ./loads.so --out driver
same 'a manifest whose library is mapped' "$(part driver late.json '.role, .sha256')" "manifest
$(digest icd/late.json)"
same 'its library' "$(part driver liblate.so .role)" driver
same 'no other' "$(part driver other.json .role)$(part driver none.json .role)" ''

echo '# what was exchanged'
mkdir resumed
sed 60q plugin/results.jsonl >resumed/results.jsonl
lines=$(wc -l <resumed/results.jsonl)
plugin mine.so -DOTHER -O2
check 'the run is not continued' 3 has "$work/mine.so changed: its SHA-256 was $(digest first.so)" -- \
    "$cts" run ties --backend ./mine.so --out resumed --resume
same 'nothing is appended' "$(wc -l <resumed/results.jsonl)" "$lines"
cp first.so mine.so
check 'unless it is put back' 0 has PASSED -- "$cts" run ties --backend ./mine.so --out resumed --resume
same 'its parts are there once' "$(part resumed mine.so .name)" mine.so
check 'what is recorded is not left out later' 2 has 'records what was tested' -- \
    "$cts" run ties --backend ./mine.so --out resumed --resume --no-identity
check 'nor recorded later, if it was left out' 0 has 'does not record what was tested, and will not' -- \
    "$cts" run ties --backend ./mine.so --out without --resume
cp "$root/docs/example-backends/example.mjs" adapter.mjs
check 'a script that stays' 0 -- "$cts" run ties --backend-command 'node adapter.mjs' --out kept
first_call stdio.h 'FILE *f = fopen(LATE, "ab"); if (f) { fputc(10, f); fclose(f); }' >swapping.c
late swapping.so swapping.c data.txt
echo data >data.txt
check 'a file that does not' 3 has "$work/data.txt changed" has INCOMPLETE lacks 'To continue' -- \
    "$cts" run ties --backend-command ": data.txt; exec $bin/topk-backend ./swapping.so" --out swapped
same 'the log has both' "$(part swapped data.txt .sha256 | sort -u | wc -l)" 2
same 'and is not complete' "$(jq 'select(.record == "end").complete' swapped/results.jsonl)" false

echo '# what cannot be read'
opening stdio.h '(void)dlopen(LATE, RTLD_NOW); (void)remove(LATE);' >gone.c
late gone.so gone.c libgone.so
cp liblate.so libgone.so
check 'a library that is gone' 3 has "$work/libgone.so (library): it was deleted or replaced" has --no-identity -- \
    "$cts" run ties --backend ./gone.so --out gone
check 'leaves no log' 1 -- test -e gone
cp liblate.so libgone.so
check 'and can be left out' 0 -- "$cts" run ties --backend ./gone.so --out gone --no-identity
if [ "$(id -u)" != 0 ]; then
    opening sys/stat.h '(void)dlopen(LATE, RTLD_NOW); (void)chmod(LATE, 0);' >hidden.c
    late hidden.so hidden.c libhidden.so
    cp liblate.so libhidden.so
    check 'one that may not be read' 3 has "$work/libhidden.so (library): it cannot be read: Permission denied" -- \
        "$cts" run ties --backend ./hidden.so --out hidden
fi

echo '# the clock'
cat >clock.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
/* time() as TEST_TIME says; from its second call on, less TEST_BACK seconds */
time_t time(time_t *to)
{
    static int calls;
    const char *fixed = getenv("TEST_TIME"), *back = getenv("TEST_BACK");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    time_t t = fixed ? atol(fixed) : now.tv_sec;
    t -= back && calls++ > 0 ? atol(back) : 0;
    if (to) *to = t;
    return t;
}
END
cc -fPIC -shared -o clock.so clock.c
check 'one that is years behind' 3 has 'the clock is wrong: it says 2001-09-09T01:46:40Z' -- \
    env LD_PRELOAD="$work/clock.so" TEST_TIME=1000000000 "$cts" run ties --backend cpu --out clock
check 'leaves no log' 1 -- test -e clock
check 'one that is set back' 0 has 'note: the clock: it was set back by 3' -- \
    env LD_PRELOAD="$work/clock.so" TEST_BACK=3600 "$cts" run ties --backend cpu --out clock
same 'is recorded' "$(part clock UTC '.role, (.problem | startswith("it was set back by 3"))')" 'clock
true'
check 'one that is days ahead' 0 -- env LD_PRELOAD="$work/clock.so" TEST_TIME=$(($(date +%s) + 864000)) \
    "$cts" run ties --backend cpu --out future
check 'its log is not continued' 3 has 'the clock is wrong, or was: it says 20' -- \
    "$cts" run ties --backend cpu --out future --resume

echo '# two runs'
plugin mine.so -DOTHER -O2
check 'the other build' 0 -- "$cts" run ties --backend ./mine.so --out other
check 'differs in one part' 0 has 'different plugin under test mine.so:' has "A  SHA-256 $(digest first.so), build id $(build_id first.so)" \
    has "B  SHA-256 $(digest mine.so), build id $(build_id mine.so)" has '1 part of what was tested differs' -- \
    "$cts" compare plugin other
same 'in JSON, too' "$("$cts" compare plugin other --format json | jq -r '.comparisons[0].parts[].name')" mine.so
check 'and on the page' 0 has 'Parts that differ' has "$(digest mine.so)" -- \
    "$cts" compare plugin other --format html
check 'what loads a library' 0 has 'different library liblate.so:' has 'A  not there' -- "$cts" compare plugin late
check 'one that records nothing' 0 has 'what was tested is recorded in A only, and not compared' -- \
    "$cts" compare plugin without

echo '# shards'
for i in 1 2; do "$cts" run ties --backend ./mine.so --shard "$i/2" --out "shard$i" >out 2>err; done
check 'of one build' 0 -- "$cts" merge shard1 shard2 --out merged
same 'have each part once' "$(part merged mine.so .name)" mine.so
cp first.so mine.so
"$cts" run ties --backend ./mine.so --shard 2/2 --out shard2 --overwrite >out 2>err
check 'of two are refused' 2 has 'shard2/results.jsonl: the plugin under test mine.so has the SHA-256' -- \
    "$cts" merge shard1 shard2 --out mixed

echo '# a rerun'
minisign -G -W -p signer.pub -s signer.sec >out 2>err </dev/null
"$cts" run --profile peers --backend ./mine.so --out packed >out 2>err
check 'its package' 0 -- "$cts" package packed --sign signer.sec --output p.tar
check 'of the same build' 0 lacks 'NOT THE SAME FILE' lacks 'the rerun was not of' has '0 gave another result' -- \
    "$cts" verify p.tar --rerun 3 --seed 1 --backend ./mine.so
cp mine.so other.so
echo x >>other.so
check 'of another' 0 has "NOT THE SAME FILE: other.so has SHA-256 $(digest other.so | cut -c 1-12), the package names $(digest mine.so | cut -c 1-12)" \
    has '; the rerun was not of the files in the package' -- \
    "$cts" verify p.tar --rerun 3 --seed 1 --backend ./other.so
"$cts" run --profile peers --backend ./mine.so --out unknown --no-identity >out 2>err
"$cts" package unknown --sign signer.sec --output unknown.tar >out 2>err
check 'of an unknown one' 0 has 'note: the package does not record which files were tested' -- \
    "$cts" verify unknown.tar --rerun 3 --seed 1 --backend ./mine.so

echo
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
