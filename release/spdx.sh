# shellcheck shell=bash
# What is inside a release, for scripts/release: a document in the JSON form of SPDX 2.3. It has each file of the
# source, each file that is published with its digest, the libraries that the programs were linked with, as the roots
# had them, and the Debian packages in the image.
#
# To be sourced after release/debian.sh; `root', `work', `output', `name', `commit', `tarball' and `suites' are those of
# scripts/release.
# shellcheck disable=SC2154

# licence_of SOURCE: the licence of a library that programs are linked with, by the name of its source in Debian.
# One that is not here must be looked at before it is published.
licence_of() {
    case $1 in
    glibc) echo LGPL-2.1-or-later ;;
    jansson | libuv1 | libxml2) echo MIT ;;
    libsodium) echo ISC ;;
    nettle) echo 'LGPL-3.0-or-later OR GPL-2.0-or-later' ;;
    libzstd) echo 'BSD-3-Clause OR GPL-2.0-only' ;;
    *) return 1 ;;
    esac
}

# spdx_sources: an array of {sha1, sha256, file} for each file of the source
spdx_sources() {
    (cd "$work/tree" && cut -c 67- <"$work/files" | tr '\n' '\0' | xargs -0 sha1sum) >"$work/files.sha1"
    paste -d ' ' <(cut -c 1-40 "$work/files.sha1") <(cut -c 1-64 "$work/files") <(cut -c 67- "$work/files") |
        jq -Rn '[inputs | capture("^(?<sha1>[0-9a-f]+) (?<sha256>[0-9a-f]+) (?<file>.*)$")]'
}

# spdx_linked: an array of {suite, file, soname, package, version, source, licence} for each package and library of it
spdx_linked() {
    local suite soname package version source licence
    for suite in "${suites[@]}"; do
        [ -f "$work/$suite/out/linked.txt" ] || continue
        while read -r soname package version source; do
            licence=$(licence_of "$source") ||
                die "release/spdx.sh has no licence for $source, whose $soname the programs for $suite are linked with"
            jq -cn --arg suite "$suite" --arg file "$(basename "$(package_of "$suite")")" --arg soname "$soname" \
                --arg package "$package" --arg version "$version" --arg source "$source" --arg licence "$licence" \
                '{$suite, $file, $soname, $package, $version, $source, $licence}'
        done <"$work/$suite/out/linked.txt"
    done >"$work/linked-rows"
    spdx_linked_for_windows >>"$work/linked-rows"
    jq -s . "$work/linked-rows"
}

# spdx_linked_for_windows: the same of the archive for Windows, in which all is linked statically
spdx_linked_for_windows() {
    local archive=("$output"/*-windows-x64.zip) package version licence
    [ -f "${archive[0]}" ] || return 0
    {
        tail -n +2 "$root/build/third_party/windows/versions.txt"
        dpkg-query -W -f '${Package} ${Version} ZPL-2.1\n' mingw-w64-x86-64-dev
        dpkg-query -W -f '${Package} ${Version} GPL-3.0-or-later WITH GCC-exception-3.1\n' gcc-mingw-w64-x86-64-win32-runtime
    } | while read -r package version licence; do
        jq -cn --arg file "${archive[0]##*/}" --arg package "$package" --arg version "$version" --arg licence "$licence" \
            '{suite: "bookworm", $file, soname: "", $package, $version, source: $package, $licence}'
    done
}

# spdx_in_image: an array of {package, version, source} for each package in the image
spdx_in_image() {
    if [ -f "$work/image-packages.txt" ]; then
        jq -Rn '[inputs | split(" ") | {package: .[0], version: .[1], source: .[2]}]' <"$work/image-packages.txt"
    else
        echo '[]'
    fi
}

# spdx_published: an array of {file, sha256} for each file that is there to be published
spdx_published() {
    local file
    for file in "$output"/topk-cts[-_]*; do
        case $file in
        *.spdx.json) ;;
        *) jq -cn --arg file "${file##*/}" --arg sha256 "$(digest_of "$file")" '{$file, $sha256}' ;;
        esac
    done | jq -s .
}

