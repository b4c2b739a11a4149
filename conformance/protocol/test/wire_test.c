/* The lines of the backend protocol: what is printed is read back the same, and nothing else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "protocol/protocol.h"

static const uint32_t sizes[] = {3, 9};
static const uint32_t strides[] = {UINT32_MAX, 1};

static struct topk_backend_tensor tensor = {.data_type = 1,
                                            .flags = 1,
                                            .dimension_count = 2,
                                            .guaranteed_base_offset_alignment = 256,
                                            .sizes = sizes,
                                            .strides = strides,
                                            .total_bytes = 108};
static struct topk_backend_tensor packed = {
    .data_type = UINT32_MAX, .dimension_count = 2, .sizes = sizes, .total_bytes = UINT64_MAX};
static struct topk_backend_tensor scalar = {.data_type = 3, .sizes = sizes, .total_bytes = 4};

/* two tensors that are there, and one of rank 0 */
static struct topk_backend_call some_call(void)
{
    return (struct topk_backend_call){.operator_type = 112,
                                      .feature_level = 0x1f00,
                                      .execution_flags = 5,
                                      .axis = 1,
                                      .k = UINT32_MAX,
                                      .direction = 7,
                                      .input = &tensor,
                                      .value = &packed,
                                      .index = &scalar,
                                      .input_buffer = {.bytes = 300, .offset = 64},
                                      .value_buffer = {.bytes = 200, .offset = 200},
                                      .index_buffer = {.bytes = UINT64_MAX - 500, .offset = 0}};
}

static void assert_tensor(const struct topk_backend_tensor *read,
                          const struct topk_backend_tensor *wanted)
{
    if (wanted == NULL) {
        assert_null(read);
        return;
    }
    assert_int_equal(read->data_type, wanted->data_type);
    assert_int_equal(read->flags, wanted->flags);
    assert_int_equal(read->guaranteed_base_offset_alignment,
                     wanted->guaranteed_base_offset_alignment);
    assert_int_equal(read->dimension_count, wanted->dimension_count);
    assert_true(read->total_bytes == wanted->total_bytes);
    assert_memory_equal(read->sizes, wanted->sizes, 4 * (size_t)wanted->dimension_count);
    assert_int_equal(read->strides == NULL, wanted->strides == NULL);
    if (wanted->strides != NULL) {
        assert_memory_equal(read->strides, wanted->strides, 4 * (size_t)wanted->dimension_count);
    }
}

static void assert_read_back(struct topk_backend_call call)
{
    char line[TOPK_WIRE_LINE];
    char error[512];
    static struct topk_wire_call wire;
    const size_t length = topk_wire_call_print(&call, line);
    assert_int_equal(strlen(line), length);
    if (!topk_wire_call_parse(line, length, &wire, error, sizeof error)) {
        fail_msg("%s: %s", line, error);
    }
    assert_int_equal(wire.call.operator_type, call.operator_type);
    assert_int_equal(wire.call.feature_level, call.feature_level);
    assert_int_equal(wire.call.execution_flags, call.execution_flags);
    assert_int_equal(wire.call.create_only, call.create_only);
    assert_int_equal(wire.call.axis, call.axis);
    assert_int_equal(wire.call.k, call.k);
    assert_int_equal(wire.call.direction, call.direction);
    assert_tensor(wire.call.input, call.input);
    assert_tensor(wire.call.value, call.value);
    assert_tensor(wire.call.index, call.index);
    for (uint32_t i = 0; i < TOPK_WIRE_TENSORS; i++) {
        assert_true(topk_wire_buffer(&wire.call, i)->bytes == topk_wire_buffer(&call, i)->bytes);
        assert_true(topk_wire_buffer(&wire.call, i)->offset == topk_wire_buffer(&call, i)->offset);
    }
}

static void a_call_is_read_as_it_was_printed(void **state)
{
    (void)state;
    assert_read_back(some_call());
}

static void a_call_that_is_created_only_may_lack_tensors(void **state)
{
    (void)state;
    struct topk_backend_call call = {.operator_type = 71, .create_only = 1, .value = &tensor};
    assert_read_back(call);
    assert_int_equal(topk_wire_call_bytes(&call), 0);
}

static void the_longest_call_fits_into_its_line(void **state)
{
    (void)state;
    uint32_t most[TOPK_WIRE_RANK];
    memset(most, 0xff, sizeof most);
    struct topk_backend_tensor large = {.data_type = UINT32_MAX,
                                        .flags = UINT32_MAX,
                                        .dimension_count = TOPK_WIRE_RANK,
                                        .guaranteed_base_offset_alignment = UINT32_MAX,
                                        .sizes = most,
                                        .strides = most,
                                        .total_bytes = UINT64_MAX};
    struct topk_backend_buffer buffer = {.bytes = UINT64_MAX, .offset = UINT64_MAX};
    struct topk_backend_call call = {.operator_type = UINT32_MAX,
                                     .feature_level = UINT32_MAX,
                                     .execution_flags = UINT32_MAX,
                                     .axis = UINT32_MAX,
                                     .k = UINT32_MAX,
                                     .direction = UINT32_MAX,
                                     .input = &large,
                                     .value = &large,
                                     .index = &large,
                                     .input_buffer = buffer,
                                     .value_buffer = buffer,
                                     .index_buffer = buffer};
    char line[TOPK_WIRE_LINE];
    assert_true(topk_wire_call_print(&call, line) + 1 < sizeof line / 2);
    assert_read_back(call);
    assert_true(topk_wire_call_bytes(&call) == UINT64_MAX);
}

