/* Writes a case in the formats of topk-cts export. reports/exchange/ implements the formats; this
 * file decides which data of a case each file gets. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/exchange.h"
#include "export_formats.h"
#include "session/session.h"

/* Packs the tensor of a role; index_type: element type of indices in the format, 0: as in the
 * case. */
static void pack(const struct cli_exported *exported, enum topk_role role, uint32_t index_type,
                 struct topk_packed *packed)
{
    const struct topk_tensor *tensor = &exported->tc.op.tensors[role];
    cli_need_memory(topk_answer_pack(
        tensor, exported->answer.tensors[role],
        role == TOPK_INDEX && index_type != 0 ? index_type : tensor->type, packed));
}

/* ---- npy ------------------------------------------------------------------------------------- */

/* The files do not contain the call. Import takes K from value.npy, so only other deviations from
 * its defaults need a note. */
static void note_npy(FILE *out, const struct cli_exported *exported, const char *start)
{
    const struct topk_operator *op = &exported->tc.op;
    const bool last = op->axis + 1 == op->tensors[TOPK_INPUT].rank;
    if (last && !topk_operator_increasing(op)) {
        return;
    }
    fprintf(out, "%sto import: topk-cts import DIR", start);
    if (!last) {
        fprintf(out, " --axis %" PRIu32, op->axis);
    }
    fputs(topk_operator_increasing(op) ? " --direction inc\n" : "\n", out);
}

static int write_npy(const struct cli_exported *exported, const struct cli_folder *folder)
{
    int code = CLI_CONFORMANT;
    for (int role = 0; role < TOPK_ROLE_COUNT && code == CLI_CONFORMANT; role++) {
        struct topk_packed packed;
        unsigned char head[TOPK_NPY_HEAD];
        char name[32];
        pack(exported, (enum topk_role)role, 0, &packed);
        snprintf(name, sizeof name, "%s.npy", topk_role_name((enum topk_role)role));
        code = cli_folder_write(folder, name, head, topk_npy_head(&packed, head), packed.data,
                                topk_packed_bytes(&packed));
        topk_packed_clear(&packed);
    }
    return code;
}

/* ---- ONNX ------------------------------------------------------------------------------------ */

static void note_onnx(FILE *out, const struct cli_exported *exported, const char *start)
{
    if (exported->tc.op.tensors[TOPK_INDEX].type == TOPK_TYPE_U64) {
        fprintf(out,
                "%sthe indices' type is only in the case: ONNX has no UINT64 indices but INT64, "
                "and import takes UINT32\n",
                start);
    }
}

static int write_tensor(const struct cli_folder *folder, const char *file,
                        const struct topk_packed *packed, const char *name)
{
    struct topk_message head;
    topk_onnx_tensor_head(packed, name, &head);
    return cli_folder_write(folder, file, head.bytes, head.used, packed->data,
                            topk_packed_bytes(packed));
}

static int write_k(const struct cli_folder *folder, uint32_t k)
{
    unsigned char data[8];
    struct topk_packed packed = {
        .type = TOPK_TYPE_I64, .rank = 1, .sizes = {1}, .elements = 1, .data = data};
    topk_packed_set(&packed, 0, k);
    return write_tensor(folder, "input_1.pb", &packed, "K");
}

static int write_test_data(const struct cli_exported *exported, const struct cli_folder *folder)
{
    static const struct {
        const char *file;
        const char *name;
    } files[TOPK_ROLE_COUNT] = {
        [TOPK_INPUT] = {"input_0.pb", "X"},
        [TOPK_VALUE] = {"output_0.pb", "Values"},
        [TOPK_INDEX] = {"output_1.pb", "Indices"},
    };
    int code = write_k(folder, exported->tc.op.k);
    for (int role = 0; role < TOPK_ROLE_COUNT && code == CLI_CONFORMANT; role++) {
        struct topk_packed packed;
        pack(exported, (enum topk_role)role, TOPK_TYPE_I64, &packed);
        code = write_tensor(folder, files[role].file, &packed, files[role].name);
        topk_packed_clear(&packed);
    }
    return code;
}

