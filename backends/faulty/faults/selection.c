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
    {.name = "ties-descending",
     .class = "order",
     .about = "equal values by descending index",
     .clauses = "S08 S09",
     .select = faulty_reverse_ties},
    {.name = "boundary-tie-high",
     .class = "order",
     .about = "of equal values across the boundary those of the highest indices",
     .clauses = "S09",
     .select = faulty_boundary_high},
    {.name = "block-tie-high",
     .class = "order",
     .about = "the same in sequences of more than 64",
     .clauses = "S09",
     .select = blocks},
    {.name = "flat-index",
     .class = "order",
     .about = "indices that count from the start of the tensor",
     .clauses = "S06",
     .select = flat_index},
    {.name = "index-scaled-by-stride",
     .class = "order",
     .about = "indices times the stride of the axis",
     .clauses = "S06",
     .select = scaled_index},
    {.name = "index-one-based",
     .class = "order",
     .about = "indices that count from 1",
     .clauses = "S06",
     .select = one_based},
    {.name = "wrong-direction",
     .class = "order",
     .about = "TOP_K1 takes one direction for the other",
     .clauses = "S03",
     .key = wrong_direction},
    {.name = "top-k-smallest",
     .class = "order",
     .about = "TOP_K selects the smallest",
     .clauses = "S02",
     .key = always_smallest},
    {.name = "ignores-k-order",
     .class = "order",
     .about = "the selected are not sorted",
     .clauses = "S04 S08",
     .select = faulty_reverse_selected},
    {.name = "duplicate-index",
     .class = "order",
     .about = "the last selected is the one before it",
     .clauses = "S07",
     .select = duplicate},
    {.name = "skips-one",
     .class = "order",
     .about = "the last selected is the one behind it",
     .clauses = "S02 S03",
     .select = skips_one},
    {.name = "wrong-value-row",
     .class = "order",
     .about = "values are those of the next index",
     .clauses = "S05",
     .select = wrong_value},
    {.name = "batch-row-dependence",
     .class = "order",
     .about = "every second sequence has its ties reversed",
     .clauses = "S08 S13+",
     .select = batch_dependence},
    {.name = "flags-change-result",
     .class = "order",
     .about = "an execution flag reverses ties",
     .clauses = "S08 M09",
     .select = second_flag},
    {.name = "twin-differs",
     .class = "order",
     .about = "TOP_K reverses ties, TOP_K1 does not",
     .clauses = "S08 S10",
     .select = top_k_only},
    {.name = "k-dependence",
     .class = "order",
     .about = "an even K reverses ties",
     .clauses = "S08 S13",
     .select = k_dependence},
    {.name = "alignment-dependence",
     .class = "order",
     .about = "an alignment of 256 reverses ties",
     .clauses = "S08 M06",
     .select = alignment_dependence},
    {0},
};
