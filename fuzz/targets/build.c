/* Checks the steps that groups use to build their cases, and what the coverage certificate says
 * about a case:
 * - a built case is valid if its sizes are, at the lowest feature level that has its features
 * - its elements lie where the layout's name says, and do not overlap where the layout promises
 *   that
 * - its text is read back as the same case
 * - its classes are those that its description names; the classes for ties and special values are
 *   those that a second, simple look at the data finds */
#include <stdlib.h>
#include <string.h>

#include "coverage/aspect.h"
#include "fuzz.h"
#include "generate/build.h"
#include "reference/element.h"
#include "reference/statement/statement.h"

#define ELEMENTS_MAX 512u
#define LAYOUTS_ALL  ((uint32_t)TOPK_LAYOUT_COUNT)

static char text[TOPK_CASE_TEXT];

/* ---- building -------------------------------------------------------------------------------- */

struct built {
    enum topk_layout layouts[TOPK_ROLE_COUNT];
    bool sized; /* K is at most the length of the axis */
    uint32_t taken;
    struct topk_case tc;
};

static void draw_layout(struct topk_choice *choice, struct built *built, enum topk_role role)
{
    topk_choice_part(choice, (enum topk_part)(TOPK_PART_INPUT + (int)role));
    enum topk_layout layout = (enum topk_layout)topk_choice_below(choice, LAYOUTS_ALL);
    if (role != TOPK_INPUT && topk_layout_input_only(layout)) {
        layout = TOPK_LAYOUT_PACKED;
    }
    built->layouts[role] = layout;
    topk_layout_apply(layout, &built->tc.op.tensors[role]);
}

static void draw_data(struct topk_choice *choice, struct topk_case *tc)
{
    topk_choice_part(choice, TOPK_PART_DATA);
    const struct topk_recipe *recipe =
        &topk_recipes[topk_choice_below(choice, (uint32_t)topk_recipe_count)];
    const uint64_t number =
        topk_choice_once_in(choice, 4) ? topk_choice_bits(choice, 8) : topk_choice_below(choice, 9);
    const uint64_t seed = topk_mix(number, topk_choice_below(choice, 256), tc->op.k);
    if (topk_recipe_find(recipe->name, strlen(recipe->name), 1) != NULL) {
        topk_build_data(tc, recipe->name, number, seed);
        for (uint32_t i = tc->recipe->parameters; i < TOPK_RECIPE_PARAMETERS; i++) {
            tc->parameters[i] = 0; /* parameters that the text has no place for */
        }
    }
}

static bool take(void *context, struct topk_case *tc)
{
    struct built *built = context;
    built->taken++;
    built->tc = *tc;
    return false;
}

static void draw_shape(struct topk_choice *choice, struct topk_case *tc)
{
    uint32_t sizes[TOPK_RANK_VALID];
    uint32_t elements = 1;
    topk_choice_part(choice, TOPK_PART_OPERATOR);
    const enum topk_mode mode = (enum topk_mode)topk_choice_below(choice, TOPK_MODE_COUNT);
    const uint32_t type = topk_types[topk_choice_below(choice, TOPK_TYPE_COUNT)];
    topk_choice_part(choice, TOPK_PART_SIZES);
    const uint32_t rank = TOPK_RANK_VALID - (4 + topk_choice_below(choice, 8)) % 8;
    const uint32_t axis = topk_choice_below(choice, rank);
    for (uint32_t d = 0; d < rank; d++) {
        const uint32_t most = ELEMENTS_MAX / elements;
        const uint32_t bound = topk_choice_once_in(choice, 3) || most < 5 ? most : 5;
        sizes[d] = 1 + topk_choice_below(choice, bound);
        elements *= sizes[d];
    }
    topk_choice_part(choice, TOPK_PART_K);
    const uint32_t length = sizes[axis];
    const uint32_t k = topk_choice_once_in(choice, 16) ? length + topk_choice_below(choice, 2)
                                                       : 1 + topk_choice_below(choice, length);
    if (topk_choice_once_in(choice, 8)) {
        topk_build_row(tc, mode, type, length, k);
    } else {
        topk_build(tc, mode, type, rank, sizes, axis, k);
    }
}

