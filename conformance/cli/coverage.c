/* topk-cts coverage: prints which combinations the cases of a profile exercise. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "coverage/coverage.h"

enum {
    KEY_STRENGTH = 6000
};

struct coverage_options {
    const struct topk_profile *profile;
    unsigned strength;
    bool missing;
    bool impossible;
    char *const *selections;
    size_t selection_count;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct coverage_options *options = state->input;
    switch (key) {
    case 'p':
        options->profile = cli_profile_of(state, argument);
        return 0;
    case KEY_STRENGTH:
        if (strlen(argument) != 1 || argument[0] < '1' || argument[0] > '0' + TOPK_STRENGTH_MAX) {
            argp_error(state, "--strength takes 1, 2 or 3, not '%s'", argument);
        }
        options->strength = (unsigned)(argument[0] - '0');
        return 0;
    case ARGP_KEY_ARGS:
        options->selections = state->argv + state->next;
        options->selection_count = (size_t)(state->argc - state->next);
        return 0;
    default:
        return cli_store(key, argument, state);
    }
}

const struct argp cli_coverage_argp = {
    .options =
        (const struct argp_option[]){
            {"profile", 'p', "PROFILE", 0, "The cases of this profile; default core", 0},
            {"strength", KEY_STRENGTH, "N", 0,
             "Number of classes in a combination: 1, 2 (the default) or 3", 0},
            {"missing", CLI_FLAG(struct coverage_options, missing), NULL, 0,
             "List every combination that is missing", 0},
            {"impossible", CLI_FLAG(struct coverage_options, impossible), NULL, 0,
             "List every combination that is impossible", 0},
            {0},
        },
    .parser = parse,
    .args_doc = "[SELECTION...]",
    .doc = "Shows which combinations of types, ranks, layouts, ties, special values and so on the "
           "cases of a profile exercise, or the cases of a SELECTION.\vThe description and the "
           "data of a case decide which combinations it exercises. Exits with 1 if a possible "
           "combination has no case.",
};

/* ---- counting -------------------------------------------------------------------------------- */

static void print_combination(FILE *out, unsigned count, const unsigned char classes[])
{
    for (unsigned i = 0; i < count; i++) {
        fprintf(out, "%s%s %s", i == 0 ? "" : ", ",
                topk_aspect_name(topk_aspect_of_class(classes[i])),
                topk_aspect_class_name(classes[i]));
    }
}

/* Ends the program: a case shows that the rules are wrong, so nothing can be certified by them. */
static _Noreturn void contradict(const struct cli_case *c,
                                 const unsigned char classes[TOPK_ASPECT_COUNT])
{
    uint64_t broken = topk_rules_broken(classes, topk_rules_all());
    cli_error("a case is of classes that the rules call impossible: %s", c->id);
    for (unsigned i = 0; i < topk_rule_count; i++) {
        if ((broken >> i & 1) != 0) {
            fprintf(stderr, "  %s\n", topk_rules[i].reason);
        }
    }
    fputs("  ", stderr);
    print_combination(stderr, TOPK_ASPECT_COUNT, classes);
    fputc('\n', stderr);
    exit(CLI_HARNESS);
}

static void count_cases(struct topk_coverage *coverage, const struct cli_cases *cases)
{
    for (size_t i = 0; i < cases->count; i++) {
        const struct cli_case *c = cli_case_at(cases, i);
        struct topk_case tc;
        unsigned char classes[TOPK_ASPECT_COUNT];
        cli_need_memory(cli_case_parse(c->id, c->length, &tc));
        enum topk_coverage_status status = topk_coverage_add(coverage, &tc, classes);
        topk_case_clear(&tc);
        cli_need_memory(status != TOPK_COVERAGE_NO_MEMORY);
        if (status == TOPK_COVERAGE_CONTRADICTION) {
            contradict(c, classes);
        }
    }
}

/* ---- the results of the combinations --------------------------------------------------------- */

struct reason {
    uint64_t rules;
    uint64_t count;
    unsigned char example[TOPK_STRENGTH_MAX];
};

/* maximum number of missing combinations that are listed without --missing */
#define MISSING_SHOWN 10

struct tally {
    unsigned strength;
    uint64_t states[TOPK_COMBINATION_IMPOSSIBLE + 1];
    struct reason *reasons; /* owned */
    size_t reason_count;
    size_t reason_room;
};

