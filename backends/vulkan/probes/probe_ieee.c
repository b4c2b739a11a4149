/* Probes of floating-point arithmetic: denormals, signed zeros, infinities and NaN, rounding; as
 * the driver computes by default, and with each mode of SPV_KHR_float_controls that the device
 * reports. */
#include <stdio.h>
#include <string.h>

#include "probe_float.h"

/* Defines a probe of one format in one mode; `say` reports the results. */
#define FORMAT_PROBE(name, mode, say)                                                              \
    void topk_probe_##name(struct topk_probe_bench *bench)                                         \
    {                                                                                              \
        struct topk_probe_format format;                                                           \
        if (topk_probe_compute(bench, mode, &format)) {                                            \
            say(bench, &format);                                                                   \
        }                                                                                          \
    }

/* The results of several parts of a probe. */
struct parts {
    uint32_t count;
    const char *names[8];
    const char *words[8];
    char text[160];
};

static void add_part(struct parts *parts, const char *name, const char *word)
{
    parts->names[parts->count] = name;
    parts->words[parts->count++] = word;
}

static bool word_is_new(const struct parts *parts, uint32_t part)
{
    for (uint32_t i = 0; i < part; i++) {
        if (strcmp(parts->words[i], parts->words[part]) == 0) {
            return false;
        }
    }
    return true;
}

/* "kept" if all parts have that word, else "add neg kept, max lost"; valid as long as parts. */
static const char *value_of(struct parts *parts)
{
    uint32_t words = 0;
    parts->text[0] = 0;
    for (uint32_t first = 0; first < parts->count; first++) {
        if (!word_is_new(parts, first)) {
            continue;
        }
        size_t used = strlen(parts->text);
        const char *between = words++ == 0 ? "" : ", ";
        for (uint32_t i = first; i < parts->count; i++) {
            if (strcmp(parts->words[i], parts->words[first]) == 0) {
                snprintf(parts->text + used, sizeof parts->text - used, "%s%s ", between,
                         parts->names[i]);
                used = strlen(parts->text);
                between = "";
            }
        }
        snprintf(parts->text + used, sizeof parts->text - used, "%s", parts->words[first]);
    }
    return words == 1 ? parts->words[0] : parts->text;
}

