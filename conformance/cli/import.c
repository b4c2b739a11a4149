/* topk-cts import: reads tests of other tools as cases. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "convert/convert.h"

enum {
    KEY_K = 8200,
    KEY_AXIS,
    KEY_DIRECTION
};

struct import_options {
    const char *path;
    const char *k; /* the options for .npy files as they were given, or NULL */
    const char *axis;
    const char *direction;
    struct cli_imported asked; /* their values; k 0: not given */
};

/* parses a number, which may have a sign if negative numbers are allowed */
static int64_t number_of(const struct argp_state *state, const char *option, const char *text,
                         int64_t least, int64_t most)
{
    const bool negative = least < 0 && text[0] == '-';
    const char *digits = text + negative;
    int64_t number = 0;
    bool fits = *digits != 0 && digits[strspn(digits, "0123456789")] == 0;
    for (const char *at = digits; fits && *at != 0; at++) {
        number = number * 10 + (negative ? '0' - *at : *at - '0');
        fits = number <= most && (!negative || number >= least);
    }
    if (!fits || number < least) {
        argp_error(state, "--%s takes a number from %" PRId64 " to %" PRId64 ", not '%s'", option,
                   least, most, text);
    }
    return number;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct import_options *options = state->input;
    switch (key) {
    case KEY_K:
        options->k = argument;
        options->asked.k = number_of(state, "k", argument, 1, UINT32_MAX);
        return 0;
    case KEY_AXIS:
        options->axis = argument;
        options->asked.axis =
            number_of(state, "axis", argument, -TOPK_RANK_VALID, TOPK_RANK_VALID - 1);
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
        argp_error(state, "no test given. Give a folder or a file");
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
    .doc = "Prints the tests of another tool as cases, one per line, for `topk-cts replay --file', "
           "shrink and corpus/, and judges their outputs.\vA DIR has model.onnx, a single TopK, "
           "and test_data_set_0 and so on, as ONNX's own tests do; or input.npy, and value.npy and "
           "index.npy, which may be absent. A FILE.npy is an input alone. The line before a case "
           "says whether its outputs are right, and starts with `#'; what is wrong with them goes "
           "to standard error, and the exit code is 1. The text of a case holds an input of up to "
           "16384 elements.",
};

/* ---- npy ------------------------------------------------------------------------------------- */

/* infers K if --k is not given */
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

/* checks that the options are valid for the input; CLI_USAGE, after a message, if not */
static int check_options(const struct import_options *options, struct cli_imported *imported)
{
    char reason[256];
    if (imported->tensors[TOPK_INPUT].rank == 0) {
        return CLI_CONFORMANT; /* this is not an error of the options */
    }
    if (!cli_imported_axis_fits(imported, reason)) {
        cli_error("%s: --axis: %s", options->path, reason);
        return CLI_USAGE;
    }
    if (options->k == NULL && !infer_k(imported)) {
        cli_error("%s: no K given. Give --k", options->path);
        return CLI_USAGE;
    }
    if (options->k != NULL && !cli_imported_k_fits(imported, reason)) {
        cli_error("%s: --k: %s", options->path, reason);
        return CLI_USAGE;
    }
    return CLI_CONFORMANT;
}

/* prints the defaults that were used for missing options, because these may be the error */
static void say_taken(const struct import_options *options)
{
    const bool axis = options->axis == NULL;
    const bool direction = options->direction == NULL;
    if (axis && direction) {
        cli_error("axis -1 and direction dec were taken, as --axis and --direction do not say "
                  "otherwise");
    } else if (axis || direction) {
        cli_error("%s was taken, as %s does not say otherwise", axis ? "axis -1" : "direction dec",
                  axis ? "--axis" : "--direction");
    }
}

static int import_npy(const struct import_options *options, bool folder)
{
    struct cli_imported imported = options->asked;
    const char *dir = folder ? options->path : NULL;
    int code = cli_import_tensor(dir, folder ? "input.npy" : options->path, false,
                                 &imported.tensors[TOPK_INPUT]);
    if (code == CLI_CONFORMANT && folder) {
        code = cli_import_outputs(dir, "value.npy", "index.npy", false, &imported);
    }
    if (code == CLI_CONFORMANT) {
        code = check_options(options, &imported);
    }
    if (code == CLI_CONFORMANT) {
        code = cli_import_report(options->path, &imported);
    }
    if (code != CLI_CONFORMANT) {
        say_taken(options);
    }
    cli_imported_clear(&imported);
    return code;
}

static bool has_test(const char *dir)
{
    return cli_import_has(dir, "model.onnx") || cli_import_has(dir, "input.npy");
}

/* the smallest number that is the name of a subfolder with a test, as `export --file' makes them;
 * 0: none */
static unsigned long numbered(const char *path)
{
    unsigned long least = 0;
    DIR *dir = opendir(path);
    for (const struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        const char *name = entry->d_name;
        const unsigned long number =
            name[0] >= '1' && name[0] <= '9' && name[strspn(name, "0123456789")] == 0
                ? strtoul(name, NULL, 10)
                : 0;
        char *inner = number == 0 ? NULL : cli_path_join(path, name);
        if (inner != NULL && (least == 0 || number < least) && has_test(inner)) {
            least = number;
        }
        free(inner);
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return least;
}

/* reports that a folder has no test, and where one may be */
static int say_none(const char *path)
{
    char *above = cli_path_join(path, "..");
    const unsigned long number = numbered(path);
    if (number != 0) {
        cli_error("%s has neither model.onnx nor input.npy, but %s/%lu has: give that, and others "
                  "one by one",
                  path, path, number);
    } else if (cli_import_has(path, "input_0.pb") && cli_import_has(above, "model.onnx")) {
        cli_error("%s is the test data of a model: give the folder that model.onnx is in, %s", path,
                  above);
    } else {
        cli_import_unread(path, "it has neither model.onnx nor input.npy");
    }
    free(above);
    return CLI_HARNESS;
}

int cli_import(int argc, char **argv)
{
    struct import_options options = {.asked = {.axis = -1, .direction = TOPK_DECREASING}};
    struct stat status;
    cli_parse(&cli_import_argp, argc, argv, &options);
    if (stat(options.path, &status) != 0) {
        const int reason = errno;
        cli_error("cannot read %s: %s", options.path, strerror(reason));
        return cli_errno_exit(reason);
    }
    const char *dot = strrchr(options.path, '.');
    if (!S_ISDIR(status.st_mode) && dot != NULL && strcmp(dot, ".onnx") == 0) {
        return cli_import_unread(options.path,
                                 "a model alone is no test; give the folder that it is in");
    }
    if (!S_ISDIR(status.st_mode)) {
        return import_npy(&options, false);
    }
    if (cli_import_has(options.path, "model.onnx") && cli_import_has(options.path, "input.npy")) {
        return cli_import_unread(options.path,
                                 "it has both model.onnx and input.npy, of two tests; keep one");
    }
    if (cli_import_has(options.path, "model.onnx")) {
        if (options.k != NULL || options.axis != NULL || options.direction != NULL) {
            cli_error("--k, --axis and --direction are of .npy files: a model says them itself");
            return CLI_USAGE;
        }
        return cli_import_onnx(options.path);
    }
    if (cli_import_has(options.path, "input.npy")) {
        return import_npy(&options, true);
    }
    return say_none(options.path);
}
