/* Lists of cases in bounded memory. Cases are stored in blocks of 64. The first blocks stay in
 * memory. The others are in an unnamed file, and the most recently used of them are also held in
 * memory. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session.h"

#define BLOCK_CASES 64u
/* Memory for blocks in bytes; further blocks go to the file. */
#define MEMORY_BYTES ((size_t)16 << 20)
/* Number of blocks of the file that are held in memory: the runner reads both the cases that it
 * sends and those whose answers arrive. */
#define HELD 16u

/* A block: its cases, then their ids, each with its terminator. The id pointers of the cases are
 * valid only while the block is in memory. */
struct block {
    unsigned char *bytes; /* owned; NULL: in the file */
    uint64_t offset;
    size_t size;
};

struct held {
    size_t block; /* SIZE_MAX: none */
    unsigned char *bytes;
    size_t room;
    uint64_t used; /* when it was used last */
};

struct cli_store {
    struct block *blocks;
    size_t block_count, block_room;
    size_t in_memory; /* bytes */
    int file;         /* -1: none yet; -2: it cannot be created */
    uint64_t file_size;
    struct held held[HELD];
    uint64_t uses;
    /* the last block, which is not full */
    struct cli_case last[BLOCK_CASES];
    size_t last_count;
    char *ids;
    size_t ids_used, ids_room;
};

static struct cli_store *store_of(struct cli_cases *cases)
{
    if (cases->store == NULL) {
        cases->store = cli_need(calloc(1, sizeof *cases->store));
        cases->store->file = -1;
        for (size_t i = 0; i < HELD; i++) {
            cases->store->held[i].block = SIZE_MAX;
        }
    }
    return cases->store;
}

/* makes the cases of a block point to their ids */
static void settle(struct cli_case *list, size_t count, const char *ids)
{
    for (size_t i = 0; i < count; i++) {
        list[i].id = ids;
        ids += list[i].length + 1;
    }
}

/* Writes a block to the file. False if that fails: the block then stays in memory. */
static bool spill(struct cli_store *store, struct block *block)
{
    if (store->file == -1) {
        store->file = cli_file_temporary();
    }
    size_t done = 0;
    while (store->file >= 0 && done < block->size) {
        const ssize_t written = pwrite(store->file, block->bytes + done, block->size - done,
                                       (off_t)(store->file_size + done));
        if (written > 0) {
            done += (size_t)written;
        } else if (written == 0 || errno != EINTR) {
            return false;
        }
    }
    if (store->file < 0) {
        store->file = -2;
        return false;
    }
    block->offset = store->file_size;
    store->file_size += block->size;
    free(block->bytes);
    block->bytes = NULL;
    return true;
}

static void close_block(struct cli_store *store)
{
    if (store->block_count == store->block_room) {
        store->block_room = store->block_room == 0 ? 64 : 2 * store->block_room;
        store->blocks = cli_need(realloc(store->blocks, store->block_room * sizeof(struct block)));
    }
    const size_t head = store->last_count * sizeof(struct cli_case);
    struct block block = {.size = head + store->ids_used};
    block.bytes = cli_need(malloc(block.size));
    memcpy(block.bytes, store->last, head);
    memcpy(block.bytes + head, store->ids, store->ids_used);
    if (store->in_memory + block.size <= MEMORY_BYTES || !spill(store, &block)) {
        settle((struct cli_case *)(void *)block.bytes, store->last_count,
               (const char *)block.bytes + head);
        store->in_memory += block.size;
    }
    store->blocks[store->block_count++] = block;
    store->last_count = 0;
    store->ids_used = 0;
}

void cli_cases_append(struct cli_cases *cases, const char *id, const struct cli_case *c)
{
    struct cli_store *store = store_of(cases);
    if (store->last_count == BLOCK_CASES) {
        close_block(store);
    }
    const size_t bytes = (size_t)c->length + 1;
    if (store->ids_room - store->ids_used < bytes) {
        store->ids_room = 2 * (store->ids_used + bytes);
        store->ids = cli_need(realloc(store->ids, store->ids_room));
    }
    memcpy(store->ids + store->ids_used, id, c->length);
    store->ids[store->ids_used + c->length] = 0;
    store->ids_used += bytes;
    store->last[store->last_count++] = *c;
    settle(store->last, store->last_count, store->ids);
    cases->count++;
}

/* Returns a block of the file. If it is not in memory, reads it there in place of the least
 * recently used one. */
static const struct held *hold(struct cli_store *store, size_t number)
{
    struct held *oldest = &store->held[0];
    for (size_t i = 0; i < HELD; i++) {
        struct held *held = &store->held[i];
        if (held->block == number) {
            held->used = ++store->uses;
            return held;
        }
        oldest = held->used < oldest->used ? held : oldest;
    }
    const struct block *block = &store->blocks[number];
    if (oldest->room < block->size) {
        free(oldest->bytes);
        oldest->bytes = cli_need(malloc(block->size));
        oldest->room = block->size;
    }
    for (size_t done = 0; done < block->size;) {
        const ssize_t got = pread(store->file, oldest->bytes + done, block->size - done,
                                  (off_t)(block->offset + done));
        if (got > 0) {
            done += (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            cli_fail(CLI_HARNESS, "the list of cases cannot be read back from its file: %s",
                     got == 0 ? "it was cut" : strerror(errno));
        }
    }
    settle((struct cli_case *)(void *)oldest->bytes, BLOCK_CASES,
           (const char *)oldest->bytes + BLOCK_CASES * sizeof(struct cli_case));
    oldest->block = number;
    oldest->used = ++store->uses;
    return oldest;
}

const struct cli_case *cli_case_at(const struct cli_cases *cases, uint64_t number)
{
    struct cli_store *store = cases->store;
    const size_t place = (size_t)(number % BLOCK_CASES);
    const size_t block = (size_t)(number / BLOCK_CASES);
    if (block == store->block_count) {
        return &store->last[place];
    }
    const unsigned char *bytes = store->blocks[block].bytes;
    bytes = bytes == NULL ? hold(store, block)->bytes : bytes;
    return (const struct cli_case *)(const void *)bytes + place;
}

void cli_cases_keep(struct cli_cases *cases,
                    bool (*keep)(const struct cli_case *c, const void *context),
                    const void *context)
{
    uint64_t kept = 0;
    while (kept < cases->count && keep(cli_case_at(cases, kept), context)) {
        kept++;
    }
    if (kept == cases->count) {
        return; /* the usual case */
    }
    struct cli_cases others = {0};
    for (uint64_t i = 0; i < cases->count; i++) {
        const struct cli_case *c = cli_case_at(cases, i);
        if (i < kept || (i > kept && keep(c, context))) {
            cli_cases_append(&others, c->id, c);
        }
    }
    cli_cases_free(cases);
    *cases = others;
}

void cli_cases_free(struct cli_cases *cases)
{
    struct cli_store *store = cases->store;
    if (store != NULL) {
        for (size_t i = 0; i < store->block_count; i++) {
            free(store->blocks[i].bytes);
        }
        for (size_t i = 0; i < HELD; i++) {
            free(store->held[i].bytes);
        }
        if (store->file >= 0) {
            close(store->file);
        }
        free(store->blocks);
        free(store->ids);
        free(store);
    }
    memset(cases, 0, sizeof *cases);
}
