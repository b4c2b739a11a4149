/* Calls and their buffers, laid out by topk_case_place(). Guards and outputs hold bytes that a
 * kernel is unlikely to write. */
#include "call.h"

#include <stdlib.h>
#include <string.h>

#include "platform/stage.h"
#include "reference/element.h"

#define LARGE ((uint64_t)1 << 20)

static bool memory_reserve(struct topk_memory *memory, uint64_t bytes)
{
    if (bytes <= memory->room) {
        return true;
    }
    free(memory->raw);
    /* large buffers are mostly freed, so they need no room to grow */
    uint64_t room = bytes < LARGE ? bytes + bytes / 2 + 4096 : bytes;
    memory->raw = malloc((size_t)room + 63);
    memory->room = memory->raw == NULL ? 0 : room;
    if (memory->raw == NULL) {
        return false;
    }
    memory->data = memory->raw + (64 - (uintptr_t)memory->raw % 64) % 64;
    return true;
}

uint64_t topk_call_bytes(const struct topk_case *tc)
{
    uint64_t sum = 0;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        sum += topk_case_place(tc, (enum topk_role)role).bytes;
    }
    return sum;
}

static const struct topk_backend_tensor *describe_tensor(struct topk_backend_tensor *to,
                                                         const struct topk_tensor *tensor)
{
    to->data_type = tensor->type;
    to->flags = tensor->flags;
    to->dimension_count = tensor->rank;
    to->guaranteed_base_offset_alignment = tensor->alignment;
    to->sizes = tensor->sizes;
    to->strides = tensor->strided ? tensor->strides : NULL;
    to->total_bytes = tensor->total_bytes;
    return tensor->present ? to : NULL;
}

void topk_call_describe(struct topk_call *call, const struct topk_case *tc)
{
    call->tc = *tc;
    const struct topk_operator *op = &call->tc.op;
    call->backend_call = (struct topk_backend_call){
        .operator_type = op->kind == TOPK_TOP_K ? TOPK_OPERATOR_TOP_K : TOPK_OPERATOR_TOP_K1,
        .feature_level = op->level,
        .execution_flags = op->execution,
        .create_only = 1,
        .axis = op->axis,
        .k = op->k,
        /* TOP_K has no direction; a backend that reads one anyway must get the same result */
        .direction = op->kind == TOPK_TOP_K ? TOPK_INCREASING : op->direction,
        .input = describe_tensor(&call->tensors[TOPK_INPUT], &op->tensors[TOPK_INPUT]),
        .value = describe_tensor(&call->tensors[TOPK_VALUE], &op->tensors[TOPK_VALUE]),
        .index = describe_tensor(&call->tensors[TOPK_INDEX], &op->tensors[TOPK_INDEX])};
    call->answer = (struct topk_backend_answer){0};
}

/* Random poison depends on the position, so that a write of any value is detected. It repeats with
 * this period. */
#define POISON_PERIOD 4093u

static const unsigned char *poison_of(int role)
{
    static unsigned char drawn[TOPK_ROLE_COUNT][POISON_PERIOD]; /* computed once for all calls */
    static bool ready[TOPK_ROLE_COUNT];
    if (!ready[role]) {
        struct topk_pcg pcg;
        topk_pcg_seed(&pcg, 0x706f69736f6e, (uint64_t)role);
        for (uint32_t i = 0; i < POISON_PERIOD; i += 4) {
            const uint32_t word = topk_pcg_next(&pcg);
            const uint32_t rest = POISON_PERIOD - i;
            unsigned char bytes[4];
            topk_element_store(bytes, 4, word);
            topk_elements_turn(bytes, 4, 4); /* the same on every machine */
            memcpy(drawn[role] + i, bytes, rest < 4 ? rest : 4);
        }
        ready[role] = true;
    }
    return drawn[role];
}

/* poisons bytes from..to-1 of a buffer */
static void fill_poison(unsigned char *data, int role, uint64_t from, uint64_t to)
{
    const unsigned char *poison = poison_of(role);
    while (from < to) {
        const uint64_t at = from % POISON_PERIOD;
        const uint64_t left = to - from;
        const uint64_t run = left < POISON_PERIOD - at ? left : POISON_PERIOD - at;
        memcpy(data + from, poison + at, run);
        from += run;
    }
}

/* Most outputs are given the same bytes: random poison, which stays as it is, because
 * topk_call_judge_memory() restores the elements that the judge adopts. They share one copy, which
 * stays in the caches, and another one to restore from. */
#define SHARED_BYTES ((uint64_t)1 << 18)
static _Alignas(64) unsigned char shared[TOPK_ROLE_COUNT][SHARED_BYTES];
static _Alignas(64) unsigned char pristine[TOPK_ROLE_COUNT][SHARED_BYTES];

