/* The reading that outputs were left unchanged: recognised without sorting, for sequences of any
 * length, also with NaN. */
#include "element.h"
#include "reading.h"

/* A call whose outputs may be unchanged. The arrays have the value and the index. */
struct leaving {
    const struct topk_operator *op;
    struct view input;
    struct view outputs[2];
    struct view before[2];
    bool any; /* an output is unchanged */
};

/* the parts of an output that were written */
struct output {
    bool has_index;
    bool has_value; /* or known because its index names it */
    struct element element;
};

/* with the tensors' own strides every element can be loaded */
static uint64_t load(const struct leaving *leaving, const struct view *view, const uint32_t at[])
{
    uint64_t bits = 0;
    (void)topk_view_load(view, leaving->op->tensors[TOPK_INPUT].rank, at, &bits);
    return bits;
}

static void set_key(const struct leaving *leaving, struct element *element)
{
    const uint64_t key = topk_element_key(leaving->op->tensors[TOPK_INPUT].type, element->bits);
    element->key = topk_operator_increasing(leaving->op) ? key : ~key;
}

/* reads an output; false if a part that was written is wrong */
static bool read_output(struct leaving *leaving, uint32_t at[], struct output *output)
{
    const struct topk_tensor *input = &leaving->op->tensors[TOPK_INPUT];
    const uint32_t axis = leaving->op->axis;
    const uint64_t value = load(leaving, &leaving->outputs[0], at);
    const bool value_left = value == load(leaving, &leaving->before[0], at);
    const uint64_t held = load(leaving, &leaving->before[1], at);
    uint64_t index = load(leaving, &leaving->outputs[1], at);
    const bool index_left = index == held;
    if (!index_left && index > UINT32_MAX && index >> 32 == held >> 32) {
        index &= UINT32_MAX; /* its upper half is unchanged */
        leaving->any = true;
    }
    output->has_index = index < input->sizes[axis];
    output->has_value = output->has_index || !value_left;
    output->element.bits = value;
    if (!output->has_index) {
        leaving->any = true;
        set_key(leaving, &output->element);
        return index_left;
    }
    at[axis] = (uint32_t)index;
    output->element.bits = load(leaving, &leaving->input, at);
    output->element.tie = index;
    set_key(leaving, &output->element);
    const bool right =
        value == output->element.bits || (topk_element_nan(input->type, value) &&
                                          topk_element_nan(input->type, output->element.bits));
    leaving->any |= !right;
    return right || value_left;
}

/* whether as many elements of a sequence come before an output as there are positions before it */
static bool in_place(const struct leaving *leaving, uint32_t at[], const struct output *output,
                     uint32_t position)
{
    const struct topk_tensor *input = &leaving->op->tensors[TOPK_INPUT];
    uint32_t before = 0;
    uint32_t equal = 0;
    for (uint32_t i = 0; i < input->sizes[leaving->op->axis]; i++) {
        at[leaving->op->axis] = i;
        struct element element = {.bits = load(leaving, &leaving->input, at)};
        if (topk_element_nan(input->type, element.bits)) {
            return true; /* its order is open */
        }
        set_key(leaving, &element);
        const bool same = element.key == output->element.key;
        before += element.key < output->element.key ||
                  (same && output->has_index && i < output->element.tie);
        equal += same;
    }
    return output->has_index ? before == position : before <= position && position < before + equal;
}

/* Whether some outputs of a sequence are unchanged since before the call, and all others are
 * elements that their indices name, in order, with the last of them at its position. Sorts nothing,
 * because sequences may have any length. */
static bool left_as_it_was(struct leaving *leaving, uint64_t sequence)
{
    const struct topk_operator *op = leaving->op;
    struct output last = {.has_value = false};
    uint32_t position = 0;
    uint32_t at[TOPK_RANK_MAX] = {0};
    topk_operator_sequence_at(op, sequence, at);
    for (uint32_t j = 0; j < op->k; j++) {
        struct output next = {.element = {.tie = 0}};
        at[op->axis] = j;
        if (!read_output(leaving, at, &next)) {
            return false;
        }
        if (!next.has_value || topk_element_nan(op->tensors[TOPK_INPUT].type, next.element.bits)) {
            continue;
        }
        if (!next.has_index && next.element.key == last.element.key) {
            next.element.tie = last.element.tie; /* unknown, but no smaller */
        }
        const int order = last.has_value ? topk_element_compare(&last.element, &next.element) : -1;
        if (order > 0 || (order == 0 && last.has_index && next.has_index)) {
            return false;
        }
        last = next;
        position = j;
    }
    return !last.has_value || in_place(leaving, at, &last, position);
}

/* whether every wrong output is unchanged since before the call */
bool topk_reading_unwritten(const struct topk_operator *op,
                            const struct topk_exhibit exhibits[TOPK_ROLE_COUNT])
{
    struct leaving leaving = {.op = op};
    topk_view_make(&leaving.input, &op->tensors[TOPK_INPUT], exhibits[TOPK_INPUT].before,
                   &exhibits[TOPK_INPUT], false, false);
    for (int i = 0; i < 2; i++) {
        const struct topk_tensor *tensor = &op->tensors[TOPK_VALUE + i];
        const struct topk_exhibit *exhibit = &exhibits[TOPK_VALUE + i];
        if (exhibit->before == exhibit->after) {
            return false; /* their previous content is unknown */
        }
        topk_view_make(&leaving.outputs[i], tensor, exhibit->after, exhibit, false, false);
        topk_view_make(&leaving.before[i], tensor, exhibit->before, exhibit, false, false);
    }
    const uint64_t sequences = topk_operator_sequences(op);
    for (uint64_t s = 0; s < sequences; s++) {
        if (!left_as_it_was(&leaving, s)) {
            return false;
        }
    }
    return leaving.any;
}
