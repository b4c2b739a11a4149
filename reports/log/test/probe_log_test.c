/* Probes in the result log: what is written is read back, compared and reported, and nothing else
 * is read. */
#define _XOPEN_SOURCE 700 /* nftw, mkdtemp */

#include "fixture.h"

#include "asks.h"

#include "compare/compare.h"
#include "formats/junit.h"
#include "log/line.h"

static const struct topk_probe kept = {"denormals.float32", TOPK_PROBE_OBSERVED, "kept", "by add"};
static const struct topk_probe flushed = {"denormals.float32", TOPK_PROBE_OBSERVED, "flushed", ""};
static const struct topk_probe violation = {"robust.read", TOPK_PROBE_VIOLATION, "other",
                                            "a \"b\""};
static const struct topk_probe zeros = {"robust.read", TOPK_PROBE_OBSERVED, "zeros", ""};
static const struct topk_probe hung = {"tail", TOPK_PROBE_HUNG, "", "not done"};
static const struct topk_probe lacks = {"int8", TOPK_PROBE_UNSUPPORTED, "", "not there"};

/* Writes a log of probes, DIR/NAME/results.jsonl; NULL ends them. */
static void write_probes(const struct scratch *scratch, const char *name,
                         const struct topk_probe *const probes[], char *path, size_t size)
{
    char dir[PATH_BYTES];
    char error[1024];
    const struct topk_log_header header = sample_header();
    const uint64_t totals[TOPK_VERDICT_COUNT] = {0};
    snprintf(dir, sizeof dir, "%.200s/%s", scratch->dir, name);
    snprintf(path, size, "%.240s/" TOPK_LOG_NAME, dir);
    struct topk_log *log = topk_log_create(dir, &header, error, sizeof error);
    assert_non_null(log);
    for (size_t i = 0; probes[i] != NULL; i++) {
        assert_true(topk_log_probe(log, probes[i]));
    }
    assert_true(topk_log_end(log, true, totals));
    assert_true(topk_log_close(log));
}

static void probes_round_trip(void **state)
{
    const struct topk_probe *const probes[] = {&kept, &violation, &hung, &zeros, NULL};
    struct scratch *scratch = *state;
    struct topk_run run;
    struct topk_ids ids = {0};
    char path[PATH_BYTES];
    write_probes(scratch, "a", probes, path, sizeof path);
    assert_int_equal(topk_run_read(&run, &ids, path, scratch->error, sizeof scratch->error), 0);
    assert_int_equal(run.probe_count, 3); /* a second record of a name does not count */
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(run.probes[i].name, probes[i]->name);
        assert_int_equal(run.probes[i].verdict, probes[i]->verdict);
        assert_string_equal(run.probes[i].value, probes[i]->value);
        assert_string_equal(run.probes[i].detail, probes[i]->detail);
    }
    assert_ptr_equal(topk_run_probe(&run, "tail"), &run.probes[2]);
    assert_null(topk_run_probe(&run, "tai"));
    topk_run_free(&run);
    topk_ids_free(&ids);
}

static void a_probe_has_its_form(void **state)
{
    const struct topk_probe *const probes[] = {&violation, NULL};
    struct scratch *scratch = *state;
    char path[PATH_BYTES];
    size_t size;
    write_probes(scratch, "a", probes, path, sizeof path);
    char *bytes = file_read(path, &size);
    assert_non_null(strstr(bytes, "\n{\"record\":\"probe\",\"name\":\"robust.read\",\"verdict\":"
                                  "\"violation\",\"value\":\"other\",\"detail\":\"a \\\"b\\\"\","
                                  "\"chain\":\""));
    free(bytes);
}

