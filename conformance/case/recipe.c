/* The recipes and their table. "Better" means selected earlier. */
#include "recipe.h"

#include <string.h>

#include "recipe_steps.h"

/* Fills draw from a copy of row->pcg, because the compiler keeps that in registers: an element
 * could alias the original. */

static uint64_t pick(struct topk_pcg *pcg, uint32_t type, const uint64_t *values, uint32_t count)
{
    return values[topk_pcg_below(pcg, count)] & topk_value_mask(type);
}

/* draws from `values`; each one occurs at least once if there are enough elements */
static void draw(struct topk_row *row, const uint64_t *values, uint32_t count)
{
    struct topk_pcg pcg = row->pcg;
    for (uint32_t i = 0; i < row->length; i++) {
        row->bits[i] = i < count ? values[i] & topk_value_mask(row->type)
                                 : pick(&pcg, row->type, values, count);
    }
    row->pcg = pcg;
    shuffle(row);
}

/* ---- fills ----------------------------------------------------------------------------------- */

static void fill_const(struct topk_row *row)
{
    for (uint32_t i = 0; i < row->count; i++) {
        row->bits[i] = row->parameters[0] & topk_value_mask(row->type);
    }
}

static void fill_shuffle(struct topk_row *row)
{
    for (uint32_t i = 0; i < row->length; i++) {
        row->bits[i] = topk_value_of_rank(row->type, i, row->length);
    }
    shuffle(row);
}

static void fill_sorted(struct topk_row *row)
{
    for (uint32_t i = 0; i < row->length; i++) {
        uint32_t rank = row->parameters[0] & 1 ? row->length - 1 - i : i;
        row->bits[i] = topk_value_of_rank(row->type, rank, row->length);
    }
}

static void fill_organ(struct topk_row *row)
{
    uint32_t half = (row->length + 1) / 2;
    for (uint32_t i = 0; i < row->length; i++) {
        uint32_t rank = i < half ? i : row->length - 1 - i;
        rank = row->parameters[0] & 1 ? half - 1 - rank : rank;
        row->bits[i] = topk_value_of_rank(row->type, rank, half);
    }
}

static void fill_uniform(struct topk_row *row)
{
    enum {
        TOGETHER = 256
    };
    uint32_t drawn[2 * TOGETHER];
    const bool wide = topk_type_bytes(row->type) == 8;
    const uint32_t mask = (uint32_t)topk_value_mask(row->type);
    const bool is_float = topk_type_float(row->type);
    /* a magnitude above that of infinity is a NaN; integers have no magnitude */
    const uint32_t magnitude = is_float ? mask >> 1 : 0;
    const uint32_t infinity = is_float ? (uint32_t)topk_element_greatest(row->type) : 0;
    const uint32_t mend = is_float ? (uint32_t)topk_value_fraction_bits(row->type) : 0;
    for (uint32_t from = 0; from < row->count; from += TOGETHER) {
        const uint32_t count = row->count - from < TOGETHER ? row->count - from : TOGETHER;
        uint64_t *const bits = row->bits + from;
        /* 64 bits each, of which narrow types use the low half */
        topk_pcg_fill(&row->pcg, drawn, wide ? 2 * count : count, wide ? 0 : 1);
        const uint32_t *pair = drawn;
        for (uint32_t i = 0; wide && i < count; i++, pair += 2) {
            bits[i] = (uint64_t)pair[0] << 32 | pair[1];
        }
        for (uint32_t i = 0; !wide && i < count; i++) {
            const uint32_t low = drawn[i] & mask;
            bits[i] = low ^ (uint32_t)((low & magnitude) > infinity) << mend; /* no NaN */
        }
    }
}

static void fill_few(struct topk_row *row)
{
    uint64_t distinct = row->parameters[0] & 0xffff;
    distinct = distinct == 0 ? 1 : distinct;
    uint64_t values[64];
    const bool worth = distinct <= sizeof values / sizeof values[0] && distinct <= row->length;
    const uint32_t listed = worth ? (uint32_t)distinct : 0;
    for (uint32_t i = 0; i < listed; i++) {
        values[i] = topk_value_of_rank(row->type, i, distinct);
    }
    struct topk_pcg pcg = row->pcg;
    for (uint32_t i = 0; i < row->count; i++) {
        uint32_t rank = topk_pcg_below(&pcg, (uint32_t)distinct);
        row->bits[i] = rank < listed ? values[rank] : topk_value_of_rank(row->type, rank, distinct);
    }
    row->pcg = pcg;
}

