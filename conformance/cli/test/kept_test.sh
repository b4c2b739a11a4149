#!/usr/bin/env bash
# The last line of a command reports success only if the results are on disk, and agrees with the exit code: full
# or failing disks, logs that are removed, replaced or changed during the run, standard output that cannot be written.
# Run as
#   kept_test.sh BIN
# where BIN holds topk-cts, topk-worker and topk-backend.
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
begin BIN "$@"
need cc

# a call on a file fails from the Nth time on: FAIL="CALL FILE N ERRNO"
cat >fails.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int fails(const char *call, int fd)
{
    static int seen;
    char wanted[64], file[64], link[64], path[4096];
    int from, number;
    const char *how = getenv("FAIL");
    if (how == NULL || sscanf(how, "%63s %63s %d %d", wanted, file, &from, &number) != 4) {
        return 0;
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    const size_t name = strlen(file);
    if (strcmp(wanted, call) != 0 || length < (ssize_t)name ||
        strcmp(path + length - name, file) != 0 || ++seen < from) {
        return 0;
    }
    errno = number;
    return 1;
}
int fsync(int fd)
{
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    return fails("fsync", fd) ? -1 : real(fd);
}
ssize_t write(int fd, const void *data, size_t size)
{
    ssize_t (*real)(int, const void *, size_t) =
        (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    return fails("write", fd) ? -1 : real(fd, data, size);
}
int close(int fd)
{
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close");
    const int failed = fails("close", fd), number = errno, code = real(fd);
    errno = failed ? number : errno;
    return failed ? -1 : code;
}
END
cc -fPIC -shared -o fails.so fails.c -ldl || exit 1
eio=5
enospc=28

case=$("$cts" list --profile peers | head -n 1)
run=(run --backend cpu --profile peers --no-probes)

# a run that cannot keep its results must not report success, and its log must not say that it is complete
modest() {
    local dir=$1
    if grep -qE '^(CONFORMANT|PASSED)' out; then
        report 'it says that all is well' "$2: the output does not report success"
    elif [ -e "$dir/results.jsonl" ] && grep -q '"complete":true' "$dir/results.jsonl"; then
        report 'the log says that it is complete' "$2: the log is not complete"
    else
        report '' "$2: no success is reported"
    fi
}

failing() { env LD_PRELOAD="$work/fails.so" FAIL="$1" "${@:2}"; }

echo '# a failing disk'
check 'without a failing call' 0 has 'CONFORMANT: 43 passed' lacks INCOMPLETE -- failing 'none none 1 5' "$cts" "${run[@]}" --out well
for how in "fsync results.jsonl 1 $eio" "fsync results.jsonl 1 $enospc" "write results.jsonl 20 $enospc" \
    "close results.jsonl 1 $eio" "fsync out 1 $eio"; do
    rm -rf out.d && mkdir out.d
    name=${how% *}
    dir=out.d/run
    [ "${how%% out *}" = "$how" ] || { dir=out.d/out; }
    check "$name fails" 3 has 'the log cannot be written' has INCOMPLETE has 'To continue: ' \
        -- failing "$how" "$cts" "${run[@]}" --out "$dir"
    modest "$dir" "$name fails"
    check "$name: --resume works" 0 lacks INCOMPLETE -- "$cts" "${run[@]}" --out "$dir" --resume
done

echo '# files beside the log'
mkdir -p junit/junit.xml
check 'the JUnit file cannot be written' 3 has 'junit.xml' has INCOMPLETE -- "$cts" "${run[@]}" --out junit
modest junit 'no JUnit file'
rmdir junit/junit.xml
check 'the JUnit file is written by --resume' 0 lacks INCOMPLETE -- "$cts" "${run[@]}" --out junit --resume
check 'the log is complete after --resume' 0 has '"complete":true' -- tail -n 1 junit/results.jsonl
mkdir -p shrunk/shrunk.txt
check 'the file of shrunk cases cannot be written' 3 has 'shrunk.txt' has INCOMPLETE \
    -- "$cts" run --backend faulty:ties-descending --profile peers --no-probes --retries 0 --shrink --out shrunk
modest shrunk 'no file of shrunk cases'

echo '# a log that another process changes'
# meddled NAME COMMAND WORDS: runs COMMAND on the log before the backend gets its first call
meddled() {
    local dir=meddled
    rm -rf $dir
    cat >meddle.sh <<END
{
    IFS= read -r line && printf '%s\\n' "\$line"
    while [ ! -s $work/$dir/results.jsonl ]; do sleep 0.05; done
    (cd $work/$dir && { $2; }) >/dev/null 2>&1 </dev/null
    cat
} | '$bin/topk-backend' cpu
END
    check "$1" 3 has "$3" has INCOMPLETE -- "$cts" "${run[@]}" --no-identity --backend-command "sh $work/meddle.sh" --out $dir
    report "$(grep -E '^(CONFORMANT|PASSED)' out)" "$1: the output does not report success"
}
run=(run --profile peers --no-probes)
meddled 'the log is removed' 'rm results.jsonl' 'was removed while it was written'
meddled 'the log is replaced by a copy' 'cp results.jsonl x && mv x results.jsonl' 'it was replaced'
meddled 'the log is truncated' ': >results.jsonl' 'it was changed while it was written'
meddled 'the log gets another line' 'echo >>results.jsonl' 'it was changed while it was written'
meddled 'a byte of the log is changed' "printf X | dd of=results.jsonl bs=1 seek=40 conv=notrunc" 'it was changed meanwhile'
meddled 'the folder of the log is moved' "mv ../meddled ../moved.\$\$" 'was removed while it was written'

echo '# standard output that cannot be written'
into_full() { "$@" >/dev/full; }
into_nobody() {
    { sleep 0.2; "$@"; } | true
    return "${PIPESTATUS[0]}"
}
merged() { rm -rf merged && "$@"; }
"$cts" run --backend cpu --profile peers --no-probes --shard 1/2 --out s1 >/dev/null
"$cts" run --backend cpu --profile peers --no-probes --shard 2/2 --out s2 >/dev/null
for where in into_full into_nobody; do
    check "run $where" 3 has 'standard output' -- $where "$cts" run --backend cpu --profile peers --no-probes --out $where
    check "replay $where" 3 has 'standard output' -- $where "$cts" replay --backend cpu "$case"
    check "explore $where" 3 has 'standard output' -- $where "$cts" explore --backend cpu --count 20 --seed 1
    check "merge $where" 3 has 'standard output' -- merged $where "$cts" merge s1 s2 --out merged
done
mkdir -p merged2/junit.xml
check 'merge without a JUnit file' 3 has 'junit.xml' has INCOMPLETE -- "$cts" merge s1 s2 --out merged2
modest merged2 'merge without a JUnit file'
check 'list into a pipe without a reader' 0 lacks 'standard output' -- into_nobody "$cts" list ties

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
