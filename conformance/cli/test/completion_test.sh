#!/usr/bin/env bash
# What bash, zsh and fish complete, and the manual pages of commands.
# usage: completion_test.sh BIN
set -u
# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "$0")/checks.sh"
begin BIN "$@"
need zsh fish man

for shell in bash zsh fish; do
    "$cts" completion "$shell" >"completion.$shell"
done

# completed WORD...: what bash offers for the last word
completed() {
    # shellcheck disable=SC2016 # the shell that is started expands it
    bash -c '. ./completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _topk_cts 2>/dev/null
        echo "${COMPREPLY[*]-}"' bash "$@"
}
same 'bash: a command' run "$(completed topk-cts ru)"
same 'bash: commands' 'report replay' "$(completed topk-cts rep | tr ' ' '\n' | sort -r | paste -sd' ')"
same 'bash: an option' --shrink "$(completed topk-cts run --shr)"
same 'bash: an option with a value' --seed= "$(completed topk-cts run ties --see)"
same 'bash: no option of another command' '' "$(completed topk-cts list --shr)"
same 'bash: an option that commands share' --backend-command= "$(completed topk-cts explore --backend-)"
same 'bash: no files' '' "$(completed topk-cts run ./min)"
check 'zsh: the script parses' 0 -- zsh -f -n completion.zsh
check 'zsh: the script begins with #compdef' 0 -- grep -qx '#compdef topk-cts' <(head -n 1 completion.zsh)
check 'fish: a command' 0 has 'run cases against a backend' -- fish -c 'source completion.fish; complete -C "topk-cts ru"'
check 'fish: an option' 0 has '--shrink' -- fish -c 'source completion.fish; complete -C "topk-cts run --shr"'
check 'fish: no option of another command' 0 lacks '--shrink' -- fish -c 'source completion.fish; complete -C "topk-cts list --shr"'
check 'another shell' 2 has "not 'tcsh'" -- "$cts" completion tcsh
check 'no shell' 2 has 'no shell given' -- "$cts" completion
check 'two shells' 2 has 'give one name' -- "$cts" completion bash zsh

for command in $("$cts" --help | sed -n 's/^  \([a-z][a-z-]*\)  *[a-z].*/\1/p'); do
    "$cts" man "$command" >"$command.1"
    check "the build makes the page of $command" 0 -- cmp "$command.1" "$bin/../docs/topk-cts-$command.1"
    check "the page of $command" 0 has "topk-cts-$command" has 'EXIT STATUS' -- man -l "$command.1"
    same "man has no warnings for the page of $command" '' "$(man --warnings -E UTF-8 -l -Tutf8 -Z "$command.1" 2>&1 >/dev/null)"
done
[ "$passed" -gt 60 ] || report 'there are too few commands' 'all commands have pages'
check 'the page of no command' 2 has "there is no command 'walk'" -- "$cts" man walk

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
