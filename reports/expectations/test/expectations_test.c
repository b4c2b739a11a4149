/* Expectations: what a file may say, where a bad line is wrong, and what rules mean for a run. */
#define _XOPEN_SOURCE 700

#include "fixture.h"

#include "expectations/expectations.h"
#include "log/text.h"

#define RULE "verdict=fail select=a backend=b owner=o reason=r expires=2026-12-31"

static bool parse(struct topk_expectations *expectations, const char *text, size_t size,
                  char error[256])
{
    /* memory of its own, so that reading behind the end shows */
    char *bytes = malloc(size + (size == 0));
    assert_non_null(bytes);
    memcpy(bytes, text, size);
    bool parsed = topk_expectations_parse(expectations, "e.txt", bytes, size, error, 256);
    free(bytes);
    return parsed;
}

static void a_file_is_read(void **state)
{
    (void)state;
    static const char text[] = "# comment\n\n  \t\n" RULE "\n"
                               "\towner=\"J. \\\"D\\\" \\\\\" link=https://x/?a=1 version=1.0..1.4 "
                               "driver=\"Mesa 22..25.0\" reason=\"b c\" "
                               "verdict=device-lost select=ties.*:?x* backend=mine "
                               "expires=2024-02-29";
    struct topk_expectations e;
    char error[256] = "";
    assert_true(parse(&e, text, sizeof text - 1, error));
    assert_int_equal(e.count, 2);
    assert_int_equal(e.rules[0].line, 4);
    assert_int_equal(e.rules[0].expect, TOPK_VERDICT_FAIL);
    assert_string_equal(e.rules[0].select, "a");
    assert_string_equal(e.rules[0].link, "");
    assert_int_equal(e.rules[1].line, 5);
    assert_int_equal(e.rules[1].expect, TOPK_VERDICT_DEVICE_LOST);
    assert_string_equal(e.rules[1].owner, "J. \"D\" \\");
    assert_string_equal(e.rules[1].link, "https://x/?a=1");
    assert_string_equal(e.rules[1].reason, "b c");
    topk_expectations_free(&e);
    assert_true(parse(&e, "", 0, error));
    assert_int_equal(e.count, 0);
    topk_expectations_free(&e);
}

static void a_bad_line_is_named_with_its_column(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        const char *error;
    } rows[] = {
        {"verdict", "e.txt:2:1: this is no KEY=VALUE"},
        {"  x=1", "e.txt:2:3: there is no such key"},
        {"=1", "e.txt:2:1: there is no such key"},
        {RULE " owner=p", "e.txt:2:69: there is a second owner"},
        {RULE " link=", "e.txt:2:74: the value is empty"},
        {RULE " link=\"\"", "e.txt:2:74: the value is empty"},
        {RULE " link=\"x", "e.txt:2:74: this quote has no end"},
        {RULE " link=\"x\"y", "e.txt:2:77: a space has to come behind the quote"},
        {RULE " link=x\"y", "e.txt:2:75: a quote inside of a word"},
        {RULE " link=\"\\n\"", "e.txt:2:75: behind a '\\' there has to be"},
        {RULE " link=\"\\", "e.txt:2:75: behind a '\\' there has to be"},
        {RULE " link=?", "e.txt:2:74: the '?' is still to be replaced"},
        {"verdict=fail select=a backend= owner=o reason=r expires=2026-12-31",
         "e.txt:2:31: the value is empty"},
        {"verdict=fail select=a backend=? owner=o reason=r expires=2026-12-31",
         "e.txt:2:31: the '?' is still to be replaced"},
        {"verdict=fail select=a backend=b owner=\"?\" reason=r expires=2026-12-31",
         "e.txt:2:39: the '?' is still to be replaced"},
        {RULE " driver=\"\"", "e.txt:2:76: the value is empty"},
        {RULE "\r", "e.txt:2:68: a control character: a carriage return"},
        {"# \x01", "e.txt:2:3: a control character"},
        {"# \xff", "e.txt:2:1: the line is not UTF-8"},
        {"select=a backend=b owner=o reason=r expires=2026-12-31",
         "e.txt:2:55: the rule has no verdict"},
        {"verdict=fail select=a backend=b reason=r expires=2026-12-31", "the rule has no owner"},
        {"verdict=fail select=a backend=b owner=o reason=r", "the rule has no expires"},
        {"verdict=pass select=a backend=b owner=o reason=r expires=2026-12-31",
         "e.txt:2:9: no failure that can be expected"},
        {"verdict=harness-error select=a backend=b owner=o reason=r expires=2026-12-31",
         "e.txt:2:9: no failure that can be expected"},
        {"verdict=unsupported select=a backend=b owner=o reason=r expires=2026-12-31",
         "e.txt:2:9: no failure that can be expected"},
        {"verdict=fail select=a backend=b owner=o reason=r expires=2026-13-01",
         "e.txt:2:58: expires takes the last day"},
        {"verdict=fail select=a backend=b owner=o reason=r expires=2026-04-31", "2:58: expires"},
        {"verdict=fail select=a backend=b owner=o reason=r expires=2026-1-01", "2:58: expires"},
        {"verdict=fail select=a backend=b owner=o reason=r expires=2026-01-011", "2:58: expires"},
        {RULE " version=x", "e.txt:2:77: version takes"},
        {RULE " version=..", "e.txt:2:77: version takes"},
        {RULE " version=1...2", "e.txt:2:77: version takes"},
        {RULE " version=1..2..3", "e.txt:2:77: version takes"},
        {RULE " driver=\"Mesa ..x\"", "e.txt:2:76: the range of driver's versions"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[512];
        char error[256] = "";
        struct topk_expectations e;
        int size = snprintf(text, sizeof text, "\n%s\n" RULE "\n", rows[i].line);
        bool parsed = parse(&e, text, (size_t)size, error);
        topk_expectations_free(&e);
        if (parsed || strstr(error, rows[i].error) == NULL) {
            fail_msg("%s: '%s' where '%s' was expected", rows[i].line, error, rows[i].error);
        }
    }
    struct topk_expectations e;
    char error[256];
    assert_false(parse(&e, "# \0", 3, error));
    assert_non_null(strstr(error, "e.txt:1:3: a control character"));
    topk_expectations_free(&e);
}

