/* Finds the readings that a passing call contradicts: those whose outputs would be wrong for this
 * call, so that the backend does not behave like them. */
#include <stdlib.h>
#include <string.h>

#include "diagnosis.h"
#include "element.h"
#include "reading.h"

/* fills outputs; as an index it is out of range, so that unwritten outputs are detected */
#define UNWRITTEN 0xa5

/* A call whose outputs are computed for a reading. */
struct made {
    const struct topk_operator *op;
    const struct topk_contract *contract;
    struct topk_exhibit exhibits[TOPK_ROLE_COUNT];
    unsigned char *outputs[TOPK_ROLE_COUNT]; /* of value and index */
    struct element *row;                     /* room for one sequence */
};

static bool made_start(struct made *made, const struct topk_operator *op,
                       const struct topk_contract *contract, const struct topk_exhibit *input)
{
    *made = (struct made){.op = op, .contract = contract};
    made->exhibits[TOPK_INPUT] = *input;
    made->exhibits[TOPK_INPUT].after = input->before;
    made->row = calloc(op->tensors[TOPK_INPUT].sizes[op->axis], sizeof *made->row);
    bool ok = made->row != NULL;
    for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
        const uint64_t bytes = op->tensors[role].total_bytes;
        made->outputs[role] = malloc((size_t)bytes);
        made->exhibits[role] = (struct topk_exhibit){
            .before = made->outputs[role], .after = made->outputs[role], .bytes = bytes};
        ok = ok && made->outputs[role] != NULL;
    }
    return ok;
}

static void made_end(struct made *made)
{
    free(made->row);
    free(made->outputs[TOPK_VALUE]);
    free(made->outputs[TOPK_INDEX]);
}

/* Fills the outputs according to a reading. False if the reading does not apply. */
static bool make_outputs(struct made *made, const struct reading *reading)
{
    const struct topk_operator *op = made->op;
    const bool packed[] = {reading->input_packed, reading->value_packed, reading->index_packed};
    struct view views[TOPK_ROLE_COUNT];
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        topk_view_make(&views[role], &op->tensors[role], made->exhibits[role].before,
                       &made->exhibits[role], packed[role],
                       role == TOPK_INPUT && reading->no_offset);
        if (role != TOPK_INPUT) {
            memset(made->outputs[role], UNWRITTEN, (size_t)made->exhibits[role].bytes);
        }
    }
    const uint64_t sequences = topk_operator_sequences(op);
    for (uint64_t s = 0; s < sequences; s++) {
        uint32_t at[TOPK_RANK_MAX] = {0};
        topk_operator_sequence_at(op, s, at);
        if (!topk_reading_select(op, reading, &views[TOPK_INPUT], at, NULL, made->row)) {
            return false;
        }
        for (uint32_t j = 0; j < op->k; j++) {
            const struct reading_output output = topk_reading_output(op, reading, made->row, at, j);
            const uint64_t bits[] = {0, output.value, output.index};
            at[op->axis] = j;
            for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
                uint64_t place;
                if (!topk_view_place(&views[role], op->tensors[role].rank, at, &place)) {
                    return false;
                }
                topk_element_store(made->outputs[role] + place, views[role].bytes, bits[role]);
            }
        }
    }
    return true;
}

static bool is_wrong(struct made *made)
{
    struct topk_judgement judgement;
    if (made->contract == NULL) {
        topk_judge_result(made->op, made->exhibits, &judgement);
    } else {
        topk_judge_contract(made->op, made->contract, made->exhibits, &judgement);
    }
    return judgement.count > 0 && !judgement.no_memory && !judgement.contradiction;
}

bool topk_readings_contradicted(const struct topk_operator *op,
                                const struct topk_contract *contract,
                                const struct topk_exhibit *input, topk_reading_set set,
                                topk_reading_set *contradicted)
{
    struct made made;
    *contradicted = 0;
    if (topk_tensor_elements(&op->tensors[TOPK_INPUT]) > TOPK_CONTRADICTED_ELEMENTS ||
        op->tensors[TOPK_VALUE].total_bytes > TOPK_CONTRADICTED_BYTES ||
        op->tensors[TOPK_INDEX].total_bytes > TOPK_CONTRADICTED_BYTES ||
        topk_tensor_overlaps(&op->tensors[TOPK_VALUE]) ||
        topk_tensor_overlaps(&op->tensors[TOPK_INDEX])) {
        return false;
    }
    /* the correct reading does not apply if there is a NaN */
    bool known = made_start(&made, op, contract, input) && make_outputs(&made, &topk_readings[0]);
    for (int i = 1; known && i < TOPK_READING_COUNT; i++) {
        const struct reading *reading = &topk_readings[i];
        if ((set >> i & 1) != 0 && reading->partial == PARTIAL_NONE &&
            make_outputs(&made, reading) && is_wrong(&made)) {
            *contradicted |= topk_reading_only((enum topk_reading)i);
        }
    }
    made_end(&made);
    return known;
}
