/* A proxy between the runner and a worker that spoils some cases or their results:
 *
 *   topk-cts run --worker "chaos_worker SPEC topk-worker --backend ./chaos.so" --out DIR
 *   chaos_worker SPEC --check DIR/results.jsonl
 *
 * SPEC is parsed by topk_chaos_parse(). The second command derives from the ids in the log which
 * cases were spoiled, and lists those with a wrong verdict.
 *
 * The plugin (chaos_backend.c) spoils outputs: such a case is sent to the worker alone, with an
 * order in a pipe that the plugin reads. Everything else is done here, to the worker's messages.
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case/case.h"
#include "chaos.h"
#include "log/log.h"
#include "protocol/protocol.h"

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "chaos_worker: %s\n", what);
    exit(TOPK_WORKER_EXIT_HARNESS);
}

/* ---- proxy ----------------------------------------------------------------------------------- */

struct line {
    char *text; /* without its end */
    size_t room;
    size_t length;
};

struct between {
    struct topk_chaos how;
    const char *spec;
    FILE *to_worker;
    FILE *from_worker;
    int orders[2]; /* a pipe to the plugin */
    uint32_t count;
    struct line cases[TOPK_PROTOCOL_BATCH]; /* the batch from the runner */
    enum topk_chaos_kind kinds[TOPK_PROTOCOL_BATCH];
};

static bool read_line(FILE *in, struct line *line)
{
    ssize_t length = getline(&line->text, &line->room, in);
    if (length <= 0 || line->text[length - 1] != '\n') {
        return false;
    }
    line->text[--length] = 0;
    line->length = (size_t)length;
    return true;
}

static void say(const char *line)
{
    puts(line);
    fflush(stdout);
}

/* Whether the outputs of a case are computed and judged: only then is a spoiled output certainly
 * wrong. */
static bool judged(const struct line *line)
{
    struct topk_case tc;
    struct topk_case_error error;
    struct topk_validity validity;
    if (!topk_case_parse(line->text, line->length, &tc, &error)) {
        return false;
    }
    topk_operator_validate(&tc.op, tc.op.level, &validity);
    const bool yes = topk_clause_set_empty(&validity.broken) &&
                     !topk_clause_set_has(&validity.latitude, TOPK_CLAUSE_T14) &&
                     tc.op.direction <= TOPK_DECREASING && !topk_case_too_large(&tc) &&
                     !topk_case_misbound(&tc);
    topk_case_clear(&tc);
    return yes;
}

static bool at_output(enum topk_chaos_kind kind)
{
    return topk_chaos_row(kind)->place == TOPK_CHAOS_AT_OUTPUT;
}

/* spoils the process for the first case of a group for which that is requested */
static void spoil_process(const enum topk_chaos_kind kinds[], uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        switch (kinds[i]) {
        case TOPK_CHAOS_CRASH:
            abort();
        case TOPK_CHAOS_EXIT:
            exit(EXIT_SUCCESS);
        case TOPK_CHAOS_HANG:
            for (;;) {
                pause();
            }
        default:
            break;
        }
    }
}

/* prints the result of a case, spoiled or not */
static void say_done(enum topk_chaos_kind kind, uint32_t number, const char *said)
{
    const struct topk_chaos_row *row = topk_chaos_row(kind);
    if (kind == TOPK_CHAOS_GARBLE) {
        printf("done %" PRIu32 " passed, all is well\n", number);
    } else if (kind == TOPK_CHAOS_SHORT) {
        printf("done %" PRIu32 " pa", number);
        fflush(stdout);
        exit(EXIT_SUCCESS);
    }
    if (row->place == TOPK_CHAOS_AT_ANSWER && strncmp(said, "pass ", 5) == 0) {
        char text[TOPK_RESULT_TEXT];
        struct topk_result result;
        memset(&result, 0, sizeof result);
        result.verdict = row->verdict;
        result.clause = TOPK_CLAUSE_NONE;
        snprintf(result.reason, sizeof result.reason, TOPK_CHAOS_REASON "%s", row->word);
        topk_result_print(&result, text);
        printf("done %" PRIu32 " %s\n", number, text);
    } else {
        printf("done %" PRIu32 " %s\n", number, said);
    }
    fflush(stdout);
}

/* Handles a worker's line about cases from `from` on; returns how many of them it completes. */
static uint32_t take_line(const struct between *between, char *line, uint32_t from)
{
    const bool begin = strncmp(line, "begin ", 6) == 0;
    if (!begin && strncmp(line, "done ", 5) != 0) {
        say(line);
        return 0;
    }
    char *rest;
    const uint32_t number = from + (uint32_t)strtoul(line + (begin ? 6 : 5), &rest, 10);
    const unsigned long count = begin ? strtoul(rest, NULL, 10) : 1;
    if (*rest != ' ' || number >= between->count || count > between->count - number) {
        give_up("the worker says what it should not");
    }
    if (begin) {
        printf("begin %" PRIu32 " %lu\n", number, count);
        fflush(stdout);
        spoil_process(&between->kinds[number], (uint32_t)count);
        return 0;
    }
    say_done(between->kinds[number], number, rest + 1);
    return 1;
}

