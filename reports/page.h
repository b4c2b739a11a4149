/* The files of page/, as cmake/embed.cmake puts them into the program. */
#ifndef TOPK_PAGE_H
#define TOPK_PAGE_H

/* The pages, with {{NAME}} where a section goes. */
extern const char topk_page_report_html[];
extern const char topk_page_compare_html[];
extern const char topk_page_style_css[];
/* scripts: of both, of the report, of the comparison */
extern const char topk_page_details_js[];
extern const char topk_page_cases_js[];
extern const char topk_page_compare_js[];

#endif