static int write_onnx(const struct cli_exported *exported, const struct cli_folder *folder)
{
    const struct topk_operator *op = &exported->tc.op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    uint8_t model[TOPK_ONNX_MODEL_CAPACITY];
    struct cli_folder data;
    const size_t size = topk_onnx_model(model, topk_onnx_type(input->type), input->rank, op->axis,
                                        !topk_operator_increasing(op));
    int code = cli_folder_write(folder, "model.onnx", model, size, NULL, 0);
    if (code == CLI_CONFORMANT) {
        code = cli_folder_within(&data, folder, "test_data_set_0");
    }
    if (code == CLI_CONFORMANT) {
        code = write_test_data(exported, &data);
        cli_folder_close(&data);
    }
    return code;
}

/* ---- DxDispatch ------------------------------------------------------------------------------ */

/* the size of each buffer is a multiple of this, and its end has at least this many guard bytes */
#define GUARD UINT64_C(256)

static bool can_dxdispatch(const struct cli_exported *exported, char reason[CLI_EXPORT_REASON])
{
    return topk_dxdispatch_can(&exported->tc.op, reason);
}

/* Places a tensor at the same offset as the worker does, but with another end of the buffer. */
static struct topk_dxdispatch_buffer place(const struct topk_case *tc, enum topk_role role)
{
    const uint64_t offset = topk_case_place(tc, role).offset;
    const uint64_t end = offset + tc->op.tensors[role].total_bytes;
    return (struct topk_dxdispatch_buffer){
        .bytes = (end + 2 * GUARD - 1) / GUARD * GUARD,
        .offset = offset,
    };
}

/* Fills with bytes that kernels are unlikely to write. */
static void fill_poison(unsigned char *data, uint64_t bytes, uint64_t salt)
{
    for (uint64_t i = 0; i < bytes; i++) {
        data[i] = (unsigned char)(0xa5 + 151 * i + 7 * (i >> 8) + 59 * salt);
    }
}

/* Copies the logical elements of a tensor to their places in a file, which is little-endian. */
static void put_elements(const struct topk_tensor *tensor, const unsigned char *from,
                         unsigned char *to)
{
    const uint32_t bytes = topk_type_bytes(tensor->type);
    uint64_t elements = topk_tensor_elements(tensor);
    for (uint32_t at[TOPK_RANK_MAX] = {0}; elements > 0; elements--) {
        const uint64_t offset = topk_tensor_offset(tensor, at) * bytes;
        memcpy(to + offset, from + offset, bytes);
        topk_elements_turn(to + offset, bytes, bytes);
        for (uint32_t d = tensor->rank; d-- > 0 && ++at[d] == tensor->sizes[d];) {
            at[d] = 0;
        }
    }
}

static int write_role(const struct cli_exported *exported, const struct cli_folder *folder,
                      enum topk_role role, const struct topk_dxdispatch_buffer *buffer)
{
    const struct topk_tensor *tensor = &exported->tc.op.tensors[role];
    const unsigned char *answer = exported->answer.tensors[role];
    char name[64];
    unsigned char *data = cli_need(malloc((size_t)buffer->bytes));
    if (role == TOPK_INPUT) {
        topk_case_fill_padding(&exported->tc, data, buffer->bytes, buffer->offset);
        const uint32_t size = topk_type_bytes(tensor->type);
        topk_elements_turn(data + buffer->offset % size, size,
                           buffer->bytes - buffer->offset % size);
        put_elements(tensor, answer, data + buffer->offset);
    } else {
        fill_poison(data, buffer->bytes, role);
    }
    snprintf(name, sizeof name, TOPK_DXDISPATCH_BEFORE, topk_role_name(role));
    int code = cli_folder_write(folder, name, data, (size_t)buffer->bytes, NULL, 0);
    if (role != TOPK_INPUT && code == CLI_CONFORMANT) {
        put_elements(tensor, answer, data + buffer->offset);
        snprintf(name, sizeof name, TOPK_DXDISPATCH_EXPECTED, topk_role_name(role));
        code = cli_folder_write(folder, name, data, (size_t)buffer->bytes, NULL, 0);
    }
    free(data);
    return code;
}

static void print_clauses(FILE *out, const struct topk_clause_set *clauses)
{
    for (int clause = 0; clause < TOPK_CLAUSE_COUNT; clause++) {
        if (topk_clause_set_has(clauses, (enum topk_clause)clause)) {
            fprintf(out, "  %s: %s\n", topk_clause_id((enum topk_clause)clause),
                    topk_clause_row((enum topk_clause)clause)->sentence);
        }
    }
}

