/* The judge's vector code: at each level that the machine supports (judge_scan.h), it agrees with
 * the clauses as reference/statement/selection.h states them. Exhaustively for short sequences of
 * special values; for every length up to two rows, with every position of the last output and of a
 * deciding element; for positions in long outputs; and for adjacent sequences. */
#include "support.h"

#include "reference/judge_parts.h"
#include "reference/judge_scan.h"

#define VALUES 6

/* calls f with each level in use */
static void at_each_level(void (*f)(void))
{
    const struct topk_scan_level *level;
    for (uint32_t i = 0; (level = topk_scan_level(i)) != NULL; i++) {
        topk_scan_use(level);
        f();
    }
    topk_scan_use(NULL);
}

static const char *level_name(void)
{
    return topk_scan_used()->name;
}

/* special values, in ascending order for floats except NaN */
static uint64_t special(uint32_t type, uint32_t which)
{
    static const uint32_t f32[VALUES] = {0xff800000, 0x80000000, 0, 1, 0x00800000, 0x7f800001};
    static const uint32_t f16[VALUES] = {0xfc00, 0x8000, 0, 0x8001, 0x7c00, 0xfe00};
    const uint64_t ones = all_ones(type);
    const uint64_t whole[VALUES] = {0, 1, ones / 2, ones / 2 + 1, ones - 1, ones};
    return type == TOPK_TYPE_F32 ? f32[which] : type == TOPK_TYPE_F16 ? f16[which] : whole[which];
}

/* ---- what the clauses say -------------------------------------------------------------------- */

#define SEQUENCE struct topk_sequence
#define BITS     uint64_t
#define VIEW     long double

static inline uint64_t input_at(const struct topk_sequence *s, uint64_t i)
{
    return topk_element_load(s->input + i * s->input_step, bytes_of(s->type));
}

static inline uint64_t output_at(const struct topk_sequence *s, uint32_t j)
{
    return topk_element_load(s->value + j * s->value_step, bytes_of(s->type));
}

static inline uint64_t index_at(const struct topk_sequence *s, uint32_t j)
{
    return topk_element_load(s->index + j * s->index_step, s->index_bytes);
}

static inline bool bits_are_nan(const struct topk_sequence *s, uint64_t bits)
{
    return is_nan(s->type, bits);
}

#include "reference/statement/selection.h"

static long double as_it_is(const struct topk_sequence *s, uint64_t bits)
{
    return is_float(s->type) ? (long double)decode_float(s->type, bits)
                             : (long double)decode_whole(s->type, bits);
}

static bool has_denormal(const struct topk_sequence *s)
{
    bool found = false;
    for (uint32_t i = 0; i < s->length; i++) {
        found = found || is_denormal(s->type, input_at(s, i));
    }
    return found;
}

/* few outputs and elements only: the statement looks at all pairs */
static void check(const struct topk_sequence *s)
{
    bool found_denormal = false;
    const bool holds = !stated_has_nan(s) && stated_right(s, as_it_is);
    const bool denormal = holds && has_denormal(s);
    const bool found = topk_exact_holds(s, &found_denormal);
    if (holds != found || denormal != found_denormal) {
        fail_msg("%s, type %" PRIu32 ", n %" PRIu32 ", k %" PRIu32 ", step %" PRIu64
                 ": holds %d, found %d; denormal %d, found %d",
                 level_name(), s->type, s->length, s->k, s->input_step, holds, found, denormal,
                 found_denormal);
    }
}

/* ---- levels ---------------------------------------------------------------------------------- */

static void levels(void **state)
{
    (void)state;
    uint32_t count = 0;
    assert_non_null(topk_scan_level(0));
    while (topk_scan_level(count) != NULL) {
        topk_scan_use(topk_scan_level(count));
        assert_ptr_equal(topk_scan_used(), topk_scan_level(count));
        print_message("%s\n", level_name());
        count++;
    }
    topk_scan_use(NULL);
    assert_ptr_equal(topk_scan_used(), topk_scan_level(count - 1));
}

/* ---- short sequences ------------------------------------------------------------------------- */

#define SHORTEST_OF_ALL 3

static bool next_digits(uint32_t *digits, uint32_t length, uint32_t base)
{
    for (uint32_t i = 0; i < length; i++) {
        if (++digits[i] < base) {
            return true;
        }
        digits[i] = 0;
    }
    return false;
}

