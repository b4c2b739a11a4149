/* Computes floats on a device. */
#include "probe_float.h"

#include <inttypes.h>
#include <string.h>

/* ---- The numbers ---------------------------------------------------------------------------- */

static struct topk_probe_format format_of(uint32_t width)
{
    const uint32_t fraction = width == 16 ? 10 : width == 32 ? 23 : 52;
    const uint64_t unit = UINT64_C(1) << fraction;
    const uint64_t bias = width == 16 ? 15 : width == 32 ? 127 : 1023;
    const uint64_t one = bias * unit;
    const uint64_t infinity = (2 * bias + 1) * unit;
    const uint64_t sign = UINT64_C(1) << (width - 1);
    const uint64_t payload = unit / 4 + 5; /* below the bit that marks a quiet NaN */
    return (struct topk_probe_format){
        .width = width,
        .fraction = fraction,
        .given = {[GIVEN_LEAST] = unit,
                  [GIVEN_HALF] = one - unit,
                  [GIVEN_LEAST_AND_HALF] = unit + unit / 2,
                  [GIVEN_DENORMAL] = 3 * unit / 8,
                  [GIVEN_ZERO] = 0,
                  [GIVEN_MINUS_ZERO] = sign,
                  [GIVEN_INFINITY] = infinity,
                  [GIVEN_ONE] = one,
                  [GIVEN_NEXT] = one + 1,
                  [GIVEN_HALF_STEP] = (bias - fraction - 1) * unit,
                  [GIVEN_MORE_THAN_HALF_STEP] = (bias - fraction - 1) * unit + unit / 2,
                  [GIVEN_ONE_AND_HALF] = one + unit / 2,
                  [GIVEN_LARGE] = (bias + 10) * unit,
                  [GIVEN_QUIET] = infinity + unit / 2 + payload,
                  [GIVEN_SIGNALLING] = infinity + payload,
                  [GIVEN_MINUS_ONE] = sign + one}};
}

uint64_t topk_probe_sign(const struct topk_probe_format *format)
{
    return UINT64_C(1) << (format->width - 1);
}

bool topk_probe_is_zero(const struct topk_probe_format *format, enum topk_probe_made made)
{
    return (format->made[made] & ~topk_probe_sign(format)) == 0;
}

bool topk_probe_is_nan(const struct topk_probe_format *format, enum topk_probe_made made)
{
    return (format->made[made] & ~topk_probe_sign(format)) > format->given[GIVEN_INFINITY];
}

static uint64_t read_bits(const unsigned char *from, uint32_t width)
{
    uint16_t narrow;
    uint32_t middle;
    uint64_t wide;
    switch (width) {
    case 16:
        memcpy(&narrow, from, sizeof narrow);
        return narrow;
    case 32:
        memcpy(&middle, from, sizeof middle);
        return middle;
    default:
        memcpy(&wide, from, sizeof wide);
        return wide;
    }
}

static void write_bits(unsigned char *to, uint32_t width, uint64_t bits)
{
    const uint16_t narrow = (uint16_t)bits;
    const uint32_t middle = (uint32_t)bits;
    memcpy(to,
           width == 16   ? (const void *)&narrow
           : width == 32 ? (const void *)&middle
                         : &bits,
           width / 8);
}

/* ---- Running -------------------------------------------------------------------------------- */

#define WIDTHS 3u /* float16, float32, float64 */

/* the name of a mode, and the shaders that declare it */
static const struct {
    const char *name;
    enum topk_probe_shader shaders[WIDTHS];
} modes[MODE_COUNT] = {
#define MODE(name, suffix)                                                                         \
    {                                                                                              \
        name,                                                                                      \
        {                                                                                          \
            TOPK_PROBE_SHADER_float16##suffix, TOPK_PROBE_SHADER_float32##suffix,                  \
                TOPK_PROBE_SHADER_float64##suffix                                                  \
        }                                                                                          \
    }
    [MODE_PRESERVE] = MODE("DenormPreserve", _preserve),
    [MODE_FLUSH] = MODE("DenormFlushToZero", _flush),
    [MODE_SPECIALS] = MODE("SignedZeroInfNanPreserve", _specials),
    [MODE_EVEN] = MODE("RoundingModeRTE", _rte),
    [MODE_ZERO] = MODE("RoundingModeRTZ", _rtz),
    [MODE_NONE] = MODE("nothing", ),
#undef MODE
};

const char *topk_probe_mode_name(enum topk_probe_mode mode)
{
    return modes[mode].name;
}

static uint32_t index_of(uint32_t width)
{
    return width == 16 ? 0 : width == 32 ? 1 : 2;
}

