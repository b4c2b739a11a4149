# shellcheck shell=bash
# Shared by the scripts: messages, digests, and downloads from npm and from other Debian suites.
#
# To be sourced under `set -euo pipefail`. A function that fails prints the reason to stderr and ends
# the script, with exit code 1, or 2 for a wrong command line. No function contains the address of a
# registry: npm has its own configuration, and apt's is derived from this machine's.

# A failure inside $(...) ends the script, too.
shopt -s inherit_errexit

# shellcheck source=scripts/packages.sh
. "${BASH_SOURCE[0]%/*}/packages.sh"

say() {
    printf '%s: %s\n' "${0##*/}" "$*"
}

die() {
    printf '%s: error: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# misuse REASON: for a wrong command line; the script defines usage().
misuse() {
    printf '%s: error: %s\n' "${0##*/}" "$*" >&2
    usage >&2
    exit 2
}

# need COMMAND DEBIAN_PACKAGE: ends the script if the command is missing
need() {
    [ -n "$(type -P "$1")" ] || die "the command '$1' is missing; the Debian package '$2' has it"
}

# need_x86_64_linux WHAT: ends the script on other systems
need_x86_64_linux() {
    local system
    system="$(uname -s) $(uname -m)"
    [ "$system" = "Linux x86_64" ] || die "$1 is fetched for Linux on x86-64 only, and this is $system"
}

digest_of() {
    local line
    line=$(sha256sum <"$1")
    printf '%s\n' "${line%% *}"
}

# has_digest FILE SHA256: whether the file exists and has this digest.
has_digest() {
    [ -f "$1" ] && [ "$(digest_of "$1")" = "$2" ]
}

# check_digest FILE SHA256 WHAT: ends the script if the digest differs
check_digest() {
    local found
    found=$(digest_of "$1")
    [ "$found" = "$2" ] || die "$3 is not the one that is pinned
  SHA-256 expected: $2
  SHA-256 found:    $found"
}

# show_log FILE: prints the errors in the output of a tool, indented, to stderr.
show_log() {
    sed -n '/^[EW]:\|[Ee][Rr][Rr]/s/^/  | /p' "$1" | head -n 8 >&2
}

# fetch_npm NAME VERSION SHA256 DIR: unpacks an npm package to DIR/package. It is not installed: no
# script of the package runs, and none of its dependencies are fetched. The tarball is kept in
# build/third_party/npm for the next script that wants it.
fetch_npm() {
    local name=$1 version=$2 digest=$3 dir=$4 kept tarball
    # shellcheck disable=SC2154 # of the script
    kept=$root/build/third_party/npm/$name-$version.tgz
    tarball=$kept
    if ! has_digest "$kept" "$digest"; then
        need npm npm
        say "fetching $name $version from npm"
        mkdir -p "$dir/npm"
        if ! (cd "$dir/npm" && npm pack "$name@$version" --ignore-scripts </dev/null) \
            >"$dir/npm.log" 2>&1; then
            show_log "$dir/npm.log"
            die "npm could not fetch $name $version; is there a network?"
        fi
        tarball=$(printf '%s\n' "$dir"/npm/*.tgz)
        check_digest "$tarball" "$digest" "npm's $name $version"
        # a failure to keep it is harmless
        if mkdir -p "${kept%/*}" 2>/dev/null && mv -f "$tarball" "$kept" 2>/dev/null; then
            tarball=$kept
        fi
    fi
    rm -rf "$dir/package"
    tar -xzf "$tarball" -C "$dir"
}

# debian_codename: prints that of this machine; nothing if it has none.
debian_codename() {
    # shellcheck disable=SC1091
    (. /etc/os-release && printf '%s\n' "${VERSION_CODENAME:-}")
}

# codenames_here: prints a pattern of the codenames of this distribution and of the Debian that it derives from
codenames_here() {
    # shellcheck disable=SC1091
    (. /etc/os-release && printf '%s|%s\n' "${VERSION_CODENAME:-bookworm}" 'bookworm|trixie|forky')
}

# The two functions below print this machine's apt sources of the distribution itself (with its codename, with Debian's,
# or with stable, testing and so on, and a component `main`), for another suite. They omit sources of
# third parties, of updates and of security fixes.

# derive_one_line_sources SUITE CODENAME FILE...
derive_one_line_sources() {
    local suite=$1 codename=$2
    shift 2
    awk -v suite="$suite" -v codename="$codename" '
        $1 == "deb" {
            options = ""
            rest = $0
            sub(/^[ \t]*deb[ \t]+/, "", rest)
            if (match(rest, /^\[[^]]*\][ \t]*/)) {
                options = substr(rest, 1, RLENGTH)
                rest = substr(rest, RLENGTH + 1)
            }
            sub(/[ \t]*#.*/, "", rest)
            count = split(rest, word, /[ \t]+/)
            if (word[2] !~ "^(" codename "|(old)?stable|testing|unstable|sid)$") {
                next
            }
            for (i = 3; i <= count; i++) {
                if (word[i] == "main") {
                    print "deb " options word[1] " " suite " main"
                    next
                }
            }
        }' "$@"
}

