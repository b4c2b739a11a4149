/* Templates: HTML with tags that are filled from a JSON value, after Mustache; nothing is computed
 * in them. A name is looked up in the innermost section's value that is an object and has it.
 *
 *   {{name}}               a text, made harmless by topk_html_text(); a whole number's digits
 *   {{+name}}              a whole number with a thin space between thousands
 *   {{#name}}...{{/name}}  for each item of a list, or once with an object: a section
 *   {{?name}}...{{/name}}  once, unless the value is missing, false, 0, "" or empty
 *   {{^name}}...{{/name}}  once, if it is that
 *   {{@name}}              the value as JSON that can stand in a script element
 *   {{>name}}              a file of page/ (page.h), as a template
 *
 * a.b is member b of a; . is the section's value itself; a.* is the list of members of an object,
 * each as an object with key and value. */
#ifndef TOPK_TEMPLATE_H
#define TOPK_TEMPLATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Bytes of a text that are shown; of a longer one the start, and how long it is. */
#define TOPK_HTML_SHOWN 2000

/* Writes a template. False if it is wrong (a section that does not end, a file that is not there)
 * or memory is short; whether it could be written the stream tells. */
bool topk_template_write(FILE *out, const char *text, const json_t *value);

/* Writes text as HTML text or as an attribute's value in quotes, TOPK_HTML_SHOWN bytes at most.
 * Characters that turn the direction of writing, which could make a text look like another, and
 * control characters are written as \uNNNN; bytes that are no UTF-8 as \xNN. */
void topk_html_text(FILE *out, const char *text);

#endif
