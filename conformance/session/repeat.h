/* --repeat N: runs cases several times. The results of a case are merged into one: the first
 * failure, with the number of runs and of failures. */
#ifndef TOPK_CLI_REPEAT_H
#define TOPK_CLI_REPEAT_H

#include "session.h"

/* --repeat: a child of a command's argp. Its input is a uint32_t, which it initializes to 1. */
extern const struct argp cli_repeat_argp;

/* Maximum of --repeat. */
#define CLI_REPEAT_MAX 1000000u

/* A case that has some of its results. */
struct cli_repeated {
    uint64_t number;
    struct topk_result *result; /* owned */
};

/* A runner's job that runs each of its cases, 0, 1, ..., `times` times. Its numbers are the number
 * of the case * times + the number of the run, from 0. */
struct cli_repeat {
    uint32_t times; /* at least 1 */
    uint64_t count; /* of cases */
    uint64_t next;  /* next number of the job */
    struct cli_repeated *list;
    size_t list_count, list_room;
    struct topk_result whole;
};

/* Yields the next number, as next() of a runner's job. */
bool cli_repeat_next(struct cli_repeat *repeat, uint64_t *number);
/* Takes a result. If it was the last one of its case, returns the merged result, which is valid
 * until the next call; if not, NULL. *ok is false if memory is short. */
const struct topk_result *cli_repeat_take(struct cli_repeat *repeat, uint64_t number,
                                          const struct topk_result *result, bool *ok);
void cli_repeat_free(struct cli_repeat *repeat);

#endif
