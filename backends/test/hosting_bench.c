/* What it costs that a backend is hosted in a process of its own: the same small cases in process,
 * and through one worker, two messages of 64 cases ahead as the runner has it. Target: at least
 * 30000 cases a second through one worker. Run by hand: hosting_bench [FOLDER of topk-worker
 * [COMMAND of another worker]] */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host.h"

#define CASES 65536u
#define BATCH 64u
#define AHEAD 2u
#define RUNS  7

static void die(const char *what)
{
    fprintf(stderr, "hosting_bench: %s\n", what);
    exit(1);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int by_number(const void *a, const void *b)
{
    const double *x = a;
    const double *y = b;
    return (*x > *y) - (*x < *y);
}

/* ---- the cases ----------------------------------------------------------------------------------
 */

/* all messages, "batch 64" and its cases, one after the other */
struct messages {
    char *text;
    size_t end[CASES / BATCH]; /* of each message */
};

static void make_messages(struct messages *messages)
{
    size_t room = (size_t)CASES * 96;
    size_t length = 0;
    messages->text = malloc(room);
    if (messages->text == NULL) {
        die("out of memory");
    }
    for (unsigned i = 0; i < CASES; i++) {
        if (i % BATCH == 0) {
            length += (size_t)snprintf(messages->text + length, room - length, "batch %u\n", BATCH);
        }
        length +=
            (size_t)snprintf(messages->text + length, room - length,
                             "top_k fl=5.0 in=f32[1,1,1,16] axis=3 k=8 data=shuffle.1:%u\n", i);
        messages->end[i / BATCH] = length;
    }
}

/* from the texts, as the worker does it, but without a pipe */
static double run_in_process(struct topk_host *host, const struct messages *messages)
{
    double start = now();
    const char *line = messages->text;
    unsigned passed = 0;
    for (unsigned i = 0; i < CASES; i++) {
        if (i % BATCH == 0) {
            line = strchr(line, '\n') + 1;
        }
        const char *end = strchr(line, '\n');
        struct topk_case test;
        struct topk_case_error error;
        struct topk_result result;
        const struct topk_case *cases[] = {&test};
        if (!topk_case_parse(line, (size_t)(end - line), &test, &error)) {
            die(error.message);
        }
        topk_host_run(host, cases, 1, &result);
        topk_case_clear(&test);
        passed += result.verdict == TOPK_VERDICT_PASS;
        line = end + 1;
    }
    if (passed != CASES) {
        die("a case failed");
    }
    return CASES / (now() - start);
}

/* ---- the worker ---------------------------------------------------------------------------------
 */

struct worker {
    pid_t pid;
    int to;
    FILE *from;
    char line[8192];
};

static void start_worker(struct worker *worker, const char *command)
{
    int in[2];
    int out[2];
    if (pipe(in) != 0 || pipe(out) != 0) {
        die("no pipe");
    }
    worker->pid = fork();
    if (worker->pid == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        close(in[1]);
        close(out[0]);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    worker->to = in[1];
    worker->from = fdopen(out[0], "r");
    if (worker->pid < 0 || worker->from == NULL ||
        fgets(worker->line, sizeof worker->line, worker->from) == NULL ||
        strncmp(worker->line, "topk-worker 1 ", 14) != 0) {
        die("no worker");
    }
}

static void say(const struct worker *worker, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t written = write(worker->to, text, length);
        if (written <= 0) {
            die("the worker does not listen");
        }
        text += written;
        length -= (size_t)written;
    }
}

static void say_message(const struct worker *worker, const struct messages *messages,
                        unsigned number)
{
    size_t start = number == 0 ? 0 : messages->end[number - 1];
    say(worker, messages->text + start, messages->end[number] - start);
}

static void hear_message(struct worker *worker)
{
    for (unsigned done = 0; done < BATCH;) {
        if (fgets(worker->line, sizeof worker->line, worker->from) == NULL) {
            die("the worker ended");
        }
        if (strncmp(worker->line, "done ", 5) == 0) {
            if (strstr(worker->line, " pass ") == NULL) {
                die(worker->line);
            }
            done++;
        }
    }
}

/* the start of the process is not part of it: a run has one */
static double run_through_worker(const char *command, const struct messages *messages)
{
    struct worker worker;
    start_worker(&worker, command);
    double start = now();
    unsigned said = 0;
    for (unsigned heard = 0; heard < CASES / BATCH; heard++) {
        for (; said < heard + AHEAD && said < CASES / BATCH; said++) {
            say_message(&worker, messages, said);
        }
        hear_message(&worker);
    }
    double rate = CASES / (now() - start);
    say(&worker, "quit\n", 5);
    close(worker.to);
    fclose(worker.from);
    waitpid(worker.pid, NULL, 0);
    return rate;
}

int main(int argc, char **argv)
{
    char command[4200];
    const char *slash = strrchr(argv[0], '/');
    if (argc > 1) {
        snprintf(command, sizeof command, "exec '%s/topk-worker' --backend cpu", argv[1]);
    } else {
        snprintf(command, sizeof command, "exec '%.*s/topk-worker' --backend cpu",
                 slash == NULL ? 1 : (int)(slash - argv[0]), slash == NULL ? "." : argv[0]);
    }
    if (argc > 2) {
        snprintf(command, sizeof command, "exec %s", argv[2]);
    }
    struct messages messages;
    make_messages(&messages);
    struct topk_host host;
    char error[512];
    if (!topk_host_open(&host, "cpu", error, sizeof error)) {
        die(error);
    }
    double inside[RUNS];
    double outside[RUNS];
    for (int i = 0; i < RUNS; i++) {
        inside[i] = run_in_process(&host, &messages);
        outside[i] = run_through_worker(command, &messages);
    }
    topk_host_close(&host);
    free(messages.text);
    qsort(inside, RUNS, sizeof inside[0], by_number);
    qsort(outside, RUNS, sizeof outside[0], by_number);
    printf("%u cases, f32[1,1,1,16] k=8, median of %d runs (least, greatest)\n", CASES, RUNS);
    printf("in process      %8.0f cases/s (%.0f, %.0f)\n", inside[RUNS / 2], inside[0],
           inside[RUNS - 1]);
    printf("through worker  %8.0f cases/s (%.0f, %.0f)\n", outside[RUNS / 2], outside[0],
           outside[RUNS - 1]);
    printf("worker / in process: %.2f\n", outside[RUNS / 2] / inside[RUNS / 2]);
    return 0;
}