static void build(struct topk_choice *choice, struct built *built)
{
    struct topk_case *tc = &built->tc;
    struct topk_sink sink = {.take = take, .context = built};
    memset(built, 0, sizeof *built);
    draw_shape(choice, tc);
    if (topk_choice_once_in(choice, 3)) {
        topk_build_wide_index(tc);
    }
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        draw_layout(choice, built, (enum topk_role)role);
    }
    topk_choice_part(choice, TOPK_PART_EXTRAS);
    tc->check = (enum topk_check)topk_choice_below(choice, TOPK_CHECK_COUNT);
    draw_data(choice, tc);
    built->sized = tc->op.k <= tc->op.tensors[TOPK_INPUT].sizes[tc->op.axis];
    topk_emit(&sink, tc);
    topk_emit(&sink, tc); /* topk_emit: the sink already has all that it wants */
}

/* ---- layouts --------------------------------------------------------------------------------- */

/* Where a layout puts an element, for layouts that one formula describes; UINT64_MAX for all
 * others. */
static uint64_t place(enum topk_layout layout, const struct topk_tensor *tensor,
                      const uint32_t at[])
{
    uint64_t row = 0;
    uint64_t column = 0;
    uint64_t sum = 0;
    for (uint32_t d = 0; d < tensor->rank; d++) {
        row = row * tensor->sizes[d] + at[d];
        sum += at[d];
    }
    for (uint32_t d = tensor->rank; d-- > 0;) {
        column = column * tensor->sizes[d] + at[d];
    }
    switch (layout) {
    case TOPK_LAYOUT_PACKED:
    case TOPK_LAYOUT_EXPLICIT:
    case TOPK_LAYOUT_SIZE_ONE:
    case TOPK_LAYOUT_SLACK:
        return row;
    case TOPK_LAYOUT_REVERSED:
        return column;
    case TOPK_LAYOUT_INTERLEAVED:
        return 2 * row;
    case TOPK_LAYOUT_BROADCAST_ALL:
        return 0;
    case TOPK_LAYOUT_WINDOWS:
        return sum;
    default:
        return UINT64_MAX;
    }
}

static void check_layout(const struct built *built, enum topk_role role)
{
    static uint32_t places[ELEMENTS_MAX];
    const enum topk_layout layout = built->layouts[role];
    const struct topk_tensor *tensor = &built->tc.op.tensors[role];
    const uint64_t elements = topk_tensor_elements(tensor);
    uint32_t at[TOPK_RANK_MAX] = {0};
    bool shared = false;
    uint64_t last = 0;
    for (uint64_t i = 0; i < elements; i++) {
        const uint64_t offset = topk_tensor_offset(tensor, at);
        const uint64_t named = place(layout, tensor, at);
        FUZZ_REQUIRE(named == UINT64_MAX || named == offset, "layout place", text);
        for (uint64_t j = 0; j < i; j++) {
            shared = shared || places[j] == offset;
        }
        places[i] = (uint32_t)offset;
        last = last < offset ? offset : last;
        for (uint32_t d = tensor->rank; d-- > 0 && ++at[d] == tensor->sizes[d];) {
            at[d] = 0;
        }
    }
    FUZZ_REQUIRE(tensor->total_bytes >= (last + 1) * topk_type_bytes(tensor->type), "layout total",
                 text);
    FUZZ_REQUIRE(!shared || topk_layout_input_only(layout), "layout shared", text);
    FUZZ_REQUIRE(shared == topk_tensor_overlaps(tensor), "layout overlaps", text);
    FUZZ_REQUIRE(topk_layout_word(layout)[0] != 0, "layout word", text);
}

/* ---- validity and text ----------------------------------------------------------------------- */

/* The feature level that the second call of a check needs, if that call uses another operator or a
 * wider type. */
