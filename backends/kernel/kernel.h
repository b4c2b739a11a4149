/* What the backends share that bring kernels of the project to a graphics API, d3d12 and vulkan:
 * the options that both have, the choice of a variant of the kernels, which calls go to the device
 * together, and what becomes of those that fail.
 *
 * Like cpu they are subjects of the suite: cpu_validate.c tells which calls are valid, their
 * kernels compute those, and what the clauses leave open is decided as cpu decides it.
 *
 * A backend has a struct topk_kernel_api; its struct topk_backend has the functions topk_kernel_...
 * below in their places, and an open() that calls topk_kernel_open(). A list of calls goes:
 * prepare() for each that is added, then reserve(), load(), submit() and finish(). */
#ifndef TOPK_KERNEL_H
#define TOPK_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/cpu.h"
#include "topk_backend.h"

/* calls that a device is given at once, at most */
#define TOPK_KERNEL_CALLS 512u
/* what the parameters and the scratch memory of a call are aligned to: no device asks for more */
#define TOPK_KERNEL_ALIGNMENT 256u
/* bytes of a message of a validation layer */
#define TOPK_KERNEL_COMPLAINT 200u
/* where struct topk_kernel_api.choose() is to take what suits a call best */
#define TOPK_KERNEL_AUTO UINT32_MAX

/* the order of enum topk_cpu_tensor */
enum topk_kernel_role {
    TOPK_KERNEL_INPUT,
    TOPK_KERNEL_VALUE,
    TOPK_KERNEL_INDEX,
    TOPK_KERNEL_ROLES
};

/* A variant of the kernels: `variant=NAME` runs it alone. */
struct topk_kernel_variant {
    const char *name;
    const char *summary;
    uint32_t shortest; /* elements of a sequence that keep its threads busy; it serves a few shorter
                          ones */
    uint32_t longest;  /* that it serves */
    bool quadratic;    /* its work grows with the square of the elements of a sequence */
    bool floats;       /* it compares floats as the device does, denormals too */
};

/* A device and what the backend has on it: each backend says what that is. */
struct topk_device;

/* The compiled code of a variant for one width of elements: the backend says what else it is. */
struct topk_shader;

/* A call and how it is served. */
struct topk_kernel_job {
    const struct topk_backend_call *call;
    struct topk_backend_answer *answer;
    struct topk_cpu_plan plan;
    uint32_t variant;
    const struct topk_shader *shader;
    /* by prepare() */
    uint32_t group;                        /* threads of a group */
    uint32_t slots;                        /* sequences that have scratch memory at once */
    uint64_t scratch_bytes;                /* that it needs */
    uint64_t steps;                        /* about how many elements or counts its threads visit */
    char complaint[TOPK_KERNEL_COMPLAINT]; /* what a validation layer says of it, or ""; by submit()
                                              too */
    /* by topk_kernel_place_scratch() */
    uint64_t scratch_at;
};

/* What a backend supplies. device is memory of device_bytes, zeroed at first. Results are the API's
 * own codes, 0 where all is well. */
struct topk_kernel_api {
    size_t device_bytes;
    uint32_t calls;      /* in one list, TOPK_KERNEL_CALLS at most: info.batch */
    uint64_t list_bytes; /* memory that they may have, but that one call has what it needs */
    const struct topk_kernel_variant *variants;
    uint32_t variant_count;
    const char *automatic; /* what choose() goes by, for a reader */
    const char *options;   /* that are known but for variant=, for a reader */

