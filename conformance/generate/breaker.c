/* The breakers. They accept what an earlier breaker left: a size may be 0, Axis out of range. */
#include "breaker.h"

#include <string.h>

#include "build.h"

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/* ---- steps ----------------------------------------------------------------------------------- */

/* one of the values of an array */
#define PICK(choice, array) ((array)[topk_choice_below(choice, COUNT(array))])

static void retotal(struct topk_tensor *tensor)
{
    tensor->total_bytes = topk_tensor_least_bytes(tensor);
}

/* sets the rank; added dimensions have size 1 */
static void rerank(struct topk_tensor *tensor, uint32_t rank)
{
    for (uint32_t d = tensor->rank; d < rank; d++) {
        tensor->sizes[d] = 1;
        tensor->strides[d] = 1;
    }
    tensor->rank = rank;
    retotal(tensor);
}

static void set_k(struct topk_case *tc, uint32_t k)
{
    tc->op.k = k;
    for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
        struct topk_tensor *output = &tc->op.tensors[role];
        if (tc->op.axis < output->rank) {
            output->sizes[tc->op.axis] = k;
            retotal(output);
        }
    }
}

static bool has_elements(const struct topk_tensor *tensor)
{
    return topk_tensor_elements(tensor) != 0;
}

/* makes the strides explicit, so that one can be changed */
static void spell_strides(struct topk_tensor *tensor)
{
    if (!tensor->strided) {
        topk_layout_apply(TOPK_LAYOUT_EXPLICIT, tensor);
    }
}

static struct topk_tensor *pick_tensor(struct topk_choice *choice, struct topk_case *tc)
{
    return &tc->op.tensors[topk_choice_below(choice, TOPK_ROLE_COUNT)];
}

/* ---- levels: features of a higher level ------------------------------------------------------ */

static bool operator_level(struct topk_choice *choice, struct topk_case *tc)
{
    static const uint32_t below[] = {TOPK_LEVEL_2_0, 0x1000, 0x1f00};
    bool old = tc->op.kind == TOPK_TOP_K;
    tc->op.level = below[old ? 1 + topk_choice_below(choice, 2) : topk_choice_below(choice, 3)];
    return true;
}

static bool lower(struct topk_choice *choice, struct topk_case *tc, uint32_t since)
{
    uint32_t count = 0;
    while (count < TOPK_LEVEL_COUNT && topk_levels[count] < since) {
        count++;
    }
    if (count == 0) {
        return false;
    }
    uint32_t level = topk_levels[count - 1 - topk_choice_below(choice, count)];
    if (level >= tc->op.level) {
        return false; /* another breaker chose a lower level */
    }
    tc->op.level = level;
    return true;
}

static bool type_level(struct topk_choice *choice, struct topk_case *tc)
{
    uint32_t type = tc->op.tensors[TOPK_INPUT].type;
    bool first = type == TOPK_TYPE_F32 || type == TOPK_TYPE_F16;
    return lower(choice, tc,
                 first                       ? 0
                 : topk_type_bytes(type) > 4 ? TOPK_LEVEL_5_0
                                             : TOPK_LEVEL_2_1);
}

static bool index_level(struct topk_choice *choice, struct topk_case *tc)
{
    return lower(choice, tc, tc->op.tensors[TOPK_INDEX].type == TOPK_TYPE_U64 ? TOPK_LEVEL_5_0 : 0);
}

static bool rank_level(struct topk_choice *choice, struct topk_case *tc)
{
    return lower(choice, tc, tc->op.tensors[TOPK_INPUT].rank != 4 ? TOPK_LEVEL_3_1 : 0);
}

/* ---- dimensions ------------------------------------------------------------------------------ */

static bool rank(struct topk_choice *choice, struct topk_case *tc)
{
    static const uint32_t ranks[] = {TOPK_RANK_VALID + 1, TOPK_RANK_MAX, 0};
    uint32_t wanted = PICK(choice, ranks);
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        rerank(&tc->op.tensors[role], wanted);
    }
    return true;
}

/* one dimension more or fewer, in some of the tensors */
static bool ranks_differ(struct topk_choice *choice, struct topk_case *tc)
{
    uint32_t roles = 1 + topk_choice_below(choice, 6);
    uint32_t usual = tc->op.tensors[TOPK_INPUT].rank;
    bool less = topk_choice_below(choice, 2) != 0;
    if (less ? usual < 2 : usual >= TOPK_RANK_MAX) {
        return false;
    }
    for (uint32_t role = 0; role < TOPK_ROLE_COUNT; role++) {
        if (roles >> role & 1) {
            rerank(&tc->op.tensors[role], less ? usual - 1 : usual + 1);
        } else {
            rerank(&tc->op.tensors[role], usual);
        }
    }
    return true;
}

