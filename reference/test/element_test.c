/* Elements: order keys, predicates, roundings and texts, compared with a second decoder. All values
 * of the 8 and 16 bit types; special and random values of the others. */
#include "support.h"

#define DRAWS (TOPK_SANITIZED ? 300000 : 3000000)

static uint64_t values_of(uint32_t type)
{
    return (uint64_t)1 << 8 * bytes_of(type);
}

static void compare_keys(uint32_t type, uint64_t a, uint64_t b)
{
    uint64_t key_a = topk_element_key(type, a);
    uint64_t key_b = topk_element_key(type, b);
    int order = (key_a > key_b) - (key_a < key_b);
    if (order != compare_values(type, a, b)) {
        fail_msg("type %" PRIu32 ": %" PRIx64 " and %" PRIx64 " order as %d", type, a, b, order);
    }
}

static void all_pairs_of_8_bits(void **state)
{
    (void)state;
    static const uint32_t types[] = {TOPK_TYPE_I8, TOPK_TYPE_U8};
    for (size_t t = 0; t < COUNT(types); t++) {
        for (uint64_t a = 0; a < 256; a++) {
            for (uint64_t b = 0; b < 256; b++) {
                compare_keys(types[t], a, b);
            }
        }
    }
}

static uint32_t sorted_type;

static int by_key(const void *a, const void *b)
{
    uint64_t key_a = topk_element_key(sorted_type, *(const uint64_t *)a);
    uint64_t key_b = topk_element_key(sorted_type, *(const uint64_t *)b);
    return (key_a > key_b) - (key_a < key_b);
}

/* sorts by key; if neighbours are in order of their values, so are all pairs */
static void all_pairs_of_16_bits(void **state)
{
    (void)state;
    static const uint32_t types[] = {TOPK_TYPE_I16, TOPK_TYPE_U16, TOPK_TYPE_F16};
    static uint64_t sorted[65536];
    for (size_t t = 0; t < COUNT(types); t++) {
        size_t count = 0;
        for (uint64_t bits = 0; bits < 65536; bits++) {
            if (!is_nan(types[t], bits)) {
                sorted[count++] = bits;
            }
        }
        assert_int_equal(count, types[t] == TOPK_TYPE_F16 ? 65536 - 2 * 1023 : 65536);
        sorted_type = types[t];
        qsort(sorted, count, sizeof sorted[0], by_key);
        for (size_t i = 1; i < count; i++) {
            compare_keys(types[t], sorted[i - 1], sorted[i]);
            compare_keys(types[t], sorted[i], sorted[i - 1]);
            compare_keys(types[t], sorted[i], sorted[i]);
        }
    }
}

static void random_pairs(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 1, 10);
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        uint32_t type = topk_types[t];
        for (int i = 0; i < DRAWS / 10; i++) {
            uint64_t a = random_bits(&pcg, type, DRAW_NO_NAN);
            uint64_t b = random_bits(&pcg, type, DRAW_NO_NAN);
            compare_keys(type, a, b);
            uint64_t near = (a + topk_pcg_below(&pcg, 3) - 1) & all_ones(type);
            if (!is_nan(type, near)) {
                compare_keys(type, a, near);
            }
            /* the key has no bits above those of the type, because the judge uses keys of that
             * width */
            assert_true(topk_element_key(type, a) <= all_ones(type));
            /* nothing is below the least or above the greatest */
            assert_true(compare_values(type, topk_element_least(type), a) <= 0);
            assert_true(compare_values(type, topk_element_greatest(type), a) >= 0);
        }
        compare_keys(type, topk_element_least(type), topk_element_greatest(type));
    }
    assert_int_equal(topk_element_key(TOPK_TYPE_F32, 0x80000000),
                     topk_element_key(TOPK_TYPE_F32, 0));
    assert_int_equal(topk_element_key(TOPK_TYPE_F16, 0x8000), topk_element_key(TOPK_TYPE_F16, 0));
    assert_true(topk_element_least(TOPK_TYPE_F32) == 0xff800000);
    assert_true(topk_element_greatest(TOPK_TYPE_F16) == 0x7c00);
    assert_true(topk_element_least(TOPK_TYPE_I64) == (uint64_t)1 << 63);
    assert_true(topk_element_greatest(TOPK_TYPE_U8) == 0xff);
    assert_true(topk_element_greatest(TOPK_TYPE_U64) == UINT64_MAX);
}

