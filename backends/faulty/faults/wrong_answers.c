/* Faults of answers: a kind of valid call that is refused, a kind of invalid call that is
 * accepted. */
#include "faulty.h"

typedef const struct topk_backend_call *call_of;

/* ---- valid calls are refused ----------------------------------------------------------------- */

#define REFUSES(name, condition)                                                                   \
    FAULTY_ANSWER(name, condition, TOPK_BACKEND_REFUSED, "this is refused on purpose")

REFUSES(no_rank_1, call->input->dimension_count == 1)
REFUSES(no_k_1, call->k == 1 && call->input->sizes[call->axis] > 1)
REFUSES(no_wide_index, call->index->data_type == TOPK_BACKEND_UINT64)
REFUSES(no_i64, call->input->data_type == TOPK_BACKEND_INT64)
REFUSES(no_u8, call->input->data_type == TOPK_BACKEND_UINT8)
REFUSES(no_output_strides, call->value->strides != NULL)
REFUSES(no_flags, call->execution_flags != 0)
REFUSES(no_axis_0, call->axis == 0 && call->input->dimension_count > 1)
REFUSES(no_slack, call->value->total_bytes % 4 != 0)
REFUSES(no_long_axis, call->input->sizes[call->axis] > 65535)
REFUSES(no_owned, call->input->flags != 0)
REFUSES(no_smallest, call->operator_type == TOPK_OPERATOR_TOP_K1 && call->direction == 0 &&
                         call->input->data_type == TOPK_BACKEND_FLOAT16)

/* ---- invalid calls are accepted -------------------------------------------------------------- */

static bool output_differs(call_of call)
{
    bool differs = false;
    for (uint32_t d = 0; faulty_axis_there(call) && d < call->input->dimension_count; d++) {
        differs |= d != call->axis && d < call->value->dimension_count &&
                   call->value->sizes[d] != call->input->sizes[d];
    }
    return differs;
}

static bool size_zero(call_of call)
{
    bool zero = false;
    for (uint32_t d = 0; faulty_axis_there(call) && d < call->input->dimension_count; d++) {
        zero |= call->input->sizes[d] == 0;
    }
    return zero;
}

static bool accept_if(struct faulty *self, bool condition)
{
    if (self->answer->status == TOPK_BACKEND_REFUSED && condition) {
        *self->answer = (struct topk_backend_answer){.status = TOPK_BACKEND_DONE};
        return false;
    }
    return true;
}

/* Defines an `answer` that accepts invalid calls with a condition. */
#define ACCEPTS(name, condition)                                                                   \
    static bool name(struct faulty *self)                                                          \
    {                                                                                              \
        call_of call = self->call;                                                                 \
        return accept_if(self, condition);                                                         \
    }

ACCEPTS(takes_k_above, faulty_axis_there(call) && call->k > call->input->sizes[call->axis])
ACCEPTS(takes_axis, faulty_whole(call) && call->axis >= call->input->dimension_count)
ACCEPTS(takes_types, faulty_whole(call) && call->input->data_type != call->value->data_type)
ACCEPTS(takes_signed_index, faulty_whole(call) && call->index->data_type == TOPK_BACKEND_INT32)
ACCEPTS(takes_sizes, output_differs(call))
ACCEPTS(takes_9, faulty_whole(call) && call->input->dimension_count > 8)
ACCEPTS(takes_missing, !faulty_whole(call))
ACCEPTS(takes_zero, size_zero(call))
ACCEPTS(takes_flags, faulty_whole(call) && call->input->flags > 1)
ACCEPTS(takes_f64, faulty_whole(call) && call->input->data_type == TOPK_BACKEND_FLOAT64)
ACCEPTS(takes_small, faulty_whole(call) && call->value->total_bytes < 4)
ACCEPTS(takes_level, call->feature_level < 0x3100)

