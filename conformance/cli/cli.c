/* The table of commands, and what topk-cts does before it runs a command. */
#define _GNU_SOURCE /* for strerrordesc_np() */
#include "cli.h"
#include "completion.h"
#include "man.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "log/log.h"
#include "platform/platform.h"

#define ROW(name, finds, summary) {#name, finds, summary, &cli_##name##_argp, cli_##name},
static struct cli_command commands[] = {CLI_COMMANDS(ROW)};
#undef ROW
#define COMMANDS (sizeof commands / sizeof commands[0])

static error_t parse_word(int key, char *argument, struct argp_state *state)
{
    const char **word = state->input;
    if (key != ARGP_KEY_ARG) {
        return ARGP_ERR_UNKNOWN;
    }
    if (*word != NULL) {
        argp_error(state, "give one name: '%s' is a second one", argument);
    }
    *word = argument;
    return 0;
}

/* `man' and `completion' are in this file because they print the table. */
const struct argp cli_man_argp = {
    .parser = parse_word,
    .args_doc = "[COMMAND]",
    .doc =
        "Prints the manual page of topk-cts, or of COMMAND. To read it: `topk-cts man | man -l -'.",
};

int cli_man(int argc, char **argv)
{
    const char *name = NULL;
    cli_parse(&cli_man_argp, argc, argv, &name);
    if (name == NULL) {
        cli_man_print(commands, COMMANDS);
        return CLI_CONFORMANT;
    }
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, name) == 0) {
            cli_man_print_command(&commands[i]);
            return CLI_CONFORMANT;
        }
    }
    cli_error("there is no command '%s'; `topk-cts --help' lists them", name);
    return CLI_USAGE;
}

const struct argp cli_completion_argp = {
    .parser = parse_word,
    .args_doc = "bash|zsh|fish",
    .doc = "Prints the completion script for a shell. Write it to the shell's folder for "
           "completions, or, in bash, run `source <(topk-cts completion bash)'.",
};

int cli_completion(int argc, char **argv)
{
    const char *shell = NULL;
    cli_parse(&cli_completion_argp, argc, argv, &shell);
    if (shell == NULL || !cli_completion_print(shell, commands, COMMANDS)) {
        cli_error(shell == NULL ? "no shell given: bash, zsh or fish"
                                : "takes bash, zsh or fish, not '%s'",
                  shell);
        return CLI_USAGE;
    }
    return CLI_CONFORMANT;
}

/* argp exits by itself with 0 after it has printed help. If not all of that could be written, the
 * exit code must not be 0, so this check runs at the very end. */
