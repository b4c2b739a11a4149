/* qsort() of the C library: sorts each whole row, as pairs of value and index, in memory that is
 * reused. A control that is easy to verify. */
#include "field.h"

#include <stdlib.h>

/* before(a, b): whether value a comes first. NaN, for which comparisons are false, comes last. */
#define BEFORE_LARGEST(a, b)  ((a) > (b) || ((a) == (a) && (b) != (b)))
#define BEFORE_SMALLEST(a, b) ((a) < (b) || ((a) == (a) && (b) != (b)))

#define SELECT(type, name)                                                                         \
    struct name##_entry {                                                                          \
        type value;                                                                                \
        uint32_t index;                                                                            \
    };                                                                                             \
    static int name##_largest(const void *left, const void *right)                                 \
    {                                                                                              \
        const struct name##_entry *a = left, *b = right;                                           \
        return BEFORE_LARGEST(b->value, a->value) - BEFORE_LARGEST(a->value, b->value);            \
    }                                                                                              \
    static int name##_smallest(const void *left, const void *right)                                \
    {                                                                                              \
        const struct name##_entry *a = left, *b = right;                                           \
        return BEFORE_SMALLEST(b->value, a->value) - BEFORE_SMALLEST(a->value, b->value);          \
    }                                                                                              \
    static int name##_select(const struct field_call *call, void *memory)                          \
    {                                                                                              \
        const uint64_t n = call->sizes[call->rank - 1];                                            \
        struct name##_entry *row = memory;                                                         \
        for (uint64_t r = 0; r < call->rows; r++) {                                                \
            const type *in = (const type *)call->input + r * n;                                    \
            for (uint64_t i = 0; i < n; i++) {                                                     \
                row[i] = (struct name##_entry){in[i], (uint32_t)i};                                \
            }                                                                                      \
            qsort(row, n, sizeof *row, call->largest != 0 ? name##_largest : name##_smallest);     \
            for (uint64_t j = 0; j < call->k; j++) {                                               \
                ((type *)call->values)[r * call->k + j] = row[j].value;                            \
                call->indices[r * call->k + j] = row[j].index;                                     \
            }                                                                                      \
        }                                                                                          \
        return 0;                                                                                  \
    }

SELECT(float, f32)
SELECT(uint64_t, u64)
SELECT(uint32_t, u32)
SELECT(uint16_t, u16)
SELECT(uint8_t, u8)
SELECT(int64_t, i64)
SELECT(int32_t, i32)
SELECT(int16_t, i16)
SELECT(int8_t, i8)

static int run(void *self, const struct field_call *call)
{
    static int (*const select[])(const struct field_call *, void *) = {
        [TOPK_BACKEND_FLOAT32] = f32_select, [TOPK_BACKEND_UINT64] = u64_select,
        [TOPK_BACKEND_UINT32] = u32_select,  [TOPK_BACKEND_UINT16] = u16_select,
        [TOPK_BACKEND_UINT8] = u8_select,    [TOPK_BACKEND_INT64] = i64_select,
        [TOPK_BACKEND_INT32] = i32_select,   [TOPK_BACKEND_INT16] = i16_select,
        [TOPK_BACKEND_INT8] = i8_select};
    static void *memory;
    static uint64_t room;
    const uint64_t needed = call->sizes[call->rank - 1] * sizeof(struct u64_entry);
    (void)self;
    if (needed > room) {
        free(memory);
        memory = malloc(needed);
        room = memory == NULL ? 0 : needed;
    }
    return memory == NULL ? field_failed(call, "out of memory") : select[call->type](call, memory);
}

const struct field_library field_library = {
    .name = "qsort",
    .version = "C library",
    .rules = "ties=any axes=last types=f32,u32,u16,u8,i32,i16,i8,u64,i64",
    .source = "https://pubs.opengroup.org/onlinepubs/9799919799/functions/qsort.html",
    .run = run};
