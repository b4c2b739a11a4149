/* Runs failures again at the end of a run, to find the flaky ones. Each failure first runs alone in
 * a new process. If it passes there, it runs after the cases that its process had run before it. If
 * there are many failures, only a sample of them is run again. */
#ifndef TOPK_CLI_AGAIN_H
#define TOPK_CLI_AGAIN_H

#include "log/log.h"
#include "session.h"

/* --retries: a child of a command's argp. Its input is a uint32_t, which it initializes to
 * CLI_RETRIES. */
extern const struct argp cli_again_argp;

/* Default and maximum of --retries. */
#define CLI_RETRIES     2u
#define CLI_RETRIES_MAX 1000u
/* Maximum number of failures that are run again. Failures that are printed come first, then the
 * first failure of each kind, then the second of each kind, and so on. Timeouts come last. */
#define CLI_AGAIN_FAILURES 32u
/* Maximum number of printed failures among them. */
#define CLI_AGAIN_SHOWN 16u
/* Time limit: this many seconds, plus this share of the run's time. */
#define CLI_AGAIN_LEAST 1.0
#define CLI_AGAIN_SHARE 0.1
/* The first CLI_AGAIN_SURE failures, unless they are timeouts, are run again even after the time
 * limit, up to CLI_AGAIN_SURE_SECONDS seconds in all. */
#define CLI_AGAIN_SURE         4u
#define CLI_AGAIN_SURE_SECONDS 60.0
/* A failure that passes alone is run after the CLI_AGAIN_NEAR cases before it. If it passes there
 * too, it is run after all cases that its process had run before it, CLI_AGAIN_BEFORE at most. This
 * last step is skipped once it has shown nothing for CLI_AGAIN_IDLE failures, and stops
 * CLI_AGAIN_WHOLE seconds after the time limit. */
#define CLI_AGAIN_NEAR   64u
#define CLI_AGAIN_IDLE   3u
#define CLI_AGAIN_WHOLE  10.0
#define CLI_AGAIN_BEFORE ((uint64_t)1 << 18)

/* Maximum number of kinds of failure that are distinguished. Timeouts have kinds of their own. */
#define CLI_AGAIN_KINDS 1024u
/* Maximum number of stretches of sent cases that are remembered, and how many of the oldest are
 * dropped at once when there are more. */
#define CLI_AGAIN_SENT   ((size_t)1 << 20)
#define CLI_AGAIN_FORGET ((size_t)1 << 19)

/* A failure that may be run again. The first CLI_AGAIN_FAILURES failures of a kind are kept, for
 * the first CLI_AGAIN_FAILURES kinds of timeouts and of other failures, and so are all that are
 * printed. No other failure can be chosen. */
struct cli_again_failure {
    uint64_t number;
    uint64_t kind;                 /* the same for all failures of a kind */
    enum topk_verdict verdict;     /* its verdict in the run */
    struct topk_clause_set broken; /* clauses that it was counted for */
    bool shown;
    /* its place among all failures, and among those of its kind: for the choice */
    uint64_t position, rank;
};

struct cli_again_kind {
    uint64_t kind;
    uint64_t count; /* failures so far */
    bool kept;      /* its first failures are kept */
};

struct cli_again {
    /* to be set by the caller */
    uint32_t retries;                          /* 0: nothing is run again */
    const struct topk_runner_options *options; /* those of the run */
    /* returns the id of a case, valid until the next call; NULL if memory is short */
    const char *(*id)(void *context, uint64_t number);
    void *context;
    /* a bit per case: it had its result before this run began; NULL: no case had */
    const uint64_t *before;
    const struct cli_order *order; /* the cases that this run runs */
    uint32_t times;                /* how often it runs each */
    /* owned */
    struct cli_again_failure *failures;
    size_t failure_count, failure_room;
    struct cli_again_kind *kinds; /* in the order of their first failures */
    size_t kind_count, kind_room;
    size_t kinds_kept[2];          /* kinds kept: [1] of timeouts, [0] of others */
    uint64_t seen;                 /* failures */
    size_t shown;                  /* of them */
    struct cli_again_failure last; /* the one added last */
    bool last_kept;
    struct cli_again_sent {
        uint64_t first; /* number in the runner's job: position in the order * times + run */
        uint32_t count; /* number of cases from `first` on */
        uint32_t worker;
    } * sent; /* in the order in which they were sent to workers */
    size_t sent_count, sent_room;
    bool forgot;    /* the oldest were dropped */
    bool no_memory; /* an allocation failed: something is missing */
    /* the results */
    struct cli_again_done {
        struct topk_log_again record;
        const struct cli_again_failure *failure;
    } done[CLI_AGAIN_FAILURES];
    size_t count;
};

/* Notes that a case was sent to a worker; called by sent() of a runner's job. */
void cli_again_sent(struct cli_again *again, uint64_t number, uint64_t worker);
/* Returns the kind of a failure, which is a hash of the arguments. cause: what explains the
 * failure, or "". crash: may be NULL. */
uint64_t cli_again_kind(enum topk_verdict verdict, enum topk_clause clause, const char *cause,
                        const struct topk_crash *crash, uint32_t type);
/* Adds a failure that counts as verdict. broken: the clauses that it breaks. */
void cli_again_add(struct cli_again *again, uint64_t number, uint64_t kind,
                   enum topk_verdict verdict, const struct topk_clause_set *broken);
/* Notes that the failure that was added last is printed. */
void cli_again_show(struct cli_again *again);
/* Runs failures again; seconds: how long the run took. */
void cli_again_run(struct cli_again *again, double seconds);
/* Prints each flaky failure, then a line that sums up all. */
void cli_again_print(FILE *out, const struct cli_again *again);
void cli_again_free(struct cli_again *again);

#endif
