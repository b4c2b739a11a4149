/* The diagnosis: each misreading is recognised from a result that it gives, and no other is. */
#include "support.h"

#include "reference/diagnosis.h"

#define MOST 5

/* One sequence and its output indices; the output values are those that they name. */
struct row_case {
    enum topk_reading reading;
    uint32_t type;
    uint32_t length;
    uint32_t k;
    bool increasing;
    uint64_t input[MOST];
    uint64_t indices[MOST];
    bool zero_values; /* the output values are zeros */
};

#define F32_1   0x3f800000u
#define F32_2   0x40000000u
#define F32_3   0x40400000u
#define F32_NEG 0x80000000u
#define TWO_53  ((uint64_t)1 << 53)
#define TWO_32  ((uint64_t)1 << 32)

static const struct row_case rows[] = {
    {TOPK_READING_ONE_BASED, TOPK_TYPE_U8, 3, 2, false, {1, 3, 2}, {2, 3}, false},
    {TOPK_READING_OPPOSITE, TOPK_TYPE_F32, 4, 2, false, {F32_1, F32_2, F32_3, 0}, {3, 0}, false},
    {TOPK_READING_OPPOSITE_ORDER, TOPK_TYPE_I32, 4, 2, false, {1, 2, 3, 0}, {1, 2}, false},
    {TOPK_READING_TIES_DESCENDING,
     TOPK_TYPE_F32,
     4,
     3,
     false,
     {F32_1, F32_2, F32_2, 0},
     {2, 1, 0},
     false},
    {TOPK_READING_TIES_REVERSED, TOPK_TYPE_U8, 4, 3, false, {5, 5, 5, 5}, {2, 1, 0}, false},
    {TOPK_READING_TIES_REVERSED, TOPK_TYPE_U8, 5, 3, false, {5, 6, 6, 5, 5}, {2, 1, 0}, false},
    {TOPK_READING_TIES_HIGH, TOPK_TYPE_I16, 4, 3, true, {5, 5, 5, 1}, {3, 1, 2}, false},
    {TOPK_READING_MINUS_ZERO, TOPK_TYPE_F32, 3, 3, false, {F32_NEG, 0, F32_NEG}, {1, 0, 2}, false},
    /* only zeros tie: the special reading comes first */
    {TOPK_READING_MINUS_ZERO, TOPK_TYPE_F32, 2, 1, false, {F32_NEG, 0}, {1}, false},
    {TOPK_READING_MINUS_ZERO, TOPK_TYPE_F32, 3, 2, true, {0, F32_NEG, F32_1}, {1, 0}, false},
    {TOPK_READING_DENORMALS, TOPK_TYPE_F16, 4, 2, false, {0, 1, 2, 0x3c00}, {3, 0}, false},
    {TOPK_READING_FLUSHED, TOPK_TYPE_F16, 2, 1, false, {0x8001, 1}, {1}, true},
    {TOPK_READING_INFINITY, TOPK_TYPE_F16, 3, 2, false, {0x7bff, 0x7c00, 0}, {0, 1}, false},
    {TOPK_READING_AS_DOUBLE, TOPK_TYPE_I64, 3, 2, false, {TWO_53, TWO_53 + 1, 7}, {0, 1}, false},
    {TOPK_READING_AS_FLOAT,
     TOPK_TYPE_I32,
     3,
     2,
     false,
     {1u << 24, (1u << 24) + 1, 7},
     {0, 1},
     false},
    {TOPK_READING_LOW_HALF, TOPK_TYPE_U64, 4, 2, false, {TWO_32, 5, 9, 7}, {2, 3}, false},
    /* if high halves are equal, this explains as much as the next one */
    {TOPK_READING_LOW_HALF_SIGN, TOPK_TYPE_I64, 2, 1, false, {0x80000000u, 5}, {1}, false},
    {TOPK_READING_LOW_HALF_SIGN,
     TOPK_TYPE_I64,
     5,
     4,
     false,
     {TWO_32 + 5, 0x80000000u, 5, TWO_32 + 0x80000000u, 0 - TWO_32},
     {0, 3, 2, 1},
     false},
    {TOPK_READING_LOW_HALF_SIGNED,
     TOPK_TYPE_U64,
     4,
     2,
     false,
     {0x80000000u, 5, TWO_32 + 1, 3},
     {1, 3},
     false},
    {TOPK_READING_HIGH_HALF, TOPK_TYPE_U64, 4, 2, false, {2, 1, 3, 4}, {0, 1}, false},
    {TOPK_READING_AS_HALF, TOPK_TYPE_F32, 3, 2, false, {F32_1, F32_1 + 1, 0}, {0, 1}, false},
    {TOPK_READING_SIGNEDNESS, TOPK_TYPE_U8, 4, 2, false, {200, 5, 255, 0}, {1, 3}, false},
    {TOPK_READING_AS_BITS,
     TOPK_TYPE_F32,
     3,
     2,
     false,
     {F32_NEG + F32_1, F32_1, F32_2},
     {0, 2},
     false},
    {TOPK_READING_MAGNITUDE,
     TOPK_TYPE_F32,
     3,
     3,
     true,
     {F32_NEG + F32_2, F32_1, F32_3},
     {1, 0, 2},
     false},
    {TOPK_READING_ONE_LESS, TOPK_TYPE_I8, 5, 2, false, {1, 4, 2, 3, 5}, {1, 3}, false},
    /* every index is one too high, but names an equal value, so no index is wrong */
    {TOPK_READING_TIES_HIGH, TOPK_TYPE_I32, 4, 2, false, {0, 5, 5, 5}, {2, 3}, false},
    /* results that no reading gives */
    {TOPK_READING_NONE, TOPK_TYPE_F32, 4, 2, false, {F32_1, F32_2, F32_3, 0}, {3, 2}, false},
    {TOPK_READING_NONE, TOPK_TYPE_F32, 4, 2, false, {0x7fc00000, F32_2, F32_3, 0}, {3, 2}, false},
};

