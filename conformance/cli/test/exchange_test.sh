#!/usr/bin/env bash
# topk-cts export and import, checked with independent readers: perl for .npy files and for models as DxDispatch
# interprets them, jq for JSON, ONNX Runtime for ONNX. Run as
#   exchange_test.sh BIN LIBRARY
# where BIN holds topk-cts and onnx_run, and LIBRARY is ONNX Runtime's, or
# `none'. Prints a line for each check and, at the end, how many passed.
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
begin 'BIN LIBRARY' "$@"
need jq perl
library=$2
[ "$library" = none ] || library=$(cd "$OLDPWD" && realpath "$library")
mkdir in && cd in || exit 1
said=..

# changed FILE OFFSET BYTE: replaces a byte
changed() {
    # shellcheck disable=SC2059 # the byte is the format
    printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# the data of a case's line, in hex
data() {
    grep -v '^#' | grep -o 'data=hex:[0-9a-f,]*' | cut -d: -f2
}

# read_npy FILE: descr, shape and data of a .npy file of version 1.0, as its format is defined
read_npy() {
    perl -e '
        local $/; my $all = <STDIN>;
        my ($magic, $major, $minor, $length) = unpack "a6CCv", $all;
        die "magic" unless $magic eq "\x93NUMPY" && $major == 1 && $minor == 0;
        die "alignment" if (10 + $length) % 64;
        my $head = substr $all, 10, $length;
        die "end" unless $head =~ /\n\z/;
        $head =~ /^\{\x27descr\x27: \x27([<|][fiu])([1248])\x27, \x27fortran_order\x27: False, \x27shape\x27: \(([0-9, ]*)\), \} *\n\z/
            or die "header $head";
        my ($kind, $width, $shape) = ($1, $2, $3);
        my $count = 1;
        $count *= $_ for $shape =~ /\d+/g;
        my $body = substr $all, 10 + $length;
        die "size" unless length $body == $count * $width;
        print "$kind$width ($shape) ",
            join(",", map { unpack "H*", reverse $_ } unpack "(a$width)*", $body), "\n";
    ' <"$1"
}

echo '# one case, whose files are checked by another reader'
small='top_k1 fl=5.0 in=i16[2,3]{4,1}#24@16 axis=1 k=2 dir=inc idx=u64 data=hex:0003,fffe,0003,8000,7fff,0000'
check 'npy' 0 has 'the tensors are packed' \
    has 'note: to import: topk-cts import DIR --direction inc' lacks 'UINT64' -- \
    "$cts" export "$small" --format npy --output npy
same 'npy: the files of the folder' "$(find npy -type f | sort | tr '\n' ' ')" \
    'npy/case.txt npy/index.npy npy/input.npy npy/value.npy '
same 'npy: the input' "$(read_npy npy/input.npy)" '<i2 (2, 3) 0003,fffe,0003,8000,7fff,0000'
same 'npy: the values' "$(read_npy npy/value.npy)" '<i2 (2, 2) fffe,0003,8000,0000'
same 'npy: the indices' "$(read_npy npy/index.npy)" \
    '<u8 (2, 2) 0000000000000001,0000000000000000,0000000000000000,0000000000000002'
same 'npy: case.txt says how to import the files' "$(grep '^# to import' npy/case.txt)" \
    '# to import: topk-cts import DIR --direction inc'
same 'npy: case.txt has the case' "$(grep -v '^#' npy/case.txt)" "$small"
check 'npy: the files are imported' 0 has 'every clause holds of the outputs' \
    has 'top_k1 fl=5.0 in=i16[2,3] axis=1 k=2 dir=inc idx=u64 data=hex:0003,fffe,0003,8000,7fff,0000' \
    -- "$cts" import npy --direction inc
cp ../out imported.txt
check 'replay takes what import prints' 0 has PASS -- \
    "$cts" replay --backend cpu --file imported.txt
check 'the input alone' 0 has 'no outputs to be judged' has 'k=3 dir=dec' -- \
    "$cts" import npy/input.npy --k 3
check 'a negative axis' 0 has 'axis=0 k=1' -- "$cts" import npy/input.npy --k 1 --axis -2
check 'outputs of the other direction' 1 has 'the outputs break S0' has 'FAIL case' \
    has 'axis -1 and direction dec were taken, as --axis and --direction do not say' \
    has 'expected' -- "$cts" import npy
check 'outputs of another axis' 3 has 'import: axis -1 was taken, as --axis does not' \
    has "the value output has sizes [1,3]; the input's, with K on the axis, are [2,3]" -- \
    bash -c "'$cts' export 'top_k fl=3.1 in=f32[2,3] axis=0 k=1 data=few.1:3:7' --format npy \
        --output axis && '$cts' import axis --direction dec"
check 'the import command in case.txt works' 0 has 'every clause' -- bash -c \
    "$(sed -n 's/^# to import: //p' axis/case.txt | sed "s,topk-cts,'$cts'," | sed 's,DIR,axis,')"
check 'outputs of the other direction, with --axis' 1 has 'import: direction dec was taken, as --direction' \
    lacks 'axis -1' -- "$cts" import npy --axis 1
check 'outputs of the other direction, with --axis and --direction' 1 lacks 'was taken' lacks 'were taken' -- "$cts" import npy --axis 1 --direction dec
check 'onnx' 0 has 'ONNX has no UINT64 indices' -- "$cts" export "$small" --format onnx --output onnx
same 'onnx: the files of the folder' "$(find onnx -type f | sort | tr '\n' ' ')" \
    "onnx/case.txt onnx/model.onnx onnx/test_data_set_0/input_0.pb onnx/test_data_set_0/input_1.pb $(
    )onnx/test_data_set_0/output_0.pb onnx/test_data_set_0/output_1.pb "
