# Holds what `topk-cts export --format dxdispatch' wrote against what DxDispatch makes of such files,
# with nothing of this project. Run as
#   perl dxdispatch_check.pl DIR...
# where each DIR has a model. Names are those that DxDispatch's parser knows; buffers have to hold
# their tensors; and what is expected must be the outputs' initial bytes with the K first of each
# sequence in the outputs' places, as they are worked out here. Sequences with a NaN are left alone.
# Prints how many models it looked at and how many of them are run; dies over the first that is wrong.
use strict;
use warnings;
use JSON::PP;

my %width = (
    FLOAT32 => 4, FLOAT16 => 2, UINT32 => 4, UINT16 => 2, UINT8 => 1, INT32 => 4, INT16 => 2, INT8 => 1,
    UINT64  => 8, INT64   => 8, FLOAT64 => 8, UINT4 => 0, INT4 => 0, UNKNOWN => 0,
);
my %template = (
    FLOAT32 => 'f<', FLOAT16 => 'S<', UINT32 => 'L<', UINT16 => 'S<', UINT8 => 'C', INT32 => 'l<',
    INT16   => 's<', INT8    => 'c',  UINT64 => 'Q<', INT64  => 'q<',
);
my @points = qw(InputTensor OutputValueTensor OutputIndexTensor);

sub known {
    my ($object, @names) = @_;
    my %names = map { $_ => 1 } @names;
    for my $key (keys %$object) {
        die "the key $key is not known there\n" unless $names{$key};
    }
}

sub slurp {
    my ($path) = @_;
    open my $file, '<:raw', $path or die "$path: $!\n";
    local $/;
    return scalar <$file>;
}

sub half {
    my ($bits) = @_;
    my ($exponent, $fraction) = ($bits >> 10 & 31, $bits & 1023);
    my $value =
          $exponent == 31 ? ($fraction ? 'nan' + 0 : 9**9**9)
        : $exponent == 0  ? $fraction * 2**-24
        :                   (1024 + $fraction) * 2**($exponent - 25);
    return $bits & 0x8000 ? -$value : $value;
}

# the bytes from the tensor's start to the end of its last element
sub least {
    my ($tensor) = @_;
    my $last = 0;
    for my $d (0 .. $#{ $tensor->{Sizes} }) {
        $last += ($tensor->{Sizes}[$d] - 1) * $tensor->{strides}[$d];
    }
    return ($last + 1) * $width{ $tensor->{DataType} };
}

