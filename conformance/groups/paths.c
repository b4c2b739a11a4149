/* Paths: kernel libraries choose one not only by the length of a row and by K but by the stride of
 * Axis, by flags, by how many sequences there are and where they lie, and by what they find in the
 * data. Each such choice meets all types, and data that decide there. */
#include "group.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct call {
    uint32_t type;
    uint32_t rank;
    uint32_t sizes[4];
    uint32_t axis;
    uint32_t k;
};

static void build(struct topk_case *test, uint32_t mode, const struct call *call)
{
    topk_build(test, (enum topk_mode)(mode % TOPK_MODE_COUNT), call->type, call->rank, call->sizes,
               call->axis, call->k);
}

/* gives it data whose seed nothing else has, and hands it on */
static void emit(struct topk_sink *sink, struct topk_case *test, const char *recipe, uint64_t first,
                 uint64_t second)
{
    const struct topk_tensor *input = &test->op.tensors[TOPK_INPUT];
    topk_build_data(test, recipe, first, second);
    test->parameters[test->recipe->parameters - 1] =
        topk_mix(topk_tensor_elements(input), test->op.k + first, input->type);
    topk_emit(sink, test);
}

/* sequences on both sides of Axis, so that a place is found by division: every number of them */
static void middle(struct topk_sink *sink)
{
    static const uint32_t more[] = {150, 191, 200, 257, 300, 513, 1025};
    for (uint32_t i = 0; i < 140 + COUNT(more); i++) {
        uint32_t inner = i < 140 ? i + 1 : more[i - 140];
        uint32_t length = 2 + i % 5;
        uint32_t k = 1 + i / 5 % length;
        const struct call calls[] = {
            {topk_types[i % TOPK_TYPE_COUNT], 3, {3, length, inner}, 1, k},
            {topk_types[(i + 3) % TOPK_TYPE_COUNT], 3, {2, inner, length}, 2, k},
            {topk_types[(i + 6) % TOPK_TYPE_COUNT], 3, {length, 3, inner}, 0, k},
            {topk_types[(i + 9) % TOPK_TYPE_COUNT], 4, {2, length, inner, 2}, 1, k}};
        for (uint32_t c = 0; c < COUNT(calls); c++) {
            struct topk_case test;
            build(&test, i + c, &calls[c]);
            /* dimensions that cannot be taken for one */
            for (uint32_t role = 0; c > 0 && role < TOPK_ROLE_COUNT; role++) {
                topk_layout_apply(TOPK_LAYOUT_PADDED_ALL, &test.op.tensors[role]);
            }
            emit(sink, &test, "few", 9, 0);
        }
    }
}

/* more sequences than 16 bits count, in each dimension */
static void grids(struct topk_sink *sink)
{
    static const struct call calls[] = {
        {TOPK_TYPE_U8, 3, {65536, 2, 2}, 1, 1},     {TOPK_TYPE_U8, 3, {2, 2, 65537}, 1, 1},
        {TOPK_TYPE_F16, 3, {2, 65537, 2}, 0, 2},    {TOPK_TYPE_F16, 3, {65537, 2, 2}, 2, 1},
        {TOPK_TYPE_I32, 3, {2, 3, 65537}, 1, 2},    {TOPK_TYPE_U64, 2, {2, 65537}, 0, 1},
        {TOPK_TYPE_I64, 2, {65537, 2}, 1, 1},       {TOPK_TYPE_F32, 2, {65537, 4}, 1, 4},
        {TOPK_TYPE_U32, 2, {65537, 1}, 1, 1},       {TOPK_TYPE_I8, 2, {65537, 2}, 1, 2},
        {TOPK_TYPE_U16, 3, {1, 65537, 3}, 2, 2},    {TOPK_TYPE_I16, 3, {257, 256, 2}, 2, 1},
        {TOPK_TYPE_F32, 4, {129, 2, 3, 513}, 1, 1}, {TOPK_TYPE_U8, 2, {3, 66000}, 0, 3}};
    for (uint32_t c = 0; c < 2 * COUNT(calls); c++) {
        struct topk_case test;
        build(&test, c / 2 + c % 2, &calls[c / 2]);
        if (c % 2 != 0) {
            topk_build_wide_index(&test);
        }
        emit(sink, &test, "few", 9 - c % 2, 0);
    }
}

