/* Operator descriptions and their validation: a function for each group of clauses, which evaluates
 * each clause independently. */
#include "operator.h"

#include <string.h>

#include "element.h"

const uint32_t topk_levels[TOPK_LEVEL_COUNT] = {TOPK_LEVEL_2_0, TOPK_LEVEL_2_1, TOPK_LEVEL_3_1,
                                                TOPK_LEVEL_5_0};

const char *topk_role_name(enum topk_role role)
{
    static const char *const names[] = {"input", "value", "index"};
    return names[role];
}

bool topk_operator_increasing(const struct topk_operator *op)
{
    return op->kind == TOPK_TOP_K1 && op->direction == TOPK_INCREASING;
}

/* the level from which V09 lists a value type; 0: never */
static uint32_t value_type_level(uint32_t type)
{
    switch (type) {
    case TOPK_TYPE_F32:
    case TOPK_TYPE_F16:
        return TOPK_LEVEL_2_0;
    case TOPK_TYPE_I64:
    case TOPK_TYPE_U64:
        return TOPK_LEVEL_5_0;
    default:
        return topk_type_known(type) ? TOPK_LEVEL_2_1 : 0;
    }
}

/* the level from which V07 lists an index type; 0: never */
static uint32_t index_type_level(uint32_t type)
{
    if (type == TOPK_TYPE_U32) {
        return TOPK_LEVEL_2_0;
    }
    return type == TOPK_TYPE_U64 ? TOPK_LEVEL_5_0 : 0;
}

static bool level_has(uint32_t level, uint32_t since)
{
    return since != 0 && level >= since;
}

static void validate_alignment(const struct topk_tensor *tensor, struct topk_validity *validity)
{
    uint32_t alignment = tensor->alignment;
    uint32_t bytes = topk_type_bytes(tensor->type);
    if (alignment == 0) {
        return;
    }
    bool power = (alignment & (alignment - 1)) == 0;
    if (!power || alignment < bytes) {
        topk_clause_set_add(&validity->broken, TOPK_CLAUSE_T10);
    } else if (alignment < 16) {
        topk_clause_set_add(&validity->latitude, TOPK_CLAUSE_T10b);
    }
}

/* a stride that only makes sense as a negative number, on a dimension of size > 1 */
static bool stride_wraps(const struct topk_tensor *tensor)
{
    for (uint32_t i = 0; tensor->strided && i < tensor->rank; i++) {
        if (tensor->sizes[i] > 1 && tensor->strides[i] >= 0x80000000u) {
            return true;
        }
    }
    return false;
}

static void validate_tensor(const struct topk_operator *op, enum topk_role role,
                            struct topk_validity *validity)
{
    const struct topk_tensor *tensor = &op->tensors[role];
    if (!tensor->present) {
        topk_clause_set_add(&validity->broken, TOPK_CLAUSE_V11);
        return;
    }
    if (tensor->rank < 1 || tensor->rank > TOPK_RANK_VALID) {
        topk_clause_set_add(&validity->broken, TOPK_CLAUSE_T02);
        topk_clause_set_add(&validity->broken, TOPK_CLAUSE_V08);
    }
    if (tensor->flags & ~TOPK_TENSOR_FLAG_OWNED || (role != TOPK_INPUT && tensor->flags != 0)) {
        topk_clause_set_add(&validity->broken, TOPK_CLAUSE_T11);
    }
    uint64_t elements = topk_tensor_elements(tensor);
    if (elements == 0) {
        topk_clause_set_add(&validity->broken, TOPK_CLAUSE_T01);
        return;
    }
    /* the page refers to the total size, including padding; sizes also count if strides of 0 make
     * them small in memory */
    const uint64_t bytes = topk_type_bytes(tensor->type);
    if (elements > UINT32_MAX || (bytes != 0 && tensor->total_bytes > UINT32_MAX * bytes)) {
        topk_clause_set_add(&validity->broken, TOPK_CLAUSE_T09);
    }
    validate_alignment(tensor, validity);
    uint64_t least = topk_tensor_least_bytes(tensor);
    if (topk_type_bytes(tensor->type) != 0 &&
        (least == UINT64_MAX || tensor->total_bytes < least)) {
        topk_clause_set_add(&validity->broken, TOPK_CLAUSE_T08);
        if (stride_wraps(tensor)) {
            topk_clause_set_add(&validity->broken, TOPK_CLAUSE_T12);
        }
    }
    if (role == TOPK_INPUT) {
        /* an overlap by nonzero strides: T05 is about strides of 0 */
        struct topk_tensor other = *tensor;
        for (uint32_t i = 0; tensor->strided && i < tensor->rank; i++) {
            other.sizes[i] = tensor->strides[i] == 0 ? 1 : tensor->sizes[i];
        }
        if (tensor->strided && topk_tensor_overlaps(&other)) {
            topk_clause_set_add(&validity->latitude, TOPK_CLAUSE_T13);
        }
    } else if (tensor->strided && topk_tensor_overlaps(tensor)) {
        topk_clause_set_add(&validity->latitude, TOPK_CLAUSE_T14);
    }
}

static void validate_types(const struct topk_operator *op, struct topk_clause_set *broken)
{
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    const struct topk_tensor *value = &op->tensors[TOPK_VALUE];
    if (input->present && value->present && input->type != value->type) {
        topk_clause_set_add(broken, TOPK_CLAUSE_V06);
    }
}

