/* Declared contracts: their text, and their effect on clauses and calls. */
#include "contract.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum rule_kind {
    RULE_OPTION,
    RULE_TYPES,
    RULE_RANGE
};

static const struct topk_contract_rule_row rules[] = {
#define RULE(name, key, kind, about) {key, about},
#include "contract.def"
};

static const enum rule_kind kinds[] = {
#define RULE(name, key, kind, about) RULE_##kind,
#include "contract.def"
};

static const struct topk_contract_option_row options[] = {
#define OPTION(rule, name, word, sentence) {TOPK_CONTRACT_RULE_##rule, word, sentence},
#include "contract.def"
};

static const struct {
    enum topk_contract_option option;
    enum topk_clause clause;
    enum topk_promise promise;
} effects[] = {
#define EFFECT(option, clause, promise)                                                            \
    {TOPK_OPTION_##option, TOPK_CLAUSE_##clause, TOPK_PROMISE_##promise},
#include "contract.def"
};
#define EFFECTS (sizeof effects / sizeof effects[0])

/* the greatest number in a range */
static uint32_t range_most(enum topk_contract_rule rule)
{
    return rule == TOPK_CONTRACT_RULE_RANKS ? TOPK_RANK_VALID : UINT32_MAX;
}

const struct topk_contract_rule_row *topk_contract_rule_row(enum topk_contract_rule rule)
{
    return &rules[rule];
}

const struct topk_contract_option_row *topk_contract_option_row(enum topk_contract_option option)
{
    return &options[option];
}

/* DirectML's option */
static enum topk_contract_option first_option(enum topk_contract_rule rule)
{
    int option = 0;
    while (option < TOPK_OPTION_COUNT && options[option].rule != rule) {
        option++;
    }
    return (enum topk_contract_option)option;
}

enum topk_contract_option topk_contract_chosen(const struct topk_contract *contract,
                                               enum topk_contract_rule rule)
{
    for (int option = 0; option < TOPK_OPTION_COUNT; option++) {
        if (options[option].rule == rule &&
            topk_contract_has(contract, (enum topk_contract_option)option)) {
            return (enum topk_contract_option)option;
        }
    }
    return first_option(rule);
}

void topk_contract_choose(struct topk_contract *contract, enum topk_contract_option option)
{
    const enum topk_contract_rule rule = options[option].rule;
    contract->chosen &= ~((uint32_t)1 << topk_contract_chosen(contract, rule));
    if (option != first_option(rule)) {
        contract->chosen |= (uint32_t)1 << option;
    }
}

enum topk_contract_rule topk_contract_differs(const struct topk_contract *a,
                                              const struct topk_contract *b)
{
    for (int i = 0; i < TOPK_CONTRACT_RULE_COUNT; i++) {
        const enum topk_contract_rule rule = (enum topk_contract_rule)i;
        if (topk_contract_chosen(a, rule) != topk_contract_chosen(b, rule) ||
            a->least[rule] != b->least[rule] || a->most[rule] != b->most[rule] ||
            (rule == TOPK_CONTRACT_RULE_TYPES && a->types != b->types)) {
            return rule;
        }
    }
    return TOPK_CONTRACT_RULE_COUNT;
}

bool topk_contract_plain(const struct topk_contract *contract)
{
    static const struct topk_contract directml;
    return topk_contract_differs(contract, &directml) == TOPK_CONTRACT_RULE_COUNT;
}

bool topk_contract_decides(const struct topk_contract *contract)
{
    static const enum topk_contract_rule deciding[] = {
        TOPK_CONTRACT_RULE_TIES, TOPK_CONTRACT_RULE_ORDER, TOPK_CONTRACT_RULE_DENORMALS,
        TOPK_CONTRACT_RULE_ZERO, TOPK_CONTRACT_RULE_NAN};
    for (int option = 0; option < TOPK_OPTION_COUNT; option++) {
        for (size_t i = 0; i < sizeof deciding / sizeof deciding[0]; i++) {
            if (topk_contract_has(contract, (enum topk_contract_option)option) &&
                options[option].rule == deciding[i]) {
                return true;
            }
        }
    }
    return false;
}

/* ---- reading ----------------------------------------------------------------------------------
 */

/* the state of the parser */
struct reader {
    struct topk_contract *contract;
    const char *at;
    const char *end;
    unsigned line;
    uint32_t seen; /* bits 1 << enum topk_contract_rule */
    bool has_name;
    bool has_source;
    char *error;
    size_t error_bytes;
};

/* greatest number of characters that a message quotes */
#define QUOTED 60

#define FAIL(reader, ...) (snprintf((reader)->error, (reader)->error_bytes, __VA_ARGS__), false)

static bool is(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

static int quoted(size_t length)
{
    return (int)(length > QUOTED ? QUOTED : length);
}

static bool read_option(struct reader *reader, enum topk_contract_rule rule, const char *value,
                        size_t length)
{
    char known[160] = "";
    for (int i = 0; i < TOPK_OPTION_COUNT; i++) {
        if (options[i].rule != rule) {
            continue;
        }
        if (is(value, length, options[i].word)) {
            topk_contract_choose(reader->contract, (enum topk_contract_option)i);
            return true;
        }
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used == 0 ? "" : ", ", options[i].word);
    }
    return FAIL(reader, "line %u: %s is '%.*s'; it must be one of %s", reader->line,
                rules[rule].key, quoted(length), value, known);
}

static bool read_types(struct reader *reader, const char *value, size_t length)
{
    const char *const end = value + length;
    if (is(value, length, "all")) {
        return true;
    }
    for (const char *at = value; at <= end; at++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const size_t word = (size_t)((comma == NULL ? end : comma) - at);
        uint32_t place = 0;
        while (place < TOPK_TYPE_COUNT) {
            char text[TOPK_TYPE_TEXT];
            topk_type_print(topk_types[place], text);
            if (is(at, word, text)) {
                break;
            }
            place++;
        }
        if (place == TOPK_TYPE_COUNT) {
            return FAIL(reader,
                        "line %u: types has '%.*s', which is not an ; a list of f32, f16, i64, "
                        "i32, i16, i8, u64, u32, u16, u8, separated by commas, or all",
                        reader->line, quoted(word), at);
        }
        if (reader->contract->types >> place & 1) {
            return FAIL(reader, "line %u: types has %.*s twice", reader->line, quoted(word), at);
        }
        reader->contract->types |= (uint32_t)1 << place;
        at += word;
    }
    if (reader->contract->types == ((uint32_t)1 << TOPK_TYPE_COUNT) - 1) {
        reader->contract->types = 0;
    }
    return true;
}

/* reads a number from 1 to `most`; false if there is none */
static bool read_number(const char **at, const char *end, uint32_t most, uint32_t *number)
{
    uint64_t value = 0;
    const char *const start = *at;
    while (*at < end && **at >= '0' && **at <= '9' && value <= most) {
        value = value * 10 + (uint64_t)(**at - '0');
        (*at)++;
    }
    *number = (uint32_t)value;
    return *at > start && value >= 1 && value <= most;
}

static bool read_range(struct reader *reader, enum topk_contract_rule rule, const char *value,
                       size_t length)
{
    const char *at = value;
    const char *const end = value + length;
    const uint32_t most = range_most(rule);
    uint32_t *const from = &reader->contract->least[rule];
    uint32_t *const to = &reader->contract->most[rule];
    if (is(value, length, "any")) {
        return true;
    }
    bool good = read_number(&at, end, most, from);
    *to = *from;
    if (good && end - at > 2 && memcmp(at, "..", 2) == 0) {
        at += 2;
        good = read_number(&at, end, most, to);
    }
    if (!good || at != end) {
        return FAIL(
            reader,
            "line %u: %s is '%.*s'; it must be a number, or two as in 1..4, from 1 to %" PRIu32
            ", or any",
            reader->line, rules[rule].key, quoted(length), value, most);
    }
    if (*from > *to) {
        return FAIL(reader, "line %u: %s=%.*s holds no number: the first is above the second",
                    reader->line, rules[rule].key, quoted(length), value);
    }
    if (*from == 1 && *to == most) {
        *from = *to = 0;
    }
    return true;
}

static bool read_rule(struct reader *reader, const char *key, size_t key_length, const char *value,
                      size_t length)
{
    int rule = 0;
    while (rule < TOPK_CONTRACT_RULE_COUNT && !is(key, key_length, rules[rule].key)) {
        rule++;
    }
    if (rule == TOPK_CONTRACT_RULE_COUNT) {
        return FAIL(reader, "line %u: there is no rule '%.*s'; `topk-cts contract' lists the rules",
                    reader->line, quoted(key_length), key);
    }
    if (reader->seen >> rule & 1) {
        return FAIL(reader, "line %u: %s is given twice", reader->line, rules[rule].key);
    }
    reader->seen |= (uint32_t)1 << rule;
    switch (kinds[rule]) {
    case RULE_TYPES:
        return read_types(reader, value, length);
    case RULE_RANGE:
        return read_range(reader, (enum topk_contract_rule)rule, value, length);
    default:
        return read_option(reader, (enum topk_contract_rule)rule, value, length);
    }
}

/* reads name= or source=: printable ASCII */
static bool read_text(struct reader *reader, const char *key, bool *seen, const char *value,
                      size_t length, char *text, size_t room)
{
    if (*seen) {
        return FAIL(reader, "line %u: %s is given twice", reader->line, key);
    }
    *seen = true;
    if (length == 0 || length >= room) {
        return FAIL(reader, "line %u: %s takes 1 to %zu characters, not %zu", reader->line, key,
                    room - 1, length);
    }
    for (size_t i = 0; i < length; i++) {
        if (value[i] < ' ' || value[i] > '~') {
            return FAIL(reader, "line %u: %s takes printable ASCII only", reader->line, key);
        }
    }
    memcpy(text, value, length);
    text[length] = 0;
    return true;
}

/* reads the words of one line, which has no spaces at its ends */
static bool read_line(struct reader *reader, const char *at, const char *end)
{
    while (at < end) {
        const char *const equals = memchr(at, '=', (size_t)(end - at));
        const char *space = memchr(at, ' ', (size_t)(end - at));
        space = space == NULL ? end : space;
        if (equals == NULL || equals > space) {
            return FAIL(reader, "line %u: '%.*s' is not a rule KEY=VALUE", reader->line,
                        quoted((size_t)(space - at)), at);
        }
        const char *const value = equals + 1;
        const size_t key = (size_t)(equals - at);
        if (is(at, key, "name")) {
            return read_text(reader, "name", &reader->has_name, value, (size_t)(end - value),
                             reader->contract->name, sizeof reader->contract->name);
        }
        if (is(at, key, "source")) {
            return read_text(reader, "source", &reader->has_source, value, (size_t)(end - value),
                             reader->contract->source, sizeof reader->contract->source);
        }
        if (!read_rule(reader, at, key, value, (size_t)(space - value))) {
            return false;
        }
        at = space;
        while (at < end && *at == ' ') {
            at++;
        }
    }
    return true;
}

/* returns the next line without spaces at its ends; false at the end of the text */
static bool next_line(struct reader *reader, const char **from, const char **to)
{
    if (reader->at >= reader->end) {
        return false;
    }
    const char *feed = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
    *from = reader->at;
    *to = feed == NULL ? reader->end : feed;
    reader->at = feed == NULL ? reader->end : feed + 1;
    reader->line++;
    while (*to > *from && ((*to)[-1] == ' ' || (*to)[-1] == '\r' || (*to)[-1] == '\t')) {
        (*to)--;
    }
    while (*from < *to && (**from == ' ' || **from == '\t')) {
        (*from)++;
    }
    return true;
}

/* whether there is a rule without effect, such as one for floats without a float type */
static bool contradicts(struct reader *reader)
{
    static const enum topk_contract_rule of_floats[] = {
        TOPK_CONTRACT_RULE_DENORMALS, TOPK_CONTRACT_RULE_ZERO, TOPK_CONTRACT_RULE_NAN};
    const struct topk_contract *contract = reader->contract;
    const uint32_t floats = (uint32_t)1 << TOPK_TYPE_PLACE_F32 | (uint32_t)1 << TOPK_TYPE_PLACE_F16;
    for (size_t i = 0; i < sizeof of_floats / sizeof of_floats[0]; i++) {
        const enum topk_contract_option option = topk_contract_chosen(contract, of_floats[i]);
        if (contract->types != 0 && (contract->types & floats) == 0 &&
            option != first_option(of_floats[i])) {
            (void)FAIL(reader, "%s=%s contradicts types=, which has no type of floats",
                       rules[of_floats[i]].key, options[option].word);
            return true;
        }
    }
    const bool unique =
        !topk_contract_has(contract, TOPK_OPTION_TIES_ANY) &&
        !topk_contract_has(contract, TOPK_OPTION_ORDER_ANY) &&
        (topk_contract_chosen(contract, TOPK_CONTRACT_RULE_NAN) != TOPK_OPTION_NAN_ANY ||
         (contract->types != 0 && (contract->types & floats) == 0));
    if (unique && topk_contract_has(contract, TOPK_OPTION_REPEAT_VALUES)) {
        (void)FAIL(reader, "repeat=values contradicts the other rules, which leave no choice");
        return true;
    }
    return false;
}

bool topk_contract_parse(const char *text, size_t length, bool file, struct topk_contract *contract,
                         char *error, size_t error_bytes)
{
    static const char version[] = "topk-contract ";
    struct reader reader = {.contract = contract,
                            .at = text,
                            .end = text + length,
                            .error = error,
                            .error_bytes = error_bytes};
    const char *from;
    const char *to;
    bool first = true;
    error[0] = 0;
    memset(contract, 0, sizeof *contract);
    if (memchr(text, 0, length) != NULL) {
        return FAIL(&reader, "it has a zero byte: it is no text");
    }
    while (next_line(&reader, &from, &to)) {
        const size_t width = (size_t)(to - from);
        if (width == 0 || *from == '#') {
            continue;
        }
        const bool says =
            width >= sizeof version - 1 && memcmp(from, version, sizeof version - 1) == 0;
        if (first && says) {
            if (!is(from + sizeof version - 1, width - (sizeof version - 1), "1")) {
                return FAIL(&reader,
                            "line %u: '%.*s' is of another version; this one reads topk-contract 1",
                            reader.line, quoted(width), from);
            }
        } else if (first && file) {
            return FAIL(&reader, "line %u: 'topk-contract 1' has to come first, not '%.*s'",
                        reader.line, quoted(width), from);
        } else if (!read_line(&reader, from, to)) {
            return false;
        }
        first = false;
    }
    if (first && file) {
        return FAIL(&reader, "it is empty: 'topk-contract 1' has to come first");
    }
    return !contradicts(&reader);
}

/* ---- writing ----------------------------------------------------------------------------------
 */

void topk_contract_value_print(const struct topk_contract *contract, enum topk_contract_rule rule,
                               char text[TOPK_CONTRACT_RULES])
{
    size_t used = 0;
    text[0] = 0;
    switch (kinds[rule]) {
    case RULE_TYPES:
        for (uint32_t place = 0; place < TOPK_TYPE_COUNT; place++) {
            if (contract->types >> place & 1) {
                char type[TOPK_TYPE_TEXT];
                topk_type_print(topk_types[place], type);
                used += (size_t)snprintf(text + used, TOPK_CONTRACT_RULES - used, "%s%s",
                                         used == 0 ? "" : ",", type);
            }
        }
        if (used == 0) {
            snprintf(text, TOPK_CONTRACT_RULES, "all");
        }
        break;
    case RULE_RANGE:
        if (contract->least[rule] == 0) {
            snprintf(text, TOPK_CONTRACT_RULES, "any");
        } else if (contract->least[rule] == contract->most[rule]) {
            snprintf(text, TOPK_CONTRACT_RULES, "%" PRIu32, contract->least[rule]);
        } else {
            snprintf(text, TOPK_CONTRACT_RULES, "%" PRIu32 "..%" PRIu32, contract->least[rule],
                     contract->most[rule]);
        }
        break;
    default:
        snprintf(text, TOPK_CONTRACT_RULES, "%s",
                 options[topk_contract_chosen(contract, rule)].word);
        break;
    }
}

void topk_contract_rules_print(const struct topk_contract *contract, char text[TOPK_CONTRACT_RULES])
{
    static const struct topk_contract directml;
    size_t used = 0;
    text[0] = 0;
    for (int rule = 0; rule < TOPK_CONTRACT_RULE_COUNT; rule++) {
        char value[TOPK_CONTRACT_RULES];
        char usual[TOPK_CONTRACT_RULES];
        topk_contract_value_print(contract, (enum topk_contract_rule)rule, value);
        topk_contract_value_print(&directml, (enum topk_contract_rule)rule, usual);
        if (strcmp(value, usual) != 0 && used < TOPK_CONTRACT_RULES) {
            used += (size_t)snprintf(text + used, TOPK_CONTRACT_RULES - used, "%s%s=%s",
                                     used == 0 ? "" : " ", rules[rule].key, value);
        }
    }
}

void topk_contract_print(const struct topk_contract *contract, char text[TOPK_CONTRACT_TEXT])
{
    char written[TOPK_CONTRACT_RULES];
    topk_contract_rules_print(contract, written);
    snprintf(text, TOPK_CONTRACT_TEXT, "%s%s%s%s%s%s%s", written, written[0] == 0 ? "" : "\n",
             contract->name[0] == 0 ? "" : "name=", contract->name,
             contract->name[0] == 0 ? "" : "\n",
             contract->source[0] == 0 ? "" : "source=", contract->source);
}

/* ---- what a contract does ----------------------------------------------------------------------
 */

enum topk_promise topk_contract_promise(const struct topk_contract *contract,
                                        enum topk_clause clause, enum topk_contract_option *by)
{
    enum topk_promise promise = TOPK_PROMISE_DOCUMENTED;
    for (size_t i = 0; i < EFFECTS; i++) {
        if (effects[i].clause == clause && topk_contract_has(contract, effects[i].option) &&
            effects[i].promise > promise) {
            promise = effects[i].promise;
            if (by != NULL) {
                *by = effects[i].option;
            }
        }
    }
    return promise;
}

void topk_contract_sentence_print(const struct topk_contract *contract, enum topk_clause clause,
                                  char text[TOPK_CONTRACT_SENTENCE])
{
    size_t used = 0;
    snprintf(text, TOPK_CONTRACT_SENTENCE, ": %s", topk_clause_row(clause)->sentence);
    for (size_t i = 0; i < EFFECTS && used < TOPK_CONTRACT_SENTENCE; i++) {
        const struct topk_contract_option_row *const option = &options[effects[i].option];
        if (effects[i].clause == clause && topk_contract_has(contract, effects[i].option)) {
            used += (size_t)snprintf(text + used, TOPK_CONTRACT_SENTENCE - used,
                                     "%s as declared by %s=%s: %s", used == 0 ? "," : ";",
                                     rules[option->rule].key, option->word, option->sentence);
        }
    }
}

bool topk_contract_shows(const struct topk_contract *contract, enum topk_clause clause)
{
    return topk_contract_promise(contract, clause, NULL) <= TOPK_PROMISE_RESTATED;
}

void topk_contract_made_print(const struct topk_contract *contract,
                              enum topk_contract_option option, enum topk_promise promise,
                              char text[TOPK_CONTRACT_RULES])
{
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        enum topk_contract_option by = TOPK_OPTION_COUNT;
        const enum topk_clause clause = (enum topk_clause)i;
        if (topk_contract_promise(contract, clause, &by) == promise && by == option &&
            used < TOPK_CONTRACT_RULES) {
            used += (size_t)snprintf(text + used, TOPK_CONTRACT_RULES - used, "%s%s",
                                     used == 0 ? "" : " ", topk_clause_id(clause));
        }
    }
}

