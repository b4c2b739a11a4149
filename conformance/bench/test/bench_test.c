/* topk-cts bench: statistics, rows from options, JSON there and back, malformed JSON, comparison,
 * and drawing. No test depends on how long anything takes. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libxml/parser.h>

#include "bench/bench.h"
#include "bench/buffers.h"
#include "bench/limit.h"
#include "bench/measure.h"
#include "bench/party.h"

/* cmocka compares only integers */
#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-9)

/* ---- statistics ------------------------------------------------------------------------------ */

static void medians(void **state)
{
    (void)state;
    const double odd[] = {9, 1, 5};
    const double even[] = {4, 1, 3, 100};
    const double one[] = {7};
    assert_near(topk_bench_median(odd, 3), 5);
    assert_near(topk_bench_median(even, 4), 3.5);
    assert_near(topk_bench_median(one, 1), 7);
    assert_near(odd[0], 9); /* the values are unchanged */
}

static void ratios_are_of_rounds(void **state)
{
    (void)state;
    const double above[] = {2, 10, 30};
    const double below[] = {1, 10, 3};
    assert_near(topk_bench_ratio(above, below, 3), 2); /* not 10 / 3, the ratio of the medians */
}

static uint64_t fake_time;

static uint64_t fake_clock(void)
{
    return fake_time;
}

/* A call with a fixed cost that may fail. */
struct fake {
    uint64_t cost;
    uint64_t calls;
    uint64_t fails_at; /* number of the failing call; 0: never */
    uint64_t expected; /* number of the next call */
};

static bool fake_call(void *self, uint64_t number)
{
    struct fake *fake = self;
    assert_int_equal(number, fake->expected++);
    fake_time += fake->cost;
    return ++fake->calls != fake->fails_at;
}

static void turns(void **state)
{
    (void)state;
    struct fake fakes[3] = {{.cost = 10}, {.cost = 5000}, {.cost = 10, .fails_at = 5}};
    struct entrant entrants[3] = {{.call = fake_call, .self = &fakes[0]},
                                  {.call = fake_call, .self = &fakes[1]},
                                  {.call = fake_call, .self = &fakes[2]}};
    topk_bench_time(entrants, 3, 3, 1000, fake_clock);
    for (int run = 0; run < 3; run++) {
        assert_near(entrants[0].times[run], 10);
        assert_near(entrants[1].times[run], 5000);
    }
    assert_true(entrants[0].calls >= 100); /* a turn takes long enough */
    assert_int_equal(entrants[1].calls, 1);
    assert_int_equal(fakes[1].calls, 4); /* one to warm up, and three turns */
    assert_true(entrants[2].failed);
    assert_int_equal(fakes[2].calls, 5);
    const struct topk_bench_figure figure = topk_bench_figure_of(&entrants[0], 3, 5);
    assert_true(figure.measured);
    assert_near(figure.median, 2);
    assert_near(figure.least, 2);
    assert_near(figure.greatest, 2);
    assert_false(topk_bench_figure_of(&entrants[2], 3, 5).measured);
}

static void figures(void **state)
{
    (void)state;
    const struct entrant entrant = {.times = {30, 10, 20}};
    const struct topk_bench_figure figure = topk_bench_figure_of(&entrant, 3, 10);
    assert_near(figure.median, 2);
    assert_near(figure.least, 1);
    assert_near(figure.greatest, 3);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void limits_read_everything(void **state)
{
    (void)state;
    static _Alignas(64) unsigned char bytes[8 * 3 * 64];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = 1;
    }
    assert_int_equal(topk_limit_sum(bytes, sizeof bytes), sizeof bytes / 4 * UINT64_C(0x01010101));
    for (uint32_t width = 1; width <= 8; width *= 2) {
        const uint64_t one = UINT64_C(0x0101010101010101) >> (64 - 8 * width);
        assert_int_equal(topk_limit_strided(bytes, 64, width, 3), 64 * one);
        assert_int_equal(topk_limit_strided(bytes, 64, width, 1), 64 * one);
    }
}

