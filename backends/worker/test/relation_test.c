/* Relations between calls: the maps of their data, what they must not compare, and what only they
 * detect. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "case/check.h"
#include "case/value.h"
#include "reference/element.h"
#include "suite/group.h"
#include "worker/host.h"
#include "worker/relation.h"
#include "worker/relation_data.h"

/* ---- maps ------------------------------------------------------------------------------------ */

static uint64_t values_of(uint32_t type)
{
    return (uint64_t)1 << (8 * topk_type_bytes(type));
}

/* random bits of a type, but no NaN */
static uint64_t draw(struct topk_pcg *pcg, uint32_t type)
{
    uint64_t bits = topk_pcg_next64(pcg);
    bits = topk_type_bytes(type) == 8 ? bits : bits % values_of(type);
    return topk_element_nan(type, bits) ? 0 : bits;
}

static double half_value(uint64_t bits)
{
    double fraction = (double)(bits & 0x3ff);
    int exponent = (int)(bits >> 10 & 0x1f);
    double magnitude = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    magnitude = exponent == 31 ? (double)INFINITY : magnitude;
    return bits & 0x8000 ? -magnitude : magnitude;
}

static void halves_are_widened_exactly(void **state)
{
    (void)state;
    for (uint64_t half = 0; half <= 0xffff; half++) {
        uint64_t wide = topk_data_widen(TOPK_TYPE_F16, half);
        assert_true(wide <= UINT32_MAX);
        assert_int_equal(topk_data_narrow(TOPK_TYPE_F16, wide), half);
        assert_int_equal(topk_element_nan(TOPK_TYPE_F32, wide),
                         topk_element_nan(TOPK_TYPE_F16, half));
        if (topk_element_nan(TOPK_TYPE_F16, half)) {
            assert_false(topk_data_is_half(wide));
            continue;
        }
        float value = (float)half_value(half);
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        assert_int_equal(wide, bits);
        assert_true(topk_data_is_half(wide));
        assert_false(topk_element_denormal(TOPK_TYPE_F32, wide));
        /* F06: FLOAT16 arithmetic gives the same value */
        assert_int_equal(topk_element_key_half(wide), topk_element_key(TOPK_TYPE_F16, half));
    }
}

/* a sample of all FLOAT32 that contains all 63,490 FLOAT16 values: exactly these are recognised */
static void only_halves_are_halves(void **state)
{
    (void)state;
    uint64_t found = 0;
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 0x1000) {
        found += topk_data_is_half(bits);
        assert_false(topk_data_is_half(bits + 1));
        assert_false(topk_data_is_half(bits + 0xfff));
    }
    assert_int_equal(found, 0x10000 - 2 * 0x3ff);
}

static void integers_are_widened_exactly(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 1, 1);
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        uint32_t type = topk_types[t];
        uint32_t wider = topk_type_wider(type);
        if (wider == 0 || topk_type_float(type)) {
            continue;
        }
        assert_int_equal(topk_type_bytes(wider), 2 * topk_type_bytes(type));
        assert_int_equal(topk_type_signed(wider), topk_type_signed(type));
        for (uint32_t i = 0; i < 70000; i++) {
            uint64_t bits = topk_type_bytes(type) < 4 ? i % values_of(type) : draw(&pcg, type);
            uint64_t wide = topk_data_widen(type, bits);
            char text[TOPK_ELEMENT_TEXT];
            char wide_text[TOPK_ELEMENT_TEXT];
            topk_element_print(type, bits, text);
            topk_element_print(wider, wide, wide_text);
            assert_string_equal(text, wide_text);
            assert_int_equal(topk_data_narrow(type, wide), bits);
        }
    }
}

static int compare(uint32_t type, uint64_t a, uint64_t b)
{
    uint64_t x = topk_element_key(type, a);
    uint64_t y = topk_element_key(type, b);
    return x < y ? -1 : x > y;
}

