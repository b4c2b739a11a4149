/* The variants of the kernels of the backend d3d12, from shaders.def: what a device needs for each,
 * and which calls it supports. */
#ifndef TOPK_D3D12_VARIANT_H
#define TOPK_D3D12_VARIANT_H

#include "gpu.h"
#include "shaders.h"

/* Indexed by enum topk_variant. */
extern const struct topk_kernel_variant topk_d3d12_variants[TOPK_VARIANTS];

/* Whether the device has what the variant needs; if not, reason says what is missing. */
bool topk_d3d12_variant_offered(const struct topk_gpu *gpu, uint32_t variant, char *reason,
                                size_t reason_bytes);

/* Returns the code of *variant for a plan. With TOPK_KERNEL_AUTO, sets *variant to the one that is
 * best on any device. Returns NULL, with the reason, if there is none. */
const struct topk_shader *topk_d3d12_variant_choose(const struct topk_gpu *gpu, uint32_t *variant,
                                                    const struct topk_cpu_plan *plan, char *reason,
                                                    size_t reason_bytes);

/* Approximate number of elements or counts that the variant's threads visit. */
uint64_t topk_d3d12_variant_steps(uint32_t variant, const struct topk_cpu_plan *plan);

#endif
