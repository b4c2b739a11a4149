/* Reach: the code paths that kernels choose by size, with everything else that can vary put on
 * them. The other groups vary one thing on small shapes; here long axes meet other axes, several
 * sequences, every type, layouts, levels, special values and wide indices. */
#include "group.h"

struct shape {
    uint32_t rank;
    uint32_t sizes[5];
    uint32_t axis;
    uint32_t k;
};

static void emit(struct topk_sink *sink, enum topk_mode mode, uint32_t type,
                 const struct shape *shape, const char *recipe, uint64_t first)
{
    struct topk_case test;
    uint64_t seed = topk_mix(type + first, shape->sizes[shape->axis], shape->k);
    topk_build(&test, mode, type, shape->rank, shape->sizes, shape->axis, shape->k);
    if ((shape->k + shape->rank + type) % 2 == 0) {
        topk_build_wide_index(&test);
    }
    topk_build_data(&test, recipe, first, seed);
    if (test.recipe->parameters == 1) {
        test.parameters[0] = seed;
    }
    topk_emit(sink, &test);
}

static enum topk_mode mode_of(uint32_t number)
{
    return (enum topk_mode)(number % TOPK_MODE_COUNT);
}

/* long axes that are not the last */
static void axes(struct topk_sink *sink)
{
    static const uint32_t lengths[] = {12,  16,  17,  24,  31,  33,  48,   63,   65,  96,
                                       127, 130, 257, 400, 513, 800, 1025, 2049, 3000};
    static const uint32_t types[] = {TOPK_TYPE_F32, TOPK_TYPE_U8, TOPK_TYPE_I64, TOPK_TYPE_F16};
    for (uint32_t n = 0; n < sizeof lengths / sizeof lengths[0]; n++) {
        uint32_t length = lengths[n];
        const uint32_t ks[] = {1, 7, 17, length / 2, length - 1, length};
        for (uint32_t k = 0; k < 6; k++) {
            const struct shape shapes[] = {{2, {length, 5}, 0, ks[k]},
                                           {3, {3, length, 5}, 1, ks[k]},
                                           {4, {2, length, 1, 9}, 1, ks[k]}};
            if (ks[k] <= length) {
                emit(sink, mode_of(n + k), types[(n + k) % 4], &shapes[(n + k) % 3],
                     k % 2 ? "boundary" : "few", 7);
                emit(sink, mode_of(n + k + 1), types[(n + k / 2) % 4], &shapes[(n + k + 1) % 3],
                     "few", 3);
            }
        }
    }
}

/* long axes of many sequences */
static void batches(struct topk_sink *sink)
{
    static const uint32_t rows[] = {2, 5, 33, 97};
    static const uint32_t lengths[] = {17, 40, 64, 130, 300, 1025, 2049, 4097};
    for (uint32_t r = 0; r < 4; r++) {
        for (uint32_t n = 0; n < 8; n++) {
            const uint32_t ks[] = {1, 8, 100, lengths[n] / 2};
            for (uint32_t k = 0; k < 4; k++) {
                struct shape shape = {2, {rows[r], lengths[n]}, 1, ks[k]};
                if (ks[k] <= lengths[n]) {
                    uint32_t type = topk_types[(r + n * 3 + k) % TOPK_TYPE_COUNT];
                    emit(sink, mode_of(r + n + k), type, &shape, "boundary", 0);
                    emit(sink, mode_of(r + n + k + 1), TOPK_TYPE_F32, &shape, "few", 9);
                }
            }
        }
    }
}