static void the_dual_reverses_order(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 2, 1);
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        uint32_t type = topk_types[t];
        const uint64_t ends[] = {topk_element_least(type), topk_element_greatest(type), 0, 1,
                                 topk_data_dual(type, 0)};
        for (uint32_t i = 0; i < 70000; i++) {
            uint64_t a = i < 25 ? ends[i / 5] : draw(&pcg, type);
            uint64_t b = i < 25 ? ends[i % 5] : draw(&pcg, type);
            uint64_t dual_a = topk_data_dual(type, a);
            uint64_t dual_b = topk_data_dual(type, b);
            assert_int_equal(topk_data_dual(type, dual_a), a);
            assert_true(topk_type_bytes(type) == 8 || dual_a < values_of(type));
            assert_false(topk_element_nan(type, dual_a));
            assert_int_equal(compare(type, dual_a, dual_b), compare(type, b, a));
        }
    }
}

static uint32_t place_of(uint32_t index, uint32_t length, uint64_t sequence)
{
    const struct topk_permutation permutation = topk_data_permutation(length, sequence);
    return topk_data_place(&permutation, index);
}

static void every_index_has_a_place(void **state)
{
    (void)state;
    bool taken[1200];
    unsigned same = 0;
    for (uint32_t length = 1; length <= 1200; length++) {
        for (uint64_t sequence = 0; sequence < 3; sequence++) {
            memset(taken, 0, sizeof taken);
            for (uint32_t i = 0; i < length; i++) {
                uint32_t place = place_of(i, length, sequence);
                assert_true(place < length);
                assert_false(taken[place]);
                taken[place] = true;
                same += length > 3 && place == i;
            }
        }
    }
    /* of about two million elements, few stay in place */
    assert_true(same < 20000);
}

static void check_spread(uint32_t type, const uint64_t *bits, uint64_t count)
{
    uint64_t *own = malloc((size_t)count * sizeof *own);
    struct topk_spread spread;
    assert_non_null(own);
    memcpy(own, bits, (size_t)count * sizeof *own);
    topk_spread_make(&spread, type, own, count);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t a = topk_spread_map(&spread, bits[i]);
        uint64_t other = bits[(i * 7919 + 1) % count];
        assert_true(topk_type_bytes(type) == 8 || a < values_of(type));
        assert_false(topk_element_nan(type, a));
        assert_false(type == TOPK_TYPE_F32 && topk_element_denormal(type, a));
        assert_int_equal(compare(type, a, topk_spread_map(&spread, other)),
                         compare(type, bits[i], other));
        uint64_t next = bits[(i + 1) % count];
        assert_int_equal(compare(type, a, topk_spread_map(&spread, next)),
                         compare(type, bits[i], next));
    }
    topk_spread_free(&spread);
}

static void the_spread_keeps_order_and_equality(void **state)
{
    (void)state;
    static uint64_t bits[70000];
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 3, 1);
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        uint32_t type = topk_types[t];
        for (uint32_t distinct = 1; distinct <= 40000; distinct = distinct * 3 + 1) {
            for (uint32_t i = 0; i < 2 * distinct; i++) {
                bits[i] = i < distinct ? draw(&pcg, type) : bits[topk_pcg_below(&pcg, distinct)];
            }
            check_spread(type, bits, 2 * distinct < 70000 ? 2 * distinct : 70000);
        }
        /* both zeros and their neighbours */
        uint64_t minus = topk_data_dual(type, 0);
        const uint64_t zeros[] = {0, minus, 1, topk_data_dual(type, 1), minus, 0};
        check_spread(type, zeros, 6);
    }
    /* all values */
    uint64_t count = 0;
    for (uint64_t half = 0; half <= 0xffff; half++) {
        bits[count] = half;
        count += !topk_element_nan(TOPK_TYPE_F16, half);
    }
    check_spread(TOPK_TYPE_F16, bits, count);
}

/* small values become large ones, and both ends of the type are used */
static void the_spread_is_wide(void **state)
{
    (void)state;
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        uint32_t type = topk_types[t];
        uint64_t *bits = calloc(2, sizeof *bits);
        struct topk_spread spread;
        assert_non_null(bits);
        bits[1] = topk_value_of_rank(type, 3, 4); /* 1 or 3 */
        uint64_t greater = bits[1];
        topk_spread_make(&spread, type, bits, 2);
        assert_int_equal(topk_spread_map(&spread, 0), topk_element_least(type));
        assert_int_equal(topk_spread_map(&spread, greater), topk_element_greatest(type));
        topk_spread_free(&spread);
    }
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void open_faulty(struct topk_host *host, const char *fault)
{
    char spec[64];
    char error[1024];
    snprintf(spec, sizeof spec, "faulty:%s", fault);
    if (!topk_host_open(host, spec, error, sizeof error)) {
        fail_msg("%s: %s", spec, error);
    }
}

