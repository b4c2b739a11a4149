/* Opens a Direct3D 12 device on Windows and under Wine, on an adapter of DXGI. */
#include "gpu.h"

#include <dxgi1_4.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool load(HMODULE library, const char *name, void *function, size_t bytes)
{
    FARPROC symbol = GetProcAddress(library, name);
    memcpy(function, &symbol, bytes);
    return symbol != NULL;
}

/* parses 0 to 9 digits; -1 if there are none or other characters */
static long parse_number(const char *text)
{
    const size_t digits = strspn(text, "0123456789");
    return digits == 0 || digits > 9 || text[digits] != 0 ? -1 : strtol(text, NULL, 10);
}

static void adapter_name(const DXGI_ADAPTER_DESC1 *desc, char name[TOPK_GPU_TEXT])
{
    if (WideCharToMultiByte(CP_UTF8, 0, desc->Description, -1, name, TOPK_GPU_TEXT, NULL, NULL) ==
        0) {
        snprintf(name, TOPK_GPU_TEXT, "adapter %04x:%04x", (unsigned)desc->VendorId,
                 (unsigned)desc->DeviceId);
    }
}

/* Wine's DXGI does not set the flag */
static bool is_software(const DXGI_ADAPTER_DESC1 *desc, const char *name)
{
    static const char *const known[] = {"llvmpipe", "swiftshader", "basic render"};
    bool software = (desc->Flags & DXGI_ADAPTER_FLAG_SOFTWARE) != 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        software = software || topk_option_names(known[i], name);
    }
    return software;
}

static bool is_wanted(const struct topk_gpu_options *options, UINT number, const char *name,
                      bool software)
{
    const char *wanted = options->adapter;
    if (wanted[0] == 0) {
        return true;
    }
    if (strcmp(wanted, "software") == 0 || strcmp(wanted, "hardware") == 0) {
        return software == (wanted[0] == 's');
    }
    const long wanted_number = parse_number(wanted);
    return wanted_number >= 0 ? (UINT)wanted_number == number : topk_option_names(wanted, name);
}

static void driver_version(IDXGIAdapter1 *adapter, char driver[TOPK_GPU_TEXT])
{
    static const GUID dxgi_device = {
        0x54ec77fa, 0x1377, 0x44e6, {0x8c, 0x32, 0x88, 0xfd, 0x5f, 0x44, 0xc8, 0x4c}};
    LARGE_INTEGER version = {.QuadPart = 0};
    if (SUCCEEDED(IDXGIAdapter1_CheckInterfaceSupport(adapter, &dxgi_device, &version))) {
        snprintf(driver, TOPK_GPU_TEXT, "%u.%u.%u.%u", (unsigned)HIWORD(version.HighPart),
                 (unsigned)LOWORD(version.HighPart), (unsigned)HIWORD(version.LowPart),
                 (unsigned)LOWORD(version.LowPart));
    }
}

/* the selected adapter; NULL, with a list of all adapters in error */
static IDXGIAdapter1 *find_adapter(struct topk_gpu *gpu, IDXGIFactory1 *factory,
                                   const struct topk_gpu_options *options, char *error,
                                   size_t error_bytes)
{
    IDXGIAdapter1 *adapter = NULL;
    int length = snprintf(error, error_bytes, "no adapter '%s'; there are:", options->adapter);
    for (UINT i = 0; SUCCEEDED(IDXGIFactory1_EnumAdapters1(factory, i, &adapter)); i++) {
        DXGI_ADAPTER_DESC1 desc;
        memset(&desc, 0, sizeof desc);
        IDXGIAdapter1_GetDesc1(adapter, &desc);
        adapter_name(&desc, gpu->name);
        gpu->software = is_software(&desc, gpu->name);
        if (is_wanted(options, i, gpu->name, gpu->software)) {
            driver_version(adapter, gpu->driver);
            return adapter;
        }
        if (length > 0 && (size_t)length < error_bytes) {
            length += snprintf(error + length, error_bytes - (size_t)length, "%s %u %s",
                               i == 0 ? "" : ",", (unsigned)i, gpu->name);
        }
        IDXGIAdapter1_Release(adapter);
    }
    if (length > 0 && (size_t)length < error_bytes && error[length - 1] == ':') {
        snprintf(error + length, error_bytes - (size_t)length, " none");
    }
    return NULL;
}