/* Two sequences and all outputs. MASK: all bits of an index. */
#define MASK UINT32_MAX
struct pair_case {
    enum topk_reading reading;
    uint32_t type;
    uint32_t length;
    uint32_t k;
    bool increasing;
    uint64_t input[2][MOST];
    uint64_t values[2][MOST];
    uint64_t indices[2][MOST];
};

#define F32_INF     0x7f800000u
#define F32_MAX     0x7f7fffffu
#define F32_MINUS_1 0xbf800000u
#define F32_MINUS_2 0xc0000000u
#define F16_MIN     0xfbffu

static const struct pair_case pairs[] = {
    {TOPK_READING_OUTPUT_INDEX,
     TOPK_TYPE_U8,
     4,
     3,
     false,
     {{1, 4, 2, 3}, {3, 1, 4, 2}},
     {{4, 3, 2}, {4, 3, 2}},
     {{0, 1, 2}, {0, 1, 2}}},
    {TOPK_READING_ZERO_INDEX,
     TOPK_TYPE_U8,
     4,
     3,
     false,
     {{1, 4, 2, 3}, {3, 1, 4, 2}},
     {{4, 3, 2}, {4, 3, 2}},
     {{0, 0, 0}, {0, 0, 0}}},
    {TOPK_READING_ONES_INDEX,
     TOPK_TYPE_U8,
     4,
     3,
     false,
     {{1, 4, 2, 3}, {3, 1, 4, 2}},
     {{4, 3, 2}, {4, 3, 2}},
     {{MASK, MASK, MASK}, {MASK, MASK, MASK}}},
    {TOPK_READING_SWAPPED,
     TOPK_TYPE_U32,
     4,
     3,
     false,
     {{1, 9, 2, 7}, {7, 1, 9, 2}},
     {{1, 3, 2}, {2, 0, 3}},
     {{9, 7, 2}, {9, 7, 2}}},
    {TOPK_READING_POSITIVE_ZERO,
     TOPK_TYPE_F32,
     3,
     3,
     false,
     {{F32_NEG, 0, F32_1}, {F32_1, F32_NEG, F32_2}},
     {{F32_1, 0, 0}, {F32_2, F32_1, 0}},
     {{2, 0, 1}, {2, 0, 1}}},
    {TOPK_READING_FINITE,
     TOPK_TYPE_F32,
     3,
     2,
     false,
     {{F32_INF, 0, F32_1}, {F32_1, F32_3, F32_2}},
     {{F32_MAX, F32_1}, {F32_3, F32_2}},
     {{0, 2}, {1, 2}}},
    {TOPK_READING_NEGATED,
     TOPK_TYPE_I8,
     4,
     2,
     false,
     {{0x80, 5, 0xfe, 3}, {1, 2, 0x80, 4}},
     {{0x80, 5}, {0x80, 4}},
     {{0, 1}, {2, 3}}},
    {TOPK_READING_NEGATED,
     TOPK_TYPE_U16,
     4,
     3,
     true,
     {{9, 5, 0, 3}, {1, 2, 8, 0}},
     {{3, 5, 9}, {1, 2, 8}},
     {{3, 1, 0}, {0, 1, 2}}},
    {TOPK_READING_MIDDLE_LOST,
     TOPK_TYPE_U8,
     5,
     2,
     false,
     {{1, 4, 9, 3, 5}, {3, 7, 4, 2, 6}},
     {{5, 4}, {7, 6}},
     {{4, 1}, {1, 4}}},
    {TOPK_READING_BEST_LOST,
     TOPK_TYPE_U8,
     5,
     2,
     false,
     {{1, 9, 4, 3, 5}, {7, 3, 4, 2, 6}},
     {{5, 4}, {6, 4}},
     {{4, 2}, {4, 2}}},
    {TOPK_READING_KTH_LOST,
     TOPK_TYPE_U8,
     5,
     3,
     false,
     {{4, 9, 1, 3, 5}, {7, 3, 2, 4, 6}},
     {{9, 5, 3}, {7, 6, 3}},
     {{1, 4, 3}, {0, 4, 1}}},
    {TOPK_READING_PAD_ZERO,
     TOPK_TYPE_I32,
     3,
     3,
     true,
     {{4, 5, 6}, {7, 0, 9}},
     {{0, 4, 5}, {0, 0, 7}},
     {{3, 0, 1}, {1, 3, 0}}},
    /* a pad after the last element, and then another element */
    {TOPK_READING_NONE,
     TOPK_TYPE_I32,
     3,
     3,
     true,
     {{4, 5, 6}, {7, 0, 9}},
     {{6, 0, 5}, {0, 0, 7}},
     {{2, 3, 1}, {1, 3, 0}}},
    {TOPK_READING_PAD_NORMAL,
     TOPK_TYPE_F32,
     3,
     2,
     false,
     {{F32_MINUS_1, F32_1, F32_MINUS_2}, {F32_2, F32_1, 0}},
     {{F32_1, 0x00800000u}, {F32_2, F32_1}},
     {{1, 3}, {0, 1}}},
    {TOPK_READING_PAD_FINITE,
     TOPK_TYPE_F16,
     3,
     3,
     false,
     {{0xfc00, 0x3c00, 0}, {0, 0x3c00, 0x4000}},
     {{0x3c00, 0, F16_MIN}, {0x4000, 0x3c00, 0}},
     {{1, 2, 3}, {2, 1, 0}}},
    {TOPK_READING_PAD_WORST,
     TOPK_TYPE_I8,
     3,
     3,
     false,
     {{4, 0x80, 6}, {7, 8, 9}},
     {{6, 4, 0x80}, {9, 8, 7}},
     {{2, 0, 3}, {2, 1, 0}}},
    /* the second sequence follows the first, and is followed by the bytes around the tensor */
    {TOPK_READING_BEYOND,
     TOPK_TYPE_U32,
     3,
     2,
     false,
     {{4, 5, 6}, {1000000, 8, 9}},
     {{1000000, 6}, {1000000, 9}},
     {{3, 2}, {0, 2}}},
    {TOPK_READING_NEIGHBOUR,
     TOPK_TYPE_U32,
     3,
     2,
     false,
     {{4, 5, 6}, {9, 8, 7}},
     {{9, 8}, {9, 8}},
     {{0, 1}, {0, 1}}},
    {TOPK_READING_APART,
     TOPK_TYPE_U8,
     4,
     3,
     false,
     {{1, 9, 2, 7}, {7, 1, 9, 2}},
     {{9, 7, 2}, {9, 7, 2}},
     {{1, 2, 3}, {0, 2, 3}}},
    {TOPK_READING_MARKED,
     TOPK_TYPE_U8,
     4,
     3,
     false,
     {{1, 9, 2, 7}, {7, 1, 9, 2}},
     {{9, 7, 2}, {9, 7, 2}},
     {{1, 3, MASK}, {2, 0, 3}}},
    {TOPK_READING_ZEROED,
     TOPK_TYPE_U8,
     4,
     3,
     false,
     {{1, 9, 2, 7}, {7, 1, 9, 2}},
     {{9, 7, 0}, {9, 7, 0}},
     {{1, 3, 0}, {2, 0, 0}}},
    {TOPK_READING_UNSORTED,
     TOPK_TYPE_U8,
     5,
     4,
     false,
     {{1, 9, 2, 7, 5}, {7, 1, 9, 2, 5}},
     {{9, 5, 2, 7}, {7, 9, 2, 5}},
     {{1, 4, 2, 3}, {0, 2, 3, 4}}},
    /* one sequence is misread, the other is correct */
    {TOPK_READING_TIES_REVERSED,
     TOPK_TYPE_U8,
     4,
     3,
     false,
     {{5, 5, 5, 5}, {5, 5, 5, 5}},
     {{5, 5, 5}, {5, 5, 5}},
     {{0, 1, 2}, {2, 1, 0}}},
    {TOPK_READING_OPPOSITE,
     TOPK_TYPE_U8,
     5,
     3,
     false,
     {{1, 9, 2, 7, 5}, {7, 1, 9, 2, 5}},
     {{1, 2, 5}, {9, 7, 5}},
     {{0, 2, 4}, {2, 0, 4}}},
};

