/* JUnit XML: always well-formed, with counts that are right, and nothing that looks like a pass
 * where none was. */
#define _XOPEN_SOURCE 700 /* nftw, mkdtemp */

#include "fixture.h"

#include "asks.h"

#include <dirent.h>
#include <errno.h>
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <sys/stat.h>

#include "formats/report.h"

/* ---- helpers --------------------------------------------------------------------------------- */

struct report {
    xmlDocPtr document;
    xmlXPathContextPtr context;
};

static void xml_path(const struct scratch *scratch, char path[PATH_BYTES + 16])
{
    snprintf(path, PATH_BYTES + 16, "%s/%s", scratch->dir, TOPK_JUNIT_NAME);
}

/* a case is as large as its text is long */
static void look(const char *id, struct topk_case_look *found)
{
    fixture_look(id, found);
    found->elements = strlen(id);
}

static const struct topk_case_lookup lookup = {
    .classes = fixture_class, .look = look, .asks = &fixture_asks, .expect = fixture_expect};

/* makes the report in a mode and parses it */
static struct report report_make_mode(struct scratch *scratch, enum topk_junit_mode mode)
{
    char path[PATH_BYTES + 16];
    xml_path(scratch, path);
    if (!topk_junit_write(scratch->log, path, mode, &lookup, scratch->error,
                          sizeof scratch->error)) {
        fail_msg("%s", scratch->error);
    }
    struct report report = {xmlReadFile(path, NULL, XML_PARSE_NONET), NULL};
    assert_non_null(report.document);
    report.context = xmlXPathNewContext(report.document);
    assert_non_null(report.context);
    return report;
}

static struct report report_make(struct scratch *scratch)
{
    return report_make_mode(scratch, TOPK_JUNIT_CASES);
}

static void report_free(struct report *report)
{
    xmlXPathFreeContext(report->context);
    xmlFreeDoc(report->document);
    xmlCleanupParser();
}

/* what an XPath expression comes to, as text */
static void assert_xml(const struct report *report, const char *expression, const char *expected)
{
    xmlXPathObjectPtr object = xmlXPathEvalExpression(BAD_CAST expression, report->context);
    assert_non_null(object);
    xmlChar *text = xmlXPathCastToString(object);
    assert_string_equal((const char *)text, expected);
    xmlFree(text);
    xmlXPathFreeObject(object);
}

static void assert_xml_has(const struct report *report, const char *expression, const char *part)
{
    xmlXPathObjectPtr object = xmlXPathEvalExpression(BAD_CAST expression, report->context);
    assert_non_null(object);
    xmlChar *text = xmlXPathCastToString(object);
    if (strstr((const char *)text, part) == NULL) {
        fail_msg("no \"%s\" in \"%s\"", part, (const char *)text);
    }
    xmlFree(text);
    xmlXPathFreeObject(object);
}

static struct topk_result result_of(enum topk_verdict verdict)
{
    struct topk_result result = sample_pass();
    result.verdict = verdict;
    return result;
}

