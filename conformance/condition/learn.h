/* What failing cases share: the simplest conditions that cover the failures of a run and spare its
 * passes, one for each bug as far as they can be told apart.
 *
 * A condition covers every failure of its bug: each term holds of all of them, and is there because
 * it excludes passes. How many terms are worth their length, and whether failures are of one bug or
 * of several, is decided by description length: the bits of the terms, and those of saying which
 * cases within a condition fail. So a few failures lead to a short condition or to none. */
#ifndef TOPK_LEARN_H
#define TOPK_LEARN_H

#include "condition.h"
#include "reference/diagnosis.h"

enum topk_label {
    TOPK_LABEL_PASS,
    TOPK_LABEL_FAIL,
    TOPK_LABEL_NEITHER /* unsupported, waived: it says nothing */
};

/* A case of a run. */
struct topk_sample {
    struct topk_features features; /* described, topk_features_describe() */
    bool looked;                   /* with what the data shows */
    unsigned char label;           /* enum topk_label */
    bool refusal; /* it does not ask for a result: it is compared with such ones only */
    bool fresh;   /* it is no case of the run, but was made to look at a border */
    /* Of a failure: how it failed. Equal numbers are alike. Two levels: different verdicts, say a
     * crash and a wrong result, speak for two bugs more than different mismatches do. */
    uint32_t verdict, kind;
    /* Failures of different natures are never of one bug: a crash and a wrong result, say. A number
     * below TOPK_NATURES. */
    unsigned char nature;
    topk_reading_set readings; /* each gives every output; 0: none that is known does */
    bool guess;                /* of the readings: too few outputs differ to be sure */
    bool wrong;                /* a sequence of outputs is: what a reading can explain */
    uint32_t call; /* of a sequence: the call that the features are of, topk_features_call() */
    uint32_t site; /* of a crash: where; equal numbers are one place, 0: nothing is known */
};

/* Most natures of failures. */
#define TOPK_NATURES 16u

/* Most bugs that are told apart. */
#define TOPK_BUGS_MAX 16u

struct topk_bug {
    struct topk_condition condition; /* no terms: nothing that they share sets them apart */
    bool refusal;                    /* its cases do not ask for a result */
    /* cases of the run, of the kind that they are compared with, without fresh ones */
    uint64_t inside;  /* for which the condition holds, or may hold: failures of this bug, passes */
    uint64_t failed;  /* of them: the failures of this bug */
    uint64_t outside; /* for which it does not hold: passes */
    uint64_t fresh_inside; /* fresh cases for which it holds */
    uint64_t fresh_failed; /* of them, those that failed */
    uint64_t fresh_beside; /* fresh cases that passed, and for which just one term does not hold */
};

struct topk_bugs {
    struct topk_bug list[TOPK_BUGS_MAX]; /* those of more failures first */
    size_t count;
    unsigned char *of; /* owned; a sample's bug by number + 1, 0: none */
};

/* Whether the readings were tried on a failure: not on a very large case, on one with NaN, or on
 * one whose outputs are right. Only valid after the data of the sample has been looked at. */
bool topk_sample_tried(const struct topk_sample *sample);

/* Adds what the data of a sample shows to its features. */
struct topk_look {
    void (*look)(void *context, size_t number, struct topk_features *features);
    void *context;
};

/* Learns from samples; looks at the data of as many as it takes. False if memory is short. */
bool topk_bugs_learn(struct topk_bugs *bugs, struct topk_sample *samples, size_t count,
                     const struct topk_look *look);

/* Adds a term to the condition of a bug that holds of all its failures and of none of the samples
 * that are marked in against, if there is one that hardly does so by chance; counts again. samples,
 * look: those that it was learned from. False if there is none, or memory is short. */
bool topk_bug_narrow(struct topk_bugs *bugs, size_t number, struct topk_sample *samples,
                     size_t count, const struct topk_look *look, const unsigned char *against);

void topk_bugs_free(struct topk_bugs *bugs);

/* Room for a sentence, with the terminator. */
#define TOPK_BUG_TEXT (TOPK_CONDITION_TEXT + 200)
/* "fails only where rank>=5: 616 of 640 such cases, 0 of 31226 others"; without a condition "fails
 * in cases of all kinds: 20113 of 31866", or, if too few cases fail or pass to find one, "fails in
 * 30 of 30 cases: too few pass to say what the failing ones share; run the whole profile". */
void topk_bug_print(const struct topk_bug *bug, char text[TOPK_BUG_TEXT]);

/* Room for what fresh cases showed, with the terminator. */
#define TOPK_BUG_FRESH 200
/* "fresh cases: 38 of 40 such cases fail, 0 of 40 that differ from them in one respect"; "" if none
 * was run that shows something of this bug. */
void topk_bug_fresh_print(const struct topk_bug *bug, char text[TOPK_BUG_FRESH]);

#endif