static void close_output(void)
{
    const bool whole = !topk_memory_short();
    if (cli_output_close(CLI_CONFORMANT) != CLI_CONFORMANT) {
        fflush(stderr); /* stderr is buffered while argp runs */
        _exit(CLI_HARNESS);
    }
    if (!whole) {
        cli_error("out of memory: the output may be incomplete");
        fflush(stderr);
        _exit(CLI_HARNESS);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* libuv aborts if it has no memory: these allocators end the program first, with a message */
static void *needed(void *memory)
{
    if (memory == NULL) {
        topk_memory_fail();
        cli_error("out of memory");
        _exit(CLI_HARNESS);
    }
    return memory;
}

static void *uv_get(size_t bytes)
{
    return needed(malloc(bytes == 0 ? 1 : bytes));
}

static void *uv_resize(void *memory, size_t bytes)
{
    return needed(realloc(memory, bytes == 0 ? 1 : bytes));
}

static void *uv_get_zeros(size_t count, size_t bytes)
{
    return needed(calloc(count == 0 ? 1 : count, bytes == 0 ? 1 : bytes));
}

/* ---- abort() --------------------------------------------------------------------------------- */

static void say(const char *text)
{
    /* an error here cannot be reported anywhere */
    const ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written;
}

/* libuv and the C library call abort() if a system call that they need fails, such as epoll_wait().
 * The log is intact then, and processes that this one started end with it. */
static void on_abort(int signal)
{
    /* NOLINTNEXTLINE(bugprone-signal-handler): glibc says that both are safe */
    const char *why = errno == 0 ? NULL : strerrordesc_np(errno);
    (void)signal;
    say("topk-cts: abort(): a necessary system call failed, or topk-cts has a defect. Last system "
        "error: ");
    say(why == NULL ? "none" : why);
    say("\n"
        "The log, if there is one, has all results so far. `topk-cts run --resume' continues the "
        "run\n");
    _exit(CLI_HARNESS);
}

/* ---- the program ----------------------------------------------------------------------------- */

/* Appends "  NAME TEXT" and indents the lines after the first; argp would not indent them. */
static void put_item(FILE *out, const char *name, int width, const char *text)
{
    const int room = 78 - 3 - width;
    fprintf(out, "  %-*s ", width, name);
    while ((int)strlen(text) > room) {
        int length = room;
        while (length > 1 && text[length] != ' ') {
            length--;
        }
        fprintf(out, "%.*s\n%*s", length, text, 3 + width, "");
        text += length + 1;
    }
    fprintf(out, "%s\n", text);
}

static void put_commands(FILE *out)
{
    fputs("Commands:\n", out);
    for (size_t i = 0; i < COMMANDS; i++) {
        put_item(out, commands[i].name, 13, commands[i].summary);
    }
    fputs("\n`topk-cts COMMAND --help' explains one command.\n", out);
}

/* appends the list of commands to the description */
static char *help_filter(int key, const char *text, void *input)
{
    char *list = NULL;
    size_t size = 0;
    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC) {
        return (char *)text;
    }
    FILE *out = topk_memory_stream(&list, &size);
    if (out == NULL) {
        return NULL;
    }
    put_commands(out);
    fputs("\nExit codes:\n", out);
    for (const char *const *meaning = cli_exit_meanings; *meaning != NULL; meaning += 2) {
        put_item(out, meaning[0], 3, meaning[1]);
    }
    fclose(out);
    return list;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the type is argp's */
static error_t parse_top(int key, char *argument, struct argp_state *state)
{
    (void)argument;
    if (key == ARGP_KEY_NO_ARGS) {
        argp_state_help(state, stderr, ARGP_HELP_SHORT_USAGE);
        put_commands(stderr);
        exit(CLI_USAGE);
    }
    return ARGP_ERR_UNKNOWN;
}

static const struct argp top_argp = {
    .parser = parse_top,
    .args_doc = "COMMAND [ARGUMENT...]",
    .doc = "Tests whether a backend computes DirectML's DML_TOP_K and DML_TOP_K1 as specified.\v ",
    .help_filter = help_filter,
};

/* Sets the names of commands that C identifiers cannot have. */
static void name_commands(void)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        for (char *at = commands[i].name; (at = strchr(at, '_')) != NULL;) {
            *at = '-';
        }
    }
}

static int unknown_command(const char *word)
{
    struct cli_near near;
    cli_near_start(&near, word, strlen(word));
    for (size_t i = 0; i < COMMANDS; i++) {
        cli_near_offer(&near, commands[i].name);
    }
    cli_error("there is no command '%s'%s", word, cli_near_text(&near, "."));
    fputs("Commands:", stderr);
    for (size_t i = 0; i < COMMANDS; i++) {
        fprintf(stderr, " %s", commands[i].name);
    }
    fputs(". Try `topk-cts --help'.\n", stderr);
    return CLI_USAGE;
}

int cli_main(int argc, char **argv)
{
    static const char *const no_arguments[] = {"topk-cts", NULL};
    argp_err_exit_status = CLI_USAGE;
    argp_program_version = "topk-cts " TOPK_VERSION;
    argv = topk_process_start(argc, argv);
    if (argv == NULL) {
        say("topk-cts: standard input, output and error cannot be opened\n");
        _exit(CLI_HARNESS);
    }
    topk_console_start();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGABRT, on_abort);
    atexit(close_output);
    topk_memory_watch();
    uv_replace_allocator(uv_get, uv_resize, uv_get_zeros, free);
    if (argc < 1) {
        argc = 1;
        argv = (char **)no_arguments;
    }
    static char program[4096];
    topk_text_line(argv[0], program, sizeof program); /* because it is printed */
    cli_program = program;
    name_commands();
    if (argc < 2 || argv[1][0] == '-') {
        cli_parse(&top_argp, argc < 2 ? argc : 2, argv, NULL); /* only the first option */
        return CLI_USAGE;
    }
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            cli_command_name = commands[i].name;
            const int code = commands[i].run(argc - 1, argv + 1);
            return commands[i].finds ? cli_conclude(code, "") : cli_output_close(code);
        }
    }
    return unknown_command(argv[1]);
}
