/* Interface between the parts of `topk-cts trust'; nothing else includes this file. cli/trust.c is
 * the command. cases.c reads the cases, meet.c runs one fault against them, run.c runs all faults,
 * count.c evaluates the outcomes, report.c prints them, and ledger.c compares them with the
 * reviewed file.
 *
 * A case kills a fault by failing on it. Each group of cases runs against each fault step by step,
 * in its own worker. The outcome therefore depends neither on time nor on the number of jobs. */
#ifndef TOPK_TRUST_H
#define TOPK_TRUST_H

#include <stdatomic.h>
#include <sys/types.h>

#include "condition/condition.h"
#include "session/session.h"
#include "summary/summary.h"

#define TRUST_GROUPS_MAX 32u
#define TRUST_ERROR      400

/* Cases run in steps, small ones first. Once cases of two groups, and of TRUST_TESTS tests, have
 * killed a fault, its further steps, which would take most of the time, are skipped: the fault is
 * dead, and no group alone kills it. Correct kernels run all but the largest cases. */
#define TRUST_STEPS 3u

/* What a case requires of a backend. */
enum trust_kind {
    TRUST_COMPUTED, /* valid: the outputs are checked */
    TRUST_ANSWERED  /* invalid, or too large to run: only the answer is checked */
};

struct trust_case {
    unsigned char group; /* number in trust.groups */
    unsigned char step;
    unsigned char kind; /* enum trust_kind */
    bool related;       /* it has a relation that applies */
    bool refusal;       /* it does not ask for a result, see struct topk_sample */
};

/* The cases of a profile, with what faults need to know of them. */
struct trust_suite {
    const struct topk_profile *profile;
    struct cli_cases cases;
    struct trust_case *list; /* owned; by case number */
    const char *groups[TRUST_GROUPS_MAX];
    uint32_t sizes[TRUST_GROUPS_MAX]; /* number of cases */
    uint32_t group_count;
    unsigned char by_size[TRUST_GROUPS_MAX]; /* the groups, the smallest first */
    bool own[TRUST_GROUPS_MAX]; /* its cases were written for faults: shown, but not counted */
    size_t words;               /* in a set of cases, of 64 bits each */
};

/* The outcome of a fault. */
enum trust_state {
    TRUST_WAITING,
    TRUST_DONE,
    TRUST_FAILED /* error says why */
};

/* What a run states about a fault, compared with the row of the fault. */
struct trust_said {
    uint32_t failed;     /* failing cases */
    uint32_t astray;     /* those outside the trigger */
    uint32_t astray_one; /* number of the first of them */
    uint32_t caused;     /* failing cases of bugs with a cause */
    uint32_t wrong;      /* those whose cause is not true of the fault */
    char cause[32];      /* of the first bug with a cause; "": none */
    char wrong_word[32]; /* the last cause that is not true */
    uint32_t entries;    /* bugs that were distinguished */
    uint32_t missed;     /* failing cases that the condition of their bug excludes */
    uint32_t inside;     /* cases for which a condition holds */
    uint32_t beyond;     /* those outside the trigger */
    char condition[400]; /* of the first bug, possibly truncated */
};

/* Totals over all faults. A share is a pair of numbers, part and whole. */
struct trust_figures {
    uint64_t faults;              /* faults that must fail and do */
    uint64_t triggers, contained; /* those with a trigger; those whose condition contains it */
    uint64_t single;              /* those with one entry */
    uint64_t failed, wrong;       /* failing cases; those with a wrong cause */
    uint64_t astray;              /* faults with failing cases outside their trigger */
};

/* Written by the process that runs the fault, read by the one that started it. */
struct trust_outcome {
    atomic_int state; /* enum trust_state */
    char error[TRUST_ERROR];
    uint32_t killed[TRUST_GROUPS_MAX]; /* by group: cases that ran and failed */
    uint32_t run[TRUST_GROUPS_MAX];    /* by group: cases that ran */
    struct topk_clause_set first;      /* clauses that verdicts name */
    struct topk_clause_set later;      /* clauses that findings name */
    bool unnamed;                      /* there was a verdict without a clause */
    struct trust_said said;            /* with --verdicts, which fills only this, state and error */
};

