/* Numbers for the ids of cases, so that several runs can be held against each other: the same text
 * gets the same number, 0, 1, 2, ... in the order in which they come. */
#ifndef TOPK_IDS_H
#define TOPK_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct topk_ids_block;

/* Zero starts an empty one. */
struct topk_ids {
    const char **texts; /* by number; read, do not write */
    uint32_t count;
    uint32_t room;
    uint32_t *slots; /* number + 1 by hash, 0: free; slot_count, a power of two, of them */
    size_t slot_count;
    struct topk_ids_block *blocks; /* what texts point into */
};

/* Characters of an id that name its test, "ties.boundary" of "ties.boundary:top_k ..."; 0: none do.
 */
size_t topk_id_test_length(const char *id);

/* The number of an id, a new one if it was not there; in *number. False if memory is short. */
bool topk_ids_number(struct topk_ids *ids, const char *text, uint32_t *number);

void topk_ids_free(struct topk_ids *ids);

#endif
