/* Selections of cases by their ids, as users write them. */
#ifndef TOPK_SELECT_H
#define TOPK_SELECT_H

#include <stdbool.h>

/* Whether an id is selected by a pattern: a prefix of it, or, if the pattern has a '*' or '?', a
 * glob that matches it whole; brackets stand for themselves. */
bool topk_id_selected(const char *id, const char *pattern);

#endif
