/* Two implementations, for `topk-cts explore --against`: both run the same cases, each is judged by
 * its own contract, and their results are compared. */
#ifndef TOPK_PAIR_H
#define TOPK_PAIR_H

#include "session/session.h"
#include "shrink/shrink.h"

/* PAIR_KIND(NAME, disagree, wrong, text). disagree: the results differ. wrong: one of them breaks
 * its contract. text: printed after a number of cases. */
#define PAIR_KINDS(PAIR_KIND)                                                                      \
    PAIR_KIND(ALIKE, false, false, "A and B agree, and are right")                                 \
    PAIR_KIND(APART, false, false, "A or B does not serve the call")                               \
    PAIR_KIND(WRONG_ALIKE, false, true, "A and B agree, and are wrong")                            \
    PAIR_KIND(A_WRONG, true, true, "A is wrong, B is right")                                       \
    PAIR_KIND(B_WRONG, true, true, "B is wrong, A is right")                                       \
    PAIR_KIND(BOTH_WRONG, true, true, "A and B disagree, and both are wrong")                      \
    PAIR_KIND(VALUES, true, false, "both are right, and return different values")                  \
    PAIR_KIND(ORDER, true, false, "both are right, and select different elements of equal value")  \
    PAIR_KIND(REFUSED, true, false, "both are right: one computes the call, the other refuses it")

enum pair_kind {
#define PAIR_KIND(name, disagree, wrong, text) PAIR_##name,
    PAIR_KINDS(PAIR_KIND)
#undef PAIR_KIND
    PAIR_KIND_COUNT
};
struct pair_kind_row {
    bool disagree;
    bool wrong;
    const char *text;
};
extern const struct pair_kind_row pair_kind_rows[PAIR_KIND_COUNT];

/* Compares two results of one case. */
enum pair_kind pair_kind_of(const struct topk_result *a, const struct topk_result *b);

/* Maximum number of cases of a batch. */
#define PAIR_BATCH 256u

struct pair_side {
    const struct cli_backend *backend;
    struct cli_workers workers;
    struct cli_early early;
    char *replay;     /* owned: the command that replays a case on it, without the case */
    uint64_t unclean; /* processes that did not end well */
    struct topk_result *results; /* owned: of the batch, PAIR_BATCH of them */
};

/* A and B. */
struct pair {
    struct pair_side sides[2];
    struct topk_runner *running;   /* NULL: none */
    const char *again;             /* the command that runs a case on both, without the case */
    struct cli_progress *progress; /* erased before a note is printed */
};

/* Starts the workers of both, `jobs` each. Ends the program after a message if one is
 * unavailable. */
void pair_open(struct pair *pair, const struct cli_backend *a, const struct cli_backend *b,
               uint32_t jobs);
/* Ends the workers, and frees what the pair owns. False if it is unknown how one of them ended. */
bool pair_close(struct pair *pair);
/* Starts the workers of both again after an interruption ended them; false if that fails. */
bool pair_restart(struct pair *pair);

/* Cases of a batch, numbered from 0. */
struct pair_batch {
    uint32_t count; /* up to PAIR_BATCH */
    const char *(*text)(void *context, uint64_t number, size_t *length);
    /* Called for each result of the side that is run last; returns false if no more results are
     * needed. May be NULL. */
    bool (*result)(void *context, uint64_t number);
    void (*tick)(void *context); /* may be NULL */
    void *context;
    int last;       /* the side that is run last */
    bool early;     /* side->early may end it */
    double timeout; /* of a call, in seconds; 0: those of the backends */
};
/* Runs a batch on one side, then on the other, and fills sides[].results. A case without a result
 * is UNSUPPORTED there. After another status than DONE some results are missing, and error says
 * why; STOPPED means that result(), pair_stop() or side->early ended it. */
enum topk_runner_status pair_run(struct pair *pair, const struct pair_batch *batch,
                                 char error[TOPK_RUNNER_ERROR]);

/* Stops the running batch; called by the functions of the batch. */
void pair_stop(struct pair *pair);

/* Makes *tc smaller while the results are of the same kind, and wrong results break the same
 * clause. Runs max_runs candidates at most, and adds their number to *runs. results: those of *tc;
 * they become those of the shrunk case. *minimal: no step makes the case any smaller. Returns DONE,
 * or why it ended early; *tc is then the smallest case so far. */
enum topk_runner_status pair_shrink(struct pair *pair, struct topk_case *tc,
                                    struct topk_result results[2], uint64_t max_runs,
                                    uint64_t *runs, bool *minimal);

/* Prints the results of both for a case, and whose outputs the documents support. */
void pair_print(FILE *out, const struct pair *pair, bool colour, const char *id,
                const struct topk_result results[2]);

#endif
