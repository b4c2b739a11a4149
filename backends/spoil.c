/* What chaos does to a call that was run. */
#include "spoil.h"

#include <stdio.h>
#include <string.h>

#include "element.h"

/* sequences that are searched for equal values */
#define SEARCHED 64u

static unsigned char *element_at(struct topk_call *call, enum topk_role role, const uint32_t at[])
{
    const struct topk_tensor *tensor = &call->test.op.tensors[role];
    return call->live[role].data + call->offset[role] +
           topk_tensor_offset(tensor, at) * topk_type_bytes(tensor->type);
}

static void set_output(struct topk_call *call, enum topk_role role, const uint32_t at[],
                       uint64_t bits)
{
    topk_element_store(element_at(call, role, at),
                       topk_type_bytes(call->test.op.tensors[role].type), bits);
}

static void exchange(struct topk_call *call, enum topk_role role, const uint32_t a[],
                     const uint32_t b[])
{
    uint64_t bits = topk_call_output(call, role, a);
    set_output(call, role, a, topk_call_output(call, role, b));
    set_output(call, role, b, bits);
}

/* The first neighbours of equal values: their indices have to ascend. A NaN equals nothing. */
static bool exchange_ties(struct topk_call *call)
{
    const struct topk_operator *op = &call->test.op;
    uint32_t type = op->tensors[TOPK_VALUE].type;
    uint64_t sequences = topk_operator_sequences(op);
    for (uint64_t s = 0; s < sequences && s < SEARCHED; s++) {
        uint32_t a[TOPK_RANK_MAX] = {0};
        topk_operator_sequence_at(op, s, a);
        uint32_t b[TOPK_RANK_MAX];
        memcpy(b, a, sizeof b);
        for (uint32_t i = 0; i + 1 < op->k; i++) {
            a[op->axis] = i;
            b[op->axis] = i + 1;
            uint64_t bits = topk_call_output(call, TOPK_VALUE, a);
            if (bits == topk_call_output(call, TOPK_VALUE, b) && !topk_element_nan(type, bits)) {
                exchange(call, TOPK_INDEX, a, b);
                return true;
            }
        }
    }
    return false;
}

static bool exchange_first(struct topk_call *call)
{
    const struct topk_operator *op = &call->test.op;
    uint32_t a[TOPK_RANK_MAX] = {0};
    uint32_t b[TOPK_RANK_MAX] = {0};
    if (op->k < 2 || topk_type_float(op->tensors[TOPK_VALUE].type)) {
        return false; /* NaNs have any order */
    }
    b[op->axis] = 1;
    exchange(call, TOPK_VALUE, a, b);
    exchange(call, TOPK_INDEX, a, b);
    return true;
}

static bool drop_index(struct topk_call *call)
{
    const struct topk_operator *op = &call->test.op;
    const uint32_t at[TOPK_RANK_MAX] = {0};
    set_output(call, TOPK_INDEX, at, op->tensors[TOPK_INPUT].sizes[op->axis]);
    return true;
}

static bool leave_stale(struct topk_call *call)
{
    for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
        memcpy(call->live[role].data, call->before[role].data, (size_t)call->bytes[role]);
    }
    return true;
}

static bool change_guard(struct topk_call *call)
{
    uint64_t offset = call->offset[TOPK_VALUE];
    uint64_t end = offset + call->test.op.tensors[TOPK_VALUE].total_bytes;
    if (offset > 0) {
        call->live[TOPK_VALUE].data[offset - 1] ^= 1;
    } else if (end < call->bytes[TOPK_VALUE]) {
        call->live[TOPK_VALUE].data[end] ^= 1;
    } else {
        return false;
    }
    return true;
}

static bool change_input(struct topk_call *call)
{
    const uint32_t at[TOPK_RANK_MAX] = {0};
    *element_at(call, TOPK_INPUT, at) ^= 1;
    return true;
}

static bool answer(struct topk_call *call, uint32_t status)
{
    call->answer.status = status;
    return true;
}

/* False if it cannot be done to this call. */
static bool spoil(enum topk_chaos_kind kind, struct topk_call *call)
{
    if (topk_chaos_row(kind)->place == TOPK_CHAOS_AT_OUTPUT &&
        (call->answer.status != TOPK_BACKEND_DONE || call->call.create_only != 0)) {
        return false;
    }
    switch (kind) {
    case TOPK_CHAOS_TIES:
        return exchange_ties(call);
    case TOPK_CHAOS_SWAP:
        return exchange_first(call);
    case TOPK_CHAOS_DROP:
        return drop_index(call);
    case TOPK_CHAOS_STALE:
        return leave_stale(call);
    case TOPK_CHAOS_GUARD:
        return change_guard(call);
    case TOPK_CHAOS_INPUT:
        return change_input(call);
    case TOPK_CHAOS_LOST:
        return answer(call, TOPK_BACKEND_DEVICE_LOST);
    case TOPK_CHAOS_MEMORY:
        return answer(call, TOPK_BACKEND_OUT_OF_MEMORY);
    default:
        return false;
    }
}

void topk_spoil(enum topk_chaos_kind kind, struct topk_call *call)
{
    if (spoil(kind, call)) {
        snprintf(call->answer.reason, sizeof call->answer.reason, TOPK_CHAOS_REASON "%s",
                 topk_chaos_row(kind)->word);
    }
}