/* pairs of equal values, the best ones first, so that the K boundary never splits a pair; if K is
 * odd, one element has no partner */
static void fill_inside(struct topk_row *row)
{
    uint32_t selected = row->k / 2 * 2;
    uint32_t values = row->length - selected / 2;
    for (uint32_t i = 0; i < row->length; i++) {
        uint32_t rank = i < selected ? i / 2 : i - selected / 2;
        row->bits[i] = nth_best(row, rank, values);
    }
    shuffle(row);
}

/* fewer than K better values, then values that are equal across the K boundary, then worse ones */
static void fill_boundary(struct topk_row *row)
{
    uint32_t better = topk_pcg_below(&row->pcg, row->k);
    uint32_t rest = row->length - better;
    uint32_t equal = row->k - better + 1;
    if (equal < rest) {
        equal += topk_pcg_below(&row->pcg, rest - equal + 1);
    }
    uint32_t values = better + 2;
    uint64_t tied = nth_best(row, better, values);
    uint64_t worse = nth_best(row, better + 1, values);
    for (uint32_t i = 0; i < row->length; i++) {
        row->bits[i] = i < better ? nth_best(row, i, values) : i < better + equal ? tied : worse;
    }
    shuffle(row);
}

static void fill_walk(struct topk_row *row)
{
    const uint64_t best = (row->parameters[0] + row->sequence) % row->length;
    const uint64_t other = nth_best(row, 1, 2);
    for (uint32_t i = 0; i < row->count; i++) {
        row->bits[i] = other;
    }
    if (best - row->from < row->count) {
        row->bits[best - row->from] = nth_best(row, 0, 2);
    }
}

static void fill_extremes(struct topk_row *row)
{
    uint64_t least = topk_element_least(row->type);
    uint64_t greatest = topk_element_greatest(row->type);
    uint64_t step = topk_type_float(row->type) ? UINT64_MAX : 1; /* towards zero */
    const uint64_t values[] = {
        least,
        greatest,
        least + step,
        topk_type_float(row->type) ? greatest - 1 : greatest - step,
        topk_value_whole(row->type, 0),
        topk_value_whole(row->type, 1),
        topk_value_mask(row->type) >> 1 ^ (topk_type_float(row->type) ? 0x3ff : 0),
        topk_type_float(row->type) ? topk_value_whole(row->type, -1) : topk_value_mask(row->type)};
    uint32_t count = sizeof values / sizeof values[0];
    draw(row, values, count);
    for (uint32_t i = 0; i < row->length; i++) {
        if (topk_element_nan(row->type, row->bits[i])) {
            row->bits[i] = greatest;
        }
    }
}

static void fill_zeros(struct topk_row *row)
{
    uint64_t minus = topk_value_mask(row->type) ^ topk_value_mask(row->type) >> 1;
    const uint64_t values[] = {
        0, minus, minus, 0, topk_value_whole(row->type, 1), topk_value_whole(row->type, -1)};
    if (!topk_type_float(row->type)) {
        fill_few(row);
        return;
    }
    draw(row, values, row->length < 12 ? 4 : 6);
}

static void fill_infinities(struct topk_row *row)
{
    uint64_t least = topk_element_least(row->type);
    uint64_t greatest = topk_element_greatest(row->type);
    const uint64_t values[] = {greatest,
                               least,
                               greatest,
                               least,
                               topk_value_whole(row->type, 1),
                               topk_type_float(row->type) ? greatest - 1 : greatest,
                               topk_type_float(row->type) ? least - 1 : least,
                               topk_value_whole(row->type, 0)};
    draw(row, values, sizeof values / sizeof values[0]);
}

static void fill_denormals(struct topk_row *row)
{
    if (!topk_type_float(row->type)) {
        fill_few(row);
        return;
    }
    uint64_t normal = (uint64_t)1 << topk_value_fraction_bits(row->type);
    uint64_t minus = topk_value_mask(row->type) ^ topk_value_mask(row->type) >> 1;
    const uint64_t values[] = {1,      minus | 1,      normal - 1, minus | (normal - 1),
                               normal, minus | normal, 0,          minus,
                               2,      minus | 2};
    draw(row, values, sizeof values / sizeof values[0]);
}

