#!/usr/bin/env bash
# A run as a Slurm array job, and the merge of its parts as a job that depends on it. On a machine that can
# submit jobs, in a folder that all machines see:
#
#   slurm.sh SHARDS DIR OPTION...
#
# OPTION... are those of `topk-cts run', without --shard and --out. DIR gets a folder for each part, merged/,
# and what the jobs print; the last line of DIR/merge.txt is the verdict. TOPK_CTS names the program if it is
# not in PATH. What sbatch itself is to know is said by its variables, such as SBATCH_PARTITION, or by SBATCH,
# the command that submits: SBATCH='sbatch --mem-per-cpu=2G --time=60'.
#
# A part that is interrupted (its node fails, it is preempted, its time runs out, it is killed) is requeued
# and goes on where it was. The merge runs whatever became of the parts, and names those that are missing.
# The same command again goes on with parts that have no end, and merges anew.
set -euo pipefail

restarts=5 # of a part that is killed time and again

fail() {
    echo "slurm.sh: $*" >&2
    exit 2
}

# a part: slurm.sh shard DIR OPTION...
shard() {
    local dir=$1 number=$SLURM_ARRAY_TASK_ID child code=0 begun=()
    shift
    local out=$dir/shard$number
    # --resume begins anew where the log has nothing yet
    if [ -e "$out/results.jsonl" ] || [ -e "$out/results.jsonl.zst" ]; then
        begun=(--resume)
    fi
    "$TOPK_CTS" run "$@" --shard "$number/$TOPK_SHARDS" --out "$out" ${begun[@]+"${begun[@]}"} &
    child=$!
    requeue=
    trap 'requeue=1; kill -TERM "$child" 2>/dev/null || true' USR1 # soon the time is up
    trap 'kill -TERM "$child" 2>/dev/null || true' TERM
    wait "$child" || code=$?
    while kill -0 "$child" 2>/dev/null; do # a signal ended the wait
        code=0
        wait "$child" || code=$?
    done
    if { [ -n "$requeue" ] || [ "$code" -gt 128 ]; } && [ "${SLURM_RESTART_COUNT:-0}" -lt "$restarts" ]; then
        echo "shard $number was interrupted: it is requeued"
        scontrol requeue "${SLURM_ARRAY_JOB_ID}_$number"
        sleep 60 # Slurm ends this
    fi
    return "$code"
}

# the merge: slurm.sh merge DIR
merge() {
    local dir=$1 i parts=()
    for ((i = 1; i <= TOPK_SHARDS; i++)); do
        parts+=("$dir/shard$i")
    done
    rm -rf "$dir/merged"
    exec "$TOPK_CTS" merge "${parts[@]}" --out "$dir/merged"
}

case ${1-} in
shard | merge)
    "$@"
    exit
    ;;
esac

[ $# -ge 3 ] || fail 'usage: slurm.sh SHARDS DIR OPTION...'
[[ $1 =~ ^[1-9][0-9]*$ ]] || fail "the number of shards is '$1'"
[ "$1" -gt 1 ] || fail 'one shard is no array: use topk-cts run'
export TOPK_SHARDS=$1 TOPK_CTS=${TOPK_CTS:-topk-cts}
type -P "$TOPK_CTS" >/dev/null || fail "there is no program $TOPK_CTS: TOPK_CTS names it"
mkdir -p "$2"
dir=$(cd "$2" && pwd)
shift 2
for option; do
    case $option in
    --shard | --shard=* | --out | --out=* | -o* | --resume | --overwrite) fail "$option is said by this script" ;;
    esac
done
read -ra submit <<<"${SBATCH:-sbatch}"
# --requeue: after a failure of its node; B:USR1@60: a minute before its time is up
array=$("${submit[@]}" --parsable --job-name=topk-cts --array="1-$TOPK_SHARDS" --requeue --signal=B:USR1@60 \
    --open-mode=append --output="$dir/shard%a.txt" "${BASH_SOURCE[0]}" shard "$dir" "$@")
array=${array%%;*}
merged=$("${submit[@]}" --parsable --job-name=topk-cts-merge --dependency="afterany:$array" \
    --output="$dir/merge.txt" "${BASH_SOURCE[0]}" merge "$dir")
echo "array job $array, merge ${merged%%;*}: $dir/merge.txt"
