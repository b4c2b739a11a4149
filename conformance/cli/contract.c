/* topk-cts contract: prints, checks and compares declared contracts. */
#include "reference/contract.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

struct contract_options {
    char *const *paths;
    size_t path_count;
    bool check;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct contract_options *options = state->input;
    switch (key) {
    case ARGP_KEY_ARGS:
        options->paths = state->argv + state->next;
        options->path_count = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_END:
        if (options->check && options->path_count == 0) {
            argp_error(state, "no file given: --check takes contract files");
        }
        if (!options->check && options->path_count > 2) {
            argp_error(state, "two contracts are compared, not %zu", options->path_count);
        }
        return 0;
    default:
        return cli_store(key, argument, state);
    }
}

const struct argp cli_contract_argp = {
    .options =
        (const struct argp_option[]){
            {"check", CLI_FLAG(struct contract_options, check), NULL, 0,
             "Print nothing for valid files; takes any number of files", 0},
            {0},
        },
    .parser = parse,
    .args_doc = "[FILE [FILE]]",
    .doc = "Prints, checks and compares declared contracts: the documented rules of an "
           "implementation that differ from DirectML's. `topk-cts run --contract FILE' judges by "
           "them.\vWithout a FILE it prints all rules and their values, as a file to start from. "
           "For one FILE it prints the declared rules and their effect on the clauses. For two it "
           "prints the differences, and exits with 1 if there are any. If a file cannot be read, "
           "is wrong or contradicts itself, it prints the file and line, and exits with 2.",
};

static void print_rule(enum topk_contract_rule rule)
{
    static const struct topk_contract directml;
    char value[TOPK_CONTRACT_RULES];
    const struct topk_contract_rule_row *row = topk_contract_rule_row(rule);
    printf("\n# %s: %s\n", row->key, row->about);
    for (int i = 0; i < TOPK_OPTION_COUNT; i++) {
        const struct topk_contract_option_row *option =
            topk_contract_option_row((enum topk_contract_option)i);
        if (option->rule == rule) {
            printf("#   %-9s %s\n", option->word, option->sentence);
        }
    }
    if (rule == TOPK_CONTRACT_RULE_TYPES) {
        puts("#   all, or a list such as f32,f16 of f32 f16 i64 i32 i16 i8 u64 u32 u16 u8");
    } else if (topk_contract_chosen(&directml, rule) == TOPK_OPTION_COUNT) {
        puts("#   any, or a number, or a range such as 1..4");
    }
    topk_contract_value_print(&directml, rule, value);
    printf("%s=%s\n", row->key, value);
}

/* prints the contract of DirectML, with every rule and every value that it could have */
static void print_rules(void)
{
    printf("topk-contract %d\n"
           "# The documented rules of an implementation, where they differ from DirectML's. This "
           "file\n"
           "# declares DirectML's own rules: change those that differ, and delete the rest.\n"
           "\n"
           "# name: of the implementation; source: where its rules are documented\n"
           "#name=mine 1.0\n"
           "#source=the manual of mine, section 3\n",
           TOPK_CONTRACT_VERSION);
    for (int rule = 0; rule < TOPK_CONTRACT_RULE_COUNT; rule++) {
        print_rule((enum topk_contract_rule)rule);
    }
}

/* prints what an option says, and what it does to clauses */
static void print_option(const struct topk_contract *contract, enum topk_contract_option option)
{
    const struct topk_contract_option_row *row = topk_contract_option_row(option);
    printf("\n# %s=%s: %s\n", topk_contract_rule_row(row->rule)->key, row->word, row->sentence);
    for (int p = TOPK_PROMISE_RESTATED; p <= TOPK_PROMISE_NOT_OBSERVED; p++) {
        char made[TOPK_CONTRACT_RULES];
        topk_contract_made_print(contract, option, (enum topk_promise)p, made);
        if (made[0] != 0) {
            printf("#   clauses %s: %s\n", topk_promise_words((enum topk_promise)p), made);
        }
    }
}

static void print_contract(const struct topk_contract *contract)
{
    char text[TOPK_CONTRACT_TEXT];
    topk_contract_print(contract, text);
    printf("topk-contract %d\n%s%s", TOPK_CONTRACT_VERSION, text,
           text[0] == 0 || text[strlen(text) - 1] == '\n' ? "" : "\n");
    if (topk_contract_plain(contract)) {
        puts("# these are DirectML's rules");
    }
    for (int i = 0; i < TOPK_OPTION_COUNT; i++) {
        if (topk_contract_has(contract, (enum topk_contract_option)i)) {
            print_option(contract, (enum topk_contract_option)i);
        }
    }
}

/* Prints the rules in which two contracts differ; returns whether none does. */
static bool compare(const struct topk_contract contracts[2], char *const paths[2])
{
    bool same = true;
    for (int i = 0; i < TOPK_CONTRACT_RULE_COUNT; i++) {
        const enum topk_contract_rule rule = (enum topk_contract_rule)i;
        char values[2][TOPK_CONTRACT_RULES];
        topk_contract_value_print(&contracts[0], rule, values[0]);
        topk_contract_value_print(&contracts[1], rule, values[1]);
        if (strcmp(values[0], values[1]) != 0) {
            const char *key = topk_contract_rule_row(rule)->key;
            printf("%s=%s in %s, %s=%s in %s\n", key, values[0], paths[0], key, values[1],
                   paths[1]);
            same = false;
        }
    }
    if (same) {
        puts("the rules are the same");
    }
    return same;
}

int cli_contract(int argc, char **argv)
{
    struct contract_options options = {.paths = NULL};
    struct topk_contract contracts[2];
    cli_parse(&cli_contract_argp, argc, argv, &options);
    for (size_t i = 0; i < options.path_count; i++) {
        cli_contract_need(options.paths[i], &contracts[i % 2]);
    }
    if (options.check) {
        return CLI_CONFORMANT;
    }
    if (options.path_count == 2) {
        return compare(contracts, options.paths) ? CLI_CONFORMANT : CLI_FAILURES;
    }
    if (options.path_count == 1) {
        print_contract(&contracts[0]);
    } else {
        print_rules();
    }
    return CLI_CONFORMANT;
}