/* hundreds and thousands of short sequences, of every type, with either index */
static void counts(struct topk_sink *sink)
{
    static const uint32_t rows[] = {257, 300, 1025, 2050, 4099};
    static const struct {
        uint32_t length;
        uint32_t k;
    } shapes[] = {{1, 1}, {2, 2}, {2, 1}, {5, 4}, {3, 2}, {9, 9}};
    for (uint32_t r = 0; r < COUNT(rows); r++) {
        for (uint32_t t = 0; t < TOPK_TYPE_COUNT; t++) {
            for (uint32_t s = 0; s < COUNT(shapes); s++) {
                const bool first = (r + t + s) % 3 == 0; /* Axis is */
                const struct call call = {
                    topk_types[t],
                    2,
                    {first ? shapes[s].length : rows[r], first ? rows[r] : shapes[s].length},
                    first ? 0 : 1,
                    shapes[s].k};
                const bool special = topk_type_float(call.type) && s > 2;
                struct topk_case test;
                build(&test, r + t + s, &call);
                if ((r + t) % 2 == 0) {
                    topk_build_wide_index(&test);
                }
                emit(sink, &test, special ? r % 2 ? "zeros" : "nan" : "few", special ? 3 : 5, 0);
            }
        }
    }
}

/* what decides where elements are compared; the last rows are for floats */
static const struct {
    const char *recipe;
    uint64_t first;
} decisive[] = {{"hidden", 0},     {"hidden", 1},  {"hidden", 2}, {"hidden", 3},
                {"extremes", 0},   {"uniform", 0}, {"close", 0},  {"sentinels", 2},
                {"boundary", 0},   {"uneven", 6},  {"zeros", 0},  {"denormals", 0},
                {"infinities", 0}, {"nan", 2}};

static uint32_t decisive_count(uint32_t type)
{
    return topk_type_float(type) ? COUNT(decisive) : COUNT(decisive) - 4;
}

/* the same call with data of that row */
static void emit_decisive(struct topk_sink *sink, const struct topk_case *made, uint32_t row,
                          uint32_t number)
{
    struct topk_case test = *made;
    const bool close = decisive[row].recipe[0] == 'c';
    emit(sink, &test, decisive[row].recipe, close ? number % 4 : decisive[row].first,
         number / 4 % 3);
}

/* an axis whose elements do not lie side by side */
static void strided(struct topk_sink *sink)
{
    static const uint32_t lengths[] = {20, 33, 65, 130, 300, 1100, 2500};
    for (uint32_t t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (uint32_t n = 0; n < COUNT(lengths); n++) {
            for (uint32_t i = 0; i < 2; i++) {
                const uint32_t number = t + n + i;
                const bool last = number % 3 == 0; /* Axis is, and its stride is 2 or more */
                const uint32_t inner = last ? 1 : 2 + number % 2;
                const struct call call = {topk_types[t],
                                          2,
                                          {lengths[n], inner},
                                          0,
                                          i == 0 ? 1 + number % 3 : lengths[n] / 2};
                struct topk_case test;
                build(&test, n + i, &call);
                for (uint32_t role = 0; last && role < TOPK_ROLE_COUNT; role++) {
                    topk_layout_apply(TOPK_LAYOUT_PADDED_ALL, &test.op.tensors[role]);
                }
                for (uint32_t row = 0; row < decisive_count(call.type); row++) {
                    emit_decisive(sink, &test, row, number);
                }
            }
        }
    }
}

/* execution flags, with either index */
static void flags(struct topk_sink *sink)
{
    static const uint32_t lengths[] = {9, 100, 2500};
    for (uint32_t execution = 1; execution <= 3; execution++) {
        for (uint32_t t = 0; t < TOPK_TYPE_COUNT; t++) {
            for (uint32_t n = 0; n < COUNT(lengths); n++) {
                const uint32_t number = t + n + execution;
                const struct call call = {
                    topk_types[t], 2, {1 + n % 2, lengths[n]}, 1, 1 + lengths[n] / (2 + t % 3)};
                struct topk_case test;
                build(&test, number, &call);
                if (number % 2 == 0) {
                    topk_build_wide_index(&test);
                }
                test.op.execution = execution;
                for (uint32_t row = 0; row < decisive_count(call.type); row++) {
                    emit_decisive(sink, &test, row, number);
                }
            }
        }
    }
}

/* rows of many thousands, which are cut into parts */
static void cut(struct topk_sink *sink)
{
    static const uint32_t lengths[] = {8200, 20000, 70000};
    static const uint32_t ks[] = {1, 20, 3000};
    for (uint32_t t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (uint32_t n = 0; n < COUNT(lengths); n++) {
            for (uint32_t row = 0; row < decisive_count(topk_types[t]); row++) {
                const struct call call = {
                    topk_types[t], 1, {lengths[n]}, 0, ks[(t + n + row) % COUNT(ks)]};
                struct topk_case test;
                build(&test, t + row / 2, &call);
                emit_decisive(sink, &test, row, t + n);
            }
        }
    }
}

