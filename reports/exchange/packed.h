/* What the readers of other projects' files share: a packed tensor, and how a reader refuses.
 *
 * Readers get untrusted bytes. They touch no file, keep no state, and take memory in proportion to
 * their input. They return a tensor or a reason, whatever the bytes are. */
#ifndef TOPK_PACKED_H
#define TOPK_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reference/element.h"
#include "reference/tensor.h"

/* A tensor without strides: elements in row-major order, the least byte of each first. */
struct topk_packed {
    uint32_t type;                   /* enum topk_type, one of the ten */
    uint32_t rank;                   /* 0..TOPK_RANK_VALID; 0: one element */
    uint32_t sizes[TOPK_RANK_VALID]; /* none is 0 */
    uint64_t elements;
    unsigned char *data; /* owned; elements times the type's bytes */
};

/* Where and why bytes were refused. */
struct topk_refusal {
    uint64_t byte; /* offset in what was read */
    bool no_memory;
    char reason[200];
};

/* Fills a refusal and returns false. */
#if defined(__GNUC__) && !defined(_WIN32) /* its printf is not that of the attribute */
__attribute__((format(printf, 3, 4)))
#endif
bool topk_refuse(struct topk_refusal *refusal, uint64_t byte, const char *format, ...);

/* Sets type and sizes, without data. False, with the reason, where TOP_K knows no such tensor: more
 * dimensions than TOPK_RANK_VALID, a size of 0 or below or beyond 32 bits, 2^32 elements or more.
 */
bool topk_packed_shape(struct topk_packed *packed, uint32_t type, const int64_t *sizes,
                       uint64_t rank, uint64_t byte, struct topk_refusal *refusal);

/* Takes memory for the elements of a shape. */
bool topk_packed_allocate(struct topk_packed *packed, uint64_t byte, struct topk_refusal *refusal);

uint64_t topk_packed_bytes(const struct topk_packed *packed);

/* The bits of an element, by its number in row-major order. */
uint64_t topk_packed_get(const struct topk_packed *packed, uint64_t element);
void topk_packed_set(struct topk_packed *packed, uint64_t element, uint64_t bits);

/* Frees the data and zeroes it. */
void topk_packed_clear(struct topk_packed *packed);

#endif
