/* topk-cts report: writes a run's log in other formats. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "formats/report.h"
#include "junit_option.h"
#include "session/session.h"

enum {
    KEY_FORMAT = 7100,
    KEY_MOST,
    KEY_AGAINST
};

struct report_options {
    const char *path;
    const struct topk_report_format *format;
    const char *output;         /* NULL: standard output */
    const char *against;        /* an earlier run; NULL: none */
    enum topk_junit_mode junit; /* COUNT: not given */
    bool gate;                  /* --max-failures was given */
    uint64_t most;
    bool trust_worker;
};

static const struct topk_report_format *format_of(const struct argp_state *state, const char *name)
{
    const struct topk_report_format *format = topk_report_format_find(name);
    if (format == NULL) {
        char known[192] = "";
        size_t used = 0;
        for (size_t i = 0; i < topk_report_format_count; i++) {
            used += (size_t)snprintf(known + used, sizeof known - used, " %s",
                                     topk_report_formats[i].name);
        }
        argp_error(state, "there is no format '%s'; formats:%s", name, known);
    }
    return format;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct report_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->junit;
        return 0;
    case KEY_FORMAT:
        options->format = format_of(state, argument);
        return 0;
    case 'o':
        options->output = argument;
        return 0;
    case KEY_MOST:
        options->gate = true;
        options->most = cli_number(state, "max-failures", argument, UINT32_MAX);
        return 0;
    case KEY_AGAINST:
        options->against = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (options->path != NULL) {
            argp_error(state, "one run at a time; `topk-cts compare' takes several");
        }
        options->path = argument;
        return 0;
    case ARGP_KEY_END:
        if (options->trust_worker && !options->gate) {
            argp_error(state, "--trust-worker is for --max-failures N");
        }
        if (options->junit != TOPK_JUNIT_COUNT && strcmp(options->format->name, "junit") != 0) {
            argp_error(state, "--junit is for --format junit");
        }
        if (options->path == NULL) {
            argp_error(state, "no run given. Give a folder that `topk-cts run --out' made");
        }
        if (options->output == NULL && options->format->binary && isatty(STDOUT_FILENO) == 1) {
            argp_error(state, "%s cannot be written to a terminal: give --output FILE",
                       options->format->name);
        }
        return 0;
    default:
        return cli_store(key, argument, state);
    }
}

const struct argp cli_report_argp = {
    .options =
        (const struct argp_option[]){
            {"format", KEY_FORMAT, "FORMAT", 0,
             "html, the default: a page that needs no network; junit: XML for CI; json; markdown: "
             "for a comment or a summary; issue: a draft of an issue for each bug, for the "
             "maintainers of the backend; github: annotations of a step; sarif: for code scanning; "
             "matrix: a page that leads from the sentences of the documents to clauses, tests and "
             "cases; matrix-csv: the same as a table; costs: the times of cases, for `topk-cts run "
             "--costs'",
             0},
            {"output", 'o', "FILE", 0, "Write to FILE instead of standard output", 0},
            {"against", KEY_AGAINST, "EARLIER", 0,
             "Compare times with this earlier run, a folder, a log or a package: of the cases that "
             "passed in both; in html and json. `topk-cts compare' shows what else differs",
             0},
            {"max-failures", KEY_MOST, "N", 0,
             "Exit with 1 if more than N cases failed, the run is incomplete, or the backend could "
             "reach its judge; with 77 if nothing was tested",
             0},
            {"trust-worker", CLI_FLAG(struct report_options, trust_worker), NULL, 0,
             "With --max-failures: let verdicts of `run --worker' count", 0},
            {0},
        },
    .parser = parse,
    .args_doc = "RUN",
    .doc = "Writes a report of a run from its log. RUN is the folder of the run, its log, or a "
           "package, which is verified first.\vThe same log gives the same report, byte for byte. "
           "Exits with 0 if the report was written, even if cases failed, unless --max-failures is "
           "given. Exits with 2 if there is no such file, and with 3 if the log was edited or was "
           "truncated (has no end record); the rest of a truncated log is still reported.",
    .children = (const struct argp_child[]){{&cli_junit_argp, 0, NULL, 0}, {0}},
};

/* Reads the run of --against. Returns the exit code, after a message if it is not
 * CLI_CONFORMANT. */
static int read_earlier(struct topk_earlier *earlier, const char *path)
{
    struct cli_source source;
    char error[1024] = "out of memory";
    int code = cli_source_open(&source, path);
    if (code == CLI_CONFORMANT) {
        const int status =
            topk_run_read_source(&earlier->run, &earlier->ids, &source.log, error, sizeof error);
        code = status < 0 ? CLI_HARNESS : CLI_CONFORMANT;
        if (status != 0) {
            cli_error("--against: %s%s", error,
                      status < 0 ? "" : "; the records before it are used");
        }
        earlier->path = path;
    }
    cli_source_close(&source);
    return code;
}

static void free_earlier(struct topk_earlier *earlier)
{
    topk_run_free(&earlier->run);
    topk_ids_free(&earlier->ids);
}

int cli_report(int argc, char **argv)
{
    struct report_options options = {.format = &topk_report_formats[0], .junit = TOPK_JUNIT_COUNT};
    struct topk_report_counts counts = {0};
    char error[1024] = "out of memory";
    cli_parse(&cli_report_argp, argc, argv, &options);
    struct cli_source source;
    struct topk_earlier earlier = {0};
    struct topk_case_lookup lookup = cli_case_lookup;
    int code = cli_source_open(&source, options.path);
    if (code == CLI_CONFORMANT && options.against != NULL) {
        code = read_earlier(&earlier, options.against);
    }
    if (code != CLI_CONFORMANT) {
        cli_source_close(&source);
        free_earlier(&earlier);
        return code;
    }
    lookup.earlier = options.against == NULL ? NULL : &earlier;
    const enum topk_junit_mode junit =
        options.junit == TOPK_JUNIT_COUNT ? TOPK_JUNIT_TESTS : options.junit;
    int status = topk_report_write(options.format, junit, &lookup, &source.log, options.output,
                                   &counts, error, sizeof error);
    cli_source_close(&source);
    free_earlier(&earlier);
    if (status != 0) {
        cli_error("%s%s", error, status < 0 ? "" : "; the records before it are reported");
        return CLI_HARNESS;
    }
    if (options.gate && (counts.failures > options.most || !counts.complete)) {
        cli_error(
            "%llu cases failed%s, and --max-failures is %llu", (unsigned long long)counts.failures,
            counts.complete ? "" : " and the run is incomplete", (unsigned long long)options.most);
        return CLI_FAILURES;
    }
    if (options.gate && counts.lack[0] != 0) {
        cli_error("%s", counts.lack);
        return CLI_FAILURES;
    }
    if (options.gate && counts.untested) {
        cli_error("nothing was tested: the backend supports no case that asks for a result");
        return CLI_SKIPPED;
    }
    if (options.gate && cli_judge_exit(counts.judge, options.trust_worker) != CLI_CONFORMANT) {
        cli_error("the run was %s", topk_judge_phrase(counts.judge));
        return CLI_FAILURES;
    }
    return CLI_CONFORMANT;
}