static struct topk_result run_text(struct topk_host *host, const char *text)
{
    struct topk_case tc;
    struct topk_case_error error;
    struct topk_result result;
    const struct topk_case *cases[] = {&tc};
    if (!topk_case_parse(text, strlen(text), &tc, &error)) {
        fail_msg("%s: column %zu: %s", text, error.column, error.message);
    }
    topk_host_run(host, cases, 1, &result);
    topk_case_clear(&tc);
    return result;
}

/* A backend that uses all that F02, F04 and F06 leave open, differently in each call, breaks no
 * clause: no finding is allowed. */
static void what_is_open_is_not_compared(void **state)
{
    (void)state;
    static const char *const forms[] = {
        "in=f32[3,16] axis=1 k=7%s check=%s data=denormals.1:%d",
        "in=f16[3,16] axis=1 k=7%s check=%s data=denormals.1:%d",
        "in=f32[3,16] axis=1 k=7%s check=%s data=nan.1:2:%d",
        "in=f16[16,3] axis=0 k=7%s check=%s data=nan.1:1:%d",
        "in=f32[3,40] axis=1 k=9%s exec=1 check=%s data=hidden.1:2:%d",
        "in=f32[40,2] axis=0 k=9%s exec=1 check=%s data=uniform.1:%d",
        "in=f32[3,40] axis=1 k=9%s exec=1 check=%s data=few.1:9:%d",
        "in=f32[3,40] axis=1 k=9%s exec=3 check=%s data=denormals.1:%d",
    };
    struct topk_host host;
    open_faulty(&host, "own-choice");
    for (int check = TOPK_CHECK_NONE + 1; check < TOPK_CHECK_COUNT; check++) {
        const char *word = topk_check_row((enum topk_check)check)->word;
        for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
            for (int seed = 0; seed < 40; seed++) {
                char format[200];
                char text[200];
                const char *direction = seed % 2 ? " dir=inc" : "";
                snprintf(format, sizeof format, "%s fl=5.0 %s", seed % 2 ? "top_k1" : "top_k",
                         forms[f]);
                snprintf(text, sizeof text, format, direction, word, seed);
                struct topk_result result = run_text(&host, text);
                if (result.verdict != TOPK_VERDICT_PASS) {
                    fail_msg("%s: %s", text, topk_verdict_word(result.verdict));
                }
            }
        }
    }
    topk_host_close(&host, NULL, 0);
}

/* V12: each call may interpret a direction other than 0 and 1 in its own way */
static void another_direction_is_not_compared(void **state)
{
    (void)state;
    struct topk_host host;
    open_faulty(&host, "own-direction");
    for (int check = TOPK_CHECK_NONE; check < TOPK_CHECK_COUNT; check++) {
        for (int k = 1; k < 6; k++) {
            char text[200];
            char word[32] = "";
            if (check != TOPK_CHECK_NONE) {
                snprintf(word, sizeof word, " check=%s",
                         topk_check_row((enum topk_check)check)->word);
            }
            snprintf(text, sizeof text,
                     "top_k1 fl=5.0 in=i32[3,5] axis=1 k=%d dir=2%s data=shuffle.1:1", k, word);
            struct topk_result result = run_text(&host, text);
            if (result.verdict != TOPK_VERDICT_PASS) {
                fail_msg("%s: %s %s", text, topk_verdict_word(result.verdict), result.reason);
            }
        }
    }
    topk_host_close(&host, NULL, 0);
}

/* A result that is correct for DirectML is correct for a contract that allows more; and a contract
 * does not make a wrong result correct. */