static unsigned entries(const char *dir)
{
    unsigned count = 0;
    DIR *open_dir = opendir(dir);
    assert_non_null(open_dir);
    while (readdir(open_dir) != NULL) {
        count++;
    }
    closedir(open_dir);
    return count - 2; /* . and .. */
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void every_verdict_is_counted(void **state)
{
    static const struct {
        const char *element; /* "" none */
        const char *word;
    } rows[] = {
        {"", "pass"},
        {"failure", "fail"},
        {"failure", "refused"},
        {"failure", "accepted"},
        {"skipped", "unsupported"},
        {"error", "error"},
        {"error", "crash"},
        {"error", "timeout"},
        {"error", "device-lost"},
        {"failure", "flaky"},
        {"error", "harness-error"},
        {"skipped", "expected-fail"},
        {"", "unexpected-pass"},
    };
    _Static_assert(sizeof rows / sizeof rows[0] == TOPK_VERDICT_COUNT, "a row a verdict");
    struct scratch *scratch = *state;
    struct topk_log *log = log_open(scratch);
    for (unsigned i = 0; i < TOPK_VERDICT_COUNT; i++) {
        struct topk_result result = result_of((enum topk_verdict)i);
        log_put(log, i, "a.b:top_k", &result);
    }
    log_finish(log, true);
    struct report report = report_make(scratch);
    for (unsigned i = 0; i < TOPK_VERDICT_COUNT; i++) {
        char expression[64];
        snprintf(expression, sizeof expression, "name(//testcase[%u]/*)", i + 1);
        assert_xml(&report, expression, rows[i].element);
        snprintf(expression, sizeof expression, "string(//testcase[%u]/*/@type)", i + 1);
        assert_xml(&report, expression, rows[i].element[0] == 0 ? "" : rows[i].word);
    }
    static const char *const levels[] = {"testsuites", "testsuites/testsuite"};
    for (size_t i = 0; i < 2; i++) {
        static const char *const counts[][2] = {{"tests", "13"},
                                                {"failures", "4"},
                                                {"errors", "5"},
                                                {"skipped", "2"},
                                                {"time", "19.500000000"}};
        for (size_t j = 0; j < 5; j++) {
            char expression[64];
            snprintf(expression, sizeof expression, "string(/%s/@%s)", levels[i], counts[j][0]);
            assert_xml(&report, expression, counts[j][1]);
        }
    }
    report_free(&report);
}

static void tests_are_testcases(void **state)
{
    struct scratch *scratch = *state;
    struct topk_log *log = log_open(scratch);
    const struct topk_result pass = sample_pass();
    const struct topk_result fail = sample_fail();
    struct topk_result other = fail;
    struct topk_result crash = sample_crash(0x1139);
    other.clause = TOPK_CLAUSE_S08;
    log_put(log, 0, "ties.all:top_k a", &pass);
    log_put(log, 1, "ties.all:top_k longer", &fail);
    log_put(log, 2, "ties.all:top_k c", &other);
    log_put(log, 3, "ties.all:top_k e", &fail);
    log_put(log, 4, "ties.few:top_k", &pass);
    log_put(log, 5, "axis.last:top_k", &crash);
    log_finish(log, true);
    struct report report = report_make_mode(scratch, TOPK_JUNIT_TESTS);
    assert_xml(&report, "count(//testcase)", "3");
    assert_xml(&report, "string(/testsuites/@tests)", "3");
    assert_xml(&report, "string(/testsuites/@failures)", "1");
    assert_xml(&report, "string(/testsuites/@errors)", "1");
    assert_xml(&report, "string(//testsuite[1]/@name)", "ties");
    assert_xml(&report, "string(//testsuite[1]/@time)", "3.750000000");
    assert_xml(&report, "string(//testsuite[1]//property[@name='verdicts']/@value)",
               "2 pass, 3 fail");
    assert_xml(&report, "string(//testcase[@name='ties.all']/@classname)", "ties");
    assert_xml(&report, "string(//testcase[@name='ties.all']/failure/@type)", "fail");
    assert_xml(&report, "string(//testcase[@name='ties.all']/failure/@message)",
               "3 of 4 cases failed, in 2 ways; most often: S04 at value[0,0,2]: value 3 "
               "(40400000) comes after 2 (40000000), in the wrong order");
    const char *body = "string(//testcase[@name='ties.all']/failure)";
    assert_xml_has(&report, body,
                   "3 of 4 cases failed: 1 pass, 3 fail\n"
                   "fail S04, 2 cases: value-order\n"
                   "fail S08, 1 case: value-order\n\n"
                   "the smallest case of: fail S04, 2 cases: value-order\n"
                   "verdict: fail\n");
    assert_xml_has(&report, body, "replay: topk-cts replay --backend cpu 'ties.all:top_k e'\n");
    assert_xml_has(&report, body, "replay: topk-cts replay --backend cpu 'ties.all:top_k c'\n");
    assert_xml(&report, "count(//testcase[@name='ties.few']/*)", "0");
    assert_xml(&report, "string(//testcase[@name='axis.last']/error/@message)",
               "1 of 1 cases failed: killed; SIGSEGV in mine.so+0x1139 (topk_run+0x8), reads "
               "before the start of value");
    report_free(&report);
}

/* an error before a failure, a failure before what is waived, that before a pass */
static void verdict_of_a_test(void **state)
{
    static const struct {
        const char *id;
        enum topk_verdict verdicts[2];
        const char *element, *message;
    } rows[] = {
        {"a.1:c", {TOPK_VERDICT_REFUSED, TOPK_VERDICT_TIMEOUT}, "error", "2 of 2 cases failed"},
        {"a.2:c", {TOPK_VERDICT_PASS, TOPK_VERDICT_FLAKY}, "failure", "1 of 2 cases failed"},
        {"a.3:c",
         {TOPK_VERDICT_PASS, TOPK_VERDICT_EXPECTED_FAIL},
         "skipped",
         "1 of 2 cases failed as expected"},
        {"a.4:c", {TOPK_VERDICT_PASS, TOPK_VERDICT_UNSUPPORTED}, "", ""},
        {"a.5:c",
         {TOPK_VERDICT_UNSUPPORTED, TOPK_VERDICT_UNSUPPORTED},
         "skipped",
         "none of 2 cases is supported"},
        {"a.6:c", {TOPK_VERDICT_UNEXPECTED_PASS, TOPK_VERDICT_UNSUPPORTED}, "", ""},
    };
    struct scratch *scratch = *state;
    struct topk_log *log = log_open(scratch);
    const size_t count = sizeof rows / sizeof rows[0];
    for (size_t i = 0; i < 2 * count; i++) {
        struct topk_result result = result_of(rows[i / 2].verdicts[i % 2]);
        log_put(log, i, rows[i / 2].id, &result);
    }
    log_finish(log, true);
    struct report report = report_make_mode(scratch, TOPK_JUNIT_TESTS);
    for (size_t i = 0; i < count; i++) {
        char expression[64];
        snprintf(expression, sizeof expression, "name(//testcase[%zu]/*)", i + 1);
        assert_xml(&report, expression, rows[i].element);
        snprintf(expression, sizeof expression, "string(//testcase[%zu]/*/@message)", i + 1);
        assert_xml_has(&report, expression, rows[i].message);
    }
    report_free(&report);
}

static void failing_cases_stand_apart(void **state)
{
    struct scratch *scratch = *state;
    struct topk_log *log = log_open(scratch);
    const struct topk_result pass = sample_pass();
    const struct topk_result fail = sample_fail();
    uint64_t number = 0;
    for (int i = 0; i < TOPK_JUNIT_OWN + 3; i++) {
        log_put(log, number++, "a.many:top_k", &fail);
    }
    log_put(log, number++, "a.many:top_k", &pass);
    log_put(log, number++, "a.one:top_k x", &fail);
    log_put(log, number++, "a.none:top_k", &pass);
    log_finish(log, true);
    struct report report = report_make_mode(scratch, TOPK_JUNIT_FAILURES);
    assert_xml(&report, "count(//testcase[@classname='a.many'])", "20");
    assert_xml(&report, "count(//testcase[@classname='a.many']/failure)", "20");
    assert_xml_has(&report,
                   "string(//testcase[@name='the other cases of a.many']/failure/@message)",
                   "3 of 4 other cases failed: S04 at");
    assert_xml(&report, "string(//testcase[@classname='a.one']/@name)", "top_k x");
    assert_xml(&report, "count(//testcase[contains(@name,'a.one')])", "0");
    assert_xml(&report, "count(//testcase[@name='a.none']/*)", "0");
    assert_xml(&report, "string(/testsuites/@tests)", "23");
    report_free(&report);
}

static void text_of_a_test_is_capped(void **state)
{
    struct scratch *scratch = *state;
    struct topk_log *log = log_open(scratch);
    struct topk_result hang = result_of(TOPK_VERDICT_TIMEOUT);
    char *id = malloc(20000);
    uint64_t number = 0;
    assert_non_null(id);
    memset(id, 'x', 19999);
    memcpy(id, "a.b:", 4);
    id[19999] = 0;
    for (int i = 0; i < 25; i++) {
        snprintf(hang.reason, sizeof hang.reason, "reason %d", i);
        log_put(log, number++, id, &hang);
    }
    free(id);
    log_finish(log, true);
    struct report report = report_make_mode(scratch, TOPK_JUNIT_TESTS);
    assert_xml(&report, "string(//error/@message)",
               "25 of 25 cases failed, in 20 or more ways; most often: reason 0");
    assert_xml_has(&report, "string(//error)",
                   "timeout, 1 case: reason 4\nand 20 cases for other reasons\n");
    assert_xml_has(&report, "string(//error)", "... the log has the rest\n");
    assert_xml(&report, "string-length(//error) < 5000", "true");
    report_free(&report);
}

static void groups_are_suites(void **state)
{
    static const char *const ids[] = {"ties.all:top_k a", "axis.last:top_k b", "ties.few:top_k c",
                                      "top_k1 fl=5.0 data=few.1:3:7", "alone:top_k"};
    struct scratch *scratch = *state;
    struct topk_log *log = log_open(scratch);
    struct topk_result pass = sample_pass();
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        log_put(log, i, ids[i], &pass);
    }
    log_finish(log, true);
    struct report report = report_make(scratch);
    assert_xml(&report, "count(//testsuite)", "4");
    assert_xml(&report, "string(//testsuite[1]/@name)", "ties");
    assert_xml(&report, "string(//testsuite[1]/@tests)", "2");
    assert_xml(&report, "string(//testsuite[1]/@time)", "3.000000000");
    assert_xml(&report, "string(//testsuite[1]/testcase[1]/@classname)", "ties.all");
    assert_xml(&report, "string(//testsuite[1]/testcase[1]/@name)", "top_k a");
    assert_xml(&report, "string(//testsuite[1]/testcase[1]/@time)", "1.500000000");
    assert_xml(&report, "string(//testsuite[1]/testcase[2]/@classname)", "ties.few");
    assert_xml(&report, "string(//testsuite[2]/@name)", "axis");
    assert_xml(&report, "string(//testsuite[3]/@name)", "case");
    assert_xml(&report, "string(//testsuite[3]/testcase/@name)", "top_k1 fl=5.0 data=few.1:3:7");
    assert_xml(&report, "string(//testsuite[4]/testcase/@classname)", "alone");
    report_free(&report);
}

