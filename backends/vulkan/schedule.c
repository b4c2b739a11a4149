/* Turns a call into dispatches. The head of each shader says what a workgroup does. */
#include "shaders.h"

/* greatest number of workgroups in a dimension of a dispatch on every device */
#define MAX_GROUPS 65535u
/* for the radix sort by many workgroups; shaders/radix.glsl and split.comp have the same numbers */
#define BINS         16u
#define DIGIT_PHASES 3u
#define MOVE_PHASE   2u
#define WRITE_PHASE  3u
#define RUN          64u
/* elements that an invocation produces when chunks are merged; shaders/merge.glsl has the same
 * number */
#define PART 16u

static uint64_t divide_up(uint64_t dividend, uint64_t divisor)
{
    return (dividend + divisor - 1) / divisor;
}

static enum topk_schedule schedule_of(const struct topk_shader *shader)
{
    return topk_vulkan_schedules[shader->variant];
}

uint64_t topk_schedule_chunks(const struct topk_shader *shader, uint32_t group, uint32_t elements)
{
    return divide_up(elements, shader->chunk == 0 ? (uint64_t)group * RUN : shader->chunk);
}

static uint64_t slot_bytes(const struct topk_shader *shader, uint32_t group, uint32_t length)
{
    const uint64_t chunks = topk_schedule_chunks(shader, group, length);
    switch (schedule_of(shader)) {
    case TOPK_SCHEDULE_DIGITS:
        return (uint64_t)length * 8 + chunks * BINS * 4;
    case TOPK_SCHEDULE_CHUNKS:
        return (uint64_t)length * 8;
    default:
        return chunks == 1 ? 0 : (uint64_t)length * 8;
    }
}

uint32_t topk_schedule_slots(const struct topk_shader *shader, uint32_t group, uint32_t length,
                             uint32_t sequences, uint64_t limit_bytes)
{
    return topk_kernel_slots(sequences, slot_bytes(shader, group, length), limit_bytes);
}

uint64_t topk_schedule_scratch(const struct topk_shader *shader, uint32_t group, uint32_t length,
                               uint32_t slots)
{
    return slot_bytes(shader, group, length) * slots;
}

/* Number of passes for the sequences that run at the same time. */
static uint64_t passes_of_round(const struct topk_shader *shader, uint32_t group, uint32_t length)
{
    const uint64_t chunks = topk_schedule_chunks(shader, group, length);
    if (schedule_of(shader) == TOPK_SCHEDULE_DIGITS) {
        /* a single chunk needs no counts from others */
        return (uint64_t)shader->width * 2 * (chunks == 1 ? 1 : DIGIT_PHASES) + 1;
    }
    uint64_t passes = 1;
    for (uint64_t merged = 1; merged < chunks; merged *= 2) {
        passes++;
    }
    return passes;
}

uint64_t topk_schedule_passes(const struct topk_shader *shader, uint32_t group,
                              const struct topk_kernel_parameters *parameters)
{
    return divide_up(parameters->sequences, parameters->slots) *
           passes_of_round(shader, group, parameters->length);
}

/* With DIGITS: sets phase and digit of a pass of a round, and returns the number of workgroups. */
static uint64_t plan_digits(const struct topk_shader *shader, uint32_t group,
                            const struct topk_kernel_parameters *parameters, uint32_t pass,
                            uint64_t sequences, struct topk_shader_push *push)
{
    const uint64_t chunks = topk_schedule_chunks(shader, group, parameters->length);
    const uint32_t phases = chunks == 1 ? 1 : DIGIT_PHASES;
    push->digit = push->last != 0 ? 0 : pass / phases;
    push->phase = push->last != 0 ? WRITE_PHASE : phases == 1 ? MOVE_PHASE : pass % phases;
    switch (push->phase) {
    case 1:
        return sequences;
    case WRITE_PHASE:
        return sequences * topk_schedule_chunks(shader, group, parameters->k);
    default:
        return sequences * chunks;
    }
}

/* The same for the other schedules. */
static uint64_t plan_chunks(const struct topk_shader *shader, uint32_t group,
                            const struct topk_kernel_parameters *parameters, uint32_t pass,
                            uint64_t sequences, struct topk_shader_push *push)
{
    const uint64_t chunks = topk_schedule_chunks(shader, group, parameters->length);
    const uint64_t together = 2 * (uint64_t)group / parameters->padded; /* see bitonic.comp */
    push->phase = pass;
    if (pass > 0) {
        return divide_up(sequences * divide_up(parameters->length, PART), group);
    }
    switch (schedule_of(shader)) {
    case TOPK_SCHEDULE_PARTS:
        return sequences * divide_up(parameters->length, group);
    case TOPK_SCHEDULE_SIDE:
        return divide_up(sequences * chunks, together == 0 ? 1 : together);
    case TOPK_SCHEDULE_CHUNKS:
        return sequences * chunks;
    default:
        return divide_up(sequences * parameters->length, group);
    }
}

void topk_schedule_pass(const struct topk_shader *shader, uint32_t group,
                        const struct topk_kernel_parameters *parameters, uint64_t number,
                        struct topk_shader_pass *pass)
{
    const uint64_t passes = passes_of_round(shader, group, parameters->length);
    const uint32_t in_round = (uint32_t)(number % passes);
    *pass =
        (struct topk_shader_pass){.push = {.first = (uint32_t)(number / passes * parameters->slots),
                                           .last = in_round == passes - 1}};
    const uint32_t left = parameters->sequences - pass->push.first;
    const uint64_t sequences = left < parameters->slots ? left : parameters->slots;
    const uint64_t groups =
        schedule_of(shader) == TOPK_SCHEDULE_DIGITS
            ? plan_digits(shader, group, parameters, in_round, sequences, &pass->push)
            : plan_chunks(shader, group, parameters, in_round, sequences, &pass->push);
    pass->y = groups <= MAX_GROUPS ? 1 : (uint32_t)divide_up(groups, MAX_GROUPS);
    pass->x = (uint32_t)divide_up(groups, pass->y);
}
