/* The oracle: the examples of the documents, and a third definition: the position of an element is
 * the number of elements that come before it. */
#include "support.h"

/* ---- the third definition -------------------------------------------------------------------- */

/* whether element i of a row comes before element j (S12); no NaN */
static bool comes_before(uint32_t type, bool increasing, const uint64_t *row, uint32_t i,
                         uint32_t j)
{
    int order = compare_values(type, row[i], row[j]);
    if (order != 0) {
        return (order < 0) == increasing;
    }
    return i < j;
}

static uint32_t rank_of(uint32_t type, bool increasing, const uint64_t *row, uint32_t length,
                        uint32_t i)
{
    uint32_t before = 0;
    for (uint32_t j = 0; j < length; j++) {
        before += comes_before(type, increasing, row, j, i);
    }
    return before;
}

#define LONGEST 40

static void check_row(uint32_t type, bool increasing, const uint64_t *row, uint32_t length,
                      uint32_t k)
{
    struct topk_operator op = row_operator(TOPK_TOP_K1, type, increasing, length, k, TOPK_TYPE_U32);
    unsigned char input[LONGEST * 8];
    uint64_t values[LONGEST];
    uint64_t indices[LONGEST];
    for (uint32_t i = 0; i < length; i++) {
        put_element(input, type, i, row[i]);
    }
    assert_int_equal(topk_oracle_sequence(&op, input, 0, values, indices), TOPK_ORACLE_UNIQUE);
    for (uint32_t i = 0; i < length; i++) {
        uint32_t rank = rank_of(type, increasing, row, length, i);
        if (rank < k && (indices[rank] != i || values[rank] != row[i])) {
            fail_msg("type %" PRIu32 ", element %" PRIu32 " of %" PRIu32 " is not output %" PRIu32,
                     type, i, length, rank);
        }
    }
}

/* ---- the documents --------------------------------------------------------------------------- */

struct example {
    int input[3][4];
    uint32_t axis;
    uint32_t k;
    bool increasing;
    int values[12]; /* packed */
    uint32_t indices[12];
};

/* InputTensor {1,1,3,4}; 1 to 3 are on the pages of TOP_K and TOP_K1, 4 on that of TOP_K1 */
static const struct example examples[] = {
    {{{0, 1, 10, 11}, {3, 2, 9, 8}, {4, 5, 6, 7}},
     3,
     2,
     false,
     {11, 10, 9, 8, 7, 6},
     {3, 2, 2, 3, 3, 2}},
    {{{0, 1, 10, 11}, {3, 2, 9, 8}, {4, 5, 6, 7}},
     2,
     2,
     false,
     {4, 5, 10, 11, 3, 2, 9, 8},
     {2, 2, 0, 0, 1, 1, 1, 1}},
    {{{1, 2, 2, 3}, {3, 4, 5, 5}, {6, 6, 6, 6}},
     3,
     3,
     false,
     {3, 2, 2, 5, 5, 4, 6, 6, 6},
     {3, 1, 2, 2, 3, 1, 0, 1, 2}},
    {{{1, 2, 2, 3}, {3, 4, 5, 5}, {6, 6, 6, 6}},
     3,
     3,
     true,
     {1, 2, 2, 3, 4, 5, 6, 6, 6},
     {0, 1, 2, 0, 1, 2, 0, 1, 2}},
};

static void check_example(const struct example *example, enum topk_operator_kind kind,
                          uint32_t type, uint32_t index_type)
{
    struct topk_operator op;
    memset(&op, 0, sizeof op);
    op.kind = kind;
    op.level = TOPK_LEVEL_5_0;
    op.axis = example->axis;
    op.k = example->k;
    op.direction = example->increasing ? TOPK_INCREASING : TOPK_DECREASING;
    op.tensors[TOPK_INPUT] = (struct topk_tensor){
        .present = true, .type = type, .rank = 4, .sizes = {1, 1, 3, 4}, .total_bytes = 96};
    topk_operator_derive_outputs(&op, index_type);
    unsigned char input[96];
    unsigned char value[100];
    unsigned char index[100];
    memset(value, 0xcc, sizeof value);
    memset(index, 0xcc, sizeof index);
    for (uint32_t i = 0; i < 12; i++) {
        put_element(input, type, i, bits_of(type, example->input[i / 4][i % 4]));
    }
    assert_int_equal(topk_oracle_run(&op, input, value, index), TOPK_ORACLE_UNIQUE);
    uint32_t outputs = 12 / op.tensors[TOPK_INPUT].sizes[op.axis] * op.k;
    for (uint32_t i = 0; i < outputs; i++) {
        assert_true(get_element(value, type, i) == bits_of(type, example->values[i]));
        assert_true(get_element(index, index_type, i) == example->indices[i]);
    }
    assert_int_equal(value[(size_t)outputs * bytes_of(type)], 0xcc);
    assert_int_equal(index[(size_t)outputs * bytes_of(index_type)], 0xcc);
}

