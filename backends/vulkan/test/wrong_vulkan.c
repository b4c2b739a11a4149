/* A Vulkan loader with deliberate faults, libvulkan.so.1, to test the backend vulkan. It forwards
 * everything to the real loader except what TOPK_WRONG_VULKAN names, separated by commas:
 *
 *   shader=ID        the backend's shader is that of wrong_shaders.cmake
 *   FUNCTION=N:CODE  call number N of the function, from 1, does nothing and returns that VkResult
 *   FUNCTION=N+:CODE so does every later call
 *   CmdDispatch=N    before dispatch N comes a command that the validation layer reports
 *   devices=N        there are at most N devices
 *   features=0       no device has any feature
 *   queueFlags=FLAGS of every family of queues
 *   heap=BYTES       size of every heap of memory
 *   LIMIT=VALUE      of every device; change_limits() lists them
 *   subgroupSize=N   of every device
 *
 * Functions are named as in Vulkan without "vk"; the lists below contain those that can fail. With
 * TOPK_WRONG_VULKAN_ONCE, the path of a file, the first failing call deletes the file, and without
 * the file none fails: the next worker has no faults.
 */
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wrong_shaders.h"

/* WRONG(name, parameters, arguments): functions that return a VkResult, in the order in which the
 * backend calls them */
#define WRONG_FUNCTIONS                                                                            \
    WRONG(CreateInstance,                                                                          \
          (const VkInstanceCreateInfo *info, const VkAllocationCallbacks *with, VkInstance *made), \
          (info, with, made))                                                                      \
    WRONG(CreateDevice,                                                                            \
          (VkPhysicalDevice physical, const VkDeviceCreateInfo *info,                              \
           const VkAllocationCallbacks *with, VkDevice *made),                                     \
          (physical, info, with, made))                                                            \
    WRONG_MAKER(CreateCommandPool, VkCommandPoolCreateInfo, VkCommandPool)                         \
    WRONG_MAKER(CreateFence, VkFenceCreateInfo, VkFence)                                           \
    WRONG_MAKER(CreateDescriptorSetLayout, VkDescriptorSetLayoutCreateInfo, VkDescriptorSetLayout) \
    WRONG_MAKER(CreatePipelineLayout, VkPipelineLayoutCreateInfo, VkPipelineLayout)                \
    WRONG_MAKER(CreateDescriptorPool, VkDescriptorPoolCreateInfo, VkDescriptorPool)                \
    WRONG_MAKER(CreateBuffer, VkBufferCreateInfo, VkBuffer)                                        \
    WRONG_MAKER(AllocateMemory, VkMemoryAllocateInfo, VkDeviceMemory)                              \
    WRONG(AllocateCommandBuffers,                                                                  \
          (VkDevice device, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *made),       \
          (device, info, made))                                                                    \
    WRONG(AllocateDescriptorSets,                                                                  \
          (VkDevice device, const VkDescriptorSetAllocateInfo *info, VkDescriptorSet *made),       \
          (device, info, made))                                                                    \
    WRONG(BindBufferMemory,                                                                        \
          (VkDevice device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset),          \
          (device, buffer, memory, offset))                                                        \
    WRONG(MapMemory,                                                                               \
          (VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,         \
           VkMemoryMapFlags flags, void **data),                                                   \
          (device, memory, offset, size, flags, data))                                             \
    WRONG(CreateComputePipelines,                                                                  \
          (VkDevice device, VkPipelineCache cache, uint32_t count,                                 \
           const VkComputePipelineCreateInfo *infos, const VkAllocationCallbacks *with,            \
           VkPipeline *made),                                                                      \
          (device, cache, count, infos, with, made))                                               \
    WRONG(ResetCommandPool, (VkDevice device, VkCommandPool pool, VkCommandPoolResetFlags flags),  \
          (device, pool, flags))                                                                   \
    WRONG(BeginCommandBuffer, (VkCommandBuffer commands, const VkCommandBufferBeginInfo *info),    \
          (commands, info))                                                                        \
    WRONG(EndCommandBuffer, (VkCommandBuffer commands), (commands))                                \
    WRONG(ResetFences, (VkDevice device, uint32_t count, const VkFence *fences),                   \
          (device, count, fences))                                                                 \
    WRONG(QueueSubmit, (VkQueue queue, uint32_t count, const VkSubmitInfo *infos, VkFence fence),  \
          (queue, count, infos, fence))                                                            \
    WRONG(WaitForFences,                                                                           \
          (VkDevice device, uint32_t count, const VkFence *fences, VkBool32 all, uint64_t time),   \
          (device, count, fences, all, time))

