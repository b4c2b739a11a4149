/* topk-cts trust: evaluates the outcomes: which faults are dead, and which cases can be trusted. */
#include <string.h>

#include "trust.h"

uint32_t trust_killers(const struct trust *trust, size_t i, const char **first)
{
    uint32_t killers = 0;
    *first = "-";
    for (uint32_t g = 0; g < trust->suite.group_count; g++) {
        if (trust->outcomes[i].killed[g] > 0 && !trust->suite.own[g]) {
            *first = killers == 0 ? trust->suite.groups[g] : *first;
            killers++;
        }
    }
    return killers;
}

bool trust_dead(const struct trust *trust, size_t i)
{
    const char *first;
    return trust_killers(trust, i, &first) > 0;
}

uint32_t trust_tests(const struct trust *trust, size_t i)
{
    const struct trust_suite *suite = &trust->suite;
    const uint64_t *set = trust->sets + i * suite->words;
    size_t last = SIZE_MAX;
    uint32_t tests = 0;
    for (size_t n = 0; n < suite->cases.count; n++) {
        const size_t test = cli_case_at(&suite->cases, n)->test; /* a test's cases come together */
        if (test != last && trust_set_has(set, n) && !suite->own[suite->list[n].group]) {
            last = test;
            tests++;
        }
    }
    return tests;
}

int trust_thin(const struct trust *trust, size_t i)
{
    const struct cli_fault *fault = &trust->faults[i];
    if (fault->allowed || fault->giant || trust->suite.profile != topk_profile_find("core")) {
        return 0;
    }
    const bool few = trust_tests(trust, i) < TRUST_TESTS;
    const bool said = strcmp(fault->few, "-") != 0;
    return few && !said ? 1 : said && !few ? 2 : 0;
}

bool trust_mistrusted(const struct trust *trust, size_t number)
{
    return trust->drills && !trust_set_has(trust_drill_set(trust, TRUST_DRILL_OUTPUT), number);
}

/* The relation does not compare what the clauses leave open for the data of a case (F02, F04, F06).
 *
 * If the first call is right and the second one wrong, only the relation can detect it. One of the
 * two drills that spoil every other call produces this for each case. */
bool trust_unrelated(const struct trust *trust, size_t number)
{
    return trust->drills && trust->suite.list[number].related &&
           !(trust_set_has(trust_drill_set(trust, TRUST_DRILL_ODD), number) &&
             trust_set_has(trust_drill_set(trust, TRUST_DRILL_EVEN), number));
}

const char *trust_next_unnamed(const struct trust *trust, size_t i, const char *at, size_t *length)
{
    const struct trust_outcome *outcome = &trust->outcomes[i];
    for (;;) {
        at += strspn(at, " ");
        *length = strcspn(at, " ");
        if (*length == 0) {
            return NULL;
        }
        bool later = at[*length - 1] == '+';
        enum topk_clause clause = topk_clause_parse(at, *length - later);
        const struct topk_clause_set *named = later ? &outcome->later : &outcome->first;
        bool has = *at == '-'                   ? outcome->unnamed
                   : clause == TOPK_CLAUSE_NONE ? false
                                                : topk_clause_set_has(named, clause);
        if (!has) {
            return at;
        }
        at += *length;
    }
}

bool trust_named(const struct trust *trust, size_t i)
{
    size_t length;
    const struct topk_profile *profile = trust->suite.profile;
    /* Rows describe profile core, and so profiles that contain all of core. */
    bool core = profile == topk_profile_find("core") || profile->inherited > 0;
    return !core || trust->faults[i].allowed || !trust_dead(trust, i) ||
           trust_next_unnamed(trust, i, trust->faults[i].clauses, &length) == NULL;
}

bool trust_enough(const struct trust *trust, size_t i)
{
    return !trust->faults[i].allowed && trust_dead(trust, i) && trust_named(trust, i) &&
           (strcmp(trust->faults[i].few, "-") != 0 || trust_tests(trust, i) >= TRUST_TESTS);
}

void trust_count(const struct trust *trust, struct trust_totals *totals)
{
    memset(totals, 0, sizeof *totals);
    for (size_t i = 0; i < trust->fault_count; i++) {
        bool allowed = trust->faults[i].allowed;
        bool failed = trust_dead(trust, i);
        totals->faults += !allowed;
        totals->dead += !allowed && failed;
        totals->allowed += allowed;
        totals->rejected += allowed && failed;
        totals->unnamed += !trust_named(trust, i);
        totals->thin += trust_thin(trust, i) != 0;
    }
    for (size_t n = 0; n < trust->suite.cases.count; n++) {
        totals->mistrusted += trust_mistrusted(trust, n);
        totals->unrelated += trust_unrelated(trust, n);
    }
}
