/* The judge: exhaustively against the definition, with handmade wrong results for each finding, and
 * on random operators against the oracle. */
#include "support.h"

/* ---- by exhaustion --------------------------------------------------------------------------- */

#define LONGEST 4
#define VALUES  9

/* Nine values: every row of them up to a length, every K, both directions, every tuple of indices
 * from 0 to n (out of range), with the values that the indices name, and with one of these replaced
 * by each other value. Of the tuples of length 4, only those with distinct indices in range get
 * replaced values: the others are wrong anyway. */
struct family {
    const char *name;
    uint32_t type;
    uint32_t execution;
    uint32_t longest; /* n */
    uint32_t values[VALUES];
};

static const struct family families[] = {
    {"FLOAT32",
     TOPK_TYPE_F32,
     0,
     4,
     {0, 0x80000000, 0x3f800000, 0xbf800000, 0x40000000, 0x7f800000, 0xff800000, 0x7fc00000, 1}},
    {"FLOAT32, denormals and NaN of both signs",
     TOPK_TYPE_F32,
     0,
     3,
     {0, 0x80000000, 1, 2, 0x80000001, 0x007fffff, 0x00800000, 0x7f800001, 0xffffffff}},
    {"FLOAT32 as FLOAT16 if it likes",
     TOPK_TYPE_F32,
     TOPK_EXECUTION_HALF,
     3,
     {0, 1, 0x3f800000, 0x3f800001, 0x3f801000, 0x3f801001, 0x477fefff, 0x477ff000, 0x7f800000}},
    {"FLOAT16", TOPK_TYPE_F16, 0, 3, {0, 0x8000, 1, 2, 0x8001, 0x3c00, 0x7c00, 0xfc00, 0x7e01}},
};

/* one row with one direction, and its correct results */
struct question {
    const struct family *family;
    uint32_t length;
    bool increasing;
    bool nan;
    uint64_t row[LONGEST + 1]; /* the last is the value that an index out of range names */
    uint64_t exact[LONGEST];   /* indices in order, by the oracle */
    uint64_t zero[LONGEST];    /* the same with denormals as zeros */
    uint64_t half[2][LONGEST]; /* the same with values rounded to FLOAT16, or truncated */
    uint64_t nans[5][LONGEST]; /* the same for each order of NaN, by counting */
    unsigned char input[LONGEST * 4];
};

/* a backend's answer to a question */
struct answer {
    uint32_t k;
    uint64_t values[LONGEST];
    uint64_t indices[LONGEST];
};

/* the oracle's order of a row */
static void order_by_oracle(const struct question *q, const uint64_t *row, uint64_t *indices)
{
    struct topk_operator op = row_operator(TOPK_TOP_K1, q->family->type, q->increasing, q->length,
                                           q->length, TOPK_TYPE_U32);
    unsigned char input[LONGEST * 4] = {0};
    uint64_t values[LONGEST];
    for (uint32_t i = 0; i < q->length; i++) {
        put_element(input, q->family->type, i, row[i]);
    }
    topk_oracle_sequence(&op, input, 0, values, indices);
}

/* -1: a NaN less than all numbers, 1: greater; 0: no NaN */
static int nan_class(const struct question *q, int order, uint64_t bits)
{
    if (!is_nan(q->family->type, bits)) {
        return 0;
    }
    switch (order + TOPK_ORDER_NAN_GREATEST) {
    case TOPK_ORDER_NAN_GREATEST:
        return 1;
    case TOPK_ORDER_NAN_LEAST:
        return -1;
    case TOPK_ORDER_NAN_FIRST:
        return q->increasing ? -1 : 1;
    case TOPK_ORDER_NAN_LAST:
        return q->increasing ? 1 : -1;
    default:
        return bits >> (8 * bytes_of(q->family->type) - 1) != 0 ? -1 : 1;
    }
}

/* the order of a row with NaN: each element comes after as many elements as come before it */
static void order_by_counting(struct question *q, int order)
{
    for (uint32_t i = 0; i < q->length; i++) {
        uint32_t before = 0;
        int class_i = nan_class(q, order, q->row[i]);
        for (uint32_t j = 0; j < q->length; j++) {
            int class_j = nan_class(q, order, q->row[j]);
            int compared = (class_j > class_i) - (class_j < class_i);
            if (compared == 0 && class_i == 0) {
                compared = compare_values(q->family->type, q->row[j], q->row[i]);
            }
            before += compared == 0 ? j < i : (compared < 0) == q->increasing;
        }
        q->nans[order][before] = i;
    }
}

