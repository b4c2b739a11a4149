/* A plugin whose table a test fills in: any plugin that is wrong, in one library. */
#include "topk_backend.h"

/* what the entry returns */
extern TOPK_BACKEND_EXPORT const struct topk_backend *broken_table;
const struct topk_backend *broken_table;

const struct topk_backend *topk_backend_entry(void)
{
    return broken_table;
}
