/* Faults of heaps, bitonic networks and merging blocks: one step of each is wrong. */
#include "faulty.h"

/* ---- heaps ----------------------------------------------------------------------------------- */

FAULTY_WHEN(k_8, row->k >= 8)
FAULTY_WHEN(up, row->increasing)
FAULTY_WHEN(above_64, row->length > 64)
FAULTY_WHEN(above_256, row->length > 256)
FAULTY_WHEN(no_power, row->length != row->padded)
FAULTY_WHEN(cut_suffices, row->length != row->padded && row->k <= row->padded / 2)

/* an element enters if it is at least as good as the worst, so that later equal ones displace
 * earlier ones */
static bool not_after_key(const struct entry *a, const struct entry *b)
{
    return a->key <= b->key;
}

static void heap_lets_equals_in(struct row *row)
{
    faulty_heap(row, not_after_key);
    faulty_sort(row->entries, row->k, row->scratch);
}

/* the K slots count as full one element too early */
static void heap_skips_element(struct row *row)
{
    if (row->k < row->length) {
        row->entries[row->k].key = UINT64_MAX;
    }
    faulty_heap(row, faulty_before);
}

/* the heap is emptied one time too few */
static void heap_unsorted_end(struct row *row)
{
    faulty_heap(row, faulty_before);
    if (row->k > 2) {
        faulty_swap(&row->entries[0], &row->entries[1]);
    }
}

/* ---- networks -------------------------------------------------------------------------------- */

static void exchange_by_value(struct entry *a, struct entry *b)
{
    if (faulty_before_key(b, a)) {
        faulty_swap(a, b);
    }
}

/* also exchanges the indices of equal values */
static void exchange_equals(struct entry *a, struct entry *b)
{
    if (b->key <= a->key) {
        faulty_swap(a, b);
    }
}

static void network_by_value(struct row *row)
{
    faulty_network(row, &faulty_pad, exchange_by_value);
}

static void network_equals(struct row *row)
{
    faulty_network(row, &faulty_pad, exchange_equals);
}

/* exchanges values without their indices */
static void exchange_values(struct entry *a, struct entry *b)
{
    if (faulty_before(b, a)) {
        uint64_t bits = a->bits;
        uint64_t key = a->key;
        a->bits = b->bits;
        a->key = b->key;
        b->bits = bits;
        b->key = key;
    }
}

static void network_values(struct row *row)
{
    faulty_network(row, &faulty_pad, exchange_values);
}

/* one exchange of the network is missing: positions 0 and 1 are not compared at the end */
static void network_lacks_step(struct row *row)
{
    faulty_network(row, &faulty_pad, faulty_exchange_right);
    if (row->k > 1) {
        faulty_swap(&row->entries[0], &row->entries[1]);
    }
}

/* the pad is all zero bits, for any direction and type */
static void network_zero_pad(struct row *row)
{
    struct entry pad = {.key = faulty_key(row->type, 0) ^ row->flip};
    faulty_network(row, &pad, faulty_exchange_right);
}

/* the pad is a valid value of the type, the last in order, and ties are not broken by index */
static void network_legal_pad(struct row *row)
{
    uint64_t sign = faulty_sign(row->type);
    uint64_t least = faulty_type_float(row->type)    ? faulty_infinity(row->type) | sign
                     : faulty_type_signed(row->type) ? sign
                                                     : 0;
    uint64_t most = faulty_type_float(row->type)    ? faulty_infinity(row->type)
                    : faulty_type_signed(row->type) ? sign - 1
                                                    : sign | (sign - 1);
    struct entry pad = {.bits = row->increasing ? most : least};
    pad.key = faulty_key(row->type, pad.bits) ^ row->flip;
    faulty_network(row, &pad, exchange_equals);
    faulty_sort(row->entries, row->k, row->scratch);
}

