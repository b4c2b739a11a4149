/* The text of a case: any case makes the round trip, nothing but one form is read, and the data
 * lands where the description says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "case/case.h"
#include "case/layout.h"
#include "case/sort.h"
#include "reference/element.h"
#include "suite/profile.h"

#define RANDOM_CASES 200000

/* the longest text of a random case */
#define RANDOM_TEXT 4096

/* ---- random cases ---------------------------------------------------------------------------- */

static bool chance(struct topk_pcg *pcg, uint32_t percent)
{
    return topk_pcg_below(pcg, 100) < percent;
}

/* a number that is small, at an edge of 32 bits, or anything */
static uint32_t any_u32(struct topk_pcg *pcg)
{
    static const uint32_t edges[] = {0x7fffffffu, 0x80000000u, 0xfffffffeu,
                                     0xffffffffu, 65535,       65536};
    switch (topk_pcg_below(pcg, 4)) {
    case 0:
        return edges[topk_pcg_below(pcg, sizeof edges / sizeof edges[0])];
    case 1:
        return topk_pcg_next(pcg) >> topk_pcg_below(pcg, 32);
    default:
        return topk_pcg_below(pcg, 10);
    }
}

static uint64_t any_u64(struct topk_pcg *pcg)
{
    return chance(pcg, 10) ? UINT64_MAX : topk_pcg_next64(pcg) >> topk_pcg_below(pcg, 64);
}

static uint32_t any_type(struct topk_pcg *pcg)
{
    static const uint32_t others[] = {
        TOPK_TYPE_UNKNOWN, TOPK_TYPE_F64, TOPK_TYPE_U4, TOPK_TYPE_I4, 14, 255, 256,
        0x7fffffffu,       0xffffffffu};
    return chance(pcg, 80) ? topk_types[topk_pcg_below(pcg, TOPK_TYPE_COUNT)]
                           : others[topk_pcg_below(pcg, sizeof others / sizeof others[0])];
}

static void any_numbers(struct topk_pcg *pcg, uint32_t count, uint32_t *numbers)
{
    bool small = chance(pcg, 70);
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = small ? 1 + topk_pcg_below(pcg, 3) : any_u32(pcg);
    }
}

/* what stands behind the sizes, each of it or the default */
static void any_rest(struct topk_pcg *pcg, struct topk_tensor *tensor, uint64_t *offset)
{
    if (chance(pcg, 40)) {
        tensor->strided = true;
        any_numbers(pcg, tensor->rank, tensor->strides);
    }
    tensor->total_bytes = chance(pcg, 60) ? topk_tensor_least_bytes(tensor) : any_u64(pcg);
    *offset = chance(pcg, 70) ? 0 : any_u64(pcg);
    tensor->alignment = chance(pcg, 70) ? 0 : any_u32(pcg);
    tensor->flags = chance(pcg, 80) ? 0 : any_u32(pcg);
}

static void any_tensor(struct topk_pcg *pcg, struct topk_tensor *tensor, uint64_t *offset)
{
    memset(tensor, 0, sizeof *tensor);
    *offset = 0;
    if (chance(pcg, 4)) {
        return;
    }
    tensor->present = true;
    tensor->type = any_type(pcg);
    tensor->rank =
        chance(pcg, 70) ? 1 + topk_pcg_below(pcg, 5) : topk_pcg_below(pcg, TOPK_RANK_MAX + 1);
    any_numbers(pcg, tensor->rank, tensor->sizes);
    any_rest(pcg, tensor, offset);
}

static void any_literal(struct topk_pcg *pcg, struct topk_case *tc)
{
    const struct topk_tensor *input = &tc->op.tensors[TOPK_INPUT];
    uint64_t elements = topk_tensor_elements(input);
    uint32_t bytes = topk_type_bytes(input->type);
    if (!input->present || bytes == 0 || elements == 0 || elements > 100) {
        return;
    }
    tc->literal = malloc(elements * sizeof *tc->literal);
    assert_non_null(tc->literal);
    tc->literal_count = (uint32_t)elements;
    for (uint64_t i = 0; i < elements; i++) {
        tc->literal[i] = topk_pcg_next64(pcg) >> (64 - 8 * bytes);
    }
}

static void any_data(struct topk_pcg *pcg, struct topk_case *tc)
{
    switch (topk_pcg_below(pcg, 3)) {
    case 0:
        any_literal(pcg, tc);
        break;
    case 1:
        tc->recipe = &topk_recipes[topk_pcg_below(pcg, (uint32_t)topk_recipe_count)];
        for (uint32_t i = 0; i < tc->recipe->parameters; i++) {
            tc->parameters[i] = any_u64(pcg);
        }
        break;
    default:
        break;
    }
}

static void any_case(struct topk_pcg *pcg, struct topk_case *tc)
{
    memset(tc, 0, sizeof *tc);
    struct topk_operator *op = &tc->op;
    op->kind = chance(pcg, 40) ? TOPK_TOP_K : TOPK_TOP_K1;
    op->level = chance(pcg, 70)
                    ? topk_levels[topk_pcg_below(pcg, TOPK_LEVEL_COUNT)]
                    : (1 + topk_pcg_below(pcg, 15)) << 12 | topk_pcg_below(pcg, 16) << 8;
    any_tensor(pcg, &op->tensors[TOPK_INPUT], &tc->offset[TOPK_INPUT]);
    op->axis =
        chance(pcg, 80) ? topk_pcg_below(pcg, op->tensors[TOPK_INPUT].rank + 1) : any_u32(pcg);
    op->k = chance(pcg, 60) ? 1 + topk_pcg_below(pcg, 4) : any_u32(pcg);
    op->direction = op->kind == TOPK_TOP_K ? TOPK_DECREASING
                    : chance(pcg, 90)      ? topk_pcg_below(pcg, 2)
                                           : any_u32(pcg);
    topk_operator_derive_outputs(op, TOPK_TYPE_U32);
    for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
        struct topk_tensor *output = &op->tensors[role];
        switch (topk_pcg_below(pcg, 5)) {
        case 0:
            any_tensor(pcg, output, &tc->offset[role]);
            break;
        case 1:
            output->type = any_type(pcg);
            output->total_bytes = topk_tensor_least_bytes(output);
            break;
        case 2:
            any_rest(pcg, output, &tc->offset[role]);
            break;
        default:
            break;
        }
    }
    op->execution = chance(pcg, 70) ? 0 : topk_pcg_below(pcg, 8);
    tc->padding = chance(pcg, 60) ? TOPK_PADDING_WIN
                                  : (enum topk_padding)topk_pcg_below(pcg, TOPK_PADDING_COUNT);
    tc->check =
        chance(pcg, 60) ? TOPK_CHECK_NONE : (enum topk_check)topk_pcg_below(pcg, TOPK_CHECK_COUNT);
    any_data(pcg, tc);
}