static void check_predicates(uint32_t type, uint64_t bits)
{
    bool nan = false;
    bool inf = false;
    bool zero = false;
    if (is_float(type)) {
        double value = decode_float(type, bits);
        nan = value != value;
        inf = value > 1e300 || value < -1e300;
        zero = value == 0;
    } else {
        zero = decode_whole(type, bits) == 0;
    }
    if (topk_element_nan(type, bits) != nan || topk_element_inf(type, bits) != inf ||
        topk_element_zero(type, bits) != zero ||
        topk_element_denormal(type, bits) != is_denormal(type, bits) ||
        topk_element_normal(type, bits) !=
            (is_float(type) && !nan && !inf && !zero && !is_denormal(type, bits))) {
        fail_msg("type %" PRIu32 ": %" PRIx64, type, bits);
    }
}

static void predicates(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 2, 10);
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        uint32_t type = topk_types[t];
        for (uint64_t bits = 0; bytes_of(type) <= 2 && bits < values_of(type); bits++) {
            check_predicates(type, bits);
        }
        for (int i = 0; i < DRAWS / 10; i++) {
            check_predicates(type, random_bits(&pcg, type, DRAW_ANY));
        }
    }
}

static void expect_key_half(uint64_t f32, uint64_t key, uint64_t half)
{
    if (key != topk_element_key(TOPK_TYPE_F16, half)) {
        fail_msg("%" PRIx64 " rounds to the key %" PRIx64 ", not to that of %" PRIx64, f32, key,
                 half);
    }
}

static void check_key_half(uint64_t f32)
{
    if (!is_nan(TOPK_TYPE_F32, f32)) {
        double value = decode_float(TOPK_TYPE_F32, f32);
        expect_key_half(f32, topk_element_key_half(f32), round_to_half(value));
        expect_key_half(f32, topk_element_key_half_truncated(f32), truncate_to_half(value));
    }
}

/* every FLOAT16, every midpoint of two, and the adjacent FLOAT32 values; and random ones */
static void key_half(void **state)
{
    (void)state;
    for (uint64_t half = 0; half < 0x7c00; half++) {
        double low = decode_half(half);
        double high = half == 0x7bff ? 65536 : decode_half(half + 1);
        float points[] = {(float)low, (float)((low + high) / 2)};
        for (size_t p = 0; p < COUNT(points); p++) {
            uint32_t bits;
            memcpy(&bits, &points[p], sizeof bits);
            for (uint32_t near = bits < 3 ? 0 : bits - 3; near <= bits + 3; near++) {
                check_key_half(near);
                check_key_half(near | 0x80000000u);
            }
        }
    }
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 3, 10);
    for (int i = 0; i < DRAWS; i++) {
        uint32_t bits = topk_pcg_next(&pcg);
        if (i % 2 != 0) { /* exponents from 2^-28 to 2^17, where rounding matters */
            bits = (bits & 0x807fffff) | (99 + topk_pcg_below(&pcg, 46)) << 23;
        }
        check_key_half(bits);
    }
    check_key_half(0x7f800000);
    check_key_half(0xff800000);
    check_key_half(0x7f7fffff);
}

static void key_flushed(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 4, 10);
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        uint32_t type = topk_types[t];
        for (int i = 0; i < DRAWS / 10; i++) {
            uint64_t bits = random_bits(&pcg, type, DRAW_NO_NAN);
            bool flushed = is_float(type) && is_denormal(type, bits);
            assert_true(topk_element_key_flushed(type, bits) ==
                        topk_element_key(type, flushed ? 0 : bits));
        }
    }
}

/* an integer by hand; a float by strtod and independent rounding */
static uint64_t read_text(uint32_t type, const char *text)
{
    if (!is_float(type)) {
        wide value = 0;
        for (const char *c = text + (*text == '-'); *c != 0; c++) {
            assert_in_range(*c, '0', '9');
            value = value * 10 + (*c - '0');
        }
        return (uint64_t)(*text == '-' ? -value : value) & all_ones(type);
    }
    char *end;
    double value = strtod(text, &end);
    assert_int_equal(*end, 0);
    if (type == TOPK_TYPE_F16) {
        return round_to_half(value);
    }
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return bits;
}

