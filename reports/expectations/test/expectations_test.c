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
        {"verdict", "e.txt:2:1: 'verdict' is not KEY=VALUE"},
        {"verdict=fail owner=J. Doe select=a",
         "e.txt:2:23: 'Doe' is not KEY=VALUE; a value with spaces is put in double quotes"},
        {"  x=1", "e.txt:2:3: unknown key or feature of cases; the keys are verdict clause"},
        {"=1", "e.txt:2:1: unknown key"},
        {RULE " owner=p", "e.txt:2:69: there is a second owner"},
        {RULE " link=", "e.txt:2:74: the value is empty"},
        {RULE " link=\"\"", "e.txt:2:74: the value is empty"},
        {RULE " link=\"x", "e.txt:2:74: this quote has no end"},
        {RULE " link=\"x\"y", "e.txt:2:77: expected a space after the quote"},
        {RULE " link=x\"y", "e.txt:2:75: a quote inside of a word"},
        {RULE " link=\"\\n\"", "e.txt:2:75: expected '\"' or"},
        {RULE " link=\"\\", "e.txt:2:75: expected '\"' or"},
        {RULE " link=?", "e.txt:2:74: the '?' must be replaced"},
        {"verdict=fail select=a backend= owner=o reason=r expires=2026-12-31",
         "e.txt:2:31: the value is empty"},
        {"verdict=fail select=a backend=? owner=o reason=r expires=2026-12-31",
         "e.txt:2:31: the '?' must be replaced"},
        {"verdict=fail select=a backend=b owner=\"?\" reason=r expires=2026-12-31",
         "e.txt:2:39: the '?' must be replaced"},
        {RULE " driver=\"\"", "e.txt:2:76: the value is empty"},
        {RULE "\r", "e.txt:2:68: a control character: a carriage return"},
        {"# \x01", "e.txt:2:3: a control character"},
        {"# \xff", "e.txt:2:1: the line is not UTF-8"},
        {"select=a backend=b owner=o reason=r expires=2026-12-31",
         "e.txt:2:55: the rule has no verdict"},
        {"verdict=fail select=a backend=b reason=r expires=2026-12-31", "the rule has no owner"},
        {"verdict=fail select=a backend=b owner=o reason=r", "the rule has no expires"},
        {"verdict=pass select=a backend=b owner=o reason=r expires=2026-12-31",
         "e.txt:2:9: not a verdict of failures"},
        {"verdict=harness-error select=a backend=b owner=o reason=r expires=2026-12-31",
         "e.txt:2:9: not a verdict of failures"},
        {"verdict=unsupported select=a backend=b owner=o reason=r expires=2026-12-31",
         "e.txt:2:9: not a verdict of failures"},
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
        {"verdict=fail backend=b owner=o reason=r expires=2026-12-31",
         "e.txt:2:59: the rule needs select or when"},
        {RULE " clause=S08|X1", "e.txt:2:80: 'X1': clause takes clauses"},
        {RULE " clause=S08|", "e.txt:2:80: '': clause takes clauses"},
        {RULE " clause=\"|S08\"", "e.txt:2:76: '': clause takes clauses"},
        {RULE " cause=none|ties", "e.txt:2:80: 'ties': cause takes"},
        {RULE " mismatch=ties", "e.txt:2:78: 'ties': mismatch takes"},
        {RULE " when=rang>=5",
         "e.txt:2:74: there is no feature 'rang'; `topk-cts list --features' lists"},
        {RULE " when=\"rank>=5 and type=f17\"", "e.txt:2:92: 'f17' is not a word of type; it has"},
        {RULE " when=\"n=5 or k=1\"", "e.txt:2:78: ' and ' and another term, or the end,"},
        {RULE " when=\"n=5\\\\ and x\"", "e.txt:2:77: not a number: '5\\'"},
        {RULE " when=\"\\\"\\\\n\"", "e.txt:2:74: there is no feature"},
        {RULE " rank", "e.txt:2:73: =, !=, <, <=, > or >= has to stand behind 'rank'"},
        {RULE " rank>five", "e.txt:2:74: not a number: 'five'"},
        {RULE " type=f16|f17", "e.txt:2:78: 'f17' is not a word of type"},
        {RULE " type>f16", "e.txt:2:69: only = and != ask for words of 'type'"},
        {RULE " n=1 n=1 n=1 n=1 n=1 n=1 n=1 n=1 n=1 n=1 n=1 n=1 n=1",
         "e.txt:2:117: the condition of the rule has too many terms"},
        {RULE " n=1 n=1 when=\"n=1 and n=1 and n=1 and n=1 and n=1 and n=1 and n=1 and n=1 and "
              "n=1 and n=1 and n=1\"",
         "e.txt:2:82: the condition of the rule has too many terms"},
        {RULE " clause>S08", "e.txt:2:69: 'clause>S08' is not KEY=VALUE"},
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

