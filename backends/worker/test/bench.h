/* What the benchmarks of hosting share: small cases in messages of the worker protocol, a worker
 * that they are sent to, and medians. What fails ends the program. */
#ifndef TOPK_BENCH_H
#define TOPK_BENCH_H

#include <stdio.h>
#include <sys/types.h>

#define BENCH_RUNS 7

/* All messages, "batch N" and its cases, one after the other. */
struct bench_messages {
    unsigned cases;
    unsigned batch; /* cases in a message; divides cases */
    char *text;
    size_t *end; /* of each message */
};

struct bench_worker {
    pid_t pid;
    int to;
    FILE *from;
    char line[8192];
};

_Noreturn void bench_die(const char *what);

/* Seconds. */
double bench_now(void);

/* Sorts BENCH_RUNS rates: the median is in the middle then. */
void bench_sort(double rates[BENCH_RUNS]);

/* The small case of a number, a sequence of `length` elements. Returns the length of the text. */
int bench_print_case(char *text, size_t room, unsigned length, unsigned number);

void bench_make_messages(struct bench_messages *messages, unsigned cases, unsigned batch,
                         unsigned length);
void bench_free_messages(struct bench_messages *messages);

/* Cases a second through a worker, started by a shell, two messages ahead as the runner has it; all
 * of them pass. Its start is not part of it: a run has one. If warm, neither are the first two
 * messages: a driver compiles its kernels then. */
double bench_through_worker(const char *command, const struct bench_messages *messages, int warm);

#endif
