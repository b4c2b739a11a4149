/* What passes are worth. A backend that serves no call that asks for a result has computed nothing,
 * whatever else it refused: its refusals show no conformance. One that serves few of them shows
 * little. And a pass that rests on a status alone shows less than one whose outputs were judged. */
#ifndef TOPK_TESTED_H
#define TOPK_TESTED_H

#include "gate.h"
#include "reference/result.h"

/* What is known of a requirement, a word of --require. */
struct topk_required {
    uint64_t cases;   /* that were run, ask for a result and are of its kind */
    uint64_t lacking; /* of them, not served although nothing allows that */
};

/* Cases that ask for a result are valid calls, and none that may be refused and pass. A case is
 * served unless it is unsupported. */
struct topk_tested {
    uint64_t asked;                                  /* cases that were run and ask for a result */
    uint64_t served;                                 /* of them */
    uint64_t by_status;                              /* passes, by a status alone */
    uint64_t by_contract;                            /* unsupported, as the contract says */
    uint64_t ended[TOPK_PROCESS_COUNT];              /* processes, by how they ended */
    struct topk_required required[TOPK_REQUIRE_MAX]; /* by number of the gate's word */
};

/* How many processes ended so that it counts against the run. */
uint64_t topk_tested_unclean(const struct topk_tested *tested);

/* Room for the sentence, with the terminator. */
#define TOPK_ENDED_TEXT 440
/* Writes how processes ended that no case accounts for: "1 process was ended from outside, 2
 * processes did not end well when they were told to quit"; "" if all did well. */
void topk_tested_ended(const struct topk_tested *tested, char text[TOPK_ENDED_TEXT]);

/* Takes the verdict on a case, and its clause; asked: topk_gate_ask(); by_status, by_contract: as
 * in struct topk_result. gate: NULL if there is none. */
void topk_tested_add(struct topk_tested *tested, const struct topk_gate *gate, uint64_t asked,
                     enum topk_verdict verdict, enum topk_clause clause, bool by_status,
                     bool by_contract);

/* How many cases there are, of all verdicts. */
uint64_t topk_totals_sum(const uint64_t totals[TOPK_VERDICT_COUNT]);

/* Whether nothing was tested: all that asks for a result is unsupported, or simply all. A run that
 * nothing of asks for a result has tested refusals. */
bool topk_tested_nothing(const struct topk_tested *tested,
                         const uint64_t totals[TOPK_VERDICT_COUNT]);

/* Says so of a run that topk_tested_nothing() is true of: "all 87 cases are unsupported". */
void topk_tested_sentence(const uint64_t totals[TOPK_VERDICT_COUNT], char *text, size_t size);

/* The share of the cases that ask for a result that was served; of all cases if none asks. */
struct topk_share {
    uint64_t served, asked;
    bool all; /* none of the cases asks for a result: these are all */
};
struct topk_share topk_share_of(const struct topk_tested *tested,
                                const uint64_t totals[TOPK_VERDICT_COUNT]);
/* In percent, rounded down: 100 only if every one was served. 0 if there are none. */
uint32_t topk_share_percent(const struct topk_share *share);
/* Room for a share in words, with the terminator. */
#define TOPK_SHARE_TEXT 64
/* Writes "79 % of the valid calls". */
void topk_share_print(const struct topk_share *share, char *text, size_t size);

#endif
