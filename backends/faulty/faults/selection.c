/* Faults of order and selection, and dependence on what a result must not depend on. */
#include "faulty.h"

FAULTY_WHEN(is_top_k, row->call->operator_type == TOPK_OPERATOR_TOP_K)
FAULTY_WHEN(is_top_k1, row->call->operator_type == TOPK_OPERATOR_TOP_K1)
FAULTY_WHEN(every_second, row->number % 2 == 1)
FAULTY_WHEN(is_volatile, (row->call->execution_flags & TOPK_EXECUTION_DESCRIPTORS_VOLATILE) != 0)
FAULTY_WHEN(aligned_256, row->call->input->guaranteed_base_offset_alignment >= 256)
/* for an even K another algorithm runs */
FAULTY_WHEN(even_k, row->k % 2 == 0)
/* blocks of 64 are merged regardless of the index */
FAULTY_WHEN(several_blocks, row->length > 64)

FAULTY_INDEX(flat_index,
             row->tensors[INPUT].at + index * row->tensors[INPUT].strides[row->call->axis])
FAULTY_INDEX(scaled_index, index * row->tensors[INPUT].strides[row->call->axis])
FAULTY_INDEX(one_based, index + 1)

static void duplicate(struct row *row)
{
    if (row->k > 1) {
        row->entries[row->k - 1] = row->entries[row->k - 2];
    }
}

static void wrong_value(struct row *row)
{
    for (uint32_t j = 0; j + 1 < row->k; j++) {
        row->entries[j].bits = row->entries[j + 1].bits;
    }
}

const struct fault faulty_selection[] = {
    {"ties-descending", "order", "equal values by descending index", "S08 S09",
     .trigger = FAULTY_TIED, .cause = FAULTY_TIES_CAUSE, .select = faulty_reverse_ties},
    {"boundary-tie-high", "order",
     "of equal values across the boundary those of the highest indices", "S09",
     .trigger = FAULTY_TIED_ACROSS, .cause = "ties-high", .select = faulty_boundary_high},
    {"block-tie-high", "order", "the same in sequences of more than 64", "S09",
     .trigger = "n>64 and " FAULTY_TIED_ACROSS, .cause = "ties-high", .when = several_blocks,
     .select = faulty_boundary_high},
    {"flat-index", "order", "indices that count from the start of the tensor", "S06",
     .trigger = "rows>=2 or stride>=2 and n>=2 or stride=0 and n>=2",
     .cause = "flat-index memory-index", .select = flat_index},
    {"index-scaled-by-stride", "order", "indices times the stride of the axis", "S06",
     .trigger = "stride>=2 and n>=2 or stride=0 and n>=2", .cause = "scaled-index",
     .select = scaled_index},
    {"index-one-based", "order", "indices that count from 1", "S06", .trigger = "",
     .cause = "one-based-index", .select = one_based},
    {"wrong-direction", "order", "TOP_K1 takes one direction for the other", "S03",
     .trigger = "operator=top_k1 and n>=2", .cause = "opposite-direction", .when = is_top_k1,
     .key = faulty_turn_keys},
    {"top-k-smallest", "order", "TOP_K selects the smallest", "S02",
     .trigger = "operator=top_k and n>=2", .cause = "opposite-direction", .when = is_top_k,
     .key = faulty_turn_keys},
    {"ignores-k-order", "order", "the selected are not sorted", "S04 S08", .trigger = "k>=2",
     .cause = "opposite-order unsorted", .select = faulty_reverse_selected},
    {"duplicate-index", "order", "the last selected is the one before it", "S07", .trigger = "k>=2",
     .select = duplicate},
    {"skips-one", "order", "the last selected is the one behind it", "S02 S03",
     .trigger = "rest>=1", .cause = "kth-lost", .select = faulty_lose_last},
    {"wrong-value-row", "order", "values are those of the next index", "S05", .trigger = "k>=2",
     .select = wrong_value},
    {"batch-row-dependence", "order", "every second sequence has its ties reversed", "S08 S13+",
     .trigger = "rows>=2 and " FAULTY_TIED, .cause = FAULTY_TIES_CAUSE, .when = every_second,
     .select = faulty_reverse_ties},
    /* no trigger: no condition can ask for DESCRIPTORS_VOLATILE */
    {"flags-change-result", "order", "an execution flag reverses ties", "S08 M09",
     .when = is_volatile, .select = faulty_reverse_ties},
    {"twin-differs", "order", "TOP_K reverses ties, TOP_K1 does not", "S08 S10",
     .trigger = "operator=top_k and " FAULTY_TIED, .cause = FAULTY_TIES_CAUSE, .when = is_top_k,
     .select = faulty_reverse_ties},
    {"k-dependence", "order", "an even K reverses ties", "S08 S13",
     .trigger = "k-divisor>=2 and " FAULTY_TIED, .cause = FAULTY_TIES_CAUSE, .when = even_k,
     .select = faulty_reverse_ties},
    {"alignment-dependence", "order", "an alignment of 256 reverses ties", "S08 M06",
     .trigger = "alignment>=256 and " FAULTY_TIED, .cause = FAULTY_TIES_CAUSE, .when = aligned_256,
     .select = faulty_reverse_ties},
    {0},
};
