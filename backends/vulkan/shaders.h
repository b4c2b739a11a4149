/* The compiled shaders of the backend vulkan and what they require of the host: descriptors,
 * parameters, dispatches. The rows are those of shaders.def; cmake/vulkan.cmake compiles them.
 *
 * Entry point `main`, SPIR-V 1.3 (Vulkan 1.1). A shader with INT8 etc. in `needs` declares only
 * these capabilities, so a device must enable no other feature.
 *
 * Specialization constant 0 (uint32_t) is the size of a workgroup in x: struct topk_shader.group,
 * or what suits the device better. With TOPK_NEEDS_SPECIAL there are constants 1 to 4 (uint32_t):
 * parameters.index_bytes, is_float, flip[0] and flip[1].
 *
 * Descriptor set 0, all for stage compute, one descriptor each:
 *   binding 0  storage buffer  input, only read
 *   binding 1  storage buffer  value, written; parts of a dword with atomics, unless NATIVE
 *   binding 2  storage buffer  index, only written, in dwords
 *   binding 3  uniform buffer  struct topk_shader_parameters
 *   binding 4  storage buffer  scratch, if topk_schedule_scratch() is not 0
 * "Dynamic" descriptor types are also possible: four storage buffers and one uniform buffer are
 * within the limits of any device. Bindings that a shader does not use may stay unbound: shaders of
 * TOPK_NEEDS_PUSH do not use binding 3, those of TOPK_NEEDS_ADDRESS only binding 3.
 *
 * Range of a tensor's descriptor: from its address, rounded down to the alignment of descriptors
 * (minStorageBufferOffsetAlignment, at most 256; parameters.base is the rest, in bytes), to its
 * end, rounded up to 4. Whole dwords are read and written, so robustBufferAccess would cut a range
 * that ends within one. An input or value of TOPK_NEEDS_STORAGE8 or 16 is accessed by elements
 * only. A range is at most maxStorageBufferRange (128 MiB or more), and always less than 4 GiB.
 * This also applies to scratch memory: more than 2^24 elements need more than 128 MiB. Only
 * TOPK_NEEDS_ADDRESS avoids this limit.
 *
 * Push constants, stage compute, from offset 0: struct topk_shader_push; with TOPK_NEEDS_PUSH, the
 * first TOPK_SHADER_PUSHED bytes of struct topk_shader_parameters come before it.
 *
 * Dispatches: see schedule.c. The passes of one call need a barrier between any two: a memory
 * barrier, stage compute shader to compute shader, shader writes to shader reads and writes. Calls
 * need none between them if they use different scratch memory.
 *
 * All strides, bases and addresses are in bytes. Elements are aligned to their size, but those of 8
 * bytes only to 4.
 */
#ifndef TOPK_VULKAN_SHADERS_H
#define TOPK_VULKAN_SHADERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/kernel.h"

enum topk_shader_binding {
    TOPK_BINDING_INPUT,
    TOPK_BINDING_VALUE,
    TOPK_BINDING_INDEX,
    TOPK_BINDING_PARAMETERS,
    TOPK_BINDING_SCRATCH,
    TOPK_BINDINGS
};

/* With parameters in push constants, of which every device has 128 bytes. The host loops over
 * further dimensions. */
#define TOPK_SHADER_PUSH_DIMENSIONS 3
#define TOPK_SHADER_PUSHED          112
/* Greatest length of a sequence. */
#define TOPK_SHADER_LONGEST 67108864

/* What a device must have, and the host must enable, for a shader. */
enum topk_shader_need {
    TOPK_NEEDS_INT8 = 1,       /* shaderInt8 */
    TOPK_NEEDS_INT16 = 2,      /* shaderInt16 */
    TOPK_NEEDS_INT64 = 4,      /* shaderInt64 */
    TOPK_NEEDS_STORAGE8 = 8,   /* storageBuffer8BitAccess */
    TOPK_NEEDS_STORAGE16 = 16, /* storageBuffer16BitAccess */
    TOPK_NEEDS_SUBGROUPS = 32, /* VkPhysicalDeviceSubgroupProperties: stage compute; BASIC, BALLOT,
                                  SHUFFLE. Any size, full subgroups or not. */
    TOPK_NEEDS_ADDRESS = 64,   /* bufferDeviceAddress, with buffers and memory created for it */
    TOPK_NEEDS_FLOAT16 = 128,  /* shaderFloat16 */
    /* no feature; its parameters are push constants, with at most TOPK_SHADER_PUSH_DIMENSIONS in
     * parameters.dimensions */
    TOPK_NEEDS_PUSH = 256,
    TOPK_NEEDS_SPECIAL = 512, /* one pipeline for each kind of call, by specialization constants */
    TOPK_NEEDS_FLOATS = 1024  /* supports only calls of floats */
};

