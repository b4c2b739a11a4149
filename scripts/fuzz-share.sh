# shellcheck shell=bash
# scripts/fuzz --share: runs on several machines share a folder,
#   about     what is being fuzzed: target, backend, version of the corpus
#   corpus/   inputs, and
#   crashes/  inputs that crash; each file is named by the SHA-1 of its bytes
# scripts/fuzz sets target, out, backend, share, replay. Times are not compared, because clocks differ between machines:
# $out/tmp/given and $out/tmp/taken list the files that were copied in each direction.
# shellcheck disable=SC2154

share_every=10 # seconds

# put FILE FOLDER NAME: copies a file to the shared folder, complete or not at all. An engine may have removed the file.
put() {
    local whole
    whole=$2/.$(uname -n)-$$
    cp -- "$1" "$whole" || { rm -f -- "$whole" && [ ! -e "$1" ] && return; }
    mv -n -- "$whole" "$2/$3" && rm -f -- "$whole"
}

share_about() {
    printf 'target %s\n' "$target"
    [ "$target" != differential ] || printf 'backend %s\n' "${backend##*/}"
    "$replay" --version
}

# starts sharing: takes the inputs in the folder
share_begin() {
    [ -n "$share" ] || return 0
    mkdir -p "$share"/{corpus,crashes} || die "cannot make $share"
    share_about >"$out/tmp/about"
    [ -e "$share/about" ] || put "$out/tmp/about" "$share" about || die "cannot write to $share"
    diff "$share/about" "$out/tmp/about" >"$out/tmp/differs" || die "$share is shared by runs of something else:
$(sed -n 's/^</  they:/p; s/^>/  this:/p' "$out/tmp/differs")"
    rm -f "$out/tmp/given" "$out/tmp/taken"
    share_take || die "cannot read $share/corpus"
}

# only_first A B: prints the lines of A that B lacks; both are sorted
only_first() {
    LC_ALL=C comm -23 "$1" "$2"
}

# names FOLDER: prints the names of its files
names() {
    find "$1" -maxdepth 1 -type f -regextype posix-extended -regex ".*/[0-9a-f]{40}" -printf '%f\n' | LC_ALL=C sort
}

# takes inputs of other runs; libFuzzer and AFL++ read the folder again
share_take() {
    local name
    touch "$out/tmp/taken"
    names "$share/corpus" >"$out/tmp/there" || return 1
    only_first "$out/tmp/there" "$out/tmp/taken" | while IFS= read -r name; do
        [ -e "$out/corpus/$name" ] ||
            { cp -- "$share/corpus/$name" "$out/tmp/taking" && mv -n "$out/tmp/taking" "$out/corpus/$name"; } || return 1
    done || return 1
    mv "$out/tmp/there" "$out/tmp/taken"
}

# gives new inputs and crashing inputs
share_give() {
    local digest file
    touch "$out/tmp/given"
    { find "$out/corpus" -maxdepth 1 -type f && crash_files; } | LC_ALL=C sort >"$out/tmp/have"
    only_first "$out/tmp/have" "$out/tmp/given" >"$out/tmp/giving"
    { tr '\n' '\0' <"$out/tmp/giving" | xargs -0r sha1sum -- || true; } 2>/dev/null >"$out/tmp/digests"
    while read -r digest file; do
        case $file in
        "$out/corpus/"*) [ -e "$share/corpus/$digest" ] || put "$file" "$share/corpus" "$digest" ;;
        *) [ -e "$share/crashes/$digest" ] || put "$file" "$share/crashes" "$digest" ;;
        esac || return 1
    done <"$out/tmp/digests"
    mv "$out/tmp/have" "$out/tmp/given"
}

# share_exchange: does both, every $share_every seconds or now. What the folder rejects now is tried again later.
share_exchange() {
    [ -n "$share" ] || return 0
    [ "${1-}" = now ] || [ $((SECONDS - ${shared_at:--1000})) -ge "$share_every" ] || return 0
    shared_at=$SECONDS
    if { share_take && share_give; } 2>"$out/tmp/share-error"; then
        share_lost=
    elif [ -z "${share_lost-}" ]; then
        share_lost=1
        say "$share cannot be shared now: $(head -n 1 "$out/tmp/share-error"); this goes on without it" >&2
    fi
}

# takes inputs that crashed elsewhere, for --collect
share_take_crashes() {
    local name
    [ -n "$share" ] || return 0
    for name in $(names "$share/crashes"); do
        [ -e "$out/crashes/shared-$name" ] || cp -- "$share/crashes/$name" "$out/crashes/shared-$name" ||
            die "cannot read $share/crashes/$name"
    done
}
