/* Shared by the readers of other projects' files: a packed tensor, and how a reader reports a
 * refusal.
 *
 * Readers get untrusted bytes. They access no file, keep no state, and use memory in proportion to
 * their input. For any input they return a tensor or a reason.
 */
#ifndef TOPK_PACKED_H
#define TOPK_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reference/element.h"
#include "reference/tensor.h"

/* A tensor without strides: elements in row-major order, little-endian. */
struct topk_packed {
    uint32_t type;                   /* enum topk_type, one of the ten */
    uint32_t rank;                   /* 0..TOPK_RANK_VALID; 0: one element */
    uint32_t sizes[TOPK_RANK_VALID]; /* none is 0 */
    uint64_t elements;
    unsigned char *data; /* owned; number of elements times the type's size */
};

/* Where and why bytes were refused. */
struct topk_refusal {
    uint64_t byte; /* offset in the input */
    bool no_memory;
    char reason[200];
};

/* Fills a refusal and returns false. */
#if defined(__GNUC__) && !defined(_WIN32) /* its printf is not that of the attribute */
__attribute__((format(printf, 3, 4)))
#endif
bool topk_refuse(struct topk_refusal *refusal, uint64_t byte, const char *format, ...);

/* Sets type and sizes, without data. Returns false, with the reason, if TOP_K allows no such
 * tensor: more dimensions than TOPK_RANK_VALID, a size that is not positive or exceeds 32 bits,
 * 2^32 elements or more. */
bool topk_packed_shape(struct topk_packed *packed, uint32_t type, const int64_t *sizes,
                       uint64_t rank, uint64_t byte, struct topk_refusal *refusal);

/* Allocates the elements of a shape. */
bool topk_packed_allocate(struct topk_packed *packed, uint64_t byte, struct topk_refusal *refusal);

uint64_t topk_packed_bytes(const struct topk_packed *packed);

/* Read and write the bits of an element, by its number in row-major order. */
uint64_t topk_packed_get(const struct topk_packed *packed, uint64_t element);
void topk_packed_set(struct topk_packed *packed, uint64_t element, uint64_t bits);

/* Frees the data and zeroes the struct. */
void topk_packed_clear(struct topk_packed *packed);

#endif
