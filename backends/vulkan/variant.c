/* The variants of the kernels: what a device needs for each, and which calls it supports. */
#include "variant.h"

#include <inttypes.h>
#include <stdio.h>

/* Offsets are 32-bit numbers. */
#define MAX_TENSOR_BYTES (UINT64_C(1) << 32)
/* The cost of a dispatch and its barrier in steps, even if it does almost nothing; and what a
 * workgroup does for a digit besides visiting its elements: counting and adding up. */
#define STEPS_OF_PASS  4096u
#define STEPS_OF_DIGIT 8192u
/* Up to this length, comparing each element with all others is faster than sorting. */
#define RANK_LENGTH 512u
/* Up to this fraction of a sequence, finding the selected elements before sorting is faster. */
#define SELECT_SHARE 4u
/* From this length on, several workgroups share a sequence, if there are at most so many
 * sequences. */
#define SPLIT_LENGTH    32768u
#define SPLIT_SEQUENCES 16u

/* ---- The device ----------------------------------------------------------------------------- */

/* What the device lacks for the shader, or NULL. */
static const char *lacks(const struct topk_vulkan *vulkan, const struct topk_shader *shader)
{
    const struct topk_vulkan_features *has = &vulkan->features;
    const struct {
        uint32_t need;
        bool met;
        const char *what;
    } needs[] = {
        {TOPK_NEEDS_FLOAT16, has->float16, "16-bit floats"},
        {TOPK_NEEDS_INT8, has->int8, "8-bit integers"},
        {TOPK_NEEDS_INT16, has->int16, "16-bit integers"},
        {TOPK_NEEDS_INT64, has->int64, "64-bit integers"},
        {TOPK_NEEDS_STORAGE8, has->storage_8, "8-bit storage"},
        {TOPK_NEEDS_STORAGE16, has->storage_16, "16-bit storage"},
        {TOPK_NEEDS_SUBGROUPS, has->subgroup_basic && has->subgroup_ballot && has->subgroup_shuffle,
         "subgroup operations: ballot, shuffle"},
        {TOPK_NEEDS_ADDRESS, has->device_address, "buffer device addresses"},
    };
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        if ((shader->needs & needs[i].need) != 0 && !needs[i].met) {
            return needs[i].what;
        }
    }
    return NULL;
}

bool topk_vulkan_variant_offered(const struct topk_vulkan *vulkan, uint32_t variant, char *reason,
                                 size_t reason_bytes)
{
    const char *lacking = "a shader";
    for (size_t i = 0; i < topk_vulkan_shader_count; i++) {
        if (topk_vulkan_shaders[i].variant == variant) {
            lacking = lacks(vulkan, &topk_vulkan_shaders[i]);
            if (lacking == NULL) {
                return true;
            }
        }
    }
    snprintf(reason, reason_bytes, "variant %s needs %s; %s has %s",
             topk_vulkan_variants[variant].name, lacking, vulkan->name, vulkan->has);
    return false;
}

uint32_t topk_vulkan_variant_group(const struct topk_vulkan *vulkan,
                                   const struct topk_shader *shader)
{
    const struct topk_vulkan_features *has = &vulkan->features;
    const uint32_t size = vulkan->options.subgroup;
    uint32_t group = shader->group;
    if ((shader->needs & TOPK_NEEDS_SUBGROUPS) != 0 && size != 0) {
        /* a group then consists of full subgroups, of which there is a greatest number */
        const uint32_t most = has->subgroup_groups * size;
        return group < size ? size : group < most ? group : most;
    }
    const enum topk_schedule schedule = topk_vulkan_schedules[shader->variant];
    const bool waits = schedule == TOPK_SCHEDULE_CHUNKS || schedule == TOPK_SCHEDULE_DIGITS;
    /* Sorting by digits needs many barriers, and a processor, whose subgroups are narrow, is slow
     * to switch between them. SwiftShader gets 8 subgroups of 4, lavapipe 16 of 8, a GPU what it
     * prefers. */
    while (waits && group > 4 && group > 2 * has->subgroup_size * has->subgroup_size) {
        group /= 2;
    }
    return group;
}

