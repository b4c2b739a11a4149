/* Faults of contracts.def in how elements compare: denormals, zeros, NaN, integers. */
#include "contracts.h"

/* ---- how floats are ordered ------------------------------------------------------------------ */

/* orders each float for which `wanted` holds as another */
static void change_order(struct row *row, bool when, bool (*wanted)(uint32_t type, uint64_t bits),
                         uint64_t (*changed)(uint32_t type, uint64_t bits))
{
    for (uint32_t i = 0; when && contracts_float(row->type) && i < row->length; i++) {
        if (wanted(row->type, row->bits[i])) {
            contracts_order_as(row, i, changed(row->type, row->bits[i]));
        }
    }
}

void fault_normal_as_zero(struct row *row)
{
    change_order(row, true, contracts_is_least_normal, contracts_zero_of);
}

static bool below_half(uint32_t type, uint64_t bits)
{
    const double real = contracts_real(type, bits);
    return !contracts_nan(type, bits) && real < 0x1p-14 && real > -0x1p-14;
}

void fault_half_range(struct row *row)
{
    change_order(row, row->type == TOPK_BACKEND_FLOAT32, below_half, contracts_zero_of);
}

/* undoes flushing for denormals with a condition */
static void order_exactly(struct row *row, bool when, bool (*wanted)(uint32_t type, uint64_t bits))
{
    for (uint32_t i = 0; when && i < row->length; i++) {
        if (contracts_denormal(row->type, row->bits[i]) && wanted(row->type, row->bits[i])) {
            row->numbers[i].real = contracts_real(row->type, row->bits[i]);
        }
    }
}

static bool positive(uint32_t type, uint64_t bits)
{
    return (bits & contracts_sign(type)) == 0;
}

static bool negative(uint32_t type, uint64_t bits)
{
    return !positive(type, bits);
}

static bool largest_denormal(uint32_t type, uint64_t bits)
{
    return contracts_is_least_normal(type, bits + 1);
}

void fault_negative_only(struct row *row)
{
    order_exactly(row, true, positive);
}

void fault_positive_only(struct row *row)
{
    order_exactly(row, true, negative);
}

void fault_some_rows(struct row *row)
{
    order_exactly(row, row->row % 2 == 1, contracts_denormal);
}

void fault_largest_denormal(struct row *row)
{
    order_exactly(row, true, largest_denormal);
}

void fault_some_calls(struct row *row)
{
    order_exactly(row, row->batch->calls % 2 == 1, contracts_denormal);
}

void fault_denormals_tie(struct row *row)
{
    change_order(row, true, contracts_denormal, contracts_zero_of);
}

void fault_half_denormals_tie(struct row *row)
{
    change_order(row, row->type == TOPK_BACKEND_FLOAT16, contracts_denormal, contracts_zero_of);
}

/* ---- zeros ----------------------------------------------------------------------------------- */

static uint64_t plus_zero(uint32_t type, uint64_t bits)
{
    (void)type;
    (void)bits;
    return 0;
}

static uint64_t other_sign(uint32_t type, uint64_t bits)
{
    return bits ^ contracts_sign(type);
}

void fault_zeros_equal(struct row *row)
{
    change_order(row, true, contracts_is_zero, plus_zero);
}

void fault_zeros_turned(struct row *row)
{
    change_order(row, true, contracts_is_zero, other_sign);
}

void fault_half_zeros_equal(struct row *row)
{
    change_order(row, row->type == TOPK_BACKEND_FLOAT16, contracts_is_zero, plus_zero);
}

void fault_zeros_equal_smallest(struct row *row)
{
    change_order(row, row->smallest, contracts_is_zero, plus_zero);
}

void fault_zeros_signed(struct row *row)
{
    row->rules |= RULE_ZERO_SIGNED;
}

/* ---- NaN ------------------------------------------------------------------------------------- */

static bool any_nan(uint32_t type, uint64_t bits)
{
    return contracts_nan(type, bits);
}

static bool nan_with_sign(uint32_t type, uint64_t bits)
{
    return contracts_nan(type, bits) && negative(type, bits);
}

static bool nan_signals(uint32_t type, uint64_t bits)
{
    return contracts_nan(type, bits) &&
           (bits & (type == TOPK_BACKEND_FLOAT16 ? 0x200u : 0x400000u)) == 0;
}

static void turn_nan(struct row *row, bool when, bool (*wanted)(uint32_t type, uint64_t bits))
{
    for (uint32_t i = 0; when && i < row->length; i++) {
        if (wanted(row->type, row->bits[i])) {
            row->numbers[i].place = (int8_t)-row->numbers[i].place;
        }
    }
}