static void contracts_leave_more_open(void **state)
{
    (void)state;
    static const char *const contracts[] = {"ties=any",
                                            "order=any",
                                            "denormals=flush",
                                            "zero=signed",
                                            "ties=any repeat=values",
                                            "ties=any order=any denormals=flush repeat=values"};
    static const char *const forms[] = {
        "in=f32[3,16] axis=1 k=7 check=%s data=denormals.1:%d",
        "in=i32[3,16] axis=1 k=7 check=%s data=few.1:3:%d",
        "in=u8[16,3] axis=0 k=1 check=%s data=shuffle.1:%d",
        "in=f16[3,16] axis=1 k=16 check=%s data=shuffle.1:%d",
    };
    for (size_t c = 0; c < sizeof contracts / sizeof contracts[0]; c++) {
        struct topk_contract contract;
        struct topk_host right;
        struct topk_host wrong;
        char error[512];
        assert_true(topk_contract_parse(contracts[c], strlen(contracts[c]), false, &contract, error,
                                        sizeof error));
        assert_true(topk_host_open(&right, "cpu", error, sizeof error));
        open_faulty(&wrong, "index-one-based");
        assert_true(topk_host_declare(&right, &contract, error, sizeof error));
        assert_true(topk_host_declare(&wrong, &contract, error, sizeof error));
        for (int check = TOPK_CHECK_NONE + 1; check < TOPK_CHECK_COUNT; check++) {
            for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
                if (f == 0 && topk_contract_has(&contract, TOPK_OPTION_ZERO_SIGNED)) {
                    continue; /* cpu treats both zeros as equal */
                }
                char format[200];
                char text[200];
                snprintf(format, sizeof format, "top_k fl=5.0 %s", forms[f]);
                snprintf(text, sizeof text, format, topk_check_row((enum topk_check)check)->word,
                         (int)(f + c));
                const struct topk_result result = run_text(&right, text);
                if (result.verdict != TOPK_VERDICT_PASS) {
                    fail_msg("%s, %s: %s", contracts[c], text, topk_verdict_word(result.verdict));
                }
                assert_int_equal(run_text(&wrong, text).verdict, TOPK_VERDICT_FAIL);
            }
        }
        topk_host_close(&right, NULL, 0);
        topk_host_close(&wrong, NULL, 0);
    }
}

/* a backend that declares rules is judged by no others */
static void a_contract_that_differs_is_refused(void **state)
{
    (void)state;
    struct topk_host host;
    struct topk_contract any = {.chosen = 0};
    struct topk_contract highest = {.chosen = 0};
    char error[512];
    topk_contract_choose(&any, TOPK_OPTION_TIES_ANY);
    topk_contract_choose(&highest, TOPK_OPTION_TIES_HIGHEST);
    assert_true(topk_host_open(&host, "cpu", error, sizeof error));
    host.loaded.contract = any; /* as a plugin with a function contract() has it */
    assert_true(topk_host_declare(&host, &any, error, sizeof error));
    assert_false(topk_host_declare(&host, &highest, error, sizeof error));
    assert_string_equal(error, "the backend declares ties=any by itself, and the contract that was "
                               "given has ties=highest");
    topk_host_close(&host, NULL, 0);
}

/* each case is run with both guard pages, and has one result */
static void cases_run_at_both_guard_pages(void **state)
{
    (void)state;
    static const char valid[] = "top_k fl=5.0 in=f32[3,5] axis=1 k=2 data=shuffle.1:1";
    static const char created[] = "top_k fl=5.0 in=f32[3,5] axis=2 k=2";
    struct topk_host host;
    char error[512];
    assert_true(topk_host_open(&host, "cpu", error, sizeof error));
    assert_true(topk_host_guard(&host, TOPK_GUARD_PAGE_BOTH, error, sizeof error));
    assert_int_equal(run_text(&host, valid).verdict, TOPK_VERDICT_PASS);
    assert_int_equal(run_text(&host, created).verdict, TOPK_VERDICT_PASS);
    assert_true(topk_host_done(&host, 0));
    topk_host_close(&host, NULL, 0);
    open_faulty(&host, "index-one-based");
    assert_true(topk_host_guard(&host, TOPK_GUARD_PAGE_BOTH, error, sizeof error));
    const struct topk_result result = run_text(&host, valid);
    assert_int_equal(result.verdict, TOPK_VERDICT_FAIL);
    assert_string_equal(result.reason, ""); /* the result is wrong with both */
    topk_host_close(&host, NULL, 0);
}

/* ---- faults that only a relation detects
 * --------------------------------------------------------- */

