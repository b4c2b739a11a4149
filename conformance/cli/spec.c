/* topk-cts spec: prints the clauses, and how many cases of a profile test each. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "reference/sentence.h"

enum {
    KEY_FORMAT = 4000
};

struct spec_options {
    const struct topk_profile *profile;
    bool markdown;
    bool check;
    char *const *clauses;
    size_t clause_count;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct spec_options *options = state->input;
    switch (key) {
    case 'p':
        options->profile = cli_profile_of(state, argument);
        return 0;
    case KEY_FORMAT:
        options->markdown = strcmp(argument, "markdown") == 0;
        if (!options->markdown && strcmp(argument, "text") != 0) {
            argp_error(state, "--format takes text or markdown, not '%s'", argument);
        }
        return 0;
    case ARGP_KEY_ARGS:
        options->clauses = state->argv + state->next;
        options->clause_count = (size_t)(state->argc - state->next);
        return 0;
    default:
        return cli_store(key, argument, state);
    }
}

const struct argp cli_spec_argp = {
    .options =
        (const struct argp_option[]){
            {"profile", 'p', "PROFILE", 0, "Count the cases of this profile; default core", 0},
            {"format", KEY_FORMAT, "FORMAT", 0, "text, the default, or markdown", 0},
            {"check", CLI_FLAG(struct spec_options, check), NULL, 0,
             "Exit with 1 if a clause that needs a case has none", 0},
            {0},
        },
    .parser = parse,
    .args_doc = "[CLAUSE...]",
    .doc = "Prints the clauses of the specification with their grade and the number of cases of a "
           "profile that test them. For each named CLAUSE, such as S09, prints all details.",
};

struct coverage {
    uint64_t cases[TOPK_CLAUSE_COUNT];
    uint64_t *tests; /* counts by number of the test, and clause */
};

/* counts a case for its test; several threads count at a time, but only one for each test */
static bool count_case(void *context, const struct topk_test *test, uint32_t number,
                       const struct topk_case *c)
{
    const struct coverage *coverage = context;
    struct topk_clause_set set = {{0}};
    if (!topk_case_clauses(c, &set)) {
        return false;
    }
    if (test->clause != NULL) {
        enum topk_clause clause = topk_clause_parse(test->clause, strlen(test->clause));
        if (clause != TOPK_CLAUSE_NONE) {
            topk_clause_set_add(&set, clause);
        }
    }
    for (size_t i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        coverage->tests[(size_t)number * TOPK_CLAUSE_COUNT + i] +=
            topk_clause_set_has(&set, (enum topk_clause)i);
    }
    return true;
}

static void count_cases(struct coverage *coverage, const struct topk_profile *profile)
{
    const size_t tests = topk_test_count();
    coverage->tests = cli_need(calloc(tests * TOPK_CLAUSE_COUNT + 1, sizeof *coverage->tests));
    cli_cases_look(profile, count_case, coverage);
    for (size_t i = 0; i < tests * TOPK_CLAUSE_COUNT; i++) {
        coverage->cases[i % TOPK_CLAUSE_COUNT] += coverage->tests[i];
    }
}

/* whether a clause promises something that a run of this suite can show to be broken */
static bool to_be_tested(const struct topk_clause_row *row)
{
    return row->grade == TOPK_GRADE_MUST || row->grade == TOPK_GRADE_EXAMPLE;
}

static void print_sentence_ids(enum topk_clause clause)
{
    for (size_t i = 0; i < topk_sentence_count; i++) {
        if (topk_sentence_leads(i, clause)) {
            printf(" %s", topk_sentence_row(i)->id);
        }
    }
}

static void print_table(const struct coverage *coverage, bool markdown)
{
    if (markdown) {
        puts("| clause | grade | cases | promise | sentences |\n|---|---|---:|---|---|");
    }
    for (size_t i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        const struct topk_clause_row *row = topk_clause_row((enum topk_clause)i);
        if (!markdown) {
            printf("%-4s %-8s %6" PRIu64 "  %s\n", row->id, topk_grade_name(row->grade),
                   coverage->cases[i], row->sentence);
            continue;
        }
        printf("| %s | %s | %" PRIu64 " | ", row->id, topk_grade_name(row->grade),
               coverage->cases[i]);
        for (const char *at = row->sentence; *at != 0; at++) {
            /* characters that are special in Markdown */
            if (strchr("|*<>_`\\[]", *at) != NULL) {
                putchar('\\');
            }
            putchar(*at);
        }
        fputs(" |", stdout);
        print_sentence_ids((enum topk_clause)i);
        puts(" |");
    }
}

