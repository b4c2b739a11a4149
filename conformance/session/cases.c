/* Cases from files that list them, one a line. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"

int cli_cases_parse(struct cli_cases *cases, FILE *file, const char *name)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    unsigned long number = 0;
    size_t before = cases->count;
    int code = CLI_CONFORMANT;
    errno = 0;
    while (code == CLI_CONFORMANT && (length = getline(&line, &room, file)) >= 0) {
        char where[512];
        number++;
        while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r')) {
            length--;
        }
        /* some editors begin a file with a byte order mark */
        const size_t mark =
            number == 1 && length >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        if ((size_t)length == mark || line[mark] == '#') {
            continue;
        }
        snprintf(where, sizeof where, "%.400s, line %lu: ", name, number);
        code = cli_cases_add(cases, line + mark, (size_t)length - mark, where);
    }
    if (ferror(file) != 0 || (code == CLI_CONFORMANT && feof(file) == 0)) {
        const int reason = errno;
        cli_error("cannot read %s: %s", name, strerror(reason));
        code = cli_errno_exit(reason);
    }
    if (code == CLI_CONFORMANT && cases->count == before) {
        cli_error("%s has no case", name);
        code = CLI_INCOMPLETE;
    }
    free(line);
    return code;
}

int cli_cases_read(struct cli_cases *cases, const char *path)
{
    if (path == NULL) {
        return cli_cases_parse(cases, stdin, "standard input");
    }
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        cli_error("cannot read %s: %s", path, strerror(errno));
        return CLI_USAGE;
    }
    const int code = cli_cases_parse(cases, file, path);
    fclose(file);
    return code;
}
