/* See missing.h. */
#define _POSIX_C_SOURCE 200809L
#include "missing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "summary/summary.h"

/* ---- the command ----------------------------------------------------------------------------- */

/* appends the options of the run to the command, after those that say what was tested */
static void put_options(FILE *out, const struct topk_log_header *header)
{
    char gate[TOPK_GATE_TEXT];
    fprintf(out, " --profile %s", header->profile);
    if (header->level < header->backend.level) {
        fprintf(out, " --feature-level %u.%u", (unsigned)(header->level >> 12),
                (unsigned)(header->level >> 8 & 15));
    }
    if (header->seed != 0) {
        fprintf(out, " --seed %" PRIu64, header->seed);
    }
    if (header->timeout != CLI_TIMEOUT) {
        fprintf(out, " --timeout %g", header->timeout);
    }
    topk_gate_print(&header->gate, gate, sizeof gate);
    fprintf(out, "%s%s", gate[0] == 0 ? "" : " ", gate);
    if (header->expectations[0] != 0) {
        fputs(" --expectations FILE", out);
    }
    if (header->shard_rule == TOPK_SHARD_BY_COSTS) {
        fputs(" --costs FILE", out);
    }
}

void cli_missing_header(struct cli_missing *missing, const struct topk_log_header *header)
{
    static const char word[] = " replay ";
    const char *at = strstr(header->replay, word);
    const char *who = at == NULL ? header->replay : at + sizeof word - 1;
    size_t size;
    FILE *out = cli_need(topk_memory_stream(&missing->command, &size));
    fprintf(out, "%s run %s", cli_program, who);
    put_options(out, header);
    cli_need_memory(fclose(out) == 0);
    out = cli_need(topk_memory_stream(&missing->selections, &size));
    for (size_t i = 0; i < header->selection_count; i++) {
        char *quoted = cli_need(topk_text_shell(header->selections[i]));
        fprintf(out, " %s", quoted);
        free(quoted);
    }
    cli_need_memory(fclose(out) == 0);
    missing->shards = header->merged;
}

void cli_missing_add(struct cli_missing *missing, uint32_t number, const char *path)
{
    if (missing->count < CLI_MISSING_SHOWN) {
        missing->list[missing->count] = (struct cli_missing_shard){
            .number = number, .path = path == NULL ? NULL : cli_need(strdup(path))};
    }
    missing->count++;
}

void cli_missing_free(struct cli_missing *missing)
{
    for (size_t i = 0; i < missing->count && i < CLI_MISSING_SHOWN; i++) {
        free(missing->list[i].path);
    }
    free(missing->command);
    free(missing->selections);
}

/* ---- folders --------------------------------------------------------------------------------- */

/* whether a folder has no log, or an empty one; *there: the log exists */
static bool has_none(const char *given, bool *there)
{
    struct stat status;
    char *path = cli_log_path(given);
    const bool seen = stat(path, &status) == 0;
    *there = seen || (errno != ENOENT && errno != ENOTDIR); /* else its reader reports the error */
    free(path);
    return !*there || (seen && S_ISREG(status.st_mode) && status.st_size == 0);
}

size_t cli_missing_none(char *const *given, size_t given_count)
{
    size_t none = 0;
    bool there;
    for (size_t i = 0; i < given_count; i++) {
        none += has_none(given[i], &there);
    }
    return none;
}

/* the folder of a log, to be freed; NULL if the file does not have the name of a log in a folder */
static char *folder_of(const char *path)
{
    static const char suffix[] = TOPK_ZSTD_SUFFIX;
    const size_t name = strlen(TOPK_LOG_NAME);
    size_t length = strlen(path);
    if (length >= sizeof suffix && strcmp(path + length - (sizeof suffix - 1), suffix) == 0) {
        length -= sizeof suffix - 1;
    }
    const bool named = length >= name && strncmp(path + length - name, TOPK_LOG_NAME, name) == 0;
    if (!named || (length > name && path[length - name - 1] != '/')) {
        return NULL;
    }
    return length == name ? cli_need(strdup(".")) : cli_need(strndup(path, length - name - 1));
}

/* the option --out for missing shard number `at` of `never`, to be freed. Its folder is known only
 * if as many folders without a log were given as shards are missing. */
static char *out_option(char *const *given, size_t given_count, size_t at, size_t never)
{
    const char *folder = NULL;
    bool there = false;
    bool its = false;
    size_t absent = 0;
    for (size_t i = 0; i < given_count; i++) {
        if (has_none(given[i], &there)) {
            if (absent == at) {
                folder = given[i];
                its = there;
            }
            absent++;
        }
    }
    if (folder == NULL || absent != never) {
        return cli_need(strdup("--out DIR"));
    }
    char *quoted = cli_need(topk_text_shell(folder));
    char *option = cli_need(topk_text_make("--out %s%s", quoted, its ? " --overwrite" : ""));
    free(quoted);
    return option;
}

static void print_unended(const struct cli_missing *missing, const struct cli_missing_shard *shard)
{
    char *folder = folder_of(shard->path);
    char *quoted = folder == NULL ? NULL : cli_need(topk_text_shell(folder));
    cli_error("shard %" PRIu32 " of %" PRIu32
              " did not finish: %s; to continue it: %s --shard %" PRIu32 "/%" PRIu32 " %s%s%s",
              shard->number, missing->shards, shard->path, missing->command, shard->number,
              missing->shards, quoted == NULL ? "--out DIR" : "--resume --out ",
              quoted == NULL ? "" : quoted, missing->selections);
    free(quoted);
    free(folder);
}

void cli_missing_print(const struct cli_missing *missing, char *const *given, size_t given_count)
{
    const size_t shown = missing->count < CLI_MISSING_SHOWN ? missing->count : CLI_MISSING_SHOWN;
    size_t never = 0;
    for (size_t i = 0; i < shown; i++) {
        never += missing->list[i].path == NULL;
    }
    size_t at = 0;
    for (size_t i = 0; i < shown; i++) {
        const struct cli_missing_shard *shard = &missing->list[i];
        if (shard->path != NULL) {
            print_unended(missing, shard);
            continue;
        }
        char *out = out_option(given, given_count, at++, missing->count == shown ? never : 0);
        cli_error("shard %" PRIu32 " of %" PRIu32 " is missing; to run it: %s --shard %" PRIu32
                  "/%" PRIu32 " %s%s",
                  shard->number, missing->shards, missing->command, shard->number, missing->shards,
                  out, missing->selections);
        free(out);
    }
    if (missing->count > shown) {
        cli_error("%zu more shards are missing", missing->count - shown);
    }
    for (size_t i = 0; i < given_count; i++) {
        bool there;
        if (has_none(given[i], &there)) {
            cli_error("there is no log in %s", given[i]);
        }
    }
}
