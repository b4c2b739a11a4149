/* What reports say of logs that no run of this suite wrote: text that would be markup, cases that
 * nobody understands, records twice, and what a run comes to. */
#define _XOPEN_SOURCE 700 /* nftw, mkdtemp, open_memstream */
#include "fixture.h"

#include "asks.h"

#include "formats/report.h"
#include "html/html.h"
#include "summary/summary.h"

/* ---- logs ------------------------------------------------------------------------------------ */

static const char evil[] = "</script><b onclick='x'>\"&amp; \x01 \xe2\x80\xae]]> ` | @all";

/* a case of a log that is made here */
struct sample {
    uint64_t number;
    const char *id;
    enum topk_verdict verdict;
    const char *reason;
    uint64_t site; /* of a crash; 0: not known */
    bool by_status;
};

/* Writes a log of the samples and an end record. cases: what the header selects. */
static void write_log(const struct scratch *scratch, const struct sample *samples, size_t count,
                      uint64_t cases, bool complete, enum topk_judge judge)
{
    char error[256];
    struct topk_log_header header = {
        .suite = evil,
        .profile = "core",
        .profile_version = 1,
        .profile_digest = "",
        .level = 0x5000,
        .timeout = 1,
        .cases = cases,
        .started = "2026-01-31T12:00:00Z",
        .replay = evil,
        .backend = {"", evil, judge == TOPK_JUDGE_WORKER ? evil : "", evil, evil, evil, evil, evil,
                    0x5000, 0},
        .judge = judge,
    };
    uint64_t totals[TOPK_VERDICT_COUNT] = {0};
    struct topk_log *log = topk_log_create(scratch->dir, &header, error, sizeof error);
    assert_non_null(log);
    for (size_t i = 0; i < count; i++) {
        struct topk_result result = {.verdict = samples[i].verdict, .clause = TOPK_CLAUSE_NONE};
        if (samples[i].site != 0) {
            result = sample_crash(samples[i].site);
            result.crash.address = i; /* which says nothing */
            result.crash.frames[0].offset += i;
        }
        snprintf(result.reason, sizeof result.reason, "%s", samples[i].reason);
        result.by_status = samples[i].by_status;
        assert_true(topk_log_case(log, samples[i].number, samples[i].id, 0, 0, &result));
        totals[samples[i].verdict]++;
    }
    assert_true(topk_log_end(log, complete, totals));
    assert_true(topk_log_close(log));
}

static void read_log(const struct scratch *scratch, struct topk_summary *summary)
{
    char error[256];
    assert_int_equal(topk_summary_read(summary, &fixture_lookup,
                                       &(struct topk_log_source){.path = scratch->log}, error,
                                       sizeof error),
                     0);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)) != NULL; text++) {
        count++;
    }
    return count;
}

static void whole_page_has_no_markup_of_a_log(void **state)
{
    const struct scratch *scratch = *state;
    const struct sample samples[] = {
        {0, evil, TOPK_VERDICT_CRASH, evil, 0, false},
        {1, "a.b:c", TOPK_VERDICT_PASS, "", 0, false},
        {UINT64_MAX, evil, TOPK_VERDICT_UNSUPPORTED, evil, 0, false},
    };
    struct topk_summary summary;
    char *page = NULL;
    size_t size = 0;
    write_log(scratch, samples, 3, 3, true, TOPK_JUDGE_WORKER);
    read_log(scratch, &summary);
    FILE *out = open_memstream(&page, &size);
    assert_non_null(out);
    assert_true(topk_html_write(out, &summary));
    assert_int_equal(fclose(out), 0);
    assert_null(strstr(page, "<b onclick"));
    assert_null(strstr(page, "{{"));
    assert_non_null(strstr(page, "&#60;b onclick"));
    assert_int_equal(count_of(page, "</script>"), 6); /* those of the page */
    free(page);
    topk_summary_free(&summary);
}

/* each case tests S08 */
static void look_for_ties(const char *id, struct topk_case_look *look)
{
    fixture_look(id, look);
    topk_clause_set_add(&look->clauses, TOPK_CLAUSE_S08);
}

/* What a format makes of the scratch's log, read by one to whom each case tests S08; to be freed.
 */
