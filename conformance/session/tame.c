/* See tame.h. */
#define _GNU_SOURCE /* fopencookie, strndup */
#include "tame.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "log/log.h"

static ssize_t write_tame(void *terminal, const char *bytes, size_t size)
{
    char *text = strndup(bytes, size);
    if (text != NULL) {
        topk_text_print_lines(terminal, text);
        fflush(terminal);
    }
    free(text);
    return (ssize_t)size;
}

error_t cli_parse_tame(const struct argp *argp, int argc, char **argv, void *input)
{
    /* argp and getopt write to the stream that stderr is when they are called */
    FILE *terminal = stderr;
    FILE *tame = fopencookie(terminal, "w", (cookie_io_functions_t){.write = write_tame});
    if (tame == NULL) {
        return ENOMEM;
    }
    stderr = tame;
    const error_t error = argp_parse(argp, argc, argv, 0, NULL, input);
    stderr = terminal;
    fclose(tame);
    return error;
}
