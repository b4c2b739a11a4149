/* The formats of a comparison of runs. */
#ifndef TOPK_COMPARE_REPORT_H
#define TOPK_COMPARE_REPORT_H

#include <stdio.h>

#include "compare.h"
#include "log/log.h"
#include "trend.h"

/* Greatest number of runs that can be compared, and size of the letters that name one: "A" to "Z",
 * "AA", "AB", ... */
#define TOPK_COMPARED_MAX 200
#define TOPK_LETTER_TEXT  3

/* One of the compared runs. */
struct topk_compared {
    const char *path;              /* of its log, as given by the user */
    char letter[TOPK_LETTER_TEXT]; /* the others are compared with "A" */
    struct topk_run run;
    struct topk_comparison comparison; /* with A; empty for A itself */
};

struct topk_compare_report {
    const struct topk_compared *runs; /* `count` runs, at least 2; A is the first */
    size_t count;
    const struct topk_trend *trend; /* NULL for formats that do not show it */
};

struct topk_compare_format {
    const char *name; /* "html" */
    bool binary;      /* must not be written to a terminal */
    uint64_t shown;   /* default number of shown cases */
    bool trend;       /* it shows the trend */
    /* Returns false if memory is short; write errors are in the stream. */
    bool (*write)(FILE *out, const struct topk_compare_report *report);
};

/* Writes the letter of run i. */
void topk_letter_print(size_t i, char letter[TOPK_LETTER_TEXT]);

extern const struct topk_compare_format topk_compare_formats[]; /* text, html, json */
extern const size_t topk_compare_format_count;

/* The format of the JSON object: reports/schema/compare.def lists its members. */
#define TOPK_COMPARE_FORMAT 1
/* The object of topk-cts compare --format json; NULL if memory is short. */
json_t *topk_compare_json(const struct topk_compare_report *report);
bool topk_compare_text_write(FILE *out, const struct topk_compare_report *report);
bool topk_compare_html_write(FILE *out, const struct topk_compare_report *report);
bool topk_compare_json_write(FILE *out, const struct topk_compare_report *report);

#endif
