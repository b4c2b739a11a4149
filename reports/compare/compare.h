/* Compares two runs case by case: A, the earlier one, and B. Cases are matched by their ids,
 * whatever their profile and order. */
#ifndef TOPK_COMPARE_H
#define TOPK_COMPARE_H

#include "summary/summary.h"

/* The kinds of changes of a case; the first that applies counts. CHANGE(NAME, worse, one, many):
 * worse says whether one such case makes B worse than A. A failure is a verdict of
 * topk_verdict_failure; a pass is `pass` or `unexpected-pass`. */
#define TOPK_CHANGE_LIST(CHANGE)                                                                   \
    /* fails in B, and in A did not, or has no record there */                                     \
    CHANGE(FAILURE, true, "new failure", "new failures")                                           \
    /* has no record in B */                                                                       \
    CHANGE(MISSING, true, "missing case", "missing cases")                                         \
    /* passed in A, is unsupported in B: it is no longer tested */                                 \
    CHANGE(DROPPED, true, "case no longer supported", "cases no longer supported")                 \
    /* failed in A and passes in B */                                                              \
    CHANGE(FIX, false, "fix", "fixes")                                                             \
    /* has another verdict */                                                                      \
    CHANGE(VERDICT, false, "other change of verdict", "other changes of verdict")                  \
    /* fails as before and breaks other clauses */                                                 \
    CHANGE(CLAUSES, false, "failure of other clauses", "failures of other clauses")                \
    /* the same, and something else was observed */                                                \
    CHANGE(OBSERVATIONS, false, "change of observations", "changes of observations")               \
    /* has no record in A, and does not fail */                                                    \
    CHANGE(ADDED, false, "added case", "added cases")

enum topk_change {
#define CHANGE(name, worse, one, many) TOPK_CHANGE_##name,
    TOPK_CHANGE_LIST(CHANGE)
#undef CHANGE
    TOPK_CHANGE_COUNT /* nothing changed */
};

/* "new failure" or "new failures" */
const char *topk_change_name(enum topk_change change, uint64_t count);
bool topk_change_worse(enum topk_change change);

/* The kind of change of a case; TOPK_CHANGE_COUNT if nothing changed. */
enum topk_change topk_change_of(const struct topk_outcome *before,
                                const struct topk_outcome *after);

/* A case that changed. Its pointers belong to the runs and the ids. */
struct topk_change_case {
    enum topk_change change;
    const char *id;
    size_t test_length; /* length of the test's name in id, "ties.boundary"; 0: no test */
    const struct topk_outcome *before, *after;
};

/* Cases of one test that changed in the same way. */
struct topk_change_group {
    size_t first; /* index of the first case */
    size_t count;
    uint64_t shown; /* how many of them may be shown, from the first */
};

/* A probe with another value or verdict, or with a record in only one run. */
struct topk_change_probe {
    const struct topk_probe *before, *after; /* owned by the runs; NULL: no record */
    bool worse;                              /* a finding in B, and not in A */
};

/* A part that differs, or is in only one run. */
struct topk_change_part {
    const struct topk_log_part *before, *after; /* owned by the runs; NULL: missing */
};

/* The time of a test's cases that passed in both runs. For information only, because times vary. */
struct topk_speed {
    const char *test; /* owned by the comparison's tests; NULL: all tests */
    uint64_t cases;
    uint64_t before, after; /* total nanoseconds */
    double median;          /* median of the ratios of each case's time, B to A */
};

struct topk_comparison {
    uint64_t both; /* number of cases with a record in both */
    uint64_t counts[TOPK_CHANGE_COUNT];
    struct topk_change_case *cases; /* owned; sorted by change, group, id */
    size_t case_count;
    struct topk_change_group *groups; /* owned; sorted by change, larger ones first */
    size_t group_count;
    struct topk_change_probe probes[2 * TOPK_PROBES_MAX]; /* in the order of A, then of B */
    struct topk_ids tests;
    struct topk_speed speed;   /* of all tests; without cases if none passed in both */
    struct topk_speed *speeds; /* owned; one per test, greatest change first */
    size_t speed_count;
    size_t probe_count;             /* 0 if one of the runs has no probes */
    struct topk_change_part *parts; /* owned; in the order of A, then of B */
    size_t part_count;              /* 0 if one of the runs does not record its parts */
    bool judge_worse;               /* the judge of B is less trustworthy than that of A */
    bool ends_worse; /* more of B's processes ended badly than its gate allows; not so for A */
};

/* Compares two runs that were read with the same ids, and must outlive the comparison. For each
 * kind of change, at most `most` cases are shown: each group gets its share, and groups that need
 * less leave the rest to later ones. Returns false if memory is short. Free *comparison in any
 * case. */
bool topk_compare(struct topk_comparison *comparison, const struct topk_ids *ids,
                  const struct topk_run *a, const struct topk_run *b, uint64_t most);

/* Size of a description of an outcome or an observation, with the terminator. */
#define TOPK_OUTCOME_TEXT 640
/* "kept", "flushed, finding"; "no record" for NULL. */
void topk_probe_words(const struct topk_probe *probe, char text[TOPK_OUTCOME_TEXT]);
/* Describes what the cases of a group changed from and to. */
void topk_group_words(const struct topk_comparison *comparison,
                      const struct topk_change_group *group, char before[TOPK_OUTCOME_TEXT],
                      char after[TOPK_OUTCOME_TEXT]);

/* Computes the speeds of a comparison. Returns false if memory is short. In compare_speed.c. */
bool topk_compare_speed(struct topk_comparison *comparison, const struct topk_ids *ids,
                        const struct topk_run *a, const struct topk_run *b);

/* "WORSE THAN", "NOT WORSE THAN", "THE SAME AS". */
const char *topk_comparison_words(const struct topk_comparison *comparison);
/* Whether B is worse than A. */
bool topk_comparison_worse(const struct topk_comparison *comparison);

void topk_comparison_free(struct topk_comparison *comparison);

/* the other headers that this folder offers */
#include "compare_report.h"

#endif
