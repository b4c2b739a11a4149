/* The generator draws cases from choices. Each source of choices can reach every kind of case of
 * the suite. Choices of 0 give the plainest case.
 *
 * Profile full contains drawn cases. A change of what is drawn requires a new version of that
 * profile.
 */
#ifndef TOPK_GENERATE_H
#define TOPK_GENERATE_H

#include "case/case.h"
#include "choice.h"

struct topk_limits {
    uint32_t elements; /* greatest number of elements of an input; at least 1 */
    uint64_t bytes;    /* greatest size of the three tensors together, since layouts spread them */
};

/* The limits for explore and profile full: up to 2^21 elements, usually few. */
extern const struct topk_limits topk_limits_usual;

/* Draws a valid case: it breaks no MUST clause at the requested level. Clauses of grade PRACTICE
 * and OBSERVE can be open. Clear *tc afterwards. Returns false if memory is short. */
bool topk_generate_valid(struct topk_choice *choice, const struct topk_limits *limits,
                         struct topk_case *tc);

/* Draws a case without data that breaks at least one MUST clause at the requested level, with one
 * or two breakers. */
void topk_generate_invalid(struct topk_choice *choice, struct topk_case *tc);

/* Draws a case; one in eight is invalid. Returns false if memory is short. */
bool topk_generate(struct topk_choice *choice, const struct topk_limits *limits,
                   struct topk_case *tc);

/* Draws a case as topk_generate() does, from the same choices. One time in eight, further calls
 * follow it. Returns false if memory is short. This function and the next are in calls.c. */
bool topk_generate_calls(struct topk_choice *choice, const struct topk_limits *limits,
                         struct topk_case *tc);
/* Adds 1 to 7 more calls to a case. Most differ in one property from an earlier one. If memory is
 * short, clears *tc and returns false. */
bool topk_generate_more(struct topk_choice *choice, const struct topk_limits *limits,
                        struct topk_case *tc);

/* the other headers that this folder offers */
#include "alter.h"
#include "breaker.h"
#include "build.h"
#include "choice.h"
#include "decode.h"
#include "mutate.h"
#include "seen.h"

#endif
