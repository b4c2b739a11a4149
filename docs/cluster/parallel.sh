#!/usr/bin/env bash
# A run in parts on the machines of a list, by GNU parallel over ssh, and their merge here:
#
#   parallel.sh SHARDS DIR OPTION...
#
# PARALLEL_HOSTS names the file of machines, as --sshloginfile of parallel takes it (a machine a line, with
# "2/" before it for two parts at once), hosts if it is not set. OPTION... are those of `topk-cts run',
# without --shard and --out; each machine has topk-cts, by the name that TOPK_CTS says, and rsync. DIR gets a
# folder for each part, and merged/. The exit code and the last line are those of the merge.
#
# A part whose machine is lost is run again on another one, twice at most. The same command again runs what
# is missing, and merges anew. For an ssh with options, set PARALLEL_SSH, and RSYNC_RSH to the same.
set -euo pipefail

fail() {
    echo "parallel.sh: $*" >&2
    exit 2
}

[ $# -ge 3 ] || fail 'usage: parallel.sh SHARDS DIR OPTION...'
[[ $1 =~ ^[1-9][0-9]*$ ]] || fail "the number of shards is '$1'"
[ "$1" -gt 1 ] || fail 'one shard is no division: use topk-cts run'
shards=$1 dir=$2
hosts=$(realpath "${PARALLEL_HOSTS:-hosts}")
[ -f "$hosts" ] || fail "there is no file $hosts: PARALLEL_HOSTS names the machines"
cts=${TOPK_CTS:-topk-cts}
shift 2
for option; do
    case $option in
    --shard | --shard=* | --out | --out=* | -o* | --resume | --overwrite) fail "$option is said by this script" ;;
    esac
done
mkdir -p "$dir"
cd "$dir"

# what has its end is not run again
missing=() parts=()
for ((i = 1; i <= shards; i++)); do
    parts+=("shard$i")
    if ! tail -n 1 "shard$i/results.jsonl" 2>/dev/null | grep -q '^{"record":"end","complete":true,'; then
        missing+=("$i")
    fi
done

# A part that was run to its end has come, whatever its verdict: the merge has that of the whole. Another exit
# code, or that of ssh, 255, is a part to be run again.
printf -v command '%q ' "$cts" run "$@"
if [ "${#missing[@]}" -gt 0 ]; then
    # shellcheck disable=SC2016 # of the other machine
    parallel --will-cite --sshloginfile "$hosts" --jobs 1 --retries 3 --workdir ... --cleanup \
        --return shard{}/results.jsonl --joblog jobs.txt --tag \
        "$command"'--overwrite --shard {}/'"$shards"' --out shard{}; code=$?; case $code in 0|1|77) exit 0;; *) exit $code;; esac' \
        ::: "${missing[@]}" || echo "parallel.sh: parts did not come: see $PWD/jobs.txt" >&2
fi
rm -rf merged
exec "$cts" merge "${parts[@]}" --out merged
