/* Text in Markdown, as GitHub and GitLab show it. */
#ifndef TOPK_MARKDOWN_TEXT_H
#define TOPK_MARKDOWN_TEXT_H

#include <stdio.h>

/* Writes text that is nothing but text: no markup, no table's end, no HTML, no line end. */
void topk_markdown_text(FILE *out, const char *text);

/* Writes a block of shell code, `before` and `text` with a space between them. Its fence is longer
 * than any run of backquotes in the text. */
void topk_markdown_code(FILE *out, const char *before, const char *text);

#endif