/* ---- Calls ---------------------------------------------------------------------------------- */

static const struct topk_shader *find_shader(uint32_t variant, uint32_t width)
{
    for (size_t i = 0; i < topk_vulkan_shader_count; i++) {
        if (topk_vulkan_shaders[i].variant == variant && topk_vulkan_shaders[i].width == width) {
            return &topk_vulkan_shaders[i];
        }
    }
    return NULL;
}

/* Number of parts in which a call is dispatched, because push constants have no room for all of its
 * dimensions. */
static uint64_t count_parts(const struct topk_shader *shader, const struct topk_cpu_plan *plan)
{
    const uint32_t *sizes = plan->tensors[TOPK_CPU_INPUT].sizes;
    uint64_t parts = (shader->needs & TOPK_NEEDS_PUSH) != 0 ? topk_kernel_sequences(plan) : 1;
    uint32_t pushed = UINT32_C(1) << plan->axis;
    for (uint32_t i = 0; parts > 1 && i < TOPK_SHADER_PUSH_DIMENSIONS; i++) {
        uint32_t largest = plan->axis;
        for (uint32_t j = 0; j < plan->rank; j++) {
            if ((pushed >> j & 1) == 0 && (largest == plan->axis || sizes[j] > sizes[largest])) {
                largest = j;
            }
        }
        parts /= largest == plan->axis ? 1 : sizes[largest];
        pushed |= UINT32_C(1) << largest;
    }
    return parts;
}

/* Whether a call exceeds what descriptors or addresses can reach. */
static bool is_too_large(const struct topk_vulkan *vulkan, const struct topk_shader *shader,
                         const struct topk_cpu_plan *plan, char *reason, size_t reason_bytes)
{
    static const char *const names[] = {"the input is", "the values are", "the indices are",
                                        "the scratch memory is"};
    const uint32_t group = topk_vulkan_variant_group(vulkan, shader);
    const bool addressed = (shader->needs & TOPK_NEEDS_ADDRESS) != 0;
    const uint64_t range = addressed ? MAX_TENSOR_BYTES - 4 : vulkan->limits.maxStorageBufferRange;
    /* a range can start up to one alignment of descriptors before the tensor, and ends with a dword
     */
    const uint64_t slack = vulkan->limits.minStorageBufferOffsetAlignment + 4;
    for (int i = 0; i <= TOPK_KERNEL_ROLES; i++) {
        const uint64_t bytes = i < TOPK_KERNEL_ROLES
                                   ? plan->tensors[i].least_bytes
                                   : topk_schedule_scratch(shader, group, plan->length, 1);
        if (bytes + slack > range || bytes + slack > MAX_TENSOR_BYTES - 4) {
            snprintf(reason, reason_bytes, "%s %" PRIu64 " bytes, and %s %" PRIu64, names[i], bytes,
                     addressed ? "offsets reach" : "the device's maxStorageBufferRange is", range);
            return true;
        }
    }
    return false;
}

/* The variant's shader, if it supports the plan. */
static const struct topk_shader *serve(const struct topk_vulkan *vulkan, uint32_t variant,
                                       const struct topk_cpu_plan *plan, char *reason,
                                       size_t reason_bytes)
{
    const struct topk_kernel_variant *row = &topk_vulkan_variants[variant];
    const uint32_t width = plan->tensors[TOPK_CPU_INPUT].width;
    const struct topk_shader *shader = find_shader(variant, width);
    if (!topk_kernel_serves(row, shader, plan, reason, reason_bytes)) {
        return NULL;
    }
    const char *lacking = lacks(vulkan, shader);
    if (lacking != NULL) {
        snprintf(reason, reason_bytes, "variant %s needs %s for elements of %" PRIu32 " bytes",
                 row->name, lacking, width);
        return NULL;
    }
    if (topk_kernel_takes_too_long(row, plan, shader->chunk, count_parts(shader, plan), reason,
                                   reason_bytes)) {
        return NULL;
    }
    if ((shader->needs & TOPK_NEEDS_FLOATS) != 0 && !plan->is_float) {
        snprintf(reason, reason_bytes, "variant %s serves floats only", row->name);
        return NULL;
    }
    return is_too_large(vulkan, shader, plan, reason, reason_bytes) ? NULL : shader;
}

