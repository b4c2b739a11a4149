/* The judge. It is fast for correct results (judge_exact.c). Only a result that is not correct is
 * examined again, slowly, to name each broken clause. */
#include "judge.h"

#include <string.h>

#include "element.h"
#include "judge_parts.h"

static void observe(struct topk_judgement *judgement, enum topk_observation observation)
{
    judgement->observations |= (uint32_t)1 << observation;
}

/* ---- the orders that the clauses allow ------------------------------------------------------- */

bool topk_sequence_has_nan(const struct topk_sequence *s)
{
    for (uint32_t i = 0; topk_type_float(s->type) && i < s->length; i++) {
        if (topk_element_nan(s->type, load_input(s, i))) {
            return true;
        }
    }
    return false;
}

bool topk_sequence_holds(const struct topk_sequence *s, enum topk_order order)
{
    if (s->contract != NULL) {
        return topk_judge_holds(s, order);
    }
    if (order == TOPK_ORDER_EXACT) {
        bool denormal = false;
        return topk_exact_holds(s, &denormal);
    }
    if (order == TOPK_ORDER_DENORMAL_ZERO) {
        return topk_exact_flushed_holds(s);
    }
    uint64_t last = 0;
    uint64_t last_index = 0;
    for (uint32_t j = 0; j < s->k; j++) {
        uint64_t index = load_index(s, j);
        if (index >= s->length) {
            return false;
        }
        uint64_t named = load_input(s, index);
        uint64_t key = topk_judge_key(s, order, named);
        if (!topk_judge_same(s, load_value(s, j), named) ||
            (j > 0 && (key < last || (key == last && index <= last_index)))) {
            return false;
        }
        last = key;
        last_index = index;
    }
    uint32_t inside = 0;
    for (uint32_t i = 0; i < s->length; i++) {
        uint64_t key = topk_judge_key(s, order, load_input(s, i));
        inside += key < last || (key == last && i <= last_index);
    }
    return inside == s->k;
}

bool topk_sequence_nan_holds(const struct topk_sequence *s)
{
    for (uint32_t j = 0; j < s->k; j++) {
        const uint64_t index = load_index(s, j);
        if (index >= s->length || !topk_judge_same(s, load_value(s, j), load_input(s, index))) {
            return false;
        }
    }
    return topk_judge_distinct(s);
}

/* ---- a whole result -------------------------------------------------------------------------- */

/* Iterates over the sequences of an operator in order, with their offsets in the three tensors. If
 * there is only one, no other stride than that of Axis is set. */
struct walk {
    const struct topk_operator *op;
    uint64_t sequences;
    uint64_t strides[TOPK_ROLE_COUNT][TOPK_RANK_MAX]; /* bytes */
    uint32_t at[TOPK_RANK_MAX];
    uint64_t offset[TOPK_ROLE_COUNT]; /* bytes from the tensor's start */
};

static void walk_start(struct walk *walk, const struct topk_operator *op)
{
    walk->op = op;
    memset(walk->at, 0, sizeof walk->at);
    memset(walk->offset, 0, sizeof walk->offset);
    walk->sequences = topk_operator_sequences(op);
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const struct topk_tensor *tensor = &op->tensors[role];
        const uint32_t bytes = topk_type_bytes(tensor->type);
        if (walk->sequences == 1) { /* all other sizes are 1 */
            walk->strides[role][op->axis] =
                (uint64_t)bytes * (tensor->strided ? tensor->strides[op->axis] : 1);
            continue;
        }
        topk_tensor_strides(tensor, walk->strides[role]);
        for (uint32_t i = 0; i < tensor->rank; i++) {
            walk->strides[role][i] *= bytes;
        }
    }
}

/* advances to the next sequence, which exists */
static void walk_next(struct walk *walk)
{
    const uint32_t *sizes = walk->op->tensors[TOPK_INPUT].sizes;
    for (uint32_t i = walk->op->tensors[TOPK_INPUT].rank; i-- > 0;) {
        if (i == walk->op->axis) {
            continue;
        }
        bool carry = ++walk->at[i] == sizes[i];
        for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
            walk->offset[role] += walk->strides[role][i];
            if (carry) {
                walk->offset[role] -= walk->strides[role][i] * sizes[i];
            }
        }
        if (!carry) {
            return;
        }
        walk->at[i] = 0;
    }
}