static bool same_tensor(const struct topk_tensor *a, const struct topk_tensor *b)
{
    size_t bytes = a->rank * sizeof a->sizes[0];
    return a->present == b->present && a->strided == b->strided && a->type == b->type &&
           a->rank == b->rank && a->flags == b->flags && a->alignment == b->alignment &&
           a->total_bytes == b->total_bytes && memcmp(a->sizes, b->sizes, bytes) == 0 &&
           (!a->strided || memcmp(a->strides, b->strides, bytes) == 0);
}

static bool same_case(const struct topk_case *a, const struct topk_case *b)
{
    const struct topk_operator *x = &a->op;
    const struct topk_operator *y = &b->op;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        if (!same_tensor(&x->tensors[role], &y->tensors[role]) ||
            a->offset[role] != b->offset[role]) {
            return false;
        }
    }
    return x->kind == y->kind && x->level == y->level && x->axis == y->axis && x->k == y->k &&
           x->direction == y->direction && x->execution == y->execution &&
           a->padding == b->padding && a->check == b->check && a->recipe == b->recipe &&
           memcmp(a->parameters, b->parameters, sizeof a->parameters) == 0 && a->out == b->out &&
           a->before_count == b->before_count && (a->literal == NULL) == (b->literal == NULL) &&
           a->literal_count == b->literal_count &&
           (a->literal == NULL ||
            memcmp(a->literal, b->literal, a->literal_count * sizeof *a->literal) == 0);
}

/* parses a copy of the text that ends where its memory ends, so that a sanitizer sees more read */
static bool parse_exactly(const char *text, size_t length, struct topk_case *tc,
                          struct topk_case_error *error)
{
    char *copy = malloc(length + (length == 0));
    assert_non_null(copy);
    memcpy(copy, text, length);
    memset(error, 0x7f, sizeof *error);
    bool parsed = topk_case_parse(copy, length, tc, error);
    free(copy);
    return parsed;
}

static void random_cases_make_the_round_trip(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 20260101, 1);
    unsigned literals = 0;
    for (int i = 0; i < RANDOM_CASES; i++) {
        struct topk_case tc;
        struct topk_case parsed;
        struct topk_case copy;
        struct topk_case_error error;
        char text[RANDOM_TEXT];
        char again[RANDOM_TEXT];
        any_case(&pcg, &tc);
        literals += tc.literal != NULL;
        size_t length = topk_case_print(&tc, text, sizeof text);
        assert_true(length < sizeof text);
        assert_int_equal(strlen(text), length);
        for (size_t c = 0; c < length; c++) {
            assert_in_range((unsigned char)text[c], ' ', '~');
        }
        if (!parse_exactly(text, length, &parsed, &error)) {
            fail_msg("%s: column %zu: %s", text, error.column, error.message);
        }
        if (!same_case(&tc, &parsed)) {
            fail_msg("another case: %s", text);
        }
        assert_true(topk_case_copy(&copy, &parsed));
        topk_case_clear(&parsed);
        assert_true(same_case(&tc, &copy));
        assert_int_equal(topk_case_print(&copy, again, sizeof again), length);
        assert_string_equal(again, text);
        topk_case_clear(&copy);
        topk_case_clear(&tc);
    }
    assert_true(literals > RANDOM_CASES / 20);
}

/* ---- one form -------------------------------------------------------------------------------- */

static const char *const texts[] = {
    "top_k fl=2.0 in=f32[1,1,3,4] axis=3 k=2",
    "top_k1 fl=5.0 in=f32[1,1,3,4] axis=3 k=2 dir=dec data=few.1:3:7",
    "top_k1 fl=2.1 in=f16[1,1,3,4]{12,12,4,1}#40@32^16!1 axis=3 k=3 dir=inc val=f16{9,9,3,1} "
    "idx=u64[1,1,3,4]@16 exec=7 pad=random check=offset data=shuffle.1:10",
    "top_k fl=15.15 in=type14[] axis=0 k=0 val=none idx=none",
    "top_k1 fl=1.0 in=none axis=4294967295 k=4294967295 dir=4294967295 val=u4[0] idx=i4[0]{0}",
    "top_k fl=3.1 in=u8[3]#9 axis=0 k=1 check=repeat data=hex:00,7f,ff",
    "top_k fl=5.0 in=i64[2] axis=0 k=2 pad=lose data=hex:8000000000000000,7fffffffffffffff",
    "top_k fl=5.0 in=f64[2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2] axis=15 k=1 exec=1 pad=nan "
    "check=twin data=const.1:18446744073709551615",
    "top_k1 fl=4.1 in=i8[7]{2} axis=0 k=7 dir=2 val=i8^256 idx=u32!1 data=nan.1:2:0",
    "top_k fl=3.1 in=u8[3] axis=0 k=1 data=hex:00,7f,ff then top_k fl=3.1 in=none axis=0 k=9 then "
    "top_k1 fl=4.1 in=u8[5] axis=0 k=2 dir=inc check=soak data=out:2 then "
    "top_k fl=3.1 in=u8[3] axis=0 k=1 pad=nan",
};
#define TEXTS (sizeof texts / sizeof texts[0])

