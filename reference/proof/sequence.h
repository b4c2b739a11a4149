/* A sequence of at most N elements of type T with arbitrary outputs, and S02 to S12 stated for it
 * (reference/statement/selection.h) with C's own comparison. */
#ifndef TOPK_PROOF_SEQUENCE_H
#define TOPK_PROOF_SEQUENCE_H

#include "judge.h"
#include "values.h"

#define ROOM ((N - 1) * STEP + 1)
#if INDEX == 8
typedef uint64_t index_type;
#else
typedef uint32_t index_type;
#endif

static BITS inputs[ROOM];
static BITS values[ROOM];
static index_type indices[ROOM];

/* The last element is the last of its array, so that a read after it is detected. */
static inline struct topk_sequence any_sequence(uint32_t n, uint32_t k)
{
    BITS *const input = inputs + (N - n) * STEP;
    BITS *const value = values + (N - k) * STEP;
    index_type *const index_at = indices + (N - k) * STEP;
    for (uint32_t i = 0; i < n; i++) {
        input[i * STEP] = (BITS)nondet_u64();
    }
    for (uint32_t j = 0; j < k; j++) {
        value[j * STEP] = (BITS)nondet_u64();
        index_at[j * STEP] = (index_type)nondet_u64();
    }
    return (struct topk_sequence){.type = TYPE,
                                  .increasing = nondet_bool(),
                                  .length = n,
                                  .k = k,
                                  .index_bytes = sizeof(index_type),
                                  .input = (const unsigned char *)input,
                                  .value = (const unsigned char *)value,
                                  .index = (const unsigned char *)index_at,
                                  .input_step = STEP * sizeof(BITS),
                                  .value_step = STEP * sizeof(BITS),
                                  .index_step = STEP * sizeof(index_type)};
}

static inline uint64_t index_at(const struct topk_sequence *s, uint32_t j)
{
    return indices[(N - s->k + j) * STEP];
}

static inline BITS output_at(const struct topk_sequence *s, uint32_t j)
{
    return values[(N - s->k + j) * STEP];
}

static inline BITS input_at(const struct topk_sequence *s, uint64_t i)
{
    return inputs[(N - s->length + i) * STEP];
}

static inline bool bits_are_nan(const struct topk_sequence *s, BITS bits)
{
    (void)s;
    return is_nan(value_of(bits));
}

#ifndef VIEW
#define VIEW VALUE
#endif
#define SEQUENCE struct topk_sequence
#include "statement/selection.h"

static inline VIEW as_it_is(const struct topk_sequence *s, BITS bits)
{
    (void)s;
    return value_of(bits);
}

/* What is proved of sequences of n elements, k of them selected. */
static void prove(uint32_t n, uint32_t k);

int main(void)
{
    for (uint32_t n = 1; n <= N; n++) {
        for (uint32_t k = 1; k <= n; k++) {
            prove(n, k);
        }
    }
}

#endif
