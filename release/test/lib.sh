# shellcheck shell=bash
# What the tests of scripts/release share: copies of the tree as repositories of their own, and checks of the list of
# what is inside. To be sourced after checks.sh and begin.

# copy_tree FOLDER: a repository of one commit with the files of this tree, those that git does not know yet, too
copy_tree() {
    mkdir -p "$1"
    # shellcheck disable=SC2154 # of checks.sh
    (cd "$root" && git -c safe.directory='*' ls-files -z --cached --others --exclude-standard |
        while IFS= read -r -d '' file; do
            [ ! -e "$file" ] || printf '%s\0' "$file"
        done | tar -c --null -T -) | tar -x -C "$1"
    (
        cd "$1" && git init -q . && git config user.name 'A. Maintainer' && git config user.email a@example.org &&
            git config core.autocrlf false && git add -A && commit_tree 'The first'
    )
}

# commit_tree MESSAGE: of the repository that is the present folder, always at the same time
commit_tree() {
    GIT_AUTHOR_DATE='2026-02-03T04:05:06Z' GIT_COMMITTER_DATE='2026-02-03T04:05:06Z' git commit -q -a --allow-empty -m "$1"
}

# check_spdx FILE: holds it against the rules of SPDX 2.3 for documents, packages, files and relationships
check_spdx() {
    local wrong
    wrong=$(jq -r '
        def required($what; names): . as $it | names | select($it[.] == null) | "\($what) without \(.)";
        def ids: .SPDXID, .packages[].SPDXID, .files[].SPDXID;
        [ids] as $ids |
        required("document"; "spdxVersion", "dataLicense", "name", "documentNamespace", "creationInfo"),
        (select(.spdxVersion != "SPDX-2.3") | "not SPDX-2.3"),
        (.creationInfo.created | select(test("^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$") | not) | "a wrong date: \(.)"),
        (.packages[] | required("package \(.SPDXID)"; "name", "downloadLocation", "licenseConcluded", "licenseDeclared", "copyrightText")),
        (.packages[] | select(.filesAnalyzed and .packageVerificationCode == null) | "\(.SPDXID) without a verification code"),
        (.files[] | required("file \(.SPDXID)"; "fileName", "checksums", "licenseConcluded", "copyrightText")),
        (.files[] | select([.checksums[].algorithm] | index("SHA1") | not) | "\(.SPDXID) without a SHA1"),
        (ids | select(test("^SPDXRef-[A-Za-z0-9.-]+$") | not) | "a wrong id: \(.)"),
        ($ids | group_by(.)[] | select(length > 1) | "an id of two: \(.[0])"),
        (($ids | map({(.): true}) | add) as $known | .relationships[] | .spdxElementId, .relatedSpdxElement |
            select($known[.] | not) | "a relationship with what is not there: \(.)"),
        (select([.relationships[] | select(.relationshipType == "DESCRIBES")] == []) | "it describes nothing"),
        (.packages[], .files[] | .checksums[]? | select((.checksumValue | length) != {SHA1: 40, SHA256: 64}[.algorithm]) |
            "a wrong digest: \(.checksumValue)")' "$1" 2>&1)
    report "$wrong" "${1##*/} keeps the rules of SPDX"
}
