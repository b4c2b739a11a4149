/* Misreadings: the outputs of a backend that misunderstands the clauses in one way. Used only in
 * reference/. */
#ifndef TOPK_READING_H
#define TOPK_READING_H

#include "diagnosis.h"

enum order {
    ORDER_VALUE,
    ORDER_TOTAL,
    ORDER_DENORMAL_ZERO,
    ORDER_HALF,
    ORDER_INFINITY_FINITE,
    ORDER_DOUBLE,
    ORDER_FLOAT,
    ORDER_LOW_HALF,
    ORDER_LOW_HALF_SIGN,
    ORDER_LOW_HALF_SIGNED,
    ORDER_HIGH_HALF,
    ORDER_SIGNEDNESS,
    ORDER_BITS,
    ORDER_MAGNITUDE,
    ORDER_NEGATED /* by their negation, in reverse; the least value has none */
};
enum ties {
    TIES_ASCENDING,
    TIES_DESCENDING,
    TIES_HIGH,    /* at the boundary the highest indices are selected, in ascending order */
    TIES_REVERSED /* at the boundary the lowest indices are selected, in descending order */
};
enum index {
    INDEX_SEQUENCE,
    INDEX_FLAT,
    INDEX_MEMORY,
    INDEX_SCALED,
    INDEX_ONE_BASED,
    INDEX_OUTPUT, /* the position of the output */
    INDEX_ZERO,
    INDEX_ONES,
    INDEX_8_BITS,
    INDEX_16_BITS,
    INDEX_SIGNED_16
};
enum lost {
    LOST_NONE,
    LOST_BEST,  /* skips the first one; the others move up */
    LOST_KTH,   /* skips the last selected one; the next one replaces it */
    LOST_MIDDLE /* ignores the middle of the sequence */
};
/* Readings that do not determine each output, but limit what a wrong one may be: an output is
 * correct, or this. partial.c has a function for each. */
enum partial {
    PARTIAL_NONE,
    PARTIAL_UNWRITTEN, /* it is unchanged since before the call; in unwritten.c */
    PARTIAL_ZEROED,
    PARTIAL_MARKED,
    PARTIAL_UNSORTED,
    PARTIAL_APART,
    PARTIAL_NEIGHBOUR,
    PARTIAL_BEYOND,
    PARTIAL_PADDED
};
/* The value with which a sequence is padded, if that is selected like an element. */
enum pad {
    PAD_NONE,
    PAD_ZERO,
    PAD_WORST,  /* the value that is selected last */
    PAD_FINITE, /* the finite value that is selected last */
    PAD_NORMAL  /* the least positive normal number */
};

/* How a backend may understand the clauses. All zero is the correct way. */
struct reading {
    enum order order; /* what is compared */
    enum ties ties;   /* how ties are broken */
    enum index index; /* what an index is */
    enum lost lost;   /* which element is not selected */
    enum partial partial;
    enum pad pad;
    uint32_t shorter;   /* number of elements at the end of a sequence that are ignored */
    bool opposite;      /* selects from the other end */
    bool reversed;      /* writes the selected elements in reverse */
    bool flush;         /* writes denormals as zeros */
    bool unsigned_zero; /* writes -0 as +0 */
    bool finite;        /* writes infinities as the greatest finite values */
    bool swapped;       /* exchanges values and indices */
    bool input_packed;  /* ignores strides */
    bool value_packed;
    bool index_packed;
    bool no_offset; /* ignores the input's binding offset */
};

/* indexed by enum topk_reading; the first is the correct way */
extern const struct reading topk_readings[TOPK_READING_COUNT];

/* An element of a sequence, as a reading processes it. */
struct element {
    uint64_t key; /* a smaller one comes first */
    uint64_t tie; /* then the smaller one of this */
    uint64_t bits;
    uint32_t index;
};
/* Returns less than, equal to or greater than 0 if a comes before b, ties with it, or comes after
 * it: by key, then by tie. */
