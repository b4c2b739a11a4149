/* The readings: what each selects from a sequence, and what it writes. */
#include "reading.h"

#include <stdlib.h>
#include <string.h>

#include "element.h"

static const struct topk_reading_row rows[] = {
    {"none", TOPK_CLAUSE_NONE, ""},
#define READING(name, word, clause, sentence, ...) {word, TOPK_CLAUSE_##clause, sentence},
#include "readings.def"
#undef READING
};

const struct reading topk_readings[TOPK_READING_COUNT] = {
    {0},
#define READING(name, word, clause, sentence, ...) {__VA_ARGS__},
#include "readings.def"
#undef READING
};

const struct topk_reading_row *topk_reading_row(enum topk_reading reading)
{
    return &rows[reading];
}

/* ---- order keys ------------------------------------------------------------------------------ */

int topk_element_compare(const struct element *a, const struct element *b)
{
    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return a->tie < b->tie ? -1 : a->tie > b->tie;
}

/* the order key of a double: maps sign and magnitude to one scale */
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
        /* sign-extends by shifting through the top bit */
        int64_t value = (int64_t)(bits << unused) / ((int64_t)1 << unused);
        double wide = (double)value;
        return key_of_double(single ? (double)(float)wide : wide);
    }
    return key_of_double(single ? (double)(float)bits : (double)bits);
}

uint64_t topk_reading_key(uint32_t type, enum order order, uint64_t bits, bool *applies)
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
        /* the bits of the greatest finite value of either sign are one below those of its infinity
         */
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
    case ORDER_NEGATED:
        *applies = !is_float;
        return ~topk_element_key(type, (0 - bits) & (sign | (sign - 1)));
    default:
        return topk_element_key(type, bits);
    }
}

void topk_view_make(struct view *view, const struct topk_tensor *tensor,
                    const unsigned char *buffer, const struct topk_exhibit *exhibit, bool packed,
                    bool no_offset)
{
    struct topk_tensor seen = *tensor;
    seen.strided = tensor->strided && !packed;
    topk_tensor_strides(&seen, view->strides);
    uint64_t offset = no_offset ? exhibit->start : exhibit->offset;
    view->data = buffer + offset;
    view->room = exhibit->bytes - offset;
    view->bytes = topk_type_bytes(tensor->type);
}

bool topk_view_place(const struct view *view, uint32_t rank, const uint32_t at[], uint64_t *place)
{
    uint64_t offset = 0;
    for (uint32_t d = 0; d < rank; d++) {
        offset += at[d] * view->strides[d];
    }
    *place = offset * view->bytes;
    return *place + view->bytes <= view->room;
}

bool topk_view_load(const struct view *view, uint32_t rank, const uint32_t at[], uint64_t *bits)
{
    uint64_t place = 0;
    if (!topk_view_place(view, rank, at, &place)) {
        return false;
    }
    *bits = topk_element_load(view->data + place, view->bytes);
    return true;
}

/* what is written as the index of the element at a position, to output j */
static uint64_t index_of(const struct topk_operator *op, enum index index, const uint32_t at[],
                         uint32_t position, uint32_t j)
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
    case INDEX_OUTPUT:
        return j;
    case INDEX_ZERO:
        return 0;
    case INDEX_ONES:
        return UINT64_MAX;
    case INDEX_8_BITS:
        return position & UINT8_MAX;
    case INDEX_16_BITS:
        return position & UINT16_MAX;
    case INDEX_SIGNED_16:
        return (position & UINT16_MAX) | ((position & 0x8000u) != 0 ? ~(uint64_t)UINT16_MAX : 0);
    default:
        return position;
    }
}

/* ---- selection ------------------------------------------------------------------------------- */

bool topk_reading_load(const struct topk_operator *op, const struct reading *reading,
                       const struct view *input, uint32_t at[], uint32_t length,
                       struct element *row)
{
    const struct topk_tensor *tensor = &op->tensors[TOPK_INPUT];
    const bool increasing = topk_operator_increasing(op) != reading->opposite;
    const bool low = reading->ties == TIES_ASCENDING || reading->ties == TIES_REVERSED;
    bool applies = true;
    for (uint32_t i = 0; i < length && applies; i++) {
        at[op->axis] = i;
        applies = topk_view_load(input, tensor->rank, at, &row[i].bits) &&
                  !topk_element_nan(tensor->type, row[i].bits);
        if (applies) {
            uint64_t key = topk_reading_key(tensor->type, reading->order, row[i].bits, &applies);
            row[i].key = increasing ? key : ~key;
            row[i].index = i;
            row[i].tie = low ? i : UINT32_MAX - i;
        }
    }
    return applies;
}

