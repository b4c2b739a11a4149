/* Feedback for differential fuzzing of a process: new cases are derived from those that made the
 * backend do something new.
 *
 * What a case made the backend do is known from counters that the backend writes, for one case at a
 * time (counters.h), or from its results (behaviour.h). Cases run in rounds. All cases of a round
 * are drawn from what was kept before the round, and their features are compared in the order of
 * their positions. With one worker, a seed therefore always gives the same cases if the backend's
 * counters are reproducible. With several workers, counters may depend on which cases each process
 * ran before. Feedback from results includes times, which are not fully reproducible. */
#ifndef TOPK_FEEDBACK_H
#define TOPK_FEEDBACK_H

#include "generate/generate.h"
#include "reference/result.h"

/* Number of cases in a round. */
#define TOPK_FEEDBACK_ROUND 32u

enum topk_feedback_kind {
    TOPK_FEEDBACK_AUTO, /* EDGES if the first round writes any counter, else RESULTS */
    TOPK_FEEDBACK_EDGES,
    TOPK_FEEDBACK_RESULTS
};

/* Returns "auto", "edges" or "results". */
const char *topk_feedback_word(enum topk_feedback_kind kind);
/* Returns false if the word is none of these. */
bool topk_feedback_parse(const char *word, enum topk_feedback_kind *kind);

struct topk_feedback_options {
    enum topk_feedback_kind kind;
    uint64_t seed;
    uint64_t from;                    /* first position */
    const struct topk_limits *limits; /* for cases drawn without feedback; must outlive this */
    uint32_t counters;                /* per worker */
    /* Called with each input that is kept. May be NULL. */
    void (*kept)(void *context, const unsigned char *bytes, size_t length);
    /* Called at most once, with a note for the user. May be NULL. */
    void (*note)(void *context, const char *text);
    void *context;
};

struct topk_feedback;

/* Returns NULL if memory is short. */
struct topk_feedback *topk_feedback_open(const struct topk_feedback_options *options);
void topk_feedback_close(struct topk_feedback *feedback);

/* Adds an input that is run before any case is drawn. Returns false if memory is short. */
bool topk_feedback_first(struct topk_feedback *feedback, const unsigned char *bytes, size_t length);

/* Draws the case of a position; may be repeated for any position before the end of the round. Clear
 * *tc afterwards. Returns false if memory is short. */
bool topk_feedback_draw(struct topk_feedback *feedback, uint64_t position, struct topk_case *tc);

/* Returns the environment variables for a worker, as in struct topk_runner_options. */
char *const *topk_feedback_variables(struct topk_feedback *feedback, uint32_t place,
                                     uint64_t worker);

/* Begins a round; returns the position after its last case. */
uint64_t topk_feedback_begin(struct topk_feedback *feedback, uint64_t position);
/* Call these when a case of the round is sent to an idle worker, and when its result arrives. */
void topk_feedback_sent(struct topk_feedback *feedback, uint64_t position, uint64_t worker);
void topk_feedback_result(struct topk_feedback *feedback, uint64_t position,
                          const struct topk_result *result);
/* topk_feedback_slow() writes the positions of the slow cases of the round, which should be run
 * again, and returns how many there are; topk_feedback_time() takes the time of such a
 * repetition. */
uint32_t topk_feedback_slow(const struct topk_feedback *feedback,
                            uint64_t positions[TOPK_FEEDBACK_ROUND]);
void topk_feedback_time(struct topk_feedback *feedback, uint64_t position, uint64_t nanoseconds);
/* Ends the round and keeps the cases that showed something new. Returns false if memory was short
 * at any time since topk_feedback_open(). */
bool topk_feedback_end(struct topk_feedback *feedback);

/* The state so far: the kind of feedback (AUTO: not yet decided), the number of kept cases, and the
 * number of features they have. */
struct topk_feedback_state {
    enum topk_feedback_kind kind;
    uint64_t kept;
    uint64_t features;
};
struct topk_feedback_state topk_feedback_state(const struct topk_feedback *feedback);

/* Returns whether EDGES was requested, a round has ended, and no counter was written. */
bool topk_feedback_silent(const struct topk_feedback *feedback);

/* Included for the users of this folder. */
#include "counters.h"

#endif
