/* Distinct failures at the end of a command. */
#define _POSIX_C_SOURCE 200809L
#include "distinct.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "shrink/shrink.h"

/* the line at the bottom of a terminal */
struct watch {
    struct cli_progress progress;
    size_t entry;
    size_t count;
};

static void draw(void *context, uint64_t runs, uint64_t elements)
{
    struct watch *watch = context;
    cli_progress_show(&watch->progress,
                      "shrinking %zu of %zu: %" PRIu64 " runs, %" PRIu64 " input elements",
                      watch->entry + 1, watch->count, runs, elements);
}

enum topk_runner_status cli_distinct_shrink(struct topk_distinct *distinct,
                                            struct topk_runner *runner, double timeout)
{
    struct watch watch = {.count = distinct->count};
    struct topk_shrunk *shrunk = malloc(sizeof *shrunk);
    enum topk_runner_status status = TOPK_RUNNER_DONE;
    uint64_t runs = 0;
    uint32_t timeouts = 0;
    topk_distinct_sort(distinct);
    cli_progress_start(&watch.progress, 0, 0);
    size_t entry = 0;
    while (shrunk != NULL && entry < distinct->count && watch.entry < CLI_DISTINCT_MAX &&
           runs < CLI_DISTINCT_RUNS && timeouts < CLI_DISTINCT_TIMEOUTS &&
           status == TOPK_RUNNER_DONE) {
        struct topk_case tc;
        uint64_t left = CLI_DISTINCT_RUNS - runs;
        uint32_t timeouts_left = CLI_DISTINCT_TIMEOUTS - timeouts;
        struct topk_runner_shrink_options options = {
            .max_runs = left < TOPK_SHRINK_RUNS ? left : 0,
            .max_timeouts = timeouts_left < TOPK_SHRINK_TIMEOUTS ? timeouts_left : 0,
            .timeout = timeout,
            .progress = draw,
            .context = &watch,
        };
        bool removed = false;
        const struct topk_distinct_failure *example = &distinct->list[entry];
        if (cli_case_parse(example->id, example->id_length, &tc)) {
            topk_runner_shrink(runner, &tc, &options, shrunk);
            runs += shrunk->runs;
            timeouts += shrunk->timeouts;
            if (shrunk->status == TOPK_SHRUNK_FAILED || shrunk->status == TOPK_SHRUNK_INTERRUPTED) {
                status = shrunk->runner;
            }
            bool minimal = shrunk->status == TOPK_SHRUNK_MINIMAL;
            if (topk_verdict_failure(shrunk->result.verdict) &&
                (minimal || shrunk->status == TOPK_SHRUNK_BOUND ||
                 shrunk->status == TOPK_SHRUNK_INTERRUPTED)) {
                distinct->list[entry].tries = shrunk->tries;
                removed = topk_distinct_shrunk(distinct, entry, &tc, &shrunk->result, minimal);
            }
            topk_case_clear(&tc);
        }
        entry += !removed;
        watch.entry++;
    }
    cli_progress_erase(&watch.progress);
    topk_distinct_sort(distinct); /* a merged failure may have begun earlier */
    free(shrunk);
    return status;
}

const char *cli_distinct_text(const struct topk_distinct_failure *entry)
{
    return entry->shrunk != NULL ? entry->shrunk : entry->id;
}

void cli_distinct_print(FILE *out, const struct topk_distinct *distinct,
                        const struct topk_failure_style *style)
{
    fprintf(out, "%" PRIu64 " failure%s, %zu distinct:\n", distinct->failures,
            distinct->failures == 1 ? "" : "s", distinct->count);
    for (size_t i = 0; i < distinct->count; i++) {
        const struct topk_distinct_failure *entry = &distinct->list[i];
        fprintf(out, "\n%" PRIu64 " case%s%s%s:\n", entry->count, entry->count == 1 ? "" : "s",
                entry->shrunk == NULL ? ", not shrunk"
                : entry->minimal      ? ""
                                      : ", may become smaller",
                entry->tries > 1 ? ", which are flaky" : "");
        topk_failure_print(out, style, cli_distinct_text(entry), &entry->result);
    }
    if (distinct->left_out > 0) {
        fprintf(out, "\n%" PRIu64 " more failure%s of other kinds than these, and only counted\n",
                distinct->left_out, distinct->left_out == 1 ? " is" : "s are");
    }
}

bool cli_distinct_log(struct topk_log *log, const struct topk_distinct *distinct)
{
    bool ok = true;
    for (size_t i = 0; ok && i < distinct->count; i++) {
        const struct topk_distinct_failure *entry = &distinct->list[i];
        struct topk_case tc;
        if (entry->shrunk != NULL && cli_case_parse(entry->shrunk, strlen(entry->shrunk), &tc)) {
            const struct topk_operator *op = &topk_case_call(&tc, entry->result.call)->op;
            ok = topk_log_shrunk(log, entry->of, entry->of_count, entry->minimal, entry->shrunk,
                                 op->tensors[TOPK_VALUE].type, op->tensors[TOPK_INDEX].type,
                                 &entry->result);
            topk_case_clear(&tc);
        }
    }
    return ok;
}

bool cli_distinct_write(const char *path, enum topk_output_kind kind,
                        const struct topk_distinct *distinct)
{
    struct topk_output file;
    if (!cli_file_create(&file, path, kind)) {
        return false;
    }
    for (size_t i = 0; i < distinct->count; i++) {
        const struct topk_distinct_failure *entry = &distinct->list[i];
        fprintf(file.file, "# %s %s, %" PRIu64 " case%s, one of them %s\n%s\n",
                topk_verdict_word(entry->result.verdict), topk_clause_id(entry->result.clause),
                entry->count, entry->count == 1 ? "" : "s", entry->id, cli_distinct_text(entry));
    }
    return cli_file_close(&file, true);
}
