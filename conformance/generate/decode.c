/* Turns byte strings into cases. */
#include "decode.h"

#include <string.h>

/* Larger cases find few more faults, and far fewer run per second. */
const struct topk_limits topk_decode_limits = {.elements = 2048, .bytes = (uint64_t)1 << 18};
/* the same for a case whose call is repeated a hundred times */
#define SOAK_ELEMENTS 64u
/* the same for an alignment, because the guard has as many bytes */
#define ALIGNMENT_MAX 4096u

static bool soaks_long(const struct topk_case *tc)
{
    return tc->check == TOPK_CHECK_SOAK &&
           topk_tensor_elements(&tc->op.tensors[TOPK_INPUT]) > SOAK_ELEMENTS;
}

/* whether a number is small, or so large that the case is not run */
static bool bounded(uint64_t number, uint64_t most, uint64_t too_large)
{
    return number <= most || number > too_large;
}

static bool within_limits(const struct topk_case *tc)
{
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const struct topk_tensor *tensor = &tc->op.tensors[role];
        const uint64_t most = topk_decode_limits.bytes;
        if (!bounded(topk_tensor_elements(tensor), topk_decode_limits.elements,
                     TOPK_CASE_ELEMENTS) ||
            !bounded(topk_tensor_least_bytes(tensor), most, TOPK_CASE_BYTES) ||
            !bounded(tensor->total_bytes, most, TOPK_CASE_BYTES) ||
            !bounded(tc->offset[role], most, TOPK_CASE_BYTES)) {
            return false;
        }
    }
    return true;
}

/* whether a fuzzer can run every call */
static bool all_within(const struct topk_case *tc)
{
    bool all = true;
    for (uint32_t i = 1; i <= tc->before_count + 1; i++) {
        const struct topk_case *call = topk_case_call(tc, i);
        all = all && within_limits(call) && !soaks_long(call);
    }
    return all;
}

bool topk_decode_like_text(const unsigned char *bytes, size_t length)
{
    return length >= 5 && memcmp(bytes, "top_k", 5) == 0;
}

static bool decode_text(const unsigned char *bytes, size_t length, struct topk_case *tc)
{
    struct topk_case_error error;
    const char *text = (const char *)bytes;
    if (!topk_decode_like_text(bytes, length)) {
        return false;
    }
    const char *end = memchr(text, '\n', length);
    if (!topk_case_parse(text, end == NULL ? length : (size_t)(end - text), tc, &error)) {
        return false;
    }
    if (!all_within(tc)) {
        topk_case_clear(tc);
        return false;
    }
    return true;
}

/* reduces a drawn call to what a fuzzer can run */
static void limit_call(struct topk_case *tc)
{
    if (soaks_long(tc)) {
        tc->check = TOPK_CHECK_REPEAT;
    }
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        uint32_t *alignment = &tc->op.tensors[role].alignment;
        /* an alignment that is no power of two stays: it must be refused */
        if (*alignment > ALIGNMENT_MAX && (*alignment & (*alignment - 1)) == 0) {
            *alignment = ALIGNMENT_MAX;
        }
    }
}

bool topk_case_decode_choices(struct topk_choice *choice, struct topk_case *tc)
{
    if (!topk_generate_calls(choice, &topk_decode_limits, tc)) {
        return false;
    }
    for (uint32_t i = 0; i < tc->before_count; i++) {
        limit_call(&tc->before[i]);
    }
    limit_call(tc);
    return true;
}

void topk_decode_draw(struct topk_choice *choice)
{
    struct topk_case tc;
    if (topk_case_decode_choices(choice, &tc)) {
        topk_case_clear(&tc);
    }
}

bool topk_case_decode(const unsigned char *bytes, size_t length, struct topk_case *tc)
{
    struct topk_choice choice;
    if (decode_text(bytes, length, tc)) {
        return true;
    }
    topk_choice_bytes(&choice, bytes, length);
    return topk_case_decode_choices(&choice, tc);
}

uint32_t topk_decode_version(void)
{
    static char text[TOPK_CASE_TEXT];
    uint32_t digest = 2166136261u; /* FNV-1a of the texts of some cases */
    for (uint64_t i = 0; i < 512; i++) {
        unsigned char bytes[128];
        struct topk_pcg pcg;
        struct topk_case tc;
        topk_pcg_seed(&pcg, 1, i);
        for (size_t b = 0; b < sizeof bytes; b++) {
            bytes[b] = (unsigned char)topk_pcg_below(&pcg, 256);
        }
        if (!topk_case_decode(bytes, sizeof bytes, &tc)) {
            return 0;
        }
        topk_case_print(&tc, text, sizeof text);
        topk_case_clear(&tc);
        for (const char *c = text; *c != 0; c++) {
            digest = (digest ^ (unsigned char)*c) * 16777619u;
        }
    }
    return digest;
}
