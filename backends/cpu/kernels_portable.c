/* The kernels as the compiler makes them for every processor that the program is for. */
#include "kernels_level.h"

const struct topk_cpu_kernels *const topk_cpu_kernels_portable = kernels;
