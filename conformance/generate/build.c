/* Builds cases. */
#include "build.h"

#include <assert.h>
#include <string.h>

#include "case/case.h"

void topk_build(struct topk_case *tc, enum topk_mode mode, uint32_t type, uint32_t rank,
                const uint32_t sizes[], uint32_t axis, uint32_t k)
{
    memset(tc, 0, sizeof *tc);
    struct topk_operator *op = &tc->op;
    struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    op->kind = mode == TOPK_MODE_TOP_K ? TOPK_TOP_K : TOPK_TOP_K1;
    op->level = 0; /* topk_emit sets it */
    op->axis = axis;
    op->k = k;
    op->direction = mode == TOPK_MODE_SMALLEST ? TOPK_INCREASING : TOPK_DECREASING;
    input->present = true;
    input->type = type;
    input->rank = rank;
    memcpy(input->sizes, sizes, rank * sizeof sizes[0]);
    input->total_bytes = topk_tensor_least_bytes(input);
    topk_operator_derive_outputs(op, TOPK_TYPE_U32);
}

void topk_build_row(struct topk_case *tc, enum topk_mode mode, uint32_t type, uint32_t length,
                    uint32_t k)
{
    const uint32_t sizes[] = {1, 1, 1, length};
    topk_build(tc, mode, type, 4, sizes, 3, k);
}

void topk_build_data(struct topk_case *tc, const char *recipe, uint64_t first, uint64_t second)
{
    tc->recipe = topk_recipe_find(recipe, strlen(recipe), 1);
    assert(tc->recipe != NULL);
    tc->parameters[0] = first;
    tc->parameters[1] = second;
}

void topk_build_wide_index(struct topk_case *tc)
{
    struct topk_tensor *index = &tc->op.tensors[TOPK_INDEX];
    index->type = TOPK_TYPE_U64;
    index->total_bytes = topk_tensor_least_bytes(index);
}

/* the lowest level that accepts it, so that every level has cases; 5.0 if none does */
static uint32_t settle_level(const struct topk_case *tc)
{
    uint32_t least = topk_check_level(tc);
    return least == 0 ? TOPK_LEVEL_5_0 : least;
}

void topk_emit(struct topk_sink *sink, struct topk_case *tc)
{
    if (tc->op.level == 0) {
        tc->op.level = settle_level(tc);
    }
    if (!sink->stopped && !sink->take(sink->context, tc)) {
        sink->stopped = true;
    }
}

uint64_t topk_mix(uint64_t a, uint64_t b, uint64_t c)
{
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, a * 1000003 + b, c);
    return topk_pcg_next(&pcg) % 1000000;
}