static uint64_t as_half(uint64_t f32, bool truncated)
{
    double exact = decode_float(TOPK_TYPE_F32, f32);
    float value = (float)decode_half(truncated ? truncate_to_half(exact) : round_to_half(exact));
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void question_prepare(struct question *q)
{
    uint32_t type = q->family->type;
    q->row[q->length] = q->row[0];
    q->nan = false;
    for (uint32_t i = 0; i < q->length; i++) {
        put_element(q->input, type, i, q->row[i]);
        q->nan = q->nan || is_nan(type, q->row[i]);
    }
    if (q->nan) {
        for (int order = 0; order < 5; order++) {
            order_by_counting(q, order);
        }
        return;
    }
    uint64_t zeroed[LONGEST] = {0};
    uint64_t rounded[2][LONGEST] = {{0}};
    for (uint32_t i = 0; i < q->length; i++) {
        bool flush = type == TOPK_TYPE_F32 && is_denormal(type, q->row[i]);
        zeroed[i] = flush ? 0 : q->row[i];
        for (int way = 0; way < 2; way++) {
            rounded[way][i] = type == TOPK_TYPE_F32 ? as_half(q->row[i], way != 0) : q->row[i];
        }
    }
    order_by_oracle(q, q->row, q->exact);
    order_by_oracle(q, zeroed, q->zero);
    order_by_oracle(q, rounded[0], q->half[0]);
    order_by_oracle(q, rounded[1], q->half[1]);
}

static bool starts_with(const uint64_t *indices, const struct answer *answer)
{
    return memcmp(indices, answer->indices, answer->k * sizeof *indices) == 0;
}

/* the expected results of the judge and its parts */
struct expectation {
    bool holds;
    bool exact;
    bool zero;
    bool half[2];
    bool nan;
    bool nans[5];
    uint32_t observations;
};

static uint32_t bit(enum topk_observation observation)
{
    return (uint32_t)1 << observation;
}

static struct expectation expect(const struct question *q, const struct answer *answer)
{
    struct expectation e;
    memset(&e, 0, sizeof e);
    uint32_t type = q->family->type;
    bool named = true;     /* each value has the bits of the element that its index names */
    bool nan_named = true; /* or a NaN for a NaN */
    bool a_set = true;     /* indices are in range and distinct */
    uint32_t used = 0;
    for (uint32_t j = 0; j < answer->k; j++) {
        uint64_t index = answer->indices[j];
        uint64_t value = answer->values[j];
        if (index >= q->length) {
            return e;
        }
        a_set = a_set && (used >> index & 1) == 0;
        used |= 1u << index;
        named = named && value == q->row[index];
        nan_named = nan_named && (value == q->row[index] ||
                                  (is_nan(type, value) && is_nan(type, q->row[index])));
    }
    if (q->nan) {
        static const enum topk_observation words[] = {
            TOPK_OBSERVATION_NAN_GREATEST, TOPK_OBSERVATION_NAN_LEAST, TOPK_OBSERVATION_NAN_FIRST,
            TOPK_OBSERVATION_NAN_LAST, TOPK_OBSERVATION_NAN_BY_SIGN};
        e.holds = e.nan = a_set && nan_named;
        for (int order = 0; order < 5; order++) {
            e.nans[order] = e.holds && starts_with(q->nans[order], answer);
            e.observations |= e.nans[order] ? bit(words[order]) : 0;
        }
        if (e.holds && e.observations == 0) {
            e.observations = bit(TOPK_OBSERVATION_NAN_OTHER);
        }
        return e;
    }
    e.nan = a_set && named;
    e.exact = named && starts_with(q->exact, answer);
    e.zero = named && starts_with(q->zero, answer);
    e.half[0] = named && starts_with(q->half[0], answer);
    e.half[1] = named && starts_with(q->half[1], answer);
    e.holds = e.exact;
    if (type != TOPK_TYPE_F32) {
        return e;
    }
    /* F04: either order is allowed */
    if (e.exact && !e.zero) {
        e.observations |= bit(TOPK_OBSERVATION_DENORMALS_EXACT);
    } else if (!e.exact && e.zero) {
        e.observations |= bit(TOPK_OBSERVATION_DENORMALS_AS_ZERO);
        e.holds = true;
    }
    /* F06: one of those orders is allowed, too, if the flag is set */
    if (q->family->execution & TOPK_EXECUTION_HALF) {
        bool half = e.half[0] || e.half[1];
        if (e.holds && !half) {
            e.observations |= bit(TOPK_OBSERVATION_HALF_EXACT);
        } else if (!e.holds && half) {
            e.observations |= bit(TOPK_OBSERVATION_HALF_COLLIDES);
            e.holds = true;
        }
    }
    return e;
}

/* the buffers for judging the answers to a question, made once per question and K */
struct court {
    const struct question *q;
    struct topk_operator op;
    struct topk_exhibit exhibits[TOPK_ROLE_COUNT];
    struct topk_sequence sequence;
    unsigned char value[LONGEST * 4];
    unsigned char index[LONGEST * 4];
};

static void court_open(struct court *court, struct question *q, uint32_t k)
{
    memset(court, 0, sizeof *court);
    court->q = q;
    uint32_t bytes = bytes_of(q->family->type);
    enum topk_operator_kind kind = !q->increasing && k % 2 != 0 ? TOPK_TOP_K : TOPK_TOP_K1;
    court->op = row_operator(kind, q->family->type, q->increasing, q->length, k, TOPK_TYPE_U32);
    court->op.execution = q->family->execution;
    court->exhibits[TOPK_INPUT] =
        (struct topk_exhibit){q->input, q->input, (uint64_t)q->length * bytes, 0, 0};
    court->exhibits[TOPK_VALUE] =
        (struct topk_exhibit){NULL, court->value, (uint64_t)k * bytes, 0, 0};
    court->exhibits[TOPK_INDEX] = (struct topk_exhibit){NULL, court->index, (uint64_t)k * 4, 0, 0};
    court->sequence = (struct topk_sequence){.type = q->family->type,
                                             .increasing = q->increasing,
                                             .length = q->length,
                                             .k = k,
                                             .index_bytes = 4,
                                             .input = q->input,
                                             .value = court->value,
                                             .index = court->index,
                                             .input_step = bytes,
                                             .value_step = bytes,
                                             .index_step = 4};
}

static void fail_answer(const struct question *q, const struct answer *answer, const char *what)
{
    print_error("%s, %s:", q->family->name, q->increasing ? "increasing" : "decreasing");
    for (uint32_t i = 0; i < q->length; i++) {
        print_error(" %" PRIx64, q->row[i]);
    }
    print_error("; answer");
    for (uint32_t j = 0; j < answer->k; j++) {
        print_error(" (%" PRIx64 ", %" PRIu64 ")", answer->values[j], answer->indices[j]);
    }
    print_error("\n");
    fail_msg("%s", what);
}

static void try_answer(struct court *court, const struct answer *answer)
{
    const struct question *q = court->q;
    const struct topk_sequence *s = &court->sequence;
    for (uint32_t j = 0; j < answer->k; j++) {
        put_element(court->value, q->family->type, j, answer->values[j]);
        put_element(court->index, TOPK_TYPE_U32, j, answer->indices[j]);
    }
    struct expectation e = expect(q, answer);
    struct topk_judgement judgement;
    topk_judge_result(&court->op, court->exhibits, &judgement);
    if ((judgement.count == 0) != e.holds) {
        fail_answer(q, answer,
                    e.holds ? "it holds, the judge says not" : "the judge says it holds");
    }
    if (judgement.has_sequence == e.holds || judgement.no_memory ||
        (!e.holds && (judgement.sequence != 0 || judgement.position >= answer->k))) {
        fail_answer(q, answer, "the first wrong position");
    }
    if (judgement.observations != e.observations) {
        fail_answer(q, answer, "observations");
    }
    if (topk_sequence_holds(s, TOPK_ORDER_EXACT) != e.exact ||
        topk_sequence_nan_holds(s) != e.nan) {
        fail_answer(q, answer, "topk_sequence_holds, topk_sequence_nan_holds");
    }
    if (q->nan) {
        for (int order = 0; order < 5; order++) {
            if (topk_sequence_holds(s, (enum topk_order)(order + TOPK_ORDER_NAN_GREATEST)) !=
                e.nans[order]) {
                fail_answer(q, answer, "topk_sequence_holds with NaN");
            }
        }
    } else if (q->family->type == TOPK_TYPE_F32 &&
               (topk_sequence_holds(s, TOPK_ORDER_DENORMAL_ZERO) != e.zero ||
                topk_sequence_holds(s, TOPK_ORDER_HALF) != e.half[0] ||
                topk_sequence_holds(s, TOPK_ORDER_HALF_TRUNCATED) != e.half[1])) {
        fail_answer(q, answer, "topk_sequence_holds of F04 or F06");
    }
}

/* the next tuple of digits below base; false after the last */
static bool next_tuple(uint64_t *tuple, uint32_t length, uint64_t base)
{
    for (uint32_t i = 0; i < length; i++) {
        if (++tuple[i] < base) {
            return true;
        }
        tuple[i] = 0;
    }
    return false;
}

static bool distinct(const struct answer *answer, uint32_t length)
{
    uint32_t used = 0;
    for (uint32_t j = 0; j < answer->k; j++) {
        if (answer->indices[j] >= length || (used >> answer->indices[j] & 1) != 0) {
            return false;
        }
        used |= 1u << answer->indices[j];
    }
    return true;
}

/* tries all answers to a question; returns their number */
static uint64_t try_question(struct question *q)
{
    uint64_t answers = 0;
    question_prepare(q);
    for (uint32_t k = 1; k <= q->length; k++) {
        struct court court;
        court_open(&court, q, k);
        if (topk_sequence_has_nan(&court.sequence) != q->nan) {
            fail_msg("topk_sequence_has_nan");
        }
        struct answer answer = {.k = k};
        do {
            for (uint32_t j = 0; j < k; j++) {
                answer.values[j] = q->row[answer.indices[j]];
            }
            try_answer(&court, &answer);
            answers++;
            for (uint32_t j = 0; j < k && (q->length < 4 || distinct(&answer, q->length)); j++) {
                uint64_t kept = answer.values[j];
                for (int v = 0; v < VALUES; v++) {
                    answer.values[j] = q->family->values[v];
                    if (answer.values[j] != kept) {
                        try_answer(&court, &answer);
                        answers++;
                    }
                }
                answer.values[j] = kept;
            }
        } while (next_tuple(answer.indices, k, (uint64_t)q->length + 1));
    }
    return answers;
}

static void every_certificate(void **state)
{
    (void)state;
    uint64_t total = 0;
    for (size_t f = 0; f < COUNT(families); f++) {
        uint64_t answers = 0;
        uint32_t longest = families[f].longest;
        if (TOPK_SANITIZED && longest > 3) {
            longest = 3;
        }
        for (uint32_t length = 1; length <= longest; length++) {
            uint64_t digits[LONGEST] = {0};
            do {
                for (int increasing = 0; increasing < 2; increasing++) {
                    struct question q;
                    memset(&q, 0, sizeof q);
                    q.family = &families[f];
                    q.length = length;
                    q.increasing = increasing != 0;
                    for (uint32_t i = 0; i < length; i++) {
                        q.row[i] = families[f].values[digits[i]];
                    }
                    answers += try_question(&q);
                }
            } while (next_tuple(digits, length, VALUES));
        }
        print_message("%s: %" PRIu64 " certificates, n <= %" PRIu32 "%s\n", families[f].name,
                      answers, longest,
                      longest < families[f].longest ? " only, under the sanitizers" : "");
        total += answers;
    }
    print_message("%" PRIu64 " certificates in all\n", total);
    if (!TOPK_SANITIZED) {
        assert_true(total >= 24000000);
    }
}

/* ---- by hand: one row ------------------------------------------------------------------------ */

/* a value that is not the element that the index names */
struct other_value {
    uint32_t position;
    uint64_t bits;
};

struct expected_finding {
    enum topk_clause clause;
    enum topk_mismatch mismatch;
    enum topk_role role;
    uint32_t position;
    uint64_t expected;
    uint64_t actual;
    uint64_t count;
};

struct hand {
    const char *name;
    uint32_t type;
    enum topk_operator_kind kind;
    bool increasing;
    uint32_t execution;
    uint32_t length;
    uint32_t k;
    uint64_t row[6];
    uint64_t indices[6];
    struct other_value others[3]; /* ended by bits 0 at position 0 */
    struct expected_finding findings[4];
    uint32_t observations;
};

#define F32          TOPK_TYPE_F32
#define F16          TOPK_TYPE_F16
#define I32          TOPK_TYPE_I32
#define I64          TOPK_TYPE_I64
#define U64          TOPK_TYPE_U64
#define DOWN         TOPK_TOP_K, false, 0
#define DOWN1        TOPK_TOP_K1, false, 0
#define UP1          TOPK_TOP_K1, true, 0
#define DOWN_AS_HALF TOPK_TOP_K, false, TOPK_EXECUTION_HALF
#define AS_NAMED                                                                                   \
    {                                                                                              \
        {                                                                                          \
            0, 0                                                                                   \
        }                                                                                          \
    }
#define NONE                                                                                       \
    {                                                                                              \
        {                                                                                          \
            TOPK_CLAUSE_S01, TOPK_MISMATCH_INDEX_RANGE, TOPK_INPUT, 0, 0, 0, 0                     \
        }                                                                                          \
    }
#define FOUND(clause, mismatch, role, position, expected, actual, count)                           \
    {                                                                                              \
        TOPK_CLAUSE_##clause, TOPK_MISMATCH_##mismatch, TOPK_##role, position, expected, actual,   \
            count                                                                                  \
    }
#define SEEN(observation) ((uint32_t)1 << TOPK_OBSERVATION_##observation)
#define BIG               ((uint64_t)1 << 53)
#define NAN_              0x7fc00000
#define MINUS_NAN         0xffc00000
#define ONE               0x3f800000
#define TWO               0x40000000

static const struct hand hands[] = {
#define HAND(...) {__VA_ARGS__},
#include "judge_hands.def"
#undef HAND
};

static void assert_finding(const char *name, const struct topk_finding *finding,
                           const struct expected_finding *expected)
{
    if (finding->clause != expected->clause || finding->mismatch != expected->mismatch ||
        finding->role != expected->role || finding->rank != 1 ||
        finding->at[0] != expected->position || finding->expected != expected->expected ||
        finding->actual != expected->actual || finding->count != expected->count) {
        fail_msg("%s: found %s, %s of the %s at %" PRIu32 ", expected %" PRIx64 ", actual %" PRIx64
                 ", %" PRIu64 " times",
                 name, topk_clause_id(finding->clause), topk_mismatch_row(finding->mismatch)->word,
                 topk_role_name(finding->role), finding->at[0], finding->expected, finding->actual,
                 finding->count);
    }
}

static void run_hand(const struct hand *hand, uint32_t index_type)
{
    struct topk_operator op =
        row_operator(hand->kind, hand->type, hand->increasing, hand->length, hand->k, index_type);
    op.execution = hand->execution;
    struct call call;
    call_make(&call, &op);
    for (uint32_t i = 0; i < hand->length; i++) {
        call_set(&call, TOPK_INPUT, &i, hand->row[i]);
    }
    uint32_t wrong_first = UINT32_MAX;
    for (uint32_t j = 0; j < hand->k; j++) {
        uint64_t named = hand->indices[j] < hand->length ? hand->row[hand->indices[j]] : 0;
        call_set(&call, TOPK_INDEX, &j, hand->indices[j]);
        call_set(&call, TOPK_VALUE, &j, named);
    }
    for (size_t i = 0; i < COUNT(hand->others) && hand->others[i].bits != 0; i++) {
        call_set(&call, TOPK_VALUE, &hand->others[i].position, hand->others[i].bits);
    }
    struct topk_judgement judgement;
    memset(&judgement, 0xee, sizeof judgement); /* must be overwritten */
    topk_judge_result(&op, call.exhibits, &judgement);
    uint32_t count = 0;
    while (count < COUNT(hand->findings) && hand->findings[count].count != 0) {
        if (hand->findings[count].position < wrong_first) {
            wrong_first = hand->findings[count].position;
        }
        count++;
    }
    for (uint32_t i = 0; i < count && i < judgement.count; i++) {
        assert_finding(hand->name, &judgement.findings[i], &hand->findings[i]);
    }
    if (judgement.count != count || judgement.observations != hand->observations ||
        judgement.has_sequence != (count != 0)) {
        fail_msg("%s: %" PRIu32 " findings, observations %" PRIx32, hand->name, judgement.count,
                 judgement.observations);
    }
    if (count != 0) {
        assert_true(judgement.sequence == 0);
        if (judgement.position != wrong_first) {
            fail_msg("%s: first wrong at %" PRIu32, hand->name, judgement.position);
        }
    }
    call_free(&call);
}

static void each_finding_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(hands); i++) {
        bool wide_only = false;
        for (uint32_t j = 0; j < hands[i].k; j++) {
            wide_only = wide_only || hands[i].indices[j] > UINT32_MAX;
        }
        run_hand(&hands[i], TOPK_TYPE_U64);
        if (!wide_only) {
            run_hand(&hands[i], TOPK_TYPE_U32);
        }
    }
    /* +0 where -0 is named: others[] cannot express this */
    struct topk_operator op = row_operator(TOPK_TOP_K, TOPK_TYPE_F32, false, 1, 1, TOPK_TYPE_U32);
    struct call call;
    call_make(&call, &op);
    uint32_t at = 0;
    call_set(&call, TOPK_INPUT, &at, 0x80000000);
    call_set(&call, TOPK_VALUE, &at, 0);
    call_set(&call, TOPK_INDEX, &at, 0);
    struct topk_judgement judgement;
    topk_judge_result(&op, call.exhibits, &judgement);
    assert_int_equal(judgement.count, 1);
    struct expected_finding expected = FOUND(F01, VALUE_BITS, VALUE, 0, 0x80000000, 0, 1);
    assert_finding("the sign of zero lost", &judgement.findings[0], &expected);
    call_free(&call);
}

