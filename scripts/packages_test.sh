#!/usr/bin/env bash
# Runs scripts/quickstart and scripts/test where there is no apt, or an apt that does not know all packages: they go on
# if what they need is installed, and report what is missing otherwise.
#   packages_test.sh BIN
set -u
# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "$0")/../conformance/cli/test/checks.sh"
begin BIN "$@"

# a folder with all programs of this machine except those of apt and dpkg, to be used as PATH
programs=$work/programs
mkdir "$programs"
IFS=: read -ra folders <<<"$PATH"
for folder in "${folders[@]}"; do
    find "$folder" -maxdepth 1 ! -type d ! -name 'apt*' ! -name 'dpkg*' -exec ln -st "$programs" {} + 2>/dev/null
done

# installs PACKAGES...: calls install_packages, as the scripts do
# shellcheck disable=SC2016 # the shell that is started expands it
installs() {
    env PATH="$programs" bash -euc 'root=$1
        shift
        . "$root/scripts/lib.sh"
        install_packages "$@"' installs "$root" "$@"
}

# without PROGRAM COMMAND...: runs a command while PROGRAM is missing
without() {
    local kept
    kept=$(readlink "$programs/$1")
    rm "$programs/$1"
    env PATH="$programs" "${@:2}"
    local code=$?
    ln -s "$kept" "$programs/$1"
    return $code
}

# shellcheck source=scripts/lib.sh
mapfile -t build < <(set +u; . "$root/scripts/lib.sh"; build_packages)
# shellcheck source=scripts/lib.sh
mapfile -t quick < <(. "$root/scripts/lib.sh"; quick_packages)

# ---- no apt -----------------------------------------------------------------------------------------------------------

check 'without apt, installed packages are accepted' 0 lacks error lacks 'left out' -- installs "${build[@]}" "${quick[@]}"
check 'without apt, a missing program is reported' 1 has 'this system has no apt' has "the program cmake (Debian's package cmake)" \
    lacks 'the program ninja' lacks 'the library' -- without cmake "$root/scripts/quickstart"
check 'without apt, a missing program of another name than its package is reported' 1 has "the program xmllint (Debian's package libxml2-utils)" \
    lacks 'cmake' -- without xmllint "$root/scripts/test" quick
check 'without apt, missing libraries are reported' 1 has "the library libuv (Debian's package libuv1-dev)" \
    has "the library jansson (Debian's package libjansson-dev)" lacks 'the program' \
    -- env PKG_CONFIG_LIBDIR=/nonexistent PATH="$programs" "$root/scripts/quickstart"
check 'without apt, a missing pkg-config is reported' 1 has "the program pkg-config (Debian's package pkg-config)" \
    -- without pkg-config "$root/scripts/quickstart"
rm "$programs/gcc"
printf '#!/bin/sh\nexit 1\n' >"$programs/gcc"
chmod +x "$programs/gcc"
check 'without apt, missing headers are reported' 1 has "the header stdio.h (Debian's package libc6-dev)" \
    -- env PATH="$programs" "$root/scripts/quickstart"
rm "$programs/gcc"
ln -s "$(type -P gcc)" "$programs/gcc"
mv "$programs/glslangValidator" kept
check 'without apt, a missing optional program is left out' 0 \
    has "without the program glslangValidator (Debian's package glslang-tools) the backend vulkan is left out" \
    -- installs "${build[@]}"
mv kept "$programs/glslangValidator"

# ---- an apt that does not know all packages -----------------------------------------------------------------------------

# No package is installed, and apt does not know packages whose name ends in 14; apt-get records what it should install.
cat >"$programs/dpkg-query" <<'END'
#!/bin/sh
exit 1
END
cat >"$programs/apt-cache" <<'END'
#!/bin/sh
shift
for name; do
    case $name in
    *14) ;;
    *) echo "$name | 1 | somewhere" ;;
    esac
done
END
cat >"$programs/apt-get" <<END
#!/bin/sh
echo "\$@" >>$work/asked
END
rm -f "$programs/sudo"
# shellcheck disable=SC2016 # the script that is written expands it
printf '#!/bin/sh\nexec "$@"\n' >"$programs/sudo"
chmod +x "$programs"/{dpkg-query,apt-cache,apt-get,sudo}
mv "$programs/clang-format-14" kept
check 'an optional package that apt does not know is left out' 0 has "without the program clang-format-14" has 'installing git jq' \
    lacks 'clang-tidy-14 (' -- installs git clang-format-14 clang-tidy-14 jq
mv kept "$programs/clang-format-14"
same 'apt installs the packages that it knows' 'git jq' "$(sed -n 's/^install .*recommends //p' asked)"
rm -f "$programs/clang-14"
check 'a required package that apt does not know is reported' 1 has "this system's apt does not know all packages" \
    has "the program clang-14 (Debian's package clang-14)" -- installs git clang-14

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
