/* topk-cts compare: what differs between runs. */
#define _POSIX_C_SOURCE 200809L
#include "compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli_results.h"

/* runs are named by letters */
#define RUNS_MAX 26

enum {
    KEY_SHOWN = 7000
};

struct compare_options {
    char *const *paths;
    size_t path_count;
    uint64_t shown;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct compare_options *options = state->input;
    switch (key) {
    case KEY_SHOWN:
        options->shown = cli_number(state, "--max-shown", argument, UINT32_MAX);
        return 0;
    case ARGP_KEY_ARGS:
        options->paths = state->argv + state->next;
        options->path_count = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_END:
        if (options->path_count < 2) {
            argp_error(state,
                       "which runs? Give two folders or more that `topk-cts run --out' made");
        }
        if (options->path_count > RUNS_MAX) {
            argp_error(state, "at most %d runs are compared, not %zu", RUNS_MAX,
                       options->path_count);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_compare_argp = {
    .options =
        (const struct argp_option[]){
            {"max-shown", KEY_SHOWN, "N", 0,
             "Print at most so many cases of each kind of change; default 10, 0 for none", 0},
            {0},
        },
    .parser = parse,
    .args_doc = "A B...",
    .doc =
        "Shows what differs between run A and each of the others: who answered, new failures, "
        "fixes, other verdicts, other clauses, other observations, other values of probes, cases "
        "that "
        "are missing. A run "
        "is the folder that it was written to, or its results.jsonl."
        "\vCases are the same if their ids are, so runs of different profiles can be compared. "
        "Exits with 0 if nothing got worse than in A; with 1 if something did: a case fails that "
        "did not fail in A, has no result any more, or passed in A and is unsupported now, or a "
        "probe "
        "has a finding that it did not have; with "
        "3 if a log cannot be read, was edited or was cut. What is left of a log that was cut "
        "is compared all the same.",
};

/* ---- texts ----------------------------------------------------------------------------------- */

/* Text from a log, which may have come from anywhere: a terminal must not take it for commands. */
static void print_text(const char *text)
{
    for (; *text != 0; text++) {
        putchar((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text);
    }
}

/* with the words before it, unless there is nothing to say */
static void print_fact(const char *before, const char *text)
{
    if (text[0] != 0) {
        fputs(before, stdout);
        print_text(text);
    }
}

static void print_totals(const struct topk_run *run)
{
    const char *before = "   ";
    for (int i = 0; i < TOPK_VERDICT_COUNT; i++) {
        if (run->totals[i] > 0) {
            printf("%s%" PRIu64 " %s", before, run->totals[i],
                   topk_verdict_word((enum topk_verdict)i));
            before = ", ";
        }
    }
    puts(run->recorded > 0 ? "" : "   no results");
    if (!run->complete) {
        printf("   incomplete: %" PRIu64 " of %" PRIu64 " cases have a result\n", run->recorded,
               run->selected);
    }
}

static void print_run(const struct topk_run *run, char letter, const char *path)
{
    char *const *facts = run->facts;
    printf("%c  %s\n   ", letter, path);
    print_text(facts[TOPK_FACT_BACKEND]);
    print_fact(" ", facts[TOPK_FACT_VERSION]);
    print_fact(" on ", facts[TOPK_FACT_DEVICE]);
    print_fact(", driver ", facts[TOPK_FACT_DRIVER]);
    fputs("\n   topk-cts ", stdout);
    print_text(facts[TOPK_FACT_SUITE]);
    fputs(", profile ", stdout);
    print_text(facts[TOPK_FACT_PROFILE]);
    printf(" (digest %.12s), %" PRIu64 " cases", facts[TOPK_FACT_DIGEST], run->selected);
    print_fact(" selected by ", facts[TOPK_FACT_SELECTIONS]);
    fputs(", started ", stdout);
    print_text(run->started);
    putchar('\n');
    print_totals(run);
}

static void print_observed(uint32_t observations)
{
    const char *before = "";
    fputs(observations == 0 ? "nothing" : "", stdout);
    for (int i = 0; i < TOPK_OBSERVATION_COUNT; i++) {
        if ((observations >> i & 1) != 0) {
            const struct topk_observation_row *row = topk_observation_row((enum topk_observation)i);
            printf("%s%s %s", before, topk_clause_id(row->clause), row->word);
            before = ", ";
        }
    }
}

/* "fail S09 F01" */
static void print_outcome(const struct topk_outcome *outcome)
{
    if (outcome->verdict == TOPK_VERDICT_COUNT) {
        fputs("no result", stdout);
        return;
    }
    fputs(topk_verdict_word(outcome->verdict), stdout);
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        if (topk_clause_set_has(&outcome->clauses, (enum topk_clause)i)) {
            printf(" %s", topk_clause_id((enum topk_clause)i));
        }
    }
}

/* ---- the summary ----------------------------------------------------------------------------- */

static void print_facts(const struct topk_run *a, const struct topk_run *b, char letter)
{
    for (int i = 0; i < TOPK_FACT_COUNT; i++) {
        if (strcmp(a->facts[i], b->facts[i]) != 0) {
            printf("  other %s:\n    A  ", topk_fact_name((enum topk_fact)i));
            print_text(a->facts[i][0] == 0 ? "(none)" : a->facts[i]);
            printf("\n    %c  ", letter);
            print_text(b->facts[i][0] == 0 ? "(none)" : b->facts[i]);
            putchar('\n');
        }
    }
    if (strcmp(a->facts[TOPK_FACT_PROFILE], b->facts[TOPK_FACT_PROFILE]) != 0 ||
        strcmp(a->facts[TOPK_FACT_DIGEST], b->facts[TOPK_FACT_DIGEST]) != 0) {
        puts("  The profiles are not the same: cases are compared by their ids.");
    }
}

static void print_observations(const struct topk_run *a, const struct topk_run *b)
{
    const char *before = "  observed, cases of each run:\n";
    for (int i = 0; i < TOPK_OBSERVATION_COUNT; i++) {
        const struct topk_observation_row *row = topk_observation_row((enum topk_observation)i);
        if (a->observations[i] != b->observations[i]) {
            printf("%s    %s %s: %" PRIu64 " -> %" PRIu64 "\n", before, topk_clause_id(row->clause),
                   row->word, a->observations[i], b->observations[i]);
            before = "";
        }
    }
}

static void print_probe(const struct topk_probe *probe)
{
    if (probe == NULL) {
        fputs("no record", stdout);
        return;
    }
    fputs(probe->value, stdout);
    if (probe->verdict != TOPK_PROBE_OBSERVED || probe->value[0] == 0) {
        printf("%s%s", probe->value[0] == 0 ? "" : ", ", topk_probe_verdict_word(probe->verdict));
    }
}

static void print_probes(const struct topk_comparison *comparison, const struct topk_run *a,
                         const struct topk_run *b, char letter)
{
    if ((a->probe_count == 0) != (b->probe_count == 0)) {
        printf("  probes are in %c only\n", a->probe_count == 0 ? letter : 'A');
    }
    for (size_t i = 0; i < comparison->probe_count; i++) {
        const struct topk_change_probe *c = &comparison->probes[i];
        printf("%s    %s: ", i == 0 ? "  probes that differ:\n" : "",
               c->before == NULL ? c->after->name : c->before->name);
        print_probe(c->before);
        fputs(" -> ", stdout);
        print_probe(c->after);
        puts(c->worse ? " (new finding)" : "");
    }
}

static void print_verdict(const struct topk_comparison *comparison, char letter)
{
    const char *before = " ";
    printf("%c IS %s A:", letter,
           topk_comparison_worse(comparison)                      ? "WORSE THAN"
           : comparison->case_count + comparison->probe_count > 0 ? "NOT WORSE THAN"
                                                                  : "THE SAME AS");
    for (int i = 0; i < TOPK_CHANGE_COUNT; i++) {
        uint64_t count = comparison->counts[i];
        if (count > 0) {
            printf("%s%" PRIu64 " %s", before, count, topk_change_name((enum topk_change)i, count));
            before = ", ";
        }
    }
    if (comparison->case_count == 0) {
        printf("%severy case came to the same", before);
        before = ", ";
    }
    if (comparison->probe_count > 0) {
        printf("%s%zu %s", before, comparison->probe_count,
               comparison->probe_count == 1 ? "probe differs" : "probes differ");
    }
    putchar('\n');
}

/* ---- the cases ------------------------------------------------------------------------------- */

static void print_group(const struct topk_comparison *comparison,
                        const struct topk_change_group *group, uint64_t shown)
{
    const struct topk_change_case *c = &comparison->cases[group->first];
    printf("  %zu of %.*s: ", group->count, c->test_length == 0 ? 5 : (int)c->test_length,
           c->test_length == 0 ? "cases" : c->id);
    if (c->change == TOPK_CHANGE_OBSERVATIONS) {
        print_observed(c->before->observations);
        fputs(" -> ", stdout);
        print_observed(c->after->observations);
    } else {
        print_outcome(c->before);
        fputs(" -> ", stdout);
        print_outcome(c->after);
    }
    putchar('\n');
    for (uint64_t i = 0; i < shown; i++) {
        fputs("    ", stdout);
        print_text(c[i].id);
        putchar('\n');
    }
}

/* The groups of one change, from `from` to before `to`: each gets its share of what may be shown,
 * and what it does not need goes to those behind it. */
static void print_change(const struct topk_comparison *comparison, size_t from, size_t to,
                         uint64_t most)
{
    enum topk_change change = comparison->cases[comparison->groups[from].first].change;
    uint64_t rest = comparison->counts[change];
    printf("\n%s: %" PRIu64 "\n", topk_change_name(change, 2), rest);
    for (; from < to && most > 0 && cli_output_open(); from++) {
        const struct topk_change_group *group = &comparison->groups[from];
        uint64_t share = (most + (to - from) - 1) / (to - from);
        uint64_t shown = group->count < share ? group->count : share;
        print_group(comparison, group, shown);
        most -= shown;
        rest -= shown;
    }
    if (rest > 0) {
        printf("  and %" PRIu64 " more cases; --max-shown=%" PRIu64 " shows all\n", rest,
               comparison->counts[change]);
    }
}

static void print_changes(const struct topk_comparison *comparison, uint64_t most)
{
    for (size_t from = 0, to = 0; most > 0 && from < comparison->group_count; from = to) {
        enum topk_change change = comparison->cases[comparison->groups[from].first].change;
        while (to < comparison->group_count &&
               comparison->cases[comparison->groups[to].first].change == change) {
            to++;
        }
        print_change(comparison, from, to, most);
    }
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Reads a run and prints who answered. *broken: it was cut, which has been said. */
static int read_run(struct topk_run *run, struct topk_ids *ids, const char *path, char letter,
                    bool *broken)
{
    char error[1024] = "out of memory";
    char *log = cli_log_path(path);
    int status = log == NULL ? -1 : topk_run_read(run, ids, log, error, sizeof error);
    if (status != 0) {
        fflush(stdout);
        cli_error("%s%s", error, status < 0 ? "" : "; what stands before is compared");
        *broken = true;
    }
    if (status >= 0) {
        print_run(run, letter, log);
    }
    free(log);
    return status < 0 ? CLI_HARNESS : CLI_CONFORMANT;
}

static int compare_with(const struct topk_run *a, struct topk_ids *ids, const char *path,
                        char letter, uint64_t shown, bool *broken)
{
    struct topk_run b = {0};
    struct topk_comparison comparison = {0};
    int code = read_run(&b, ids, path, letter, broken);
    if (code == CLI_CONFORMANT && !topk_compare(&comparison, ids, a, &b)) {
        cli_error("memory ran out");
        code = CLI_HARNESS;
    }
    if (code == CLI_CONFORMANT) {
        printf("\n%c against A: %" PRIu64 " cases have a result in both\n", letter,
               comparison.both);
        print_facts(a, &b, letter);
        print_observations(a, &b);
        print_probes(&comparison, a, &b, letter);
        print_verdict(&comparison, letter);
        print_changes(&comparison, shown);
        code = topk_comparison_worse(&comparison) ? CLI_FAILURES : CLI_CONFORMANT;
    }
    topk_comparison_free(&comparison);
    topk_run_free(&b);
    return code;
}

int cli_compare(int argc, char **argv)
{
    struct compare_options options = {.shown = 10};
    struct topk_ids ids = {0};
    struct topk_run a = {0};
    bool broken = false;
    cli_parse(&cli_compare_argp, argc, argv, &options);
    int code = read_run(&a, &ids, options.paths[0], 'A', &broken);
    for (size_t i = 1; code != CLI_HARNESS && i < options.path_count; i++) {
        if (i > 1) {
            putchar('\n');
        }
        int other =
            compare_with(&a, &ids, options.paths[i], (char)('A' + i), options.shown, &broken);
        code = other > code ? other : code;
    }
    topk_run_free(&a);
    topk_ids_free(&ids);
    return broken ? CLI_HARNESS : code;
}
