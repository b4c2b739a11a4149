/* What is expected of a case: its input and what the oracle makes of it, as tensors laid out as the
 * case says, or packed, for other tools to be given. */
#ifndef TOPK_ANSWER_H
#define TOPK_ANSWER_H

#include "case/case.h"
#include "exchange/exchange.h"

/* OTHER(NAME, clause, text): why other answers may be right, too. */
#define TOPK_OTHER_LIST(OTHER)                                                                     \
    OTHER(NAN, F02, "a sequence holds a NaN, whose order is open")                                 \
    OTHER(DENORMAL, F04, "FLOAT32 denormals may be ordered as zeros")                              \
    OTHER(HALF, F06, "values that collide in FLOAT16 may come in another order")

enum topk_other {
#define OTHER(name, clause, text) TOPK_OTHER_##name,
    TOPK_OTHER_LIST(OTHER)
#undef OTHER
    TOPK_OTHER_COUNT
};

struct topk_answer {
    /* owned; op.tensors[role].total_bytes each, zero outside of the logical elements */
    unsigned char *tensors[TOPK_ROLE_COUNT];
    bool others[TOPK_OTHER_COUNT]; /* what is expected is one of several right answers */
};

/* Works it out for a valid case that is not too large, whose outputs do not overlap. False if
 * memory is short. It is to be freed in any case. */
bool topk_answer_make(const struct topk_case *tc, struct topk_answer *answer);
void topk_answer_free(struct topk_answer *answer);

/* The text of a reason: "F02: a sequence holds a NaN, whose order is open". */
const char *topk_other_text(enum topk_other other);

/* A copy of the logical elements of a tensor, packed, as elements of `type`: its own, or of indices
 * another one that holds them. False if memory is short. */
bool topk_answer_pack(const struct topk_tensor *tensor, const unsigned char *from, uint32_t type,
                      struct topk_packed *packed);

/* Whether a tensor has bytes that are no logical elements. */
bool topk_tensor_padded(const struct topk_tensor *tensor);

#endif
