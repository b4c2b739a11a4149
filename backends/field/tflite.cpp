// TOPK_V2 of TensorFlow Lite: the built-in kernel of its interpreter.
#include "field.h"

#include <tensorflow/lite/core/c/common.h>
#include <tensorflow/lite/interpreter.h>
#include <tensorflow/lite/kernels/register.h>

#include <cstring>
#include <vector>

static TfLiteType lite_type(std::uint32_t type)
{
    return type == TOPK_BACKEND_FLOAT32 ? kTfLiteFloat32
           : type == TOPK_BACKEND_UINT8 ? kTfLiteUInt8
           : type == TOPK_BACKEND_INT8  ? kTfLiteInt8
           : type == TOPK_BACKEND_INT32 ? kTfLiteInt32
                                        : kTfLiteInt64;
}

static int run(void * /*self*/, const field_call *call)
{
    static const tflite::ops::builtin::BuiltinOpResolver kernels;
    const TfLiteQuantizationParams none = {0, 0}, scale = {call->width == 1 ? 1.0F : 0.0F,
                                                           0}; // 8-bit tensors need one
    tflite::Interpreter lite;
    lite.AddTensors(4);
    lite.SetInputs({0, 1});
    lite.SetOutputs({2, 3});
    lite.SetTensorParametersReadWrite(0, lite_type(call->type), "x",
                                      std::vector<int>(call->sizes, call->sizes + call->rank),
                                      scale);
    lite.SetTensorParametersReadWrite(1, kTfLiteInt32, "k", {1}, none);
    lite.SetTensorParametersReadWrite(2, lite_type(call->type), "values", {}, scale);
    lite.SetTensorParametersReadWrite(3, kTfLiteInt32, "indices", {}, none);
    lite.AddNodeWithParameters({0, 1}, {2, 3}, nullptr, 0, nullptr,
                               kernels.FindOp(tflite::BuiltinOperator_TOPK_V2, 1));
    if (lite.AllocateTensors() != kTfLiteOk)
        return field_failed(call, "AllocateTensors");
    std::memcpy(lite.tensor(0)->data.raw, call->input, lite.tensor(0)->bytes);
    *lite.tensor(1)->data.i32 = static_cast<int>(call->k);
    if (lite.Invoke() != kTfLiteOk)
        return field_failed(call, "Invoke");
    const std::size_t outputs = lite.tensor(3)->bytes / sizeof(int);
    if (outputs != call->rows * call->k || lite.tensor(2)->bytes != outputs * call->width)
        return field_failed(call, "the shape");
    std::memcpy(call->values, lite.tensor(2)->data.raw, outputs * call->width);
    for (std::size_t i = 0; i < outputs; i++)
        call->indices[i] = lite.tensor(3)->data.i32[i];
    return 0;
}

#define TYPES  "axes=last directions=largest types=f32,i32,i64,u8,i8"
#define SOURCE "https://www.tensorflow.org/api_docs/python/tf/math/top_k"
const struct field_library field_library = {"TensorFlow Lite", FIELD_VERSION, TYPES, SOURCE, run};