/* ---- by hand: several sequences -------------------------------------------------------------- */

/* {2,3,2} FLOAT32, axis 1, K 2: four sequences with the oracle's outputs */
static void four_sequences(struct call *call)
{
    struct topk_operator op;
    memset(&op, 0, sizeof op);
    op.kind = TOPK_TOP_K;
    op.level = TOPK_LEVEL_5_0;
    op.axis = 1;
    op.k = 2;
    op.direction = TOPK_DECREASING;
    op.tensors[TOPK_INPUT] = (struct topk_tensor){
        .present = true, .type = TOPK_TYPE_F32, .rank = 3, .sizes = {2, 3, 2}, .total_bytes = 48};
    topk_operator_derive_outputs(&op, TOPK_TYPE_U32);
    call_make(call, &op);
    uint32_t at[TOPK_RANK_MAX] = {0};
    int number = 0;
    do {
        call_set(call, TOPK_INPUT, at, bits_of(TOPK_TYPE_F32, ++number));
    } while (next_at(&op.tensors[TOPK_INPUT], at));
    call_run_oracle(call);
}

static void coordinates(void **state)
{
    (void)state;
    struct call call;
    struct topk_judgement judgement;
    four_sequences(&call);
    topk_judge_result(&call.op, call.exhibits, &judgement);
    assert_int_equal(judgement.count, 0);
    assert_int_equal(judgement.observations, 0);
    assert_false(judgement.has_sequence);
    /* a backend that changes its input is judged by the original */
    memset(call.after[TOPK_INPUT], 0, call.exhibits[TOPK_INPUT].bytes);
    topk_judge_result(&call.op, call.exhibits, &judgement);
    assert_int_equal(judgement.count, 0);
    topk_judge_memory(&call.op, call.exhibits, &judgement);
    assert_int_equal(judgement.count, 1);
    assert_int_equal(judgement.findings[0].clause, TOPK_CLAUSE_M01);
    assert_int_equal(judgement.findings[0].expected, call.before[TOPK_INPUT][0]);
    assert_int_equal(judgement.findings[0].actual, 0);
    /* sequence 3 is (1, *, 1), sequence 2 (1, *, 0) */
    const uint32_t last[] = {1, 1, 1};
    const uint32_t before[] = {1, 0, 0};
    call_set(&call, TOPK_INDEX, last, 77);
    topk_judge_result(&call.op, call.exhibits, &judgement);
    assert_int_equal(judgement.count, 1);
    assert_int_equal(judgement.findings[0].mismatch, TOPK_MISMATCH_INDEX_RANGE);
    assert_int_equal(judgement.findings[0].rank, 3);
    assert_memory_equal(judgement.findings[0].at, last, sizeof last);
    assert_true(judgement.has_sequence);
    assert_true(judgement.sequence == 3);
    assert_int_equal(judgement.position, 1);
    /* an earlier finding of the same kind replaces it, and the count increases */
    call_set(&call, TOPK_INDEX, before, 78);
    topk_judge_result(&call.op, call.exhibits, &judgement);
    assert_int_equal(judgement.count, 1);
    assert_int_equal(judgement.findings[0].count, 2);
    assert_int_equal(judgement.findings[0].actual, 78);
    assert_memory_equal(judgement.findings[0].at, before, sizeof before);
    assert_true(judgement.sequence == 2);
    assert_int_equal(judgement.position, 0);
    call_free(&call);
}

