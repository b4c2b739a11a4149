/* What is computed per element, compiled for each type of keys and for each level of SIMD: a table
 * of functions for each pair. Callers know neither types nor levels, but for the bytes of a key.
 *
 * A key is an unsigned integer as wide as the element. The least key is the first of the output, in
 * either direction. All NaNs have one key, and so have both zeros.
 *
 * The sources are one text, kernels_level.h, which kernels_portable.c and its like include. Its
 * loops are plain C that compilers turn into SIMD code. cmake/folders.cmake sets the flags of each
 * file; without them a table is empty, and the level is not offered.
 */
#ifndef TOPK_CPU_KERNELS_H
#define TOPK_CPU_KERNELS_H

#include "entries.h"
#include "network.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Keys are looked at in blocks of so many. */
#define TOPK_CPU_BLOCK 1024u

/* Bytes of scratch that an element of a short row takes in the lanes of a network. */
#define TOPK_CPU_LANES_BYTES 256u

enum topk_cpu_kind {
    TOPK_CPU_U8,
    TOPK_CPU_U16,
    TOPK_CPU_U32,
    TOPK_CPU_U64,
    TOPK_CPU_F16,
    TOPK_CPU_F32,
    TOPK_CPU_KINDS
};

/* What all sequences of a call have in common. Steps are bytes from an element to the next. */
struct topk_cpu_task {
    size_t length;
    size_t k;
    size_t input_step;
    size_t value_step;
    size_t index_step;
    uint64_t flip;    /* what keys are xored with */
    uint32_t width;   /* bytes of a key */
    bool index_is_64; /* bits; else 32 */
};

struct topk_cpu_row {
    const unsigned char *input;
    unsigned char *value;
    unsigned char *index;
};

/* Rows at equal distances, in bytes. */
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

/* Elements of a sequence, by ascending index. */
struct topk_cpu_elements {
    void *keys;
    uint32_t *indices; /* NULL: the first has index 0, and so on */
    size_t count;
};

/* How many elements more than the K first may be left where about as many are wanted. */
static inline size_t topk_cpu_few_more(size_t k)
{
    return k / 4 + 4;
}

/* As soon as there are so many candidates, they are reduced to about k. */
static inline size_t topk_cpu_enough(size_t k)
{
    return k + (k > 64 ? k : 64);
}

/* How many candidates there has to be room for. */
static inline size_t topk_cpu_candidates_room(size_t k)
{
    return topk_cpu_enough(k) + TOPK_CPU_BLOCK + 1;
}

/* The upper digit of keys: what they exceed the least by, without lower bits. */
struct topk_cpu_digit {
    uint64_t least;
    uint32_t shift;
    uint32_t last; /* elements with a digit beyond this are left out */
};

#define TOPK_CPU_DIGIT_BITS 11u

struct topk_cpu_best {
    uint64_t key;
    size_t index;
};

struct topk_cpu_kernels {
    /* Copies the rows of a run to where they lie densely. */
    void (*pack)(const struct topk_cpu_task *task, const struct topk_cpu_run *run,
                 unsigned char *packed);

    /* Sorts rows in the lanes of vectors by a network for task->length and task->k. scratch has
     * task->length * TOPK_CPU_LANES_BYTES initialised bytes. */
    void (*lanes)(const struct topk_cpu_task *task, const struct topk_cpu_network *network,
                  const struct topk_cpu_run *run, void *scratch);

    /* Writes the first element of each row: K = 1. */
    void (*firsts)(const struct topk_cpu_task *task, const struct topk_cpu_run *run);
    /* The first of the elements from begin to end, of which there is one at least. */
    struct topk_cpu_best (*first)(const struct topk_cpu_task *task, const unsigned char *input,
                                  size_t begin, size_t end);

    /* Finds, of the elements from begin to end, candidates that have the K first among them. There
     * has to be room for topk_cpu_candidates_room(). */
    void (*filter)(const struct topk_cpu_task *task, const unsigned char *input, size_t begin,
                   size_t end, struct topk_cpu_elements *candidates);
    /* Leaves about the K first of candidates, of which there are K at least. */
    void (*reduce)(struct topk_cpu_elements *candidates, size_t k);

    /* The keys of the first elements of a row. */
    void (*keys)(const struct topk_cpu_task *task, const unsigned char *input, size_t count,
                 void *keys);
    /* The least and the greatest key of elements. */
    void (*range)(const struct topk_cpu_task *task, const unsigned char *input, size_t begin,
                  size_t end, uint64_t *least, uint64_t *greatest);
    /* Adds to counts how many elements have each digit. */
    void (*count)(const struct topk_cpu_task *task, const unsigned char *input, size_t begin,
                  size_t end, const struct topk_cpu_digit *digit, uint32_t *counts);
    /* Bytes that an element takes when it is dealt. */
    size_t dealt_bytes;
    /* Puts each element to where the next of its digit goes, and moves that on. What is left out is
     * written to where its digit points, which is not moved. */
    void (*place)(const struct topk_cpu_task *task, const unsigned char *input, size_t begin,
                  size_t end, const struct topk_cpu_digit *digit, uint32_t *starts, void *dealt);

    /* Sorts elements and writes them to the outputs from place `at` on, up to K. entries and spare
     * have room for one each. */
    void (*finish)(const struct topk_cpu_task *task, const struct topk_cpu_row *row,
                   const struct topk_cpu_elements *elements, size_t at, uint64_t *entries,
                   uint64_t *spare);
    /* The same with elements that were dealt, from place `at` on; room->count of them, for which
     * there is room->keys and room->indices. */
    void (*finish_dealt)(const struct topk_cpu_task *task, const struct topk_cpu_row *row,
                         const void *dealt, size_t at, const struct topk_cpu_elements *room,
                         uint64_t *entries, uint64_t *spare);
};

/* What a compiler made of the kernels for a kind of processors. Tables of TOPK_CPU_KINDS; NULL
 * where the build has no code for them. */
extern const struct topk_cpu_kernels *const topk_cpu_kernels_portable;
extern const struct topk_cpu_kernels *const topk_cpu_kernels_avx2;
extern const struct topk_cpu_kernels *const topk_cpu_kernels_avx512;

#endif
