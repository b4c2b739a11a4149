/* Exhaustion, where there is an end: every weak order of few elements, which is all that a kernel
 * that compares can see of them; every bit pattern of the narrow types; every way of every breaker.
 */
#include "breaker.h"
#include "group.h"
#include "seen.h"

/* ---- weak orders --------------------------------------------------------------------------------
 */

/* every weak order of n elements, one a sequence, for every K, in each mode */
static void emit_orders(struct topk_sink *sink, uint32_t n, uint32_t type)
{
    uint32_t count = (uint32_t)topk_order_count(n);
    for (uint32_t k = 1; k <= n; k++) {
        for (int mode = 0; mode < TOPK_MODE_COUNT; mode++) {
            /* the axis last, and first, in turn: the order of memory matters to some kernels */
            bool last = (k + (uint32_t)mode) % 2 == 0;
            const uint32_t sizes[] = {last ? count : n, last ? n : count};
            struct topk_case test;
            topk_build(&test, (enum topk_mode)mode, type, 2, sizes, last ? 1 : 0, k);
            topk_build_data(&test, "orders", 0, 0);
            topk_emit(sink, &test);
        }
    }
}

static void orders_small(struct topk_sink *sink)
{
    for (uint32_t n = 1; n <= 5; n++) {
        for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
            emit_orders(sink, n, topk_types[t]);
        }
    }
    emit_orders(sink, 6, TOPK_TYPE_F32);
}

static void orders(struct topk_sink *sink)
{
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        if (topk_types[t] != TOPK_TYPE_F32) {
            emit_orders(sink, 6, topk_types[t]);
        }
        emit_orders(sink, 7, topk_types[t]);
    }
}

/* ---- bit patterns -------------------------------------------------------------------------------
 */

/* every pattern of a type of 8 or 16 bits as one sequence; of a float without NaN, or with */
static void emit_patterns(struct topk_sink *sink, uint32_t type, bool nan, uint32_t seed)
{
    uint32_t all = (uint32_t)1 << 8 * topk_type_bytes(type);
    uint32_t count = topk_type_float(type) && !nan ? all - 2 * 1023 : all;
    const uint32_t ks[] = {count, 1000 % count + 1};
    for (uint32_t i = 0; i < 2; i++) {
        for (int mode = TOPK_MODE_LARGEST; mode <= TOPK_MODE_SMALLEST; mode++) {
            struct topk_case test;
            topk_build(&test, (enum topk_mode)mode, type, 1, &count, 0, ks[i]);
            topk_build_data(&test, "every", nan, seed);
            topk_emit(sink, &test);
        }
    }
}

static void patterns_small(struct topk_sink *sink)
{
    static const uint32_t types[] = {TOPK_TYPE_F16, TOPK_TYPE_I16, TOPK_TYPE_U16, TOPK_TYPE_I8,
                                     TOPK_TYPE_U8};
    for (uint32_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        emit_patterns(sink, types[t], false, t);
    }
}

static void patterns(struct topk_sink *sink)
{
    static const uint32_t types[] = {TOPK_TYPE_F16, TOPK_TYPE_I16, TOPK_TYPE_U16, TOPK_TYPE_I8,
                                     TOPK_TYPE_U8};
    for (uint32_t seed = 10; seed < 20; seed++) {
        for (uint32_t t = 0; t < sizeof types / sizeof types[0]; t++) {
            emit_patterns(sink, types[t], false, seed);
        }
        emit_patterns(sink, TOPK_TYPE_F16, true, seed);
    }
}

/* patterns spread over the wide types */
static void spread(struct topk_sink *sink)
{
    static const uint32_t types[] = {TOPK_TYPE_F32, TOPK_TYPE_I32, TOPK_TYPE_U32, TOPK_TYPE_I64,
                                     TOPK_TYPE_U64};
    static const uint32_t lengths[] = {100, 3000, 65536};
    for (uint32_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        for (uint32_t n = 0; n < 3; n++) {
            for (int mode = 0; mode < TOPK_MODE_COUNT; mode++) {
                struct topk_case test;
                topk_build(&test, (enum topk_mode)mode, types[t], 1, &lengths[n], 0,
                           mode == TOPK_MODE_TOP_K ? lengths[n] / 3 : lengths[n]);
                topk_build_data(&test, "every", 0, n);
                topk_emit(sink, &test);
            }
        }
    }
}

