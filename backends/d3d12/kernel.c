/* Pipelines, parameters and dispatches. */
#include "kernel.h"

#include <string.h>

/* greatest number of groups in a dimension of a dispatch */
#define MAX_GROUPS 65535u
/* Greatest size of the scratch memory of a call, unless one sequence needs more. */
#define SCRATCH_BYTES (UINT64_C(64) << 20)

/* shaders/topk.hlsli declares the same constant buffer. */
struct parameters {
    struct topk_kernel_parameters call;
    uint32_t groups_x; /* groups in a row of the dispatch */
    uint32_t scratch_base;
    uint32_t unused[2];
};
_Static_assert(sizeof(struct parameters) == 192, "the constant buffer of topk.hlsli");

enum root_parameter {
    ROOT_PARAMETERS,
    ROOT_INPUT,
    ROOT_VALUE,
    ROOT_INDEX,
    ROOT_SCRATCH,
    ROOT_COUNT
};

/* ---- Pipelines ------------------------------------------------------------------------------ */

static HRESULT create_root(struct topk_d3d12_kernels *kernels)
{
    struct topk_gpu *gpu = kernels->gpu;
    D3D12_ROOT_PARAMETER parameters[ROOT_COUNT] = {
        {.ParameterType = D3D12_ROOT_PARAMETER_TYPE_CBV}};
    for (uint32_t i = ROOT_INPUT; i < ROOT_COUNT; i++) {
        parameters[i].ParameterType = D3D12_ROOT_PARAMETER_TYPE_UAV;
        parameters[i].Descriptor.ShaderRegister = i - ROOT_INPUT;
    }
    const D3D12_ROOT_SIGNATURE_DESC desc = {.NumParameters = ROOT_COUNT, .pParameters = parameters};
    ID3DBlob *blob = NULL;
    HRESULT result =
        gpu->serialize_root_signature(&desc, D3D_ROOT_SIGNATURE_VERSION_1, &blob, NULL);
    if (SUCCEEDED(result)) {
        result = ID3D12Device_CreateRootSignature(
            gpu->device, 0, ID3D10Blob_GetBufferPointer(blob), ID3D10Blob_GetBufferSize(blob),
            &IID_ID3D12RootSignature, (void **)&kernels->root);
    }
    topk_gpu_release_object(blob);
    return result;
}

HRESULT topk_d3d12_kernels_open(struct topk_d3d12_kernels *kernels, struct topk_gpu *gpu)
{
    memset(kernels, 0, sizeof *kernels);
    kernels->gpu = gpu;
    const HRESULT result = create_root(kernels);
    if (FAILED(result)) {
        topk_d3d12_kernels_close(kernels);
    }
    return result;
}

void topk_d3d12_kernels_close(struct topk_d3d12_kernels *kernels)
{
    for (uint32_t variant = 0; variant < TOPK_VARIANTS; variant++) {
        for (uint32_t width = 0; width < TOPK_D3D12_WIDTHS; width++) {
            topk_gpu_release_object(kernels->pipelines[variant][width]);
        }
    }
    topk_gpu_release_object(kernels->root);
    topk_gpu_release(&kernels->parameters);
    topk_gpu_release(&kernels->scratch);
    memset(kernels, 0, sizeof *kernels);
}

static ID3D12PipelineState **pipeline_of(struct topk_d3d12_kernels *kernels,
                                         const struct topk_kernel_job *job)
{
    return &kernels->pipelines[job->variant][topk_kernel_width_log2(&job->plan)];
}

HRESULT topk_d3d12_kernels_prepare(struct topk_d3d12_kernels *kernels, struct topk_kernel_job *job)
{
    ID3D12PipelineState **pipeline = pipeline_of(kernels, job);
    /* two indices for each element that is being sorted */
    const uint64_t slot_bytes = (uint64_t)job->plan.length * 8;
    job->group = job->shader->group;
    job->slots = topk_kernel_slots(topk_kernel_sequences(&job->plan), slot_bytes, SCRATCH_BYTES);
    job->scratch_bytes = job->variant == TOPK_VARIANT_radix ? job->slots * slot_bytes : 0;
    job->steps = topk_d3d12_variant_steps(job->variant, &job->plan);
    if (*pipeline != NULL) {
        return S_OK;
    }
    const D3D12_COMPUTE_PIPELINE_STATE_DESC desc = {
        .pRootSignature = kernels->root,
        .CS = {.pShaderBytecode = job->shader->code, .BytecodeLength = job->shader->bytes}};
    return ID3D12Device_CreateComputePipelineState(kernels->gpu->device, &desc,
                                                   &IID_ID3D12PipelineState, (void **)pipeline);
}

