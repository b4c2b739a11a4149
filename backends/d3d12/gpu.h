/* A Direct3D 12 device, and what every backend that works on one needs: the buffers of a batch of
 * calls in a default heap, a command list around their dispatches, and the way back.
 *
 * A batch goes: topk_gpu_load() places the buffers of the calls and records their upload; the
 * backend records its dispatches; topk_gpu_finish() records the way back, executes the list, waits,
 * and copies every buffer whole to where the calls have it, the input's too (clauses M01, M02).
 * Buffers lie beside each other in one resource, so a write past one of them lands in another's
 * guard.
 *
 * Functions that may fail return an HRESULT; topk_gpu_answer() turns it into an answer. Once
 * that says that the device is gone, topk_gpu_load() fails, and nothing else is to be called but
 * topk_gpu_lost() and topk_gpu_close(). One thread only. */
#ifndef TOPK_GPU_H
#define TOPK_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "d3d12_api.h"
#include "kernel/kernel.h"
#include "topk_backend.h"

/* Longest texts of a fingerprint. */
#define TOPK_GPU_TEXT 256

/* What the options of a backend say of its device. */
struct topk_gpu_options {
    char adapter[128];   /* "", a number, "software", "hardware", or a part of a name */
    uint32_t timeout_ms; /* that one command list may take */
};

/* A buffer that only this backend and the device see; zero it before its first use. */
struct topk_gpu_buffer {
    ID3D12Resource *resource;
    unsigned char *mapped; /* of an upload or readback heap */
    uint64_t bytes;
};

/* Where a buffer of a call lies on the device. */
struct topk_gpu_place {
    ID3D12Resource *resource;
    uint64_t
        offset; /* of the buffer, in bytes: the tensor is at offset + topk_backend_buffer.offset */
    uint64_t staged; /* in the upload and the readback buffer */
};

/* The three buffers of a call. */
struct topk_gpu_places {
    struct topk_gpu_place role[TOPK_KERNEL_ROLES];
};

struct topk_gpu {
    ID3D12Device *device;
    ID3D12CommandQueue *queue;
    ID3D12CommandAllocator *allocator;
    ID3D12GraphicsCommandList *list; /* open, but while a function of this file executes it */
    topk_d3d12_serialize serialize_root_signature;
    char name[TOPK_GPU_TEXT];     /* of the adapter */
    char driver[TOPK_GPU_TEXT];   /* and its version */
    char features[TOPK_GPU_TEXT]; /* shader model, waves, 16-bit and 64-bit arithmetic */
    bool software;                /* the adapter computes on the processor */
    D3D_SHADER_MODEL shader_model;
    bool waves;       /* wave operations of shader model 6.0 */
    bool native_16;   /* 16-bit types of shader model 6.2 */
    bool integers_64; /* 64-bit integers of shader model 6.0 */

    /* of gpu.c */
    ID3D12Fence *fence;
    uint64_t fence_value;
    uint32_t timeout_ms;
    void *event;                     /* Windows: what the fence signals */
    void *library;                   /* the Direct3D 12 runtime */
    struct topk_backend_answer lost; /* what a call is answered once the device is gone */
    bool timed_out;                  /* it may still be at work */
    struct topk_gpu_buffer arena;    /* default heap: the buffers of the calls */
    struct topk_gpu_buffer upload;
    struct topk_gpu_buffer readback;
    struct topk_gpu_buffer garbage; /* what poisoned memory is filled with */
    ID3D12Resource **own;           /* this batch's resources for buffers of a large alignment */
    uint32_t own_count;
    uint32_t own_room;
};

/* What topk_gpu_take_option() knows, and timeout=, for a reader. */
#define TOPK_GPU_OPTIONS                                                                           \
    "adapter=NUMBER, adapter=NAME, adapter=software, adapter=hardware, timeout=SECONDS"

/* Takes the option adapter=: topk_options_read(). */
bool topk_gpu_take_option(struct topk_gpu_options *options, const char *key, const char *value);

/* Opens a device. gpu is overwritten. False, with the reason in error, if that fails; nothing is to
 * be closed then. */
