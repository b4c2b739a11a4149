/* The option --junit: what a testcase element of a JUnit file stands for. */
#include "junit_option.h"

#include "cli.h"
#include "formats/report.h"

enum {
    KEY_JUNIT = 9200
};

/* NOLINTNEXTLINE(readability-non-const-parameter): the type is argp's */
static error_t parse(int key, char *argument, struct argp_state *state)
{
    enum topk_junit_mode *mode = state->input;
    if (key != KEY_JUNIT) {
        return ARGP_ERR_UNKNOWN;
    }
    *mode = topk_junit_parse(argument);
    if (*mode == TOPK_JUNIT_COUNT) {
        char known[64] = "";
        for (int i = 0, used = 0; i < TOPK_JUNIT_COUNT; i++) {
            used += snprintf(known + used, sizeof known - (size_t)used, "%s%s", i > 0 ? ", " : "",
                             topk_junit_word((enum topk_junit_mode)i));
        }
        argp_error(state, "--junit takes one of %s, not '%s'", known, argument);
    }
    return 0;
}

const struct argp cli_junit_argp = {
    .options =
        (const struct argp_option[]){
            {"junit", KEY_JUNIT, "WHAT", 0,
             "What a test case of the JUnit file is. tests, the default: a test of the profile, "
             "with its smallest failing case; failures: the same, and up to 20 failing cases of "
             "each test; cases: each case, which makes a large file",
             0},
            {0},
        },
    .parser = parse,
};
