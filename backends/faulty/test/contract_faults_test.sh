#!/usr/bin/env bash
# Implementations that document other rules than DirectML's (contracts.so): each passes profile core by the contract
# that it declares, each fault is caught, and an implementation passes by DirectML's rules only if it follows them.
# usage: contract_faults_test.sh BIN right|right/N|faults|input. right/N: every N-th case of each family; input:
# malformed contracts. Prints a line a check and "N passed, M failed".
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../../conformance/cli/test/checks.sh"
begin 'BIN right|right/N|faults|input' "$@"
part=$2

run=("$cts" run --no-identity --no-probes --min-supported 0 --overwrite --out run)

# families: WORD PLAIN, a line a family
families() {
    sed -nE 's/^FAMILY\(([a-z_]+), .*, (differs|conforms), ".*"\)$/\1 \2/p' "$tests/contracts.def"
}

# contract FAMILY: the contract that it declares
contract() {
    sed -nE "s/^FAMILY\\($1, .*, \"(.*)\"\\)\$/\\1/p" "$tests/contracts.def"
}

# faults: FAULT FAMILY..., a line a fault
faults() {
    sed -nE 's/^FAULT\(([a-z_]+), [A-Z]+, "([a-z_ ]+)", ".*"\)$/\1 \2/p' "$tests/contracts.def"
}

# The patterns above must match every row of the table.
rows=$(grep -c '^FAMILY(' "$tests/contracts.def")
same "each family is read" "$(families | wc -l)" "$rows"
rows=$(grep -c '^FAULT(' "$tests/contracts.def")
same "each fault is read" "$(faults | wc -l)" "$rows"

# all cases of each family, or a part of them; then the family without its declared contract
try_families() {
    local parts=${part#right} family plain number=0 begins
    parts=${parts#/}
    while read -r family plain; do
        local options=()
        begins='CONFORMANT to the declared contract ('
        if [ -n "$parts" ]; then
            options=(--shard "$((number % parts + 1))/$parts")
            number=$((number + 1))
            begins='PASSED by the declared contract ('
        fi
        check "$family passes by its declared contract" 0 has "$begins" lacks FAIL -- \
            "${run[@]}" --backend "$bin/contracts.so:$family" ${options[@]+"${options[@]}"}
        if [ "$plain" = conforms ]; then
            check "$family also follows DirectML's rules" 0 has PASSED: lacks 'declared contract' -- \
                "${run[@]}" --backend "$bin/contracts.so:$family,plain" 'floats.*' 'ties.*' examples.documents
        else
            check "$family does not pass by DirectML's rules" 1 has 'NOT CONFORMANT:' lacks 'declared contract' -- \
                "${run[@]}" --backend "$bin/contracts.so:$family,plain" --fail-fast
        fi
    done < <(families)
}

# caught BACKEND: whether a case fails. Starts with the cases that find most faults, because reading all cases takes
# longer than running these.
caught() {
    local code=0
    "$cts" replay --backend "$1" --fail-fast --file first || code=$?
    case $code in
    0 | 77) "$cts" replay --backend "$1" --fail-fast --file rest ;; # 77: it supports none of the first
    *) return "$code" ;;
    esac
}

# each fault is caught
try_faults() {
    local fault family
    "$cts" list --profile core >all || exit 2
    grep -E '^(examples|order|floats)\.' all >first
    grep -vE '^(examples|order|floats)\.' all >rest
    while read -r fault families; do
        for family in $families; do
            check "$family: fault $fault is caught" 1 has ' fail' -- caught "$bin/contracts.so:$family,$fault"
        done
    done < <(faults)
    while read -r family _; do
        local count
        count=$(faults | cut -d ' ' -f 2- | grep -cw -- "$family")
        [ "$count" -ge 10 ] || report "it has $count faults" "$family has at least 10 faults"
    done < <(families)
}

# refused NAME CODE TEXT -- COMMAND...: it ends with CODE, prints TEXT, and leaves no log
refused() {
    local name=$1 code=$2 text=$3 wrong=''
    shift 4
    rm -rf run topk-results
    "$@" >out 2>err
    case $? in
    "$code") ;;
    *) wrong="it does not end with $code" ;;
    esac
    grep -qF -e "$text" err || wrong="${wrong:+$wrong; }no \"$text\""
    [ ! -e run ] && [ ! -e topk-results ] || wrong="${wrong:+$wrong; }there is a log"
    report "$wrong" "$name"
}

