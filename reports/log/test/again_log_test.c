/* Failures that were run again, in the log: what running them again showed is what a reader gets.
 */
#define _XOPEN_SOURCE 700 /* nftw, mkdtemp */

#include "fixture.h"

#include "log/line.h"

/* what a reading delivered */
struct seen {
    unsigned records;
    unsigned agains;
    enum topk_verdict verdicts[8];
    enum topk_verdict own[8];
    uint32_t rules[8];
    struct topk_log_runs repeats[8];
    bool again[8];
    struct topk_log_again last;
};

static bool see_record(void *context, const struct topk_log_record *record)
{
    struct seen *seen = context;
    assert_true(record->number < 8);
    seen->records++;
    seen->verdicts[record->number] = record->verdict;
    seen->own[record->number] = record->own_verdict;
    seen->rules[record->number] = record->rule;
    seen->repeats[record->number] = record->repeat;
    seen->again[record->number] = record->again != NULL;
    assert_true(record->again == NULL || record->again->number == record->number);
    return true;
}

static bool see_again(void *context, const struct topk_log_again *again)
{
    struct seen *seen = context;
    seen->agains++;
    seen->last = *again;
    return true;
}

static int look(struct scratch *scratch, struct seen *seen)
{
    const struct topk_log_reader reader = {
        .context = seen, .record = see_record, .again = see_again};
    *seen = (struct seen){0};
    scratch->error[0] = 0;
    return topk_log_read(scratch->log, &reader, scratch->error, sizeof scratch->error);
}

static void kinds_follow_from_the_numbers(void **state)
{
    static const struct {
        struct topk_log_runs alone, behind;
        enum topk_again_kind kind;
    } rows[] = {
        {{2, 2}, {0, 0}, TOPK_AGAIN_ALWAYS}, {{2, 2}, {2, 2}, TOPK_AGAIN_ALWAYS},
        {{2, 0}, {2, 2}, TOPK_AGAIN_BEHIND}, {{2, 0}, {0, 0}, TOPK_AGAIN_FLAKY},
        {{2, 0}, {2, 0}, TOPK_AGAIN_FLAKY},  {{2, 0}, {2, 1}, TOPK_AGAIN_FLAKY},
        {{2, 1}, {0, 0}, TOPK_AGAIN_FLAKY},  {{2, 2}, {2, 1}, TOPK_AGAIN_FLAKY},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct topk_log_again again = {.alone = rows[i].alone, .behind = rows[i].behind};
        assert_int_equal(topk_again_kind_of(&again), rows[i].kind);
    }
    for (int i = 0; i < TOPK_AGAIN_COUNT; i++) {
        assert_int_equal(topk_again_parse(topk_again_word((enum topk_again_kind)i)), i);
    }
    assert_int_equal(topk_again_parse("never"), TOPK_AGAIN_COUNT);
}

static void numbers_are_put_into_words(void **state)
{
    const struct topk_log_again alone = {.alone = {2, 1}};
    const struct topk_log_again behind = {.alone = {2, 0}, .behind = {3, 1}, .before = 1};
    char text[TOPK_AGAIN_TEXT];
    (void)state;
    topk_again_print(&alone, text);
    assert_string_equal(text, "failed 1 of 2 times alone");
    topk_again_print(&behind, text);
    assert_string_equal(text, "failed 0 of 2 times alone, 1 of 3 times after the 1 case before it");
}

/* a case of each kind, one that was run several times, and one that was not run again */
static void write_log(struct scratch *scratch)
{
    struct topk_log *log = log_open(scratch);
    struct topk_result fail = sample_fail();
    const struct topk_log_again agains[] = {
        {.number = 4, .alone = {2, 1}, .kind = TOPK_AGAIN_FLAKY, .rule = 7},
        {.number = 1, .alone = {2, 2}, .kind = TOPK_AGAIN_ALWAYS},
        {.number = 2, .alone = {2, 0}, .behind = {2, 2}, .before = 9, .kind = TOPK_AGAIN_BEHIND},
        {.number = 3, .alone = {2, 0}, .behind = {2, 1}, .before = 64, .kind = TOPK_AGAIN_FLAKY},
    };
    for (uint64_t i = 0; i < 5; i++) {
        log_put(log, i, "a.b:top_k", &fail);
    }
    fail.verdict = TOPK_VERDICT_FLAKY;
    fail.runs = 10;
    fail.failed = 3;
    log_put(log, 5, "a.b:top_k", &fail);
    struct topk_result pass = sample_pass();
    pass.runs = 10;
    log_put(log, 6, "a.b:top_k", &pass);
    for (size_t i = 0; i < sizeof agains / sizeof agains[0]; i++) {
        assert_true(topk_log_again(log, &agains[i]));
    }
    log_finish(log, true);
}

