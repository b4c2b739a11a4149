/* Steps that make data plainer: its recipe, literal elements, their type and their values. */
#include <stdlib.h>
#include <string.h>

#include "case/case.h"
#include "reference/element.h"
#include "shrink_state.h"

/* greatest size of an input that is read */
#define LOOK_BYTES ((uint64_t)1 << 26)

/* ---- recipes --------------------------------------------------------------------------------- */

static void set_zeros(struct topk_case *tc)
{
    free(tc->literal);
    tc->literal = NULL;
    tc->literal_count = 0;
    tc->recipe = NULL;
    memset(tc->parameters, 0, sizeof tc->parameters);
}

/* no data, simple recipes, simpler parameters of the present recipe */
void topk_shrink_propose_data(struct topk_shrinker *shrinker)
{
    const struct topk_case *current = shrinker->current;
    for (size_t i = 0; i <= TOPK_SHRINK_PLAIN_RECIPES; i++) {
        struct topk_case candidate = topk_shrink_copy(shrinker);
        if (i == 0) {
            set_zeros(&candidate);
        } else {
            topk_shrink_set_recipe(&candidate, i - 1);
        }
        if (topk_shrink_offer(shrinker, &candidate)) {
            return;
        }
    }
    for (uint32_t i = 0; current->recipe != NULL && i < current->recipe->parameters; i++) {
        const uint64_t simpler[] = {
            0, 1, 2, 3, current->parameters[i] / 2, current->parameters[i] - 1};
        for (size_t j = 0; j < sizeof simpler / sizeof simpler[0]; j++) {
            struct topk_case candidate = topk_shrink_copy(shrinker);
            candidate.parameters[i] = simpler[j];
            if (topk_shrink_offer(shrinker, &candidate)) {
                return;
            }
        }
    }
}

/* Halves a dimension and tries several seeds: data that is too long to be literal changes with its
 * size. */
void topk_shrink_propose_seeds(struct topk_shrinker *shrinker)
{
    const struct topk_case *current = shrinker->current;
    const struct topk_tensor *input = &current->op.tensors[TOPK_INPUT];
    for (uint32_t d = 0; current->recipe != NULL && d < input->rank; d++) {
        uint32_t half = input->sizes[d] / 2;
        for (uint64_t seed = 0; seed < 8 && half > 0; seed++) {
            struct topk_case candidate = topk_shrink_copy(shrinker);
            topk_shrink_remove(&candidate, d, 0, half);
            if (d == current->op.axis && current->op.k > input->sizes[d] - half) {
                topk_shrink_set_k(&candidate, input->sizes[d] - half);
            }
            candidate.parameters[current->recipe->parameters - 1] = seed;
            if (topk_shrink_offer(shrinker, &candidate)) {
                return;
            }
        }
    }
}

/* ---- literal data ---------------------------------------------------------------------------- */

/* The logical input elements of a valid case; the caller frees them. NULL if there are too many or
 * if memory is short. */
static uint64_t *read_elements(const struct topk_case *tc, uint32_t *count)
{
    const struct topk_tensor *input = &tc->op.tensors[TOPK_INPUT];
    struct topk_validity validity;
    uint32_t bytes = topk_type_bytes(input->type);
    uint64_t elements = topk_tensor_elements(input);
    topk_operator_validate(&tc->op, tc->op.level, &validity);
    if (!topk_clause_set_empty(&validity.broken) || elements > TOPK_LITERAL_MAX ||
        topk_tensor_least_bytes(input) > LOOK_BYTES) {
        return NULL;
    }
    unsigned char *tensor = calloc((size_t)topk_tensor_least_bytes(input), 1);
    uint64_t *bits = malloc(elements * sizeof *bits);
    if (tensor == NULL || bits == NULL || !topk_case_fill(tc, tensor)) {
        free(tensor);
        free(bits);
        return NULL;
    }
    uint32_t at[TOPK_RANK_MAX] = {0};
    for (uint32_t i = 0; i < elements; i++) {
        bits[i] = topk_element_load(tensor + topk_tensor_offset(input, at) * bytes, bytes);
        for (uint32_t d = input->rank; d-- > 0 && ++at[d] == input->sizes[d];) {
            at[d] = 0;
        }
    }
    free(tensor);
    *count = (uint32_t)elements;
    return bits;
}