static void a_condition_is_read_however_it_is_written(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "when=\"rank>=5 and type=f16|i8 and n<=9\"",
        "rank>=5 type=f16|i8 n<=9",
        "rank>4 when=\"type=i8|f16\" n<10",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[512];
        char error[256] = "";
        struct topk_expectations e;
        const int size = snprintf(text, sizeof text,
                                  "verdict=fail clause=S09|S08 cause=none|ties-high "
                                  "mismatch=tie-order|left-out crash=mine.so backend=b owner=o "
                                  "reason=r expires=2026-12-31 %s",
                                  rows[i]);
        assert_true(parse(&e, text, (size_t)size, error));
        assert_string_equal(e.rules[0].when, "rank>=5 and type=f16|i8 and n<=9");
        assert_string_equal(e.rules[0].select, "");
        assert_true(topk_clause_set_has(&e.rules[0].clauses, TOPK_CLAUSE_S08));
        assert_true(topk_clause_set_has(&e.rules[0].clauses, TOPK_CLAUSE_S09));
        assert_false(topk_clause_set_has(&e.rules[0].clauses, TOPK_CLAUSE_S10));
        assert_true(e.rules[0].causes ==
                    ((uint64_t)1 << TOPK_READING_NONE | (uint64_t)1 << TOPK_READING_TIES_HIGH));
        assert_true(e.rules[0].mismatches == ((uint64_t)1 << TOPK_MISMATCH_TIE_ORDER |
                                              (uint64_t)1 << TOPK_MISMATCH_LEFT_OUT));
        topk_expectations_free(&e);
    }
}

/* a key and a feature of one name could not be told apart */
static void keys_are_no_features(void **state)
{
    (void)state;
#define KEY(name, needed) #name,
    static const char *const keys[] = {TOPK_EXPECTATION_LIST(KEY)};
#undef KEY
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        for (unsigned f = 0; f < TOPK_CATEGORY_COUNT; f++) {
            assert_string_not_equal(keys[i], topk_category_name((enum topk_category)f));
        }
        for (unsigned f = 0; f < TOPK_NUMBER_COUNT; f++) {
            assert_string_not_equal(keys[i], topk_number_name((enum topk_number)f));
        }
    }
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
        const struct topk_ended ended = {.id = rows[i].id, .verdict = rows[i].own_verdict};
        uint32_t line;
        enum topk_verdict judged = topk_expectations_judge(&e, &ended, &line, NULL);
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

