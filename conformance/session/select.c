/* Makes lists of cases from selections. */
#include <stdlib.h>
#include <string.h>

#include "log/log.h"
#include "make_cases.h"
#include "session.h"

static bool asks_for_no_more(const struct cli_case *c, const void *level)
{
    return c->level <= *(const uint32_t *)level;
}

void cli_cases_limit(struct cli_cases *cases, uint32_t level)
{
    cli_cases_keep(cases, asks_for_no_more, &level);
}

/* ---- selecting ------------------------------------------------------------------------------- */

struct select {
    struct cli_cases *cases;
    char *const *selections;
    size_t selection_count;
    bool *matched; /* which selections selected something */
};

/* whether a pattern can select an id of a test: up to the first wildcard of the pattern, one of the
 * two must begin with the other */
static bool may_select(const char *name, const char *pattern)
{
    const size_t known = strcspn(pattern, "*?");
    const size_t length = strlen(name);
    return strncmp(name, pattern, known < length ? known : length) == 0;
}

static bool wanted(const void *context, const struct topk_test *test)
{
    const struct select *select = context;
    char name[128];
    bool selected = select->selection_count == 0;
    snprintf(name, sizeof name, "%s.%s:", test->group, test->name);
    for (size_t i = 0; i < select->selection_count; i++) {
        selected = selected || may_select(name, select->selections[i]);
    }
    return selected;
}

static void select_cases(void *context, const struct cli_made *made)
{
    struct select *select = context;
    struct cli_cases *cases = select->cases;
    for (size_t at = 0; at < made->count; at++) {
        const char *id = made->cases[at].id;
        bool selected = select->selection_count == 0;
        for (size_t i = 0; i < select->selection_count; i++) {
            if (topk_id_selected(id, select->selections[i])) {
                selected = true;
                select->matched[i] = true;
            }
        }
        if (selected) {
            cli_cases_append(cases, id, &made->cases[at]);
        }
    }
    if (cases->drifted == NULL && made->drifted) {
        cases->drifted = made->row->name;
    }
}

/* whether a selection may be meant as a case: no name of a test has a space */
static bool like_case(const char *selection)
{
    size_t name;
    const char *text;
    topk_case_id_split(selection, strlen(selection), &name, &text);
    return strncmp(text, "top_k", 5) == 0 && strchr(text, ' ') != NULL;
}

/* the search for a case that a selection selects */
struct search {
    const char *selection;
    bool found;
};

static bool may_have(const void *context, const struct topk_test *test)
{
    const struct search *search = context;
    char name[128];
    snprintf(name, sizeof name, "%s.%s:", test->group, test->name);
    return may_select(name, search->selection);
}

static void look_for_case(void *context, const struct cli_made *made)
{
    struct search *search = context;
    for (size_t i = 0; i < made->count && !search->found; i++) {
        search->found = topk_id_selected(made->cases[i].id, search->selection);
    }
}

/* the first profile with a case that a selection selects; NULL if none has one. */
static const struct topk_profile *profile_with(const char *selection)
{
    for (size_t i = 0; i < topk_profile_count; i++) {
        struct search search = {.selection = selection};
        cli_cases_make(&topk_profiles[i], may_have, look_for_case, &search);
        if (search.found) {
            return &topk_profiles[i];
        }
    }
    return NULL;
}

/* reports which other profile has what a selection selects */
static void report_elsewhere(const char *selection, const struct topk_profile *profile,
                             const struct topk_profile *other)
{
    char *quoted = cli_need(topk_text_shell(selection));
    cli_error("'%.200s' exists, but not in profile %s; profile %s has it: topk-cts %s --profile %s "
              "%.300s",
              selection, profile->name, other->name, cli_command_name, other->name, quoted);
    free(quoted);
}

static void report_unmatched(const char *selection, const struct topk_profile *profile)
{
    const struct topk_profile *other = profile == NULL ? NULL : profile_with(selection);
    if (other != NULL) {
        report_elsewhere(selection, profile, other);
        return;
    }
    struct cli_near near;
    char name[128];
    size_t length = strcspn(selection, ":");
    cli_near_start(&near, selection, length);
    const char *group = "";
    for (size_t i = 0; i < topk_test_count(); i++) {
        const struct topk_test *test = topk_test_at(i);
        snprintf(name, sizeof name, "%s.%s", test->group, test->name);
        cli_near_offer(&near, name);
        if (strcmp(group, test->group) != 0) {
            group = test->group;
            cli_near_offer(&near, group);
        }
    }
    cli_error("'%.200s' selects no case%s%s%s", selection, profile == NULL ? "" : " of profile ",
              profile == NULL ? "" : profile->name, cli_near_text(&near, ""));
}

