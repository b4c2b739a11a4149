/* The set of cases: open addressing, FNV-1a. */
#include "seen.h"

#include <stdlib.h>

bool topk_seen_make(struct topk_seen *seen, uint64_t most)
{
    seen->room = 16;
    while (seen->room < 2 * most) {
        seen->room *= 2;
    }
    seen->hashes = calloc(seen->room, sizeof *seen->hashes);
    return seen->hashes != NULL;
}

void topk_seen_free(struct topk_seen *seen)
{
    free(seen->hashes);
    seen->hashes = NULL;
}

bool topk_seen_add(struct topk_seen *seen, const struct topk_case *tc)
{
    static char text[20000]; /* not on the stack, which may be small */
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    size_t length = topk_case_print(tc, text, sizeof text);
    for (size_t i = 0; i < length && i < sizeof text; i++) {
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    }
    hash += hash == 0;
    for (uint64_t i = hash;; i++) {
        uint64_t *at = &seen->hashes[i & (seen->room - 1)];
        if (*at == hash) {
            return false;
        }
        if (*at == 0) {
            *at = hash;
            return true;
        }
    }
}
