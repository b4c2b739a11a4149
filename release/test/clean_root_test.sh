#!/usr/bin/env bash
# A whole release, made twice in clean roots of Debian, is the same to the last bit; its packages install in new roots
# and work there, and its image runs. Takes root, and a network for Debian's packages.
# Run as
#   clean_root_test.sh BIN
# where BIN holds topk-cts and its programs. Prints a line a check.
# shellcheck disable=SC2016,SC2031 # other shells and jq expand; the names of subshells are theirs
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../conformance/cli/test/checks.sh"
begin BIN "$@"
# shellcheck source=release/test/lib.sh
. "$root/release/test/lib.sh"
(
    set -euo pipefail
    # shellcheck source=scripts/lib.sh
    . "$root/scripts/lib.sh"
    install_packages git jq minisign mmdebstrap lintian umoci runc
) || exit 1
if [ "$(id -u)" != 0 ]; then
    echo 'this test takes root: it installs packages in roots of Debian' >&2
    exit 1
fi
said=$work
# a root that did not come to its end may still have file systems of this machine in it
trap 'rm -rf --one-file-system "$work"' EXIT

copy_tree first
git clone -q first 'second copy/of it'
commit=$(git -C first rev-parse HEAD)
version=$(sed -n 's/^project(topk-cts VERSION \([0-9.]*\) .*/\1/p' first/CMakeLists.txt)+g${commit:0:12}

echo '# made twice'
started=$SECONDS
check 'a release' 0 -- first/scripts/release --head --output one
took=$((SECONDS - started))
echo "it took $took seconds"
check 'is made again, in another folder, at another time' 0 -- \
    env TZ=Asia/Tokyo LC_ALL=C.UTF-8 HOME=/nonexistent bash -c "umask 077; 'second copy/of it/scripts/release' --head --output two"
for file in "topk-cts-$version.tar.gz" "topk-cts_$version-1~deb12_amd64.deb" "topk-cts_$version-1~deb13_amd64.deb" \
    "topk-cts-$version-amd64.oci.tar" "topk-cts-$version.spdx.json" release-notes.md SHA256SUMS; do
    check "$file is the same" 0 -- cmp "one/$file" "two/$file"
done
same 'there is nothing else that differs' "$(diff -r one two)" ''
check_spdx "one/topk-cts-$version.spdx.json"

# in_root COMMAND...: in the root of the package under test
in_root() {
    unshare --mount --pid --fork --mount-proc="$work/root/proc" chroot "$work/root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"
}

# The functions of scripts/release make the roots, with apt in them and with gcc for a plugin.
# new_root SUITE PACKAGE: its root, where that file is installed by apt
new_root() (
    set -euo pipefail
    # shellcheck source=scripts/lib.sh
    . "$root/scripts/lib.sh"
    # shellcheck source=release/debian.sh
    . "$root/release/debian.sh"
    rm -rf --one-file-system "$work/root"
    make_root "$1" "$work/root" --variant=apt --include=gcc,libc6-dev,pkg-config \
        --customize-hook="upload '$2' /topk-cts.deb" \
        --customize-hook='chroot "$1" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends /topk-cts.deb'
)