/* functions that create an object of a device
 * NOLINTBEGIN(bugprone-macro-parentheses): types */
#define WRONG_MAKER(name, from, to)                                                                \
    WRONG(name, (VkDevice device, const from *info, const VkAllocationCallbacks *with, to *made),  \
          (device, info, with, made))
/* NOLINTEND(bugprone-macro-parentheses) */

/* functions that are implemented separately */
#define OTHER_FUNCTIONS                                                                            \
    OTHER(CreateShaderModule)                                                                      \
    OTHER(CmdDispatch)                                                                             \
    OTHER(EnumeratePhysicalDevices)                                                                \
    OTHER(GetDeviceProcAddr)                                                                       \
    OTHER(GetPhysicalDeviceProperties)                                                             \
    OTHER(GetPhysicalDeviceProperties2)                                                            \
    OTHER(GetPhysicalDeviceFeatures2)                                                              \
    OTHER(GetPhysicalDeviceMemoryProperties)                                                       \
    OTHER(GetPhysicalDeviceQueueFamilyProperties)

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL wrong_GetDeviceProcAddr(VkDevice device,
                                                                        const char *name);

#define WRONG(name, parameters, arguments) static PFN_vk##name real_##name;
#define OTHER(name)                        static PFN_vk##name real_##name;
WRONG_FUNCTIONS
OTHER_FUNCTIONS
#undef WRONG
#undef OTHER

/* ---- Faults --------------------------------------------------------------------------------- */

/* The value of a name in TOPK_WRONG_VULKAN, or NULL. */
static const char *find_wrong(const char *name)
{
    const size_t length = strlen(name);
    const char *text = getenv("TOPK_WRONG_VULKAN");
    while (text != NULL && *text != 0) {
        if (strncmp(text, name, length) == 0 && text[length] == '=') {
            return text + length + 1;
        }
        text = strchr(text, ',');
        text = text == NULL ? NULL : text + 1;
    }
    return NULL;
}

static bool find_number(const char *name, uint64_t *value)
{
    const char *text = find_wrong(name);
    if (text != NULL) {
        *value = strtoull(text, NULL, 10);
    }
    return text != NULL;
}

/* Whether this call of a function fails, after *calls earlier ones; *rest: the text after the
 * number of the call. */
static bool goes_wrong(const char *name, uint32_t *calls, const char **rest)
{
    const char *text = find_wrong(name);
    ++*calls;
    if (text == NULL) {
        return false;
    }
    char *end = NULL;
    const unsigned long number = strtoul(text, &end, 10);
    const bool all = *end == '+';
    *rest = all ? end + 1 : end;
    if (*calls != number && !(all && *calls > number)) {
        return false;
    }
    const char *once = getenv("TOPK_WRONG_VULKAN_ONCE");
    return once == NULL || remove(once) == 0;
}

static bool result_goes_wrong(const char *name, uint32_t *calls, VkResult *result)
{
    const char *rest = NULL;
    if (!goes_wrong(name, calls, &rest)) {
        return false;
    }
    *result = *rest == ':' ? (VkResult)strtol(rest + 1, NULL, 10) : VK_ERROR_UNKNOWN;
    return true;
}