static void check_print(uint32_t type, uint64_t bits)
{
    char text[TOPK_ELEMENT_TEXT];
    topk_element_print(type, bits, text);
    if (is_nan(type, bits)) {
        char expected[TOPK_ELEMENT_TEXT];
        snprintf(expected, sizeof expected, type == TOPK_TYPE_F32 ? "nan(%08x)" : "nan(%04x)",
                 (unsigned)bits);
        assert_string_equal(text, expected);
    } else if (read_text(type, text) != bits) {
        fail_msg("type %" PRIu32 ": %" PRIx64 " printed as %s", type, bits, text);
    }
}

static void print_reads_back(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 5, 10);
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        uint32_t type = topk_types[t];
        for (uint64_t bits = 0; bytes_of(type) <= 2 && bits < values_of(type); bits++) {
            check_print(type, bits);
        }
        for (int i = 0; i < DRAWS / 30; i++) {
            check_print(type, random_bits(&pcg, type, DRAW_ANY));
        }
    }
    /* FLOAT32: powers of two and ten with their neighbours, and random values */
    for (uint32_t exponent = 0; exponent < 255; exponent++) {
        for (uint32_t near = 0; near < 9; near++) {
            check_print(TOPK_TYPE_F32, ((exponent << 23) + near - 4) & 0x7fffffff);
        }
    }
    for (int power = -45; power <= 38; power++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", power);
        uint64_t bits = read_text(TOPK_TYPE_F32, text);
        for (uint64_t near = 0; near < 9; near++) {
            check_print(TOPK_TYPE_F32, bits < 4 ? near : bits + near - 4);
        }
    }
    for (int i = 0; i < DRAWS / 5; i++) {
        check_print(TOPK_TYPE_F32, topk_pcg_next(&pcg));
    }
}