static void pools(void **state)
{
    (void)state;
    static const uint32_t types[] = {TOPK_TYPE_F32, TOPK_TYPE_F16};
    struct pool pool = {0};
    assert_int_equal(topk_bench_align(1), 64);
    assert_int_equal(topk_bench_align(64), 64);
    assert_true(topk_pool_part(&pool, 1024, 4096));
    assert_int_equal(pool.count, 4);
    assert_int_equal((uintptr_t)pool.bytes % 64, 0);
    assert_ptr_equal(topk_pool_at(&pool, 5), pool.bytes + 1024);
    for (int t = 0; t < 2; t++) {
        const uint32_t width = topk_type_bytes(types[t]);
        topk_pool_fill(&pool, types[t], pool.room);
        for (uint64_t at = 0; at < pool.room; at += width) {
            assert_true(topk_element_normal(types[t], topk_element_load(pool.bytes + at, width)));
        }
    }
    assert_memory_not_equal(pool.bytes, pool.bytes + 1024, 1024);
    topk_pool_repeat(&pool);
    assert_memory_equal(pool.bytes, pool.bytes + 1024, 1024);
    topk_pool_fill(&pool, TOPK_TYPE_F16, pool.room);
    assert_memory_not_equal(pool.bytes, pool.bytes + 1024, 1024);
    assert_false(topk_pool_part(&pool, UINT64_MAX / 2, 0));
    topk_pool_free(&pool);
}

/* ---- options --------------------------------------------------------------------------------- */

static void threads(void **state)
{
    (void)state;
    assert_int_equal(topk_bench_threads("cpu"), 1);
    assert_int_equal(topk_bench_threads("cpu:threads=2"), 2);
    assert_int_equal(topk_bench_threads("x.so:a=b,threads=16,c=d"), 16);
    assert_int_equal(topk_bench_threads("cpu:threads=0"), 0);
    assert_int_equal(topk_bench_threads("x.so:nothreads=4"), 1);
}

