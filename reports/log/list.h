/* Lists that grow item by item. */
#ifndef TOPK_LIST_H
#define TOPK_LIST_H

#include <stddef.h>

/* Appends a zeroed item of `bytes` bytes to a list of *count items that only this function grows.
 * list: address of the pointer to the items, which may move; NULL for an empty list. Returns NULL,
 * with the list unchanged, if memory is short. */
void *topk_list_add(void *list, size_t *count, size_t bytes);

#endif
