/* Checks that the judge passes a result exactly when the clauses allow it, whatever the outputs
 * contain. reference/statement/selection.h states the allowed results: in every sequence the
 * outputs must be the first K elements under one of the allowed orders; in a sequence
 * with NaN, the indices must only be distinct and in range, and name the elements that were
 * returned (F02). Also checks that each reported finding is true, and that every changed byte
 * around the tensors is noticed and no other. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "generate/generate.h"
#include "log/log.h"
#include "reference/diagnosis.h"
#include "reference/element.h"
#include "reference/judge.h"
#include "reference/oracle.h"
#include "reference/statement/statement.h"
#include "worker/call.h"

static const struct topk_limits limits = {.elements = 64, .bytes = 4096};

#define ELEMENTS_MAX 64u
#define SPOILS_MAX   6u

static struct topk_call call;
/* Outputs were only left as they were before the call; nothing else was spoilt. */
static bool only_left;

static const char *text_of_input(void)
{
    static char text[TOPK_CASE_TEXT];
    topk_case_print(&call.tc, text, sizeof text);
    return text;
}

/* ---- a result -------------------------------------------------------------------------------- */

/* Draws a case with a direction and without overlapping outputs. */
static bool draw_case(struct topk_choice *choice, struct topk_case *tc)
{
    struct topk_validity validity;
    if (!topk_generate_valid(choice, &limits, tc)) {
        return false;
    }
    topk_operator_validate(&tc->op, tc->op.level, &validity);
    tc->op.direction &= 1;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        if (tc->op.tensors[role].alignment > 256) {
            tc->op.tensors[role].alignment = 256; /* guards grow with the alignment */
        }
    }
    return !topk_clause_set_has(&validity.latitude, TOPK_CLAUSE_T14);
}

static void put(enum topk_role role, const uint32_t at[], uint64_t bits)
{
    const struct topk_tensor *tensor = &call.tc.op.tensors[role];
    const uint32_t bytes = topk_type_bytes(tensor->type);
    topk_element_store(call.live[role].data + call.offset[role] +
                           topk_tensor_offset(tensor, at) * bytes,
                       bytes, bits);
}

/* Collects the elements of a sequence in input order. */
static uint32_t gather(uint64_t sequence, uint64_t bits[ELEMENTS_MAX], uint32_t at[TOPK_RANK_MAX])
{
    const struct topk_operator *op = &call.tc.op;
    const uint32_t length = op->tensors[TOPK_INPUT].sizes[op->axis];
    memset(at, 0, TOPK_RANK_MAX * sizeof at[0]);
    topk_operator_sequence_at(op, sequence, at);
    for (uint32_t i = 0; i < length; i++) {
        at[op->axis] = i;
        bits[i] = topk_call_input(&call, at);
    }
    return length;
}

/* Writes the outputs of a sequence under an order; `reversed` writes them in the opposite order. */
static void put_sequence(uint64_t sequence, enum stated_order by, bool reversed)
{
    const struct topk_operator *op = &call.tc.op;
    uint32_t at[TOPK_RANK_MAX];
    uint64_t bits[ELEMENTS_MAX];
    uint32_t order[ELEMENTS_MAX];
    const uint32_t length = gather(sequence, bits, at);
    const bool floats = op->tensors[TOPK_INPUT].type == TOPK_TYPE_F32;
    stated_sort(op->tensors[TOPK_INPUT].type, topk_operator_increasing(op),
                floats ? by : STATED_EXACT, bits, length, order);
    for (uint32_t j = 0; j < op->k; j++) {
        const uint32_t index = order[reversed ? length - 1 - j : j];
        at[op->axis] = j;
        put(TOPK_VALUE, at, bits[index]);
        put(TOPK_INDEX, at, index);
    }
}

/* ---- what is done to it ---------------------------------------------------------------------- */

static void spoil_byte(struct topk_choice *choice, enum topk_role role, bool around)
{
    uint32_t span = (uint32_t)(around ? call.bytes[role] : call.tc.op.tensors[role].total_bytes);
    uint64_t from = around ? 0 : call.offset[role];
    const uint32_t at = topk_choice_below(choice, span);
    call.live[role].data[from + at] ^= (unsigned char)(1 + topk_choice_below(choice, 255));
}

