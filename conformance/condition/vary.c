/* Makes variants of a case by replacing parts of it with what the generator draws. */
#include "vary.h"

#include <stdlib.h>
#include <string.h>

#include "coverage/coverage.h"
#include "reference/element.h"

/* Greatest number of input elements of a variant, unless the original is larger. */
#define ELEMENTS_MOST 16384u

enum part {
    PART_OPERATOR,
    PART_TYPE,
    PART_INDEX,
    PART_SHAPE,
    PART_N,
    PART_K,
    PART_ROWS,
    PART_AXIS,
    PART_INPUT,
    PART_OUTPUTS,
    PART_OFFSETS,
    PART_FLAGS,
    PART_CHECK,
    PART_DATA,
    PARTS
};

/* A variant under construction. */
struct variant {
    struct topk_case *tc;
    const struct topk_case *donor; /* a drawn case that parts are taken from */
    const struct topk_condition *condition;
    struct topk_choice *choice;
};

/* Returns a number at or near a border of the condition. Returns `other` if no term has this
 * number, and sometimes at random. */
static uint32_t border(const struct variant *variant, enum topk_number number, uint32_t other)
{
    for (size_t i = 0; i < variant->condition->count; i++) {
        const struct topk_term *term = &variant->condition->terms[i];
        if (!term->is_number || term->feature != (unsigned char)number) {
            continue;
        }
        const bool least = term->least > 0 &&
                           (term->most == UINT64_MAX || topk_choice_below(variant->choice, 2) == 0);
        const uint64_t at = least ? term->least : term->most;
        uint64_t power = 1;
        while (2 * power <= at && power < (uint64_t)1 << 31) {
            power *= 2;
        }
        const uint64_t near[] = {at,    at > 0 ? at - 1 : 0, at + 1, at / 2, at / 4 * 3,
                                 power, power + 1,           2 * at};
        const uint32_t which = topk_choice_below(variant->choice, 10);
        return which < 8 && near[which] <= UINT32_MAX ? (uint32_t)near[which] : other;
    }
    return other;
}

static uint32_t clamp(uint32_t number, uint32_t most)
{
    return number == 0 ? 1 : number > most ? most : number;
}

/* Derives everything that depends on the sizes and the axis, after these have changed. */
static void lay_out(struct topk_case *tc)
{
    struct topk_tensor *input = &tc->op.tensors[TOPK_INPUT];
    tc->op.k = clamp(tc->op.k, input->sizes[tc->op.axis]);
    input->strided = false;
    input->total_bytes = topk_tensor_least_bytes(input);
    topk_operator_derive_outputs(&tc->op, tc->op.tensors[TOPK_INDEX].type);
}

static void take_data(struct variant *variant)
{
    struct topk_case *tc = variant->tc;
    free(tc->literal);
    tc->literal = NULL;
    tc->literal_count = 0;
    tc->out = 0;
    tc->recipe = variant->donor->recipe;
    memcpy(tc->parameters, variant->donor->parameters, sizeof tc->parameters);
}

/* Replaces literal data, which fits only one shape and type, and output data, which fits only one
 * type. */
static void lose_literal(struct variant *variant)
{
    if (variant->tc->literal != NULL || variant->tc->out != 0) {
        take_data(variant);
    }
}

static void take_shape(struct variant *variant)
{
    const struct topk_tensor *from = &variant->donor->op.tensors[TOPK_INPUT];
    struct topk_tensor *input = &variant->tc->op.tensors[TOPK_INPUT];
    const uint32_t n = input->sizes[variant->tc->op.axis];
    const uint32_t rank = clamp(border(variant, TOPK_NUMBER_RANK, from->rank), TOPK_RANK_VALID);
    for (uint32_t i = 0; i < rank; i++) {
        input->sizes[i] = i < from->rank ? clamp(from->sizes[i], 4) : 1;
    }
    input->rank = rank;
    variant->tc->op.axis = clamp(variant->donor->op.axis, rank - 1);
    variant->tc->op.axis = rank == 1 ? 0 : variant->tc->op.axis;
    input->sizes[variant->tc->op.axis] = n; /* keep n: one change at a time */
}

static void take_rows(struct variant *variant)
{
    const struct topk_operator *op = &variant->tc->op;
    struct topk_tensor *input = &variant->tc->op.tensors[TOPK_INPUT];
    const uint32_t dimension = topk_choice_below(variant->choice, input->rank);
    const uint32_t rows =
        border(variant, TOPK_NUMBER_ROWS, variant->donor->op.tensors[TOPK_INPUT].sizes[0]);
    if (dimension != op->axis) {
        for (uint32_t i = 0; i < input->rank; i++) {
            input->sizes[i] = i == op->axis ? input->sizes[i] : 1;
        }
        input->sizes[dimension] = clamp(rows, ELEMENTS_MOST);
    }
}

static void take_axis(struct variant *variant)
{
    struct topk_operator *op = &variant->tc->op;
    uint32_t *sizes = op->tensors[TOPK_INPUT].sizes;
    const uint32_t axis = topk_choice_below(variant->choice, op->tensors[TOPK_INPUT].rank);
    const uint32_t n = sizes[op->axis];
    sizes[op->axis] = sizes[axis];
    sizes[axis] = n;
    op->axis = axis;
}