bool topk_gpu_open(struct topk_gpu *gpu, const struct topk_gpu_options *options, char *error,
                   size_t error_bytes);
void topk_gpu_close(struct topk_gpu *gpu);

/* Makes *buffer at least so large, of a heap of that type, losing what it held; the device must not
 * be using it. Buffers of upload and readback heaps are mapped as long as they live. */
HRESULT topk_gpu_reserve(struct topk_gpu *gpu, struct topk_gpu_buffer *buffer, uint64_t bytes,
                         D3D12_HEAP_TYPE heap);
void topk_gpu_release(struct topk_gpu_buffer *buffer);

/* Releases an object of Direct3D, DXGI or DirectML, if it is not NULL. */
void topk_gpu_release_object(void *object);

/* Places and uploads the buffers of count calls, none of them create_only. After it every place is
 * ready to be an unordered access view. */
HRESULT topk_gpu_load(struct topk_gpu *gpu, const struct topk_backend_call *const calls[],
                      uint32_t count, struct topk_gpu_places places[]);

/* Executes the list and fetches what topk_gpu_load() placed. The list is empty and open after it,
 * if the device still lives. */
HRESULT topk_gpu_finish(struct topk_gpu *gpu, const struct topk_backend_call *const calls[],
                        uint32_t count, const struct topk_gpu_places places[]);

/* Executes the list as it stands and waits. */
HRESULT topk_gpu_execute(struct topk_gpu *gpu);

/* Gives up what was recorded since the list was empty. If that fails, the device counts as lost. */
void topk_gpu_discard(struct topk_gpu *gpu);

/* Makes *buffer at least so large, of a default heap, and records that these bytes of it, up to a
 * multiple of 4, are filled with what no kernel is likely to write, nor to do without. It is ready
 * to be an unordered access view then. */
HRESULT topk_gpu_reserve_poisoned(struct topk_gpu *gpu, struct topk_gpu_buffer *buffer,
                                  uint64_t bytes);

/* Records a transition of a buffer from one state to another, and a barrier behind all that was
 * written through unordered access views. */
void topk_gpu_transition(struct topk_gpu *gpu, ID3D12Resource *resource,
                         D3D12_RESOURCE_STATES before, D3D12_RESOURCE_STATES after);
void topk_gpu_uav_barrier(struct topk_gpu *gpu);

/* Says what a failure is: a lost device with the reason why, memory that does not suffice with the
 * bytes that were wanted (0: unknown), or another failure. doing: what was tried. */
void topk_gpu_answer(struct topk_gpu *gpu, HRESULT result, const char *doing, uint64_t bytes,
                     struct topk_backend_answer *answer);

/* Counts the device as lost, for a reason that only the backend knows. */
void topk_gpu_lose(struct topk_gpu *gpu, HRESULT result, const char *doing);

/* True if the device is gone; the answer then says why. */
bool topk_gpu_lost(const struct topk_gpu *gpu, struct topk_backend_answer *answer);

/* Releases a buffer if it is much larger than most calls need; between two batches. */
void topk_gpu_trim_buffer(const struct topk_gpu *gpu, struct topk_gpu_buffer *buffer);

/* The same of the buffers of the batch. */
void topk_gpu_trim(struct topk_gpu *gpu);

/* Of gpu_open_win32.c and gpu_open_vkd3d.c: loads the runtime and creates the device that the
 * options name; fills library, device, serialize_root_signature, name, driver and software. */
bool topk_gpu_create_device(struct topk_gpu *gpu, const struct topk_gpu_options *options,
                            char *error, size_t error_bytes);
/* Of the same: writes the option that names a device of this machine, as a backend's device() does.
 */
uint32_t topk_gpu_device_option(uint32_t number, char *options, size_t options_bytes);
/* Of the same: frees what create_device made but the device. */
void topk_gpu_unload(struct topk_gpu *gpu);
/* Of the same: waits until the fence has the value, or the time is over. */
HRESULT topk_gpu_wait(struct topk_gpu *gpu, uint64_t value);
/* Of stack.c: fills name, if it is empty, driver and software from what lies beneath the runtime,
 * if that is not Windows itself. */
void topk_gpu_describe_stack(struct topk_gpu *gpu);

#endif
