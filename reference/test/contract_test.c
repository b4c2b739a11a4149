/* Declared contracts: their text, and the judge under every combination of rules that decide what a
 * result must be, exhaustively against a definition that compares pairs of elements. */
#include "reference/contract.h"
#include "support.h"

/* ---- text -------------------------------------------------------------------------------------
 */

static struct topk_contract read_good(const char *text)
{
    struct topk_contract contract;
    char error[300] = "";
    if (!topk_contract_parse(text, strlen(text), false, &contract, error, sizeof error)) {
        fail_msg("%s: %s", text, error);
    }
    return contract;
}

static void text_survives(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *rules;
    } rows[] = {
        {"", ""},
        {"topk-contract 1\n", ""},
        {"ties=lowest order=sorted nan=any types=all ranks=any k=any", ""},
        {"ties=any", "ties=any"},
        {"order=any ties=any", "ties=any order=any"},
        {"types=u8,f32", "types=f32,u8"},
        {"repeat=values types=f32,i32", "types=f32,i32 repeat=values"},
        {"types=f32,f16,i64,i32,i16,i8,u64,u32,u16,u8", ""},
        {"ranks=1..8", ""},
        {"ranks=1..4 k=1..1024", "ranks=1..4 k=1..1024"},
        {"k=7..7", "k=7"},
        {"ties=any\t", "ties=any"},
        {"# a comment\n\n  topk-contract 1 \r\n\tties=highest  zero=signed\r\n",
         "ties=highest zero=signed"},
        {"nan=last\nname=a b=c\nsource=page 7, \"ties\"\ndenormals=flush",
         "denormals=flush nan=last"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct topk_contract contract = read_good(rows[i].text);
        char rules[TOPK_CONTRACT_RULES];
        char text[TOPK_CONTRACT_TEXT];
        topk_contract_rules_print(&contract, rules);
        assert_string_equal(rules, rows[i].rules);
        assert_true(topk_contract_plain(&contract) == (rules[0] == 0));
        topk_contract_print(&contract, text);
        struct topk_contract again = read_good(text);
        assert_memory_equal(&again, &contract, sizeof contract);
    }
    struct topk_contract named = read_good(rows[COUNT(rows) - 1].text);
    assert_string_equal(named.name, "a b=c");
    assert_string_equal(named.source, "page 7, \"ties\"");
}

