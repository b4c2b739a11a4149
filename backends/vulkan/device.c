/* Opens a Vulkan device, and describes its failures. */
#define _POSIX_C_SOURCE 200809L
#include "device.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LIBRARY "libvulkan.so.1"
#define LAYER   "VK_LAYER_KHRONOS_validation"

/* ---- Failures ------------------------------------------------------------------------------- */

void topk_vulkan_answer(struct topk_vulkan *vulkan, VkResult result, const char *doing,
                        uint64_t bytes, struct topk_backend_answer *answer)
{
    if (vulkan->timed_out) {
        answer->status = TOPK_BACKEND_DEVICE_LOST;
        snprintf(answer->reason, sizeof answer->reason,
                 "%s: the device did not finish within %" PRIu32 " ms", doing,
                 vulkan->options.timeout_ms);
    } else if (result == VK_ERROR_DEVICE_LOST) {
        answer->status = TOPK_BACKEND_DEVICE_LOST;
        snprintf(answer->reason, sizeof answer->reason, "%s: the device is lost", doing);
    } else if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY) {
        answer->status = TOPK_BACKEND_OUT_OF_MEMORY;
        snprintf(answer->reason, sizeof answer->reason, "%s: %s", doing,
                 topk_vulkan_result_name(result));
        if (bytes != 0) {
            snprintf(answer->reason, sizeof answer->reason, "%s: %s, %" PRIu64 " bytes wanted",
                     doing, topk_vulkan_result_name(result), bytes);
        }
    } else {
        answer->status = TOPK_BACKEND_FAILED;
        snprintf(answer->reason, sizeof answer->reason, "%s: %d %s", doing, (int)result,
                 topk_vulkan_result_name(result));
    }
    if (answer->status == TOPK_BACKEND_DEVICE_LOST) {
        vulkan->lost = *answer;
    }
}

bool topk_vulkan_lost(const struct topk_vulkan *vulkan, struct topk_backend_answer *answer)
{
    if (vulkan->lost.status == TOPK_BACKEND_DONE) {
        return false;
    }
    *answer = vulkan->lost;
    return true;
}

/* ---- The validation layer ------------------------------------------------------------------- */

/* The text of a message without the handles before it, so that it is the same in each run. */
static const char *text_of(const char *message)
{
    const char *id = strstr(message, "| MessageID = ");
    const char *text = id == NULL ? NULL : strstr(id + 2, " | ");
    return text == NULL ? message : text + 3;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                           VkDebugUtilsMessageTypeFlagsEXT types,
                                           const VkDebugUtilsMessengerCallbackDataEXT *data,
                                           void *context)
{
    char *heard = context;
    (void)severity;
    (void)types;
    if (heard[0] == '\0') {
        snprintf(heard, TOPK_KERNEL_COMPLAINT, "%s: %s",
                 data->pMessageIdName == NULL ? "unnamed" : data->pMessageIdName,
                 text_of(data->pMessage));
    }
    (void)fprintf(stderr, "%s\n", data->pMessage);
    return VK_FALSE;
}

void topk_vulkan_hear(struct topk_vulkan *vulkan, char complaint[TOPK_KERNEL_COMPLAINT])
{
    memcpy(complaint, vulkan->heard, sizeof vulkan->heard);
    vulkan->heard[0] = '\0';
}

/* Messages of the loader and the drivers about themselves are excluded by their types. */
static VkDebugUtilsMessengerCreateInfoEXT messenger_info(struct topk_vulkan *vulkan)
{
    return (VkDebugUtilsMessengerCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = hear,
        .pUserData = vulkan->heard};
}