static void examples_of_the_documents(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(examples); i++) {
        for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
            check_example(&examples[i], TOPK_TOP_K1, topk_types[t], TOPK_TYPE_U32);
            check_example(&examples[i], TOPK_TOP_K1, topk_types[t], TOPK_TYPE_U64);
            if (!examples[i].increasing) {
                check_example(&examples[i], TOPK_TOP_K, topk_types[t], TOPK_TYPE_U32);
            }
        }
    }
}

/* a NaN in any sequence makes the status of the whole operator NAN */
static void nan_in_one_sequence(void **state)
{
    (void)state;
    for (uint32_t at = 0; at <= 6; at++) {
        struct topk_operator op;
        memset(&op, 0, sizeof op);
        op.kind = TOPK_TOP_K1;
        op.level = TOPK_LEVEL_5_0;
        op.axis = 1;
        op.k = 1;
        op.tensors[TOPK_INPUT] = (struct topk_tensor){
            .present = true, .type = TOPK_TYPE_F32, .rank = 2, .sizes = {3, 2}, .total_bytes = 24};
        topk_operator_derive_outputs(&op, TOPK_TYPE_U32);
        unsigned char input[24];
        unsigned char value[12];
        unsigned char index[12];
        for (uint32_t i = 0; i < 6; i++) {
            put_element(input, TOPK_TYPE_F32, i, i == at ? 0x7fc00000u : 0x3f800000u);
        }
        assert_int_equal(topk_oracle_run(&op, input, value, index),
                         at < 6 ? TOPK_ORACLE_NAN : TOPK_ORACLE_UNIQUE);
    }
}

/* ---- by hand --------------------------------------------------------------------------------- */

struct hand {
    const char *name;
    uint32_t type;
    bool increasing;
    uint32_t length;
    uint32_t k;
    uint64_t row[6];
    uint32_t indices[6];
    enum topk_oracle_status status;
};

#define F32 TOPK_TYPE_F32
#define F16 TOPK_TYPE_F16

static const struct hand hands[] = {
#define HAND(...) {__VA_ARGS__},
#include "oracle_hands.def"
#undef HAND
};

static void by_hand(void **state)
{
    (void)state;
    for (size_t h = 0; h < COUNT(hands); h++) {
        const struct hand *hand = &hands[h];
        struct topk_operator op = row_operator(TOPK_TOP_K1, hand->type, hand->increasing,
                                               hand->length, hand->k, TOPK_TYPE_U32);
        unsigned char input[48];
        uint64_t values[6];
        uint64_t indices[6];
        for (uint32_t i = 0; i < hand->length; i++) {
            put_element(input, hand->type, i, hand->row[i]);
        }
        assert_int_equal(topk_oracle_sequence(&op, input, 0, values, indices), hand->status);
        for (uint32_t i = 0; i < hand->k; i++) {
            if (indices[i] != hand->indices[i] || values[i] != hand->row[hand->indices[i]]) {
                fail_msg("%s: output %" PRIu32 " is element %" PRIu64, hand->name, i, indices[i]);
            }
        }
    }
}

/* V12: an invalid direction is DECREASING, and TOP_K has no direction */
static void odd_directions(void **state)
{
    (void)state;
    const unsigned char input[4] = {1, 3, 2, 0};
    uint64_t values[1];
    uint64_t indices[1];
    struct topk_operator op = row_operator(TOPK_TOP_K1, TOPK_TYPE_U8, true, 3, 1, TOPK_TYPE_U32);
    topk_oracle_sequence(&op, input, 0, values, indices);
    assert_int_equal(indices[0], 0);
    op.kind = TOPK_TOP_K;
    topk_oracle_sequence(&op, input, 0, values, indices);
    assert_int_equal(indices[0], 1);
    op.kind = TOPK_TOP_K1;
    op.direction = 2;
    topk_oracle_sequence(&op, input, 0, values, indices);
    assert_int_equal(indices[0], 1);
}

/* ---- all weak orders, and random rows -------------------------------------------------------- */

/* seven ascending values of each type, where the order could go wrong */
static uint64_t level_bits(uint32_t type, uint32_t level)
{
    static const uint32_t f32[] = {0xff800000, 0xbf800000, 0x80000000, 1,
                                   0x3f800000, 0x7f7fffff, 0x7f800000};
    static const uint16_t f16[] = {0xfc00, 0xbc00, 0x8000, 1, 0x3c00, 0x7bff, 0x7c00};
    static const uint64_t i64[] = {(uint64_t)1 << 63, UINT64_MAX,    0,        1,
                                   (uint64_t)1 << 32, INT64_MAX - 1, INT64_MAX};
    static const uint64_t u64[] = {
        0,         1, (uint64_t)1 << 53, ((uint64_t)1 << 53) + 1, (uint64_t)1 << 63, UINT64_MAX - 1,
        UINT64_MAX};
    if (type == TOPK_TYPE_F32) {
        return f32[level];
    }
    if (type == TOPK_TYPE_F16) {
        return f16[level];
    }
    if (type == TOPK_TYPE_I64) {
        return i64[level];
    }
    if (type == TOPK_TYPE_U64) {
        return u64[level];
    }
    uint64_t least = topk_element_least(type);
    return (least + (uint64_t)level * (all_ones(type) / 6)) & all_ones(type);
}

