/* Measures where the time of a process goes: a clock that is switched from one stage to the next.
 * It is off until topk_stage_on(); after that, each switch reads the time twice. For one thread. */
#ifndef TOPK_STAGE_H
#define TOPK_STAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* X(NAME, word, about): the stages of topk-cts and of a judge, in the order in which a case passes
 * through them. */
#define TOPK_STAGE_LIST(X)                                                                         \
    X(START, "start", "the runner selects the cases and starts workers")                           \
    X(FEED, "feed", "the runner prints cases and sends them")                                      \
    X(TAKE, "take", "the runner reads results")                                                    \
    X(LOG, "log", "the runner writes the log and counts results")                                  \
    X(IDLE, "idle", "the runner waits for workers")                                                \
    X(END, "end", "the runner runs failures again, writes JUnit and summary")                      \
    X(READ, "read", "the judge waits for cases and reads them")                                    \
    X(PARSE, "parse", "the judge parses cases and validates them")                                 \
    X(DATA, "data", "the judge makes the elements of inputs")                                      \
    X(POISON, "poison", "the judge fills outputs, guards and padding, and copies them")            \
    X(SEND, "send", "the judge sends calls to the backend process, with their buffers")            \
    X(CALL, "call", "the judge waits for the backend")                                             \
    X(RECEIVE, "receive", "the judge takes answers and buffers")                                   \
    X(JUDGE, "judge", "the judge judges outputs")                                                  \
    X(CONTAIN, "contain", "the judge looks for writes outside of outputs")                         \
    X(RELATE, "relate", "the judge compares second calls with first ones")                         \
    X(ANSWER, "answer", "the judge prints results")                                                \
    X(OTHER, "other", "what the judge does between these")

enum topk_stage {
#define X(name, word, about) TOPK_STAGE_##name,
    TOPK_STAGE_LIST(X)
#undef X
    TOPK_STAGE_COUNT
};

struct topk_stages {
    uint64_t nanoseconds[TOPK_STAGE_COUNT];
};

const char *topk_stage_word(enum topk_stage stage);
const char *topk_stage_about(enum topk_stage stage);

/* Turns the clock on, in a stage. */
void topk_stage_on(enum topk_stage stage);

/* Attributes the time from now on to a stage. Returns the previous stage. Does nothing while the
 * clock is off. */
enum topk_stage topk_stage_enter(enum topk_stage stage);

/* The time of each stage so far; all 0 while the clock is off. */
struct topk_stages topk_stages_get(void);

/* Writes a line "WORD NANOSECONDS" for each stage with time. */
void topk_stages_print(FILE *out, const struct topk_stages *stages);

/* Reads such lines and adds them up. Returns false, with the first malformed line in `line`, which
 * has `size` bytes, if there is one. */
bool topk_stages_read(FILE *in, struct topk_stages *stages, char *line, size_t size);

#endif
