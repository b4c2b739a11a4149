# shellcheck shell=bash
# Finds the content of a Debian package where the package itself is missing: on systems without apt, and on those
# whose apt does not know it. To be sourced by scripts/lib.sh.

# A row a package: PACKAGE KIND NAME [WHAT]. A package without a row has a program of its own name. KIND and NAME say
# what to look for:
#   program   a command, in PATH or where daemons are
#   library   its name for pkg-config
#   header    its name for the C compiler
# A package with a WHAT is optional: without it, WHAT is left out.
package_rows='
libc6-dev header stdio.h
ninja-build program ninja
libuv1-dev library libuv
libjansson-dev library jansson
libsodium-dev library libsodium
nettle-dev library nettle
libxml2-dev library libxml-2.0
libzstd-dev library libzstd
libcmocka-dev library cmocka
glslang-tools program glslangValidator the backend vulkan
libvulkan-dev header vulkan/vulkan.h the backend vulkan
npm program npm the backend onnxruntime
clang-format-14 program clang-format-14 the check of the format of C
clang-tidy-14 program clang-tidy-14 the check by clang-tidy
libclang-rt-14-dev program clang-14
lld-14 program ld.lld-14
llvm-14 program llvm-profdata-14
afl++ program afl-fuzz
aspell-en program aspell
libxml2-utils program xmllint
man-db program man
procps program ps
slurm-client program sbatch
munge program munged
openssh-server program sshd
openssh-client program ssh
gcc-mingw-w64-x86-64-win32 program x86_64-w64-mingw32-gcc
g++-mingw-w64-x86-64-win32 program x86_64-w64-mingw32-g++
dpkg-dev program dpkg-source
automake program aclocal
xvfb program Xvfb
libvulkan1 header vulkan/vulkan.h
mesa-vulkan-drivers header vulkan/vulkan.h
vulkan-validationlayers header vulkan/vulkan.h
libvkd3d-dev library libvkd3d
util-linux program unshare
'

# read_row PACKAGE: sets kind, name and what to its row
read_row() {
    kind=program
    name=$1
    what=
    local row
    row=$(grep -F "$1 " <<<"$package_rows" | awk -v package="$1" '$1 == package') || true
    [ -z "$row" ] || read -r _ kind name what <<<"$row"
}

# has_part KIND NAME: whether it is installed
has_part() {
    case $1 in
    program) [ -n "$(type -P "$2")" ] || [ -x "/usr/sbin/$2" ] || [ -x "/sbin/$2" ] ;;
    library) pkg-config --exists "$2" 2>/dev/null ;;
    header) printf '#include <%s>\n' "$2" | gcc -E -x c - >/dev/null 2>&1 ;;
    esac
}

# look_for WHY PACKAGE...: ends the script if a required package is missing, and describes each missing one. WHY says
# why the script cannot install them.
look_for() {
    local why=$1 package kind name what missing=() without=()
    shift
    for package in "$@"; do
        read_row "$package"
        ! has_part "$kind" "$name" || continue
        if [ -z "$what" ]; then
            missing+=("the $kind $name (Debian's package $package)")
        else
            without+=("without the $kind $name (Debian's package $package) $what is left out")
        fi
    done
    if [ "${#missing[@]}" -gt 0 ]; then
        printf '%s: error: %s; please install what is missing:\n' "${0##*/}" "$why" >&2
        printf '  %s\n' "${missing[@]}" >&2
        [ "${#without[@]}" = 0 ] || printf '%s\n' "${without[@]}" >&2
        exit 1
    fi
    [ "${#without[@]}" = 0 ] || printf "${0##*/}: %s\n" "${without[@]}"
}
