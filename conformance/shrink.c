/* The shrinker's loop: candidates are weighed, looked up among those that were tried, and tried in
 * small batches. */
#include "shrink_state.h"

#include <stdlib.h>
#include <string.h>

#include "element.h"

/* Lighter is what is less in the first number that differs. */
#define WEIGHTS 10
struct weight {
    uint64_t of[WEIGHTS];
};

struct topk_shrinker {
    const struct topk_shrink_options *options;
    struct topk_shrink_report *report;
    struct topk_case *current;
    struct weight weight;          /* of the current case */
    struct topk_validity validity; /* of the current case */
    uint64_t max_runs;
    /* candidates that wait to be tried together */
    struct topk_case waiting[TOPK_SHRINK_BATCH];
    struct topk_shrink_place places[TOPK_SHRINK_BATCH];
    uint32_t waiting_count;
    uint32_t batch; /* how many are tried together: more as long as none succeeds */
    /* digests of texts that were tried: an open hash table */
    uint64_t *tried;
    size_t tried_count;
    size_t tried_room; /* a power of two */
    /* what came of the last batch */
    bool found;                     /* one took the place of the current case */
    struct topk_shrink_place place; /* where the step was with it */
    bool ended;
    char *text; /* room for one case */
};

/* ---- weight ---------------------------------------------------------------------------------- */

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static unsigned bits_set(uint32_t bits)
{
    unsigned count = 0;
    for (; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

/* the level that says least: the lowest that has what the case asks for */
static uint32_t plain_level(const struct topk_operator *op)
{
    uint32_t least = topk_operator_least_level(op);
    return least == 0 ? TOPK_LEVEL_5_0 : least;
}

/* adds what is out of the ordinary in an output beside its layout */
static void weigh_output(const struct topk_operator *op, enum topk_role role, unsigned *odd)
{
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    const struct topk_tensor *output = &op->tensors[role];
    if (role == TOPK_INDEX) {
        *odd += output->type == TOPK_TYPE_U32 ? 0 : output->type == TOPK_TYPE_U64 ? 1 : 2;
    } else {
        *odd += output->type != input->type;
    }
    *odd += output->rank != input->rank;
    for (uint32_t i = 0; i < output->rank && i < input->rank; i++) {
        *odd += output->sizes[i] != (i == op->axis ? op->k : input->sizes[i]);
    }
}

/* adds what is out of the ordinary in one tensor, and the numbers that say how far */
static void weigh_tensor(const struct topk_case *test, enum topk_role role, unsigned *odd,
                         uint64_t *numbers)
{
    const struct topk_tensor *tensor = &test->op.tensors[role];
    if (!tensor->present) {
        ++*odd;
        return;
    }
    uint64_t least = topk_tensor_least_bytes(tensor);
    uint64_t total = tensor->total_bytes;
    *odd += (unsigned)(test->offset[role] != 0) + (tensor->alignment != 0) + (total != least) +
            tensor->strided + bits_set(tensor->flags);
    *numbers = add(*numbers, test->offset[role]);
    *numbers = add(*numbers, tensor->alignment);
    *numbers = add(*numbers, total > least ? total - least : least - total);
    for (uint32_t i = 0; tensor->strided && i < tensor->rank; i++) {
        *numbers = add(*numbers, tensor->strides[i]);
    }
    if (role != TOPK_INPUT) {
        weigh_output(&test->op, role, odd);
    }
}

static struct weight weigh(const struct topk_case *test)
{
    const struct topk_operator *op = &test->op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    uint64_t sizes = 0;
    uint64_t ranks = 0;
    uint64_t numbers = add(op->direction, op->axis);
    unsigned odd = (unsigned)(test->check != TOPK_CHECK_NONE) +
                   (test->padding != TOPK_PADDING_WIN) + bits_set(op->execution) +
                   (op->level != plain_level(op)) + (op->axis + 1 != input->rank) +
                   (op->axis >= input->rank);
    if (op->kind == TOPK_TOP_K1) {
        odd += 1u + (op->direction != TOPK_DECREASING) + (op->direction > TOPK_DECREASING);
    }
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const struct topk_tensor *tensor = &op->tensors[role];
        for (uint32_t i = 0; tensor->present && i < tensor->rank; i++) {
            sizes += tensor->sizes[i];
        }
        ranks += tensor->rank;
        weigh_tensor(test, (enum topk_role)role, &odd, &numbers);
    }
    struct topk_shrink_plainness data = topk_shrink_data_plainness(test);
    struct topk_validity validity;
    uint64_t broken = 0;
    topk_operator_validate(op, op->level, &validity);
    for (int clause = 0; clause < TOPK_CLAUSE_COUNT; clause++) {
        broken += topk_clause_set_has(&validity.broken, (enum topk_clause)clause);
    }
    return (struct weight){{broken, topk_tensor_elements(input), sizes, op->k, ranks, odd, numbers,
                            topk_shrink_type_plainness(input->type), data.class, data.weight}};
}

static bool lighter(const struct weight *a, const struct weight *b)
{
    for (int i = 0; i < WEIGHTS; i++) {
        if (a->of[i] != b->of[i]) {
            return a->of[i] < b->of[i];
        }
    }
    return false;
}

/* ---- what was tried -------------------------------------------------------------------------- */

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

/* FNV-1a, and not 0 */
static uint64_t digest_of(const char *text, size_t length)
{
    uint64_t digest = 0xcbf29ce484222325;
    for (size_t i = 0; i < length; i++) {
        digest = (digest ^ (unsigned char)text[i]) * 0x100000001b3;
    }
    return digest == 0 ? 1 : digest;
}

/* the place of a digest in the table: its own, or the free one where it belongs */
static uint64_t *place_of(uint64_t *table, size_t room, uint64_t digest)
{
    size_t at = (size_t)(digest ^ digest >> 32) & (room - 1);
    while (table[at] != 0 && table[at] != digest) {
        at = (at + 1) & (room - 1);
    }
    return &table[at];
}

/* notes a digest; false if it was there */
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

static void take(struct topk_shrinker *shrinker, uint32_t number)
{
    struct topk_case *taken = &shrinker->waiting[number];
    topk_case_clear(shrinker->current);
    *shrinker->current = *taken;
    memset(taken, 0, sizeof *taken);
    shrinker->weight = weigh(shrinker->current);
    topk_operator_validate(&shrinker->current->op, shrinker->current->op.level,
                           &shrinker->validity);
    shrinker->found = true;
    shrinker->place = shrinker->places[number];
    shrinker->report->accepted++;
}

/* tries the candidates that wait */
static void try_waiting(struct topk_shrinker *shrinker)
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

/* whether every clause of a set is in another */
static bool within(const struct topk_clause_set *set, const struct topk_clause_set *other)
{
    struct topk_clause_set both = *other;
    topk_clause_set_merge(&both, set);
    return memcmp(&both, other, sizeof both) == 0;
}

/* what is not said by a step: a level that has what the candidate asks for, no direction of TOP_K
 */
static void settle(const struct topk_shrinker *shrinker, struct topk_case *candidate)
{
    struct topk_operator *op = &candidate->op;
    if (op->kind == TOPK_TOP_K) {
        op->direction = TOPK_DECREASING;
    }
    const struct topk_operator *current = &shrinker->current->op;
    uint32_t least = topk_operator_least_level(op);
    if (current->level == plain_level(current)) {
        op->level = plain_level(op);
    } else if (topk_clause_set_empty(&shrinker->validity.broken) && op->level < least) {
        op->level = least;
    }
}

/* Whether a candidate is wrong in no way in which the current case is not. Of what leaves a backend
 * a choice only V03 may come in: a backend that does not serve it says so. */
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

/* whether the text of a candidate means the candidate, and was not tried */
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

bool topk_shrink_copy(struct topk_shrinker *shrinker, struct topk_case *candidate)
{
    if (!topk_case_copy(candidate, shrinker->current)) {
        topk_shrink_no_memory(shrinker);
        return false;
    }
    return true;
}

bool topk_shrink_offer(struct topk_shrinker *shrinker, struct topk_case *candidate,
                       struct topk_shrink_place place)
{
    settle(shrinker, candidate);
    struct weight weight = weigh(candidate);
    if (!lighter(&weight, &shrinker->weight) || !as_valid(shrinker, candidate) ||
        !fresh(shrinker, candidate)) {
        topk_case_clear(candidate);
        return shrinker->ended;
    }
    if (shrinker->report->runs + shrinker->waiting_count >= shrinker->max_runs) {
        topk_case_clear(candidate);
        try_waiting(shrinker);
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
        try_waiting(shrinker);
    }
    return shrinker->found || shrinker->ended;
}

/* takes a step as often as it succeeds; whether it did */
static bool take_step(struct topk_shrinker *shrinker, const struct topk_shrink_step *step)
{
    bool any = false;
    shrinker->place = (struct topk_shrink_place){0, 0, 0};
    do {
        shrinker->found = false;
        step->propose(shrinker, shrinker->current, shrinker->place);
        if (!shrinker->found) {
            try_waiting(shrinker);
        }
        any |= shrinker->found;
        if (shrinker->found && shrinker->options->shrunk != NULL) {
            shrinker->options->shrunk(shrinker->options->context, shrinker->current, step->name,
                                      shrinker->report->runs);
        }
    } while (shrinker->found && !shrinker->ended);
    return any;
}

void topk_shrink(struct topk_case *test, const struct topk_shrink_options *options,
                 struct topk_shrink_report *report)
{
    *report = (struct topk_shrink_report){.end = TOPK_SHRINK_MINIMAL};
    struct topk_shrinker *shrinker = calloc(1, sizeof *shrinker);
    char *text = malloc(TOPK_CASE_TEXT);
    if (shrinker == NULL || text == NULL) {
        free(shrinker);
        free(text);
        report->end = TOPK_SHRINK_NO_MEMORY;
        return;
    }
    shrinker->options = options;
    shrinker->report = report;
    shrinker->current = test;
    shrinker->text = text;
    shrinker->batch = 2;
    shrinker->max_runs = options->max_runs == 0 ? TOPK_SHRINK_RUNS : options->max_runs;
    shrinker->weight = weigh(test);
    topk_operator_validate(&test->op, test->op.level, &shrinker->validity);
    bool changed = true;
    while (changed && !shrinker->ended) {
        changed = false;
        for (const struct topk_shrink_step *step = topk_shrink_steps;
             step->name != NULL && !shrinker->ended; step++) {
            changed |= take_step(shrinker, step);
        }
    }
    free(shrinker->tried);
    free(shrinker->text);
    free(shrinker);
}