/* Restores part of an output to what it was before the call: all of it, its value, its index, or
 * the upper half of its index. */
static void leave(const uint32_t at[], uint32_t what)
{
    for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
        const struct topk_tensor *tensor = &call.tc.op.tensors[role];
        const uint32_t bytes = topk_type_bytes(tensor->type);
        const uint64_t place = call.offset[role] + topk_tensor_offset(tensor, at) * bytes;
        const uint32_t from = what == 3 ? 4 : 0;
        if ((role == TOPK_VALUE ? what < 2 : what != 1) && from < bytes) {
            memcpy(call.live[role].data + place + from, call.given[role] + place + from,
                   bytes - from);
        }
    }
}

static void spoil(struct topk_choice *choice)
{
    const struct topk_operator *op = &call.tc.op;
    uint64_t bits[ELEMENTS_MAX];
    uint32_t at[TOPK_RANK_MAX];
    uint32_t other[TOPK_RANK_MAX];
    const uint32_t sequences = (uint32_t)topk_operator_sequences(op);
    const uint32_t kind = topk_choice_below(choice, 14);
    const uint32_t sequence = topk_choice_below(choice, sequences);
    const uint32_t length = gather(sequence, bits, at);
    const uint32_t index = topk_choice_below(choice, length);
    memcpy(other, at, sizeof other);
    at[op->axis] = topk_choice_below(choice, op->k);
    other[op->axis] = topk_choice_below(choice, op->k);
    const uint64_t value = topk_call_output(&call, TOPK_VALUE, at);
    const uint64_t old = topk_call_output(&call, TOPK_INDEX, at);
    only_left = only_left && kind == 12;
    switch (kind) {
    case 0: /* another element */
        put(TOPK_VALUE, at, bits[index]);
        put(TOPK_INDEX, at, index);
        break;
    case 1: /* exchanges two outputs */
        put(TOPK_VALUE, at, topk_call_output(&call, TOPK_VALUE, other));
        put(TOPK_INDEX, at, topk_call_output(&call, TOPK_INDEX, other));
        put(TOPK_VALUE, other, value);
        put(TOPK_INDEX, other, old);
        break;
    case 2:
        put(TOPK_INDEX, at, topk_choice_below(choice, length + 2));
        break;
    case 3:
        put(TOPK_INDEX, at, topk_choice_bits(choice, 8));
        break;
    case 4:
        put(TOPK_VALUE, at, bits[index]);
        break;
    case 5:
        put(TOPK_VALUE, at, value ^ (uint64_t)1 << topk_choice_below(choice, 64));
        break;
    case 6:
        put(TOPK_INDEX, at, old | (uint64_t)1 << 32);
        break;
    case 7:
    case 8:
        put_sequence(sequence, kind == 7 ? STATED_DENORMAL_ZERO : STATED_HALF, false);
        break;
    case 9:
        for (uint32_t s = 0; s < sequences; s++) {
            put_sequence(s, (enum stated_order)topk_choice_below(choice, STATED_ORDERS), false);
        }
        break;
    case 10:
        put_sequence(sequence, STATED_EXACT, true);
        break;
    case 11:
        spoil_byte(choice, (enum topk_role)topk_choice_below(choice, TOPK_ROLE_COUNT), true);
        break;
    case 12:
        leave(at, topk_choice_below(choice, 4));
        break;
    default:
        spoil_byte(choice, (enum topk_role)topk_choice_below(choice, TOPK_ROLE_COUNT), false);
        break;
    }
}