/* 1 if it was accepted: then it must be the one form of what was read; else 0 with good reason */
static unsigned check_one_form(const char *text, size_t length)
{
    static const struct topk_case nothing;
    struct topk_case tc;
    struct topk_case_error error;
    if (parse_exactly(text, length, &tc, &error)) {
        char printed[RANDOM_TEXT];
        assert_int_equal(topk_case_print(&tc, printed, sizeof printed), length);
        assert_memory_equal(printed, text, length);
        topk_case_clear(&tc);
        return 1;
    }
    if (error.column < 1 || error.column > length + 1) {
        fail_msg("%.*s: column %zu", (int)length, text, error.column);
    }
    size_t message = strlen(error.message);
    assert_in_range(message, 1, sizeof error.message - 1);
    for (size_t i = 0; i < message; i++) {
        if (error.message[i] < ' ' || error.message[i] > '~') {
            fail_msg("%.*s: a message with byte %02x", (int)length, text,
                     (unsigned)(unsigned char)error.message[i]);
        }
    }
    assert_memory_equal(&tc, &nothing, sizeof tc);
    return 0;
}

static void every_change_of_a_character_is_another_case_or_none(void **state)
{
    (void)state;
    unsigned long tried = 0;
    unsigned long accepted = 0;
    for (size_t t = 0; t < TEXTS; t++) {
        size_t length = strlen(texts[t]);
        char changed[RANDOM_TEXT];
        assert_int_equal(check_one_form(texts[t], length), 1);
        for (size_t at = 0; at <= length; at++) {
            memcpy(changed, texts[t], at); /* cut short */
            accepted += check_one_form(changed, at);
            for (unsigned c = 0; c < 256; c++) {
                changed[at] = (char)c;
                memcpy(changed + at + 1, texts[t] + at, length - at); /* inserted */
                accepted += check_one_form(changed, length + 1);
                if (at < length) { /* in the place of another */
                    memcpy(changed + at + 1, texts[t] + at + 1, length - at - 1);
                    accepted += check_one_form(changed, length);
                }
                tried += 2;
            }
            if (at < length) { /* left out */
                memcpy(changed + at, texts[t] + at + 1, length - at - 1);
                accepted += check_one_form(changed, length - 1);
            }
        }
    }
    print_message("%lu changed texts, %lu of them cases\n", tried, accepted);
    assert_true(accepted > 100 && accepted < tried / 10);
}