#define S(id)                                                                                      \
    {                                                                                              \
        .bits = {(uint64_t)1 << TOPK_CLAUSE_##id }                                                 \
    }
_Static_assert(TOPK_CLAUSE_S09 < 64, "S() makes sets of the first clauses");

/* What breaks another clause, has another cause, finding or place than the rule says is not waived;
 * the rule that is nearest says in what it differs. */
static void a_rule_waives_only_what_it_says(void **state)
{
    (void)state;
    static const char text[] =
        "verdict=fail clause=S08|S09 select=t. backend=b owner=o reason=r expires=2026-12-31\n"
        "verdict=fail clause=S08 cause=ties-high|none select=c. backend=b owner=o reason=r "
        "expires=2026-12-31\n"
        "verdict=fail mismatch=tie-order|left-out select=m. backend=b owner=o reason=r "
        "expires=2026-12-31\n"
        "verdict=crash crash=\"SIGSEGV in mine.so\" select=t. backend=b owner=o reason=r "
        "expires=2026-12-31\n";
    static const struct topk_crash mine = {
        .signal = "SIGSEGV", .frame_count = 1, .frames = {{.module = "mine.so", .offset = 16}}};
    static const struct topk_crash other = {
        .signal = "SIGSEGV", .frame_count = 1, .frames = {{.module = "other.so", .offset = 16}}};
    static const struct {
        struct topk_ended ended;
        uint32_t line;   /* 0: not waived */
        uint32_t nearly; /* 0: no rule is near */
        const char *differs;
    } rows[] = {
        {{"t.a", TOPK_VERDICT_FAIL, 0, S(S08), 1, 0, NULL, {{0}}}, 1, 0, ""},
        {{"t.a", TOPK_VERDICT_FAIL, 0, S(S09), 1, 0, NULL, {{0}}}, 1, 0, ""},
        {{"t.a", TOPK_VERDICT_FAIL, 0, S(S04), 1, 0, NULL, {{0}}},
         0,
         1,
         "it expects S08, S09, and this case breaks S04"},
        {{"t.a",
          TOPK_VERDICT_FAIL,
          0,
          {.bits = {(uint64_t)1 << TOPK_CLAUSE_S04 | (uint64_t)1 << TOPK_CLAUSE_S08}},
          1,
          0,
          NULL,
          {{0}}},
         0,
         1,
         "it expects S08, S09, and this case breaks S04, S08"},
        {{"t.a", TOPK_VERDICT_FAIL, 0, {{0}}, 1, 0, NULL, {{0}}},
         0,
         1,
         "it expects S08, S09, and this case breaks none that is known"},
        {{"t.a", TOPK_VERDICT_TIMEOUT, 0, {{0}}, 1, 0, NULL, {{0}}},
         0,
         1,
         "it expects fail, and this case came to timeout"},
        {{"t.a", TOPK_VERDICT_HARNESS_ERROR, 0, {{0}}, 1, 0, NULL, {{0}}}, 0, 0, ""},
        {{"t.a", TOPK_VERDICT_UNSUPPORTED, 0, {{0}}, 1, 0, NULL, {{0}}}, 0, 0, ""},
        {{"t.a", TOPK_VERDICT_FAIL, 0, S(S04), 1, 0, NULL, S(S08)}, 1, 0, ""},
        {{"u.a", TOPK_VERDICT_FAIL, 0, S(S08), 1, 0, NULL, {{0}}}, 0, 0, ""},
        {{"t.a", TOPK_VERDICT_CRASH, 0, {{0}}, 1, 0, &mine, {{0}}}, 4, 0, ""},
        {{"t.a", TOPK_VERDICT_CRASH, 0, {{0}}, 1, 0, &other, {{0}}},
         0,
         4,
         "it expects a crash, SIGSEGV in mine.so, and this case crashed: SIGSEGV in other.so+0x10"},
        {{"t.a", TOPK_VERDICT_CRASH, 0, {{0}}, 1, 0, NULL, {{0}}},
         0,
         4,
         "it expects a crash, SIGSEGV in mine.so, and this case crashed: at a place that is not "
         "known"},
        {{"c.a", TOPK_VERDICT_FAIL, 0, S(S08), 1, 0, NULL, {{0}}}, 2, 0, ""},
        {{"c.a",
          TOPK_VERDICT_FAIL,
          0,
          S(S08),
          (uint64_t)1 << TOPK_READING_TIES_HIGH,
          0,
          NULL,
          {{0}}},
         2,
         0,
         ""},
        {{"c.a",
          TOPK_VERDICT_FAIL,
          0,
          S(S08),
          (uint64_t)1 << TOPK_READING_OPPOSITE | (uint64_t)1 << TOPK_READING_TIES_HIGH,
          0,
          NULL,
          {{0}}},
         2,
         0,
         ""},
        {{"c.a",
          TOPK_VERDICT_FAIL,
          0,
          S(S08),
          (uint64_t)1 << TOPK_READING_OPPOSITE,
          0,
          NULL,
          {{0}}},
         0,
         2,
         "it expects none, ties-high, and this case has the cause opposite-direction"},
        {{"c.a", TOPK_VERDICT_FAIL, 0, S(S08), 0, 0, NULL, {{0}}},
         0,
         2,
         "it expects none, ties-high, and this case has the cause none that is known"},
        {{"m.a",
          TOPK_VERDICT_FAIL,
          0,
          S(S08),
          1,
          (uint64_t)1 << TOPK_MISMATCH_TIE_ORDER,
          NULL,
          {{0}}},
         3,
         0,
         ""},
        {{"m.a",
          TOPK_VERDICT_FAIL,
          0,
          S(S08),
          1,
          (uint64_t)1 << TOPK_MISMATCH_TIE_ORDER | (uint64_t)1 << TOPK_MISMATCH_INPUT_WRITTEN,
          NULL,
          {{0}}},
         0,
         3,
         "it expects tie-order, left-out, and this case has the findings tie-order, input-written"},
        {{"m.a", TOPK_VERDICT_FAIL, 0, S(S08), 1, 0, NULL, {{0}}},
         0,
         3,
         "it expects tie-order, left-out, and this case has the findings none that is known"},
    };
    struct topk_expectations e;
    char error[256] = "";
    assert_true(parse(&e, text, sizeof text - 1, error));
    topk_expectations_start(&e, "b", "", "", "2026-01-31T00:00:00Z");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct topk_expectation *nearly;
        char differs[TOPK_DIFFERS_TEXT] = "";
        uint32_t line;
        enum topk_verdict judged = topk_expectations_judge(&e, &rows[i].ended, &line, &nearly);
        const uint32_t near_line = nearly == NULL ? 0 : nearly->line;
        if (nearly != NULL) {
            assert_true(topk_expectation_differs(nearly, &rows[i].ended, differs));
        }
        if (line != rows[i].line || near_line != rows[i].nearly ||
            strcmp(differs, rows[i].differs) != 0 ||
            judged != (line == 0 ? rows[i].ended.verdict : TOPK_VERDICT_EXPECTED_FAIL)) {
            fail_msg("row %zu: %s by line %u, nearly line %u: '%s'", i, topk_verdict_word(judged),
                     (unsigned)line, (unsigned)near_line, differs);
        }
    }
    assert_int_equal(e.rules[0].failed, 3);
    assert_int_equal(e.rules[0].others, 4);
    assert_string_equal(e.rules[0].other, "t.a");
    assert_string_equal(e.rules[0].differs, "it expects S08, S09, and this case breaks S04");
    assert_int_equal(e.rules[3].others, 2);
    topk_expectations_free(&e);
}

