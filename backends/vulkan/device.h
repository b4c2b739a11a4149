/* A Vulkan device: selected among those of all drivers, with its features and limits, and its
 * state: lost, out of memory, messages of the validation layer.
 *
 * Functions that may fail return a VkResult; topk_vulkan_answer() turns it into an answer. Once the
 * device is lost, only topk_vulkan_lost() and topk_vulkan_close() may be called. One thread only.
 */
#ifndef TOPK_VULKAN_DEVICE_H
#define TOPK_VULKAN_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/kernel.h"
#include "topk_backend.h"
#include "vulkan_api.h"

/* Size of the texts that describe a device. */
#define TOPK_VULKAN_TEXT 256

/* The options of the backend for its device. */
struct topk_vulkan_options {
    char device[128];    /* "", a number, a UUID, "software", "hardware", or a part of a name */
    uint32_t timeout_ms; /* time limit for a submission */
    bool validation;     /* use VK_LAYER_KHRONOS_validation */
    bool robust;         /* enable robustBufferAccess */
    bool robust2;        /* enable robustBufferAccess2, if the device has it */
    uint32_t subgroup;   /* required size of subgroups; 0: any */
    bool host_memory;    /* calls are in memory that the processor can access, without staging */
};

/* The features of a device that were enabled. */
struct topk_vulkan_features {
    bool int64;
    bool int16;
    bool int8;
    bool float16;
    bool float64;
    bool storage_8;
    bool storage_16;
    bool device_address;
    bool subgroup_basic; /* subgroup operations in compute shaders, by their classes */
    bool subgroup_vote;
    bool subgroup_arithmetic;
    bool subgroup_ballot;
    bool subgroup_shuffle;
    bool robust2;          /* VK_EXT_robustness2 */
    bool subgroup_control; /* a pipeline may require a subgroup size */
    bool subgroup_full;    /* and full subgroups */
    uint32_t subgroup_size;
    uint32_t subgroup_least; /* equals subgroup_size without subgroup_control */
    uint32_t subgroup_most;
    /* greatest number of subgroups in a workgroup, with subgroup_control */
    uint32_t subgroup_groups;
    /* alignment to which the range of a storage buffer is rounded up, in bytes */
    uint64_t robust2_alignment;
};

struct topk_vulkan {
    struct topk_vulkan_api api;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t queue_family;
    uint32_t version; /* the lesser version of instance and device, which limits what may be used */
    VkPhysicalDeviceLimits limits;
    uint64_t max_allocation; /* greatest size of a memory allocation */
    uint64_t max_buffer;     /* greatest size of a buffer */
    VkPhysicalDeviceMemoryProperties memory;
    struct topk_vulkan_features features;
    struct topk_vulkan_options options;
    bool software;                 /* the device is a software device */
    char name[TOPK_VULKAN_TEXT];   /* name of the device */
    char driver[TOPK_VULKAN_TEXT]; /* name and version of the driver */
    char has[TOPK_VULKAN_TEXT];    /* its features and options, for the user */
    /* the first message of the validation layer that was not taken yet, or "" */
    char heard[TOPK_KERNEL_COMPLAINT];

    /* private to device.c */
    void *library;
    VkDebugUtilsMessengerEXT messenger;
    struct topk_backend_answer lost; /* the answer to all calls once the device is lost */
    bool timed_out;                  /* the device may still be working */
};

/* Opens a device; overwrites *vulkan, which must not be moved afterwards. Returns false, with the
 * reason in error, if that fails; then there is nothing to close. */
bool topk_vulkan_open(struct topk_vulkan *vulkan, const struct topk_vulkan_options *options,
                      char *error, size_t error_bytes);

/* Does nothing if the device may still be working, because it may still use its memory. */
void topk_vulkan_close(struct topk_vulkan *vulkan);

/* The number of devices of all drivers, suitable or not. 0 if there is no loader. */
uint32_t topk_vulkan_count_devices(void);

/* Describes a failure: a lost device, which stays lost; a lack of memory, with the requested bytes
 * (0: unknown); or another failure. doing: what was attempted. */
void topk_vulkan_answer(struct topk_vulkan *vulkan, VkResult result, const char *doing,
                        uint64_t bytes, struct topk_backend_answer *answer);

/* Whether the device is lost; the answer then says why. */
bool topk_vulkan_lost(const struct topk_vulkan *vulkan, struct topk_backend_answer *answer);

/* Takes the first message of the validation layer since the previous call; "": none. */
void topk_vulkan_hear(struct topk_vulkan *vulkan, char complaint[TOPK_KERNEL_COMPLAINT]);

/* In manifest.c: searches the drivers' manifests that the environment names for one that the loader
 * cannot read. Returns true and names it; or false, and says what else may be wrong. */
bool topk_vulkan_manifest_fault(char *text, size_t bytes);

/* In select.c: sets physical to the device of vulkan->instance that the options select. Returns
 * false, with the reason and a list of the devices in error, if there is none. */
bool topk_vulkan_select(struct topk_vulkan *vulkan, char *error, size_t error_bytes);

/* In feature.c: lowers version to that of physical; sets limits, memory, features, software, name,
 * driver and `has` from it. */
void topk_vulkan_query(struct topk_vulkan *vulkan);

/* In feature.c: whether the device supports its options; if not, error says what it supports. */
bool topk_vulkan_can(const struct topk_vulkan *vulkan, char *error, size_t error_bytes);

/* In feature.c: creates the device with all of `features` enabled. */
VkResult topk_vulkan_create_device(struct topk_vulkan *vulkan);

#endif