    /* An option other than variant= and timeout=: topk_options_read(). */
    bool (*take_option)(struct topk_device *device, const char *key, const char *value);
    /* With the options taken; timeout_ms is what a list may take. False, with the reason in error;
     * nothing is to be closed then. */
    bool (*open)(struct topk_device *device, uint32_t timeout_ms, char *error, size_t error_bytes);
    /* What a device that hangs still uses must not be freed under it. */
    void (*close)(struct topk_device *device);
    /* Sets name, device and driver; features to those of the device; TOPK_BACKEND_SOFTWARE_DEVICE.
     */
    void (*describe)(const struct topk_device *device, struct topk_backend_info *info);
    /* Whether the device has what the variant needs; if not, reason says what it lacks. */
    bool (*offered)(const struct topk_device *device, uint32_t variant, char *reason,
                    size_t reason_bytes);
    /* The code by which *variant serves a plan, or with TOPK_KERNEL_AUTO the variant that suits the
     * plan and the device best, which it sets; NULL, with the reason, if there is none. */
    const struct topk_shader *(*choose)(const struct topk_device *device, uint32_t *variant,
                                        const struct topk_cpu_plan *plan, char *reason,
                                        size_t reason_bytes);
    /* Makes what the job needs: its pipeline, if it is the first of its kind, and the numbers. */
    int32_t (*prepare)(struct topk_device *device, struct topk_kernel_job *job);
    /* Gives jobs room for their parameters, and that much scratch memory; the device is idle. */
    int32_t (*reserve)(struct topk_device *device, uint32_t count, uint64_t scratch_bytes);
    /* Uploads the buffers of count calls. */
    int32_t (*load)(struct topk_device *device, const struct topk_backend_call *const calls[],
                    uint32_t count);
    /* Records the dispatches of the jobs, without a barrier between any two, and the way back; the
     * device may begin with them. */
    int32_t (*submit)(struct topk_device *device, struct topk_kernel_job *jobs,
                      const struct topk_backend_call *const calls[], uint32_t count);
    /* Waits, and brings every buffer whole to where the calls have it, the input's too. */
    int32_t (*finish)(struct topk_device *device, const struct topk_backend_call *const calls[],
                      uint32_t count);
    /* Does what submit() and finish() do of jobs that were finished last, but for the way back. May
     * be NULL: it cannot. */
    int32_t (*repeat)(struct topk_device *device, struct topk_kernel_job *jobs, uint32_t count);
    /* Says what a failure is, and gives up what it cut short: a lost device, which stays lost;
     * memory that does not suffice, with the bytes that were wanted (0: unknown); or another
     * failure. doing: what was tried. */
    void (*answer)(struct topk_device *device, int32_t result, const char *doing, uint64_t bytes,
                   struct topk_backend_answer *answer);
    /* True if the device is gone; the answer then says why. */
    bool (*lost)(const struct topk_device *device, struct topk_backend_answer *answer);
    /* Takes what a validation layer said of no job in particular; may be NULL. */
    void (*hear)(struct topk_device *device, char complaint[TOPK_KERNEL_COMPLAINT]);
    /* Releases memory that is much more than most calls need; a list has been finished. */
    void (*trim)(struct topk_device *device);
};

/* ---- In a struct topk_backend: frame.c ------------------------------------------------------ */

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

/* The device of what topk_kernel_open() returned. */
struct topk_device *topk_kernel_device(void *opaque);

/* ---- For the API's part: plan.c ------------------------------------------------------------- */

/* A call as kernels take it: the start of a constant buffer, a uniform block or push constants.
 * Strides and bases are in bytes. */
struct topk_kernel_parameters {
    uint32_t length; /* of a sequence */
    uint32_t k;
    uint32_t sequences;
    uint32_t index_bytes;             /* 4 or 8 */
    uint32_t base[TOPK_KERNEL_ROLES]; /* of a tensor, from the start of what is bound */
    uint32_t dimensions;              /* other than the axis, of more than one element */
    uint32_t step[TOPK_KERNEL_ROLES]; /* stride of the axis */
    uint32_t padded;                  /* power of two from length up, but a chunk at most */
    uint32_t flip[2];                 /* low and high half of what keys are xored with */
    uint32_t is_float;                /* 1 or 0 */
    uint32_t slots;                   /* of the job */
    /* the fastest first: sequence % size is where it stands in dimension[0], and so on */
    struct topk_kernel_dimension {
        uint32_t size;
        uint32_t strides[TOPK_KERNEL_ROLES];
    } dimension[TOPK_CPU_MAX_RANK - 1];
};

/* Fills all but the bases. chunk: elements that are sorted at once; 0: all. */
void topk_kernel_fill(const struct topk_kernel_job *job, uint32_t chunk,
                      struct topk_kernel_parameters *parameters);

uint64_t topk_kernel_round_up(uint64_t bytes, uint64_t multiple);

/* The buffer of a call for a role. */
const struct topk_backend_buffer *topk_kernel_buffer(const struct topk_backend_call *call,
                                                     int role);

uint64_t topk_kernel_sequences(const struct topk_cpu_plan *plan);

/* log2 of the bytes of an element: 0 to 3 */
uint32_t topk_kernel_width_log2(const struct topk_cpu_plan *plan);

/* Sequences that are at work at once so that scratch memory stays in limit_bytes, but one always
 * is.
 */
uint32_t topk_kernel_slots(uint64_t sequences, uint64_t slot_bytes, uint64_t limit_bytes);

/* Gives jobs their places in scratch memory; returns the bytes of all. */
uint64_t topk_kernel_place_scratch(struct topk_kernel_job *jobs, uint32_t count);

/* Comparisons and moves of a bitonic network over sequences of so many elements in all. */
uint64_t topk_kernel_network_steps(uint64_t elements, uint64_t chunk);

/* Whether a variant that has a shader (NULL: it has none) for the width of a plan serves sequences
 * of its length; if not, reason says why. */
bool topk_kernel_serves(const struct topk_kernel_variant *variant, const struct topk_shader *shader,
                        const struct topk_cpu_plan *plan, char *reason, size_t reason_bytes);

/* Whether a variant would take so long for a plan that a device may hang, or count past 31 bits; if
 * so, reason says it. chunk: elements that are compared with each other, at most. parts: that a
 * call is cut into, one after the other. */
bool topk_kernel_takes_too_long(const struct topk_kernel_variant *variant,
                                const struct topk_cpu_plan *plan, uint64_t chunk, uint64_t parts,
                                char *reason, size_t reason_bytes);

/* the rest of what this folder shows others */
#include "option.h"

#endif
