#!/usr/bin/env bash
# Devices on two other machines, over ssh, to two sshds on this machine that this starts: one of them goes in the
# middle, with its connections, and its port is closed then. Run as
#   machines_test.sh DIR
# where DIR holds topk-cts and the other programs.
set -u
# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "$0")/../../../conformance/cli/test/checks.sh"
begin DIR "$@"
# shellcheck source=docs/cluster/test/sshd.sh
. "$root/docs/cluster/test/sshd.sh"
need jq pgrep
start_sshd

# the host `other': another sshd
port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(LocalAddr => "127.0.0.1", Listen => 1)->sockport')
sed "s/^Port .*/Port $port/; s|^PidFile .*|PidFile $work/other.pid|" sshd_config >other_config
sed "/^Host one\$/,/^Host two\$/!d; /^Host two\$/d; s/^Host one\$/Host other/; s/Port .*/Port $port/" ssh_config >other
cat ssh_config >>other && mv other ssh_config
"$(PATH=$PATH:/usr/sbin:/sbin type -P sshd)" -D -e -f "$work/other_config" 2>other.log &
other=$!
daemons+=("$other")
disown "$other" # its end is nothing to be told of
for _ in $(seq 100); do
    ! ssh -F ssh_config other true 2>ssh.log || break
    sleep 0.1
done

machine() { echo "ssh -F $work/ssh_config $1 $bin/topk-backend cpu"; }
cases() { jq -c 'select(.record == "case") | del(.nanoseconds, .chain)' "$1/results.jsonl" | sort | sha256sum; }
run=(ties rows paths --no-probes --no-identity)
to=(--backend-command "$(machine one)" --backend-command "$(machine other)")

check 'here' 0 has PASSED -- "$cts" run "${run[@]}" --backend cpu --out here
check 'on two machines' 0 has PASSED -- "$cts" run "${run[@]}" "${to[@]}" --out both
same 'each case came to the same' "$(cases both)" "$(cases here)"

{
    until [ "$(wc -l <lost/results.jsonl)" -ge 1000 ]; do sleep 0.02; done 2>/dev/null
    sessions=$(pgrep -P "$other")
    kill -KILL "$other"
    for session in $sessions; do kill -KILL "$session"; done
} &
check 'one is lost' 1 has 'DID NOT END WELL: 1 process did not end well' has "lost: '$(machine other | cut -c 1-40)" has 'Connection refused' \
    -- "$cts" run "${run[@]}" "${to[@]}" --out lost
wait $!
same 'each case came to the same' "$(cases lost)" "$(cases here)"
same 'the log says so' "$(jq -r 'select(.record == "process") | .end' lost/results.jsonl)" lost

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
