/* What the parts of `topk-cts trust` share: trust.c is the command, cases.c has the
 * cases, meet.c has a fault meet them, run.c does that for all,
 * count.c says what the outcomes come to, report.c prints it, and
 * ledger.c holds it against the reviewed file. Nobody else includes this.
 *
 * A fault is killed by a case that fails on it. Each group of cases, step by step, meets each
 * fault in a worker of its own, so the outcome depends neither on time nor on the number of
 * jobs. */
#ifndef TOPK_TRUST_H
#define TOPK_TRUST_H

#include <stdatomic.h>
#include <sys/types.h>

#include "condition/condition.h"
#include "session/session.h"
#include "summary/summary.h"

#define TRUST_GROUPS_MAX 32u
#define TRUST_ERROR      400

/* Cases run in steps, the small ones first. Once two groups have killed a fault, what is left,
 * which would take most of the time, is not run: the fault is dead, and no group is the only one
 * that kills it. Kernels that are right meet all but the largest cases. */
#define TRUST_STEPS 3u

/* What a case asks of a backend. */
enum trust_kind {
    TRUST_COMPUTED, /* valid, and its outputs are looked at */
    TRUST_ANSWERED  /* invalid, or too large to be run: the answer is all there is */
};

struct trust_case {
    unsigned char group; /* number in trust.groups */
    unsigned char step;
    unsigned char kind; /* enum trust_kind */
    bool related;       /* it has a relation, which asks something */
    bool refusal;       /* it does not ask for a result: struct topk_sample */
};

/* The cases of a profile, as they meet faults. */
struct trust_suite {
    const struct topk_profile *profile;
    struct cli_cases cases;
    struct trust_case *list; /* owned; by number of the case */
    const char *groups[TRUST_GROUPS_MAX];
    uint32_t sizes[TRUST_GROUPS_MAX]; /* cases */
    uint32_t group_count;
    bool own[TRUST_GROUPS_MAX]; /* its cases were written for faults: it is shown and not counted */
    size_t words;               /* of a set of cases, of 64 bits each */
};

/* The outcome of a fault. */
enum trust_state {
    TRUST_WAITING,
    TRUST_DONE,
    TRUST_FAILED /* error says why */
};

/* What a run says of a fault, held against the row of the fault. */
struct trust_said {
    uint32_t failed;     /* cases */
    uint32_t astray;     /* of them: outside of the trigger */
    uint32_t astray_one; /* the number of the first such case */
    uint32_t caused;     /* of a bug with a cause */
    uint32_t wrong;      /* of them: with one that is not true of the fault */
    char cause[32];      /* of the first bug that has one; "": none */
    char wrong_word[32]; /* the last that is not true */
    uint32_t entries;    /* bugs that were told apart */
    uint32_t missed;     /* failing cases outside of the conditions of all of them */
    uint32_t inside;     /* cases in their conditions */
    uint32_t beyond;     /* of them: outside of the trigger */
    char condition[400]; /* of the first entry, as far as it fits */
};

/* The figures of all faults. */
struct trust_figures {
    uint64_t faults;              /* that have to fail, and do */
    uint64_t triggers, contained; /* with a trigger; of them: the condition contains it */
    uint64_t single;              /* with one entry */
    uint64_t failed, wrong;       /* cases; of them: with a cause that is wrong */
    uint64_t astray;              /* faults with failing cases outside of their trigger */
};

/* Written by the process that ran the fault, read by the one that asked for it. */
struct trust_outcome {
    atomic_int state; /* enum trust_state */
    char error[TRUST_ERROR];
    uint32_t killed[TRUST_GROUPS_MAX]; /* cases that failed on it, of those that ran */
    uint32_t run[TRUST_GROUPS_MAX];    /* cases that ran */
    struct topk_clause_set first;      /* clauses of verdicts */
    struct topk_clause_set later;      /* clauses of findings */
    bool unnamed;                      /* a verdict without a clause */
    struct trust_said said;            /* with --verdicts, and nothing else but state and error */
};

