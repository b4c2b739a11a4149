/* ONNX models and tensors: what is written is read as what it was, what others write in other ways
 * is read, and no byte is taken on trust. That ONNX Runtime reads them too is shown by
 * conformance/cli/test/exchange_test.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exchange/onnx_model.h"
#include "exchange/onnx_read.h"
#include "exchange/onnx_tensor.h"

static struct topk_packed packed;
static struct topk_refusal refusal;
static struct topk_onnx_topk model;

/* a copy that the sanitizers see the end of */
static uint8_t *copy(const uint8_t *bytes, size_t size)
{
    uint8_t *exact = malloc(size == 0 ? 1 : size);
    assert_non_null(exact);
    memcpy(exact, bytes, size);
    return exact;
}

static bool read_model(const uint8_t *bytes, size_t size)
{
    uint8_t *exact = copy(bytes, size);
    const bool ok = topk_onnx_read(exact, size, &model, &refusal);
    free(exact);
    return ok;
}

static bool read_tensor(const uint8_t *bytes, size_t size)
{
    const uint8_t *name;
    size_t name_size;
    uint8_t *exact = copy(bytes, size);
    const bool ok =
        topk_onnx_tensor_read(topk_fields_of(exact, size), &packed, &name, &name_size, &refusal);
    free(exact);
    return ok;
}

static void models_are_read_as_they_are_written(void **state)
{
    (void)state;
    for (uint32_t rank = 1; rank <= 8; rank++) {
        for (uint32_t axis = 0; axis < rank; axis++) {
            for (unsigned largest = 0; largest < 2; largest++) {
                uint8_t bytes[TOPK_ONNX_MODEL_CAPACITY];
                const size_t size = topk_onnx_model(bytes, 1, rank, axis, largest != 0);
                assert_true(read_model(bytes, size));
                assert_int_equal(model.axis, axis);
                assert_int_equal(model.largest, largest);
                assert_false(model.has_k);
                assert_int_equal(model.input, 0);
                assert_int_equal(model.k_input, 1);
                assert_int_equal(model.value, 0);
                assert_int_equal(model.index, 1);
            }
        }
    }
}

/* ---- models by hand -------------------------------------------------------------------------- */

/* What a model is made of. */
struct parts {
    uint32_t opset;
    const char *type;   /* of the node */
    const char *domain; /* of the node */
    const char *inputs; /* of the node, a letter each */
    const char *graph_inputs;
    const char *graph_outputs;
    const char *initializer; /* its name; NULL: there is none */
    const char *attribute;   /* NULL: none */
    uint64_t number;         /* of the attribute */
    unsigned nodes;
};

static const struct parts usual = {.opset = 11,
                                   .type = "TopK",
                                   .domain = "",
                                   .inputs = "XK",
                                   .graph_inputs = "XK",
                                   .graph_outputs = "VI",
                                   .nodes = 1};

static void put_letters(struct topk_message *message, uint32_t field, const char *letters)
{
    for (; *letters != 0; letters++) {
        const char name[] = {*letters, 0};
        topk_message_string(message, field, name);
    }
}

static void put_values(struct topk_message *graph, uint32_t field, const char *letters)
{
    for (; *letters != 0; letters++) {
        struct topk_message value = {.used = 0};
        const char name[] = {*letters, 0};
        topk_message_string(&value, 1, name);
        topk_message_inner(graph, field, &value);
    }
}

static void put_initializer(struct topk_message *graph, const char *name)
{
    struct topk_message tensor = {.used = 0};
    topk_message_integer(&tensor, 1, 1);
    topk_message_integer(&tensor, 2, 7);
    topk_message_integer(&tensor, 7, 3);
    topk_message_string(&tensor, 8, name);
    topk_message_inner(graph, 5, &tensor);
}

