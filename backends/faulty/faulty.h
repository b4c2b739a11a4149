/* The backend `faulty`: wrong on purpose, `--backend faulty:ID`, to prove that it is noticed.
 *
 * Each fault is a row of a table and, mostly, a few lines that spoil one step of an implementation
 * that is right, kernel.c. A row stands in the same file as its lines; faulty.c lists the tables.
 *
 * Descriptions are checked by backends/cpu.c. */
#ifndef TOPK_FAULTY_H
#define TOPK_FAULTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topk_backend.h"

#define RANK 16u

enum role {
    INPUT,
    VALUE,
    INDEX,
    ROLES
};

/* a tensor as it is addressed */
struct tensor {
    unsigned char *start;
    uint32_t bytes;         /* of an element */
    uint64_t strides[RANK]; /* elements */
    uint64_t at;            /* where the sequence starts, in elements */
    uint64_t room;          /* bytes from start to the end of the buffer: faults stay within it */
};

struct entry {
    uint64_t key; /* the least is the first selected */
    uint64_t bits;
    uint64_t index;
};

/* a sequence on its way */
struct row {
    const struct topk_backend_call *call;
    struct tensor *tensors;
    uint64_t number;
    uint32_t type;
    uint32_t bytes;
    uint32_t length;
    uint32_t k;
    uint64_t flip; /* what keys are xored with for the direction */
    struct entry *entries;
};

struct faulty;

struct fault {
    const char *name;    /* what stands behind "faulty:" */
    const char *class;   /* what kind of fault; "allowed": none, "process": it spoils the process */
    const char *about;   /* what goes wrong, one line */
    const char *clauses; /* separated by spaces: each is the first that some case of profile core
                            names, or, with a '+' behind it, a later one because another always goes
                            before it; "-" for none. NULL: nothing may fail */
    uint32_t batch;      /* calls that it wants at once; 0: 4 */
    /* each may be NULL; in the order in which they are called */
    bool (*answer)(struct faulty *self, const struct topk_backend_call *call,
                   struct topk_backend_answer *answer); /* false: nothing is to be computed */
    void (*address)(const struct topk_backend_call *call, struct tensor tensors[ROLES]);
    void (*key)(struct row *row);
    void (*select)(struct row *row);
    void (*write)(struct row *row);
    void (*after)(struct faulty *self, const struct topk_backend_call *call,
                  const struct tensor tensors[ROLES]);
};

/* a call that came earlier */
struct past {
    uint64_t hash; /* of its description and its input */
    uint32_t type; /* of its elements; 0: there was none */
};
#define PAST       4
#define BATCH_KEPT 16u

/* The backend, opened. */
struct faulty {
    const struct fault *fault;
    void *cpu;
    uint64_t calls;
    unsigned char *stale; /* what the last call left in its value output */
    size_t stale_bytes;
    struct past past[PAST];     /* the last calls, the last one first */
    uint64_t streak;            /* how often the last one came in a row */
    uint64_t batch[BATCH_KEPT]; /* hashes of the calls of this run() so far, the first ones */
    uint32_t in_batch;          /* how many */
};

extern const struct topk_backend topk_backend_faulty;

/* All faults by number; NULL behind the last. */
const struct fault *faulty_at(size_t number);

/* ---- the tables; each ends with a zero row ------------------------------------------------------
 */

extern const struct fault faulty_allowed[], faulty_order[], faulty_numbers[], faulty_memory[],
    faulty_answers[], faulty_process[], faulty_relations[];

/* ---- element types: element.c -------------------------------------------------------------------
 */

uint32_t faulty_type_bytes(uint32_t type);
bool faulty_type_float(uint32_t type);
bool faulty_type_signed(uint32_t type);
/* The bit of the sign. */
uint64_t faulty_sign(uint32_t type);
/* The bits of +infinity. */
uint64_t faulty_infinity(uint32_t type);
bool faulty_nan(uint32_t type, uint64_t bits);
bool faulty_denormal(uint32_t type, uint64_t bits);
/* Ascends with the value; both zeros are one, NaN is the greatest. */
uint64_t faulty_key(uint32_t type, uint64_t bits);

/* The element of that number behind the start of a tensor; what lies outside its buffer is 0. */
uint64_t faulty_load(const struct tensor *tensor, uint64_t element);
/* Writes the first `bytes` bytes of an element, as far as they lie in the buffer. */
void faulty_store(const struct tensor *tensor, uint64_t element, uint64_t bits, uint32_t bytes);

/* ---- the right implementation: kernel.c ---------------------------------------------------------
 */

/* Computes a call, with the steps of self->fault. */
void faulty_compute(struct faulty *self, const struct topk_backend_call *call,
                    struct topk_backend_answer *answer);

/* The strides that a tensor has if none are given. */
void faulty_packed_strides(const struct topk_backend_tensor *desc, uint64_t strides[RANK]);
/* Orders entries by key, then by index: for qsort. */
int faulty_by_key(const void *a, const void *b);
/* Writes the first K entries to the outputs. */
void faulty_write(struct row *row);
/* Reverses the order of equal keys. */
void faulty_reverse_ties(struct row *row);
/* Reverses the first K entries. */
void faulty_reverse_selected(struct row *row);

#endif
