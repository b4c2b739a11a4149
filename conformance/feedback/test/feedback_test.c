/* Tests counters, features and rounds: what is read from a file that any process may overwrite,
 * which cases are kept, and that a position always gives the same case. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "edges/edges_map.h"
#include "feedback/behaviour.h"
#include "feedback/feedback.h"
#include "feedback/search.h"

#define HEADER sizeof(struct topk_edges_header)
#define COUNT  256u

/* ---- counters -------------------------------------------------------------------------------- */

static void open_counters(struct topk_counters *counters, struct topk_novelty *novelty)
{
    char error[256];
    assert_true(topk_counters_open(counters, COUNT, error, sizeof error));
    assert_true(topk_novelty_make(novelty, topk_counters_space(COUNT)));
}

/* Writes to the file named by the variable, as a backend does. */
static void write_file(const struct topk_counters *counters, const void *bytes, size_t length,
                       size_t at)
{
    FILE *file = fopen(counters->path, "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

static void counts_become_ranges(void **state)
{
    static const struct {
        unsigned char count;
        uint32_t range;
    } rows[] = {{1, 0},  {2, 1},  {3, 2},  {4, 3},   {7, 3},   {8, 4},  {15, 4},
                {16, 5}, {31, 5}, {32, 6}, {127, 6}, {128, 7}, {255, 7}};
    struct topk_counters counters;
    struct topk_novelty novelty;
    struct topk_feature_list features = {.list = NULL};
    uint64_t numbers[TOPK_COUNTERS_NUMBERS];
    (void)state;
    open_counters(&counters, &novelty);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool any = false;
        topk_counters_clear(&counters);
        write_file(&counters, &rows[i].count, 1, HEADER + 9);
        features.count = 0;
        assert_true(topk_counters_read(&counters, &novelty, &features, numbers, &any));
        assert_true(any);
        assert_int_equal(features.count, 1);
        assert_int_equal(features.list[0], 9 * TOPK_COUNTS + rows[i].range);
    }
    /* features already noted are not reported again, and cleared counters are 0 */
    bool any = false;
    topk_novelty_note(&novelty, features.list[0]);
    features.count = 0;
    assert_true(topk_counters_read(&counters, &novelty, &features, numbers, &any));
    assert_true(any);
    assert_int_equal(features.count, 0);
    any = false;
    topk_counters_clear(&counters);
    assert_true(topk_counters_read(&counters, &novelty, &features, numbers, &any));
    assert_false(any);
    topk_feature_list_free(&features);
    topk_novelty_free(&novelty);
    topk_counters_close(&counters);
}

static void constants_are_read(void **state)
{
    struct topk_counters counters;
    struct topk_novelty novelty;
    struct topk_feature_list features = {.list = NULL};
    uint64_t numbers[TOPK_COUNTERS_NUMBERS];
    const uint64_t number = 1000;
    bool any = false;
    (void)state;
    open_counters(&counters, &novelty);
    write_file(&counters, &number, sizeof number, HEADER + COUNT + sizeof number * 5);
    assert_true(topk_counters_read(&counters, &novelty, &features, numbers, &any));
    assert_int_equal(numbers[5], 1000);
    assert_int_equal(numbers[4], 0);
    assert_false(any);
    topk_counters_clear(&counters);
    assert_true(topk_counters_read(&counters, &novelty, &features, numbers, &any));
    assert_int_equal(numbers[5], 0);
    topk_novelty_free(&novelty);
    topk_counters_close(&counters);
}

/* The backend may truncate the file or fill it with anything. */
static void hostile_files_are_bytes(void **state)
{
    struct topk_counters counters;
    struct topk_novelty novelty;
    struct topk_feature_list features = {.list = NULL};
    uint64_t numbers[TOPK_COUNTERS_NUMBERS];
    unsigned char bytes[HEADER + COUNT + 5000];
    const unsigned char one = 1;
    bool any = false;
    (void)state;
    open_counters(&counters, &novelty);
    assert_int_equal(truncate(counters.path, 10), 0);
    assert_true(topk_counters_read(&counters, &novelty, &features, numbers, &any));
    assert_false(any);
    memset(bytes, 0xff, sizeof bytes);
    write_file(&counters, bytes, sizeof bytes, 0);
    assert_true(topk_counters_read(&counters, &novelty, &features, numbers, &any));
    assert_int_equal(features.count, COUNT);
    /* the next process finds the file in its initial state */
    assert_true(topk_counters_renew(&counters));
    FILE *file = fopen(counters.path, "r");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, HEADER + COUNT, file), HEADER + COUNT);
    fclose(file);
    assert_memory_equal(bytes, TOPK_EDGES_MAGIC, 8);
    assert_int_equal(bytes[HEADER], 0);
    /* clearing restores the counters of a truncated file */
    assert_int_equal(truncate(counters.path, 0), 0);
    topk_counters_clear(&counters);
    write_file(&counters, &one, 1, HEADER + COUNT - 1);
    features.count = 0;
    assert_true(topk_counters_read(&counters, &novelty, &features, numbers, &any));
    assert_int_equal(features.count, 1);
    topk_feature_list_free(&features);
    topk_novelty_free(&novelty);
    topk_counters_close(&counters);
}

