/* Distinct failures: a thousand failures with one cause become one entry with a count. Two failures
 * are alike if they have the same verdict and clause, and one cause explains both (readings.def).
 * Crashes are alike if they are at the same place. If neither is known, failures are alike if they
 * have the same element type, ties and kind of mismatch. Entries are merged later if shrinking
 * shows the same cause or the same shrunk case. */
#ifndef TOPK_DISTINCT_H
#define TOPK_DISTINCT_H

#include "case/case.h"
#include "reference/result.h"

#define TOPK_DISTINCT_OF 64

/* One kind of failure. */
struct topk_distinct_failure {
    uint32_t type; /* of the elements */
    /* TOPK_CLASS_TIES_...; TOPK_CLASS_COUNT if unknown, or if the cause is known */
    unsigned ties;
    uint64_t count; /* how many */
    uint64_t first; /* least number of its cases */
    /* number of the example: the case with the fewest input elements in all calls; if equal, the
     * least number */
    uint64_t number;
    uint64_t elements;
    char *id; /* owned; id of the example */
    size_t id_length;
    struct topk_result result; /* result of the example, or of the shrunk case if there is one */
    char *shrunk;              /* owned; text of the shrunk example; NULL: not shrunk yet */
    /* numbers of the examples that shrank to it, the first TOPK_DISTINCT_OF of them */
    uint64_t of[TOPK_DISTINCT_OF];
    size_t of_count;
    bool minimal; /* the shrinker cannot make the shrunk case smaller */
    /* greatest number of runs that the shrunk case needed to fail; above 1, it is flaky */
    uint32_t tries;
};

/* All zero is empty. */
struct topk_distinct {
    struct topk_distinct_failure *list;
    size_t count;
    size_t room;
    uint64_t failures; /* in all */
    uint64_t left_out; /* failures of kinds beyond TOPK_DISTINCT_KINDS, which are only counted */
};

/* Greatest number of entries: a backend that crashes at a new address each time makes any
 * number. */
#define TOPK_DISTINCT_KINDS 1024u

/* Adds a failure. number: of the case, decides the order of the list; id: "group.test:TEXT" or
 * TEXT. Returns false if memory is short. */
bool topk_distinct_add(struct topk_distinct *distinct, uint64_t number, const char *id,
                       size_t id_length, const struct topk_case *tc,
                       const struct topk_result *result);

/* Sorts the list by the first failure of each entry, so that it does not depend on the order in
 * which failures were added. */
void topk_distinct_sort(struct topk_distinct *distinct);

/* Sets the shrunk case of an entry's example, with its result. If another entry has the same shrunk
 * case, or the same cause, and the same clause, merges this entry into it, and returns true.
 * Otherwise returns false; also if memory is short, and then nothing has changed. */
bool topk_distinct_shrunk(struct topk_distinct *distinct, size_t entry, const struct topk_case *tc,
                          const struct topk_result *result, bool minimal);

void topk_distinct_free(struct topk_distinct *distinct);

#endif
