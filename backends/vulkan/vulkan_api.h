/* The functions of Vulkan that the backend vulkan calls. The loader is opened at run time, so that
 * a worker starts on a machine without it.
 *
 *   TOPK_VULKAN_GLOBAL(name)    a function of the loader
 *   TOPK_VULKAN_INSTANCE(name)  a function of an instance
 *   TOPK_VULKAN_OPTIONAL(name)  a function of an instance, NULL if it is missing
 *   TOPK_VULKAN_DEVICE(name)    a function of a device
 * Names are those of Vulkan, without "vk".
 */
#ifndef TOPK_VULKAN_API_H
#define TOPK_VULKAN_API_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#define TOPK_VULKAN_FUNCTIONS                                                                      \
    TOPK_VULKAN_GLOBAL(EnumerateInstanceVersion)                                                   \
    TOPK_VULKAN_GLOBAL(EnumerateInstanceLayerProperties)                                           \
    TOPK_VULKAN_GLOBAL(CreateInstance)                                                             \
    TOPK_VULKAN_INSTANCE(DestroyInstance)                                                          \
    TOPK_VULKAN_INSTANCE(EnumeratePhysicalDevices)                                                 \
    TOPK_VULKAN_INSTANCE(EnumerateDeviceExtensionProperties)                                       \
    TOPK_VULKAN_INSTANCE(GetPhysicalDeviceProperties)                                              \
    TOPK_VULKAN_INSTANCE(GetPhysicalDeviceProperties2)                                             \
    TOPK_VULKAN_INSTANCE(GetPhysicalDeviceFeatures2)                                               \
    TOPK_VULKAN_INSTANCE(GetPhysicalDeviceMemoryProperties)                                        \
    TOPK_VULKAN_INSTANCE(GetPhysicalDeviceQueueFamilyProperties)                                   \
    TOPK_VULKAN_INSTANCE(CreateDevice)                                                             \
    TOPK_VULKAN_INSTANCE(GetDeviceProcAddr)                                                        \
    TOPK_VULKAN_OPTIONAL(CreateDebugUtilsMessengerEXT)                                             \
    TOPK_VULKAN_OPTIONAL(DestroyDebugUtilsMessengerEXT)                                            \
    TOPK_VULKAN_DEVICE(DestroyDevice)                                                              \
    TOPK_VULKAN_DEVICE(GetDeviceQueue)                                                             \
    TOPK_VULKAN_DEVICE(CreateBuffer)                                                               \
    TOPK_VULKAN_DEVICE(DestroyBuffer)                                                              \
    TOPK_VULKAN_DEVICE(GetBufferMemoryRequirements)                                                \
    TOPK_VULKAN_DEVICE(AllocateMemory)                                                             \
    TOPK_VULKAN_DEVICE(FreeMemory)                                                                 \
    TOPK_VULKAN_DEVICE(BindBufferMemory)                                                           \
    TOPK_VULKAN_DEVICE(MapMemory)                                                                  \
    TOPK_VULKAN_DEVICE(UnmapMemory)                                                                \
    TOPK_VULKAN_DEVICE(CreateCommandPool)                                                          \
    TOPK_VULKAN_DEVICE(DestroyCommandPool)                                                         \
    TOPK_VULKAN_DEVICE(ResetCommandPool)                                                           \
    TOPK_VULKAN_DEVICE(AllocateCommandBuffers)                                                     \
    TOPK_VULKAN_DEVICE(BeginCommandBuffer)                                                         \
    TOPK_VULKAN_DEVICE(EndCommandBuffer)                                                           \
    TOPK_VULKAN_DEVICE(CreateFence)                                                                \
    TOPK_VULKAN_DEVICE(DestroyFence)                                                               \
    TOPK_VULKAN_DEVICE(ResetFences)                                                                \
    TOPK_VULKAN_DEVICE(WaitForFences)                                                              \
    TOPK_VULKAN_DEVICE(QueueSubmit)                                                                \
    TOPK_VULKAN_DEVICE(CreateDescriptorSetLayout)                                                  \
    TOPK_VULKAN_DEVICE(DestroyDescriptorSetLayout)                                                 \
    TOPK_VULKAN_DEVICE(CreateDescriptorPool)                                                       \
    TOPK_VULKAN_DEVICE(DestroyDescriptorPool)                                                      \
    TOPK_VULKAN_DEVICE(AllocateDescriptorSets)                                                     \
    TOPK_VULKAN_DEVICE(UpdateDescriptorSets)                                                       \
    TOPK_VULKAN_DEVICE(CreatePipelineLayout)                                                       \
    TOPK_VULKAN_DEVICE(DestroyPipelineLayout)                                                      \
    TOPK_VULKAN_DEVICE(CreateShaderModule)                                                         \
    TOPK_VULKAN_DEVICE(DestroyShaderModule)                                                        \
    TOPK_VULKAN_DEVICE(CreateComputePipelines)                                                     \
    TOPK_VULKAN_DEVICE(DestroyPipeline)                                                            \
    TOPK_VULKAN_DEVICE(CmdCopyBuffer)                                                              \
    TOPK_VULKAN_DEVICE(CmdPipelineBarrier)                                                         \
    TOPK_VULKAN_DEVICE(CmdBindPipeline)                                                            \
    TOPK_VULKAN_DEVICE(CmdBindDescriptorSets)                                                      \
    TOPK_VULKAN_DEVICE(CmdPushConstants)                                                           \
    TOPK_VULKAN_DEVICE(CmdDispatch)

struct topk_vulkan_api {
    PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
    PFN_vkGetBufferDeviceAddress GetBufferDeviceAddress; /* Vulkan 1.2, else NULL */
#define TOPK_VULKAN_GLOBAL(name)   PFN_vk##name name;
#define TOPK_VULKAN_INSTANCE(name) PFN_vk##name name;
#define TOPK_VULKAN_OPTIONAL(name) PFN_vk##name name;
#define TOPK_VULKAN_DEVICE(name)   PFN_vk##name name;
    TOPK_VULKAN_FUNCTIONS
#undef TOPK_VULKAN_GLOBAL
#undef TOPK_VULKAN_INSTANCE
#undef TOPK_VULKAN_OPTIONAL
#undef TOPK_VULKAN_DEVICE
};

/* The name of a code, such as "VK_ERROR_DEVICE_LOST"; "" for an unknown code. */
const char *topk_vulkan_result_name(VkResult result);

#endif
