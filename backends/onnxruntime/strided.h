/* Strided tensors, gathered into packed ones and scattered from them: bits are moved, and nothing
 * else. */
#ifndef TOPK_ONNXRUNTIME_STRIDED_H
#define TOPK_ONNXRUNTIME_STRIDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topk_backend.h"

#define STRIDED_MAX_RANK     8u
#define STRIDED_MAX_ELEMENTS (UINT64_C(1) << 28)

struct strided_layout {
    uint32_t rank;
    size_t element_bytes;
    uint64_t elements;
    uint64_t sizes[STRIDED_MAX_RANK];
    uint64_t strides[STRIDED_MAX_RANK]; /* in bytes */
};

/* The layout of a tensor of 1 to STRIDED_MAX_RANK dimensions. False if it has more than
 * STRIDED_MAX_ELEMENTS elements. */
bool strided_layout(const struct topk_backend_tensor *tensor, size_t element_bytes,
                    struct strided_layout *layout);

/* Whether its elements lie one behind the other, the last dimension fastest. */
bool strided_is_packed(const struct strided_layout *layout);

/* Gathers a strided tensor into a packed one; and scatters a packed one to a strided one. */
void strided_gather(const struct strided_layout *layout, const uint8_t *strided, uint8_t *packed);
void strided_scatter(const struct strided_layout *layout, const uint8_t *packed, uint8_t *strided);

/* Turns indices of 64 bits, in place, into the 32 bits that a UINT32 index has. One that does not
 * fit becomes UINT32_MAX, which is no index of any sequence: cutting it off could make a wrong one
 * right. */
void strided_narrow_indices(uint8_t *indices, uint64_t count);

#endif
