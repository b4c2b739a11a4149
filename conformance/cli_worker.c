/* From --backend and --worker to a command that the runner can start. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "cli.h"
#include "host.h"
#include "text.h"

/* whether --backend names a plugin instead of a backend that is built in */
static bool is_plugin(const char *spec)
{
    const char *so = strstr(spec, ".so");
    while (so != NULL && so[3] != 0 && so[3] != ':') {
        so = strstr(so + 1, ".so");
    }
    return so != NULL || memchr(spec, '/', strcspn(spec, ":")) != NULL;
}

static bool known_backend(const char *spec, size_t length)
{
    for (size_t i = 0; i < topk_builtin_backend_count; i++) {
        const char *name = topk_builtin_backends[i]->name;
        if (strlen(name) == length && memcmp(name, spec, length) == 0) {
            return true;
        }
    }
    return false;
}

static int unknown_backend(const char *spec, size_t length)
{
    struct cli_near near;
    char text[CLI_NEAR_TEXT];
    cli_near_start(&near, spec, length);
    for (size_t i = 0; i < topk_builtin_backend_count; i++) {
        cli_near_offer(&near, topk_builtin_backends[i]->name);
    }
    cli_near_print(&near, text, sizeof text);
    cli_error("there is no backend '%.*s'%s", (int)length, spec, text[0] == 0 ? "." : text);
    fputs("Built in:", stderr);
    for (size_t i = 0; i < topk_builtin_backend_count; i++) {
        fprintf(stderr, " %s", topk_builtin_backends[i]->name);
    }
    fputs(". A plugin is given by its path: --backend ./NAME.so\n", stderr);
    return CLI_UNAVAILABLE;
}

/* "DIR/NAME" if it can be run; to be freed */
static char *executable(const char *dir, size_t dir_length, const char *name)
{
    size_t size = dir_length + strlen(name) + 2;
    char *path = malloc(size);
    if (path == NULL) {
        return NULL;
    }
    snprintf(path, size, "%.*s/%s", (int)dir_length, dir, name);
    if (access(path, X_OK) != 0) {
        free(path);
        path = NULL;
    }
    return path;
}

/* topk-worker beside this program, where it is installed, or in PATH; to be freed */
static char *find_worker(void)
{
    char own[4096];
    size_t length = sizeof own;
    char *path = NULL;
    const char *given = getenv("TOPK_WORKER");
    if (given != NULL && *given != 0) {
        return strdup(given);
    }
    if (uv_exepath(own, &length) == 0 && strrchr(own, '/') != NULL) {
        size_t dir = (size_t)(strrchr(own, '/') - own);
        path = executable(own, dir, "topk-worker");
        if (path == NULL) {
            path = executable(own, dir, "../libexec/topk-cts/topk-worker");
        }
    }
    const char *search = getenv("PATH");
    while (path == NULL && search != NULL && *search != 0) {
        size_t dir = strcspn(search, ":");
        path = executable(dir == 0 ? "." : search, dir == 0 ? 1 : dir, "topk-worker");
        search += dir + (search[dir] == ':');
    }
    return path;
}

int cli_worker_command(const struct cli_backend *backend, struct cli_worker_command *command)
{
    memset(command, 0, sizeof *command);
    if (backend->worker != NULL) {
        command->arguments[0] = "/bin/sh";
        command->arguments[1] = "-c";
        command->arguments[2] = backend->worker;
        return CLI_CONFORMANT;
    }
    size_t length = strcspn(backend->spec, ":");
    if (!is_plugin(backend->spec) && !known_backend(backend->spec, length)) {
        return unknown_backend(backend->spec, length);
    }
    command->path = find_worker();
    if (command->path == NULL) {
        cli_error("topk-worker is neither beside topk-cts, nor in ../libexec/topk-cts, nor in "
                  "PATH. The variable TOPK_WORKER can name it.");
        return CLI_HARNESS;
    }
    command->arguments[0] = command->path;
    command->arguments[1] = "--backend";
    command->arguments[2] = backend->spec;
    return CLI_CONFORMANT;
}

void cli_worker_command_free(struct cli_worker_command *command)
{
    free(command->path);
    command->path = NULL;
}

int cli_runner_failed(enum topk_runner_status status, const char *backend, const char *error)
{
    switch (status) {
    case TOPK_RUNNER_UNAVAILABLE:
        cli_error("the backend '%s' is unavailable: %s", backend, error);
        return CLI_UNAVAILABLE;
    case TOPK_RUNNER_INTERRUPTED:
        cli_error("interrupted");
        return CLI_INCOMPLETE;
    default:
        cli_error("%s", error);
        return CLI_HARNESS;
    }
}

void cli_identity_print(FILE *out, const struct topk_greeting *greeting)
{
    fprintf(out, "%s", greeting->name[0] == 0 ? "(no name)" : greeting->name);
    if (greeting->version[0] != 0) {
        fprintf(out, " %s", greeting->version);
    }
    if (greeting->device[0] != 0) {
        fprintf(out, " on %s", greeting->device);
    }
    if (greeting->driver[0] != 0) {
        fprintf(out, ", driver %s", greeting->driver);
    }
    fprintf(out, ", feature level %u.%u", (unsigned)(greeting->level >> 12),
            (unsigned)(greeting->level >> 8 & 15));
    if ((greeting->flags & TOPK_BACKEND_SOFTWARE) != 0) {
        fputs(" (software standing in for hardware)", out);
    }
    fputc('\n', out);
    if (greeting->features[0] != 0) {
        fprintf(out, "  features: %s\n", greeting->features);
    }
}

/* a word as a shell reads it, without quotes where none are needed; to be freed */
static char *shell_word(const char *word)
{
    const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/:=+,@-";
    bool as_it_is = *word != 0 && word[strspn(word, plain)] == 0;
    return as_it_is ? strdup(word) : topk_text_shell(word);
}

char *cli_replay_command(const struct cli_backend *backend)
{
    char *program = shell_word(cli_program);
    char *spec = shell_word(backend->spec != NULL ? backend->spec : backend->worker);
    char *command = NULL;
    if (program != NULL && spec != NULL) {
        size_t size = strlen(program) + strlen(spec) + 32;
        command = malloc(size);
        if (command != NULL) {
            snprintf(command, size, "%s replay %s %s", program,
                     backend->spec != NULL ? "--backend" : "--worker", spec);
        }
    }
    free(program);
    free(spec);
    return command;
}