struct seen {
    struct topk_host host;
    uint32_t run;
    uint32_t by[TOPK_CHECK_COUNT]; /* failed cases by check */
    uint32_t mismatches[TOPK_MISMATCH_COUNT];
    uint32_t same[TOPK_MISMATCH_COUNT]; /* findings whose expected and actual values are equal */
};

static bool take(void *context, struct topk_case *tc)
{
    struct seen *seen = context;
    struct topk_result result;
    const struct topk_case *cases[] = {tc};
    topk_host_run(&seen->host, cases, 1, &result);
    seen->run++;
    seen->by[tc->check] += topk_verdict_failure(result.verdict);
    for (uint32_t f = 0; f < result.judgement.count; f++) {
        const struct topk_finding *finding = &result.judgement.findings[f];
        seen->mismatches[finding->mismatch]++;
        if (strncmp(topk_mismatch_row(finding->mismatch)->word, "unequal-", 8) == 0 &&
            finding->expected == finding->actual) {
            seen->same[finding->mismatch]++;
        }
    }
    return true;
}

/* runs all of group relations */
static struct seen *run_relations(const char *fault)
{
    static struct seen seen;
    memset(&seen, 0, sizeof seen);
    open_faulty(&seen.host, fault);
    for (size_t i = 0; i < topk_test_count(); i++) {
        struct topk_sink sink = {.take = take, .context = &seen};
        if (strcmp(topk_test_at(i)->group, "relations") == 0) {
            topk_test_enumerate(topk_test_at(i), &sink);
        }
    }
    topk_host_close(&seen.host, NULL, 0);
    return &seen;
}

static void some_faults_only_a_relation_sees(void **state)
{
    (void)state;
    static const struct {
        const char *fault;
        enum topk_check check;
        enum topk_check also; /* another check that detects it; NONE: no other */
    } rows[] = {
        {"kept-across-types", TOPK_CHECK_AFTER, TOPK_CHECK_CONCURRENT},
        {"crowded-batch", TOPK_CHECK_CONCURRENT, TOPK_CHECK_NONE},
        {"fiftieth-run", TOPK_CHECK_SOAK, TOPK_CHECK_NONE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct seen *seen = run_relations(rows[i].fault);
        for (int check = 0; check < TOPK_CHECK_COUNT; check++) {
            bool sees = check == (int)rows[i].check ||
                        (check == (int)rows[i].also && rows[i].also != TOPK_CHECK_NONE);
            if (sees != (seen->by[check] > 0)) {
                fail_msg("%s: %u failures of check=%s", rows[i].fault, (unsigned)seen->by[check],
                         topk_check_row((enum topk_check)check)->word);
            }
        }
    }
}

/* faults that other cases detect are also detected by the relation */
static void relations_see_what_they_should(void **state)
{
    (void)state;
    static const struct {
        const char *fault;
        enum topk_mismatch mismatch;
    } rows[] = {
        {"two-layouts", TOPK_MISMATCH_UNEQUAL_LAYOUT},
        {"first-axis", TOPK_MISMATCH_UNEQUAL_AXES},
        {"last-element", TOPK_MISMATCH_UNEQUAL_PERMUTE},
        {"increasing-ties", TOPK_MISMATCH_UNEQUAL_DUAL},
        {"top-digit-unsorted", TOPK_MISMATCH_UNEQUAL_MONOTONE},
        {"four-byte-ties", TOPK_MISMATCH_UNEQUAL_WIDEN},
        {"kept-across-types", TOPK_MISMATCH_UNEQUAL_AFTER},
        {"crowded-batch", TOPK_MISMATCH_UNEQUAL_CONCURRENT},
        {"fiftieth-run", TOPK_MISMATCH_UNEQUAL_SOAK},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (run_relations(rows[i].fault)->mismatches[rows[i].mismatch] == 0) {
            fail_msg("%s: no %s", rows[i].fault, topk_mismatch_row(rows[i].mismatch)->word);
        }
    }
}

/* each reported difference is real, for all kinds of faults in second calls */
static void what_differs_is_said(void **state)
{
    (void)state;
    static const char *const faults[] = {"kept-by-shape",  "old-ones-kept",     "old-zeros-kept",
                                         "zeros-positive", "u32-wide-index",    "f32-flush-least",
                                         "i64-low-dword",  "depends-on-output", "k-dependence",
                                         "no-write",       "larger-before"};
    uint32_t wide = 0;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        const struct seen *seen = run_relations(faults[i]);
        for (int m = 0; m < TOPK_MISMATCH_COUNT; m++) {
            if (m != TOPK_MISMATCH_UNEQUAL_WIDE_BITS && seen->same[m] > 0) {
                fail_msg("%s: %u of %s do not differ", faults[i], (unsigned)seen->same[m],
                         topk_mismatch_row((enum topk_mismatch)m)->word);
            }
        }
        wide += seen->mismatches[TOPK_MISMATCH_UNEQUAL_WIDE_BITS];
    }
    assert_in_range(wide, 1, UINT32_MAX);
}

