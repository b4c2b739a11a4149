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
    ORDER_NEGATED
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
    INDEX_ONE_BASED
};

/* How a backend may have understood the clauses. Zero is the right way. */
struct reading {
    enum order order;  /* what it compares */
    enum ties ties;    /* what comes first of equals */
    enum index index;  /* what it calls an index */
    uint32_t shorter;  /* elements at the end of a sequence that it does not see */
    bool opposite;     /* it selects from the other end */
    bool reversed;     /* it writes the selected ones in reverse */
    bool flush;        /* it writes denormals as zeros */
    bool input_packed; /* it ignores strides */
    bool value_packed;
    bool index_packed;
    bool no_offset; /* it ignores the input's binding offset */
    bool unwritten; /* it leaves outputs as they were, and is right in the others */
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
/* As qsort wants it: by key, then by tie. */
int topk_element_compare(const void *a, const void *b);

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

/* What a reading would write to one output. */
struct reading_output {
    uint64_t value;
    uint64_t index;
};

/* What a reading selects of the sequence at `at`, the first K of row in order; at[axis] is changed.
 * row: room for Sizes[Axis]. False if the reading does not apply: to the type, to a NaN, to what
 * lies outside of the buffer. first: NULL, or what the first output is known to be; then false also
 * if the reading gives another, which costs less than to select all. */
bool topk_reading_select(const struct topk_operator *op, const struct reading *reading,
                         const struct view *input, uint32_t at[],
                         const struct reading_output *first, struct element *row);

/* The output at position j of what was selected. at: coordinates in the sequence; at[axis] is
 * changed. */
struct reading_output topk_reading_output(const struct topk_operator *op,
                                          const struct reading *reading, const struct element *row,
                                          uint32_t at[], uint32_t j);

/* Whether every wrong output holds what it held before the call. */
bool topk_reading_unwritten(const struct topk_operator *op,
                            const struct topk_exhibit exhibits[TOPK_ROLE_COUNT]);

#endif
