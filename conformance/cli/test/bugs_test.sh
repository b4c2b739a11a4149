#!/usr/bin/env bash
# The bugs that topk-cts run prints at the end: what the failing cases of a bug have in common, the new cases that
# confirmed it, the file with its cases and the command that runs them. Run as
#   bugs_test.sh BIN
# where BIN holds topk-cts and topk-worker.
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
begin BIN "$@"
need jq

# run NAME CODE [has TEXT|lacks TEXT]... -- ARGUMENT...: a run, and its log in the folder NAME
run() {
    local name=$1 says=("$1" "$2")
    shift 2
    while [ "$1" != -- ]; do
        says+=("$1" "$2")
        shift 2
    done
    shift
    check "${says[@]}" -- "$cts" run --out "$name" --overwrite --no-probes --no-identity "$@"
}

# of NAME FILTER: the output of a jq filter for each record of a log, a line each
of() {
    jq -r "$2" "$1/results.jsonl"
}

# number NAME FILTER: the number of records for which that is true
number() {
    of "$1" "select($2) | 1" | wc -l
}

# blocks: how many blocks were printed
blocks() {
    grep -cE '^[0-9]+\. fails ' out
}

echo '# one bug'
run one 1 lacks 'more bug' -- --backend faulty:rank-5-unsorted axis order
# k=1 has no order
wrong=$(number one '.record == "case" and .verdict == "fail"')
right=$(number one '.record == "case" and .verdict == "pass"')
same 'one: cases fail where the fault is' "$(number one '.record == "case" and (.verdict == "fail") !=
    (.id | test("in=[a-z0-9]*\\[([0-9]+,){4}[0-9]+\\]") and (test(" k=1( |$)") | not))')" 0
same 'one: the number of bugs' "$(grep 'bug.* as far as' out)" "$wrong cases failed: 1 bug, as far as the cases can tell"
same 'one: one block is printed' "$(blocks)" 1
same 'one: the condition that the failures share' "$(grep '^1\. ' out)" \
    "1. fails only where rank=5 and k>=2: $wrong of $wrong such cases, 0 of $right others"
same 'one: the cause is printed' "$(grep '^  cause: ' out)" '  cause: the right elements come in reverse order'
same 'one: one failure is printed' "$(grep -c '^FAIL ' out)" 1
fresh=$(number one '.record == "fresh"')
inside=$(number one '.record == "fresh" and .verdict == "fail"')
report "$([ "$inside" -gt 0 ] && [ "$inside" -lt "$fresh" ] || echo "$inside of $fresh fresh cases fail")" \
    'one: fresh cases are on both sides'
same 'one: the fresh cases are counted in the block' "$(grep '^  tried ' out)" "  tried with fresh cases: $inside of $inside such cases fail, \
0 of $((fresh - inside)) that differ from them in one respect"
same 'one: the totals do not count fresh cases' "$(of one 'select(.record == "end") | [.totals[]] | add')" $((wrong + right))
of one 'select(.record == "case") | .id' | sort >known
of one 'select(.record == "fresh") | .id' | sort >fresh
same 'one: fresh cases are not cases of the run' "$(comm -12 <(sed 's/^[^ ]*://' known | sort) fresh)" ''
same 'one: bug-1.txt has the cases of the bug' "$(cat one/bug-1.txt)" \
    "$(of one 'select(.record == "case" and .verdict == "fail") | .id')"
all=$(sed -n "/^  all $wrong:\$/{n;s/^  //p}" out)
# shellcheck disable=SC2086 # the words of the command
check 'one: the command that runs all its cases fails' 1 -- bash -c "$all"
same 'one: each of these cases fails' "$(grep -c '^FAIL ' out)" "$wrong"

echo '# how much is printed'
run one 1 -- --backend faulty:rank-5-unsorted --jobs 2 --verbose --show-failures 1000 axis order
same 'verbose: each failure is printed, and the smallest one again' "$(grep -c '^FAIL ' out)" $((wrong + 1))
same 'verbose: one block is printed' "$(blocks)" 1
run few 1 has 'More failures are in the log only.' -- \
    --backend faulty:rank-5-unsorted --verbose --show-failures 2 axis order
