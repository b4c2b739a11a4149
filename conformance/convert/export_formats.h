/* The formats of topk-cts export. */
#ifndef TOPK_CLI_EXPORT_FORMATS_H
#define TOPK_CLI_EXPORT_FORMATS_H

#include <stdio.h>

#include "answer.h"
#include "exchange/exchange.h"
#include "folder.h"
#include "reference/operator.h"

/* A case that is exported. */
struct cli_exported {
    const char *text; /* the case's */
    struct topk_case tc;
    struct topk_validity validity; /* at the level that it asks for */
    bool refused;                  /* it breaks a clause of descriptions: it has no answer */
    struct topk_answer answer;
};

/* Room for why a format cannot say a case. */
#define CLI_EXPORT_REASON TOPK_DXDISPATCH_REASON

/* The formats: name, what it is, and the other members of struct cli_export_format. The table and
 * the text of --help are made from it. */
#define CLI_EXPORT_FORMATS(FORMAT)                                                                 \
    FORMAT("dxdispatch", "a model for Microsoft's DxDispatch, with its data and what is expected", \
           false, can_dxdispatch, NULL, write_dxdispatch)                                          \
    FORMAT("onnx", "a model with test data, as ONNX's test runners read them", true, NULL,         \
           note_onnx, write_onnx)                                                                  \
    FORMAT("npy", "NumPy arrays", true, NULL, note_npy, write_npy)

struct cli_export_format {
    const char *name;
    bool packed; /* it knows packed tensors of valid calls only */
    /* Whether it can say a case; if not, why. NULL: every one. */
    bool (*can)(const struct cli_exported *exported, char reason[CLI_EXPORT_REASON]);
    /* Prints what a reader of its files has to know besides what every format's has to, a line
     * each, with `start` before it. NULL: nothing. */
    void (*note)(FILE *out, const struct cli_exported *exported, const char *start);
    /* Writes the files. Returns CLI_CONFORMANT, or what to exit with, after a message. */
    int (*write)(const struct cli_exported *exported, const struct cli_folder *folder);
};

extern const struct cli_export_format cli_export_formats[];
extern const size_t cli_export_format_count;

#endif
