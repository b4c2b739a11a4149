/* Templates: HTML with tags, like Mustache, that are filled from a JSON value without computation.
 * A name is looked up in the innermost section whose value is an object with this member.
 *
 *   {{name}}               a text, escaped by topk_html_text(); the digits of a whole number
 *   {{+name}}              a whole number with thin spaces between thousands
 *   {{#name}}...{{/name}}  for each item of a list, or once with an object: a section
 *   {{?name}}...{{/name}}  once, unless the value is missing, false, 0, "" or empty
 *   {{^name}}...{{/name}}  once, if it is one of these
 *   {{@name}}              the value as JSON, for a script element
 *   {{>name}}              a file of page/ (page.h), as a template
 *
 * a.b is member b of a; . is the section's value itself; a.* is the list of members of an object,
 * each as an object with key and value.
 */
#ifndef TOPK_TEMPLATE_H
#define TOPK_TEMPLATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Greatest number of bytes of a text that are shown; of a longer one the start and the length. */
#define TOPK_HTML_SHOWN 2000

/* Writes a template. Returns false if it is malformed (an unclosed section, a missing file) or
 * memory is short; write errors are in the stream. */
bool topk_template_write(FILE *out, const char *text, const json_t *value);

/* Writes text as HTML text or as a quoted attribute value, at most TOPK_HTML_SHOWN bytes.
 * Characters that change the direction of writing, which could disguise a text, and control
 * characters become \uNNNN; bytes that are not UTF-8 become \xNN. */
void topk_html_text(FILE *out, const char *text);

#endif
