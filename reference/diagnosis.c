/* Diagnosis by hypothesis: slow and simple, and only run on results that are wrong. */
#include "diagnosis.h"

#include <stdlib.h>
#include <string.h>

#include "element.h"

#define ELEMENTS_MAX 65536u

enum order {
    ORDER_VALUE,
    ORDER_TOTAL,
    ORDER_DENORMAL_ZERO,
    ORDER_HALF,
    ORDER_INFINITY_FINITE,
    ORDER_DOUBLE,
    ORDER_FLOAT,
    ORDER_LOW_HALF,
    ORDER_LOW_HALF_SIGN,
    ORDER_LOW_HALF_SIGNED,
    ORDER_HIGH_HALF,
    ORDER_SIGNEDNESS,
    ORDER_BITS,
    ORDER_MAGNITUDE
};
enum ties {
    TIES_ASCENDING,
    TIES_DESCENDING,
    TIES_HIGH,    /* of those at the boundary the highest are selected, and ascend */
    TIES_REVERSED /* of those at the boundary the lowest are selected, and descend */
};
enum index {
    INDEX_SEQUENCE,
    INDEX_FLAT,
    INDEX_MEMORY,
    INDEX_SCALED,
    INDEX_ONE_BASED
};

/* How a backend may have understood the clauses. Zero is the right way. */
struct reading {
    enum order order;  /* what it compares */
    enum ties ties;    /* what comes first of equals */
    enum index index;  /* what it calls an index */
    uint32_t shorter;  /* elements at the end of a sequence that it does not see */
    bool opposite;     /* it selects from the other end */
    bool reversed;     /* it writes the selected ones in reverse */
    bool flush;        /* it writes denormals as zeros */
    bool input_packed; /* it ignores strides */
    bool value_packed;
    bool index_packed;
    bool no_offset; /* it ignores the input's binding offset */
    bool unwritten; /* it leaves outputs as they were, and is right in the others */
};

static const struct topk_reading_row rows[] = {
    {"none", TOPK_CLAUSE_NONE, ""},
#define READING(name, word, clause, sentence, ...) {word, TOPK_CLAUSE_##clause, sentence},
#include "readings.def"
#undef READING
};

static const struct reading readings[] = {
    {0},
#define READING(name, word, clause, sentence, ...) {__VA_ARGS__},
#include "readings.def"
#undef READING
};

const struct topk_reading_row *topk_reading_row(enum topk_reading reading)
{
    return &rows[reading];
}

enum topk_clause topk_reading_clause(enum topk_reading reading, const struct topk_operator *op,
                                     const struct topk_judgement *judgement)
{
    enum topk_clause clause = rows[reading].clause;
    if (clause == TOPK_CLAUSE_NONE) {
        return judgement->findings[0].clause;
    }
    if (clause == TOPK_CLAUSE_S03 && op->kind == TOPK_TOP_K) {
        return TOPK_CLAUSE_S02;
    }
    if (clause == TOPK_CLAUSE_F07 && topk_type_bytes(op->tensors[TOPK_INPUT].type) != 8) {
        return TOPK_CLAUSE_S12;
    }
    return clause;
}

/* an element of a sequence on its way through a reading */
struct element {
    uint64_t key; /* less comes first */
    uint64_t tie; /* then less of this */
    uint64_t bits;
    uint32_t index;
};

static int compare(const void *a, const void *b)
{
    const struct element *x = a;
    const struct element *y = b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    return x->tie < y->tie ? -1 : x->tie > y->tie;
}

/* the order key of a double: sign and magnitude to one scale */
static uint64_t key_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t sign = (uint64_t)1 << 63;
    return bits & sign ? sign - (bits & (sign - 1)) : sign + bits;
}

static uint64_t key_of_integer(uint32_t type, uint64_t bits, bool single)
{
    uint32_t unused = 64 - 8 * topk_type_bytes(type);
    if (topk_type_signed(type)) {
        /* sign-extended by shifting through the top */
        int64_t value = (int64_t)(bits << unused) / ((int64_t)1 << unused);
        double wide = (double)value;
        return key_of_double(single ? (double)(float)wide : wide);
    }
    return key_of_double(single ? (double)(float)bits : (double)bits);
}

