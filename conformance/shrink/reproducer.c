/* A failure as a C program: reproducer.txt, with tables of the call, its input and the outputs that
 * are expected. The expected outputs come from the oracle; where the clauses leave an order open
 * (F04, F06), a table of them for each. */
#include "reproducer.h"
#include "case/case.h"
#include "reproducer_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reference/element.h"
#include "reference/oracle.h"

struct writer {
    FILE *out;
    const struct topk_case *tc;
    const char *about;
    struct topk_validity validity;
    bool invalid;
    struct topk_place places[TOPK_ROLE_COUNT];
    unsigned char *input; /* the input's buffer */
    bool no_memory;
};

/* ---- the call -------------------------------------------------------------------------------- */

static void write_numbers(const struct writer *w, const char *role, const char *what,
                          const uint32_t *numbers, uint32_t count)
{
    fprintf(w->out, "static const uint32_t %s_%s[] = {", role, what);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(w->out, "%s%" PRIu32 "u", i == 0 ? "" : ", ", numbers[i]);
    }
    fprintf(w->out, "%s};\n", count == 0 ? "0" : "");
}

static void write_tensor(const struct writer *w, enum topk_role role)
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

static void write_call(struct writer *w)
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
            op->execution, w->invalid, op->axis, op->k, op->kind == TOPK_TOP_K ? 0 : op->direction);
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const char *name = topk_role_name((enum topk_role)role);
        if (op->tensors[role].present) {
            fprintf(w->out, "    .%s = &%s_tensor,\n", name, name);
        }
    }
    fprintf(w->out, "};\n");
}

static void write_buffers(struct writer *w)
{
    const struct topk_operator *op = &w->tc->op;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        fprintf(w->out,
                "    {\"%s\", UINT64_C(%" PRIu64 "), UINT64_C(%" PRIu64 "), UINT64_C(%" PRIu64
                ")},\n",
                topk_role_name((enum topk_role)role), w->invalid ? 0 : w->places[role].bytes,
                w->invalid ? 0 : w->places[role].offset,
                w->invalid ? 0 : op->tensors[role].total_bytes);
    }
}

/* ---- the input ------------------------------------------------------------------------------- */

/* those of every sequence in turn; of an invalid description there are none */
static void write_elements(struct writer *w)
{
    if (w->invalid) {
        fprintf(w->out, "    {0, 0},\n");
        return;
    }
    const struct topk_operator *op = &w->tc->op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    uint32_t bytes = topk_type_bytes(input->type);
    const unsigned char *tensor = w->input + w->places[TOPK_INPUT].offset;
    for (uint64_t s = 0; s < topk_operator_sequences(op); s++) {
        uint32_t at[TOPK_RANK_MAX] = {0};
        topk_operator_sequence_at(op, s, at);
        for (uint32_t i = 0; i < input->sizes[op->axis]; i++) {
            char text[TOPK_ELEMENT_TEXT];
            at[op->axis] = i;
            uint64_t offset = topk_tensor_offset(input, at) * bytes;
            uint64_t bits = topk_element_load(tensor + offset, bytes);
            topk_element_print(input->type, bits, text);
            fprintf(w->out, "    {%" PRIu64 "u, UINT64_C(0x%" PRIx64 ")}, /* %s */\n", offset, bits,
                    text);
        }
    }
}

static void write_padding(struct writer *w)
{
    if (w->invalid) {
        fprintf(w->out, "0");
        return;
    }
    uint32_t bytes = topk_type_bytes(w->tc->op.tensors[TOPK_INPUT].type);
    bool random = w->tc->padding == TOPK_PADDING_RANDOM;
    uint64_t period = random ? w->places[TOPK_INPUT].bytes : bytes;
    for (uint64_t i = 0; i < period; i++) {
        fprintf(w->out, "%s0x%02x,", i % 16 == 0 ? "\n    " : " ", w->input[i]);
    }
}

/* ---- what is expected ------------------------------------------------------------------------ */

enum order {
    ORDER_EXACT,
    ORDER_DENORMAL_ZERO,
    ORDER_HALF,
    ORDER_INCREASING, /* of an AxisDirection that is neither */
    ORDERS
};

/* what an order can be read as from the input: the same elements, those that it does not tell apart
 * alike; the oracle sorts by them, and the indices say which elements they were */