/* advances by some sequences along one dimension, without leaving it */
static void walk_along(struct walk *walk, uint32_t dimension, uint32_t sequences)
{
    walk->at[dimension] += sequences;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        walk->offset[role] += walk->strides[role][dimension] * sequences;
    }
}

static void walk_sequence(const struct walk *walk,
                          const struct topk_exhibit exhibits[TOPK_ROLE_COUNT],
                          struct topk_sequence *s)
{
    /* the original input: a backend that changes it is judged by what it was given */
    s->input = exhibits[TOPK_INPUT].before + exhibits[TOPK_INPUT].offset + walk->offset[TOPK_INPUT];
    s->value = exhibits[TOPK_VALUE].after + exhibits[TOPK_VALUE].offset + walk->offset[TOPK_VALUE];
    s->index = exhibits[TOPK_INDEX].after + exhibits[TOPK_INDEX].offset + walk->offset[TOPK_INDEX];
}

static void sequence_start(const struct walk *walk, const struct topk_contract *contract,
                           struct topk_sequence *s)
{
    const struct topk_operator *op = walk->op;
    *s = (struct topk_sequence){.type = op->tensors[TOPK_INPUT].type,
                                .increasing = topk_operator_increasing(op),
                                .length = op->tensors[TOPK_INPUT].sizes[op->axis],
                                .k = op->k,
                                .index_bytes = topk_type_bytes(op->tensors[TOPK_INDEX].type),
                                .input_step = walk->strides[TOPK_INPUT][op->axis],
                                .value_step = walk->strides[TOPK_VALUE][op->axis],
                                .index_step = walk->strides[TOPK_INDEX][op->axis],
                                .contract = contract};
}

/* a call that is being judged */
struct trial {
    const struct topk_operator *op;
    const struct topk_contract *contract; /* NULL: DirectML's rules */
    const struct topk_exhibit *exhibits;
    struct topk_judgement *judgement;
    enum topk_order order; /* the order that is tried first */
    bool denormals;        /* there are denormals */
};

/* whether a sequence is acceptable because it has a NaN, whose order is open */
static bool nan_excuses(const struct topk_sequence *s)
{
    return topk_judge_nan_order(s->contract) == TOPK_ORDER_EXACT && topk_sequence_has_nan(s) &&
           topk_sequence_nan_holds(s);
}

/* whether every sequence is correct under an order; for those with a NaN, whether it fulfills
 * F02 */
static bool all_hold(const struct trial *trial, enum topk_order order)
{
    struct walk walk;
    struct topk_sequence s;
    walk_start(&walk, trial->op);
    sequence_start(&walk, trial->contract, &s);
    for (uint64_t i = 0; i < walk.sequences; i++) {
        if (i > 0) {
            walk_next(&walk);
        }
        walk_sequence(&walk, trial->exhibits, &s);
        if (!topk_sequence_holds(&s, order) && !nan_excuses(&s)) {
            return false;
        }
    }
    return true;
}

/* bits of 1 << TOPK_ORDER_NAN_...: the orders of NaN that all sequences so far have */
#define NAN_ORDERS_ALL                                                                             \
    (1u << TOPK_ORDER_NAN_GREATEST | 1u << TOPK_ORDER_NAN_LEAST | 1u << TOPK_ORDER_NAN_FIRST |     \
     1u << TOPK_ORDER_NAN_LAST | 1u << TOPK_ORDER_NAN_BY_SIGN)

static uint32_t nan_orders(const struct topk_sequence *s, uint32_t candidates)
{
    for (int order = TOPK_ORDER_NAN_GREATEST; order <= TOPK_ORDER_NAN_BY_SIGN; order++) {
        if (candidates >> order & 1 && !topk_sequence_holds(s, (enum topk_order)order)) {
            candidates &= ~(1u << order);
        }
    }
    return candidates;
}

