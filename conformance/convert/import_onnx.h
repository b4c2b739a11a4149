/* Imports ONNX test folders, which contain a model and test data. */
#ifndef TOPK_CLI_IMPORT_ONNX_H
#define TOPK_CLI_IMPORT_ONNX_H

/* Imports all test data of a folder. Goes on after outputs that break a clause. Returns an exit
 * code, after a message on failure. */
int cli_import_onnx(const char *path);

#endif