static void properties_say_what_was_run(void **state)
{
    struct scratch *scratch = *state;
    struct topk_log *log = log_open(scratch);
    struct topk_result pass = sample_pass();
    log_put(log, 0, "a.b:c", &pass);
    log_finish(log, true);
    struct report report = report_make(scratch);
    assert_xml(&report, "string(//property[@name='backend']/@value)", "reference");
    assert_xml(&report, "string(//property[@name='device']/@value)", "a <b> & \"c\"");
    assert_xml(&report, "string(//property[@name='profile']/@value)", "core");
    assert_xml(&report, "string(//property[@name='profile-digest']/@value)", "abcd");
    assert_xml(&report, "string(//property[@name='seed']/@value)", "18446744073709551615");
    report_free(&report);
}

static void failure_says_what_to_know(void **state)
{
    struct scratch *scratch = *state;
    struct topk_log *log = log_open(scratch);
    struct topk_result fail = sample_fail();
    log_put(log, 0, "a.b:top_k it's", &fail);
    log_finish(log, true);
    struct report report = report_make(scratch);
    assert_xml(
        &report, "string(//failure/@message)",
        "S04 at value[0,0,2]: value 3 (40400000) comes after 2 (40000000), in the wrong order");
    const char *body = "string(//failure)";
    assert_xml_has(&report, body, "verdict: fail\nreason: it's <wrong>\n");
    assert_xml_has(&report, body, "S04 (MUST): Output values along Axis never increase");
    assert_xml_has(&report, body,
                   "    value[0,0,2]: value 3 (40400000) comes after 2 (40000000), in the wrong "
                   "order; in 2 places\n");
    assert_xml_has(&report, body, "M02 (MUST): Nothing outside");
    assert_xml_has(&report, body, "    value byte -4: byte 0x0a was written outside");
    assert_xml_has(&report, body, "sequence 18446744073709551615, position 2\n");
    assert_xml_has(&report, body, "    [2] value nan(7fc00001) (7fc00001), index 1844674");
    assert_xml_has(&report, body, "replay: topk-cts replay --backend cpu 'a.b:top_k it'\\''s'\n");
    report_free(&report);
}