/* NULL: this output is not given what others are given, too */
static unsigned char *shared_poison(const struct topk_call *call, int role, enum topk_poison poison)
{
    static uint64_t filled[TOPK_ROLE_COUNT];
    const uint64_t bytes = call->bytes[role];
    if (poison != TOPK_POISON_RANDOM || bytes > SHARED_BYTES || !topk_machine_little_endian()) {
        return NULL;
    }
    if (filled[role] < bytes) {
        fill_poison(shared[role], role, filled[role], bytes);
        fill_poison(pristine[role], role, filled[role], bytes);
        filled[role] = bytes;
    }
    return shared[role];
}

static void restore_elements(const struct topk_call *call, int role)
{
    const struct topk_tensor *tensor = &call->tc.op.tensors[role];
    const uint64_t *strides = call->strides[role];
    const uint32_t bytes = topk_type_bytes(tensor->type);
    const uint64_t elements = topk_tensor_elements(tensor);
    uint32_t at[TOPK_RANK_MAX] = {0};
    uint64_t place = call->offset[role];
    for (uint64_t i = 0; i < elements; i++) {
        const uint64_t element = topk_element_load(pristine[role] + place, bytes);
        topk_element_store(shared[role] + place, bytes, element);
        for (uint32_t d = tensor->rank; d-- > 0;) {
            place += strides[d];
            if (++at[d] < tensor->sizes[d]) {
                break;
            }
            place -= strides[d] * tensor->sizes[d];
            at[d] = 0;
        }
    }
}

/* the bytes around the tensor are always random, so that writes of ones or zeros there are
 * detected */
static void fill_output(struct topk_call *call, int role, enum topk_poison poison)
{
    unsigned char *before = call->before[role].data;
    const uint64_t bytes = call->tc.op.tensors[role].total_bytes;
    /* most of it is still there from the previous call */
    if (call->poisoned[role] < call->bytes[role]) {
        fill_poison(before, role, 0, call->bytes[role]);
        call->poisoned[role] = call->bytes[role];
    } else {
        fill_poison(before, role, call->tensor_from[role], call->tensor_to[role]);
    }
    call->tensor_from[role] = call->offset[role];
    call->tensor_to[role] = call->offset[role] + bytes;
    /* as elements, so that they are the same on every machine, too */
    topk_elements_turn(before + call->offset[role], topk_type_bytes(call->tc.op.tensors[role].type),
                       bytes);
    if (poison != TOPK_POISON_RANDOM) {
        memset(before + call->offset[role], poison == TOPK_POISON_ONES ? 0xff : 0, bytes);
    }
}

static bool give_output(struct topk_call *call, int role, enum topk_poison poison)
{
    call->given[role] = shared_poison(call, role, poison);
    if (call->given[role] != NULL) {
        return true;
    }
    if (call->bytes[role] > call->before[role].room) {
        call->poisoned[role] = 0;
    }
    if (!memory_reserve(&call->before[role], call->bytes[role])) {
        return false;
    }
    fill_output(call, role, poison);
    call->given[role] = call->before[role].data;
    return true;
}

static bool fill_data(struct topk_call *call, unsigned char *tensor)
{
    const enum topk_stage before = topk_stage_enter(TOPK_STAGE_DATA);
    const bool filled = topk_case_fill(&call->tc, tensor);
    topk_stage_enter(before);
    return filled;
}

static bool fill_buffers(struct topk_call *call, const struct topk_case *tc,
                         enum topk_poison poison)
{
    topk_call_describe(call, tc);
    call->backend_call.create_only = 0;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const struct topk_place place = topk_case_place(tc, (enum topk_role)role);
        /* rounded up to the alignment */
        call->bytes[role] = (TOPK_SLACK_FRONT + place.bytes + TOPK_SLACK_BACK + 63) / 64 * 64;
        call->offset[role] = TOPK_SLACK_FRONT + place.offset;
        const struct topk_tensor *tensor = &call->tc.op.tensors[role];
        topk_tensor_strides(tensor, call->strides[role]);
        for (uint32_t d = 0; d < tensor->rank; d++) {
            call->strides[role][d] *= topk_type_bytes(tensor->type);
        }
        if (!memory_reserve(&call->live[role], call->bytes[role])) {
            return false;
        }
        if (role != TOPK_INPUT) {
            if (!give_output(call, role, poison)) {
                return false;
            }
            continue;
        }
        if (!memory_reserve(&call->before[role], call->bytes[role])) {
            return false;
        }
        unsigned char *data = call->before[role].data;
        call->given[role] = data;
        unsigned char *buffer = data + TOPK_SLACK_FRONT;
        fill_poison(data, role, 0, TOPK_SLACK_FRONT);
        fill_poison(data, role, TOPK_SLACK_FRONT + place.bytes, call->bytes[role]);
        topk_case_fill_padding(&call->tc, buffer, place.bytes, place.offset);
        if (!fill_data(call, buffer + place.offset)) {
            return false;
        }
    }
    memset(call->kept, 0, sizeof call->kept);
    struct topk_backend_buffer *buffers[TOPK_ROLE_COUNT] = {&call->backend_call.input_buffer,
                                                            &call->backend_call.value_buffer,
                                                            &call->backend_call.index_buffer};
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const struct topk_place place = topk_case_place(tc, (enum topk_role)role);
        buffers[role]->data = call->live[role].data + TOPK_SLACK_FRONT;
        buffers[role]->bytes = place.bytes;
        buffers[role]->offset = place.offset;
    }
    return true;
}

