/* The text of a probe: printed texts parse to the same probe, and others are malformed. */
#include "support.h"

#include "reference/probe.h"
#include "reference/result.h"

static void probes_round_trip(void **state)
{
    (void)state;
    char text[TOPK_PROBE_TEXT];
    struct topk_probe probe = {.name = "a.b"};
    struct topk_probe back = {.name = "c"};
    for (int i = 0; i < TOPK_PROBE_VERDICT_COUNT; i++) {
        probe.verdict = (enum topk_probe_verdict)i;
        memset(probe.value, i == 0 ? 0 : '%', sizeof probe.value - 1);
        memset(probe.detail, '=', sizeof probe.detail - 1);
        const size_t length = topk_probe_print(&probe, text);
        assert_int_equal(length, strlen(text));
        assert_true(topk_probe_parse(text, length, &back));
        assert_int_equal(back.verdict, i);
        assert_string_equal(back.value, probe.value);
        assert_string_equal(back.detail, probe.detail);
        assert_string_equal(back.name, "c");
        const char *word = topk_probe_verdict_word(probe.verdict);
        assert_int_equal(topk_probe_verdict_parse(word, strlen(word)), i);
    }
    assert_false(topk_probe_verdict_finding(TOPK_PROBE_OBSERVED));
    assert_false(topk_probe_verdict_finding(TOPK_PROBE_UNSUPPORTED));
    assert_true(topk_probe_verdict_finding(TOPK_PROBE_VIOLATION));
    assert_true(topk_probe_verdict_finding(TOPK_PROBE_HUNG));
}

static void what_is_no_probe_is_not_read(void **state)
{
    (void)state;
    struct topk_probe probe;
    char large[TOPK_PROBE_TEXT];
    static const char *const texts[] = {
        "",
        "verdict=observed",
        "verdict=observed value=a",
        "verdict=observed value=a detail=b ",
        "verdict=observed value=a detail=b more=c",
        "verdict=observed  value=a detail=b",
        "value=a verdict=observed detail=b",
        "verdict=pass value=a detail=b",
        "verdict= value=a detail=b",
        "verdict=observed value=% detail=b",
        "verdict=observed value=%0 detail=b",
        "verdict=observed value=a,b detail=b",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        if (topk_probe_parse(texts[i], strlen(texts[i]), &probe)) {
            fail_msg("read: %s", texts[i]);
        }
    }
    /* a text that does not fit is malformed */
    snprintf(large, sizeof large, "verdict=observed value=a detail=%0600d", 1);
    assert_false(topk_probe_parse(large, strlen(large), &probe));
    /* unprintable bytes are replaced */
    assert_true(topk_probe_parse("verdict=failed value=%1B%0A%FF detail=%C3%A9", 44, &probe));
    assert_string_equal(probe.value, "???");
    assert_string_equal(probe.detail, "??");
}

/* a driver's text becomes printable, and is truncated to the available size */
static void foreign_text_is_printable_and_fits(void **state)
{
    (void)state;
    char text[8];
    topk_probe_text(text, sizeof text, "a\n\x7f~ b");
    assert_string_equal(text, "a??~ b");
    topk_probe_text(text, sizeof text, "12345678");
    assert_string_equal(text, "1234567");
}

static void names_are_few_characters(void **state)
{
    (void)state;
    char name[TOPK_PROBE_NAME + 1];
    memset(name, 'a', sizeof name);
    assert_true(topk_probe_name_valid("denormals.float-16", 18));
    assert_true(topk_probe_name_valid(name, TOPK_PROBE_NAME - 1));
    assert_false(topk_probe_name_valid(name, TOPK_PROBE_NAME));
    assert_false(topk_probe_name_valid("", 0));
    assert_false(topk_probe_name_valid("a\0b", 3));
    assert_false(topk_probe_name_valid("a,b", 3));
    assert_false(topk_probe_name_valid("A", 1));
    assert_false(topk_probe_name_valid("a b", 3));
    assert_false(topk_probe_name_valid("a{", 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probes_round_trip),
        cmocka_unit_test(what_is_no_probe_is_not_read),
        cmocka_unit_test(foreign_text_is_printable_and_fits),
        cmocka_unit_test(names_are_few_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
