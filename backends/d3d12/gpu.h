/* A Direct3D 12 device, and what every backend on it needs: the buffers of a batch of calls in a
 * default heap, a command list around their dispatches, and the readback.
 *
 * A batch passes through these steps: topk_gpu_load() places the buffers of the calls and records
 * their upload; the backend records its dispatches; topk_gpu_finish() records the readback,
 * executes the list, waits, and copies every whole buffer, also the input's, back to the calls
 * (clauses M01, M02). Buffers lie beside each other in one resource, so that a write past one of
 * them hits the guard of another.
 *
 * Functions that may fail return an HRESULT; topk_gpu_answer() turns it into an answer. Once the
 * device is lost, topk_gpu_load() fails, and only topk_gpu_lost() and topk_gpu_close() may be
 * called. One thread only.
 */
#ifndef TOPK_GPU_H
#define TOPK_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "d3d12_api.h"
#include "kernel/kernel.h"
#include "topk_backend.h"

/* Size of the texts that describe a device. */
#define TOPK_GPU_TEXT 256

/* The options of a backend for its device. */
struct topk_gpu_options {
    char adapter[128];   /* "", a number, "software", "hardware", or a part of a name */
    uint32_t timeout_ms; /* time limit for a command list */
};

/* A buffer of this backend that no call has; zero it before its first use. */
struct topk_gpu_buffer {
    ID3D12Resource *resource;
    unsigned char *mapped; /* in an upload or readback heap */
    uint64_t bytes;
};

/* Where a buffer of a call is on the device. */
struct topk_gpu_place {
    ID3D12Resource *resource;
    uint64_t
        offset; /* of the buffer, in bytes: the tensor is at offset + topk_backend_buffer.offset */
    uint64_t staged; /* offset in the upload and the readback buffer */
};

/* The three buffers of a call. */
struct topk_gpu_places {
    struct topk_gpu_place role[TOPK_KERNEL_ROLES];
};

struct topk_gpu {
    ID3D12Device *device;
    ID3D12CommandQueue *queue;
    ID3D12CommandAllocator *allocator;
    ID3D12GraphicsCommandList *list; /* open, except while a function of this file executes it */
    topk_d3d12_serialize serialize_root_signature;
    char name[TOPK_GPU_TEXT];     /* name of the adapter */
    char driver[TOPK_GPU_TEXT];   /* name and version of the driver */
    char features[TOPK_GPU_TEXT]; /* shader model, waves, 16-bit and 64-bit arithmetic */
    bool software;                /* the adapter is a software device */
    D3D_SHADER_MODEL shader_model;
    bool waves;       /* wave operations of shader model 6.0 */
    bool native_16;   /* 16-bit types of shader model 6.2 */
    bool integers_64; /* 64-bit integers of shader model 6.0 */

    /* private to gpu.c */
    ID3D12Fence *fence;
    uint64_t fence_value;
    uint32_t timeout_ms;
    void *event;                     /* Windows: signaled by the fence */
    void *library;                   /* the Direct3D 12 runtime */
    struct topk_backend_answer lost; /* the answer to all calls once the device is lost */
    bool timed_out;                  /* the device may still be working */
    struct topk_gpu_buffer arena;    /* default heap: the buffers of the calls */
    struct topk_gpu_buffer upload;
    struct topk_gpu_buffer readback;
    struct topk_gpu_buffer garbage; /* the content of poisoned memory */
    ID3D12Resource **own;           /* resources of this batch for buffers with a large alignment */
    uint32_t own_count;
    uint32_t own_room;
};

/* The options that topk_gpu_take_option() accepts, and timeout=, for messages. */
#define TOPK_GPU_OPTIONS                                                                           \
    "adapter=NUMBER, adapter=NAME, adapter=software, adapter=hardware, timeout=SECONDS"

/* Handles the option adapter=; see topk_options_read(). */
bool topk_gpu_take_option(struct topk_gpu_options *options, const char *key, const char *value);

/* Opens a device; overwrites *gpu. Returns false, with the reason in error, if that fails; then
 * there is nothing to close. */
bool topk_gpu_open(struct topk_gpu *gpu, const struct topk_gpu_options *options, char *error,
                   size_t error_bytes);
void topk_gpu_close(struct topk_gpu *gpu);

