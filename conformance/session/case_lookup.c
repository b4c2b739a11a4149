/* Facts about cases for reports: the kind of each, and its expected outputs. */
#include "case_lookup.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "case/case.h"
#include "coverage/coverage.h"
#include "log/log.h"
#include "near.h"
#include "reference/element.h"
#include "reference/oracle.h"
#include "select.h"
#include "session.h"
#include "suite/suite.h"
#include "summary/summary.h"

/* tensors with more elements are not made again to show the expected outputs */
#define ELEMENTS_MAX ((uint64_t)1 << 22)

/* The data of larger inputs is not examined for the clauses that it exercises: this would take a
 * minute for profile full, and a report should take only seconds. */
#define CLAUSES_ELEMENTS 256

static const enum topk_aspect aspect_of[TOPK_FACET_COUNT] = {
    [TOPK_FACET_TYPE] = TOPK_ASPECT_TYPE, [TOPK_FACET_RANK] = TOPK_ASPECT_RANK,
    [TOPK_FACET_K] = TOPK_ASPECT_K,       [TOPK_FACET_LAYOUT] = TOPK_ASPECT_INPUT,
    [TOPK_FACET_AXIS] = TOPK_ASPECT_AXIS,
};

/* the classes of the aspect; one for calls that no feature level allows, which may have no class of
 * the aspect; and one for texts that cannot be parsed: cases of a later version */
static const char *const *classes(enum topk_facet facet)
{
    static const char *names[TOPK_FACET_COUNT][TOPK_FACET_CLASSES];
    enum topk_aspect aspect = aspect_of[facet];
    unsigned count = topk_aspect_classes(aspect);
    for (unsigned i = 0; i < count; i++) {
        names[facet][i] = topk_aspect_class_name(topk_aspect_first(aspect) + i);
    }
    names[facet][count] = "invalid call";
    names[facet][count + 1] = "not known";
    return names[facet];
}

/* The test of a name. Cases of a test follow each other, so the previous test is tried first. */
static const struct topk_test *test_of(const char *name, size_t length)
{
    static const struct topk_test *test;
    static char last[128]; /* its name; no test has a longer one */
    if (length == 0 || length >= sizeof last) {
        return NULL;
    }
    if (strncmp(last, name, length) != 0 || last[length] != 0) {
        test = topk_test_find(name, length);
        memcpy(last, name, length);
        last[length] = 0;
    }
    return test;
}

/* the clauses that the case exercises, and the one that its test names */
static void look_for_clauses(const struct topk_case *tc, const char *name, size_t name_length,
                             uint64_t elements, struct topk_case_look *look)
{
    const struct topk_test *row = test_of(name, name_length);
    if (!topk_case_clauses_within(tc, elements, &look->clauses, &look->maybe)) {
        memset(&look->clauses, 0, sizeof look->clauses); /* out of memory: nothing is known */
        topk_memory_fail();
    }
    if (row != NULL && row->clause != NULL) {
        enum topk_clause clause = topk_clause_parse(row->clause, strlen(row->clause));
        if (clause != TOPK_CLAUSE_NONE) {
            topk_clause_set_add(&look->clauses, clause);
        }
    }
}

/* The classes of a call. A call that only a higher feature level than its own allows has them too:
 * whether it must be refused depends on the level of the backend. */
static void look_at_call(const struct topk_case *tc, struct topk_case_look *look)
{
    const struct topk_tensor *input = &tc->op.tensors[TOPK_INPUT];
    struct topk_case highest = *tc;
    unsigned char found[TOPK_ASPECT_COUNT];
    highest.op.level = TOPK_LEVEL_5_0;
    if (topk_aspects_described(&highest, found)) {
        for (int i = 0; i < TOPK_FACET_COUNT; i++) {
            look->facets[i] =
                (unsigned char)(found[aspect_of[i]] - topk_aspect_first(aspect_of[i]));
        }
        look->n = input->sizes[tc->op.axis];
        look->k = tc->op.k;
        return;
    }
    for (int i = 0; i < TOPK_FACET_COUNT; i++) {
        look->facets[i] = (unsigned char)topk_aspect_classes(aspect_of[i]);
    }
    for (unsigned i = 0; i < TOPK_TYPE_COUNT; i++) {
        if (topk_types[i] == input->type) {
            look->facets[TOPK_FACET_TYPE] = (unsigned char)i;
        }
    }
    if (input->rank >= 1 && input->rank <= TOPK_RANK_VALID) {
        look->facets[TOPK_FACET_RANK] = (unsigned char)(input->rank - 1);
    }
}