static void numbers(void **state)
{
    (void)state;
    char text[TOPK_BENCH_NUMBER];
    const struct {
        uint32_t number;
        const char *text;
    } rows[] = {{1, "1"}, {1000, "1000"}, {1024, "1k"}, {65536, "64k"}, {3u << 20, "3M"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        topk_bench_number(rows[i].number, text);
        assert_string_equal(text, rows[i].text);
    }
}

static void plans(void **state)
{
    (void)state;
    static struct topk_bench_options options;
    struct topk_bench_report report;
    char error[256];
    topk_bench_defaults(&options);
    assert_int_equal(topk_bench_plan(&options, &report, error, sizeof error), TOPK_BENCH_DONE);
    /* judge: 5 types, 4 lengths, 2 K, 2 strides; backend: n = 16 has only K = 1, 8 and 16 */
    assert_int_equal(report.row_count, 5 * 4 * 2 * 2 + 5 * (3 + 5 + 5 + 5));
    for (uint32_t i = 0; i < report.row_count; i++) {
        assert_true(report.rows[i].k >= 1 && report.rows[i].k <= report.rows[i].n);
        for (uint32_t j = 0; j < i; j++) {
            assert_false(topk_bench_same(&report.rows[i], &report.rows[j]));
        }
    }
    assert_int_equal(report.rows[0].sequences, 4096);
    topk_bench_free(&report);
    options.ks[0] = (struct topk_bench_k){.number = 2u << 20};
    options.k_count = 1;
    assert_int_equal(topk_bench_plan(&options, &report, error, sizeof error), TOPK_BENCH_NOTHING);
    assert_non_null(strstr(error, "greater than every n"));
    options.lengths[0] = 1;
    options.length_count = 1;
    options.ks[0] = (struct topk_bench_k){.of_n = true, .number = 2}; /* n / 2 is 0 */
    assert_int_equal(topk_bench_plan(&options, &report, error, sizeof error), TOPK_BENCH_NOTHING);
}

/* ---- reports --------------------------------------------------------------------------------- */

static struct topk_bench_figure figure(double median, double ratio)
{
    return (struct topk_bench_figure){true, median, median / 2, 2 * median, ratio};
}

/* Makes a report with rows of the judge and a backend, one of them without a result. To be
 * freed. */
static void make_report(struct topk_bench_report *report)
{
    static const uint32_t lengths[] = {16, 1024, 1 << 20};
    *report =
        (struct topk_bench_report){.suite = "1.2.3",
                                   .started = "2026-01-31T12:00:00Z",
                                   .processor = "Fast & <wide>",
                                   .processors = 1,
                                   .first = 3,
                                   .processor_time = true,
                                   .buffers = 1 << 20,
                                   .cache = 1 << 19,
                                   .runs = 7,
                                   .machine = {20, 10, 5},
                                   .backend = {true, "cpu<>&", "1.0", "device; features"},
                                   .peers = {{true, "other", "2", "x"}, {false, "gone", "", "y"}},
                                   .peer_count = 2};
    report->rows = calloc(9, sizeof *report->rows);
    report->notes = calloc(1, sizeof *report->notes);
    assert_non_null(report->rows);
    assert_non_null(report->notes);
    snprintf(report->notes[report->note_count++], TOPK_BENCH_TEXT, "gone, f32: why \"not\"");
    for (int i = 0; i < 9; i++) {
        const uint32_t n = lengths[i % 3];
        report->rows[i] = (struct topk_bench_row){
            .subject = i < 3 ? TOPK_BENCH_JUDGE : TOPK_BENCH_BACKEND,
            .type = TOPK_TYPE_F32,
            .n = n,
            .k = i < 6 ? 8 : n,
            .stride = 1,
            .sequences = 4,
            .limit = figure(0.25, 0),
            .work = figure(1 + i, 4 + i),
        };
        if (i >= 3) {
            report->rows[i].peers[0] = figure(3, 1.5);
        }
    }
    report->rows[4].bare = figure(0.5, 2);
    report->rows[8].work.measured = false;
    report->row_count = 9;
}

static char *write_report(const struct topk_bench_report *report, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    assert_non_null(out);
    assert_true(topk_bench_write(out, report));
    fclose(out);
    return text;
}

static void assert_figures_equal(const struct topk_bench_figure *a,
                                 const struct topk_bench_figure *b)
{
    assert_int_equal(a->measured, b->measured);
    assert_near(a->median, b->median);
    assert_near(a->least, b->least);
    assert_near(a->greatest, b->greatest);
    assert_near(a->ratio, b->ratio);
}

static void there_and_back(void **state)
{
    (void)state;
    struct topk_bench_report report;
    struct topk_bench_report again;
    char error[256] = "";
    size_t length = 0;
    size_t second = 0;
    make_report(&report);
    char *text = write_report(&report, &length);
    if (!topk_bench_read(text, length, &again, error, sizeof error)) {
        fail_msg("%s", error);
    }
    assert_string_equal(again.processor, report.processor);
    assert_string_equal(again.backend.name, "cpu<>&");
    assert_int_equal(again.peer_count, 2);
    assert_false(again.peers[1].open);
    assert_int_equal(again.first, 3);
    assert_true(again.processor_time);
    assert_near(again.machine.strided, 5);
    assert_string_equal(again.notes[0], report.notes[0]);
    assert_int_equal(again.row_count, 8); /* the row without a result is left out */
    for (uint32_t i = 0; i < again.row_count; i++) {
        assert_true(topk_bench_same(&again.rows[i], &report.rows[i]));
        assert_figures_equal(&again.rows[i].limit, &report.rows[i].limit);
        assert_figures_equal(&again.rows[i].work, &report.rows[i].work);
        assert_figures_equal(&again.rows[i].bare, &report.rows[i].bare);
        assert_figures_equal(&again.rows[i].peers[0], &report.rows[i].peers[0]);
    }
    char *other = write_report(&again, &second);
    assert_string_equal(other, text);
    free(other);
    free(text);
    topk_bench_free(&again);
    topk_bench_free(&report);
}

/* Returns the text with `from' replaced by `to'; fails if `from' is missing. To be freed. */
static char *spoil(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    if (at == NULL) {
        fail_msg("there is no %s", from);
        return NULL;
    }
    const size_t room = strlen(text) + strlen(to) + 1;
    char *spoiled = malloc(room);
    if (spoiled != NULL) {
        snprintf(spoiled, room, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    }
    assert_non_null(spoiled);
    return spoiled;
}

static void refuses(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *says;
    } rows[] = {
        {"{", "[", "line"},
        {"\"format\": 1", "\"format\": 2", "format is newer"},
        {"\"format\": 1", "\"format\": \"1\"", "format is missing or out of range"},
        {"\"suite\"", "\"sweet\"", "suite is missing or not text"},
        {"\"runs\": 7", "\"runs\": 1000", "runs is missing or out of range"},
        {"\"quick\": false", "\"quick\": 0", "quick is missing, or is neither true nor false"},
        {"\"read\": 20.0", "\"read\": -1", "machine.read is missing, or not a number above 0"},
        {"\"open\": true", "\"open\": 1", "backend.open is missing"},
        {"\"other\"", "\"another\"", "rows[3].peers has one that is not among all peers"},
        {"\"f32\"", "\"f33\"", "rows[0].type is unknown"},
        {"\"judge\"", "\"jury\"", "rows[0].subject is unknown"},
        {"\"n\": 16", "\"n\": 4", "rows[0].k is missing or out of range"},
        {"\"ratio\": 5.0", "\"ratio\": 0", "rows[1].ratio is missing, or not a number above 0"},
        {"\"limit\"", "\"limits\"", "rows[0].limit is missing or not an object"},
        {"\"rows\"", "\"rowers\"", "rows is missing or not a list"},
        {"\"notes\"", "\"note\"", "notes is missing or not a list"},
    };
    struct topk_bench_report report;
    size_t length = 0;
    make_report(&report);
    char *text = write_report(&report, &length);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topk_bench_report again;
        char error[256] = "";
        char *spoiled = spoil(text, rows[i].from, rows[i].to);
        assert_false(topk_bench_read(spoiled, strlen(spoiled), &again, error, sizeof error));
        if (strncmp(error, rows[i].says, strlen(rows[i].says)) != 0) {
            fail_msg("%s -> %s: %s", rows[i].from, rows[i].to, error);
        }
        free(spoiled);
    }
    char error[256] = "";
    struct topk_bench_report none;
    assert_false(topk_bench_read("[]", 2, &none, error, sizeof error));
    assert_false(topk_bench_read("", 0, &none, error, sizeof error));
    free(text);
    topk_bench_free(&report);
}

