/* ggml_argsort and, compiled with -DFIELD_TOP_K=1, ggml_top_k of ggml. Option: the device, such as
 * CPU or Vulkan0. They return indices only: the values are read from the input. GGML_BACKENDS names
 * the folder of ggml's libraries of devices. */
#include "field.h"

#include <ggml-alloc.h>
#include <ggml-backend.h>
#include <ggml.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    info->flags |= ggml_backend_dev_type(device) == GGML_BACKEND_DEVICE_TYPE_CPU
                       ? 0
                       : TOPK_BACKEND_SOFTWARE_DEVICE;
}

static int run(void *self, const struct field_call *call)
{
    const uint64_t n = call->sizes[call->rank - 1], k = call->k;
    struct ggml_init_params params = {ggml_tensor_overhead() * 8 + ggml_graph_overhead(), NULL,
                                      true};
    struct ggml_context *context = ggml_init(params);
    struct ggml_tensor *input =
        ggml_new_tensor_2d(context, GGML_TYPE_F32, (int64_t)n, (int64_t)call->rows);
#if FIELD_TOP_K
    struct ggml_tensor *result = ggml_top_k(context, input, (int)k);
#else
    struct ggml_tensor *result =
        ggml_argsort(context, input, call->largest ? GGML_SORT_ORDER_DESC : GGML_SORT_ORDER_ASC);
#endif
    struct ggml_cgraph *graph = ggml_new_graph(context);
    ggml_build_forward_expand(graph, result);
    ggml_backend_buffer_t buffer = ggml_backend_alloc_ctx_tensors(context, self);
    ggml_backend_tensor_set(input, call->input, 0, ggml_nbytes(input));
    const int failed = ggml_backend_graph_compute(self, graph) != GGML_STATUS_SUCCESS;
    snprintf(call->error, call->error_bytes, "%s",
             failed ? "ggml_backend_graph_compute failed" : "");
    int32_t *rows = malloc(ggml_nbytes(result));
    ggml_backend_tensor_get(result, rows, 0, ggml_nbytes(result));
    for (uint64_t i = 0; i < call->rows * k && !failed; i++) {
        const int64_t index = call->indices[i] = rows[i / k * (uint64_t)result->ne[0] + i % k];
        if (index >= 0 && (uint64_t)index < n)
            memcpy((float *)call->values + i,
                   (const float *)call->input + i / k * n + (uint64_t)index, sizeof(float));
    }
    free(rows);
    ggml_backend_buffer_free(buffer);
    ggml_free(context);
    return failed;
}

const struct field_library field_library = {
#if FIELD_TOP_K
    .name = "ggml_top_k",
    .rules = "axes=last directions=largest ties=any order=any types=f32 ranks=1..4",
#else
    .name = "ggml_argsort",
    .rules = "axes=last ties=any types=f32 ranks=1..4",
#endif
    .version = "",
    .source = "https://github.com/ggml-org/ggml/blob/master/include/ggml.h",
    .run = run,
    .open = open_library,
    .describe = describe};
