#!/usr/bin/env bash
# What topk-cts does for a user: exit codes, files, interrupted and continued runs. Its messages are in golden/, which
# golden_test.sh compares. Run as
#   cli_test.sh DIR
# where DIR holds topk-cts and topk-worker. Prints a line for each check and, at the end, how many passed.
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
begin BIN "$@"
exec </dev/null

# A worker that answers each case as its first argument tells it
cp "$tests/fake_worker.sh" fake.sh
fake() { echo "sh $work/fake.sh $*"; }
case='top_k1 fl=5.0 in=f32[1,1,1,4] axis=3 k=2 dir=dec data=hex:40400000,3f800000,3f800000,3f800000'

# ---- usage -----------------------------------------------------------------------------------------

check 'abbreviated option' 0 has 'ties.boundary:' -- "$cts" list --prof core ties.boundary
for level in 5 5.0.0 x 0.1 '' 55.0; do
    check "feature level '$level'" 2 has '--feature-level takes a level' \
        -- "$cts" list --feature-level "$level"
done
for seconds in 0 -1 x nan inf '' 1e9; do
    check "timeout '$seconds'" 2 has '--timeout takes seconds' \
        -- "$cts" run --backend cpu "--timeout=$seconds"
done
for number in -1 x '' 257 99999999999999999999999; do
    check "jobs '$number'" 2 has '--jobs takes a number from 0 to 256' \
        -- "$cts" run --backend cpu "--jobs=$number"
done

# ---- list ------------------------------------------------------------------------------------------

check 'list of a test' 0 has 'ties.boundary:top_k1 ' lacks 'ties.inside' -- "$cts" list ties.boundary
check 'list of a glob' 0 has 'ties.inside:top_k1 ' lacks 'top_k fl' -- "$cts" list 'ties.*:top_k1 *'
check 'list of tests' 0 has 'ties.boundary ' has 'equal values' lacks 'top_k' \
    -- "$cts" list --tests ties
check 'list by level' 0 has 'fl=2.0' lacks 'fl=5.0' lacks 'fl=3.1' \
    -- "$cts" list --feature-level 2.1 types.levels
"$cts" list >all 2>err
"$cts" list --profile core >listed 2>err
that 'list prints one id per line' "$(grep -c '^[a-z-]*\.[a-zB0-9-]*:top_k' all)" = "$(wc -l <all)"
that 'ids are not repeated' "$(sort -u all | wc -l)" = "$(wc -l <all)"
that 'list: the cases of a profile are among all cases' "$(comm -13 <(sort all) <(sort listed) | wc -l)" = 0

# ---- backends --------------------------------------------------------------------------------------

# a process with a choice of devices, which accepts only one of them
cat >devices.sh <<DEVICES
read -r line
[ "\$line" != devices ] || { echo 'devices=gpu%3D0,the%20other'; read -r line; }
[ "\$line" = 'open 1 the%20other' ] || { echo unavailable no%20such%20device; exit; }
(echo 'open 1 '; cat) | '$bin/topk-backend' cpu
DEVICES
check 'devices of a command' 0 has 'gpu=0: unavailable: no such device' has 'the other: available: cpu 1.0' \
    has '--device DEVICE' -- "$cts" backends --backend-command 'sh devices.sh'
check 'run with --device' 0 has 'PASSED: ' \
    -- "$cts" run --backend-command 'sh devices.sh' --device 'the other' --out device examples
check 'the replay command has the --device of the run' 0 has "--device 'the other'" -- grep -m 1 '"replay"' device/results.jsonl
cp "$bin/chaos.so" here.so
check 'a plugin in the current folder, without a slash' 0 has 'PASSED' -- "$cts" run --backend here.so ties --out here
check '--backend given twice' 2 has "--backend was given twice, 'cpu' and 'vulkan': a run tests one backend" \
    -- "$cts" run --backend cpu --backend vulkan ties
check 'an unknown backend is an error of the command line' 2 has "there is no backend 'cqu'" -- "$cts" run --backend cqu
check 'a backend that this build lacks is unavailable' 4 has "directml is built in on Windows only" \
    has "'scripts/wine-backend directml'" -- "$cts" run --backend directml
# the example plugin, changed to accept calls without checking them
sed 's/TOPK_BACKEND_OWN_CONTRACT |/0 |/
    s/^        run_one(&calls\[i\], &answers\[i\]);/        if (calls[i].create_only) { answers[i].status = TOPK_BACKEND_DONE; continue; }\n&/' \
    "$root/docs/example-plugin/example.c" >accepting.c
cc -O1 -fPIC -shared "-I$root/backends/include" -o accepting.so accepting.c
check 'a backend that accepts invalid calls gets a hint about invalid=own' 1 has 'invalid calls were accepted. If this backend does not check' \
    has 'invalid=own' -- "$cts" run --backend ./accepting.so invalid --out accepting
