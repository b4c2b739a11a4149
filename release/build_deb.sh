#!/usr/bin/env bash
# Builds the Debian package of a source tree, on the Debian that it is for. scripts/release runs this in a clean root.
set -euo pipefail

usage() {
    cat <<END
usage: release/build_deb.sh VERSION MAINTAINER OUTPUT

Builds this source tree and makes OUTPUT/topk-cts_VERSION_ARCHITECTURE.deb of what it installs. VERSION is that of the
package, such as 0.1.0-1~deb12; MAINTAINER is NAME <ADDRESS>. SOURCE_DATE_EPOCH must be set: it dates everything in the package.
OUTPUT/linked.txt then has a line for each library that the programs were linked with:
  SONAME PACKAGE VERSION SOURCE, with Debian's names of the package and its source
What it takes: what topk-cts is built with, and dpkg-dev.
Exit code: 0 done, 1 it failed, 2 wrong command line.
END
}

die() {
    printf '%s: error: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

case ${1-} in
-h | --help)
    usage
    exit 0
    ;;
esac
[ $# = 3 ] || {
    usage >&2
    exit 2
}
version=$1
maintainer=$2
output=$(realpath "$3")
export LC_ALL=C.UTF-8 TZ=UTC
umask 022
[ -n "${SOURCE_DATE_EPOCH-}" ] || die "SOURCE_DATE_EPOCH is not set"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Debian's flags harden the programs, and take the name of this folder out of them
export DEB_BUILD_MAINT_OPTIONS=hardening=+all
flags=$(dpkg-buildflags --get CFLAGS)
flags+=" $(dpkg-buildflags --get CPPFLAGS)"
# without the backends for which more than Debian packages is needed
cmake -S . -B build/deb -G Ninja -D CMAKE_BUILD_TYPE=RelWithDebInfo -D CMAKE_INSTALL_PREFIX=/usr \
    -D "CMAKE_C_FLAGS=$flags" -D "CMAKE_EXE_LINKER_FLAGS=$(dpkg-buildflags --get LDFLAGS)" \
    -D BUILD_TESTING=OFF -D TOPK_WARNINGS_ARE_ERRORS=OFF -D TOPK_WINDOWS_WORKER=OFF -D TOPK_ONNXRUNTIME=OFF \
    -D TOPK_D3D12=OFF
cmake --build build/deb
tree=$work/tree
DESTDIR=$tree cmake --install build/deb --strip
programs=("$tree"/usr/bin/*)

# ---- what Debian wants in /usr/share -------------------------------------------------------------

docs=$tree/usr/share/doc/topk-cts
rm "$docs/LICENSE" # copyright has it
{
    printf '%s\n' 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/' \
        'Upstream-Name: topk-cts' '' 'Files: *'
    sed -n 's/^Copyright (c) /Copyright: /p' LICENSE
    printf 'License: Expat\n'
    sed '1,/^Copyright/d' LICENSE | sed '1{/^$/d}' | sed 's/^$/./; s/^/ /'
} >"$docs/copyright"
{
    printf 'topk-cts (%s) unstable; urgency=medium\n\n  * What changed is in changelog.gz.\n\n' "$version"
    printf -- ' -- %s  %s\n' "$maintainer" "$(date -R -d "@$SOURCE_DATE_EPOCH")"
} >"$docs/changelog.Debian"
cp CHANGELOG.md "$docs/changelog"
gzip -9n "$docs/changelog" "$docs/changelog.Debian" "$tree"/usr/share/man/man1/*.1

# ---- control -------------------------------------------------------------------------------------

mkdir "$work/debian" "$tree/DEBIAN"
printf 'Source: topk-cts\n\nPackage: topk-cts\nArchitecture: any\n' >"$work/debian/control"
dependencies=$(cd "$work" && dpkg-shlibdeps -O "${programs[@]}")
architecture=$(dpkg --print-architecture)
# as dpkg-gencontrol counts: a file takes whole KiB, anything else one, on whatever file system
size=$(find "$tree/usr" -type f -printf "%s\n" -o -printf "1\n" | awk "{ kib += int((\$1 + 1023) / 1024) } END { print kib }")
cat >"$tree/DEBIAN/control" <<END
Package: topk-cts
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $size
Depends: ${dependencies#shlibs:Depends=}
Suggests: libvulkan1
Section: devel
Priority: optional
Description: conformance tests for DirectML's top-K operators
 topk-cts puts an implementation of DML_TOP_K and DML_TOP_K1 under test: a
 driver, a library or a kernel. It holds each result against the clauses of
 the documents, names the clause that is broken, and gives a line that
 replays the failure.
END
(cd "$tree" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$tree/DEBIAN/md5sums"
dpkg-deb --root-owner-group -Zxz --build "$tree" "$output/topk-cts_${version}_$architecture.deb"

# ---- what was linked -----------------------------------------------------------------------------

# owner PATH: the package that installed it, whatever name of a merged /usr it did that by
owner() {
    local name
    name=$(dpkg-query -S "$1" 2>/dev/null || dpkg-query -S "/usr$1" 2>/dev/null || dpkg-query -S "${1#/usr}" 2>/dev/null) ||
        die "no package has $1"
    printf '%s\n' "${name%%:*}"
}

readelf -d "${programs[@]}" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u >"$work/needed"
while read -r soname; do
    # read to its end: who writes to a pipe that is closed fails
    path=$(/sbin/ldconfig -p | awk -v name="$soname" '$1 == name && path == "" { path = $NF } END { print path }')
    [ -n "$path" ] || die "the library $soname is not here"
    path=$(realpath "$path")
    package=$(owner "$path")
    row=$(dpkg-query -W -f '${Package} ${Version} ${source:Package}\n' "$package")
    printf '%s %s\n' "$soname" "${row%%$'\n'*}"
done <"$work/needed" >"$output/linked.txt"

# a build that names its folder is another in another folder
for program in "${programs[@]}"; do
    if grep -qaF "$source" "$program"; then
        die "${program##*/} has the name of the folder that it was built in: $source"
    fi
done
