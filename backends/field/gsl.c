/* gsl_sort_largest_index and gsl_sort_smallest_index of the GNU Scientific Library, row by row. */
#include "field.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_version.h>

#include <stdlib.h>

static int select_row(const struct field_call *call, const void *row, size_t *indices)
{
    const size_t n = call->sizes[call->rank - 1];
#define SELECT(TYPE, SUFFIX)                                                                       \
    if (call->type == TYPE && call->largest != 0)                                                  \
        return gsl_sort_##SUFFIX##_largest_index(indices, call->k, row, 1, n);                     \
    if (call->type == TYPE)                                                                        \
        return gsl_sort_##SUFFIX##_smallest_index(indices, call->k, row, 1, n);
    SELECT(TOPK_BACKEND_FLOAT32, float)
    SELECT(TOPK_BACKEND_INT32, int)
    SELECT(TOPK_BACKEND_UINT32, uint)
    SELECT(TOPK_BACKEND_INT16, short)
    SELECT(TOPK_BACKEND_UINT16, ushort)
    SELECT(TOPK_BACKEND_UINT8, uchar)
    SELECT(TOPK_BACKEND_INT64, long)
    SELECT(TOPK_BACKEND_UINT64, ulong)
    return -1;
}

static int run(void *self, const struct field_call *call)
{
    (void)self;
    const size_t n = call->sizes[call->rank - 1];
    size_t *indices = calloc(call->k, sizeof *indices);
    int failed = indices == NULL;
    for (uint64_t row = 0; row < call->rows && failed == 0; row++) {
        const unsigned char *from = (const unsigned char *)call->input + row * n * call->width;
        failed = select_row(call, from, indices);
        for (uint32_t j = 0; j < call->k && failed == 0; j++) {
            field_take(call, row * call->k + j, (int64_t)indices[j]);
        }
    }
    free(indices);
    return failed == 0 ? 0 : field_failed(call, "the library refused");
}

const struct field_library field_library = {
    .name = "gsl_sort_largest_index",
    .version = GSL_VERSION,
    .rules = "axes=last ties=any types=f32,u32,u16,u8,i32,i16,u64,i64",
    .source = "https://www.gnu.org/software/gsl/doc/html/"
              "sort.html#selecting-the-k-smallest-or-largest-elements",
    .run = run};