static void check_selections(struct cli_cases *cases, const struct topk_profile *profile,
                             const struct select *select, bool extra)
{
    int code = CLI_CONFORMANT;
    for (size_t i = 0; i < select->selection_count; i++) {
        const char *selection = select->selections[i];
        bool repeated = false;
        for (size_t j = 0; j < i; j++) {
            repeated |= strcmp(selection, select->selections[j]) == 0;
        }
        if (select->matched[i] || repeated) {
            continue;
        }
        if (extra && like_case(selection)) {
            int added = cli_cases_add(cases, selection, strlen(selection), "");
            code = added != CLI_CONFORMANT ? added : code;
        } else {
            report_unmatched(selection, profile);
            code = code == CLI_CONFORMANT ? CLI_INCOMPLETE : code;
        }
    }
    if (code != CLI_CONFORMANT) {
        exit(code);
    }
}

void cli_cases_select(struct cli_cases *cases, const struct topk_profile *profile,
                      char *const *selections, size_t selection_count, bool extra)
{
    memset(cases, 0, sizeof *cases);
    struct select select = {
        .cases = cases,
        .selections = selections,
        .selection_count = selection_count,
        .matched = cli_need(calloc(selection_count + 1, sizeof(bool))),
    };
    cli_cases_make(profile, wanted, select_cases, &select);
    check_selections(cases, profile, &select, extra);
    free(select.matched);
    if (cases->count == 0) {
        cli_fail(CLI_INCOMPLETE, "nothing was selected");
    }
}

void cli_cases_hold(const struct cli_cases *cases, const struct topk_profile *profile)
{
    if (cases->drifted != NULL) {
        cli_fail(CLI_HARNESS,
                 "the cases of '%s' are not those that profile %s means: this topk-cts was not "
                 "built as released",
                 cases->drifted, profile->name);
    }
}

/* ---- single cases ---------------------------------------------------------------------------- */

/* Shows the part of a text around a column, and a caret below the column. */
static void show_column(const char *text, size_t length, size_t column)
{
    const size_t width = 72;
    size_t at = column > length ? length : column - 1;
    size_t from = at > width / 2 && length > width ? at - width / 2 : 0;
    size_t to = length - from > width ? from + width : length;
    const char *before = from > 0 ? "..." : "";
    fprintf(stderr, "  %s", before);
    for (size_t i = from; i < to; i++) {
        fputc(text[i] >= ' ' && text[i] < 0x7f ? text[i] : '?', stderr);
    }
    fprintf(stderr, "%s\n  %*s^\n", to < length ? "..." : "", (int)(strlen(before) + at - from),
            "");
}

int cli_cases_add(struct cli_cases *cases, const char *id, size_t length, const char *where)
{
    struct topk_case c;
    struct topk_case_error error;
    size_t name;
    const char *text;
    topk_case_id_split(id, length, &name, &text);
    size_t start = (size_t)(text - id);
    if (!topk_case_parse(text, length - start, &c, &error)) {
        cli_error("%snot a case: column %zu: %s", where, start + error.column, error.message);
        show_column(id, length, start + error.column);
        if (memchr(id, ' ', length) == NULL) {
            cli_error("a case has spaces and is one argument, in quotes; the cases of a test are "
                      "run by `topk-cts run TEST'");
        }
        return CLI_USAGE;
    }
    const struct cli_case added = cli_case_of(&c, length, start, UINT32_MAX);
    cli_cases_append(cases, id, &added);
    topk_case_clear(&c);
    return CLI_CONFORMANT;
}

bool cli_case_of_shard(const struct cli_cases *cases, const struct topk_shard *shard,
                       uint64_t number)
{
    const struct cli_case *c = cli_case_at(cases, number);
    return topk_shard_has(shard, number, c->id, c->length);
}

const char *cli_case_text(const struct cli_cases *cases, uint64_t number, size_t *length)
{
    const struct cli_case *c = cli_case_at(cases, number);
    *length = c->length - c->text;
    return c->id + c->text;
}

void cli_case_types(const struct cli_case *c, uint32_t call, uint32_t types[TOPK_ROLE_COUNT])
{
    struct topk_case tc;
    types[TOPK_VALUE] = c->type;
    types[TOPK_INDEX] = c->index_type;
    if (call != 0 && cli_case_parse(c->id, c->length, &tc)) {
        for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
            types[role] = topk_case_call(&tc, call)->op.tensors[role].type;
        }
        topk_case_clear(&tc);
    }
}

bool cli_case_parse(const char *id, size_t length, struct topk_case *tc)
{
    struct topk_case_error ignored;
    const char *text;
    size_t name;
    topk_case_id_split(id, length, &name, &text);
    if (topk_case_parse(text, length - (size_t)(text - id), tc, &ignored)) {
        return true;
    }
    if (ignored.no_memory) {
        topk_memory_fail();
    }
    return false;
}
