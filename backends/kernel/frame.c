/* The common interface of the kernel backends to the worker: options, variants, calls. */
#include "kernel.h"
#include "list.h"
#include "option.h"
#include "trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Greatest size of the copies of calls with ALL, unless one call needs more. */
#define TRIAL_BYTES (UINT64_C(256) << 20)

/* a value besides the variants and TOPK_KERNEL_AUTO: all variants that support a call (trial.h) */
#define ALL (TOPK_KERNEL_AUTO - 1)

struct backend {
    const struct topk_kernel_api *api;
    struct topk_device *device;
    uint32_t timeout_ms;
    uint32_t variant; /* index in api->variants, TOPK_KERNEL_AUTO or ALL */
    struct topk_backend_info info;
    char features[512];
    struct topk_kernel_list list;
    /* with ALL; else NULL */
    struct topk_trial *trials; /* api->calls */
    void *cpu;
};

/* ---- Calls ---------------------------------------------------------------------------------- */

/* Returns the code for a plan, of *variant or, with TOPK_KERNEL_AUTO, of the best one, which is
 * stored there. Returns NULL after answering. */
static const struct topk_shader *choose(const struct backend *self, uint32_t *variant,
                                        const struct topk_cpu_plan *plan,
                                        struct topk_backend_answer *answer)
{
    char reason[sizeof answer->reason];
    const struct topk_shader *shader =
        self->api->choose(self->device, variant, plan, reason, sizeof reason);
    if (shader == NULL) {
        answer->status = TOPK_BACKEND_UNSUPPORTED;
        snprintf(answer->reason, sizeof answer->reason, "%s", reason);
    }
    return shader;
}

/* Compiles the pipeline of a call that is only created, so that it exists when the call is run.
 * Errors are reported then. */
static void compile(struct backend *self, const struct topk_kernel_job *job)
{
    struct topk_backend_answer unsaid;
    struct topk_kernel_job created = *job;
    created.answer = &unsaid;
    created.shader = choose(self, &created.variant, &created.plan, &unsaid);
    if (created.shader != NULL && !self->api->lost(self->device, &unsaid)) {
        self->api->prepare(self->device, &created);
    }
}

/* Answers calls that need no device; adds the others to the list. */
static void take(struct backend *self, uint32_t variant, const struct topk_backend_call *call,
                 struct topk_backend_answer *answer)
{
    struct topk_kernel_job job = {.call = call, .answer = answer, .variant = variant};
    if (!topk_cpu_validate(call, &job.plan, answer)) {
        return;
    }
    answer->status = TOPK_BACKEND_DONE;
    answer->reason[0] = '\0';
    if (call->create_only != 0) {
        compile(self, &job);
        return;
    }
    job.shader = choose(self, &job.variant, &job.plan, answer);
    if (job.shader != NULL) {
        topk_kernel_list_add(&self->list, &job);
    }
}

static void run_list(struct backend *self)
{
    topk_kernel_list_start(&self->list);
    topk_kernel_list_finish(&self->list);
}

/* ---- Every variant -------------------------------------------------------------------------- */

/* Starts a trial of a call for every variant that supports it, from trials[count] on; returns the
 * new number of trials. */
static uint32_t try_all(struct backend *self, const struct topk_backend_call *call, uint32_t count)
{
    struct topk_cpu_plan plan = {.rank = 0};
    struct topk_backend_answer answer;
    if (call->create_only != 0 || !topk_cpu_validate(call, &plan, &answer)) {
        return count;
    }
    for (uint32_t variant = 0; variant < self->api->variant_count; variant++) {
        struct topk_trial *trial = &self->trials[count];
        if (choose(self, &variant, &plan, &answer) == NULL) {
            continue;
        }
        if (topk_trial_begin(trial, call, self->api->variants[variant].name)) {
            take(self, variant, &trial->call, &trial->answer);
        }
        count++;
    }
    return count;
}