static char *form_of_ties(const struct scratch *scratch, const char *name)
{
    const struct topk_case_lookup lookup = {fixture_class,  look_for_ties, &fixture_asks,
                                            fixture_expect, NULL,          NULL};
    struct topk_summary summary;
    char error[256];
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(topk_summary_read(&summary, &lookup,
                                       &(struct topk_log_source){.path = scratch->log}, error,
                                       sizeof error),
                     0);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_true(topk_report_format_find(name)->write(out, &summary));
    assert_int_equal(fclose(out), 0);
    topk_summary_free(&summary);
    return text;
}

static void matrix_holds_no_formula_and_no_cell_of_a_log(void **state)
{
    const struct scratch *scratch = *state;
    const struct sample samples[] = {
        {0, "-x:c", TOPK_VERDICT_PASS, "", 0, true},
        {1, "a.b:c", TOPK_VERDICT_UNSUPPORTED, "", 0, false},
        {2, "a.b:d", TOPK_VERDICT_PASS, "", 0, false},
    };
    write_log(scratch, samples, 3, 3, true, TOPK_JUDGE_APART);
    char *text = form_of_ties(scratch, "matrix-csv");
    /* two cases, both passed, one by a status alone; one was not served */
    assert_non_null(strstr(text, ",\"held\",2,0,2,1,0,0,0,1,\"'-x 1; a.b 1\",\"\","));
    assert_non_null(strstr(text, "say \"\"less than\"\", by which"));
    /* that of a clause which nothing tests is empty; what is left open begins with no sign */
    assert_non_null(strstr(text, ",\"not tested\",0,0,0,0,0,0,0,0,\"\",\"\","));
    assert_null(strstr(text, ",\"="));
    assert_null(strstr(text, ",\"+0"));
    assert_non_null(strstr(text, ",\"'+0 equals -0"));
    free(text);
    text = form_of_ties(scratch, "matrix");
    assert_null(strstr(text, "{{"));
    assert_non_null(strstr(text,
                           "<dt>cases</dt><dd>2 were run: 2 passed (1 of these by a status "
                           "alone: no output was judged), 0 broke it; 1 more were not served"));
    free(text);
}

static void other_forms_take_it_too(void **state)
{
    const struct scratch *scratch = *state;
    const struct sample samples[] = {{0, evil, TOPK_VERDICT_FAIL, evil, 0, false}};
    struct topk_report_counts counts;
    char error[256];
    char path[PATH_BYTES + 8];
    snprintf(path, sizeof path, "%s/report", scratch->dir);
    write_log(scratch, samples, 1, 1, true, TOPK_JUDGE_WORKER);
    for (size_t i = 0; i < topk_report_format_count; i++) {
        assert_int_equal(topk_report_write(&topk_report_formats[i], TOPK_JUNIT_TESTS,
                                           &fixture_lookup,
                                           &(struct topk_log_source){.path = scratch->log}, path,
                                           &counts, error, sizeof error),
                         0);
        assert_int_equal(counts.failures, 1);
        assert_true(counts.complete);
        if (strcmp(topk_report_formats[i].name, "markdown") == 0) {
            size_t size;
            char *text = file_read(path, &size);
            assert_int_equal(count_of(text, "<b onclick"), 2); /* in the block of code */
            free(text);
        }
        assert_int_equal(remove(path), 0);
    }
}

/* SARIF: what is waived is suppressed, what fails is not */
static void waived_failures_are_suppressed(void **state)
{
    const struct scratch *scratch = *state;
    static const enum topk_verdict verdicts[] = {TOPK_VERDICT_EXPECTED_FAIL, TOPK_VERDICT_FAIL};
    for (size_t i = 0; i < 2; i++) {
        const struct sample samples[] = {{0, "a.b:c", verdicts[i], "so", 0, false}};
        struct topk_report_counts counts;
        char error[256];
        char path[PATH_BYTES + 8];
        size_t size;
        snprintf(path, sizeof path, "%s/report", scratch->dir);
        write_log(scratch, samples, 1, 1, true, TOPK_JUDGE_APART);
        assert_int_equal(topk_report_write(topk_report_format_find("sarif"), TOPK_JUNIT_TESTS,
                                           &fixture_lookup,
                                           &(struct topk_log_source){.path = scratch->log}, path,
                                           &counts, error, sizeof error),
                         0);
        char *text = file_read(path, &size);
        assert_int_equal(count_of(text, "\"ruleId\": "), 1);
        assert_int_equal(count_of(text, "\"suppressions\": "), i == 0);
        free(text);
        assert_int_equal(remove(scratch->log), 0);
    }
}

