/* The variants of the kernels of the backend d3d12: what a device must have for one, and which
 * calls it serves. They come from shaders.def. */
#ifndef TOPK_VARIANT_H
#define TOPK_VARIANT_H

#include "cpu.h"
#include "gpu.h"
#include "shaders.h"

/* The variant's name, and what it is. NULL if there is no such variant. */
const char *topk_variant_name(uint32_t variant);
const char *topk_variant_summary(uint32_t variant);

/* Whether the device has what the variant needs; if not, reason says what it lacks. */
bool topk_variant_offered(const struct topk_gpu *gpu, enum topk_variant variant, char *reason,
                          size_t reason_bytes);

/* The variant that suits a plan best on any device. */
enum topk_variant topk_variant_choose(const struct topk_cpu_plan *plan);

/* Whether a variant can serve a plan; if not, reason says why. */
bool topk_variant_serves(enum topk_variant variant, const struct topk_cpu_plan *plan, char *reason,
                         size_t reason_bytes);

/* The variant's code for elements of that many bytes; NULL if it does not serve them. */
const struct topk_shader *topk_variant_shader(enum topk_variant variant, uint32_t width);

/* The sequences of a plan. */
uint64_t topk_variant_sequences(const struct topk_cpu_plan *plan);

/* About how many elements or counts the variant's threads visit. */
uint64_t topk_variant_steps(enum topk_variant variant, const struct topk_cpu_plan *plan);

#endif
