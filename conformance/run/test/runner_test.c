/* The runner with misbehaving workers: shell scripts that implement part of the protocol. The text
 * of a case says what the fake worker does. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "run/runner.h"

#define CASES 200

/* Time limits in seconds. AMPLE is never reached, where time is not tested. LIMIT is ten times as
 * much as anything needs that does not wait on purpose, also on a busy machine. LATE is more than
 * one LIMIT and much less than three. */
#define AMPLE 60.0
#define LIMIT 0.6
#define LATE  "0.9"

#define HELLO_OF(flags)                                                                            \
    "topk-worker 1 name=fake version=1.0 device=none driver= features= level=5.0 flags=" flags     \
    " batch=1 own="
#define HELLO HELLO_OF("4")
/* A worker that enforces the time limit itself. */
#define KEEPER HELLO_OF("84")

/* Reads a batch into $t0, $t1, ... and calls `all N`. $DIR is a folder for state that outlives a
 * worker: $DIR/limits has a line for each limit, $DIR/ends one for each end that a case causes. */
#define LOOP                                                                                       \
    "pass() { echo \"done $1 pass clause=- obs=0 ns=5\"; }\n"                                      \
    "ends() { echo end >>$DIR/ends; }\n"                                                           \
    "while read -r word n; do\n"                                                                   \
    "  [ \"$word\" != limit ] || { echo $n >>$DIR/limits; continue; }\n"                           \
    "  [ \"$word\" = batch ] || break\n"                                                           \
    "  i=0\n"                                                                                      \
    "  while [ $i -lt $n ]; do read -r text; eval \"t$i=\\$text\"; i=$((i+1)); done\n"             \
    "  all $n\n"                                                                                   \
    "done\n"

/* the line that a crashing worker sends */
#define TOLD "echo 'crash SIGSEGV@0x10;mine.so+0x1139:topk_run+0x20'"

/* Runs cases one by one. */
#define ONE_BY_ONE                                                                                 \
    "all() {\n"                                                                                    \
    "  i=0\n"                                                                                      \
    "  while [ $i -lt $1 ]; do\n"                                                                  \
    "    eval \"text=\\$t$i\"\n"                                                                   \
    "    case $text in early*) [ -e $DIR/$text ] || { : >$DIR/$text; kill -9 $$; };; esac\n"       \
    "    [ \"$text\" != doomed ] || exit 7\n"                                                      \
    "    [ \"$text\" != mute ] || sleep 99\n"                                                      \
    "    [ \"$text\" != unbegun ] || { pass $i; sleep 99; }\n"                                     \
    "    echo \"begin $i 1\"\n"                                                                    \
    "    case $text in\n"                                                                          \
    "    segv) echo 'some words' >&2; kill -SEGV $$;;\n"                                           \
    "    asan) printf '==7==ERROR\\nSUMMARY: AddressSanitizer: x\\nShadow\\n' >&2; exit 1;;\n"     \
    "    outside*) [ -e $DIR/$text ] || { : >$DIR/$text; kill -9 $$; }; pass $i;;\n"               \
    "    told-killed) " TOLD "; kill -9 $$;;\n"                                                    \
    "    term) kill -TERM $$;;\n"                                                                  \
    "    told) " TOLD "; kill -SEGV $$;;\n"                                                        \
    "    told-died) " TOLD "; echo 'died 0 1 so'; exit 70;;\n"                                     \
    "    told-wrongly) echo 'crash SIGSEGV@10'; sleep 99;;\n"                                      \
    "    told-twice) " TOLD "; " TOLD "; sleep 99;;\n"                                             \
    "    told-falsely) " TOLD "; pass $i;;\n"                                                      \
    "    wrote:*) echo \"crash SIGSEGV@0x10=writes,${text#wrote:},end,0x4\"; kill -SEGV $$;;\n"    \
    "    told-hangs) " TOLD "; sleep 99;;\n"                                                       \
    "    zero) exit 0;;\n"                                                                         \
    "    hang*) ends; sleep 99 & wait;;\n"                                                         \
    "    stale) if [ -n \"$ran\" ]; then ends; sleep 99; else pass $i; fi;;\n"                     \
    "    says:*) echo \"${text#says:}\" | tr _@ \" $i\"; pass $i; exit 70;;\n"                     \
    "    stays:*) echo \"${text#stays:}\" | tr _@ \" $i\"; sleep 99;;\n"                           \
    "    late*) sleep " LATE "; pass $i;;\n"                                                       \
    "    words) echo 'hello there';;\n"                                                            \
    "    said:*) echo \"done $i $(echo \"${text#said:}\" | tr _ ' ')\";;\n"                        \
    "    twice) pass $i; pass $i;;\n"                                                              \
    "    other) pass 1023;;\n"                                                                     \
    "    behind) echo \"begin $1 1\"; exit 7;;\n"                                                  \
    "    beyond) echo \"begin $((i+1)) 999\";;\n"                                                  \
    "    again) echo \"begin $i 1\";;\n"                                                           \
    "    binary) printf 'done \\000\\001\\377\\n'; sleep 99;;\n"                                   \
    "    long) printf '%09000d' 1; sleep 99;;\n"                                                   \
    "    lost) echo \"done $i device-lost clause=- obs=0 ns=1 why=gone\"; "                        \
    "      [ $i = 63 ] || echo \"begin $((i+1)) 1\"; sleep 99;;\n"                                 \
    "    fail) echo \"done $i fail clause=S09 obs=0 ns=1 "                                         \
    "finding=S09,tie-left-out,index,0.0,1,2,1\";;\n"                                               \
    "    *) pass $i;;\n"                                                                           \
    "    esac\n"                                                                                   \
    "    ran=1; i=$((i+1))\n"                                                                      \
    "  done\n"                                                                                     \
    "}\n"

/* Begins three cases at once. */
#define BY_THREES                                                                                  \
    "all() {\n"                                                                                    \
    "  i=0\n"                                                                                      \
    "  while [ $i -lt $1 ]; do\n"                                                                  \
    "    k=$(($1-i)); [ $k -lt 3 ] || k=3\n"                                                       \
    "    echo \"begin $i $k\"\n"                                                                   \
    "    j=$i; verdict=pass\n"                                                                     \
    "    while [ $j -lt $((i+k)) ]; do\n"                                                          \
    "      eval \"text=\\$t$j\"\n"                                                                 \
    "      case $text in\n"                                                                        \
    "      segv) kill -SEGV $$;;\n"                                                                \
    "      hang) sleep 99;;\n"                                                                     \
    "      slow) sleep 0.5;;\n"                                                                    \
    "      late*) sleep " LATE ";;\n"                                                              \
    "      lost) verdict=device-lost;;\n"                                                          \
    "      once) [ -e $DIR/once ] || { : >$DIR/once; kill -SEGV $$; };;\n"                         \
    "      esac\n"                                                                                 \
    "      j=$((j+1))\n"                                                                           \
    "    done\n"                                                                                   \
    "    while [ $k -gt 0 ]; do\n"                                                                 \
    "      by=' by=status'; [ $verdict = pass ] || by=\n"                                          \
    "      echo \"done $i $verdict clause=- obs=0 ns=5$by\"; i=$((i+1)); k=$((k-1))\n"             \
    "    done\n"                                                                                   \
    "  done\n"                                                                                     \
    "}\n"

/* Begins all cases at once; adds a line to $DIR/runs for each. In the text that a case sends before
 * its worker ends, _ is a space and @ its number; `once` sends text only once. */
#define AT_ONCE                                                                                    \
    "all() {\n"                                                                                    \
    "  echo \"begin 0 $1\"\n"                                                                      \
    "  i=0\n"                                                                                      \
    "  while [ $i -lt $1 ]; do\n"                                                                  \
    "    eval \"text=\\$t$i\"\n"                                                                   \
    "    echo $i >>$DIR/runs\n"                                                                    \
    "    case $text in\n"                                                                          \
    "    hang) ends; sleep 99;;\n"                                                                 \
    "    late*) sleep " LATE ";;\n"                                                                \
    "    done:*) pass 0; text=says:${text#done:};;\n"                                              \
    "    once:*) [ -e $DIR/once ] || { : >$DIR/once; text=says:${text#once:}; };;\n"               \
    "    esac\n"                                                                                   \
    "    case $text in\n"                                                                          \
    "    says:*) ends; echo \"${text#says:}\" | tr _ ' ' | sed s/@/$i/; exit 70;;\n"               \
    "    esac\n"                                                                                   \
    "    i=$((i+1))\n"                                                                             \
    "  done\n"                                                                                     \
    "  i=0; while [ $i -lt $1 ]; do pass $i; i=$((i+1)); done\n"                                   \
    "}\n"

/* Begins up to four cases at once, and reports that more than one were late. */
#define TOO_LATE_TOGETHER                                                                          \
    "all() {\n"                                                                                    \
    "  i=0\n"                                                                                      \
    "  while [ $i -lt $1 ]; do\n"                                                                  \
    "    k=$(($1-i)); [ $k -lt 4 ] || k=4\n"                                                       \
    "    echo \"begin $i $k\"\n"                                                                   \
    "    [ $k = 1 ] || { ends; echo \"expired $i $k not%20done\"; exit 70; }\n"                    \
    "    pass $i; i=$((i+1))\n"                                                                    \
    "  done\n"                                                                                     \
    "}\n"

/* A worker on machine $1. A function `meet`, if defined, is called before its first batch. The
 * machine is gone if $DIR/gone-$M exists; it does not answer if $DIR/mute-$M exists; only one of
 * its workers starts if $DIR/slow-$M exists. Its name is $name. */
