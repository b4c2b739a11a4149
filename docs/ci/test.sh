#!/usr/bin/env bash
# docs/ci/TopkCts.cmake does what it says: tests that CTest runs, skips and fails. Run as
#   test.sh DIR
# where DIR holds topk-cts and topk-worker.
set -euo pipefail
bin=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "$*" >&2
    exit 1
}

# ---- CTest

mkdir project
printf '%s\n' '#!/bin/sh' 'exit 77' >skips
chmod +x skips
cat >project/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(project NONE)
enable_testing()
set(TOPK_CTS $bin/topk-cts)
include($here/TopkCts.cmake)
topk_cts_add_tests(good BACKEND cpu SPLIT LABELS quick)
topk_cts_add_tests(bad BACKEND faulty:B26 SPLIT)
topk_cts_add_tests(known BACKEND faulty:B26 SPLIT MAX_FAILURES 20000)
topk_cts_add_tests(parts BACKEND cpu PROFILE peers SHARDS 3)
topk_cts_add_tests(badparts BACKEND faulty:B26 PROFILE peers SHARDS 2)
topk_cts_add_tests(knownparts BACKEND faulty:B26 PROFILE peers SHARDS 2 MAX_FAILURES 20000)
topk_cts_add_tests(word WORKER "$bin/topk-worker --backend cpu" PROFILE peers)
topk_cts_add_tests(trustedparts WORKER "$bin/topk-worker --backend cpu" TRUST_WORKER PROFILE peers SHARDS 2)
topk_cts_add_tests(gated WORKER "$bin/topk-worker --backend cpu" TRUST_WORKER PROFILE peers MAX_FAILURES 0)
topk_cts_add_tests(command BACKEND_COMMAND "$bin/topk-backend cpu" PROFILE peers)
topk_cts_add_tests(served BACKEND cpu PROFILE peers REQUIRE f16,i8 MIN_SUPPORTED 100)
topk_cts_add_tests(lacks BACKEND cpu PROFILE peers REQUIRE f16,top_k)
topk_cts_add_tests(lacksparts BACKEND cpu PROFILE peers SHARDS 2 REQUIRE f16,top_k)
topk_cts_add_tests(lackstoo BACKEND cpu PROFILE peers REQUIRE f16,top_k MAX_FAILURES 9)
# one that says that everything is unsupported
set(TOPK_CTS $work/skips)
topk_cts_add_tests(nothing WORKER any)
END
cmake -G Ninja -S project -B build >log 2>&1 || fail "configure: $(cat log)"

# result REGEX: the test's name and what CTest says of it
result() {
    (cd build && ctest -R "$1" --output-junit "$work/ctest.xml" >/dev/null 2>&1) || true
    xmllint --xpath 'string(//testcase[1]/@name)' ctest.xml
    xmllint --xpath 'string(//testcase[1]/@status)' ctest.xml
}
expect() {
    local found
    found=$(result "$1" | paste -sd' ')
    [ "$found" = "$2" ] || fail "CTest, $1: $found instead of $2"
}
expect '^topk-cts.good.core.examples$' 'topk-cts.good.core.examples run'
expect '^topk-cts.bad.core.ties$' 'topk-cts.bad.core.ties fail'
expect '^topk-cts.nothing.core$' 'topk-cts.nothing.core notrun'
expect '^topk-cts.known.core.ties$' 'topk-cts.known.core.ties run'
expect '^topk-cts.word.peers$' 'topk-cts.word.peers fail'
expect '^topk-cts.gated.peers$' 'topk-cts.gated.peers run'
expect '^topk-cts.command.peers$' 'topk-cts.command.peers run'
expect '^topk-cts.served.peers$' 'topk-cts.served.peers run'
expect '^topk-cts.lacks.peers$' 'topk-cts.lacks.peers fail'
expect '^topk-cts.lackstoo.peers$' 'topk-cts.lackstoo.peers fail'
# shards, and what they come to together; all twice, as a build folder is used
for _ in 1 2; do
    (cd build && ctest -j 2 -R 'parts[.]peers' --output-junit "$work/ctest.xml" >/dev/null 2>&1) || true
    found=$(xmllint --xpath '//testcase/@name | //testcase/@status' ctest.xml | sed 's/.*"\(.*\)"/\1/' |
        paste -d' ' - - | sort | sed 's/^topk-cts[.]//' | paste -sd,)
    [ "$found" = "badparts.peers fail,badparts.peers.1-of-2 fail,badparts.peers.2-of-2 fail,$(
        )knownparts.peers run,knownparts.peers.1-of-2 run,knownparts.peers.2-of-2 run,$(
        )lacksparts.peers fail,lacksparts.peers.1-of-2 run,lacksparts.peers.2-of-2 run,$(
        )parts.peers run,parts.peers.1-of-3 run,parts.peers.2-of-3 run,parts.peers.3-of-3 run,$(
        )trustedparts.peers run,trustedparts.peers.1-of-2 run,trustedparts.peers.2-of-2 run" ] ||
        fail "shards: $found"
