/* Makes untrusted text safe for an HTML page. */
#include <inttypes.h>
#include <string.h>

#include "log/log.h"
#include "template.h"

static void put_character(FILE *out, const char *text, size_t length, uint32_t character)
{
    if (length == 0) {
        fprintf(out, "\\x%02x", (unsigned)(unsigned char)*text);
    } else if (topk_text_hidden(character) && character != '\n' && character != '\t') {
        fprintf(out, "\\u%04" PRIx32, character);
    } else if (length == 1 && strchr("&<>\"'", *text) != NULL) {
        fprintf(out, "&#%" PRIu32 ";", character);
    } else {
        fwrite(text, 1, length, out);
    }
}

void topk_html_text(FILE *out, const char *text)
{
    const char *at = text;
    while (*at != 0 && at - text < TOPK_HTML_SHOWN) {
        uint32_t character = 0;
        size_t length = topk_text_character((const unsigned char *)at, &character);
        put_character(out, at, length, character);
        at += length == 0 ? 1 : length;
    }
    if (*at != 0) {
        fprintf(out, "... (%zu characters)", strlen(text));
    }
}