static void record_counts_once(void **state)
{
    const struct scratch *scratch = *state;
    const struct sample samples[] = {
        {1, "a.b:c", TOPK_VERDICT_PASS, "", 0, false},
        {0, "a.b:d", TOPK_VERDICT_FAIL, "so", 0, false},
        {1, "a.b:c", TOPK_VERDICT_FAIL, "so", 0, false},
    };
    struct topk_summary summary;
    write_log(scratch, samples, 3, 2, true, TOPK_JUDGE_APART);
    read_log(scratch, &summary);
    assert_int_equal(summary.recorded, 2);
    assert_int_equal(summary.failures, 1);
    assert_int_equal(summary.group_count, 1);
    assert_int_equal(summary.row_count, 2);
    assert_int_equal(summary.rows[0].number, 0);
    assert_int_equal(summary.rows[0].group, 1);
    assert_string_equal(summary.rows[0].text, "d");
    assert_int_equal(summary.rows[1].group, 0);
    topk_summary_free(&summary);
}

static void crashes_are_put_together_by_their_site(void **state)
{
    const struct scratch *scratch = *state;
    struct sample samples[503];
    char reasons[500][32];
    struct topk_summary summary;
    char *page = NULL;
    size_t size = 0;
    for (size_t i = 0; i < 500; i++) {
        snprintf(reasons[i], sizeof reasons[i], "killed, %zu", i);
        samples[i] = (struct sample){i, "a.b:c", TOPK_VERDICT_CRASH, reasons[i], 0x1139, false};
    }
    samples[500] = (struct sample){500, "a.b:c", TOPK_VERDICT_CRASH, "killed", 0x2000, false};
    samples[501] = (struct sample){501, "a.b:c", TOPK_VERDICT_CRASH, "killed", 0, false};
    samples[502] = (struct sample){502, "a.b:c", TOPK_VERDICT_ERROR, "killed", 0, false};
    write_log(scratch, samples, 503, 503, true, TOPK_JUDGE_APART);
    read_log(scratch, &summary);
    assert_int_equal(summary.group_count, 4);
    assert_int_equal(summary.groups[0].count, 500);
    assert_string_equal(
        summary.groups[0].cause,
        "SIGSEGV in mine.so+0x1139 (topk_run+0x8), reads before the start of value");
    assert_string_equal(
        summary.groups[1].cause,
        "SIGSEGV in mine.so+0x2000 (topk_run+0x8), reads before the start of value");
    assert_string_equal(summary.groups[2].cause, "killed");
    assert_int_equal(summary.groups[3].verdict, TOPK_VERDICT_ERROR);
    FILE *out = open_memstream(&page, &size);
    assert_non_null(out);
    assert_true(topk_html_write(out, &summary));
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(page, "<p>SIGSEGV at address 0x0: reads 4 bytes before the start of "
                                 "value, the innermost call first:</p>"));
    assert_non_null(strstr(page, "<li><code>libc.so.6+0x10 (memcpy+0x4)</code></li>"));
    free(page);
    topk_summary_free(&summary);
}

/* GitHub shows ten annotations of a level: the verdict, eight causes, and how many more there are
 */
static void annotations_end_with_how_many_more(void **state)
{
    const struct scratch *scratch = *state;
    struct sample samples[15];
    struct topk_summary summary;
    char *text = NULL;
    size_t size = 0;
    for (size_t i = 0; i < 15; i++) {
        samples[i] =
            (struct sample){i, "a.b:c", TOPK_VERDICT_CRASH, "killed", 0x1000 + 16 * i, false};
    }
    write_log(scratch, samples, 15, 15, true, TOPK_JUDGE_APART);
    read_log(scratch, &summary);
    assert_int_equal(summary.group_count, 15);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_true(topk_github_write(out, &summary));
    assert_int_equal(fclose(out), 0);
    size_t lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++) {
        lines++;
    }
    assert_int_equal(lines, 10);
    assert_non_null(strstr(text, "\n::error title=7 more causes::"));
    free(text);
    topk_summary_free(&summary);
}