# write_spdx: the document, on standard output
write_spdx() {
    spdx_sources >"$work/spdx-sources"
    spdx_linked >"$work/spdx-linked"
    spdx_in_image >"$work/spdx-image"
    spdx_published >"$work/spdx-published"
    jq -n --arg name "$name" --arg commit "$commit" --arg holder "$(sed -n 's/^Copyright (c) [0-9, -]* //p' "$work/tree/LICENSE")" \
        --arg copyright "$(grep '^Copyright' "$work/tree/LICENSE")" --arg suite "${suites[-1]}" \
        --arg created "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)" \
        --arg code "$(cut -c 1-40 "$work/files.sha1" | sort | tr -d '\n' | sha1sum | cut -c 1-40)" \
        --slurpfile sources "$work/spdx-sources" --slurpfile linked "$work/spdx-linked" \
        --slurpfile image "$work/spdx-image" --slurpfile published "$work/spdx-published" '
        def id: gsub("[^A-Za-z0-9.]"; "-");
        def debian($suite; $package; $version): "SPDXRef-Debian-\($suite)-\($package | id)-\($version | id)";
        def relation($from; $type; $to): {spdxElementId: $from, relationshipType: $type, relatedSpdxElement: $to};
        def package_of_debian($suite; $row; $licence): {
            SPDXID: debian($suite; $row.package; $row.version), name: $row.package, versionInfo: $row.version,
            supplier: "Organization: Debian", downloadLocation: "NOASSERTION", filesAnalyzed: false,
            licenseConcluded: $licence, licenseDeclared: $licence, copyrightText: "NOASSERTION",
            comment: "of Debian \($suite), source package \($row.source)",
            externalRefs: [{referenceCategory: "PACKAGE-MANAGER", referenceType: "purl",
                referenceLocator: "pkg:deb/debian/\($row.package | @uri)@\($row.version | @uri)?distro=\($suite)"}]
        };
        ($sources[0]) as $sources | ($linked[0]) as $linked | ($image[0]) as $image | ($published[0]) as $published |
        "SPDXRef-source" as $source |
        {
            spdxVersion: "SPDX-2.3", dataLicense: "CC0-1.0", SPDXID: "SPDXRef-DOCUMENT", name: "topk-cts-\($name)",
            documentNamespace: "urn:topk-cts:spdx:\($name):\($commit)",
            creationInfo: {$created, creators: ["Organization: \($holder)", "Tool: scripts/release-\($name)"]},
            packages: ([
                {
                    SPDXID: $source, name: "topk-cts", versionInfo: $name, supplier: "Organization: \($holder)",
                    downloadLocation: "NOASSERTION", filesAnalyzed: true, sourceInfo: "commit \($commit)",
                    packageVerificationCode: {packageVerificationCodeValue: $code}, primaryPackagePurpose: "SOURCE",
                    licenseInfoFromFiles: ["MIT"],
                    licenseConcluded: "MIT", licenseDeclared: "MIT", copyrightText: $copyright
                }
            ] + [$published[] | {
                    SPDXID: "SPDXRef-File-\(.file | id)", name: .file, versionInfo: $name, packageFileName: .file,
                    supplier: "Organization: \($holder)", downloadLocation: "NOASSERTION", filesAnalyzed: false,
                    checksums: [{algorithm: "SHA256", checksumValue: .sha256}],
                    primaryPackagePurpose: (if .file | endswith(".oci.tar") then "CONTAINER"
                        elif .file | endswith(".deb") then "INSTALL" else "ARCHIVE" end),
                    # the image and the archive for Windows have parts with other licences
                    licenseConcluded: (if .file | test("[.](gz|deb)$") then "MIT" else "NOASSERTION" end),
                    licenseDeclared: (if .file | test("[.](gz|deb)$") then "MIT" else "NOASSERTION" end),
                    copyrightText: $copyright
                }
            ] + [
                ($linked | unique_by([.suite, .package, .version])[] |
                    package_of_debian(.suite; .; .licence)),
                ([$linked[] | debian(.suite; .package; .version)] as $known |
                    $image[] | select(.package != "topk-cts") |
                    select(debian($suite; .package; .version) | IN($known[]) | not) |
                    package_of_debian($suite; .; "NOASSERTION"))
            ]),
            files: [$sources[] | {
                SPDXID: "SPDXRef-Source-\(.sha1)-\(.file | id)", fileName: "./\(.file)",
                checksums: [{algorithm: "SHA1", checksumValue: .sha1}, {algorithm: "SHA256", checksumValue: .sha256}],
                licenseConcluded: "MIT", licenseInfoInFiles: ["NOASSERTION"], copyrightText: $copyright
            }],
            relationships: ([relation("SPDXRef-DOCUMENT"; "DESCRIBES"; $source)] + [
                ($published[] | "SPDXRef-File-\(.file | id)" as $it |
                    relation("SPDXRef-DOCUMENT"; "DESCRIBES"; $it),
                    relation($it; "GENERATED_FROM"; $source)),
                ($published[] | select(.file | test("[.](deb|zip)$")) | .file as $file | "SPDXRef-File-\($file | id)" as $it |
                    $linked | map(select(.file == $file)) | unique_by(.package)[] |
                    relation($it; (if $file | endswith(".zip") then "STATIC_LINK" else "DYNAMIC_LINK" end);
                        debian(.suite; .package; .version))),
                ($published[] | select(.file | endswith(".oci.tar")) | "SPDXRef-File-\(.file | id)" as $it |
                    $image[] | select(.package != "topk-cts") |
                    relation($it; "CONTAINS"; debian($suite; .package; .version))),
                ($sources[] | relation($source; "CONTAINS"; "SPDXRef-Source-\(.sha1)-\(.file | id)"))
            ])
        }'
}