static bool axis(struct topk_choice *choice, struct topk_case *tc)
{
    uint32_t usual = tc->op.tensors[TOPK_INPUT].rank;
    const uint32_t values[] = {usual,       usual + 1,   TOPK_RANK_VALID, TOPK_RANK_MAX,
                               0x7fffffffu, 0x80000000u, UINT32_MAX};
    uint32_t wanted = PICK(choice, values);
    tc->op.axis = wanted < usual ? usual : wanted;
    return true;
}

/* ---- K and sizes ----------------------------------------------------------------------------- */

static bool k_zero(struct topk_choice *choice, struct topk_case *tc)
{
    if (topk_choice_below(choice, 2) == 0) {
        tc->op.k = 0; /* the outputs keep their sizes */
    } else {
        set_k(tc, 0);
    }
    return true;
}

static bool k_above(struct topk_choice *choice, struct topk_case *tc)
{
    const struct topk_tensor *input = &tc->op.tensors[TOPK_INPUT];
    if (tc->op.k == 0 || tc->op.axis >= input->rank) {
        return false;
    }
    uint32_t size = input->sizes[tc->op.axis];
    const uint32_t values[] = {size + 1,     size + 2,    size + 0x100, size + 0x10000,
                               2 * size + 1, 0x80000000u, UINT32_MAX};
    uint32_t k = PICK(choice, values);
    if (topk_choice_below(choice, 2) == 0) {
        set_k(tc, k);
    } else {
        tc->op.k = k; /* the outputs have the sizes of a clamped K */
    }
    return true;
}

static bool size_zero(struct topk_choice *choice, struct topk_case *tc)
{
    uint32_t dimension = topk_choice_below(choice, TOPK_RANK_VALID);
    uint32_t roles = 7 - topk_choice_below(choice, 7); /* all of them first */
    bool any = false;
    for (uint32_t role = 0; role < TOPK_ROLE_COUNT; role++) {
        any |= (roles >> role & 1) != 0 && dimension < tc->op.tensors[role].rank;
    }
    for (uint32_t role = 0; any && role < TOPK_ROLE_COUNT; role++) {
        struct topk_tensor *tensor = &tc->op.tensors[role];
        if (roles >> role & 1 && dimension < tensor->rank) {
            tensor->sizes[dimension] = 0;
            retotal(tensor);
        }
    }
    return any;
}

/* one size of one output or of both */
static bool output_size(struct topk_choice *choice, struct topk_case *tc)
{
    const struct topk_operator *op = &tc->op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    uint32_t dimension = topk_choice_below(choice, TOPK_RANK_VALID);
    uint32_t roles = 1 + topk_choice_below(choice, 3);
    uint32_t how = topk_choice_below(choice, 4);
    if (dimension >= input->rank) {
        return false;
    }
    uint32_t wanted = dimension == op->axis ? op->k : input->sizes[dimension];
    const uint32_t values[] = {wanted + 1, wanted > 1 ? wanted - 1 : wanted + 2,
                               dimension == op->axis ? input->sizes[dimension] : op->k,
                               wanted + 0x100};
    for (uint32_t r = 0; r < 2; r++) {
        struct topk_tensor *output = &tc->op.tensors[TOPK_VALUE + r];
        if (roles >> r & 1 &&
            (dimension >= output->rank || output->rank != input->rank || values[how] == wanted)) {
            return false;
        }
    }
    for (uint32_t r = 0; r < 2; r++) {
        struct topk_tensor *output = &tc->op.tensors[TOPK_VALUE + r];
        if (roles >> r & 1) {
            output->sizes[dimension] = values[how];
            retotal(output);
        }
    }
    return true;
}