/* the bytes between two elements of the only sequence do not fit into 32 bits */
static void far_apart(void **state)
{
    (void)state;
    struct topk_operator op = {.kind = TOPK_TOP_K1,
                               .level = TOPK_LEVEL_5_0,
                               .direction = TOPK_DECREASING,
                               .axis = 3,
                               .k = 1};
    op.tensors[TOPK_INPUT] = (struct topk_tensor){.present = true,
                                                  .type = TOPK_TYPE_F32,
                                                  .strided = true,
                                                  .rank = 4,
                                                  .sizes = {1, 1, 1, 2},
                                                  .strides = {0, 0, 0, (uint32_t)1 << 30}};
    op.tensors[TOPK_INPUT].total_bytes = topk_tensor_least_bytes(&op.tensors[TOPK_INPUT]);
    topk_operator_derive_outputs(&op, TOPK_TYPE_U32);
    const uint64_t bytes = op.tensors[TOPK_INPUT].total_bytes;
    unsigned char *input = calloc(1, bytes); /* of which two pages are touched */
    if (input == NULL) {
        skip();
        return;
    }
    unsigned char value[4];
    unsigned char index[4];
    topk_element_store(input, 4, 0x3f800000);
    topk_element_store(input + bytes - 4, 4, 0x40000000);
    topk_element_store(value, 4, 0x40000000);
    topk_element_store(index, 4, 1);
    const struct topk_exhibit exhibits[TOPK_ROLE_COUNT] = {
        {input, input, bytes, 0, 0}, {value, value, 4, 0, 0}, {index, index, 4, 0, 0}};
    struct topk_judgement judgement;
    topk_judge_result(&op, exhibits, &judgement);
    assert_int_equal(judgement.count, 0);
    free(input);
}

