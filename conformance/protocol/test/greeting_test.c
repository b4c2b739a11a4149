/* The greetings of workers and backend processes: their contracts and parts. The tests of the
 * runner and of check-backend cover the rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "protocol/protocol.h"

#define START     "topk-backend 1 name=a version= device= driver= features= level=5.0 flags="
#define END       " batch=1 frame=0 align=1 own="
#define VERSION47 "12345678901234567890123456789012345678901234567"
#define LINES16                                                                                    \
    "a%201%0Ab%201%0Ac%201%0Ad%201%0Ae%201%0Af%201%0Ag%201%0Ah%201%0A"                             \
    "i%201%0Aj%201%0Ak%201%0Al%201%0Am%201%0An%201%0Ao%201%0Ap%201%0A"
#define LINES16_TEXT                                                                               \
    "a 1\nb 1\nc 1\nd 1\ne 1\nf 1\ng 1\nh 1\ni 1\nj 1\nk 1\nl 1\nm 1\nn 1\no 1\np 1\n"

static void a_contract_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        const char *rules; /* NULL: it must be refused */
        uint32_t flags;
        const char *error;
        enum topk_greeting_kind kind;
    } rows[] = {
        {START "0" END, "", 0, "", TOPK_GREETING_HELLO},
        {START "1" END "a", "invalid=own", 1, "", TOPK_GREETING_HELLO},
        {START "0" END " contract=", "", 0, "", TOPK_GREETING_HELLO},
        {START "0" END " contract=ties%3Dany%20k%3D4", "ties=any k=4", 0, "", TOPK_GREETING_HELLO},
        {START "0" END " contract=invalid%3Down", "invalid=own", 1, "", TOPK_GREETING_HELLO},
        {START "4" END "b contract=topk-contract%201%0Anan%3Dlast%0Aname%3Da%20b", "nan=last", 4,
         "", TOPK_GREETING_HELLO},
        {START "0" END " contract=ties%3Dnone", NULL, 0, "its contract, line 1: ties is 'none'",
         TOPK_GREETING_MISDECLARED},
        {START "0" END " contract=topk-contract%202", NULL, 0, "is of another version",
         TOPK_GREETING_MISDECLARED},
        {START "0" END " contract=ties=any", NULL, 0, "contract= must be a word",
         TOPK_GREETING_MISDECLARED},
        {START "0" END " contract=ties%3Dany more", NULL, 0, "\" more\" stands behind its end",
         TOPK_GREETING_NONE},
        {START "0" END " contracts=", NULL, 0, "stands behind its end", TOPK_GREETING_NONE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static struct topk_greeting greeting;
        static char error[TOPK_GREETING_ERROR];
        char rules[TOPK_CONTRACT_RULES];
        error[0] = 0;
        const enum topk_greeting_kind kind = topk_greeting_parse(
            TOPK_SPEAKER_BACKEND, rows[i].line, strlen(rows[i].line), &greeting, error);
        assert_int_equal(kind, rows[i].kind);
        if (rows[i].rules == NULL) {
            if (strstr(error, rows[i].error) == NULL) {
                fail_msg("'%s' does not say '%s'", error, rows[i].error);
            }
            continue;
        }
        topk_contract_rules_print(&greeting.contract, rules);
        assert_string_equal(rules, rows[i].rules);
        assert_int_equal(greeting.flags, rows[i].flags);
    }
}

