/* Determines and prepares second calls. */
#include "relation.h"

#include <stdlib.h>
#include <string.h>

#include "case/case.h"
#include "reference/element.h"
#include "relation_data.h"

/* least number of runs of SOAK after the first, and greatest size of the buffers that all runs may
 * fill */
#define SOAK_RUNS_LEAST 3u
#define SOAK_BYTES      ((uint64_t)100 << 20)
/* greatest size of the buffers of CONCURRENT's calls */
#define CONCURRENT_BYTES ((uint64_t)256 << 20)
/* how much a second call may need beyond twice the first */
#define EXTRA_BYTES ((uint64_t)1 << 20)

/* a second call, as a change of a copy of the first call's case */
struct draft {
    struct topk_case tc;
    enum topk_poison poison;
    uint32_t number; /* of the second call */
};

/* ---- changes --------------------------------------------------------------------------------- */

static void pack(struct topk_tensor *tensor)
{
    tensor->strided = false;
    tensor->total_bytes = topk_tensor_least_bytes(tensor);
}

static void vary_repeat(struct draft *draft)
{
    draft->poison = draft->number == 0 ? TOPK_POISON_ONES : TOPK_POISON_ZEROS;
}

static void vary_twin(struct draft *draft)
{
    struct topk_operator *op = &draft->tc.op;
    op->kind = op->kind == TOPK_TOP_K ? TOPK_TOP_K1 : TOPK_TOP_K;
}

static void vary_prefix(struct draft *draft)
{
    struct topk_operator *op = &draft->tc.op;
    op->k--;
    for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
        op->tensors[role].sizes[op->axis] = op->k;
    }
}

/* one sequence alone: all sizes are 1 except that of Axis; everything is packed */
static void vary_row(struct draft *draft)
{
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        struct topk_tensor *tensor = &draft->tc.op.tensors[role];
        for (uint32_t d = 0; d < tensor->rank; d++) {
            tensor->sizes[d] = d == draft->tc.op.axis ? tensor->sizes[d] : 1;
        }
        pack(tensor);
    }
}

static void vary_flags(struct draft *draft)
{
    draft->tc.op.execution ^= TOPK_EXECUTION_NO_METACOMMAND | TOPK_EXECUTION_VOLATILE;
}

static void vary_padding(struct draft *draft)
{
    draft->tc.padding = (enum topk_padding)((draft->tc.padding + 1) % TOPK_PADDING_COUNT);
}

static void vary_offset(struct draft *draft)
{
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        struct topk_tensor *tensor = &draft->tc.op.tensors[role];
        uint64_t *offset = &draft->tc.offset[role];
        tensor->alignment = tensor->alignment < 256 ? 256 : tensor->alignment;
        *offset = (*offset / tensor->alignment + 1) * tensor->alignment;
    }
}

static void vary_layout(struct draft *draft)
{
    static const enum topk_layout layouts[TOPK_CHECK_CALLS_LAYOUT][TOPK_ROLE_COUNT] = {
        {TOPK_LAYOUT_PACKED, TOPK_LAYOUT_PACKED, TOPK_LAYOUT_PACKED},
        {TOPK_LAYOUT_SCATTERED, TOPK_LAYOUT_PADDED_ALL, TOPK_LAYOUT_REVERSED},
        {TOPK_LAYOUT_ROTATED, TOPK_LAYOUT_INTERLEAVED, TOPK_LAYOUT_PADDED_ROW}};
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        topk_layout_apply(layouts[draft->number][role], &draft->tc.op.tensors[role]);
    }
}

/* which dimension of the first call becomes dimension d of AXES call `number`: call 0 rotates by
 * one, call 1 reverses */
static uint32_t axis_from(uint32_t number, uint32_t d, uint32_t rank)
{
    return number == 0 ? (d + 1) % rank : rank - 1 - d;
}

/* one call uses the same memory with dimensions in another order; the other one is packed */
static void vary_axes(struct draft *draft)
{
    struct topk_operator *op = &draft->tc.op;
    uint32_t rank = op->tensors[TOPK_INPUT].rank;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        struct topk_tensor *tensor = &op->tensors[role];
        struct topk_tensor from = *tensor;
        uint64_t strides[TOPK_RANK_MAX];
        topk_tensor_strides(&from, strides);
        tensor->strided = true;
        for (uint32_t d = 0; d < rank; d++) {
            tensor->sizes[d] = from.sizes[axis_from(draft->number, d, rank)];
            tensor->strides[d] = (uint32_t)strides[axis_from(draft->number, d, rank)];
        }
        if (draft->number == 1) {
            pack(tensor);
        }
    }
    uint32_t axis = op->axis;
    for (uint32_t d = 0; d < rank; d++) {
        op->axis = axis_from(draft->number, d, rank) == axis ? d : op->axis;
    }
}

