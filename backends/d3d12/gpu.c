/* A batch of calls on a Direct3D 12 device: memory, one command list, and waiting for it. */
#include "gpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* alignment of buffers in the arena; buffers with a larger alignment have a resource of their
 * own */
#define PLACE_ALIGNMENT 256u
/* alignment of the start of a resource */
#define RESOURCE_ALIGNMENT 65536u
#define GARBAGE_BYTES      (UINT64_C(1) << 20)
/* greatest size of a buffer that is kept from one batch to the next */
#define BYTES_KEPT (UINT64_C(64) << 20)

/* ---- errors ---------------------------------------------------------------------------------- */

static bool is_loss(HRESULT result)
{
    const uint32_t code = (uint32_t)result;
    return code == TOPK_DXGI_ERROR_DEVICE_REMOVED || code == TOPK_DXGI_ERROR_DEVICE_HUNG ||
           code == TOPK_DXGI_ERROR_DEVICE_RESET || code == TOPK_DXGI_ERROR_DRIVER_INTERNAL;
}

void topk_gpu_answer(struct topk_gpu *gpu, HRESULT result, const char *doing, uint64_t bytes,
                     struct topk_backend_answer *answer)
{
    const HRESULT removed = ID3D12Device_GetDeviceRemovedReason(gpu->device);
    if (gpu->timed_out) {
        answer->status = TOPK_BACKEND_DEVICE_LOST;
        snprintf(answer->reason, sizeof answer->reason,
                 "%s: the device did not finish within %" PRIu32 " ms", doing, gpu->timeout_ms);
    } else if (FAILED(removed) || is_loss(result)) {
        const HRESULT reason = FAILED(removed) ? removed : result;
        answer->status = TOPK_BACKEND_DEVICE_LOST;
        snprintf(answer->reason, sizeof answer->reason,
                 "%s: the device was removed: %08" PRIx32 " %s", doing, (uint32_t)reason,
                 topk_hresult_name(reason));
    } else if ((uint32_t)result == TOPK_E_OUTOFMEMORY) {
        answer->status = TOPK_BACKEND_OUT_OF_MEMORY;
        snprintf(answer->reason, sizeof answer->reason, "%s: out of memory", doing);
        if (bytes != 0) {
            snprintf(answer->reason, sizeof answer->reason,
                     "%s: out of memory, %" PRIu64 " bytes wanted", doing, bytes);
        }
    } else {
        answer->status = TOPK_BACKEND_FAILED;
        snprintf(answer->reason, sizeof answer->reason, "%s: %08" PRIx32 " %s", doing,
                 (uint32_t)result, topk_hresult_name(result));
    }
    if (answer->status == TOPK_BACKEND_DEVICE_LOST) {
        gpu->lost = *answer;
    }
}

void topk_gpu_lose(struct topk_gpu *gpu, HRESULT result, const char *doing)
{
    gpu->lost.status = TOPK_BACKEND_DEVICE_LOST;
    snprintf(gpu->lost.reason, sizeof gpu->lost.reason, "%s: %08" PRIx32 " %s", doing,
             (uint32_t)result, topk_hresult_name(result));
}

bool topk_gpu_lost(const struct topk_gpu *gpu, struct topk_backend_answer *answer)
{
    if (gpu->lost.status == TOPK_BACKEND_DONE) {
        return false;
    }
    *answer = gpu->lost;
    return true;
}

/* ---- buffers --------------------------------------------------------------------------------- */

static HRESULT create_buffer(struct topk_gpu *gpu, uint64_t bytes, D3D12_HEAP_TYPE heap,
                             ID3D12Resource **resource)
{
    const D3D12_HEAP_PROPERTIES properties = {.Type = heap};
    const D3D12_RESOURCE_DESC desc = {.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER,
                                      .Width = bytes,
                                      .Height = 1,
                                      .DepthOrArraySize = 1,
                                      .MipLevels = 1,
                                      .SampleDesc = {.Count = 1},
                                      .Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR,
                                      .Flags = heap == D3D12_HEAP_TYPE_DEFAULT
                                                   ? D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS
                                                   : D3D12_RESOURCE_FLAG_NONE};
    /* at the start of every list, a buffer in a default heap is in the common state, and is
     * promoted by its first use */
    const D3D12_RESOURCE_STATES state =
        heap == D3D12_HEAP_TYPE_UPLOAD     ? D3D12_RESOURCE_STATE_GENERIC_READ
        : heap == D3D12_HEAP_TYPE_READBACK ? D3D12_RESOURCE_STATE_COPY_DEST
                                           : D3D12_RESOURCE_STATE_COMMON;
    *resource = NULL;
    return ID3D12Device_CreateCommittedResource(gpu->device, &properties, D3D12_HEAP_FLAG_NONE,
                                                &desc, state, NULL, &IID_ID3D12Resource,
                                                (void **)resource);
}