static void text_is_refused(void **state)
{
    (void)state;
    struct topk_contract any;
    char why[100];
    assert_false(topk_contract_parse("ties=any\0", 9, false, &any, why, sizeof why));
    assert_string_equal(why, "it has a zero byte: it is no text");
    static const struct {
        const char *text;
        bool file;
        const char *error;
    } rows[] = {
        {"", true, "it is empty"},
        {"# only this\n", true, "it is empty"},
        {"ties=any", true, "line 1: 'topk-contract 1' has to come first, not 'ties=any'"},
        {"topk-contract 2\n", true, "line 1: 'topk-contract 2' is of another version"},
        {"topk-contract 1\ntopk-contract 1\n", true,
         "line 2: 'topk-contract' is not a rule KEY=VALUE"},
        {"ties", false, "line 1: 'ties' is not a rule KEY=VALUE"},
        {"ties k=1", false, "line 1: 'ties' is not a rule KEY=VALUE"},
        {"a-word-that-is-much-too-long-for-a-message-so-that-only-its-start-is-shown-to-the-reader",
         false, "line 1: 'a-word"},
        {"tie=any", false, "line 1: there is no rule 'tie'"},
        {"\n\nties=none", false, "line 3: ties is 'none'; it must be one of lowest, highest, any"},
        {"ties=any ties=any", false, "line 1: ties is given twice"},
        {"name=a\nname=b", false, "line 2: name is given twice"},
        {"name=", false, "line 1: name takes 1 to 95 characters, not 0"},
        {"source=\x01", false, "line 1: source takes printable ASCII only"},
        {"source=a\x7f", false, "line 1: source takes printable ASCII only"},
        {"name="
         "0123456789"
         "0123456789"
         "0123456789"
         "0123456789"
         "0123456789"
         "0123456789"
         "0123456789"
         "0123456789"
         "0123456789"
         "01234+",
         false, "line 1: name takes 1 to 95 characters, not 96"},
        {"types=", false, "line 1: types has '', which is not an "},
        {"types=f32,", false, "line 1: types has '', which is not an "},
        {"types=f32,f32", false, "line 1: types has f32 twice"},
        {"types=f64", false, "line 1: types has 'f64', which is not an "},
        {"ranks=0", false, "line 1: ranks is '0'; it must be a number"},
        {"ranks=1..9", false, "line 1: ranks is '1..9'; it must be a number"},
        {"ranks=1..", false, "line 1: ranks is '1..'; it must be a number"},
        {"ranks=1.4", false, "line 1: ranks is '1.4'; it must be a number"},
        {"ranks=1-14", false, "line 1: ranks is '1-14'; it must be a number"},
        {"ranks=1a", false, "line 1: ranks is '1a'; it must be a number"},
        {"ranks=+1", false, "line 1: ranks is '+1'; it must be a number"},
        {"ranks=9999", false, "line 1: ranks is '9999'; it must be a number"},
        {"ranks=1-4", false, "line 1: ranks is '1-4'; it must be a number"},
        {"k=9..2", false, "line 1: k=9..2 holds no number"},
        {"k=99999999999999999999", false, "line 1: k is '99999999999999999999'"},
        {"types=i32 denormals=flush", false, "denormals=flush contradicts types="},
        {"nan=last types=i32,u8", false, "nan=last contradicts types="},
        {"repeat=values types=i32", false, "repeat=values contradicts the other rules"},
        {"repeat=values nan=last", false, "repeat=values contradicts the other rules"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct topk_contract contract;
        char error[300] = "";
        if (topk_contract_parse(rows[i].text, strlen(rows[i].text), rows[i].file, &contract, error,
                                sizeof error) ||
            strncmp(error, rows[i].error, strlen(rows[i].error)) != 0) {
            fail_msg("'%s' gives '%s', not '%s'", rows[i].text, error, rows[i].error);
        }
    }
}

/* ---- what a contract does ----------------------------------------------------------------------
 */

static void promises(void **state)
{
    (void)state;
    struct topk_contract contract = read_good("ties=any order=any memory=gathered");
    enum topk_contract_option by = TOPK_OPTION_COUNT;
    assert_int_equal(topk_contract_promise(&contract, TOPK_CLAUSE_S02, &by),
                     TOPK_PROMISE_DOCUMENTED);
    assert_int_equal(by, TOPK_OPTION_COUNT);
    assert_int_equal(topk_contract_promise(&contract, TOPK_CLAUSE_S13, NULL),
                     TOPK_PROMISE_RESTATED);
    assert_int_equal(topk_contract_promise(&contract, TOPK_CLAUSE_S09, &by), TOPK_PROMISE_OPEN);
    assert_int_equal(by, TOPK_OPTION_TIES_ANY);
    assert_int_equal(topk_contract_promise(&contract, TOPK_CLAUSE_M01, NULL),
                     TOPK_PROMISE_NOT_OBSERVED);
    struct topk_clause_set clauses = {{0}};
    topk_clause_set_add(&clauses, TOPK_CLAUSE_S02);
    topk_clause_set_add(&clauses, TOPK_CLAUSE_S09);
    topk_clause_set_add(&clauses, TOPK_CLAUSE_S13);
    topk_clause_set_add(&clauses, TOPK_CLAUSE_T04);
    topk_contract_clauses(&contract, &clauses);
    assert_true(topk_clause_set_has(&clauses, TOPK_CLAUSE_S02));
    assert_false(topk_clause_set_has(&clauses, TOPK_CLAUSE_S09));
    assert_true(topk_clause_set_has(&clauses, TOPK_CLAUSE_S13));
    assert_true(topk_contract_shows(&contract, TOPK_CLAUSE_S13));
    assert_false(topk_contract_shows(&contract, TOPK_CLAUSE_T04));
    assert_false(topk_clause_set_has(&clauses, TOPK_CLAUSE_T04));
    char text[TOPK_CONTRACT_SENTENCE];
    topk_contract_sentence_print(&contract, TOPK_CLAUSE_S02, text);
    assert_string_equal(text, ": TOP_K selects the K largest elements of each sequence");
    const struct topk_contract two = read_good("ties=any zero=signed");
    topk_contract_sentence_print(&two, TOPK_CLAUSE_F01, text);
    assert_string_equal(text,
                        ", as declared by ties=any: Which of equal values are selected, and in "
                        "which order they appear, is open; as declared by zero=signed: -0 is "
                        "less than +0");
    struct topk_contract other = read_good("ties=any order=any memory=gathered k=4");
    assert_int_equal(topk_contract_differs(&contract, &other), TOPK_CONTRACT_RULE_K);
    assert_int_equal(topk_contract_differs(&contract, &contract), TOPK_CONTRACT_RULE_COUNT);
}

/* the texts about clauses under a contract, for logs and pages */
static void words_about_clauses(void **state)
{
    (void)state;
    const struct topk_contract contract = read_good("ties=any order=any");
    char text[TOPK_CONTRACT_RULES];
    topk_contract_made_print(&contract, TOPK_OPTION_TIES_ANY, TOPK_PROMISE_OPEN, text);
    assert_string_equal(text, "S08 S09");
    /* S08 is open by both options, and listed only with the first */
    topk_contract_made_print(&contract, TOPK_OPTION_ORDER_ANY, TOPK_PROMISE_OPEN, text);
    assert_string_equal(text, "S04");
    topk_contract_made_print(&contract, TOPK_OPTION_ZERO_SIGNED, TOPK_PROMISE_RESTATED, text);
    assert_string_equal(text, "");
    topk_contract_clause_print(&contract, TOPK_CLAUSE_S04, text);
    assert_string_equal(text, "not promised, by order=any: The outputs of a sequence are the right "
                              "ones, in any order");
    topk_contract_clause_print(&contract, TOPK_CLAUSE_S02, text);
    assert_string_equal(text, "");
    assert_string_equal(topk_promise_words(TOPK_PROMISE_RESTATED), "restated");
}

/* the first rule in which two contracts differ */
static void differences(void **state)
{
    (void)state;
    static const struct {
        const char *a;
        const char *b;
        enum topk_contract_rule rule;
    } rows[] = {
        {"k=1..4", "k=2..4", TOPK_CONTRACT_RULE_K},
        {"k=1..4", "k=1..5", TOPK_CONTRACT_RULE_K},
        {"types=f32", "types=f16", TOPK_CONTRACT_RULE_TYPES},
        {"ties=any", "ties=highest", TOPK_CONTRACT_RULE_TIES},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct topk_contract a = read_good(rows[i].a);
        const struct topk_contract b = read_good(rows[i].b);
        assert_int_equal(topk_contract_differs(&a, &b), rows[i].rule);
        assert_int_equal(topk_contract_differs(&b, &a), rows[i].rule);
    }
}

static void serving(void **state)
{
    (void)state;
    static const struct {
        const char *rules;
        const char *reason; /* NULL: it is within the contract */
    } rows[] = {
        {"", NULL},
        {"types=f32", NULL},
        {"types=f16,u8", "the declared contract has types=f16,u8"},
        {"ranks=2", NULL},
        {"ranks=3..8", "the declared contract has ranks=3..8"},
        {"k=1..2", "the declared contract has k=1..2"},
        {"k=3..3", NULL},
        {"axes=last", "the declared contract has axes=last"},
        {"directions=smallest", NULL},
        {"directions=largest", "the declared contract has directions=largest"},
    };
    struct topk_operator op = {.kind = TOPK_TOP_K1,
                               .level = TOPK_LEVEL_5_0,
                               .axis = 0,
                               .k = 3,
                               .direction = TOPK_INCREASING};
    op.tensors[TOPK_INPUT] =
        (struct topk_tensor){.present = true, .type = TOPK_TYPE_F32, .rank = 2, .sizes = {5, 2}};
    topk_operator_derive_outputs(&op, TOPK_TYPE_U32);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct topk_contract contract = read_good(rows[i].rules);
        char reason[200] = "";
        const bool serves = topk_contract_serves(&contract, &op, reason, sizeof reason);
        assert_true(serves == (rows[i].reason == NULL));
        assert_string_equal(reason, serves ? "" : rows[i].reason);
    }
    struct topk_contract contract = read_good("directions=largest");
    char reason[200];
    op.direction = TOPK_DECREASING;
    assert_true(topk_contract_serves(&contract, &op, reason, sizeof reason));
    op.direction = 7; /* V12: it may mean either */
    assert_false(topk_contract_serves(&contract, &op, reason, sizeof reason));
    contract = read_good("directions=smallest");
    assert_false(topk_contract_serves(&contract, &op, reason, sizeof reason));
    op.direction = TOPK_DECREASING;
    assert_false(topk_contract_serves(&contract, &op, reason, sizeof reason));
    /* Axis 1 of 2 is the last, K is in range, and the type is the second declared one */
    op.axis = 1;
    op.k = 2;
    contract = read_good("axes=last k=1..2 types=f16,f32");
    assert_true(topk_contract_serves(&contract, &op, reason, sizeof reason));
    op.kind = TOPK_TOP_K; /* selects the largest and has no direction */
    op.direction = TOPK_INCREASING;
    contract = read_good("directions=largest");
    assert_true(topk_contract_serves(&contract, &op, reason, sizeof reason));
}

