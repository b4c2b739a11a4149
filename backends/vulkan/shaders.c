/* The rows of shaders.def with their code, compiled by cmake/vulkan_shaders.cmake to arrays named
 * topk_spirv_VARIANT_WIDTH. */
#include "shaders.h"

#include "topk_spirv.h"

const struct topk_kernel_variant topk_vulkan_variants[TOPK_VARIANTS] = {
#define TOPK_VARIANT(variant, schedule, least, square, text)                                       \
    [TOPK_VARIANT_##variant] = {.name = #variant,                                                  \
                                .summary = (text),                                                 \
                                .shortest = (least),                                               \
                                .longest = TOPK_SHADER_LONGEST,                                    \
                                .quadratic = (square),                                             \
                                .floats = TOPK_VARIANT_##variant == TOPK_VARIANT_floats},
#include "shaders.def"
};

const enum topk_schedule topk_vulkan_schedules[TOPK_VARIANTS] = {
#define TOPK_VARIANT(variant, schedule, ...) schedule,
#include "shaders.def"
};

const struct topk_shader topk_vulkan_shaders[] = {
#define TOPK_SHADER(variant, width, file, group, chunk, shared, needs, macros)                     \
    {TOPK_VARIANT_##variant,                                                                       \
     width,                                                                                        \
     group,                                                                                        \
     chunk,                                                                                        \
     shared,                                                                                       \
     needs,                                                                                        \
     sizeof topk_spirv_##variant##_##width,                                                        \
     topk_spirv_##variant##_##width},
#include "shaders.def"
};
const size_t topk_vulkan_shader_count = sizeof topk_vulkan_shaders / sizeof topk_vulkan_shaders[0];
