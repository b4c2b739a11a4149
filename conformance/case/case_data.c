/* The data of a case: its logical elements laid into a tensor, and the padding around them. */
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "reference/element.h"

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

/* Lays a row into a tensor, `step` bytes from one element to the next. */
static void store_row(const struct topk_row *row, unsigned char *to, uint64_t step, uint32_t bytes)
{
    /* a loop for each width, in which it is known */
#define LOOP(width)                                                                                \
    for (uint32_t i = 0; i < row->length; i++, to += step) {                                       \
        topk_element_store(to, width, row->bits[i]);                                               \
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

/* bits of every row in turn; without a recipe they stay zero */
static bool fill_rows(const struct topk_case *tc, unsigned char *tensor)
{
    const struct topk_operator *op = &tc->op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    uint32_t bytes = topk_type_bytes(input->type);
    uint64_t strides[TOPK_RANK_MAX];
    topk_tensor_strides(input, strides);
    uint64_t step = strides[op->axis] * bytes;
    uint64_t small[256] = {0};
    struct topk_row row = {.type = input->type,
                           .length = input->sizes[op->axis],
                           .k = op->k,
                           .increasing = topk_operator_increasing(op),
                           .parameters = tc->parameters,
                           .bits = small};
    if (row.length > sizeof small / sizeof small[0]) {
        row.bits = calloc(row.length, sizeof *row.bits);
        if (row.bits == NULL) {
            return false;
        }
    }
    uint64_t sequences = topk_operator_sequences(op);
    for (row.sequence = 0; row.sequence < sequences; row.sequence++) {
        uint32_t at[TOPK_RANK_MAX] = {0};
        topk_operator_sequence_at(op, row.sequence, at);
        unsigned char *to = tensor;
        for (uint32_t d = 0; d < input->rank; d++) {
            to += at[d] * strides[d] * bytes;
        }
        if (tc->recipe != NULL) {
            topk_recipe_fill(tc->recipe, &row);
        }
        store_row(&row, to, step, bytes);
    }
    if (row.bits != small) {
        free(row.bits);
    }
    return true;
}

bool topk_case_fill(const struct topk_case *tc, unsigned char *tensor)
{
    if (tc->recipe == NULL && tc->literal == NULL && tc->out != 0) {
        struct topk_case alone;
        const bool ok = topk_case_alone(&alone, tc, 0) && topk_case_fill(&alone, tensor);
        topk_case_clear(&alone);
        return ok;
    }
    return tc->literal != NULL ? fill_literal(tc, tensor) : fill_rows(tc, tensor);
}

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

/* random bytes, the same each time: those of small cases are drawn once */
static void fill_random(unsigned char *data, uint64_t bytes)
{
    enum {
        KEPT = 8192
    };
    static unsigned char kept[KEPT];
    static struct topk_pcg behind; /* goes on where kept ends */
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
        for (uint64_t i = 0; i < bytes && i < size; i++) {
            data[i] = element[(i + size - offset % size) % size];
        }
        for (uint64_t done = size; done < bytes;) {
            uint64_t run = done < bytes - done ? done : bytes - done;
            memcpy(data + done, data, run);
            done += run;
        }
    }
    /* they are elements in the byte order of the machine */
    const uint64_t from = size == 0 ? 0 : offset % size;
    if (from < bytes) {
        topk_elements_turn(data + from, size, bytes - from);
    }
}

/* least bytes of a guard */
#define GUARD 256u
/* largest alignment for which there is a front guard; beyond it the tensor starts the buffer */
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
    /* the front guard is a multiple of the alignment */
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
        /* an input that came back as it was given has no copy */
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
