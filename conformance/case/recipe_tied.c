/* Recipe tied: ties of one kind around special values of one kind. Every sequence has the same set
 * of values in another order. The last value of a sequence is the first of the next, so that
 * sequences may overlap by one element. */
#include "recipe_steps.h"

#include <string.h>

enum { /* first parameter: where ties are; if there is no room for that kind, another is used */
    TIED_NONE,
    TIED_UNSELECTED,
    TIED_INSIDE,
    TIED_BOUNDARY,
    TIED_ALL,
    TIED_KINDS
};
enum { /* second parameter: the special values; for integers, extremes or none */
    AROUND_NONE,
    AROUND_EXTREMES,
    AROUND_ZEROS,      /* of both signs, in the tie */
    AROUND_INFINITIES, /* of both signs */
    AROUND_DENORMALS,  /* of both signs */
    AROUND_NAN,        /* in every sequence */
    AROUND_NAN_ODD,    /* in sequences with an odd number */
    AROUND_KINDS
};

/* runs of elements, the best first; run i spreads values[i] values evenly over elements[i] */
struct runs {
    uint32_t elements[3];
    uint32_t values[3];
    uint32_t tied; /* rank of the value that ties, from the best */
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

/* greatest number of values that are not special, for a float on one side of zero */
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
        /* at least one element is not in the tie */
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

/* the value `steps` above zero (below it if negative), skipping special values */
static uint64_t beside_zero(uint32_t type, int64_t steps, bool whole_numbers)
{
    if (!topk_type_float(type) || whole_numbers || steps == 0) {
        return topk_value_whole(type, steps);
    }
    uint64_t minus = topk_value_mask(type) ^ topk_value_mask(type) >> 1;
    uint64_t magnitude = (uint64_t)(steps < 0 ? -steps : steps) - 1;
    uint64_t most = tied_room(type) - 1;
    magnitude = magnitude < most ? magnitude : most;
    return (steps < 0 ? minus : 0) | (((uint64_t)1 << topk_value_fraction_bits(type)) + magnitude);
}

/* the value of rank i of an ascending list of `count`; with AROUND_ZEROS, rank `tied` is a zero.
 * odd: use the other sign of zero. */
static uint64_t tied_value(const struct topk_row *row, uint32_t i, uint32_t count, uint32_t tied,
                           bool odd)
{
    uint32_t type = row->type;
    uint64_t seed = row->parameters[2];
    uint64_t minus = topk_value_mask(type) ^ topk_value_mask(type) >> 1;
    bool is_float = topk_type_float(type);
    uint64_t around = row->parameters[1] % AROUND_KINDS;
    uint32_t middle = is_float && around == AROUND_ZEROS ? tied : count / 2;
    int64_t steps = (int64_t)i - (int64_t)middle;
    bool whole_numbers = count <= topk_value_whole_room(type);
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
        uint64_t magnitude =
            seed % 2 == 0 ? 1 : ((uint64_t)1 << topk_value_fraction_bits(type)) - 1;
        return (steps == 0 ? 0 : minus) | magnitude;
    }
    if (is_float && around == AROUND_DENORMALS) {
        steps += steps < 0; /* skip zero */
    }
    if (!is_float && !topk_type_signed(type)) {
        return ((uint64_t)i + (around != AROUND_EXTREMES)) & topk_value_mask(type);
    }
    return beside_zero(type, steps, whole_numbers);
}

/* one of the NaNs of a type: quiet and signalling, both signs, with payloads */
static uint64_t some_nan(uint32_t type, uint32_t number)
{
    uint64_t quiet = (uint64_t)1 << (topk_value_fraction_bits(type) - 1);
    uint64_t minus = topk_value_mask(type) ^ topk_value_mask(type) >> 1;
    return topk_element_greatest(type) | (number % 2 == 0 ? quiet : 0) |
           (number / 2 % 2 == 0 ? 0 : minus) | (1 + number / 4 % 64);
}

static void swap_bits(struct topk_row *row, uint32_t i, uint32_t j)
{
    uint64_t swap = row->bits[i];
    row->bits[i] = row->bits[j];
    row->bits[j] = swap;
}

/* Puts the values into an order common to all sequences, then shuffles all but the ends for this
 * sequence. The ends change places from one sequence to the next. */
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

void topk_fill_tied(struct topk_row *row)
{
    struct topk_pcg pcg;
    struct runs runs;
    topk_pcg_seed(&pcg, row->parameters[2], UINT64_MAX >> 1);
    plan_runs(row, &pcg, &runs);
    uint32_t count = runs.values[0] + runs.values[1] + runs.values[2];
    uint32_t tied = least_of(runs.tied, count - 1);
    tied = row->increasing ? tied : count - 1 - tied;
    uint32_t at = 0;
    uint32_t best = 0; /* rank of the first value of a run, from the best */
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
