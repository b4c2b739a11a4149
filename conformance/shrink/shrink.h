/* The shrinker: makes a case that fails smaller and plainer for as long as it still fails. It is
 * pure: it knows no backend and no process, only a function that says which of a few candidates
 * fails like the case. The same answers give the same result.
 *
 * It goes through a table of steps (shrink_steps.c, shrink_data.c) again and again. Each proposes
 * candidates that are lighter than the current case; the first that still fails takes its place.
 * When no step has a candidate that fails, the case is minimal: shrinking it again, with the same
 * answers, changes nothing.
 *
 * Of a sequence it drops calls first; then each call is made plainer, the last one first, while the
 * others stay as they are, or change with it where they are like it.
 *
 * What is lighter, the most important first: fewer calls; fewer broken clauses; fewer input
 * elements; smaller sizes, K and rank; fewer things out of the ordinary (a relation, an operator
 * other than TOP_K, flags, padding, offsets, strides, ...); smaller numbers in them; a plainer
 * element type; plainer data: none, then up to 64 literal elements, simple recipes, more literal
 * elements, other recipes.
 *
 * A candidate breaks no clause that the case does not break: what is valid stays valid, what is
 * invalid stays invalid, and all of its description becomes plain that the failure does not need.
 */
#ifndef TOPK_SHRINK_H
#define TOPK_SHRINK_H

#include "case/case.h"

/* Candidates that are run if nothing else is asked for. */
#define TOPK_SHRINK_RUNS 2000u
/* Most candidates of one call of fails(). */
#define TOPK_SHRINK_BATCH 32u

struct topk_shrink_options {
    uint64_t max_runs; /* most candidates that are tried; 0: TOPK_SHRINK_RUNS */
    /* Says which of `count` candidates is the first that fails like the case: sets *first to its
     * number, to count if none does. Those after it need not be run. False: stop shrinking. */
    bool (*fails)(void *context, const struct topk_case *const candidates[], uint32_t count,
                  uint32_t *first);
    /* Told of each case that takes the place of the current one, and of the step that made it; may
     * be NULL. */
    void (*shrunk)(void *context, const struct topk_case *tc, const char *step, uint64_t runs);
    void *context;
};

enum topk_shrink_end {
    TOPK_SHRINK_MINIMAL,  /* no step has a lighter case that fails */
    TOPK_SHRINK_BOUND,    /* max_runs is reached */
    TOPK_SHRINK_STOPPED,  /* by fails() */
    TOPK_SHRINK_NO_MEMORY /* the case is still one that fails */
};

struct topk_shrink_report {
    enum topk_shrink_end end;
    uint64_t runs;     /* candidates that were tried */
    uint64_t accepted; /* of them took the place of the case */
};

/* Shrinks *tc, which fails; it stays a case that fails, or did when it was tried. Its text parses
 * to itself. */
void topk_shrink(struct topk_case *tc, const struct topk_shrink_options *options,
                 struct topk_shrink_report *report);

/* the rest of what this folder shows others */
#include "distinct.h"
#include "reproducer.h"
#include "runner_shrink.h"

#endif
