/* The generator: one function for each part of a case, in the order in which parts are drawn. */
#include "generate.h"

#include <stdlib.h>
#include <string.h>

#include "breaker.h"
#include "build.h"
#include "case/case.h"

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

const struct topk_limits topk_limits_usual = {.elements = 1u << 21, .bytes = (uint64_t)1 << 26};

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* ---- shape ----------------------------------------------------------------------------------- */

/* the greatest number of elements: usually few, since most faults need no more */
static uint32_t draw_budget(struct topk_choice *choice, const struct topk_limits *limits)
{
    uint32_t draw = topk_choice_below(choice, 256);
    uint32_t budget = draw < 150 ? 64 : draw < 248 ? 2048 : draw < 255 ? 32768 : 1u << 18;
    if (draw == 255 && topk_choice_once_in(choice, 8)) {
        budget = limits->elements;
    }
    return least_of(budget, limits->elements);
}

/* 2^p - 1, 2^p or 2^p + 1, at most `most`; `most` is itself a threshold of the form 2^p + 1 */
static uint32_t draw_near_power(struct topk_choice *choice, uint32_t most)
{
    uint32_t powers = 0;
    while (powers < 31 && (uint32_t)2 << powers <= most) {
        powers++;
    }
    uint32_t power = (uint32_t)1 << topk_choice_below(choice, powers + 1);
    uint32_t number = power - 1 + topk_choice_below(choice, 3);
    return number == 0 ? 1 : least_of(number, most);
}

static uint32_t draw_prime(struct topk_choice *choice, uint32_t most)
{
    static const uint32_t primes[] = {2,   3,   5,   7,    11,   13,   17,   31,   61,   97,
                                      127, 251, 509, 1021, 2039, 4093, 8191, 9973, 32749};
    uint32_t count = 0;
    while (count < COUNT(primes) && primes[count] <= most) {
        count++;
    }
    return count == 0 ? 1 : primes[topk_choice_below(choice, count)];
}

static uint32_t draw_axis_size(struct topk_choice *choice, uint32_t budget)
{
    switch (topk_choice_below(choice, 8)) {
    case 0:
    case 1:
        return 1 + topk_choice_below(choice, least_of(budget, 8));
    case 2:
        return draw_prime(choice, budget);
    case 3:
    case 4:
        return draw_near_power(choice, budget);
    case 5:
        return 1 + topk_choice_below(choice, least_of(budget, 64));
    case 6:
        return budget;
    default:
        return 1 + topk_choice_below(choice, budget);
    }
}

/* sizes of the dimensions other than Axis, for at most `room` sequences. chosen: the dimension that
 * takes all the room; with `rank`, none does */
static void draw_other_sizes(struct topk_choice *choice, uint32_t rank, uint32_t axis,
                             uint32_t chosen, uint32_t room, uint32_t sizes[TOPK_RANK_MAX])
{
    for (uint32_t d = 0; d < rank; d++) {
        if (d == axis) {
            continue;
        }
        uint32_t most = d == chosen ? room : least_of(room, 3);
        sizes[d] = d == chosen && topk_choice_below(choice, 2) != 0
                       ? draw_near_power(choice, most)
                       : 1 + topk_choice_below(choice, most);
        room /= sizes[d];
    }
}

/* Small cases have any shape. A third of the large ones have any shape, a third are almost all
 * axis, a third almost all sequences: nothing else exceeds limits of 16 bits. */
static void draw_sizes(struct topk_choice *choice, uint32_t rank, uint32_t axis, uint32_t budget,
                       uint32_t sizes[TOPK_RANK_MAX])
{
    uint32_t kind = budget < 65536 ? 0 : topk_choice_below(choice, 3);
    if (kind == 1) {
        sizes[axis] = budget - topk_choice_below(choice, budget / 2);
    } else {
        sizes[axis] = draw_axis_size(choice, kind == 2 ? 8 : budget);
    }
    uint32_t chosen = topk_choice_below(choice, 4) == 3 ? topk_choice_below(choice, rank) : rank;
    if (kind == 2) {
        /* the first dimension other than Axis, before another one takes the room */
        chosen = axis == 0 && rank > 1 ? 1 : 0;
    }
    draw_other_sizes(choice, rank, axis, chosen, budget / sizes[axis], sizes);
}

