/* Faults of order and selection, and of what a result may not depend on. */
#include "faulty.h"

#include <string.h>

static void wrong_direction(struct row *row)
{
    if (row->call->operator_type == TOPK_OPERATOR_TOP_K1) {
        faulty_turn_keys(row);
    }
}

static void always_smallest(struct row *row)
{
    if (row->call->operator_type == TOPK_OPERATOR_TOP_K) {
        faulty_turn_keys(row);
    }
}

static void flat_index(struct row *row)
{
    const struct tensor *input = &row->tensors[INPUT];
    for (uint32_t j = 0; j < row->k; j++) {
        row->entries[j].index = input->at + row->entries[j].index * input->strides[row->call->axis];
    }
}

static void scaled_index(struct row *row)
{
    for (uint32_t j = 0; j < row->k; j++) {
        row->entries[j].index *= row->tensors[INPUT].strides[row->call->axis];
    }
}

static void one_based(struct row *row)
{
    for (uint32_t j = 0; j < row->k; j++) {
        row->entries[j].index++;
    }
}

static void duplicate(struct row *row)
{
    if (row->k > 1) {
        row->entries[row->k - 1] = row->entries[row->k - 2];
    }
}

/* one more than the best: what a heap of K-1 leaves */
static void skips_one(struct row *row)
{
    if (row->k < row->length) {
        row->entries[row->k - 1] = row->entries[row->k];
    }
}

static void wrong_value(struct row *row)
{
    for (uint32_t j = 0; j + 1 < row->k; j++) {
        row->entries[j].bits = row->entries[j + 1].bits;
    }
}

static void batch_dependence(struct row *row)
{
    if (row->number % 2) {
        faulty_reverse_ties(row);
    }
}

static void second_flag(struct row *row)
{
    if (row->call->execution_flags & TOPK_EXECUTION_DESCRIPTORS_VOLATILE) {
        faulty_reverse_ties(row);
    }
}

static void top_k_only(struct row *row)
{
    if (row->call->operator_type == TOPK_OPERATOR_TOP_K) {
        faulty_reverse_ties(row);
    }
}

static void alignment_dependence(struct row *row)
{
    if (row->call->input->guaranteed_base_offset_alignment >= 256) {
        faulty_reverse_ties(row);
    }
}

/* where K is even another algorithm runs */
static void k_dependence(struct row *row)
{
    if (row->k % 2 == 0) {
        faulty_reverse_ties(row);
    }
}

/* blocks of 64 are merged without looking at the index */
static void blocks(struct row *row)
{
    if (row->length > 64) {
        faulty_boundary_high(row);
    }
}

const struct fault faulty_selection[] = {
    {"ties-descending", "order", "equal values by descending index", "S08 S09",
     .select = faulty_reverse_ties},
    {"boundary-tie-high", "order",
     "of equal values across the boundary those of the highest indices", "S09",
     .select = faulty_boundary_high},
    {"block-tie-high", "order", "the same in sequences of more than 64", "S09", .select = blocks},
    {"flat-index", "order", "indices that count from the start of the tensor", "S06",
     .select = flat_index},
    {"index-scaled-by-stride", "order", "indices times the stride of the axis", "S06",
     .select = scaled_index},
    {"index-one-based", "order", "indices that count from 1", "S06", .select = one_based},
    {"wrong-direction", "order", "TOP_K1 takes one direction for the other", "S03",
     .key = wrong_direction},
    {"top-k-smallest", "order", "TOP_K selects the smallest", "S02", .key = always_smallest},
    {"ignores-k-order", "order", "the selected are not sorted", "S04 S08",
     .select = faulty_reverse_selected},
    {"duplicate-index", "order", "the last selected is the one before it", "S07",
     .select = duplicate},
    {"skips-one", "order", "the last selected is the one behind it", "S02 S03",
     .select = skips_one},
    {"wrong-value-row", "order", "values are those of the next index", "S05",
     .select = wrong_value},
    {"batch-row-dependence", "order", "every second sequence has its ties reversed", "S08 S13+",
     .select = batch_dependence},
    {"flags-change-result", "order", "an execution flag reverses ties", "S08 M09",
     .select = second_flag},
    {"twin-differs", "order", "TOP_K reverses ties, TOP_K1 does not", "S08 S10",
     .select = top_k_only},
    {"k-dependence", "order", "an even K reverses ties", "S08 S13", .select = k_dependence},
    {"alignment-dependence", "order", "an alignment of 256 reverses ties", "S08 M06",
     .select = alignment_dependence},
    {0},
};
