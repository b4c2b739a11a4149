/* The backend `faulty` as a plugin, `broken.so:ID`, to test plugins. */
#include "topk_backend.h"

extern const struct topk_backend topk_backend_faulty;

const struct topk_backend *topk_backend_entry(void)
{
    return &topk_backend_faulty;
}
