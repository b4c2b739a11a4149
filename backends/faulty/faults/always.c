/* Faults in every call. They do not test whether the suite finds faults, but whether each case can
 * fail: a case that passes with all of them could never fail. */
#include "faulty.h"

FAULTY_WHEN(odd, row->calls % 2 == 0)
FAULTY_WHEN(even, row->calls % 2 == 1)

/* Accepts every call that can be computed, even if a refusal is allowed, so that outputs are
 * judged. */
static bool accepts(struct faulty *self)
{
    if (self->call->create_only == 0) {
        *self->answer = (struct topk_backend_answer){.status = TOPK_BACKEND_DONE};
    }
    return self->answer->status == TOPK_BACKEND_DONE;
}

static void guard(struct faulty *self)
{
    self->tensors[VALUE].start[self->call->value->total_bytes] ^= 0xff;
}

static bool opposite(struct faulty *self)
{
    bool refused = self->answer->status == TOPK_BACKEND_REFUSED;
    *self->answer =
        (struct topk_backend_answer){.status = refused ? TOPK_BACKEND_DONE : TOPK_BACKEND_REFUSED};
    return false;
}

const struct fault faulty_always[] = {
    {"always-value", "always", "a bit of the last value of each sequence is turned over", "S05",
     .answer = accepts, .select = faulty_spoil_value},
    {"always-guard", "always", "a byte behind the value output is turned over", "M02",
     .answer = accepts, .after = guard},
    {"always-opposite", "always", "refuses what is valid and accepts what is not", "-",
     .answer = opposite},
    {"always-odd", "always", "the first call and every second one behind it are as in always-value",
     "S05", .batch = 1, .answer = accepts, .when = odd, .select = faulty_spoil_value},
    {"always-even", "always",
     "the second call and every second one behind it are as in always-value", "S05", .batch = 1,
     .answer = accepts, .when = even, .select = faulty_spoil_value},
    {0},
};
