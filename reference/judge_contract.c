/* The part of the judge that depends on contracts: how elements are ordered, which of them tie, and
 * whether a sequence is correct by rules other than DirectML's. Without a contract, the rules are
 * DirectML's. */
#include "judge_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- orders ---------------------------------------------------------------------------------- */

enum topk_order topk_judge_nan_order(const struct topk_contract *contract)
{
    return chooses(contract, TOPK_OPTION_NAN_GREATEST) ? TOPK_ORDER_NAN_GREATEST
           : chooses(contract, TOPK_OPTION_NAN_LEAST)  ? TOPK_ORDER_NAN_LEAST
           : chooses(contract, TOPK_OPTION_NAN_FIRST)  ? TOPK_ORDER_NAN_FIRST
           : chooses(contract, TOPK_OPTION_NAN_LAST)   ? TOPK_ORDER_NAN_LAST
                                                       : TOPK_ORDER_EXACT;
}

/* keys of floats are neither 0 nor above 2^34, so there is room on both sides for a NaN */
#define KEY_NAN_GREATEST ((uint64_t)1 << 40)
#define KEY_NAN_LEAST    ((uint64_t)0)

static uint64_t nan_key(const struct topk_sequence *s, enum topk_order order, uint64_t bits)
{
    const enum topk_order asked = topk_judge_nan_order(s->contract);
    bool greatest = true;
    switch (asked == TOPK_ORDER_EXACT ? order : asked) {
    case TOPK_ORDER_NAN_LEAST:
        greatest = false;
        break;
    case TOPK_ORDER_NAN_FIRST:
        greatest = !s->increasing;
        break;
    case TOPK_ORDER_NAN_LAST:
        greatest = s->increasing;
        break;
    case TOPK_ORDER_NAN_BY_SIGN:
        greatest = bits >> (8 * topk_type_bytes(s->type) - 1) == 0;
        break;
    default:
        break;
    }
    return greatest ? KEY_NAN_GREATEST : KEY_NAN_LEAST;
}

/* the key of a number under an order, regardless of the direction */
static uint64_t number_key(const struct topk_sequence *s, enum topk_order order, uint64_t bits)
{
    switch (order) {
    case TOPK_ORDER_DENORMAL_ZERO:
        return topk_element_key_flushed(s->type, bits);
    case TOPK_ORDER_HALF:
        return topk_element_key_half(bits);
    case TOPK_ORDER_HALF_TRUNCATED:
        return topk_element_key_half_truncated(bits);
    default:
        return topk_element_key(s->type, bits);
    }
}

uint64_t topk_judge_key(const struct topk_sequence *s, enum topk_order order, uint64_t bits)
{
    uint64_t key;
    if (topk_element_nan(s->type, bits)) {
        key = nan_key(s, order, bits);
    } else {
        key = number_key(s, order, bits);
        if (chooses(s->contract, TOPK_OPTION_ZERO_SIGNED) && topk_type_float(s->type)) {
            const bool minus = bits >> (8 * topk_type_bytes(s->type) - 1) != 0;
            key = 2 * key + !(minus && key == number_key(s, order, 0));
        }
    }
    return s->increasing ? key : ~key;
}

bool topk_judge_same(const struct topk_sequence *s, uint64_t value, uint64_t named)
{
    return value == named ||
           (topk_element_nan(s->type, value) && topk_element_nan(s->type, named)) ||
           (chooses(s->contract, TOPK_OPTION_DENORMALS_FLUSH) &&
            topk_element_denormal(s->type, named) && topk_element_zero(s->type, value));
}

bool topk_judge_tie(const struct topk_contract *contract, uint64_t a, uint64_t b)
{
    return chooses(contract, TOPK_OPTION_TIES_ANY)       ? true
           : chooses(contract, TOPK_OPTION_TIES_HIGHEST) ? a > b
                                                         : a < b;
}

/* ---- a sequence ------------------------------------------------------------------------------ */