done
(cd build && ctest -R 'topk-cts[.]parts[.]peers$' -V >"$work/log") || fail "the shards: $(cat log)"
grep -q 'CONFORMANT: [0-9]* passed' log ||
    fail 'the shards have no verdict'
[ "$(cd build && ctest -N -L topk-cts-shard | grep -c ' Test ')" = 11 ] || fail 'labels of shards'
[ "$(cd build && ctest -N -L topk-cts-whole | grep -c ' Test ')" = 15 ] || fail 'labels of whole profiles'
groups=$("$bin/topk-cts" list --profile core | sed 's/[.].*//' | sort -u | wc -l)
[ "$(cd build && ctest -N -L topk-cts-split -L quick | grep -c ' Test ')" = "$groups" ] ||
    fail 'a test a group'

# ---- ctest -D Experimental: what a CDash would receive

# takes what is put, each file of it to received/, until it is killed
cat >server.pl <<'END'
use strict;
use warnings;
use IO::Socket::INET;
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 5) or die "listen: $!";
open my $port, '>', 'port' or die;
printf $port "%d\n", $server->sockport;
close $port;
while (my $client = $server->accept) {
    my ($request, $length) = (scalar <$client>, 0);
    my ($line, $body);
    while (defined($line = <$client>) and $line ne "\r\n") {
        $length = $1 if $line =~ /^Content-Length: *([0-9]+)/i;
        print $client "HTTP/1.1 100 Continue\r\n\r\n" if $line =~ /^Expect: *100/i;
    }
    read $client, $body, $length;
    my ($name) = $request =~ /[?&]FileName=([^& ]*)/;
    $name =~ s/.*(___|%2F)//;
    open my $file, '>', "received/$name" or die "$name: $!";
    print $file $body;
    close $file;
    my $answer = "<?xml version='1.0'?><cdash version='3'><status>OK</status><message/></cdash>\n";
    printf $client "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: %d\r\n"
        . "Connection: close\r\n\r\n%s", length $answer, $answer;
    close $client;
}
END
mkdir received
mkfifo port
exec {ports}<>port
perl server.pl 2>server.log &
server=$!
read -r -t 60 -u "$ports" port || fail "no server: $(cat server.log)"
cat >project/CTestConfig.cmake <<END
set(CTEST_PROJECT_NAME topk)
set(CTEST_SUBMIT_URL "http://127.0.0.1:$port/submit.php?project=topk")
END
sed -i 's/^enable_testing()$/include(CTest)/' project/CMakeLists.txt
cmake -G Ninja -S project -B dashboard -D BUILDNAME=sample >log 2>&1 || fail "configure: $(cat log)"
(cd dashboard && env -u http_proxy -u HTTP_PROXY -u all_proxy -u ALL_PROXY \
    ctest -D Experimental -R '^topk-cts[.](good[.]core[.]examples|bad[.]core[.]ties|nothing[.]core)$' \
    >"$work/log" 2>&1) && fail 'the failure of a test is lost'
grep -q 'Submission successful' log || fail "nothing was submitted: $(cat log server.log)"
for file in Configure Build Test Done; do
    [ -s "received/$file.xml" ] || fail "no $file.xml was received: $(ls received)"
    xmllint --noout "received/$file.xml" || fail "$file.xml is no XML"
done
tests=$(xmllint --xpath '//Testing/Test' received/Test.xml | sed -n 's/.*<Test Status="\([a-z]*\)".*/\1/p; s/.*<Name>\(.*\)<.Name>.*/\1/p' |
    paste -d' ' - - | sort | paste -sd,)
[ "$tests" = 'failed topk-cts.bad.core.ties,notrun topk-cts.nothing.core,passed topk-cts.good.core.examples' ] ||
    fail "received: $tests"
labels=$(xmllint --xpath '//Testing/Test[Name="topk-cts.good.core.examples"]/Labels/Label/text()' received/Test.xml | sort | paste -sd,)
[ "$labels" = core,good,quick,topk-cts,topk-cts-split ] || fail "labels received: $labels"