static uint32_t draw_k(struct topk_choice *choice, uint32_t length)
{
    switch (topk_choice_below(choice, 8)) {
    case 0:
    case 1:
        return 1 + topk_choice_below(choice, least_of(length, 8));
    case 2:
        return length;
    case 3:
        return length > 1 ? length - 1 : 1;
    case 4:
        return (length + 1) / 2;
    case 5:
        return draw_near_power(choice, length);
    case 6:
        return 1 + topk_choice_below(choice, least_of(length, 64));
    default:
        return 1 + topk_choice_below(choice, length);
    }
}

static void draw_shape(struct topk_choice *choice, const struct topk_limits *limits,
                       struct topk_case *tc)
{
    /* every level has rank 4 */
    static const uint32_t ranks[] = {1, 2, 4, 3, 4, 4, 4, 5, 6, 7, 8, 2};
    uint32_t sizes[TOPK_RANK_MAX] = {0};
    topk_choice_part(choice, TOPK_PART_OPERATOR);
    enum topk_mode mode = (enum topk_mode)topk_choice_below(choice, TOPK_MODE_COUNT);
    uint32_t type = topk_types[topk_choice_below(choice, TOPK_TYPE_COUNT)];
    topk_choice_part(choice, TOPK_PART_SIZES);
    uint32_t rank = ranks[topk_choice_below(choice, COUNT(ranks))];
    uint32_t axis = rank - 1 - topk_choice_below(choice, rank);
    uint32_t budget = draw_budget(choice, limits);
    draw_sizes(choice, rank, axis, budget, sizes);
    topk_choice_part(choice, TOPK_PART_K);
    uint32_t k = draw_k(choice, sizes[axis]);
    topk_build(tc, mode, type, rank, sizes, axis, k);
    topk_choice_part(choice, TOPK_PART_OPERATOR);
    if (topk_choice_below(choice, 3) == 2) {
        topk_build_wide_index(tc);
    }
    if (mode != TOPK_MODE_TOP_K && topk_choice_once_in(choice, 128)) {
        tc->op.direction = 2 + topk_choice_below(choice, 2) * 253; /* V12 */
    }
}

/* ---- layout ---------------------------------------------------------------------------------- */

/* nests the dimensions in some order, with padding after each or after none */
static void draw_nest(struct topk_choice *choice, struct topk_tensor *tensor, uint32_t flat)
{
    static const uint32_t pads[] = {0, 1, 2, 3, 5, 7, 16, 29, 64};
    uint32_t order[TOPK_RANK_MAX];
    bool permuted = topk_choice_below(choice, 2) != 0;
    uint32_t kinds = topk_choice_below(choice, COUNT(pads)); /* 0: no padding at all */
    uint64_t stride = 1 + (topk_choice_once_in(choice, 4) ? 1 + topk_choice_below(choice, 4) : 0);
    for (uint32_t i = 0; i < tensor->rank; i++) {
        order[i] = tensor->rank - 1 - i;
    }
    for (uint32_t i = tensor->rank; permuted && i > 1; i--) {
        uint32_t j = topk_choice_below(choice, i);
        uint32_t swap = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swap;
    }
    tensor->strided = true;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        uint32_t d = order[i];
        bool broadcast = (flat >> d & 1) != 0;
        tensor->strides[d] = broadcast ? 0 : stride > UINT32_MAX ? UINT32_MAX : (uint32_t)stride;
        stride *= broadcast ? 1 : tensor->sizes[d];
        stride += kinds == 0 ? 0 : pads[topk_choice_below(choice, kinds + 1)];
    }
}

/* overlapping windows, as a convolution reads them (T13; T14 for outputs) */
static void draw_windows(struct topk_choice *choice, struct topk_tensor *tensor)
{
    tensor->strided = true;
    for (uint32_t d = 0; d < tensor->rank; d++) {
        tensor->strides[d] = 1 + topk_choice_below(choice, 3);
    }
}

/* the stride of a dimension of size 1 is meaningless (T06) */
static void draw_oddities(struct topk_choice *choice, struct topk_tensor *tensor)
{
    static const uint32_t strides[] = {0, 1, 7, 0x10000, 0x80000000u, UINT32_MAX};
    if (!tensor->strided) {
        topk_layout_apply(TOPK_LAYOUT_EXPLICIT, tensor);
    }
    for (uint32_t d = 0; d < tensor->rank; d++) {
        if (tensor->sizes[d] == 1) {
            tensor->strides[d] = strides[topk_choice_below(choice, COUNT(strides))];
        }
    }
}

