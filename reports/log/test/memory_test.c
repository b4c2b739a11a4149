/* Text that grows, and that memory ran out is never forgotten. */
#define _POSIX_C_SOURCE 200809L /* access, getpid */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "log/log.h"

#define LINES 5000

static void text_grows(void **state)
{
    char *text = NULL;
    size_t size = 0;
    (void)state;
    FILE *out = topk_memory_stream(&text, &size);
    assert_non_null(out);
    for (int i = 0; i < LINES; i++) {
        fprintf(out, "%06d\n", i);
    }
    assert_int_equal(fclose(out), 0);
    assert_int_equal(size, 7 * LINES);
    assert_int_equal(strlen(text), size);
    for (int i = 0; i < LINES; i++) {
        assert_int_equal(strtol(text + (size_t)(7 * i), NULL, 10), i);
    }
    free(text);
}

static void no_text_is_empty(void **state)
{
    char *text = NULL;
    size_t size = 1;
    (void)state;
    FILE *out = topk_memory_stream(&text, &size);
    assert_non_null(out);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(size, 0);
    assert_string_equal(text, "");
    free(text);
}

#ifndef TOPK_SANITIZED /* which end the program where so much is asked for */
/* Where memory is bound, one failure makes all further allocations fail: one that a library does
 * not check must not be followed by one that succeeds. */
static void one_failure_is_followed_by_others(void **state)
{
    (void)state;
    topk_memory_bound(SIZE_MAX);
    assert_null(topk_memory_get(SIZE_MAX / 2));
    assert_null(topk_memory_get(1));
    assert_false(topk_memory_unbound());
    void *memory = topk_memory_get(1);
    assert_non_null(memory);
    free(memory);
    topk_memory_bound(1);
    memory = topk_memory_get(1);
    assert_non_null(memory);
    free(memory);
    topk_memory_unbound();
}

/* From then on it is short. No report takes its place any more, whole as it may be */
static void short_for_good(void **state)
{
    char error[512] = "";
    char path[64];
    struct topk_output output;
    (void)state;
    topk_memory_watch();
    assert_false(topk_memory_short());
    assert_null(topk_memory_get(SIZE_MAX / 2));
    assert_true(topk_memory_short());
    json_t *json = json_string("well");
    assert_non_null(json);
    json_decref(json);
    assert_true(topk_memory_short());
    snprintf(path, sizeof path, "/tmp/memory-test-%ld", (long)getpid());
    assert_true(topk_output_open(&output, path, TOPK_OUTPUT_NEW, error, sizeof error));
    fputs("text", output.file);
    assert_false(topk_output_close(&output, true, error, sizeof error));
    assert_non_null(strstr(error, "Cannot allocate memory"));
    assert_int_not_equal(access(path, F_OK), 0);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_grows),
        cmocka_unit_test(no_text_is_empty),
#ifndef TOPK_SANITIZED
        cmocka_unit_test(short_for_good),
        cmocka_unit_test(one_failure_is_followed_by_others),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
