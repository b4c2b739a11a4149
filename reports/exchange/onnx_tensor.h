/* ONNX's tensors as files: a TensorProto, as in the test data of ONNX's node tests. */
#ifndef TOPK_ONNX_TENSOR_H
#define TOPK_ONNX_TENSOR_H

#include "packed.h"
#include "protobuf.h"

/* The number in TensorProto.DataType of one of the ten types. */
uint32_t topk_onnx_type(uint32_t type);

/* Writes the part of a tensor before its data, which must follow in the form of topk_packed. */
void topk_onnx_tensor_head(const struct topk_packed *packed, const char *name,
                           struct topk_message *head);

/* Reads a whole TensorProto; its name, of `name_size` bytes in the input, may be NULL. Returns
 * false, with *refusal filled and *packed cleared, if it is truncated or malformed, has external
 * data, or a type that TOP_K lacks; otherwise clear *packed. */
bool topk_onnx_tensor_read(struct topk_fields message, struct topk_packed *packed,
                           const uint8_t **name, size_t *name_size, struct topk_refusal *refusal);

#endif
