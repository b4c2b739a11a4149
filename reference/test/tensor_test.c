/* Tensor arithmetic, compared with its statement (reference/statement), and overlap, compared with
 * checking every pair of elements. */
#include "reference/statement/statement.h"
#include "support.h"

/* 128 bits suffice: 2^(32*17) would not fit, so products are limited to 2^100 */
#define HUGE_WIDE ((wide_unsigned)1 << 100)

static wide_unsigned times(wide_unsigned a, uint64_t b)
{
    if (b == 0 || a == 0) {
        return 0;
    }
    return a > HUGE_WIDE / b ? HUGE_WIDE : a * b;
}

static uint64_t saturate(wide_unsigned value)
{
    return value > UINT64_MAX ? UINT64_MAX : (uint64_t)value;
}

/* numbers of every magnitude, including the ends of ranges */
static uint32_t random_number(struct topk_pcg *pcg)
{
    static const uint32_t ends[] = {0,          1,          2,          3,         0x10000,
                                    0x7fffffff, 0x80000000, 0xfffffffe, UINT32_MAX};
    return topk_pcg_below(pcg, 3) == 0 ? ends[topk_pcg_below(pcg, COUNT(ends))]
                                       : (uint32_t)random_magnitude(pcg, 32);
}

static void sizes_are_as_stated(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 1, 20);
    int saturated = 0;
    int zero = 0;
    for (int i = 0; i < 1000000; i++) {
        struct topk_tensor tensor = {.present = true,
                                     .strided = topk_pcg_below(&pcg, 2) != 0,
                                     .type = topk_pcg_below(&pcg, 16),
                                     .rank = topk_pcg_below(&pcg, TOPK_RANK_MAX + 1)};
        bool small = topk_pcg_below(&pcg, 2) != 0;
        for (uint32_t j = 0; j < TOPK_RANK_MAX; j++) {
            tensor.sizes[j] = small ? topk_pcg_below(&pcg, 9) : random_number(&pcg);
            tensor.strides[j] = random_number(&pcg);
        }
        uint64_t expected;
        uint64_t elements;
        if (!stated_least_bytes(&tensor, &expected)) {
            expected = UINT64_MAX;
        }
        if (topk_tensor_least_bytes(&tensor) != expected) {
            fail_msg("description %d: least %" PRIu64 ", not %" PRIu64, i,
                     topk_tensor_least_bytes(&tensor), expected);
        }
        if (!stated_elements(&tensor, &elements)) {
            elements = UINT64_MAX;
        }
        assert_true(topk_tensor_elements(&tensor) == elements);
        saturated += expected == UINT64_MAX;
        zero += topk_tensor_elements(&tensor) == 0;
    }
    assert_true(saturated > 10000 && zero > 10000); /* saturation and zero occurred */
}

static void sizes_at_the_ends(void **state)
{
    (void)state;
    /* (2^32-1)^2 elements of one byte, the most that one dimension reaches */
    struct topk_tensor tensor = {.present = true,
                                 .strided = true,
                                 .type = TOPK_TYPE_U8,
                                 .rank = 1,
                                 .sizes = {UINT32_MAX},
                                 .strides = {UINT32_MAX}};
    wide_unsigned elements = (wide_unsigned)(UINT32_MAX - 1u) * UINT32_MAX + 1;
    assert_true(topk_tensor_least_bytes(&tensor) == (uint64_t)((elements + 3) / 4 * 4));
    tensor.type = TOPK_TYPE_U16;
    assert_true(topk_tensor_least_bytes(&tensor) == UINT64_MAX);
    /* a sum of exactly 2^64 - 4 bytes, then one more element, and so on */
    tensor.type = TOPK_TYPE_U8;
    tensor.rank = 3;
    for (uint32_t more = 0; more < 8; more++) {
        /* 2^64 - 2^33 + 2 from the first, the rest of 2^64 - 7 from the others, then one by one */
        tensor.sizes[1] = 3;
        tensor.strides[1] = UINT32_MAX;
        tensor.sizes[2] = 2;
        tensor.strides[2] = more;
        uint64_t start = (uint64_t)elements; /* including its 1 */
        wide_unsigned sum = (wide_unsigned)start + (wide_unsigned)2 * UINT32_MAX + more;
        assert_true(topk_tensor_least_bytes(&tensor) == saturate((sum + 3) / 4 * 4));
    }
    struct topk_tensor empty = {.present = true, .type = TOPK_TYPE_F32};
    assert_true(topk_tensor_elements(&empty) == 1);
    assert_true(topk_tensor_least_bytes(&empty) == 4);
    /* rounding up to 4 */
    for (uint32_t size = 1; size < 20; size++) {
        struct topk_tensor bytes = {
            .present = true, .type = TOPK_TYPE_I8, .rank = 1, .sizes = {size}};
        assert_int_equal(topk_tensor_least_bytes(&bytes), (size + 3) / 4 * 4);
    }
}

