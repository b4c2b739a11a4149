/* The sequences of a call, numbered in order of their coordinates. */
#ifndef TOPK_CPU_ROWS_H
#define TOPK_CPU_ROWS_H

#include "cpu.h"
#include "kernels.h"

struct topk_cpu_rows {
    size_t count;
    uint32_t rank; /* after adjacent dimensions were merged */
    size_t sizes[TOPK_CPU_MAX_RANK];
    size_t strides[TOPK_CPU_MAX_RANK][TOPK_CPU_TENSORS]; /* bytes */
};

struct topk_cpu_rows topk_cpu_rows_of(const struct topk_cpu_plan *plan);

/* The rows from `begin` to at most `end` that are at equal distances. origin: row 0. */
struct topk_cpu_run topk_cpu_rows_run(const struct topk_cpu_rows *rows,
                                      const struct topk_cpu_row *origin, size_t begin, size_t end);

#endif