static void look(const char *id, struct topk_case_look *look)
{
    struct topk_case tc;
    size_t name_length;
    const char *text;
    memset(look, 0, sizeof *look);
    for (int i = 0; i < TOPK_FACET_COUNT; i++) {
        look->facets[i] = (unsigned char)(topk_aspect_classes(aspect_of[i]) + 1);
    }
    look->elements = UINT64_MAX;
    if (!cli_case_parse(id, strlen(id), &tc)) {
        return;
    }
    topk_case_id_split(id, strlen(id), &name_length, &text);
    look_for_clauses(&tc, id, name_length, CLAUSES_ELEMENTS, look);
    look_at_call(&tc, look);
    look->elements = topk_case_elements(&tc);
    topk_case_clear(&tc);
}

enum topk_clause cli_clause_of(const char *id)
{
    enum topk_clause clause = topk_clause_parse(id, strlen(id));
    if (clause == TOPK_CLAUSE_NONE) {
        struct cli_near near;
        cli_near_start(&near, id, strlen(id));
        for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
            cli_near_offer(&near, topk_clause_id((enum topk_clause)i));
        }
        cli_fail(CLI_USAGE, "there is no clause '%s'%s", id, cli_near_text(&near, "."));
    }
    return clause;
}

bool cli_tests_clause(const char *id, size_t length, enum topk_clause clause)
{
    struct topk_case tc;
    struct topk_case_look look = {.elements = 0};
    size_t name_length;
    const char *text;
    if (!cli_case_parse(id, length, &tc)) {
        return false;
    }
    topk_case_id_split(id, length, &name_length, &text);
    look_for_clauses(&tc, id, name_length, UINT64_MAX, &look);
    topk_case_clear(&tc);
    return topk_clause_set_has(&look.clauses, clause);
}

/* Whether the classes of an aspect can be required: those of the data cannot. */
static bool can_require(enum topk_aspect aspect)
{
    return aspect != TOPK_ASPECT_TIES && aspect != TOPK_ASPECT_SPECIALS;
}

/* Whether the classes of an aspect can be named without the aspect. */
static bool stands_alone(enum topk_aspect aspect)
{
    return aspect == TOPK_ASPECT_OPERATOR || aspect == TOPK_ASPECT_LEVEL ||
           aspect == TOPK_ASPECT_TYPE;
}

static int kind_of(const char *word)
{
    for (unsigned i = 0; i < TOPK_CLASS_COUNT; i++) {
        const enum topk_aspect aspect = topk_aspect_of_class(i);
        const char *name = topk_aspect_name(aspect);
        const size_t length = strlen(name);
        const bool named = strncmp(word, name, length) == 0 && word[length] == '=';
        const char *class = named ? word + length + 1 : word;
        if (can_require(aspect) && (named || stands_alone(aspect)) &&
            strcmp(class, topk_aspect_class_name(i)) == 0) {
            return (int)i;
        }
    }
    return -1;
}

void cli_asks_print(FILE *out)
{
    for (unsigned i = 0; i < TOPK_CLASS_COUNT; i++) {
        const enum topk_aspect aspect = topk_aspect_of_class(i);
        if (can_require(aspect)) {
            const bool first = i == topk_aspect_first(aspect);
            fprintf(out, "%s%s%s%s",
                    !first   ? " "
                    : i == 0 ? "  "
                             : "\n  ",
                    stands_alone(aspect) ? "" : topk_aspect_name(aspect),
                    stands_alone(aspect) ? "" : "=", topk_aspect_class_name(i));
        }
    }
    fputc('\n', out);
}

