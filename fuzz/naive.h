/* The clauses once more, stated slowly and from their texts alone, to check the reference. It
 * shares only the descriptions with it. */
#ifndef TOPK_NAIVE_H
#define TOPK_NAIVE_H

#include "reference/operator.h"

enum naive_answer {
    NAIVE_HOLDS,  /* or it cannot be asked, as another clause is broken */
    NAIVE_BROKEN, /* of grade MUST: broken; else: the choice is open */
    NAIVE_UNKNOWN /* it would take too long to find out */
};

/* What a V or T clause says of a description at a feature level; of others NAIVE_HOLDS. */
enum naive_answer naive_clause(enum topk_clause clause, const struct topk_operator *op,
                               uint32_t level);

/* Least bytes of a tensor (T07), false if that is not below 2^64 - 3. */
bool naive_least_bytes(const struct topk_tensor *tensor, uint64_t *bytes);

/* How values are compared: as they are, denormals as zeros (F04), rounded to FLOAT16 or
 * truncated to it (F06). */
enum naive_order {
    NAIVE_EXACT,
    NAIVE_DENORMAL_ZERO,
    NAIVE_HALF,
    NAIVE_HALF_TRUNCATED,
    NAIVE_ORDERS
};

/* Fills order with the indices of `length` elements, as S12 sorts them; no NaN. */
void naive_sort(uint32_t type, bool increasing, enum naive_order by, const uint64_t *bits,
                uint32_t length, uint32_t *order);

bool naive_nan(uint32_t type, uint64_t bits);

/* Whether two values that are no NaN are equal, as +0 and -0 are (F01). */
bool naive_equal(uint32_t type, uint64_t a, uint64_t b);

#endif
