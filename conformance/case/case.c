/* Prints and parses the text of a case. The parser accepts only what the printer writes. */
#include "case.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/element.h"

/* ---- printing -------------------------------------------------------------------------------- */

struct printer {
    char *text;
    size_t size;
    size_t length; /* of the whole text, including what did not fit */
};

static void put(struct printer *p, const char *word)
{
    for (; *word != 0; word++, p->length++) {
        if (p->length < p->size) {
            p->text[p->length] = *word;
        }
    }
}

/* does not use printf, which is slow: a fuzzer prints every case */
static void put_number(struct printer *p, const char *before, uint64_t number)
{
    char digits[24];
    char *first = digits + sizeof digits - 1;
    *first = 0;
    do {
        *--first = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    put(p, before);
    put(p, first);
}

/* hex with leading zeros */
static void put_bits(struct printer *p, uint64_t bits, uint32_t bytes)
{
    for (uint32_t i = 2 * bytes; i-- > 0;) {
        if (p->length < p->size) {
            p->text[p->length] = "0123456789abcdef"[bits >> (4 * i) & 15];
        }
        p->length++;
    }
}

static void put_list(struct printer *p, const char *open, const uint32_t *numbers, uint32_t count,
                     const char *close)
{
    put(p, open);
    for (uint32_t i = 0; i < count; i++) {
        put_number(p, i == 0 ? "" : ",", numbers[i]);
    }
    put(p, close);
}

/* usual: the tensor that a type alone stands for; NULL for the input */
static void put_tensor(struct printer *p, const char *field, const struct topk_tensor *tensor,
                       uint64_t offset, const struct topk_tensor *usual)
{
    put(p, field);
    if (!tensor->present) {
        put(p, "none");
        return;
    }
    char type[TOPK_TYPE_TEXT];
    topk_type_print(tensor->type, type);
    put(p, type);
    if (usual == NULL || usual->rank != tensor->rank ||
        memcmp(usual->sizes, tensor->sizes, tensor->rank * sizeof tensor->sizes[0]) != 0) {
        put_list(p, "[", tensor->sizes, tensor->rank, "]");
    }
    if (tensor->strided) {
        put_list(p, "{", tensor->strides, tensor->rank, "}");
    }
    if (tensor->total_bytes != topk_tensor_least_bytes(tensor)) {
        put_number(p, "#", tensor->total_bytes);
    }
    if (offset != 0) {
        put_number(p, "@", offset);
    }
    if (tensor->alignment != 0) {
        put_number(p, "^", tensor->alignment);
    }
    if (tensor->flags != 0) {
        put_number(p, "!", tensor->flags);
    }
}

static bool same_tensor(const struct topk_tensor *a, const struct topk_tensor *b)
{
    return a->present == b->present && a->strided == b->strided && a->type == b->type &&
           a->rank == b->rank && a->flags == b->flags && a->alignment == b->alignment &&
           memcmp(a->sizes, b->sizes, a->rank * sizeof a->sizes[0]) == 0 &&
           (!a->strided || memcmp(a->strides, b->strides, a->rank * sizeof a->strides[0]) == 0) &&
           a->total_bytes == b->total_bytes;
}

static void put_direction(struct printer *p, uint32_t direction)
{
    if (direction == TOPK_INCREASING) {
        put(p, " dir=inc");
    } else if (direction == TOPK_DECREASING) {
        put(p, " dir=dec");
    } else {
        put_number(p, " dir=", direction);
    }
}

static void put_data(struct printer *p, const struct topk_case *tc)
{
    if (tc->recipe != NULL) {
        put(p, " data=");
        put(p, tc->recipe->name);
        put_number(p, ".", tc->recipe->version);
        for (uint32_t i = 0; i < tc->recipe->parameters; i++) {
            put_number(p, ":", tc->parameters[i]);
        }
    } else if (tc->literal != NULL) {
        uint32_t bytes = topk_type_bytes(tc->op.tensors[TOPK_INPUT].type);
        put(p, " data=hex:");
        for (uint32_t i = 0; i < tc->literal_count; i++) {
            if (i > 0) {
                put(p, ",");
            }
            put_bits(p, tc->literal[i], bytes);
        }
    } else if (tc->out != 0) {
        put_number(p, " data=out:", tc->out);
    }
}

static void put_call(struct printer *p, const struct topk_case *tc)
{
    const struct topk_operator *op = &tc->op;
    put(p, op->kind == TOPK_TOP_K ? "top_k" : "top_k1");
    put_number(p, " fl=", op->level >> 12);
    put_number(p, ".", op->level >> 8 & 15);
    put_tensor(p, " in=", &op->tensors[TOPK_INPUT], tc->offset[TOPK_INPUT], NULL);
    put_number(p, " axis=", op->axis);
    put_number(p, " k=", op->k);
    if (op->kind == TOPK_TOP_K1) {
        put_direction(p, op->direction);
    }
    struct topk_operator usual = *op;
    topk_operator_derive_outputs(&usual, TOPK_TYPE_U32);
    for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
        if (!same_tensor(&op->tensors[role], &usual.tensors[role]) || tc->offset[role] != 0) {
            put_tensor(p, role == TOPK_VALUE ? " val=" : " idx=", &op->tensors[role],
                       tc->offset[role], &usual.tensors[role]);
        }
    }
    if (op->execution != 0) {
        put_number(p, " exec=", op->execution);
    }
    if (tc->padding != TOPK_PADDING_WIN) {
        put(p, " pad=");
        put(p, topk_padding_row(tc->padding)->word);
    }
    if (tc->check != TOPK_CHECK_NONE) {
        put(p, " check=");
        put(p, topk_check_row(tc->check)->word);
    }
    put_data(p, tc);
}

