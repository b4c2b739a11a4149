/* Diagnosis by trying each reading. It is simple, because it runs only for wrong results. */
#include "diagnosis.h"

#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "reading.h"

/* number of distinct outputs, and of elements in a sequence, from which on a cause is not a
 * guess */
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

/* up to this number of elements, insertion sort is used */
#define FEW 8u

/* an element of a sequence, to be sorted */
struct place {
    uint64_t key;
    uint32_t index;
};

/* A call, its outputs, and room for one of its sequences. */
struct trial {
    const struct topk_operator *op;
    const struct topk_exhibit *exhibits; /* by enum topk_role */
    struct view views[TOPK_ROLE_COUNT];  /* according to the descriptions of the tensors */
    /* all elements, in the correct order for a wrong sequence */
    struct element *row;
    struct element *other; /* in the order of a reading */
    struct element *best;  /* the correct K outputs */
    struct place *places;  /* room for two per element */
    uint32_t *ranks;
    unsigned char *seen, *selected;
    struct reading_output *outputs;
    uint32_t states[TOPK_READING_COUNT];
    /* distinct outputs of wrong sequences */
    struct reading_output different[EVIDENCE];
    uint32_t evidence;
};

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

static bool trial_start(struct trial *trial, const struct topk_operator *op,
                        const struct topk_exhibit exhibits[TOPK_ROLE_COUNT])
{
    const size_t length = op->tensors[TOPK_INPUT].sizes[op->axis];
    *trial = (struct trial){.op = op, .exhibits = exhibits};
    if (topk_tensor_elements(&op->tensors[TOPK_INPUT]) > TOPK_DIAGNOSED_ELEMENTS) {
        return false;
    }
    make_views(trial, &topk_readings[0], trial->views);
    trial->row = calloc(length, sizeof *trial->row);
    trial->other = calloc(length, sizeof *trial->other);
    trial->best = calloc(op->k, sizeof *trial->best);
    trial->places = calloc(2 * length, sizeof *trial->places);
    trial->ranks = calloc(length, sizeof *trial->ranks);
    trial->seen = calloc(length, 1);
    trial->selected = calloc(length, 1);
    trial->outputs = calloc(op->k, sizeof *trial->outputs);
    return trial->row != NULL && trial->other != NULL && trial->best != NULL &&
           trial->places != NULL && trial->ranks != NULL && trial->seen != NULL &&
           trial->selected != NULL && trial->outputs != NULL;
}

static void trial_end(struct trial *trial)
{
    free(trial->row);
    free(trial->other);
    free(trial->best);
    free(trial->places);
    free(trial->ranks);
    free(trial->seen);
    free(trial->selected);
    free(trial->outputs);
}

static bool load_output(const struct trial *trial, const struct view views[TOPK_ROLE_COUNT],
                        uint32_t at[], uint32_t j, struct reading_output *output)
{
    const struct topk_tensor *tensors = trial->op->tensors;
    at[trial->op->axis] = j;
    return topk_view_load(&views[TOPK_VALUE], tensors[TOPK_VALUE].rank, at, &output->value) &&
           topk_view_load(&views[TOPK_INDEX], tensors[TOPK_INDEX].rank, at, &output->index);
}

/* Sorts the places from..end-1 of a row by key, stably. */
static void sort_few(struct place *places, uint32_t from, uint32_t end)
{
    for (uint32_t i = from + 1; i < end; i++) {
        const struct place moved = places[i];
        uint32_t to = i;
        for (; to > from && places[to - 1].key > moved.key; to--) {
            places[to] = places[to - 1];
        }
        places[to] = moved;
    }
}

/* Merges the sorted ranges from..middle-1 and middle..end-1. */
static void merge(const struct place *places, uint32_t from, uint32_t middle, uint32_t end,
                  struct place *into)
{
    uint32_t left = from;
    uint32_t right = middle;
    uint32_t i = from;
    while (left < middle && right < end) {
        /* branchless, because the result is unpredictable */
        const uint32_t is_right = places[right].key < places[left].key;
        into[i++] = places[left + (right - left) * is_right];
        right += is_right;
        left += 1 - is_right;
    }
    memcpy(&into[i], &places[left], (middle - left) * sizeof *into);
    i += middle - left;
    memcpy(&into[i], &places[right], (end - right) * sizeof *into);
}

/* Sorts the row in the correct order. */
static void sort_row(struct trial *trial, uint32_t length)
{
    struct place *places = trial->places;
    struct place *other = places + length;
    for (uint32_t i = 0; i < length; i++) {
        places[i] = (struct place){trial->row[i].key, i};
    }
    for (uint32_t from = 0; from < length; from += FEW) {
        sort_few(places, from, length - from > FEW ? from + FEW : length);
    }
    for (uint32_t width = FEW; width < length; width *= 2) {
        for (uint32_t from = 0; from < length; from += 2 * width) {
            const uint32_t middle = length - from > width ? from + width : length;
            const uint32_t end = length - middle > width ? middle + width : length;
            merge(places, from, middle, end, other);
        }
        struct place *const sorted = other;
        other = places;
        places = sorted;
    }
    for (uint32_t i = 0; i < length; i++) {
        trial->other[i] = trial->row[places[i].index];
    }
    struct element *const row = trial->other;
    trial->other = trial->row;
    trial->row = row;
}