static void strides_in_effect(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 2, 20);
    for (int i = 0; i < 100000; i++) {
        struct topk_tensor tensor = {.present = true,
                                     .strided = topk_pcg_below(&pcg, 2) != 0,
                                     .type = TOPK_TYPE_F32,
                                     .rank = topk_pcg_below(&pcg, TOPK_RANK_MAX + 1)};
        for (uint32_t j = 0; j < TOPK_RANK_MAX; j++) {
            uint32_t number = random_number(&pcg);
            tensor.sizes[j] = number == 0 ? 1 : number;
            tensor.strides[j] = random_number(&pcg);
        }
        uint64_t strides[TOPK_RANK_MAX];
        topk_tensor_strides(&tensor, strides);
        wide_unsigned packed = 1;
        for (uint32_t j = tensor.rank; j-- > 0;) {
            assert_true(strides[j] == (tensor.strided ? tensor.strides[j] : saturate(packed)));
            packed = times(packed, tensor.sizes[j]);
        }
    }
    struct topk_tensor example = {
        .present = true, .type = TOPK_TYPE_F32, .rank = 4, .sizes = {2, 3, 4, 5}};
    uint64_t strides[TOPK_RANK_MAX];
    topk_tensor_strides(&example, strides);
    assert_true(strides[0] == 60 && strides[1] == 20 && strides[2] == 5 && strides[3] == 1);
}

static void offsets(void **state)
{
    (void)state;
    /* packed: the offsets in row-major order are 0, 1, 2, ... */
    struct topk_tensor tensor = {
        .present = true, .type = TOPK_TYPE_F32, .rank = 4, .sizes = {2, 3, 4, 5}};
    uint32_t at[TOPK_RANK_MAX] = {0};
    uint64_t offset = 0;
    do {
        assert_true(topk_tensor_offset(&tensor, at) == offset++);
    } while (next_at(&tensor, at));
    assert_int_equal(offset, 120);
    /* strided: the dot product, in 64 bits */
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 3, 20);
    for (int i = 0; i < 100000; i++) {
        struct topk_tensor strided = {
            .present = true, .strided = true, .type = TOPK_TYPE_F32, .rank = 8};
        uint32_t here[TOPK_RANK_MAX] = {0};
        wide_unsigned sum = 0;
        for (uint32_t j = 0; j < 8; j++) {
            strided.strides[j] = random_number(&pcg) >> 2;
            here[j] = random_number(&pcg) >> 2;
            strided.sizes[j] = here[j] + 1;
            sum += (wide_unsigned)strided.strides[j] * here[j];
        }
        assert_true(topk_tensor_offset(&strided, here) == (uint64_t)sum);
    }
}

