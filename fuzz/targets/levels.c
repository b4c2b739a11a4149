/* Checks the judge's vector code: every level of it that the machine supports (judge_scan.h) must
 * give the same answers for outputs, for one sequence and for sequences side by side; and a
 * sequence must be accepted exactly when its outputs are what sorting gives
 * (reference/statement/order.c). Elements may be apart from each other, in memory that is no larger
 * than needed. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "reference/element.h"
#include "reference/judge_parts.h"
#include "reference/judge_scan.h"
#include "reference/statement/statement.h"

#define LENGTH_MAX 300u
#define PALETTE    4u
#define DRAWN      64u /* elements that the input chooses; all others are copies of these */

static struct topk_sequence s;
static uint64_t row[LENGTH_MAX];
static bool has_nan;
static bool has_denormal;
static bool right;
static char text[256];

/* ---- a sequence ------------------------------------------------------------------------------ */

static uint64_t get(const unsigned char *from, uint64_t step, uint32_t i, uint32_t bytes)
{
    return topk_element_load(from + i * step, bytes);
}

/* Allocates memory that ends exactly where the last of `count` elements does. */
static unsigned char *make(uint64_t step, uint32_t count, uint32_t bytes)
{
    unsigned char *memory = calloc(step * (count - 1) + bytes, 1);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

/* Draws a value near one at which behaviour changes, or any bits. */
static uint64_t draw_bits(struct topk_choice *choice, uint32_t type)
{
    const uint32_t bytes = topk_type_bytes(type);
    const uint64_t ones = UINT64_MAX >> (64 - 8 * bytes);
    const uint64_t near[] = {0, topk_element_least(type), topk_element_greatest(type), ones / 2};
    const uint32_t way = topk_choice_below(choice, 5);
    const uint64_t bits =
        way < 4 ? near[way] + topk_choice_below(choice, 5) - 2 : topk_choice_bits(choice, bytes);
    return bits & ones;
}

static void draw_input(struct topk_choice *choice, unsigned char *input)
{
    const uint32_t bytes = topk_type_bytes(s.type);
    uint64_t palette[PALETTE];
    for (uint32_t i = 0; i < PALETTE; i++) {
        palette[i] = draw_bits(choice, s.type);
    }
    has_nan = false;
    has_denormal = false;
    for (uint32_t i = 0; i < s.length; i++) {
        const uint32_t from = i / DRAWN < i % DRAWN ? i / DRAWN : 0;
        row[i] = i < DRAWN ? palette[topk_choice_below(choice, PALETTE)] : row[i % DRAWN - from];
        if (s.input_step == 0) {
            row[i] = row[0];
        }
        topk_element_store(input + i * s.input_step, bytes, row[i]);
        has_nan = has_nan || stated_nan(s.type, row[i]);
        has_denormal = has_denormal || topk_element_denormal(s.type, row[i]);
    }
}

/* Writes the right outputs, then changes some of them. */
static void draw_outputs(struct topk_choice *choice, unsigned char *value, unsigned char *index)
{
    const uint32_t bytes = topk_type_bytes(s.type);
    uint32_t order[LENGTH_MAX];
    stated_sort(s.type, s.increasing, STATED_EXACT, row, s.length, order);
    for (uint32_t j = 0; j < s.k; j++) {
        topk_element_store(value + j * s.value_step, bytes, row[order[j]]);
        topk_element_store(index + j * s.index_step, s.index_bytes, order[j]);
    }
    for (uint32_t changes = topk_choice_below(choice, 3); changes > 0; changes--) {
        const uint32_t j = topk_choice_below(choice, s.k);
        uint64_t at = get(index, s.index_step, j, s.index_bytes);
        const uint32_t way = topk_choice_below(choice, 4);
        if (way == 0) {
            topk_element_store(value + j * s.value_step, bytes, draw_bits(choice, s.type));
            continue;
        }
        at = way == 1   ? topk_choice_below(choice, s.length + 1)
             : way == 2 ? at ^ (uint64_t)1 << topk_choice_below(choice, 8 * s.index_bytes)
                        : get(index, s.index_step, j > 0 ? j - 1 : s.k - 1, s.index_bytes);
        topk_element_store(index + j * s.index_step, s.index_bytes, at);
        if (at < s.length) {
            topk_element_store(value + j * s.value_step, bytes, row[at]);
        }
    }
    right = !has_nan;
    for (uint32_t j = 0; j < s.k; j++) {
        right = right && get(index, s.index_step, j, s.index_bytes) == order[j] &&
                get(value, s.value_step, j, bytes) == row[order[j]];
    }
}

/* ---- assertions ------------------------------------------------------------------------------ */

static bool same_scan(const struct topk_scan *a, const struct topk_scan *b)
{
    return a->count == b->count &&
           (!topk_type_float(s.type) || (a->greatest == b->greatest && a->least == b->least));
}

static void check_scan(const struct topk_scan_level *level, const struct topk_scan *asked)
{
    struct topk_scan base = *asked;
    struct topk_scan scan = *asked;
    topk_scan_level(0)->types[s.type].sequence(s.input, s.input_step, s.length, &base);
    level->types[s.type].sequence(s.input, s.input_step, s.length, &scan);
    FUZZ_REQUIRE(same_scan(&base, &scan), "levels sequence", text);
}

/* Checks several sequences side by side, each with its own elements and its own question. */
static void check_columns(const struct topk_scan_level *level, const struct topk_scan *asked)
{
    const uint64_t bytes = topk_type_bytes(s.type);
    const uint32_t columns = topk_exact_columns(s.type);
    const uint64_t step = TOPK_SCAN_ROW + bytes;
    FUZZ_REQUIRE(s.length > 0, "levels length", text);
    unsigned char *memory = make(step, s.length, TOPK_SCAN_ROW);
    struct topk_scan scans[TOPK_SCAN_ROW];
    for (uint32_t column = 0; column < columns; column++) {
        for (uint32_t i = 0; i < s.length; i++) {
            topk_element_store(memory + i * step + column * bytes, (uint32_t)bytes,
                               row[(i + column) % s.length]);
        }
        scans[column] = *asked;
        scans[column].after = 1 + (asked->after + column) % s.length;
        scans[column].last = row[(scans[column].after - 1 + column) % s.length];
        scans[column].late.first = scans[column].last;
    }
    level->types[s.type].columns(memory, step, s.length, scans);
    for (uint32_t column = 0; column < columns; column++) {
        struct topk_scan scan = scans[column];
        topk_scan_level(0)->types[s.type].sequence(memory + column * bytes, step, s.length, &scan);
        FUZZ_REQUIRE(same_scan(&scan, &scans[column]), "levels columns", text);
    }
    free(memory);
}

/* Ranges and `after` are arbitrary; only the last output's element has to come late. */
static struct topk_scan draw_scan(struct topk_choice *choice)
{
    const uint32_t bytes = topk_type_bytes(s.type);
    const uint64_t ones = UINT64_MAX >> (64 - 8 * bytes);
    const uint64_t last = row[topk_choice_below(choice, s.length)];
    return (struct topk_scan){.early = {row[0], topk_choice_bits(choice, bytes)},
                              .late = {last, topk_choice_once_in(choice, 2) ? ones : 3},
                              .last = last,
                              .after = 1 + topk_choice_below(choice, s.length)};
}

static void check_levels(struct topk_choice *choice)
{
    const struct topk_scan asked = draw_scan(choice);
    const uint64_t origin = topk_type_float(s.type) || topk_type_signed(s.type)
                                ? (uint64_t)1 << (8 * topk_type_bytes(s.type) - 1)
                                : 0;
    const struct topk_scan_level *level;
    struct topk_output first = {0, 0};
    const bool first_holds = topk_scan_level(0)->types[s.type].outputs(&s, origin, &first);
    for (uint32_t i = 0; (level = topk_scan_level(i)) != NULL; i++) {
        struct topk_output last = {0, 0};
        bool denormal = false;
        const bool outputs = level->types[s.type].outputs(&s, origin, &last);
        FUZZ_REQUIRE(outputs == first_holds &&
                         (!outputs || (last.bits == first.bits && last.index == first.index)),
                     "levels outputs", text);
        check_scan(level, &asked);
        check_columns(level, &asked);
        topk_scan_use(level);
        FUZZ_REQUIRE(topk_exact_holds(&s, &denormal) == right, "levels holds", text);
        FUZZ_REQUIRE(denormal == (right && has_denormal), "levels denormal", text);
    }
    topk_scan_use(NULL);
}

static void run(const unsigned char *bytes, size_t length)
{
    struct topk_choice choice;
    topk_choice_bytes(&choice, bytes, length);
    s = (struct topk_sequence){.type = topk_types[topk_choice_below(&choice, TOPK_TYPE_COUNT)],
                               .increasing = topk_choice_below(&choice, 2) != 0,
                               .length = 1 + topk_choice_below(&choice, LENGTH_MAX)};
    const uint64_t element = topk_type_bytes(s.type);
    s.k = 1 + topk_choice_below(&choice, s.length);
    s.index_bytes = topk_choice_below(&choice, 2) != 0 ? 8 : 4;
    s.input_step = element * ((1 + topk_choice_below(&choice, 5)) % 5);
    s.value_step = element * (1 + topk_choice_below(&choice, 2));
    s.index_step = (uint64_t)s.index_bytes * (1 + topk_choice_below(&choice, 2));
    unsigned char *input = make(s.input_step, s.length, (uint32_t)element);
    unsigned char *value = make(s.value_step, s.k, (uint32_t)element);
    unsigned char *index = make(s.index_step, s.k, s.index_bytes);
    s.input = input;
    s.value = value;
    s.index = index;
    snprintf(text, sizeof text, "type %u, n %u, k %u, steps %u %u %u, index of %u bytes", s.type,
             s.length, s.k, (unsigned)s.input_step, (unsigned)s.value_step, (unsigned)s.index_step,
             s.index_bytes);
    draw_input(&choice, input);
    draw_outputs(&choice, value, index);
    check_levels(&choice);
    free(input);
    free(value);
    free(index);
}

const struct fuzz_target fuzz_target = {
    .name = "levels",
    .about = "the judge's vector code says the same at every level, and what sorting says",
    .max_bytes = 256,
    .run = run,
};
