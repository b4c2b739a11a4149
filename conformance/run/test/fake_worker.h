/* Shared by the tests of the runner: misbehaving workers, shell scripts that implement part of the
 * protocol. The text of a case says what the fake worker does. */
#ifndef TOPK_FAKE_WORKER_H
#define TOPK_FAKE_WORKER_H

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

/* A worker that records each of its starts, so that a test can count them. */
#define COUNTED "echo start >>$DIR/starts\necho '" HELLO "'\n"

/* The folder of the test that is running. */
extern char folder[64];
int make_folder(void **state);
int remove_folder(void **state);
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

/* Functions of a job, whose context is a run. */
const char *text_of(void *context, uint64_t number, size_t *length);
bool take_result(void *context, uint64_t number, const struct topk_result *result);

/* Opens a runner whose worker is a script. */
struct topk_runner *open_with(struct run *run, const char *script, enum topk_runner_status *status);
/* Runs the cases of a run with a script for a worker. */
enum topk_runner_status run_with(struct run *run, const char *script);
/* Runs cases that are "ok", except one. */
enum topk_runner_status run_all_but(struct run *run, uint64_t number, const char *text,
                                    const char *script);
/* Runs the cases from..to of a run as a separate job. */
enum topk_runner_status run_part(struct topk_runner *runner, struct run *run, uint64_t from,
                                 uint64_t to, double timeout);

/* Asserts that every case has one result, and that all but one pass. */
void expect_one_bad(const struct run *run, uint64_t number, enum topk_verdict verdict,
                    const char *reason);
/* Runs ten cases; number 4 does what `text` says. */
void expect_verdict(const char *text, enum topk_verdict verdict, const char *reason);

/* The number of lines in a file of the folder; 0 if it does not exist. */
unsigned lines_of(const char *name);
/* The number of workers that started, of those that are COUNTED. */
unsigned starts(void);

#endif
