/* Writes the data of a case into a tensor: the logical elements, which may be the output of an
 * earlier call, and the padding and guards around them. */
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "reference/element.h"
#include "reference/oracle.h"

/* ---- data from the text ---------------------------------------------------------------------- */

static bool fill_literal(const struct topk_case *tc, unsigned char *tensor)
{
    const struct topk_tensor *input = &tc->op.tensors[TOPK_INPUT];
    uint32_t bytes = topk_type_bytes(input->type);
    uint32_t at[TOPK_RANK_MAX] = {0};
    for (uint32_t i = 0; i < tc->literal_count; i++) {
        topk_element_store(tensor + topk_tensor_offset(input, at) * bytes, bytes, tc->literal[i]);
        for (uint32_t d = input->rank; d-- > 0 && ++at[d] == input->sizes[d];) {
            at[d] = 0;
        }
    }
    return true;
}

/* Lays elements into a tensor, `step` bytes from one to the next. */
static void store_elements(const uint64_t *bits, uint32_t count, unsigned char *to, uint64_t step,
                           uint32_t bytes)
{
    /* one loop for each width, so that the compiler has it as a constant, and one for elements side
     * by side, which it vectorizes */
#define LOOP(width)                                                                                \
    if (step == (width)) {                                                                         \
        for (uint32_t i = 0; i < count; i++) {                                                     \
            topk_element_store(to + (uint64_t)i * (width), width, bits[i]);                        \
        }                                                                                          \
        break;                                                                                     \
    }                                                                                              \
    for (uint32_t i = 0; i < count; i++, to += step) {                                             \
        topk_element_store(to, width, bits[i]);                                                    \
    }                                                                                              \
    break
    switch (bytes) {
    case 1:
        LOOP(1);
    case 2:
        LOOP(2);
    case 4:
        LOOP(4);
    default:
        LOOP(8);
    }
#undef LOOP
}

/* elements that are made at once, if the recipe can: they stay in the nearest cache */
#define PART 1024u

/* fills row by row with the recipe; without one, all bits stay zero */
static bool fill_rows(const struct topk_case *tc, unsigned char *tensor)
{
    const struct topk_operator *op = &tc->op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    uint32_t bytes = topk_type_bytes(input->type);
    uint64_t strides[TOPK_RANK_MAX];
    topk_tensor_strides(input, strides);
    uint64_t step = strides[op->axis] * bytes;
    uint64_t small[PART] = {0};
    struct topk_row row = {.type = input->type,
                           .length = input->sizes[op->axis],
                           .k = op->k,
                           .increasing = topk_operator_increasing(op),
                           .parameters = tc->parameters,
                           .bits = small};
    const bool parts = tc->recipe == NULL || tc->recipe->parts;
    if (row.length > PART && !parts) {
        row.bits = malloc(row.length * sizeof *row.bits);
        if (row.bits == NULL) {
            return false;
        }
    }
    const uint32_t together = parts ? PART : row.length;
    uint64_t sequences = topk_operator_sequences(op);
    uint32_t at[TOPK_RANK_MAX] = {0};
    for (row.sequence = 0; row.sequence < sequences; row.sequence++) {
        uint64_t place = 0;
        for (uint32_t d = 0; d < input->rank; d++) {
            place += at[d] * strides[d];
        }
        topk_operator_sequence_next(op, at);
        unsigned char *to = tensor + place * bytes;
        for (uint32_t from = 0; from < row.length; from += together, to += together * step) {
            const uint32_t count = row.length - from < together ? row.length - from : together;
            if (tc->recipe != NULL) {
                topk_recipe_fill_part(tc->recipe, &row, from, count);
            }
            store_elements(row.bits, count, to, step, bytes);
        }
    }
    if (row.bits != small) {
        free(row.bits);
    }
    return true;
}

/* fills from the case's own text: the data is no output */
static bool fill_own(const struct topk_case *tc, unsigned char *tensor)
{
    return tc->literal != NULL ? fill_literal(tc, tensor) : fill_rows(tc, tensor);
}

/* ---- outputs as data ------------------------------------------------------------------------- */

/* whether the call `number`, from 1, has data, or the call whose output it uses exists */
static bool connected(const struct topk_case *tc, uint32_t number)
{
    const struct topk_case *call = topk_case_call(tc, number);
    if (call->out == 0) {
        return true;
    }
    if (call->out >= number) {
        return false;
    }
    const struct topk_tensor *input = &call->op.tensors[TOPK_INPUT];
    const struct topk_tensor *value =
        &topk_case_call(tc, number - call->out)->op.tensors[TOPK_VALUE];
    return input->present && value->present && input->type == value->type &&
           topk_type_bytes(input->type) > 0 && topk_tensor_elements(input) <= TOPK_LITERAL_MAX &&
           topk_tensor_elements(value) <= TOPK_LITERAL_MAX;
}

