/* Floats of 16, 32 and 64 bits as bits, and what a shader computes from them, for probe_ieee.c.
 * shaders/probe_float.comp has the same order as the enumerations. */
#ifndef TOPK_VULKAN_PROBE_FLOAT_H
#define TOPK_VULKAN_PROBE_FLOAT_H

#include "probe.h"

enum topk_probe_given {
    GIVEN_LEAST, /* the least normal number */
    GIVEN_HALF,
    GIVEN_LEAST_AND_HALF, /* 1.5 times the least normal number */
    GIVEN_DENORMAL,
    GIVEN_ZERO,
    GIVEN_MINUS_ZERO,
    GIVEN_INFINITY,
    GIVEN_ONE,
    GIVEN_NEXT,      /* the number after 1 */
    GIVEN_HALF_STEP, /* half of the distance from 1 to it */
    GIVEN_MORE_THAN_HALF_STEP,
    GIVEN_ONE_AND_HALF,
    GIVEN_LARGE, /* turns the denormal into a normal number */
    GIVEN_QUIET,
    GIVEN_SIGNALLING,
    GIVEN_MINUS_ONE,
    GIVEN_COUNT
};

enum topk_probe_made {
    MADE_COPY,            /* of the denormal */
    MADE_PRODUCT,         /* of normal numbers; the result is a denormal */
    MADE_DIFFERENCE,      /* the same */
    MADE_SUM,             /* of the denormal and 0 */
    MADE_SCALED,          /* denormal times a large number */
    MADE_GREATER,         /* denormal > 0 */
    MADE_EQUAL,           /* denormal == 0 */
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
    MODE_NONE, /* none is declared */
    MODE_COUNT
};

/* A format and its numbers, as bits. */
struct topk_probe_format {
    enum topk_probe_mode mode; /* the mode in which they were computed */
    uint32_t width;
    uint32_t fraction; /* number of fraction bits */
    uint64_t given[GIVEN_COUNT];
    uint64_t made[MADE_COUNT];
};

/* "nothing", "DenormPreserve" */
const char *topk_probe_mode_name(enum topk_probe_mode mode);

/* Computes all of enum topk_probe_made in the width given by the bench's argument, with a mode that
 * is declared for this width only. Returns false, after setting the probe's result, if the device
 * lacks such floats or does not report the mode. */
bool topk_probe_compute(struct topk_probe_bench *bench, enum topk_probe_mode mode,
                        struct topk_probe_format *format);

uint64_t topk_probe_sign(const struct topk_probe_format *format);
bool topk_probe_is_zero(const struct topk_probe_format *format, enum topk_probe_made made);
bool topk_probe_is_nan(const struct topk_probe_format *format, enum topk_probe_made made);

#endif