static void fill_nan(struct topk_row *row)
{
    fill_few(row);
    uint64_t every = row->parameters[0] == 0 ? 1 : row->parameters[0];
    if (!topk_type_float(row->type) || row->sequence % every != 0) {
        return;
    }
    uint64_t minus = topk_value_mask(row->type) ^ topk_value_mask(row->type) >> 1;
    uint64_t infinity = topk_element_greatest(row->type);
    uint64_t quiet = infinity | (uint64_t)1 << (topk_value_fraction_bits(row->type) - 1);
    /* quiet and signalling NaNs of both signs, with payloads */
    const uint64_t values[] = {
        quiet,        quiet | minus,        infinity + 1, minus | (infinity + 1),
        quiet | 0x2a, minus | quiet | 0x15, minus - 1,    topk_value_mask(row->type)};
    uint32_t wanted = 1 + topk_pcg_below(&row->pcg, (row->length + 2) / 3);
    for (uint32_t i = 0; i < wanted; i++) {
        /* draw the position before the value: both come from one stream */
        uint32_t place = topk_pcg_below(&row->pcg, row->length);
        row->bits[place] = pick(&row->pcg, row->type, values, 8);
    }
}

/* values with which kernels often pad short rows */
static void fill_sentinels(struct topk_row *row)
{
    struct topk_pcg pcg = row->pcg;
    uint64_t least = topk_element_least(row->type);
    uint64_t greatest = topk_element_greatest(row->type);
    bool is_float = topk_type_float(row->type);
    uint64_t worst = row->increasing ? greatest : least;
    uint64_t worst_finite = is_float ? worst - 1 : worst;
    const uint64_t values[] = {
        worst, worst_finite, worst, worst_finite,
        is_float ? (worst ^ (topk_value_mask(row->type) ^ topk_value_mask(row->type) >> 1)) - 1
                 : topk_value_whole(row->type, 0)};
    uint32_t kind = (uint32_t)(row->parameters[0] % 4);
    for (uint32_t i = 0; i < row->count; i++) {
        row->bits[i] = kind == 0   ? worst
                       : kind == 1 ? worst_finite
                       : kind == 2 ? values[topk_pcg_below(&pcg, 4)]
                                   : values[topk_pcg_below(&pcg, 5)];
    }
    row->pcg = pcg;
}

/* values whose difference is lost in a narrower type */
static void fill_hidden(struct topk_row *row)
{
    struct topk_pcg pcg = row->pcg;
    uint32_t bytes = topk_type_bytes(row->type);
    for (uint32_t i = 0; i < row->count; i++) {
        uint64_t draw_bits = topk_pcg_next64(&pcg);
        uint64_t bits;
        switch (row->parameters[0] % 4) {
        case 0: /* the same low half */
            bits = draw_bits << (4 * bytes) | 5;
            break;
        case 1: /* the same high half */
            bits = (draw_bits & (((uint64_t)1 << (4 * bytes)) - 1)) | (uint64_t)0x3c
                                                                          << (8 * bytes - 8);
            break;
        case 2: /* equal in the next narrower float: double, FLOAT32, FLOAT16 */
            bits = (bytes == 8   ? (uint64_t)1 << 60
                    : bytes == 4 ? (uint64_t)0x3f800000
                                 : (uint64_t)0x3c << (8 * bytes - 8)) +
                   (draw_bits & 7);
            break;
        default: /* the same top bits, with a few low bits that differ, and either sign */
            bits = (draw_bits & 0xf) | (draw_bits >> 63 << (8 * bytes - 1)) |
                   (uint64_t)0x40 << (8 * bytes - 8);
            break;
        }
        bits &= topk_value_mask(row->type);
        if (topk_element_nan(row->type, bits)) {
            bits &= ~((uint64_t)1 << topk_value_fraction_bits(row->type));
        }
        row->bits[i] = bits;
    }
    row->pcg = pcg;
}

/* NaNs: in some elements, in most, in all with the same bits, in all */
static void fill_nan_2(struct topk_row *row)
{
    fill_few(row);
    if (!topk_type_float(row->type)) {
        return;
    }
    uint64_t minus = topk_value_mask(row->type) ^ topk_value_mask(row->type) >> 1;
    uint64_t infinity = topk_element_greatest(row->type);
    uint64_t payload = ((uint64_t)1 << topk_value_fraction_bits(row->type)) - 1;
    uint32_t kind = (uint32_t)(row->parameters[0] % 4);
    struct topk_pcg pcg = row->pcg;
    uint64_t one = topk_pcg_next64(&pcg);
    for (uint32_t i = 0; i < row->length; i++) {
        uint64_t drawn = kind == 2 ? one : topk_pcg_next64(&pcg);
        bool here = kind >= 2 || drawn >> 60 < (kind == 0 ? 4 : 13);
        if (here) {
            uint64_t fraction = drawn & payload;
            row->bits[i] = (drawn & minus) | infinity | (fraction == 0 ? 1 : fraction);
        }
    }
    row->pcg = pcg;
}

