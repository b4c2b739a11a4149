#!/usr/bin/env bash
# Runs every step of the files for GitHub and GitLab, docs/ci/*.yml and docs/ci/action, in a repository as they ask for:
# this suite as its submodule, a clone of the source tree, and the example plugin as what is tested. What these systems
# and their actions do is done here by steps.mjs; apt-get, which needs a network, notes only what it is asked for.
#   steps_test.sh DIR SOURCE
# where DIR holds topk-cts, which makes a baseline. Prints a line a check.
set -u

if [ $# -ne 2 ] || [ ! -x "$1/topk-cts" ] || [ ! -d "$2/docs/ci" ]; then
    echo "usage: $0 DIR SOURCE" >&2
    exit 2
fi
for tool in node jq perl git cmake ninja minisign; do
    if ! type -P $tool >/dev/null; then
        echo "$tool is missing: nothing is checked without it" >&2
        exit 1
    fi
done
bin=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset TOPK_WORKER TOPK_BACKEND NO_COLOR
export LC_ALL=C
# shellcheck source=conformance/cli/test/checks.sh
. "$source/conformance/cli/test/checks.sh"
# shellcheck source=scripts/lib.sh
. "$source/scripts/lib.sh"
set +e

json() {
    perl -MCPAN::Meta::YAML -MJSON::PP -e \
        'print encode_json(CPAN::Meta::YAML->read($ARGV[0])->[0])' "$1"
}
for file in github gitlab action/action; do
    json "$source/docs/ci/$file.yml" >"${file##*/}.json"
done

# ---- pins ---------------------------------------------------------------------------------------------------------

same 'actions are pinned by commit' '' \
    "$(jq -r '.. | .uses? // empty' github.json action.json | grep -vE '^(actions/[a-z-]+@[0-9a-f]{40}|[.]/.*)$')"
same 'the version stands beside each' '' \
    "$(grep -h 'uses: actions/' "$source/docs/ci/github.yml" "$source/docs/ci/action/action.yml" | grep -vE ' # v[0-9.]+$')"
same 'one commit an action' '' "$(jq -r '.. | .uses? // empty' github.json action.json | sort -u | sed 's/@.*//' | uniq -d)"
same 'images are pinned by digest' '' "$(jq -r '.. | .image? // empty' gitlab.json | grep -vE '@sha256:[0-9a-f]{64}$')"

# ---- a repository -------------------------------------------------------------------------------------------------

# the tree as it is, in a commit of its own
mkdir -p project/conformance
git clone -q --local "$source" project/topk-cts
(cd "$source" && git ls-files -z --cached --others --exclude-standard -- . | xargs -0 cp --parents -t "$work/project/topk-cts" 2>/dev/null)
(cd project/topk-cts && git add -A &&
    git -c user.name=test -c user.email=test@example.com commit -q --allow-empty -m 'as it is')
cp "$source/docs/example-plugin/example.c" project/mine.c
echo '# none' >project/conformance/expectations.txt

mkdir tools
cat >tools/apt-get <<'END'
#!/bin/sh
echo "$*" >>"$APT_LOG"
END
cat >tools/sudo <<'END'
#!/bin/sh
exec "$@"
END
chmod +x tools/*
export APT_LOG=$work/apt PATH=$work/tools:$PATH

# steps SYSTEM ARGUMENT...: what steps.mjs prints is in the file `ran'
steps() {
    : >apt
    node "$source/docs/ci/steps.mjs" "$1" "$work" "$1.json" "${@:2}" >ran 2>log.mjs || cat log.mjs
}
# installed: the packages that apt-get was asked for
installed() {
    sed -n 's/^install //p' apt | tr ' ' '\n' | grep -v '^-' | sort -u | paste -sd' '
}
packages=$(build_packages | grep -vx npm | sort | paste -sd' ')

# ---- GitHub -------------------------------------------------------------------------------------------------------

export GITHUB_ACTIONS=true
steps github action.json
check 'GitHub: the jobs are good' 0 has 'job shard good' has 'job conformance good' lacks bad -- cat ran
[ "$failed" = 0 ] || tail -n 60 log
same 'GitHub: each step ran' \
    "$(jq -r '.. | select(.run? and .name?) | .name' github.json action.json | sort -u | tr ' ' '-')" \
    "$(sed -n 's/^step [^ ]* \([^ ]*\) .*/\1/p' ran | sort -u)"
same 'GitHub: built once, then from the cache' 1 "$(grep -c ' Build 0$' ran)"
same 'GitHub: packages to build with' "$packages" "$(installed)"
check 'GitHub: the verdict is of the whole' 0 has 'CONFORMANT' lacks 'NOT CONFORMANT' -- cat log
check 'GitHub: annotation' 0 has '::notice title=topk-cts::CONFORMANT' -- cat log
check 'GitHub: no baseline is said' 0 has 'There is no conformance/baseline.tar' -- cat log
check 'GitHub: job summary' 0 has '## CONFORMANT' -- cat summary.md
for file in report.html results.sarif junit.xml results.jsonl; do
    check "GitHub: keeps $file" 0 -- test -s "artifacts/topk-cts/$file"
done
# a backend that is worse than the baseline
minisign -G -W -p key.pub -s key.sec >log.mjs
"$bin/topk-cts" run --backend cpu --profile peers --out before >log.mjs 2>&1
check 'a baseline' 0 -- "$bin/topk-cts" package before --sign key.sec --output project/conformance/baseline.tar
rm -r artifacts summary.md log
steps github action.json backend=faulty:B26 profile=peers
check 'GitHub: a worse backend fails both jobs' 0 has 'job shard bad' has 'job conformance bad' -- cat ran
same 'GitHub: merge, report and compare all run' 'Merge 1,Report 0,Compare 1' \
    "$(sed -n 's/^step conformance \(Merge\|Report\|Compare\) /\1 /p' ran | paste -sd,)"
check 'GitHub: its annotations' 0 has '::error title=topk-cts::NOT CONFORMANT' has '::error title=fail S08%2C' -- cat log
check 'GitHub: its summary' 0 has '## NOT CONFORMANT' -- cat summary.md
rm -r artifacts project/conformance/baseline.tar log

# ---- GitLab -------------------------------------------------------------------------------------------------------

# what was built for GitHub is there, but not the note of which commit it is, so the build is asked for again
commit=$(git -C project/topk-cts rev-parse HEAD)
steps gitlab
check 'GitLab: the jobs are good' 0 has 'job topk-cts-shard good' has 'job topk-cts good' lacks bad -- cat ran
[ "$failed" = 0 ] || tail -n 60 log
same 'GitLab: built once, then from the cache' 1 "$(grep -c '^-- Build files have been written' log)"
same 'GitLab: the cache has the commit' "$commit" "$(cat cache-topk-cts/topk-cts/build/ci/commit)"
same 'GitLab: packages to build with' "$(printf '%s\n' git "$packages" | tr ' ' '\n' | sort | paste -sd' ')" "$(installed)"
check 'GitLab: the verdict is of the whole' 0 has 'CONFORMANT' lacks 'NOT CONFORMANT' -- cat log
for file in report.html results/results.jsonl results/junit.xml; do
    check "GitLab: keeps $file" 0 -- test -s "artifacts/$file"
done

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
