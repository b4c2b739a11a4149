/* Relations between calls (check.def), as far as a case alone says what they ask: the worker makes
 * the second calls, backends/worker/relation.h. */
#ifndef TOPK_CHECK_H
#define TOPK_CHECK_H

#include "case.h"

/* The next wider type that holds every value of a type exactly; 0 if there is none. */
uint32_t topk_type_wider(uint32_t type);

/* The lowest feature level that has both calls of a case's check: the twin may be TOP_K1, the wider
 * type of a higher level. 0 if no level has the case itself. */
uint32_t topk_check_level(const struct topk_case *tc);

/* The same of a case whose operator is valid at some level, which is not looked at. */
uint32_t topk_check_valid_level(const struct topk_case *tc);

/* Whether the check of a case asks anything: whether there is a second call at its level. Of a K of
 * 1 there is no prefix, of an INT64 nothing is wider. A description that is invalid has none. */
bool topk_check_applies(const struct topk_case *tc);

/* How many calls a case makes at most, its own and those of their checks, by its text of `length`
 * characters alone: 1 if that says nothing else. */
uint32_t topk_check_text_calls(const char *text, size_t length);

#endif