static IDXGIFactory1 *create_factory(char *error, size_t error_bytes)
{
    typedef HRESULT(WINAPI * create_function)(REFIID, void **);
    create_function create = NULL;
    IDXGIFactory1 *factory = NULL;
    const HMODULE dxgi = LoadLibraryA("dxgi.dll");
    if (dxgi == NULL || !load(dxgi, "CreateDXGIFactory1", &create, sizeof create)) {
        snprintf(error, error_bytes, "dxgi.dll cannot be loaded: error %lu", GetLastError());
        return NULL;
    }
    const HRESULT result = create(&IID_IDXGIFactory1, (void **)&factory);
    if (FAILED(result)) {
        snprintf(error, error_bytes,
                 "DXGI finds no adapter: %08" PRIx32 " %s (is there a display, and a driver?)",
                 (uint32_t)result, topk_hresult_name(result));
        return NULL;
    }
    return factory;
}

bool topk_gpu_create_device(struct topk_gpu *gpu, const struct topk_gpu_options *options,
                            char *error, size_t error_bytes)
{
    const HMODULE library = LoadLibraryA("d3d12.dll");
    topk_d3d12_create create = NULL;
    if (library == NULL || !load(library, "D3D12CreateDevice", &create, sizeof create) ||
        !load(library, "D3D12SerializeRootSignature", &gpu->serialize_root_signature,
              sizeof gpu->serialize_root_signature)) {
        snprintf(error, error_bytes, "d3d12.dll cannot be loaded: error %lu", GetLastError());
        return false;
    }
    gpu->library = library;
    gpu->event = CreateEventA(NULL, FALSE, FALSE, NULL);
    IDXGIFactory1 *factory = gpu->event == NULL ? NULL : create_factory(error, error_bytes);
    IDXGIAdapter1 *adapter =
        factory == NULL ? NULL : find_adapter(gpu, factory, options, error, error_bytes);
    HRESULT result = S_OK;
    if (adapter != NULL) {
        result = create((IUnknown *)adapter, D3D_FEATURE_LEVEL_11_0, &IID_ID3D12Device,
                        (void **)&gpu->device);
        IDXGIAdapter1_Release(adapter);
    }
    topk_gpu_release_object(factory);
    if (FAILED(result)) {
        gpu->device = NULL;
        snprintf(error, error_bytes,
                 "%s is no Direct3D 12 device of feature level 11_0: %08" PRIx32 " %s", gpu->name,
                 (uint32_t)result, topk_hresult_name(result));
    }
    if (gpu->device == NULL) {
        return false;
    }
    topk_gpu_describe_stack(gpu);
    return true;
}

uint32_t topk_gpu_device_option(uint32_t number, char *options, size_t options_bytes)
{
    char error[256];
    IDXGIAdapter1 *adapter = NULL;
    IDXGIFactory1 *factory = create_factory(error, sizeof error);
    if (factory == NULL) {
        return 0;
    }
    const bool there = SUCCEEDED(IDXGIFactory1_EnumAdapters1(factory, number, &adapter));
    if (there) {
        snprintf(options, options_bytes, "adapter=%" PRIu32, number);
        IDXGIAdapter1_Release(adapter);
    }
    topk_gpu_release_object(factory);
    return there;
}

void topk_gpu_unload(struct topk_gpu *gpu)
{
    if (gpu->event != NULL) {
        CloseHandle(gpu->event);
    }
    /* the library stays loaded, because drivers leave threads behind that would run unmapped code
     */
}

HRESULT topk_gpu_wait(struct topk_gpu *gpu, uint64_t value)
{
    if (ID3D12Fence_GetCompletedValue(gpu->fence) >= value) {
        return S_OK;
    }
    const HRESULT result = ID3D12Fence_SetEventOnCompletion(gpu->fence, value, gpu->event);
    if (FAILED(result)) {
        return result;
    }
    return WaitForSingleObject(gpu->event, gpu->timeout_ms) == WAIT_OBJECT_0
               ? S_OK
               : (HRESULT)TOPK_DXGI_ERROR_WAIT_TIMEOUT;
}