/* every tuple of indices with the values that they name, and with one value replaced */
static void every_output(struct topk_sequence *s, const uint64_t *row, unsigned char *value,
                         unsigned char *index)
{
    uint32_t named[SHORTEST_OF_ALL] = {0};
    do {
        for (uint32_t j = 0; j < s->k; j++) {
            topk_element_store(index + j * s->index_step, s->index_bytes, named[j]);
            topk_element_store(value + j * s->value_step, bytes_of(s->type), row[named[j]]);
        }
        check(s);
        for (uint32_t j = 0; j < s->k; j++) {
            for (uint32_t v = 0; v < VALUES; v++) {
                topk_element_store(value + j * s->value_step, bytes_of(s->type),
                                   special(s->type, v));
                check(s);
            }
            topk_element_store(value + j * s->value_step, bytes_of(s->type), row[named[j]]);
        }
    } while (next_digits(named, s->k, s->length + 1));
}

static void every_row(uint32_t type, uint32_t length, uint32_t index_bytes)
{
    unsigned char input[SHORTEST_OF_ALL * 8];
    unsigned char value[SHORTEST_OF_ALL * 8];
    unsigned char index[SHORTEST_OF_ALL * 8];
    uint32_t digits[SHORTEST_OF_ALL] = {0};
    do {
        uint64_t row[SHORTEST_OF_ALL + 1];
        for (uint32_t i = 0; i < length; i++) {
            row[i] = special(type, digits[i]);
            put_element(input, type, i, row[i]);
        }
        row[length] = row[0]; /* the value that an index out of range names */
        for (uint32_t k = 1; k <= length; k++) {
            for (int increasing = 0; increasing < 2; increasing++) {
                struct topk_sequence s = {.type = type,
                                          .increasing = increasing != 0,
                                          .length = length,
                                          .k = k,
                                          .index_bytes = index_bytes,
                                          .input = input,
                                          .value = value,
                                          .index = index,
                                          .input_step = bytes_of(type),
                                          .value_step = bytes_of(type),
                                          .index_step = index_bytes};
                every_output(&s, row, value, index);
            }
        }
    } while (next_digits(digits, length, VALUES));
}

static void short_sequences(void)
{
    for (uint32_t t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (uint32_t length = 1; length <= (TOPK_SANITIZED ? 2 : SHORTEST_OF_ALL); length++) {
            every_row(topk_types[t], length, 4);
            every_row(topk_types[t], length, 8);
        }
    }
}

static void every_short_sequence(void **state)
{
    (void)state;
    at_each_level(short_sequences);
}

/* ---- every place ----------------------------------------------------------------------------- */

/* One output, at `last`, of a sequence in which all others are worse; then with each special value
 * and the output's own value at each position. step: distance of elements, in elements. */
static void places(uint32_t type, bool increasing, uint32_t length, uint32_t last, uint32_t step)
{
    static unsigned char memory[3 * 200 * 8 + 1];
    unsigned char *const input = memory + 1; /* unaligned */
    const uint32_t bytes = bytes_of(type);
    const uint64_t good = bits_of(type, 2);
    const uint64_t worse = bits_of(type, increasing ? 3 : 1);
    unsigned char value[8];
    unsigned char index[4];
    memset(memory, 0xff, sizeof memory); /* NaN, -1 */
    for (uint32_t i = 0; i < length; i++) {
        put_element(input, type, (size_t)i * step, i == last ? good : worse);
    }
    put_element(value, type, 0, good);
    put_element(index, TOPK_TYPE_U32, 0, last);
    const struct topk_sequence s = {.type = type,
                                    .increasing = increasing,
                                    .length = length,
                                    .k = 1,
                                    .index_bytes = 4,
                                    .input = input,
                                    .value = value,
                                    .index = index,
                                    .input_step = (uint64_t)step * bytes,
                                    .value_step = bytes,
                                    .index_step = 4};
    for (uint32_t i = 0; i < length; i++) {
        for (uint32_t v = 0; i != last && v <= VALUES; v++) {
            const uint64_t bits = v == VALUES ? good : special(type, v);
            const int compared = compare_values(type, bits, good);
            const bool later =
                /* for values other than NaN */
                compared == 0 ? i > last : (compared > 0) == increasing;
            bool denormal = false;
            put_element(input, type, (size_t)i * step, bits);
            const bool holds = topk_exact_holds(&s, &denormal);
            if (holds != (later && !is_nan(type, bits)) ||
                denormal != (holds && is_denormal(type, bits))) {
                fail_msg("%s, type %" PRIu32 ", n %" PRIu32 ", last %" PRIu32 ", %" PRIx64
                         " at %" PRIu32 ", step %" PRIu32 ": %d",
                         level_name(), type, length, last, bits, i, step, holds);
            }
        }
        put_element(input, type, (size_t)i * step, i == last ? good : worse);
    }
}

