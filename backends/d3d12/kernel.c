/* Pipelines, parameters and dispatches. */
#include "kernel.h"

#include <string.h>

/* what a constant buffer is aligned to */
#define PARAMETER_BYTES 256u
/* groups in a dimension of a dispatch */
#define MAX_GROUPS 65535u
/* Scratch memory of a call, but that one sequence has what it needs. */
#define SCRATCH_BYTES (UINT64_C(64) << 20)

/* shaders/topk.hlsli has the same, as a constant buffer. Strides and bases are in bytes. */
struct parameters {
    uint32_t length; /* of a sequence */
    uint32_t k;
    uint32_t sequences;
    uint32_t groups_x;             /* groups in a row of the dispatch */
    uint32_t base[TOPK_GPU_ROLES]; /* of a tensor in its view */
    uint32_t dimensions;           /* other than the axis, of more than one element */
    uint32_t step[TOPK_GPU_ROLES]; /* stride of the axis */
    uint32_t index_bytes;          /* 4 or 8 */
    uint32_t flip[2];              /* low and high half of what keys are xored with */
    uint32_t is_float;
    uint32_t padded; /* power of two from length up */
    uint32_t scratch_base;
    uint32_t slots; /* parts of the scratch memory: groups that work at once */
    uint32_t unused[2];
    struct {
        uint32_t size;
        uint32_t strides[TOPK_GPU_ROLES];
    } dimension[TOPK_CPU_MAX_RANK - 1];
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

static uint32_t width_log2(uint32_t width)
{
    return width == 1 ? 0 : width == 2 ? 1 : width == 4 ? 2 : 3;
}

/* ---- Pipelines ------------------------------------------------------------------------------ */

static HRESULT create_root(struct topk_kernels *kernels)
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
    if (blob != NULL) {
        ID3D10Blob_Release(blob);
    }
    return result;
}

HRESULT topk_kernels_open(struct topk_kernels *kernels, struct topk_gpu *gpu)
{
    memset(kernels, 0, sizeof *kernels);
    kernels->gpu = gpu;
    const HRESULT result = create_root(kernels);
    if (FAILED(result)) {
        topk_kernels_close(kernels);
    }
    return result;
}

void topk_kernels_close(struct topk_kernels *kernels)
{
    for (uint32_t variant = 0; variant < TOPK_VARIANTS; variant++) {
        for (uint32_t width = 0; width < TOPK_KERNEL_WIDTHS; width++) {
            if (kernels->pipelines[variant][width] != NULL) {
                ID3D12PipelineState_Release(kernels->pipelines[variant][width]);
            }
        }
    }
    if (kernels->root != NULL) {
        ID3D12RootSignature_Release(kernels->root);
    }
    topk_gpu_release(&kernels->parameters);
    topk_gpu_release(&kernels->scratch);
    memset(kernels, 0, sizeof *kernels);
}

static ID3D12PipelineState **pipeline_of(struct topk_kernels *kernels,
                                         const struct topk_kernel_job *job)
{
    return &kernels->pipelines[job->variant][width_log2(job->plan.tensors[TOPK_CPU_INPUT].width)];
}

static uint32_t count_slots(const struct topk_kernel_job *job)
{
    const uint64_t sequences = topk_variant_sequences(&job->plan);
    const uint64_t most = SCRATCH_BYTES / (8 * (uint64_t)job->plan.length);
    return (uint32_t)(most == 0 ? 1 : sequences < most ? sequences : most);
}

HRESULT topk_kernels_prepare(struct topk_kernels *kernels, struct topk_kernel_job *job)
{
    ID3D12PipelineState **pipeline = pipeline_of(kernels, job);
    job->scratch_bytes = 0;
    if (job->variant == TOPK_VARIANT_radix) {
        /* two indices for each element that is at work */
        job->scratch_bytes = (uint64_t)count_slots(job) * job->plan.length * 8;
    }
    if (*pipeline != NULL) {
        return S_OK;
    }
    const struct topk_shader *shader =
        topk_variant_shader(job->variant, job->plan.tensors[TOPK_CPU_INPUT].width);
    const D3D12_COMPUTE_PIPELINE_STATE_DESC desc = {
        .pRootSignature = kernels->root,
        .CS = {.pShaderBytecode = shader->code, .BytecodeLength = shader->bytes}};
    return ID3D12Device_CreateComputePipelineState(kernels->gpu->device, &desc,
                                                   &IID_ID3D12PipelineState, (void **)pipeline);
}

/* ---- Dispatches ----------------------------------------------------------------------------- */

