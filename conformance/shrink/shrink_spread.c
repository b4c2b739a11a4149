/* Applies a change of one call of a sequence to the other calls that are like it. Calls that must
 * stay alike, because one meets state of another, thus become plainer together. */
#include <string.h>

#include "reference/element.h"
#include "shrink_state.h"

static bool same_numbers(const uint32_t *a, const uint32_t *b, uint32_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

/* if *other equals *was, it gets the value of *now */
#define TAKE(member)                                                                               \
    do {                                                                                           \
        if (other->member == was->member) {                                                        \
            other->member = now->member;                                                           \
        }                                                                                          \
    } while (0)

static void spread_tensor(struct topk_tensor *other, const struct topk_tensor *was,
                          const struct topk_tensor *now)
{
    const struct topk_tensor before = *other;
    const bool alike = before.rank == was->rank;
    const bool strides = alike && before.strided == was->strided &&
                         (!before.strided || same_numbers(before.strides, was->strides, was->rank));
    TAKE(present);
    TAKE(type);
    TAKE(flags);
    TAKE(alignment);
    if (alike && (was->rank == now->rank || same_numbers(before.sizes, was->sizes, was->rank))) {
        other->rank = now->rank;
        for (uint32_t d = 0; d < now->rank; d++) {
            TAKE(sizes[d]);
        }
    }
    if (strides) {
        other->strided = now->strided;
        memcpy(other->strides, now->strides, sizeof other->strides);
    }
    const uint64_t was_more = was->total_bytes - topk_tensor_least_bytes(was);
    if (before.total_bytes - topk_tensor_least_bytes(&before) == was_more) {
        other->total_bytes =
            topk_tensor_least_bytes(other) + now->total_bytes - topk_tensor_least_bytes(now);
    } else {
        topk_shrink_follow_total(other, &before);
    }
}

static void spread_call(struct topk_case *other, const struct topk_case *was,
                        const struct topk_case *now)
{
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        spread_tensor(&other->op.tensors[role], &was->op.tensors[role], &now->op.tensors[role]);
        TAKE(offset[role]);
    }
    TAKE(op.kind);
    TAKE(op.level);
    TAKE(op.axis);
    TAKE(op.k);
    TAKE(op.direction);
    TAKE(op.execution);
    TAKE(padding);
    TAKE(check);
    if (other->literal == NULL && was->literal == NULL && now->literal == NULL &&
        other->out == was->out && other->recipe == was->recipe &&
        memcmp(other->parameters, was->parameters, sizeof other->parameters) == 0) {
        other->out = now->out;
        other->recipe = now->recipe;
        memcpy(other->parameters, now->parameters, sizeof other->parameters);
    }
}

/* whether a call breaks the same clauses as another and is not heavier */
static bool as_good(const struct topk_case *tc, const struct topk_case *as)
{
    struct topk_validity validity;
    struct topk_validity wanted;
    const struct topk_shrink_weight weight = topk_shrink_weigh(tc);
    const struct topk_shrink_weight most = topk_shrink_weigh(as);
    topk_operator_validate(&tc->op, tc->op.level, &validity);
    topk_operator_validate(&as->op, as->op.level, &wanted);
    return memcmp(&validity.broken, &wanted.broken, sizeof wanted.broken) == 0 &&
           !topk_shrink_lighter(&most, &weight);
}

bool topk_shrink_spread(const struct topk_case *current, struct topk_case *candidate)
{
    bool ok = true;
    bool any = false;
    for (uint32_t i = 0; ok && i < candidate->before_count; i++) {
        struct topk_case *other = &candidate->before[i];
        const struct topk_shrink_weight before = topk_shrink_weigh(other);
        spread_call(other, current, candidate);
        const struct topk_shrink_weight after = topk_shrink_weigh(other);
        any |= topk_shrink_lighter(&after, &before);
        ok = as_good(other, &current->before[i]);
    }
    return ok && any;
}
