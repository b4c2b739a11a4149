/* Reads the files of topk-cts import. */
#ifndef TOPK_CLI_IMPORT_FILE_H
#define TOPK_CLI_IMPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "import_case.h"

/* Whether DIR/NAME exists, of any kind. True if that cannot be determined: reading it then reports
 * the error. */
bool cli_import_has(const char *dir, const char *name);

/* Reports why a file or folder cannot be read; returns CLI_HARNESS. */
int cli_import_unread(const char *path, const char *reason);
/* Reports where and why a reader rejected a file; returns CLI_HARNESS. */
int cli_import_refused(const char *path, const struct topk_refusal *refusal);

/* Reads a whole file; the caller frees *bytes in any case. Returns CLI_CONFORMANT, or an exit code
 * after a message. */
int cli_import_bytes(const char *path, unsigned char **bytes, size_t *size);

/* Reads tensor file NAME in folder DIR, which may be NULL; an ONNX tensor or a .npy file. Returns
 * as cli_import_bytes() does. The caller clears *packed in any case. */
int cli_import_tensor(const char *dir, const char *name, bool onnx, struct topk_packed *packed);

/* Reads both outputs, or none if both files are absent; rejects a single output. Returns as
 * cli_import_bytes() does. */
int cli_import_outputs(const char *dir, const char *value, const char *index, bool onnx,
                       struct cli_imported *imported);

#endif
