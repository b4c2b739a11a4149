/* Distinct failures: a thousand failures of one cause are one entry with a count. Failures are
 * alike if they have the same verdict and clause, and one cause explains them (readings.def); or,
 * crashed at the same place; or, if neither is known, have the same element type, ties and kind of
 * mismatch. Those that turn out to
 * have one cause, or to shrink to the same case, when they are shrunk, are put together, too. */
#ifndef TOPK_DISTINCT_H
#define TOPK_DISTINCT_H

#include "case/case.h"
#include "reference/result.h"

#define TOPK_DISTINCT_OF 64

/* Failures that are alike. */
struct topk_distinct_failure {
    uint32_t type;   /* of the elements */
    unsigned ties;   /* TOPK_CLASS_TIES_...; TOPK_CLASS_COUNT if not known, or the cause is */
    uint64_t count;  /* how many */
    uint64_t first;  /* the lowest number of one */
    uint64_t number; /* of the example, the smallest by input elements, then by number */
    uint64_t elements;
    char *id; /* owned; of the example */
    size_t id_length;
    struct topk_result result; /* of the example; of the shrunk case once there is one */
    char *shrunk;              /* owned; the text of what the example shrinks to; NULL: not yet */
    /* numbers of examples that shrank to it, the first TOPK_DISTINCT_OF of them */
    uint64_t of[TOPK_DISTINCT_OF];
    size_t of_count;
    bool minimal;   /* no step of the shrinker makes that any smaller */
    uint32_t tries; /* that its shrunk case took at most: more than 1, it fails now and then */
};

/* Zero is empty. */
struct topk_distinct {
    struct topk_distinct_failure *list;
    size_t count;
    size_t room;
    uint64_t failures; /* in all */
    uint64_t left_out; /* of them: of kinds beyond TOPK_DISTINCT_KINDS, and only counted */
};

/* Most entries: a backend that crashes at an address of its own each time makes no end of them. */
#define TOPK_DISTINCT_KINDS 1024u

/* Adds a failure. number: of the case, which orders the list; id: "group.test:TEXT" or TEXT. False
 * if memory is short. */
bool topk_distinct_add(struct topk_distinct *distinct, uint64_t number, const char *id,
                       size_t id_length, const struct topk_case *tc,
                       const struct topk_result *result);

/* Orders the list by the first failure of each entry: it is then the same in whatever order they
 * were added. */
void topk_distinct_sort(struct topk_distinct *distinct);

/* Sets what the example of an entry shrinks to, with its result. If an entry has the same shrunk
 * case, or cause, and clause, this one is counted there and removed; returns whether that is so.
 * False, too, if memory is short: it is then left as it was. */
bool topk_distinct_shrunk(struct topk_distinct *distinct, size_t entry, const struct topk_case *tc,
                          const struct topk_result *result, bool minimal);

void topk_distinct_free(struct topk_distinct *distinct);

#endif
