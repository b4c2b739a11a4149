/* Modes that send wrong bytes or wrong statuses, in valid answers. */
#include "hostile.h"

#include <stdlib.h>
#include <string.h>

#include "reference/element.h"

/* ---- elements -------------------------------------------------------------------------------- */

unsigned char *tensor_start(struct call *call, uint32_t tensor)
{
    return call->now[tensor] + topk_wire_buffer(&call->wire.call, tensor)->offset;
}

static uint64_t element_offset(const struct topk_backend_tensor *tensor, const uint32_t at[])
{
    uint64_t offset = 0;
    uint64_t packed = 1;
    for (uint32_t d = tensor->dimension_count; d-- > 0;) {
        offset += at[d] * (tensor->strides != NULL ? tensor->strides[d] : packed);
        packed *= tensor->sizes[d];
    }
    return offset * topk_type_bytes(tensor->data_type);
}

/* changes one element of an output; at: its coordinates */
typedef void change(struct call *call, uint32_t tensor, unsigned char *element, uint32_t bytes,
                    const uint32_t at[]);

static void change_each(struct call *call, uint32_t tensor, change *apply)
{
    const struct topk_backend_tensor *of = &call->wire.tensors[tensor];
    uint32_t at[TOPK_WIRE_RANK] = {0};
    uint32_t d = of->dimension_count;
    while (d != UINT32_MAX) {
        apply(call, tensor, tensor_start(call, tensor) + element_offset(of, at),
              topk_type_bytes(of->data_type), at);
        d = of->dimension_count;
        while (d-- > 0 && ++at[d] == of->sizes[d]) {
            at[d] = 0;
        }
    }
}

/* the next valid index */
static void change_index(struct call *call, uint32_t tensor, unsigned char *element, uint32_t bytes,
                         const uint32_t at[])
{
    uint64_t index = 0;
    (void)tensor;
    (void)at;
    memcpy(&index, element, bytes);
    topk_elements_turn(&index, sizeof index, sizeof index);
    index = (index + 1) % call->wire.tensors[INPUT].sizes[call->wire.call.axis];
    topk_elements_turn(&index, sizeof index, sizeof index);
    memcpy(element, &index, bytes);
}

static void change_value(struct call *call, uint32_t tensor, unsigned char *element, uint32_t bytes,
                         const uint32_t at[])
{
    (void)call;
    (void)tensor;
    (void)bytes;
    (void)at;
    element[0] ^= 1;
}

/* the last of the K outputs stays uncomputed */
static void change_last(struct call *call, uint32_t tensor, unsigned char *element, uint32_t bytes,
                        const uint32_t at[])
{
    if (at[call->wire.call.axis] + 1 == call->wire.call.k) {
        memcpy(element, call->came[tensor] + (element - call->now[tensor]), bytes);
    }
}

/* 0, 1, 2, ... along Axis */
static void change_count(struct call *call, uint32_t tensor, unsigned char *element, uint32_t bytes,
                         const uint32_t at[])
{
    const uint64_t index = at[call->wire.call.axis];
    (void)tensor;
    memcpy(element, &index, bytes);
}

/* exchanges the first and the last of the K outputs */
static void change_order(struct call *call, uint32_t tensor, unsigned char *element, uint32_t bytes,
                         const uint32_t at[])
{
    const uint32_t axis = call->wire.call.axis;
    const uint32_t last = call->wire.call.k - 1;
    uint32_t other[TOPK_WIRE_RANK];
    unsigned char kept[8];
    if (at[axis] != 0 || last == 0) {
        return;
    }
    memcpy(other, at, sizeof other);
    other[axis] = last;
    unsigned char *with =
        tensor_start(call, tensor) + element_offset(&call->wire.tensors[tensor], other);
    memcpy(kept, element, bytes);
    memcpy(element, with, bytes);
    memcpy(with, kept, bytes);
}

/* ---- wrong bytes ----------------------------------------------------------------------------- */

void echo(struct call *call)
{
    for (uint32_t tensor = 0; tensor < TOPK_WIRE_TENSORS; tensor++) {
        memcpy(call->now[tensor], call->came[tensor], (size_t)call->bytes[tensor]);
    }
}

static void fill_outputs(struct call *call, int byte)
{
    for (uint32_t tensor = VALUE; tensor <= INDEX; tensor++) {
        memset(tensor_start(call, tensor), byte, (size_t)call->wire.tensors[tensor].total_bytes);
    }
}