#define WRONG(name, parameters, arguments)                                                         \
    static VKAPI_ATTR VkResult VKAPI_CALL wrong_##name parameters                                  \
    {                                                                                              \
        static uint32_t calls;                                                                     \
        VkResult result = VK_SUCCESS;                                                              \
        return result_goes_wrong(#name, &calls, &result) ? result : real_##name arguments;         \
    }
WRONG_FUNCTIONS
#undef WRONG

/* ---- Shaders and dispatches ----------------------------------------------------------------- */

static const struct {
    const char *id;
    const uint32_t *right;
    size_t right_bytes;
    const uint32_t *wrong;
    size_t wrong_bytes;
} shaders[] = {
#define WRONG_SHADER(id, right, wrong) {id, right, sizeof(right), wrong, sizeof(wrong)},
    WRONG_SHADERS
#undef WRONG_SHADER
};

static VKAPI_ATTR VkResult VKAPI_CALL wrong_CreateShaderModule(VkDevice device,
                                                               const VkShaderModuleCreateInfo *info,
                                                               const VkAllocationCallbacks *with,
                                                               VkShaderModule *made)
{
    const char *id = find_wrong("shader");
    const size_t length = id == NULL ? 0 : strcspn(id, ",");
    VkShaderModuleCreateInfo other = *info;
    for (size_t i = 0; id != NULL && i < sizeof shaders / sizeof shaders[0]; i++) {
        if (strlen(shaders[i].id) == length && memcmp(shaders[i].id, id, length) == 0 &&
            shaders[i].right_bytes == info->codeSize &&
            memcmp(shaders[i].right, info->pCode, info->codeSize) == 0) {
            other.pCode = shaders[i].wrong;
            other.codeSize = shaders[i].wrong_bytes;
            (void)fprintf(stderr, "wrong_vulkan: shader %s\n", shaders[i].id);
        }
    }
    return real_CreateShaderModule(device, &other, with, made);
}

static PFN_vkCmdPipelineBarrier cmd_pipeline_barrier;

static VKAPI_ATTR void VKAPI_CALL wrong_CmdDispatch(VkCommandBuffer commands, uint32_t x,
                                                    uint32_t y, uint32_t z)
{
    static uint32_t calls;
    const char *rest = NULL;
    if (goes_wrong("CmdDispatch", &calls, &rest)) {
        /* no stage makes the access that the barrier names, which a driver ignores */
        const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                         .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                         .dstAccessMask = VK_ACCESS_SHADER_READ_BIT};
        cmd_pipeline_barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                             VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
    }
    real_CmdDispatch(commands, x, y, z);
}

/* ---- Devices -------------------------------------------------------------------------------- */

static void change_limits(VkPhysicalDeviceProperties *of)
{
    VkPhysicalDeviceLimits *limits = &of->limits;
    uint64_t value = 0;
#define LIMIT(place, name)                                                                         \
    if (find_number(#name, &value)) {                                                              \
        memcpy(&(place)->name, &value, sizeof(place)->name); /* little-endian */                   \
    }
    LIMIT(of, apiVersion)
    LIMIT(limits, maxStorageBufferRange)
    LIMIT(limits, minStorageBufferOffsetAlignment)
    LIMIT(limits, maxComputeWorkGroupInvocations)
    LIMIT(limits, maxComputeSharedMemorySize)
    if (find_number("maxComputeWorkGroupSize", &value)) {
        limits->maxComputeWorkGroupSize[0] = (uint32_t)value;
    }
#undef LIMIT
}

static VKAPI_ATTR void VKAPI_CALL wrong_GetPhysicalDeviceProperties(VkPhysicalDevice device,
                                                                    VkPhysicalDeviceProperties *of)
{
    real_GetPhysicalDeviceProperties(device, of);
    change_limits(of);
}

static VKAPI_ATTR void VKAPI_CALL
wrong_GetPhysicalDeviceProperties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *of)
{
    uint64_t size = 0;
    real_GetPhysicalDeviceProperties2(device, of);
    change_limits(&of->properties);
    for (VkBaseOutStructure *next = of->pNext; next != NULL; next = next->pNext) {
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES &&
            find_number("subgroupSize", &size)) {
            ((VkPhysicalDeviceSubgroupProperties *)next)->subgroupSize = (uint32_t)size;
        }
    }
}