/* Cases within a condition that pass are counted, and are as they should be. */
static void a_condition_is_for_the_cases_that_it_holds_of(void **state)
{
    (void)state;
    static const char text[] =
        "verdict=fail n>=5 n<=8 type=f32 backend=b owner=o reason=r expires=2026-12-31\n"
        "verdict=fail ties=none select=d. backend=b owner=o reason=r expires=2026-12-31\n"
        "verdict=fail k>=7 type=f32 select=p. backend=b owner=o reason=r expires=2026-12-31\n"
        "verdict=fail k>=7 type=f16 select=q. backend=b owner=o reason=r expires=2026-12-31\n";
#define F32_8 "top_k fl=2.0 in=f32[1,1,1,8] axis=3 k=2 data=shuffle.1:1"
#define F32_4 "top_k fl=2.0 in=f32[1,1,1,4] axis=3 k=2 data=shuffle.1:1"
#define F16_8 "top_k fl=2.0 in=f16[1,1,1,8] axis=3 k=2 data=shuffle.1:1"
#define TIES  "top_k fl=2.0 in=f32[1,1,1,4] axis=3 k=2 data=zero"
/* K is too large, so that no data is looked at */
#define INVALID "top_k fl=2.0 in=f32[1,1,1,4] axis=3 k=5 data=shuffle.1:1"
/* the prefix has another K: that of the case is not known */
#define PREFIX "top_k fl=3.1 in=f32[13] axis=0 k=6 check=prefix data=shuffle.1:1"
    static const struct {
        const char *id;
        enum topk_verdict own_verdict, judged;
    } rows[] = {
        {"t.a:" F32_8, TOPK_VERDICT_FAIL, TOPK_VERDICT_EXPECTED_FAIL},
        {F32_8, TOPK_VERDICT_FAIL, TOPK_VERDICT_EXPECTED_FAIL},
        {"t.a:" F32_8, TOPK_VERDICT_PASS, TOPK_VERDICT_PASS},
        {"t.a:" F32_8, TOPK_VERDICT_CRASH, TOPK_VERDICT_CRASH},
        {"t.a:" F32_4, TOPK_VERDICT_FAIL, TOPK_VERDICT_FAIL},
        {"t.a:" F16_8, TOPK_VERDICT_FAIL, TOPK_VERDICT_FAIL},
        {"t.a:no case", TOPK_VERDICT_FAIL, TOPK_VERDICT_FAIL},
        {"d.a:" F32_4, TOPK_VERDICT_FAIL, TOPK_VERDICT_EXPECTED_FAIL},
        {"t.a:" F32_4, TOPK_VERDICT_FAIL, TOPK_VERDICT_FAIL},
        {"d.a:" TIES, TOPK_VERDICT_FAIL, TOPK_VERDICT_FAIL},
        {"d.a:" INVALID, TOPK_VERDICT_FAIL, TOPK_VERDICT_FAIL},
        {"p.a:" PREFIX, TOPK_VERDICT_FAIL, TOPK_VERDICT_EXPECTED_FAIL},
        {"q.a:" PREFIX, TOPK_VERDICT_FAIL, TOPK_VERDICT_FAIL},
    };
    struct topk_expectations e;
    char error[256] = "";
    assert_true(parse(&e, text, sizeof text - 1, error));
    topk_expectations_start(&e, "b", "", "", "2026-01-31T00:00:00Z");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct topk_ended ended = {.id = rows[i].id, .verdict = rows[i].own_verdict};
        uint32_t line;
        enum topk_verdict judged = topk_expectations_judge(&e, &ended, &line, NULL);
        if (judged != rows[i].judged || (line != 0) != (judged == TOPK_VERDICT_EXPECTED_FAIL)) {
            fail_msg("row %zu: %s by line %u", i, topk_verdict_word(judged), (unsigned)line);
        }
    }
    assert_int_equal(e.rules[0].cases, 4);
    assert_int_equal(e.rules[0].failed, 2);
    assert_int_equal(e.rules[0].passed, 1);
    assert_int_equal(e.rules[0].others, 1);
    assert_false(topk_expectation_stale(&e.rules[0]));
    topk_expectations_start(&e, "b", "", "", "2027-01-01T00:00:00Z");
    assert_int_equal(topk_expectations_expired(&e), 4);
    topk_expectations_start(&e, "other", "", "", "2027-01-01T00:00:00Z");
    assert_int_equal(topk_expectations_expired(&e), 0);
    topk_expectations_free(&e);
    assert_true(parse(&e, text, sizeof text - 1, error));
    topk_expectations_start(&e, "b", "", "", "2026-01-31T00:00:00Z");
    assert_false(topk_expectation_stale(&e.rules[0])); /* none of its cases was run */
    const struct topk_ended passed = {.id = F32_8, .verdict = TOPK_VERDICT_PASS};
    uint32_t line;
    assert_int_equal(topk_expectations_judge(&e, &passed, &line, NULL), TOPK_VERDICT_PASS);
    assert_true(topk_expectation_stale(&e.rules[0]));
    topk_expectations_free(&e);
}

