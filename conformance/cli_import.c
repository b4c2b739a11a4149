/* topk-cts import: tests of other tools as cases. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "cli_import.h"
#include "failure.h"
#include "npy.h"
#include "onnx_read.h"
#include "onnx_tensor.h"

/* A file with more bytes is no test. */
#define FILE_MAX ((uint64_t)1 << 26)

enum {
    KEY_K = 8200,
    KEY_AXIS,
    KEY_DIRECTION
};

struct import_options {
    const char *path;
    const char *k; /* the options as given, or NULL: they are of .npy files */
    const char *axis;
    const char *direction;
    struct cli_imported asked; /* what they say; k 0: not said */
};

/* a number with a sign */
static int64_t signed_number(const struct argp_state *state, const char *option, const char *text)
{
    const bool negative = text[0] == '-';
    const uint64_t number = cli_number(state, option, text + negative, INT32_MAX);
    return negative ? -(int64_t)number : (int64_t)number;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct import_options *options = state->input;
    switch (key) {
    case KEY_K:
        options->k = argument;
        options->asked.k = (int64_t)cli_number(state, "k", argument, UINT32_MAX);
        return 0;
    case KEY_AXIS:
        options->axis = argument;
        options->asked.axis = signed_number(state, "axis", argument);
        return 0;
    case KEY_DIRECTION:
        options->direction = argument;
        options->asked.direction = TOPK_INCREASING;
        if (strcmp(argument, "dec") == 0) {
            options->asked.direction = TOPK_DECREASING;
        } else if (strcmp(argument, "inc") != 0) {
            argp_error(state, "--direction takes inc or dec, not '%s'", argument);
        }
        return 0;
    case ARGP_KEY_ARG:
        if (options->path != NULL) {
            argp_error(state, "one test at a time");
        }
        options->path = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which test? Give a folder or a file");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_import_argp = {
    .options =
        (const struct argp_option[]){
            {"k", KEY_K, "N", 0, "Of .npy files: K; default: what the sizes of value.npy say", 0},
            {"axis", KEY_AXIS, "N", 0,
             "Of .npy files: the axis; a negative one counts from the end; default -1, the last",
             0},
            {"direction", KEY_DIRECTION, "inc|dec", 0,
             "Of .npy files: select the smallest or the largest; default dec", 0},
            {0},
        },
    .parser = parse,
    .args_doc = "DIR\nFILE.npy --k N",
    .doc =
        "Prints the tests of another tool as cases, a line each, as `topk-cts replay --file', "
        "shrink and corpus/ take them; and judges the outputs that are with them."
        "\vA DIR has model.onnx, a single TopK, and test_data_set_0 and so on, as ONNX's own "
        "tests do; or input.npy, and value.npy and index.npy, which may be absent. A FILE.npy is "
        "an input alone. The line before a case says what came of its outputs, and starts with "
        "`#'; what is wrong with them goes to standard error, and the exit code is 1. The text "
        "of a case holds an input of up to 16384 elements.",
};

/* ---- files ----------------------------------------------------------------------------------- */

static char *join(const char *dir, const char *name)
{
    const size_t size = strlen(dir) + strlen(name) + 2;
    char *path = malloc(size);
    if (path != NULL) {
        snprintf(path, size, "%s/%s", dir, name);
    }
    return path;
}

static bool is_there(const char *dir, const char *name)
{
    char *path = join(dir, name);
    const bool there = path != NULL && access(path, F_OK) == 0;
    free(path);
    return there;
}

static int say(const char *path, const char *reason)
{
    cli_error("cannot read %s: %s", path, reason);
    return CLI_HARNESS;
}

/* up to `most` bytes; returns what went wrong, or NULL */
static const char *take_all(int fd, size_t most, unsigned char **bytes, size_t *size)
{
    *bytes = malloc(most + 1);
    if (*bytes == NULL) {
        return "memory ran out";
    }
    while (*size < most) {
        const ssize_t got = read(fd, *bytes + *size, most - *size);
        if (got < 0 && errno != EINTR) {
            return strerror(errno);
        }
        if (got == 0) {
            break;
        }
        *size += got > 0 ? (size_t)got : 0;
    }
    return NULL;
}

/* Reads a whole file; *bytes is the caller's to free. Returns CLI_CONFORMANT, or what to exit with,
 * after a message. */
static int read_bytes(const char *path, unsigned char **bytes, size_t *size)
{
    struct stat status;
    /* so that it does not wait for who writes to a pipe */
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    *bytes = NULL;
    *size = 0;
    if (fd < 0) {
        return say(path, strerror(errno));
    }
    const char *reason = NULL;
    if (fstat(fd, &status) != 0) {
        reason = strerror(errno);
    } else if (!S_ISREG(status.st_mode)) {
        reason = "it is no file";
    } else if ((uint64_t)status.st_size > FILE_MAX) {
        reason = "it has more than 64 MiB, too much for the text of a case";
    } else {
        reason = take_all(fd, (size_t)status.st_size, bytes, size);
    }
    close(fd);
    return reason == NULL ? CLI_CONFORMANT : say(path, reason);
}

static int refused(const char *path, const struct topk_refusal *refusal)
{
    cli_error("%s, byte %" PRIu64 ": %s", path, refusal->byte, refusal->reason);
    return CLI_HARNESS;
}

/* a tensor's file, in either format */
static int read_tensor(const char *dir, const char *name, bool onnx, struct topk_packed *packed)
{
    unsigned char *bytes = NULL;
    size_t size;
    struct topk_refusal refusal;
    const uint8_t *ignored;
    size_t ignored_size;
    char *path = dir == NULL ? strdup(name) : join(dir, name);
    int code = path == NULL ? say(name, "memory ran out") : read_bytes(path, &bytes, &size);
    if (code == CLI_CONFORMANT) {
        const bool ok = onnx ? topk_onnx_tensor_read(topk_fields_of(bytes, size), packed, &ignored,
                                                     &ignored_size, &refusal)
                             : topk_npy_read(bytes, size, packed, &refusal);
        code = ok ? CLI_CONFORMANT : refused(path, &refusal);
    }
    free(bytes);
    free(path);
    return code;
}

/* ---- what came of a test --------------------------------------------------------------------- */

static int print_case(const char *path, const struct topk_case *test, const char *outputs,
                      const struct topk_result *result)
{
    char *text = malloc(TOPK_CASE_TEXT);
    if (text == NULL) {
        return say(path, "memory ran out");
    }
    topk_case_print(test, text, TOPK_CASE_TEXT);
    fputs("# ", stdout);
    for (const char *at = path; *at != 0; at++) {
        putchar((unsigned char)*at < ' ' ? '?' : *at); /* one line, whatever the name */
    }
    printf(": %s\n%s\n", outputs, text);
    if (result != NULL) {
        const struct topk_failure_style style = {.colour = cli_colour(stderr)};
        topk_failure_print(stderr, &style, text, result);
    }
    free(text);
    return result == NULL ? CLI_CONFORMANT : CLI_FAILURES;
}

static int finish(const char *path, const struct cli_imported *imported)
{
    char reason[256];
    struct topk_case test;
    int code;
    if (!cli_imported_case(imported, &test, reason)) {
        cli_error("%s: no case: %s", path, reason);
        return CLI_HARNESS;
    }
    if (imported->tensors[TOPK_VALUE].data == NULL || imported->tensors[TOPK_INDEX].data == NULL) {
        code = print_case(path, &test, "no outputs to be judged", NULL);
    } else {
        struct topk_result *result = malloc(sizeof *result);
        char outputs[128] = "every clause holds of the outputs";
        if (result == NULL) {
            code = say(path, "memory ran out");
        } else if (!cli_imported_judge(imported, &test, result, reason)) {
            cli_error("%s: %s", path, reason);
            code = CLI_HARNESS;
        } else {
            const bool failed = result->verdict != TOPK_VERDICT_PASS;
            if (failed) {
                snprintf(outputs, sizeof outputs, "the outputs break %s",
                         topk_clause_id(result->clause));
            }
            code = print_case(path, &test, outputs, failed ? result : NULL);
        }
        free(result);
    }
    topk_case_clear(&test);
    return code;
}

/* ---- npy ------------------------------------------------------------------------------------- */

/* K where --k does not say it */
static bool infer_k(struct cli_imported *imported)
{
    const struct topk_packed *value = &imported->tensors[TOPK_VALUE];
    const int64_t rank = value->rank;
    const int64_t axis = imported->axis < 0 ? imported->axis + rank : imported->axis;
    if (imported->k == 0 && value->data != NULL && axis >= 0 && axis < rank) {
        imported->k = value->sizes[axis];
    }
    return imported->k != 0;
}

static int import_npy(const struct import_options *options, bool folder)
{
    struct cli_imported imported = options->asked;
    const char *dir = folder ? options->path : NULL;
    int code = read_tensor(dir, folder ? "input.npy" : options->path, false,
                           &imported.tensors[TOPK_INPUT]);
    if (code == CLI_CONFORMANT && folder && is_there(dir, "value.npy")) {
        code = read_tensor(dir, "value.npy", false, &imported.tensors[TOPK_VALUE]);
    }
    if (code == CLI_CONFORMANT && folder && is_there(dir, "index.npy")) {
        code = read_tensor(dir, "index.npy", false, &imported.tensors[TOPK_INDEX]);
    }
    if (code == CLI_CONFORMANT && options->k == NULL && !infer_k(&imported)) {
        cli_error("%s: which K? Give --k", options->path);
        code = CLI_USAGE;
    }
    if (code == CLI_CONFORMANT) {
        code = finish(options->path, &imported);
    }
    cli_imported_clear(&imported);
    return code;
}

/* ---- ONNX ------------------------------------------------------------------------------------ */

static int read_k(const char *dir, const struct topk_onnx_topk *model, int64_t *k)
{
    char name[32];
    struct topk_packed packed = {0};
    *k = model->k;
    if (model->has_k) {
        return CLI_CONFORMANT;
    }
    snprintf(name, sizeof name, "input_%" PRIu32 ".pb", model->k_input);
    int code = read_tensor(dir, name, true, &packed);
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

/* an output, where there is one */
static int read_output(const char *dir, uint32_t number, struct topk_packed *packed)
{
    char name[32];
    if (number == TOPK_ONNX_NONE) {
        return CLI_CONFORMANT;
    }
    snprintf(name, sizeof name, "output_%" PRIu32 ".pb", number);
    return is_there(dir, name) ? read_tensor(dir, name, true, packed) : CLI_CONFORMANT;
}

static int import_data_set(const char *dir, const struct topk_onnx_topk *model)
{
    char name[32];
    struct cli_imported imported = {
        .axis = model->axis, .direction = model->largest ? TOPK_DECREASING : TOPK_INCREASING};
    snprintf(name, sizeof name, "input_%" PRIu32 ".pb", model->input);
    int code = read_tensor(dir, name, true, &imported.tensors[TOPK_INPUT]);
    if (code == CLI_CONFORMANT) {
        code = read_k(dir, model, &imported.k);
    }
    if (code == CLI_CONFORMANT) {
        code = read_output(dir, model->value, &imported.tensors[TOPK_VALUE]);
    }
    if (code == CLI_CONFORMANT) {
        code = read_output(dir, model->index, &imported.tensors[TOPK_INDEX]);
    }
    if (code == CLI_CONFORMANT) {
        code = finish(dir, &imported);
    }
    cli_imported_clear(&imported);
    return code;
}

static int read_model(const char *dir, struct topk_onnx_topk *model)
{
    unsigned char *bytes = NULL;
    size_t size;
    struct topk_refusal refusal;
    char *path = join(dir, "model.onnx");
    int code = path == NULL ? say(dir, "memory ran out") : read_bytes(path, &bytes, &size);
    if (code == CLI_CONFORMANT && !topk_onnx_read(bytes, size, model, &refusal)) {
        code = refused(path, &refusal);
    }
    free(bytes);
    free(path);
    return code;
}

/* all of its test data; outputs that break a clause do not stop it */
static int import_onnx(const struct import_options *options)
{
    struct topk_onnx_topk model;
    if (options->k != NULL || options->axis != NULL || options->direction != NULL) {
        cli_error("--k, --axis and --direction are of .npy files: a model says them itself");
        return CLI_USAGE;
    }
    int code = read_model(options->path, &model);
    int worst = code;
    uint32_t count = 0;
    while (code == CLI_CONFORMANT || code == CLI_FAILURES) {
        char name[32];
        snprintf(name, sizeof name, "test_data_set_%" PRIu32, count);
        if (!is_there(options->path, name)) {
            break;
        }
        char *dir = join(options->path, name);
        code = dir == NULL ? say(name, "memory ran out") : import_data_set(dir, &model);
        free(dir);
        worst = code == CLI_CONFORMANT ? worst : code;
        count++;
    }
    if (worst == CLI_CONFORMANT && count == 0) {
        return say(options->path, "it has no test_data_set_0");
    }
    return worst;
}

int cli_import(int argc, char **argv)
{
    struct import_options options = {.asked = {.axis = -1, .direction = TOPK_DECREASING}};
    struct stat status;
    cli_parse(&cli_import_argp, argc, argv, &options);
    if (stat(options.path, &status) != 0) {
        cli_error("cannot read %s: %s", options.path, strerror(errno));
        return CLI_USAGE;
    }
    const char *dot = strrchr(options.path, '.');
    if (!S_ISDIR(status.st_mode) && dot != NULL && strcmp(dot, ".onnx") == 0) {
        return say(options.path, "a model alone is no test; give the folder that it is in");
    }
    if (!S_ISDIR(status.st_mode)) {
        return import_npy(&options, false);
    }
    if (is_there(options.path, "model.onnx")) {
        return import_onnx(&options);
    }
    if (is_there(options.path, "input.npy")) {
        return import_npy(&options, true);
    }
    return say(options.path, "it has neither model.onnx nor input.npy");
}
