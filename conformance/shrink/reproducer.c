/* Writes a failure as a C program: reproducer.txt with tables for the call and its tensors.
 * reproducer_data.c writes the rest: the input and the expected outputs. */
#include "reproducer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reference/element.h"
#include "reproducer_text.h"
#include "reproducer_writer.h"

/* Greatest number of elements, outputs and bytes of random padding that are listed. */
#define LISTED_MAX 1024u

/* ---- the call -------------------------------------------------------------------------------- */

static void write_numbers(const struct topk_writer *w, const char *role, const char *what,
                          const uint32_t *numbers, uint32_t count)
{
    fprintf(w->out, "static const uint32_t %s_%s[] = {", role, what);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(w->out, "%s%" PRIu32 "u", i == 0 ? "" : ", ", numbers[i]);
    }
    fprintf(w->out, "%s};\n", count == 0 ? "0" : "");
}

static void write_tensor(const struct topk_writer *w, enum topk_role role)
{
    const struct topk_tensor *tensor = &w->tc->op.tensors[role];
    const char *name = topk_role_name(role);
    if (!tensor->present) {
        return;
    }
    write_numbers(w, name, "sizes", tensor->sizes, tensor->rank);
    if (tensor->strided) {
        write_numbers(w, name, "strides", tensor->strides, tensor->rank);
    }
    fprintf(w->out,
            "static const struct topk_backend_tensor %s_tensor = {\n"
            "    .data_type = %" PRIu32 "u,\n"
            "    .flags = %" PRIu32 "u,\n"
            "    .dimension_count = %" PRIu32 "u,\n"
            "    .guaranteed_base_offset_alignment = %" PRIu32 "u,\n"
            "    .sizes = %s_sizes,\n",
            name, tensor->type, tensor->flags, tensor->rank, tensor->alignment, name);
    if (tensor->strided) {
        fprintf(w->out, "    .strides = %s_strides,\n", name);
    }
    fprintf(w->out, "    .total_bytes = UINT64_C(%" PRIu64 "),\n};\n\n", tensor->total_bytes);
}

static void write_call(struct topk_writer *w)
{
    const struct topk_operator *op = &w->tc->op;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        write_tensor(w, (enum topk_role)role);
    }
    fprintf(w->out,
            "static const struct topk_backend_call the_call = {\n"
            "    .operator_type = %s,\n"
            "    .feature_level = 0x%" PRIx32 "u,\n"
            "    .execution_flags = %" PRIu32 "u,\n"
            "    .create_only = %d,\n"
            "    .axis = %" PRIu32 "u,\n"
            "    .k = %" PRIu32 "u,\n"
            "    .direction = %" PRIu32 "u,\n",
            op->kind == TOPK_TOP_K ? "TOPK_OPERATOR_TOP_K" : "TOPK_OPERATOR_TOP_K1", op->level,
            op->execution, w->created, op->axis, op->k, op->kind == TOPK_TOP_K ? 0 : op->direction);
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const char *name = topk_role_name((enum topk_role)role);
        if (op->tensors[role].present) {
            fprintf(w->out, "    .%s = &%s_tensor,\n", name, name);
        }
    }
    fprintf(w->out, "};\n");
}

static void write_buffers(struct topk_writer *w)
{
    const struct topk_operator *op = &w->tc->op;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const struct topk_tensor *tensor = &op->tensors[role];
        uint64_t strides[TOPK_RANK_MAX] = {0};
        fprintf(w->out,
                "    {\"%s\", UINT64_C(%" PRIu64 "), UINT64_C(%" PRIu64 "), UINT64_C(%" PRIu64
                "), {",
                topk_role_name((enum topk_role)role), w->created ? 0 : w->places[role].bytes,
                w->created ? 0 : w->places[role].offset, w->created ? 0 : tensor->total_bytes);
        if (!w->created) {
            topk_tensor_strides(tensor, strides);
        }
        for (uint32_t d = 0; d < (w->created ? 1 : tensor->rank); d++) {
            fprintf(w->out, "%s%" PRIu64, d == 0 ? "" : ", ",
                    strides[d] * topk_type_bytes(tensor->type));
        }
        fputs("}},\n", w->out);
    }
}

static void write_sizes(struct topk_writer *w)
{
    const struct topk_tensor *input = &w->tc->op.tensors[TOPK_INPUT];
    for (uint32_t d = 0; d < (w->created ? 1 : input->rank); d++) {
        fprintf(w->out, "%s%" PRIu32, d == 0 ? "" : ", ", w->created ? 1 : input->sizes[d]);
    }
}

