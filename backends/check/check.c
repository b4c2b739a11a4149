/* Runs the steps of the check up to the first broken rule. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "steps.h"

static const struct {
    const char *words;
    bool (*take)(struct check *check);
} steps[] = {
#define ROW(name, words) {words, check_step_##name},
    CHECK_STEPS(ROW)
#undef ROW
};
#define STEPS (sizeof steps / sizeof steps[0])

int topk_check_run(const char *const *command, unsigned timeout, FILE *out)
{
    struct check *check = calloc(1, sizeof *check);
    if (check == NULL) {
        return TOPK_CHECK_HARNESS;
    }
    check->out = out;
    check->command = command;
    check->timeout = (uint64_t)timeout * 1000000u;
    bool passed = true;
    for (size_t i = 0; i < STEPS && passed; i++) {
        check->step = steps[i].words;
        check->note[0] = 0;
        check->blame = check->suspect = CHECK_NO_RULE;
        passed = steps[i].take(check);
        if (passed) {
            check_passed(check);
        }
    }
    check_kill(check);
    if (passed) {
        fputs("No rule of docs/backend-protocol.md is broken. Next: topk-cts run.\n", out);
    }
    const int code = check->code;
    free(check);
    return code;
}
