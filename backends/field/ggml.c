/* ggml_argsort and, with -DFIELD_TOP_K=1, ggml_top_k, which return indices only. Option: the
 * device, CPU or Vulkan0. GGML_BACKENDS names the folder of ggml's libraries of devices. */
#include "field.h"

#include <ggml-alloc.h>
#include <ggml-backend.h>
#include <ggml.h>
#include <stdio.h>
#include <stdlib.h>

#if FIELD_TOP_K
#define SELECT(CONTEXT, INPUT) ggml_top_k(CONTEXT, INPUT, (int)k)
#define NAME                   "ggml_top_k"
#define RULES                  "axes=last directions=largest ties=any order=any types=f32 ranks=1..4"
#else
#define NAME                   "ggml_argsort"
#define RULES                  "axes=last ties=any types=f32 ranks=1..4"
#define SELECT(CONTEXT, INPUT) ggml_argsort(CONTEXT, INPUT, (enum ggml_sort_order)call->largest)
#endif

static void *open_library(const char *options, char *error, size_t error_bytes)
{
    ggml_backend_load_all_from_path(getenv("GGML_BACKENDS"));
    snprintf(error, error_bytes, "ggml has no device '%s'", options);
    return ggml_backend_init_by_name(options, NULL);
}

static void describe(void *self, struct field_library *library, struct topk_backend_info *info)
{
    const ggml_backend_dev_t device = ggml_backend_get_device(self);
    library->version = ggml_version();
    info->device = ggml_backend_dev_description(device);
    if (ggml_backend_dev_type(device) != GGML_BACKEND_DEVICE_TYPE_CPU)
        info->flags |= TOPK_BACKEND_SOFTWARE_DEVICE;
}

static int run(void *self, const struct field_call *call)
{
    const int64_t n = call->sizes[call->rank - 1], k = call->k, rows = (int64_t)call->rows;
    struct ggml_context *context = ggml_init((struct ggml_init_params){1 << 20, NULL, true});
    struct ggml_tensor *input = ggml_new_tensor_2d(context, GGML_TYPE_F32, n, rows);
    struct ggml_tensor *result = SELECT(context, input);
    struct ggml_cgraph *graph = ggml_new_graph(context);
    ggml_build_forward_expand(graph, result);
    ggml_backend_buffer_t buffer = ggml_backend_alloc_ctx_tensors(context, self);
    ggml_backend_tensor_set(input, call->input, 0, ggml_nbytes(input));
    const int failed = ggml_backend_graph_compute(self, graph) != GGML_STATUS_SUCCESS;
    int32_t *found = malloc(ggml_nbytes(result));
    ggml_backend_tensor_get(result, found, 0, ggml_nbytes(result));
    for (int64_t i = 0; i < rows * k && !failed; i++)
        field_take(call, (uint64_t)i, found[i / k * result->ne[0] + i % k]);
    free(found);
    ggml_backend_buffer_free(buffer);
    ggml_free(context);
    return failed ? field_failed(call, "ggml_backend_graph_compute") : 0;
}

#define SOURCE "https://github.com/ggml-org/ggml/blob/master/include/ggml.h"
const struct field_library field_library = {NAME, "",           RULES,    SOURCE,
                                            run,  open_library, describe, 0};