static void no_text_is_no_case(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t column;
        const char *message; /* a part of it */
    } rows[] = {
        /* the head */
        {"", 1, "expected 'top_k ' or 'top_k1 '"},
        {"top_k", 1, "expected 'top_k ' or 'top_k1 '"},
        {"TOP_K fl=2.0 in=f32[4] axis=0 k=1", 1, "expected 'top_k ' or 'top_k1 '"},
        {" top_k fl=2.0 in=f32[4] axis=0 k=1", 1, "expected 'top_k ' or 'top_k1 '"},
        {"top_k2 fl=2.0 in=f32[4] axis=0 k=1", 1, "expected 'top_k ' or 'top_k1 '"},
        {"top_k ", 7, "expected 'fl='"},
        {"top_k  fl=2.0 in=f32[4] axis=0 k=1", 7, "expected 'fl='"},
        {"top_k\tfl=2.0 in=f32[4] axis=0 k=1", 1, "expected 'top_k '"},
        /* the level */
        {"top_k fl=", 10, "expected a decimal number"},
        {"top_k fl=2 in=f32[4] axis=0 k=1", 11, "expected '.'"},
        {"top_k fl=2. in=f32[4] axis=0 k=1", 12, "expected a decimal number"},
        {"top_k fl=0.0 in=f32[4] axis=0 k=1", 10, "feature level outside 1.0 to 15.15"},
        {"top_k fl=16.0 in=f32[4] axis=0 k=1", 10, "feature level outside"},
        {"top_k fl=2.16 in=f32[4] axis=0 k=1", 10, "feature level outside"},
        {"top_k fl=02.0 in=f32[4] axis=0 k=1", 10, "leading zero"},
        {"top_k fl=2.00 in=f32[4] axis=0 k=1", 12, "leading zero"},
        {"top_k fl=4294967296.0 in=f32[4] axis=0 k=1", 10, "larger than 4294967295"},
        /* tensors */
        {"top_k fl=2.0 in= axis=0 k=1", 17, "expected an element type"},
        {"top_k fl=2.0 in=f33[4] axis=0 k=1", 17, "expected an element type"},
        {"top_k fl=2.0 in=F32[4] axis=0 k=1", 17, "expected an element type"},
        {"top_k fl=2.0 in=type9[4] axis=0 k=1", 17, "expected an element type"},
        {"top_k fl=2.0 in=type013[4] axis=0 k=1", 17, "expected an element type"},
        {"top_k fl=2.0 in=type4294967296[4] axis=0 k=1", 17, "expected an element type"},
        {"top_k fl=2.0 in=f32", 20, "expected '[' and the sizes"},
        {"top_k fl=2.0 in=f32 axis=0 k=1", 20, "expected '[' and the sizes"},
        {"top_k fl=2.0 in=f32[4", 22, "expected ',' or ']'"},
        {"top_k fl=2.0 in=f32[4,] axis=0 k=1", 23, "expected a decimal number"},
        {"top_k fl=2.0 in=f32[04] axis=0 k=1", 21, "leading zero"},
        {"top_k fl=2.0 in=f32[00] axis=0 k=1", 21, "leading zero"},
        {"top_k fl=2.0 in=f32[-4] axis=0 k=1", 21, "expected a decimal number"},
        {"top_k fl=2.0 in=f32[+4] axis=0 k=1", 21, "expected a decimal number"},
        {"top_k fl=2.0 in=f32[4294967296] axis=0 k=1", 21, "larger than 4294967295"},
        {"top_k fl=2.0 in=f32[99999999999999999999] axis=0 k=1", 21, "larger than 4294967295"},
        {"top_k fl=2.0 in=f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1] axis=0 k=1", 53,
         "more than 16 dimensions"},
        {"top_k fl=2.0 in=f32[4,4]{4} axis=0 k=1", 28, "1 strides for 2 sizes"},
        {"top_k fl=2.0 in=f32[4]{4,1} axis=0 k=1", 28, "2 strides for 1 sizes"},
        {"top_k fl=2.0 in=f32[4]{1 axis=0 k=1", 25, "expected ',' or '}'"},
        {"top_k fl=2.0 in=f32[4]# axis=0 k=1", 24, "expected a decimal number"},
        {"top_k fl=2.0 in=f32[4]#18446744073709551616 axis=0 k=1", 24,
         "larger than 18446744073709551615"},
        {"top_k fl=2.0 in=f32[4]@99999999999999999999 axis=0 k=1", 24, "larger than"},
        {"top_k fl=2.0 in=f32[4]^4294967296 axis=0 k=1", 24, "larger than 4294967295"},
        {"top_k fl=2.0 in=f32[4]!01 axis=0 k=1", 24, "leading zero"},
        {"top_k fl=2.0 in=f32[4]^16@16 axis=0 k=1", 26, "expected ' axis='"},
        {"top_k fl=2.0 in=none[4] axis=0 k=1", 21, "expected ' axis='"},
        {"top_k fl=2.0 in=f32[ 4] axis=0 k=1", 21, "expected a decimal number"},
        /* defaults written out */
        {"top_k fl=2.0 in=f32[4]#16 axis=0 k=1", 23, "a default value must be left out"},
        {"top_k fl=2.0 in=f32[4]@0 axis=0 k=1", 23, "a default value must be left out"},
        {"top_k fl=2.0 in=f32[4]^0 axis=0 k=1", 23, "a default value must be left out"},
        {"top_k fl=2.0 in=f32[4]!0 axis=0 k=1", 23, "a default value must be left out"},
        {"top_k1 fl=2.0 in=f32[4] axis=0 k=1 dir=1", 40, "written inc and dec"},
        {"top_k1 fl=2.0 in=f32[4] axis=0 k=1 dir=0", 40, "written inc and dec"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 val=f32", 34, "expected here ''"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 val=f32[1]@16", 42, "expected here '@16'"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 idx=u32", 34, "a default value must be left out"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 exec=0", 34, "a default value must be left out"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 pad=win", 34, "a default value must be left out"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 check=none", 34, "a default value must be left out"},
        /* axis, K, direction */
        {"top_k fl=2.0 in=f32[4] k=1 axis=0", 23, "expected ' axis='"},
        {"top_k fl=2.0 in=f32[4] axis=0", 30, "expected ' k='"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=", 33, "expected a decimal number"},
        {"top_k fl=2.0 in=f32[4] axis=x k=1", 29, "expected a decimal number"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 dir=dec", 34, "top_k has no dir=, which top_k1 has"},
        {"top_k1 fl=2.1 in=f32[4] axis=0 k=1", 35, "expected ' dir='"},
        {"top_k1 fl=2.1 in=f32[4] axis=0 k=1 dir=up", 40, "expected a decimal number"},
        {"top_k1 fl=2.1 in=f32[4] axis=0 k=1 dir=decr", 43,
         "expected the end, ' then ', or the next of the fields in axis k dir val"},
        /* order of the fields, strangers, the end */
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 ", 34, "expected the end"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1\n", 34, "expected the end"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 idx=u64 val=none", 42, "expected the end"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 pad=nan exec=1", 42, "expected the end"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 data=few.1:1:1 pad=nan", 49, "expected the end"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 exec=1 exec=1", 41, "expected the end"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 color=red", 34, "expected the end"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 exec=", 40, "expected a decimal number"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 pad=", 39, "unknown padding"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 pad=na", 39, "unknown padding"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 pad=nano", 39, "unknown padding"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 check=twins", 41, "unknown check"},
        /* data */
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 data=", 40, "expected RECIPE.VERSION or hex:"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 data=few", 40, "expected RECIPE.VERSION or hex:"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 data=few.", 44, "expected a decimal number"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 data=fewer.1:1:1", 40, "unknown recipe 'fewer.1'"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 data=fe.1:1:1", 40, "unknown recipe 'fe.1'"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 data=few.0:1:1", 40, "unknown recipe 'few.0'"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 data=few.9:1:1", 40, "unknown recipe 'few.9'"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 data=few.01:1:1", 44, "leading zero"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 data=few.1:1", 47, "few takes 2 numbers"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 data=few.1:1:1:1", 49, "expected the end"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 data=few.1:1:01", 48, "leading zero"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 data=few.1:1:18446744073709551616", 48, "larger than"},
        {"top_k fl=5.0 in=u8[2] axis=0 k=1 data=hex:", 43, "expected 2 hex digits an element"},
        {"top_k fl=5.0 in=u8[2] axis=0 k=1 data=hex:00", 45, "1 more of 2 elements"},
        {"top_k fl=5.0 in=u8[2] axis=0 k=1 data=hex:00,", 46, "expected 2 hex digits"},
        {"top_k fl=5.0 in=u8[2] axis=0 k=1 data=hex:0,00", 44, "expected 2 hex digits"},
        {"top_k fl=5.0 in=u8[2] axis=0 k=1 data=hex:000,00", 45, "1 more of 2 elements"},
        {"top_k fl=5.0 in=u8[2] axis=0 k=1 data=hex:00,00,00", 48, "expected the end"},
        {"top_k fl=5.0 in=u8[2] axis=0 k=1 data=hex:FF,00", 43, "expected 2 hex digits"},
        {"top_k fl=5.0 in=u8[2] axis=0 k=1 data=hex:0x,00", 44, "expected 2 hex digits"},
        {"top_k fl=5.0 in=u4[2] axis=0 k=1 data=hex:00", 43, "1 to 16384 elements"},
        {"top_k fl=5.0 in=u8[0] axis=0 k=1 data=hex:", 43, "1 to 16384 elements"},
        {"top_k fl=5.0 in=u8[16385] axis=0 k=1 data=hex:00", 47, "1 to 16384 elements"},
        {"top_k fl=5.0 in=none axis=0 k=1 data=hex:00", 42, "1 to 16384 elements"},
        {"top_k fl=5.0 in=u8[65536,65536,65536,65536] axis=0 k=1 data=hex:00", 65,
         "1 to 16384 elements"},
        /* several calls */
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 then ", 40, "expected 'top_k ' or 'top_k1 '"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 then", 34, "expected the end, ' then '"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 then top_k fl=2.0 in=f32[4] axis=0", 69,
         "expected ' k='"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 exec=0 then top_k fl=2.0 in=f32[4] axis=0 k=1", 35,
         "a default value must be left out"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 data=out:1", 44, "a value output N calls before"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 then top_k fl=2.0 in=f32[4] axis=0 k=1 data=out:0", 83,
         "a value output N calls before"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 then top_k fl=2.0 in=f32[4] axis=0 k=1 data=out:2", 83,
         "a value output N calls before"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 then top_k fl=2.0 in=f16[4] axis=0 k=1 data=out:1", 83,
         "of the input's type"},
        {"top_k fl=2.0 in=f32[4] axis=0 k=1 val=none then top_k fl=2.0 in=f32[4] axis=0 k=1 "
         "data=out:1",
         92, "a value output N calls before"},
        {"top_k fl=2.0 in=f32[16385] axis=0 k=16385 then top_k fl=2.0 in=f32[4] axis=0 k=1 "
         "data=out:1",
         91, "at most 16384 elements"},
        {"top_k fl=2.0 in=u8[1] axis=0 k=1 data=hex:00 then top_k fl=2.0 in=u8[16384] axis=0 k=1 "
         "data=hex:00",
         97, "of all calls counted together"},
    };
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topk_case tc;
        struct topk_case_error error;
        if (parse_exactly(rows[i].text, strlen(rows[i].text), &tc, &error)) {
            topk_case_clear(&tc);
            print_error("accepted: %s\n", rows[i].text);
            wrong++;
        } else if (error.column != rows[i].column ||
                   strstr(error.message, rows[i].message) == NULL) {
            print_error("%s\n  column %zu, not %zu: %s\n", rows[i].text, error.column,
                        rows[i].column, error.message);
            wrong++;
        }
        assert_int_equal(check_one_form(rows[i].text, strlen(rows[i].text)), 0);
    }
    assert_int_equal(wrong, 0);
}

