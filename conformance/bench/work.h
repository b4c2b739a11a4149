/* The timed work on calls of one shape: the judge, a backend, and the limits of both. */
#ifndef TOPK_BENCH_WORK_H
#define TOPK_BENCH_WORK_H

#include "bench.h"
#include "buffers.h"
#include "process/loader.h"
#include "reference/judge.h"
#include "topk_backend.h"

/* A kind of call: the operator, and where its tensors are in a slice of each pool. */
struct shape {
    struct topk_operator op;
    uint32_t width; /* bytes of an element */
    uint64_t elements;
    uint64_t input_bytes;
    uint64_t value_bytes;
    uint64_t index_at;     /* offset in a slice of outputs, after the values */
    uint64_t output_bytes; /* of a slice */
};

void topk_shape_make(struct shape *shape, const struct topk_bench_row *row);

/* The memory of calls: pools of inputs and of outputs. */
struct memory {
    struct pool inputs;
    struct pool outputs;
};

/* A party that works on a shape. The functions below are calls of struct entrant; self is a struct
 * work. */
struct work {
    const struct shape *shape;
    const struct memory *memory;
    struct topk_loaded *loaded; /* the backend; unused by limits and the judge */
    struct topk_backend_tensor tensors[TOPK_ROLE_COUNT];
    struct topk_backend_call call; /* the last one */
    struct topk_backend_answer answer;
};

/* Reads inputs and outputs once, as the judge must. */
bool topk_work_read(void *self, uint64_t number);
/* Reads inputs and writes outputs once, as a backend must. */
bool topk_work_read_write(void *self, uint64_t number);
/* Judges outputs. False if the judge finds them wrong, or memory is short. */
bool topk_work_judge(void *self, uint64_t number);
/* Runs the backend. False if it does not compute, with its answer in the work. */
bool topk_work_run(void *self, uint64_t number);

/* Repeats the last call of the backend on its device; false if it cannot. */
bool topk_work_repeat(void *self, uint64_t number);

/* Runs the backend on the first slice and judges the result by its contract. False, with the reason
 * in why, if it does not compute or its result is wrong; *wrong: the result is wrong. */
bool topk_work_prove(struct work *work, bool *wrong, char *why, size_t why_bytes);

#endif
