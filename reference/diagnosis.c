/* Diagnosis by hypothesis: slow and simple, and only run on results that are wrong. */
#include "diagnosis.h"

#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "reading.h"

#define ELEMENTS_MAX 65536u
/* different outputs, and elements of a sequence, from which on a cause is more than a guess */
#define EVIDENCE 3u

topk_reading_set topk_reading_only(enum topk_reading reading)
{
    return reading == TOPK_READING_NONE ? 0 : (topk_reading_set)1 << reading;
}

enum topk_reading topk_readings_first(topk_reading_set set)
{
    int reading = TOPK_READING_NONE + 1;
    while (reading < TOPK_READING_COUNT && (set >> reading & 1) == 0) {
        reading++;
    }
    return reading < TOPK_READING_COUNT ? (enum topk_reading)reading : TOPK_READING_NONE;
}

enum topk_reading topk_reading_parse(const char *word, size_t length)
{
    for (int i = TOPK_READING_NONE + 1; i < TOPK_READING_COUNT; i++) {
        const char *known = topk_reading_row((enum topk_reading)i)->word;
        if (strlen(known) == length && memcmp(known, word, length) == 0) {
            return (enum topk_reading)i;
        }
    }
    return TOPK_READING_NONE;
}

enum topk_clause topk_reading_clause(enum topk_reading reading, const struct topk_operator *op,
                                     const struct topk_judgement *judgement)
{
    enum topk_clause clause = topk_reading_row(reading)->clause;
    if (clause == TOPK_CLAUSE_NONE) {
        return judgement->findings[0].clause;
    }
    if (clause == TOPK_CLAUSE_S03 && op->kind == TOPK_TOP_K) {
        return TOPK_CLAUSE_S02;
    }
    if (clause == TOPK_CLAUSE_F07 && topk_type_bytes(op->tensors[TOPK_INPUT].type) != 8) {
        return TOPK_CLAUSE_S12;
    }
    return clause;
}

/* ---- a reading against the outputs ----------------------------------------------------------- */

/* A call and its outputs. */
struct trial {
    const struct topk_operator *op;
    const struct topk_exhibit *exhibits; /* by enum topk_role */
    struct element *row;                 /* room for a sequence */
};

static bool load_output(const struct trial *trial, const struct view views[TOPK_ROLE_COUNT],
                        uint32_t at[], uint32_t j, struct reading_output *output)
{
    const struct topk_tensor *tensors = trial->op->tensors;
    at[trial->op->axis] = j;
    return topk_view_load(&views[TOPK_VALUE], tensors[TOPK_VALUE].rank, at, &output->value) &&
           topk_view_load(&views[TOPK_INDEX], tensors[TOPK_INDEX].rank, at, &output->index);
}

static void make_views(const struct trial *trial, const struct reading *reading,
                       struct view views[TOPK_ROLE_COUNT])
{
    const bool packed[] = {reading->input_packed, reading->value_packed, reading->index_packed};
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const struct topk_exhibit *exhibit = &trial->exhibits[role];
        topk_view_make(&views[role], &trial->op->tensors[role],
                       role == TOPK_INPUT ? exhibit->before : exhibit->after, exhibit, packed[role],
                       role == TOPK_INPUT && reading->no_offset);
    }
}

/* whether a reading gives every output of a sequence */
static bool explains_sequence(const struct trial *trial, const struct reading *reading,
                              const struct view views[TOPK_ROLE_COUNT], uint64_t sequence)
{
    const struct topk_operator *op = trial->op;
    struct reading_output actual;
    uint32_t at[TOPK_RANK_MAX] = {0};
    topk_operator_sequence_at(op, sequence, at);
    if (!load_output(trial, views, at, 0, &actual) ||
        !topk_reading_select(op, reading, &views[TOPK_INPUT], at, &actual, trial->row)) {
        return false;
    }
    for (uint32_t j = 0; j < op->k; j++) {
        const struct reading_output wanted = topk_reading_output(op, reading, trial->row, at, j);
        if (!load_output(trial, views, at, j, &actual) || actual.value != wanted.value ||
            actual.index != wanted.index) {
            return false;
        }
    }
    return true;
}

static bool explains(const struct trial *trial, const struct reading *reading)
{
    struct view views[TOPK_ROLE_COUNT];
    const uint64_t sequences = topk_operator_sequences(trial->op);
    uint64_t s = 0;
    make_views(trial, reading, views);
    while (s < sequences && explains_sequence(trial, reading, views, s)) {
        s++;
    }
    return s == sequences;
}

