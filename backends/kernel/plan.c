/* What the backends derive from the plan of a call. */
#include "kernel.h"

#include <inttypes.h>
#include <stdio.h>

/* Elements are counted in 31 bits. */
#define MAX_ELEMENTS ((UINT64_C(1) << 31) - 1)
/* Greatest number of comparisons of rank counting, so that no device hangs. */
#define MAX_COMPARISONS (UINT64_C(1) << 35)
/* Greatest number of sequences that are shorter than a variant is made for. */
#define MAX_SHORT_SEQUENCES 1024u
/* Greatest number of parts of a call whose dimensions exceed the parameters. */
#define MAX_PARTS 4096u

uint64_t topk_kernel_round_up(uint64_t bytes, uint64_t multiple)
{
    return (bytes + multiple - 1) / multiple * multiple;
}

const struct topk_backend_buffer *topk_kernel_buffer(const struct topk_backend_call *call, int role)
{
    return role == TOPK_KERNEL_INPUT   ? &call->input_buffer
           : role == TOPK_KERNEL_VALUE ? &call->value_buffer
                                       : &call->index_buffer;
}

uint64_t topk_kernel_sequences(const struct topk_cpu_plan *plan)
{
    uint64_t sequences = 1;
    for (uint32_t i = 0; i < plan->rank; i++) {
        sequences *= i == plan->axis ? 1 : plan->tensors[TOPK_CPU_INPUT].sizes[i];
    }
    return sequences;
}

uint32_t topk_kernel_width_log2(const struct topk_cpu_plan *plan)
{
    const uint32_t width = plan->tensors[TOPK_CPU_INPUT].width;
    return width == 1 ? 0 : width == 2 ? 1 : width == 4 ? 2 : 3;
}

uint32_t topk_kernel_slots(uint64_t sequences, uint64_t slot_bytes, uint64_t limit_bytes)
{
    const uint64_t most = slot_bytes == 0 ? sequences : limit_bytes / slot_bytes;
    return (uint32_t)(most == 0 ? 1 : most < sequences ? most : sequences);
}

uint64_t topk_kernel_place_scratch(struct topk_kernel_job *jobs, uint32_t count)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        jobs[i].scratch_at = bytes;
        bytes += topk_kernel_round_up(jobs[i].scratch_bytes, TOPK_KERNEL_ALIGNMENT);
    }
    return bytes;
}

uint64_t topk_kernel_network_steps(uint64_t elements, uint64_t chunk)
{
    uint64_t stages = 0;
    for (uint64_t size = 1; size < chunk; size *= 2) {
        stages++;
    }
    return elements + stages * (stages + 1) / 2 * elements;
}

void topk_kernel_fill(const struct topk_kernel_job *job, uint32_t chunk,
                      struct topk_kernel_parameters *parameters)
{
    const struct topk_cpu_plan *plan = &job->plan;
    *parameters = (struct topk_kernel_parameters){
        .length = plan->length,
        .k = plan->k,
        .sequences = (uint32_t)topk_kernel_sequences(plan),
        .index_bytes = plan->tensors[TOPK_CPU_INDEX].width,
        .padded = 1,
        .flip = {(uint32_t)plan->flip, (uint32_t)(plan->flip >> 32)},
        .is_float = plan->is_float,
        .slots = job->slots};
    while (parameters->padded < plan->length && parameters->padded != chunk) {
        parameters->padded *= 2;
    }
    for (int role = 0; role < TOPK_KERNEL_ROLES; role++) {
        parameters->step[role] = (uint32_t)plan->tensors[role].strides[plan->axis];
    }
    for (uint32_t i = plan->rank; i-- > 0;) {
        const uint32_t size = plan->tensors[TOPK_CPU_INPUT].sizes[i];
        if (i == plan->axis || size == 1) {
            continue;
        }
        struct topk_kernel_dimension *dimension = &parameters->dimension[parameters->dimensions++];
        dimension->size = size;
        for (int role = 0; role < TOPK_KERNEL_ROLES; role++) {
            dimension->strides[role] = (uint32_t)plan->tensors[role].strides[i];
        }
    }
}

/* ---- What a variant supports ---------------------------------------------------------------- */

bool topk_kernel_serves(const struct topk_kernel_variant *variant, const struct topk_shader *shader,
                        const struct topk_cpu_plan *plan, char *reason, size_t reason_bytes)
{
    if (shader == NULL) {
        snprintf(reason, reason_bytes, "variant %s does not serve elements of %" PRIu32 " bytes",
                 variant->name, plan->tensors[TOPK_CPU_INPUT].width);
        return false;
    }
    if (plan->length > variant->longest) {
        snprintf(reason, reason_bytes, "variant %s serves sequences of up to %" PRIu32 " elements",
                 variant->name, variant->longest);
        return false;
    }
    return true;
}

bool topk_kernel_takes_too_long(const struct topk_kernel_variant *variant,
                                const struct topk_cpu_plan *plan, uint64_t chunk, uint64_t parts,
                                char *reason, size_t reason_bytes)
{
    const uint64_t sequences = topk_kernel_sequences(plan);
    const uint64_t elements = sequences * plan->length;
    const uint64_t compared = plan->length < chunk ? plan->length : chunk;
    if (elements <= MAX_ELEMENTS && parts <= MAX_PARTS &&
        (!variant->quadratic || elements <= MAX_COMPARISONS / compared) &&
        (plan->length >= variant->shortest || sequences <= MAX_SHORT_SEQUENCES)) {
        return false;
    }
    snprintf(reason, reason_bytes,
             "variant %s would take too long for %" PRIu64 " sequences of %" PRIu32 " elements",
             variant->name, sequences, plan->length);
    return true;
}
