/* topk-cts explore --feedback: runs cases in rounds and writes the kept ones to a folder. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "explore.h"

/* How often a slow case is run again; the least of its times counts. */
#define TIMES_AGAIN 2

/* ---- the folder ------------------------------------------------------------------------------ */

static bool has_files(const char *path)
{
    DIR *folder = opendir(path);
    bool any = false;
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        any = any || entry->d_name[0] != '.';
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return any;
}

/* Reads the inputs in the folder. If it has none, creates it, and beside it the file that says what
 * its inputs mean. */
static void open_folder(struct explore *explore, struct cli_corpus *corpus)
{
    const char *path = explore->keep;
    struct topk_output output;
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        cli_fail(CLI_USAGE, "cannot make the folder %s: %s", path, strerror(errno));
    }
    if (has_files(path)) {
        const int code = cli_corpus_read(path, corpus);
        if (code != CLI_CONFORMANT) {
            exit(code);
        }
        return;
    }
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    char *version = cli_need(topk_text_make("%.*s.version", (int)length, path));
    const bool open = cli_file_create(&output, version, TOPK_OUTPUT_NAMED);
    if (open) {
        fputs(corpus->version, output.file);
    }
    if (!open || !cli_file_close(&output, true)) {
        exit(CLI_USAGE);
    }
    free(version);
}

/* Writes a kept input to a file named after its digest. */
static void write_input(const char *folder, const unsigned char *bytes, size_t length)
{
    struct topk_output output;
    uint64_t digest = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < length; i++) {
        digest = (digest ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    char *path = cli_need(topk_text_make("%s/%016" PRIx64, folder, digest));
    if (cli_file_create(&output, path, TOPK_OUTPUT_NAMED)) {
        fwrite(bytes, 1, length, output.file);
        cli_file_close(&output, true);
    }
    free(path);
}

static void take_kept(void *context, const unsigned char *bytes, size_t length)
{
    const struct explore *explore = context;
    if (explore->keep != NULL) {
        write_input(explore->keep, bytes, length);
    }
}

/* ---- the job --------------------------------------------------------------------------------- */

static void note(void *context, const char *text)
{
    struct explore *explore = context;
    cli_progress_erase(&explore->progress);
    cli_error("note: %s", text);
}

static char *const *variables(void *context, uint32_t place, uint64_t worker)
{
    struct explore *explore = context;
    return topk_feedback_variables(explore->feedback, place, worker);
}

static void sent(void *context, uint64_t number, uint64_t worker)
{
    struct explore *explore = context;
    topk_feedback_sent(explore->feedback, number, worker);
}

static void add_first(struct explore *explore, const struct cli_corpus *corpus)
{
    for (size_t i = 0; i < corpus->count; i++) {
        const struct topk_piece *piece = &corpus->list[i].piece;
        cli_need_memory(topk_feedback_first(explore->feedback, piece->bytes, piece->length));
    }
}

void explore_feedback_open(struct explore *explore)
{
    const uint32_t counters = topk_counters_wanted(getenv("AFL_MAP_SIZE"));
    if (counters == 0) {
        cli_fail(CLI_USAGE, "AFL_MAP_SIZE is to be a number from 64 to %" PRIu32 ", not '%s'",
                 TOPK_COUNTERS_MAX, getenv("AFL_MAP_SIZE"));
    }
    explore->feedback = cli_need(topk_feedback_open(&(struct topk_feedback_options){
        .kind = explore->feedback_kind,
        .seed = explore->seed,
        .from = explore->from,
        .limits = &explore->limits,
        .counters = counters,
        .kept = take_kept,
        .note = note,
        .context = explore,
    }));
    explore->backend.variables = variables;
    explore->backend.outputs = explore->feedback_kind != TOPK_FEEDBACK_EDGES;
    add_first(explore, &explore->corpus);
    if (explore->keep != NULL) {
        struct cli_corpus kept = {.count = 0};
        cli_corpus_begin(&kept, "differential", true);
        open_folder(explore, &kept);
        add_first(explore, &kept);
        cli_corpus_free(&kept);
    }
}

void explore_feedback_close(struct explore *explore)
{
    topk_feedback_close(explore->feedback);
    explore->feedback = NULL;
}

static bool take_time(void *context, uint64_t number, const struct topk_result *result)
{
    struct explore *explore = context;
    topk_feedback_time(explore->feedback, number, result->nanoseconds);
    return true;
}

/* Runs the slow cases of a round again. */
static enum topk_runner_status run_slow(struct explore *explore, const struct topk_runner_job *job,
                                        char error[TOPK_RUNNER_ERROR])
{
    uint64_t positions[TOPK_FEEDBACK_ROUND];
    enum topk_runner_status status = TOPK_RUNNER_DONE;
    for (int times = 0; times < TIMES_AGAIN && status == TOPK_RUNNER_DONE; times++) {
        const struct topk_runner_job again = {
            .count = topk_feedback_slow(explore->feedback, positions),
            .order = positions,
            .text = job->text,
            .result = take_time,
            .tick = job->tick,
            .context = job->context,
        };
        if (again.count == 0) {
            break;
        }
        status = topk_runner_run(explore->workers.runner, &again, error);
    }
    return status;
}

enum topk_runner_status explore_feedback_run(struct explore *explore, struct topk_runner_job *job,
                                             char error[TOPK_RUNNER_ERROR])
{
    job->sent = sent;
    for (;;) {
        const uint64_t first = explore->position;
        explore->end = topk_feedback_begin(explore->feedback, first);
        enum topk_runner_status status = topk_runner_run(explore->workers.runner, job, error);
        if (status != TOPK_RUNNER_DONE || explore->position == first) {
            return status;
        }
        if (topk_feedback_state(explore->feedback).kind != TOPK_FEEDBACK_EDGES) {
            status = run_slow(explore, job, error);
        }
        explore->no_memory |= !topk_feedback_end(explore->feedback);
        if (status != TOPK_RUNNER_DONE || topk_feedback_silent(explore->feedback)) {
            return status;
        }
    }
}

void explore_feedback_print(const struct explore *explore)
{
    if (explore->feedback == NULL) {
        return;
    }
    const struct topk_feedback_state state = topk_feedback_state(explore->feedback);
    if (topk_feedback_silent(explore->feedback)) {
        puts("feedback: none, as no counter was written");
        return;
    }
    printf("feedback from %s: %" PRIu64 " case%s kept for %" PRIu64 " features\n",
           topk_feedback_word(state.kind), state.kept, state.kept == 1 ? "" : "s", state.features);
}