# malformed contracts, as a file and as declared by a plugin: LINES|MESSAGE
try_input() {
    local lines text
    while IFS='|' read -r lines text; do
        printf 'topk-contract 1\n%s\n' "$lines" >wrong.contract
        refused "a malformed contract file is rejected: $lines" 2 "$text" -- "${run[@]}" --backend cpu --contract wrong.contract examples.documents
        refused "a malformed declared contract is rejected: $lines" 3 "$text" -- \
            "${run[@]}" --backend "$bin/contracts.so:heap,contract=$lines" examples.documents
    done <<'END'
ties=some|ties is 'some'; it must be one of lowest, highest, any
tie=any|there is no rule 'tie'
ties|'ties' is not a rule KEY=VALUE
ties=any ties=any|ties is given twice
types=i32 nan=last|nan=last contradicts types=
ties=highest repeat=values nan=last|repeat=values contradicts the other rules
k=0|k is '0'
ranks=3..2|ranks=3..2 holds no number
END
    printf 'topk-contract 2\nties=any\n' >wrong.contract
    refused 'a contract file of another version is rejected' 2 'reads topk-contract 1' -- "${run[@]}" --backend cpu --contract wrong.contract
    : >wrong.contract
    refused 'an empty contract file is rejected' 2 'it is empty' -- "${run[@]}" --backend cpu --contract wrong.contract
    refused 'a missing contract file is rejected' 2 'cannot read nowhere' -- "${run[@]}" --backend cpu --contract nowhere
    refused 'a folder as a contract file is rejected' 2 "cannot read $work" -- "${run[@]}" --backend cpu --contract "$work"

    printf 'topk-contract 1\nties=highest\n' >other.contract
    refused "--contract that differs from the declared contract is rejected, with --backend" 3 ties=highest -- \
        "${run[@]}" --backend "$bin/contracts.so:heap" --contract other.contract examples.documents
    refused "--contract that differs from the declared contract is rejected, with --worker" 2 ties=highest -- \
        "${run[@]}" --worker "$bin/topk-worker --backend $bin/contracts.so:heap" --contract other.contract examples.documents
    printf 'topk-contract 1\nties=any\n' >same.contract
    check '--contract may repeat the declared contract' 0 has 'by the declared contract (ties=any)' -- \
        "${run[@]}" --backend "$bin/contracts.so:heap" --contract same.contract examples.documents
    refused '--contract is rejected if the worker has another contract' 2 ties=any -- \
        "${run[@]}" --worker "$bin/topk-worker --backend $bin/contracts.so:heap,plain" --contract same.contract examples.documents
    check '--contract is accepted if the worker has the same contract' 1 has 'JUDGED BY THE WORKER' has '(ties=any)' -- \
        "${run[@]}" --worker "$bin/topk-worker --contract ties=any --backend $bin/contracts.so:heap,plain" \
        --contract same.contract examples.documents

    check "invalid calls that a contract excludes have a reason" 0 has "the declared contract has invalid=own" lacks "no reason" -- \
        "${run[@]}" --backend "$bin/contracts.so:last" "examples.*" "invalid.*"
    check "a failure quotes the rule of the contract" 1 has "FAIL floats.nan (F02 DECLARED)" \
        has "F02, as declared by nan=last: NaNs come last in either direction, and are equal" -- \
        "${run[@]}" --backend "$bin/contracts.so:nan_last,nan_turned" --fail-fast floats.nan
    check "no cause that the contract rules out is named" 1 has "FAIL examples.documents (S08 DECLARED)" \
        has "S08, as declared by ties=highest: Of equal values the one with the highest index" lacks cause -- \
        "${run[@]}" --backend "$bin/contracts.so:highest,ties_lowest_smallest" --fail-fast examples.documents

    # A backend that supports nothing must not appear to be limited by its contract.
    sed -e "s/return 'done ';/return 'unsupported no';/" -e 's/checked.) \. "/& contract=memory%3Dgathered/' \
        "$root/docs/example-backends/example.pl" >declines.pl
    check 'calls that the backend does not support are not attributed to its contract' 77 has 'NOT TESTED' -- \
        "${run[@]}" --backend-command 'perl declines.pl' relations.layout
    check 'the log does not attribute unsupported calls to the contract' 1 lacks '"by"' -- grep -c '"by":"contract"' run/results.jsonl

    local jobs
    for jobs in 1 2; do
        rm -f turned
        check "a restarted backend that declares another contract ends the run, $jobs at once" 3 has "introduce themselves differently: another contract than at first, ties=" has INCOMPLETE: -- \
            "${run[@]}" --backend "$bin/contracts.so:heap,turns=$work/turned" --jobs $jobs examples.documents
        check 'a run that ends because of another contract still has a complete log' 0 has INCOMPLETE -- "$cts" report run --format markdown
    done
}

case $part in
right*) try_families ;;
faults) try_faults ;;
input) try_input ;;
*)
    echo "contract_faults_test.sh: there is no part $part" >&2
    exit 2
    ;;
esac
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