/* Makes a result. Returns false if there is nothing to judge. */
static bool make_result(struct topk_choice *choice, struct topk_case *tc)
{
    if (!draw_case(choice, tc) || !topk_call_prepare(&call, tc, TOPK_POISON_RANDOM)) {
        return false;
    }
    topk_call_load(&call);
    if (topk_oracle_run(&tc->op, call.given[TOPK_INPUT] + call.offset[TOPK_INPUT],
                        call.live[TOPK_VALUE].data + call.offset[TOPK_VALUE],
                        call.live[TOPK_INDEX].data + call.offset[TOPK_INDEX]) ==
        TOPK_ORACLE_NO_MEMORY) {
        return false;
    }
    topk_choice_part(choice, TOPK_PART_SPOIL);
    only_left = true;
    for (uint32_t left = topk_choice_below(choice, SPOILS_MAX); left > 0; left--) {
        topk_choice_part(choice, TOPK_PART_SPOIL);
        spoil(choice);
    }
    return true;
}

/* ---- what the clauses allow ------------------------------------------------------------------ */

struct outputs {
    uint32_t type;
    uint32_t length;
    uint32_t k;
    bool increasing;
    bool nan; /* one of the elements is NaN */
    uint64_t bits[ELEMENTS_MAX];
    uint64_t values[ELEMENTS_MAX];
    uint64_t indices[ELEMENTS_MAX];
};

#define SEQUENCE struct outputs
#define BITS     uint64_t
#define VIEW     long double

static inline uint64_t input_at(const struct outputs *outputs, uint64_t i)
{
    return outputs->bits[i];
}

static inline uint64_t output_at(const struct outputs *outputs, uint32_t j)
{
    return outputs->values[j];
}

static inline uint64_t index_at(const struct outputs *outputs, uint32_t j)
{
    return outputs->indices[j];
}

static inline bool bits_are_nan(const struct outputs *outputs, uint64_t bits)
{
    return stated_nan(outputs->type, bits);
}

#include "reference/statement/selection.h"

static void read_outputs(uint64_t sequence, struct outputs *outputs)
{
    const struct topk_operator *op = &call.tc.op;
    uint32_t at[TOPK_RANK_MAX];
    outputs->type = op->tensors[TOPK_INPUT].type;
    outputs->increasing = topk_operator_increasing(op);
    outputs->k = op->k;
    outputs->length = gather(sequence, outputs->bits, at);
    outputs->nan = stated_has_nan(outputs);
    for (uint32_t j = 0; j < op->k; j++) {
        at[op->axis] = j;
        outputs->values[j] = topk_call_output(&call, TOPK_VALUE, at);
        outputs->indices[j] = topk_call_output(&call, TOPK_INDEX, at);
    }
}

static long double seen_exactly(const struct outputs *outputs, uint64_t bits)
{
    return stated_value(outputs->type, STATED_EXACT, bits);
}

static long double seen_flushed(const struct outputs *outputs, uint64_t bits)
{
    return stated_value(outputs->type, STATED_DENORMAL_ZERO, bits);
}

static long double seen_rounded(const struct outputs *outputs, uint64_t bits)
{
    return stated_value(outputs->type, STATED_HALF, bits);
}

static long double seen_truncated(const struct outputs *outputs, uint64_t bits)
{
    return stated_value(outputs->type, STATED_HALF_TRUNCATED, bits);
}

static seen_as *const seen_by[STATED_ORDERS] = {seen_exactly, seen_flushed, seen_rounded,
                                                seen_truncated};

/* the first sequence that no order, or this one, allows; their number if there is none */
static uint64_t first_wrong(enum stated_order by)
{
    static struct outputs outputs;
    const uint64_t sequences = topk_operator_sequences(&call.tc.op);
    uint64_t s = 0;
    for (; s < sequences; s++) {
        read_outputs(s, &outputs);
        if (outputs.nan ? !stated_are_elements(&outputs, true)
                        : !stated_right(&outputs, seen_by[by])) {
            break;
        }
    }
    return s;
}

static bool allowed(void)
{
    const struct topk_operator *op = &call.tc.op;
    const uint64_t sequences = topk_operator_sequences(op);
    const bool floats = op->tensors[TOPK_INPUT].type == TOPK_TYPE_F32;
    return first_wrong(STATED_EXACT) == sequences ||
           (floats && first_wrong(STATED_DENORMAL_ZERO) == sequences) ||
           (floats && (op->execution & TOPK_EXECUTION_HALF) != 0 &&
            (first_wrong(STATED_HALF) == sequences ||
             first_wrong(STATED_HALF_TRUNCATED) == sequences));
}

