/* The table of the shrinker's steps, and the steps that make a description plainer or smaller. To
 * add a step, write a function that offers candidates, and a row in the table at the end.
 * Candidates that are not lighter by shrink_weight.c are dropped. */
#include <stdlib.h>
#include <string.h>

#include "reference/element.h"
#include "shrink_state.h"

/* Ways to lower a number towards `least`: `least` itself, then half of the distance, a quarter, ...
 * and finally one less. Returns their number, at most LOWER. */
#define LOWER 66

static unsigned lower(uint64_t number, uint64_t least, uint64_t numbers[LOWER])
{
    unsigned count = 0;
    if (number <= least) {
        return 0;
    }
    numbers[count++] = least;
    for (uint64_t step = (number - least) / 2; step > 0; step /= 2) {
        numbers[count++] = number - step;
    }
    return count;
}

/* ---- layout, one tensor or all --------------------------------------------------------------- */

enum part {
    PART_STRIDES = 1,
    PART_TOTAL = 2,
    PART_ALIGNMENT = 4,
    PART_OFFSET = 8,
    PART_FLAGS = 16,
    PART_SHAPE = 32, /* for an output: type, rank and sizes as the input requires */
    PARTS = 63
};

static void make_plain(struct topk_case *tc, enum topk_role role, unsigned parts)
{
    struct topk_tensor *tensor = &tc->op.tensors[role];
    struct topk_tensor before = *tensor;
    if (parts & PART_SHAPE && role != TOPK_INPUT) {
        struct topk_operator derived = tc->op;
        topk_operator_derive_outputs(&derived, TOPK_TYPE_U32);
        tensor->present = true;
        tensor->type = derived.tensors[role].type;
        tensor->rank = derived.tensors[role].rank;
        memcpy(tensor->sizes, derived.tensors[role].sizes, sizeof tensor->sizes);
        if (!before.present || before.rank != tensor->rank) {
            tensor->strided = false;
        }
    }
    if (parts & PART_STRIDES) {
        tensor->strided = false;
    }
    if (!tensor->strided) {
        memset(tensor->strides, 0, sizeof tensor->strides);
    }
    if (parts & PART_ALIGNMENT) {
        tensor->alignment = 0;
    }
    if (parts & PART_OFFSET) {
        tc->offset[role] = 0;
    }
    if (parts & PART_FLAGS) {
        tensor->flags = 0;
    }
    if (parts & PART_TOTAL || !before.present) {
        tensor->total_bytes = topk_tensor_least_bytes(tensor);
    } else {
        topk_shrink_follow_total(tensor, &before);
    }
}

/* resets everything at once except sizes, K, rank, operator, type and data */
static void propose_plain(struct topk_shrinker *shrinker)
{
    for (int keep_check = 0; keep_check < 2; keep_check++) {
        struct topk_case candidate = topk_shrink_copy(shrinker);
        candidate.check = keep_check ? candidate.check : TOPK_CHECK_NONE;
        candidate.padding = TOPK_PADDING_WIN;
        candidate.op.execution = 0;
        for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
            make_plain(&candidate, (enum topk_role)role, PARTS);
        }
        if (topk_shrink_offer(shrinker, &candidate)) {
            return;
        }
    }
}

static void propose_check(struct topk_shrinker *shrinker)
{
    const struct topk_case *current = shrinker->current;
    if (current->check != TOPK_CHECK_NONE) {
        struct topk_case candidate = topk_shrink_copy(shrinker);
        candidate.check = TOPK_CHECK_NONE;
        topk_shrink_offer(shrinker, &candidate);
    }
}

static void propose_layouts(struct topk_shrinker *shrinker)
{
    static const unsigned parts[] = {PARTS,          PART_STRIDES | PART_TOTAL,
                                     PART_STRIDES,   PART_TOTAL,
                                     PART_ALIGNMENT, PART_OFFSET,
                                     PART_FLAGS,     PART_SHAPE};
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
            struct topk_case candidate = topk_shrink_copy(shrinker);
            make_plain(&candidate, (enum topk_role)role, parts[i]);
            if (topk_shrink_offer(shrinker, &candidate)) {
                return;
            }
        }
    }
}

/* which 64-bit number of a tensor is lowered */
enum number {
    NUMBER_OFFSET,
    NUMBER_ALIGNMENT,
    NUMBER_TOTAL,
    NUMBER_STRIDE /* NUMBER_STRIDE + d is the stride of dimension d */
};