void fault_nan_turned(struct row *row)
{
    turn_nan(row, true, any_nan);
}

void fault_nan_turned_smallest(struct row *row)
{
    turn_nan(row, row->smallest, any_nan);
}

void fault_nan_by_sign(struct row *row)
{
    turn_nan(row, true, nan_with_sign);
}

static uint64_t infinity_of_sign(uint32_t type, uint64_t bits)
{
    return contracts_infinity_of(type, bits) | contracts_zero_of(type, bits);
}

void fault_nan_quiet_only(struct row *row)
{
    change_order(row, true, nan_signals, infinity_of_sign);
}

void fault_nan_as_infinity(struct row *row)
{
    const bool first = contracts_nan_place(row->family->nan, row->smallest) < 0;
    const uint64_t sign = first == row->smallest ? contracts_sign(row->type) : 0;
    for (uint32_t i = 0; i < row->length; i++) {
        if (contracts_nan(row->type, row->bits[i])) {
            contracts_order_as(row, i, contracts_infinity_of(row->type, 0) | sign);
        }
    }
}

void fault_nan_as_zero(struct row *row)
{
    change_order(row, true, any_nan, plus_zero);
}

void fault_nan_compares(struct row *row)
{
    for (uint32_t i = 0; i < row->length; i++) {
        row->numbers[i].open = contracts_nan(row->type, row->bits[i]);
    }
}

void fault_half_nan_as_infinity(struct row *row)
{
    for (uint32_t i = 0; row->type == TOPK_BACKEND_FLOAT16 && i < row->length; i++) {
        if (contracts_nan(row->type, row->bits[i])) {
            const double infinity = contracts_real(row->type, contracts_infinity_of(row->type, 0));
            row->numbers[i] =
                (struct number){.real = negative(row->type, row->bits[i]) ? -infinity : infinity};
        }
    }
}

void fault_nan_twice(struct row *row)
{
    uint32_t first = row->k;
    for (uint32_t j = 0; j < row->k; j++) {
        if (contracts_nan(row->type, row->bits[row->order[j]])) {
            if (first < row->k) {
                row->order[j] = row->order[first];
                return;
            }
            first = j;
        }
    }
}

void fault_nan_ties(struct row *row)
{
    uint32_t from = 0;
    while (from < row->k && !contracts_nan(row->type, row->bits[row->order[from]])) {
        from++;
    }
    uint32_t to = from;
    while (to < row->k && contracts_nan(row->type, row->bits[row->order[to]])) {
        to++;
    }
    for (uint32_t i = 0; i < (to - from) / 2; i++) {
        const uint32_t index = row->order[from + i];
        row->order[from + i] = row->order[to - 1 - i];
        row->order[to - 1 - i] = index;
    }
}

/* ---- numbers --------------------------------------------------------------------------------- */

void fault_as_unsigned(struct row *row)
{
    for (uint32_t i = 0; contracts_signed(row->type) && i < row->length; i++) {
        row->numbers[i] = (struct number){.whole = contracts_unsigned(row->type, row->bits[i])};
    }
}

void fault_by_float(struct row *row)
{
    for (uint32_t i = 0; !contracts_float(row->type) && i < row->length; i++) {
        const struct number *const number = &row->numbers[i];
        const float real = contracts_signed(row->type) ? (float)number->whole : (float)row->bits[i];
        row->numbers[i] = (struct number){.real = (double)real};
    }
}

void fault_float_bits(struct row *row)
{
    const uint64_t sign = contracts_sign(row->type);
    for (uint32_t i = 0; contracts_float(row->type) && i < row->length; i++) {
        const uint64_t bits = row->bits[i];
        row->numbers[i] = (struct number){.whole = (int64_t)(bits & (sign - 1)) -
                                                   (bits & sign ? (int64_t)sign : 0)};
    }
}

void fault_magnitude(struct row *row)
{
    for (uint32_t i = 0; i < row->length; i++) {
        struct number *const number = &row->numbers[i];
        number->real = number->real < 0 ? -number->real : number->real;
        number->whole =
            number->whole < 0 && number->whole > INT64_MIN ? -number->whole : number->whole;
    }
}

void fault_negated(struct row *row)
{
    for (uint32_t i = 0; contracts_signed(row->type) && i < row->length; i++) {
        if (row->bits[i] == contracts_sign(row->type)) {
            row->numbers[i].whole = INT64_MAX;
        }
    }
}
