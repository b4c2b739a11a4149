/* The files that topk-cts import reads. */
#ifndef TOPK_CLI_IMPORT_FILE_H
#define TOPK_CLI_IMPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "import_case.h"

/* Whether DIR/NAME is there, whatever it is. */
bool cli_import_has(const char *dir, const char *name);

/* Says why a file or folder cannot be read; returns CLI_HARNESS. */
int cli_import_unread(const char *path, const char *reason);
/* Says where and why a reader refused a file; returns CLI_HARNESS. */
int cli_import_refused(const char *path, const struct topk_refusal *refusal);

/* Reads a whole file; *bytes is the caller's to free. Returns CLI_CONFORMANT, or what to exit with,
 * after a message. */
int cli_import_bytes(const char *path, unsigned char **bytes, size_t *size);

/* Reads the file of a tensor, NAME in DIR, which may be NULL: ONNX's, else a .npy file. Returns as
 * cli_import_bytes; *packed is to be cleared in any case. */
int cli_import_tensor(const char *dir, const char *name, bool onnx, struct topk_packed *packed);

/* Reads both outputs, or neither where neither is there; one alone is refused. Returns as
 * cli_import_bytes. */
int cli_import_outputs(const char *dir, const char *value, const char *index, bool onnx,
                       struct cli_imported *imported);

#endif
