/* The backend cpu, for what is built on it: the kernels of d3d12 and vulkan take its word for which
 * calls are valid, variant=all compares with what it computes, `faulty` leaves descriptions to it.
 *
 * Validation (cpu_validate.c) is of the clauses V and T. Like cpu.c it shares no line with that of
 * the suite, and was written from the clause table alone; where the two disagree one of them is
 * wrong.
 *
 * What these clauses leave to an implementation is decided as follows.
 *   V03  K == Sizes[Axis] is accepted: a full stable sort.
 *   V12  AxisDirection outside {0, 1} is refused by TOP_K1, and of no meaning to TOP_K.
 *   T10b Every power of two from the element size up is a legal alignment.
 *   T13  Elements of an input may overlap in any way.
 *   T14  Elements of an output may not; whether they do is decided exactly.
 */
#ifndef TOPK_CPU_H
#define TOPK_CPU_H

#include "topk_backend.h"

#include <stdbool.h>

/* For its options see options.h. */
extern const struct topk_backend topk_backend_cpu;

#define TOPK_CPU_MAX_RANK 8u

enum topk_cpu_tensor {
    TOPK_CPU_INPUT,
    TOPK_CPU_VALUE,
    TOPK_CPU_INDEX,
    TOPK_CPU_TENSORS
};

/* A tensor whose description is known to be valid. */
struct topk_cpu_view {
    const uint32_t *sizes;               /* the call's */
    uint64_t strides[TOPK_CPU_MAX_RANK]; /* bytes */
    uint64_t least_bytes;                /* clause T07 */
    uint32_t width;                      /* bytes of an element: 1, 2, 4 or 8 */
};

/* A call whose parameters are known to be valid. */
struct topk_cpu_plan {
    struct topk_cpu_view tensors[TOPK_CPU_TENSORS];
    bool is_float; /* what is compared */
    uint64_t flip; /* what keys are xored with to compare as the output is ordered */
    uint32_t rank;
    uint32_t axis;
    uint32_t length; /* of a sequence */
    uint32_t k;
};

/* Turns a call into a plan. False if a clause does not allow it: the answer then says which, with
 * TOPK_BACKEND_REFUSED. That is also so for unknown execution flags (clause M09). A valid call
 * whose buffers do not hold their tensors (M08; a call that is create_only has none) fails, with
 * TOPK_BACKEND_FAILED. The plan points into the call; it is of no use after false. */
bool topk_cpu_validate(const struct topk_backend_call *call, struct topk_cpu_plan *plan,
                       struct topk_backend_answer *answer);

#endif
