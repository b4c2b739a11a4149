/* Counts what changes between neighbouring calls of a sequence. */
#include "neighbours.h"

#include <string.h>

/* what a call means for the next one */
enum role {
    ROLE_OTHER, /* may be refused, or is only created */
    ROLE_REFUSED,
    ROLE_COUNTS
};

static bool look(const struct topk_case *tc, enum role *role,
                 unsigned char classes[TOPK_ASPECT_COUNT])
{
    struct topk_validity validity;
    topk_operator_validate(&tc->op, tc->op.level, &validity);
    if (!topk_clause_set_empty(&validity.broken)) {
        *role = ROLE_REFUSED;
        return true;
    }
    *role = topk_aspects_count(tc) && !topk_case_too_large(tc) ? ROLE_COUNTS : ROLE_OTHER;
    return *role != ROLE_COUNTS || topk_aspects_of(tc, classes);
}

static void add_pair(struct topk_neighbours *neighbours, const unsigned char from[],
                     const unsigned char to[])
{
    unsigned changes = 0;
    unsigned last = 0;
    for (unsigned i = 0; i < TOPK_ASPECT_COUNT; i++) {
        if (from[i] != to[i]) {
            changes++;
            last = i;
            neighbours->changed[i]++;
            neighbours->turned[from[i]][to[i]] = true;
        }
    }
    neighbours->pairs++;
    neighbours->same += changes == 0;
    neighbours->alone[last] += changes == 1;
}

bool topk_neighbours_add(struct topk_neighbours *neighbours, const struct topk_case *tc)
{
    unsigned char before[TOPK_ASPECT_COUNT];
    enum role role_before = ROLE_OTHER;
    bool ok = true;
    for (uint32_t i = 1; ok && tc->before_count > 0 && i <= tc->before_count + 1; i++) {
        struct topk_case alone;
        unsigned char classes[TOPK_ASPECT_COUNT];
        enum role role = ROLE_OTHER;
        ok = topk_case_alone(&alone, tc, i) && look(&alone, &role, classes);
        topk_case_clear(&alone);
        if (ok && role == ROLE_COUNTS && role_before == ROLE_COUNTS) {
            add_pair(neighbours, before, classes);
        }
        neighbours->refused += role == ROLE_COUNTS && role_before == ROLE_REFUSED;
        role_before = role;
        memcpy(before, classes, role == ROLE_COUNTS ? sizeof before : 0);
    }
    return ok;
}

unsigned topk_neighbours_turns(const struct topk_neighbours *neighbours, enum topk_aspect aspect)
{
    const unsigned first = topk_aspect_first(aspect);
    const unsigned count = topk_aspect_classes(aspect);
    unsigned turns = 0;
    for (unsigned from = first; from < first + count; from++) {
        for (unsigned to = first; to < first + count; to++) {
            turns += neighbours->turned[from][to];
        }
    }
    return turns;
}
