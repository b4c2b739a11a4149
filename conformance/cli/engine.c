/* Reads the environment variables of test engines, and writes the files that they expect. */
#define _POSIX_C_SOURCE 200809L
#include "engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log/log.h"

/* the value of a variable; NULL if it is unset or empty */
static const char *variable(const char *name)
{
    const char *text = getenv(name);
    return text == NULL || *text == 0 ? NULL : text;
}

/* ---- shards ---------------------------------------------------------------------------------- */

/* the two variables of an engine */
struct family {
    const char *total;
    const char *index;
    uint64_t least; /* of total */
};

static const struct family families[] = {{"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", 1},
                                         {"TEST_TOTAL_SHARDS", "TEST_SHARD_INDEX", 0}};
#define FAMILIES (sizeof families / sizeof families[0])

static const char *const status_files[] = {"GTEST_SHARD_STATUS_FILE", "TEST_SHARD_STATUS_FILE"};

static uint64_t number_of(const struct argp_state *state, const char *name, uint64_t least,
                          uint64_t most)
{
    const char *text = variable(name);
    uint64_t number = 0;
    bool fits = true;
    for (const char *at = text; *at != 0 && fits; at++) {
        fits = *at >= '0' && *at <= '9' && number <= most;
        number = 10 * number + (uint64_t)(*at - '0');
    }
    if (!fits || number < least || number > most) {
        argp_error(state,
                   "the variable %s must be a number from %" PRIu64 " to %" PRIu64 ", not '%s'",
                   name, least, most, text);
    }
    return number;
}

/* reads the shard of an engine; whether the engine divides the run */
static bool read_family(const struct family *family, const struct argp_state *state,
                        struct topk_shard *shard)
{
    const bool total_set = variable(family->total) != NULL;
    const bool index_set = variable(family->index) != NULL;
    if (!total_set && !index_set) {
        return false;
    }
    if (!total_set) {
        argp_error(state, "the variable %s is set, and %s is not", family->index, family->total);
    }
    const uint64_t total = number_of(state, family->total, family->least, TOPK_SHARDS_MAX);
    if (total == 0) {
        return false;
    }
    if (!index_set) {
        argp_error(state, "the variable %s is set, and %s is not", family->total, family->index);
    }
    shard->number = (uint32_t)number_of(state, family->index, 0, total - 1) + 1;
    shard->count = (uint32_t)total;
    return true;
}

static void read_shard(struct cli_engine *engine, const struct argp_state *state)
{
    for (size_t i = 0; i < FAMILIES; i++) {
        struct topk_shard shard;
        if (!read_family(&families[i], state, &shard)) {
            continue;
        }
        if (engine->divided_by != NULL &&
            (shard.number != engine->shard.number || shard.count != engine->shard.count)) {
            argp_error(state,
                       "the variables %s and %s contradict each other: shard %" PRIu32
                       " of %" PRIu32 " and shard %" PRIu32 " of %" PRIu32 ", counted from 1 on",
                       engine->divided_by, families[i].total, engine->shard.number,
                       engine->shard.count, shard.number, shard.count);
        }
        engine->divided_by = families[i].total;
        engine->shard = shard;
    }
}

/* ---- selections ------------------------------------------------------------------------------ */

static void read_filter(struct cli_engine *engine)
{
    engine->filter = variable("TESTBRIDGE_TEST_ONLY");
    if (engine->filter == NULL) {
        return;
    }
    engine->filter_text = cli_need(strdup(engine->filter));
    engine->selections = cli_need(calloc(strlen(engine->filter) + 1, sizeof *engine->selections));
    char *rest = NULL;
    for (char *part = strtok_r(engine->filter_text, "|", &rest); part != NULL;
         part = strtok_r(NULL, "|", &rest)) {
        engine->selections[engine->selection_count++] = part;
    }
}

/* whether everything that a selection selects is also selected by another one: for a plain start of
 * an id this is a comparison of texts */
static bool lies_within(const char *selection, const char *other)
{
    return strcmp(selection, other) == 0 ||
           (strpbrk(other, "*?") == NULL && strncmp(selection, other, strlen(other)) == 0);
}