static struct topk_operator make_operator(uint32_t type, uint32_t first, uint32_t length,
                                          uint32_t axis, uint32_t k, bool increasing)
{
    struct topk_operator op;
    memset(&op, 0, sizeof op);
    op.kind = TOPK_TOP_K1;
    op.level = TOPK_LEVEL_5_0;
    op.axis = axis;
    op.k = k;
    op.direction = increasing ? TOPK_INCREASING : TOPK_DECREASING;
    struct topk_tensor *input = &op.tensors[TOPK_INPUT];
    input->present = true;
    input->type = type;
    input->rank = 2;
    input->sizes[0] = first;
    input->sizes[1] = length;
    input->total_bytes = topk_tensor_least_bytes(input);
    topk_operator_derive_outputs(&op, TOPK_TYPE_U32);
    return op;
}

/* like the host: the judge comes first */
static enum topk_reading diagnose(const struct call *call, const struct topk_operator *op)
{
    struct topk_judgement judgement;
    topk_judge_result(op, call->exhibits, &judgement);
    return topk_readings_first(topk_diagnose(op, NULL, call->exhibits, &judgement).readings);
}

/* A library that documents other ties, but selects the lowest, misreads nothing that the readings
 * know: its result is DirectML's, and a reading without effect here is no cause. */
static void reading_of_another_contract_is_none(void **state)
{
    (void)state;
    static const uint64_t input[] = {F32_1, F32_2, F32_2, F32_1};
    static const uint64_t indices[][3] = {{1, 2, 0}, {2, 1, 0}, {3, 2, 1}};
    static const struct {
        const char *rules;
        uint32_t row; /* number of the row of indices */
        enum topk_reading reading;
    } tries[] = {
        {"ties=highest", 0, TOPK_READING_NONE},
        {"ties=any", 2, TOPK_READING_NONE},
        {"nan=last", 1, TOPK_READING_TIES_REVERSED},
        {"ties=highest", 1, TOPK_READING_NONE},
    };
    for (size_t i = 0; i < COUNT(tries); i++) {
        struct topk_operator op = make_operator(TOPK_TYPE_F32, 1, COUNT(input), 1, 3, false);
        struct topk_contract contract;
        struct topk_judgement judgement;
        struct call call;
        char error[400];
        assert_true(topk_contract_parse(tries[i].rules, strlen(tries[i].rules), false, &contract,
                                        error, sizeof error));
        call_make(&call, &op);
        for (uint32_t j = 0; j < COUNT(input); j++) {
            call_set(&call, TOPK_INPUT, (uint32_t[]){0, j}, input[j]);
        }
        for (uint32_t j = 0; j < op.k; j++) {
            const uint64_t index = indices[tries[i].row][j];
            call_set(&call, TOPK_VALUE, (uint32_t[]){0, j}, input[index]);
            call_set(&call, TOPK_INDEX, (uint32_t[]){0, j}, index);
        }
        topk_judge_contract(&op, &contract, call.exhibits, &judgement);
        assert_true(judgement.count > 0);
        assert_int_equal(
            topk_readings_first(topk_diagnose(&op, &contract, call.exhibits, &judgement).readings),
            tries[i].reading);
        call_free(&call);
    }
}

