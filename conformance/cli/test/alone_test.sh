#!/usr/bin/env bash
# topk-cts run, and explore, on backends that keep something from call to call: each failure that is
# printed comes again by a command that is printed, its own or, if it passes alone, that of earlier cases. Run as
#   alone_test.sh BIN
# where BIN holds topk-cts and topk-worker.
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
begin BIN "$@"
export PATH=$bin:$PATH

# comes_again FAULT FAILURES ALONE ARGUMENT...: a run fails, and prints so many failures, ALONE of
# which pass alone; what is printed makes each come again
comes_again() {
    local fault=$1 failures=$2 alone=$3 wrong='' command last
    shift 3
    topk-cts run --backend "faulty:$fault" --out "a run" --overwrite --no-probes --show-failures "$failures" "$@" \
        >out 2>&1 </dev/null
    [ $? = 1 ] || wrong='the run did not fail'
    [ "$(grep -c '^FAIL ' out)" = "$failures" ] || wrong="${wrong:+$wrong; }other than $failures failures"
    [ "$(grep -c '^PASSES ALONE: ' out)" = "$alone" ] || wrong="${wrong:+$wrong; }other than $alone pass alone"
    grep '^  .*topk-cts replay ' out >commands
    [ "$(wc -l <commands)" = $((failures + alone)) ] || wrong="${wrong:+$wrong; }no command for each"
    tail -n "$([ "$alone" = 0 ] && echo "$failures" || echo "$alone")" commands >needed
    while read -r command; do
        last=$(bash -c "$command" 2>&1 </dev/null | grep -c '^FAIL ')
        [ "$last" -ge 1 ] || wrong="${wrong:+$wrong; }no failure of: $command"
    done <needed
    if [ "$alone" != 0 ]; then
        while read -r command; do
            bash -c "$command" >alone 2>&1 </dev/null || wrong="${wrong:+$wrong; }fails alone: $command"
        done < <(head -n "$failures" commands)
    fi
    report "$wrong" "$fault $*"
}

# explored FAULT ALONE FOUND ARGUMENT...: of what exploring finds so much passes alone, and so much of
# that comes again by what is printed behind it
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

# what the call before leaves behind
comes_again larger-before 3 3 ties.inside
# a shape of before, far away
comes_again kept-by-shape 1 1 'top_k fl=5.0 in=f32[9] axis=0 k=3 data=few.1:9:1' ties.inside \
    'top_k fl=5.0 in=f32[9] axis=0 k=3 data=few.1:9:2'
# so many calls that they come in a file
comes_again rare-call-50 1 1 ties.inside
# two workers, among which the cases were parted
comes_again larger-before 3 3 --jobs 2 ties.inside
# what was shrunk
comes_again larger-before 1 1 --shrink 'ties.inside:top_k fl=2.0 in=f32*'
# cases that are drawn
explored larger-before 1 1 --seed 5 --count 5
# of these one counts on what was in its batch behind it
explored rare-call-50 2 1 --seed 5 --count 60
explored ties-descending 0 0 --seed 5 --count 60
# nothing is kept
comes_again ties-descending 3 0 ties.boundary

exit $((failed > 0))
