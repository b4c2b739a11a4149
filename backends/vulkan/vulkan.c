/* The backend vulkan: the project's own top-K, in GLSL, on any Vulkan 1.1 device.
 *
 * Like cpu it is a subject of the suite: cpu_validate.c tells which calls are valid, kernel.c
 * computes those, and what the clauses leave open is decided as cpu decides it. shaders.def lists
 * the variants; variant=auto takes one by the length of a sequence and by what the device has,
 * variant=all takes each (trial.h). A message of the validation layer fails the calls that it came
 * with. */
#include "list.h"
#include "option.h"
#include "probe.h"
#include "topk_backend.h"
#include "trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct topk_backend topk_backend_vulkan;

/* Memory that the copies of calls may have with ALL, but that one call has what it needs. */
#define TRIAL_BYTES (UINT64_C(256) << 20)

/* variants beside those of shaders.def */
#define AUTO TOPK_VARIANTS
#define ALL  (TOPK_VARIANTS + 1u)

struct options {
    struct topk_vulkan_options device;
    uint32_t variant; /* enum topk_variant, AUTO or ALL */
};

struct backend {
    struct topk_vulkan_probes probes;
    struct topk_vulkan vulkan;
    struct topk_vulkan_list list;
    uint32_t variant;
    char features[TOPK_VULKAN_TEXT + 256];
    /* with ALL, else NULL */
    struct topk_trial *trials;
    void *cpu;
};

/* ---- Calls ---------------------------------------------------------------------------------- */

static const struct topk_shader *choose(const struct backend *self, uint32_t variant,
                                        const struct topk_cpu_plan *plan,
                                        struct topk_backend_answer *answer)
{
    char reason[sizeof answer->reason];
    const struct topk_shader *shader =
        variant < TOPK_VARIANTS
            ? topk_vulkan_variant_shader(&self->vulkan, (enum topk_variant)variant, plan, reason,
                                         sizeof reason)
            : topk_vulkan_variant_choose(&self->vulkan, plan, reason, sizeof reason);
    if (shader == NULL) {
        answer->status = TOPK_BACKEND_UNSUPPORTED;
        (void)snprintf(answer->reason, sizeof answer->reason, "%s", reason);
    }
    return shader;
}

/* Answers what needs no device; lets the others wait. */
static void take(struct backend *self, uint32_t variant, const struct topk_backend_call *call,
                 struct topk_backend_answer *answer)
{
    struct topk_cpu_plan plan = {.rank = 0};
    if (!topk_cpu_validate(call, &plan, answer)) {
        return;
    }
    answer->status = TOPK_BACKEND_DONE;
    answer->reason[0] = '\0';
    if (call->create_only != 0) {
        return;
    }
    const struct topk_shader *shader = choose(self, variant, &plan, answer);
    if (shader != NULL) {
        topk_vulkan_list_add(&self->list, call, &plan, shader, answer);
    }
}

static void run_list(struct topk_vulkan_list *list)
{
    topk_vulkan_list_start(list);
    topk_vulkan_list_finish(list);
}

/* ---- Every variant ------------------------------------------------------------------------------
 */

/* Lets every variant that serves a call try it, from trials[count] on; returns how many there are
 * then. */
static uint32_t try_all(struct backend *self, const struct topk_backend_call *call, uint32_t count)
{
    struct topk_cpu_plan plan = {.rank = 0};
    struct topk_backend_answer answer;
    if (call->create_only != 0 || !topk_cpu_validate(call, &plan, &answer)) {
        return count;
    }
    for (uint32_t variant = 0; variant < TOPK_VARIANTS; variant++) {
        struct topk_trial *trial = &self->trials[count];
        if (choose(self, variant, &plan, &answer) == NULL) {
            continue;
        }
        if (topk_trial_begin(trial, call, topk_vulkan_variants[variant].name)) {
            take(self, variant, &trial->call, &trial->answer);
        }
        count++;
    }
    return count;
}

/* Runs a part of the calls: as many as there are trials for, and memory; returns how many. */
static uint32_t run_all(struct backend *self, const struct topk_backend_call *calls, uint32_t count,
                        struct topk_backend_answer *answers)
{
    uint32_t first[TOPK_VULKAN_CALLS + 1] = {0};
    uint64_t bytes = 0;
    uint32_t taken = 0;
    while (taken < count && first[taken] + TOPK_VARIANTS <= TOPK_VULKAN_CALLS &&
           bytes <= TRIAL_BYTES) {
        first[taken + 1] = try_all(self, &calls[taken], first[taken]);
        bytes +=
            TOPK_VARIANTS * (calls[taken].input_buffer.bytes + calls[taken].value_buffer.bytes +
                             calls[taken].index_buffer.bytes);
        taken++;
    }
    run_list(&self->list);
    for (uint32_t i = 0; i < taken; i++) {
        if (first[i] == first[i + 1]) {
            /* none of them serves it, or there is nothing to compute */
            take(self, AUTO, &calls[i], &answers[i]);
            run_list(&self->list);
        }
        topk_trial_settle(self->cpu, &calls[i], &self->trials[first[i]], first[i + 1] - first[i],
                          &answers[i]);
    }
    for (uint32_t i = 0; i < first[taken]; i++) {
        topk_trial_end(&self->trials[i]);
    }
    return taken;
}

