/* NumPy's .npy files: a magic string, a version, a header that is a Python dictionary, the data.
 *
 * Written are files of version 1.0, in C order, the least byte first, the data 64 bytes aligned.
 * Read are those of versions 1.0 to 3.0 that hold one of the ten types in that order; others are
 * refused by name. The header is read as the dictionary of three keys that it is: nothing in it is
 * evaluated. */
#ifndef TOPK_NPY_H
#define TOPK_NPY_H

#include "packed.h"

/* Room for the longest header, magic and version included: a multiple of 64. */
#define TOPK_NPY_HEAD 192u

/* Writes what comes before the data; returns its length, a multiple of 64. */
size_t topk_npy_head(const struct topk_packed *packed, unsigned char head[TOPK_NPY_HEAD]);

/* Reads a whole file. False, with *refusal filled, if it cannot be read; *packed is then
 * cleared, and is to be cleared otherwise. */
bool topk_npy_read(const unsigned char *bytes, size_t size, struct topk_packed *packed,
                   struct topk_refusal *refusal);

#endif
