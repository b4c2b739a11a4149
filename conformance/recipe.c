/* The recipes. Each fills one sequence; those that speak of "better" mean what is selected first.
 */
#include "recipe.h"

#include <string.h>

#include "element.h"

/* ---- values -----------------------------------------------------------------------------------
 */

static uint64_t mask_of(uint32_t type)
{
    return topk_type_bytes(type) == 8 ? UINT64_MAX
                                      : ((uint64_t)1 << (8 * topk_type_bytes(type))) - 1;
}

static int fraction_bits(uint32_t type)
{
    return type == TOPK_TYPE_F32 ? 23 : 10;
}

/* the bits of a whole number; of a float one that it holds exactly */
static uint64_t whole(uint32_t type, int64_t number)
{
    if (!topk_type_float(type)) {
        return (uint64_t)number & mask_of(type);
    }
    uint64_t magnitude = (uint64_t)(number < 0 ? -number : number);
    uint64_t bits = 0;
    if (magnitude != 0) {
        int exponent = 0;
        while (magnitude >> (exponent + 1) != 0) {
            exponent++;
        }
        uint64_t bias = type == TOPK_TYPE_F32 ? 127 : 15;
        uint64_t fraction = magnitude << (fraction_bits(type) - exponent);
        bits = ((uint64_t)exponent + bias - 1) << fraction_bits(type);
        bits += fraction; /* its leading one adds the missing one to the exponent */
    }
    return number < 0 ? bits | (mask_of(type) ^ mask_of(type) >> 1) : bits;
}

/* how many whole numbers in a row a type holds, 0: as many as a sequence can have */
static uint64_t whole_room(uint32_t type)
{
    switch (type) {
    case TOPK_TYPE_F32:
        return (uint64_t)1 << 24;
    case TOPK_TYPE_F16:
        return (uint64_t)1 << 11;
    default:
        return topk_type_bytes(type) < 4 ? (uint64_t)1 << (8 * topk_type_bytes(type)) : 0;
    }
}

/* the bits of a float of one of the two types whose order key is that of the greatest finite value
 * less `steps`; -0 is passed over */
static uint64_t below_greatest(uint32_t type, uint64_t steps)
{
    uint64_t positive =
        topk_element_greatest(type); /* infinity: so many non-negative finite values */
    return steps < positive ? positive - 1 - steps
                            : (mask_of(type) ^ mask_of(type) >> 1) + (steps - positive) + 1;
}

uint64_t topk_value_of_rank(uint32_t type, uint64_t i, uint64_t count)
{
    uint64_t room = whole_room(type);
    bool crowded = room != 0 && count > room;
    if (topk_type_float(type)) {
        if (crowded) {
            uint64_t finite = 2 * topk_element_greatest(type) - 1;
            return below_greatest(type, finite - 1 - i * (finite - 1) / (count - 1));
        }
        return whole(type, (int64_t)i - (int64_t)(count / 2));
    }
    if (crowded) {
        uint64_t place = i * room / count;
        return topk_type_signed(type) ? whole(type, (int64_t)place - (int64_t)(room / 2)) : place;
    }
    return topk_type_signed(type) ? whole(type, (int64_t)i - (int64_t)(count / 2)) : i;
}

/* the value of rank i from the best, of count */
static uint64_t nth_best(const struct topk_row *row, uint64_t i, uint64_t count)
{
    return topk_value_of_rank(row->type, row->increasing ? i : count - 1 - i, count);
}

static void shuffle(struct topk_row *row)
{
    for (uint32_t i = row->length; i > 1; i--) {
        uint32_t j = topk_pcg_below(&row->pcg, i);
        uint64_t swap = row->bits[i - 1];
        row->bits[i - 1] = row->bits[j];
        row->bits[j] = swap;
    }
}

static uint64_t pick(struct topk_row *row, const uint64_t *values, uint32_t count)
{
    return values[topk_pcg_below(&row->pcg, count)] & mask_of(row->type);
}

/* fills with draws from values, each of which comes up if there is room */
static void draw(struct topk_row *row, const uint64_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < row->length; i++) {
        row->bits[i] = i < count ? values[i] & mask_of(row->type) : pick(row, values, count);
    }
    shuffle(row);
}

/* ---- fills ------------------------------------------------------------------------------------
 */

