#!/usr/bin/env bash
# docs/cluster/parallel.sh over ssh, to an sshd on this machine that this starts: two names of it, of which one
# is lost in the middle. Run as
#   parallel_test.sh DIR
# where DIR holds topk-cts and the other programs.
set -u
# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "$0")/../../../conformance/cli/test/checks.sh"
begin DIR "$@"
# shellcheck source=docs/cluster/test/sshd.sh
. "$root/docs/cluster/test/sshd.sh"
need jq parallel rsync
start_sshd

run=(--backend cpu --profile peers)
"$cts" run "${run[@]}" --out undivided >undivided.txt 2>err
export PARALLEL_SSH="ssh -F $work/ssh_config" RSYNC_RSH="ssh -F $work/ssh_config" TOPK_CTS=$cts PARALLEL_HOSTS=$work/hosts
export PARALLEL_HOME=$work/parallel
cases() {
    jq -c 'select(.record == "case") | del(.nanoseconds, .chain)' "$1/results.jsonl" | sort
}

printf '1/one\n1/two\n' >hosts
check 'two machines' 0 has "$(tail -n 1 undivided.txt)" -- "$root/docs/cluster/parallel.sh" 4 dir "${run[@]}"
same 'each case came to the same' "$(cases dir/merged | sha256sum)" "$(cases undivided | sha256sum)"
same 'both machines had parts' "$(sed 1d dir/jobs.txt | cut -f 2 | sort -u | paste -sd' ')" 'one two'
same 'nothing is left there' "$(find home -name results.jsonl)" ''
rm -r dir/shard3
check 'what is missing is run again, and nothing else' 0 has '4 of 4 shards' -- "$root/docs/cluster/parallel.sh" 4 dir "${run[@]}"
same 'it was the one' "$(sed 1d dir/jobs.txt | wc -l)" 1

# two is lost: each connection to it ends when the work has begun
cat >two-is-lost <<END2
#!/bin/bash
if [[ "\$SSH_ORIGINAL_COMMAND" == *GNU_Parallel_worker* ]]; then
    echo lost >>"$work/losses"
    kill -KILL \$PPID
    exit 1
fi
exec /bin/bash -c "\$SSH_ORIGINAL_COMMAND"
END2
chmod +x two-is-lost
check 'one machine is lost' 0 has "$(tail -n 1 undivided.txt)" -- "$root/docs/cluster/parallel.sh" 4 lost "${run[@]}"
same 'it was' "$(sort -u losses)" lost
same 'each case came to the same' "$(cases lost/merged | sha256sum)" "$(cases undivided | sha256sum)"

# a part that fails is no part to be run again
check 'failures' 1 has 'NOT CONFORMANT' -- "$root/docs/cluster/parallel.sh" 2 fails --backend faulty:B26 examples
same 'each part was run once' "$(sed 1d fails/jobs.txt | wc -l)" 2
check 'no shards' 2 has 'the number of shards is' -- "$root/docs/cluster/parallel.sh" x no "${run[@]}"
check '--out' 2 has '--out is said by this script' -- "$root/docs/cluster/parallel.sh" 2 no "${run[@]}" --out x

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
