/* The command table, and what comes before a command runs. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"
#include "text.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMMAND(name, summary)                                                                     \
    &(const struct cli_command)                                                                    \
    {                                                                                              \
#name, summary, &cli_##name##_argp, cli_##name                                             \
    }

const struct cli_command *const cli_commands[] = {
    COMMAND(list, "print the ids of cases"),
    COMMAND(run, "run cases against a backend and judge what it answers"),
    COMMAND(replay, "run single cases and show what is wrong with each"),
    COMMAND(shrink, "make a case that fails as small as it can be"),
    COMMAND(probe, "show what the driver beneath a backend does, and whether it may"),
    COMMAND(explore, "draw random cases for a while, and shrink what fails"),
    COMMAND(backends, "list the backends that are built in and whether they work here"),
    COMMAND(expectations, "propose a file of known failures from a run"),
    COMMAND(package, "pack a run into one signed file that others can verify"),
    COMMAND(verify, "verify such a package"),
    COMMAND(spec, "print the clauses that are tested, and how many cases test each"),
    COMMAND(profile, "print or verify the digests of a profile"),
    COMMAND(coverage, "certify what the cases of a profile exercise"),
    COMMAND(merge, "put the shards of a run together"),
    COMMAND(compare, "show what differs between two runs or more"),
    COMMAND(report, "write what a run came to as a page, as XML, as text"),
    COMMAND(export, "write cases as files that other tools run"),
    COMMAND(import, "print the tests of other tools as cases, and judge their outputs"),
    COMMAND(trust, "show what the cases of a profile catch: seeded faults"),
    COMMAND(man, "print the manual page"),
};
const size_t cli_command_count = sizeof cli_commands / sizeof cli_commands[0];

const char *cli_program = "topk-cts";
const char *cli_command_name;

const char cli_description[] =
    "Tests whether a backend computes DirectML's DML_TOP_K and DML_TOP_K1 as they are specified.";

const char *const cli_exit_meanings[] = {
    "0",  "The backend conforms, as far as the cases that were selected tell.",
    "1",  "There are failures, or a probe has a finding.",
    "2",  "The command line is wrong.",
    "3",  "The harness itself failed; a message says how.",
    "4",  "The backend is unavailable.",
    "5",  "Nothing was selected, the run or a shard is incomplete, or the case to shrink passes.",
    "77", "Nothing was tested: it supports no case that asks for a result, or has no probes.",
    NULL,
};

void cli_error(const char *format, ...)
{
    char text[16384]; /* what is longer is cut */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "topk-cts%s%s: ", cli_command_name == NULL ? "" : " ",
            cli_command_name == NULL ? "" : cli_command_name);
    topk_text_print_lines(stderr, text); /* it may quote anybody */
    fputc('\n', stderr);
}

/* ---- standard output ------------------------------------------------------------------------- */

bool cli_output_open(void)
{
    return ferror(stdout) == 0;
}

/* whether standard output is a pipe that nobody reads any more, as of `topk-cts list | head` */
static bool output_abandoned(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return errno == EPIPE || (poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0);
}

/* What was printed and could not be written makes the exit code a lie; argp exits by itself, so
 * this has to come at the very end. */
static void close_output(void)
{
    errno = 0;
    bool failed = ferror(stdout) != 0;
    failed |= fflush(stdout) != 0;
    if (failed && !output_abandoned()) {
        cli_error("cannot write to standard output: %s",
                  errno == 0 ? "an earlier write failed" : strerror(errno));
        _exit(CLI_HARNESS);
    }
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

/* What the arguments say, option by option, before argp reads them: it knows no near names. */
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
                char near[CLI_NEAR_TEXT];
                cli_near_print(&look.near, near, sizeof near);
                cli_error("there is no option '--%.*s'%s Try --help.", (int)look.length, look.name,
                          near[0] == 0 ? "." : near);
                exit(CLI_USAGE);
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
    snprintf(name, sizeof name, "topk-cts %s", cli_command_name);
    argv[0] = name;
    check_option_names(argp, argc, argv);
    error_t error = argp_parse(argp, argc, argv, 0, NULL, input);
    if (error != 0) {
        cli_error("%s", strerror(error));
        exit(CLI_USAGE);
    }
}

/* ---- the program ----------------------------------------------------------------------------- */

/* the list of commands, behind the description */
static char *help_filter(int key, const char *text, void *input)
{
    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC) {
        return (char *)text;
    }
    char *list = malloc(4096);
    if (list == NULL) {
        return NULL;
    }
    size_t used = (size_t)snprintf(list, 4096, "Commands:\n");
    for (size_t i = 0; i < cli_command_count; i++) {
        used += (size_t)snprintf(list + used, 4096 - used, "  %-10s %s\n", cli_commands[i]->name,
                                 cli_commands[i]->summary);
    }
    used += (size_t)snprintf(list + used, 4096 - used,
                             "\n`topk-cts COMMAND --help' tells more of one.\n\nExit codes:\n");
    for (const char *const *meaning = cli_exit_meanings; *meaning != NULL; meaning += 2) {
        used += (size_t)snprintf(list + used, 4096 - used, "  %-3s %s\n", meaning[0], meaning[1]);
    }
    return list;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the type is argp's */
static error_t parse_top(int key, char *argument, struct argp_state *state)
{
    (void)argument;
    if (key == ARGP_KEY_NO_ARGS) {
        argp_usage(state);
    }
    return ARGP_ERR_UNKNOWN;
}

static const struct argp top_argp = {
    .parser = parse_top,
    .args_doc = "COMMAND [ARGUMENT...]",
    .doc = "Tests whether a backend computes DirectML's DML_TOP_K and DML_TOP_K1 as they are "
           "specified.\v ",
    .help_filter = help_filter,
};

static int unknown_command(const char *word)
{
    struct cli_near near;
    char text[CLI_NEAR_TEXT];
    cli_near_start(&near, word, strlen(word));
    for (size_t i = 0; i < cli_command_count; i++) {
        cli_near_offer(&near, cli_commands[i]->name);
    }
    cli_near_print(&near, text, sizeof text);
    cli_error("there is no command '%s'%s", word, text[0] == 0 ? "." : text);
    fputs("Commands:", stderr);
    for (size_t i = 0; i < cli_command_count; i++) {
        fprintf(stderr, " %s", cli_commands[i]->name);
    }
    fputs(". Try `topk-cts --help'.\n", stderr);
    return CLI_USAGE;
}

int cli_main(int argc, char **argv)
{
    static const char *const no_arguments[] = {"topk-cts", NULL};
    argp_err_exit_status = CLI_USAGE;
    argp_program_version = "topk-cts " TOPK_VERSION;
    signal(SIGPIPE, SIG_IGN);
    atexit(close_output);
    if (argc < 1) {
        argc = 1;
        argv = (char **)no_arguments;
    }
    cli_program = argv[0];
    if (argc < 2 || argv[1][0] == '-') {
        static char name[] = "topk-cts";
        argv[0] = name;
        check_option_names(&top_argp, argc < 2 ? argc : 2, argv);
        argp_parse(&top_argp, argc, argv, ARGP_IN_ORDER, NULL, NULL);
        return CLI_USAGE;
    }
    for (size_t i = 0; i < cli_command_count; i++) {
        if (strcmp(argv[1], cli_commands[i]->name) == 0) {
            cli_command_name = cli_commands[i]->name;
            return cli_commands[i]->run(argc - 1, argv + 1);
        }
    }
    return unknown_command(argv[1]);
}
