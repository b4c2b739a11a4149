#!/usr/bin/env bash
# scripts/release: what it refuses, and the files that it makes without a Debian root. clean_root_test.sh tests the rest.
# Run as
#   release_test.sh BIN
# where BIN holds topk-cts and its programs. Prints a line a check.
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../conformance/cli/test/checks.sh"
begin BIN "$@"
# shellcheck source=release/test/lib.sh
. "$root/release/test/lib.sh"
need git jq minisign

copy_tree first
cd first || exit 1
said=$work
version=$(sed -n 's/^project(topk-cts VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
tag=v$version
grep -q "^## $version\$" CHANGELOG.md || sed -i "s/^## Unreleased\$/## $version/" CHANGELOG.md
commit_tree 'The section of the release'
release=scripts/release

echo '# command lines'
check '--help' 0 has 'usage: scripts/release' -- $release --help
check 'no tag' 2 has 'no tag' -- $release
check 'two tags' 2 has "unexpected argument 'b'" -- $release a b
check 'a tag and --head' 2 has 'exclude each other' -- $release --head v1
check 'no such option' 2 has "unknown option '--bad'" -- $release --bad
check 'no such part' 2 has "there is no part 'rpm'" -- $release --head --only source,rpm
check 'no such Debian' 2 has "there is no 'sarge' here" -- $release --head --debian sarge
check 'an option without its value' 2 has "'--key' needs a value" -- $release --head --key
check 'no such key' 1 has 'there is no file none.key' -- $release --head --key none.key

echo '# what is no release'
check 'no such tag' 1 has "there is no tag 'v9.9.9'" -- $release --only source v9.9.9
git tag v9.9.9
check 'a tag of another version' 1 has "CMakeLists.txt has version $version, of which the tag is '$tag'" -- $release --only source v9.9.9
git tag "$tag"
echo '# changed' >>README.md
check 'a file that was changed' 1 has 'not as they were committed' has README.md -- $release --only source "$tag"
check 'so too with --head' 1 has README.md -- $release --only source --head
commit_tree 'Another commit'
check 'a tag that is not checked out' 1 has "$tag is not checked out" -- $release --only source "$tag"
sed -i "s/^## $version\$/## 0.0.1/" CHANGELOG.md
commit_tree 'No section'
git tag -f "$tag" >/dev/null
check 'a changelog without the version' 1 has "there is nothing in a section '## $version'" -- $release --only source "$tag"
sed -i "s/^## 0.0.1\$/## $version\n\n## 0.0.1/" CHANGELOG.md
commit_tree 'An empty section'
git tag -f "$tag" >/dev/null
check 'or with nothing about it' 1 has "there is nothing in a section '## $version'" -- $release --only source "$tag"
sed -i 's/ VERSION [0-9.]* LANG/ LANG/' CMakeLists.txt
commit_tree 'No version'
git tag -f "$tag" >/dev/null
check 'no version' 1 has 'project() has no VERSION' -- $release --only source "$tag"
check 'nothing was made' 1 -- test -e build/releases
mkdir ../outside
tar -c --exclude=.git . | tar -x -C ../outside
check 'what is no checkout' 1 has 'is not a checkout of git' -- ../outside/$release --only source "$tag"

echo '# the same files from another folder, at another time'
cd "$work" || exit 1
rm -rf first
copy_tree first
(
    cd first || exit 1
    grep -q "^## $version\$" CHANGELOG.md || sed -i "s/^## Unreleased\$/## $version/" CHANGELOG.md
    commit_tree 'The section of the release'
    git tag "$tag"
)
git clone -q first 'second copy/of it'
minisign -G -W -p release.pub -s release.sec >/dev/null || exit 1
check 'made' 0 has 'there is no --key: SHA256SUMS is not signed' -- first/$release --only source "$tag"
made=$work/first/build/releases/$version
check 'made again' 0 lacks 'not signed' -- \
    env TZ=Asia/Tokyo LC_ALL=C.UTF-8 bash -c "umask 077; 'second copy/of it/$release' --only source --key release.sec --output again '$tag'"
same 'they are' "$(cd "$made" && echo *)" "SHA256SUMS release-notes.md topk-cts-$version.spdx.json topk-cts-$version.tar.gz"
for file in "$made"/*; do
    check "${file##*/} is the same" 0 -- cmp "$file" "again/${file##*/}"
done
check 'not over others' 1 has 'is not empty' -- first/$release --only source "$tag"

echo '# digests, signature, notes'
check 'the digests' 0 -- sh -c 'cd again && sha256sum --strict -c SHA256SUMS'
same 'of all files but two' "$(cut -c 67- again/SHA256SUMS)" "$(cd again && find . -type f ! -name "SHA256SUMS*" -printf "%P\n" | sort)"
check 'the signature' 0 has "Trusted comment: topk-cts $version" -- minisign -V -m again/SHA256SUMS -p release.pub
echo >>again/SHA256SUMS
check 'of nothing else' 1 -- minisign -V -m again/SHA256SUMS -p release.pub
same 'the notes' "$(cat "$made/release-notes.md")" \
    "$(awk -v name="## $version" '/^## / { on = $0 == name; next } on' first/CHANGELOG.md | sed '1{/^$/d}')"

echo '# the source'
tar -xzf "$made/topk-cts-$version.tar.gz"
source=$work/topk-cts-$version
same 'has the files of the commit and one more' "$(cd "$source" && find . -type f -printf '%P\n' | sort)" \
    "$({ git -C first ls-files && echo cmake/source-revision.txt; } | sort)"
same 'each as in the commit' "$(diff -r --exclude=.git --exclude=build --exclude=source-revision.txt first "$source")" ''
same 'no owner, and the time of the commit' "$(tar --utc --full-time -tvzf "$made/topk-cts-$version.tar.gz" |
    awk '{ print $2, $4, $5 }' | sort -u)" 'root/root 2026-02-03 04:05:06'
