/* How a probe runs a shader of probes.def on its device: up to three buffers go there, some
 * workgroups, and the buffers come back. */
#ifndef TOPK_VULKAN_PROBE_RUN_H
#define TOPK_VULKAN_PROBE_RUN_H

#include "batch.h"
#include "pipeline.h"

enum topk_probe_shader {
#define TOPK_PROBE_SHADER(name, file, width, macros) TOPK_PROBE_SHADER_##name,
#include "probes.def"
    TOPK_PROBE_SHADERS
};

/* A device of the probes' own: what one does to it does no harm to the calls of the backend; and
 * the probe that is run on it. */
struct topk_probe_bench {
    struct topk_vulkan vulkan;
    struct topk_vulkan_batch batch;
    struct topk_vulkan_layout layout;
    struct topk_backend_probe *probe;
    uint32_t argument; /* of its row in probes.def */
};

/* in the order of the bindings: struct topk_backend_call has as many buffers */
enum topk_probe_binding {
    TOPK_PROBE_GIVEN,  /* binding 0, read */
    TOPK_PROBE_TARGET, /* binding 1, written */
    TOPK_PROBE_MADE,   /* binding 2, written */
    TOPK_PROBE_BINDINGS
};

struct topk_probe_buffer {
    void *data; /* is uploaded and read back; NULL: nothing */
    uint64_t bytes;
    uint64_t offset; /* of the descriptor, from data */
    uint64_t range;  /* of the descriptor; 0: to the end */
};

struct topk_probe_dispatch {
    enum topk_probe_shader shader; /* TOPK_PROBE_SHADERS: none, the buffers only come and go */
    uint32_t group;                /* specialization constant 0; 0: none */
    uint32_t subgroup;             /* size that is required, full if the device has that; 0: any */
    uint32_t x, y;                 /* workgroups; y: 0 is 1 */
    uint32_t passes; /* dispatches, each after a barrier; push constants: its number */
    uint32_t count;  /* push constants: this */
    struct topk_probe_buffer buffers[TOPK_PROBE_BINDINGS];
    /* Binds the target by a buffer of its own over a part of its memory. Its offset is where that
     * is to start, and becomes where it does; its range is the bytes of the buffer. */
    bool own_buffer;
    uint64_t own_range; /* of its descriptor */
    uint64_t own_bytes; /* is set: of the memory that is bound to it */
    bool own_outside;   /* is set: that is not all in the target, and nothing was run */
    const struct topk_vulkan_buffer *large; /* is the target if it is not NULL; it stays there */
    uint64_t large_range;                   /* of its descriptor */
};

/* Opens it; *bench is overwritten. False after a message to error. */
bool topk_probe_bench_open(struct topk_probe_bench *bench,
                           const struct topk_vulkan_options *options, char *error,
                           size_t error_bytes);
/* Does nothing to a device that may still be at work. */
void topk_probe_bench_close(struct topk_probe_bench *bench);

/* Invocations of the largest workgroup, of the 1024 that a shader has room for. */
uint32_t topk_probe_largest_group(const struct topk_probe_bench *bench);

/* Runs a dispatch. False after the probe says why not. */
bool topk_probe_run(struct topk_probe_bench *bench, struct topk_probe_dispatch *dispatch);

/* Sets all of a probe; false. */
bool topk_probe_say(struct topk_backend_probe *probe, enum topk_backend_probe_verdict verdict,
                    const char *value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Sets all of the bench's probe: a violation of a demand, which the detail then ends with, or, if
 * that is NULL, an observation. */
void topk_probe_judge(struct topk_probe_bench *bench, const char *value, const char *demand,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The same of a count of what is wrong: the demand is broken if there is any. */
#define TOPK_PROBE_JUDGE_COUNT(bench, wrong, demand, ...)                                          \
    topk_probe_judge(bench, (wrong) == 0 ? "exact" : "wrong", (wrong) == 0 ? NULL : (demand),      \
                     __VA_ARGS__)

#endif
