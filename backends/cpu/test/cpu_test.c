/* Compares the backend cpu, on each level of SIMD and with up to four threads, with a plain sort:
 * lengths and K around everything that decides the method, all types, ties, NaNs, strides,
 * unaligned memory. Compares whole buffers, including the bytes around the outputs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/cpu.h"
#include "cpu/levels.h"
#include "cpu/method.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#define THREADS 4u
#define GUARD   0xA5
#define SLACK   64u /* bytes around a tensor */

/* with the sanitizers, long rows are checked less often */
#ifdef TOPK_SANITIZED
#define STEP 3u
#else
#define STEP 1u
#endif

/* ---- Elements -------------------------------------------------------------------------------- */

struct type {
    uint32_t number;
    uint32_t width;
    bool is_signed;
    bool is_float;
};

static const struct type types[] = {
    {TOPK_BACKEND_FLOAT32, 4, true, true},  {TOPK_BACKEND_FLOAT16, 2, true, true},
    {TOPK_BACKEND_UINT8, 1, false, false},  {TOPK_BACKEND_UINT16, 2, false, false},
    {TOPK_BACKEND_UINT32, 4, false, false}, {TOPK_BACKEND_UINT64, 8, false, false},
    {TOPK_BACKEND_INT8, 1, true, false},    {TOPK_BACKEND_INT16, 2, true, false},
    {TOPK_BACKEND_INT32, 4, true, false},   {TOPK_BACKEND_INT64, 8, true, false},
};
#define TYPES (sizeof types / sizeof types[0])

static uint64_t load(const unsigned char *from, uint32_t width)
{
    uint64_t bits64;
    uint32_t bits32;
    uint16_t bits16;
    switch (width) {
    case 1:
        return *from;
    case 2:
        memcpy(&bits16, from, sizeof bits16);
        return bits16;
    case 4:
        memcpy(&bits32, from, sizeof bits32);
        return bits32;
    default:
        memcpy(&bits64, from, sizeof bits64);
        return bits64;
    }
}

static void store(unsigned char *to, uint64_t bits64, uint32_t width)
{
    const uint32_t bits32 = (uint32_t)bits64;
    const uint16_t bits16 = (uint16_t)bits64;
    switch (width) {
    case 1:
        *to = (unsigned char)bits64;
        break;
    case 2:
        memcpy(to, &bits16, sizeof bits16);
        break;
    case 4:
        memcpy(to, &bits32, sizeof bits32);
        break;
    default:
        memcpy(to, &bits64, sizeof bits64);
    }
}

/* Returns -1, 0 or 1 if a float of either width is below, equal to, or above another; NaN is above
 * everything. */
static int compare_floats(uint64_t a, uint64_t b, uint32_t width)
{
    const uint64_t sign = UINT64_C(1) << (8 * width - 1);
    const uint64_t infinity = width == 4 ? UINT64_C(0x7F800000) : UINT64_C(0x7C00);
    const uint64_t a_magnitude = a & (sign - 1);
    const uint64_t b_magnitude = b & (sign - 1);
    const bool a_nan = a_magnitude > infinity;
    const bool b_nan = b_magnitude > infinity;
    if (a_nan || b_nan) {
        return a_nan - b_nan;
    }
    const int64_t a_number = (a & sign) != 0 ? -(int64_t)a_magnitude : (int64_t)a_magnitude;
    const int64_t b_number = (b & sign) != 0 ? -(int64_t)b_magnitude : (int64_t)b_magnitude;
    return (a_number > b_number) - (a_number < b_number);
}

