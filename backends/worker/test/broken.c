/* The backend `faulty` as a plugin, `broken.so:ID`, for the tests of loading one. */
#include "topk_backend.h"

extern const struct topk_backend topk_backend_faulty;

const struct topk_backend *topk_backend_entry(void)
{
    return &topk_backend_faulty;
}
