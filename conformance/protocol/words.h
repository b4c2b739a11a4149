/* Reads and writes the words of protocol lines. Private to this folder. */
#ifndef TOPK_WORDS_H
#define TOPK_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* A line that is being written. It must have room for everything: the caller knows the greatest
 * length. */
struct topk_writer {
    char *line;
    size_t length;
};

/* Async-signal-safe. */
void topk_put_text(struct topk_writer *to, const char *text);

/* The unread part of a line. */
struct topk_reader {
    const char *at;
    const char *end;
};

/* Skips a text. Returns false, without moving, if the line does not continue with it. */
bool topk_take_text(struct topk_reader *from, const char *text);

#endif
