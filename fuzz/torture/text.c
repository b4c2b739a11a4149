/* A growing buffer of bytes. */
#include "torture.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("torture: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(3);
}

static void grow(struct text *text, size_t more)
{
    if (text->length + more + 1 > text->room) {
        text->room = 2 * (text->length + more + 1);
        text->at = realloc(text->at, text->room);
        if (text->at == NULL) {
            die("out of memory");
        }
    }
}

void text_add(struct text *text, const char *bytes, size_t length)
{
    grow(text, length);
    if (length > 0) {
        memcpy(text->at + text->length, bytes, length);
    }
    text->length += length;
    text->at[text->length] = 0;
}

void text_print(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    grow(text, (size_t)length);
    vsnprintf(text->at + text->length, (size_t)length + 1, format, again);
    text->length += (size_t)length;
    va_end(again);
    va_end(arguments);
}

void text_free(struct text *text)
{
    free(text->at);
    *text = (struct text){NULL, 0, 0};
}

bool text_read(struct text *text, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return false;
    }
    for (;;) {
        grow(text, 1u << 16);
        const size_t got = fread(text->at + text->length, 1, 1u << 16, file);
        text->length += got;
        if (got == 0) {
            break;
        }
    }
    text->at[text->length] = 0;
    const bool ok = ferror(file) == 0;
    fclose(file);
    return ok;
}