/* whether an output of this reading is not, or need not be, the element that its index names */
static bool parts_pairs(const struct reading *reading)
{
    return reading->index != INDEX_SEQUENCE || reading->flush || reading->input_packed ||
           reading->value_packed || reading->index_packed || reading->no_offset;
}

/* whether the judge saw a value that is not the element that its index names */
static bool pairs_parted(const struct topk_judgement *judgement)
{
    for (uint32_t i = 0; i < judgement->count; i++) {
        enum topk_mismatch mismatch = judgement->findings[i].mismatch;
        if (mismatch == TOPK_MISMATCH_INDEX_RANGE || mismatch == TOPK_MISMATCH_INDEX_UPPER ||
            mismatch == TOPK_MISMATCH_VALUE_BITS) {
            return true;
        }
    }
    return false;
}

/* Whether a reading may be a cause: what a contract leaves open, or asks for otherwise, was not
 * misread. */
static bool may_be_cause(const struct topk_contract *contract, const struct topk_operator *op,
                         enum topk_reading reading, const struct topk_judgement *judgement)
{
    return contract == NULL || topk_readings[reading].unwritten ||
           topk_contract_promise(contract, topk_reading_clause(reading, op, judgement), NULL) ==
               TOPK_PROMISE_DOCUMENTED;
}

/* ---- how much the outputs show --------------------------------------------------------------- */

/* whether the outputs of wrong sequences are so few, or so much alike, that they show little */
static bool little_shown(const struct trial *trial)
{
    const struct topk_operator *op = trial->op;
    struct view views[TOPK_ROLE_COUNT];
    struct reading_output different[EVIDENCE];
    uint32_t count = 0;
    make_views(trial, &topk_readings[0], views);
    if (op->tensors[TOPK_INPUT].sizes[op->axis] < EVIDENCE) {
        return true;
    }
    const uint64_t sequences = topk_operator_sequences(op);
    for (uint64_t s = 0; s < sequences && count < EVIDENCE; s++) {
        uint32_t at[TOPK_RANK_MAX] = {0};
        topk_operator_sequence_at(op, s, at);
        if (explains_sequence(trial, &topk_readings[0], views, s)) {
            continue;
        }
        for (uint32_t j = 0; j < op->k && count < EVIDENCE; j++) {
            struct reading_output *output = &different[count];
            uint32_t same = 0;
            (void)load_output(trial, views, at, j, output);
            while (same < count && (different[same].value != output->value ||
                                    different[same].index != output->index)) {
                same++;
            }
            count += same == count;
        }
    }
    return count < EVIDENCE;
}

struct topk_diagnosis topk_diagnose(const struct topk_operator *op,
                                    const struct topk_contract *contract,
                                    const struct topk_exhibit exhibits[TOPK_ROLE_COUNT],
                                    const struct topk_judgement *judgement)
{
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    struct trial trial = {.op = op, .exhibits = exhibits};
    struct topk_diagnosis diagnosis = {0};
    if (topk_tensor_elements(input) <= ELEMENTS_MAX) {
        trial.row = calloc(input->sizes[op->axis], sizeof *trial.row);
    }
    bool parted = pairs_parted(judgement);
    /* what DirectML gives is wrong by the contract: there is nothing that was misread */
    const bool directml =
        contract != NULL && trial.row != NULL && explains(&trial, &topk_readings[0]);
    for (int i = 1; !directml && i < TOPK_READING_COUNT; i++) {
        const struct reading *reading = &topk_readings[i];
        if (!may_be_cause(contract, op, (enum topk_reading)i, judgement)) {
            continue;
        }
        if (reading->unwritten ? topk_reading_unwritten(op, exhibits)
                               : trial.row != NULL && parts_pairs(reading) == parted &&
                                     explains(&trial, reading)) {
            diagnosis.readings |= topk_reading_only((enum topk_reading)i);
        }
    }
    /* that outputs hold what they held before is seen of a single one */
    diagnosis.guess = diagnosis.readings != 0 &&
                      (diagnosis.readings & topk_reading_only(TOPK_READING_UNWRITTEN)) == 0 &&
                      little_shown(&trial);
    free(trial.row);
    return diagnosis;
}