static void print_comparison(FILE *out, const struct cli_exported *exported)
{
    const struct topk_operator *op = &exported->tc.op;
    const char *gap = "\n";
    fprintf(out, "It writes value.actual.bin, index.actual.bin and input.actual.bin. Right is\n\n"
                 "  value.actual.bin = value.expected.bin\n"
                 "  index.actual.bin = index.expected.bin\n"
                 "  input.actual.bin = input.before.bin\n\n"
                 "byte for byte (`cmp A B', or `fc /b A B'). These are whole buffers, as are those "
                 "that it\nprints: what lies around an output is not to be written, and the input "
                 "not at all.\n\n");
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const struct topk_tensor *tensor = &op->tensors[role];
        fprintf(out, "  %s: %" PRIu64 " bytes from byte %" PRIu64 " on\n",
                topk_role_name((enum topk_role)role), tensor->total_bytes,
                place(&exported->tc, (enum topk_role)role).offset);
    }
    if (topk_tensor_padded(&op->tensors[TOPK_VALUE]) ||
        topk_tensor_padded(&op->tensors[TOPK_INDEX])) {
        fputs("\nPadding within an output is kept or not (M03): bytes may differ there that are of "
              "no element.\n",
              out);
    }
    for (int other = 0; other < TOPK_OTHER_COUNT; other++) {
        if (exported->answer.others[other]) {
            fprintf(out, "%sExpected is one of several right answers. %s.\n", gap,
                    topk_other_text((enum topk_other)other));
            gap = "";
        }
    }
}

static void print_readme(FILE *out, const void *context)
{
    const struct cli_exported *exported = context;
    const struct topk_operator *op = &exported->tc.op;
    fprintf(out,
            "One call of DML_OPERATOR_TOP_K%s for DxDispatch, from case.txt. In this folder:\n\n"
            "  dxdispatch " TOPK_DXDISPATCH_MODEL " --dml_feature_level %" PRIu32 ".%" PRIu32
            "\n\n",
            op->kind == TOPK_TOP_K1 ? "1" : "", op->level >> 12, op->level >> 8 & 15);
    if (exported->refused) {
        fprintf(out, "DirectML is to refuse the operator when it is created; nothing is run. It "
                     "breaks\n\n");
        print_clauses(out, &exported->validity.broken);
        const uint32_t level = topk_operator_least_level(op);
        if (level != 0) {
            fprintf(
                out,
                "\nat the feature level that it asks for. From %" PRIu32 ".%" PRIu32
                " on it is legal: a device of that\nlevel may take it, whatever was asked for.\n",
                level >> 12, level >> 8 & 15);
        }
    } else {
        print_comparison(out, exported);
    }
}

/* A call that must be refused has no buffers. */
struct model {
    const struct topk_operator *op;
    const struct topk_dxdispatch_buffer *buffers;
};

static void print_model(FILE *out, const void *context)
{
    const struct model *model = context;
    topk_dxdispatch_write(out, model->op, model->buffers);
}

static int write_dxdispatch(const struct cli_exported *exported, const struct cli_folder *folder)
{
    struct topk_dxdispatch_buffer buffers[TOPK_ROLE_COUNT];
    int code = CLI_CONFORMANT;
    for (int role = 0; role < TOPK_ROLE_COUNT && !exported->refused && code == CLI_CONFORMANT;
         role++) {
        buffers[role] = place(&exported->tc, (enum topk_role)role);
        code = write_role(exported, folder, (enum topk_role)role, &buffers[role]);
    }
    if (code == CLI_CONFORMANT) {
        const struct model model = {&exported->tc.op, exported->refused ? NULL : buffers};
        code = cli_folder_print(folder, TOPK_DXDISPATCH_MODEL, print_model, &model);
    }
    return code == CLI_CONFORMANT ? cli_folder_print(folder, "README.txt", print_readme, exported)
                                  : code;
}

/* ---------------------------------------------------------------------------------------------- */

#define ROW(name, text, packed, can, note, write) {name, packed, can, note, write},
const struct cli_export_format cli_export_formats[] = {CLI_EXPORT_FORMATS(ROW)};
#undef ROW
const size_t cli_export_format_count = sizeof cli_export_formats / sizeof cli_export_formats[0];
