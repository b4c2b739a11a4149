/* Queries what a Vulkan device has, and creates a device with all features that the kernels can
 * use. */
#include "device.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The structures with the properties of a device; each is queried if its version is available. */
struct properties {
    VkPhysicalDeviceProperties2 all;
    VkPhysicalDeviceSubgroupProperties subgroup;
    VkPhysicalDeviceMaintenance3Properties maintenance3;
    VkPhysicalDeviceDriverProperties driver;            /* 1.2 */
    VkPhysicalDeviceSubgroupSizeControlProperties size; /* 1.3 */
    VkPhysicalDeviceMaintenance4Properties maintenance4;
    VkPhysicalDeviceRobustness2PropertiesEXT robustness2; /* of an extension */
};

struct enabled {
    VkPhysicalDeviceFeatures2 all;
    VkPhysicalDeviceVulkan11Features v11; /* 1.2 */
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceSubgroupSizeControlFeatures size; /* 1.3 */
    VkPhysicalDeviceMaintenance4Features maintenance4;
    VkPhysicalDeviceRobustness2FeaturesEXT robustness2; /* of an extension */
};

static bool has_extension(const struct topk_vulkan *vulkan, const char *name)
{
    uint32_t count = 0;
    bool found = false;
    if (vulkan->api.EnumerateDeviceExtensionProperties(vulkan->physical, NULL, &count, NULL) !=
        VK_SUCCESS) {
        return false;
    }
    VkExtensionProperties *all = calloc(count + 1, sizeof *all);
    if (all != NULL &&
        vulkan->api.EnumerateDeviceExtensionProperties(vulkan->physical, NULL, &count, all) >= 0) {
        for (uint32_t i = 0; i < count && !found; i++) {
            found = strcmp(all[i].extensionName, name) == 0;
        }
    }
    free(all);
    return found;
}

static void query_properties(struct topk_vulkan *vulkan, struct properties *of)
{
    *of = (struct properties){
        .all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &of->subgroup},
        .subgroup = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
                     .pNext = &of->maintenance3},
        .maintenance3 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES},
        .driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES},
        .size = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES,
                 .pNext = &of->maintenance4},
        .maintenance4 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES},
        .robustness2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_PROPERTIES_EXT}};
    if (has_extension(vulkan, VK_EXT_ROBUSTNESS_2_EXTENSION_NAME)) {
        of->robustness2.pNext = of->all.pNext;
        of->all.pNext = &of->robustness2;
    }
    if (vulkan->version >= VK_API_VERSION_1_2) {
        of->maintenance3.pNext = &of->driver;
    }
    if (vulkan->version >= VK_API_VERSION_1_3) {
        of->driver.pNext = &of->size;
    }
    vulkan->api.GetPhysicalDeviceProperties2(vulkan->physical, &of->all);
}

/* Chains the structures that a version has. */
static void chain_features(uint32_t version, bool robustness2, struct enabled *of)
{
    *of = (struct enabled){
        .all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2},
        .v11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &of->v12},
        .v12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES},
        .size = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES,
                 .pNext = &of->maintenance4},
        .maintenance4 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES},
        .robustness2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT}};
    if (version >= VK_API_VERSION_1_2) {
        of->all.pNext = &of->v11;
    }
    if (version >= VK_API_VERSION_1_3) {
        of->v12.pNext = &of->size;
    }
    if (robustness2) {
        of->robustness2.pNext = of->all.pNext;
        of->all.pNext = &of->robustness2;
    }
}