# derive_deb822_sources SUITE CODENAME FILE...
derive_deb822_sources() {
    local suite=$1 codename=$2
    shift 2
    awk -v suite="$suite" -v codename="$codename" '
        function has(name, pattern) {
            return (" " field[name] " ") ~ ("[ \t\n](" pattern ")[ \t\n]")
        }
        function end_stanza(name) {
            if (has("types", "deb") && has("components", "main") && !has("enabled", "no|false|0") &&
                has("suites", codename "|(old)?stable|testing|unstable|sid")) {
                field["types"] = " deb"
                field["suites"] = " " suite
                field["components"] = " main"
                for (name in field) {
                    if (field[name] != "") {
                        print name ":" field[name]
                    }
                }
                print ""
            }
            delete field
            last = ""
        }
        FNR == 1 { end_stanza() }
        /^#/ { next }
        /^[ \t]*$/ { end_stanza(); next }
        /^[ \t]/ { if (last != "") field[last] = field[last] "\n" $0; next }
        {
            last = tolower(substr($0, 1, index($0, ":") - 1))
            field[last] = substr($0, index($0, ":") + 1)
        }
        END { end_stanza() }' "$@"
}

# configure_apt SUITE DIR: writes DIR/apt.conf and what it names: this machine's configuration with
# its own sources, state and caches, and without the machine's hooks, which maintain the system's state.
configure_apt() {
    local suite=$1 dir=$2 codename main_list parts
    local one_line=() deb822=()
    codename=$(codenames_here)
    eval "$(apt-config shell main_list Dir::Etc::sourcelist/f parts Dir::Etc::sourceparts/d)"
    mkdir -p "$dir/sources" "$dir/lists/partial" "$dir/cache/archives/partial"
    : >"$dir/status"
    shopt -s nullglob
    one_line=("$parts"/*.list)
    deb822=("$parts"/*.sources)
    shopt -u nullglob
    if [ -f "$main_list" ]; then
        one_line+=("$main_list")
    fi
    if [ "${#one_line[@]}" -gt 0 ]; then
        derive_one_line_sources "$suite" "$codename" "${one_line[@]}" | sort -u \
            >"$dir/sources/derived.list"
    fi
    if [ "${#deb822[@]}" -gt 0 ]; then
        derive_deb822_sources "$suite" "$codename" "${deb822[@]}" >"$dir/sources/derived.sources"
    fi
    cat "$dir"/sources/derived.* 2>/dev/null | grep -q . ||
        die "this machine's apt has no source of the distribution itself to derive $suite from"
    apt-config dump | grep -v -e '-Invoke' >"$dir/apt.conf"
    cat >>"$dir/apt.conf" <<END
Dir::Etc::main "/dev/null";
Dir::Etc::parts "/dev/null";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$dir/sources";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State "$dir";
Dir::State::lists "$dir/lists";
Dir::State::status "$dir/status";
Dir::Cache "$dir/cache";
Dir::Cache::archives "$dir/cache/archives";
APT::Sandbox::User "";
END
}

# fetch_deb SUITE PACKAGE DIR: unpacks a package of another Debian suite, in the version that the
# suite has now, to DIR/root, and prints that version. DIR/apt-SUITE is left for a second package.
fetch_deb() {
    local suite=$1 package=$2 dir=$3 apt=$3/apt-$1 debs
    need apt-get apt
    need dpkg-deb dpkg
    if ! [ -d "$apt" ]; then
        mkdir "$apt"
        configure_apt "$suite" "$apt"
        # A partly failed update may still have fetched what is needed.
        if ! APT_CONFIG="$apt/apt.conf" apt-get update >"$dir/apt.log" 2>&1; then
            printf 'apt-get update failed\n' >>"$dir/apt.log"
        fi
    fi
    if ! (cd "$apt" && APT_CONFIG="$apt/apt.conf" apt-get download "$package") \
        >>"$dir/apt.log" 2>&1; then
        show_log "$dir/apt.log"
        die "apt could not fetch $package of Debian $suite; is there a network?"
    fi
    debs=("$apt/$package"_*.deb)
    dpkg-deb --extract "${debs[0]}" "$dir/root"
    dpkg-deb --field "${debs[0]}" Version
}

# fetch_source SUITE PACKAGE FILE SHA256 DIR: unpacks the source package of a Debian suite, with Debian's patches, to
# DIR/PACKAGE, and prints its version. FILE, the original release, is pinned; the patches are those of the suite
# now. Keeps DIR/apt-source-SUITE for a second package.
fetch_source() {
    local suite=$1 package=$2 file=$3 digest=$4 dir=$5 apt=$5/apt-source-$1 descriptions
    need apt-get apt
    need dpkg-source dpkg-dev
    if ! [ -d "$apt" ]; then
        mkdir "$apt"
        configure_apt "$suite" "$apt"
        sed -i 's/^\(types: *\)deb$/\1deb-src/; s/^deb /deb-src /' "$apt"/sources/derived.*
        if ! APT_CONFIG="$apt/apt.conf" apt-get update >"$dir/apt.log" 2>&1; then
            printf 'apt-get update failed\n' >>"$dir/apt.log"
        fi
    fi
    mkdir "$apt/$package"
    if ! (cd "$apt/$package" && APT_CONFIG="$apt/apt.conf" apt-get source --download-only "$package") \
        >>"$dir/apt.log" 2>&1; then
        show_log "$dir/apt.log"
        die "apt could not fetch the source of $package of Debian $suite; is there a network?"
    fi
    [ -f "$apt/$package/$file" ] || die "the source of $package of Debian $suite has no $file"
    check_digest "$apt/$package/$file" "$digest" "$file of Debian's $package"
    descriptions=("$apt/$package"/*.dsc)
    dpkg-source --extract "${descriptions[0]}" "$dir/$package" >>"$dir/apt.log" 2>&1 ||
        { show_log "$dir/apt.log"; die "the source of $package cannot be unpacked"; }
    sed -n 's/^Version: //p' "${descriptions[0]}" | head -n 1
}

# For scripts that fetch into a directory `dir` that the caller may choose.

# read_directory DEFAULT ARGUMENT...: sets dir from the command line; the script defines usage().
read_directory() {
    dir=$1
    shift
    case ${1-} in
    -h | --help)
        usage
        exit 0
        ;;
    -*) misuse "unknown option '$1'" ;;
    esac
    [ $# -le 1 ] || misuse "one directory at most"
    dir=${1-$dir}
    [ -n "$dir" ] || misuse "the directory has no name"
}

# make_work: makes dir, and in it the directory `work`, which is removed when the script ends.
make_work() {
    mkdir -p "$dir" || die "cannot create $dir"
    dir=$(cd "$dir" && pwd)
    work=$(mktemp -d "$dir/.fetch.XXXXXX") || die "cannot write to $dir"
    trap 'rm -rf "$work"' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

# install_file FROM TO: moves a complete file from work, so TO is never incomplete.
install_file() {
    mkdir -p "${2%/*}"
    chmod 644 "$1"
    mv -f "$1" "$2"
}

# For a script with a table `pinned`, a row a file:
#   SOURCE, FILE in dir, path in what SOURCE unpacks to, SHA-256 of the file
# and with dir and work of the functions above.

# rows SOURCE: prints FILE, path and digest of each of its files
rows() {
    # shellcheck disable=SC2154 # of the script
    sed -n "s/^$1 //p" <<<"$pinned"
}

# has SOURCE: whether all of its files are installed
has() {
    local file path digest
    while read -r file path digest; do
        has_digest "$dir/$file" "$digest" || return 1
    done < <(rows "$1")
}

# take SOURCE FOLDER WHAT [CHECK]: installs its files from FOLDER, to which SOURCE was unpacked
take() {
    local file path digest from
    while read -r file path digest; do
        from=$2/$path/${file##*/}
        [ -f "$from" ] || die "$3 has no $path/${file##*/}"
        "${4:-check_digest}" "$from" "$digest" "${file##*/} of $3"
        install_file "$from" "$dir/$file"
    done < <(rows "$1")
}