static void count_reason(struct tally *tally, const unsigned char combination[], uint64_t rules)
{
    size_t i = 0;
    while (i < tally->reason_count && tally->reasons[i].rules != rules) {
        i++;
    }
    if (i == tally->reason_room) {
        tally->reason_room = 2 * i + 16;
        tally->reasons =
            cli_need(realloc(tally->reasons, tally->reason_room * sizeof *tally->reasons));
    }
    if (i == tally->reason_count) {
        tally->reasons[i] = (struct reason){.rules = rules};
        memcpy(tally->reasons[i].example, combination, tally->strength);
        tally->reason_count++;
    }
    tally->reasons[i].count++;
}

static void count_combination(void *context, const unsigned char combination[],
                              enum topk_combination_state state, uint64_t rules)
{
    struct tally *tally = context;
    tally->states[state]++;
    if (state == TOPK_COMBINATION_IMPOSSIBLE) {
        count_reason(tally, combination, rules);
    }
}

static int by_count(const void *a, const void *b)
{
    const struct reason *x = a;
    const struct reason *y = b;
    if (x->count != y->count) {
        return x->count > y->count ? -1 : 1;
    }
    return memcmp(x->example, y->example, sizeof x->example);
}

/* prints the combinations of a state, up to a number of them */
struct lister {
    unsigned strength;
    enum topk_combination_state state;
    uint64_t left;
};

static void list_combination(void *context, const unsigned char combination[],
                             enum topk_combination_state state, uint64_t rules)
{
    struct lister *lister = context;
    (void)rules;
    if (state == lister->state && lister->left > 0) {
        lister->left--;
        fputs("  ", stdout);
        print_combination(stdout, lister->strength, combination);
        putchar('\n');
    }
}

/* ---- the certificate ------------------------------------------------------------------------- */

/* singular and plural, by strength */
static const char *const words[][2] = {{"", ""},
                                       {"class", "classes"},
                                       {"pair of classes", "pairs of classes"},
                                       {"triple of classes", "triples of classes"}};

static void print_head(const struct coverage_options *options, const struct topk_coverage *coverage,
                       size_t selected)
{
    const struct topk_profile *profile = options->profile;
    printf("topk-cts %s: coverage of profile %s v%" PRIu32 "\n", TOPK_VERSION, profile->name,
           profile->version);
    printf("digest %s\n%" PRIu64 " cases", profile->digest, topk_profile_cases(profile));
    if (options->selection_count > 0) {
        printf(", %zu of them selected by", selected);
        for (size_t i = 0; i < options->selection_count; i++) {
            printf(" '%s'", options->selections[i]);
        }
    }
    printf("\n  %6" PRIu64 " count: they are valid, so their results are judged\n",
           coverage->counted);
    printf("  %6" PRIu64 " do not: they are invalid and must be refused\n", coverage->invalid);
    printf("  %6" PRIu64 " do not: a refusal passes, too (V12, T10b, T14)\n", coverage->open);
    if (coverage->large > 0) {
        printf("  %6" PRIu64
               " do not: they are too large to run, so the operator is only created\n",
               coverage->large);
    }
}

static void print_classes(const struct topk_coverage *coverage)
{
    const unsigned columns = 4;
    puts("\nclasses, and the number of cases of each");
    for (unsigned i = 0; i < TOPK_ASPECT_COUNT; i++) {
        enum topk_aspect aspect = (enum topk_aspect)i;
        unsigned count = topk_aspect_classes(aspect);
        for (unsigned j = 0; j < count; j++) {
            unsigned class = topk_aspect_first(aspect) + j;
            if (j % columns == 0) {
                printf("%s  %-10s", j == 0 ? "" : "\n", j == 0 ? topk_aspect_name(aspect) : "");
            }
            printf(" %12s%7" PRIu64, topk_aspect_class_name(class), coverage->classes[class]);
        }
        putchar('\n');
    }
}

static void print_reasons(const struct tally *tally)
{
    puts("\nimpossible, because");
    for (size_t i = 0; i < tally->reason_count; i++) {
        const struct reason *reason = &tally->reasons[i];
        bool first = true;
        for (unsigned j = 0; j < topk_rule_count; j++) {
            if ((reason->rules >> j & 1) == 0) {
                continue;
            }
            if (first) {
                printf("  %6" PRIu64 "  %s\n", reason->count, topk_rules[j].reason);
            } else {
                printf("     and  %s\n", topk_rules[j].reason);
            }
            first = false;
        }
        fputs("          as in ", stdout);
        print_combination(stdout, tally->strength, reason->example);
        putchar('\n');
    }
}

