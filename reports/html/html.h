/* A run as HTML pages that need nothing else: no server, no network, no other file. They are made
 * of page, whose {{NAME}}s are sections. */
#ifndef TOPK_HTML_H
#define TOPK_HTML_H

#include <stdio.h>

#include "summary/summary.h"

/* Writes the page. False if memory is short; whether it could be written the stream tells. */
bool topk_html_write(FILE *out, const struct topk_summary *summary);

/* Writes the traceability matrix: which sentences of the documents were shown, and by what. Returns
 * the same. */
bool topk_matrix_html_write(FILE *out, const struct topk_summary *summary);

#endif
