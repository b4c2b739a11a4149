/* Identifies what is below a Direct3D 12 device on other systems than Windows: Wine, vkd3d, and the
 * Vulkan driver that they translate to. It becomes part of the device's description, so that
 * observations can be attributed to it. */
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif
#include "gpu.h"

#include <stdio.h>
#include <string.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#if defined(_WIN32)
#define VULKAN_LIBRARY "vulkan-1.dll"
#else
#include <dlfcn.h>
#define VULKAN_LIBRARY "libvulkan.so.1"
#endif

static void load(const char *library_name, const char *name, void *function, size_t bytes)
{
#if defined(_WIN32)
    const HMODULE library = LoadLibraryA(library_name);
    const FARPROC symbol = library == NULL ? NULL : GetProcAddress(library, name);
#else
    void *library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library == NULL ? NULL : dlsym(library, name);
#endif
    memcpy(function, &symbol, bytes);
}

/* the needed functions of an instance */
struct vulkan {
    PFN_vkGetInstanceProcAddr get;
    VkInstance instance;
    PFN_vkEnumeratePhysicalDevices enumerate;
    PFN_vkGetPhysicalDeviceProperties2 properties;
    PFN_vkDestroyInstance destroy;
};

static PFN_vkVoidFunction function_of(const struct vulkan *vulkan, const char *name)
{
    return vulkan->get(vulkan->instance, name);
}

static bool create_instance(struct vulkan *vulkan)
{
    memset(vulkan, 0, sizeof *vulkan);
    load(VULKAN_LIBRARY, "vkGetInstanceProcAddr", &vulkan->get, sizeof vulkan->get);
    if (vulkan->get == NULL) {
        return false;
    }
    const PFN_vkCreateInstance create =
        (PFN_vkCreateInstance)function_of(vulkan, "vkCreateInstance");
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_2};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    if (create == NULL || create(&info, NULL, &vulkan->instance) != VK_SUCCESS) {
        return false;
    }
    vulkan->enumerate =
        (PFN_vkEnumeratePhysicalDevices)function_of(vulkan, "vkEnumeratePhysicalDevices");
    vulkan->properties =
        (PFN_vkGetPhysicalDeviceProperties2)function_of(vulkan, "vkGetPhysicalDeviceProperties2");
    vulkan->destroy = (PFN_vkDestroyInstance)function_of(vulkan, "vkDestroyInstance");
    return vulkan->enumerate != NULL && vulkan->properties != NULL && vulkan->destroy != NULL;
}

/* the Vulkan driver of the adapter, or of the first device if the adapter has no name yet */
static void describe_vulkan(struct topk_gpu *gpu, char *text, size_t bytes)
{
    struct vulkan vulkan;
    VkPhysicalDevice devices[16];
    uint32_t count = sizeof devices / sizeof devices[0];
    if (!create_instance(&vulkan)) {
        return;
    }
    if (vulkan.enumerate(vulkan.instance, &count, devices) < 0) {
        count = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceDriverProperties driver = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
        VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                           .pNext = &driver};
        vulkan.properties(devices[i], &all);
        const bool cpu = all.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
        if (gpu->name[0] == 0) {
            snprintf(gpu->name, sizeof gpu->name, "%s", all.properties.deviceName);
        }
        if (strcmp(gpu->name, all.properties.deviceName) == 0) {
            gpu->software = gpu->software || cpu;
            snprintf(text, bytes, ", Vulkan driver %.60s %.120s", driver.driverName,
                     driver.driverInfo);
            break;
        }
    }
    vulkan.destroy(vulkan.instance, NULL);
}

void topk_gpu_describe_stack(struct topk_gpu *gpu)
{
    char vulkan[200] = "";
#if defined(_WIN32)
    const char *(*wine_version)(void) = NULL;
    load("ntdll.dll", "wine_get_version", &wine_version, sizeof wine_version);
    if (wine_version == NULL) {
        return;
    }
    describe_vulkan(gpu, vulkan, sizeof vulkan);
    /* Wine 8 unloads it with the device, while one of its threads still runs */
    HMODULE pinned;
    GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_PIN, "winevulkan.dll", &pinned);
    snprintf(gpu->driver, sizeof gpu->driver, "Wine %.20s with its vkd3d%s", wine_version(),
             vulkan);
#else
    const char *(*vkd3d_version)(unsigned *, unsigned *) = NULL;
    load("libvkd3d-shader.so.1", "vkd3d_shader_get_version", &vkd3d_version, sizeof vkd3d_version);
    describe_vulkan(gpu, vulkan, sizeof vulkan);
    snprintf(gpu->driver, sizeof gpu->driver, "%.40s%s",
             vkd3d_version == NULL ? "vkd3d" : vkd3d_version(NULL, NULL), vulkan);
#endif
}