check 'onnx: the files are imported' 0 has 'onnx/test_data_set_0: every clause holds' \
    has 'in=i16[2,3] axis=1 k=2 dir=inc data=hex:0003' -- "$cts" import onnx
check 'a second test data set' 0 has 'test_data_set_0: every' has 'test_data_set_1: every' -- \
    bash -c "cp -r onnx/test_data_set_0 onnx/test_data_set_1 && '$cts' import onnx"
size=$(stat -c %s onnx/test_data_set_1/output_1.pb)
changed onnx/test_data_set_1/output_1.pb $((size - 8)) '\001'
cp -r onnx/test_data_set_0 onnx/test_data_set_2
check 'outputs that break a clause' 1 has 'test_data_set_1: the outputs break S0' \
    has 'test_data_set_0: every clause' has 'test_data_set_2: every clause' -- "$cts" import onnx
cp -r onnx gap && mv gap/test_data_set_1 gap/test_data_set_10
check 'a set of test data that is missing' 3 lacks 'every clause' \
    has 'gap/test_data_set_1 is missing, and test_data_set_10 is there' -- "$cts" import gap
rm -r gap/test_data_set_0 gap/test_data_set_10 && mv gap/test_data_set_2 gap/test_data_set_1
check 'a first set of test data that is missing' 3 has 'gap/test_data_set_0 is missing, and test_data_set_1 is there' -- \
    "$cts" import gap
mv gap/test_data_set_1 gap/test_data_set_0 && mkdir gap/test_data_set_01
check 'a set of test data with a malformed name' 3 has 'gap/test_data_set_01 would not be read' -- "$cts" import gap

echo '# many cases'
"$cts" list cover invalid latitude layout memory floats axis types examples |
    awk 'length < 2000 && NR % 60 == 0' >cases.txt
for format in npy onnx dxdispatch; do
    "$cts" export --file cases.txt --format $format --output all-$format >../$format.log 2>&1
    same "$format: cases that the format cannot express are reported" \
        "$(grep -c 'cannot express this case: ' ../$format.log)" \
        "$(($(wc -l <cases.txt) - $(find all-$format -mindepth 1 -maxdepth 1 | wc -l)))"
done
wrong=
for dir in all-npy/*; do
    read -ra options <<<"$(sed -n 's/^# to import: topk-cts import DIR//p' "$dir/case.txt")"
    text=$("$cts" import "$dir" ${options[@]+"${options[@]}"} 2>../err) ||
        { grep -q '16384' ../err || wrong="$wrong $dir"; continue; }
    [ "$(data <<<"$text")" = "$(read_npy "$dir/input.npy" | sed 's/.* //')" ] || wrong="$wrong $dir"
done
same 'npy: each case is imported unchanged, with the data that perl reads' "$wrong" ''
same 'dxdispatch: jq reads each model' "$(jq -e '.dispatchables.topk.desc.K' all-dxdispatch/*/model.json |
    wc -l)" "$(find all-dxdispatch -name model.json | wc -l)"
