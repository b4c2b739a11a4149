/* Which of several trials of a call becomes its answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/cpu.h"
#include "kernel/trial.h"

#define TRIALS 4

/* TOP_K1 of two elements, K = 1; the second is larger */
struct fixture {
    uint32_t sizes[4];
    uint32_t output_sizes[4];
    struct topk_backend_tensor input_tensor;
    struct topk_backend_tensor value_tensor;
    struct topk_backend_tensor index_tensor;
    _Alignas(64) float input[2];
    _Alignas(64) float value[2]; /* the second is a guard */
    _Alignas(64) uint32_t index[2];
    struct topk_backend_call call;
    struct topk_trial trials[TRIALS];
    struct topk_backend_answer answer;
    void *cpu;
};

static struct topk_backend_buffer buffer_on(void *data, uint64_t bytes)
{
    return (struct topk_backend_buffer){.data = data, .bytes = bytes};
}

static int set_up(void **state)
{
    static const char *const names[TRIALS] = {"a", "b", "c", "d"};
    char error[64];
    struct fixture *f = aligned_alloc(64, (sizeof *f + 63) / 64 * 64);
    if (f == NULL) {
        return -1;
    }
    *f = (struct fixture){.sizes = {1, 1, 1, 2},
                          .output_sizes = {1, 1, 1, 1},
                          .input = {1, 2},
                          .value = {7, 7},
                          .index = {7, 7},
                          .cpu = topk_backend_cpu.open("", error, sizeof error)};
    f->input_tensor = (struct topk_backend_tensor){.data_type = TOPK_BACKEND_FLOAT32,
                                                   .dimension_count = 4,
                                                   .sizes = f->sizes,
                                                   .total_bytes = 8};
    f->value_tensor = f->input_tensor;
    f->value_tensor.sizes = f->output_sizes;
    f->value_tensor.total_bytes = 4;
    f->index_tensor = f->value_tensor;
    f->index_tensor.data_type = TOPK_BACKEND_UINT32;
    f->call = (struct topk_backend_call){.operator_type = TOPK_OPERATOR_TOP_K1,
                                         .feature_level = 0x5000,
                                         .axis = 3,
                                         .k = 1,
                                         .direction = TOPK_DIRECTION_DECREASING,
                                         .input = &f->input_tensor,
                                         .value = &f->value_tensor,
                                         .index = &f->index_tensor,
                                         .input_buffer = buffer_on(f->input, 8),
                                         .value_buffer = buffer_on(f->value, 8),
                                         .index_buffer = buffer_on(f->index, 8)};
    for (int i = 0; i < TRIALS; i++) {
        struct topk_trial *trial = &f->trials[i];
        assert_true(topk_trial_begin(trial, &f->call, names[i]));
        topk_backend_cpu.run(f->cpu, &trial->call, 1, &trial->answer);
        assert_int_equal(trial->answer.status, TOPK_BACKEND_DONE);
    }
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < TRIALS; i++) {
        topk_trial_end(&f->trials[i]);
    }
    topk_backend_cpu.close(f->cpu);
    free(f);
    return 0;
}

static void settle(struct fixture *f)
{
    topk_trial_settle(f->cpu, &f->call, f->trials, TRIALS, &f->answer);
}

static void set_value(struct topk_trial *trial, int at, float value)
{
    ((float *)trial->call.value_buffer.data)[at] = value;
}

static void test_copies(void **state)
{
    struct fixture *f = *state;
    const struct topk_trial *trial = &f->trials[0];
    assert_ptr_not_equal(trial->call.input_buffer.data, f->input);
    assert_int_equal((uintptr_t)trial->call.index_buffer.data % 64, 0);
    assert_memory_equal(trial->call.input_buffer.data, f->input, 8);
    assert_true(f->value[0] == 7);
}

static void test_agreement(void **state)
{
    struct fixture *f = *state;
    settle(f);
    assert_int_equal(f->answer.status, TOPK_BACKEND_DONE);
    assert_string_equal(f->answer.reason, "");
    assert_true(f->value[0] == 2 && f->value[1] == 7);
    assert_true(f->index[0] == 1 && f->index[1] == 7);
}

static void test_one_differs(void **state)
{
    struct fixture *f = *state;
    set_value(&f->trials[2], 0, 5);
    settle(f);
    assert_int_equal(f->answer.status, TOPK_BACKEND_DONE);
    assert_string_equal(f->answer.reason, "this is what variant c made");
    assert_true(f->value[0] == 5);
}

/* bytes outside the outputs count, too */
static void test_guard_differs(void **state)
{
    struct fixture *f = *state;
    set_value(&f->trials[1], 1, 5);
    settle(f);
    assert_string_equal(f->answer.reason, "this is what variant b made");
    assert_true(f->value[1] == 5);
}

static void test_several_differ_alike(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < TRIALS; i++) {
        set_value(&f->trials[i], 0, 5);
    }
    settle(f);
    assert_int_equal(f->answer.status, TOPK_BACKEND_DONE);
    assert_string_equal(f->answer.reason, "this is what variant a made, and b, and c, and d");
    assert_true(f->value[0] == 5);
}

static void test_several_differ_unlike(void **state)
{
    struct fixture *f = *state;
    set_value(&f->trials[1], 0, 5);
    set_value(&f->trials[3], 0, 6);
    settle(f);
    assert_int_equal(f->answer.status, TOPK_BACKEND_FAILED);
    assert_string_equal(f->answer.reason,
                        "variants b and d differ from the others, and from each other: run each "
                        "alone");
}

static void test_gravest_failure(void **state)
{
    struct fixture *f = *state;
    f->trials[0].answer.status = TOPK_BACKEND_UNSUPPORTED;
    f->trials[1].answer = (struct topk_backend_answer){TOPK_BACKEND_FAILED, "no pipeline"};
    settle(f);
    assert_int_equal(f->answer.status, TOPK_BACKEND_FAILED);
    assert_string_equal(f->answer.reason, "variant b: no pipeline");
    f->trials[3].answer = (struct topk_backend_answer){TOPK_BACKEND_DEVICE_LOST, "gone"};
    settle(f);
    assert_int_equal(f->answer.status, TOPK_BACKEND_DEVICE_LOST);
    assert_string_equal(f->answer.reason, "variant d: gone");
}

/* if one variant has no memory, others may have */
static void test_not_computed(void **state)
{
    struct fixture *f = *state;
    set_value(&f->trials[0], 0, 5);
    f->trials[0].answer =
        (struct topk_backend_answer){TOPK_BACKEND_OUT_OF_MEMORY, "too large for a"};
    settle(f);
    assert_int_equal(f->answer.status, TOPK_BACKEND_DONE);
    assert_string_equal(f->answer.reason, "variant a did not compute it: too large for a");
    assert_true(f->value[0] == 2);
    for (int i = 1; i < TRIALS; i++) {
        f->trials[i].answer.status = TOPK_BACKEND_OUT_OF_MEMORY;
    }
    settle(f);
    assert_int_equal(f->answer.status, TOPK_BACKEND_OUT_OF_MEMORY);
    assert_string_equal(f->answer.reason, "too large for a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_copies, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_agreement, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_one_differs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_guard_differs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_several_differ_alike, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_several_differ_unlike, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_gravest_failure, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_not_computed, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
