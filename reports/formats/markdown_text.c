/* See markdown_text.h. */
#include "markdown_text.h"

#include <stdlib.h>
#include <string.h>

#include "log/log.h"

static void put_piece(FILE *out, const char *piece)
{
    for (const char *at = piece; *at != 0; at++) {
        if (*at == '<') {
            fputs("&lt;", out);
        } else if (*at == '>') {
            fputs("&gt;", out);
        } else if (*at == '&') {
            fputs("&amp;", out);
        } else if (*at == '@') {
            fputs("&#64;", out); /* a plain @ could notify a GitHub user */
        } else if (strchr("\n\r\t", *at) != NULL) {
            fputc(' ', out);
        } else {
            fputs(strchr("\\`*_{}[]()#|!~$:", *at) != NULL ? "\\" : "", out);
            fputc(*at, out);
        }
    }
}

/* Writes text so that no character acts as markup, ends a table cell, or starts HTML. */
void topk_markdown_text(FILE *out, const char *text)
{
    char piece[TOPK_TEXT_PIECE];
    while (*text != 0) {
        text = topk_text_xml_piece(text, piece);
        put_piece(out, piece);
    }
}

/* Writes a code block, with a fence that is longer than any run of backquotes in the text. */
void topk_markdown_code(FILE *out, const char *before, const char *text)
{
    size_t longest = 2;
    for (const char *at = text; *at != 0; at += strcspn(at, "`")) {
        size_t length = strspn(at, "`");
        longest = length > longest ? length : longest;
        at += length;
    }
    for (int line = 0; line < 2; line++) {
        for (size_t i = 0; i <= longest; i++) {
            fputc('`', out);
        }
        fputs(line == 0 ? "sh\n" : "\n", out);
        if (line == 0 && *text != 0) {
            topk_text_print(out, before);
            fputc(' ', out);
            topk_text_print(out, text);
        }
        fputs(line == 0 ? "\n" : "", out);
    }
}
