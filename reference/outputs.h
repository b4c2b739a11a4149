/* A summary of what a call returned: digests, by which the outputs of two implementations are
 * compared, and the first outputs for a reader. */
#ifndef TOPK_OUTPUTS_H
#define TOPK_OUTPUTS_H

#include "judge.h"

/* Outputs that are kept as they are. */
#define TOPK_OUTPUTS_SHOWN 16

/* In the order of the sequences (topk_operator_sequence_at), and of positions in each. */
struct topk_outputs {
    bool known;
    uint64_t values; /* digest of the values: alike for both zeros (F01), and for all NaNs (F02) */
    uint64_t pairs;  /* digest of the bits of values and indices, alike for all NaNs */
    uint32_t count;  /* of those below: of all outputs the first */
    uint64_t value[TOPK_OUTPUTS_SHOWN]; /* bits */
    uint64_t index[TOPK_OUTPUTS_SHOWN];
};

/* Takes the outputs of a call of a valid operator that was run; exhibits: by enum topk_role. */
void topk_outputs_take(const struct topk_operator *op,
                       const struct topk_exhibit exhibits[TOPK_ROLE_COUNT],
                       struct topk_outputs *outputs);

/* Judges a call that has no more outputs than are shown, by a contract that serves the operator,
 * whose AxisDirection is 0 or 1. input: the bytes of the tensor, as the call was given them. False
 * if there are more outputs, or memory is short. judgement is overwritten. */
bool topk_outputs_judge(const struct topk_operator *op, const struct topk_contract *contract,
                        unsigned char *input, const struct topk_outputs *outputs,
                        struct topk_judgement *judgement);

#endif
