/* Texts that the reports share. */
#include "text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "reference/element.h"

void topk_text_bits(uint32_t type, uint64_t bits, char text[TOPK_TEXT_BITS])
{
    uint32_t bytes = topk_type_bytes(type);
    snprintf(text, TOPK_TEXT_BITS, "%0*" PRIx64, (int)(2 * (bytes == 0 ? 8 : bytes)), bits);
}

size_t topk_text_character(const unsigned char *text, uint32_t *character)
{
    /* smallest character that needs so many bytes; shorter forms exist for those below */
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
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

/* ---- what nobody sees ------------------------------------------------------------------------ */

/* By Unicode 15: controls (Cc), format characters (Cf), line and paragraph separators (Zl, Zp),
 * characters that are ignored where they cannot be shown (Default_Ignorable_Code_Point), and
 * noncharacters. Surrogates are not valid UTF-8 anyway. Sorted. */
static const struct {
    uint32_t first, last;
} hidden[] = {
    {0x0, 0x1f},        {0x7f, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},
    {0x600, 0x605},     {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},
    {0x890, 0x891},     {0x8e2, 0x8e2},     {0x115f, 0x1160},   {0x17b4, 0x17b5},
    {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},
    {0x3164, 0x3164},   {0xfdd0, 0xfdef},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},
    {0xffa0, 0xffa0},   {0xfff0, 0xfffb},   {0xfffe, 0xffff},   {0x110bd, 0x110bd},
    {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
    {0x1fffe, 0x1ffff}, {0x2fffe, 0x2ffff}, {0x3fffe, 0x3ffff}, {0x4fffe, 0x4ffff},
    {0x5fffe, 0x5ffff}, {0x6fffe, 0x6ffff}, {0x7fffe, 0x7ffff}, {0x8fffe, 0x8ffff},
    {0x9fffe, 0x9ffff}, {0xafffe, 0xaffff}, {0xbfffe, 0xbffff}, {0xcfffe, 0xcffff},
    {0xdfffe, 0xe0fff}, {0xefffe, 0xeffff}, {0xffffe, 0xfffff}, {0x10fffe, 0x10ffff},
};

bool topk_text_hidden(uint32_t character)
{
    size_t from = 0;
    size_t to = sizeof hidden / sizeof hidden[0];
    if (character >= 0x20 && character < 0x7f) {
        return false;
    }
    while (from < to) {
        const size_t middle = (from + to) / 2;
        if (character > hidden[middle].last) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from < sizeof hidden / sizeof hidden[0] && character >= hidden[from].first;
}

/* ---- forms of a text ------------------------------------------------------------------------- */

static bool any_character(uint32_t character)
{
    return character != 0;
}

static bool line_character(uint32_t character)
{
    return !topk_text_hidden(character);
}

static bool lines_character(uint32_t character)
{
    return line_character(character) || character == '\n' || character == '\t';
}

/* Returns whether XML 1.0 allows the character (its Char), given that it is valid and visible. */
static bool xml_character(uint32_t character)
{
    return lines_character(character) || character == '\r';
}

/* Writes the first character of a text, or \xNN for each of its bytes if the character is not
 * allowed. Returns what follows it. */
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
    if (text == NULL) {
        return NULL; /* there was not enough memory to make it */
    }
    char *clean = topk_memory_get(4 * strlen(text) + 1); /* room for every byte to be escaped */
    if (clean != NULL) {
        clean[0] = 0;
    }
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

const char *topk_text_xml_piece(const char *text, char piece[TOPK_TEXT_PIECE])
{
    return take_piece(text, xml_character, piece);
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
    char *text = length < 0 ? NULL : topk_memory_get((size_t)length + 1);
    if (text != NULL) {
        va_start(arguments, format);
        vsnprintf(text, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    return text;
}

static char *quote(const char *text, bool escaped)
{
    char *quoted =
        /* room for a text of nothing but quotes or escaped bytes */
        topk_memory_get(4 * strlen(text) + 4);
    if (quoted == NULL) {
        return NULL;
    }
    char *to = quoted;
    if (escaped) {
        *to++ = '$';
    }
    *to++ = '\'';
    while (*text != 0) {
        char piece[TOPK_TEXT_PIECE];
        if (escaped && (*text == '\'' || *text == '\\')) {
            *to++ = '\\';
            *to++ = *text++;
        } else if (*text == '\'') {
            memcpy(to, "'\\''", 4);
            to += 4;
            text++;
        } else if (escaped) {
            text = topk_text_piece(text, piece);
            memcpy(to, piece, strlen(piece));
            to += strlen(piece);
        } else {
            *to++ = *text++;
        }
    }
    *to++ = '\'';
    *to = 0;
    return quoted;
}

#if defined(_WIN32)
/* Quotes a text with double quotes, which cmd.exe and PowerShell understand and the C library of
 * Windows uses to split words. */
static char *quote_for_windows(const char *text)
{
    char *quoted = topk_memory_get(8 * strlen(text) + 4);
    size_t slashes = 0;
    if (quoted == NULL) {
        return NULL;
    }
    char *to = quoted;
    *to++ = '"';
    while (*text != 0) {
        char piece[TOPK_TEXT_PIECE];
        const char *next = topk_text_piece(text, piece);
        slashes = *text == '\\' ? slashes + 1 : slashes;
        for (size_t i = 0; *text == '"' && i <= slashes; i++) {
            *to++ = '\\';
        }
        slashes = *text == '\\' ? slashes : 0;
        const size_t length = strlen(piece);
        memcpy(to, piece, length);
        to += length;
        text = next;
    }
    for (size_t i = 0; i < slashes; i++) {
        *to++ = '\\';
    }
    *to++ = '"';
    *to = 0;
    return quoted;
}
#else
/* Returns whether a text has characters that must not be sent to a terminal. */
static bool has_hidden(const char *text)
{
    char piece[TOPK_TEXT_PIECE];
    while (*text != 0) {
        const char *next = topk_text_piece(text, piece);
        if (strlen(piece) != (size_t)(next - text)) {
            return true;
        }
        text = next;
    }
    return false;
}
#endif

char *topk_text_shell(const char *text)
{
#if defined(_WIN32)
    return quote_for_windows(text);
#else
    return quote(text, has_hidden(text));
#endif
}

char *topk_text_shell_exact(const char *text)
{
    return quote(text, false);
}

bool topk_path_is_absolute(const char *path)
{
#if defined(_WIN32)
    const char drive = (char)(path[0] | 0x20);
    return path[0] == '/' || path[0] == '\\' ||
           (drive >= 'a' && drive <= 'z' && path[1] == ':' && (path[2] == '/' || path[2] == '\\'));
#else
    return path[0] == '/';
#endif
}
