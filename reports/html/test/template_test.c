/* Templates: each tag, with what there is and what there is not, texts that would be markup, and
 * templates that are wrong. */
#define _XOPEN_SOURCE 700 /* open_memstream */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "html/template.h"

static const char evil[] = "</script><b onclick='x'>\"&amp; \x01 \xe2\x80\xae]]> ` | @all {{n}}";

/* what a template makes of a value, which is taken; NULL if it is wrong */
static char *made(const char *text, json_t *value)
{
    char *result = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&result, &size);
    assert_non_null(out);
    assert_non_null(value);
    bool ok = topk_template_write(out, text, value);
    assert_int_equal(fclose(out), 0);
    json_decref(value);
    if (!ok) {
        free(result);
    }
    return ok ? result : NULL;
}

static void expect(const char *text, json_t *value, const char *expected)
{
    char *result = made(text, value);
    assert_non_null(result);
    assert_string_equal(result, expected);
    free(result);
}

static void values_are_put_in(void **state)
{
    (void)state;
    expect("", json_object(), "");
    expect("a { b } {{", json_object(), "a { b } {{");
    expect("<{{n}}> {{ n}}{{none}} {{n}}{{s}}", json_pack("{s:i,s:s}", "n", 7, "s", "text"),
           "<7>  7text");
    expect("{{a.b.c}}{{a.x.c}}{{a.b}}{{.}}", json_pack("{s:{s:{s:s}}}", "a", "b", "c", "deep"),
           "deep");
    expect("{{t}}{{f}}{{z}}", json_pack("{s:b,s:b,s:n}", "t", 1, "f", 0, "z"), "");
}

/* of what failing cases share, the page says what the report does, and no more */
static void conditions_are_shown_as_far_as_they_are_known(void **state)
{
    (void)state;
    char *whole =
        made("{{>bugs.html}}",
             json_pack("{s:[{s:s, s:i, s:s, s:s, s:{s:s}, s:{s:s, s:s}, s:[i, i]}]}", "bugs",
                       "sentence", "fails only where rank>=5", "count", 61600, "cause",
                       "possible cause: index is <flat>", "clause", "S06", "fresh", "sentence",
                       "fresh cases: 11 of 12 such cases fail", "example", "id", "top_k x",
                       "replay", "topk-cts replay 'top_k x'", "causes", 3, 7));
    assert_non_null(whole);
    assert_non_null(strstr(whole, ">61\u202f600</span> fails only where rank&#62;=5</p>"));
    assert_non_null(
        strstr(whole, "<p>possible cause: index is &#60;flat&#62; (<a href=\"#clause-S06\">"));
    assert_non_null(strstr(whole, "Tried with fresh cases: 11 of 12 such cases fail.</p>"));
    assert_non_null(strstr(whole, "<pre>topk-cts replay &#39;top_k x&#39;</pre>"));
    assert_non_null(strstr(whole, "<a href=\"#cases?group=7\">cause 7</a>"));
    free(whole);
    char *least = made("{{>bugs.html}}", json_pack("{s:[{s:s, s:i}]}", "bugs", "sentence",
                                                   "fails anywhere", "count", 2));
    assert_non_null(least);
    assert_non_null(strstr(least, "2</span> fails anywhere</p>"));
    assert_null(strstr(least, "possible cause"));
    assert_null(strstr(least, "fresh"));
    assert_null(strstr(least, "<pre>"));
    assert_null(strstr(least, "href"));
    free(least);
}

static void thousands_are_set_apart(void **state)
{
    (void)state;
    expect("{{+a}} {{+b}} {{b}} {{+c}} {{+d}}",
           json_pack("{s:i,s:i,s:i,s:s}", "a", 1234, "b", 12345, "c", 1234567, "d",
                     "18446744073709551615"),
           "1234 12\u202f345 12345 1\u202f234\u202f567 18446744073709551615");
}

static void lists_are_gone_through(void **state)
{
    (void)state;
    json_t *value = json_pack("{s:s,s:[{s:i},{s:i,s:[s,s]}],s:[]}", "x", "out", "list", "n", 1, "n",
                              2, "inner", "p", "q", "none");
    expect("{{#list}}({{n}}{{x}}{{#inner}}[{{.}}{{n}}]{{/inner}}){{/list}}{{#none}}!{{/none}}",
           value, "(1out)(2out[p2][q2])");
    expect("{{#o}}{{a}}{{b}}{{/o}}{{#o.*}}{{key}}={{value}};{{/o.*}}{{#none.*}}!{{/none.*}}",
           json_pack("{s:i,s:{s:i,s:s}}", "b", 9, "o", "a", 1, "z", "t"), "19a=1;z=t;");
}

