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

# part DIR NAME MEMBER...: members of the records of the part NAME, each followed by a line feed
part() {
    jq -r --arg name "$2" 'select(.record == "part" and .name == $name) | '"$3" "$1/results.jsonl"
}
# digest FILE
digest() {
    local text
    text=$(sha256sum "$1")
    echo "${text%% *}"
}
# plugin FILE FLAG...: builds the example plugin with a build id
plugin() {
    local file=$1
    shift
    cc -std=c17 -O1 -fPIC -shared -Wl,--build-id=sha1 -I"$root/backends/include" "$@" -o "$file.new" \
        "$root/docs/example-plugin/example.c" && mv "$file.new" "$file"
}
# build_id FILE: the build id, read by an independent program
build_id() {
    readelf -n "$1" | sed -n 's/ *Build ID: //p'
}

echo '# a plugin'
plugin mine.so
check 'a plugin: the run names it' 0 has "tested: mine.so (SHA-256 $(digest mine.so | cut -c 1-12))" -- \
    "$cts" run ties --backend ./mine.so --out plugin
same 'a plugin: its part in the log' "$(part plugin mine.so '.role, .path, .sha256, .build_id, .by')" \
    "backend
$work/mine.so
$(digest mine.so)
$(build_id mine.so)
seen"
for program in topk-cts topk-worker topk-backend; do
    same "$program is a program of the suite" "$(part plugin $program '.role, .sha256')" "suite
$(digest "$bin/$program")"
done
same 'a plugin: the C library is not a part' "$(jq -r 'select(.record == "part").name' plugin/results.jsonl | grep -c '^libc\.so\|^ld-')" 0
same 'a plugin: the kernel is a part' "$(jq -r 'select(.record == "part" and .role == "kernel").name' plugin/results.jsonl)" \
    "$(uname -srm)"
same 'a plugin: parts come before the cases' "$(jq -r .record plugin/results.jsonl | uniq | tr '\n' ' ')" 'header part case end '
same 'a plugin: the host name is not in the log' "$(jq -r 'select(.record == "part").name' plugin/results.jsonl | grep -cxF "$(uname -n)")" 0
check '--no-identity: the run' 0 lacks tested: -- "$cts" run ties --backend ./mine.so --out without --no-identity
same '--no-identity: the log has no parts' "$(grep -c '"record":"part"' without/results.jsonl)" 0
check 'a plugin: it is on the page' 0 has 'What was tested: mine.so' has "$(digest mine.so)" -- "$cts" report plugin --format html
check '--no-identity: the page says so' 0 has 'What was tested: not recorded' -- "$cts" report without --format html
check 'a plugin: it is in Markdown' 0 has 'Tested: mine.so' -- "$cts" report plugin --format markdown
same 'a plugin: it is in JSON' "$("$cts" report plugin --format json | jq -r '.parts[] | select(.name == "mine.so").sha256')" "$(digest mine.so)"
cp mine.so first.so

echo '# libraries that a plugin loads late'
echo 'int late(void) { return 1; }' >late.c
cc -fPIC -shared -Wl,--build-id=sha1 -o liblate.so late.c
# first_call HEADER STATEMENT: the example plugin, with a statement in each call to run()
first_call() {
    echo "#include <$1>"
    sed '/^static void run(/,/^}/ s|^    (void)self;|    (void)self; '"$2"'|' "$root/docs/example-plugin/example.c"
}
# opening HEADER STATEMENT: the same, with a statement that runs when it is opened
opening() {
    echo "#include <dlfcn.h>"
    echo "#include <$1>"
    sed '/^static void \*open_example/,/^}/ s|^{|{ '"$2"'|' "$root/docs/example-plugin/example.c"
}
# late FILE SOURCE LATE: builds it, with LATE as the path of a library
late() {
    cc -std=gnu17 -O1 -fPIC -shared -I"$root/backends/include" -D"LATE=\"$work/$3\"" -o "$1" "$2" -ldl
}
first_call dlfcn.h '(void)dlopen(LATE, RTLD_NOW);' >loads.c
late loads.so loads.c liblate.so
check 'a library that is loaded late: the run' 0 -- "$cts" run ties --backend ./loads.so --out late
same 'a library that is loaded late is a part' "$(part late liblate.so '.role, .sha256, .build_id')" "library
$(digest liblate.so)
$(build_id liblate.so)"
same 'a library that is loaded late comes after the cases' "$(jq -r .record late/results.jsonl | uniq | tr '\n' ' ')" 'header part case part end '