static void draw_strides(struct topk_choice *choice, enum topk_role role,
                         struct topk_tensor *tensor)
{
    uint32_t kind = topk_choice_below(choice, 12);
    if (kind >= 6) { /* most callers use packed tensors */
        topk_layout_apply(kind == 11 ? TOPK_LAYOUT_EXPLICIT : TOPK_LAYOUT_PACKED, tensor);
    } else if (kind == 0) {
        return;
    } else if (kind == 5 && role == TOPK_INPUT) {
        uint32_t flat = 1 + topk_choice_below(choice, (1u << tensor->rank) - 1);
        draw_nest(choice, tensor, flat);
    } else if (kind == 4 && (role == TOPK_INPUT ? topk_choice_below(choice, 2) != 0
                                                : topk_choice_once_in(choice, 32))) {
        draw_windows(choice, tensor);
    } else {
        draw_nest(choice, tensor, 0);
    }
    if (topk_choice_once_in(choice, 4)) {
        draw_oddities(choice, tensor);
    }
}

/* draws total size (`least` bytes are needed), alignment and offset */
static void draw_binding(struct topk_choice *choice, uint64_t least, struct topk_tensor *tensor,
                         uint64_t *offset)
{
    static const uint32_t slacks[] = {0, 0, 0, 0, 1, 2, 4, 21, 64, 1000, 4096};
    static const uint32_t alignments[] = {0, 0, 0, 16, 32, 64, 256, 512, 4096, 65536};
    tensor->total_bytes = least + slacks[topk_choice_below(choice, COUNT(slacks))];
    tensor->alignment = alignments[topk_choice_below(choice, COUNT(alignments))];
    if (topk_choice_once_in(choice, 64)) {
        tensor->alignment = topk_type_bytes(tensor->type); /* T10b */
    }
    uint32_t unit = tensor->alignment < 16 ? 16 : tensor->alignment;
    *offset = (uint64_t)unit * (topk_choice_once_in(choice, 3) ? topk_choice_below(choice, 4) : 0);
}

static void draw_layouts(struct topk_choice *choice, const struct topk_limits *limits,
                         struct topk_case *tc)
{
    uint64_t room = limits->bytes;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        struct topk_tensor *tensor = &tc->op.tensors[role];
        struct topk_tensor packed = *tensor;
        topk_choice_part(choice, (enum topk_part)(TOPK_PART_INPUT + role));
        draw_strides(choice, (enum topk_role)role, tensor);
        /* a smaller stride would make elements overlap, so the tensor stays this large */
        uint64_t least = topk_tensor_least_bytes(tensor);
        if (least > room) {
            *tensor = packed;
            least = topk_tensor_least_bytes(tensor);
        }
        draw_binding(choice, least, tensor, &tc->offset[role]);
        room = least < room ? room - least : 0;
    }
    topk_choice_part(choice, TOPK_PART_EXTRAS);
    if (topk_choice_once_in(choice, 16)) {
        tc->op.tensors[TOPK_INPUT].flags = TOPK_TENSOR_FLAG_OWNED;
    }
}

/* ---- data ------------------------------------------------------------------------------------ */

/* how the first of a recipe's two parameters is drawn */
enum first {
    FIRST_NONE,  /* the only parameter is the seed */
    FIRST_BITS,  /* the only parameter is a bit pattern */
    FIRST_AT,    /* the only parameter is a position */
    FIRST_FEW,   /* 1 to 9, or about the length of a row */
    FIRST_EVERY, /* 1 to 3 */
    FIRST_KIND,  /* 0 to 3 */
    FIRST_FLAG   /* 0 or 1 */
};

static const struct {
    const char *name;
    uint32_t version;
    enum first first;
} recipes[] = {
    {"few", 1, FIRST_FEW},     {"boundary", 1, FIRST_NONE},   {"shuffle", 1, FIRST_NONE},
    {"mixed", 1, FIRST_NONE},  {"const", 1, FIRST_BITS},      {"sorted", 1, FIRST_FLAG},
    {"organ", 1, FIRST_FLAG},  {"uniform", 1, FIRST_NONE},    {"few", 1, FIRST_FEW},
    {"inside", 1, FIRST_NONE}, {"boundary", 1, FIRST_NONE},   {"walk", 1, FIRST_AT},
    {"zeros", 1, FIRST_NONE},  {"infinities", 1, FIRST_NONE}, {"denormals", 1, FIRST_NONE},
    {"nan", 1, FIRST_EVERY},   {"nan", 2, FIRST_KIND},        {"sentinels", 1, FIRST_KIND},
    {"hidden", 1, FIRST_KIND}, {"extremes", 2, FIRST_NONE},   {"every", 1, FIRST_FLAG},
    {"few", 1, FIRST_FEW},     {"hidden", 1, FIRST_KIND},     {"mixed", 1, FIRST_NONE},
};

