/* The kernels of the backend d3d12: how a call is dispatched. */
#ifndef TOPK_KERNEL_H
#define TOPK_KERNEL_H

#include "gpu.h"
#include "variant.h"

/* log2 of the bytes of an element: 0 to 3 */
#define TOPK_KERNEL_WIDTHS 4

struct topk_kernels {
    struct topk_gpu *gpu;
    ID3D12RootSignature *root;
    ID3D12PipelineState *pipelines[TOPK_VARIANTS][TOPK_KERNEL_WIDTHS]; /* made when first wanted */
    struct topk_gpu_buffer parameters;
    struct topk_gpu_buffer scratch;
};

/* A call and how it is served. */
struct topk_kernel_job {
    const struct topk_backend_call *call;
    struct topk_backend_answer *answer;
    struct topk_cpu_plan plan;
    enum topk_variant variant;
    uint64_t scratch_bytes; /* that it needs */
    uint64_t scratch_at;    /* where in kernels.scratch it has them */
};

/* kernels is overwritten; gpu is borrowed. After a failure there is nothing to be closed. */
HRESULT topk_kernels_open(struct topk_kernels *kernels, struct topk_gpu *gpu);
void topk_kernels_close(struct topk_kernels *kernels);

/* Makes what the job needs, once its call, plan and variant are set: its pipeline, if it is the
 * first of its kind, and the size of its scratch memory. */
HRESULT topk_kernels_prepare(struct topk_kernels *kernels, struct topk_kernel_job *job);

/* Gives count jobs room for their parameters and scratch memory; the device must be idle. */
HRESULT topk_kernels_reserve(struct topk_kernels *kernels, struct topk_kernel_job *jobs,
                             uint32_t count);

/* Records the dispatches of count jobs on the gpu's list, without a barrier between any two. */
void topk_kernels_record(struct topk_kernels *kernels, const struct topk_kernel_job *jobs,
                         uint32_t count, const struct topk_gpu_places *places);

#endif
