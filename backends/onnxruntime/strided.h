/* Gathers strided tensors into packed ones and scatters them back, moving only bits. */
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

/* Computes the layout of a tensor of 1 to STRIDED_MAX_RANK dimensions. Returns false if it has more
 * than STRIDED_MAX_ELEMENTS elements. */
bool strided_layout(const struct topk_backend_tensor *tensor, size_t element_bytes,
                    struct strided_layout *layout);

/* Whether the elements are contiguous, with the last dimension as the fastest. */
bool strided_is_packed(const struct strided_layout *layout);

/* Gathers a strided tensor into a packed one; scatters a packed tensor to a strided one. */
void strided_gather(const struct strided_layout *layout, const uint8_t *strided, uint8_t *packed);
void strided_scatter(const struct strided_layout *layout, const uint8_t *packed, uint8_t *strided);

/* Converts 64-bit indices to 32-bit ones in place. An index that does not fit becomes UINT32_MAX,
 * which is never valid: truncation could turn a wrong index into a correct one. */
void strided_narrow_indices(uint8_t *indices, uint64_t count);

#endif
