/* The scan for all machines. */
#include "judge_levels.h"

#if defined __SSE2__
#define NAME "sse2"
#elif defined __ARM_NEON
#define NAME "neon"
#else
#define NAME "portable"
#endif

const struct topk_scan_level topk_scan_base = {.name = NAME, .types = functions};
