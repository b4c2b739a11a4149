/* A sequence of at most N elements of type T with any outputs, and what S02 to S12 say of it, in
 * C's own comparison. */
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

/* The last element is the last of its array, so that whoever reads behind it is seen. */
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

static inline bool has_nan(const struct topk_sequence *s)
{
    bool found = false;
    for (uint32_t i = 0; i < s->length; i++) {
        found = found || is_nan(value_of(input_at(s, i)));
    }
    return found;
}

#ifndef VIEW
#define VIEW VALUE
#endif

/* How an order sees an element. */
typedef VIEW seen_as(BITS bits);

static inline VIEW as_it_is(BITS bits)
{
    return value_of(bits);
}

/* S12: whether element x of index i comes before element y of index j. */
static inline bool comes_before(const struct topk_sequence *s, VIEW x, uint64_t i, VIEW y,
                                uint64_t j)
{
    return (s->increasing ? x < y : x > y) || (x == y && i < j);
}

/* S05, S07: each output is an element that its index names, and none is there twice. */
static inline bool are_elements(const struct topk_sequence *s)
{
    for (uint32_t j = 0; j < s->k; j++) {
        if (index_at(s, j) >= s->length || output_at(s, j) != input_at(s, index_at(s, j))) {
            return false;
        }
        for (uint32_t before = 0; before < j; before++) {
            if (index_at(s, before) == index_at(s, j)) {
                return false;
            }
        }
    }
    return true;
}

/* F02: the same where there is NaN, which may come out as another NaN. */
static inline bool are_elements_or_nan(const struct topk_sequence *s)
{
    for (uint32_t j = 0; j < s->k; j++) {
        const uint64_t i = index_at(s, j);
        if (i >= s->length ||
            (output_at(s, j) != input_at(s, i) &&
             !(is_nan(value_of(output_at(s, j))) && is_nan(value_of(input_at(s, i)))))) {
            return false;
        }
        for (uint32_t before = 0; before < j; before++) {
            if (index_at(s, before) == i) {
                return false;
            }
        }
    }
    return true;
}

/* S04, S08: of two outputs the first comes before the second. */
static inline bool are_in_order(const struct topk_sequence *s, seen_as *see)
{
    for (uint32_t j = 1; j < s->k; j++) {
        if (!comes_before(s, see(output_at(s, j - 1)), index_at(s, j - 1), see(output_at(s, j)),
                          index_at(s, j))) {
            return false;
        }
    }
    return true;
}

/* S02, S03, S09: no element that is left out comes before an output. */
static inline bool are_first(const struct topk_sequence *s, seen_as *see)
{
    for (uint32_t i = 0; i < s->length; i++) {
        bool selected = false;
        for (uint32_t j = 0; j < s->k; j++) {
            selected = selected || index_at(s, j) == i;
        }
        for (uint32_t j = 0; j < s->k; j++) {
            if (!selected &&
                comes_before(s, see(input_at(s, i)), i, see(output_at(s, j)), index_at(s, j))) {
                return false;
            }
        }
    }
    return true;
}

/* S12: the outputs are the first K elements of the sequence, as an order sees them. */
static inline bool is_right(const struct topk_sequence *s, seen_as *see)
{
    return are_elements(s) && are_in_order(s, see) && are_first(s, see);
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
