#!/usr/bin/env bash
# How commands write files: completely or not at all, never through a link, and with only one run at a time in a
# folder. Run as
#   files_test.sh BIN
# where BIN holds topk-cts and topk-worker.
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
begin BIN "$@"

run() {
    "$cts" run 'floats.zeros' --backend "${backend:-cpu}" --no-identity "$@"
}
run --out a >/dev/null

# ---- links -------------------------------------------------------------------------------------

echo precious >victim
# the JUnit file of a run has a fixed name, and whoever can write to the folder can put a link there
ln -sf "$work/victim" a/junit.xml
check 'run replaces junit.xml, a link' 0 -- run --out a --overwrite
same 'run leaves the target of the link' "$(cat victim)" precious
same 'junit.xml is a file' "$(stat -c %F a/junit.xml)" 'regular file'
for name in shrunk bug-1 behind-1; do
    ln -sf "$work/victim" "a/$name.txt"
done
backend=faulty:B26
check 'run --shrink replaces links at its lists of failures' 1 -- run --out a --overwrite --shrink
same 'run --shrink leaves the target of the links' "$(cat victim)" precious
for name in shrunk bug-1; do
    same "$name.txt is a file" "$(stat -c %F "a/$name.txt")" 'regular file'
done
mv a/results.jsonl aside.jsonl
ln -s "$work/aside.jsonl" a/results.jsonl
sum=$(sha256sum <aside.jsonl)
check '--resume refuses a log that is a link' 3 has 'symbolic link' -- run --out a --resume
same '--resume leaves the target of the link' "$(sha256sum <aside.jsonl)" "$sum"
check '--overwrite replaces a log that is a link' 1 -- run --out a --overwrite
same '--overwrite leaves the target of the link' "$(sha256sum <aside.jsonl)" "$sum"

ln -s victim link
for command in 'report a --output' 'compare a a --output' "shrink --backend faulty:B26 floats.zeros:top_k_fl=2.0_in=f32[1,1,3,2]_axis=3_k=2_data=zeros.1:559542 --c"; do
    read -ra words <<<"$command"
    words=("${words[@]//_fl/ fl}")
    words=("${words[@]//_in/ in}")
    words=("${words[@]//_axis/ axis}")
    words=("${words[@]//_k=/ k=}")
    words=("${words[@]//_data/ data}")
    check "${words[0]} refuses a link that is named" 3 has 'link is a symbolic link' -- "$cts" "${words[@]}" link
    same "${words[0]} leaves the target of the link" "$(cat victim)" precious
done

# ---- outputs that are not regular files ----------------------------------------------------------

"$cts" report a --format json >wanted
for target in - /dev/stdout /dev/fd/1 /proc/self/fd/1; do
    "$cts" report a --format json --output "$target" >got
    same "report to $target" "$(cmp wanted got 2>&1)" ''
done
echo before >got
"$cts" report a --format json --output /dev/stdout >>got
same 'a report is appended to a file that the shell opened' "$(head -n 1 got)" before
"$cts" report a --format json --output >(cat >got)
wait $!
same 'report to a process' "$(cmp wanted got 2>&1)" ''
mkfifo pipe
cat pipe >got &
check 'report to a pipe' 0 -- "$cts" report a --format json --output pipe
wait $!
same 'the report to a pipe is complete' "$(cmp wanted got 2>&1)" ''
check 'report to /dev/null' 0 -- "$cts" report a --format json --output /dev/null
same '/dev/null stays a device' "$(stat -c %F /dev/null)" 'character special file'
check 'report to a full device' 3 has 'No space left' -- "$cts" report a --format json --output /dev/full
check 'report to a folder' 3 has 'Is a directory' -- "$cts" report a --format json --output a
check 'report to a missing folder' 3 has 'No such file' -- "$cts" report a --format json --output none/x

# ---- complete files or none ----------------------------------------------------------------------

(umask 077 && "$cts" report a --output mine.html)
same 'a report has the mode of the umask' "$(stat -c %a mine.html)" 600
"$cts" report a --format json --output old.json
for format in junit html; do
    cp old.json kept
    check "report as $format over the limit of file sizes" 3 has 'File too large' -- \
        bash -c 'ulimit -f 1; trap "" XFSZ; "$@"' - "$cts" report a --format $format --output kept
    same 'a failed report leaves the older file' "$(cmp old.json kept 2>&1)" ''
done
same 'a failed report leaves no temporary file' "$(find . -name '.topk-cts.*')" ''
for i in 1 2; do
    "$cts" run 'ties.*' --backend cpu --no-identity --shard $i/2 --out "s$i" >/dev/null
done
check 'shards are merged' 0 -- "$cts" merge s1 s2 --out m
same 'merge writes a log, a JUnit file and nothing else' "$(cd m && echo .[!.]* *)" '.[!.]* junit.xml results.jsonl'
check 'merge refuses a folder with a log' 2 has 'already exists' -- "$cts" merge s1 s2 --out m
rm m/results.jsonl
ln -s "$work/victim" m/results.jsonl
check 'merge refuses a log that is a link' 2 has 'already exists' -- "$cts" merge s1 s2 --out m
same 'merge leaves the target of the link' "$(cat victim)" precious
check 'merge of the same shard twice' 2 -- "$cts" merge s1 s1 --out none
same 'a refused merge leaves no folder' "$(echo none*)" 'none*'

# ---- one run at a time in a folder ---------------------------------------------------------------

# a backend that waits until a file tells it to continue
cat >slow.sh <<'SLOW'
touch started
while [ ! -e go ]; do sleep 0.05; done
exec "$1" cpu
SLOW
hold() {
    rm -f go started
    "$cts" run floats.zeros --backend-command "bash $work/slow.sh $bin/topk-backend" \
        --no-identity --timeout 100 "$@" >held 2>&1 &
    holder=$!
    until [ -e started ]; do sleep 0.02; done
}
mkdir -p used
cp a/results.jsonl used/
hold --out used --overwrite
for how in --overwrite --resume ''; do
    check "a second run ${how:---out} is refused" 2 has 'the folder used is in use' has "process $holder" -- \
        run --out used ${how:+"$how"}
done
check 'merge into a folder in use is refused' 2 has 'the folder used is in use' -- "$cts" merge s1 s2 --out used
check 'report reads a folder in use' 0 has "process $holder" has 'the run is incomplete' -- "$cts" report used --format json
touch go
wait $holder
same 'the first run completes' "$(grep -c '^PASSED' held)" 1
check 'after it, another run uses the folder' 1 -- run --out used --overwrite
same 'no lock file is left' "$(echo used/.[!.]*)" 'used/.[!.]*'
hold --out used --overwrite
kill -KILL $holder
wait $holder 2>/dev/null
touch go
check 'a lock ends with its process' 1 -- run --out used --overwrite

echo "passed $passed, failed $failed"
[ $failed -eq 0 ]
