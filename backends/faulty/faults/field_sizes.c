/* Faults of sizes that shipped: thresholds between kernels, limits of a grid, narrow arithmetic,
 * and the edges of K. */
#include "faulty.h"

#include <signal.h>

/* ---- thresholds ------------------------------------------------------------------------------ */

FAULTY_WHEN(b45_when, row->length > 1024 && row->length < 2048)
FAULTY_WHEN(b48_when, row->length > 1024)
FAULTY_WHEN(b53_when, row->length <= 1792)
/* sequences are processed in tiles of 32, each with two faces of 16 */
FAULTY_WHEN(b56_when, row->number / 32 == row->rows / 32 && row->number % 32 >= 16)

/* ---- limits ---------------------------------------------------------------------------------- */

/* the original limit is 2^30 elements, whose bytes exceed 32 bits; here it is 2^20, which a case
 * can reach */
FAULTY_INDEX(b57_select, index + row->number * row->length)
FAULTY_WHEN(b57_when, row->number * row->length >= UINT64_C(1) << 20)
FAULTY_WHEN(b59_when, row->number >= 65535)
/* the number of sequences times the 65536 work items of a block, in 32 bits */
FAULTY_WHEN(b63_when, row->number >= (uint32_t)(row->rows * 65536) / 65536)

/* ---- rank and K ------------------------------------------------------------------------------ */

static void b73_write(struct row *row)
{
    row->k = row->call->input->dimension_count == 1 ? 1 : row->call->k;
    faulty_write(row);
}

FAULTY_WHEN(b77_when, row->increasing && row->k == row->length)

/* K is not checked, and far too much is written */
static bool b78_answer(struct faulty *self)
{
    const struct topk_backend_call *call = self->call;
    const struct topk_backend_tensor *input = call->input;
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
     .trigger = "n>1024 and n<2048", .cause = "zeroed", .seen = "onnxruntime#3176",
     .size = "1025 elements", .when = b45_when, .select = faulty_clear_slots},
    {"B48", "sizes", "with more than 1024 elements every index is 0", "S07", .trigger = "n>1024",
     .cause = "zero-index zeroed", .seen = "candle#3704", .size = "1025 elements", .when = b48_when,
     .select = faulty_mask_indices, .amount = 0},
    {"B51", "sizes", "zeros behind the 16th", "S07", .trigger = "k>16", .cause = "zeroed",
     .seen = "pytorch#78915", .size = "K of 17", .select = faulty_clear_slots, .amount = 16},
    {"B53", "sizes", "zeros up to 1792 elements", "S07", .trigger = "n<=1792", .cause = "zeroed",
     .seen = "cub#43", .when = b53_when, .select = faulty_clear_slots},
    {"B56", "sizes", "of a partial tile of 32 sequences the second 16 are not written", "S07",
     .trigger = "rows>=17", .cause = "unwritten", .seen = "tt-metal#13233", .size = "17 sequences",
     .when = b56_when, .write = faulty_write_nothing},
    {"B57", "limits", "far into a large tensor an index counts from the start of the tensor", "S07",
     .trigger = "elements>1048576", .seen = "pytorch#95455", .size = "more than 2^20 elements",
     .when = b57_when, .select = b57_select,
     .few = "calls of more than 2^20 elements take long, so core has few"},
    {"B59", "limits", "a grid has 65535 blocks: the sequences behind are not computed", "S07",
     .trigger = "rows>65535", .cause = "unwritten", .seen = "llama.cpp#16851",
     .size = "65536 sequences", .when = b59_when, .write = faulty_write_nothing,
     .few = "calls of so many sequences take long, so core has few"},
    {"B63", "limits",
     "the number of work items wraps in 32 bits, and that many sequences are computed", "S07",
     .trigger = "rows>65535", .cause = "unwritten", .seen = "rocm-libraries#6636",
     .size = "65536 sequences", .when = b63_when, .write = faulty_write_nothing,
     .few = "calls of so many sequences take long, so core has few"},
    {"B86", "limits", "an index is held in 16 bits", "S07", .trigger = "n>65536",
     .cause = "index-16-bits", .seen = "tt-metal#54168", .size = "65537 elements",
     .select = faulty_mask_indices, .amount = 0xffff},
    {"B73", "axes", "with one dimension only the first of K is written", "S07",
     .trigger = "rank=1 and k>=2", .cause = "unwritten", .seen = "onnxruntime#461",
     .write = b73_write},
    {"B77", "K", "the smallest of all, K equal to the length, are zeros", "S07",
     .trigger = "direction=smallest and rest=0", .cause = "zeroed", .seen = "nnabla-ext-cuda#485",
     .when = b77_when, .select = faulty_clear_slots},
    {"B78", "K", "K is not checked: one larger than the axis ends the process", "-",
     .trigger = "breaks=V03b", .seen = "tensorflow-directml-plugin#298", .ends = true,
     .answer = b78_answer,
     .few = "it ends the process, so that a group counts its first case only"},
    {"B80", "K", "K is ignored: the whole sequence is written", "M02", .trigger = "rest>=1",
     .seen = "coremltools#1004", .write = b80_write},
    {0},
};
