/* Writes the data of a reproducer: tables of the input and of the expected outputs, which the
 * oracle computes. For large cases it writes the sources of the suite's recipes and of its
 * comparison of elements instead, so that the program makes and sorts the data itself. If the
 * clauses allow several orders (F04, F06), there are outputs for each. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reference/element.h"
#include "reference/oracle.h"
#include "reproducer_text.h"
#include "reproducer_writer.h"

/* ---- the input ------------------------------------------------------------------------------- */

/* the bits of an element of the input */
static uint64_t element_at(const struct topk_writer *w, uint64_t sequence, uint64_t i)
{
    const struct topk_operator *op = &w->tc->op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    const uint32_t bytes = topk_type_bytes(input->type);
    uint32_t at[TOPK_RANK_MAX] = {0};
    topk_operator_sequence_at(op, sequence, at);
    at[op->axis] = (uint32_t)i;
    return topk_element_load(
        w->input + w->places[TOPK_INPUT].offset + topk_tensor_offset(input, at) * bytes, bytes);
}

/* all elements, sequence by sequence; with their values if there are few */
static void write_elements(struct topk_writer *w)
{
    const struct topk_operator *op = &w->tc->op;
    const uint64_t sequences = w->created ? 0 : topk_operator_sequences(op);
    const uint32_t length = w->created ? 0 : op->tensors[TOPK_INPUT].sizes[op->axis];
    fputs("static const uint64_t elements[] = {\n", w->out);
    for (uint64_t s = 0; s < sequences; s++) {
        for (uint32_t i = 0; i < length; i++) {
            char text[TOPK_ELEMENT_TEXT];
            const uint64_t bits = element_at(w, s, i);
            topk_element_print(op->tensors[TOPK_INPUT].type, bits, text);
            fprintf(w->out, w->large ? "0x%" PRIx64 "u," : "    0x%" PRIx64 "u,", bits);
            if (!w->large) {
                fprintf(w->out, " /* %s */\n", text);
            } else if (i % 8 == 7 || i + 1 == length) {
                fputc('\n', w->out);
            }
        }
    }
    fputs("    0};\n\n"
          "static void make_sequence(uint64_t number, uint64_t *bits)\n{\n"
          "    memcpy(bits, elements + number * LENGTH, LENGTH * sizeof *bits);\n}\n\n",
          w->out);
}

/* the recipe's source, from the suite */
static void write_recipe(struct topk_writer *w)
{
    const struct topk_case *tc = w->tc;
    fputs("static void make_sequence(uint64_t number, uint64_t *bits)\n{\n", w->out);
    if (tc->recipe == NULL) {
        fputs("    (void)number;\n    memset(bits, 0, LENGTH * sizeof *bits);\n}\n\n", w->out);
        return;
    }
    fputs("    static const uint64_t parameters[] = {", w->out);
    for (uint32_t i = 0; i < tc->recipe->parameters; i++) {
        fprintf(w->out, "%sUINT64_C(%" PRIu64 ")", i == 0 ? "" : ", ", tc->parameters[i]);
    }
    fprintf(w->out,
            "};\n"
            "    struct topk_row row = {.type = VALUE_TYPE, .length = LENGTH, .k = K,\n"
            "                           .increasing = INCREASING, .sequence = number,\n"
            "                           .parameters = parameters, .bits = bits};\n"
            "    topk_recipe_fill(topk_recipe_find(\"%s\", %zu, %" PRIu32 "), &row);\n}\n\n",
            tc->recipe->name, strlen(tc->recipe->name), tc->recipe->version);
}