static void all_places(void)
{
    for (uint32_t t = 0; t < TOPK_TYPE_COUNT; t++) {
        const uint32_t lanes = topk_exact_columns(topk_types[t]);
        const uint32_t more = TOPK_SANITIZED ? lanes / 2 + 1 : lanes > 32 ? 5 : 1;
        for (uint32_t length = 1; length <= 2 * lanes + 2; length += more) {
            for (uint32_t last = 0; last < length; last++) {
                places(topk_types[t], last % 2 != 0, length, last, 1 + 2 * (length % 2));
                places(topk_types[t], last % 2 == 0, length, last, 1);
            }
        }
    }
}

static void every_place(void **state)
{
    (void)state;
    at_each_level(all_places);
}

/* ---- long sequences -------------------------------------------------------------------------- */

/* more rows than lanes can count, where either all elements count or none */
static void many_rows(void)
{
    static const uint32_t types[] = {TOPK_TYPE_U8, TOPK_TYPE_I8, TOPK_TYPE_F16, TOPK_TYPE_U16};
    for (size_t t = 0; t < COUNT(types); t++) {
        const uint32_t bytes = bytes_of(types[t]);
        const uint32_t length = bytes == 1 ? 40000 : 2200000;
        unsigned char *input = malloc((size_t)length * bytes);
        assert_non_null(input);
        for (uint32_t i = 0; i < length; i++) {
            put_element(input, types[t], i, bits_of(types[t], 1));
        }
        for (uint32_t better = 0; better < 3; better++) {
            /* the last element is the output: no element is better, one is, or all are equal */
            unsigned char value[8];
            unsigned char index[4];
            const uint64_t good = bits_of(types[t], better == 2 ? 1 : 2);
            put_element(input, types[t], length - 1, good);
            put_element(input, types[t], length / 2, bits_of(types[t], better == 1 ? 3 : 1));
            put_element(value, types[t], 0, good);
            put_element(index, TOPK_TYPE_U32, 0, length - 1);
            const struct topk_sequence s = {.type = types[t],
                                            .length = length,
                                            .k = 1,
                                            .index_bytes = 4,
                                            .input = input,
                                            .value = value,
                                            .index = index,
                                            .input_step = bytes,
                                            .value_step = bytes,
                                            .index_step = 4};
            bool denormal = false;
            assert_int_equal(topk_exact_holds(&s, &denormal), better == 0);
            put_element(index, TOPK_TYPE_U32, 0, 0);
            put_element(input, types[t], 0, good);
            /* now the first element is the output; the last one, which is equal, comes later */
            assert_int_equal(topk_exact_holds(&s, &denormal), better != 1);
            put_element(input, types[t], 0, bits_of(types[t], 1));
        }
        free(input);
    }
}

static void more_rows_than_lanes_count(void **state)
{
    (void)state;
    at_each_level(many_rows);
}

/* makes the output at each of many positions wrong, in each way */
static void spoil_outputs(struct call *call, const struct topk_sequence *s)
{
    const struct topk_operator *op = &call->op;
    bool denormal = false;
    assert_true(topk_exact_holds(s, &denormal));
    for (uint32_t j = 0; j < op->k; j++) {
        const uint64_t value = call_get(call, TOPK_VALUE, &j);
        const uint64_t index = call_get(call, TOPK_INDEX, &j);
        const uint32_t other = j > 0 ? j - 1 : op->k - 1;
        const uint64_t other_value = call_get(call, TOPK_VALUE, &other);
        const uint64_t other_index = call_get(call, TOPK_INDEX, &other);
        const uint64_t wrong[] = {other_index, s->length, UINT32_MAX,
                                  index ^ (uint64_t)1 << (8 * s->index_bytes - 1)};
        for (size_t w = 0; w < COUNT(wrong); w++) {
            call_set(call, TOPK_INDEX, &j, wrong[w]);
            assert_false(topk_exact_holds(s, &denormal));
        }
        call_set(call, TOPK_INDEX, &j, other_index); /* exchanges two */
        call_set(call, TOPK_VALUE, &j, other_value);
        call_set(call, TOPK_INDEX, &other, index);
        call_set(call, TOPK_VALUE, &other, value);
        assert_false(topk_exact_holds(s, &denormal));
        call_set(call, TOPK_INDEX, &other, other_index);
        call_set(call, TOPK_VALUE, &other, other_value);
        call_set(call, TOPK_INDEX, &j, index);
        call_set(call, TOPK_VALUE, &j, value ^ 1);
        assert_false(topk_exact_holds(s, &denormal));
        call_set(call, TOPK_VALUE, &j, value);
    }
    assert_true(topk_exact_holds(s, &denormal));
}