echo '# commands'
cp "$root/docs/example-backends/example.mjs" adapter.mjs
check 'a command: node started by a shell' 0 -- \
    "$cts" run ties --backend-command "bash -c 'node adapter.mjs 2>errors'" --out command
same 'a command: its script is a part' "$(part command adapter.mjs '.role, .path, .sha256')" "named
$work/adapter.mjs
$(digest adapter.mjs)"
same 'a command: node is a part' "$(part command node '.role, .sha256')" "program
$(digest "$(command -v node)")"
same 'a command: a file that it writes is not a part' "$(part command errors .name)" ''
# a backend that starts a compiler on a file that it made during the run
cat >compiling.sh <<'END'
touch -d '+1 hour' made
tail -f --pid=$$ made >/dev/null &
exec node adapter.mjs
END
check 'a compiling command: the run' 0 -- "$cts" run ties --backend-command 'bash compiling.sh' --out compiling
same 'a compiling command: the compiler is a part' "$(part compiling tail .role)" program
same 'a compiling command: the new file is not a part' "$(part compiling made .name)" ''
check '--worker: the run' 1 -- \
    "$cts" run ties --worker "$bin/topk-worker --backend ./mine.so" --out worker
same '--worker: the plugin that it hosts is a part' "$(part worker mine.so .sha256)" "$(digest mine.so)"
check '--in-process: the run' 1 -- "$cts" run ties --backend ./mine.so --in-process --out inside
same '--in-process: the plugin is a part' "$(part inside mine.so .sha256)" "$(digest mine.so)"

echo '# libraries that a backend process reports'
sed "s|are not checked') . \"|& parts=\$ENV{PARTS}|" "$root/docs/example-backends/example.pl" >telling.pl
# telling PARTS ARGUMENT...: a run of a backend process with these parts in its greeting
telling() {
    PARTS=$1 "$cts" run ties --backend-command 'perl telling.pl' "${@:2}"
}
old='DirectML.dll%201.15.4.0%0Aother.dll%202%20(beta)'
new=${old/15/16}
check 'reported libraries: the run' 0 has 'tested: telling.pl (SHA-256' has ', 2 libraries told of' -- telling "$old" --out told
same 'reported libraries: their parts in the log' \
    "$(jq -c 'select(.record == "part" and .by == "told") | del(.chain)' told/results.jsonl)" \
    '{"record":"part","role":"library","name":"DirectML.dll","version":"1.15.4.0","by":"told"}
{"record":"part","role":"library","name":"other.dll","version":"2 (beta)","by":"told"}'
check 'reported libraries: they are on the page' 0 has DirectML.dll has '"name":"DirectML.dll","version":"1.15.4.0","by":"told"' -- \
    "$cts" report told --format html
same 'reported libraries: they are in JSON' "$("$cts" report told --format json | jq -r '.parts[] | select(.name == "DirectML.dll") | .version, .by')" '1.15.4.0
told'
# adds the parts to the greeting of the processor backend, because a package needs a whole run
# shellcheck disable=SC2016 # Perl expands it
echo '$| = 1; while (sysread STDIN, my $b, 65536) { $said = $b =~ s/( own=.*)/$1 parts=DirectML.dll%201.15.4.0/ if !$said; print $b }' >adds.pl
minisign -G -W -p told.pub -s told.sec >out
check 'reported libraries: a whole run' 0 -- "$cts" run --backend-command "$bin/topk-backend cpu | perl adds.pl" --out whole
check 'reported libraries: a package' 0 -- "$cts" package whole --sign told.sec --output told.tar
check 'reported libraries: the statement of the package' 0 has 'library: DirectML.dll, version 1.15.4.0, told by what was tested' -- \
    tar -xOf told.tar statement.txt
