/* Cases exported to files of other tools and imported again: values survive any layout, and the
 * judge accepts the outputs. Also what import reports about wrong outputs. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "convert/answer.h"
#include "convert/import_case.h"
#include "exchange/npy.h"
#include "exchange/onnx_tensor.h"
#include "generate/build.h"
#include "generate/generate.h"

#define CASES 1500u

static char text[TOPK_CASE_TEXT];
static unsigned met[TOPK_OTHER_COUNT];
static unsigned strided;
static unsigned types[16];

/* Writes a tensor as a .npy file and reads it again. */
static void through_npy(const struct topk_packed *from, struct topk_packed *to)
{
    const size_t data = (size_t)topk_packed_bytes(from);
    unsigned char *bytes = malloc(TOPK_NPY_HEAD + data);
    struct topk_refusal refusal;
    assert_non_null(bytes);
    const size_t head = topk_npy_head(from, bytes);
    memcpy(bytes + head, from->data, data);
    assert_true(topk_npy_read(bytes, head + data, to, &refusal));
    free(bytes);
}

static void through_onnx(const struct topk_packed *from, struct topk_packed *to)
{
    const size_t data = (size_t)topk_packed_bytes(from);
    struct topk_message head;
    struct topk_refusal refusal;
    const uint8_t *name;
    size_t name_size;
    topk_onnx_tensor_head(from, "T", &head);
    unsigned char *bytes = malloc(head.used + data);
    assert_non_null(bytes);
    memcpy(bytes, head.bytes, head.used);
    memcpy(bytes + head.used, from->data, data);
    assert_true(topk_onnx_tensor_read(topk_fields_of(bytes, head.used + data), to, &name,
                                      &name_size, &refusal));
    assert_int_equal(name_size, 1);
    free(bytes);
}

/* Returns the element at coordinates in the layout of the case. */
static uint64_t element(const struct topk_tensor *tensor, const unsigned char *bytes,
                        const uint32_t at[])
{
    const uint32_t width = topk_type_bytes(tensor->type);
    return topk_element_load(bytes + topk_tensor_offset(tensor, at) * width, width);
}

static void check_same(const struct topk_tensor *tensor, const unsigned char *bytes,
                       const struct topk_packed *packed)
{
    uint32_t at[TOPK_RANK_MAX] = {0};
    assert_int_equal(packed->rank, tensor->rank);
    assert_int_equal(packed->elements, topk_tensor_elements(tensor));
    for (uint64_t i = 0; i < packed->elements; i++) {
        assert_true(topk_packed_get(packed, i) == element(tensor, bytes, at));
        for (uint32_t d = tensor->rank; d-- > 0 && ++at[d] == tensor->sizes[d];) {
            at[d] = 0;
        }
    }
}

/* The imported case has the same values, and its outputs are right. */
static void check_import(const struct topk_operator *op, const struct cli_imported *imported)
{
    struct topk_case tc;
    struct topk_case again;
    struct topk_case_error error;
    struct topk_result result;
    char reason[256];
    if (!cli_imported_case(imported, &tc, reason)) {
        fail_msg("%s: %s", text, reason);
    }
    assert_int_equal(tc.op.axis, op->axis);
    assert_int_equal(tc.op.k, op->k);
    assert_int_equal(topk_operator_increasing(&tc.op), topk_operator_increasing(op));
    for (uint32_t i = 0; i < tc.literal_count; i++) {
        assert_true(tc.literal[i] == topk_packed_get(&imported->tensors[TOPK_INPUT], i));
    }
    char *printed = malloc(TOPK_CASE_TEXT);
    assert_non_null(printed);
    const size_t length = topk_case_print(&tc, printed, TOPK_CASE_TEXT);
    if (!topk_case_parse(printed, length, &again, &error)) {
        fail_msg("%s: %s", printed, error.message);
    }
    topk_case_clear(&again);
    free(printed);
    if (!cli_imported_judge(imported, &tc, &result, reason)) {
        fail_msg("%s: %s", text, reason);
    }
    if (result.verdict != TOPK_VERDICT_PASS) {
        fail_msg("%s: the oracle's outputs break %s", text, topk_clause_id(result.clause));
    }
    topk_case_clear(&tc);
}