void topk_gpu_release_object(void *object)
{
    if (object != NULL) {
        IUnknown_Release((IUnknown *)object);
    }
}

void topk_gpu_release(struct topk_gpu_buffer *buffer)
{
    topk_gpu_release_object(buffer->resource);
    memset(buffer, 0, sizeof *buffer);
}

HRESULT topk_gpu_reserve(struct topk_gpu *gpu, struct topk_gpu_buffer *buffer, uint64_t bytes,
                         D3D12_HEAP_TYPE heap)
{
    if (bytes <= buffer->bytes) {
        return S_OK;
    }
    /* half as much again, so that growing batches do not make a new one each time; but not for a
     * large one, which may be all that the device has */
    const uint64_t more = bytes < (UINT64_C(64) << 20) ? bytes / 2 : 0;
    const uint64_t room = topk_kernel_round_up(bytes + more, RESOURCE_ALIGNMENT);
    topk_gpu_release(buffer);
    HRESULT result = create_buffer(gpu, room, heap, &buffer->resource);
    void *mapped = NULL;
    if (SUCCEEDED(result) && heap != D3D12_HEAP_TYPE_DEFAULT) {
        result = ID3D12Resource_Map(buffer->resource, 0, NULL, &mapped);
    }
    if (FAILED(result)) {
        topk_gpu_release(buffer);
        return result;
    }
    buffer->mapped = mapped;
    buffer->bytes = room;
    return S_OK;
}

void topk_gpu_trim_buffer(const struct topk_gpu *gpu, struct topk_gpu_buffer *buffer)
{
    /* do not free what a hanging device may still use */
    if (buffer->bytes > BYTES_KEPT && !gpu->timed_out) {
        topk_gpu_release(buffer);
    }
}

void topk_gpu_trim(struct topk_gpu *gpu)
{
    topk_gpu_trim_buffer(gpu, &gpu->arena);
    topk_gpu_trim_buffer(gpu, &gpu->upload);
    topk_gpu_trim_buffer(gpu, &gpu->readback);
}

/* ---- recording ------------------------------------------------------------------------------- */

void topk_gpu_transition(struct topk_gpu *gpu, ID3D12Resource *resource,
                         D3D12_RESOURCE_STATES before, D3D12_RESOURCE_STATES after)
{
    const D3D12_RESOURCE_BARRIER barrier = {
        .Type = D3D12_RESOURCE_BARRIER_TYPE_TRANSITION,
        .Transition = {.pResource = resource,
                       .Subresource = D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES,
                       .StateBefore = before,
                       .StateAfter = after}};
    ID3D12GraphicsCommandList_ResourceBarrier(gpu->list, 1, &barrier);
}

void topk_gpu_uav_barrier(struct topk_gpu *gpu)
{
    const D3D12_RESOURCE_BARRIER barrier = {.Type = D3D12_RESOURCE_BARRIER_TYPE_UAV};
    ID3D12GraphicsCommandList_ResourceBarrier(gpu->list, 1, &barrier);
}

HRESULT topk_gpu_reserve_poisoned(struct topk_gpu *gpu, struct topk_gpu_buffer *buffer,
                                  uint64_t bytes)
{
    const HRESULT result = topk_gpu_reserve(gpu, buffer, bytes, D3D12_HEAP_TYPE_DEFAULT);
    const uint64_t end = topk_kernel_round_up(bytes, 4);
    if (FAILED(result)) {
        return result;
    }
    for (uint64_t done = 0; done < end;) {
        const uint64_t run = end - done < GARBAGE_BYTES ? end - done : GARBAGE_BYTES;
        ID3D12GraphicsCommandList_CopyBufferRegion(gpu->list, buffer->resource, done,
                                                   gpu->garbage.resource, 0, run);
        done += run;
    }
    topk_gpu_transition(gpu, buffer->resource, D3D12_RESOURCE_STATE_COPY_DEST,
                        D3D12_RESOURCE_STATE_UNORDERED_ACCESS);
    return S_OK;
}