/* Runs as many calls as there are trials and memory for; returns their number. */
static uint32_t run_all(struct backend *self, const struct topk_backend_call *calls, uint32_t count,
                        struct topk_backend_answer *answers)
{
    uint32_t first[TOPK_KERNEL_CALLS + 1] = {0};
    uint64_t bytes = 0;
    uint32_t taken = 0;
    while (taken < count && first[taken] + self->api->variant_count <= self->api->calls &&
           bytes <= TRIAL_BYTES) {
        first[taken + 1] = try_all(self, &calls[taken], first[taken]);
        for (int role = 0; role < TOPK_KERNEL_ROLES; role++) {
            bytes += self->api->variant_count * topk_kernel_buffer(&calls[taken], role)->bytes;
        }
        taken++;
    }
    run_list(self);
    for (uint32_t i = 0; i < taken; i++) {
        if (first[i] == first[i + 1]) {
            /* no variant supports it, or there is nothing to compute */
            take(self, TOPK_KERNEL_AUTO, &calls[i], &answers[i]);
            run_list(self);
        }
        topk_trial_settle(self->cpu, &calls[i], &self->trials[first[i]], first[i + 1] - first[i],
                          &answers[i]);
    }
    for (uint32_t i = 0; i < first[taken]; i++) {
        topk_trial_end(&self->trials[i]);
    }
    return taken;
}

/* ---- Opening -------------------------------------------------------------------------------- */

static bool take_option(void *context, const char *key, const char *value)
{
    struct backend *self = context;
    if (strcmp(key, "timeout") == 0) {
        return topk_option_seconds(value, &self->timeout_ms);
    }
    if (strcmp(key, "variant") != 0) {
        return self->api->take_option(self->device, key, value);
    }
    self->variant = strcmp(value, "all") == 0 ? ALL : TOPK_KERNEL_AUTO;
    for (uint32_t i = 0; i < self->api->variant_count; i++) {
        if (strcmp(value, self->api->variants[i].name) == 0) {
            self->variant = i;
        }
    }
    return self->variant != TOPK_KERNEL_AUTO || strcmp(value, "auto") == 0;
}

static bool read_options(struct backend *self, const char *text, char *error, size_t error_bytes)
{
    char known[512];
    snprintf(known, sizeof known, "%s, variant=auto|all", self->api->options);
    for (uint32_t i = 0; i < self->api->variant_count; i++) {
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "|%s", self->api->variants[i].name);
    }
    self->timeout_ms = TOPK_OPTION_TIMEOUT_MS;
    self->variant = TOPK_KERNEL_AUTO;
    return topk_options_read(text, take_option, self, known, error, error_bytes);
}

/* Opens what ALL needs besides the device. */
static bool open_trials(struct backend *self, char *error, size_t error_bytes)
{
    if (self->variant != ALL) {
        return true;
    }
    self->cpu = topk_backend_cpu.open("", error, error_bytes);
    self->trials = calloc(self->api->calls, sizeof *self->trials);
    if (self->cpu != NULL && self->trials == NULL) {
        snprintf(error, error_bytes, "out of memory");
    }
    return self->cpu != NULL && self->trials != NULL;
}

static bool open_device(struct backend *self, char *error, size_t error_bytes)
{
    const struct topk_kernel_api *api = self->api;
    if (!api->open(self->device, self->timeout_ms, error, error_bytes)) {
        return false;
    }
    if (self->variant < api->variant_count &&
        !api->offered(self->device, self->variant, error, error_bytes)) {
        api->close(self->device);
        return false;
    }
    return true;
}

/* Lists the variants that ALL leaves out because the device lacks something. */
static void append_missing(const struct backend *self, char *text, size_t bytes)
{
    const char *before = ", without ";
    for (uint32_t i = 0; i < self->api->variant_count; i++) {
        char reason[256];
        if (!self->api->offered(self->device, i, reason, sizeof reason)) {
            const size_t used = strlen(text);
            snprintf(text + used, bytes - used, "%s%s", before, self->api->variants[i].name);
            before = ", ";
        }
    }
}

