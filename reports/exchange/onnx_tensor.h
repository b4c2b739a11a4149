/* ONNX's tensors as files: a TensorProto, as the test data of ONNX's node tests has them. */
#ifndef TOPK_ONNX_TENSOR_H
#define TOPK_ONNX_TENSOR_H

#include "packed.h"
#include "protobuf.h"

/* The number that TensorProto.DataType has for one of the ten types. */
uint32_t topk_onnx_type(uint32_t type);

/* Writes all of a tensor that comes before its data; the data, as topk_packed has them, follow. */
void topk_onnx_tensor_head(const struct topk_packed *packed, const char *name,
                           struct topk_message *head);

/* Reads a whole TensorProto; its name, of `name_size` bytes within it, may be NULL. False, with
 * *refusal filled, if it cannot be read: cut off, malformed, with data elsewhere, of a
 * type that TOP_K does not have. *packed is then cleared, and is to be cleared otherwise. */
bool topk_onnx_tensor_read(struct topk_fields message, struct topk_packed *packed,
                           const uint8_t **name, size_t *name_size, struct topk_refusal *refusal);

#endif
