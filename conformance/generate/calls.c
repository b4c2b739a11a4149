/* Draws the further calls of a case. */
#include <stdlib.h>
#include <string.h>

#include "alter.h"
#include "breaker.h"
#include "generate.h"

/* greatest number of further calls */
#define MORE 7u
/* cases of more elements stay single calls: each further call would take as long */
#define FEW_ELEMENTS 4096u

static const struct topk_limits small = {.elements = 2048, .bytes = (uint64_t)1 << 20};

static bool within(const struct topk_case *tc, const struct topk_limits *limits)
{
    uint64_t bytes = 0;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        bytes += tc->op.tensors[role].total_bytes;
    }
    return topk_tensor_elements(&tc->op.tensors[TOPK_INPUT]) <= limits->elements &&
           bytes <= limits->bytes;
}

static bool valid(const struct topk_case *tc)
{
    struct topk_validity validity;
    topk_operator_validate(&tc->op, tc->op.level, &validity);
    return topk_clause_set_empty(&validity.broken);
}

/* The number of the earlier call from which the next one is made: the last valid one, or any valid
 * one. 0 if there is none. */
static uint32_t draw_origin(struct topk_choice *choice, const struct topk_case *tc)
{
    const uint32_t back =
        topk_choice_below(choice, 4) == 3 ? topk_choice_below(choice, tc->before_count + 1) : 0;
    uint32_t number = tc->before_count + 1 - back;
    while (number > 0 && !valid(topk_case_call(tc, number))) {
        number--;
    }
    return number;
}

/* Applies a drawn alteration. False if memory is short. */
static bool change(struct topk_choice *choice, const struct topk_limits *limits,
                   struct topk_case *next)
{
    const struct topk_alteration *drawn =
        &topk_alterations[topk_choice_below(choice, topk_alteration_count)];
    struct topk_case changed;
    if (!topk_case_copy(&changed, next)) {
        topk_case_clear(&changed);
        return false;
    }
    const int altered = topk_alter(drawn, choice, &changed);
    if (altered == 1 && within(&changed, limits)) {
        topk_case_clear(next);
        *next = changed;
    } else {
        topk_case_clear(&changed);
    }
    return altered >= 0;
}

/* makes a call invalid; drops its data */
static void spoil(struct topk_choice *choice, struct topk_case *next)
{
    struct topk_case plain = *next;
    free(next->literal);
    plain.literal = NULL;
    plain.literal_count = 0;
    plain.recipe = NULL;
    plain.out = 0;
    plain.check = TOPK_CHECK_NONE;
    memset(plain.parameters, 0, sizeof plain.parameters);
    *next = plain;
    topk_breakers[topk_choice_below(choice, topk_breaker_count)].spoil(choice, next);
}

/* gives a call the output of the previous call, or of an earlier one, as data */
static void connect(struct topk_choice *choice, struct topk_case *tc)
{
    const uint32_t out = 1 + topk_choice_below(choice, tc->before_count);
    struct topk_case kept = *tc;
    tc->literal = NULL;
    tc->literal_count = 0;
    tc->recipe = NULL;
    memset(tc->parameters, 0, sizeof tc->parameters);
    tc->out = out;
    if (topk_case_connected(tc)) {
        free(kept.literal);
    } else {
        *tc = kept;
    }
}

/* Draws the last call of a case, to which topk_case_push() was applied. False if memory is
 * short. */
static bool draw_next(struct topk_choice *choice, const struct topk_limits *limits, uint32_t origin,
                      struct topk_case *tc)
{
    const uint32_t kind = topk_choice_below(choice, 8);
    struct topk_case next;
    bool drawn = true;
    if (origin == 0 || kind == 5) {
        if (!topk_generate_valid(choice, limits, &next)) {
            return false;
        }
    } else if (!topk_case_copy(&next, topk_case_call(tc, origin))) {
        topk_case_clear(&next);
        return false;
    } else if (kind < 4) {
        drawn = change(choice, limits, &next);
    } else if (kind == 6) {
        drawn = change(choice, limits, &next);
        drawn = drawn && change(choice, limits, &next);
    } else if (kind == 7) {
        spoil(choice, &next);
    }
    if (!drawn) {
        topk_case_clear(&next);
        return false;
    }
    next.before = tc->before;
    next.before_count = tc->before_count;
    *tc = next;
    if (next.out != 0 && !topk_case_connected(tc)) {
        tc->out = 0; /* data=out:N of the original refers to another call from here */
    }
    if (kind < 7 && topk_choice_once_in(choice, 6)) {
        connect(choice, tc);
    }
    return true;
}

bool topk_generate_more(struct topk_choice *choice, const struct topk_limits *limits,
                        struct topk_case *tc)
{
    const struct topk_limits each = {
        .elements = limits->elements < small.elements ? limits->elements : small.elements,
        .bytes = limits->bytes < small.bytes ? limits->bytes : small.bytes};
    const uint32_t more = 1 + topk_choice_below(choice, MORE);
    for (uint32_t i = 0; i < more; i++) {
        topk_choice_part(choice, TOPK_PART_CALLS);
        const uint32_t origin = draw_origin(choice, tc);
        if (!topk_case_push(tc) || !draw_next(choice, &each, origin, tc)) {
            topk_case_clear(tc);
            return false;
        }
    }
    return true;
}

bool topk_generate_calls(struct topk_choice *choice, const struct topk_limits *limits,
                         struct topk_case *tc)
{
    if (!topk_generate(choice, limits, tc)) {
        return false;
    }
    topk_choice_part(choice, TOPK_PART_CALLS);
    if (!topk_choice_once_in(choice, 8) ||
        !within(tc, &(struct topk_limits){FEW_ELEMENTS, limits->bytes}) ||
        topk_case_too_large(tc)) {
        return true;
    }
    return topk_generate_more(choice, limits, tc);
}
