/* What the reference reports if memory is short: that it is short, or a correct result. Each
 * allocation of a step fails once alone, and once with all later ones. */
#include "reference/diagnosis.h"
#include "reference/outputs.h"
#include "support.h"

#include "scarce.h"

static const struct call *row; /* the call of the step */

/* Takes a step on a call, as scarce_try(). */
static uint32_t try_on(bool (*step)(uint32_t number, bool and_all_that_follow),
                       const struct call *call)
{
    row = call;
    return scarce_try(step);
}

/* ---- steps ------------------------------------------------------------------------------------
 */

#define LENGTH 1000u
#define K      10u

/* a row of FLOAT32 with descending values, a NaN at its end if `nan`, and correct outputs; or with
 * equal values if `tied` */
static struct call make_row(uint32_t length, bool nan)
{
    const struct topk_operator op =
        row_operator(TOPK_TOP_K, TOPK_TYPE_F32, false, length, K, TOPK_TYPE_U32);
    struct call call;
    call_make(&call, &op);
    for (uint32_t i = 0; i < length; i++) {
        const bool last = i + 1 == length;
        call_set(&call, TOPK_INPUT, &i,
                 nan && last ? 0x7fc00000u : bits_of(TOPK_TYPE_F32, 2000 - (int)i));
    }
    assert_int_not_equal(call_run_oracle(&call), TOPK_ORACLE_NO_MEMORY);
    return call;
}

/* makes the last output wrong: it is not the best of the remaining elements */
static void spoil(struct call *call)
{
    const uint32_t last = K - 1;
    const uint32_t other = K + 1;
    call_set(call, TOPK_VALUE, &last, bits_of(TOPK_TYPE_F32, 2000 - (int)other));
    call_set(call, TOPK_INDEX, &last, other);
}

static bool run_oracle(uint32_t number, bool and_all_that_follow)
{
    static unsigned char value[2][K * 4];
    static unsigned char index[2][K * 4];
    const bool undisturbed = number == 0;
    scarce_start(number, and_all_that_follow);
    const enum topk_oracle_status status = topk_oracle_run(
        &row->op, row->before[TOPK_INPUT] + CALL_MARGIN, value[!undisturbed], index[!undisturbed]);
    scarce_end();
    if (status == TOPK_ORACLE_NO_MEMORY) {
        return false;
    }
    assert_int_equal(status, TOPK_ORACLE_UNIQUE);
    assert_true(undisturbed || memcmp(value[0], value[1], sizeof value[0]) == 0);
    assert_true(undisturbed || memcmp(index[0], index[1], sizeof index[0]) == 0);
    return true;
}

static void the_oracle_says_that_memory_is_short(void **state)
{
    (void)state;
    struct call call = make_row(K + 2, false);
    /* two allocations of its own, one for the sequence; each alone, and with all later ones */
    assert_int_equal(try_on(run_oracle, &call), 6);
    call_free(&call);
}

/* judges a result that is not correct */
static bool judge_wrong(uint32_t number, bool and_all_that_follow)
{
    struct topk_judgement judgement;
    scarce_start(number, and_all_that_follow);
    topk_judge_result(&row->op, row->exhibits, &judgement);
    scarce_end();
    assert_false(judgement.contradiction);
    if (judgement.no_memory) {
        assert_int_equal(judgement.count, 0);
        assert_false(judgement.has_sequence);
        return false;
    }
    assert_int_equal(judgement.count, 1);
    assert_int_equal(judgement.findings[0].mismatch, TOPK_MISMATCH_LEFT_OUT);
    return true;
}

static void the_judge_says_that_memory_is_short(void **state)
{
    (void)state;
    struct call call = make_row(K + 2, false);
    spoil(&call);
    assert_int_equal(try_on(judge_wrong, &call), 2);
    call_free(&call);
}

/* judges a row with NaN, whose indices must be distinct; processed in parts if memory is short */
static bool judge_nan(uint32_t number, bool and_all_that_follow)
{
    struct topk_judgement judgement;
    scarce_start(number, and_all_that_follow);
    topk_judge_result(&row->op, row->exhibits, &judgement);
    scarce_end();
    assert_int_equal(judgement.count, 0);
    assert_false(judgement.no_memory || judgement.contradiction);
    return true;
}

static bool judge_repeated(uint32_t number, bool and_all_that_follow)
{
    struct topk_judgement judgement;
    scarce_start(number, and_all_that_follow);
    topk_judge_result(&row->op, row->exhibits, &judgement);
    scarce_end();
    assert_true(judgement.no_memory || judgement.count == 1);
    assert_true(judgement.no_memory ||
                judgement.findings[0].mismatch == TOPK_MISMATCH_INDEX_REPEATED);
    return !judgement.no_memory;
}

static void short_memory_does_not_decide_of_nan(void **state)
{
    (void)state;
    struct call call = make_row(LENGTH, true);
    assert_int_equal(try_on(judge_nan, &call), 0);
    const uint32_t last = K - 1;
    call_set(&call, TOPK_VALUE, &last, call_get(&call, TOPK_VALUE, (uint32_t[]){K - 2}));
    call_set(&call, TOPK_INDEX, &last, call_get(&call, TOPK_INDEX, (uint32_t[]){K - 2}));
    assert_true(try_on(judge_repeated, &call) > 0);
    call_free(&call);
}

