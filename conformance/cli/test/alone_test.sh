#!/usr/bin/env bash
# topk-cts run and explore on backends that keep state between calls: each printed failure can be reproduced
# with a printed command, either its own or, if it passes alone, one with earlier cases. Run as
#   alone_test.sh BIN
# where BIN holds topk-cts and topk-worker.
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
begin BIN "$@"
export PATH=$bin:$PATH

# comes_again FAULT ALONE ARGUMENT...: a run has one bug. Its smallest case passes alone if ALONE is 1, else it fails
# alone. The printed commands reproduce it, and all its failures if these need no other cases.
comes_again() {
    local fault=$1 alone=$2 wrong='' own needed all
    shift 2
    topk-cts run --backend "faulty:$fault" --out "a run" --overwrite --no-probes "$@" >out 2>&1 </dev/null
    [ $? = 1 ] || wrong='the run did not fail'
    [ "$(grep -c '^FAIL ' out)" = 1 ] || wrong="${wrong:+$wrong; }other than 1 failure is printed"
    [ "$(grep -c '^PASSES ALONE: ' out)" = "$alone" ] || wrong="${wrong:+$wrong; }other than $alone pass alone"
    # a failure that needs no other cases has its replay command in its block, the others under PASSES ALONE
    own=$(sed -n '/^FAIL /,/^PASSES ALONE: /s/^  \(topk-cts replay .*\)/\1/p' out | head -n 1)
    needed=$(sed -n '/^PASSES ALONE: /,$s/^  \(topk-cts replay .*\)/\1/p' out)
    all=$(sed -n '/^  all [0-9]*:$/{n;s/^  //p}' out)
    [ "$alone" = 1 ] || needed=$own
    bash -c "$needed" 2>&1 </dev/null | grep -q '^FAIL ' || wrong="${wrong:+$wrong; }no failure of: $needed"
    if [ "$alone" = 1 ]; then
        [ -z "$own" ] || wrong="${wrong:+$wrong; }a command for a case that passes by it"
        grep -qx '  alone it passes: under PASSES ALONE, below, is what it fails after' out ||
            wrong="${wrong:+$wrong; }it does not say where that is that it fails after"
        own=$(sed -n 's/^PASSES ALONE: //p' out)
        topk-cts replay --backend "faulty:$fault" "$own" >alone 2>&1 </dev/null ||
            wrong="${wrong:+$wrong; }fails alone: $own"
        [ -z "$all" ] || wrong="${wrong:+$wrong; }a command for all, which pass by it"
        if grep -qxE '[2-9][0-9]* cases failed: .*|1[0-9]+ cases failed: .*' out; then
            grep -qE '^  all [0-9]+, which fail only after other cases, are listed in a run/bug-1.txt$' out ||
                wrong="${wrong:+$wrong; }it does not say that all fail only after others"
        fi
    else
        bash -c "$all" 2>&1 </dev/null | grep -q '^FAIL ' || wrong="${wrong:+$wrong; }no failure of all: $all"
    fi
    report "$wrong" "$fault $*"
}

# explored FAULT ALONE FOUND ARGUMENT...: of the failures that explore finds, ALONE pass alone, and FOUND of these
# are reproduced by the commands that it prints
explored() {
    local fault=$1 alone=$2 found=$3 wrong='' command
    shift 3
    rm -f found*
    topk-cts explore --backend "faulty:$fault" --out found "$@" >out 2>&1 </dev/null
    [ $? = 1 ] || wrong='exploring did not fail'
    [ "$(grep -c '^PASSES ALONE: ' out)" = "$alone" ] || wrong="${wrong:+$wrong; }other than $alone pass alone"
    sed -n '/^PASSES ALONE: /,$s/^  \(.*topk-cts replay .*\)/\1/p' out >needed
    [ "$(wc -l <needed)" = "$found" ] || wrong="${wrong:+$wrong; }other than $found commands"
    while read -r command; do
        bash -c "$command" 2>&1 </dev/null | grep -q '^FAIL ' || wrong="${wrong:+$wrong; }no failure of: $command"
    done <needed
    report "$wrong" "explore $fault $*"
}

# state that the previous call leaves
comes_again larger-before 1 ties.inside
# a shape of an earlier call, far away
comes_again kept-by-shape 1 'top_k fl=5.0 in=f32[9] axis=0 k=3 data=few.1:9:1' ties.inside \
    'top_k fl=5.0 in=f32[9] axis=0 k=3 data=few.1:9:2'
# so many calls that they are listed in a file
comes_again rare-call-50 1 ties.inside
# two workers that share the cases
comes_again larger-before 1 --jobs 2 ties.inside
# shrunk cases
comes_again larger-before 1 --shrink 'ties.inside:top_k fl=2.0 in=f32*'
# random cases
explored larger-before 1 1 --seed 5 --count 5
# one of these depends on cases after it in its batch
explored rare-call-50 2 1 --seed 11 --count 60
explored ties-descending 0 0 --seed 5 --count 60
# no state between calls
comes_again ties-descending 0 ties.boundary

exit $((failed > 0))