static bool has_layer(const struct topk_vulkan *vulkan)
{
    static VkLayerProperties layers[64]; /* static, because the stack may be small */
    uint32_t count = sizeof layers / sizeof layers[0];
    if (vulkan->api.EnumerateInstanceLayerProperties(&count, layers) < 0) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(layers[i].layerName, LAYER) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- Loading -------------------------------------------------------------------------------- */

/* Where the functions of struct topk_vulkan_api are loaded from. */
enum origin {
    OF_LOADER,
    OF_INSTANCE,
    OF_INSTANCE_OR_NULL,
    OF_DEVICE
};

static const struct {
    const char *name;
    enum origin origin;
    size_t place;
} functions[] = {
#define ROW(name, origin)          {"vk" #name, origin, offsetof(struct topk_vulkan_api, name)},
#define TOPK_VULKAN_GLOBAL(name)   ROW(name, OF_LOADER)
#define TOPK_VULKAN_INSTANCE(name) ROW(name, OF_INSTANCE)
#define TOPK_VULKAN_OPTIONAL(name) ROW(name, OF_INSTANCE_OR_NULL)
#define TOPK_VULKAN_DEVICE(name)   ROW(name, OF_DEVICE)
    TOPK_VULKAN_FUNCTIONS};

/* Loads the functions of an origin; returns the name of a missing one, or NULL. */
static const char *load_functions(struct topk_vulkan *vulkan, enum origin origin)
{
    const char *missing = NULL;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (functions[i].origin != origin) {
            continue;
        }
        const PFN_vkVoidFunction function =
            origin == OF_DEVICE
                ? vulkan->api.GetDeviceProcAddr(vulkan->device, functions[i].name)
                : vulkan->api.GetInstanceProcAddr(vulkan->instance, functions[i].name);
        memcpy((char *)&vulkan->api + functions[i].place, &function, sizeof function);
        missing = function == NULL ? functions[i].name : missing;
    }
    return missing;
}

static bool load_loader(struct topk_vulkan *vulkan, char *error, size_t error_bytes)
{
    vulkan->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (vulkan->library == NULL) {
        snprintf(error, error_bytes, "the Vulkan loader cannot be loaded (Debian: libvulkan1): %s",
                 dlerror());
        return false;
    }
    void *symbol = dlsym(vulkan->library, "vkGetInstanceProcAddr");
    if (symbol == NULL) {
        snprintf(error, error_bytes, LIBRARY " has no vkGetInstanceProcAddr");
        return false;
    }
    /* POSIX guarantees that object and function pointers have the same representation */
    memcpy(&vulkan->api.GetInstanceProcAddr, &symbol, sizeof symbol);
    const char *missing = load_functions(vulkan, OF_LOADER);
    if (missing != NULL) {
        snprintf(error, error_bytes, LIBRARY " has no %s: it is older than Vulkan 1.1", missing);
    }
    return missing == NULL;
}

static bool load_instance(struct topk_vulkan *vulkan, char *error, size_t error_bytes)
{
    const char *missing = load_functions(vulkan, OF_INSTANCE);
    (void)load_functions(vulkan, OF_INSTANCE_OR_NULL);
    if (missing != NULL) {
        snprintf(error, error_bytes, "the Vulkan instance has no %s", missing);
    }
    return missing == NULL;
}

static bool load_device(struct topk_vulkan *vulkan, char *error, size_t error_bytes)
{
    const char *missing = load_functions(vulkan, OF_DEVICE);
    if (vulkan->features.device_address) {
        vulkan->api.GetBufferDeviceAddress =
            (PFN_vkGetBufferDeviceAddress)vulkan->api.GetDeviceProcAddr(vulkan->device,
                                                                        "vkGetBufferDeviceAddress");
        missing = vulkan->api.GetBufferDeviceAddress == NULL ? "vkGetBufferDeviceAddress" : missing;
    }
    if (missing != NULL) {
        snprintf(error, error_bytes, "%s has no %s", vulkan->name, missing);
    }
    return missing == NULL;
}

/* ---- Opening -------------------------------------------------------------------------------- */

/* Says why there is no instance. */
static void explain(VkResult result, char *error, size_t error_bytes)
{
    char fault[2048];
    const bool found = topk_vulkan_manifest_fault(fault, sizeof fault);
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER) {
        snprintf(error, error_bytes, "the Vulkan loader finds no driver: %s",
                 found ? fault
                       : "none is installed, or none can be used; VK_LOADER_DEBUG=error shows why");
    } else {
        const bool shown = found || result == VK_ERROR_OUT_OF_HOST_MEMORY;
        snprintf(error, error_bytes, "creating a Vulkan instance: %d %s%s%s", (int)result,
                 topk_vulkan_result_name(result), shown ? "; " : "", shown ? fault : "");
    }
}