static void parts_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        const char *parts; /* NULL: it must be refused */
        const char *error;
    } rows[] = {
        {START "0" END, "", ""},
        {START "0" END " parts=", "", ""},
        {START "0" END " parts=DirectML.dll%201.15.4.0", "DirectML.dll 1.15.4.0", ""},
        {START "0" END "o contract=ties%3Dany parts=a%201%0Ab%202%20(x%3Dy)", "a 1\nb 2 (x=y)", ""},
        {START "0" END " parts=a%201%0A", "a 1\n", ""},
        {START "0" END " parts=a%20" VERSION47, "a " VERSION47, ""},
        {START "0" END " parts=a%20" VERSION47 "8", NULL, "line 1: \"a 1234"},
        {START "0" END " parts=a", NULL, "its parts, line 1: \"a\" must be a name"},
        {START "0" END " parts=a%20", NULL, "line 1"},
        {START "0" END " parts=%201", NULL, "line 1"},
        {START "0" END " parts=a%20%201", NULL, "line 1"},
        {START "0" END " parts=a%20%7F", NULL, "line 1"},
        {START "0" END " parts=a%201%0A%0Ab%202", NULL, "line 2: \"\""},
        {START "0" END " parts=a%201%0Ab%202%09", NULL, "line 2: \"b 2\\x09\""},
        {START "0" END " parts=a%201%0A%C3%A4%202", NULL, "line 2: \"\\xc3\\xa4 2\""},
        {START "0" END " parts=a%201%0Ab%202%0Aa%203", NULL, "line 3: a has a line already"},
        {START "0" END " parts=" LINES16, LINES16_TEXT, ""},
        {START "0" END " parts=" LINES16 "q%201", NULL, "line 17: there are at most 16"},
        {START "0" END " parts=a=1", NULL, "parts= must be a word of less than 1024 bytes"},
        {START "0" END " parts=a%201 contract=ties%3Dany", NULL, "stands behind its end"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static struct topk_greeting greeting;
        static char error[TOPK_GREETING_ERROR];
        error[0] = 0;
        const enum topk_greeting_kind kind = topk_greeting_parse(
            TOPK_SPEAKER_BACKEND, rows[i].line, strlen(rows[i].line), &greeting, error);
        if (rows[i].parts == NULL) {
            assert_int_equal(kind, TOPK_GREETING_NONE);
            if (strstr(error, rows[i].error) == NULL) {
                fail_msg("'%s' does not say '%s'", error, rows[i].error);
            }
            continue;
        }
        assert_string_equal(error, "");
        assert_int_equal(kind, TOPK_GREETING_HELLO);
        assert_string_equal(greeting.parts, rows[i].parts);
    }
}

/* A space in a word is explained, where the text after it can be no field. */
static void a_space_in_a_word_is_explained(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        const char *error; /* how it ends */
    } rows[] = {
        {"topk-backend 1 name=my own version=1",
         "\" own version=1\" stands where version= has to; a space in name= must be written %20"},
        {"topk-backend 1 name=my own", "has to; a space in name= must be written %20"},
        {START "0" END "no checks", "stands behind its end; a space in own= must be written %20"},
        {"topk-backend 1 name=my", "\"\" stands where version= has to"},
        {"topk-backend 1 name=my own=1", "\" own=1\" stands where version= has to"},
        {"topk-backend 1 name=a version= device= driver= features= level=5.0 0 flags=0",
         "\" 0 flags=0\" stands where flags= has to"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static struct topk_greeting greeting;
        static char error[TOPK_GREETING_ERROR];
        const size_t length = strlen(rows[i].line);
        const size_t end = strlen(rows[i].error);
        assert_int_equal(
            topk_greeting_parse(TOPK_SPEAKER_BACKEND, rows[i].line, length, &greeting, error),
            TOPK_GREETING_NONE);
        if (strlen(error) < end || strcmp(error + strlen(error) - end, rows[i].error) != 0) {
            fail_msg("'%s' does not end with '%s'", error, rows[i].error);
        }
    }
}

static void a_part_fits_into_its_room(void **state)
{
    (void)state;
    static char line[TOPK_TOLD_TEXT + 3];
    struct topk_told_part part;
    const char *at = line;
    memset(line, 'a', TOPK_TOLD_TEXT - 1);
    memcpy(line + TOPK_TOLD_TEXT - 1, " 1", 3);
    assert_true(topk_told_next(&at, &part));
    memcpy(line + TOPK_TOLD_TEXT - 1, "a 1", 4);
    at = line;
    assert_false(topk_told_next(&at, &part));
}

