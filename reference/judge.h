/* The judge: whether a result holds the clauses, and which it breaks. It does not know the backend
 * and does not recompute: it checks the result as a certificate, in time linear in its size.
 *
 * A result holds if in every sequence (1) each index is in range, (2) each (value, index) comes
 * strictly after the one before, which makes them distinct, (3) each value is the element that its
 * index names, and (4) exactly K elements of the sequence come no later than the last one selected.
 */
#ifndef TOPK_JUDGE_H
#define TOPK_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract.h"
#include "operator.h"

/* X-macro tables of their own: mismatches.def, observations.def */
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

/* Whose decision an observation is. */
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

/* One clause broken in one way: where it was seen first, and how often. */
struct topk_finding {
    enum topk_clause clause;
    enum topk_mismatch mismatch;
    enum topk_role role;          /* the tensor it was seen in */
    uint32_t rank;                /* entries of `at`; 0: no element, see byte */
    uint32_t at[TOPK_RANK_VALID]; /* coordinates in that tensor */
    int64_t byte;      /* INPUT_WRITTEN, OUTSIDE_WRITTEN: offset from the tensor's start */
    uint64_t expected; /* bits of role's type, or a byte */
    uint64_t actual;
    uint64_t count; /* how many places, at least 1 */
};

#define TOPK_FINDINGS_MAX 12

/* All that the judge says. */
struct topk_judgement {
    uint32_t count;                                  /* of findings; 0: every clause holds */
    struct topk_finding findings[TOPK_FINDINGS_MAX]; /* so many, semantics first; others: any */
    uint32_t observations;                           /* bit 1 << enum topk_observation */
    bool has_sequence;  /* a sequence is wrong: the next two say where */
    uint64_t sequence;  /* the first wrong one */
    uint32_t position;  /* in it, the first wrong output */
    bool no_memory;     /* the judge could not finish */
    bool contradiction; /* the judge's two ways of looking disagree: a fault of the suite */
};

/* A buffer before and after the call; the tensor starts `offset` bytes in. */
struct topk_exhibit {
    unsigned char *before; /* `bytes` long; padding of outputs is compared in it: see M03 below */
    const unsigned char *after; /* `bytes` long */
    uint64_t bytes;
    uint64_t offset; /* of the tensor */
    uint64_t start;  /* of the buffer that was bound: what lies before it is slack */
};

/* Judges a call of a valid operator (no MUST clause broken; T14 not either) whose AxisDirection is
 * 0 or 1, by DirectML's rules. exhibits: by enum topk_role. judgement is overwritten. */
void topk_judge_result(const struct topk_operator *op,
                       const struct topk_exhibit exhibits[TOPK_ROLE_COUNT],
                       struct topk_judgement *judgement);

/* The same by the rules of a contract that serves the operator (topk_contract_serves). */
void topk_judge_contract(const struct topk_operator *op, const struct topk_contract *contract,
                         const struct topk_exhibit exhibits[TOPK_ROLE_COUNT],
                         struct topk_judgement *judgement);

/* Judges containment: M01, M02, and the observation of M03, for which the logical elements of the
 * outputs are copied from `after` into `before`. Adds to judgement. */
void topk_judge_memory(const struct topk_operator *op,
                       struct topk_exhibit exhibits[TOPK_ROLE_COUNT],
                       struct topk_judgement *judgement);

/* Adds a finding, or counts it if one of the same clause, mismatch and role is there; of more than
 * TOPK_FINDINGS_MAX kinds the later ones are dropped. */
void topk_judgement_add(struct topk_judgement *judgement, const struct topk_finding *finding);

/* One sequence as the judge sees it: three strided vectors, and the rules. */
struct topk_sequence {
    uint32_t type;        /* of input and value, one of the ten */
    bool increasing;      /* the K smallest */
    uint32_t length;      /* Sizes[Axis] */
    uint32_t k;           /* 1..length */
    uint32_t index_bytes; /* 4 or 8 */
    const unsigned char *input;
    const unsigned char *value;
    const unsigned char *index;
    uint64_t input_step; /* bytes from one element to the next */
    uint64_t value_step;
    uint64_t index_step;
    const struct topk_contract *contract; /* NULL: DirectML's rules */
};

/* How a sequence is ordered: what the clauses promise, and what they leave open. Ties, zeros and,
 * where it says so, NaNs are as the contract has them. */
enum topk_order {
    TOPK_ORDER_EXACT,          /* the clauses; no NaN, unless the contract orders it */
    TOPK_ORDER_DENORMAL_ZERO,  /* F04 */
    TOPK_ORDER_HALF,           /* F06, rounded to nearest */
    TOPK_ORDER_HALF_TRUNCATED, /* F06, rounded towards zero */
    TOPK_ORDER_NAN_GREATEST,   /* F02 and the following */
    TOPK_ORDER_NAN_LEAST,
    TOPK_ORDER_NAN_FIRST,
    TOPK_ORDER_NAN_LAST,
    TOPK_ORDER_NAN_BY_SIGN
};

/* Whether a sequence holds under an order, exactly: conditions (1) to (4) above, as the contract
 * changes them. Of a sequence with a NaN TOPK_ORDER_EXACT says false unless the contract orders it.
 */
bool topk_sequence_holds(const struct topk_sequence *sequence, enum topk_order order);

/* Whether a sequence with a NaN keeps what F02 leaves of the clauses: indices in range and
 * distinct, values the elements that they name, or a NaN for a NaN. */
bool topk_sequence_nan_holds(const struct topk_sequence *sequence);

bool topk_sequence_has_nan(const struct topk_sequence *sequence);

#endif
