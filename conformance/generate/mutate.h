/* The structure-aware mutator: makes of a byte string that is choices another one. It takes the
 * choices apart into the pieces that are drawn (sizes, K, layouts, elements, ...), changes a few
 * and puts them together again, so that all other pieces stay what they are. One mutator for all:
 * explore and, in fuzz/, every engine. The same seed makes the same bytes. Not for two threads. */
#ifndef TOPK_MUTATE_H
#define TOPK_MUTATE_H

#include "choice.h"

/* Makes all choices of a byte string, for what they are. */
typedef void topk_draw(struct topk_choice *choice);

/* Mutates in place; room: bytes at `bytes`. Returns the new length. */
size_t topk_mutate_pieces(topk_draw *draw, unsigned char *bytes, size_t length, size_t room,
                          uint64_t seed);

/* Mutates in place a byte string of any kind, byte by byte. */
size_t topk_mutate_bytes(unsigned char *bytes, size_t length, size_t room, uint64_t seed);

/* Crosses two byte strings: each part of the result is that of either. Returns the length of what
 * is written to `to`, which has `room` bytes. */
size_t topk_mutate_cross(topk_draw *draw, const struct topk_piece *a, const struct topk_piece *b,
                         unsigned char *to, size_t room, uint64_t seed);

/* How many pieces there are that can be made plain, and the byte string with one of them plain,
 * written to `to`, which may be `bytes`. */
size_t topk_mutate_piece_count(topk_draw *draw, const unsigned char *bytes, size_t length);
size_t topk_mutate_without_piece(topk_draw *draw, const unsigned char *bytes, size_t length,
                                 size_t piece, unsigned char *to, size_t room);

#endif