check 'a plugin given as a command' 4 has 'A plugin is given by --backend, not as a command.' \
    -- "$cts" run --backend-command "$bin/broken_empty.so"
that 'no folder was made so far' ! -e topk-results

# ---- run -------------------------------------------------------------------------------------------

check 'run that passes' 0 has 'PASSED: ' has 'only a whole profile' has 'results.jsonl' has 'junit.xml' \
    -- "$cts" run ties --backend cpu
that 'the default folder has the log' -s "$(echo topk-results/cpu-core-*/results.jsonl)"
that 'the default folder has the JUnit file' -s "$(echo topk-results/cpu-core-*/junit.xml)"
check 'run of a whole profile' 0 has 'CONFORMANT: ' lacks 'NOT CONFORMANT' \
    -- "$cts" run --backend cpu --out whole
that 'the log has one record per case' "$(grep -c '"record":"case"' whole/results.jsonl)" = "$(wc -l <listed)"
check 'run that fails' 1 has 'FAIL ties.boundary (S09 EXAMPLE)' \
    has 'NOT CONFORMANT: ' has ', clauses S09' lacks 'More failures' \
    has "replay --worker 'sh " -- "$cts" run ties.boundary --worker "$(fake fail)"
that 'one failure of a bug is printed' "$(grep -c '^FAIL' out)" = 1
check 'run with --verbose and --show-failures 2' 1 has 'More failures are in the log only.' \
    -- "$cts" run ties.boundary --worker "$(fake fail)" --verbose --show-failures 2
that 'two failures are printed, and the one of the bug' "$(grep -c '^FAIL' out)" = 3
check 'run without printed failures' 1 lacks 'FAIL ' \
    -- "$cts" run ties.boundary --worker "$(fake fail)" --show-failures 0
check 'run in a pipe prints its progress' 5 has ' of 220 cases, ' has ' per second, 0 failed' \
    -- env TOPK_HEARTBEAT=0.2 "$cts" run ties.boundary:top_k1 --worker "$(fake slow)" --time-budget 1
check 'TOPK_HEARTBEAT=0: run in a pipe prints no progress' 5 lacks ' per second, 0 failed' \
    -- env TOPK_HEARTBEAT=0 "$cts" run ties.boundary:top_k1 --worker "$(fake slow)" --time-budget 1
check 'TOPK_HEARTBEAT=x is an error of the command line' 2 has "TOPK_HEARTBEAT takes seconds, 0 for no lines, not 'x'" \
    -- env TOPK_HEARTBEAT=x "$cts" run --backend cpu --out beats
that 'TOPK_HEARTBEAT=x: nothing is written' ! -e beats
check 'run that is skipped' 77 has 'NOT TESTED' has 'no such type' \
    -- "$cts" run ties.boundary --worker "$(fake unsupported)"
idle=$(fake idle)
unasked='cases are unsupported, among them all that ask for a result'
check 'run that only refuses' 77 has 'NOT TESTED: ' has "$unasked" lacks PASSED \
    -- "$cts" run invalid.k-zero ties.boundary --worker "$idle" --out idle
check 'report with a gate, of a run that only refuses' 77 has 'nothing was tested' \
    -- "$cts" report idle --format junit --output idle.xml --max-failures 0
check 'report of a run that only refuses' 0 has '## NOT TESTED' has "$unasked" -- "$cts" report idle --format markdown
check 'a run of invalid calls alone counts as tested' 0 has ': 18 passed, 0 failed, 4 unsupported (' lacks 'NOT TESTED' \
    -- "$cts" run invalid.k-zero --worker "$idle" --trust-worker
check 'replay that only refuses' 77 has 'PASS invalid.k-zero' \
    -- "$cts" replay --worker "$idle" "invalid.k-zero:${case/k=2/k=0}" "$case"
for shard in 1 2; do
    check "shard $shard that only refuses" 77 has "$unasked" -- "$cts" run invalid.k-zero ties.boundary \
        --worker "$idle" --shard $shard/2 --out "idle$shard"
done
check 'merge of runs that only refuse' 77 has 'NOT TESTED: ' has "$unasked" -- "$cts" merge idle1 idle2 --out idle3
mkdir idle4 && head -n 5 idle/results.jsonl >idle4/results.jsonl
check 'a resumed run that only refuses' 77 has "$unasked" \
    -- "$cts" run invalid.k-zero ties.boundary --worker "$idle" --out idle4 --resume
forged="no\\x0aCONFORMANT: all$(printf '\303\251')"
check 'control characters of a worker are escaped' 77 lacks $'\e' lacks $'\a' lacks $'\302' \
    has "backend: (no name) \\x1b[1m on \\x0a$(printf '\303\251'), driver \\xc2\\x9b, feature level" has '  features: \x07\x0aCONFORMANT:' \
    has "\\x1b[2J$forged" -- "$cts" run ties.boundary --worker "$(fake forge)"
