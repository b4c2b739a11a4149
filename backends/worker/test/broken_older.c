/* A plugin that was compiled before struct topk_backend grew: its table ends with `close`, and the
 * memory after it is unrelated. It computes like `cpu`. */
#include "cpu/cpu.h"

#include <stddef.h>
#include <string.h>

/* sets a flag that only the host may set, for functions that the table lacks */
static void describe(void *self, struct topk_backend_info *info)
{
    topk_backend_cpu.describe(self, info);
    info->flags |= TOPK_BACKEND_PROBES;
}

const struct topk_backend *topk_backend_entry(void)
{
    static struct topk_backend older;
    memset(&older, 0xa5, sizeof older);
    older.abi = TOPK_BACKEND_ABI;
    older.struct_bytes = offsetof(struct topk_backend, close) + sizeof older.close;
    older.name = "broken-older";
    older.summary = "of an older struct";
    older.open = topk_backend_cpu.open;
    older.describe = describe;
    older.supports = topk_backend_cpu.supports;
    older.run = topk_backend_cpu.run;
    older.close = topk_backend_cpu.close;
    return &older;
}
