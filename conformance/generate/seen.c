/* The set of cases: open addressing, FNV-1a. */
#include "seen.h"

#include <stdlib.h>

/* Bytes of a text that count. */
#define SEEN_TEXT 20000u

bool topk_seen_make(struct topk_seen *seen, uint64_t most)
{
    seen->room = 16;
    while (seen->room < 2 * most) {
        seen->room *= 2;
    }
    seen->hashes = calloc(seen->room, sizeof *seen->hashes);
    seen->text = malloc(SEEN_TEXT);
    if (seen->hashes == NULL || seen->text == NULL) {
        topk_seen_free(seen);
        return false;
    }
    return true;
}

void topk_seen_free(struct topk_seen *seen)
{
    free(seen->hashes);
    free(seen->text);
    seen->hashes = NULL;
    seen->text = NULL;
}

bool topk_seen_add(struct topk_seen *seen, const struct topk_case *tc)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    size_t length = topk_case_print(tc, seen->text, SEEN_TEXT);
    for (size_t i = 0; i < length && i < SEEN_TEXT; i++) {
        hash = (hash ^ (unsigned char)seen->text[i]) * UINT64_C(0x100000001b3);
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
