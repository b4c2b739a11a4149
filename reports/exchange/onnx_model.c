/* See onnx_model.h. The messages and their field numbers are those of onnx.proto. */
#include "onnx_model.h"

#include <string.h>

#include "protobuf.h"

/* TensorProto.DataType of K and of the indices. */
#define DATA_TYPE_INT64 7u

static void put_attribute(struct topk_message *node, const char *name, uint64_t number)
{
    enum {
        ATTRIBUTE_NAME = 1,
        ATTRIBUTE_I = 3,
        ATTRIBUTE_TYPE = 20,
        TYPE_INT = 2,
        NODE_ATTRIBUTE = 5
    };
    struct topk_message attribute = {.used = 0};
    topk_message_string(&attribute, ATTRIBUTE_NAME, name);
    topk_message_integer(&attribute, ATTRIBUTE_I, number);
    topk_message_integer(&attribute, ATTRIBUTE_TYPE, TYPE_INT);
    topk_message_inner(node, NODE_ATTRIBUTE, &attribute);
}

static void put_node(struct topk_message *graph, uint32_t axis, bool largest)
{
    enum {
        NODE_INPUT = 1,
        NODE_OUTPUT = 2,
        NODE_OP_TYPE = 4,
        GRAPH_NODE = 1
    };
    struct topk_message node = {.used = 0};
    topk_message_string(&node, NODE_INPUT, "X");
    topk_message_string(&node, NODE_INPUT, "K");
    topk_message_string(&node, NODE_OUTPUT, "Values");
    topk_message_string(&node, NODE_OUTPUT, "Indices");
    topk_message_string(&node, NODE_OP_TYPE, "TopK");
    put_attribute(&node, "axis", axis);
    put_attribute(&node, "largest", largest);
    put_attribute(&node, "sorted", 1);
    topk_message_inner(graph, GRAPH_NODE, &node);
}

/* An input or output of the graph, of a known rank and unknown sizes. */
static void put_value_info(struct topk_message *graph, uint32_t graph_field, const char *name,
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
    const struct topk_message unknown_size = {.used = 0};
    struct topk_message shape = {.used = 0};
    struct topk_message tensor = {.used = 0};
    struct topk_message type_proto = {.used = 0};
    struct topk_message value_info = {.used = 0};
    for (uint32_t dimension = 0; dimension < rank; dimension++) {
        topk_message_inner(&shape, SHAPE_DIM, &unknown_size);
    }
    topk_message_integer(&tensor, TENSOR_ELEM_TYPE, data_type);
    topk_message_inner(&tensor, TENSOR_SHAPE, &shape);
    topk_message_inner(&type_proto, TYPE_TENSOR, &tensor);
    topk_message_string(&value_info, VALUE_INFO_NAME, name);
    topk_message_inner(&value_info, VALUE_INFO_TYPE, &type_proto);
    topk_message_inner(graph, graph_field, &value_info);
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
    struct topk_message graph = {.used = 0};
    put_node(&graph, axis, largest);
    topk_message_string(&graph, GRAPH_NAME, "topk");
    put_value_info(&graph, GRAPH_INPUT, "X", data_type, rank);
    put_value_info(&graph, GRAPH_INPUT, "K", DATA_TYPE_INT64, 1);
    put_value_info(&graph, GRAPH_OUTPUT, "Values", data_type, rank);
    put_value_info(&graph, GRAPH_OUTPUT, "Indices", DATA_TYPE_INT64, rank);

    /* Opset 11 is the first whose TopK has the attribute `largest`; IR version 6 belongs to it. */
    struct topk_message opset = {.used = 0};
    struct topk_message whole = {.used = 0};
    topk_message_integer(&opset, OPSET_VERSION, 11);
    topk_message_integer(&whole, MODEL_IR_VERSION, 6);
    topk_message_inner(&whole, MODEL_GRAPH, &graph);
    topk_message_inner(&whole, MODEL_OPSET_IMPORT, &opset);
    if (whole.full) {
        return 0;
    }
    memcpy(model, whole.bytes, whole.used);
    return whole.used;
}
