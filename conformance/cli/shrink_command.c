/* Makes the command that builds and runs the C program of topk-cts shrink. */
#define _XOPEN_SOURCE 700
#include "shrink_command.h"

#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "log/log.h"

/* quotes a path as one word of a shell, and frees the path */
static char *word_of(char *path)
{
    char *word = cli_need(topk_text_shell(cli_need(path)));
    free(path);
    return word;
}

/* cuts the name off the path of a file, and returns the path */
static char *folder_of(char *path)
{
    char *slash = strrchr(path, '/');
    slash[slash == path] = 0;
    return path;
}

/* the folder of topk_backend.h, relative to this program, when installed or in the build folder */
static char *include_folder(void)
{
    static const char *const places[] = {"../include", "../../../backends/include"};
    char own[4096];
    size_t length = sizeof own;
    char *found = NULL;
    if (uv_exepath(own, &length) == 0 && strrchr(own, '/') != NULL) {
        folder_of(own);
        for (size_t i = 0; i < sizeof places / sizeof places[0] && found == NULL; i++) {
            char *header = cli_need(topk_text_make("%s/%s/topk_backend.h", own, places[i]));
            found = realpath(header, NULL);
            free(header);
        }
    }
    return found == NULL ? strdup(CLI_UNKNOWN_HEADERS) : folder_of(found);
}

/* the plugin to link the C program with */
static char *plugin_of(const struct cli_backend *backend)
{
    char *given = backend->spec == NULL ? NULL : cli_plugin_path(backend->spec);
    char *found = given == NULL ? NULL : realpath(given, NULL);
    free(given);
    return found == NULL ? strdup("./" CLI_UNKNOWN_PLUGIN) : found;
}

char *cli_shrink_command(const struct cli_backend *backend, const char *c_path)
{
    const size_t length = strlen(c_path);
    const bool suffix = length > 2 && strcmp(c_path + length - 2, ".c") == 0;
    char *plugin = cli_need(plugin_of(backend));
    char *source = word_of(strdup(c_path));
    char *library = word_of(strdup(plugin));
    char *libraries = word_of(folder_of(plugin));
    char *headers = word_of(include_folder());
    char *program =
        word_of(topk_text_make("%s%.*s%s", strchr(c_path, '/') == NULL ? "./" : "",
                               (int)(suffix ? length - 2 : length), c_path, suffix ? "" : ".x"));
    const char *options = backend->spec == NULL ? NULL : strstr(backend->spec, ".so:");
    char *argument = word_of(strdup(options == NULL ? "" : options + 4));
    char *command = cli_need(topk_text_make(
        "cc -std=c17 -I %s -o %s %s %s -Wl,-rpath,%s -lm && %s%s%s", headers, program, source,
        library, libraries, program, options == NULL ? "" : " ", options == NULL ? "" : argument));
    free(source);
    free(library);
    free(libraries);
    free(headers);
    free(program);
    free(argument);
    return command;
}