/* 2^32 elements and more, from two sizes, in the input alone or in all tensors with these sizes */
static bool elements(struct topk_choice *choice, struct topk_case *tc)
{
    static const uint32_t sizes[][2] = {{65536, 65536},
                                        {0x80000000u, 2},
                                        {2, 0x80000000u},
                                        {65537, 65536},
                                        {UINT32_MAX, UINT32_MAX}};
    struct topk_operator *op = &tc->op;
    const uint32_t *pair = sizes[topk_choice_below(choice, COUNT(sizes))];
    uint32_t rank_of_input = op->tensors[TOPK_INPUT].rank;
    bool flat = topk_choice_below(choice, 2) != 0;
    if (rank_of_input < 2 || op->axis >= rank_of_input) {
        return false;
    }
    uint32_t first = op->axis == 0 ? 1 : 0;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        struct topk_tensor *tensor = &op->tensors[role];
        if (tensor->rank != rank_of_input || !has_elements(tensor)) {
            return false;
        }
    }
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        struct topk_tensor *tensor = &op->tensors[role];
        tensor->sizes[first] = pair[0];
        if (rank_of_input == 2) {
            /* if the other size is that of Axis, outputs have K there */
            tensor->sizes[op->axis] = role == TOPK_INPUT ? pair[1] : op->k;
        } else {
            uint32_t second = first + 1 == op->axis ? first + 2 : first + 1;
            tensor->sizes[second] = pair[1];
        }
        tensor->strided = flat && role == TOPK_INPUT;
        memset(tensor->strides, 0, sizeof tensor->strides);
        retotal(tensor);
    }
    return true;
}

/* ---- types ----------------------------------------------------------------------------------- */

static const uint32_t foreign_types[] = {
    TOPK_TYPE_F64, TOPK_TYPE_UNKNOWN, TOPK_TYPE_U4, TOPK_TYPE_I4, 14, UINT32_MAX};

static uint32_t any_type(struct topk_choice *choice)
{
    uint32_t number = topk_choice_below(choice, TOPK_TYPE_COUNT + COUNT(foreign_types));
    return number < TOPK_TYPE_COUNT ? topk_types[number] : foreign_types[number - TOPK_TYPE_COUNT];
}

/* sets a type; keeps the bytes or increases them, so that only the type is wrong */
static void retype(struct topk_tensor *tensor, uint32_t type)
{
    tensor->type = type;
    uint64_t least = topk_tensor_least_bytes(tensor);
    tensor->total_bytes = tensor->total_bytes < least ? least : tensor->total_bytes;
}

static bool element_type(struct topk_choice *choice, struct topk_case *tc)
{
    uint32_t type = PICK(choice, foreign_types);
    retype(&tc->op.tensors[TOPK_INPUT], type);
    retype(&tc->op.tensors[TOPK_VALUE], type);
    return true;
}

static bool value_type(struct topk_choice *choice, struct topk_case *tc)
{
    uint32_t type = any_type(choice);
    if (type == tc->op.tensors[TOPK_INPUT].type) {
        return false;
    }
    retype(&tc->op.tensors[TOPK_VALUE], type);
    return true;
}

