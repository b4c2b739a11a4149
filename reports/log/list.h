/* Lists that grow item by item. */
#ifndef TOPK_LIST_H
#define TOPK_LIST_H

#include <stddef.h>

/* Adds an item of so many bytes, all zero, behind the *count of a list that nothing else lets grow.
 * list: where the pointer to its items is kept, NULL for an empty one; they may move. NULL if
 * memory is short; the list is then as it was. */
void *topk_list_add(void *list, size_t *count, size_t bytes);

#endif
