/* What the lines of the protocols are written and read with. Nobody else includes this. */
#ifndef TOPK_WORDS_H
#define TOPK_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* A line that is written. It has room for all that is put: whoever writes it knows how long it can
 * become. */
struct topk_writer {
    char *line;
    size_t length;
};

/* May be called in a signal handler. */
void topk_put_text(struct topk_writer *to, const char *text);

/* What of a line is not read yet. */
struct topk_reader {
    const char *at;
    const char *end;
};

/* Steps over a text; false, and stays where it is, if something else stands there. */
bool topk_take_text(struct topk_reader *from, const char *text);

#endif