/* whether the first output can be the known one, checked before anything is sorted */
static bool first_fits(const struct topk_operator *op, const struct reading *reading, uint32_t at[],
                       const struct reading_output *first, const struct element *row,
                       uint32_t length)
{
    if (first == NULL || reading->reversed || reading->lost == LOST_BEST ||
        reading->lost == LOST_KTH || reading->ties == TIES_HIGH || reading->ties == TIES_REVERSED) {
        return true;
    }
    uint32_t best = 0;
    for (uint32_t i = 1; i < length; i++) {
        if (topk_element_compare(&row[i], &row[best]) < 0) {
            best = i;
        }
    }
    const struct reading_output output = topk_reading_output(op, reading, &row[best], at, 0);
    return output.value == first->value && output.index == first->index;
}

/* removes an element from a row; false if too few are left */
static bool leave_out(struct element *row, uint32_t which, uint32_t k, uint32_t *length)
{
    if (*length <= k) {
        return false;
    }
    memmove(row + which, row + which + 1, (*length - which - 1) * sizeof *row);
    --*length;
    return true;
}

/* Moves an element of a heap down; the root is the element that comes last. */
static void sift(struct element *heap, uint32_t at, uint32_t count)
{
    const struct element moved = heap[at];
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && topk_element_compare(&heap[child], &heap[child + 1]) < 0;
        if (topk_element_compare(&heap[child], &moved) <= 0) {
            break;
        }
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

/* Moves the first `count` elements in order to the front of a row, sorted; the others are lost. */
static void sort_first(struct element *row, uint32_t length, uint32_t count)
{
    for (uint32_t i = count / 2; i-- > 0;) {
        sift(row, i, count);
    }
    for (uint32_t i = count; i < length; i++) {
        if (topk_element_compare(&row[i], &row[0]) < 0) {
            row[0] = row[i];
            sift(row, 0, count);
        }
    }
    for (uint32_t last = count; last-- > 1;) {
        const struct element element = row[last];
        row[last] = row[0];
        row[0] = element;
        sift(row, 0, last);
    }
}

bool topk_reading_select(const struct topk_operator *op, const struct reading *reading,
                         const struct view *input, uint32_t at[],
                         const struct reading_output *first, struct element *row)
{
    uint32_t length = op->tensors[TOPK_INPUT].sizes[op->axis];
    if (reading->shorter > 0 && length < reading->shorter + op->k) {
        return false;
    }
    length -= reading->shorter;
    if (!topk_reading_load(op, reading, input, at, length, row) ||
        (reading->lost == LOST_MIDDLE && !leave_out(row, length / 2, op->k, &length)) ||
        !first_fits(op, reading, at, first, row, length)) {
        return false;
    }
    /* if an element is left out, the next one replaces it */
    const uint32_t wanted = reading->lost == LOST_NONE || length == op->k ? op->k : op->k + 1;
    sort_first(row, length, wanted);
    length = wanted;
    if (reading->ties == TIES_HIGH || reading->ties == TIES_REVERSED) {
        const bool low = reading->ties == TIES_REVERSED;
        for (uint32_t j = 0; j < op->k; j++) {
            row[j].tie = low ? UINT32_MAX - row[j].index : row[j].index;
        }
        sort_first(row, op->k, op->k);
    }
    return (reading->lost != LOST_BEST || leave_out(row, 0, op->k, &length)) &&
           (reading->lost != LOST_KTH || leave_out(row, op->k - 1, op->k, &length));
}

/* the bits that a reading writes for an element */
static uint64_t value_of(const struct reading *reading, uint32_t type, uint64_t bits)
{
    const uint64_t sign = (uint64_t)1 << (8 * topk_type_bytes(type) - 1);
    if (reading->flush && topk_element_denormal(type, bits)) {
        return bits & sign;
    }
    if (reading->unsigned_zero && topk_element_zero(type, bits)) {
        return 0;
    }
    return reading->finite && topk_element_inf(type, bits) ? bits - 1 : bits;
}

static uint64_t cut(uint64_t bits, uint32_t type)
{
    return bits & UINT64_MAX >> (64 - 8 * topk_type_bytes(type));
}

struct reading_output topk_reading_output(const struct topk_operator *op,
                                          const struct reading *reading, const struct element *row,
                                          uint32_t at[], uint32_t j)
{
    const struct topk_tensor *tensors = op->tensors;
    const struct element *element = &row[reading->reversed ? op->k - 1 - j : j];
    const uint64_t value = value_of(reading, tensors[TOPK_INPUT].type, element->bits);
    const uint64_t index = index_of(op, reading->index, at, element->index, j);
    return (struct reading_output){
        .value = cut(reading->swapped ? index : value, tensors[TOPK_VALUE].type),
        .index = cut(reading->swapped ? value : index, tensors[TOPK_INDEX].type)};
}
