/* The ONNX model that the backend onnxruntime runs and `topk-cts export` writes: a graph of a
 * single TopK node (opset 11, sorted = 1), with inputs X and K and outputs Values and Indices. It
 * leaves sizes open and takes K as an input, so it serves tensors of every size. It needs nothing
 * of ONNX Runtime.
 */
#ifndef TOPK_ONNX_MODEL_H
#define TOPK_ONNX_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOPK_ONNX_MODEL_CAPACITY 512u /* that of rank 8 takes 203 bytes */

/* Encodes the model. data_type is that of X and Values, as TensorProto.DataType numbers it; rank is
 * theirs; axis and largest are the attributes of TopK. Returns how many bytes the model has, or 0
 * if TOPK_ONNX_MODEL_CAPACITY is too small for it. */
size_t topk_onnx_model(uint8_t model[TOPK_ONNX_MODEL_CAPACITY], uint32_t data_type, uint32_t rank,
                       uint32_t axis, bool largest);

#endif
