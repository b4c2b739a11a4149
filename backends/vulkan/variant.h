/* Which variant of the kernels serves a call on a device, and which calls and devices a variant
 * does not serve. The variants come from shaders.def. */
#ifndef TOPK_VULKAN_VARIANT_H
#define TOPK_VULKAN_VARIANT_H

#include "device.h"
#include "shaders.h"

/* Whether the device can run the variant for elements of any width; if not, reason says what it
 * lacks. */
bool topk_vulkan_variant_offered(const struct topk_vulkan *vulkan, uint32_t variant, char *reason,
                                 size_t reason_bytes);

/* The shader of the variant that serves a plan; of the one that suits the plan and the device best,
 * which *variant becomes, if that is TOPK_KERNEL_AUTO. NULL, with the reason, if there is none. */
const struct topk_shader *topk_vulkan_variant_choose(const struct topk_vulkan *vulkan,
                                                     uint32_t *variant,
                                                     const struct topk_cpu_plan *plan, char *reason,
                                                     size_t reason_bytes);

/* Invocations of a workgroup of the shader on the device: its specialization constant 0. */
uint32_t topk_vulkan_variant_group(const struct topk_vulkan *vulkan,
                                   const struct topk_shader *shader);

/* About how many elements or counts the threads visit. */
uint64_t topk_vulkan_steps(const struct topk_shader *shader, uint32_t group,
                           const struct topk_cpu_plan *plan);

#endif