static void fill_const(struct topk_row *row)
{
    for (uint32_t i = 0; i < row->length; i++) {
        row->bits[i] = row->parameters[0] & mask_of(row->type);
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
    for (uint32_t i = 0; i < row->length; i++) {
        uint64_t bits = topk_pcg_next64(&row->pcg) & mask_of(row->type);
        if (topk_element_nan(row->type, bits)) {
            bits ^= (uint64_t)1 << fraction_bits(row->type); /* off the exponent of NaN */
        }
        row->bits[i] = bits;
    }
}

static void fill_few(struct topk_row *row)
{
    uint64_t distinct = row->parameters[0] & 0xffff;
    distinct = distinct == 0 ? 1 : distinct;
    for (uint32_t i = 0; i < row->length; i++) {
        uint32_t rank = topk_pcg_below(&row->pcg, (uint32_t)distinct);
        row->bits[i] = topk_value_of_rank(row->type, rank, distinct);
    }
}

/* pairs of equal values from the best on, so that K never parts one: an odd K leaves a single */
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

/* fewer than K better ones, equals across the boundary, and worse ones */
static void fill_boundary(struct topk_row *row)
{
    uint32_t better = topk_pcg_below(&row->pcg, row->k);
    uint32_t rest = row->length - better;
    uint32_t equal = row->k - better + 1;
    if (equal < rest) {
        equal += topk_pcg_below(&row->pcg, rest - equal + 1);
    }
    uint32_t values = better + 2;
    for (uint32_t i = 0; i < row->length; i++) {
        uint32_t rank = i < better ? i : i < better + equal ? better : better + 1;
        row->bits[i] = nth_best(row, rank, values);
    }
    shuffle(row);
}

static void fill_walk(struct topk_row *row)
{
    for (uint32_t i = 0; i < row->length; i++) {
        bool here = (row->parameters[0] + row->sequence) % row->length == i;
        row->bits[i] = nth_best(row, here ? 0 : 1, 2);
    }
}

static void fill_extremes(struct topk_row *row)
{
    uint64_t least = topk_element_least(row->type);
    uint64_t greatest = topk_element_greatest(row->type);
    uint64_t step = topk_type_float(row->type) ? UINT64_MAX : 1; /* towards zero, by bits */
    const uint64_t values[] = {least,
                               greatest,
                               least + step,
                               topk_type_float(row->type) ? greatest - 1 : greatest - step,
                               whole(row->type, 0),
                               whole(row->type, 1),
                               mask_of(row->type) >> 1 ^ (topk_type_float(row->type) ? 0x3ff : 0),
                               topk_type_float(row->type) ? whole(row->type, -1)
                                                          : mask_of(row->type)};
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
    uint64_t minus = mask_of(row->type) ^ mask_of(row->type) >> 1;
    const uint64_t values[] = {0, minus, minus, 0, whole(row->type, 1), whole(row->type, -1)};
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
                               whole(row->type, 1),
                               topk_type_float(row->type) ? greatest - 1 : greatest,
                               topk_type_float(row->type) ? least - 1 : least,
                               whole(row->type, 0)};
    draw(row, values, sizeof values / sizeof values[0]);
}

static void fill_denormals(struct topk_row *row)
{
    if (!topk_type_float(row->type)) {
        fill_few(row);
        return;
    }
    uint64_t normal = (uint64_t)1 << fraction_bits(row->type);
    uint64_t minus = mask_of(row->type) ^ mask_of(row->type) >> 1;
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
    uint64_t minus = mask_of(row->type) ^ mask_of(row->type) >> 1;
    uint64_t infinity = topk_element_greatest(row->type);
    uint64_t quiet = infinity | (uint64_t)1 << (fraction_bits(row->type) - 1);
    /* quiet and signalling, both signs, with payloads */
    const uint64_t values[] = {
        quiet,        quiet | minus,        infinity + 1, minus | (infinity + 1),
        quiet | 0x2a, minus | quiet | 0x15, minus - 1,    mask_of(row->type)};
    uint32_t wanted = 1 + topk_pcg_below(&row->pcg, (row->length + 2) / 3);
    for (uint32_t i = 0; i < wanted; i++) {
        /* two draws from one stream: the place first, then the value */
        uint32_t place = topk_pcg_below(&row->pcg, row->length);
        row->bits[place] = pick(row, values, 8);
    }
}

