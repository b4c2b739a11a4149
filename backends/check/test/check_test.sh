#!/usr/bin/env bash
# topk-cts check-backend names the rule that is broken: each row of the table below is an example backend
# with an edit that breaks one rule. Backends that break no rule pass, including the examples and topk-backend.
set -euo pipefail
bin=$1
source=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# RULE BASE FROM => TO ;; FROM => TO ...: BASE, with each FROM in it replaced by TO, breaks RULE (its
# key in rules.def). RULE may be `good`: no rule is broken; or `base NAME`: other rows start from it.
table() {
    cat <<'END'
good            pl
good            mjs
good            c

base strict     pl  flags=5 => flags=4 ;; word('descriptions are not checked') => '' ;; for my $tensor (@call => my $absent = grep { !ref $call{$_} } qw(input value index); $call{status} = $absent || !$types{$call{input}{type}} || $call{input}{sizes} !~ /^\d+(,\d+){0,7}$/ ? 'refused ' : $call{create_only} ? 'done ' : undef; return \%call if $call{status}; for my $tensor (@call ;;         my @tensors = @$call => if ($call->{status}) { $statuses .= "$call->{status}\n"; next } my @tensors = @$call
base float      pl  my $status = top_k( => my $status = $call->{input}{type} != 1 ? 'unsupported ' . word('50% of types, or less = some') : top_k(
base probes     pl  flags=5 => flags=15 ;; elsif ($line eq 'quit') => elsif ($line eq 'probes') { print "probes=one,two.2\n" } elsif ($line =~ /^probe [01]$/) { print "verdict=observed value=kept detail=as%20it%20is\n" } elsif ($line eq 'quit')
base memory     pl  flags=5 => flags=45 ;; elsif ($line eq 'quit') => elsif ($line =~ /^memory (\d+) \d+$/) { print open($main::memory, '+<&', $1) ? "memory done \n" : 'memory failed ' . word("$!") . "\n" } elsif ($line eq 'quit') ;; (\d+) (\d+)$/) { print answer($1, $2, $3, $4) => (\d+) (\d+)(?: (\d+))?$/) { print answer($1, $2, $3, $4, $5) ;; $size) = @_; => $size, $place) = @_; ;; read(STDIN, my $bytes, $size) == $size or exit; => my $bytes; if (!$place) { read(STDIN, $bytes, $size) == $size or exit } else { sysseek $main::memory, 0, 0; syswrite $main::memory, pack('Q<', $frame * 65536 + $groups - 1); sysseek $main::memory, $place, 0; sysread $main::memory, $bytes, $size } ;; $bytes = '' if !$any; => if ($place) { sysseek $main::memory, $place, 0; syswrite $main::memory, $bytes } $bytes = '' if !$any || $place;
base two        mjs ['host'] => ['host', 'other%20one']
good            strict
good            float
good            probes
good            memory
good            two
good            pl  are not checked') . "\n" => are not checked') . " contract=ties%3Dany parts=some.dll%201.$$%0Aother%202\n"
good            pl  my ($statuses, $any) = ('', 0); => print "at $frame $_\n" for 0 .. $groups - 1; my ($statuses, $any) = ('', 0);

read-whole      pl  read(STDIN, my $bytes => print "answer $frame $count $size\n"; read(STDIN, my $bytes ;; "answer $frame $count " . length($bytes) . "\n$statuses$bytes" => "$statuses$bytes"
flush           pl  $| = 1; =>
flush           pl  { print answer( => { $| = 0; print answer(
order           pl  print answer($1, $2, $3, $4) => my $this = answer($1, $2, $3, $4); my $in = "\1"; if (!defined $main::held && select $in, undef, undef, 0) { $main::held = $this } else { print $this, $main::held // ''; $main::held = undef }
ahead           mjs pending = bytes.subarray(count); => pending = Buffer.alloc(0);
line-feed       pl  binmode STDOUT; => binmode STDOUT, ':crlf';
line-feed       mjs \n`), bytes]) => \r\n`), bytes])
ascii           pl  name=example => name=ex\xe4mple ;; 'topk-backend 1 => "topk-backend 1 ;; level=5.0 ' => level=5.0 "
ascii           pl  name=example => name=a	b
line-length     pl  name=example => name=' . 'x' x 9000 . '
binary          pl  binmode STDIN; => binmode STDIN, ':crlf';
binary          pl  \n$statuses$bytes" => \n$statuses" . ($bytes =~ tr/\x1a/ /r)
number          pl  "answer $frame $count " => "answer $frame 0$count "
number          pl  "answer $frame $count " => "answer $frame +$count "
word            pl  descriptions are not checked => a=b ;; %%%02X => %%%02x
word            pl  [%,=] => [%,=a]
word            pl  descriptions are not checked => a=b ;; [%,=] => [%,]
word            float  [%,=] => [,]
word            mjs word(`not understood: ${line}`) => encodeURIComponent(`not understood: ${line}`)
empty-word      pl  return 'done '; => return 'done';

judge-first     pl  while (defined => print $introduction; while (defined
devices         pl  "devices=\n" => "devices\n"
devices         pl  $line eq 'devices' => $line eq 'device'
devices         mjs DEVICES.join() => DEVICES.join() + ','
devices-wait    pl  print "devices=\n" => print "devices=\n"; exit
devices-wait    two write(`devices=${DEVICES.join()}`) => exit(0, `devices=${DEVICES.join()}`)
open            pl  { print $introduction } => { print "ready\n" }
open            pl  word('no choice of device'), "\n"; exit => word('no choice of device'), "\n"
open-device     pl  print 'unavailable ', word('no choice of device'), "\n"; exit => print $introduction
open-device     mjs DEVICES.includes(device) => device !== null
open-version    pl  $line eq 'open 1 ' => $line =~ /^open \d $/
introduction    pl  batch=64 frame=0 => frame=0 batch=64
introduction    pl  driver= => driver_
introduction    pl  level=5.0 => level=5
introduction    pl  flags=5 => flags=0x5
introduction    pl  batch=64 => batch=0
introduction    pl  frame=0 => frame=-1
introduction    pl  align=1 => align=3
introduction    pl  are not checked') . "\n" => are not checked') . " contract=ties%3Dnone\n"
introduction    pl  are not checked') . "\n" => are not checked') . " parts=some.dll\n"
introduction    pl  align=1 => align=8192
introduction    pl  word('descriptions are not checked') => 'not checked'
introduction    pl  topk-backend 1 => topk-backend 2
introduction    pl  name=example => name=' . 'x' x 2048 . '
introduction    pl  { print $introduction } => { print "misdeclared no%20such%20rule\n"; exit }
introduction    c   checked"; => checked more=0";
flags           pl  flags=5 => flags=85
own             pl  word('descriptions are not checked') => ''
restart         pl  version=1 => version=' . $$ . '

group           pl  grep { /^call / } @lines => @lines[1 .. $count]
group           pl  1 .. $count + $groups => 1 .. $count + 1
calls           pl  $size) = @_; => $size) = @_; exit 3 if $count > 64;
calls           c   count <= 1024 => count <= 64
frame-number    pl  "answer $frame $count " => 'answer ' . ++$main::frames . " $count "
frame-number    pl  "answer $frame $count " => 'answer ' . ($frame & 65535) . " $count "
hint            pl  my ($statuses, $any) = ('', 0); => print "at $frame $_\n" for 1 .. $groups; my ($statuses, $any) = ('', 0);
hint            pl  my ($statuses, $any) = ('', 0); => print "at 1 0\n"; my ($statuses, $any) = ('', 0);
probes          probes  probes=one => probes=One
probes          probes  probes=one => one
probe           probes  verdict=observed => verdict=seen
probe           probes  value=kept => value=' . 'x' x 60 . ' ;; print "verdict => print 'verdict ;; %20is\n" => %20is', "\n"
error           pl  print 'error ', word("not understood: $line"), "\n"; exit 3 => exit 3
error           pl  exit 3 => exit 1
error           pl  else { print 'error ', word("not understood: $line"), "\n"; exit 3 } =>
quit            pl  { exit } => { exit 1 }
quit            pl  { exit } => { exit if $main::early++; sleep 100 }
end             pl  $line = <STDIN>) => $line = <STDIN> // die)

create-only     strict  $call{create_only} ? 'done ' : undef => undef
direction       pl  $call->{operator} == 112 && =>
direction       pl  {direction} == 0 => {direction} == 1
direction       c   call->operator_type == 112 && call->direction == 0 => call->operator_type == 112
type            strict  !$types{$call{input}{type}} => !@{$types{$call{input}{type}}}
refused         strict  !$types{$call{input}{type}} || =>
refused         strict  {0,7} => {0,15}
sizes           pl  $tensor->{sizes}); => $tensor->{sizes}); die 'too many' if @sizes > 5;
absent          strict  my $absent = grep => my $absent = 0; my @unused = grep
strides         pl  $tensor->{strides} eq 'packed' ? $next : $strides[$d] => $next
strides         c   *strides == 'p' => *strides != 0
offset          pl  map { $_->{offset} } @tensors => map { 0 } @tensors
offset          mjs visit(0, input.offset, => visit(0, 0,
offset          c   at[t] = frame + tensor->at + tensor->offset; => at[t] = frame + tensor->at + (t == 2 ? 0 : tensor->offset);
at              pl  my ($statuses, $any) = ('', 0); => my ($statuses, $any, $packed) = ('', 0, 0); ;;         my @tensors = @$call{qw(input value index)}; => my @tensors = @$call{qw(input value index)}; ($_->{at}, $packed) = ($packed, $packed + $_->{buffer}) for @tensors;
guard           pl  substr $value->{data}, $place, $width, $elements[$order[$j]]; => substr $value->{data}, $place, $width, $elements[$order[$j]]; substr $value->{data}, $place + $width, 1, 'x' if $place + $width < length $value->{data};
input           pl  my @keys = => substr $input->{data}, $from, $width, 'x' x $width; my @keys =
little-endian   pl  <' => >'
little-endian   mjs order[j] * input.strides[axis], true => order[j] * input.strides[axis], false

answer          pl  "answer $frame $count " => "answer $frame "
answer          pl  \n$statuses$bytes" => \n$statuses\n$bytes"
bytes           pl  length($bytes) . => (length($bytes) - 4) .
bytes           float  $bytes = '' if !$any; =>
now             pl  substr $bytes, $_->{at}, $_->{buffer}, $_->{data} for @tensors; =>
status          pl  return 'done '; => return 'ok ';
done            pl  $keys[$b] <=> $keys[$a] || => 0 ||
unsupported     pl  return 'done '; => return 'refused ';
failed          pl  return 'done '; => return 'failed ' . word('no device');
reason          pl  return 'done '; => return 'done ' . 'x' x 252;

memory          memory  "memory done => "done
memory-cannot   memory  open($main::memory, '+<&', $1) ? => (open($main::memory, '+<&', $1), 1) ?
memory-replaced memory  print open( => print $main::shared++ < 2 && open(
memory-frame    memory  if (!$place) { read(STDIN => if (1) { read(STDIN
memory-answer   memory  $bytes = '' if !$any || $place; => $bytes = '' if !$any;
memory-mark     memory  $groups - 1 => $groups
memory-outside  memory  sysseek $main::memory, $place, 0; syswrite $main::memory, $bytes => sysseek $main::memory, $place, 0; syswrite $main::memory, "${bytes}x"
memory-late     memory  my ($statuses, $any) = ('', 0); => my ($statuses, $any) = ('', 0); if ($main::last) { sysseek $main::memory, $main::last, 0; syswrite $main::memory, 'x' } $main::last = $place;

silence         pl  { exit } => { print "bye\n"; exit }
silence         pl  print answer($1, $2, $3, $4) => print answer($1, $2, $3, $4), "ready\n"
died            pl  sub top_k { => sub top_k { die 'no device';
timeout         pl  sub top_k { => sub top_k { sleep 100;
END
}

fail() {
    echo "$*" >&2
    exit 1
}

# prints a program with the edits of a row, up to the last
edit() {
    perl -0777 -e '
        my ($file, $edits) = @ARGV;
        open my $in, "<", $file or die; my $text = <$in>;
        for (split /\s;;(?:\s|$)/, $edits) {
            my ($from, $to) = /^(.*?) =>(?: (.*))?$/s or die "no edit: $_\n";
            my $parts = () = $text =~ /\Q$from\E/g or die "the program does not have: $from\n";
            $to //= "";
            $text =~ s/\Q$from\E/$to/g;
        }
        print $text' "$@"
}

# The command that runs a program: a file NAME.pl, .mjs or .c.
command_of() {
    case $1 in
    *.pl) echo "exec perl $1 2>/dev/null" ;;
    *.mjs) echo "exec node $1 2>/dev/null" ;;
    *.c) gcc -std=c17 -o "${1%.c}" "$1" && echo "./${1%.c}" ;;
    esac
}

# Checks row NUMBER of RULE with a program; prints nothing if the check names the rule.
check_row() {
    local number=$1 rule=$2 file=$3 code=0 wanted=1 limit=30
    case $rule in
    good) wanted=0 ;;
    flush | timeout | binary | open | quit | memory-frame | error) limit=2 ;; # it does not answer, or end
    esac
    "$bin/topk-cts" check-backend --timeout "$limit" "$(command_of "$file")" >"$number.said" 2>&1 || code=$?
    if [ "$code" != "$wanted" ] || { [ "$rule" != good ] && ! grep -m 1 "^FAIL" "$number.said" | grep -q " breaks rule $rule\$"; }; then
        {
            echo "row $number, $rule, exited with $code:"
            diff "base-$number" "$file" || true
            cat "$number.said"
        } >"$number.wrong"
    fi
}

cp "$source/docs/example-backends/example.pl" pl.pl
cp "$source/docs/example-backends/example.mjs" mjs.mjs
cp "$source/docs/example-backends/example.c" c.c

# The quotes in rules.def occur in the page, in the named section.
perl -0777 -e '
    open my $in, "<", $ARGV[0] or die; my $rules = <$in>;
    open my $page, "<", $ARGV[1] or die; my $text = <$page>;
    my $count = 0;
    while ($rules =~ /^RULE\(\w+,\s*"([^"]+)",\s*"([^"]+)",\s*((?:"(?:[^"\\]|\\.)*"\s*)+),/mg) {
        my ($key, $section, $quote) = ($1, $2, $3);
        $quote = join "", $quote =~ /"((?:[^"\\]|\\.)*)"/g;
        my ($part) = $text =~ /^## \Q$section\E\n(.*?)(?=^## |\z)/ms or die "$key: no section $section\n";
        $part =~ s/\s+/ /g;
        index($part, $quote) >= 0 or die "$key: the section $section does not have: $quote\n";
        print "$key\n";
        $count++;
    }
    my $all = () = $rules =~ /^RULE\(/mg;
    $count == $all or die "a rule of $ARGV[0] cannot be read\n"' \
    "$here/../rules.def" "$source/docs/backend-protocol.md" >rules || fail "rules.def and the page differ"

number=0
while read -r rule base edits; do
    [ -n "$rule" ] || continue
    number=$((number + 1))
    if [ "$rule" = base ]; then
        name=$base
        read -r base edits <<<"$edits"
    fi
    original=$(echo "$base".*)
    [ -f "$original" ] || fail "row $number: there is no base $base"
    kind=${original##*.}
    file=row-$number.$kind
    [ "$rule" != base ] || file=$name.$kind
    edit "$original" "$edits" >"$file" || fail "row $number: $rule $base"
    if [ "$rule" = base ]; then
        continue
    fi
    echo "$rule" >>named
    cp "$original" "base-$number"
    if [ "$rule" != good ] && cmp -s "$original" "$file"; then
        fail "row $number, $rule, changes nothing"
    fi
    check_row "$number" "$rule" "$file" &
    while [ "$(jobs -rp | wc -l)" -ge 8 ]; do
        wait -n || true
    done
done < <(table)
wait
cat ./*.wrong 2>/dev/null && fail "rules that were not named as they should"

missing=$(sort -u named | comm -13 - <(sort -u rules))
[ -z "$missing" ] || fail "no row breaks: $missing"

# programs of the suite, and commands that are no backend process
"$bin/topk-cts" check-backend "$bin/topk-backend cpu" >cpu || fail "topk-backend cpu: $(cat cpu)"
grep -q '^ok    memory  *frames in shared memory$' cpu || fail "no frame of topk-backend went through shared memory: $(cat cpu)"
expect() {
    local wanted=$1 code=0
    shift
    "$bin/topk-cts" check-backend "$@" >said 2>&1 || code=$?
    [ "$code" = "$wanted" ] || fail "check-backend $*: exited with $code, not $wanted: $(cat said)"
}
expect 4 'no-such-command-of-ours'
expect 4 "$bin/topk-backend no-such-backend"
expect 1 cat
expect 1 true
expect 2
expect 2 one two
expect 2 --timeout 0 cat

# said LINE...: what check-backend printed has these lines, in this order
said() {
    local at=0 found line
    for line; do
        found=$(tail -n "+$((at + 1))" said | grep -nxF -m 1 -e "$line" | cut -d: -f1) || fail "no line '$line' after line $at: $(cat said)"
        at=$((at + found))
    done
}

# after a broken rule the check goes on, with a new process
# shellcheck disable=SC2016 # the dollars are those of Perl
edit pl.pl 'exit 3 => exit 1 ;; "answer $frame $count " => "answer $frame 0$count "' >two-rules.pl
expect 1 "$(command_of two-rules.pl)"
said 'FAIL  error early    breaks rule error' 'ok    open           '"$(sed -n 's/^ok    open  *\(introduces.*\)/\1/p' said)" \
    'FAIL  frame          breaks rule number' 'FAIL  strides        breaks rule number again' \
    'ok    restart        introduces itself as before' 'FAIL  error          breaks rule error again'
grep -qx "2 rules of docs/backend-protocol.md are broken, by $(grep -c '^FAIL' said) steps. Start with the first: others may follow from it." said ||
    fail "the last line is wrong: $(cat said)"

# steps that need what failed are not checked
# shellcheck disable=SC2016 # the dollars are those of Perl
edit pl.pl '"devices=\n" => "devices\n" ;; { print $introduction } => { print "ready\n" }' >closed.pl
expect 1 "$(command_of closed.pl)"
said 'FAIL  devices        breaks rule devices' '--    quit early     not checked, because "devices" failed' \
    'FAIL  open           breaks rule open' '--    frame to end of input not checked, because "open" failed' \
    '--    open a device  not checked, because "devices" failed'

# an answer that does not come in time ends the check
edit pl.pl 'sub top_k { => sub top_k { sleep 100;' >late.pl
expect 1 --timeout 1 "$(command_of late.pl)"
said 'FAIL  frame          breaks rule timeout' "$(grep '^STOP  the other [0-9]* steps are not checked: each could take as long$' said)" \
    '1 rule of docs/backend-protocol.md is broken, by 1 step.'

# of a command that says nothing nothing more is asked
expect 1 false
said 'FAIL  devices        breaks rule devices'
grep -qx 'STOP  the other [0-9]* steps are not checked: the command ended without a word; see its standard error' said ||
    fail "the check goes on: $(cat said)"
