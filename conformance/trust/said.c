/* topk-cts trust --verdicts: evaluates whether what a run states about a fault is true. */
#include <inttypes.h>
#include <string.h>

#include "trust.h"

/* tolerated percentage of cases outside the trigger among those within a condition */
#define BEYOND_PERCENT 5u
/* greatest number of faults in each list */
#define SHOWN 20

/* ---- conditions ------------------------------------------------------------------------------ */

/* Returns what the conditions state of a case: for a failure that of its entry, otherwise the
 * greatest value of any entry. */
static enum topk_holds said_of(const struct trust *trust, const struct topk_entries *entries,
                               size_t i, bool failed, const struct topk_features *features)
{
    const struct topk_entry *own = failed ? topk_entries_find(entries, i) : NULL;
    enum topk_holds most = TOPK_HOLDS_NOT;
    for (size_t e = 0; e < entries->count; e++) {
        const struct topk_bug *bug = &entries->list[e].bug;
        const bool asked =
            failed ? own == &entries->list[e] : bug->refusal == trust->suite.list[i].refusal;
        const enum topk_holds holds =
            asked ? topk_condition_holds(&bug->condition, features) : TOPK_HOLDS_NOT;
        most = holds > most ? holds : most;
    }
    return most;
}

/* Returns the features of a case, or of a call of a sequence. */
static void features_of(const struct trust *trust, size_t i, uint32_t call,
                        struct topk_features *features)
{
    const struct cli_case *c = cli_case_at(&trust->suite.cases, i);
    struct topk_case tc;
    *features = trust->features[i];
    if (call != 0 && cli_case_parse(c->id, c->length, &tc)) {
        topk_features_describe_call(&tc, call, features);
        topk_features_look_call(&tc, call, TOPK_FEATURES_ELEMENTS, features);
        topk_case_clear(&tc);
    }
}

static void compare_case(const struct trust *trust, const struct topk_entries *entries,
                         const struct trust_trigger *trigger, size_t i, const struct trust_met *met,
                         struct trust_said *said)
{
    const bool failed = met->failed;
    struct topk_features features;
    features_of(trust, i, met->call, &features);
    const enum topk_holds stated = said_of(trust, entries, i, failed, &features);
    const bool out = trigger->known && trust_trigger_holds(trigger, &features) == TOPK_HOLDS_NOT;
    said->missed += failed && stated == TOPK_HOLDS_NOT;
    said->inside += stated == TOPK_HOLDS;
    said->beyond += out && stated == TOPK_HOLDS;
    if (failed && out) {
        said->astray_one = said->astray == 0 ? (uint32_t)i : said->astray_one;
        said->astray++;
    }
}

/* ---- one fault ------------------------------------------------------------------------------- */

static void look_at_entry(const struct topk_entry *entry, const struct cli_fault *fault,
                          struct trust_said *said)
{
    const enum topk_reading cause = topk_readings_first(entry->readings);
    if (said->condition[0] == 0) {
        char text[TOPK_CONDITION_TEXT];
        topk_condition_print(&entry->bug.condition, text);
        snprintf(said->condition, sizeof said->condition, "%.390s", text);
    }
    if (cause == TOPK_READING_NONE || entry->guess) {
        return;
    }
    if (said->cause[0] == 0) {
        snprintf(said->cause, sizeof said->cause, "%s", topk_reading_row(cause)->word);
    }
    said->caused += (uint32_t)entry->caused;
    if (!trust_cause_true(fault, cause)) {
        said->wrong += (uint32_t)entry->caused;
        snprintf(said->wrong_word, sizeof said->wrong_word, "%s", topk_reading_row(cause)->word);
    }
}

bool trust_say(const struct trust *trust, size_t i, const struct trust_met *met,
               const struct topk_entries *entries)
{
    struct trust_outcome *outcome = &trust->outcomes[i];
    struct trust_trigger trigger;
    if (!trust_trigger_read(&trust->faults[i], &trigger, outcome->error) ||
        !trust_causes_exist(&trust->faults[i], outcome->error)) {
        return false;
    }
    for (size_t n = 0; n < trust->suite.cases.count; n++) {
        if (met[n].ran) {
            compare_case(trust, entries, &trigger, n, &met[n], &outcome->said);
        }
    }
    for (size_t e = 0; e < entries->count; e++) {
        look_at_entry(&entries->list[e], &trust->faults[i], &outcome->said);
    }
    outcome->said.entries = (uint32_t)entries->count;
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
    fprintf(out, "%s: %" PRIu32 " cases failed, distinguished as %" PRIu32 "\n", fault->name,
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
                said->astray, cli_case_at(&trust->suite.cases, said->astray_one)->id);
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