same 'few: three failures are printed' "$(grep -c '^FAIL ' out)" 3
run none 1 has '1 more bug: --show-failures 1 shows it, and so does the report of the log' lacks FAIL -- \
    --backend faulty:rank-5-unsorted --show-failures 0 axis order
same 'none: no block is printed' "$(blocks)" 0

echo '# two bugs'
run two 1 has '2 bugs, as far as the cases can tell' has ACCEPTED has REFUSED lacks 'more bug' -- \
    --backend faulty:always-opposite axis invalid.size-zero
same 'two: two blocks are printed' "$(blocks)" 2
same 'two: the files of both have all failures' "$(sort two/bug-1.txt two/bug-2.txt)" \
    "$(of two 'select(.record == "case" and (.verdict == "refused" or .verdict == "accepted")) | .id' | sort)"
run two 1 has '1 more bug: --show-failures 2 shows it' -- \
    --backend faulty:always-opposite --show-failures 1 axis invalid.size-zero
same 'two: one block is printed' "$(blocks)" 1
report "$([ -e two/bug-1.txt ] && [ ! -e two/bug-2.txt ] || echo 'not bug-1.txt alone')" 'two: only the printed bug has a file'

# a worker that reports failures for float16 and for the smallest of TOP_K1, and passes for the rest
cat >worker <<'END'
#!/usr/bin/env bash
echo 'topk-worker 1 name=fake version=1.0 device=none driver= features= level=5.0 flags=4 batch=64 own='
while read -r word n && [ "$word" = batch ]; do
    texts=()
    for ((i = 0; i < n; i++)); do
        read -r "texts[$i]"
    done
    for ((i = 0; i < n; i++)); do
        echo "begin $i 1"
        case ${texts[i]} in
        *' in=f16'*) echo "done $i fail clause=S08 obs=0 ns=1 finding=S08,tie-order,index,0.0,1,2,1" ;;
        *' dir=inc'*) echo "done $i fail clause=S07 obs=0 ns=1 finding=S07,index-range,index,0.0,1,2,1" ;;
        *) echo "done $i pass clause=- obs=0 ns=1" ;;
        esac
    done
done
END
chmod +x worker
run told 1 has '2 bugs, as far as the cases can tell' -- --worker ./worker --trust-worker axis order
half=$(number told '.record == "case" and .clause == "S08"')
least=$(number told '.record == "case" and .clause == "S07"')
right=$(number told '.record == "case" and .verdict == "pass"')
same 'told: the number of failures' "$(grep '^[0-9]* cases failed' out | cut -d: -f1)" "$((half + least)) cases failed"
for words in "fails only where type=f16: $half of $half such cases, 0 of $right others" \
    "fails only where direction=smallest: $least of $least such cases, 0 of $right others"; do
    report "$(grep -qE "^[12]\. $words\$" out || echo 'no such line')" "told: $words"
done

echo '# no bug'
run one 0 lacks bug lacks 'fresh cases' -- --backend cpu axis order
same 'right: no fresh case' "$(number one '.record == "fresh"')" 0
report "$([ ! -e one/bug-1.txt ] || echo 'there is one')" 'right: the file of the run before is gone'
echo 'verdict=fail when="rank=5 and k>=2" clause=S02|S03|S04 backend=faulty owner=o reason=r expires=2099-12-31' >known.rules
run waived 0 has "$wrong expected-fail" lacks bug -- --backend faulty:rank-5-unsorted --expectations known.rules axis order
same 'waived: no fresh case' "$(number waived '.record == "fresh"')" 0
report "$([ ! -e waived/bug-1.txt ] || echo 'there is one')" 'waived: no file'

echo "$passed passed, $failed failed"
exit $((failed > 0))