/* replaces a recipe by the elements that it makes, as a backend reads them if strides make them
 * share memory */
void topk_shrink_propose_literal(struct topk_shrinker *shrinker)
{
    const struct topk_case *current = shrinker->current;
    uint32_t count;
    uint64_t *bits = read_elements(current, &count);
    if (bits == NULL) {
        return;
    }
    struct topk_case candidate = topk_shrink_copy(shrinker);
    set_zeros(&candidate);
    candidate.literal = bits;
    candidate.literal_count = count;
    topk_shrink_offer(shrinker, &candidate);
}

/* offers a copy in which a function maps each literal element */
static bool offer_mapped(struct topk_shrinker *shrinker,
                         uint64_t (*map)(const void *context, uint32_t i, uint64_t bits),
                         const void *context, uint32_t type, struct topk_shrink_place place)
{
    bool zero = true;
    struct topk_case candidate = topk_shrink_copy(shrinker);
    for (uint32_t i = 0; i < candidate.literal_count; i++) {
        candidate.literal[i] = map(context, i, candidate.literal[i]);
        zero = zero && candidate.literal[i] == 0;
    }
    if (zero) {
        set_zeros(&candidate);
    }
    topk_shrink_set_type(&candidate, type);
    return topk_shrink_offer_at(shrinker, &candidate, place);
}

/* ---- ranks and types ------------------------------------------------------------------------- */

/* the distinct order keys of literal data, ascending, and how they are mapped */
struct ranking {
    uint32_t from; /* type of the data */
    uint32_t to;   /* the new type */
    bool specials; /* least and greatest values, -0, denormals and NaN stay special */
    int64_t start; /* the whole number for the least key */
    uint32_t count;
    uint64_t *keys;
};

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Whether a value is special in type `from`; *bits becomes the corresponding plainest value of type
 * `to`. */
static bool map_special(uint32_t from, uint32_t to, uint64_t *bits)
{
    bool both = topk_type_float(from) && topk_type_float(to);
    uint64_t sign = topk_element_least(to) ^ topk_element_greatest(to); /* for a float */
    if (*bits == topk_element_least(from)) {
        *bits = topk_element_least(to);
        return true;
    }
    if (*bits == topk_element_greatest(from)) {
        *bits = topk_element_greatest(to);
        return true;
    }
    if (topk_element_nan(from, *bits)) {
        *bits =
            topk_element_greatest(to) | (both ? (uint64_t)1 << (to == TOPK_TYPE_F32 ? 22 : 9) : 0);
        return true;
    }
    if (both && topk_element_zero(from, *bits) && *bits != 0) {
        *bits = sign;
        return true;
    }
    if (both && topk_element_denormal(from, *bits)) {
        bool negative = topk_element_key(from, *bits) < topk_element_key(from, 0);
        *bits = negative ? sign | 1 : 1;
        return true;
    }
    return false;
}

static uint64_t map_rank(const void *context, uint32_t i, uint64_t bits)
{
    const struct ranking *ranking = context;
    (void)i;
    if (ranking->specials && map_special(ranking->from, ranking->to, &bits)) {
        return bits;
    }
    uint64_t key = topk_element_key(ranking->from, bits);
    const uint64_t *found =
        bsearch(&key, ranking->keys, ranking->count, sizeof *ranking->keys, by_value);
    return topk_value_whole(ranking->to,
                            (found == NULL ? 0 : found - ranking->keys) + ranking->start);
}

