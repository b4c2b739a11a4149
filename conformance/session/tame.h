/* Escapes control characters in the output of argp, which quotes arguments unchanged. */
#ifndef TOPK_SESSION_TAME_H
#define TOPK_SESSION_TAME_H

#include <argp.h>

/* argp_parse(), of which no control character reaches the terminal. */
error_t cli_parse_tame(const struct argp *argp, int argc, char **argv, void *input);

#endif