/* values that kernels like to pad short rows with */
static void fill_sentinels(struct topk_row *row)
{
    uint64_t least = topk_element_least(row->type);
    uint64_t greatest = topk_element_greatest(row->type);
    bool is_float = topk_type_float(row->type);
    uint64_t worst = row->increasing ? greatest : least;
    uint64_t worst_finite = is_float ? worst - 1 : worst;
    const uint64_t values[] = {worst, worst_finite, worst, worst_finite,
                               is_float
                                   ? (worst ^ (mask_of(row->type) ^ mask_of(row->type) >> 1)) - 1
                                   : whole(row->type, 0)};
    uint32_t kind = (uint32_t)(row->parameters[0] % 4);
    for (uint32_t i = 0; i < row->length; i++) {
        row->bits[i] = kind == 0   ? worst
                       : kind == 1 ? worst_finite
                       : kind == 2 ? values[topk_pcg_below(&row->pcg, 4)]
                                   : values[topk_pcg_below(&row->pcg, 5)];
    }
}

/* values that differ only where a narrower view does not look */
static void fill_hidden(struct topk_row *row)
{
    uint32_t bytes = topk_type_bytes(row->type);
    for (uint32_t i = 0; i < row->length; i++) {
        uint64_t draw_bits = topk_pcg_next64(&row->pcg);
        uint64_t bits;
        switch (row->parameters[0] % 4) {
        case 0: /* one low half */
            bits = draw_bits << (4 * bytes) | 5;
            break;
        case 1: /* one high half */
            bits = (draw_bits & (((uint64_t)1 << (4 * bytes)) - 1)) | (uint64_t)0x3c
                                                                          << (8 * bytes - 8);
            break;
        case 2: /* one value in the next narrower float: double, FLOAT32, FLOAT16 */
            bits = (bytes == 8   ? (uint64_t)1 << 60
                    : bytes == 4 ? (uint64_t)0x3f800000
                                 : (uint64_t)0x3c << (8 * bytes - 8)) +
                   (draw_bits & 7);
            break;
        default: /* shared top bits, a few low ones differ, either sign */
            bits = (draw_bits & 0xf) | (draw_bits >> 63 << (8 * bytes - 1)) |
                   (uint64_t)0x40 << (8 * bytes - 8);
            break;
        }
        bits &= mask_of(row->type);
        if (topk_element_nan(row->type, bits)) {
            bits &= ~((uint64_t)1 << fraction_bits(row->type));
        }
        row->bits[i] = bits;
    }
}

/* Ties of a kind around special values of a kind. What it makes is the same set of values in every
 * sequence, in another order: the first value of a sequence is the last of the one before, so that
 * sequences may overlap by one element. */

enum { /* the first parameter: where there are ties; of a kind that there is no room for, others */
    TIED_NONE,
    TIED_UNSELECTED,
    TIED_INSIDE,
    TIED_BOUNDARY,
    TIED_ALL,
    TIED_KINDS
};
enum { /* the second: special values; of integers extremes or none */
    AROUND_NONE,
    AROUND_EXTREMES,
    AROUND_ZEROS,      /* of both signs, where the tie is */
    AROUND_INFINITIES, /* both */
    AROUND_DENORMALS,  /* of both signs */
    AROUND_NAN,        /* in every sequence */
    AROUND_NAN_ODD,    /* in those of an odd number */
    AROUND_KINDS
};

/* runs of elements, from the best on: each of so many values, as evenly as can be */
struct runs {
    uint32_t elements[3];
    uint32_t values[3];
    uint32_t tied; /* number of the value that ties, from the best */
};

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void set_run(struct runs *runs, uint32_t number, uint32_t elements, uint32_t values)
{
    runs->elements[number] = elements;
    runs->values[number] = least_of(elements, values);
}

/* most values of a type that are no special ones, of a float on one side of zero */
static uint32_t tied_room(uint32_t type)
{
    if (topk_type_float(type)) {
        return type == TOPK_TYPE_F16 ? 30720 : 0x7f000000;
    }
    return topk_type_bytes(type) < 4 ? (1u << (8 * topk_type_bytes(type))) - 2 : UINT32_MAX;
}

static void plan_runs(const struct topk_row *row, struct topk_pcg *pcg, struct runs *runs)
{
    uint32_t rest = row->length - row->k;
    uint32_t room = tied_room(row->type);
    memset(runs, 0, sizeof *runs);
    switch (row->parameters[0] % TIED_KINDS) {
    case TIED_NONE:
        set_run(runs, 0, row->length, UINT32_MAX);
        runs->tied = row->length / 2;
        break;
    case TIED_UNSELECTED:
        set_run(runs, 0, row->k, UINT32_MAX);
        set_run(runs, 1, rest, row->k < room / 2 ? least_of((rest + 1) / 2, room / 2) : 1);
        runs->tied = row->k;
        break;
    case TIED_INSIDE:
        set_run(runs, 0, row->k, least_of((row->k + 1) / 2, room / 2));
        set_run(runs, 1, rest, room / 2);
        break;
    case TIED_BOUNDARY: {
        /* at least one is better or worse, or all would be equal */
        uint32_t better = topk_pcg_below(pcg, row->k);
        better = rest == 1 && better == 0 && row->k > 1 ? 1 : better;
        uint32_t least = row->k - better + 1;
        uint32_t most = row->length - better - (better == 0);
        uint32_t equal = least;
        if (least < most) {
            equal += topk_pcg_below(pcg, most - least + 1);
        }
        equal = least_of(equal, row->length - better);
        set_run(runs, 0, better, room / 3);
        set_run(runs, 1, equal, 1);
        set_run(runs, 2, row->length - better - equal, room / 3);
        runs->tied = runs->values[0];
        break;
    }
    default:
        set_run(runs, 0, row->length, 1);
        break;
    }
}

