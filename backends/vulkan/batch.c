/* Memory, one command buffer, and waiting for it. */
#include "batch.h"

#include <string.h>

#define ROOM_ALIGNMENT 65536u
/* greatest size of a buffer that is kept from one batch to the next */
#define BYTES_KEPT (UINT64_C(64) << 20)

/* ---- Buffers -------------------------------------------------------------------------------- */

static bool is_storage(enum topk_vulkan_use use)
{
    return use == TOPK_VULKAN_STORAGE || use == TOPK_VULKAN_STORAGE_MAPPED;
}

static VkBufferUsageFlags usage_of(const struct topk_vulkan *vulkan, enum topk_vulkan_use use)
{
    switch (use) {
    case TOPK_VULKAN_UNIFORM:
        return VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
    case TOPK_VULKAN_UPLOAD:
        return VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    case TOPK_VULKAN_READBACK:
        return VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    default:
        return VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT |
               (vulkan->features.device_address ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0u);
    }
}

/* The first allowed memory type with all of the flags, or UINT32_MAX. */
static uint32_t find_type(const struct topk_vulkan *vulkan, uint32_t allowed,
                          VkMemoryPropertyFlags flags)
{
    for (uint32_t i = 0; i < vulkan->memory.memoryTypeCount; i++) {
        if ((allowed >> i & 1u) != 0 &&
            (vulkan->memory.memoryTypes[i].propertyFlags & flags) == flags) {
            return i;
        }
    }
    return UINT32_MAX;
}