static void cases_come_with_what_running_them_again_showed(void **state)
{
    struct scratch *scratch = *state;
    struct seen seen;
    write_log(scratch);
    assert_int_equal(look(scratch, &seen), 0);
    assert_int_equal(seen.records, 7);
    assert_int_equal(seen.agains, 4);
    assert_int_equal(seen.verdicts[0], TOPK_VERDICT_FAIL);
    assert_false(seen.again[0]);
    assert_int_equal(seen.verdicts[1], TOPK_VERDICT_FAIL);
    assert_int_equal(seen.verdicts[2], TOPK_VERDICT_FAIL);
    assert_int_equal(seen.verdicts[3], TOPK_VERDICT_FLAKY);
    assert_int_equal(seen.own[3], TOPK_VERDICT_FLAKY);
    assert_int_equal(seen.verdicts[4], TOPK_VERDICT_EXPECTED_FAIL);
    assert_int_equal(seen.own[4], TOPK_VERDICT_FLAKY);
    assert_int_equal(seen.rules[4], 7);
    assert_true(seen.again[1] && seen.again[2] && seen.again[3] && seen.again[4]);
    assert_int_equal(seen.verdicts[5], TOPK_VERDICT_FLAKY);
    assert_int_equal(seen.repeats[5].runs, 10);
    assert_int_equal(seen.repeats[5].failed, 3);
    assert_int_equal(seen.verdicts[6], TOPK_VERDICT_PASS);
    assert_int_equal(seen.repeats[6].runs, 10);
    assert_int_equal(seen.last.number, 3);
    assert_int_equal(seen.last.behind.failed, 1);
    assert_int_equal(seen.last.before, 64);
}

/* a log that goes on keeps them; what follows them is read as well */
static void logs_go_on_behind_them(void **state)
{
    struct scratch *scratch = *state;
    struct seen seen;
    const struct topk_result pass = sample_pass();
    write_log(scratch);
    struct topk_log *log = topk_log_append(scratch->dir, scratch->error, sizeof scratch->error);
    assert_non_null(log);
    log_put(log, 7, "a.b:top_k", &pass);
    log_finish(log, true);
    assert_int_equal(look(scratch, &seen), 0);
    assert_int_equal(seen.records, 8);
    assert_int_equal(seen.verdicts[3], TOPK_VERDICT_FLAKY);
}

static void malformed_ones_are_named(void **state)
{
    static const struct {
        const char *body, *member;
    } rows[] = {
        {"\"kind\":\"always\",\"alone\":{\"runs\":1,\"failed\":1}", "number"},
        {"\"number\":0,\"kind\":\"always\"", "alone"},
        {"\"number\":0,\"kind\":\"always\",\"alone\":{\"runs\":0,\"failed\":0}", "alone"},
        {"\"number\":0,\"kind\":\"always\",\"alone\":{\"runs\":1,\"failed\":2}", "alone"},
        {"\"number\":0,\"kind\":\"flaky\",\"alone\":{\"runs\":1,\"failed\":1}", "kind"},
        {"\"number\":0,\"kind\":\"often\",\"alone\":{\"runs\":1,\"failed\":1}", "kind"},
        {"\"number\":0,\"kind\":\"behind\",\"alone\":{\"runs\":1,\"failed\":0},"
         "\"behind\":{\"runs\":1,\"failed\":1}",
         "behind"},
        {"\"number\":0,\"kind\":\"always\",\"alone\":{\"runs\":1,\"failed\":1},"
         "\"expectation\":{\"line\":1,\"verdict\":\"flaky\"}",
         "expectation"},
        {"\"number\":0,\"kind\":\"flaky\",\"alone\":{\"runs\":1,\"failed\":0},"
         "\"expectation\":{\"line\":1,\"verdict\":\"fail\"}",
         "expectation"},
    };
    struct scratch *scratch = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char body[300];
        char expected[100];
        struct seen seen;
        struct topk_log *log = log_open(scratch);
        const struct topk_result fail = sample_fail();
        log_put(log, 0, "a.b:top_k", &fail);
        const int length = snprintf(body, sizeof body, "{\"record\":\"again\",%s", rows[i].body);
        assert_true(topk_log_copy(log, body, (size_t)length));
        log_finish(log, true);
        assert_int_equal(look(scratch, &seen), -1);
        snprintf(expected, sizeof expected, ":3: \"%s\" is missing", rows[i].member);
        assert_non_null(strstr(scratch->error, expected));
        assert_int_equal(seen.verdicts[0], TOPK_VERDICT_FAIL);
        assert_int_equal(remove(scratch->log), 0);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(kinds_follow_from_the_numbers),
        TEST(numbers_are_put_into_words),
        TEST(cases_come_with_what_running_them_again_showed),
        TEST(logs_go_on_behind_them),
        TEST(malformed_ones_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
