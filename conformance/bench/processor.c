/* See processor.h. */

#define _POSIX_C_SOURCE 200809L /* for uv.h */
#include "processor.h"

#include <stdio.h>
#include <string.h>
#include <uv.h>

static void add(char *text, size_t bytes, const char *before, const char *word)
{
    const size_t used = strlen(text);
    snprintf(text + used, bytes - used, "%s%s", before, word);
}

/* FEATURE(name): as compilers for x86 name it */
#define FEATURES(FEATURE)                                                                          \
    FEATURE("sse4.2")                                                                              \
    FEATURE("avx2")                                                                                \
    FEATURE("avx512f")                                                                             \
    FEATURE("avx512bw")                                                                            \
    FEATURE("avx512vbmi2")

void topk_processor_print(char *text, size_t bytes)
{
    uv_cpu_info_t *processors = NULL;
    int count = 0;
    const char *before = ", ";
    snprintf(text, bytes, "unknown");
    if (uv_cpu_info(&processors, &count) == 0) {
        if (count > 0 && processors[0].model != NULL) {
            snprintf(text, bytes, "%s", processors[0].model);
        }
        uv_free_cpu_info(processors, count);
    }
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
#define FEATURE(name)                                                                              \
    if (__builtin_cpu_supports(name)) {                                                            \
        add(text, bytes, before, name);                                                            \
        before = " ";                                                                              \
    }
    FEATURES(FEATURE)
#elif defined(__aarch64__)
    add(text, bytes, before, "neon");
    before = " ";
#endif
    if (before[0] == ',') {
        add(text, bytes, before, "no vector instructions that this program knows");
    }
}
