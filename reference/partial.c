/* Readings that limit what a wrong output may be, without determining it. They use the position of
 * each output among the elements in the correct order. */
#include <string.h>

#include "element.h"
#include "reading.h"

/* whether an output is an element with its index; *rank is set to its position among all */
static bool is_element(const struct outcome *outcome, uint32_t j, uint32_t *rank)
{
    const struct reading_output *output = &outcome->outputs[j];
    if (output->index >= outcome->length) {
        return false;
    }
    *rank = outcome->ranks[output->index];
    return outcome->row[*rank].bits == output->value;
}

static bool is_right(const struct outcome *outcome, uint32_t j)
{
    uint32_t rank;
    return is_element(outcome, j, &rank) && rank == j;
}

/* whether an element occurs for the first time */
static bool is_new(const struct outcome *outcome, uint32_t rank)
{
    const bool new = outcome->seen[rank] == 0;
    outcome->seen[rank] = 1;
    return new;
}

/* values and indices are correct or 0 */
static bool zeroed(const struct outcome *outcome)
{
    bool fits = true;
    for (uint32_t j = 0; j < outcome->op->k && fits; j++) {
        const struct reading_output *output = &outcome->outputs[j];
        fits = (output->value == 0 || output->value == outcome->row[j].bits) &&
               (output->index == 0 || output->index == outcome->row[j].index);
    }
    return fits;
}

/* outputs are correct, or their index has all bits set */
static bool marked(const struct outcome *outcome)
{
    const uint32_t bytes = topk_type_bytes(outcome->op->tensors[TOPK_INDEX].type);
    bool fits = true;
    for (uint32_t j = 0; j < outcome->op->k && fits; j++) {
        const uint64_t index = outcome->outputs[j].index;
        fits = is_right(outcome, j) || index == UINT32_MAX || (bytes == 8 && index == UINT64_MAX);
    }
    return fits;
}

/* the correct elements in another order */
static bool unsorted(const struct outcome *outcome)
{
    bool differs = false;
    for (uint32_t j = 0; j < outcome->op->k; j++) {
        uint32_t rank;
        if (!is_element(outcome, j, &rank) || rank >= outcome->op->k || !is_new(outcome, rank)) {
            return false;
        }
        differs |= outcome->row[rank].bits != outcome->row[j].bits;
    }
    return differs;
}

/* the correct values in order, and the correct indices in another order: some do not name their
 * value */
static bool apart(const struct outcome *outcome)
{
    bool parted = false;
    for (uint32_t j = 0; j < outcome->op->k; j++) {
        const struct reading_output *output = &outcome->outputs[j];
        if (output->value != outcome->row[j].bits || output->index >= outcome->length) {
            return false;
        }
        const uint32_t rank = outcome->ranks[output->index];
        if (rank >= outcome->op->k || !is_new(outcome, rank)) {
            return false;
        }
        parted |= outcome->row[rank].bits != output->value;
    }
    return parted;
}

/* the correct result of the previous or the next sequence; state: 1 or 2 when one of these is
 * excluded */
static bool neighbour(const struct outcome *outcome, uint32_t *state)
{
    const struct topk_operator *op = outcome->op;
    const uint64_t sequences = topk_operator_sequences(op);
    const uint64_t others[] = {outcome->sequence + 1,
                               outcome->sequence == 0 ? sequences : outcome->sequence - 1};
    for (uint32_t i = 0; i < 2; i++) {
        bool fits = (*state >> i & 1) == 0 && others[i] < sequences;
        uint32_t at[TOPK_RANK_MAX] = {0};
        if (fits) {
            topk_operator_sequence_at(op, others[i], at);
        }
        fits = fits && topk_reading_select(op, &topk_readings[0], outcome->input, at,
                                           &outcome->outputs[0], outcome->other);
        for (uint32_t j = 0; j < op->k && fits; j++) {
            fits = outcome->outputs[j].value == outcome->other[j].bits &&
                   outcome->outputs[j].index == outcome->other[j].index;
        }
        *state |= (uint32_t)!fits << i;
    }
    return *state != 3;
}

