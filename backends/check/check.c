/* Runs the steps of the check. A step that breaks a rule does not end the check: a new process
 * serves the steps after it. */
#include "check.h"

#include <stdlib.h>

#include "steps.h"

static const struct step {
    const char *words;
    bool (*take)(struct check *check);
    enum check_needs needs;
} steps[] = {
#define ROW(name, words, needs) {words, check_step_##name, CHECK_NEEDS_##needs},
    CHECK_STEPS(ROW)
#undef ROW
};
#define STEPS (sizeof steps / sizeof steps[0])

/* Returns why a step cannot be taken, or NULL if it can. */
static const char *missing(struct check *check, const struct step *step)
{
    const bool list = step->needs == CHECK_NEEDS_LIST;
    const bool greeting = step->needs == CHECK_NEEDS_GREETING || step->needs == CHECK_NEEDS_PROCESS;
    if (list && !check->listed) {
        return "\"devices\" failed";
    }
    if (greeting && check->introduction[0] == 0) {
        return "\"open\" failed";
    }
    if (step->needs == CHECK_NEEDS_PROCESS && check->child == NULL && !check_reopen(check)) {
        return "the process could not be opened again";
    }
    return NULL;
}

static bool take(struct check *check, const struct step *step)
{
    check->note[0] = 0;
    check->blame = check->suspect = CHECK_NO_RULE;
    check->step = step->words;
    if (step->take(check)) {
        check_passed(check);
        return true;
    }
    check_kill(check);
    return false;
}

int topk_check_run(const char *const *command, unsigned timeout, FILE *out)
{
    struct check *check = calloc(1, sizeof *check);
    if (check == NULL) {
        return TOPK_CHECK_HARNESS;
    }
    check->out = out;
    check->command = command;
    check->timeout = (uint64_t)timeout * 1000000u;
    size_t i = 0;
    for (; i < STEPS && !check->stopped && !check->was_late; i++) {
        const char *why = missing(check, &steps[i]);
        if (why == NULL) {
            if (!take(check, &steps[i]) && i == 0 && !check->spoke && !check->was_late) {
                i++; /* nothing speaks the protocol: the other steps would say the same */
                break;
            }
        } else if (!check->stopped) {
            check->step = steps[i].words;
            check_skipped(check, why);
        }
    }
    check_kill(check);
    check_summary(check, STEPS - i);
    const int code = check->code;
    free(check);
    return code;
}
