/* The alterations, one function for each property. */
#include "alter.h"

#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "reference/element.h"

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/* greatest number of elements, and greatest size, after a change */
#define GROWN ((uint64_t)1 << 16)

/* ---- steps ----------------------------------------------------------------------------------- */

/* drops data that belongs to the old shape or type: literal elements and outputs */
static void lose_data(struct topk_case *tc)
{
    if (tc->literal != NULL || tc->out != 0) {
        free(tc->literal);
        tc->literal = NULL;
        tc->literal_count = 0;
        tc->out = 0;
        topk_build_data(tc, "shuffle", tc->op.k, 0);
    }
}

/* the total size after a change, with as many spare bytes as before */
static void retotal(struct topk_tensor *tensor, const struct topk_tensor *before)
{
    const uint64_t least = topk_tensor_least_bytes(before);
    const uint64_t slack = before->total_bytes > least ? before->total_bytes - least : 0;
    tensor->total_bytes = topk_tensor_least_bytes(tensor) + slack;
}

/* whether a call is valid and no clauses but those in `latitude` are open */
static bool fits(const struct topk_case *tc, const struct topk_clause_set *latitude)
{
    struct topk_validity validity;
    struct topk_clause_set allowed = *latitude;
    topk_clause_set_add(&allowed, TOPK_CLAUSE_V03); /* if the axis was shortened to K */
    topk_operator_validate(&tc->op, TOPK_LEVEL_5_0, &validity);
    topk_clause_set_merge(&validity.latitude, &allowed);
    return topk_clause_set_empty(&validity.broken) &&
           memcmp(&validity.latitude, &allowed, sizeof allowed) == 0;
}

static struct topk_clause_set latitude_of(const struct topk_case *tc)
{
    struct topk_validity validity;
    topk_operator_validate(&tc->op, TOPK_LEVEL_5_0, &validity);
    return validity.latitude;
}

/* Gives all tensors the sizes that fit an input of `sizes`. Drops strides that would make elements
 * overlap. */
static bool reshape(struct topk_case *tc, uint32_t rank, const uint32_t sizes[])
{
    const struct topk_clause_set latitude = latitude_of(tc);
    uint64_t elements = 1;
    for (uint32_t d = 0; d < rank; d++) {
        elements *= sizes[d];
        if (sizes[d] > GROWN || elements > GROWN * 4) {
            return false;
        }
    }
    tc->op.k = tc->op.k > sizes[tc->op.axis] ? sizes[tc->op.axis] : tc->op.k;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        struct topk_tensor *tensor = &tc->op.tensors[role];
        const struct topk_tensor before = *tensor;
        tensor->strided = tensor->strided && rank == before.rank;
        tensor->rank = rank;
        memcpy(tensor->sizes, sizes, rank * sizeof sizes[0]);
        if (role != TOPK_INPUT) {
            tensor->sizes[tc->op.axis] = tc->op.k;
        }
        retotal(tensor, &before);
    }
    for (int role = 0; role < TOPK_ROLE_COUNT && !fits(tc, &latitude); role++) {
        struct topk_tensor *tensor = &tc->op.tensors[role];
        const struct topk_tensor before = *tensor;
        tensor->strided = false;
        retotal(tensor, &before);
    }
    lose_data(tc);
    return true;
}

static bool resize(struct topk_case *tc, uint32_t dimension, uint32_t size)
{
    const struct topk_tensor *input = &tc->op.tensors[TOPK_INPUT];
    uint32_t sizes[TOPK_RANK_MAX];
    if (size == 0 || size == input->sizes[dimension]) {
        return false;
    }
    memcpy(sizes, input->sizes, sizeof sizes);
    sizes[dimension] = size;
    return reshape(tc, input->rank, sizes);
}

/* ---- what is computed ------------------------------------------------------------------------ */

static bool change_type(struct topk_choice *choice, struct topk_case *tc)
{
    const uint32_t own = tc->op.tensors[TOPK_INPUT].type;
    uint32_t others[TOPK_TYPE_COUNT];
    uint32_t count = 0;
    for (uint32_t i = 0; i < TOPK_TYPE_COUNT; i++) {
        if (topk_types[i] != own) {
            others[count++] = topk_types[i];
        }
    }
    const uint32_t type = others[topk_choice_below(choice, count)];
    for (int role = TOPK_INPUT; role <= TOPK_VALUE; role++) {
        struct topk_tensor *tensor = &tc->op.tensors[role];
        const struct topk_tensor before = *tensor;
        tensor->type = type;
        retotal(tensor, &before);
        if (tensor->alignment != 0 && tensor->alignment < topk_type_bytes(type)) {
            tensor->alignment = topk_type_bytes(type);
        }
    }
    lose_data(tc);
    return true;
}