/* checks every pair of coordinates */
static bool overlaps_by_pairs(const struct topk_tensor *tensor)
{
    static uint64_t seen[4096];
    size_t count = 0;
    uint32_t at[TOPK_RANK_MAX] = {0};
    do {
        uint64_t offset = 0;
        for (uint32_t i = 0; i < tensor->rank; i++) {
            offset += (uint64_t)at[i] * tensor->strides[i];
        }
        for (size_t i = 0; i < count; i++) {
            if (seen[i] == offset) {
                return true;
            }
        }
        seen[count++] = offset;
    } while (next_at(tensor, at));
    return false;
}

static void overlap_against_pairs(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 4, 20);
    int overlapping = 0;
    int layouts = TOPK_SANITIZED ? 50000 : 500000;
    for (int i = 0; i < layouts; i++) {
        struct topk_tensor tensor = {.present = true,
                                     .strided = true,
                                     .type = TOPK_TYPE_F32,
                                     .rank = topk_pcg_below(&pcg, 6)};
        uint32_t reach = 1 + topk_pcg_below(&pcg, 40);
        uint32_t scale = topk_pcg_below(&pcg, 8) == 0 ? 100000 : 1; /* large, but still compared */
        for (uint32_t j = 0; j < tensor.rank; j++) {
            tensor.sizes[j] = 1 + topk_pcg_below(&pcg, tensor.rank > 3 ? 3 : 5);
            tensor.strides[j] = topk_pcg_below(&pcg, reach) * scale;
        }
        bool expected = overlaps_by_pairs(&tensor);
        overlapping += expected;
        if (topk_tensor_overlaps(&tensor) != expected) {
            fail_msg("layout %d: %s", i, expected ? "overlaps" : "does not overlap");
        }
    }
    assert_in_range(overlapping, layouts / 10, layouts - layouts / 10);
}

static void overlap_of_the_large(void **state)
{
    (void)state;
    static const struct {
        struct topk_tensor tensor;
        bool overlaps;
    } rows[] = {
        /* nested, however large */
        {{.strided = true, .rank = 2, .sizes = {65536, 65535}, .strides = {65535, 1}}, false},
        {{.strided = true, .rank = 2, .sizes = {65536, 65535}, .strides = {65534, 1}}, true},
        {{.strided = true, .rank = 2, .sizes = {2, UINT32_MAX}, .strides = {UINT32_MAX, 1}}, false},
        {{.strided = true, .rank = 2, .sizes = {2, UINT32_MAX}, .strides = {0xfffffffe, 1}}, true},
        {{.strided = true, .rank = 1, .sizes = {UINT32_MAX}, .strides = {UINT32_MAX}}, false},
        {{.strided = true, .rank = 1, .sizes = {UINT32_MAX}, .strides = {0}}, true},
        {{.strided = true, .rank = 1, .sizes = {1}, .strides = {0}}, false},
        /* interleaved, 2^24 elements: still compared */
        {{.strided = true, .rank = 2, .sizes = {4096, 4096}, .strides = {2, 8189}}, false},
        {{.strided = true, .rank = 2, .sizes = {4096, 4096}, .strides = {2, 8190}}, true},
        /* more than is compared counts as an overlap, although this has none */
        {{.strided = true, .rank = 2, .sizes = {4096, 4097}, .strides = {2, 8189}}, true},
        {{.strided = true, .rank = 2, .sizes = {3, 3}, .strides = {0x40000000, 0x40000001}}, true},
        /* packed tensors never overlap */
        {{.rank = 3, .sizes = {65536, 65536, 65536}}, false},
        {{.rank = 4, .sizes = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}}, false},
        {{.rank = 5, .sizes = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, 2}}, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (topk_tensor_overlaps(&rows[i].tensor) != rows[i].overlaps) {
            fail_msg("row %zu", i);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_as_stated),   cmocka_unit_test(sizes_at_the_ends),
        cmocka_unit_test(strides_in_effect),     cmocka_unit_test(offsets),
        cmocka_unit_test(overlap_against_pairs), cmocka_unit_test(overlap_of_the_large)};
    return cmocka_run_group_tests_name("tensor", tests, NULL, NULL);
}
