#!/usr/bin/env bash
# topk-cts run with chaos_worker between it and its worker: each disturbed case gets the verdict that the disturbance
# must cause, and no other case does. Run as
#   chaos_test.sh BIN
# where BIN holds topk-cts, topk-worker, chaos_worker and chaos.so.
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
begin BIN "$@"

# run SPEC BACKEND ARGUMENT...: leaves the log in ./run
run() {
    local spec=$1 backend=$2
    shift 2
    "$bin/topk-cts" run --worker "'$bin/chaos_worker' $spec '$bin/topk-worker' --backend '$backend'" \
        --out run --overwrite "$@" sizes ties >printed 2>&1 </dev/null
}
# checked NAME CODE WANT... -- SPEC: what chaos_worker prints about that log
checked() {
    local given=("${@:1:$#-1}")
    check "${given[@]}" "$bin/chaos_worker" "${!#}" --check run/results.jsonl
}

spec=rate=0.03,seed=5,kinds=ties+swap+drop+stale+guard+input+lost+memory+crash+exit+short+garble
run $spec "$bin/chaos.so"
checked 'one worker: every disturbance gets its verdict' 0 has '  ties ' has '  swap ' has '  drop ' has '  stale ' has '  guard ' has '  input ' \
    has '  lost ' has '  memory ' has '  crash ' has '  exit ' has '  short ' has '  garble ' \
    has ': 0 wrong verdicts' lacks 'WRONG VERDICT' -- $spec
cp out alone
check 'the header of the log says that results were spoiled' 0 has 'SPOILED ON PURPOSE: chaos rate=0.03,seed=5' -- head -n 1 run/results.jsonl
checked '--check with another seed fails' 1 has 'WRONG VERDICT: crash, where nothing was done' -- rate=0.03,seed=6
checked '--check with other kinds fails' 1 has ', where this was done: the worker never comes back' -- \
    rate=0.03,seed=5,kinds=hang

run $spec "$bin/chaos.so:4" --jobs 2 --seed 9
checked 'two workers, other order: no wrong verdict' 0 has ': 0 wrong verdicts' -- $spec
same 'the same cases were spoiled' "$(cat out)" "$(cat alone)"

spec=rate=0.0008,kinds=hang,seed=1
run $spec cpu --timeout 3
checked 'hangs' 0 has '  hang           2  timeout: ' has ': 0 wrong verdicts' -- $spec

run rate=0 faulty:ties-descending
checked 'a failure that was not caused by chaos is noticed' 1 has 'WRONG VERDICT: fail, where nothing was done' -- rate=0

exit $((failed > 0))
