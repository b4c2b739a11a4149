/* The generator: valid cases are valid, invalid ones are not, each breaker breaks its clause, and
 * the same choices make the same cases with every compiler. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "generate/breaker.h"
#include "generate/build.h"
#include "generate/generate.h"

/* sanitizers make it ten times as slow */
#ifdef TOPK_SANITIZED
#define CASES 100000u
#else
#define CASES 1000000u
#endif

static char text[TOPK_CASE_TEXT];

static void say(const char *what, uint64_t seed, uint64_t position, const struct topk_case *tc)
{
    topk_case_print(tc, text, sizeof text);
    fail_msg("%s: seed %" PRIu64 ", position %" PRIu64 ": %s", what, seed, position, text);
}

/* the printed text parses, and prints the same again */
static void check_round_trip(uint64_t seed, uint64_t position, const struct topk_case *tc)
{
    static char again[TOPK_CASE_TEXT];
    struct topk_case parsed;
    struct topk_case_error error;
    size_t length = topk_case_print(tc, text, sizeof text);
    if (!topk_case_parse(text, length, &parsed, &error)) {
        say(error.message, seed, position, tc);
    }
    topk_case_print(&parsed, again, sizeof again);
    topk_case_clear(&parsed);
    if (strcmp(text, again) != 0) {
        say("printed otherwise the second time", seed, position, tc);
    }
}

static void valid_cases_are_valid(void **state)
{
    (void)state;
    uint32_t latitude[TOPK_CLAUSE_COUNT] = {0};
    for (uint64_t i = 0; i < CASES; i++) {
        struct topk_choice choice;
        struct topk_case tc;
        struct topk_validity validity;
        topk_choice_seed(&choice, 1, i);
        assert_true(topk_generate_valid(&choice, &topk_limits_usual, &tc));
        topk_operator_validate(&tc.op, tc.op.level, &validity);
        if (!topk_clause_set_empty(&validity.broken)) {
            say("breaks a clause", 1, i, &tc);
        }
        if (topk_tensor_elements(&tc.op.tensors[TOPK_INPUT]) > topk_limits_usual.elements) {
            say("too large", 1, i, &tc);
        }
        for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
            uint32_t alignment = tc.op.tensors[role].alignment;
            if (tc.offset[role] % 16 != 0 || (alignment != 0 && tc.offset[role] % alignment != 0)) {
                say("bound where it must not be", 1, i, &tc);
            }
        }
        for (int c = 0; c < TOPK_CLAUSE_COUNT; c++) {
            latitude[c] += topk_clause_set_has(&validity.latitude, (enum topk_clause)c);
        }
        if (i % 16 == 0) {
            check_round_trip(1, i, &tc);
        }
        topk_case_clear(&tc);
    }
    /* open clauses occur, but stay the exception */
    static const enum topk_clause open[] = {TOPK_CLAUSE_V03, TOPK_CLAUSE_V12, TOPK_CLAUSE_T10b,
                                            TOPK_CLAUSE_T13, TOPK_CLAUSE_T14};
    for (size_t c = 0; c < sizeof open / sizeof open[0]; c++) {
        assert_in_range(latitude[open[c]], CASES / 10000, CASES / 2);
    }
}

static void invalid_cases_are_invalid(void **state)
{
    (void)state;
    uint32_t broken[TOPK_CLAUSE_COUNT] = {0};
    uint32_t alone[TOPK_CLAUSE_COUNT] = {0};
    for (uint64_t i = 0; i < CASES; i++) {
        struct topk_choice choice;
        struct topk_case tc;
        struct topk_validity validity;
        topk_choice_seed(&choice, 2, i);
        topk_generate_invalid(&choice, &tc);
        topk_operator_validate(&tc.op, tc.op.level, &validity);
        if (topk_clause_set_empty(&validity.broken)) {
            say("breaks no clause", 2, i, &tc);
        }
        uint32_t count = 0;
        for (int c = 0; c < TOPK_CLAUSE_COUNT; c++) {
            count += topk_clause_set_has(&validity.broken, (enum topk_clause)c);
        }
        for (int c = 0; c < TOPK_CLAUSE_COUNT; c++) {
            bool here = topk_clause_set_has(&validity.broken, (enum topk_clause)c);
            broken[c] += here;
            alone[c] += here && count == 1;
        }
        if (i % 16 == 0) {
            check_round_trip(2, i, &tc);
        }
        topk_case_clear(&tc);
    }
    for (uint32_t b = 0; b < topk_breaker_count; b++) {
        enum topk_clause clause = topk_breakers[b].clause;
        assert_true(broken[clause] > CASES / 200);
        /* these are never broken alone: negative strides make a tensor too small, more than 8
         * dimensions break V08, too, and no outputs fit K = 0 */
        if (clause != TOPK_CLAUSE_T12 && clause != TOPK_CLAUSE_T02 && clause != TOPK_CLAUSE_V02) {
            assert_true(alone[clause] > CASES / 10000);
        }
    }
}

