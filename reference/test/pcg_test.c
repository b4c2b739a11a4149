/* PCG32: the published vector, jumps, and bounded draws without bias. */
#include "support.h"

static void published_vector(void **state)
{
    (void)state;
    /* the first outputs of the pcg32 demo of the PCG C library, seed 42, stream 54 */
    static const uint32_t expected[] = {0xa15c02b7, 0x7b47f409, 0xba1d3330,
                                        0x83d2f293, 0xbfa4784b, 0xcbed606e};
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 42, 54);
    for (size_t i = 0; i < COUNT(expected); i++) {
        assert_int_equal(topk_pcg_next(&pcg), expected[i]);
    }
    topk_pcg_seed(&pcg, 42, 54);
    assert_true(topk_pcg_next64(&pcg) == UINT64_C(0xa15c02b77b47f409));
    /* the top bit of the stream is ignored, the others are used */
    struct topk_pcg other;
    topk_pcg_seed(&other, 42, 54 | (uint64_t)1 << 63);
    topk_pcg_seed(&pcg, 42, 54);
    assert_memory_equal(&other, &pcg, sizeof pcg);
    topk_pcg_seed(&other, 42, 54 | (uint64_t)1 << 62);
    assert_memory_not_equal(&other, &pcg, sizeof pcg);
}

static void advance_is_draws(void **state)
{
    (void)state;
    struct topk_pcg random;
    topk_pcg_seed(&random, 1, 1);
    for (int i = 0; i < 2000; i++) {
        struct topk_pcg drawn;
        uint64_t seed = topk_pcg_next64(&random);
        topk_pcg_seed(&drawn, seed, topk_pcg_next64(&random));
        struct topk_pcg start = drawn;
        struct topk_pcg jumped = drawn;
        uint32_t n = i < 70 ? (uint32_t)i : topk_pcg_below(&random, 5000);
        for (uint32_t j = 0; j < n; j++) {
            topk_pcg_next(&drawn);
        }
        topk_pcg_advance(&jumped, n);
        assert_memory_equal(&jumped, &drawn, sizeof drawn);
        topk_pcg_advance(&jumped, -(uint64_t)n);
        assert_memory_equal(&jumped, &start, sizeof start);
        /* far jumps add up, and 2^64 draws are the period */
        uint64_t far = topk_pcg_next64(&random);
        topk_pcg_advance(&jumped, far);
        topk_pcg_advance(&jumped, n - far);
        assert_memory_equal(&jumped, &drawn, sizeof drawn);
    }
}

/* any number of draws at once, used or not, are those one by one, and leave the same state */
static void filled_is_drawn(void **state)
{
    (void)state;
    for (uint32_t count = 0; count < 200; count++) {
        for (uint32_t skipped = 0; skipped < 4; skipped++) {
            uint32_t to[201];
            struct topk_pcg filled;
            topk_pcg_seed(&filled, count, skipped);
            struct topk_pcg drawn = filled;
            to[count] = 0x5a5a5a5a;
            topk_pcg_fill(&filled, to, count, skipped);
            assert_int_equal(to[count], 0x5a5a5a5a);
            for (uint32_t i = 0; i < count; i++) {
                for (uint32_t j = 0; j < skipped; j++) {
                    topk_pcg_next(&drawn);
                }
                assert_int_equal(to[i], topk_pcg_next(&drawn));
            }
            assert_memory_equal(&filled, &drawn, sizeof drawn);
        }
    }
}

/* the definition: draws until one is within the greatest multiple of bound */
static void below_is_its_definition(void **state)
{
    (void)state;
    static const uint32_t bounds[] = {1,          2,          3,          5,          255,
                                      256,        65537,      0x7fffffff, 0x80000000, 0x80000001,
                                      0xc0000000, 0xfffffffe, 0xffffffff};
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 2, 2);
    for (size_t i = 0; i < COUNT(bounds); i++) {
        uint64_t usable = ((uint64_t)1 << 32) / bounds[i] * bounds[i];
        for (int j = 0; j < 20000; j++) {
            struct topk_pcg copy = pcg;
            uint32_t draw = topk_pcg_below(&pcg, bounds[i]);
            assert_true(draw < bounds[i]);
            uint32_t raw;
            do {
                raw = topk_pcg_next(&copy);
            } while (raw < ((uint64_t)1 << 32) - usable);
            assert_int_equal(draw, raw % bounds[i]);
            assert_memory_equal(&copy, &pcg, sizeof pcg);
        }
    }
}

static void below_is_even(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 3, 3);
    for (uint32_t bound = 2; bound <= 20; bound++) {
        double seen[20] = {0};
        int draws = 20000 * (int)bound;
        for (int i = 0; i < draws; i++) {
            seen[topk_pcg_below(&pcg, bound)]++;
        }
        double chi_squared = 0;
        for (uint32_t i = 0; i < bound; i++) {
            chi_squared += (seen[i] - 20000) * (seen[i] - 20000) / 20000;
        }
        assert_true(chi_squared < 60); /* 19 degrees of freedom: once in 10^5 above 57 */
    }
    /* without rejection a draw below 3 * 2^30 is below 2^30 half of the time */
    int low = 0;
    for (int i = 0; i < 30000; i++) {
        low += topk_pcg_below(&pcg, 0xc0000000) < 0x40000000;
    }
    assert_in_range(low, 9500, 10500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_vector), cmocka_unit_test(advance_is_draws),
        cmocka_unit_test(filled_is_drawn), cmocka_unit_test(below_is_its_definition),
        cmocka_unit_test(below_is_even)};
    return cmocka_run_group_tests_name("pcg", tests, NULL, NULL);
}
