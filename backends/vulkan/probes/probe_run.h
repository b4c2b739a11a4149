/* Runs a shader of probes.def on its device: uploads up to three buffers, dispatches workgroups,
 * and reads the buffers back. */
#ifndef TOPK_VULKAN_PROBE_RUN_H
#define TOPK_VULKAN_PROBE_RUN_H

#include "batch.h"
#include "pipeline.h"

enum topk_probe_shader {
#define TOPK_PROBE_SHADER(name, file, width, macros) TOPK_PROBE_SHADER_##name,
#include "probes.def"
    TOPK_PROBE_SHADERS
};

/* A separate device for probes, so that they cannot harm the calls of the backend; and the probe
 * that runs on it. */
struct topk_probe_bench {
    struct topk_vulkan vulkan;
    struct topk_vulkan_batch batch;
    struct topk_vulkan_layout layout;
    struct topk_backend_probe *probe;
    uint32_t argument; /* of its row in probes.def */
};

/* in the order of the bindings, as many as struct topk_backend_call has buffers */
enum topk_probe_binding {
    TOPK_PROBE_GIVEN,  /* binding 0, only read */
    TOPK_PROBE_TARGET, /* binding 1, written */
    TOPK_PROBE_MADE,   /* binding 2, written */
    TOPK_PROBE_BINDINGS
};

struct topk_probe_buffer {
    void *data; /* uploaded and read back; NULL: unused */
    uint64_t bytes;
    uint64_t offset; /* offset of the descriptor, from data */
    uint64_t range;  /* range of the descriptor; 0: to the end */
};

struct topk_probe_dispatch {
    /* TOPK_PROBE_SHADERS: none, buffers are only uploaded and read back */
    enum topk_probe_shader shader;
    uint32_t group; /* specialization constant 0; 0: none */
    /* required size of subgroups, full if the device supports that; 0: any */
    uint32_t subgroup;
    uint32_t x, y; /* number of workgroups; y = 0 means 1 */
    /* number of dispatches, each after a barrier; the push constant is its number */
    uint32_t passes;
    uint32_t count; /* if not 0, the push constant */
    struct topk_probe_buffer buffers[TOPK_PROBE_BINDINGS];
    /* Binds the target through a separate buffer over a part of its memory. The target's offset is
     * where that part should start, and is set to where it does; its range is the size of the
     * buffer. */
    bool own_buffer;
    uint64_t own_range; /* range of its descriptor */
    uint64_t own_bytes; /* set to the size of the memory bound to it */
    bool own_outside;   /* set if that is not all in the target; then nothing was run */
    /* if not NULL, it is the target, and is not read back */
    const struct topk_vulkan_buffer *large;
    uint64_t large_range; /* range of its descriptor */
};

/* Opens a bench; overwrites *bench. Returns false, with the reason in error, if that fails. */
bool topk_probe_bench_open(struct topk_probe_bench *bench,
                           const struct topk_vulkan_options *options, char *error,
                           size_t error_bytes);
/* Does nothing to a device that may still be working. */
void topk_probe_bench_close(struct topk_probe_bench *bench);

/* Invocations of the largest workgroup, at most 1024, for which the shaders have room. */
uint32_t topk_probe_largest_group(const struct topk_probe_bench *bench);

/* Runs a dispatch. Returns false, after setting the probe's result, if that fails. */
bool topk_probe_run(struct topk_probe_bench *bench, struct topk_probe_dispatch *dispatch);

/* Sets the result of a probe; returns false. */
bool topk_probe_say(struct topk_backend_probe *probe, enum topk_backend_probe_verdict verdict,
                    const char *value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Sets the result of the bench's probe: a violation of a demand, which the detail then cites; or,
 * if demand is NULL, an observation. */
void topk_probe_judge(struct topk_probe_bench *bench, const char *value, const char *demand,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The same for a number of wrong results: the demand is violated if it is not 0. */
#define TOPK_PROBE_JUDGE_COUNT(bench, wrong, demand, ...)                                          \
    topk_probe_judge(bench, (wrong) == 0 ? "exact" : "wrong", (wrong) == 0 ? NULL : (demand),      \
                     __VA_ARGS__)

#endif
