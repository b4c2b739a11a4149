/* Faults of contracts.def in which elements are selected, and in their order. */
#include "contracts.h"

#include <string.h>

/* ---- queries
 * --------------------------------------------------------------------------------------- */

static bool selected(const struct row *row, uint32_t index)
{
    for (uint32_t j = 0; j < row->k; j++) {
        if (row->order[j] == index) {
            return true;
        }
    }
    return false;
}

/* the position of the best or the worst selected element: `sign` is 1 or -1 */
static uint32_t extreme(const struct row *row, int sign)
{
    uint32_t at = 0;
    for (uint32_t j = 1; j < row->k; j++) {
        at = sign * contracts_compare(row, row->order[j], row->order[at]) < 0 ? j : at;
    }
    return at;
}

/* the best element that is not selected; false if there is none */
static bool best_outside(const struct row *row, uint32_t *best)
{
    bool any = false;
    for (uint32_t i = 0; i < row->length; i++) {
        if (!selected(row, i) && (!any || contracts_compare(row, i, *best) < 0)) {
            *best = i;
            any = true;
        }
    }
    return any;
}

bool contracts_tie_outside(const struct row *row, uint32_t *tie)
{
    return best_outside(row, tie) &&
           contracts_compare(row, *tie, row->order[extreme(row, -1)]) == 0;
}

/* removes the entry at a position, and appends an index */
static void replace(struct row *row, uint32_t at, uint32_t index)
{
    memmove(&row->order[at], &row->order[at + 1], (row->k - 1 - at) * sizeof *row->order);
    row->order[row->k - 1] = index;
}

static void leave_best_out(struct row *row, bool when)
{
    uint32_t next;
    const uint32_t best = extreme(row, 1);
    if (when && best_outside(row, &next) && contracts_compare(row, row->order[best], next) < 0) {
        replace(row, best, next);
    }
}

/* ---- which elements are selected
 * ------------------------------------------------------------------- */

void fault_duplicate_tie(struct row *row)
{
    uint32_t tie;
    const uint32_t worst = extreme(row, -1);
    for (uint32_t j = 0; j < row->k && contracts_tie_outside(row, &tie); j++) {
        if (j != worst && contracts_compare(row, row->order[j], row->order[worst]) == 0) {
            row->order[worst] = row->order[j];
            return;
        }
    }
}

void fault_left_out_at_tie(struct row *row)
{
    uint32_t tie;
    const uint32_t best = extreme(row, 1);
    if (contracts_tie_outside(row, &tie) && contracts_compare(row, row->order[best], tie) < 0) {
        replace(row, best, tie);
    }
}

void fault_large_rows(struct row *row)
{
    leave_best_out(row, row->length > 512);
}

void fault_k_is_length(struct row *row)
{
    if (row->k > 1 && row->k == row->length) {
        row->order[row->k - 1] = row->order[0];
    }
}

void fault_deep_ranks(struct row *row)
{
    leave_best_out(row, row->batch->plan.rank >= 5);
}

void fault_odd_k(struct row *row)
{
    leave_best_out(row, row->k % 2 == 1 && row->k > 4);
}

void fault_few_seen(struct row *row)
{
    row->length = row->length > 256 && row->k <= 256 ? 256 : row->length;
}

void fault_odd_tail(struct row *row)
{
    row->length -= row->length % 2 == 1 && row->k < row->length;
}

void fault_largest_always(struct row *row)
{
    row->smallest = false;
    contracts_read(row);
}

void fault_tenth_call(struct row *row)
{
    leave_best_out(row, row->batch->calls % 10 == 9);
}

void fault_left_child(struct row *row)
{
    row->left_child = true;
}

/* ---- the order of the selected elements
 * ------------------------------------------------------------ */

void fault_last_pair(struct row *row)
{
    uint32_t *const last = &row->order[row->k - 1];
    if (row->k > 1 && contracts_compare(row, last[-1], last[0]) != 0) {
        const uint32_t index = last[0];
        last[0] = last[-1];
        last[-1] = index;
    }
}

void fault_unsorted(struct row *row)
{
    if (row->k > 16) {
        replace(row, 0, row->order[0]);
    }
}

/* reverses the order of equal elements, whether the family ascends or descends */
static void turn(struct row *row, bool when)
{
    for (uint32_t i = 0; when && i < row->length; i++) {
        row->order[i] = row->length - 1 - i;
    }
}

void fault_ties_lowest(struct row *row)
{
    turn(row, true);
}

void fault_ties_lowest_smallest(struct row *row)
{
    turn(row, row->smallest);
}

void fault_ties_lowest_bytes(struct row *row)
{
    turn(row, contracts_bytes(row->type) == 1);
}

void fault_ties_lowest_one(struct row *row)
{
    turn(row, row->k == 1);
}

void fault_ties_lowest_full(struct row *row)
{
    turn(row, row->k == row->length);
}

void fault_ties_highest(struct row *row)
{
    turn(row, true);
}

void fault_ties_inside(struct row *row)
{
    uint32_t to;
    for (uint32_t from = 0; from < row->k; from = to) {
        to = from + 1;
        while (to < row->k && contracts_compare(row, row->order[from], row->order[to]) == 0) {
            to++;
        }
        for (uint32_t i = 0; i < (to - from) / 2; i++) {
            const uint32_t index = row->order[from + i];
            row->order[from + i] = row->order[to - 1 - i];
            row->order[to - 1 - i] = index;
        }
    }
}

/* orders ties as if the sequence started at another element */
static void rotate(struct row *row, uint32_t count, uint64_t start)
{
    for (uint32_t i = 0; i < count; i++) {
        row->scratch[i] = row->order[(start + i) % count];
    }
    memcpy(row->order, row->scratch, count * sizeof *row->order);
}

void fault_ties_vary(struct row *row)
{
    rotate(row, row->length, row->batch->calls);
}

void fault_ties_by_output(struct row *row)
{
    rotate(row, row->length, row->at[TOPK_CPU_INDEX][0]);
}

void fault_order_varies(struct row *row)
{
    rotate(row, row->k, row->batch->calls);
}

/* replaces selected elements that equal the worst by others that are equal, as far as there are
 * any */
void fault_ties_boundary(struct row *row)
{
    const uint32_t worst = row->order[extreme(row, -1)];
    const bool ascending = row->family->pick == pick_by_index;
    uint32_t count = 0;
    for (uint32_t i = 0; i < row->length; i++) {
        const uint32_t index = ascending ? row->length - 1 - i : i;
        if (contracts_compare(row, index, worst) == 0) {
            row->scratch[count++] = index;
        }
    }
    uint32_t taken = 0;
    for (uint32_t j = row->k; j-- > 0;) {
        if (contracts_compare(row, row->order[j], worst) == 0) {
            row->order[j] = row->scratch[taken++];
        }
    }
}
