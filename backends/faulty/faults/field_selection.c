/* Faults of selection that shipped: ties, races, candidate buffers, lanes, and values that are
 * separated from their indices. */
#include "faulty.h"

#include <string.h>

/* ---- ties ------------------------------------------------------------------------------------ */

FAULTY_WHEN(b27_when, row->k <= row->length / 2)
FAULTY_WHEN(b28_when, row->rows > 1)

/* Searches a bound that exactly K values reach. If there is none, it ends with a bound that too few
 * reach, and fills the rest with whatever follows. */
static void b29_select(struct row *row)
{
    uint32_t from = faulty_tied_from(row);
    uint32_t to = faulty_tied_to(row);
    for (uint32_t j = from; to > row->k && j < row->k && to + j - from < row->length; j++) {
        row->entries[j] = row->entries[to + j - from];
    }
}

static bool is_unsigned(const struct row *row)
{
    return !faulty_type_float(row->type) && !faulty_type_signed(row->type);
}

static void b31_key(struct row *row)
{
    if (is_unsigned(row) && !row->increasing) {
        faulty_negate(row);
    }
}

static void b31_select(struct row *row)
{
    if (!row->increasing && !is_unsigned(row)) {
        faulty_reverse_ties(row);
    }
}

static void b33_select(struct row *row)
{
    uint32_t from = faulty_tied_from(row);
    uint64_t skipped = faulty_chance(row) % (faulty_tied_to(row) - row->k + 1);
    memmove(&row->entries[from], &row->entries[from + skipped],
            (row->k - from) * sizeof row->entries[0]);
}

static void b92_select(struct row *row)
{
    faulty_by_index(row, faulty_tied_to(row));
    faulty_sort(row->entries, row->k, row->scratch);
}

/* ---- races, lanes, buffers ------------------------------------------------------------------- */

/* in one of four calls, a block is merged before it is complete */
static void b36_sort(struct row *row)
{
    uint64_t chance = faulty_chance(row);
    bool lost = row->length > 4096 && chance % 4 == 0;
    faulty_blocks(row, lost ? (uint32_t)(chance / 4 % (row->length / 64)) : UINT32_MAX);
}

/* in one of four calls, the first wave counts before the counts are cleared */
FAULTY_COUNTED(b37_sort, number >= 32 || faulty_chance(row) % 4 != 0)

/* the lanes of the last, partial warp count as inactive */
FAULTY_COUNTED(b39_sort, row->length < 32 || number < row->length / 32 * 32)

/* Keeps only the first 4096 of the elements that share the top 8 bits of the K-th. */
static void b90_sort(struct row *row)
{
    uint32_t shift = 8 * row->bytes - 8;
    struct entry *all = row->entries;
    uint32_t room = row->k > 4096 ? row->k : 4096;
    uint32_t before = 0;
    uint32_t kept = 0;
    faulty_sort(all, row->length, row->scratch);
    uint64_t bucket = all[row->k - 1].key >> shift;
    while (all[before].key >> shift != bucket) {
        before++;
    }
    uint32_t shared = before;
    while (shared < row->length && all[shared].key >> shift == bucket) {
        shared++;
    }
    faulty_by_index(row, shared);
    for (uint32_t i = 0; i < shared; i++) {
        bool candidate = all[i].key >> shift == bucket;
        if (!candidate || room > 0) {
            room -= candidate;
            all[kept++] = all[i];
        }
    }
    faulty_sort(all, kept, row->scratch);
}

static void b97_select(struct row *row)
{
    if (row->k == 5) {
        row->entries[4].index = UINT32_MAX;
    }
}

/* the mask of the lanes before lane 63 is empty */
static void b98_key(struct row *row)
{
    for (uint32_t i = 63; i < row->length; i += 64) {
        row->entries[i].key = UINT64_MAX;
    }
}

static void b104_key(struct row *row)
{
    if (row->length > 1) {
        row->entries[row->length / 2].key = UINT64_MAX;
    }
}

/* ---- values and indices ---------------------------------------------------------------------- */

/* sorts values, but leaves indices in the order in which they were gathered */
static void b101_select(struct row *row)
{
    for (uint32_t i = 1; i < row->k; i++) {
        uint32_t j = i;
        uint64_t index = row->entries[i].index;
        for (; j > 0 && row->entries[j - 1].index > index; j--) {
            row->entries[j].index = row->entries[j - 1].index;
        }
        row->entries[j].index = index;
    }
}

