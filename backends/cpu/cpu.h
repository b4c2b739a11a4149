/* The backend cpu, for code that is built on it: the kernels of d3d12 and vulkan use its
 * validation, variant=all compares with its results, and `faulty` uses its checks of descriptions.
 *
 * The validation (cpu_validate.c) implements the V and T clauses. Like cpu.c, it shares no code
 * with the suite's own, and was written from the clauses alone; if the two disagree, one of them is
 * wrong.
 *
 * What these clauses leave to an implementation is decided as follows:
 *   V03  K == Sizes[Axis] is accepted: a full stable sort.
 *   V12  TOP_K1 refuses an AxisDirection outside {0, 1}; TOP_K ignores it.
 *   T10b Every power of two from the element size up is a valid alignment.
 *   T13  Elements of an input may overlap in any way.
 *   T14  Elements of an output must not overlap, which is checked exactly.
 */
#ifndef TOPK_CPU_H
#define TOPK_CPU_H

#include "topk_backend.h"

#include <stdbool.h>

/* Its options are in options.h. */
extern const struct topk_backend topk_backend_cpu;

#define TOPK_CPU_MAX_RANK 8u

enum topk_cpu_tensor {
    TOPK_CPU_INPUT,
    TOPK_CPU_VALUE,
    TOPK_CPU_INDEX,
    TOPK_CPU_TENSORS
};

/* A tensor with a valid description. */
struct topk_cpu_view {
    const uint32_t *sizes;               /* owned by the call */
    uint64_t strides[TOPK_CPU_MAX_RANK]; /* bytes */
    uint64_t least_bytes;                /* clause T07 */
    uint32_t width;                      /* bytes of an element: 1, 2, 4 or 8 */
};

/* A call with valid parameters. */
struct topk_cpu_plan {
    struct topk_cpu_view tensors[TOPK_CPU_TENSORS];
    bool is_float; /* the elements are floats */
    uint64_t flip; /* keys are xored with this to compare in the order of the output */
    uint32_t rank;
    uint32_t axis;
    uint32_t length; /* of a sequence in elements */
    uint32_t k;
};

/* Validates a call and fills a plan. Returns false if a clause forbids the call, or if it has
 * unknown execution flags (clause M09): the answer is TOPK_BACKEND_REFUSED with the clause. A valid
 * call whose buffers are too small for their tensors (M08; a call with create_only has none) is
 * answered TOPK_BACKEND_FAILED. The plan points into the call, and is valid only after true. */
bool topk_cpu_validate(const struct topk_backend_call *call, struct topk_cpu_plan *plan,
                       struct topk_backend_answer *answer);

#endif