static void check_case(const struct topk_case *tc)
{
    const struct topk_operator *op = &tc->op;
    struct topk_answer answer;
    assert_true(topk_answer_make(tc, &answer));
    for (int other = 0; other < TOPK_OTHER_COUNT; other++) {
        met[other] += answer.others[other];
    }
    for (unsigned onnx = 0; onnx < 2; onnx++) {
        struct cli_imported imported = {
            .axis = (int64_t)op->axis - (onnx == 1 ? op->tensors[TOPK_INPUT].rank : 0),
            .k = op->k,
            .direction = topk_operator_increasing(op) ? TOPK_INCREASING : TOPK_DECREASING,
        };
        for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
            const struct topk_tensor *tensor = &op->tensors[role];
            struct topk_packed packed;
            strided += tensor->strided;
            assert_true(topk_answer_pack(
                tensor, answer.tensors[role],
                role == TOPK_INDEX && onnx == 1 ? TOPK_TYPE_I64 : tensor->type, &packed));
            (onnx == 1 ? through_onnx : through_npy)(&packed, &imported.tensors[role]);
            topk_packed_clear(&packed);
            check_same(tensor, answer.tensors[role], &imported.tensors[role]);
        }
        check_import(op, &imported);
        cli_imported_clear(&imported);
    }
    types[op->tensors[TOPK_INPUT].type]++;
    topk_answer_free(&answer);
}

static void drawn_cases_come_back(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < CASES; i++) {
        struct topk_choice choice;
        struct topk_case tc;
        struct topk_validity validity;
        topk_choice_seed(&choice, 11, i);
        assert_true(topk_generate_valid(&choice, &topk_limits_usual, &tc));
        topk_case_print(&tc, text, sizeof text);
        topk_operator_validate(&tc.op, tc.op.level, &validity);
        if (topk_tensor_elements(&tc.op.tensors[TOPK_INPUT]) <= TOPK_LITERAL_MAX &&
            !topk_case_too_large(&tc) &&
            !topk_clause_set_has(&validity.latitude, TOPK_CLAUSE_T14)) {
            check_case(&tc);
        }
        topk_case_clear(&tc);
    }
    /* the drawn cases cover every reason, layout and type */
    for (int other = 0; other < TOPK_OTHER_COUNT; other++) {
        assert_true(met[other] > 0);
    }
    assert_true(strided > CASES / 4);
    for (unsigned t = 0; t < TOPK_TYPE_COUNT; t++) {
        assert_true(types[topk_types[t]] > 10);
    }
}

/* ---- wrong outputs --------------------------------------------------------------------------- */

/* f32[4] = 1 2 2 0, K = 2; the right outputs are values 2 2, indices 1 2 */
static struct cli_imported imported;

static void make_tensor(enum topk_role role, uint32_t type, int64_t size, const uint64_t *bits)
{
    struct topk_refusal refusal;
    struct topk_packed *packed = &imported.tensors[role];
    topk_packed_clear(packed);
    assert_true(topk_packed_shape(packed, type, &size, 1, 0, &refusal));
    assert_true(topk_packed_allocate(packed, 0, &refusal));
    for (uint64_t i = 0; i < packed->elements; i++) {
        topk_packed_set(packed, i, bits[i]);
    }
}

static int setup(void **state)
{
    (void)state;
    static const uint64_t input[] = {0x3f800000, 0x40000000, 0x40000000, 0};
    static const uint64_t index[] = {1, 2};
    imported.axis = 0;
    imported.k = 2;
    imported.direction = TOPK_DECREASING;
    make_tensor(TOPK_INPUT, TOPK_TYPE_F32, 4, input);
    make_tensor(TOPK_VALUE, TOPK_TYPE_F32, 2, input + 1);
    make_tensor(TOPK_INDEX, TOPK_TYPE_I64, 2, index);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    cli_imported_clear(&imported);
    return 0;
}

static void judge(enum topk_clause clause)
{
    struct topk_case tc;
    struct topk_result result;
    char reason[256];
    assert_true(cli_imported_case(&imported, &tc, reason));
    assert_true(cli_imported_judge(&imported, &tc, &result, reason));
    assert_string_equal(topk_clause_id(result.clause), topk_clause_id(clause));
    assert_int_equal(result.verdict,
                     clause == TOPK_CLAUSE_NONE ? TOPK_VERDICT_PASS : TOPK_VERDICT_FAIL);
    assert_int_equal(result.window_count, clause == TOPK_CLAUSE_NONE ? 0 : 2);
    topk_case_clear(&tc);
}