static void bytes_that_are_no_text_are_no_case(void **state)
{
    (void)state;
    static const char nul_inside[] = "top_k fl=2.0 in=f32[4] axis=0 k=1\0";
    static const char nul_in_type[] = "top_k fl=2.0 in=f32\0[4] axis=0 k=1";
    struct topk_case tc;
    struct topk_case_error error;
    assert_false(parse_exactly(nul_inside, sizeof nul_inside - 1, &tc, &error));
    assert_int_equal(error.column, 34);
    assert_false(parse_exactly(nul_in_type, sizeof nul_in_type - 1, &tc, &error));
    assert_int_equal(error.column, 20);
    size_t huge = 1 << 22;
    char *text = malloc(huge);
    assert_non_null(text);
    memset(text, '9', huge);
    assert_int_equal(check_one_form(text, huge), 0);
    static const char head[] = "top_k fl=2.0 in=f32[4] axis=0 k=1 data=";
    memcpy(text, head, sizeof head - 1);
    memset(text + sizeof head - 1, 'a', huge - sizeof head + 1);
    assert_int_equal(check_one_form(text, huge), 0);
    memset(text + sizeof head - 1, ' ', huge - sizeof head + 1);
    assert_int_equal(check_one_form(text, huge), 0);
    free(text);
}

/* ---- printing, copying ----------------------------------------------------------------------- */

static void a_text_that_does_not_fit_is_not_begun(void **state)
{
    (void)state;
    for (size_t t = 0; t < TEXTS; t++) {
        struct topk_case tc;
        struct topk_case_error error;
        size_t length = strlen(texts[t]);
        assert_true(topk_case_parse(texts[t], length, &tc, &error));
        assert_int_equal(topk_case_print(&tc, NULL, 0), length);
        for (size_t size = 1; size <= length + 2; size++) {
            char *text = malloc(size); /* a byte more is the sanitizer's */
            assert_non_null(text);
            memset(text, 0x55, size);
            assert_int_equal(topk_case_print(&tc, text, size), length);
            assert_string_equal(text, size > length ? texts[t] : "");
            free(text);
        }
        topk_case_clear(&tc);
    }
}

