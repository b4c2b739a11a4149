#!/usr/bin/env perl
# A complete backend process of topk-cts: docs/backend-protocol.md in Perl 5, core modules only.
#   topk-cts run --backend-command 'perl example.pl'
# It sorts on the host. To test a kernel of your own, replace top_k(): upload each whole buffer,
# bind at its offset, dispatch, and read each whole buffer back, the input's too.
use strict;
use warnings;

# Of each type: how unpack() reads the bits of an element, and its bytes.
my %types = (1 => ['l<', 4], 2 => ['s<', 2], 3 => ['L<', 4], 4 => ['S<', 2], 5 => ['C', 1],
    6 => ['l<', 4], 7 => ['s<', 2], 8 => ['c', 1], 10 => ['Q<', 8], 11 => ['q<', 8]);

# Turns the bits of floats into numbers that compare as the values do.
sub float_keys {
    my ($most, $infinity, @bits) = @_;
    for (@bits) {
        my $magnitude = $_ & $most;
        $_ = $magnitude > $infinity ? $infinity + 1    # NaN is greatest
            : $_ < 0 ? -$magnitude : $magnitude;       # both zeros are equal
    }
    return @bits;
}

# Computes the sequence of a call that starts so many bytes from the start of each buffer.
sub sort_row {
    my ($call, $from, $to_value, $to_index) = @_;
    my ($input, $value, $index) = @$call{qw(input value index)};
    my $axis = $call->{axis};
    my ($step, $width) = ($input->{strides}[$axis], $input->{width});
    my $last = $input->{sizes}[$axis] - 1;
    my @elements = map { substr $input->{data}, $from + $_ * $step, $width } 0 .. $last;
    my @keys = unpack "($input->{format})*", join '', @elements;
    @keys = float_keys(0x7fffffff, 0x7f800000, @keys) if $input->{type} == 1;
    @keys = float_keys(0x7fff, 0x7c00, @keys) if $input->{type} == 2;
    my $smallest = $call->{operator} == 112 && $call->{direction} == 0;
    my @order = $smallest ? sort { $keys[$a] <=> $keys[$b] || $a <=> $b } 0 .. $last
        : sort { $keys[$b] <=> $keys[$a] || $a <=> $b } 0 .. $last;
    for my $j (0 .. $call->{k} - 1) {
        my $place = $to_value + $j * $value->{strides}[$axis];
        substr $value->{data}, $place, $width, $elements[$order[$j]];
        $place = $to_index + $j * $index->{strides}[$axis];
        substr $index->{data}, $place, $index->{width}, pack $index->{format}, $order[$j];
    }
    return;
}

# Computes all sequences of a call, from dimension $d on. Returns the status of the call.
sub top_k {
    my ($call, $d, @at) = @_;
    my @tensors = @$call{qw(input value index)};
    if ($d == @{$tensors[0]{sizes}}) {
        sort_row($call, @at);
        return;
    }
    for my $i (0 .. ($d == $call->{axis} ? 1 : $tensors[0]{sizes}[$d]) - 1) {
        top_k($call, $d + 1, map { $at[$_] + $i * $tensors[$_]{strides}[$d] } 0 .. 2);
    }
    return 'done ';    # or 'unsupported ' and why, as word() writes it
}

# Writes a text as a word.
sub word {
    my ($text) = @_;
    return $text =~ s/([^!-~]|[%,=])/sprintf '%%%02X', ord $1/ger;
}

# Reads the line of a call. Strides become those in bytes.
sub read_call {
    my ($line) = @_;
    my %call;
    while ($line =~ /(?:(\w+)\.)?(\w+)=(\S*)/g) {
        if (defined $1) { $call{$1}{$2} = $3 } else { $call{$2} = $3 }
    }
    for my $tensor (@call{qw(input value index)}) {
        my ($next, @sizes) = (1, split /,/, $tensor->{sizes});
        my @strides = split /,/, $tensor->{strides};
        ($tensor->{format}, my $width) = @{$types{$tensor->{type}}};
        for my $d (reverse 0 .. $#sizes) {
            $strides[$d] = ($tensor->{strides} eq 'packed' ? $next : $strides[$d]) * $width;
            $next *= $sizes[$d];
        }
        @$tensor{qw(sizes strides width)} = (\@sizes, \@strides, $width);
    }
    return \%call;
}

# Reads what follows the line of a frame and computes it. Returns the answer.
sub answer {
    my ($frame, $count, $groups, $size) = @_;
    my @lines = map { scalar <STDIN> } 1 .. $count + $groups;
    read(STDIN, my $bytes, $size) == $size or exit;
    my ($statuses, $any) = ('', 0);
    for my $call (map { read_call($_) } grep { /^call / } @lines) {
        my @tensors = @$call{qw(input value index)};
        $_->{data} = substr $bytes, $_->{at}, $_->{buffer} for @tensors;
        my $status = top_k($call, 0, map { $_->{offset} } @tensors);
        substr $bytes, $_->{at}, $_->{buffer}, $_->{data} for @tensors;
        $statuses .= "$status\n";
        $any ||= $status =~ /^done /;
    }
    $bytes = '' if !$any;
    return "answer $frame $count " . length($bytes) . "\n$statuses$bytes";
}

my $introduction = 'topk-backend 1 name=example version=1 device= driver= features= level=5.0 '
    . 'flags=5 batch=64 frame=0 align=1 own=' . word('descriptions are not checked') . "\n";
binmode STDIN;
binmode STDOUT;
$| = 1;    # each print is flushed
while (defined(my $line = <STDIN>)) {
    chomp $line;
    if ($line eq 'devices') { print "devices=\n" }    # there is no choice
    elsif ($line eq 'open 1 ') { print $introduction }
    elsif ($line =~ /^open 1 /) { print 'unavailable ', word('no choice of device'), "\n"; exit }
    elsif ($line =~ /^frame (\d+) (\d+) (\d+) (\d+)$/) { print answer($1, $2, $3, $4) }
    elsif ($line eq 'quit') { exit }
    else { print 'error ', word("not understood: $line"), "\n"; exit 3 }
}