bool topk_case_connected(const struct topk_case *tc)
{
    bool all = true;
    for (uint32_t i = 1; i <= tc->before_count + 1; i++) {
        all = all && connected(tc, i);
    }
    return all;
}

uint64_t *topk_case_carry(const struct topk_case *tc, const uint64_t *output, uint32_t count)
{
    const uint64_t elements = topk_tensor_elements(&tc->op.tensors[TOPK_INPUT]);
    uint64_t *literal = calloc(elements + 1, sizeof *literal);
    for (uint64_t i = 0; literal != NULL && count > 0 && i < elements; i++) {
        literal[i] = output[i % count];
    }
    return literal;
}

/* Computes the value output of a case of one call with the reference, in row-major order. *count is
 * 0 if it is not computed. False if memory is short. */
static bool reference_output(const struct topk_case *tc, uint64_t **output, uint32_t *count)
{
    const struct topk_operator *op = &tc->op;
    struct topk_validity validity;
    topk_operator_validate(op, op->level, &validity);
    *output = NULL;
    *count = 0;
    if (!topk_clause_set_empty(&validity.broken) || topk_case_too_large(tc)) {
        return true;
    }
    const uint32_t elements = (uint32_t)topk_tensor_elements(&op->tensors[TOPK_VALUE]);
    unsigned char *tensor = calloc(1, (size_t)op->tensors[TOPK_INPUT].total_bytes);
    uint64_t *row = malloc((size_t)op->k * 2 * sizeof *row); /* K values, then K indices */
    *output = malloc((size_t)elements * sizeof **output);
    bool ok = tensor != NULL && row != NULL && *output != NULL && fill_own(tc, tensor);
    uint64_t inner = 1; /* elements between neighbours along Axis */
    for (uint32_t d = op->axis + 1; d < op->tensors[TOPK_VALUE].rank; d++) {
        inner *= op->tensors[TOPK_VALUE].sizes[d];
    }
    const uint64_t sequences = topk_operator_sequences(op);
    for (uint64_t s = 0; ok && s < sequences; s++) {
        ok = topk_oracle_sequence(op, tensor, s, row, row + op->k) != TOPK_ORACLE_NO_MEMORY;
        for (uint32_t j = 0; ok && j < op->k; j++) {
            (*output)[(s / inner * op->k + j) * inner + s % inner] = row[j];
        }
    }
    *count = ok ? elements : 0;
    free(tensor);
    free(row);
    return ok;
}

bool topk_case_alone(struct topk_case *to, const struct topk_case *tc, uint32_t number)
{
    const uint32_t own = number == 0 || number > tc->before_count ? tc->before_count + 1 : number;
    struct topk_case call = *topk_case_call(tc, own);
    call.before = NULL;
    call.before_count = 0;
    bool ok = topk_case_copy(to, &call);
    const uint32_t out = to->out;
    to->out = 0;
    if (!ok || out == 0 || !connected(tc, own) ||
        topk_tensor_elements(&to->op.tensors[TOPK_INPUT]) == 0) {
        return ok;
    }
    struct topk_case from = {0};
    uint64_t *output = NULL;
    uint32_t count = 0;
    ok = topk_case_alone(&from, tc, own - out) && reference_output(&from, &output, &count);
    if (ok) {
        to->literal = topk_case_carry(to, output, count);
        to->literal_count = (uint32_t)topk_tensor_elements(&to->op.tensors[TOPK_INPUT]);
        ok = to->literal != NULL;
    }
    topk_case_clear(&from);
    free(output);
    return ok;
}

bool topk_case_fill(const struct topk_case *tc, unsigned char *tensor)
{
    if (tc->recipe != NULL || tc->literal != NULL || tc->out == 0) {
        return fill_own(tc, tensor);
    }
    struct topk_case alone;
    const bool ok = topk_case_alone(&alone, tc, 0) && fill_own(&alone, tensor);
    topk_case_clear(&alone);
    return ok;
}

/* ---- around the data ------------------------------------------------------------------------- */

static uint64_t padding_bits(const struct topk_case *tc)
{
    uint32_t type = tc->op.tensors[TOPK_INPUT].type;
    bool increasing = topk_operator_increasing(&tc->op);
    switch (tc->padding) {
    case TOPK_PADDING_WIN:
        return increasing ? topk_element_least(type) : topk_element_greatest(type);
    case TOPK_PADDING_LOSE:
        return increasing ? topk_element_greatest(type) : topk_element_least(type);
    case TOPK_PADDING_NAN:
        return type == TOPK_TYPE_F32 ? 0x7fc00000 : type == TOPK_TYPE_F16 ? 0x7e00 : UINT64_MAX;
    default:
        return 0;
    }
}