/* rows whose parts differ, in lengths that kernels like to cut them into */
static void tiles(struct topk_sink *sink)
{
    static const uint32_t lengths[] = {32, 256, 1024, 4096};
    for (uint32_t t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (uint32_t n = 0; n < COUNT(lengths); n++) {
            for (uint32_t kind = 0; kind < 4; kind++) {
                const uint32_t whole = 2 + (t + kind) % 5; /* and one element in an own part */
                const struct call call = {
                    topk_types[t], 1, {lengths[n] * whole + 1}, 0, kind % 2 == 0 ? 20 : 1};
                struct topk_case test;
                build(&test, t + n + kind / 2, &call);
                emit(sink, &test, "tiles", lengths[n], kind);
                build(&test, t + n + kind / 2 + 1, &call);
                emit(sink, &test, "tiles", lengths[n], kind);
            }
        }
    }
    for (uint32_t t = 0; t < TOPK_TYPE_COUNT; t++) {
        struct call call = {topk_types[t], 1, {65536 * (2 + t % 5) + 1}, 0, 1};
        struct topk_case test;
        build(&test, t, &call);
        emit(sink, &test, "tiles", 65536, 1);
        /* the one best element is the last one, or in the last whole part */
        call.k = 1 + t % 2 * 99;
        build(&test, t + 1, &call);
        topk_build_data(&test, "walk", call.sizes[0] - 1 - t / 2 * 5000, 0);
        topk_emit(sink, &test);
    }
}

/* more equal elements than 16 bits count, on both sides of K */
static void equal(struct topk_sink *sink)
{
    for (uint32_t t = 0; t < TOPK_TYPE_COUNT; t++) {
        const struct call call = {topk_types[t], 1, {140000}, 0, t % 2 == 0 ? 140000 : 70001};
        struct topk_case test;
        build(&test, t, &call);
        emit(sink, &test, "few", 2, 0);
    }
}

/* sequences of one call that differ in kind: what is found out about one holds for no other */
static void uneven(struct topk_sink *sink)
{
    static const uint32_t lengths[] = {5, 40, 300, 1100};
    for (uint32_t first = 0; first < 90; first++) {
        for (uint32_t n = 0; n < COUNT(lengths); n++) {
            const uint32_t type = topk_types[(first + 3 * n + first / 10) % TOPK_TYPE_COUNT];
            const struct call call = {
                type, 2, {2 + first % 2, lengths[n]}, 1, 1 + (first * 7 + n) % (lengths[n] / 2)};
            struct topk_case test;
            build(&test, first + n, &call);
            emit(sink, &test, "uneven", first, 0);
        }
    }
    for (uint32_t t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (uint32_t first = 0; first < 10; first++) {
            const uint32_t length = lengths[(t + first) % COUNT(lengths)];
            const uint32_t rows = first % 3 == 0 ? 300 : 11;
            const struct call call = {
                topk_types[t],
                2,
                {first % 2 != 0 ? length : rows, first % 2 != 0 ? rows : length},
                1 - first % 2,
                first < 5 ? 1 + first : (length + 1) / 2};
            struct topk_case test;
            build(&test, t + first, &call);
            emit(sink, &test, "uneven", first * 11 % 90, 0);
        }
    }
}

/* nothing but NaN, or little else */
static void all_nan(struct topk_sink *sink)
{
    static const uint32_t lengths[] = {1, 2, 33, 65, 130, 300, 1025, 2049};
    for (uint32_t type = TOPK_TYPE_F32; type <= TOPK_TYPE_F16; type++) {
        for (uint32_t n = 0; n < COUNT(lengths); n++) {
            const uint32_t ks[] = {1, (lengths[n] + 1) / 2, lengths[n]};
            for (uint32_t k = 0; k < (n == 0 ? 1 : n == 1 ? 2 : 3); k++) {
                for (uint64_t kind = 1; kind < 4; kind++) {
                    const struct call call = {
                        type, 2, {1 + (n + k) % 3, lengths[n]}, 1, n == 1 ? k + 1 : ks[k]};
                    struct topk_case test;
                    build(&test, n + k + (uint32_t)kind, &call);
                    topk_build_data(&test, "nan", kind, topk_mix(type, n, k));
                    test.recipe = topk_recipe_find("nan", 3, 2);
                    topk_emit(sink, &test);
                }
            }
        }
    }
}

const struct topk_test topk_group_paths[] = {
    {"paths", "middle", "every number of sequences on both sides of Axis", .enumerate = middle},
    {"paths", "grids", "more than 65,535 sequences, in each dimension", .enumerate = grids},
    {"paths", "counts", "hundreds and thousands of short sequences", .enumerate = counts},
    {"paths", "strided", "a strided axis, with what decides in each type", .enumerate = strided},
    {"paths", "flags", "execution flags, with what decides in each type", .enumerate = flags},
    {"paths", "cut", "rows of many thousands, with what decides in each type", .enumerate = cut},
    {"paths", "tiles", "rows whose parts differ in kind", .enumerate = tiles},
    {"paths", "equal", "more equal elements than 16 bits count", .enumerate = equal},
    {"paths", "uneven", "sequences of one call that differ in kind", .enumerate = uneven},
    {"paths", "all-nan", "sequences of nothing but NaN, or little else", .enumerate = all_nan},
    {0},
};
