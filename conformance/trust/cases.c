/* topk-cts trust: reads the cases of a profile and classifies them for faults. */
#include <stdlib.h>
#include <string.h>

#include "case/case.h"
#include "coverage/coverage.h"
#include "trust.h"

/* greatest number of input elements in each step but the last, which has no limit */
static const uint64_t step_elements[TRUST_STEPS - 1] = {1024, 16384};

/* ---- cases ----------------------------------------------------------------------------------- */

bool trust_set_has(const uint64_t *set, size_t number)
{
    return (set[number / 64] >> number % 64 & 1) != 0;
}

const uint64_t *trust_drill_set(const struct trust *trust, enum trust_drill number)
{
    return trust->sets + (trust->fault_count + number) * trust->suite.words;
}

static unsigned char step_of(const struct topk_case *tc)
{
    uint64_t elements = topk_tensor_elements(&tc->op.tensors[TOPK_INPUT]);
    unsigned char step = 0;
    /* A too large case is only created, not computed, so its size costs no time. */
    while (step < TRUST_STEPS - 1 && elements > step_elements[step] && !topk_case_too_large(tc)) {
        step++;
    }
    return step;
}

static void look_at(const struct cli_case *c, struct trust_case *at)
{
    struct topk_case tc;
    struct topk_validity validity;
    cli_need_memory(cli_case_parse(c->id, c->length, &tc));
    topk_operator_validate(&tc.op, tc.op.level, &validity);
    bool valid = topk_clause_set_empty(&validity.broken);
    at->kind = valid && !topk_case_too_large(&tc) ? TRUST_COMPUTED : TRUST_ANSWERED;
    at->step = valid ? step_of(&tc) : 0;
    at->refusal = !topk_aspects_ask(&tc);
    at->related = at->kind == TRUST_COMPUTED && topk_check_applies(&tc);
    topk_case_clear(&tc);
}

/* Returns the number of a case's group; adds the group if it is new. */
static uint32_t group_number(struct trust_suite *suite, const char *group)
{
    uint32_t i = 0;
    while (i < suite->group_count && strcmp(suite->groups[i], group) != 0) {
        i++;
    }
    if (i == suite->group_count && i < TRUST_GROUPS_MAX) {
        suite->groups[i] = group;
        suite->own[i] = strcmp(group, "faults") == 0;
        suite->group_count++;
    }
    return i;
}

static void sort_groups(struct trust_suite *suite)
{
    for (uint32_t group = 0; group < suite->group_count; group++) {
        uint32_t at = group;
        for (; at > 0 && suite->sizes[suite->by_size[at - 1]] > suite->sizes[group]; at--) {
            suite->by_size[at] = suite->by_size[at - 1];
        }
        suite->by_size[at] = (unsigned char)group;
    }
}

void trust_suite_open(struct trust_suite *suite, const struct topk_profile *profile)
{
    memset(suite, 0, sizeof *suite);
    suite->profile = profile;
    cli_cases_select(&suite->cases, profile, NULL, 0, false);
    cli_cases_hold(&suite->cases, profile);
    suite->words = suite->cases.count / 64 + 1;
    suite->list = cli_need(calloc(suite->cases.count, sizeof *suite->list));
    for (size_t i = 0; i < suite->cases.count; i++) {
        const struct cli_case *c = cli_case_at(&suite->cases, i);
        uint32_t group = group_number(suite, topk_test_at(c->test)->group);
        if (group == TRUST_GROUPS_MAX) {
            cli_fail(CLI_HARNESS, "profile %s has more than %u groups", profile->name,
                     TRUST_GROUPS_MAX);
        }
        suite->list[i].group = (unsigned char)group;
        suite->sizes[group]++;
        look_at(c, &suite->list[i]);
    }
    sort_groups(suite);
}

void trust_suite_close(struct trust_suite *suite)
{
    cli_cases_free(&suite->cases);
    free(suite->list);
    suite->list = NULL;
}