that 'a worker cannot forge a line of the output' "$(grep -c '^CONFORMANT' out)" = 0
check 'control characters in the reason of a failure are escaped' 1 lacks $'\e' has "  \\x1b[2J$forged" \
    -- "$cts" run ties.boundary --worker "$(fake forge 5.0 fail)"
check 'replay: control characters of a worker are escaped' 1 lacks $'\e' has "  \\x1b[2J$forged" \
    -- "$cts" replay "$case" --worker "$(fake forge 5.0 crash)"
check 'a backend without a name' 0 has 'backend: (no name) \x1b[1m on ' has ', (no name) \x1b[1m)' lacks $'\e' \
    -- "$cts" run ties.boundary --worker "$(fake forge 5.0 pass)" --trust-worker
check 'limited level' 0 has '1465 cases up to feature level 2.0 (of 34111 in all)' \
    has '(topk core v7 up to feature level 2.0, cpu' \
    -- "$cts" run --backend cpu --feature-level 2.0 --out level
check 'a shard of a run with --feature-level' 0 has '487 cases of 1465: shard 1 of 3, up to feature level 2.0 (of 34111 in all)' \
    -- "$cts" run --backend cpu --feature-level 2.0 --shard 1/3 --out level-shard
check 'a case that is not in the profile' 0 has 'PASSED: 1 passed' -- "$cts" run "$case" --backend cpu
check 'several jobs' 0 has 'PASSED' -- "$cts" run ties --backend cpu --jobs 3 --seed 7 --out jobs3
check 'seed' 0 has 'PASSED' -- "$cts" run ties --backend cpu --seed 7 --out seed7
check 'other seed' 0 -- "$cts" run ties --backend cpu --seed 8 --out seed8
check 'same seed' 0 -- "$cts" run ties --backend cpu --seed 8 --out seed8b
numbers() { grep '"record":"case"' "$1/results.jsonl" | grep -o '"number":[0-9]*'; }
that 'the same seed gives the same order' "$(numbers seed8)" = "$(numbers seed8b)"
that 'another seed gives another order' "$(numbers seed7)" != "$(numbers seed8)"
that 'several jobs run each case' "$(numbers jobs3 | sort)" = "$(numbers seed8 | sort)"
that 'no colour in a pipe' "$("$cts" run ties --worker "$(fake fail)" | grep -c $'\033')" = 0

# ---- runs that a worker judges, or that are judged in process --------------------------------------

untrusted='JUDGED BY THE WORKER, not by this suite: '
phrase='judged by the worker, not by this suite'
check 'run of a small profile is conformant' 0 has 'CONFORMANT: 43 passed' -- "$cts" run --profile peers --backend cpu --out ours
check 'a run that a worker judged is not conformant' 1 has "${untrusted}43 passed, 0 failed, 0 unsupported (topk peers v" \
    lacks CONFORMANT -- "$cts" run --profile peers --worker "$(fake pass)" --out told
check '--trust-worker: a run that a worker judged is still not conformant' 0 has "${untrusted}43 passed, 0 failed" lacks CONFORMANT \
    -- "$cts" run --profile peers --worker "$(fake pass)" --trust-worker --out told --overwrite
that 'the log of a run that a worker judged says so' "$(grep -c '^{"record":"header".*"judge":"worker"' told/results.jsonl)" = 1
that 'the JUnit file of a run that a worker judged says so' "$(grep -c '<property name="judge" value="judged by the worker, not by this suite"/>' told/junit.xml)" -gt 1
for format in html markdown; do
    check "report of a run that a worker judged: $format" 0 has 'JUDGED BY THE WORKER, not by this suite' has "$phrase" lacks CONFORMANT \
        -- "$cts" report told --format $format
done
check 'report --trust-worker exits with 0' 0 -- "$cts" report told --format markdown --max-failures 0 --trust-worker
check 'compare: a run that a worker judged is worse' 1 has 'B IS WORSE THAN A: ' has 'its judge is less trustworthy' \
    has "   $phrase" has 'different judge:' -- "$cts" compare ours told
check 'compare: a run that a worker judged is the same as itself' 0 has 'THE SAME AS' -- "$cts" compare told told
check 'failures that a worker reports count as failures' 1 has 'NOT CONFORMANT: 330 of 330 cases failed, clauses S09; judged by the worker, not by this suite' \
    -- "$cts" run ties.boundary --worker "$(fake fail)" --trust-worker
for shard in 1 2; do
    check "shard $shard of a worker" 1 has "$untrusted" lacks 'only all shards' \
        -- "$cts" run ties.boundary --worker "$(fake pass)" --shard $shard/2 --out "told$shard"
done
check 'merge of shards that a worker judged' 1 has "$untrusted" lacks CONFORMANT -- "$cts" merge told1 told2 --out told3
check 'merge --trust-worker exits with 0' 0 has "$untrusted" lacks CONFORMANT \
    -- "$cts" merge told1 told2 --out told4 --trust-worker
