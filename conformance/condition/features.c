/* Computes the features in features.def of a case. */
#include "condition.h"

#include <stdlib.h>
#include <string.h>

#include "coverage/coverage.h"
#include "reference/element.h"

/* ---- names ----------------------------------------------------------------------------------- */

struct category {
    const char *name, *about;
    unsigned aspect; /* TOPK_ASPECT_COUNT: not an aspect */
};

static const struct category categories[] = {
#define ASPECT_OF(id)             {.aspect = TOPK_ASPECT_##id},
#define CATEGORY(id, name, about) {name, about, TOPK_ASPECT_COUNT},
#define LISTED(id, name, about)   {name, about, TOPK_ASPECT_COUNT},
#define WORD(category, id, word)
#define NUMBER(id, name, about)
#include "features.def"
#undef ASPECT_OF
#undef CATEGORY
#undef LISTED
#undef WORD
#undef NUMBER
};

static const struct number {
    const char *name, *about;
} numbers[] = {
#define ASPECT_OF(id)
#define CATEGORY(id, name, about)
#define LISTED(id, name, about)
#define WORD(category, id, word)
#define NUMBER(id, name, about) {name, about},
#include "features.def"
#undef ASPECT_OF
#undef CATEGORY
#undef LISTED
#undef WORD
#undef NUMBER
};

/* The words of each category, in this order. */
static const struct word {
    enum topk_category category;
    const char *word;
} words[] = {
#define ASPECT_OF(id)
#define CATEGORY(id, name, about)
#define LISTED(id, name, about)
#define WORD(category, id, word) {TOPK_CATEGORY_##category, word},
#define NUMBER(id, name, about)
#include "features.def"
#undef ASPECT_OF
#undef CATEGORY
#undef LISTED
#undef WORD
#undef NUMBER
};

static const char *const paddings[] = {
#define PADDING(name, word, about) word,
    TOPK_PADDING_LIST(PADDING)
#undef PADDING
};

const char *topk_category_name(enum topk_category category)
{
    const struct category *row = &categories[category];
    return row->aspect == TOPK_ASPECT_COUNT ? row->name
                                            : topk_aspect_name((enum topk_aspect)row->aspect);
}

const char *topk_category_about(enum topk_category category)
{
    const struct category *row = &categories[category];
    return row->aspect == TOPK_ASPECT_COUNT ? row->about
                                            : topk_aspect_about((enum topk_aspect)row->aspect);
}

const char *topk_number_name(enum topk_number number)
{
    return numbers[number].name;
}

const char *topk_number_about(enum topk_number number)
{
    return numbers[number].about;
}

bool topk_category_of_aspect(enum topk_category category)
{
    return categories[category].aspect != TOPK_ASPECT_COUNT;
}

bool topk_category_of_data(enum topk_category category)
{
    return category == TOPK_CATEGORY_TIES ||
           (category >= TOPK_CATEGORY_NAN && category <= TOPK_CATEGORY_GREATEST);
}

bool topk_number_of_data(enum topk_number number)
{
    return number == TOPK_NUMBER_BITS;
}

static const char *const types[] = {
#define X(name, text, number, bytes, kind) text,
    TOPK_TYPE_LIST(X)
#undef X
        "other"};

static unsigned place_of_type(uint32_t type)
{
    unsigned place = 0;
    while (place < TOPK_TYPE_COUNT && topk_types[place] != type) {
        place++;
    }
    return place;
}

/* Returns the name of a recipe; two versions of a recipe share one word. */
static const char *recipe_word(unsigned word)
{
    return word == 0                      ? "zero"
           : word == 1                    ? "hex"
           : word - 2 < topk_recipe_count ? topk_recipes[word - 2].name
                                          : NULL;
}

