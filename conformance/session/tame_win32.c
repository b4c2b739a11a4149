/* Replaces control characters in arguments before argp sees them: on Windows stderr cannot be
 * replaced temporarily, and no file name has a control character. See tame.h. */
#include "tame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

error_t cli_parse_tame(const struct argp *argp, int argc, char **argv, void *input)
{
    /* values of options point into these copies, so they live as long as the program */
    static char **tame;
    tame = (char **)calloc((size_t)argc + 1, sizeof *tame);
    if (tame == NULL) {
        return ENOMEM;
    }
    for (int i = 0; i < argc; i++) {
        tame[i] = strdup(argv[i]);
        if (tame[i] == NULL) {
            return ENOMEM;
        }
        for (char *at = tame[i]; *at != 0; at++) {
            if ((unsigned char)*at < 0x20 || *at == 0x7f) {
                *at = '?';
            }
        }
    }
    return argp_parse(argp, argc, tame, 0, NULL, input);
}