/* a text that would take much more memory than its length */
static void a_report_with_too_many_values_is_refused(void **state)
{
    const size_t length = (size_t)8 << 20;
    char *text = malloc(length);
    char error[256] = "";
    struct topk_bench_report report;
    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < length; i += 2) {
        text[i] = i == 0 ? '[' : ',';
        text[i + 1] = '0';
    }
    text[length - 2] = ' ';
    text[length - 1] = ']';
    assert_false(topk_bench_read(text, length, &report, error, sizeof error));
    assert_non_null(strstr(error, "there are too many values"));
    free(text);
}

static void compares(void **state)
{
    (void)state;
    struct topk_bench_report before;
    struct topk_bench_report after;
    char *text = NULL;
    size_t length = 0;
    make_report(&before);
    make_report(&after);
    after.rows[0].work.ratio = 1.26 * before.rows[0].work.ratio;
    after.rows[1].work.ratio = 1.24 * before.rows[1].work.ratio;
    after.rows[2].work.ratio = before.rows[2].work.ratio / 1.26;
    after.rows[7].work.measured = false;
    after.rows[3].stride = 3;         /* a different kind of call */
    after.rows[4].work.median *= 100; /* a slower machine has a slower limit, too */
    after.rows[4].limit.median *= 100;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    const struct topk_bench_comparison found = topk_bench_compare(out, &before, &after, 1.25);
    fclose(out);
    assert_int_equal(found.shared, 6); /* without the other stride and the two without result */
    assert_int_equal(found.regressed, 1);
    assert_int_equal(found.improved, 1);
    assert_string_equal(text, "  slower: judge f32 n=16 k=8: 5.04 x limit, and was 4.00\n"
                              "  faster: judge f32 n=1M k=8: 4.76 x limit, and was 6.00\n");
    free(text);
    topk_bench_free(&before);
    topk_bench_free(&after);
}

