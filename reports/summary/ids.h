/* Numbers for the ids of cases, to compare several runs: equal texts get equal numbers, 0, 1, 2,
 * ... in order of occurrence. */
#ifndef TOPK_IDS_H
#define TOPK_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct topk_ids_block;

/* All zero is empty. */
struct topk_ids {
    const char **texts; /* by number; read-only */
    uint32_t count;
    uint32_t room;
    uint32_t *slots; /* number + 1 by hash, 0: free; slot_count of them, a power of two */
    size_t slot_count;
    struct topk_ids_block *blocks; /* memory of the texts */
};

/* The length of the test's name in an id, "ties.boundary" in "ties.boundary:top_k ..."; 0: none. */
size_t topk_id_test_length(const char *id);

/* Sets *number to the number of an id, which is new if it did not occur before. Returns false if
 * memory is short. */
bool topk_ids_number(struct topk_ids *ids, const char *text, uint32_t *number);

void topk_ids_free(struct topk_ids *ids);

#endif
