/* topk-cts trust --verdicts: what is said of a fault, and whether that is so. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "condition/learn.h"
#include "trust.h"

/* of the cases in a condition, those outside of the trigger, that are not counted against it */
#define BEYOND_PERCENT 5u
/* faults that are listed of each kind */
#define SHOWN 20

static bool failed(const struct trust_met *met)
{
    return met->ran && topk_verdict_failure((enum topk_verdict)met->verdict);
}

/* ---- conditions ------------------------------------------------------------------------------ */

/* a fault, as its conditions are held against its trigger */
struct comparison {
    const struct trust *trust;
    const struct trust_met *met;
    const struct trust_trigger *trigger;
    const struct topk_bugs *bugs;
    struct trust_said *said;
};

/* what the conditions say of a case: of a failure that of its bug */
static enum topk_holds said_of(const struct comparison *comparison, size_t i)
{
    enum topk_holds most = TOPK_HOLDS_NOT;
    const unsigned of = comparison->bugs->of[i];
    if (failed(&comparison->met[i])) {
        return of == 0 ? TOPK_HOLDS_NOT
                       : topk_condition_holds(&comparison->bugs->list[of - 1].condition,
                                              &comparison->trust->features[i]);
    }
    const bool refusal = comparison->trust->suite.list[i].kind == TRUST_ANSWERED;
    for (size_t b = 0; b < comparison->bugs->count; b++) {
        const struct topk_bug *bug = &comparison->bugs->list[b];
        const enum topk_holds holds =
            bug->refusal != refusal
                ? TOPK_HOLDS_NOT
                : topk_condition_holds(&bug->condition, &comparison->trust->features[i]);
        most = holds > most ? holds : most;
    }
    return most;
}

static void compare_case(const struct comparison *comparison, size_t i)
{
    const struct topk_features *features = &comparison->trust->features[i];
    const bool fails = failed(&comparison->met[i]);
    const enum topk_holds stated = said_of(comparison, i);
    const bool out = comparison->trigger->known &&
                     trust_trigger_holds(comparison->trigger, features) == TOPK_HOLDS_NOT;
    struct trust_said *said = comparison->said;
    said->missed += fails && stated == TOPK_HOLDS_NOT;
    said->inside += stated == TOPK_HOLDS;
    said->beyond += out && stated == TOPK_HOLDS;
    if (fails && out) {
        said->astray_one = said->astray == 0 ? (uint32_t)i : said->astray_one;
        said->astray++;
    }
}

/* ---- causes ---------------------------------------------------------------------------------- */

/* What explains every wrong output of the failures of a bug, and would not have made a case fail
 * that passed although the bug's condition holds of it. Guesses alone explain nothing. */
static topk_reading_set cause_of(const struct comparison *comparison, unsigned number)
{
    const struct trust *trust = comparison->trust;
    topk_reading_set set = UINT64_MAX;
    bool guess = true;
    for (size_t i = 0; i < trust->suite.cases.count && set != 0; i++) {
        if (comparison->bugs->of[i] == number + 1) {
            set &= comparison->met[i].readings;
            guess = guess && comparison->met[i].guess;
        }
    }
    for (size_t i = 0; i < trust->suite.cases.count && set != 0 && !guess; i++) {
        const struct trust_met *met = &comparison->met[i];
        if (!met->ran || met->verdict != TOPK_VERDICT_PASS || met->by_status ||
            topk_condition_holds(&comparison->bugs->list[number].condition, &trust->features[i]) !=
                TOPK_HOLDS) {
            continue;
        }
        struct topk_case tc;
        topk_reading_set differ;
        const struct topk_contract directml = {0};
        const struct cli_case *c = &trust->suite.cases.list[i];
        cli_need_memory(cli_case_parse(c->id, c->length, &tc));
        (void)topk_case_readings_differ(&tc, &directml, set, &differ);
        topk_case_clear(&tc);
        set &= ~differ;
    }
    return guess ? 0 : set;
}