static HRESULT reopen_list(struct topk_gpu *gpu)
{
    const HRESULT result = ID3D12CommandAllocator_Reset(gpu->allocator);
    return FAILED(result) ? result
                          : ID3D12GraphicsCommandList_Reset(gpu->list, gpu->allocator, NULL);
}

void topk_gpu_discard(struct topk_gpu *gpu)
{
    if (gpu->lost.status != TOPK_BACKEND_DONE || gpu->timed_out) {
        return;
    }
    /* discard the list even if it cannot be closed */
    (void)ID3D12GraphicsCommandList_Close(gpu->list);
    const HRESULT result = reopen_list(gpu);
    if (FAILED(result)) {
        topk_gpu_lose(gpu, result, "giving a command list up");
    }
}

HRESULT topk_gpu_execute(struct topk_gpu *gpu)
{
    HRESULT result = ID3D12GraphicsCommandList_Close(gpu->list);
    if (FAILED(result)) {
        return result;
    }
    ID3D12CommandList *lists[] = {(ID3D12CommandList *)gpu->list};
    ID3D12CommandQueue_ExecuteCommandLists(gpu->queue, 1, lists);
    result = ID3D12CommandQueue_Signal(gpu->queue, gpu->fence, ++gpu->fence_value);
    if (SUCCEEDED(result)) {
        result = topk_gpu_wait(gpu, gpu->fence_value);
    }
    if ((uint32_t)result == TOPK_DXGI_ERROR_WAIT_TIMEOUT) {
        gpu->timed_out = true;
    }
    if (SUCCEEDED(result)) {
        result = ID3D12Device_GetDeviceRemovedReason(gpu->device);
    }
    return FAILED(result) ? result : reopen_list(gpu);
}

/* ---- a batch --------------------------------------------------------------------------------- */

static const struct topk_backend_tensor *tensor_of(const struct topk_backend_call *call, int role)
{
    return role == TOPK_KERNEL_INPUT   ? call->input
           : role == TOPK_KERNEL_VALUE ? call->value
                                       : call->index;
}

static bool needs_own(const struct topk_backend_call *call, int role)
{
    return tensor_of(call, role)->guaranteed_base_offset_alignment > RESOURCE_ALIGNMENT;
}

/* rounded up to whole dwords, so that a write past an odd end is detected */
static uint64_t placed_bytes(const struct topk_backend_call *call, int role)
{
    return topk_kernel_round_up(topk_kernel_buffer(call, role)->bytes, 4);
}

static HRESULT add_own(struct topk_gpu *gpu, uint64_t bytes, struct topk_gpu_place *place)
{
    if (gpu->own_count == gpu->own_room) {
        const uint32_t room = gpu->own_room * 2 + 16;
        ID3D12Resource **grown = realloc(gpu->own, room * sizeof(ID3D12Resource *));
        if (grown == NULL) {
            return (HRESULT)TOPK_E_OUTOFMEMORY;
        }
        gpu->own = grown;
        gpu->own_room = room;
    }
    const HRESULT result = create_buffer(gpu, topk_kernel_round_up(bytes, RESOURCE_ALIGNMENT),
                                         D3D12_HEAP_TYPE_DEFAULT, &place->resource);
    if (SUCCEEDED(result)) {
        gpu->own[gpu->own_count++] = place->resource;
    }
    return result;
}

static void release_own(struct topk_gpu *gpu)
{
    /* do not free what a hanging device may still use */
    while (gpu->own_count > 0 && !gpu->timed_out) {
        gpu->own_count--;
        ID3D12Resource_Release(gpu->own[gpu->own_count]);
    }
}

/* Assigns offsets to the buffers: first in the arena, with the same layout in the staging buffer,
 * then those with their own resources. Sets the sizes of both. */
