/* What argp prints, made harmless: see tame.h. On Windows stderr cannot be another stream for a
 * while, and no file has a control character in its name: so arguments lose them before argp sees
 * them. */
#include "tame.h"

#include <stdlib.h>
#include <string.h>

#include "session.h"

error_t cli_parse_tame(const struct argp *argp, int argc, char **argv, void *input)
{
    /* values of options are parts of them: they live as long as the program */
    char **tame = (char **)cli_need(calloc((size_t)argc + 1, sizeof *tame));
    for (int i = 0; i < argc; i++) {
        tame[i] = cli_need(strdup(argv[i]));
        for (char *at = tame[i]; *at != 0; at++) {
            *at = (unsigned char)*at < 0x20 || *at == 0x7f ? '?' : *at;
        }
    }
    return argp_parse(argp, argc, tame, 0, NULL, input);
}
