/* Relations between calls that the clauses promise, see check.def. */
#include <string.h>

#include "check.h"
#include "group.h"

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

/* ---- of what has the same result in another form ------------------------------------------------
 */

/* a call to be asked in another form */
struct form {
    uint32_t rank;
    uint32_t sizes[5];
    uint32_t axis;
    uint32_t k;
    enum topk_layout layout;
    const char *recipe;
    uint64_t parameter;
    uint32_t execution;
};

static const struct form forms[] = {
    {1, {13}, 0, 6, TOPK_LAYOUT_PACKED, "few", 4, 0},
    {3, {2, 7, 3}, 1, 4, TOPK_LAYOUT_SCATTERED, "boundary", 0, 0},
    {4, {3, 1, 2, 300}, 3, 33, TOPK_LAYOUT_PACKED, "few", 40, 0},
    {5, {9, 2, 1, 2, 2}, 0, 5, TOPK_LAYOUT_REVERSED, "uniform", 0, 0},
    {2, {4, 20}, 1, 20, TOPK_LAYOUT_PADDED_ROW, "zeros", 0, 0},
    {3, {3, 16, 2}, 1, 7, TOPK_LAYOUT_PACKED, "extremes", 0, 0},
    /* what the clauses leave open may differ from call to call: F04, F02, F06 */
    {2, {2, 40}, 1, 20, TOPK_LAYOUT_PACKED, "denormals", 0, 0},
    {3, {4, 1, 12}, 2, 5, TOPK_LAYOUT_PACKED, "nan", 2, 0},
    {2, {3, 64}, 1, 20, TOPK_LAYOUT_PACKED, "hidden", 2, TOPK_EXECUTION_HALF},
    {2, {3, 64}, 1, 20, TOPK_LAYOUT_PACKED, "few", 9, TOPK_EXECUTION_HALF},
};
#define FORMS ((int)(sizeof forms / sizeof forms[0]))

/* a case of a form, if the check asks anything of it */
static void emit_form(struct topk_sink *sink, enum topk_check check, uint32_t type,
                      enum topk_mode mode, const struct form *form, uint64_t seed, uint32_t flags)
{
    struct topk_case test;
    topk_build(&test, mode, type, form->rank, form->sizes, form->axis, form->k);
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        topk_layout_apply(form->layout, &test.op.tensors[role]);
    }
    const struct topk_recipe *recipe = topk_recipe_find(form->recipe, strlen(form->recipe), 1);
    bool seed_only = recipe->parameters == 1;
    topk_build_data(&test, form->recipe, seed_only ? seed : form->parameter, seed_only ? 0 : seed);
    test.op.execution = form->execution;
    test.op.tensors[TOPK_INPUT].flags = flags;
    test.check = check;
    test.op.level = topk_check_level(&test);
    if (topk_check_applies(&test)) {
        topk_emit(sink, &test);
    }
}

static void spread_forms(struct topk_sink *sink, enum topk_check check)
{
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (int f = 0; f < FORMS; f++) {
            for (int mode = 0; mode < TOPK_MODE_COUNT; mode++) {
                uint64_t seed = topk_mix(topk_types[t], (uint64_t)mode, (uint64_t)f);
                if (forms[f].execution == 0 || topk_types[t] == TOPK_TYPE_F32) {
                    emit_form(sink, check, topk_types[t], (enum topk_mode)mode, &forms[f], seed, 0);
                }
            }
        }
    }
}

/* the relations above where computing by FLOAT16 is allowed: values that collide, and whole numbers
 */
static void half(struct topk_sink *sink)
{
    static const enum topk_check checks[] = {
        TOPK_CHECK_REPEAT, TOPK_CHECK_TWIN,    TOPK_CHECK_PREFIX, TOPK_CHECK_ROW,
        TOPK_CHECK_FLAGS,  TOPK_CHECK_PADDING, TOPK_CHECK_OFFSET};
    for (size_t c = 0; c < sizeof checks / sizeof checks[0]; c++) {
        for (int mode = 0; mode < TOPK_MODE_COUNT; mode++) {
            for (int f = FORMS - 2; f < FORMS; f++) {
                emit_form(sink, checks[c], TOPK_TYPE_F32, (enum topk_mode)mode, &forms[f],
                          topk_mix(c, (uint64_t)mode, (uint64_t)f), 0);
            }
        }
    }
}

/* ---- of the same call among others --------------------------------------------------------------
 */

