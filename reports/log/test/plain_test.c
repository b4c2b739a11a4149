/* Records that are read and written without a JSON library: they say the same as with one, and
 * nothing else is taken for such a record. */
#define _XOPEN_SOURCE 700 /* nftw, mkdtemp */

#include "fixture.h"

#include "log/object.h"
#include "log/plain.h"
#include "log/record.h"

#define TAIL  ",\"chain\":\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}\n"
#define START "{\"record\":\"case\",\"number\":12,\"id\":\"t.a:top_k x=[1]\",\"verdict\":\"pass\","

/* reads a line as topk_log_read does; the line that is given back is to be freed */
static bool plain(const char *text, struct topk_log_record *record, char **line)
{
    struct topk_lines lines = {.text = strdup(text), .length = strlen(text)};
    assert_non_null(lines.text);
    memset(record, 0xee, sizeof *record);
    bool is = topk_plain_case(&lines, record);
    *line = lines.text;
    return is;
}

static void plain_records_are_read(void **state)
{
    struct topk_log_record record;
    char *line;
    (void)state;
    assert_true(plain(START "\"nanoseconds\":345" TAIL, &record, &line));
    assert_int_equal(record.number, 12);
    assert_string_equal(record.id, "t.a:top_k x=[1]");
    assert_int_equal(record.verdict, TOPK_VERDICT_PASS);
    assert_int_equal(record.clause, TOPK_CLAUSE_NONE);
    assert_int_equal(record.nanoseconds, 345);
    assert_int_equal(record.observations, 0);
    assert_string_equal(record.reason, "");
    assert_string_equal(record.cause, "");
    assert_int_equal(record.finding_count, 0);
    assert_int_equal(record.window_count, 0);
    assert_false(record.has_sequence);
    assert_false(record.by_status);
    free(line);
    assert_true(plain(START "\"by\":\"status\",\"nanoseconds\":345" TAIL, &record, &line));
    assert_true(record.by_status);
    free(line);
    assert_true(plain(START "\"nanoseconds\":0,\"observations\":[{\"clause\":\"M03\",\"word\":"
                            "\"kept\"},{\"clause\":\"F02\",\"word\":\"NaN last\"}]" TAIL,
                      &record, &line));
    assert_int_equal(record.observations, UINT32_C(1) << TOPK_OBSERVATION_PADDING_KEPT |
                                              UINT32_C(1) << TOPK_OBSERVATION_NAN_LAST);
    free(line);
}

static void other_records_are_left_alone(void **state)
{
    static const char *const others[] = {
        "",
        "{\"record\":\"case\"",
        START,
        START "\"nanoseconds\":1",
        START "\"nanoseconds\":1,\"extra\":1" TAIL,
        START "\"by\":\"outputs\",\"nanoseconds\":1" TAIL,
        START "\"nanoseconds\":1,\"by\":\"status\"" TAIL,
        START "\"nanoseconds\":-1" TAIL,
        START "\"nanoseconds\":01" TAIL,
        START "\"nanoseconds\":1.5" TAIL,
        START "\"nanoseconds\":1234567890123456789" TAIL,
        START "\"nanoseconds\":1,\"observations\":[]" TAIL,
        START "\"nanoseconds\":1,\"observations\":[{\"clause\":\"M03\",\"word\":\"torn\"}]" TAIL,
        START "\"nanoseconds\":1,\"observations\":[{\"clause\":\"M03\",\"word\":\"kept\"}" TAIL,
        START "\"clause\":\"S08\",\"nanoseconds\":1" TAIL,
        "{\"record\":\"case\",\"number\":1,\"id\":\"a\\u0041\",\"verdict\":\"pass\","
        "\"nanoseconds\":1" TAIL,
        "{\"record\":\"case\",\"number\":1,\"id\":\"a\xc3\xa9\",\"verdict\":\"pass\","
        "\"nanoseconds\":1" TAIL,
        "{\"record\":\"case\",\"number\":1,\"id\":\"a\",\"verdict\":\"fail\",\"nanoseconds\":"
        "1" TAIL,
        ("{\"record\":\"case\",\"number\":,\"id\":\"a\",\"verdict\":\"pass\",\"nanoseconds\":"
         "1" TAIL),
    };
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        struct topk_log_record record;
        struct topk_log_record before;
        char *line;
        memset(&before, 0xee, sizeof before);
        if (plain(others[i], &record, &line)) {
            fail_msg("taken for a plain record: %s", others[i]);
        }
        assert_memory_equal(&record, &before, sizeof record);
        assert_string_equal(line, others[i]);
        free(line);
    }
}

