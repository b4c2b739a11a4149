/* The compiled shaders, which compile_hlsl.c writes from the rows of shaders.def. */
#ifndef TOPK_SHADERS_H
#define TOPK_SHADERS_H

#include <stddef.h>
#include <stdint.h>

enum topk_variant {
#define TOPK_VARIANT(variant, ...) TOPK_VARIANT_##variant,
#include "shaders.def"
    TOPK_VARIANTS
};

struct topk_shader {
    uint32_t variant;     /* enum topk_variant */
    uint32_t width;       /* bytes of an element */
    uint32_t group;       /* threads */
    uint32_t bytes;       /* size of the code */
    const uint32_t *code; /* DXBC, or DXIL in its container */
};

extern const struct topk_shader topk_shaders[];
extern const size_t topk_shader_count;

#endif
