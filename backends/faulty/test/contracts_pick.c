/* Ways to select with a known effect on ties; none of them is the judge's. */
#include "contracts.h"

#include <string.h>

static void swap(uint32_t *a, uint32_t *b)
{
    const uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

static void reverse(uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        swap(&order[i], &order[count - 1 - i]);
    }
}

/* ---- a heap with the worst selected element at its root; its ties depend on the heap
 * -------------- */

/* above 0: a is worse than b */
static int compare_in_heap(const struct row *row, uint32_t a, uint32_t b)
{
    const int order = contracts_compare(row, a, b);
    return order == 0 && row->by_place ? (row->scratch[a] > row->scratch[b] ? 1 : -1) : order;
}

static void sift(const struct row *row, uint32_t *heap, uint32_t count, uint32_t at)
{
    for (;;) {
        const uint32_t left = 2 * at + 1;
        uint32_t worst = at;
        for (uint32_t child = left; child < count && child <= left + !row->left_child; child++) {
            if (compare_in_heap(row, heap[child], heap[worst]) > 0) {
                worst = child;
            }
        }
        if (worst == at) {
            return;
        }
        swap(&heap[at], &heap[worst]);
        at = worst;
    }
}

void pick_heap_left(struct row *row)
{
    uint32_t *const heap = row->order;
    for (uint32_t i = row->k / 2; i-- > 0;) {
        sift(row, heap, row->k, i);
    }
    for (uint32_t i = row->k; i < row->length; i++) {
        if (compare_in_heap(row, heap[i], heap[0]) < 0) {
            swap(&heap[i], &heap[0]);
            sift(row, heap, row->k, 0);
        }
    }
}

void pick_heap(struct row *row)
{
    pick_heap_left(row);
    for (uint32_t left = row->k; left > 1; left--) {
        swap(&row->order[0], &row->order[left - 1]);
        sift(row, row->order, left - 1, 0);
    }
}

/* ---- partitioning by pivots, which depend on K and on the number of the sequence
 * ------------------- */

/* partitions order[from..to-1] into the elements before the pivot, its equals, and the others */
static void part(struct row *row, uint32_t from, uint32_t to, uint32_t *before, uint32_t *behind)
{
    const uint64_t mixed = (row->row + 1) * 2654435761u ^ row->k * UINT64_C(40503);
    const uint32_t pivot = row->order[from + (uint32_t)(mixed % (to - from))];
    uint32_t at = from;
    while (at < to) {
        const int order = contracts_compare(row, row->order[at], pivot);
        if (order < 0) {
            swap(&row->order[from++], &row->order[at++]);
        } else if (order > 0) {
            swap(&row->order[--to], &row->order[at]);
        } else {
            at++;
        }
    }
    *before = from;
    *behind = to;
}

/* sorts order[0..count-1] with Shell's gaps, so that equal elements may be exchanged */
static void sort_unstably(struct row *row, uint32_t count)
{
    uint32_t gap = 1;
    while (gap < count / 3) {
        gap = 3 * gap + 1;
    }
    for (; gap > 0; gap /= 3) {
        for (uint32_t i = gap; i < count; i++) {
            const uint32_t moved = row->order[i];
            uint32_t at = i;
            while (at >= gap && contracts_compare(row, moved, row->order[at - gap]) < 0) {
                row->order[at] = row->order[at - gap];
                at -= gap;
            }
            row->order[at] = moved;
        }
    }
}

void pick_quick(struct row *row)
{
    uint32_t from = 0;
    uint32_t to = row->length;
    while (to - from > 1) {
        uint32_t before;
        uint32_t behind;
        part(row, from, to, &before, &behind);
        if (row->k <= before) {
            to = before;
        } else if (row->k >= behind) {
            from = behind;
        } else {
            break;
        }
    }
    sort_unstably(row, row->k);
}

/* ---- the same heap, which also compares positions: ties keep the order in which they are examined
 * -- */

static void sort_stably(struct row *row)
{
    for (uint32_t i = 0; i < row->length; i++) {
        row->scratch[row->order[i]] = i;
    }
    row->by_place = true;
    pick_heap(row);
    row->by_place = false;
}

void pick_lowest(struct row *row)
{
    sort_stably(row);
}

void pick_highest(struct row *row)
{
    reverse(row->order, row->length);
    sort_stably(row);
}

/* the worst first */
void pick_highest_turned(struct row *row)
{
    pick_highest(row);
    reverse(row->order, row->k);
}

/* marks the selected elements and gathers them in order of index, like compaction */
void pick_by_index(struct row *row)
{
    sort_stably(row);
    memset(row->scratch, 0, row->length * sizeof *row->scratch);
    for (uint32_t i = 0; i < row->k; i++) {
        row->scratch[row->order[i]] = 1;
    }
    uint32_t first = 0;
    uint32_t other = row->k;
    for (uint32_t i = 0; i < row->length; i++) {
        row->order[row->scratch[i] ? first++ : other++] = i;
    }
}

/* ---- starting at an element that the number of the call decides, like threads in any order
 * --------- */

static void rotate(struct row *row)
{
    const uint64_t start = (row->batch->calls * 7 + row->row * 3) % row->length;
    for (uint32_t i = 0; i < row->length; i++) {
        row->scratch[i] = row->order[(start + i) % row->length];
    }
    memcpy(row->order, row->scratch, row->length * sizeof *row->order);
}

void pick_rotated(struct row *row)
{
    rotate(row);
    sort_stably(row);
}

void pick_rotated_left(struct row *row)
{
    rotate(row);
    pick_heap_left(row);
}

/* ---- by the digits of the bits: zeros are signed, denormals exact
 * ---------------------------------- */

static uint64_t digits_of(const struct row *row, uint32_t index)
{
    const uint64_t sign = contracts_sign(row->type);
    uint64_t digits = row->codes[index];
    if (contracts_float(row->type)) {
        digits = digits & sign ? ~digits & (sign - 1) : digits | sign;
    } else if (contracts_signed(row->type)) {
        digits ^= sign;
    }
    return row->smallest ? digits : ~digits;
}

void pick_radix(struct row *row)
{
    for (uint32_t shift = 0; shift < 8 * contracts_bytes(row->type); shift += 8) {
        uint32_t starts[257] = {0};
        for (uint32_t i = 0; i < row->length; i++) {
            starts[(digits_of(row, i) >> shift & 255) + 1]++;
        }
        for (uint32_t digit = 0; digit < 256; digit++) {
            starts[digit + 1] += starts[digit];
        }
        for (uint32_t i = 0; i < row->length; i++) {
            const uint32_t index = row->order[i];
            row->scratch[starts[digits_of(row, index) >> shift & 255]++] = index;
        }
        memcpy(row->order, row->scratch, row->length * sizeof *row->order);
    }
}
