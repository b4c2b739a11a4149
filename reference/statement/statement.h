/* The clauses once more, stated from their texts alone and the slow way, to be held against the
 * reference. Shares nothing with it but the descriptions. */
#ifndef TOPK_STATEMENT_H
#define TOPK_STATEMENT_H

#include "reference/operator.h"

enum stated {
    STATED_HOLDS,  /* or it cannot be asked, as another clause is broken */
    STATED_BROKEN, /* of grade MUST: broken; else: the choice is open */
    STATED_UNKNOWN /* it would take too long to find out */
};

/* What a V or T clause says of a description at a feature level; of others STATED_HOLDS. */
enum stated stated_clause(enum topk_clause clause, const struct topk_operator *op, uint32_t level);

/* The number of elements of a tensor (T04), false if that is not below 2^64. */
bool stated_elements(const struct topk_tensor *tensor, uint64_t *elements);

/* Least bytes of a tensor (T07), false if that is not below 2^64 - 3. */
bool stated_least_bytes(const struct topk_tensor *tensor, uint64_t *bytes);

/* How values are compared: as they are, denormals as zeros (F04), rounded to FLOAT16 or
 * truncated to it (F06). */
enum stated_order {
    STATED_EXACT,
    STATED_DENORMAL_ZERO,
    STATED_HALF,
    STATED_HALF_TRUNCATED,
    STATED_ORDERS
};

/* An element that is no NaN, as an order sees it. */
long double stated_value(uint32_t type, enum stated_order by, uint64_t bits);

/* Fills order with the indices of `length` elements, as S12 sorts them; no NaN. */
void stated_sort(uint32_t type, bool increasing, enum stated_order by, const uint64_t *bits,
                 uint32_t length, uint32_t *order);

bool stated_nan(uint32_t type, uint64_t bits);

/* Whether two values that are no NaN are equal, as +0 and -0 are (F01). */
bool stated_equal(uint32_t type, uint64_t a, uint64_t b);

#endif
