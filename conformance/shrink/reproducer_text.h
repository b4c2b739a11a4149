/* reproducer.txt, as cmake/embed.cmake puts it into the program. */
#ifndef TOPK_REPRODUCER_TEXT_H
#define TOPK_REPRODUCER_TEXT_H

/* one file */
extern const struct topk_reproducer_text_file {
    const char *name;
    const char *text;
} topk_reproducer_text_files[];

#endif