static uint32_t type_of(const struct topk_vulkan *vulkan, uint32_t allowed,
                        enum topk_vulkan_use use)
{
    /* every device has such a type for buffers */
    const VkMemoryPropertyFlags mapped =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = UINT32_MAX;
    if (use == TOPK_VULKAN_STORAGE) {
        type = find_type(vulkan, allowed, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
        return type != UINT32_MAX ? type : find_type(vulkan, allowed, 0);
    }
    if (use == TOPK_VULKAN_READBACK || use == TOPK_VULKAN_STORAGE_MAPPED) {
        /* prefer cached memory, because the processor reads it */
        type = find_type(vulkan, allowed, mapped | VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    }
    return type != UINT32_MAX ? type : find_type(vulkan, allowed, mapped);
}

/* Maps memory that the processor reads or writes. The process may lack address space; lavapipe 25.0
 * then reports success even though mmap() failed, also for memory that is not mapped here, so that
 * is tested as well. */
static VkResult map(struct topk_vulkan *vulkan, struct topk_vulkan_buffer *buffer,
                    enum topk_vulkan_use use, VkMemoryPropertyFlags properties)
{
    if ((properties & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0) {
        return VK_SUCCESS;
    }
    void *mapped = NULL;
    const VkResult result =
        vulkan->api.MapMemory(vulkan->device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &mapped);
    if (result == VK_SUCCESS && (mapped == NULL || (uintptr_t)mapped == UINTPTR_MAX)) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (use != TOPK_VULKAN_STORAGE) {
        buffer->mapped = mapped;
        return result == VK_ERROR_MEMORY_MAP_FAILED ? VK_ERROR_OUT_OF_HOST_MEMORY : result;
    }
    if (result == VK_SUCCESS) {
        vulkan->api.UnmapMemory(vulkan->device, buffer->memory);
    }
    return VK_SUCCESS;
}

static VkResult allocate(struct topk_vulkan *vulkan, struct topk_vulkan_buffer *buffer,
                         enum topk_vulkan_use use)
{
    VkMemoryRequirements wanted;
    vulkan->api.GetBufferMemoryRequirements(vulkan->device, buffer->buffer, &wanted);
    const uint32_t type = type_of(vulkan, wanted.memoryTypeBits, use);
    if (type == UINT32_MAX) {
        return VK_ERROR_FEATURE_NOT_PRESENT;
    }
    /* a driver need not notice that a heap is too small */
    const uint32_t heap = vulkan->memory.memoryTypes[type].heapIndex;
    if (wanted.size > vulkan->memory.memoryHeaps[heap].size) {
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                             .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = vulkan->features.device_address && is_storage(use) ? &flags : NULL,
        .allocationSize = wanted.size,
        .memoryTypeIndex = type};
    VkResult result = vulkan->api.AllocateMemory(vulkan->device, &info, NULL, &buffer->memory);
    if (result == VK_SUCCESS) {
        result = vulkan->api.BindBufferMemory(vulkan->device, buffer->buffer, buffer->memory, 0);
    }
    return result == VK_SUCCESS
               ? map(vulkan, buffer, use, vulkan->memory.memoryTypes[type].propertyFlags)
               : result;
}

void topk_vulkan_release(struct topk_vulkan *vulkan, struct topk_vulkan_buffer *buffer)
{
    if (buffer->buffer != VK_NULL_HANDLE) {
        vulkan->api.DestroyBuffer(vulkan->device, buffer->buffer, NULL);
    }
    if (buffer->memory != VK_NULL_HANDLE) {
        vulkan->api.FreeMemory(vulkan->device, buffer->memory, NULL);
    }
    memset(buffer, 0, sizeof *buffer);
}

VkResult topk_vulkan_reserve(struct topk_vulkan *vulkan, struct topk_vulkan_buffer *buffer,
                             uint64_t bytes, enum topk_vulkan_use use)
{
    if (bytes <= buffer->bytes) {
        return VK_SUCCESS;
    }
    /* half as much again, so that growing batches do not make a new one each time; but not for a
     * large one, which may be all that the device has */
    const uint64_t more = bytes < (UINT64_C(64) << 20) ? bytes / 2 : 0;
    const uint64_t room = topk_kernel_round_up(bytes + more, ROOM_ALIGNMENT);
    topk_vulkan_release(vulkan, buffer);
    if (room > vulkan->max_buffer || room > vulkan->max_allocation) {
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = room,
                                     .usage = usage_of(vulkan, use),
                                     .sharingMode = VK_SHARING_MODE_EXCLUSIVE};
    VkResult result = vulkan->api.CreateBuffer(vulkan->device, &info, NULL, &buffer->buffer);
    if (result == VK_SUCCESS) {
        result = allocate(vulkan, buffer, use);
    }
    if (result != VK_SUCCESS) {
        topk_vulkan_release(vulkan, buffer);
        return result;
    }
    if (vulkan->features.device_address && is_storage(use)) {
        const VkBufferDeviceAddressInfo address = {
            .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = buffer->buffer};
        buffer->address = vulkan->api.GetBufferDeviceAddress(vulkan->device, &address);
    }
    buffer->bytes = room;
    return VK_SUCCESS;
}

void topk_vulkan_trim(struct topk_vulkan *vulkan, struct topk_vulkan_buffer *buffer)
{
    if (buffer->bytes > BYTES_KEPT && !vulkan->timed_out) {
        topk_vulkan_release(vulkan, buffer);
    }
}

/* ---- Recording ------------------------------------------------------------------------------ */

void topk_vulkan_barrier(struct topk_vulkan_batch *batch, VkPipelineStageFlags from,
                         VkAccessFlags written, VkPipelineStageFlags to, VkAccessFlags wanted)
{
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = written,
                                     .dstAccessMask = wanted};
    batch->vulkan->api.CmdPipelineBarrier(batch->commands, from, to, 0, 1, &barrier, 0, NULL, 0,
                                          NULL);
}

static VkResult begin(struct topk_vulkan_batch *batch)
{
    const struct topk_vulkan_api *api = &batch->vulkan->api;
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                           .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    const VkResult result = api->ResetCommandPool(batch->vulkan->device, batch->pool, 0);
    return result != VK_SUCCESS ? result : api->BeginCommandBuffer(batch->commands, &info);
}

static VkResult execute(const struct topk_vulkan_batch *batch)
{
    const struct topk_vulkan *vulkan = batch->vulkan;
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &batch->commands};
    VkResult result = vulkan->api.EndCommandBuffer(batch->commands);
    if (result == VK_SUCCESS) {
        result = vulkan->api.ResetFences(vulkan->device, 1, &batch->fence);
    }
    if (result == VK_SUCCESS) {
        result = vulkan->api.QueueSubmit(vulkan->queue, 1, &info, batch->fence);
    }
    return result;
}

static VkResult await(const struct topk_vulkan_batch *batch)
{
    struct topk_vulkan *vulkan = batch->vulkan;
    const VkResult result = vulkan->api.WaitForFences(
        vulkan->device, 1, &batch->fence, VK_TRUE, (uint64_t)vulkan->options.timeout_ms * 1000000u);
    vulkan->timed_out = result == VK_TIMEOUT;
    return result;
}

/* ---- A batch -------------------------------------------------------------------------------- */

/* Assigns offsets to all buffers; returns the total size. */
static uint64_t place_all(const struct topk_backend_call *const calls[], uint32_t count,
                          struct topk_vulkan_places places[])
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (int role = 0; role < TOPK_KERNEL_ROLES; role++) {
            places[i].offset[role] = end;
            end = topk_kernel_round_up(end + topk_kernel_buffer(calls[i], role)->bytes,
                                       TOPK_KERNEL_ALIGNMENT);
        }
    }
    return end;
}

