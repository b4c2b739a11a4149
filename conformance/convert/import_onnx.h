/* ONNX's tests: a folder with a model and test data. */
#ifndef TOPK_CLI_IMPORT_ONNX_H
#define TOPK_CLI_IMPORT_ONNX_H

/* Imports all test data of a folder with a model; outputs that break a clause do not stop it.
 * Returns what to exit with, after a message. */
int cli_import_onnx(const char *path);

#endif