static bool change_index_type(struct topk_choice *choice, struct topk_case *tc)
{
    struct topk_tensor *index = &tc->op.tensors[TOPK_INDEX];
    const struct topk_tensor before = *index;
    (void)choice;
    index->type = index->type == TOPK_TYPE_U32 ? TOPK_TYPE_U64 : TOPK_TYPE_U32;
    if (index->alignment != 0 && index->alignment < 8) {
        index->alignment = 8;
    }
    retotal(index, &before);
    return true;
}

static bool change_operator(struct topk_choice *choice, struct topk_case *tc)
{
    struct topk_operator *op = &tc->op;
    if (op->kind == TOPK_TOP_K) {
        op->kind = TOPK_TOP_K1;
        op->direction = topk_choice_below(choice, 2) == 0 ? TOPK_INCREASING : TOPK_DECREASING;
    } else {
        op->kind = TOPK_TOP_K;
        op->direction = TOPK_DECREASING;
    }
    return true;
}

static bool change_direction(struct topk_choice *choice, struct topk_case *tc)
{
    struct topk_operator *op = &tc->op;
    (void)choice;
    if (op->kind == TOPK_TOP_K) {
        return false;
    }
    op->direction = op->direction == TOPK_INCREASING ? TOPK_DECREASING : TOPK_INCREASING;
    return true;
}

static bool set_k(struct topk_case *tc, uint32_t k)
{
    const struct topk_clause_set latitude = latitude_of(tc);
    struct topk_operator *op = &tc->op;
    if (k == op->k || k == 0 || k > op->tensors[TOPK_INPUT].sizes[op->axis]) {
        return false;
    }
    op->k = k;
    for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
        struct topk_tensor *output = &op->tensors[role];
        const struct topk_tensor before = *output;
        output->sizes[op->axis] = k;
        retotal(output, &before);
        if (!fits(tc, &latitude)) {
            output->strided = false;
            retotal(output, &before);
        }
    }
    return true;
}

static bool change_k(struct topk_choice *choice, struct topk_case *tc)
{
    const struct topk_operator *op = &tc->op;
    const uint32_t length = op->tensors[TOPK_INPUT].sizes[op->axis];
    const uint32_t ways[] = {op->k + 1, op->k - 1, (op->k + 1) / 2, length, 1};
    return set_k(tc, ways[topk_choice_below(choice, COUNT(ways))]);
}

static bool change_axis(struct topk_choice *choice, struct topk_case *tc)
{
    struct topk_operator *op = &tc->op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    if (input->rank < 2) {
        return false;
    }
    op->axis = (op->axis + 1 + topk_choice_below(choice, input->rank - 1)) % input->rank;
    const struct topk_tensor same = *input;
    return reshape(tc, same.rank, same.sizes);
}

static bool change_level(struct topk_choice *choice, struct topk_case *tc)
{
    const uint32_t least = topk_check_valid_level(tc);
    const uint32_t level = topk_levels[topk_choice_below(choice, TOPK_LEVEL_COUNT)];
    const bool any = level != tc->op.level && level >= least;
    tc->op.level = level;
    return any;
}

