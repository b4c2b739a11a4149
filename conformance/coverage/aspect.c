/* Computes the classes of a case from its description and its data. */
#include "aspect.h"

#include <stdlib.h>

#include "case/case.h"

static const struct {
    const char *name;
    const char *about;
} aspects[] = {
#define ASPECT(id, name, about) {name, about},
#define CLASS(aspect, id, name)
#include "aspects.def"
#undef ASPECT
#undef CLASS
};

static const struct {
    const char *name;
    unsigned char aspect;
} classes_of_all[] = {
#define ASPECT(id, name, about)
#define CLASS(aspect, id, name) {name, TOPK_ASPECT_##aspect},
#include "aspects.def"
#undef ASPECT
#undef CLASS
};

_Static_assert(TOPK_CLASS_COUNT < 255, "a class is an unsigned char, and 255 stands for no class");

const char *topk_aspect_name(enum topk_aspect aspect)
{
    return aspects[aspect].name;
}

const char *topk_aspect_about(enum topk_aspect aspect)
{
    return aspects[aspect].about;
}

const char *topk_aspect_class_name(unsigned class)
{
    return classes_of_all[class].name;
}

enum topk_aspect topk_aspect_of_class(unsigned class)
{
    return (enum topk_aspect)classes_of_all[class].aspect;
}

/* the number of each aspect's first class. ASPECT uses up a number; BEFORE_ steps back, so that the
 * next class gets the same number */
enum {
#define ASPECT(id, name, about) FIRST_##id, BEFORE_##id = FIRST_##id - 1,
#define CLASS(aspect, id, name) NUMBER_##aspect##_##id,
#include "aspects.def"
#undef ASPECT
#undef CLASS
};

static const unsigned char first[] = {
#define ASPECT(id, name, about) FIRST_##id,
#define CLASS(aspect, id, name)
#include "aspects.def"
#undef ASPECT
#undef CLASS
    TOPK_CLASS_COUNT};

unsigned topk_aspect_first(enum topk_aspect aspect)
{
    return first[aspect];
}

unsigned topk_aspect_classes(enum topk_aspect aspect)
{
    return (unsigned)first[aspect + 1] - first[aspect];
}

/* ---- the description ------------------------------------------------------------------------- */

static bool power(uint32_t number)
{
    return (number & (number - 1)) == 0;
}

static bool prime(uint32_t number)
{
    for (uint32_t i = 2; i * i <= number; i++) {
        if (number % i == 0) {
            return false;
        }
    }
    return number > 1;
}

enum topk_class topk_aspect_length_class(uint32_t length)
{
    return length <= 3         ? (enum topk_class)(TOPK_CLASS_LENGTH_1 + length - 1)
           : length <= 16      ? TOPK_CLASS_LENGTH_SHORT
           : length > 65536    ? TOPK_CLASS_LENGTH_HUGE
           : length > 1024     ? TOPK_CLASS_LENGTH_LONG
           : power(length + 1) ? TOPK_CLASS_LENGTH_BELOW_POWER
           : power(length)     ? TOPK_CLASS_LENGTH_POWER
           : power(length - 1) ? TOPK_CLASS_LENGTH_ABOVE_POWER
           : prime(length)     ? TOPK_CLASS_LENGTH_PRIME
                               : TOPK_CLASS_LENGTH_OTHER;
}

enum topk_class topk_aspect_k_class(uint32_t k, uint32_t length)
{
    return k == 1            ? TOPK_CLASS_K_1
           : k == length     ? TOPK_CLASS_K_ALL
           : k == 2          ? TOPK_CLASS_K_2
           : k == length - 1 ? TOPK_CLASS_K_ALL_BUT_ONE
           : k == length / 2 ? TOPK_CLASS_K_HALF
           : power(k + 1)    ? TOPK_CLASS_K_BELOW_POWER
           : power(k)        ? TOPK_CLASS_K_POWER
           : power(k - 1)    ? TOPK_CLASS_K_ABOVE_POWER
                             : TOPK_CLASS_K_OTHER;
}

static unsigned level_class(uint32_t level)
{
    unsigned class = TOPK_CLASS_LEVEL_2_0;
    for (unsigned i = 1; i < TOPK_LEVEL_COUNT; i++) {
        class += level >= topk_levels[i];
    }
    return class;
}

