#!/usr/bin/env bash
# docs/cluster/slurm.sh on a cluster of one node, which this starts: an array of four tasks, one of which is
# killed and one requeued in the middle; a merge that depends on them; and one whose array has a task that
# never came. Run as
#   slurm_test.sh DIR [PROFILE]
# where DIR holds topk-cts and the other programs. PROFILE: peers, or, by hand, full.
set -u
# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "$0")/../../../conformance/cli/test/checks.sh"
begin DIR "$@"
profile=${2:-peers}
need sbatch scontrol sinfo slurmctld slurmd munged jq perl

# ---- the cluster ---------------------------------------------------------------------------------

daemons=()
stop_all() {
    local pid
    # jobs first: their processes are children of daemons of slurmd, which outlive it
    scancel --user="$(id -un)" >/dev/null 2>&1
    for _ in $(seq 50); do
        [ "$(squeue --noheader 2>/dev/null)" ] || break
        sleep 0.1
    done
    for pid in ${daemons[@]+"${daemons[@]}"}; do kill "$pid" 2>/dev/null; done
    for pid in ${daemons[@]+"${daemons[@]}"}; do wait "$pid" 2>/dev/null; done
    # whose run was killed
    xargs -r kill 2>/dev/null <sleepers
    cd /
    rm -rf "$work"
}
trap stop_all EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# free_ports N: prints ports that nobody has
free_ports() {
    perl -MIO::Socket::INET -e '@s = map { IO::Socket::INET->new(LocalAddr => "127.0.0.1", Listen => 1) or die "listen: $!" } 1 .. shift; print join(" ", map { $_->sockport } @s), "\n"' "$1"
}