check 'replay notes that a worker judged' 1 has 'PASS case' has "$phrase" -- "$cts" replay "$case" --worker "$(fake pass)"
check 'replay --trust-worker exits with 0' 0 has "$phrase" -- "$cts" replay "$case" --worker "$(fake pass)" --trust-worker
check 'explore notes that a worker judged' 1 has 'none failed' has "$phrase" -- "$cts" explore --count 20 --worker "$(fake pass)"
check 'explore --trust-worker exits with 0' 0 -- "$cts" explore --count 20 --worker "$(fake pass)" --trust-worker
check 'a run with --in-process is not conformant' 1 has 'JUDGED IN ONE PROCESS WITH THE BACKEND: ' lacks CONFORMANT \
    -- "$cts" run ties.boundary --backend cpu --in-process --out beside
that 'the log of a run with --in-process says so' "$(grep -c '^{"record":"header".*"judge":"in-process"' beside/results.jsonl)" = 1
check 'a run with --in-process is not resumed without it' 2 has "of another run: its judge is 'in-process', not 'apart'" \
    -- "$cts" run ties.boundary --backend cpu --out beside --resume
check 'the replay command has --in-process' 1 has 'replay --backend faulty:B26 --in-process ' \
    -- "$cts" run ties.boundary --backend faulty:B26 --in-process --show-failures 1

# cases that pass by a status alone: refusals, and no others
check 'passes by a status alone' 0 has '(22 by status alone), 0 failed' has '22 pass; 22 of the passes by status alone' \
    -- "$cts" run invalid.k-zero --backend cpu --out refusals
check 'no pass by a status alone' 0 lacks 'status alone' -- "$cts" run ties.boundary --backend cpu
that 'the log says which cases passed by a status alone' "$(grep -c '"verdict":"pass","by":"status","nanoseconds"' refusals/results.jsonl)" = 22
mkdir refusals2 && head -n 6 refusals/results.jsonl >refusals2/results.jsonl
check 'passes by a status alone, in a resumed run' 0 has '22 passed (22 by status alone)' \
    -- "$cts" run invalid.k-zero --backend cpu --out refusals2 --resume
for shard in 1 2; do
    "$cts" run invalid.k-zero ties.boundary --backend cpu --shard $shard/2 --out "both$shard" >out 2>err
done
check 'passes by a status alone, in merged shards' 0 has '352 passed (22 by status alone), 0 failed' -- "$cts" merge both1 both2 --out both
check 'passes by a status alone, in replay' 0 has 'results: 2 pass; 1 of the passes by status alone' \
    -- "$cts" replay --backend cpu "${case/k=2/k=0}" "$case"
check 'passes by a status alone, in compare' 0 has '   22 pass; 22 of the passes by status alone' -- "$cts" compare refusals refusals2

# ---- folders ---------------------------------------------------------------------------------------

check '--overwrite replaces a run' 0 has PASSED -- "$cts" run ties --backend cpu --out whole --overwrite
that '--overwrite leaves nothing of the old log' "$(grep -c '"id":"order' whole/results.jsonl)" = 0
mkdir begun
for text in '' '{"record":"header","for' '{"rec'; do
    printf '%s' "$text" >begun/results.jsonl
    check "continuing a log of ${#text} bytes" 0 has 'begun/results.jsonl has no header yet: the run starts again' has PASSED \
        -- "$cts" run ties.few --backend cpu --out begun --resume
done
printf 'mine' >begun/results.jsonl
check '--resume on a file that is not a log' 3 has 'this is not a result log' -- "$cts" run ties.few --backend cpu --out begun --resume
that '--resume leaves a file that is not a log unchanged' "$(cat begun/results.jsonl)" = mine
check '--resume with another backend' 2 has 'of another run' has 'backend' \
    -- "$cts" run ties --worker "$(fake pass)" --out whole --resume
sed 's/"verdict":"pass"/"verdict":"fail"/' whole/results.jsonl >edited && mkdir edits &&
    mv edited edits/results.jsonl
mkdir cut
sed 60q whole/results.jsonl | head -c -20 >cut/results.jsonl
check '--resume on a truncated log' 0 has 'continuing: ' has PASSED \
    -- "$cts" run ties --backend cpu --out cut --resume
that '--resume on a truncated log runs every case once' "$(numbers cut | sort -u | wc -l)" = "$(numbers whole | wc -l)"

# ---- interruptions ---------------------------------------------------------------------------------

