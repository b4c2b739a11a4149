/* What --backend can name: a plugin by its path, or a backend that topk-worker has built in. */
#define _POSIX_C_SOURCE 200809L
#include "builtin.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "program.h"
#include "session.h"

size_t cli_backend_name_length(const char *spec)
{
    const size_t drive = topk_path_is_absolute(spec) && spec[0] != '/' && spec[1] == ':' ? 2 : 0;
    return drive + strcspn(spec + drive, ":");
}

bool cli_is_plugin(const char *spec)
{
    const size_t length = cli_backend_name_length(spec);
    const char *suffix = CLI_PLUGIN_SUFFIX;
    const char *found = strstr(spec, suffix);
    while (found != NULL && found[strlen(suffix)] != 0 && found[strlen(suffix)] != ':') {
        found = strstr(found + 1, suffix);
    }
    return found != NULL || memchr(spec, '/', length) != NULL ||
           (CLI_BACKSLASH_PARTS && memchr(spec, '\\', length) != NULL);
}

char *cli_plugin_path(const char *spec)
{
    return cli_is_plugin(spec) ? cli_need(strndup(spec, cli_backend_name_length(spec))) : NULL;
}

/* "DIR/NAME", to be freed; NULL if it is not executable */
static char *executable(const char *dir, size_t dir_length, const char *name)
{
    size_t size = dir_length + strlen(name) + sizeof CLI_PROGRAM_SUFFIX + 1;
    char *path = cli_need(malloc(size));
    snprintf(path, size, "%.*s/%s" CLI_PROGRAM_SUFFIX, (int)dir_length, dir, name);
    if (access(path, X_OK) != 0) {
        free(path);
        path = NULL;
    }
    return path;
}

char *cli_program_find(const char *name, const char *variable)
{
    char own[4096];
    size_t length = sizeof own;
    char *path = NULL;
    const char *given = getenv(variable);
    if (given != NULL && *given != 0) {
        return cli_need(strdup(given));
    }
    if (uv_exepath(own, &length) == 0 && strrchr(own, '/') != NULL) {
        size_t dir = (size_t)(strrchr(own, '/') - own);
        char installed[64];
        snprintf(installed, sizeof installed, "../libexec/topk-cts/%s", name);
        path = executable(own, dir, name);
        if (path == NULL) {
            path = executable(own, dir, installed);
        }
    }
    const char *search = getenv("PATH");
    while (path == NULL && search != NULL && *search != 0) {
        size_t dir = strcspn(search, CLI_PATH_SEPARATOR);
        path = executable(dir == 0 ? "." : search, dir == 0 ? 1 : dir, name);
        search += dir + (search[dir] != 0);
    }
    if (path == NULL) {
        cli_fail(CLI_HARNESS,
                 "%s is neither in the folder of topk-cts, nor in ../libexec/topk-cts, nor in "
                 "PATH. Set the variable %s to its path.",
                 name, variable);
    }
    return path;
}

char *cli_worker_find(void)
{
    return cli_program_find("topk-worker", "TOPK_WORKER");
}

/* time limit in seconds of the worker's answer: a driver that it loads for it may hang */
#define LIMIT "30"

/* Runs `topk-worker ARGUMENT...' and takes each of its lines, `most` at most. Returns how many it
 * took; -1 after a message. */
static ptrdiff_t read_worker(const char *const arguments[], cli_take_line *take, void *list,
                             ptrdiff_t most)
{
    const char *command[8] = {NULL};
    size_t used = 0;
    char *path = cli_worker_find();
    command[used++] = path;
    for (size_t i = 0; arguments[i] != NULL && used < sizeof command / sizeof command[0] - 1; i++) {
        command[used++] = arguments[i];
    }
    /* the worker loads drivers or starts a command: neither may get a secret */
    static const struct cli_contain contain;
    char **withheld = cli_contain_environment(&contain);
    const ptrdiff_t count = cli_program_read(command, withheld, LIMIT, take, list, most);
    cli_contain_environment_free(withheld);
    if (count < 0) {
        cli_error("%s %s %s does not give the expected answer within " LIMIT " s", path,
                  arguments[0], used > 2 ? command[used - 1] : "");
    }
    free(path);
    return count;
}