static HRESULT place_all(struct topk_gpu *gpu, const struct topk_backend_call *const calls[],
                         uint32_t count, struct topk_gpu_places places[], uint64_t *arena,
                         uint64_t *staged)
{
    uint64_t end = 0;
    for (int own = 0; own < 2; own++) {
        for (uint32_t i = 0; i < count; i++) {
            for (int role = 0; role < TOPK_KERNEL_ROLES; role++) {
                struct topk_gpu_place *place = &places[i].role[role];
                if (needs_own(calls[i], role) != (own == 1)) {
                    continue;
                }
                const uint32_t alignment =
                    tensor_of(calls[i], role)->guaranteed_base_offset_alignment;
                if (own == 0 && alignment > PLACE_ALIGNMENT) {
                    end = topk_kernel_round_up(end, alignment);
                }
                *place = (struct topk_gpu_place){.offset = own == 0 ? end : 0, .staged = end};
                end = topk_kernel_round_up(end + placed_bytes(calls[i], role), PLACE_ALIGNMENT);
                const HRESULT result =
                    own == 0 ? S_OK : add_own(gpu, placed_bytes(calls[i], role), place);
                if (FAILED(result)) {
                    return result;
                }
            }
        }
        if (own == 0) {
            *arena = end;
        }
    }
    *staged = end;
    return S_OK;
}

/* records a copy between an offset of the staging buffer and a resource */
static void record_copy(struct topk_gpu *gpu, bool up, ID3D12Resource *resource, uint64_t staged,
                        uint64_t bytes)
{
    if (up) {
        ID3D12GraphicsCommandList_CopyBufferRegion(gpu->list, resource, 0, gpu->upload.resource,
                                                   staged, bytes);
    } else {
        ID3D12GraphicsCommandList_CopyBufferRegion(gpu->list, gpu->readback.resource, staged,
                                                   resource, 0, bytes);
    }
}

/* records the copies of all placed buffers between the staging buffer and the device */
static void record_copies(struct topk_gpu *gpu, const struct topk_backend_call *const calls[],
                          uint32_t count, const struct topk_gpu_places places[], bool up)
{
    uint64_t arena = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (int role = 0; role < TOPK_KERNEL_ROLES; role++) {
            const struct topk_gpu_place *place = &places[i].role[role];
            const uint64_t bytes = placed_bytes(calls[i], role);
            if (place->resource != gpu->arena.resource) {
                record_copy(gpu, up, place->resource, place->staged, bytes);
            } else if (place->offset + bytes > arena) {
                arena = place->offset + bytes;
            }
        }
    }
    if (arena > 0) {
        /* has the same layout in the staging buffer */
        record_copy(gpu, up, gpu->arena.resource, 0, arena);
    }
}

static void transition_all(struct topk_gpu *gpu, D3D12_RESOURCE_STATES before,
                           D3D12_RESOURCE_STATES after)
{
    if (gpu->arena.resource != NULL) {
        topk_gpu_transition(gpu, gpu->arena.resource, before, after);
    }
    for (uint32_t i = 0; i < gpu->own_count; i++) {
        topk_gpu_transition(gpu, gpu->own[i], before, after);
    }
}

HRESULT topk_gpu_load(struct topk_gpu *gpu, const struct topk_backend_call *const calls[],
                      uint32_t count, struct topk_gpu_places places[])
{
    if (gpu->lost.status != TOPK_BACKEND_DONE) {
        return (HRESULT)TOPK_DXGI_ERROR_DEVICE_REMOVED;
    }
    uint64_t arena = 0;
    uint64_t staged = 0;
    release_own(gpu);
    HRESULT result = place_all(gpu, calls, count, places, &arena, &staged);
    if (SUCCEEDED(result)) {
        result = topk_gpu_reserve(gpu, &gpu->arena, arena, D3D12_HEAP_TYPE_DEFAULT);
    }
    if (SUCCEEDED(result)) {
        result = topk_gpu_reserve(gpu, &gpu->upload, staged, D3D12_HEAP_TYPE_UPLOAD);
    }
    if (SUCCEEDED(result)) {
        result = topk_gpu_reserve(gpu, &gpu->readback, staged, D3D12_HEAP_TYPE_READBACK);
    }
    if (FAILED(result)) {
        release_own(gpu);
        return result;
    }
    for (uint32_t i = 0; i < count; i++) {
        for (int role = 0; role < TOPK_KERNEL_ROLES; role++) {
            const struct topk_backend_buffer *buffer = topk_kernel_buffer(calls[i], role);
            struct topk_gpu_place *place = &places[i].role[role];
            place->resource = place->resource == NULL ? gpu->arena.resource : place->resource;
            memcpy(gpu->upload.mapped + place->staged, buffer->data, (size_t)buffer->bytes);
        }
    }
    record_copies(gpu, calls, count, places, true);
    transition_all(gpu, D3D12_RESOURCE_STATE_COPY_DEST, D3D12_RESOURCE_STATE_UNORDERED_ACCESS);
    return S_OK;
}

