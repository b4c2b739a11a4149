/* topk-cts export: writes cases as files for other tools. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "convert/convert.h"

enum {
    KEY_FORMAT = 8000
};

struct export_options {
    const char *text; /* a case's id or text, or "-" */
    const char *file; /* --file, or NULL */
    const struct cli_export_format *format;
    const char *output;
    bool overwrite;
};

/* "dxdispatch, onnx, npy" */
static void list_formats(char text[128])
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < cli_export_format_count && used < 128; i++) {
        used += (size_t)snprintf(text + used, 128 - used, "%s%s", i == 0 ? "" : ", ",
                                 cli_export_formats[i].name);
    }
}

static const struct cli_export_format *format_of(const struct argp_state *state, const char *name)
{
    for (size_t i = 0; i < cli_export_format_count; i++) {
        if (strcmp(cli_export_formats[i].name, name) == 0) {
            return &cli_export_formats[i];
        }
    }
    char names[128];
    list_formats(names);
    argp_error(state, "there is no format '%s'; formats: %s", name, names);
    return NULL;
}

static void check(const struct argp_state *state, const struct export_options *options)
{
    if ((options->text == NULL) == (options->file == NULL)) {
        argp_error(state, "no case given. Give its id or text, --file, or - for standard input");
    }
    if (options->format == NULL) {
        char names[128];
        list_formats(names);
        argp_error(state, "--format is missing; formats: %s", names);
    }
    if (options->output == NULL) {
        argp_error(state, "--output is missing: the folder to write to");
    } else if (options->output[0] == 0) {
        argp_error(state, "--output is empty: it takes the folder to write to");
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct export_options *options = state->input;
    switch (key) {
    case KEY_FORMAT:
        options->format = format_of(state, argument);
        return 0;
    case 'o':
        options->output = argument;
        return 0;
    case 'f':
        options->file = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (options->text != NULL) {
            argp_error(state, "give one case, in quotes, or --file");
        }
        options->text = argument;
        return 0;
    case ARGP_KEY_END:
        check(state, options);
        return 0;
    default:
        return cli_store(key, argument, state);
    }
}

#define HELP(name, text, packed, can, note, write) " " name ": " text "."
const struct argp cli_export_argp = {
    .options =
        (const struct argp_option[]){
            {"format", KEY_FORMAT, "FORMAT", 0, "One of these." CLI_EXPORT_FORMATS(HELP), 0},
            {"output", 'o', "DIR", 0,
             "The folder to write to; it and its parents are created if necessary", 0},
            {"file", 'f', "FILE", 0,
             "Write the cases in FILE, one per line, each to its own folder in DIR, named by its "
             "position in FILE",
             0},
            {"overwrite", CLI_FLAG(struct export_options, overwrite), NULL, 0,
             "Replace files in DIR; files with other names stay", 0},
            {0},
        },
    .parser = parse,
    .args_doc = "CASE --format FORMAT --output DIR\n--file FILE --format FORMAT --output DIR",
    .doc =
        "Writes cases and their expected outputs as files for other tools.\vA CASE is an id, "
        "`ties.boundary:top_k1 fl=5.0 ...', or only its text, in quotes for the shell. With `-' "
        "they are read from standard input, as with --file. DIR also gets the case itself, as "
        "case.txt, with what the format cannot say. docs/exchange.md tells what is in the files.",
};

/* ---- one case -------------------------------------------------------------------------------- */

/* whether files of tensors can express the call; if not, why */
static bool can_pack(const struct cli_exported *exported, char reason[CLI_EXPORT_REASON])
{
    const struct topk_operator *op = &exported->tc.op;
    if (exported->refused) {
        for (int clause = 0; clause < TOPK_CLAUSE_COUNT; clause++) {
            if (topk_clause_set_has(&exported->validity.broken, (enum topk_clause)clause)) {
                snprintf(reason, CLI_EXPORT_REASON,
                         "the call must be refused (%s), which files of tensors cannot express",
                         topk_clause_id((enum topk_clause)clause));
                return false;
            }
        }
    }
    if (op->kind == TOPK_TOP_K1 && op->direction > TOPK_DECREASING) {
        snprintf(reason, CLI_EXPORT_REASON, "its AxisDirection is neither 0 nor 1 (V12)");
        return false;
    }
    return true;
}

/* whether the format can express the case; if not, why */
static bool examine(struct cli_exported *exported, const struct cli_export_format *format,
                    char reason[CLI_EXPORT_REASON])
{
    const struct topk_operator *op = &exported->tc.op;
    if (exported->tc.before_count > 0) {
        snprintf(reason, CLI_EXPORT_REASON, "it makes %" PRIu32 " calls, and a file is of one",
                 exported->tc.before_count + 1);
        return false;
    }
    topk_operator_validate(op, op->level, &exported->validity);
    exported->refused = !topk_clause_set_empty(&exported->validity.broken);
    if (!exported->refused && topk_case_too_large(&exported->tc)) {
        snprintf(reason, CLI_EXPORT_REASON,
                 "it is too large to run: for such a case the operator is only created");
        return false;
    }
    if (!exported->refused && topk_clause_set_has(&exported->validity.latitude, TOPK_CLAUSE_T14)) {
        snprintf(reason, CLI_EXPORT_REASON,
                 "its outputs overlap (T14): nothing is expected of them");
        return false;
    }
    return (!format->packed || can_pack(exported, reason)) &&
           (format->can == NULL || format->can(exported, reason));
}

static bool laid_out(const struct topk_case *tc)
{
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const struct topk_tensor *tensor = &tc->op.tensors[role];
        if (tensor->strided || tensor->alignment != 0 || tensor->flags != 0 ||
            tc->offset[role] != 0 || tensor->total_bytes != topk_tensor_least_bytes(tensor)) {
            return true;
        }
    }
    return false;
}

