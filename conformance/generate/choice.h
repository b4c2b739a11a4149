/* Choices: where the generator gets what it decides by. Of whatever source, choosing 0 is choosing
 * the plainest, so that a short byte string makes a small case.
 *
 * The generator says which part of a case its choices decide, and the parts come in pieces: an
 * element is one. Who changes byte strings (mutate.c) so changes a piece and keeps the others,
 * although a byte of one says how many bytes the next ones are. */
#ifndef TOPK_CHOICE_H
#define TOPK_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reference/pcg.h"

/* Most choices that an exhaustive source remembers. */
#define TOPK_CHOICE_DEPTH 16

enum topk_choice_source {
    TOPK_CHOICE_RANDOM, /* PCG32 */
    TOPK_CHOICE_BYTES,  /* a byte string, as a fuzzer makes it */
    TOPK_CHOICE_PIECES, /* a byte string for each piece */
    TOPK_CHOICE_ALL     /* every sequence of choices, one after the other */
};

/* What choices decide. */
enum topk_part {
    TOPK_PART_KIND,     /* valid or not */
    TOPK_PART_OPERATOR, /* operator, types, direction */
    TOPK_PART_SIZES,    /* rank, Axis, sizes */
    TOPK_PART_K,
    TOPK_PART_INPUT,  /* layout and binding of the input */
    TOPK_PART_VALUE,  /* of the value output */
    TOPK_PART_INDEX,  /* of the index output */
    TOPK_PART_EXTRAS, /* flags, padding, relation */
    TOPK_PART_LEVEL,
    TOPK_PART_DATA,    /* recipe and its parameters */
    TOPK_PART_ELEMENT, /* a literal element */
    TOPK_PART_SPOIL,   /* what is made wrong */
    TOPK_PART_CALLS,   /* whether there are more calls, and each of them */
    TOPK_PART_COUNT
};

/* The choices of a piece, as a byte string that is not owned. */
struct topk_piece {
    const unsigned char *bytes;
    size_t length;
};

/* The pieces of each part. */
struct topk_pieces {
    const struct topk_piece *list[TOPK_PART_COUNT]; /* not owned */
    size_t count[TOPK_PART_COUNT];
};

/* A choice as it was made. */
struct topk_traced {
    uint32_t at;    /* its first byte in the trace */
    uint32_t bound; /* 0: bits */
    uint8_t bytes;
    uint8_t part;
    bool first; /* of a piece */
};

/* Records what choices of bytes are made, up to the first that there is no room for. */
struct topk_trace {
    unsigned char *bytes; /* the byte string that makes the same choices; room for `room` */
    size_t room;
    size_t length;
    struct topk_traced *list; /* room for list_room, which may be 0 */
    size_t list_room;
    size_t count;
    bool begins; /* the next choice is the first of a piece */
    bool full;   /* a choice had no room in `bytes` */
};

struct topk_choice {
    enum topk_choice_source source;
    struct topk_pcg pcg;              /* RANDOM */
    const unsigned char *bytes;       /* BYTES, PIECES: not owned */
    size_t length;                    /* BYTES, PIECES: not used yet */
    const struct topk_pieces *pieces; /* PIECES: not owned */
    size_t next[TOPK_PART_COUNT];     /* PIECES: of each part */
    enum topk_part part;              /* that is decided now */
    struct topk_trace *trace;         /* of BYTES and PIECES; NULL: none. Not owned */
    uint32_t depth; /* ALL: choices made since the start or topk_choice_advance() */
    uint32_t chosen[TOPK_CHOICE_DEPTH];
    uint32_t bounds[TOPK_CHOICE_DEPTH];
};

/* Random choices: those of case `position` of a seed, whatever was drawn for the others. */
void topk_choice_seed(struct topk_choice *choice, uint64_t seed, uint64_t position);

/* Choices from a byte string, which has to outlive them. Behind its end every choice is 0. */
void topk_choice_bytes(struct topk_choice *choice, const unsigned char *bytes, size_t length);

/* Choices from a byte string for each piece; behind its end, and in a piece too many, each is 0. */
void topk_choice_pieces(struct topk_choice *choice, const struct topk_pieces *pieces);

/* Says what the choices that follow decide: a piece of that part begins. */
void topk_choice_part(struct topk_choice *choice, enum topk_part part);

/* All sequences of choices, starting with zeros. Choices beyond TOPK_CHOICE_DEPTH are 0. */
void topk_choice_all(struct topk_choice *choice);

/* Of topk_choice_all(): starts over with the next sequence, in the order of an odometer whose last
 * choice turns fastest. False if that was the last one. */
bool topk_choice_advance(struct topk_choice *choice);

/* One of 0..bound-1; bound > 0. A byte string gives as many bytes as bound - 1 has, little end
 * first, modulo bound. */
uint32_t topk_choice_below(struct topk_choice *choice, uint32_t bound);

/* True once in `times`; never where choices are 0. */
bool topk_choice_once_in(struct topk_choice *choice, uint32_t times);

/* `bytes` (1 to 8) bytes of bits; 0 from topk_choice_all(). */
uint64_t topk_choice_bits(struct topk_choice *choice, uint32_t bytes);

#endif
