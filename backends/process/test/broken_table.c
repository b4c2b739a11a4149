/* A plugin whose table is filled in by a test; it can stand for any incorrect plugin. */
#include "topk_backend.h"

/* the table that the entry returns */
extern TOPK_BACKEND_EXPORT const struct topk_backend *broken_table;
const struct topk_backend *broken_table;

const struct topk_backend *topk_backend_entry(void)
{
    return broken_table;
}