/* the time limit of a case depends on this number */
static void a_check_makes_the_calls_that_its_row_says(void **state)
{
    (void)state;
    for (int check = 1; check < TOPK_CHECK_COUNT; check++) {
        const struct topk_check_row *row = topk_check_row((enum topk_check)check);
        char text[200];
        struct topk_case tc;
        struct topk_case_error error;
        struct topk_call first = {0};
        struct topk_call second = {0};
        uint32_t calls = 0;
        int length = snprintf(text, sizeof text,
                              "top_k1 fl=3.1 in=f16[20,8] axis=1 k=4 dir=dec check=%s "
                              "data=few.1:3:7",
                              row->word);
        assert_true(topk_case_parse(text, (size_t)length, &tc, &error));
        assert_true(topk_call_prepare(&first, &tc, TOPK_POISON_RANDOM));
        uint32_t number = 1;
        for (uint32_t round = 0; number > 0; round++) {
            for (number = 0; topk_relation_prepare(&second, &first, round, number) == 1; number++) {
                calls++;
            }
        }
        if (calls != row->calls || topk_check_text_calls(text, (size_t)length) != 1 + calls) {
            fail_msg("check=%s makes %u second calls", row->word, (unsigned)calls);
        }
        topk_call_free(&second);
        topk_call_free(&first);
        topk_case_clear(&tc);
    }
    assert_int_equal(topk_check_text_calls("top_k fl=2.0", 12), 1);
    assert_int_equal(topk_check_text_calls("check=soa", 9), 1);
}

/* Calls with large buffers are repeated less often, but not less than three times. */
static void large_calls_are_repeated_less(void **state)
{
    (void)state;
    static const struct {
        const char *input;
        uint32_t calls;
    } rows[] = {
        {"u8[4]", TOPK_CHECK_CALLS_SOAK},
        {"u8[4]{3333333}", 10}, /* 10 MB: as many as fit into 100 MiB */
        {"u8[4]{20000000}", 3}, /* 60 MB: not even two fit */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[200];
        struct topk_case tc;
        struct topk_case_error error;
        struct topk_call first = {0};
        struct topk_call second = {0};
        uint32_t round = 0;
        snprintf(text, sizeof text, "top_k fl=5.0 in=%s axis=0 k=2 check=soak data=hex:09,07,08,01",
                 rows[i].input);
        if (!topk_case_parse(text, strlen(text), &tc, &error)) {
            fail_msg("%s: column %zu: %s", text, error.column, error.message);
        }
        assert_true(topk_call_prepare(&first, &tc, TOPK_POISON_RANDOM));
        while (topk_relation_prepare(&second, &first, round, 0) == 1) {
            round++;
        }
        assert_int_equal(round, rows[i].calls);
        topk_call_free(&second);
        topk_call_free(&first);
        topk_case_clear(&tc);
    }
}

/* check=offset: each tensor lies elsewhere than in the first call, where its alignment lets it */
static void offsets_move(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "top_k fl=5.0 in=f32[8] axis=0 k=4 check=offset",
        "top_k fl=5.0 in=f32[8]@512 axis=0 k=4 val=f32@256 idx=u32^1024 check=offset"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct topk_case tc;
        struct topk_case_error error;
        struct topk_call first = {0};
        struct topk_call second = {0};
        assert_true(topk_case_parse(texts[i], strlen(texts[i]), &tc, &error));
        assert_true(topk_call_prepare(&first, &tc, TOPK_POISON_RANDOM));
        assert_int_equal(topk_relation_prepare(&second, &first, 0, 0), 1);
        for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
            const uint32_t alignment = second.tc.op.tensors[role].alignment;
            assert_true(alignment >= 256);
            assert_true(second.tc.offset[role] > first.tc.offset[role]);
            assert_int_equal(second.tc.offset[role] % alignment, 0);
        }
        topk_call_free(&second);
        topk_call_free(&first);
        topk_case_clear(&tc);
    }
}