/* the values of version 1, and those next to a change of the sign or the top bit */
static void fill_extremes_2(struct topk_row *row)
{
    uint64_t top = topk_value_mask(row->type) ^ topk_value_mask(row->type) >> 1;
    const uint64_t values[] = {top, top - 1, top + 1, topk_value_mask(row->type), 0, 1};
    fill_extremes(row);
    struct topk_pcg pcg = row->pcg;
    for (uint32_t i = 0; i < row->length; i++) {
        uint64_t bits = values[topk_pcg_below(&pcg, 6)];
        if (topk_pcg_next(&pcg) >> 31 && !topk_element_nan(row->type, bits)) {
            row->bits[i] = bits;
        }
    }
    row->pcg = pcg;
}

/* all kinds of special values except NaN */
static void fill_mixed(struct topk_row *row)
{
    struct topk_pcg pcg = row->pcg;
    uint64_t minus = topk_value_mask(row->type) ^ topk_value_mask(row->type) >> 1;
    uint64_t greatest = topk_element_greatest(row->type);
    uint64_t least = topk_element_least(row->type);
    bool is_float = topk_type_float(row->type);
    uint64_t normal = is_float ? (uint64_t)1 << topk_value_fraction_bits(row->type) : 2;
    const uint64_t values[] = {0,
                               minus,
                               topk_value_whole(row->type, 1),
                               topk_value_whole(row->type, -1),
                               greatest,
                               least,
                               is_float ? greatest - 1 : greatest,
                               is_float ? least - 1 : least,
                               normal,
                               normal - 1,
                               minus | 1,
                               minus + normal};
    for (uint32_t i = 0; i < row->count; i++) {
        uint32_t kind = topk_pcg_below(&pcg, 16);
        uint64_t bits = kind < 12 ? values[kind] & topk_value_mask(row->type)
                        : kind < 14
                            ? topk_value_whole(row->type, (int64_t)topk_pcg_below(&pcg, 7) - 3)
                            : topk_pcg_next64(&pcg) & topk_value_mask(row->type);
        row->bits[i] = topk_element_nan(row->type, bits) ? bits & minus : bits;
    }
    row->pcg = pcg;
}

/* ---- the table ------------------------------------------------------------------------------- */