/* A fault should fail cases of so many tests, so that it still dies if one of them changes. */
#define TRUST_TESTS 4u

/* A set of cases by number. */
bool trust_set_has(const uint64_t *set, size_t number);

struct trust {
    struct trust_suite suite;
    const struct cli_fault *faults; /* those that are run */
    size_t fault_count;
    struct trust_outcome *outcomes; /* by fault, behind them those of the drills */
    uint64_t *sets;                 /* suite.words for each outcome: the cases that failed */
    size_t shared_bytes;            /* of outcomes and sets, which processes share */
    bool drills;                    /* whether cases are tried, too */
    bool brief;                     /* whether a fault is left once trust_enough() */
    struct topk_features *features; /* owned; with --verdicts: of each case by number, else NULL */
    bool measured;                  /* figures is filled */
    struct trust_figures figures;
};

/* Drills: is there a wrong answer that a case fails? They come behind the faults. */
enum trust_drill {
    TRUST_DRILL_OUTPUT, /* outputs that are wrong, or the opposite answer */
    TRUST_DRILL_ODD,    /* every other call is wrong, the first one included */
    TRUST_DRILL_EVEN,   /* every other call is wrong, but not the first */
    TRUST_DRILLS
};
const uint64_t *trust_drill_set(const struct trust *trust, enum trust_drill number);

/* Reads the cases of a profile; ends the program after a message if they are not what it means. */
void trust_suite_open(struct trust_suite *suite, const struct topk_profile *profile);
void trust_suite_close(struct trust_suite *suite);

/* Runs a job on a fault, in a worker of its own. False, and why in error, if that could not be
 * done. Ends this process at a signal. */
bool trust_host(const char *fault, bool guard_pages, const char *worker,
                struct topk_runner_job *job, char error[TRUST_ERROR]);

/* Whether this process, a child of `parent`, has lost it. */
bool trust_is_orphan(pid_t parent);

/* Has outcome i, that of a fault or of a drill, filled in this process, a child of `parent`, which
 * ends if that has ended or at a signal. worker: path of topk-worker. order: room for all cases. */
void trust_meet(struct trust *trust, size_t i, const char *worker, uint64_t *order, pid_t parent);

/* Runs the faults against the suite in `jobs` processes, and the drills if they are wanted; fills
 * outcomes and sets. Returns CLI_CONFORMANT, or what to exit with, after a message. */
int trust_run(struct trust *trust, uint32_t jobs);
void trust_free(struct trust *trust);

/* ---- what is said of faults: trigger.c, verdicts.c ---------------------------------- */

#define TRUST_TRIGGER_CONDITIONS 8
struct trust_trigger {
    bool known;   /* it can be written */
    size_t count; /* of conditions; 0: every call */
    struct topk_condition conditions[TRUST_TRIGGER_CONDITIONS];
};
/* Reads the trigger of a row. False, and why in error, if it is none. */
bool trust_trigger_read(const struct cli_fault *fault, struct trust_trigger *trigger,
                        char error[TRUST_ERROR]);
/* Whether one of its conditions holds. */
enum topk_holds trust_trigger_holds(const struct trust_trigger *trigger,
                                    const struct topk_features *features);
/* Whether a cause is true of a fault, as its row says. */
bool trust_cause_true(const struct cli_fault *fault, enum topk_reading reading);
/* Whether there are the causes that a row names. False, and why in error, if not. */
bool trust_causes_exist(const struct cli_fault *fault, char error[TRUST_ERROR]);

/* Reads the features of all cases. */
void trust_verdicts_open(struct trust *trust);
/* As trust_meet() of a fault, for what is said of it. */
void trust_verdicts_meet(struct trust *trust, size_t i, const char *worker, uint64_t *order,
                         pid_t parent);
