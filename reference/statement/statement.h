/* The clauses stated a second time, only from their texts and in a slow way, to be compared with
 * the reference. Except for descriptions, it shares no code with it. */
#ifndef TOPK_STATEMENT_H
#define TOPK_STATEMENT_H

#include "reference/operator.h"

enum stated {
    STATED_HOLDS,  /* or cannot be evaluated, because another clause is broken */
    STATED_BROKEN, /* grade MUST: broken; otherwise: the choice is open */
    STATED_UNKNOWN /* it would take too long */
};

/* What a V or T clause says about a description at a feature level; STATED_HOLDS for other
 * clauses. */
enum stated stated_clause(enum topk_clause clause, const struct topk_operator *op, uint32_t level);

/* The number of elements of a tensor (T04); false if it is 2^64 or more. */
bool stated_elements(const struct topk_tensor *tensor, uint64_t *elements);

/* The least size of a tensor in bytes (T07); false if it is 2^64 - 3 or more. */
bool stated_least_bytes(const struct topk_tensor *tensor, uint64_t *bytes);

/* How values are compared: exactly, with denormals as zeros (F04), rounded to FLOAT16, or truncated
 * to it (F06). */
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

/* Whether two values other than NaN are equal, as +0 and -0 are (F01). */
bool stated_equal(uint32_t type, uint64_t a, uint64_t b);

#endif
