/* Rows: kernel libraries choose a path by the length of a row and by K. Each window of both meets
 * all that can decide there: zeros, denormals, worst values, order, neighbours; and what stands in
 * other sequences, or in other dimensions, beside a row. */
#include "group.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const uint32_t lengths[] = {65, 130, 257, 400, 513, 700, 1025, 1500, 2049, 3000, 4097};
static const uint32_t ks[] = {1, 2, 9, 20, 33, 100, 129, 300};

/* a window, and a number for what goes around from one to the next */
struct window {
    uint32_t length;
    uint32_t k;
    uint32_t number;
};

static void windows(struct topk_sink *sink,
                    void (*emit)(struct topk_sink *sink, const struct window *window))
{
    struct window window = {0};
    for (size_t n = 0; n < COUNT(lengths); n++) {
        for (size_t k = 0; k < COUNT(ks) && ks[k] <= lengths[n]; k++) {
            window.length = lengths[n];
            window.k = ks[k];
            emit(sink, &window);
            window.number++;
        }
    }
}

/* a row, or two */
static void emit(struct topk_sink *sink, const struct window *window, uint32_t type, uint32_t mode,
                 const char *recipe, uint64_t first, uint64_t second)
{
    struct topk_case test;
    const uint32_t sizes[] = {1, 1, 1 + window->number % 2, window->length};
    topk_build(&test, (enum topk_mode)(mode % TOPK_MODE_COUNT), type, 4, sizes, 3, window->k);
    if (window->number % 3 == 0) {
        topk_build_wide_index(&test);
    }
    topk_build_data(&test, recipe, first, second);
    test.parameters[test.recipe->parameters - 1] =
        topk_mix(window->length, window->k, type + first);
    topk_emit(sink, &test);
}

static void zeros_of(struct topk_sink *sink, const struct window *window)
{
    for (uint32_t type = TOPK_TYPE_F32; type <= TOPK_TYPE_F16; type++) {
        for (uint32_t ties = 3; ties <= 4; ties++) { /* across the boundary, all */
            emit(sink, window, type, window->number + ties + type, "tied", ties, 2);
            emit(sink, window, type, window->number + ties + type + 1, "tied", ties, 2);
        }
    }
}

static void zeros(struct topk_sink *sink)
{
    windows(sink, zeros_of);
}

static void denormals_of(struct topk_sink *sink, const struct window *window)
{
    for (uint32_t type = TOPK_TYPE_F32; type <= TOPK_TYPE_F16; type++) {
        for (uint32_t mode = 1; mode <= 2; mode++) {
            uint32_t number = window->number + mode + type;
            emit(sink, window, type, mode, "close", number % 2, number / 2 % 3);
            emit(sink, window, type, mode, "denormals", 0, 0);
        }
    }
}

static void denormals(struct topk_sink *sink)
{
    windows(sink, denormals_of);
}

static void worst_of(struct topk_sink *sink, const struct window *window)
{
    for (uint32_t t = 0; t < TOPK_TYPE_COUNT; t++) {
        emit(sink, window, topk_types[t], window->number + t, "sentinels", window->number / 2 + t,
             0);
    }
}

static void worst(struct topk_sink *sink)
{
    windows(sink, worst_of);
}

static void order_of(struct topk_sink *sink, const struct window *window)
{
    static const uint32_t periods[] = {8, 4, 32, 16};
    uint32_t n = window->number;
    for (uint32_t i = 0; i < 2; i++) {
        emit(sink, window, topk_types[(n + 5 * i) % TOPK_TYPE_COUNT], n + i, "sorted", i, 0);
        emit(sink, window, topk_types[(n + 5 * i + 1) % TOPK_TYPE_COUNT], n + i, "nearly", i, 0);
        emit(sink, window, topk_types[(n + 5 * i + 2) % TOPK_TYPE_COUNT], n + i, "comb",
             periods[(n + i) % 4], 2 * i + n % 2);
        emit(sink, window, topk_types[(n + 5 * i + 3) % TOPK_TYPE_COUNT], n + i, "comb",
             periods[(n / 3 + i) % 4], 2 * i + (n + 1) % 2);
    }
    emit(sink, window, topk_types[(n + 4) % TOPK_TYPE_COUNT], n, "organ", n % 2, 0);
}

