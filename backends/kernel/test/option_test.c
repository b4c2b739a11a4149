/* The options of a backend: which are accepted, and the message for each kind of error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/option.h"

struct taken {
    char text[256]; /* "key=value;" for each */
};

static bool take(void *context, const char *key, const char *value)
{
    struct taken *taken = context;
    const size_t used = strlen(taken->text);
    snprintf(taken->text + used, sizeof taken->text - used, "%s=%.8s;", key, value);
    return strcmp(key, "unknown") != 0;
}

static void all_are_taken(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"", ""},
        {"a=1", "a=1;"},
        {"a", "a=;"},
        {"a=", "a=;"},
        {"a=1,b,aa=2,c==", "a=1;b=;aa=2;c==;"},
        {"ab=a,a=b", "ab=a;a=b;"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct taken taken = {""};
        char error[256] = "";
        assert_true(topk_options_read(rows[i][0], take, &taken, "a, b", error, sizeof error));
        assert_string_equal(taken.text, rows[i][1]);
    }
}

static void wrong_ones_are_named(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"unknown=1", "option 'unknown=1' is not understood; the options are a, b"},
        {"a,unknown,b", "option 'unknown' is not understood; the options are a, b"},
        {"a=1,a=2", "option 'a' is given twice in 'a=1,a=2'"},
        {"a=1,b,a", "option 'a' is given twice in 'a=1,b,a'"},
        {",", "an option is missing beside a comma of ','; the options are a, b"},
        {"a=1,", "an option is missing beside a comma of 'a=1,'; the options are a, b"},
        {",a=1", "an option is missing beside a comma of ',a=1'; the options are a, b"},
        {"a=1,,b", "an option is missing beside a comma of 'a=1,,b'; the options are a, b"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct taken taken = {""};
        char error[256] = "";
        assert_false(topk_options_read(rows[i][0], take, &taken, "a, b", error, sizeof error));
        assert_string_equal(error, rows[i][1]);
    }
}

/* an option that is too long is not truncated to another one */
static void long_ones_are_refused(void **state)
{
    (void)state;
    struct taken taken = {""};
    char error[256] = "";
    char text[4097];
    memset(text, 'x', sizeof text - 1);
    memcpy(text, "a=", 2);
    text[sizeof text - 1] = 0;
    assert_false(topk_options_read(text, take, &taken, "a, b", error, sizeof error));
    assert_string_equal(error, "an option has 4096 bytes, and 4095 are allowed");
    text[sizeof text - 2] = 0;
    assert_true(topk_options_read(text, take, &taken, "a, b", error, sizeof error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_taken),
        cmocka_unit_test(wrong_ones_are_named),
        cmocka_unit_test(long_ones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
