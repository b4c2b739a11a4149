/* topk-cts import of ONNX test folders, which contain a model and test data. */
#define _POSIX_C_SOURCE 200809L
#include "import_onnx.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/exchange.h"
#include "import_file.h"
#include "import_report.h"
#include "session/session.h"

#define DATA_SET "test_data_set_"

static int read_k(const char *dir, const struct topk_onnx_topk *model, int64_t *k)
{
    char name[32];
    struct topk_packed packed = {0};
    *k = model->k;
    if (model->has_k) {
        return CLI_CONFORMANT;
    }
    snprintf(name, sizeof name, "input_%" PRIu32 ".pb", model->k_input);
    int code = cli_import_tensor(dir, name, true, &packed);
    if (code == CLI_CONFORMANT && (packed.type != TOPK_TYPE_I64 || packed.elements != 1)) {
        cli_error("%s/%s: K is not one INT64", dir, name);
        code = CLI_HARNESS;
    }
    if (code == CLI_CONFORMANT) {
        *k = (int64_t)topk_packed_get(&packed, 0);
    }
    topk_packed_clear(&packed);
    return code;
}

/* Reads both outputs; none if the test has none. */
static int read_outputs(const char *dir, const struct topk_onnx_topk *model,
                        struct cli_imported *imported)
{
    char names[2][32];
    if (model->value == TOPK_ONNX_NONE || model->index == TOPK_ONNX_NONE) {
        return CLI_CONFORMANT;
    }
    snprintf(names[0], sizeof names[0], "output_%" PRIu32 ".pb", model->value);
    snprintf(names[1], sizeof names[1], "output_%" PRIu32 ".pb", model->index);
    return cli_import_outputs(dir, names[0], names[1], true, imported);
}

static int import_data_set(const char *dir, const struct topk_onnx_topk *model)
{
    char name[32];
    struct cli_imported imported = {
        .axis = model->axis, .direction = model->largest ? TOPK_DECREASING : TOPK_INCREASING};
    snprintf(name, sizeof name, "input_%" PRIu32 ".pb", model->input);
    int code = cli_import_tensor(dir, name, true, &imported.tensors[TOPK_INPUT]);
    if (code == CLI_CONFORMANT) {
        code = read_k(dir, model, &imported.k);
    }
    if (code == CLI_CONFORMANT) {
        code = read_outputs(dir, model, &imported);
    }
    if (code == CLI_CONFORMANT) {
        code = cli_import_report(dir, &imported);
    }
    cli_imported_clear(&imported);
    return code;
}

static int read_model(const char *dir, struct topk_onnx_topk *model)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    struct topk_refusal refusal;
    char *path = cli_path_join(dir, "model.onnx");
    int code = cli_import_bytes(path, &bytes, &size);
    if (code == CLI_CONFORMANT && !topk_onnx_read(bytes, size, model, &refusal)) {
        code = cli_import_refused(path, &refusal);
    }
    free(bytes);
    free(path);
    return code;
}

/* Reads the number after "test_data_set_" in a name. False unless import would write it the same
 * way. */
static bool number_of(const char *name, uint32_t *number)
{
    char own[32];
    *number = (uint32_t)strtoul(name + strlen(DATA_SET), NULL, 10);
    snprintf(own, sizeof own, DATA_SET "%" PRIu32, *number);
    return strcmp(name, own) == 0;
}

/* Counts the sets of test data. Rejects the folder if a name or a gap in the numbers would make
 * import skip a set silently. */
static int count_data_sets(const char *path, uint32_t *count)
{
    char other[256] = ""; /* first by name, so the message is stable */
    uint32_t last = 0;
    DIR *dir = opendir(path);
    *count = 0;
    if (dir == NULL) {
        return cli_import_unread(path, strerror(errno));
    }
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        uint32_t number;
        if (strncmp(entry->d_name, DATA_SET, strlen(DATA_SET)) != 0) {
            continue;
        }
        if (number_of(entry->d_name, &number)) {
            last = number > last ? number : last;
            ++*count;
        } else if (other[0] == 0 || strcmp(entry->d_name, other) < 0) {
            snprintf(other, sizeof other, "%s", entry->d_name);
        }
    }
    closedir(dir);
    if (other[0] != 0) {
        cli_error("%s/%s would not be read: test data are " DATA_SET "0, " DATA_SET "1 and so on",
                  path, other);
        return CLI_HARNESS;
    }
    if (*count == 0) {
        return cli_import_unread(path, "it has no " DATA_SET "0");
    }
    for (uint32_t i = 0; last != *count - 1 && i < *count; i++) {
        char name[32];
        snprintf(name, sizeof name, DATA_SET "%" PRIu32, i);
        if (!cli_import_has(path, name)) {
            cli_error("%s/%s is missing, and " DATA_SET "%" PRIu32 " is there", path, name, last);
            return CLI_HARNESS;
        }
    }
    return CLI_CONFORMANT;
}

int cli_import_onnx(const char *path)
{
    struct topk_onnx_topk model;
    uint32_t count = 0;
    int code = read_model(path, &model);
    if (code == CLI_CONFORMANT) {
        code = count_data_sets(path, &count);
    }
    int worst = code;
    for (uint32_t i = 0; (code == CLI_CONFORMANT || code == CLI_FAILURES) && i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, DATA_SET "%" PRIu32, i);
        char *dir = cli_path_join(path, name);
        code = import_data_set(dir, &model);
        free(dir);
        worst = code == CLI_CONFORMANT ? worst : code;
    }
    return worst;
}
