/* The backend `faulty`: wrong on purpose, `--backend faulty:ID`, to prove that the suite detects
 * each fault.
 *
 * Each fault is a row of a table and usually a few lines that replace one step of a correct
 * implementation, kernel.c. A row is in the same file as its lines; faulty.c lists the tables.
 *
 * The files field_....c contain faults that shipped in real projects, the others invented ones. Of
 * the known faults, B24 has no row (cccl#1575: a test suite's own reference sorted +0 before -0):
 * no kernel can have it, and reference/test compares the oracle with the judge.
 *
 * backends/cpu/cpu.c checks the descriptions.
 */
#ifndef TOPK_FAULTY_H
#define TOPK_FAULTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cpu/cpu.h"
#include "topk_backend.h"

#define RANK 16u

enum role {
    INPUT,
    VALUE,
    INDEX,
    ROLES
};

/* a tensor as addressed */
struct tensor {
    unsigned char *start;
    uint32_t bytes;         /* of an element */
    uint64_t strides[RANK]; /* elements */
    uint64_t at;            /* start of the sequence in elements */
    uint64_t room;          /* bytes from start to the end of the buffer; faults stay within it */
    /* mask of the bits of an offset in bytes that count; the next is for one in elements */
    uint64_t most_byte;
    uint64_t most_element;
};

struct entry {
    uint64_t key; /* the least key is selected first */
    uint64_t bits;
    uint64_t index;
};