static void look_at_causes(const struct comparison *comparison, const struct cli_fault *fault)
{
    struct trust_said *said = comparison->said;
    for (unsigned b = 0; b < comparison->bugs->count; b++) {
        const enum topk_reading cause = topk_readings_first(cause_of(comparison, b));
        const uint32_t count = (uint32_t)comparison->bugs->list[b].failed;
        if (cause == TOPK_READING_NONE) {
            continue;
        }
        said->caused += count;
        if (said->cause[0] == 0) {
            snprintf(said->cause, sizeof said->cause, "%s", topk_reading_row(cause)->word);
        }
        if (!trust_cause_true(fault, cause)) {
            said->wrong += count;
            snprintf(said->wrong_word, sizeof said->wrong_word, "%s",
                     topk_reading_row(cause)->word);
        }
    }
}

/* ---- a fault --------------------------------------------------------------------------------- */

static void take_samples(const struct trust *trust, const struct trust_met *met,
                         struct topk_sample *samples)
{
    for (size_t i = 0; i < trust->suite.cases.count; i++) {
        struct topk_sample *sample = &samples[i];
        sample->features = trust->features[i];
        sample->looked = true;
        sample->label = !met[i].ran || met[i].verdict == TOPK_VERDICT_UNSUPPORTED
                            ? TOPK_LABEL_NEITHER
                        : failed(&met[i]) ? TOPK_LABEL_FAIL
                                          : TOPK_LABEL_PASS;
        sample->refusal = trust->suite.list[i].kind == TRUST_ANSWERED;
        sample->verdict = met[i].verdict;
        sample->kind = met[i].mismatch;
    }
}

static void take_condition(const struct topk_bugs *bugs, struct trust_said *said)
{
    char text[TOPK_CONDITION_TEXT] = "";
    if (bugs->count > 0) {
        topk_condition_print(&bugs->list[0].condition, text);
    }
    snprintf(said->condition, sizeof said->condition, "%.390s", text);
    said->entries = (uint32_t)bugs->count;
}

static void look_again(void *context, size_t number, struct topk_features *features)
{
    (void)context, (void)number, (void)features; /* they have what the data shows */
}

bool trust_say(const struct trust *trust, size_t i, const struct trust_met *met)
{
    struct trust_outcome *outcome = &trust->outcomes[i];
    struct topk_sample *samples = calloc(trust->suite.cases.count, sizeof *samples);
    struct topk_bugs bugs = {.count = 0};
    struct trust_trigger trigger;
    const struct topk_look look = {.look = look_again};
    if (!trust_trigger_read(&trust->faults[i], &trigger, outcome->error) ||
        !trust_causes_exist(&trust->faults[i], outcome->error)) {
        free(samples);
        return false;
    }
    if (samples != NULL) {
        take_samples(trust, met, samples);
    }
    if (samples == NULL || !topk_bugs_learn(&bugs, samples, trust->suite.cases.count, &look)) {
        snprintf(outcome->error, TRUST_ERROR, "memory ran out");
        free(samples);
        return false;
    }
    const struct comparison comparison = {trust, met, &trigger, &bugs, &outcome->said};
    for (size_t n = 0; n < trust->suite.cases.count; n++) {
        if (met[n].ran) {
            compare_case(&comparison, n);
        }
    }
    look_at_causes(&comparison, &trust->faults[i]);
    take_condition(&bugs, &outcome->said);
    topk_bugs_free(&bugs);
    free(samples);
    return true;
}

/* ---- figures --------------------------------------------------------------------------------- */

bool trust_contains(const struct trust_said *said)
{
    return said->missed == 0 && said->beyond * 100 <= said->inside * BEYOND_PERCENT;
}

static bool has_trigger(const struct trust *trust, size_t i)
{
    return strcmp(trust->faults[i].trigger, "-") != 0;
}