static void print_forms(void **state)
{
    (void)state;
    static const struct {
        uint32_t type;
        uint64_t bits;
        const char *text;
    } rows[] = {
        {TOPK_TYPE_F32, 0x3dcccccd, "0.1"},
        {TOPK_TYPE_F32, 0, "0"},
        {TOPK_TYPE_F32, 0x80000000, "-0"},
        {TOPK_TYPE_F32, 0x7f800000, "inf"},
        {TOPK_TYPE_F32, 0xff800000, "-inf"},
        {TOPK_TYPE_F32, 0x7fc00001, "nan(7fc00001)"},
        {TOPK_TYPE_F32, 1, "1.4e-45"},
        {TOPK_TYPE_F32, 0x7f7fffff, "3.4028235e+38"},
        {TOPK_TYPE_F32, 0xc0e00000, "-7"},
        {TOPK_TYPE_F16, 0x8000, "-0"},
        {TOPK_TYPE_F16, 0x7bff, "65504"},
        {TOPK_TYPE_F16, 1, "6e-08"},
        {TOPK_TYPE_F16, 0xfe01, "nan(fe01)"},
        {TOPK_TYPE_I8, 0xf9, "-7"},
        {TOPK_TYPE_I8, 0x80, "-128"},
        {TOPK_TYPE_U8, 0xff, "255"},
        {TOPK_TYPE_I16, 0x8000, "-32768"},
        {TOPK_TYPE_I32, 0x80000000, "-2147483648"},
        {TOPK_TYPE_I64, (uint64_t)1 << 63, "-9223372036854775808"},
        {TOPK_TYPE_I64, INT64_MAX, "9223372036854775807"},
        {TOPK_TYPE_I64, UINT64_MAX, "-1"},
        {TOPK_TYPE_U64, UINT64_MAX, "18446744073709551615"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[TOPK_ELEMENT_TEXT];
        topk_element_print(rows[i].type, rows[i].bits, text);
        assert_string_equal(text, rows[i].text);
    }
}

static void load_and_store(void **state)
{
    (void)state;
    for (uint32_t bytes = 1; bytes <= 8; bytes *= 2) {
        for (uint32_t offset = 0; offset < 8; offset++) { /* aligned or not */
            unsigned char buffer[24];
            memset(buffer, 0xee, sizeof buffer);
            uint64_t bits = UINT64_C(0xf1f2f3f4f5f6f7f8);
            topk_element_store(buffer + 8 + offset, bytes, bits);
            assert_true(topk_element_load(buffer + 8 + offset, bytes) ==
                        (bits & UINT64_MAX >> (64 - 8 * bytes)));
            for (uint32_t i = 0; i < sizeof buffer; i++) {
                bool inside = i >= 8 + offset && i < 8 + offset + bytes;
                assert_true(inside == (buffer[i] != 0xee));
            }
        }
    }
    float one = 1;
    assert_int_equal(topk_element_load(&one, 4), 0x3f800000); /* in the machine's byte order */
}

static void types(void **state)
{
    (void)state;
    static const struct {
        uint32_t number;
        const char *text;
        uint32_t bytes;
        bool known;
    } rows[] = {{0, "unknown", 0, false},
                {1, "f32", 4, true},
                {2, "f16", 2, true},
                {3, "u32", 4, true},
                {4, "u16", 2, true},
                {5, "u8", 1, true},
                {6, "i32", 4, true},
                {7, "i16", 2, true},
                {8, "i8", 1, true},
                {9, "f64", 8, false},
                {10, "u64", 8, true},
                {11, "i64", 8, true},
                {12, "u4", 0, false},
                {13, "i4", 0, false},
                {14, "type14", 0, false},
                {99, "type99", 0, false},
                {UINT32_MAX, "type4294967295", 0, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint32_t type = rows[i].number;
        char text[TOPK_TYPE_TEXT + 8];
        topk_type_print(type, text);
        assert_string_equal(text, rows[i].text);
        assert_int_equal(topk_type_bytes(type), rows[i].bytes);
        assert_int_equal(topk_type_known(type), rows[i].known);
        assert_int_equal(topk_type_float(type), type == 1 || type == 2);
        assert_int_equal(topk_type_signed(type), (type >= 6 && type <= 8) || type == 11);
        size_t length = strlen(text);
        memcpy(text + length, " 7,x", 5); /* parsing stops at the end of the word */
        uint32_t back = 77;
        size_t read = 0;
        assert_true(topk_type_parse(text, &back, &read));
        assert_int_equal(back, type);
        assert_int_equal(read, length);
    }
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 6, 10);
    for (int i = 0; i < 100000; i++) {
        uint32_t type = (uint32_t)random_magnitude(&pcg, 32);
        char text[TOPK_TYPE_TEXT];
        topk_type_print(type, text);
        uint32_t back = ~type;
        size_t read = 0;
        assert_true(topk_type_parse(text, &back, &read));
        assert_int_equal(back, type);
        assert_int_equal(read, strlen(text));
    }
    int known = 0;
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        known += topk_type_known(topk_types[t]);
        for (int other = 0; other < t; other++) {
            assert_int_not_equal(topk_types[t], topk_types[other]);
        }
    }
    assert_int_equal(known, TOPK_TYPE_COUNT);
}

static void types_that_are_none(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "f",
                                        "f3",
                                        "f322",
                                        "F32",
                                        "type",
                                        "type0",
                                        "type07",
                                        "type13",
                                        "type1",
                                        "type014",
                                        "type00",
                                        "type4294967296",
                                        "type42949672950",
                                        "type99999999999999999999",
                                        "type1x",
                                        "type-14",
                                        "type 14",
                                        "typef32",
                                        "xf32",
                                        "unknown1",
                                        "type14a",
                                        "tYpe14",
                                        "type18446744073709551630"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        uint32_t type;
        size_t length;
        if (topk_type_parse(texts[i], &type, &length)) {
            fail_msg("\"%s\" is read as type %" PRIu32, texts[i], type);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_pairs_of_8_bits),
                                       cmocka_unit_test(all_pairs_of_16_bits),
                                       cmocka_unit_test(random_pairs),
                                       cmocka_unit_test(predicates),
                                       cmocka_unit_test(key_half),
                                       cmocka_unit_test(key_flushed),
                                       cmocka_unit_test(print_reads_back),
                                       cmocka_unit_test(print_forms),
                                       cmocka_unit_test(load_and_store),
                                       cmocka_unit_test(types),
                                       cmocka_unit_test(types_that_are_none)};
    return cmocka_run_group_tests_name("element", tests, NULL, NULL);
}
