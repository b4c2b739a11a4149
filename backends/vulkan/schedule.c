/* How a call becomes dispatches. The head of each shader says what a workgroup does. */
#include "shaders.h"

/* workgroups in a dimension of a dispatch: every device takes that */
#define MAX_GROUPS 65535u
/* of the radix sorts: shaders/radix.glsl and split.comp have the same */
#define BINS         16u
#define DIGIT_PHASES 3u
#define MOVE_PHASE   2u
#define WRITE_PHASE  3u
#define RUN          64u

static uint64_t divide_up(uint64_t dividend, uint64_t divisor)
{
    return (dividend + divisor - 1) / divisor;
}

uint64_t topk_schedule_chunks(uint32_t group, uint32_t elements)
{
    return divide_up(elements, (uint64_t)group * RUN);
}

static uint64_t slot_bytes(enum topk_variant variant, uint32_t group, uint32_t length)
{
    switch (topk_vulkan_variants[variant].schedule) {
    case TOPK_SCHEDULE_SLOTS:
        return (uint64_t)length * 8;
    case TOPK_SCHEDULE_PASSES:
        return (uint64_t)length * 8 + topk_schedule_chunks(group, length) * BINS * 4;
    default:
        return 0;
    }
}

uint32_t topk_schedule_slots(enum topk_variant variant, uint32_t group, uint32_t length,
                             uint32_t sequences, uint64_t limit_bytes)
{
    const uint64_t bytes = slot_bytes(variant, group, length);
    if (bytes == 0) {
        return 0;
    }
    const uint64_t most = limit_bytes / bytes;
    return most == 0 ? 1 : most < sequences ? (uint32_t)most : sequences;
}

uint64_t topk_schedule_scratch(enum topk_variant variant, uint32_t group, uint32_t length,
                               uint32_t slots)
{
    return slot_bytes(variant, group, length) * slots;
}

/* Sequences that a workgroup sorts side by side in shared memory: see shaders/bitonic.comp. */
static uint64_t count_together(uint32_t group, uint32_t length)
{
    uint64_t padded = 1;
    while (padded < length) {
        padded *= 2;
    }
    const uint64_t together = 2 * (uint64_t)group / padded;
    return together == 0 ? 1 : together;
}

/* A sequence of one chunk has no other to count for. */
static uint32_t phases_of_digit(uint32_t group, uint32_t length)
{
    return topk_schedule_chunks(group, length) == 1 ? 1 : DIGIT_PHASES;
}

/* Passes for the sequences that are at work at once. */
static uint64_t passes_of_round(const struct topk_shader *shader, uint32_t group, uint32_t length)
{
    return (uint64_t)shader->width * 2 * phases_of_digit(group, length) + 1;
}

uint64_t topk_schedule_passes(const struct topk_shader *shader, uint32_t group,
                              const struct topk_shader_parameters *parameters)
{
    if (topk_vulkan_variants[shader->variant].schedule != TOPK_SCHEDULE_PASSES) {
        return 1;
    }
    return divide_up(parameters->sequences, parameters->slots) *
           passes_of_round(shader, group, parameters->length);
}

/* Fills pass->push and returns the workgroups. */
static uint64_t plan_pass(const struct topk_shader *shader, uint32_t group,
                          const struct topk_shader_parameters *parameters, uint64_t number,
                          struct topk_shader_push *push)
{
    const uint32_t phases = phases_of_digit(group, parameters->length);
    const uint64_t passes = passes_of_round(shader, group, parameters->length);
    const uint64_t round = number / passes;
    const uint32_t pass = (uint32_t)(number % passes);
    const bool write = pass == passes - 1;
    push->first = (uint32_t)(round * parameters->slots);
    push->digit = write ? 0 : pass / phases;
    push->phase = write ? WRITE_PHASE : phases == 1 ? MOVE_PHASE : pass % phases;
    const uint32_t left = parameters->sequences - push->first;
    const uint64_t sequences = left < parameters->slots ? left : parameters->slots;
    switch (push->phase) {
    case 1:
        return sequences;
    case WRITE_PHASE:
        return sequences * topk_schedule_chunks(group, parameters->k);
    default:
        return sequences * topk_schedule_chunks(group, parameters->length);
    }
}

void topk_schedule_pass(const struct topk_shader *shader, uint32_t group,
                        const struct topk_shader_parameters *parameters, uint64_t number,
                        struct topk_shader_pass *pass)
{
    const uint64_t sequences = parameters->sequences;
    uint64_t groups = 0;
    *pass = (struct topk_shader_pass){.x = 0};
    switch (topk_vulkan_variants[shader->variant].schedule) {
    case TOPK_SCHEDULE_ELEMENTS:
        groups = divide_up(sequences * parameters->length, group);
        break;
    case TOPK_SCHEDULE_CHUNKS:
        groups = sequences * divide_up(parameters->length, group);
        break;
    case TOPK_SCHEDULE_SLOTS:
        groups = parameters->slots;
        break;
    case TOPK_SCHEDULE_PASSES:
        groups = plan_pass(shader, group, parameters, number, &pass->push);
        break;
    case TOPK_SCHEDULE_SEQUENCES:
        groups = divide_up(sequences, count_together(group, parameters->length));
        break;
    }
    pass->y = (uint32_t)divide_up(groups, MAX_GROUPS);
    pass->x = (uint32_t)divide_up(groups, pass->y);
}
