/* A plugin whose options are its feature level in hex; without options it sets none. It computes
 * like `cpu`. */
#include "cpu/cpu.h"

#include <stdlib.h>

static uint32_t level;

static void *open_level(const char *options, char *error, size_t error_bytes)
{
    level = (uint32_t)strtoul(options, NULL, 16);
    return topk_backend_cpu.open("", error, error_bytes);
}

static void describe(void *self, struct topk_backend_info *info)
{
    topk_backend_cpu.describe(self, info);
    info->feature_level = level;
}

const struct topk_backend *topk_backend_entry(void)
{
    static struct topk_backend backend;
    backend = topk_backend_cpu;
    backend.name = "broken-level";
    backend.summary = "of any feature level";
    backend.open = open_level;
    backend.describe = describe;
    return &backend;
}
