/* The oracle. It is obvious rather than fast: one array of elements, one sort, one copy. */
#include "oracle.h"

#include <math.h>
#include <stdlib.h>

#include "element.h"

/* a decoded element; of the three values only that of its type is set, the others are 0 */
struct element {
    uint64_t bits;
    uint64_t index;
    uint64_t tie; /* of equal values, the one with the smaller tie comes first */
    int side;     /* for NaN: 1 is greater than all numbers, -1 less; for numbers 0 */
    int zero;     /* -1 for -0, if zeros with different signs differ */
    double real;  /* exact, because double contains every FLOAT32 and FLOAT16 */
    int64_t signed_value;
    uint64_t unsigned_value;
    bool nan;
};

static void decode_float(struct element *element, int exponent_bits, int fraction_bits)
{
    uint64_t fraction = element->bits & (((uint64_t)1 << fraction_bits) - 1);
    int all_ones = (1 << exponent_bits) - 1;
    int bias = all_ones / 2;
    int exponent = (int)(element->bits >> fraction_bits) & all_ones;
    double magnitude = 0;
    if (exponent == all_ones) {
        element->nan = fraction != 0;
        magnitude = HUGE_VAL;
    } else if (exponent == 0) {
        magnitude = ldexp((double)fraction, 1 - bias - fraction_bits);
    } else {
        magnitude = ldexp(1 + ldexp((double)fraction, -fraction_bits), exponent - bias);
    }
    bool negative = (element->bits >> (exponent_bits + fraction_bits) & 1) != 0;
    element->real = negative ? -magnitude : magnitude;
}

static void decode(struct element *element, uint32_t type)
{
    switch (type) {
    case TOPK_TYPE_F32:
        decode_float(element, 8, 23);
        break;
    case TOPK_TYPE_F16:
        decode_float(element, 5, 10);
        break;
    case TOPK_TYPE_I64:
        element->signed_value = (int64_t)element->bits;
        break;
    case TOPK_TYPE_I32:
        element->signed_value = (int32_t)(uint32_t)element->bits;
        break;
    case TOPK_TYPE_I16:
        element->signed_value = (int16_t)(uint16_t)element->bits;
        break;
    case TOPK_TYPE_I8:
        element->signed_value = (int64_t)(element->bits ^ 0x80) - 0x80;
        break;
    default:
        element->unsigned_value = element->bits;
        break;
    }
}

static int compare_values(const struct element *a, const struct element *b)
{
    if (a->side != b->side || a->side != 0) {
        return (a->side > b->side) - (a->side < b->side);
    }
    if (a->real != b->real) {
        return a->real < b->real ? -1 : 1;
    }
    if (a->signed_value != b->signed_value) {
        return a->signed_value < b->signed_value ? -1 : 1;
    }
    if (a->unsigned_value != b->unsigned_value) {
        return a->unsigned_value < b->unsigned_value ? -1 : 1;
    }
    return a->zero - b->zero;
}

static int compare_ties(const struct element *a, const struct element *b)
{
    return a->tie < b->tie ? -1 : a->tie > b->tie;
}

/* S12: by value in the direction, then by index */
static int increasing(const void *a, const void *b)
{
    int order = compare_values(a, b);
    return order != 0 ? order : compare_ties(a, b);
}

static int decreasing(const void *a, const void *b)
{
    int order = compare_values(b, a);
    return order != 0 ? order : compare_ties(a, b);
}

/* applies the contract to a decoded element */
static void declare(struct element *element, const struct topk_contract *contract, uint32_t type,
                    bool smallest)
{
    const enum topk_contract_option nan = topk_contract_chosen(contract, TOPK_CONTRACT_RULE_NAN);
    const bool least = nan == TOPK_OPTION_NAN_LEAST || (nan == TOPK_OPTION_NAN_FIRST && smallest) ||
                       (nan == TOPK_OPTION_NAN_LAST && !smallest);
    const bool highest = topk_contract_has(contract, TOPK_OPTION_TIES_HIGHEST);
    element->tie = highest ? UINT64_MAX - element->index : element->index;
    element->side = !element->nan ? 0 : least ? -1 : 1;
    const bool minus_zero = topk_type_float(type) && element->real == 0 && element->bits != 0;
    element->zero = topk_contract_has(contract, TOPK_OPTION_ZERO_SIGNED) && minus_zero ? -1 : 0;
}