static void counters_leave_nothing(void **state)
{
    struct topk_counters counters;
    char error[256];
    char path[4096];
    (void)state;
    assert_true(topk_counters_open(&counters, COUNT, error, sizeof error));
    snprintf(path, sizeof path, "%s", counters.path);
    assert_int_equal(access(path, F_OK), 0);
    topk_counters_close(&counters);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void sizes_are_numbers(void **state)
{
    (void)state;
    assert_int_equal(topk_counters_wanted(NULL), TOPK_COUNTERS);
    assert_int_equal(topk_counters_wanted(""), TOPK_COUNTERS);
    assert_int_equal(topk_counters_wanted("100000"), 100032);
    assert_int_equal(topk_counters_wanted("64"), 64);
    assert_int_equal(topk_counters_wanted("63"), 0);
    assert_int_equal(topk_counters_wanted("-1"), 0);
    assert_int_equal(topk_counters_wanted("1e5"), 0);
    assert_int_equal(topk_counters_wanted("99999999999999999999"), 0);
}

static void words_of_kinds(void **state)
{
    enum topk_feedback_kind kind;
    (void)state;
    for (int i = TOPK_FEEDBACK_AUTO; i <= TOPK_FEEDBACK_RESULTS; i++) {
        assert_true(topk_feedback_parse(topk_feedback_word((enum topk_feedback_kind)i), &kind));
        assert_int_equal(kind, i);
    }
    assert_false(topk_feedback_parse("edge", &kind));
    assert_false(topk_feedback_parse("", &kind));
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static uint64_t kept_inputs; /* inputs passed to take_kept() */

static void take_kept(void *context, const unsigned char *bytes, size_t length)
{
    (void)context;
    (void)bytes;
    (void)length;
    kept_inputs++;
}

static struct topk_feedback *open_feedback(enum topk_feedback_kind kind)
{
    kept_inputs = 0;
    return topk_feedback_open(&(struct topk_feedback_options){.kind = kind,
                                                              .seed = 7,
                                                              .limits = &topk_limits_usual,
                                                              .counters = COUNT,
                                                              .kept = take_kept});
}

/* Returns the text of the case at a position; free it. */
static char *text_at(struct topk_feedback *feedback, uint64_t position)
{
    struct topk_case tc;
    char *text = malloc(TOPK_CASE_TEXT);
    assert_non_null(text);
    assert_true(topk_feedback_draw(feedback, position, &tc));
    topk_case_print(&tc, text, TOPK_CASE_TEXT);
    topk_case_clear(&tc);
    return text;
}

/* Simulates a backend that counts one edge per type and one per bit length of K: writes the
 * counters of a case to the file at `path`. */
static void count_case(const char *path, const struct topk_case *tc)
{
    unsigned char bytes[COUNT] = {0};
    uint32_t length = 0;
    for (uint32_t k = tc->op.k; k != 0; k >>= 1) {
        length++;
    }
    bytes[tc->op.tensors[TOPK_INPUT].type % 64] = 1;
    bytes[64 + length] = 1;
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, (long)HEADER, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, sizeof bytes, file), sizeof bytes);
    fclose(file);
}

/* Runs rounds with that backend in `places` processes. Returns the texts of all cases; free
 * them. */