static struct outcome outcome_of(const struct trial *trial, uint64_t sequence)
{
    return (struct outcome){.op = trial->op,
                            .sequence = sequence,
                            .length = trial->op->tensors[TOPK_INPUT].sizes[trial->op->axis],
                            .input = &trial->views[TOPK_INPUT],
                            .row = trial->row,
                            .ranks = trial->ranks,
                            .outputs = trial->outputs,
                            .selected = trial->selected,
                            .seen = trial->seen,
                            .other = trial->other};
}

/* Loads a sequence: its elements and its outputs; *right: whether these are correct. False if a NaN
 * leaves the correct order open. */
static bool load_sequence(struct trial *trial, uint64_t sequence, bool *right)
{
    const struct topk_operator *op = trial->op;
    const uint32_t length = op->tensors[TOPK_INPUT].sizes[op->axis];
    uint32_t at[TOPK_RANK_MAX] = {0};
    topk_operator_sequence_at(op, sequence, at);
    if (!topk_reading_load(op, &topk_readings[0], &trial->views[TOPK_INPUT], at, length,
                           trial->row)) {
        return false;
    }
    memset(trial->selected, 0, length);
    for (uint32_t i = 0; i < length; i++) {
        trial->ranks[i] = i;
    }
    *right = true;
    for (uint32_t j = 0; j < op->k; j++) {
        struct reading_output *output = &trial->outputs[j];
        *right = load_output(trial, trial->views, at, j, output) && *right;
        if (output->index < length) {
            trial->selected[output->index] = 1;
        }
    }
    const struct outcome outcome = outcome_of(trial, sequence);
    *right = *right && topk_reading_certify(&outcome, &topk_readings[0]) == TOPK_PROVED;
    if (!*right) {
        sort_row(trial, length); /* at most TOPK_DIAGNOSED_ELEMENTS, so that no number overflows */
        for (uint32_t i = 0; i < length; i++) {
            trial->ranks[trial->row[i].index] = i;
        }
    }
    for (uint32_t j = 0; j < op->k; j++) {
        trial->best[j] = trial->row[*right ? trial->outputs[j].index : j];
    }
    return true;
}

/* whether an output of this reading need not be the element that its index names */
static bool parts_pairs(const struct reading *reading)
{
    return reading->index != INDEX_SEQUENCE || reading->flush || reading->unsigned_zero ||
           reading->finite || reading->swapped || reading->input_packed || reading->value_packed ||
           reading->index_packed || reading->no_offset;
}

/* whether a reading selects the correct elements in the correct order, and only writes something
 * else */
static bool selects_rightly(const struct reading *reading)
{
    return reading->order == ORDER_VALUE && reading->ties == TIES_ASCENDING &&
           reading->lost == LOST_NONE && reading->shorter == 0 && !reading->opposite &&
           !reading->input_packed && !reading->no_offset;
}

/* whether a reading gives every output of the loaded sequence */
static bool explains(const struct trial *trial, const struct reading *reading,
                     const struct outcome *outcome)
{
    const struct topk_operator *op = trial->op;
    const enum topk_certified certified =
        parts_pairs(reading) ? TOPK_OPEN : topk_reading_certify(outcome, reading);
    if (certified != TOPK_OPEN) {
        return certified == TOPK_PROVED;
    }
    struct view views[TOPK_ROLE_COUNT];
    struct reading_output actual;
    uint32_t at[TOPK_RANK_MAX] = {0};
    make_views(trial, reading, views);
    topk_operator_sequence_at(op, outcome->sequence, at);
    const struct element *selected = trial->best;
    if (!selects_rightly(reading)) {
        selected = trial->other;
        if (!load_output(trial, views, at, 0, &actual) ||
            !topk_reading_select(op, reading, &views[TOPK_INPUT], at, &actual, trial->other)) {
            return false;
        }
    }
    for (uint32_t j = 0; j < op->k; j++) {
        const struct reading_output wanted = topk_reading_output(op, reading, selected, at, j);
        if (!load_output(trial, views, at, j, &actual) || actual.value != wanted.value ||
            actual.index != wanted.index) {
            return false;
        }
    }
    return true;
}

