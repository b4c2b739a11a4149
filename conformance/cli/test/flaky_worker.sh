#!/bin/sh
# A worker for tests, without a backend: a case with k=3 is one that fails. $HOW says when: always, first (the first
# time that any process runs it), third (the first time, the fourth and so on), behind (if its process has run another
# case before), killed (its process is killed the first time). State that must outlive a process is in the file $STARTS.
echo 'topk-worker 1 name=fake version=1.0 device=none driver= features= level=5.0 flags=4 batch=1 own='
pass() { echo "done $1 pass clause=- obs=0 ns=5"; }
fail() { echo "done $1 fail clause=S09 obs=0 ns=1 finding=S09,tie-left-out,index,0.0,1,2,1"; }
ran=
while read -r word n; do
    [ "$word" = batch ] || exit 0
    i=0
    while [ "$i" -lt "$n" ]; do read -r text; eval "t$i=\$text"; i=$((i + 1)); done
    i=0
    while [ "$i" -lt "$n" ]; do
        eval "text=\$t$i"
        echo "begin $i 1"
        case $text in
        *k=3*)
            echo x >>"$STARTS"
            count=$(wc -l <"$STARTS")
            case $HOW in
            always) fail "$i" ;;
            first) if [ "$count" = 1 ]; then fail "$i"; else pass "$i"; fi ;;
            third) if [ $((count % 3)) = 1 ]; then fail "$i"; else pass "$i"; fi ;;
            behind) if [ -n "$ran" ]; then fail "$i"; else pass "$i"; fi ;;
            killed) [ "$count" -gt 1 ] || kill -KILL $$; pass "$i" ;;
            esac ;;
        *) pass "$i" ;;
        esac
        ran=1
        i=$((i + 1))
    done
done
