/* The forms in which a run can be handed on. */
#include "report.h"

#include <string.h>

#include "html/html.h"
#include "junit.h"
#include "log/log.h"
#include "report_text.h"
#include "summary/summary.h"

const struct topk_report_format topk_report_formats[] = {
    {"html", true, topk_html_write, NULL},
    {"junit", false, NULL, topk_junit_print},
    {"json", false, topk_json_write, NULL},
    {"markdown", false, topk_markdown_write, NULL},
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

static int write_summary(const struct topk_report_format *format,
                         const struct topk_case_lookup *lookup, const char *log_path, FILE *out,
                         struct topk_report_counts *counts, char *error, size_t error_bytes)
{
    struct topk_summary summary;
    int status = topk_summary_read(&summary, lookup, log_path, error, error_bytes);
    if (status >= 0 && !format->write(out, &summary)) {
        snprintf(error, error_bytes, "cannot make a report of %s: out of memory", log_path);
        status = -1;
    }
    counts->failures = summary.failures;
    counts->complete = summary.complete;
    counts->untested = topk_tested_nothing(&summary.tested, summary.totals);
    topk_summary_free(&summary);
    return status;
}

/* ---- what a gate asks for, of formats that are made from the log itself -----------------------
 */

struct counting {
    struct topk_report_counts *counts;
    const struct topk_case_lookup *lookup;
    struct topk_tested tested;
    uint64_t totals[TOPK_VERDICT_COUNT];
};

static bool count_record(void *context, const struct topk_log_record *record)
{
    struct counting *counting = context;
    counting->counts->failures += topk_verdict_failure(record->verdict);
    counting->totals[record->verdict]++;
    topk_tested_add(&counting->tested, counting->lookup->asks, record->id, record->verdict);
    return true;
}

static bool count_end(void *context, bool complete)
{
    struct counting *counting = context;
    counting->counts->complete = complete;
    return true;
}

static int print_log(const struct topk_report_format *format, const struct topk_case_lookup *lookup,
                     const char *log_path, FILE *out, struct topk_report_counts *counts,
                     char *error, size_t error_bytes)
{
    struct counting counting = {.counts = counts, .lookup = lookup};
    const struct topk_log_reader reader = {
        .context = &counting, .record = count_record, .end = count_end};
    int status = format->print(log_path, out, error, error_bytes);
    status = status < 0 ? status : topk_log_read(log_path, &reader, error, error_bytes);
    counts->untested = topk_tested_nothing(&counting.tested, counting.totals);
    return status;
}

int topk_report_write(const struct topk_report_format *format,
                      const struct topk_case_lookup *lookup, const char *log_path, const char *path,
                      struct topk_report_counts *counts, char *error, size_t error_bytes)
{
    struct topk_output output;
    if (!topk_output_open(&output, path, error, error_bytes)) {
        return -1;
    }
    memset(counts, 0, sizeof *counts);
    int status =
        format->write != NULL
            ? write_summary(format, lookup, log_path, output.file, counts, error, error_bytes)
            : print_log(format, lookup, log_path, output.file, counts, error, error_bytes);
    bool keep = status >= 0;
    if (!topk_output_close(&output, keep, keep ? error : NULL, keep ? error_bytes : 0)) {
        return -1;
    }
    return status;
}
