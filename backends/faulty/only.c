/* Faults that strike only for one rank, axis, type, direction, layout, K or size: each is a
 * condition and what goes wrong under it. */
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

/* ONLY(name, id, class, clauses, spoil, where, condition, about): `where` is the text of a
 * condition for what `condition` says in C, without what the step itself needs */
#define ONLY_FAULTS(ONLY)                                                                          \
    ONLY(rank_1, "rank-1-ties", "axes", "S08", reverse_ties, "rank=1", rank(row) == 1,             \
         "one dimension: ties are reversed")                                                       \
    ONLY(rank_3, "rank-3-first", "axes", "S02 S03", lose_first, "rank=3", rank(row) == 3,          \
         "three dimensions: the best is lost")                                                     \
    ONLY(rank_5, "rank-5-unsorted", "axes", "S04", reverse_selected, "rank=5", rank(row) == 5,     \
         "five dimensions: the selected are in reverse")                                           \
    ONLY(rank_7, "rank-7-ties", "axes", "S08", reverse_ties, "rank=7", rank(row) == 7,             \
         "seven dimensions: ties are reversed")                                                    \
    ONLY(rank_8, "rank-8-last", "axes", "S02 S03", lose_last, "rank=8", rank(row) == 8,            \
         "eight dimensions: the K-th is lost")                                                     \
    ONLY(axis_1_of_3, "axis-1-of-3", "axes", "S08", reverse_ties, "rank=3 and axis=middle",        \
         rank(row) == 3 && row->call->axis == 1, "axis 1 of three: ties are reversed")             \
    ONLY(axis_2_of_4, "axis-2-of-4", "axes", "S02 S03", lose_first, "rank=4 and axis=middle",      \
         rank(row) == 4 && row->call->axis == 2, "axis 2 of four: the best is lost")               \
    ONLY(axis_beyond_3, "axis-beyond-3", "axes", "S08", reverse_ties,                              \
         "rank>=5 and axis=middle|last", row->call->axis > 3,                                      \
         "an axis above 3: ties are reversed")                                                     \
    ONLY(f16_up, "f16-smallest-ties", "types", "S08", reverse_ties,                                \
         "type=f16 and direction=smallest", row->type == TOPK_BACKEND_FLOAT16 && row->increasing,  \
         "the smallest of FLOAT16: ties are reversed")                                             \
    ONLY(i16_down, "i16-largest-last", "types", "S02 S03", lose_last,                              \
         "type=i16 and direction=largest", row->type == TOPK_BACKEND_INT16 && !row->increasing,    \
         "the largest of INT16: the K-th is lost")                                                 \
    ONLY(u64_up, "u64-smallest-last", "types", "S03", lose_last,                                   \
         "type=u64 and direction=smallest", row->type == TOPK_BACKEND_UINT64 && row->increasing,   \
         "the smallest of UINT64: the K-th is lost")                                               \
    ONLY(u16_rank_2, "u16-rank-2", "types", "S08", reverse_ties, "type=u16 and rank=2",            \
         row->type == TOPK_BACKEND_UINT16 && rank(row) == 2,                                       \
         "UINT16 in two dimensions: ties are reversed")                                            \
    ONLY(i8_many, "i8-many-rows", "types", "S02 S03", lose_first, "type=i8 and rows>8",            \
         row->type == TOPK_BACKEND_INT8 && row->rows > 8,                                          \
         "INT8 in more than 8 sequences: the best is lost")                                        \
    ONLY(u32_wide, "u32-wide-index", "types", "S08", reverse_ties, "type=u32 and index=u64",       \
         row->type == TOPK_BACKEND_UINT32 && has_wide_index(row),                                  \
         "UINT32 with UINT64 indices: ties are reversed")                                          \
    ONLY(i64_one, "i64-k-1", "types", "S02 S03", lose_first, "type=i64 and k=1",                   \
         row->type == TOPK_BACKEND_INT64 && row->k == 1, "INT64 with K of 1: the best is lost")    \
    ONLY(up_by_k1, "smallest-unsorted", "direction", "S04", reverse_selected,                      \
         "direction=smallest", row->increasing && row->k > 1,                                      \
         "the smallest, K above 1: in reverse")                                                    \
    ONLY(down_by_k1, "k1-largest-ties", "direction", "S08", reverse_ties,                          \
         "operator=top_k1 and direction=largest",                                                  \
         row->call->operator_type == TOPK_OPERATOR_TOP_K1 && !row->increasing,                     \
         "TOP_K1's largest: ties are reversed")                                                    \
    ONLY(input_steps, "strided-axis-ties", "strides", "S08", reverse_ties,                         \
         "stride>1 and input!=packed", step(row, INPUT) > 1 && strided(row, INPUT),                \
         "an input that is strided along the axis: ties reversed")                                 \
    ONLY(input_broadcast, "broadcast-axis-ties", "strides", "S08", reverse_ties, "stride=0",       \
         step(row, INPUT) == 0 && row->length > 1,                                                 \
         "a stride of 0 along the axis: ties are reversed")                                        \
    ONLY(only_index_strided, "only-index-strided", "strides", "S05", spoil_value,                  \
         "input=packed|slack and value-out=packed|slack and index-out!=packed",                    \
         strided(row, INDEX) && !strided(row, VALUE) && !strided(row, INPUT),                      \
         "strides on the index output alone: a value is wrong")                                    \
    ONLY(all_strided, "all-strided", "strides", "S08", reverse_ties,                               \
         "input!=packed and value-out!=packed and index-out!=packed",                              \
         strided(row, INDEX) && strided(row, VALUE) && strided(row, INPUT),                        \
         "strides on all tensors: ties are reversed")                                              \
    ONLY(offset_16, "value-offset-16", "strides", "S05", spoil_value, "value-offset>=16",          \
         row->call->value_buffer.offset % 256 == 16,                                               \
         "a value output at 16 of 256 bytes: a value is wrong")                                    \
    ONLY(small_alignment, "alignment-16", "strides", "S08", reverse_ties, "alignment=16",          \
         row->call->input->guaranteed_base_offset_alignment == 16,                                 \
         "an input's alignment of 16: ties are reversed",                                          \
         .few = "one test has ties at an alignment of 16")                                         \
    ONLY(k_1, "k-1-last-tie", "K", "S09", reverse_ties, "k=1", row->k == 1,                        \
         "K of 1: of equal values the last is taken")                                              \
    ONLY(k_2, "k-2-last", "K", "S02 S03", lose_last, "k=2", row->k == 2 && row->length > 2,        \
         "K of 2: the second is lost")                                                             \
    ONLY(k_all, "k-all-ties", "K", "S08", reverse_ties, "rest=0",                                  \
         row->k == row->length && row->k > 1, "K equal to the length: ties are reversed")          \
    ONLY(k_all_but_one, "k-all-but-one", "K", "S02 S03", lose_last, "rest=1",                      \
         row->k + 1 == row->length, "K one less than the length: the K-th is lost")                \
    ONLY(k_large, "k-above-64", "K", "S08", reverse_ties, "k>64", row->k > 64,                     \
         "K above 64: ties are reversed")                                                          \
    ONLY(k_power, "k-power-of-two", "K", "S02 S03", lose_last, "k-divisor>=8",                     \
         row->k >= 8 && (row->k & (row->k - 1)) == 0,                                              \
         "K a power of two from 8 on: the K-th is lost")                                           \
    ONLY(length_power, "length-power-of-two", "sizes", "S08", reverse_ties,                        \
         "n-divisor>=16 and length!=other", row->length >= 16 && row->length == row->padded,       \
         "a length that is a power of two: ties reversed")                                         \
    ONLY(length_above_power, "length-above-power", "sizes", "S02 S03", lose_last,                  \
         "n>16 and n-divisor=1 and length!=2^p-1|prime|other",                                     \
         row->length > 16 && row->length == row->padded / 2 + 1,                                   \
         "a length of 2^p + 1: the K-th is lost")                                                  \
    ONLY(length_below_power, "length-below-power", "sizes", "S08", reverse_ties,                   \
         "n>16 and n-divisor=1 and length!=2^p+1|prime|other",                                     \
         row->length > 16 && row->length == row->padded - 1,                                       \
         "a length of 2^p - 1: ties are reversed")                                                 \
    ONLY(length_256, "length-256", "sizes", "S03", lose_first, "n=256", row->length == 256,        \
         "256 elements: the best is lost")                                                         \
    ONLY(length_above_2048, "length-above-2048", "sizes", "S08", reverse_ties, "n>2048",           \
         row->length > 2048, "more than 2048 elements: ties are reversed")                         \
    ONLY(length_above_4096, "length-above-4096", "sizes", "S02 S03", lose_last,                    \
         "n>4096 and k<100", row->length > 4096 && row->k < 100,                                   \
         "more than 4096 elements, K below 100: the K-th is lost")                                 \
    ONLY(length_odd, "length-odd", "sizes", "S08", reverse_ties, "n>8 and n-divisor=1",            \
         row->length > 8 && row->length % 2 == 1, "an odd length above 8: ties are reversed")      \
    ONLY(row_33, "row-33", "sizes", "S02 S03", lose_first, "rows>=33", row->number == 32,          \
         "the 33rd sequence: the best is lost")                                                    \
    ONLY(row_1024, "row-1024", "limits", "S08", reverse_ties, "rows>1024", row->number >= 1024,    \
         "from the 1025th sequence on ties are reversed")                                          \
    ONLY(last_row, "last-row", "sizes", "S02 S03", lose_last, "rows>=2",                           \
         row->number > 0 && row->number + 1 == row->rows,                                          \
         "the last of several sequences: the K-th is lost")

