/* What is wrong in every call. These are no faults that a suite has to find: they try its cases. A
 * case that none of them fails could not fail at all. */
#include "faulty.h"

#include <stdio.h>

static void spoil(struct row *row)
{
    row->entries[row->k - 1].bits ^= 1;
}

/* What is to be computed is accepted, also where a refusal is allowed: its outputs are in question.
 */
static bool accepts(struct faulty *self, const struct topk_backend_call *call,
                    struct topk_backend_answer *answer)
{
    (void)self;
    if (call->create_only == 0) {
        *answer = (struct topk_backend_answer){.status = TOPK_BACKEND_DONE};
    }
    return answer->status == TOPK_BACKEND_DONE;
}

static void value(struct row *row)
{
    spoil(row);
    faulty_write(row);
}

static void guard(struct faulty *self, const struct topk_backend_call *call,
                  const struct tensor tensors[ROLES])
{
    (void)self;
    tensors[VALUE].start[call->value->total_bytes] ^= 0xff;
}

static bool opposite(struct faulty *self, const struct topk_backend_call *call,
                     struct topk_backend_answer *answer)
{
    bool refused = answer->status == TOPK_BACKEND_REFUSED;
    (void)self;
    (void)call;
    *answer =
        (struct topk_backend_answer){.status = refused ? TOPK_BACKEND_DONE : TOPK_BACKEND_REFUSED};
    return false;
}

static void odd(struct row *row)
{
    if (row->calls % 2 == 0) {
        spoil(row);
    }
    faulty_write(row);
}

static void even(struct row *row)
{
    if (row->calls % 2 == 1) {
        spoil(row);
    }
    faulty_write(row);
}

const struct fault faulty_always[] = {
    {"always-value", "always", "a bit of the last value of each sequence is turned over", "S05",
     .answer = accepts, .write = value},
    {"always-guard", "always", "a byte behind the value output is turned over", "M02",
     .answer = accepts, .after = guard},
    {"always-opposite", "always", "refuses what is valid and accepts what is not", "-",
     .answer = opposite},
    {"always-odd", "always", "the first call and every second one behind it are as in always-value",
     "S05", .batch = 1, .answer = accepts, .write = odd},
    {"always-even", "always",
     "the second call and every second one behind it are as in always-value", "S05", .batch = 1,
     .answer = accepts, .write = even},
    {0},
};
