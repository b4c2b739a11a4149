/* Recipes that attack the shortcuts of kernels for long rows: sampling, checks for sorted rows, and
 * comparisons of neighbouring bit patterns. */
#include "recipe_steps.h"

#define FEW 7u

/* Every PERIOD-th element has one value, better than all others, or worse if bit 0 of KIND is set.
 * The others are drawn from few values, or rise from the worst to the best if bit 1 is set. */
void topk_fill_comb(struct topk_row *row)
{
    uint32_t period = (uint32_t)(row->parameters[0] & 0xffff);
    uint64_t kind = row->parameters[1];
    period = period == 0 ? 1 : period;
    uint32_t others = (kind & 2) != 0 ? row->length : FEW;
    for (uint32_t i = 0; i < row->length; i++) {
        uint32_t drawn = (kind & 2) != 0 ? row->length - 1 - i : topk_pcg_below(&row->pcg, FEW);
        uint32_t tooth = (kind & 1) != 0 ? others : 0;
        uint32_t rank = i % period == 0 ? tooth : drawn + ((kind & 1) == 0);
        row->bits[i] = nth_best(row, rank, (uint64_t)others + 1);
    }
}

/* From the best to the worst, or the reverse if bit 0 of KIND is set, with one exchange of two
 * elements in every 64. */
void topk_fill_nearly(struct topk_row *row)
{
    bool rises = (row->parameters[0] & 1) != 0;
    for (uint32_t i = 0; i < row->length; i++) {
        row->bits[i] = nth_best(row, rises ? row->length - 1 - i : i, row->length);
    }
    for (uint32_t i = 0; i <= row->length / 64; i++) {
        uint32_t a = topk_pcg_below(&row->pcg, row->length);
        uint32_t b = topk_pcg_below(&row->pcg, row->length);
        uint64_t bits = row->bits[a];
        row->bits[a] = row->bits[b];
        row->bits[b] = bits;
    }
}

/* the value `steps` above a base (below it if negative), counted in bit patterns without -0 for a
 * float; narrow types have only a few values on either side */
static uint64_t step_from(uint32_t type, uint64_t kind, int64_t steps)
{
    uint32_t bits = 8 * topk_type_bytes(type);
    uint64_t minus = (uint64_t)1 << (bits - 1);
    int64_t room = bits == 8 ? 60 : 1000;
    steps = steps > room ? room : steps < -room ? -room : steps;
    if (topk_type_float(type)) {
        uint64_t normal = (uint64_t)1 << topk_value_fraction_bits(type);
        if (kind == 1) { /* around zero */
            return steps < 0 ? minus | (uint64_t)-steps : (uint64_t)steps;
        }
        uint64_t base = kind == 0   ? normal
                        : kind == 2 ? topk_value_whole(type, 1)
                                    : topk_element_greatest(type) - 1 - (uint64_t)room;
        return base + (uint64_t)steps;
    }
    uint64_t half = (uint64_t)1 << (bits / 2);
    uint64_t base = kind == 0   ? 5 * half + half / 2 /* the top bit of the low half changes */
                    : kind == 1 ? 5 * half            /* the high half changes */
                    : kind == 2 ? minus               /* the top bit changes */
                                : topk_element_greatest(type) - (uint64_t)room;
    if (topk_type_signed(type) && kind == 2) {
        base = 0;
    }
    return (base + (uint64_t)steps) & topk_value_mask(type);
}

/* Neighbouring values around a base where high bits change. PIVOT says how many are above the base:
 * K, half of K, none or all. If the K smallest are selected, they are below it. */
void topk_fill_close(struct topk_row *row)
{
    uint64_t kind = row->parameters[0] % 4;
    uint64_t where = row->parameters[1] % 4;
    uint32_t pivot = where == 0 ? row->k : where == 1 ? row->k / 2 : where == 2 ? 0 : row->length;
    for (uint32_t i = 0; i < row->length; i++) {
        int64_t better = (int64_t)pivot - 1 - (int64_t)i;
        row->bits[i] = step_from(row->type, kind, row->increasing ? -1 - better : better);
    }
    shuffle(row);
}
