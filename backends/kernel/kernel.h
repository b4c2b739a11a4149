/* Shared by the backends that run kernels of the project on a graphics API, d3d12 and vulkan: their
 * common options, the choice of a variant, which calls the device gets together, and how failures
 * are handled.
 *
 * Like cpu, these backends are under test. cpu_validate.c decides which calls are valid, their
 * kernels compute those, and what the clauses leave open is decided as in cpu.
 *
 * A backend defines a struct topk_kernel_api. Its struct topk_backend contains the functions
 * topk_kernel_... below, and an open() that calls topk_kernel_open(). A list of calls passes
 * through prepare() for each call, then reserve(), load(), submit() and finish().
 */
#ifndef TOPK_KERNEL_H
#define TOPK_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/cpu.h"
#include "topk_backend.h"

/* greatest number of calls that a device gets at once */
#define TOPK_KERNEL_CALLS 512u
/* alignment of the parameters and the scratch memory of a call; no device requires more */
#define TOPK_KERNEL_ALIGNMENT 256u
/* size of a message of a validation layer */
#define TOPK_KERNEL_COMPLAINT 200u
/* asks struct topk_kernel_api.choose() for the best variant for a call */
#define TOPK_KERNEL_AUTO UINT32_MAX

/* in the order of enum topk_cpu_tensor */
enum topk_kernel_role {
    TOPK_KERNEL_INPUT,
    TOPK_KERNEL_VALUE,
    TOPK_KERNEL_INDEX,
    TOPK_KERNEL_ROLES
};

/* A variant of the kernels; `variant=NAME` selects only it. */
struct topk_kernel_variant {
    const char *name;
    const char *summary;
    /* length of a sequence that keeps its threads busy; it supports a few shorter ones */
    uint32_t shortest;
    uint32_t longest; /* greatest length of a sequence */
    bool quadratic;   /* its work grows with the square of the length of a sequence */
    bool floats;      /* it compares floats as the device does, including denormals */
};

/* A device and the backend's objects on it; defined by each backend. */
struct topk_device;

/* The compiled code of a variant for one width of elements; defined by each backend. */
struct topk_shader;

/* A call and how it is computed. */
struct topk_kernel_job {
    const struct topk_backend_call *call;
    struct topk_backend_answer *answer;
    struct topk_cpu_plan plan;
    uint32_t variant;
    const struct topk_shader *shader;
    /* set by prepare() */
    uint32_t group;         /* threads of a group */
    uint32_t slots;         /* sequences that have scratch memory at the same time */
    uint64_t scratch_bytes; /* size of its scratch memory */
    /* approximate number of elements or counts that its threads visit */
    uint64_t steps;
    /* message of a validation layer about it, or ""; also set by submit() */
    char complaint[TOPK_KERNEL_COMPLAINT];
    /* set by topk_kernel_place_scratch() */
    uint64_t scratch_at;
};

/* The functions of a backend. device: memory of device_bytes, initially zero. Results are the API's
 * own codes; 0 is success. */
struct topk_kernel_api {
    size_t device_bytes;
    uint32_t calls;      /* greatest number in a list, at most TOPK_KERNEL_CALLS: info.batch */
    uint64_t list_bytes; /* greatest size of their memory, unless one call needs more */
    const struct topk_kernel_variant *variants;
    uint32_t variant_count;
    const char *automatic; /* what choose() considers, for messages */
    const char *options;   /* known options except variant=, for messages */

    /* Handles an option other than variant= and timeout=; see topk_options_read(). */
    bool (*take_option)(struct topk_device *device, const char *key, const char *value);
    /* Opens the device with these options; timeout_ms: time limit for a list. Returns false, with
     * the reason in error, if that fails; then there is nothing to close. */
    bool (*open)(struct topk_device *device, uint32_t timeout_ms, char *error, size_t error_bytes);
    /* Closes the device. Must not free memory that a hanging device still uses. */
    void (*close)(struct topk_device *device);
    /* Sets name, device and driver, adds the device's features, and sets
     * TOPK_BACKEND_SOFTWARE_DEVICE if it applies. */
    void (*describe)(const struct topk_device *device, struct topk_backend_info *info);
    /* Whether the device has what the variant needs; if not, reason says what is missing. */
    bool (*offered)(const struct topk_device *device, uint32_t variant, char *reason,
                    size_t reason_bytes);
    /* Returns the code of *variant for a plan. With TOPK_KERNEL_AUTO, sets *variant to the best one
     * for the plan and the device. Returns NULL, with the reason, if there is none. */
    const struct topk_shader *(*choose)(const struct topk_device *device, uint32_t *variant,
                                        const struct topk_cpu_plan *plan, char *reason,
                                        size_t reason_bytes);
    /* Prepares a job: creates its pipeline if necessary, and sets its numbers. */
    int32_t (*prepare)(struct topk_device *device, struct topk_kernel_job *job);
    /* Allocates the parameters of the jobs and scratch memory; the device is idle. */
    int32_t (*reserve)(struct topk_device *device, uint32_t count, uint64_t scratch_bytes);
    /* Uploads the buffers of count calls. */
    int32_t (*load)(struct topk_device *device, const struct topk_backend_call *const calls[],
                    uint32_t count);
    /* Records the dispatches of the jobs, with no barrier between any two, and the readback; the
     * device may start. */
    int32_t (*submit)(struct topk_device *device, struct topk_kernel_job *jobs,
                      const struct topk_backend_call *const calls[], uint32_t count);
    /* Waits, and copies all buffers, including the inputs, back to the calls. */
    int32_t (*finish)(struct topk_device *device, const struct topk_backend_call *const calls[],
                      uint32_t count);
    /* Repeats submit() and finish() for the last finished jobs, without the readback. NULL: not
     * supported. */
    int32_t (*repeat)(struct topk_device *device, struct topk_kernel_job *jobs, uint32_t count);
    /* Describes a failure, and aborts what it interrupted. It is a lost device, which stays lost; a
     * lack of memory, with the requested bytes (0: unknown); or another failure. doing: what was
     * attempted. */
    void (*answer)(struct topk_device *device, int32_t result, const char *doing, uint64_t bytes,
                   struct topk_backend_answer *answer);
    /* Whether the device is lost; the answer then says why. */
    bool (*lost)(const struct topk_device *device, struct topk_backend_answer *answer);
    /* Takes messages of a validation layer that do not belong to a job; may be NULL. */
    void (*hear)(struct topk_device *device, char complaint[TOPK_KERNEL_COMPLAINT]);
    /* Frees memory that exceeds what most calls need; called after a list was finished. */
    void (*trim)(struct topk_device *device);
};

