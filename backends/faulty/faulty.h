/* The backend `faulty`: wrong on purpose, `--backend faulty:ID`, to prove that it is noticed.
 *
 * Each fault is a row of a table and, mostly, a few lines that spoil one step of an implementation
 * that is right, kernel.c. A row stands in the same file as its lines; faulty.c lists the tables.
 *
 * The files field_....c hold faults that shipped in real projects, the others what was thought of.
 * Of the known ones there is no row for B24 (cccl#1575: a test suite's own reference put +0 before
 * -0): no kernel can have it, and reference/test holds the oracle against the judge.
 *
 * Descriptions are checked by backends/cpu/cpu.c. */
#ifndef TOPK_FAULTY_H
#define TOPK_FAULTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/cpu.h"
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
    uint64_t most_byte;     /* all bits of an offset in bytes that count; and in elements */
    uint64_t most_element;
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
    uint64_t calls;  /* that came before */
    uint64_t rows;   /* sequences of the call */
    uint64_t number; /* of this one */
    uint64_t memory; /* what a fault carries from a sequence to the next; 0 in the first */
    uint32_t type;
    uint32_t bytes;
    uint32_t length;
    uint32_t k;
    uint32_t padded; /* length, up to a power of two */
    bool increasing;
    uint64_t flip;   /* what keys are xored with for the direction */
    uint64_t amount; /* of the fault */
    struct entry *entries;
    struct entry *scratch; /* room for `padded` */
};

/* Defines the `when` of a fault. */
#define FAULTY_WHEN(name, condition)                                                               \
    static bool name(const struct row *row)                                                        \
    {                                                                                              \
        return (condition);                                                                        \
    }

/* Defines a step that gives each of the first `count` entries another key, bits or index: an
 * expression of what it has, where `key` ascends with the value, whatever the direction. */
#define FAULTY_EACH(name, count, member, expression)                                               \
    static void name(struct row *row)                                                              \
    {                                                                                              \
        for (uint32_t i = 0; i < row->count; i++) {                                                \
            struct entry *entry = &row->entries[i];                                                \
            const uint64_t key = entry->key ^ row->flip;                                           \
            const uint64_t bits = entry->bits;                                                     \
            const uint64_t index = entry->index;                                                   \
            (void)key, (void)bits, (void)index;                                                    \
            entry->member = (expression);                                                          \
        }                                                                                          \
    }
#define FAULTY_KEY(name, expression)   FAULTY_EACH(name, length, key, (expression) ^ row->flip)
#define FAULTY_BITS(name, expression)  FAULTY_EACH(name, k, bits, expression)
#define FAULTY_INDEX(name, expression) FAULTY_EACH(name, k, index, expression)

/* Defines a `write` that leaves out the slots j that do not meet a condition. */
#define FAULTY_SLOTS(name, condition)                                                              \
    static void name(struct row *row)                                                              \
    {                                                                                              \
        for (uint32_t j = 0; j < row->k; j++) {                                                    \
            if (condition) {                                                                       \
                faulty_write_slot(row, j, &row->entries[j]);                                       \
            }                                                                                      \
        }                                                                                          \
    }

/* Defines a `sort` by a threshold, for which only the elements of a condition are counted; `number`
 * is that of an element. */