/* whether the elements after a sequence, up to the next power of two, include some bits */
static bool lies_behind(const struct outcome *outcome, uint64_t bits)
{
    const struct topk_operator *op = outcome->op;
    uint32_t at[TOPK_RANK_MAX] = {0};
    uint32_t most = 2;
    while (most <= outcome->length) {
        most *= 2;
    }
    topk_operator_sequence_at(op, outcome->sequence, at);
    bool found = false;
    for (uint32_t i = outcome->length; i < most && !found; i++) {
        uint64_t behind;
        at[op->axis] = i;
        found = topk_view_load(outcome->input, op->tensors[TOPK_INPUT].rank, at, &behind) &&
                behind == bits;
    }
    return found;
}

/* the best elements in order, with elements from after the sequence between them */
static bool beyond(const struct outcome *outcome)
{
    uint32_t least = 0; /* rank of the next element */
    uint32_t foreign = 0;
    for (uint32_t j = 0; j < outcome->op->k; j++) {
        uint32_t rank;
        if (is_element(outcome, j, &rank)) {
            if (rank < least || rank > j) {
                return false;
            }
            least = rank + 1;
        } else if (outcome->outputs[j].value != outcome->row[j].bits &&
                   lies_behind(outcome, outcome->outputs[j].value)) {
            foreign++;
        } else {
            return false;
        }
    }
    return foreign > 0;
}

bool topk_reading_pad(const struct topk_operator *op, enum pad pad, uint64_t *bits)
{
    const uint32_t type = op->tensors[TOPK_INPUT].type;
    const bool is_float = topk_type_float(type);
    const uint64_t worst =
        topk_operator_increasing(op) ? topk_element_greatest(type) : topk_element_least(type);
    *bits = pad == PAD_ZERO     ? 0
            : pad == PAD_NORMAL ? (type == TOPK_TYPE_F32 ? 0x00800000u : 0x0400u)
            : pad == PAD_FINITE ? worst - 1
                                : worst;
    return is_float || pad == PAD_ZERO || pad == PAD_WORST;
}

/* Correct elements that are better than the pad, then pads and elements that equal them, then the
 * rest. */
static bool padded(const struct outcome *outcome, enum pad pad)
{
    const struct topk_operator *op = outcome->op;
    const uint32_t type = op->tensors[TOPK_INPUT].type;
    uint64_t bits;
    if (!topk_reading_pad(op, pad, &bits)) {
        return false;
    }
    uint64_t key = topk_element_key(type, bits);
    key = topk_operator_increasing(op) ? key : ~key;
    uint32_t least = 0; /* rank of the next element that does not equal the pad */
    uint32_t pads = 0;
    for (uint32_t j = 0; j < op->k; j++) {
        uint32_t rank = 0;
        const bool element = is_element(outcome, j, &rank);
        const bool equal = element && outcome->row[rank].key == key;
        if (element && (!equal || is_new(outcome, rank))) {
            if (!equal && (rank < least || (outcome->row[rank].key < key && rank != j))) {
                return false;
            }
            least = equal ? least : rank + 1;
        } else if (outcome->outputs[j].value == bits &&
                   (least == outcome->length || outcome->row[least].key >= key)) {
            pads++;
        } else {
            return false;
        }
    }
    return pads > 0;
}

bool topk_reading_partial(const struct reading *reading, const struct outcome *outcome,
                          uint32_t *state)
{
    memset(outcome->seen, 0, outcome->length);
    switch (reading->partial) {
    case PARTIAL_ZEROED:
        return zeroed(outcome);
    case PARTIAL_MARKED:
        return marked(outcome);
    case PARTIAL_UNSORTED:
        return unsorted(outcome);
    case PARTIAL_APART:
        return apart(outcome);
    case PARTIAL_NEIGHBOUR:
        return neighbour(outcome, state);
    case PARTIAL_BEYOND:
        return beyond(outcome);
    case PARTIAL_PADDED:
        return padded(outcome, reading->pad);
    default:
        return false;
    }
}
