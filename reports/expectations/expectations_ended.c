/* How a case ended, and whether a rule expects that. */
#include <string.h>

#include "expectations.h"

/* ---- how a case ended ------------------------------------------------------------------------ */

static void add_clause(struct topk_ended *ended, enum topk_clause clause)
{
    if (clause != TOPK_CLAUSE_NONE) {
        topk_clause_set_add(&ended->clauses, clause);
    }
}

/* Adds a clause for a failure without findings, such as a refusal or a crash. */
static void add_other(struct topk_ended *ended, enum topk_clause clause)
{
    if (topk_clause_set_empty(&ended->clauses)) {
        add_clause(ended, clause);
    }
}

/* Some causes are only named by a sentence in older logs. No rule can know a word for those. */
static uint64_t causes_of(topk_reading_set readings, bool any)
{
    return readings != 0 ? readings : any ? 0 : TOPK_CAUSE_NONE;
}

void topk_ended_of(const char *id, const struct topk_result *result, struct topk_ended *ended)
{
    const struct topk_judgement *judgement = &result->judgement;
    *ended = (struct topk_ended){
        .id = id,
        .verdict = result->verdict,
        .call = result->call,
        .causes = causes_of(result->readings, result->reading != TOPK_READING_NONE),
        .crash = result->crash.signal[0] == 0 ? NULL : &result->crash,
    };
    topk_result_clauses(result, &ended->told);
    for (uint32_t i = 0; i < judgement->count; i++) {
        add_clause(ended, judgement->findings[i].clause);
        ended->mismatches |= (uint64_t)1 << judgement->findings[i].mismatch;
    }
    add_other(ended, result->clause);
}

static uint64_t mismatch_of(const char *word)
{
    uint64_t mismatch = 0;
    for (unsigned i = 0; i < TOPK_MISMATCH_COUNT; i++) {
        const char *row = topk_mismatch_row((enum topk_mismatch)i)->word;
        mismatch |= strcmp(row, word) == 0 ? (uint64_t)1 << i : 0;
    }
    return mismatch;
}

void topk_ended_read(const struct topk_log_record *record, struct topk_ended *ended)
{
    *ended = (struct topk_ended){
        .id = record->id,
        .verdict = record->own_verdict,
        .call = record->call,
        .causes = causes_of(record->readings, record->cause[0] != 0),
        .crash = record->crash,
    };
    topk_log_clauses(record, &ended->told);
    for (size_t i = 0; i < record->finding_count; i++) {
        add_clause(ended, record->findings[i].clause);
        ended->mismatches |= mismatch_of(record->findings[i].mismatch);
    }
    add_other(ended, record->clause);
}

/* ---- whether a rule says so ------------------------------------------------------------------ */

struct words {
    char text[TOPK_DIFFERS_TEXT / 4];
    size_t used;
};

static void add_word(struct words *words, const char *word)
{
    if (words->used < sizeof words->text) {
        words->used += (size_t)snprintf(words->text + words->used, sizeof words->text - words->used,
                                        "%s%s", words->used == 0 ? "" : ", ", word);
    }
}

static void add_clauses(struct words *words, const struct topk_clause_set *clauses)
{
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        if (topk_clause_set_has(clauses, (enum topk_clause)i)) {
            add_word(words, topk_clause_id((enum topk_clause)i));
        }
    }
}

static void add_causes(struct words *words, uint64_t causes)
{
    for (unsigned i = 0; i < TOPK_READING_COUNT; i++) {
        if ((causes >> i & 1) != 0) {
            add_word(words, topk_reading_row((enum topk_reading)i)->word);
        }
    }
}

static void add_mismatches(struct words *words, uint64_t mismatches)
{
    for (unsigned i = 0; i < TOPK_MISMATCH_COUNT; i++) {
        if ((mismatches >> i & 1) != 0) {
            add_word(words, topk_mismatch_row((enum topk_mismatch)i)->word);
        }
    }
}

/* Writes "it expects S08, and this case breaks M01". An empty `has` is written as "none that is
 * known". */
static bool tell(char text[TOPK_DIFFERS_TEXT], const struct words *expects, const char *verb,
                 const struct words *has)
{
    snprintf(text, TOPK_DIFFERS_TEXT, "it expects %s, and this case %s %s", expects->text, verb,
             has->used == 0 ? "none that is known" : has->text);
    return true;
}

/* Returns whether a case breaks a clause other than the allowed ones, or no clause at all. */
static bool breaks_others(const struct topk_clause_set *of, const struct topk_clause_set *allowed)
{
    bool others = topk_clause_set_empty(of);
    for (size_t i = 0; i < sizeof of->bits / sizeof of->bits[0]; i++) {
        others |= (of->bits[i] & ~allowed->bits[i]) != 0;
    }
    return others;
}

static bool differs_in_crash(const struct topk_expectation *rule, const struct topk_ended *ended,
                             char text[TOPK_DIFFERS_TEXT])
{
    char site[TOPK_CRASH_TEXT] = "at a place that is not known";
    if (ended->crash != NULL) {
        topk_crash_site_print(ended->crash, site);
    }
    if (ended->crash != NULL && strstr(site, rule->crash) != NULL) {
        return false;
    }
    snprintf(text, TOPK_DIFFERS_TEXT, "it expects a crash, %.120s, and this case crashed: %s",
             rule->crash, site);
    return true;
}

bool topk_expectation_differs(const struct topk_expectation *rule, const struct topk_ended *ended,
                              char text[TOPK_DIFFERS_TEXT])
{
    struct words expects = {"", 0};
    struct words has = {"", 0};
    text[0] = 0;
    if (ended->verdict != rule->expect) {
        add_word(&expects, topk_verdict_word(rule->expect));
        add_word(&has, topk_verdict_word(ended->verdict));
        return tell(text, &expects, "came to", &has);
    }
    if (!topk_clause_set_empty(&rule->clauses) && breaks_others(&ended->clauses, &rule->clauses) &&
        breaks_others(&ended->told, &rule->clauses)) {
        add_clauses(&expects, &rule->clauses);
        add_clauses(&has, &ended->clauses);
        return tell(text, &expects, "breaks", &has);
    }
    if (rule->causes != 0 && (rule->causes & ended->causes) == 0) {
        add_causes(&expects, rule->causes);
        add_causes(&has, ended->causes);
        return tell(text, &expects, "has the cause", &has);
    }
    if (rule->mismatches != 0 &&
        ((ended->mismatches & ~rule->mismatches) != 0 || ended->mismatches == 0)) {
        add_mismatches(&expects, rule->mismatches);
        add_mismatches(&has, ended->mismatches);
        return tell(text, &expects, "has the findings", &has);
    }
    return rule->crash[0] != 0 && differs_in_crash(rule, ended, text);
}

/* ---- a rule in words ------------------------------------------------------------------------- */

static void print_part(FILE *out, const char *before, const char *text)
{
    if (text[0] != 0) {
        fputs(before, out);
        topk_text_print(out, text);
    }
}

void topk_expectation_print(FILE *out, const struct topk_expectation *rule)
{
    fputs(rule->verdict, out);
    print_part(out, " of ", rule->select);
    print_part(out, " where ", rule->when);
    print_part(out, ", clause ", rule->clause);
    print_part(out, ", cause ", rule->cause);
    print_part(out, ", mismatch ", rule->mismatch);
    print_part(out, ", crash ", rule->crash);
}