HRESULT topk_gpu_finish(struct topk_gpu *gpu, const struct topk_backend_call *const calls[],
                        uint32_t count, const struct topk_gpu_places places[])
{
    transition_all(gpu, D3D12_RESOURCE_STATE_UNORDERED_ACCESS, D3D12_RESOURCE_STATE_COPY_SOURCE);
    record_copies(gpu, calls, count, places, false);
    const HRESULT result = topk_gpu_execute(gpu);
    for (uint32_t i = 0; SUCCEEDED(result) && i < count; i++) {
        for (int role = 0; role < TOPK_KERNEL_ROLES; role++) {
            const struct topk_backend_buffer *buffer = topk_kernel_buffer(calls[i], role);
            memcpy(buffer->data, gpu->readback.mapped + places[i].role[role].staged,
                   (size_t)buffer->bytes);
        }
    }
    release_own(gpu);
    return result;
}

bool topk_gpu_holds(const struct topk_gpu *gpu, uint32_t count,
                    const struct topk_gpu_places places[])
{
    bool holds = count > 0 && gpu->arena.resource != NULL;
    for (uint32_t i = 0; i < count; i++) {
        for (int role = 0; role < TOPK_KERNEL_ROLES; role++) {
            holds = holds && places[i].role[role].resource == gpu->arena.resource;
        }
    }
    return holds;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* bytes that are a large or negative integer, a NaN as a float, and never a valid index */
static void fill_garbage(unsigned char *bytes)
{
    uint32_t word = 0x9e3779b9;
    for (uint64_t i = 0; i < GARBAGE_BYTES; i += 4) {
        word = word * 1664525u + 1013904223u;
        const uint32_t garbage = 0xffc00000u | word >> 10;
        memcpy(bytes + i, &garbage, 4);
    }
}

static void query_features(struct topk_gpu *gpu)
{
    /* tried from the highest down, because a runtime rejects those that it does not know */
    static const unsigned models[] = {0x66, 0x65, 0x64, 0x63, 0x62, 0x61, 0x60};
    D3D12_FEATURE_DATA_SHADER_MODEL model = {.HighestShaderModel = D3D_SHADER_MODEL_5_1};
    gpu->shader_model = D3D_SHADER_MODEL_5_1;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        model.HighestShaderModel = (D3D_SHADER_MODEL)models[i];
        if (SUCCEEDED(ID3D12Device_CheckFeatureSupport(gpu->device, D3D12_FEATURE_SHADER_MODEL,
                                                       &model, sizeof model))) {
            gpu->shader_model = model.HighestShaderModel;
            break;
        }
    }
    D3D12_FEATURE_DATA_D3D12_OPTIONS1 options1 = {0};
    if (SUCCEEDED(ID3D12Device_CheckFeatureSupport(gpu->device, D3D12_FEATURE_D3D12_OPTIONS1,
                                                   &options1, sizeof options1))) {
        gpu->waves = options1.WaveOps != 0 && gpu->shader_model >= 0x60;
        gpu->integers_64 = options1.Int64ShaderOps != 0 && gpu->shader_model >= 0x60;
    }
    D3D12_FEATURE_DATA_D3D12_OPTIONS4 options4 = {0};
    if (SUCCEEDED(ID3D12Device_CheckFeatureSupport(gpu->device, D3D12_FEATURE_D3D12_OPTIONS4,
                                                   &options4, sizeof options4))) {
        gpu->native_16 = options4.Native16BitShaderOpsSupported != 0 && gpu->shader_model >= 0x62;
    }
    char waves[48] = "no wave operations";
    if (gpu->waves) {
        snprintf(waves, sizeof waves, "waves of %u to %u", (unsigned)options1.WaveLaneCountMin,
                 (unsigned)options1.WaveLaneCountMax);
    }
    snprintf(gpu->features, sizeof gpu->features,
             "shader model %u.%u, %s, %snative 16-bit, %s64-bit integers",
             (unsigned)gpu->shader_model >> 4, (unsigned)gpu->shader_model & 15u, waves,
             gpu->native_16 ? "" : "no ", options1.Int64ShaderOps ? "" : "no ");
}

