/* Direct3D 12 for C: the SDK's headers on Windows, libvkd3d's elsewhere. Both declare the same
 * interfaces and the same macros to call them; this header and gpu_open_*.c handle the
 * differences. */
#ifndef TOPK_D3D12_API_H
#define TOPK_D3D12_API_H

#define COBJMACROS
#if defined(_WIN32)
#include <windows.h>

#include <d3d12.h>
#else
#include <vkd3d_windows.h>

#include <vkd3d_d3d12.h>
#ifndef WINAPI
#define WINAPI STDMETHODCALLTYPE
#endif
#endif

/* D3D12CreateDevice and D3D12SerializeRootSignature, which are looked up at run time */
typedef HRESULT(WINAPI *topk_d3d12_create)(IUnknown *adapter, D3D_FEATURE_LEVEL minimum, REFIID iid,
                                           void **device);
typedef HRESULT(WINAPI *topk_d3d12_serialize)(const D3D12_ROOT_SIGNATURE_DESC *desc,
                                              D3D_ROOT_SIGNATURE_VERSION version, ID3DBlob **blob,
                                              ID3DBlob **error);

/* codes that libvkd3d's headers lack; C compares all codes as unsigned */
#define TOPK_E_INVALIDARG                  0x80070057u
#define TOPK_E_OUTOFMEMORY                 0x8007000eu
#define TOPK_DXGI_ERROR_UNSUPPORTED        0x887a0004u
#define TOPK_DXGI_ERROR_DEVICE_REMOVED     0x887a0005u
#define TOPK_DXGI_ERROR_DEVICE_HUNG        0x887a0006u
#define TOPK_DXGI_ERROR_DEVICE_RESET       0x887a0007u
#define TOPK_DXGI_ERROR_DRIVER_INTERNAL    0x887a0020u
#define TOPK_DXGI_ERROR_WAIT_TIMEOUT       0x887a0027u
#define TOPK_D3D12_ERROR_ADAPTER_NOT_FOUND 0x887e0001u

/* The name of a code, such as "DXGI_ERROR_DEVICE_REMOVED"; "" if it has none. */
const char *topk_hresult_name(HRESULT result);

#endif
