/* Finds what failing cases have in common: the simplest conditions that cover the failures of a run
 * and exclude its passes, one for each bug that can be told apart.
 *
 * A condition covers every failure of its bug. Each of its terms holds for all of them, and
 * excludes passes. Description length decides how many terms a condition has, and whether failures
 * belong to one bug or several: the bits of the terms plus the bits that select the failing cases
 * among those within a condition. A few failures therefore give a short condition or none. */
#ifndef TOPK_LEARN_H
#define TOPK_LEARN_H

#include "condition.h"
#include "reference/diagnosis.h"

enum topk_label {
    TOPK_LABEL_PASS,
    TOPK_LABEL_FAIL,
    TOPK_LABEL_NEITHER /* unsupported or waived: neither a pass nor a failure */
};

/* A case of a run. */
struct topk_sample {
    struct topk_features features; /* from topk_features_describe() */
    bool looked;                   /* features include those of the data */
    unsigned char label;           /* enum topk_label */
    bool refusal; /* it does not ask for a result; it is only compared with other such cases */
    bool fresh;   /* it was not in the run but was made to examine a border */
    /* How a failure failed; failures with equal numbers are alike. A difference in verdict, say a
     * crash and a wrong result, suggests two bugs more strongly than a difference in kind of
     * mismatch. */
    uint32_t verdict, kind;
    /* Failures of different natures never belong to one bug, for example a crash and a wrong
     * result. Less than TOPK_NATURES. */
    unsigned char nature;
    topk_reading_set readings; /* each explains every output; 0: no known one does */
    bool guess;                /* too few outputs differ to be certain about the readings */
    bool wrong;    /* a whole sequence of outputs is wrong, which a reading can explain */
    uint32_t call; /* for a sequence: the call whose features these are, see topk_features_call() */
    uint32_t site; /* for a crash: its place; equal numbers are the same place, 0: unknown */
};

/* Greatest number of natures. */
#define TOPK_NATURES 16u

/* Greatest number of bugs that are told apart. */
#define TOPK_BUGS_MAX 16u

struct topk_bug {
    struct topk_condition condition; /* no terms: failures share nothing that passes lack */
    bool refusal;                    /* its cases do not ask for a result */
    /* counts of cases of the run of the same kind, without fresh ones */
    uint64_t inside;       /* failures of this bug, and passes, where it holds or may hold */
    uint64_t failed;       /* those that are failures of this bug */
    uint64_t outside;      /* passes for which it does not hold */
    uint64_t fresh_inside; /* fresh cases for which it holds */
    uint64_t fresh_failed; /* those that failed */
    uint64_t fresh_beside; /* passing fresh cases where exactly one term does not hold */
};

struct topk_bugs {
    struct topk_bug list[TOPK_BUGS_MAX]; /* those with more failures first */
    size_t count;
    unsigned char *of; /* owned; index + 1 of each sample's bug, 0: none */
};

/* Returns whether readings were tried on a failure. They are not tried on a very large case, on one
 * with NaN, or if the outputs are right. Only valid after the data of the sample was examined. */
bool topk_sample_tried(const struct topk_sample *sample);

/* Callback that adds the features of the data of a sample. */
struct topk_look {
    void (*look)(void *context, size_t number, struct topk_features *features);
    void *context;
};

/* Learns from samples. Examines the data of as many as necessary. Returns false if memory is
 * short. */
bool topk_bugs_learn(struct topk_bugs *bugs, struct topk_sample *samples, size_t count,
                     const struct topk_look *look);

/* Adds a term to the condition of a bug that holds for all its failures and for none of the samples
 * marked in `against`, if a term exists for which this is unlikely to be chance. Then counts the
 * cases again. `samples` and `look` are those that the bug was learned from. Returns false if there
 * is no such term, or memory is short. */
bool topk_bug_narrow(struct topk_bugs *bugs, size_t number, struct topk_sample *samples,
                     size_t count, const struct topk_look *look, const unsigned char *against);

void topk_bugs_free(struct topk_bugs *bugs);

/* Room for a sentence, with the terminator. */
#define TOPK_BUG_TEXT (TOPK_CONDITION_TEXT + 200)
/* Writes a sentence: "fails only where rank>=5: 616 of 640 such cases, 0 of 31226 others". Without
 * a condition it is "fails in cases of all kinds: 20113 of 31866" or, if too few cases fail or pass
 * to find one, "fails in 30 of 30 cases: too few pass to say what the failing ones share; run the
 * whole profile". */
void topk_bug_print(const struct topk_bug *bug, char text[TOPK_BUG_TEXT]);

/* Room for what fresh cases showed, with the terminator. */
#define TOPK_BUG_FRESH 200
/* Writes what fresh cases showed: "fresh cases: 38 of 40 such cases fail, 0 of 40 that differ from
 * them in one respect"; "" if none of them tells anything about this bug. */
void topk_bug_fresh_print(const struct topk_bug *bug, char text[TOPK_BUG_FRESH]);

#endif
