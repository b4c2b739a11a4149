# shellcheck shell=bash
# The image for containers that scripts/release makes: one layer, a small Debian with the package installed, as an OCI
# layout in a tar archive. No registry is asked and no daemon is needed.
#
# To be sourced after release/debian.sh; `work', `output', `name' and `commit' are those of scripts/release.
# shellcheck disable=SC2154

# add_blob FILE: moves it to where the layout wants it, and prints the descriptor of it without its type
add_blob() {
    local digest size
    digest=$(digest_of "$1")
    size=$(stat -c %s "$1")
    mv "$1" "$work/layout/blobs/sha256/$digest"
    jq -cn --arg digest "sha256:$digest" --argjson size "$size" '{$digest, $size}'
}

# make_layer SUITE: $work/layer.tar, and $work/image-packages.txt, a line PACKAGE VERSION SOURCE for each package in it
make_layer() {
    local suite=$1 deb dependencies
    deb=$(package_of "$suite")
    # the names alone: the root has one version of each
    dependencies=$(dpkg-deb -f "$deb" Depends | tr ',' '\n' | sed 's/^ *\([^ ]*\).*/\1/' | paste -sd ,)
    # Who is in the image is not root, from whom the judge could not be kept apart.
    # shellcheck disable=SC2016 # mmdebstrap's shell expands it
    make_root "$suite" "$work/layer.tar" --format=tar --variant=essential --include="$dependencies" \
        --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
        --dpkgopt='path-exclude=/usr/share/info/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
        --dpkgopt='path-include=/usr/share/doc/*/copyright' --dpkgopt='path-include=/usr/share/doc/topk-cts/*' \
        --customize-hook="upload '$deb' /topk-cts.deb" \
        --customize-hook='chroot "$1" dpkg -i /topk-cts.deb && rm "$1/topk-cts.deb"' \
        --customize-hook='chroot "$1" dpkg-query -W -f "\${Package} \${Version} \${source:Package}\n" >"$1/packages"' \
        --customize-hook="download /packages '$work/image-packages.txt'" \
        --customize-hook='rm "$1/packages"' \
        --customize-hook='echo "topk:x:1000:1000:topk-cts:/work:/bin/sh" >>"$1/etc/passwd"; echo "topk:x:1000:" >>"$1/etc/group"' \
        --customize-hook='mkdir "$1/work"; chown 1000:1000 "$1/work"' \
        --customize-hook='cd "$1/etc" && rm -rf apt/sources.list* apt/apt.conf.d/99mmdebstrap dpkg/dpkg.cfg.d/99mmdebstrap' \
        --customize-hook='cd "$1" && rm -rf etc/hostname etc/resolv.conf etc/*- var/log/* var/cache/debconf/*' \
        --skip=output/dev
}

# make_image SUITE: the archive, in $output
make_image() {
    local suite=$1 architecture plain layer config manifest created
    say "making the image"
    make_layer "$suite"
    architecture=$(dpkg-deb -f "$(package_of "$suite")" Architecture)
    created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
    mkdir -p "$work/layout/blobs/sha256"
    plain=$(digest_of "$work/layer.tar")
    gzip -9n "$work/layer.tar"
    layer=$(add_blob "$work/layer.tar.gz")
    # Debian's and OCI's names of architectures agree where packages are made
    jq -cn --arg created "$created" --arg architecture "$architecture" --arg plain "sha256:$plain" --arg version "$name" \
        --arg commit "$commit" '{
            $created, $architecture, os: "linux",
            config: {
                User: "1000:1000", WorkingDir: "/work", Entrypoint: ["topk-cts"], Cmd: ["--help"],
                Env: ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"],
                Labels: {
                    "org.opencontainers.image.title": "topk-cts",
                    "org.opencontainers.image.description": "conformance tests for the top-K operators of DirectML",
                    "org.opencontainers.image.version": $version,
                    "org.opencontainers.image.revision": $commit,
                    "org.opencontainers.image.licenses": "MIT"
                }
            },
            rootfs: {type: "layers", diff_ids: [$plain]},
            history: [{$created, created_by: "scripts/release"}]
        }' >"$work/config.json"
    config=$(add_blob "$work/config.json")
    jq -cn --argjson config "$config" --argjson layer "$layer" '{
            schemaVersion: 2, mediaType: "application/vnd.oci.image.manifest.v1+json",
            config: ({mediaType: "application/vnd.oci.image.config.v1+json"} + $config),
            layers: [{mediaType: "application/vnd.oci.image.layer.v1.tar+gzip"} + $layer]
        }' >"$work/manifest.json"
    manifest=$(add_blob "$work/manifest.json")
    jq -cn --argjson manifest "$manifest" --arg architecture "$architecture" --arg tag "topk-cts:${name/+/-}" '{
            schemaVersion: 2, mediaType: "application/vnd.oci.image.index.v1+json",
            manifests: [{mediaType: "application/vnd.oci.image.manifest.v1+json"} + $manifest + {
                platform: {$architecture, os: "linux"},
                annotations: {"org.opencontainers.image.ref.name": $tag}
            }]
        }' >"$work/layout/index.json"
    printf '{"imageLayoutVersion":"1.0.0"}' >"$work/layout/oci-layout"
    tar -C "$work/layout" --format=gnu --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
        --mode=u=rwX,go=rX -cf "$output/topk-cts-$name-$architecture.oci.tar" blobs index.json oci-layout
}