static bool see_ended(void *context, const struct topk_log_record *record)
{
    struct topk_ended read;
    const struct topk_ended *ended = context;
    topk_ended_read(record, &read);
    assert_string_equal(read.id, ended->id);
    assert_int_equal(read.verdict, ended->verdict);
    assert_memory_equal(&read.clauses, &ended->clauses, sizeof read.clauses);
    assert_memory_equal(&read.told, &ended->told, sizeof read.told);
    assert_true(read.causes == ended->causes && read.mismatches == ended->mismatches);
    assert_true((read.crash == NULL) == (ended->crash == NULL));
    return true;
}

/* a run and who reads its log judge by the same */
static void a_record_ends_as_its_result(void **state)
{
    struct scratch *scratch = *state;
    static const struct topk_finding findings[] = {
        {.clause = TOPK_CLAUSE_S08, .mismatch = TOPK_MISMATCH_TIE_ORDER, .rank = 1, .count = 1},
        {.clause = TOPK_CLAUSE_M01, .mismatch = TOPK_MISMATCH_INPUT_WRITTEN, .count = 1},
        {.clause = TOPK_CLAUSE_S04, .mismatch = TOPK_MISMATCH_VALUE_ORDER, .rank = 1, .count = 1},
    };
    static const struct {
        enum topk_verdict verdict;
        enum topk_clause clause;
        enum topk_reading reading;
        topk_reading_set readings;
        uint32_t findings;
        const char *signal;
    } rows[] = {
        {TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE, TOPK_READING_NONE, 0, 0, ""},
        {TOPK_VERDICT_FAIL, TOPK_CLAUSE_S08, TOPK_READING_NONE, 0, 3, ""},
        {TOPK_VERDICT_FAIL, TOPK_CLAUSE_S09, TOPK_READING_TIES_HIGH, 0, 3, ""},
        {TOPK_VERDICT_FAIL, TOPK_CLAUSE_S09, TOPK_READING_TIES_HIGH,
         (uint64_t)1 << TOPK_READING_TIES_HIGH | (uint64_t)1 << TOPK_READING_OPPOSITE, 3, ""},
        {TOPK_VERDICT_REFUSED, TOPK_CLAUSE_T05, TOPK_READING_NONE, 0, 0, ""},
        {TOPK_VERDICT_CRASH, TOPK_CLAUSE_NONE, TOPK_READING_NONE, 0, 0, "SIGSEGV"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topk_result result = {.verdict = rows[i].verdict,
                                     .clause = rows[i].clause,
                                     .reading = rows[i].reading,
                                     .readings = rows[i].readings,
                                     .reason = "why"};
        struct topk_ended ended;
        result.judgement.count = rows[i].findings;
        memcpy(result.judgement.findings, findings, rows[i].findings * sizeof findings[0]);
        snprintf(result.crash.signal, sizeof result.crash.signal, "%s", rows[i].signal);
        topk_ended_of("t.a:x", &result, &ended);
        assert_true(ended.causes == (rows[i].readings != 0                  ? rows[i].readings
                                     : rows[i].reading == TOPK_READING_NONE ? TOPK_CAUSE_NONE
                                                                            : 0));
        assert_true(topk_clause_set_has(&ended.clauses, TOPK_CLAUSE_S04) == (rows[i].findings > 0));
        assert_true(topk_clause_set_has(&ended.told, TOPK_CLAUSE_S04) ==
                    (rows[i].findings > 0 && rows[i].reading == TOPK_READING_NONE));
        const struct topk_log_reader reader = {.context = &ended, .record = see_ended};
        struct topk_log_header header = sample_header();
        unlink(scratch->log);
        struct topk_log *log =
            topk_log_create(scratch->dir, &header, scratch->error, sizeof scratch->error);
        assert_non_null(log);
        assert_true(topk_log_case(log, 0, "t.a:x", TOPK_TYPE_F32, TOPK_TYPE_U32, &result));
        assert_true(topk_log_close(log));
        assert_int_equal(
            topk_log_read(scratch->log, &reader, scratch->error, sizeof scratch->error), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read),
        cmocka_unit_test(a_bad_line_is_named_with_its_column),
        cmocka_unit_test(a_condition_is_read_however_it_is_written),
        cmocka_unit_test(keys_are_no_features),
        cmocka_unit_test(versions_have_ranges),
        cmocka_unit_test(drivers_have_texts_and_ranges),
        cmocka_unit_test(backends_without_a_name_and_odd_ones_are_meant),
        cmocka_unit_test(texts_have_one_form),
        cmocka_unit_test(rules_judge_the_cases_of_their_backend),
        cmocka_unit_test(a_rule_waives_only_what_it_says),
        cmocka_unit_test(a_condition_is_for_the_cases_that_it_holds_of),
        cmocka_unit_test_setup_teardown(a_record_ends_as_its_result, scratch_make, scratch_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
