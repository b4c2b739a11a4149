# shellcheck shell=bash
# The main part of scripts/fuzz: builds programs, prepares seeds, and runs the engines until the time is up. Inputs that
# crash are in $out/crashes and AFL++'s folders. scripts/fuzz sets root, target, engine, action, seconds, jobs, out,
# sanitize, empty, space, max_bytes, kind.
# shellcheck disable=SC2154

# ---- programs ------------------------------------------------------------------------------------

build_replay() {
    tools=${TOPK_FUZZ_TOOLS-$root/build/release/bin}
    if [ -z "${TOPK_FUZZ_TOOLS-}" ]; then
        say "building"
        build release topk-cts topk-worker "fuzz_$target"
    fi
    [ -x "$tools/fuzz_$target" ] || die "$tools has no fuzz_$target"
    replay=$tools/fuzz_$target
}

# libfuzzer_dir: prints the build folder of libFuzzer's program. Merging by coverage needs all code instrumented.
libfuzzer_dir() {
    if "$sanitize" || [ "$kind" = text ] || [ "$kind" = bytes ] || [ "$action" = minimize ]; then
        printf '%s\n' fuzz-sanitize
    elif [ "$target" = differential ]; then
        printf '%s\n' fuzz-fast
    else
        printf '%s\n' fuzz
    fi
}

# afl_dir: the same for AFL++
afl_dir() {
    if [ "$target" = differential ]; then
        printf '%s\n' fuzz-afl-fast
    else
        printf '%s\n' fuzz-afl
    fi
}

# has_pieces: whether inputs are encoded choices, for which there is a mutator
has_pieces() {
    [ "$kind" = case ] || [ "$kind" = choices ]
}

# uses programs that are built already
find_engines() {
    local programs=$TOPK_FUZZ_PROGRAMS
    if [ "$engine" != afl ]; then
        libfuzzer=$programs/$target
        [ -x "$libfuzzer" ] || die "$programs has no $target"
    fi
    if [ "$engine" != libfuzzer ]; then
        afl=$programs/afl/$target
        [ -x "$afl" ] || die "$programs/afl has no $target"
        ! has_pieces || afl_mutator=$programs/afl/${target}_mutator.so
    fi
}

build_engines() {
    if [ -n "${TOPK_FUZZ_PROGRAMS-}" ]; then
        find_engines
        return
    fi
    if [ "$engine" != afl ] || [ "$action" = minimize ]; then
        build "$(libfuzzer_dir)" "fuzz_$target"
        libfuzzer=$root/build/$(libfuzzer_dir)/fuzz/$target
    fi
    if [ "$engine" != libfuzzer ]; then
        build "$(afl_dir)" "fuzz_$target"
        afl=$root/build/$(afl_dir)/fuzz/$target
        if has_pieces; then
            build fuzz-mutator "fuzz_$target"
            afl_mutator=$root/build/fuzz-mutator/fuzz/${target}_mutator.so
        fi
    fi
}

# ---- seeds ---------------------------------------------------------------------------------------

# check_version CORPUS SAID REMEDY: rejects a corpus of another version, whose bytes have another meaning
check_version() {
    local version
    [ "$action" != minimize ] || return 0 # it is written anew
    version=$("$replay" --version)
    [ "$2" = "$version" ] || die "$1 is of another version: its inputs mean other cases now
  it is:   $2
  this is: $version
  $3"
}

# Writes the lines of corpus/*.txt as inputs, named by digest, so that each appears once.
seed_cases() {
    local text before=$1 after=$2 name
    while IFS= read -r text; do
        name=$(printf '%s' "$text" | sha1sum)
        printf "$before%s$after" "$text" >"$out/corpus/case-${name%% *}"
    done < <(sed -nE 's/^[a-z]+\.[A-Za-z0-9_]+://p' "$root"/corpus/*.txt | awk -v most="$max_bytes" 'length + 16 < most' | sort -u)
}

seed() {
    local kept=$root/corpus/fuzz/$target.tar
    [ ! -e "$out/corpus.version" ] || check_version "$out/corpus" "$(cat "$out/corpus.version")" \
        "To keep what its bytes make now, delete $out/corpus.version and go on."
    [ ! -e "$kept" ] || check_version "$kept" "$(tar -xOf "$kept" version)" "To write it anew: scripts/fuzz $target --minimize"
    "$replay" --version >"$out/corpus.version"
    "$replay" --words >"$out/words"
    if "$empty"; then
        printf '\n' >"$out/corpus/empty"
        return
    fi
    unpack_kept "$out/corpus"
    case $target in
    differential | case_text) seed_cases '' '' ;;
    worker) seed_cases 'batch 1\n' '\nquit\n' ;;
    esac
    [ "$(count_files "$out/corpus")" -gt 0 ] || printf '\n' >"$out/corpus/empty"
    take_crashing_seeds
}

# Engines need seeds that do not crash; crashing seeds are findings already. If many seeds hang, they are not all tried.
take_crashing_seeds() {
    local file status=0
    "$replay" --each "$out/corpus" >"$out/tmp/failing" || status=$?
    [ "$status" = 0 ] || [ "$status" = 3 ] || die "target $target does not run; see the message above"
    while IFS= read -r file; do
        mv "$file" "$out/crashes/seed-${file##*/}"
        touch "$out/crashes/seed-${file##*/}"
    done <"$out/tmp/failing"
    # shellcheck disable=SC2034 # scripts/fuzz asks for it
    [ "$status" = 0 ] || seeds_hang=true
}

