/* topk-cts trust: prints the summary, the matrix and the kills. */
#include <inttypes.h>
#include <string.h>

#include "trust.h"

/* greatest number of cases, and of faults, in each list */
#define SHOWN 20

static const uint64_t *set_of(const struct trust *trust, size_t i)
{
    return trust->sets + i * trust->suite.words;
}

/* ---- the matrix ------------------------------------------------------------------------------ */

static int width_of(const char *group)
{
    return (int)(strlen(group) < 4 ? 4 : strlen(group)) + 1;
}

void trust_print_matrix(FILE *out, const struct trust *trust)
{
    const struct trust_suite *suite = &trust->suite;
    fprintf(out, "%-28s", "fault");
    for (uint32_t g = 0; g < suite->group_count; g++) {
        fprintf(out, "%*s", width_of(suite->groups[g]), suite->groups[g]);
    }
    fprintf(out, "\n%-28s", "(cases)");
    for (uint32_t g = 0; g < suite->group_count; g++) {
        fprintf(out, "%*" PRIu32, width_of(suite->groups[g]), suite->sizes[g]);
    }
    fputc('\n', out);
    for (size_t i = 0; i < trust->fault_count; i++) {
        fprintf(out, "%-28s", trust->faults[i].name);
        for (uint32_t g = 0; g < suite->group_count; g++) {
            uint32_t killed = trust->outcomes[i].killed[g];
            if (killed == 0) {
                fprintf(out, "%*s", width_of(suite->groups[g]), ".");
            } else {
                fprintf(out, "%*" PRIu32, width_of(suite->groups[g]), killed);
            }
        }
        fputc('\n', out);
    }
}

void trust_print_kills(FILE *out, const struct trust *trust)
{
    for (size_t i = 0; i < trust->fault_count; i++) {
        fprintf(out, "%s\t", trust->faults[i].name);
        for (size_t c = 0; c < TOPK_CLAUSE_COUNT; c++) {
            if (topk_clause_set_has(&trust->outcomes[i].first, (enum topk_clause)c)) {
                fprintf(out, "%s ", topk_clause_id((enum topk_clause)c));
            }
        }
        fprintf(out, "\t%s\n", trust->faults[i].about);
        for (size_t n = 0; n < trust->suite.cases.count; n++) {
            if (trust_set_has(set_of(trust, i), n)) {
                fprintf(out, "  %s\n", cli_case_at(&trust->suite.cases, n)->id);
            }
        }
    }
}

/* ---- the summary ----------------------------------------------------------------------------- */

static void print_faults(FILE *out, const struct trust *trust)
{
    for (size_t i = 0; i < trust->fault_count; i++) {
        const struct cli_fault *fault = &trust->faults[i];
        bool failed = trust_dead(trust, i);
        if (!fault->allowed && !failed) {
            fprintf(out, "  ALIVE %s (%s): %s\n", fault->name, fault->class, fault->about);
        } else if (fault->allowed && failed) {
            fprintf(out, "  FAILS although nothing is wrong: %s: %s\n", fault->name, fault->about);
        }
        if (trust_thin(trust, i) == 1) {
            fprintf(out,
                    "  THIN %s: cases of %" PRIu32
                    " tests fail, and its row does not say why so few\n",
                    fault->name, trust_tests(trust, i));
        } else if (trust_thin(trust, i) == 2) {
            fprintf(out, "  %s: cases of %" PRIu32 " tests fail, though its row says why few do\n",
                    fault->name, trust_tests(trust, i));
        }
        size_t length;
        const char *at = fault->clauses;
        while (!trust_named(trust, i) && (at = trust_next_unnamed(trust, i, at, &length)) != NULL) {
            fprintf(out, "  %s: no case names %.*s\n", fault->name, (int)length, at);
            at += length;
        }
    }
}

/* Rates a group by the faults that only it kills, however many it kills in all. */
static void print_groups(FILE *out, const struct trust *trust)
{
    const struct trust_suite *suite = &trust->suite;
    uint32_t alone[TRUST_GROUPS_MAX] = {0};
    for (size_t i = 0; i < trust->fault_count; i++) {
        const char *first;
        if (trust->faults[i].allowed || trust_killers(trust, i, &first) != 1) {
            continue;
        }
        for (uint32_t g = 0; g < suite->group_count; g++) {
            alone[g] += suite->groups[g] == first;
        }
    }
    fputs("groups, and how many faults would live without them:", out);
    for (uint32_t g = 0; g < suite->group_count; g++) {
        if (alone[g] > 0) {
            fprintf(out, " %s %" PRIu32, suite->groups[g], alone[g]);
        }
    }
    fputs("\ngroups that kill nothing that no other group kills:", out);
    for (uint32_t g = 0; g < suite->group_count; g++) {
        if (alone[g] == 0) {
            fprintf(out, " %s%s", suite->groups[g],
                    suite->own[g] ? " (written for faults, so never counted)" : "");
        }
    }
    fputc('\n', out);
}

static void print_idle(FILE *out, const struct trust *trust)
{
    const struct trust_suite *suite = &trust->suite;
    uint32_t idle[TRUST_GROUPS_MAX] = {0};
    for (size_t n = 0; n < suite->cases.count; n++) {
        bool kills = false;
        for (size_t i = 0; i < trust->fault_count && !kills; i++) {
            kills = trust_set_has(set_of(trust, i), n);
        }
        idle[suite->list[n].group] += !kills;
    }
    fputs("cases that killed none of these faults (or were not needed to):", out);
    for (uint32_t g = 0; g < suite->group_count; g++) {
        fprintf(out, " %s %" PRIu32 "/%" PRIu32, suite->groups[g], idle[g], suite->sizes[g]);
    }
    fputc('\n', out);
}

static void print_cases(FILE *out, const struct trust *trust, const char *what,
                        bool (*wanted)(const struct trust *trust, size_t number))
{
    uint32_t shown = 0;
    for (size_t n = 0; n < trust->suite.cases.count; n++) {
        if (wanted(trust, n) && (shown < SHOWN || out != stdout)) {
            fprintf(out, "  %s %.400s\n", what, cli_case_at(&trust->suite.cases, n)->id);
            shown++;
        }
    }
}

void trust_print_summary(FILE *out, const struct trust *trust)
{
    const struct trust_suite *suite = &trust->suite;
    struct trust_totals totals;
    trust_count(trust, &totals);
    fprintf(out, "topk-cts %s, profile %s v%" PRIu32 " (digest %.12s), %zu cases\n", TOPK_VERSION,
            suite->profile->name, suite->profile->version, suite->profile->digest,
            suite->cases.count);
    print_faults(out, trust);
    print_cases(out, trust, "MISTRUSTED, no wrong answer fails it:", trust_mistrusted);
    if (out != stdout) {
        print_cases(out, trust, "open, its second call may be anything:", trust_unrelated);
    }
    if (trust->drills && !trust->brief) {
        print_groups(out, trust);
        print_idle(out, trust);
    }
    fprintf(out, "faults: %" PRIu32 ", dead %" PRIu32 " (%.1f %%), alive %" PRIu32 "\n",
            totals.faults, totals.dead,
            totals.faults == 0 ? 100.0 : 100.0 * totals.dead / totals.faults,
            totals.faults - totals.dead);
    fprintf(out, "kernels that are right: %" PRIu32 ", failing %" PRIu32 "\n", totals.allowed,
            totals.rejected);
    if (trust->drills) {
        fprintf(out,
                "mistrusted cases: %" PRIu32 "; relations that their data leave open: %" PRIu32
                "\n",
                totals.mistrusted, totals.unrelated);
    }
}