enum topk_schedule {
    /* chunks are sorted, then merged */
    TOPK_SCHEDULE_ELEMENTS, /* an invocation handles an element */
    TOPK_SCHEDULE_PARTS,    /* a workgroup handles up to `group` elements of a chunk */
    /* a workgroup handles a chunk, or several short sequences side by side */
    TOPK_SCHEDULE_SIDE,
    TOPK_SCHEDULE_CHUNKS, /* a workgroup handles a chunk, in scratch memory */
    /* digits are counted and moved in separate dispatches */
    TOPK_SCHEDULE_DIGITS
};

enum topk_variant {
#define TOPK_VARIANT(variant, ...) TOPK_VARIANT_##variant,
#include "shaders.def"
    TOPK_VARIANTS
};

struct topk_shader {
    uint32_t variant; /* enum topk_variant */
    uint32_t width;   /* bytes of an element: 1, 2, 4 or 8 */
    /* invocations of a workgroup; topk_vulkan_variant_group() gives the number on a device */
    uint32_t group;
    uint32_t chunk;  /* greatest number of elements that a dispatch sorts, or 0 */
    uint32_t shared; /* size of shared memory in bytes */
    uint32_t needs;  /* enum topk_shader_need */
    uint32_t bytes;  /* size of the code */
    const uint32_t *code;
};

/* Indexed by enum topk_variant. */
extern const struct topk_kernel_variant topk_vulkan_variants[TOPK_VARIANTS];
extern const enum topk_schedule topk_vulkan_schedules[TOPK_VARIANTS];
extern const struct topk_shader topk_vulkan_shaders[];
extern const size_t topk_vulkan_shader_count;

/* The parameters of a call: 208 bytes, in the layout of std140 and of push constants, for all
 * kernels. */
struct topk_shader_parameters {
    struct topk_kernel_parameters call; /* length * sequences < 2^31 */
    /* of input, value, index and scratch, each a multiple of 4; only for TOPK_NEEDS_ADDRESS */
    uint64_t address[TOPK_KERNEL_ROLES + 1];
};
_Static_assert(sizeof(struct topk_shader_parameters) == 208, "the block of shaders/topk.glsl");
_Static_assert(offsetof(struct topk_kernel_parameters, dimension[TOPK_SHADER_PUSH_DIMENSIONS]) ==
                   TOPK_SHADER_PUSHED,
               "what is pushed");

/* The push constants of a pass. */
struct topk_shader_push {
    uint32_t phase; /* 0: sort chunks; above: merge; with DIGITS see split.comp */
    uint32_t digit; /* with DIGITS */
    uint32_t first; /* the sequence of slot 0 */
    uint32_t last;  /* 1 if the pass writes outputs, 0 if scratch memory */
};

/* ---- schedule.c ----------------------------------------------------------------------------- */

/* A dispatch: vkCmdDispatch(x, y, 1). x and y are at most 65535. */
struct topk_shader_pass {
    uint32_t x;
    uint32_t y;
    struct topk_shader_push push;
};

/* In the following functions, group is the value of constant 0. */

/* parameters.slots: how many sequences can run at the same time with limit_bytes of scratch memory;
 * at least 1. */
uint32_t topk_schedule_slots(const struct topk_shader *shader, uint32_t group, uint32_t length,
                             uint32_t sequences, uint64_t limit_bytes);

/* Size of the scratch memory of `slots` slots; it may be uninitialized. */
uint64_t topk_schedule_scratch(const struct topk_shader *shader, uint32_t group, uint32_t length,
                               uint32_t slots);

/* Number of chunks in a sequence of `elements` elements; with DIGITS, number of workgroups that
 * share it. */
uint64_t topk_schedule_chunks(const struct topk_shader *shader, uint32_t group, uint32_t elements);

/* Number of dispatches of a call. Uses length, sequences and slots. */
uint64_t topk_schedule_passes(const struct topk_shader *shader, uint32_t group,
                              const struct topk_kernel_parameters *parameters);

/* Computes pass `number` of a call, 0 <= number < topk_schedule_passes(). */
void topk_schedule_pass(const struct topk_shader *shader, uint32_t group,
                        const struct topk_kernel_parameters *parameters, uint64_t number,
                        struct topk_shader_pass *pass);

#endif