static uint64_t number_of(const struct topk_case *tc, enum topk_role role, unsigned number)
{
    const struct topk_tensor *tensor = &tc->op.tensors[role];
    uint64_t least = topk_tensor_least_bytes(tensor);
    switch (number) {
    case NUMBER_OFFSET:
        return tc->offset[role];
    case NUMBER_ALIGNMENT:
        return tensor->alignment;
    case NUMBER_TOTAL: /* the total's difference from the least size */
        return tensor->total_bytes > least ? tensor->total_bytes - least
                                           : least - tensor->total_bytes;
    default:
        return tensor->strides[number - NUMBER_STRIDE];
    }
}

static void set_number(struct topk_case *tc, enum topk_role role, unsigned number, uint64_t to)
{
    struct topk_tensor *tensor = &tc->op.tensors[role];
    struct topk_tensor before = *tensor;
    uint64_t least = topk_tensor_least_bytes(tensor);
    switch (number) {
    case NUMBER_OFFSET:
        tc->offset[role] = to;
        break;
    case NUMBER_ALIGNMENT:
        tensor->alignment = (uint32_t)to;
        break;
    case NUMBER_TOTAL:
        tensor->total_bytes = tensor->total_bytes > least ? least + to : least - to;
        break;
    default:
        tensor->strides[number - NUMBER_STRIDE] = (uint32_t)to;
        topk_shrink_follow_total(tensor, &before);
        break;
    }
}

/* Lowers numbers that cannot be removed. A stride does not become 0, which would change its
 * meaning; an alignment stays a power of two. */
static void propose_numbers(struct topk_shrinker *shrinker)
{
    const struct topk_case *current = shrinker->current;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const struct topk_tensor *tensor = &current->op.tensors[role];
        unsigned count = NUMBER_STRIDE + (tensor->strided ? tensor->rank : 0);
        for (unsigned number = 0; tensor->present && number < count; number++) {
            uint64_t numbers[2 * LOWER];
            uint64_t now = number_of(current, (enum topk_role)role, number);
            unsigned ways = lower(now, 1, numbers);
            for (uint64_t power = 1; power < now && power != 0; power *= 2) {
                numbers[ways++] = power;
            }
            for (unsigned i = 0; i < ways; i++) {
                struct topk_case candidate = topk_shrink_copy(shrinker);
                set_number(&candidate, (enum topk_role)role, number, numbers[i]);
                if (topk_shrink_offer(shrinker, &candidate)) {
                    return;
                }
            }
        }
    }
}

/* ---- operator, flags, level ------------------------------------------------------------------ */

/* offers a copy without any of the set bits of a word, then without one of them */
static bool offer_bits(struct topk_shrinker *shrinker, uint32_t bits,
                       void (*set)(struct topk_case *tc, int role, uint32_t bits), int role)
{
    for (uint32_t bit = 0; bit <= 32 && bits != 0; bit++) {
        uint32_t kept = bit == 0 ? 0 : bits & ~((uint32_t)1 << (bit - 1));
        if (kept == bits) {
            continue;
        }
        struct topk_case candidate = topk_shrink_copy(shrinker);
        set(&candidate, role, kept);
        if (topk_shrink_offer(shrinker, &candidate)) {
            return true;
        }
    }
    return false;
}

static void set_execution(struct topk_case *tc, int role, uint32_t bits)
{
    (void)role;
    tc->op.execution = bits;
}

static void set_flags(struct topk_case *tc, int role, uint32_t bits)
{
    tc->op.tensors[role].flags = bits;
}

static void propose_flags(struct topk_shrinker *shrinker)
{
    const struct topk_case *current = shrinker->current;
    if (offer_bits(shrinker, current->op.execution, set_execution, 0)) {
        return;
    }
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        if (offer_bits(shrinker, current->op.tensors[role].flags, set_flags, role)) {
            return;
        }
    }
    if (current->padding != TOPK_PADDING_WIN) {
        struct topk_case candidate = topk_shrink_copy(shrinker);
        candidate.padding = TOPK_PADDING_WIN;
        topk_shrink_offer(shrinker, &candidate);
    }
}