static int compare(const struct type *type, uint64_t a, uint64_t b)
{
    if (type->is_float) {
        return compare_floats(a, b, type->width);
    }
    if (type->is_signed) {
        const uint32_t unused = 64 - 8 * type->width;
        const int64_t a_number = (int64_t)(a << unused);
        const int64_t b_number = (int64_t)(b << unused);
        return (a_number > b_number) - (a_number < b_number);
    }
    return (a > b) - (a < b);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

enum layout {
    PACKED,
    PADDED,    /* each dimension has more room than elements */
    REVERSED,  /* the first dimension is the densest */
    BROADCAST, /* the outer rows of the input are the same */
    LAYOUTS
};

/* Shape {outer, length, inner}; Axis is the middle one. */
struct call {
    const struct type *type;
    uint32_t outer;
    uint32_t length;
    uint32_t inner;
    uint32_t k;
    bool decreasing;
    bool index_is_64;
    enum layout layout;
    uint32_t offset; /* bytes */
};

struct tensor {
    struct topk_backend_tensor desc;
    uint32_t sizes[3];
    uint32_t strides[3];
    uint32_t width;
    size_t bytes; /* of the buffer */
    unsigned char *buffer;
};

static struct {
    void *backends[TOPK_CPU_LEVELS * THREADS];
    char options[TOPK_CPU_LEVELS * THREADS][40];
    size_t count;
    uint64_t random;
    size_t served[TOPK_CPU_DIGITS + 1]; /* number of rows by method */
} f;

static uint64_t draw(void)
{
    f.random ^= f.random << 13;
    f.random ^= f.random >> 7;
    f.random ^= f.random << 17;
    return f.random;
}

static void *room(size_t bytes)
{
    void *memory = malloc(bytes);
    assert_non_null(memory);
    return memory;
}

static void lay_out(const struct call *call, bool is_input, struct tensor *tensor)
{
    const uint32_t pad = call->layout == PADDED ? 1 : 0;
    uint32_t *sizes = tensor->sizes;
    uint32_t *strides = tensor->strides;
    sizes[0] = call->outer;
    sizes[1] = is_input ? call->length : call->k;
    sizes[2] = call->inner;
    if (call->layout == REVERSED) {
        strides[0] = 1;
        strides[1] = sizes[0];
        strides[2] = sizes[0] * sizes[1];
    } else {
        strides[2] = 1 + pad;
        strides[1] = sizes[2] * strides[2] + pad;
        strides[0] = call->layout == BROADCAST && is_input ? 0 : (sizes[1] * strides[1] + pad);
    }
    size_t elements = 1;
    for (int i = 0; i < 3; i++) {
        elements += (size_t)(sizes[i] - 1) * strides[i];
    }
    const size_t bytes = (elements * tensor->width + 3) / 4 * 4;
    tensor->desc.dimension_count = 3;
    tensor->desc.sizes = sizes;
    tensor->desc.strides = call->layout == PACKED ? NULL : strides;
    tensor->desc.total_bytes = bytes;
    tensor->bytes = call->offset + bytes + SLACK;
    tensor->buffer = room(tensor->bytes);
    memset(tensor->buffer, GUARD, tensor->bytes);
}

static unsigned char *element(const struct call *call, const struct tensor *tensor, uint32_t outer,
                              uint32_t i, uint32_t inner)
{
    const uint32_t *strides = tensor->strides;
    const size_t at =
        (size_t)outer * strides[0] + (size_t)i * strides[1] + (size_t)inner * strides[2];
    return tensor->buffer + call->offset + at * tensor->width;
}

/* A stable merge sort of indices. */
static void sort(const struct call *call, const uint64_t *values, uint32_t *order, uint32_t *spare,
                 size_t count)
{
    if (count < 2) {
        return;
    }
    const size_t half = count / 2;
    sort(call, values, order, spare, half);
    sort(call, values, order + half, spare, count - half);
    memcpy(spare, order, count * sizeof *order);
    for (size_t i = 0, a = 0, b = half; i < count; i++) {
        bool later = a == half;
        if (a < half && b < count) {
            const int sign = compare(call->type, values[spare[a]], values[spare[b]]);
            later = call->decreasing ? sign < 0 : sign > 0;
        }
        order[i] = later ? spare[b++] : spare[a++];
    }
}

static void expect_row(const struct call *call, const struct tensor tensors[3], uint32_t outer,
                       uint32_t inner)
{
    uint64_t *values = room(call->length * sizeof *values);
    uint32_t *order = room(2 * (size_t)call->length * sizeof *order);
    for (uint32_t i = 0; i < call->length; i++) {
        values[i] = load(element(call, &tensors[0], outer, i, inner), call->type->width);
        order[i] = i;
    }
    sort(call, values, order, order + call->length, call->length);
    for (uint32_t i = 0; i < call->k; i++) {
        store(element(call, &tensors[1], outer, i, inner), values[order[i]], call->type->width);
        store(element(call, &tensors[2], outer, i, inner), order[i], tensors[2].width);
    }
    free(values);
    free(order);
}

static struct topk_backend_buffer bound(const struct call *call, const struct tensor *tensor,
                                        unsigned char *buffer)
{
    return (struct topk_backend_buffer){
        .data = buffer, .bytes = tensor->bytes, .offset = call->offset};
}

/* Runs a call on a backend, with outputs that contain only guards, and compares everything. */
static void run(const struct call *call, struct tensor tensors[3], size_t backend)
{
    unsigned char *input = room(tensors[0].bytes);
    unsigned char *value = room(tensors[1].bytes);
    unsigned char *index = room(tensors[2].bytes);
    memcpy(input, tensors[0].buffer, tensors[0].bytes);
    memset(value, GUARD, tensors[1].bytes);
    memset(index, GUARD, tensors[2].bytes);
    const struct topk_backend_call made = {
        .operator_type = TOPK_OPERATOR_TOP_K1,
        .feature_level = 0x5000,
        .axis = 1,
        .k = call->k,
        .direction = call->decreasing ? TOPK_DIRECTION_DECREASING : TOPK_DIRECTION_INCREASING,
        .input = &tensors[0].desc,
        .value = &tensors[1].desc,
        .index = &tensors[2].desc,
        .input_buffer = bound(call, &tensors[0], input),
        .value_buffer = bound(call, &tensors[1], value),
        .index_buffer = bound(call, &tensors[2], index)};
    struct topk_backend_answer answer = {.status = TOPK_BACKEND_FAILED};
    topk_backend_cpu.run(f.backends[backend], &made, 1, &answer);
    if (answer.status != TOPK_BACKEND_DONE ||
        memcmp(input, tensors[0].buffer, tensors[0].bytes) != 0 ||
        memcmp(value, tensors[1].buffer, tensors[1].bytes) != 0 ||
        memcmp(index, tensors[2].buffer, tensors[2].bytes) != 0) {
        fail_msg("cpu:%s is wrong: type %" PRIu32 ", {%" PRIu32 ", %" PRIu32 ", %" PRIu32
                 "}, k %" PRIu32 ", decreasing %d, index 64 %d, layout %d, offset %" PRIu32
                 ", status %" PRIu32 " %s",
                 f.options[backend], call->type->number, call->outer, call->length, call->inner,
                 call->k, call->decreasing, call->index_is_64, (int)call->layout, call->offset,
                 answer.status, answer.reason);
    }
    free(input);
    free(value);
    free(index);
}

/* Runs a call with the elements from `fill` on all backends, or, if it is small, on one in turn. */
static void check(const struct call *call,
                  uint64_t (*fill)(const struct call *call, size_t row, size_t i))
{
    static size_t turn;
    struct tensor tensors[3] = {
        {.desc = {.data_type = call->type->number}, .width = call->type->width},
        {.desc = {.data_type = call->type->number}, .width = call->type->width},
        {.desc = {.data_type = call->index_is_64 ? TOPK_BACKEND_UINT64 : TOPK_BACKEND_UINT32},
         .width = call->index_is_64 ? 8 : 4}};
    for (int i = 0; i < 3; i++) {
        lay_out(call, i == 0, &tensors[i]);
    }
    for (uint32_t outer = 0; outer < call->outer; outer++) {
        for (uint32_t i = 0; i < call->length; i++) {
            for (uint32_t inner = 0; inner < call->inner; inner++) {
                store(element(call, &tensors[0], outer, i, inner),
                      fill(call, (size_t)outer * call->inner + inner, i), call->type->width);
            }
        }
    }
    for (uint32_t outer = 0; outer < call->outer; outer++) {
        for (uint32_t inner = 0; inner < call->inner; inner++) {
            expect_row(call, tensors, outer, inner);
        }
    }
    const size_t rows = (size_t)call->outer * call->inner;
    f.served[topk_cpu_method(call->length, call->k, rows)] += rows;
    const bool all = rows * call->length >= 30000;
    for (size_t i = 0; i < f.count; i++) {
        if (all || i % THREADS == turn % THREADS) {
            run(call, tensors, i);
        }
    }
    turn++;
    for (int i = 0; i < 3; i++) {
        free(tensors[i].buffer);
    }
}

/* ---- Data
 * -------------------------------------------------------------------------------------- */

/* For floats: infinities, zeros, denormals, the least normal, ones, quiet and signalling NaNs, of
 * either sign. For other types the same bits, which include extremes. */
static const uint64_t specials[][2] = {
    {0x7F800000, 0x7C00}, {0xFF800000, 0xFC00}, {0x00000000, 0x0000}, {0x80000000, 0x8000},
    {0x00000001, 0x0001}, {0x807FFFFF, 0x83FF}, {0x00800000, 0x0400}, {0x3F800000, 0x3C00},
    {0xBF800000, 0xBC00}, {0x7FC00000, 0x7E00}, {0xFFC00001, 0xFE01}, {0x7F800001, 0x7C01},
    {0xFFFFFFFF, 0xFFFF}, {0x7FFFFFFF, 0x7FFF}};
#define SPECIALS (sizeof specials / sizeof specials[0])

static uint64_t special(const struct type *type, size_t number)
{
    const uint64_t bits = specials[number % SPECIALS][type->width == 2];
    return type->width == 8 ? bits << 32 | (bits & 1) : bits;
}

/* The elements of row r are the digits of r, in base of the number of specials. */
static uint64_t fill_all(const struct call *call, size_t row, size_t i)
{
    for (; i > 0; i--) {
        row /= SPECIALS;
    }
    return special(call->type, row % SPECIALS);
}

static uint64_t fill_specials(const struct call *call, size_t row, size_t i)
{
    (void)row;
    (void)i;
    return special(call->type, draw() >> 32);
}

static uint64_t fill_random(const struct call *call, size_t row, size_t i)
{
    (void)call;
    (void)row;
    (void)i;
    return draw();
}

static uint64_t fill_few(const struct call *call, size_t row, size_t i)
{
    (void)call;
    (void)row;
    (void)i;
    return (draw() >> 32) % 3;
}

static uint64_t fill_alike(const struct call *call, size_t row, size_t i)
{
    (void)i;
    return special(call->type, row);
}

static uint64_t fill_rising(const struct call *call, size_t row, size_t i)
{
    (void)call;
    return row + i;
}

static uint64_t fill_falling(const struct call *call, size_t row, size_t i)
{
    (void)row;
    return call->length - i;
}

/* Values with equal upper bits, except one that is far away. */
static uint64_t fill_clustered(const struct call *call, size_t row, size_t i)
{
    const uint64_t base = call->type->width == 8 ? UINT64_C(0x1234567800000000) : 0x12345600;
    return i == row % call->length ? ~base : base + (draw() >> 32) % 61;
}

/* Values that differ in upper bits, except for two that differ in lower bits. */
static uint64_t fill_pair(const struct call *call, size_t row, size_t i)
{
    const size_t length = call->length;
    const uint32_t shift = call->type->width == 8 ? 56 : call->type->width == 4 ? 24 : 0;
    const size_t place = (i * 5 + row) % length;
    const bool is_second = place != 0 && place == row / 3 % length;
    return is_second ? ((uint64_t)(place - 1) << shift) + row % 2 * 2
                     : ((uint64_t)place << shift) + 1;
}

static uint64_t (*const fills[])(const struct call *, size_t,
                                 size_t) = {fill_random, fill_specials, fill_few,       fill_alike,
                                            fill_rising, fill_falling,  fill_clustered, fill_pair};
#define FILLS (sizeof fills / sizeof fills[0])

/* ---- Tests ----------------------------------------------------------------------------------- */

static void test_special_values_exhaustively(void **state)
{
    (void)state;
    for (size_t t = 0; t < TYPES; t++) {
        uint32_t rows = 1;
        for (uint32_t length = 1; length <= 3; length++) {
            rows *= SPECIALS;
            for (uint32_t k = 1; k <= length; k++) {
                for (int decreasing = 0; decreasing < 2; decreasing++) {
                    const struct call call = {.type = &types[t],
                                              .outer = rows,
                                              .length = length,
                                              .inner = 1,
                                              .k = k,
                                              .decreasing = decreasing != 0};
                    check(&call, fill_all);
                }
            }
        }
    }
}

/* A K near a threshold; `number` selects among all of them. */
static uint32_t some_k(uint32_t length, size_t number)
{
    const uint32_t ratio = length / TOPK_CPU_FILTER_RATIO;
    const uint32_t ks[] = {1,  length,     length / 2, 8,  2,   ratio, ratio + 1,
                           64, length - 1, ratio / 2,  65, 129, 7,     33};
    const uint32_t k = ks[number % (sizeof ks / sizeof ks[0])];
    return k == 0 ? 1 : k > length ? length : k;
}

static void test_lengths(void **state)
{
    (void)state;
    static const uint32_t lengths[] = {1,    2,    3,    4,    5,    7,    8,    9,    15,
                                       16,   17,   31,   32,   33,   63,   64,   65,   95,
                                       127,  128,  129,  255,  256,  257,  511,  513,  1023,
                                       1024, 1025, 1040, 1087, 2047, 2048, 2049, 3000, 4097};
    size_t number = 0;
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        for (size_t i = 0; i<2 * TYPES * FILLS; i += lengths[l]> 300 ? STEP : 1, number++) {
            const uint32_t length = lengths[l];
            const struct call call = {.type = &types[i % TYPES],
                                      .outer = (uint32_t[]){1, 5, 2, 37}[draw() >> 32 & 3],
                                      .length = length,
                                      .inner = 1,
                                      .k = some_k(length, number),
                                      .decreasing = (draw() >> 32 & 1) != 0,
                                      .index_is_64 = (draw() >> 32 & 1) != 0,
                                      .offset = (uint32_t)(draw() >> 32 & 7)};
            check(&call, fills[i / TYPES % FILLS]);
        }
    }
}