/* ---- assertions ------------------------------------------------------------------------------ */

/* Checks the judge's verdict on one sequence, under each order separately. */
static void check_sequence(uint64_t number)
{
    static const enum topk_order orders[STATED_ORDERS] = {
        TOPK_ORDER_EXACT, TOPK_ORDER_DENORMAL_ZERO, TOPK_ORDER_HALF, TOPK_ORDER_HALF_TRUNCATED};
    const struct topk_operator *op = &call.tc.op;
    static struct outputs outputs;
    uint32_t at[TOPK_RANK_MAX];
    const unsigned char *starts[TOPK_ROLE_COUNT];
    uint64_t steps[TOPK_ROLE_COUNT];
    read_outputs(number, &outputs);
    topk_operator_sequence_at(op, number, at);
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const struct topk_tensor *tensor = &op->tensors[role];
        const uint32_t bytes = topk_type_bytes(tensor->type);
        const unsigned char *data = role == TOPK_INPUT ? call.given[role] : call.live[role].data;
        uint64_t strides[TOPK_RANK_MAX];
        topk_tensor_strides(tensor, strides);
        starts[role] = data + call.offset[role] + topk_tensor_offset(tensor, at) * bytes;
        steps[role] = strides[op->axis] * bytes;
    }
    const struct topk_sequence sequence = {.type = outputs.type,
                                           .increasing = outputs.increasing,
                                           .length = outputs.length,
                                           .k = outputs.k,
                                           .index_bytes =
                                               topk_type_bytes(op->tensors[TOPK_INDEX].type),
                                           .input = starts[TOPK_INPUT],
                                           .value = starts[TOPK_VALUE],
                                           .index = starts[TOPK_INDEX],
                                           .input_step = steps[TOPK_INPUT],
                                           .value_step = steps[TOPK_VALUE],
                                           .index_step = steps[TOPK_INDEX]};
    FUZZ_REQUIRE(topk_sequence_has_nan(&sequence) == outputs.nan, "sequence nan", text_of_input());
    if (outputs.nan) {
        FUZZ_REQUIRE(!topk_sequence_holds(&sequence, TOPK_ORDER_EXACT), "sequence exact",
                     text_of_input());
        FUZZ_REQUIRE(topk_sequence_nan_holds(&sequence) == stated_are_elements(&outputs, true),
                     "sequence kept", text_of_input());
        return;
    }
    for (int by = 0; by < (outputs.type == TOPK_TYPE_F32 ? STATED_ORDERS : STATED_EXACT + 1);
         by++) {
        FUZZ_REQUIRE(topk_sequence_holds(&sequence, orders[by]) ==
                         stated_right(&outputs, seen_by[by]),
                     "sequence order", text_of_input());
    }
}

/* Checks that the sentence shown to users has every number filled in. */
static void check_sentence(const struct topk_finding *finding)
{
    const struct topk_operator *op = &call.tc.op;
    char sentence[TOPK_FINDING_TEXT];
    char place[TOPK_FINDING_TEXT];
    topk_finding_sentence(finding, op->tensors[TOPK_VALUE].type, op->tensors[TOPK_INDEX].type,
                          sentence, sizeof sentence);
    topk_finding_place(finding, place, sizeof place);
    if (sentence[0] == 0 || place[0] == 0 || strchr(sentence, '{') != NULL) {
        fuzz_fail_clause(finding->clause, "sentence", sentence);
    }
}

static void check_finding(const struct topk_finding *finding)
{
    const enum topk_role role = finding->role;
    if (finding->count == 0 || finding->clause >= TOPK_CLAUSE_COUNT) {
        fuzz_fail("judge empty-finding", text_of_input());
    }
    check_sentence(finding);
    if (finding->rank == 0 || finding->mismatch == TOPK_MISMATCH_LEFT_OUT ||
        finding->mismatch == TOPK_MISMATCH_TIE_LEFT_OUT) {
        return; /* the error is not about the output at one position */
    }
    if (finding->actual != topk_call_output(&call, role, finding->at)) {
        fuzz_fail_clause(finding->clause, "actual", text_of_input());
    }
}

