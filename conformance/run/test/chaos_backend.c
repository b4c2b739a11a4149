/* The backend `cpu` as a plugin, chaos.so[:BATCH], that spoils its results when chaos_worker
 * requests it, if that is possible and certainly wrong. The reason of the answer then says so.
 * BATCH: calls that it wants at once, default 1. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chaos.h"
#include "topk_backend.h"

extern const struct topk_backend topk_backend_cpu;

struct chaos {
    void *cpu;
    int orders; /* a file descriptor, or -1 */
    uint32_t batch;
};

/* the kinds by number */
static const char *const words[TOPK_CHAOS_KINDS] = {
    "none",
#define TOPK_CHAOS(kind, word, place, verdict, about) word,
#include "chaos.def"
#undef TOPK_CHAOS
};

/* ---- elements -------------------------------------------------------------------------------- */

static size_t element_bytes(uint32_t type)
{
    switch (type) {
    case TOPK_BACKEND_FLOAT16:
    case TOPK_BACKEND_UINT16:
    case TOPK_BACKEND_INT16:
        return 2;
    case TOPK_BACKEND_UINT8:
    case TOPK_BACKEND_INT8:
        return 1;
    case TOPK_BACKEND_UINT64:
    case TOPK_BACKEND_INT64:
        return 8;
    default:
        return 4;
    }
}

static bool is_float(uint32_t type)
{
    return type == TOPK_BACKEND_FLOAT32 || type == TOPK_BACKEND_FLOAT16;
}

/* the address of the element at some coordinates */
static unsigned char *element_at(const struct topk_backend_tensor *tensor,
                                 const struct topk_backend_buffer *buffer, const uint32_t at[])
{
    uint64_t element = 0;
    uint64_t packed = 1;
    for (uint32_t d = tensor->dimension_count; d-- > 0; packed *= tensor->sizes[d]) {
        element += at[d] * (tensor->strides == NULL ? packed : tensor->strides[d]);
    }
    return (unsigned char *)buffer->data + buffer->offset +
           element * element_bytes(tensor->data_type);
}

static void exchange(const struct topk_backend_tensor *tensor,
                     const struct topk_backend_buffer *buffer, const uint32_t a[],
                     const uint32_t b[])
{
    unsigned char kept[8];
    unsigned char *of_a = element_at(tensor, buffer, a);
    unsigned char *of_b = element_at(tensor, buffer, b);
    const size_t bytes = element_bytes(tensor->data_type);
    memcpy(kept, of_a, bytes);
    memcpy(of_a, of_b, bytes);
    memcpy(of_b, kept, bytes);
}

static bool is_nan(uint32_t type, const unsigned char *element)
{
    uint32_t bits = 0;
    if (!is_float(type)) {
        return false;
    }
    memcpy(&bits, element, element_bytes(type));
    return type == TOPK_BACKEND_FLOAT16 ? (bits & 0x7fffu) > 0x7c00u
                                        : (bits & 0x7fffffffu) > 0x7f800000u;
}

/* ---- spoiling: false where it cannot be done ------------------------------------------------- */

/* Exchanges the first neighbouring indices of equal values in a sequence, which must ascend. A NaN
 * equals nothing. */
static bool exchange_ties_of(const struct topk_backend_call *call, uint32_t a[])
{
    uint32_t b[16];
    memcpy(b, a, sizeof b);
    for (uint32_t i = 0; i + 1 < call->k; i++) {
        a[call->axis] = i;
        b[call->axis] = i + 1;
        const unsigned char *of_a = element_at(call->value, &call->value_buffer, a);
        const unsigned char *of_b = element_at(call->value, &call->value_buffer, b);
        if (memcmp(of_a, of_b, element_bytes(call->value->data_type)) == 0 &&
            !is_nan(call->value->data_type, of_a)) {
            exchange(call->index, &call->index_buffer, a, b);
            return true;
        }
    }
    return false;
}

static bool exchange_ties(const struct topk_backend_call *call)
{
    uint32_t at[16] = {0};
    for (int searched = 0; searched < 64; searched++) {
        if (exchange_ties_of(call, at)) {
            return true;
        }
        /* continue with the next sequence */
        uint32_t d = call->value->dimension_count;
        at[call->axis] = call->value->sizes[call->axis] - 1;
        while (d > 0 && ++at[d - 1] == call->value->sizes[d - 1]) {
            at[--d] = 0;
        }
        if (d == 0) {
            break;
        }
    }
    return false;
}

static bool exchange_first(const struct topk_backend_call *call)
{
    uint32_t a[16] = {0};
    uint32_t b[16] = {0};
    if (call->k < 2 || is_float(call->value->data_type)) {
        return false; /* the order of NaNs is not prescribed */
    }
    b[call->axis] = 1;
    exchange(call->value, &call->value_buffer, a, b);
    exchange(call->index, &call->index_buffer, a, b);
    return true;
}