static void message_names_clause_and_reason(void **state)
{
    struct scratch *scratch = *state;
    struct topk_log *log = log_open(scratch);
    struct topk_result skipped = result_of(TOPK_VERDICT_UNSUPPORTED);
    skipped.clause = TOPK_CLAUSE_V09;
    snprintf(skipped.reason, sizeof skipped.reason, "no i64");
    struct topk_result refused = result_of(TOPK_VERDICT_REFUSED);
    refused.clause = TOPK_CLAUSE_V03b;
    struct topk_result crash = result_of(TOPK_VERDICT_CRASH);
    log_put(log, 0, "a.b:1", &skipped);
    log_put(log, 1, "a.b:2", &refused);
    log_put(log, 2, "a.b:3", &crash);
    crash = sample_crash(0x1139);
    log_put(log, 3, "a.b:4", &crash);
    log_finish(log, true);
    struct report report = report_make(scratch);
    assert_xml(&report, "string(//skipped/@message)", "V09: no i64");
    assert_xml(&report, "string(//failure/@message)", "V03b: K <= Sizes[Axis]");
    assert_xml_has(&report, "string(//failure)", "V03b (MUST): K <= Sizes[Axis]\n");
    assert_xml(&report, "string(//error/@message)", "crash");
    assert_xml(&report, "string(//testcase[4]/error/@message)",
               "killed; SIGSEGV in mine.so+0x1139 (topk_run+0x8), reads before the start of value");
    assert_xml_has(
        &report, "string(//testcase[4]/error)",
        "crash: SIGSEGV at address 0xffffffffffffffff: reads 4 bytes before the start of value\n"
        "    libc.so.6+0x10 (memcpy+0x4)\n"
        "    mine.so+0x1139 (topk_run+0x8)\n"
        "    host+0x20\n");
    report_free(&report);
}

