/* Models for DxDispatch, the tool of Microsoft's that runs one DirectML operator as a JSON file
 * says (github.com/microsoft/DirectML, DxDispatch/doc/Guide.md; what is said here was read in its
 * parser, src/model/JsonParsers.cpp, and in src/dxdispatch).
 *
 * Data are in raw files beside the model, which keep every bit: numbers in JSON pass through a
 * double there, and of NaN it knows one. Each resource is a whole buffer, with what lies before and
 * behind the tensor; a binding names the tensor's first byte and goes to the end of the buffer. */
#ifndef TOPK_DXDISPATCH_H
#define TOPK_DXDISPATCH_H

#include <stdio.h>

#include "reference/operator.h"

/* The files beside the model: what each buffer holds before the call, what the outputs are to hold
 * after it, and what DxDispatch writes. */
#define TOPK_DXDISPATCH_MODEL    "model.json"
#define TOPK_DXDISPATCH_BEFORE   "%s.before.bin"   /* a role's name */
#define TOPK_DXDISPATCH_EXPECTED "%s.expected.bin" /* a role's name */
#define TOPK_DXDISPATCH_ACTUAL   "%s.actual.bin"   /* a role's name */

struct topk_dxdispatch_buffer {
    uint64_t bytes;  /* of the buffer and of its file; a multiple of the elements' */
    uint64_t offset; /* of the tensor in it */
};

/* Room for a reason. */
#define TOPK_DXDISPATCH_REASON 200

/* Whether the format can say an operator; if not, why. */
bool topk_dxdispatch_can(const struct topk_operator *op, char reason[TOPK_DXDISPATCH_REASON]);

/* Writes model.json of an operator that the format can say. buffers: of the tensors, by enum
 * topk_role; NULL: the operator is created and not run, since it is to be refused. */
void topk_dxdispatch_write(FILE *out, const struct topk_operator *op,
                           const struct topk_dxdispatch_buffer buffers[TOPK_ROLE_COUNT]);

#endif
