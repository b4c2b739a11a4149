/* Tensor arithmetic does not wrap, and fulfills T03, T04 and T07: for all 32-bit sizes and strides,
 * of rank RANK.
 *
 * multiply() works in two halves. CBMC checks that none of its steps wraps
 * (--unsigned-overflow-check). That high * 2^32 + low mod 2^32 is the product is the distributive
 * law, by which times() is defined here, too.
 */
#include "../tensor.c"
#include "prove.h"

/* a * b, and a + b; UINT64_MAX if they overflow */
static uint64_t times(uint64_t a, uint32_t b)
{
    const uint64_t low = (a & UINT32_MAX) * b;
    const uint64_t high = (a >> 32) * b + (low >> 32);
    return high > UINT32_MAX ? UINT64_MAX : (high << 32) + (low & UINT32_MAX);
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static struct topk_tensor any_tensor(void)
{
    struct topk_tensor tensor = {.present = true, .strided = STRIDED, .type = TYPE, .rank = RANK};
    for (uint32_t d = 0; d < RANK; d++) {
        tensor.sizes[d] = nondet_u32();
        tensor.strides[d] = nondet_u32();
#ifdef MOST
        ASSUME(tensor.sizes[d] <= MOST);
#endif
    }
    return tensor;
}

static void prove_elements(const struct topk_tensor *tensor)
{
    uint64_t elements = 1;
    bool empty = false;
    for (uint32_t d = 0; d < RANK; d++) {
        elements = times(elements, tensor->sizes[d]);
        empty = empty || tensor->sizes[d] == 0;
    }
    PROVE(topk_tensor_elements(tensor) == (empty ? 0 : elements));
    REACHED(empty);
    REACHED(!empty && elements > UINT32_MAX);
}

static void prove_least(const struct topk_tensor *tensor)
{
    uint64_t strides[RANK];
    uint64_t packed = 1;
    uint64_t span = 1; /* number of positions from the first to the last element */
    for (uint32_t d = RANK; d-- > 0;) {
        strides[d] = STRIDED ? tensor->strides[d] : packed;
        packed = times(packed, tensor->sizes[d] == 0 ? 1 : tensor->sizes[d]);
    }
    for (uint32_t d = 0; d < RANK; d++) {
        span = plus(span, times(strides[d], tensor->sizes[d] == 0 ? 0 : tensor->sizes[d] - 1));
    }
    const uint64_t bytes = times(span, topk_type_bytes(TYPE));
    const uint64_t least = topk_tensor_least_bytes(tensor);
    PROVE(least == (bytes > UINT64_MAX - 3 ? UINT64_MAX : (bytes + 3) / 4 * 4));
    REACHED(least > 4);
}

static void prove_bounds(const struct topk_tensor *tensor)
{
    const uint64_t elements = topk_tensor_elements(tensor);
    const uint64_t least = topk_tensor_least_bytes(tensor);
    PROVE(least == UINT64_MAX || least % 4 == 0);
    PROVE(least >= topk_type_bytes(TYPE) || least == UINT64_MAX);
    REACHED(elements == UINT64_MAX);
    REACHED(least == UINT64_MAX);
}

int main(void)
{
    const struct topk_tensor tensor = any_tensor();
    WHAT(&tensor);
}