check 'reported libraries: the package is verified' 0 -- "$cts" verify told.tar
check 'another reported version: the run' 0 -- telling "$new" --out newer
check 'another reported version: compare prints it' 0 has 'different library DirectML.dll:' has 'A  version 1.15.4.0, told by what was tested' \
    has 'B  version 1.16.4.0, told by what was tested' lacks other.dll -- "$cts" compare told newer
mkdir told-on
sed 40q told/results.jsonl >told-on/results.jsonl
check 'another reported version: --resume is refused' 3 \
    has 'the backend reports DirectML.dll 1.16.4.0, and reported version 1.15.4.0 before' -- telling "$new" --out told-on --resume
same 'another reported version: --resume appends nothing' "$(wc -l <told-on/results.jsonl)" 40
check 'the same reported version: --resume works' 0 -- telling "$old" --out told-on --resume
check 'malformed reported parts' 4 has 'its parts, line 2: "b" must be a name' -- telling a%201%0Ab --out malformed
telling "$old" --shard 1/2 --out told1 >out 2>err
telling "$new" --shard 2/2 --out told2 >out 2>err
check 'another reported version: merge is refused' 2 \
    has 'the library DirectML.dll has the version 1.16.4.0, and in another shard, or before, 1.15.4.0' -- \
    "$cts" merge told1 told2 --out told-mixed

echo '# packages'
mkdir tools
cat >tools/dpkg-query <<'END'
#!/bin/sh
# finds liblate.so in the package that its name suggests, and libnettle, which another package diverts, only among all
echo "$*" >>"$ASKED"
case $* in
-L*) printf '/elsewhere\n\n/usr\n%s/liblate.so\n' "$PWD" ;;
-S*)
    for file; do
        case $file in
        /*/libnettle*) echo "diversion by x from: $file" && echo "rare:amd64, other: $file" ;;
        esac
    done
    exit 1
    ;;
*rare:amd64*) echo 'rare:amd64 4.5' ;;
*liblate*) printf '%s\n' 'config-files gone:amd64 2' 'installed early:amd64 1' 'installed late:amd64 1.2-3' ;;
esac
END
chmod +x tools/dpkg-query
nettle=$(ldd "$cts" | sed -n 's/.*=> \(.*libnettle[^ ]*\).*/\1/p')
ln -s "$nettle" system.so
first_call dlfcn.h '(void)dlopen(LATE, RTLD_NOW); (void)dlopen("'"$work"'/system.so", RTLD_NOW);' >both.c
late both.so both.c liblate.so
check 'packages: a run with dpkg' 0 -- env ASKED="$work/asked" PATH="$work/tools:$PATH" "$cts" run ties --backend "$work/both.so" --out packages
same 'packages: the package that the name of a library suggests' "$(part packages liblate.so .package)" 'late:amd64 1.2-3'
same 'packages: the package of a library that has another name' \
    "$(part packages "$(basename "$(realpath "$nettle")")" .package)" 'rare:amd64 4.5'
# which a backend may use, too, so that dpkg is asked once and not twice
check 'packages: those of libraries of topk-cts are asked for at the start' 0 has libsodium23 -- head -n 2 asked
check 'packages: not all are searched for what was built here' 1 -- grep -e '-S .*both.so' asked
rm tools/dpkg-query
cat >tools/rpm <<'END'
#!/bin/sh
# a line for each file after --, like rpm -qf
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
check 'packages: a run with rpm' 0 -- env PATH="$work/tools:$PATH" "$cts" run ties --backend ./loads.so --out rpm
same 'packages: the package of a library by rpm' "$(part rpm liblate.so .package)" 'late.x86_64 1.2-3'

