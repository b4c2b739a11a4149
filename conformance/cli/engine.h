/* The environment variables that test engines set: GoogleTest and its runners, and Bazel. `run'
 * takes from them its shard, its selection and its output folder, and writes the files that the
 * engines look for. */
#ifndef TOPK_CLI_ENGINE_H
#define TOPK_CLI_ENGINE_H

#include "session/session.h"

/* VARIABLE(NAME, meaning): what is honoured. --help and the manual page are made of it. */
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
    const char *divided_by;  /* the variable that says the number of shards; NULL: none does */
    const char *out;         /* each NULL if it is not set */
    const char *xml;
    const char *filter;      /* as it is set */
    char *filter_text;       /* owned: a copy that is cut into the selections */
    const char **selections; /* owned: of the filter; count 0: none */
    size_t selection_count;
};

/* Reads the environment. A variable that is set to nothing is not set. Exits with CLI_USAGE, naming
 * the variable, if one is malformed, if two that belong together contradict each other, or one is
 * alone. */
void cli_engine_read(struct cli_engine *engine, const struct argp_state *state);

/* Makes *selections those of the filter, if there is one. Exits with CLI_USAGE if one of it lies
 * outside those of the command line. The selections belong to the engine. */
void cli_engine_narrow(const struct cli_engine *engine, const struct argp_state *state,
                       char *const **selections, size_t *count);

/* Makes the files that engines look for. Ends the program with CLI_HARNESS if one cannot be made.
 * The one that tells of a run that was killed is removed when the program exits. */
void cli_engine_begin(void);

/* `command' as it is to be run without the engine, to be freed; `command' is freed. out, shard:
 * whether these were taken from the environment. NULL if memory is short. */
char *cli_engine_command(const struct cli_engine *engine, char *command, bool shard, bool out);

/* Text of --help: `text', which may be NULL, and the variables behind it; to be freed. */
char *cli_engine_help(const char *text);

void cli_engine_free(struct cli_engine *engine);

#endif
