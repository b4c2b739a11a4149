/* Shared by the pages. Private to html*.c. */
#ifndef TOPK_HTML_PART_H
#define TOPK_HTML_PART_H

#include <stdio.h>

#include "log/log.h"
#include "summary/summary.h"

/* Writes a template (template.h), filled from a view, which gets "policy" and is consumed. Returns
 * false if memory is short or libsodium is not usable. */
bool topk_html_page(FILE *out, const char *text, struct topk_object *view);

/* Adds what page/who.html shows besides the facts of the run: what is software that stands in for
 * hardware. */
void topk_html_who(struct topk_object *view, const struct topk_summary *summary);

/* The list of cases that the page's script searches, in html_cases.c. NULL if memory is short. */
json_t *topk_html_cases(const struct topk_summary *summary);

/* The first object of a list with this text as a member; NULL if there is none. */
json_t *topk_html_find(const json_t *list, const char *key, const char *text);
/* The items of a list with these ids. */
json_t *topk_html_named(const json_t *ids, const json_t *list);
/* A copy of an object with one more member, which is consumed. */
json_t *topk_html_with(const json_t *object, const char *key, json_t *value);
/* The clauses of a report, each with its sources: the sentences that it follows from. */
json_t *topk_html_promises(const json_t *report);

#endif