static void spread_calls(struct topk_sink *sink, enum topk_check check)
{
    static const struct form calls[] = {
        {1, {13}, 0, 6, TOPK_LAYOUT_PACKED, "few", 4, 0},
        {2, {5, 300}, 1, 40, TOPK_LAYOUT_PADDED_ROW, "boundary", 0, 0},
        {3, {2, 9, 3}, 1, 4, TOPK_LAYOUT_PACKED, "nan", 1, 0},
    };
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (int c = 0; c < 3; c++) {
            enum topk_mode mode = (enum topk_mode)((t + c) % TOPK_MODE_COUNT);
            emit_form(sink, check, topk_types[t], mode, &calls[c],
                      topk_mix(topk_types[t], (uint64_t)check, (uint64_t)c), 0);
        }
    }
}

/* few: each is a hundred calls */
static void soak(struct topk_sink *sink)
{
    static const struct form calls[] = {
        {1, {2000}, 0, 100, TOPK_LAYOUT_PACKED, "few", 50, 0},
        {2, {6, 129}, 1, 64, TOPK_LAYOUT_PADDED_ROW, "boundary", 0, 0},
    };
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        emit_form(sink, TOPK_CHECK_SOAK, topk_types[t], (enum topk_mode)(t % TOPK_MODE_COUNT),
                  &calls[t % 2], topk_mix(topk_types[t], 0, 0), 0);
    }
}

/* what a tensor that is owned holds may be kept, but for no other call: each check calls again with
 * other elements, or among other calls */
static void owned(struct topk_sink *sink)
{
    static const enum topk_check checks[] = {
        TOPK_CHECK_REPEAT, TOPK_CHECK_PREFIX, TOPK_CHECK_PADDING,  TOPK_CHECK_PERMUTE,
        TOPK_CHECK_DUAL,   TOPK_CHECK_AFTER,  TOPK_CHECK_MONOTONE, TOPK_CHECK_CONCURRENT};
    for (size_t c = 0; c < sizeof checks / sizeof checks[0]; c++) {
        for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
            const struct form *form = &forms[((int)c + t) % 5];
            const enum topk_mode mode = (enum topk_mode)((t + (int)c) % TOPK_MODE_COUNT);
            emit_form(sink, checks[c], topk_types[t], mode, form, topk_mix(c, (uint64_t)t, 0),
                      TOPK_TENSOR_FLAG_OWNED);
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

#define FORM(name, check)                                                                          \
    static void name(struct topk_sink *sink)                                                       \
    {                                                                                              \
        spread_forms(sink, check);                                                                 \
    }
FORM(layout, TOPK_CHECK_LAYOUT)
FORM(axes, TOPK_CHECK_AXES)
FORM(permute, TOPK_CHECK_PERMUTE)
FORM(dual, TOPK_CHECK_DUAL)
FORM(monotone, TOPK_CHECK_MONOTONE)
FORM(widen, TOPK_CHECK_WIDEN)

static void after(struct topk_sink *sink)
{
    spread_calls(sink, TOPK_CHECK_AFTER);
}

static void concurrent(struct topk_sink *sink)
{
    spread_calls(sink, TOPK_CHECK_CONCURRENT);
}

const struct topk_test topk_group_relations[] = {
    {"relations", "repeat", "the same call gives the same bytes", .enumerate = repeat},
    {"relations", "twin", "TOP_K equals TOP_K1 with DECREASING", .enumerate = twin},
    {"relations", "prefix", "the result for K-1 is a prefix", .enumerate = prefix},
    {"relations", "row", "a sequence alone gives what it gives in a batch", .enumerate = row},
    {"relations", "flags", "execution flags change nothing", .enumerate = flags},
    {"relations", "padding", "input padding changes nothing", .enumerate = padding},
    {"relations", "offset", "offset and alignment change nothing", .enumerate = offset},
    {"relations", "half", "the same where computing by FLOAT16 is allowed (F06)",
     .enumerate = half},
    {"relations", "layout", "layouts change nothing", .enumerate = layout},
    {"relations", "axes", "the transposed tensors give the transposed result", .enumerate = axes},
    {"relations", "permute", "the order of elements changes nothing but the indices",
     .enumerate = permute},
    {"relations", "dual", "the K smallest are the K largest of reversed values", .enumerate = dual},
    {"relations", "monotone", "only the order of values decides", .enumerate = monotone},
    {"relations", "widen", "a wider type changes nothing", .enumerate = widen},
    {"relations", "owned", "tensors owned by DirectML are not mistaken for each other",
     .enumerate = owned},
    {"relations", "after", "other calls before it change nothing", .enumerate = after},
    {"relations", "concurrent", "other calls beside it change nothing", .enumerate = concurrent},
    {"relations", "soak", "a hundred runs give the same bytes", .enumerate = soak},
    {0},
};