/* the key under a reading; *applies becomes false where the type does not allow it */
static uint64_t key_of(uint32_t type, enum order order, uint64_t bits, bool *applies)
{
    uint32_t half = 4 * topk_type_bytes(type);
    uint64_t sign = (uint64_t)1 << (2 * half - 1);
    uint64_t low = bits & (((uint64_t)1 << half) - 1);
    bool is_float = topk_type_float(type);
    switch (order) {
    case ORDER_TOTAL:
        *applies = is_float;
        return bits & sign ? ~bits & (sign + sign - 1) : bits | sign;
    case ORDER_DENORMAL_ZERO:
        *applies = type == TOPK_TYPE_F16;
        return topk_element_key(type, topk_element_denormal(type, bits) ? 0 : bits);
    case ORDER_HALF:
        *applies = type == TOPK_TYPE_F32;
        return topk_element_key_half(bits);
    case ORDER_INFINITY_FINITE:
        *applies = is_float;
        /* the greatest finite value of either sign lies one below its infinity */
        return topk_element_key(type, topk_element_inf(type, bits) ? bits - 1 : bits);
    case ORDER_DOUBLE:
    case ORDER_FLOAT:
        *applies = !is_float;
        return key_of_integer(type, bits, order == ORDER_FLOAT);
    case ORDER_LOW_HALF:
        *applies = !is_float && half >= 16;
        return low;
    case ORDER_LOW_HALF_SIGN:
        *applies = !is_float && half >= 16;
        return topk_element_key(type, bits) ^ (uint64_t)1 << (half - 1);
    case ORDER_LOW_HALF_SIGNED:
        *applies = !is_float && half >= 16;
        return low ^ (uint64_t)1 << (half - 1);
    case ORDER_HIGH_HALF:
        *applies = !is_float && half >= 16;
        return (topk_type_signed(type) ? bits ^ sign : bits) >> half;
    case ORDER_SIGNEDNESS:
        *applies = !is_float;
        return topk_type_signed(type) ? bits : bits ^ sign;
    case ORDER_BITS:
        *applies = is_float;
        return bits;
    case ORDER_MAGNITUDE:
        *applies = is_float || topk_type_signed(type);
        return is_float ? bits & (sign - 1) : bits & sign ? sign - (bits & (sign - 1)) : bits;
    default:
        return topk_element_key(type, bits);
    }
}

/* one tensor, as a reading sees it */
struct view {
    const unsigned char *data; /* its first byte */
    uint64_t room;             /* bytes from there to the end of the buffer */
    uint32_t bytes;            /* of an element */
    uint64_t strides[TOPK_RANK_MAX];
};

static void view_tensor(struct view *view, const struct topk_tensor *tensor,
                        const unsigned char *buffer, const struct topk_exhibit *exhibit,
                        bool packed, bool no_offset)
{
    struct topk_tensor seen = *tensor;
    seen.strided = tensor->strided && !packed;
    topk_tensor_strides(&seen, view->strides);
    uint64_t offset = no_offset ? exhibit->start : exhibit->offset;
    view->data = buffer + offset;
    view->room = exhibit->bytes - offset;
    view->bytes = topk_type_bytes(tensor->type);
}

/* loads an element; false if the reading looks outside the buffer */
static bool view_load(const struct view *view, uint32_t rank, const uint32_t at[], uint64_t *bits)
{
    uint64_t offset = 0;
    for (uint32_t d = 0; d < rank; d++) {
        offset += at[d] * view->strides[d];
    }
    offset *= view->bytes;
    if (offset + view->bytes > view->room) {
        return false;
    }
    *bits = topk_element_load(view->data + offset, view->bytes);
    return true;
}

static uint64_t index_of(const struct topk_operator *op, enum index index, const uint32_t at[],
                         uint32_t position)
{
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    struct topk_tensor packed = *input;
    uint64_t strides[TOPK_RANK_MAX];
    uint32_t element[TOPK_RANK_MAX];
    packed.strided = false;
    memcpy(element, at, sizeof element);
    element[op->axis] = position;
    topk_tensor_strides(input, strides);
    switch (index) {
    case INDEX_FLAT:
        return topk_tensor_offset(&packed, element);
    case INDEX_MEMORY:
        return topk_tensor_offset(input, element);
    case INDEX_SCALED:
        return position * strides[op->axis];
    case INDEX_ONE_BASED:
        return (uint64_t)position + 1;
    default:
        return position;
    }
}