static bool read_parts(const struct parts *parts)
{
    struct topk_message whole = {.used = 0};
    struct topk_message graph = {.used = 0};
    struct topk_message opset = {.used = 0};
    for (unsigned i = 0; i < parts->nodes; i++) {
        struct topk_message node = {.used = 0};
        put_letters(&node, 1, parts->inputs);
        put_letters(&node, 2, "VI");
        topk_message_string(&node, 4, parts->type);
        topk_message_string(&node, 7, parts->domain);
        if (parts->attribute != NULL) {
            struct topk_message attribute = {.used = 0};
            topk_message_string(&attribute, 1, parts->attribute);
            topk_message_integer(&attribute, 3, parts->number);
            topk_message_inner(&node, 5, &attribute);
        }
        topk_message_inner(&graph, 1, &node);
    }
    if (parts->initializer != NULL) {
        put_initializer(&graph, parts->initializer);
    }
    put_values(&graph, 11, parts->graph_inputs);
    put_values(&graph, 12, parts->graph_outputs);
    topk_message_inner(&whole, 7, &graph);
    topk_message_integer(&opset, 2, parts->opset);
    topk_message_inner(&whole, 8, &opset);
    assert_false(whole.full);
    return read_model(whole.bytes, whole.used);
}

static void models_of_others_are_read(void **state)
{
    (void)state;
    struct parts parts = usual;
    parts.opset = 24;
    assert_true(read_parts(&parts));
    assert_int_equal(model.axis, -1);
    assert_true(model.largest);

    parts = usual;
    parts.attribute = "axis";
    parts.number = UINT64_MAX - 1;
    parts.domain = "ai.onnx";
    assert_true(read_parts(&parts));
    assert_int_equal(model.axis, -2);

    /* K comes first, the outputs the other way round, and one is not in the graph */
    parts = usual;
    parts.graph_inputs = "KX";
    parts.graph_outputs = "I";
    assert_true(read_parts(&parts));
    assert_int_equal(model.input, 1);
    assert_int_equal(model.k_input, 0);
    assert_int_equal(model.value, TOPK_ONNX_NONE);
    assert_int_equal(model.index, 0);

    /* K is an initializer, which is an input of the graph, too, or is not */
    parts = usual;
    parts.initializer = "K";
    parts.graph_inputs = "KX";
    assert_true(read_parts(&parts));
    assert_true(model.has_k);
    assert_int_equal(model.k, 3);
    assert_int_equal(model.input, 0);
    parts.graph_inputs = "X";
    assert_true(read_parts(&parts));
    assert_int_equal(model.k, 3);

    /* before opset 10 it is an attribute */
    parts = usual;
    parts.opset = 1;
    parts.inputs = "X";
    parts.graph_inputs = "X";
    parts.attribute = "k";
    parts.number = 2;
    assert_true(read_parts(&parts));
    assert_true(model.has_k);
    assert_int_equal(model.k, 2);
}

static void refused_parts(const struct parts *parts, const char *reason)
{
    if (read_parts(parts) || strstr(refusal.reason, reason) == NULL) {
        fail_msg("'%s' instead of '%s'", refusal.reason, reason);
    }
}

static void other_models_are_refused(void **state)
{
    (void)state;
    struct parts parts = usual;
    parts.type = "Sort";
    refused_parts(&parts, "not a TopK, but 'Sort'");
    parts = usual;
    parts.domain = "com.microsoft";
    refused_parts(&parts, "not of ONNX's own domain");
    parts = usual;
    parts.nodes = 2;
    refused_parts(&parts, "more nodes than one");
    parts.nodes = 0;
    refused_parts(&parts, "with a node");
    parts = usual;
    parts.attribute = "sorted";
    parts.number = 0;
    refused_parts(&parts, "always sorted");
    parts.attribute = "mode";
    refused_parts(&parts, "the attribute 'mode'");
    parts = usual;
    parts.opset = 0;
    refused_parts(&parts, "which opset");
    parts.opset = 1;
    refused_parts(&parts, "an attribute of TopK in opset 1");
    parts = usual;
    parts.attribute = "k";
    refused_parts(&parts, "an input of TopK in opset 11");
    parts = usual;
    parts.inputs = "X";
    refused_parts(&parts, "1 inputs and 2 outputs");
    parts = usual;
    parts.graph_inputs = "K";
    refused_parts(&parts, "no input of the graph");
    parts.graph_inputs = "X";
    refused_parts(&parts, "K is not an  of the graph");
    parts.graph_inputs = "ABCDEFGHIJKLMNOPX";
    refused_parts(&parts, "more than 16 names");
    parts = usual;
    parts.initializer = "X";
    refused_parts(&parts, "no input of the graph");
}

