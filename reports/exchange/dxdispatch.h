/* Models for DxDispatch, Microsoft's tool that runs one DirectML operator as described by a JSON
 * file (github.com/microsoft/DirectML, DxDispatch/doc/Guide.md; details are from its parser,
 * src/model/JsonParsers.cpp, and from src/dxdispatch).
 *
 * The data is in raw files next to the model, which preserve every bit: DxDispatch converts JSON
 * numbers to double, and supports only one NaN. Each resource is a whole buffer, including the
 * bytes before and after the tensor; a binding starts at the tensor's first byte and extends to the
 * end of the buffer.
 */
#ifndef TOPK_DXDISPATCH_H
#define TOPK_DXDISPATCH_H

#include <stdio.h>

#include "reference/operator.h"

/* The model and the files next to it: the content of each buffer before the call, the expected
 * outputs, and what DxDispatch writes. */
#define TOPK_DXDISPATCH_MODEL    "model.json"
#define TOPK_DXDISPATCH_BEFORE   "%s.before.bin"   /* a role's name */
#define TOPK_DXDISPATCH_EXPECTED "%s.expected.bin" /* a role's name */
#define TOPK_DXDISPATCH_ACTUAL   "%s.actual.bin"   /* a role's name */

struct topk_dxdispatch_buffer {
    uint64_t bytes;  /* of the buffer and of its file; a multiple of the element size */
    uint64_t offset; /* of the tensor in it */
};

/* Size of a reason. */
#define TOPK_DXDISPATCH_REASON 200

/* Whether the format can represent an operator; if not, why. */
bool topk_dxdispatch_can(const struct topk_operator *op, char reason[TOPK_DXDISPATCH_REASON]);

/* Writes model.json for an operator that the format can represent. buffers: of the tensors, by enum
 * topk_role; NULL: the operator is only created, because it must be refused. */
void topk_dxdispatch_write(FILE *out, const struct topk_operator *op,
                           const struct topk_dxdispatch_buffer buffers[TOPK_ROLE_COUNT]);

#endif
