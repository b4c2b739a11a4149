/* Gates: the requirements of a run, besides that no case fails: how much it supports, and that no
 * rule of its expectations is expired. The header of the log contains them, so that all conclusions
 * agree. */
#ifndef TOPK_GATE_H
#define TOPK_GATE_H

#include "log/log.h"

/* Default of --min-supported: the percentage of valid calls that a run of a whole profile must
 * support. The narrowest library in use, the largest FLOAT32 along the last axis, supports 8 % of
 * core. */
#define TOPK_GATE_LEAST      2
#define TOPK_GATE_LEAST_TEXT "2"

/* Functions that interpret cases. */
struct topk_asks {
    /* The number of the kind that a word of --require such as "f16" means; -1 if there is none. */
    int (*kind)(const char *word);
    /* Bit 0: the case requires a result: its call is valid, and may not be refused. Bit 1 + i: the
     * same, and it is of kinds[i]. */
    uint64_t (*ask)(const char *id, const int *kinds, size_t count);
};

/* Size of the options of a gate, with the terminator. */
#define TOPK_GATE_TEXT (TOPK_REQUIRE_MAX * (TOPK_REQUIRE_TEXT + 1) + 64)
/* Writes "--require f16,i8 --min-supported 50 --allow-expired"; "" if no option was given. */
void topk_gate_print(const struct topk_log_gate *gate, char *text, size_t size);

/* Defaults of --max-unclean and --max-restarts: how many ends of processes that count against a run
 * (topk_process_unclean()), and how many from outside, a good run may have. */
#define TOPK_GATE_UNCLEAN       0
#define TOPK_GATE_UNCLEAN_TEXT  "0"
#define TOPK_GATE_RESTARTS      10
#define TOPK_GATE_RESTARTS_TEXT "10"

struct topk_gate {
    bool given;     /* the header has one: it then applies even if the run tested nothing */
    uint32_t least; /* percent of the valid calls */
    size_t count;   /* number of words */
    char words[TOPK_REQUIRE_MAX][TOPK_REQUIRE_TEXT];
    int kinds[TOPK_REQUIRE_MAX]; /* -1: of a later version */
    uint32_t unclean;            /* --max-unclean, or its default */
    uint32_t restarts;           /* --max-restarts, or its default */
    /* number of applicable, expired rules of the expectations, if these are not allowed */
    size_t expired;
};

/* Gets the gate of a run. The gate of a shard requires no kinds, because only all shards together
 * can support them. */
void topk_gate_take(struct topk_gate *gate, const struct topk_log_header *header,
                    const struct topk_asks *asks);

/* What a case requires, as returned by ask() for the kinds of the gate. */
uint64_t topk_gate_ask(const struct topk_gate *gate, const struct topk_asks *asks, const char *id);

struct topk_tested;
/* Whether a run supports enough; whether it supports everything that is required. gate: NULL
 * requires nothing. */
bool topk_gate_enough(const struct topk_gate *gate, const struct topk_tested *tested,
                      const uint64_t totals[TOPK_VERDICT_COUNT]);
bool topk_gate_required(const struct topk_gate *gate, const struct topk_tested *tested);
/* Whether no more processes ended badly, or from outside, than allowed. */
bool topk_gate_clean(const struct topk_gate *gate, const struct topk_tested *tested);
bool topk_gate_steady(const struct topk_gate *gate, const struct topk_tested *tested);
/* Whether no rule is expired that must not be. */
bool topk_gate_lasts(const struct topk_gate *gate);
/* Writes which requirements are not met; "" if none, or if nothing was tested and no gate was
 * given: "f16 is required, and 12 of its 40 cases are not served; --min-supported is 2 %". Words
 * that do not fit are counted. */
void topk_gate_sentence(const struct topk_gate *gate, const struct topk_tested *tested,
                        const uint64_t totals[TOPK_VERDICT_COUNT], char *text, size_t size);

#endif
