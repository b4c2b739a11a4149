/* See mustpass.h. */
#include "mustpass.h"

#include <stdlib.h>

#include "session.h"
#include "suite/suite.h"

struct topk_mustpass *cli_mustpass_table(void)
{
    struct topk_mustpass *profiles = cli_need(calloc(topk_profile_count, sizeof *profiles));
    for (size_t i = 0; i < topk_profile_count; i++) {
        const struct topk_profile *profile = &topk_profiles[i];
        struct topk_mustpass_test *tests = cli_need(calloc(profile->test_count + 1, sizeof *tests));
        for (size_t j = 0; j < profile->test_count; j++) {
            const struct topk_profile_test *row = &profile->tests[j];
            tests[j] = (struct topk_mustpass_test){row->name, row->cases, row->digest};
        }
        profiles[i] =
            (struct topk_mustpass){profile->name, profile->version, tests, profile->test_count};
    }
    return profiles;
}

void cli_mustpass_free(struct topk_mustpass *profiles)
{
    for (size_t i = 0; i < topk_profile_count; i++) {
        free((void *)profiles[i].tests);
    }
    free(profiles);
}
