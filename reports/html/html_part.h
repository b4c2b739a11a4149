/* What the pages share. Within html*.c only. */
#ifndef TOPK_HTML_PART_H
#define TOPK_HTML_PART_H

#include <stdio.h>

#include "log/log.h"
#include "summary/summary.h"

/* Writes a template (template.h) that a view fills, which gets "policy" and is taken. False if
 * memory is short or libsodium cannot be used. */
bool topk_html_page(FILE *out, const char *text, struct topk_object *view);

/* The list of cases that the page's script searches: html_cases.c. NULL if memory is short. */
json_t *topk_html_cases(const struct topk_summary *summary);

#endif