/* Makes *buffer at least `bytes` large, in a heap of that type; its content is lost, and the device
 * must not be using it. Buffers in upload and readback heaps stay mapped. */
HRESULT topk_gpu_reserve(struct topk_gpu *gpu, struct topk_gpu_buffer *buffer, uint64_t bytes,
                         D3D12_HEAP_TYPE heap);
void topk_gpu_release(struct topk_gpu_buffer *buffer);

/* Releases an object of Direct3D, DXGI or DirectML, if it is not NULL. */
void topk_gpu_release_object(void *object);

/* Places and uploads the buffers of `count` calls, none of them create_only. Afterwards every
 * buffer can be used as an unordered access view. */
HRESULT topk_gpu_load(struct topk_gpu *gpu, const struct topk_backend_call *const calls[],
                      uint32_t count, struct topk_gpu_places places[]);

/* Executes the list and reads back what topk_gpu_load() placed. Afterwards the list is empty and
 * open, unless the device is lost. */
HRESULT topk_gpu_finish(struct topk_gpu *gpu, const struct topk_backend_call *const calls[],
                        uint32_t count, const struct topk_gpu_places places[]);

/* Whether the buffers that topk_gpu_load() placed last are still on the device, all of them in the
 * memory that batches share, so that their dispatches can be recorded and executed again. */
bool topk_gpu_holds(const struct topk_gpu *gpu, uint32_t count,
                    const struct topk_gpu_places places[]);

/* Executes the list in its current state and waits. */
HRESULT topk_gpu_execute(struct topk_gpu *gpu);

/* Discards the recorded commands. If that fails, the device counts as lost. */
void topk_gpu_discard(struct topk_gpu *gpu);

/* Makes *buffer at least `bytes` large, in a default heap, and records a fill of these bytes,
 * rounded up to a multiple of 4, with values that a kernel neither writes nor relies on. Afterwards
 * it can be used as an unordered access view. */
HRESULT topk_gpu_reserve_poisoned(struct topk_gpu *gpu, struct topk_gpu_buffer *buffer,
                                  uint64_t bytes);

/* Record a transition of a buffer from one state to another, and a barrier after all writes through
 * unordered access views. */
void topk_gpu_transition(struct topk_gpu *gpu, ID3D12Resource *resource,
                         D3D12_RESOURCE_STATES before, D3D12_RESOURCE_STATES after);
void topk_gpu_uav_barrier(struct topk_gpu *gpu);

/* Describes a failure: a lost device, with the reason; a lack of memory, with the requested bytes
 * (0: unknown); or another failure. doing: what was attempted. */
void topk_gpu_answer(struct topk_gpu *gpu, HRESULT result, const char *doing, uint64_t bytes,
                     struct topk_backend_answer *answer);

/* Marks the device as lost, for a reason that the backend found. */
void topk_gpu_lose(struct topk_gpu *gpu, HRESULT result, const char *doing);

/* Whether the device is lost; the answer then says why. */
bool topk_gpu_lost(const struct topk_gpu *gpu, struct topk_backend_answer *answer);

/* Frees a buffer if it is much larger than most calls need; call it between two batches. */
void topk_gpu_trim_buffer(const struct topk_gpu *gpu, struct topk_gpu_buffer *buffer);

/* The same for the buffers of the batch. */
void topk_gpu_trim(struct topk_gpu *gpu);

/* In gpu_open_win32.c and gpu_open_vkd3d.c: loads the runtime and creates the device that the
 * options select; sets library, device, serialize_root_signature, name, driver and software. */
bool topk_gpu_create_device(struct topk_gpu *gpu, const struct topk_gpu_options *options,
                            char *error, size_t error_bytes);
/* In the same files: writes the option that selects a device of this machine, as a backend's
 * device() does. */
uint32_t topk_gpu_device_option(uint32_t number, char *options, size_t options_bytes);
/* In the same files: frees what topk_gpu_create_device() made, except the device. */
void topk_gpu_unload(struct topk_gpu *gpu);
/* In the same files: waits until the fence has the value, or the time limit expires. */
HRESULT topk_gpu_wait(struct topk_gpu *gpu, uint64_t value);
/* In stack.c: sets name, if it is empty, driver and software from what is below the runtime, if
 * that is not Windows itself. */
void topk_gpu_describe_stack(struct topk_gpu *gpu);

#endif