static void the_longest_literal_fits(void **state)
{
    (void)state;
    struct topk_case tc = {.op = {.kind = TOPK_TOP_K1, .level = TOPK_LEVEL_5_0, .k = 1}};
    struct topk_tensor *input = &tc.op.tensors[TOPK_INPUT];
    *input = (struct topk_tensor){
        .present = true, .type = TOPK_TYPE_U64, .rank = TOPK_RANK_MAX, .flags = UINT32_MAX};
    for (uint32_t d = 0; d < TOPK_RANK_MAX; d++) {
        input->sizes[d] = d < 14 ? 2 : 1;
        input->strides[d] = UINT32_MAX;
    }
    input->strided = true;
    input->alignment = UINT32_MAX;
    input->total_bytes = UINT64_MAX;
    tc.op.direction = UINT32_MAX;
    tc.op.execution = 7;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        tc.op.tensors[role] = *input;
        tc.offset[role] = UINT64_MAX;
    }
    for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
        for (uint32_t d = 0; d < TOPK_RANK_MAX; d++) {
            tc.op.tensors[role].sizes[d] = UINT32_MAX;
        }
    }
    tc.literal_count = TOPK_LITERAL_MAX;
    tc.literal = malloc(TOPK_LITERAL_MAX * sizeof *tc.literal);
    char *text = malloc(TOPK_CASE_TEXT);
    assert_true(tc.literal != NULL && text != NULL);
    for (uint32_t i = 0; i < TOPK_LITERAL_MAX; i++) {
        tc.literal[i] = UINT64_MAX - i;
    }
    size_t length = topk_case_print(&tc, text, TOPK_CASE_TEXT);
    assert_true(length < TOPK_CASE_TEXT);
    struct topk_case parsed;
    struct topk_case_error error;
    assert_true(parse_exactly(text, length, &parsed, &error));
    assert_true(same_case(&tc, &parsed));
    topk_case_clear(&parsed);
    topk_case_clear(&tc);
    free(text);
}

static void a_copy_is_its_own(void **state)
{
    (void)state;
    static const struct topk_case nothing;
    struct topk_case tc;
    struct topk_case copy;
    struct topk_case_error error;
    assert_true(topk_case_parse(texts[5], strlen(texts[5]), &tc, &error));
    assert_true(topk_case_copy(&copy, &tc));
    assert_true(same_case(&tc, &copy));
    assert_ptr_not_equal(tc.literal, copy.literal);
    tc.literal[0] = 1;
    assert_int_equal(copy.literal[0], 0);
    topk_case_clear(&tc);
    assert_memory_equal(&tc, &nothing, sizeof tc);
    topk_case_clear(&tc);
    assert_int_equal(copy.literal[2], 0xff);
    topk_case_clear(&copy);
}

/* ---- data ------------------------------------------------------------------------------------ */

#define MARK 0xa5

/* the offset of an element, from its number in row-major order, in bytes */
static uint64_t place_of(const struct topk_tensor *tensor, uint64_t number, uint32_t bytes)
{
    uint64_t place = 0;
    uint64_t packed = 1;
    for (uint32_t d = tensor->rank; d-- > 0;) {
        uint64_t at = number % tensor->sizes[d];
        number /= tensor->sizes[d];
        place += at * (tensor->strided ? tensor->strides[d] : packed);
        packed *= tensor->sizes[d];
    }
    return place * bytes;
}

/* fills a tensor of exactly its least size; the bytes between elements keep their mark */
static void check_fill(const struct topk_case *tc)
{
    const struct topk_tensor *input = &tc->op.tensors[TOPK_INPUT];
    uint32_t bytes = topk_type_bytes(input->type);
    size_t size = (size_t)topk_tensor_least_bytes(input);
    unsigned char *tensor = malloc(size);
    unsigned char *expected = malloc(size);
    unsigned char *logical = calloc(size, 1);
    assert_non_null(tensor);
    assert_non_null(expected);
    assert_non_null(logical);
    if (logical ==
        NULL) { /* for analysers, which do not know that the line above does not return */
        free(tensor);
        free(expected);
        return;
    }
    memset(tensor, MARK, size);
    memset(expected, MARK, size);
    uint64_t elements = topk_tensor_elements(input);
    for (uint64_t i = 0; i < elements; i++) {
        uint64_t place = place_of(input, i, bytes);
        memset(logical + place, 1, bytes);
        for (uint32_t b = 0; b < bytes && tc->literal != NULL; b++) {
            expected[place + b] = (unsigned char)(tc->literal[i] >> (8 * b));
        }
        topk_elements_turn(expected + place, bytes, bytes);
    }
    assert_true(topk_case_fill(tc, tensor));
    for (size_t i = 0; i < size; i++) {
        if (logical[i] && tc->literal != NULL) {
            assert_int_equal(tensor[i], expected[i]);
        } else if (!logical[i]) {
            assert_int_equal(tensor[i], MARK);
        } else if (tc->recipe == NULL) {
            assert_int_equal(tensor[i], 0);
        }
    }
    free(tensor);
    free(expected);
    free(logical);
}

static void data_lands_on_the_logical_elements(void **state)
{
    (void)state;
    static const uint32_t shapes[][4] = {{6, 1, 1, 1}, {3, 4, 1, 1}, {2, 1, 5, 1}, {3, 2, 1, 4}};
    for (int layout = 0; layout < TOPK_LAYOUT_COUNT; layout++) {
        for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
            for (uint32_t rank = 1; rank <= 4; rank++) {
                struct topk_case tc = {.op = {.level = TOPK_LEVEL_5_0, .k = 1}};
                struct topk_tensor *input = &tc.op.tensors[TOPK_INPUT];
                *input = (struct topk_tensor){.present = true, .type = topk_types[t], .rank = rank};
                memcpy(input->sizes, shapes[rank - 1], rank * sizeof input->sizes[0]);
                topk_layout_apply((enum topk_layout)layout, input);
                topk_operator_derive_outputs(&tc.op, TOPK_TYPE_U32);
                uint64_t literal[64];
                tc.literal_count = (uint32_t)topk_tensor_elements(input);
                for (uint32_t i = 0; i < tc.literal_count; i++) {
                    literal[i] = UINT64_C(0x0102030405060708) * (i + 1);
                }
                tc.literal = literal;
                check_fill(&tc);
                tc.literal = NULL;
                tc.literal_count = 0;
                for (tc.op.axis = 0; tc.op.axis < rank; tc.op.axis++) {
                    check_fill(&tc);
                    tc.recipe = topk_recipe_find("uniform", 7, 1);
                    check_fill(&tc);
                    tc.recipe = NULL;
                }
            }
        }
    }
}

