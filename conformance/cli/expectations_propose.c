/* topk-cts expectations update: writes the proposed rules. */
#define _XOPEN_SOURCE 700 /* mktime */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "expectations_update.h"
#include "log/log.h"

#define DAYS 90
/* With fewer failures, a condition that they share is a guess: they are proposed one by one. */
#define FEW 3

/* ---- what a rule says ------------------------------------------------------------------------ */

/* a new rule, and what it says about its cases */
struct proposed {
    enum topk_verdict verdict;
    struct topk_clause_set clauses; /* all that the cases break; empty if no case breaks one */
    uint64_t causes;                /* as in struct topk_ended: that all cases share; 0: none */
    const char *site;               /* of a crash; "": unknown */
    const char *select, *when;      /* "": left out */
    const char *reason;
};

static struct proposed rule_of(const struct failure *failure)
{
    return (struct proposed){
        .verdict = failure->ended.verdict,
        .clauses = failure->ended.clauses,
        .causes = failure->ended.causes & ~TOPK_CAUSE_NONE,
        .site = failure->site,
        .select = "",
        .when = "",
        .reason = failure->reason,
    };
}

/* Whether one rule can describe how both fail. */
static bool alike(const struct failure *a, const struct failure *b)
{
    return a->ended.verdict == b->ended.verdict && strcmp(a->site, b->site) == 0 &&
           topk_clause_set_empty(&a->ended.clauses) == topk_clause_set_empty(&b->ended.clauses);
}

