#!/usr/bin/env bash
# topk-cts explore --against: two implementations on the same cases.
# usage: explore_against_test.sh BIN
set -u
# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "$0")/checks.sh"
begin BIN "$@"

compare() {
    "$cts" explore "$@" --seed 25
}
printf 'topk-contract 1\nname=loose\nsource=https://example.org/loose\nties=any\n' >any.contract
printf 'topk-contract 1\ntypes=f32 invalid=own\n' >f32.contract
printf 'topk-contract 1\ntypes=u8 invalid=own\n' >u8.contract
tied='top_k fl=3.1 in=f32[2] axis=0 k=2'

check 'the same backend twice does not disagree' 0 has '1500  A and B agree, and are right' has '0 disagree' \
    has 'to continue: --seed 25 --from 1500' lacks 'topk-results' \
    -- compare --backend cpu --against cpu --count 1500
check 'a wrong B is found, explained and shrunk' 1 has 'B is wrong, A is right' has 'S08: Equal values' \
    has "replay --backend faulty:B26 '$tied'" has "explore --backend cpu --against faulty:B26 '$tied'" \
    lacks 'A is wrong' -- compare --backend cpu --against faulty:B26 --count 1000 --jobs 2
check 'a wrong A is found' 1 has 'A is wrong, B is right' lacks 'B is wrong' \
    -- compare --backend faulty:B26 --against cpu --count 500 --out ab.txt
check 'the file of shrunk cases can be run again' 1 has 'A is wrong, B is right' \
    -- sh -c "'$cts' explore --backend faulty:B26 --against cpu - <ab.txt"
check 'both wrong in the same way: no disagreement, and not a success' 1 has '1  A and B agree, and are wrong' \
    has '0 disagree' -- compare --backend faulty:B26 --against faulty:B26 "$tied"
check 'both wrong in different ways: a disagreement' 1 has 'A and B disagree, and both are wrong' has 'A: FAIL' has 'B: FAIL' \
    -- compare --backend faulty:B26 --against faulty:heap-end-unsorted \
    'top_k fl=3.1 in=f32[4] axis=0 k=4 data=hex:00000000,3f800000,3f800000,00000000'

check 'each contract decides for its backend, and all are quoted' 1 has 'B is wrong, A is right' \
    has 'by the contract of A, ties=any, https://example.org/loose: A holds, B holds' \
    has "by DirectML's specification: A holds, B breaks S08" \
    -- compare --backend cpu --contract any.contract --against faulty:B26 "$tied"
check 'a difference that both contracts allow is shown, and is not a failure' 0 \
    has 'both are right, and select different elements of equal value' has '1 disagree' has '<--' \
    -- compare --backend cpu --contract any.contract --against faulty:B26 --against-contract any.contract "$tied"
check 'NaNs at other positions are other values' 0 has 'both are right, and return different values' \
    has 'A: right [F02 NaN greatest]' has 'B: right' \
    -- compare --backend cpu --against faulty:nan-least \
    'top_k fl=3.1 in=f32[3] axis=0 k=1 data=hex:7fc00000,00000000,3f800000'
check 'a call that one backend may refuse' 0 has 'one computes the call, the other refuses it' \
    -- compare --backend cpu --against faulty:refuses-low-alignment --count 1000
check 'a call that one backend does not serve is not compared' 0 has 'A or B does not serve the call' \
    -- compare --backend cpu --against cpu --against-contract f32.contract --count 300
check 'no call that both serve' 5 has 'nothing was compared' \
    -- compare --backend cpu --contract u8.contract --against cpu --against-contract f32.contract --count 200

check 'a crash' 1 has 'CRASH' has 'A is right' -- compare --backend cpu --against faulty:crash --count 20
check 'a hang' 1 has 'TIMEOUT' lacks 'did not end well' -- compare --backend cpu --against faulty:hang --timeout 0.3 \
    'top_k fl=3.1 in=f32[3] axis=0 k=3'
check '--first ends after a disagreement' 1 has ' disagree' \
    -- compare --backend cpu --against faulty:B26 --first --time 600
check '--against-command' 1 has "--against-command '" has 'B is wrong' \
    -- compare --backend cpu --against-command "'$bin/topk-backend' faulty:B26" "$tied"
check 'guard pages for both' 1 has 'guard pages' has 'B is wrong' \
    -- compare --backend cpu --against faulty:B26 --guard-pages "$tied"

# an interrupt ends the run, and the disagreements found so far are shrunk
cat >interrupting <<END
#!/bin/sh
if mkdir once 2>/dev/null; then
    (until grep -q 'compares' '$work/out'; do sleep 0.2; done; sleep 5; kill -s INT "\$(cat '$work/pid')") &
fi
exec '$bin/topk-backend' faulty:B26
END
chmod +x interrupting
# shellcheck disable=SC2016 # the shell that is started expands it
check 'an interrupt' 1 has 'to continue' has 'S08' lacks 'not shrunk' \
    -- sh -c 'echo $$ >pid; exec "$@"' sh "$cts" explore --backend cpu --against-command ./interrupting \
    --seed 25 --time 600

check 'cases without --against' 2 has 'cases are for --against' -- compare --backend cpu "$tied"
check 'a malformed case' 2 has 'not a case: column' -- compare --backend cpu --against cpu 'top_k nonsense'
check 'an empty name' 2 has "--against takes a backend, not ''" -- compare --backend cpu --against ''
check 'an unknown backend' 2 has "no backend 'nobody'" -- compare --backend cpu --against nobody
check '--against and --against-command' 2 has 'exclude each other' -- compare --backend cpu --against cpu --against-command true
check 'a contract without a second backend' 2 has 'goes with --against' -- compare --backend cpu --against-contract any.contract
check 'an empty contract file' 2 has 'it is empty' -- compare --backend cpu --against cpu --against-contract /dev/null
check '--worker with --against' 2 has '--against compares one --backend' -- compare --worker true --against cpu
check '--list' 2 has 'exclude each other' -- compare --list --count 3 --against cpu
check 'without --backend' 2 has 'no backend given' -- compare --against cpu
check 'a process that cannot be started' 4 has 'unavailable' -- compare --backend cpu --against-command 'exit 4'

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
