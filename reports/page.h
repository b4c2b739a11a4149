/* The files of page/, as cmake/embed.cmake puts them into the program. */
#ifndef TOPK_PAGE_H
#define TOPK_PAGE_H

/* The page, with {{NAME}} where a section goes. */
extern const char topk_page_report_html[];
extern const char topk_page_style_css[];
extern const char topk_page_cases_js[];

#endif
