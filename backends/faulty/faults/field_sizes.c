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
    {.name = "B45",
     .class = "sizes",
     .seen = "onnxruntime#3176",
     .size = "1025 elements",
     .about = "between 1024 and 2048 elements nothing but zeros",
     .clauses = "S07",
     .select = b45_select},
    {.name = "B48",
     .class = "sizes",
     .seen = "candle#3704",
     .size = "1025 elements",
     .about = "with more than 1024 elements every index is 0",
     .clauses = "S07",
     .select = b48_select},
    {.name = "B51",
     .class = "sizes",
     .seen = "pytorch#78915",
     .size = "K of 17",
     .about = "zeros behind the 16th",
     .clauses = "S07",
     .select = b51_select},
    {.name = "B53",
     .class = "sizes",
     .seen = "cub#43",
     .about = "zeros up to 1792 elements",
     .clauses = "S07",
     .select = b53_select},
    {.name = "B56",
     .class = "sizes",
     .seen = "tt-metal#13233",
     .size = "17 sequences",
     .about = "of a partial tile of 32 sequences the second 16 are not written",
     .clauses = "S07",
     .write = b56_write},
    {.name = "B57",
     .class = "limits",
     .seen = "pytorch#95455",
     .size = "more than 2^20 elements",
     .about = "far into a large tensor an index counts from the start of the tensor",
     .clauses = "S07",
     .select = b57_select},
    {.name = "B59",
     .class = "limits",
     .seen = "llama.cpp#16851",
     .size = "65536 sequences",
     .about = "a grid has 65535 blocks: the sequences behind are not computed",
     .clauses = "S07",
     .write = b59_write},
    {.name = "B63",
     .class = "limits",
     .seen = "rocm-libraries#6636",
     .size = "65536 sequences",
     .about = "the number of work items wraps in 32 bits, and that many sequences are computed",
     .clauses = "S07",
     .write = b63_write},
    {.name = "B86",
     .class = "limits",
     .seen = "tt-metal#54168",
     .size = "65537 elements",
     .about = "an index is held in 16 bits",
     .clauses = "S07",
     .select = b86_select},
    {.name = "B73",
     .class = "axes",
     .seen = "onnxruntime#461",
     .about = "with one dimension only the first of K is written",
     .clauses = "S07",
     .write = b73_write},
    {.name = "B77",
     .class = "K",
     .seen = "nnabla-ext-cuda#485",
     .about = "the smallest of all, K equal to the length, are zeros",
     .clauses = "S07",
     .select = b77_select},
    {.name = "B78",
     .class = "K",
     .seen = "tensorflow-directml-plugin#298",
     .ends = true,
     .about = "K is not checked: one larger than the axis ends the process",
     .clauses = "-",
     .answer = b78_answer},
    {.name = "B80",
     .class = "K",
     .seen = "coremltools#1004",
     .about = "K is ignored: the whole sequence is written",
     .clauses = "M02",
     .write = b80_write},
    {0},
};
