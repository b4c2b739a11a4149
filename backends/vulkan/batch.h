/* A batch of calls on a Vulkan device: one buffer for all buffers of the calls, the arena; one
 * command buffer; and waiting for it.
 *
 * A batch passes through these steps: topk_vulkan_load() places the buffers of the calls and
 * records their upload; the backend records its dispatches; topk_vulkan_submit() records the
 * readback and submits; topk_vulkan_finish() waits, and copies every whole buffer, also the
 * input's, back to the calls (clauses M01, M02). With the option memory=host the processor can
 * access the arena, and nothing is staged.
 *
 * A write past a buffer hits the guard of another. topk_vulkan_load() and closing discard a batch
 * that was not finished.
 */
#ifndef TOPK_VULKAN_BATCH_H
#define TOPK_VULKAN_BATCH_H

#include "device.h"

/* zero it before its first use */
struct topk_vulkan_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    unsigned char *mapped; /* NULL for memory of the device only */
    uint64_t bytes;
    VkDeviceAddress address; /* with TOPK_VULKAN_STORAGE, if the device supports buffer addresses */
};

/* The purpose of a buffer. */
enum topk_vulkan_use {
    TOPK_VULKAN_STORAGE,        /* in device memory: storage, source and destination of copies */
    TOPK_VULKAN_STORAGE_MAPPED, /* the same, in memory that the processor can access */
    TOPK_VULKAN_UNIFORM,        /* mapped */
    TOPK_VULKAN_UPLOAD,         /* mapped */
    TOPK_VULKAN_READBACK        /* mapped */
};

/* Offsets of a call's buffers in the arena, in bytes. */
struct topk_vulkan_places {
    uint64_t offset[TOPK_KERNEL_ROLES];
};

struct topk_vulkan_batch {
    struct topk_vulkan *vulkan;
    VkCommandPool pool;
    VkCommandBuffer commands; /* recorded from topk_vulkan_load() to topk_vulkan_submit() */
    VkFence fence;
    struct topk_vulkan_buffer arena;
    struct topk_vulkan_buffer upload;
    struct topk_vulkan_buffer readback;
};

/* Overwrites *batch; *vulkan must outlive it. After a failure there is nothing to close. */
VkResult topk_vulkan_batch_open(struct topk_vulkan_batch *batch, struct topk_vulkan *vulkan);
/* Must not be called while the device may still be working. */
void topk_vulkan_batch_close(struct topk_vulkan_batch *batch);

VkResult topk_vulkan_load(struct topk_vulkan_batch *batch,
                          const struct topk_backend_call *const calls[], uint32_t count,
                          struct topk_vulkan_places places[]);
VkResult topk_vulkan_submit(struct topk_vulkan_batch *batch,
                            const struct topk_backend_call *const calls[], uint32_t count,
                            const struct topk_vulkan_places places[]);
/* Waits for a submitted batch. */
VkResult topk_vulkan_finish(struct topk_vulkan_batch *batch,
                            const struct topk_backend_call *const calls[], uint32_t count,
                            const struct topk_vulkan_places places[]);

/* Repeat the last finished batch: the backend records its dispatches between the two. The first
 * fails if the arena was freed meanwhile. */
VkResult topk_vulkan_repeat(struct topk_vulkan_batch *batch);
VkResult topk_vulkan_repeat_finish(struct topk_vulkan_batch *batch);

/* Records a barrier between earlier writes and later accesses. */
void topk_vulkan_barrier(struct topk_vulkan_batch *batch, VkPipelineStageFlags from,
                         VkAccessFlags written, VkPipelineStageFlags to, VkAccessFlags wanted);

/* Makes *buffer at least `bytes` large; its content is lost, and the device must not be using
 * it. */
VkResult topk_vulkan_reserve(struct topk_vulkan *vulkan, struct topk_vulkan_buffer *buffer,
                             uint64_t bytes, enum topk_vulkan_use use);
void topk_vulkan_release(struct topk_vulkan *vulkan, struct topk_vulkan_buffer *buffer);

/* Frees a buffer that is much larger than most calls need; call it between two batches. */
void topk_vulkan_trim(struct topk_vulkan *vulkan, struct topk_vulkan_buffer *buffer);

#endif