/* ---- the judge, by exhaustion -------------------------------------------------------------------
 */

#define LONGEST 4

/* rows, in order, with answers and contracts of one kind */
struct family {
    const char *name;
    uint32_t type;
    uint32_t longest;
    uint32_t count; /* number of values */
    uint32_t values[6];
    bool nans; /* every rule for NaNs; else only nan=any */
};

static const struct family families[] = {
    {"FLOAT32", TOPK_TYPE_F32, 3, 5, {0, 0x80000000, 1, 0x3f800000, 0x7fc00000}, true},
    {"FLOAT32, small", TOPK_TYPE_F32, 4, 3, {0x80000000, 1, 0x3f800000}, false},
    {"FLOAT32, below zero", TOPK_TYPE_F32, 3, 5, {0, 0x80000000, 0x80000001, 2, 1}, false},
    {"FLOAT16", TOPK_TYPE_F16, 3, 5, {0, 0x8000, 1, 0x8001, 0x7e00}, true},
    {"INT8", TOPK_TYPE_I8, 4, 3, {0x80, 0, 0x7f}, false},
};

struct trial {
    const struct family *family;
    const struct topk_contract *contract;
    bool increasing;
    uint32_t length, k;
    uint64_t row[LONGEST + 1];
    uint64_t values[LONGEST];
    uint64_t indices[LONGEST];
};