/* Lets the worker run cases from .. from + count - 1. */
static void run_cases(struct between *between, uint32_t from, uint32_t count)
{
    static struct line line;
    char order = (char)between->kinds[from];
    if (at_output(between->kinds[from]) && write(between->orders[1], &order, 1) != 1) {
        give_up("there is no room for an order");
    }
    fprintf(between->to_worker, "batch %" PRIu32 "\n", count);
    for (uint32_t i = from; i < from + count; i++) {
        fprintf(between->to_worker, "%s\n", between->cases[i].text);
    }
    fflush(between->to_worker);
    for (uint32_t done = 0; done < count;) {
        if (!read_line(between->from_worker, &line)) {
            give_up("the worker ended");
        }
        done += take_line(between, line.text, from);
    }
    /* an order that the plugin did not read must not apply to the next case */
    while (read(between->orders[0], &order, 1) == 1) {
    }
}

/* Runs the batch: cases that the plugin spoils alone, the others in groups that are as large as
 * possible. */
static void run_batch(struct between *between)
{
    for (uint32_t i = 0; i < between->count; i++) {
        const struct line *line = &between->cases[i];
        enum topk_chaos_kind kind = topk_chaos_pick(&between->how, line->text, line->length);
        between->kinds[i] = at_output(kind) && !judged(line) ? TOPK_CHAOS_NONE : kind;
    }
    for (uint32_t from = 0; from < between->count;) {
        uint32_t to = from + 1;
        while (!at_output(between->kinds[from]) && to < between->count &&
               !at_output(between->kinds[to])) {
            to++;
        }
        run_cases(between, from, to - from);
        from = to;
    }
}

/* forwards the worker's greeting, changed to say that results are spoiled; false if there is
 * none */
static bool greet(const struct between *between)
{
    static const char label[] = " features=";
    struct line line = {0};
    const bool read = read_line(between->from_worker, &line);
    char *at = read ? strstr(line.text, label) : NULL;
    if (at != NULL) {
        char said[512];
        char word[sizeof said * 3];
        snprintf(said, sizeof said, "SPOILED ON PURPOSE: chaos %s; ", between->spec);
        topk_word_print(said, word, sizeof word);
        at += sizeof label - 1;
        printf("%.*s%s", (int)(at - line.text), line.text, word);
        say(at);
    } else if (read) {
        say(line.text);
    }
    free(line.text);
    return read;
}

/* forwards a request that is not a case */
static void pass_on(const struct between *between, const char *request)
{
    struct line line = {0};
    fprintf(between->to_worker, "%s\n", request);
    fflush(between->to_worker);
    do {
        if (!read_line(between->from_worker, &line)) {
            give_up("the worker ended");
        }
        say(line.text);
    } while (strncmp(line.text, "done ", 5) != 0);
    free(line.text);
}

/* serves the runner's lines until it quits */
static void serve(struct between *between)
{
    struct line line = {0};
    while (read_line(stdin, &line) && strcmp(line.text, "quit") != 0) {
        if (strncmp(line.text, "probe", 5) == 0) {
            pass_on(between, line.text);
            continue;
        }
        between->count =
            strncmp(line.text, "batch ", 6) == 0 ? (uint32_t)strtoul(line.text + 6, NULL, 10) : 0;
        if (between->count == 0 || between->count > TOPK_PROTOCOL_BATCH) {
            give_up("the runner says what it should not");
        }
        for (uint32_t i = 0; i < between->count; i++) {
            if (!read_line(stdin, &between->cases[i])) {
                give_up("the runner ended within a batch");
            }
        }
        run_batch(between);
    }
    free(line.text);
}

static pid_t start_worker(struct between *between, char **command)
{
    int to[2];
    int from[2];
    char path[64];
    if (pipe(to) != 0 || pipe(from) != 0 || pipe(between->orders) != 0 ||
        fcntl(between->orders[0], F_SETFL, O_NONBLOCK) != 0) {
        give_up("there are no pipes");
    }
    /* passed as a path: a worker closes all inherited files but the first three */
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), between->orders[0]);
    setenv(TOPK_CHAOS_ORDERS, path, 1);
    const pid_t worker = fork();
    if (worker == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        close(to[0]);
        close(to[1]);
        close(from[0]);
        close(from[1]);
        close(between->orders[1]);
        execvp(command[0], command);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    between->to_worker = fdopen(to[1], "w");
    between->from_worker = fdopen(from[0], "r");
    if (worker < 0 || between->to_worker == NULL || between->from_worker == NULL) {
        give_up("the worker cannot be started");
    }
    return worker;
}