#define FAULTY_COUNTED(name, condition)                                                            \
    static bool name##_counted(const struct row *row, uint32_t number)                             \
    {                                                                                              \
        (void)row;                                                                                 \
        return (condition);                                                                        \
    }                                                                                              \
    static void name(struct row *row)                                                              \
    {                                                                                              \
        faulty_threshold(row, name##_counted);                                                     \
    }

struct faulty;

/* Defines the `answer` of a fault: a valid call of a condition is answered with `instead`. */
#define FAULTY_ANSWER(name, condition, instead, reason)                                            \
    static bool name(struct faulty *self)                                                          \
    {                                                                                              \
        const struct topk_backend_call *call = self->call;                                         \
        (void)call;                                                                                \
        return self->answer->status != TOPK_BACKEND_DONE || !(condition) ||                        \
               faulty_answer(self, instead, reason);                                               \
    }

/* Parts of triggers. Ties among what is selected, or across the boundary; ties across it; a length
 * that is no power of two; an element with the key of a network's pad; strides that move an element
 * of the input, and of an output. */
#define FAULTY_TIED          "ties=inside|boundary|all"
#define FAULTY_TIED_ACROSS   "ties=boundary|all and rest>=1"
#define FAULTY_PADDED        "length!=1|2|2^p"
#define FAULTY_LIKE_PAD      FAULTY_PADDED " and direction=largest and least=yes"
#define FAULTY_STRIDED_INPUT "input=padded|permuted|interleaved|broadcast|windows"
#define FAULTY_STRIDED_OUTPUT                                                                      \
    "value-out=padded|permuted|interleaved or index-out=padded|permuted|interleaved"
/* What is true of ties that are taken by descending index. */
#define FAULTY_TIES_CAUSE "ties-descending ties-reversed ties-high"

/* The class of faults that only guard pages show (--guard-pages): `topk-cts trust' runs them with
 * these. */
#define FAULTY_GUARD_PAGES "guard-pages"

/* A row of a table starts with the four columns that all have, in this order, as far as `clauses`,
 * which an allowed fault leaves out; what else it has is named. */
struct fault {
    const char *name;    /* what stands behind "faulty:" */
    const char *class;   /* what kind of fault; "allowed": none, "process": it spoils the process */
    const char *about;   /* what goes wrong, one line */
    const char *clauses; /* separated by spaces: each is the first that some case of profile core
                            names, or, with a '+' behind it, a later one because another always goes
                            before it; "-" for none. NULL: nothing may fail */
    /* The calls in which it takes effect, as conditions with " or " between them
     * (conformance/condition/condition.h): as tight as these can say it. A relation makes several
     * calls of a case, of which one may be such a call. NULL: nothing may fail, or what it goes by
     * is no property of a call and its data, as a comment says. */
    const char *trigger;
    const char *cause; /* the readings (reference/readings.def) that are true of it, separated by
                          spaces; NULL: none is */
    const char *seen;  /* "project#number": where it was met in the field; NULL: invented */
    const char *size;  /* what it takes beyond a few elements, NULL: nothing */
    const char *few;   /* why fewer than four tests of profile core fail on it; NULL: four do */
    uint32_t batch;    /* calls that it wants at once; 0: 4 */
    bool ends;         /* it may end the process, or never return */
    uint64_t amount;   /* what its step goes by, where it needs a number */
    /* each may be NULL; in the order in which they are called */
    bool (*answer)(struct faulty *self); /* false: nothing is to be computed */
    void (*address)(struct faulty *self);
    bool (*when)(const struct row *row); /* the four below spoil only these sequences; NULL: all */
    void (*key)(struct row *row);
    void (*sort)(struct row *row); /* instead of sorting the whole sequence; the first K count */
    void (*select)(struct row *row);
    void (*write)(struct row *row);
    void (*after)(struct faulty *self);
};

/* a call that came earlier */
struct past {
    uint64_t hash; /* of its description and its input */
    uint32_t type; /* of its elements; 0: there was none */
};
#define PAST       4
#define BATCH_KEPT 16u

/* The backend, opened, and the call that it is at. */
struct faulty {
    const struct fault *fault;
    void *cpu;
    const struct topk_backend_call *call;
    struct topk_backend_answer *answer;
    struct tensor tensors[ROLES]; /* from `address` on */
    uint64_t calls;
    unsigned char *stale; /* what the last call left in its value output */
    size_t stale_bytes;
    struct past past[PAST];     /* the last calls, the last one first */
    uint64_t streak;            /* how often the last one came in a row */
    uint64_t batch[BATCH_KEPT]; /* hashes of the calls of this run() so far, the first ones */
    uint32_t in_batch;          /* how many */
    struct faulty_plans *plans; /* of faults/plans.c; NULL: none yet */
};
/* Frees them; NULL: nothing. */
void faulty_plans_free(struct faulty_plans *plans);

extern const struct topk_backend topk_backend_faulty;

/* All faults by number; NULL behind the last. */
const struct fault *faulty_at(size_t number);

/* ---- the tables; each ends with a zero row ------------------------------------------------------
 */

extern const struct fault faulty_allowed[], faulty_always[], faulty_ends[], faulty_shapes[],
    faulty_selection[], faulty_numbers[], faulty_memory[], faulty_answers[], faulty_process[],
    faulty_field_values[], faulty_field_selection[], faulty_field_sizes[], faulty_field_memory[],
    faulty_relations[], faulty_only[], faulty_networks[], faulty_scans[], faulty_ranges[],
    faulty_state[], faulty_stores[], faulty_wrong_answers[], faulty_over_reads[],
    faulty_plans_faults[], faulty_giant[];

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
#define FAULTY_NAN_KEY (UINT64_C(1) << 40)
uint64_t faulty_key(uint32_t type, uint64_t bits);

/* Where byte i of an element lies, counted from the low end, that starts `at` bytes behind the
 * start of a tensor: of the whole ones as the machine orders bytes. */
uint64_t faulty_byte(const struct tensor *tensor, uint64_t at, uint32_t i);

/* The element of that number behind the start of a tensor; what lies outside its buffer is 0. */
uint64_t faulty_load(const struct tensor *tensor, uint64_t element);
/* Writes the first `bytes` bytes of an element, as far as they lie in the buffer. */
void faulty_store(const struct tensor *tensor, uint64_t element, uint64_t bits, uint32_t bytes);

/* ---- entries: entry.c ---------------------------------------------------------------------------
 */

/* Whether an entry comes before another: by key, then by index; and by key alone. */
typedef bool faulty_order(const struct entry *a, const struct entry *b);
faulty_order faulty_before, faulty_before_key;
void faulty_swap(struct entry *a, struct entry *b);
void faulty_reverse(struct entry *entries, uint32_t count);
/* Sorts by key and leaves equal keys as they stand: a merge sort. scratch: room for count. */
void faulty_sort(struct entry *entries, uint32_t count, struct entry *scratch);

/* ---- the right implementation: kernel.c ---------------------------------------------------------
 */

/* Computes the call, with the steps of self->fault. */
void faulty_compute(struct faulty *self);

/* Answers the call with something else than was found; false. */
bool faulty_answer(struct faulty *self, uint32_t status, const char *reason);

/* Whether a call has all tensors; and an axis that the input has. */
bool faulty_whole(const struct topk_backend_call *call);
bool faulty_axis_there(const struct topk_backend_call *call);

/* Keeps a copy of what a tensor holds for a later call; writes it back, as far as it reaches. */
void faulty_keep(struct faulty *self, enum role role, uint64_t bytes);
void faulty_recall(struct faulty *self, enum role role, uint64_t bytes);

/* The strides that a tensor has if none are given. */
void faulty_packed_strides(const struct topk_backend_tensor *desc, uint64_t strides[RANK]);
/* Writes the first K entries to the outputs; and one entry to one place of them. */
void faulty_write(struct row *row);
void faulty_write_slot(struct row *row, uint32_t slot, const struct entry *entry);
/* Leaves the outputs as they are; leaves the upper halves of wide indices as they are. */
void faulty_write_nothing(struct row *row);
void faulty_write_low(struct row *row);
/* Of a sorted sequence: the entries that equal the K-th are those from .. to - 1. */
uint32_t faulty_tied_from(const struct row *row);
uint32_t faulty_tied_to(const struct row *row);
/* The end of the run of equal keys that starts at `from`. */
uint32_t faulty_run_end(const struct row *row, uint32_t from);
/* Takes of those that equal the K-th the last instead of the first. */
void faulty_boundary_high(struct row *row);
/* Before sorting: puts the elements from `from` on behind all others; turns the order over. */
void faulty_forget(struct row *row, uint32_t from);
void faulty_turn_keys(struct row *row);
/* Of what is selected: cuts indices to the bits of row->amount; clears all from slot row->amount.
 */
void faulty_mask_indices(struct row *row);
void faulty_clear_slots(struct row *row);
/* Before sorting: the largest are taken as the smallest of the negated; compares by the low halves
 * of 8 bytes. */
void faulty_negate(struct row *row);
void faulty_low_half(struct row *row);
/* Whether the sequence has a NaN whose bits include these. */
bool faulty_has_nan(const struct row *row, uint64_t bits);
/* Puts the first `count` entries in the order of their indices. */
void faulty_by_index(struct row *row, uint32_t count);
/* A number below 2^32 that looks random, from the number of the call and of the sequence. */
uint64_t faulty_chance(const struct row *row);
/* Reverses the order of equal keys in a sorted sequence. */
void faulty_reverse_ties(struct row *row);
/* Reverses the first K entries. */
void faulty_reverse_selected(struct row *row);
/* Of a sorted sequence: loses the best, if there are more than K; and the K-th. */
void faulty_lose_first(struct row *row);
void faulty_lose_last(struct row *row);
/* Turns over a bit of the last value selected. */
void faulty_spoil_value(struct row *row);

/* ---- ways to select, which are right: shapes.c --------------------------------------------------
 */

/* A heap of the K best, the worst of them at its root, which gives way to one that is before it. */
void faulty_heap(struct row *row, faulty_order *before);
/* One that compares values only, which is wrong. */
void faulty_heap_by_value(struct row *row);

/* What a bitonic network does where two entries meet: puts the one that comes first into *a. */
typedef void faulty_exchange(struct entry *a, struct entry *b);
void faulty_exchange_right(struct entry *a, struct entry *b);
/* A bitonic network over the sequence, padded with `pad` to a power of two; the index of a pad is
 * its place. */
void faulty_network(struct row *row, const struct entry *pad, faulty_exchange *exchange);
/* The same of a float, padded with a value that comes before what equals it. */
void faulty_network_pad_first(struct row *row, uint64_t bits);
/* The pad that nothing loses to. */
extern const struct entry faulty_pad;

/* Finds the K-th key digit by digit from histograms, then gathers what is before it, and of its
 * equals as many as there is room for. counted: whether an element goes into the histogram, by its
 * number; NULL: all do. Slots that nothing was gathered for have an index of UINT32_MAX. */
void faulty_threshold(struct row *row, bool (*counted)(const struct row *row, uint32_t number));

/* Sorts blocks of 64 on their own, and then the K best of each. lost: the number of a block that is
 * forgotten; UINT32_MAX: none. */
void faulty_blocks(struct row *row, uint32_t lost);

#endif
