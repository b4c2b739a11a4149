/* Which levels of SIMD this program contains and this processor supports. */
#include "levels.h"

#include <stdbool.h>

#if defined(__GNUC__) && defined(__x86_64__)
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#else
static bool has_avx2(void)
{
    return false;
}

static bool has_avx512(void)
{
    return false;
}
#endif

size_t topk_cpu_levels(struct topk_cpu_level levels[TOPK_CPU_LEVELS])
{
    size_t count = 0;
    levels[count++] = (struct topk_cpu_level){"portable", "portable C", topk_cpu_kernels_portable};
    if (topk_cpu_kernels_avx2 != NULL && has_avx2()) {
        levels[count++] =
            (struct topk_cpu_level){"avx2", "C compiled for AVX2", topk_cpu_kernels_avx2};
    }
    if (topk_cpu_kernels_avx512 != NULL && has_avx512()) {
        levels[count++] =
            (struct topk_cpu_level){"avx512", "C compiled for AVX-512", topk_cpu_kernels_avx512};
    }
    return count;
}
