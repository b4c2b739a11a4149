/* Summarizes outputs; see outputs.h. */
#include "outputs.h"

#include <stdlib.h>
#include <string.h>

#include "element.h"

/* Mixes a word into a digest. Nobody profits from a collision, so it need not be cryptographic. */
static uint64_t mix(uint64_t digest, uint64_t word)
{
    digest ^= word;
    digest *= 0x9e3779b97f4a7c15u;
    return digest ^ digest >> 29;
}

static uint64_t load(const struct topk_operator *op, const struct topk_exhibit *exhibits,
                     enum topk_role role, const uint32_t at[])
{
    const struct topk_tensor *tensor = &op->tensors[role];
    const uint32_t bytes = topk_type_bytes(tensor->type);
    return topk_element_load(exhibits[role].after + exhibits[role].offset +
                                 topk_tensor_offset(tensor, at) * bytes,
                             bytes);
}

void topk_outputs_take(const struct topk_operator *op,
                       const struct topk_exhibit exhibits[TOPK_ROLE_COUNT],
                       struct topk_outputs *outputs)
{
    const uint32_t type = op->tensors[TOPK_VALUE].type;
    const uint64_t sequences = topk_operator_sequences(op);
    *outputs = (struct topk_outputs){.known = true};
    for (uint64_t s = 0; s < sequences; s++) {
        uint32_t at[TOPK_RANK_MAX] = {0};
        topk_operator_sequence_at(op, s, at);
        for (uint32_t j = 0; j < op->k; j++) {
            at[op->axis] = j;
            const uint64_t value = load(op, exhibits, TOPK_VALUE, at);
            const uint64_t index = load(op, exhibits, TOPK_INDEX, at);
            const bool nan = topk_element_nan(type, value);
            outputs->values =
                mix(outputs->values, nan ? UINT64_MAX : topk_element_key(type, value));
            outputs->pairs = mix(mix(outputs->pairs, nan ? UINT64_MAX : value), index);
            if (outputs->count < TOPK_OUTPUTS_SHOWN) {
                outputs->value[outputs->count] = value;
                outputs->index[outputs->count++] = index;
            }
        }
    }
}

/* makes a buffer with the kept outputs; NULL if memory is short */
static unsigned char *rebuild(const struct topk_operator *op, enum topk_role role,
                              const uint64_t shown[])
{
    const struct topk_tensor *tensor = &op->tensors[role];
    const uint32_t bytes = topk_type_bytes(tensor->type);
    unsigned char *buffer = calloc(1, (size_t)tensor->total_bytes);
    uint32_t count = 0;
    for (uint64_t s = 0; buffer != NULL && s < topk_operator_sequences(op); s++) {
        uint32_t at[TOPK_RANK_MAX] = {0};
        topk_operator_sequence_at(op, s, at);
        for (uint32_t j = 0; j < op->k; j++) {
            at[op->axis] = j;
            topk_element_store(buffer + topk_tensor_offset(tensor, at) * bytes, bytes,
                               shown[count++]);
        }
    }
    return buffer;
}

bool topk_outputs_judge(const struct topk_operator *op, const struct topk_contract *contract,
                        unsigned char *input, const struct topk_outputs *outputs,
                        struct topk_judgement *judgement)
{
    struct topk_exhibit exhibits[TOPK_ROLE_COUNT];
    if (!outputs->known || topk_operator_sequences(op) > outputs->count / op->k) {
        return false;
    }
    unsigned char *const buffers[TOPK_ROLE_COUNT] = {
        [TOPK_INPUT] = input,
        [TOPK_VALUE] = rebuild(op, TOPK_VALUE, outputs->value),
        [TOPK_INDEX] = rebuild(op, TOPK_INDEX, outputs->index),
    };
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        exhibits[role] = (struct topk_exhibit){.before = buffers[role],
                                               .after = buffers[role],
                                               .bytes = op->tensors[role].total_bytes};
    }
    const bool made = buffers[TOPK_VALUE] != NULL && buffers[TOPK_INDEX] != NULL;
    if (made) {
        topk_judge_contract(op, contract, exhibits, judgement);
    }
    free(buffers[TOPK_VALUE]);
    free(buffers[TOPK_INDEX]);
    return made && !judgement->no_memory;
}
