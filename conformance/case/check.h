/* What a relation between calls (check.def) requires of a case. The worker makes the second calls:
 * backends/worker/relation.h. */
#ifndef TOPK_CHECK_H
#define TOPK_CHECK_H

#include "case.h"

/* The next wider type that holds every value of a type exactly; 0 if there is none. */
uint32_t topk_type_wider(uint32_t type);

/* The lowest feature level at which a case and the second call of its check are both valid: the
 * check twin may need TOP_K1, widen a type of a higher level. 0 if no level accepts the case
 * itself. */
uint32_t topk_check_level(const struct topk_case *tc);

/* The same for a case that is known to be valid at some level; does not verify that. */
uint32_t topk_check_valid_level(const struct topk_case *tc);

/* Whether the check of a case makes a second call at its level. It makes none, for example, with
 * prefix and K = 1, with widen and INT64, and for an invalid description. */
bool topk_check_applies(const struct topk_case *tc);

/* The greatest number of calls that a case can make, with those of its checks, judged by its text
 * of `length` characters alone. 1 if the text contains neither a check nor a further call. */
uint32_t topk_check_text_calls(const char *text, size_t length);

#endif
