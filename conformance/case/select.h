/* Patterns that select cases by their ids, and the parts of an id. */
#ifndef TOPK_SELECT_H
#define TOPK_SELECT_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a pattern selects an id. A pattern with '*' or '?' is a glob that must match the whole
 * id; brackets have no special meaning. Any other pattern selects the ids that begin with it. */
bool topk_id_selected(const char *id, const char *pattern);

/* Splits an id of `length` characters into the name of its test and the text of its case: *text is
 * set to the character after "NAME:". For a case text without a name, *name_length is 0. */
void topk_case_id_split(const char *id, size_t length, size_t *name_length, const char **text);

#endif
