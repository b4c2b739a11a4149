/* Text in Markdown for GitHub and GitLab. */
#ifndef TOPK_MARKDOWN_TEXT_H
#define TOPK_MARKDOWN_TEXT_H

#include <stdio.h>

/* Writes text without any effect as markup, end of a table cell, HTML or line end. */
void topk_markdown_text(FILE *out, const char *text);

/* Writes a block of shell code: `before`, a space and `text`. Its fence is longer than any run of
 * backquotes in the text. */
void topk_markdown_code(FILE *out, const char *before, const char *text);

#endif
