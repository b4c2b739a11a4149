/* Text from anywhere made fit for the HTML page. */
#include <inttypes.h>
#include <string.h>

#include "html_part.h"
#include "text.h"

/* A character: its bytes, and its number; 0 bytes if there is none. */
static size_t character_at(const char *text, uint32_t *character)
{
    return topk_text_character((const unsigned char *)text, character);
}

/* marks, embeddings, overrides and isolates of the direction of writing; line separators */
static bool turns(uint32_t character)
{
    return character == 0x61c || (character >= 0x200e && character <= 0x200f) ||
           (character >= 0x2028 && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069);
}

static bool control(uint32_t character)
{
    return (character < 0x20 && character != '\n' && character != '\t') ||
           (character >= 0x7f && character < 0xa0) || character == 0xfffe || character == 0xffff;
}

static void put_html(FILE *out, const char *text, size_t length, uint32_t character)
{
    if (length == 0) {
        fprintf(out, "\\x%02x", (unsigned)(unsigned char)*text);
    } else if (turns(character) || control(character)) {
        fprintf(out, "\\u%04" PRIx32, character);
    } else if (character == '&') {
        fputs("&amp;", out);
    } else if (character == '<') {
        fputs("&lt;", out);
    } else if (character == '>') {
        fputs("&gt;", out);
    } else if (character == '"') {
        fputs("&quot;", out);
    } else if (character == '\'') {
        fputs("&#39;", out);
    } else {
        fwrite(text, 1, length, out);
    }
}

static size_t put_until(FILE *out, const char *text, size_t most)
{
    size_t at = 0;
    while (at < most && text[at] != 0) {
        uint32_t character = 0;
        size_t length = character_at(text + at, &character);
        put_html(out, text + at, length, character);
        at += length == 0 ? 1 : length;
    }
    return at;
}

void topk_html_text(FILE *out, const char *text)
{
    put_until(out, text, SIZE_MAX);
}

void topk_html_cut(FILE *out, const char *text, size_t most)
{
    size_t at = put_until(out, text, most);
    if (text[at] != 0) {
        fprintf(out, "... (%zu characters)", strlen(text));
    }
}

void topk_html_json(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text != 0) {
        uint32_t character = 0;
        size_t length = character_at(text, &character);
        if (length == 0) {
            fprintf(out, "\\\\x%02x", (unsigned)(unsigned char)*text);
        } else if (turns(character) || control(character)) {
            fprintf(out, "\\\\u%04" PRIx32, character); /* two: what is seen is \uNNNN here, too */
        } else if (character < 0x20 || strchr("\"\\<>&'", (int)*text) != NULL) {
            fprintf(out, "\\u%04" PRIx32, character);
        } else {
            fwrite(text, 1, length, out);
        }
        text += length == 0 ? 1 : length;
    }
    fputc('"', out);
}

void topk_html_number(FILE *out, uint64_t number)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, number);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0 && length > 4) {
            fputs("\u202f", out);
        }
        fputc(digits[i], out);
    }
}

void topk_html_verdict(FILE *out, enum topk_verdict verdict)
{
    const char *kind = topk_verdict_failure(verdict)  ? "bad"
                       : verdict == TOPK_VERDICT_PASS ? "good"
                                                      : "plain";
    fprintf(out, "<span class=\"badge %s\">%s</span>", kind, topk_verdict_word(verdict));
}

void topk_html_time(FILE *out, double nanoseconds)
{
    static const char *const units[] = {"ns", "\u00b5s", "ms", "s"};
    unsigned unit = 0;
    while (unit < 3 && nanoseconds >= 1000) {
        nanoseconds /= 1000;
        unit++;
    }
    fprintf(out, "%.3g %s", nanoseconds, units[unit]);
}