#define ON_MACHINE                                                                                 \
    "M=$1\n"                                                                                       \
    "echo >>$DIR/started; echo >>$DIR/started-$M\n"                                                \
    "first() { mkdir $DIR/first 2>/dev/null; }\n"                                                  \
    "[ ! -e $DIR/gone-$M ] || { echo refused >&2; exit 255; }\n"                                   \
    "[ ! -e $DIR/mute-$M ] || sleep 99\n"                                                          \
    "[ ! -e $DIR/slow-$M ] || ! { mkdir $DIR/2 || mkdir $DIR/1; } 2>/dev/null || exit 3\n"         \
    "echo '" HELLO "' | sed \"s/fake/${name:-fake}/\"\n"                                           \
    "all() {\n"                                                                                    \
    "  i=0\n"                                                                                      \
    "  [ -n \"$met\" ] || { met=1; ! type meet >/dev/null || meet; }\n"                            \
    "  while [ $i -lt $1 ]; do\n"                                                                  \
    "    eval \"text=\\$t$i\"\n"                                                                   \
    "    echo \"begin $i 1\"\n"                                                                    \
    "    case $text in\n"                                                                          \
    "    segv) kill -SEGV $$;;\n"                                                                  \
    "    goes) ! first || { : >$DIR/gone-$M; kill -SEGV $$; };;\n"                                 \
    "    goes-2) [ $M != 2 ] || { : >$DIR/gone-$M; kill -SEGV $$; };;\n"                           \
    "    all-go) : >$DIR/gone-$M; kill -SEGV $$;;\n"                                               \
    "    hangs) ! first || { : >$DIR/mute-$M; sleep 99; };;\n"                                     \
    "    wakes) ! first || { : >$DIR/slow-$M; kill -SEGV $$; };;\n"                                \
    "    esac\n"                                                                                   \
    "    pass $i; i=$((i+1))\n"                                                                    \
    "  done\n"                                                                                     \
    "}\n" LOOP

struct run {
    /* input */
    const char *texts[CASES];
    uint64_t count;
    uint32_t jobs;
    /* number of machines; the script gets the number, from 1; 0: one command */
    uint32_t machines;
    uint64_t stop_after; /* results; 0: never */
    bool interrupt;      /* after the first result */
    bool fresh;          /* each case has a worker to itself */
    bool shuffle;
    double timeout;
    double start_timeout;
    double backstop;
    /* output */
    unsigned results[CASES]; /* number of results */
    enum topk_verdict verdicts[CASES];
    char reasons[CASES][TOPK_REASON];
    struct topk_crash crashes[CASES];
    enum topk_clause clauses[CASES];
    uint64_t sequence[CASES]; /* numbers in the order of their results */
    uint64_t done;
    unsigned notes;
    char noted[1024]; /* the last note */
    unsigned ended[TOPK_PROCESS_COUNT];
    char how[2048]; /* how the last process ended */
    uint64_t restarts;
    struct topk_greeting greeting;
    char error[TOPK_RUNNER_ERROR];
};

static const char *text_of(void *context, uint64_t number, size_t *length)
{
    struct run *run = context;
    *length = strlen(run->texts[number]);
    return run->texts[number];
}

static bool take_result(void *context, uint64_t number, const struct topk_result *result)
{
    struct run *run = context;
    run->results[number]++;
    run->verdicts[number] = result->verdict;
    assert_true(!result->by_status || result->verdict == TOPK_VERDICT_PASS);
    snprintf(run->reasons[number], TOPK_REASON, "%s", result->reason);
    run->crashes[number] = result->crash;
    run->clauses[number] = result->clause;
    run->sequence[run->done++] = number;
    if (run->interrupt) {
        raise(SIGINT);
    }
    return run->stop_after == 0 || run->done < run->stop_after;
}

static void take_note(void *context, const char *text)
{
    struct run *run = context;
    snprintf(run->noted, sizeof run->noted, "%s", text);
    run->notes++;
}

static void take_ended(void *context, enum topk_process_end end, const char *how)
{
    struct run *run = context;
    snprintf(run->how, sizeof run->how, "%s", how);
    run->ended[end]++;
}

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/runner_test.XXXXXX");
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static int remove_folder(void **state)
{
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command); /* NOLINT(cert-env33-c,bugprone-command-processor): a fixed text */
}

/* Opens a runner whose worker is a script. */
static struct topk_runner *open_with(struct run *run, const char *script,
                                     enum topk_runner_status *status)
{
    static char path[100];
    static const char *const command[] = {"/bin/sh", path, NULL};
    static const char *const commands[][4] = {
        {"/bin/sh", path, "1", NULL}, {"/bin/sh", path, "2", NULL}, {"/bin/sh", path, "3", NULL}};
    static const struct topk_runner_machine machines[] = {
        {commands[0], "ssh 1"}, {commands[1], "ssh 2"}, {commands[2], "ssh 3"}};
    snprintf(path, sizeof path, "%s/worker", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "DIR=%s\n%s", folder, script);
    assert_int_equal(fclose(file), 0);
    struct topk_runner_options options = {
        .command = command,
        .machines = run->machines == 0 ? NULL : machines,
        .machine_count = run->machines,
        .jobs = run->jobs == 0 ? 1 : run->jobs,
        .timeout = run->timeout > 0 ? run->timeout : AMPLE,
        .start_timeout = run->start_timeout > 0 ? run->start_timeout : AMPLE,
        .backstop = run->backstop,
        .note = take_note,
        .ended = take_ended,
        .context = run,
    };
    return topk_runner_open(&options, &run->greeting, status, run->error);
}

/* Runs the cases of a run with a script for a worker. */
static enum topk_runner_status run_with(struct run *run, const char *script)
{
    static uint64_t order[CASES];
    enum topk_runner_status status;
    struct topk_runner *runner = open_with(run, script, &status);
    if (runner == NULL) {
        return status;
    }
    for (uint64_t i = 0; i < run->count; i++) {
        order[i] = run->shuffle ? run->count - 1 - i : i;
    }
    struct topk_runner_job job = {
        .count = run->count,
        .order = order,
        .text = text_of,
        .result = take_result,
        .context = run,
        .fresh = run->fresh,
    };
    status = topk_runner_run(runner, &job, run->error);
    run->restarts = topk_runner_restarts(runner);
    topk_runner_close(runner);
    return status;
}

/* Asserts that every case has one result, and that all but one pass. */
static void expect_one_bad(const struct run *run, uint64_t number, enum topk_verdict verdict,
                           const char *reason)
{
    for (uint64_t i = 0; i < run->count; i++) {
        assert_int_equal(run->results[i], 1);
        assert_int_equal(run->verdicts[i], i == number ? verdict : TOPK_VERDICT_PASS);
    }
    if (number < run->count && strstr(run->reasons[number], reason) == NULL) {
        fail_msg("the reason is \"%s\", without \"%s\"", run->reasons[number], reason);
    }
}

/* The number of lines in a file of the folder; 0 if it does not exist. */
static unsigned lines_of(const char *name)
{
    char path[100];
    unsigned lines = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    for (int c = file == NULL ? EOF : fgetc(file); c != EOF; c = fgetc(file)) {
        lines += c == '\n';
    }
    if (file != NULL) {
        fclose(file);
    }
    return lines;
}

/* Runs ten cases; number 4 does what `text` says. */
static void expect_verdict(const char *text, enum topk_verdict verdict, const char *reason)
{
    struct run run = {.count = 10, .timeout = verdict == TOPK_VERDICT_TIMEOUT ? LIMIT : AMPLE};
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = i == 4 ? text : "ok";
    }
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 4, verdict, reason);
    for (uint64_t i = 0; i < run.count; i++) {
        assert_int_equal(run.sequence[i], i);
    }
}

static void normal_run(void **state)
{
    (void)state;
    struct run run = {.count = CASES};
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = "ok";
    }
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, CASES, TOPK_VERDICT_PASS, "");
    assert_string_equal(run.greeting.name, "fake");
    assert_string_equal(run.greeting.version, "1.0");
    assert_string_equal(run.greeting.device, "none");
    assert_int_equal(run.greeting.level, 0x5000);
    assert_int_equal(run.greeting.flags, 4);
    assert_int_equal(run.restarts, 0);
    assert_int_equal(run.notes, 0);
}

static void several_workers(void **state)
{
    (void)state;
    struct run run = {.count = CASES, .jobs = 4};
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = i == 77 ? "segv" : "ok";
    }
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 77, TOPK_VERDICT_CRASH, "signal 11");
}

static void order_is_kept(void **state)
{
    (void)state;
    struct run run = {.count = 100, .shuffle = true};
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = "ok";
    }
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    for (uint64_t i = 0; i < run.count; i++) {
        assert_int_equal(run.sequence[i], run.count - 1 - i);
    }
}

static void no_cases(void **state)
{
    (void)state;
    struct run run = {0};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    assert_int_equal(run.done, 0);
}

static void carriage_returns_are_ignored(void **state)
{
    (void)state;
    struct run run = {.count = 1, .texts = {"ok"}};
    assert_int_equal(run_with(&run,
                              "printf '" HELLO "\\r\\n'; read x; read y; "
                              "printf 'begin 0 1\\r\\ndone 0 pass clause=- obs=0 ns=1\\r\\n'"),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, 1, TOPK_VERDICT_PASS, "");
}

static void failure_comes_through(void **state)
{
    (void)state;
    expect_verdict("fail", TOPK_VERDICT_FAIL, "");
}

static void crash_by_signal(void **state)
{
    (void)state;
    expect_verdict("segv", TOPK_VERDICT_CRASH,
                   "killed by signal 11 (Segmentation fault); stderr: some words");
}

static void crash_of_a_sanitizer(void **state)
{
    (void)state;
    expect_verdict("asan", TOPK_VERDICT_CRASH,
                   "exited with 1; stderr: SUMMARY: AddressSanitizer: x");
}

static void exit_with_0_in_a_case(void **state)
{
    (void)state;
    expect_verdict("zero", TOPK_VERDICT_CRASH, "exited with 0");
}

static void hang_is_a_timeout(void **state)
{
    (void)state;
    expect_verdict("hang", TOPK_VERDICT_TIMEOUT, "not finished after 0.6 s");
}