static bool count_plain(void *context, const struct topk_log_record *record)
{
    (void)record;
    ++*(unsigned *)context;
    return true;
}

/* or the time that is saved would not be */
static void what_is_written_is_plain(void **state)
{
    struct scratch *scratch = *state;
    struct topk_log *log = log_open(scratch);
    struct topk_result result = sample_pass();
    log_put(log, 0, "t.a:top_k1 in=f32[1,1]{1,1}#8@4 data=few.1:2:3", &result);
    result.judgement.observations = UINT32_MAX >> (32 - TOPK_OBSERVATION_COUNT);
    result.by_status = true;
    log_put(log, 1, "t.a:top_k", &result);
    log_finish(log, true);
    struct topk_lines lines;
    struct topk_log_record record;
    unsigned all = 0;
    unsigned seen = 0;
    assert_true(topk_lines_open(&lines, scratch->log, scratch->error, sizeof scratch->error));
    enum topk_line kind;
    while ((kind = topk_lines_next(&lines, scratch->error, sizeof scratch->error)) <
           TOPK_LINE_NONE) {
        seen += kind == TOPK_LINE_CASE && topk_plain_case(&lines, &record);
    }
    topk_lines_close(&lines);
    assert_int_equal(seen, 2);
    const struct topk_log_reader reader = {.context = &all, .record = count_plain};
    assert_int_equal(topk_log_read(scratch->log, &reader, scratch->error, sizeof scratch->error),
                     0);
    assert_int_equal(all, 2);
}

/* Plain records are written as the JSON library writes them, and other records are left to it. */
static void plain_records_are_written(void **state)
{
    (void)state;
    static const char *const ids[] = {"t.a:top_k1 in=f32[1,1]{1,1}#8@4 data=few.1:2:3",
                                      "",
                                      "a\"b",
                                      "a\\b",
                                      "a\x7f",
                                      "a\nb",
                                      "\xc3\xa4",
                                      " ~/<&"};
    unsigned plain = 0;
    for (uint32_t i = 0; i < 4096; i++) {
        struct topk_result result = sample_pass();
        struct topk_result other = sample_fail();
        const char *id = ids[i % 8];
        const uint64_t number = (i & 8) != 0 ? UINT64_C(1234567890123456789) : i;
        result = (i & 16) != 0 ? other : result;
        result.by_status = (i & 32) != 0;
        result.judgement.observations =
            (i & 64) != 0 ? i * 2654435761u & (UINT32_MAX >> (32 - TOPK_OBSERVATION_COUNT)) : 0;
        result.nanoseconds = (i & 128) != 0 ? UINT64_MAX : i;
        result.call = (i & 256) != 0;
        result.runs = (i & 512) != 0 ? 3 : 0;
        result.guess = (i & 1024) != 0;
        snprintf(result.reason, sizeof result.reason, "%s", (i & 2048) != 0 ? "why" : "");
        char text[4096];
        const size_t length = topk_plain_print(text, sizeof text, number, id, &result);
        json_t *record = topk_record_case(number, id, TOPK_TYPE_F32, TOPK_TYPE_U32, &result);
        char *json = topk_json_text(record, JSON_COMPACT);
        assert_non_null(json);
        if (length > 0) {
            assert_int_equal(length, strlen(json) - 1); /* without the closing brace */
            assert_memory_equal(text, json, length);
            assert_int_equal(topk_plain_print(text, length - 1, number, id, &result), 0);
            assert_int_equal(topk_plain_print(text, length, number, id, &result), length);
        }
        plain += length > 0;
        free(json);
        json_decref(record);
    }
    assert_int_equal(plain, 3 * 8);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(plain_records_are_read),
        TEST(other_records_are_left_alone),
        TEST(what_is_written_is_plain),
        TEST(plain_records_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