static char **run_rounds(struct topk_feedback *feedback, uint32_t places, uint64_t count)
{
    const char *paths[4];
    char **texts = calloc(count, sizeof *texts);
    assert_non_null(texts);
    for (uint32_t i = 0; i < places; i++) {
        char *const *variables = topk_feedback_variables(feedback, i, 100 + i);
        assert_memory_equal(variables[0], "TOPK_EDGES=", 11);
        paths[i] = variables[0] + 11;
    }
    for (uint64_t from = 0; from < count; from += TOPK_FEEDBACK_ROUND) {
        assert_int_equal(topk_feedback_begin(feedback, from), from + TOPK_FEEDBACK_ROUND);
        /* with several processes, results arrive in a different order */
        for (uint32_t i = 0; i < TOPK_FEEDBACK_ROUND; i++) {
            const uint32_t at = places == 1 ? i : (i + 5) % TOPK_FEEDBACK_ROUND;
            const struct topk_result result = {.verdict = TOPK_VERDICT_PASS};
            struct topk_case tc;
            texts[from + at] = text_at(feedback, from + at);
            assert_true(topk_feedback_draw(feedback, from + at, &tc));
            topk_feedback_sent(feedback, from + at, 100 + at % places);
            count_case(paths[at % places], &tc);
            topk_feedback_result(feedback, from + at, &result);
            topk_case_clear(&tc);
        }
        assert_true(topk_feedback_end(feedback));
    }
    return texts;
}

static void rounds_repeat(void **state)
{
    enum {
        CASES = 20 * TOPK_FEEDBACK_ROUND
    };
    struct topk_feedback *one = open_feedback(TOPK_FEEDBACK_AUTO);
    assert_non_null(one);
    char **texts = run_rounds(one, 1, CASES);
    const struct topk_feedback_state state_of_one = topk_feedback_state(one);
    (void)state;
    assert_int_equal(state_of_one.kind, TOPK_FEEDBACK_EDGES);
    assert_int_equal(state_of_one.kept, kept_inputs);
    assert_in_range(state_of_one.kept, 8, 64);
    assert_false(topk_feedback_silent(one));
    /* drawing a position again gives the same case, even after more cases were kept */
    for (uint64_t i = 0; i < CASES; i++) {
        char *again = text_at(one, i);
        assert_string_equal(again, texts[i]);
        free(again);
    }
    /* three processes give the same cases, too */
    struct topk_feedback *three = open_feedback(TOPK_FEEDBACK_EDGES);
    assert_non_null(three);
    char **others = run_rounds(three, 3, CASES);
    assert_int_equal(topk_feedback_state(three).kept, state_of_one.kept);
    for (uint64_t i = 0; i < CASES; i++) {
        assert_string_equal(others[i], texts[i]);
        free(others[i]);
        free(texts[i]);
    }
    free(others);
    free(texts);
    topk_feedback_close(one);
    topk_feedback_close(three);
}

static void failures_are_not_kept(void **state)
{
    struct topk_feedback *feedback = open_feedback(TOPK_FEEDBACK_RESULTS);
    const struct topk_result failed = {.verdict = TOPK_VERDICT_FAIL, .clause = TOPK_CLAUSE_S08};
    const struct topk_result passed = {.verdict = TOPK_VERDICT_PASS};
    (void)state;
    assert_non_null(feedback);
    topk_feedback_begin(feedback, 0);
    for (uint64_t i = 0; i < TOPK_FEEDBACK_ROUND; i++) {
        topk_feedback_result(feedback, i, &failed);
    }
    assert_true(topk_feedback_end(feedback));
    assert_int_equal(topk_feedback_state(feedback).kept, 0);
    topk_feedback_begin(feedback, TOPK_FEEDBACK_ROUND);
    topk_feedback_result(feedback, TOPK_FEEDBACK_ROUND, &passed);
    assert_true(topk_feedback_end(feedback));
    assert_int_equal(topk_feedback_state(feedback).kept, 1);
    topk_feedback_close(feedback);
}

/* The user is told if EDGES was requested and no counter is written. */
static void silence_is_noticed(void **state)
{
    struct topk_feedback *feedback = open_feedback(TOPK_FEEDBACK_EDGES);
    const struct topk_result passed = {.verdict = TOPK_VERDICT_PASS};
    (void)state;
    assert_non_null(feedback);
    topk_feedback_variables(feedback, 0, 1);
    topk_feedback_begin(feedback, 0);
    topk_feedback_sent(feedback, 0, 1);
    topk_feedback_result(feedback, 0, &passed);
    assert_false(topk_feedback_silent(feedback));
    assert_true(topk_feedback_end(feedback));
    assert_true(topk_feedback_silent(feedback));
    topk_feedback_close(feedback);
}

