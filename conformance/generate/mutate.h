/* The structure-aware mutator changes a byte string that supplies choices. It splits the choices
 * into the pieces that are drawn (sizes, K, layouts, elements, ...), changes a few, and joins them
 * again, so that all other pieces stay the same. `explore` and all engines in fuzz/ use it. The
 * same seed makes the same bytes. Not thread-safe. */
#ifndef TOPK_MUTATE_H
#define TOPK_MUTATE_H

#include "choice.h"

/* Makes all choices of a byte string and ignores the result. */
typedef void topk_draw(struct topk_choice *choice);

/* Mutates a byte string in place; `bytes` has `room` bytes. Returns the new length. */
size_t topk_mutate_pieces(topk_draw *draw, unsigned char *bytes, size_t length, size_t room,
                          uint64_t seed);

/* Mutates any byte string in place, byte by byte. Returns the new length. */
size_t topk_mutate_bytes(unsigned char *bytes, size_t length, size_t room, uint64_t seed);

/* Crosses two byte strings: takes each part from one of them. Writes the result to `to`, which has
 * `room` bytes, and returns its length. */
size_t topk_mutate_cross(topk_draw *draw, const struct topk_piece *a, const struct topk_piece *b,
                         unsigned char *to, size_t room, uint64_t seed);

/* How many pieces can be made plain; and the same byte string with one of them made plain, written
 * to `to`, which may be `bytes`. */
size_t topk_mutate_piece_count(topk_draw *draw, const unsigned char *bytes, size_t length);
size_t topk_mutate_without_piece(topk_draw *draw, const unsigned char *bytes, size_t length,
                                 size_t piece, unsigned char *to, size_t room);

#endif