static void take_type(struct variant *variant)
{
    struct topk_operator *op = &variant->tc->op;
    op->tensors[TOPK_INPUT].type = variant->donor->op.tensors[TOPK_INPUT].type;
    op->tensors[TOPK_INPUT].total_bytes = topk_tensor_least_bytes(&op->tensors[TOPK_INPUT]);
    op->tensors[TOPK_VALUE].type = op->tensors[TOPK_INPUT].type;
    op->tensors[TOPK_VALUE].total_bytes = topk_tensor_least_bytes(&op->tensors[TOPK_VALUE]);
}

static void take_operator(struct variant *variant)
{
    variant->tc->op.kind = variant->donor->op.kind;
    variant->tc->op.direction = variant->donor->op.direction;
}

static void take_layouts(struct variant *variant, bool input)
{
    struct topk_tensor *tensors = variant->tc->op.tensors;
    for (int role = input ? TOPK_INPUT : TOPK_VALUE; role < (input ? TOPK_VALUE : TOPK_ROLE_COUNT);
         role++) {
        enum topk_layout layout;
        do {
            layout = (enum topk_layout)topk_choice_below(variant->choice, TOPK_LAYOUT_COUNT);
        } while (role != TOPK_INPUT && topk_layout_input_only(layout));
        topk_layout_apply(layout, &tensors[role]);
    }
}

static void take_offsets(struct variant *variant)
{
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        variant->tc->offset[role] = variant->donor->offset[role];
        variant->tc->op.tensors[role].alignment = variant->donor->op.tensors[role].alignment;
    }
}

static void take_part(struct variant *variant, enum part part)
{
    struct topk_case *tc = variant->tc;
    struct topk_operator *op = &tc->op;
    const struct topk_operator *from = &variant->donor->op;
    struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    switch (part) {
    case PART_OPERATOR:
        take_operator(variant);
        break;
    case PART_TYPE:
        lose_literal(variant);
        take_type(variant);
        break;
    case PART_INDEX:
        op->tensors[TOPK_INDEX].type = from->tensors[TOPK_INDEX].type;
        op->tensors[TOPK_INDEX].total_bytes = topk_tensor_least_bytes(&op->tensors[TOPK_INDEX]);
        break;
    case PART_SHAPE:
    case PART_N:
    case PART_ROWS:
    case PART_AXIS:
        lose_literal(variant);
        if (part == PART_SHAPE) {
            take_shape(variant);
        } else if (part == PART_N) {
            input->sizes[op->axis] =
                clamp(border(variant, TOPK_NUMBER_N, from->tensors[TOPK_INPUT].sizes[from->axis]),
                      ELEMENTS_MOST);
        } else if (part == PART_ROWS) {
            take_rows(variant);
        } else {
            take_axis(variant);
        }
        lay_out(tc);
        break;
    case PART_K:
        op->k = clamp(border(variant, TOPK_NUMBER_K_NUMBER, from->k), input->sizes[op->axis]);
        topk_operator_derive_outputs(op, op->tensors[TOPK_INDEX].type);
        break;
    case PART_INPUT:
        take_layouts(variant, true);
        break;
    case PART_OUTPUTS:
        take_layouts(variant, false);
        break;
    case PART_OFFSETS:
        take_offsets(variant);
        break;
    case PART_FLAGS:
        op->execution = from->execution;
        tc->padding = variant->donor->padding;
        break;
    case PART_CHECK:
        tc->check = TOPK_CHECK_NONE;
        break;
    default:
        take_data(variant);
        break;
    }
}

bool topk_vary(const struct topk_case *from, const struct topk_condition *condition,
               struct topk_choice *choice, struct topk_case *to)
{
    static const struct topk_limits limits = {.elements = 256, .bytes = 1u << 20};
    struct topk_case donor;
    if (!topk_generate_valid(choice, &limits, &donor)) {
        return false;
    }
    if (!topk_case_copy(to, from)) {
        topk_case_clear(&donor);
        return false;
    }
    struct variant variant = {to, &donor, condition, choice};
    const uint32_t changes = 1 + topk_choice_below(choice, 3);
    for (uint32_t i = 0; i < changes; i++) {
        take_part(&variant, (enum part)topk_choice_below(choice, PARTS));
    }
    if (to->recipe != NULL && topk_choice_below(choice, 2) == 0) {
        to->parameters[to->recipe->parameters - 1] = topk_choice_below(choice, 1u << 24);
    }
    topk_case_clear(&donor);
    const uint32_t level = topk_operator_least_level(&to->op);
    to->op.level = to->op.level < level ? level : to->op.level;
    const uint64_t elements = topk_tensor_elements(&to->op.tensors[TOPK_INPUT]);
    /* a large case may have large variants, but not much larger ones */
    const uint64_t most = 2 * topk_tensor_elements(&from->op.tensors[TOPK_INPUT]);
    if (level == 0 || (elements > ELEMENTS_MOST && elements > most) || !topk_aspects_ask(to)) {
        topk_case_clear(to);
        return false;
    }
    return true;
}
