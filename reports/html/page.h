/* The files of page/, which cmake/embed.cmake embeds in the program. */
#ifndef TOPK_PAGE_H
#define TOPK_PAGE_H

struct topk_page_file {
    const char *name; /* "report.html" */
    const char *text;
};

/* the last name is NULL */
extern const struct topk_page_file topk_page_files[];

#endif
