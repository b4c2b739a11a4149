/* Texts that the reports share. */
#include "text.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "reference/element.h"

void topk_text_bits(uint32_t type, uint64_t bits, char text[TOPK_TEXT_BITS])
{
    uint32_t bytes = topk_type_bytes(type);
    snprintf(text, TOPK_TEXT_BITS, "%0*" PRIx64, (int)(2 * (bytes == 0 ? 8 : bytes)), bits);
}

size_t topk_text_character(const unsigned char *text, uint32_t *character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* shorter forms exist below */
    size_t length = text[0] < 0x80             ? 1
                    : (text[0] & 0xe0) == 0xc0 ? 2
                    : (text[0] & 0xf0) == 0xe0 ? 3
                    : (text[0] & 0xf8) == 0xf0 ? 4
                                               : 0;
    if (length <= 1) {
        *character = text[0];
        return length;
    }
    *character = text[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
        *character = *character << 6 | (text[i] & 0x3fu);
    }
    bool surrogate = *character >= 0xd800 && *character <= 0xdfff;
    return *character < least[length] || surrogate || *character > 0x10ffff ? 0 : length;
}

static bool any_character(uint32_t character)
{
    return character != 0;
}

/* Char of XML 1.0, of what UTF-8 holds */
static bool xml_character(uint32_t character)
{
    return character >= 0x20 ? character != 0xfffe && character != 0xffff
                             : character == '\t' || character == '\n' || character == '\r';
}

static bool line_character(uint32_t character)
{
    return character >= 0x20 && (character < 0x7f || character > 0x9f);
}

static bool lines_character(uint32_t character)
{
    return line_character(character) || character == '\n' || character == '\t';
}

/* Writes the first character of a text, or \xNN for each of its bytes if it is not
 * allowed. Returns what is behind. */
static const char *take_piece(const char *text, bool (*allowed)(uint32_t character), char *piece)
{
    const unsigned char *from = (const unsigned char *)text;
    uint32_t character = 0;
    size_t length = topk_text_character(from, &character);
    if (length > 0 && allowed(character)) {
        memcpy(piece, text, length);
        piece[length] = 0;
        return text + length;
    }
    length = length == 0 ? 1 : length;
    for (size_t i = 0; i < length; i++) {
        snprintf(piece + 4 * i, 5, "\\x%02x", from[i]);
    }
    return text + length;
}

static char *cleaned(const char *text, bool (*allowed)(uint32_t character))
{
    char *clean = calloc(4 * strlen(text) + 1, 1); /* all of it escaped */
    for (char *to = clean; clean != NULL && *text != 0; to += strlen(to)) {
        text = take_piece(text, allowed, to);
    }
    return clean;
}

char *topk_text_utf8(const char *text)
{
    return cleaned(text, any_character);
}

char *topk_text_xml(const char *text)
{
    return cleaned(text, xml_character);
}

const char *topk_text_piece(const char *text, char piece[TOPK_TEXT_PIECE])
{
    return take_piece(text, line_character, piece);
}

void topk_text_line(const char *text, char *line, size_t size)
{
    char piece[TOPK_TEXT_PIECE];
    size_t used = 0;
    while (*text != 0) {
        text = topk_text_piece(text, piece);
        size_t length = strlen(piece);
        if (length >= size - used) {
            break;
        }
        memcpy(line + used, piece, length);
        used += length;
    }
    line[used] = 0;
}

void topk_text_tame(char *text)
{
    char piece[TOPK_TEXT_PIECE];
    char *to = text;
    const char *from = text;
    while (*from != 0) {
        const char *next = topk_text_piece(from, piece);
        const size_t length = strlen(piece);
        if (length == (size_t)(next - from)) {
            memmove(to, from, length);
            to += length;
        } else {
            *to++ = '?';
        }
        from = next;
    }
    *to = 0;
}

static void print(FILE *out, const char *text, bool (*allowed)(uint32_t character))
{
    char piece[TOPK_TEXT_PIECE];
    while (*text != 0) {
        text = take_piece(text, allowed, piece);
        fputs(piece, out);
    }
}

void topk_text_print(FILE *out, const char *text)
{
    print(out, text, line_character);
}

void topk_text_print_lines(FILE *out, const char *text)
{
    print(out, text, lines_character);
}

char *topk_text_make(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text != NULL) {
        va_start(arguments, format);
        vsnprintf(text, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    return text;
}

char *topk_text_shell(const char *text)
{
    char *quoted = malloc(4 * strlen(text) + 3); /* nothing but quotes */
    if (quoted == NULL) {
        return NULL;
    }
    char *to = quoted;
    *to++ = '\'';
    for (; *text != 0; text++) {
        if (*text == '\'') {
            memcpy(to, "'\\''", 4);
            to += 4;
        } else {
            *to++ = *text;
        }
    }
    *to++ = '\'';
    *to = 0;
    return quoted;
}

void topk_sha256_print(const char *bytes, size_t size, char text[TOPK_SHA256_TEXT])
{
    unsigned char digest[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(digest, (const unsigned char *)bytes, size);
    sodium_bin2hex(text, TOPK_SHA256_TEXT, digest, sizeof digest);
}