/* A model within a model within ...: what is not looked at is not descended into either. */
static void depth_does_not_matter(void **state)
{
    (void)state;
    const size_t depth = 20000;
    uint8_t *bytes = malloc(12 * depth);
    size_t size = 0;
    assert_non_null(bytes);
    /* made from the innermost outwards, at the end of the memory */
    for (size_t i = 0; i < depth; i++) {
        uint8_t head[8] = {7 << 3 | 2};
        size_t used = 1;
        for (size_t rest = size; used == 1 || rest > 0; rest >>= 7) {
            head[used++] = (uint8_t)((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
        }
        size += used;
        memcpy(bytes + 12 * depth - size, head, used);
    }
    assert_false(read_model(bytes + 12 * depth - size, size));
    assert_false(read_tensor(bytes + 12 * depth - size, size));
    free(bytes);
}

static void no_byte_of_a_model_is_trusted(void **state)
{
    (void)state;
    uint8_t bytes[TOPK_ONNX_MODEL_CAPACITY];
    const size_t size = topk_onnx_model(bytes, 1, 4, 2, false);
    for (size_t cut = 0; cut < size; cut++) {
        if (!read_model(bytes, cut)) {
            assert_true(refusal.reason[0] != 0);
            assert_true(refusal.byte <= cut);
        }
    }
    for (size_t at = 0; at < size; at++) {
        const uint8_t byte = bytes[at];
        for (unsigned other = 0; other < 256; other++) {
            bytes[at] = (uint8_t)other;
            (void)read_model(bytes, size);
        }
        bytes[at] = byte;
    }
}

/* ---- tensors --------------------------------------------------------------------------------- */

static void make(uint32_t type, uint32_t rank)
{
    static const int64_t sizes[] = {2, 1, 3, 1, 2, 1, 1, 5};
    assert_true(topk_packed_shape(&packed, type, sizes, rank, 0, &refusal));
    assert_true(topk_packed_allocate(&packed, 0, &refusal));
    for (uint64_t i = 0; i < topk_packed_bytes(&packed); i++) {
        packed.data[i] = (unsigned char)(i * 89 + 1);
    }
}

static void tensors_are_read_as_they_are_written(void **state)
{
    (void)state;
    for (unsigned t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (uint32_t rank = 0; rank <= 8; rank++) {
            struct topk_message head;
            uint8_t bytes[2048];
            make(topk_types[t], rank);
            const struct topk_packed before = packed;
            const size_t data = (size_t)topk_packed_bytes(&packed);
            topk_onnx_tensor_head(&packed, "X", &head);
            assert_false(head.full);
            memcpy(bytes, head.bytes, head.used);
            memcpy(bytes + head.used, packed.data, data);
            topk_packed_clear(&packed);
            assert_true(read_tensor(bytes, head.used + data));
            assert_int_equal(packed.type, before.type);
            assert_int_equal(packed.rank, before.rank);
            assert_memory_equal(packed.sizes, before.sizes, sizeof before.sizes);
            assert_memory_equal(packed.data, bytes + head.used, data);
            topk_packed_clear(&packed);
        }
    }
}

/* Three elements as numbers: packed into one field, or a field each. */
static void tensors_of_numbers_are_read(void **state)
{
    (void)state;
    static const struct {
        uint32_t type;
        uint32_t onnx;
        uint32_t field;
        uint64_t numbers[3];
        uint64_t bits[3];
    } tensors[] = {
        {TOPK_TYPE_F16, 10, 5, {0x7e01, 0x8000, 1}, {0x7e01, 0x8000, 1}},
        {TOPK_TYPE_I64, 7, 7, {UINT64_MAX, 0, 7}, {UINT64_MAX, 0, 7}},
        {TOPK_TYPE_I32, 6, 5, {UINT64_MAX, 0, 7}, {UINT32_MAX, 0, 7}},
        {TOPK_TYPE_I16, 5, 5, {UINT64_MAX - 32767, 0, 32767}, {0x8000, 0, 0x7fff}},
        {TOPK_TYPE_I8, 3, 5, {UINT64_MAX - 127, 0, 127}, {0x80, 0, 0x7f}},
        {TOPK_TYPE_U64, 13, 11, {UINT64_MAX, 0, 7}, {UINT64_MAX, 0, 7}},
        {TOPK_TYPE_U32, 12, 11, {UINT32_MAX, 0, 7}, {UINT32_MAX, 0, 7}},
        {TOPK_TYPE_U16, 4, 5, {65535, 0, 7}, {65535, 0, 7}},
        {TOPK_TYPE_U8, 2, 5, {255, 0, 7}, {255, 0, 7}},
    };
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++) {
        for (unsigned in_one = 0; in_one < 2; in_one++) {
            struct topk_message message = {.used = 0};
            struct topk_message numbers = {.used = 0};
            topk_message_integer(&message, 1, 3);
            topk_message_integer(&message, 2, tensors[i].onnx);
            for (unsigned n = 0; n < 3; n++) {
                if (in_one == 0) {
                    topk_message_integer(&message, tensors[i].field, tensors[i].numbers[n]);
                    continue;
                }
                struct topk_message one = {.used = 0};
                topk_message_integer(&one, 1, tensors[i].numbers[n]);
                memcpy(numbers.bytes + numbers.used, one.bytes + 1, one.used - 1);
                numbers.used += one.used - 1;
            }
            if (in_one != 0) {
                topk_message_inner(&message, tensors[i].field, &numbers);
            }
            if (!read_tensor(message.bytes, message.used)) {
                fail_msg("type %u: %s", tensors[i].type, refusal.reason);
            }
            assert_int_equal(packed.type, tensors[i].type);
            for (unsigned n = 0; n < 3; n++) {
                assert_true(topk_packed_get(&packed, n) == tensors[i].bits[n]);
            }
            topk_packed_clear(&packed);
        }
    }
    /* float_data: four bytes each */
    static const uint8_t floats[] = {0x08, 2, 0x10, 1, 0x22, 8, 1, 0, 0xc0, 0x7f, 0, 0, 0, 0x80};
    static const uint8_t alone[] = {0x0a, 1,    2,    0x10, 1, 0x25, 1,   0,
                                    0xc0, 0x7f, 0x25, 0,    0, 0,    0x80};
    assert_true(read_tensor(floats, sizeof floats));
    assert_true(topk_packed_get(&packed, 0) == 0x7fc00001);
    topk_packed_clear(&packed);
    assert_true(read_tensor(alone, sizeof alone));
    assert_true(topk_packed_get(&packed, 1) == 0x80000000);
    topk_packed_clear(&packed);
}

#define BYTES(...) {__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

static void other_tensors_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes[40];
        size_t size;
        const char *reason;
    } tensors[] = {
        {BYTES(0x08, 1, 0x10, 11, 0x4a, 8, 0, 0, 0, 0, 0, 0, 0, 0), "data_type 11"},
        {BYTES(0x08, 1, 0x10, 16, 0x4a, 2, 0, 0), "data_type 16"},
        {BYTES(0x08, 1, 0x4a, 2, 0, 0), "data_type 0"},
        {BYTES(0x08, 0, 0x10, 1), "the size 0"},
        {BYTES(0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0x10, 1),
         "the size -1"},
        {BYTES(0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0x10, 1),
         "more than 64 bits"},
        {BYTES(0x0a, 10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0x10, 1), "more than 8 dimensions"},
        {BYTES(0x0a, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0x10, 1), "9 dimensions"},
        {BYTES(0x0a, 10, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f, 1, 1, 0x10, 1),
         "2^32-1 elements"},
        {BYTES(0x08, 0xff, 0xff, 0xff, 0x7f, 0x10, 2), "there are 0"},
        {BYTES(0x08, 2, 0x10, 1, 0x4a, 7, 0, 0, 0, 0, 0, 0, 0), "raw_data have 7 bytes"},
        {BYTES(0x08, 2, 0x10, 2, 0x4a, 3, 0, 0, 0), "raw_data have 3 bytes"},
        {BYTES(0x08, 2, 0x10, 2, 0x4a, 0x7f, 0, 0), "field 9 has 127 bytes, and 2 are left"},
        {BYTES(0x08, 2, 0x10, 2, 0x4a, 2, 0, 0, 0x28, 1), "data twice"},
        {BYTES(0x08, 2, 0x10, 2, 0x28, 1, 0x38, 1), "data of two kinds"},
        {BYTES(0x08, 2, 0x10, 2, 0x38, 1, 0x38, 1), "field 7, and those of this type are in 5"},
        {BYTES(0x08, 2, 0x10, 2, 0x28, 1), "there are 1"},
        {BYTES(0x08, 2, 0x10, 2, 0x2a, 3, 1, 1, 1), "more elements than the 2"},
        {BYTES(0x08, 1, 0x10, 2, 0x28, 0x80, 2), "does not fit in its 8 bits"},
        {BYTES(0x08, 1, 0x10, 3, 0x28, 0x80, 1), "does not fit in its 8 bits"},
        {BYTES(0x08, 1, 0x10, 1, 0x22, 3, 0, 0, 0), "float_data are cut off"},
        {BYTES(0x08, 1, 0x10, 1, 0x28, 3), "field 5, and those of this type are in 4"},
        {BYTES(0x08, 1, 0x10, 1, 0x20, 3), "the data has another wire type"},
        {BYTES(0x08, 1, 0x10, 2, 0x4a, 1, 0, 0x70, 1), "external data"},
        {BYTES(0x08, 1, 0x10, 2, 0x6a, 2, 0x0a, 0), "external data"},
        {BYTES(0x08, 1, 0x10, 2, 0x1a, 0), "a segment"},
        {BYTES(0x08, 1, 0x12, 1, 2), "data_type has another wire type"},
        {BYTES(0x08, 1, 0x13, 0x14), "wire type 3"},
        {BYTES(0x00, 1), "no field has the number 0"},
        {BYTES(0x08, 1, 0x10, 2, 0x29, 0, 0, 0), "cut off within a number of 8 bytes"},
        {BYTES(0x08, 0x80), "cut off within a number"},
        {BYTES(0x93, 'N', 'U', 'M', 'P', 'Y'), "wire type"},
    };
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++) {
        if (read_tensor(tensors[i].bytes, tensors[i].size) ||
            strstr(refusal.reason, tensors[i].reason) == NULL) {
            fail_msg("tensor %zu: '%s' instead of '%s'", i, refusal.reason, tensors[i].reason);
        }
        assert_null(packed.data);
        assert_true(refusal.byte <= tensors[i].size);
    }
}