/* Extends a rule so that it also describes another failure, which is alike. */
static void widen(struct proposed *rule, const struct failure *failure)
{
    topk_clause_set_merge(&rule->clauses, &failure->ended.clauses);
    rule->causes &= failure->ended.causes;
    const enum topk_clause first = topk_clause_set_first(&rule->clauses);
    if (topk_readings_first(rule->causes) != TOPK_READING_NONE) {
        rule->reason = topk_reading_row(topk_readings_first(rule->causes))->sentence;
    } else if (first != TOPK_CLAUSE_NONE) {
        rule->reason = topk_clause_row(first)->sentence; /* one reason may not hold for all */
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

/* prints a value in quotes, in the form with which a run compares it */
static void put_quoted(FILE *out, const char *text)
{
    char piece[TOPK_TEXT_PIECE];
    fputc('"', out);
    while (*text != 0) {
        text = topk_text_piece(text, piece);
        for (const char *c = piece; *c != 0; c++) {
            fputs(*c == '"' || *c == '\\' ? "\\" : "", out);
            fputc(*c, out);
        }
    }
    fputc('"', out);
}

const char *cli_today(char day[CLI_DAY])
{
    const time_t now = time(NULL);
    struct tm utc;
    day[0] = 0;
    if (gmtime_r(&now, &utc) != NULL) {
        strftime(day, CLI_DAY, "%Y-%m-%d", &utc);
    }
    return day;
}

/* the date `days` days after "2026-01-31T..." */
static void later(const char *started, int days, char text[11])
{
    char from[11];
    snprintf(from, sizeof from, "%.10s", started);
    snprintf(text, 11, "?");
    if (topk_expectation_date_valid(from)) {
        struct tm day = {.tm_hour = 12,
                         .tm_year = (int)strtol(from, NULL, 10) - 1900,
                         .tm_mon = (int)strtol(from + 5, NULL, 10) - 1,
                         .tm_mday = (int)strtol(from + 8, NULL, 10) + days,
                         .tm_isdst = -1};
        if (mktime(&day) != (time_t)-1) {
            strftime(text, 11, "%Y-%m-%d", &day);
        }
    }
}

/* why a rule is not proposed again; NULL if it is. In a part of a profile, or an incomplete run, a
 * rule is kept even without failures: it may be for cases that were left out. */
static const char *reason_against(const struct proposal *p, const struct topk_expectation *rule)
{
    return !rule->applies                                   ? NULL
           : rule->expired                                  ? "expired"
           : rule->passed > 0 && rule->condition.count == 0 ? "cases passed"
           : p->part || !p->complete                        ? NULL
           : rule->cases == 0                               ? "matched no case"
           : rule->failed == 0                              ? "no case failed as it says"
                                                            : NULL;
}

/* marks the failures that the kept rules waive */
static void mark_kept(struct proposal *p)
{
    for (size_t i = 0; i < p->count; i++) {
        struct failure *failure = &p->failures[i];
        for (size_t j = 0; j < p->rules.count; j++) {
            const struct topk_expectation *rule = &p->rules.rules[j];
            failure->waived |= rule->line == failure->rule && reason_against(p, rule) == NULL;
        }
        if (failure->waived) {
            p->samples[failure->number].label = TOPK_LABEL_NEITHER;
        }
    }
}

/* prints the rules of the run unchanged, line by line; those that are not kept become comments */
static void put_kept(FILE *out, const struct proposal *p)
{
    const char *at = p->text;
    size_t rule = 0;
    for (uint32_t line = 1; *at != 0; line++) {
        size_t length = strcspn(at, "\n");
        if (rule < p->rules.count && p->rules.rules[rule].line == line) {
            const char *reason = reason_against(p, &p->rules.rules[rule++]);
            if (reason != NULL) {
                fprintf(out, "# %s: ", reason);
            }
        }
        fprintf(out, "%.*s\n", (int)length, at);
        at += length + (at[length] == '\n');
    }
}

/* appends a word to " KEY=WORD|WORD"; the first word also prints the key */
static void put_word(FILE *out, const char *key, bool *any, const char *word)
{
    if (*any) {
        fputc('|', out);
    } else {
        fprintf(out, " %s=", key);
    }
    fputs(word, out);
    *any = true;
}

static void put_key(FILE *out, const char *key, const char *value)
{
    if (value[0] != 0) {
        fprintf(out, " %s=", key);
        put_quoted(out, value);
    }
}

static void put_ways(FILE *out, const struct proposed *rule)
{
    bool clauses = false;
    bool causes = false;
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        if (topk_clause_set_has(&rule->clauses, (enum topk_clause)i)) {
            put_word(out, "clause", &clauses, topk_clause_id((enum topk_clause)i));
        }
    }
    for (int i = TOPK_READING_NONE; i < TOPK_READING_COUNT; i++) {
        if ((rule->causes >> i & 1) != 0) {
            put_word(out, "cause", &causes,
                     i == TOPK_READING_NONE ? "none"
                                            : topk_reading_row((enum topk_reading)i)->word);
        }
    }
    put_key(out, "crash", rule->site);
}

static void put_rule(FILE *out, const struct proposal *p, const char *owner, const char *expires,
                     const struct proposed *rule)
{
    char until[11];
    char today[CLI_DAY];
    later(p->started, DAYS, until);
    if (strcmp(until, cli_today(today)) < 0) { /* the rules of an old run would be expired */
        later(today, DAYS, until);
    }
    fprintf(out, "verdict=%s", topk_verdict_word(rule->verdict));
    put_ways(out, rule);
    put_key(out, "select", rule->select);
    put_key(out, "when", rule->when);
    fputs(" backend=", out);
    put_quoted(out, p->backend);
    size_t version = strspn(p->version, "0123456789.");
    if (p->version[0] != '.' && version > 0 && p->version[version] == 0 &&
        strstr(p->version, "..") == NULL) {
        fprintf(out, " version=%s", p->version);
    }
    const char *last = strrchr(p->driver, ' ');
    if (p->driver[0] != 0 && strstr(last == NULL ? p->driver : last, "..") == NULL) {
        fputs(" driver=", out);
        put_quoted(out, p->driver);
    }
    fputs(" owner=", out);
    put_quoted(out, owner == NULL ? "?" : owner);
    fputs(" reason=", out);
    put_quoted(out, rule->reason);
    fprintf(out, " expires=%s\n", expires == NULL ? until : expires);
}

/* ---- conditions ------------------------------------------------------------------------------ */

static void look(void *context, size_t number, struct topk_features *features)
{
    const struct proposal *p = context;
    const char *id = p->ids.texts[number];
    struct topk_case tc;
    if (cli_case_parse(id, strlen(id), &tc)) {
        topk_features_look_call(&tc, p->samples[number].call, TOPK_FEATURES_ELEMENTS, features);
    }
    topk_case_clear(&tc);
}

/* Writing the rules of a bug. Failures that have a cause get a rule with it, so that a later bug
 * with the same condition is not waived. For failures for which no cause was looked for, rules say
 * why not; of the others without that cause, a rule names the test. */
struct bug_rules {
    const struct proposal *p;
    const struct cli_expectations_options *options;
    FILE *out;
    FILE *again; /* the same rules with an owner, so that they can be parsed */
    const struct topk_bugs *bugs;
    size_t bug;
    bool *done; /* by failure: it has a rule */
};

enum group {
    GROUP_ALL,
    GROUP_CAUSE,    /* a reading explains them */
    GROUP_NO_CAUSE, /* no cause is known */
    GROUP_LARGE,    /* no cause is known: the case is too large to look for one */
    GROUP_NAN,      /* no cause is known: a NaN is among the elements */
    GROUP_TEST      /* cases of one test */
};

/* A group of failures that one rule describes. */
struct bug_group {
    enum group of;
    enum topk_reading reading; /* of GROUP_CAUSE */
    const struct failure *first;
};

static bool has_no_cause(const struct failure *failure)
{
    return failure->ended.causes == TOPK_CAUSE_NONE;
}

/* Why no cause was looked for, as topk_diagnose() documents. GROUP_NO_CAUSE: for no such reason. */
static enum group untried(const struct proposal *p, const struct failure *failure)
{
    struct topk_sample *sample = &p->samples[failure->number];
    if (!sample->looked) {
        sample->looked = true;
        look((void *)p, failure->number, &sample->features);
    }
    return sample->features.numbers[TOPK_NUMBER_ELEMENTS] > TOPK_DIAGNOSED_ELEMENTS ? GROUP_LARGE
           : sample->features.words[TOPK_CATEGORY_NAN] != 0                         ? GROUP_NAN
                                                            : GROUP_NO_CAUSE;
}

/* Whether a failure of the bug has no rule yet and belongs to a group. */
static bool belongs(const struct bug_rules *rules, const struct bug_group *group, size_t i)
{
    const struct failure *failure = &rules->p->failures[i];
    if (rules->done[i] || failure->waived || rules->bugs->of[failure->number] != rules->bug + 1 ||
        !alike(group->first, failure)) {
        return false;
    }
    switch (group->of) {
    case GROUP_CAUSE:
        return (failure->ended.causes & topk_reading_only(group->reading)) != 0;
    case GROUP_NO_CAUSE:
        return has_no_cause(failure);
    case GROUP_LARGE:
    case GROUP_NAN:
        return has_no_cause(failure) && untried(rules->p, failure) == group->of;
    case GROUP_TEST:
        return failure->test == group->first->test;
    default:
        return true;
    }
}

/* Writes the rule of a group, if the group is not empty. */
static void put_group(const struct bug_rules *rules, const struct bug_group *group)
{
    const struct proposal *p = rules->p;
    char when[TOPK_CONDITION_TEXT + 64];
    char select[128] = "";
    struct proposed rule;
    bool any = false;
    for (size_t i = 0; i < p->count; i++) {
        if (!belongs(rules, group, i)) {
            continue;
        }
        if (any) {
            widen(&rule, &p->failures[i]);
        } else {
            rule = rule_of(&p->failures[i]);
            rule.causes = p->failures[i].ended.causes;
        }
        any = true;
        rules->done[i] = true;
    }
    if (!any) {
        return;
    }
    if (rule.verdict != TOPK_VERDICT_FAIL) {
        rule.causes = 0;
    }
    topk_condition_print(&rules->bugs->list[rules->bug].condition, when);
    const size_t used = strlen(when);
    if (group->of == GROUP_LARGE) {
        snprintf(when + used, sizeof when - used, " and elements>=%" PRIu64,
                 TOPK_DIAGNOSED_ELEMENTS + 1);
    } else if (group->of == GROUP_NAN) {
        snprintf(when + used, sizeof when - used, " and nan=yes");
    } else if (group->of == GROUP_TEST) {
        snprintf(select, sizeof select, "%s:", p->tests.texts[group->first->test]);
    }
    rule.select = select;
    rule.when = when;
    put_rule(rules->out, p, rules->options->owner, rules->options->expires, &rule);
    put_rule(rules->again, p, "x", rules->options->expires, &rule);
}

/* The reading that explains most of the failures without a rule that are like one of them; NONE if
 * it explains few. */
static enum topk_reading main_cause(const struct bug_rules *rules, const struct failure *first)
{
    enum topk_reading best = TOPK_READING_NONE;
    size_t most = FEW - 1;
    for (int r = TOPK_READING_NONE + 1; r < TOPK_READING_COUNT; r++) {
        const struct bug_group group = {
            .of = GROUP_CAUSE, .reading = (enum topk_reading)r, .first = first};
        size_t count = 0;
        for (size_t i = 0; i < rules->p->count; i++) {
            count += belongs(rules, &group, i);
        }
        if (count > most) {
            most = count;
            best = (enum topk_reading)r;
        }
    }
    return best;
}

/* Writes the rules for all failures of a bug that fail in the way of the first one. */
static void put_alike(const struct bug_rules *rules, const struct failure *first)
{
    struct bug_group group = {.of = GROUP_CAUSE, .first = first};
    bool explained = false;
    if (first->ended.verdict != TOPK_VERDICT_FAIL) {
        group.of = GROUP_ALL;
        put_group(rules, &group);
        return;
    }
    while ((group.reading = main_cause(rules, first)) != TOPK_READING_NONE) {
        explained = true;
        put_group(rules, &group);
    }
    if (explained) {
        group.of = GROUP_LARGE;
        put_group(rules, &group);
        group.of = GROUP_NAN;
        put_group(rules, &group);
    } else {
        group.of = GROUP_NO_CAUSE;
        put_group(rules, &group);
    }
    group.of = GROUP_TEST;
    for (size_t i = 0; i < rules->p->count; i++) {
        const struct bug_group all = {.of = GROUP_ALL, .first = first};
        if (belongs(rules, &all, i)) {
            group.first = &rules->p->failures[i];
            put_group(rules, &group);
        }
    }
}

/* Writes the rules of a bug. */
static void put_bug(FILE *out, FILE *again, const struct proposal *p,
                    const struct cli_expectations_options *options, const struct topk_bugs *bugs,
                    size_t bug)
{
    char sentence[TOPK_BUG_TEXT];
    const struct bug_rules rules = {
        p, options, out, again, bugs, bug, cli_need(calloc(p->count + 1, sizeof(bool)))};
    topk_bug_print(&bugs->list[bug], sentence);
    fprintf(out, "# %s\n", sentence);
    for (size_t i = 0; i < p->count; i++) {
        const struct bug_group all = {.of = GROUP_ALL, .first = &p->failures[i]};
        if (belongs(&rules, &all, i)) {
            put_alike(&rules, &p->failures[i]);
        }
    }
    free(rules.done);
}

/* marks the failures that rules waive */
static void mark(struct proposal *p, const char *text, size_t size)
{
    struct topk_expectations rules;
    char error[512];
    if (!topk_expectations_parse(&rules, "rules", text, size, error, sizeof error)) {
        cli_fail(CLI_HARNESS, "the rules that were made cannot be read: %s", error);
    }
    topk_expectations_start(&rules, p->backend, p->version, p->driver, p->started);
    for (size_t i = 0; i < p->count; i++) {
        struct failure *failure = &p->failures[i];
        uint32_t line;
        failure->waived |=
            !failure->waived && topk_expectations_judge(&rules, &failure->ended, &line, NULL) ==
                                    TOPK_VERDICT_EXPECTED_FAIL;
    }
    topk_expectations_free(&rules);
}

/* Only for whole profiles: a condition also holds for cases that a part leaves out, which must not
 * be waived. */
static void put_conditions(FILE *out, struct proposal *p,
                           const struct cli_expectations_options *options)
{
    static struct topk_bugs bugs; /* static, to keep the stack small */
    const struct topk_look looking = {look, p};
    char *text = NULL;
    size_t size = 0;
    if (p->part || !p->complete) {
        return;
    }
    FILE *again = cli_need(topk_memory_stream(&text, &size));
    cli_need_memory(topk_bugs_learn(&bugs, p->samples, p->ids.count, &looking));
    for (size_t i = 0; i < bugs.count; i++) {
        if (bugs.list[i].condition.count > 0 && bugs.list[i].failed >= FEW) {
            put_bug(out, again, p, options, &bugs, i);
        }
    }
    topk_bugs_free(&bugs);
    cli_need_memory(fclose(again) == 0);
    mark(p, text, size);
    free(text);
}

/* ---- tests and cases ------------------------------------------------------------------------- */

/* Makes the rule of a test all of whose cases failed. False if one rule cannot describe all their
 * ways of failing. */
static bool rule_of_test(const struct proposal *p, const struct failure *first,
                         struct proposed *rule)
{
    bool all = true;
    *rule = rule_of(first);
    for (size_t i = 0; all && i < p->count; i++) {
        const struct failure *other = &p->failures[i];
        if (other->test == first->test && other != first) {
            all = alike(first, other);
            widen(rule, other);
        }
    }
    return all;
}

static void put_rest(FILE *out, struct proposal *p, const struct cli_expectations_options *options)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct failure *failure = &p->failures[i];
        struct tally *tally = &p->tallies[failure->test];
        if (failure->waived || tally->done) {
            continue;
        }
        char select[128];
        struct proposed rule;
        if (tally->whole && rule_of_test(p, failure, &rule)) {
            snprintf(select, sizeof select, "%s:", p->tests.texts[failure->test]);
            rule.select = select;
            tally->done = true;
        } else {
            tally->whole = false;
            rule = rule_of(failure);
            rule.select = failure->ended.id;
        }
        put_rule(out, p, options->owner, options->expires, &rule);
    }
}

void proposal_put(FILE *out, struct proposal *p, const struct cli_expectations_options *options)
{
    if (p->text[0] == 0) {
        fputs("# Known failures, proposed by `topk-cts expectations update': review and complete "
              "them.\n",
              out);
    }
    put_kept(out, p);
    mark_kept(p);
    put_conditions(out, p, options);
    put_rest(out, p, options);
}
