/* Selects a device among those of all drivers. */
#include "device.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEVICES 32u
#define UUID_TEXT   (2 * VK_UUID_SIZE + 5) /* with four hyphens and the terminator */

struct candidates {
    VkPhysicalDevice devices[MAX_DEVICES];
    struct candidate {
        char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
        char uuid[UUID_TEXT];
        uint32_t version;
        bool software;
        bool computes;
    } facts[MAX_DEVICES];
    uint32_t count;
};

static void print_uuid(const uint8_t *uuid, char *text)
{
    for (uint32_t i = 0; i < VK_UUID_SIZE; i++) {
        snprintf(text, 4, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
        text += strlen(text);
    }
}

/* The first queue family that supports compute, or UINT32_MAX. */
static uint32_t queue_family_of(const struct topk_vulkan *vulkan, VkPhysicalDevice device)
{
    VkQueueFamilyProperties families[32];
    uint32_t count = sizeof families / sizeof families[0];
    vulkan->api.GetPhysicalDeviceQueueFamilyProperties(device, &count, families);
    for (uint32_t i = 0; i < count; i++) {
        if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0 && families[i].queueCount > 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

static VkResult find(const struct topk_vulkan *vulkan, struct candidates *found)
{
    found->count = MAX_DEVICES;
    const VkResult result =
        vulkan->api.EnumeratePhysicalDevices(vulkan->instance, &found->count, found->devices);
    if (result < 0) {
        found->count = 0;
        return result;
    }
    for (uint32_t i = 0; i < found->count; i++) {
        struct candidate *facts = &found->facts[i];
        VkPhysicalDeviceIDProperties id = {.sType =
                                               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
        VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                           .pNext = &id};
        vulkan->api.GetPhysicalDeviceProperties(found->devices[i], &all.properties);
        if (all.properties.apiVersion >= VK_API_VERSION_1_1) {
            vulkan->api.GetPhysicalDeviceProperties2(found->devices[i], &all);
        }
        snprintf(facts->name, sizeof facts->name, "%s", all.properties.deviceName);
        facts->version = all.properties.apiVersion;
        facts->software = all.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
        facts->computes = queue_family_of(vulkan, found->devices[i]) != UINT32_MAX;
        print_uuid(id.deviceUUID, facts->uuid);
    }
    return VK_SUCCESS;
}

static bool same_uuid(const char *uuid, const char *wanted)
{
    while (*uuid != 0 && *wanted != 0) {
        if (*uuid == '-' || *wanted == '-') {
            uuid += *uuid == '-';
            wanted += *wanted == '-';
        } else if (tolower((unsigned char)*uuid++) != tolower((unsigned char)*wanted++)) {
            return false;
        }
    }
    return *uuid == 0 && *wanted == 0;
}

static bool is_number(const char *text)
{
    return text[0] != 0 && strlen(text) < 9 && text[strspn(text, "0123456789")] == 0;
}

/* What a device lacks that every kernel needs, or NULL. */
static const char *lacks(const struct candidate *facts)
{
    if (facts->version < VK_API_VERSION_1_1) {
        return "no Vulkan 1.1";
    }
    return facts->computes ? NULL : "no compute queue";
}

static bool fits(const struct candidates *found, uint32_t i, const char *wanted)
{
    const struct candidate *facts = &found->facts[i];
    if (wanted[0] == 0) {
        return lacks(facts) == NULL;
    }
    if (strcmp(wanted, "software") == 0 || strcmp(wanted, "hardware") == 0) {
        return lacks(facts) == NULL && facts->software == (wanted[0] == 's');
    }
    if (is_number(wanted)) {
        return strtoul(wanted, NULL, 10) == i;
    }
    return same_uuid(facts->uuid, wanted) || topk_option_names(wanted, facts->name);
}

static void list(const struct candidates *found, char *error, size_t error_bytes)
{
    for (uint32_t i = 0; i < found->count; i++) {
        const struct candidate *facts = &found->facts[i];
        const char *lacking = lacks(facts);
        const size_t used = strlen(error);
        snprintf(error + used, error_bytes - used, "%s%" PRIu32 " '%.60s' (%s, %s%s%s)",
                 i == 0 ? "" : ", ", i, facts->name, facts->uuid,
                 facts->software ? "software" : "hardware", lacking == NULL ? "" : ", ",
                 lacking == NULL ? "" : lacking);
    }
}

bool topk_vulkan_select(struct topk_vulkan *vulkan, char *error, size_t error_bytes)
{
    struct candidates found;
    const char *wanted = vulkan->options.device;
    const VkResult result = find(vulkan, &found);
    if (result < 0 || found.count == 0) {
        snprintf(error, error_bytes, "the Vulkan drivers have no device%s%s",
                 result < 0 ? ": " : "", topk_vulkan_result_name(result));
        return false;
    }
    uint32_t i = 0;
    while (i < found.count && !fits(&found, i, wanted)) {
        i++;
    }
    if (i == found.count) {
        snprintf(error, error_bytes, "%s%s fits no Vulkan device; there are: ",
                 wanted[0] == 0 ? "the backend" : "device=", wanted);
        list(&found, error, error_bytes);
        return false;
    }
    if (lacks(&found.facts[i]) != NULL) {
        snprintf(error, error_bytes, "%s has %s", found.facts[i].name, lacks(&found.facts[i]));
        return false;
    }
    vulkan->physical = found.devices[i];
    vulkan->queue_family = queue_family_of(vulkan, vulkan->physical);
    return true;
}