/* what a step needs of a call, and the causes that describe it */
#define NEEDS_reverse_ties     FAULTY_TIED
#define NEEDS_reverse_selected "k>=2"
#define NEEDS_lose_first       "rest>=1"
#define NEEDS_lose_last        "rest>=1"
#define NEEDS_spoil_value      "k>=1"
#define CAUSE_reverse_ties     FAULTY_TIES_CAUSE
#define CAUSE_reverse_selected "opposite-order unsorted"
#define CAUSE_lose_first       "best-lost"
#define CAUSE_lose_last        "kth-lost"
#define CAUSE_spoil_value      NULL

#define PREDICATE(only, id, kind, breaks, spoil, where, condition, ...)                            \
    FAULTY_WHEN(when_##only, condition)
ONLY_FAULTS(PREDICATE)

/* an optional last argument says why few tests fail */
#define FAULT(only, id, kind, breaks, spoil, where, condition, ...)                                \
    {.name = (id),                                                                                 \
     .class = (kind),                                                                              \
     .about = __VA_ARGS__,                                                                         \
     .clauses = (breaks),                                                                          \
     .trigger = where " and " NEEDS_##spoil,                                                       \
     .cause = CAUSE_##spoil,                                                                       \
     .when = when_##only,                                                                          \
     .select = faulty_##spoil},
const struct fault faulty_only[] = {ONLY_FAULTS(FAULT){0}};