/* what a reading selects of one sequence, sorted; false if it does not apply */
static bool select_row(const struct topk_operator *op, const struct reading *reading,
                       const struct view *input, uint32_t at[], struct element *row)
{
    const struct topk_tensor *tensor = &op->tensors[TOPK_INPUT];
    uint32_t length = tensor->sizes[op->axis];
    bool increasing = topk_operator_increasing(op) != reading->opposite;
    bool low = reading->ties == TIES_ASCENDING || reading->ties == TIES_REVERSED;
    bool applies = reading->shorter == 0 || length - reading->shorter >= op->k;
    if (reading->shorter >= length) {
        return false;
    }
    length -= reading->shorter;
    for (uint32_t i = 0; i < length && applies; i++) {
        at[op->axis] = i;
        applies = view_load(input, tensor->rank, at, &row[i].bits) &&
                  !topk_element_nan(tensor->type, row[i].bits);
        if (applies) {
            uint64_t key = key_of(tensor->type, reading->order, row[i].bits, &applies);
            row[i].key = increasing ? key : ~key;
            row[i].index = i;
            row[i].tie = low ? i : UINT32_MAX - i;
        }
    }
    if (!applies) {
        return false;
    }
    qsort(row, length, sizeof *row, compare);
    if (reading->ties == TIES_HIGH || reading->ties == TIES_REVERSED) {
        for (uint32_t j = 0; j < op->k; j++) {
            row[j].tie = low ? UINT32_MAX - row[j].index : row[j].index;
        }
        qsort(row, op->k, sizeof *row, compare);
    }
    return true;
}

/* whether a reading gives every output */
static bool explains(const struct topk_operator *op,
                     const struct topk_exhibit exhibits[TOPK_ROLE_COUNT],
                     const struct reading *reading, struct element *row)
{
    const struct topk_tensor *tensors = op->tensors;
    struct view views[TOPK_ROLE_COUNT];
    view_tensor(&views[TOPK_INPUT], &tensors[TOPK_INPUT], exhibits[TOPK_INPUT].before,
                &exhibits[TOPK_INPUT], reading->input_packed, reading->no_offset);
    view_tensor(&views[TOPK_VALUE], &tensors[TOPK_VALUE], exhibits[TOPK_VALUE].after,
                &exhibits[TOPK_VALUE], reading->value_packed, false);
    view_tensor(&views[TOPK_INDEX], &tensors[TOPK_INDEX], exhibits[TOPK_INDEX].after,
                &exhibits[TOPK_INDEX], reading->index_packed, false);
    uint64_t mask = views[TOPK_INDEX].bytes == 4 ? UINT32_MAX : UINT64_MAX;
    uint64_t sequences = topk_operator_sequences(op);
    for (uint64_t s = 0; s < sequences; s++) {
        uint32_t at[TOPK_RANK_MAX] = {0};
        topk_operator_sequence_at(op, s, at);
        if (!select_row(op, reading, &views[TOPK_INPUT], at, row)) {
            return false;
        }
        for (uint32_t j = 0; j < op->k; j++) {
            const struct element *element = &row[reading->reversed ? op->k - 1 - j : j];
            uint64_t value = 0;
            uint64_t index = 0;
            uint64_t wanted = element->bits;
            if (reading->flush && topk_element_denormal(tensors[TOPK_INPUT].type, wanted)) {
                wanted &= (uint64_t)1 << (8 * views[TOPK_INPUT].bytes - 1);
            }
            at[op->axis] = j;
            if (!view_load(&views[TOPK_VALUE], tensors[TOPK_VALUE].rank, at, &value) ||
                !view_load(&views[TOPK_INDEX], tensors[TOPK_INDEX].rank, at, &index) ||
                value != wanted ||
                index != (index_of(op, reading->index, at, element->index) & mask)) {
                return false;
            }
        }
    }
    return true;
}

/* A call whose outputs may have been left as they were. The arrays are of value and index. */
struct leaving {
    const struct topk_operator *op;
    struct view input;
    struct view outputs[2];
    struct view before[2];
    bool any; /* an output was left */
};

/* an output as far as it was written */
struct output {
    bool has_index;
    bool has_value; /* or its index names it */
    struct element element;
};

/* nothing is packed here that is not, so that each element is where it can be loaded */
static uint64_t load(const struct leaving *leaving, const struct view *view, const uint32_t at[])
{
    uint64_t bits = 0;
    (void)view_load(view, leaving->op->tensors[TOPK_INPUT].rank, at, &bits);
    return bits;
}

static void set_key(const struct leaving *leaving, struct element *element)
{
    const uint64_t key = topk_element_key(leaving->op->tensors[TOPK_INPUT].type, element->bits);
    element->key = topk_operator_increasing(leaving->op) ? key : ~key;
}

