/* How the tests of reports interpret cases: those of groups `invalid' and `axis' require no result;
 * the word "t" means cases whose ids start with t. */
#ifndef TOPK_REPORTS_ASKS_H
#define TOPK_REPORTS_ASKS_H

#include <string.h>

#include "summary/summary.h"

static inline int fixture_kind(const char *word)
{
    return strlen(word) == 1 ? word[0] : -1;
}

static inline uint64_t fixture_ask(const char *id, const int *kinds, size_t count)
{
    uint64_t bits = strncmp(id, "invalid", 7) != 0 && strncmp(id, "axis", 4) != 0 ? 1 : 0;
    for (size_t i = 0; bits != 0 && i < count; i++) {
        bits |= kinds[i] == id[0] ? UINT64_C(2) << i : 0;
    }
    return bits;
}

static const struct topk_asks fixture_asks = {fixture_kind, fixture_ask};

/* other properties are unknown */
static inline const char *const *fixture_class(enum topk_facet facet)
{
    static const char *const names[] = {"some", NULL};
    (void)facet;
    return names;
}

static inline void fixture_look(const char *id, struct topk_case_look *look)
{
    (void)id;
    memset(look, 0, sizeof *look);
}

static inline void fixture_expect(const char *id, uint32_t call,
                                  const struct topk_contract *contract, uint64_t sequence,
                                  uint32_t from, uint32_t count, struct topk_expected *expected)
{
    (void)id;
    (void)call;
    (void)contract;
    (void)sequence;
    (void)from;
    (void)count;
    memset(expected, 0, sizeof *expected);
}

static const struct topk_case_lookup fixture_lookup = {fixture_class,  fixture_look, &fixture_asks,
                                                       fixture_expect, NULL,         NULL};

#endif