static bool create_instance(struct topk_vulkan *vulkan, char *error, size_t error_bytes)
{
    static const char *const layers[] = {LAYER};
    static const char *const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
    const uint32_t validation = vulkan->options.validation ? 1 : 0;
    uint32_t version = 0;
    if (vulkan->api.EnumerateInstanceVersion(&version) != VK_SUCCESS ||
        version < VK_API_VERSION_1_1) {
        snprintf(error, error_bytes, "the Vulkan loader is older than Vulkan 1.1");
        return false;
    }
    if (validation && !has_layer(vulkan)) {
        snprintf(error, error_bytes,
                 "the option validation needs the layer " LAYER
                 ", which is not installed (Debian: vulkan-validationlayers)");
        return false;
    }
    vulkan->version = version < VK_API_VERSION_1_3 ? version : VK_API_VERSION_1_3;
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .pApplicationName = "topk-cts",
                                           .apiVersion = vulkan->version};
    const VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info(vulkan);
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pNext = validation ? &messenger : NULL,
                                       .pApplicationInfo = &application,
                                       .enabledLayerCount = validation,
                                       .ppEnabledLayerNames = layers,
                                       .enabledExtensionCount = validation,
                                       .ppEnabledExtensionNames = extensions};
    const VkResult result = vulkan->api.CreateInstance(&info, NULL, &vulkan->instance);
    if (result != VK_SUCCESS) {
        explain(result, error, error_bytes);
    }
    return result == VK_SUCCESS;
}

static bool start_validation(struct topk_vulkan *vulkan, char *error, size_t error_bytes)
{
    const VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info(vulkan);
    if (!vulkan->options.validation) {
        return true;
    }
    if (vulkan->api.CreateDebugUtilsMessengerEXT == NULL ||
        vulkan->api.DestroyDebugUtilsMessengerEXT == NULL ||
        vulkan->api.CreateDebugUtilsMessengerEXT(vulkan->instance, &messenger, NULL,
                                                 &vulkan->messenger) != VK_SUCCESS) {
        snprintf(error, error_bytes, "the messages of " LAYER " are unavailable");
        return false;
    }
    return true;
}

uint32_t topk_vulkan_count_devices(void)
{
    struct topk_vulkan vulkan = {.options = {.timeout_ms = 0}};
    char error[256];
    uint32_t count = 0;
    if (load_loader(&vulkan, error, sizeof error) &&
        create_instance(&vulkan, error, sizeof error) &&
        load_instance(&vulkan, error, sizeof error) &&
        vulkan.api.EnumeratePhysicalDevices(vulkan.instance, &count, NULL) != VK_SUCCESS) {
        count = 0;
    }
    topk_vulkan_close(&vulkan);
    return count;
}

static bool open_all(struct topk_vulkan *vulkan, char *error, size_t error_bytes)
{
    if (!load_loader(vulkan, error, error_bytes) || !create_instance(vulkan, error, error_bytes) ||
        !load_instance(vulkan, error, error_bytes) ||
        !start_validation(vulkan, error, error_bytes) ||
        !topk_vulkan_select(vulkan, error, error_bytes)) {
        return false;
    }
    topk_vulkan_query(vulkan);
    if (!topk_vulkan_can(vulkan, error, error_bytes)) {
        return false;
    }
    const VkResult result = topk_vulkan_create_device(vulkan);
    if (result != VK_SUCCESS) {
        snprintf(error, error_bytes, "%s: creating a device: %d %s", vulkan->name, (int)result,
                 topk_vulkan_result_name(result));
        return false;
    }
    if (!load_device(vulkan, error, error_bytes)) {
        return false;
    }
    vulkan->api.GetDeviceQueue(vulkan->device, vulkan->queue_family, 0, &vulkan->queue);
    return true;
}

bool topk_vulkan_open(struct topk_vulkan *vulkan, const struct topk_vulkan_options *options,
                      char *error, size_t error_bytes)
{
    memset(vulkan, 0, sizeof *vulkan);
    vulkan->options = *options;
    if (!open_all(vulkan, error, error_bytes)) {
        topk_vulkan_close(vulkan);
        return false;
    }
    return true;
}

void topk_vulkan_close(struct topk_vulkan *vulkan)
{
    if (vulkan->timed_out) {
        return;
    }
    if (vulkan->device != NULL && vulkan->api.DestroyDevice != NULL) {
        vulkan->api.DestroyDevice(vulkan->device, NULL);
    }
    if (vulkan->messenger != VK_NULL_HANDLE) {
        vulkan->api.DestroyDebugUtilsMessengerEXT(vulkan->instance, vulkan->messenger, NULL);
    }
    if (vulkan->instance != NULL && vulkan->api.DestroyInstance != NULL) {
        vulkan->api.DestroyInstance(vulkan->instance, NULL);
    }
    if (vulkan->library != NULL) {
        (void)dlclose(vulkan->library);
    }
    memset(vulkan, 0, sizeof *vulkan);
}