# interrupted SIGNAL DIR OPTION...: a slow run, which gets the signal when the log has another result
interrupted() {
    local signal=$1 dir=$2 before pid tries
    before=$(numbers "$dir" 2>/dev/null | wc -l)
    env --default-signal=INT "$cts" run ties.boundary --worker "$(fake slow)" --out "$dir" "${@:3}" &
    pid=$!
    for ((tries = 0; tries < 1200; tries++)); do
        if [ "$(numbers "$dir" 2>/dev/null | wc -l)" -gt "$before" ] || ! kill -0 "$pid" 2>/dev/null; then
            break
        fi
        sleep 0.1
    done
    kill -s "$signal" "$pid"
    wait "$pid"
}
for name in INT TERM; do
    check "SIG$name" 5 has interrupted has INCOMPLETE has "To continue: $cts run ties.boundary" \
        has ' --resume' -- interrupted "$name" "int-$name"
    that "SIG$name: the log ends" "$(tail -n 1 int-$name/results.jsonl | grep -c '"complete":false')" = 1
    that "SIG$name: JUnit file" -s int-$name/junit.xml
done
before=$(numbers int-INT | wc -l)
that 'SIGINT: the log has results from before it' "$before" -gt 0
check '--resume after SIGINT' 5 has "continuing: $before cases" has INCOMPLETE \
    -- interrupted INT int-INT --resume
that '--resume after SIGINT adds results' "$(numbers int-INT | wc -l)" -gt "$before"
that '--resume after SIGINT has no result twice' "$(numbers int-INT | sort | uniq -d | wc -l)" = 0

# ---- runs that end early ---------------------------------------------------------------------------

for option in max-crashes max-timeouts; do
    for number in -1 x '' 1.5 4294967296; do
        check "$option '$number'" 2 has "--$option takes a number from 0 to" \
            -- "$cts" run --backend cpu "--$option=$number"
    done
done
for seconds in 0 -1 x nan ''; do
    check "time budget '$seconds'" 2 has '--time-budget takes seconds from 0.001 to' \
        -- "$cts" run --backend cpu "--time-budget=$seconds"
done
cases=$("$cts" list ties.boundary | wc -l)
version=$("$cts" profile core | sed -n 's/^core \(v[0-9]*\):.*/\1/p')
end_of() { tail -n 1 "$1/results.jsonl"; }
# ended DIR LINE NUMBER JSON: the last line of the run into DIR, how many cases have a record, and what the
# end record says about the others
ended() {
    that "$1: the last line" "$(tail -n 1 out)" = "${2%; judged by the worker*}; judged by the worker, not by this suite"
    that "$1: records" "$(numbers "$1" | sort -u | wc -l)" = "$3"
    that "$1: no record twice" "$(numbers "$1" | wc -l)" = "$3"
    that "$1: the end record" "$(end_of "$1" | grep -cF "\"complete\":false,\"early\":{$4,\"left\":$((cases - $3))}")" = 1
    that "$1: JUnit file" "$(grep -c 'type="incomplete"' "$1/junit.xml")" = 1
}
check '--fail-fast' 1 has 'FAIL ties' has "To continue: $cts run ties.boundary" has ' --resume' \
    -- "$cts" run ties.boundary --worker "$(fake fail)" --fail-fast --out early1
ended early1 "NOT CONFORMANT: ended early after the first failure (--fail-fast): 0 passed, 1 failed, 0 unsupported, $((cases - 1)) not run, clauses S09 (topk core $version, fake 9)" \
    1 '"by":"fail-fast","limit":1'
check '--fail-fast with several jobs' 1 has 'ended early after the first failure' \
    -- "$cts" run ties.boundary --worker "$(fake fail)" --fail-fast --jobs 3 --out early2
ended early2 "$(tail -n 1 out)" 1 '"by":"fail-fast","limit":1'
check 'continuing a run that ended early' 1 has 'continuing: 1 cases' has "$cases of $cases cases failed" lacks 'ended early' \
    -- "$cts" run ties.boundary --worker "$(fake fail)" --jobs 3 --out early2 --resume
that 'a run that is continued after an early end has every case' "$(numbers early2 | sort -u | wc -l)" = "$cases"
that 'a run that is continued after an early end has no case twice' "$(numbers early2 | wc -l)" = "$cases"
check '--max-crashes' 1 has 'CRASH ties' \
    -- "$cts" run ties.boundary --worker "$(fake crash)" --max-crashes 3 --out early3
ended early3 "NOT CONFORMANT: ended early after 3 crashes (--max-crashes 3): 0 passed, 3 failed, 0 unsupported, $((cases - 3)) not run (topk core $version, fake 9)" \
    3 '"by":"max-crashes","limit":3'
check '--max-timeouts' 1 has 'TIMEOUT ties' \
    -- "$cts" run ties.boundary --worker "$(fake hang)" --timeout 0.2 --max-timeouts 1 --out early4
ended early4 "NOT CONFORMANT: ended early after 1 timeout (--max-timeouts 1): 0 passed, 1 failed, 0 unsupported, $((cases - 1)) not run (topk core $version, fake 9)" \
    1 '"by":"max-timeouts","limit":1'
check '--time-budget' 5 has "To continue: $cts run ties.boundary" \
    -- "$cts" run ties.boundary --worker "$(fake slow)" --time-budget 1.5 --out early5