/* sequences are told apart, and elements of one stand along the axis */
static void recipes_fill_along_the_axis(void **state)
{
    (void)state;
    for (uint32_t axis = 0; axis < 3; axis++) {
        static const char *const layouts[] = {"", "{1,7,30}#400"};
        for (int layout = 0; layout < 2; layout++) {
            char text[200];
            struct topk_case tc;
            struct topk_case_error error;
            unsigned char tensor[400] = {0};
            size_t length = (size_t)snprintf(text, sizeof text,
                                             "top_k fl=5.0 in=u16[3,4,5]%s axis=%u k=1 "
                                             "data=walk.1:1",
                                             layouts[layout], (unsigned)axis);
            assert_true(topk_case_parse(text, length, &tc, &error));
            assert_true(topk_case_fill(&tc, tensor));
            const struct topk_tensor *input = &tc.op.tensors[TOPK_INPUT];
            for (uint32_t i = 0; i < 60; i++) {
                uint32_t at[] = {i / 20, i / 5 % 4, i % 5};
                /* the number of the sequence: row-major without the axis */
                uint32_t sequence = axis == 0   ? at[1] * 5 + at[2]
                                    : axis == 1 ? at[0] * 5 + at[2]
                                                : at[0] * 4 + at[1];
                bool best = at[axis] == (1 + sequence) % input->sizes[axis];
                assert_int_equal(topk_element_load(tensor + place_of(input, i, 2), 2), best);
            }
            topk_case_clear(&tc);
        }
    }
}

static void padding_is_in_the_grid_of_elements(void **state)
{
    (void)state;
    static const struct {
        uint32_t type;
        uint64_t least;
        uint64_t greatest;
        uint64_t nan;
    } rows[] = {{TOPK_TYPE_F32, 0xff800000, 0x7f800000, 0x7fc00000},
                {TOPK_TYPE_F16, 0xfc00, 0x7c00, 0x7e00},
                {TOPK_TYPE_I64, UINT64_C(1) << 63, INT64_MAX, UINT64_MAX},
                {TOPK_TYPE_I32, 0x80000000, 0x7fffffff, 0xffffffff},
                {TOPK_TYPE_I16, 0x8000, 0x7fff, 0xffff},
                {TOPK_TYPE_I8, 0x80, 0x7f, 0xff},
                {TOPK_TYPE_U64, 0, UINT64_MAX, UINT64_MAX},
                {TOPK_TYPE_U32, 0, 0xffffffff, 0xffffffff},
                {TOPK_TYPE_U16, 0, 0xffff, 0xffff},
                {TOPK_TYPE_U8, 0, 0xff, 0xff}};
    static const uint64_t offsets[] = {0, 1, 2, 3, 7, 16, 17, 256};
    static const uint64_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 300};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        uint32_t bytes = topk_type_bytes(rows[r].type);
        for (unsigned n = 0; n < 4 * 8 * 12 * 4; n++) {
            struct topk_case tc = {.padding = (enum topk_padding)(n % 4)};
            uint64_t offset = offsets[n / 4 % 8];
            uint64_t size = sizes[n / 32 % 12];
            tc.op.kind = n / 384 % 2 ? TOPK_TOP_K : TOPK_TOP_K1;
            tc.op.direction = n / 768 % 2 ? TOPK_INCREASING : TOPK_DECREASING;
            tc.op.tensors[TOPK_INPUT].type = rows[r].type;
            bool increasing = n / 384 % 2 == 0 && n / 768 % 2;
            bool win = tc.padding == TOPK_PADDING_WIN;
            uint64_t bits = tc.padding == TOPK_PADDING_NAN    ? rows[r].nan
                            : tc.padding == TOPK_PADDING_ZERO ? 0
                            : win != increasing               ? rows[r].greatest
                                                              : rows[r].least;
            unsigned char *data = malloc(size + (size == 0));
            assert_non_null(data);
            topk_case_fill_padding(&tc, data, size, offset);
            if (offset % bytes < size) {
                topk_elements_turn(data + offset % bytes, bytes, size - offset % bytes);
            }
            for (uint64_t i = 0; i < size; i++) {
                uint64_t byte = (i + UINT64_C(2048) - offset) % bytes;
                assert_int_equal(data[i], bits >> (8 * byte) & 0xff);
            }
            free(data);
        }
    }
}

/* Around a packed tensor the padding is as if it were inside as well; around one with gaps it is
 * inside, also if the gaps are as large as what overlaps. */
static void padding_leaves_out_elements(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "top_k fl=5.0 in=u16[5] axis=0 k=1 pad=nan", "top_k fl=5.0 in=f32[7] axis=0 k=1 pad=lose",
        "top_k fl=5.0 in=i64[3] axis=0 k=1", "top_k fl=5.0 in=f32[2,2]{0,2}#16 axis=1 k=1 pad=nan",
        "top_k fl=5.0 in=f32[3]{2} axis=0 k=1 pad=lose"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct topk_case tc;
        struct topk_case_error error;
        unsigned char data[200];
        unsigned char all[200];
        if (!topk_case_parse(lines[i], strlen(lines[i]), &tc, &error)) {
            fail_msg("%s: %s", lines[i], error.message);
        }
        const struct topk_tensor *input = &tc.op.tensors[TOPK_INPUT];
        const uint64_t offset = 41;
        const bool full =
            !input->strided &&
            topk_tensor_elements(input) * topk_type_bytes(input->type) == input->total_bytes;
        memset(data, MARK, sizeof data);
        topk_case_fill_padding(&tc, data, sizeof data, offset);
        struct topk_case gap = tc; /* with a gap behind the elements */
        gap.op.tensors[TOPK_INPUT].total_bytes += 1;
        topk_case_fill_padding(&gap, all, sizeof all, offset);
        for (uint64_t b = 0; b < sizeof data; b++) {
            const bool inside = b >= offset && b < offset + input->total_bytes;
            const bool element = inside && full && topk_machine_little_endian();
            assert_int_equal(data[b], element ? MARK : all[b]);
        }
        topk_case_clear(&tc);
    }
}

