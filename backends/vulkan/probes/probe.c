/* The table of probes, and their devices. */
#include "probe.h"

#include <stdlib.h>

static const struct {
    const char *name;
    enum topk_probe_device device;
    topk_probe_function *run;
    uint32_t argument;
} rows[] = {
#define TOPK_PROBE(name, device, function, argument)                                               \
    {name, TOPK_PROBE_##device, topk_probe_##function, argument},
#include "probes.def"
};

#define ROWS (sizeof rows / sizeof rows[0])

_Static_assert(ROWS <= 64, "topk_backend.h: there are 64 probes at most");

const char *topk_vulkan_probe_name(uint32_t number)
{
    return number < ROWS ? rows[number].name : NULL;
}

static void close_bench(struct topk_vulkan_probes *probes, enum topk_probe_device device)
{
    struct topk_probe_bench *bench = probes->benches[device];
    if (bench != NULL) {
        const bool at_work = bench->vulkan.timed_out;
        topk_probe_bench_close(bench);
        if (!at_work) {
            free(bench);
        }
    }
    probes->benches[device] = NULL;
}

void topk_vulkan_probes_close(struct topk_vulkan_probes *probes)
{
    for (int i = 0; i < TOPK_PROBE_DEVICES; i++) {
        close_bench(probes, (enum topk_probe_device)i);
    }
}

/* Returns the device for a probe; NULL, after setting the result, if there is none. */
static struct topk_probe_bench *bench_of(struct topk_vulkan_probes *probes,
                                         const struct topk_vulkan_options *options,
                                         enum topk_probe_device device,
                                         struct topk_backend_probe *probe)
{
    char error[256] = "out of memory";
    struct topk_backend_answer lost;
    struct topk_probe_bench *bench = probes->benches[device];
    if (bench != NULL && topk_vulkan_lost(&bench->vulkan, &lost)) {
        if (bench->vulkan.timed_out) {
            /* another device of the same driver would wait for it */
            topk_probe_say(probe, TOPK_BACKEND_PROBE_FAILED, "device lost", "before it: %s",
                           lost.reason);
            return NULL;
        }
        close_bench(probes, device);
        bench = NULL;
    }
    if (bench == NULL) {
        struct topk_vulkan_options own = *options;
        own.robust = device != TOPK_PROBE_PLAIN;
        own.robust2 = device == TOPK_PROBE_ROBUST2;
        bench = malloc(sizeof *bench);
        if (bench == NULL || !topk_probe_bench_open(bench, &own, error, sizeof error)) {
            topk_probe_say(probe, TOPK_BACKEND_PROBE_FAILED, "error", "no device for it: %s",
                           error);
            free(bench);
            return NULL;
        }
        probes->benches[device] = bench;
    }
    return bench;
}

void topk_vulkan_probe(struct topk_vulkan_probes *probes, const struct topk_vulkan_options *options,
                       uint32_t number, struct topk_backend_probe *probe)
{
    struct topk_probe_bench *bench = bench_of(probes, options, rows[number].device, probe);
    if (bench != NULL) {
        bench->probe = probe;
        bench->argument = rows[number].argument;
        rows[number].run(bench);
    }
}
