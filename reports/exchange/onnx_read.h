/* Reads an ONNX model of one TopK node: the case in it, and which tensor of the test data is which.
 */
#ifndef TOPK_ONNX_READ_H
#define TOPK_ONNX_READ_H

#include "packed.h"

/* No tensor of the test data. */
#define TOPK_ONNX_NONE UINT32_MAX

struct topk_onnx_topk {
    int64_t axis; /* may count from the end: -1 is the last dimension */
    bool largest;
    bool has_k; /* K is in the model, not in the test data */
    int64_t k;
    uint32_t input; /* number of the graph's input that is X: input_N.pb */
    uint32_t k_input;
    uint32_t value; /* number of the graph's output that is Values: output_N.pb */
    uint32_t index;
};

/* Reads a model of any opset that has TopK. False, with *refusal filled, if it is another model, or
 * one with more than one node, or asks for what TOP_K does not have, such as outputs that are not
 * sorted. Nothing is owned. */
bool topk_onnx_read(const unsigned char *bytes, size_t size, struct topk_onnx_topk *model,
                    struct topk_refusal *refusal);

#endif