/* F04 is one choice for the whole call, and so is the order of NaN */
static void latitudes_are_consistent(void **state)
{
    (void)state;
    static const struct {
        uint64_t rows[2][2];
        uint64_t first[2]; /* the index selected in each row; K is 1 */
        uint32_t findings;
        uint32_t observations;
    } cases[] = {
        {{{1, 2}, {3, 4}}, {1, 1}, 0, SEEN(DENORMALS_EXACT)},
        {{{1, 2}, {3, 4}}, {0, 0}, 0, SEEN(DENORMALS_AS_ZERO)},
        {{{1, 2}, {3, 4}}, {1, 0}, 1, 0},
        {{{1, 2}, {3, 4}}, {0, 1}, 1, 0},
        {{{1, 2}, {ONE, TWO}}, {0, 1}, 0, SEEN(DENORMALS_AS_ZERO)},
        {{{1, 2}, {ONE, TWO}}, {0, 0}, 1, 0},
        {{{1, 2}, {NAN_, 3}},
         {0, 1},
         0,
         SEEN(DENORMALS_AS_ZERO) | SEEN(NAN_LEAST) | SEEN(NAN_LAST)},
        {{{NAN_, ONE}, {MINUS_NAN, ONE}}, {0, 0}, 0, SEEN(NAN_GREATEST) | SEEN(NAN_FIRST)},
        {{{NAN_, ONE}, {MINUS_NAN, ONE}}, {0, 1}, 0, SEEN(NAN_BY_SIGN)},
        {{{NAN_, ONE}, {NAN_, ONE}}, {0, 1}, 0, SEEN(NAN_OTHER)},
        /* a NaN in one sequence does not excuse another sequence */
        {{{NAN_, ONE}, {ONE, TWO}}, {1, 0}, 1, SEEN(NAN_LEAST) | SEEN(NAN_LAST)},
    };
    for (size_t c = 0; c < COUNT(cases); c++) {
        struct topk_operator op =
            row_operator(TOPK_TOP_K, TOPK_TYPE_F32, false, 2, 1, TOPK_TYPE_U32);
        op.tensors[TOPK_INPUT].rank = 2;
        op.tensors[TOPK_INPUT].sizes[0] = op.tensors[TOPK_INPUT].sizes[1] = 2;
        op.tensors[TOPK_INPUT].total_bytes = 16;
        op.axis = 1;
        topk_operator_derive_outputs(&op, TOPK_TYPE_U32);
        struct call call;
        call_make(&call, &op);
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t at[2] = {i, 0};
            call_set(&call, TOPK_VALUE, at, cases[c].rows[i][cases[c].first[i]]);
            call_set(&call, TOPK_INDEX, at, cases[c].first[i]);
            call_set(&call, TOPK_INPUT, at, cases[c].rows[i][0]);
            at[1] = 1;
            call_set(&call, TOPK_INPUT, at, cases[c].rows[i][1]);
        }
        struct topk_judgement judgement;
        topk_judge_result(&op, call.exhibits, &judgement);
        if (judgement.count != cases[c].findings ||
            judgement.observations != cases[c].observations) {
            fail_msg("case %zu: %" PRIu32 " findings, observations %" PRIx32, c, judgement.count,
                     judgement.observations);
        }
        call_free(&call);
    }
}