# ---- engines -------------------------------------------------------------------------------------

# run_libfuzzer NUMBER: runs until the time is up; starts again after each crash, whose input is kept
run_libfuzzer() {
    local left status=0 log=$out/logs/last-$1 current=$out/current/libfuzzer-$1
    local options=(-max_len="$max_bytes" -artifact_prefix="$out/crashes/" -entropic=0
        -timeout=10 -report_slow_units=20 -rss_limit_mb=2048 -reload=5 -print_final_stats=1 -close_fd_mask=1)
    # AFL++ may be reading a file that libFuzzer would replace
    [ "$engine" != both ] || options+=(-reduce_inputs=0)
    [ ! -s "$out/words" ] || options+=(-dict="$out/words")
    # at least once, however long it took to get here
    while left=$((deadline - SECONDS)) && { [ "$left" -gt 0 ] || [ ! -e "$log" ]; } &&
        [ ! -e "$out/full" ] && [ ! -e "$out/failed" ]; do
        status=0
        rm -f "$current"
        { TOPK_FUZZ_CURRENT=$current "$libfuzzer" "${options[@]}" -max_total_time=$((left > 0 ? left : 1)) "$out/corpus" \
            >"$log" 2>&1 || status=$?; } 2>/dev/null # where bash says what it died of
        cat "$log" >>"$out/logs/libfuzzer-$1" 2>/dev/null || true # a full disk is seen below
        if has_artifact "$log" || take_current "$current"; then
            [ "$(count_new)" -lt 200 ] || printf '200 crashing inputs are enough\n' >"$out/full"
        elif [ "$status" != 0 ] || ! grep -aq '^Done [0-9]* runs' "$log"; then
            {
                grep -a "^fuzz $target: " "$log" || true
                printf 'libFuzzer ended with %s, while no input ran; see %s\n' "$status" "$out/logs/libfuzzer-$1"
            } >"$out/failed"
        fi
    done
}

# has_artifact LOG: whether libFuzzer wrote a complete crashing input
has_artifact() {
    local file
    file=$(grep -ao 'Test unit written to .*' "$1" | tail -n 1) || return 1
    is_whole "${file#Test unit written to }"
}

# is_whole FILE: whether libFuzzer's file is complete, by the SHA-1 in its name; otherwise removes it
is_whole() {
    [ "$(sha1sum <"$1")" = "${1##*-}  -" ] || { rm -f "$1" && return 1; }
}

# take_left: keeps crashing inputs of an earlier run that was stopped, or had no space
take_left() {
    local file
    find "$out/crashes" -type f ! -name 'seed-*' | while IFS= read -r file; do
        is_whole "$file" || say "there was no space for ${file##*/}"
    done
    for file in "$out"/current/*; do
        touch -d @0 "$file" # it may have done nothing: count_new does not count it
        case ${file##*/} in # a folder's name may look like that of what was saved
        '*' | *.input) rm "$file" ;;
        *.[0-9]*) keep "$file" ;;
        *) take_current "$file" || rm "$file" ;;
        esac
    done
}

# take_current FILE: keeps the input that was running when a process ended, if there is one; see fuzz/current.h
take_current() {
    local length
    length=$(od -An -tu4 -N4 "$1" 2>/dev/null | tr -d ' ') || true
    [ "${length:-0}" -gt 0 ] || return 1
    if ! { head -c $((8 + length - 1)) "$1" | tail -c +9 >"$1.input"; } 2>/dev/null; then
        rm -f "$1.input"
        : >"$out/failed"
        printf 'no space for a crashing input; it is in %s, behind 8 bytes\n' "$1" >&2
        return 0
    fi
    touch -r "$1" "$1.input"
    keep "$1.input" && rm "$1"
}

# keep FILE: moves it to the crashing inputs, named by digest
keep() {
    local digest
    digest=$(sha1sum <"$1")
    mv "$1" "$out/crashes/ended-${digest%% *}"
}

