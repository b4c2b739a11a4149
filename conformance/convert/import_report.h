/* Whether the outputs of a test that was imported are right. */
#ifndef TOPK_CLI_IMPORT_REPORT_H
#define TOPK_CLI_IMPORT_REPORT_H

#include "import_case.h"

/* Prints the case, and judges the outputs if both are there. Returns what to exit with, after what
 * is to be said. */
int cli_import_report(const char *path, const struct cli_imported *imported);

#endif