static void view(const struct writer *w, enum order order, unsigned char *tensor)
{
    const struct topk_tensor *input = &w->tc->op.tensors[TOPK_INPUT];
    uint64_t elements = topk_tensor_elements(input);
    uint32_t bytes = topk_type_bytes(input->type);
    uint32_t at[TOPK_RANK_MAX] = {0};
    for (uint64_t i = 0; i < elements; i++) {
        uint64_t offset = topk_tensor_offset(input, at) * bytes;
        uint64_t bits = topk_element_load(w->input + w->places[TOPK_INPUT].offset + offset, bytes);
        if (order == ORDER_DENORMAL_ZERO && topk_element_denormal(input->type, bits)) {
            bits = 0;
        } else if (order == ORDER_HALF && !topk_element_nan(input->type, bits)) {
            /* keys of FLOAT16 values, as FLOAT32 numbers that compare alike */
            bits = topk_value_whole(TOPK_TYPE_F32, (int64_t)topk_element_key_half(bits) - 32768);
        }
        topk_element_store(tensor + offset, bytes, bits);
        for (uint32_t d = input->rank; d-- > 0 && ++at[d] == input->sizes[d];) {
            at[d] = 0;
        }
    }
}

/* whether an order gives another result that is allowed */
static bool order_counts(const struct writer *w, enum order order)
{
    const struct topk_operator *op = &w->tc->op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    bool f32 = input->type == TOPK_TYPE_F32;
    switch (order) {
    case ORDER_EXACT:
        return true;
    case ORDER_DENORMAL_ZERO:
        return f32;
    case ORDER_HALF:
        return f32 && (op->execution & TOPK_EXECUTION_HALF) != 0;
    default:
        return op->kind == TOPK_TOP_K1 && op->direction > TOPK_DECREASING;
    }
}

static bool write_order(const struct writer *w, enum order order)
{
    struct topk_operator op = w->tc->op;
    const struct topk_tensor *input = &op.tensors[TOPK_INPUT];
    const struct topk_tensor *value = &op.tensors[TOPK_VALUE];
    const struct topk_tensor *index = &op.tensors[TOPK_INDEX];
    uint32_t bytes = topk_type_bytes(input->type);
    size_t size = (size_t)topk_tensor_least_bytes(input);
    const unsigned char *tensor = w->input + w->places[TOPK_INPUT].offset;
    unsigned char *viewed = malloc(size);
    uint64_t *values = malloc(2 * (size_t)op.k * sizeof *values);
    uint64_t *indices = values + op.k;
    bool ok = viewed != NULL && values != NULL;
    if (order == ORDER_INCREASING) {
        op.direction = TOPK_INCREASING;
    }
    if (ok) {
        memcpy(viewed, tensor, size);
        view(w, order, viewed);
        fprintf(w->out, "    {\n");
    }
    for (uint64_t s = 0; ok && s < topk_operator_sequences(&op); s++) {
        enum topk_oracle_status status = topk_oracle_sequence(&op, viewed, s, values, indices);
        ok = status != TOPK_ORACLE_NO_MEMORY;
        uint32_t at[TOPK_RANK_MAX] = {0};
        topk_operator_sequence_at(&op, s, at);
        for (uint32_t i = 0; ok && i < op.k; i++) {
            char text[TOPK_ELEMENT_TEXT];
            at[op.axis] = (uint32_t)indices[i];
            uint64_t bits =
                topk_element_load(tensor + topk_tensor_offset(input, at) * bytes, bytes);
            at[op.axis] = i;
            topk_element_print(input->type, bits, text);
            fprintf(w->out,
                    "        {%" PRIu64 "u, %" PRIu64 "u, %d, UINT64_C(0x%" PRIx64 "), %" PRIu64
                    "u}, /* %s */\n",
                    topk_tensor_offset(value, at) * bytes,
                    topk_tensor_offset(index, at) * topk_type_bytes(index->type),
                    status == TOPK_ORACLE_NAN, bits, indices[i], text);
        }
    }
    fprintf(w->out, "    },\n");
    free(viewed);
    free(values);
    return ok;
}

/* whether outputs are: not those that overlap (T14), nor those of a call that is to be refused */
static bool judged(const struct writer *w)
{
    return !w->invalid && !topk_clause_set_has(&w->validity.latitude, TOPK_CLAUSE_T14);
}

static void write_outputs(struct writer *w)
{
    for (int order = 0; order < ORDERS && judged(w); order++) {
        if (!w->no_memory && order_counts(w, (enum order)order)) {
            w->no_memory = !write_order(w, (enum order)order);
        }
    }
    fputs(judged(w) ? "" : "    {{0, 0, 0, 0, 0}},\n", w->out);
}

/* ---- the file -------------------------------------------------------------------------------- */

static void write_comment(FILE *out, const char *text)
{
    for (const char *p = text; *p != 0; p++) {
        /* nothing that ends the comment or is not printable */
        bool ends = *p == '/' && p != text && p[-1] == '*';
        bool begins = *p == '*' && p != text && p[-1] == '/';
        fputc(*p >= ' ' && *p < 0x7f && !ends && !begins ? *p : '?', out);
    }
}