commit=$(git -C first rev-parse HEAD)

# revision: what a build of $source says of it
revision() {
    cmake -D SOURCE="$source" -D OUTPUT="$work/revision.h" -P "$source/cmake/revision.cmake" >&2 || return
    sed -n 's/^#define TOPK_REVISION "\(.*\)"/\1/p' revision.h
}
same 'what is built of it names the commit' "$(revision)" "$commit"
same 'and its time' "$(sed -n 's/.*TOPK_REVISION_TIME //p' revision.h)" "$(git -C first show -s --format=%ct)"
echo >>"$source/reference/judge.c"
same 'a file that is changed is told' "$(revision)" "$commit-modified"
cp first/reference/judge.c "$source/reference/judge.c"
same 'and one that is as it was' "$(revision)" "$commit"
mv "$source/README.md" "$source/README"
same 'a file that is missing' "$(revision)" "$commit-modified"
sed -i 1d "$source/cmake/source-revision.txt"
# CMake breaks the lines of a message, where depends on the folder
# shellcheck disable=SC2016 # for the other shell
check 'a malformed list' 1 has "source-revision.txt:1: no line" -- bash -c 'set -o pipefail
    cmake -D SOURCE="$0" -D OUTPUT=revision.h -P "$0/cmake/revision.cmake" 2>&1 | tr -s "[:space:]" " "' "$source"

echo '# what is inside'
spdx=$made/topk-cts-$version.spdx.json
check_spdx "$spdx"
same 'each file of the source' "$(jq -r '.files[].fileName' "$spdx" | sort)" \
    "$(git -C first ls-files | sed 's#^#./#' | sort)"
same 'with its digest' "$(jq -r '.files[] | select(.fileName == "./LICENSE").checksums[] | .checksumValue' "$spdx" | paste -sd ' ')" \
    "$(sha1sum <first/LICENSE | cut -d ' ' -f 1) $(sha256sum <first/LICENSE | cut -d ' ' -f 1)"
same 'the tarball, with its digest' \
    "$(jq -r '.packages[] | select(.packageFileName) | "\(.checksums[0].checksumValue)  \(.packageFileName)"' "$spdx")" \
    "$(grep tar.gz "$made/SHA256SUMS")"

echo '# a trial'
check '--head' 0 has "topk-cts $version+g${commit:0:12}" -- first/$release --head --only source --output trial
check 'is called so' 0 -- test -f "trial/topk-cts-$version+g${commit:0:12}.tar.gz"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