static void judge_outputs(const struct topk_exhibit exhibits[TOPK_ROLE_COUNT])
{
    struct topk_judgement judgement;
    topk_judge_result(&call.tc.op, exhibits, &judgement);
    if (judgement.no_memory) {
        return;
    }
    if (judgement.contradiction) {
        fuzz_fail("judge contradiction", text_of_input());
    }
    const bool right = allowed();
    if (right && judgement.count > 0) {
        fuzz_fail_clause(judgement.findings[0].clause, "too-strict", text_of_input());
    }
    if (!right && judgement.count == 0) {
        fuzz_fail_clause(TOPK_CLAUSE_S12, "too-lax", text_of_input());
    }
    if (!right && (!judgement.has_sequence || judgement.sequence != first_wrong(STATED_EXACT))) {
        fuzz_fail("judge other-sequence", text_of_input());
    }
    for (uint32_t i = 0; i < judgement.count; i++) {
        check_finding(&judgement.findings[i]);
    }
    if (judgement.count > 0) {
        const enum topk_reading reading =
            topk_readings_first(topk_diagnose(&call.tc.op, NULL, exhibits, &judgement).readings);
        if (reading != TOPK_READING_NONE &&
            topk_reading_clause(reading, &call.tc.op, &judgement) >= TOPK_CLAUSE_COUNT) {
            fuzz_fail("judge no-clause", text_of_input());
        }
        if (only_left && reading == TOPK_READING_NONE) {
            fuzz_fail("judge not-unwritten", text_of_input());
        }
    }
}

static uint64_t count_changes(enum topk_role role, uint64_t from, uint64_t to)
{
    uint64_t changes = 0;
    for (uint64_t i = from; i < to; i++) {
        changes += call.given[role][i] != call.live[role].data[i];
    }
    return changes;
}

static uint64_t findings_of(const struct topk_judgement *judgement, enum topk_clause clause)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < judgement->count; i++) {
        count += judgement->findings[i].clause == clause ? judgement->findings[i].count : 0;
    }
    return count;
}

static void judge_around(void)
{
    struct topk_judgement judgement = {.count = 0};
    const uint64_t written = count_changes(TOPK_INPUT, 0, call.bytes[TOPK_INPUT]);
    uint64_t outside = 0;
    for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
        const uint64_t end = call.offset[role] + call.tc.op.tensors[role].total_bytes;
        outside += count_changes((enum topk_role)role, 0, call.offset[role]);
        outside += count_changes((enum topk_role)role, end, call.bytes[role]);
    }
    topk_call_judge_memory(&call, &judgement);
    if (findings_of(&judgement, TOPK_CLAUSE_M01) != written) {
        fuzz_fail_clause(TOPK_CLAUSE_M01, "count", text_of_input());
    }
    if (findings_of(&judgement, TOPK_CLAUSE_M02) != outside) {
        fuzz_fail_clause(TOPK_CLAUSE_M02, "count", text_of_input());
    }
}

static void run(const unsigned char *bytes, size_t length)
{
    struct topk_choice choice;
    struct topk_case tc;
    struct topk_exhibit exhibits[TOPK_ROLE_COUNT];
    topk_choice_bytes(&choice, bytes, length);
    if (make_result(&choice, &tc)) {
        topk_call_exhibit(&call, exhibits);
        judge_outputs(exhibits);
        for (uint64_t s = 0; s < topk_operator_sequences(&call.tc.op); s++) {
            check_sequence(s);
        }
        judge_around();
    }
    topk_case_clear(&tc);
}

static void draw(struct topk_choice *choice)
{
    struct topk_case tc;
    make_result(choice, &tc);
    topk_case_clear(&tc);
}

const struct fuzz_target fuzz_target = {
    .name = "judge",
    .about = "the judge passes what the clauses allow, and nothing else",
    .max_bytes = 1024,
    .run = run,
    .draw = draw,
};
