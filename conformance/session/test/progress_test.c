/* What a run prints while it runs. The test sets the clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/session.h"

static void lines_say_how_far_a_run_is(void **state)
{
    static const struct {
        struct cli_pace pace;
        const char *line;
    } rows[] = {
        {{.total = 900, .done = 0, .milliseconds = 0},
         "0 of 900 cases, 0 %, 0.0 per second, 0 failed"},
        /* in the first second the time left is unknown */
        {{.total = 900, .done = 90, .milliseconds = 1000},
         "90 of 900 cases, 10 %, 90 per second, 0 failed"},
        {{.total = 900, .done = 90, .failed = 3, .milliseconds = 9000},
         "90 of 900 cases, 10 %, 10 per second, 3 failed, 1 min 21 s left"},
        {{.total = 900, .done = 899, .unsupported = 7, .milliseconds = 899000},
         "899 of 900 cases, 99 %, 1.0 per second, 0 failed, 7 unsupported, 1 s left"},
        /* cases that were done before the run do not count for its pace */
        {{.total = 1000, .skipped = 500, .done = 520, .milliseconds = 60000},
         "520 of 1000 cases, 52 %, 0.3 per second, 0 failed, 24 min 00 s left"},
        {{.total = 290000, .done = 29000, .milliseconds = 3600000},
         "29000 of 290000 cases, 10 %, 8.1 per second, 0 failed, 9 h 00 min left"},
        /* a run that hangs has no pace */
        {{.total = 9, .done = 0, .milliseconds = 3600000},
         "0 of 9 cases, 0 %, 0.0 per second, 0 failed"},
        {{.total = UINT64_MAX / 200,
          .done = UINT64_MAX / 200,
          .failed = UINT64_MAX,
          .unsupported = UINT64_MAX,
          .milliseconds = 2000},
         "92233720368547758 of 92233720368547758 cases, 100 %, 46116860184273880 per second, "
         "18446744073709551615 failed, 18446744073709551615 unsupported, 0 s left"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[CLI_PACE_TEXT];
        cli_pace_print(&rows[i].pace, text);
        assert_string_equal(text, rows[i].line);
    }
}

static void durations(void **state)
{
    static const struct {
        uint64_t seconds;
        const char *text;
    } rows[] = {{0, "0 s"},           {59, "59 s"},
                {60, "1 min 00 s"},   {3599, "59 min 59 s"},
                {3600, "1 h 00 min"}, {90061, "25 h 01 min"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[CLI_DURATION_TEXT];
        cli_duration_print(rows[i].seconds, text);
        assert_string_equal(text, rows[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_say_how_far_a_run_is),
        cmocka_unit_test(durations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
