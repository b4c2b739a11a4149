/* A run as one HTML page that needs nothing else: no server, no network, no other file. It is made
 * of page/report.html, whose {{NAME}}s are sections. */
#ifndef TOPK_HTML_H
#define TOPK_HTML_H

#include <stdio.h>

#include "summary/summary.h"

/* Writes the page. False if memory is short; whether it could be written the stream tells. */
bool topk_html_write(FILE *out, const struct topk_summary *summary);

#endif
