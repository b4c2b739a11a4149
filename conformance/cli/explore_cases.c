/* Shared by the two ways to explore: drawing cases, and the file of shrunk cases. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "explore.h"

/* makes the case of a position */
static bool draw(struct explore *explore, uint64_t position, struct topk_case *tc)
{
    struct topk_choice choice;
    if (explore->cases.count > 0) {
        const struct cli_case *c = cli_case_at(&explore->cases, position - explore->from);
        return cli_case_parse(c->id, c->length, tc);
    }
    if (explore->feedback != NULL) {
        return topk_feedback_draw(explore->feedback, position, tc);
    }
    if (explore->corpus.count > 0) {
        return cli_corpus_draw(&explore->corpus, explore->seed, position, tc);
    }
    topk_choice_seed(&choice, explore->seed, position);
    return topk_generate_calls(&choice, &explore->limits, tc);
}

bool explore_draw(struct explore *explore, uint64_t position, struct topk_case *tc, size_t *length)
{
    if (!draw(explore, position, tc)) {
        explore->no_memory = true;
        return false;
    }
    *length = topk_case_print(tc, explore->text, TOPK_CASE_TEXT);
    explore->texted = true;
    explore->text_position = position;
    explore->text_length = *length;
    return true;
}

size_t explore_id(struct explore *explore, uint64_t position)
{
    if (explore->cases.count > 0) {
        return (size_t)snprintf(explore->id, TOPK_CASE_ID, "%s", explore->text);
    }
    return (size_t)snprintf(explore->id, TOPK_CASE_ID, "explore.%" PRIu64 "-%" PRIu64 ":%s",
                            explore->seed, position, explore->text);
}

double explore_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

char *explore_out_path(const struct explore *explore, const char *name)
{
    char path[256];
    if (explore->out != NULL) {
        return strdup(explore->out);
    }
    if (mkdir("topk-results", 0777) != 0 && errno != EEXIST) {
        cli_error("cannot make the folder topk-results: %s", strerror(errno));
        return NULL;
    }
    int used =
        snprintf(path, sizeof path, "topk-results/explore-%.120s", name[0] == 0 ? "backend" : name);
    for (char *c = path + strlen("topk-results/"); *c != 0; c++) {
        bool plain = (*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') ||
                     (*c >= 'a' && *c <= 'z') || strchr("+,-.:=@_", *c) != NULL;
        *c = (char)(plain ? *c : '_');
    }
    snprintf(path + used, sizeof path - (size_t)used, "-%" PRIu64 "-%" PRIu64 ".txt", explore->seed,
             explore->from);
    return strdup(path);
}

/* better to find out before the run than after it */
void explore_check_out(struct topk_lock *lock, const char *path)
{
    struct stat status;
    char error[1024];
    struct topk_output output;
    if (path == NULL) {
        return;
    }
    if (stat(path, &status) == 0 && S_ISFIFO(status.st_mode)) {
        return; /* closing a pipe would end its reader */
    }
    if (!topk_output_open(&output, path, TOPK_OUTPUT_NAMED, error, sizeof error)) {
        cli_fail(CLI_USAGE, "%s", error);
    }
    const bool is_file = output.slot >= 0;
    if (!topk_output_close(&output, false, error, sizeof error)) {
        cli_fail(CLI_USAGE, "%s", error);
    }
    if (is_file && stat(path, &status) == 0 && status.st_size > 0) {
        cli_fail(CLI_USAGE, "%s exists and is not empty: name another file with --out", path);
    }
    if (is_file && cli_file_lock(lock, path) != CLI_CONFORMANT) {
        exit(CLI_USAGE);
    }
}
