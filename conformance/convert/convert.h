/* Converts cases to files of other tools, and back. */
#ifndef TOPK_CONVERT_H
#define TOPK_CONVERT_H

#include "export_formats.h"
#include "import_file.h"
#include "import_onnx.h"
#include "import_report.h"

#endif
