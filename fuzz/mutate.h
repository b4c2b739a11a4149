/* The structure-aware mutator: makes of an input that is choices another one. It takes the choices
 * apart into the pieces that the generator draws (sizes, K, layouts, elements, ...), changes a few
 * and puts them together again, so that all other pieces stay what they are. One mutator for all
 * engines: engine_libfuzzer.c and afl_mutator.c call it. The same seed makes the same input. */
#ifndef TOPK_MUTATE_H
#define TOPK_MUTATE_H

#include "fuzz.h"

/* Whether an input is one that has pieces: of a target with choices, and no text of a case. */
bool fuzz_has_pieces(const unsigned char *bytes, size_t length);

/* Mutates in place an input that has pieces; room: bytes at `bytes`. Returns the new length. */
size_t fuzz_mutate_pieces(unsigned char *bytes, size_t length, size_t room, uint64_t seed);

/* Mutates in place any input, byte by byte: for engines that do not do that themselves. */
size_t fuzz_mutate_bytes(unsigned char *bytes, size_t length, size_t room, uint64_t seed);

/* Crosses two inputs that have pieces: each part of the result is that of either. Returns the
 * length of what is written to `to`, which has `room` bytes. */
size_t fuzz_cross(const unsigned char *a, size_t a_length, const unsigned char *b, size_t b_length,
                  unsigned char *to, size_t room, uint64_t seed);

/* How many pieces an input has that can be made plain, and the input with one of them plain. */
size_t fuzz_piece_count(const unsigned char *bytes, size_t length);
size_t fuzz_without_piece(const unsigned char *bytes, size_t length, size_t piece,
                          unsigned char *to, size_t room);

#endif