HRESULT topk_kernels_reserve(struct topk_kernels *kernels, struct topk_kernel_job *jobs,
                             uint32_t count)
{
    uint64_t scratch = 0;
    for (uint32_t i = 0; i < count; i++) {
        jobs[i].scratch_at = scratch;
        scratch += jobs[i].scratch_bytes;
    }
    HRESULT result = topk_gpu_reserve(kernels->gpu, &kernels->parameters,
                                      (uint64_t)count * PARAMETER_BYTES, D3D12_HEAP_TYPE_UPLOAD);
    if (SUCCEEDED(result)) {
        result =
            topk_gpu_reserve(kernels->gpu, &kernels->scratch, scratch, D3D12_HEAP_TYPE_DEFAULT);
    }
    return result;
}

static const struct topk_backend_buffer *buffer_of(const struct topk_backend_call *call, int role)
{
    return role == TOPK_GPU_INPUT   ? &call->input_buffer
           : role == TOPK_GPU_VALUE ? &call->value_buffer
                                    : &call->index_buffer;
}

/* A tensor's address, rounded down to what a view may start at on any device; *base is the rest. */
static D3D12_GPU_VIRTUAL_ADDRESS view_of(const struct topk_kernel_job *job,
                                         const struct topk_gpu_places *places, int role,
                                         uint32_t *base)
{
    const struct topk_gpu_place *place = &places->role[role];
    const uint64_t offset = place->offset + buffer_of(job->call, role)->offset;
    *base = (uint32_t)(offset % PARAMETER_BYTES);
    return ID3D12Resource_GetGPUVirtualAddress(place->resource) + offset - *base;
}

/* Fills all but the bases and groups_x. */
static void fill_parameters(const struct topk_kernel_job *job, struct parameters *parameters)
{
    const struct topk_cpu_plan *plan = &job->plan;
    *parameters = (struct parameters){.length = plan->length,
                                      .k = plan->k,
                                      .sequences = (uint32_t)topk_variant_sequences(plan),
                                      .index_bytes = plan->tensors[TOPK_CPU_INDEX].width,
                                      .flip = {(uint32_t)plan->flip, (uint32_t)(plan->flip >> 32)},
                                      .is_float = plan->is_float,
                                      .padded = 1,
                                      .scratch_base = (uint32_t)job->scratch_at,
                                      .slots = count_slots(job)};
    while (parameters->padded < plan->length) {
        parameters->padded *= 2;
    }
    for (int role = 0; role < TOPK_GPU_ROLES; role++) {
        parameters->step[role] = (uint32_t)plan->tensors[role].strides[plan->axis];
    }
    for (uint32_t i = plan->rank; i-- > 0;) {
        const uint32_t size = plan->tensors[TOPK_CPU_INPUT].sizes[i];
        if (i == plan->axis || size == 1) {
            continue;
        }
        const uint32_t at = parameters->dimensions++;
        parameters->dimension[at].size = size;
        for (int role = 0; role < TOPK_GPU_ROLES; role++) {
            parameters->dimension[at].strides[role] = (uint32_t)plan->tensors[role].strides[i];
        }
    }
}

/* What a group does: the head of each shader says the same. */
static uint64_t count_groups(const struct topk_kernel_job *job, const struct parameters *parameters)
{
    const uint64_t group =
        topk_variant_shader(job->variant, job->plan.tensors[TOPK_CPU_INPUT].width)->group;
    const uint64_t sequences = parameters->sequences;
    switch (job->variant) {
    case TOPK_VARIANT_rank:
    case TOPK_VARIANT_native16:
        return (sequences * parameters->length + group - 1) / group;
    case TOPK_VARIANT_wave:
        return sequences * ((parameters->length + group - 1) / group);
    case TOPK_VARIANT_radix:
        return parameters->slots;
    default:
        return sequences;
    }
}

static void record_job(struct topk_kernels *kernels, const struct topk_kernel_job *job,
                       const struct topk_gpu_places *places, uint32_t number)
{
    ID3D12GraphicsCommandList *list = kernels->gpu->list;
    struct parameters parameters;
    fill_parameters(job, &parameters);
    const uint64_t groups = count_groups(job, &parameters);
    const uint32_t rows = (uint32_t)((groups + MAX_GROUPS - 1) / MAX_GROUPS);
    parameters.groups_x = (uint32_t)((groups + rows - 1) / rows);
    for (uint32_t role = 0; role < TOPK_GPU_ROLES; role++) {
        ID3D12GraphicsCommandList_SetComputeRootUnorderedAccessView(
            list, ROOT_INPUT + role, view_of(job, places, (int)role, &parameters.base[role]));
    }
    const uint64_t at = (uint64_t)number * PARAMETER_BYTES;
    memcpy(kernels->parameters.mapped + at, &parameters, sizeof parameters);
    ID3D12GraphicsCommandList_SetComputeRootConstantBufferView(
        list, ROOT_PARAMETERS,
        ID3D12Resource_GetGPUVirtualAddress(kernels->parameters.resource) + at);
    ID3D12GraphicsCommandList_Dispatch(list, parameters.groups_x, rows, 1);
}

void topk_kernels_record(struct topk_kernels *kernels, const struct topk_kernel_job *jobs,
                         uint32_t count, const struct topk_gpu_places *places)
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