static bool has_word(const struct parts *parts, const char *word)
{
    for (uint32_t i = 0; i < parts->count; i++) {
        if (strcmp(parts->words[i], word) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- Denormals ------------------------------------------------------------------------------ */

/* Whether results must be correctly rounded: for 64 bits, only the precision of 32 bits is
 * required, unless a mode is declared. */
static bool is_exact(const struct topk_probe_format *format)
{
    return format->width != 64 || format->mode != MODE_NONE;
}

static const char *kept_if(bool kept, bool flushed)
{
    return kept ? "kept" : flushed ? "flushed" : "neither";
}

static void describe_denormals(const struct topk_probe_format *format, struct parts *parts)
{
    const uint64_t half = format->given[GIVEN_LEAST] / 2;
    const uint64_t denormal = format->given[GIVEN_DENORMAL];
    const uint64_t *made = format->made;
    /* 3/8 of the least normal number, times 2^10: 1.5 * 2^-2 of it, times 2^10 */
    const uint64_t scaled = format->given[GIVEN_LEAST_AND_HALF] + (UINT64_C(8) << format->fraction);
    add_part(parts, "mul",
             kept_if(made[MADE_PRODUCT] == half, topk_probe_is_zero(format, MADE_PRODUCT)));
    add_part(parts, "sub",
             kept_if(made[MADE_DIFFERENCE] == half, topk_probe_is_zero(format, MADE_DIFFERENCE)));
    add_part(parts, "add",
             kept_if(made[MADE_SUM] == denormal, topk_probe_is_zero(format, MADE_SUM)));
    add_part(parts, "scale",
             kept_if(made[MADE_SCALED] == scaled, topk_probe_is_zero(format, MADE_SCALED)));
    const bool greater = made[MADE_GREATER] != 0;
    const bool equal = made[MADE_EQUAL] != 0;
    add_part(parts, "compare",
             greater && !equal   ? "kept"
             : !greater && equal ? "flushed"
                                 : "mixed"); /* instructions may differ */
}

static void say_denormals(struct topk_probe_bench *bench, const struct topk_probe_format *format)
{
    struct parts parts = {0};
    describe_denormals(format, &parts);
    const bool copied = format->made[MADE_COPY] == format->given[GIVEN_DENORMAL];
    bool broken = !copied;
    const char *value = value_of(&parts);
    const char *demand = "OpLoad and OpStore must not flush denormals";
    if (has_word(&parts, "neither") && is_exact(format)) {
        broken = true;
        demand = "a result is neither exact nor zero";
    }
    if (format->mode == MODE_PRESERVE) {
        demand = "DenormPreserve: denormals must be preserved";
        broken = broken || strcmp(value, "kept") != 0;
    } else if (format->mode == MODE_FLUSH) {
        demand = "DenormFlushToZero: results of arithmetic must not be denormal";
        broken = broken || !topk_probe_is_zero(format, MADE_PRODUCT) ||
                 !topk_probe_is_zero(format, MADE_DIFFERENCE) ||
                 !topk_probe_is_zero(format, MADE_SUM);
    }
    topk_probe_judge(
        bench, copied ? value : "copy lost", broken ? demand : NULL,
        "%s declared; mul and sub of normal numbers, add of a denormal and 0, scale of it "
        "to a normal number, compare with 0: %s; a copy is %s",
        topk_probe_mode_name(format->mode), value, copied ? "kept" : "not kept");
}

FORMAT_PROBE(denormals, MODE_NONE, say_denormals)
FORMAT_PROBE(preserve, MODE_PRESERVE, say_denormals)
FORMAT_PROBE(flush, MODE_FLUSH, say_denormals)

/* ---- Signed zeros, infinities, NaN ---------------------------------------------------------- */

static void say_specials(struct topk_probe_bench *bench, const struct topk_probe_format *format)
{
    const uint64_t minus_zero = format->given[GIVEN_MINUS_ZERO];
    const struct {
        const char *name; /* without a space, for the list of lost ones */
        const char *text;
        bool held;
        bool demanded; /* required by the mode: applies to arithmetic, not to comparisons */
    } rules[] = {
        {"-0+0", "-0 + 0 is 0", format->made[MADE_ZERO_SUM] == 0, true},
        {"0*-1", "0 * -1 is -0", format->made[MADE_ZERO_PRODUCT] == minus_zero, true},
        {"0-0", "0 - 0 is 0", format->made[MADE_ZERO_DIFFERENCE] == 0, true},
        {"inf-inf", "inf - inf is NaN", topk_probe_is_nan(format, MADE_INFINITIES), true},
        {"inf*0", "inf * 0 is NaN", topk_probe_is_nan(format, MADE_INFINITY_ZERO), true},
        {"nan==nan", "NaN is not equal to itself", format->made[MADE_NAN_EQUAL] == 0, false},
        {"nan<1", "NaN is not ordered", format->made[MADE_NAN_ORDERED] == 0, false}};
    char lost[200] = "";
    char value[64] = "lost";
    bool broken = false;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const size_t used = strlen(lost);
        if (!rules[i].held) {
            broken = broken || (rules[i].demanded && format->mode != MODE_NONE);
            snprintf(lost + used, sizeof lost - used, "%s'%s'", used == 0 ? "" : ", ",
                     rules[i].text);
            const size_t named = strlen(value);
            snprintf(value + named, sizeof value - named, " %s", rules[i].name);
        }
    }
    topk_probe_judge(
        bench, lost[0] == 0 ? "kept" : value,
        broken ? "SignedZeroInfNanPreserve, and NoContraction: arithmetic must not ignore them"
               : NULL,
        "%s declared: signed zeros, infinities, NaN%s%s", topk_probe_mode_name(format->mode),
        lost[0] == 0 ? " as in IEEE 754" : ": these do not hold: ", lost);
}

FORMAT_PROBE(specials, MODE_NONE, say_specials)
FORMAT_PROBE(specials_declared, MODE_SPECIALS, say_specials)

/* ---- Rounding ------------------------------------------------------------------------------- */

static void say_rounding(struct topk_probe_bench *bench, const struct topk_probe_format *format)
{
    const uint64_t one = format->given[GIVEN_ONE];
    const uint64_t half = format->given[GIVEN_ONE_AND_HALF];
    const struct {
        const char *name;
        enum topk_probe_made made;
        uint64_t below; /* the tie rounds to the number below, otherwise to the next one */
        bool even_above;
    } sums[] = {{"1 + half a step", MADE_TIE_DOWN, one, false},
                {"next to 1 + half a step", MADE_TIE_UP, one + 1, true},
                {"1 + 3/4 of a step", MADE_ROUND_UP, one, true},
                {"next to 1, * 1.5", MADE_TIE_PRODUCT, half + 1, true}};
    bool to_even = true;
    bool to_zero = true;
    bool correct = true;
    char text[200] = "";
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
        const uint64_t made = format->made[sums[i].made];
        const bool above = made == sums[i].below + 1;
        const size_t used = strlen(text);
        correct = correct && (above || made == sums[i].below);
        to_even = to_even && correct && above == sums[i].even_above;
        to_zero = to_zero && correct && !above;
        snprintf(text + used, sizeof text - used, "%s%s %s", used == 0 ? "" : ", ", sums[i].name,
                 above                   ? "up"
                 : made == sums[i].below ? "down"
                                         : "neither");
    }
    const char *demand =
        !correct && is_exact(format)            ? "OpFAdd and OpFMul must be correctly rounded"
        : format->mode == MODE_EVEN && !to_even ? "RoundingModeRTE: to nearest even"
        : format->mode == MODE_ZERO && !to_zero ? "RoundingModeRTZ: towards zero"
                                                : NULL;
    topk_probe_judge(bench,
                     !correct  ? "not correctly rounded"
                     : to_even ? "to nearest even"
                     : to_zero ? "towards zero"
                               : "mixed",
                     demand, "%s declared: %s", topk_probe_mode_name(format->mode), text);
}

FORMAT_PROBE(rounding, MODE_NONE, say_rounding)
FORMAT_PROBE(rounding_even, MODE_EVEN, say_rounding)
FORMAT_PROBE(rounding_zero, MODE_ZERO, say_rounding)

/* ---- NaN ------------------------------------------------------------------------------------ */

/* Describes the result for a NaN: its bits, without the sign and the bit that marks a quiet NaN. */
static const char *nan_word(const struct topk_probe_format *format, enum topk_probe_made made,
                            enum topk_probe_given given)
{
    const uint64_t before = format->given[given];
    const uint64_t after = format->made[made] & ~topk_probe_sign(format);
    const uint64_t quiet = UINT64_C(1) << (format->fraction - 1);
    return after == before                   ? "kept"
           : after == (before | quiet)       ? "quieted"
           : topk_probe_is_nan(format, made) ? "replaced"
                                             : "lost";
}

static void say_nan_copy(struct topk_probe_bench *bench, const struct topk_probe_format *format)
{
    struct parts parts = {0};
    add_part(&parts, "quiet", nan_word(format, MADE_QUIET, GIVEN_QUIET));
    add_part(&parts, "signalling", nan_word(format, MADE_SIGNALLING, GIVEN_SIGNALLING));
    add_part(&parts, "selected", nan_word(format, MADE_SELECTED, GIVEN_SIGNALLING));
    const char *value = value_of(&parts);
    topk_probe_judge(bench, value, NULL, "NaNs with a payload, loaded and stored as floats: %s",
                     value);
}

FORMAT_PROBE(nan_copy, MODE_NONE, say_nan_copy)

/* the same for an operation that may return the number instead */
static const char *extreme_word(const struct topk_probe_format *format, enum topk_probe_made made)
{
    return format->made[made] == format->given[GIVEN_ONE] ? "number"
                                                          : nan_word(format, made, GIVEN_QUIET);
}

static void say_nan_arithmetic(struct topk_probe_bench *bench,
                               const struct topk_probe_format *format)
{
    struct parts parts = {0};
    add_part(&parts, "add", nan_word(format, MADE_QUIET_SUM, GIVEN_QUIET));
    add_part(&parts, "signalling", nan_word(format, MADE_SIGNALLING_SUM, GIVEN_SIGNALLING));
    add_part(&parts, "neg", nan_word(format, MADE_NEGATED, GIVEN_QUIET));
    add_part(&parts, "abs", nan_word(format, MADE_ABSOLUTE, GIVEN_QUIET));
    add_part(&parts, "min", extreme_word(format, MADE_LEAST));
    add_part(&parts, "max", extreme_word(format, MADE_GREATEST));
    const char *value = value_of(&parts);
    topk_probe_judge(bench, value, NULL,
                     "NaNs with a payload, add of 0, the same of a signalling one, neg, abs, min "
                     "and max with 1: %s",
                     value);
}

FORMAT_PROBE(nan_arithmetic, MODE_NONE, say_nan_arithmetic)