/* every choice of every breaker, on small bases, alone and after any other breaker */
static void breakers_break_their_clause(void **state)
{
    (void)state;
    static char before[TOPK_CASE_TEXT];
    static const uint32_t sizes[] = {2, 3, 4, 5};
    for (uint32_t first = 0; first <= topk_breaker_count; first++) {
        for (uint32_t second = first == topk_breaker_count ? 0 : first + 1;
             second < topk_breaker_count; second++) {
            unsigned applied = 0;
            for (int t = 0; t < TOPK_TYPE_COUNT; t += first == topk_breaker_count ? 1 : 7) {
                struct topk_choice choice;
                topk_choice_all(&choice);
                do {
                    struct topk_case tc;
                    struct topk_validity validity;
                    uint32_t rank = t % 2 ? 3 : 4;
                    topk_build(&tc, TOPK_MODE_LARGEST, topk_types[t], rank, sizes, rank - 1, 2);
                    if (t % 2) {
                        topk_build_wide_index(&tc);
                    }
                    tc.op.level = TOPK_LEVEL_5_0;
                    bool spoiled =
                        first == topk_breaker_count || topk_breakers[first].spoil(&choice, &tc);
                    topk_case_print(&tc, before, sizeof before);
                    if (!spoiled || !topk_breakers[second].spoil(&choice, &tc)) {
                        topk_case_print(&tc, text, sizeof text);
                        assert_true(!spoiled || strcmp(before, text) == 0);
                        continue;
                    }
                    applied++;
                    topk_operator_validate(&tc.op, tc.op.level, &validity);
                    if (!topk_clause_set_has(&validity.broken, topk_breakers[second].clause)) {
                        say(topk_breakers[second].name, first, second, &tc);
                    }
                } while (topk_choice_advance(&choice));
            }
            /* each one applies to some base */
            assert_true(first < topk_breaker_count || applied > 0);
        }
    }
}

static void short_bytes_make_small_cases(void **state)
{
    (void)state;
    struct topk_choice choice;
    struct topk_case tc;
    topk_choice_bytes(&choice, NULL, 0);
    assert_true(topk_generate(&choice, &topk_limits_usual, &tc));
    assert_int_equal(topk_tensor_elements(&tc.op.tensors[TOPK_INPUT]), 1);
    topk_case_print(&tc, text, sizeof text);
    assert_string_equal(text, "top_k fl=3.1 in=f32[1] axis=0 k=1 data=hex:c0400000");
    topk_case_clear(&tc);
}

/* any byte string is a case, and appending a byte does not change its kind */
static void any_bytes_are_a_case(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 3, 0);
    for (uint64_t i = 0; i < CASES / 10; i++) {
        unsigned char bytes[96];
        struct topk_choice choice;
        struct topk_case tc;
        struct topk_validity validity;
        for (size_t b = 0; b < sizeof bytes; b++) {
            bytes[b] = (unsigned char)(topk_pcg_next(&pcg) >> 24);
        }
        topk_choice_bytes(&choice, bytes, i % sizeof bytes);
        assert_true(topk_generate(&choice, &topk_limits_usual, &tc));
        topk_operator_validate(&tc.op, tc.op.level, &validity);
        bool invalid = i % sizeof bytes > 0 && bytes[0] % 8 == 7;
        if (invalid == topk_clause_set_empty(&validity.broken)) {
            say("not as it was called", 3, i, &tc);
        }
        check_round_trip(3, i, &tc);
        topk_case_clear(&tc);
    }
}

/* FNV-1a of the texts of the first cases of a seed: the same with every compiler and system. It
 * changes only with the generator. Profile full then needs a new version. */
static void the_same_cases_everywhere(void **state)
{
    (void)state;
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    for (uint64_t i = 0; i < 20000; i++) {
        struct topk_choice choice;
        struct topk_case tc;
        topk_choice_seed(&choice, 4, i);
        assert_true(topk_generate(&choice, &topk_limits_usual, &tc));
        size_t length = topk_case_print(&tc, text, sizeof text);
        for (size_t c = 0; c <= length; c++) {
            digest = (digest ^ (unsigned char)text[c]) * UINT64_C(0x100000001b3);
        }
        topk_case_clear(&tc);
    }
    if (digest != UINT64_C(0x5c88cc000d391aa9)) {
        fail_msg("the digest is 0x%016" PRIx64, digest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_cases_everywhere), /* first, because it notices a change soonest
                                                      */
        cmocka_unit_test(valid_cases_are_valid),
        cmocka_unit_test(invalid_cases_are_invalid),
        cmocka_unit_test(breakers_break_their_clause),
        cmocka_unit_test(short_bytes_make_small_cases),
        cmocka_unit_test(any_bytes_are_a_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
