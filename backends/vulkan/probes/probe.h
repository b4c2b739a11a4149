/* The probes of the backend vulkan: how a driver and its compiler treat what Vulkan leaves open,
 * and whether they fulfill what it requires. probes.def lists them; probe_*.c implement them. */
#ifndef TOPK_VULKAN_PROBE_H
#define TOPK_VULKAN_PROBE_H

#include "probe_run.h"

enum topk_probe_device {
    TOPK_PROBE_PLAIN,   /* no robustness */
    TOPK_PROBE_ROBUST,  /* robustBufferAccess */
    TOPK_PROBE_ROBUST2, /* also robustBufferAccess2, if the device has it */
    TOPK_PROBE_DEVICES
};

/* The devices of the probes, opened when a probe needs one; zero it before its first use. */
struct topk_vulkan_probes {
    struct topk_probe_bench *benches[TOPK_PROBE_DEVICES]; /* NULL: not open */
};

/* Returns NULL after the last probe. */
const char *topk_vulkan_probe_name(uint32_t number);

/* Runs a probe. options: those of the backend. */
void topk_vulkan_probe(struct topk_vulkan_probes *probes, const struct topk_vulkan_options *options,
                       uint32_t number, struct topk_backend_probe *probe);

/* Closes all devices; probes can be used again. */
void topk_vulkan_probes_close(struct topk_vulkan_probes *probes);

/* A probe, run on its device: sets *probe completely. */
typedef void topk_probe_function(struct topk_probe_bench *bench);

#define TOPK_PROBE(name, device, function, argument) topk_probe_function topk_probe_##function;
#include "probes.def"

#endif