static void validate_sizes(const struct topk_operator *op, struct topk_validity *validity)
{
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    if (op->k == 0) {
        topk_clause_set_add(&validity->broken, TOPK_CLAUSE_V02);
    }
    if (!input->present) {
        return;
    }
    if (op->axis >= input->rank) {
        topk_clause_set_add(&validity->broken, TOPK_CLAUSE_V01);
    } else if (op->k > input->sizes[op->axis]) {
        topk_clause_set_add(&validity->broken, TOPK_CLAUSE_V03b);
    } else if (op->k == input->sizes[op->axis]) {
        topk_clause_set_add(&validity->latitude, TOPK_CLAUSE_V03);
    }
    for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
        const struct topk_tensor *output = &op->tensors[role];
        if (!output->present) {
            continue;
        }
        if (output->rank != input->rank) {
            topk_clause_set_add(&validity->broken, TOPK_CLAUSE_V05);
            continue;
        }
        for (uint32_t i = 0; i < input->rank; i++) {
            uint32_t wanted = i == op->axis ? op->k : input->sizes[i];
            if (output->sizes[i] != wanted) {
                topk_clause_set_add(&validity->broken, TOPK_CLAUSE_V04);
            }
        }
    }
}

/* clauses that apply at every level, and those that leave a choice */
static void validate_at_any(const struct topk_operator *op, struct topk_validity *validity)
{
    memset(validity, 0, sizeof *validity);
    if (op->kind == TOPK_TOP_K1 && op->direction > TOPK_DECREASING) {
        topk_clause_set_add(&validity->latitude, TOPK_CLAUSE_V12);
    }
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        validate_tensor(op, (enum topk_role)role, validity);
    }
    validate_types(op, &validity->broken);
    validate_sizes(op, validity);
}

/* clauses that depend on the level */
static void validate_at(const struct topk_operator *op, uint32_t level,
                        struct topk_clause_set *broken)
{
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    const struct topk_tensor *value = &op->tensors[TOPK_VALUE];
    const struct topk_tensor *index = &op->tensors[TOPK_INDEX];
    if (level < (op->kind == TOPK_TOP_K ? TOPK_LEVEL_2_0 : TOPK_LEVEL_2_1)) {
        topk_clause_set_add(broken, TOPK_CLAUSE_V14);
    }
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const struct topk_tensor *tensor = &op->tensors[role];
        if (tensor->present && level < TOPK_LEVEL_3_1 && tensor->rank != 4) {
            topk_clause_set_add(broken, TOPK_CLAUSE_V08);
        }
    }
    if ((input->present && !level_has(level, value_type_level(input->type))) ||
        (value->present && !level_has(level, value_type_level(value->type)))) {
        topk_clause_set_add(broken, TOPK_CLAUSE_V09);
    }
    if (index->present && !level_has(level, index_type_level(index->type))) {
        topk_clause_set_add(broken, TOPK_CLAUSE_V07);
    }
}

void topk_operator_validate(const struct topk_operator *op, uint32_t level,
                            struct topk_validity *validity)
{
    validate_at_any(op, validity);
    validate_at(op, level, &validity->broken);
}

uint32_t topk_operator_least_level(const struct topk_operator *op)
{
    struct topk_validity validity;
    validate_at_any(op, &validity);
    return topk_clause_set_empty(&validity.broken) ? topk_operator_valid_level(op) : 0;
}

uint32_t topk_operator_valid_level(const struct topk_operator *op)
{
    for (int i = 0; i < TOPK_LEVEL_COUNT; i++) {
        struct topk_clause_set broken = {{0}};
        validate_at(op, topk_levels[i], &broken);
        if (topk_clause_set_empty(&broken)) {
            return topk_levels[i];
        }
    }
    return 0;
}

void topk_operator_derive_outputs(struct topk_operator *op, uint32_t index_type)
{
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
        struct topk_tensor *output = &op->tensors[role];
        memset(output, 0, sizeof *output);
        output->present = true;
        output->type = role == TOPK_INDEX ? index_type : input->type;
        output->rank = input->rank;
        memcpy(output->sizes, input->sizes, sizeof output->sizes);
        if (op->axis < input->rank) {
            output->sizes[op->axis] = op->k;
        }
        output->total_bytes = topk_tensor_least_bytes(output);
    }
}

uint64_t topk_operator_sequences(const struct topk_operator *op)
{
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    uint64_t count = 1;
    for (uint32_t i = 0; i < input->rank; i++) {
        count *= i == op->axis ? 1 : input->sizes[i];
    }
    return count;
}

void topk_operator_sequence_at(const struct topk_operator *op, uint64_t sequence,
                               uint32_t at[TOPK_RANK_MAX])
{
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    for (uint32_t i = input->rank; i-- > 0;) {
        if (i == op->axis) {
            at[i] = 0;
        } else {
            at[i] = (uint32_t)(sequence % input->sizes[i]);
            sequence /= input->sizes[i];
        }
    }
}

void topk_operator_sequence_next(const struct topk_operator *op, uint32_t at[TOPK_RANK_MAX])
{
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    for (uint32_t i = input->rank; i-- > 0;) {
        if (i != op->axis && ++at[i] < input->sizes[i]) {
            return;
        }
        at[i] = i == op->axis ? at[i] : 0;
    }
}