size_t topk_case_print(const struct topk_case *tc, char *text, size_t size)
{
    struct printer p = {text, size, 0};
    for (uint32_t i = 0; i < tc->before_count; i++) {
        put_call(&p, &tc->before[i]);
        put(&p, " then ");
    }
    put_call(&p, tc);
    if (size > 0) {
        text[p.length < size ? p.length : 0] = 0;
    }
    return p.length;
}

/* ---- parsing --------------------------------------------------------------------------------- */

struct reader {
    const char *start;
    const char *at;
    const char *end;
    struct topk_case_error *error;
};

static bool fail(struct reader *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    r->error->column = (size_t)(r->at - r->start) + 1;
    vsnprintf(r->error->message, sizeof r->error->message, format, arguments);
    va_end(arguments);
    return false;
}

static bool no_memory(struct reader *r)
{
    fail(r, "out of memory");
    r->error->no_memory = true;
    return false;
}

static bool looking_at(const struct reader *r, const char *expected)
{
    size_t length = strlen(expected);
    return (size_t)(r->end - r->at) >= length && memcmp(r->at, expected, length) == 0;
}

static bool take(struct reader *r, const char *expected)
{
    if (!looking_at(r, expected)) {
        return false;
    }
    r->at += strlen(expected);
    return true;
}

static bool need(struct reader *r, const char *expected)
{
    return take(r, expected) || fail(r, "expected '%s'", expected);
}

static bool take_number(struct reader *r, uint64_t most, uint64_t *number)
{
    const char *start = r->at;
    *number = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        uint64_t digit = (uint64_t)(*r->at - '0');
        if (*number > (most - digit) / 10) {
            r->at = start;
            return fail(r, "number larger than %" PRIu64, most);
        }
        *number = *number * 10 + digit;
    }
    if (r->at == start) {
        return fail(r, "expected a decimal number");
    }
    if (*start == '0' && r->at > start + 1) {
        r->at = start;
        return fail(r, "number with a leading zero");
    }
    return true;
}

static bool take_u32(struct reader *r, uint32_t *number)
{
    uint64_t wide;
    bool ok = take_number(r, UINT32_MAX, &wide);
    *number = (uint32_t)wide;
    return ok;
}

/* reads numbers up to `close`; the opening bracket has been read */
static bool take_list(struct reader *r, uint32_t numbers[TOPK_RANK_MAX], uint32_t *count,
                      const char *close)
{
    *count = 0;
    if (take(r, close)) {
        return true;
    }
    do {
        if (*count == TOPK_RANK_MAX) {
            return fail(r, "more than %d dimensions", TOPK_RANK_MAX);
        }
        if (!take_u32(r, &numbers[*count])) {
            return false;
        }
        ++*count;
    } while (take(r, ","));
    return take(r, close) || fail(r, "expected ',' or '%s'", close);
}

