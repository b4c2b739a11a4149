// at::topk of libtorch, sorted, on the CPU, into memory of the caller's.
#include "field.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <cstdint>
#include <exception>
#include <vector>

static at::ScalarType scalar_type(std::uint32_t type)
{
    return type == TOPK_BACKEND_FLOAT32   ? at::kFloat
           : type == TOPK_BACKEND_FLOAT16 ? at::kHalf
           : type == TOPK_BACKEND_UINT8   ? at::kByte
           : type == TOPK_BACKEND_INT32   ? at::kInt
           : type == TOPK_BACKEND_INT16   ? at::kShort
           : type == TOPK_BACKEND_INT8    ? at::kChar
                                          : at::kLong;
}

static int run(void * /*self*/, const field_call *call)
{
    try {
        at::set_num_threads(1);
        const std::vector<std::int64_t> sizes(call->sizes, call->sizes + call->rank);
        const at::Tensor input =
            at::from_blob(const_cast<void *>(call->input), sizes, scalar_type(call->type));
        std::vector<std::int64_t> outputs = sizes;
        outputs[call->axis] = call->k;
        at::Tensor values = at::from_blob(call->values, outputs, scalar_type(call->type)),
                   indices = at::from_blob(call->indices, outputs, at::kLong);
        at::topk_out(values, indices, input, call->k, call->axis, call->largest != 0, true);
        return 0;
    } catch (const std::exception &failure) {
        return field_failed(call, failure.what());
    }
}

// Before 2.0 the CPU has no topk of float16.
static void describe(void * /*self*/, struct field_library *library, topk_backend_info * /*info*/)
{
    try {
        (void)at::topk(at::zeros({1}, at::kHalf), 1);
    } catch (const std::exception &) {
        library->rules = "ties=any types=f32,i64,i32,i16,i8,u8";
    }
}

#define TYPES  "ties=any types=f32,f16,i64,i32,i16,i8,u8"
#define SOURCE "https://docs.pytorch.org/docs/stable/generated/torch.topk.html"
const struct field_library field_library = {"torch.topk", FIELD_VERSION, TYPES,   SOURCE,
                                            run,          nullptr,       describe};