static void print_counts(const struct tally *tally)
{
    uint64_t exercised = tally->states[TOPK_COMBINATION_EXERCISED];
    uint64_t missing = tally->states[TOPK_COMBINATION_MISSING];
    uint64_t impossible = tally->states[TOPK_COMBINATION_IMPOSSIBLE];
    printf("\n%s of different aspects\n", words[tally->strength][1]);
    printf("  exist      %8" PRIu64 "\n", exercised + missing + impossible);
    printf("  impossible %8" PRIu64 "\n", impossible);
    printf("  possible   %8" PRIu64 "\n", exercised + missing);
    printf("  exercised  %8" PRIu64 "\n", exercised);
    printf("  missing    %8" PRIu64 "\n", missing);
}

static void print_state(const struct topk_coverage *coverage, const char *title,
                        struct lister lister)
{
    printf("\n%s\n", title);
    cli_need_memory(topk_coverage_each(coverage, list_combination, &lister));
}

static void print_missing(const struct coverage_options *options,
                          const struct topk_coverage *coverage, uint64_t missing)
{
    print_state(coverage, "missing",
                (struct lister){options->strength, TOPK_COMBINATION_MISSING,
                                options->missing ? UINT64_MAX : MISSING_SHOWN});
    if (!options->missing && missing > MISSING_SHOWN) {
        printf("  and %" PRIu64 " more, which --missing lists\n", missing - MISSING_SHOWN);
    }
}

static void print_verdict(const struct coverage_options *options, const struct tally *tally)
{
    uint64_t exercised = tally->states[TOPK_COMBINATION_EXERCISED];
    uint64_t missing = tally->states[TOPK_COMBINATION_MISSING];
    printf("\n%s: ", missing == 0 ? "COVERED" : "NOT COVERED");
    if (missing == 0) {
        printf("each of %" PRIu64 " possible %s is exercised by a case of ", exercised,
               words[tally->strength][exercised != 1]);
    } else {
        printf("of %" PRIu64 " possible %s %" PRIu64 " are exercised by no case of ",
               exercised + missing, words[tally->strength][exercised + missing != 1], missing);
    }
    printf("%sprofile %s v%" PRIu32 "\n", options->selection_count > 0 ? "the selection from " : "",
           options->profile->name, options->profile->version);
}

static void print_neighbours(const struct topk_neighbours *neighbours)
{
    if (neighbours->pairs == 0) {
        return;
    }
    printf("\nneighbouring calls of sequences: %" PRIu64 " pairs, %" PRIu64
           " of them alike; %" PRIu64 " calls behind one that is refused\n",
           neighbours->pairs, neighbours->same, neighbours->refused);
    puts("  what changes        pairs   it alone   from class to class");
    for (unsigned i = 0; i < TOPK_ASPECT_COUNT; i++) {
        const unsigned classes = topk_aspect_classes((enum topk_aspect)i);
        printf("  %-14s %10" PRIu64 " %10" PRIu64 "   %u of %u\n",
               topk_aspect_name((enum topk_aspect)i), neighbours->changed[i], neighbours->alone[i],
               topk_neighbours_turns(neighbours, (enum topk_aspect)i), classes * (classes - 1));
    }
}

/* prints the certificate; returns the exit code */
static int certify(const struct coverage_options *options, const struct topk_coverage *coverage,
                   size_t selected)
{
    struct tally tally = {.strength = options->strength};
    cli_need_memory(topk_coverage_each(coverage, count_combination, &tally));
    uint64_t missing = tally.states[TOPK_COMBINATION_MISSING];
    if (tally.reason_count > 1) {
        qsort(tally.reasons, tally.reason_count, sizeof *tally.reasons, by_count);
    }
    print_head(options, coverage, selected);
    print_classes(coverage);
    print_counts(&tally);
    print_reasons(&tally);
    print_neighbours(&coverage->neighbours);
    if (options->impossible) {
        print_state(coverage, "impossible",
                    (struct lister){options->strength, TOPK_COMBINATION_IMPOSSIBLE, UINT64_MAX});
    }
    if (missing > 0) {
        print_missing(options, coverage, missing);
    }
    print_verdict(options, &tally);
    free(tally.reasons);
    return missing > 0 ? CLI_FAILURES : CLI_CONFORMANT;
}

int cli_coverage(int argc, char **argv)
{
    struct coverage_options options = {.profile = topk_profile_find("core"), .strength = 2};
    struct cli_cases cases;
    struct topk_coverage coverage = {.counted = 0};
    cli_parse(&cli_coverage_argp, argc, argv, &options);
    cli_cases_select(&cases, options.profile, options.selections, options.selection_count, false);
    cli_cases_hold(&cases, options.profile);
    cli_need_memory(topk_coverage_start(&coverage, options.strength));
    count_cases(&coverage, &cases);
    int code = certify(&options, &coverage, cases.count);
    topk_coverage_free(&coverage);
    cli_cases_free(&cases);
    return code;
}
