/* A batch of calls on a Vulkan device: the buffers of the calls beside each other in one, the
 * arena; one command buffer; and waiting for it.
 *
 * A batch goes: topk_vulkan_load() places the buffers of the calls and records their upload; the
 * backend records its dispatches; topk_vulkan_submit() records the way back and lets the device
 * begin; topk_vulkan_finish() waits, and copies every buffer whole to where the calls have it, the
 * input's too (clauses M01, M02). With the option memory=host the arena is the processor's memory
 * too, and nothing is staged.
 *
 * A write past a buffer lands in another's guard. What topk_vulkan_load() began is given up by the
 * next one, or by closing. */
#ifndef TOPK_VULKAN_BATCH_H
#define TOPK_VULKAN_BATCH_H

#include "device.h"

/* zero it before its first use */
struct topk_vulkan_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    unsigned char *mapped; /* unless it is the device's own */
    uint64_t bytes;
    VkDeviceAddress address; /* of TOPK_VULKAN_STORAGE, if the device has buffer addresses */
};

/* What a buffer is for. */
enum topk_vulkan_use {
    TOPK_VULKAN_STORAGE,        /* the device's: storage, copies to and from */
    TOPK_VULKAN_STORAGE_MAPPED, /* the same, in the processor's memory */
    TOPK_VULKAN_UNIFORM,        /* mapped */
    TOPK_VULKAN_UPLOAD,         /* mapped */
    TOPK_VULKAN_READBACK        /* mapped */
};

/* Where the buffers of a call lie in the arena, in bytes. */
struct topk_vulkan_places {
    uint64_t offset[TOPK_KERNEL_ROLES];
};

struct topk_vulkan_batch {
    struct topk_vulkan *vulkan;
    VkCommandPool pool;
    VkCommandBuffer commands; /* is recorded from topk_vulkan_load() to topk_vulkan_submit() */
    VkFence fence;
    struct topk_vulkan_buffer arena;
    struct topk_vulkan_buffer upload;
    struct topk_vulkan_buffer readback;
};

/* batch is overwritten; vulkan is borrowed. After a failure there is nothing to be closed. */
VkResult topk_vulkan_batch_open(struct topk_vulkan_batch *batch, struct topk_vulkan *vulkan);
/* Not to be called if the device may still be at work. */
void topk_vulkan_batch_close(struct topk_vulkan_batch *batch);

VkResult topk_vulkan_load(struct topk_vulkan_batch *batch,
                          const struct topk_backend_call *const calls[], uint32_t count,
                          struct topk_vulkan_places places[]);
VkResult topk_vulkan_submit(struct topk_vulkan_batch *batch,
                            const struct topk_backend_call *const calls[], uint32_t count,
                            const struct topk_vulkan_places places[]);
/* Of what was submitted. */
VkResult topk_vulkan_finish(struct topk_vulkan_batch *batch,
                            const struct topk_backend_call *const calls[], uint32_t count,
                            const struct topk_vulkan_places places[]);

/* Computing once more what was finished last: the backend records its dispatches between the two.
 * The first fails if the arena was released since. */
VkResult topk_vulkan_repeat(struct topk_vulkan_batch *batch);
VkResult topk_vulkan_repeat_finish(struct topk_vulkan_batch *batch);

/* Records that what was written before is seen by what comes after. */
void topk_vulkan_barrier(struct topk_vulkan_batch *batch, VkPipelineStageFlags from,
                         VkAccessFlags written, VkPipelineStageFlags to, VkAccessFlags wanted);

/* Makes *buffer at least so large, losing what it held; the device must not be using it. */
VkResult topk_vulkan_reserve(struct topk_vulkan *vulkan, struct topk_vulkan_buffer *buffer,
                             uint64_t bytes, enum topk_vulkan_use use);
void topk_vulkan_release(struct topk_vulkan *vulkan, struct topk_vulkan_buffer *buffer);

/* Releases a buffer that is much larger than most calls need; between two batches. */
void topk_vulkan_trim(struct topk_vulkan *vulkan, struct topk_vulkan_buffer *buffer);

#endif