# run_afl NUMBER: number 1 is the main instance. It reads libFuzzer's corpus after every half of AFL_SYNC_TIME, which
# is in minutes: 1 is the minimum.
run_afl() {
    local file current=$out/current/afl-$1 role=(-S "secondary$1") options=(-i "$out/tmp/seeds" -o "$out/afl" -V "$seconds" -G "$max_bytes" -t 10000)
    [ "$1" -gt 1 ] || role=(-M main -F "$out/corpus")
    [ ! -s "$out/words" ] || options+=(-x "$out/words")
    [ -z "${afl_mutator-}" ] || export AFL_CUSTOM_MUTATOR_LIBRARY=$afl_mutator
    TOPK_FUZZ_CURRENT=$current TMPDIR=$out/tmp AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_AUTORESUME=1 AFL_TRY_AFFINITY=1 AFL_SYNC_TIME="${AFL_SYNC_TIME-1}" \
        AFL_IGNORE_SEED_PROBLEMS=1 \
        AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 \
        afl-fuzz "${role[@]}" "${options[@]}" -- "$afl" >"$out/logs/afl-$1" 2>&1 ||
        printf 'afl-fuzz %s ended with %s\n' "$1" $? >>"$out/logs/afl-$1"
    # crashes that AFL++ takes for a normal end
    for file in "$current".*; do
        [ ! -e "$file" ] || keep "$file"
    done
    take_current "$current" || true
}

# Copies AFL++'s inputs to the corpus that libFuzzer reads.
share_queues() {
    [ -d "$out/afl" ] || return 0
    { find "$out/afl" -path '*/queue/id:*' -newer "$out/.shared" -type f || true; } | while IFS= read -r file; do
        # AFL++ renames files while it works on them
        cp -n "$file" "$out/corpus/afl-$(printf '%s' "$file" | sha1sum | cut -c 1-16)" 2>/dev/null || true
    done
    touch "$out/.shared"
}

# status_line: shows the progress
status_line() {
    local execs
    execs=$(cat "$out"/logs/last-* 2>/dev/null | grep -ao 'exec/s: [0-9]*' | tail -n 1 || true)
    printf '\r\033[K%d s left  %s inputs  %s crashes  %s' $((deadline - SECONDS)) "$(count_files "$out/corpus")" \
        "$(count_crashes)" "$execs" >&2
}

count_crashes() {
    crash_files | wc -l
}

# crash_files: prints crashing inputs, the smallest first
crash_files() {
    # AFL++ adds the date to the names of folders of earlier runs
    { find "$out/crashes" "$out"/afl/*/crashes* "$out"/afl/*/hangs* -type f ! -name README.txt -printf '%s\t%p\n' 2>/dev/null || true; } |
        sort -n | cut -f 2-
}

# count_new: counts crashing inputs of this run, without seeds
count_new() {
    find "$out/crashes" -type f -newer "$out/.began" ! -name 'seed-*' | wc -l
}

# Each engine and its children form a process group, because of `set -m`.
stop_engines() {
    local pid i
    for pid in ${pids[@]+"${pids[@]}"}; do
        kill -- "-$pid" 2>/dev/null || true
    done
    for pid in ${pids[@]+"${pids[@]}"}; do
        for ((i = 0; i < 50; i++)); do
            kill -0 -- "-$pid" 2>/dev/null || continue 2
            sleep 0.1
        done
        kill -KILL -- "-$pid" 2>/dev/null || true
    done
    pids=()
}

# interrupted CODE: stops the engines and exits with CODE
interrupted() {
    trap '' INT TERM HUP
    stop_engines
    # the terminal may be closed
    say "ended by a signal; to group the findings in $out: scripts/fuzz $target --out $out --collect" >&2 || true
    exit "$1"
}

fuzz() {
    local short=false i afls=0 deadline=$((SECONDS + seconds))
    pids=()
    take_left
    touch -d @0 "$out/.shared"
    rm -f "$out/full" "$out/failed" "$out"/logs/* "$out"/current/*
    rm -rf "$out/tmp/seeds"
    cp -r "$out/corpus" "$out/tmp/seeds"
    trap stop_engines EXIT
    trap 'interrupted 130' INT
    trap 'interrupted 143' TERM
    trap 'interrupted 129' HUP
    set -m
    for ((i = 1; i <= jobs; i++)); do
        if [ "$engine" = libfuzzer ] || { [ "$engine" = both ] && [ $((i % 2)) = 0 ]; }; then
            run_libfuzzer "$i" &
        else
            afls=$((afls + 1))
            run_afl "$afls" &
        fi
        pids+=($!)
    done
    set +m
    while [ -n "$(jobs -rp)" ] && [ ! -e "$out/failed" ]; do
        has_space "$space" 2 || { short=true && break; }
        [ "$engine" = libfuzzer ] || share_queues
        share_exchange
        [ ! -t 2 ] || status_line
        sleep 1
    done
    stop_engines
    trap - INT TERM HUP EXIT
    [ ! -t 2 ] || printf '\r\033[K' >&2
    ! "$short" || : >"$out/failed"
    [ "$engine" = libfuzzer ] || share_queues
    share_exchange now
    [ ! -e "$out/full" ] || say "$(cat "$out/full")"
    if grep -aqsE 'PROGRAM ABORT|SYSTEM ERROR' "$out"/logs/afl-*; then
        grep -ahE 'PROGRAM ABORT|SYSTEM ERROR|OS message' "$out"/logs/afl-* | head -n 4 >&2
        printf 'AFL++ did not run, or not to the end; see %s\n' "$out/logs" >"$out/failed"
    fi
}