static uint64_t end_of(const struct topk_backend_call *const calls[], uint32_t count,
                       const struct topk_vulkan_places places[])
{
    const int last = TOPK_KERNEL_ROLES - 1;
    return topk_kernel_round_up(places[count - 1].offset[last] +
                                    topk_kernel_buffer(calls[count - 1], last)->bytes,
                                TOPK_KERNEL_ALIGNMENT);
}

static VkResult reserve_all(struct topk_vulkan_batch *batch, uint64_t bytes)
{
    struct topk_vulkan *vulkan = batch->vulkan;
    if (vulkan->options.host_memory) {
        return topk_vulkan_reserve(vulkan, &batch->arena, bytes, TOPK_VULKAN_STORAGE_MAPPED);
    }
    VkResult result = topk_vulkan_reserve(vulkan, &batch->arena, bytes, TOPK_VULKAN_STORAGE);
    if (result == VK_SUCCESS) {
        result = topk_vulkan_reserve(vulkan, &batch->upload, bytes, TOPK_VULKAN_UPLOAD);
    }
    if (result == VK_SUCCESS) {
        result = topk_vulkan_reserve(vulkan, &batch->readback, bytes, TOPK_VULKAN_READBACK);
    }
    return result;
}

VkResult topk_vulkan_load(struct topk_vulkan_batch *batch,
                          const struct topk_backend_call *const calls[], uint32_t count,
                          struct topk_vulkan_places places[])
{
    struct topk_vulkan *vulkan = batch->vulkan;
    if (vulkan->lost.status != TOPK_BACKEND_DONE) {
        return VK_ERROR_DEVICE_LOST;
    }
    const uint64_t bytes = place_all(calls, count, places);
    VkResult result = reserve_all(batch, bytes);
    if (result == VK_SUCCESS) {
        result = begin(batch);
    }
    if (result != VK_SUCCESS) {
        return result;
    }
    const bool staged = !vulkan->options.host_memory;
    unsigned char *mapped = staged ? batch->upload.mapped : batch->arena.mapped;
    for (uint32_t i = 0; i < count; i++) {
        for (int role = 0; role < TOPK_KERNEL_ROLES; role++) {
            const struct topk_backend_buffer *buffer = topk_kernel_buffer(calls[i], role);
            memcpy(mapped + places[i].offset[role], buffer->data, (size_t)buffer->bytes);
        }
    }
    /* writes by the processor before the submission need no barrier */
    if (staged) {
        const VkBufferCopy region = {.size = bytes};
        vulkan->api.CmdCopyBuffer(batch->commands, batch->upload.buffer, batch->arena.buffer, 1,
                                  &region);
        topk_vulkan_barrier(batch, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                            VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    }
    return VK_SUCCESS;
}

static void record_way_back(struct topk_vulkan_batch *batch, uint64_t bytes)
{
    const VkBufferCopy region = {.size = bytes};
    topk_vulkan_barrier(batch, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                        VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
    batch->vulkan->api.CmdCopyBuffer(batch->commands, batch->arena.buffer, batch->readback.buffer,
                                     1, &region);
    topk_vulkan_barrier(batch, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                        VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

VkResult topk_vulkan_submit(struct topk_vulkan_batch *batch,
                            const struct topk_backend_call *const calls[], uint32_t count,
                            const struct topk_vulkan_places places[])
{
    if (!batch->vulkan->options.host_memory) {
        record_way_back(batch, end_of(calls, count, places));
    } else {
        topk_vulkan_barrier(batch, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                            VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    }
    return execute(batch);
}

VkResult topk_vulkan_finish(struct topk_vulkan_batch *batch,
                            const struct topk_backend_call *const calls[], uint32_t count,
                            const struct topk_vulkan_places places[])
{
    const bool staged = !batch->vulkan->options.host_memory;
    const VkResult result = await(batch);
    const unsigned char *mapped = staged ? batch->readback.mapped : batch->arena.mapped;
    for (uint32_t i = 0; result == VK_SUCCESS && i < count; i++) {
        for (int role = 0; role < TOPK_KERNEL_ROLES; role++) {
            const struct topk_backend_buffer *buffer = topk_kernel_buffer(calls[i], role);
            memcpy(buffer->data, mapped + places[i].offset[role], (size_t)buffer->bytes);
        }
    }
    return result;
}

VkResult topk_vulkan_repeat(struct topk_vulkan_batch *batch)
{
    return batch->arena.buffer == VK_NULL_HANDLE ? VK_NOT_READY : begin(batch);
}

VkResult topk_vulkan_repeat_finish(struct topk_vulkan_batch *batch)
{
    const VkResult result = execute(batch);
    return result != VK_SUCCESS ? result : await(batch);
}

/* ---- Opening -------------------------------------------------------------------------------- */

VkResult topk_vulkan_batch_open(struct topk_vulkan_batch *batch, struct topk_vulkan *vulkan)
{
    const struct topk_vulkan_api *api = &vulkan->api;
    memset(batch, 0, sizeof *batch);
    batch->vulkan = vulkan;
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = vulkan->queue_family};
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkResult result = api->CreateCommandPool(vulkan->device, &pool, NULL, &batch->pool);
    if (result == VK_SUCCESS) {
        const VkCommandBufferAllocateInfo info = {
            .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
            .commandPool = batch->pool,
            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
            .commandBufferCount = 1};
        result = api->AllocateCommandBuffers(vulkan->device, &info, &batch->commands);
    }
    if (result == VK_SUCCESS) {
        result = api->CreateFence(vulkan->device, &fence, NULL, &batch->fence);
    }
    if (result != VK_SUCCESS) {
        topk_vulkan_batch_close(batch);
    }
    return result;
}

void topk_vulkan_batch_close(struct topk_vulkan_batch *batch)
{
    struct topk_vulkan *vulkan = batch->vulkan;
    topk_vulkan_release(vulkan, &batch->arena);
    topk_vulkan_release(vulkan, &batch->upload);
    topk_vulkan_release(vulkan, &batch->readback);
    if (batch->fence != VK_NULL_HANDLE) {
        vulkan->api.DestroyFence(vulkan->device, batch->fence, NULL);
    }
    if (batch->pool != VK_NULL_HANDLE) {
        vulkan->api.DestroyCommandPool(vulkan->device, batch->pool, NULL);
    }
    memset(batch, 0, sizeof *batch);
}