static HRESULT create_queue(struct topk_gpu *gpu)
{
    /* DirectML works on either kind; a compute queue does not block a display */
    const D3D12_COMMAND_LIST_TYPE type = D3D12_COMMAND_LIST_TYPE_COMPUTE;
    const D3D12_COMMAND_QUEUE_DESC desc = {.Type = type};
    HRESULT result = ID3D12Device_CreateCommandQueue(gpu->device, &desc, &IID_ID3D12CommandQueue,
                                                     (void **)&gpu->queue);
    if (SUCCEEDED(result)) {
        result = ID3D12Device_CreateCommandAllocator(gpu->device, type, &IID_ID3D12CommandAllocator,
                                                     (void **)&gpu->allocator);
    }
    if (SUCCEEDED(result)) {
        result =
            ID3D12Device_CreateCommandList(gpu->device, 0, type, gpu->allocator, NULL,
                                           &IID_ID3D12GraphicsCommandList, (void **)&gpu->list);
    }
    if (SUCCEEDED(result)) {
        result = ID3D12Device_CreateFence(gpu->device, 0, D3D12_FENCE_FLAG_NONE, &IID_ID3D12Fence,
                                          (void **)&gpu->fence);
    }
    if (SUCCEEDED(result)) {
        result = topk_gpu_reserve(gpu, &gpu->garbage, GARBAGE_BYTES, D3D12_HEAP_TYPE_UPLOAD);
    }
    if (SUCCEEDED(result)) {
        fill_garbage(gpu->garbage.mapped);
    }
    return result;
}

bool topk_gpu_open(struct topk_gpu *gpu, const struct topk_gpu_options *options, char *error,
                   size_t error_bytes)
{
    memset(gpu, 0, sizeof *gpu);
    gpu->timeout_ms = options->timeout_ms;
    if (!topk_gpu_create_device(gpu, options, error, error_bytes)) {
        topk_gpu_close(gpu);
        return false;
    }
    const HRESULT result = create_queue(gpu);
    if (FAILED(result)) {
        snprintf(error, error_bytes, "%s: creating a command queue: %08" PRIx32 " %s", gpu->name,
                 (uint32_t)result, topk_hresult_name(result));
        topk_gpu_close(gpu);
        return false;
    }
    query_features(gpu);
    return true;
}

void topk_gpu_close(struct topk_gpu *gpu)
{
    /* do not free what a hanging device may still use; the process ends soon */
    if (gpu->timed_out) {
        return;
    }
    release_own(gpu);
    free(gpu->own);
    topk_gpu_release(&gpu->arena);
    topk_gpu_release(&gpu->upload);
    topk_gpu_release(&gpu->readback);
    topk_gpu_release(&gpu->garbage);
    topk_gpu_release_object(gpu->fence);
    topk_gpu_release_object(gpu->list);
    topk_gpu_release_object(gpu->allocator);
    topk_gpu_release_object(gpu->queue);
    topk_gpu_release_object(gpu->device);
    topk_gpu_unload(gpu);
    memset(gpu, 0, sizeof *gpu);
}

/* ---- options --------------------------------------------------------------------------------- */

bool topk_gpu_take_option(struct topk_gpu_options *options, const char *key, const char *value)
{
    if (strcmp(key, "adapter") != 0 || value[0] == 0 || strlen(value) >= sizeof options->adapter) {
        return false;
    }
    snprintf(options->adapter, sizeof options->adapter, "%s", value);
    return true;
}