/* Long enough to be distributed by digits, and to be shared by threads. */
static void test_long_rows(void **state)
{
    (void)state;
    static const uint32_t lengths[] = {TOPK_CPU_DIGITS_LENGTH - 1,
                                       TOPK_CPU_DIGITS_LENGTH,
                                       TOPK_CPU_DIGITS_LENGTH + 1,
                                       32767,
                                       32768,
                                       50001};
    size_t number = 0;
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        for (size_t i = 0; i < TYPES * FILLS; i += STEP + l / 3, number++) {
            const struct call call = {.type = &types[i % TYPES],
                                      .outer = 1 + (uint32_t)(draw() >> 32 & 1),
                                      .length = lengths[l],
                                      .inner = 1,
                                      .k = some_k(lengths[l], number),
                                      .decreasing = (draw() >> 32 & 1) != 0,
                                      .offset = (uint32_t)(draw() >> 32 & 7)};
            check(&call, fills[i / TYPES % FILLS]);
        }
    }
}

static void test_layouts(void **state)
{
    (void)state;
    static const uint32_t lengths[] = {1, 2, 5, 16, 17, 64, 65, 130, 300, 1025, 9000};
    size_t number = 0;
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        for (size_t i = 0; i<5 * TYPES * LAYOUTS; i += lengths[l]> 300 ? 3 * STEP : 1, number++) {
            const struct call call = {.type = &types[i % TYPES],
                                      .outer = 1 + (uint32_t)(draw() >> 32) % 5,
                                      .length = lengths[l],
                                      .inner = 1 + (uint32_t)(draw() >> 32) % 20,
                                      .k = some_k(lengths[l], number),
                                      .decreasing = (draw() >> 32 & 1) != 0,
                                      .index_is_64 = (draw() >> 32 & 1) != 0,
                                      .layout = (enum layout)(i / TYPES % LAYOUTS),
                                      .offset = (uint32_t)(draw() >> 32 & 7)};
            check(&call, fills[(draw() >> 32) % FILLS]);
        }
    }
}

