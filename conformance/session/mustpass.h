/* The profiles of this topk-cts in the form that packages use. */
#ifndef TOPK_CLI_MUSTPASS_H
#define TOPK_CLI_MUSTPASS_H

#include "package/package.h"

/* Returns a table of topk_profile_count profiles, to be freed with its tests by
 * cli_mustpass_free(). */
struct topk_mustpass *cli_mustpass_table(void);
void cli_mustpass_free(struct topk_mustpass *profiles);

/* Maximum size of a package in bytes; larger files are not packages. */
#define CLI_PACKAGE_MOST ((size_t)2 << 30)
/* Maximum size of a file of keys, in bytes. */
#define CLI_KEY_MOST ((size_t)65536)

#endif
