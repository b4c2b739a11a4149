/* The compiled shaders of the backend vulkan and what they want of the host: descriptors,
 * parameters, dispatches. The rows are those of shaders.def; cmake/vulkan.cmake compiles them.
 *
 * Entry point `main`, SPIR-V 1.3 (Vulkan 1.1). A shader of INT8 etc. declares only the capabilities
 * of its needs, so a device has to have enabled no other feature.
 *
 * Specialization constant 0 (uint32_t) is the workgroup's size in x: struct topk_shader.group, or
 * what suits the device better. With TOPK_NEEDS_SPECIAL there are constants 1 to 4 (uint32_t):
 * parameters.index_bytes, is_float, flip[0] and flip[1].
 *
 * Descriptor set 0, all of stage compute, each of one descriptor:
 *   binding 0  storage buffer  input, only read
 *   binding 1  storage buffer  value, written; parts of a dword by atomics, unless NATIVE
 *   binding 2  storage buffer  index, only written, in dwords
 *   binding 3  uniform buffer  struct topk_shader_parameters
 *   binding 4  storage buffer  scratch, where topk_schedule_scratch() tells of any
 * "Dynamic" descriptor types serve as well: four storage buffers and one uniform buffer are within
 * the limits of any device. Bindings that a shader does not use need not be bound: shaders of
 * TOPK_NEEDS_PUSH use no binding 3, those of TOPK_NEEDS_ADDRESS none but 3.
 *
 * Range of a tensor's descriptor: from its address, rounded down to what a descriptor may start at
 * (minStorageBufferOffsetAlignment, 256 at most; parameters.base has the rest, in bytes), to its
 * end, rounded up to 4. Whole dwords are read and written, so a range that ends within one would be
 * cut by robustBufferAccess. An input or value of TOPK_NEEDS_STORAGE8 or 16 is touched in elements
 * only. A range is maxStorageBufferRange at most (128 MiB at least), and less than 4 GiB anyway.
 * That is so of scratch memory too: more than 2^24 elements take more than 128 MiB. Only
 * TOPK_NEEDS_ADDRESS is free of it.
 *
 * Push constants, stage compute, from offset 0: struct topk_shader_push; with TOPK_NEEDS_PUSH, the
 * first TOPK_SHADER_PUSHED bytes of struct topk_shader_parameters come before it.
 *
 * Dispatches: schedule.c tells. The passes of one call need a barrier between any two: a memory
 * barrier, stage compute shader to compute shader, shader writes to shader reads and writes. Calls
 * need none between them if their scratch memory is not the same.
 *
 * All strides, bases and addresses are in bytes. Elements are aligned to their width, but those of
 * 8 bytes to 4 only. */
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

/* With parameters in push constants, of which every device has 128 bytes. The host steps through
 * more of them. */
#define TOPK_SHADER_PUSH_DIMENSIONS 3
#define TOPK_SHADER_PUSHED          112
/* Elements of a sequence. */
#define TOPK_SHADER_LONGEST 67108864

/* What a device must have, and the host enable, for a shader. */
enum topk_shader_need {
    TOPK_NEEDS_INT8 = 1,       /* shaderInt8 */
    TOPK_NEEDS_INT16 = 2,      /* shaderInt16 */
    TOPK_NEEDS_INT64 = 4,      /* shaderInt64 */
    TOPK_NEEDS_STORAGE8 = 8,   /* storageBuffer8BitAccess */
    TOPK_NEEDS_STORAGE16 = 16, /* storageBuffer16BitAccess */
    TOPK_NEEDS_SUBGROUPS = 32, /* VkPhysicalDeviceSubgroupProperties: stage compute; BASIC, BALLOT,
                                  SHUFFLE. Any size, full subgroups or not. */
    TOPK_NEEDS_ADDRESS = 64,   /* bufferDeviceAddress; buffers and memory made for it */
    TOPK_NEEDS_FLOAT16 = 128,  /* shaderFloat16 */
    /* nothing that a device may lack, but: its parameters are push constants, and
     * parameters.dimensions are TOPK_SHADER_PUSH_DIMENSIONS at most */
    TOPK_NEEDS_PUSH = 256,
    TOPK_NEEDS_SPECIAL = 512, /* a pipeline for each kind of call, by specialization constants */
    TOPK_NEEDS_FLOATS = 1024  /* calls of floats */
};

