# shellcheck shell=bash
# Clean roots of Debian for scripts/release: which releases there are, how a root is made, and a package in it.
#
# To be sourced after scripts/lib.sh; `work', `output', `name', `tarball', `maintainer' and made() are those of
# scripts/release.
# shellcheck disable=SC2154

# debian_number CODENAME: 12, say. Fails if it is none that packages are made for.
debian_number() {
    case $1 in
    bookworm) echo 12 ;;
    trixie) echo 13 ;;
    *) return 1 ;;
    esac
}

# add_security_sources SUITE FOLDER: writes this machine's apt sources of security fixes, for SUITE, to a file in FOLDER, if
# it has any. It looks for them by the codename, as nothing else tells them from other sources.
add_security_sources() {
    local codename parts main_list files=()
    codename=$(debian_codename)
    eval "$(apt-config shell parts Dir::Etc::sourceparts/d)"
    mapfile -t files < <(grep -ls "$codename-security" "$parts"/*.sources)
    if [ "${#files[@]}" -gt 0 ]; then
        derive_deb822_sources "$1-security" "$codename-security" "${files[@]}" >"$2/security.sources"
    fi
    eval "$(apt-config shell main_list Dir::Etc::sourcelist/f)"
    mapfile -t files < <(grep -ls "$codename-security" "$parts"/*.list "$main_list")
    if [ "${#files[@]}" -gt 0 ]; then
        derive_one_line_sources "$1-security" "$codename-security" "${files[@]}" | sort -u >"$2/security.list"
    fi
}

# make_root SUITE OUTPUT OPTION...: runs mmdebstrap with this machine's sources of packages. OUTPUT is what it takes
# for one, /dev/null if only its hooks count.
make_root() {
    local suite=$1 to=$2 apt=$work/apt-$1 sources=()
    shift 2
    if ! [ -d "$apt" ]; then
        mkdir "$apt"
        configure_apt "$suite" "$apt"
        add_security_sources "$suite" "$apt/sources"
        # how this machine reaches them
        { apt-config dump | grep -iE '^Acquire::(https?|ftp)::' || true; } >"$apt/aptopt.conf"
    fi
    sources=("$apt"/sources/*)
    if ! mmdebstrap --aptopt="$apt/aptopt.conf" "$@" "$suite" "$to" "${sources[@]}" >"$work/root.log" 2>&1; then
        tail -n 30 "$work/root.log" >&2
        die "the root of Debian $suite failed; above is the end of what it said"
    fi
}

# package_of SUITE: the name of the package for it
package_of() {
    local packages=("$work/$1"/out/*.deb)
    printf '%s\n' "${packages[0]}"
}

# build_in_root SUITE: makes the package for SUITE from the tarball, in a new root of it that has nothing but what the
# build takes. It lies in $work/SUITE/out, with the list linked.txt; it is published if packages are asked for.
build_in_root() {
    local suite=$1 packages
    say "building for Debian $(debian_number "$suite")"
    # npm is for ONNX Runtime, whose backend no package has
    packages=$(build_packages | grep -vx npm | paste -sd ,)
    mkdir -p "$work/$suite"
    cat >"$work/build" <<END
set -eu
# another folder each time: it must not matter
folder=\$(mktemp -d)
tar -xzf /build/$tarball -C "\$folder"
export SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH
"\$folder/topk-cts-$name/release/build_deb.sh" '$name-1~deb$(debian_number "$suite")' "\$(cat /build/maintainer)" /build/out
END
    printf '%s\n' "$maintainer" >"$work/maintainer"
    # shellcheck disable=SC2016 # mmdebstrap's shell expands it
    make_root "$suite" /dev/null --format=null --variant=apt --include="$packages,dpkg-dev" \
        --customize-hook='mkdir -p "$1/build/out"' \
        --customize-hook="upload '$work/$tarball' /build/$tarball" \
        --customize-hook="upload '$work/maintainer' /build/maintainer" \
        --customize-hook="upload '$work/build' /build/build" \
        --customize-hook='chroot "$1" sh /build/build' \
        --customize-hook="copy-out /build/out '$work/$suite'"
    if ! [ -f "$(package_of "$suite")" ] || ! [ -s "$work/$suite/out/linked.txt" ]; then
        die "release/build_deb.sh left no package for $suite"
    fi
    if made deb; then
        cp "$(package_of "$suite")" "$output"
    fi
}