/* every type on long rows, with ties and without */
static void types(struct topk_sink *sink)
{
    static const struct shape shapes[] = {{2, {2, 520}, 1, 65},    {1, {1100}, 0, 257},
                                          {2, {3, 1100}, 1, 1025}, {2, {1, 2500}, 1, 1},
                                          {1, {2500}, 0, 2000},    {2, {2, 1300}, 1, 192},
                                          {1, {70000}, 0, 100},    {1, {6000}, 0, 4097},
                                          {2, {1, 3500}, 1, 700},  {4, {1, 1, 2, 1100}, 3, 40}};
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (uint32_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
            for (uint32_t mode = 0; mode < TOPK_MODE_COUNT; mode++) {
                emit(sink, (enum topk_mode)mode, topk_types[t], &shapes[s], "few", 40);
                emit(sink, (enum topk_mode)mode, topk_types[t], &shapes[s], "uniform", 0);
            }
            emit(sink, mode_of(s), topk_types[t], &shapes[s], "extremes", 0);
            for (uint64_t kind = 0; kind < 4; kind++) {
                emit(sink, mode_of(s + (uint32_t)kind), topk_types[t], &shapes[s], "hidden", kind);
                emit(sink, mode_of(s + (uint32_t)kind), topk_types[t], &shapes[s], "sentinels",
                     kind);
            }
        }
    }
}

/* lengths and K between the powers of two, and beyond those of group sizes */
static void between(struct topk_sink *sink)
{
    static const uint32_t lengths[] = {1500,  2700,  3000,  3900,  5000,   6000,   7500,  10000,
                                       12289, 20000, 40000, 60000, 100000, 200003, 262144};
    static const uint32_t ks[] = {1,   10,   50,   140,  200,  250,  600,
                                  700, 1000, 1500, 3000, 4095, 4097, 10000};
    static const char *const recipes[] = {"few", "boundary", "uniform"};
    for (uint32_t n = 0; n < sizeof lengths / sizeof lengths[0]; n++) {
        for (uint32_t k = n % 2; k < sizeof ks / sizeof ks[0]; k += 2) {
            struct shape shape = {1 + n % 3, {1, 1, 1}, n % 3, ks[k]};
            shape.sizes[shape.axis] = lengths[n];
            if (ks[k] <= lengths[n]) {
                emit(sink, mode_of(n + k / 2), n % 2 ? TOPK_TYPE_F32 : topk_types[k % 10], &shape,
                     recipes[(n + k / 2) % 3], 1000);
            }
        }
    }
}

/* more equal values, or equal top bits, than a buffer of candidates holds */
static void buckets(struct topk_sink *sink)
{
    static const uint32_t lengths[] = {5000, 10000, 20000};
    static const uint32_t ks[] = {1, 100, 2048};
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (uint32_t n = 0; n < 3; n++) {
            for (uint32_t k = 0; k < 3; k++) {
                struct shape shape = {2, {1, lengths[n]}, 1, ks[k]};
                enum topk_mode mode = mode_of(n + k + (uint32_t)t);
                emit(sink, mode, topk_types[t], &shape, "hidden", 1);
                emit(sink, mode, topk_types[t], &shape, "hidden", 3);
                emit(sink, mode, topk_types[t], &shape, "few", 1);
                emit(sink, mode, topk_types[t], &shape, "boundary", 0);
            }
        }
    }
    struct shape huge = {1, {262144}, 0, 2048};
    emit(sink, TOPK_MODE_LARGEST, TOPK_TYPE_F32, &huge, "hidden", 3);
    emit(sink, TOPK_MODE_SMALLEST, TOPK_TYPE_U32, &huge, "hidden", 1);
}

/* special values of floats beyond the small rows of group floats */
static void floats(struct topk_sink *sink)
{
    static const char *const recipes[] = {"zeros", "infinities", "denormals", "nan"};
    static const struct shape shapes[] = {
        {2, {2, 8}, 1, 8},          {2, {2, 16}, 1, 8},     {1, {16}, 0, 16},
        {2, {3, 32}, 1, 16},        {2, {3, 64}, 1, 1},     {2, {2, 65}, 1, 40},
        {1, {128}, 0, 128},         {2, {2, 257}, 1, 100},  {2, {2, 1024}, 1, 16},
        {2, {2, 1024}, 1, 1024},    {2, {1, 1025}, 1, 1},   {2, {2, 1100}, 1, 300},
        {1, {2048}, 0, 2048},       {2, {1, 2049}, 1, 500}, {1, {5000}, 0, 100},
        {1, {5000}, 0, 5000},       {2, {33, 5}, 0, 9},     {2, {300, 3}, 0, 70},
        {3, {2, 64, 3}, 1, 20},     {2, {65, 12}, 1, 5},    {1, {7}, 0, 3},
        {5, {1, 2, 1, 20, 2}, 3, 7}};
    for (uint32_t type = TOPK_TYPE_F32; type <= TOPK_TYPE_F16; type++) {
        for (uint32_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
            for (uint32_t r = 0; r < 4; r++) {
                emit(sink, mode_of(s + r), type, &shapes[s], recipes[r], 1 + s % 2);
                emit(sink, mode_of(s + r + 1), type, &shapes[s], recipes[r], 1 + s % 2);
            }
        }
    }
}

