/* Starts a program and reads the few lines that it prints: see program.h. */
#define _POSIX_C_SOURCE 200809L
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"
#include "session.h"

extern char **environ; /* NOLINT(readability-redundant-declaration): not every system declares it */

/* "exec timeout SECONDS WORD..."; to be freed */
static char *shell_command(const char *const *command, const char *seconds)
{
    char *text = cli_need(topk_text_make("exec timeout %s", seconds));
    for (; *command != NULL; command++) {
        char *quoted = cli_need(topk_text_shell_exact(*command));
        char *longer = cli_need(topk_text_make("%s %s", text, quoted));
        free(quoted);
        free(text);
        text = longer;
    }
    return text;
}

ptrdiff_t cli_program_read(const char *const *command, char *const *environment,
                           const char *seconds, cli_take_line *take, void *list, ptrdiff_t most)
{
    char line[1024];
    ptrdiff_t count = 0;
    char *text = shell_command(command, seconds);
    char **const own = environ;
    environ = (char **)environment;
    /* NOLINTNEXTLINE(bugprone-command-processor): each word is quoted */
    FILE *out = popen(text, "r");
    environ = own;
    bool read = out != NULL;
    while (read && count < most && fgets(line, sizeof line, out) != NULL) {
        line[strcspn(line, "\n")] = 0;
        read = take(list, (size_t)count, line);
        count += read;
    }
    read = read && ferror(out) == 0;
    read = out != NULL && pclose(out) == 0 && read;
    free(text);
    return read ? count : -1;
}
