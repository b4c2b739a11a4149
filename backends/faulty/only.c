/* Faults that strike for one rank, axis, type, direction, layout, K or size, and nowhere else: each
 * is a condition and what goes wrong under it. */
#include "faulty.h"

static uint32_t rank(const struct row *row)
{
    return row->call->input->dimension_count;
}

static uint64_t step(const struct row *row, enum role role)
{
    return row->tensors[role].strides[row->call->axis];
}

static bool strided(const struct row *row, enum role role)
{
    const struct topk_backend_tensor *const tensors[] = {row->call->input, row->call->value,
                                                         row->call->index};
    return tensors[role]->strides != NULL;
}

static bool has_wide_index(const struct row *row)
{
    return row->tensors[INDEX].bytes == 8;
}

/* ---- rank and axis ---- */
FAULTY_WHEN(rank_1, rank(row) == 1)
FAULTY_WHEN(rank_3, rank(row) == 3)
FAULTY_WHEN(rank_5, rank(row) == 5)
FAULTY_WHEN(rank_7, rank(row) == 7)
FAULTY_WHEN(rank_8, rank(row) == 8)
FAULTY_WHEN(axis_1_of_3, rank(row) == 3 && row->call->axis == 1)
FAULTY_WHEN(axis_2_of_4, rank(row) == 4 && row->call->axis == 2)
FAULTY_WHEN(axis_beyond_3, row->call->axis > 3)

/* ---- types ---- */
FAULTY_WHEN(f16_up, row->type == TOPK_BACKEND_FLOAT16 && row->increasing)
FAULTY_WHEN(i16_down, row->type == TOPK_BACKEND_INT16 && !row->increasing)
FAULTY_WHEN(u64_up, row->type == TOPK_BACKEND_UINT64 && row->increasing)
FAULTY_WHEN(u16_rank_2, row->type == TOPK_BACKEND_UINT16 && rank(row) == 2)
FAULTY_WHEN(i8_many, row->type == TOPK_BACKEND_INT8 && row->rows > 8)
FAULTY_WHEN(u32_wide, row->type == TOPK_BACKEND_UINT32 && has_wide_index(row))
FAULTY_WHEN(i64_one, row->type == TOPK_BACKEND_INT64 && row->k == 1)

/* ---- direction ---- */
FAULTY_WHEN(up_by_k1, row->increasing && row->k > 1)
FAULTY_WHEN(down_by_k1, row->call->operator_type == TOPK_OPERATOR_TOP_K1 && !row->increasing)

/* ---- layouts ---- */
FAULTY_WHEN(input_steps, step(row, INPUT) > 1 && strided(row, INPUT))
FAULTY_WHEN(input_broadcast, step(row, INPUT) == 0 && row->length > 1)
FAULTY_WHEN(only_index_strided, strided(row, INDEX) && !strided(row, VALUE) && !strided(row, INPUT))
FAULTY_WHEN(all_strided, strided(row, INDEX) && strided(row, VALUE) && strided(row, INPUT))
FAULTY_WHEN(offset_16, row->call->value_buffer.offset % 256 == 16)
FAULTY_WHEN(small_alignment, row->call->input->guaranteed_base_offset_alignment == 16)

/* ---- K and sizes ---- */
FAULTY_WHEN(k_1, row->k == 1)
FAULTY_WHEN(k_2, row->k == 2 && row->length > 2)
FAULTY_WHEN(k_all, row->k == row->length && row->k > 1)
FAULTY_WHEN(k_all_but_one, row->k + 1 == row->length)
FAULTY_WHEN(k_large, row->k > 64)
FAULTY_WHEN(k_power, row->k >= 8 && (row->k & (row->k - 1)) == 0)
FAULTY_WHEN(length_power, row->length >= 16 && row->length == row->padded)
FAULTY_WHEN(length_above_power, row->length > 16 && row->length == row->padded / 2 + 1)
FAULTY_WHEN(length_below_power, row->length > 16 && row->length == row->padded - 1)
FAULTY_WHEN(length_256, row->length == 256)
FAULTY_WHEN(length_above_2048, row->length > 2048)
FAULTY_WHEN(length_above_4096, row->length > 4096 && row->k < 100)
FAULTY_WHEN(length_odd, row->length > 8 && row->length % 2 == 1)
FAULTY_WHEN(row_33, row->number == 32)
FAULTY_WHEN(row_1024, row->number >= 1024)
FAULTY_WHEN(last_row, row->number > 0 && row->number + 1 == row->rows)

#define ONLY(id, kind, text, breaks, condition, step, spoil)                                       \
    {                                                                                              \
        .name = (id), .class = (kind), .about = (text), .clauses = (breaks), .when = (condition),  \
        .step = (spoil)                                                                            \
    }

