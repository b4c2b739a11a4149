/* A plugin with implementations whose documents state other rules than DirectML's, each correct, or
 * wrong as contracts.def lists: contracts.so:FAMILY, contracts.so:FAMILY,FAULT. Options also change
 * what it declares: nothing with FAMILY,plain; TEXT with FAMILY,contract=TEXT; something else with
 * FAMILY,turns=FILE after it has crashed and FILE exists.
 *
 * The implementations use C's operators on numbers, like real libraries, and share no code with the
 * judge. Only the validity of descriptions comes from backends/cpu.
 */
#ifndef TOPK_TEST_CONTRACTS_H
#define TOPK_TEST_CONTRACTS_H

#include "cpu/cpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An element as a number: `real` for floats, `whole` for integers; the other is 0. 2^63 is
 * subtracted from a UINT64, so that it fits. */
struct number {
    double real;
    int64_t whole;
    int8_t place; /* for a NaN: -1 comes first, 1 last; else 0 */
    bool open;    /* a NaN that is compared with the processor's operators */
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
#define RULE_FLUSH_VALUES 4u  /* denormals are returned as zeros with their sign */
#define RULE_FLUSH_BLOCKS 8u  /* the same, in whole blocks of 8 outputs, like vector code */
#define RULE_OWN          16u /* invalid descriptions are accepted, too */

/* shared by the sequences of a call */
struct batch {
    const struct topk_backend_call *call;
    struct topk_cpu_plan plan;
    uint64_t calls;    /* number of earlier calls */
    uint64_t rows;     /* number of sequences */
    uint64_t *values;  /* K for each sequence */
    uint64_t *indices; /* K for each sequence */
};

/* the results of an earlier call */
struct past {
    uint64_t *values;
    uint64_t *indices;
    uint64_t rows;
    uint64_t first; /* the first element of its input */
    uint32_t type;
    uint32_t length;
    uint32_t k;
    bool smallest;
};

/* a sequence that is being processed */
struct row {
    const struct family *family;
    const struct batch *batch;
    const struct past *past; /* the previous call; type 0: there was none */
    uint64_t row;            /* which of batch->rows */
    uint32_t type;           /* enum topk_backend_type */
    uint32_t length;
    uint32_t k;
    bool smallest;
    uint32_t rules;                      /* RULE_..., from which a fault can remove some */
    unsigned char *at[TOPK_CPU_TENSORS]; /* start of the sequence */
    uint64_t *bits;                      /* `length` entries, like the next four */
    /* the bits by which an element is ordered: its own, unless a fault changes them */
    uint64_t *codes;
    struct number *numbers;
    /* indices in the order in which they are examined; then the first K are selected */
    uint32_t *order;
    uint32_t *scratch;
    uint64_t *values; /* K entries, like the indices */
    uint64_t *indices;
    bool by_place;   /* a heap also compares scratch, the positions of indices */
    bool left_child; /* a fault of a heap */
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

/* Finds an element that is not selected and equals the worst selected one; false if there is none.
 * Requires the indices. */
bool contracts_tie_outside(const struct row *row, uint32_t *tie);

/* ---- numbers: contracts_number.c ------------------------------------------------------------- */

bool contracts_float(uint32_t type);
bool contracts_signed(uint32_t type);
uint32_t contracts_bytes(uint32_t type);
uint64_t contracts_load(const unsigned char *from, uint32_t bytes);
void contracts_store(unsigned char *to, uint32_t bytes, uint64_t bits);
uint64_t contracts_sign(uint32_t type); /* the sign bit */
bool contracts_nan(uint32_t type, uint64_t bits);
bool contracts_denormal(uint32_t type, uint64_t bits);
bool contracts_is_zero(uint32_t type, uint64_t bits);
/* The value of a float; 0 for NaN. */
double contracts_real(uint32_t type, uint64_t bits);
/* The smallest normal of a type of floats. */
double contracts_least_normal(uint32_t type);
bool contracts_is_least_normal(uint32_t type, uint64_t bits); /* of either sign */
uint64_t contracts_zero_of(uint32_t type, uint64_t bits);     /* with the sign of bits */
uint64_t contracts_infinity_of(uint32_t type, uint64_t bits); /* positive */
/* -1 or 1: NaN comes first or last. */
int8_t contracts_nan_place(enum nan_rule rule, bool smallest);
/* Makes an element compare like other bits. */
void contracts_order_as(struct row *row, uint32_t index, uint64_t bits);
/* An unsigned integer, minus 2^63 if it is a UINT64. */
int64_t contracts_unsigned(uint32_t type, uint64_t bits);
/* Reads all numbers of a row. */
void contracts_read(struct row *row);
/* Below 0: the element with index a comes before that with index b; 0: they tie. */
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

/* ---- ways to select: contracts_pick.c -------------------------------------------------------- */

/* Each starts from row->order and makes its first K entries the selected ones. */
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