static bool zero(uint32_t type, uint64_t bits)
{
    return is_float(type) && !is_nan(type, bits) && decode_float(type, bits) == 0;
}

static bool minus(uint32_t type, uint64_t bits)
{
    return bits >> (8 * bytes_of(type) - 1) != 0;
}

/* below 0 if element i comes before j by the rules for values, above 0 if after, 0 if they tie */
static int pair_compare(const struct trial *t, uint64_t i, uint64_t j, bool flushed)
{
    const uint32_t type = t->family->type;
    uint64_t bits[2] = {t->row[i], t->row[j]};
    int side[2]; /* for NaN: 1 is greater than numbers, -1 less */
    for (int e = 0; e < 2; e++) {
        const bool nan = is_float(type) && is_nan(type, bits[e]);
        const enum topk_contract_option option =
            topk_contract_chosen(t->contract, TOPK_CONTRACT_RULE_NAN);
        const bool greatest = option == TOPK_OPTION_NAN_GREATEST ||
                              (option == TOPK_OPTION_NAN_FIRST && !t->increasing) ||
                              (option == TOPK_OPTION_NAN_LAST && t->increasing);
        side[e] = !nan ? 0 : greatest ? 1 : -1;
        if (flushed && is_float(type) && is_denormal(type, bits[e])) {
            bits[e] = minus(type, bits[e]) ? (uint64_t)1 << (8 * bytes_of(type) - 1) : 0;
        }
    }
    int order = (side[0] > side[1]) - (side[0] < side[1]);
    if (order == 0 && side[0] == 0) {
        order = compare_values(type, bits[0], bits[1]);
        if (order == 0 && topk_contract_has(t->contract, TOPK_OPTION_ZERO_SIGNED) &&
            zero(type, bits[0])) {
            order = (int)minus(type, bits[1]) - (int)minus(type, bits[0]);
        }
    }
    return t->increasing ? order : -order;
}

/* below 0 if index i must come before j when they tie; 0 if that is open */
static int tie_compare(const struct trial *t, uint64_t i, uint64_t j)
{
    const int order = i < j ? -1 : 1;
    return topk_contract_has(t->contract, TOPK_OPTION_TIES_ANY)       ? 0
           : topk_contract_has(t->contract, TOPK_OPTION_TIES_HIGHEST) ? -order
                                                                      : order;
}

static int full_compare(const struct trial *t, uint64_t i, uint64_t j, bool flushed)
{
    const int order = pair_compare(t, i, j, flushed);
    return order != 0 ? order : tie_compare(t, i, j);
}

