/* A plugin of another ABI version. The worker must refuse it, and name the version. */
#include "topk_backend.h"

static const struct topk_backend other_abi = {
    .abi = TOPK_BACKEND_ABI + 1,
    .struct_bytes = sizeof(struct topk_backend),
    .name = "broken-abi",
    .summary = "of another ABI version",
};

const struct topk_backend *topk_backend_entry(void)
{
    return &other_abi;
}
