/* The formats of a report. */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "html/html.h"
#include "junit.h"
#include "log/log.h"

const struct topk_report_format topk_report_formats[] = {
    {"html", true, topk_html_write, NULL},
    {"junit", false, NULL, topk_junit_print},
    {"json", false, topk_json_write, NULL},
    {"markdown", false, topk_markdown_write, NULL},
    {"issue", false, topk_issue_write, NULL},
    {"github", false, topk_github_write, NULL},
    {"sarif", false, topk_sarif_write, NULL},
    {"costs", false, NULL, topk_costs_print},
    {"matrix", true, topk_matrix_html_write, NULL},
    {"matrix-csv", false, topk_matrix_csv_write, NULL},
};
const size_t topk_report_format_count = sizeof topk_report_formats / sizeof topk_report_formats[0];

const struct topk_report_format *topk_report_format_find(const char *name)
{
    for (size_t i = 0; i < topk_report_format_count; i++) {
        if (strcmp(topk_report_formats[i].name, name) == 0) {
            return &topk_report_formats[i];
        }
    }
    return NULL;
}

/* Does what topk_report_write() does, but writes to a stream. */
static int write_report(const struct topk_report_format *format, enum topk_junit_mode junit,
                        const struct topk_case_lookup *lookup, const struct topk_log_source *log,
                        FILE *out, struct topk_report_counts *counts, char *error,
                        size_t error_bytes)
{
    struct topk_summary *summary = malloc(sizeof *summary); /* too large for a small stack */
    if (summary == NULL) {
        snprintf(error, error_bytes, "cannot make a report of %s: out of memory", log->path);
        return -1;
    }
    int status = topk_summary_read(summary, lookup, log, error, error_bytes);
    if (format->print != NULL) {
        status = format->print(log, junit, lookup, out, error, error_bytes);
    } else if (status >= 0 && !format->write(out, summary)) {
        topk_memory_fail();
        snprintf(error, error_bytes, "cannot make a report of %s: out of memory", log->path);
        status = -1;
    }
    counts->failures = summary->failures;
    counts->complete = summary->complete;
    counts->judge = summary->judge;
    counts->untested = topk_tested_nothing(&summary->tested, summary->totals);
    topk_gate_sentence(&summary->gate, &summary->tested, summary->totals, counts->lack,
                       sizeof counts->lack);
    topk_summary_free(summary);
    free(summary);
    return status;
}

int topk_report_write(const struct topk_report_format *format, enum topk_junit_mode junit,
                      const struct topk_case_lookup *lookup, const struct topk_log_source *log,
                      const char *path, struct topk_report_counts *counts, char *error,
                      size_t error_bytes)
{
    struct topk_output output;
    if (!topk_output_open(&output, path, TOPK_OUTPUT_NAMED, error, error_bytes)) {
        return -1;
    }
    memset(counts, 0, sizeof *counts);
    int status = write_report(format, junit, lookup, log, output.file, counts, error, error_bytes);
    bool keep = status >= 0;
    if (!topk_output_close(&output, keep, keep ? error : NULL, keep ? error_bytes : 0)) {
        return -1;
    }
    return status;
}
