/* The variants of the kernels: what a device needs for each, and which calls it supports. */
#include "variant.h"

#include <inttypes.h>
#include <stdio.h>

/* Raw views are only guaranteed to reach this far: 2^27 dwords. */
#define MAX_TENSOR_BYTES (UINT64_C(1) << 29)
/* Up to this length, comparing each element with all others is faster than sorting. */
#define RANK_LENGTH 512u

const struct topk_kernel_variant topk_d3d12_variants[TOPK_VARIANTS] = {
#define TOPK_VARIANT(variant, model, waves, native_16, integers_64, least, most, square, text)     \
    {.name = #variant,                                                                             \
     .summary = (text),                                                                            \
     .shortest = (least),                                                                          \
     .longest = (most),                                                                            \
     .quadratic = (square)},
#include "shaders.def"
};

/* What a device needs for each variant. */
static const struct {
    unsigned model;
    bool waves;
    bool native_16;
    bool integers_64;
} needs[TOPK_VARIANTS] = {
#define TOPK_VARIANT(variant, model, waves, native_16, integers_64, ...)                           \
    {model, waves, native_16, integers_64},
#include "shaders.def"
};

bool topk_d3d12_variant_offered(const struct topk_gpu *gpu, uint32_t variant, char *reason,
                                size_t reason_bytes)
{
    const unsigned model = needs[variant].model;
    const char *lacks = NULL;
    if (needs[variant].waves && !gpu->waves) {
        lacks = "wave operations";
    } else if (needs[variant].native_16 && !gpu->native_16) {
        lacks = "native 16-bit types";
    } else if (needs[variant].integers_64 && !gpu->integers_64) {
        lacks = "64-bit integers";
    }
    if ((unsigned)gpu->shader_model >= model && lacks == NULL) {
        return true;
    }
    snprintf(reason, reason_bytes, "variant %s needs shader model %u.%u%s%s; the device has %s",
             topk_d3d12_variants[variant].name, model >> 4, model & 15,
             lacks == NULL ? "" : " and ", lacks == NULL ? "" : lacks, gpu->features);
    return false;
}

static uint32_t best_for(const struct topk_cpu_plan *plan)
{
    if (plan->length <= RANK_LENGTH) {
        return TOPK_VARIANT_rank;
    }
    return plan->length <= topk_d3d12_variants[TOPK_VARIANT_bitonic].longest ? TOPK_VARIANT_bitonic
                                                                             : TOPK_VARIANT_radix;
}

static const struct topk_shader *find_shader(uint32_t variant, uint32_t width)
{
    for (size_t i = 0; i < topk_shader_count; i++) {
        if (topk_shaders[i].variant == variant && topk_shaders[i].width == width) {
            return &topk_shaders[i];
        }
    }
    return NULL;
}

static bool is_too_large(const struct topk_cpu_plan *plan, char *reason, size_t reason_bytes)
{
    static const char *const names[] = {"the input", "the values", "the indices"};
    for (int role = 0; role < TOPK_KERNEL_ROLES; role++) {
        if (plan->tensors[role].least_bytes > MAX_TENSOR_BYTES) {
            snprintf(reason, reason_bytes,
                     "%s are %" PRIu64 " bytes, and a raw view need not hold more than 2^29",
                     names[role], plan->tensors[role].least_bytes);
            return true;
        }
    }
    return false;
}

const struct topk_shader *topk_d3d12_variant_choose(const struct topk_gpu *gpu, uint32_t *variant,
                                                    const struct topk_cpu_plan *plan, char *reason,
                                                    size_t reason_bytes)
{
    if (*variant == TOPK_KERNEL_AUTO) {
        *variant = best_for(plan);
    }
    const struct topk_kernel_variant *row = &topk_d3d12_variants[*variant];
    const struct topk_shader *shader = find_shader(*variant, plan->tensors[TOPK_CPU_INPUT].width);
    if (!topk_d3d12_variant_offered(gpu, *variant, reason, reason_bytes) ||
        !topk_kernel_serves(row, shader, plan, reason, reason_bytes) ||
        is_too_large(plan, reason, reason_bytes) ||
        topk_kernel_takes_too_long(row, plan, plan->length, 1, reason, reason_bytes)) {
        return NULL;
    }
    return shader;
}

uint64_t topk_d3d12_variant_steps(uint32_t variant, const struct topk_cpu_plan *plan)
{
    const uint64_t sequences = topk_kernel_sequences(plan);
    const uint64_t length = plan->length;
    if (topk_d3d12_variants[variant].quadratic) {
        return sequences * length * length;
    }
    if (variant == TOPK_VARIANT_radix) {
        /* for each digit: a count for each thread and digit, and every element */
        return sequences * (length + 4096) * plan->tensors[TOPK_CPU_INPUT].width * 2;
    }
    return topk_kernel_network_steps(sequences * length, length);
}
