#!/bin/sh
# A worker for the tests of topk-cts: fake_worker.sh HOW [LEVEL [VERDICT]] answers each case as HOW says. LEVEL is its
# feature level.

answer() {
    case $how in
    pass) echo "done $1 pass clause=- obs=0 ns=1" ;;
    # text that tries to control the terminal or to forge a line
    forge) echo "done $1 ${2:-unsupported} clause=- obs=0 ns=1 why=%1B[2Jno%0ACONFORMANT:%20all%C3%A9" ;;
    # serves only calls that must be refused
    idle)
        eval "text=\$t$1"
        # shellcheck disable=SC2154 # eval sets it
        case $text in
        *' k=0 '*) echo "done $1 pass clause=- obs=0 ns=1" ;;
        *) echo "done $1 unsupported clause=- obs=0 ns=1 why=not%20today" ;;
        esac
        ;;
    # claims what only a pass can have
    lie) echo "done $1 unsupported clause=- obs=0 ns=1 by=status" ;;
    unsupported) echo "done $1 unsupported clause=V09 obs=0 ns=1 why=no%20such%20type" ;;
    harness) echo "done $1 harness-error clause=- obs=0 ns=1 why=oops" ;;
    crash) kill -SEGV $$ ;;
    slow) sleep 0.2; echo "done $1 pass clause=- obs=0 ns=1" ;;
    hang) sleep 99 ;;
    fail)
        echo "done $1 fail clause=S09 obs=0 ns=1 finding=S09,tie-left-out,index,0.0.0.1,1,3,1" \
            "sequence=0,1 got=0,40400000.0,3f800000.3"
        ;;
    esac
}

how=$1
greeting="name=fake version=9 device=nothing driver= features="
[ "$how" != forge ] || greeting="name= version=%1B[1m device=%0A%C3%A9 driver=%C2%9B features=%07%0ACONFORMANT:"
echo "topk-worker 1 $greeting level=${2:-5.0} flags=0 batch=1 own="
while read -r word n; do
    [ "$word" = batch ] || exit 0
    i=0
    while [ $i -lt "$n" ]; do read -r text; eval "t$i=\$text"; i=$((i + 1)); done
    i=0
    while [ $i -lt "$n" ]; do echo "begin $i 1"; answer $i "$3"; i=$((i + 1)); done
done