/* Parts are cut to a word of 1023 characters, or, after long texts, to the rest of the line. */
static void parts_are_cut_at_whole_lines(void **state)
{
    (void)state;
    static char text[TOPK_GREETING_TEXT];
    static char parts[TOPK_TOLD_TEXT];
    memset(text, '=', sizeof text - 1);
    for (size_t i = 0; i < TOPK_TOLD_MAX; i++) {
        snprintf(parts + strlen(parts), sizeof parts - strlen(parts), "%slibrary-%02zu%050d %zu",
                 i == 0 ? "" : "\n", i, 0, i);
    }
    size_t kept[2];
    for (int i = 0; i < 2; i++) {
        static struct topk_greeting greeting;
        static char line[TOPK_GREETING_LINE];
        static char error[TOPK_GREETING_ERROR];
        const char *said = i == 0 ? "a" : text;
        const struct topk_backend_info info = {.name = said,
                                               .version = said,
                                               .device = said,
                                               .driver = said,
                                               .features = said,
                                               .invalid_calls_reason = said,
                                               .feature_level = 0x5000,
                                               .batch = 1};
        struct topk_contract contract = {.chosen = 0};
        topk_contract_choose(&contract, TOPK_OPTION_TIES_ANY);
        memset(contract.name, '%', i == 0 ? 0 : sizeof contract.name - 1);
        memset(contract.source, '=', i == 0 ? 0 : sizeof contract.source - 1);
        const size_t length =
            topk_greeting_print(TOPK_SPEAKER_BACKEND, &info, &contract, parts, 0, 16, line);
        assert_int_equal(line[length - 1], '\n');
        assert_int_equal(line[length], 0);
        assert_int_equal(
            topk_greeting_parse(TOPK_SPEAKER_BACKEND, line, length - 1, &greeting, error),
            TOPK_GREETING_HELLO);
        kept[i] = strlen(greeting.parts);
        assert_true(kept[i] > 0);
        assert_memory_equal(greeting.parts, parts, kept[i]);
        assert_int_equal(parts[kept[i]], '\n');
    }
    assert_in_range(kept[0], 800, 1023);
    assert_in_range(kept[1], 100, kept[0] - 60);
}

/* all options differ from DirectML's and all texts have their greatest length: no rule is cut */
static void the_longest_contract_keeps_its_rules(void **state)
{
    (void)state;
    static char line[TOPK_GREETING_LINE];
    static char error[TOPK_GREETING_ERROR];
    static struct topk_greeting greeting;
    static char text[TOPK_GREETING_TEXT];
    struct topk_contract contract = {.types = 0x1ff};
    memset(text, '=', sizeof text - 1);
    memset(contract.name, '%', sizeof contract.name - 1);
    memset(contract.source, ' ', sizeof contract.source - 1);
    contract.source[0] = '.';
    for (int i = 0; i < TOPK_OPTION_COUNT; i++) {
        topk_contract_choose(&contract, (enum topk_contract_option)i);
    }
    contract.least[TOPK_CONTRACT_RULE_RANKS] = 1;
    contract.most[TOPK_CONTRACT_RULE_RANKS] = 7;
    contract.least[TOPK_CONTRACT_RULE_K] = 1000000000;
    contract.most[TOPK_CONTRACT_RULE_K] = UINT32_MAX;
    topk_contract_choose(&contract, TOPK_OPTION_NAN_GREATEST);
    const struct topk_backend_info info = {.name = text,
                                           .version = text,
                                           .device = text,
                                           .driver = text,
                                           .features = text,
                                           .invalid_calls_reason = text,
                                           .feature_level = 0x5000,
                                           .batch = UINT32_MAX};
    topk_contract_choose(&contract, TOPK_OPTION_REPEAT_BYTES);
    const size_t length =
        topk_greeting_print(TOPK_SPEAKER_BACKEND, &info, &contract, "a 1", UINT32_MAX, 4096, line);
    assert_true(length < sizeof line);
    assert_int_equal(line[length - 1], '\n');
    if (topk_greeting_parse(TOPK_SPEAKER_BACKEND, line, length - 1, &greeting, error) !=
        TOPK_GREETING_HELLO) {
        fail_msg("%s", error);
    }
    assert_int_equal(topk_contract_differs(&greeting.contract, &contract),
                     TOPK_CONTRACT_RULE_COUNT);
    assert_string_equal(greeting.contract.name, contract.name);
}