/* ---- Dispatches ----------------------------------------------------------------------------- */

HRESULT topk_d3d12_kernels_reserve(struct topk_d3d12_kernels *kernels, uint32_t count,
                                   uint64_t scratch_bytes)
{
    const HRESULT result =
        topk_gpu_reserve(kernels->gpu, &kernels->parameters,
                         (uint64_t)count * TOPK_KERNEL_ALIGNMENT, D3D12_HEAP_TYPE_UPLOAD);
    return FAILED(result) ? result
                          : topk_gpu_reserve(kernels->gpu, &kernels->scratch, scratch_bytes,
                                             D3D12_HEAP_TYPE_DEFAULT);
}

/* The address of a tensor, rounded down to the alignment of views on any device; *base is set to
 * the difference. */
static D3D12_GPU_VIRTUAL_ADDRESS view_of(const struct topk_kernel_job *job,
                                         const struct topk_gpu_places *places, int role,
                                         uint32_t *base)
{
    const struct topk_gpu_place *place = &places->role[role];
    const uint64_t offset = place->offset + topk_kernel_buffer(job->call, role)->offset;
    *base = (uint32_t)(offset % TOPK_KERNEL_ALIGNMENT);
    return ID3D12Resource_GetGPUVirtualAddress(place->resource) + offset - *base;
}

/* The number of groups; the head of each shader says what a group does. */
static uint64_t count_groups(const struct topk_kernel_job *job)
{
    const uint64_t group = job->group;
    const uint64_t length = job->plan.length;
    const uint64_t sequences = topk_kernel_sequences(&job->plan);
    switch (job->variant) {
    case TOPK_VARIANT_rank:
    case TOPK_VARIANT_native16:
        return (sequences * length + group - 1) / group;
    case TOPK_VARIANT_wave:
        return sequences * ((length + group - 1) / group);
    case TOPK_VARIANT_radix:
        return job->slots;
    default:
        return sequences;
    }
}

static void record_job(struct topk_d3d12_kernels *kernels, const struct topk_kernel_job *job,
                       const struct topk_gpu_places *places, uint32_t number)
{
    ID3D12GraphicsCommandList *list = kernels->gpu->list;
    const uint64_t groups = count_groups(job);
    const uint32_t rows = (uint32_t)((groups + MAX_GROUPS - 1) / MAX_GROUPS);
    struct parameters parameters = {.groups_x = (uint32_t)((groups + rows - 1) / rows),
                                    .scratch_base = (uint32_t)job->scratch_at};
    topk_kernel_fill(job, 0, &parameters.call);
    for (uint32_t role = 0; role < TOPK_KERNEL_ROLES; role++) {
        ID3D12GraphicsCommandList_SetComputeRootUnorderedAccessView(
            list, ROOT_INPUT + role, view_of(job, places, (int)role, &parameters.call.base[role]));
    }
    const uint64_t at = (uint64_t)number * TOPK_KERNEL_ALIGNMENT;
    memcpy(kernels->parameters.mapped + at, &parameters, sizeof parameters);
    ID3D12GraphicsCommandList_SetComputeRootConstantBufferView(
        list, ROOT_PARAMETERS,
        ID3D12Resource_GetGPUVirtualAddress(kernels->parameters.resource) + at);
    ID3D12GraphicsCommandList_Dispatch(list, parameters.groups_x, rows, 1);
}

void topk_d3d12_kernels_record(struct topk_d3d12_kernels *kernels,
                               const struct topk_kernel_job *jobs, uint32_t count,
                               const struct topk_gpu_places *places)
{
    ID3D12GraphicsCommandList *list = kernels->gpu->list;
    ID3D12PipelineState *current = NULL;
    ID3D12GraphicsCommandList_SetComputeRootSignature(list, kernels->root);
    if (kernels->scratch.resource != NULL) {
        ID3D12GraphicsCommandList_SetComputeRootUnorderedAccessView(
            list, ROOT_SCRATCH, ID3D12Resource_GetGPUVirtualAddress(kernels->scratch.resource));
    }
    for (uint32_t i = 0; i < count; i++) {
        ID3D12PipelineState *pipeline = *pipeline_of(kernels, &jobs[i]);
        if (pipeline != current) {
            ID3D12GraphicsCommandList_SetPipelineState(list, pipeline);
            current = pipeline;
        }
        record_job(kernels, &jobs[i], &places[i], i);
    }
}