static void misreading_of_a_row_is_recognised(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct row_case *row = &rows[i];
        struct topk_operator op =
            make_operator(row->type, 1, row->length, 1, row->k, row->increasing);
        struct call call;
        call_make(&call, &op);
        for (uint32_t j = 0; j < row->length; j++) {
            call_set(&call, TOPK_INPUT, (uint32_t[]){0, j}, row->input[j]);
        }
        for (uint32_t j = 0; j < row->k; j++) {
            /* an index that counts from 1 comes with the previous value */
            uint64_t from = row->indices[j] - (row->reading == TOPK_READING_ONE_BASED);
            call_set(&call, TOPK_VALUE, (uint32_t[]){0, j},
                     row->zero_values ? 0 : row->input[from]);
            call_set(&call, TOPK_INDEX, (uint32_t[]){0, j}, row->indices[j]);
        }
        enum topk_reading reading = diagnose(&call, &op);
        if (reading != row->reading) {
            fail_msg("row %zu: diagnosed %s, not %s", i,
                     reading == 0 ? "nothing" : topk_reading_row(reading)->word,
                     row->reading == 0 ? "nothing" : topk_reading_row(row->reading)->word);
        }
        call_free(&call);
    }
}

/* makes a call of two sequences with its outputs */
static void make_pair(struct call *call, const struct pair_case *pair)
{
    const struct topk_operator op =
        make_operator(pair->type, 2, pair->length, 1, pair->k, pair->increasing);
    call_make(call, &op);
    for (uint32_t s = 0; s < 2; s++) {
        for (uint32_t j = 0; j < pair->length; j++) {
            call_set(call, TOPK_INPUT, (uint32_t[]){s, j}, pair->input[s][j]);
        }
        for (uint32_t j = 0; j < pair->k; j++) {
            call_set(call, TOPK_VALUE, (uint32_t[]){s, j}, pair->values[s][j]);
            call_set(call, TOPK_INDEX, (uint32_t[]){s, j}, pair->indices[s][j]);
        }
    }
}

static void misreading_of_two_rows_is_recognised(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        struct call call;
        make_pair(&call, &pairs[i]);
        const enum topk_reading reading = diagnose(&call, &call.op);
        if (reading != pairs[i].reading) {
            fail_msg("pair %zu: diagnosed %s, not %s", i,
                     reading == 0 ? "nothing" : topk_reading_row(reading)->word,
                     topk_reading_row(pairs[i].reading)->word);
        }
        call_free(&call);
    }
}

static struct topk_diagnosis diagnose_row(const uint64_t input[], uint32_t length,
                                          const uint64_t indices[], uint32_t k)
{
    const struct topk_operator op = make_operator(TOPK_TYPE_U8, 1, length, 1, k, false);
    struct topk_judgement judgement;
    struct call call;
    call_make(&call, &op);
    for (uint32_t j = 0; j < length; j++) {
        call_set(&call, TOPK_INPUT, (uint32_t[]){0, j}, input[j]);
    }
    for (uint32_t j = 0; j < k; j++) {
        call_set(&call, TOPK_VALUE, (uint32_t[]){0, j}, input[indices[j]]);
        call_set(&call, TOPK_INDEX, (uint32_t[]){0, j}, indices[j]);
    }
    topk_judge_result(&op, call.exhibits, &judgement);
    const struct topk_diagnosis diagnosis = topk_diagnose(&op, NULL, call.exhibits, &judgement);
    call_free(&call);
    return diagnosis;
}

static bool has(topk_reading_set set, enum topk_reading reading)
{
    return (set & topk_reading_only(reading)) != 0;
}

/* Equal elements of a long sequence in order: one output is marked, the others are correct. */
static void mark_among_many_ties_is_recognised(void **state)
{
    (void)state;
    const uint32_t length = 40;
    const struct topk_operator op = make_operator(TOPK_TYPE_U8, 1, length, 1, length, false);
    struct call call;
    call_make(&call, &op);
    for (uint32_t i = 0; i < length; i++) {
        call_set(&call, TOPK_INPUT, (uint32_t[]){0, i}, i % 2);
    }
    assert_int_equal(call_run_oracle(&call), TOPK_ORACLE_UNIQUE);
    call_set(&call, TOPK_INDEX, (uint32_t[]){0, 5}, MASK);
    assert_int_equal(diagnose(&call, &op), TOPK_READING_MARKED);
    call_free(&call);
}

/* fills the input with distinct values in no particular order */
static void fill_distinct(struct call *call)
{
    const struct topk_tensor *input = &call->op.tensors[TOPK_INPUT];
    uint32_t at[TOPK_RANK_MAX] = {0};
    int number = 0;
    do {
        call_set(call, TOPK_INPUT, at, bits_of(input->type, 7 * number++ % 31 - 11));
    } while (next_at(input, at));
}

/* A 64-bit index has all bits set, or only the lower half. */
static void mark_of_64_bits_is_recognised(void **state)
{
    (void)state;
    static const struct {
        uint64_t index;
        enum topk_reading reading;
    } tries[] = {{UINT64_MAX, TOPK_READING_MARKED},
                 {UINT32_MAX, TOPK_READING_MARKED},
                 {UINT64_MAX - 1, TOPK_READING_NONE}};
    for (size_t i = 0; i < COUNT(tries); i++) {
        struct topk_operator op = make_operator(TOPK_TYPE_U8, 1, 5, 1, 3, false);
        struct call call;
        topk_operator_derive_outputs(&op, TOPK_TYPE_U64);
        call_make(&call, &op);
        fill_distinct(&call);
        assert_int_equal(call_run_oracle(&call), TOPK_ORACLE_UNIQUE);
        call_set(&call, TOPK_INDEX, (uint32_t[]){0, 1}, tries[i].index);
        assert_int_equal(diagnose(&call, &op), tries[i].reading);
        call_free(&call);
    }
}

