/* The formats of a report. */
#ifndef TOPK_REPORT_H
#define TOPK_REPORT_H

#include <stdio.h>

#include "junit.h"
#include "summary/summary.h"

struct topk_report_format {
    const char *name; /* "html" */
    bool binary;      /* must not be written to a terminal */
    /* One of the two is set: write() makes the report from a summary, and returns whether memory
     * sufficed; print() makes it from the log, and returns like topk_log_read(). Write errors are
     * in the stream. */
    bool (*write)(FILE *out, const struct topk_summary *summary);
    int (*print)(const struct topk_log_source *log, enum topk_junit_mode junit,
                 const struct topk_case_lookup *lookup, FILE *out, char *error, size_t error_bytes);
};

extern const struct topk_report_format topk_report_formats[];
extern const size_t topk_report_format_count;

/* Returns NULL if there is no format with this name. */
const struct topk_report_format *topk_report_format_find(const char *name);

struct topk_report_counts {
    uint64_t failures;
    bool complete;
    bool untested; /* topk_tested_nothing() */
    enum topk_judge judge;
    char lack[TOPK_SENTENCE_TEXT]; /* which requirements of the run's gate are not met; "" */
};

/* Reads a log and writes it in a format to a file (NULL: standard output); junit: what a testcase
 * represents, for JUnit. Sets *counts for gates. Returns 0; 1 if the log is truncated, after
 * reporting what is there; -1 if the log cannot be read or the report not be written; an older file
 * then stays. For 1 and -1 the reason is in error. */
int topk_report_write(const struct topk_report_format *format, enum topk_junit_mode junit,
                      const struct topk_case_lookup *lookup, const struct topk_log_source *log,
                      const char *path, struct topk_report_counts *counts, char *error,
                      size_t error_bytes);

/* Markdown for a comment or the summary page of a CI system: short, with the smallest case of the
 * most frequent causes. */
bool topk_markdown_write(FILE *out, const struct topk_summary *summary);

/* Drafts of issues for the maintainers of what was tested, in Markdown: one for each bug. */
bool topk_issue_write(FILE *out, const struct topk_summary *summary);

/* Workflow commands of GitHub Actions: annotations with the verdict and the most frequent
 * causes. */
bool topk_github_write(FILE *out, const struct topk_summary *summary);

/* SARIF 2.1.0: one rule per clause, one result per group of failures. */
bool topk_sarif_write(FILE *out, const struct topk_summary *summary);

/* The cost of cases by bucket, as topk_shard_costs_write() writes it. */
int topk_costs_print(const struct topk_log_source *log, enum topk_junit_mode junit,
                     const struct topk_case_lookup *lookup, FILE *out, char *error,
                     size_t error_bytes);

/* The traceability matrix as CSV (RFC 4180): a line for each pair of a document's sentence and a
 * clause. */
bool topk_matrix_csv_write(FILE *out, const struct topk_summary *summary);

#endif
