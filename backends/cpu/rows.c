/* The sequences of a call. */
#include "rows.h"

#include <stdbool.h>

/* Whether a dimension continues where the next one ends, in each tensor, so that they can be
 * merged. */
static bool follows(const struct topk_cpu_plan *plan, uint32_t dimension, const size_t *strides,
                    size_t size)
{
    for (int i = 0; i < TOPK_CPU_TENSORS; i++) {
        if (plan->tensors[i].strides[dimension] != (uint64_t)strides[i] * size) {
            return false;
        }
    }
    return true;
}

/* Starts with the last dimension. */
struct topk_cpu_rows topk_cpu_rows_of(const struct topk_cpu_plan *plan)
{
    struct topk_cpu_rows rows = {.count = 1};
    for (uint32_t i = plan->rank; i-- > 0;) {
        const size_t size = plan->tensors[TOPK_CPU_INPUT].sizes[i];
        if (i == plan->axis || size == 1) {
            continue;
        }
        rows.count *= size;
        if (rows.rank > 0 &&
            follows(plan, i, rows.strides[rows.rank - 1], rows.sizes[rows.rank - 1])) {
            rows.sizes[rows.rank - 1] *= size;
            continue;
        }
        for (int t = 0; t < TOPK_CPU_TENSORS; t++) {
            rows.strides[rows.rank][t] = (size_t)plan->tensors[t].strides[i];
        }
        rows.sizes[rows.rank++] = size;
    }
    return rows;
}

struct topk_cpu_run topk_cpu_rows_run(const struct topk_cpu_rows *rows,
                                      const struct topk_cpu_row *origin, size_t begin, size_t end)
{
    struct topk_cpu_run run = {.first = *origin, .count = 1};
    size_t number = begin;
    for (uint32_t i = 0; i < rows->rank; i++) {
        const size_t at = number % rows->sizes[i];
        const size_t *strides = rows->strides[i];
        number /= rows->sizes[i];
        run.first.input += at * strides[TOPK_CPU_INPUT];
        run.first.value += at * strides[TOPK_CPU_VALUE];
        run.first.index += at * strides[TOPK_CPU_INDEX];
        if (i == 0) {
            run.input_step = strides[TOPK_CPU_INPUT];
            run.value_step = strides[TOPK_CPU_VALUE];
            run.index_step = strides[TOPK_CPU_INDEX];
            run.count = rows->sizes[0] - at < end - begin ? rows->sizes[0] - at : end - begin;
        }
    }
    return run;
}
