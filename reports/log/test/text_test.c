/* Texts that a terminal and a reader can be shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "log/text.h"

/* what one of the functions prints, of at most 199 bytes */
static void print_to(char printed[200], void (*print)(FILE *out, const char *text),
                     const char *text)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    print(file, text);
    rewind(file);
    size_t length = fread(printed, 1, 199, file);
    printed[length] = 0;
    assert_int_equal(fclose(file), 0);
}

static void what_a_terminal_obeys_is_no_more(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *tame;
        const char *line;
        const char *lines; /* NULL: as line */
    } rows[] = {
        {"", "", "", NULL},
        {"plain ~", "plain ~", "plain ~", NULL},
        {"a\nb\tc\r\n", "a?b?c??", "a\\x0ab\\x09c\\x0d\\x0a", "a\nb\tc\\x0d\n"},
        {"\x1b[31mred\x1b]0;title\a\x7f\b", "?[31mred?]0;title???",
         "\\x1b[31mred\\x1b]0;title\\x07\\x7f\\x08", NULL},
        /* C1: CSI as a character, and as the byte of an 8-bit terminal */
        {"\xc2\x9b"
         "31m \x9b"
         "31m \xc2\x80\xc2\x9f",
         "?31m ?31m ??", "\\xc2\\x9b31m \\x9b31m \\xc2\\x80\\xc2\\x9f", NULL},
        {"\xc2\xa0\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xba",
         "\xc2\xa0\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xba",
         "\xc2\xa0\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xba", NULL},
        /* cut, too long, a surrogate, beyond the last */
        {"\xc3", "?", "\\xc3", NULL},
        {"\xf0\x9f\x90", "???", "\\xf0\\x9f\\x90", NULL},
        {"\xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80", "?? ??? ????",
         "\\xc0\\xaf \\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s", rows[i].text);
        topk_text_tame(text);
        assert_string_equal(text, rows[i].tame);
        print_to(text, topk_text_print, rows[i].text);
        assert_string_equal(text, rows[i].line);
        print_to(text, topk_text_print_lines, rows[i].text);
        assert_string_equal(text, rows[i].lines == NULL ? rows[i].line : rows[i].lines);
    }
}

static void words_for_a_shell(void **state)
{
    (void)state;
    static const struct {
        const char *text, *shown, *exact;
    } rows[] = {
        {"", "''", "''"},
        {"a b", "'a b'", "'a b'"},
        {"it's \\", "'it'\\''s \\'", "'it'\\''s \\'"},
        {"a\u202e'\\", "$'a\\xe2\\x80\\xae\\'\\\\'", "'a\u202e'\\''\\'"},
        {"\n\xff", "$'\\x0a\\xff'", "'\n\xff'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *shown = topk_text_shell(rows[i].text);
        char *exact = topk_text_shell_exact(rows[i].text);
        assert_string_equal(shown, rows[i].shown);
        assert_string_equal(exact, rows[i].exact);
        free(shown);
        free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_terminal_obeys_is_no_more),
        cmocka_unit_test(words_for_a_shell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