/* each field with its least and greatest values, and the messages for invalid ones */
static void fields_have_their_form(void **state)
{
    (void)state;
    static const struct {
        const char *field; /* replaces the field in the line */
        const char *error; /* NULL: the line is valid */
    } rows[] = {
        {"level=1.0", NULL},
        {"level=9.9", NULL},
        {"level=0.9", "a feature level such as 5.0"},
        {"level=:.0", "a feature level such as 5.0"},
        {"level=5./", "a feature level such as 5.0"},
        {"level=5.:", "a feature level such as 5.0"},
        {"level=5,0", "a feature level such as 5.0"},
        {"level=5.00", "a feature level such as 5.0"},
        {"flags=ffffffff", NULL},
        {"flags=100000000", "a number in hex"},
        {"flags=fffffffff", "a number in hex"},
        {"flags=", "a number in hex"},
        {"flags=g", "a number in hex"},
        {"flags=1A", "a number in hex"},
        {"batch=4294967295", NULL},
        {"batch=4294967296", "a number from 1 on"},
        {"batch=4294967297", "a number from 1 on"},
        {"batch=0", "a number from 1 on"},
        {"batch=a", "a number from 1 on"},
        {"frame=18446744073709551615", NULL},
        {"frame=18446744073709551616", "a number of bytes"},
        {"frame=1x", "a number of bytes"},
        {"align=4096", NULL},
        {"align=8192", "a power of two from 1 to 4096"},
        {"align=3", "a power of two from 1 to 4096"},
        {"align=0", "a power of two from 1 to 4096"},
        {"align=x", "a power of two from 1 to 4096"},
        {"own=%", "a word of less than 2048 bytes"},
        {"owns=", "stands where own= has to"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static const char *const fields[] = {
            "name=a",  "version=", "device=", "driver=", "features=", "level=5.0",
            "flags=0", "batch=1",  "frame=0", "align=1", "own="};
        static struct topk_greeting greeting;
        static char error[TOPK_GREETING_ERROR];
        char line[300] = "topk-backend 1";
        for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++) {
            const bool own = strncmp(fields[f], rows[i].field, 3) == 0;
            snprintf(line + strlen(line), sizeof line - strlen(line), " %s",
                     own ? rows[i].field : fields[f]);
        }
        error[0] = 0;
        const enum topk_greeting_kind kind =
            topk_greeting_parse(TOPK_SPEAKER_BACKEND, line, strlen(line), &greeting, error);
        assert_int_equal(kind, rows[i].error == NULL ? TOPK_GREETING_HELLO : TOPK_GREETING_NONE);
        if (strstr(error, rows[i].error == NULL ? "" : rows[i].error) == NULL) {
            fail_msg("%s: '%s' does not say '%s'", rows[i].field, error, rows[i].error);
        }
    }
}

/* first lines that are no greeting */
static void other_first_lines(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        size_t length; /* 0: the whole line */
        enum topk_greeting_kind kind;
        const char *error;
    } rows[] = {
        {"unavailable no%20device", 0, TOPK_GREETING_UNAVAILABLE, "no device"},
        {"unavailable ", 0, TOPK_GREETING_UNAVAILABLE, "the backend process gives no reason"},
        {"unavailable a b", 0, TOPK_GREETING_UNAVAILABLE, "unavailable a b"},
        {"misdeclared level", 0, TOPK_GREETING_MISDECLARED, "level"},
        {"hello", 0, TOPK_GREETING_NONE, "does not introduce itself, but says \"hello\""},
        {"topk-worker 1", 0, TOPK_GREETING_NONE, "does not introduce itself"},
        {"topk-backend 2", 0, TOPK_GREETING_VERSION, "speaks version 2 of"},
        {"topk-backend 11", 0, TOPK_GREETING_VERSION, "speaks version 11 of"},
        {"topk-backend 123456789012345678901", 0, TOPK_GREETING_VERSION,
         "speaks version 12345678901234567890 of"},
        {"topk-backend 1", 0, TOPK_GREETING_NONE, "\"\" stands where name= has to"},
        {START "\0" END, sizeof(START END), TOPK_GREETING_NONE, "flags= is \"\\x00\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static struct topk_greeting greeting;
        static char error[TOPK_GREETING_ERROR];
        const size_t length = rows[i].length == 0 ? strlen(rows[i].line) : rows[i].length;
        error[0] = 0;
        assert_int_equal(
            topk_greeting_parse(TOPK_SPEAKER_BACKEND, rows[i].line, length, &greeting, error),
            rows[i].kind);
        if (strstr(error, rows[i].error) == NULL) {
            fail_msg("'%s' does not say '%s'", error, rows[i].error);
        }
    }
}

/* foreign text is cut to the available size */
static void said_fits(void **state)
{
    (void)state;
    char text[16];
    topk_said_print("a\x7f\n~", 4, text, sizeof text);
    assert_string_equal(text, "a\\x7f\\x0a");
    topk_said_print("12345678901234567890", 20, text, sizeof text);
    assert_string_equal(text, "12345678");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_contract_is_read),
        cmocka_unit_test(parts_are_read),
        cmocka_unit_test(a_space_in_a_word_is_explained),
        cmocka_unit_test(a_part_fits_into_its_room),
        cmocka_unit_test(parts_are_cut_at_whole_lines),
        cmocka_unit_test(the_longest_contract_keeps_its_rules),
        cmocka_unit_test(fields_have_their_form),
        cmocka_unit_test(other_first_lines),
        cmocka_unit_test(said_fits),
    };
    return cmocka_run_group_tests_name("greeting", tests, NULL, NULL);
}
