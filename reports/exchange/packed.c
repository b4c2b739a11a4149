/* See packed.h. */
#include "packed.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool topk_refuse(struct topk_refusal *refusal, uint64_t byte, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    refusal->byte = byte;
    vsnprintf(refusal->reason, sizeof refusal->reason, format, arguments);
    va_end(arguments);
    return false;
}

bool topk_packed_shape(struct topk_packed *packed, uint32_t type, const int64_t *sizes,
                       uint64_t rank, uint64_t byte, struct topk_refusal *refusal)
{
    *packed = (struct topk_packed){.type = type, .elements = 1};
    if (rank > TOPK_RANK_VALID) {
        return topk_refuse(refusal, byte, "%" PRIu64 " dimensions; a tensor of TOP_K has 1 to %d",
                           rank, TOPK_RANK_VALID);
    }
    for (uint32_t d = 0; d < rank; d++) {
        if (sizes[d] <= 0 || sizes[d] > UINT32_MAX) {
            return topk_refuse(refusal, byte,
                               "the size %" PRId64 "; those of TOP_K are 1 to %" PRIu32, sizes[d],
                               UINT32_MAX);
        }
        packed->sizes[d] = (uint32_t)sizes[d];
        packed->elements *= packed->sizes[d];
        if (packed->elements > UINT32_MAX) {
            return topk_refuse(refusal, byte,
                               "more than 2^32-1 elements; no tensor of TOP_K has that");
        }
    }
    packed->rank = (uint32_t)rank;
    return true;
}

bool topk_packed_allocate(struct topk_packed *packed, uint64_t byte, struct topk_refusal *refusal)
{
    packed->data = malloc((size_t)topk_packed_bytes(packed));
    if (packed->data == NULL) {
        refusal->no_memory = true;
        return topk_refuse(refusal, byte, "out of memory");
    }
    return true;
}

uint64_t topk_packed_bytes(const struct topk_packed *packed)
{
    return packed->elements * topk_type_bytes(packed->type);
}

uint64_t topk_packed_get(const struct topk_packed *packed, uint64_t element)
{
    const uint32_t bytes = topk_type_bytes(packed->type);
    const unsigned char *from = packed->data + element * bytes;
    uint64_t bits = 0;
    for (uint32_t i = bytes; i-- > 0;) {
        bits = bits << 8 | from[i];
    }
    return bits;
}

void topk_packed_set(struct topk_packed *packed, uint64_t element, uint64_t bits)
{
    const uint32_t bytes = topk_type_bytes(packed->type);
    unsigned char *to = packed->data + element * bytes;
    for (uint32_t i = 0; i < bytes; i++) {
        to[i] = (unsigned char)(bits >> (8 * i));
    }
}

void topk_packed_clear(struct topk_packed *packed)
{
    free(packed->data);
    memset(packed, 0, sizeof *packed);
}