static void write_case(struct writer *w)
{
    size_t length = topk_case_print(w->tc, NULL, 0);
    char *text = malloc(length + 1);
    if (text != NULL) {
        topk_case_print(w->tc, text, length + 1);
        write_comment(w->out, text);
    }
    free(text);
}

static void write_about(struct writer *w)
{
    write_comment(w->out, w->about);
}

static void write_constants(struct writer *w)
{
    const struct topk_operator *op = &w->tc->op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    uint32_t type = input->type;
    unsigned orders = 0;
    for (int order = 0; order < ORDERS; order++) {
        orders += order_counts(w, (enum order)order);
    }
    uint64_t outputs = judged(w) ? topk_operator_sequences(op) * op->k : 0;
    bool known = topk_type_known(type);
    uint32_t index_bytes = topk_type_bytes(op->tensors[TOPK_INDEX].type);
    fprintf(w->out,
            "#define RUNS %du\n"
            "#define MAY_REFUSE %d /* a refusal would be no failure */\n"
            "#define ORDERS %uu /* in which the clauses allow elements to be compared */\n"
            "#define OUTPUTS %" PRIu64 "u /* 0: they are not judged */\n"
            "#define K %" PRIu32 "u\n"
            "#define LENGTH %" PRIu32 "u /* of a sequence */\n"
            "#define VALUE_BYTES %u\n"
            "#define VALUE_SIGNED %d\n"
            "#define FRACTION_BITS %d /* of a float; 0: integers */\n"
            "#define INDEX_BYTES %u\n",
            w->tc->check == TOPK_CHECK_REPEAT ? 3 : 1,
            !topk_clause_set_empty(&w->validity.latitude), orders, outputs, op->k > 0 ? op->k : 1,
            op->axis < input->rank ? input->sizes[op->axis] : 1, known ? topk_type_bytes(type) : 4,
            known && topk_type_signed(type),
            !topk_type_float(type)  ? 0
            : type == TOPK_TYPE_F32 ? 23
                                    : 10,
            index_bytes == 8 ? 8u : 4u);
}

/* what stands in reproducer.txt as @NAME@ */
static const struct {
    const char *name;
    void (*write)(struct writer *w);
} holes[] = {
    {"case", write_case},       {"about", write_about},     {"constants", write_constants},
    {"call", write_call},       {"buffers", write_buffers}, {"elements", write_elements},
    {"padding", write_padding}, {"outputs", write_outputs},
};

static void write_text(struct writer *w)
{
    const char *at = topk_reproducer_text_files[0].text;
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

static bool fits(const struct writer *w, char *error, size_t error_bytes)
{
    const struct topk_operator *op = &w->tc->op;
    if (w->tc->check != TOPK_CHECK_NONE && w->tc->check != TOPK_CHECK_REPEAT) {
        snprintf(error, error_bytes, "the failure needs a second, different call (check=%s)",
                 topk_check_row(w->tc->check)->word);
        return false;
    }
    if (w->invalid) {
        return true;
    }
    uint64_t elements = topk_tensor_elements(&op->tensors[TOPK_INPUT]);
    uint64_t outputs = topk_operator_sequences(op) * op->k;
    uint64_t bytes = w->places[TOPK_INPUT].bytes;
    bool random = w->tc->padding == TOPK_PADDING_RANDOM;
    if (elements > TOPK_REPRODUCER_MAX || outputs > TOPK_REPRODUCER_MAX ||
        (random && bytes > TOPK_REPRODUCER_MAX) || bytes > (uint64_t)1 << 30) {
        snprintf(error, error_bytes,
                 "the case is too large: %" PRIu64 " input elements, %" PRIu64 " outputs, %" PRIu64
                 " bytes of input",
                 elements, outputs, bytes);
        return false;
    }
    return true;
}

bool topk_reproducer_write(FILE *out, const struct topk_case *tc, const char *about, char *error,
                           size_t error_bytes)
{
    struct writer w = {.out = out, .tc = tc, .about = about};
    topk_operator_validate(&tc->op, tc->op.level, &w.validity);
    w.invalid = !topk_clause_set_empty(&w.validity.broken);
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        w.places[role] = topk_case_place(tc, (enum topk_role)role);
    }
    if (!fits(&w, error, error_bytes)) {
        return false;
    }
    const struct topk_place *place = &w.places[TOPK_INPUT];
    if (!w.invalid) {
        w.input = malloc((size_t)place->bytes);
        w.no_memory = w.input == NULL;
    }
    if (w.input != NULL) {
        topk_case_fill_padding(tc, w.input, place->bytes, place->offset);
        w.no_memory = !topk_case_fill(tc, w.input + place->offset);
    }
    write_text(&w);
    free(w.input);
    if (w.no_memory || ferror(out) != 0) {
        snprintf(error, error_bytes, w.no_memory ? "memory ran out" : "it cannot be written");
        return false;
    }
    return true;
}
