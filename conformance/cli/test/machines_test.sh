#!/usr/bin/env bash
# Several --backend-command: identical devices on several machines, some of which are lost during the run. `ssh'
# is a script that starts the command locally and refuses connections to a lost machine.
# Run as
#   machines_test.sh BIN
# where BIN holds topk-cts and the other programs.
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
begin BIN "$@"
need jq minisign perl

# Starts a command, and kills it when it was sent so many bytes: MARK is there then.
cat >cut.pl <<'END'
my ($bytes, $mark, @command) = @ARGV;
pipe my $in, my $to or die;
my $pid = fork // die;
if ($pid == 0) {
    close $to;
    open STDIN, '<&', $in or die;
    exec @command;
}
close $in;
$SIG{PIPE} = 'IGNORE';
while (sysread STDIN, my $data, 65536) {
    $bytes -= length $data;
    while (length $data) {
        my $written = syswrite $to, $data;
        last unless defined $written;
        substr $data, 0, $written, '';
    }
    next if $bytes > 0;
    open my $file, '>', $mark or die;
    kill KILL => $pid;
    waitpid $pid, 0;
    print STDERR "Connection closed by remote host\n";
    exit 255;
}
close $to;
waitpid $pid, 0;
exit $? >> 8;
END
# HOST.gone: the machine is gone. HOST.goes: it goes when a process there was sent so many bytes.
mkdir path
cat >path/ssh <<END
#!/bin/bash
cd "$work"
host=\$1
shift
[ ! -e \$host.gone ] || { echo "ssh: connect to host \$host port 22: Connection refused" >&2; exit 255; }
echo \$host >>connections
[ ! -e \$host.goes ] || set -- perl cut.pl "\$(cat \$host.goes)" \$host.gone "\$@"
exec "\$@"
END
chmod +x path/ssh
export PATH=$work/path:$PATH
ssh_to() { echo "ssh $1 $bin/topk-backend $2"; }
# heal: all machines are there, and stay
heal() { rm -f ./*.gone ./*.goes connections; }
# goes HOST [BYTES]: it does, a while after cases are sent to it
goes() { echo "${2:-12000}" >"$1.goes"; }
cases() { jq -c 'select(.record == "case") | del(.nanoseconds, .chain)' "$1/results.jsonl" | sort; }
ends() { jq -r 'select(.record == "process") | .end' "$1/results.jsonl" | sort | uniq -c | xargs; }
# to BACKEND HOST...: words into `to', one command for each machine
to() {
    local host backend=$1
    shift
    to=()
    for host in "$@"; do to+=(--backend-command "$(ssh_to "$host" "$backend")"); done
}

run=(run ties --no-identity)
to cpu a
check 'one machine' 0 has PASSED lacks processes -- "$cts" "${run[@]}" "${to[@]}" --out one
same 'its log has the command as it was given' "$(jq -r '.backend.command // empty' one/results.jsonl)" "$(ssh_to a cpu)"

echo '# several machines'
heal
to cpu a b c
check 'three machines' 0 has PASSED lacks processes -- "$cts" "${run[@]}" "${to[@]}" --out three
same 'each case came to the same' "$(cases three)" "$(cases one)"
same 'each machine had a worker' "$(sort connections | xargs)" 'a b c'
same 'the log has the commands' "$(jq -r '.backend.command // empty' three/results.jsonl)" \
    "'$(ssh_to a cpu)' --backend-command '$(ssh_to b cpu)' --backend-command '$(ssh_to c cpu)'"
case=$(jq -r 'select(.record == "case") | .id' three/results.jsonl | head -n 1)
replay="$(jq -r '.replay // empty' three/results.jsonl) '$case'"
check 'a replay is on them' 0 has 'PASS ties' -- sh -c "$replay"
check 'and they can be named once more' 0 lacks INCOMPLETE -- "$cts" "${run[@]}" "${to[@]}" --out three --resume
check 'more workers' 0 has PASSED -- "$cts" "${run[@]}" "${to[@]}" --jobs 5 --out five
same 'each case came to the same' "$(cases five)" "$(cases one)"

echo '# what is made of the log'
minisign -G -W -p signer.pub -s signer.sec >/dev/null
check 'a whole profile' 0 has CONFORMANT -- "$cts" run --profile peers --no-identity "${to[@]}" --out peers
check 'a package' 0 has 'It states that the backend conforms' -- "$cts" package peers --sign signer.sec --output p.tar
check 'is verified, on all machines' 0 has VERIFIED -- "$cts" verify p.tar --key signer.pub --rerun 5 "${to[@]}"
same 'it names them' "$(tar xOf p.tar package.json | jq -r .backend.command)" "$(jq -r '.backend.command // empty' three/results.jsonl)"
check 'a page does' 0 has "&#39;$(ssh_to a cpu)&#39; --backend-command &#39;" -- "$cts" report peers --format html
check 'a comparison does' 0 has "'$(ssh_to a cpu)' --backend-command '" -- "$cts" compare one three

echo '# command lines'
check 'too few workers' 2 has '--jobs 2 is too few: each of the 3 commands needs a worker' \
    -- "$cts" "${run[@]}" "${to[@]}" --jobs 2 --out no
check 'an empty command' 2 has "--backend-command takes a command, not ''" -- "$cts" "${run[@]}" "${to[@]}" --backend-command '' --out no
many=()
for _ in $(seq 65); do many+=(--backend-command x); done
check 'very many' 2 has '--backend-command can be given 64 times' -- "$cts" "${run[@]}" "${many[@]}" --out no
check 'nothing else goes beside them' 2 has 'exclude each other' -- "$cts" "${run[@]}" "${to[@]}" --backend cpu --out no
: >b.gone
check 'one is not there' 4 has "'$(ssh_to b cpu)': ssh: connect to host b port 22: Connection refused" \
    -- "$cts" "${run[@]}" "${to[@]}" --out no
heal
check 'another backend' 2 has "'$(ssh_to d faulty:B26)' has name 'faulty' where '$(ssh_to a cpu)' had 'cpu'" \
    -- "$cts" "${run[@]}" "${to[@]}" --backend-command "$(ssh_to d faulty:B26)" --out no
same 'nothing is left of any of them' "$(ls -d no 2>&1)" "ls: cannot access 'no': No such file or directory"

echo '# one is lost'
heal
to cpu a b
goes b
check 'it is' 1 has 'DID NOT END WELL: 1 process did not end well' has "lost: '$(ssh_to b cpu)' is lost after" \
    has 'processes: 1 process was lost with its machine' has 'it could not be started again: ssh: connect to host b port 22: Connection refused' \
    -- "$cts" "${run[@]}" "${to[@]}" --out lost
same 'each case came to the same' "$(cases lost)" "$(cases one)"
same 'the log says so' "$(ends lost)" '1 lost'
same 'and names it' "$(jq -r 'select(.record == "process") | .reason' lost/results.jsonl | sed 's/ after [0-9]* cases:.*//')" \
    "'$(ssh_to b cpu)' is lost"
same 'a report counts it' "$("$cts" report lost --format json | jq -c '[.processes.lost, .processes["under-way"], .processes.outside]')" '[1,0,0]'
heal
goes b
check 'that is allowed' 0 has 'PASSED' has 'lost: ' -- "$cts" "${run[@]}" "${to[@]}" --out allowed --max-unclean 1
heal
goes b
check 'with its workers' 1 has "lost: '$(ssh_to b cpu)' is lost after" -- "$cts" "${run[@]}" "${to[@]}" --jobs 6 --out jobs
same 'each case came to the same' "$(cases jobs)" "$(cases one)"
same 'it is one machine' "$(ends jobs)" '1 lost'
heal
to cpu a b c
goes a
goes c
check 'the first one and the last one are' 1 has "lost: '$(ssh_to a cpu)'" has "lost: '$(ssh_to c cpu)'" \
    -- "$cts" "${run[@]}" "${to[@]}" --out first
same 'each case came to the same' "$(cases first)" "$(cases one)"
same 'the log says so' "$(ends first)" '2 lost'

echo '# failures and crashes'
for backend in faulty:crash-k-all faulty:B26; do
    heal
    to "$backend" a
    name=${backend#faulty:}
    "$cts" "${run[@]}" "${to[@]}" --shrink --out "$name" >/dev/null 2>&1
    to "$backend" a b
    "$cts" "${run[@]}" "${to[@]}" --shrink --out "$name-two" >/dev/null 2>&1
    goes a 3000
    check "$name" 1 has 'NOT CONFORMANT' has "lost: '$(ssh_to a "$backend")' is lost" has 'distinct failures: ' \
        -- "$cts" "${run[@]}" "${to[@]}" --shrink --out "$name-lost"
    same "$name: two machines came to the same" "$(cases "$name-two")" "$(cases "$name")"
    same "$name: one of them came to the same" "$(cases "$name-lost")" "$(cases "$name")"
    same "$name: what failed fails again" "$(jq -r 'select(.record == "again") | .kind' "$name-lost/results.jsonl" | sort -u)" always
    same "$name: it was shrunk on the one that stayed" "$(grep -c . "$name-lost/shrunk.txt")" "$(grep -c . "$name/shrunk.txt")"
    same "$name: no crash is its loss" "$(ends "$name-lost" | sed 's/ [0-9]* under-way//')" '1 lost'
done

echo '# all are lost'
heal
to cpu a b
goes a
goes b
check 'they are' 3 has 'all machines are lost; the last one was' has INCOMPLETE has 'To continue: ' -- "$cts" "${run[@]}" "${to[@]}" --out all
same 'no case is judged by that' "$(cases all | jq -r .verdict | grep -v pass)" ""
check 'they still are' 4 has 'Connection refused' -- "$cts" "${run[@]}" "${to[@]}" --out all --resume
heal
check 'other commands do not go on' 2 has 'its --backend-command is' -- "$cts" "${run[@]}" --backend-command "$(ssh_to a cpu)" --out all --resume
cp -r all without
: >a.gone
check 'one of them goes on' 1 has "the run goes on without a machine: '$(ssh_to a cpu)': ssh: connect to host a port 22" \
    has 'DID NOT END WELL: 2 processes did not end well' -- "$cts" "${run[@]}" "${to[@]}" --out without --resume
same 'each case came to the same' "$(cases without)" "$(cases one)"
heal
check 'they go on' 1 has 'DID NOT END WELL: 2 processes did not end well' has "lost: '$(ssh_to a cpu)'" has "lost: '$(ssh_to b cpu)'" \
    -- "$cts" "${run[@]}" "${to[@]}" --out all --resume
same 'each case came to the same' "$(cases all)" "$(cases one)"

echo '# one command alone'
heal
to cpu a
goes a
check 'it is lost as before' 3 has 'a worker ended 3 times in a row' lacks 'lost: ' -- "$cts" "${run[@]}" "${to[@]}" --out alone
same 'its ends are as before' "$(ends alone)" '3 between 1 under-way'

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
