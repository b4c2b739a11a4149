/* topk-cts list: prints the ids of cases, or their tests. */
#include "cli.h"
#include "list_words.h"

/* keys of long options; below 256 they would be short ones */
enum {
    KEY_RECIPES = 2000,
    KEY_LAYOUTS,
    KEY_PADDINGS,
    KEY_CHECKS,
    KEY_TYPES,
    KEY_FEATURES,
    KEY_CAUSES
};

struct list_options {
    struct cli_choice choice;
    enum topk_clause clause;
    bool tests;
    void (*words)(void); /* lists something else instead of cases, or NULL */
    char *const *selections;
    size_t selection_count;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct list_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->choice;
        return 0;
    case 'c':
        options->clause = cli_clause_of(argument);
        return 0;
    case KEY_RECIPES:
        options->words = cli_list_recipes;
        return 0;
    case KEY_LAYOUTS:
        options->words = cli_list_layouts;
        return 0;
    case KEY_PADDINGS:
        options->words = cli_list_paddings;
        return 0;
    case KEY_CHECKS:
        options->words = cli_list_checks;
        return 0;
    case KEY_TYPES:
        options->words = cli_list_types;
        return 0;
    case KEY_FEATURES:
        options->words = cli_list_features;
        return 0;
    case KEY_CAUSES:
        options->words = cli_list_causes;
        return 0;
    case ARGP_KEY_ARGS:
        options->selections = state->argv + state->next;
        options->selection_count = (size_t)(state->argc - state->next);
        return 0;
    default:
        return cli_store(key, argument, state);
    }
}

const struct argp cli_list_argp = {
    .options =
        (const struct argp_option[]){
            {"tests", CLI_FLAG(struct list_options, tests), NULL, 0,
             "Print tests instead: name, number of cases, description", 0},
            {"clause", 'c', "CLAUSE", 0, "Only cases that test this clause, such as S08", 0},
            {"recipes", KEY_RECIPES, NULL, 0,
             "Print the values of `data=' instead: each recipe with its parameters, a description "
             "and an example",
             0},
            {"checks", KEY_CHECKS, NULL, 0,
             "Print the values of `check=' instead, with the clause that each tests", 0},
            {"paddings", KEY_PADDINGS, NULL, 0, "Print the values of `pad=' instead", 0},
            {"types", KEY_TYPES, NULL, 0, "Print the element types instead", 0},
            {"layouts", KEY_LAYOUTS, NULL, 0,
             "Print the layouts that tests use instead, each with the text of a tensor", 0},
            {"features", KEY_FEATURES, NULL, 0,
             "Print the features of cases that conditions can name instead: numbers, then those "
             "with words as values",
             0},
            {"causes", KEY_CAUSES, NULL, 0,
             "Print the causes of wrong results that the suite knows instead, the values of "
             "`cause=' "
             "in expectations",
             0},
            {0},
        },
    .parser = parse,
    .args_doc = "[SELECTION...]",
    .doc =
        "Prints the ids of cases, one per line: of a profile, or, without --profile, of all "
        "tests.\vA SELECTION is the start of an id, such as `ties' or `ties.boundary', or a glob "
        "that matches it whole, with `*' and `?'. docs/case-text.md says how a case is written.",
    .children = (const struct argp_child[]){{&cli_choice_argp, 0, NULL, 0}, {0}},
};

static bool tests_clause(const struct cli_case *c, const void *clause)
{
    return cli_tests_clause(c->id, c->length, *(const enum topk_clause *)clause);
}

static void print_tests(const struct cli_cases *cases)
{
    for (size_t i = 0; i < cases->count && cli_output_open();) {
        uint32_t number = cli_case_at(cases, i)->test;
        const struct topk_test *test = topk_test_at(number);
        size_t count = 0;
        while (i < cases->count && cli_case_at(cases, i)->test == number) {
            count++;
            i++;
        }
        int length = printf("%s.%s", test->group, test->name);
        printf("%*s %6zu  %s\n", length < 24 ? 24 - length : 0, "", count, test->about);
    }
}

int cli_list(int argc, char **argv)
{
    struct list_options options = {.clause = TOPK_CLAUSE_NONE};
    struct cli_cases cases;
    cli_parse(&cli_list_argp, argc, argv, &options);
    if (options.words != NULL) {
        options.words();
        return CLI_CONFORMANT;
    }
    cli_cases_select(&cases, options.choice.profile, options.selections, options.selection_count,
                     false);
    if (options.choice.level != 0) {
        cli_cases_limit(&cases, options.choice.level);
    }
    if (cases.count == 0) {
        cli_fail(CLI_INCOMPLETE, "every selected case needs a higher feature level");
    }
    if (options.clause != TOPK_CLAUSE_NONE) {
        cli_cases_keep(&cases, tests_clause, &options.clause);
        if (cases.count == 0) {
            cli_fail(CLI_INCOMPLETE, "no selected case tests %s", topk_clause_id(options.clause));
        }
    }
    if (options.tests) {
        print_tests(&cases);
    } else {
        for (size_t i = 0; i < cases.count && cli_output_open(); i++) {
            const struct cli_case *c = cli_case_at(&cases, i);
            fwrite(c->id, 1, c->length, stdout);
            putchar('\n');
        }
    }
    cli_cases_free(&cases);
    return CLI_CONFORMANT;
}