static uint32_t level_of_second(const struct topk_case *tc)
{
    const uint32_t type = tc->op.tensors[TOPK_INPUT].type;
    switch (tc->check) {
    case TOPK_CHECK_TWIN:
    case TOPK_CHECK_DUAL:
        return TOPK_LEVEL_2_1;
    case TOPK_CHECK_WIDEN:
        return type == TOPK_TYPE_I32 || type == TOPK_TYPE_U32 ? TOPK_LEVEL_5_0 : 0;
    default:
        return 0;
    }
}

static void check_level(const struct built *built)
{
    const struct topk_operator *op = &built->tc.op;
    struct topk_validity validity;
    topk_operator_validate(op, op->level, &validity);
    FUZZ_REQUIRE(topk_clause_set_empty(&validity.broken) == built->sized, "build validity", text);
    const uint32_t second = level_of_second(&built->tc);
    for (int i = 0; i < TOPK_LEVEL_COUNT && topk_levels[i] < op->level; i++) {
        topk_operator_validate(op, topk_levels[i], &validity);
        FUZZ_REQUIRE(!topk_clause_set_empty(&validity.broken) || second > topk_levels[i],
                     "build level", text);
    }
}

static void check_text(const struct topk_case *tc, size_t length)
{
    static char again[TOPK_CASE_TEXT];
    struct topk_case parsed;
    struct topk_case_error error;
    FUZZ_REQUIRE(topk_case_parse(text, length, &parsed, &error), "text read", text);
    topk_case_print(&parsed, again, sizeof again);
    FUZZ_REQUIRE(strcmp(text, again) == 0, "text same", text);
    FUZZ_REQUIRE(parsed.recipe == tc->recipe &&
                     memcmp(parsed.parameters, tc->parameters, sizeof parsed.parameters) == 0,
                 "text recipe", text);
    topk_case_clear(&parsed);
}

/* ---- classes --------------------------------------------------------------------------------- */

static bool infinite(uint32_t type, uint64_t bits)
{
    return type == TOPK_TYPE_F32 ? (bits & 0x7fffffff) == 0x7f800000
                                 : type == TOPK_TYPE_F16 && (bits & 0x7fff) == 0x7c00;
}

static bool denormal(uint32_t type, uint64_t bits)
{
    return type == TOPK_TYPE_F32
               ? (bits & 0x7f800000) == 0 && (bits & 0x007fffff) != 0
               : type == TOPK_TYPE_F16 && (bits & 0x7c00) == 0 && (bits & 0x03ff) != 0;
}

static bool extreme(uint32_t type, uint64_t bits)
{
    switch (type) {
    case TOPK_TYPE_F32:
        return (bits & 0x7fffffff) == 0x7f7fffff;
    case TOPK_TYPE_F16:
        return (bits & 0x7fff) == 0x7bff;
    case TOPK_TYPE_I8:
    case TOPK_TYPE_I16:
    case TOPK_TYPE_I32:
    case TOPK_TYPE_I64: {
        const uint64_t sign = (uint64_t)1 << (8 * topk_type_bytes(type) - 1);
        return bits == sign || bits == sign - 1;
    }
    default:
        return bits == 0 || bits == UINT64_MAX >> (64 - 8 * topk_type_bytes(type));
    }
}

static unsigned specials_of(uint32_t type, const uint64_t bits[], uint32_t length)
{
    unsigned class = TOPK_CLASS_SPECIALS_NONE;
    bool plus = false;
    bool minus = false;
    for (uint32_t i = 0; i < length; i++) {
        const unsigned one = stated_nan(type, bits[i]) ? TOPK_CLASS_SPECIALS_NAN
                             : denormal(type, bits[i]) ? TOPK_CLASS_SPECIALS_DENORMALS
                             : infinite(type, bits[i]) ? TOPK_CLASS_SPECIALS_INFINITIES
                             : extreme(type, bits[i])  ? TOPK_CLASS_SPECIALS_EXTREMES
                                                       : TOPK_CLASS_SPECIALS_NONE;
        class = class < one ? one : class;
        plus = plus || (topk_type_float(type) && bits[i] == 0);
        minus = minus || (topk_type_float(type) &&
                          bits[i] == (uint64_t)1 << (8 * topk_type_bytes(type) - 1));
    }
    const bool zeros = plus && minus && class < TOPK_CLASS_SPECIALS_ZEROS;
    return zeros ? (unsigned)TOPK_CLASS_SPECIALS_ZEROS : class;
}