/* the value `steps` above zero, or below it, that is no special one */
static uint64_t beside_zero(uint32_t type, int64_t steps, bool whole_numbers)
{
    if (!topk_type_float(type) || whole_numbers || steps == 0) {
        return whole(type, steps);
    }
    uint64_t minus = mask_of(type) ^ mask_of(type) >> 1;
    uint64_t magnitude = (uint64_t)(steps < 0 ? -steps : steps) - 1;
    uint64_t most = tied_room(type) - 1;
    magnitude = magnitude < most ? magnitude : most;
    return (steps < 0 ? minus : 0) | (((uint64_t)1 << fraction_bits(type)) + magnitude);
}

/* the value of rank i of an ascending list of `count`, of which that of rank `tied` is special if
 * zeros are. odd: of both signs of a zero the other. */
static uint64_t tied_value(const struct topk_row *row, uint32_t i, uint32_t count, uint32_t tied,
                           bool odd)
{
    uint32_t type = row->type;
    uint64_t seed = row->parameters[2];
    uint64_t minus = mask_of(type) ^ mask_of(type) >> 1;
    bool is_float = topk_type_float(type);
    uint64_t around = row->parameters[1] % AROUND_KINDS;
    uint32_t middle = is_float && around == AROUND_ZEROS ? tied : count / 2;
    int64_t steps = (int64_t)i - (int64_t)middle;
    bool whole_numbers = count <= whole_room(type);
    bool bottom = i == 0 && (count > 1 || seed % 2 == 0);
    bool end = bottom || i + 1 == count;
    if (end && (around == AROUND_EXTREMES || (around == AROUND_INFINITIES && is_float))) {
        uint64_t bits = bottom ? topk_element_least(type) : topk_element_greatest(type);
        return is_float && around == AROUND_EXTREMES ? bits - 1 : bits;
    }
    if (is_float && around == AROUND_ZEROS && steps == 0) {
        return odd ? minus : 0;
    }
    if (is_float && around == AROUND_DENORMALS && (steps == 0 || steps == -1)) {
        uint64_t magnitude = seed % 2 == 0 ? 1 : ((uint64_t)1 << fraction_bits(type)) - 1;
        return (steps == 0 ? 0 : minus) | magnitude;
    }
    if (is_float && around == AROUND_DENORMALS) {
        steps += steps < 0; /* there is no zero between them */
    }
    if (!is_float && !topk_type_signed(type)) {
        return ((uint64_t)i + (around != AROUND_EXTREMES)) & mask_of(type);
    }
    return beside_zero(type, steps, whole_numbers);
}

/* one of the NaNs of a type: quiet and signalling, both signs, with payloads */
static uint64_t some_nan(uint32_t type, uint32_t number)
{
    uint64_t quiet = (uint64_t)1 << (fraction_bits(type) - 1);
    uint64_t minus = mask_of(type) ^ mask_of(type) >> 1;
    return topk_element_greatest(type) | (number % 2 == 0 ? quiet : 0) |
           (number / 2 % 2 == 0 ? 0 : minus) | (1 + number / 4 % 64);
}

static void swap_bits(struct topk_row *row, uint32_t i, uint32_t j)
{
    uint64_t swap = row->bits[i];
    row->bits[i] = row->bits[j];
    row->bits[j] = swap;
}

/* One order of the values for all sequences, then all but the ends in an order of the sequence's
 * own; the ends take turns. */
static void arrange(struct topk_row *row, struct topk_pcg *pcg)
{
    for (uint32_t i = row->length; i > 1; i--) {
        swap_bits(row, i - 1, topk_pcg_below(pcg, i));
    }
    for (uint32_t i = row->length - 1; i > 2; i--) {
        swap_bits(row, i - 1, 1 + topk_pcg_below(&row->pcg, i - 1));
    }
    if (row->sequence % 2 == 1) {
        swap_bits(row, 0, row->length - 1);
    }
}