static void describe(struct backend *self)
{
    const struct topk_kernel_api *api = self->api;
    struct topk_backend_info *info = &self->info;
    const char *name = "auto";
    const char *summary = api->automatic;
    char every[160] = "each that serves a call";
    bool floats = false;
    if (self->variant == ALL) {
        name = "all";
        summary = every;
        append_missing(self, every, sizeof every);
    } else if (self->variant != TOPK_KERNEL_AUTO) {
        name = api->variants[self->variant].name;
        summary = api->variants[self->variant].summary;
    }
    for (uint32_t i = 0; i < api->variant_count; i++) {
        floats |= api->variants[i].floats && (self->variant == i || self->variant == ALL);
    }
    api->describe(self->device, info);
    snprintf(self->features, sizeof self->features,
             "%s; variant %s: %s; NaN is greatest, denormals are %s", info->features, name, summary,
             floats ? "as the device compares them in floats" : "exact");
    info->features = self->features;
    info->version = "1.0";
    info->feature_level = 0x5000;
    info->flags |= TOPK_BACKEND_STRICT_LEVEL;
    info->batch = api->calls;
}

static void free_all(struct backend *self)
{
    if (self->cpu != NULL) {
        topk_backend_cpu.close(self->cpu);
    }
    free(self->trials);
    free(self->device);
    free(self);
}

void *topk_kernel_open(const struct topk_kernel_api *api, const char *options, char *error,
                       size_t error_bytes)
{
    struct backend *self = calloc(1, sizeof *self);
    struct topk_device *device = calloc(1, api->device_bytes);
    if (self == NULL || device == NULL) {
        free(self);
        free(device);
        snprintf(error, error_bytes, "out of memory");
        return NULL;
    }
    self->api = api;
    self->device = device;
    self->list.api = api;
    self->list.device = device;
    if (!read_options(self, options, error, error_bytes) ||
        !open_trials(self, error, error_bytes) || !open_device(self, error, error_bytes)) {
        free_all(self);
        return NULL;
    }
    describe(self);
    return self;
}

void topk_kernel_close(void *opaque)
{
    struct backend *self = opaque;
    self->api->close(self->device);
    free_all(self);
}

/* ---- The interface -------------------------------------------------------------------------- */

struct topk_device *topk_kernel_device(void *opaque)
{
    return ((struct backend *)opaque)->device;
}

void topk_kernel_describe(void *opaque, struct topk_backend_info *info)
{
    *info = ((const struct backend *)opaque)->info;
}

void topk_kernel_supports(void *opaque, const struct topk_backend_call *call,
                          struct topk_backend_answer *answer)
{
    const struct backend *self = opaque;
    struct topk_cpu_plan plan = {.rank = 0};
    struct topk_backend_answer invalid;
    answer->status = TOPK_BACKEND_DONE;
    /* run() answers calls that are invalid */
    if (topk_cpu_validate(call, &plan, &invalid)) {
        uint32_t variant = self->variant == ALL ? TOPK_KERNEL_AUTO : self->variant;
        bool served = choose(self, &variant, &plan, answer) != NULL;
        for (uint32_t i = 0; self->variant == ALL && i < self->api->variant_count && !served; i++) {
            served = choose(self, &i, &plan, answer) != NULL;
        }
        answer->status = served ? TOPK_BACKEND_DONE : TOPK_BACKEND_UNSUPPORTED;
    }
}

void topk_kernel_start(void *opaque, const struct topk_backend_call *calls, uint32_t count,
                       struct topk_backend_answer *answers)
{
    struct backend *self = opaque;
    if (self->variant == ALL) {
        for (uint32_t done = 0; done < count;) {
            done += run_all(self, &calls[done], count - done, &answers[done]);
        }
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        take(self, self->variant, &calls[i], &answers[i]);
    }
    topk_kernel_list_start(&self->list);
}

void topk_kernel_finish(void *opaque)
{
    topk_kernel_list_finish(&((struct backend *)opaque)->list);
}

uint32_t topk_kernel_repeat(void *opaque)
{
    return topk_kernel_list_repeat(&((struct backend *)opaque)->list) ? 1 : 0;
}

void topk_kernel_run(void *opaque, const struct topk_backend_call *calls, uint32_t count,
                     struct topk_backend_answer *answers)
{
    topk_kernel_start(opaque, calls, count, answers);
    topk_kernel_finish(opaque);
}
