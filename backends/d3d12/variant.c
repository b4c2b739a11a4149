/* The variants of the kernels: what a device must have for one, and which calls it serves. */
#include "variant.h"

#include <inttypes.h>
#include <stdio.h>

/* A raw view need not reach further: 2^27 dwords. */
#define MAX_TENSOR_BYTES (UINT64_C(1) << 29)
/* Elements are counted in 32 bits. */
#define MAX_ELEMENTS (UINT64_C(1) << 31)
/* Comparisons that rank counting may take, so that no device hangs. */
#define MAX_COMPARISONS (UINT64_C(1) << 35)
/* Sequences shorter than what a variant is good at, which it still serves. */
#define MAX_SHORT_SEQUENCES 1024u
/* Up to here one element is compared with all others faster than a group sorts. */
#define RANK_LENGTH 512u

static const struct variant {
    const char *name;
    unsigned model;
    bool waves;
    bool native_16;
    bool integers_64;
    uint32_t shortest;
    uint32_t longest;
    bool quadratic;
    const char *summary;
} variants[TOPK_VARIANTS] = {
#define TOPK_VARIANT(variant, model, waves, native_16, integers_64, shortest, longest, quadratic,  \
                     summary)                                                                      \
    {#variant, model, waves, native_16, integers_64, shortest, longest, quadratic, summary},
#include "shaders.def"
};

const char *topk_variant_name(uint32_t variant)
{
    return variant < TOPK_VARIANTS ? variants[variant].name : NULL;
}

const char *topk_variant_summary(uint32_t variant)
{
    return variant < TOPK_VARIANTS ? variants[variant].summary : NULL;
}

bool topk_variant_offered(const struct topk_gpu *gpu, enum topk_variant variant, char *reason,
                          size_t reason_bytes)
{
    const struct variant *wanted = &variants[variant];
    const unsigned model = (unsigned)gpu->shader_model;
    const char *lacks = NULL;
    if (wanted->waves && !gpu->waves) {
        lacks = "wave operations";
    } else if (wanted->native_16 && !gpu->native_16) {
        lacks = "native 16-bit types";
    } else if (wanted->integers_64 && !gpu->integers_64) {
        lacks = "64-bit integers";
    }
    if (model >= wanted->model && lacks == NULL) {
        return true;
    }
    (void)snprintf(reason, reason_bytes,
                   "variant %s needs shader model %u.%u%s%s; the device has %s", wanted->name,
                   wanted->model >> 4, wanted->model & 15, lacks == NULL ? "" : " and ",
                   lacks == NULL ? "" : lacks, gpu->features);
    return false;
}

enum topk_variant topk_variant_choose(const struct topk_cpu_plan *plan)
{
    if (plan->length <= RANK_LENGTH) {
        return TOPK_VARIANT_rank;
    }
    return plan->length <= variants[TOPK_VARIANT_bitonic].longest ? TOPK_VARIANT_bitonic
                                                                  : TOPK_VARIANT_radix;
}

const struct topk_shader *topk_variant_shader(enum topk_variant variant, uint32_t width)
{
    for (size_t i = 0; i < topk_shader_count; i++) {
        if (topk_shaders[i].variant == (uint32_t)variant && topk_shaders[i].width == width) {
            return &topk_shaders[i];
        }
    }
    return NULL;
}

uint64_t topk_variant_sequences(const struct topk_cpu_plan *plan)
{
    uint64_t sequences = 1;
    for (uint32_t i = 0; i < plan->rank; i++) {
        sequences *= i == plan->axis ? 1 : plan->tensors[TOPK_CPU_INPUT].sizes[i];
    }
    return sequences;
}

/* So that no device hangs, and for counting in 32 bits. */
static bool takes_too_long(const struct variant *variant, uint64_t sequences, uint32_t length)
{
    const uint64_t elements = sequences * length;
    return elements > MAX_ELEMENTS || (variant->quadratic && elements > MAX_COMPARISONS / length) ||
           (length < variant->shortest && sequences > MAX_SHORT_SEQUENCES);
}

bool topk_variant_serves(enum topk_variant variant, const struct topk_cpu_plan *plan, char *reason,
                         size_t reason_bytes)
{
    static const char *const names[] = {"the input", "the values", "the indices"};
    const struct variant *wanted = &variants[variant];
    const uint32_t width = plan->tensors[TOPK_CPU_INPUT].width;
    if (topk_variant_shader(variant, width) == NULL) {
        (void)snprintf(reason, reason_bytes,
                       "variant %s does not serve elements of %" PRIu32 " bytes", wanted->name,
                       width);
        return false;
    }
    if (plan->length > wanted->longest) {
        (void)snprintf(reason, reason_bytes,
                       "variant %s serves sequences of up to %" PRIu32 " elements", wanted->name,
                       wanted->longest);
        return false;
    }
    for (int role = 0; role < TOPK_GPU_ROLES; role++) {
        if (plan->tensors[role].least_bytes > MAX_TENSOR_BYTES) {
            (void)snprintf(reason, reason_bytes,
                           "%s are %" PRIu64 " bytes, and a raw view need not hold more than 2^29",
                           names[role], plan->tensors[role].least_bytes);
            return false;
        }
    }
    const uint64_t sequences = topk_variant_sequences(plan);
    if (takes_too_long(wanted, sequences, plan->length)) {
        (void)snprintf(reason, reason_bytes,
                       "variant %s would take too long for %" PRIu64 " sequences of %" PRIu32
                       " elements",
                       wanted->name, sequences, plan->length);
        return false;
    }
    return true;
}

uint64_t topk_variant_steps(enum topk_variant variant, const struct topk_cpu_plan *plan)
{
    const uint64_t sequences = topk_variant_sequences(plan);
    const uint64_t length = plan->length;
    if (variants[variant].quadratic) {
        return sequences * length * length;
    }
    if (variant == TOPK_VARIANT_radix) {
        /* a count for each thread and digit, and every element, for each digit */
        return sequences * (length + 4096) * plan->tensors[TOPK_CPU_INPUT].width * 2;
    }
    uint64_t stages = 0;
    for (uint64_t size = 1; size < length; size *= 2) {
        stages++;
    }
    return sequences * (length + stages * (stages + 1) / 2 * length);
}
