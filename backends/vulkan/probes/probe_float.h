/* Floats of 16, 32 and 64 bits as bits, and what a shader makes of them: what probe_ieee.c looks
 * at. shaders/probe_float.comp has the order of the enumerations. */
#ifndef TOPK_VULKAN_PROBE_FLOAT_H
#define TOPK_VULKAN_PROBE_FLOAT_H

#include "probe.h"

enum topk_probe_given {
    GIVEN_LEAST, /* the least normal number */
    GIVEN_HALF,
    GIVEN_LEAST_AND_HALF, /* 1.5 times the least */
    GIVEN_DENORMAL,
    GIVEN_ZERO,
    GIVEN_MINUS_ZERO,
    GIVEN_INFINITY,
    GIVEN_ONE,
    GIVEN_NEXT,      /* behind 1 */
    GIVEN_HALF_STEP, /* from 1 to it */
    GIVEN_MORE_THAN_HALF_STEP,
    GIVEN_ONE_AND_HALF,
    GIVEN_LARGE, /* makes the denormal a normal number */
    GIVEN_QUIET,
    GIVEN_SIGNALLING,
    GIVEN_MINUS_ONE,
    GIVEN_COUNT
};

enum topk_probe_made {
    MADE_COPY,            /* of the denormal */
    MADE_PRODUCT,         /* normal numbers, denormal result */
    MADE_DIFFERENCE,      /* the same */
    MADE_SUM,             /* of the denormal and 0 */
    MADE_SCALED,          /* denormal times a large number */
    MADE_GREATER,         /* the denormal than 0 */
    MADE_EQUAL,           /* the denormal and 0 */
    MADE_ZERO_SUM,        /* -0 + 0 */
    MADE_ZERO_PRODUCT,    /* 0 * -1 */
    MADE_INFINITIES,      /* inf - inf */
    MADE_NAN_EQUAL,       /* NaN == itself */
    MADE_INFINITY_ZERO,   /* inf * 0 */
    MADE_ZERO_DIFFERENCE, /* 0 - 0 */
    MADE_NAN_ORDERED,     /* NaN < 1 or NaN >= 1 */
    MADE_TIE_DOWN,        /* 1 + half a step: a tie, and the even number is below */
    MADE_TIE_UP,          /* next + half a step: a tie, and the even number is above */
    MADE_ROUND_UP,        /* 1 + more than half a step */
    MADE_TIE_PRODUCT,     /* next * 1.5: a tie, and the even number is above */
    MADE_QUIET,
    MADE_SIGNALLING,
    MADE_SELECTED,  /* the signalling NaN */
    MADE_QUIET_SUM, /* of a NaN and 0 */
    MADE_SIGNALLING_SUM,
    MADE_NEGATED,
    MADE_ABSOLUTE,
    MADE_LEAST,    /* of a NaN and 1 */
    MADE_GREATEST, /* of 1 and a NaN */
    MADE_COUNT
};

/* A mode of SPV_KHR_float_controls. */
enum topk_probe_mode {
    MODE_PRESERVE,
    MODE_FLUSH,
    MODE_SPECIALS,
    MODE_EVEN,
    MODE_ZERO,
    MODE_NONE, /* is declared */
    MODE_COUNT
};

/* A format and its numbers, as bits. */
struct topk_probe_format {
    enum topk_probe_mode mode; /* in which they were made */
    uint32_t width;
    uint32_t fraction; /* bits of it */
    uint64_t given[GIVEN_COUNT];
    uint64_t made[MADE_COUNT];
};

/* "nothing", "DenormPreserve" */
const char *topk_probe_mode_name(enum topk_probe_mode mode);

/* Computes all of enum topk_probe_made in the width that is the argument of the bench, with a mode
 * declared for this width alone. False after the probe says why not: the device has no such floats,
 * or does not report the mode. */
bool topk_probe_compute(struct topk_probe_bench *bench, enum topk_probe_mode mode,
                        struct topk_probe_format *format);

uint64_t topk_probe_sign(const struct topk_probe_format *format);
bool topk_probe_is_zero(const struct topk_probe_format *format, enum topk_probe_made made);
bool topk_probe_is_nan(const struct topk_probe_format *format, enum topk_probe_made made);

#endif
