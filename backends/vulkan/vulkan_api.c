/* The names of Vulkan's result codes. */
#include "vulkan_api.h"

#include <stddef.h>

const char *topk_vulkan_result_name(VkResult result)
{
    static const struct {
        VkResult code;
        const char *name;
    } names[] = {
#define NAME(code) {code, #code}
        NAME(VK_NOT_READY),
        NAME(VK_TIMEOUT),
        NAME(VK_INCOMPLETE),
        NAME(VK_ERROR_OUT_OF_HOST_MEMORY),
        NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY),
        NAME(VK_ERROR_INITIALIZATION_FAILED),
        NAME(VK_ERROR_DEVICE_LOST),
        NAME(VK_ERROR_MEMORY_MAP_FAILED),
        NAME(VK_ERROR_LAYER_NOT_PRESENT),
        NAME(VK_ERROR_EXTENSION_NOT_PRESENT),
        NAME(VK_ERROR_FEATURE_NOT_PRESENT),
        NAME(VK_ERROR_INCOMPATIBLE_DRIVER),
        NAME(VK_ERROR_TOO_MANY_OBJECTS),
        NAME(VK_ERROR_FRAGMENTED_POOL),
        NAME(VK_ERROR_OUT_OF_POOL_MEMORY),
        NAME(VK_ERROR_INVALID_SHADER_NV),
        NAME(VK_ERROR_UNKNOWN),
#undef NAME
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].code == result) {
            return names[i].name;
        }
    }
    return "";
}