int topk_element_compare(const struct element *a, const struct element *b);

/* A tensor in the view of a reading. */
struct view {
    const unsigned char *data; /* the first byte */
    uint64_t room;             /* bytes to the end of the buffer */
    uint32_t bytes;            /* of an element */
    uint64_t strides[TOPK_RANK_MAX];
};

void topk_view_make(struct view *view, const struct topk_tensor *tensor,
                    const unsigned char *buffer, const struct topk_exhibit *exhibit, bool packed,
                    bool no_offset);
/* The offset of an element from the view's data. False if it is outside the buffer. */
bool topk_view_place(const struct view *view, uint32_t rank, const uint32_t at[], uint64_t *place);
/* Loads an element. False if it is outside the buffer. */
bool topk_view_load(const struct view *view, uint32_t rank, const uint32_t at[], uint64_t *bits);

/* The key of bits under an order, smaller for smaller values; *applies is set to false if the order
 * does not apply to the type. */
uint64_t topk_reading_key(uint32_t type, enum order order, uint64_t bits, bool *applies);

/* What a reading writes to one output. */
struct reading_output {
    uint64_t value;
    uint64_t index;
};

/* Loads the first `length` elements of the sequence at `at` as a reading compares them, in order of
 * index; at[axis] changes. Returns false if the reading does not apply: to the type, to a NaN, or
 * because it reads outside the buffer. */
bool topk_reading_load(const struct topk_operator *op, const struct reading *reading,
                       const struct view *input, uint32_t at[], uint32_t length,
                       struct element *row);

/* Selects from the sequence at `at` according to a reading; the first K entries of row become the
 * selection, in order; at[axis] changes. row: room for Sizes[Axis] entries; those after K are
 * undefined. Returns false if the reading does not apply: to the type, to a NaN, or because it
 * reads outside the buffer. first: NULL, or the known first output; then returns false early if the
 * reading gives another. */
bool topk_reading_select(const struct topk_operator *op, const struct reading *reading,
                         const struct view *input, uint32_t at[],
                         const struct reading_output *first, struct element *row);

/* Returns the output at position j of the selection. at: coordinates in the sequence; at[axis]
 * changes. */
struct reading_output topk_reading_output(const struct topk_operator *op,
                                          const struct reading *reading, const struct element *row,
                                          uint32_t at[], uint32_t j);

/* One sequence: the correct result and the actual one. */
struct outcome {
    const struct topk_operator *op;
    uint64_t sequence;
    uint32_t length;
    const struct view *input;
    /* all elements, in the correct order for a wrong sequence */
    const struct element *row;
    const uint32_t *ranks;                /* for each element, its position in `row` */
    const struct reading_output *outputs; /* K */
    const unsigned char *selected;        /* for each element, whether an output has its index */
    unsigned char *seen;                  /* room for one flag per element */
    struct element *other;                /* room for another sequence */
};

/* What the order of outputs, and the elements that are not selected, prove about a reading that
 * changes neither indices nor values, nor their positions. */
enum topk_certified {
    TOPK_REFUTED,
    TOPK_OPEN, /* possible */
    TOPK_PROVED
};
enum topk_certified topk_reading_certify(const struct outcome *outcome,
                                         const struct reading *reading);

/* Whether the outputs of a wrong sequence are consistent with a partial reading. *state: 0 before
 * the first sequence of the call; private to the reading. */
bool topk_reading_partial(const struct reading *reading, const struct outcome *outcome,
                          uint32_t *state);

/* The bits of a pad; false if there is none for the type. */
bool topk_reading_pad(const struct topk_operator *op, enum pad pad, uint64_t *bits);

/* Whether every wrong output has its value from before the call. */
bool topk_reading_unwritten(const struct topk_operator *op,
                            const struct topk_exhibit exhibits[TOPK_ROLE_COUNT]);

#endif
