/* Two levels for long rows: the first K of each chunk of 2,048 are sorted by themselves, then a
 * tree of losers merges the chunks until K are out. A short row is one chunk. */
#include "control.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK  2048u
#define NOBODY UINT32_MAX

/* What is left of a chunk. */
struct chunk {
    uint32_t next;
    uint32_t end;
};

struct tournament {
    const uint64_t *keys;
    const uint32_t *items;
    struct chunk *chunks;
    uint32_t *losers; /* of the match at each inner node; the winner of all at 0 */
    uint32_t players; /* a power of two */
    uint32_t count;   /* of chunks */
};

static void sort_chunk(const uint64_t *keys, uint32_t *items, uint32_t *other, uint32_t count)
{
    if (count < 2) {
        return;
    }
    uint32_t half = count / 2;
    sort_chunk(keys, items, other, half);
    sort_chunk(keys, items + half, other, count - half);
    if (keys[items[half - 1]] <= keys[items[half]]) {
        return;
    }
    memcpy(other, items, half * sizeof *items);
    uint32_t a = 0;
    uint32_t b = half;
    for (uint32_t to = 0; a < half; to++) {
        if (b < count && keys[items[b]] < keys[other[a]]) {
            items[to] = items[b++];
        } else {
            items[to] = other[a++];
        }
    }
}

/* Whether player a is ahead of player b. Chunks are in the order of their indices, so the lower one
 * wins a tie. */
static bool wins(const struct tournament *tournament, uint32_t a, uint32_t b)
{
    if (b == NOBODY || b >= tournament->count ||
        tournament->chunks[b].next == tournament->chunks[b].end) {
        return true;
    }
    if (a == NOBODY || a >= tournament->count ||
        tournament->chunks[a].next == tournament->chunks[a].end) {
        return false;
    }
    uint64_t key_a = tournament->keys[tournament->items[tournament->chunks[a].next]];
    uint64_t key_b = tournament->keys[tournament->items[tournament->chunks[b].next]];
    return key_a < key_b || (key_a == key_b && a < b);
}

/* Plays all matches below a node; returns the winner. */
static uint32_t play(struct tournament *tournament, uint32_t node)
{
    if (node >= tournament->players) {
        return node - tournament->players;
    }
    uint32_t left = play(tournament, 2 * node);
    uint32_t right = play(tournament, 2 * node + 1);
    bool left_wins = wins(tournament, left, right);
    tournament->losers[node] = left_wins ? right : left;
    return left_wins ? left : right;
}

/* The winner moves on, and plays again on its way up. */
static void replay(struct tournament *tournament)
{
    uint32_t player = tournament->losers[0];
    tournament->chunks[player].next++;
    for (uint32_t node = (player + tournament->players) / 2; node > 0; node /= 2) {
        if (!wins(tournament, player, tournament->losers[node])) {
            uint32_t kept = player;
            player = tournament->losers[node];
            tournament->losers[node] = kept;
        }
    }
    tournament->losers[0] = player;
}

static bool merge_chunks(struct tournament *tournament, uint32_t n, uint32_t k, uint32_t *order)
{
    tournament->count = (n + CHUNK - 1) / CHUNK;
    tournament->players = 1;
    while (tournament->players < tournament->count) {
        tournament->players *= 2;
    }
    tournament->chunks = calloc(tournament->count, sizeof *tournament->chunks);
    tournament->losers = calloc(tournament->players, sizeof *tournament->losers);
    bool done = tournament->chunks != NULL && tournament->losers != NULL;
    if (done) {
        for (uint32_t c = 0; c < tournament->count; c++) {
            uint32_t size = n - c * CHUNK < CHUNK ? n - c * CHUNK : CHUNK;
            tournament->chunks[c].next = c * CHUNK;
            tournament->chunks[c].end = c * CHUNK + (size < k ? size : k);
        }
        tournament->losers[0] = play(tournament, 1);
        for (uint32_t j = 0; j < k; j++) {
            order[j] = tournament->items[tournament->chunks[tournament->losers[0]].next];
            replay(tournament);
        }
    }
    free(tournament->losers);
    free(tournament->chunks);
    return done;
}

bool control_select(const uint64_t *keys, uint32_t n, uint32_t k, uint32_t bits, uint32_t *order)
{
    (void)bits;
    uint32_t other[CHUNK / 2];
    uint32_t *items = malloc(n * sizeof *items);
    if (items == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        items[i] = i;
    }
    for (uint32_t base = 0; base < n; base += CHUNK) {
        sort_chunk(keys, items + base, other, n - base < CHUNK ? n - base : CHUNK);
    }
    bool done = true;
    if (n <= CHUNK) {
        memcpy(order, items, k * sizeof *order);
    } else {
        struct tournament tournament = {.keys = keys, .items = items};
        done = merge_chunks(&tournament, n, k, order);
    }
    free(items);
    return done;
}