static unsigned count(const char *text, const char *part)
{
    unsigned found = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
        found++;
    }
    return found;
}

static void draws(void **state)
{
    (void)state;
    struct topk_bench_report report;
    char *text = NULL;
    size_t length = 0;
    make_report(&report);
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    topk_bench_draw(out, &report);
    fclose(out);
    xmlDoc *document = xmlReadMemory(text, (int)length, NULL, NULL, XML_PARSE_NONET);
    assert_non_null(document);
    assert_string_equal((const char *)xmlDocGetRootElement(document)->name, "svg");
    xmlFreeDoc(document);
    assert_non_null(strstr(text, "cpu&lt;&gt;&amp; 1.0"));
    assert_int_equal(count(text, "<polygon class=\"limit\""), 2);   /* f32, the judge */
    assert_int_equal(count(text, "<polyline class=\"work"), 2 + 1); /* K = 8 and n; f32 */
    assert_int_equal(count(text, ">K=8</text>"), 1);
    assert_int_equal(count(text, ">K=n</text>"), 1);
    assert_int_equal(count(text, ">the judge, K = 8</text>"), 1);
    assert_int_equal(count(text, "nan"), count(text, "nanoseconds"));
    assert_null(strstr(text, "inf"));
    /* rows with a stride are not drawn, and do not make a panel */
    assert_int_equal(count(text, ">1k</text>"), 2);
    free(text);
    report.rows[1].stride = 3;
    out = open_memstream(&text, &length);
    assert_non_null(out);
    topk_bench_draw(out, &report);
    fclose(out);
    assert_int_equal(count(text, ">1k</text>"), 1);
    free(text);
    for (int i = 0; i < 3; i++) {
        report.rows[i].stride = 3;
    }
    out = open_memstream(&text, &length);
    assert_non_null(out);
    topk_bench_draw(out, &report);
    fclose(out);
    assert_int_equal(count(text, "<polygon class=\"limit\""), 1);
    free(text);
    /* a report without rows still gives a valid drawing */
    report.row_count = 0;
    out = open_memstream(&text, &length);
    assert_non_null(out);
    topk_bench_draw(out, &report);
    fclose(out);
    document = xmlReadMemory(text, (int)length, NULL, NULL, XML_PARSE_NONET);
    assert_non_null(document);
    xmlFreeDoc(document);
    free(text);
    topk_bench_free(&report);
}

static void prints(void **state)
{
    (void)state;
    struct topk_bench_report report;
    char *text = NULL;
    size_t length = 0;
    make_report(&report);
    memset(report.backend.about, 'a', 150);
    report.backend.about[60] = report.backend.about[110] = ' ';
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    topk_bench_print(out, &report);
    fclose(out);
    for (const char *line = text; *line != 0; line = strchr(line, '\n') + 1) {
        assert_true(strcspn(line, "\n") <= 100);
    }
    assert_non_null(
        strstr(text, "f32      16      8      1   0.25   1.00 (    0.50     2.00)     4.00"));
    assert_non_null(strstr(text, "ns  x limit  x bare   other\n"));
    assert_non_null(strstr(text, "f32      1k      8   0.25   5.00     8.00    2.00    1.50"));
    assert_non_null(strstr(text, "f32      1M     1M      -")); /* the row without a result */
    assert_non_null(strstr(text, "peer gone: y"));
    assert_non_null(strstr(text, "gone, f32: why \"not\""));
    free(text);
    topk_bench_free(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medians),
        cmocka_unit_test(ratios_are_of_rounds),
        cmocka_unit_test(turns),
        cmocka_unit_test(figures),
        cmocka_unit_test(pools),
        cmocka_unit_test(limits_read_everything),
        cmocka_unit_test(threads),
        cmocka_unit_test(numbers),
        cmocka_unit_test(plans),
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(refuses),
        cmocka_unit_test(compares),
        cmocka_unit_test(draws),
        cmocka_unit_test(prints),
        cmocka_unit_test(a_report_with_too_many_values_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
