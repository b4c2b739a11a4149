/* Gates: what a run has to be to be green, beside that nothing fails: what it serves, and that no
 * rule of its expectations is expired. Its header says which; so all that says what the run came to
 * decides alike. */
#ifndef TOPK_GATE_H
#define TOPK_GATE_H

#include "log/log.h"

/* Percent of the valid calls that a run of a whole profile has to serve, unless --min-supported
 * says otherwise. The narrowest library that people use, the largest FLOAT32 along the last axis,
 * asks for 8 % of core. */
#define TOPK_GATE_LEAST      2
#define TOPK_GATE_LEAST_TEXT "2"

/* Who understands cases. */
struct topk_asks {
    /* The number of the kind that a word of --require means, such as "f16"; -1 if there is none. */
    int (*kind)(const char *word);
    /* Bit 0: the case asks for a result, that is its call is valid and none that may be refused.
     * Bit 1 + i: that, and it is of kinds[i]. */
    uint64_t (*ask)(const char *id, const int *kinds, size_t count);
};

/* Room for the options of a gate, with the terminator. */
#define TOPK_GATE_TEXT (TOPK_REQUIRE_MAX * (TOPK_REQUIRE_TEXT + 1) + 64)
/* Writes "--require f16,i8 --min-supported 50 --allow-expired", "" if none was given. */
void topk_gate_print(const struct topk_log_gate *gate, char *text, size_t size);

/* Ends of processes that count against a run (topk_process_unclean()), and processes that were
 * ended from outside, with which a run can still be good, unless --max-unclean and --max-restarts
 * say otherwise. */
#define TOPK_GATE_UNCLEAN       0
#define TOPK_GATE_UNCLEAN_TEXT  "0"
#define TOPK_GATE_RESTARTS      10
#define TOPK_GATE_RESTARTS_TEXT "10"

struct topk_gate {
    bool given;     /* the header has one: it holds also if the run tested nothing */
    uint32_t least; /* percent of the valid calls */
    size_t count;   /* of words */
    char words[TOPK_REQUIRE_MAX][TOPK_REQUIRE_TEXT];
    int kinds[TOPK_REQUIRE_MAX]; /* -1: of a later version */
    uint32_t unclean;            /* --max-unclean, or as it is without that */
    uint32_t restarts;           /* --max-restarts, the same */
    size_t expired; /* rules of the expectations that apply, are expired and may not be */
};

/* The gate of a run. That of a shard asks for no kinds: only all of them together can serve them.
 */
void topk_gate_take(struct topk_gate *gate, const struct topk_log_header *header,
                    const struct topk_asks *asks);

/* What a case asks for, as ask() says of the kinds of the gate. */
uint64_t topk_gate_ask(const struct topk_gate *gate, const struct topk_asks *asks, const char *id);

struct topk_tested;
/* Whether a run serves enough; whether it serves all that is required. gate: NULL asks for nothing.
 */
bool topk_gate_enough(const struct topk_gate *gate, const struct topk_tested *tested,
                      const uint64_t totals[TOPK_VERDICT_COUNT]);
bool topk_gate_required(const struct topk_gate *gate, const struct topk_tested *tested);
/* Whether no more processes ended badly than may, and no more were ended from outside. */
bool topk_gate_clean(const struct topk_gate *gate, const struct topk_tested *tested);
bool topk_gate_steady(const struct topk_gate *gate, const struct topk_tested *tested);
/* Whether no rule is expired that may not be. */
bool topk_gate_lasts(const struct topk_gate *gate);
/* Writes what is not as the gate asks, "" if nothing, or if nothing was tested and none was given:
 * "f16 is required, and 12 of its 40 cases are not served; --min-supported is 2 %". Words for
 * which there is no room are counted. */
void topk_gate_sentence(const struct topk_gate *gate, const struct topk_tested *tested,
                        const uint64_t totals[TOPK_VERDICT_COUNT], char *text, size_t size);

#endif