/* prints what a reader of the files has to know, a line each */
static void print_notes(FILE *out, const struct cli_exported *exported,
                        const struct cli_export_format *format, const char *start)
{
    const struct topk_case *tc = &exported->tc;
    for (int other = 0; other < TOPK_OTHER_COUNT; other++) {
        if (exported->answer.others[other]) {
            fprintf(out, "%sexpected is one of several right answers. %s\n", start,
                    topk_other_text((enum topk_other)other));
        }
    }
    if (format->packed && laid_out(tc)) {
        fprintf(out,
                "%sthe tensors are packed: their strides, offsets, total sizes, alignments and "
                "flags are only in the case\n",
                start);
    }
    if (format->packed && tc->op.execution != 0) {
        fprintf(out, "%sthe execution flags are only in the case\n", start);
    }
    if (tc->check != TOPK_CHECK_NONE) {
        fprintf(out, "%sthe relation that it checks is only in the case: this is its first call\n",
                start);
    }
    if (format->note != NULL) {
        format->note(out, exported, start);
    }
}

struct case_file {
    const struct cli_exported *exported;
    const struct cli_export_format *format;
};

static void print_case(FILE *out, const void *context)
{
    const struct case_file *file = context;
    print_notes(out, file->exported, file->format, "# ");
    fprintf(out, "%s\n", file->exported->text);
}

/* prepares a case before files are written; the caller drops *exported in any case */
static int prepare(struct cli_exported *exported, const struct cli_export_format *format,
                   const struct cli_case *c, const char *where)
{
    char reason[CLI_EXPORT_REASON] = "";
    *exported = (struct cli_exported){.text = c->id + c->text};
    cli_need_memory(cli_case_parse(c->id, c->length, &exported->tc));
    if (!examine(exported, format, reason)) {
        cli_error("%s%s cannot express this case: %s", where, format->name, reason);
        return CLI_USAGE;
    }
    cli_need_memory(exported->refused || topk_answer_make(&exported->tc, &exported->answer));
    return CLI_CONFORMANT;
}

static void drop(struct cli_exported *exported)
{
    topk_answer_free(&exported->answer);
    topk_case_clear(&exported->tc);
}

static int write_all(const struct cli_exported *exported, const struct cli_export_format *format,
                     const struct cli_folder *folder, const char *where)
{
    char start[64];
    int code = format->write(exported, folder);
    if (code == CLI_CONFORMANT) {
        const struct case_file file = {exported, format};
        code = cli_folder_print(folder, "case.txt", print_case, &file);
    }
    if (code == CLI_CONFORMANT) {
        snprintf(start, sizeof start, "%snote: ", where);
        print_notes(stdout, exported, format, start);
    }
    return code;
}

/* ---- all cases ------------------------------------------------------------------------------- */

static int export_one(const struct export_options *options, const struct cli_case *c)
{
    struct cli_exported exported;
    struct cli_folder folder;
    int code = prepare(&exported, options->format, c, "");
    if (code == CLI_CONFORMANT) {
        code = cli_folder_open(&folder, options->output, options->overwrite);
    }
    if (code == CLI_CONFORMANT) {
        code = write_all(&exported, options->format, &folder, "");
        cli_folder_close(&folder);
    }
    drop(&exported);
    if (code == CLI_CONFORMANT) {
        cli_print("written to %s\n", options->output);
    }
    return code;
}

static int export_numbered(const struct export_options *options, const struct cli_case *c,
                           const struct cli_folder *folder, size_t number)
{
    char name[32];
    char where[48];
    struct cli_exported exported;
    struct cli_folder inner;
    snprintf(name, sizeof name, "%zu", number);
    snprintf(where, sizeof where, "case %zu: ", number);
    int code = prepare(&exported, options->format, c, where);
    if (code == CLI_CONFORMANT) {
        code = cli_folder_within(&inner, folder, name);
    }
    if (code == CLI_CONFORMANT) {
        code = write_all(&exported, options->format, &inner, where);
        cli_folder_close(&inner);
    }
    drop(&exported);
    return code;
}

/* Exports all cases of a file. Those that the format cannot express are left out; the exit code
 * tells. */
static int export_all(const struct export_options *options, const struct cli_cases *cases)
{
    struct cli_folder folder;
    size_t written = 0;
    int worst = cli_folder_open(&folder, options->output, options->overwrite);
    if (worst != CLI_CONFORMANT) {
        return worst;
    }
    for (size_t i = 0; i < cases->count && worst != CLI_HARNESS; i++) {
        const int code = export_numbered(options, cli_case_at(cases, i), &folder, i + 1);
        written += code == CLI_CONFORMANT;
        worst = code == CLI_CONFORMANT ? worst : code;
    }
    cli_folder_close(&folder);
    cli_print("%zu of %zu cases written to %s\n", written, cases->count, options->output);
    return worst;
}

int cli_export(int argc, char **argv)
{
    struct export_options options = {0};
    struct cli_cases cases = {0};
    cli_parse(&cli_export_argp, argc, argv, &options);
    const bool many = options.file != NULL || strcmp(options.text, "-") == 0;
    int code = many ? cli_cases_read(&cases, options.file)
                    : cli_cases_add(&cases, options.text, strlen(options.text), "");
    if (code == CLI_CONFORMANT) {
        code = many ? export_all(&options, &cases) : export_one(&options, cli_case_at(&cases, 0));
    }
    cli_cases_free(&cases);
    return code;
}