/* ---- Options -------------------------------------------------------------------------------- */

static bool take_switch(const char *value, const char *off, const char *on, bool *which)
{
    *which = strcmp(value, on) == 0;
    return *which || strcmp(value, off) == 0;
}

/* A power of two from 4 to 128, or auto: 0. */
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

static bool take_option(void *context, const char *key, const char *value)
{
    struct options *options = context;
    struct topk_vulkan_options *device = &options->device;
    if (strcmp(key, "variant") == 0) {
        options->variant = topk_vulkan_variant_find(value);
        if (strcmp(value, "all") == 0) {
            options->variant = ALL;
        }
        return options->variant != AUTO || strcmp(value, "auto") == 0;
    }
    if (strcmp(key, "device") == 0) {
        (void)snprintf(device->device, sizeof device->device, "%s", value);
        return value[0] != 0 && strlen(value) < sizeof device->device;
    }
    if (strcmp(key, "timeout") == 0) {
        return topk_option_seconds(value, &device->timeout_ms);
    }
    if (strcmp(key, "subgroup") == 0) {
        return take_subgroup(value, &device->subgroup);
    }
    if (strcmp(key, "validation") == 0) {
        return take_switch(value, "off", "on", &device->validation);
    }
    if (strcmp(key, "robust") == 0) {
        return take_switch(value, "off", "on", &device->robust);
    }
    return strcmp(key, "memory") == 0 && take_switch(value, "device", "host", &device->host_memory);
}

static bool parse_options(struct options *options, const char *text, char *error,
                          size_t error_bytes)
{
    char known[384] =
        "device=NUMBER|NAME|UUID|software|hardware, memory=device|host, robust=on|off, "
        "subgroup=4|8|16|32|64|128|auto, timeout=SECONDS, validation=on|off, variant=auto|all";
    for (uint32_t i = 0; i < TOPK_VARIANTS; i++) {
        const size_t used = strlen(known);
        (void)snprintf(known + used, sizeof known - used, "|%s", topk_vulkan_variants[i].name);
    }
    *options = (struct options){.device = {.timeout_ms = 120000}, .variant = AUTO};
    return topk_options_read(text, take_option, options, known, error, error_bytes);
}

/* ---- The interface -------------------------------------------------------------------------- */

static bool open_kernels(struct backend *self, char *error, size_t error_bytes)
{
    if (self->variant < TOPK_VARIANTS &&
        !topk_vulkan_variant_offered(&self->vulkan, (enum topk_variant)self->variant, error,
                                     error_bytes)) {
        return false;
    }
    const VkResult result = topk_vulkan_list_open(&self->list, &self->vulkan);
    if (result != VK_SUCCESS) {
        (void)snprintf(error, error_bytes, "%s: making a command buffer and descriptors: %d %s",
                       self->vulkan.name, (int)result, topk_vulkan_result_name(result));
    }
    return result == VK_SUCCESS;
}

/* Names the variants that ALL leaves out, for the device lacks something. */
static void append_missing(const struct backend *self, char *text, size_t bytes)
{
    const char *before = ", without ";
    for (uint32_t i = 0; i < TOPK_VARIANTS; i++) {
        char reason[256];
        if (!topk_vulkan_variant_offered(&self->vulkan, (enum topk_variant)i, reason,
                                         sizeof reason)) {
            const size_t used = strlen(text);
            (void)snprintf(text + used, bytes - used, "%s%s", before, topk_vulkan_variants[i].name);
            before = ", ";
        }
    }
}

static void describe_features(struct backend *self)
{
    const char *name = "auto";
    const char *summary = "by the length of a sequence and the device";
    char every[160] = "each that serves a call";
    if (self->variant == ALL) {
        name = "all";
        summary = every;
        append_missing(self, every, sizeof every);
    } else if (self->variant < TOPK_VARIANTS) {
        name = topk_vulkan_variants[self->variant].name;
        summary = topk_vulkan_variants[self->variant].summary;
    }
    const bool floats = self->variant == TOPK_VARIANT_floats || self->variant == ALL;
    (void)snprintf(self->features, sizeof self->features,
                   "%s; variant %s: %s; NaN is greatest, denormals are %s", self->vulkan.has, name,
                   summary, floats ? "as the device compares them in floats" : "exact");
}

/* What ALL needs beside the device. */
static bool open_trials(struct backend *self, char *error, size_t error_bytes)
{
    if (self->variant != ALL) {
        return true;
    }
    self->cpu = topk_backend_cpu.open("", error, error_bytes);
    self->trials = self->cpu == NULL ? NULL : calloc(TOPK_VULKAN_CALLS, sizeof *self->trials);
    if (self->cpu != NULL && self->trials == NULL) {
        (void)snprintf(error, error_bytes, "out of memory");
        topk_backend_cpu.close(self->cpu);
    }
    return self->trials != NULL;
}

