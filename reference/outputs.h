/* A summary of a call's outputs: digests, to compare the outputs of two implementations, and the
 * first outputs, for readers. */
#ifndef TOPK_OUTPUTS_H
#define TOPK_OUTPUTS_H

#include "judge.h"

/* Number of outputs that are kept. */
#define TOPK_OUTPUTS_SHOWN 16

/* In order of sequences (topk_operator_sequence_at), and of positions in each. */
struct topk_outputs {
    bool known;
    uint64_t values; /* digest of the values, equal for both zeros (F01) and for all NaNs (F02) */
    uint64_t pairs;  /* digest of the bits of values and indices, equal for all NaNs */
    uint32_t count;  /* number of outputs below, the first of all */
    uint64_t value[TOPK_OUTPUTS_SHOWN]; /* bits */
    uint64_t index[TOPK_OUTPUTS_SHOWN];
};

/* Summarizes the outputs of a computed call of a valid operator; exhibits: indexed by enum
 * topk_role. */
void topk_outputs_take(const struct topk_operator *op,
                       const struct topk_exhibit exhibits[TOPK_ROLE_COUNT],
                       struct topk_outputs *outputs);

/* Judges a call with at most TOPK_OUTPUTS_SHOWN outputs, by a contract that includes the operator,
 * whose AxisDirection is 0 or 1. input: the bytes of the tensor as passed to the call. Returns
 * false if there are more outputs, or memory is short. Overwrites *judgement. */
bool topk_outputs_judge(const struct topk_operator *op, const struct topk_contract *contract,
                        unsigned char *input, const struct topk_outputs *outputs,
                        struct topk_judgement *judgement);

#endif