/* collects the keys that are mapped by rank; false if memory is short */
static bool rank(struct ranking *ranking, const struct topk_case *tc)
{
    uint32_t count = 0;
    ranking->keys = malloc((tc->literal_count + 1) * sizeof *ranking->keys);
    if (ranking->keys == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < tc->literal_count; i++) {
        uint64_t bits = tc->literal[i];
        if (!ranking->specials || !map_special(ranking->from, ranking->to, &bits)) {
            ranking->keys[count++] = topk_element_key(ranking->from, bits);
        }
    }
    qsort(ranking->keys, count, sizeof *ranking->keys, by_value);
    for (uint32_t i = 0; i < count; i++) {
        if (ranking->count == 0 || ranking->keys[ranking->count - 1] != ranking->keys[i]) {
            ranking->keys[ranking->count++] = ranking->keys[i];
        }
    }
    return true;
}

/* Offers literal data in a type with each value replaced by its rank: from 0, or centred on 0, with
 * special values kept or not. */
static bool offer_ranked(struct topk_shrinker *shrinker, const struct topk_case *current,
                         uint32_t type)
{
    for (int way = 0; way < 4; way++) {
        struct ranking ranking = {
            .from = current->op.tensors[TOPK_INPUT].type, .to = type, .specials = way >= 2};
        if (!rank(&ranking, current)) {
            topk_shrink_no_memory(shrinker);
            return true;
        }
        ranking.start = way % 2 == 0 ? 0 : -(int64_t)(ranking.count / 2);
        bool over = ranking.count < 128 && /* more do not fit into every type */
                    offer_mapped(shrinker, map_rank, &ranking, type, (struct topk_shrink_place){0});
        free(ranking.keys);
        if (over) {
            return true;
        }
    }
    return false;
}

void topk_shrink_propose_ranks(struct topk_shrinker *shrinker)
{
    const struct topk_case *current = shrinker->current;
    if (current->literal != NULL) {
        offer_ranked(shrinker, current, current->op.tensors[TOPK_INPUT].type);
    }
}

