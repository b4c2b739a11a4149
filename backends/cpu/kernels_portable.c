/* The kernels for every processor that the program supports. */
#include "kernels_level.h"

const struct topk_cpu_kernels *const topk_cpu_kernels_portable = kernels;
