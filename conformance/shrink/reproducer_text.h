/* The text templates and sources of a reproducer, which cmake/embed.cmake embeds in the program. */
#ifndef TOPK_REPRODUCER_TEXT_H
#define TOPK_REPRODUCER_TEXT_H

/* indices of the files; a text of NULL ends the list */
enum {
    TOPK_REPRODUCER_PROGRAM, /* reproducer.txt */
    TOPK_REPRODUCER_LARGE,   /* reproducer_large.txt */
    /* sources of the suite, each after those that it uses */
    TOPK_REPRODUCER_ELEMENTS,
    TOPK_REPRODUCER_RECIPES = TOPK_REPRODUCER_ELEMENTS + 4
};

extern const struct topk_reproducer_text_file {
    const char *name;
    const char *text;
} topk_reproducer_text_files[];

#endif