static void xml_is_well_formed_whatever_the_bytes(void **state)
{
    struct scratch *scratch = *state;
    struct topk_log *log = log_open(scratch);
    struct topk_result fail = sample_fail();
    char id[300] = "a.b:";
    for (int i = 1; i < 256; i++) {
        id[3 + i] = (char)i;
    }
    memcpy(fail.reason, id, sizeof fail.reason - 1);
    log_put(log, 0, id, &fail);
    snprintf(fail.reason, sizeof fail.reason,
             "\xef\xbf\xbe\xef\xbf\xbf \xf0\x9f\x98\x80 ]]> \x1b[0m");
    log_put(log, 1, "<&>\"'\t\n\r:\xef\xbf\xbe", &fail);
    log_finish(log, true);
    struct report report = report_make(scratch);
    assert_xml(&report, "string(//testsuite[2]/testcase/@name)", "<&>\"'\t\n\r:\\xef\\xbf\\xbe");
    assert_xml_has(&report, "string(//testsuite[2]//failure)",
                   "\\xef\\xbf\\xbe\\xef\\xbf\\xbf \xf0\x9f\x98\x80 ]]> \\x1b[0m\n");
    assert_xml_has(&report, "string(//testsuite[1]//failure)", "\\x01\\x02");
    /* the log has no bytes but text of them, of which the command to replay keeps the backslashes
     */
    assert_xml_has(&report, "string(//testsuite[1]//failure)", "\\\\xfe\\\\xff");
    report_free(&report);
}

static void run_that_did_not_end_is_an_error(void **state)
{
    struct scratch *scratch = *state;
    struct topk_log *log = log_open(scratch);
    struct topk_result pass = sample_pass();
    log_put(log, 0, "a.b:1", &pass);
    log_put(log, 1, "a.b:2", &pass);
    assert_true(topk_log_close(log));
    size_t size;
    char *bytes = file_read(scratch->log, &size);
    static const struct {
        size_t cut;
        const char *message;
    } rows[] = {
        {0, "the run is incomplete: 2 of 4 cases have a record"},
        {1, "the run is incomplete: 1 of 4 cases have a record"},
    };
    for (size_t i = 0; i < 2; i++) {
        file_write(scratch->log, bytes, size - rows[i].cut);
        struct report report = report_make(scratch);
        assert_xml(&report, "string(/testsuites/@errors)", "1");
        assert_xml(&report, "string(//testsuite[@name='run']/testcase/error/@message)",
                   rows[i].message);
        report_free(&report);
    }
    free(bytes);
}

static void run_that_ended_early_is_an_error(void **state)
{
    struct scratch *scratch = *state;
    log_finish(log_open(scratch), false);
    struct report report = report_make(scratch);
    assert_xml(&report, "string(/testsuites/@tests)", "1");
    assert_xml(&report, "string(/testsuites/@errors)", "1");
    report_free(&report);
}

