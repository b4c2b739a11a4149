/* Chooses the judge's scan. */
#include "judge_scan.h"

#include <stdbool.h>
#include <stddef.h>

static const struct topk_scan_level *chosen; /* NULL: the best */

/* whether the build has the code of a level, and this machine can run it */
static bool machine_has(const struct topk_scan_level *level)
{
#if defined __x86_64__ && defined __GNUC__
    return level != NULL && (level == topk_scan_avx2 ? __builtin_cpu_supports("avx2")
                                                     : __builtin_cpu_supports("avx512bw") &&
                                                           __builtin_cpu_supports("avx512vl") &&
                                                           __builtin_cpu_supports("avx512dq"));
#else
    (void)level;
    return false;
#endif
}

const struct topk_scan_level *topk_scan_level(uint32_t number)
{
    const struct topk_scan_level *const levels[] = {&topk_scan_base, topk_scan_avx2,
                                                    topk_scan_avx512};
    for (uint32_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        if ((i == 0 || machine_has(levels[i])) && number-- == 0) {
            return levels[i];
        }
    }
    return NULL;
}

const struct topk_scan_level *topk_scan_used(void)
{
    return chosen != NULL                  ? chosen
           : machine_has(topk_scan_avx512) ? topk_scan_avx512
           : machine_has(topk_scan_avx2)   ? topk_scan_avx2
                                           : &topk_scan_base;
}

void topk_scan_use(const struct topk_scan_level *level)
{
    chosen = level;
}
