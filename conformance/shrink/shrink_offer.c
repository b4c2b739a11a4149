/* Weighs the shrinker's candidates, drops those that were tried before, and runs the others in
 * small batches. */
#include <stdlib.h>
#include <string.h>

#include "shrink_state.h"

/* ---- candidates that were tried -------------------------------------------------------------- */

static void end(struct topk_shrinker *shrinker, enum topk_shrink_end why)
{
    if (!shrinker->ended) {
        shrinker->ended = true;
        shrinker->report->end = why;
    }
}

void topk_shrink_no_memory(struct topk_shrinker *shrinker)
{
    end(shrinker, TOPK_SHRINK_NO_MEMORY);
}

/* FNV-1a, never 0 */
static uint64_t digest_of(const char *text, size_t length)
{
    uint64_t digest = 0xcbf29ce484222325;
    for (size_t i = 0; i < length; i++) {
        digest = (digest ^ (unsigned char)text[i]) * 0x100000001b3;
    }
    return digest == 0 ? 1 : digest;
}

/* the slot of a digest in the table, or the free slot for it */
static uint64_t *place_of(uint64_t *table, size_t room, uint64_t digest)
{
    size_t at = (size_t)(digest ^ digest >> 32) & (room - 1);
    while (table[at] != 0 && table[at] != digest) {
        at = (at + 1) & (room - 1);
    }
    return &table[at];
}

/* adds a digest; false if it was there */
static bool note_tried(struct topk_shrinker *shrinker, uint64_t digest)
{
    if (2 * (shrinker->tried_count + 1) > shrinker->tried_room) {
        size_t room = shrinker->tried_room == 0 ? 1024 : 2 * shrinker->tried_room;
        uint64_t *table = calloc(room, sizeof *table);
        if (table == NULL) {
            topk_shrink_no_memory(shrinker);
            return false;
        }
        for (size_t i = 0; i < shrinker->tried_room; i++) {
            if (shrinker->tried[i] != 0) {
                *place_of(table, room, shrinker->tried[i]) = shrinker->tried[i];
            }
        }
        free(shrinker->tried);
        shrinker->tried = table;
        shrinker->tried_room = room;
    }
    uint64_t *place = place_of(shrinker->tried, shrinker->tried_room, digest);
    if (*place == digest) {
        return false;
    }
    *place = digest;
    shrinker->tried_count++;
    return true;
}

/* ---- trying ---------------------------------------------------------------------------------- */

void topk_shrink_turn(struct topk_case *tc, uint32_t number)
{
    if (number < tc->before_count) {
        struct topk_case call = tc->before[number];
        call.before = tc->before;
        call.before_count = tc->before_count;
        tc->before[number] = *tc;
        tc->before[number].before = NULL;
        tc->before[number].before_count = 0;
        *tc = call;
    }
}

void topk_shrink_note_current(struct topk_shrinker *shrinker)
{
    const struct topk_operator *op = &shrinker->current->op;
    shrinker->weight = topk_shrink_weigh(shrinker->current);
    topk_operator_validate(op, op->level, &shrinker->validity);
}

static void take(struct topk_shrinker *shrinker, uint32_t number)
{
    struct topk_case *taken = &shrinker->waiting[number];
    topk_case_clear(shrinker->current);
    *shrinker->current = *taken;
    memset(taken, 0, sizeof *taken);
    if (shrinker->turned > shrinker->current->before_count) {
        /* calls were dropped, so the exchange is void */
        shrinker->turned = shrinker->current->before_count;
    }
    topk_shrink_turn(shrinker->current, shrinker->turned);
    topk_shrink_note_current(shrinker);
    shrinker->found = true;
    shrinker->place = shrinker->places[number];
    shrinker->report->accepted++;
}