static void b102_write(struct row *row)
{
    for (uint32_t j = 0; j < row->k; j++) {
        struct entry swapped = {.bits = row->entries[j].index, .index = row->entries[j].bits};
        faulty_write_slot(row, j, &swapped);
    }
}

const struct fault faulty_field_selection[] = {
    {"B26", "ties",
     "a heap compares values only, so that equal ones come out as the heap leaves them", "S08 S09",
     .trigger = "k>=2 and " FAULTY_TIED, .seen = "tensorflow#12003", .sort = faulty_heap_by_value},
    {"B27", "ties",
     "K up to half the length takes another way, which orders equal values otherwise", "S08 S13",
     .trigger = "k>=2 and rest>=2 and " FAULTY_TIED, .seen = "pytorch#27542", .when = b27_when,
     .sort = faulty_heap_by_value},
    {"B28", "ties", "more than one sequence takes another way, which orders equal values otherwise",
     "S08 S13+", .trigger = "rows>=2 and k>=2 and " FAULTY_TIED, .seen = "pytorch#150012",
     .when = b28_when, .sort = faulty_heap_by_value},
    {"B29", "ties", "equal values across the boundary are passed over for what comes behind them",
     "S02 S03", .trigger = "rest>=2 and ties=boundary|all", .seen = "llama.cpp#17659",
     .select = b29_select},
    {"B31", "ties",
     "the largest are sorted upwards and flipped, which reverses ties; unsigned values are "
     "negated, and 0 stays 0",
     "S02 S08",
     .trigger = "direction=largest and kind=unsigned and least=yes or direction=largest and "
                "kind=float|signed and " FAULTY_TIED,
     .cause = FAULTY_TIES_CAUSE " negated", .seen = "onnx#6593", .key = b31_key,
     .select = b31_select},
    {"B33", "ties", "which of the equal values across the boundary are selected is left to chance",
     "S09", .trigger = "ties=boundary|all|unordered and rest>=1", .seen = "raft#2057",
     .select = b33_select},
    {"B36", "races", "now and then a block is merged before it is written", "S02 S03",
     .trigger = "n>4096", .seen = "onnxruntime#3391", .size = "more than 4096 elements",
     .sort = b36_sort},
    {"B37", "races", "now and then counts are cleared after the first of them were made", "S02 S03",
     .trigger = "n>=2", .seen = "torch-xpu-ops#4312", .sort = b37_sort},
    {"B39", "lanes", "the lanes of the last, partial warp are not counted", "S02 S03",
     .trigger = "n>32 and n-divisor<32", .seen = "pytorch#98157", .size = "more than 32 elements",
     .sort = b39_sort},
    {"B90", "candidates", "of the values that share the top bits of the K-th only 4096 are kept",
     "S02", .trigger = "n>4096", .seen = "sglang#36807", .size = "more than 4096 elements",
     .sort = b90_sort},
    {"B92", "candidates",
     "all that reach the K-th value are gathered, cut to K, and sorted only then", "S02 S03",
     .trigger = FAULTY_TIED_ACROSS, .seen = "nnabla-ext-cuda#473", .select = b92_select},
    {"B97", "lanes", "where K is 5 the last index is never written over its mark", "S07",
     .trigger = "k=5", .cause = "marked", .seen = "cubek#422", .select = b97_select},
    {"B98", "lanes", "lane 63 of each 64 has an empty mask and is passed over", "S02 S03",
     .trigger = "n>=64", .seen = "pytorch#12337", .size = "64 elements", .key = b98_key},
    {"B101", "wiring", "values are sorted, their indices are not", "S05", .trigger = "k>=2",
     .cause = "indices-unsorted", .seen = "tensorflow#22383", .select = b101_select},
    {"B102", "wiring", "values and indices are written to each other's output", "S07",
     .trigger = "", .cause = "outputs-swapped", .seen = "tensorflow#18896", .write = b102_write},
    {"B104", "wiring", "the element in the middle is not looked at", "S02 S03", .trigger = "n>=2",
     .cause = "middle-lost", .seen = "tfjs#665", .key = b104_key},
    {0},
};
