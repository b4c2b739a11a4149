/* See onnx_model.h. The messages and their field numbers are those of onnx.proto. */
#include "onnx_model.h"

#include <string.h>

/* TensorProto.DataType of K and of the indices. */
#define DATA_TYPE_INT64 7u

/* A protobuf message in the making. What does not fit is dropped, and full says so. */
struct message {
    uint8_t bytes[TOPK_ONNX_MODEL_CAPACITY];
    size_t used;
    bool full;
};

enum wire_type {
    WIRE_VARINT = 0,
    WIRE_BYTES = 2
};

static void put_bytes(struct message *message, const void *bytes, size_t count)
{
    if (message->full || count > sizeof message->bytes - message->used) {
        message->full = true;
        return;
    }
    memcpy(message->bytes + message->used, bytes, count);
    message->used += count;
}

static void put_varint(struct message *message, uint64_t number)
{
    for (; number > 0x7f; number >>= 7) {
        const uint8_t low = (uint8_t)(number | 0x80);
        put_bytes(message, &low, 1);
    }
    const uint8_t last = (uint8_t)number;
    put_bytes(message, &last, 1);
}

static void put_integer_field(struct message *message, uint32_t field, uint64_t number)
{
    put_varint(message, field << 3 | WIRE_VARINT);
    put_varint(message, number);
}

static void put_string_field(struct message *message, uint32_t field, const char *text)
{
    put_varint(message, field << 3 | WIRE_BYTES);
    put_varint(message, strlen(text));
    put_bytes(message, text, strlen(text));
}

static void put_message_field(struct message *message, uint32_t field, const struct message *inner)
{
    put_varint(message, field << 3 | WIRE_BYTES);
    put_varint(message, inner->used);
    put_bytes(message, inner->bytes, inner->used);
    message->full |= inner->full;
}

static void put_attribute(struct message *node, const char *name, uint64_t number)
{
    enum {
        ATTRIBUTE_NAME = 1,
        ATTRIBUTE_I = 3,
        ATTRIBUTE_TYPE = 20,
        TYPE_INT = 2,
        NODE_ATTRIBUTE = 5
    };
    struct message attribute = {.used = 0};
    put_string_field(&attribute, ATTRIBUTE_NAME, name);
    put_integer_field(&attribute, ATTRIBUTE_I, number);
    put_integer_field(&attribute, ATTRIBUTE_TYPE, TYPE_INT);
    put_message_field(node, NODE_ATTRIBUTE, &attribute);
}

static void put_node(struct message *graph, uint32_t axis, bool largest)
{
    enum {
        NODE_INPUT = 1,
        NODE_OUTPUT = 2,
        NODE_OP_TYPE = 4,
        GRAPH_NODE = 1
    };
    struct message node = {.used = 0};
    put_string_field(&node, NODE_INPUT, "X");
    put_string_field(&node, NODE_INPUT, "K");
    put_string_field(&node, NODE_OUTPUT, "Values");
    put_string_field(&node, NODE_OUTPUT, "Indices");
    put_string_field(&node, NODE_OP_TYPE, "TopK");
    put_attribute(&node, "axis", axis);
    put_attribute(&node, "largest", largest);
    put_attribute(&node, "sorted", 1);
    put_message_field(graph, GRAPH_NODE, &node);
}

/* An input or output of the graph, of a known rank and unknown sizes. */
static void put_value_info(struct message *graph, uint32_t graph_field, const char *name,
                           uint32_t data_type, uint32_t rank)
{
    enum {
        SHAPE_DIM = 1,
        TENSOR_ELEM_TYPE = 1,
        TENSOR_SHAPE = 2,
        TYPE_TENSOR = 1,
        VALUE_INFO_NAME = 1,
        VALUE_INFO_TYPE = 2
    };
    const struct message unknown_size = {.used = 0};
    struct message shape = {.used = 0};
    struct message tensor = {.used = 0};
    struct message type_proto = {.used = 0};
    struct message value_info = {.used = 0};
    for (uint32_t dimension = 0; dimension < rank; dimension++) {
        put_message_field(&shape, SHAPE_DIM, &unknown_size);
    }
    put_integer_field(&tensor, TENSOR_ELEM_TYPE, data_type);
    put_message_field(&tensor, TENSOR_SHAPE, &shape);
    put_message_field(&type_proto, TYPE_TENSOR, &tensor);
    put_string_field(&value_info, VALUE_INFO_NAME, name);
    put_message_field(&value_info, VALUE_INFO_TYPE, &type_proto);
    put_message_field(graph, graph_field, &value_info);
}

size_t topk_onnx_model(uint8_t model[TOPK_ONNX_MODEL_CAPACITY], uint32_t data_type, uint32_t rank,
                       uint32_t axis, bool largest)
{
    enum {
        GRAPH_NAME = 2,
        GRAPH_INPUT = 11,
        GRAPH_OUTPUT = 12,
        MODEL_IR_VERSION = 1,
        MODEL_GRAPH = 7,
        MODEL_OPSET_IMPORT = 8,
        OPSET_VERSION = 2
    };
    struct message graph = {.used = 0};
    put_node(&graph, axis, largest);
    put_string_field(&graph, GRAPH_NAME, "topk");
    put_value_info(&graph, GRAPH_INPUT, "X", data_type, rank);
    put_value_info(&graph, GRAPH_INPUT, "K", DATA_TYPE_INT64, 1);
    put_value_info(&graph, GRAPH_OUTPUT, "Values", data_type, rank);
    put_value_info(&graph, GRAPH_OUTPUT, "Indices", DATA_TYPE_INT64, rank);

    /* Opset 11 is the first whose TopK has `largest`; IR version 6 belongs to it. */
    struct message opset = {.used = 0};
    struct message whole = {.used = 0};
    put_integer_field(&opset, OPSET_VERSION, 11);
    put_integer_field(&whole, MODEL_IR_VERSION, 6);
    put_message_field(&whole, MODEL_GRAPH, &graph);
    put_message_field(&whole, MODEL_OPSET_IMPORT, &opset);
    if (whole.full) {
        return 0;
    }
    memcpy(model, whole.bytes, whole.used);
    return whole.used;
}