static void many_causes_become_one(void **state)
{
    const struct scratch *scratch = *state;
    size_t count = TOPK_GROUPS_MAX + 10;
    struct sample *samples = calloc(count, sizeof *samples);
    char(*reasons)[16] = calloc(count, sizeof *reasons);
    struct topk_summary summary;
    assert_non_null(samples);
    assert_non_null(reasons);
    for (size_t i = 0; i < count; i++) {
        snprintf(reasons[i], sizeof reasons[i], "reason %zu", i);
        samples[i] = (struct sample){i, "a.b:c", TOPK_VERDICT_UNSUPPORTED, reasons[i], 0, false};
    }
    write_log(scratch, samples, count, count, true, TOPK_JUDGE_APART);
    read_log(scratch, &summary);
    assert_int_equal(summary.group_count, TOPK_GROUPS_MAX);
    assert_int_equal(summary.groups[TOPK_GROUPS_MAX - 1].count, 11);
    assert_string_equal(summary.groups[TOPK_GROUPS_MAX - 1].cause, "other causes");
    assert_int_equal(summary.order[0], TOPK_GROUPS_MAX - 1); /* the largest comes first */
    topk_summary_free(&summary);
    free(samples);
    free(reasons);
}

static void verdict_of_a_run(void **state)
{
    const struct scratch *scratch = *state;
    static const struct {
        enum topk_verdict verdicts[2];
        uint64_t cases;
        bool complete;
        const char *words;
        unsigned invalid; /* how many of the two, the first of them */
        bool untested;
    } rows[] = {
        {{TOPK_VERDICT_PASS, TOPK_VERDICT_PASS}, 2, true, "CONFORMANT", 0, false},
        {{TOPK_VERDICT_PASS, TOPK_VERDICT_UNSUPPORTED},
         2,
         true,
         "CONFORMANT in what it supports",
         0,
         false},
        {{TOPK_VERDICT_UNSUPPORTED, TOPK_VERDICT_UNSUPPORTED}, 2, true, "NOT TESTED", 0, true},
        {{TOPK_VERDICT_UNSUPPORTED, TOPK_VERDICT_UNSUPPORTED}, 2, true, "NOT TESTED", 2, true},
        {{TOPK_VERDICT_PASS, TOPK_VERDICT_UNSUPPORTED}, 2, true, "NOT TESTED", 1, true},
        {{TOPK_VERDICT_UNSUPPORTED, TOPK_VERDICT_PASS},
         2,
         true,
         "CONFORMANT in what it supports",
         1,
         false},
        {{TOPK_VERDICT_PASS, TOPK_VERDICT_PASS}, 2, true, "CONFORMANT", 2, false},
        {{TOPK_VERDICT_PASS, TOPK_VERDICT_UNSUPPORTED},
         2,
         true,
         "CONFORMANT in what it supports",
         2,
         false},
        {{TOPK_VERDICT_ACCEPTED, TOPK_VERDICT_UNSUPPORTED}, 2, true, "NOT CONFORMANT", 1, true},
        {{TOPK_VERDICT_PASS, TOPK_VERDICT_EXPECTED_FAIL}, 2, true, "PASSED WITH WAIVERS", 1, false},
        {{TOPK_VERDICT_PASS, TOPK_VERDICT_ACCEPTED}, 2, true, "NOT CONFORMANT", 0, false},
        {{TOPK_VERDICT_PASS, TOPK_VERDICT_HARNESS_ERROR}, 2, true, "NOT JUDGED", 0, false},
        {{TOPK_VERDICT_PASS, TOPK_VERDICT_PASS}, 3, false, "INCOMPLETE", 0, false},
        {{TOPK_VERDICT_PASS, TOPK_VERDICT_FAIL}, 3, false, "INCOMPLETE", 0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct sample samples[] = {
            {0, rows[i].invalid > 0 ? "invalid.b:c" : "a.b:c", rows[i].verdicts[0], "", 0, false},
            {1, rows[i].invalid > 1 ? "invalid.b:d" : "a.b:d", rows[i].verdicts[1], "", 0, false}};
        struct topk_summary summary;
        write_log(scratch, samples, 2, rows[i].cases, rows[i].complete, TOPK_JUDGE_APART);
        read_log(scratch, &summary);
        assert_string_equal(topk_conformance_words(topk_summary_conformance(&summary)),
                            rows[i].words);
        topk_summary_free(&summary);
        for (size_t f = 0; f < topk_report_format_count; f++) {
            char path[300];
            char error[300];
            struct topk_report_counts counts;
            snprintf(path, sizeof path, "%s/report", scratch->dir);
            assert_int_equal(topk_report_write(&topk_report_formats[f], TOPK_JUNIT_TESTS,
                                               &fixture_lookup,
                                               &(struct topk_log_source){.path = scratch->log},
                                               path, &counts, error, sizeof error),
                             0);
            assert_int_equal(counts.untested, rows[i].untested);
            assert_int_equal(counts.complete, rows[i].complete);
        }
        assert_int_equal(remove(scratch->log), 0);
    }
}

/* in every form */
static void the_share_and_the_gate_are_said(void **state)
{
    const struct scratch *scratch = *state;
    static const char *const words[] = {"t", "u"};
    static const char *const said[][2] = {
        {"html", "<strong>NOT AS REQUIRED, 50 % of the valid calls served</strong>"},
        {"html", "Served: 1 of 2 valid calls."},
        {"html",
         "<p>t is required, and 1 of its 2 cases are not served; u is required, and no case "
         "asks for it; 1 passed, 0 failed, 1 unsupported.</p>"},
        {"junit", "<property name=\"served-percent\" value=\"50\"/>"},
        {"junit", "<testcase classname=\"run\" name=\"gate\""},
        {"junit", "<failure message=\"t is required, and 1 of its 2 cases are not served; u is"},
        {"json", "\"lead\": \"NOT AS REQUIRED, 50 % of the valid calls served\""},
        {"json", "\"lacking\": 1"},
        {"markdown", "## NOT AS REQUIRED, 50 % of the valid calls served\n"},
        {"markdown", "Served: 1 of 2 valid calls.\n"},
    };
    struct topk_log_header header = sample_header();
    const uint64_t totals[TOPK_VERDICT_COUNT] = {
        [TOPK_VERDICT_PASS] = 1, [TOPK_VERDICT_UNSUPPORTED] = 1};
    struct topk_result result = sample_pass();
    char error[300];
    header.cases = 2;
    header.selection_count = 0;
    header.backend.level = header.level;
    header.gate = (struct topk_log_gate){.require = words, .require_count = 2};
    struct topk_log *log = topk_log_create(scratch->dir, &header, error, sizeof error);
    assert_non_null(log);
    log_put(log, 0, "t.b:c", &result);
    result.verdict = TOPK_VERDICT_UNSUPPORTED;
    log_put(log, 1, "t.b:d", &result);
    assert_true(topk_log_end(log, true, totals));
    assert_true(topk_log_close(log));
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
        const struct topk_report_format *format = topk_report_format_find(said[i][0]);
        struct topk_report_counts counts;
        char path[300];
        size_t size;
        snprintf(path, sizeof path, "%s/report", scratch->dir);
        assert_int_equal(topk_report_write(format, TOPK_JUNIT_TESTS, &fixture_lookup,
                                           &(struct topk_log_source){.path = scratch->log}, path,
                                           &counts, error, sizeof error),
                         0);
        char *text = file_read(path, &size);
        if (strstr(text, said[i][1]) == NULL) {
            fail_msg("%s has no %s: %s", format->name, said[i][1], text);
        }
        free(text);
        assert_string_equal(counts.lack, "t is required, and 1 of its 2 cases are not served; u is "
                                         "required, and no case asks for it");
    }
}

