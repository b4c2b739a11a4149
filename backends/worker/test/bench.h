/* Shared by the benchmarks of hosting: small cases in messages of the worker protocol, a worker
 * that receives them, and medians. Any failure ends the program. */
#ifndef TOPK_BENCH_H
#define TOPK_BENCH_H

#include <stdio.h>
#include <sys/types.h>

#define BENCH_RUNS 7

/* All messages, each "batch N" with its cases. */
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

/* Sorts BENCH_RUNS rates, so that the median is in the middle. */
void bench_sort(double rates[BENCH_RUNS]);

/* Prints small case `number`, a sequence of `length` elements. Returns the length of the text. */
int bench_print_case(char *text, size_t room, unsigned length, unsigned number);

void bench_make_messages(struct bench_messages *messages, unsigned cases, unsigned batch,
                         unsigned length);
void bench_free_messages(struct bench_messages *messages);

/* Cases per second through a worker, which a shell starts, with two unanswered messages like the
 * runner; all must pass. The start is not measured. warm: neither are the first two messages,
 * during which a driver compiles its kernels. */
double bench_through_worker(const char *command, const struct bench_messages *messages, int warm);

#endif
