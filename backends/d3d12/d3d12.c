/* The backend d3d12: the project's own top-K, in HLSL, on any Direct3D 12 device, DirectML or not.
 *
 * Like cpu it is a subject of the suite: cpu_validate.c tells which calls are valid, kernel.c
 * computes those, and what the clauses leave open is decided as cpu decides it. shaders.def lists
 * the variants; variant=auto takes among those of shader model 5.1 by the length of a sequence. */
#include "kernel.h"
#include "topk_backend.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct topk_backend topk_backend_d3d12;

/* calls in one run() */
#define BATCH 256u
/* Memory that the calls of one command list may have, but that one call has what it needs. */
#define LIST_BYTES (UINT64_C(64) << 20)
/* Steps that they may take, but that one call may take what it needs: a display's driver gives a
 * list two seconds. */
#define LIST_STEPS (UINT64_C(1) << 26)

struct options {
    struct topk_gpu_options gpu;
    uint32_t variant; /* TOPK_VARIANTS: auto */
};

struct backend {
    struct topk_gpu gpu;
    struct topk_kernels kernels;
    uint32_t variant;
    char features[TOPK_GPU_TEXT + 128];
    /* of the calls that wait for a command list */
    uint32_t count;
    uint64_t bytes;
    uint64_t steps;
    struct topk_kernel_job jobs[BATCH];
};

/* ---- A command list ------------------------------------------------------------------------- */

static HRESULT run_list(struct backend *self, struct topk_kernel_job *jobs, uint32_t count,
                        const char **doing)
{
    const struct topk_backend_call *calls[BATCH];
    struct topk_gpu_places places[BATCH];
    for (uint32_t i = 0; i < count; i++) {
        calls[i] = jobs[i].call;
    }
    *doing = "making room for the kernels";
    HRESULT result = topk_kernels_reserve(&self->kernels, jobs, count);
    if (SUCCEEDED(result)) {
        *doing = "uploading the buffers";
        result = topk_gpu_load(&self->gpu, calls, count, places);
    }
    if (SUCCEEDED(result)) {
        topk_kernels_record(&self->kernels, jobs, count, places);
        *doing = "executing the kernels";
        result = topk_gpu_finish(&self->gpu, calls, count, places);
    }
    return result;
}

static uint64_t bytes_of(const struct topk_kernel_job *job)
{
    return job->call->input_buffer.bytes + job->call->value_buffer.bytes +
           job->call->index_buffer.bytes + job->scratch_bytes;
}

static void answer_all(struct backend *self, const struct topk_kernel_job *jobs, uint32_t count,
                       HRESULT result, const char *doing, uint64_t bytes)
{
    struct topk_backend_answer answer = {0};
    topk_gpu_answer(&self->gpu, result, doing, bytes, &answer);
    for (uint32_t i = 0; i < count; i++) {
        *jobs[i].answer = answer;
    }
}

/* Runs count jobs and answers those that fail. Jobs for which there is no memory together are tried
 * alone. */