static void observe_nan(struct topk_judgement *judgement, uint32_t orders)
{
    static const enum topk_observation names[] = {
        TOPK_OBSERVATION_NAN_GREATEST, TOPK_OBSERVATION_NAN_LEAST, TOPK_OBSERVATION_NAN_FIRST,
        TOPK_OBSERVATION_NAN_LAST, TOPK_OBSERVATION_NAN_BY_SIGN};
    for (int i = 0; i < 5; i++) {
        if (orders >> (TOPK_ORDER_NAN_GREATEST + i) & 1) {
            observe(judgement, names[i]);
        }
    }
    if (orders == 0) {
        observe(judgement, TOPK_OBSERVATION_NAN_OTHER);
    }
}

static bool has_denormal(const struct topk_sequence *s)
{
    for (uint32_t i = 0; topk_type_float(s->type) && i < s->length; i++) {
        if (topk_element_denormal(s->type, load_input(s, i))) {
            return true;
        }
    }
    return false;
}

/* whether a sequence is correct under the order that is tried first */
static bool holds_first(struct trial *trial, const struct topk_sequence *s)
{
    if (s->contract != NULL) {
        trial->denormals = trial->denormals || has_denormal(s);
        return topk_sequence_holds(s, trial->order);
    }
    return topk_exact_holds(s, &trial->denormals);
}

/* adjacent sequences that are judged together */
struct columns {
    /* the dimension along which they are adjacent, which is also that of the iteration */
    uint32_t dimension;
    uint32_t count; /* number of sequences that are judged together; 0: they are not adjacent */
};

static struct columns columns_of(const struct trial *trial, const struct walk *walk)
{
    const struct topk_tensor *input = &trial->op->tensors[TOPK_INPUT];
    struct columns columns = {.dimension = input->rank - 1};
    if (walk->sequences == 1) {
        return columns;
    }
    const uint64_t step = walk->strides[TOPK_INPUT][trial->op->axis];
    /* ends at a dimension other than Axis, since there are several sequences */
    while (columns.dimension > 0 &&
           (columns.dimension == trial->op->axis || input->sizes[columns.dimension] == 1)) {
        columns.dimension--;
    }
    const uint64_t apart = walk->strides[TOPK_INPUT][columns.dimension];
    if (trial->contract == NULL && step > apart && apart == topk_type_bytes(input->type)) {
        columns.count = topk_exact_columns(input->type);
    }
    return columns;
}

/* whether the next sequences that are judged together are correct */
static bool columns_hold(struct trial *trial, const struct walk *walk,
                         const struct columns *columns, const struct topk_sequence *s)
{
    const uint32_t size = trial->op->tensors[TOPK_INPUT].sizes[columns->dimension];
    return columns->count > 0 && size - walk->at[columns->dimension] >= columns->count &&
           topk_exact_columns_hold(s, walk->strides[TOPK_VALUE][columns->dimension],
                                   walk->strides[TOPK_INDEX][columns->dimension],
                                   &trial->denormals);
}

static void judge_sequences(struct trial *trial)
{
    const struct topk_operator *op = trial->op;
    struct topk_judgement *judgement = trial->judgement;
    struct walk walk;
    struct topk_sequence s;
    walk_start(&walk, op);
    sequence_start(&walk, trial->contract, &s);
    uint32_t orders = NAN_ORDERS_ALL;
    bool nans = false;
    const struct columns columns = columns_of(trial, &walk);
    for (uint64_t i = 0; i < walk.sequences; i++) {
        if (i > 0) {
            walk_next(&walk);
        }
        walk_sequence(&walk, trial->exhibits, &s);
        if (columns_hold(trial, &walk, &columns, &s)) {
            walk_along(&walk, columns.dimension, columns.count - 1);
            i += columns.count - 1;
            continue;
        }
        if (holds_first(trial, &s)) {
            continue;
        }
        const bool has_nan =
            topk_judge_nan_order(trial->contract) == TOPK_ORDER_EXACT && topk_sequence_has_nan(&s);
        if (has_nan && topk_sequence_nan_holds(&s)) {
            nans = true;
            orders = nan_orders(&s, orders);
            continue;
        }
        struct topk_judge_report report = {.op = op,
                                           .order = trial->order,
                                           .judgement = judgement,
                                           .sequence = i,
                                           .first = UINT32_MAX};
        memcpy(report.at, walk.at, sizeof report.at);
        topk_judge_explain(&s, &report, has_nan);
        if (report.first == UINT32_MAX && !judgement->no_memory) {
            /* the certificate is invalid, but no error was found */
            judgement->contradiction = true;
        }
        if (!judgement->has_sequence && report.first != UINT32_MAX) {
            judgement->has_sequence = true;
            judgement->sequence = i;
            judgement->position = report.first;
        }
    }
    if (nans) {
        observe_nan(judgement, orders);
    }
}

