/* Single fields of a case: the words for padding and checks, and the limits beyond which a case is
 * not run or not judged. */
#include "case.h"
#include "reference/judge.h"

static const struct topk_padding_row paddings[] = {
#define PADDING(name, word, about) {word, about},
    TOPK_PADDING_LIST(PADDING)
#undef PADDING
};

static const struct topk_check_row checks[] = {
#define CHECK(name, word, clause, mismatch, calls, about)                                          \
    {word, TOPK_CLAUSE_##clause, TOPK_MISMATCH_##mismatch, calls, about},
#include "check.def"
#undef CHECK
};

const struct topk_padding_row *topk_padding_row(enum topk_padding padding)
{
    return &paddings[padding];
}

const struct topk_check_row *topk_check_row(enum topk_check check)
{
    return &checks[check];
}

bool topk_case_too_large(const struct topk_case *tc)
{
    uint64_t bytes = 0;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const struct topk_tensor *tensor = &tc->op.tensors[role];
        if (tensor->total_bytes > TOPK_CASE_BYTES || tc->offset[role] > TOPK_CASE_BYTES) {
            return true;
        }
        bytes += tensor->total_bytes + tc->offset[role];
    }
    return bytes > TOPK_CASE_BYTES ||
           topk_tensor_elements(&tc->op.tensors[TOPK_INPUT]) > TOPK_CASE_ELEMENTS;
}

bool topk_case_misbound(const struct topk_case *tc)
{
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        uint32_t alignment = tc->op.tensors[role].alignment;
        if (tc->offset[role] % 16 != 0 || (alignment != 0 && tc->offset[role] % alignment != 0)) {
            return true;
        }
    }
    return false;
}
