/* Functions that the benchmarks of hosting share. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* messages that were sent and are not answered */
#define AHEAD 2u

void bench_die(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

double bench_now(void)
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

void bench_sort(double rates[BENCH_RUNS])
{
    qsort(rates, BENCH_RUNS, sizeof rates[0], by_number);
}

/* ---- the cases ------------------------------------------------------------------------------- */

int bench_print_case(char *text, size_t room, unsigned length, unsigned number)
{
    return snprintf(text, room, "top_k fl=5.0 in=f32[1,1,1,%u] axis=3 k=8 data=shuffle.1:%u\n",
                    length, number);
}

void bench_make_messages(struct bench_messages *messages, unsigned cases, unsigned batch,
                         unsigned length)
{
    const size_t room = (size_t)cases * 96;
    size_t used = 0;
    messages->cases = cases;
    messages->batch = batch;
    messages->text = malloc(room);
    messages->end = calloc(cases / batch, sizeof *messages->end);
    if (messages->text == NULL || messages->end == NULL) {
        bench_die("out of memory");
    }
    for (unsigned i = 0; i < cases; i++) {
        if (i % batch == 0) {
            used += (size_t)snprintf(messages->text + used, room - used, "batch %u\n", batch);
        }
        used += (size_t)bench_print_case(messages->text + used, room - used, length, i);
        messages->end[i / batch] = used;
    }
}

void bench_free_messages(struct bench_messages *messages)
{
    free(messages->text);
    free(messages->end);
}

/* ---- the worker ------------------------------------------------------------------------------ */

static void start_worker(struct bench_worker *worker, const char *command)
{
    int in[2];
    int out[2];
    if (pipe(in) != 0 || pipe(out) != 0) {
        bench_die("no pipe");
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
        fgets(worker->line, sizeof worker->line, worker->from) == NULL) {
        bench_die("no worker");
    }
    if (strncmp(worker->line, "topk-worker 1 ", 14) != 0) {
        bench_die(worker->line);
    }
}

static void say(const struct bench_worker *worker, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t written = write(worker->to, text, length);
        if (written <= 0) {
            bench_die("the worker does not listen");
        }
        text += written;
        length -= (size_t)written;
    }
}

static void say_message(const struct bench_worker *worker, const struct bench_messages *messages,
                        unsigned number)
{
    size_t start = number == 0 ? 0 : messages->end[number - 1];
    say(worker, messages->text + start, messages->end[number] - start);
}

static void hear_message(struct bench_worker *worker, unsigned batch)
{
    for (unsigned done = 0; done < batch;) {
        if (fgets(worker->line, sizeof worker->line, worker->from) == NULL) {
            bench_die("the worker ended");
        }
        if (strncmp(worker->line, "done ", 5) == 0) {
            if (strstr(worker->line, " pass ") == NULL) {
                bench_die(worker->line);
            }
            done++;
        }
    }
}

static void send_all(struct bench_worker *worker, const struct bench_messages *messages,
                     unsigned count)
{
    unsigned said = 0;
    for (unsigned heard = 0; heard < count; heard++) {
        for (; said < heard + AHEAD && said < count; said++) {
            say_message(worker, messages, said);
        }
        hear_message(worker, messages->batch);
    }
}

double bench_through_worker(const char *command, const struct bench_messages *messages, int warm)
{
    struct bench_worker worker;
    start_worker(&worker, command);
    if (warm) {
        send_all(&worker, messages, AHEAD);
    }
    double start = bench_now();
    send_all(&worker, messages, messages->cases / messages->batch);
    double rate = messages->cases / (bench_now() - start);
    say(&worker, "quit\n", 5);
    close(worker.to);
    fclose(worker.from);
    waitpid(worker.pid, NULL, 0);
    return rate;
}
