/* Reports whether the outputs of an imported test are right. */
#ifndef TOPK_CLI_IMPORT_REPORT_H
#define TOPK_CLI_IMPORT_REPORT_H

#include "import_case.h"

/* Prints the case and, if both outputs are present, judges them. Returns an exit code, after a
 * message on failure. */
int cli_import_report(const char *path, const struct cli_imported *imported);

#endif
