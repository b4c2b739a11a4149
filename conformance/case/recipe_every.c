/* Recipes that enumerate: the weak orders of a few elements (rankings that allow ties), and the bit
 * patterns of a type. */
#include "recipe_steps.h"

#include <string.h>

#define ORDERED_MAX 12u

/* Pascal's triangle: the number of ways to choose k of n elements */
static const uint16_t choose[ORDERED_MAX + 1][ORDERED_MAX + 1] = {
    {1},
    {1, 1},
    {1, 2, 1},
    {1, 3, 3, 1},
    {1, 4, 6, 4, 1},
    {1, 5, 10, 10, 5, 1},
    {1, 6, 15, 20, 15, 6, 1},
    {1, 7, 21, 35, 35, 21, 7, 1},
    {1, 8, 28, 56, 70, 56, 28, 8, 1},
    {1, 9, 36, 84, 126, 126, 84, 36, 9, 1},
    {1, 10, 45, 120, 210, 252, 210, 120, 45, 10, 1},
    {1, 11, 55, 165, 330, 462, 462, 330, 165, 55, 11, 1},
    {1, 12, 66, 220, 495, 792, 924, 792, 495, 220, 66, 12, 1}};

/* Fubini numbers. The best class has j of n elements; the others are ordered recursively. */
static const uint64_t orders_of[ORDERED_MAX + 1] = {
    1, 1, 3, 13, 75, 541, 4683, 47293, 545835, 7087261, 102247563, 1622632573, 28091567595};

uint64_t topk_order_count(uint32_t elements)
{
    return orders_of[elements < ORDERED_MAX ? elements : ORDERED_MAX];
}

/* gives `rank` to `size` of the unranked elements: the set with this number among all such sets */
static void rank_set(uint32_t ranks[ORDERED_MAX], uint32_t n, uint32_t rank, uint32_t size,
                     uint64_t number)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < n; i++) {
        left += ranks[i] == UINT32_MAX;
    }
    for (uint32_t i = 0; i < n && size > 0; i++) {
        if (ranks[i] != UINT32_MAX) {
            continue;
        }
        left--;
        uint64_t with = choose[left][size - 1]; /* number of the sets that contain element i */
        if (number < with) {
            ranks[i] = rank;
            size--;
        } else {
            number -= with;
        }
    }
}

/* elements beyond ORDERED_MAX are equal, and worse than the first ones */
void topk_fill_orders(struct topk_row *row)
{
    uint32_t ranks[ORDERED_MAX];
    uint32_t n = row->length < ORDERED_MAX ? row->length : ORDERED_MAX;
    uint32_t rank = 0;
    memset(ranks, 0xff, sizeof ranks);
    uint64_t number = (row->parameters[0] + row->sequence) % orders_of[n];
    for (uint32_t left = n; left > 0; rank++) {
        uint32_t size = 1;
        while (size < left && number >= choose[left][size] * orders_of[left - size]) {
            number -= choose[left][size] * orders_of[left - size];
            size++;
        }
        rank_set(ranks, n, rank, size, number / orders_of[left - size]);
        number %= orders_of[left - size];
        left -= size;
    }
    for (uint32_t i = 0; i < row->length; i++) {
        row->bits[i] = nth_best(row, i < n ? ranks[i] : rank, n + 1);
    }
}

/* bit patterns spread over the type, or all of them if the row is long enough, in random order */
void topk_fill_every(struct topk_row *row)
{
    uint64_t mask = topk_value_mask(row->type);
    uint64_t sign = mask ^ mask >> 1;
    /* a float type without NaN: both signs up to infinity */
    bool gap = topk_type_float(row->type) && (row->parameters[0] & 1) == 0;
    uint64_t half = gap ? topk_element_greatest(row->type) + 1 : sign;
    uint64_t last = half - 1 + half; /* patterns less 1: all of 64 bits overflow */
    uint64_t step = last / row->length;
    for (uint32_t i = 0; i < row->length; i++) {
        uint64_t place = i;
        if (step > 1) {
            place = i * step + topk_pcg_next64(&row->pcg) % step;
        } else if (i > last) {
            place = i % (last + 1);
        }
        row->bits[i] = place < half ? place : sign | (place - half);
    }
    shuffle(row);
}