/* the levels below 5.0, where kernels of their own may serve */
static void levels(struct topk_sink *sink)
{
    static const struct shape shapes[] = {{4, {1, 2, 3, 33}, 3, 9},
                                          {4, {2, 33, 1, 3}, 1, 17},
                                          {4, {1, 1, 2, 1025}, 3, 100},
                                          {4, {12, 1, 2, 2}, 0, 12},
                                          {4, {1, 3, 40, 2}, 2, 39}};
    for (int l = 0; l < TOPK_LEVEL_COUNT - 1; l++) {
        for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
            for (int mode = 0; mode < TOPK_MODE_COUNT; mode++) {
                for (uint32_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
                    struct topk_case test;
                    topk_build(&test, (enum topk_mode)mode, topk_types[t], 4, shapes[s].sizes,
                               shapes[s].axis, shapes[s].k);
                    test.op.level = topk_levels[l];
                    bool zeros = s == 3 && topk_type_float(topk_types[t]);
                    topk_build_data(&test, zeros ? "zeros" : "few", zeros ? (uint64_t)l : 7,
                                    topk_mix((uint64_t)l, (uint64_t)t, s));
                    if (topk_operator_least_level(&test.op) <= test.op.level) {
                        topk_emit(sink, &test);
                    }
                }
            }
        }
    }
}

/* layouts of long rows, with offsets */
static void layouts(struct topk_sink *sink)
{
    static const enum topk_layout input_layouts[] = {
        TOPK_LAYOUT_PADDED_ROW, TOPK_LAYOUT_PADDED_ALL, TOPK_LAYOUT_INTERLEAVED,
        TOPK_LAYOUT_REVERSED,   TOPK_LAYOUT_SCATTERED,  TOPK_LAYOUT_BROADCAST_LAST,
        TOPK_LAYOUT_SIZE_ONE,   TOPK_LAYOUT_ROTATED,    TOPK_LAYOUT_WINDOWS};
    static const uint32_t lengths[] = {40, 100, 300, 1025};
    static const uint32_t types_used[] = {TOPK_TYPE_F32, TOPK_TYPE_F16, TOPK_TYPE_I64,
                                          TOPK_TYPE_U8};
    static const uint64_t offsets[] = {0, 16, 48, 4112, 65552};
    for (uint32_t l = 0; l < sizeof input_layouts / sizeof input_layouts[0]; l++) {
        for (uint32_t n = 0; n < 4; n++) {
            for (uint32_t roles = 1; roles < 8; roles += roles == 1 ? 5 : 1) {
                for (uint32_t axis = 1; axis < 4; axis += 2) {
                    uint32_t sizes[] = {2, 3, 1, 3};
                    sizes[axis] = lengths[n];
                    struct topk_case test;
                    topk_build(&test, mode_of(l + n + axis), types_used[(l + n + roles) % 4], 4,
                               sizes, axis, lengths[n] / 2);
                    if ((l + n + roles) % 3 == 0) {
                        topk_build_wide_index(&test);
                    }
                    for (uint32_t role = 0; role < TOPK_ROLE_COUNT; role++) {
                        bool fits = role == TOPK_INPUT || !topk_layout_input_only(input_layouts[l]);
                        if (roles >> role & 1 && fits) {
                            topk_layout_apply(input_layouts[l], &test.op.tensors[role]);
                        }
                        test.offset[role] = offsets[(l + n + role + axis) % 5];
                    }
                    topk_build_data(&test, "few", 20, topk_mix(l, n, roles));
                    topk_emit(sink, &test);
                }
            }
        }
    }
    /* a stride of more than 16 bits */
    for (uint32_t mode = 0; mode < TOPK_MODE_COUNT; mode++) {
        static const uint32_t sizes[] = {3, 40};
        struct topk_case test;
        topk_build(&test, (enum topk_mode)mode, TOPK_TYPE_F16, 2, sizes, 1, 13);
        test.op.tensors[TOPK_INPUT].strided = true;
        test.op.tensors[TOPK_INPUT].strides[0] = 70001;
        test.op.tensors[TOPK_INPUT].strides[1] = mode == 0 ? 1 : 1601;
        test.op.tensors[TOPK_INPUT].total_bytes =
            topk_tensor_least_bytes(&test.op.tensors[TOPK_INPUT]);
        topk_build_data(&test, "few", 11, mode);
        topk_emit(sink, &test);
    }
}