static void each_call_of_a_check_has_its_time(void **state)
{
    (void)state;
    struct run run = {
        .count = 4,
        .timeout = LIMIT,
        .texts = {"ok", "late check=repeat", "late x check=soak data=", "hang check=repeat"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 3, TOPK_VERDICT_TIMEOUT,
                   "not finished after 1.8 s, 0.6 s for each of 3 calls");
}

static void words_are_garbage(void **state)
{
    (void)state;
    expect_verdict("words", TOPK_VERDICT_CRASH, "garbage on the pipe: \"hello there\"");
}

static void a_crash_that_is_told_goes_with_its_verdict(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum topk_verdict verdict;
        const char *reason;
        const char *signal;
    } rows[] = {
        {"told", TOPK_VERDICT_CRASH, "killed by signal 11", "SIGSEGV"},
        {"told-died", TOPK_VERDICT_CRASH, "so", "SIGSEGV"},
        {"segv", TOPK_VERDICT_CRASH, "killed by signal 11", ""},
        {"told-wrongly", TOPK_VERDICT_CRASH, "garbage on the pipe: \"crash SIGSEGV@10\"", ""},
        {"told-twice", TOPK_VERDICT_CRASH, "garbage on the pipe: \"crash SIGSEGV@0x10;", ""},
        {"told-falsely", TOPK_VERDICT_CRASH, "garbage on the pipe: \"done 0 pass", ""},
        {"told-hangs", TOPK_VERDICT_TIMEOUT, "not finished after 0.6 s", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run run = {.count = 1,
                          .timeout = rows[i].verdict == TOPK_VERDICT_TIMEOUT ? LIMIT : AMPLE,
                          .texts = {rows[i].text}};
        assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
        assert_int_equal(run.verdicts[0], rows[i].verdict);
        assert_non_null(strstr(run.reasons[0], rows[i].reason));
        assert_string_equal(run.crashes[0].signal, rows[i].signal);
    }
    /* it does not apply to a later end, of this worker or the next */
    struct run run = {.count = 4, .texts = {"told-falsely", "segv", "told", "segv"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    assert_int_equal(run.verdicts[1], TOPK_VERDICT_CRASH);
    assert_string_equal(run.crashes[1].signal, "");
    assert_string_equal(run.crashes[2].signal, "SIGSEGV");
    assert_true(run.crashes[2].address == 0x10);
    assert_int_equal(run.crashes[2].frame_count, 1);
    assert_string_equal(run.crashes[2].frames[0].symbol, "topk_run");
    assert_string_equal(run.crashes[3].signal, "");
}

/* a write outside of a tensor breaks the clause on it */
static void a_crash_by_a_write_names_its_clause(void **state)
{
    (void)state;
    struct run run = {.count = 4, .texts = {"wrote:input", "wrote:value", "wrote:index", "told"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(run.verdicts[i], TOPK_VERDICT_CRASH);
        assert_int_equal(run.clauses[i], i == 0   ? TOPK_CLAUSE_M01
                                         : i == 3 ? TOPK_CLAUSE_NONE
                                                  : TOPK_CLAUSE_M02);
    }
}

/* What answers rightly and ends badly is told, whatever the way. */
static void an_end_that_no_case_accounts_for_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *script; /* comes after a loop that runs the cases */
        const char *text;   /* of the first of two cases */
        enum topk_process_end end;
        unsigned count;
        const char *how;
    } rows[] = {
        {"", "", TOPK_PROCESS_COUNT, 0, ""},
        {"exit 3", "", TOPK_PROCESS_QUIT, 1, "exited with 3"},
        {"kill -SEGV $$", "", TOPK_PROCESS_QUIT, 1, "killed by signal 11"},
        {"kill -9 $$", "", TOPK_PROCESS_OUTSIDE, 1, "killed by signal 9"},
        {"echo 'done 0 pass clause=- obs=0 ns=5'", "", TOPK_PROCESS_QUIT, 1, "garbage on the pipe"},
        {"printf 'done 0'", "", TOPK_PROCESS_QUIT, 1, "garbage on the pipe: \"done 0\""},
        {"echo 'died 0 0 so'; exit 70", "", TOPK_PROCESS_QUIT, 1, "so"},
        {"echo 'died 0 0 killed%20by%20signal%209%20(Killed)'; exit 70", "", TOPK_PROCESS_OUTSIDE,
         1, "killed by signal 9"},
        {"echo 'died 0 1 so'; exit 70", "", TOPK_PROCESS_QUIT, 1, "garbage on the pipe"},
        {TOLD, "", TOPK_PROCESS_QUIT, 1, ""},
        {"", "twice", TOPK_PROCESS_BETWEEN, 1, "garbage on the pipe: \"done 0"},
        {"", "segv", TOPK_PROCESS_UNDER_WAY, 1, "killed by signal 11"},
        {"", "outside-told", TOPK_PROCESS_OUTSIDE, 1, "killed by signal 9"},
        {"", "early-told", TOPK_PROCESS_OUTSIDE, 1, "killed by signal 9"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run run = {.count = 2, .texts = {rows[i].text, ""}};
        char script[16384];
        snprintf(script, sizeof script, "%s%s\n", "echo '" HELLO "'\n" ONE_BY_ONE LOOP,
                 rows[i].script);
        assert_int_equal(run_with(&run, script), TOPK_RUNNER_DONE);
        for (int end = 0; end < TOPK_PROCESS_COUNT; end++) {
            const unsigned wanted = end == (int)rows[i].end ? rows[i].count : 0;
            if (run.ended[end] != wanted || strstr(run.how, rows[i].how) == NULL) {
                fail_msg("'%s', '%s': %u of %s, not %u: %s", rows[i].script, rows[i].text,
                         run.ended[end], topk_process_word((enum topk_process_end)end), wanted,
                         run.how);
            }
        }
    }
}

/* a worker that is started again and says that it is another one */
static void who_changes_ends_the_run(void **state)
{
    (void)state;
    static const struct {
        const char *change, *reason;
    } rows[] = {
        {"s/level=5.0/level=4.0/", "feature level 0x4000 where it had 0x5000"},
        {"s/level=5.0/level=5.1/", "feature level 0x5100 where it had 0x5000"},
        {"s/flags=4/flags=c/", "flags c where it had 4"},
        {"s/version=1.0/version=1.1/", "version '1.1' where it had '1.0'"},
        {"s/own=/own=x/", "reason for invalid calls 'x' where it had ''"},
        {"s/$/ parts=a%201/", "list of libraries 'a 1' where it had ''"},
        {"s/$/ contract=ties%3Dany/",
         "another contract than at first, ties=any where it had ties="},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run run = {.count = 2, .texts = {"segv", "ok"}};
        char script[16384];
        snprintf(script, sizeof script, "%s%s%s",
                 "change=; mkdir $DIR/first 2>/dev/null || change='", rows[i].change,
                 "'\necho '" HELLO "' | sed \"$change\"\n" ONE_BY_ONE LOOP);
        assert_int_equal(run_with(&run, script), TOPK_RUNNER_BROKEN);
        if (strstr(run.error, rows[i].reason) == NULL) {
            fail_msg("'%s' is not in '%s'", rows[i].reason, run.error);
        }
        assert_int_equal(run.ended[TOPK_PROCESS_CHANGED], 1);
        assert_int_equal(run.done, 1);
        assert_int_equal(remove_folder(NULL), 0);
        assert_int_equal(make_folder(NULL), 0);
    }
}

/* A message has no more than one case, or a megabyte. */
static void long_cases_come_one_by_one(void **state)
{
    (void)state;
    enum {
        LENGTH = 600000
    };
    struct run run = {.count = 3};
    char *text = malloc(LENGTH + 1);
    assert_non_null(text);
    memset(text, 'x', LENGTH);
    text[LENGTH] = 0;
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = text;
    }
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n"
                                    "while read -r word n; do\n"
                                    "  [ \"$word\" = batch ] || break\n"
                                    "  echo $n >>$DIR/batches\n"
                                    "  head -n $n >/dev/null\n"
                                    "  i=0\n"
                                    "  while [ $i -lt $n ]; do\n"
                                    "    echo \"begin $i 1\"\n"
                                    "    echo \"done $i pass clause=- obs=0 ns=5\"; i=$((i+1))\n"
                                    "  done\n"
                                    "done\n"),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, 3, TOPK_VERDICT_PASS, "");
    assert_int_equal(lines_of("batches"), 3);
    free(text);
}

static void verdict_without_ground_is_garbage(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *reason;
    } lies[] = {
        {"said:expected-fail_clause=S09_obs=0_ns=1",
         "'expected-fail': it is not said what the case came to"},
        {"said:unexpected-pass_clause=-_obs=0_ns=1",
         "'unexpected-pass': it is not said what the case came to"},
        {"said:pass_clause=-_obs=0_ns=1_finding=S09,tie-left-out,index,0.0,1,2,1",
         "'pass': it has findings"},
        {"said:pass_clause=-_obs=0_ns=1_sequence=1,2", "'pass': it has findings"},
        {"said:pass_clause=-_obs=0_ns=1_got=0,1.1", "'pass': it has findings"},
        {"said:pass_clause=-_obs=0_ns=1_cause=opposite-direction", "'pass': it has findings"},
        {"said:unsupported_clause=S09_obs=0_ns=1_finding=S09,tie-left-out,index,0.0,1,2,1",
         "'unsupported': it has findings"},
        {"said:fail_clause=S09_obs=0_ns=1", "'fail': it has neither a finding nor a reason"},
        {"said:accepted_clause=V02_obs=0_ns=1_why=x", "'accepted': it has no finding"},
        {"said:error_clause=-_obs=0_ns=1", "'error': it has no reason"},
        {"said:error_clause=-_obs=0_ns=1_finding=S09,tie-left-out,index,0.0,1,2,1_why=x",
         "'error': it has findings"},
    };
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        expect_verdict(lies[i].text, TOPK_VERDICT_CRASH, lies[i].reason);
    }
    expect_verdict("said:fail_clause=S12_obs=0_ns=1_why=x", TOPK_VERDICT_FAIL, "x");
    expect_verdict("said:error_clause=-_obs=0_ns=1_why=x", TOPK_VERDICT_ERROR, "x");
}

static void foreign_case_is_garbage(void **state)
{
    (void)state;
    expect_verdict("other", TOPK_VERDICT_CRASH, "garbage on the pipe: \"done 1023 ");
}

static void second_begin_is_garbage(void **state)
{
    (void)state;
    expect_verdict("again", TOPK_VERDICT_CRASH, "garbage on the pipe: \"begin 4 1\"");
}

static void begin_beyond_the_batch_is_garbage(void **state)
{
    (void)state;
    expect_verdict("beyond", TOPK_VERDICT_CRASH, "garbage on the pipe: \"begin 5 999\"");
    expect_verdict("behind", TOPK_VERDICT_CRASH, "garbage on the pipe: \"begin 10 1\"");
}

static void binary_is_garbage(void **state)
{
    (void)state;
    expect_verdict("binary", TOPK_VERDICT_CRASH, "garbage on the pipe: \"done \\x00\\x01\\xff\"");
}

static void long_line_is_garbage(void **state)
{
    (void)state;
    expect_verdict("long", TOPK_VERDICT_CRASH,
                   "garbage on the pipe: a line of more than 8192 bytes");
}

