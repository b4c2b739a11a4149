/* Choices from each source. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generate/choice.h"

static void a_position_is_reached_alone(void **state)
{
    (void)state;
    struct topk_choice first;
    struct topk_choice other;
    topk_choice_seed(&first, 5, 0);
    uint64_t before = topk_choice_bits(&first, 8);
    topk_choice_seed(&other, 5, 1);
    assert_true(topk_choice_bits(&other, 8) != before);
    topk_choice_seed(&other, 6, 0);
    assert_true(topk_choice_bits(&other, 8) != before);
    topk_choice_seed(&other, 5, 0);
    assert_true(topk_choice_bits(&other, 8) == before);
}

static void bytes_are_read_little_end_first(void **state)
{
    (void)state;
    static const unsigned char bytes[] = {7, 0x34, 0x12, 1, 2, 3, 4, 0xff, 9};
    struct topk_choice choice;
    topk_choice_bytes(&choice, bytes, sizeof bytes);
    /* a bound of 1 leaves no choice and reads no byte */
    assert_int_equal(topk_choice_below(&choice, 1), 0);
    assert_int_equal(topk_choice_below(&choice, 256), 7);
    assert_int_equal(topk_choice_below(&choice, 257), 0x1234 % 257);
    assert_true(topk_choice_bits(&choice, 4) == 0x04030201);
    assert_int_equal(topk_choice_below(&choice, 10), 0xff % 10);
    assert_true(topk_choice_bits(&choice, 8) == 9);
}

static void behind_the_end_all_is_0(void **state)
{
    (void)state;
    struct topk_choice choice;
    topk_choice_bytes(&choice, NULL, 0);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(topk_choice_below(&choice, 1000000), 0);
        assert_true(topk_choice_bits(&choice, 8) == 0);
        assert_false(topk_choice_once_in(&choice, 2));
    }
}

/* two choices; the bound of the second depends on the first; after a 2 there is a third */
static void all_sequences_come_once(void **state)
{
    (void)state;
    static const unsigned expected[] = {0, 10, 11, 200, 210, 211, 212, 220};
    struct topk_choice choice;
    unsigned count = 0;
    topk_choice_all(&choice);
    do {
        unsigned number = topk_choice_below(&choice, 3);
        number = number * 10 + topk_choice_below(&choice, number + 1);
        if (number / 10 == 2) {
            number = number * 10 + topk_choice_below(&choice, number == 21 ? 3 : 1);
        }
        assert_true(count < sizeof expected / sizeof expected[0]);
        assert_int_equal(number, expected[count++]);
    } while (topk_choice_advance(&choice));
    assert_int_equal(count, sizeof expected / sizeof expected[0]);
    /* starts over */
    assert_int_equal(topk_choice_below(&choice, 3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_position_is_reached_alone),
        cmocka_unit_test(bytes_are_read_little_end_first),
        cmocka_unit_test(behind_the_end_all_is_0),
        cmocka_unit_test(all_sequences_come_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
