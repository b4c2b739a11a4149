/* Decides which of two cases is lighter, as shrink.h defines it. */
#include <stdlib.h>
#include <string.h>

#include "case/case.h"
#include "reference/element.h"
#include "shrink_state.h"

/* ---- data ------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    uint64_t first;
    bool seeded; /* the last parameter is a seed, of which SEEDS are tried */
} plain_recipes[] = {
    {"sorted", 0, false}, {"sorted", 1, false},  {"walk", 0, false},      {"organ", 0, false},
    {"few", 2, true},     {"few", 3, true},      {"boundary", 0, true},   {"inside", 0, true},
    {"shuffle", 0, true}, {"zeros", 0, true},    {"infinities", 0, true}, {"denormals", 0, true},
    {"nan", 1, true},     {"extremes", 0, true}, {"hidden", 0, true},     {"hidden", 1, true},
    {"hidden", 2, true},  {"hidden", 3, true},   {"uniform", 0, true},
};
#define SEEDS 4u
_Static_assert(TOPK_SHRINK_PLAIN_RECIPES ==
                   SEEDS * (sizeof plain_recipes / sizeof plain_recipes[0]),
               "the header says how many");

void topk_shrink_set_recipe(struct topk_case *tc, size_t number)
{
    free(tc->literal);
    tc->literal = NULL;
    tc->literal_count = 0;
    tc->out = 0;
    memset(tc->parameters, 0, sizeof tc->parameters);
    const char *name = plain_recipes[number / SEEDS].name;
    tc->recipe = topk_recipe_find(name, strlen(name), 1);
    tc->parameters[0] = plain_recipes[number / SEEDS].first;
    if (plain_recipes[number / SEEDS].seeded) {
        tc->parameters[tc->recipe->parameters - 1] = number % SEEDS;
    }
}