sub check_tensor {
    my ($tensor) = @_;
    known($tensor, qw(DataType DimensionCount Sizes Strides Flags TotalTensorSizeInBytes
            GuaranteedBaseOffsetAlignment));
    die "no type $tensor->{DataType}\n" unless exists $width{ $tensor->{DataType} };
    die "no such flags\n" unless ($tensor->{Flags} // 'NONE') =~ /^(NONE|OWNED_BY_DML)$/;
    die "DimensionCount is wrong\n" unless $tensor->{DimensionCount} == @{ $tensor->{Sizes} };
    my $packed = 1;
    for my $d (reverse 0 .. $#{ $tensor->{Sizes} }) {
        $tensor->{strides}[$d] = $tensor->{Strides} ? $tensor->{Strides}[$d] : $packed;
        $packed *= $tensor->{Sizes}[$d];
    }
}

sub check_buffer {
    my ($dir, $resources, $binding, $tensor) = @_;
    known($binding, qw(name elementOffset elementCount elementSizeInBytes));
    my $resource = $resources->{ $binding->{name} } or die "no resource $binding->{name}\n";
    known($resource, qw(initialValuesDataType initialValues sizeInBytes));
    known($resource->{initialValues}, 'sourcePath');
    die "another type than the tensor's\n"
        unless $resource->{initialValuesDataType} eq $tensor->{DataType};
    my $bytes = slurp("$dir/$resource->{initialValues}{sourcePath}");
    my $size = $resource->{sizeInBytes};
    die "the file does not fill the buffer\n" unless length $bytes == $size;
    my $offset = $binding->{elementOffset} * $binding->{elementSizeInBytes};
    my $total = $tensor->{TotalTensorSizeInBytes};
    die "the total size is too small\n" if least($tensor) > $total;
    die "the tensor does not lie in its buffer, with room behind it\n"
        unless $offset + $total + 256 <= $size;
    die "the buffer's size is no multiple of 4\n" if $size % 4;
    $tensor->{bytes}  = $bytes;
    $tensor->{offset} = $offset;
}

# what is to be in the outputs
sub work_out {
    my ($tensors, $axis, $k, $increasing) = @_;
    my ($input, @outputs) = @$tensors;
    my @expected = map { $_->{bytes} } @outputs;
    my $type = $input->{DataType};
    my @odometer = map { 0 } @{ $input->{Sizes} };
    while (1) {
        my @values;
        my $nan = 0;
        my @bases = map {
            my $tensor = $_;
            my $at     = 0;
            $at += $odometer[$_] * $tensor->{strides}[$_] for 0 .. $#odometer;
            $at * $width{ $tensor->{DataType} } + $tensor->{offset};
        } @$tensors;
        for my $i (0 .. $input->{Sizes}[$axis] - 1) {
            my $at = $bases[0] + $i * $input->{strides}[$axis] * $width{$type};
            my $raw = substr $input->{bytes}, $at, $width{$type};
            my $value = unpack $template{$type}, $raw;
            $value = half($value) if $type eq 'FLOAT16';
            $nan = 1 if $value != $value;
            push @values, [ $value, $i, $raw ];
        }
        return if $nan;
        my @order = sort {
            ($increasing ? $a->[0] <=> $b->[0] : $b->[0] <=> $a->[0]) || $a->[1] <=> $b->[1]
        } @values;
        for my $j (0 .. $k - 1) {
            my @bytes = ($order[$j][2], pack($template{ $outputs[1]{DataType} }, $order[$j][1]));
            for my $o (0, 1) {
                my $w = $width{ $outputs[$o]{DataType} };
                substr($expected[$o], $bases[ $o + 1 ] + $j * $outputs[$o]{strides}[$axis] * $w, $w) =
                    $bytes[$o];
            }
        }
        my $d = $#odometer;
        while ($d >= 0 && ($d == $axis || ++$odometer[$d] == $input->{Sizes}[$d])) {
            $odometer[$d--] = 0;
        }
        return @expected if $d < 0;
    }
}

sub check_run {
    my ($dir, $model, $topk, $tensors) = @_;
    my ($dispatch, @rest) = @{ $model->{commands} };
    known($dispatch, qw(type dispatchable bindings));
    my %bindings = (%{ $topk->{bindings} // {} }, %{ $dispatch->{bindings} });
    my $owned = ($tensors->[0]{Flags} // '') eq 'OWNED_BY_DML';
    die "what DirectML owns is bound at the wrong time\n"
        if exists $dispatch->{bindings}{InputTensor} == $owned;
    for my $i (0 .. 2) {
        my $binding = $bindings{ $points[$i] } or die "no binding of $points[$i]\n";
        check_buffer($dir, $model->{resources}, $binding, $tensors->[$i]);
    }
    my $said = join ' ', map { "$_->{type}:$_->{resource}:" . ($_->{targetPath} // '') } @rest;
    die "other commands: $said\n"
        unless $said eq 'print:value: writeFile:value:value.actual.bin '
        . 'print:index: writeFile:index:index.actual.bin writeFile:input:input.actual.bin';
    my $desc = $topk->{desc};
    my @expected = work_out($tensors, $desc->{Axis}, $desc->{K},
        ($desc->{AxisDirection} // '') eq 'INCREASING');
    for my $i (0 .. $#expected) {
        my $name = (qw(value index))[$i];
        die "$name.expected.bin is not what is expected\n"
            unless slurp("$dir/$name.expected.bin") eq $expected[$i];
    }
    return @expected > 0;
}

sub check {
    my ($dir) = @_;
    my $model = decode_json(slurp("$dir/model.json"));
    known($model, qw(resources dispatchables commands));
    known($model->{dispatchables}, 'topk');
    my $topk = $model->{dispatchables}{topk};
    known($topk, qw(type desc executionFlags bindings));
    my $one = $topk->{type} eq 'DML_OPERATOR_TOP_K1';
    die "no operator $topk->{type}\n" unless $one || $topk->{type} eq 'DML_OPERATOR_TOP_K';
    known($topk->{desc}, @points, qw(Axis K), $one ? 'AxisDirection' : ());
    die "no direction\n"
        if $one && ($topk->{desc}{AxisDirection} // '') !~ /^(IN|DE)CREASING$/;
    for my $flag (@{ $topk->{executionFlags} }) {
        die "no flag $flag\n"
            unless $flag =~ /^(ALLOW_HALF_PRECISION_COMPUTATION|DISABLE_META_COMMANDS|DESCRIPTORS_VOLATILE)$/;
    }
    my @tensors = map { $topk->{desc}{$_} } @points;
    check_tensor($_) for @tensors;
    return @{ $model->{commands} } ? 1 + check_run($dir, $model, $topk, \@tensors) : 0;
}

my @counts = (0, 0, 0);
for my $dir (@ARGV) {
    my $ran = eval { check($dir) };
    die "$dir: $@" unless defined $ran;
    $counts[$ran]++;
}
printf "%d models are only created, %d run, of %d what is expected was worked out\n", $counts[0],
    $counts[1] + $counts[2], $counts[2];