/* usual: the default sizes; NULL if sizes are required */
static bool take_tensor(struct reader *r, struct topk_tensor *tensor, uint64_t *offset,
                        const struct topk_tensor *usual)
{
    memset(tensor, 0, sizeof *tensor);
    *offset = 0;
    if (take(r, "none")) {
        return true;
    }
    tensor->present = true;
    size_t length;
    /* copy the word to terminate it; a type's name is short */
    char word[TOPK_TYPE_TEXT + 1] = {0};
    size_t room = (size_t)(r->end - r->at);
    memcpy(word, r->at, room < TOPK_TYPE_TEXT ? room : TOPK_TYPE_TEXT);
    if (!topk_type_parse(word, &tensor->type, &length)) {
        return fail(r, "expected an element type (f32 f16 i64 ... u8, f64, type14, ...) or none");
    }
    r->at += length;
    if (take(r, "[")) {
        if (!take_list(r, tensor->sizes, &tensor->rank, "]")) {
            return false;
        }
    } else if (usual == NULL) {
        return fail(r, "expected '[' and the sizes");
    } else {
        tensor->rank = usual->rank;
        memcpy(tensor->sizes, usual->sizes, sizeof tensor->sizes);
    }
    if (take(r, "{")) {
        uint32_t count;
        tensor->strided = true;
        if (!take_list(r, tensor->strides, &count, "}")) {
            return false;
        }
        if (count != tensor->rank) {
            return fail(r, "%" PRIu32 " strides for %" PRIu32 " sizes", count, tensor->rank);
        }
    }
    tensor->total_bytes = topk_tensor_least_bytes(tensor);
    return (!take(r, "#") || take_number(r, UINT64_MAX, &tensor->total_bytes)) &&
           (!take(r, "@") || take_number(r, UINT64_MAX, offset)) &&
           (!take(r, "^") || take_u32(r, &tensor->alignment)) &&
           (!take(r, "!") || take_u32(r, &tensor->flags));
}

static bool take_level(struct reader *r, uint32_t *level)
{
    const char *start = r->at;
    uint32_t major;
    uint32_t minor = 0;
    if (!take_u32(r, &major) || !need(r, ".") || !take_u32(r, &minor)) {
        return false;
    }
    if (major < 1 || major > 15 || minor > 15) {
        r->at = start;
        return fail(r, "feature level outside 1.0 to 15.15");
    }
    *level = major << 12 | minor << 8;
    return true;
}

static bool take_direction(struct reader *r, uint32_t *direction)
{
    if (take(r, "inc")) {
        *direction = TOPK_INCREASING;
        return true;
    }
    if (take(r, "dec")) {
        *direction = TOPK_DECREASING;
        return true;
    }
    const char *start = r->at;
    if (!take_u32(r, direction)) {
        return false;
    }
    if (*direction == TOPK_INCREASING || *direction == TOPK_DECREASING) {
        r->at = start;
        return fail(r, "directions 0 and 1 are written inc and dec");
    }
    return true;
}

/* the number of lower-case letters from here on */
static size_t word_length(const struct reader *r)
{
    size_t length = 0;
    while (r->at + length < r->end && r->at[length] >= 'a' && r->at[length] <= 'z') {
        length++;
    }
    return length;
}

/* skips the next word if it is `word` */
static bool take_word(struct reader *r, const char *word)
{
    const size_t length = word_length(r);
    return strlen(word) == length && take(r, word);
}

static bool take_padding(struct reader *r, enum topk_padding *padding)
{
    for (int i = 0; i < TOPK_PADDING_COUNT; i++) {
        if (take_word(r, topk_padding_row((enum topk_padding)i)->word)) {
            *padding = (enum topk_padding)i;
            return true;
        }
    }
    return fail(r, "unknown padding (win lose nan zero random)");
}

static bool take_check(struct reader *r, enum topk_check *check)
{
    for (int i = 0; i < TOPK_CHECK_COUNT; i++) {
        if (take_word(r, topk_check_row((enum topk_check)i)->word)) {
            *check = (enum topk_check)i;
            return true;
        }
    }
    return fail(r, "unknown check: `topk-cts list --checks' lists them");
}