/* the definition: indices are distinct, in range, and name their values ... */
static bool names(const struct trial *t, bool *nan)
{
    const uint32_t type = t->family->type;
    uint32_t used = 0;
    for (uint32_t j = 0; j < t->k; j++) {
        const uint64_t index = t->indices[j];
        if (index >= t->length || (used >> index & 1) != 0) {
            return false;
        }
        used |= 1u << index;
        const uint64_t named = t->row[index];
        const bool same = t->values[j] == named ||
                          (is_float(type) && is_nan(type, named) && is_nan(type, t->values[j])) ||
                          (topk_contract_has(t->contract, TOPK_OPTION_DENORMALS_FLUSH) &&
                           is_float(type) && is_denormal(type, named) && zero(type, t->values[j]));
        if (!same) {
            return false;
        }
    }
    *nan = false;
    for (uint32_t i = 0; i < t->length; i++) {
        *nan = *nan || (is_float(type) && is_nan(type, t->row[i]));
    }
    return true;
}

/* ... none comes after one that it must come before, and none that is not selected comes before
 * one */
static bool ordered(const struct trial *t, bool flushed)
{
    for (uint32_t j = 0; j < t->k; j++) {
        bool inside[LONGEST] = {false};
        for (uint32_t i = 0; i < t->k; i++) {
            inside[t->indices[i]] = true;
            if (i < j && !topk_contract_has(t->contract, TOPK_OPTION_ORDER_ANY) &&
                full_compare(t, t->indices[i], t->indices[j], flushed) > 0) {
                return false;
            }
        }
        for (uint32_t i = 0; i < t->length; i++) {
            if (!inside[i] && full_compare(t, i, t->indices[j], flushed) < 0) {
                return false;
            }
        }
    }
    return true;
}

static bool defined_right(const struct trial *t)
{
    bool nan;
    if (!names(t, &nan)) {
        return false;
    }
    if (nan && topk_contract_chosen(t->contract, TOPK_CONTRACT_RULE_NAN) == TOPK_OPTION_NAN_ANY) {
        return true;
    }
    const bool may_flush = topk_contract_has(t->contract, TOPK_OPTION_DENORMALS_FLUSH) ||
                           (t->family->type == TOPK_TYPE_F32 &&
                            !topk_contract_has(t->contract, TOPK_OPTION_DENORMALS_EXACT));
    return ordered(t, false) || (may_flush && ordered(t, true));
}

static void try_trial(const struct trial *t)
{
    const uint32_t type = t->family->type;
    const uint32_t bytes = bytes_of(type);
    unsigned char input[LONGEST * 4];
    unsigned char value[LONGEST * 4];
    unsigned char index[LONGEST * 4];
    struct topk_operator op = {.kind = TOPK_TOP_K1,
                               .level = TOPK_LEVEL_5_0,
                               .k = t->k,
                               .direction = t->increasing ? TOPK_INCREASING : TOPK_DECREASING};
    op.tensors[TOPK_INPUT] = (struct topk_tensor){
        .present = true, .type = type, .rank = 1, .sizes = {t->length}, .total_bytes = 16};
    topk_operator_derive_outputs(&op, TOPK_TYPE_U32);
    for (uint32_t i = 0; i < t->length; i++) {
        put_element(input, type, i, t->row[i]);
    }
    for (uint32_t j = 0; j < t->k; j++) {
        put_element(value, type, j, t->values[j]);
        put_element(index, TOPK_TYPE_U32, j, t->indices[j]);
    }
    const struct topk_exhibit exhibits[TOPK_ROLE_COUNT] = {
        {input, input, (uint64_t)t->length * bytes, 0, 0},
        {value, value, (uint64_t)t->k * bytes, 0, 0},
        {index, index, (uint64_t)t->k * 4, 0, 0}};
    struct topk_judgement judgement;
    topk_judge_contract(&op, t->contract, exhibits, &judgement);
    const bool right = defined_right(t);
    if ((judgement.count == 0) == right && !judgement.contradiction &&
        judgement.has_sequence == !right) {
        return;
    }
    char rules[TOPK_CONTRACT_RULES];
    topk_contract_rules_print(t->contract, rules);
    print_error("%s, %s, %s:", t->family->name, rules, t->increasing ? "increasing" : "decreasing");
    for (uint32_t i = 0; i < t->length; i++) {
        print_error(" %" PRIx64, t->row[i]);
    }
    for (uint32_t j = 0; j < t->k; j++) {
        print_error(" (%" PRIx64 ", %" PRIu64 ")", t->values[j], t->indices[j]);
    }
    print_error("\n");
    fail_msg("%s", judgement.contradiction ? "the judge contradicts itself"
                   : right                 ? "it is right, the judge says not"
                                           : "it is wrong, the judge says not");
}