# from_npm SOURCE NAME VERSION SHA256: fetches and installs the files of a source from npm
from_npm() {
    has "$1" && return
    fetch_npm "$2" "$3" "$4" "$work"
    take "$1" "$work/package" "npm's $2 $3"
}

# from_debian SOURCE SUITE PACKAGE VERSION: the same from Debian, and the package's copyright file as SOURCE-copyright.
# apt has only one version of each package. A rebuild of the pinned release is accepted: apt has verified that
# Debian made it.
from_debian() {
    local version check=check_digest
    has "$1" && [ -f "$dir/$1-copyright" ] && return
    say "fetching $3 from Debian $2"
    version=$(fetch_deb "$2" "$3" "$work")
    if [ "$version" != "$4" ] && [ "${version%-*}" = "${4%-*}" ]; then
        say "$3 is of version $version now, but the pinned version is $4: taken as apt has it"
        check=true
    fi
    take "$1" "$work/root" "$3 $version (pinned: those of $4)" "$check"
    install_file "$work/root/usr/share/doc/$3/copyright" "$dir/$1-copyright"
}

# as_root COMMAND...: runs it as root, through sudo if necessary.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        [ -n "$(type -P sudo)" ] ||
            die "packages are missing, and this is neither root nor a user with sudo: $*"
        sudo "$@"
    fi
}

