/* Checks outputs, without sorting, against readings that differ only in selection and order. Two
 * outputs in the wrong order refute a reading, and so does an element that it would have
 * selected. */
#include "element.h"
#include "reading.h"

/* the position of an element under a reading: smaller comes first */
struct place {
    uint64_t key, tie;
};

static bool is_before(const struct place *a, const struct place *b)
{
    return a->key != b->key ? a->key < b->key : a->tie < b->tie;
}

/* Returns false if the reading does not apply to the type. descending: equal elements come by
 * descending index. */
static bool place_of(const struct outcome *outcome, const struct reading *reading, uint64_t bits,
                     uint64_t index, bool descending, struct place *place)
{
    const bool increasing = topk_operator_increasing(outcome->op) != reading->opposite;
    bool applies = true;
    const uint64_t key =
        topk_reading_key(outcome->op->tensors[TOPK_INPUT].type, reading->order, bits, &applies);
    place->key = increasing ? key : ~key;
    place->tie = descending ? UINT32_MAX - index : index;
    return applies;
}

/* whether, of equal elements, those with the highest indices are selected; and whether they come
 * first */
static bool takes_high(const struct reading *reading)
{
    return reading->ties == TIES_DESCENDING || reading->ties == TIES_HIGH;
}
static bool puts_high_first(const struct reading *reading)
{
    return reading->ties == TIES_DESCENDING || reading->ties == TIES_REVERSED;
}

/* Whether outputs are elements in the order of the reading. *last: the output that is selected
 * last. */
static bool is_ordered(const struct outcome *outcome, const struct reading *reading,
                       struct place *last)
{
    const uint32_t k = outcome->op->k;
    struct place before = {0, 0};
    for (uint32_t j = 0; j < k; j++) {
        const struct reading_output *output = &outcome->outputs[reading->reversed ? k - 1 - j : j];
        struct place place;
        if (output->index >= outcome->length - reading->shorter ||
            outcome->row[outcome->ranks[output->index]].bits != output->value ||
            !place_of(outcome, reading, output->value, output->index, puts_high_first(reading),
                      &place) ||
            (j > 0 && !is_before(&before, &place))) {
            return false;
        }
        /* equal elements may be selected in the opposite order of their output; then the first one
         * is selected last */
        if (j == 0 || place.key != before.key || takes_high(reading) == puts_high_first(reading)) {
            last->key = place.key;
            last->tie = takes_high(reading) ? UINT32_MAX - output->index : output->index;
        }
        before = place;
    }
    return true;
}

enum topk_certified topk_reading_certify(const struct outcome *outcome,
                                         const struct reading *reading)
{
    struct place last = {0, 0};
    if (outcome->length < reading->shorter + outcome->op->k ||
        !is_ordered(outcome, reading, &last)) {
        return TOPK_REFUTED;
    }
    /* the element that the reading skips comes before the last output */
    if (reading->lost != LOST_NONE) {
        return TOPK_OPEN;
    }
    for (uint32_t i = 0; i < outcome->length; i++) {
        const struct element *element = &outcome->row[i];
        struct place place;
        if (outcome->selected[element->index] != 0 ||
            element->index >= outcome->length - reading->shorter) {
            continue;
        }
        if (!place_of(outcome, reading, element->bits, element->index, takes_high(reading),
                      &place) ||
            is_before(&place, &last)) {
            return TOPK_REFUTED;
        }
    }
    return TOPK_PROVED;
}
