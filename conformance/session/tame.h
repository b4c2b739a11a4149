/* Escapes control characters in the output of argp, which quotes arguments unchanged. */
#ifndef TOPK_SESSION_TAME_H
#define TOPK_SESSION_TAME_H

#include <argp.h>

/* Like argp_parse(), but escapes control characters in everything it prints. On Windows it replaces
 * them in the arguments instead. */
error_t cli_parse_tame(const struct argp *argp, int argc, char **argv, void *input);

#endif
