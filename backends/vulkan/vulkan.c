/* The backend vulkan: the project's own top-K, in GLSL, on any Vulkan 1.1 device.
 *
 * Like cpu it is a subject of the suite: cpu_validate.c tells which calls are valid, kernel.c
 * computes those, and what the clauses leave open is decided as cpu decides it. shaders.def lists
 * the variants; variant=auto takes one by the length of a sequence and by what the device has,
 * variant=all takes each (trial.h). A message of the validation layer fails the calls that it came
 * with. */
#include "kernel.h"
#include "option.h"
#include "probe.h"
#include "topk_backend.h"
#include "trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct topk_backend topk_backend_vulkan;
extern const struct topk_backend topk_backend_cpu;

/* calls in one run() */
#define BATCH 512u
/* Memory that the calls of one command buffer may have, but that one call has what it needs. */
#define LIST_BYTES (UINT64_C(256) << 20)
/* Steps that they may take, but that one call may take what it needs: a display's driver gives a
 * submission two seconds. */
#define LIST_STEPS (UINT64_C(1) << 26)

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
    struct topk_vulkan_batch batch;
    struct topk_vulkan_kernels kernels;
    uint32_t variant;
    char features[TOPK_VULKAN_TEXT + 128];
    /* of the calls that wait for a command buffer */
    uint32_t count;
    uint64_t bytes;
    uint64_t steps;
    struct topk_vulkan_job jobs[BATCH];
    /* with ALL, else NULL */
    struct topk_trial *trials;
    void *cpu;
};

/* ---- A command buffer ----------------------------------------------------------------------- */

static VkResult run_list(struct backend *self, struct topk_vulkan_job *jobs, uint32_t count,
                         const char **doing)
{
    const struct topk_backend_call *calls[BATCH];
    struct topk_vulkan_places places[BATCH];
    for (uint32_t i = 0; i < count; i++) {
        calls[i] = jobs[i].call;
    }
    *doing = "making room for the kernels";
    VkResult result = topk_vulkan_kernels_reserve(&self->kernels, jobs, count);
    if (result == VK_SUCCESS) {
        *doing = "uploading the buffers";
        result = topk_vulkan_load(&self->batch, calls, count, places);
    }
    if (result == VK_SUCCESS) {
        topk_vulkan_record(&self->kernels, &self->batch, jobs, count, places);
        *doing = "executing the kernels";
        result = topk_vulkan_finish(&self->batch, calls, count, places);
    }
    return result;
}

static uint64_t bytes_of(const struct topk_vulkan_job *job)
{
    return job->call->input_buffer.bytes + job->call->value_buffer.bytes +
           job->call->index_buffer.bytes + job->scratch_bytes;
}

static void answer_all(struct backend *self, const struct topk_vulkan_job *jobs, uint32_t count,
                       VkResult result, const char *doing, uint64_t bytes)
{
    struct topk_backend_answer answer = {0};
    topk_vulkan_answer(&self->vulkan, result, doing, bytes, &answer);
    for (uint32_t i = 0; i < count; i++) {
        *jobs[i].answer = answer;
    }
}

/* Fails the jobs that the validation layer has something to say of; what it says of none in
 * particular, it says of all. */
static void answer_messages(struct backend *self, struct topk_vulkan_job *jobs, uint32_t count)
{
    const struct topk_vulkan_messages heard = topk_vulkan_hear(&self->vulkan);
    for (uint32_t i = 0; i < count; i++) {
        if (jobs[i].heard.count == 0) {
            jobs[i].heard = heard;
        }
        if (jobs[i].heard.count > 0 && jobs[i].answer->status == TOPK_BACKEND_DONE) {
            jobs[i].answer->status = TOPK_BACKEND_FAILED;
            (void)snprintf(jobs[i].answer->reason, sizeof jobs[i].answer->reason, "validation: %s",
                           jobs[i].heard.first);
        }
    }
}

/* Runs count jobs and answers those that fail. Jobs for which there is no memory together are tried
 * alone. */
static void run_jobs(struct backend *self, struct topk_vulkan_job *jobs, uint32_t count)
{
    const char *doing = "";
    struct topk_backend_answer lost;
    if (topk_vulkan_lost(&self->vulkan, &lost)) {
        for (uint32_t i = 0; i < count; i++) {
            *jobs[i].answer = lost;
        }
        return;
    }
    const VkResult result = run_list(self, jobs, count, &doing);
    const bool no_memory =
        result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY;
    if (no_memory && count > 1) {
        for (uint32_t i = 0; i < count; i++) {
            run_jobs(self, &jobs[i], 1);
        }
        return;
    }
    if (result != VK_SUCCESS) {
        answer_all(self, jobs, count, result, doing, count > 1 ? self->bytes : bytes_of(&jobs[0]));
    }
    answer_messages(self, jobs, count);
    topk_vulkan_trim(&self->batch);
}

static void run_waiting(struct backend *self)
{
    if (self->count > 0) {
        run_jobs(self, self->jobs, self->count);
    }
    self->count = 0;
    self->bytes = 0;
    self->steps = 0;
}