/* Whether the variant sorts whole sequences, without merging. */
static bool takes_whole(uint32_t variant, const struct topk_cpu_plan *plan)
{
    const struct topk_shader *shader = find_shader(variant, plan->tensors[TOPK_CPU_INPUT].width);
    return shader != NULL && plan->length <= shader->chunk;
}

const struct topk_shader *topk_vulkan_variant_choose(const struct topk_vulkan *vulkan,
                                                     uint32_t *variant,
                                                     const struct topk_cpu_plan *plan, char *reason,
                                                     size_t reason_bytes)
{
    uint32_t wanted[3];
    uint32_t count = 0;
    if (*variant != TOPK_KERNEL_AUTO) {
        wanted[count++] = *variant;
    } else if (plan->length <= RANK_LENGTH) {
        wanted[count++] = TOPK_VARIANT_native;
        wanted[count++] = TOPK_VARIANT_subgroup;
        wanted[count++] = TOPK_VARIANT_rank;
    } else if (takes_whole(TOPK_VARIANT_bitonic, plan)) {
        wanted[count++] = TOPK_VARIANT_int64;
        wanted[count++] = TOPK_VARIANT_bitonic;
    } else {
        if (plan->k <= plan->length / SELECT_SHARE) {
            wanted[count++] = TOPK_VARIANT_select;
        }
        if (plan->length >= SPLIT_LENGTH && topk_kernel_sequences(plan) <= SPLIT_SEQUENCES) {
            wanted[count++] = TOPK_VARIANT_split;
        }
        wanted[count++] = TOPK_VARIANT_radix;
    }
    const struct topk_shader *shader = NULL;
    for (uint32_t i = 0; i < count && shader == NULL; i++) {
        *variant = wanted[i];
        shader = serve(vulkan, wanted[i], plan, reason, reason_bytes);
    }
    return shader;
}

/* Approximate number of elements or counts that the threads visit to sort chunks. */
static uint64_t sorting_steps(const struct topk_shader *shader, uint32_t group,
                              const struct topk_cpu_plan *plan)
{
    const struct topk_kernel_variant *row = &topk_vulkan_variants[shader->variant];
    const uint64_t elements = topk_kernel_sequences(plan) * plan->length;
    const uint64_t chunks =
        topk_kernel_sequences(plan) * topk_schedule_chunks(shader, group, plan->length);
    const uint64_t chunk = plan->length < shader->chunk ? plan->length : shader->chunk;
    const uint64_t digits = (uint64_t)shader->width * 2;
    if (row->quadratic) {
        return elements * chunk;
    }
    if (topk_vulkan_schedules[shader->variant] == TOPK_SCHEDULE_CHUNKS) {
        return (2 * elements + chunks * STEPS_OF_DIGIT) * digits;
    }
    if (topk_vulkan_schedules[shader->variant] == TOPK_SCHEDULE_DIGITS) {
        /* two of the three passes of a digit visit each chunk's counts */
        return (2 * elements + 2 * chunks * STEPS_OF_DIGIT) * digits;
    }
    return topk_kernel_network_steps(elements, chunk);
}

uint64_t topk_vulkan_steps(const struct topk_shader *shader, uint32_t group,
                           const struct topk_cpu_plan *plan)
{
    /* there are few passes if so much work needs several rounds of them */
    const struct topk_kernel_parameters one = {.length = plan->length, .sequences = 1, .slots = 1};
    const uint64_t passes = topk_schedule_passes(shader, group, &one);
    const uint64_t parts = count_parts(shader, plan);
    uint64_t steps = sorting_steps(shader, group, plan) + (passes * parts - 1) * STEPS_OF_PASS;
    if (shader->chunk != 0) {
        /* merging two runs compares their first elements for each position */
        steps += 2 * topk_kernel_sequences(plan) * plan->length * (passes - 1);
    }
    return steps;
}
