/* Sequences of calls: state that a backend keeps between calls must not change a result. Most
 * neighbouring calls differ in exactly one property, because a cache fails when its key lacks
 * one. */
#include <string.h>

#include "generate/generate.h"
#include "group.h"

/* ---- steps ----------------------------------------------------------------------------------- */

/* valid calls to start from: short, long and many rows, with any Axis and layout */
static const struct {
    enum topk_mode mode;
    uint32_t type;
    uint32_t rank;
    uint32_t sizes[4];
    uint32_t axis;
    uint32_t k;
    enum topk_layout layout;
    const char *data;
} bases[] = {
    {TOPK_MODE_TOP_K, TOPK_TYPE_F32, 4, {1, 2, 3, 8}, 3, 3, TOPK_LAYOUT_PACKED, "shuffle"},
    {TOPK_MODE_LARGEST, TOPK_TYPE_F16, 2, {5, 6}, 1, 4, TOPK_LAYOUT_INTERLEAVED, "boundary"},
    {TOPK_MODE_SMALLEST, TOPK_TYPE_I64, 3, {4, 3, 5}, 0, 2, TOPK_LAYOUT_PADDED_ALL, "shuffle"},
    {TOPK_MODE_LARGEST, TOPK_TYPE_U8, 2, {2, 300}, 1, 17, TOPK_LAYOUT_PACKED, "uniform"},
    {TOPK_MODE_SMALLEST, TOPK_TYPE_F32, 4, {1, 1, 1, 3000}, 3, 40, TOPK_LAYOUT_PACKED, "uniform"},
    {TOPK_MODE_TOP_K, TOPK_TYPE_I32, 4, {1, 70, 9, 1}, 1, 5, TOPK_LAYOUT_PACKED, "inside"},
};
#define BASES ((uint32_t)(sizeof bases / sizeof bases[0]))

/* fresh: a number that makes the call differ from all earlier ones, so that no cached state fits */
static void build_base(struct topk_case *tc, uint32_t number, uint32_t fresh)
{
    uint32_t sizes[4];
    memcpy(sizes, bases[number].sizes, sizeof sizes);
    sizes[bases[number].axis] += fresh;
    topk_build(tc, bases[number].mode, bases[number].type, bases[number].rank, sizes,
               bases[number].axis, bases[number].k);
    if (number % 3 == 2) {
        topk_build_wide_index(tc);
    }
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        topk_layout_apply(bases[number].layout, &tc->op.tensors[role]);
        tc->offset[role] = number % 2 == 0 ? 0 : 16 + 32 * (uint64_t)role;
    }
    topk_build_data(tc, bases[number].data, fresh, 0);
    tc->op.level = TOPK_LEVEL_5_0;
}

/* adds a call to a sequence, which may be empty; the calls of this file own no memory */
static void put(struct topk_sink *sink, struct topk_case *sequence, const struct topk_case *call)
{
    if (sequence->op.level != 0 && !topk_case_push(sequence)) {
        sink->no_memory = true;
        sink->stopped = true;
        return;
    }
    struct topk_case *const before = sequence->before;
    const uint32_t before_count = sequence->before_count;
    *sequence = *call;
    sequence->before = before;
    sequence->before_count = before_count;
}

static void emit(struct topk_sink *sink, struct topk_case *sequence)
{
    topk_emit(sink, sequence);
    topk_case_clear(sequence);
}

/* A, B, A: B meets the state left by A; then A, with other data, the state left by both */
static void emit_back(struct topk_sink *sink, const struct topk_case *a, const struct topk_case *b)
{
    struct topk_case sequence = {0};
    struct topk_case again = *a;
    again.parameters[0] += 1000;
    put(sink, &sequence, a);
    put(sink, &sequence, b);
    put(sink, &sequence, &again);
    emit(sink, &sequence);
}

/* Makes *other from a call with one change. False if the call has nothing to change. */
static bool make_other(const struct topk_case *call, uint32_t change, uint64_t way,
                       struct topk_case *other)
{
    struct topk_choice choice;
    *other = *call;
    topk_choice_seed(&choice, 100 + way, change);
    return topk_alter(&topk_alterations[change], &choice, other) == 1;
}