const char *topk_promise_words(enum topk_promise promise)
{
    static const char *const words[] = {[TOPK_PROMISE_DOCUMENTED] = "",
                                        [TOPK_PROMISE_RESTATED] = "restated",
                                        [TOPK_PROMISE_OPEN] = "not promised",
                                        [TOPK_PROMISE_NOT_OBSERVED] = "not observed"};
    return words[promise];
}

void topk_contract_clause_print(const struct topk_contract *contract, enum topk_clause clause,
                                char text[TOPK_CONTRACT_RULES])
{
    enum topk_contract_option by = TOPK_OPTION_COUNT;
    const enum topk_promise promise = topk_contract_promise(contract, clause, &by);
    text[0] = 0;
    if (promise != TOPK_PROMISE_DOCUMENTED) {
        snprintf(text, TOPK_CONTRACT_RULES, "%s, by %s=%s: %s", topk_promise_words(promise),
                 rules[options[by].rule].key, options[by].word, options[by].sentence);
    }
}

void topk_contract_clauses(const struct topk_contract *contract, struct topk_clause_set *clauses)
{
    for (size_t i = 0; i < EFFECTS; i++) {
        if (topk_contract_has(contract, effects[i].option) &&
            effects[i].promise > TOPK_PROMISE_RESTATED) {
            topk_clause_set_remove(clauses, effects[i].clause);
        }
    }
}

