/* topk-cts merge: merges the shards of a run. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "formats/report.h"
#include "junit_option.h"
#include "log/log.h"
#include "missing.h"
#include "summary/summary.h"

struct merge_options {
    char *const *paths;
    size_t path_count;
    const char *out;
    enum topk_junit_mode junit;
    bool trust_worker;
    bool zstd;
};

/* NOLINTNEXTLINE(readability-non-const-parameter): the type is argp's */
static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct merge_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->junit;
        return 0;
    case 'o':
        options->out = argument;
        return 0;
    case ARGP_KEY_ARGS:
        options->paths = state->argv + state->next;
        options->path_count = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_END:
        if (options->path_count == 0) {
            argp_error(state, "no shards given. Give the folders that `topk-cts run --shard' made");
        }
        if (options->path_count > TOPK_SHARDS_MAX) {
            argp_error(state, "at most %d shards are merged", TOPK_SHARDS_MAX);
        }
        if (options->out == NULL || *options->out == 0) {
            argp_error(state, "no folder given. Give --out DIR");
        }
        return 0;
    default:
        return cli_store(key, argument, state);
    }
}

const struct argp cli_merge_argp = {
    .options =
        (const struct argp_option[]){
            {"out", 'o', "DIR", 0,
             "Folder for the merged log and its JUnit file; it must not have a log yet", 0},
            {"zstd", CLI_FLAG(struct merge_options, zstd), NULL, 0,
             "Compress the merged log to results.jsonl.zst, which all commands read", 0},
            {"trust-worker", CLI_FLAG(struct merge_options, trust_worker), NULL, 0,
             "Exit with 0 if nothing failed, although the verdicts are of `run --worker'", 0},
            {0},
        },
    .parser = parse,
    .args_doc = "SHARD...",
    .doc = "Merges the runs of `topk-cts run --shard I/N' into one, which report, compare, package "
           "and verify take like a run in one piece. A SHARD is the folder of its run, or its "
           "log.\vAll shards must be of one run: the same suite, profile, selections, backend, "
           "device, driver, feature level, seed, expectations and judge, the same files tested and "
           "the same results of probes. If they differ, if a shard is given twice, or if a case "
           "has two results, the exit code is 2. If shards are missing or unfinished, merge prints "
           "the commands that run them, writes an incomplete log, and exits with 5. A folder "
           "without a log is a missing shard. Else the exit code is that of the whole run.",
    .children = (const struct argp_child[]){{&cli_junit_argp, 0, NULL, 0}, {0}},
};

/* what is collected while the logs are merged */
struct merged {
    struct cli_tally tally;
    struct cli_verdict verdict; /* strings owned */
    uint32_t shards;
    uint64_t cases;
    bool software; /* the device is software */
    struct cli_missing missing;
};

static void see_header(void *context, const struct topk_log_header *header)
{
    struct merged *merged = context;
    merged->software = (header->backend.flags & TOPK_LOG_SOFTWARE_DEVICE) != 0;
    merged->tally.judge = header->judge;
    merged->tally.contract = header->contract;
    topk_gate_take(&merged->tally.gate, header, &cli_asks);
    merged->shards = header->merged;
    cli_missing_header(&merged->missing, header);
    merged->cases = header->cases;
    merged->verdict.profile = cli_need(strdup(header->profile));
    merged->verdict.profile_version = header->profile_version;
    merged->verdict.backend = cli_need(strdup(header->backend.name));
    merged->verdict.version = cli_need(strdup(header->backend.version));
    merged->verdict.level = header->level;
    merged->verdict.limit = header->level < header->backend.level ? header->level : 0;
    merged->verdict.selected = header->selection_count > 0;
}

static void see_missing(void *context, uint32_t number, const char *path)
{
    cli_missing_add(&((struct merged *)context)->missing, number, path);
}

static void see_probe(void *context, const struct topk_probe *probe)
{
    struct merged *merged = context;
    merged->verdict.findings += topk_probe_verdict_finding(probe->verdict);
}

static void see_process(void *context, const struct topk_log_process *process)
{
    struct merged *merged = context;
    cli_tally_ended(&merged->tally, process->end);
}

static void see_record(void *context, const struct topk_log_record *record)
{
    struct merged *merged = context;
    struct topk_clause_set broken = {{0}};
    topk_log_clauses(record, &broken);
    cli_tally_add(&merged->tally, cli_tally_ask(&merged->tally, record->id), record->verdict,
                  record->by_status, record->by_contract, record->clause, &broken,
                  record->observations, record->reason);
}

/* Prints the last line, with the result. Returns the exit code. */
static int conclude(const struct merged *merged, int code, bool kept)
{
    char *line = code == CLI_INCOMPLETE || !kept
                     ? cli_need(topk_text_make("INCOMPLETE: %" PRIu64 " of %" PRIu64
                                               " cases done, %" PRIu64 " failed%s\n",
                                               merged->tally.done, merged->cases,
                                               cli_tally_failures(&merged->tally),
                                               kept ? "" : "; not everything could be written"))
                     : cli_verdict_line(&merged->tally, &merged->verdict);
    code = cli_conclude(kept ? code : CLI_HARNESS, line);
    free(line);
    return code;
}