static void wrong_outputs_are_told(void **state)
{
    (void)state;
    static const uint64_t descending[] = {2, 1};
    static const uint64_t negative[] = {1, UINT64_MAX - 1};
    static const uint64_t beyond[] = {1, 0x100000002};
    static const uint64_t small[] = {1, 0xfe};
    static const uint64_t right[] = {1, 2};
    static const uint64_t other[] = {0x40000000, 0x3f800000};
    judge(TOPK_CLAUSE_NONE);
    make_tensor(TOPK_INDEX, TOPK_TYPE_I64, 2, descending);
    judge(TOPK_CLAUSE_S08);
    make_tensor(TOPK_INDEX, TOPK_TYPE_I64, 2, negative);
    judge(TOPK_CLAUSE_S07);
    make_tensor(TOPK_INDEX, TOPK_TYPE_I64, 2, beyond);
    judge(TOPK_CLAUSE_S07);
    make_tensor(TOPK_INDEX, TOPK_TYPE_U64, 2, beyond);
    judge(TOPK_CLAUSE_M05);
    make_tensor(TOPK_INDEX, TOPK_TYPE_I8, 2, small);
    judge(TOPK_CLAUSE_S07);
    make_tensor(TOPK_INDEX, TOPK_TYPE_U8, 2, right);
    judge(TOPK_CLAUSE_NONE);
    make_tensor(TOPK_VALUE, TOPK_TYPE_F32, 2, other);
    judge(TOPK_CLAUSE_S05);
}

static void no_judgement(const char *expected)
{
    struct topk_case tc;
    struct topk_result result;
    char reason[256];
    assert_true(cli_imported_case(&imported, &tc, reason));
    assert_false(cli_imported_judge(&imported, &tc, &result, reason));
    if (strstr(reason, expected) == NULL) {
        fail_msg("'%s' instead of '%s'", reason, expected);
    }
    topk_case_clear(&tc);
}

static void other_outputs_are_refused(void **state)
{
    (void)state;
    static const uint64_t three[] = {1, 2, 3};
    make_tensor(TOPK_INDEX, TOPK_TYPE_I64, 3, three);
    no_judgement("the index output has sizes [3]; the input's, with K on the axis, are [2]");
    make_tensor(TOPK_INDEX, TOPK_TYPE_F32, 2, three);
    no_judgement("floating-point");
    make_tensor(TOPK_INDEX, TOPK_TYPE_I64, 2, three);
    make_tensor(TOPK_VALUE, TOPK_TYPE_I32, 2, three);
    no_judgement("another type than the input");
    make_tensor(TOPK_VALUE, TOPK_TYPE_F32, 1, three);
    no_judgement("the value output has sizes [1]; the input's, with K on the axis, are [2]");
}

static void no_case(const char *expected)
{
    struct topk_case tc;
    char reason[256];
    assert_false(cli_imported_case(&imported, &tc, reason));
    if (strstr(reason, expected) == NULL) {
        fail_msg("'%s' instead of '%s'", reason, expected);
    }
}

static void what_is_no_case_is_refused(void **state)
{
    (void)state;
    static uint64_t many[TOPK_LITERAL_MAX + 1];
    struct topk_case tc;
    char reason[256];
    imported.k = 5;
    no_case("K is 5, and the axis is 4 long");
    imported.k = 0;
    no_case("K is 0");
    imported.k = -1;
    no_case("K is -1");
    imported.k = 4;
    imported.axis = 1;
    no_case("the axis is 1, and the input has 1 dimensions");
    imported.axis = -2;
    no_case("the axis is -2");
    imported.axis = -1;
    make_tensor(TOPK_INPUT, TOPK_TYPE_U8, TOPK_LITERAL_MAX + 1, many);
    no_case("has 16385 elements; the text of a case holds 16384");
    make_tensor(TOPK_INPUT, TOPK_TYPE_U8, TOPK_LITERAL_MAX, many);
    assert_true(cli_imported_case(&imported, &tc, reason));
    topk_case_clear(&tc);
    imported.tensors[TOPK_INPUT].rank = 0;
    no_case("no dimensions");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawn_cases_come_back),
        cmocka_unit_test_setup_teardown(wrong_outputs_are_told, setup, teardown),
        cmocka_unit_test_setup_teardown(other_outputs_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_no_case_is_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