static void many_outputs(void)
{
    static const uint32_t numbers[] = {256, 257, 258, 513, 600};
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 3, 60);
    for (uint32_t t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (size_t n = 0; n < COUNT(numbers); n += TOPK_SANITIZED ? 2 : 1) {
            const uint32_t type = topk_types[t];
            const bool indices64 = n % 2 != 0;
            const uint32_t apart = 1 + (t + (uint32_t)n) % 3 / 2; /* every third is strided */
            struct topk_operator op = row_operator(TOPK_TOP_K1, type, t % 2 != 0, 700, numbers[n],
                                                   indices64 ? TOPK_TYPE_U64 : TOPK_TYPE_U32);
            for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
                op.tensors[role].strided = apart > 1;
                op.tensors[role].strides[0] = apart;
                op.tensors[role].total_bytes = topk_tensor_least_bytes(&op.tensors[role]);
            }
            struct call call;
            call_make(&call, &op);
            call_fill(&call, &pcg, DRAW_DECIDED);
            assert_int_equal(call_run_oracle(&call), TOPK_ORACLE_UNIQUE);
            const struct topk_sequence s = {.type = type,
                                            .increasing = t % 2 != 0,
                                            .length = 700,
                                            .k = op.k,
                                            .index_bytes = indices64 ? 8 : 4,
                                            .input = call.before[TOPK_INPUT] + CALL_MARGIN,
                                            .value = call.after[TOPK_VALUE] + CALL_MARGIN,
                                            .index = call.after[TOPK_INDEX] + CALL_MARGIN,
                                            .input_step = (uint64_t)apart * bytes_of(type),
                                            .value_step = (uint64_t)apart * bytes_of(type),
                                            .index_step = (uint64_t)apart * (indices64 ? 8 : 4)};
            spoil_outputs(&call, &s);
            call_free(&call);
        }
    }
}

static void every_place_of_many_outputs(void **state)
{
    (void)state;
    at_each_level(many_outputs);
}

/* ---- adjacent sequences ---------------------------------------------------------------------- */

/* whole results of adjacent sequences: correct ones pass, and a single wrong one is found */
static void judge_columns(uint32_t type, uint32_t length, uint32_t columns, struct topk_pcg *pcg)
{
    struct topk_operator op;
    memset(&op, 0, sizeof op);
    op.kind = TOPK_TOP_K1;
    op.level = TOPK_LEVEL_5_0;
    op.direction = topk_pcg_below(pcg, 2);
    op.axis = 1;
    op.k = 1 + topk_pcg_below(pcg, length);
    op.tensors[TOPK_INPUT] = (struct topk_tensor){
        .present = true, .type = type, .rank = 4, .sizes = {2, length, columns, 1}};
    op.tensors[TOPK_INPUT].total_bytes = topk_tensor_least_bytes(&op.tensors[TOPK_INPUT]);
    topk_operator_derive_outputs(&op, TOPK_TYPE_U32);
    struct call call;
    struct topk_judgement judgement;
    call_make(&call, &op);
    call_fill(&call, pcg, DRAW_DECIDED);
    assert_int_equal(call_run_oracle(&call), TOPK_ORACLE_UNIQUE);
    topk_judge_result(&op, call.exhibits, &judgement);
    assert_int_equal(judgement.count, 0);
    assert_false(judgement.has_sequence);
    for (uint32_t column = 0; column < columns; column++) {
        const uint32_t row = column % 2;
        const uint32_t place = topk_pcg_below(pcg, length);
        const uint32_t at[4] = {row, place, column, 0};
        const uint32_t out[4] = {row, place % op.k, column, 0};
        const uint64_t kept = call_get(&call, TOPK_INPUT, at);
        const uint64_t index = call_get(&call, TOPK_INDEX, out);
        call_set(&call, TOPK_INDEX, out, index ^ 1);
        topk_judge_result(&op, call.exhibits, &judgement);
        if (!judgement.has_sequence || judgement.sequence != row * columns + column) {
            fail_msg("%s, type %" PRIu32 ", n %" PRIu32 ", column %" PRIu32 " of %" PRIu32,
                     level_name(), type, length, column, columns);
        }
        call_set(&call, TOPK_INDEX, out, index);
        /* a better element, unless it is an output: the judge of a single sequence decides */
        call_set(&call, TOPK_INPUT, at, random_bits(pcg, type, DRAW_ANY));
        const uint64_t bytes = bytes_of(type);
        const uint64_t first = ((uint64_t)row * length * columns + column) * bytes;
        const uint64_t first_output = (uint64_t)row * op.k * columns + column;
        const struct topk_sequence s = {
            .type = type,
            .increasing = op.direction == TOPK_INCREASING,
            .length = length,
            .k = op.k,
            .index_bytes = 4,
            .input = call.before[TOPK_INPUT] + CALL_MARGIN + first,
            .value = call.after[TOPK_VALUE] + CALL_MARGIN + first_output * bytes,
            .index = call.after[TOPK_INDEX] + CALL_MARGIN + first_output * 4,
            .input_step = columns * bytes,
            .value_step = columns * bytes,
            .index_step = (uint64_t)columns * 4};
        check(&s);
        if (type != TOPK_TYPE_F32) { /* whose denormals leave a choice */
            topk_judge_result(&op, call.exhibits, &judgement);
            assert_int_equal(judgement.count == 0, stated_has_nan(&s)
                                                       ? stated_are_elements(&s, true)
                                                       : stated_right(&s, as_it_is));
        }
        call_set(&call, TOPK_INPUT, at, kept);
    }
    topk_judge_result(&op, call.exhibits, &judgement);
    assert_int_equal(judgement.count, 0);
    call_free(&call);
}

