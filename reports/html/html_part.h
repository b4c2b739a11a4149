/* What the pages share. Within html*.c only. */
#ifndef TOPK_HTML_PART_H
#define TOPK_HTML_PART_H

#include <stdio.h>

#include "log/log.h"
#include "summary/summary.h"

/* Writes a template (template.h) that a view fills, which gets "policy" and is taken. False if
 * memory is short or libsodium cannot be used. */
bool topk_html_page(FILE *out, const char *text, struct topk_object *view);

/* Adds what page/who.html shows beside the facts of the run: what is software in the place of
 * hardware. */
void topk_html_who(struct topk_object *view, const struct topk_summary *summary);

/* The list of cases that the page's script searches: html_cases.c. NULL if memory is short. */
json_t *topk_html_cases(const struct topk_summary *summary);

/* The item of a list of objects that has a text as a member; NULL if there is none. */
json_t *topk_html_find(const json_t *list, const char *key, const char *text);
/* The items of a list that ids name. */
json_t *topk_html_named(const json_t *ids, const json_t *list);
/* A copy of an object with one more member, which is taken. */
json_t *topk_html_with(const json_t *object, const char *key, json_t *value);
/* The clauses of a report; to each its sources, the sentences that lead to it. */
json_t *topk_html_promises(const json_t *report);

#endif