/* the pad is the greatest finite number, so that infinities come after it */
static void network_finite_pad(struct row *row)
{
    struct entry pad = faulty_pad;
    if (faulty_type_float(row->type)) {
        uint64_t sign = row->increasing ? 0 : faulty_sign(row->type);
        pad.bits = (faulty_infinity(row->type) - 1) | sign;
        pad.key = faulty_key(row->type, pad.bits) ^ row->flip;
    }
    faulty_network(row, &pad, faulty_exchange_right);
}

/* the same, and the pad also comes before equal numbers */
static void network_mask_pad(struct row *row)
{
    const uint64_t sign = row->increasing ? 0 : faulty_sign(row->type);
    faulty_network_pad_first(row, (faulty_infinity(row->type) - 1) | sign);
}
FAULTY_WHEN(float_no_power,
            faulty_type_float(row->type) && row->length != row->padded && row->length > row->amount)

/* truncates the sequence to a power of two */
static void network_cut(struct row *row)
{
    faulty_forget(row, row->padded / 2);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Equal values of a later block come first; within a block their order is correct. */
static void later_block_first(struct row *row)
{
    uint64_t block = row->amount;
    for (uint32_t from = 0, to; from < row->length; from = to) {
        to = faulty_run_end(row, from);
        faulty_reverse(row->entries + from, to - from);
        for (uint32_t i = from, j; i < to; i = j) {
            j = i + 1;
            while (j < to && row->entries[j].index / block == row->entries[i].index / block) {
                j++;
            }
            faulty_reverse(row->entries + i, j - i);
        }
    }
}

static void first_block_lost(struct row *row)
{
    faulty_blocks(row, 0);
}

static void last_block_lost(struct row *row)
{
    bool whole = row->length % 64 == 0;
    faulty_blocks(row, whole ? UINT32_MAX : row->length / 64);
}

/* each block keeps only half of K, which suffices for evenly spread values */
static void half_of_each(struct row *row)
{
    uint32_t most = row->k / 2 + 1;
    uint32_t taken = 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < row->length && kept < row->k; i++) {
        if (row->entries[i].index / 64 != 0) {
            row->entries[kept++] = row->entries[i];
        } else if (taken < most) {
            taken++;
            row->entries[kept++] = row->entries[i];
        }
    }
}