/* a special value of a type, or any value */
static uint64_t draw_element(struct topk_choice *choice, uint32_t type)
{
    uint32_t bytes = topk_type_bytes(type);
    uint64_t mask = UINT64_MAX >> (64 - 8 * bytes);
    uint64_t sign = mask ^ mask >> 1;
    uint64_t greatest = topk_element_greatest(type);
    uint64_t least = topk_element_least(type);
    uint32_t kind = topk_choice_below(choice, 32);
    if (kind < 20) {
        return topk_value_of_rank(type, topk_choice_below(choice, 7), 7);
    }
    switch (kind) {
    case 20:
        return 0;
    case 21:
        return sign;
    case 22:
        return greatest;
    case 23:
        return least;
    case 24:
        return greatest - 1;
    case 25: /* next to the least value; for a float, towards 0 */
        return topk_type_float(type) ? least - 1 : (least + 1) & mask;
    case 26: /* a denormal of either sign, if it is a float */
        return 1 | (topk_choice_below(choice, 2) != 0 ? sign : 0);
    case 27:
        return mask >> 1; /* NaN, if it is a float */
    case 28:
        return mask;
    default:
        return topk_choice_bits(choice, bytes);
    }
}

static bool draw_literal(struct topk_choice *choice, struct topk_case *tc)
{
    const struct topk_tensor *input = &tc->op.tensors[TOPK_INPUT];
    uint32_t count = (uint32_t)topk_tensor_elements(input);
    tc->literal = malloc(count * sizeof *tc->literal);
    if (tc->literal == NULL) {
        return false;
    }
    tc->literal_count = count;
    for (uint32_t i = 0; i < count; i++) {
        topk_choice_part(choice, TOPK_PART_ELEMENT);
        tc->literal[i] = draw_element(choice, input->type);
    }
    return true;
}

static uint64_t draw_first(struct topk_choice *choice, const struct topk_case *tc, enum first first)
{
    uint32_t length = tc->op.tensors[TOPK_INPUT].sizes[tc->op.axis];
    switch (first) {
    case FIRST_BITS:
        return draw_element(choice, tc->op.tensors[TOPK_INPUT].type);
    case FIRST_AT:
        return topk_choice_below(choice, length);
    case FIRST_FEW:
        return topk_choice_once_in(choice, 4) ? 1 + topk_choice_below(choice, length)
                                              : 1 + topk_choice_below(choice, 9);
    case FIRST_EVERY:
        return 1 + topk_choice_below(choice, 3);
    case FIRST_KIND:
        return topk_choice_below(choice, 4);
    case FIRST_FLAG:
        return topk_choice_below(choice, 2);
    default:
        return 0;
    }
}

/* greatest length of literal data, so that people can read the text */
#define LITERAL_ELEMENTS 64

static bool draw_data(struct topk_choice *choice, struct topk_case *tc)
{
    topk_choice_part(choice, TOPK_PART_DATA);
    uint64_t count = topk_tensor_elements(&tc->op.tensors[TOPK_INPUT]);
    if (count <= LITERAL_ELEMENTS && topk_choice_below(choice, 3) == 0) {
        return draw_literal(choice, tc);
    }
    uint32_t number = topk_choice_below(choice, COUNT(recipes));
    enum first first = recipes[number].first;
    tc->recipe = topk_recipe_find(recipes[number].name, strlen(recipes[number].name),
                                  recipes[number].version);
    if (first != FIRST_NONE) {
        tc->parameters[0] = draw_first(choice, tc, first);
    }
    if (tc->recipe->parameters == 2 || first == FIRST_NONE) {
        tc->parameters[tc->recipe->parameters - 1] = topk_choice_below(choice, 1u << 24);
    }
    return true;
}

/* ---- the rest -------------------------------------------------------------------------------- */

/* greatest number of elements of a case whose relation makes many calls */
#define COSTLY_ELEMENTS 4096