/* the same; ends the program after the message */
static size_t need_worker(const char *argument, cli_take_line *take, void *list, ptrdiff_t most)
{
    const ptrdiff_t count = read_worker((const char *const[]){argument, NULL}, take, list, most);
    if (count < 0) {
        exit(CLI_HARNESS);
    }
    return (size_t)count;
}

/* a line of `topk-worker --list`: the name, a tab, the summary */
static bool take_builtin(void *list, size_t at, const char *line)
{
    struct cli_builtin *builtin = (struct cli_builtin *)list + at;
    size_t length = strcspn(line, "\t");
    if (length == 0 || length >= sizeof builtin->name || line[length] != '\t') {
        return false;
    }
    snprintf(builtin->name, sizeof builtin->name, "%.*s", (int)length, line);
    snprintf(builtin->summary, sizeof builtin->summary, "%s", line + length + 1);
    return true;
}

size_t cli_builtins_read(struct cli_builtin list[CLI_BUILTINS_MAX])
{
    return need_worker("--list", take_builtin, list, CLI_BUILTINS_MAX);
}

static bool take_device(void *list, size_t at, const char *line)
{
    struct cli_device *device = (struct cli_device *)list + at;
    snprintf(device->options, sizeof device->options, "%s", line);
    return line[0] != 0 && strlen(line) < sizeof device->options;
}

size_t cli_devices_read(const char *backend, struct cli_device list[CLI_DEVICES_MAX])
{
    const ptrdiff_t count = read_worker((const char *const[]){"--devices", backend, NULL},
                                        take_device, list, CLI_DEVICES_MAX);
    return count < 0 ? 0 : (size_t)count;
}

bool cli_command_devices_read(const char *command, struct cli_device list[CLI_DEVICES_MAX],
                              size_t *count)
{
    const ptrdiff_t read =
        read_worker((const char *const[]){"--devices", "--process", CLI_SHELL, command, NULL},
                    take_device, list, CLI_DEVICES_MAX);
    *count = read < 0 ? 0 : (size_t)read;
    return read >= 0;
}

/* takes the next tab-separated word; false if it is empty or does not fit */
static bool take_word(const char **line, char *word, size_t size)
{
    size_t length = strcspn(*line, "\t");
    if (length == 0 || length >= size) {
        return false;
    }
    snprintf(word, size, "%.*s", (int)length, *line);
    *line += length + ((*line)[length] == '\t');
    return true;
}

static bool take_fault(void *list, size_t at, const char *line)
{
    struct cli_fault *fault = (struct cli_fault *)list + at;
    char taken[16];
    if (!take_word(&line, fault->name, sizeof fault->name) ||
        !take_word(&line, fault->class, sizeof fault->class) ||
        !take_word(&line, taken, sizeof taken) ||
        !take_word(&line, fault->seen, sizeof fault->seen) ||
        !take_word(&line, fault->clauses, sizeof fault->clauses) ||
        !take_word(&line, fault->about, sizeof fault->about) ||
        !take_word(&line, fault->size, sizeof fault->size) ||
        !take_word(&line, fault->causes, sizeof fault->causes) ||
        !take_word(&line, fault->few, sizeof fault->few)) {
        return false;
    }
    snprintf(fault->trigger, sizeof fault->trigger, "%s", line);
    fault->allowed = strcmp(taken, "allowed") == 0;
    fault->ends = strcmp(taken, "ends") == 0;
    fault->always = strcmp(taken, "always") == 0;
    fault->guard_pages = strcmp(fault->class, "guard-pages") == 0;
    fault->giant = strcmp(fault->class, "giant") == 0;
    return strlen(line) < sizeof fault->trigger;
}

size_t cli_faults_read(struct cli_fault list[CLI_FAULTS_MAX])
{
    return need_worker("--faults", take_fault, list, CLI_FAULTS_MAX);
}

