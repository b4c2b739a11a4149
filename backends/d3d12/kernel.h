/* The kernels of the backend d3d12: which variant serves a call, and its dispatch. */
#ifndef TOPK_KERNEL_H
#define TOPK_KERNEL_H

#include "../cpu_validate.h"
#include "gpu.h"
#include "shaders.h"

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

/* The variant's name, and what it is. NULL if there is no such variant. */
const char *topk_variant_name(uint32_t variant);
const char *topk_variant_summary(uint32_t variant);

/* Whether the device has what the variant needs; if not, reason says what it lacks. */
bool topk_variant_offered(const struct topk_gpu *gpu, enum topk_variant variant, char *reason,
                          size_t reason_bytes);

/* The variant that suits a plan best on any device. */
enum topk_variant topk_variant_choose(const struct topk_cpu_plan *plan);

/* Whether a variant can serve a plan; if not, reason says why. */
bool topk_variant_serves(enum topk_variant variant, const struct topk_cpu_plan *plan, char *reason,
                         size_t reason_bytes);

/* kernels is overwritten; gpu is borrowed. After a failure there is nothing to be closed. */
HRESULT topk_kernels_open(struct topk_kernels *kernels, struct topk_gpu *gpu);
void topk_kernels_close(struct topk_kernels *kernels);

/* Makes what the job needs, once its call, plan and variant are set: its pipeline, if it is the
 * first of its kind, and the size of its scratch memory. */
HRESULT topk_kernels_prepare(struct topk_kernels *kernels, struct topk_kernel_job *job);

/* About how many elements or counts the job's threads visit, once it is prepared. */
uint64_t topk_kernels_steps(const struct topk_kernel_job *job);

/* Gives count jobs room for their parameters and scratch memory; the device must be idle. */
HRESULT topk_kernels_reserve(struct topk_kernels *kernels, struct topk_kernel_job *jobs,
                             uint32_t count);

/* Records the dispatches of count jobs on the gpu's list, without a barrier between any two. */
void topk_kernels_record(struct topk_kernels *kernels, const struct topk_kernel_job *jobs,
                         uint32_t count, const struct topk_gpu_places *places);

#endif