/* elements that share memory cannot be permuted */
static void vary_permute(struct draft *draft)
{
    struct topk_tensor *input = &draft->tc.op.tensors[TOPK_INPUT];
    if (topk_tensor_overlaps(input)) {
        pack(input);
    }
}

static void vary_dual(struct draft *draft)
{
    struct topk_operator *op = &draft->tc.op;
    op->direction = topk_operator_increasing(op) ? TOPK_DECREASING : TOPK_INCREASING;
    op->kind = TOPK_TOP_K1;
}

static void vary_widen(struct draft *draft)
{
    for (int role = TOPK_INPUT; role <= TOPK_VALUE; role++) {
        struct topk_tensor *tensor = &draft->tc.op.tensors[role];
        tensor->type = topk_type_wider(tensor->type);
        tensor->total_bytes = topk_tensor_least_bytes(tensor);
        uint32_t bytes = topk_type_bytes(tensor->type);
        if (tensor->alignment != 0 && tensor->alignment < bytes) {
            tensor->alignment = bytes;
        }
    }
}

/* whether a call exceeds the limits of a case: strides and alignments can multiply its size */
static bool too_large(const struct topk_case *tc, const struct topk_case *of)
{
    return topk_call_bytes(tc) > 2 * topk_call_bytes(of) + EXTRA_BYTES;
}

/* ---- calls that disturb
 * ---------------------------------------------------------------------------- */

#define DECOYS 3

/* repacks the tensors of a call after its input has changed */
static void rebuild(struct topk_case *tc)
{
    struct topk_tensor *input = &tc->op.tensors[TOPK_INPUT];
    input->flags = 0;
    input->alignment = 0;
    pack(input);
    memset(tc->offset, 0, sizeof tc->offset);
    topk_operator_derive_outputs(&tc->op, tc->op.tensors[TOPK_INDEX].type);
}

/* Another call, which must not affect the one under test: the same description with other data;
 * another type; a larger shape. If that would be too large, it is the first kind. */
static void vary_decoy(struct draft *draft, uint32_t kind)
{
    struct topk_case other = draft->tc;
    struct topk_tensor *input = &other.op.tensors[TOPK_INPUT];
    uint32_t *length = &input->sizes[other.op.axis];
    other.literal = NULL;
    other.recipe = topk_recipe_find("uniform", strlen("uniform"), 1);
    other.parameters[0] = 1000003;
    struct topk_case same = other;
    if (kind % DECOYS == 1) {
        input->type = input->type == TOPK_TYPE_F32 ? TOPK_TYPE_F16 : TOPK_TYPE_F32;
        rebuild(&other);
    } else if (kind % DECOYS == 2) {
        *length = *length / 2 * 3 + 7;
        other.op.k += other.op.k / 2 + 1;
        rebuild(&other);
    }
    draft->tc = too_large(&other, &draft->tc) ? same : other;
}

/* first a call that may leave state behind, then the call again */
static void vary_after(struct draft *draft, uint32_t round)
{
    if (round == 0) {
        vary_decoy(draft, draft->number + 1);
    } else {
        draft->poison = TOPK_POISON_ONES;
    }
}

static void vary_concurrent(struct draft *draft)
{
    if (draft->number % 2 == 1) {
        vary_decoy(draft, draft->number / 2);
    }
}

static enum topk_poison soak_poison(uint32_t round)
{
    static const enum topk_poison poisons[] = {TOPK_POISON_ONES, TOPK_POISON_ZEROS,
                                               TOPK_POISON_RANDOM};
    return poisons[round % 3];
}

/* ---- the table ------------------------------------------------------------------------------- */

_Static_assert(TOPK_CHECK_CALLS_CONCURRENT <= TOPK_CHECK_CALLS_ROW, "there is room for a round");