const struct topk_recipe topk_recipes[] = {
    {"const", 1, 1, "BITS", "1065353216", "every element has these bits, in decimal", fill_const,
     true},
    {"shuffle", 1, 1, "SEED", "7", "distinct values in random order, as far as the type has room",
     fill_shuffle, false},
    {"sorted", 1, 1, "DOWN", "1", "ascending values; descending if DOWN is 1", fill_sorted, false},
    {"organ", 1, 1, "DIP", "0", "values rise and fall again; they fall and rise if DIP is 1",
     fill_organ, false},
    {"uniform", 1, 1, "SEED", "7", "random bits, without NaN", fill_uniform, true},
    {"few", 1, 2, "DISTINCT:SEED", "3:7", "random draws from DISTINCT values", fill_few, true},
    {"inside", 1, 1, "SEED", "7", "the best values come in equal pairs, none across the K boundary",
     fill_inside, false},
    {"boundary", 1, 1, "SEED", "7", "equal values lie across the K boundary", fill_boundary, false},
    {"walk", 1, 1, "AT", "2",
     "one best element, at (AT + number of the sequence) mod length; all others are equal",
     fill_walk, true},
    {"extremes", 1, 1, "SEED", "7", "least and greatest values, their neighbours, 0, 1 and -1",
     fill_extremes, false},
    {"zeros", 1, 1, "SEED", "7", "+0 and -0; in longer sequences also 1 and -1", fill_zeros, false},
    {"infinities", 1, 1, "SEED", "7", "infinities, greatest finite values, 0 and 1",
     fill_infinities, false},
    {"denormals", 1, 1, "SEED", "7", "denormals, both zeros, least normals", fill_denormals, false},
    {"nan", 1, 2, "EVERY:SEED", "2:7", "few values; each EVERY-th sequence has NaNs", fill_nan,
     false},
    {"sentinels", 1, 2, "KIND:SEED", "3:7",
     "the worst values of the type, which kernels pad with: KIND 0 infinite, 1 finite, 2 both, "
     "3 both and another",
     fill_sentinels, true},
    {"hidden", 1, 2, "KIND:SEED", "2:7",
     "values that are equal to who looks at a part only: KIND 0 the low half, 1 the high half, "
     "2 the next narrower float, 3 the top bits",
     fill_hidden, true},
    {"nan", 2, 2, "KIND:SEED", "0:7",
     "NaNs with signs and payloads: KIND 0 a quarter of the elements, 1 most, 2 all, with the "
     "same bits, 3 all",
     fill_nan_2, false},
    {"extremes", 2, 1, "SEED", "7",
     "those of version 1, and the values on both sides of a change of the top bit", fill_extremes_2,
     false},
    {"mixed", 1, 1, "SEED", "7", "all kinds of special values but NaN", fill_mixed, true},
    {"orders", 1, 1, "FIRST", "5",
     "the first 12 elements are in weak order number FIRST + number of the sequence",
     topk_fill_orders, false},
    {"every", 1, 2, "NAN:SEED", "1:7",
     "bit patterns from all over the type, every one if there is room; with NaN if NAN is 1",
     topk_fill_every, false},
    {"tied", 1, 3, "TIES:AROUND:SEED", "3:2:7",
     "equal values: TIES 0 none, 1 not selected, 2 selected, 3 across the K boundary, 4 all; "
     "AROUND 0 small values, 1 extremes, 2 zeros, 3 infinities, 4 denormals, 5 NaN, 6 NaN in odd "
     "sequences",
     topk_fill_tied, false},
    {"comb", 1, 3, "PERIOD:KIND:SEED", "3:0:7",
     "each PERIOD-th element is the best, or the worst if KIND is 1 or 3; the others are of few "
     "values, or rise if KIND is 2 or 3",
     topk_fill_comb, false},
    {"nearly", 1, 2, "KIND:SEED", "0:7",
     "values from the best to the worst, the other way round if KIND is 1, with a few exchanged",
     topk_fill_nearly, false},
    {"close", 1, 3, "KIND:PIVOT:SEED", "0:1:7",
     "neighbours around a value where bits turn: KIND 0 the top of the low half, 1 the high half, "
     "2 the sign, 3 the greatest values; PIVOT says how many are above it: 0 K, 1 half of K, "
     "2 none, 3 all",
     topk_fill_close, false},
    {"uneven", 1, 2, "KINDS:SEED", "31:7",
     "sequences differ in kind: the first has that of the last digit of KINDS (0 few, 1 equal, "
     "2 best to worst, 3 worst to best, 4 uniform, 5 top bit clear, 6 top bit set, 7 extremes, 8 "
     "denormals, "
     "9 NaN), each next one that of 1 + the digit before it more",
     topk_fill_uneven, false},
    {"tiles", 1, 3, "TILE:KIND:SEED", "4:0:7",
     "parts of TILE elements differ: KIND 0 in all kinds of uneven but NaN, 1 in the top bit, 2 in "
     "value, 3 in direction",
     topk_fill_tiles, false},
    {"mask", 1, 3, "KIND:PLACE:SEED", "1:0:7",
     "fewer than K small numbers, all others masked: KIND 0 by the worst value, 1 the worst finite "
     "one, 2 both, 3 the best, 4 the best finite one; PLACE 0 the masks come first, 1 last, 2 all "
     "over, 3 there is nothing else",
     topk_fill_mask, false},
};
const size_t topk_recipe_count = sizeof topk_recipes / sizeof topk_recipes[0];

const struct topk_recipe *topk_recipe_find(const char *name, size_t length, uint32_t version)
{
    for (size_t i = 0; i < topk_recipe_count; i++) {
        const struct topk_recipe *recipe = &topk_recipes[i];
        if (strlen(recipe->name) == length && memcmp(recipe->name, name, length) == 0 &&
            recipe->version == version) {
            return recipe;
        }
    }
    return NULL;
}

void topk_recipe_fill_part(const struct topk_recipe *recipe, struct topk_row *row, uint32_t from,
                           uint32_t count)
{
    if (from == 0) {
        topk_pcg_seed(&row->pcg, row->parameters[recipe->parameters - 1], row->sequence);
    }
    row->from = from;
    row->count = count;
    recipe->fill(row);
}

void topk_recipe_fill(const struct topk_recipe *recipe, struct topk_row *row)
{
    topk_recipe_fill_part(recipe, row, 0, row->length);
}
