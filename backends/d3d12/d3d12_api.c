/* Defines the interfaces' ids, which the headers only declare, and the names of codes. */
#define INITGUID
#include "d3d12_api.h"

#include <stddef.h>
#include <stdint.h>

const char *topk_hresult_name(HRESULT result)
{
    static const struct {
        uint32_t code;
        const char *name;
    } names[] = {
        {TOPK_E_INVALIDARG, "E_INVALIDARG"},
        {TOPK_E_OUTOFMEMORY, "E_OUTOFMEMORY"},
        {0x80004001, "E_NOTIMPL"},
        {0x80004002, "E_NOINTERFACE"},
        {0x80004005, "E_FAIL"},
        {TOPK_DXGI_ERROR_UNSUPPORTED, "DXGI_ERROR_UNSUPPORTED"},
        {TOPK_DXGI_ERROR_DEVICE_REMOVED, "DXGI_ERROR_DEVICE_REMOVED"},
        {TOPK_DXGI_ERROR_DEVICE_HUNG, "DXGI_ERROR_DEVICE_HUNG"},
        {TOPK_DXGI_ERROR_DEVICE_RESET, "DXGI_ERROR_DEVICE_RESET"},
        {TOPK_DXGI_ERROR_DRIVER_INTERNAL, "DXGI_ERROR_DRIVER_INTERNAL_ERROR"},
        {TOPK_DXGI_ERROR_WAIT_TIMEOUT, "DXGI_ERROR_WAIT_TIMEOUT"},
        {0x887a002d, "DXGI_ERROR_SDK_COMPONENT_MISSING"},
        {TOPK_D3D12_ERROR_ADAPTER_NOT_FOUND, "D3D12_ERROR_ADAPTER_NOT_FOUND"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].code == (uint32_t)result) {
            return names[i].name;
        }
    }
    return "";
}
