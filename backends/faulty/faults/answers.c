/* Faults of answers: what is refused, accepted, or said to have failed. */
#include "faulty.h"

#include <stdio.h>

static bool refuse(struct topk_backend_answer *answer, const char *why)
{
    answer->status = TOPK_BACKEND_REFUSED;
    snprintf(answer->reason, sizeof answer->reason, "%s", why);
    return false;
}

static bool refuses_valid(struct faulty *self, const struct topk_backend_call *call,
                          struct topk_backend_answer *answer)
{
    (void)self;
    return answer->status != TOPK_BACKEND_DONE || call->input->dimension_count != 8 ||
           refuse(answer, "8 dimensions are too many");
}

static bool refuses_giant(struct faulty *self, const struct topk_backend_call *call,
                          struct topk_backend_answer *answer)
{
    (void)self;
    const struct topk_backend_tensor *tensors[] = {call->input, call->value, call->index};
    for (int role = 0; role < ROLES && answer->status == TOPK_BACKEND_DONE; role++) {
        if (tensors[role]->total_bytes > INT32_MAX) {
            return refuse(answer, "the total size is negative");
        }
    }
    return true;
}

/* what it cannot compute it claims to have created */
static bool accepts_all(struct faulty *self, const struct topk_backend_call *call,
                        struct topk_backend_answer *answer)
{
    (void)self;
    (void)call;
    bool done = answer->status == TOPK_BACKEND_DONE;
    answer->status = TOPK_BACKEND_DONE;
    return done;
}

static bool accepts_k_zero(struct faulty *self, const struct topk_backend_call *call,
                           struct topk_backend_answer *answer)
{
    return call->k == 0 ? accepts_all(self, call, answer) : true;
}

static bool refuses_whole(struct faulty *self, const struct topk_backend_call *call,
                          struct topk_backend_answer *answer)
{
    (void)self;
    return answer->status != TOPK_BACKEND_DONE || call->k < call->input->sizes[call->axis] ||
           refuse(answer, "K is not less than Sizes[Axis]");
}

static bool refuses_low_alignment(struct faulty *self, const struct topk_backend_call *call,
                                  struct topk_backend_answer *answer)
{
    (void)self;
    const struct topk_backend_tensor *tensors[] = {call->input, call->value, call->index};
    for (int role = 0; role < ROLES && answer->status == TOPK_BACKEND_DONE; role++) {
        uint32_t alignment = tensors[role]->guaranteed_base_offset_alignment;
        if (alignment > 0 && alignment < 16) {
            return refuse(answer, "alignment below 16");
        }
    }
    return true;
}

static bool fails(struct faulty *self, const struct topk_backend_call *call,
                  struct topk_backend_answer *answer)
{
    (void)self;
    if (call->k == 3 && answer->status == TOPK_BACKEND_DONE) {
        answer->status = TOPK_BACKEND_FAILED;
        snprintf(answer->reason, sizeof answer->reason, "it went wrong");
    }
    return answer->status == TOPK_BACKEND_DONE;
}

static bool loses_device(struct faulty *self, const struct topk_backend_call *call,
                         struct topk_backend_answer *answer)
{
    if (!fails(self, call, answer) && answer->status == TOPK_BACKEND_FAILED) {
        answer->status = TOPK_BACKEND_DEVICE_LOST;
        return false;
    }
    return true;
}

/* What the clauses leave open has to pass. */
const struct fault faulty_allowed[] = {
    {"none", "allowed", "nothing is wrong", .clauses = NULL},
    {"refuses-k-equal-size", "allowed", "refuses K = Sizes[Axis]", .answer = refuses_whole},
    {"refuses-low-alignment", "allowed", "refuses alignments below 16",
     .answer = refuses_low_alignment},
    {"batch-huge", "allowed", "wants all calls at once", .batch = UINT32_MAX},
    {0},
};

const struct fault faulty_answers[] = {
    {"refuses-valid", "answers", "refuses 8 dimensions", "-", .answer = refuses_valid},
    {"refuses-giant", "answers", "refuses tensors of 2 GiB and more", "-", .answer = refuses_giant},
    {"accepts-all-invalid", "answers", "accepts every description",
     "V01 V02 V03b V04 V05 V06 V07 V08 V09 V11 V14 T01 T02+ T08 T09 T10 T11 T12+",
     .answer = accepts_all},
    {"accepts-k-zero", "answers", "accepts K = 0", "V02", .answer = accepts_k_zero},
    {"fails", "answers", "fails where K is 3", "S12", .answer = fails},
    {"device-lost", "answers", "loses its device where K is 3", "-", .answer = loses_device},
    {0},
};
