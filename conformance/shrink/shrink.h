/* The shrinker makes a failing case smaller and plainer while it still fails. It uses no backend
 * and no process, only a function that says which of some candidates is the first that fails like
 * the case. The same answers give the same result.
 *
 * It repeats a table of steps (shrink_steps.c, shrink_data.c). Each step proposes candidates that
 * are lighter than the current case; the first that still fails replaces it. When no step finds
 * such a candidate, the case is minimal: shrinking it again, with the same answers, changes
 * nothing.
 *
 * For a sequence it first drops calls. Then it makes each call plainer, the last one first. The
 * other calls stay unchanged, or change in the same way if they are like it.
 *
 * These properties make a case lighter, the most important first: fewer calls; fewer broken
 * clauses; fewer input elements; smaller sizes, K and rank; fewer unusual properties (a relation,
 * an operator other than TOP_K, flags, padding, offsets, strides, ...); smaller numbers in them; a
 * plainer element type; plainer data: none, then up to 64 literal elements, simple recipes, more
 * literal elements, other recipes.
 *
 * A candidate breaks only clauses that the case breaks: a valid case stays valid, an invalid one
 * invalid. All parts of the description that the failure does not need become plain.
 */
#ifndef TOPK_SHRINK_H
#define TOPK_SHRINK_H

#include "case/case.h"

/* Default limit for candidates. */
#define TOPK_SHRINK_RUNS 2000u
/* Greatest number of candidates in one call of fails(). */
#define TOPK_SHRINK_BATCH 32u

struct topk_shrink_options {
    uint64_t max_runs; /* greatest number of candidates; 0: TOPK_SHRINK_RUNS */
    /* Sets *first to the first of `count` candidates that fails like the case, or to `count` if
     * none does. Candidates after it need not be run. Returns false to stop shrinking. */
    bool (*fails)(void *context, const struct topk_case *const candidates[], uint32_t count,
                  uint32_t *first);
    /* Receives each case that replaces the current one, with the step that made it; may be NULL. */
    void (*shrunk)(void *context, const struct topk_case *tc, const char *step, uint64_t runs);
    void *context;
};

enum topk_shrink_end {
    TOPK_SHRINK_MINIMAL,  /* no step finds a lighter case that fails */
    TOPK_SHRINK_BOUND,    /* max_runs was reached */
    TOPK_SHRINK_STOPPED,  /* by fails() */
    TOPK_SHRINK_NO_MEMORY /* the case still fails */
};

struct topk_shrink_report {
    enum topk_shrink_end end;
    uint64_t runs;     /* candidates that were run */
    uint64_t accepted; /* candidates that replaced the case */
};

/* Shrinks *tc, which must fail. The result failed when it was run, and its text parses to the same
 * case. */
void topk_shrink(struct topk_case *tc, const struct topk_shrink_options *options,
                 struct topk_shrink_report *report);

/* the other headers that this folder offers */
#include "distinct.h"
#include "reproducer.h"
#include "runner_shrink.h"

#endif