static void execution(struct topk_sink *sink)
{
    static const struct shape shapes[] = {
        {2, {2, 33}, 1, 20}, {2, {3, 300}, 1, 100}, {1, {1100}, 0, 40}, {2, {50, 4}, 0, 25}};
    for (uint32_t flags = 1; flags < 8; flags++) {
        for (uint32_t s = 0; s < 4; s++) {
            for (int t = 0; t < TOPK_TYPE_COUNT; t += 1 + (int)(s % 2)) {
                struct topk_case test;
                topk_build(&test, mode_of(flags + s), topk_types[t], shapes[s].rank,
                           shapes[s].sizes, shapes[s].axis, shapes[s].k);
                test.op.execution = flags;
                bool zeros = topk_type_float(topk_types[t]) && s % 2 == 1;
                topk_build_data(&test, zeros ? "zeros" : "few", zeros ? flags : 9, flags);
                topk_emit(sink, &test);
            }
        }
    }
}

/* many sequences of several types and either axis, and repetition of large calls */
static void many(struct topk_sink *sink)
{
    static const struct {
        uint32_t type;
        struct shape shape;
        const char *recipe;
        enum topk_check check;
    } rows[] = {{TOPK_TYPE_F32, {2, {70000, 5}, 1, 2}, "few", TOPK_CHECK_NONE},
                {TOPK_TYPE_F32, {2, {5, 70000}, 0, 3}, "few", TOPK_CHECK_NONE},
                {TOPK_TYPE_U8, {2, {3, 65537}, 0, 2}, "few", TOPK_CHECK_NONE},
                {TOPK_TYPE_F32, {2, {131073, 2}, 1, 1}, "few", TOPK_CHECK_NONE},
                {TOPK_TYPE_F32, {2, {40, 30000}, 1, 5}, "few", TOPK_CHECK_NONE},
                {TOPK_TYPE_I64, {3, {300, 6, 40}, 1, 4}, "few", TOPK_CHECK_NONE},
                {TOPK_TYPE_F32, {2, {5, 7175}, 1, 5}, "uniform", TOPK_CHECK_REPEAT},
                {TOPK_TYPE_F32, {2, {1, 2500}, 1, 12}, "few", TOPK_CHECK_REPEAT},
                {TOPK_TYPE_U32, {1, {20000}, 0, 10}, "few", TOPK_CHECK_REPEAT},
                {TOPK_TYPE_F16, {2, {2, 1500}, 1, 300}, "boundary", TOPK_CHECK_ROW},
                {TOPK_TYPE_F32, {2, {6, 1100}, 1, 64}, "few", TOPK_CHECK_ROW},
                {TOPK_TYPE_I32, {2, {3, 900}, 0, 3}, "few", TOPK_CHECK_ROW},
                {TOPK_TYPE_F32, {1, {3000}, 0, 1025}, "few", TOPK_CHECK_PREFIX},
                {TOPK_TYPE_F32, {1, {3000}, 0, 129}, "few", TOPK_CHECK_PREFIX}};
    for (uint32_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct topk_case test;
        const struct shape *shape = &rows[r].shape;
        topk_build(&test, r % 2 ? TOPK_MODE_SMALLEST : TOPK_MODE_LARGEST, rows[r].type, shape->rank,
                   shape->sizes, shape->axis, shape->k);
        bool few = rows[r].recipe[0] == 'f';
        topk_build_data(&test, rows[r].recipe, few ? 30 : r, r);
        test.check = rows[r].check;
        topk_emit(sink, &test);
    }
}

