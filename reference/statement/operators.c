/* What the V clauses say about a description: one case of a switch for each, after its sentence. */
#include "parts.h"

/* 0: no level allows it */
static uint32_t value_type_since(uint32_t type)
{
    switch (type) {
    case 1: /* FLOAT32 */
    case 2: /* FLOAT16 */
        return 0x2000;
    case 3: /* UINT32, UINT16, UINT8, INT32, INT16, INT8 */
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
        return 0x2100;
    case 10: /* UINT64 */
    case 11: /* INT64 */
        return 0x5000;
    default:
        return 0;
    }
}

static bool has_value_type(const struct topk_tensor *tensor, uint32_t level)
{
    const uint32_t since = value_type_since(tensor->type);
    return !tensor->present || (since != 0 && since <= level);
}

static bool has_index_type(const struct topk_tensor *tensor, uint32_t level)
{
    return !tensor->present || (tensor->type == 3 && level >= 0x2000) ||
           (tensor->type == 10 && level >= 0x5000);
}

/* V04, for an output with the input's rank */
static bool sizes_fit(const struct topk_operator *op, const struct topk_tensor *output)
{
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    bool fit = true;
    for (uint32_t d = 0; output->present && output->rank == input->rank && d < input->rank; d++) {
        fit = fit && output->sizes[d] == (d == op->axis ? op->k : input->sizes[d]);
    }
    return fit;
}

static bool rank_fits(const struct topk_operator *op, const struct topk_tensor *output)
{
    return !output->present || output->rank == op->tensors[TOPK_INPUT].rank;
}

static enum stated ask_operator(enum topk_clause clause, const struct topk_operator *op,
                                uint32_t level)
{
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    const struct topk_tensor *value = &op->tensors[TOPK_VALUE];
    const struct topk_tensor *index = &op->tensors[TOPK_INDEX];
    const bool axis = input->present && op->axis < input->rank;
    const uint32_t length = axis ? input->sizes[op->axis] : 0;
    switch (clause) {
    case TOPK_CLAUSE_V01:
        return stated_broken_if(input->present && op->axis >= input->rank);
    case TOPK_CLAUSE_V02:
        return stated_broken_if(op->k == 0);
    case TOPK_CLAUSE_V03:
        return stated_broken_if(axis && op->k == length);
    case TOPK_CLAUSE_V03b:
        return stated_broken_if(axis && op->k > length);
    case TOPK_CLAUSE_V04:
        return stated_broken_if(input->present && !(sizes_fit(op, value) && sizes_fit(op, index)));
    case TOPK_CLAUSE_V05:
        return stated_broken_if(input->present && !(rank_fits(op, value) && rank_fits(op, index)));
    case TOPK_CLAUSE_V06:
        return stated_broken_if(input->present && value->present && input->type != value->type);
    case TOPK_CLAUSE_V07:
        return stated_broken_if(!has_index_type(index, level));
    case TOPK_CLAUSE_V09:
        return stated_broken_if(!has_value_type(input, level) || !has_value_type(value, level));
    case TOPK_CLAUSE_V11:
        return stated_broken_if(!input->present || !value->present || !index->present);
    case TOPK_CLAUSE_V12:
        return stated_broken_if(op->kind == TOPK_TOP_K1 && op->direction != 0 &&
                                op->direction != 1);
    case TOPK_CLAUSE_V14:
        return stated_broken_if(level < (op->kind == TOPK_TOP_K1 ? 0x2100u : 0x2000u));
    default:
        return STATED_HOLDS;
    }
}

/* V08, for a present tensor */
static enum stated ask_rank(const struct topk_tensor *tensor, uint32_t level)
{
    const bool one_to_eight = tensor->rank >= 1 && tensor->rank <= 8;
    return stated_broken_if(level < 0x3100 ? tensor->rank != 4 : !one_to_eight);
}

enum stated stated_clause(enum topk_clause clause, const struct topk_operator *op, uint32_t level)
{
    enum stated answer = ask_operator(clause, op, level);
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const struct topk_tensor *tensor = &op->tensors[role];
        if (tensor->present) {
            const enum stated one = clause == TOPK_CLAUSE_V08
                                        ? ask_rank(tensor, level)
                                        : stated_tensor(clause, tensor, role == TOPK_INPUT);
            answer = one == STATED_BROKEN || answer == STATED_HOLDS ? one : answer;
        }
    }
    return answer;
}