const struct fault faulty_networks[] = {
    {"heap-by-value", "ties", "K of 8 and more: a heap that compares values only", "S08",
     .trigger = "k>=8 and " FAULTY_TIED, .when = k_8, .sort = faulty_heap_by_value},
    {"heap-lets-equals-in", "ties", "a heap in which later equals push earlier ones out", "S09",
     .trigger = FAULTY_TIED, .cause = "ties-high", .sort = heap_lets_equals_in},
    {"heap-skips-element", "K", "a heap that passes over the element behind the first K", "S02 S03",
     .trigger = "rest>=1", .sort = heap_skips_element},
    {"heap-end-unsorted", "order", "the first two of a heap of more than 2 are exchanged", "S04",
     .trigger = "k>=3", .cause = "unsorted", .sort = heap_unsorted_end},
    {"network-by-value", "ties", "a bitonic network that compares values only", "S08",
     .trigger = "n>=3 and " FAULTY_TIED " or " FAULTY_LIKE_PAD, .sort = network_by_value},
    {"network-by-value-large", "ties", "the same with more than 256 elements", "S08",
     .trigger = "n>256 and " FAULTY_TIED " or n>256 and " FAULTY_LIKE_PAD, .when = above_256,
     .sort = network_by_value},
    {"network-equals", "ties", "a bitonic network that exchanges equals", "S08",
     .trigger = "direction=smallest and " FAULTY_TIED, .when = up, .sort = network_equals},
    {"network-values", "wiring", "a bitonic network that leaves indices where they are", "S05",
     .trigger = "n>=2", .cause = "output-index", .sort = network_values},
    {"network-lacks-step", "order", "the last exchange of a bitonic network is missing", "S04",
     .trigger = "n>64 and k>=2", .cause = "unsorted", .when = above_64, .sort = network_lacks_step},
    {"network-zero-pad", "pads", "a bitonic network padded with zeros", "S07",
     .trigger = FAULTY_PADDED " and direction=largest and negative=yes or " FAULTY_PADDED
                              " and direction=smallest",
     .cause = "pad-zero", .sort = network_zero_pad},
    {"network-legal-pad", "pads", "a bitonic network padded with the worst value there is", "S07",
     .trigger = FAULTY_PADDED " and " FAULTY_TIED " or " FAULTY_PADDED
                              " and direction=largest and least=yes or " FAULTY_PADDED
                              " and direction=smallest and greatest=yes"
                              " or " FAULTY_PADDED " and direction=smallest and nan=yes",
     .cause = "pad-worst", .when = no_power, .sort = network_legal_pad},
    {"network-finite-pad", "pads", "a bitonic network padded with the last finite number", "S07",
     .trigger =
         FAULTY_PADDED " and direction=largest and kind=float and least=yes or " FAULTY_PADDED
                       " and direction=smallest and kind=float and greatest=yes or " FAULTY_PADDED
                       " and direction=smallest and nan=yes",
     .cause = "pad-finite", .sort = network_finite_pad},
    {"network-mask-pad", "pads",
     "a bitonic network whose pads, of the last finite number, come before masks that equal them",
     "S07", .trigger = FAULTY_PADDED " and kind=float", .cause = "pad-finite",
     .when = float_no_power, .sort = network_mask_pad},
    {"network-mask-pad-4096", "pads", "the same with more than 4096 elements", "S07",
     .trigger = FAULTY_PADDED " and kind=float and n>4096", .cause = "pad-finite",
     .size = "more than 4096 elements", .when = float_no_power, .sort = network_mask_pad,
     .amount = 4096},
    {"network-mask-pad-32768", "pads", "the same with more than 32768 elements", "S07",
     .trigger = FAULTY_PADDED " and kind=float and n>32768", .cause = "pad-finite",
     .size = "more than 32768 elements", .when = float_no_power, .sort = network_mask_pad,
     .amount = 32768},
    {"network-cut", "sizes", "a sequence is cut to a power of two", "S02 S03",
     .trigger = FAULTY_PADDED " and rest>=1", .cause = "one-less", .when = cut_suffices,
     .key = network_cut},
    {"ties-across-32", "blocks", "across borders of 32 elements the later of equals is first",
     "S08", .trigger = "n>32 and " FAULTY_TIED, .select = later_block_first, .amount = 32},
    {"ties-across-64", "blocks", "across borders of 64 elements the later of equals is first",
     "S08", .trigger = "n>64 and " FAULTY_TIED, .select = later_block_first, .amount = 64},
    {"ties-across-256", "blocks", "across borders of 256 elements the later of equals is first",
     "S08", .trigger = "n>256 and " FAULTY_TIED, .select = later_block_first, .amount = 256},
    {"ties-across-1024", "blocks", "across borders of 1024 elements the later of equals is first",
     "S08", .trigger = "n>1024 and " FAULTY_TIED, .select = later_block_first, .amount = 1024},
    {"ties-across-4096", "blocks", "across borders of 4096 elements the later of equals is first",
     "S08", .trigger = "n>4096 and " FAULTY_TIED, .select = later_block_first, .amount = 4096},
    {"first-block-lost", "races", "the first of several blocks of 64 is merged before it is there",
     "S02 S03", .trigger = "n>64", .when = above_64, .sort = first_block_lost},
    {"last-block-lost", "races", "the last, partial block of 64 is never merged", "S02 S03",
     .trigger = "n>64 and n-divisor<64", .cause = "one-less", .when = above_64,
     .sort = last_block_lost},
    {"half-of-a-block", "candidates", "the first block of 64 yields half of K at most", "S02 S03",
     .trigger = "n>64 and k>=3", .when = above_64, .select = half_of_each},
    {0},
};
