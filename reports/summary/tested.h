/* What passes are worth. A backend that supports no call that requires a result has computed
 * nothing: its refusals alone do not show conformance. One that supports few of them shows little.
 * And a pass by a status alone shows less than one whose outputs were judged. */
#ifndef TOPK_TESTED_H
#define TOPK_TESTED_H

#include "gate.h"
#include "reference/result.h"

/* The counts for a requirement, a word of --require. */
struct topk_required {
    uint64_t cases;   /* that were run, require a result and are of its kind */
    uint64_t lacking; /* of these, those that are unsupported although nothing allows that */
};

/* A case requires a result if its call is valid and may not pass by being refused. A case is
 * supported unless its verdict is unsupported. */
struct topk_tested {
    uint64_t asked;                                  /* cases that were run and require a result */
    uint64_t served;                                 /* of these, the supported ones */
    uint64_t by_status;                              /* passes by a status alone */
    uint64_t by_contract;                            /* unsupported because of the contract */
    uint64_t ended[TOPK_PROCESS_COUNT];              /* processes by how they ended */
    struct topk_required required[TOPK_REQUIRE_MAX]; /* by index of the gate's word */
};

/* The number of processes whose end counts against the run. */
uint64_t topk_tested_unclean(const struct topk_tested *tested);

/* Size of the sentence, with the terminator. */
#define TOPK_ENDED_TEXT 440
/* Writes how processes ended if no case explains it: "1 process was ended from outside, 2 processes
 * did not end well when they were told to quit"; "" if all ended well. */
void topk_tested_ended(const struct topk_tested *tested, char text[TOPK_ENDED_TEXT]);

/* Counts a case by its verdict and clause. asked: from topk_gate_ask(); by_status, by_contract: as
 * in struct topk_result. gate: NULL if there is none. */
void topk_tested_add(struct topk_tested *tested, const struct topk_gate *gate, uint64_t asked,
                     enum topk_verdict verdict, enum topk_clause clause, bool by_status,
                     bool by_contract);

/* The number of cases with any verdict. */
uint64_t topk_totals_sum(const uint64_t totals[TOPK_VERDICT_COUNT]);

/* Whether nothing was tested: all cases that require a result, or simply all cases, are
 * unsupported. A run without cases that require a result has tested refusals. */
bool topk_tested_nothing(const struct topk_tested *tested,
                         const uint64_t totals[TOPK_VERDICT_COUNT]);

/* Describes a run for which topk_tested_nothing() is true: "all 87 cases are unsupported". */
void topk_tested_sentence(const uint64_t totals[TOPK_VERDICT_COUNT], char *text, size_t size);

/* The share of the cases requiring a result that is supported; of all cases if none requires
 * one. */
struct topk_share {
    uint64_t served, asked;
    bool all; /* none of the cases requires a result: these are all cases */
};
struct topk_share topk_share_of(const struct topk_tested *tested,
                                const uint64_t totals[TOPK_VERDICT_COUNT]);
/* In percent, rounded down: 100 only if all are supported. 0 if there are none. */
uint32_t topk_share_percent(const struct topk_share *share);
/* Size of a share in words, with the terminator. */
#define TOPK_SHARE_TEXT 64
/* Writes "79 % of the valid calls". */
void topk_share_print(const struct topk_share *share, char *text, size_t size);

#endif