static void findings_are_capped(void **state)
{
    (void)state;
    struct topk_judgement judgement;
    memset(&judgement, 0, sizeof judgement);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < TOPK_MISMATCH_COUNT; i++) {
            struct topk_finding finding = {.clause = TOPK_CLAUSE_S01,
                                           .mismatch = (enum topk_mismatch)i,
                                           .role = TOPK_VALUE,
                                           .expected = (uint64_t)round,
                                           .count = 2};
            topk_judgement_add(&judgement, &finding);
        }
    }
    assert_int_equal(judgement.count, TOPK_FINDINGS_MAX);
    for (int i = 0; i < TOPK_FINDINGS_MAX; i++) {
        assert_int_equal(judgement.findings[i].mismatch, i);
        assert_true(judgement.findings[i].count == 6);
        assert_true(judgement.findings[i].expected == 0); /* shows the first one */
    }
    /* clause, mismatch and role identify a kind */
    memset(&judgement, 0, sizeof judgement);
    struct topk_finding finding = {.clause = TOPK_CLAUSE_S01, .role = TOPK_VALUE, .count = 1};
    topk_judgement_add(&judgement, &finding);
    finding.role = TOPK_INDEX;
    topk_judgement_add(&judgement, &finding);
    finding.clause = TOPK_CLAUSE_S02;
    topk_judgement_add(&judgement, &finding);
    assert_int_equal(judgement.count, 3);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void memory_by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t byte; /* relative to the tensor's start */
        enum topk_role role;
        enum topk_clause clause;
        enum topk_mismatch mismatch;
        uint32_t observation;
    } cases[] = {
        {"input", 0, TOPK_INPUT, TOPK_CLAUSE_M01, TOPK_MISMATCH_INPUT_WRITTEN, 0},
        {"input, last byte", 47, TOPK_INPUT, TOPK_CLAUSE_M01, TOPK_MISMATCH_INPUT_WRITTEN, 0},
        {"before the input", -1, TOPK_INPUT, TOPK_CLAUSE_M01, TOPK_MISMATCH_INPUT_WRITTEN, 0},
        {"after the input", 63, TOPK_INPUT, TOPK_CLAUSE_M01, TOPK_MISMATCH_INPUT_WRITTEN, 0},
        {"before the value", -1, TOPK_VALUE, TOPK_CLAUSE_M02, TOPK_MISMATCH_OUTSIDE_WRITTEN, 0},
        {"far before", -16, TOPK_VALUE, TOPK_CLAUSE_M02, TOPK_MISMATCH_OUTSIDE_WRITTEN, 0},
        {"after the value", 32, TOPK_VALUE, TOPK_CLAUSE_M02, TOPK_MISMATCH_OUTSIDE_WRITTEN, 0},
        {"after the index", 37, TOPK_INDEX, TOPK_CLAUSE_M02, TOPK_MISMATCH_OUTSIDE_WRITTEN, 0},
        {"far after", 52, TOPK_INDEX, TOPK_CLAUSE_M02, TOPK_MISMATCH_OUTSIDE_WRITTEN, 0},
        {"padding of the index", 32, TOPK_INDEX, TOPK_CLAUSE_NONE, TOPK_MISMATCH_COUNT,
         SEEN(PADDING_WRITTEN)},
        {"padding, last byte", 36, TOPK_INDEX, TOPK_CLAUSE_NONE, TOPK_MISMATCH_COUNT,
         SEEN(PADDING_WRITTEN)},
        {"element of the value", 31, TOPK_VALUE, TOPK_CLAUSE_NONE, TOPK_MISMATCH_COUNT, 0},
        {"element of the index", 31, TOPK_INDEX, TOPK_CLAUSE_NONE, TOPK_MISMATCH_COUNT, 0},
    };
    for (size_t c = 0; c < COUNT(cases); c++) {
        struct call call;
        struct call more;
        struct topk_judgement judgement;
        memset(&judgement, 0, sizeof judgement);
        four_sequences(&call);
        /* 32 bytes of elements and 5 of padding in the index, none in the value */
        struct topk_operator op = call.op;
        op.tensors[TOPK_INDEX].total_bytes = 37;
        call_make(&more, &op);
        memcpy(more.after[TOPK_INDEX] + CALL_MARGIN, call.after[TOPK_INDEX] + CALL_MARGIN, 32);
        memcpy(more.after[TOPK_VALUE] + CALL_MARGIN, call.after[TOPK_VALUE] + CALL_MARGIN, 32);
        unsigned char *place = &more.after[cases[c].role][(int64_t)CALL_MARGIN + cases[c].byte];
        unsigned char kept = *place;
        *place = (unsigned char)(kept ^ 1);
        topk_judge_memory(&op, more.exhibits, &judgement);
        bool none = cases[c].clause == TOPK_CLAUSE_NONE;
        uint32_t padding = cases[c].observation != 0 ? cases[c].observation : SEEN(PADDING_KEPT);
        if (judgement.count != !none || judgement.observations != padding) {
            fail_msg("%s: %" PRIu32 " findings, observations %" PRIx32, cases[c].name,
                     judgement.count, judgement.observations);
        }
        const struct topk_finding *finding = &judgement.findings[0];
        if (!none &&
            (finding->clause != cases[c].clause || finding->mismatch != cases[c].mismatch ||
             finding->role != cases[c].role || finding->rank != 0 ||
             finding->byte != cases[c].byte || finding->expected != kept ||
             finding->actual != *place || finding->count != 1)) {
            fail_msg("%s: %s at byte %" PRId64, cases[c].name, topk_clause_id(finding->clause),
                     finding->byte);
        }
        call_free(&call);
        call_free(&more);
    }
    /* bytes on both sides are one finding, which shows the first; without padding there is no
     * observation */
    struct call call;
    struct topk_judgement judgement;
    memset(&judgement, 0, sizeof judgement);
    four_sequences(&call);
    call.after[TOPK_VALUE][3] = 1;
    call.after[TOPK_VALUE][4] = 1;
    call.after[TOPK_VALUE][CALL_MARGIN + 32] = 1;
    topk_judge_memory(&call.op, call.exhibits, &judgement);
    assert_int_equal(judgement.count, 1);
    assert_true(judgement.findings[0].count == 3);
    assert_true(judgement.findings[0].byte == -13);
    assert_int_equal(judgement.observations, 0);
    /* padding of the first of two padded outputs is written; then of both */
    struct topk_operator padded = call.op;
    padded.tensors[TOPK_VALUE].total_bytes += 4;
    padded.tensors[TOPK_INDEX].total_bytes += 4;
    for (int written = 1; written <= 2; written++) {
        call.after[TOPK_VALUE + written - 1][CALL_MARGIN + 33] = 1;
        memset(&judgement, 0, sizeof judgement);
        topk_judge_memory(&padded, call.exhibits, &judgement);
        assert_int_equal(judgement.observations, SEEN(PADDING_WRITTEN));
    }
    /* if the content before is unknown, nothing counts as written */
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        call.exhibits[role].before = call.after[role];
    }
    memset(&judgement, 0, sizeof judgement);
    topk_judge_memory(&call.op, call.exhibits, &judgement);
    assert_int_equal(judgement.count, 0);
    /* there is nothing around tensors that fill their buffers */
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        call.exhibits[role] = (struct topk_exhibit){.before = call.before[role] + CALL_MARGIN,
                                                    .after = call.after[role] + CALL_MARGIN,
                                                    .bytes = call.op.tensors[role].total_bytes};
    }
    memset(&judgement, 0, sizeof judgement);
    topk_judge_memory(&call.op, call.exhibits, &judgement);
    assert_int_equal(judgement.count, 0);
    call_free(&call);
}

