/* The backend vulkan: the project's own top-K in GLSL, on any Vulkan 1.1 device.
 *
 * shaders.def lists the variants; variant=auto chooses one by the length of a sequence and by what
 * the device has. A message of the validation layer fails the calls that it came with.
 * kernel/kernel.h describes how a call is processed.
 */
#include "kernel.h"
#include "probe.h"
#include "topk_backend.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

extern const struct topk_backend topk_backend_vulkan;

/* greatest number of calls in a command buffer */
#define CALLS 512u

struct topk_device {
    struct topk_vulkan_options options;
    struct topk_vulkan_probes probes;
    struct topk_vulkan vulkan;
    struct topk_vulkan_batch batch;
    struct topk_vulkan_kernels kernels;
    struct topk_vulkan_places places[CALLS]; /* of the loaded calls */
};

/* ---- Options -------------------------------------------------------------------------------- */

static bool take_switch(const char *value, const char *off, const char *on, bool *which)
{
    *which = strcmp(value, on) == 0;
    return *which || strcmp(value, off) == 0;
}

/* Parses a power of two from 4 to 128, or auto, which is 0. */
static bool take_subgroup(const char *value, uint32_t *size)
{
    static const char *const sizes[] = {"4", "8", "16", "32", "64", "128"};
    *size = 0;
    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (strcmp(value, sizes[i]) == 0) {
            *size = 4u << i;
        }
    }
    return *size != 0 || strcmp(value, "auto") == 0;
}

static bool take_option(struct topk_device *device, const char *key, const char *value)
{
    struct topk_vulkan_options *options = &device->options;
    if (strcmp(key, "device") == 0) {
        snprintf(options->device, sizeof options->device, "%s", value);
        return value[0] != 0 && strlen(value) < sizeof options->device;
    }
    if (strcmp(key, "subgroup") == 0) {
        return take_subgroup(value, &options->subgroup);
    }
    if (strcmp(key, "validation") == 0) {
        return take_switch(value, "off", "on", &options->validation);
    }
    if (strcmp(key, "robust") == 0) {
        return take_switch(value, "off", "on", &options->robust);
    }
    return strcmp(key, "memory") == 0 &&
           take_switch(value, "device", "host", &options->host_memory);
}

/* ---- The device ----------------------------------------------------------------------------- */

static bool open_device(struct topk_device *device, uint32_t timeout_ms, char *error,
                        size_t error_bytes)
{
    device->options.timeout_ms = timeout_ms;
    if (!topk_vulkan_open(&device->vulkan, &device->options, error, error_bytes)) {
        return false;
    }
    VkResult result = topk_vulkan_batch_open(&device->batch, &device->vulkan);
    if (result == VK_SUCCESS) {
        result = topk_vulkan_kernels_open(&device->kernels, &device->vulkan, CALLS);
        if (result != VK_SUCCESS) {
            topk_vulkan_batch_close(&device->batch);
        }
    }
    if (result != VK_SUCCESS) {
        snprintf(error, error_bytes, "%s: making a command buffer and descriptors: %d %s",
                 device->vulkan.name, (int)result, topk_vulkan_result_name(result));
        topk_vulkan_close(&device->vulkan);
    }
    return result == VK_SUCCESS;
}

static void close_device(struct topk_device *device)
{
    topk_vulkan_probes_close(&device->probes);
    if (!device->vulkan.timed_out) {
        topk_vulkan_kernels_close(&device->kernels);
        topk_vulkan_batch_close(&device->batch);
    }
    topk_vulkan_close(&device->vulkan);
}

static void describe(const struct topk_device *device, struct topk_backend_info *info)
{
    const struct topk_vulkan *vulkan = &device->vulkan;
    info->name = "vulkan";
    info->device = vulkan->name;
    info->driver = vulkan->driver;
    info->features = vulkan->has;
    info->flags = vulkan->software ? TOPK_BACKEND_SOFTWARE_DEVICE : 0u;
}

static bool offered(const struct topk_device *device, uint32_t variant, char *reason,
                    size_t reason_bytes)
{
    return topk_vulkan_variant_offered(&device->vulkan, variant, reason, reason_bytes);
}

static const struct topk_shader *choose(const struct topk_device *device, uint32_t *variant,
                                        const struct topk_cpu_plan *plan, char *reason,
                                        size_t reason_bytes)
{
    return topk_vulkan_variant_choose(&device->vulkan, variant, plan, reason, reason_bytes);
}

/* ---- Calls ---------------------------------------------------------------------------------- */

static int32_t prepare(struct topk_device *device, struct topk_kernel_job *job)
{
    return topk_vulkan_prepare(&device->kernels, job);
}

static int32_t reserve(struct topk_device *device, uint32_t count, uint64_t scratch_bytes)
{
    (void)count; /* the parameters of all jobs are already allocated */
    return topk_vulkan_kernels_reserve(&device->kernels, scratch_bytes);
}

