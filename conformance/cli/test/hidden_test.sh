#!/usr/bin/env bash
# External text with hidden characters, in every field that accepts text and in every output: no hidden character
# reaches a terminal or a report unescaped. Run as
#   hidden_test.sh BIN
# where BIN holds topk-cts, topk-worker and topk-backend. hidden.mjs says what is hidden, by the tables of Node.
set -u

# shellcheck source=conformance/cli/test/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
begin BIN "$@"
need node
hidden() { node "$tests/hidden.mjs" "$@"; }
mkdir said
evil=$(hidden string)
word=$(hidden word)
name=$(printf '%s' "$evil" | tr -d '\n/' | head -c 120)

# take CODES COMMAND...: keeps the output of a command, which must exit with one of CODES. tell: the output must
# also have a part of the text.
count=0
wrong=''
take() {
    local codes=" $1 " code
    shift
    count=$((count + 1))
    "$@" >"said/$count.out" 2>"said/$count.err"
    code=$?
    [[ $codes == *" $code "* ]] || wrong+="exit code $code of ${*:2:3}: $(tail -c 200 "said/$count.err")"$'\n'
}
tell() {
    take "$@"
    shift
    grep -aq evil "said/$count.out" "said/$count.err" || wrong+="nothing of the text in what ${*:2:3} says"$'\n'
}
# settle WHAT: checks what was kept since the last call
settle() {
    report "$wrong" "$1: commands exit as expected and show the text"
    wrong=$(hidden look said/*)
    report "$wrong" "$1: no hidden character in the output"
    rm -rf said
    mkdir said
    wrong=''
}

same 'the table of hidden characters agrees with Unicode' "$(hidden table "$root/reports/log/text.c")" ''

# ---- text from a worker --------------------------------------------------------------------------

cat >worker.sh <<'WORKER'
echo "topk-worker 1 name=$1 version=$1 device=$1 driver=$1 features=$1 level=5.0 flags=10 batch=1 own=$1"
while read -r what n; do
    case $what in
    probes) printf 'begin 0 1\ndone 0 probes=a.b\n' ;;
    probe) printf 'begin 0 1\ndone 0 verdict=violation value=%s detail=%s\n' "${1:0:30}" "${1:0:30}" ;;
    batch)
        i=0
        while [ $i -lt "$n" ]; do
            read -r text
            echo "begin $i 1"
            case $text in
            *k=1*) echo "done $i unsupported clause=- obs=0 ns=1 why=$1" ;;
            *) echo "done $i error clause=- obs=0 ns=1 why=$1" ;;
            esac
            i=$((i + 1))
        done ;;
    *) exit 0 ;;
    esac
done
WORKER
worker="bash $work/worker.sh $(printf %q "$word")"
tell '1' "$cts" run examples.documents --worker "$worker" --no-identity --retries 0 --out worker
tell '1' "$cts" replay --worker "$worker" 'examples.documents:top_k fl=2.0 in=f32[1,1,3,2] axis=3 k=2 data=zeros.1:559542'
tell '4' "$cts" run examples.documents --worker "echo unavailable $(printf %q "$word")" --out none
tell '3 4' "$cts" run examples.documents --worker "echo topk-worker 1 $(printf %q "$evil")" --out none
settle 'a worker'

# ---- text from a log -----------------------------------------------------------------------------

for log in "$root"/corpus/formats/*.jsonl worker/results.jsonl; do
    poisoned=$(basename "${log%/results.jsonl}" .jsonl).jsonl
    hidden poison "$log" "$poisoned"
done
for log in fails.1 crash.1 probes.1 told.1; do
    for format in html junit json markdown github sarif matrix matrix-csv; do
        tell 0 "$cts" report "$log.jsonl" --format $format
    done
done
for format in text html json; do
    tell '0 1' "$cts" compare fails.1.jsonl crash.1.jsonl --format "$format"
done
tell '0 1' "$cts" expectations update fails.1.jsonl
tell '0 1 3 5' "$cts" merge shard1.1.jsonl shard2.1.jsonl --out "$name"
tell 2 "$cts" merge shard1.1.jsonl "$root/corpus/formats/shard2.1.jsonl" --out none
tell '2 3' "$cts" run examples.documents --backend cpu --no-identity --out "$name" --resume
settle 'a log'

# ---- text from the command line, and names of files ----------------------------------------------

for command in run replay shrink explore report compare merge package verify list spec export expectations contract probe trust; do
    tell '1 2 3 4 5' "$cts" $command "--$evil"
    take '1 2 3 4 5' "$cts" $command "$evil"
done
tell 2 "$cts" "$evil"
take 2 "$cts" "-$evil"
for option in --jobs --timeout --shard --feature-level --seed --profile --require --contract --expectations --backend --backend-command --worker; do
    take '2 3 4' "$cts" run examples.documents --no-identity --out none "$option" "$evil"
done
mkdir -p "$name"
tell 0 "$cts" run examples.documents --backend cpu --no-identity --out "$name/run"
tell 2 "$cts" run examples.documents --backend cpu --no-identity --out "$name/run"
tell '0 1 2 3' "$cts" verify "$name/run/junit.xml"
tell 1 "$cts" run floats.zeros --backend faulty:B26 --out "$name/run" --overwrite --shrink
take 0 "$cts" report "$name/run" --format html
take 0 "$cts" report "$name/run" --format markdown
printf '%s\n' "select=floats.zeros owner=x reason=\"${evil//[$'\n\r"']/}\" link=\"${evil//[$'\n\r"']/}\"" >"$name/known.txt"
tell '0 1 2' "$cts" run floats.zeros --backend faulty:B26 --no-identity --out known --expectations "$name/known.txt"
cat >"$name/declared.txt" <<RULES
name=${evil//[$'\n\r']/}
source=${evil//[$'\n\r']/}
ties=any
RULES
take '0 2' "$cts" contract "$name/declared.txt"
take '0 1 2' "$cts" run floats.zeros --backend cpu --no-identity --out declared --contract "$name/declared.txt"
printf 'rule %s\n' "$evil" >"$name/rules.txt"
tell 2 "$cts" contract "$name/rules.txt"
tell '2 3 5' "$cts" replay --backend cpu --file "$name/known.txt"
settle 'the command line'

echo "passed $passed, failed $failed"
[ "$failed" -eq 0 ]