/* ---- random operators ------------------------------------------------------------------------ */

/* what a mutation changed */
struct mutation {
    bool differs;
    uint64_t sequence;
};

static void random_output_at(struct topk_pcg *pcg, const struct topk_tensor *output,
                             uint32_t at[TOPK_RANK_MAX])
{
    memset(at, 0, TOPK_RANK_MAX * sizeof at[0]);
    for (uint32_t i = 0; i < output->rank; i++) {
        at[i] = topk_pcg_below(pcg, output->sizes[i]);
    }
}

static uint64_t sequence_of(const struct topk_operator *op, const uint32_t at[])
{
    uint64_t sequence = 0;
    for (uint32_t i = 0; i < op->tensors[TOPK_INPUT].rank; i++) {
        if (i != op->axis) {
            sequence = sequence * op->tensors[TOPK_INPUT].sizes[i] + at[i];
        }
    }
    return sequence;
}

static struct mutation mutate(struct topk_pcg *pcg, struct call *call)
{
    const struct topk_operator *op = &call->op;
    uint32_t at[TOPK_RANK_MAX];
    random_output_at(pcg, &op->tensors[TOPK_VALUE], at);
    struct mutation mutation = {.sequence = sequence_of(op, at)};
    uint64_t value = call_get(call, TOPK_VALUE, at);
    uint64_t index = call_get(call, TOPK_INDEX, at);
    uint32_t way = topk_pcg_below(pcg, 6);
    if (way == 0) { /* another value */
        uint64_t other = random_bits(pcg, op->tensors[TOPK_VALUE].type, DRAW_ANY);
        call_set(call, TOPK_VALUE, at, other);
        mutation.differs = other != value;
    } else if (way == 1) { /* one bit of a value */
        uint32_t which = topk_pcg_below(pcg, 8 * bytes_of(op->tensors[TOPK_VALUE].type));
        call_set(call, TOPK_VALUE, at, value ^ (uint64_t)1 << which);
        mutation.differs = true;
    } else if (way == 2) { /* one bit of an index */
        uint32_t which = topk_pcg_below(pcg, 8 * bytes_of(op->tensors[TOPK_INDEX].type));
        call_set(call, TOPK_INDEX, at, index ^ (uint64_t)1 << which);
        mutation.differs = true;
    } else if (way == 3) { /* one bit of an index */
        uint32_t from[TOPK_RANK_MAX];
        memcpy(from, at, sizeof from);
        from[op->axis] = topk_pcg_below(pcg, op->tensors[TOPK_INPUT].sizes[op->axis]);
        call_set(call, TOPK_VALUE, at, call_get(call, TOPK_INPUT, from));
        call_set(call, TOPK_INDEX, at, from[op->axis]);
        mutation.differs = from[op->axis] != index;
    } else { /* exchanges two outputs of a sequence, or only their indices */
        uint32_t other[TOPK_RANK_MAX];
        memcpy(other, at, sizeof other);
        other[op->axis] = topk_pcg_below(pcg, op->k);
        call_set(call, TOPK_INDEX, at, call_get(call, TOPK_INDEX, other));
        call_set(call, TOPK_INDEX, other, index);
        if (way == 4) {
            call_set(call, TOPK_VALUE, at, call_get(call, TOPK_VALUE, other));
            call_set(call, TOPK_VALUE, other, value);
        }
        mutation.differs = other[op->axis] != at[op->axis];
    }
    return mutation;
}

