/* Which variant of the kernels computes a call on a device, and which calls and devices a variant
 * does not support. The variants come from shaders.def. */
#ifndef TOPK_VULKAN_VARIANT_H
#define TOPK_VULKAN_VARIANT_H

#include "device.h"
#include "shaders.h"

/* Whether the device can run the variant for elements of some width; if not, reason says what is
 * missing. */
bool topk_vulkan_variant_offered(const struct topk_vulkan *vulkan, uint32_t variant, char *reason,
                                 size_t reason_bytes);

/* Returns the shader of *variant for a plan. With TOPK_KERNEL_AUTO, sets *variant to the best one
 * for the plan and the device. Returns NULL, with the reason, if there is none. */
const struct topk_shader *topk_vulkan_variant_choose(const struct topk_vulkan *vulkan,
                                                     uint32_t *variant,
                                                     const struct topk_cpu_plan *plan, char *reason,
                                                     size_t reason_bytes);

/* Invocations of a workgroup of the shader on the device: its specialization constant 0. */
uint32_t topk_vulkan_variant_group(const struct topk_vulkan *vulkan,
                                   const struct topk_shader *shader);

/* Approximate number of elements or counts that the threads visit. */
uint64_t topk_vulkan_steps(const struct topk_shader *shader, uint32_t group,
                           const struct topk_cpu_plan *plan);

#endif
