/* Executes the rows of product.h. A row is parsed again for each case: that takes microseconds and
 * needs no compiled form. */
#include "product.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case/case.h"
#include "generate/generate.h"

#define NAMES_MAX   64
#define DEPTH_MAX   64 /* greatest depth of names that refer to names */
#define LITERAL_MAX 1024
#define SEEN_MAX    512
#define OWN_TEXT    192u /* a list of TOPK_RANK_MAX sizes */

struct span {
    const char *at;
    const char *end;
};

/* The meaning of a name. */
struct meaning {
    struct span name;
    struct span text; /* empty: the meaning is `number` */
    int64_t number;
    int64_t place; /* position in the list of its axis */
};

struct product {
    struct topk_sink *sink;
    struct meaning names[NAMES_MAX]; /* for a name that occurs twice, the last one counts */
    uint32_t keys[NAMES_MAX];        /* key_of() each name */
    size_t count;
    int64_t number; /* how often `count` was executed */
    uint64_t literal[LITERAL_MAX];
    struct topk_seen seen; /* for `once` */
    unsigned depth;
    bool broken;
};

static int64_t evaluate(struct product *p, struct span text);

static void break_off(struct product *p, const char *message, struct span at)
{
    if (!p->broken) {
        snprintf(p->sink->broken, sizeof p->sink->broken, "%s: %.*s", message,
                 (int)(at.end - at.at < 100 ? at.end - at.at : 100), at.at);
    }
    p->broken = true;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static struct span span_of(const char *text)
{
    return (struct span){text, text + strlen(text)};
}

static struct span trim(struct span text)
{
    while (text.at < text.end && *text.at == ' ') {
        text.at++;
    }
    while (text.at < text.end && text.end[-1] == ' ') {
        text.end--;
    }
    return text;
}

static bool empty(struct span text)
{
    return text.at == text.end;
}

static bool same(struct span text, const char *word)
{
    const size_t length = strlen(word);
    return length == (size_t)(text.end - text.at) &&
           (length == 0 || memcmp(text.at, word, length) == 0);
}

/* how a character changes the depth of brackets */
static const int deeper[UCHAR_MAX + 1] = {
    ['('] = 1, ['['] = 1, ['{'] = 1, [')'] = -1, [']'] = -1, ['}'] = -1};

/* the first of one or two characters outside brackets, or the end */
static const char *find(struct span text, const char *wanted)
{
    const char *second = wanted[1] == 0 ? wanted : wanted + 1;
    int depth = 0;
    for (const char *at = text.at; at < text.end; at++) {
        if (depth == 0 && (*at == *wanted || *at == *second)) {
            return at;
        }
        depth += deeper[(unsigned char)*at];
    }
    return text.end;
}

/* the first closing bracket whose opening one is before the text, or the end */
static const char *find_closing(struct span text)
{
    int depth = 0;
    for (const char *at = text.at; at < text.end; at++) {
        depth += deeper[(unsigned char)*at];
        if (depth < 0) {
            return at;
        }
    }
    return text.end;
}

/* removes the text up to one of one or two characters, and that character, and returns it */
static struct span take(struct span *text, const char *until)
{
    const char *end = find(*text, until);
    struct span taken = trim((struct span){text->at, end});
    text->at = end < text->end ? end + 1 : end;
    return taken;
}

/* removes and returns a leading name; empty if there is none */
static struct span take_name(struct span *text)
{
    *text = trim(*text);
    struct span name = {text->at, text->at};
    while (name.end < text->end && (isalnum((unsigned char)*name.end) || *name.end == '_')) {
        name.end++;
    }
    if (!empty(name) && isdigit((unsigned char)*name.at)) {
        name.end = name.at;
    }
    text->at = name.end;
    return name;
}

/* removes a leading pair of brackets and returns its content */
static struct span take_bracketed(struct span *text)
{
    struct span inside = {text->at + 1, text->end};
    inside.end = find_closing(inside);
    text->at = inside.end < text->end ? inside.end + 1 : text->end;
    return trim(inside);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* length, first and last character of a name, which tell most names apart */
static uint32_t key_of(struct span name)
{
    return (uint32_t)(name.end - name.at) << 16 | (uint32_t)(unsigned char)*name.at << 8 |
           (unsigned char)name.end[-1];
}

static const struct meaning *look_up(const struct product *p, struct span name)
{
    const uint32_t key = empty(name) ? 0 : key_of(name);
    for (size_t i = empty(name) ? 0 : p->count; i-- > 0;) {
        if (p->keys[i] == key &&
            memcmp(p->names[i].name.at, name.at, (size_t)(name.end - name.at)) == 0) {
            return &p->names[i];
        }
    }
    return NULL;
}

static bool known(const struct product *p, const char *name)
{
    return look_up(p, span_of(name)) != NULL;
}

static void bind(struct product *p, struct span name, struct meaning meaning)
{
    if (p->count == NAMES_MAX || empty(name)) {
        break_off(p, "too many names, or none", name);
        return;
    }
    meaning.name = name;
    p->keys[p->count] = key_of(name);
    p->names[p->count++] = meaning;
}

static void bind_number(struct product *p, const char *name, int64_t number)
{
    bind(p, span_of(name), (struct meaning){.number = number});
}

static int64_t meaning_value(struct product *p, const struct meaning *meaning)
{
    return empty(meaning->text) ? meaning->number : evaluate(p, meaning->text);
}

static struct span resolve(struct product *p, struct span text);

/* item number `place` of a list; false if it has fewer */
static bool item_of(struct product *p, struct span list, int64_t place, struct meaning *item)
{
    const int64_t wanted = place;
    while (!empty(list) && !p->broken) {
        struct span text = take(&list, ",");
        const char *dots = text.at;
        while (dots < text.end && (dots[0] != '.' || dots + 1 == text.end || dots[1] != '.')) {
            dots++;
        }
        int64_t count = 1;
        int64_t from = 0;
        if (dots < text.end) {
            from = evaluate(p, (struct span){text.at, dots});
            count = evaluate(p, (struct span){dots + 2, text.end}) - from + 1;
            text.end = text.at;
        }
        if (place < count) {
            *item = (struct meaning){.text = text, .number = from + place, .place = wanted};
            return true;
        }
        place -= count < 0 ? 0 : count;
    }
    return false;
}

/* the same, with `place` modulo the number of items */
static struct meaning item_around(struct product *p, struct span list, int64_t place)
{
    struct meaning item = {0};
    list = resolve(p, list);
    if (!empty(list) && *list.at == '[') {
        list = take_bracketed(&list);
    }
    while (!p->broken && (place < 0 || !item_of(p, list, place, &item))) {
        int64_t count = 0;
        while (item_of(p, list, count, &item)) {
            count++;
        }
        if (count == 0 || place < 0) {
            break_off(p, "a list has no such item", list);
        } else {
            place %= count;
        }
    }
    return item;
}

/* removes a leading LIST[PLACE] and sets *item; false if the text starts with something else */
static bool take_pick(struct product *p, struct span *text, struct meaning *item)
{
    struct span rest = *text;
    struct span list;
    if (!empty(rest) && *rest.at == '[') {
        list = take_bracketed(&rest);
    } else {
        const struct meaning *meaning = look_up(p, take_name(&rest));
        list = meaning == NULL ? rest : meaning->text;
    }
    if (empty(rest) || *rest.at != '[' || list.at == rest.at) {
        return false;
    }
    *item = item_around(p, list, evaluate(p, take_bracketed(&rest)));
    *text = rest;
    return true;
}

/* The text that a name, an item of a list or a choice of two stands for; else the text itself. */
static struct span resolve(struct product *p, struct span text)
{
    text = trim(text);
    for (unsigned depth = 0; !p->broken; depth++) {
        struct span rest = text;
        const char *sign = find(text, "?,");
        if (depth == DEPTH_MAX) {
            break_off(p, "a name stands for itself", text);
        } else if (sign < text.end && *sign == '?') {
            const struct span condition = take(&rest, "?");
            struct span yes = take(&rest, ":");
            text = evaluate(p, condition) != 0 ? yes : trim(rest);
            continue;
        }
        rest = text;
        const struct meaning *meaning = look_up(p, take_name(&rest));
        if (meaning != NULL && empty(rest) && !empty(meaning->text)) {
            text = meaning->text;
            continue;
        }
        struct meaning item;
        rest = text;
        if (!take_pick(p, &rest, &item) || !empty(rest)) {
            return text;
        }
        text = item.text;
    }
    return text;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static int64_t value_of(struct product *p, const char *name, int64_t otherwise)
{
    const struct meaning *meaning = look_up(p, span_of(name));
    return meaning == NULL ? otherwise : meaning_value(p, meaning);
}

static uint32_t small_value_of(struct product *p, const char *name, uint32_t otherwise)
{
    return (uint32_t)value_of(p, name, otherwise);
}

static uint32_t sizes_of(struct product *p, uint32_t sizes[TOPK_RANK_MAX])
{
    const struct meaning *listed = look_up(p, span_of("sizes"));
    const struct meaning *counted = look_up(p, span_of("rank"));
    uint32_t rank = 0;
    memset(sizes, 0, TOPK_RANK_MAX * sizeof sizes[0]);
    if (listed != NULL && (counted == NULL || listed > counted)) {
        struct span list = resolve(p, span_of("sizes"));
        for (list = take_bracketed(&list); !empty(list) && rank < TOPK_RANK_MAX; rank++) {
            sizes[rank] = (uint32_t)evaluate(p, take(&list, ","));
        }
        return rank;
    }
    const size_t count = p->count;
    if (counted == NULL) {
        sizes[0] = sizes[1] = sizes[2] = 1;
        sizes[3] = small_value_of(p, "n", 0);
        return 4;
    }
    const uint32_t wanted = small_value_of(p, "rank", 0);
    for (; rank < wanted && rank < TOPK_RANK_MAX && !p->broken; rank++) {
        bind_number(p, "d", rank);
        sizes[rank] = small_value_of(p, "size", 0);
        p->count = count;
    }
    return rank;
}

static void set_data(struct product *p, struct topk_case *tc)
{
    const size_t names = p->count;
    const struct span whole = resolve(p, span_of("data"));
    struct span text = whole;
    const struct span name = take_name(&text);
    uint32_t version = 1;
    if (!empty(text) && *text.at == '.') {
        text.at++;
        version = (uint32_t)evaluate(p, (struct span){text.at, find(text, "(")});
        text.at = find(text, "(");
    }
    tc->recipe = topk_recipe_find(name.at, (size_t)(name.end - name.at), version);
    uint32_t count = 0;
    struct span list = empty(text) ? text : take_bracketed(&text);
    for (; !empty(list) && count < TOPK_RECIPE_PARAMETERS; count++) {
        tc->parameters[count] = (uint64_t)evaluate(p, take(&list, ","));
        if (count == 0) {
            bind_number(p, "first", (int64_t)tc->parameters[0]);
        }
    }
    if (tc->recipe == NULL || count != tc->recipe->parameters) {
        break_off(p, "no recipe, or not its parameters", whole);
    }
    p->count = names;
}

static void set_literal(struct product *p, struct topk_case *tc)
{
    const uint64_t elements = topk_tensor_elements(&tc->op.tensors[TOPK_INPUT]);
    const size_t count = p->count;
    if (elements > LITERAL_MAX) {
        break_off(p, "too many bits", span_of("bits"));
        return;
    }
    tc->literal = p->literal;
    tc->literal_count = (uint32_t)elements;
    for (uint32_t i = 0; i < elements; i++) {
        bind_number(p, "e", i);
        p->literal[i] = (uint64_t)evaluate(p, span_of("bits"));
        p->count = count;
    }
}

static void set_layout(struct product *p, enum topk_role role, struct topk_tensor *tensor)
{
    struct span text = resolve(p, span_of("layout"));
    if (!empty(text) && *text.at == '{') {
        struct span list = take_bracketed(&text);
        tensor->strided = true;
        for (uint32_t d = 0; d < tensor->rank; d++) {
            tensor->strides[d] = (uint32_t)evaluate(p, take(&list, ","));
        }
        tensor->total_bytes = topk_tensor_least_bytes(tensor);
        return;
    }
    for (int i = 0; i < TOPK_LAYOUT_COUNT; i++) {
        const enum topk_layout layout = (enum topk_layout)i;
        if (same(text, topk_layout_word(layout))) {
            if (role == TOPK_INPUT || !topk_layout_input_only(layout)) {
                topk_layout_apply(layout, tensor);
            }
            return;
        }
    }
    break_off(p, "no layout", text);
}

/* the word itself, since some are also names */
static enum topk_check check_of(struct product *p)
{
    const struct span text = look_up(p, span_of("check"))->text;
    for (int check = 0; check < TOPK_CHECK_COUNT; check++) {
        if (same(text, topk_check_row((enum topk_check)check)->word)) {
            return (enum topk_check)check;
        }
    }
    break_off(p, "no check", text);
    return TOPK_CHECK_NONE;
}

/* makes the sizes of a tensor available to expressions, as a list */
static void bind_sizes(struct product *p, const struct topk_tensor *tensor, char text[OWN_TEXT])
{
    size_t length = 0;
    for (uint32_t d = 0; d < tensor->rank; d++) {
        length +=
            (size_t)snprintf(text + length, OWN_TEXT - length, "%" PRIu32 ",", tensor->sizes[d]);
    }
    text[length] = 0;
    bind(p, span_of("own"), (struct meaning){.text = span_of(text)});
}

static void set_sizes(struct product *p, struct topk_tensor *tensor)
{
    const size_t count = p->count;
    tensor->rank = small_value_of(p, "dimensions", tensor->rank);
    for (uint32_t d = 0; d < tensor->rank && d < TOPK_RANK_MAX; d++) {
        bind_number(p, "d", d);
        tensor->sizes[d] = small_value_of(p, "dimension", 0);
        p->count = count;
    }
    tensor->total_bytes = topk_tensor_least_bytes(tensor);
}

static void set_tensor(struct product *p, enum topk_role role, struct topk_case *tc)
{
    struct topk_tensor *tensor = &tc->op.tensors[role];
    const size_t count = p->count;
    char own[OWN_TEXT];
    bind_number(p, "role", role);
    bind_sizes(p, tensor, own);
    tensor->type = small_value_of(p, "other_type", tensor->type);
    if (known(p, "dimension")) {
        set_sizes(p, tensor);
    }
    bind_number(p, "dense", (int64_t)tensor->total_bytes);
    if (known(p, "layout")) {
        set_layout(p, role, tensor);
    }
    bind_number(p, "least", (int64_t)tensor->total_bytes);
    tensor->total_bytes = (uint64_t)value_of(p, "total", (int64_t)tensor->total_bytes);
    tensor->alignment = small_value_of(p, "alignment", 0);
    tensor->flags = small_value_of(p, "flags", 0);
    tc->offset[role] = (uint64_t)value_of(p, "offset", 0);
    if (value_of(p, "missing", 0) != 0) {
        memset(tensor, 0, sizeof *tensor);
    }
    p->count = count;
}

/* the call that the names describe; its level is 0 if none is given */
static void build(struct product *p, struct topk_case *tc)
{
    uint32_t sizes[TOPK_RANK_MAX];
    const uint32_t rank = sizes_of(p, sizes);
    const uint32_t axis = small_value_of(p, "axis", rank - 1);
    memset(tc, 0, sizeof *tc);
    topk_build(tc, (enum topk_mode)evaluate(p, span_of("mode")),
               (uint32_t)evaluate(p, span_of("type")), rank, sizes, axis,
               (uint32_t)evaluate(p, span_of("k")));
    if (value_of(p, "wide", 0) != 0) {
        topk_build_wide_index(tc);
    }
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        set_tensor(p, (enum topk_role)role, tc);
    }
    tc->op.axis = small_value_of(p, "op_axis", axis);
    tc->op.k = small_value_of(p, "op_k", tc->op.k);
    tc->op.direction = small_value_of(p, "direction", tc->op.direction);
    tc->op.execution = small_value_of(p, "execution", 0);
    tc->op.level = small_value_of(p, "level", 0);
    tc->padding = (enum topk_padding)value_of(p, "padding", 0);
    tc->check = known(p, "check") ? check_of(p) : TOPK_CHECK_NONE;
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* the properties of the described call that have names; false if there is no such name */
static bool of_call(struct product *p, struct span name, int64_t *value)
{
    struct topk_case tc;
    uint32_t sizes[TOPK_RANK_MAX];
    if (same(name, "rank")) {
        *value = sizes_of(p, sizes);
    } else if (same(name, "length")) {
        const uint32_t rank = sizes_of(p, sizes);
        *value = sizes[small_value_of(p, "axis", rank - 1) % TOPK_RANK_MAX];
    } else if (same(name, "elements")) {
        const uint32_t rank = sizes_of(p, sizes);
        *value = 1;
        for (uint32_t d = 0; d < rank; d++) {
            *value *= sizes[d];
        }
    } else if (same(name, "least_level")) {
        build(p, &tc);
        *value = topk_operator_least_level(&tc.op);
    } else if (same(name, "invalid")) {
        struct topk_validity validity;
        build(p, &tc);
        topk_operator_validate(&tc.op, tc.op.level, &validity);
        *value = !topk_clause_set_empty(&validity.broken);
    } else if (same(name, "applies")) {
        build(p, &tc);
        tc.op.level = topk_check_level(&tc);
        *value = topk_check_applies(&tc);
    } else {
        return false;
    }
    return true;
}

static int64_t word_value(struct product *p, struct span name)
{
    static const char *const modes[] = {"top_k", "largest", "smallest"};
    static const char *const roles[] = {"input", "value", "index"};
    int64_t value = 0;
    uint32_t type;
    size_t length;
    for (int i = 0; i < 3; i++) {
        if (same(name, modes[i]) || same(name, roles[i])) {
            return i;
        }
    }
    if (!empty(name) && topk_type_parse(name.at, &type, &length) &&
        length == (size_t)(name.end - name.at)) {
        return type;
    }
    if (!of_call(p, name, &value)) {
        break_off(p, "what is this", name);
    }
    return value;
}

static int64_t call_value(struct product *p, struct span name, struct span list)
{
    int64_t arguments[3] = {0};
    for (int i = 0; i < 3 && !empty(list); i++) {
        arguments[i] = evaluate(p, take(&list, ","));
    }
    if (same(name, "mix")) {
        return (int64_t)topk_mix((uint64_t)arguments[0], (uint64_t)arguments[1],
                                 (uint64_t)arguments[2]);
    } else if (same(name, "bytes")) {
        return topk_type_bytes((uint32_t)arguments[0]);
    } else if (same(name, "float")) {
        return topk_type_float((uint32_t)arguments[0]);
    } else if (same(name, "orders")) {
        return (int64_t)topk_order_count((uint32_t)arguments[0]);
    } else if (same(name, "ranked")) {
        return (int64_t)topk_value_of_rank((uint32_t)arguments[0], (uint64_t)arguments[1],
                                           (uint64_t)arguments[2]);
    }
    break_off(p, "no function", name);
    return 0;
}

/* removes and evaluates an operand: a number, a name, a call, a pick, or one with a unary
 * operator */
static int64_t take_operand(struct product *p, struct span *text)
{
    *text = trim(*text);
    if (empty(*text)) {
        break_off(p, "an expression ends early", *text);
        return 0;
    }
    const char first = *text->at;
    if (isdigit((unsigned char)first)) {
        char *end;
        const int64_t value = (int64_t)strtoull(text->at, &end, 0);
        text->at = end;
        return value;
    }
    struct meaning item;
    if (take_pick(p, text, &item)) {
        return meaning_value(p, &item);
    }
    if (first == '(') {
        return evaluate(p, take_bracketed(text));
    } else if (first == '-' || first == '!' || first == '#') {
        text->at++;
        if (first == '#') {
            const struct span name = take_name(text);
            const struct meaning *meaning = look_up(p, name);
            if (meaning == NULL) {
                break_off(p, "no name", name);
            }
            return meaning == NULL ? 0 : meaning->place;
        }
        const int64_t operand = take_operand(p, text);
        return first == '-' ? -operand : !operand;
    }
    const struct span name = take_name(text);
    const struct meaning *meaning = look_up(p, name);
    if (!empty(*text) && *text->at == '(') {
        return call_value(p, name, take_bracketed(text));
    }
    return meaning == NULL ? word_value(p, name) : meaning_value(p, meaning);
}

/* from the lowest precedence; a word comes before its prefixes */
static const struct {
    const char *word;
    int binds;
} operators[] = {{"||", 1}, {"&&", 2}, {"==", 5}, {"!=", 5}, {"<=", 6}, {">=", 6},
                 {"<<", 7}, {">>", 7}, {"|", 3},  {"&", 4},  {"<", 6},  {">", 6},
                 {"+", 8},  {"-", 8},  {"*", 9},  {"/", 9},  {"%", 9}};

static int64_t apply(struct product *p, const char *word, int64_t a, int64_t b, struct span at)
{
    const bool two = word[1] != 0;
    if (strchr("/%", word[0]) != NULL && b == 0) {
        break_off(p, "a division by zero", at);
        return 0;
    }
    switch (word[0]) {
    case '|':
        return two ? a || b : a | b;
    case '&':
        return two ? a && b : a & b;
    case '=':
        return a == b;
    case '!':
        return a != b;
    case '<':
        return !two ? a < b : word[1] == '=' ? a <= b : a << b;
    case '>':
        return !two ? a > b : word[1] == '=' ? a >= b : a >> b;
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return a / b;
    default:
        return a % b;
    }
}

static int64_t take_binary(struct product *p, struct span *text, int least)
{
    int64_t value = take_operand(p, text);
    while (!p->broken) {
        *text = trim(*text);
        if (empty(*text)) {
            break;
        }
        size_t i = 0;
        while (i < sizeof operators / sizeof operators[0] &&
               (operators[i].word[0] != *text->at ||
                strncmp(text->at, operators[i].word, strlen(operators[i].word)) != 0)) {
            i++;
        }
        if (i == sizeof operators / sizeof operators[0] || operators[i].binds < least) {
            break;
        }
        const struct span at = *text;
        text->at += strlen(operators[i].word);
        const int64_t other = take_binary(p, text, operators[i].binds + 1);
        value = apply(p, operators[i].word, value, other, at);
    }
    return value;
}

static int64_t evaluate(struct product *p, struct span text)
{
    int64_t value = 0;
    if (++p->depth > DEPTH_MAX) {
        break_off(p, "a name stands for itself", text);
    }
    if (!p->broken) {
        struct span rest = text;
        value = take_binary(p, &rest, 1);
        rest = trim(rest);
        if (!empty(rest) && *rest.at == '?') {
            rest.at++;
            const struct span yes = take(&rest, ":");
            value = evaluate(p, value != 0 ? yes : rest);
        } else if (!empty(rest)) {
            break_off(p, "an expression goes on", rest);
        }
    }
    p->depth--;
    return value;
}

/* ---- statements ------------------------------------------------------------------------------ */

static void run(struct product *p, struct span row);

static void emit(struct product *p)
{
    struct topk_case tc;
    build(p, &tc);
    if (!p->broken && known(p, "data")) {
        set_data(p, &tc);
    } else if (!p->broken && known(p, "bits")) {
        set_literal(p, &tc);
    }
    if (!p->broken) {
        topk_emit(p->sink, &tc);
    }
}

/* binds an item to a name, or its parts to names in brackets */
static void bind_item(struct product *p, struct span names, struct meaning item)
{
    if (*names.at != '(') {
        bind(p, names, item);
        return;
    }
    const struct span whole = item.text;
    struct span parts = resolve(p, whole);
    names = take_bracketed(&names);
    if (!empty(parts) && *parts.at == '(') {
        parts = take_bracketed(&parts);
    }
    while (!empty(names)) {
        if (empty(parts)) {
            break_off(p, "an item has too few parts", whole);
            return;
        }
        item.text = take(&parts, ",");
        bind(p, take(&names, ","), item);
    }
}

/* whether the number of an item occurred before in its list */
static bool repeated(struct product *p, struct span list, const struct meaning *item)
{
    struct meaning other;
    for (int64_t i = 0; i < item->place && item_of(p, list, i, &other); i++) {
        if (meaning_value(p, &other) == meaning_value(p, item)) {
            return true;
        }
    }
    return false;
}

static void run_axis(struct product *p, struct span names, struct span list, struct span rest)
{
    struct span words = list;
    const bool distinct = same(take_name(&words), "distinct");
    const size_t count = p->count;
    struct meaning item;
    list = resolve(p, distinct ? words : list);
    for (int64_t i = 0; item_of(p, list, i, &item) && !p->broken && !p->sink->stopped; i++) {
        if (!distinct || !repeated(p, list, &item)) {
            bind_item(p, names, item);
            run(p, rest);
            p->count = count;
        }
    }
}

static void run(struct product *p, struct span row)
{
    row = trim(row);
    if (p->broken || empty(row)) {
        if (!p->broken && !p->sink->stopped) {
            emit(p);
        }
        return;
    }
    const size_t count = p->count;
    while (!empty(row) && *row.at == '{') {
        run(p, take_bracketed(&row));
        row = trim(row);
        if (empty(row)) {
            return;
        }
        if (*row.at != '{') {
            break_off(p, "something behind the last {}", row);
            return;
        }
    }
    struct span rest = row;
    struct span statement = take(&rest, ";");
    struct span words = statement;
    const struct span first = take_name(&words);
    if (same(first, "if")) {
        if (evaluate(p, words) != 0) {
            run(p, rest);
        }
    } else if (same(statement, "once")) {
        struct topk_case tc;
        build(p, &tc);
        if (topk_seen_add(&p->seen, &tc)) {
            run(p, rest);
        }
    } else if (same(statement, "count")) {
        bind_number(p, "number", p->number++);
        run(p, rest);
    } else {
        const char *sign = find(statement, "=:");
        const struct span names = trim((struct span){statement.at, sign});
        if (sign == statement.end || empty(names)) {
            break_off(p, "no statement", statement);
        } else if (*sign == ':') {
            run_axis(p, names, (struct span){sign + 1, statement.end}, rest);
        } else {
            const struct span text = trim((struct span){sign + 1, statement.end});
            bind_item(p, names, (struct meaning){.text = text});
            run(p, rest);
        }
    }
    p->count = count;
}

/* the lists that all rows can use */
#define X(name, text, number, bytes, kind) text ","
#define Y(name, word, input_only, about)   word ","
#define Z(name, word, input_only, about)   Z_##input_only(word)
#define Z_true(word)
#define Z_false(word) word ","
static const char *const lists[][2] = {
    {"types", TOPK_TYPE_LIST(X)},
    {"floats", "f32,f16"},
    {"modes", "top_k,largest,smallest"},
    {"both", "largest,smallest"},
    {"levels", "0x2000,0x2100,0x3100,0x5000"},
    {"layouts", TOPK_LAYOUT_LIST(Z)},
    {"input_layouts", TOPK_LAYOUT_LIST(Y)},
};
#undef X
#undef Y
#undef Z
#undef Z_true
#undef Z_false

void topk_product(const char *row, struct topk_sink *sink)
{
    struct product p = {.sink = sink};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        bind(&p, span_of(lists[i][0]), (struct meaning){.text = span_of(lists[i][1])});
    }
    bind_number(&p, "first", 0);
    if (topk_seen_make(&p.seen, SEEN_MAX)) {
        run(&p, span_of(row));
    } else {
        sink->no_memory = true;
    }
    topk_seen_free(&p.seen);
}
