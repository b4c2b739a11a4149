/* The variants of the kernels of the backend d3d12: what a device must have for one, and which
 * calls it serves. They come from shaders.def. */
#ifndef TOPK_D3D12_VARIANT_H
#define TOPK_D3D12_VARIANT_H

#include "gpu.h"
#include "shaders.h"

/* Indexed by enum topk_variant. */
extern const struct topk_kernel_variant topk_d3d12_variants[TOPK_VARIANTS];

/* Whether the device has what the variant needs; if not, reason says what it lacks. */
bool topk_d3d12_variant_offered(const struct topk_gpu *gpu, uint32_t variant, char *reason,
                                size_t reason_bytes);

/* The code of the variant that serves a plan; of the one that suits it best on any device, which
 * *variant becomes, if that is TOPK_KERNEL_AUTO. NULL, with the reason, if there is none. */
const struct topk_shader *topk_d3d12_variant_choose(const struct topk_gpu *gpu, uint32_t *variant,
                                                    const struct topk_cpu_plan *plan, char *reason,
                                                    size_t reason_bytes);

/* About how many elements or counts the variant's threads visit. */
uint64_t topk_d3d12_variant_steps(uint32_t variant, const struct topk_cpu_plan *plan);

#endif
