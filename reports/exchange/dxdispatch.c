/* See dxdispatch.h. */
#include "dxdispatch.h"

#include <inttypes.h>

#include "reference/element.h"

/* the names of DML_TENSOR_DATA_TYPE by number */
static const char *const type_names[] = {"UNKNOWN", "FLOAT32", "FLOAT16", "UINT32", "UINT16",
                                         "UINT8",   "INT32",   "INT16",   "INT8",   "FLOAT64",
                                         "UINT64",  "INT64",   "UINT4",   "INT4"};
#define TYPE_NAMES (sizeof type_names / sizeof type_names[0])

/* the names of DML_EXECUTION_FLAGS by bit */
static const char *const execution_names[] = {"ALLOW_HALF_PRECISION_COMPUTATION",
                                              "DISABLE_META_COMMANDS", "DESCRIPTORS_VOLATILE"};
#define EXECUTION_NAMES 3u

/* The fields of the operator's description, which are also the names of the bind points. */
static const char *const points[TOPK_ROLE_COUNT] = {"InputTensor", "OutputValueTensor",
                                                    "OutputIndexTensor"};

static bool can_tensor(const struct topk_tensor *tensor, const char *role,
                       char reason[TOPK_DXDISPATCH_REASON])
{
    const size_t room = TOPK_DXDISPATCH_REASON;
    if (!tensor->present) {
        snprintf(reason, room, "the %s is absent, and all three are required there", role);
    } else if (tensor->type >= TYPE_NAMES) {
        snprintf(reason, room, "%s: the type %" PRIu32 " has no name there", role, tensor->type);
    } else if ((tensor->flags & ~TOPK_TENSOR_FLAG_OWNED) != 0) {
        snprintf(reason, room, "%s: the flags %" PRIu32 " have no names there", role,
                 tensor->flags);
    } else if (tensor->total_bytes == 0) {
        snprintf(reason, room, "%s: the total size 0 is taken there as none given", role);
    } else if (tensor->strided && tensor->rank == 0) {
        snprintf(reason, room, "%s: strides of no dimensions are taken there as none", role);
    } else {
        return true;
    }
    return false;
}

bool topk_dxdispatch_can(const struct topk_operator *op, char reason[TOPK_DXDISPATCH_REASON])
{
    const size_t room = TOPK_DXDISPATCH_REASON;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        if (!can_tensor(&op->tensors[role], topk_role_name((enum topk_role)role), reason)) {
            return false;
        }
    }
    if (op->kind == TOPK_TOP_K1 && op->direction > TOPK_DECREASING) {
        snprintf(reason, room, "the AxisDirection %" PRIu32 " has no name there", op->direction);
        return false;
    }
    if (op->execution >> EXECUTION_NAMES != 0) {
        snprintf(reason, room, "the execution flags %" PRIu32 " have no names there",
                 op->execution);
        return false;
    }
    return true;
}

static void put_numbers(FILE *out, const char *key, const uint32_t *numbers, uint32_t count)
{
    fprintf(out, "\"%s\": [", key);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "%s%" PRIu32, i == 0 ? "" : ", ", numbers[i]);
    }
    fputs("], ", out);
}

static void put_tensor(FILE *out, const char *point, const struct topk_tensor *tensor)
{
    fprintf(out, "        \"%s\": { \"DataType\": \"%s\", \"DimensionCount\": %" PRIu32 ", ", point,
            type_names[tensor->type], tensor->rank);
    put_numbers(out, "Sizes", tensor->sizes, tensor->rank);
    if (tensor->strided) {
        put_numbers(out, "Strides", tensor->strides, tensor->rank);
    }
    if (tensor->flags != 0) {
        fputs("\"Flags\": \"OWNED_BY_DML\", ", out);
    }
    fprintf(out,
            "\"TotalTensorSizeInBytes\": %" PRIu64 ", \"GuaranteedBaseOffsetAlignment\": %" PRIu32
            " },\n",
            tensor->total_bytes, tensor->alignment);
}

static void put_execution(FILE *out, uint32_t execution)
{
    const char *separator = "";
    fputs("      \"executionFlags\": [", out);
    for (uint32_t bit = 0; bit < EXECUTION_NAMES; bit++) {
        if ((execution >> bit & 1) != 0) {
            fprintf(out, "%s\"%s\"", separator, execution_names[bit]);
            separator = ", ";
        }
    }
    fputs("]", out);
}