/* a sequence that is being processed */
struct row {
    const struct topk_backend_call *call;
    struct tensor *tensors;
    uint64_t calls;  /* number of earlier calls */
    uint64_t rows;   /* number of sequences in the call */
    uint64_t number; /* number of this sequence */
    uint64_t memory; /* state that a fault carries to the next sequence; 0 in the first */
    uint32_t type;
    uint32_t bytes;
    uint32_t length;
    uint32_t k;
    uint32_t padded; /* length rounded up to a power of two */
    bool increasing;
    uint64_t flip;   /* keys are xored with this for the direction */
    uint64_t amount; /* the fault's `amount` */
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
 * expression of the old ones, in which `key` ascends with the value in both directions. */
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

/* Defines a `write` that leaves out the slots j without a condition. */
#define FAULTY_SLOTS(name, condition)                                                              \
    static void name(struct row *row)                                                              \
    {                                                                                              \
        for (uint32_t j = 0; j < row->k; j++) {                                                    \
            if (condition) {                                                                       \
                faulty_write_slot(row, j, &row->entries[j]);                                       \
            }                                                                                      \
        }                                                                                          \
    }

/* Defines a `sort` by a threshold that counts only the elements with a condition; `number` is that
 * of an element. */
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

/* Defines the `answer` of a fault: it answers valid calls with a condition with `instead`. */
#define FAULTY_ANSWER(name, condition, instead, reason)                                            \
    static bool name(struct faulty *self)                                                          \
    {                                                                                              \
        const struct topk_backend_call *call = self->call;                                         \
        (void)call;                                                                                \
        return self->answer->status != TOPK_BACKEND_DONE || !(condition) ||                        \
               faulty_answer(self, instead, reason);                                               \
    }

/* Parts of triggers: ties among the selected elements or across the boundary; ties across it; a
 * length that is not a power of two; an element with the key of a network's pad; strides that
 * change the position of an element of the input, and of an output. */
#define FAULTY_TIED          "ties=inside|boundary|all"
#define FAULTY_TIED_ACROSS   "ties=boundary|all and rest>=1"
#define FAULTY_PADDED        "length!=1|2|2^p"
#define FAULTY_LIKE_PAD      FAULTY_PADDED " and direction=largest and least=yes"
#define FAULTY_STRIDED_INPUT "input=padded|permuted|interleaved|broadcast|windows"
#define FAULTY_STRIDED_OUTPUT                                                                      \
    "value-out=padded|permuted|interleaved or index-out=padded|permuted|interleaved"
/* The causes that apply if ties are selected by descending index. */
#define FAULTY_TIES_CAUSE "ties-descending ties-reversed ties-high"

/* The class of faults that only guard pages reveal (--guard-pages): `topk-cts trust' uses guard
 * pages for them. */
#define FAULTY_GUARD_PAGES "guard-pages"

/* A row of a table starts with the four columns that all rows have, up to `clauses`, which an
 * allowed fault leaves out; the others are named. */
struct fault {
    const char *name; /* the ID after "faulty:" */
    /* kind of fault; "allowed": it breaks no clause, "process": it affects the process */
    const char *class;
    const char *about; /* the fault in one line */
    /* separated by spaces: each is the first clause that some case of profile core names, or, with
     * a
     * '+' after it, a later one because another always comes before it; "-": none. NULL: no case
     * may fail */
    const char *clauses;
    /* The calls in which it takes effect, as conditions with " or " between them
     * (conformance/condition/condition.h), as narrow as these allow. A relation makes several calls
     * for a case, and any of these may match. NULL: no case may fail, or the fault depends on
     * something that is no property of a call and its data, as a comment says. */
    const char *trigger;
    /* the readings (reference/readings.def) that describe it, separated by spaces; NULL: none */
    const char *cause;
    const char *seen; /* "project#number": where it occurred; NULL: invented */
    const char *size; /* what it needs beyond a few elements; NULL: nothing */
    const char *few;  /* why fewer than four tests of profile core fail; NULL: four or more do */
    uint32_t batch;   /* calls that it wants at once; 0: 4 */
    bool ends;        /* it may end the process, or never return */
    uint64_t amount;  /* a parameter for its step */
    /* each may be NULL; in the order in which they are called */
    bool (*answer)(struct faulty *self); /* false: nothing is computed */
    void (*address)(struct faulty *self);
    /* the four functions below apply only to these sequences; NULL: to all */
    bool (*when)(const struct row *row);
    void (*key)(struct row *row);
    /* replaces sorting the whole sequence; the first K entries count */
    void (*sort)(struct row *row);
    void (*select)(struct row *row);
    void (*write)(struct row *row);
    void (*after)(struct faulty *self);
};

/* an earlier call */
struct past {
    uint64_t hash; /* of its description and its input */
    uint32_t type; /* element type; 0: there was no call */
};
#define PAST       4
#define BATCH_KEPT 16u

/* The open backend, and its current call. */
struct faulty {
    const struct fault *fault;
    void *cpu;
    const struct topk_backend_call *call;
    struct topk_backend_answer *answer;
    struct tensor tensors[ROLES]; /* valid from `address` on */
    uint64_t calls;
    unsigned char *stale; /* value output of the last call */
    size_t stale_bytes;
    struct past past[PAST];     /* the last calls, the most recent first */
    uint64_t streak;            /* how many times in a row the last one was made */
    uint64_t batch[BATCH_KEPT]; /* hashes of the first calls of this run() */
    uint32_t in_batch;          /* how many */
    struct faulty_plans *plans; /* in faults/plans.c; NULL: none yet */
};
/* Frees plans; NULL is allowed. */
void faulty_plans_free(struct faulty_plans *plans);

extern const struct topk_backend topk_backend_faulty;

/* Returns a fault by its number; NULL after the last. */
const struct fault *faulty_at(size_t number);

/* ---- the tables; each ends with a zero row --------------------------------------------------- */

extern const struct fault faulty_allowed[], faulty_always[], faulty_ends[], faulty_shapes[],
    faulty_selection[], faulty_numbers[], faulty_memory[], faulty_answers[], faulty_process[],
    faulty_field_values[], faulty_field_selection[], faulty_field_sizes[], faulty_field_memory[],
    faulty_relations[], faulty_only[], faulty_networks[], faulty_scans[], faulty_ranges[],
    faulty_state[], faulty_stores[], faulty_wrong_answers[], faulty_over_reads[],
    faulty_plans_faults[], faulty_giant[];

/* ---- element types: element.c ---------------------------------------------------------------- */

uint32_t faulty_type_bytes(uint32_t type);
bool faulty_type_float(uint32_t type);
bool faulty_type_signed(uint32_t type);
/* The sign bit. */
uint64_t faulty_sign(uint32_t type);
/* The bits of +infinity. */
uint64_t faulty_infinity(uint32_t type);
bool faulty_nan(uint32_t type, uint64_t bits);
bool faulty_denormal(uint32_t type, uint64_t bits);
/* A key that ascends with the value; both zeros have the same key, NaN has the greatest. */
#define FAULTY_NAN_KEY (UINT64_C(1) << 40)
uint64_t faulty_key(uint32_t type, uint64_t bits);

/* The address of byte i of an element, from the least significant one, at offset `at` from the
 * start of a tensor, in the machine's byte order. */
uint64_t faulty_byte(const struct tensor *tensor, uint64_t at, uint32_t i);

/* The offset of an element in bytes, by its number; whether all of it is in the buffer. */
static inline uint64_t faulty_place(const struct tensor *tensor, uint64_t element)
{
    return (element & tensor->most_element) * tensor->bytes & tensor->most_byte;
}

static inline bool faulty_inside(const struct tensor *tensor, uint64_t at)
{
    return at <= tensor->room && tensor->room - at >= tensor->bytes;
}

/* The two functions below, for an element that may be partly outside the buffer. */
uint64_t faulty_load_bytes(const struct tensor *tensor, uint64_t at);
void faulty_store_bytes(const struct tensor *tensor, uint64_t at, uint64_t bits, uint32_t bytes);

/* Reads an element by its number; bytes outside the buffer are 0. */
static inline uint64_t faulty_load(const struct tensor *tensor, uint64_t element)
{
    const uint64_t at = faulty_place(tensor, element);
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (faulty_inside(tensor, at) ? tensor->bytes : 0) {
    case 1:
        return tensor->start[at];
    case 2:
        memcpy(&two, tensor->start + at, sizeof two);
        return two;
    case 4:
        memcpy(&four, tensor->start + at, sizeof four);
        return four;
    case 8:
        memcpy(&eight, tensor->start + at, sizeof eight);
        return eight;
    default:
        return faulty_load_bytes(tensor, at);
    }
}

/* Writes the first `bytes` bytes of an element, as far as they are in the buffer. */
static inline void faulty_store(const struct tensor *tensor, uint64_t element, uint64_t bits,
                                uint32_t bytes)
{
    const uint64_t at = faulty_place(tensor, element);
    const uint16_t two = (uint16_t)bits;
    const uint32_t four = (uint32_t)bits;
    switch (bytes == tensor->bytes && faulty_inside(tensor, at) ? bytes : 0) {
    case 1:
        tensor->start[at] = (unsigned char)bits;
        return;
    case 2:
        memcpy(tensor->start + at, &two, sizeof two);
        return;
    case 4:
        memcpy(tensor->start + at, &four, sizeof four);
        return;
    case 8:
        memcpy(tensor->start + at, &bits, sizeof bits);
        return;
    default:
        faulty_store_bytes(tensor, at, bits, bytes);
    }
}

/* ---- entries: entry.c ------------------------------------------------------------------------ */

/* Whether an entry comes before another: by key and then index; or by key alone. They and
 * faulty_swap() are here to be inlined, because the kernels spend most of their time on them. */
typedef bool faulty_order(const struct entry *a, const struct entry *b);

static inline bool faulty_before(const struct entry *a, const struct entry *b)
{
    return a->key != b->key ? a->key < b->key : a->index < b->index;
}

static inline bool faulty_before_key(const struct entry *a, const struct entry *b)
{
    return a->key < b->key;
}

static inline void faulty_swap(struct entry *a, struct entry *b)
{
    const struct entry swapped = *a;
    *a = *b;
    *b = swapped;
}

void faulty_reverse(struct entry *entries, uint32_t count);
/* Sorts by key, stably: by insertion, or by digits if there are many. scratch: room for `count`
 * entries. */
void faulty_sort(struct entry *entries, uint32_t count, struct entry *scratch);

/* ---- the correct implementation: kernel.c
 * -------------------------------------------------------- */

/* Computes the call, with the steps of self->fault. */
void faulty_compute(struct faulty *self);

/* Sets the answer; returns false. */
bool faulty_answer(struct faulty *self, uint32_t status, const char *reason);

/* Whether a call has all tensors; and whether the input has its axis. */
bool faulty_whole(const struct topk_backend_call *call);
bool faulty_axis_there(const struct topk_backend_call *call);

/* Saves a tensor's content for a later call; restores it as far as it fits. */
void faulty_keep(struct faulty *self, enum role role, uint64_t bytes);
void faulty_recall(struct faulty *self, enum role role, uint64_t bytes);

/* The strides of a packed tensor. */
void faulty_packed_strides(const struct topk_backend_tensor *desc, uint64_t strides[RANK]);
/* Writes the first K entries to the outputs; writes one entry to one slot. */
void faulty_write(struct row *row);
void faulty_write_slot(struct row *row, uint32_t slot, const struct entry *entry);
/* Leaves the outputs unchanged; leaves the upper halves of wide indices unchanged. */
void faulty_write_nothing(struct row *row);
void faulty_write_low(struct row *row);
/* In a sorted sequence, the entries from .. to - 1 equal the K-th. */
uint32_t faulty_tied_from(const struct row *row);
uint32_t faulty_tied_to(const struct row *row);
/* The end of the run of equal keys that starts at `from`. */
uint32_t faulty_run_end(const struct row *row, uint32_t from);
/* Selects the last of the elements that equal the K-th instead of the first. */
void faulty_boundary_high(struct row *row);
/* Before sorting: moves the elements from `from` on after all others; reverses the order. */
void faulty_forget(struct row *row, uint32_t from);
void faulty_turn_keys(struct row *row);
/* For the selected entries: truncates indices to the bits of row->amount; clears all from slot
 * row->amount on. */
void faulty_mask_indices(struct row *row);
void faulty_clear_slots(struct row *row);
/* Before sorting: selects the largest as the smallest of the negated values; compares 8-byte values
 * by their low halves. */
void faulty_negate(struct row *row);
void faulty_low_half(struct row *row);
/* Whether the sequence has a NaN whose bits include these. */
bool faulty_has_nan(const struct row *row, uint64_t bits);
/* Sorts the first `count` entries by index. */
void faulty_by_index(struct row *row, uint32_t count);
/* A pseudorandom number below 2^32, from the numbers of the call and of the sequence. */
uint64_t faulty_chance(const struct row *row);
/* Reverses the order of equal keys in a sorted sequence. */
void faulty_reverse_ties(struct row *row);
/* Reverses the first K entries. */
void faulty_reverse_selected(struct row *row);
/* In a sorted sequence: drops the best, if there are more than K; drops the K-th. */
void faulty_lose_first(struct row *row);
void faulty_lose_last(struct row *row);
/* Flips a bit of the last selected value. */
void faulty_spoil_value(struct row *row);

/* ---- correct ways to select: shapes.c
 * ------------------------------------------------------------ */

/* A heap of the K best with the worst at its root, which an entry that comes before it replaces. */
void faulty_heap(struct row *row, faulty_order *before);
/* The same, but comparing values only, which is wrong. */
void faulty_heap_by_value(struct row *row);

/* How a bitonic network exchanges two entries: *a becomes the one that comes first. */
typedef void faulty_exchange(struct entry *a, struct entry *b);
void faulty_exchange_right(struct entry *a, struct entry *b);
/* Sorts the sequence with a bitonic network, padded with `pad` to a power of two; the index of a
 * pad is its position. */
void faulty_network(struct row *row, const struct entry *pad, faulty_exchange *exchange);
/* The same for a float, padded with a value that comes before equal ones. */
void faulty_network_pad_first(struct row *row, uint64_t bits);
/* The pad that comes after everything. */
extern const struct entry faulty_pad;

/* Finds the K-th key digit by digit with histograms, then gathers the elements before it, and as
 * many equal ones as fit. counted: whether an element is counted in the histogram, by its number;
 * NULL: all are. Slots for which nothing was gathered get index UINT32_MAX. */
void faulty_threshold(struct row *row, bool (*counted)(const struct row *row, uint32_t number));

/* Sorts blocks of 64 separately, and then the K best of each. lost: the number of a block that is
 * dropped; UINT32_MAX: none. */
void faulty_blocks(struct row *row, uint32_t lost);

#endif