/* the next tuple of digits below a base; false after the last */
static bool next_tuple(uint64_t *digits, uint32_t count, uint64_t base)
{
    for (uint32_t i = count; i-- > 0;) {
        if (++digits[i] < base) {
            return true;
        }
        digits[i] = 0;
    }
    return false;
}

/* all answers for a row: all indices with the values that they name, and with one value replaced */
static uint64_t try_row(struct trial *t)
{
    uint64_t tried = 0;
    memset(t->indices, 0, sizeof t->indices);
    t->row[t->length] = t->row[0];
    do {
        for (uint32_t j = 0; j < t->k; j++) {
            t->values[j] = t->row[t->indices[j]];
        }
        try_trial(t);
        tried++;
        bool nan;
        for (uint32_t j = 0; j < t->k && t->length < 4 && names(t, &nan); j++) {
            const uint64_t kept = t->values[j];
            for (uint32_t v = 0; v < t->family->count; v++) {
                t->values[j] = t->family->values[v];
                try_trial(t);
                tried++;
            }
            t->values[j] = kept;
        }
    } while (next_tuple(t->indices, t->k, (uint64_t)t->length + 1));
    return tried;
}

/* the definition allows the oracle's result */
static void try_oracle(struct trial *t)
{
    unsigned char input[LONGEST * 4];
    struct topk_operator op = {.kind = TOPK_TOP_K1,
                               .level = TOPK_LEVEL_5_0,
                               .k = t->k,
                               .direction = t->increasing ? TOPK_INCREASING : TOPK_DECREASING};
    op.tensors[TOPK_INPUT] = (struct topk_tensor){
        .present = true, .type = t->family->type, .rank = 1, .sizes = {t->length}};
    topk_operator_derive_outputs(&op, TOPK_TYPE_U32);
    for (uint32_t i = 0; i < t->length; i++) {
        put_element(input, t->family->type, i, t->row[i]);
    }
    const enum topk_oracle_status status =
        topk_oracle_sequence_by(&op, t->contract, input, 0, t->values, t->indices);
    assert_int_not_equal(status, TOPK_ORACLE_NO_MEMORY);
    assert_true(defined_right(t));
}

static uint64_t try_contract(const struct family *family, const struct topk_contract *contract,
                             uint32_t longest)
{
    uint64_t tried = 0;
    for (uint32_t length = 1; length <= longest; length++) {
        uint64_t digits[LONGEST] = {0};
        do {
            struct trial t = {.family = family, .contract = contract, .length = length};
            for (uint32_t i = 0; i < length; i++) {
                t.row[i] = family->values[digits[i]];
            }
            for (t.k = 1; t.k <= length; t.k++) {
                for (int increasing = 0; increasing < 2; increasing++) {
                    t.increasing = increasing != 0;
                    tried += try_row(&t);
                    try_oracle(&t);
                }
            }
        } while (next_tuple(digits, length, family->count));
    }
    return tried;
}

/* the next combination of options of the deciding rules; false after the last */
static bool next_contract(const struct family *family, struct topk_contract *contract)
{
    static const enum topk_contract_rule deciding[] = {
        TOPK_CONTRACT_RULE_TIES, TOPK_CONTRACT_RULE_ORDER, TOPK_CONTRACT_RULE_DENORMALS,
        TOPK_CONTRACT_RULE_ZERO, TOPK_CONTRACT_RULE_NAN};
    const size_t count = family->nans             ? COUNT(deciding)
                         : is_float(family->type) ? COUNT(deciding) - 1
                                                  : 2;
    for (size_t i = 0; i < count; i++) {
        const int next = (int)topk_contract_chosen(contract, deciding[i]) + 1;
        if (next < TOPK_OPTION_COUNT &&
            topk_contract_option_row((enum topk_contract_option)next)->rule == deciding[i]) {
            topk_contract_choose(contract, (enum topk_contract_option)next);
            return true;
        }
        const struct topk_contract directml = {.chosen = 0};
        topk_contract_choose(contract, topk_contract_chosen(&directml, deciding[i]));
    }
    return false;
}

static void every_contract(void **state)
{
    (void)state;
    uint64_t tried = 0;
    uint32_t contracts = 0;
    for (size_t f = 0; f < COUNT(families); f++) {
        struct topk_contract contract = {.chosen = 0};
        const uint32_t longest =
            TOPK_SANITIZED && families[f].longest > 2 ? 2 : families[f].longest;
        do {
            tried += try_contract(&families[f], &contract, longest);
            contracts++;
        } while (next_contract(&families[f], &contract));
    }
    assert_int_equal(contracts, 180 + 36 + 36 + 180 + 6);
    print_message("%" PRIu32 " contracts, %" PRIu64 " results\n", contracts, tried);
}