bool topk_call_prepare(struct topk_call *call, const struct topk_case *tc, enum topk_poison poison)
{
    const enum topk_stage before = topk_stage_enter(TOPK_STAGE_POISON);
    const bool prepared = fill_buffers(call, tc, poison);
    topk_stage_enter(before);
    return prepared;
}

void topk_call_load(struct topk_call *call)
{
    const enum topk_stage before = topk_stage_enter(TOPK_STAGE_POISON);
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        topk_call_surround(call, (enum topk_role)role, 0, 0);
    }
    topk_stage_enter(before);
}

void topk_call_surround(struct topk_call *call, enum topk_role role, uint64_t from, uint64_t to)
{
    const unsigned char *given = call->given[role];
    unsigned char *live = call->live[role].data;
    memcpy(live, given, from);
    memcpy(live + to, given + to, call->bytes[role] - to);
}

bool topk_call_reset(struct topk_call *call, enum topk_poison poison)
{
    memset(call->kept, 0, sizeof call->kept);
    call->answer = (struct topk_backend_answer){0};
    return give_output(call, TOPK_VALUE, poison) && give_output(call, TOPK_INDEX, poison);
}

/* Relations read each element, so the strides are computed once per call. */
uint64_t topk_call_place(const struct topk_call *call, enum topk_role role, const uint32_t at[])
{
    uint64_t place = call->offset[role];
    for (uint32_t d = 0; d < call->tc.op.tensors[role].rank; d++) {
        place += at[d] * call->strides[role][d];
    }
    return place;
}

uint64_t topk_call_input(const struct topk_call *call, const uint32_t at[])
{
    return topk_element_load(call->given[TOPK_INPUT] + topk_call_place(call, TOPK_INPUT, at),
                             topk_type_bytes(call->tc.op.tensors[TOPK_INPUT].type));
}

void topk_call_complete(struct topk_call *call)
{
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const uint64_t bytes = role == TOPK_INPUT ? 0 : call->tc.op.tensors[role].total_bytes;
        if (call->kept[role]) {
            topk_call_surround(call, (enum topk_role)role, call->offset[role],
                               call->offset[role] + bytes);
            call->kept[role] = false;
        }
    }
}

void topk_call_exhibit(const struct topk_call *call, struct topk_exhibit exhibits[TOPK_ROLE_COUNT])
{
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        struct topk_exhibit *exhibit = &exhibits[role];
        *exhibit = (struct topk_exhibit){.before = call->given[role],
                                         .after = call->live[role].data,
                                         .bytes = call->bytes[role],
                                         .offset = call->offset[role],
                                         .start = TOPK_SLACK_FRONT};
        if (call->kept[role] && role == TOPK_INPUT) {
            exhibit->after = exhibit->before;
        } else if (call->kept[role]) {
            exhibit->before += exhibit->offset;
            exhibit->after += exhibit->offset;
            exhibit->bytes = call->tc.op.tensors[role].total_bytes;
            exhibit->offset = 0;
            exhibit->start = 0;
        }
    }
}

uint64_t topk_call_output(const struct topk_call *call, enum topk_role role, const uint32_t at[])
{
    return topk_element_load(call->live[role].data + topk_call_place(call, role, at),
                             topk_type_bytes(call->tc.op.tensors[role].type));
}

void topk_call_trim(struct topk_call *call, uint64_t bytes)
{
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        struct topk_memory *memories[] = {&call->live[role], &call->before[role]};
        for (int i = 0; i < 2; i++) {
            if (memories[i]->room > bytes) {
                free(memories[i]->raw);
                *memories[i] = (struct topk_memory){0};
            }
        }
    }
}

void topk_call_free(struct topk_call *call)
{
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        free(call->live[role].raw);
        free(call->before[role].raw);
    }
    memset(call, 0, sizeof *call);
}

void topk_call_judge_memory(struct topk_call *call, struct topk_judgement *judgement)
{
    struct topk_exhibit exhibits[TOPK_ROLE_COUNT];
    topk_call_exhibit(call, exhibits);
    topk_judge_memory(&call->tc.op, exhibits, judgement);
    for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
        const struct topk_tensor *tensor = &call->tc.op.tensors[role];
        const uint64_t logical = topk_tensor_elements(tensor) * topk_type_bytes(tensor->type);
        if (call->given[role] == shared[role] && logical < tensor->total_bytes) {
            restore_elements(call, role);
        }
    }
}