static bool take_bits(struct reader *r, uint32_t bytes, uint64_t *bits)
{
    *bits = 0;
    for (uint32_t i = 0; i < 2 * bytes; i++, r->at++) {
        char c = ' ';
        if (r->at < r->end) {
            c = *r->at;
        }
        uint64_t digit = c >= '0' && c <= '9'   ? (uint64_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint64_t)(c - 'a') + 10
                                                : 16;
        if (digit == 16) {
            return fail(r, "expected %" PRIu32 " hex digits an element", 2 * bytes);
        }
        *bits = *bits << 4 | digit;
    }
    return true;
}

static bool take_literal(struct reader *r, struct topk_case *tc)
{
    const struct topk_tensor *input = &tc->op.tensors[TOPK_INPUT];
    uint64_t elements = topk_tensor_elements(input);
    uint32_t bytes = topk_type_bytes(input->type);
    uint32_t taken = 0; /* elements of the earlier calls */
    for (uint32_t i = 0; i < tc->before_count; i++) {
        taken += tc->before[i].literal_count;
    }
    if (!input->present || bytes == 0 || elements == 0 || elements > TOPK_LITERAL_MAX - taken) {
        return fail(r,
                    "literal data needs an input of 1 to %u elements of whole bytes, those of all "
                    "calls counted together",
                    TOPK_LITERAL_MAX);
    }
    tc->literal = malloc(elements * sizeof *tc->literal);
    if (tc->literal == NULL) {
        return no_memory(r);
    }
    tc->literal_count = (uint32_t)elements;
    for (uint64_t i = 0; i < elements; i++) {
        if (i > 0 && !take(r, ",")) {
            return fail(r, "expected ',' and %" PRIu64 " more of %" PRIu64 " elements",
                        elements - i, elements);
        }
        if (!take_bits(r, bytes, &tc->literal[i])) {
            return false;
        }
    }
    return true;
}

static bool take_output(struct reader *r, struct topk_case *tc)
{
    const char *start = r->at;
    if (!take_u32(r, &tc->out)) {
        return false;
    }
    if (tc->out == 0 || !topk_case_connected(tc)) {
        r->at = start;
        return fail(
            r,
            "out:N needs a value output N calls before, of the input's type, and at most %u "
            "elements on either side",
            TOPK_LITERAL_MAX);
    }
    return true;
}

static bool take_data(struct reader *r, struct topk_case *tc)
{
    if (take(r, "hex:")) {
        return take_literal(r, tc);
    }
    if (take(r, "out:")) {
        return take_output(r, tc);
    }
    const char *name = r->at;
    size_t length = word_length(r);
    uint32_t version = 0;
    r->at += length;
    if (length == 0 || !take(r, ".")) {
        r->at = name;
        return fail(r, "expected RECIPE.VERSION or hex:BITS or out:N");
    }
    if (!take_u32(r, &version)) {
        return false;
    }
    tc->recipe = topk_recipe_find(name, length, version);
    if (tc->recipe == NULL) {
        r->at = name;
        return fail(r, "unknown recipe '%.*s.%" PRIu32 "': `topk-cts list --recipes' lists them",
                    (int)(length < 40 ? length : 40), name, version);
    }
    for (uint32_t i = 0; i < tc->recipe->parameters; i++) {
        if (!take(r, ":")) {
            return fail(r, "recipe %s takes %" PRIu32 " numbers, each behind a ':'",
                        tc->recipe->name, tc->recipe->parameters);
        }
        if (!take_number(r, UINT64_MAX, &tc->parameters[i])) {
            return false;
        }
    }
    return true;
}

static bool take_outputs(struct reader *r, struct topk_case *tc)
{
    struct topk_operator usual = tc->op;
    topk_operator_derive_outputs(&usual, TOPK_TYPE_U32);
    tc->op.tensors[TOPK_VALUE] = usual.tensors[TOPK_VALUE];
    tc->op.tensors[TOPK_INDEX] = usual.tensors[TOPK_INDEX];
    return (!take(r, " val=") ||
            take_tensor(r, &tc->op.tensors[TOPK_VALUE], &tc->offset[TOPK_VALUE],
                        &usual.tensors[TOPK_VALUE])) &&
           (!take(r, " idx=") || take_tensor(r, &tc->op.tensors[TOPK_INDEX],
                                             &tc->offset[TOPK_INDEX], &usual.tensors[TOPK_INDEX]));
}

