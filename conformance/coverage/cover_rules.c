/* The rules of cover_rules.def as functions and as a table. */
#include "cover.h"

/* the class that an assignment has in an aspect */
#define HAS(aspect, class) (classes[TOPK_ASPECT_##aspect] == TOPK_CLASS_##aspect##_##class)

/* a => b */
static bool implies(bool a, bool b)
{
    return !a || b;
}

static bool is_float(const unsigned char *classes)
{
    return HAS(TYPE, F32) || HAS(TYPE, F16);
}

static unsigned rank_of(const unsigned char *classes)
{
    return classes[TOPK_ASPECT_RANK] - TOPK_CLASS_RANK_1 + 1u;
}

/* the least number of dimensions of size > 1 other than Axis, for the class */
static unsigned batch_of(const unsigned char *classes)
{
    return classes[TOPK_ASPECT_BATCH] - (unsigned)TOPK_CLASS_BATCH_NONE;
}

/* whether Axis has more than one element; in the outputs it has K */
static bool long_input(const unsigned char *classes)
{
    return !HAS(LENGTH, 1);
}

static bool long_output(const unsigned char *classes)
{
    return !HAS(K, 1);
}

/* whether a tensor has enough dimensions of size > 1 for a layout, numbered as the input's */
static bool dimensions_do(unsigned layout, unsigned batch, bool long_axis)
{
    switch (layout + TOPK_CLASS_INPUT_PACKED) {
    case TOPK_CLASS_INPUT_PADDED:
    case TOPK_CLASS_INPUT_PERMUTED:
    case TOPK_CLASS_INPUT_WINDOWS:
        return batch + long_axis >= 2;
    case TOPK_CLASS_INPUT_INTERLEAVED:
    case TOPK_CLASS_INPUT_BROADCAST:
        return batch + long_axis >= 1;
    default:
        return true;
    }
}

/* ---- the rules ------------------------------------------------------------------------------- */

#define A(aspect) (1u << TOPK_ASPECT_##aspect)

#define RULE(name, aspects, holds, reason)                                                         \
    static bool name(const unsigned char *classes)                                                 \
    {                                                                                              \
        return holds;                                                                              \
    }
#include "cover_rules.def"
#undef RULE

const struct topk_rule topk_rules[] = {
#define RULE(name, aspects, holds, reason) {aspects, name, reason},
#include "cover_rules.def"
#undef RULE
};
const unsigned topk_rule_count = sizeof topk_rules / sizeof topk_rules[0];

_Static_assert(sizeof topk_rules / sizeof topk_rules[0] <= 64, "a set of rules is a uint64_t");
_Static_assert(TOPK_ASPECT_COUNT <= 32, "a set of aspects is a uint32_t");

uint64_t topk_rules_all(void)
{
    return UINT64_MAX >> (64 - topk_rule_count);
}

uint64_t topk_rules_broken(const unsigned char classes[TOPK_ASPECT_COUNT], uint64_t rules)
{
    uint64_t broken = 0;
    for (unsigned i = 0; i < topk_rule_count; i++) {
        if ((rules >> i & 1) != 0 && !topk_rules[i].holds(classes)) {
            broken |= (uint64_t)1 << i;
        }
    }
    return broken;
}