/* Cases of this many tests should fail on a fault, so that it still dies if one test changes. */
#define TRUST_TESTS 4u

/* Whether a set of cases contains a number. */
bool trust_set_has(const uint64_t *set, size_t number);

struct trust {
    struct trust_suite suite;
    const struct cli_fault *faults; /* the faults to run */
    size_t fault_count;
    struct trust_outcome *outcomes;       /* of each fault, then of each drill */
    uint64_t *sets;                       /* for each outcome suite.words words: the failed cases */
    size_t shared_bytes;                  /* bytes of outcomes and sets, which processes share */
    bool drills;                          /* also run drills, which test the cases */
    bool brief;                           /* stop with a fault once trust_enough() */
    unsigned char likely[CLI_FAULTS_MAX]; /* by fault: the group that is run first */
    struct topk_features *features;       /* owned; with --verdicts by case number, else NULL */
    bool measured;                        /* figures is valid */
    struct trust_figures figures;
};

/* Drills test the cases: is there a wrong answer on which a case fails? Their outcomes follow those
 * of the faults. */
enum trust_drill {
    TRUST_DRILL_OUTPUT, /* wrong outputs, or the opposite answer */
    TRUST_DRILL_ODD,    /* every other call is wrong, starting with the first */
    TRUST_DRILL_EVEN,   /* every other call is wrong, starting with the second */
    TRUST_DRILLS
};
const uint64_t *trust_drill_set(const struct trust *trust, enum trust_drill number);

/* Reads the cases of a profile. Ends the program with a message if they do not match the
 * profile. */
void trust_suite_open(struct trust_suite *suite, const struct topk_profile *profile);
void trust_suite_close(struct trust_suite *suite);

/* Runs a job on a fault in its own worker. False, with the reason in error, if that fails. Ends
 * this process after a signal. */
bool trust_host(const char *fault, bool guard_pages, const char *worker,
                struct topk_runner_job *job, char error[TRUST_ERROR]);

/* Whether the parent of this process is no longer `parent`. */
bool trust_is_orphan(pid_t parent);

/* Fills outcome i, of a fault or a drill, in this process, a child of `parent`. Ends this process
 * if the parent has ended or after a signal. worker: path of topk-worker. order: room for the
 * numbers of all cases. */
void trust_meet(struct trust *trust, size_t i, const char *worker, uint64_t *order, pid_t parent);

/* Runs the faults, and with trust->drills the drills, against the suite in `jobs` processes; fills
 * outcomes and sets. Returns CLI_CONFORMANT, or an exit code after a message. */
int trust_run(struct trust *trust, uint32_t jobs);
void trust_free(struct trust *trust);

/* ---- statements about faults: trigger.c, said.c, verdicts.c ---------------------------------- */

#define TRUST_TRIGGER_CONDITIONS 8
struct trust_trigger {
    bool known;   /* the row states a trigger */
    size_t count; /* of conditions; 0: every call meets the trigger */
    struct topk_condition conditions[TRUST_TRIGGER_CONDITIONS];
};
/* Reads the trigger of a row. False, with the reason in error, if it is malformed. */
bool trust_trigger_read(const struct cli_fault *fault, struct trust_trigger *trigger,
                        char error[TRUST_ERROR]);
/* Whether any of its conditions holds. */
enum topk_holds trust_trigger_holds(const struct trust_trigger *trigger,
                                    const struct topk_features *features);
/* Whether the row of a fault lists a cause as true. */
bool trust_cause_true(const struct cli_fault *fault, enum topk_reading reading);
/* Whether all causes in a row exist. False, with the reason in error, if not. */
bool trust_causes_exist(const struct cli_fault *fault, char error[TRUST_ERROR]);

/* Reads the features of all cases. */
void trust_verdicts_open(struct trust *trust);
/* Like trust_meet() for a fault, but fills in `said`. */
void trust_verdicts_meet(struct trust *trust, size_t i, const char *worker, uint64_t *order,
                         pid_t parent);