/* puts findings on semantics before those that follow from them; stable */
static void sort_findings(struct topk_judgement *judgement)
{
    for (uint32_t i = 1; i < judgement->count; i++) {
        struct topk_finding finding = judgement->findings[i];
        uint32_t j = i;
        for (; j > 0 && judgement->findings[j - 1].mismatch > finding.mismatch; j--) {
            judgement->findings[j] = judgement->findings[j - 1];
        }
        judgement->findings[j] = finding;
    }
}

/* decides one of the choices F04 and F06: records whether the result is correct under the order
 * that was tried first, or under one of the orders from `from` to `to` */
static void settle(const struct trial *trial, enum topk_order from, enum topk_order to,
                   enum topk_observation first, enum topk_observation other)
{
    struct topk_judgement *judgement = trial->judgement;
    bool holds = false;
    for (int order = (int)from; order <= (int)to && !holds; order++) {
        holds = all_hold(trial, (enum topk_order)order);
    }
    if (judgement->count == 0 && !holds) {
        observe(judgement, first); /* if both orders agree, the choice is not visible */
    } else if (judgement->count != 0 && holds) {
        judgement->count = 0;
        judgement->has_sequence = false;
        observe(judgement, other);
    }
}

static void settle_denormals(const struct trial *trial)
{
    const bool flush = chooses(trial->contract, TOPK_OPTION_DENORMALS_FLUSH);
    const enum topk_order other = flush ? TOPK_ORDER_EXACT : TOPK_ORDER_DENORMAL_ZERO;
    const enum topk_observation exact = TOPK_OBSERVATION_DENORMALS_EXACT;
    const enum topk_observation zero = TOPK_OBSERVATION_DENORMALS_AS_ZERO;
    const bool open = flush || (trial->op->tensors[TOPK_INPUT].type == TOPK_TYPE_F32 &&
                                !chooses(trial->contract, TOPK_OPTION_DENORMALS_EXACT));
    if (open && (trial->denormals || trial->judgement->count != 0)) {
        settle(trial, other, other, flush ? zero : exact, flush ? exact : zero);
    }
}

static void judge(struct trial *trial)
{
    /* most results have no findings, so their large array is not cleared */
    memset(trial->judgement, 0, offsetof(struct topk_judgement, findings));
    memset(&trial->judgement->observations, 0,
           sizeof *trial->judgement - offsetof(struct topk_judgement, observations));
    judge_sequences(trial);
    if (topk_type_float(trial->op->tensors[TOPK_INPUT].type)) {
        settle_denormals(trial);
    }
    if (trial->op->tensors[TOPK_INPUT].type == TOPK_TYPE_F32 &&
        (trial->op->execution & TOPK_EXECUTION_HALF) != 0) {
        settle(trial, TOPK_ORDER_HALF, TOPK_ORDER_HALF_TRUNCATED, TOPK_OBSERVATION_HALF_EXACT,
               TOPK_OBSERVATION_HALF_COLLIDES);
    }
    sort_findings(trial->judgement);
}

void topk_judge_result(const struct topk_operator *op,
                       const struct topk_exhibit exhibits[TOPK_ROLE_COUNT],
                       struct topk_judgement *judgement)
{
    struct trial trial = {.op = op, .exhibits = exhibits, .judgement = judgement};
    judge(&trial);
}

void topk_judge_contract(const struct topk_operator *op, const struct topk_contract *contract,
                         const struct topk_exhibit exhibits[TOPK_ROLE_COUNT],
                         struct topk_judgement *judgement)
{
    struct trial trial = {.op = op, .exhibits = exhibits, .judgement = judgement};
    if (topk_contract_decides(contract)) {
        trial.contract = contract;
        trial.order = topk_contract_has(contract, TOPK_OPTION_DENORMALS_FLUSH)
                          ? TOPK_ORDER_DENORMAL_ZERO
                          : TOPK_ORDER_EXACT;
    }
    judge(&trial);
}