static void random_padding_stays_the_same(void **state)
{
    (void)state;
    struct topk_case tc = {.padding = TOPK_PADDING_RANDOM};
    tc.op.tensors[TOPK_INPUT].type = TOPK_TYPE_F32;
    unsigned char once[300];
    unsigned char again[300];
    memset(again, MARK, sizeof again);
    topk_case_fill_padding(&tc, once, sizeof once, 16);
    topk_case_fill_padding(&tc, again, sizeof again, 16);
    topk_elements_turn(once, 4, sizeof once);
    topk_elements_turn(again, 4, sizeof again);
    assert_memory_equal(once, again, sizeof once);
    /* never to be changed: a case text always means the same bytes */
    static const unsigned char first[] = {0xc9, 0x15, 0xc0, 0xa5, 0xaf, 0x6c, 0x30, 0x9c,
                                          0xd1, 0x90, 0xd2, 0xaa, 0xe1, 0xbd, 0x87, 0x26};
    assert_memory_equal(once, first, sizeof first);
    unsigned seen = 0;
    bool known[256] = {false};
    for (size_t i = 0; i < sizeof once; i++) {
        seen += !known[once[i]];
        known[once[i]] = true;
    }
    assert_true(seen > 100);
}

/* ---- sorting --------------------------------------------------------------------------------- */

/* each element has its number as bits, so that its place among equal ones shows */
static void the_first_elements_are_sorted_alone(void **state)
{
    (void)state;
    enum {
        LONGEST = 150
    };
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 3, 1);
    for (unsigned n = 0; n < 2000; n++) {
        struct topk_keyed elements[2 * LONGEST];
        uint64_t keys[LONGEST];
        const uint32_t length = 1 + topk_pcg_below(&pcg, LONGEST);
        const uint32_t count = 1 + topk_pcg_below(&pcg, length + 1); /* also one too many */
        const uint32_t different = chance(&pcg, 50) ? 1 + topk_pcg_below(&pcg, length) : UINT32_MAX;
        for (uint32_t i = 0; i < length; i++) {
            keys[i] = UINT64_C(0xff00000001) * topk_pcg_below(&pcg, different);
            elements[i] = (struct topk_keyed){keys[i], i};
        }
        const struct topk_keyed *sorted =
            topk_sort_first(elements, elements + length, length, count);
        for (uint32_t i = 0; i < length; i++) {
            uint32_t before = 0;
            for (uint32_t j = 0; j < length; j++) {
                before += keys[j] < keys[i] || (keys[j] == keys[i] && j < i);
            }
            if (before < count) {
                assert_int_equal(sorted[before].bits, i);
                assert_int_equal(sorted[before].key, keys[i]);
            }
        }
    }
}

/* ---- selection ------------------------------------------------------------------------------- */

static void ids_are_selected_by_prefix_or_glob(void **state)
{
    (void)state;
    static const char id[] = "ties.few:top_k fl=5.0 in=f32[1,4]{4,1} axis=1 k=2";
    static const struct {
        const char *pattern;
        bool selected;
    } rows[] = {
        {"", true},
        {"t", true},
        {"ties", true},
        {"ties.few:top_k fl=5.0", true},
        {"ties.few:top_k fl=5.0 in=f32[1,4]{4,1} axis=1 k=2", true},
        {"ties.few:top_k fl=5.0 in=f32[1,4]{4,1} axis=1 k=2 ", false},
        {"ies", false},
        {"Ties", false},
        {"ties.b", false},
        {"*", true},
        {"**", true},
        {"*few*", true},
        {"*few", false}, /* a glob matches the whole */
        {"few*", false},
        {"ties.few:*", true},
        {"*k=2", true},
        {"*k=3", false},
        {"ties.few:top_? *", true},
        {"ties.few:top_??*", true},
        {"ties.few?*", true},
        {"ties.f?w:*", true},
        {"ties.few?", false},
        {"*[1,4]{4,1}*", true}, /* brackets stand for themselves */
        {"*[14]*", false},
        {"*f32[1,4]*axis=1*", true},
        {"*axis=1*f32*", false},
        {"*=*=*=*=*", true},
        {"*=*=*=*=*=*", false},
        {"*k*k=2", true},
        {"*a*a*a*a*", false},
        {"ties.few:top_k fl=5.0 in=f32[1,4]{4,1} axis=1 k=2*", true},
        {"ties.few:top_k fl=5.0 in=f32[1,4]{4,1} axis=1 k=2?", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (topk_id_selected(id, rows[i].pattern) != rows[i].selected) {
            fail_msg("pattern '%s'", rows[i].pattern);
        }
    }
    assert_true(topk_id_selected("", ""));
    assert_true(topk_id_selected("", "*"));
    assert_false(topk_id_selected("", "?"));
    assert_false(topk_id_selected("", "t"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_cases_make_the_round_trip),
        cmocka_unit_test(every_change_of_a_character_is_another_case_or_none),
        cmocka_unit_test(no_text_is_no_case),
        cmocka_unit_test(bytes_that_are_no_text_are_no_case),
        cmocka_unit_test(a_text_that_does_not_fit_is_not_begun),
        cmocka_unit_test(the_longest_literal_fits),
        cmocka_unit_test(a_copy_is_its_own),
        cmocka_unit_test(data_lands_on_the_logical_elements),
        cmocka_unit_test(recipes_fill_along_the_axis),
        cmocka_unit_test(padding_is_in_the_grid_of_elements),
        cmocka_unit_test(padding_leaves_out_elements),
        cmocka_unit_test(random_padding_stays_the_same),
        cmocka_unit_test(the_first_elements_are_sorted_alone),
        cmocka_unit_test(ids_are_selected_by_prefix_or_glob),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
