/* The kernels of the backend d3d12: their pipelines and dispatches. */
#ifndef TOPK_D3D12_KERNEL_H
#define TOPK_D3D12_KERNEL_H

#include "gpu.h"
#include "variant.h"

/* log2 of the bytes of an element: 0 to 3 */
#define TOPK_D3D12_WIDTHS 4

struct topk_d3d12_kernels {
    struct topk_gpu *gpu;
    ID3D12RootSignature *root;
    /* created when first needed */
    ID3D12PipelineState *pipelines[TOPK_VARIANTS][TOPK_D3D12_WIDTHS];
    struct topk_gpu_buffer parameters;
    struct topk_gpu_buffer scratch;
};

/* Overwrites *kernels; *gpu must outlive it. After a failure there is nothing to close. */
HRESULT topk_d3d12_kernels_open(struct topk_d3d12_kernels *kernels, struct topk_gpu *gpu);
void topk_d3d12_kernels_close(struct topk_d3d12_kernels *kernels);

/* Implement prepare(), reserve() and, without the readback, submit() of struct topk_kernel_api. */
HRESULT topk_d3d12_kernels_prepare(struct topk_d3d12_kernels *kernels, struct topk_kernel_job *job);
HRESULT topk_d3d12_kernels_reserve(struct topk_d3d12_kernels *kernels, uint32_t count,
                                   uint64_t scratch_bytes);
void topk_d3d12_kernels_record(struct topk_d3d12_kernels *kernels,
                               const struct topk_kernel_job *jobs, uint32_t count,
                               const struct topk_gpu_places *places);

#endif
