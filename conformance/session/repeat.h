/* --repeat N: runs cases several times. Their results become one: the first failure, with the
 * number of runs and of failures. */
#ifndef TOPK_CLI_REPEAT_H
#define TOPK_CLI_REPEAT_H

#include "session.h"

/* --repeat; child of a command's argp, whose input is a uint32_t that it sets to 1 first */
extern const struct argp cli_repeat_argp;

/* Most of --repeat. */
#define CLI_REPEAT_MAX 1000000u

/* A case of which some results are there. */
struct cli_repeated {
    uint64_t number;
    struct topk_result *result; /* owned */
};

/* A job of a runner that asks for each of its cases, 0, 1, ..., so often. Its numbers are number *
 * times + how often the case was asked for before. */
struct cli_repeat {
    uint32_t times; /* at least 1 */
    uint64_t count; /* of cases */
    uint64_t next;  /* how many were asked for */
    struct cli_repeated *list;
    size_t list_count, list_room;
    struct topk_result whole;
};

/* Yields the next number, as next() of a runner's job. */
bool cli_repeat_next(struct cli_repeat *repeat, uint64_t *number);
/* Takes a result. What the case came to, until the next call, if that was the last of it; NULL if
 * not. false in *ok: memory is short. */
const struct topk_result *cli_repeat_take(struct cli_repeat *repeat, uint64_t number,
                                          const struct topk_result *result, bool *ok);
void cli_repeat_free(struct cli_repeat *repeat);

#endif
