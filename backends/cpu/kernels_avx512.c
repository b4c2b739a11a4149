/* The kernels for processors with AVX-512, if the build has the compiler flags for this file. */
#include "kernels.h"

#ifdef __AVX512BW__
#include "kernels_level.h"
const struct topk_cpu_kernels *const topk_cpu_kernels_avx512 = kernels;
#else
const struct topk_cpu_kernels *const topk_cpu_kernels_avx512 = NULL;
#endif
