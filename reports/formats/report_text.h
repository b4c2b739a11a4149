/* Forms of a report that are text: Markdown. report.h says what they take and return. */
#ifndef TOPK_REPORT_TEXT_H
#define TOPK_REPORT_TEXT_H

#include <stdio.h>

#include "summary/summary.h"

/* For a comment or the summary page of a CI system: short, with the smallest case of the largest
 * causes. */
bool topk_markdown_write(FILE *out, const struct topk_summary *summary);

#endif