/* Enough short rows that threads take parts of them. */
static void test_many_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4 * TYPES; i++) {
        const uint32_t length = (uint32_t[]){16, 20, 64, 100}[i / TYPES];
        const struct call call = {.type = &types[i % TYPES],
                                  .outer = 61,
                                  .length = length,
                                  .inner = 40 + (uint32_t)i,
                                  .k = some_k(length, i),
                                  .layout = (enum layout)(i % LAYOUTS)};
        check(&call, fills[i % FILLS]);
    }
}

static void test_each_method_served(void **state)
{
    (void)state;
    for (int i = 0; i <= TOPK_CPU_DIGITS; i++) {
        assert_true(f.served[i] >= 100);
    }
}

static void test_description(void **state)
{
    (void)state;
    struct topk_cpu_level levels[TOPK_CPU_LEVELS];
    const size_t count = topk_cpu_levels(levels);
    assert_int_equal(f.count, count * THREADS);
    for (size_t i = 0; i < f.count; i++) {
        struct topk_backend_info info = {.batch = 1};
        char device[40] = "one thread";
        topk_backend_cpu.describe(f.backends[i], &info);
        if (i % THREADS > 0) {
            snprintf(device, sizeof device, "%zu threads", i % THREADS + 1);
        }
        assert_non_null(strstr(info.device, device));
        assert_non_null(strstr(info.driver, levels[i / THREADS].name));
    }
}

static int open_backends(void **state)
{
    (void)state;
    struct topk_cpu_level levels[TOPK_CPU_LEVELS];
    const size_t count = topk_cpu_levels(levels);
    f.random = UINT64_C(0x9E3779B97F4A7C15);
    for (size_t level = 0; level < count; level++) {
        for (unsigned threads = 1; threads <= THREADS; threads++) {
            char error[256];
            char *options = f.options[f.count];
            snprintf(options, sizeof f.options[0], "threads=%u,simd=%s", threads,
                     levels[level].word);
            f.backends[f.count] = topk_backend_cpu.open(options, error, sizeof error);
            assert_non_null(f.backends[f.count]);
            f.count++;
        }
    }
    return 0;
}

static int close_backends(void **state)
{
    (void)state;
    for (size_t i = 0; i < f.count; i++) {
        topk_backend_cpu.close(f.backends[i]);
    }
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_description),
        cmocka_unit_test(test_special_values_exhaustively),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_long_rows),
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_each_method_served),
    };
    return cmocka_run_group_tests(tests, open_backends, close_backends);
}