const struct fault faulty_wrong_answers[] = {
    {"refuses-rank-1", "refuses", "refuses one dimension", "-",
     .trigger = "rank=1 and breaks=nothing", .answer = no_rank_1},
    {"refuses-k-1", "refuses", "refuses K = 1", "-", .trigger = "k=1 and n>=2 and breaks=nothing",
     .answer = no_k_1},
    {"refuses-wide-index", "refuses", "refuses UINT64 indices", "-",
     .trigger = "index=u64 and breaks=nothing", .answer = no_wide_index},
    {"refuses-i64", "refuses", "refuses INT64", "-", .trigger = "type=i64 and breaks=nothing",
     .answer = no_i64},
    {"refuses-u8", "refuses", "refuses UINT8", "-", .trigger = "type=u8 and breaks=nothing",
     .answer = no_u8},
    {"refuses-output-strides", "refuses", "refuses strides on values", "-",
     .trigger = "value-out!=packed and breaks=nothing", .answer = no_output_strides},
    /* no trigger: no condition can ask for execution flags or flags of a tensor */
    {"refuses-flags", "refuses", "refuses execution flags", "-", .answer = no_flags},
    {"refuses-axis-0", "refuses", "refuses axis 0 of several", "-",
     .trigger = "axis=first and breaks=nothing", .answer = no_axis_0},
    {"refuses-slack", "refuses", "refuses a total size that is no multiple of 4", "-",
     .trigger = "value-out!=packed and breaks=nothing", .answer = no_slack},
    {"refuses-long-axis", "refuses", "refuses more than 65535 elements", "-",
     .trigger = "n>65535 and breaks=nothing", .answer = no_long_axis},
    /* the same */
    {"refuses-owned", "refuses", "refuses an input that DirectML owns", "-", .answer = no_owned},
    {"refuses-f16-smallest", "refuses", "refuses the smallest of FLOAT16", "-",
     .trigger = "type=f16 and direction=smallest and breaks=nothing", .answer = no_smallest},
    {"accepts-k-above", "accepts", "accepts K above the length", "V03b", .trigger = "breaks=V03b",
     .answer = takes_k_above},
    {"accepts-axis", "accepts", "accepts an axis that is not there", "V01", .trigger = "breaks=V01",
     .answer = takes_axis},
    {"accepts-types", "accepts", "accepts values of another type", "V06", .trigger = "breaks=V06",
     .answer = takes_types},
    {"accepts-signed-index", "accepts", "accepts INT32 indices", "V07", .trigger = "breaks=V07",
     .answer = takes_signed_index, .few = "three tests have such an index"},
    {"accepts-sizes", "accepts", "accepts outputs of other sizes", "V05",
     .trigger = "breaks=V04|V05", .answer = takes_sizes},
    {"accepts-9-dimensions", "accepts", "accepts more than 8 dimensions", "V08",
     .trigger = "breaks=V08", .answer = takes_9},
    {"accepts-missing", "accepts", "accepts a tensor that is not there", "V11",
     .trigger = "breaks=V11", .answer = takes_missing},
    {"accepts-size-zero", "accepts", "accepts a size of 0", "T01", .trigger = "breaks=V03b|V04|T01",
     .answer = takes_zero},
    {"accepts-tensor-flags", "accepts", "accepts tensor flags that do not exist", "T11",
     .trigger = "breaks=T11", .answer = takes_flags},
    {"accepts-f64", "accepts", "accepts FLOAT64", "V09", .trigger = "breaks=V09",
     .answer = takes_f64, .few = "two tests have such a type alone"},
    {"accepts-small-total", "accepts", "accepts less than 4 bytes for values", "T08",
     .trigger = "breaks=V09|T08", .answer = takes_small},
    {"accepts-low-level", "accepts", "accepts what is invalid below feature level 3.1", "V09",
     .trigger = "breaks!=nothing or operator=top_k1 or alignment>=1 and alignment<16",
     .cause = "unwritten", .answer = takes_level},
    {0},
};
