/* The files of corpus/: every line is a usable case, the tables contain each line, and an error
 * message names the place of a bad line. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <glob.h>

#include "suite/group.h"

#ifndef TOPK_SOURCE_DIR
#define TOPK_SOURCE_DIR "."
#endif

static bool count(void *context, struct topk_case *tc)
{
    size_t *cases = context;
    (void)tc;
    ++*cases;
    return true;
}

/* ---- the files in the repository ------------------------------------------------------------- */

/* reads all lines before it fails, so that one run shows all errors */
static void every_line_can_be_used(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < topk_test_count(); i++) {
        const struct topk_test *test = topk_test_at(i);
        size_t cases = 0;
        struct topk_sink sink = {.take = count, .context = &cases};
        if (test->texts == NULL) {
            continue;
        }
        topk_test_enumerate(test, &sink);
        if (sink.broken[0] != 0) {
            print_error("%s\n", sink.broken);
            wrong++;
        }
        if (test->about[0] == 0) {
            print_error("%s:%u:1: a comment right above says what %s.%s shows\n",
                        test->texts[0].file, (unsigned)test->texts[0].line, test->group,
                        test->name);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

/* the row of a line; NULL if there is none */
static const struct topk_text *row_of(const char *file, uint32_t line)
{
    for (size_t i = 0; i < topk_test_count(); i++) {
        const struct topk_text *row = topk_test_at(i)->texts;
        for (; row != NULL && row->file != NULL; row++) {
            if (row->line == line && strcmp(row->file, file) == 0) {
                return row;
            }
        }
    }
    return NULL;
}

static uint32_t check_file(const char *path)
{
    const char *name = path + strlen(TOPK_SOURCE_DIR) + 1;
    FILE *file = fopen(path, "r");
    uint32_t cases = 0;
    char *line = malloc(TOPK_CASE_ID);
    assert_non_null(file);
    assert_non_null(line);
    for (uint32_t number = 1; fgets(line, TOPK_CASE_ID, file) != NULL; number++) {
        line[strcspn(line, "\r\n")] = 0;
        const struct topk_text *row = row_of(name, number);
        bool none = line[0] == 0 || line[0] == '#';
        if ((row == NULL) != none) {
            fail_msg("%s:%u:1: this line is %s the tables", name, (unsigned)number,
                     none ? "in" : "not in");
        }
        if (row != NULL) {
            size_t id = strlen(row->name);
            assert_memory_equal(line, row->name, id);
            assert_int_equal(line[id], ':');
            assert_string_equal(line + id + 1, row->text);
            cases++;
        }
    }
    fclose(file);
    free(line);
    return cases;
}

static void no_line_is_lost(void **state)
{
    (void)state;
    glob_t files;
    assert_int_equal(glob(TOPK_SOURCE_DIR "/corpus/*.txt", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        assert_true(check_file(files.gl_pathv[i]) > 0);
    }
    globfree(&files);
}

/* ---- lines that cannot be used --------------------------------------------------------------- */

#define FILE_NAME "corpus/faults.txt"
#define A_CASE    "top_k fl=2.0 in=f32[1,1,1,4] axis=3 k=3"
#define B_CASE    "top_k fl=2.0 in=f32[1,1,1,4] axis=3 k=2"

/* asserts the message for a table whose second row is this one */
static void assert_said(const char *name, const char *text, const char *said)
{
    const struct topk_test *known = topk_test_find("faults.B26", 10);
    assert_non_null(known);
    uint32_t first = known->texts[0].line;
    const struct topk_text rows[] = {
        {FILE_NAME, first, "faults.B26", A_CASE}, {FILE_NAME, 900, name, text}, {0}};
    const struct topk_test test = {"faults", "B26", "equal values", .texts = rows};
    size_t cases = 0;
    struct topk_sink sink = {.take = count, .context = &cases};
    char wanted[sizeof sink.broken];
    topk_test_enumerate(&test, &sink);
    if (said == NULL) {
        assert_string_equal(sink.broken, "");
        assert_int_equal(cases, 2);
        return;
    }
    assert_int_equal(cases, 1);
    snprintf(wanted, sizeof wanted, FILE_NAME ":900:%s", said);
    assert_memory_equal(sink.broken, wanted, strlen(wanted));
}

static void what_cannot_be_used_is_named_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *text;
        const char *said; /* its start, after file and line; NULL: no error */
    } rows[] = {
        {"faults.B26", B_CASE, NULL},
        /* columns count from the start of the line, including the id */
        {"faults.B26", "top_k fl=2.0 in=f32[1,1,1,4] axis=3 k=two", "50: "},
        {"faults.B26", "", "12: "},
        {"faults.B26", B_CASE " data=nothing.1:1", "57: "},
        {"faults.B26", B_CASE " ", "51: "},
        {"", B_CASE, "1: a case of this file starts with its id, faults.TEST:"},
        {"B26", B_CASE, "1: a case of this file starts with its id, faults.TEST:"},
        {"faults.", B_CASE, "1: a case of this file starts with its id, faults.TEST:"},
        {"fault.B26", B_CASE, "1: a case of this file starts with its id, faults.TEST:"},
        {"examples.B26", B_CASE, "1: a case of this file starts with its id, faults.TEST:"},
        {"faults.B27", B_CASE, "1: the cases of faults.B27 stand together, and nowhere else"},
        {"faults.B26", A_CASE, "1: the same case as in line "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_said(rows[i].name, rows[i].text, rows[i].said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_can_be_used),
        cmocka_unit_test(no_line_is_lost),
        cmocka_unit_test(what_cannot_be_used_is_named_with_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