/* How a case ended. */
struct trust_met {
    bool ran, failed;
    uint32_t call; /* of a sequence: topk_features_call() */
};
/* Fills what is said of fault number i, whose cases ended so and make these entries. False, and why
 * in the outcome, if its row is wrong. */
bool trust_say(const struct trust *trust, size_t i, const struct trust_met *met,
               const struct topk_entries *entries);

/* What they have to be: least shares of faults, greatest share of failing cases. */
#define TRUST_CONTAINED_PERCENT 85u
#define TRUST_SINGLE_PERCENT    90u
#define TRUST_WRONG_PER_MILLE   5u
bool trust_figures_hold(const struct trust_figures *figures);
/* Whether each failing case is in a condition that is stated, and nearly no case in them is outside
 * of the trigger. */
bool trust_contains(const struct trust_said *said);
void trust_figure(const struct trust *trust, struct trust_figures *figures);
void trust_print_verdicts(FILE *out, const struct trust *trust);

/* ---- what it comes to: count.c ----------------------------------------------------- */

/* Whether a case of a group that counts kills fault number i; in how many such groups; the first.
 */
bool trust_dead(const struct trust *trust, size_t i);
uint32_t trust_killers(const struct trust *trust, size_t i, const char **first);
/* How many tests, of groups that count, have cases that kill it. */
uint32_t trust_tests(const struct trust *trust, size_t i);
/* Whether these are fewer than TRUST_TESTS though its row does not say why, or the other way round:
 * 0: neither, 1: fewer, 2: not fewer. Rows are about core. */
int trust_thin(const struct trust *trust, size_t i);

/* Whether each clause that the row of fault number i promises is named by a case that kills it. */
bool trust_named(const struct trust *trust, size_t i);
/* The first from `at` on of the clauses that the row of fault number i promises and no verdict
 * names, *length characters; NULL if there is none. */
const char *trust_next_unnamed(const struct trust *trust, size_t i, const char *at, size_t *length);
/* Whether fault number i is dead, in enough tests, and its clauses are named. */
bool trust_enough(const struct trust *trust, size_t i);

/* Whether a case is mistrusted: no wrong answer fails it. */
bool trust_mistrusted(const struct trust *trust, size_t number);
/* Whether the second call of a case with a relation may be anything: its data leave that open. */
bool trust_unrelated(const struct trust *trust, size_t number);

struct trust_totals {
    uint32_t faults;     /* that have to die */
    uint32_t dead;       /* of them */
    uint32_t allowed;    /* that must not fail */
    uint32_t rejected;   /* of them fail */
    uint32_t unnamed;    /* whose row promises a clause that no case names */
    uint32_t thin;       /* whose row is wrong about how many tests fail */
    uint32_t mistrusted; /* cases */
    uint32_t unrelated;  /* cases whose second call may be anything */
};
void trust_count(const struct trust *trust, struct trust_totals *totals);

/* ---- what is printed: report.c ----------------------------------------------------- */

void trust_print_matrix(FILE *out, const struct trust *trust);
/* Totals, what is alive, mistrusted cases, groups that are not needed. */
void trust_print_summary(FILE *out, const struct trust *trust);
/* A line a fault with the ids of the cases that kill it. */
void trust_print_kills(FILE *out, const struct trust *trust);

/* ---- the reviewed file: ledger.c --------------------------------------------------- */

void trust_print_ledger(FILE *out, const struct trust *trust);

/* Reads a ledger before anything is run; ends the program after a message if it is malformed,
 * or of another version or profile, or if it lacks the figures and they are wanted. */
void trust_ledger_open(const char *path, const struct trust_suite *suite, bool figures);
/* Prints how the outcomes differ from those of the file to standard error. Returns CLI_CONFORMANT,
 * CLI_FAILURES if something that died is alive or a row is not as it should be, or CLI_HARNESS. */
int trust_ledger_check(const char *path, const struct trust *trust);
/* The same of the figures: whether none is worse than in the file. */
int trust_ledger_check_figures(const char *path, const struct trust_figures *now);

#endif
