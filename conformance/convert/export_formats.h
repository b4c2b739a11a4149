/* The formats of topk-cts export. */
#ifndef TOPK_CLI_EXPORT_FORMATS_H
#define TOPK_CLI_EXPORT_FORMATS_H

#include <stdio.h>

#include "answer.h"
#include "exchange/exchange.h"
#include "folder.h"
#include "reference/operator.h"

/* A case to export. */
struct cli_exported {
    const char *text; /* of the case */
    struct topk_case tc;
    struct topk_validity validity; /* at the feature level that the case asks for */
    bool refused;                  /* it breaks a clause of descriptions, so it has no answer */
    struct topk_answer answer;
};

/* Room for the reason why a format cannot express a case. */
#define CLI_EXPORT_REASON TOPK_DXDISPATCH_REASON

/* The formats: name, description, and the other members of struct cli_export_format. The table of
 * formats and the text of --help are generated from this list. */
#define CLI_EXPORT_FORMATS(FORMAT)                                                                 \
    FORMAT("dxdispatch", "a model for Microsoft's DxDispatch, with its data and what is expected", \
           false, can_dxdispatch, NULL, write_dxdispatch)                                          \
    FORMAT("onnx", "a model with test data, as ONNX's test runners read them", true, NULL,         \
           note_onnx, write_onnx)                                                                  \
    FORMAT("npy", "NumPy arrays", true, NULL, note_npy, write_npy)

struct cli_export_format {
    const char *name;
    bool packed; /* it supports only packed tensors of valid calls */
    /* Whether the format can express a case; if not, writes the reason. NULL: it can express
     * all. */
    bool (*can)(const struct cli_exported *exported, char reason[CLI_EXPORT_REASON]);
    /* Prints what readers of the files need to know besides the notes common to all formats, one
     * line each, prefixed with `start`. NULL: nothing. */
    void (*note)(FILE *out, const struct cli_exported *exported, const char *start);
    /* Writes the files. Returns CLI_CONFORMANT, or an exit code after a message. */
    int (*write)(const struct cli_exported *exported, const struct cli_folder *folder);
};

extern const struct cli_export_format cli_export_formats[];
extern const size_t cli_export_format_count;

#endif