/* several readings explain a tiny case, so it is a guess */
static void tiny_case_is_a_guess(void **state)
{
    (void)state;
    const struct topk_diagnosis tiny =
        diagnose_row((const uint64_t[]){1, 2}, 2, (const uint64_t[]){0}, 1);
    assert_true(has(tiny.readings, TOPK_READING_OPPOSITE));
    assert_true(has(tiny.readings, TOPK_READING_ONE_LESS));
    assert_true(has(tiny.readings, TOPK_READING_BEST_LOST));
    assert_true(has(tiny.readings, TOPK_READING_KTH_LOST));
    assert_true(tiny.guess);
    /* two outputs are too few, three are enough */
    static const uint64_t input[] = {3, 9, 1, 7, 5};
    assert_true(diagnose_row(input, 5, (const uint64_t[]){2, 0}, 2).guess);
    const struct topk_diagnosis clear = diagnose_row(input, 5, (const uint64_t[]){2, 0, 4}, 3);
    assert_false(clear.guess);
    assert_true(clear.readings == topk_reading_only(TOPK_READING_OPPOSITE));
    /* with equal values every index names the value, so none is separated or out of order */
    const struct topk_diagnosis tied =
        diagnose_row((const uint64_t[]){5, 5, 5, 5}, 4, (const uint64_t[]){2, 1, 0}, 3);
    assert_true(has(tied.readings, TOPK_READING_TIES_REVERSED));
    assert_false(has(tied.readings, TOPK_READING_UNSORTED));
    assert_false(has(tied.readings, TOPK_READING_APART));
    /* an unexplained result is no guess */
    const struct topk_diagnosis none = diagnose_row(input, 5, (const uint64_t[]){2, 1}, 2);
    assert_true(none.readings == 0 && !none.guess);
}

static topk_reading_set contradicted(const struct topk_operator *op,
                                     const struct topk_contract *contract, const uint64_t input[],
                                     bool *known)
{
    struct call call;
    topk_reading_set set;
    call_make(&call, op);
    for (uint32_t j = 0; j < op->tensors[TOPK_INPUT].sizes[1]; j++) {
        call_set(&call, TOPK_INPUT, (uint32_t[]){0, j}, input[j]);
    }
    *known = topk_readings_contradicted(op, contract, &call.exhibits[TOPK_INPUT],
                                        UINT64_MAX >> (64 - TOPK_READING_COUNT), &set);
    call_free(&call);
    return set;
}

/* a passing case contradicts the readings that would have failed it, and no others */
static void pass_contradicts(void **state)
{
    (void)state;
    bool known;
    const struct topk_operator op = make_operator(TOPK_TYPE_I32, 1, 5, 1, 2, false);
    topk_reading_set set = contradicted(&op, NULL, (const uint64_t[]){3, 9, 1, 9, 5}, &known);
    assert_true(known);
    assert_true(has(set, TOPK_READING_OPPOSITE) && has(set, TOPK_READING_TIES_REVERSED));
    assert_true(has(set, TOPK_READING_BEST_LOST) && has(set, TOPK_READING_ONE_BASED));
    /* the last element is not among the best, all elements are small, and nothing is padded or
     * strided */
    assert_false(has(set, TOPK_READING_ONE_LESS));
    assert_false(has(set, TOPK_READING_NEGATED));
    assert_false(has(set, TOPK_READING_INPUT_PACKED));
    assert_false(has(set, TOPK_READING_AS_FLOAT));
    /* a wrong output supports these readings, but a correct one does not contradict them */
    assert_false(has(set, TOPK_READING_UNWRITTEN) || has(set, TOPK_READING_UNSORTED));
    assert_false(has(set, TOPK_READING_NONE));
    /* choices contradict nothing: denormals of FLOAT32, ties of a contract */
    const struct topk_operator floats = make_operator(TOPK_TYPE_F32, 1, 4, 1, 3, false);
    struct topk_contract contract;
    char error[400];
    assert_true(topk_contract_parse("ties=any", 8, false, &contract, error, sizeof error));
    static const uint64_t tied[] = {F32_1, F32_1, F32_1, 0};
    assert_true(has(contradicted(&floats, NULL, tied, &known), TOPK_READING_TIES_REVERSED));
    assert_false(has(contradicted(&floats, &contract, tied, &known), TOPK_READING_TIES_REVERSED));
    /* all five elements are selected, so no reading can skip one */
    const struct topk_operator whole = make_operator(TOPK_TYPE_I32, 1, 5, 1, 5, false);
    set = contradicted(&whole, NULL, (const uint64_t[]){3, 9, 1, 9, 5}, &known);
    assert_true(known && has(set, TOPK_READING_OPPOSITE));
    assert_false(has(set, TOPK_READING_ONE_LESS) || has(set, TOPK_READING_BEST_LOST));
    /* a NaN leaves the correct order open */
    assert_true(
        contradicted(&floats, NULL, (const uint64_t[]){0x7fc00000, 0, F32_1, F32_2}, &known) == 0);
    assert_false(known);
}

/* an index above 32767, truncated to signed 16 bits */
static void signed_index_is_recognised(void **state)
{
    (void)state;
    static const uint32_t best[] = {40001, 39000, 38000};
    struct topk_operator op = make_operator(TOPK_TYPE_I32, 1, 40010, 1, COUNT(best), false);
    struct call call;
    call_make(&call, &op);
    for (uint32_t i = 0; i < 40010; i++) {
        call_set(&call, TOPK_INPUT, (uint32_t[]){0, i}, 0);
    }
    for (uint32_t j = 0; j < COUNT(best); j++) {
        call_set(&call, TOPK_INPUT, (uint32_t[]){0, best[j]}, COUNT(best) - j);
        call_set(&call, TOPK_VALUE, (uint32_t[]){0, j}, COUNT(best) - j);
        call_set(&call, TOPK_INDEX, (uint32_t[]){0, j}, best[j] | 0xffff0000u);
    }
    assert_int_equal(diagnose(&call, &op), TOPK_READING_INDEX_SIGNED_16);
    call_free(&call);
}