/* More rows than the counters of any lane width can hold: the last element of each sequence is the
 * best; then the first is equally good. */
static void judge_long_columns(uint32_t type)
{
    const uint32_t length = UINT16_MAX + 4;
    const uint32_t columns = topk_exact_columns(type);
    struct topk_operator op;
    memset(&op, 0, sizeof op);
    op.kind = TOPK_TOP_K;
    op.level = TOPK_LEVEL_5_0;
    op.axis = 0;
    op.k = 1;
    op.tensors[TOPK_INPUT] =
        (struct topk_tensor){.present = true, .type = type, .rank = 2, .sizes = {length, columns}};
    op.tensors[TOPK_INPUT].total_bytes = topk_tensor_least_bytes(&op.tensors[TOPK_INPUT]);
    topk_operator_derive_outputs(&op, TOPK_TYPE_U32);
    struct call call;
    struct topk_judgement judgement;
    call_make(&call, &op);
    uint32_t at[TOPK_RANK_MAX] = {0};
    do {
        call_set(&call, TOPK_INPUT, at, bits_of(type, at[0] + 1 == length ? 2 : 1));
    } while (next_at(&op.tensors[TOPK_INPUT], at));
    do {
        call_set(&call, TOPK_VALUE, at, bits_of(type, 2));
        call_set(&call, TOPK_INDEX, at, length - 1);
    } while (next_at(&op.tensors[TOPK_VALUE], at));
    topk_judge_result(&op, call.exhibits, &judgement);
    assert_int_equal(judgement.count, 0);
    call_set(&call, TOPK_INPUT, (uint32_t[]){0, columns - 1}, bits_of(type, 2));
    topk_judge_result(&op, call.exhibits, &judgement);
    assert_true(judgement.has_sequence && judgement.sequence == columns - 1);
    assert_int_equal(judgement.findings[0].mismatch, TOPK_MISMATCH_TIE_LEFT_OUT);
    call_free(&call);
}

static void all_columns(void)
{
    static const uint32_t lengths[] = {2, 3, 17, 40, 300};
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 4, 60);
    for (uint32_t t = 0; t < TOPK_TYPE_COUNT; t++) {
        const uint32_t lanes = topk_exact_columns(topk_types[t]);
        for (size_t n = 0; n < COUNT(lengths); n++) {
            if (TOPK_SANITIZED && n == 4) {
                break;
            }
            judge_columns(topk_types[t], lengths[n], lanes - 1, &pcg);
            judge_columns(topk_types[t], lengths[n], lanes, &pcg);
            judge_columns(topk_types[t], lengths[n], 2 * lanes + 1, &pcg);
        }
        judge_long_columns(topk_types[t]);
    }
}

static void sequences_side_by_side(void **state)
{
    (void)state;
    at_each_level(all_columns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels),
        cmocka_unit_test(every_short_sequence),
        cmocka_unit_test(every_place),
        cmocka_unit_test(more_rows_than_lanes_count),
        cmocka_unit_test(every_place_of_many_outputs),
        cmocka_unit_test(sequences_side_by_side),
    };
    return cmocka_run_group_tests_name("judge, levels", tests, NULL, NULL);
}
