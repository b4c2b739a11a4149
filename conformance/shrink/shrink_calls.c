/* Drops calls of a sequence. */
#include <stdlib.h>

#include "shrink_state.h"

/* call `number` of a sequence, counted with the last one, for writing */
static struct topk_case *call_at(struct topk_case *tc, uint32_t number)
{
    return number < tc->before_count ? &tc->before[number] : tc;
}

/* Removes `count` calls starting at `from`; the last call of the case is counted, too. False if a
 * remaining call uses the output of a removed one. */
static bool drop(struct topk_case *tc, uint32_t from, uint32_t count)
{
    const uint32_t calls = tc->before_count + 1;
    bool ok = true;
    for (uint32_t i = from + count; i < calls; i++) {
        struct topk_case *call = call_at(tc, i);
        if (call->out > i - from) {
            call->out -= count;
        } else {
            ok = ok && (call->out == 0 || i - call->out >= from + count);
        }
    }
    for (uint32_t i = from; i < from + count; i++) {
        struct topk_case *call = call_at(tc, i);
        free(call->literal);
        call->literal = NULL;
    }
    struct topk_case *const before = tc->before;
    struct topk_case last = *tc;
    if (from + count == calls) {
        last = before[from - 1]; /* the last remaining call */
    } else {
        for (uint32_t i = from; i + count < tc->before_count; i++) {
            before[i] = before[i + count];
        }
    }
    last.before = before;
    last.before_count = calls - count - 1;
    *tc = last;
    if (last.before_count == 0) {
        free(before);
        tc->before = NULL;
    }
    return ok;
}

/* offers literal data for a call whose data is an output */
static bool propose_literal(struct topk_shrinker *shrinker, uint32_t number)
{
    struct topk_case candidate = topk_shrink_copy(shrinker);
    struct topk_case alone;
    if (shrinker->ended || call_at(&candidate, number)->out == 0) {
        topk_case_clear(&candidate);
        return shrinker->ended;
    }
    if (!topk_case_alone(&alone, shrinker->current, number + 1)) {
        topk_shrink_no_memory(shrinker);
    }
    struct topk_case *call = call_at(&candidate, number);
    call->out = 0;
    call->literal = alone.literal;
    call->literal_count = alone.literal_count;
    alone.literal = NULL;
    topk_case_clear(&alone);
    return topk_shrink_offer_calls(shrinker, &candidate);
}

/* drops runs of calls, then single calls; then replaces outputs as data */
static void propose_calls(struct topk_shrinker *shrinker)
{
    const uint32_t calls = shrinker->current->before_count + 1;
    for (uint32_t count = calls - 1; count > 0; count = count > calls / 2 ? calls / 2 : count / 2) {
        for (uint32_t from = 0; from + count <= calls; from++) {
            struct topk_case candidate = topk_shrink_copy(shrinker);
            if (shrinker->ended || !drop(&candidate, from, count)) {
                topk_case_clear(&candidate);
            } else if (topk_shrink_offer_calls(shrinker, &candidate)) {
                return;
            }
        }
    }
    for (uint32_t i = 0; i < calls; i++) {
        if (propose_literal(shrinker, i)) {
            return;
        }
    }
}

const struct topk_shrink_step topk_shrink_calls = {"calls", propose_calls};