static unsigned type_class(uint32_t type)
{
    unsigned i = 0;
    while (topk_types[i] != type) {
        i++;
    }
    return TOPK_CLASS_TYPE_F32 + i;
}

static unsigned axis_class(uint32_t axis, uint32_t rank)
{
    return rank == 1          ? TOPK_CLASS_AXIS_ONLY
           : axis == 0        ? TOPK_CLASS_AXIS_FIRST
           : axis + 1 == rank ? TOPK_CLASS_AXIS_LAST
                              : TOPK_CLASS_AXIS_MIDDLE;
}

static unsigned batch_class(const struct topk_tensor *input, uint32_t axis)
{
    unsigned dimensions = 0;
    for (uint32_t i = 0; i < input->rank; i++) {
        dimensions += i != axis && input->sizes[i] > 1;
    }
    return TOPK_CLASS_BATCH_NONE + (dimensions > 2 ? 2 : dimensions);
}

/* The class of the input's layout; those of outputs have the same numbers. If several classes fit,
 * the last one counts: a permuted and padded tensor is permuted. */
static unsigned layout_class(const struct topk_tensor *tensor)
{
    unsigned class = TOPK_CLASS_INPUT_PACKED;
    bool neighbours = false; /* some dimension has stride 1 */
    bool is_long = false;    /* there is more than one element */
    uint64_t last_stride = UINT64_MAX;
    struct topk_tensor plain = *tensor;
    plain.strided = false;
    uint64_t packed[TOPK_RANK_MAX];
    topk_tensor_strides(&plain, packed);
    if (tensor->strided) {
        class = TOPK_CLASS_INPUT_EXPLICIT;
    }
    if (tensor->total_bytes > topk_tensor_least_bytes(tensor)) {
        class = TOPK_CLASS_INPUT_SLACK;
    }
    bool fits[TOPK_CLASS_INPUT_WINDOWS + 1] = {false};
    plain = *tensor; /* the tensor, from which broadcast dimensions are removed below */
    for (uint32_t i = 0; tensor->strided && i < tensor->rank; i++) {
        uint32_t stride = tensor->strides[i];
        if (tensor->sizes[i] == 1) {
            fits[TOPK_CLASS_INPUT_SIZE_ONE] |= stride != packed[i];
            continue;
        }
        is_long = true;
        neighbours |= stride == 1;
        fits[TOPK_CLASS_INPUT_PADDED] |= stride != packed[i];
        fits[TOPK_CLASS_INPUT_PERMUTED] |= stride > last_stride;
        fits[TOPK_CLASS_INPUT_BROADCAST] |= stride == 0;
        plain.sizes[i] = stride == 0 ? 1 : tensor->sizes[i];
        last_stride = stride;
    }
    fits[TOPK_CLASS_INPUT_INTERLEAVED] = is_long && !neighbours;
    fits[TOPK_CLASS_INPUT_WINDOWS] = topk_tensor_overlaps(&plain);
    for (unsigned i = TOPK_CLASS_INPUT_SIZE_ONE; i <= TOPK_CLASS_INPUT_WINDOWS; i++) {
        class = fits[i] ? i : class;
    }
    return class;
}

