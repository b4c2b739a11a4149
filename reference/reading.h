/* What a misreading makes of a call: the outputs that a backend would give that understood the
 * clauses so. Within reference/ only. */
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
    ORDER_NEGATED /* by their negation, the other way round: the least value has none */
};
enum ties {
    TIES_ASCENDING,
    TIES_DESCENDING,
    TIES_HIGH,    /* of those at the boundary the highest are selected, and ascend */
    TIES_REVERSED /* of those at the boundary the lowest are selected, and descend */
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
    LOST_BEST,  /* what comes first is passed over, and the others move up */
    LOST_KTH,   /* what comes last of the selected is, and the next one takes its place */
    LOST_MIDDLE /* what is in the middle of the sequence is not looked at */
};
/* Readings that do not say what each output is, but what a wrong one may be: an output is right or
 * this. partial.c has a function for each. */
enum partial {
    PARTIAL_NONE,
    PARTIAL_UNWRITTEN, /* it holds what it held before; unwritten.c */
    PARTIAL_ZEROED,
    PARTIAL_MARKED,
    PARTIAL_UNSORTED,
    PARTIAL_APART,
    PARTIAL_NEIGHBOUR,
    PARTIAL_BEYOND,
    PARTIAL_PADDED
};
/* What a sequence is filled up with, where that takes part in the selection. */
enum pad {
    PAD_NONE,
    PAD_ZERO,
    PAD_WORST,  /* what would be selected last */
    PAD_FINITE, /* the same of finite values */
    PAD_NORMAL  /* the least positive normal number */
};

/* How a backend may have understood the clauses. Zero is the right way. */
struct reading {
    enum order order; /* what it compares */
    enum ties ties;   /* what comes first of equals */
    enum index index; /* what it calls an index */
    enum lost lost;   /* which element it does not select */
    enum partial partial;
    enum pad pad;
    uint32_t shorter;   /* elements at the end of a sequence that it does not see */
    bool opposite;      /* it selects from the other end */
    bool reversed;      /* it writes the selected ones in reverse */
    bool flush;         /* it writes denormals as zeros */
    bool unsigned_zero; /* it writes -0 as +0 */
    bool finite;        /* it writes infinities as the greatest finite values */
    bool swapped;       /* it writes values as indices, and indices as values */
    bool input_packed;  /* it ignores strides */
    bool value_packed;
    bool index_packed;
    bool no_offset; /* it ignores the input's binding offset */
};

/* by enum topk_reading; the first is the right way */
extern const struct reading topk_readings[TOPK_READING_COUNT];

/* An element of a sequence on its way through a reading. */
struct element {
    uint64_t key; /* less comes first */
    uint64_t tie; /* then less of this */
    uint64_t bits;
    uint32_t index;
};
/* Less than, equal to or greater than 0, as a comes before b, with it or behind it: by key, then by
 * tie. */
int topk_element_compare(const struct element *a, const struct element *b);

/* One tensor, as a reading sees it. */
struct view {
    const unsigned char *data; /* its first byte */
    uint64_t room;             /* bytes from there to the end of the buffer */
    uint32_t bytes;            /* of an element */
    uint64_t strides[TOPK_RANK_MAX];
};

void topk_view_make(struct view *view, const struct topk_tensor *tensor,
                    const unsigned char *buffer, const struct topk_exhibit *exhibit, bool packed,
                    bool no_offset);
/* Where an element lies, in bytes from the view's data. False if that is outside of the buffer. */
bool topk_view_place(const struct view *view, uint32_t rank, const uint32_t at[], uint64_t *place);
/* Loads an element. False if it lies outside of the buffer. */
bool topk_view_load(const struct view *view, uint32_t rank, const uint32_t at[], uint64_t *bits);

/* The key of bits under an order, less for less; *applies becomes false where the type does not
 * allow it. */
uint64_t topk_reading_key(uint32_t type, enum order order, uint64_t bits, bool *applies);

/* What a reading would write to one output. */
struct reading_output {
    uint64_t value;
    uint64_t index;
};

/* The first `length` elements of the sequence at `at` as a reading compares them, in the order of
 * their indices; at[axis] is changed. False if the reading does not apply: to the type, to a NaN,
 * to what lies outside of the buffer. */
bool topk_reading_load(const struct topk_operator *op, const struct reading *reading,
                       const struct view *input, uint32_t at[], uint32_t length,
                       struct element *row);

/* What a reading selects of the sequence at `at`, the first K of row in order; at[axis] is changed.
 * row: room for Sizes[Axis]; what is behind the first K is of no use. False if the reading does not
 * apply: to the type, to a NaN, to what lies outside of the buffer. first: NULL, or what the first
 * output is known to be; then false also if the reading gives another, which costs less than to
 * select all. */
bool topk_reading_select(const struct topk_operator *op, const struct reading *reading,
                         const struct view *input, uint32_t at[],
                         const struct reading_output *first, struct element *row);

/* The output at position j of what was selected. at: coordinates in the sequence; at[axis] is
 * changed. */
struct reading_output topk_reading_output(const struct topk_operator *op,
                                          const struct reading *reading, const struct element *row,
                                          uint32_t at[], uint32_t j);

/* One sequence: what is right, and what came out. */
struct outcome {
    const struct topk_operator *op;
    uint64_t sequence;
    uint32_t length;
    const struct view *input;
    const struct element *row;            /* all elements; of a wrong one as they should come out */
    const uint32_t *ranks;                /* of each element: where in `row` */
    const struct reading_output *outputs; /* K */
    const unsigned char *selected;        /* of each element: whether an output has its index */
    unsigned char *seen;                  /* room for a flag of each element */
    struct element *other;                /* room for another sequence */
};

/* What the order of outputs and what is not among them say of a reading that changes neither
 * indices nor values, nor where they lie. */
enum topk_certified {
    TOPK_REFUTED,
    TOPK_OPEN, /* it may be so */
    TOPK_PROVED
};
enum topk_certified topk_reading_certify(const struct outcome *outcome,
                                         const struct reading *reading);

/* Whether the outputs of a sequence that is wrong are as a partial reading has them. *state: 0
 * before the first sequence of the call; the reading's own. */
bool topk_reading_partial(const struct reading *reading, const struct outcome *outcome,
                          uint32_t *state);

/* The bits of what a sequence is filled up with; false if the reading has nothing for the type. */
bool topk_reading_pad(const struct topk_operator *op, enum pad pad, uint64_t *bits);

/* Whether every wrong output holds what it held before the call. */
bool topk_reading_unwritten(const struct topk_operator *op,
                            const struct topk_exhibit exhibits[TOPK_ROLE_COUNT]);

#endif
