/* Differential fuzzing of a process: cases are drawn around those that made the backend do
 * something that no case before had made it do.
 *
 * What it did is known from counters that it writes, one case at a time (counters.h), or else from
 * its results (behaviour.h). Cases run in rounds: all cases of a round are drawn from what was kept
 * before it, and what they showed is looked at in the order of their positions. So with one worker
 * the cases of a seed are always the same if the backend's counters are; what several processes
 * count may depend on which of them had which cases before. The time of a case, which results
 * count, is not always the same. */
#ifndef TOPK_FEEDBACK_H
#define TOPK_FEEDBACK_H

#include "generate/generate.h"
#include "reference/result.h"

/* Cases of a round. */
#define TOPK_FEEDBACK_ROUND 32u

enum topk_feedback_kind {
    TOPK_FEEDBACK_AUTO, /* EDGES if the first round counts any, else RESULTS */
    TOPK_FEEDBACK_EDGES,
    TOPK_FEEDBACK_RESULTS
};

/* "auto", "edges", "results" */
const char *topk_feedback_word(enum topk_feedback_kind kind);
/* False if the word is none of them. */
bool topk_feedback_parse(const char *word, enum topk_feedback_kind *kind);

struct topk_feedback_options {
    enum topk_feedback_kind kind;
    uint64_t seed;
    uint64_t from;                    /* the first position */
    const struct topk_limits *limits; /* of cases that are drawn as without feedback; outlives it */
    uint32_t counters;                /* of each worker */
    /* Takes an input that was kept. May be NULL. */
    void (*kept)(void *context, const unsigned char *bytes, size_t length);
    /* Takes what a user may want to know, once. May be NULL. */
    void (*note)(void *context, const char *text);
    void *context;
};

struct topk_feedback;

/* NULL if memory is short. */
struct topk_feedback *topk_feedback_open(const struct topk_feedback_options *options);
void topk_feedback_close(struct topk_feedback *feedback);

/* Adds an input that is run before others are drawn. False if memory is short. */
bool topk_feedback_first(struct topk_feedback *feedback, const unsigned char *bytes, size_t length);

/* Draws the case of a position up to the end of the round, to be cleared; any number of times.
 * False if memory is short. */
bool topk_feedback_draw(struct topk_feedback *feedback, uint64_t position, struct topk_case *tc);

/* The variables that a worker needs, as struct topk_runner_options has them. */
char *const *topk_feedback_variables(struct topk_feedback *feedback, uint32_t place,
                                     uint64_t worker);

/* Begins a round; returns the position behind its last case. */
uint64_t topk_feedback_begin(struct topk_feedback *feedback, uint64_t position);
/* A case of it is sent to a worker that has nothing else to do, and comes back with a result. */
void topk_feedback_sent(struct topk_feedback *feedback, uint64_t position, uint64_t worker);
void topk_feedback_result(struct topk_feedback *feedback, uint64_t position,
                          const struct topk_result *result);
/* Writes the positions of the round's cases that were slow, which are to be run again, and returns
 * how many there are; and takes the time of one that was. */
uint32_t topk_feedback_slow(const struct topk_feedback *feedback,
                            uint64_t positions[TOPK_FEEDBACK_ROUND]);
void topk_feedback_time(struct topk_feedback *feedback, uint64_t position, uint64_t nanoseconds);
/* Ends the round: keeps the cases that showed something new. False if memory is short, now or at
 * any time before. */
bool topk_feedback_end(struct topk_feedback *feedback);

/* What is known so far: what is looked at (AUTO: not decided), how many cases were kept, and how
 * many features they have. */
struct topk_feedback_state {
    enum topk_feedback_kind kind;
    uint64_t kept;
    uint64_t features;
};
struct topk_feedback_state topk_feedback_state(const struct topk_feedback *feedback);

/* Whether a round was run and no counter was written, although EDGES were asked for. */
bool topk_feedback_silent(const struct topk_feedback *feedback);

/* the rest of what this folder shows others */
#include "counters.h"

#endif
