/* The scan for machines with AVX2, if the build has the compiler flags for this file. */
#include "judge_scan.h"

#include <stddef.h>

#ifdef __AVX2__
#include "judge_levels.h"

static const struct topk_scan_level level = {.name = "avx2", .types = functions};
const struct topk_scan_level *const topk_scan_avx2 = &level;
#else
const struct topk_scan_level *const topk_scan_avx2 = NULL;
#endif