static int stand_between(const char *spec, const struct topk_chaos *how, char **command)
{
    static struct between between;
    int status = 0;
    between.how = *how;
    between.spec = spec;
    const pid_t worker = start_worker(&between, command);
    if (greet(&between)) {
        serve(&between);
    }
    fclose(between.to_worker);
    return waitpid(worker, &status, 0) == worker && WIFEXITED(status) ? WEXITSTATUS(status)
                                                                      : TOPK_WORKER_EXIT_HARNESS;
}

/* ---- the log --------------------------------------------------------------------------------- */

/* greatest number of wrong verdicts that are printed */
#define SHOWN 10

struct check {
    struct topk_chaos how;
    /* spoiled cases by kind; [0]: cases that were not to be spoiled */
    uint64_t spoiled[TOPK_CHAOS_KINDS];
    uint64_t spared; /* cases that could not be spoiled as requested */
    uint64_t wrong;  /* wrong verdicts */
    bool complete;
};

/* whether the reason says that this output or answer was spoiled */
static bool says_so(const char *reason, const struct topk_chaos_row *row)
{
    const size_t prefix = strlen(TOPK_CHAOS_REASON);
    return strncmp(reason, TOPK_CHAOS_REASON, prefix) == 0 &&
           strcmp(reason + prefix, row->word) == 0;
}

static bool check_record(void *context, const struct topk_log_record *record)
{
    struct check *check = context;
    const char *text = strchr(record->id, ':') + 1;
    enum topk_chaos_kind kind = topk_chaos_pick(&check->how, text, strlen(text));
    const struct topk_chaos_row *row = topk_chaos_row(kind);
    /* a case may have no outputs or answer to spoil */
    if ((row->place == TOPK_CHAOS_AT_OUTPUT || row->place == TOPK_CHAOS_AT_ANSWER) &&
        !says_so(record->reason, row)) {
        check->spared++;
        kind = TOPK_CHAOS_NONE;
    }
    check->spoiled[kind]++;
    const bool right = kind == TOPK_CHAOS_NONE ? !topk_verdict_failure(record->verdict)
                                               : record->verdict == row->verdict;
    check->wrong += !right;
    if (!right && check->wrong <= SHOWN) {
        printf("WRONG VERDICT: %s, where %s: %s\n  %s\n", topk_verdict_word(record->verdict),
               kind == TOPK_CHAOS_NONE ? "nothing was done" : "this was done",
               topk_chaos_row(kind)->about, record->id);
    }
    return true;
}

static bool check_end(void *context, const struct topk_log_ending *ending)
{
    ((struct check *)context)->complete = ending->complete;
    return true;
}

static int check_log(const struct topk_chaos *how, const char *path)
{
    char error[1024];
    struct check check = {.how = *how};
    const struct topk_log_reader reader = {
        .context = &check, .record = check_record, .end = check_end};
    if (topk_log_read(path, &reader, error, sizeof error) != 0) {
        give_up(error);
    }
    if (!check.complete) {
        give_up("the run did not come to its end");
    }
    uint64_t spoiled = 0;
    for (int kind = 1; kind < TOPK_CHAOS_KINDS; kind++) {
        const struct topk_chaos_row *row = topk_chaos_row((enum topk_chaos_kind)kind);
        spoiled += check.spoiled[kind];
        if (check.spoiled[kind] > 0) {
            printf("  %-8s %7" PRIu64 "  %s: %s\n", row->word, check.spoiled[kind],
                   topk_verdict_word(row->verdict), row->about);
        }
    }
    printf("CHAOS: %" PRIu64 " cases were spoiled, %" PRIu64 " were left alone (%" PRIu64
           " could not be spoiled as wanted): %" PRIu64 " wrong verdicts\n",
           spoiled, check.spoiled[TOPK_CHAOS_NONE], check.spared, check.wrong);
    return check.wrong > 0;
}

int main(int argc, char **argv)
{
    struct topk_chaos how;
    char error[1024];
    if (argc < 3) {
        fputs("Usage: chaos_worker SPEC COMMAND [ARGUMENT...]\n"
              "       chaos_worker SPEC --check LOG\n",
              stderr);
        return 2;
    }
    if (!topk_chaos_parse(argv[1], &how, error, sizeof error)) {
        fprintf(stderr, "chaos_worker: %s\n", error);
        return 2;
    }
    return strcmp(argv[2], "--check") == 0 && argc == 4 ? check_log(&how, argv[3])
                                                        : stand_between(argv[1], &how, argv + 2);
}