/* Appends a line with a chain that holds, as another program might. */
static void append_line(const char *path, const char *body)
{
    struct topk_lines lines;
    char error[1024];
    char tail[TOPK_LINE_TAIL + 1];
    assert_true(topk_lines_open(&lines, path, error, sizeof error));
    while (topk_lines_next(&lines, error, sizeof error) < TOPK_LINE_NONE) {
    }
    struct topk_chain chain = lines.chain;
    topk_lines_close(&lines);
    topk_chain_seal(&chain, body, strlen(body), tail);
    FILE *file = fopen(path, "ab");
    assert_non_null(file);
    fprintf(file, "%s%s", body, tail);
    assert_int_equal(fclose(file), 0);
}

/* How a log with one line and no end reads; what is wrong is in scratch->error. */
static int read_line(struct scratch *scratch, const char *body, struct topk_run *run)
{
    struct topk_ids ids = {0};
    struct topk_log *log = log_open(scratch);
    assert_true(topk_log_close(log));
    append_line(scratch->log, body);
    const int status =
        topk_run_read(run, &ids, scratch->log, scratch->error, sizeof scratch->error);
    topk_ids_free(&ids);
    remove(scratch->log);
    return status;
}

static void what_is_no_probe_is_not_read(void **state)
{
    struct scratch *scratch = *state;
    struct topk_run run;
    char body[1024];
    static const struct {
        const char *name, *verdict, *value, *wrong;
    } rows[] = {
        {"a", "observed", "1", NULL},
        {"", "observed", "1", "\"name\""},
        {"a b", "observed", "1", "\"name\""},
        {"A", "observed", "1", "\"name\""},
        {"a", "pass", "1", "\"verdict\""},
        {"a.name.that.is.longer.than.a.name.of.a.probe.may.be", "observed", "1", "\"name\""},
        {"a", "observed",
         "a value that is longer than a value of a probe may be, which is 63 bytes or less",
         "\"value\""},
        {"a", "observed\",\"verdict\":\"failed", "1", "duplicate"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(body, sizeof body,
                 "{\"record\":\"probe\",\"name\":\"%s\",\"verdict\":\"%s\",\"value\":\"%s\","
                 "\"detail\":\"\"",
                 rows[i].name, rows[i].verdict, rows[i].value);
        assert_int_equal(read_line(scratch, body, &run), rows[i].wrong == NULL ? 1 : -1);
        if (rows[i].wrong != NULL) {
            assert_non_null(strstr(scratch->error, ":2: "));
            assert_non_null(strstr(scratch->error, rows[i].wrong));
        }
        topk_run_free(&run);
    }
    assert_int_equal(read_line(scratch, "{\"record\":\"probe\",\"name\":\"a\"", &run), -1);
    topk_run_free(&run);
    /* what a terminal would take for a command is no text of a probe */
    assert_int_equal(read_line(scratch,
                               "{\"record\":\"probe\",\"name\":\"a\",\"verdict\":\"observed\","
                               "\"value\":\"\\u001b[2J\",\"detail\":\"\"",
                               &run),
                     1);
    assert_string_equal(run.probes[0].value, "?[2J");
    topk_run_free(&run);
}

static void more_probes_than_there_may_be_are_bounded(void **state)
{
    struct scratch *scratch = *state;
    struct topk_run run;
    struct topk_ids ids = {0};
    struct topk_log *log = log_open(scratch);
    for (int i = 0; i < 3 * TOPK_PROBES_MAX; i++) {
        struct topk_probe probe = zeros;
        snprintf(probe.name, sizeof probe.name, "p%d", i);
        assert_true(topk_log_probe(log, &probe));
    }
    log_finish(log, true);
    assert_int_equal(topk_run_read(&run, &ids, scratch->log, scratch->error, sizeof scratch->error),
                     0);
    assert_int_equal(run.probe_count, TOPK_PROBES_MAX);
    topk_run_free(&run);
    topk_ids_free(&ids);
}

static void compare_logs(struct scratch *scratch, const char *a, const char *b,
                         struct topk_comparison *comparison, struct topk_run runs[2])
{
    struct topk_ids ids = {0};
    assert_int_equal(topk_run_read(&runs[0], &ids, a, scratch->error, sizeof scratch->error), 0);
    assert_int_equal(topk_run_read(&runs[1], &ids, b, scratch->error, sizeof scratch->error), 0);
    assert_true(topk_compare(comparison, &ids, &runs[0], &runs[1], 10));
    topk_ids_free(&ids);
}

static void probes_are_compared(void **state)
{
    const struct topk_probe *const first[] = {&kept, &zeros, &lacks, NULL};
    const struct topk_probe *const second[] = {&flushed, &violation, &hung, NULL};
    const struct topk_probe *const no_probes[] = {NULL};
    struct scratch *scratch = *state;
    struct topk_comparison comparison;
    struct topk_run runs[2];
    char a[PATH_BYTES];
    char b[PATH_BYTES];
    char none[PATH_BYTES];
    write_probes(scratch, "a", first, a, sizeof a);
    write_probes(scratch, "b", second, b, sizeof b);
    write_probes(scratch, "none", no_probes, none, sizeof none);

    compare_logs(scratch, a, b, &comparison, runs);
    assert_int_equal(comparison.probe_count, 4);
    assert_string_equal(comparison.probes[0].after->value, "flushed");
    assert_false(comparison.probes[0].worse);
    assert_true(comparison.probes[1].worse);
    assert_null(comparison.probes[2].after);
    assert_null(comparison.probes[3].before);
    assert_true(comparison.probes[3].worse);
    assert_true(topk_comparison_worse(&comparison));
    topk_comparison_free(&comparison);
    topk_run_free(&runs[0]);
    topk_run_free(&runs[1]);

    compare_logs(scratch, b, a, &comparison, runs);
    assert_int_equal(comparison.probe_count, 4);
    assert_false(topk_comparison_worse(&comparison));
    topk_comparison_free(&comparison);
    topk_run_free(&runs[0]);
    topk_run_free(&runs[1]);

    /* a run without probes says nothing of them: neither that they are gone, nor that a finding is
     * new */
    const char *const pairs[][2] = {{b, none}, {none, b}};
    for (size_t i = 0; i < 2; i++) {
        compare_logs(scratch, pairs[i][0], pairs[i][1], &comparison, runs);
        assert_int_equal(comparison.probe_count, 0);
        assert_false(topk_comparison_worse(&comparison));
        topk_comparison_free(&comparison);
        topk_run_free(&runs[0]);
        topk_run_free(&runs[1]);
    }
}

static void probes_are_a_suite(void **state)
{
    const struct topk_probe *const probes[] = {&kept, &violation, &hung, &lacks, NULL};
    struct scratch *scratch = *state;
    char log[PATH_BYTES];
    char xml[PATH_BYTES + 8];
    size_t size;
    write_probes(scratch, "a", probes, log, sizeof log);
    snprintf(xml, sizeof xml, "%.240s.xml", log);
    assert_true(topk_junit_write(log, xml, TOPK_JUNIT_TESTS, &fixture_lookup, scratch->error,
                                 sizeof scratch->error));
    char *bytes = file_read(xml, &size);
    assert_non_null(strstr(bytes, "<testsuite name=\"probe\" tests=\"4\" failures=\"1\" "
                                  "errors=\"1\" skipped=\"1\""));
    assert_non_null(strstr(bytes, "<failure message=\"other\" type=\"violation\">a "));
    assert_non_null(strstr(bytes, "<error message=\"\" type=\"hung\">not done</error>"));
    free(bytes);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, scratch_make, scratch_remove)
    const struct CMUnitTest tests[] = {
        TEST(probes_round_trip),
        TEST(a_probe_has_its_form),
        TEST(what_is_no_probe_is_not_read),
        TEST(more_probes_than_there_may_be_are_bounded),
        TEST(probes_are_compared),
        TEST(probes_are_a_suite),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