static const char *listed_word(enum topk_category category, unsigned word)
{
    switch (category) {
    case TOPK_CATEGORY_INDEX_TYPE:
        return word <= TOPK_TYPE_COUNT ? types[word] : NULL;
    case TOPK_CATEGORY_PADDING:
        return word < TOPK_PADDING_COUNT ? paddings[word] : NULL;
    case TOPK_CATEGORY_CHECK:
        return word < TOPK_CHECK_COUNT ? topk_check_row((enum topk_check)word)->word : NULL;
    case TOPK_CATEGORY_RECIPE:
        return recipe_word(word);
    case TOPK_CATEGORY_BREAKS:
        return word == 0                   ? "nothing"
               : word <= TOPK_CLAUSE_COUNT ? topk_clause_id((enum topk_clause)(word - 1))
                                           : NULL;
    default:
        return NULL;
    }
}

const char *topk_category_word(enum topk_category category, unsigned word)
{
    const unsigned aspect = categories[category].aspect;
    if (aspect != TOPK_ASPECT_COUNT) {
        return word < topk_aspect_classes((enum topk_aspect)aspect)
                   ? topk_aspect_class_name(topk_aspect_first((enum topk_aspect)aspect) + word)
                   : NULL;
    }
    unsigned left = word;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (words[i].category == category && left-- == 0) {
            return words[i].word;
        }
    }
    return listed_word(category, word);
}

/* ---- the description ------------------------------------------------------------------------- */

static unsigned recipe_number(const struct topk_case *tc)
{
    if (tc->recipe == NULL) {
        return tc->literal == NULL ? 0 : 1;
    }
    unsigned number = 0;
    while (strcmp(topk_recipes[number].name, tc->recipe->name) != 0) {
        number++;
    }
    return number + 2;
}

static uint64_t divisor(uint64_t number)
{
    return number & (0 - number);
}

/* Adds the features of any description, even one without sizes. */
static void describe_any(const struct topk_case *tc, struct topk_features *features)
{
    const struct topk_operator *op = &tc->op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    uint64_t *to = features->numbers;
    struct topk_validity validity;
    topk_operator_validate(op, op->level, &validity);
    const enum topk_clause broken = topk_clause_set_first(&validity.broken);
    features->words[TOPK_CATEGORY_BREAKS] = broken == TOPK_CLAUSE_NONE ? 0 : (uint8_t)(broken + 1);
    features->words[TOPK_CATEGORY_OPERATOR] = op->kind == TOPK_TOP_K1;
    if (topk_type_known(input->type)) {
        features->words[TOPK_CATEGORY_TYPE] = (uint8_t)place_of_type(input->type);
    }
    features->words[TOPK_CATEGORY_INDEX_TYPE] =
        (uint8_t)place_of_type(op->tensors[TOPK_INDEX].type);
    features->words[TOPK_CATEGORY_PADDING] = (uint8_t)tc->padding;
    features->words[TOPK_CATEGORY_CHECK] = (uint8_t)tc->check;
    features->words[TOPK_CATEGORY_RECIPE] = (uint8_t)recipe_number(tc);
    features->words[TOPK_CATEGORY_HALF] = (op->execution & TOPK_EXECUTION_HALF) != 0;
    to[TOPK_NUMBER_RANK] = input->rank;
    to[TOPK_NUMBER_K_NUMBER] = op->k;
    to[TOPK_NUMBER_K_DIVISOR] = divisor(op->k);
    to[TOPK_NUMBER_OFFSET] = tc->offset[TOPK_INPUT];
    to[TOPK_NUMBER_VALUE_OFFSET] = tc->offset[TOPK_VALUE];
    to[TOPK_NUMBER_INDEX_OFFSET] = tc->offset[TOPK_INDEX];
    to[TOPK_NUMBER_ALIGNMENT] = input->alignment;
    to[TOPK_NUMBER_BYTES] = input->total_bytes;
    to[TOPK_NUMBER_SIZE_DIVISOR] =
        divisor(input->total_bytes | op->tensors[TOPK_VALUE].total_bytes |
                op->tensors[TOPK_INDEX].total_bytes);
    if (op->axis < input->rank) {
        const uint32_t n = input->sizes[op->axis];
        to[TOPK_NUMBER_N] = n;
        to[TOPK_NUMBER_N_DIVISOR] = divisor(n);
        to[TOPK_NUMBER_REST] = n > op->k ? n - op->k : 0;
    }
}

static uint64_t slack(const struct topk_tensor *tensor)
{
    return tensor->total_bytes - topk_tensor_least_bytes(tensor);
}

