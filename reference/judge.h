/* The judge decides whether a result fulfills the clauses, and which it breaks. It is independent
 * of the backend and does not recompute the result: it checks it as a certificate, in linear time.
 *
 * A result is correct if in every sequence (1) each index is in range, (2) each (value, index)
 * comes strictly after the previous one, which makes them distinct, (3) each value is the element
 * that its index names, and (4) exactly K elements of the sequence come no later than the last
 * selected one.
 */
#ifndef TOPK_JUDGE_H
#define TOPK_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract.h"
#include "operator.h"

/* from the tables mismatches.def and observations.def */
enum topk_mismatch {
#define MISMATCH(name, word, sentence) TOPK_MISMATCH_##name,
#include "mismatches.def"
#undef MISMATCH
    TOPK_MISMATCH_COUNT
};

enum topk_observation {
#define OBSERVATION(name, clause, word, of) TOPK_OBSERVATION_##name,
#include "observations.def"
#undef OBSERVATION
    TOPK_OBSERVATION_COUNT
};
_Static_assert(TOPK_OBSERVATION_COUNT <= 32, "observations are a 32-bit mask");

struct topk_mismatch_row {
    const char *word;
    const char *sentence;
};
const struct topk_mismatch_row *topk_mismatch_row(enum topk_mismatch mismatch);

/* Who decides an observation. */
enum topk_observation_of {
    TOPK_OBSERVATION_OF_BACKEND,
    TOPK_OBSERVATION_OF_DEVICE
};

struct topk_observation_row {
    enum topk_clause clause;
    const char *word;
    enum topk_observation_of of;
};
const struct topk_observation_row *topk_observation_row(enum topk_observation observation);

/* One way in which one clause is broken: the first occurrence, and the number of occurrences. */
struct topk_finding {
    enum topk_clause clause;
    enum topk_mismatch mismatch;
    enum topk_role role;          /* the tensor where it was found */
    uint32_t rank;                /* number of entries in `at`; 0: no element, see `byte` */
    uint32_t at[TOPK_RANK_VALID]; /* coordinates in that tensor */
    int64_t byte;      /* INPUT_WRITTEN, OUTSIDE_WRITTEN: offset from the tensor's start */
    uint64_t expected; /* bits of role's type, or a byte */
    uint64_t actual;
    uint64_t count; /* number of occurrences, at least 1 */
};

#define TOPK_FINDINGS_MAX 12

/* The result of the judge. */
struct topk_judgement {
    /* number of findings; 0: no clause is broken */
    uint32_t count;
    /* `count` entries, semantic ones first; the rest is undefined */
    struct topk_finding findings[TOPK_FINDINGS_MAX];
    uint32_t observations; /* bit 1 << enum topk_observation */
    bool has_sequence;     /* a sequence is wrong; the next two members say where */
    uint64_t sequence;     /* the first wrong one */
    uint32_t position;     /* the first wrong output in it */
    bool no_memory;        /* the judge could not finish */
    bool contradiction;    /* the judge's two methods disagree: a fault of the suite */
};

/* A buffer before and after the call. */
struct topk_exhibit {
    /* `bytes` long; the padding of outputs is compared in it: see M03 below */
    unsigned char *before;
    const unsigned char *after; /* `bytes` long */
    uint64_t bytes;
    uint64_t offset; /* of the tensor */
    uint64_t start;  /* start of the bound buffer; the bytes before it are slack */
};

/* Judges a call of a valid operator (which breaks no MUST clause, nor T14) with AxisDirection 0 or
 * 1, by DirectML's rules. exhibits: indexed by enum topk_role. Overwrites *judgement. */
void topk_judge_result(const struct topk_operator *op,
                       const struct topk_exhibit exhibits[TOPK_ROLE_COUNT],
                       struct topk_judgement *judgement);

/* The same by the rules of a contract that includes the operator (topk_contract_serves). */
void topk_judge_contract(const struct topk_operator *op, const struct topk_contract *contract,
                         const struct topk_exhibit exhibits[TOPK_ROLE_COUNT],
                         struct topk_judgement *judgement);

/* Judges containment: M01, M02, and the observation for M03. Copies the logical elements of the
 * outputs from `after` to `before` for this. Adds to *judgement. */
void topk_judge_memory(const struct topk_operator *op,
                       struct topk_exhibit exhibits[TOPK_ROLE_COUNT],
                       struct topk_judgement *judgement);

/* Adds a finding, or increments the count of one with the same clause, mismatch and role. Drops
 * findings after the first TOPK_FINDINGS_MAX kinds. */
void topk_judgement_add(struct topk_judgement *judgement, const struct topk_finding *finding);

/* A sequence for the judge: three strided vectors, and the rules. */
struct topk_sequence {
    uint32_t type;        /* of input and value, one of the ten */
    bool increasing;      /* selects the K smallest */
    uint32_t length;      /* Sizes[Axis] */
    uint32_t k;           /* 1..length */
    uint32_t index_bytes; /* 4 or 8 */
    const unsigned char *input;
    const unsigned char *value;
    const unsigned char *index;
    uint64_t input_step; /* bytes between neighbouring elements */
    uint64_t value_step;
    uint64_t index_step;
    const struct topk_contract *contract; /* NULL: DirectML's rules */
};

/* How the elements of a sequence are ordered: as the clauses require, or in a way that they leave
 * open. The contract decides about ties, zeros and, if it says so, NaNs. */
enum topk_order {
    /* as the clauses require; without NaN, unless the contract orders it */
    TOPK_ORDER_EXACT,
    TOPK_ORDER_DENORMAL_ZERO,  /* F04 */
    TOPK_ORDER_HALF,           /* F06, rounded to nearest */
    TOPK_ORDER_HALF_TRUNCATED, /* F06, rounded towards zero */
    TOPK_ORDER_NAN_GREATEST,   /* F02, like the following */
    TOPK_ORDER_NAN_LEAST,
    TOPK_ORDER_NAN_FIRST,
    TOPK_ORDER_NAN_LAST,
    TOPK_ORDER_NAN_BY_SIGN
};

/* Whether a sequence is exactly correct under an order: conditions (1) to (4) above, as modified by
 * the contract. For a sequence with a NaN, false with TOPK_ORDER_EXACT unless the contract orders
 * it. */
bool topk_sequence_holds(const struct topk_sequence *sequence, enum topk_order order);

/* Whether a sequence with a NaN fulfills the clauses that F02 does not suspend: indices are in
 * range and distinct; values are the elements that they name, or a NaN for a NaN. */
bool topk_sequence_nan_holds(const struct topk_sequence *sequence);

bool topk_sequence_has_nan(const struct topk_sequence *sequence);

#endif
