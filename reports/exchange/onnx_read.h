/* Reads an ONNX model with one TopK node: its case, and which tensors of the test data belong to
 * it. */
#ifndef TOPK_ONNX_READ_H
#define TOPK_ONNX_READ_H

#include "packed.h"

/* The tensor is not in the test data. */
#define TOPK_ONNX_NONE UINT32_MAX

struct topk_onnx_topk {
    int64_t axis; /* may count from the end: -1 is the last dimension */
    bool largest;
    bool has_k; /* K is in the model, not in the test data */
    int64_t k;
    uint32_t input; /* number of the graph's input X: input_N.pb */
    uint32_t k_input;
    uint32_t value; /* number of the graph's output Values: output_N.pb */
    uint32_t index;
};

/* Reads a model of any opset with TopK. Returns false, with *refusal filled, if it is another
 * model, has more than one node, or requires what TOP_K lacks, such as unsorted outputs. The result
 * owns no memory. */
bool topk_onnx_read(const unsigned char *bytes, size_t size, struct topk_onnx_topk *model,
                    struct topk_refusal *refusal);

#endif