/* A slow time counts only if the case is slow again. */
static void a_disturbance_is_not_kept(void **state)
{
    struct topk_feedback *feedback = open_feedback(TOPK_FEEDBACK_RESULTS);
    struct topk_result passed = {.verdict = TOPK_VERDICT_PASS};
    uint64_t positions[TOPK_FEEDBACK_ROUND];
    (void)state;
    assert_non_null(feedback);
    for (int round = 0; round < 3; round++) {
        const uint64_t from = (uint64_t)round * TOPK_FEEDBACK_ROUND;
        topk_feedback_begin(feedback, from);
        passed.nanoseconds = round == 0 ? 1000 : (uint64_t)1 << 50;
        topk_feedback_result(feedback, from, &passed);
        assert_int_equal(topk_feedback_slow(feedback, positions), round == 0 ? 0 : 1);
        if (round > 0) {
            assert_int_equal(positions[0], from);
        }
        if (round == 1) {
            topk_feedback_time(feedback, from, 1000);
            assert_int_equal(topk_feedback_slow(feedback, positions), 0);
        }
        assert_true(topk_feedback_end(feedback));
    }
    topk_feedback_close(feedback);
}

/* ---- search ---------------------------------------------------------------------------------- */

static void first_inputs_come_first(void **state)
{
    static const char case_text[] = "top_k fl=2.0 in=f32[1,1,1,4] axis=3 k=2 data=few.1:3:7";
    static const char lines[] = "top_k fl=3.1 in=f32[2] axis=0 k=2\nanything";
    struct topk_feedback *feedback = open_feedback(TOPK_FEEDBACK_RESULTS);
    (void)state;
    assert_non_null(feedback);
    assert_true(topk_feedback_first(feedback, (const unsigned char *)case_text, strlen(case_text)));
    assert_true(topk_feedback_first(feedback, (const unsigned char *)lines, strlen(lines)));
    assert_true(topk_feedback_first(feedback, (const unsigned char *)"", 0));
    char *texts[] = {text_at(feedback, 0), text_at(feedback, 1), text_at(feedback, 2)};
    assert_string_equal(texts[0], case_text);
    assert_string_equal(texts[1], "top_k fl=3.1 in=f32[2] axis=0 k=2");
    assert_memory_equal(texts[2], "top_k", 5);
    for (int i = 0; i < 3; i++) {
        free(texts[i]);
    }
    topk_feedback_close(feedback);
}

/* A constant that the backend compares with is drawn as a size and as K, but only from its position
 * on. */
static void constants_become_sizes(void **state)
{
    static struct topk_search search = {.seed = 3, .limits = &topk_limits_usual};
    struct topk_case tc;
    uint64_t as_k = 0;
    uint64_t as_length = 0;
    (void)state;
    assert_true(topk_search_keep(&search, 1, 0));
    for (uint64_t position = 2; position < 40; position++) {
        assert_true(topk_search_keep(&search, position, 0));
    }
    assert_true(topk_search_wants(&search, 777));
    assert_false(topk_search_wants(&search, 1));
    assert_false(topk_search_wants(&search, UINT64_MAX));
    topk_search_note(&search, 777, 5000);
    assert_false(topk_search_wants(&search, 777));
    for (uint64_t position = 3000; position < 7000; position++) {
        assert_true(topk_search_draw(&search, position, &tc));
        const struct topk_tensor *input = &tc.op.tensors[TOPK_INPUT];
        if (tc.op.axis < input->rank && input->sizes[tc.op.axis] == 777) {
            assert_true(position >= 5000);
            as_length++;
        }
        if (tc.op.k == 777) {
            assert_true(position >= 5000);
            as_k++;
        }
        topk_case_clear(&tc);
    }
    assert_in_range(as_length, 20, 1000);
    assert_in_range(as_k, 1, 1000);
    topk_search_free(&search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_become_ranges),    cmocka_unit_test(constants_are_read),
        cmocka_unit_test(hostile_files_are_bytes), cmocka_unit_test(counters_leave_nothing),
        cmocka_unit_test(sizes_are_numbers),       cmocka_unit_test(words_of_kinds),
        cmocka_unit_test(rounds_repeat),           cmocka_unit_test(failures_are_not_kept),
        cmocka_unit_test(silence_is_noticed),      cmocka_unit_test(a_disturbance_is_not_kept),
        cmocka_unit_test(first_inputs_come_first), cmocka_unit_test(constants_become_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