static void versions_have_ranges(void **state)
{
    (void)state;
    static const struct {
        const char *rule, *version;
        bool meant;
    } rows[] = {
        {"1.4", "1.4", true},       {"1.4", "1.4.9", true},
        {"1.4", "1.40", false},     {"1.4", "1.3.9", false},
        {"1.4.0", "1.4", true},     {"1.4.1", "1.4", false},
        {"1.0..1.4", "1.0", true},  {"1.0..1.4", "1.4.9", true},
        {"1.0..1.4", "1.5", false}, {"1.0..1.4", "0.9.9", false},
        {"..1.4", "0.1", true},     {"..1.4", "1.5", false},
        {"1.4..", "1.4", true},     {"1.4..", "99", true},
        {"1.4..", "1.3", false},    {"1.9..1.10", "1.10.2", true},
        {"1.4", "", false},         {"1.4", "none", false},
        {"1.4", "v1.4-rc1", true},  {"..4294967295", "99999999999999999999999", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (topk_expectation_version_meant(rows[i].rule, rows[i].version) != rows[i].meant) {
            fail_msg("%s means %s", rows[i].rule, rows[i].version);
        }
    }
}

static void drivers_have_texts_and_ranges(void **state)
{
    (void)state;
    static const char lavapipe[] = "llvmpipe Mesa 25.0.7-2~bpo12+1 (LLVM 15.0.6)";
    static const struct {
        const char *rule;
        bool meant;
    } rows[] = {
        {"Mesa", true},           {"llvmpipe Mesa 25.0.7", true},
        {"Mesa 24", false},       {"Mesa 22.3..25.0", true},
        {"Mesa 22.3..24", false}, {"Mesa 25.0.8..", false},
        {"LLVM 15..15", true},    {"LLVM 16..", false},
        {"Nvidia 1..99", false},  {"mesa 1..99", false},
        {"24..26", true},         {"1..2", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (topk_expectation_driver_meant(rows[i].rule, lavapipe) != rows[i].meant) {
            fail_msg("%s", rows[i].rule);
        }
    }
    assert_false(topk_expectation_driver_meant("Mesa 1..2", ""));
}

/* as `expectations update' writes them */
static void backends_without_a_name_and_odd_ones_are_meant(void **state)
{
    (void)state;
    static const char text[] =
        "verdict=fail select=t. backend=\"\" owner=o reason=r expires=2026-12-31\n"
        "verdict=fail select=t. backend=\"?\" driver=\"?\" owner=o reason=r expires=2026-12-31\n";
    struct topk_expectations e;
    char error[256] = "";
    assert_true(parse(&e, text, sizeof text - 1, error));
    topk_expectations_start(&e, "", "", "", "2026-01-31T00:00:00Z");
    assert_true(e.rules[0].applies);
    assert_false(e.rules[1].applies);
    topk_expectations_start(&e, "?", "", "?", "2026-01-31T00:00:00Z");
    assert_false(e.rules[0].applies);
    assert_true(e.rules[1].applies);
    topk_expectations_free(&e);
}

static void texts_have_one_form(void **state)
{
    (void)state;
    static const struct {
        const char *text, *line;
    } rows[] = {
        {"", ""},
        {"a \"\\ \xc3\xa9 \xf0\x9f\x90\xba", "a \"\\ \xc3\xa9 \xf0\x9f\x90\xba"},
        {"a\n\t\x7f", "a\\x0a\\x09\\x7f"},
        {"\xc2\x9b\xc2\xa0", "\\xc2\\x9b\xc2\xa0"},
        {"\xff\xc3", "\\xff\\xc3"},
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char line[64];
        char again[64];
        topk_text_line(rows[i].text, line, sizeof line);
        assert_string_equal(line, rows[i].line);
        topk_text_line(line, again, sizeof again);
        assert_string_equal(again, line);
        /* no character is cut */
        for (size_t size = 1; size <= strlen(line); size++) {
            topk_text_line(rows[i].text, again, size);
            assert_true(strlen(again) < size);
            assert_int_equal(strncmp(again, line, strlen(again)), 0);
            topk_text_line(again, line, sizeof line);
            assert_string_equal(again, line);
            topk_text_line(rows[i].text, line, sizeof line);
        }
    }
}

static void rules_judge_the_cases_of_their_backend(void **state)
{
    (void)state;
    static const char text[] =
        "verdict=crash select=t. backend=b version=2 owner=o reason=r expires=2026-12-31\n"
        "verdict=crash select=t. backend=other owner=o reason=r expires=2026-12-31\n"
        "verdict=fail select=t.one backend=b driver=\"M 1..2\" owner=o reason=r "
        "expires=2026-12-31\n"
        "verdict=fail select=\"t.two:top_k k=1\" backend=b owner=o reason=r expires=2026-01-30\n"
        "verdict=crash select=*one* backend=b version=1 owner=o reason=r expires=2026-01-31\n"
        "verdict=error select=t.four backend=b owner=o reason=r expires=2026-12-31\n";
    static const struct {
        const char *id;
        enum topk_verdict own_verdict, judged;
        uint32_t line;
    } rows[] = {
        {"t.one:x", TOPK_VERDICT_FAIL, TOPK_VERDICT_EXPECTED_FAIL, 3},
        {"t.one:x", TOPK_VERDICT_CRASH, TOPK_VERDICT_EXPECTED_FAIL, 5},
        {"t.one:x", TOPK_VERDICT_TIMEOUT, TOPK_VERDICT_TIMEOUT, 0},
        {"t.one:x", TOPK_VERDICT_PASS, TOPK_VERDICT_UNEXPECTED_PASS, 3},
        {"t.one:x", TOPK_VERDICT_UNSUPPORTED, TOPK_VERDICT_UNSUPPORTED, 0},
        {"t.two:top_k k=1", TOPK_VERDICT_FAIL, TOPK_VERDICT_EXPECTED_FAIL, 4},
        {"t.two:top_k k=12", TOPK_VERDICT_FAIL, TOPK_VERDICT_FAIL, 0},
        {"t.three", TOPK_VERDICT_CRASH, TOPK_VERDICT_CRASH, 0},
        {"t.three", TOPK_VERDICT_PASS, TOPK_VERDICT_PASS, 0},
        {"t.four", TOPK_VERDICT_ERROR, TOPK_VERDICT_EXPECTED_FAIL, 6},
        {"t.four", TOPK_VERDICT_FAIL, TOPK_VERDICT_FAIL, 0},
    };
    struct topk_expectations e;
    char error[256] = "";
    assert_true(parse(&e, text, sizeof text - 1, error));
    topk_expectations_start(&e, "b", "1.5", "driver M 1.7", "2026-01-31T00:00:00Z");
    assert_false(e.rules[0].applies);
    assert_false(e.rules[1].applies);
    assert_true(e.rules[2].applies);
    assert_true(e.rules[3].expired);
    assert_false(e.rules[4].expired); /* on its last day */
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t line;
        enum topk_verdict judged =
            topk_expectations_judge(&e, rows[i].id, rows[i].own_verdict, &line);
        if (judged != rows[i].judged || line != rows[i].line) {
            fail_msg("row %zu: %s by line %u", i, topk_verdict_word(judged), (unsigned)line);
        }
    }
    assert_int_equal(e.rules[0].cases, 0);
    assert_int_equal(e.rules[2].cases, 5);
    assert_int_equal(e.rules[2].failed, 1);
    assert_int_equal(e.rules[2].passed, 1);
    assert_int_equal(e.rules[4].failed, 1);
    topk_expectations_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read),
        cmocka_unit_test(a_bad_line_is_named_with_its_column),
        cmocka_unit_test(versions_have_ranges),
        cmocka_unit_test(drivers_have_texts_and_ranges),
        cmocka_unit_test(backends_without_a_name_and_odd_ones_are_meant),
        cmocka_unit_test(texts_have_one_form),
        cmocka_unit_test(rules_judge_the_cases_of_their_backend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