/* in every form, and how many passes rest on a status alone */
static void who_judged_is_said(void **state)
{
    const struct scratch *scratch = *state;
    const struct sample samples[] = {{0, "a.b:c", TOPK_VERDICT_PASS, "", 0, false},
                                     {1, "a.b:d", TOPK_VERDICT_PASS, "", 0, true}};
    for (int judge = 0; judge < TOPK_JUDGE_COUNT; judge++) {
        const bool ours = judge == TOPK_JUDGE_APART;
        struct topk_summary summary;
        write_log(scratch, samples, 2, 2, true, (enum topk_judge)judge);
        read_log(scratch, &summary);
        assert_int_equal(summary.tested.by_status, 1);
        const char *words = topk_conformance_words(topk_summary_conformance(&summary));
        topk_summary_free(&summary);
        for (size_t f = 0; f < topk_report_format_count; f++) {
            static const char *const counted[][2] = {
                {"html", "2 passed (1 by status alone), 0 failed"},
                {"html", "Passes by status alone, where no output was judged: 1"},
                {"junit", "<property name=\"passed-by-status-alone\" value=\"1\"/>"},
                {"json", "\"by-status\": 1"},
                {"markdown", "Passes by status alone: 1."},
            };
            const struct topk_report_format *format = &topk_report_formats[f];
            struct topk_report_counts counts;
            char path[300];
            char error[300];
            size_t size;
            snprintf(path, sizeof path, "%s/report", scratch->dir);
            assert_int_equal(topk_report_write(format, TOPK_JUNIT_TESTS, &fixture_lookup,
                                               &(struct topk_log_source){.path = scratch->log},
                                               path, &counts, error, sizeof error),
                             0);
            assert_int_equal(counts.judge, judge);
            char *text = file_read(path, &size);
            for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++) {
                if (strcmp(counted[i][0], format->name) == 0 &&
                    strstr(text, counted[i][1]) == NULL) {
                    fail_msg("%s: no \"%s\"", format->name, counted[i][1]);
                }
            }
            if (strcmp(format->name, "html") == 0) {
                assert_int_equal(strstr(text, "<p>The run was judged ") == NULL, ours);
            }
            /* what cases took is no verdict */
            const bool says = strcmp(format->name, "costs") != 0;
            const bool junit = strcmp(format->name, "junit") == 0;
            if (junit || (!ours && says) || strcmp(format->name, "json") == 0) {
                assert_non_null(strstr(text, topk_judge_phrase((enum topk_judge)judge)));
            }
            if (junit) {
                assert_int_equal(strstr(text, "<testcase classname=\"run\" name=\"judge\"") == NULL,
                                 ours);
                assert_int_equal(count_of(text, "skipped=\"1\"") > 0, !ours);
            } else if (says) {
                assert_non_null(strstr(text, words));
                assert_int_equal(strstr(text, "CONFORMANT") != NULL, ours);
            }
            free(text);
        }
        assert_int_equal(remove(scratch->log), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(whole_page_has_no_markup_of_a_log, scratch_make,
                                        scratch_remove),
        cmocka_unit_test_setup_teardown(matrix_holds_no_formula_and_no_cell_of_a_log, scratch_make,
                                        scratch_remove),
        cmocka_unit_test_setup_teardown(other_forms_take_it_too, scratch_make, scratch_remove),
        cmocka_unit_test_setup_teardown(waived_failures_are_suppressed, scratch_make,
                                        scratch_remove),
        cmocka_unit_test_setup_teardown(record_counts_once, scratch_make, scratch_remove),
        cmocka_unit_test_setup_teardown(crashes_are_put_together_by_their_site, scratch_make,
                                        scratch_remove),
        cmocka_unit_test_setup_teardown(annotations_end_with_how_many_more, scratch_make,
                                        scratch_remove),
        cmocka_unit_test_setup_teardown(many_causes_become_one, scratch_make, scratch_remove),
        cmocka_unit_test_setup_teardown(verdict_of_a_run, scratch_make, scratch_remove),
        cmocka_unit_test_setup_teardown(the_share_and_the_gate_are_said, scratch_make,
                                        scratch_remove),
        cmocka_unit_test_setup_teardown(who_judged_is_said, scratch_make, scratch_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
