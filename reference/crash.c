/* Crashes: which two are the same, and their texts. */
#include "crash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "operator.h"

/* The names of modules that crash because of a caller's mistake start like this: the C library, the
 * loader, compilers' libraries, the system's. */
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

static bool outside_alike(const struct topk_crash *a, const struct topk_crash *b)
{
    return a->has_outside == b->has_outside &&
           (!a->has_outside ||
            (a->outside.access == b->outside.access && a->outside.role == b->outside.role &&
             a->outside.before == b->outside.before));
}

bool topk_crash_alike(const struct topk_crash *a, const struct topk_crash *b)
{
    const struct topk_crash_frame *x = topk_crash_site(a);
    const struct topk_crash_frame *y = topk_crash_site(b);
    if (strcmp(a->signal, b->signal) != 0 || (x == NULL) != (y == NULL) || !outside_alike(a, b)) {
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
    char outside[64] = "";
    if (crash->has_outside) {
        snprintf(outside, sizeof outside, ", %s %s of %s",
                 topk_crash_access_word(crash->outside.access),
                 crash->outside.before ? "before the start" : "behind the end",
                 topk_role_name((enum topk_role)crash->outside.role));
    }
    /* the sizes of the parts ensure that these fit */
    snprintf(text, TOPK_CRASH_TEXT, "%s%s%.160s%s", crash->signal, site == NULL ? "" : " in ",
             place, outside);
}

void topk_crash_signal_print(const struct topk_crash *crash, char text[TOPK_CRASH_TEXT])
{
    snprintf(text, TOPK_CRASH_TEXT, "%s", crash->signal);
    if (crash->has_address) {
        const size_t used = strlen(text);
        snprintf(text + used, TOPK_CRASH_TEXT - used, " at address 0x%" PRIx64, crash->address);
    }
    if (crash->has_outside) {
        char outside[TOPK_CRASH_TEXT];
        const size_t used = strlen(text);
        topk_crash_outside_print(crash, outside);
        snprintf(text + used, TOPK_CRASH_TEXT - used, ": %s", outside);
    }
}

static const char *const accesses[] = {"accesses", "reads", "writes"};
#define ACCESSES (sizeof accesses / sizeof accesses[0])

const char *topk_crash_access_word(enum topk_crash_access access)
{
    return accesses[access];
}

bool topk_crash_access_parse(const char *word, enum topk_crash_access *access)
{
    for (size_t i = 0; i < ACCESSES; i++) {
        if (strcmp(word, accesses[i]) == 0) {
            *access = (enum topk_crash_access)i;
            return true;
        }
    }
    return false;
}

void topk_crash_outside_print(const struct topk_crash *crash, char text[TOPK_CRASH_TEXT])
{
    const struct topk_crash_outside *outside = &crash->outside;
    text[0] = 0;
    if (!crash->has_outside) {
        return;
    }
    const char *access = topk_crash_access_word(outside->access);
    const char *side = outside->before ? "before the start" : "behind the end";
    const char *role = topk_role_name((enum topk_role)outside->role);
    if (outside->bytes == 0) {
        snprintf(text, TOPK_CRASH_TEXT, "%s right %s of %s", access, side, role);
    } else {
        snprintf(text, TOPK_CRASH_TEXT, "%s %" PRIu64 " byte%s %s of %s", access, outside->bytes,
                 outside->bytes == 1 ? "" : "s", side, role);
    }
}