/* makes a call invalid; false if the breaker has nothing to change */
static bool spoil(struct topk_case *tc, uint32_t breaker, uint32_t way)
{
    struct topk_choice choice;
    tc->recipe = NULL;
    memset(tc->parameters, 0, sizeof tc->parameters);
    topk_choice_seed(&choice, 7, way);
    return topk_breakers[breaker].spoil(&choice, tc);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* how many ways each property is changed in */
#define WAYS 3

static void changes(struct topk_sink *sink)
{
    for (uint32_t change = 0; change < topk_alteration_count; change++) {
        for (uint32_t base = 0; base < BASES; base++) {
            for (uint32_t way = 0; way < WAYS && !sink->stopped; way++) {
                struct topk_case a;
                struct topk_case b;
                build_base(&a, base, change * WAYS + way);
                if (make_other(&a, change, base * WAYS + way, &b)) {
                    emit_back(sink, way % 2 == 0 ? &a : &b, way % 2 == 0 ? &b : &a);
                }
            }
        }
    }
}

static void refused(struct topk_sink *sink)
{
    for (uint32_t breaker = 0; breaker < topk_breaker_count; breaker++) {
        for (uint32_t base = 0; base < BASES && !sink->stopped; base++) {
            const uint32_t number = breaker * BASES + base;
            struct topk_case sequence = {0};
            struct topk_case a;
            struct topk_case b;
            build_base(&a, base, 100 + breaker);
            if (!make_other(&a, number % topk_alteration_count, base, &b)) {
                b = a;
            }
            struct topk_case wrong = base % 2 == 0 ? a : b;
            if (!spoil(&wrong, breaker, number)) {
                continue;
            }
            if (base != 3) { /* for base 3, the invalid call comes first */
                put(sink, &sequence, &a);
            }
            put(sink, &sequence, &wrong);
            put(sink, &sequence, &b);
            put(sink, &sequence, &a);
            emit(sink, &sequence);
        }
    }
}

/* one description, with other data in each call, at addresses that are used again */
static void data(struct topk_sink *sink)
{
    for (uint32_t number = 0; number < TOPK_TYPE_COUNT * 2 && !sink->stopped; number++) {
        struct topk_case sequence = {0};
        struct topk_case call;
        build_base(&call, number % BASES, 200 + number);
        for (uint32_t i = 0; i < 6; i++) {
            if (number < TOPK_TYPE_COUNT) {
                const uint32_t sizes[] = {1, 1, 2, 9};
                topk_build(&call, (enum topk_mode)(number % TOPK_MODE_COUNT), topk_types[number], 4,
                           sizes, 3, 4);
                call.op.level = TOPK_LEVEL_5_0;
            }
            topk_build_data(&call, "shuffle", number * 6 + i, 0);
            put(sink, &sequence, &call);
        }
        emit(sink, &sequence);
    }
}

/* the output of a call is the data of the next one, which has the other direction or another
 * Axis */
static void outputs(struct topk_sink *sink)
{
    for (uint32_t number = 0; number < TOPK_TYPE_COUNT * TOPK_MODE_COUNT && !sink->stopped;
         number++) {
        static const uint32_t sizes[][3] = {{3, 4, 6}, {2, 4, 3}, {1, 5, 7}, {3, 4, 6}};
        static const uint32_t axes[] = {2, 1, 2, 0};
        struct topk_case sequence = {0};
        for (uint32_t i = 0; i < 4; i++) {
            struct topk_case call;
            topk_build(&call, (enum topk_mode)((number + i) % TOPK_MODE_COUNT),
                       topk_types[number / TOPK_MODE_COUNT], 3, sizes[i], axes[i], 2);
            call.op.level = TOPK_LEVEL_5_0;
            if (i == 0) {
                topk_build_data(&call, "shuffle", number, 0);
            } else {
                call.out = i == 3 ? 2 : 1;
            }
            put(sink, &sequence, &call);
        }
        emit(sink, &sequence);
    }
}

/* many calls with other sizes, K or types, then the first ones again: overflows a small cache */
static void many(struct topk_sink *sink)
{
    static const uint32_t counts[] = {3, 5, 9, 16, 17, 28};
    for (uint32_t number = 0; number < 4 * sizeof counts / sizeof counts[0] && !sink->stopped;
         number++) {
        const uint32_t count = counts[number / 4];
        struct topk_case sequence = {0};
        for (uint32_t i = 0; i < count + 4; i++) {
            const uint32_t which = i % count;
            const uint32_t type =
                number % 4 == 2 ? topk_types[which % TOPK_TYPE_COUNT] : TOPK_TYPE_F32;
            const uint32_t length = number % 4 == 0 ? 4 + which : number % 4 == 3 ? 4 : 40;
            const uint32_t k = number % 4 == 1 ? 1 + which : 3;
            struct topk_case call;
            topk_build_row(&call, which % 2 == 0 ? TOPK_MODE_LARGEST : TOPK_MODE_SMALLEST, type,
                           length, k);
            if (number % 4 >= 2) { /* rows with different data distinguish otherwise equal calls */
                const uint32_t sizes[] = {1, 1, 1 + which, length};
                topk_build(&call, TOPK_MODE_TOP_K, type, 4, sizes, 3, k);
            }
            call.op.level = TOPK_LEVEL_5_0;
            topk_build_data(&call, "shuffle", number + i, 0);
            put(sink, &sequence, &call);
        }
        emit(sink, &sequence);
    }
}

/* larger, smaller, larger: stale contents of reused memory */
static void sizes(struct topk_sink *sink)
{
    static const uint32_t lengths[][2] = {{9, 5}, {40, 3}, {300, 17}, {1100, 900}, {5000, 70}};
    for (uint32_t number = 0; number < 5 * TOPK_TYPE_COUNT && !sink->stopped; number++) {
        struct topk_case sequence = {0};
        const enum topk_mode mode = (enum topk_mode)(number % TOPK_MODE_COUNT);
        for (uint32_t i = 0; i < 4; i++) {
            const uint32_t length = lengths[number / TOPK_TYPE_COUNT][i % 2];
            const uint32_t k = i < 2 ? 3 : length / 2;
            struct topk_case call;
            topk_build_row(&call, mode, topk_types[number % TOPK_TYPE_COUNT], length, k);
            call.op.level = TOPK_LEVEL_5_0;
            topk_build_data(&call, i % 2 == 0 ? "sorted" : "boundary", number % 2, number);
            put(sink, &sequence, &call);
        }
        emit(sink, &sequence);
    }
}

static void draw(struct topk_sink *sink, uint64_t seed, uint32_t count)
{
    static const struct topk_limits limits = {.elements = 512, .bytes = (uint64_t)1 << 16};
    for (uint32_t position = 0; position < count && !sink->stopped; position++) {
        struct topk_choice choice;
        struct topk_case tc;
        topk_choice_seed(&choice, seed, position);
        if (!topk_generate_valid(&choice, &limits, &tc) ||
            !topk_generate_more(&choice, &limits, &tc)) {
            topk_case_clear(&tc);
            sink->no_memory = true;
            return;
        }
        emit(sink, &tc);
    }
}

static void random_few(struct topk_sink *sink)
{
    draw(sink, 3, 200);
}

static void random_many(struct topk_sink *sink)
{
    draw(sink, 4, 20000);
}

const struct topk_test topk_group_sequences[] = {
    {"sequences", "changes", "a call, one that differs in one property, the first again",
     .enumerate = changes},
    {"sequences", "refused", "an invalid call between valid ones", .enumerate = refused},
    {"sequences", "data", "one description with other data each time", .enumerate = data},
    {"sequences", "outputs", "outputs as the inputs of further calls", .enumerate = outputs},
    {"sequences", "many", "3 to 28 different calls, then the first ones again", .enumerate = many},
    {"sequences", "sizes", "larger, smaller and larger again", .enumerate = sizes},
    {"sequences", "random-few", "whatever the generator draws, 200 times", .enumerate = random_few},
    {"sequences", "random", "whatever the generator draws, 20,000 times", .enumerate = random_many},
    {0},
};
