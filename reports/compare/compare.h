/* Compares two runs, case by case: A, the earlier one, and B. Cases are matched by their ids,
 * whatever their profile and order. */
#ifndef TOPK_COMPARE_H
#define TOPK_COMPARE_H

#include "summary/summary.h"

/* What can have become of a case; the first that holds. CHANGE(NAME, worse, one, many): worse says
 * whether B is worse than A with one such case. A failure is a verdict of topk_verdict_failure, to
 * pass is `pass` or `unexpected-pass`. */
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

/* What became of a case; TOPK_CHANGE_COUNT if nothing did. */
enum topk_change topk_change_of(const struct topk_outcome *before,
                                const struct topk_outcome *after);

/* A case that changed. All that it points to is the runs' and the ids'. */
struct topk_change_case {
    enum topk_change change;
    const char *id;
    size_t test_length; /* characters of id that name its test, "ties.boundary"; 0: it names none */
    const struct topk_outcome *before, *after;
};

/* Cases of one test that changed in the same way. */
struct topk_change_group {
    size_t first; /* of the cases */
    size_t count;
    uint64_t shown; /* of them may be shown, the first */
};

/* A probe that came to another value or verdict, or has a record in one run only. */
struct topk_change_probe {
    const struct topk_probe *before, *after; /* of the runs; NULL: no record */
    bool worse;                              /* a finding in B, and in A none */
};

/* A part that is not the same in both, or is in one only. */
struct topk_change_part {
    const struct topk_log_part *before, *after; /* of the runs; NULL: not there */
};

/* How long the cases of a test took that passed in both. Only to look at: times vary. */
struct topk_speed {
    const char *test; /* owned by the comparison's tests; NULL: of all tests */
    uint64_t cases;
    uint64_t before, after; /* nanoseconds in all */
    double median;          /* of the times that a case took as long in B as in A */
};

struct topk_comparison {
    uint64_t both; /* cases with a record in both */
    uint64_t counts[TOPK_CHANGE_COUNT];
    struct topk_change_case *cases; /* owned: by change, group, id */
    size_t case_count;
    struct topk_change_group *groups; /* owned: by change, larger ones first */
    size_t group_count;
    struct topk_change_probe probes[2 * TOPK_PROBES_MAX]; /* in the order of A, then of B */
    struct topk_ids tests;
    struct topk_speed speed;   /* of all; of no cases if none passed in both */
    struct topk_speed *speeds; /* owned: by test, what changed most first */
    size_t speed_count;
    size_t probe_count; /* 0 if one of the runs has no probes: there is nothing to compare */
    struct topk_change_part *parts; /* owned: in the order of A, then of B */
    size_t part_count;              /* 0 if one of the runs does not record its parts */
    bool judge_worse;               /* who judged B is less to be believed than who judged A */
    bool ends_worse; /* more of B's processes did not end well than its gate allows; not so of A */
};

/* Compares two runs that were read with the same ids, and live as long as the comparison. Of each
 * kind of change `most` cases may be shown: each group gets its share, and what it does not need
 * goes to those behind it. False if memory is short. *comparison is to be freed in any case. */
bool topk_compare(struct topk_comparison *comparison, const struct topk_ids *ids,
                  const struct topk_run *a, const struct topk_run *b, uint64_t most);

/* Room for what a case came to, or what was observed, in words, with the terminator. */
#define TOPK_OUTCOME_TEXT 640
/* "kept", "flushed, finding", "no record" of NULL. */
void topk_probe_words(const struct topk_probe *probe, char text[TOPK_OUTCOME_TEXT]);
/* What the cases of a group changed from and to, in words. */
void topk_group_words(const struct topk_comparison *comparison,
                      const struct topk_change_group *group, char before[TOPK_OUTCOME_TEXT],
                      char after[TOPK_OUTCOME_TEXT]);

/* Fills the speeds of a comparison. False if memory is short. compare_speed.c */
bool topk_compare_speed(struct topk_comparison *comparison, const struct topk_ids *ids,
                        const struct topk_run *a, const struct topk_run *b);

/* "WORSE THAN", "NOT WORSE THAN", "THE SAME AS". */
const char *topk_comparison_words(const struct topk_comparison *comparison);
/* Whether B is worse than A. */
bool topk_comparison_worse(const struct topk_comparison *comparison);

void topk_comparison_free(struct topk_comparison *comparison);

/* the rest of what this folder shows others */
#include "compare_report.h"

#endif