/* Finds the ties of a sequence without NaN by looking at where equal elements end up after
 * sorting. */
static unsigned ties_of(const struct topk_operator *op, const uint64_t bits[], uint32_t length)
{
    const uint32_t type = op->tensors[TOPK_INPUT].type;
    uint32_t order[ELEMENTS_MAX];
    unsigned class = TOPK_CLASS_TIES_NONE;
    stated_sort(type, topk_operator_increasing(op), STATED_EXACT, bits, length, order);
    if (length > 1 && stated_equal(type, bits[order[0]], bits[order[length - 1]])) {
        return TOPK_CLASS_TIES_ALL;
    }
    for (uint32_t i = 0; i + 1 < length; i++) {
        if (stated_equal(type, bits[order[i]], bits[order[i + 1]])) {
            const unsigned one = i + 1 < op->k    ? TOPK_CLASS_TIES_INSIDE
                                 : i + 1 == op->k ? TOPK_CLASS_TIES_BOUNDARY
                                                  : TOPK_CLASS_TIES_UNSELECTED;
            class = class < one ? one : class;
        }
    }
    return class;
}

/* Finds the classes that the data shows, sequence by sequence, locating each element by its
 * coordinates. */
static void look(const struct topk_case *tc, const unsigned char *tensor, unsigned *ties,
                 unsigned *specials)
{
    const struct topk_operator *op = &tc->op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    const uint32_t length = input->sizes[op->axis];
    const uint32_t bytes = topk_type_bytes(input->type);
    bool ordered = false;
    *ties = TOPK_CLASS_TIES_NONE;
    *specials = TOPK_CLASS_SPECIALS_NONE;
    for (uint64_t s = 0; s < topk_operator_sequences(op); s++) {
        uint64_t bits[ELEMENTS_MAX];
        uint32_t at[TOPK_RANK_MAX];
        topk_operator_sequence_at(op, s, at);
        for (uint32_t i = 0; i < length; i++) {
            at[op->axis] = i;
            bits[i] = topk_element_load(tensor + topk_tensor_offset(input, at) * bytes, bytes);
        }
        const unsigned special = specials_of(input->type, bits, length);
        *specials = *specials < special ? special : *specials;
        if (special != TOPK_CLASS_SPECIALS_NAN) {
            const unsigned tied = ties_of(op, bits, length);
            *ties = *ties < tied ? tied : *ties;
            ordered = true;
        }
    }
    *ties = ordered ? *ties : (unsigned)TOPK_CLASS_TIES_UNORDERED;
}

/* Checks those classes whose names follow directly from the description. */
static void check_described(const struct topk_operator *op,
                            const unsigned char classes[TOPK_ASPECT_COUNT])
{
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    char words[7][TOPK_TYPE_TEXT + 16];
    const enum topk_aspect aspects[] = {TOPK_ASPECT_OPERATOR, TOPK_ASPECT_LEVEL, TOPK_ASPECT_TYPE,
                                        TOPK_ASPECT_INDEX,    TOPK_ASPECT_RANK,  TOPK_ASPECT_AXIS,
                                        TOPK_ASPECT_DIRECTION};
    snprintf(words[0], sizeof words[0], "%s", op->kind == TOPK_TOP_K ? "top_k" : "top_k1");
    snprintf(words[1], sizeof words[1], "%u.%u", (unsigned)(op->level >> 12),
             (unsigned)(op->level >> 8 & 15));
    topk_type_print(input->type, words[2]);
    topk_type_print(op->tensors[TOPK_INDEX].type, words[3]);
    snprintf(words[4], sizeof words[4], "%u", (unsigned)input->rank);
    snprintf(words[5], sizeof words[5], "%s",
             input->rank == 1              ? "only"
             : op->axis == 0               ? "first"
             : op->axis == input->rank - 1 ? "last"
                                           : "middle");
    snprintf(words[6], sizeof words[6], "%s",
             op->kind == TOPK_TOP_K1 && op->direction == TOPK_INCREASING ? "smallest" : "largest");
    for (size_t i = 0; i < sizeof aspects / sizeof aspects[0]; i++) {
        FUZZ_REQUIRE(strcmp(words[i], topk_aspect_class_name(classes[aspects[i]])) == 0,
                     "class described", text);
    }
}