/* how second calls are derived from the first */
static const struct {
    bool alone; /* they run separately, in rounds */
    /* the input's elements are copied one by one instead of made by the recipe, which depends on K,
     * the direction, the type and the order of sequences */
    bool carried;
    void (*vary)(struct draft *draft); /* NULL: no change, or see topk_relation_prepare() */
} rows[TOPK_CHECK_COUNT] = {
    [TOPK_CHECK_REPEAT] = {false, false, vary_repeat},
    [TOPK_CHECK_TWIN] = {false, false, vary_twin},
    [TOPK_CHECK_PREFIX] = {false, true, vary_prefix},
    [TOPK_CHECK_ROW] = {false, true, vary_row},
    [TOPK_CHECK_FLAGS] = {false, false, vary_flags},
    [TOPK_CHECK_PADDING] = {false, false, vary_padding},
    [TOPK_CHECK_OFFSET] = {false, false, vary_offset},
    [TOPK_CHECK_LAYOUT] = {false, true, vary_layout},
    [TOPK_CHECK_AXES] = {false, true, vary_axes},
    [TOPK_CHECK_PERMUTE] = {false, true, vary_permute},
    [TOPK_CHECK_DUAL] = {false, true, vary_dual},
    [TOPK_CHECK_MONOTONE] = {false, true, NULL},
    [TOPK_CHECK_WIDEN] = {false, true, vary_widen},
    [TOPK_CHECK_AFTER] = {true, false, NULL},
    [TOPK_CHECK_CONCURRENT] = {true, false, vary_concurrent},
    [TOPK_CHECK_SOAK] = {true, false, NULL},
};

bool topk_relation_alone(enum topk_check check)
{
    return rows[check].alone;
}

bool topk_relation_compared(enum topk_check check, uint32_t round, uint32_t number)
{
    return check == TOPK_CHECK_AFTER ? round == 1
                                     : check != TOPK_CHECK_CONCURRENT || number % 2 == 0;
}

/* how many things of `each` bytes fit into `all` bytes, within limits */
static uint32_t share(uint64_t all, uint64_t each, uint32_t least, uint32_t most)
{
    uint64_t count = all / (each + 1);
    return count < least ? least : count > most ? most : (uint32_t)count;
}

/* the number of second calls in a round; 0 after the last round */
static uint32_t count_of(const struct topk_call *first, uint32_t round)
{
    uint64_t bytes = topk_call_bytes(&first->tc);
    uint64_t sequences = topk_operator_sequences(&first->tc.op);
    switch (first->tc.check) {
    case TOPK_CHECK_ROW:
        return round > 0                           ? 0
               : sequences < TOPK_SECOND_CALLS_MAX ? (uint32_t)sequences
                                                   : TOPK_SECOND_CALLS_MAX;
    case TOPK_CHECK_AFTER:
        return round == 0 ? TOPK_CHECK_CALLS_AFTER - 1 : round == 1;
    case TOPK_CHECK_CONCURRENT:
        return round == 0 ? share(CONCURRENT_BYTES, bytes, 3, TOPK_CHECK_CALLS_CONCURRENT) : 0;
    case TOPK_CHECK_SOAK:
        return round < share(SOAK_BYTES, bytes, SOAK_RUNS_LEAST, TOPK_CHECK_CALLS_SOAK);
    default:
        return round == 0 ? topk_check_row(first->tc.check)->calls : 0;
    }
}

/* ---- data ------------------------------------------------------------------------------------ */

void topk_relation_at(const struct topk_case *of, uint32_t number, const uint32_t at[TOPK_RANK_MAX],
                      uint32_t to[TOPK_RANK_MAX])
{
    uint32_t rank = of->op.tensors[TOPK_INPUT].rank;
    for (uint32_t d = 0; d < rank; d++) {
        bool kept = of->check != TOPK_CHECK_ROW || d == of->op.axis;
        to[d] = of->check == TOPK_CHECK_AXES ? at[axis_from(number, d, rank)] : kept ? at[d] : 0;
    }
}

/* sorts all values, for MONOTONE; false if memory is short */
static bool make_spread(struct topk_spread *spread, const struct topk_call *first)
{
    const struct topk_operator *op = &first->tc.op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    uint64_t *bits = malloc((size_t)topk_tensor_elements(input) * sizeof *bits);
    if (bits == NULL) {
        return false;
    }
    uint64_t count = 0;
    uint64_t sequences = topk_operator_sequences(op);
    for (uint64_t s = 0; s < sequences; s++) {
        uint32_t at[TOPK_RANK_MAX] = {0};
        topk_operator_sequence_at(op, s, at);
        for (uint32_t i = 0; i < input->sizes[op->axis]; i++) {
            at[op->axis] = i;
            bits[count] = topk_call_input(first, at);
            count += !topk_element_nan(input->type, bits[count]);
        }
    }
    topk_spread_make(spread, input->type, bits, count);
    return true;
}

