/* Chaos: what goes wrong between a backend and a verdict, on purpose and at a seeded rate, to see
 * that each case that is spoiled gets the verdict that it should, and no other case does.
 *
 * What happens to a case depends on its text and the seed alone: not on the order of the cases, on
 * the jobs, or on the backend. So whoever reads the log of the run knows what was done.
 * chaos_worker.c does it, with the help of the plugin chaos_backend.c, and reads the log. */
#ifndef TOPK_CHAOS_H
#define TOPK_CHAOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reference/result.h"

enum topk_chaos_kind {
    TOPK_CHAOS_NONE,
#define TOPK_CHAOS(kind, word, place, verdict, about) TOPK_CHAOS_##kind,
#include "chaos.def"
#undef TOPK_CHAOS
    TOPK_CHAOS_KINDS
};

enum topk_chaos_place {
    TOPK_CHAOS_AT_NONE,
    TOPK_CHAOS_AT_OUTPUT,
    TOPK_CHAOS_AT_ANSWER,
    TOPK_CHAOS_AT_PROCESS,
    TOPK_CHAOS_AT_LINE
};

struct topk_chaos_row {
    const char *word;
    enum topk_chaos_place place;
    enum topk_verdict verdict;
    const char *about;
};

struct topk_chaos {
    double rate; /* of the cases, 0 to 1 */
    uint64_t seed;
    uint32_t kinds; /* a bit for each: 1 << kind */
};

const struct topk_chaos_row *topk_chaos_row(enum topk_chaos_kind kind);

/* Reads "rate=R,seed=N,kinds=WORD+WORD", each at most once; the rate has no default, the seed is 1,
 * the kinds are all. False, with the reason, if it is malformed. */
bool topk_chaos_parse(const char *spec, struct topk_chaos *chaos, char *error, size_t error_bytes);

/* What happens to the case of that text. */
enum topk_chaos_kind topk_chaos_pick(const struct topk_chaos *chaos, const char *text,
                                     size_t length);

/* What the reason of a result starts with if what was computed or answered was spoiled; the word of
 * the kind follows. */
#define TOPK_CHAOS_REASON "chaos: "

/* The variable by which the plugin is told the path of a pipe. Before each run() it reads a byte
 * from there, if there is one: the kind that its first call is spoiled by. */
#define TOPK_CHAOS_ORDERS "TOPK_TEST_CHAOS_ORDERS"

#endif