/* a row of levels is a weak order if it uses all levels below its highest */
static bool is_weak_order(const uint32_t *levels, uint32_t length)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < length; i++) {
        used |= 1u << levels[i];
    }
    return (used & (used + 1)) == 0;
}

static void all_weak_orders(void **state)
{
    (void)state;
    static const uint32_t expected[] = {1, 1, 3, 13, 75, 541, 4683, 47293}; /* Fubini numbers */
    uint32_t most = TOPK_SANITIZED ? 5 : 7;
    for (uint32_t length = 1; length <= most; length++) {
        uint32_t found = 0;
        uint32_t levels[7] = {0};
        for (;;) {
            if (is_weak_order(levels, length)) {
                found++;
                for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
                    uint64_t row[7] = {0};
                    for (uint32_t i = 0; i < length; i++) {
                        row[i] = level_bits(topk_types[t], levels[i]);
                        if (is_float(topk_types[t]) && levels[i] == 2 && i % 2 != 0) {
                            row[i] = 0; /* the other zero */
                        }
                    }
                    for (uint32_t k = 1; k <= length; k++) {
                        check_row(topk_types[t], false, row, length, k);
                        check_row(topk_types[t], true, row, length, k);
                    }
                }
            }
            uint32_t i = 0;
            while (i < length && ++levels[i] == length) {
                levels[i++] = 0;
            }
            if (i == length) {
                break;
            }
        }
        assert_int_equal(found, expected[length]);
    }
}

static void random_rows(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 1, 40);
    int rows = TOPK_SANITIZED ? 40000 : 1000000;
    for (int i = 0; i < rows; i++) {
        uint32_t type = topk_types[i % TOPK_TYPE_COUNT];
        uint32_t length = 1 + topk_pcg_below(&pcg, LONGEST);
        uint64_t row[LONGEST] = {0};
        for (uint32_t j = 0; j < length; j++) {
            row[j] = random_bits(&pcg, type, DRAW_NO_NAN);
        }
        bool increasing = topk_pcg_below(&pcg, 2) != 0;
        check_row(type, increasing, row, length, 1 + topk_pcg_below(&pcg, length));
    }
}

/* whole operators of any rank, axis and layout; only logical elements are written */
static void random_layouts(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 2, 40);
    int operators = TOPK_SANITIZED ? 2000 : 20000;
    for (int n = 0; n < operators; n++) {
        uint32_t type = topk_types[n % TOPK_TYPE_COUNT];
        uint32_t index_type = topk_pcg_below(&pcg, 2) ? TOPK_TYPE_U64 : TOPK_TYPE_U32;
        struct topk_operator op = random_operator(&pcg, type, index_type, 100);
        struct call call;
        call_make(&call, &op);
        call_fill(&call, &pcg, DRAW_NO_NAN);
        assert_int_equal(call_run_oracle(&call), TOPK_ORACLE_UNIQUE);
        /* every element of every sequence is at its position, or nowhere */
        uint32_t length = op.tensors[TOPK_INPUT].sizes[op.axis];
        struct topk_tensor without = op.tensors[TOPK_INPUT];
        without.sizes[op.axis] = 1;
        uint32_t at[TOPK_RANK_MAX] = {0};
        do {
            uint64_t row[100];
            assert_true(length <= COUNT(row));
            for (uint32_t i = 0; i < length; i++) {
                at[op.axis] = i;
                row[i] = call_get(&call, TOPK_INPUT, at);
            }
            for (uint32_t i = 0; i < length; i++) {
                uint32_t rank = rank_of(type, topk_operator_increasing(&op), row, length, i);
                at[op.axis] = rank;
                if (rank < op.k) {
                    assert_true(call_get(&call, TOPK_INDEX, at) == i);
                    assert_true(call_get(&call, TOPK_VALUE, at) == row[i]);
                    /* restores the elements, to check below that nothing else was written */
                    for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
                        enum topk_role output = (enum topk_role)role;
                        memcpy(call_place(&call, output, call.after[role], at),
                               call_place(&call, output, call.before[role], at),
                               bytes_of(op.tensors[role].type));
                    }
                }
            }
            at[op.axis] = 0;
        } while (next_at(&without, at));
        for (int role = TOPK_INPUT; role < TOPK_ROLE_COUNT; role++) {
            assert_memory_equal(call.after[role], call.before[role], call.exhibits[role].bytes);
        }
        call_free(&call);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(examples_of_the_documents),
                                       cmocka_unit_test(by_hand),
                                       cmocka_unit_test(odd_directions),
                                       cmocka_unit_test(nan_in_one_sequence),
                                       cmocka_unit_test(all_weak_orders),
                                       cmocka_unit_test(random_rows),
                                       cmocka_unit_test(random_layouts)};
    return cmocka_run_group_tests_name("oracle", tests, NULL, NULL);
}