/* what is found is said in terms of the first call */
static void findings_are_of_the_first_call(void **state)
{
    (void)state;
    struct topk_host host;
    open_faulty(&host, "four-byte-ties");
    struct topk_result result =
        run_text(&host, "top_k fl=2.0 in=f16[1,1,1,4] axis=3 k=2 check=widen "
                        "data=hex:3c00,4000,4000,0000");
    assert_int_equal(result.judgement.count, 1);
    const struct topk_finding *finding = &result.judgement.findings[0];
    assert_int_equal(finding->clause, TOPK_CLAUSE_S12);
    assert_int_equal(finding->role, TOPK_INDEX);
    assert_int_equal(finding->rank, 4);
    assert_int_equal(finding->expected, 1);
    assert_int_equal(finding->actual, 2);
    assert_int_equal(finding->count, 2);
    topk_host_close(&host, NULL, 0);
    open_faulty(&host, "index-one-based");
    /* the values are correct, but the indices name other elements */
    result = run_text(&host, "top_k fl=5.0 in=u8[4] axis=0 k=2 check=permute data=hex:09,07,08,01");
    bool named = false;
    for (uint32_t f = 0; f < result.judgement.count; f++) {
        finding = &result.judgement.findings[f];
        named = named ||
                (finding->mismatch == TOPK_MISMATCH_UNEQUAL_PERMUTE &&
                 finding->role == TOPK_INDEX && finding->expected == 1 && finding->actual == 3);
    }
    assert_true(named);
    topk_host_close(&host, NULL, 0);
    open_faulty(&host, "last-element");
    /* 2 1 0 becomes 0 2 1 or 1 0 2; its last element is not selected */
    result = run_text(&host, "top_k fl=5.0 in=u8[3] axis=0 k=1 check=permute data=hex:02,01,00");
    assert_int_equal(place_of(0, 3, 0), 1);
    assert_int_equal(result.verdict, TOPK_VERDICT_PASS);
    /* 0 1 2 goes to 2 0 1, where the greatest is seen */
    assert_int_equal(place_of(2, 3, 0), 0);
    result = run_text(&host, "top_k fl=5.0 in=u8[3] axis=0 k=1 check=permute data=hex:00,01,02");
    bool greater = false;
    for (uint32_t f = 0; f < result.judgement.count; f++) {
        finding = &result.judgement.findings[f];
        greater = greater ||
                  (finding->mismatch == TOPK_MISMATCH_UNEQUAL_PERMUTE &&
                   finding->role == TOPK_VALUE && finding->expected == 1 && finding->actual == 2);
    }
    assert_true(greater);
    result = run_text(&host, "top_k fl=5.0 in=u8[3] axis=0 k=1 check=permute data=hex:00,02,01");
    assert_int_equal(place_of(1, 3, 0), 2);
    assert_int_equal(result.verdict, TOPK_VERDICT_FAIL);
    assert_int_equal(result.judgement.findings[0].mismatch, TOPK_MISMATCH_UNEQUAL_PERMUTE);
    assert_int_equal(result.judgement.findings[0].role, TOPK_VALUE);
    assert_int_equal(result.judgement.findings[0].expected, 2);
    assert_int_equal(result.judgement.findings[0].actual, 1);
    topk_host_close(&host, NULL, 0);
}

static void set_output(struct topk_call *call, enum topk_role role, uint64_t bits)
{
    topk_element_store(call->live[role].data + call->offset[role],
                       topk_type_bytes(call->tc.op.tensors[role].type), bits);
}

