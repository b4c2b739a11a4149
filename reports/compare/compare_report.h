/* The formats of a comparison of runs. */
#ifndef TOPK_COMPARE_REPORT_H
#define TOPK_COMPARE_REPORT_H

#include <stdio.h>

#include "compare.h"
#include "log/log.h"
#include "trend.h"

/* Most runs that can be compared, and room for the letters that name one: "A" to "Z", "AA", "AB",
 * ... */
#define TOPK_COMPARED_MAX 200
#define TOPK_LETTER_TEXT  3

/* A run among those that are compared. */
struct topk_compared {
    const char *path;              /* of its log, as it was given */
    char letter[TOPK_LETTER_TEXT]; /* "A" is what the others are held against */
    struct topk_run run;
    struct topk_comparison comparison; /* with A; of A itself empty */
};

struct topk_compare_report {
    const struct topk_compared *runs; /* count of them, 2 at least; A is the first */
    size_t count;
    const struct topk_trend *trend; /* NULL for formats that do not show it */
};

struct topk_compare_format {
    const char *name; /* "html" */
    bool binary;      /* not for a terminal */
    uint64_t shown;   /* if nothing else is asked for */
    bool trend;       /* it shows the trend */
    /* False if memory is short; whether it could write the stream tells. */
    bool (*write)(FILE *out, const struct topk_compare_report *report);
};

/* Names run i. */
void topk_letter_print(size_t i, char letter[TOPK_LETTER_TEXT]);

extern const struct topk_compare_format topk_compare_formats[]; /* text, html, json */
extern const size_t topk_compare_format_count;

/* The format of that object: reports/schema/compare.def has its members. */
#define TOPK_COMPARE_FORMAT 1
/* The object of topk-cts compare --format json; NULL if memory is short. */
json_t *topk_compare_json(const struct topk_compare_report *report);
bool topk_compare_text_write(FILE *out, const struct topk_compare_report *report);
bool topk_compare_html_write(FILE *out, const struct topk_compare_report *report);
bool topk_compare_json_write(FILE *out, const struct topk_compare_report *report);

#endif
