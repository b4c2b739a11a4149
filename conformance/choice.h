/* Choices: where the generator gets what it decides by. Of whatever source, choosing 0 is choosing
 * the plainest, so that a short byte string makes a small case. */
#ifndef TOPK_CHOICE_H
#define TOPK_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pcg.h"

/* Most choices that an exhaustive source remembers. */
#define TOPK_CHOICE_DEPTH 16

enum topk_choice_source {
    TOPK_CHOICE_RANDOM, /* PCG32 */
    TOPK_CHOICE_BYTES,  /* a byte string, as a fuzzer makes it */
    TOPK_CHOICE_ALL     /* every sequence of choices, one after the other */
};

struct topk_choice {
    enum topk_choice_source source;
    struct topk_pcg pcg;        /* RANDOM */
    const unsigned char *bytes; /* BYTES: not owned */
    size_t length;              /* BYTES: not used yet */
    uint32_t depth;             /* ALL: choices made since the start or topk_choice_advance() */
    uint32_t chosen[TOPK_CHOICE_DEPTH];
    uint32_t bounds[TOPK_CHOICE_DEPTH];
};

/* Random choices: those of case `position` of a seed, whatever was drawn for the others. */
void topk_choice_seed(struct topk_choice *choice, uint64_t seed, uint64_t position);

/* Choices from a byte string, which has to outlive them. Behind its end every choice is 0. */
void topk_choice_bytes(struct topk_choice *choice, const unsigned char *bytes, size_t length);

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