static void large_call_is_not_known(void **state)
{
    (void)state;
    static const uint64_t input[TOPK_CONTRADICTED_ELEMENTS + 1] = {1};
    bool known;
    struct topk_operator op =
        make_operator(TOPK_TYPE_U8, 1, TOPK_CONTRADICTED_ELEMENTS, 1, 1, false);
    assert_true(has(contradicted(&op, NULL, input, &known), TOPK_READING_OPPOSITE) && known);
    op = make_operator(TOPK_TYPE_U8, 1, TOPK_CONTRADICTED_ELEMENTS + 1, 1, 1, false);
    assert_true(contradicted(&op, NULL, input, &known) == 0 && !known);
    /* outputs that are too large, or that overlap */
    for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
        op = make_operator(TOPK_TYPE_U8, 1, 5, 1, 2, false);
        op.tensors[role].total_bytes = TOPK_CONTRADICTED_BYTES + 1;
        assert_true(contradicted(&op, NULL, input, &known) == 0 && !known);
        op = make_operator(TOPK_TYPE_U8, 1, 5, 1, 2, false);
        op.tensors[role].strided = true;
        assert_true(contradicted(&op, NULL, input, &known) == 0 && !known);
    }
}

/* the correct result of two sequences of five along the first dimension, with misnamed indices */
static void misnamed_index_is_recognised(void **state)
{
    (void)state;
    static const enum topk_reading readings[] = {TOPK_READING_FLAT_INDEX, TOPK_READING_MEMORY_INDEX,
                                                 TOPK_READING_SCALED_INDEX};
    for (size_t i = 0; i < COUNT(readings); i++) {
        struct topk_operator op = make_operator(TOPK_TYPE_I32, 5, 2, 0, 3, false);
        struct topk_tensor *input = &op.tensors[TOPK_INPUT];
        input->strided = true;
        input->strides[0] = 3;
        input->strides[1] = 1;
        input->total_bytes = topk_tensor_least_bytes(input);
        struct call call;
        call_make(&call, &op);
        fill_distinct(&call);
        assert_int_equal(call_run_oracle(&call), TOPK_ORACLE_UNIQUE);
        for (uint32_t s = 0; s < 2; s++) {
            for (uint32_t j = 0; j < 3; j++) {
                const uint32_t at[] = {j, s};
                uint64_t index = call_get(&call, TOPK_INDEX, at);
                const uint64_t names[] = {index * 2 + s, index * 3 + s, index * 3};
                call_set(&call, TOPK_INDEX, at, names[i]);
            }
        }
        assert_int_equal(diagnose(&call, &op), readings[i]);
        call_free(&call);
    }
}

/* a backend ignores strides: runs another operator on the same buffers */
static void ignored_strides_are_recognised(void **state)
{
    (void)state;
    static const struct {
        enum topk_reading reading;
        unsigned packed; /* one bit per role */
    } cases[] = {{TOPK_READING_INPUT_PACKED, 1},
                 {TOPK_READING_OUTPUT_PACKED, 6},
                 {TOPK_READING_VALUE_PACKED, 2},
                 {TOPK_READING_INDEX_PACKED, 4},
                 {TOPK_READING_ALL_PACKED, 7}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct topk_operator op = make_operator(TOPK_TYPE_F32, 3, 5, 1, 2, true);
        for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
            struct topk_tensor *tensor = &op.tensors[role];
            tensor->strided = true;
            tensor->strides[0] = tensor->sizes[1] + 2;
            tensor->strides[1] = 1;
            tensor->total_bytes = topk_tensor_least_bytes(tensor);
        }
        struct call call;
        call_make(&call, &op);
        fill_distinct(&call);
        for (unsigned role = 0; role < TOPK_ROLE_COUNT; role++) {
            call.op.tensors[role].strided = (cases[i].packed >> role & 1) == 0;
        }
        assert_int_equal(call_run_oracle(&call), TOPK_ORACLE_UNIQUE);
        assert_int_equal(diagnose(&call, &op), cases[i].reading);
        call_free(&call);
    }
}

/* All sequences are the same memory, and the first one is right. Read as packed, the others would
 * lie outside of the buffer, so that reading does not apply; another one is recognised. */
static void packed_reading_outside_of_the_buffer_is_none(void **state)
{
    (void)state;
    static const uint64_t values[] = {3, 9, 1, 7, 5};
    struct topk_operator op = make_operator(TOPK_TYPE_I32, 40, COUNT(values), 1, 3, false);
    struct topk_tensor *const input = &op.tensors[TOPK_INPUT];
    struct call call;
    input->strided = true;
    input->strides[0] = 0;
    input->strides[1] = 1;
    input->total_bytes = topk_tensor_least_bytes(input);
    call_make(&call, &op);
    for (uint32_t i = 0; i < COUNT(values); i++) {
        call_set(&call, TOPK_INPUT, (uint32_t[]){0, i}, values[i]);
    }
    assert_int_equal(call_run_oracle(&call), TOPK_ORACLE_UNIQUE);
    for (uint32_t i = 3; i < 40 * 3; i++) {
        call_set(&call, TOPK_INDEX, (uint32_t[]){i / 3, i % 3}, 0);
    }
    assert_int_equal(diagnose(&call, &op), TOPK_READING_ZERO_INDEX);
    call_free(&call);
}

