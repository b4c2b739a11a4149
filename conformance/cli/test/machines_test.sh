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

# Starts a command, and kills it when it was sent so many bytes; the file MARK exists then.
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
# HOST.gone: the machine is lost. HOST.goes: it is lost when a process there was sent so many bytes.
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
# heal: all machines are there again, and stay
heal() { rm -f ./*.gone ./*.goes connections; }
# goes HOST [BYTES]: the machine is lost, a while after cases are sent to it
goes() { echo "${2:-12000}" >"$1.goes"; }
cases() { jq -c 'select(.record == "case") | del(.nanoseconds, .chain)' "$1/results.jsonl" | sort; }
ends() { jq -r 'select(.record == "process") | .end' "$1/results.jsonl" | sort | uniq -c | xargs; }
# to BACKEND HOST...: sets `to' to the options with one command for each machine
to() {
    local host backend=$1
    shift
    to=()
    for host in "$@"; do to+=(--backend-command "$(ssh_to "$host" "$backend")"); done
}

run=(run ties --no-identity)
to cpu a
check 'one machine' 0 has PASSED lacks processes -- "$cts" "${run[@]}" "${to[@]}" --out one
same 'one machine: the log has the command as it was given' "$(jq -r '.backend.command // empty' one/results.jsonl)" "$(ssh_to a cpu)"

echo '# several machines'
heal
to cpu a b c
check 'three machines' 0 has PASSED lacks processes -- "$cts" "${run[@]}" "${to[@]}" --out three
same 'three machines: the same results as one' "$(cases three)" "$(cases one)"
same 'three machines: each had a worker' "$(sort connections | xargs)" 'a b c'
same 'three machines: the log has the commands' "$(jq -r '.backend.command // empty' three/results.jsonl)" \
    "'$(ssh_to a cpu)' --backend-command '$(ssh_to b cpu)' --backend-command '$(ssh_to c cpu)'"
case=$(jq -r 'select(.record == "case") | .id' three/results.jsonl | head -n 1)
replay="$(jq -r '.replay // empty' three/results.jsonl) '$case'"
check 'three machines: the replay command works' 0 has 'PASS ties' -- sh -c "$replay"
check 'three machines: --resume of the complete run' 0 lacks INCOMPLETE -- "$cts" "${run[@]}" "${to[@]}" --out three --resume
check 'three machines: five workers' 0 has PASSED -- "$cts" "${run[@]}" "${to[@]}" --jobs 5 --out five
same 'five workers: the same results as one machine' "$(cases five)" "$(cases one)"

echo '# packages, pages and comparisons'
minisign -G -W -p signer.pub -s signer.sec >/dev/null
check 'three machines: a whole profile' 0 has CONFORMANT -- "$cts" run --profile peers --no-identity "${to[@]}" --out peers
check 'three machines: a package' 0 has 'It states that the backend conforms' -- "$cts" package peers --sign signer.sec --output p.tar
check 'three machines: the package is verified with --rerun' 0 has VERIFIED -- "$cts" verify p.tar --key signer.pub --rerun 5 "${to[@]}"
same 'three machines: the package names the commands' "$(tar xOf p.tar package.json | jq -r .backend.command)" "$(jq -r '.backend.command // empty' three/results.jsonl)"
check 'three machines: the page has the commands' 0 has "&#39;$(ssh_to a cpu)&#39; --backend-command &#39;" -- "$cts" report peers --format html
check 'three machines: compare prints the commands' 0 has "'$(ssh_to a cpu)' --backend-command '" -- "$cts" compare one three

echo '# command lines'
check '--jobs below the number of machines' 2 has '--jobs 2 is too few: each of the 3 commands needs a worker' \
    -- "$cts" "${run[@]}" "${to[@]}" --jobs 2 --out no
check 'an empty --backend-command' 2 has "--backend-command takes a command, not ''" -- "$cts" "${run[@]}" "${to[@]}" --backend-command '' --out no
many=()
for _ in $(seq 65); do many+=(--backend-command x); done
check 'more than 64 --backend-command' 2 has '--backend-command can be given 64 times' -- "$cts" "${run[@]}" "${many[@]}" --out no
check '--backend beside --backend-command' 2 has 'exclude each other' -- "$cts" "${run[@]}" "${to[@]}" --backend cpu --out no
: >b.gone
check 'a machine that is unavailable at the start' 4 has "'$(ssh_to b cpu)': ssh: connect to host b port 22: Connection refused" \
    -- "$cts" "${run[@]}" "${to[@]}" --out no
heal
check 'a machine with another backend' 2 has "'$(ssh_to d faulty:B26)' has name 'faulty' where '$(ssh_to a cpu)' had 'cpu'" \
    -- "$cts" "${run[@]}" "${to[@]}" --backend-command "$(ssh_to d faulty:B26)" --out no
same 'after such errors no folder is left' "$(ls -d no 2>&1)" "ls: cannot access 'no': No such file or directory"

echo '# lost machines'
heal
to cpu a b
goes b
check 'a lost machine: the run fails' 1 has 'DID NOT END WELL: 1 process did not end well' has "lost: '$(ssh_to b cpu)' is lost after" \
    has 'processes: 1 process was lost with its machine' has 'it could not be started again: ssh: connect to host b port 22: Connection refused' \
    -- "$cts" "${run[@]}" "${to[@]}" --out lost
same 'a lost machine: the same results' "$(cases lost)" "$(cases one)"
same 'a lost machine: its end is in the log' "$(ends lost)" '1 lost'
same 'a lost machine: the log names it' "$(jq -r 'select(.record == "process") | .reason' lost/results.jsonl | sed 's/ after [0-9]* cases:.*//')" \
    "'$(ssh_to b cpu)' is lost"
same 'a lost machine: a report counts it' "$("$cts" report lost --format json | jq -c '[.processes.lost, .processes["under-way"], .processes.outside]')" '[1,0,0]'
heal
goes b
check 'a lost machine with --max-unclean 1' 0 has 'PASSED' has 'lost: ' -- "$cts" "${run[@]}" "${to[@]}" --out allowed --max-unclean 1
heal
goes b
check 'a lost machine with several workers: the run fails' 1 has "lost: '$(ssh_to b cpu)' is lost after" -- "$cts" "${run[@]}" "${to[@]}" --jobs 6 --out jobs
same 'a lost machine with several workers: the same results' "$(cases jobs)" "$(cases one)"
same 'a lost machine with several workers: one loss' "$(ends jobs)" '1 lost'
heal
to cpu a b c
goes a
goes c
check 'two lost machines: the run fails' 1 has "lost: '$(ssh_to a cpu)'" has "lost: '$(ssh_to c cpu)'" \
    -- "$cts" "${run[@]}" "${to[@]}" --out first
same 'two lost machines: the same results' "$(cases first)" "$(cases one)"
same 'two lost machines: their ends are in the log' "$(ends first)" '2 lost'

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
    same "$name: two machines have the same results" "$(cases "$name-two")" "$(cases "$name")"
    same "$name: the same results with a lost machine" "$(cases "$name-lost")" "$(cases "$name")"
    same "$name: the failures fail again" "$(jq -r 'select(.record == "again") | .kind' "$name-lost/results.jsonl" | sort -u)" always
    same "$name: the failure was shrunk on the remaining machine" "$(grep -c . "$name-lost/shrunk.txt")" "$(grep -c . "$name/shrunk.txt")"
    same "$name: the lost machine is not counted as a crash" "$(ends "$name-lost" | sed 's/ [0-9]* under-way//')" '1 lost'
done

echo '# all machines are lost'
heal
to cpu a b
goes a
goes b
check 'all machines lost: the run is incomplete' 3 has 'all machines are lost; the last one was' has INCOMPLETE has 'To continue: ' -- "$cts" "${run[@]}" "${to[@]}" --out all
same 'all machines lost: no case fails' "$(cases all | jq -r .verdict | grep -v pass)" ""
check 'all machines lost: --resume without a machine' 4 has 'Connection refused' -- "$cts" "${run[@]}" "${to[@]}" --out all --resume
heal
check 'all machines lost: --resume with other commands' 2 has 'its --backend-command is' -- "$cts" "${run[@]}" --backend-command "$(ssh_to a cpu)" --out all --resume
cp -r all without
: >a.gone
check 'all machines lost: --resume without one of them' 1 has "the run goes on without a machine: '$(ssh_to a cpu)': ssh: connect to host a port 22" \
    has 'DID NOT END WELL: 2 processes did not end well' -- "$cts" "${run[@]}" "${to[@]}" --out without --resume
same '--resume without one machine: the same results' "$(cases without)" "$(cases one)"
heal
check 'all machines lost: --resume with all of them' 1 has 'DID NOT END WELL: 2 processes did not end well' has "lost: '$(ssh_to a cpu)'" has "lost: '$(ssh_to b cpu)'" \
    -- "$cts" "${run[@]}" "${to[@]}" --out all --resume
same '--resume with all machines: the same results' "$(cases all)" "$(cases one)"

echo '# a single command'
heal
to cpu a
goes a
check 'a single command that is lost: three ends in a row' 3 has 'a worker ended 3 times in a row' lacks 'lost: ' -- "$cts" "${run[@]}" "${to[@]}" --out alone
same 'a single command that is lost: its ends in the log' "$(ends alone)" '3 between 1 under-way'

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