static int32_t load(struct topk_device *device, const struct topk_backend_call *const calls[],
                    uint32_t count)
{
    return topk_vulkan_load(&device->batch, calls, count, device->places);
}

static int32_t submit(struct topk_device *device, struct topk_kernel_job *jobs,
                      const struct topk_backend_call *const calls[], uint32_t count)
{
    topk_vulkan_record(&device->kernels, &device->batch, jobs, count, device->places);
    return topk_vulkan_submit(&device->batch, calls, count, device->places);
}

static int32_t finish(struct topk_device *device, const struct topk_backend_call *const calls[],
                      uint32_t count)
{
    return topk_vulkan_finish(&device->batch, calls, count, device->places);
}

static int32_t repeat(struct topk_device *device, struct topk_kernel_job *jobs, uint32_t count)
{
    const VkResult result = topk_vulkan_repeat(&device->batch);
    if (result != VK_SUCCESS) {
        return result;
    }
    topk_vulkan_record(&device->kernels, &device->batch, jobs, count, device->places);
    return topk_vulkan_repeat_finish(&device->batch);
}

static void answer_failure(struct topk_device *device, int32_t result, const char *doing,
                           uint64_t bytes, struct topk_backend_answer *answer)
{
    topk_vulkan_answer(&device->vulkan, (VkResult)result, doing, bytes, answer);
}

static bool is_lost(const struct topk_device *device, struct topk_backend_answer *answer)
{
    return topk_vulkan_lost(&device->vulkan, answer);
}

static void hear(struct topk_device *device, char complaint[TOPK_KERNEL_COMPLAINT])
{
    topk_vulkan_hear(&device->vulkan, complaint);
}

static void trim(struct topk_device *device)
{
    topk_vulkan_trim(&device->vulkan, &device->batch.arena);
    topk_vulkan_trim(&device->vulkan, &device->batch.upload);
    topk_vulkan_trim(&device->vulkan, &device->batch.readback);
    topk_vulkan_trim(&device->vulkan, &device->kernels.scratch);
}

/* ---- The interface -------------------------------------------------------------------------- */

static const struct topk_kernel_api api = {
    .device_bytes = sizeof(struct topk_device),
    .calls = CALLS,
    .list_bytes = UINT64_C(256) << 20,
    .variants = topk_vulkan_variants,
    .variant_count = TOPK_VARIANTS,
    .automatic = "by the length of a sequence and the device",
    .options = "device=NUMBER|NAME|UUID|software|hardware, memory=device|host, robust=on|off, "
               "subgroup=4|8|16|32|64|128|auto, timeout=SECONDS, validation=on|off",
    .take_option = take_option,
    .open = open_device,
    .close = close_device,
    .describe = describe,
    .offered = offered,
    .choose = choose,
    .prepare = prepare,
    .reserve = reserve,
    .load = load,
    .submit = submit,
    .finish = finish,
    .repeat = repeat,
    .answer = answer_failure,
    .lost = is_lost,
    .hear = hear,
    .trim = trim,
};

static void *backend_open(const char *options, char *error, size_t error_bytes)
{
    return topk_kernel_open(&api, options, error, error_bytes);
}

static void backend_start(void *opaque, const struct topk_backend_call *calls, uint32_t count,
                          struct topk_backend_answer *answers)
{
    struct topk_device *device = topk_kernel_device(opaque);
    /* probes run before calls, so their devices are not needed any more */
    topk_vulkan_probes_close(&device->probes);
    topk_kernel_start(opaque, calls, count, answers);
}

static void backend_run(void *opaque, const struct topk_backend_call *calls, uint32_t count,
                        struct topk_backend_answer *answers)
{
    backend_start(opaque, calls, count, answers);
    topk_kernel_finish(opaque);
}

static uint32_t backend_device(uint32_t number, char *options, size_t options_bytes)
{
    snprintf(options, options_bytes, "device=%" PRIu32, number);
    return number < topk_vulkan_count_devices();
}

static const char *backend_probe_name(void *opaque, uint32_t number)
{
    (void)opaque;
    return topk_vulkan_probe_name(number);
}

static void backend_probe(void *opaque, uint32_t number, struct topk_backend_probe *probe)
{
    struct topk_device *device = topk_kernel_device(opaque);
    topk_vulkan_probe(&device->probes, &device->vulkan.options, number, probe);
}

const struct topk_backend topk_backend_vulkan = {
    .abi = TOPK_BACKEND_ABI,
    .struct_bytes = sizeof(struct topk_backend),
    .name = "vulkan",
    .summary = "GLSL on Vulkan, the project's own; options device=, memory=, robust=, "
               "subgroup=SIZE, timeout=SECONDS, validation=, variant=",
    .open = backend_open,
    .describe = topk_kernel_describe,
    .supports = topk_kernel_supports,
    .run = backend_run,
    .close = topk_kernel_close,
    .device = backend_device,
    .probe_name = backend_probe_name,
    .probe = backend_probe,
    .start = backend_start,
    .finish = topk_kernel_finish,
    .repeat = topk_kernel_repeat,
};