/* Whether a job fits into the list of those that wait. */
static bool fits(const struct backend *self, const struct topk_vulkan_job *job)
{
    return self->count == 0 ||
           (self->count < BATCH && self->bytes + bytes_of(job) <= LIST_BYTES &&
            self->steps + topk_vulkan_steps(job->shader, &job->plan) <= LIST_STEPS);
}

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

static void prepare(struct backend *self, struct topk_vulkan_job *job)
{
    const VkResult result = topk_vulkan_prepare(&self->kernels, job);
    if (result != VK_SUCCESS) {
        char doing[64];
        (void)snprintf(doing, sizeof doing, "creating the pipeline %s, %" PRIu32 " bytes",
                       topk_vulkan_variants[job->shader->variant].name, job->shader->width);
        answer_all(self, job, 1, result, doing, 0);
    }
}

/* Answers what needs no device; lets the others wait. */
static void take(struct backend *self, uint32_t variant, const struct topk_backend_call *call,
                 struct topk_backend_answer *answer)
{
    struct topk_vulkan_job job = {.call = call, .answer = answer};
    if (!topk_cpu_validate(call, &job.plan, answer)) {
        return;
    }
    answer->status = TOPK_BACKEND_DONE;
    answer->reason[0] = '\0';
    if (call->create_only != 0) {
        return;
    }
    job.shader = choose(self, variant, &job.plan, answer);
    if (job.shader == NULL || topk_vulkan_lost(&self->vulkan, answer)) {
        return;
    }
    prepare(self, &job);
    if (answer->status != TOPK_BACKEND_DONE) {
        return;
    }
    if (!fits(self, &job)) {
        run_waiting(self);
    }
    self->jobs[self->count++] = job;
    self->bytes += bytes_of(&job);
    self->steps += topk_vulkan_steps(job.shader, &job.plan);
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
        if (choose(self, variant, &plan, &answer) != NULL &&
            topk_trial_begin(trial, call, topk_vulkan_variants[variant].name)) {
            take(self, variant, &trial->call, &trial->answer);
            count++;
        }
    }
    return count;
}

/* Runs a part of the calls: as many as there are trials for, and memory; returns how many. */
static uint32_t run_all(struct backend *self, const struct topk_backend_call *calls, uint32_t count,
                        struct topk_backend_answer *answers)
{
    uint32_t first[BATCH + 1] = {0};
    uint64_t bytes = 0;
    uint32_t taken = 0;
    while (taken < count && first[taken] + TOPK_VARIANTS <= BATCH && bytes <= LIST_BYTES) {
        first[taken + 1] = try_all(self, &calls[taken], first[taken]);
        bytes +=
            TOPK_VARIANTS * (calls[taken].input_buffer.bytes + calls[taken].value_buffer.bytes +
                             calls[taken].index_buffer.bytes);
        taken++;
    }
    run_waiting(self);
    for (uint32_t i = 0; i < taken; i++) {
        if (first[i] == first[i + 1]) {
            /* none of them serves it, or there is nothing to compute */
            take(self, AUTO, &calls[i], &answers[i]);
            run_waiting(self);
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
    VkResult result = topk_vulkan_batch_open(&self->batch, &self->vulkan);
    if (result == VK_SUCCESS) {
        result = topk_vulkan_kernels_open(&self->kernels, &self->vulkan, BATCH);
        if (result != VK_SUCCESS) {
            topk_vulkan_batch_close(&self->batch);
        }
    }
    if (result != VK_SUCCESS) {
        (void)snprintf(error, error_bytes, "%s: making a command buffer and descriptors: %d %s",
                       self->vulkan.name, (int)result, topk_vulkan_result_name(result));
    }
    return result == VK_SUCCESS;
}

static void describe_features(struct backend *self)
{
    const char *name = self->variant == ALL ? "all" : "auto";
    const char *summary = self->variant == ALL ? "each that serves a call"
                                               : "by the length of a sequence and the device";
    if (self->variant < TOPK_VARIANTS) {
        name = topk_vulkan_variants[self->variant].name;
        summary = topk_vulkan_variants[self->variant].summary;
    }
    (void)snprintf(self->features, sizeof self->features,
                   "%s; variant %s: %s; NaN is greatest, denormals are exact", self->vulkan.has,
                   name, summary);
}

/* What ALL needs beside the device. */
static bool open_trials(struct backend *self, char *error, size_t error_bytes)
{
    if (self->variant != ALL) {
        return true;
    }
    self->cpu = topk_backend_cpu.open("", error, error_bytes);
    self->trials = self->cpu == NULL ? NULL : calloc(BATCH, sizeof *self->trials);
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
    info->batch = BATCH;
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

static void backend_run(void *opaque, const struct topk_backend_call *calls, uint32_t count,
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
    run_waiting(self);
}

static void backend_close(void *opaque)
{
    struct backend *self = opaque;
    topk_vulkan_probes_close(&self->probes);
    /* what a device that hangs still uses must not be freed under it */
    if (!self->vulkan.timed_out) {
        topk_vulkan_kernels_close(&self->kernels);
        topk_vulkan_batch_close(&self->batch);
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
};