static bool drop_index(const struct topk_backend_call *call)
{
    const uint32_t at[16] = {0};
    const uint64_t index = call->input->sizes[call->axis];
    memcpy(element_at(call->index, &call->index_buffer, at), &index,
           element_bytes(call->index->data_type));
    return true;
}

static bool change_guard(const struct topk_backend_call *call)
{
    const struct topk_backend_buffer *buffer = &call->value_buffer;
    const uint64_t end = buffer->offset + call->value->total_bytes;
    if (buffer->offset == 0 && end == buffer->bytes) {
        return false;
    }
    ((unsigned char *)buffer->data)[buffer->offset > 0 ? buffer->offset - 1 : end] ^= 1;
    return true;
}

static bool change_input(const struct topk_backend_call *call)
{
    const uint32_t at[16] = {0};
    *element_at(call->input, &call->input_buffer, at) ^= 1;
    return true;
}

/* copies the outputs before the call, for STALE; NULL if memory is short */
static unsigned char *copy_outputs(const struct topk_backend_call *call)
{
    unsigned char *copy = malloc((size_t)(call->value_buffer.bytes + call->index_buffer.bytes));
    if (copy != NULL) {
        memcpy(copy, call->value_buffer.data, (size_t)call->value_buffer.bytes);
        memcpy(copy + call->value_buffer.bytes, call->index_buffer.data,
               (size_t)call->index_buffer.bytes);
    }
    return copy;
}

static bool leave_stale(const struct topk_backend_call *call, const unsigned char *before)
{
    if (before != NULL) {
        memcpy(call->value_buffer.data, before, (size_t)call->value_buffer.bytes);
        memcpy(call->index_buffer.data, before + call->value_buffer.bytes,
               (size_t)call->index_buffer.bytes);
    }
    return before != NULL;
}

static bool spoil(enum topk_chaos_kind kind, const struct topk_backend_call *call,
                  const unsigned char *before)
{
    switch (kind) {
    case TOPK_CHAOS_TIES:
        return exchange_ties(call);
    case TOPK_CHAOS_SWAP:
        return exchange_first(call);
    case TOPK_CHAOS_DROP:
        return drop_index(call);
    case TOPK_CHAOS_STALE:
        return leave_stale(call, before);
    case TOPK_CHAOS_GUARD:
        return change_guard(call);
    case TOPK_CHAOS_INPUT:
        return change_input(call);
    default:
        return false;
    }
}

/* ---- the backend ----------------------------------------------------------------------------- */

static void chaos_close(void *opened)
{
    struct chaos *self = opened;
    if (self->cpu != NULL) {
        topk_backend_cpu.close(self->cpu);
    }
    if (self->orders >= 0) {
        close(self->orders);
    }
    free(self);
}

static void *chaos_open(const char *options, char *error, size_t error_bytes)
{
    const char *orders = getenv(TOPK_CHAOS_ORDERS);
    struct chaos *self = calloc(1, sizeof *self);
    if (self == NULL) {
        snprintf(error, error_bytes, "out of memory");
        return NULL;
    }
    self->orders = orders == NULL ? -1 : open(orders, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    self->batch = *options == 0 ? 1 : (uint32_t)strtoul(options, NULL, 10);
    self->cpu = topk_backend_cpu.open("", error, error_bytes);
    if (self->cpu == NULL) {
        chaos_close(self);
        return NULL;
    }
    return self;
}

static void chaos_describe(void *opened, struct topk_backend_info *info)
{
    const struct chaos *self = opened;
    topk_backend_cpu.describe(self->cpu, info);
    info->name = "chaos";
    info->batch = self->batch;
}

static void chaos_run(void *opened, const struct topk_backend_call *calls, uint32_t count,
                      struct topk_backend_answer *answers)
{
    struct chaos *self = opened;
    unsigned char order = TOPK_CHAOS_NONE;
    const bool ordered = self->orders >= 0 && read(self->orders, &order, 1) == 1 &&
                         order < TOPK_CHAOS_KINDS && calls[0].create_only == 0;
    unsigned char *before = ordered ? copy_outputs(&calls[0]) : NULL;
    topk_backend_cpu.run(self->cpu, calls, count, answers);
    if (ordered && answers[0].status == TOPK_BACKEND_DONE &&
        spoil((enum topk_chaos_kind)order, &calls[0], before)) {
        snprintf(answers[0].reason, sizeof answers[0].reason, TOPK_CHAOS_REASON "%s", words[order]);
    }
    free(before);
}

const struct topk_backend *topk_backend_entry(void)
{
    static const struct topk_backend backend = {
        .abi = TOPK_BACKEND_ABI,
        .struct_bytes = sizeof(struct topk_backend),
        .name = "chaos",
        .summary = "cpu, spoiled on purpose",
        .open = chaos_open,
        .describe = chaos_describe,
        .run = chaos_run,
        .close = chaos_close,
    };
    return &backend;
}