/* the same random bytes each time; a buffer keeps those that small cases need */
static void fill_random(unsigned char *data, uint64_t bytes)
{
    enum {
        KEPT = 8192
    };
    static unsigned char kept[KEPT];
    static struct topk_pcg behind; /* the generator's state at the end of `kept` */
    static bool drawn;
    if (!drawn) {
        topk_pcg_seed(&behind, 1, 1);
        for (int i = 0; i < KEPT; i++) {
            kept[i] = (unsigned char)(topk_pcg_next(&behind) >> 24);
        }
        drawn = true;
    }
    memcpy(data, kept, bytes < KEPT ? bytes : KEPT);
    struct topk_pcg pcg = behind;
    for (uint64_t i = KEPT; i < bytes; i++) {
        data[i] = (unsigned char)(topk_pcg_next(&pcg) >> 24);
    }
}

/* writes an element again and again; data[at] is a first byte of it */
static void repeat_element(unsigned char *data, uint64_t bytes, uint64_t at,
                           const unsigned char *element, uint32_t size)
{
    for (uint64_t i = 0; i < bytes && i < size; i++) {
        data[i] = element[(i + size - at % size) % size];
    }
    for (uint64_t done = size; done < bytes;) {
        uint64_t run = done < bytes - done ? done : bytes - done;
        memcpy(data + done, data, run);
        done += run;
    }
}

void topk_case_fill_padding(const struct topk_case *tc, unsigned char *data, uint64_t bytes,
                            uint64_t offset)
{
    const struct topk_tensor *input = &tc->op.tensors[TOPK_INPUT];
    const uint32_t size = topk_type_bytes(input->type);
    if (tc->padding == TOPK_PADDING_RANDOM) {
        fill_random(data, bytes);
    } else {
        const uint64_t bits = padding_bits(tc);
        unsigned char element[8];
        topk_element_store(element, size, bits);
        topk_elements_turn(element, size, size);
        const uint64_t total = input->total_bytes;
        if (!input->strided && topk_tensor_elements(input) * size == total && offset <= bytes &&
            total <= bytes - offset) {
            /* packed: none of it is inside */
            repeat_element(data, offset, offset, element, size);
            repeat_element(data + offset + total, bytes - offset - total, 0, element, size);
        } else {
            repeat_element(data, bytes, offset, element, size);
        }
    }
    /* the padding consists of elements, in the byte order of the machine */
    const uint64_t from = size == 0 ? 0 : offset % size;
    if (from < bytes) {
        topk_elements_turn(data + from, size, bytes - from);
    }
}

/* least size of a guard in bytes */
#define GUARD 256u
/* greatest alignment with a front guard; with a greater one the tensor starts the buffer */
#define GUARD_ALIGNED 1048576u
/* largest extra back guard: what writes past the end in strides shall hit it */
#define GUARD_EXTRA 65536u

struct topk_place topk_case_place(const struct topk_case *tc, enum topk_role role)
{
    const struct topk_tensor *tensor = &tc->op.tensors[role];
    const uint64_t offset = tc->offset[role];
    const uint64_t total = tensor->total_bytes;
    if (offset > UINT64_MAX / 4 || total > UINT64_MAX / 4) {
        return (struct topk_place){.bytes = UINT64_MAX / 4};
    }
    /* a multiple of the alignment, to keep the tensor aligned */
    const uint64_t front = tensor->alignment > GUARD_ALIGNED ? 0
                           : tensor->alignment > GUARD       ? tensor->alignment
                                                             : GUARD;
    const uint64_t extra = total < GUARD_EXTRA ? total : GUARD_EXTRA;
    return (struct topk_place){.bytes = front + offset + total + GUARD + extra / 4 * 4,
                               .offset = front + offset};
}

uint64_t topk_case_memory(const struct topk_case *tc)
{
    uint64_t calls = 1;
    uint64_t bytes = 0;
    if (tc->check != TOPK_CHECK_NONE) {
        calls += topk_check_row(tc->check)->calls;
    }
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        /* the input is not copied when it comes back */
        const uint64_t copies = role == TOPK_INPUT ? 2 : 3;
        const uint64_t one = topk_case_place(tc, (enum topk_role)role).bytes;
        if (one > UINT64_MAX / 4 / copies / calls / TOPK_ROLE_COUNT) {
            return UINT64_MAX;
        }
        bytes += copies * calls * one;
    }
    if (tc->recipe != NULL) {
        bytes += sizeof(uint64_t) * tc->op.tensors[TOPK_INPUT].sizes[tc->op.axis];
    }
    return bytes;
}