static void propose_operator(struct topk_shrinker *shrinker)
{
    const struct topk_case *current = shrinker->current;
    const struct topk_operator *op = &current->op;
    if (op->kind != TOPK_TOP_K1) {
        return;
    }
    for (int way = 0; way < 4; way++) {
        struct topk_case candidate = topk_shrink_copy(shrinker);
        if (way < 2) {
            candidate.op.kind = TOPK_TOP_K;
        }
        if (way % 2 == 0) {
            candidate.op.level = topk_operator_least_level(&candidate.op);
        }
        candidate.op.direction = way < 3 ? TOPK_DECREASING : TOPK_DECREASING + 1;
        if (topk_shrink_offer(shrinker, &candidate)) {
            return;
        }
    }
}

static void propose_level(struct topk_shrinker *shrinker)
{
    struct topk_case candidate = topk_shrink_copy(shrinker);
    candidate.op.level = topk_shrink_plain_level(&candidate.op);
    topk_shrink_offer(shrinker, &candidate);
}

/* ---- shape ----------------------------------------------------------------------------------- */

/* exchanges Axis and the last dimension */
static void move_axis(struct topk_case *tc)
{
    struct topk_operator *op = &tc->op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    uint32_t axis = op->axis;
    uint32_t last = input->rank - 1;
    if (tc->literal != NULL) {
        uint64_t *moved = tc->literal + tc->literal_count; /* the second half of the buffer */
        uint32_t at[TOPK_RANK_MAX] = {0};
        for (uint32_t i = 0; i < tc->literal_count; i++) {
            uint32_t place = 0;
            for (uint32_t d = 0; d < input->rank; d++) {
                uint32_t from = d == axis ? last : d == last ? axis : d;
                place = place * input->sizes[from] + at[from];
            }
            moved[place] = tc->literal[i];
            for (uint32_t d = input->rank; d-- > 0 && ++at[d] == input->sizes[d];) {
                at[d] = 0;
            }
        }
        memcpy(tc->literal, moved, tc->literal_count * sizeof *moved);
    }
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        struct topk_tensor *tensor = &op->tensors[role];
        if (last < tensor->rank) {
            uint32_t size = tensor->sizes[axis];
            uint32_t stride = tensor->strides[axis];
            tensor->sizes[axis] = tensor->sizes[last];
            tensor->strides[axis] = tensor->strides[last];
            tensor->sizes[last] = size;
            tensor->strides[last] = stride;
        }
    }
    op->axis = last;
}

static void propose_axis(struct topk_shrinker *shrinker)
{
    const struct topk_case *current = shrinker->current;
    const struct topk_operator *op = &current->op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    if (op->axis + 1 == input->rank) {
        return;
    }
    struct topk_case candidate = topk_shrink_copy(shrinker);
    if (op->axis < input->rank) {
        if (candidate.literal != NULL) {
            uint64_t *room =
                realloc(candidate.literal, 2 * (size_t)candidate.literal_count * sizeof *room);
            if (room == NULL) {
                topk_case_clear(&candidate);
                topk_shrink_no_memory(shrinker);
                return;
            }
            candidate.literal = room;
        }
        move_axis(&candidate);
    } else if (input->rank > 0) {
        candidate.op.axis = input->rank; /* the least axis that does not exist */
    }
    topk_shrink_offer(shrinker, &candidate);
}

/* removes a dimension from all tensors, if its size is 1 in all that have it */
static bool drop_dimension(struct topk_case *tc, uint32_t dimension)
{
    struct topk_operator *op = &tc->op;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        struct topk_tensor *tensor = &op->tensors[role];
        if (tensor->present &&
            (tensor->rank < 2 || dimension >= tensor->rank || tensor->sizes[dimension] != 1)) {
            return false;
        }
    }
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        struct topk_tensor *tensor = &op->tensors[role];
        if (tensor->present) {
            size_t rest = (tensor->rank - dimension - 1) * sizeof tensor->sizes[0];
            memmove(tensor->sizes + dimension, tensor->sizes + dimension + 1, rest);
            memmove(tensor->strides + dimension, tensor->strides + dimension + 1, rest);
            tensor->rank--;
            tensor->sizes[tensor->rank] = 0;
            tensor->strides[tensor->rank] = 0;
        }
    }
    op->axis -= op->axis > dimension;
    return true;
}