static void write_constants(struct topk_writer *w)
{
    const struct topk_operator *op = &w->tc->op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    const uint32_t type = input->type;
    const bool known = topk_type_known(type);
    const uint64_t sequences = w->created ? 0 : topk_operator_sequences(op);
    fprintf(w->out,
            "#define RUNS %du\n"
            "#define MUST_REFUSE %d\n"
            "#define MAY_REFUSE %d /* a refusal would be no failure */\n"
            "#define ORDERS %" PRIu32 "u /* in which the clauses allow elements to be compared */\n"
            "#define RANK %" PRIu32 "u\n"
            "#define AXIS %" PRIu32 "u\n"
            "#define SEQUENCES UINT64_C(%" PRIu64 ")\n"
            "#define LENGTH UINT64_C(%" PRIu32 ") /* of a sequence */\n"
            "#define K UINT64_C(%" PRIu32 ")\n"
            "#define OUTPUTS UINT64_C(%" PRIu64 ") /* 0: they are not judged */\n"
            "#define INCREASING %d\n"
            "#define VALUE_TYPE %" PRIu32 "u\n"
            "#define VALUE_BYTES %u\n"
            "#define VALUE_SIGNED %d\n"
            "#define FRACTION_BITS %d /* of a float; 0: integers */\n"
            "#define INDEX_BYTES %u\n",
            w->tc->check == TOPK_CHECK_REPEAT ? 3 : 1, w->invalid,
            !topk_clause_set_empty(&w->validity.latitude), topk_writer_orders(w),
            w->created ? 1 : input->rank, w->created ? 0 : op->axis, sequences,
            w->created ? 1 : input->sizes[op->axis], w->created ? 1 : op->k,
            topk_writer_judges(w) ? sequences * op->k : 0, topk_operator_increasing(op), type,
            known ? topk_type_bytes(type) : 4, known && topk_type_signed(type),
            !topk_type_float(type) ? 0 : topk_value_fraction_bits(type),
            topk_type_bytes(op->tensors[TOPK_INDEX].type) == 8 ? 8u : 4u);
}

/* ---- the file -------------------------------------------------------------------------------- */

static void write_comment(FILE *out, const char *text)
{
    for (const char *p = text; *p != 0; p++) {
        /* skip characters that end the comment or are not printable */
        bool ends = *p == '/' && p != text && p[-1] == '*';
        bool begins = *p == '*' && p != text && p[-1] == '/';
        fputc(*p >= ' ' && *p < 0x7f && !ends && !begins ? *p : '?', out);
    }
}

static void write_case(struct topk_writer *w)
{
    size_t length = topk_case_print(w->tc, NULL, 0);
    char *text = malloc(length + 1);
    if (text == NULL) {
        w->no_memory = true;
        return;
    }
    topk_case_print(w->tc, text, length + 1);
    write_comment(w->out, text);
    free(text);
}

static void write_about(struct topk_writer *w)
{
    write_comment(w->out, w->about);
}

static void write_command(struct topk_writer *w)
{
    write_comment(w->out, w->command);
}

/* the texts that replace @NAME@ in reproducer.txt */
static const struct {
    const char *name;
    void (*write)(struct topk_writer *w);
} holes[] = {
    {"case", write_case},           {"about", write_about},     {"command", write_command},
    {"constants", write_constants}, {"call", write_call},       {"buffers", write_buffers},
    {"sizes", write_sizes},         {"data", topk_writer_data},
};

static void write_text(struct topk_writer *w)
{
    const char *at = topk_reproducer_text_files[TOPK_REPRODUCER_PROGRAM].text;
    for (const char *mark; !w->no_memory && (mark = strchr(at, '@')) != NULL;) {
        const size_t length = strcspn(mark + 1, "@");
        fwrite(at, 1, (size_t)(mark - at), w->out);
        for (size_t i = 0; i < sizeof holes / sizeof holes[0]; i++) {
            if (strlen(holes[i].name) == length && memcmp(holes[i].name, mark + 1, length) == 0) {
                holes[i].write(w);
            }
        }
        at = mark + 1 + length + 1;
    }
    fputs(at, w->out);
}

static bool is_large(const struct topk_writer *w)
{
    const struct topk_operator *op = &w->tc->op;
    return !w->created &&
           (topk_tensor_elements(&op->tensors[TOPK_INPUT]) > LISTED_MAX ||
            topk_operator_sequences(op) * op->k > LISTED_MAX ||
            (w->tc->padding == TOPK_PADDING_RANDOM && w->places[TOPK_INPUT].bytes > LISTED_MAX));
}

/* computes the input, from which the tables are made; false if memory is short */
static bool make_input(struct topk_writer *w)
{
    const struct topk_place *place = &w->places[TOPK_INPUT];
    if (w->created ||
        (w->large && w->tc->literal == NULL && w->tc->padding == TOPK_PADDING_RANDOM)) {
        return true;
    }
    w->input = malloc((size_t)place->bytes);
    if (w->input == NULL) {
        return false;
    }
    topk_case_fill_padding(w->tc, w->input, place->bytes, place->offset);
    return (w->large && w->tc->literal == NULL) || topk_case_fill(w->tc, w->input + place->offset);
}

bool topk_reproducer_write(FILE *out, const struct topk_case *tc, const char *about,
                           const char *command, char *error, size_t error_bytes)
{
    struct topk_writer w = {.out = out, .tc = tc, .about = about, .command = command};
    if (tc->check != TOPK_CHECK_NONE && tc->check != TOPK_CHECK_REPEAT) {
        snprintf(error, error_bytes, "the failure needs a second, different call (check=%s)",
                 topk_check_row(tc->check)->word);
        return false;
    }
    if (tc->before_count > 0) {
        snprintf(error, error_bytes, "the failure needs %" PRIu32 " calls, one after the other",
                 tc->before_count + 1);
        return false;
    }
    topk_operator_validate(&tc->op, tc->op.level, &w.validity);
    w.invalid = !topk_clause_set_empty(&w.validity.broken);
    w.created = w.invalid || topk_case_too_large(tc);
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        w.places[role] = topk_case_place(tc, (enum topk_role)role);
    }
    w.large = is_large(&w);
    w.no_memory = !make_input(&w);
    write_text(&w);
    free(w.input);
    if (w.no_memory || ferror(out) != 0) {
        snprintf(error, error_bytes, w.no_memory ? "out of memory" : "it cannot be written");
        return false;
    }
    return true;
}
