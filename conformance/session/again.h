/* Runs failures again when a run is done, to find the flaky ones: each alone, in a new process,
 * and, if it passes there, after the cases that its process had run before it. Of many failures a
 * sample is run again. */
#ifndef TOPK_CLI_AGAIN_H
#define TOPK_CLI_AGAIN_H

#include "log/log.h"
#include "session.h"

/* --retries; child of a command's argp, whose input is a uint32_t that it sets to CLI_RETRIES first
 */
extern const struct argp cli_again_argp;

/* How often each is run again by default, and at most. */
#define CLI_RETRIES     2u
#define CLI_RETRIES_MAX 1000u
/* Most failures of a run that are run again: those that are printed, then of each kind of failure
 * the first, the second and so on. */
#define CLI_AGAIN_FAILURES 32u
/* Most of those that are printed. */
#define CLI_AGAIN_SHOWN 16u
/* Seconds that this takes, and the share of the run's time beyond them. */
#define CLI_AGAIN_LEAST 1.0
#define CLI_AGAIN_SHARE 0.1
/* The first failures that are no timeouts are run again even if that takes longer, up to so many
 * seconds. */
#define CLI_AGAIN_SURE         4u
#define CLI_AGAIN_SURE_SECONDS 60.0
/* Cases behind which a failure is run again; if it passes there, it is run behind all that its
 * process had run before it, unless that has shown nothing so often, or takes so many seconds more.
 */
#define CLI_AGAIN_NEAR   64u
#define CLI_AGAIN_IDLE   3u
#define CLI_AGAIN_WHOLE  10.0
#define CLI_AGAIN_BEFORE ((uint64_t)1 << 18)

/* Most kinds of failure that are told apart, timeouts and others for themselves. */
#define CLI_AGAIN_KINDS 1024u
/* Most stretches of cases that are known to have been sent, and how many are forgotten at once when
 * there are more. */
#define CLI_AGAIN_SENT   ((size_t)1 << 20)
#define CLI_AGAIN_FORGET ((size_t)1 << 19)

/* A failure. Of each kind the first CLI_AGAIN_FAILURES are kept, of as many kinds, and those that
 * are printed: no others can be chosen. */
struct cli_again_failure {
    uint64_t number;
    uint64_t kind;                 /* failures of one kind have the same */
    enum topk_verdict verdict;     /* what it counted as before */
    struct topk_clause_set broken; /* clauses that it was counted for */
    bool shown;
    /* for the choice: among all failures, and among those of its kind */
    uint64_t position, rank;
};

struct cli_again_kind {
    uint64_t kind;
    uint64_t count; /* failures so far */
    bool kept;      /* the first of them are */
};

struct cli_again {
    /* to be set by the caller */
    uint32_t retries;                          /* 0: nothing is run again */
    const struct topk_runner_options *options; /* as the run's */
    const char *(*id)(void *context, uint64_t number);
    void *context;
    /* bits by number: it had its result when this run began; NULL: none had */
    const uint64_t *before;
    const struct cli_order *order; /* of the cases that this run runs */
    uint32_t times;                /* how often it runs each */
    /* owned */
    struct cli_again_failure *failures;
    size_t failure_count, failure_room;
    struct cli_again_kind *kinds; /* in the order of their first failures */
    size_t kind_count, kind_room;
    size_t kinds_kept[2];          /* of timeouts, in [1], and of others */
    uint64_t seen;                 /* failures */
    size_t shown;                  /* of them */
    struct cli_again_failure last; /* that was added */
    bool last_kept;
    struct cli_again_sent {
        uint64_t first; /* number as the runner has it: position in the order * times + run */
        uint32_t count; /* it and those that follow, */
        uint32_t worker;
    } * sent; /* in the order in which they were sent to workers */
    size_t sent_count, sent_room;
    bool forgot;    /* the first of them */
    bool no_memory; /* some of this is not known */
    /* what came */
    struct cli_again_done {
        struct topk_log_again record;
        const struct cli_again_failure *failure;
    } done[CLI_AGAIN_FAILURES];
    size_t count;
};

/* As sent() of a runner's job. */
void cli_again_sent(struct cli_again *again, uint64_t number, uint64_t worker);
/* What failures of one kind have in common. cause: what explains it, or "". */
uint64_t cli_again_kind(enum topk_verdict verdict, enum topk_clause clause, const char *cause,
                        const struct topk_crash *crash, uint32_t type);
/* Adds a failure that counts as verdict. broken: the clauses that it breaks. */
void cli_again_add(struct cli_again *again, uint64_t number, uint64_t kind,
                   enum topk_verdict verdict, const struct topk_clause_set *broken);
/* The failure that was added last is printed. */
void cli_again_show(struct cli_again *again);
/* Runs failures again; seconds: how long the run took. */
void cli_again_run(struct cli_again *again, double seconds);
/* Prints a line about all, and each that is flaky. */
void cli_again_print(FILE *out, const struct cli_again *again);
void cli_again_free(struct cli_again *again);

#endif
