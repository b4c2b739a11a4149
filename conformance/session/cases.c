/* Reads cases from files, one per line. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"

/* Reads a line without its end and returns its length; -1 at the end of the file, or if it cannot
 * be read. Only the first TOPK_CASE_ID characters are kept; *too_long says that a line that is not
 * a comment has more. */
static long read_line(FILE *file, char line[TOPK_CASE_ID + 1], bool *too_long)
{
    size_t length = 0;
    int c = getc(file);
    *too_long = false;
    if (c == EOF) {
        return -1;
    }
    for (; c != EOF && c != '\n'; c = getc(file)) {
        if (length < TOPK_CASE_ID) {
            line[length++] = (char)c;
        } else if (line[0] != '#') {
            *too_long = true; /* the rest of the line may be endless */
            break;
        }
    }
    while (length > 0 && line[length - 1] == '\r') {
        length--;
    }
    line[length] = 0;
    return ferror(file) != 0 ? -1 : (long)length;
}

int cli_cases_parse(struct cli_cases *cases, FILE *file, const char *name)
{
    char *line = cli_need(malloc(TOPK_CASE_ID + 1));
    bool too_long;
    long length;
    unsigned long number = 0;
    size_t before = cases->count;
    int code = CLI_CONFORMANT;
    errno = 0;
    while (code == CLI_CONFORMANT && (length = read_line(file, line, &too_long)) >= 0) {
        char where[512];
        number++;
        /* some editors begin a file with a byte order mark */
        const size_t mark =
            number == 1 && length >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        if ((size_t)length == mark || line[mark] == '#') {
            continue;
        }
        snprintf(where, sizeof where, "%.400s, line %lu: ", name, number);
        if (too_long) {
            cli_error("%sno case has more than %u characters", where, TOPK_CASE_ID);
            code = CLI_USAGE;
            break;
        }
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