/* devices=N: at most N */
static VKAPI_ATTR VkResult VKAPI_CALL wrong_EnumeratePhysicalDevices(VkInstance instance,
                                                                     uint32_t *count,
                                                                     VkPhysicalDevice *devices)
{
    static uint32_t calls;
    uint64_t most = UINT32_MAX;
    VkResult result = VK_SUCCESS;
    if (result_goes_wrong("EnumeratePhysicalDevices", &calls, &result)) {
        return result;
    }
    result = real_EnumeratePhysicalDevices(instance, count, devices);
    if (find_number("devices", &most) && *count > most) {
        *count = (uint32_t)most;
    }
    return result;
}

/* features=0: clears all features that a structure can have, and changes nothing else */
static VKAPI_ATTR void VKAPI_CALL wrong_GetPhysicalDeviceFeatures2(VkPhysicalDevice device,
                                                                   VkPhysicalDeviceFeatures2 *of)
{
    uint64_t value = 1;
    if (!find_number("features", &value) || value != 0) {
        real_GetPhysicalDeviceFeatures2(device, of);
    }
}

static VKAPI_ATTR void VKAPI_CALL wrong_GetPhysicalDeviceMemoryProperties(
    VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties *of)
{
    uint64_t value = 0;
    real_GetPhysicalDeviceMemoryProperties(device, of);
    for (uint32_t i = 0; find_number("heap", &value) && i < of->memoryHeapCount; i++) {
        of->memoryHeaps[i].size = value;
    }
}

static VKAPI_ATTR void VKAPI_CALL wrong_GetPhysicalDeviceQueueFamilyProperties(
    VkPhysicalDevice device, uint32_t *count, VkQueueFamilyProperties *of)
{
    uint64_t value = 0;
    real_GetPhysicalDeviceQueueFamilyProperties(device, count, of);
    for (uint32_t i = 0; of != NULL && find_number("queueFlags", &value) && i < *count; i++) {
        of[i].queueFlags = (VkQueueFlags)value;
    }
}

/* ---- The loader ----------------------------------------------------------------------------- */

/* Returns the function to call: that of this file, which remembers `real`, or `real` itself. */
static PFN_vkVoidFunction wrap(const char *name, PFN_vkVoidFunction real)
{
#define WRAP(function)                                                                             \
    if (real != NULL && strcmp(name, "vk" #function) == 0) {                                       \
        real_##function = (PFN_vk##function)real;                                                  \
        return (PFN_vkVoidFunction)wrong_##function;                                               \
    }
#define WRONG(function, parameters, arguments) WRAP(function)
#define OTHER(function)                        WRAP(function)
    WRONG_FUNCTIONS
    OTHER_FUNCTIONS
#undef WRONG
#undef OTHER
#undef WRAP
    return real;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL wrong_GetDeviceProcAddr(VkDevice device,
                                                                        const char *name)
{
    cmd_pipeline_barrier =
        (PFN_vkCmdPipelineBarrier)real_GetDeviceProcAddr(device, "vkCmdPipelineBarrier");
    return wrap(name, real_GetDeviceProcAddr(device, name));
}

__attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vkGetInstanceProcAddr(VkInstance instance, const char *name);

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance,
                                                               const char *name)
{
    static PFN_vkGetInstanceProcAddr real;
    if (real == NULL) {
        void *library = dlopen(TOPK_VULKAN_LOADER, RTLD_NOW | RTLD_LOCAL);
        void *symbol = library == NULL ? NULL : dlsym(library, "vkGetInstanceProcAddr");
        if (symbol == NULL) {
            (void)fprintf(stderr, "wrong_vulkan: there is no " TOPK_VULKAN_LOADER "\n");
            abort();
        }
        memcpy(&real, &symbol, sizeof symbol);
    }
    return wrap(name, real(instance, name));
}
