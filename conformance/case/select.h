/* Selections of cases by their ids, as users write them, and the parts of an id. */
#ifndef TOPK_SELECT_H
#define TOPK_SELECT_H

#include <stdbool.h>
#include <stddef.h>

/* Whether an id is selected by a pattern: a prefix of it, or, if the pattern has a '*' or '?', a
 * glob that matches it whole; brackets stand for themselves. */
bool topk_id_selected(const char *id, const char *pattern);

/* Splits an id into its test's name and its case: *text gets the first character behind "NAME:". A
 * bare case text has no name: *name_length is 0. */
void topk_case_id_split(const char *id, size_t length, size_t *name_length, const char **text);

#endif
