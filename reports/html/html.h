/* A run as self-contained HTML pages: without a server, network access or other files. They are
 * made from page/, whose {{NAME}}s are sections. */
#ifndef TOPK_HTML_H
#define TOPK_HTML_H

#include <stdio.h>

#include "summary/summary.h"

/* Writes the page. Returns false if memory is short; write errors are in the stream. */
bool topk_html_write(FILE *out, const struct topk_summary *summary);

/* Writes the traceability matrix: which sentences of the documents were tested, and by what.
 * Returns the same. */
bool topk_matrix_html_write(FILE *out, const struct topk_summary *summary);

#endif