static void print_sentence(size_t sentence, bool *shown)
{
    const struct topk_sentence_row *row = topk_sentence_row(sentence);
    printf("  %s, %s: %s%s\n", row->id, row->section, row->words,
           topk_sentence_quoted(sentence) ? "" : " (this suite's rendering)");
    for (int i = 0; i < TOPK_DOCUMENT_COUNT; i++) {
        const char *words = topk_sentence_wording(sentence, (enum topk_document)i);
        if (words != NULL) {
            shown[i] = true;
            printf("    %s: %s\n", topk_document_row((enum topk_document)i)->id,
                   strcmp(words, row->words) == 0 ? "in these words" : words);
        }
    }
}

static void print_document(const struct topk_document_row *row)
{
    printf("    %s: %s, %s, %s (%s)%s%s\n", row->id, row->title, row->language,
           row->dated[0] != 0 ? row->dated : "without a date", row->edition,
           row->digest[0] != 0 ? ", SHA-256 " : "", row->digest);
}

/* prints the sentences that a clause comes from, and how it follows from them if no sentence states
 * it */
static void print_sources(enum topk_clause clause)
{
    bool shown[TOPK_DOCUMENT_COUNT] = {false};
    bool any = false;
    for (size_t i = 0; i < topk_sentence_count; i++) {
        if (topk_sentence_leads(i, clause)) {
            print_sentence(i, shown);
            any = true;
        }
    }
    if (any) {
        puts("  documents:");
    }
    for (int i = 0; i < TOPK_DOCUMENT_COUNT; i++) {
        if (shown[i]) {
            print_document(topk_document_row((enum topk_document)i));
        }
    }
    const struct topk_trace_row *trace = topk_trace_row(clause);
    if (trace->follows[0] != 0) {
        printf("  follows: %s\n", trace->follows);
    }
    if (trace->open[0] != 0) {
        printf("  left open: %s\n", trace->open);
    }
}

static void print_clause(const struct coverage *coverage, enum topk_clause clause,
                         const struct topk_profile *profile)
{
    const struct topk_clause_row *row = topk_clause_row(clause);
    printf("%s (%s)\n  %s\n", row->id, topk_grade_name(row->grade), row->sentence);
    print_sources(clause);
    printf("  tested by %" PRIu64 " cases of profile %s\n", coverage->cases[clause], profile->name);
    for (size_t i = 0; i < topk_test_count(); i++) {
        uint64_t count = coverage->tests[i * TOPK_CLAUSE_COUNT + clause];
        if (count > 0) {
            const struct topk_test *test = topk_test_at(i);
            printf("    %s.%s: %" PRIu64 "\n", test->group, test->name, count);
        }
    }
}

static void print_clauses(const struct coverage *coverage, const struct spec_options *options)
{
    for (size_t i = 0; i < options->clause_count; i++) {
        print_clause(coverage, cli_clause_of(options->clauses[i]), options->profile);
    }
}

static int check(const struct coverage *coverage, const struct topk_profile *profile)
{
    int code = CLI_CONFORMANT;
    size_t tested = 0;
    for (size_t i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        const struct topk_clause_row *row = topk_clause_row((enum topk_clause)i);
        if (!to_be_tested(row)) {
            continue;
        }
        if (coverage->cases[i] == 0) {
            cli_error("clause %s has no case in profile %s: %s", row->id, profile->name,
                      row->sentence);
            code = CLI_FAILURES;
        } else {
            tested++;
        }
    }
    printf("%zu clauses of grade MUST or EXAMPLE have cases in profile %s;\nM08 has none: a wrong "
           "binding removes the device, and nothing says what else it does\n",
           tested, profile->name);
    return code;
}

int cli_spec(int argc, char **argv)
{
    struct spec_options options = {.profile = topk_profile_find("core")};
    struct coverage coverage = {.tests = NULL};
    cli_parse(&cli_spec_argp, argc, argv, &options);
    for (size_t i = 0; i < options.clause_count; i++) {
        cli_clause_of(options.clauses[i]);
    }
    count_cases(&coverage, options.profile);
    if (options.clause_count > 0) {
        print_clauses(&coverage, &options);
    } else if (!options.check) {
        print_table(&coverage, options.markdown);
    }
    int code = options.check ? check(&coverage, options.profile) : CLI_CONFORMANT;
    free(coverage.tests);
    return code;
}