static void refused(const char *line, size_t length)
{
    char error[512] = "";
    static struct topk_wire_call wire;
    assert_false(topk_wire_call_parse(line, length, &wire, error, sizeof error));
    assert_true(error[0] != 0);
}

static void any_other_line_is_refused(void **state)
{
    (void)state;
    char line[TOPK_WIRE_LINE];
    struct topk_backend_call call = some_call();
    const size_t length = topk_wire_call_print(&call, line);
    for (size_t i = 0; i < length; i++) {
        refused(line, i);
        char kept = line[i];
        line[i] = (char)(kept ^ 0x40); /* no digit becomes another */
        refused(line, length);
        line[i] = kept;
    }
    line[length] = ' ';
    refused(line, length + 1);
}

static void a_call_that_is_run_has_its_tensors_within_their_buffers(void **state)
{
    (void)state;
    char line[TOPK_WIRE_LINE];
    struct topk_backend_call call = some_call();
    call.value_buffer.offset = 201;
    refused(line, topk_wire_call_print(&call, line));
    call = some_call();
    call.input = NULL;
    refused(line, topk_wire_call_print(&call, line));
}

static void numbers_have_one_form(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool number;
        uint64_t value;
    } rows[] = {
        {"0", true, 0},   {"10", true, 10}, {"18446744073709551615", true, UINT64_MAX},
        {"", false, 0},   {"01", false, 0}, {"18446744073709551616", false, 0},
        {"-1", false, 0}, {"+1", false, 0}, {"184467440737095516150", false, 0},
        {"1x", false, 0}, {" 1", false, 0}, {"0x1", false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *at = rows[i].text;
        uint64_t value = 0;
        const bool taken = topk_wire_number(&at, at + strlen(at), UINT64_MAX, &value);
        assert_int_equal(taken, rows[i].number);
        assert_true(!taken || value == rows[i].value);
    }
}

static void an_answer_is_read_as_it_was_printed(void **state)
{
    (void)state;
    for (uint32_t status = 0; status <= TOPK_BACKEND_FAILED; status++) {
        struct topk_backend_answer answer = {.status = status};
        struct topk_backend_answer read;
        char line[TOPK_WIRE_LINE];
        memset(answer.reason, status == 0 ? 0 : '\xff', sizeof answer.reason - 1);
        const size_t length = topk_wire_answer_print(&answer, line);
        assert_true(topk_wire_answer_parse(line, length, &read));
        assert_int_equal(read.status, status);
        assert_string_equal(read.reason, answer.reason);
        assert_false(topk_wire_answer_parse(line, strcspn(line, " "), &read));
    }
}

static void a_status_that_is_none_is_a_failure(void **state)
{
    (void)state;
    struct topk_backend_answer answer = {.status = 6, .reason = "odd"};
    struct topk_backend_answer read;
    char line[TOPK_WIRE_LINE];
    assert_true(topk_wire_answer_parse(line, topk_wire_answer_print(&answer, line), &read));
    assert_int_equal(read.status, TOPK_BACKEND_FAILED);
    assert_non_null(strstr(read.reason, "status 6"));
    assert_non_null(strstr(read.reason, "odd"));
}

/* what reading a stream with these bytes gives, line by line: r(ead), b(ad), e(nd) */
static void assert_lines(const char *bytes, size_t length, const char *wanted)
{
    char line[16];
    FILE *stream = tmpfile();
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, length, stream), length);
    rewind(stream);
    for (; *wanted != 0; wanted++) {
        size_t read = 99;
        const enum topk_wire_read came = topk_wire_line_read(stream, line, sizeof line, &read);
        assert_int_equal(came, *wanted == 'r'   ? TOPK_WIRE_READ
                               : *wanted == 'b' ? TOPK_WIRE_BAD
                                                : TOPK_WIRE_END);
        assert_true(came != TOPK_WIRE_READ || read == strlen(line));
        assert_null(strpbrk(came == TOPK_WIRE_READ ? line : "", "\r\n"));
    }
    fclose(stream);
}

static void a_line_is_whole_or_none(void **state)
{
    (void)state;
    assert_lines("", 0, "e");
    assert_lines("a\nb\r\n\n", 6, "rrre");
    assert_lines("a\nb", 3, "re");
    assert_lines("a\0b\nc\n", 6, "b");
    assert_lines("\0\n", 2, "b");
    assert_lines("0123456789012\n", 14, "re");
    assert_lines("01234567890123\n", 15, "re");
    assert_lines("012345678901234\n", 16, "b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_is_read_as_it_was_printed),
        cmocka_unit_test(a_call_that_is_created_only_may_lack_tensors),
        cmocka_unit_test(the_longest_call_fits_into_its_line),
        cmocka_unit_test(any_other_line_is_refused),
        cmocka_unit_test(a_call_that_is_run_has_its_tensors_within_their_buffers),
        cmocka_unit_test(numbers_have_one_form),
        cmocka_unit_test(an_answer_is_read_as_it_was_printed),
        cmocka_unit_test(a_status_that_is_none_is_a_failure),
        cmocka_unit_test(a_line_is_whole_or_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
