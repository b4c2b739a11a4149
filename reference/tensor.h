/* Tensor descriptions: DML_BUFFER_TENSOR_DESC as a value, and its arithmetic in 64 bits. */
#ifndef TOPK_TENSOR_H
#define TOPK_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

/* Greatest number of dimensions in a description, which allows more than are valid (T02). */
#define TOPK_RANK_MAX 16
/* Greatest number of dimensions of a valid tensor (T02). */
#define TOPK_RANK_VALID 8

/* DML_TENSOR_FLAG_OWNED_BY_DML */
#define TOPK_TENSOR_FLAG_OWNED 1u

/* A description. All zero is an absent tensor (V11). */
struct topk_tensor {
    bool present;                    /* false: NULL in the operator description */
    bool strided;                    /* false: no strides, packed (T03) */
    uint32_t type;                   /* enum topk_type or any number */
    uint32_t rank;                   /* DimensionCount, 0..TOPK_RANK_MAX */
    uint32_t flags;                  /* TOPK_TENSOR_FLAG_OWNED or any bits */
    uint32_t alignment;              /* GuaranteedBaseOffsetAlignment in bytes, 0: none */
    uint32_t sizes[TOPK_RANK_MAX];   /* elements */
    uint32_t strides[TOPK_RANK_MAX]; /* elements; meaningful if strided */
    uint64_t total_bytes;            /* TotalTensorSizeInBytes */
};

/* The number of logical elements; UINT64_MAX if it overflows. 0 if a size is 0. */
uint64_t topk_tensor_elements(const struct topk_tensor *tensor);

/* The effective strides: the given ones, or the packed ones (T03). out: room for tensor->rank
 * entries. A packed stride that overflows is UINT64_MAX. */
void topk_tensor_strides(const struct topk_tensor *tensor, uint64_t out[TOPK_RANK_MAX]);

/* The least size in bytes (T07); UINT64_MAX if it overflows. A size of 0, which is invalid, counts
 * as 1. */
uint64_t topk_tensor_least_bytes(const struct topk_tensor *tensor);

/* The offset in elements of the element at coordinates `at` (T04). */
uint64_t topk_tensor_offset(const struct topk_tensor *tensor, const uint32_t at[]);

/* Whether two different coordinates share an element (T05, T13, T14). Exact for every tensor with
 * nested dimensions, and for others with at most 2^24 elements within 2^28 positions; otherwise an
 * overlap that cannot be excluded counts as one. */
bool topk_tensor_overlaps(const struct topk_tensor *tensor);

#endif
