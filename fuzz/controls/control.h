/* A control is a correct plugin: a kernel in the style of some implementation, and the code around
 * it. scripts/controls makes mutants of these files and checks whether the suite detects them. The
 * suite's authors wrote no case for them. Each file works in its own way, so they share as little
 * code as possible, and none with the reference or the project's backends. */
#ifndef TOPK_FUZZ_CONTROL_H
#define TOPK_FUZZ_CONTROL_H

#include "topk_backend.h"

#include <stdbool.h>

struct control {
    const char *name;
    uint32_t batch; /* greatest number of calls that are recorded before a submission */
    /* Computes a valid call, or stores it for submit(). false: memory is short. */
    bool (*record)(const struct topk_backend_call *call);
    void (*submit)(void); /* NULL if record() computes */
};

/* Defined by the kernel; rows.c defines it for all kernels that define control_select(). */
extern const struct control control;

/* In checks.c or rules.c: the clause that a description breaks, or NULL. */
const char *control_refusal(const struct topk_backend_call *call);

/* Writes the indices of the k least of n keys to order, ascending; of equal keys, the lowest index
 * comes first. Only the lowest `bits` bits of keys are set. false: memory is short. */
bool control_select(const uint64_t *keys, uint32_t n, uint32_t k, uint32_t bits, uint32_t *order);

#endif