for suite in 12:bookworm 13:trixie; do
    deb=$work/one/topk-cts_$version-1~deb${suite%:*}_amd64.deb
    suite=${suite#*:}
    echo "# Debian $suite"
    check 'lintian has no complaint' 0 lacks E: lacks W: -- lintian --allow-root --fail-on error,warning "$deb"
    check 'apt installs the package' 0 -- new_root "$suite" "$deb"
    [ -x root/usr/bin/topk-cts ] || continue
    check 'it says its version' 0 has "topk-cts ${version%+*}" -- in_root topk-cts --version
    check 'its libraries are there' 0 lacks 'not found' -- in_root ldd /usr/bin/topk-cts /usr/bin/topk-worker /usr/bin/topk-backend
    for page in topk-cts topk-cts-run topk-worker topk-backend; do
        check "the page of $page" 0 -- test -f "root/usr/share/man/man1/$page.1.gz"
    done
    check 'the licence' 0 has 'License: Expat' has 'Permission is hereby granted' -- cat root/usr/share/doc/topk-cts/copyright
    check 'profile core on cpu' 0 has CONFORMANT: -- in_root topk-cts run --backend cpu --jobs 2 --out /results
    same 'the log names version and commit' "$(head -n 1 root/results/results.jsonl | jq -r '"\(.suite) \(.revision)"')" \
        "${version%+*} $commit"
    cp "$root/docs/example-plugin/example.c" root/example.c
    check 'a plugin is compiled with the header' 0 -- \
        in_root sh -c 'gcc -std=c17 -O2 -fPIC -shared $(pkg-config --cflags topk-cts) -o /example.so /example.c'
    check 'and tested' 0 has PASSED -- in_root topk-cts run --backend /example.so examples --out /plugin
    check 'the versions that it was linked with are in the list' 0 -- jq -e --arg suite "$suite" '
        [.packages[] | select(.comment // "" | startswith("of Debian \($suite),")) | .name] as $names |
        ["jansson", "nettle", "sodium", "uv", "xml2", "zstd"] | all(. as $library | any($names[]; test("^lib\($library)[0-9a-z]*$")))' \
        "one/topk-cts-$version.spdx.json"
    # what the archive for Windows has in it is of Debian, too, but linked statically, and in no root
    jq -r --arg suite "$suite" '[.relationships[] | select(.relationshipType == "DYNAMIC_LINK") | .relatedSpdxElement] as $linked |
        .packages[] | select(.SPDXID | IN($linked[])) |
        select(.comment // "" | startswith("of Debian \($suite),")) | "\(.name) \(.versionInfo)"' \
        "one/topk-cts-$version.spdx.json" | sort >listed
    same 'as this root has them' "$(xargs -n 2 sh -c 'chroot root dpkg-query -W -f "\${Package} \${Version}\n" "$0"' <listed)" "$(cat listed)"
    check 'it is removed' 0 -- in_root dpkg --purge topk-cts
    same 'and leaves nothing' "$(find root -xdev \( -name '*topk*' -o -name '*.topk*' \) -not -path root/topk-cts.deb \
        -not -path 'root/var/*' -not -path 'root/results/*' -not -path 'root/plugin/*')" ''
done

echo '# the image'
mkdir layout
check 'is an archive of a layout' 0 -- tar -xf "one/topk-cts-$version-amd64.oci.tar" -C layout
check 'umoci unpacks it' 0 -- umoci unpack --image "layout:topk-cts:${version/+/-}" bundle
same 'its entry point, and who runs it' "$(jq -r '.process | "\(.args[0]) \(.user.uid)"' bundle/config.json)" 'topk-cts 1000'
same 'nothing of this machine is in it' \
    "$(cd bundle/rootfs || echo none; ls -A etc/apt/sources.list* etc/apt/sources.list.d etc/resolv.conf etc/hostname 2>/dev/null)" ''
same 'the list of what is inside has its packages' \
    "$(jq -r '.relationships[] | select(.relationshipType == "CONTAINS" and (.spdxElementId | endswith("oci.tar"))) | .relatedSpdxElement' \
        "one/topk-cts-$version.spdx.json" | wc -l)" \
    "$(($(chroot bundle/rootfs dpkg-query -W | wc -l) - 1))"

# ran ARGUMENT...: what the entry point does with them in a container
ran() {
    jq '.process.terminal = false | .process.args = ["topk-cts"] + $ARGS.positional' bundle/config.json --args -- "$@" >config.json &&
        mv config.json bundle/config.json && runc run --bundle bundle "topk-cts-test-$$"
}
check 'runc runs it' 0 has "topk-cts ${version%+*}" -- ran --version
check 'profile core on cpu, in the image' 0 has CONFORMANT: -- ran run --backend cpu --jobs 2 --out /tmp/results

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