static void close_trials(struct backend *self)
{
    if (self->cpu != NULL) {
        topk_backend_cpu.close(self->cpu);
    }
    free(self->trials);
}

static void *backend_open(const char *text, char *error, size_t error_bytes)
{
    struct options options;
    if (!parse_options(&options, text, error, error_bytes)) {
        return NULL;
    }
    struct backend *self = calloc(1, sizeof *self);
    if (self == NULL) {
        (void)snprintf(error, error_bytes, "out of memory");
        return NULL;
    }
    self->variant = options.variant;
    if (!open_trials(self, error, error_bytes)) {
        free(self);
        return NULL;
    }
    if (!topk_vulkan_open(&self->vulkan, &options.device, error, error_bytes)) {
        close_trials(self);
        free(self);
        return NULL;
    }
    if (!open_kernels(self, error, error_bytes)) {
        topk_vulkan_close(&self->vulkan);
        close_trials(self);
        free(self);
        return NULL;
    }
    describe_features(self);
    return self;
}

static void backend_describe(void *opaque, struct topk_backend_info *info)
{
    const struct backend *self = opaque;
    info->name = "vulkan";
    info->version = "1.0";
    info->device = self->vulkan.name;
    info->driver = self->vulkan.driver;
    info->features = self->features;
    info->feature_level = 0x5000;
    info->flags =
        TOPK_BACKEND_STRICT_LEVEL | (self->vulkan.software ? TOPK_BACKEND_SOFTWARE_DEVICE : 0u);
    info->batch = TOPK_VULKAN_CALLS;
}

static void backend_supports(void *opaque, const struct topk_backend_call *call,
                             struct topk_backend_answer *answer)
{
    struct topk_cpu_plan plan = {.rank = 0};
    struct topk_backend_answer invalid;
    answer->status = TOPK_BACKEND_DONE;
    /* what is not valid after all is for run() to say */
    if (topk_cpu_validate(call, &plan, &invalid)) {
        const struct backend *self = opaque;
        bool served = choose(self, self->variant, &plan, answer) != NULL;
        for (uint32_t i = 0; self->variant == ALL && i < TOPK_VARIANTS && !served; i++) {
            served = choose(self, i, &plan, answer) != NULL;
        }
        answer->status = served ? TOPK_BACKEND_DONE : TOPK_BACKEND_UNSUPPORTED;
    }
}

static void backend_start(void *opaque, const struct topk_backend_call *calls, uint32_t count,
                          struct topk_backend_answer *answers)
{
    struct backend *self = opaque;
    topk_vulkan_probes_close(&self->probes); /* they come before calls */
    if (self->variant == ALL) {
        for (uint32_t done = 0; done < count;) {
            done += run_all(self, &calls[done], count - done, &answers[done]);
        }
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        take(self, self->variant, &calls[i], &answers[i]);
    }
    topk_vulkan_list_start(&self->list);
}

static void backend_finish(void *opaque)
{
    struct backend *self = opaque;
    topk_vulkan_list_finish(&self->list);
}

static void backend_run(void *opaque, const struct topk_backend_call *calls, uint32_t count,
                        struct topk_backend_answer *answers)
{
    backend_start(opaque, calls, count, answers);
    backend_finish(opaque);
}

static void backend_close(void *opaque)
{
    struct backend *self = opaque;
    topk_vulkan_probes_close(&self->probes);
    /* what a device that hangs still uses must not be freed under it */
    if (!self->vulkan.timed_out) {
        topk_vulkan_list_close(&self->list);
    }
    topk_vulkan_close(&self->vulkan);
    close_trials(self);
    free(self);
}

static uint32_t backend_device(uint32_t number, char *options, size_t options_bytes)
{
    (void)snprintf(options, options_bytes, "device=%" PRIu32, number);
    return number < topk_vulkan_count_devices();
}

static const char *backend_probe_name(void *opaque, uint32_t number)
{
    (void)opaque;
    return topk_vulkan_probe_name(number);
}

static void backend_probe(void *opaque, uint32_t number, struct topk_backend_probe *probe)
{
    struct backend *self = opaque;
    topk_vulkan_probe(&self->probes, &self->vulkan.options, number, probe);
}

const struct topk_backend topk_backend_vulkan = {
    .abi = TOPK_BACKEND_ABI,
    .struct_bytes = sizeof(struct topk_backend),
    .name = "vulkan",
    .summary = "GLSL on Vulkan, the project's own; options device=, memory=, robust=, "
               "subgroup=SIZE, timeout=SECONDS, validation=, variant=",
    .open = backend_open,
    .describe = backend_describe,
    .supports = backend_supports,
    .run = backend_run,
    .close = backend_close,
    .device = backend_device,
    .probe_name = backend_probe_name,
    .probe = backend_probe,
    .start = backend_start,
    .finish = backend_finish,
};