/* ---- For struct topk_backend: frame.c ------------------------------------------------------- */

void *topk_kernel_open(const struct topk_kernel_api *api, const char *options, char *error,
                       size_t error_bytes);
void topk_kernel_describe(void *opaque, struct topk_backend_info *info);
void topk_kernel_supports(void *opaque, const struct topk_backend_call *call,
                          struct topk_backend_answer *answer);
void topk_kernel_run(void *opaque, const struct topk_backend_call *calls, uint32_t count,
                     struct topk_backend_answer *answers);
void topk_kernel_start(void *opaque, const struct topk_backend_call *calls, uint32_t count,
                       struct topk_backend_answer *answers);
void topk_kernel_finish(void *opaque);
uint32_t topk_kernel_repeat(void *opaque);
void topk_kernel_close(void *opaque);

/* Returns the device of the result of topk_kernel_open(). */
struct topk_device *topk_kernel_device(void *opaque);

/* ---- For the backends: plan.c --------------------------------------------------------------- */

/* A call as kernels get it: the start of a constant buffer, a uniform block or push constants.
 * Strides and bases are in bytes. */
struct topk_kernel_parameters {
    uint32_t length; /* of a sequence */
    uint32_t k;
    uint32_t sequences;
    uint32_t index_bytes;             /* 4 or 8 */
    uint32_t base[TOPK_KERNEL_ROLES]; /* of a tensor in the bound buffer */
    uint32_t dimensions;              /* dimensions of size > 1 other than Axis */
    uint32_t step[TOPK_KERNEL_ROLES]; /* stride of Axis */
    uint32_t padded;                  /* length rounded up to a power of two, at most a chunk */
    uint32_t flip[2];                 /* low and high half of the value that keys are xored with */
    uint32_t is_float;                /* 1 or 0 */
    uint32_t slots;                   /* of the job */
    /* the fastest dimension first: its coordinate is sequence % size, and so on */
    struct topk_kernel_dimension {
        uint32_t size;
        uint32_t strides[TOPK_KERNEL_ROLES];
    } dimension[TOPK_CPU_MAX_RANK - 1];
};

/* Fills all members except the bases. chunk: elements that are sorted at once; 0: all. */
void topk_kernel_fill(const struct topk_kernel_job *job, uint32_t chunk,
                      struct topk_kernel_parameters *parameters);

uint64_t topk_kernel_round_up(uint64_t bytes, uint64_t multiple);

/* Returns the buffer of a call for a role. */
const struct topk_backend_buffer *topk_kernel_buffer(const struct topk_backend_call *call,
                                                     int role);

uint64_t topk_kernel_sequences(const struct topk_cpu_plan *plan);

/* log2 of the bytes of an element: 0 to 3 */
uint32_t topk_kernel_width_log2(const struct topk_cpu_plan *plan);

/* How many sequences can run at the same time with limit_bytes of scratch memory; at least 1. */
uint32_t topk_kernel_slots(uint64_t sequences, uint64_t slot_bytes, uint64_t limit_bytes);

/* Assigns offsets in scratch memory to jobs; returns the total size. */
uint64_t topk_kernel_place_scratch(struct topk_kernel_job *jobs, uint32_t count);

/* Comparisons and moves of a bitonic network over sequences of `elements` elements in total. */
uint64_t topk_kernel_network_steps(uint64_t elements, uint64_t chunk);

/* Whether a variant with a shader for the width of a plan (NULL: without) supports sequences of its
 * length; if not, reason says why. */
bool topk_kernel_serves(const struct topk_kernel_variant *variant, const struct topk_shader *shader,
                        const struct topk_cpu_plan *plan, char *reason, size_t reason_bytes);

/* Whether a variant would take so long for a plan that the device may hang, or exceed 31-bit
 * counts; if so, reason says so. chunk: greatest number of elements that are compared with each
 * other. parts: number of sequential parts of a call. */
bool topk_kernel_takes_too_long(const struct topk_kernel_variant *variant,
                                const struct topk_cpu_plan *plan, uint64_t chunk, uint64_t parts,
                                char *reason, size_t reason_bytes);

/* the other headers that this folder offers */
#include "option.h"

#endif