static uint64_t ask(const char *id, const int *kinds, size_t count)
{
    struct topk_case tc;
    unsigned char classes[TOPK_ASPECT_COUNT];
    uint64_t bits = 0;
    if (cli_case_parse(id, strlen(id), &tc) && topk_aspects_ask(&tc)) {
        bits = 1;
        if (count > 0 && topk_aspects_described(&tc, classes)) {
            for (size_t i = 0; i < count; i++) {
                const bool is =
                    kinds[i] >= 0 &&
                    classes[topk_aspect_of_class((unsigned)kinds[i])] == (unsigned)kinds[i];
                bits |= is ? UINT64_C(2) << i : 0;
            }
        }
    }
    topk_case_clear(&tc);
    return bits;
}

const struct topk_asks cli_asks = {kind_of, ask};

static void fill(const struct topk_operator *op, const uint64_t *values, const uint64_t *indices,
                 struct topk_expected *expected)
{
    uint32_t type = op->tensors[TOPK_VALUE].type;
    for (uint32_t i = 0; i < expected->count; i++) {
        char value[TOPK_ELEMENT_TEXT];
        char bits[TOPK_TEXT_BITS];
        topk_element_print(type, values[i], value);
        topk_text_bits(type, values[i], bits);
        snprintf(expected->outputs[i].value, sizeof expected->outputs[i].value, "%s", value);
        snprintf(expected->outputs[i].bits, sizeof expected->outputs[i].bits, "%s", bits);
        expected->outputs[i].index = indices[i];
    }
}

bool cli_expect(const struct topk_case *tc, const struct topk_contract *contract, uint64_t sequence,
                uint32_t from, uint32_t count, struct topk_expected *expected)
{
    const struct topk_operator *op = &tc->op;
    unsigned char *tensor = calloc(1, (size_t)op->tensors[TOPK_INPUT].total_bytes);
    uint64_t *values = malloc(op->k * sizeof *values);
    uint64_t *indices = malloc(op->k * sizeof *indices);
    enum topk_oracle_status status = TOPK_ORACLE_NO_MEMORY;
    expected->count = 0;
    if (tensor != NULL && values != NULL && indices != NULL && topk_case_fill(tc, tensor)) {
        status = topk_oracle_sequence_by(op, contract, tensor, sequence, values, indices);
    }
    if (status != TOPK_ORACLE_NO_MEMORY) {
        expected->count = op->k - from < count ? op->k - from : count;
        expected->one_of = status != TOPK_ORACLE_UNIQUE;
        fill(op, values + from, indices + from, expected);
    }
    free(tensor);
    free(values);
    free(indices);
    return status != TOPK_ORACLE_NO_MEMORY;
}

bool cli_expectable(const struct topk_case *tc, uint64_t sequence, uint32_t from)
{
    struct topk_validity validity;
    topk_operator_validate(&tc->op, TOPK_LEVEL_5_0, &validity);
    return topk_clause_set_empty(&validity.broken) && sequence < topk_operator_sequences(&tc->op) &&
           from < tc->op.k;
}

static void expect(const char *id, uint32_t call, const struct topk_contract *contract,
                   uint64_t sequence, uint32_t from, uint32_t count, struct topk_expected *expected)
{
    struct topk_case whole;
    struct topk_case tc;
    memset(expected, 0, sizeof *expected);
    if (count == 0 || !cli_case_parse(id, strlen(id), &whole)) {
        return;
    }
    if (!topk_case_alone(&tc, &whole, call)) {
        topk_memory_fail();
        count = 0;
    }
    topk_case_clear(&whole);
    const struct topk_tensor *input = &tc.op.tensors[TOPK_INPUT];
    if (count > 0 && cli_expectable(&tc, sequence, from) &&
        topk_tensor_elements(input) <= ELEMENTS_MAX && input->total_bytes <= 8 * ELEMENTS_MAX &&
        !cli_expect(&tc, contract, sequence, from, count, expected)) {
        topk_memory_fail();
    }
    topk_case_clear(&tc);
}

/* Inputs with more elements than this are not listed. */
#define LISTED_MOST 64