static void zeros(struct call *call)
{
    fill_outputs(call, 0);
}

static void ones(struct call *call)
{
    fill_outputs(call, 0xff);
}

void wrong_indices(struct call *call)
{
    change_each(call, INDEX, change_index);
}

static void wrong_values(struct call *call)
{
    change_each(call, VALUE, change_value);
}

static void one_short(struct call *call)
{
    change_each(call, VALUE, change_last);
    change_each(call, INDEX, change_last);
}

static void wrong_order(struct call *call)
{
    change_each(call, VALUE, change_order);
    change_each(call, INDEX, change_order);
}

/* moves the outputs by one element */
static void shifted(struct call *call)
{
    for (uint32_t tensor = VALUE; tensor <= INDEX; tensor++) {
        unsigned char *start = tensor_start(call, tensor);
        const uint32_t step = topk_type_bytes(call->wire.tensors[tensor].data_type);
        memmove(start + step, start, (size_t)call->wire.tensors[tensor].total_bytes - step);
    }
}

static void guard_value(struct call *call)
{
    tensor_start(call, VALUE)[-1] ^= 0xff;
}

static void guard_index(struct call *call)
{
    call->now[INDEX][call->bytes[INDEX] - 1] ^= 0xff;
}

static void guard_input(struct call *call)
{
    call->now[INPUT][0] ^= 0xff;
}

static void changed_input(struct call *call)
{
    tensor_start(call, INPUT)[0] ^= 1;
}

static void matching_input(struct call *call)
{
    memset(tensor_start(call, INPUT), 0, (size_t)call->wire.tensors[INPUT].total_bytes);
    fill_outputs(call, 0);
    change_each(call, INDEX, change_count);
}

/* ---- far outside a tensor: the slack around buffers, if the process computes in place
 * --------- */

static void slack_front(struct call *call)
{
    call->now[VALUE][-400] ^= 0xff;
}

static void slack_back(struct call *call)
{
    call->now[INDEX][call->bytes[INDEX] + 4000] ^= 0xff;
}

/* the gap between the slack of two buffers */
static void gap(struct frame *frame)
{
    for (uint64_t at = 1; at < frame->bytes; at++) {
        if (frame->came[at - 1] == 0 && frame->came[at] == 0) {
            frame->now[at] = 0xff;
        }
    }
}

/* ---- results of other calls ------------------------------------------------------------------ */

/* the correct result of an earlier call; empty at first */
struct kept {
    uint64_t bytes[TOPK_WIRE_TENSORS];
    unsigned char *data[TOPK_WIRE_TENSORS];
};

static void keep(struct kept *kept, const struct call *call)
{
    for (uint32_t tensor = 0; tensor < TOPK_WIRE_TENSORS; tensor++) {
        free(kept->data[tensor]);
        kept->bytes[tensor] = call->bytes[tensor];
        kept->data[tensor] = malloc((size_t)call->bytes[tensor] + 1);
        if (kept->data[tensor] == NULL) {
            exit(TOPK_WORKER_EXIT_HARNESS);
        }
        memcpy(kept->data[tensor], call->now[tensor], (size_t)call->bytes[tensor]);
    }
}

/* replaces a call's outputs, from a tensor on, by a kept result; by zeros if the sizes differ */
static void give(const struct kept *kept, struct call *call, uint32_t from)
{
    fill_outputs(call, 0);
    for (uint32_t tensor = from; tensor < TOPK_WIRE_TENSORS; tensor++) {
        if (kept->data[tensor] != NULL && kept->bytes[tensor] == call->bytes[tensor]) {
            memcpy(call->now[tensor], kept->data[tensor], (size_t)call->bytes[tensor]);
        }
    }
}

static void late(struct call *call)
{
    static struct kept before;
    struct kept own = {.bytes = {0}};
    keep(&own, call);
    give(&before, call, VALUE);
    for (uint32_t tensor = 0; tensor < TOPK_WIRE_TENSORS; tensor++) {
        free(before.data[tensor]);
    }
    before = own;
}

static void replay(struct frame *frame)
{
    static struct kept last[TOPK_WIRE_CALLS];
    static struct kept own[TOPK_WIRE_CALLS];
    for (uint32_t i = 0; i < frame->count; i++) {
        struct call *call = &frame->calls[i];
        if (computed(call)) {
            keep(&own[i], call);
            give(&last[i], call, INPUT);
            keep(&last[i], call); /* releases the previous result */
            const struct kept spare = last[i];
            last[i] = own[i];
            own[i] = spare;
        }
    }
}

