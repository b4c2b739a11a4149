/* Numbers the ids of cases with an open-addressing hash table over texts in large blocks. */
#include "ids.h"

#include <stdlib.h>
#include <string.h>

/* Sizes of the first and the largest block of texts; each is twice as large as the one before. */
#define BLOCK_FIRST ((size_t)1 << 14)
#define BLOCK_MOST  ((size_t)1 << 20)

struct topk_ids_block {
    struct topk_ids_block *next;
    size_t used;
    size_t room;
    char bytes[];
};

size_t topk_id_test_length(const char *id)
{
    size_t length = strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");
    return id[length] == ':' ? length : 0;
}

/* like FNV-1a, but eight bytes at a time */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i += 8) {
        uint64_t word = 0;
        memcpy(&word, text + i, length - i < 8 ? length - i : 8);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
        hash ^= hash >> 29;
    }
    return hash ^ hash >> 32;
}

/* Returns the slot of a text, or the free slot where it belongs. */
static size_t slot_of(const struct topk_ids *ids, const char *text)
{
    size_t mask = ids->slot_count - 1;
    size_t slot = (size_t)hash_of(text) & mask;
    while (ids->slots[slot] != 0 && strcmp(ids->texts[ids->slots[slot] - 1], text) != 0) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

/* Doubles the number of slots, so that at most half of them are used. */
static bool grow_slots(struct topk_ids *ids)
{
    size_t count = ids->slot_count == 0 ? 1024 : 2 * ids->slot_count;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    free(ids->slots);
    ids->slots = slots;
    ids->slot_count = count;
    for (uint32_t i = 0; i < ids->count; i++) {
        slots[slot_of(ids, ids->texts[i])] = i + 1;
    }
    return true;
}

static bool grow_texts(struct topk_ids *ids)
{
    uint32_t room = 2 * ids->room + 512;
    const char **texts = realloc(ids->texts, room * sizeof *texts);
    if (texts == NULL) {
        return false;
    }
    ids->texts = texts;
    ids->room = room;
    return true;
}

static const char *keep(struct topk_ids *ids, const char *text)
{
    size_t size = strlen(text) + 1;
    struct topk_ids_block *block = ids->blocks;
    if (block == NULL || block->room - block->used < size) {
        size_t room = block == NULL ? BLOCK_FIRST : 2 * block->room;
        room = room < BLOCK_MOST ? room : BLOCK_MOST;
        room = size > room ? size : room;
        block = malloc(sizeof *block + room);
        if (block == NULL) {
            return NULL;
        }
        block->next = ids->blocks;
        block->used = 0;
        block->room = room;
        ids->blocks = block;
    }
    char *copy = block->bytes + block->used;
    memcpy(copy, text, size);
    block->used += size;
    return copy;
}

bool topk_ids_number(struct topk_ids *ids, const char *text, uint32_t *number)
{
    if (2 * (size_t)ids->count >= ids->slot_count && !grow_slots(ids)) {
        return false;
    }
    size_t slot = slot_of(ids, text);
    if (ids->slots[slot] == 0) {
        if ((ids->count == ids->room && !grow_texts(ids)) ||
            (ids->texts[ids->count] = keep(ids, text)) == NULL) {
            return false;
        }
        ids->slots[slot] = ++ids->count;
    }
    *number = ids->slots[slot] - 1;
    return true;
}

void topk_ids_free(struct topk_ids *ids)
{
    while (ids->blocks != NULL) {
        struct topk_ids_block *next = ids->blocks->next;
        free(ids->blocks);
        ids->blocks = next;
    }
    free(ids->texts);
    free(ids->slots);
    memset(ids, 0, sizeof *ids);
}