/* draws a relation that makes a second call; those with many calls only for small cases */
static void draw_check(struct topk_choice *choice, struct topk_case *tc)
{
    static const enum topk_check checks[] = {
        TOPK_CHECK_REPEAT, TOPK_CHECK_TWIN,   TOPK_CHECK_PREFIX,     TOPK_CHECK_ROW,
        TOPK_CHECK_FLAGS,  TOPK_CHECK_LAYOUT, TOPK_CHECK_AXES,       TOPK_CHECK_PERMUTE,
        TOPK_CHECK_DUAL,   TOPK_CHECK_WIDEN,  TOPK_CHECK_MONOTONE,   TOPK_CHECK_PADDING,
        TOPK_CHECK_OFFSET, TOPK_CHECK_AFTER,  TOPK_CHECK_CONCURRENT, TOPK_CHECK_SOAK};
    enum topk_check check = checks[topk_choice_below(choice, COUNT(checks))];
    bool costly = check == TOPK_CHECK_AFTER || check == TOPK_CHECK_CONCURRENT;
    if (check == TOPK_CHECK_SOAK) {
        costly = true;
        check = topk_choice_once_in(choice, 8) ? check : TOPK_CHECK_REPEAT;
    }
    uint64_t count = topk_tensor_elements(&tc->op.tensors[TOPK_INPUT]);
    tc->check = costly && count > COSTLY_ELEMENTS ? TOPK_CHECK_NONE : check;
    tc->op.level = TOPK_LEVEL_5_0; /* has most relations; the final level is drawn later */
    if (!topk_check_applies(tc)) {
        tc->check = TOPK_CHECK_NONE;
    }
}

static void draw_extras(struct topk_choice *choice, struct topk_case *tc)
{
    topk_choice_part(choice, TOPK_PART_EXTRAS);
    if (topk_choice_once_in(choice, 6)) {
        tc->op.execution = topk_choice_below(choice, 8);
    }
    if (topk_choice_once_in(choice, 4)) {
        tc->padding = (enum topk_padding)topk_choice_below(choice, TOPK_PADDING_COUNT);
    }
    if (topk_choice_once_in(choice, 4)) {
        draw_check(choice, tc);
    }
}

/* the lowest level that accepts the call, or any above it */
static void draw_level(struct topk_choice *choice, struct topk_case *tc)
{
    topk_choice_part(choice, TOPK_PART_LEVEL);
    uint32_t least = topk_check_valid_level(tc);
    uint32_t first = 0;
    while (topk_levels[first] < least) {
        first++;
    }
    tc->op.level = topk_levels[first + topk_choice_below(choice, TOPK_LEVEL_COUNT - first)];
}

bool topk_generate_valid(struct topk_choice *choice, const struct topk_limits *limits,
                         struct topk_case *tc)
{
    draw_shape(choice, limits, tc);
    draw_layouts(choice, limits, tc);
    draw_extras(choice, tc);
    draw_level(choice, tc);
    return draw_data(choice, tc);
}

void topk_generate_invalid(struct topk_choice *choice, struct topk_case *tc)
{
    static const struct topk_limits small = {.elements = 2048, .bytes = (uint64_t)1 << 20};
    draw_shape(choice, &small, tc);
    draw_layouts(choice, &small, tc);
    draw_level(choice, tc);
    topk_choice_part(choice, TOPK_PART_SPOIL);
    uint32_t first = topk_choice_below(choice, topk_breaker_count);
    uint32_t second = first;
    if (topk_choice_below(choice, 2) != 0) {
        second = topk_choice_below(choice, topk_breaker_count);
    }
    if (second < first) {
        uint32_t swap = first;
        first = second;
        second = swap;
    }
    bool broken = topk_breakers[first].spoil(choice, tc);
    if (second != first) {
        broken |= topk_breakers[second].spoil(choice, tc);
    }
    /* a breaker may not apply; the last one always does */
    for (uint32_t i = second; !broken; i = (i + 1) % topk_breaker_count) {
        broken = topk_breakers[i].spoil(choice, tc);
    }
}

bool topk_generate(struct topk_choice *choice, const struct topk_limits *limits,
                   struct topk_case *tc)
{
    topk_choice_part(choice, TOPK_PART_KIND);
    if (topk_choice_below(choice, 8) == 7) {
        topk_generate_invalid(choice, tc);
        return true;
    }
    return topk_generate_valid(choice, limits, tc);
}
