/* Files of other projects: DxDispatch's JSON, NumPy's .npy, ONNX's models and tensors. */
#ifndef TOPK_EXCHANGE_H
#define TOPK_EXCHANGE_H

#include "dxdispatch.h"
#include "npy.h"
#include "onnx_model.h"
#include "onnx_read.h"
#include "onnx_tensor.h"
#include "packed.h"

#endif