static void ignored_offset_is_recognised(void **state)
{
    (void)state;
    struct topk_operator op = make_operator(TOPK_TYPE_U8, 2, 8, 1, 3, false);
    struct call call;
    call_make(&call, &op);
    fill_distinct(&call);
    assert_int_equal(topk_oracle_run(&op, call.before[TOPK_INPUT],
                                     call.after[TOPK_VALUE] + CALL_MARGIN,
                                     call.after[TOPK_INDEX] + CALL_MARGIN),
                     TOPK_ORACLE_UNIQUE);
    assert_int_equal(diagnose(&call, &op), TOPK_READING_NO_OFFSET);
    call_free(&call);
}

/* restores an output from before the call */
static void leave(struct call *call, enum topk_role role, const uint32_t at[])
{
    const struct topk_tensor *tensor = &call->op.tensors[role];
    memcpy(call_place(call, role, call->after[role], at),
           call_place(call, role, call->before[role], at), bytes_of(tensor->type));
}

/* which outputs of two sequences are unchanged, and what else is wrong */
static const struct {
    const char *name;
    unsigned values; /* one bit for each of 2 * 4 */
    unsigned indices;
    /* exchanged with the next one; 0x100: the third, with one that is not among the first three */
    unsigned swapped;
    uint32_t nan; /* number of NaNs */
    bool unknown; /* the previous content is unknown */
    enum topk_reading reading;
} lefts[] = {
    {"all", 0xff, 0xff, 0, 0, false, TOPK_READING_UNWRITTEN},
    {"last", 0x80, 0x80, 0, 0, false, TOPK_READING_UNWRITTEN},
    {"a sequence", 0xf0, 0xf0, 0, 0, false, TOPK_READING_UNWRITTEN},
    {"values", 0x12, 0, 0, 0, false, TOPK_READING_UNWRITTEN},
    {"indices", 0, 0x83, 0, 0, false, TOPK_READING_UNWRITTEN},
    {"beside NaN", 0x11, 0x11, 0, 3, false, TOPK_READING_UNWRITTEN},
    {"nobody knows", 0xf0, 0xf0, 0, 0, true, TOPK_READING_NONE},
    {"another order", 0x80, 0x80, 0x02, 0, false, TOPK_READING_NONE},
    {"another element before it", 0x08, 0x08, 0x100, 0, false, TOPK_READING_NONE},
    {"another order where indices are left", 0x00, 0x06, 0x02, 0, false, TOPK_READING_NONE},
};

static void unwritten_outputs_are_recognised(void **state)
{
    (void)state;
    /* the second length exceeds what a diagnosis sorts */
    static const uint32_t lengths[] = {9, 40000};
    for (size_t i = 0; i < COUNT(lengths) * COUNT(lefts); i++) {
        const uint32_t length = lengths[i / COUNT(lefts)];
        const size_t n = i % COUNT(lefts);
        struct topk_operator op = make_operator(TOPK_TYPE_F32, 2, length, 1, 4, n % 2 != 0);
        struct call call;
        call_make(&call, &op);
        for (uint32_t j = 0; j < 2 * length; j++) {
            call_set(&call, TOPK_INPUT, (uint32_t[]){j / length, j % length},
                     j < lefts[n].nan ? 0x7fc00000 + j
                                      : bits_of(TOPK_TYPE_F32, (int)(j * 7919 % 100003)));
        }
        assert_int_equal(call_run_oracle(&call),
                         lefts[n].nan == 0 ? TOPK_ORACLE_UNIQUE : TOPK_ORACLE_NAN);
        for (uint32_t place = 0; place < 8; place++) {
            const uint32_t at[] = {place / 4, place % 4};
            const uint32_t next[] = {place / 4, place % 4 + 1};
            for (int role = TOPK_VALUE; lefts[n].swapped >> place & 1 && role <= TOPK_INDEX;
                 role++) {
                const uint64_t bits = call_get(&call, (enum topk_role)role, at);
                call_set(&call, (enum topk_role)role, at,
                         call_get(&call, (enum topk_role)role, next));
                call_set(&call, (enum topk_role)role, next, bits);
            }
        }
        if (lefts[n].swapped >> 8 != 0) { /* one that is not selected */
            const uint32_t at[] = {0, 2};
            uint32_t other = 0;
            while (call_get(&call, TOPK_INDEX, (uint32_t[]){0, 0}) == other ||
                   call_get(&call, TOPK_INDEX, (uint32_t[]){0, 1}) == other ||
                   call_get(&call, TOPK_INDEX, (uint32_t[]){0, 2}) == other) {
                other++;
            }
            call_set(&call, TOPK_INDEX, at, other);
            call_set(&call, TOPK_VALUE, at, call_get(&call, TOPK_INPUT, (uint32_t[]){0, other}));
        }
        for (uint32_t place = 0; place < 8; place++) {
            const uint32_t at[] = {place / 4, place % 4};
            if (lefts[n].values >> place & 1) {
                leave(&call, TOPK_VALUE, at);
            }
            if (lefts[n].indices >> place & 1) {
                leave(&call, TOPK_INDEX, at);
            }
        }
        for (int role = TOPK_VALUE; lefts[n].unknown && role <= TOPK_INDEX; role++) {
            call.exhibits[role].before = call.after[role];
        }
        const enum topk_reading reading = diagnose(&call, &op);
        if (reading != lefts[n].reading) {
            fail_msg("%s of %u: diagnosed %s", lefts[n].name, length,
                     reading == 0 ? "nothing" : topk_reading_row(reading)->word);
        }
        call_free(&call);
    }
}

