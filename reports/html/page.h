/* The files of page/, as cmake/embed.cmake puts them into the program. */
#ifndef TOPK_PAGE_H
#define TOPK_PAGE_H

struct topk_page_file {
    const char *name; /* "report.html" */
    const char *text;
};

/* NULL behind the last name */
extern const struct topk_page_file topk_page_files[];

#endif