check 'dxdispatch: perl computes the expected outputs' 0 has 'of 1' \
    -- perl "$root/conformance/cli/test/dxdispatch_check.pl" all-dxdispatch/*
if [ "$library" = none ]; then
    echo '# ONNX Runtime is missing: its checks are skipped'
else
    "$bin/onnx_run" "$library" all-onnx/* >../runs 2>../err
    same 'onnx: ONNX Runtime reads each model' "$(wc -l <../runs)" "$(find all-onnx -name model.onnx | wc -l)"
    same 'onnx: ONNX Runtime computes the expected outputs, except with NaN' \
        "$(awk '$NF == "differs" { print $1 }' ../runs | while read -r dir; do
            grep -q '^# expected is one of several right answers. F02' "$dir/case.txt" || echo "$dir"
        done)" ''
    [ "$(grep -c 'same$' ../runs)" -gt 60 ] || report 'too few are computed' 'onnx: many are computed'
    wrong=
    while read -r dir _ _ _ seen _; do
        text=$("$cts" import "$dir" 2>../err) || { grep -q '16384' ../err || wrong="$wrong $dir"; continue; }
        [ "$(data <<<"$text")" = "${seen#data=}" ] || wrong="$wrong $dir"
    done <../runs
    same 'onnx: each case is imported unchanged, with the data that ONNX Runtime reads' "$wrong" ''
fi

echo '# notes on cases'
nan='top_k fl=2.0 in=f32[1,1,1,4] axis=3 k=2 exec=1 check=repeat data=hex:7fc00001,00000001,80000000,ffc00000'
check 'dxdispatch: notes on NaN, denormals, half precision, a relation' 0 has 'F02' has 'F04' has 'F06' \
    has 'the execution flags are only in the case' has 'the relation that it checks' -- \
    "$cts" export "$nan" --format npy --output nan
same 'dxdispatch: case.txt has the same notes' "$(grep -c '^# ' nan/case.txt)" 5
same 'dxdispatch: every bit of the input is kept' "$(read_npy nan/input.npy)" \
    '<f4 (1, 1, 1, 4) 7fc00001,00000001,80000000,ffc00000'
check 'the command in the README prints these notes' 0 has 'one of several right answers. F02' -- bash -c \
    "'$cts' export '$nan' --format dxdispatch --output nan-dx && cat nan-dx/README.txt"
check 'dxdispatch: a call that must be refused' 0 has 'V03b' has 'to refuse the operator' -- bash -c \
    "'$cts' export 'top_k fl=2.0 in=f32[1,1,1,4] axis=3 k=5' --format dxdispatch --output no &&
     cat no/README.txt"
same 'dxdispatch: a call that must be refused is not run' "$(jq -c '[.resources, .commands]' no/model.json)" '[{},[]]'
check 'dxdispatch: a note on padded outputs' 0 has 'M03' -- bash -c \
    "'$cts' export 'top_k fl=3.1 in=f32[4] axis=0 k=2 val=f32{2}' --format dxdispatch --output pad &&
     cat pad/README.txt"

"$cts" export 'top_k fl=3.1 in=f32[2]{2} axis=0 k=1 data=hex:3f800000,40000000' --format dxdispatch \
    --output padded >/dev/null
same 'dxdispatch: padding inside and around the input' \
    "$(od -An -v -tx4 -j 252 -N 20 padded/input.before.bin | xargs)" \
    '7f800000 3f800000 7f800000 40000000 7f800000'

"$cts" export 'top_k fl=2.0 in=f32[1,1,1,4]!1 axis=3 k=2 data=few.1:3:7' --format dxdispatch \
    --output owned >/dev/null
check 'dxdispatch: an input that DirectML owns is run' 0 has '1 run' -- \
    perl "$root/conformance/cli/test/dxdispatch_check.pl" owned
same 'dxdispatch: an input that DirectML owns is bound at initialization' "$(jq -c \
    '[(.dispatchables.topk.bindings | keys), (.commands[0].bindings | keys)]' owned/model.json)" \
    '[["InputTensor"],["OutputIndexTensor","OutputValueTensor"]]'

echo '# folders'
before=$(cd .. && find . | sort)
check 'two formats in a folder' 3 has 'it has both model.onnx and input.npy' -- bash -c \
    "'$cts' export '$small' --format onnx --output both &&
     '$cts' export '$small' --format npy --output both --overwrite && '$cts' import both"
rm -r both
check 'export to a folder that has files' 2 has 'npy has files already: --overwrite' -- \
    "$cts" export "$small" --format npy --output npy
check 'export --overwrite to a folder that has files' 0 has 'written to npy' -- \
    "$cts" export "$small" --format npy --output npy --overwrite
check 'export makes no folder for a case that the format cannot express' 2 has 'must be refused (V03b)' -- \
    "$cts" export 'top_k fl=2.0 in=f32[1,1,1,4] axis=3 k=5' --format onnx --output none
check 'export to a file instead of a folder' 2 has 'cannot use imported.txt as a folder' -- \
    "$cts" export "$small" --format npy --output imported.txt
check 'export to a folder inside a file' 2 has 'cannot make the folder imported.txt/at: Not a directory' -- \
    "$cts" export "$small" --format npy --output imported.txt/at
same 'these exports write nothing else' "$(cd .. && find . | sort)" "$before"
check 'export makes missing parent folders' 0 has 'written to no/where/at/' -- \
    "$cts" export "$small" --format npy --output no/where/at/
same 'the missing parent folders exist' "$(find no/where -name case.txt)" no/where/at/case.txt
mkdir links ../outside
ln -s ../../outside/input.npy links/input.npy
ln -s ../../outside links/test_data_set_0
check 'export --overwrite replaces a link' 0 -- "$cts" export "$small" --format npy --output links --overwrite
check 'export does not follow a link to a folder' 3 has 'cannot make the folder links/test_data_set_0' -- \
    "$cts" export "$small" --format onnx --output links --overwrite
same 'export writes nothing through a link' "$(find ../outside -mindepth 1)" ''

echo '# a file that cannot be written completely'
long='top_k1 fl=2.1 in=u8[1,1,1,16385] axis=3 k=2 dir=dec'
check 'a file that cannot be written is named' 3 has 'in full: cannot write input.npy: File too large' -- \
    bash -c "ulimit -f 4; '$cts' export '$long' --format npy --output full"
same 'nothing of a file that cannot be written is left' "$(find full -mindepth 1)" ''
cp npy/input.npy full
check 'a file that cannot be written over another one' 3 has 'in full: cannot write input.npy: File too large' -- \
    bash -c "ulimit -f 4; '$cts' export '$long' --format npy --output full --overwrite"
same 'a failed write leaves the old file' "$(ls -A full) $(cmp full/input.npy npy/input.npy)" 'input.npy '

echo '# wrong usage'
check 'no case' 2 has 'no case given' -- "$cts" export --format npy --output x
check 'two cases' 2 has 'give one case, in quotes' -- "$cts" export a b --format npy --output x
check 'a case and a file' 2 has 'no case given' -- \
    "$cts" export "$small" --file cases.txt --format npy --output x
check 'help names every format' 0 has 'dxdispatch: ' has 'onnx: ' has 'npy: ' -- \
    bash -c "'$cts' export --help | tr -s '\n ' ' '"
check 'no format' 2 has '--format is missing; formats: dxdispatch, onnx, npy' -- \
    "$cts" export "$small" --output x
check 'another format' 2 has "there is no format 'csv'; formats: dxdispatch, onnx, npy" -- \
    "$cts" export "$small" --format csv --output x
check 'no folder' 2 has '--output is missing' -- "$cts" export "$small" --format npy
check 'an empty name' 2 has '--output is empty' -- \
    "$cts" export "$small" --format npy --output ''
check 'export of a malformed case' 2 has 'not a case: column 1' -- "$cts" export x --format npy --output x
check 'import without arguments' 2 has 'no test given' -- "$cts" import
check 'import of a missing file' 2 has 'cannot read none' -- "$cts" import none
check 'import without K' 2 has 'no K given. Give --k' -- "$cts" import npy/input.npy
check 'import --k x' 2 has "--k takes a number from 1 to 4294967295, not 'x'" -- \
    "$cts" import npy/input.npy --k x
for axis in x -9 8 - --1 1- 18446744073709551616; do
    check "import with a bad axis, $axis" 2 has "--axis takes a number from -8 to 7, not '$axis'" -- \
        "$cts" import npy/input.npy --k 1 --axis="$axis"
done
check 'K is 0' 2 has "--k takes a number from 1 to 4294967295, not '0'" -- \
    "$cts" import npy/input.npy --k 0
check 'K beyond the axis' 2 has 'npy/input.npy: --k: K is 4, and the axis is 3 long' -- \
    "$cts" import npy/input.npy --k 4
check 'an axis after the last dimension' 2 has '--axis: the axis is 2, and the input has 2' -- \
    "$cts" import npy --axis 2
check 'an axis before the first dimension' 2 has '--axis: the axis is -3' -- "$cts" import npy --axis -3 --k 1
check 'import with a bad direction' 2 has '--direction takes inc or dec' -- "$cts" import npy --direction up
check 'options of the other format' 2 has 'are of .npy files' -- "$cts" import onnx --k 2

echo '# bad input'
mkdir half half/test_data_set_0 && cp npy/input.npy npy/value.npy half
check 'values without indices' 3 has 'half/index.npy is missing' lacks 'no outputs' -- \
    "$cts" import half --direction inc
mv half/value.npy half/index.npy
check 'indices without values' 3 has 'half/value.npy is missing' -- "$cts" import half --k 1
rm half/*.npy
cp onnx/model.onnx half
cp onnx/test_data_set_0/[!o]* onnx/test_data_set_0/output_0.pb \
    half/test_data_set_0
check 'ONNX values without indices' 3 has 'half/test_data_set_0/output_1.pb is missing' -- \
    "$cts" import half
rm half/test_data_set_0/output_0.pb
check 'ONNX without values and indices' 0 has 'no outputs to be judged' -- "$cts" import half
check 'a folder of many tests' 3 has 'all-npy has neither' has "all-npy/$(find all-npy -mindepth 1 \
    -maxdepth 1 -printf '%f\n' | sort -n | head -n 1) has: give that" -- "$cts" import all-npy
check 'the test data of a model' 3 has 'in, onnx/test_data_set_0/..' -- \
    "$cts" import onnx/test_data_set_0
: >empty.npy
check 'an empty file' 3 has 'cannot read empty.npy: the file is empty' -- \
    "$cts" import empty.npy --k 1
mkdir swapped && cp npy/input.npy swapped/value.npy && cp npy/value.npy swapped/input.npy
cp npy/index.npy swapped
check 'K of values that are longer than the input' 3 has 'K is 3, and the axis is 2 long' -- \
    "$cts" import swapped
mkdir empty
check 'a folder without model.onnx and input.npy' 3 has 'it has neither model.onnx nor input.npy' -- "$cts" import empty
cp npy/input.npy cut.npy && truncate -s 133 cut.npy
check 'a truncated .npy file' 3 has 'cut.npy, byte 128: the shape needs 12 bytes of data, and there are 5' -- \
    "$cts" import cut.npy --k 1
check 'a model by itself' 3 has 'give the folder' -- "$cts" import onnx/model.onnx
cp npy/input.npy $'a\nb.npy'
check 'a name of two lines' 0 has '# a\x0ab.npy: ' -- "$cts" import $'a\nb.npy' --k 1
check 'a file that is not an .npy file' 3 has 'cases.txt, byte 0: not an .npy file' -- "$cts" import cases.txt --k 1
check 'outputs of another K' 3 \
    has "the value output has sizes [2,2]; the input's, with K on the axis, are [2,1]" -- \
    "$cts" import npy --k 1
mkdir broken && cp onnx/model.onnx broken
check 'no test data' 3 has 'it has no test_data_set_0' -- "$cts" import broken
mkdir broken/test_data_set_0
check 'no input' 3 has 'cannot read broken/test_data_set_0/input_0.pb: No such file' -- \
    "$cts" import broken
cp onnx/test_data_set_0/input_0.pb broken/test_data_set_0
cp broken/test_data_set_0/input_0.pb broken/test_data_set_0/input_1.pb
check 'K is another tensor' 3 has 'input_1.pb: K is not one INT64' -- "$cts" import broken
truncate -s 20 broken/test_data_set_0/input_0.pb
check 'a truncated tensor' 3 has 'input_0.pb, byte 9: field 9 has 12 bytes, and 9 are left' -- \
    "$cts" import broken
changed broken/model.onnx 4 '\377'
check 'a malformed model' 3 has 'broken/model.onnx, byte ' -- "$cts" import broken
mkfifo pipe.npy
check 'a pipe without a writer' 3 has 'cannot read pipe.npy: it is no file' -- \
    timeout 10 "$cts" import pipe.npy --k 1
check 'a folder in place of a file' 3 has 'cannot read dir/input.npy: it is no file' -- bash -c \
    "mkdir -p dir/input.npy && '$cts' import dir --k 1"
"$cts" export 'top_k1 fl=2.1 in=u8[1,1,1,16385] axis=3 k=2 dir=dec' --format npy --output long >/dev/null
check 'too many elements' 3 has 'has 16385 elements; the text of a case holds 16384' -- \
    "$cts" import long

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