/* whether the indices from..from+places-1 occur at most once each; the bitmap must be zero */
static bool distinct_within(const struct topk_sequence *s, unsigned char *bitmap, uint64_t from,
                            uint64_t places)
{
    for (uint32_t j = 0; j < s->k; j++) {
        /* for a lower index, this wraps to a number above `places` */
        const uint64_t place = load_index(s, j) - from;
        if (place < places && bitmap_test_and_set(bitmap, place)) {
            return false;
        }
    }
    return true;
}

/* Processes as many indices at a time as there is memory for, so that memory does not affect the
 * verdict. */
bool topk_judge_distinct(const struct topk_sequence *s)
{
    unsigned char few[64];
    const uint64_t least = 8 * sizeof few;
    uint64_t room = s->length;
    unsigned char *many = NULL;
    bool distinct = true;
    while (room > least && (many = malloc((size_t)(room / 8 + 1))) == NULL) {
        room /= 2;
    }
    unsigned char *const seen = many == NULL ? few : many;
    room = many == NULL ? least : room;
    for (uint64_t from = 0; distinct && from < s->length; from += room) {
        const uint64_t places = s->length - from < room ? s->length - from : room;
        memset(seen, 0, (size_t)((places + 7) / 8));
        distinct = distinct_within(s, seen, from, places);
    }
    free(many);
    return distinct;
}

struct topk_judge_bound topk_judge_bound(const struct topk_sequence *s, enum topk_order order)
{
    struct topk_judge_bound bound = {.key = 0};
    for (uint32_t j = 0; j < s->k; j++) {
        const uint64_t index = load_index(s, j);
        const uint64_t key = topk_judge_key(s, order, load_input(s, index));
        if (j == 0 || key > bound.key ||
            (key == bound.key && topk_judge_tie(s->contract, bound.index, index))) {
            bound.better = j > 0 && key > bound.key ? j : bound.better;
            bound.key = key;
            bound.index = index;
            bound.position = j;
        } else if (key < bound.key) {
            bound.better++;
        }
    }
    return bound;
}

bool topk_judge_tie_inside(const struct topk_contract *contract, uint64_t index, uint64_t bound)
{
    return !chooses(contract, TOPK_OPTION_TIES_ANY) &&
           (index == bound || topk_judge_tie(contract, index, bound));
}

bool topk_judge_holds(const struct topk_sequence *s, enum topk_order order)
{
    const bool sorted = !chooses(s->contract, TOPK_OPTION_ORDER_ANY);
    const bool free_ties = chooses(s->contract, TOPK_OPTION_TIES_ANY);
    const bool nan_is_open =
        order < TOPK_ORDER_NAN_GREATEST && topk_judge_nan_order(s->contract) == TOPK_ORDER_EXACT;
    uint64_t last = 0;
    uint64_t last_index = 0;
    for (uint32_t j = 0; j < s->k; j++) {
        const uint64_t index = load_index(s, j);
        if (index >= s->length) {
            return false;
        }
        const uint64_t named = load_input(s, index);
        const uint64_t key = topk_judge_key(s, order, named);
        if (!topk_judge_same(s, load_value(s, j), named) ||
            (sorted && j > 0 &&
             (key < last || (key == last && !topk_judge_tie(s->contract, last_index, index))))) {
            return false;
        }
        last = key;
        last_index = index;
    }
    if ((!sorted || free_ties) && !topk_judge_distinct(s)) {
        return false;
    }
    const struct topk_judge_bound bound = topk_judge_bound(s, order);
    uint32_t inside = 0;
    for (uint32_t i = 0; i < s->length; i++) {
        const uint64_t bits = load_input(s, i);
        const uint64_t key = topk_judge_key(s, order, bits);
        if (nan_is_open && topk_element_nan(s->type, bits)) {
            return false;
        }
        inside += key < bound.key ||
                  (key == bound.key && topk_judge_tie_inside(s->contract, i, bound.index));
    }
    return inside == (free_ties ? bound.better : s->k);
}