const struct fault faulty_only[] = {
    ONLY("rank-1-ties", "axes", "one dimension: ties are reversed", "S08", rank_1, select,
         faulty_reverse_ties),
    ONLY("rank-3-first", "axes", "three dimensions: the best is lost", "S02 S03", rank_3, select,
         faulty_lose_first),
    ONLY("rank-5-unsorted", "axes", "five dimensions: the selected are in reverse", "S04", rank_5,
         select, faulty_reverse_selected),
    ONLY("rank-7-ties", "axes", "seven dimensions: ties are reversed", "S08", rank_7, select,
         faulty_reverse_ties),
    ONLY("rank-8-last", "axes", "eight dimensions: the K-th is lost", "S02 S03", rank_8, select,
         faulty_lose_last),
    ONLY("axis-1-of-3", "axes", "axis 1 of three: ties are reversed", "S08", axis_1_of_3, select,
         faulty_reverse_ties),
    ONLY("axis-2-of-4", "axes", "axis 2 of four: the best is lost", "S02 S03", axis_2_of_4, select,
         faulty_lose_first),
    ONLY("axis-beyond-3", "axes", "an axis above 3: ties are reversed", "S08", axis_beyond_3,
         select, faulty_reverse_ties),
    ONLY("f16-smallest-ties", "types", "the smallest of FLOAT16: ties are reversed", "S08", f16_up,
         select, faulty_reverse_ties),
    ONLY("i16-largest-last", "types", "the largest of INT16: the K-th is lost", "S02 S03", i16_down,
         select, faulty_lose_last),
    ONLY("u64-smallest-last", "types", "the smallest of UINT64: the K-th is lost", "S03", u64_up,
         select, faulty_lose_last),
    ONLY("u16-rank-2", "types", "UINT16 in two dimensions: ties are reversed", "S08", u16_rank_2,
         select, faulty_reverse_ties),
    ONLY("i8-many-rows", "types", "INT8 in more than 8 sequences: the best is lost", "S02 S03",
         i8_many, select, faulty_lose_first),
    ONLY("u32-wide-index", "types", "UINT32 with UINT64 indices: ties are reversed", "S08",
         u32_wide, select, faulty_reverse_ties),
    ONLY("i64-k-1", "types", "INT64 with K of 1: the best is lost", "S02 S03", i64_one, select,
         faulty_lose_first),
    ONLY("smallest-unsorted", "direction", "the smallest, K above 1: in reverse", "S04", up_by_k1,
         select, faulty_reverse_selected),
    ONLY("k1-largest-ties", "direction", "TOP_K1's largest: ties are reversed", "S08", down_by_k1,
         select, faulty_reverse_ties),
    ONLY("strided-axis-ties", "strides", "an input that is strided along the axis: ties reversed",
         "S08", input_steps, select, faulty_reverse_ties),
    ONLY("broadcast-axis-ties", "strides", "a stride of 0 along the axis: ties are reversed", "S08",
         input_broadcast, select, faulty_reverse_ties),
    ONLY("only-index-strided", "strides", "strides on the index output alone: a value is wrong",
         "S05", only_index_strided, select, faulty_spoil_value),
    ONLY("all-strided", "strides", "strides on all tensors: ties are reversed", "S08", all_strided,
         select, faulty_reverse_ties),
    ONLY("value-offset-16", "strides", "a value output at 16 of 256 bytes: a value is wrong", "S05",
         offset_16, select, faulty_spoil_value),
    ONLY("alignment-16", "strides", "an input's alignment of 16: ties are reversed", "S08",
         small_alignment, select, faulty_reverse_ties),
    ONLY("k-1-last-tie", "K", "K of 1: of equal values the last is taken", "S09", k_1, select,
         faulty_reverse_ties),
    ONLY("k-2-last", "K", "K of 2: the second is lost", "S02 S03", k_2, select, faulty_lose_last),
    ONLY("k-all-ties", "K", "K equal to the length: ties are reversed", "S08", k_all, select,
         faulty_reverse_ties),
    ONLY("k-all-but-one", "K", "K one less than the length: the K-th is lost", "S02 S03",
         k_all_but_one, select, faulty_lose_last),
    ONLY("k-above-64", "K", "K above 64: ties are reversed", "S08", k_large, select,
         faulty_reverse_ties),
    ONLY("k-power-of-two", "K", "K a power of two from 8 on: the K-th is lost", "S02 S03", k_power,
         select, faulty_lose_last),
    ONLY("length-power-of-two", "sizes", "a length that is a power of two: ties reversed", "S08",
         length_power, select, faulty_reverse_ties),
    ONLY("length-above-power", "sizes", "a length of 2^p + 1: the K-th is lost", "S02 S03",
         length_above_power, select, faulty_lose_last),
    ONLY("length-below-power", "sizes", "a length of 2^p - 1: ties are reversed", "S08",
         length_below_power, select, faulty_reverse_ties),
    ONLY("length-256", "sizes", "256 elements: the best is lost", "S03", length_256, select,
         faulty_lose_first),
    ONLY("length-above-2048", "sizes", "more than 2048 elements: ties are reversed", "S08",
         length_above_2048, select, faulty_reverse_ties),
    ONLY("length-above-4096", "sizes", "more than 4096 elements, K below 100: the K-th is lost",
         "S02 S03", length_above_4096, select, faulty_lose_last),
    ONLY("length-odd", "sizes", "an odd length above 8: ties are reversed", "S08", length_odd,
         select, faulty_reverse_ties),
    ONLY("row-33", "sizes", "the 33rd sequence: the best is lost", "S02 S03", row_33, select,
         faulty_lose_first),
    ONLY("row-1024", "limits", "from the 1025th sequence on ties are reversed", "S08", row_1024,
         select, faulty_reverse_ties),
    ONLY("last-row", "sizes", "the last of several sequences: the K-th is lost", "S02 S03",
         last_row, select, faulty_lose_last),
    {0},
};
