/* Gathers and scatters strided tensors; see strided.h. */
#include "strided.h"

#include <string.h>

bool strided_layout(const struct topk_backend_tensor *tensor, size_t element_bytes,
                    struct strided_layout *layout)
{
    *layout = (struct strided_layout){
        .rank = tensor->dimension_count, .element_bytes = element_bytes, .elements = 1};
    for (uint32_t dimension = layout->rank; dimension-- > 0;) {
        const uint64_t stride =
            tensor->strides != NULL ? tensor->strides[dimension] : layout->elements;
        layout->sizes[dimension] = tensor->sizes[dimension];
        layout->strides[dimension] = stride * element_bytes;
        if (layout->sizes[dimension] > STRIDED_MAX_ELEMENTS / layout->elements) {
            return false;
        }
        layout->elements *= layout->sizes[dimension];
    }
    return true;
}

/* Iterates over the rows (the sequences along the last dimension) of a tensor in row-major
 * order. */
struct row_walk {
    const struct strided_layout *layout;
    uint64_t coordinates[STRIDED_MAX_RANK];
    uint64_t offset; /* of the row's first element, in bytes */
};

static bool next_row(struct row_walk *walk)
{
    const struct strided_layout *layout = walk->layout;
    for (uint32_t dimension = layout->rank - 1; dimension-- > 0;) {
        walk->offset += layout->strides[dimension];
        if (++walk->coordinates[dimension] < layout->sizes[dimension]) {
            return true;
        }
        walk->offset -= layout->strides[dimension] * layout->sizes[dimension];
        walk->coordinates[dimension] = 0;
    }
    return false;
}

/* Inlined with a constant width, so that each element is one load and one store. */
static inline void copy_elements_of(size_t width, uint8_t *to, uint64_t to_stride,
                                    const uint8_t *from, uint64_t from_stride, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        memcpy(to + i * to_stride, from + i * from_stride, width);
    }
}

static void copy_elements(size_t width, uint8_t *to, uint64_t to_stride, const uint8_t *from,
                          uint64_t from_stride, uint64_t count)
{
    if (to_stride == width && from_stride == width) {
        memcpy(to, from, count * width);
        return;
    }
    switch (width) {
    case 1:
        copy_elements_of(1, to, to_stride, from, from_stride, count);
        break;
    case 2:
        copy_elements_of(2, to, to_stride, from, from_stride, count);
        break;
    case 4:
        copy_elements_of(4, to, to_stride, from, from_stride, count);
        break;
    default:
        copy_elements_of(8, to, to_stride, from, from_stride, count);
        break;
    }
}

bool strided_is_packed(const struct strided_layout *layout)
{
    uint64_t stride = layout->element_bytes;
    for (uint32_t d = layout->rank; d-- > 0;) {
        if (layout->sizes[d] > 1 && layout->strides[d] != stride) {
            return false;
        }
        stride *= layout->sizes[d];
    }
    return true;
}

void strided_gather(const struct strided_layout *layout, const uint8_t *strided, uint8_t *packed)
{
    const size_t width = layout->element_bytes;
    const uint32_t last = layout->rank - 1;
    struct row_walk walk = {.layout = layout};
    do {
        copy_elements(width, packed, width, strided + walk.offset, layout->strides[last],
                      layout->sizes[last]);
        packed += layout->sizes[last] * width;
    } while (next_row(&walk));
}

void strided_scatter(const struct strided_layout *layout, const uint8_t *packed, uint8_t *strided)
{
    const size_t width = layout->element_bytes;
    const uint32_t last = layout->rank - 1;
    struct row_walk walk = {.layout = layout};
    do {
        copy_elements(width, strided + walk.offset, layout->strides[last], packed, width,
                      layout->sizes[last]);
        packed += layout->sizes[last] * width;
    } while (next_row(&walk));
}

void strided_narrow_indices(uint8_t *indices, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        int64_t wide;
        memcpy(&wide, indices + i * sizeof wide, sizeof wide);
        const uint32_t narrow = wide >= 0 && wide <= UINT32_MAX ? (uint32_t)wide : UINT32_MAX;
        memcpy(indices + i * sizeof narrow, &narrow, sizeof narrow);
    }
}
