/* The scan for machines with AVX-512, if the build has the compiler flags for this file. */
#include "judge_scan.h"

#include <stddef.h>

#ifdef __AVX512BW__
#include "judge_levels.h"

static const struct topk_scan_level level = {.name = "avx512", .types = functions};
const struct topk_scan_level *const topk_scan_avx512 = &level;
#else
const struct topk_scan_level *const topk_scan_avx512 = NULL;
#endif
