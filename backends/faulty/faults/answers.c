/* Faults of answers: calls that are wrongly refused, accepted or failed. */
#include "faulty.h"

static bool above_2_gib(const struct topk_backend_tensor *tensor)
{
    return tensor->total_bytes > INT32_MAX;
}

static bool low_alignment(const struct topk_backend_tensor *tensor)
{
    uint32_t alignment = tensor->guaranteed_base_offset_alignment;
    return alignment > 0 && alignment < 16;
}

FAULTY_ANSWER(refuses_valid, call->input->dimension_count == 8, TOPK_BACKEND_REFUSED,
              "8 dimensions are too many")
FAULTY_ANSWER(refuses_giant,
              above_2_gib(call->input) || above_2_gib(call->value) || above_2_gib(call->index),
              TOPK_BACKEND_REFUSED, "the total size is negative")
FAULTY_ANSWER(refuses_whole, call->k >= call->input->sizes[call->axis], TOPK_BACKEND_REFUSED,
              "K is not less than Sizes[Axis]")
FAULTY_ANSWER(refuses_low_alignment,
              low_alignment(call->input) || low_alignment(call->value) ||
                  low_alignment(call->index),
              TOPK_BACKEND_REFUSED, "alignment below 16")
FAULTY_ANSWER(fails, call->k == 3, TOPK_BACKEND_FAILED, "it went wrong")
FAULTY_ANSWER(loses_device, call->k == 3, TOPK_BACKEND_DEVICE_LOST, "it went wrong")

/* claims to have created what it cannot compute */
static bool accepts_all(struct faulty *self)
{
    bool done = self->answer->status == TOPK_BACKEND_DONE;
    self->answer->status = TOPK_BACKEND_DONE;
    return done;
}

static bool accepts_k_zero(struct faulty *self)
{
    return self->call->k == 0 ? accepts_all(self) : true;
}

/* Choices that the clauses leave open must pass. */
const struct fault faulty_allowed[] = {
    {"none", "allowed", "nothing is wrong", .clauses = NULL},
    {"refuses-k-equal-size", "allowed", "refuses K = Sizes[Axis]", .answer = refuses_whole},
    {"refuses-low-alignment", "allowed", "refuses alignments below 16",
     .answer = refuses_low_alignment},
    {"batch-huge", "allowed", "wants all calls at once", .batch = UINT32_MAX},
    {0},
};

const struct fault faulty_answers[] = {
    {"refuses-valid", "answers", "refuses 8 dimensions", "-",
     .trigger = "rank=8 and breaks=nothing", .answer = refuses_valid},
    /* no trigger: no condition can ask for the size of an output */
    {"refuses-giant", "answers", "refuses tensors of 2 GiB and more", "-", .answer = refuses_giant},
    {"accepts-all-invalid", "answers", "accepts every description",
     "V01 V02 V03b V04 V05 V06 V07 V08 V09 V11 V14 T01 T02+ T08 T09 T10 T11 T12+",
     .trigger = "breaks!=nothing or operator=top_k1 or alignment>=1 and alignment<16",
     .cause = "unwritten", .answer = accepts_all},
    {"accepts-k-zero", "answers", "accepts K = 0", "V02", .trigger = "k=0",
     .answer = accepts_k_zero},
    {"fails", "answers", "fails where K is 3", "-", .trigger = "k=3 and breaks=nothing",
     .answer = fails},
    {"device-lost", "answers", "loses its device where K is 3", "-",
     .trigger = "k=3 and breaks=nothing", .answer = loses_device},
    {0},
};
