/* What all commands share: messages, options, exit codes. */
#define _GNU_SOURCE /* vasprintf */
#include "session.h"
#include "tame.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"

const char *cli_program = "topk-cts";
const char *cli_command_name;

const char cli_description[] =
    "Tests whether a backend computes DirectML's DML_TOP_K and DML_TOP_K1 as specified.";

const char *const cli_exit_meanings[] = {
    "0",
    "The backend conforms, as far as the selected cases can show.",
    "1",
    "There are failures, the backend could reach its judge, or `probe' has a finding.",
    "2",
    "The command line is wrong, or a file that it names does not exist or may not be read.",
    "3",
    "The harness itself failed; a message says how.",
    "4",
    "The backend is unavailable.",
    "5",
    "Nothing was selected, a run or a shard is incomplete, or the case to shrink passes.",
    "77",
    "Nothing was tested: the backend supports no case that asks for a result, or has no probes.",
    NULL,
};

static void print_error(const char *format, va_list arguments)
{
    char text[16000]; /* a longer text is truncated */
    vsnprintf(text, sizeof text, format, arguments);
    fprintf(stderr, "topk-cts%s%s: ", cli_command_name == NULL ? "" : " ",
            cli_command_name == NULL ? "" : cli_command_name);
    topk_text_print_lines(stderr, text); /* it may have untrusted text */
    fputc('\n', stderr);
}

void cli_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_error(format, arguments);
    va_end(arguments);
}

void cli_print(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    cli_need_memory(length >= 0);
    topk_text_print_lines(stdout, text);
    free(text);
}

void cli_fail(enum cli_exit code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_error(format, arguments);
    va_end(arguments);
    exit((int)code);
}

void cli_need_memory(bool done)
{
    if (!done || topk_memory_short()) {
        cli_fail(CLI_HARNESS, "out of memory");
    }
}

void *cli_need(void *allocated)
{
    cli_need_memory(allocated != NULL);
    return allocated;
}

void cli_note(void *context, const char *text)
{
    (void)context;
    cli_error("note: %s", text);
}

/* ---- options --------------------------------------------------------------------------------- */

/* Calls a function with every option of an argp and its children; stops if it returns true. */
static bool each_option(const struct argp *argp,
                        bool (*visit)(void *context, const struct argp_option *option),
                        void *context)
{
    const struct argp_option *option = argp->options;
    while (option != NULL && (option->name != NULL || option->doc != NULL || option->key != 0)) {
        if (option->name != NULL && visit(context, option)) {
            return true;
        }
        option++;
    }
    const struct argp_child *child = argp->children;
    while (child != NULL && child->argp != NULL) {
        if (each_option(child->argp, visit, context)) {
            return true;
        }
        child++;
    }
    return false;
}

/* Looks up an option before argp does, because argp does not suggest similar names. */
struct look_up {
    const char *name;
    size_t length;
    int key;    /* of a short option; or 0 */
    bool found; /* some option has this name or starts with it */
    bool takes; /* the option takes an argument */
    struct cli_near near;
};

static bool look_at(void *context, const struct argp_option *option)
{
    struct look_up *look = context;
    if (look->key != 0) {
        look->found |= option->key == look->key;
        look->takes |= option->key == look->key && option->arg != NULL;
    } else if (strncmp(option->name, look->name, look->length) == 0) {
        look->found = true;
        look->takes |= option->arg != NULL;
    } else {
        char dashed[64];
        snprintf(dashed, sizeof dashed, "--%s", option->name);
        cli_near_offer(&look->near, dashed);
    }
    return false;
}

static bool look_up(const struct argp *argp, struct look_up *look)
{
    static const struct argp_option ours[] = {
        {"help", '?', NULL, 0, NULL, 0},
        {"usage", 1, NULL, 0, NULL, 0},
        {"version", 'V', NULL, 0, NULL, 0},
        {0},
    };
    const struct argp standard = {.options = ours};
    cli_near_start(&look->near, look->name - 2, look->length + 2); /* with the dashes */
    each_option(argp, look_at, look);
    each_option(&standard, look_at, look);
    return look->found;
}

static void check_option_names(const struct argp *argp, int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        struct look_up look = {0};
        if (strncmp(argv[i], "--", 2) == 0) {
            look.name = argv[i] + 2;
            look.length = strcspn(look.name, "=");
            if (!look_up(argp, &look)) {
                cli_fail(CLI_USAGE, "there is no option '--%.*s'%s Try --help.", (int)look.length,
                         look.name, cli_near_text(&look.near, "."));
            }
            i += look.takes && look.name[look.length] == 0;
        } else if (argv[i][0] == '-' && argv[i][1] != 0) {
            look.name = &"--"[2];
            look.key = (unsigned char)argv[i][1];
            look_up(argp, &look);
            i += look.takes && argv[i][2] == 0;
        }
    }
}

void cli_parse(const struct argp *argp, int argc, char **argv, void *input)
{
    static char name[64];
    snprintf(name, sizeof name, "topk-cts%s%s", cli_command_name == NULL ? "" : " ",
             cli_command_name == NULL ? "" : cli_command_name);
    argv[0] = name;
    check_option_names(argp, argc, argv);
    error_t error = cli_parse_tame(argp, argc, argv, input);
    if (error != 0) {
        cli_fail(error == ENOMEM ? CLI_HARNESS : CLI_USAGE, "%s", strerror(error));
    }
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the type is argp's */
error_t cli_parse_none(int key, char *argument, struct argp_state *state)
{
    (void)argument;
    if (key == ARGP_KEY_ARG) {
        argp_error(state, "no arguments are taken");
    }
    return ARGP_ERR_UNKNOWN;
}
