#!/usr/bin/env bash
# What run reports about its cost: --profile-stages and --estimate. Checks the structure, not the times.
# Run as
#   cost_test.sh BIN
# where BIN holds topk-cts and its programs.
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
begin BIN "$@"
need jq

run=(run --backend cpu --no-identity --no-probes ties.boundary)
# words FILE: the stages that have time there
words() { cut -d ' ' -f 1 "$1" | sort -u | tr '\n' ' '; }
# sum FILE WORD: nanoseconds of a stage
sum() { awk -v word="$2" '$1 == word { sum += $2 } END { printf "%.1f", sum / 1e6 }' "$1"; }

echo '# --profile-stages'
check 'stages are printed after the results' 0 has 'stages of topk-cts, of 330 cases:' has 'stages of 1 judge:' \
    has 'the judge makes the elements of inputs' has "stages: $work/stages" -- \
    "$cts" "${run[@]}" --profile-stages stages --out plain
same 'each stage of a case has time' "$(words stages)" \
    'answer call contain data end feed idle judge log other parse poison read receive relate send start take '
same 'the file of --profile-stages has the printed times' "$(sed -n 's/^  data *\([0-9.]*\) ms.*/\1/p' out)" "$(sum stages data)"
same '--profile-stages does not change results' "$(jq -c 'select(.record == "case") | [.id, .verdict]' plain/results.jsonl | sort | sha256sum)" \
    "$("$cts" "${run[@]}" --out other >/dev/null && jq -c 'select(.record == "case") | [.id, .verdict]' other/results.jsonl | sort | sha256sum)"
check 'the stages of several judges are added up' 0 has 'stages of 2 judges:' -- \
    "$cts" "${run[@]}" --profile-stages stages --jobs 2 --out two
check 'stages of a backend in process' 1 has 'the judge waits for the backend' -- \
    "$cts" "${run[@]}" --profile-stages stages --in-process --out inside
check '--profile-stages: a file that cannot be created' 2 has '--profile-stages: none/stages cannot be written: No such file' -- \
    "$cts" "${run[@]}" --profile-stages none/stages --out never
check '--profile-stages with another worker' 2 has '--profile-stages measures topk-worker, and --worker is a different one' -- \
    "$cts" run --worker 'topk-worker --backend cpu' --profile-stages stages --out never
check '--profile-stages: a judge that cannot write' 3 has 'topk-worker: --stages: none/stages cannot be written' -- \
    bash -c "'$bin/topk-worker' --stages none/stages --process '$bin/topk-backend' cpu </dev/null"

echo '# --estimate'
check 'an estimate' 0 has 'of 330 cases' has '  time ' has '  log ' has '  memory ' lacks CONFORMANT -- \
    env TMPDIR="$work" "$cts" "${run[@]}" --estimate
same '--estimate leaves no file' "$(ls -d topk-* 2>/dev/null)" ''
core=$("$cts" profile core | sed -n 's/^core .* \([0-9]*\) cases,.*/\1/p')
check '--estimate runs a sample of many cases' 0 has " of $core cases" -- \
    env TMPDIR="$work" "$cts" run --backend cpu --no-identity --no-probes --estimate
same '--estimate does not run all cases' "$([ "$(sed -n 's/^estimate, from \([0-9]*\) of .*/\1/p' out)" -lt 16000 ] && echo less)" less
log=$(sed -n 's/^  log *\([0-9.]*\) MB/\1/p' out)
"$cts" run --backend cpu --no-identity --no-probes --out whole >/dev/null
size=$(stat -c %s whole/results.jsonl)
same '--estimate: the size of the log, within a tenth' \
    "$(awk -v said="$log" -v is="$size" 'BEGIN { r = said * 1e6 / is; print (r > 0.9 && r < 1.1) ? "yes" : "no: " r }')" yes
check '--estimate of a shard' 0 has 'cases of' has '  time ' -- \
    env TMPDIR="$work" "$cts" run --backend cpu --no-identity --no-probes --estimate --shard 1/4
check '--estimate says that cases of the sample failed' 0 has 'Cases of the sample failed' -- \
    env TMPDIR="$work" "$cts" run --backend faulty:B26 --no-identity --no-probes --estimate ties
check '--estimate of a backend that cannot be opened' 4 lacks '  time ' -- \
    env TMPDIR="$work" "$cts" run --backend ./none.so --estimate
same '--estimate of such a backend leaves no file' "$(ls -d topk-* 2>/dev/null)" ''
check '--estimate excludes --out' 2 has '--estimate goes without --out' -- "$cts" "${run[@]}" --estimate --out never

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
