/* NumPy's .npy files: a magic string, a version, a header that is a Python dictionary, the data.
 *
 * The writer makes files of version 1.0, in C order, little-endian, with data aligned to 64 bytes.
 * The reader accepts versions 1.0 to 3.0 with one of the ten types in that byte order; others are
 * refused by name. The header is parsed as a dictionary with three keys; nothing in it is
 * evaluated.
 */
#ifndef TOPK_NPY_H
#define TOPK_NPY_H

#include "packed.h"

/* Size of the longest header, including magic and version: a multiple of 64. */
#define TOPK_NPY_HEAD 192u

/* Writes everything before the data; returns its length, a multiple of 64. */
size_t topk_npy_head(const struct topk_packed *packed, unsigned char head[TOPK_NPY_HEAD]);

/* Parses a whole file. Returns false, with *refusal filled and *packed cleared, if that fails;
 * otherwise clear *packed. */
bool topk_npy_read(const unsigned char *bytes, size_t size, struct topk_packed *packed,
                   struct topk_refusal *refusal);

#endif