static uint64_t map_bits(const struct topk_call *first, const struct topk_spread *spread,
                         uint64_t bits)
{
    uint32_t type = first->tc.op.tensors[TOPK_INPUT].type;
    switch (first->tc.check) {
    case TOPK_CHECK_DUAL:
        return topk_data_dual(type, bits);
    case TOPK_CHECK_MONOTONE:
        return topk_element_nan(type, bits) ? bits : topk_spread_map(spread, bits);
    case TOPK_CHECK_WIDEN:
        return topk_data_widen(type, bits);
    default:
        return bits;
    }
}

static void carry_sequence(struct topk_call *second, const struct topk_call *first, uint32_t number,
                           uint64_t sequence, const struct topk_spread *spread)
{
    const struct topk_operator *op = &first->tc.op;
    const struct topk_operator *second_op = &second->tc.op;
    const uint32_t length = op->tensors[TOPK_INPUT].sizes[op->axis];
    const uint32_t from_bytes = topk_type_bytes(op->tensors[TOPK_INPUT].type);
    const uint32_t to_bytes = topk_type_bytes(second_op->tensors[TOPK_INPUT].type);
    const bool permute = first->tc.check == TOPK_CHECK_PERMUTE;
    struct topk_permutation permutation = {1, 1, 0};
    if (permute) {
        permutation = topk_data_permutation(length, sequence);
    }
    uint32_t at[TOPK_RANK_MAX] = {0};
    uint32_t to[TOPK_RANK_MAX] = {0};
    topk_operator_sequence_at(op, sequence, at);
    topk_relation_at(&first->tc, number, at, to);
    const unsigned char *source = first->given[TOPK_INPUT] + topk_call_place(first, TOPK_INPUT, at);
    unsigned char *target = second->given[TOPK_INPUT] + topk_call_place(second, TOPK_INPUT, to);
    const uint64_t from_step = first->strides[TOPK_INPUT][op->axis];
    const uint64_t to_step = second->strides[TOPK_INPUT][second_op->axis];
    for (uint32_t i = 0; i < length; i++) {
        const uint64_t bits = topk_element_load(source + i * from_step, from_bytes);
        const uint32_t place = permute ? topk_data_place(&permutation, i) : i;
        topk_element_store(target + place * to_step, to_bytes, map_bits(first, spread, bits));
    }
}

/* copies the elements of the first call's input; false if memory is short */
static bool carry(struct topk_call *second, const struct topk_call *first, uint32_t number)
{
    struct topk_spread spread = {0};
    bool row = first->tc.check == TOPK_CHECK_ROW;
    if (first->tc.check == TOPK_CHECK_MONOTONE && !make_spread(&spread, first)) {
        return false;
    }
    uint64_t sequences = topk_operator_sequences(&first->tc.op);
    for (uint64_t s = row ? number : 0; s < (row ? (uint64_t)number + 1 : sequences); s++) {
        carry_sequence(second, first, number, s, &spread);
    }
    topk_spread_free(&spread);
    return true;
}

/* ---- preparing ------------------------------------------------------------------------------- */

int topk_relation_prepare(struct topk_call *second, const struct topk_call *first, uint32_t round,
                          uint32_t number)
{
    enum topk_check check = first->tc.check;
    if (!topk_check_applies(&first->tc) || number >= count_of(first, round)) {
        return 0;
    }
    if (check == TOPK_CHECK_SOAK && round > 0) {
        return topk_call_reset(second, soak_poison(round)) ? 1 : -1;
    }
    struct draft draft = {first->tc, TOPK_POISON_RANDOM, number};
    if (check == TOPK_CHECK_AFTER) {
        vary_after(&draft, round);
    } else if (rows[check].vary != NULL) {
        rows[check].vary(&draft);
    }
    if (check == TOPK_CHECK_SOAK) {
        draft.poison = soak_poison(round);
    }
    if (too_large(&draft.tc, &first->tc)) {
        return 0;
    }
    if (rows[check].carried) {
        draft.tc.recipe = NULL;
        draft.tc.literal = NULL;
    }
    if (!topk_call_prepare(second, &draft.tc, draft.poison)) {
        return -1;
    }
    return !rows[check].carried || carry(second, first, number) ? 1 : -1;
}