/* with equal values, the index between two others may be unknown */
static void unwritten_index_among_ties(void **state)
{
    (void)state;
    for (uint32_t left = 0; left < 4; left++) {
        struct topk_operator op = make_operator(TOPK_TYPE_I32, 1, 6, 1, 4, false);
        struct call call;
        call_make(&call, &op);
        for (uint32_t j = 0; j < 6; j++) {
            call_set(&call, TOPK_INPUT, (uint32_t[]){0, j}, j == 5);
        }
        assert_int_equal(call_run_oracle(&call), TOPK_ORACLE_UNIQUE);
        leave(&call, TOPK_INDEX, (uint32_t[]){0, left});
        assert_int_equal(diagnose(&call, &op), TOPK_READING_UNWRITTEN);
        call_free(&call);
    }
}

/* without its index, a value lies where its equals can lie, or the reading is refuted */
static void unwritten_index_of_a_misplaced_value(void **state)
{
    (void)state;
    static const struct {
        uint64_t value; /* of the last output; the first is unchanged */
        enum topk_reading reading;
    } tries[] = {{9, TOPK_READING_NONE}, /* it belongs before this place */
                 {7, TOPK_READING_UNWRITTEN},
                 {5, TOPK_READING_NONE}}; /* it belongs after it */
    static const uint64_t values[] = {5, 9, 7, 7};
    for (size_t i = 0; i < COUNT(tries); i++) {
        const struct topk_operator op = make_operator(TOPK_TYPE_I32, 1, 4, 1, 2, false);
        struct call call;
        call_make(&call, &op);
        for (uint32_t j = 0; j < COUNT(values); j++) {
            call_set(&call, TOPK_INPUT, (uint32_t[]){0, j}, values[j]);
        }
        for (uint32_t j = 0; j < 2; j++) {
            leave(&call, TOPK_VALUE, (uint32_t[]){0, j});
            leave(&call, TOPK_INDEX, (uint32_t[]){0, j});
        }
        call_set(&call, TOPK_VALUE, (uint32_t[]){0, 1}, tries[i].value);
        assert_int_equal(diagnose(&call, &op), tries[i].reading);
        call_free(&call);
    }
}

/* only the lower half of a 64-bit index was written */
static void unwritten_upper_half_is_recognised(void **state)
{
    (void)state;
    struct topk_operator op = make_operator(TOPK_TYPE_I32, 1, 5, 1, 3, false);
    topk_operator_derive_outputs(&op, TOPK_TYPE_U64);
    struct call call;
    call_make(&call, &op);
    fill_distinct(&call);
    assert_int_equal(call_run_oracle(&call), TOPK_ORACLE_UNIQUE);
    const uint32_t at[TOPK_RANK_MAX] = {0, 1};
    unsigned char *const after = call_place(&call, TOPK_INDEX, call.after[TOPK_INDEX], at);
    /* the index is the only nonzero byte of its element, in the lower half */
    const size_t upper = after[0] != 0 ? 4 : 0;
    memcpy(after + upper, call_place(&call, TOPK_INDEX, call.before[TOPK_INDEX], at) + upper, 4);
    assert_int_equal(diagnose(&call, &op), TOPK_READING_UNWRITTEN);
    after[upper] ^= 1;
    assert_int_equal(diagnose(&call, &op), TOPK_READING_NONE);
    call_free(&call);
}

static void clause_follows_operator_and_type(void **state)
{
    (void)state;
    const struct topk_judgement judgement = {.count = 1, .findings = {{.clause = TOPK_CLAUSE_S07}}};
    struct topk_operator op = make_operator(TOPK_TYPE_I64, 1, 4, 1, 2, false);
    assert_int_equal(topk_reading_clause(TOPK_READING_NONE, &op, &judgement), TOPK_CLAUSE_S07);
    assert_int_equal(topk_reading_clause(TOPK_READING_UNWRITTEN, &op, &judgement), TOPK_CLAUSE_S07);
    /* if only ties are out of order */
    assert_int_equal(topk_reading_clause(TOPK_READING_UNSORTED, &op, &judgement), TOPK_CLAUSE_S07);
    assert_int_equal(topk_reading_clause(TOPK_READING_OPPOSITE, &op, &judgement), TOPK_CLAUSE_S03);
    assert_int_equal(topk_reading_clause(TOPK_READING_LOW_HALF, &op, &judgement), TOPK_CLAUSE_F07);
    op.kind = TOPK_TOP_K;
    op.tensors[TOPK_INPUT].type = TOPK_TYPE_I32;
    assert_int_equal(topk_reading_clause(TOPK_READING_OPPOSITE, &op, &judgement), TOPK_CLAUSE_S02);
    assert_int_equal(topk_reading_clause(TOPK_READING_LOW_HALF, &op, &judgement), TOPK_CLAUSE_S12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(misreading_of_a_row_is_recognised),
        cmocka_unit_test(misreading_of_two_rows_is_recognised),
        cmocka_unit_test(mark_among_many_ties_is_recognised),
        cmocka_unit_test(mark_of_64_bits_is_recognised),
        cmocka_unit_test(tiny_case_is_a_guess),
        cmocka_unit_test(pass_contradicts),
        cmocka_unit_test(signed_index_is_recognised),
        cmocka_unit_test(large_call_is_not_known),
        cmocka_unit_test(reading_of_another_contract_is_none),
        cmocka_unit_test(misnamed_index_is_recognised),
        cmocka_unit_test(ignored_strides_are_recognised),
        cmocka_unit_test(packed_reading_outside_of_the_buffer_is_none),
        cmocka_unit_test(ignored_offset_is_recognised),
        cmocka_unit_test(unwritten_outputs_are_recognised),
        cmocka_unit_test(unwritten_index_among_ties),
        cmocka_unit_test(unwritten_index_of_a_misplaced_value),
        cmocka_unit_test(unwritten_upper_half_is_recognised),
        cmocka_unit_test(clause_follows_operator_and_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