/* Adds the features that only the description of a valid case has. */
static void describe_valid(const struct topk_case *tc, struct topk_features *features)
{
    const struct topk_operator *op = &tc->op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    uint64_t *to = features->numbers;
    uint64_t strides[TOPK_RANK_MAX];
    topk_tensor_strides(input, strides);
    to[TOPK_NUMBER_ROWS] = topk_operator_sequences(op);
    to[TOPK_NUMBER_INNER] = 1;
    for (uint32_t i = op->axis + 1; i < input->rank; i++) {
        to[TOPK_NUMBER_INNER] *= input->sizes[i];
    }
    to[TOPK_NUMBER_STRIDE] = strides[op->axis];
    uint64_t value_strides[TOPK_RANK_MAX];
    uint64_t index_strides[TOPK_RANK_MAX];
    topk_tensor_strides(&op->tensors[TOPK_VALUE], value_strides);
    topk_tensor_strides(&op->tensors[TOPK_INDEX], index_strides);
    features->words[TOPK_CATEGORY_OUTPUT_STRIDES] =
        value_strides[op->axis] != index_strides[op->axis];
    to[TOPK_NUMBER_ELEMENTS] = topk_tensor_elements(input);
    to[TOPK_NUMBER_OUTPUTS] = topk_tensor_elements(&op->tensors[TOPK_VALUE]);
    to[TOPK_NUMBER_INPUT_SLACK] = slack(input);
    const uint64_t slacks[] = {slack(&op->tensors[TOPK_VALUE]), slack(&op->tensors[TOPK_INDEX])};
    to[TOPK_NUMBER_OUTPUT_SLACK] = slacks[slacks[0] < slacks[1]];
    to[TOPK_NUMBER_VALUE_BYTES] = op->tensors[TOPK_VALUE].total_bytes;
    to[TOPK_NUMBER_WIDTH] = topk_type_bytes(input->type);
    features->words[TOPK_CATEGORY_KIND] = topk_type_float(input->type)    ? 0
                                          : topk_type_signed(input->type) ? 1
                                                                          : 2;
}

/* ---- the data -------------------------------------------------------------------------------- */

/* What the elements examined so far have shown. */
struct seen {
    uint32_t type;
    bool words[TOPK_CATEGORY_COUNT];
    bool zeros[2]; /* in the current sequence: which zeros occurred */
    uint64_t bits;
};

static void see_float(struct seen *seen, uint64_t bits)
{
    const uint64_t sign = (uint64_t)1 << (8 * topk_type_bytes(seen->type) - 1);
    seen->words[TOPK_CATEGORY_NAN] |= topk_element_nan(seen->type, bits);
    seen->words[TOPK_CATEGORY_INFINITY] |= topk_element_inf(seen->type, bits);
    seen->words[TOPK_CATEGORY_DENORMAL] |= topk_element_denormal(seen->type, bits);
    if (topk_element_zero(seen->type, bits)) {
        seen->zeros[bits != 0] = true;
        seen->words[TOPK_CATEGORY_ZEROS] |= seen->zeros[0] && seen->zeros[1];
    }
    seen->words[TOPK_CATEGORY_NEGATIVE] |=
        (bits & sign) != 0 && !topk_element_nan(seen->type, bits);
}

static void see_integer(struct seen *seen, uint64_t bits)
{
    const uint32_t width = 8 * topk_type_bytes(seen->type);
    const uint64_t sign = (uint64_t)1 << (width - 1);
    const bool negative = topk_type_signed(seen->type) && (bits & sign) != 0;
    uint64_t magnitude = negative ? ~bits & (sign - 1) : bits;
    uint64_t needed = 0;
    while (magnitude != 0) {
        magnitude >>= 1;
        needed++;
    }
    seen->bits = needed > seen->bits ? needed : seen->bits;
    seen->words[TOPK_CATEGORY_NEGATIVE] |= negative;
}