/* the bytes around and between the elements: a pattern, or random bytes */
static void write_padding(struct topk_writer *w)
{
    const bool random = w->tc->padding == TOPK_PADDING_RANDOM;
    if (w->large && random) {
        fputs("static void fill_padding(unsigned char *data, uint64_t bytes)\n{\n"
              "    struct topk_pcg pcg;\n    topk_pcg_seed(&pcg, 1, 1);\n"
              "    for (uint64_t i = 0; i < bytes; i++) {\n"
              "        data[i] = (unsigned char)(topk_pcg_next(&pcg) >> 24);\n    }\n}\n\n",
              w->out);
        return;
    }
    const struct topk_tensor *input = &w->tc->op.tensors[TOPK_INPUT];
    const struct topk_place *place = &w->places[TOPK_INPUT];
    uint64_t period = 0;
    uint64_t from = 0;
    if (!w->created && random) {
        period = place->bytes;
    } else if (!w->created) {
        /* from the guard behind the tensor: there may be none before it */
        period = topk_type_bytes(input->type);
        from = (place->offset + input->total_bytes + period - 1) / period * period;
    }
    fputs("/* what lies around and between the elements of the input, over and over */\n"
          "static const unsigned char padding[] = {",
          w->out);
    for (uint64_t i = 0; i < period; i++) {
        fprintf(w->out, "%s0x%02x,", i % 16 == 0 ? "\n    " : " ", w->input[from + i]);
    }
    fprintf(w->out,
            "%s\n};\n\n"
            "static void fill_padding(unsigned char *data, uint64_t bytes)\n{\n"
            "    for (uint64_t i = 0; i < bytes; i++) {\n"
            "        data[i] = padding[i %% sizeof padding];\n    }\n}\n\n",
            w->created ? "0" : "");
}

/* ---- expected outputs ------------------------------------------------------------------------ */

/* ORDER(NAME): ways to compare elements; reproducer_large.txt uses the same names */
#define ORDER_LIST(ORDER)                                                                          \
    ORDER(EXACT)                                                                                   \
    ORDER(DENORMALS_AS_ZEROS)                                                                      \
    ORDER(HALF_NEAREST)                                                                            \
    ORDER(HALF_TRUNCATED)                                                                          \
    ORDER(OTHER_DIRECTION) /* of an AxisDirection that is neither */

enum order {
#define ORDER(name) ORDER_##name,
    ORDER_LIST(ORDER)
#undef ORDER
    ORDERS
};
static const char *const order_names[] = {
#define ORDER(name) #name,
    ORDER_LIST(ORDER)
#undef ORDER
};

bool topk_writer_judges(const struct topk_writer *w)
{
    return !w->created && !topk_clause_set_has(&w->validity.latitude, TOPK_CLAUSE_T14);
}

/* whether an order gives a different result that is allowed */
static bool order_counts(const struct topk_writer *w, enum order order)
{
    const struct topk_operator *op = &w->tc->op;
    const bool f32 = op->tensors[TOPK_INPUT].type == TOPK_TYPE_F32;
    switch (order) {
    case ORDER_EXACT:
        return true;
    case ORDER_DENORMALS_AS_ZEROS:
        return f32;
    case ORDER_HALF_NEAREST:
    case ORDER_HALF_TRUNCATED:
        return f32 && (op->execution & TOPK_EXECUTION_HALF) != 0;
    default:
        return op->kind == TOPK_TOP_K1 && op->direction > TOPK_DECREASING;
    }
}

uint32_t topk_writer_orders(const struct topk_writer *w)
{
    uint32_t count = 0;
    for (int order = 0; order < ORDERS; order++) {
        count += order_counts(w, (enum order)order);
    }
    return count;
}

/* The input as one order sees it: elements that the order does not distinguish become equal. The
 * oracle sorts these; the indices identify the original elements. */
static void view(const struct topk_writer *w, enum order order, unsigned char *tensor)
{
    const struct topk_tensor *input = &w->tc->op.tensors[TOPK_INPUT];
    uint64_t elements = topk_tensor_elements(input);
    uint32_t bytes = topk_type_bytes(input->type);
    uint32_t at[TOPK_RANK_MAX] = {0};
    for (uint64_t i = 0; i < elements; i++) {
        uint64_t offset = topk_tensor_offset(input, at) * bytes;
        uint64_t bits = topk_element_load(w->input + w->places[TOPK_INPUT].offset + offset, bytes);
        const bool half = order == ORDER_HALF_NEAREST || order == ORDER_HALF_TRUNCATED;
        if (order == ORDER_DENORMALS_AS_ZEROS && topk_element_denormal(input->type, bits)) {
            bits = 0;
        } else if (half && !topk_element_nan(input->type, bits)) {
            /* order keys of FLOAT16 values, as FLOAT32 numbers that compare in the same way */
            const uint64_t key = order == ORDER_HALF_NEAREST
                                     ? topk_element_key_half(bits)
                                     : topk_element_key_half_truncated(bits);
            bits = topk_value_whole(TOPK_TYPE_F32, (int64_t)key - 32768);
        }
        topk_element_store(tensor + offset, bytes, bits);
        for (uint32_t d = input->rank; d-- > 0 && ++at[d] == input->sizes[d];) {
            at[d] = 0;
        }
    }
}