# install_packages PACKAGE...: installs the Debian packages that are missing. Without apt, or if apt does not know a
# package, its content must be installed already.
install_packages() {
    local package known missing=() unknown=()
    if [ -z "$(type -P apt-get)" ] || [ -z "$(type -P dpkg-query)" ]; then
        look_for "this system has no apt" "$@"
        return
    fi
    # fails if it does not know a package
    known=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
    for package in "$@"; do
        [[ $'\n'$known$'\n' == *$'\n'"installed $package"$'\n'* ]] || missing+=("$package")
    done
    [ "${#missing[@]}" -gt 0 ] || return 0
    as_root apt-get update -qq || say "apt-get update failed in part; continuing with the old lists"
    known=$(apt-cache madison "${missing[@]}" 2>/dev/null | awk '{ print $1 }')
    for package in "${missing[@]}"; do
        [[ $'\n'$known$'\n' == *$'\n'"$package"$'\n'* ]] || unknown+=("$package")
    done
    [ "${#unknown[@]}" = 0 ] || look_for "this system's apt does not know all packages" "${unknown[@]}"
    mapfile -t missing < <(printf '%s\n' "${missing[@]}" | grep -xF -- "$known" || true)
    [ "${#missing[@]}" -gt 0 ] || return 0
    say "installing ${missing[*]}"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        "${missing[@]}" >/dev/null || die "apt-get could not install ${missing[*]}"
}

# Packages to build topk-cts; npm, for ONNX Runtime, only if there is no other npm.
build_packages() {
    printf '%s\n' gcc libc6-dev cmake ninja-build pkg-config libuv1-dev libjansson-dev libsodium-dev nettle-dev \
        libxml2-dev libzstd-dev glslang-tools libvulkan-dev
    [ -n "$(type -P npm)" ] || printf '%s\n' npm
}

# Additional packages for scripts/test quick.
quick_packages() {
    printf '%s\n' libcmocka-dev git jq libxml2-utils shellcheck procps clang-format-14 clang-tidy-14
}

# Additional packages for all tests.
test_packages() {
    quick_packages
    # minisign verifies packages, jq reads logs, perl reads models for DxDispatch, aspell checks spelling; from slurmd on:
    # docs/cluster
    printf '%s\n' g++ clang-14 libclang-rt-14-dev lld-14 llvm-14 afl++ brotli zstd perl minisign groff man-db aspell-en \
        zsh fish vulkan-validationlayers slurmd slurmctld slurm-client munge parallel openssh-server openssh-client rsync
    windows_packages
    directml_packages
}

# Packages to build the programs for Windows here: a compiler, and tools to unpack and configure the
# libraries that scripts/get-windows-libraries builds.
windows_packages() {
    printf '%s\n' gcc-mingw-w64-x86-64-win32 dpkg-dev make autoconf automake zip
}

# Packages to build and run the Windows worker here. The dependencies of mesa-vulkan-drivers are also
# those of the newer Mesa that get-directml unpacks.
directml_packages() {
    printf '%s\n' gcc-mingw-w64-x86-64-win32 g++-mingw-w64-x86-64-win32 wine64 xvfb libvulkan1 \
        mesa-vulkan-drivers libvkd3d-dev libvulkan-dev util-linux
}