static void times_do_not_wrap(void **state)
{
    struct scratch *scratch = *state;
    struct topk_log *log = log_open(scratch);
    struct topk_result pass = sample_pass();
    pass.nanoseconds = UINT64_MAX - 5;
    log_put(log, 0, "a.b:1", &pass);
    pass.nanoseconds = 7;
    log_put(log, 1, "a.b:2", &pass);
    log_finish(log, true);
    struct report report = report_make(scratch);
    assert_xml(&report, "string(/testsuites/@time)", "18446744073.709551615");
    report_free(&report);
}

static void edited_log_makes_no_report(void **state)
{
    struct scratch *scratch = *state;
    char path[PATH_BYTES + 16];
    struct topk_log *log = log_open(scratch);
    struct topk_result fail = sample_fail();
    log_put(log, 0, "a.b:1", &fail);
    log_finish(log, true);
    size_t size;
    char *bytes = file_read(scratch->log, &size);
    strstr(bytes, "\"fail\"")[1] = 'm';
    file_write(scratch->log, bytes, size);
    xml_path(scratch, path);
    file_write(path, "older", 5);
    assert_false(topk_junit_write(scratch->log, path, TOPK_JUNIT_CASES, &lookup, scratch->error,
                                  sizeof scratch->error));
    assert_non_null(strstr(scratch->error, ":2: the chain breaks"));
    assert_int_equal(entries(scratch->dir), 2);
    free(bytes);
}

static void report_replaces_an_older_one_or_says_why_not(void **state)
{
    struct scratch *scratch = *state;
    char path[2 * PATH_BYTES];
    log_finish(log_open(scratch), true);
    xml_path(scratch, path);
    file_write(path, "older", 5);
    struct report report = report_make(scratch);
    report_free(&report);
    assert_int_equal(entries(scratch->dir), 2); /* nothing beside log and report */
    snprintf(path, sizeof path, "%s/x.xml", scratch->log);
    assert_false(topk_junit_write(scratch->log, path, TOPK_JUNIT_CASES, &lookup, scratch->error,
                                  sizeof scratch->error));
    assert_non_null(strstr(scratch->error, path));
    assert_non_null(strstr(scratch->error, strerror(ENOTDIR)));
    snprintf(path, sizeof path, "%s/dir.xml", scratch->dir);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_false(topk_junit_write(scratch->log, path, TOPK_JUNIT_CASES, &lookup, scratch->error,
                                  sizeof scratch->error));
    assert_non_null(strstr(scratch->error, strerror(EISDIR)));
    assert_int_equal(entries(scratch->dir), 3);
}

static void full_disk_keeps_the_older_report(void **state)
{
    struct scratch *scratch = *state;
    char path[PATH_BYTES + 16];
    log_finish(log_open(scratch), true);
    xml_path(scratch, path);
    file_write(path, "older", 5);
    file_limit(100);
    bool written = topk_junit_write(scratch->log, path, TOPK_JUNIT_CASES, &lookup, scratch->error,
                                    sizeof scratch->error);
    file_limit(RLIM_INFINITY);
    assert_false(written);
    assert_non_null(strstr(scratch->error, path));
    assert_non_null(strstr(scratch->error, strerror(EFBIG)));
    assert_int_equal(entries(scratch->dir), 2);
    size_t size;
    char *bytes = file_read(path, &size);
    assert_string_equal(bytes, "older");
    free(bytes);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_verdict_is_counted),
        TEST(tests_are_testcases),
        TEST(verdict_of_a_test),
        TEST(failing_cases_stand_apart),
        TEST(text_of_a_test_is_capped),
        TEST(groups_are_suites),
        TEST(properties_say_what_was_run),
        TEST(failure_says_what_to_know),
        TEST(message_names_clause_and_reason),
        TEST(xml_is_well_formed_whatever_the_bytes),
        TEST(run_that_did_not_end_is_an_error),
        TEST(run_that_ended_early_is_an_error),
        TEST(times_do_not_wrap),
        TEST(edited_log_makes_no_report),
        TEST(report_replaces_an_older_one_or_says_why_not),
        TEST(full_disk_keeps_the_older_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