/* the rule that an operator exceeds; TOPK_CONTRACT_RULE_COUNT: none */
static enum topk_contract_rule beyond(const struct topk_contract *contract,
                                      const struct topk_operator *op)
{
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    const bool increasing = topk_operator_increasing(op);
    const uint32_t numbers[TOPK_CONTRACT_RULE_COUNT] = {
        [TOPK_CONTRACT_RULE_RANKS] = input->rank, [TOPK_CONTRACT_RULE_K] = op->k};
    uint32_t place = 0;
    while (place < TOPK_TYPE_COUNT && topk_types[place] != input->type) {
        place++;
    }
    if (contract->types != 0 && !(contract->types >> place & 1)) {
        return TOPK_CONTRACT_RULE_TYPES;
    }
    for (int rule = 0; rule < TOPK_CONTRACT_RULE_COUNT; rule++) {
        if (contract->least[rule] != 0 &&
            (numbers[rule] < contract->least[rule] || numbers[rule] > contract->most[rule])) {
            return (enum topk_contract_rule)rule;
        }
    }
    if (topk_contract_has(contract, TOPK_OPTION_AXES_LAST) && op->axis + 1 != input->rank) {
        return TOPK_CONTRACT_RULE_AXES;
    }
    const bool other = op->kind == TOPK_TOP_K1 && op->direction > TOPK_DECREASING;
    if ((topk_contract_has(contract, TOPK_OPTION_DIRECTIONS_LARGEST) && (increasing || other)) ||
        (topk_contract_has(contract, TOPK_OPTION_DIRECTIONS_SMALLEST) && !increasing)) {
        return TOPK_CONTRACT_RULE_DIRECTIONS;
    }
    return TOPK_CONTRACT_RULE_COUNT;
}

bool topk_contract_serves(const struct topk_contract *contract, const struct topk_operator *op,
                          char *reason, size_t reason_bytes)
{
    const enum topk_contract_rule rule = beyond(contract, op);
    if (rule == TOPK_CONTRACT_RULE_COUNT) {
        return true;
    }
    char value[TOPK_CONTRACT_RULES];
    topk_contract_value_print(contract, rule, value);
    snprintf(reason, reason_bytes, "the declared contract has %s=%s", rules[rule].key, value);
    return false;
}
