/* The computations on each element, compiled for each type of keys and each level of SIMD: one
 * table of functions for each pair. Callers depend neither on the type, except for the size of a
 * key, nor on the level.
 *
 * A key is an unsigned integer as wide as the element. The least key comes first in the output, in
 * both directions. All NaNs have the same key, and so do both zeros.
 *
 * All tables come from one source, kernels_level.h, which kernels_portable.c and others include.
 * Its loops are plain C that compilers vectorize. cmake/cpu.cmake sets the flags of each file;
 * without them a table is empty, and the level is not available.
 */
#ifndef TOPK_CPU_KERNELS_H
#define TOPK_CPU_KERNELS_H

#include "entries.h"
#include "network.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Number of keys in a block. */
#define TOPK_CPU_BLOCK 1024u

/* Bytes of scratch memory for each element of a short row in the lanes of a network. */
#define TOPK_CPU_LANES_BYTES 128u

enum topk_cpu_kind {
    TOPK_CPU_U8,
    TOPK_CPU_U16,
    TOPK_CPU_U32,
    TOPK_CPU_U64,
    TOPK_CPU_F16,
    TOPK_CPU_F32,
    TOPK_CPU_KINDS
};

/* The properties that all sequences of a call share. A step is the distance between elements in
 * bytes. */
struct topk_cpu_task {
    size_t length;
    size_t k;
    size_t input_step;
    size_t value_step;
    size_t index_step;
    uint64_t flip;    /* keys are xored with this */
    uint32_t width;   /* bytes of a key */
    bool index_is_64; /* 64 bits; else 32 */
};

struct topk_cpu_row {
    const unsigned char *input;
    unsigned char *value;
    unsigned char *index;
};

/* Rows at equal distances in bytes. */
struct topk_cpu_run {
    struct topk_cpu_row first;
    size_t input_step;
    size_t value_step;
    size_t index_step;
    size_t count;
};

static inline struct topk_cpu_row topk_cpu_run_row(const struct topk_cpu_run *run, size_t number)
{
    return (struct topk_cpu_row){run->first.input + number * run->input_step,
                                 run->first.value + number * run->value_step,
                                 run->first.index + number * run->index_step};
}

/* Elements of a sequence, in order of their indices. */
struct topk_cpu_elements {
    void *keys;
    uint32_t *indices; /* NULL: 0, 1, 2, ... */
    size_t count;
};

/* How many more elements than K may remain when about K are wanted. */
static inline size_t topk_cpu_few_more(size_t k)
{
    return k / 4 + 4;
}

/* When there are this many candidates, they are reduced to about K. */
static inline size_t topk_cpu_enough(size_t k)
{
    return k + (k > 64 ? k : 64);
}

/* How many candidates there must be room for. */
static inline size_t topk_cpu_candidates_room(size_t k)
{
    return topk_cpu_enough(k) + TOPK_CPU_BLOCK + 1;
}

/* The upper digit of keys: their difference from the least key, without lower bits. */
struct topk_cpu_digit {
    uint64_t least;
    uint32_t shift;
    uint32_t last; /* elements with a greater digit are left out */
};

#define TOPK_CPU_DIGIT_BITS 11u

struct topk_cpu_best {
    uint64_t key;
    size_t index;
};

struct topk_cpu_kernels {
    /* Copies the rows of a run to a dense array. */
    void (*pack)(const struct topk_cpu_task *task, const struct topk_cpu_run *run,
                 unsigned char *packed);

    /* Sorts rows in the lanes of vectors with a network for task->length and task->k. scratch:
     * task->length * TOPK_CPU_LANES_BYTES initialized bytes. */
    void (*lanes)(const struct topk_cpu_task *task, const struct topk_cpu_network *network,
                  const struct topk_cpu_run *run, void *scratch);

    /* Writes the first element in order of each row, for K = 1. */
    void (*firsts)(const struct topk_cpu_task *task, const struct topk_cpu_run *run);
    /* The first in order of the elements from begin to end, of which there is at least one. */
    struct topk_cpu_best (*first)(const struct topk_cpu_task *task, const unsigned char *input,
                                  size_t begin, size_t end);

    /* Collects candidates from the elements begin to end; these include the first K in order. There
     * must be room for topk_cpu_candidates_room(). */
    void (*filter)(const struct topk_cpu_task *task, const unsigned char *input, size_t begin,
                   size_t end, struct topk_cpu_elements *candidates);
    /* Keeps about the first K in order of at least K candidates. */
    void (*reduce)(struct topk_cpu_elements *candidates, size_t k);

    /* Computes the keys of the first `count` elements of a row. */
    void (*keys)(const struct topk_cpu_task *task, const unsigned char *input, size_t count,
                 void *keys);
    /* Computes the least and greatest keys of elements. */
    void (*range)(const struct topk_cpu_task *task, const unsigned char *input, size_t begin,
                  size_t end, uint64_t *least, uint64_t *greatest);
    /* Adds the number of elements with each digit to counts. */
    void (*count)(const struct topk_cpu_task *task, const unsigned char *input, size_t begin,
                  size_t end, const struct topk_cpu_digit *digit, uint32_t *counts);
    /* Size of an element that was distributed to a bucket. */
    size_t dealt_bytes;
    /* Writes each element to the next position of its digit, and advances that. Elements that are
     * left out are written to a position that is not advanced. */
    void (*place)(const struct topk_cpu_task *task, const unsigned char *input, size_t begin,
                  size_t end, const struct topk_cpu_digit *digit, uint32_t *starts, void *dealt);

    /* Sorts elements and writes them to the outputs from position `at` on, up to K. entries and
     * spare have room for one entry per element. */
    void (*finish)(const struct topk_cpu_task *task, const struct topk_cpu_row *row,
                   const struct topk_cpu_elements *elements, size_t at, uint64_t *entries,
                   uint64_t *spare);
    /* The same for elements in buckets, from position `at` on: room->count of them, for which room
     * has keys and indices. */
    void (*finish_dealt)(const struct topk_cpu_task *task, const struct topk_cpu_row *row,
                         const void *dealt, size_t at, const struct topk_cpu_elements *room,
                         uint64_t *entries, uint64_t *spare);
};

/* The kernels as compiled for a kind of processors: tables of TOPK_CPU_KINDS entries; NULL if the
 * build lacks them. */
extern const struct topk_cpu_kernels *const topk_cpu_kernels_portable;
extern const struct topk_cpu_kernels *const topk_cpu_kernels_avx2;
extern const struct topk_cpu_kernels *const topk_cpu_kernels_avx512;

#endif