/* Describes where a tensor lies in its resource. It is given in one-byte elements, because the
 * offset need not be a multiple of the tensor's element size. */
static void put_binding(FILE *out, const struct topk_operator *op, enum topk_role role,
                        const struct topk_dxdispatch_buffer *buffer)
{
    fprintf(out,
            "\"%s\": { \"name\": \"%s\", \"elementOffset\": %" PRIu64 ", \"elementCount\": %" PRIu64
            ", \"elementSizeInBytes\": 1 }",
            points[role], topk_role_name(role), buffer->offset, op->tensors[role].total_bytes);
}

static void put_resources(FILE *out, const struct topk_operator *op,
                          const struct topk_dxdispatch_buffer buffers[TOPK_ROLE_COUNT])
{
    for (int role = 0; buffers != NULL && role < TOPK_ROLE_COUNT; role++) {
        const char *name = topk_role_name((enum topk_role)role);
        fprintf(out,
                "%s\n    \"%s\": { \"initialValuesDataType\": \"%s\", \"initialValues\": { "
                "\"sourcePath\": \"" TOPK_DXDISPATCH_BEFORE "\" }, \"sizeInBytes\": %" PRIu64 " }",
                role == 0 ? "" : ",", name, type_names[op->tensors[role].type], name,
                buffers[role].bytes);
    }
}

/* Writes the commands that dispatch the operator, then print each output and write it to a file. */
static void put_commands(FILE *out, const struct topk_operator *op,
                         const struct topk_dxdispatch_buffer buffers[TOPK_ROLE_COUNT])
{
    const bool owned = op->tensors[TOPK_INPUT].flags != 0;
    fputs("    { \"type\": \"dispatch\", \"dispatchable\": \"topk\", \"bindings\": {\n", out);
    for (int role = owned ? TOPK_VALUE : TOPK_INPUT; role < TOPK_ROLE_COUNT; role++) {
        fputs("        ", out);
        put_binding(out, op, (enum topk_role)role, &buffers[role]);
        fputs(role == TOPK_INDEX ? "\n      }\n    }" : ",\n", out);
    }
    for (int role = TOPK_VALUE; role < TOPK_ROLE_COUNT; role++) {
        const char *name = topk_role_name((enum topk_role)role);
        fprintf(out, ",\n    { \"type\": \"print\", \"resource\": \"%s\" }", name);
        fprintf(out,
                ",\n    { \"type\": \"writeFile\", \"resource\": \"%s\", \"targetPath\": "
                "\"" TOPK_DXDISPATCH_ACTUAL "\" }",
                name, name);
    }
    /* The input is written as well, to show that the call did not change it. */
    fprintf(out,
            ",\n    { \"type\": \"writeFile\", \"resource\": \"input\", \"targetPath\": "
            "\"" TOPK_DXDISPATCH_ACTUAL "\" }\n",
            topk_role_name(TOPK_INPUT));
}

void topk_dxdispatch_write(FILE *out, const struct topk_operator *op,
                           const struct topk_dxdispatch_buffer buffers[TOPK_ROLE_COUNT])
{
    fputs("{\n  \"resources\": {", out);
    put_resources(out, op, buffers);
    fprintf(out,
            "\n  },\n  \"dispatchables\": {\n    \"topk\": {\n"
            "      \"type\": \"DML_OPERATOR_TOP_K%s\",\n      \"desc\": {\n",
            op->kind == TOPK_TOP_K1 ? "1" : "");
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        put_tensor(out, points[role], &op->tensors[role]);
    }
    fprintf(out, "        \"Axis\": %" PRIu32 ", \"K\": %" PRIu32, op->axis, op->k);
    if (op->kind == TOPK_TOP_K1) {
        fprintf(out, ", \"AxisDirection\": \"%s\"",
                op->direction == TOPK_INCREASING ? "INCREASING" : "DECREASING");
    }
    fputs("\n      },\n", out);
    put_execution(out, op->execution);
    if (buffers != NULL && op->tensors[TOPK_INPUT].flags != 0) {
        /* Inputs that DirectML owns are bound when the operator is initialized. */
        fputs(",\n      \"bindings\": { ", out);
        put_binding(out, op, TOPK_INPUT, &buffers[TOPK_INPUT]);
        fputs(" }", out);
    }
    fputs("\n    }\n  },\n  \"commands\": [\n", out);
    if (buffers != NULL) {
        put_commands(out, op, buffers);
    }
    fputs("  ]\n}\n", out);
}
