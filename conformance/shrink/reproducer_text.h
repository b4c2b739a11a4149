/* What a reproducer is made of, as cmake/embed.cmake puts it into the program. */
#ifndef TOPK_REPRODUCER_TEXT_H
#define TOPK_REPRODUCER_TEXT_H

/* places of the files; a text of NULL is behind the last */
enum {
    TOPK_REPRODUCER_PROGRAM, /* reproducer.txt */
    TOPK_REPRODUCER_LARGE,   /* reproducer_large.txt */
    /* from here on sources of the suite, each behind what it uses */
    TOPK_REPRODUCER_ELEMENTS,
    TOPK_REPRODUCER_RECIPES = TOPK_REPRODUCER_ELEMENTS + 4
};

extern const struct topk_reproducer_text_file {
    const char *name;
    const char *text;
} topk_reproducer_text_files[];

#endif
