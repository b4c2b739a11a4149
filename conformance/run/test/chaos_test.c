/* How chaos is specified, and which cases it picks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "chaos.h"

#define CASES 20000

static void parsed(void **state)
{
    struct topk_chaos chaos;
    char error[512];
    (void)state;
    assert_true(topk_chaos_parse("rate=0.25", &chaos, error, sizeof error));
    assert_true(chaos.rate == 0.25 && chaos.seed == 1);
    assert_int_equal(chaos.kinds, (1u << TOPK_CHAOS_KINDS) - 2);
    assert_true(topk_chaos_parse("kinds=drop+hang,seed=7,rate=1", &chaos, error, sizeof error));
    assert_true(chaos.rate == 1 && chaos.seed == 7);
    assert_int_equal(chaos.kinds, 1u << TOPK_CHAOS_DROP | 1u << TOPK_CHAOS_HANG);
}

static void refused(void **state)
{
    static const char *const specs[] = {"",
                                        "seed=1",
                                        "rate=1.01",
                                        "rate=-0.1",
                                        "rate=nan",
                                        "rate=0x1",
                                        "rate=1,",
                                        "rate=1,,seed=1",
                                        "rate=1 ",
                                        "rates=1",
                                        "rate=1,seed=",
                                        "rate=1,seed=x",
                                        "rate=1,kinds=",
                                        "rate=1,kinds=none",
                                        "rate=1,kinds=drop+",
                                        "rate=1,rate=1"};
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        struct topk_chaos chaos;
        char error[512] = "";
        if (topk_chaos_parse(specs[i], &chaos, error, sizeof error) ||
            strstr(error, "rate=R") == NULL) {
            fail_msg("'%s': %s", specs[i], error);
        }
    }
}

static uint32_t pick(const struct topk_chaos *chaos, uint32_t counts[TOPK_CHAOS_KINDS])
{
    uint32_t spoiled = 0;
    for (unsigned i = 0; i < CASES; i++) {
        char text[32];
        int length = snprintf(text, sizeof text, "case %u", i);
        enum topk_chaos_kind kind = topk_chaos_pick(chaos, text, (size_t)length);
        assert_int_equal(kind, topk_chaos_pick(chaos, text, (size_t)length));
        counts[kind]++;
        spoiled += kind != TOPK_CHAOS_NONE;
    }
    return spoiled;
}

/* picks at the given rate, each kind about equally often; none at rate 0, all at 1 */
static void picked(void **state)
{
    struct topk_chaos chaos = {.rate = 0.5, .seed = 3, .kinds = (1u << TOPK_CHAOS_KINDS) - 2};
    uint32_t counts[TOPK_CHAOS_KINDS] = {0};
    (void)state;
    assert_in_range(pick(&chaos, counts), CASES * 49 / 100, CASES * 51 / 100);
    for (int kind = 1; kind < TOPK_CHAOS_KINDS; kind++) {
        uint32_t share = CASES / 2 / (TOPK_CHAOS_KINDS - 1);
        assert_in_range(counts[kind], share * 8 / 10, share * 12 / 10);
    }
    chaos.rate = 0;
    assert_int_equal(pick(&chaos, counts), 0);
    chaos.rate = 1;
    assert_int_equal(pick(&chaos, counts), CASES);
    chaos.kinds = 1u << TOPK_CHAOS_SHORT;
    memset(counts, 0, sizeof counts);
    assert_int_equal(pick(&chaos, counts), CASES);
    assert_int_equal(counts[TOPK_CHAOS_SHORT], CASES);
}

static void another_seed(void **state)
{
    struct topk_chaos one = {.rate = 0.5, .seed = 1, .kinds = 2};
    struct topk_chaos other = {.rate = 0.5, .seed = 2, .kinds = 2};
    uint32_t differ = 0;
    (void)state;
    for (unsigned i = 0; i < CASES; i++) {
        char text[32];
        int length = snprintf(text, sizeof text, "case %u", i);
        differ += topk_chaos_pick(&one, text, (size_t)length) !=
                  topk_chaos_pick(&other, text, (size_t)length);
    }
    assert_in_range(differ, CASES * 48 / 100, CASES * 52 / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parsed), cmocka_unit_test(refused),
                                       cmocka_unit_test(picked), cmocka_unit_test(another_seed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