void trust_figure(const struct trust *trust, struct trust_figures *figures)
{
    memset(figures, 0, sizeof *figures);
    for (size_t i = 0; i < trust->fault_count; i++) {
        const struct trust_said *said = &trust->outcomes[i].said;
        if (trust->faults[i].allowed || said->failed == 0) {
            continue;
        }
        const bool has = has_trigger(trust, i);
        figures->faults++;
        figures->triggers += has;
        figures->contained += has && trust_contains(said);
        figures->single += said->entries == 1;
        figures->failed += said->failed;
        figures->wrong += said->wrong;
        figures->astray += said->astray > 0;
    }
}

bool trust_figures_hold(const struct trust_figures *figures)
{
    return figures->astray == 0 &&
           figures->contained * 100 >= figures->triggers * TRUST_CONTAINED_PERCENT &&
           figures->single * 100 >= figures->faults * TRUST_SINGLE_PERCENT &&
           figures->wrong * 1000 <= figures->failed * TRUST_WRONG_PER_MILLE;
}

/* ---- what is printed ------------------------------------------------------------------------- */

static void print_row(FILE *out, const struct trust *trust, size_t i)
{
    const struct trust_said *said = &trust->outcomes[i].said;
    const struct cli_fault *fault = &trust->faults[i];
    fprintf(out, "%s: %" PRIu32 " cases failed, told apart as %" PRIu32 "\n", fault->name,
            said->failed, said->entries);
    fprintf(out, "  trigger: %s\n", *fault->trigger == 0 ? "every call" : fault->trigger);
    fprintf(out, "  stated:  %s\n", *said->condition == 0 ? "no condition" : said->condition);
    fprintf(out, "  cause:   %s\n", *said->cause == 0 ? "none" : said->cause);
    if (said->missed > 0 || said->beyond > 0) {
        fprintf(out,
                "  %" PRIu32 " failing cases are outside of what is stated; of %" PRIu32
                " cases inside, %" PRIu32 " are outside of the trigger\n",
                said->missed, said->inside, said->beyond);
    }
    if (said->wrong > 0) {
        fprintf(out, "  %" PRIu32 " failing cases have a cause that is wrong, such as %s\n",
                said->wrong, said->wrong_word);
    }
    if (said->astray > 0) {
        fprintf(out,
                "  THE ROW IS WRONG: %" PRIu32
                " failing cases are outside of the trigger, the first of them\n    %.400s\n",
                said->astray, trust->suite.cases.list[said->astray_one].id);
    }
}

static void print_share(FILE *out, const char *what, uint64_t part, uint64_t whole)
{
    fprintf(out, "%s: %" PRIu64 " of %" PRIu64 " (%.2f %%)\n", what, part, whole,
            whole == 0 ? 0.0 : 100.0 * (double)part / (double)whole);
}

void trust_print_verdicts(FILE *out, const struct trust *trust)
{
    struct trust_figures figures;
    uint32_t shown = 0;
    for (size_t i = 0; i < trust->fault_count; i++) {
        const struct trust_said *said = &trust->outcomes[i].said;
        const bool good = said->astray == 0 && said->wrong == 0 && said->entries == 1 &&
                          (!has_trigger(trust, i) || trust_contains(said));
        if (!trust->faults[i].allowed && said->failed > 0 && (out != stdout || !good) &&
            (out != stdout || shown < SHOWN)) {
            print_row(out, trust, i);
            shown++;
        }
    }
    trust_figure(trust, &figures);
    print_share(out, "the stated condition contains the trigger", figures.contained,
                figures.triggers);
    print_share(out, "one entry for one fault", figures.single, figures.faults);
    print_share(out, "failing cases with a cause that is wrong", figures.wrong, figures.failed);
    fprintf(out, "triggers that failing cases are outside of: %" PRIu64 "\n", figures.astray);
}