static void describe(const struct topk_operator *op, unsigned char classes[TOPK_ASPECT_COUNT])
{
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    const struct topk_tensor *index = &op->tensors[TOPK_INDEX];
    uint32_t length = input->sizes[op->axis];
    const unsigned found[TOPK_ASPECT_COUNT] = {
        [TOPK_ASPECT_OPERATOR] =
            op->kind == TOPK_TOP_K ? TOPK_CLASS_OPERATOR_TOP_K : TOPK_CLASS_OPERATOR_TOP_K1,
        [TOPK_ASPECT_LEVEL] = level_class(op->level),
        [TOPK_ASPECT_TYPE] = type_class(input->type),
        [TOPK_ASPECT_INDEX] =
            index->type == TOPK_TYPE_U64 ? TOPK_CLASS_INDEX_U64 : TOPK_CLASS_INDEX_U32,
        [TOPK_ASPECT_RANK] = TOPK_CLASS_RANK_1 + input->rank - 1,
        [TOPK_ASPECT_AXIS] = axis_class(op->axis, input->rank),
        [TOPK_ASPECT_DIRECTION] = topk_operator_increasing(op) ? TOPK_CLASS_DIRECTION_SMALLEST
                                                               : TOPK_CLASS_DIRECTION_LARGEST,
        [TOPK_ASPECT_K] = topk_aspect_k_class(op->k, length),
        [TOPK_ASPECT_LENGTH] = topk_aspect_length_class(length),
        [TOPK_ASPECT_BATCH] = batch_class(input, op->axis),
        [TOPK_ASPECT_INPUT] = layout_class(input),
        [TOPK_ASPECT_VALUE_OUT] = layout_class(&op->tensors[TOPK_VALUE]) - TOPK_CLASS_INPUT_PACKED +
                                  TOPK_CLASS_VALUE_OUT_PACKED,
        [TOPK_ASPECT_INDEX_OUT] =
            layout_class(index) - TOPK_CLASS_INPUT_PACKED + TOPK_CLASS_INDEX_OUT_PACKED,
        [TOPK_ASPECT_TIES] = TOPK_CLASS_TIES_NONE,
        [TOPK_ASPECT_SPECIALS] = TOPK_CLASS_SPECIALS_NONE,
    };
    for (unsigned i = 0; i < TOPK_ASPECT_COUNT; i++) {
        classes[i] = (unsigned char)found[i];
    }
}

/* ---- the data -------------------------------------------------------------------------------- */

/* findings about the sequences that were read */
struct seen {
    uint32_t type;
    uint32_t length;
    uint32_t k;
    struct topk_keyed *elements; /* one sequence; the element selected first has the least key */
    struct topk_keyed *spare;    /* room for as many */
    unsigned ties;
    unsigned specials;
    bool ordered; /* some sequence has no NaN */
};

static void raise(unsigned *class, unsigned to)
{
    *class = *class < to ? to : *class;
}

/* the ties of a sequence without NaN */
static void see_ties(struct seen *seen)
{
    bool same = true;
    for (uint32_t i = 1; same && i < seen->length; i++) {
        same = seen->elements[i].key == seen->elements[0].key;
    }
    seen->ordered = true;
    if (same && seen->length > 1) {
        seen->ties = TOPK_CLASS_TIES_ALL;
    }
    if (seen->ties >= TOPK_CLASS_TIES_BOUNDARY) {
        return; /* sorting takes long, and a stronger class was found already */
    }
    const struct topk_keyed *sorted = topk_sort_keyed(seen->elements, seen->spare, seen->length);
    for (uint32_t i = 1; i < seen->length; i++) {
        if (sorted[i].key == sorted[i - 1].key) {
            raise(&seen->ties, i < seen->k    ? TOPK_CLASS_TIES_INSIDE
                               : i == seen->k ? TOPK_CLASS_TIES_BOUNDARY
                                              : TOPK_CLASS_TIES_UNSELECTED);
        }
    }
}

/* whether a value has the greatest finite magnitude, or for an integer is an end of the range */
static bool extreme(uint32_t type, uint64_t bits, uint64_t least, uint64_t greatest)
{
    if (topk_type_float(type)) {
        return bits == greatest - 1 || bits == least - 1;
    }
    return bits == greatest || bits == least;
}

static bool see_specials(struct seen *seen)
{
    uint64_t least = topk_element_least(seen->type);
    uint64_t greatest = topk_element_greatest(seen->type);
    bool is_float = topk_type_float(seen->type);
    bool nan = false;
    bool zeros[2] = {false, false};
    for (uint32_t i = 0; i < seen->length; i++) {
        const uint64_t bits = seen->elements[i].bits;
        if (extreme(seen->type, bits, least, greatest)) {
            raise(&seen->specials, TOPK_CLASS_SPECIALS_EXTREMES);
        }
        if (!is_float) {
            continue;
        }
        if (topk_element_zero(seen->type, bits)) {
            zeros[bits != 0] = true;
        } else if (topk_element_inf(seen->type, bits)) {
            raise(&seen->specials, TOPK_CLASS_SPECIALS_INFINITIES);
        } else if (topk_element_denormal(seen->type, bits)) {
            raise(&seen->specials, TOPK_CLASS_SPECIALS_DENORMALS);
        } else {
            nan = nan || topk_element_nan(seen->type, bits);
        }
    }
    if (zeros[0] && zeros[1]) {
        raise(&seen->specials, TOPK_CLASS_SPECIALS_ZEROS);
    }
    if (nan) {
        raise(&seen->specials, TOPK_CLASS_SPECIALS_NAN);
    }
    return nan;
}

