/* Crashes: which two are one. */
#include "crash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Modules start so that are called with what others got wrong: the C library, the loader,
 * compilers' libraries, the system's. */
static const char *const libraries[] = {
    TOPK_CRASH_UNKNOWN, "libc.",    "libc-",     "libpthread", "libm.",       "libm-",
    "libgcc_s",         "libstdc+", "libc++",    "ld-",        "linux-vdso",  "ntdll.",
    "kernel32.",        "msvcrt.",  "ucrtbase.", "vcruntime",  "kernelbase.", "msvcp",
};

static bool is_library(const struct topk_crash_frame *frame)
{
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        if (strncmp(frame->module, libraries[i], strlen(libraries[i])) == 0) {
            return true;
        }
    }
    return false;
}

const struct topk_crash_frame *topk_crash_site(const struct topk_crash *crash)
{
    const bool overflow = strcmp(crash->signal, TOPK_CRASH_OVERFLOW) == 0;
    const uint32_t first = overflow && crash->frame_count > 1 ? 1 : 0;
    for (uint32_t i = first; i < crash->frame_count; i++) {
        if (!is_library(&crash->frames[i])) {
            return &crash->frames[i];
        }
    }
    return crash->frame_count > 0 ? &crash->frames[first] : NULL;
}

bool topk_crash_alike(const struct topk_crash *a, const struct topk_crash *b)
{
    const struct topk_crash_frame *x = topk_crash_site(a);
    const struct topk_crash_frame *y = topk_crash_site(b);
    if (strcmp(a->signal, b->signal) != 0 || (x == NULL) != (y == NULL)) {
        return false;
    }
    return x == NULL || (x->offset == y->offset && strcmp(x->module, y->module) == 0);
}

void topk_crash_frame_print(const struct topk_crash_frame *frame, char text[TOPK_CRASH_TEXT])
{
    if (strcmp(frame->module, TOPK_CRASH_UNKNOWN) == 0) {
        snprintf(text, TOPK_CRASH_TEXT, "code of no known module");
    } else if (frame->symbol[0] == 0) {
        snprintf(text, TOPK_CRASH_TEXT, "%s+0x%" PRIx64, frame->module, frame->offset);
    } else {
        snprintf(text, TOPK_CRASH_TEXT, "%s+0x%" PRIx64 " (%s+0x%" PRIx64 ")", frame->module,
                 frame->offset, frame->symbol, frame->symbol_offset);
    }
}

void topk_crash_site_print(const struct topk_crash *crash, char text[TOPK_CRASH_TEXT])
{
    const struct topk_crash_frame *site = topk_crash_site(crash);
    char place[TOPK_CRASH_TEXT] = "";
    if (site != NULL) {
        topk_crash_frame_print(site, place);
    }
    /* the two fit: see the rooms of their parts */
    snprintf(text, TOPK_CRASH_TEXT, "%s%s%.200s", crash->signal, site == NULL ? "" : " in ", place);
}

void topk_crash_signal_print(const struct topk_crash *crash, char text[TOPK_CRASH_TEXT])
{
    snprintf(text, TOPK_CRASH_TEXT, "%s", crash->signal);
    if (crash->has_address) {
        const size_t used = strlen(text);
        snprintf(text + used, TOPK_CRASH_TEXT - used, " at address 0x%" PRIx64, crash->address);
    }
}