void topk_shrink_propose_type(struct topk_shrinker *shrinker)
{
    const struct topk_case *current = shrinker->current;
    uint32_t now = current->op.tensors[TOPK_INPUT].type;
    for (uint32_t plainness = 0; plainness < topk_shrink_type_plainness(now); plainness++) {
        uint32_t type = 0;
        for (int i = 0; i <= TOPK_TYPE_COUNT; i++) {
            /* F64 is the plainest type that TOP_K does not accept */
            uint32_t other = i < TOPK_TYPE_COUNT ? topk_types[i] : (uint32_t)TOPK_TYPE_F64;
            if (topk_shrink_type_plainness(other) == plainness) {
                type = other;
            }
        }
        if (current->literal != NULL && topk_type_known(now) && topk_type_known(type)) {
            if (offer_ranked(shrinker, current, type)) {
                return;
            }
        } else {
            struct topk_case candidate = topk_shrink_copy(shrinker);
            topk_shrink_set_type(&candidate, type);
            if (topk_shrink_offer(shrinker, &candidate)) {
                return;
            }
        }
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

/* which elements get a new value: those with one value, or those of a range */
struct replacement {
    uint64_t value;
    bool any; /* regardless of their value */
    uint32_t from;
    uint32_t count;
    uint64_t to;
};

static uint64_t map_replacement(const void *context, uint32_t i, uint64_t bits)
{
    const struct replacement *replacement = context;
    bool here = i >= replacement->from && i - replacement->from < replacement->count;
    return here && (replacement->any || bits == replacement->value) ? replacement->to : bits;
}

/* Plain values that may replace another, the plainest first; after these come the values in the
 * data. */
#define PLAIN_VALUES 20

static uint32_t plain_values(uint32_t type, uint64_t values[PLAIN_VALUES])
{
    uint32_t count = 0;
    for (int64_t number = 0; number < 8; number++) {
        values[count++] = topk_value_whole(type, number);
    }
    values[count++] = topk_value_whole(type, -1);
    values[count++] = topk_value_whole(type, -2);
    values[count++] = topk_element_least(type);
    values[count++] = topk_element_greatest(type);
    if (topk_type_float(type)) {
        uint64_t sign = topk_element_least(type) ^ topk_element_greatest(type);
        values[count++] = sign; /* -0 */
        values[count++] = topk_element_greatest(type) | (sign >> (type == TOPK_TYPE_F32 ? 9 : 6));
        values[count++] = 1; /* least denormal */
    }
    return count;
}

/* offers each plain value, and each value in the data, as the replacement */
static bool offer_replaced(struct topk_shrinker *shrinker, const struct topk_case *current,
                           struct replacement replacement, struct topk_shrink_place place)
{
    uint32_t type = current->op.tensors[TOPK_INPUT].type;
    uint64_t values[PLAIN_VALUES + TOPK_SHRINK_LITERAL];
    uint32_t count = plain_values(type, values);
    for (uint32_t i = 0; i < current->literal_count && i < TOPK_SHRINK_LITERAL; i++) {
        values[count++] = current->literal[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        replacement.to = values[i];
        if (topk_shrink_value_weight(type, values[i]) <
                topk_shrink_value_weight(type, replacement.value) &&
            offer_mapped(shrinker, map_replacement, &replacement, type, place)) {
            return true;
        }
    }
    return false;
}

/* sets half of the elements to zero, then smaller chunks */
static bool offer_zeroed(struct topk_shrinker *shrinker, const struct topk_case *current,
                         struct topk_shrink_place place)
{
    uint32_t type = current->op.tensors[TOPK_INPUT].type;
    uint32_t count = current->literal_count;
    uint64_t chunk = place.chunk == 0 ? count / 2 : place.chunk;
    for (; chunk > 0; chunk /= 2, place.at = 0) {
        for (uint64_t at = place.at; at < count; at += chunk) {
            struct replacement replacement = {
                .any = true, .from = (uint32_t)at, .count = (uint32_t)chunk};
            struct topk_shrink_place here = {0, chunk, at};
            if (offer_mapped(shrinker, map_replacement, &replacement, type, here)) {
                return true;
            }
        }
    }
    return false;
}

void topk_shrink_propose_values(struct topk_shrinker *shrinker)
{
    const struct topk_case *current = shrinker->current;
    struct topk_shrink_place place = shrinker->place;
    if (current->literal == NULL || !topk_type_known(current->op.tensors[TOPK_INPUT].type) ||
        offer_zeroed(shrinker, current, place) || current->literal_count > TOPK_SHRINK_LITERAL) {
        return;
    }
    struct topk_shrink_place done = {0, 1, current->literal_count};
    /* all elements with the same value, then single ones */
    for (int alone = 0; alone < 2; alone++) {
        for (uint32_t i = 0; i < current->literal_count; i++) {
            struct replacement replacement = {.value = current->literal[i],
                                              .from = alone ? i : 0,
                                              .count = alone ? 1 : current->literal_count};
            if (offer_replaced(shrinker, current, replacement, done)) {
                return;
            }
        }
    }
}

/* ---- bits ------------------------------------------------------------------------------------ */

struct clearing {
    uint64_t value;
    bool any;
    uint64_t bit;
};

static uint64_t map_clearing(const void *context, uint32_t i, uint64_t bits)
{
    const struct clearing *clearing = context;
    (void)i;
    return clearing->any || bits == clearing->value ? bits & ~clearing->bit : bits;
}

/* Clears bits of values that are not plain: one bit in all elements, then in those of one value. */
void topk_shrink_propose_bits(struct topk_shrinker *shrinker)
{
    const struct topk_case *current = shrinker->current;
    uint32_t type = current->op.tensors[TOPK_INPUT].type;
    if (current->literal == NULL || current->literal_count > TOPK_SHRINK_LITERAL) {
        return;
    }
    for (uint32_t i = 0; i <= current->literal_count; i++) {
        struct clearing clearing = {.any = i == 0, .value = i == 0 ? 0 : current->literal[i - 1]};
        for (uint32_t bit = 8 * topk_type_bytes(type); bit-- > 0;) {
            clearing.bit = (uint64_t)1 << bit;
            if ((clearing.any || clearing.value & clearing.bit) &&
                offer_mapped(shrinker, map_clearing, &clearing, type,
                             (struct topk_shrink_place){0})) {
                return;
            }
        }
    }
}