/* ---- the judge, by hand -------------------------------------------------------------------------
 */

struct hand {
    const char *rules;
    uint32_t type, rows, length, k, direction;
    uint32_t input[8], value[8], index[8];
    enum topk_clause clause; /* NONE: it is correct */
    enum topk_mismatch mismatch;
    uint32_t observations;
};

#define SEEN(name) ((uint32_t)1 << TOPK_OBSERVATION_##name)

static const struct hand hands[] = {
    {"zero=signed", /* has no effect on integers */
     TOPK_TYPE_I8,
     1,
     4,
     2,
     1,
     {0, 0xff, 0, 0},
     {0, 0},
     {0, 2},
     TOPK_CLAUSE_NONE,
     0,
     0},
    {"zero=signed",
     TOPK_TYPE_I8,
     1,
     4,
     2,
     1,
     {0, 0xff, 0, 0},
     {0, 0},
     {2, 0},
     TOPK_CLAUSE_S08,
     TOPK_MISMATCH_TIE_ORDER,
     0},
    {"ties=highest",
     TOPK_TYPE_U8,
     1,
     4,
     2,
     1,
     {6, 6, 6, 6},
     {6, 6},
     {3, 2},
     TOPK_CLAUSE_NONE,
     0,
     0},
    {"ties=highest",
     TOPK_TYPE_U8,
     1,
     4,
     2,
     1,
     {6, 6, 6, 6},
     {6, 6},
     {2, 1},
     TOPK_CLAUSE_S09,
     TOPK_MISMATCH_TIE_LEFT_OUT_LOW,
     0},
    {"ties=highest",
     TOPK_TYPE_U8,
     1,
     4,
     2,
     1,
     {6, 6, 6, 6},
     {6, 6},
     {2, 3},
     TOPK_CLAUSE_S08,
     TOPK_MISMATCH_TIE_ORDER,
     0},
    {"ties=any",
     TOPK_TYPE_U8,
     1,
     4,
     2,
     1,
     {6, 6, 6, 6},
     {6, 6},
     {1, 1},
     TOPK_CLAUSE_S07,
     TOPK_MISMATCH_INDEX_REPEATED,
     0},
    {"ties=any",
     TOPK_TYPE_U8,
     1,
     4,
     2,
     1,
     {6, 7, 6, 6},
     {6, 6},
     {3, 0},
     TOPK_CLAUSE_S03,
     TOPK_MISMATCH_LEFT_OUT,
     0},
    {"order=any", TOPK_TYPE_U8, 1, 4, 2, 1, {6, 7, 6, 6}, {6, 7}, {0, 1}, TOPK_CLAUSE_NONE, 0, 0},
    {"order=any",
     TOPK_TYPE_U8,
     1,
     4,
     2,
     1,
     {6, 7, 6, 6},
     {6, 7},
     {2, 1},
     TOPK_CLAUSE_S09,
     TOPK_MISMATCH_TIE_LEFT_OUT,
     0},
    {"zero=signed",
     TOPK_TYPE_F32,
     1,
     2,
     2,
     0,
     {0, 0x80000000},
     {0, 0x80000000},
     {0, 1},
     TOPK_CLAUSE_F01,
     TOPK_MISMATCH_VALUE_ORDER,
     0},
    {"nan=last",
     TOPK_TYPE_F32,
     1,
     3,
     2,
     1,
     {0x7fc00000, 1, 0x3f800000},
     {0x3f800000, 0x7fc00000},
     {2, 0},
     TOPK_CLAUSE_F02,
     TOPK_MISMATCH_LEFT_OUT,
     0},
    /* different NaNs are equal */
    {"nan=greatest",
     TOPK_TYPE_F32,
     1,
     2,
     2,
     1,
     {0x7fc00000, 0x7fc00001},
     {0x7fc00001, 0x7fc00000},
     {1, 0},
     TOPK_CLAUSE_S08,
     TOPK_MISMATCH_TIE_ORDER,
     0},
    {"denormals=exact",
     TOPK_TYPE_F32,
     1,
     2,
     2,
     1,
     {0, 1},
     {0, 1},
     {0, 1},
     TOPK_CLAUSE_F04,
     TOPK_MISMATCH_VALUE_ORDER,
     0},
    {"denormals=flush",
     TOPK_TYPE_F16,
     1,
     2,
     2,
     1,
     {0, 1},
     {0, 0},
     {0, 1},
     TOPK_CLAUSE_NONE,
     0,
     SEEN(DENORMALS_AS_ZERO)},
    {"denormals=flush",
     TOPK_TYPE_F32,
     1,
     2,
     2,
     1,
     {0, 1},
     {1, 0},
     {1, 0},
     TOPK_CLAUSE_NONE,
     0,
     SEEN(DENORMALS_EXACT)},
    /* denormals have the same order in the whole call */
    {"denormals=flush",
     TOPK_TYPE_F32,
     2,
     2,
     2,
     1,
     {0, 1, 0, 1},
     {0, 1, 1, 0},
     {0, 1, 1, 0},
     TOPK_CLAUSE_F04,
     TOPK_MISMATCH_TIE_ORDER,
     0},
    {"denormals=flush ties=any",
     TOPK_TYPE_F32,
     2,
     2,
     2,
     1,
     {0, 1, 0, 1},
     {0, 1, 1, 0},
     {0, 1, 1, 0},
     TOPK_CLAUSE_NONE,
     0,
     SEEN(DENORMALS_AS_ZERO)},
    {"denormals=flush ties=any",
     TOPK_TYPE_F32,
     1,
     3,
     2,
     1,
     {2, 0x3f800000, 1},
     {0x3f800000, 0},
     {1, 2},
     TOPK_CLAUSE_NONE,
     0,
     SEEN(DENORMALS_AS_ZERO)},
    {"denormals=flush ties=any",
     TOPK_TYPE_F32,
     1,
     3,
     2,
     1,
     {2, 0x3f800000, 1},
     {0x3f800000, 3},
     {1, 2},
     TOPK_CLAUSE_S05,
     TOPK_MISMATCH_VALUE_BITS,
     0},
};

