/* The generator: draws cases from choices. Every kind of case that the suite knows is within reach
 * of every source of choices; choices of 0 give the plainest case.
 *
 * What it draws is part of profile full: to change it is to make a new version of that profile. */
#ifndef TOPK_GENERATE_H
#define TOPK_GENERATE_H

#include "case/case.h"
#include "choice.h"

struct topk_limits {
    uint32_t elements; /* most of an input; at least 1 */
    uint64_t bytes;    /* most of the three tensors together, for layouts that spread them */
};

/* What explore and profile full draw within: up to 2^21 elements, mostly few. */
extern const struct topk_limits topk_limits_usual;

/* Draws a valid case: it breaks no MUST clause at the level that it asks for. PRACTICE and OBSERVE
 * clauses occur. *tc is to be cleared. False if memory is short. */
bool topk_generate_valid(struct topk_choice *choice, const struct topk_limits *limits,
                         struct topk_case *tc);

/* Draws a case that breaks at least one MUST clause at the level that it asks for, by one breaker
 * or by two. It has no data. */
void topk_generate_invalid(struct topk_choice *choice, struct topk_case *tc);

/* Draws either: one in eight is invalid. */
bool topk_generate(struct topk_choice *choice, const struct topk_limits *limits,
                   struct topk_case *tc);

/* Draws either, and one time in eight makes it the first call of a sequence. Behind what
 * topk_generate() draws from the same choices, so that the first call is that. In calls.c, as is
 * the next. */
bool topk_generate_calls(struct topk_choice *choice, const struct topk_limits *limits,
                         struct topk_case *tc);
/* Draws 1 to 7 more calls behind a case: most differ in one property from an earlier one. Clears
 * *tc and returns false if memory is short. */
bool topk_generate_more(struct topk_choice *choice, const struct topk_limits *limits,
                        struct topk_case *tc);

/* the rest of what this folder shows others */
#include "alter.h"
#include "breaker.h"
#include "build.h"
#include "choice.h"
#include "decode.h"
#include "mutate.h"
#include "seen.h"

#endif
