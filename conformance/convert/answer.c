/* See answer.h. */
#include "answer.h"

#include <stdlib.h>
#include <string.h>

#include "reference/element.h"
#include "reference/oracle.h"

static const char *const other_texts[] = {
#define OTHER(name, clause, text) #clause ": " text,
    TOPK_OTHER_LIST(OTHER)
#undef OTHER
};

const char *topk_other_text(enum topk_other other)
{
    return other_texts[other];
}

/* Advances to the next coordinates in row-major order; false after the last. */
static bool next(const struct topk_tensor *tensor, uint32_t at[TOPK_RANK_MAX])
{
    for (uint32_t d = tensor->rank; d-- > 0;) {
        if (++at[d] < tensor->sizes[d]) {
            return true;
        }
        at[d] = 0;
    }
    return false;
}

static bool has_denormal(const struct topk_tensor *tensor, const unsigned char *from)
{
    uint32_t at[TOPK_RANK_MAX] = {0};
    const uint32_t bytes = topk_type_bytes(tensor->type);
    do {
        const uint64_t bits =
            topk_element_load(from + topk_tensor_offset(tensor, at) * bytes, bytes);
        if (topk_element_denormal(tensor->type, bits)) {
            return true;
        }
    } while (next(tensor, at));
    return false;
}

bool topk_answer_make(const struct topk_case *tc, struct topk_answer *answer)
{
    const struct topk_operator *op = &tc->op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    *answer = (struct topk_answer){0};
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        answer->tensors[role] = calloc(1, (size_t)op->tensors[role].total_bytes);
        if (answer->tensors[role] == NULL) {
            return false;
        }
    }
    if (!topk_case_fill(tc, answer->tensors[TOPK_INPUT])) {
        return false;
    }
    const enum topk_oracle_status status = topk_oracle_run(
        op, answer->tensors[TOPK_INPUT], answer->tensors[TOPK_VALUE], answer->tensors[TOPK_INDEX]);
    const bool single = input->type == TOPK_TYPE_F32;
    answer->others[TOPK_OTHER_NAN] = status == TOPK_ORACLE_NAN;
    answer->others[TOPK_OTHER_DENORMAL] =
        single && has_denormal(input, answer->tensors[TOPK_INPUT]);
    answer->others[TOPK_OTHER_HALF] = single && (op->execution & TOPK_EXECUTION_HALF) != 0;
    return status != TOPK_ORACLE_NO_MEMORY;
}

void topk_answer_free(struct topk_answer *answer)
{
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        free(answer->tensors[role]);
    }
    memset(answer, 0, sizeof *answer);
}

bool topk_answer_pack(const struct topk_tensor *tensor, const unsigned char *from, uint32_t type,
                      struct topk_packed *packed)
{
    struct topk_refusal ignored; /* the tensor is valid */
    int64_t sizes[TOPK_RANK_MAX];
    uint32_t at[TOPK_RANK_MAX] = {0};
    const uint32_t bytes = topk_type_bytes(tensor->type);
    uint64_t element = 0;
    for (uint32_t d = 0; d < tensor->rank; d++) {
        sizes[d] = tensor->sizes[d];
    }
    if (!topk_packed_shape(packed, type, sizes, tensor->rank, 0, &ignored) ||
        !topk_packed_allocate(packed, 0, &ignored)) {
        return false;
    }
    do {
        topk_packed_set(packed, element++,
                        topk_element_load(from + topk_tensor_offset(tensor, at) * bytes, bytes));
    } while (next(tensor, at));
    return true;
}

bool topk_tensor_padded(const struct topk_tensor *tensor)
{
    return tensor->total_bytes != topk_tensor_elements(tensor) * topk_type_bytes(tensor->type);
}