bool cli_faults_have(const struct cli_fault *list, size_t count, const char *id,
                     struct cli_near *near)
{
    bool known = false;
    cli_near_start(near, id, strlen(id));
    for (size_t i = 0; i < count; i++) {
        known |= strcmp(list[i].name, id) == 0;
        cli_near_offer(near, list[i].name);
    }
    return known;
}

/* checks the name of a fault of the backend faulty */
static void check_fault(const char *id)
{
    static struct cli_fault list[CLI_FAULTS_MAX];
    struct cli_near near;
    /* without an id, the backend itself lists the faults */
    if (*id != 0 && !cli_faults_have(list, cli_faults_read(list), id, &near)) {
        cli_fail(CLI_USAGE, "there is no fault '%s'%s `topk-cts trust --list' lists them", id,
                 cli_near_text(&near, ";"));
    }
}

/* Backends of the suite that a build may lack, and what to do about it. */
static const struct left_out {
    const char *name;
    const char *advice;
} left_out[] = {
    {"directml", "directml is built in on Windows only. On Linux it runs under Wine: "
                 "`scripts/quickstart directml', then --backend-command 'scripts/wine-backend "
                 "directml'"},
    {"d3d12",
     "This build lacks d3d12, which needs libvkd3d-dev, and shaders that are compiled under "
     "Wine. It runs there, too: `scripts/quickstart directml', then --backend-command "
     "'scripts/wine-backend d3d12'"},
    {"vulkan", "This build lacks vulkan: install libvulkan-dev and glslang-tools, and build again"},
    {"onnxruntime", "This build lacks onnxruntime: run scripts/get-onnxruntime, and build again"},
};

/* Returns the row of a backend of the suite that this build does not have, or NULL. */
static const struct left_out *find_left_out(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++) {
        if (length == strlen(left_out[i].name) && memcmp(name, left_out[i].name, length) == 0) {
            return &left_out[i];
        }
    }
    return NULL;
}

/* Suggests what a user who named an unknown backend may have meant. */
static void say_what_may_be_meant(const char *spec, size_t length)
{
    char plugin[4096];
    FILE *file = NULL;
    snprintf(plugin, sizeof plugin, "./%.*s" CLI_PLUGIN_SUFFIX, (int)length, spec);
    file = fopen(plugin, "rb");
    if (find_left_out(spec, length) != NULL) {
        fprintf(stderr, "%s\n", find_left_out(spec, length)->advice);
    } else if (file != NULL) {
        fprintf(stderr, "There is a file %s: do you mean --backend %s?\n", plugin, plugin);
    } else if (strchr(spec, ' ') != NULL) {
        fputs("A command is given by --backend-command\n", stderr);
    }
    if (file != NULL) {
        fclose(file);
    }
}

static void unknown_backend(const char *spec, size_t length, const struct cli_builtin *list,
                            size_t count)
{
    struct cli_near near;
    cli_near_start(&near, spec, length);
    for (size_t i = 0; i < count; i++) {
        cli_near_offer(&near, list[i].name);
    }
    cli_error("there is no backend '%.*s'%s", (int)length, spec, cli_near_text(&near, "."));
    fputs("Built in:", stderr);
    for (size_t i = 0; i < count; i++) {
        fprintf(stderr, " %s", list[i].name);
    }
    fputs(". A plugin is given by its path: --backend ./NAME" CLI_PLUGIN_SUFFIX "\n", stderr);
    say_what_may_be_meant(spec, length);
    /* a gate that skips what is unavailable must not skip a typo */
    exit(find_left_out(spec, length) != NULL ? CLI_UNAVAILABLE : CLI_USAGE);
}

void cli_backend_check(const char *spec)
{
    struct cli_builtin list[CLI_BUILTINS_MAX];
    size_t length = strcspn(spec, ":");
    size_t count = cli_builtins_read(list);
    for (size_t i = 0; i < count; i++) {
        if (strlen(list[i].name) == length && memcmp(list[i].name, spec, length) == 0) {
            if (strcmp(list[i].name, "faulty") == 0 && spec[length] == ':') {
                check_fault(spec + length + 1);
            }
            return;
        }
    }
    unknown_backend(spec, length, list, count);
}