void cli_engine_narrow(const struct cli_engine *engine, const struct argp_state *state,
                       char *const **selections, size_t *count)
{
    if (engine->filter == NULL) {
        return;
    }
    if (engine->selection_count == 0) {
        argp_error(state, "the variable TESTBRIDGE_TEST_ONLY is '%s', which selects nothing",
                   engine->filter);
    }
    for (size_t i = 0; i < engine->selection_count; i++) {
        bool within = *count == 0;
        for (size_t j = 0; j < *count; j++) {
            within = within || lies_within(engine->selections[i], (*selections)[j]);
        }
        if (!within) {
            argp_error(state,
                       "the variable TESTBRIDGE_TEST_ONLY selects '%s', which does not begin with "
                       "a selection of the command line",
                       engine->selections[i]);
        }
    }
    *selections = (char *const *)engine->selections;
    *count = engine->selection_count;
}

/* ---- the whole ------------------------------------------------------------------------------- */

void cli_engine_read(struct cli_engine *engine, const struct argp_state *state)
{
    memset(engine, 0, sizeof *engine);
    read_shard(engine, state);
    read_filter(engine);
    engine->out = variable("TEST_UNDECLARED_OUTPUTS_DIR");
    engine->xml = variable("XML_OUTPUT_FILE");
}

void cli_engine_free(struct cli_engine *engine)
{
    free(engine->filter_text);
    free(engine->selections);
    memset(engine, 0, sizeof *engine);
}

/* ---- files ----------------------------------------------------------------------------------- */

static const char *premature; /* the file of TEST_PREMATURE_EXIT_FILE, while it exists */

static void remove_premature(void)
{
    if (premature != NULL && unlink(premature) != 0) {
        cli_error("cannot remove %s, which the variable TEST_PREMATURE_EXIT_FILE names: %s",
                  premature, strerror(errno));
    }
    premature = NULL;
}

static void make_file(const char *name, const char *path)
{
    FILE *file = fopen(path, "a");
    if (file == NULL || fclose(file) != 0) {
        cli_fail(CLI_HARNESS, "cannot make %s, which the variable %s names: %s", path, name,
                 strerror(errno));
    }
}

void cli_engine_begin(void)
{
    for (size_t i = 0; i < sizeof status_files / sizeof status_files[0]; i++) {
        if (variable(status_files[i]) != NULL) {
            make_file(status_files[i], variable(status_files[i]));
        }
    }
    const char *path = variable("TEST_PREMATURE_EXIT_FILE");
    if (path != NULL) {
        make_file("TEST_PREMATURE_EXIT_FILE", path);
        premature = path;
        atexit(remove_premature);
    }
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* joins texts and frees the first; NULL if memory is short, or if one of them is NULL */
static char *join(char *first, const char *between, char *last)
{
    char *joined =
        first == NULL || last == NULL ? NULL : topk_text_make("%s%s%s", first, between, last);
    free(first);
    free(last);
    return joined;
}

char *cli_engine_command(const struct cli_engine *engine, char *command, bool shard, bool out)
{
    if (shard && engine->shard.count > 0) {
        command =
            join(command, " --shard ",
                 topk_text_make("%" PRIu32 "/%" PRIu32, engine->shard.number, engine->shard.count));
    }
    if (out && engine->out != NULL) {
        command = join(command, " --out ", topk_text_shell(engine->out));
    }
    if (engine->filter != NULL) {
        char *name = join(strdup("TESTBRIDGE_TEST_ONLY"), "=", topk_text_shell(engine->filter));
        command = join(name, " ", command);
    }
    return command;
}

char *cli_engine_help(const char *text)
{
    static const struct {
        const char *name, *meaning;
    } rows[] = {
#define VARIABLE(name, meaning) {#name, meaning},
        CLI_ENGINE_VARIABLES(VARIABLE)
#undef VARIABLE
    };
    char *help = NULL;
    size_t size = 0;
    FILE *out = topk_memory_stream(&help, &size);
    if (out == NULL) {
        return NULL;
    }
    fprintf(out, "%s%sThese environment variables of GoogleTest and Bazel are used, if set:\n",
            text == NULL ? "" : text, text == NULL ? "" : "\n\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fprintf(out, "  %s\n      %s.\n", rows[i].name, rows[i].meaning);
    }
    fclose(out);
    return help;
}