static bool change_execution(struct topk_choice *choice, struct topk_case *tc)
{
    tc->op.execution ^= 1 + topk_choice_below(choice, 7);
    return true;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static bool change_length(struct topk_choice *choice, struct topk_case *tc)
{
    const struct topk_operator *op = &tc->op;
    const uint32_t length = op->tensors[TOPK_INPUT].sizes[op->axis];
    const uint32_t ways[] = {length + 1, length - 1, 2 * length + 1, (length + 1) / 2,
                             length * 9 + 5};
    return resize(tc, op->axis, ways[topk_choice_below(choice, COUNT(ways))]);
}

static bool change_rows(struct topk_choice *choice, struct topk_case *tc)
{
    const struct topk_operator *op = &tc->op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    if (input->rank < 2) {
        return false;
    }
    const uint32_t d = (op->axis + 1 + topk_choice_below(choice, input->rank - 1)) % input->rank;
    const uint32_t size = input->sizes[d];
    const uint32_t ways[] = {size + 1, size - 1, 2 * size + 1, (size + 1) / 2};
    return resize(tc, d, ways[topk_choice_below(choice, COUNT(ways))]);
}

/* the same number of elements in another shape: exchanges two sizes */
static bool change_shape(struct topk_choice *choice, struct topk_case *tc)
{
    const struct topk_tensor *input = &tc->op.tensors[TOPK_INPUT];
    uint32_t sizes[TOPK_RANK_MAX];
    if (input->rank < 2) {
        return false;
    }
    const uint32_t a = topk_choice_below(choice, input->rank);
    const uint32_t b = (a + 1 + topk_choice_below(choice, input->rank - 1)) % input->rank;
    if (input->sizes[a] == input->sizes[b]) {
        return false;
    }
    memcpy(sizes, input->sizes, sizeof sizes);
    sizes[a] = input->sizes[b];
    sizes[b] = input->sizes[a];
    return reshape(tc, input->rank, sizes);
}

/* the same elements, with one leading dimension of size 1 added or removed */
static bool change_rank(struct topk_choice *choice, struct topk_case *tc)
{
    struct topk_operator *op = &tc->op;
    const struct topk_tensor input = op->tensors[TOPK_INPUT];
    uint32_t sizes[TOPK_RANK_MAX + 1] = {1};
    (void)choice;
    if (input.rank > 1 && op->axis > 0 && input.sizes[0] == 1) {
        op->axis--;
        return reshape(tc, input.rank - 1, input.sizes + 1);
    }
    if (input.rank >= TOPK_RANK_VALID) {
        return false;
    }
    memcpy(sizes + 1, input.sizes, input.rank * sizeof sizes[0]);
    op->axis++;
    return reshape(tc, input.rank + 1, sizes);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static bool change_strides(struct topk_choice *choice, struct topk_case *tc, enum topk_role role)
{
    static const enum topk_layout layouts[] = {TOPK_LAYOUT_PADDED_ROW, TOPK_LAYOUT_INTERLEAVED,
                                               TOPK_LAYOUT_REVERSED,   TOPK_LAYOUT_PACKED,
                                               TOPK_LAYOUT_PADDED_ALL, TOPK_LAYOUT_EXPLICIT};
    struct topk_tensor *tensor = &tc->op.tensors[role];
    const struct topk_tensor before = *tensor;
    topk_layout_apply(layouts[topk_choice_below(choice, COUNT(layouts))], tensor);
    retotal(tensor, &before);
    return tensor->strided != before.strided ||
           (tensor->strided &&
            memcmp(tensor->strides, before.strides, before.rank * sizeof before.strides[0]) != 0);
}

static bool change_offset(struct topk_choice *choice, struct topk_case *tc, enum topk_role role)
{
    const uint32_t alignment = tc->op.tensors[role].alignment;
    const uint64_t unit = alignment < 16 ? 16 : alignment;
    const uint64_t offset = unit * topk_choice_below(choice, 4);
    const bool any = offset != tc->offset[role];
    tc->offset[role] = offset;
    return any;
}

static bool change_alignment(struct topk_choice *choice, struct topk_case *tc, enum topk_role role)
{
    static const uint32_t alignments[] = {0, 16, 64, 256};
    uint32_t *alignment = &tc->op.tensors[role].alignment;
    uint64_t *offset = &tc->offset[role];
    const uint32_t other = alignments[topk_choice_below(choice, COUNT(alignments))];
    const bool any = other != *alignment;
    *alignment = other;
    *offset = other == 0 ? *offset : (*offset + other - 1) / other * other;
    return any;
}

static bool change_total(struct topk_choice *choice, struct topk_case *tc, enum topk_role role)
{
    static const uint64_t slacks[] = {4, 0, 64, 1000};
    struct topk_tensor *tensor = &tc->op.tensors[role];
    const uint64_t total =
        topk_tensor_least_bytes(tensor) + slacks[topk_choice_below(choice, COUNT(slacks))];
    const bool any = total != tensor->total_bytes;
    tensor->total_bytes = total;
    return any;
}

/* defines a change for each tensor */
#define OF_EACH(what)                                                                              \
    static bool change_input_##what(struct topk_choice *choice, struct topk_case *tc)              \
    {                                                                                              \
        return change_##what(choice, tc, TOPK_INPUT);                                              \
    }                                                                                              \
    static bool change_value_##what(struct topk_choice *choice, struct topk_case *tc)              \
    {                                                                                              \
        return change_##what(choice, tc, TOPK_VALUE);                                              \
    }                                                                                              \
    static bool change_index_##what(struct topk_choice *choice, struct topk_case *tc)              \
    {                                                                                              \
        return change_##what(choice, tc, TOPK_INDEX);                                              \
    }
OF_EACH(strides)
OF_EACH(offset)
OF_EACH(alignment)
OF_EACH(total)
#undef OF_EACH

static bool change_owned(struct topk_choice *choice, struct topk_case *tc)
{
    (void)choice;
    tc->op.tensors[TOPK_INPUT].flags ^= TOPK_TENSOR_FLAG_OWNED;
    return true;
}

static bool change_padding(struct topk_choice *choice, struct topk_case *tc)
{
    tc->padding = (enum topk_padding)(
        (tc->padding + 1 + topk_choice_below(choice, TOPK_PADDING_COUNT - 1)) % TOPK_PADDING_COUNT);
    return true;
}

static bool change_data(struct topk_choice *choice, struct topk_case *tc)
{
    static const char *const names[] = {"shuffle", "sorted", "few", "boundary", "uniform"};
    const uint32_t number = topk_choice_below(choice, COUNT(names));
    const uint32_t seed = topk_choice_below(choice, 256);
    lose_data(tc);
    const struct topk_recipe *before = tc->recipe;
    const uint64_t parameter = tc->parameters[0];
    memset(tc->parameters, 0, sizeof tc->parameters);
    topk_build_data(tc, names[number],
                    number == 1   ? seed % 2
                    : number == 2 ? 3
                                  : seed,
                    number == 2 ? seed : 0);
    return tc->recipe != before || tc->parameters[0] != parameter || number == 2;
}

/* ---- the table ------------------------------------------------------------------------------- */

const struct topk_alteration topk_alterations[] = {
    {"type", change_type},
    {"index-type", change_index_type},
    {"operator", change_operator},
    {"direction", change_direction},
    {"k", change_k},
    {"axis", change_axis},
    {"level", change_level},
    {"execution", change_execution},
    {"length", change_length},
    {"rows", change_rows},
    {"shape", change_shape},
    {"rank", change_rank},
    {"input-strides", change_input_strides},
    {"value-strides", change_value_strides},
    {"index-strides", change_index_strides},
    {"input-offset", change_input_offset},
    {"value-offset", change_value_offset},
    {"index-offset", change_index_offset},
    {"input-alignment", change_input_alignment},
    {"value-alignment", change_value_alignment},
    {"index-alignment", change_index_alignment},
    {"input-total", change_input_total},
    {"value-total", change_value_total},
    {"index-total", change_index_total},
    {"owned", change_owned},
    {"padding", change_padding},
    {"data", change_data},
};
const uint32_t topk_alteration_count = COUNT(topk_alterations);

/* Puts what was made of a copy of *tc in its place, if `made` and it is one that may be made: 1.
 * Else drops it: 0. */
static int take(bool made, struct topk_case *changed, struct topk_case *tc)
{
    const struct topk_clause_set latitude = latitude_of(tc);
    if (made && fits(changed, &latitude) && !topk_case_too_large(changed)) {
        const uint32_t least = topk_check_valid_level(changed);
        changed->op.level = changed->op.level < least ? least : changed->op.level;
        changed->check = topk_check_applies(changed) ? changed->check : TOPK_CHECK_NONE;
        topk_case_clear(tc);
        *tc = *changed;
        return 1;
    }
    topk_case_clear(changed);
    return 0;
}

int topk_alter(const struct topk_alteration *change, struct topk_choice *choice,
               struct topk_case *tc)
{
    struct topk_case changed;
    if (!topk_case_copy(&changed, tc)) {
        topk_case_clear(&changed);
        return -1;
    }
    return take(change->change(choice, &changed), &changed, tc);
}

int topk_alter_number(uint32_t number, struct topk_choice *choice, struct topk_case *tc)
{
    struct topk_case changed;
    if (!topk_case_copy(&changed, tc)) {
        topk_case_clear(&changed);
        return -1;
    }
    const uint32_t which = topk_choice_below(choice, 2 + tc->op.tensors[TOPK_INPUT].rank);
    const bool made = which == 0   ? set_k(&changed, number)
                      : which == 1 ? resize(&changed, tc->op.axis, number)
                                   : resize(&changed, which - 2, number);
    return take(made, &changed, tc);
}