echo '# drivers'
mkdir icd
printf '{"ICD":{"library_path":"%s/liblate.so","api_version":"1.0"}}' "$work" >icd/late.json
printf '{"ICD":{"library_path":"/nowhere/libother.so"}}' >icd/other.json
echo no >icd/none.json
check 'drivers: the run' 0 -- env VK_DRIVER_FILES="$work/icd" "$cts" run ties --backend ./loads.so --out driver
same 'drivers: the manifest of a loaded library is a part' "$(part driver late.json '.role, .sha256')" "manifest
$(digest icd/late.json)"
same 'drivers: the library has the role of a driver' "$(part driver liblate.so .role)" driver
same 'drivers: no other manifest is a part' "$(part driver other.json .role)$(part driver none.json .role)" ''

echo '# files that were replaced'
mkdir resumed
sed 60q plugin/results.jsonl >resumed/results.jsonl
lines=$(wc -l <resumed/results.jsonl)
plugin mine.so -DOTHER -O2
check 'a changed plugin: --resume is refused' 3 has "$work/mine.so changed: its SHA-256 was $(digest first.so)" -- \
    "$cts" run ties --backend ./mine.so --out resumed --resume
same 'a changed plugin: --resume appends nothing' "$(wc -l <resumed/results.jsonl)" "$lines"
cp first.so mine.so
check 'the plugin restored: --resume works' 0 has PASSED -- "$cts" run ties --backend ./mine.so --out resumed --resume
same 'the plugin restored: it is one part in the log' "$(part resumed mine.so .name)" mine.so
check '--resume --no-identity of a log with parts is refused' 2 has 'records what was tested' -- \
    "$cts" run ties --backend ./mine.so --out resumed --resume --no-identity
check '--resume of a log without parts records none' 0 has 'does not record what was tested, and will not' -- \
    "$cts" run ties --backend ./mine.so --out without --resume
cp "$root/docs/example-backends/example.mjs" adapter.mjs
check 'an unchanged script' 0 -- "$cts" run ties --backend-command 'node adapter.mjs' --out kept
first_call stdio.h 'FILE *f = fopen(LATE, "ab"); if (f) { fputc(10, f); fclose(f); }' >swapping.c
late swapping.so swapping.c data.txt
echo data >data.txt
check 'a file that changes during the run' 3 has "$work/data.txt changed" has INCOMPLETE lacks 'To continue' -- \
    "$cts" run ties --backend-command ": data.txt; exec $bin/topk-backend ./swapping.so" --out swapped
same 'a file that changes during the run: the log has both digests' "$(part swapped data.txt .sha256 | sort -u | wc -l)" 2
same 'a file that changes during the run: the log is incomplete' "$(jq 'select(.record == "end").complete' swapped/results.jsonl)" false

echo '# files that are unreadable'
opening stdio.h '(void)dlopen(LATE, RTLD_NOW); (void)remove(LATE);' >gone.c
late gone.so gone.c libgone.so
cp liblate.so libgone.so
check 'a deleted library' 3 has "$work/libgone.so (library): it was deleted or replaced" has --no-identity -- \
    "$cts" run ties --backend ./gone.so --out gone
check 'a deleted library: no log is made' 1 -- test -e gone
cp liblate.so libgone.so
check 'a deleted library with --no-identity' 0 -- "$cts" run ties --backend ./gone.so --out gone --no-identity
if [ "$(id -u)" != 0 ]; then
    opening sys/stat.h '(void)dlopen(LATE, RTLD_NOW); (void)chmod(LATE, 0);' >hidden.c
    late hidden.so hidden.c libhidden.so
    cp liblate.so libhidden.so
    check 'an unreadable library' 3 has "$work/libhidden.so (library): it cannot be read: Permission denied" -- \
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
check 'a clock that is years behind' 3 has 'the clock is wrong: it says 2001-09-09T01:46:40Z' -- \
    env LD_PRELOAD="$work/clock.so" TEST_TIME=1000000000 "$cts" run ties --backend cpu --out clock