enum topk_schedule {
    /* chunks are sorted, then merged */
    TOPK_SCHEDULE_ELEMENTS, /* an invocation: an element */
    TOPK_SCHEDULE_PARTS,    /* a workgroup: up to `group` elements of a chunk */
    TOPK_SCHEDULE_SIDE,     /* a workgroup: a chunk, or several short sequences side by side */
    TOPK_SCHEDULE_CHUNKS,   /* a workgroup: a chunk, in scratch memory */
    /* digits are counted and moved in dispatches of their own */
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
    uint32_t group;   /* invocations: topk_vulkan_variant_group() says how many on a device */
    uint32_t chunk;   /* elements that a dispatch sorts, or 0 */
    uint32_t shared;  /* bytes */
    uint32_t needs;   /* enum topk_shader_need */
    uint32_t bytes;   /* of code */
    const uint32_t *code;
};

/* Indexed by enum topk_variant. */
extern const struct topk_kernel_variant topk_vulkan_variants[TOPK_VARIANTS];
extern const enum topk_schedule topk_vulkan_schedules[TOPK_VARIANTS];
extern const struct topk_shader topk_vulkan_shaders[];
extern const size_t topk_vulkan_shader_count;

/* A call: 208 bytes, the layout of std140 and of push constants. Every kernel takes it. */
struct topk_shader_parameters {
    struct topk_kernel_parameters call; /* length * sequences < 2^31 */
    /* of input, value, index, scratch, each a multiple of 4: only for TOPK_NEEDS_ADDRESS */
    uint64_t address[TOPK_KERNEL_ROLES + 1];
};
_Static_assert(sizeof(struct topk_shader_parameters) == 208, "the block of shaders/topk.glsl");
_Static_assert(offsetof(struct topk_kernel_parameters, dimension[TOPK_SHADER_PUSH_DIMENSIONS]) ==
                   TOPK_SHADER_PUSHED,
               "what is pushed");

/* The push constants of a pass. */
struct topk_shader_push {
    uint32_t phase; /* 0: chunks are sorted; more: merged; with DIGITS, see split.comp */
    uint32_t digit; /* with DIGITS */
    uint32_t first; /* sequence of slot 0 */
    uint32_t last;  /* 1 if outputs are written, 0 if scratch memory */
};

/* ---- schedule.c ----------------------------------------------------------------------------- */

/* A dispatch: vkCmdDispatch(x, y, 1). x and y are 65535 at most. */
struct topk_shader_pass {
    uint32_t x;
    uint32_t y;
    struct topk_shader_push push;
};

/* group is what constant 0 is. */

/* Sequences that are at work at once so that scratch memory stays in limit_bytes (but one sequence
 * always is): parameters.slots. */
uint32_t topk_schedule_slots(const struct topk_shader *shader, uint32_t group, uint32_t length,
                             uint32_t sequences, uint64_t limit_bytes);

/* Bytes of scratch memory that so many slots take; uninitialised memory will do. */
uint64_t topk_schedule_scratch(const struct topk_shader *shader, uint32_t group, uint32_t length,
                               uint32_t slots);

/* Chunks of a sequence of so many elements; with DIGITS, workgroups that share it. */
uint64_t topk_schedule_chunks(const struct topk_shader *shader, uint32_t group, uint32_t elements);

/* Dispatches of a call. Needs length, sequences and slots. */
uint64_t topk_schedule_passes(const struct topk_shader *shader, uint32_t group,
                              const struct topk_kernel_parameters *parameters);

/* Pass `number` of a call: 0 <= number < topk_schedule_passes(). */
void topk_schedule_pass(const struct topk_shader *shader, uint32_t group,
                        const struct topk_kernel_parameters *parameters, uint64_t number,
                        struct topk_shader_pass *pass);

#endif
