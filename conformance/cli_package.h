/* What `topk-cts package' and `topk-cts verify' share. */
#ifndef TOPK_CLI_PACKAGE_H
#define TOPK_CLI_PACKAGE_H

#include "cli.h"
#include "package.h"

/* The profiles of this topk-cts as the reports know them; NULL if memory is short. To be freed with
 * its tests by cli_mustpass_free(). */
struct topk_mustpass *cli_mustpass_table(void);
void cli_mustpass_free(struct topk_mustpass *profiles);

/* Reads a file whole, at most `most` bytes, terminated; to be freed. NULL after a message. */
char *cli_file_read(const char *path, size_t most, size_t *size);

/* The log of a run that is given by its folder, or the file itself; to be freed. NULL if memory is
 * short. */
char *cli_log_path(const char *run);

/* Packages that are read; a larger one is no package. */
#define CLI_PACKAGE_MOST ((size_t)2 << 30)
/* Files of keys. */
#define CLI_KEY_MOST ((size_t)65536)

#endif