static void run_jobs(struct backend *self, struct topk_kernel_job *jobs, uint32_t count)
{
    const char *doing = "";
    struct topk_backend_answer lost;
    if (topk_gpu_lost(&self->gpu, &lost)) {
        for (uint32_t i = 0; i < count; i++) {
            *jobs[i].answer = lost;
        }
        return;
    }
    const HRESULT result = run_list(self, jobs, count, &doing);
    if ((uint32_t)result == TOPK_E_OUTOFMEMORY && count > 1) {
        topk_gpu_discard(&self->gpu);
        topk_gpu_trim(&self->gpu);
        for (uint32_t i = 0; i < count; i++) {
            run_jobs(self, &jobs[i], 1);
        }
    } else if (FAILED(result)) {
        answer_all(self, jobs, count, result, doing, count > 1 ? self->bytes : bytes_of(&jobs[0]));
        topk_gpu_discard(&self->gpu);
    }
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
static bool fits(const struct backend *self, const struct topk_kernel_job *job)
{
    return self->count == 0 ||
           (self->count < BATCH && self->bytes + bytes_of(job) <= LIST_BYTES &&
            self->steps + topk_variant_steps(job->variant, &job->plan) <= LIST_STEPS);
}

/* ---- Calls ---------------------------------------------------------------------------------- */

static bool choose(const struct backend *self, const struct topk_cpu_plan *plan,
                   enum topk_variant *variant, struct topk_backend_answer *answer)
{
    *variant = self->variant == TOPK_VARIANTS ? topk_variant_choose(plan)
                                              : (enum topk_variant)self->variant;
    if (!topk_variant_serves(*variant, plan, answer->reason, sizeof answer->reason)) {
        answer->status = TOPK_BACKEND_UNSUPPORTED;
        return false;
    }
    return true;
}

/* Answers what needs no device; lets the others wait. */
static void take(struct backend *self, const struct topk_backend_call *call,
                 struct topk_backend_answer *answer)
{
    struct topk_kernel_job job = {.call = call, .answer = answer};
    if (!topk_cpu_validate(call, &job.plan, answer)) {
        return;
    }
    answer->status = TOPK_BACKEND_DONE;
    answer->reason[0] = '\0';
    if (call->create_only != 0 || !choose(self, &job.plan, &job.variant, answer)) {
        return;
    }
    if (topk_gpu_lost(&self->gpu, answer)) {
        return;
    }
    const HRESULT result = topk_kernels_prepare(&self->kernels, &job);
    if (FAILED(result)) {
        char doing[64];
        (void)snprintf(doing, sizeof doing, "creating the pipeline %s, %" PRIu32 " bytes",
                       topk_variant_name(job.variant), job.plan.tensors[TOPK_CPU_INPUT].width);
        answer_all(self, &job, 1, result, doing, 0);
        return;
    }
    if (!fits(self, &job)) {
        run_waiting(self);
    }
    self->jobs[self->count++] = job;
    self->bytes += bytes_of(&job);
    self->steps += topk_variant_steps(job.variant, &job.plan);
}

/* ---- Options -------------------------------------------------------------------------------- */

static bool take_option(void *context, const char *key, const char *value)
{
    struct options *options = context;
    if (strcmp(key, "variant") != 0) {
        return false;
    }
    options->variant = 0;
    while (options->variant < TOPK_VARIANTS &&
           strcmp(value, topk_variant_name(options->variant)) != 0) {
        options->variant++;
    }
    return options->variant < TOPK_VARIANTS || strcmp(value, "auto") == 0;
}

static bool parse_options(struct options *options, const char *text, char *error,
                          size_t error_bytes)
{
    char known[128] = ", variant=auto";
    for (uint32_t i = 0; i < TOPK_VARIANTS; i++) {
        const size_t used = strlen(known);
        (void)snprintf(known + used, sizeof known - used, "|%s", topk_variant_name(i));
    }
    options->variant = TOPK_VARIANTS;
    return topk_gpu_parse(&options->gpu, text, take_option, options, known, error, error_bytes);
}

/* ---- The interface -------------------------------------------------------------------------- */

static bool open_kernels(struct backend *self, char *error, size_t error_bytes)
{
    if (self->variant != TOPK_VARIANTS &&
        !topk_variant_offered(&self->gpu, (enum topk_variant)self->variant, error, error_bytes)) {
        return false;
    }
    const HRESULT result = topk_kernels_open(&self->kernels, &self->gpu);
    if (FAILED(result)) {
        (void)snprintf(error, error_bytes, "%s: creating a root signature: %08" PRIx32 " %s",
                       self->gpu.name, (uint32_t)result, topk_hresult_name(result));
        return false;
    }
    return true;
}

static void describe_features(struct backend *self)
{
    const bool automatic = self->variant == TOPK_VARIANTS;
    (void)snprintf(self->features, sizeof self->features,
                   "%s; variant %s: %s; NaN is greatest, denormals are exact", self->gpu.features,
                   automatic ? "auto" : topk_variant_name(self->variant),
                   automatic ? "by the length of a sequence" : topk_variant_summary(self->variant));
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
    if (!topk_gpu_open(&self->gpu, &options.gpu, error, error_bytes)) {
        free(self);
        return NULL;
    }
    if (!open_kernels(self, error, error_bytes)) {
        topk_gpu_close(&self->gpu);
        free(self);
        return NULL;
    }
    describe_features(self);
    return self;
}

static void backend_describe(void *opaque, struct topk_backend_info *info)
{
    const struct backend *self = opaque;
    info->name = "d3d12";
    info->version = "1.0";
    info->device = self->gpu.name;
    info->driver = self->gpu.driver;
    info->features = self->features;
    info->feature_level = 0x5000;
    info->flags =
        TOPK_BACKEND_STRICT_LEVEL | (self->gpu.software ? TOPK_BACKEND_SOFTWARE_DEVICE : 0u);
    info->batch = BATCH;
}

static void backend_supports(void *opaque, const struct topk_backend_call *call,
                             struct topk_backend_answer *answer)
{
    struct topk_cpu_plan plan = {.rank = 0};
    enum topk_variant variant = TOPK_VARIANT_rank;
    struct topk_backend_answer invalid;
    answer->status = TOPK_BACKEND_DONE;
    /* what is not valid after all is for run() to say */
    if (topk_cpu_validate(call, &plan, &invalid)) {
        (void)choose(opaque, &plan, &variant, answer);
    }
}

static void backend_run(void *opaque, const struct topk_backend_call *calls, uint32_t count,
                        struct topk_backend_answer *answers)
{
    struct backend *self = opaque;
    for (uint32_t i = 0; i < count; i++) {
        take(self, &calls[i], &answers[i]);
    }
    run_waiting(self);
    topk_gpu_trim(&self->gpu);
    topk_gpu_trim_buffer(&self->gpu, &self->kernels.scratch);
}

static void backend_close(void *opaque)
{
    struct backend *self = opaque;
    /* what a device that hangs still uses must not be freed under it */
    if (!self->gpu.timed_out) {
        topk_kernels_close(&self->kernels);
    }
    topk_gpu_close(&self->gpu);
    free(self);
}

const struct topk_backend topk_backend_d3d12 = {
    .abi = TOPK_BACKEND_ABI,
    .struct_bytes = sizeof(struct topk_backend),
    .name = "d3d12",
    .summary =
        "HLSL on Direct3D 12, the project's own; options adapter=, timeout=SECONDS, variant=",
    .open = backend_open,
    .describe = backend_describe,
    .supports = backend_supports,
    .run = backend_run,
    .close = backend_close,
};