# fatal TEXT: nothing can be checked
fatal() {
    printf '%s\n' "$*" >&2
    tail -n 20 "$work"/log/* >&2
    exit 1
}

mkdir log state spool munge
chmod 755 "$work" munge
user=$(id -un)
head -c 1024 /dev/urandom >munge/key
chmod 400 munge/key
read -r port_controller port_node < <(free_ports 2)
cat >slurm.conf <<END2
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$port_controller
SlurmdPort=$port_node
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$work/munge/socket,cred_expire=5
SlurmUser=$user
SlurmdUser=$user
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=2
NodeName=node NodeHostname=$(hostname) NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=node Default=YES MaxTime=INFINITE State=UP
END2
export SLURM_CONF=$work/slurm.conf
# shellcheck disable=SC2046 # names
unset $(compgen -e | grep -E '^(SBATCH|SLURM)_' | grep -vx SLURM_CONF)

munged --foreground --force --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
    --log-file="$work/munge/log" --seed-file="$work/munge/seed" >log/munged 2>&1 &
daemons+=($!)
for _ in $(seq 100); do
    [ -S munge/socket ] && break
    sleep 0.1
done
slurmctld -D -c -i >log/slurmctld 2>&1 &
daemons+=($!)
slurmd -D -N node >log/slurmd 2>&1 &
daemons+=($!)
for _ in $(seq 300); do
    [ "$(sinfo --noheader --format=%t 2>/dev/null)" = idle ] && break
    sleep 0.1
done
[ "$(sinfo --noheader --format=%t 2>&1)" = idle ] || fatal "the node is not there: $(sinfo 2>&1)"

# wait_for SECONDS COMMAND...
wait_for() {
    local tenths=$((10 * $1))
    shift
    while [ "$tenths" -gt 0 ]; do
        "$@" && return
        sleep 0.1
        tenths=$((tenths - 1))
    done
    fatal "this did not come: $*"
}

# ---- runs ----------------------------------------------------------------------------------------

# a worker that answers four cases and no more where the test is to step in; pids/TASK is that of the run
cat >stops <<END2
#!/bin/bash
if [[ \$SLURM_ARRAY_TASK_ID == [23] ]] && [ -z "\${SLURM_RESTART_COUNT-}" ] && [[ " \$* " == *" --process "* ]]; then
    echo \$PPID >"$work/pids/\$SLURM_ARRAY_TASK_ID"
    exec "$bin/topk-worker" "\$@" > >(sed -u "/^done 3 /q"; echo \$BASHPID >>"$work/sleepers"; exec sleep 600)
else
    exec "$bin/topk-worker" "\$@"
fi
END2
# one that is not there
cat >fails <<END2
#!/bin/bash
[ "\$SLURM_ARRAY_TASK_ID" != 2 ] || exit 9
exec "$bin/topk-worker" "\$@"
END2
chmod +x stops fails
mkdir pids
run=(--backend cpu --profile "$profile")

"$cts" run "${run[@]}" --out undivided >undivided.txt 2>err
SBATCH='sbatch --time=60' TOPK_CTS=$cts TOPK_WORKER=$work/stops "$root/docs/cluster/slurm.sh" 4 dir "${run[@]}" >submitted 2>&1 ||
    fatal "cannot submit: $(cat submitted)"
array=$(sed -n 's/^array job \([0-9]*\),.*/\1/p' submitted)
stuck() {
    local task
    for task in 2 3; do
        [ -s "pids/$task" ] && [ "$(sed -n "/\"record\":\"case\"/p" "dir/shard$task/results.jsonl" 2>/dev/null | wc -l)" -gt 3 ] || return
    done
}
wait_for 120 stuck
before=$(cat dir/shard2/results.jsonl)
kill -KILL "$(cat pids/2)"
scontrol requeue "${array}_3"

TOPK_CTS=$cts TOPK_WORKER=$work/fails "$root/docs/cluster/slurm.sh" 3 lost --backend cpu examples >submitted 2>&1 ||
    fatal "cannot submit: $(cat submitted)"

# the verdict is the last line
verdict() {
    tail -n 1 "$1/merge.txt" 2>/dev/null | grep -E '^(CONFORMANT|INCOMPLETE|FAILED|PASSED|NOT)'
}
wait_for 600 verdict dir >/dev/null
# The signal that requeues a task may end a worker before it ends topk-cts, and the run then counts that.
same 'the verdict is that of the undivided run' \
    "$(verdict dir | sed -E 's/; [0-9]+ process(es were| was) ended from outside//')" "$(tail -n 1 undivided.txt)"
same 'which is good' "$(verdict dir | grep -c '^CONFORMANT: ')" 1
# cases FILE: what each came to, but for times
cases() {
    jq -c 'select(.record == "case") | del(.nanoseconds, .chain)' "$1/results.jsonl" | sort
}
same 'each case came to the same' "$(cases dir/merged | sha256sum)" "$(cases undivided | sha256sum)"
same 'none is lost' "$(cases dir/merged | wc -l)" "$(cases undivided | wc -l)"
for task in 2 3; do
    same "task $task went on where it was" "$(grep -c 'continuing: [1-9][0-9]* cases already have a result' "dir/shard$task.txt")" 1
done
same 'the one that was killed was requeued by itself' "$(grep -c 'shard 2 was interrupted' dir/shard2.txt)" 1
same 'its log begins as it did' "$(head -c ${#before} dir/shard2/results.jsonl)" "$before"
for task in 1 4; do
    same "task $task ran once" "$(grep -c 'going on' "dir/shard$task.txt")" 0
done

wait_for 120 verdict lost >/dev/null
same 'the merge runs although a task failed' "$(verdict lost | cut -d: -f1)" INCOMPLETE
cp lost/merge.txt out
same 'it names the shard that never came' "$(grep -cF 'shard 2 of 3 is missing; to run it: ' lost/merge.txt)" 1
again=$(sed -n 's/.*shard 2 of 3 is missing; to run it: //p' lost/merge.txt)
check 'by the command that it prints the shard comes' 0 -- bash -c "$again"
check 'and then the verdict' 0 has 'PASSED: ' -- "$cts" merge lost/shard1 lost/shard2 lost/shard3 --out lost/again

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