done=$(numbers early5 | wc -l)
ended early5 "INCOMPLETE: time budget of 1.5 s spent: $done passed, 0 failed, 0 unsupported, $((cases - done)) not run (topk core $version, fake 9)" \
    "$done" '"by":"time-budget","limit":1.5'
check 'harness errors with --fail-fast: not judged' 3 has 'NOT JUDGED: ended early after the first failure' \
    -- "$cts" run ties.boundary --worker "$(fake harness)" --fail-fast
check 'unsupported cases do not end a run early' 77 lacks early \
    -- "$cts" run ties.boundary --worker "$(fake unsupported)" --fail-fast --max-crashes 1 --max-timeouts 1
echo 'verdict=fail select=ties.boundary backend=fake owner=me reason=because expires=2999-01-01' >known
check 'expected failures do not end a run early' 0 has 'failed as expected' lacks early \
    -- "$cts" run ties.boundary --worker "$(fake fail)" --trust-worker --expectations known --fail-fast
sed s/fail/crash/ known >crashes
check 'expected crashes do not end a run early' 0 has 'failed as expected' lacks early \
    -- "$cts" run 'ties.boundary:top_k fl=2.0 in=f32*' --worker "$(fake crash)" --trust-worker --expectations crashes --max-crashes 1
"$cts" list ties.boundary | tail -n 1 >last
check '--fail-fast at the last case: the run is complete' 1 has 'NOT CONFORMANT: 1 of 1 cases failed' lacks 'ended early' \
    -- "$cts" run "$(cat last)" --worker "$(fake fail)" --fail-fast --out early6
that '--fail-fast at the last case: the log is complete' "$(end_of early6 | grep -c '"complete":true,"totals"')" = 1
check 'report of a run that ended early' 0 has '## NOT CONFORMANT' \
    has "early after the first failure \\(--fail-fast\\)\\: 1 of 1 cases failed, $((cases - 1)) were not run" \
    -- "$cts" report early1 --format markdown
check 'report of a run that ended early, as a page' 0 has "ended early after 3 crashes (--max-crashes 3): 3 of 3 cases failed, $((cases - 3)) were not run" \
    -- "$cts" report early3 --format html --output /dev/stdout
check 'report of a run that ended early, as JSON' 0 has '"by": "time-budget"' has '"limit": 1.5' has "\"left\": $((cases - done))" has '"good": false' \
    has "time budget of 1.5 s spent: $done of $cases cases have a result, 0 failed" -- "$cts" report early5 --format json
check 'report of a run that ended early, as JUnit' 0 has "$cases cases have a record; ended early after 3 crashes (--max-crashes 3)" \
    -- "$cts" report early3 --format junit
check 'report of a run that ended early, with a gate' 1 has 'the run is incomplete' -- "$cts" report early5 --format junit --output gate.xml --max-failures 9
check 'replay ends early, too' 1 has 'FAIL case' has "ended early after the first failure (--fail-fast): 1 of 2 cases were not run" \
    -- "$cts" replay --worker "$(fake fail)" --fail-fast "$case" "$case"
check 'replay of one case with --fail-fast does not end early' 1 lacks early -- "$cts" replay --worker "$(fake fail)" --fail-fast "$case"
check 'replay with a budget' 5 has 'time budget of 0.3 s spent: ' \
    -- "$cts" replay --worker "$(fake slow)" --time-budget 0.3 "$case" "$case" "$case" "$case" "$case" "$case" "$case" "$case"

full() {
    (
        trap '' XFSZ
        ulimit -f 40
        exec "$cts" run ties --backend cpu --out disk
    )
}
check 'full disk' 3 has 'the log cannot be written' has INCOMPLETE -- full
that 'full disk: the log has only whole records' \
    "$(grep -c '"chain":"[0-9a-f]*"}$' disk/results.jsonl)" = "$(wc -l <disk/results.jsonl)"
check '--resume after a full disk' 0 has 'continuing' has PASSED \
    -- "$cts" run ties --backend cpu --out disk --resume

into_full() { "$@" >/dev/full; }
check 'run into a full device' 3 has 'standard output' \
    -- into_full "$cts" run ties --backend cpu --out stdout
that 'run into a full device: the log' "$(tail -n 1 stdout/results.jsonl | grep -c '"complete":true')" = 1
headed() {
    "$@" | head -n 1 >/dev/null
    return "${PIPESTATUS[0]}"
}
check 'list into a closed pipe' 0 lacks 'standard output' -- headed "$cts" list
check 'run into a closed pipe' 1 lacks 'standard output' \
    -- headed "$cts" run ties --worker "$(fake fail)" --show-failures 1000 --out pipe
that 'run into a closed pipe: the log' "$(tail -n 1 pipe/results.jsonl | grep -c '"complete":true')" = 1

# ---- replay ----------------------------------------------------------------------------------------