static void propose_rank(struct topk_shrinker *shrinker)
{
    const struct topk_case *current = shrinker->current;
    /* all such dimensions, then each alone */
    for (uint32_t d = 0; d <= current->op.tensors[TOPK_INPUT].rank; d++) {
        struct topk_case candidate = topk_shrink_copy(shrinker);
        for (uint32_t e = TOPK_RANK_MAX; e-- > 0;) {
            if ((d == 0 || e == d - 1) && e != candidate.op.axis) {
                drop_dimension(&candidate, e);
            }
        }
        if (topk_shrink_offer(shrinker, &candidate)) {
            return;
        }
    }
}

/* removes Axis if its size is 1, so that another dimension of size 1 becomes Axis: its strides may
 * matter */
static void propose_other_axis(struct topk_shrinker *shrinker)
{
    const struct topk_case *current = shrinker->current;
    const struct topk_tensor *input = &current->op.tensors[TOPK_INPUT];
    uint32_t axis = current->op.axis;
    for (uint32_t d = 0; axis < input->rank && d < input->rank; d++) {
        if (d == axis || input->sizes[d] != 1) {
            continue;
        }
        struct topk_case candidate = topk_shrink_copy(shrinker);
        candidate.op.axis = d;
        drop_dimension(&candidate, axis);
        if (topk_shrink_offer(shrinker, &candidate)) {
            return;
        }
    }
}

static void propose_k(struct topk_shrinker *shrinker)
{
    const struct topk_case *current = shrinker->current;
    uint64_t numbers[LOWER];
    unsigned ways = lower(current->op.k, 1, numbers);
    for (unsigned i = 0; i < ways; i++) {
        struct topk_case candidate = topk_shrink_copy(shrinker);
        topk_shrink_set_k(&candidate, (uint32_t)numbers[i]);
        if (topk_shrink_offer(shrinker, &candidate)) {
            return;
        }
    }
}

/* Offers a copy without some positions of a dimension. Along Axis: once with K as large as still
 * possible, once with K reduced by as many. */
static bool offer_removed(struct topk_shrinker *shrinker, const struct topk_case *current,
                          uint32_t dimension, struct topk_shrink_place place)
{
    const struct topk_operator *op = &current->op;
    uint32_t count = (uint32_t)place.chunk;
    uint32_t left = op->tensors[TOPK_INPUT].sizes[dimension] - count;
    bool fits = op->k <= op->tensors[TOPK_INPUT].sizes[dimension];
    uint32_t ks[2] = {fits && op->k > left ? left : op->k, op->k > count ? op->k - count : op->k};
    for (int way = 0; way < (dimension == op->axis ? 2 : 1); way++) {
        struct topk_case candidate = topk_shrink_copy(shrinker);
        topk_shrink_remove(&candidate, dimension, (uint32_t)place.at, count);
        if (dimension == op->axis) {
            topk_shrink_set_k(&candidate, ks[way]);
        }
        if (topk_shrink_offer_at(shrinker, &candidate, place)) {
            return true;
        }
    }
    return false;
}

/* Removes positions of one dimension: all but one end, then chunks of half of them, down to single
 * ones. Continues where it succeeded. */
static bool remove_along(struct topk_shrinker *shrinker, const struct topk_case *current,
                         uint32_t dimension, struct topk_shrink_place place)
{
    uint32_t size = current->op.tensors[TOPK_INPUT].sizes[dimension];
    bool anywhere_else = current->literal != NULL; /* without literal data only the count matters */
    if (size < 2) {
        return false;
    }
    if (place.chunk == 0 || place.chunk >= size) {
        place.chunk = size - 1;
        place.at = 0;
    }
    while (place.chunk > 0) {
        for (; place.at < size;
             place.at += place.at == 0 && place.chunk == size - 1 ? 1 : place.chunk) {
            struct topk_shrink_place here = place;
            if (here.at + here.chunk > size) {
                here.at = size - here.chunk;
            }
            if (!anywhere_else) {
                here.at = 0;
            }
            if (offer_removed(shrinker, current, dimension, here)) {
                return true;
            }
            if (!anywhere_else || here.at + here.chunk >= size) {
                break;
            }
        }
        place.chunk = place.chunk > size / 2 ? size / 2 : place.chunk / 2;
        place.at = 0;
    }
    return false;
}

/* first whole sequences, then elements within them */
static void propose_sizes(struct topk_shrinker *shrinker)
{
    const struct topk_case *current = shrinker->current;
    struct topk_shrink_place place = shrinker->place;
    const struct topk_operator *op = &current->op;
    uint32_t rank = op->tensors[TOPK_INPUT].rank;
    for (; place.dimension <= rank; place.dimension++, place.chunk = 0, place.at = 0) {
        /* Axis comes after the other dimensions */
        uint32_t dimension = place.dimension == rank ? op->axis : (uint32_t)place.dimension;
        bool turn = dimension < rank && (place.dimension == rank || dimension != op->axis);
        if (turn && remove_along(shrinker, current, dimension, place)) {
            return;
        }
    }
}

