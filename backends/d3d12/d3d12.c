/* The backend d3d12: the project's own top-K in HLSL, on any Direct3D 12 device, with or without
 * DirectML.
 *
 * shaders.def lists the variants; variant=auto chooses among those of shader model 5.1.
 * kernel/kernel.h describes how a call is processed.
 */
#include "kernel.h"
#include "topk_backend.h"

#include <inttypes.h>
#include <stdio.h>

extern const struct topk_backend topk_backend_d3d12;

/* greatest number of calls in a list */
#define CALLS 256u

struct topk_device {
    struct topk_gpu_options options;
    struct topk_gpu gpu;
    struct topk_d3d12_kernels kernels;
    struct topk_gpu_places places[CALLS]; /* of the loaded calls */
};

/* Maps every success code to 0. */
static int32_t code_of(HRESULT result)
{
    return SUCCEEDED(result) ? 0 : (int32_t)result;
}

/* ---- The device ----------------------------------------------------------------------------- */

static bool take_option(struct topk_device *device, const char *key, const char *value)
{
    return topk_gpu_take_option(&device->options, key, value);
}

static bool open_device(struct topk_device *device, uint32_t timeout_ms, char *error,
                        size_t error_bytes)
{
    device->options.timeout_ms = timeout_ms;
    if (!topk_gpu_open(&device->gpu, &device->options, error, error_bytes)) {
        return false;
    }
    const HRESULT result = topk_d3d12_kernels_open(&device->kernels, &device->gpu);
    if (FAILED(result)) {
        snprintf(error, error_bytes, "%s: creating a root signature: %08" PRIx32 " %s",
                 device->gpu.name, (uint32_t)result, topk_hresult_name(result));
        topk_gpu_close(&device->gpu);
    }
    return SUCCEEDED(result);
}

static void close_device(struct topk_device *device)
{
    if (!device->gpu.timed_out) {
        topk_d3d12_kernels_close(&device->kernels);
    }
    topk_gpu_close(&device->gpu);
}

static void describe(const struct topk_device *device, struct topk_backend_info *info)
{
    const struct topk_gpu *gpu = &device->gpu;
    info->name = "d3d12";
    info->device = gpu->name;
    info->driver = gpu->driver;
    info->features = gpu->features;
    info->flags = gpu->software ? TOPK_BACKEND_SOFTWARE_DEVICE : 0u;
}

static bool offered(const struct topk_device *device, uint32_t variant, char *reason,
                    size_t reason_bytes)
{
    return topk_d3d12_variant_offered(&device->gpu, variant, reason, reason_bytes);
}

static const struct topk_shader *choose(const struct topk_device *device, uint32_t *variant,
                                        const struct topk_cpu_plan *plan, char *reason,
                                        size_t reason_bytes)
{
    return topk_d3d12_variant_choose(&device->gpu, variant, plan, reason, reason_bytes);
}

/* ---- Calls ---------------------------------------------------------------------------------- */

static int32_t prepare(struct topk_device *device, struct topk_kernel_job *job)
{
    return code_of(topk_d3d12_kernels_prepare(&device->kernels, job));
}

static int32_t reserve(struct topk_device *device, uint32_t count, uint64_t scratch_bytes)
{
    return code_of(topk_d3d12_kernels_reserve(&device->kernels, count, scratch_bytes));
}

static int32_t load(struct topk_device *device, const struct topk_backend_call *const calls[],
                    uint32_t count)
{
    return code_of(topk_gpu_load(&device->gpu, calls, count, device->places));
}

static int32_t submit(struct topk_device *device, struct topk_kernel_job *jobs,
                      const struct topk_backend_call *const calls[], uint32_t count)
{
    (void)calls;
    topk_d3d12_kernels_record(&device->kernels, jobs, count, device->places);
    return 0;
}

static int32_t finish(struct topk_device *device, const struct topk_backend_call *const calls[],
                      uint32_t count)
{
    return code_of(topk_gpu_finish(&device->gpu, calls, count, device->places));
}

static int32_t repeat(struct topk_device *device, struct topk_kernel_job *jobs, uint32_t count)
{
    if (!topk_gpu_holds(&device->gpu, count, device->places)) {
        return (int32_t)TOPK_E_INVALIDARG;
    }
    topk_d3d12_kernels_record(&device->kernels, jobs, count, device->places);
    const HRESULT result = topk_gpu_execute(&device->gpu);
    if (FAILED(result)) {
        topk_gpu_discard(&device->gpu);
    }
    return code_of(result);
}

static void answer_failure(struct topk_device *device, int32_t result, const char *doing,
                           uint64_t bytes, struct topk_backend_answer *answer)
{
    struct topk_gpu *gpu = &device->gpu;
    topk_gpu_answer(gpu, (HRESULT)result, doing, bytes, answer);
    topk_gpu_discard(gpu);
    if (answer->status == TOPK_BACKEND_OUT_OF_MEMORY) {
        topk_gpu_trim(gpu);
    }
}

static bool is_lost(const struct topk_device *device, struct topk_backend_answer *answer)
{
    return topk_gpu_lost(&device->gpu, answer);
}

static void trim(struct topk_device *device)
{
    topk_gpu_trim(&device->gpu);
    topk_gpu_trim_buffer(&device->gpu, &device->kernels.scratch);
}

/* ---- The interface -------------------------------------------------------------------------- */

static const struct topk_kernel_api api = {
    .device_bytes = sizeof(struct topk_device),
    .calls = CALLS,
    .list_bytes = UINT64_C(64) << 20,
    .variants = topk_d3d12_variants,
    .variant_count = TOPK_VARIANTS,
    .automatic = "by the length of a sequence",
    .options = TOPK_GPU_OPTIONS,
    .take_option = take_option,
    .open = open_device,
    .close = close_device,
    .describe = describe,
    .offered = offered,
    .choose = choose,
    .prepare = prepare,
    .reserve = reserve,
    .load = load,
    .submit = submit,
    .finish = finish,
    .repeat = repeat,
    .answer = answer_failure,
    .lost = is_lost,
    .trim = trim,
};

static void *backend_open(const char *options, char *error, size_t error_bytes)
{
    return topk_kernel_open(&api, options, error, error_bytes);
}

const struct topk_backend topk_backend_d3d12 = {
    .abi = TOPK_BACKEND_ABI,
    .struct_bytes = sizeof(struct topk_backend),
    .name = "d3d12",
    .summary =
        "HLSL on Direct3D 12, the project's own; options adapter=, timeout=SECONDS, variant=",
    .open = backend_open,
    .describe = topk_kernel_describe,
    .supports = topk_kernel_supports,
    .run = topk_kernel_run,
    .close = topk_kernel_close,
    .device = topk_gpu_device_option,
    .repeat = topk_kernel_repeat,
};
