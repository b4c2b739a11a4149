/* A plugin of implementations that document other rules than DirectML's, each right, and each wrong
 * in the ways of contracts.def: contracts.so:FAMILY, contracts.so:FAMILY,FAULT. What it declares is
 * up to its options, too: nothing with contracts.so:FAMILY,plain; TEXT with FAMILY,contract=TEXT;
 * with FAMILY,turns=FILE something else once it has crashed and FILE is there.
 *
 * They are written as such libraries are, with the operators of C on numbers: they share no line
 * with the judge. Only which descriptions are valid is left to backends/cpu. */
#ifndef TOPK_TEST_CONTRACTS_H
#define TOPK_TEST_CONTRACTS_H

#include "cpu/cpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* an element as a number: `real` of floats, `whole` of integers, the other is 0; from a UINT64 2^63
 * is taken, so that it fits */
struct number {
    double real;
    int64_t whole;
    int8_t place; /* of a NaN: -1 comes first, 1 last; 0 of others */
    bool open;    /* a NaN that compares as the processor has it */
    bool minus;   /* the sign of a float */
};

enum nan_rule {
    NAN_OPEN,
    NAN_GREATEST,
    NAN_LEAST,
    NAN_FIRST,
    NAN_LAST
};

#define RULE_ZERO_SIGNED  1u
#define RULE_FLUSH_ORDER  2u
#define RULE_FLUSH_VALUES 4u  /* denormals come out as zeros of their sign */
#define RULE_FLUSH_BLOCKS 8u  /* ... in whole blocks of 8 outputs, as vector code has it */
#define RULE_OWN          16u /* what is no valid description is taken as well */

/* what the sequences of a call share */
struct batch {
    const struct topk_backend_call *call;
    struct topk_cpu_plan plan;
    uint64_t calls;    /* that came before */
    uint64_t rows;     /* sequences */
    uint64_t *values;  /* K for each sequence */
    uint64_t *indices; /* likewise */
};

/* the results of an earlier call */
struct past {
    uint64_t *values;
    uint64_t *indices;
    uint64_t rows;
    uint64_t first; /* its first element */
    uint32_t type;
    uint32_t length;
    uint32_t k;
    bool smallest;
};

/* a sequence on its way */
struct row {
    const struct family *family;
    const struct batch *batch;
    const struct past *past; /* the call before; type 0: there was none */
    uint64_t row;            /* which of batch->rows */
    uint32_t type;           /* enum topk_backend_type */
    uint32_t length;
    uint32_t k;
    bool smallest;
    uint32_t rules;                      /* RULE_..., of which a fault may take away */
    unsigned char *at[TOPK_CPU_TENSORS]; /* where the sequence starts */
    uint64_t *bits;                      /* length, as are the next four */
    uint64_t *codes; /* as what an element is ordered: its bits, unless a fault says otherwise */
    struct number *numbers;
    uint32_t *order; /* indices in the order in which they are looked at; then, first K, selected */
    uint32_t *scratch;
    uint64_t *values; /* K, as are the indices */
    uint64_t *indices;
    bool by_place;   /* a heap compares scratch, the places of indices, too */
    bool left_child; /* what a fault asks of a heap */
};

/* A family of contracts.def. */
struct family {
    const char *word;
    void (*pick)(struct row *row);
    bool (*serves)(const struct topk_backend_call *call);
    enum nan_rule nan;
    uint32_t rules;
    const char *contract;
};

enum stage {
    STAGE_ARRANGED,
    STAGE_PICKED,
    STAGE_STORED,
    STAGE_WRITTEN
};

#define FAULT(word, stage, families, about) void fault_##word(struct row *row);
#include "contracts.def"

/* Once the indices are there: an element outside that equals the worst inside; false if none does.
 */
bool contracts_tie_outside(const struct row *row, uint32_t *tie);

/* ---- numbers: contracts_number.c ----------------------------------------------------------------
 */

bool contracts_float(uint32_t type);
bool contracts_signed(uint32_t type);
uint32_t contracts_bytes(uint32_t type);
uint64_t contracts_load(const unsigned char *from, uint32_t bytes);
void contracts_store(unsigned char *to, uint32_t bytes, uint64_t bits);
uint64_t contracts_sign(uint32_t type); /* the bit */
bool contracts_nan(uint32_t type, uint64_t bits);
bool contracts_denormal(uint32_t type, uint64_t bits);
bool contracts_is_zero(uint32_t type, uint64_t bits);
/* A float as it is; NaN: 0. */
double contracts_real(uint32_t type, uint64_t bits);
/* The smallest normal of a type of floats. */
double contracts_least_normal(uint32_t type);
bool contracts_is_least_normal(uint32_t type, uint64_t bits); /* of either sign */
uint64_t contracts_zero_of(uint32_t type, uint64_t bits);     /* of the sign of bits */
uint64_t contracts_infinity_of(uint32_t type, uint64_t bits); /* without a sign */
/* -1 or 1: whether a NaN comes first or last. */
int8_t contracts_nan_place(enum nan_rule rule, bool smallest);
/* Orders an element as another. */
void contracts_order_as(struct row *row, uint32_t index, uint64_t bits);
/* An integer without a sign. */
int64_t contracts_unsigned(uint32_t type, uint64_t bits);
/* All numbers of a row. */
void contracts_read(struct row *row);
/* Below 0: the element of index a comes before that of b; 0: they tie. */
static inline int contracts_compare(const struct row *row, uint32_t a, uint32_t b)
{
    const struct number *const x = &row->numbers[a];
    const struct number *const y = &row->numbers[b];
    if (x->open || y->open) {
        return 0;
    }
    if (x->place != y->place || x->place != 0) {
        return x->place < y->place ? -1 : x->place > y->place;
    }
    int order = x->whole != y->whole ? (x->whole < y->whole ? -1 : 1)
                                     : (x->real > y->real) - (x->real < y->real);
    if (order == 0 && (row->rules & RULE_ZERO_SIGNED) != 0 && x->real == 0) {
        order = (int)y->minus - (int)x->minus;
    }
    return row->smallest ? order : -order;
}

/* ---- ways to select: contracts_pick.c -----------------------------------------------------------
 */

/* Each takes row->order as it comes and leaves the first K selected. */
void pick_heap(struct row *row);
void pick_heap_left(struct row *row);
void pick_quick(struct row *row);
void pick_lowest(struct row *row);
void pick_highest(struct row *row);
void pick_highest_turned(struct row *row);
void pick_by_index(struct row *row);
void pick_rotated(struct row *row);
void pick_rotated_left(struct row *row);
void pick_radix(struct row *row);

#endif
