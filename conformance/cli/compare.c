/* topk-cts compare: prints the differences between runs. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "compare/compare.h"
#include "log/log.h"

enum {
    KEY_SHOWN = 7000,
    KEY_FORMAT
};

struct compare_options {
    char *const *paths;
    size_t path_count;
    bool has_shown; /* --max-shown was given */
    uint64_t shown;
    const struct topk_compare_format *format;
    const char *output; /* NULL: standard output */
};

static const struct topk_compare_format *format_of(const struct argp_state *state, const char *name)
{
    char known[64] = "";
    size_t used = 0;
    for (size_t i = 0; i < topk_compare_format_count; i++) {
        if (strcmp(topk_compare_formats[i].name, name) == 0) {
            return &topk_compare_formats[i];
        }
        used += (size_t)snprintf(known + used, sizeof known - used, " %s",
                                 topk_compare_formats[i].name);
    }
    argp_error(state, "there is no format '%s'; formats:%s", name, known);
    return NULL;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct compare_options *options = state->input;
    switch (key) {
    case KEY_SHOWN:
        options->has_shown = true;
        options->shown = cli_number(state, "max-shown", argument, UINT32_MAX);
        return 0;
    case KEY_FORMAT:
        options->format = format_of(state, argument);
        return 0;
    case 'o':
        options->output = argument;
        return 0;
    case ARGP_KEY_ARGS:
        options->paths = state->argv + state->next;
        options->path_count = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_END:
        if (options->path_count < 2) {
            argp_error(state,
                       "give two or more runs, folders that `topk-cts run --out' made, not %zu",
                       options->path_count);
        }
        if (options->path_count > TOPK_COMPARED_MAX) {
            argp_error(state, "at most %d runs are compared, not %zu", TOPK_COMPARED_MAX,
                       options->path_count);
        }
        if (options->output == NULL && options->format->binary && isatty(STDOUT_FILENO) == 1) {
            argp_error(state, "%s cannot be written to a terminal: give --output FILE",
                       options->format->name);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_compare_argp = {
    .options =
        (const struct argp_option[]){
            {"format", KEY_FORMAT, "FORMAT", 0,
             "text, the default; html: a page that needs no network; json", 0},
            {"output", 'o', "FILE", 0, "Write to FILE instead of standard output", 0},
            {"max-shown", KEY_SHOWN, "N", 0,
             "Show at most N cases of each kind of change; default 10 as text, 1000 as html, all "
             "as json; 0 for none",
             0},
            {0},
        },
    .parser = parse,
    .args_doc = "A B...",
    .doc =
        "Compares run A with each of the others: backend, new failures, fixes, changed verdicts, "
        "clauses, observations, probes and times, missing cases. A run is its folder, its log, or "
        "a package, which is verified first and stays packed.\vCases are matched by id, so runs of "
        "different profiles can be compared. Exits with 0 if nothing got worse than in A. Exits "
        "with 1 if something got worse: a case fails that did not fail in A, has no result any "
        "more, or passed in A and is unsupported now; a probe has a new finding; or more processes "
        "did not end well than --max-unclean allows. Probes are compared if both runs have them. "
        "Exits with 2 if there is no such file, and with 3 if a log was edited or was truncated, "
        "or a package is not valid. The rest of a truncated log is still compared. For a run that "
        "is incomplete otherwise, a warning says how many cases have a result.",
};

/* ---- the command ----------------------------------------------------------------------------- */

/* Reads a run. *broken: it was truncated, and a message said so. */
static int read_run(struct topk_compared *compared, const struct cli_source *source,
                    struct topk_ids *ids, bool *broken)
{
    char error[1024] = "out of memory";
    int status = topk_run_read_source(&compared->run, ids, &source->log, error, sizeof error);
    if (status != 0) {
        cli_error("%s%s", error, status < 0 ? "" : "; the records before it are compared");
        *broken = true;
    }
    if (status >= 0 && source->signer[0] != 0) {
        cli_need_memory(topk_facts_sign(compared->run.facts, source->signer));
        cli_error("note: run %s is a package, signed with key %s; `topk-cts verify' says whether "
                  "that is the signer's",
                  compared->letter, source->signer);
    }
    /* cases without a result may have become worse unnoticed */
    if (status == 0 && !compared->run.complete) {
        cli_error("warning: run %s is incomplete: %" PRIu64 " of %" PRIu64 " cases have a result",
                  compared->letter, compared->run.recorded, compared->run.selected);
    }
    return status < 0 ? CLI_HARNESS : CLI_CONFORMANT;
}

/* giving the same file twice is a mistake that would look like success */
static void warn_of_one_file(const struct topk_compared *runs, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct stat first;
        struct stat other;
        if (stat(runs[0].path, &first) == 0 && stat(runs[i].path, &other) == 0 &&
            first.st_dev == other.st_dev && first.st_ino == other.st_ino) {
            cli_error("warning: %s and A are one file, %s", runs[i].letter, runs[i].path);
        }
    }
}

static int write_report(const struct compare_options *options, const struct topk_compared *runs,
                        const struct topk_ids *ids)
{
    char error[1024] = "";
    struct topk_output output;
    struct topk_trend trend = {0};
    const struct topk_compare_report report = {runs, options->path_count, &trend};
    if (!topk_output_open(&output, options->output, TOPK_OUTPUT_NAMED, error, sizeof error)) {
        cli_error("%s", error);
        return CLI_HARNESS;
    }
    if (options->format->trend) {
        cli_need_memory(topk_trend_make(&trend, ids, runs, options->path_count, &cli_asks));
    }
    bool written = options->format->write(output.file, &report);
    topk_trend_free(&trend);
    /* errors of standard output are reported at the end of the program */
    if (!topk_output_close(&output, written, error, sizeof error) && options->output != NULL) {
        cli_error("%s", error);
        return CLI_HARNESS;
    }
    cli_need_memory(written);
    int code = CLI_CONFORMANT;
    for (size_t i = 1; i < options->path_count; i++) {
        code = topk_comparison_worse(&runs[i].comparison) ? CLI_FAILURES : code;
    }
    return code;
}

int cli_compare(int argc, char **argv)
{
    struct compare_options options = {.format = &topk_compare_formats[0]};
    struct topk_ids ids = {0};
    bool broken = false;
    int code = CLI_CONFORMANT;
    cli_parse(&cli_compare_argp, argc, argv, &options);
    struct topk_compared *runs = cli_need(calloc(options.path_count, sizeof *runs));
    struct cli_source *sources = cli_need(calloc(options.path_count, sizeof *sources));
    for (size_t i = 0; code == CLI_CONFORMANT && i < options.path_count; i++) {
        topk_letter_print(i, runs[i].letter);
        code = cli_source_open(&sources[i], options.paths[i]);
        runs[i].path = sources[i].path;
        if (code == CLI_CONFORMANT) {
            code = read_run(&runs[i], &sources[i], &ids, &broken);
        }
    }
    const uint64_t most = options.has_shown ? options.shown : options.format->shown;
    for (size_t i = 1; code == CLI_CONFORMANT && i < options.path_count; i++) {
        cli_need_memory(topk_compare(&runs[i].comparison, &ids, &runs[0].run, &runs[i].run, most));
    }
    if (code == CLI_CONFORMANT) {
        warn_of_one_file(runs, options.path_count);
        code = write_report(&options, runs, &ids);
    }
    for (size_t i = 0; i < options.path_count; i++) {
        topk_comparison_free(&runs[i].comparison);
        topk_run_free(&runs[i].run);
        cli_source_close(&sources[i]);
    }
    free(runs);
    free(sources);
    topk_ids_free(&ids);
    return broken ? CLI_HARNESS : code;
}