static void lost_device_restarts(void **state)
{
    (void)state;
    expect_verdict("lost", TOPK_VERDICT_DEVICE_LOST, "gone");
}

static void done_twice_is_garbage(void **state)
{
    (void)state;
    struct run run = {.count = 3, .texts = {"ok", "twice", "ok"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 3, TOPK_VERDICT_PASS, "");
    /* no case had begun: there is a note, and the run continues */
    assert_int_equal(run.notes, 1);
    assert_int_equal(run.restarts, 1);
}

static void end_between_cases_is_noted(void **state)
{
    (void)state;
    struct run run = {.count = 5, .texts = {"ok", "ok", "early", "ok", "ok"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 5, TOPK_VERDICT_PASS, "");
    assert_int_equal(run.notes, 1);
}

static void ends_with_results_between_do_not_break(void **state)
{
    (void)state;
    struct run run = {
        .count = 8,
        .texts = {"early1", "ok", "early2", "ok", "early3", "ok", "early4", "ok"},
    };
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 8, TOPK_VERDICT_PASS, "");
    assert_int_equal(run.notes, 4);
}

static void three_ends_between_cases_break(void **state)
{
    (void)state;
    struct run run = {.count = 3, .texts = {"ok", "doomed", "ok"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_BROKEN);
    assert_non_null(strstr(run.error, "exited with 7"));
    assert_int_equal(run.results[0], 1);
    assert_int_equal(run.results[1], 0);
}

static void done_before_begin_breaks(void **state)
{
    (void)state;
    struct run run = {.count = 1, .texts = {"unbegun"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_BROKEN);
    assert_non_null(strstr(run.error, "garbage on the pipe: \"done 0 pass"));
}

static void silence_breaks(void **state)
{
    (void)state;
    struct run run = {.count = 1, .texts = {"mute"}, .start_timeout = LIMIT};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_BROKEN);
    assert_non_null(strstr(run.error, "it said nothing for 0.6 s"));
}

static void error_line_breaks(void **state)
{
    (void)state;
    struct run run = {.count = 1, .texts = {"ok"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'; read x; read y; echo error not%20mine; "
                                    "exit 3"),
                     TOPK_RUNNER_BROKEN);
    assert_non_null(strstr(run.error, "did not understand: not mine"));
}

/* A worker that reports an error must end: it cannot stay alive by repeating the error. */
static void endless_error_lines_break(void **state)
{
    (void)state;
    struct run run = {.count = 1, .texts = {"ok"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'; read x; read y; "
                                    "while echo error not%20mine; do :; done"),
                     TOPK_RUNNER_BROKEN);
    assert_non_null(strstr(run.error, "did not understand: not mine"));
}

static void culprit_of_three_is_found(void **state)
{
    (void)state;
    for (uint64_t bad = 0; bad < 7; bad++) {
        struct run run = {.count = 7};
        for (uint64_t i = 0; i < run.count; i++) {
            run.texts[i] = i == bad ? "segv" : "ok";
        }
        assert_int_equal(run_with(&run, "echo '" HELLO "'\n" BY_THREES LOOP), TOPK_RUNNER_DONE);
        expect_one_bad(&run, bad, TOPK_VERDICT_CRASH, "killed by signal 11");
    }
}

static void hanging_one_of_three_is_found(void **state)
{
    (void)state;
    struct run run = {.count = 6, .timeout = LIMIT};
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = i == 1 ? "hang" : "ok";
    }
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" BY_THREES LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 1, TOPK_VERDICT_TIMEOUT, "not finished after 0.6 s");
}

static void three_slow_ones_are_no_failure(void **state)
{
    (void)state;
    struct run run = {.count = 3, .timeout = 2 * LIMIT, .texts = {"slow", "slow", "slow"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" BY_THREES LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 3, TOPK_VERDICT_PASS, "");
    /* cases that begin together share one limit; then each has one alone, in a fresh worker */
    assert_int_equal(run.restarts, 3);
    assert_int_equal(run.notes, 1);
    assert_non_null(
        strstr(run.noted, "the time for 3 cases in one batch ran out (not finished after"));
}

static void cases_begun_together_have_the_time_of_the_longest(void **state)
{
    (void)state;
    struct run run = {.count = 3, .timeout = LIMIT, .texts = {"ok", "late check=repeat", "ok"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" BY_THREES LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 3, TOPK_VERDICT_PASS, "");
    assert_int_equal(run.restarts, 0);
}

static void loser_of_three_devices_is_found(void **state)
{
    (void)state;
    struct run run = {.count = 6, .texts = {"ok", "ok", "ok", "ok", "lost", "ok"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" BY_THREES LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 4, TOPK_VERDICT_DEVICE_LOST, "");
}

static void end_without_a_culprit_is_flaky(void **state)
{
    (void)state;
    struct run run = {.count = 6, .texts = {"ok", "ok", "ok", "ok", "once", "ok"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" BY_THREES LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 3, TOPK_VERDICT_FLAKY, "together: killed by signal 11");
}

static void stop_is_heeded(void **state)
{
    (void)state;
    struct run run = {.count = 50, .stop_after = 3};
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = "ok";
    }
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_STOPPED);
    assert_int_equal(run.done, 3);
}

static void interrupt_stops(void **state)
{
    (void)state;
    struct run run = {.count = 50, .interrupt = true};
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = i == 5 ? "hang" : "ok";
    }
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_INTERRUPTED);
    assert_true(run.done >= 1 && run.done <= 5);
}

/* ---- several jobs ---------------------------------------------------------------------------- */

/* Runs the cases from..to of a run as a separate job. */
static enum topk_runner_status run_part(struct topk_runner *runner, struct run *run, uint64_t from,
                                        uint64_t to, double timeout)
{
    uint64_t order[CASES];
    for (uint64_t i = from; i < to; i++) {
        order[i - from] = i;
    }
    struct topk_runner_job job = {
        .count = to - from,
        .order = order,
        .text = text_of,
        .result = take_result,
        .context = run,
        .timeout = timeout,
    };
    return topk_runner_run(runner, &job, run->error);
}

/* A worker that records each of its starts, so that a test can count them. */
#define COUNTED "echo start >>$DIR/starts\necho '" HELLO "'\n"

static unsigned starts(void)
{
    return lines_of("starts");
}

static void each_case_has_a_fresh_worker(void **state)
{
    (void)state;
    for (uint32_t jobs = 1; jobs <= 2; jobs++) {
        struct run run = {.count = 9, .jobs = jobs, .fresh = true};
        for (uint64_t i = 0; i < run.count; i++) {
            run.texts[i] = i == 5 ? "segv" : "ok";
        }
        const unsigned before = starts();
        assert_int_equal(run_with(&run, COUNTED ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
        expect_one_bad(&run, 5, TOPK_VERDICT_CRASH, "signal 11");
        assert_true(starts() - before >= run.count);
        assert_int_equal(run.restarts, 1); /* only the crashed one */
    }
}

static void jobs_share_a_worker(void **state)
{
    (void)state;
    struct run run = {.count = 90};
    enum topk_runner_status status;
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = "ok";
    }
    struct topk_runner *runner = open_with(&run, COUNTED ONE_BY_ONE LOOP, &status);
    assert_non_null(runner);
    assert_int_equal(run_part(runner, &run, 0, 80, 0), TOPK_RUNNER_DONE);
    assert_int_equal(run_part(runner, &run, 80, 80, 0), TOPK_RUNNER_DONE);
    assert_int_equal(run_part(runner, &run, 80, 90, 0), TOPK_RUNNER_DONE);
    expect_one_bad(&run, run.count, TOPK_VERDICT_PASS, "");
    assert_int_equal(topk_runner_restarts(runner), 0);
    topk_runner_close(runner);
    assert_int_equal(starts(), 1);
    assert_int_equal(run.notes, 0);
}

static void workers_are_let_go(void **state)
{
    (void)state;
    struct run run = {.count = 1, .texts = {"ok"}};
    assert_int_equal(run_with(&run, COUNTED "trap 'echo end >>$DIR/starts' EXIT\n" ONE_BY_ONE LOOP),
                     TOPK_RUNNER_DONE);
    assert_int_equal(starts(), 2);
}

/* Runs a case with a worker that does something other than end when it is told to quit. */
static void expect_note(const char *instead, const char *note)
{
    char script[4096];
    struct run run = {.count = 1, .texts = {"ok"}};
    snprintf(script, sizeof script, "%s%s\n", COUNTED ONE_BY_ONE LOOP, instead);
    assert_true(strlen(script) + 1 < sizeof script);
    assert_int_equal(run_with(&run, script), TOPK_RUNNER_DONE);
    assert_int_equal(run.notes, 1);
    assert_string_equal(run.noted, note);
}

static void worker_that_does_not_end_is_said_to_be_killed_for_it(void **state)
{
    (void)state;
#define NOTE "a worker did not end well after its last case: "
    expect_note("exit 7", NOTE "exited with 7");
    expect_note("kill -KILL $$", NOTE "killed by signal 9 (Killed)");
    expect_note("sleep 99", NOTE "killed, as it did not end within 5 s of being told to quit");
    expect_note("exec >&- 2>&-; sleep 99",
                NOTE "killed, as it did not end within 1 s of closing its output");
}

static void job_after_a_crash_and_a_hang(void **state)
{
    (void)state;
    struct run run = {.count = 4, .timeout = 9, .texts = {"segv", "ok", "hang check=soak", "ok"}};
    enum topk_runner_status status;
    struct topk_runner *runner = open_with(&run, COUNTED ONE_BY_ONE LOOP, &status);
    assert_non_null(runner);
    for (uint64_t i = 0; i < run.count; i++) {
        /* the job's own limit applies to the whole case, and replaces the runner's */
        assert_int_equal(run_part(runner, &run, i, i + 1, i == 2 ? 0.25 : 0), TOPK_RUNNER_DONE);
        assert_int_equal(run.results[i], 1);
    }
    assert_int_equal(run.verdicts[0], TOPK_VERDICT_CRASH);
    assert_int_equal(run.verdicts[1], TOPK_VERDICT_PASS);
    assert_int_equal(run.verdicts[2], TOPK_VERDICT_TIMEOUT);
    assert_string_equal(run.reasons[2], "not finished after 0.25 s");
    assert_int_equal(run.verdicts[3], TOPK_VERDICT_PASS);
    topk_runner_close(runner);
    assert_int_equal(starts(), 4); /* a hang is settled only in a fresh worker */
}

static void worker_that_ended_between_jobs_is_replaced(void **state)
{
    (void)state;
    struct run run = {.count = 2, .texts = {"last", "ok"}};
    enum topk_runner_status status;
    struct topk_runner *runner = open_with(
        &run, COUNTED "all() { echo begin 0 1; pass 0; [ \"$t0\" != last ] || exit 0; }\n" LOOP,
        &status);
    assert_non_null(runner);
    assert_int_equal(run_part(runner, &run, 0, 1, 0), TOPK_RUNNER_DONE);
    assert_int_equal(run_part(runner, &run, 1, 2, 0), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 2, TOPK_VERDICT_PASS, "");
    topk_runner_close(runner);
    assert_int_equal(starts(), 2);
    assert_int_equal(run.notes, 1);
}

static void job_that_was_stopped_is_forgotten(void **state)
{
    (void)state;
    struct run run = {.count = 60, .stop_after = 3};
    enum topk_runner_status status;
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = "ok";
    }
    struct topk_runner *runner = open_with(&run, COUNTED ONE_BY_ONE LOOP, &status);
    assert_non_null(runner);
    assert_int_equal(run_part(runner, &run, 0, 50, 0), TOPK_RUNNER_STOPPED);
    assert_int_equal(run.done, 3);
    run.stop_after = 0;
    assert_int_equal(run_part(runner, &run, 50, 60, 0), TOPK_RUNNER_DONE);
    for (uint64_t i = 0; i < run.count; i++) {
        assert_int_equal(run.results[i], i < 3 || i >= 50);
    }
    topk_runner_close(runner);
    assert_int_equal(starts(), 1); /* its outstanding answers were received and dropped */
    assert_int_equal(run.notes, 0);
}

static void stopped_job_does_not_wait_for_a_hang(void **state)
{
    (void)state;
    /* it would take 99 s */
    struct run run = {.count = 3, .stop_after = 1, .timeout = 60, .texts = {"ok", "mute", "ok"}};
    enum topk_runner_status status;
    struct topk_runner *runner = open_with(&run, COUNTED ONE_BY_ONE LOOP, &status);
    assert_non_null(runner);
    assert_int_equal(run_part(runner, &run, 0, 2, 0), TOPK_RUNNER_STOPPED);
    run.stop_after = 0;
    assert_int_equal(run_part(runner, &run, 2, 3, 0), TOPK_RUNNER_DONE);
    assert_int_equal(run.results[0], 1);
    assert_int_equal(run.results[1], 0);
    assert_int_equal(run.results[2], 1);
    topk_runner_close(runner);
    assert_int_equal(starts(), 2);
    assert_int_equal(run.notes, 0);
}

static void suspects_of_a_stopped_job_are_dropped(void **state)
{
    (void)state;
    /* the first three began together and are run again alone; the second result stops the job */
    struct run run = {
        .count = 7, .stop_after = 2, .texts = {"ok", "segv", "ok", "ok", "ok", "ok", "ok"}};
    enum topk_runner_status status;
    struct topk_runner *runner = open_with(&run, COUNTED BY_THREES LOOP, &status);
    assert_non_null(runner);
    assert_int_equal(run_part(runner, &run, 0, 6, 0), TOPK_RUNNER_STOPPED);
    assert_int_equal(run.done, 2);
    run.stop_after = 0;
    assert_int_equal(run_part(runner, &run, 6, 7, 0), TOPK_RUNNER_DONE);
    assert_int_equal(run.results[6], 1);
    assert_int_equal(run.verdicts[6], TOPK_VERDICT_PASS);
    topk_runner_close(runner);
}

static void interrupt_is_for_good(void **state)
{
    (void)state;
    struct run run = {.count = 2, .texts = {"ok", "ok"}};
    enum topk_runner_status status;
    struct topk_runner *runner = open_with(&run, COUNTED ONE_BY_ONE LOOP, &status);
    assert_non_null(runner);
    run.interrupt = true;
    assert_int_equal(run_part(runner, &run, 0, 1, 0), TOPK_RUNNER_DONE);
    run.interrupt = false;
    /* the signal arrived with the last result, so it interrupts the next job */
    assert_int_equal(run_part(runner, &run, 1, 2, 0), TOPK_RUNNER_INTERRUPTED);
    assert_int_equal(run_part(runner, &run, 1, 2, 0), TOPK_RUNNER_INTERRUPTED);
    topk_runner_close(runner);
}

/* ---- cases one after the other --------------------------------------------------------------- */

struct stream {
    struct run run;
    struct topk_runner *runner;
    uint64_t given;
    uint64_t end; /* the number of cases */
    uint64_t ticks;
};

static bool next_of_stream(void *context, uint64_t *number)
{
    struct stream *stream = context;
    assert_true(stream->given <= stream->end); /* it is not called again after the end */
    *number = stream->given++;
    return *number < stream->end;
}

static const char *text_of_stream(void *context, uint64_t number, size_t *length)
{
    struct stream *stream = context;
    assert_true(number < stream->given);
    assert_int_equal(number < CASES ? stream->run.results[number] : 0, 0);
    return text_of(&stream->run, number % 3, length);
}

static bool take_of_stream(void *context, uint64_t number, const struct topk_result *result)
{
    struct stream *stream = context;
    stream->run.done++;
    if (number < CASES) {
        stream->run.results[number]++;
        stream->run.verdicts[number] = result->verdict;
    }
    return true;
}

static void stop_at_tick(void *context)
{
    struct stream *stream = context;
    if (++stream->ticks == 2) {
        topk_runner_stop(stream->runner);
    }
}

static enum topk_runner_status run_stream(struct stream *stream, void (*tick)(void *context))
{
    enum topk_runner_status status;
    stream->runner = open_with(&stream->run, COUNTED ONE_BY_ONE LOOP, &status);
    assert_non_null(stream->runner);
    struct topk_runner_job job = {
        .next = next_of_stream,
        .text = text_of_stream,
        .result = take_of_stream,
        .tick = tick,
        .context = stream,
    };
    status = topk_runner_run(stream->runner, &job, stream->run.error);
    topk_runner_close(stream->runner);
    return status;
}

static void cases_come_one_after_the_other(void **state)
{
    (void)state;
    for (uint64_t end = 0; end < CASES; end += 63) {
        struct stream stream = {
            .run = {.jobs = end % 2 == 0 ? 1 : 2, .texts = {"ok", "segv", "ok"}},
            .end = end == 63 ? 64 : end % 20};
        assert_int_equal(run_stream(&stream, NULL), TOPK_RUNNER_DONE);
        assert_int_equal(stream.given, stream.end + 1);
        for (uint64_t i = 0; i < CASES; i++) {
            assert_int_equal(stream.run.results[i], i < stream.end);
            assert_int_equal(stream.run.verdicts[i],
                             i < stream.end && i % 3 == 1 ? TOPK_VERDICT_CRASH : TOPK_VERDICT_PASS);
        }
    }
}

static void endless_cases_can_be_stopped(void **state)
{
    (void)state;
    struct stream stream = {.run = {.texts = {"ok", "ok", "ok"}}, .end = UINT64_MAX};
    assert_int_equal(run_stream(&stream, stop_at_tick), TOPK_RUNNER_STOPPED);
    assert_true(stream.run.done > 0 && stream.run.done < stream.given);
}

/* ---- limits, and who was under way ----------------------------------------------------------- */

/* Runs cases that are "ok", except one. */
static enum topk_runner_status run_all_but(struct run *run, uint64_t number, const char *text,
                                           const char *script)
{
    for (uint64_t i = 0; i < run->count; i++) {
        run->texts[i] = i == number ? text : "ok";
    }
    return run_with(run, script);
}

static void a_hang_costs_two_limits_however_large_its_batch(void **state)
{
    (void)state;
    struct run run = {.count = 64, .timeout = LIMIT};
    assert_int_equal(run_all_but(&run, 40, "hang", COUNTED AT_ONCE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 40, TOPK_VERDICT_TIMEOUT, "not finished after 0.6 s");
    assert_int_equal(lines_of("ends"), 2);
    assert_int_equal(starts(), 65); /* each of them had its own worker */
    assert_int_equal(run.notes, 0);
}

static void a_hang_behind_other_cases_is_run_again_alone(void **state)
{
    (void)state;
    struct run run = {.count = 3, .timeout = LIMIT};
    assert_int_equal(run_all_but(&run, 1, "hang", COUNTED ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 1, TOPK_VERDICT_TIMEOUT, "not finished after 0.6 s");
    assert_int_equal(lines_of("ends"), 2);
    assert_int_equal(starts(), 3);
}

static void a_hang_of_the_first_case_is_a_verdict(void **state)
{
    (void)state;
    struct run run = {.count = 3, .timeout = LIMIT};
    assert_int_equal(run_all_but(&run, 0, "hang", COUNTED ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 0, TOPK_VERDICT_TIMEOUT, "not finished after 0.6 s");
    assert_int_equal(lines_of("ends"), 1);
    assert_int_equal(starts(), 2);
}

static void a_hang_behind_other_cases_only_is_flaky(void **state)
{
    (void)state;
    struct run run = {.count = 3, .timeout = LIMIT};
    assert_int_equal(run_all_but(&run, 1, "stale", "echo '" HELLO "'\n" ONE_BY_ONE LOOP),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, 1, TOPK_VERDICT_FLAKY,
                   "it was late after other cases; alone, in a new worker, it was done: pass; "
                   "before: not finished after 0.6 s");
    assert_int_equal(lines_of("ends"), 1);
    assert_int_equal(run.notes, 0);
}

static void what_a_keeper_says_is_late_once_is_flaky(void **state)
{
    (void)state;
    struct run run = {.count = 7};
    assert_int_equal(
        run_all_but(&run, 4, "once:expired_@_1_too%20long", "echo '" KEEPER "'\n" AT_ONCE LOOP),
        TOPK_RUNNER_DONE);
    expect_one_bad(&run, 4, TOPK_VERDICT_FLAKY, "before: too long");
}

static void the_last_of_several_that_is_late_once_is_slow(void **state)
{
    (void)state;
    struct run run = {.count = 7, .timeout = LIMIT};
    assert_int_equal(run_all_but(&run, 4, "slow",
                                 "echo '" HELLO "'\n"
                                 "all() { echo \"begin 0 $1\"; i=0; while [ $i -lt $1 ]; do\n"
                                 "eval \"text=\\$t$i\"; [ $text = ok ] || [ $1 = 1 ] || late=$i\n"
                                 "[ \"$late\" = $i ] || pass $i; i=$((i+1)); done\n"
                                 "[ -z \"$late\" ] || sleep 99; }\n" LOOP),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, 7, TOPK_VERDICT_PASS, "");
    assert_int_equal(run.notes, 1);
}

static void hangs_with_several_workers(void **state)
{
    (void)state;
    struct run run = {.count = CASES, .jobs = 3, .timeout = LIMIT};
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = i % 90 == 50 ? "hang" : "ok";
    }
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" AT_ONCE LOOP), TOPK_RUNNER_DONE);
    for (uint64_t i = 0; i < run.count; i++) {
        assert_int_equal(run.results[i], 1);
        assert_int_equal(run.verdicts[i], i % 90 == 50 ? TOPK_VERDICT_TIMEOUT : TOPK_VERDICT_PASS);
    }
    assert_int_equal(lines_of("ends"), 4);
}

static void a_keeper_is_told_the_limit(void **state)
{
    (void)state;
    struct run run = {.count = 6, .texts = {"ok", "ok", "ok", "segv", "ok", "ok"}};
    enum topk_runner_status status;
    char limits[64] = "";
    struct topk_runner *runner = open_with(&run, "echo '" KEEPER "'\n" ONE_BY_ONE LOOP, &status);
    assert_non_null(runner);
    assert_int_equal(run_part(runner, &run, 0, 1, 0), TOPK_RUNNER_DONE);
    assert_int_equal(run_part(runner, &run, 1, 2, 0), TOPK_RUNNER_DONE);
    assert_int_equal(run_part(runner, &run, 2, 4, 45), TOPK_RUNNER_DONE);
    assert_int_equal(run_part(runner, &run, 4, 6, 45), TOPK_RUNNER_DONE); /* a new worker */
    topk_runner_close(runner);
    char path[100];
    snprintf(path, sizeof path, "%s/limits", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(limits, 1, sizeof limits - 1, file) > 0);
    fclose(file);
    assert_string_equal(limits, "60000\n45000\n45000\n");
}

static void others_are_not_told_the_limit(void **state)
{
    (void)state;
    expect_verdict("ok", TOPK_VERDICT_PASS, "");
    assert_int_equal(lines_of("limits"), 0);
}

static void a_keeper_is_not_watched_by_the_limit(void **state)
{
    (void)state;
    struct run run = {.count = 3, .timeout = LIMIT};
    assert_int_equal(run_all_but(&run, 1, "late", "echo '" KEEPER "'\n" AT_ONCE LOOP),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, 3, TOPK_VERDICT_PASS, "");
    assert_int_equal(run.restarts, 0);
}

static void a_keeper_that_hangs_itself_is_killed(void **state)
{
    (void)state;
    struct run run = {.count = 2, .timeout = 0.2, .backstop = 0.2};
    assert_int_equal(run_all_but(&run, 0, "hang", "echo '" KEEPER "'\n" ONE_BY_ONE LOOP),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, 0, TOPK_VERDICT_TIMEOUT,
                   "the worker enforces the limit of 0.2 s itself, but did not end");
}

static void what_a_keeper_says_is_late_is_run_again_alone(void **state)
{
    (void)state;
    struct run run = {.count = 64};
    assert_int_equal(run_all_but(&run, 40, "says:expired_@_1_too%20long",
                                 "echo start >>$DIR/starts\necho '" KEEPER "'\n" AT_ONCE LOOP),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, 40, TOPK_VERDICT_TIMEOUT, "too long");
    assert_int_equal(lines_of("ends"), 2);
    assert_int_equal(starts(), 3); /* the others were not running */
    assert_int_equal(run.notes, 0);
}

static void a_worker_that_is_slow_gets_smaller_batches(void **state)
{
    (void)state;
    struct run run = {.count = 40};
    assert_int_equal(run_all_but(&run, 40, "", "echo '" KEEPER "'\n" TOO_LATE_TOGETHER LOOP),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, 40, TOPK_VERDICT_PASS, "");
    assert_int_equal(lines_of("ends"), 3); /* of the batches of 4, 4 and 2 */
    assert_int_equal(run.notes, 1);
    assert_non_null(
        strstr(run.noted, "the time for 4 cases in one batch ran out (not done); alone"));
}

static void what_died_is_run_again_alone(void **state)
{
    (void)state;
    struct run run = {.count = 7};
    assert_int_equal(run_all_but(&run, 4, "says:died_@_1_gone", COUNTED AT_ONCE LOOP),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, 4, TOPK_VERDICT_CRASH, "gone");
    assert_int_equal(lines_of("ends"), 2);
    assert_int_equal(starts(), 3);
    assert_int_equal(lines_of("runs"), 5 + 1 + 6);
}

static void what_died_once_is_flaky(void **state)
{
    (void)state;
    struct run run = {.count = 7};
    assert_int_equal(run_all_but(&run, 4, "once:died_@_1_gone", COUNTED AT_ONCE LOOP),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, 4, TOPK_VERDICT_FLAKY,
                   "the worker ended while it ran; alone it was done: pass; before: gone");
}

static void what_died_alone_is_a_crash(void **state)
{
    (void)state;
    expect_verdict("says:died_@_1_gone%20now", TOPK_VERDICT_CRASH, "gone now");
    expect_verdict("stays:died_@_1_gone%20now", TOPK_VERDICT_CRASH, "gone now");
}

static void what_is_killed_from_outside_is_run_again(void **state)
{
    (void)state;
    struct run run = {.count = 7};
    assert_int_equal(run_all_but(&run, 4, "outside", COUNTED ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 7, TOPK_VERDICT_PASS, "");
    assert_int_equal(starts(), 2);
    assert_int_equal(run.notes, 1);
    assert_string_equal(run.noted, "a process was ended from outside, and its cases are run again: "
                                   "killed by signal 9 (Killed)");
    assert_string_equal(run.reasons[4],
                        "it was run again, because a process that ran it was ended from outside");
}

static void so_is_a_backend_process(void **state)
{
    static const char *const ends[] = {
        "once:died_@_1_killed%20by%20signal%2015%20(Terminated)",
        "once:died_@_3_exited%20with%20129%20(of%20a%20shell:%20signal%201%2C%20Hangup)"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct run run = {.count = 7};
        assert_int_equal(run_all_but(&run, 4, ends[i], COUNTED AT_ONCE LOOP), TOPK_RUNNER_DONE);
        expect_one_bad(&run, 7, TOPK_VERDICT_PASS, "");
        assert_int_equal(run.notes, 1);
        assert_int_equal(remove_folder(NULL), 0);
        assert_int_equal(make_folder(NULL), 0);
    }
}

static void what_kills_itself_each_time_is_a_crash(void **state)
{
    (void)state;
    /* after two more tries, and a worker that stays */
    struct run tried = {.count = 2, .texts = {"term", "x"}};
    assert_int_equal(run_with(&tried, COUNTED ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&tried, 0, TOPK_VERDICT_CRASH, "killed by signal 15");
    assert_int_equal(starts(), 4);
    assert_int_equal(tried.notes, 2);
    expect_verdict("says:died_@_1_killed%20by%20signal%209%20(Killed)", TOPK_VERDICT_CRASH,
                   "killed by signal 9");
    /* a crash stays a crash if the process is killed afterwards */
    struct run run = {.count = 1, .texts = {"told-killed"}};
    assert_int_equal(run_with(&run, COUNTED ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 0, TOPK_VERDICT_CRASH, "killed by signal 9");
    assert_int_equal(run.notes, 0);
}

/* a backend that ends itself at a different case each time is excused only a few times */
static void kills_of_other_cases_are_not_excused(void **state)
{
    (void)state;
    struct run run = {.count = 10};
    static char names[10][16];
    for (uint64_t i = 0; i < run.count; i++) {
        snprintf(names[i], sizeof names[i], "outside%d", (int)i);
        run.texts[i] = names[i];
    }
    assert_int_equal(run_with(&run, COUNTED ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    unsigned crashes = 0;
    for (uint64_t i = 0; i < run.count; i++) {
        assert_int_equal(run.results[i], 1);
        crashes += run.verdicts[i] == TOPK_VERDICT_CRASH;
    }
    assert_int_equal(crashes, 9);
    assert_int_equal(run.notes, 1);
}

/* the process that each case was sent to last */
static uint64_t processes[CASES];

static void take_sent(void *context, uint64_t number, uint64_t worker)
{
    const struct run *run = context;
    assert_int_equal(run->results[number], 0);
    processes[number] = worker;
}

static void what_is_sent_is_told_with_its_process(void **state)
{
    (void)state;
    struct run run = {.count = 5, .texts = {"ok", "segv", "ok", "outside", "ok"}};
    enum topk_runner_status status;
    struct topk_runner *runner = open_with(&run, COUNTED ONE_BY_ONE LOOP, &status);
    assert_non_null(runner);
    const struct topk_runner_job job = {.count = run.count,
                                        .text = text_of,
                                        .result = take_result,
                                        .sent = take_sent,
                                        .context = &run};
    assert_int_equal(topk_runner_run(runner, &job, run.error), TOPK_RUNNER_DONE);
    topk_runner_close(runner);
    const uint64_t expected[] = {1, 1, 2, 3, 3};
    assert_memory_equal(processes, expected, sizeof expected);
}

static void an_end_with_nothing_under_way_is_noted(void **state)
{
    (void)state;
    struct run run = {.count = 7};
    assert_int_equal(run_all_but(&run, 4, "once:died_0_0_gone", COUNTED AT_ONCE LOOP),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, 7, TOPK_VERDICT_PASS, "");
    assert_int_equal(run.notes, 1);
    assert_string_equal(run.noted, "a worker ended between cases: gone");
}

static void three_ends_with_nothing_under_way_break(void **state)
{
    (void)state;
    struct run run = {.count = 7};
    assert_int_equal(run_all_but(&run, 4, "says:expired_0_0_gone", COUNTED AT_ONCE LOOP),
                     TOPK_RUNNER_BROKEN);
    assert_int_equal(run.done, 0);
    assert_int_equal(starts(), 3);
}

static void wrong_ranges_are_garbage(void **state)
{
    (void)state;
    static const char *const lines[] = {"died_5_1_x", "died_3_1_x",    "died_4_2_x",
                                        "died_@_1",   "died_gone",     "expired_0_1_x",
                                        "died_@_1_%", "expired_9_2_x", "died_04_1_x"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[64];
        snprintf(text, sizeof text, "stays:%s", lines[i]);
        expect_verdict(text, TOPK_VERDICT_CRASH,
                       lines[i][0] == 'd' ? "garbage on the pipe: \"died "
                                          : "garbage on the pipe: \"expired ");
    }
}

static void a_range_beyond_the_batch_is_garbage(void **state)
{
    (void)state;
    struct run run = {.count = 7};
    /* the cases of the previous batch on that place had begun */
    assert_int_equal(run_all_but(&run, 0, "says:died_0_2_gone", COUNTED AT_ONCE LOOP),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, 0, TOPK_VERDICT_CRASH, "garbage on the pipe: \"died 0 2 gone\"");
}

static void who_accuses_others_is_found(void **state)
{
    (void)state;
    struct run run = {.count = 64};
    assert_int_equal(run_all_but(&run, 60, "says:died_0_1_gone", COUNTED AT_ONCE LOOP),
                     TOPK_RUNNER_DONE);
    for (uint64_t i = 0; i < run.count; i++) {
        assert_int_equal(run.results[i], 1);
        /* the cases that it could accuse until it was not believed any more */
        assert_int_equal(run.verdicts[i], i < 3     ? TOPK_VERDICT_FLAKY
                                          : i == 60 ? TOPK_VERDICT_CRASH
                                                    : TOPK_VERDICT_PASS);
    }
    assert_int_equal(lines_of("ends"), 5);
    assert_true(lines_of("runs") < 6 * run.count);
}

static void ends_after_each_result_are_no_endless_run(void **state)
{
    (void)state;
    struct run run = {.count = 16};
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = "done:died_0_0_gone";
    }
    assert_int_equal(run_with(&run, COUNTED AT_ONCE LOOP), TOPK_RUNNER_DONE);
    /* the others were cleared three times; then they were suspects */
    expect_one_bad(&run, 4, TOPK_VERDICT_FLAKY, "it and 11 more began together");
    assert_true(starts() < 2 * run.count);
    assert_true(lines_of("runs") < 6 * run.count);
}

/* Runs a worker that fails before its first case. */

static void expect_refused(const char *script, enum topk_runner_status status, const char *reason)
{
    struct run run = {.count = 1, .texts = {"ok"}};
    run.start_timeout = strstr(reason, "said nothing") == NULL ? AMPLE : LIMIT;
    assert_int_equal(run_with(&run, script), status);
    if (strstr(run.error, reason) == NULL) {
        fail_msg("the reason is \"%s\", without \"%s\"", run.error, reason);
    }
    assert_int_equal(run.done, 0);
}

static void expect_unavailable(const char *script, const char *reason)
{
    expect_refused(script, TOPK_RUNNER_UNAVAILABLE, reason);
}

static void no_greeting(void **state)
{
    (void)state;
    expect_unavailable("sleep 99", "said nothing for 0.6 s");
    expect_unavailable("echo oops >&2; exit 5", "exited with 5\noops");
    expect_unavailable("kill -ABRT $$", "signal 6");
    expect_unavailable("echo hello", "says \"hello\"");
    expect_unavailable("printf '\\001%09999d'", "says \"\\x01000");
    expect_unavailable("no-such-command-here", "exited with 127");
}

static void wrong_version(void **state)
{
    (void)state;
    expect_unavailable("echo topk-worker 2 shape=other", "speaks version 2 of the protocol");
}

static void malformed_greeting(void **state)
{
    (void)state;
#define ANONYMOUS "topk-worker 1 name=a version= device= driver= features="
    static const struct {
        const char *line;
        const char *reason;
    } rows[] = {
        {"topk-worker 1", "\"\" stands where name= has to"},
        {"topk-worker 1 name=a device=b", "\" device=b\" stands where version= has to"},
        {ANONYMOUS " level=5 flags=0 batch=1 own=", "level= is \"5\"; it must be a feature level"},
        {ANONYMOUS " level=0.0 flags=0 batch=1 own=", "level= is \"0.0\""},
        {ANONYMOUS " level=2.15 flags=0 batch=1 own=", "level= is \"2.15\""},
        {ANONYMOUS " level=5.0 flags=0x1 batch=1 own=",
         "flags= is \"0x1\"; it must be a number in"},
        {ANONYMOUS " level=5.0 flags=0 batch=0 own=",
         "batch= is \"0\"; it must be a number from 1"},
        {ANONYMOUS " level=5.0 flags=0 batch=1 own= x",
         "\" x\" stands behind its end; a space in own= must be written %20"},
        {"topk-worker 1 name=my own version=",
         "\" own version=\" stands where version= has to; a space "
         "in name= must be written %20"},
        {"topk-worker 1 name=%zz version=", "name= is \"%zz\"; it must be a word"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char script[300];
        char reason[300];
        snprintf(script, sizeof script, "echo '%s'; sleep 9", rows[i].line);
        snprintf(reason, sizeof reason, "introduction is malformed: %s", rows[i].reason);
        expect_unavailable(script, reason);
    }
}

static void backend_unavailable(void **state)
{
    (void)state;
    expect_unavailable("echo 'unavailable '", "gives no reason");
    expect_unavailable("echo unavailable no%20device%20here; exit 4", "no device here");
}

static void contract_is_wrong(void **state)
{
    (void)state;
    static const char introduction[] = "echo topk-worker 1 name= version= device= driver= "
                                       "features= level=5.0 flags=0 batch=1 own= "
                                       "contract=ties%3Dnone; sleep 9";
    expect_refused("echo misdeclared no%20such%20rule; exit 3", TOPK_RUNNER_MISDECLARED,
                   "no such rule");
    expect_refused(introduction, TOPK_RUNNER_MISDECLARED, "ties is 'none'");
}

static void command_is_missing(void **state)
{
    (void)state;
    static const char *const command[] = {"/nonexistent/worker", NULL};
    struct topk_runner_options options = {.command = command, .jobs = 1, .timeout = 1};
    struct topk_greeting greeting;
    enum topk_runner_status status;
    char error[TOPK_RUNNER_ERROR];
    assert_null(topk_runner_open(&options, &greeting, &status, error));
    assert_int_equal(status, TOPK_RUNNER_BROKEN);
    assert_non_null(strstr(error, "no such file"));
}

static void group_of_the_worker_is_killed(void **state)
{
    (void)state;
    struct run run = {.count = 1, .texts = {"hang"}, .timeout = LIMIT};
    char path[100];
    snprintf(path, sizeof path, "%s/child", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    int end = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(end >= 0);
    /* only the child holds the other end of the pipe */
    assert_int_equal(run_with(&run, "(echo >&7; exec sleep 99) 7>$DIR/child &\n"
                                    "echo '" HELLO "'\n" ONE_BY_ONE LOOP),
                     TOPK_RUNNER_DONE);
    struct pollfd ended = {.fd = end, .events = POLLIN};
    char lines[16];
    ssize_t length;
    size_t said = 0;
    do {
        assert_int_equal(poll(&ended, 1, (int)(AMPLE * 1000)), 1);
        length = read(end, lines, sizeof lines);
        assert_true(length >= 0);
        said += (size_t)length;
    } while (length > 0);  /* end of file: the child is gone */
    assert_true(said > 0); /* it existed; so may the one of a restarted worker */
    close(end);
}

/* ---- several machines ------------------------------------------------------------------------ */

/* Runs cases on machines; all have the same text, except number 20. */
static enum topk_runner_status run_on(struct run *run, uint32_t machines, uint32_t jobs,
                                      const char *text)
{
    run->count = CASES;
    run->machines = machines;
    run->jobs = jobs;
    for (uint64_t i = 0; i < run->count; i++) {
        run->texts[i] = i == 20 ? text : "ok";
    }
    return run_with(run, ON_MACHINE);
}

/* Asserts that `count` ends of processes have this kind, and that there are no others. */
static void expect_ends(const struct run *run, enum topk_process_end end, unsigned count,
                        const char *how)
{
    for (int i = 0; i < TOPK_PROCESS_COUNT; i++) {
        assert_int_equal(run->ended[i], i == (int)end ? count : 0);
    }
    if (strstr(run->how, how) == NULL) {
        fail_msg("'%s' is not in '%s'", how, run->how);
    }
}

static void cases_of_a_machine_that_is_lost_go_to_others(void **state)
{
    (void)state;
    struct run run = {0};
    assert_int_equal(run_on(&run, 3, 3, "goes"), TOPK_RUNNER_DONE);
    expect_one_bad(&run, CASES, TOPK_VERDICT_PASS, "");
    expect_ends(&run, TOPK_PROCESS_LOST, 1,
                "cases: killed by signal 11 (Segmentation fault); it could not be started again: "
                "exited with 255; stderr: refused");
    assert_non_null(strstr(run.how, "'ssh "));
    assert_int_equal(run.notes, 1);
}

/* the last of several, too */
static void any_machine_may_be_lost(void **state)
{
    (void)state;
    struct run run = {.machines = 2, .jobs = 2, .count = CASES};
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = "goes-2";
    }
    assert_int_equal(run_with(&run, "meet() { until [ $(wc -l <$DIR/started) -ge 2 ]; do sleep "
                                    "0.02; done; }\n" ON_MACHINE),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, CASES, TOPK_VERDICT_PASS, "");
    expect_ends(&run, TOPK_PROCESS_LOST, 1, "'ssh 2' is lost after 0 cases");
}

static void all_workers_of_a_machine_are_lost_at_once(void **state)
{
    (void)state;
    struct run run = {0};
    assert_int_equal(run_on(&run, 2, 7, "goes"), TOPK_RUNNER_DONE);
    expect_one_bad(&run, CASES, TOPK_VERDICT_PASS, "");
    expect_ends(&run, TOPK_PROCESS_LOST, 1, "is lost after");
}

static void workers_are_dealt_over_the_machines(void **state)
{
    (void)state;
    struct run run = {.machines = 2, .jobs = 5, .count = CASES};
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = "ok";
    }
    assert_int_equal(run_with(&run, "meet() { until [ $(wc -l <$DIR/started) -ge 5 ]; do sleep "
                                    "0.02; done; }\n" ON_MACHINE),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, CASES, TOPK_VERDICT_PASS, "");
    assert_int_equal(lines_of("started-1"), 3);
    assert_int_equal(lines_of("started-2"), 2);
    expect_ends(&run, TOPK_PROCESS_COUNT, 0, "");
}

static void a_machine_that_hangs_is_lost(void **state)
{
    (void)state;
    struct run run = {.timeout = LIMIT, .start_timeout = 4 * LIMIT};
    assert_int_equal(run_on(&run, 2, 2, "hangs"), TOPK_RUNNER_DONE);
    expect_one_bad(&run, CASES, TOPK_VERDICT_PASS, "");
    expect_ends(
        &run, TOPK_PROCESS_LOST, 1,
        "not finished after 0.6 s; it could not be started again: it said nothing for 2.4 s");
}

static void a_crash_on_a_machine_that_stays_is_a_crash(void **state)
{
    (void)state;
    struct run run = {0};
    assert_int_equal(run_on(&run, 2, 2, "segv"), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 20, TOPK_VERDICT_CRASH, "killed by signal 11");
    expect_ends(&run, TOPK_PROCESS_UNDER_WAY, 1, "killed by signal 11");
}

static void a_machine_that_comes_back_is_not_lost(void **state)
{
    (void)state;
    struct run run = {0};
    assert_int_equal(run_on(&run, 2, 2, "wakes"), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 20, TOPK_VERDICT_CRASH, "killed by signal 11");
    assert_int_equal(run.ended[TOPK_PROCESS_LOST], 0);
    assert_int_equal(run.ended[TOPK_PROCESS_UNDER_WAY], 1);
    assert_int_equal(run.ended[TOPK_PROCESS_BETWEEN], 2);
}

static void no_case_is_judged_when_all_machines_are_lost(void **state)
{
    (void)state;
    struct run run = {0};
    assert_int_equal(run_on(&run, 2, 2, "all-go"), TOPK_RUNNER_BROKEN);
    assert_non_null(strstr(run.error, "all machines are lost; the last one was 'ssh "));
    assert_int_equal(run.results[20], 0);
    expect_ends(&run, TOPK_PROCESS_LOST, 2, "is lost after");
}

static void machines_that_differ_are_refused(void **state)
{
    (void)state;
    struct run run = {.machines = 2, .jobs = 2, .count = 1, .texts = {"ok"}};
    assert_int_equal(run_with(&run, "[ $1 = 1 ] || name=other\n" ON_MACHINE), TOPK_RUNNER_UNLIKE);
    assert_non_null(strstr(run.error, "'ssh 2' has name 'other' where 'ssh 1' had 'fake'"));
    expect_ends(&run, TOPK_PROCESS_COUNT, 0, "");
}

static void each_machine_has_to_be_there_at_first(void **state)
{
    (void)state;
    struct run run = {.machines = 3, .jobs = 3, .count = 1, .texts = {"ok"}};
    assert_int_equal(run_with(&run, ": >$DIR/gone-2\n" ON_MACHINE), TOPK_RUNNER_UNAVAILABLE);
    assert_non_null(strstr(run.error, "'ssh 2': the worker ended before"));
    expect_ends(&run, TOPK_PROCESS_COUNT, 0, "");
}

static bool take_answer(void *context, uint64_t number, const char *text, size_t length)
{
    struct run *run = context;
    (void)number;
    snprintf(run->noted, sizeof run->noted, "%.*s", (int)length, text);
    return true;
}

/* after the machine that had them is lost, and after a job of cases */
static void requests_and_jobs_find_a_machine_that_is_there(void **state)
{
    (void)state;
    struct run run = {.machines = 2, .jobs = 2, .texts = {"go", "ok"}};
    enum topk_runner_status status;
    struct topk_runner *runner = open_with(
        &run,
        "[ ! -e $DIR/gone-$1 ] || exit 255\n"
        "echo '" HELLO "'\n"
        "while read -r word n; do\n"
        "  [ $word != batch ] || { read -r x; echo 'begin 0 1'; "
        "    echo 'done 0 pass clause=- obs=0 ns=5'; continue; }\n"
        "  [ $word = go ] || break\n"
        "  echo 'begin 0 1'; [ $1 = 2 ] || { : >$DIR/gone-1; exit 255; }; echo \"done 0 of $1\"\n"
        "done\n",
        &status);
    struct topk_runner_machine there[TOPK_RUNNER_MACHINES];
    assert_non_null(runner);
    struct topk_runner_job job = {
        .count = 1, .text = text_of, .result = take_result, .answer = take_answer, .context = &run};
    assert_int_equal(topk_runner_machines(runner, there), 2);
    assert_int_equal(topk_runner_run(runner, &job, run.error), TOPK_RUNNER_DONE);
    assert_string_equal(run.noted, "of 2");
    expect_ends(&run, TOPK_PROCESS_LOST, 1, "'ssh 1' is lost after 0 cases");
    assert_int_equal(topk_runner_machines(runner, there), 1);
    assert_string_equal(there[0].name, "ssh 2");
    job.answer = NULL;
    run.texts[0] = "ok";
    assert_int_equal(topk_runner_run(runner, &job, run.error), TOPK_RUNNER_DONE);
    assert_int_equal(run.results[0], 1);
    topk_runner_close(runner);
    expect_ends(&run, TOPK_PROCESS_LOST, 1, "'ssh 1'");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        TEST(normal_run),
        TEST(several_workers),
        TEST(order_is_kept),
        TEST(no_cases),
        TEST(carriage_returns_are_ignored),
        TEST(failure_comes_through),
        TEST(crash_by_signal),
        TEST(crash_of_a_sanitizer),
        TEST(exit_with_0_in_a_case),
        TEST(hang_is_a_timeout),
        TEST(each_call_of_a_check_has_its_time),
        TEST(words_are_garbage),
        TEST(a_crash_that_is_told_goes_with_its_verdict),
        TEST(a_crash_by_a_write_names_its_clause),
        TEST(an_end_that_no_case_accounts_for_is_told),
        TEST(who_changes_ends_the_run),
        TEST(long_cases_come_one_by_one),
        TEST(verdict_without_ground_is_garbage),
        TEST(foreign_case_is_garbage),
        TEST(second_begin_is_garbage),
        TEST(begin_beyond_the_batch_is_garbage),
        TEST(binary_is_garbage),
        TEST(long_line_is_garbage),
        TEST(lost_device_restarts),
        TEST(done_twice_is_garbage),
        TEST(end_between_cases_is_noted),
        TEST(ends_with_results_between_do_not_break),
        TEST(three_ends_between_cases_break),
        TEST(done_before_begin_breaks),
        TEST(silence_breaks),
        TEST(error_line_breaks),
        TEST(endless_error_lines_break),
        TEST(culprit_of_three_is_found),
        TEST(hanging_one_of_three_is_found),
        TEST(three_slow_ones_are_no_failure),
        TEST(cases_begun_together_have_the_time_of_the_longest),
        TEST(loser_of_three_devices_is_found),
        TEST(end_without_a_culprit_is_flaky),
        TEST(a_hang_costs_two_limits_however_large_its_batch),
        TEST(a_hang_behind_other_cases_is_run_again_alone),
        TEST(a_hang_of_the_first_case_is_a_verdict),
        TEST(a_hang_behind_other_cases_only_is_flaky),
        TEST(what_a_keeper_says_is_late_once_is_flaky),
        TEST(the_last_of_several_that_is_late_once_is_slow),
        TEST(hangs_with_several_workers),
        TEST(a_keeper_is_told_the_limit),
        TEST(others_are_not_told_the_limit),
        TEST(a_keeper_is_not_watched_by_the_limit),
        TEST(a_keeper_that_hangs_itself_is_killed),
        TEST(what_a_keeper_says_is_late_is_run_again_alone),
        TEST(a_worker_that_is_slow_gets_smaller_batches),
        TEST(what_died_is_run_again_alone),
        TEST(what_died_once_is_flaky),
        TEST(what_is_killed_from_outside_is_run_again),
        TEST(so_is_a_backend_process),
        TEST(what_kills_itself_each_time_is_a_crash),
        TEST(kills_of_other_cases_are_not_excused),
        TEST(what_is_sent_is_told_with_its_process),
        TEST(what_died_alone_is_a_crash),
        TEST(an_end_with_nothing_under_way_is_noted),
        TEST(three_ends_with_nothing_under_way_break),
        TEST(wrong_ranges_are_garbage),
        TEST(a_range_beyond_the_batch_is_garbage),
        TEST(who_accuses_others_is_found),
        TEST(ends_after_each_result_are_no_endless_run),
        TEST(stop_is_heeded),
        TEST(interrupt_stops),
        TEST(jobs_share_a_worker),
        TEST(workers_are_let_go),
        TEST(worker_that_does_not_end_is_said_to_be_killed_for_it),
        TEST(job_after_a_crash_and_a_hang),
        TEST(worker_that_ended_between_jobs_is_replaced),
        TEST(job_that_was_stopped_is_forgotten),
        TEST(stopped_job_does_not_wait_for_a_hang),
        TEST(each_case_has_a_fresh_worker),
        TEST(suspects_of_a_stopped_job_are_dropped),
        TEST(interrupt_is_for_good),
        TEST(cases_come_one_after_the_other),
        TEST(endless_cases_can_be_stopped),
        TEST(no_greeting),
        TEST(wrong_version),
        TEST(malformed_greeting),
        TEST(backend_unavailable),
        TEST(contract_is_wrong),
        TEST(command_is_missing),
        TEST(group_of_the_worker_is_killed),
        TEST(cases_of_a_machine_that_is_lost_go_to_others),
        TEST(any_machine_may_be_lost),
        TEST(all_workers_of_a_machine_are_lost_at_once),
        TEST(workers_are_dealt_over_the_machines),
        TEST(a_machine_that_hangs_is_lost),
        TEST(a_crash_on_a_machine_that_stays_is_a_crash),
        TEST(a_machine_that_comes_back_is_not_lost),
        TEST(no_case_is_judged_when_all_machines_are_lost),
        TEST(machines_that_differ_are_refused),
        TEST(each_machine_has_to_be_there_at_first),
        TEST(requests_and_jobs_find_a_machine_that_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