static bool has_type(const struct topk_probe_bench *bench, uint32_t width)
{
    const struct topk_vulkan_features *has = &bench->vulkan.features;
    if (width == 16 && !(has->float16 && has->storage_16)) {
        return topk_probe_say(bench->probe, TOPK_BACKEND_PROBE_UNSUPPORTED, "",
                              "needs shaderFloat16 and storageBuffer16BitAccess");
    }
    if (width == 64 && !has->float64) {
        return topk_probe_say(bench->probe, TOPK_BACKEND_PROBE_UNSUPPORTED, "",
                              "needs shaderFloat64");
    }
    return true;
}

/* Whether the device reports a mode for the width independently of other widths. */
static bool has_mode(const struct topk_probe_bench *bench, uint32_t width,
                     enum topk_probe_mode mode)
{
    const struct topk_vulkan *vulkan = &bench->vulkan;
    VkPhysicalDeviceFloatControlsProperties of = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                       .pNext = &of};
    if (vulkan->version < VK_API_VERSION_1_2) {
        return topk_probe_say(bench->probe, TOPK_BACKEND_PROBE_UNSUPPORTED, "",
                              "float controls are asked for of Vulkan 1.2 only");
    }
    vulkan->api.GetPhysicalDeviceProperties2(vulkan->physical, &all);
    const uint32_t i = index_of(width);
    const VkBool32 reported[MODE_NONE][WIDTHS] = {
        [MODE_PRESERVE] = {of.shaderDenormPreserveFloat16, of.shaderDenormPreserveFloat32,
                           of.shaderDenormPreserveFloat64},
        [MODE_FLUSH] = {of.shaderDenormFlushToZeroFloat16, of.shaderDenormFlushToZeroFloat32,
                        of.shaderDenormFlushToZeroFloat64},
        [MODE_SPECIALS] = {of.shaderSignedZeroInfNanPreserveFloat16,
                           of.shaderSignedZeroInfNanPreserveFloat32,
                           of.shaderSignedZeroInfNanPreserveFloat64},
        [MODE_EVEN] = {of.shaderRoundingModeRTEFloat16, of.shaderRoundingModeRTEFloat32,
                       of.shaderRoundingModeRTEFloat64},
        [MODE_ZERO] = {of.shaderRoundingModeRTZFloat16, of.shaderRoundingModeRTZFloat32,
                       of.shaderRoundingModeRTZFloat64}};
    if (!reported[mode][i]) {
        return topk_probe_say(bench->probe, TOPK_BACKEND_PROBE_UNSUPPORTED, "not reported",
                              "shader%sFloat%" PRIu32 " is not reported", modes[mode].name, width);
    }
    const VkShaderFloatControlsIndependence alone = mode == MODE_PRESERVE || mode == MODE_FLUSH
                                                        ? of.denormBehaviorIndependence
                                                        : of.roundingModeIndependence;
    if (mode != MODE_SPECIALS &&
        (alone == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE ||
         (alone == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY && width != 32))) {
        return topk_probe_say(bench->probe, TOPK_BACKEND_PROBE_UNSUPPORTED, "not alone",
                              "%s cannot be declared for %" PRIu32 " bits alone", modes[mode].name,
                              width);
    }
    return true;
}

bool topk_probe_compute(struct topk_probe_bench *bench, enum topk_probe_mode mode,
                        struct topk_probe_format *format)
{
    const uint32_t width = bench->argument;
    unsigned char given[GIVEN_COUNT * 8];
    unsigned char made[MADE_COUNT * 8];
    const uint32_t bytes = width / 8;
    *format = format_of(width);
    format->mode = mode;
    if (!has_type(bench, width) || (mode != MODE_NONE && !has_mode(bench, width, mode))) {
        return false;
    }
    for (uint32_t i = 0; i < GIVEN_COUNT; i++) {
        write_bits(given + (size_t)i * bytes, width, format->given[i]);
    }
    memset(made, 0xcc, sizeof made);
    struct topk_probe_dispatch dispatch = {
        .shader = modes[mode].shaders[index_of(width)],
        .x = 1,
        .buffers = {[TOPK_PROBE_GIVEN] = {given, (uint64_t)GIVEN_COUNT * bytes, 0, 0},
                    [TOPK_PROBE_TARGET] = {made, (uint64_t)MADE_COUNT * bytes, 0, 0}}};
    if (!topk_probe_run(bench, &dispatch)) {
        return false;
    }
    for (uint32_t i = 0; i < MADE_COUNT; i++) {
        format->made[i] = read_bits(made + (size_t)i * bytes, width);
    }
    return true;
}