/* check=permute: a finding names what differs, once */
static void a_permuted_call_differs_by_value_or_index(void **state)
{
    (void)state;
    static const char text[] =
        "top_k fl=5.0 in=f16[3] axis=0 k=1 check=permute data=hex:0000,bc00,c000";
    /* the greatest element is at index 0 of the first call, at index 1 of the second, and there
     * -1 is at 2, -2 at 0 */
    static const struct {
        uint64_t first[2]; /* value and index */
        uint64_t second[2];
        uint32_t findings;
        enum topk_role role; /* of the first finding */
        uint64_t expected;
        uint64_t actual;
    } rows[] = {
        {{0, 0}, {0, 1}, 0, TOPK_INPUT, 0, 0},
        {{0, 0}, {0x8000, 1}, 1, TOPK_VALUE, 0, 0x8000}, /* the other zero */
        {{0, 0}, {0x3c00, 1}, 1, TOPK_VALUE, 0, 0x3c00}, /* the right index, another value */
        {{0, 0}, {0, 0}, 1, TOPK_INDEX, 1, 0},
        {{0, 0}, {0, 3}, 1, TOPK_INDEX, 1, 3}, /* out of range */
        {{0, 0}, {0x3c00, 3}, 2, TOPK_VALUE, 0, 0x3c00},
        {{0, 0}, {0xc000, 2}, 2, TOPK_VALUE, 0, 0xc000}, /* another element's index */
        {{0, 0}, {0xbc00, 2}, 1, TOPK_VALUE, 0, 0xbc00}, /* another element */
        {{0x3c00, 0}, {0x3c00, 1}, 0, TOPK_INPUT, 0, 0}, /* the same wrong value */
        {{0, 3}, {0, 0}, 0, TOPK_INPUT, 0, 0},           /* the first call's index has no place */
    };
    struct topk_case tc;
    struct topk_case_error error;
    struct topk_call first = {0};
    struct topk_call second = {0};
    const struct topk_contract contract = {.chosen = 0};
    assert_true(topk_case_parse(text, strlen(text), &tc, &error));
    assert_true(topk_call_prepare(&first, &tc, TOPK_POISON_RANDOM));
    assert_int_equal(topk_relation_prepare(&second, &first, 0, 0), 1);
    topk_call_load(&first);
    topk_call_load(&second);
    assert_int_equal(place_of(0, 3, 0), 1);
    assert_int_equal(place_of(2, 3, 0), 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topk_judgement judgement = {.count = 0};
        const struct topk_finding *finding = &judgement.findings[0];
        for (int output = 0; output < 2; output++) {
            const enum topk_role role = output == 0 ? TOPK_VALUE : TOPK_INDEX;
            set_output(&first, role, rows[i].first[output]);
            set_output(&second, role, rows[i].second[output]);
        }
        topk_relation_compare(&second, &first, 0, &contract, &judgement);
        if (judgement.count != rows[i].findings ||
            (judgement.count > 0 &&
             (finding->count != 1 || finding->mismatch != TOPK_MISMATCH_UNEQUAL_PERMUTE ||
              finding->role != rows[i].role || finding->expected != rows[i].expected ||
              finding->actual != rows[i].actual))) {
            fail_msg("row %zu: %u findings", i, (unsigned)judgement.count);
        }
    }
    topk_call_free(&second);
    topk_call_free(&first);
    topk_case_clear(&tc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_are_widened_exactly),
        cmocka_unit_test(only_halves_are_halves),
        cmocka_unit_test(integers_are_widened_exactly),
        cmocka_unit_test(the_dual_reverses_order),
        cmocka_unit_test(every_index_has_a_place),
        cmocka_unit_test(the_spread_keeps_order_and_equality),
        cmocka_unit_test(the_spread_is_wide),
        cmocka_unit_test(what_is_open_is_not_compared),
        cmocka_unit_test(another_direction_is_not_compared),
        cmocka_unit_test(contracts_leave_more_open),
        cmocka_unit_test(a_contract_that_differs_is_refused),
        cmocka_unit_test(cases_run_at_both_guard_pages),
        cmocka_unit_test(some_faults_only_a_relation_sees),
        cmocka_unit_test(relations_see_what_they_should),
        cmocka_unit_test(what_differs_is_said),
        cmocka_unit_test(a_check_makes_the_calls_that_its_row_says),
        cmocka_unit_test(large_calls_are_repeated_less),
        cmocka_unit_test(offsets_move),
        cmocka_unit_test(findings_are_of_the_first_call),
        cmocka_unit_test(a_permuted_call_differs_by_value_or_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
