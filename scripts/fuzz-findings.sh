# shellcheck shell=bash
# The last part of scripts/fuzz: turns crashing inputs into findings and cases, and reduces the corpus to the part that
# is kept. scripts/fuzz sets root, target, out, backend, space, max_bytes, kind.
# shellcheck disable=SC2154

# ---- findings ------------------------------------------------------------------------------------

# what_of FILE: prints the clause or kind of a finding, or how the process ended
what_of() {
    local log status=0
    log=$(timeout -k 5 10 "$replay" "$1" 2>&1) || status=$?
    if [[ $log =~ FAILED\ ([^:]*): ]]; then
        printf '%s\n' "${BASH_REMATCH[1]}"
    elif [ "$status" = 0 ] && [[ $log != *"nothing wrong"* ]]; then
        printf 'crash exit\n' # by itself, in the input
    elif [ "$status" = 0 ]; then
        # failures that only a sanitizer detects
        if [ -n "${libfuzzer-}" ] && ! log=$(timeout -s KILL 60 "$libfuzzer" -runs=1 "$1" 2>&1); then
            sed -n 's/^SUMMARY: [A-Za-z]*: \([a-z-]*\).* in \([A-Za-z0-9_]*\).*/\1 \2/p' <<<"$log" | head -n 1 | grep . ||
                printf 'crash sanitizer\n'
        else
            printf 'not again\n'
        fi
    else
        printf 'crash %s\n' "$([ "$status" = 124 ] && echo hang || echo "signal-$((status > 128 ? status - 128 : status))")"
    fi
}

# Writes the smallest input of each kind to findings/KIND, and the counts to findings.txt, COUNT<tab>KIND. Inputs of
# earlier runs that no longer fail, for example because the backend was fixed, go to passing/.
collect() {
    local file what name
    take_left
    has_space "$space" 8 || die "no space to put together what was found; when some of $out is free:
  scripts/fuzz $target --out $out --collect"
    rm -rf "$out/findings"
    mkdir -p "$out/findings"
    [ "$(count_crashes)" = 0 ] || say "running what was found again: $(count_crashes) inputs" >&2
    crash_files | while IFS= read -r file; do
        what=$(what_of "$file")
        if [ "$what" = 'not again' ] && [ ! "$file" -nt "$out/.began" ]; then
            mkdir -p "$out/passing"
            mv "$file" "$out/passing/$(sha1sum <"$file" | cut -c 1-40)"
            continue
        fi
        printf '%s\n' "$what"
        name=$out/findings/${what//[^A-Za-z0-9_-]/_}
        [ -e "$name" ] || cp "$file" "$name"
    done | sort | uniq -c | sed -E 's/^ *([0-9]+) /\1\t/' >"$out/findings.txt"
}

# shrunk TEXT: the shrunk case, or the case itself if it does not fail in a worker
shrunk() {
    local text
    text=$("$tools/topk-cts" shrink --backend "$backend" --timeout 5 "$1" 2>/dev/null |
        sed -n 's/^  \(top_k1\{0,1\} .*\)$/\1/p' | head -n 1) || true
    printf '%s\n' "${text:-$1}"
}

# as_corpus: converts lines KIND<tab>CASE to lines of corpus/regressions.txt, each case once
as_corpus() {
    awk -F '\t' '
        $2 in kinds { kinds[$2] = kinds[$2] ", " $1; next }
        { kinds[$2] = $1; order[++n] = $2 }
        END {
            for (i = 1; i <= n; i++) {
                name = kinds[order[i]]
                gsub(/[^A-Za-z0-9]+/, "_", name)
                if (i > 1) print ""
                printf "# %s\nregressions.%s:%s\n", kinds[order[i]], name, order[i]
            }
        }'
}

# Prints the findings. False if there are any.
report() {
    local count what name text
    : >"$out/tmp/cases"
    while IFS=$'\t' read -r count what; do
        name=$out/findings/${what//[^A-Za-z0-9_-]/_}
        printf '%s inputs: %s: %s\n' "$count" "$what" "$name"
        if [ "$kind" = case ] && [ "$what" != 'not again' ]; then
            text=$("$replay" --cases "$name" | cut -f 1)
            [ "$target" != differential ] || text=$(shrunk "$text")
            printf '%s\t%s\n' "$what" "$text" >>"$out/tmp/cases"
            printf '  %s\n' "$text"
        fi
    done <"$out/findings.txt" | tee "$out/summary.txt"
    as_corpus <"$out/tmp/cases" >"$out/cases.txt"
    {
        printf 'target %s: %s inputs in the corpus, %s crashing inputs of %s kinds\n' "$target" \
            "$(count_files "$out/corpus")" "$(count_crashes)" "$(wc -l <"$out/findings.txt")"
        [ ! -d "$out/passing" ] ||
            printf '%s inputs of earlier runs do not fail any more: %s\n' "$(count_files "$out/passing")" "$out/passing"
        executed
    } | tee -a "$out/summary.txt"
    [ ! -s "$out/cases.txt" ] || printf 'cases: %s\n' "$out/cases.txt"
    [ ! -s "$out/findings.txt" ]
}

executed() {
    cat "$out"/logs/libfuzzer-* 2>/dev/null | sed -n 's/^stat::number_of_executed_units: //p' |
        awk '{ n += $1 } END { if (NR) printf "libFuzzer: %d executions\n", n }'
    cat "$out"/afl/*/fuzzer_stats 2>/dev/null | sed -n 's/^execs_done *: //p' |
        awk '{ n += $1 } END { if (NR) printf "AFL++: %d executions\n", n }'
}

# ---- the kept corpus -----------------------------------------------------------------------------

# Writes the cases of profile core as inputs, for targets that read cases.
core_cases() {
    rm -rf "$out/tmp/core"
    mkdir -p "$out/tmp/core"
    "$tools/topk-cts" list --profile core | sed 's/^[^:]*://' | awk -v most="$max_bytes" 'length < most' |
        (cd "$out/tmp/core" && split -l 1 -a 4 -)
    # removes the line feed: a case ends at the end of its file
    find "$out/tmp/core" -type f -exec truncate -s -1 {} +
}

# Counts only which edges are taken, not how often, to keep the corpus small: tests read it.
minimize() {
    local kept=$root/corpus/fuzz/$target.tar fresh=$out/minimal before=$out/tmp/kept more=()
    case $target in
    differential | case_text)
        core_cases
        more=("$out/tmp/core")
        ;;
    esac
    rm -rf "$fresh" "$before"
    mkdir -p "$fresh" "$before"
    unpack_kept "$before"
    TMPDIR=$out/tmp "$libfuzzer" -merge=1 -use_counters=0 -max_len="$max_bytes" -timeout=20 -close_fd_mask=1 \
        "$fresh" "$before" "$out/corpus" "${more[@]}" >"$out/logs/minimize" 2>&1 ||
        { tail -n 5 "$out/logs/minimize" >&2; die "libFuzzer could not minimise; see $out/logs/minimize"; }
    # keeps inputs of earlier findings
    cp -n "$before"/found-* "$fresh/" 2>/dev/null || true
    "$replay" --pack "$kept" "$fresh" || die "$kept could not be written"
    say "$kept: $(count_files "$fresh") inputs, $(du -cb "$fresh"/* | tail -n 1 | cut -f 1) bytes"
}