static void something_and_nothing(void **state)
{
    static const char *const nothing[] = {"{}",        "{\"v\":null}", "{\"v\":false}",
                                          "{\"v\":0}", "{\"v\":\"\"}", "{\"v\":[]}",
                                          "{\"v\":{}}"};
    static const char *const some[] = {"{\"v\":true}", "{\"v\":-1}", "{\"v\":\"0\"}", "{\"v\":[0]}",
                                       "{\"v\":{\"v\":0}}"};
    (void)state;
    for (size_t i = 0; i < sizeof nothing / sizeof nothing[0]; i++) {
        expect("{{?v}}yes{{?v}}!{{/v}}{{/v}}{{^v}}no{{^v}}!{{/v}}{{/v}}.",
               json_loads(nothing[i], 0, NULL), "no!.");
    }
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        expect("{{?v}}yes{{?v}}!{{/v}}{{/v}}{{^v}}no{{^v}}!{{/v}}{{/v}}.",
               json_loads(some[i], 0, NULL), "yes!.");
    }
}

static void text_becomes_no_markup(void **state)
{
    (void)state;
    expect(
        "{{v}}", json_pack("{s:s}", "v", evil),
        "&#60;/script&#62;&#60;b onclick=&#39;x&#39;&#62;&#34;&#38;amp; \\u0001 \\u202e]]&#62; ` | "
        "@all {{n}}");
    expect("{{@v}}", json_pack("{s:{s:s}}", "v", "<k&>", evil),
           "{\"\\u003ck\\u0026\\u003e\":\"\\u003c/script\\u003e\\u003cb onclick='x'\\u003e\\\""
           "\\u0026amp; \\\\u0001 \\\\u202e]]\\u003e ` | @all {{n}}\"}");
    char *html = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&html, &size);
    assert_non_null(out);
    topk_html_text(out, "\xff\xc3\n\t\x7f\xc2\x85\xef\xbf\xbe\xe2\x81\xa6\xd8\x9c\xc4\xbc");
    assert_int_equal(fclose(out), 0);
    assert_string_equal(html, "\\xff\\xc3\n\t\\u007f\\u0085\\ufffe\\u2066\\u061c\xc4\xbc");
    free(html);
}

static void long_texts_are_cut(void **state)
{
    char text[TOPK_HTML_SHOWN + 8];
    char expected[sizeof text + 64];
    (void)state;
    memset(text, 'a', sizeof text);
    text[TOPK_HTML_SHOWN] = 0;
    expect("{{v}}", json_pack("{s:s}", "v", text), text);
    snprintf(expected, sizeof expected, "%s... (%d characters)", text, TOPK_HTML_SHOWN + 1);
    memcpy(text + TOPK_HTML_SHOWN, "a", 2);
    expect("{{v}}", json_pack("{s:s}", "v", text), expected);
    memcpy(text + TOPK_HTML_SHOWN - 1, "\u00e4z", sizeof "\u00e4z"); /* no half of a character */
    snprintf(expected, sizeof expected, "%.*s\u00e4... (%d characters)", TOPK_HTML_SHOWN - 1, text,
             TOPK_HTML_SHOWN + 2);
    expect("{{v}}", json_pack("{s:s}", "v", text), expected);
}

static void files_are_templates(void **state)
{
    (void)state;
    expect("{{#g}}{{>replay.html}}{{/g}}", json_pack("{s:{s:s}}", "g", "replay", "run it"),
           "<p>To replay it:</p>\n<pre>run it</pre>\n\n");
}

static void wrong_templates_are_refused(void **state)
{
    static const char *const wrong[] = {"{{#v}}a",
                                        "{{?none}}a",
                                        "a{{/v}}",
                                        "{{#v}}{{^v}}{{/v}}",
                                        "{{#v}}{{^n}}{{/v}}{{/n}}",
                                        "{{^none}}{{/v}}",
                                        "{{>none.html}}",
                                        "{{#v}}{{>none.html}}{{/v}}",
                                        "{{@none}}"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char *result = made(wrong[i], json_pack("{s:[i]}", "v", 1));
        if (result != NULL) {
            fail_msg("%s makes %s", wrong[i], result);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_put_in),
        cmocka_unit_test(thousands_are_set_apart),
        cmocka_unit_test(conditions_are_shown_as_far_as_they_are_known),
        cmocka_unit_test(lists_are_gone_through),
        cmocka_unit_test(something_and_nothing),
        cmocka_unit_test(text_becomes_no_markup),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(files_are_templates),
        cmocka_unit_test(wrong_templates_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