static void fill_tied(struct topk_row *row)
{
    struct topk_pcg pcg;
    struct runs runs;
    topk_pcg_seed(&pcg, row->parameters[2], UINT64_MAX >> 1);
    plan_runs(row, &pcg, &runs);
    uint32_t count = runs.values[0] + runs.values[1] + runs.values[2];
    uint32_t tied = least_of(runs.tied, count - 1);
    tied = row->increasing ? tied : count - 1 - tied;
    uint32_t at = 0;
    uint32_t best = 0; /* number of the first value of a run, from the best */
    for (uint32_t run = 0; run < 3; run++) {
        for (uint32_t i = 0; i < runs.elements[run]; i++) {
            uint32_t value = best + (uint32_t)((uint64_t)i * runs.values[run] / runs.elements[run]);
            uint32_t rank = row->increasing ? value : count - 1 - value;
            row->bits[at] = tied_value(row, rank, count, tied, at % 2 == 1);
            at++;
        }
        best += runs.values[run];
    }
    bool is_float = topk_type_float(row->type);
    bool all = row->parameters[0] % TIED_KINDS == TIED_ALL;
    if (is_float && row->parameters[1] % AROUND_KINDS == AROUND_NAN) {
        uint32_t nans = all ? row->length : 1 + row->length / 4;
        for (uint32_t i = 0; i < nans; i++) {
            row->bits[i] = some_nan(row->type, i);
        }
    }
    arrange(row, &pcg);
    if (is_float && row->parameters[1] % AROUND_KINDS == AROUND_NAN_ODD && row->sequence % 2 == 1) {
        row->bits[row->length - 1] = some_nan(row->type, (uint32_t)row->sequence / 2);
        for (uint32_t i = 1; i < row->length; i++) {
            if (topk_pcg_below(&row->pcg, 8) == 0) {
                row->bits[i] = some_nan(row->type, i);
            }
        }
    }
}

/* ---- the table --------------------------------------------------------------------------------
 */

const struct topk_recipe topk_recipes[] = {
    {"const", 1, 1, "BITS: every element has these bits", fill_const},
    {"shuffle", 1, 1, "SEED: distinct values in random order, as far as the type has room",
     fill_shuffle},
    {"sorted", 1, 1, "DOWN: ascending values, or descending if 1", fill_sorted},
    {"organ", 1, 1, "DIP: values rise and fall again, or fall and rise if 1", fill_organ},
    {"uniform", 1, 1, "SEED: uniform bits, without NaN", fill_uniform},
    {"few", 1, 2, "DISTINCT:SEED: random draws from so many values", fill_few},
    {"inside", 1, 1, "SEED: the best values come in equal pairs, none across the K boundary",
     fill_inside},
    {"boundary", 1, 1, "SEED: equal values lie across the K boundary", fill_boundary},
    {"walk", 1, 1, "AT: one best element at (AT + sequence) mod length, all others equal",
     fill_walk},
    {"extremes", 1, 1, "SEED: least and greatest values, their neighbours, 0, 1 and -1",
     fill_extremes},
    {"zeros", 1, 1, "SEED: +0 and -0, and in longer sequences 1 and -1", fill_zeros},
    {"infinities", 1, 1, "SEED: infinities, greatest finite values, 0 and 1", fill_infinities},
    {"denormals", 1, 1, "SEED: denormals, both zeros, least normals", fill_denormals},
    {"nan", 1, 2, "EVERY:SEED: few values, with NaNs in every EVERY-th sequence", fill_nan},
    {"sentinels", 1, 2,
     "KIND:SEED: the worst values of the type (0 infinite, 1 finite, 2 both, 3 and more)",
     fill_sentinels},
    {"hidden", 1, 2,
     "KIND:SEED: equal in 0 the low half, 1 the high half, 2 a narrower float, 3 the top bits",
     fill_hidden},
    {"tied", 1, 3,
     "TIES:AROUND:SEED: ties (0 none, 1 unselected, 2 selected, 3 across the K boundary, 4 all) "
     "around 0 small values, 1 extremes, 2 zeros, 3 infinities, 4 denormals, 5 NaN, 6 NaN in odd "
     "sequences",
     fill_tied},
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

void topk_recipe_fill(const struct topk_recipe *recipe, struct topk_row *row)
{
    topk_pcg_seed(&row->pcg, row->parameters[recipe->parameters - 1], row->sequence);
    recipe->fill(row);
}
