/* Exhaustive tests: every weak order of a few elements, which is all that a comparing kernel can
 * distinguish; every bit pattern of the narrow types; every choice of every breaker. */
#include "generate/generate.h"
#include "group.h"

/* a valid case that every breaker can change */
static void build_base(struct topk_case *tc, uint32_t number)
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
    topk_build(tc, bases[number].mode, bases[number].type, bases[number].rank, bases[number].sizes,
               bases[number].axis, 3);
    if (number % 2) {
        topk_build_wide_index(tc);
    }
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        topk_layout_apply(bases[number].layout, &tc->op.tensors[role]);
    }
    tc->op.level = TOPK_LEVEL_5_0;
}
#define BASES 4

static void emit_broken(struct topk_sink *sink, struct topk_seen *seen, uint32_t base,
                        uint32_t first, uint32_t second)
{
    struct topk_choice choice;
    topk_choice_all(&choice);
    do {
        struct topk_case tc;
        build_base(&tc, base);
        bool spoiled = topk_breakers[first].spoil(&choice, &tc) &&
                       (second == first || topk_breakers[second].spoil(&choice, &tc));
        if (spoiled && topk_seen_add(seen, &tc)) {
            topk_emit(sink, &tc);
        }
    } while (!sink->stopped && topk_choice_advance(&choice));
}

/* a pair is tried on one base, which changes from pair to pair; a single breaker on all bases */
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

/* every weak order of n elements, one per sequence; Axis is last and first in turn, since some
 * kernels depend on the order in memory */
#define ORDERS                                                                                     \
    "axis = (k + mode) % 2 == 0; sizes = axis == 1 ? [orders(n),n] : [n,orders(n)];"               \
    "data = orders(0);"
/* every pattern of an 8 or 16 bit type in one sequence; for a float with or without NaN */
#define PATTERNS                                                                                   \
    "all = 1 << 8 * bytes(type); n = float(type) && !nan ? all - 2 * 1023 : all; sizes = [n];"     \
    "k: n, 1000 % n + 1; mode: both; data = every(nan, seed)"

const struct topk_test topk_group_exhaustive[] = {
    {"exhaustive", "orders-small", "every weak order of up to 5 elements, every K",
     .product = ORDERS "{ n: 1..5; type: types; k: 1..n; mode: modes }"
                       "{ n = 6; type = f32; k: 1..n; mode: modes }"},
    {"exhaustive", "orders", "every weak order of 6 and 7 elements, every K",
     .product = ORDERS "type: types; n: 6, 7; if n == 7 || type != f32; k: 1..n; mode: modes"},
    {"exhaustive", "patterns-small", "every value of the 8 and 16 bit types in one sequence",
     .product = "type: f16, i16, u16, i8, u8; nan = 0; seed = #type;" PATTERNS},
    {"exhaustive", "patterns", "the same in more orders, and with every NaN",
     .product = "seed: 10..19; (type, nan): (f16, 0), (i16, 0), (u16, 0), (i8, 0), (u8, 0), (f16, "
                "1);" PATTERNS},
    {"exhaustive", "spread", "values all over the 32 and 64 bit types",
     .product = "type: f32, i32, u32, i64, u64; n: 100, 3000, 65536; mode: modes; sizes = [n];"
                "k = mode == top_k ? n / 3 : n; data = every(0, #n)"},
    {"exhaustive", "borders", "every way to break one clause", .enumerate = borders},
    {"exhaustive", "border-pairs", "every way to break two clauses at once",
     .enumerate = border_pairs},
    {0},
};