/* one line for each output, with the index of the element; false if memory is short */
static bool write_order(const struct topk_writer *w, enum order order)
{
    struct topk_operator op = w->tc->op;
    const struct topk_tensor *input = &op.tensors[TOPK_INPUT];
    size_t size = (size_t)topk_tensor_least_bytes(input);
    unsigned char *viewed = malloc(size);
    uint64_t *values = malloc(2 * (size_t)op.k * sizeof *values);
    bool ok = viewed != NULL && values != NULL;
    if (order == ORDER_OTHER_DIRECTION) {
        op.direction = TOPK_INCREASING;
    }
    if (ok) {
        memcpy(viewed, w->input + w->places[TOPK_INPUT].offset, size);
        view(w, order, viewed);
    }
    for (uint64_t s = 0; ok && s < topk_operator_sequences(&op); s++) {
        uint64_t *indices = values + op.k;
        enum topk_oracle_status status = topk_oracle_sequence(&op, viewed, s, values, indices);
        ok = status != TOPK_ORACLE_NO_MEMORY;
        for (uint32_t i = 0; ok && i < op.k; i++) {
            char text[TOPK_ELEMENT_TEXT];
            topk_element_print(input->type, element_at(w, s, indices[i]), text);
            if (status == TOPK_ORACLE_NAN) {
                fputs("        FREE,\n", w->out);
            } else {
                fprintf(w->out, "        %" PRIu64 "u, /* %s */\n", indices[i], text);
            }
        }
    }
    free(viewed);
    free(values);
    return ok;
}

static void write_tables(struct topk_writer *w)
{
    fputs("/* the indices of the outputs, and the values that they name */\n"
          "static const uint32_t outputs_expected[ORDERS][OUTPUTS + 1] = {\n",
          w->out);
    for (int order = 0; order < ORDERS && topk_writer_judges(w); order++) {
        if (!w->no_memory && order_counts(w, (enum order)order)) {
            fprintf(w->out, "    { /* %s */\n", order_names[order]);
            w->no_memory = !write_order(w, (enum order)order);
            fputs("        0},\n", w->out);
        }
    }
    fputs(topk_writer_judges(w) ? "" : "    {0},\n", w->out);
    fputs("};\n\n"
          "static const uint32_t *expected(uint32_t order, const unsigned char *input)\n{\n"
          "    (void)input;\n    return outputs_expected[order];\n}\n",
          w->out);
}

/* ---- large cases ----------------------------------------------------------------------------- */

/* a source of the suite, without its includes of other sources */
static void write_source(FILE *out, const char *text)
{
    for (size_t length; *text != 0; text += length) {
        length = strcspn(text, "\n");
        length += text[length] != 0;
        if (strncmp(text, "#include \"", 10) != 0) {
            fwrite(text, 1, length, out);
        }
    }
}

static void write_orders(const struct topk_writer *w)
{
    fputs("enum order {\n", w->out);
    for (int order = 0; order < ORDERS; order++) {
        fprintf(w->out, "    %s,\n", order_names[order]);
    }
    fputs("};\nstatic const enum order orders[ORDERS] = {", w->out);
    for (int order = 0; order < ORDERS; order++) {
        if (order_counts(w, (enum order)order)) {
            fprintf(w->out, "%s,", order_names[order]);
        }
    }
    fputs("};\n\n", w->out);
}

void topk_writer_data(struct topk_writer *w)
{
    const struct topk_reproducer_text_file *const files = topk_reproducer_text_files;
    if (w->large) {
        fputs("/* ---- sources of topk-cts: how it makes data, and compares elements ---- */\n\n"
              "#if defined __clang__\n"
              "#pragma clang diagnostic ignored \"-Wunused-function\" /* of which some are called "
              "*/\n"
              "#endif\n\n",
              w->out);
        for (size_t i = TOPK_REPRODUCER_ELEMENTS;
             w->tc->recipe == NULL ? i < TOPK_REPRODUCER_RECIPES : files[i].text != NULL; i++) {
            write_source(w->out, files[i].text);
        }
        fputs("\n/* ---- the data ---- */\n\n", w->out);
    }
    write_padding(w);
    if (w->large && w->tc->literal == NULL) {
        write_recipe(w);
    } else {
        write_elements(w);
    }
    if (w->large) {
        write_orders(w);
        fputs(files[TOPK_REPRODUCER_LARGE].text, w->out);
    } else {
        write_tables(w);
    }
}
