/* Choices: the source of the generator's decisions. With every kind of source, 0 is the plainest
 * choice, so that a short byte string makes a small case.
 *
 * The generator declares which part of a case its next choices decide. The choices of a part are
 * divided into pieces; for example, each literal element is one. A mutator of byte strings
 * (mutate.c) can therefore change one piece and keep the others, although the value of one byte can
 * determine how many bytes follow.
 */
#ifndef TOPK_CHOICE_H
#define TOPK_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reference/pcg.h"

/* Greatest number of choices that an exhaustive source varies. */
#define TOPK_CHOICE_DEPTH 16

enum topk_choice_source {
    TOPK_CHOICE_RANDOM, /* PCG32 */
    TOPK_CHOICE_BYTES,  /* a byte string, for example from a fuzzer */
    TOPK_CHOICE_PIECES, /* one byte string per piece */
    TOPK_CHOICE_ALL     /* every sequence of choices, one after another */
};

/* What choices decide. */
enum topk_part {
    TOPK_PART_KIND,     /* valid or not */
    TOPK_PART_OPERATOR, /* operator, types, direction */
    TOPK_PART_SIZES,    /* rank, Axis, sizes */
    TOPK_PART_K,
    TOPK_PART_INPUT,  /* layout and binding of the input */
    TOPK_PART_VALUE,  /* the same for the value output */
    TOPK_PART_INDEX,  /* the same for the index output */
    TOPK_PART_EXTRAS, /* flags, padding, relation */
    TOPK_PART_LEVEL,
    TOPK_PART_DATA,    /* recipe and its parameters */
    TOPK_PART_ELEMENT, /* a literal element */
    TOPK_PART_SPOIL,   /* what makes the call invalid */
    TOPK_PART_CALLS,   /* whether there are more calls, and what each is */
    TOPK_PART_COUNT
};

/* The choices of one piece, as a byte string that is not owned. */
struct topk_piece {
    const unsigned char *bytes;
    size_t length;
};

/* The pieces of each part. */
struct topk_pieces {
    const struct topk_piece *list[TOPK_PART_COUNT]; /* not owned */
    size_t count[TOPK_PART_COUNT];
};

/* One recorded choice. */
struct topk_traced {
    uint32_t at;    /* offset of its first byte in the trace */
    uint32_t bound; /* 0: random bits */
    uint8_t bytes;
    uint8_t part;
    bool first; /* the first of its piece */
};

/* Records choices from bytes, until there is no more room. */
struct topk_trace {
    unsigned char *bytes; /* a byte string that makes the same choices, with `room` bytes */
    size_t room;
    size_t length;
    struct topk_traced *list; /* room for list_room entries; list_room may be 0 */
    size_t list_room;
    size_t count;
    bool begins; /* the next choice is the first of a piece */
    bool full;   /* a choice had no room in `bytes` */
};

struct topk_choice {
    enum topk_choice_source source;
    struct topk_pcg pcg;              /* RANDOM */
    const unsigned char *bytes;       /* BYTES, PIECES: not owned */
    size_t length;                    /* BYTES, PIECES: bytes that are left */
    const struct topk_pieces *pieces; /* PIECES: not owned */
    size_t next[TOPK_PART_COUNT];     /* PIECES: the next piece of each part */
    enum topk_part part;              /* the part that choices now decide */
    struct topk_trace *trace;         /* BYTES, PIECES: not owned; NULL for none */
    uint32_t depth; /* ALL: choices made since the start or topk_choice_advance() */
    uint32_t chosen[TOPK_CHOICE_DEPTH];
    uint32_t bounds[TOPK_CHOICE_DEPTH];
};

/* Random choices for case `position` of a seed, independent of those for other cases. */
void topk_choice_seed(struct topk_choice *choice, uint64_t seed, uint64_t position);

/* Choices from a byte string, which must stay valid. After its end every choice is 0. */
void topk_choice_bytes(struct topk_choice *choice, const unsigned char *bytes, size_t length);

/* Choices from one byte string per piece. After the end of a string, and for pieces that are
 * missing, every choice is 0. */
void topk_choice_pieces(struct topk_choice *choice, const struct topk_pieces *pieces);

/* Declares that the following choices decide a new piece of a part. */
void topk_choice_part(struct topk_choice *choice, enum topk_part part);

/* Enumerates all sequences of choices, starting with zeros. Choices after the first
 * TOPK_CHOICE_DEPTH are 0. */
void topk_choice_all(struct topk_choice *choice);

/* Starts the next sequence of topk_choice_all(), in the order of an odometer: the last choice
 * changes fastest. Returns false after the last sequence. */
bool topk_choice_advance(struct topk_choice *choice);

/* Chooses a number from 0 to bound - 1; bound > 0. A byte string supplies as many bytes as bound -
 * 1 needs, little-endian, modulo bound. */
uint32_t topk_choice_below(struct topk_choice *choice, uint32_t bound);

/* True with a chance of one in `times`; false for choice 0. */
bool topk_choice_once_in(struct topk_choice *choice, uint32_t times);

/* `bytes` (1 to 8) bytes of random bits; 0 from topk_choice_all(). */
uint64_t topk_choice_bits(struct topk_choice *choice, uint32_t bytes);

#endif
