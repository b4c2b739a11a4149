/* topk-cts backends: lists the built-in backends, and says which of them work here. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "log/log.h"

struct options {
    const char *command; /* NULL: list the built-in backends */
};

static error_t parse_backends(int key, char *argument, struct argp_state *state)
{
    return key == ARGP_KEY_ARG ? cli_parse_none(key, argument, state)
                               : cli_store(key, argument, state);
}

const struct argp cli_backends_argp = {
    .options =
        (const struct argp_option[]){
            {"backend-command", CLI_TEXT(struct options, command), "COMMAND", 0,
             "List the devices of the process that this shell command starts instead", 0},
            {0},
        },
    .parser = parse_backends,
    .doc = "Lists the built-in backends. Opens each in a worker, on each of its devices, and "
           "prints its version, device and driver, or why it does not work here.",
};

/* Opens a backend and prints its identity, or why it is unavailable. */
static void print_identity(const struct cli_backend *backend)
{
    struct cli_worker_command command;
    static struct topk_greeting greeting; /* static, to keep the stack small */
    enum topk_runner_status status;
    char error[TOPK_RUNNER_ERROR];
    cli_worker_command(backend, 1, &command);
    struct topk_runner_options options = {.command = command.arguments,
                                          .environment = command.environment,
                                          .jobs = 1,
                                          .timeout = backend->timeout};
    struct topk_runner *runner = topk_runner_open(&options, &greeting, &status, error);
    if (runner != NULL) {
        fputs("available: ", stdout);
        cli_identity_print(stdout, &greeting);
        topk_runner_close(runner);
    } else if (status == TOPK_RUNNER_UNAVAILABLE || status == TOPK_RUNNER_MISDECLARED) {
        fputs(status == TOPK_RUNNER_UNAVAILABLE ? "unavailable: " : "misdeclared: ", stdout);
        topk_text_print_lines(stdout, error);
        putchar('\n');
    } else {
        putchar('\n');
        exit(cli_runner_failed(status, error));
    }
    cli_worker_command_free(&command);
}

/* The backend faulty opens only with a fault, and has hundreds of them: `none' stands for all. */
static void print_faulty(void)
{
    static struct cli_fault list[CLI_FAULTS_MAX];
    printf("%zu faults: `topk-cts trust --list' lists them\n  faulty:none: ",
           cli_faults_read(list));
    fflush(stdout);
    print_identity(&(struct cli_backend){.spec = "faulty:none", .timeout = 30});
}

static void print_backend(const struct cli_builtin *built_in)
{
    static struct cli_device devices[CLI_DEVICES_MAX]; /* static, to keep the stack small */
    printf("%s: %s\n  ", built_in->name, built_in->summary);
    fflush(stdout);
    if (strcmp(built_in->name, "faulty") == 0) {
        print_faulty();
        return;
    }
    /* without a list of devices the backend may still open, or prints why it does not */
    const size_t count = cli_devices_read(built_in->name, devices);
    if (count < 2) {
        print_identity(&(struct cli_backend){.spec = built_in->name, .timeout = 30});
        return;
    }
    for (size_t i = 0; i < count; i++) {
        char spec[sizeof built_in->name + sizeof devices[i].options + 1];
        snprintf(spec, sizeof spec, "%.63s:%.255s", built_in->name, devices[i].options);
        printf("%s%s: ", i == 0 ? "" : "  ", devices[i].options);
        fflush(stdout);
        print_identity(&(struct cli_backend){.spec = spec, .timeout = 30});
    }
}

/* Prints the devices of a command; false after a message. */
static bool print_devices(const char *command)
{
    static struct cli_device devices[CLI_DEVICES_MAX]; /* static, to keep the stack small */
    struct cli_backend backend = {.command = command, .timeout = 30};
    size_t count;
    if (!cli_command_devices_read(command, devices, &count)) {
        return false;
    }
    if (count == 0) {
        print_identity(&backend);
    }
    for (size_t i = 0; i < count; i++) {
        topk_text_print(stdout, devices[i].options);
        fputs(": ", stdout);
        fflush(stdout);
        backend.device = devices[i].options;
        print_identity(&backend);
    }
    if (count > 0) {
        puts("Choose a device with --device DEVICE, together with --backend-command.");
    }
    return true;
}

int cli_backends(int argc, char **argv)
{
    struct cli_builtin list[CLI_BUILTINS_MAX];
    struct options options = {.command = NULL};
    cli_parse(&cli_backends_argp, argc, argv, &options);
    if (options.command != NULL) {
        return print_devices(options.command) ? CLI_CONFORMANT : CLI_UNAVAILABLE;
    }
    const size_t count = cli_builtins_read(list);
    for (size_t i = 0; i < count; i++) {
        print_backend(&list[i]);
    }
    puts("Options follow a colon: --backend NAME:OPTIONS.\n"
         "A plugin, a shared library that exports topk_backend_entry(), is given by its path:\n"
         "--backend ./NAME" CLI_PLUGIN_SUFFIX
         ". Any command that speaks the backend protocol is given by\n"
         "--backend-command 'COMMAND'.");
    return CLI_CONFORMANT;
}