static void see_sequences(const struct topk_operator *op, const unsigned char *tensor,
                          struct seen *seen)
{
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    const uint32_t bytes = topk_type_bytes(input->type);
    const uint64_t sequences = topk_operator_sequences(op);
    const uint64_t least = topk_element_least(seen->type);
    const uint64_t greatest = topk_element_greatest(seen->type);
    uint64_t strides[TOPK_RANK_MAX];
    topk_tensor_strides(input, strides);
    for (uint64_t s = 0; s < sequences; s++) {
        uint32_t at[TOPK_RANK_MAX];
        topk_operator_sequence_at(op, s, at);
        const unsigned char *row = tensor + topk_tensor_offset(input, at) * bytes;
        seen->zeros[0] = false;
        seen->zeros[1] = false;
        for (uint32_t i = 0; i < input->sizes[op->axis]; i++) {
            const uint64_t bits = topk_element_load(row + i * strides[op->axis] * bytes, bytes);
            seen->words[TOPK_CATEGORY_LEAST] |= bits == least;
            seen->words[TOPK_CATEGORY_GREATEST] |= bits == greatest;
            if (topk_type_float(seen->type)) {
                see_float(seen, bits);
            } else {
                see_integer(seen, bits);
            }
        }
    }
}

/* ---- relations ------------------------------------------------------------------------------- */

#define W(id) ((uint64_t)1 << TOPK_CATEGORY_##id)
#define N(id) ((uint64_t)1 << TOPK_NUMBER_##id)
#define SLACK (N(INPUT_SLACK) | N(OUTPUT_SLACK) | N(VALUE_BYTES) | N(SIZE_DIVISOR))

/* Features that a relation varies between its calls. They are unknown for a case with that
 * relation, because any of its calls may be the one that fails. */
static const struct varied {
    uint64_t categories, numbers;
} varied[TOPK_CHECK_COUNT] = {
    [TOPK_CHECK_TWIN] = {W(OPERATOR), 0},
    [TOPK_CHECK_PREFIX] = {W(K) | W(TIES) | W(VALUE_OUT) | W(INDEX_OUT) | W(OUTPUT_STRIDES),
                           N(K_NUMBER) | N(REST) | N(OUTPUTS) | N(K_DIVISOR) | SLACK},
    [TOPK_CHECK_ROW] = {W(BATCH), N(ROWS) | N(ELEMENTS) | N(OUTPUTS) | N(BYTES) | N(INNER) | SLACK},
    [TOPK_CHECK_PADDING] = {W(PADDING), 0},
    [TOPK_CHECK_OFFSET] = {0, N(OFFSET) | N(VALUE_OFFSET) | N(INDEX_OFFSET) | N(ALIGNMENT)},
    [TOPK_CHECK_LAYOUT] = {W(INPUT) | W(VALUE_OUT) | W(INDEX_OUT) | W(OUTPUT_STRIDES),
                           N(STRIDE) | N(BYTES) | SLACK},
    [TOPK_CHECK_AXES] = {W(AXIS) | W(INPUT) | W(VALUE_OUT) | W(INDEX_OUT) | W(OUTPUT_STRIDES),
                         N(INNER) | N(STRIDE) | N(BYTES) | SLACK},
    [TOPK_CHECK_PERMUTE] = {W(RECIPE), 0},
    /* these also make calls of other operators, types and shapes */
    [TOPK_CHECK_AFTER] = {~W(CHECK), ~(uint64_t)0},
    [TOPK_CHECK_CONCURRENT] = {~W(CHECK), ~(uint64_t)0},
    [TOPK_CHECK_DUAL] = {W(OPERATOR) | W(LEVEL) | W(DIRECTION) | W(NEGATIVE) | W(LEAST) |
                             W(GREATEST) | W(TIES) | W(RECIPE),
                         N(BITS)},
    [TOPK_CHECK_MONOTONE] = {W(NEGATIVE) | W(LEAST) | W(GREATEST) | W(INFINITY) | W(DENORMAL) |
                                 W(ZEROS) | W(RECIPE),
                             N(BITS)},
    [TOPK_CHECK_WIDEN] = {W(TYPE) | W(KIND) | W(LEAST) | W(GREATEST) | W(DENORMAL),
                          N(WIDTH) | N(BYTES) | N(BITS) | SLACK},
};