static bool index_type(struct topk_choice *choice, struct topk_case *tc)
{
    uint32_t type = any_type(choice);
    if (type == TOPK_TYPE_U32 || type == TOPK_TYPE_U64) {
        return false;
    }
    retype(&tc->op.tensors[TOPK_INDEX], type);
    return true;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* strides that are negative numbers in two's complement */
static bool stride(struct topk_choice *choice, struct topk_case *tc)
{
    struct topk_tensor *tensor = pick_tensor(choice, tc);
    uint32_t dimension = topk_choice_below(choice, TOPK_RANK_VALID);
    uint64_t total = tensor->total_bytes;
    if (dimension >= tensor->rank || !has_elements(tensor) || tensor->sizes[dimension] < 2 ||
        topk_type_bytes(tensor->type) == 0) {
        return false;
    }
    struct topk_tensor spelled = *tensor;
    spell_strides(&spelled);
    uint32_t forward = spelled.strides[dimension] == 0 ? 1 : spelled.strides[dimension];
    if (forward > 0x7fffffffu) {
        return false;
    }
    spelled.strides[dimension] = -forward;
    *tensor = spelled;
    uint64_t least = topk_tensor_least_bytes(tensor);
    tensor->total_bytes = total < least ? total : least - 1;
    return true;
}

/* slightly too small, or as common mistakes compute it */
static bool total(struct topk_choice *choice, struct topk_case *tc)
{
    struct topk_tensor *tensor = pick_tensor(choice, tc);
    uint32_t how = topk_choice_below(choice, 9);
    uint64_t least = topk_tensor_least_bytes(tensor);
    uint32_t bytes = topk_type_bytes(tensor->type);
    if (bytes == 0 || !has_elements(tensor) || least == UINT64_MAX) {
        return false;
    }
    struct topk_tensor packed = *tensor;
    packed.strided = false;
    uint64_t last = least;
    for (uint32_t d = 0; d < tensor->rank; d++) {
        uint64_t extent = (uint64_t)tensor->sizes[d] * bytes;
        last = tensor->sizes[d] > 1 && extent < last ? extent : last;
    }
    const uint64_t values[] = {
        least - 1,
        least - 2,
        least - 3,
        least - 4,
        0,
        topk_tensor_least_bytes(&packed),                   /* ignores padding */
        topk_tensor_elements(tensor) * bytes,               /* is not rounded up */
        topk_tensor_elements(tensor) * (bytes > 4 ? 4 : 1), /* assumes a narrower type */
        last,                                               /* counts only one dimension */
    };
    if (values[how] >= least) {
        return false;
    }
    tensor->total_bytes = values[how];
    return true;
}

/* a least size beyond 2^32 whose low 32 bits are the total */
static bool total_wraps(struct topk_choice *choice, struct topk_case *tc)
{
    static const uint32_t strides[] = {0x40000000u, 0x80000000u, 0x20000000u};
    struct topk_tensor *tensor = pick_tensor(choice, tc);
    uint32_t dimension = topk_choice_below(choice, TOPK_RANK_VALID);
    uint32_t wide = PICK(choice, strides);
    if (dimension >= tensor->rank || !has_elements(tensor) || tensor->sizes[dimension] < 2 ||
        topk_type_bytes(tensor->type) == 0) {
        return false;
    }
    struct topk_tensor spread = *tensor;
    spell_strides(&spread);
    spread.strides[dimension] = wide;
    uint64_t least = topk_tensor_least_bytes(&spread);
    if (least <= UINT32_MAX || least == UINT64_MAX) {
        return false;
    }
    *tensor = spread;
    tensor->total_bytes = least & UINT32_MAX;
    return true;
}

static bool alignment(struct topk_choice *choice, struct topk_case *tc)
{
    struct topk_tensor *tensor = pick_tensor(choice, tc);
    uint32_t bytes = topk_type_bytes(tensor->type);
    const uint32_t values[] = {3, bytes / 2, 15, 17, 24, 255, 257, 65537, 0x80000001u, UINT32_MAX};
    uint32_t wanted = PICK(choice, values);
    if (wanted == 0 || !has_elements(tensor)) {
        return false;
    }
    tensor->alignment = wanted;
    return true;
}

static bool tensor_flags(struct topk_choice *choice, struct topk_case *tc)
{
    static const uint32_t flags[] = {1, 2, 3, 4, 0x80000000u};
    enum topk_role role = (enum topk_role)topk_choice_below(choice, TOPK_ROLE_COUNT);
    uint32_t wanted = PICK(choice, flags);
    if (role == TOPK_INPUT && wanted == TOPK_TENSOR_FLAG_OWNED) {
        return false;
    }
    tc->op.tensors[role].flags = wanted;
    return true;
}

static bool missing(struct topk_choice *choice, struct topk_case *tc)
{
    uint32_t roles = 1 + topk_choice_below(choice, 7);
    for (uint32_t role = 0; role < TOPK_ROLE_COUNT; role++) {
        if (roles >> role & 1) {
            memset(&tc->op.tensors[role], 0, sizeof tc->op.tensors[role]);
            tc->offset[role] = 0;
        }
    }
    return true;
}

const struct topk_breaker topk_breakers[] = {
    {"operator-level", TOPK_CLAUSE_V14, operator_level},
    {"type-level", TOPK_CLAUSE_V09, type_level},
    {"index-level", TOPK_CLAUSE_V07, index_level},
    {"rank-level", TOPK_CLAUSE_V08, rank_level},
    {"rank", TOPK_CLAUSE_T02, rank},
    {"ranks-differ", TOPK_CLAUSE_V05, ranks_differ},
    {"axis", TOPK_CLAUSE_V01, axis},
    {"k-zero", TOPK_CLAUSE_V02, k_zero},
    {"k-above", TOPK_CLAUSE_V03b, k_above},
    {"size-zero", TOPK_CLAUSE_T01, size_zero},
    {"elements", TOPK_CLAUSE_T09, elements},
    {"output-size", TOPK_CLAUSE_V04, output_size},
    {"element-type", TOPK_CLAUSE_V09, element_type},
    {"value-type", TOPK_CLAUSE_V06, value_type},
    {"index-type", TOPK_CLAUSE_V07, index_type},
    {"stride", TOPK_CLAUSE_T12, stride},
    {"total-wraps", TOPK_CLAUSE_T08, total_wraps},
    {"total", TOPK_CLAUSE_T08, total},
    {"alignment", TOPK_CLAUSE_T10, alignment},
    {"tensor-flags", TOPK_CLAUSE_T11, tensor_flags},
    {"missing", TOPK_CLAUSE_V11, missing},
};
const uint32_t topk_breaker_count = COUNT(topk_breakers);