void topk_shrink_try(struct topk_shrinker *shrinker)
{
    const struct topk_case *candidates[TOPK_SHRINK_BATCH];
    uint32_t count = shrinker->waiting_count;
    uint32_t first = count;
    for (uint32_t i = 0; i < count; i++) {
        candidates[i] = &shrinker->waiting[i];
    }
    if (count > 0 && !shrinker->ended) {
        shrinker->report->runs += count;
        if (!shrinker->options->fails(shrinker->options->context, candidates, count, &first)) {
            end(shrinker, TOPK_SHRINK_STOPPED);
        } else if (first < count) {
            take(shrinker, first);
        }
        shrinker->batch = shrinker->found ? 2 : 2 * shrinker->batch;
        if (shrinker->batch > TOPK_SHRINK_BATCH) {
            shrinker->batch = TOPK_SHRINK_BATCH;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        topk_case_clear(&shrinker->waiting[i]);
    }
    shrinker->waiting_count = 0;
}

/* whether `set` is a subset of `other` */
static bool within(const struct topk_clause_set *set, const struct topk_clause_set *other)
{
    struct topk_clause_set both = *other;
    topk_clause_set_merge(&both, set);
    return memcmp(&both, other, sizeof both) == 0;
}

/* adjusts what steps do not set: a level that accepts the call, and no direction unless TOP_K1 */
static void settle(const struct topk_shrinker *shrinker, struct topk_case *candidate)
{
    struct topk_operator *op = &candidate->op;
    if (op->kind == TOPK_TOP_K) {
        op->direction = TOPK_DECREASING;
    }
    const struct topk_operator *current = &shrinker->current->op;
    uint32_t least = topk_operator_least_level(op);
    if (current->level == topk_shrink_plain_level(current)) {
        op->level = topk_shrink_plain_level(op);
    } else if (topk_clause_set_empty(&shrinker->validity.broken) && op->level < least) {
        op->level = least;
    }
}

/* Whether a candidate breaks no clause that the current case does not break. V03 may additionally
 * become open, because a backend that does not support K = n says so. */
static bool as_valid(const struct topk_shrinker *shrinker, const struct topk_case *candidate)
{
    struct topk_validity validity;
    struct topk_clause_set latitude = shrinker->validity.latitude;
    topk_operator_validate(&candidate->op, candidate->op.level, &validity);
    topk_clause_set_add(&latitude, TOPK_CLAUSE_V03);
    bool invalid = !topk_clause_set_empty(&shrinker->validity.broken);
    return within(&validity.broken, &shrinker->validity.broken) &&
           within(&validity.latitude, &latitude) &&
           topk_clause_set_empty(&validity.broken) != invalid;
}

/* whether the candidate's text parses to the same case, and was not tried */
static bool fresh(struct topk_shrinker *shrinker, const struct topk_case *candidate)
{
    struct topk_case parsed;
    struct topk_case_error error;
    size_t length = topk_case_print(candidate, shrinker->text, TOPK_CASE_TEXT);
    if (length >= TOPK_CASE_TEXT || !topk_case_parse(shrinker->text, length, &parsed, &error)) {
        return false;
    }
    topk_case_clear(&parsed);
    return note_tried(shrinker, digest_of(shrinker->text, length));
}

struct topk_case topk_shrink_copy(struct topk_shrinker *shrinker)
{
    struct topk_case candidate;
    if (!topk_case_copy(&candidate, shrinker->current)) {
        topk_shrink_no_memory(shrinker);
    }
    return candidate;
}

/* offers a candidate unless it was tried; returns as topk_shrink_offer() */
static bool offer(struct topk_shrinker *shrinker, struct topk_case *candidate,
                  struct topk_shrink_place place)
{
    if (!fresh(shrinker, candidate)) {
        topk_case_clear(candidate);
        return shrinker->ended;
    }
    if (shrinker->report->runs + shrinker->waiting_count >= shrinker->max_runs) {
        topk_case_clear(candidate);
        topk_shrink_try(shrinker);
        if (!shrinker->found) {
            end(shrinker, TOPK_SHRINK_BOUND);
        }
        return true;
    }
    shrinker->waiting[shrinker->waiting_count] = *candidate;
    shrinker->places[shrinker->waiting_count] = place;
    shrinker->waiting_count++;
    memset(candidate, 0, sizeof *candidate);
    if (shrinker->waiting_count >= shrinker->batch) {
        topk_shrink_try(shrinker);
    }
    return shrinker->found || shrinker->ended;
}

/* offers a candidate with its other calls changed in the same way; returns as
 * topk_shrink_offer() */
static bool offer_joint(struct topk_shrinker *shrinker, const struct topk_case *candidate,
                        struct topk_shrink_place place)
{
    struct topk_case joint;
    if (candidate->before_count == 0) {
        return false;
    }
    if (!topk_case_copy(&joint, candidate) || !topk_shrink_spread(shrinker->current, &joint)) {
        topk_case_clear(&joint);
        return false;
    }
    topk_shrink_turn(&joint, shrinker->turned);
    return offer(shrinker, &joint, place);
}

bool topk_shrink_offer_at(struct topk_shrinker *shrinker, struct topk_case *candidate,
                          struct topk_shrink_place place)
{
    settle(shrinker, candidate);
    const struct topk_shrink_weight weight = topk_shrink_weigh(candidate);
    if (shrinker->ended || !topk_shrink_lighter(&weight, &shrinker->weight) ||
        !as_valid(shrinker, candidate)) {
        topk_case_clear(candidate);
        return shrinker->ended;
    }
    if (offer_joint(shrinker, candidate, place)) {
        topk_case_clear(candidate);
        return true;
    }
    topk_shrink_turn(candidate, shrinker->turned);
    return offer(shrinker, candidate, place);
}

bool topk_shrink_offer_calls(struct topk_shrinker *shrinker, struct topk_case *candidate)
{
    if (shrinker->ended) {
        topk_case_clear(candidate);
        return true;
    }
    return offer(shrinker, candidate, (struct topk_shrink_place){0, 0, 0});
}

bool topk_shrink_offer(struct topk_shrinker *shrinker, struct topk_case *candidate)
{
    return topk_shrink_offer_at(shrinker, candidate, (struct topk_shrink_place){0, 0, 0});
}
