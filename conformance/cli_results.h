/* What a run leaves in a folder, as commands that read it take it. */
#ifndef TOPK_CLI_RESULTS_H
#define TOPK_CLI_RESULTS_H

/* The log of a folder that `run --out` made, or the file itself. To be freed; NULL if memory is
 * short. */
char *cli_log_path(const char *path);

#endif