/* ---- descriptions that break clauses --------------------------------------------------------- */

/* repairs one violation of a clause; returns whether there was one */
static bool mend(struct topk_case *tc, int way)
{
    struct topk_operator *op = &tc->op;
    struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    bool any = false;
    switch (way) {
    case 0: /* a missing input: copy the value output */
        any = !input->present;
        if (any) {
            *input = op->tensors[TOPK_VALUE];
        }
        return any && input->present;
    case 1: /* no dimensions */
    case 2: /* sizes of 0 */
        for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
            struct topk_tensor *tensor = &op->tensors[role];
            struct topk_tensor before = *tensor;
            if (way == 1 && tensor->present && tensor->rank == 0) {
                tensor->rank = 1;
                tensor->sizes[0] = 0;
            }
            for (uint32_t d = 0; d < tensor->rank; d++) {
                any |= tensor->sizes[d] == 0;
                tensor->sizes[d] += tensor->sizes[d] == 0;
            }
            topk_shrink_follow_total(tensor, &before);
        }
        return any;
    case 3:
        any = op->k == 0;
        topk_shrink_set_k(tc, 1);
        return any;
    case 4:
        any = op->axis < input->rank && op->k > input->sizes[op->axis];
        if (any) {
            topk_shrink_set_k(tc, input->sizes[op->axis]);
        }
        return any;
    default:
        any = op->axis >= input->rank && input->rank > 0;
        op->axis = any ? input->rank - 1 : op->axis;
        return any;
    }
}
#define MENDS 6

static void propose_mended(struct topk_shrinker *shrinker)
{
    /* alone; with outputs as the input then requires; and with K reduced to fit */
    for (int way = 0; way < 3 * MENDS; way++) {
        struct topk_case candidate = topk_shrink_copy(shrinker);
        if (!mend(&candidate, way / 3)) {
            topk_case_clear(&candidate);
            continue;
        }
        if (way % 3 == 2) {
            mend(&candidate, 4);
        }
        for (int role = TOPK_VALUE; way % 3 > 0 && role <= TOPK_INDEX; role++) {
            if (candidate.op.tensors[role].present) {
                make_plain(&candidate, (enum topk_role)role, PARTS);
            }
        }
        if (topk_shrink_offer(shrinker, &candidate)) {
            return;
        }
    }
}

/* reduces output sizes that differ from what the input requires */
static void propose_outputs(struct topk_shrinker *shrinker)
{
    const struct topk_case *current = shrinker->current;
    for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
        const struct topk_tensor *tensor = &current->op.tensors[role];
        for (uint32_t d = 0; tensor->present && d < tensor->rank; d++) {
            uint64_t numbers[LOWER];
            unsigned ways = lower(tensor->sizes[d], 1, numbers);
            for (unsigned i = 0; i < ways; i++) {
                struct topk_case candidate = topk_shrink_copy(shrinker);
                candidate.op.tensors[role].sizes[d] = (uint32_t)numbers[i];
                topk_shrink_follow_total(&candidate.op.tensors[role], tensor);
                if (topk_shrink_offer(shrinker, &candidate)) {
                    return;
                }
            }
        }
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

const struct topk_shrink_step topk_shrink_steps[] = {
    {"plain", propose_plain},
    {"mending", propose_mended},
    {"sizes", propose_sizes},
    {"K", propose_k},
    {"data", topk_shrink_propose_data},
    {"seeds", topk_shrink_propose_seeds},
    {"literal", topk_shrink_propose_literal},
    {"rank", propose_rank},
    {"rank", propose_other_axis},
    {"relation", propose_check},
    {"layout", propose_layouts},
    {"flags", propose_flags},
    {"operator", propose_operator},
    {"axis", propose_axis},
    {"level", propose_level},
    {"numbers", propose_numbers},
    {"outputs", propose_outputs},
    {"type", topk_shrink_propose_type},
    {"ranks", topk_shrink_propose_ranks},
    {"values", topk_shrink_propose_values},
    {"bits", topk_shrink_propose_bits},
    {NULL, NULL},
};