id="ties.boundary:$case"
check 'replay that fails' 1 -- "$cts" replay --worker "$(fake fail)" "$id"
cat >golden <<GOLDEN
FAIL ties.boundary (S09 EXAMPLE)
  $case
  S09: Of equal values across the K boundary those with the lowest indices are selected
    index[0,0,0,1]: index 3 is selected, the lower index 1 of equal value is not
  sequence 0, outputs 0 to 1 of 2:
    position  expected      index  actual        index
           0  3 (40400000)      0  3 (40400000)      0
           1  1 (3f800000)      1  1 (3f800000)      3  <--
  $cts replay --worker '$(fake fail)' '$id'
GOLDEN
that 'replay prints a failure as expected' "$(cat out)" = "$(cat golden)"
printf '%s\n' '# a comment' '' "$id" "$case" >cases
from_stdin() { "$cts" replay --backend cpu - <"$1"; }
check 'replay from standard input' 0 has 'results: 2 pass' -- from_stdin cases
printf '%s\n' "$case" 'top_k3' >cases
# a file of cases, as in corpus/
{
    printf '\357\273\277%s\r\n\n# two cases, behind a byte order mark\n%s\n' "$case" "$id"
} >cases.txt
check 'replay of a file' 0 has 'results: 2 pass' -- "$cts" replay --backend cpu --file cases.txt
check 'replay of two files and a case' 0 has 'results: 5 pass' \
    -- "$cts" replay --backend cpu --file cases.txt "$case" --file=cases.txt
printf '# a comment\n%s\nties.few:%s\n' "$case" "${case/k=2/k=two}" >wrong.txt
printf '# nothing\n' >empty.txt
# a fault of the backend faulty, and its case
"$cts" list faults.B78 >b78
check 'a fault that ends the process' 1 has 'CRASH faults.B78' \
    -- "$cts" replay --backend faulty:B78 --file b78
check 'trust lists faults' 0 has 'B26 ' has 'tensorflow#12003' -- "$cts" trust --list
check 'trust of one fault' 0 has 'faults: 1, dead 1 (100.0 %), alive 0' lacks MISTRUSTED \
    -- "$cts" trust --fault B26 --jobs 1
check 'case of bytes' 2 has 'column' -- "$cts" replay --backend cpu $'top_k1 \001\377'
long="top_k1 fl=5.0 in=f32[1,1,1,3000] axis=3 k=1 dir=dec data=hex:$(printf '3f800000,%.0s' {1..2999})"
check 'long malformed case' 2 has 'column' has '...' -- "$cts" replay --backend cpu "${long}x"
that 'long malformed case: short message' "$(wc -c <err)" -lt 400
check 'long case' 0 has '... (27' -- "$cts" replay --backend cpu "${long}3f800000"

# the command in a report reproduces the failure
sh -c "$("$cts" replay --worker "$(fake fail)" "$id" 2>err | tail -n 1)" >again 2>err
that 'the replay command in a report reproduces the failure' "$(cat again)" = "$(cat golden)"

# ---- compare ---------------------------------------------------------------------------------------

check 'compare of too many' 2 has 'at most 200 runs' -- "$cts" compare seed{7,8}{,,,,,,,,,}{,,,,,,,,,,}
check 'compare of the same run in another order' 0 has 'B IS THE SAME AS A: every case has the same result' \
    has 'A  seed7/results.jsonl' has 'B  seed8/results.jsonl' lacks different lacks 'one file' -- "$cts" compare seed7 seed8/results.jsonl
"$cts" run ties.boundary --worker "$(fake fail)" --out fails >out 2>err
"$cts" run ties.boundary --worker "$(fake unsupported)" --out drops >out 2>err
"$cts" run ties.boundary --backend cpu --out bound >out 2>err
n=$(numbers bound | wc -l)
check 'compare with itself' 0 has 'warning: B and A are one file, ' has 'B IS THE SAME AS A' \
    -- "$cts" compare seed7 ./seed7/results.jsonl
check 'compare: new failures' 1 has "B IS WORSE THAN A: $n new failures" has "new failures: $n" \
    has "  $n of ties.boundary: pass -> fail S09" has "and $((n - 10)) more cases; --max-shown=$n shows all" \
    has 'different backend:' has '    A  cpu' has '    B  fake' has 'different driver:' has 'different version:' lacks digest: \
    -- "$cts" compare bound fails
that 'compare: ten cases are shown by default' "$(grep -c '^    ties.boundary:top_k' out)" = 10
check 'compare --max-shown 100000' 1 lacks 'more cases' -- "$cts" compare bound fails --max-shown 100000
that 'compare: all are shown' "$(grep '^    ties.boundary:top_k' out | sort -u | wc -l)" = "$n"
check 'compare --max-shown 0' 1 has 'B IS WORSE' lacks 'new failures: ' lacks ties.boundary:top_k \
    -- "$cts" compare bound fails --max-shown 0
check 'compare: fixes' 0 has "B IS NOT WORSE THAN A: $n fixes" has 'fail S09 -> pass' \
    -- "$cts" compare fails bound
