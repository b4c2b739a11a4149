/* Forms of a report that are text: JSON, Markdown, TAP. report.h says what they take and return. */
#ifndef TOPK_REPORT_TEXT_H
#define TOPK_REPORT_TEXT_H

#include <stdio.h>

#include "summary.h"

bool topk_json_write(FILE *out, const struct topk_summary *summary);

/* For a comment or the summary page of a CI system: short, with the smallest case of the largest
 * causes. */
bool topk_markdown_write(FILE *out, const struct topk_summary *summary);

/* The Test Anything Protocol, version 13: a line a case, in the order of the log, with what is
 * wrong in YAML behind those that failed. The plan is what the header says, so that a run that did
 * not end fails. */
int topk_tap_print(const char *log_path, FILE *out, char *error, size_t error_bytes);

#endif