/* ---- breakers -----------------------------------------------------------------------------------
 */

/* a valid case that every breaker finds something in */
static void build_base(struct topk_case *test, uint32_t number)
{
    static const struct {
        enum topk_mode mode;
        uint32_t type;
        uint32_t rank;
        uint32_t sizes[4];
        uint32_t axis;
        enum topk_layout layout;
    } bases[] = {
        {TOPK_MODE_TOP_K, TOPK_TYPE_F32, 4, {1, 2, 3, 6}, 3, TOPK_LAYOUT_PACKED},
        {TOPK_MODE_SMALLEST, TOPK_TYPE_I64, 3, {5, 4, 3}, 0, TOPK_LAYOUT_PADDED_ALL},
        {TOPK_MODE_LARGEST, TOPK_TYPE_U8, 4, {2, 7, 1, 3}, 1, TOPK_LAYOUT_INTERLEAVED},
        {TOPK_MODE_TOP_K, TOPK_TYPE_F16, 2, {3, 9}, 1, TOPK_LAYOUT_REVERSED},
    };
    topk_build(test, bases[number].mode, bases[number].type, bases[number].rank,
               bases[number].sizes, bases[number].axis, 3);
    if (number % 2) {
        topk_build_wide_index(test);
    }
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        topk_layout_apply(bases[number].layout, &test->op.tensors[role]);
    }
    test->op.level = TOPK_LEVEL_5_0;
}
#define BASES 4

static void emit_broken(struct topk_sink *sink, struct topk_seen *seen, uint32_t base,
                        uint32_t first, uint32_t second)
{
    struct topk_choice choice;
    topk_choice_all(&choice);
    do {
        struct topk_case test;
        build_base(&test, base);
        bool spoiled = topk_breakers[first].spoil(&choice, &test) &&
                       (second == first || topk_breakers[second].spoil(&choice, &test));
        if (spoiled && topk_seen_add(seen, &test)) {
            topk_emit(sink, &test);
        }
    } while (!sink->stopped && topk_choice_advance(&choice));
}

/* pairs have one base, another for each pair; singles have all */
static void emit_breakers(struct topk_sink *sink, bool pairs)
{
    struct topk_seen seen;
    if (!topk_seen_make(&seen, pairs ? 1u << 18 : 1u << 13)) {
        sink->no_memory = true;
        return;
    }
    for (uint32_t first = 0; first < topk_breaker_count && !sink->stopped; first++) {
        for (uint32_t base = 0; !pairs && base < BASES; base++) {
            emit_broken(sink, &seen, base, first, first);
        }
        for (uint32_t second = first + 1; pairs && second < topk_breaker_count; second++) {
            emit_broken(sink, &seen, (first + second) % BASES, first, second);
        }
    }
    topk_seen_free(&seen);
}

static void borders(struct topk_sink *sink)
{
    emit_breakers(sink, false);
}

static void border_pairs(struct topk_sink *sink)
{
    emit_breakers(sink, true);
}

const struct topk_test topk_group_exhaustive[] = {
    {"exhaustive", "orders-small", "every weak order of up to 5 elements, every K",
     .enumerate = orders_small},
    {"exhaustive", "orders", "every weak order of 6 and 7 elements, every K", .enumerate = orders},
    {"exhaustive", "patterns-small", "every value of the 8 and 16 bit types in one sequence",
     .enumerate = patterns_small},
    {"exhaustive", "patterns", "the same in more orders, and with every NaN",
     .enumerate = patterns},
    {"exhaustive", "spread", "values all over the 32 and 64 bit types", .enumerate = spread},
    {"exhaustive", "borders", "every way to break one clause", .enumerate = borders},
    {"exhaustive", "border-pairs", "every way to break two clauses at once",
     .enumerate = border_pairs},
    {0},
};