check 'compare: no longer supported' 1 has "WORSE THAN A: $n cases no longer supported" \
    has 'pass -> unsupported' -- "$cts" compare bound drops
check 'compare: supported now' 0 has "NOT WORSE THAN A: $n other changes of verdict" \
    -- "$cts" compare drops bound
check 'compare: missing' 1 has 'WORSE THAN A: ' has 'pass -> no result' has 'different selections:' \
    -- "$cts" compare seed7 bound
check 'compare: added' 0 has 'NOT WORSE THAN A: ' has 'no result -> pass' -- "$cts" compare bound seed7
check 'compare of three' 1 has 'B IS NOT WORSE THAN A' has 'C IS WORSE THAN A' has 'C against A' \
    -- "$cts" compare bound seed7 fails
"$cts" run ties.boundary --backend cpu --profile full --out full >out 2>err
check 'compare of profiles' 0 has 'The profiles are not the same' has 'A  core v' has 'B  full v' \
    -- "$cts" compare bound full
"$cts" run latitude --backend cpu --out lat >out 2>err
"$cts" run latitude --backend faulty:refuses-low-alignment --out lat2 >out 2>err
check 'compare: observations' 0 has 'T10b refuses: 0 -> ' has 'T10b accepts -> T10b refuses' \
    has 'changes of observations: ' -- "$cts" compare lat lat2
sed 's/device=nothing/device=%1B[31mred/' fake.sh >red.sh
"$cts" run ties.boundary --worker "sh red.sh pass" --out red >out 2>err
check 'compare: control characters in a log are escaped' 1 has 'on \x1b[31mred' lacks $'\033' -- "$cts" compare bound red
check 'compare of an empty folder' 2 has 'edits2 is not the folder of a run' \
    -- sh -c "mkdir edits2 && exec '$cts' compare bound edits2"
for command in report "package --sign key" "expectations update"; do
    # shellcheck disable=SC2086 # several words
    check "$command of an empty folder" 2 has "edits2 is not the folder of a run: it has no results.jsonl" -- "$cts" $command edits2
done
sed 60q seed7/results.jsonl | head -c -20 >short.jsonl
check 'compare of a truncated log' 3 has 'short.jsonl:' has 'the line was truncated; the records before it are compared' \
    has 'incomplete: ' has 'B IS WORSE THAN A: ' has ' missing cases' -- "$cts" compare seed7 short.jsonl
check 'compare with an incomplete run' 0 has 'warning: run A is incomplete: ' has 'B IS NOT WORSE' \
    lacks 'run B' -- "$cts" compare int-INT bound
check 'compare with a truncated log' 3 has 'incomplete: ' has 'B IS NOT WORSE' -- "$cts" compare short.jsonl seed7
check 'compare into a full device' 3 has 'standard output' -- into_full "$cts" compare bound fails
check 'compare into a closed pipe' 1 lacks 'standard output' -- headed "$cts" compare bound fails

# ---- spec, profile, man ----------------------------------------------------------------------------

# these examine the data of all cases, as do others below: under the sanitizers once is enough
if [ -z "${SANITIZED-}" ]; then
    check 'spec' 0 has 'S09  EXAMPLE ' has 'Of equal values across the K boundary' -- "$cts" spec
    check 'spec in markdown' 0 has '| S09 | EXAMPLE | ' -- "$cts" spec --format markdown
    check 'every clause has a case' 0 has 'M08 has none' -- "$cts" spec --check
    check 'core does not cover all triples' 1 has 'NOT COVERED: of ' has 'more, which --missing lists' \
        -- "$cts" coverage --strength 3
fi
check 'list of a clause' 0 has 'relations.twin:' lacks 'ties.' -- "$cts" list --profile core --clause S10
check 'core covers all pairs' 0 has 'profile core v' has 'digest ' has 'missing           0' \
    has 'TOP_K has no direction, it selects the largest (S02)' \
    has 'as in operator top_k, direction smallest' has 'COVERED: each of ' lacks 'NOT' -- "$cts" coverage
check 'coverage --missing' 1 has '  specials nan' lacks 'more, which' \
    -- "$cts" coverage --strength 1 --missing examples
check 'coverage --impossible' 0 has '  operator top_k1, level 2.0' has '  ties none, specials zeros' \
    -- "$cts" coverage --impossible cover
for strength in 0 4 22 x ''; do
    check "coverage of strength '$strength'" 2 has "--strength takes 1, 2 or 3, not '$strength'" \
        -- "$cts" coverage --strength "$strength"
done
check 'profile core --verify' 0 -- "$cts" profile core --verify
check 'profile as a table' 0 has 'PROFILE_TEST("ties.boundary", ' -- "$cts" profile core --format def
if [ -n "$(type -P groff)" ]; then
    "$cts" man | groff -man -ww -z >out 2>err
    that 'the manual page has no warnings' "$(cat out err)" = ''
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