static unsigned ones(uint64_t bits)
{
    unsigned count = 0;
    for (; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

/* small whole numbers, then special values, then values with few bits */
uint64_t topk_shrink_value_weight(uint32_t type, uint64_t bits)
{
    for (int number = 0; number < 64; number++) {
        if (bits == topk_value_whole(type, number)) {
            return (uint64_t)number;
        }
        if (bits == topk_value_whole(type, -number)) {
            return 100 + (uint64_t)number;
        }
    }
    if (topk_element_zero(type, bits)) {
        return 200;
    }
    if (topk_element_inf(type, bits)) {
        return 201 + (bits == topk_element_least(type));
    }
    if (topk_element_nan(type, bits)) {
        /* how far it exceeds the bits of infinity */
        uint64_t more = bits & ~topk_element_greatest(type);
        return 210 + ones(more);
    }
    if (topk_element_denormal(type, bits)) {
        return 300 + ones(bits);
    }
    return 400 + ones(bits);
}

uint32_t topk_shrink_type_plainness(uint32_t type)
{
    static const uint32_t order[] = {TOPK_TYPE_F32, TOPK_TYPE_I32, TOPK_TYPE_U32, TOPK_TYPE_F16,
                                     TOPK_TYPE_I16, TOPK_TYPE_U16, TOPK_TYPE_I8,  TOPK_TYPE_U8,
                                     TOPK_TYPE_I64, TOPK_TYPE_U64, TOPK_TYPE_F64};
    uint32_t place = 0;
    while (place < sizeof order / sizeof order[0] && order[place] != type) {
        place++;
    }
    return place;
}

/* How plain data is; less is plainer. Within a class, weight decides. */
struct plainness {
    uint64_t class;
    uint64_t weight;
};

static struct plainness data_plainness(const struct topk_case *tc)
{
    uint32_t type = tc->op.tensors[TOPK_INPUT].type;
    struct plainness plainness = {0, 0};
    if (tc->literal != NULL) {
        plainness.class = tc->literal_count <= TOPK_SHRINK_LITERAL ? 1 : 3;
        for (uint32_t i = 0; i < tc->literal_count; i++) {
            /* long data is weighed by its zeros only, which is fast */
            plainness.weight += plainness.class == 1
                                    ? topk_shrink_value_weight(type, tc->literal[i])
                                    : tc->literal[i] != 0;
        }
    } else if (tc->recipe == NULL && tc->out != 0) {
        plainness = (struct plainness){5, tc->out};
    } else if (tc->recipe != NULL) {
        plainness.class = 4;
        for (uint32_t i = 0; i < tc->recipe->parameters; i++) {
            uint64_t parameter = tc->parameters[i];
            parameter = parameter > UINT32_MAX ? UINT32_MAX : parameter;
            plainness.weight += parameter;
        }
        for (size_t i = 0; i < TOPK_SHRINK_PLAIN_RECIPES; i++) {
            struct topk_case plain = {0};
            topk_shrink_set_recipe(&plain, i);
            if (tc->recipe == plain.recipe &&
                memcmp(tc->parameters, plain.parameters, sizeof plain.parameters) == 0) {
                plainness = (struct plainness){2, i};
                break;
            }
        }
    }
    return plainness;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* the plainest level: the lowest that accepts the call */
uint32_t topk_shrink_plain_level(const struct topk_operator *op)
{
    uint32_t least = topk_operator_least_level(op);
    return least == 0 ? TOPK_LEVEL_5_0 : least;
}

/* counts the unusual properties of an output, except its layout */
static void weigh_output(const struct topk_operator *op, enum topk_role role, unsigned *odd)
{
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    const struct topk_tensor *output = &op->tensors[role];
    if (role == TOPK_INDEX) {
        *odd += output->type == TOPK_TYPE_U32 ? 0 : output->type == TOPK_TYPE_U64 ? 1 : 2;
    } else {
        *odd += output->type != input->type;
    }
    *odd += output->rank != input->rank;
    for (uint32_t i = 0; i < output->rank && i < input->rank; i++) {
        *odd += output->sizes[i] != (i == op->axis ? op->k : input->sizes[i]);
    }
}

/* counts the unusual properties of a tensor, and adds up the numbers in them */
static void weigh_tensor(const struct topk_case *tc, enum topk_role role, unsigned *odd,
                         uint64_t *numbers)
{
    const struct topk_tensor *tensor = &tc->op.tensors[role];
    if (!tensor->present) {
        ++*odd;
        return;
    }
    uint64_t least = topk_tensor_least_bytes(tensor);
    uint64_t total = tensor->total_bytes;
    *odd += (unsigned)(tc->offset[role] != 0) + (tensor->alignment != 0) + (total != least) +
            tensor->strided + ones(tensor->flags);
    *numbers = add(*numbers, tc->offset[role]);
    *numbers = add(*numbers, tensor->alignment);
    *numbers = add(*numbers, total > least ? total - least : least - total);
    for (uint32_t i = 0; tensor->strided && i < tensor->rank; i++) {
        *numbers = add(*numbers, tensor->strides[i]);
    }
    if (role != TOPK_INPUT) {
        weigh_output(&tc->op, role, odd);
    }
}

struct topk_shrink_weight topk_shrink_weigh(const struct topk_case *tc)
{
    const struct topk_operator *op = &tc->op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    uint64_t sizes = 0;
    uint64_t ranks = 0;
    uint64_t numbers = add(op->direction, op->axis);
    unsigned odd = (unsigned)(tc->check != TOPK_CHECK_NONE) + (tc->padding != TOPK_PADDING_WIN) +
                   ones(op->execution) + (op->level != topk_shrink_plain_level(op)) +
                   (op->axis + 1 != input->rank) + (op->axis >= input->rank);
    if (op->kind == TOPK_TOP_K1) {
        odd += 1u + (op->direction != TOPK_DECREASING) + (op->direction > TOPK_DECREASING);
    }
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const struct topk_tensor *tensor = &op->tensors[role];
        for (uint32_t i = 0; tensor->present && i < tensor->rank; i++) {
            sizes += tensor->sizes[i];
        }
        ranks += tensor->rank;
        weigh_tensor(tc, (enum topk_role)role, &odd, &numbers);
    }
    struct plainness data = data_plainness(tc);
    struct topk_validity validity;
    uint64_t broken = 0;
    topk_operator_validate(op, op->level, &validity);
    for (int clause = 0; clause < TOPK_CLAUSE_COUNT; clause++) {
        broken += topk_clause_set_has(&validity.broken, (enum topk_clause)clause);
    }
    return (struct topk_shrink_weight){
        {tc->before_count, broken, topk_tensor_elements(input), sizes, op->k, ranks, odd, numbers,
         topk_shrink_type_plainness(input->type), data.class, data.weight}};
}

bool topk_shrink_lighter(const struct topk_shrink_weight *a, const struct topk_shrink_weight *b)
{
    for (int i = 0; i < TOPK_SHRINK_WEIGHTS; i++) {
        if (a->of[i] != b->of[i]) {
            return a->of[i] < b->of[i];
        }
    }
    return false;
}