static void random_results(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 1, 60);
    int operators = TOPK_SANITIZED ? 2000 : 20000;
    uint64_t mutations = 0;
    uint64_t wrong = 0;
    for (int n = 0; n < operators; n++) {
        uint32_t type = topk_types[n % TOPK_TYPE_COUNT];
        uint32_t index_type = topk_pcg_below(&pcg, 2) ? TOPK_TYPE_U64 : TOPK_TYPE_U32;
        struct topk_operator op = random_operator(&pcg, type, index_type, 120);
        struct call call;
        call_make(&call, &op);
        call_fill(&call, &pcg, DRAW_DECIDED);
        assert_int_equal(call_run_oracle(&call), TOPK_ORACLE_UNIQUE);
        struct topk_judgement judgement;
        topk_judge_result(&op, call.exhibits, &judgement);
        if (judgement.count != 0 || judgement.observations != 0 || judgement.has_sequence) {
            fail_msg("operator %d: the oracle's result is judged wrong", n);
        }
        for (int m = 0; m < 10; m++) {
            unsigned char *kept[TOPK_ROLE_COUNT];
            for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
                kept[role] = malloc(call.exhibits[role].bytes);
                assert_non_null(kept[role]);
                memcpy(kept[role], call.after[role], call.exhibits[role].bytes);
            }
            struct mutation mutation = mutate(&pcg, &call);
            topk_judge_result(&op, call.exhibits, &judgement);
            bool sequence_right = !mutation.differs || (judgement.has_sequence &&
                                                        judgement.sequence == mutation.sequence &&
                                                        judgement.position < op.k);
            if ((judgement.count != 0) != mutation.differs || !sequence_right) {
                fail_msg("operator %d, mutation %d: %s", n, m,
                         mutation.differs ? "not seen" : "not there");
            }
            for (uint32_t i = 0; i < judgement.count; i++) {
                assert_true(sequence_of(&op, judgement.findings[i].at) == mutation.sequence);
            }
            mutations++;
            wrong += mutation.differs;
            for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
                memcpy(call.after[role], kept[role], call.exhibits[role].bytes);
                free(kept[role]);
            }
        }
        memset(&judgement, 0, sizeof judgement); /* only elements were written */
        topk_judge_memory(&op, call.exhibits, &judgement);
        assert_int_equal(judgement.count, 0);
        bool padded = false;
        for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
            const struct topk_tensor *output = &op.tensors[role];
            uint64_t elements = op.k * topk_operator_sequences(&op);
            padded = padded || output->total_bytes > elements * bytes_of(output->type);
        }
        assert_int_equal(judgement.observations, padded ? SEEN(PADDING_KEPT) : 0);
        call_free(&call);
    }
    print_message("%d results, %" PRIu64 " mutations of them, %" PRIu64 " wrong\n", operators,
                  mutations, wrong);
}

/* indices beyond 16 bits */
static void long_sequences(void **state)
{
    (void)state;
    static const uint32_t types[] = {TOPK_TYPE_F32, TOPK_TYPE_U8, TOPK_TYPE_I64};
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 2, 60);
    for (size_t t = 0; t < COUNT(types); t++) {
        for (int increasing = 0; increasing < 2; increasing++) {
            struct topk_operator op =
                row_operator(TOPK_TOP_K1, types[t], increasing != 0, 100003, 70001, TOPK_TYPE_U32);
            struct call call;
            call_make(&call, &op);
            struct topk_judgement judgement;
            /* all equal: the last one selected is element 70000 */
            for (uint32_t i = 0; i < 100003; i++) {
                call_set(&call, TOPK_INPUT, &i, bits_of(types[t], 7));
            }
            call_run_oracle(&call);
            topk_judge_result(&op, call.exhibits, &judgement);
            assert_int_equal(judgement.count, 0);
            /* no second check is needed, because the fast path finds no error */
            struct topk_sequence sequence = {.type = types[t],
                                             .increasing = increasing != 0,
                                             .length = 100003,
                                             .k = op.k,
                                             .index_bytes = 4,
                                             .input = call.before[TOPK_INPUT] + CALL_MARGIN,
                                             .value = call.after[TOPK_VALUE] + CALL_MARGIN,
                                             .index = call.after[TOPK_INDEX] + CALL_MARGIN,
                                             .input_step = bytes_of(types[t]),
                                             .value_step = bytes_of(types[t]),
                                             .index_step = 4};
            assert_true(topk_sequence_holds(&sequence, TOPK_ORDER_EXACT));
            call_fill(&call, &pcg, DRAW_DECIDED);
            call_run_oracle(&call);
            topk_judge_result(&op, call.exhibits, &judgement);
            assert_int_equal(judgement.count, 0);
            for (int m = 0; m < 20; m++) {
                uint32_t at = m == 0 ? 70000 : topk_pcg_below(&pcg, op.k);
                uint64_t index = call_get(&call, TOPK_INDEX, &at);
                uint64_t other = m == 1 ? index ^ 0x10000 : topk_pcg_below(&pcg, 100003);
                call_set(&call, TOPK_INDEX, &at, other);
                topk_judge_result(&op, call.exhibits, &judgement);
                assert_int_equal(judgement.count != 0, other != index);
                call_set(&call, TOPK_INDEX, &at, index);
            }
            call_free(&call);
        }
    }
}

/* usage: judge_test [exhaustion|rest]; default: both */
int main(int argc, char **argv)
{
    const struct CMUnitTest rest[] = {cmocka_unit_test(each_finding_by_hand),
                                      cmocka_unit_test(coordinates),
                                      cmocka_unit_test(far_apart),
                                      cmocka_unit_test(latitudes_are_consistent),
                                      cmocka_unit_test(findings_are_capped),
                                      cmocka_unit_test(memory_by_hand),
                                      cmocka_unit_test(random_results),
                                      cmocka_unit_test(long_sequences)};
    const struct CMUnitTest exhaustion[] = {cmocka_unit_test(every_certificate)};
    const char *wanted = argc > 1 ? argv[1] : "";
    int failed = 0;
    if (strcmp(wanted, "exhaustion") != 0) {
        failed += cmocka_run_group_tests_name("judge", rest, NULL, NULL);
    }
    if (strcmp(wanted, "rest") != 0) {
        failed += cmocka_run_group_tests_name("judge, by exhaustion", exhaustion, NULL, NULL);
    }
    return failed;
}