static void order(struct topk_sink *sink)
{
    windows(sink, order_of);
}

/* the one best element is one of the last three of the row */
static void last_of(struct topk_sink *sink, const struct window *window)
{
    struct topk_case test;
    topk_build_row(&test, (enum topk_mode)(window->number % TOPK_MODE_COUNT),
                   topk_types[window->number % TOPK_TYPE_COUNT], window->length, window->k);
    topk_build_data(&test, "walk", window->length - 1 - window->number % 3, 0);
    topk_emit(sink, &test);
}

static void last(struct topk_sink *sink)
{
    windows(sink, last_of);
}

static void close_of(struct topk_sink *sink, const struct window *window)
{
    static const uint32_t types[] = {TOPK_TYPE_F32, TOPK_TYPE_F16, TOPK_TYPE_U64,
                                     TOPK_TYPE_I64, TOPK_TYPE_U32, TOPK_TYPE_I32};
    for (uint32_t t = 0; t < COUNT(types); t++) {
        uint32_t number = window->number + t;
        emit(sink, window, types[t], number, "close", number % 4, number / 4 % 4);
        emit(sink, window, types[t], number + 1, "close", number / 2 % 2, number % 2);
    }
}

static void close(struct topk_sink *sink)
{
    windows(sink, close_of);
}

/* zeros of both signs tie in sequences beside one with a NaN (F02 leaves other sequences alone) */
static void beside_nan(struct topk_sink *sink)
{
    static const struct {
        uint32_t rows;
        uint32_t length;
    } shapes[] = {{2, 2}, {8, 2},  {9, 2},  {2, 3},   {3, 5},
                  {8, 8}, {2, 40}, {2, 65}, {3, 130}, {2, 300}};
    static const struct {
        uint32_t type;
        uint64_t minus;
        uint64_t nan;
    } floats[] = {{TOPK_TYPE_F32, 0x80000000, 0x7fc00000}, {TOPK_TYPE_F16, 0x8000, 0x7e00}};
    for (size_t s = 0; s < COUNT(shapes); s++) {
        for (uint32_t i = 0; i < 12; i++) {
            static uint64_t literal[600];
            const uint32_t sizes[] = {1, 1, shapes[s].rows, shapes[s].length};
            const uint32_t row = i / 4 == 1 ? shapes[s].rows - 1 : 0; /* that has the NaN */
            struct topk_case test;
            topk_build(&test, i % 2 ? TOPK_MODE_SMALLEST : (enum topk_mode)(i / 4 % 2),
                       floats[i / 2 % 2].type, 4, sizes, 3, i < 8 ? 1 : shapes[s].length / 2 + 1);
            test.literal = literal;
            test.literal_count = shapes[s].rows * shapes[s].length;
            for (uint32_t e = 0; e < test.literal_count; e++) {
                /* what a kernel that tells them apart would take comes second */
                bool minus = (e % shapes[s].length % 2 == 0) == (i % 2 == 0);
                literal[e] = minus ? floats[i / 2 % 2].minus : 0;
            }
            literal[row * shapes[s].length + i % shapes[s].length] = floats[i / 2 % 2].nan;
            topk_emit(sink, &test);
        }
    }
}

const struct topk_test topk_group_rows[] = {
    {"rows", "zeros", "zeros of both signs tie, in each window of length and K",
     .enumerate = zeros},
    {"rows", "denormals", "denormals decide, in each window", .enumerate = denormals},
    {"rows", "worst", "the worst values of a type are selected, in each window",
     .enumerate = worst},
    {"rows", "order", "rows that rise, fall, nearly do, or repeat, in each window",
     .enumerate = order},
    {"rows", "last", "the best element is one of the last, in each window", .enumerate = last},
    {"rows", "close", "neighbouring bit patterns decide, in each window", .enumerate = close},
    {"rows", "beside-nan", "zeros of both signs beside a sequence with a NaN",
     .enumerate = beside_nan},
    {0},
};