/* Marks the merged log as incomplete, because a file beside it could not be written. */
static void retract(const struct merge_options *options, const struct merged *merged)
{
    char error[1024] = "";
    struct topk_log *log = topk_log_append(options->out, error, sizeof error);
    if (log == NULL) {
        cli_error("%s", error);
    } else if (!topk_log_end(log, false, merged->tally.totals) || !topk_log_settle(log)) {
        cli_error("%s", topk_log_error(log));
    }
    if (log != NULL) {
        topk_log_close(log);
    }
}

/* Writes the JUnit file beside the log, and compresses the log, as `run' does. False after a
 * message. */
static bool finish_folder(const struct merge_options *options)
{
    char *log = cli_path_join(options->out, TOPK_LOG_NAME);
    char *junit = cli_path_join(options->out, TOPK_JUNIT_NAME);
    char error[1024] = "out of memory";
    bool written =
        topk_junit_write(log, junit, options->junit, &cli_case_lookup, error, sizeof error);
    if (!written) {
        cli_error("%s", error);
    } else if (options->zstd && !topk_log_pack(options->out, error, sizeof error)) {
        cli_error("the log cannot be compressed: %s", error);
        written = false;
    }
    if (written) {
        free(log);
        log = cli_need(topk_log_path(options->out));
        cli_print("log: %s\nJUnit: %s\n", log, junit);
    }
    free(log);
    free(junit);
    return written;
}

static int merge(const struct merge_options *options, char **paths)
{
    char error[1024] = "";
    struct merged merged = {.tally = {.trust_worker = options->trust_worker}};
    const struct topk_merge_watch watch = {.context = &merged,
                                           .header = see_header,
                                           .record = see_record,
                                           .probe = see_probe,
                                           .process = see_process,
                                           .missing = see_missing};
    enum topk_merge_status status = topk_merge((const char *const *)paths, options->path_count,
                                               options->out, &watch, error, sizeof error);
    int code = status == TOPK_MERGE_WHOLE        ? cli_tally_exit(&merged.tally)
               : status == TOPK_MERGE_INCOMPLETE ? CLI_INCOMPLETE
               : status == TOPK_MERGE_REFUSED    ? CLI_USAGE
                                                 : CLI_HARNESS;
    if (status != TOPK_MERGE_WHOLE) {
        fflush(stdout);
        topk_text_tame(error); /* it quotes logs */
        cli_error("%s", error);
    }
    if (status == TOPK_MERGE_INCOMPLETE) {
        cli_missing_print(&merged.missing, options->paths, options->path_count);
    }
    if (status <= TOPK_MERGE_INCOMPLETE) {
        printf("%" PRIu64 " cases, merged from %zu of %" PRIu32 " shards\n", merged.cases,
               options->path_count - cli_missing_none(options->paths, options->path_count),
               merged.shards);
        cli_tally_print(stdout, &merged.tally, merged.software);
        const bool kept = finish_folder(options);
        if (!kept) {
            retract(options, &merged);
        }
        code = conclude(&merged, code, kept);
    }
    free((char *)merged.verdict.profile);
    free((char *)merged.verdict.backend);
    free((char *)merged.verdict.version);
    cli_tally_free(&merged.tally);
    cli_missing_free(&merged.missing);
    return code;
}

int cli_merge(int argc, char **argv)
{
    struct merge_options options = {0};
    struct stat status;
    int code = CLI_CONFORMANT;
    cli_parse(&cli_merge_argp, argc, argv, &options);
    struct topk_lock lock = {0};
    const bool made = stat(options.out, &status) != 0 && topk_directories_make(options.out);
    if (made || (stat(options.out, &status) == 0 && S_ISDIR(status.st_mode))) {
        code = cli_folder_lock(&lock, options.out);
    } /* any other error is reported when the log is created */
    char *there = cli_need(topk_log_path(options.out));
    if (code == CLI_CONFORMANT && stat(there, &status) == 0) {
        cli_error("%s already exists: name another folder with --out", there);
        code = CLI_USAGE;
    }
    free(there);
    char **paths = cli_need(calloc(options.path_count + 1, sizeof *paths));
    for (size_t i = 0; i < options.path_count; i++) {
        paths[i] = cli_log_path(options.paths[i]);
        cli_note_use(paths[i]);
    }
    if (code == CLI_CONFORMANT) {
        code = merge(&options, paths);
    }
    topk_lock_release(&lock);
    if (made && code != CLI_CONFORMANT) {
        rmdir(options.out); /* removes the folder if nothing was written to it */
    }
    for (size_t i = 0; i < options.path_count; i++) {
        free(paths[i]);
    }
    free(paths);
    return code;
}