/* whether the contract leaves a choice, other than that of NaN */
static bool is_open(const struct topk_contract *contract, uint32_t type)
{
    return topk_contract_has(contract, TOPK_OPTION_TIES_ANY) ||
           topk_contract_has(contract, TOPK_OPTION_ORDER_ANY) ||
           (topk_type_float(type) && topk_contract_has(contract, TOPK_OPTION_DENORMALS_FLUSH));
}

enum topk_oracle_status topk_oracle_sequence(const struct topk_operator *op,
                                             const unsigned char *input, uint64_t sequence,
                                             uint64_t *values, uint64_t *indices)
{
    static const struct topk_contract directml;
    return topk_oracle_sequence_by(op, &directml, input, sequence, values, indices);
}

enum topk_oracle_status topk_oracle_sequence_by(const struct topk_operator *op,
                                                const struct topk_contract *contract,
                                                const unsigned char *input, uint64_t sequence,
                                                uint64_t *values, uint64_t *indices)
{
    const bool smallest = topk_operator_increasing(op);
    const struct topk_tensor *tensor = &op->tensors[TOPK_INPUT];
    uint32_t bytes = topk_type_bytes(tensor->type);
    uint32_t length = tensor->sizes[op->axis];
    struct element *elements = calloc(length, sizeof *elements);
    if (elements == NULL) {
        return TOPK_ORACLE_NO_MEMORY;
    }
    bool any_nan = false;
    uint32_t at[TOPK_RANK_MAX] = {0};
    topk_operator_sequence_at(op, sequence, at);
    for (uint32_t i = 0; i < length; i++) {
        at[op->axis] = i;
        elements[i].bits = topk_element_load(input + topk_tensor_offset(tensor, at) * bytes, bytes);
        elements[i].index = i;
        decode(&elements[i], tensor->type);
        declare(&elements[i], contract, tensor->type, smallest);
        any_nan = any_nan || elements[i].nan;
    }
    qsort(elements, length, sizeof *elements, smallest ? increasing : decreasing);
    for (uint32_t i = 0; i < op->k; i++) {
        values[i] = elements[i].bits;
        indices[i] = elements[i].index;
    }
    free(elements);
    const bool nan_is_open =
        topk_contract_chosen(contract, TOPK_CONTRACT_RULE_NAN) == TOPK_OPTION_NAN_ANY;
    return any_nan && nan_is_open            ? TOPK_ORACLE_NAN
           : is_open(contract, tensor->type) ? TOPK_ORACLE_OPEN
                                             : TOPK_ORACLE_UNIQUE;
}

static void store_at(const struct topk_tensor *tensor, unsigned char *to, const uint32_t at[],
                     uint64_t bits)
{
    uint32_t bytes = topk_type_bytes(tensor->type);
    topk_element_store(to + topk_tensor_offset(tensor, at) * bytes, bytes, bits);
}

enum topk_oracle_status topk_oracle_run(const struct topk_operator *op, const unsigned char *input,
                                        unsigned char *value, unsigned char *index)
{
    uint64_t *values = calloc(op->k, sizeof *values);
    uint64_t *indices = calloc(op->k, sizeof *indices);
    enum topk_oracle_status status =
        values == NULL || indices == NULL ? TOPK_ORACLE_NO_MEMORY : TOPK_ORACLE_UNIQUE;
    uint64_t sequences = topk_operator_sequences(op);
    for (uint64_t s = 0; s < sequences && status != TOPK_ORACLE_NO_MEMORY; s++) {
        enum topk_oracle_status one = topk_oracle_sequence(op, input, s, values, indices);
        if (one != TOPK_ORACLE_UNIQUE) {
            status = one;
        }
        uint32_t at[TOPK_RANK_MAX] = {0};
        topk_operator_sequence_at(op, s, at);
        for (uint32_t i = 0; i < op->k && one != TOPK_ORACLE_NO_MEMORY; i++) {
            at[op->axis] = i;
            store_at(&op->tensors[TOPK_VALUE], value, at, values[i]);
            store_at(&op->tensors[TOPK_INDEX], index, at, indices[i]);
        }
    }
    free(values);
    free(indices);
    return status;
}
