/* The expected answer of a case, for other tools: its input and the outputs of the oracle, as
 * tensors in the layout of the case or packed. */
#ifndef TOPK_ANSWER_H
#define TOPK_ANSWER_H

#include "case/case.h"
#include "exchange/exchange.h"

/* OTHER(NAME, clause, text): a reason why other answers are right, too. */
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
    /* owned; op.tensors[role].total_bytes each, with zeros outside the logical elements */
    unsigned char *tensors[TOPK_ROLE_COUNT];
    bool others[TOPK_OTHER_COUNT]; /* reasons why other answers are right, too */
};

/* Computes the answer of a valid case that is not too large and whose outputs do not overlap. False
 * if memory is short. The caller frees *answer in any case. */
bool topk_answer_make(const struct topk_case *tc, struct topk_answer *answer);
void topk_answer_free(struct topk_answer *answer);

/* Returns the text of a reason: "F02: a sequence holds a NaN, whose order is open". */
const char *topk_other_text(enum topk_other other);

/* Copies the logical elements of a tensor to a packed tensor with elements of `type`: the tensor's
 * own type or, for indices, another type that can hold them. False if memory is short. */
bool topk_answer_pack(const struct topk_tensor *tensor, const unsigned char *from, uint32_t type,
                      struct topk_packed *packed);

/* Whether a tensor has bytes outside its logical elements. */
bool topk_tensor_padded(const struct topk_tensor *tensor);

#endif