static void by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(hands); i++) {
        const struct hand *hand = &hands[i];
        struct topk_contract contract = read_good(hand->rules);
        struct topk_operator op = {.kind = TOPK_TOP_K1,
                                   .level = TOPK_LEVEL_5_0,
                                   .axis = 1,
                                   .k = hand->k,
                                   .direction = hand->direction};
        op.tensors[TOPK_INPUT] = (struct topk_tensor){
            .present = true, .type = hand->type, .rank = 2, .sizes = {hand->rows, hand->length}};
        topk_operator_derive_outputs(&op, TOPK_TYPE_U32);
        unsigned char input[32];
        unsigned char value[32];
        unsigned char index[32];
        for (size_t e = 0; e < 8; e++) {
            put_element(input, hand->type, e, hand->input[e]);
            put_element(value, hand->type, e, hand->value[e]);
            put_element(index, TOPK_TYPE_U32, e, hand->index[e]);
        }
        const struct topk_exhibit exhibits[TOPK_ROLE_COUNT] = {
            {input, input, 32, 0, 0}, {value, value, 32, 0, 0}, {index, index, 32, 0, 0}};
        struct topk_judgement judgement;
        topk_judge_contract(&op, &contract, exhibits, &judgement);
        const bool holds = judgement.count == 0;
        if (holds != (hand->clause == TOPK_CLAUSE_NONE) ||
            (!holds && (judgement.findings[0].clause != hand->clause ||
                        judgement.findings[0].mismatch != hand->mismatch)) ||
            judgement.observations != hand->observations) {
            fail_msg("hand %zu, %s: %s, observations %x", i, hand->rules,
                     holds ? "it holds" : topk_mismatch_row(judgement.findings[0].mismatch)->word,
                     (unsigned)judgement.observations);
        }
    }
}

/* usage: contract_test [exhaustion|rest]; default: both */
int main(int argc, char **argv)
{
    const struct CMUnitTest rest[] = {
        cmocka_unit_test(text_survives), cmocka_unit_test(text_is_refused),
        cmocka_unit_test(promises),      cmocka_unit_test(words_about_clauses),
        cmocka_unit_test(differences),   cmocka_unit_test(serving),
        cmocka_unit_test(by_hand)};
    const struct CMUnitTest exhaustion[] = {cmocka_unit_test(every_contract)};
    const char *wanted = argc > 1 ? argv[1] : "";
    int failed = 0;
    if (strcmp(wanted, "exhaustion") != 0) {
        failed += cmocka_run_group_tests_name("contract", rest, NULL, NULL);
    }
    if (strcmp(wanted, "rest") != 0) {
        failed += cmocka_run_group_tests_name("contract, by exhaustion", exhaustion, NULL, NULL);
    }
    return failed;
}
