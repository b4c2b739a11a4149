/* Which variant of the kernels serves a call on a device, and which calls and devices a variant
 * does not serve. The variants come from shaders.def. */
#ifndef TOPK_VULKAN_VARIANT_H
#define TOPK_VULKAN_VARIANT_H

#include "cpu.h"
#include "device.h"
#include "shaders.h"

/* The variant of that name, or TOPK_VARIANTS. */
uint32_t topk_vulkan_variant_find(const char *name);

/* Whether the device can run the variant for elements of any width; if not, reason says what it
 * lacks. */
bool topk_vulkan_variant_offered(const struct topk_vulkan *vulkan, enum topk_variant variant,
                                 char *reason, size_t reason_bytes);

/* The shader of the variant that serves a plan; NULL, with the reason, if there is none. */
const struct topk_shader *topk_vulkan_variant_shader(const struct topk_vulkan *vulkan,
                                                     enum topk_variant variant,
                                                     const struct topk_cpu_plan *plan, char *reason,
                                                     size_t reason_bytes);

/* The same, of the variant that suits the plan and the device best. */
const struct topk_shader *topk_vulkan_variant_choose(const struct topk_vulkan *vulkan,
                                                     const struct topk_cpu_plan *plan, char *reason,
                                                     size_t reason_bytes);

/* Invocations of a workgroup of the shader on the device: its specialization constant 0. */
uint32_t topk_vulkan_variant_group(const struct topk_vulkan *vulkan,
                                   const struct topk_shader *shader);

/* The sequences of a plan. */
uint64_t topk_vulkan_sequences(const struct topk_cpu_plan *plan);

/* About how many elements or counts the threads visit. */
uint64_t topk_vulkan_steps(const struct topk_shader *shader, uint32_t group,
                           const struct topk_cpu_plan *plan);

#endif
