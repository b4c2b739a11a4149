/* The environment variables that test engines set: GoogleTest and its runners, and Bazel. `run'
 * takes its shard, its selection and its output folder from them, and writes the files that the
 * engines look for. */
#ifndef TOPK_CLI_ENGINE_H
#define TOPK_CLI_ENGINE_H

#include "session/session.h"

/* VARIABLE(NAME, meaning): the variables that are used. --help and the manual page list them. */
#define CLI_ENGINE_VARIABLES(VARIABLE)                                                             \
    VARIABLE(GTEST_TOTAL_SHARDS, "How many shards the run is divided into: N of --shard I/N")      \
    VARIABLE(GTEST_SHARD_INDEX, "Which of them this is, from 0 on: --shard counts from 1 on")      \
    VARIABLE(GTEST_SHARD_STATUS_FILE, "A file that is made to show that shards are understood")    \
    VARIABLE(TEST_TOTAL_SHARDS, "As GTEST_TOTAL_SHARDS, set by Bazel; 0: the run is not divided")  \
    VARIABLE(TEST_SHARD_INDEX, "As GTEST_SHARD_INDEX")                                             \
    VARIABLE(TEST_SHARD_STATUS_FILE, "As GTEST_SHARD_STATUS_FILE")                                 \
    VARIABLE(XML_OUTPUT_FILE, "A file that gets the text of junit.xml, too")                       \
    VARIABLE(TEST_UNDECLARED_OUTPUTS_DIR, "The folder of the log if there is no --out")            \
    VARIABLE(TESTBRIDGE_TEST_ONLY, "Selections, with | between them, which narrow those given")    \
    VARIABLE(TEST_PREMATURE_EXIT_FILE, "A file that is there until the run ends by itself")

struct cli_engine {
    struct topk_shard shard; /* count 0: the run is not divided */
    const char *divided_by;  /* the variable that sets the number of shards; NULL: none does */
    const char *out;         /* each NULL if it is not set */
    const char *xml;
    const char *filter;      /* the unchanged value of the variable */
    char *filter_text;       /* owned: a copy that is split into the selections */
    const char **selections; /* owned: of the filter; count 0: none */
    size_t selection_count;
};

/* Reads the environment. An empty variable counts as unset. Exits with CLI_USAGE, after a message
 * that names the variable, if one is malformed, or if two that belong together contradict each
 * other or one of them is missing. */
void cli_engine_read(struct cli_engine *engine, const struct argp_state *state);

/* Replaces *selections by those of the filter, if there is one. Exits with CLI_USAGE if one of
 * these is outside the selections of the command line. The engine owns the new selections. */
void cli_engine_narrow(const struct cli_engine *engine, const struct argp_state *state,
                       char *const **selections, size_t *count);

/* Creates the files that engines look for. Ends the program with CLI_HARNESS if one cannot be
 * created. TEST_PREMATURE_EXIT_FILE, which shows that a run was killed, is removed when the program
 * exits. */
void cli_engine_begin(void);

/* Returns `command' in a form that does not need the engine's variables, to be freed; frees
 * `command'. out, shard: whether these were taken from the environment. NULL if memory is short. */
char *cli_engine_command(const struct cli_engine *engine, char *command, bool shard, bool out);

/* Returns a text for --help, to be freed: `text', which may be NULL, followed by the variables. */
char *cli_engine_help(const char *text);

void cli_engine_free(struct cli_engine *engine);

#endif