static void see_sequences(const struct topk_case *tc, const unsigned char *tensor,
                          struct seen *seen)
{
    const struct topk_operator *op = &tc->op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    uint32_t bytes = topk_type_bytes(input->type);
    uint64_t flip = topk_operator_increasing(op) ? 0 : UINT64_MAX;
    uint64_t strides[TOPK_RANK_MAX];
    topk_tensor_strides(input, strides);
    uint64_t sequences = topk_operator_sequences(op);
    for (uint64_t s = 0; s < sequences; s++) {
        uint32_t at[TOPK_RANK_MAX];
        topk_operator_sequence_at(op, s, at);
        const unsigned char *from = tensor + topk_tensor_offset(input, at) * bytes;
        for (uint32_t i = 0; i < seen->length; i++) {
            seen->elements[i].bits = topk_element_load(from, bytes);
            from += i + 1 < seen->length ? strides[op->axis] * bytes : 0;
        }
        if (see_specials(seen)) {
            continue; /* a NaN: no order is prescribed, so that ties mean nothing */
        }
        for (uint32_t i = 0; i < seen->length; i++) {
            struct topk_keyed *element = &seen->elements[i];
            element->key = topk_element_key(input->type, element->bits) ^ flip;
        }
        see_ties(seen);
    }
}

static bool look(const struct topk_case *tc, unsigned char classes[TOPK_ASPECT_COUNT])
{
    const struct topk_tensor *input = &tc->op.tensors[TOPK_INPUT];
    if (topk_case_too_large(tc)) {
        return false;
    }
    uint64_t bytes = topk_tensor_least_bytes(input);
    uint32_t length = input->sizes[tc->op.axis];
    unsigned char *tensor = calloc((size_t)bytes, 1);
    /* twice the length: sorting needs scratch space */
    struct topk_keyed *elements = malloc((size_t)length * 2 * sizeof *elements);
    bool ok = tensor != NULL && elements != NULL && topk_case_fill(tc, tensor);
    if (ok) {
        struct seen seen = {.type = input->type,
                            .length = length,
                            .k = tc->op.k,
                            .elements = elements,
                            .spare = elements + length,
                            .ties = TOPK_CLASS_TIES_NONE,
                            .specials = TOPK_CLASS_SPECIALS_NONE};
        see_sequences(tc, tensor, &seen);
        classes[TOPK_ASPECT_TIES] =
            (unsigned char)(seen.ordered ? seen.ties : (unsigned)TOPK_CLASS_TIES_UNORDERED);
        classes[TOPK_ASPECT_SPECIALS] = (unsigned char)seen.specials;
    }
    free(tensor);
    free(elements);
    return ok;
}

bool topk_aspects_count(const struct topk_case *tc)
{
    struct topk_validity validity;
    topk_operator_validate(&tc->op, tc->op.level, &validity);
    return topk_clause_set_empty(&validity.broken) &&
           !topk_clause_set_has(&validity.latitude, TOPK_CLAUSE_V12) &&
           !topk_clause_set_has(&validity.latitude, TOPK_CLAUSE_T10b) &&
           !topk_clause_set_has(&validity.latitude, TOPK_CLAUSE_T14);
}

bool topk_aspects_ask(const struct topk_case *tc)
{
    return topk_aspects_count(tc) && !topk_case_misbound(tc) && !topk_case_too_large(tc);
}

bool topk_aspects_of(const struct topk_case *tc, unsigned char classes[TOPK_ASPECT_COUNT])
{
    if (!topk_aspects_count(tc)) {
        return false;
    }
    describe(&tc->op, classes);
    return look(tc, classes);
}

bool topk_aspects_described(const struct topk_case *tc, unsigned char classes[TOPK_ASPECT_COUNT])
{
    struct topk_validity validity;
    topk_operator_validate(&tc->op, tc->op.level, &validity);
    if (!topk_clause_set_empty(&validity.broken)) {
        return false;
    }
    describe(&tc->op, classes);
    return true;
}
