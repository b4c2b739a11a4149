/* The project's own backend: DML_TOP_K and DML_TOP_K1 on the host's processor.
 *
 * It takes the place of a vendor's implementation: the suite tests it. So it shares no code with
 * the oracle, the judge or their validation, and uses nothing of the project but the plugin
 * interface. Both were written from the clauses alone; if they disagree, one of them is wrong. The
 * oracle is written to be obviously correct, this backend to be fast.
 *
 * This file is the interface. cpu_validate.c decides which calls are valid; engine.c computes them,
 * by a method that method.h chooses. The work on each element is in kernels.h, compiled for several
 * levels of SIMD, of which levels.c lists the usable ones. What the clauses leave to an
 * implementation is decided as follows (for V and T see cpu.h):
 *   F02  A NaN is greater than +infinity, and all NaNs are equal.
 *   F04  Denormals are exact.
 *   M03  Padding is never touched.
 */
#include "cpu.h"
#include "engine.h"
#include "options.h"

#include <stdio.h>
#include <stdlib.h>

struct cpu {
    struct topk_cpu_engine *engine;
    char device[48];
    char driver[48];
};

static unsigned char *bound_memory(const struct topk_backend_buffer *buffer)
{
    return (unsigned char *)buffer->data + (size_t)buffer->offset;
}

static void run_call(struct cpu *cpu, const struct topk_backend_call *call,
                     struct topk_backend_answer *answer)
{
    struct topk_cpu_plan plan = {.rank = 0};
    if (!topk_cpu_validate(call, &plan, answer)) {
        return;
    }
    if (call->create_only == 0) {
        const struct topk_cpu_row origin = {.input = bound_memory(&call->input_buffer),
                                            .value = bound_memory(&call->value_buffer),
                                            .index = bound_memory(&call->index_buffer)};
        if (!topk_cpu_engine_run(cpu->engine, &plan, &origin)) {
            answer->status = TOPK_BACKEND_OUT_OF_MEMORY;
            snprintf(answer->reason, sizeof answer->reason, "no memory to sort in");
            return;
        }
    }
    answer->status = TOPK_BACKEND_DONE;
    answer->reason[0] = '\0';
}

static void cpu_close(void *self)
{
    struct cpu *cpu = self;
    if (cpu->engine != NULL) {
        topk_cpu_engine_close(cpu->engine);
    }
    free(cpu);
}

static void *cpu_open(const char *text, char *error, size_t error_bytes)
{
    struct topk_cpu_options options;
    if (!topk_cpu_options_read(text, &options, error, error_bytes)) {
        return NULL;
    }
    struct cpu *cpu = calloc(1, sizeof *cpu);
    if (cpu != NULL) {
        cpu->engine = topk_cpu_engine_open(options.level.kernels, options.threads);
    }
    if (cpu == NULL || cpu->engine == NULL) {
        free(cpu);
        snprintf(error, error_bytes, "cpu: out of memory");
        return NULL;
    }
    const unsigned threads = topk_cpu_engine_threads(cpu->engine);
    if (threads == 1) {
        snprintf(cpu->device, sizeof cpu->device, "host processor, one thread");
    } else {
        snprintf(cpu->device, sizeof cpu->device, "host processor, %u threads", threads);
    }
    snprintf(cpu->driver, sizeof cpu->driver, "none: %s", options.level.name);
    return cpu;
}

static void cpu_describe(void *self, struct topk_backend_info *info)
{
    const struct cpu *cpu = self;
    info->name = "cpu";
    info->version = "1.0";
    info->device = cpu->device;
    info->driver = cpu->driver;
    info->features =
        "sorting networks, filter and radix sort; NaN is greatest, denormals are exact";
    info->feature_level = 0x5000;
    info->flags = TOPK_BACKEND_STRICT_LEVEL | TOPK_BACKEND_SOFTWARE;
    info->batch = 1;
}

static void cpu_run(void *self, const struct topk_backend_call *calls, uint32_t count,
                    struct topk_backend_answer *answers)
{
    for (uint32_t i = 0; i < count; i++) {
        run_call(self, &calls[i], &answers[i]);
    }
}

const struct topk_backend topk_backend_cpu = {
    .abi = TOPK_BACKEND_ABI,
    .struct_bytes = sizeof(struct topk_backend),
    .name = "cpu",
    .summary = "the project's own, on the host's processor; options threads=N, "
               "simd=portable|avx2|avx512",
    .open = cpu_open,
    .describe = cpu_describe,
    .supports = NULL,
    .run = cpu_run,
    .close = cpu_close,
};