static struct topk_judgement diagnosed;

static bool diagnose(uint32_t number, bool and_all_that_follow)
{
    scarce_start(number, and_all_that_follow);
    const struct topk_diagnosis diagnosis =
        topk_diagnose(&row->op, NULL, row->exhibits, &diagnosed);
    scarce_end();
    assert_true(diagnosis.readings == 0 ||
                (diagnosis.readings & topk_reading_only(TOPK_READING_OPPOSITE)) != 0);
    return diagnosis.readings != 0;
}

static void the_diagnosis_says_nothing_then(void **state)
{
    (void)state;
    struct call call = make_row(LENGTH, false);
    for (uint32_t j = 0; j < K; j++) { /* the smallest instead of the largest */
        call_set(&call, TOPK_INDEX, &j, LENGTH - 1 - j);
        call_set(&call, TOPK_VALUE, &j, bits_of(TOPK_TYPE_F32, 2000 - (int)(LENGTH - 1 - j)));
    }
    topk_judge_result(&call.op, call.exhibits, &diagnosed);
    assert_int_equal(try_on(diagnose, &call), 16);
    call_free(&call);
}

static bool contradict(uint32_t number, bool and_all_that_follow)
{
    topk_reading_set set;
    scarce_start(number, and_all_that_follow);
    const bool known = topk_readings_contradicted(&row->op, NULL, &row->exhibits[TOPK_INPUT],
                                                  topk_reading_only(TOPK_READING_OPPOSITE), &set);
    const bool undisturbed = scarce_end() == 0;
    /* if the judge has no memory, nothing is contradicted */
    assert_true(set == (known && undisturbed ? topk_reading_only(TOPK_READING_OPPOSITE) : 0));
    return known && undisturbed;
}

static void nothing_is_contradicted_then(void **state)
{
    (void)state;
    struct call call = make_row(K + 2, false);
    /* the sequence, two outputs, and the judge's explanation */
    assert_int_equal(try_on(contradict, &call), 8);
    call_free(&call);
    /* two sequences: the judge may explain one of them, and lack the memory for the other */
    struct topk_operator op = call.op;
    struct topk_tensor *const input = &op.tensors[TOPK_INPUT];
    input->rank = 2;
    input->sizes[0] = 2;
    input->sizes[1] = K + 2;
    input->total_bytes = topk_tensor_least_bytes(input);
    op.axis = 1;
    topk_operator_derive_outputs(&op, TOPK_TYPE_U32);
    call_make(&call, &op);
    for (uint32_t i = 0; i < 2 * (K + 2); i++) {
        const uint32_t at[TOPK_RANK_MAX] = {i / (K + 2), i % (K + 2)};
        call_set(&call, TOPK_INPUT, at, bits_of(TOPK_TYPE_F32, (int)i));
    }
    assert_int_equal(try_on(contradict, &call), 10);
    call_free(&call);
}

static bool judge_outputs(uint32_t number, bool and_all_that_follow)
{
    static const struct topk_contract directml;
    struct topk_outputs outputs;
    struct topk_judgement judgement;
    scarce_start(number, and_all_that_follow);
    topk_outputs_take(&row->op, row->exhibits, &outputs);
    const bool judged = topk_outputs_judge(
        &row->op, &directml, row->before[TOPK_INPUT] + CALL_MARGIN, &outputs, &judgement);
    scarce_end();
    assert_true(!judged || judgement.count == 1);
    return judged;
}

static void outputs_are_not_judged_then(void **state)
{
    (void)state;
    struct call call = make_row(K + 2, false);
    spoil(&call);
    /* two outputs that are made again, and the judge's explanation */
    assert_int_equal(try_on(judge_outputs, &call), 6);
    call_free(&call);
}

/* positions 0 and 100000 apart; they overlap if the strides are those of `twice` */
static bool twice;
static bool overlap(uint32_t number, bool and_all_that_follow)
{
    const struct topk_tensor tensor = {.present = true,
                                       .strided = true,
                                       .type = TOPK_TYPE_U8,
                                       .rank = 2,
                                       .sizes = {3, 4},
                                       .strides = {50000, twice ? 25000 : 25001}};
    scarce_start(number, and_all_that_follow);
    assert_int_equal(topk_tensor_overlaps(&tensor), twice);
    scarce_end();
    return true;
}

static void short_memory_does_not_decide_of_overlaps(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        twice = i != 0;
        assert_int_equal(try_on(overlap, NULL), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oracle_says_that_memory_is_short),
        cmocka_unit_test(the_judge_says_that_memory_is_short),
        cmocka_unit_test(short_memory_does_not_decide_of_nan),
        cmocka_unit_test(the_diagnosis_says_nothing_then),
        cmocka_unit_test(nothing_is_contradicted_then),
        cmocka_unit_test(outputs_are_not_judged_then),
        cmocka_unit_test(short_memory_does_not_decide_of_overlaps),
    };
    return cmocka_run_group_tests_name("allocation", tests, NULL, NULL);
}
