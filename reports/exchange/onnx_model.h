/* The ONNX model that the backend onnxruntime runs and `topk-cts export` writes: a graph of a
 * single TopK node (opset 11, sorted = 1), with inputs X and K and outputs Values and Indices.
 * Sizes are open and K is an input, so that it serves tensors of every size. It needs nothing from
 * ONNX Runtime. */
#ifndef TOPK_ONNX_MODEL_H
#define TOPK_ONNX_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOPK_ONNX_MODEL_CAPACITY 512u /* a model of rank 8 takes 203 bytes */

/* Encodes the model. data_type: that of X and Values, as in TensorProto.DataType; rank: their rank;
 * axis and largest: the attributes of TopK. Returns the size of the model, or 0 if it exceeds
 * TOPK_ONNX_MODEL_CAPACITY. */
size_t topk_onnx_model(uint8_t model[TOPK_ONNX_MODEL_CAPACITY], uint32_t data_type, uint32_t rank,
                       uint32_t axis, bool largest);

#endif