static bool take_execution(struct reader *r, uint32_t *execution)
{
    const char *start = r->at;
    const uint32_t known =
        TOPK_EXECUTION_HALF | TOPK_EXECUTION_NO_METACOMMAND | TOPK_EXECUTION_VOLATILE;
    if (!take_u32(r, execution)) {
        return false;
    }
    if (*execution & ~known) {
        r->at = start;
        return fail(r, "execution flags outside 0 to %u", (unsigned)known);
    }
    return true;
}

static bool take_call(struct reader *r, struct topk_case *tc)
{
    struct topk_operator *op = &tc->op;
    if (take(r, "top_k1 ")) {
        op->kind = TOPK_TOP_K1;
    } else if (take(r, "top_k ")) {
        op->kind = TOPK_TOP_K;
    } else {
        return fail(r, "expected 'top_k ' or 'top_k1 '");
    }
    op->direction = TOPK_DECREASING;
    if (!need(r, "fl=") || !take_level(r, &op->level) || !need(r, " in=") ||
        !take_tensor(r, &op->tensors[TOPK_INPUT], &tc->offset[TOPK_INPUT], NULL) ||
        !need(r, " axis=") || !take_u32(r, &op->axis) || !need(r, " k=") || !take_u32(r, &op->k)) {
        return false;
    }
    if (op->kind == TOPK_TOP_K1 && (!need(r, " dir=") || !take_direction(r, &op->direction))) {
        return false;
    }
    return take_outputs(r, tc) && (!take(r, " exec=") || take_execution(r, &op->execution)) &&
           (!take(r, " pad=") || take_padding(r, &tc->padding)) &&
           (!take(r, " check=") || take_check(r, &tc->check)) &&
           (!take(r, " data=") || take_data(r, tc));
}

/* something that is no field, or not one that may stand here */
static bool fail_after_call(struct reader *r, const struct topk_case *tc)
{
    if (looking_at(r, " dir=") && tc->op.kind == TOPK_TOP_K) {
        return fail(r, "top_k has no dir=, which top_k1 has");
    }
    return fail(r,
                "expected the end, ' then ', or the next of the fields in axis k %sval idx exec "
                "pad check data, in this order",
                tc->op.kind == TOPK_TOP_K1 ? "dir " : "");
}

static bool take_case(struct reader *r, struct topk_case *tc)
{
    while (take_call(r, tc)) {
        if (!looking_at(r, " then ")) {
            return r->at == r->end || fail_after_call(r, tc);
        }
        if (tc->before_count + 1 == TOPK_CALLS_MAX) {
            return fail(r, "more than %u calls", TOPK_CALLS_MAX);
        }
        if (!topk_case_push(tc)) {
            return no_memory(r);
        }
        take(r, " then ");
    }
    return false;
}

/* checks that a parsed case prints as the text that was read */
static bool canonical(struct reader *r, const struct topk_case *tc)
{
    size_t length = (size_t)(r->end - r->start);
    char small[512];
    char *text = length < sizeof small ? small : malloc(length + 1);
    if (text == NULL) {
        return no_memory(r);
    }
    size_t printed = topk_case_print(tc, text, length + 1);
    bool same = printed == length && memcmp(text, r->start, length) == 0;
    if (!same) {
        /* the text differs from the printed one: it contains a field that must be left out */
        size_t i = 0;
        while (printed <= length && i < printed && text[i] == r->start[i]) {
            i++;
        }
        r->at = r->start + i;
        fail(r, "a default value must be left out; expected here '%.60s'",
             printed <= length ? text + i : "");
    }
    if (text != small) {
        free(text);
    }
    return same;
}

bool topk_case_parse(const char *text, size_t length, struct topk_case *tc,
                     struct topk_case_error *error)
{
    struct reader r = {text, text, text + length, error};
    memset(tc, 0, sizeof *tc);
    error->no_memory = false;
    if (take_case(&r, tc) && canonical(&r, tc)) {
        return true;
    }
    topk_case_clear(tc);
    return false;
}
