/* The summary of a call's outputs: which differences change digests, and which do not; and the kept
 * outputs are judged like the call itself. */
#include "support.h"

#include "reference/outputs.h"

static struct topk_outputs taken(const struct call *call)
{
    struct topk_outputs outputs;
    topk_outputs_take(&call->op, call->exhibits, &outputs);
    assert_true(outputs.known);
    return outputs;
}

static void values_and_order(void **state)
{
    (void)state;
    static const uint64_t zero = 0, negative_zero = 0x80000000, nan = 0x7fc00000,
                          other = 0xffc00001;
    static const uint32_t first[TOPK_RANK_MAX] = {0}, second[TOPK_RANK_MAX] = {1};
    const struct topk_operator op =
        row_operator(TOPK_TOP_K1, TOPK_TYPE_F32, true, 2, 2, TOPK_TYPE_U32);
    struct call call;
    call_make(&call, &op);
    call_set(&call, TOPK_VALUE, first, zero);
    call_set(&call, TOPK_INDEX, first, 0);
    call_set(&call, TOPK_VALUE, second, nan);
    call_set(&call, TOPK_INDEX, second, 1);
    const struct topk_outputs a = taken(&call);
    assert_int_equal(a.count, 2);
    assert_true(a.value[0] == zero && a.index[0] == 0 && a.value[1] == nan && a.index[1] == 1);
    call_set(&call, TOPK_VALUE, second, other); /* any other NaN is equivalent */
    const struct topk_outputs payload = taken(&call);
    assert_true(payload.values == a.values && payload.pairs == a.pairs);
    assert_true(payload.value[1] == other);
    call_set(&call, TOPK_VALUE, first, negative_zero); /* an equal value, but another element */
    const struct topk_outputs sign = taken(&call);
    assert_true(sign.values == a.values && sign.pairs != a.pairs);
    call_set(&call, TOPK_VALUE, first, zero);
    call_set(&call, TOPK_INDEX, first, 1);
    const struct topk_outputs index = taken(&call);
    assert_true(index.values == a.values && index.pairs != a.pairs);
    call_set(&call, TOPK_INDEX, first, 0);
    call_set(&call, TOPK_VALUE, first, 1); /* the least denormal */
    const struct topk_outputs value = taken(&call);
    assert_true(value.values != a.values && value.pairs != a.pairs);
    call_free(&call);
}

/* Changes one output after another: each change is detected, wherever the output is in memory. */
static void each_output_counts(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 25, 1);
    for (int i = 0; i < 200; i++) {
        const struct topk_operator op = random_operator(
            &pcg, topk_types[topk_pcg_below(&pcg, TOPK_TYPE_COUNT)], TOPK_TYPE_U32, 30);
        struct call call;
        call_make(&call, &op);
        call_fill(&call, &pcg, DRAW_ANY);
        if (call_run_oracle(&call) == TOPK_ORACLE_NO_MEMORY) {
            fail_msg("memory");
        }
        const struct topk_outputs right = taken(&call);
        uint32_t at[TOPK_RANK_MAX] = {0};
        do {
            const uint64_t index = call_get(&call, TOPK_INDEX, at);
            call_set(&call, TOPK_INDEX, at, index ^ 1);
            assert_true(taken(&call).pairs != right.pairs);
            assert_true(taken(&call).values == right.values);
            call_set(&call, TOPK_INDEX, at, index);
        } while (next_at(&op.tensors[TOPK_INDEX], at));
        assert_true(taken(&call).pairs == right.pairs);
        call_free(&call);
    }
}

/* The kept outputs of a small call are judged like the call. */
static void judged_again(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 25, 2);
    const struct topk_contract directml = {0};
    struct topk_contract any = {0};
    topk_contract_choose(&any, TOPK_OPTION_TIES_ANY);
    uint32_t judged = 0;
    uint32_t wrong = 0;
    for (int i = 0; i < 2000; i++) {
        const struct topk_operator op = random_operator(&pcg, TOPK_TYPE_I8, TOPK_TYPE_U64, 20);
        struct call call;
        call_make(&call, &op);
        call_fill(&call, &pcg, DRAW_ANY);
        const enum topk_oracle_status status = call_run_oracle(&call);
        assert_int_not_equal(status, TOPK_ORACLE_NO_MEMORY);
        uint32_t at[TOPK_RANK_MAX] = {0};
        if (topk_pcg_below(&pcg, 2) != 0) { /* some other element, with an equal value or not */
            call_set(&call, TOPK_INDEX, at, topk_pcg_below(&pcg, op.tensors[0].sizes[op.axis]));
        }
        const struct topk_outputs outputs = taken(&call);
        const struct topk_contract *contract = i % 2 == 0 ? &any : &directml;
        struct topk_judgement whole;
        struct topk_judgement again;
        topk_judge_contract(&op, contract, call.exhibits, &whole);
        const bool small = topk_operator_sequences(&op) * op.k <= TOPK_OUTPUTS_SHOWN;
        assert_int_equal(small,
                         topk_outputs_judge(&op, contract, call.before[TOPK_INPUT] + CALL_MARGIN,
                                            &outputs, &again));
        if (small) {
            assert_int_equal(whole.count, again.count);
            assert_true(whole.count == 0 || whole.findings[0].clause == again.findings[0].clause);
            judged++;
            wrong += whole.count > 0;
        }
        call_free(&call);
    }
    /* unknown outputs are not judged */
    const struct topk_outputs unknown = {.known = false};
    const struct topk_operator op =
        row_operator(TOPK_TOP_K, TOPK_TYPE_I8, false, 1, 1, TOPK_TYPE_U32);
    struct topk_judgement none;
    assert_false(topk_outputs_judge(&op, &directml, (unsigned char[]){7}, &unknown, &none));
    assert_in_range(wrong, 100, judged - 100);
    print_message("%" PRIu32 " calls judged again, %" PRIu32 " of them wrong\n", judged, wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_and_order),
                                       cmocka_unit_test(each_output_counts),
                                       cmocka_unit_test(judged_again)};
    return cmocka_run_group_tests_name("outputs", tests, NULL, NULL);
}
