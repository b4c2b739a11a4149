/* Opens a Direct3D 12 device on other systems than Windows, with libvkd3d, which translates to
 * Vulkan. The library is loaded when needed, so that a worker also runs without it. */
#define _POSIX_C_SOURCE 200809L
#include "gpu.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define LIBRARY "libvkd3d-utils.so.1"

static bool load(void *library, const char *name, void *function, size_t bytes)
{
    void *symbol = dlsym(library, name);
    /* POSIX guarantees that object and function pointers have the same representation */
    memcpy(function, &symbol, bytes);
    return symbol != NULL;
}

bool topk_gpu_create_device(struct topk_gpu *gpu, const struct topk_gpu_options *options,
                            char *error, size_t error_bytes)
{
    if (options->adapter[0] != 0) {
        snprintf(error, error_bytes,
                 "adapter=%s: libvkd3d takes the first Vulkan device; name its driver with "
                 "VK_DRIVER_FILES instead",
                 options->adapter);
        return false;
    }
    gpu->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (gpu->library == NULL) {
        snprintf(error, error_bytes, "libvkd3d cannot be loaded (Debian: libvkd3d-utils1): %s",
                 dlerror());
        return false;
    }
    topk_d3d12_create create = NULL;
    if (!load(gpu->library, "D3D12CreateDevice", &create, sizeof create) ||
        !load(gpu->library, "D3D12SerializeRootSignature", &gpu->serialize_root_signature,
              sizeof gpu->serialize_root_signature)) {
        snprintf(error, error_bytes,
                 LIBRARY " lacks D3D12CreateDevice or D3D12SerializeRootSignature");
        return false;
    }
    const HRESULT result =
        create(NULL, D3D_FEATURE_LEVEL_11_0, &IID_ID3D12Device, (void **)&gpu->device);
    if (FAILED(result)) {
        gpu->device = NULL;
        snprintf(error, error_bytes,
                 "libvkd3d finds no Vulkan device of feature level 11_0: %08" PRIx32 " %s",
                 (uint32_t)result, topk_hresult_name(result));
        return false;
    }
    topk_gpu_describe_stack(gpu);
    return true;
}

uint32_t topk_gpu_device_option(uint32_t number, char *options, size_t options_bytes)
{
    (void)number; /* there is only one device */
    snprintf(options, options_bytes, "%s", "");
    return 0;
}

void topk_gpu_unload(struct topk_gpu *gpu)
{
    /* the library stays loaded, because drivers leave threads behind that would run unmapped code
     */
    gpu->library = NULL;
}

HRESULT topk_gpu_wait(struct topk_gpu *gpu, uint64_t value)
{
    struct timespec start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    /* libvkd3d's events have no time limit, so this polls the fence */
    while (ID3D12Fence_GetCompletedValue(gpu->fence) < value) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        const int64_t passed =
            (int64_t)(now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000;
        if (passed >= (int64_t)gpu->timeout_ms) {
            return (HRESULT)TOPK_DXGI_ERROR_WAIT_TIMEOUT;
        }
        const struct timespec pause = {.tv_nsec = 20000};
        nanosleep(&pause, NULL);
    }
    return S_OK;
}
