/* Crashes: which two are the same, and their texts. */
#include "support.h"

#include "reference/crash.h"
#include "reference/operator.h"

/* a crash with frames in these modules, ended by NULL; frame i has offset 0x10 * (i + 1) */
static struct topk_crash crash_in(const char *signal, const char *const *modules)
{
    struct topk_crash crash;
    memset(&crash, 0, sizeof crash);
    snprintf(crash.signal, sizeof crash.signal, "%s", signal);
    while (modules[crash.frame_count] != NULL) {
        struct topk_crash_frame *frame = &crash.frames[crash.frame_count];
        snprintf(frame->module, sizeof frame->module, "%s", modules[crash.frame_count]);
        crash.frame_count++;
        frame->offset = UINT64_C(0x10) * crash.frame_count;
    }
    return crash;
}

/* the number of the frame that is the site; -1: none */
static int site_of(const char *signal, const char *const *modules)
{
    const struct topk_crash crash = crash_in(signal, modules);
    const struct topk_crash_frame *site = topk_crash_site(&crash);
    return site == NULL ? -1 : (int)(site - crash.frames);
}

static void the_site_is_outside_of_the_c_library(void **state)
{
    (void)state;
    static const struct {
        const char *signal;
        const char *modules[6];
        int site;
    } rows[] = {
        {"SIGSEGV", {NULL}, -1},
        {"SIGSEGV", {"mine.so", "topk-backend", NULL}, 0},
        {"SIGABRT", {"libc.so.6", "libc.so.6", "libc.so.6", "mine.so", NULL}, 3},
        {"SIGSEGV", {"libc-2.31.so", "libstdc++.so.6", "libmine.so", NULL}, 2},
        {"SIGABRT", {"msvcrt.dll", "msvcrt.dll", "mine.dll", "kernel32.dll", NULL}, 2},
        /* a call to an address without code, or code that was made at run time */
        {"SIGSEGV", {TOPK_CRASH_UNKNOWN, "mine.so", NULL}, 1},
        {"SIGSEGV", {TOPK_CRASH_UNKNOWN, NULL}, 0},
        {"SIGSEGV", {"libc.so.6", "ld-linux-x86-64.so.2", NULL}, 0},
        /* libraries with similar names */
        {"SIGSEGV", {"libcrypto.so.3", "mine.so", NULL}, 0},
        {"SIGSEGV", {"libmine.so", NULL}, 0},
        {"SIGSEGV", {"ldap.so", NULL}, 0},
        /* independent of what hits the limit of the stack */
        {TOPK_CRASH_OVERFLOW, {"mine.so", "mine.so", "mine.so", NULL}, 1},
        {TOPK_CRASH_OVERFLOW, {"mine.so", "libc.so.6", "mine.so", NULL}, 2},
        {TOPK_CRASH_OVERFLOW, {"mine.so", NULL}, 0},
        {TOPK_CRASH_OVERFLOW, {NULL}, -1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const int site = site_of(rows[i].signal, rows[i].modules);
        if (site != rows[i].site) {
            fail_msg("row %zu: frame %d", i, site);
        }
    }
}

static void crashes_are_alike_by_signal_and_site(void **state)
{
    (void)state;
    static const char *const direct[] = {"mine.so", "topk-backend", NULL};
    static const char *const nothing[] = {NULL};
    const struct topk_crash one = crash_in("SIGSEGV", direct);
    struct topk_crash other = one;
    assert_true(topk_crash_alike(&one, &other));
    /* properties that differ from run to run, or by caller */
    other.has_address = true;
    other.address = 7;
    other.frames[1].offset++;
    other.frame_count = 1;
    assert_true(topk_crash_alike(&one, &other));
    other.has_outside = true;
    assert_false(topk_crash_alike(&one, &other));
    struct topk_crash third = other;
    third.outside.bytes++;
    assert_true(topk_crash_alike(&third, &other));
    third.outside.role = TOPK_INDEX;
    assert_false(topk_crash_alike(&third, &other));
    third = other;
    third.outside.access = TOPK_CRASH_WRITES;
    assert_false(topk_crash_alike(&third, &other));
    third = other;
    third.outside.before = !other.outside.before;
    assert_false(topk_crash_alike(&third, &other));
    other.has_outside = false;
    other.frames[0].offset++;
    assert_false(topk_crash_alike(&one, &other));
    other = crash_in("SIGBUS", direct);
    assert_false(topk_crash_alike(&one, &other));
    other = one;
    snprintf(other.frames[0].module, sizeof other.frames[0].module, "other.so");
    assert_false(topk_crash_alike(&one, &other));
    other = crash_in("SIGSEGV", nothing);
    assert_false(topk_crash_alike(&one, &other));
    assert_false(topk_crash_alike(&other, &one));
    assert_true(topk_crash_alike(&other, &other));
}

static void a_crash_is_told_in_words(void **state)
{
    (void)state;
    static const char *const modules[] = {"mine.so", TOPK_CRASH_UNKNOWN, NULL};
    struct topk_crash crash = crash_in("SIGSEGV", modules);
    char text[TOPK_CRASH_TEXT];
    topk_crash_signal_print(&crash, text);
    assert_string_equal(text, "SIGSEGV");
    crash.has_address = true;
    crash.address = UINT64_MAX;
    topk_crash_signal_print(&crash, text);
    assert_string_equal(text, "SIGSEGV at address 0xffffffffffffffff");
    topk_crash_frame_print(&crash.frames[0], text);
    assert_string_equal(text, "mine.so+0x10");
    topk_crash_frame_print(&crash.frames[1], text);
    assert_string_equal(text, "code of no known module");
    snprintf(crash.frames[0].symbol, sizeof crash.frames[0].symbol, "topk_run");
    crash.frames[0].symbol_offset = 8;
    topk_crash_site_print(&crash, text);
    assert_string_equal(text, "SIGSEGV in mine.so+0x10 (topk_run+0x8)");
    crash.has_outside = true;
    crash.outside = (struct topk_crash_outside){TOPK_CRASH_READS, TOPK_INPUT, false, 4};
    topk_crash_site_print(&crash, text);
    assert_string_equal(text,
                        "SIGSEGV in mine.so+0x10 (topk_run+0x8), reads behind the end of input");
    topk_crash_signal_print(&crash, text);
    assert_string_equal(
        text, "SIGSEGV at address 0xffffffffffffffff: reads 4 bytes behind the end of input");
    crash.outside = (struct topk_crash_outside){TOPK_CRASH_WRITES, TOPK_VALUE, true, 1};
    topk_crash_outside_print(&crash, text);
    assert_string_equal(text, "writes 1 byte before the start of value");
    topk_crash_site_print(&crash, text);
    assert_string_equal(text,
                        "SIGSEGV in mine.so+0x10 (topk_run+0x8), writes before the start of value");
    crash.outside = (struct topk_crash_outside){TOPK_CRASH_ACCESSES, TOPK_INDEX, false, 0};
    topk_crash_outside_print(&crash, text);
    assert_string_equal(text, "accesses right behind the end of index");
    crash.has_outside = false;
    topk_crash_outside_print(&crash, text);
    assert_string_equal(text, "");
    crash.frame_count = 0;
    topk_crash_site_print(&crash, text);
    assert_string_equal(text, "SIGSEGV");
    /* the longest text is not truncated */
    crash.frame_count = 1;
    memset(crash.signal, 'S', sizeof crash.signal - 1);
    memset(crash.frames[0].module, 'm', sizeof crash.frames[0].module - 1);
    memset(crash.frames[0].symbol, 's', sizeof crash.frames[0].symbol - 1);
    crash.frames[0].offset = UINT64_MAX;
    crash.frames[0].symbol_offset = UINT64_MAX;
    topk_crash_site_print(&crash, text);
    assert_int_equal(text[strlen(text) - 1], ')');
    crash.has_outside = true;
    topk_crash_site_print(&crash, text);
    assert_non_null(strstr(text, "), accesses behind the end of index"));
}

static void words_of_accesses(void **state)
{
    (void)state;
    static const enum topk_crash_access all[] = {TOPK_CRASH_ACCESSES, TOPK_CRASH_READS,
                                                 TOPK_CRASH_WRITES};
    enum topk_crash_access access;
    for (size_t i = 0; i < COUNT(all); i++) {
        assert_true(topk_crash_access_parse(topk_crash_access_word(all[i]), &access));
        assert_int_equal(access, all[i]);
    }
    assert_false(topk_crash_access_parse("read", &access));
    assert_false(topk_crash_access_parse("", &access));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_site_is_outside_of_the_c_library),
        cmocka_unit_test(crashes_are_alike_by_signal_and_site),
        cmocka_unit_test(a_crash_is_told_in_words),
        cmocka_unit_test(words_of_accesses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