static void query_subgroups(struct topk_vulkan_features *has, const struct properties *of,
                            const struct enabled *features)
{
    const VkSubgroupFeatureFlags operations =
        (of->subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0
            ? of->subgroup.supportedOperations
            : 0;
    has->subgroup_basic = (operations & VK_SUBGROUP_FEATURE_BASIC_BIT) != 0;
    has->subgroup_vote = (operations & VK_SUBGROUP_FEATURE_VOTE_BIT) != 0;
    has->subgroup_arithmetic = (operations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT) != 0;
    has->subgroup_ballot = (operations & VK_SUBGROUP_FEATURE_BALLOT_BIT) != 0;
    has->subgroup_shuffle = (operations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) != 0;
    has->subgroup_size = of->subgroup.subgroupSize;
    has->subgroup_least = has->subgroup_size;
    has->subgroup_most = has->subgroup_size;
    has->subgroup_full = features->size.computeFullSubgroups != 0;
    if (features->size.subgroupSizeControl &&
        (of->size.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0) {
        has->subgroup_control = true;
        has->subgroup_least = of->size.minSubgroupSize;
        has->subgroup_most = of->size.maxSubgroupSize;
        has->subgroup_groups = of->size.maxComputeWorkgroupSubgroups;
    }
}

static void query_features(struct topk_vulkan *vulkan, const struct properties *of)
{
    struct topk_vulkan_features *has = &vulkan->features;
    struct enabled features;
    chain_features(vulkan->version, has_extension(vulkan, VK_EXT_ROBUSTNESS_2_EXTENSION_NAME),
                   &features);
    vulkan->api.GetPhysicalDeviceFeatures2(vulkan->physical, &features.all);
    *has = (struct topk_vulkan_features){
        .int64 = features.all.features.shaderInt64 != 0,
        .int16 = features.all.features.shaderInt16 != 0,
        .int8 = features.v12.shaderInt8 != 0,
        .float16 = features.v12.shaderFloat16 != 0,
        .float64 = features.all.features.shaderFloat64 != 0,
        .storage_8 = features.v12.storageBuffer8BitAccess != 0,
        .storage_16 = features.v11.storageBuffer16BitAccess != 0,
        .device_address = features.v12.bufferDeviceAddress != 0,
        .robust2 = features.robustness2.robustBufferAccess2 != 0,
        .robust2_alignment = of->robustness2.robustStorageBufferAccessSizeAlignment,
    };
    query_subgroups(has, of, &features);
}

static void describe_features(struct topk_vulkan *vulkan)
{
    const struct topk_vulkan_features *has = &vulkan->features;
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%" PRIu32, has->subgroup_size);
    if (has->subgroup_least != has->subgroup_most) {
        snprintf(sizes, sizeof sizes, "%" PRIu32 " (%" PRIu32 " to %" PRIu32 ")",
                 has->subgroup_size, has->subgroup_least, has->subgroup_most);
    }
    snprintf(
        vulkan->has, sizeof vulkan->has, "%s%s%s%s%s%s%ssubgroups of %s%s%s%s; %s memory%s%s",
        has->int64 ? "int64, " : "", has->int16 ? "int16, " : "", has->int8 ? "int8, " : "",
        has->float16 ? "float16, " : "", has->storage_8 ? "8-bit storage, " : "",
        has->storage_16 ? "16-bit storage, " : "", has->device_address ? "buffer addresses, " : "",
        sizes, has->subgroup_arithmetic ? " with arithmetic" : "",
        has->subgroup_ballot ? " ballot" : "", has->subgroup_shuffle ? " shuffle" : "",
        vulkan->options.host_memory ? "host" : "device", vulkan->options.robust ? ", robust" : "",
        vulkan->options.validation ? ", validation" : "");
}

static void describe_driver(struct topk_vulkan *vulkan, const struct properties *of)
{
    const uint32_t api = of->all.properties.apiVersion;
    snprintf(vulkan->name, sizeof vulkan->name, "%s", of->all.properties.deviceName);
    snprintf(vulkan->driver, sizeof vulkan->driver,
             "%.60s%s%.60s, driver version %08" PRIx32 ", Vulkan %u.%u.%u",
             of->driver.driverName[0] == 0 ? "unnamed" : of->driver.driverName,
             of->driver.driverInfo[0] == 0 ? "" : " ", of->driver.driverInfo,
             of->all.properties.driverVersion, VK_API_VERSION_MAJOR(api), VK_API_VERSION_MINOR(api),
             VK_API_VERSION_PATCH(api));
}

void topk_vulkan_query(struct topk_vulkan *vulkan)
{
    VkPhysicalDeviceProperties first;
    struct properties of;
    vulkan->api.GetPhysicalDeviceProperties(vulkan->physical, &first);
    vulkan->version = first.apiVersion < vulkan->version ? first.apiVersion : vulkan->version;
    query_properties(vulkan, &of);
    vulkan->limits = of.all.properties.limits;
    vulkan->max_allocation = of.maintenance3.maxMemoryAllocationSize;
    vulkan->max_buffer =
        of.maintenance4.maxBufferSize != 0 ? of.maintenance4.maxBufferSize : vulkan->max_allocation;
    vulkan->software = of.all.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    vulkan->api.GetPhysicalDeviceMemoryProperties(vulkan->physical, &vulkan->memory);
    query_features(vulkan, &of);
    describe_driver(vulkan, &of);
    describe_features(vulkan);
}

bool topk_vulkan_can(const struct topk_vulkan *vulkan, char *error, size_t error_bytes)
{
    const struct topk_vulkan_features *has = &vulkan->features;
    const uint32_t size = vulkan->options.subgroup;
    if (size == 0) {
        return true;
    }
    if (!has->subgroup_control) {
        snprintf(error, error_bytes,
                 "subgroup=%" PRIu32 ": %s lets nobody choose the size of a subgroup; its "
                 "own is %" PRIu32,
                 size, vulkan->name, has->subgroup_size);
        return false;
    }
    if (size < has->subgroup_least || size > has->subgroup_most) {
        snprintf(error, error_bytes,
                 "subgroup=%" PRIu32 ": %s has subgroups of %" PRIu32 " to %" PRIu32, size,
                 vulkan->name, has->subgroup_least, has->subgroup_most);
        return false;
    }
    return true;
}

VkResult topk_vulkan_create_device(struct topk_vulkan *vulkan)
{
    const struct topk_vulkan_features *has = &vulkan->features;
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = vulkan->queue_family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    struct enabled wanted;
    chain_features(vulkan->version, vulkan->options.robust2 && has->robust2, &wanted);
    wanted.all.features.robustBufferAccess = vulkan->options.robust;
    wanted.all.features.shaderInt64 = has->int64;
    wanted.all.features.shaderInt16 = has->int16;
    wanted.all.features.shaderFloat64 = has->float64;
    wanted.robustness2.robustBufferAccess2 = vulkan->options.robust2 && has->robust2;
    wanted.v12.shaderInt8 = has->int8;
    wanted.v12.shaderFloat16 = has->float16;
    wanted.v12.storageBuffer8BitAccess = has->storage_8;
    wanted.v11.storageBuffer16BitAccess = has->storage_16;
    wanted.v12.bufferDeviceAddress = has->device_address;
    wanted.size.subgroupSizeControl = has->subgroup_control;
    wanted.size.computeFullSubgroups = has->subgroup_full;
    /* without it, later SPIR-V forbids workgroup sizes by specialization constants */
    wanted.maintenance4.maintenance4 = vulkan->version >= VK_API_VERSION_1_3;
    static const char *const extensions[] = {VK_EXT_ROBUSTNESS_2_EXTENSION_NAME};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &wanted.all,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount =
                                         wanted.robustness2.robustBufferAccess2 ? 1 : 0,
                                     .ppEnabledExtensionNames = extensions};
    return vulkan->api.CreateDevice(vulkan->physical, &info, NULL, &vulkan->device);
}
