/* Relations between calls that the clauses promise, see check.def. */
#include "build.h"

#define SHAPES 6

static void emit_relation(struct topk_sink *sink, enum topk_check check, uint32_t type,
                          enum topk_mode mode, int shape)
{
    static const struct {
        uint32_t rank;
        uint32_t sizes[5];
        uint32_t axis;
        uint32_t k;
        enum topk_layout layout;
        const char *recipe;
    } shapes[SHAPES] = {{1, {13}, 0, 6, TOPK_LAYOUT_PACKED, "few"},
                        {3, {2, 6, 3}, 1, 3, TOPK_LAYOUT_SCATTERED, "few"},
                        {2, {4, 20}, 1, 20, TOPK_LAYOUT_PADDED_ROW, "few"},
                        {4, {3, 1, 2, 300}, 3, 33, TOPK_LAYOUT_PACKED, "boundary"},
                        {5, {9, 2, 1, 2, 2}, 0, 5, TOPK_LAYOUT_REVERSED, "uniform"},
                        /* what F04 leaves open may not change from call to call */
                        {2, {2, 40}, 1, 20, TOPK_LAYOUT_PADDED_ROW, "denormals"}};
    struct topk_case test;
    topk_build(&test, mode, type, shapes[shape].rank, shapes[shape].sizes, shapes[shape].axis,
               shapes[shape].k);
    if (shape % 2) {
        topk_build_wide_index(&test);
    }
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        topk_layout_apply(shapes[shape].layout, &test.op.tensors[role]);
    }
    topk_build_data(&test, shapes[shape].recipe, 4, topk_mix(type, mode, (uint64_t)shape));
    test.check = check;
    topk_emit(sink, &test);
}

static void spread(struct topk_sink *sink, enum topk_check check)
{
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (int shape = 0; shape < SHAPES; shape++) {
            for (int mode = 0; mode < TOPK_MODE_COUNT; mode++) {
                /* TOP_K1 with INCREASING has no twin */
                if (check != TOPK_CHECK_TWIN || mode != TOPK_MODE_SMALLEST) {
                    emit_relation(sink, check, topk_types[t], (enum topk_mode)mode, shape);
                }
            }
        }
    }
}

#define RELATION(name, check)                                                                      \
    static void name(struct topk_sink *sink)                                                       \
    {                                                                                              \
        spread(sink, check);                                                                       \
    }
RELATION(repeat, TOPK_CHECK_REPEAT)
RELATION(twin, TOPK_CHECK_TWIN)
RELATION(prefix, TOPK_CHECK_PREFIX)
RELATION(row, TOPK_CHECK_ROW)
RELATION(flags, TOPK_CHECK_FLAGS)
RELATION(padding, TOPK_CHECK_PADDING)
RELATION(offset, TOPK_CHECK_OFFSET)

const struct topk_test topk_group_relations[] = {
    {"relations", "repeat", "the same call gives the same bytes", repeat, NULL, NULL},
    {"relations", "twin", "TOP_K equals TOP_K1 with DECREASING", twin, NULL, NULL},
    {"relations", "prefix", "the result for K-1 is a prefix", prefix, NULL, NULL},
    {"relations", "row", "a sequence alone gives what it gives in a batch", row, NULL, NULL},
    {"relations", "flags", "execution flags change nothing", flags, NULL, NULL},
    {"relations", "padding", "input padding changes nothing", padding, NULL, NULL},
    {"relations", "offset", "offset and alignment change nothing", offset, NULL, NULL},
    {0},
};