/* counts the distinct outputs of a wrong sequence, up to EVIDENCE */
static void count_different(struct trial *trial)
{
    for (uint32_t j = 0; j < trial->op->k && trial->evidence < EVIDENCE; j++) {
        const struct reading_output *output = &trial->outputs[j];
        uint32_t same = 0;
        while (same < trial->evidence && (trial->different[same].value != output->value ||
                                          trial->different[same].index != output->index)) {
            same++;
        }
        if (same == trial->evidence) {
            trial->different[trial->evidence++] = *output;
        }
    }
}

/* the readings of a set that explain the loaded sequence */
static topk_reading_set keep(struct trial *trial, uint64_t sequence, topk_reading_set set)
{
    const struct outcome outcome = outcome_of(trial, sequence);
    topk_reading_set kept = 0;
    for (int i = 1; i < TOPK_READING_COUNT; i++) {
        const struct reading *reading = &topk_readings[i];
        if ((set >> i & 1) != 0 && (reading->partial != PARTIAL_NONE
                                        ? topk_reading_partial(reading, &outcome, &trial->states[i])
                                        : explains(trial, reading, &outcome))) {
            kept |= topk_reading_only((enum topk_reading)i);
        }
    }
    return kept;
}

/* The readings of a set that explain every sequence; or, if only partial readings do, also those
 * that explain every wrong sequence, if the others are correct. */
static topk_reading_set explain_all(struct trial *trial, topk_reading_set set)
{
    topk_reading_set partial = 0;
    for (int i = 1; i < TOPK_READING_COUNT; i++) {
        if (topk_readings[i].partial != PARTIAL_NONE) {
            partial |= topk_reading_only((enum topk_reading)i);
        }
    }
    topk_reading_set all = set & ~partial;
    topk_reading_set wrong = set;
    const uint64_t sequences = topk_operator_sequences(trial->op);
    for (uint64_t s = 0; s < sequences && (all | wrong) != 0; s++) {
        bool right;
        if (!load_sequence(trial, s, &right)) {
            return 0;
        }
        if (right) {
            all = keep(trial, s, all);
            continue;
        }
        count_different(trial);
        wrong = keep(trial, s, wrong);
        all &= wrong;
    }
    /* all outputs are DirectML's, and wrong only by the contract: nothing was misread */
    if (trial->evidence == 0) {
        return 0;
    }
    return all != 0 ? all | (wrong & partial) : wrong;
}

/* ---- the whole diagnosis --------------------------------------------------------------------- */

/* whether the judge found a value that is not the element that its index names */
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

/* Whether a reading can be a cause: it cannot if the contract leaves its subject open, or requires
 * something else. */
static bool may_be_cause(const struct topk_contract *contract, const struct topk_operator *op,
                         enum topk_reading reading, const struct topk_judgement *judgement)
{
    const struct reading *row = &topk_readings[reading];
    /* these readings use DirectML's order of ties */
    const bool ranked = row->partial != PARTIAL_NONE && row->partial != PARTIAL_UNWRITTEN;
    const bool fits = row->partial == PARTIAL_NONE
                          ? parts_pairs(row) == pairs_parted(judgement)
                          : !ranked || contract == NULL ||
                                (topk_contract_promise(contract, TOPK_CLAUSE_S08, NULL) ==
                                     TOPK_PROMISE_DOCUMENTED &&
                                 topk_contract_promise(contract, TOPK_CLAUSE_S09, NULL) ==
                                     TOPK_PROMISE_DOCUMENTED);
    return fits && (contract == NULL || topk_reading_row(reading)->clause == TOPK_CLAUSE_NONE ||
                    topk_contract_promise(contract, topk_reading_clause(reading, op, judgement),
                                          NULL) == TOPK_PROMISE_DOCUMENTED);
}

struct topk_diagnosis topk_diagnose(const struct topk_operator *op,
                                    const struct topk_contract *contract,
                                    const struct topk_exhibit exhibits[TOPK_ROLE_COUNT],
                                    const struct topk_judgement *judgement)
{
    const topk_reading_set unwritten = topk_reading_only(TOPK_READING_UNWRITTEN);
    struct topk_diagnosis diagnosis = {0};
    struct trial trial;
    topk_reading_set possible = 0;
    for (int i = 1; i < TOPK_READING_COUNT; i++) {
        if (may_be_cause(contract, op, (enum topk_reading)i, judgement)) {
            possible |= topk_reading_only((enum topk_reading)i);
        }
    }
    if (trial_start(&trial, op, exhibits)) {
        diagnosis.readings = explain_all(&trial, possible & ~unwritten);
        diagnosis.guess =
            diagnosis.readings != 0 &&
            (trial.evidence < EVIDENCE || op->tensors[TOPK_INPUT].sizes[op->axis] < EVIDENCE);
    }
    trial_end(&trial);
    /* unchanged outputs are a certain cause even if there is only one */
    if (topk_reading_unwritten(op, exhibits)) {
        diagnosis.readings |= unwritten;
        diagnosis.guess = false;
    }
    return diagnosis;
}