/* numbers of sequences and lengths that are no powers of two and next to none, either axis */
static void rows(struct topk_sink *sink)
{
    static const uint32_t counts[] = {5,  6,  7,  9,   10,  11,  12,  13,
                                      14, 25, 50, 100, 130, 300, 700, 1000};
    static const uint32_t lengths[] = {11, 24, 33, 70, 150, 300, 600, 1100};
    for (uint32_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        for (uint32_t axis = 0; axis < 2; axis++) {
            const uint32_t length = lengths[(c * 3 + axis) % 8] / (counts[c] > 500 ? 4 : 1) + 3;
            const uint32_t sizes[] = {axis == 0 ? length : counts[c],
                                      axis == 0 ? counts[c] : length};
            const uint32_t type = topk_types[(c * 3 + axis) % TOPK_TYPE_COUNT];
            struct topk_case test;
            topk_build(&test, mode_of(c + axis), type, 2, sizes, axis, 1 + (c * 7) % length % 40);
            if (c % 2 == 0) {
                topk_build_wide_index(&test);
            }
            test.op.execution = (c + axis) % 8;
            for (uint32_t role = 0; role < TOPK_ROLE_COUNT; role++) {
                test.offset[role] = (uint64_t)16 * ((c * (role + 1) + axis) % 9);
            }
            topk_build_data(&test, "few", length / 4, topk_mix(type, counts[c], axis));
            topk_emit(sink, &test);
        }
    }
}

/* longer rows in every rank; a cube, whose axes differ in nothing but their number */
static void ranks(struct topk_sink *sink)
{
    for (uint32_t rank = 1; rank <= TOPK_RANK_VALID; rank++) {
        for (uint32_t axis = 0; axis < rank; axis++) {
            uint32_t sizes[TOPK_RANK_VALID];
            for (uint32_t d = 0; d < rank; d++) {
                sizes[d] = d == axis ? 33 : 1 + (d + axis) % 2;
            }
            struct topk_case test;
            topk_build(&test, mode_of(rank + axis), topk_types[(rank * 3 + axis) % TOPK_TYPE_COUNT],
                       rank, sizes, axis, 17);
            topk_build_data(&test, "few", 12, topk_mix(rank, axis, 17));
            topk_emit(sink, &test);
        }
    }
    for (uint32_t rank = 2; rank <= 4; rank++) {
        for (uint32_t axis = 0; axis < rank; axis++) {
            static const uint32_t cube[] = {4, 4, 4, 4};
            struct topk_case test;
            topk_build(&test, TOPK_MODE_LARGEST, TOPK_TYPE_F32, rank, cube, axis, 4);
            topk_build_data(&test, "few", 5, 1);
            topk_emit(sink, &test);
        }
    }
}

const struct topk_test topk_group_reach[] = {
    {"reach", "axes", "long axes that are not the last", .enumerate = axes},
    {"reach", "batches", "long axes of many sequences", .enumerate = batches},
    {"reach", "types", "every type on long rows", .enumerate = types},
    {"reach", "between", "lengths and K between the powers of two", .enumerate = between},
    {"reach", "buckets", "thousands of equal values or equal top bits", .enumerate = buckets},
    {"reach", "floats", "zeros, infinities, denormals and NaN on all kinds of shapes",
     .enumerate = floats},
    {"reach", "levels", "longer rows at the levels below 5.0", .enumerate = levels},
    {"reach", "layouts", "layouts and offsets of longer rows", .enumerate = layouts},
    {"reach", "execution", "execution flags on longer rows", .enumerate = execution},
    {"reach", "many", "many sequences, and relations of large calls", .enumerate = many},
    {"reach", "rows", "odd numbers of sequences, with flags and offsets", .enumerate = rows},
    {"reach", "ranks", "longer rows in every rank and axis", .enumerate = ranks},
    {0},
};