/* Checks that a class belongs to its aspect and that its name is unique there. */
static void check_class(enum topk_aspect aspect, unsigned class)
{
    const unsigned first = topk_aspect_first(aspect);
    const unsigned count = topk_aspect_classes(aspect);
    FUZZ_REQUIRE(class >= first && class < first + count && topk_aspect_of_class(class) == aspect,
                 "class aspect", text);
    FUZZ_REQUIRE(topk_aspect_name(aspect)[0] != 0 && topk_aspect_about(aspect)[0] != 0,
                 "class words", text);
    for (unsigned c = first; c < first + count; c++) {
        FUZZ_REQUIRE(c == class ||
                         strcmp(topk_aspect_class_name(c), topk_aspect_class_name(class)) != 0,
                     "class name", text);
    }
}

static void check_classes(const struct topk_case *tc)
{
    unsigned char classes[TOPK_ASPECT_COUNT];
    unsigned char described[TOPK_ASPECT_COUNT];
    unsigned ties;
    unsigned specials;
    const bool counts = topk_aspects_count(tc);
    FUZZ_REQUIRE(topk_aspects_of(tc, classes) == counts, "class counts", text);
    if (!counts) {
        return;
    }
    FUZZ_REQUIRE(topk_aspects_described(tc, described), "class refused", text);
    check_described(&tc->op, classes);
    for (int i = 0; i < TOPK_ASPECT_COUNT; i++) {
        check_class((enum topk_aspect)i, classes[i]);
        FUZZ_REQUIRE(i == TOPK_ASPECT_TIES || i == TOPK_ASPECT_SPECIALS ||
                         classes[i] == described[i],
                     "class same", text);
    }
    unsigned char *tensor = calloc(topk_tensor_least_bytes(&tc->op.tensors[TOPK_INPUT]), 1);
    if (tensor != NULL && topk_case_fill(tc, tensor)) {
        look(tc, tensor, &ties, &specials);
        FUZZ_REQUIRE(classes[TOPK_ASPECT_TIES] == ties, "class ties", text);
        FUZZ_REQUIRE(classes[TOPK_ASPECT_SPECIALS] == specials, "class specials", text);
    }
    free(tensor);
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static bool decode(const unsigned char *bytes, size_t length, struct topk_case *tc)
{
    struct topk_choice choice;
    struct built built;
    topk_choice_bytes(&choice, bytes, length);
    build(&choice, &built);
    *tc = built.tc;
    return true;
}

static void run(const unsigned char *bytes, size_t length)
{
    struct topk_choice choice;
    struct built built;
    topk_choice_bytes(&choice, bytes, length);
    build(&choice, &built);
    const size_t printed = topk_case_print(&built.tc, text, sizeof text);
    FUZZ_REQUIRE(built.taken == 1, "sink stopped", text);
    check_level(&built);
    check_text(&built.tc, printed);
    for (int role = 0; built.sized && role < TOPK_ROLE_COUNT; role++) {
        check_layout(&built, (enum topk_role)role);
    }
    check_classes(&built.tc);
}

static void draw(struct topk_choice *choice)
{
    struct built built;
    build(choice, &built);
}

const struct fuzz_target fuzz_target = {
    .name = "build",
    .about = "what groups build is as its name says, and of the classes that are named",
    .max_bytes = 256,
    .run = run,
    .draw = draw,
    .decode = decode,
};
