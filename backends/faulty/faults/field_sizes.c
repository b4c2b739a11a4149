/* Faults that shipped, of sizes: thresholds between kernels, limits of a grid, narrow arithmetic,
 * and the edges of K. */
#include "faulty.h"

#include <signal.h>
#include <stdlib.h>

static void clear(struct row *row, uint32_t from)
{
    for (uint32_t j = from; j < row->k; j++) {
        row->entries[j] = (struct entry){0};
    }
}

/* ---- thresholds ---------------------------------------------------------------------------------
 */

static void b45_select(struct row *row)
{
    if (row->length > 1024 && row->length < 2048) {
        clear(row, 0);
    }
}

static void b48_select(struct row *row)
{
    for (uint32_t j = 0; row->length > 1024 && j < row->k; j++) {
        row->entries[j].index = 0;
    }
}

static void b51_select(struct row *row)
{
    clear(row, 16);
}

static void b53_select(struct row *row)
{
    if (row->length <= 1792) {
        clear(row, 0);
    }
}

/* sequences are taken in tiles of 32 with two faces of 16 */
static void b56_write(struct row *row)
{
    bool partial = row->number / 32 == row->rows / 32;
    if (!partial || row->number % 32 < 16) {
        faulty_write(row);
    }
}

/* ---- limits -------------------------------------------------------------------------------------
 */

/* the field's limit is 2^30 elements, in bytes beyond 32 bits; here 2^20, which a case can have */
static void b57_select(struct row *row)
{
    uint64_t start = row->number * row->length;
    for (uint32_t j = 0; start >= UINT64_C(1) << 20 && j < row->k; j++) {
        row->entries[j].index += start;
    }
}

static void b59_write(struct row *row)
{
    if (row->number < 65535) {
        faulty_write(row);
    }
}

/* sequences times the 65536 work items of a block, in 32 bits */
static void b63_write(struct row *row)
{
    uint32_t items = (uint32_t)(row->rows * 65536);
    if (row->number < items / 65536) {
        faulty_write(row);
    }
}

static void b86_select(struct row *row)
{
    for (uint32_t j = 0; j < row->k; j++) {
        row->entries[j].index &= 0xffff;
    }
}

/* ---- rank and K ---------------------------------------------------------------------------------
 */

static void b73_write(struct row *row)
{
    row->k = row->call->input->dimension_count == 1 ? 1 : row->call->k;
    faulty_write(row);
}

static void b77_select(struct row *row)
{
    if (row->increasing && row->k == row->length) {
        clear(row, 0);
    }
}

/* K is not checked, and far too much is written */
static bool b78_answer(struct faulty *self, const struct topk_backend_call *call,
                       struct topk_backend_answer *answer)
{
    const struct topk_backend_tensor *input = call->input;
    (void)self;
    (void)answer;
    if (input != NULL && call->axis < input->dimension_count &&
        call->k > input->sizes[call->axis]) {
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
    }
    return true;
}

static void b80_write(struct row *row)
{
    row->k = row->length;
    faulty_write(row);
    row->k = row->call->k;
}

const struct fault faulty_field_sizes[] = {
    {"B45", "sizes", "between 1024 and 2048 elements nothing but zeros", "S07",
     .seen = "onnxruntime#3176", .size = "1025 elements", .select = b45_select},
    {"B48", "sizes", "with more than 1024 elements every index is 0", "S07", .seen = "candle#3704",
     .size = "1025 elements", .select = b48_select},
    {"B51", "sizes", "zeros behind the 16th", "S07", .seen = "pytorch#78915", .size = "K of 17",
     .select = b51_select},
    {"B53", "sizes", "zeros up to 1792 elements", "S07", .seen = "cub#43", .select = b53_select},
    {"B56", "sizes", "of a partial tile of 32 sequences the second 16 are not written", "S07",
     .seen = "tt-metal#13233", .size = "17 sequences", .write = b56_write},
    {"B57", "limits", "far into a large tensor an index counts from the start of the tensor", "S07",
     .seen = "pytorch#95455", .size = "more than 2^20 elements", .select = b57_select},
    {"B59", "limits", "a grid has 65535 blocks: the sequences behind are not computed", "S07",
     .seen = "llama.cpp#16851", .size = "65536 sequences", .write = b59_write},
    {"B63", "limits",
     "the number of work items wraps in 32 bits, and that many sequences are computed", "S07",
     .seen = "rocm-libraries#6636", .size = "65536 sequences", .write = b63_write},
    {"B86", "limits", "an index is held in 16 bits", "S07", .seen = "tt-metal#54168",
     .size = "65537 elements", .select = b86_select},
    {"B73", "axes", "with one dimension only the first of K is written", "S07",
     .seen = "onnxruntime#461", .write = b73_write},
    {"B77", "K", "the smallest of all, K equal to the length, are zeros", "S07",
     .seen = "nnabla-ext-cuda#485", .select = b77_select},
    {"B78", "K", "K is not checked: one larger than the axis ends the process", "-",
     .seen = "tensorflow-directml-plugin#298", .ends = true, .answer = b78_answer},
    {"B80", "K", "K is ignored: the whole sequence is written", "M02", .seen = "coremltools#1004",
     .write = b80_write},
    {0},
};