check 'a clock that is years behind: no log is made' 1 -- test -e clock
check 'a clock that is set back' 0 has 'note: the clock: it was set back by 3' -- \
    env LD_PRELOAD="$work/clock.so" TEST_BACK=3600 "$cts" run ties --backend cpu --out clock
same 'a clock that is set back is recorded' "$(part clock UTC '.role, (.problem | startswith("it was set back by 3"))')" 'clock
true'
check 'a clock that is days ahead' 0 -- env LD_PRELOAD="$work/clock.so" TEST_TIME=$(($(date +%s) + 864000)) \
    "$cts" run ties --backend cpu --out future
check 'a clock that was days ahead: --resume is refused' 3 has 'the clock is wrong, or was: it says 20' -- \
    "$cts" run ties --backend cpu --out future --resume

echo '# two runs'
plugin mine.so -DOTHER -O2
check 'compare: a run of another build' 0 -- "$cts" run ties --backend ./mine.so --out other
check 'compare: the plugin differs' 0 has 'different plugin under test mine.so:' has "A  SHA-256 $(digest first.so), build id $(build_id first.so)" \
    has "B  SHA-256 $(digest mine.so), build id $(build_id mine.so)" has '1 part of what was tested differs' -- \
    "$cts" compare plugin other
same 'compare: the plugin differs in JSON' "$("$cts" compare plugin other --format json | jq -r '.comparisons[0].parts[].name')" mine.so
check 'compare: the plugin differs on the page' 0 has 'Parts that differ' has "$(digest mine.so)" -- \
    "$cts" compare plugin other --format html
check 'compare: one run loads another library' 0 has 'different library liblate.so:' has 'A  not there' -- "$cts" compare plugin late
check 'compare: one run has no parts' 0 has 'what was tested is recorded in A only, and not compared' -- \
    "$cts" compare plugin without

echo '# shards'
for i in 1 2; do "$cts" run ties --backend ./mine.so --shard "$i/2" --out "shard$i" >out 2>err; done
check 'merge: shards of one build' 0 -- "$cts" merge shard1 shard2 --out merged
same 'merge: the log has each part once' "$(part merged mine.so .name)" mine.so
cp first.so mine.so
"$cts" run ties --backend ./mine.so --shard 2/2 --out shard2 --overwrite >out 2>err
check 'merge: shards of two builds are refused' 2 has 'shard2/results.jsonl: the plugin under test mine.so has the SHA-256' -- \
    "$cts" merge shard1 shard2 --out mixed

echo '# a rerun'
minisign -G -W -p signer.pub -s signer.sec >out 2>err </dev/null
"$cts" run --profile peers --backend ./mine.so --out packed >out 2>err
check 'a package of a plugin' 0 -- "$cts" package packed --sign signer.sec --output p.tar
check '--rerun with the same build' 0 lacks 'NOT THE SAME FILE' lacks 'the rerun was not of' has '0 gave another result' -- \
    "$cts" verify p.tar --rerun 3 --seed 1 --backend ./mine.so
cp mine.so other.so
echo x >>other.so
check '--rerun with another build' 0 has "NOT THE SAME FILE: other.so has SHA-256 $(digest other.so | cut -c 1-12), the package names $(digest mine.so | cut -c 1-12)" \
    has '; the rerun was not of the files in the package' -- \
    "$cts" verify p.tar --rerun 3 --seed 1 --backend ./other.so
"$cts" run --profile peers --backend ./mine.so --out unknown --no-identity >out 2>err
"$cts" package unknown --sign signer.sec --output unknown.tar >out 2>err
check '--rerun of a package without parts' 0 has 'note: the package does not record which files were tested' -- \
    "$cts" verify unknown.tar --rerun 3 --seed 1 --backend ./mine.so

echo
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
