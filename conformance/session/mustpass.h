/* The profiles of this topk-cts in the form that packages use. */
#ifndef TOPK_CLI_MUSTPASS_H
#define TOPK_CLI_MUSTPASS_H

#include "package/package.h"

/* A table of them, topk_profile_count long. To be freed with its tests by
 * cli_mustpass_free(). */
struct topk_mustpass *cli_mustpass_table(void);
void cli_mustpass_free(struct topk_mustpass *profiles);

/* Packages that are read; a larger one is no package. */
#define CLI_PACKAGE_MOST ((size_t)2 << 30)
/* Files of keys. */
#define CLI_KEY_MOST ((size_t)65536)

#endif
