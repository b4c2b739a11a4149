/* Recipes whose sequences, or whose parts of a sequence, differ in kind. They catch a kernel that
 * reuses what it found out about one for the next. */
#include "recipe_steps.h"

#define FEW   7u
#define KINDS 10u /* number of kinds of topk_fill_uneven(); the last one has NaNs */

/* `count` elements of a row, starting at `from` */
struct part {
    uint32_t from;
    uint32_t count;
};

/* random bits without NaN, with the top bit set or clear */
static uint64_t uniform(struct topk_pcg *pcg, uint32_t type, bool top)
{
    uint64_t minus = topk_value_mask(type) ^ topk_value_mask(type) >> 1;
    uint64_t bits = topk_pcg_next64(pcg) & (minus - 1);
    if (topk_element_nan(type, bits)) {
        bits ^= (uint64_t)1 << topk_value_fraction_bits(type); /* no NaN */
    }
    return top ? bits | minus : bits;
}

/* a zero, a denormal or a least normal; for an integer, a value that fits into its low half */
static uint64_t small(struct topk_pcg *pcg, uint32_t type)
{
    uint64_t drawn = topk_pcg_next64(pcg);
    if (!topk_type_float(type)) {
        return drawn & (((uint64_t)1 << 4 * topk_type_bytes(type)) - 1);
    }
    uint64_t minus = topk_value_mask(type) ^ topk_value_mask(type) >> 1;
    uint64_t normal = (uint64_t)1 << topk_value_fraction_bits(type);
    const uint64_t values[] = {0, 1, 2, normal - 1, normal};
    return values[drawn % 5] | (drawn >> 63 != 0 ? minus : 0);
}

/* one time in four a NaN, else `otherwise`; for an integer, bits in the high half only */
static uint64_t odd(struct topk_pcg *pcg, uint32_t type, uint64_t otherwise)
{
    uint64_t drawn = topk_pcg_next64(pcg);
    if (!topk_type_float(type)) {
        return drawn << 4 * topk_type_bytes(type) & topk_value_mask(type);
    }
    uint64_t minus = topk_value_mask(type) ^ topk_value_mask(type) >> 1;
    uint64_t nan = topk_element_greatest(type) | (drawn & 0x1f) | 1;
    return drawn >> 62 != 0 ? otherwise : drawn & 0x20 ? nan | minus : nan;
}

static uint64_t extreme(struct topk_pcg *pcg, uint32_t type)
{
    uint64_t top = topk_value_mask(type) ^ topk_value_mask(type) >> 1;
    const uint64_t values[] = {topk_element_least(type),  topk_element_greatest(type), top, 0,
                               topk_value_whole(type, 1), topk_value_whole(type, -1)};
    return values[topk_pcg_below(pcg, 6)];
}

static void fill_part(struct topk_row *row, const struct part *part, uint32_t kind)
{
    struct topk_pcg pcg = row->pcg; /* a copy, which no element can alias */
    uint64_t values[FEW];
    for (uint32_t i = 0; i < FEW; i++) {
        values[i] = nth_best(row, i, FEW);
    }
    uint64_t one = values[topk_pcg_below(&pcg, FEW)];
    for (uint32_t i = 0; i < part->count; i++) {
        uint64_t few = values[topk_pcg_below(&pcg, FEW)];
        uint64_t bits;
        switch (kind) {
        case 0:
            bits = few;
            break;
        case 1:
            bits = one;
            break;
        case 2:
            bits = nth_best(row, i, part->count);
            break;
        case 3:
            bits = nth_best(row, part->count - 1 - i, part->count);
            break;
        case 4:
            bits = uniform(&pcg, row->type, topk_pcg_below(&pcg, 2) != 0);
            break;
        case 5:
            bits = uniform(&pcg, row->type, false);
            break;
        case 6:
            bits = uniform(&pcg, row->type, true);
            break;
        case 7:
            bits = extreme(&pcg, row->type);
            break;
        case 8:
            bits = small(&pcg, row->type);
            break;
        default:
            bits = odd(&pcg, row->type, few);
            break;
        }
        row->bits[part->from + i] = bits;
    }
    row->pcg = pcg;
}

/* The last digit of the parameter, in base KINDS, is the kind of the first sequence. Each further
 * sequence adds one more than the digit before that. */
void topk_fill_uneven(struct topk_row *row)
{
    const struct part all = {0, row->length};
    const uint64_t step = 1 + row->parameters[0] / KINDS % (KINDS - 1);
    fill_part(row, &all, (uint32_t)((row->parameters[0] + row->sequence % KINDS * step) % KINDS));
}

/* Parts of TILE elements each. KIND decides their content: any kind without NaN, the top bit clear
 * and set in turn, one value per part, or from the best to the worst and back. */
void topk_fill_tiles(struct topk_row *row)
{
    uint64_t tile = row->parameters[0] & UINT32_MAX;
    tile = tile == 0 ? 1 : tile;
    uint32_t turn = topk_pcg_below(&row->pcg, 2);
    for (uint64_t from = 0; from < row->length; from += tile) {
        const uint64_t rest = row->length - from;
        const struct part part = {(uint32_t)from, (uint32_t)(rest < tile ? rest : tile)};
        uint32_t drawn = topk_pcg_below(&row->pcg, KINDS - 1);
        uint32_t kind = row->parameters[1] % 4 == 0   ? drawn
                        : row->parameters[1] % 4 == 1 ? 5 + turn
                        : row->parameters[1] % 4 == 2 ? 1
                                                      : 2 + turn;
        fill_part(row, &part, kind);
        turn ^= 1;
    }
}

/* A value with which programs mask elements: depending on KIND, the one selected last of all, or
 * first. For integers, the infinite and the finite variant are the same. */
static uint64_t mask_value(struct topk_row *row, uint64_t kind)
{
    const bool drawn_finite = topk_pcg_below(&row->pcg, 2) != 0;
    const bool best = kind >= 3;
    const bool finite = kind == 1 || kind == 4 || (kind == 2 && drawn_finite);
    const uint64_t bits =
        best == row->increasing ? topk_element_least(row->type) : topk_element_greatest(row->type);
    return finite && topk_type_float(row->type) ? bits - 1 : bits;
}

/* Fewer than K elements are small whole numbers, all others masks, so that masks get selected.
 * PLACE puts the masks before them, after them, or around them, or makes all elements masks. */
void topk_fill_mask(struct topk_row *row)
{
    const uint64_t kind = row->parameters[0] % 5;
    const uint64_t place = row->parameters[1] % 4;
    const uint32_t drawn = topk_pcg_below(&row->pcg, row->k);
    const uint32_t open = place == 3 ? 0 : drawn;
    const uint32_t from = place == 0 ? row->length - open : 0;
    for (uint32_t i = 0; i < row->length; i++) {
        const int64_t number = 1 + (int64_t)topk_pcg_below(&row->pcg, 100);
        row->bits[i] =
            i - from < open ? topk_value_whole(row->type, number) : mask_value(row, kind);
    }
    if (place == 2) {
        shuffle(row);
    }
}