static void no_byte_of_a_tensor_is_trusted(void **state)
{
    (void)state;
    struct topk_message head;
    uint8_t bytes[256];
    make(TOPK_TYPE_I16, 3);
    const size_t data = (size_t)topk_packed_bytes(&packed);
    topk_onnx_tensor_head(&packed, "X", &head);
    memcpy(bytes, head.bytes, head.used);
    memcpy(bytes + head.used, packed.data, data);
    topk_packed_clear(&packed);
    const size_t size = head.used + data;
    for (size_t cut = 0; cut < size; cut++) {
        assert_false(read_tensor(bytes, cut));
    }
    for (size_t at = 0; at < size; at++) {
        const uint8_t byte = bytes[at];
        for (unsigned other = 0; other < 256; other++) {
            bytes[at] = (uint8_t)other;
            if (read_tensor(bytes, size)) {
                assert_true(topk_packed_bytes(&packed) <= size);
                topk_packed_clear(&packed);
            }
        }
        bytes[at] = byte;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_read_as_they_are_written),
        cmocka_unit_test(models_of_others_are_read),
        cmocka_unit_test(other_models_are_refused),
        cmocka_unit_test(depth_does_not_matter),
        cmocka_unit_test(no_byte_of_a_model_is_trusted),
        cmocka_unit_test(tensors_are_read_as_they_are_written),
        cmocka_unit_test(tensors_of_numbers_are_read),
        cmocka_unit_test(other_tensors_are_refused),
        cmocka_unit_test(no_byte_of_a_tensor_is_trusted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