/* How a case ended. */
struct trust_met {
    bool ran, failed;
    uint32_t call; /* of a sequence, see topk_features_call() */
};
/* Fills `said` of fault number i from its cases, by number, and their entries. False, with the
 * reason in the outcome, if its row is malformed. */
bool trust_say(const struct trust *trust, size_t i, const struct trust_met *met,
               const struct topk_entries *entries);

/* Required figures: least shares of faults, greatest share of failing cases. */
#define TRUST_CONTAINED_PERCENT 85u
#define TRUST_SINGLE_PERCENT    90u
#define TRUST_WRONG_PER_MILLE   5u
bool trust_figures_hold(const struct trust_figures *figures);
/* Whether the stated conditions cover every failing case, and almost no case outside the
 * trigger. */
bool trust_contains(const struct trust_said *said);
void trust_figure(const struct trust *trust, struct trust_figures *figures);
void trust_print_verdicts(FILE *out, const struct trust *trust);

/* ---- evaluation: count.c --------------------------------------------------------------------- */

/* Whether a case of a counted group kills fault number i; the number of such groups, and the first
 * of them, "-" if there is none. */
bool trust_dead(const struct trust *trust, size_t i);
uint32_t trust_killers(const struct trust *trust, size_t i, const char **first);
/* Counts the tests of counted groups with cases that kill fault number i. */
uint32_t trust_tests(const struct trust *trust, size_t i);
/* Compares the number of tests with TRUST_TESTS: 1 if it is less and the row gives no reason, 2 if
 * it is not less although the row gives one, otherwise 0. Always 0 outside profile core, which rows
 * describe. */
int trust_thin(const struct trust *trust, size_t i);

/* Whether cases that kill fault number i name each clause that its row promises. */
bool trust_named(const struct trust *trust, size_t i);
/* Returns the first clause from `at` on, *length characters, that the row of fault number i
 * promises and no verdict names; NULL if there is none. */
const char *trust_next_unnamed(const struct trust *trust, size_t i, const char *at, size_t *length);
/* Whether fault number i is dead in enough tests, or in any if its row says that they are few, and
 * its clauses are named. */
bool trust_enough(const struct trust *trust, size_t i);

/* Whether a case is mistrusted: it fails on no wrong answer. */
bool trust_mistrusted(const struct trust *trust, size_t number);
/* Whether any second call satisfies the relation of a case: its data leaves the answer open. */
bool trust_unrelated(const struct trust *trust, size_t number);

struct trust_totals {
    uint32_t faults;     /* that must die */
    uint32_t dead;       /* those that are dead */
    uint32_t allowed;    /* correct kernels, which must not fail */
    uint32_t rejected;   /* those that fail */
    uint32_t unnamed;    /* faults whose row promises a clause that no case names */
    uint32_t thin;       /* faults whose row is wrong about how many tests fail */
    uint32_t mistrusted; /* cases */
    uint32_t unrelated;  /* cases that accept any second call */
};
void trust_count(const struct trust *trust, struct trust_totals *totals);

/* ---- printing: report.c ---------------------------------------------------------------------- */

void trust_print_matrix(FILE *out, const struct trust *trust);
/* Prints totals, faults that are alive, mistrusted cases, groups that are not needed. */
void trust_print_summary(FILE *out, const struct trust *trust);
/* Prints a line per fault with the ids of the cases that kill it. */
void trust_print_kills(FILE *out, const struct trust *trust);

/* ---- the reviewed file: ledger.c --------------------------------------------------- */

void trust_print_ledger(FILE *out, const struct trust *trust);

/* Reads a ledger before anything runs. Ends the program with a message if the ledger is malformed,
 * is of another version or profile, or lacks figures although `figures` asks for them. */
void trust_ledger_open(const char *path, struct trust *trust, bool figures);
/* Prints to standard error how the outcomes differ from the ledger. Returns CLI_CONFORMANT;
 * CLI_FAILURES if a dead fault is now alive or a row is wrong; CLI_USAGE if the ledger cannot be
 * read. */
int trust_ledger_check(const char *path, const struct trust *trust);
/* The same for the figures: whether any is worse than in the ledger. */
int trust_ledger_check_figures(const char *path, const struct trust_figures *now);

#endif