static void print_list(FILE *out, const uint32_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "%s%" PRIu32, i == 0 ? "" : ", ", numbers[i]);
    }
}

/* the elements of the input, row-major: their values, or their bits */
static void print_elements(FILE *out, const struct topk_tensor *input, const unsigned char *data,
                           bool bits)
{
    const uint32_t width = topk_type_bytes(input->type);
    const uint64_t count = topk_tensor_elements(input);
    uint32_t at[TOPK_RANK_MAX] = {0};
    for (uint64_t i = 0; i < count; i++) {
        char value[TOPK_ELEMENT_TEXT];
        char hex[TOPK_TEXT_BITS];
        const uint64_t element =
            topk_element_load(data + topk_tensor_offset(input, at) * width, width);
        topk_element_print(input->type, element, value);
        topk_text_bits(input->type, element, hex);
        fprintf(out, "%s%s", i == 0 ? "" : ", ", bits ? hex : value);
        for (uint32_t d = input->rank; d > 0 && ++at[d - 1] == input->sizes[d - 1]; d--) {
            at[d - 1] = 0;
        }
    }
    fputc('\n', out);
}

static void print_call(FILE *out, const struct topk_case *tc)
{
    const struct topk_operator *op = &tc->op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    char type[TOPK_TYPE_TEXT];
    topk_type_print(input->type, type);
    fprintf(out, "%s of %s[", op->kind == TOPK_OPERATOR_TOP_K1 ? "TOP_K1" : "TOP_K", type);
    print_list(out, input->sizes, input->rank);
    fputc(']', out);
    if (input->strided) {
        fputs(", strides ", out);
        print_list(out, input->strides, input->rank);
    }
    fprintf(out, ", Axis %" PRIu32 ", K %" PRIu32 ", the %s\n", op->axis, op->k,
            topk_operator_increasing(op) ? "smallest first" : "largest first");
    if (topk_tensor_elements(input) > LISTED_MOST || input->total_bytes > 8 * ELEMENTS_MAX) {
        return;
    }
    unsigned char *data = calloc(1, (size_t)input->total_bytes);
    if (data == NULL || !topk_case_fill(tc, data)) {
        topk_memory_fail();
    } else {
        fputs("input: ", out);
        print_elements(out, input, data, false);
        fputs("bits:  ", out);
        print_elements(out, input, data, true);
    }
    free(data);
}

/* prints each call of a case that is valid at some level; of the others, only that they are not */
static void print_calls(FILE *out, const struct topk_case *tc)
{
    for (uint32_t i = 1; i <= tc->before_count + 1; i++) {
        struct topk_case alone;
        struct topk_validity validity;
        if (tc->before_count > 0) {
            fprintf(out, "call %" PRIu32 " of %" PRIu32 ": ", i, tc->before_count + 1);
        }
        topk_operator_validate(&topk_case_call(tc, i)->op, TOPK_LEVEL_5_0, &validity);
        if (!topk_clause_set_empty(&validity.broken)) {
            fputs("not valid\n", out);
            continue;
        }
        if (topk_case_alone(&alone, tc, i)) {
            print_call(out, &alone);
        } else {
            topk_memory_fail();
        }
        topk_case_clear(&alone);
    }
}

static char *describe(const char *id)
{
    struct topk_case tc;
    char *text = NULL;
    size_t size = 0;
    if (!cli_case_parse(id, strlen(id), &tc)) {
        return NULL;
    }
    struct topk_validity validity;
    topk_operator_validate(&tc.op, TOPK_LEVEL_5_0, &validity);
    const bool told = tc.before_count > 0 || topk_clause_set_empty(&validity.broken);
    FILE *out = told ? topk_memory_stream(&text, &size) : NULL;
    if (out != NULL) {
        print_calls(out, &tc);
        fprintf(out, "case:  %s", id);
        bool ok = !ferror(out);
        ok = fclose(out) == 0 && ok;
        if (!ok) {
            free(text);
            text = NULL;
        }
    }
    topk_case_clear(&tc);
    return text;
}

const struct topk_case_lookup cli_case_lookup = {classes, look, &cli_asks, expect, describe, NULL};