static void neighbour(struct frame *frame)
{
    static struct kept own[TOPK_WIRE_CALLS];
    for (uint32_t i = 0; i < frame->count; i++) {
        if (computed(&frame->calls[i])) {
            keep(&own[i], &frame->calls[i]);
        }
    }
    for (uint32_t i = 0; i < frame->count; i++) {
        static const struct kept none;
        const uint32_t next = (i + 1) % frame->count;
        if (computed(&frame->calls[i])) {
            const bool there = next != i && computed(&frame->calls[next]);
            give(there ? &own[next] : &none, &frame->calls[i], VALUE);
        }
    }
}

/* ---- wrong statuses -------------------------------------------------------------------------- */

static void accept_all(struct frame *frame)
{
    for (uint32_t i = 0; i < frame->count; i++) {
        frame->calls[i].answer.status = TOPK_BACKEND_DONE;
        frame->calls[i].answer.reason[0] = 0;
    }
    memcpy(frame->now, frame->came, (size_t)frame->bytes);
}

/* correct, with a note that contains control sequences and markup */
static void note(struct frame *frame)
{
    for (uint32_t i = 0; i < frame->count; i++) {
        snprintf(frame->calls[i].answer.reason, sizeof frame->calls[i].answer.reason,
                 "\"}\n{\"record\":\"end\",\"complete\":true}\r\n\033[2J\033[1;1HCONFORMANT: all "
                 "\a\b\001\xff\xc0</script><script>alert(1)</script> clause=- obs=0 %%0a%%00");
    }
}

/* ---- the modes ------------------------------------------------------------------------------- */

const struct mode byte_modes[] = {
    {"honest", "does what it has to", .batch = 1},
    {"honest-place", "does what it has to, in place", .batch = 64, .flags = TOPK_FLAG_IN_PLACE},
    {"echo", "says done, and returns the bytes as they came", .spoil_call = echo},
    {"zeros", "all outputs are zero", .spoil_call = zeros},
    {"ones", "all bits of the outputs are one", .spoil_call = ones},
    {"replay", "returns the buffers of the last frame", .spoil = replay},
    {"neighbour", "returns the outputs of the next call", .spoil = neighbour},
    {"late", "returns the outputs of the call before", .spoil_call = late},
    {"wrong-indices", "right values, wrong indices", .spoil_call = wrong_indices},
    {"wrong-values", "right indices, wrong values", .spoil_call = wrong_values},
    {"one-short", "computes K - 1 of K", .spoil_call = one_short},
    {"wrong-order", "the first of K and the last are swapped", .spoil_call = wrong_order},
    {"shifted", "the outputs are shifted by one element", .spoil_call = shifted},
    {"guard-value", "writes before the value tensor", .spoil_call = guard_value},
    {"guard-index", "writes behind the index tensor", .spoil_call = guard_index},
    {"guard-input", "writes before the input tensor", .spoil_call = guard_input},
    {"changed-input", "writes into the input", .spoil_call = changed_input},
    {"matching-input", "changes the input into one that has its outputs",
     .spoil_call = matching_input},
    {"slack-front", "writes far before a buffer", .flags = TOPK_FLAG_IN_PLACE,
     .spoil_call = slack_front},
    {"slack-back", "writes far behind a buffer", .flags = TOPK_FLAG_IN_PLACE,
     .spoil_call = slack_back},
    {"gap", "writes between buffers", .align = 4096, .spoil = gap},
    {"refuse-all", "refuses all", .status = TOPK_BACKEND_REFUSED},
    {"unsupported-all", "claims to serve nothing", .status = TOPK_BACKEND_UNSUPPORTED},
    {"out-of-memory-all", "is out of memory, always", .status = TOPK_BACKEND_OUT_OF_MEMORY},
    {"lose-all", "loses its device in each call", .status = TOPK_BACKEND_DEVICE_LOST},
    {"fail-all", "fails in each call", .status = TOPK_BACKEND_FAILED},
    {"accept-all", "accepts all, and computes nothing", .spoil = accept_all},
    {"note", "is right, and gives notes with control characters and records", .spoil = note},
    {.name = NULL},
};
