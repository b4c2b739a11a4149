/* The kernels for processors with AVX2, if the build has the compiler flags for this file. */
#include "kernels.h"

#ifdef __AVX2__
#include "kernels_level.h"
const struct topk_cpu_kernels *const topk_cpu_kernels_avx2 = kernels;
#else
const struct topk_cpu_kernels *const topk_cpu_kernels_avx2 = NULL;
#endif
