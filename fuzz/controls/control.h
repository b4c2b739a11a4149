/* A control is a plugin that is right: a kernel in the style of some implementation, and what
 * surrounds it here. scripts/controls makes mutants of these files and sees whether the suite
 * notices them. The suite's authors wrote no case for them. Each file has its own way of doing
 * things, so they share as little as possible, and nothing with the reference or the backends of
 * the project. */
#ifndef TOPK_FUZZ_CONTROL_H
#define TOPK_FUZZ_CONTROL_H

#include "topk_backend.h"

#include <stdbool.h>

struct control {
    const char *name;
    uint32_t batch; /* calls that may be recorded before they are submitted */
    /* Computes a valid call, or keeps it for submit(). false: there is no memory. */
    bool (*record)(const struct topk_backend_call *call);
    void (*submit)(void); /* NULL if record() computes */
};

/* Of the kernel; rows.c has that of all kernels which define control_select(). */
extern const struct control control;

/* checks.c or rules.c: the clause that a description breaks, or NULL. */
const char *control_refusal(const struct topk_backend_call *call);

/* Writes to order the indices of the k least of n keys, in their order; of equal keys, that of the
 * lowest index is the least. Keys have only their lowest `bits` bits set. false: there is no
 * memory. */
bool control_select(const uint64_t *keys, uint32_t n, uint32_t k, uint32_t bits, uint32_t *order);

#endif