#undef W
#undef N
#undef SLACK

static void forget_varied(const struct topk_case *tc, struct topk_features *features)
{
    const struct varied *of = &varied[tc->check];
    for (unsigned i = 0; i < TOPK_CATEGORY_COUNT; i++) {
        if ((of->categories >> i & 1) != 0) {
            features->words[i] = TOPK_WORD_UNKNOWN;
        }
    }
    for (unsigned i = 0; i < TOPK_NUMBER_COUNT; i++) {
        if ((of->numbers >> i & 1) != 0) {
            features->numbers[i] = TOPK_NUMBER_UNKNOWN;
        }
    }
}

/* ---- a case ---------------------------------------------------------------------------------- */

static void take_aspects(const unsigned char classes[TOPK_ASPECT_COUNT], bool data,
                         struct topk_features *features)
{
    for (unsigned i = 0; i < TOPK_CATEGORY_COUNT; i++) {
        const unsigned aspect = categories[i].aspect;
        if (aspect != TOPK_ASPECT_COUNT && (aspect == TOPK_ASPECT_TIES) == data) {
            const unsigned word = classes[aspect] - topk_aspect_first((enum topk_aspect)aspect);
            /* outputs that overlap (T14) have a layout that no class describes */
            features->words[i] = word < topk_aspect_classes((enum topk_aspect)aspect)
                                     ? (uint8_t)word
                                     : TOPK_WORD_UNKNOWN;
        }
    }
}

static void forget_all(struct topk_features *features)
{
    memset(features->words, TOPK_WORD_UNKNOWN, sizeof features->words);
    for (unsigned i = 0; i < TOPK_NUMBER_COUNT; i++) {
        features->numbers[i] = TOPK_NUMBER_UNKNOWN;
    }
}

void topk_features_describe(const struct topk_case *tc, struct topk_features *features)
{
    unsigned char classes[TOPK_ASPECT_COUNT];
    forget_all(features);
    describe_any(tc, features);
    if (topk_aspects_described(tc, classes)) {
        describe_valid(tc, features);
        take_aspects(classes, false, features);
        forget_varied(tc, features);
    }
}

void topk_features_look(const struct topk_case *tc, uint64_t elements,
                        struct topk_features *features)
{
    const struct topk_tensor *input = &tc->op.tensors[TOPK_INPUT];
    unsigned char classes[TOPK_ASPECT_COUNT];
    struct seen seen = {.type = input->type};
    if (features->words[TOPK_CATEGORY_BREAKS] != 0 || topk_tensor_elements(input) > elements ||
        topk_case_too_large(tc)) {
        return;
    }
    if (topk_aspects_of(tc, classes)) {
        take_aspects(classes, true, features);
    }
    unsigned char *tensor = calloc((size_t)topk_tensor_least_bytes(input), 1);
    if (tensor != NULL && topk_case_fill(tc, tensor)) {
        see_sequences(&tc->op, tensor, &seen);
        for (unsigned i = TOPK_CATEGORY_NAN; i <= TOPK_CATEGORY_GREATEST; i++) {
            features->words[i] = seen.words[i];
        }
        features->numbers[TOPK_NUMBER_BITS] = seen.bits;
    }
    free(tensor);
    forget_varied(tc, features);
}

/* ---- a call of a sequence -------------------------------------------------------------------- */

uint32_t topk_features_call(bool failed, uint32_t call)
{
    return !failed ? 0 : call == 0 ? TOPK_CALL_UNKNOWN : call;
}

void topk_features_describe_call(const struct topk_case *tc, uint32_t call,
                                 struct topk_features *features)
{
    if (call == TOPK_CALL_UNKNOWN && tc->before_count > 0) {
        forget_all(features);
    } else {
        topk_features_describe(topk_case_call(tc, call), features);
    }
}

void topk_features_look_call(const struct topk_case *tc, uint32_t call, uint64_t elements,
                             struct topk_features *features)
{
    const struct topk_case *one = topk_case_call(tc, call);
    if ((call != TOPK_CALL_UNKNOWN || tc->before_count == 0) && one->out == 0) {
        topk_features_look(one, elements, features);
    }
}