/* ---- containment ----------------------------------------------------------------------------- */

/* compares the bytes from..to-1 of a buffer before and after; offsets in findings are relative to
 * the tensor */
static void compare_bytes(struct topk_judgement *judgement, const struct topk_exhibit *exhibit,
                          enum topk_role role, uint64_t from, uint64_t to, enum topk_clause clause,
                          enum topk_mismatch mismatch)
{
    if (to <= from || exhibit->before == exhibit->after ||
        memcmp(exhibit->before + from, exhibit->after + from, to - from) == 0) {
        return;
    }
    struct topk_finding finding = {
        .clause = clause, .mismatch = mismatch, .role = role, .count = 0};
    for (uint64_t i = from; i < to; i++) {
        if (exhibit->before[i] != exhibit->after[i]) {
            if (finding.count++ == 0) {
                finding.byte = (int64_t)(i - exhibit->offset);
                finding.expected = exhibit->before[i];
                finding.actual = exhibit->after[i];
            }
        }
    }
    topk_judgement_add(judgement, &finding);
}

/* one copy for each size that the compiler knows */
static void copy_element(unsigned char *to, const unsigned char *from, uint32_t bytes)
{
    switch (bytes) {
    case 8:
        memcpy(to, from, 8);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    case 2:
        memcpy(to, from, 2);
        break;
    default:
        *to = *from;
        break;
    }
}

/* copies the logical elements of an output from after to before, so that only padding can differ */
static void adopt_elements(const struct topk_operator *op, enum topk_role role,
                           struct topk_exhibit *exhibit)
{
    const struct topk_tensor *tensor = &op->tensors[role];
    uint32_t bytes = topk_type_bytes(tensor->type);
    struct walk walk;
    if (!tensor->strided) {
        memcpy(exhibit->before + exhibit->offset, exhibit->after + exhibit->offset,
               topk_tensor_elements(tensor) * bytes);
        return;
    }
    walk_start(&walk, op);
    uint64_t step = walk.strides[role][op->axis];
    for (uint64_t i = 0; i < walk.sequences; i++) {
        if (i > 0) {
            walk_next(&walk);
        }
        uint64_t at = exhibit->offset + walk.offset[role];
        for (uint32_t j = 0; j < op->k; j++, at += step) {
            copy_element(exhibit->before + at, exhibit->after + at, bytes);
        }
    }
}

void topk_judge_memory(const struct topk_operator *op,
                       struct topk_exhibit exhibits[TOPK_ROLE_COUNT],
                       struct topk_judgement *judgement)
{
    bool padded = false;
    bool written = false;
    compare_bytes(judgement, &exhibits[TOPK_INPUT], TOPK_INPUT, 0, exhibits[TOPK_INPUT].bytes,
                  TOPK_CLAUSE_M01, TOPK_MISMATCH_INPUT_WRITTEN);
    for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
        struct topk_exhibit *exhibit = &exhibits[role];
        const struct topk_tensor *tensor = &op->tensors[role];
        uint64_t end = exhibit->offset + tensor->total_bytes;
        compare_bytes(judgement, exhibit, (enum topk_role)role, 0, exhibit->offset, TOPK_CLAUSE_M02,
                      TOPK_MISMATCH_OUTSIDE_WRITTEN);
        compare_bytes(judgement, exhibit, (enum topk_role)role, end, exhibit->bytes,
                      TOPK_CLAUSE_M02, TOPK_MISMATCH_OUTSIDE_WRITTEN);
        uint64_t logical = topk_tensor_elements(tensor) * topk_type_bytes(tensor->type);
        if (logical < tensor->total_bytes) {
            padded = true;
            adopt_elements(op, (enum topk_role)role, exhibit);
            written = written || memcmp(exhibit->before + exhibit->offset,
                                        exhibit->after + exhibit->offset, tensor->total_bytes) != 0;
        }
    }
    if (padded) {
        observe(judgement,
                written ? TOPK_OBSERVATION_PADDING_WRITTEN : TOPK_OBSERVATION_PADDING_KEPT);
    }
}