/* reads an output; false if something of it was written that is wrong */
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
        index &= UINT32_MAX; /* its upper half was */
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

/* Whether a sequence has outputs that hold what they held before, and all others are elements that
 * their indices name, in order, the last of them in its place. Nothing is sorted: this is for
 * sequences of any length. */
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
            next.element.tie = last.element.tie; /* it is not known, but no less */
        }
        const int order = last.has_value ? compare(&last.element, &next.element) : -1;
        if (order > 0 || (order == 0 && last.has_index && next.has_index)) {
            return false;
        }
        last = next;
        position = j;
    }
    return !last.has_value || in_place(leaving, at, &last, position);
}

/* whether every wrong output was left as it was before the call */
static bool explains_unwritten(const struct topk_operator *op,
                               const struct topk_exhibit exhibits[TOPK_ROLE_COUNT])
{
    struct leaving leaving = {.op = op};
    view_tensor(&leaving.input, &op->tensors[TOPK_INPUT], exhibits[TOPK_INPUT].before,
                &exhibits[TOPK_INPUT], false, false);
    for (int i = 0; i < 2; i++) {
        const struct topk_tensor *tensor = &op->tensors[TOPK_VALUE + i];
        const struct topk_exhibit *exhibit = &exhibits[TOPK_VALUE + i];
        if (exhibit->before == exhibit->after) {
            return false; /* nobody knows what they held */
        }
        view_tensor(&leaving.outputs[i], tensor, exhibit->after, exhibit, false, false);
        view_tensor(&leaving.before[i], tensor, exhibit->before, exhibit, false, false);
    }
    const uint64_t sequences = topk_operator_sequences(op);
    for (uint64_t s = 0; s < sequences; s++) {
        if (!left_as_it_was(&leaving, s)) {
            return false;
        }
    }
    return leaving.any;
}

/* whether an output of this reading is not, or need not be, the element that its index names */
static bool parts_pairs(const struct reading *reading)
{
    return reading->index != INDEX_SEQUENCE || reading->flush || reading->input_packed ||
           reading->value_packed || reading->index_packed || reading->no_offset;
}

/* whether the judge saw a value that is not the element that its index names */
static bool pairs_parted(const struct topk_judgement *judgement)
{
    for (uint32_t i = 0; i < judgement->count; i++) {
        enum topk_mismatch mismatch = judgement->findings[i].mismatch;
        if (mismatch == TOPK_MISMATCH_INDEX_RANGE || mismatch == TOPK_MISMATCH_INDEX_UPPER ||
            mismatch == TOPK_MISMATCH_VALUE_BITS) {
            return true;
        }
    }
    return false;
}

/* Whether a reading may be a cause: what a contract leaves open, or asks for otherwise, was not
 * misread. */
static bool may_be_cause(const struct topk_contract *contract, const struct topk_operator *op,
                         enum topk_reading reading, const struct topk_judgement *judgement)
{
    return contract == NULL || readings[reading].unwritten ||
           topk_contract_promise(contract, topk_reading_clause(reading, op, judgement), NULL) ==
               TOPK_PROMISE_DOCUMENTED;
}

enum topk_reading topk_diagnose(const struct topk_operator *op,
                                const struct topk_contract *contract,
                                const struct topk_exhibit exhibits[TOPK_ROLE_COUNT],
                                const struct topk_judgement *judgement)
{
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    uint64_t elements = topk_tensor_elements(input);
    struct element *row =
        elements > ELEMENTS_MAX ? NULL : calloc(input->sizes[op->axis], sizeof *row);
    bool parted = pairs_parted(judgement);
    /* what DirectML gives is wrong by the contract: there is nothing that was misread */
    const bool directml =
        contract != NULL && row != NULL && explains(op, exhibits, &readings[0], row);
    enum topk_reading found = TOPK_READING_NONE;
    for (int i = 1; !directml && i < TOPK_READING_COUNT && found == TOPK_READING_NONE; i++) {
        const struct reading *reading = &readings[i];
        if (!may_be_cause(contract, op, (enum topk_reading)i, judgement)) {
            continue;
        }
        if (reading->unwritten ? explains_unwritten(op, exhibits)
                               : row != NULL && parts_pairs(reading) == parted &&
                                     explains(op, exhibits, reading, row)) {
            found = (enum topk_reading)i;
        }
    }
    free(row);
    return found;
}
