/* A Vulkan device: found by the loader among those of all its drivers, its features and limits, and
 * its state: lost, out of memory, messages of the validation layer.
 *
 * Functions that may fail return a VkResult; topk_vulkan_answer() turns it into an answer. Once
 * that says that the device is gone, nothing is to be called but topk_vulkan_lost() and
 * topk_vulkan_close(). One thread only. */
#ifndef TOPK_VULKAN_DEVICE_H
#define TOPK_VULKAN_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/kernel.h"
#include "topk_backend.h"
#include "vulkan_api.h"

/* Longest texts of a fingerprint. */
#define TOPK_VULKAN_TEXT 256

/* What the options of the backend say of its device. */
struct topk_vulkan_options {
    char device[128];    /* "", a number, a UUID, "software", "hardware", or a part of a name */
    uint32_t timeout_ms; /* that one submission may take */
    bool validation;     /* with VK_LAYER_KHRONOS_validation */
    bool robust;         /* with robustBufferAccess */
    bool robust2;        /* with robustBufferAccess2, where the device has it */
    uint32_t subgroup;   /* size that subgroup operations are to have; 0: any */
    bool host_memory;    /* calls lie in memory that the processor sees too, without staging */
};

/* What a device has, and the device made here has enabled. */
struct topk_vulkan_features {
    bool int64;
    bool int16;
    bool int8;
    bool float16;
    bool float64;
    bool storage_8;
    bool storage_16;
    bool device_address;
    bool subgroup_basic; /* subgroup operations in compute shaders, by their groups */
    bool subgroup_vote;
    bool subgroup_arithmetic;
    bool subgroup_ballot;
    bool subgroup_shuffle;
    bool robust2;          /* VK_EXT_robustness2 */
    bool subgroup_control; /* a pipeline may ask for a size */
    bool subgroup_full;    /* and for full subgroups */
    uint32_t subgroup_size;
    uint32_t subgroup_least; /* the same as subgroup_size without subgroup_control */
    uint32_t subgroup_most;
    uint32_t subgroup_groups;   /* subgroups in a workgroup, with subgroup_control */
    uint64_t robust2_alignment; /* bytes to which the range of a storage buffer is rounded up */
};

struct topk_vulkan {
    struct topk_vulkan_api api;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t queue_family;
    uint32_t version; /* the smaller of those of the instance and the device: what may be used */
    VkPhysicalDeviceLimits limits;
    uint64_t max_allocation; /* bytes of a memory allocation */
    uint64_t max_buffer;     /* bytes of a buffer */
    VkPhysicalDeviceMemoryProperties memory;
    struct topk_vulkan_features features;
    struct topk_vulkan_options options;
    bool software;                     /* the device computes on the processor */
    char name[TOPK_VULKAN_TEXT];       /* of the device */
    char driver[TOPK_VULKAN_TEXT];     /* and its version */
    char has[TOPK_VULKAN_TEXT];        /* its features and options, for a reader */
    char heard[TOPK_KERNEL_COMPLAINT]; /* the first message of the validation layer that was not
                                          taken, or "" */

    /* of device.c */
    void *library;
    VkDebugUtilsMessengerEXT messenger;
    struct topk_backend_answer lost; /* what a call is answered once the device is gone */
    bool timed_out;                  /* it may still be at work */
};

/* Opens a device; *vulkan is overwritten, and must stay where it is. False, with the reason in
 * error, if that fails; nothing is to be closed then. */
bool topk_vulkan_open(struct topk_vulkan *vulkan, const struct topk_vulkan_options *options,
                      char *error, size_t error_bytes);

/* Does nothing if the device may still be at work: what it uses must not be freed under it. */
void topk_vulkan_close(struct topk_vulkan *vulkan);

/* How many devices the drivers have, whether or not they will do. 0 if there is no loader. */
uint32_t topk_vulkan_count_devices(void);

/* Says what a failure is: a lost device, which stays lost; memory that does not suffice, with the
 * bytes that were wanted (0: unknown); or another failure. doing: what was tried. */
void topk_vulkan_answer(struct topk_vulkan *vulkan, VkResult result, const char *doing,
                        uint64_t bytes, struct topk_backend_answer *answer);

/* True if the device is gone; the answer then says why. */
bool topk_vulkan_lost(const struct topk_vulkan *vulkan, struct topk_backend_answer *answer);

/* Takes the first message of the validation layer that came since it was called last; "": none. */
void topk_vulkan_hear(struct topk_vulkan *vulkan, char complaint[TOPK_KERNEL_COMPLAINT]);

/* Of manifest.c: finds among the drivers' manifests that the environment names one that the loader
 * cannot read: true, and the text says which. False, and the text says what may be wrong. */
bool topk_vulkan_manifest_fault(char *text, size_t bytes);

/* Of select.c: the device of vulkan->instance that the options name: fills physical. False, with
 * the reason and a list of the devices in error, if there is none. */
bool topk_vulkan_select(struct topk_vulkan *vulkan, char *error, size_t error_bytes);

/* Of feature.c: lowers version to that of physical; fills limits, memory, features, software, name,
 * driver and has from it. */
void topk_vulkan_query(struct topk_vulkan *vulkan);

/* Of feature.c: whether the device can do as its options want; if not, error says what it has. */
bool topk_vulkan_can(const struct topk_vulkan *vulkan, char *error, size_t error_bytes);

/* Of feature.c: creates device with all of features. */
VkResult topk_vulkan_create_device(struct topk_vulkan *vulkan);

#endif
