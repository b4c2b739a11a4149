/* The text of the JUnit report about a case. */

#include "junit_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "log/log.h"

enum topk_junit_outcome topk_junit_outcome(enum topk_verdict verdict)
{
    switch (verdict) {
    case TOPK_VERDICT_PASS:
    case TOPK_VERDICT_UNEXPECTED_PASS:
        return TOPK_JUNIT_PASSED;
    case TOPK_VERDICT_UNSUPPORTED:
    case TOPK_VERDICT_EXPECTED_FAIL: /* test frameworks show expected failures as skipped */
        return TOPK_JUNIT_SKIPPED;
    case TOPK_VERDICT_FAIL:
    case TOPK_VERDICT_REFUSED:
    case TOPK_VERDICT_ACCEPTED:
    case TOPK_VERDICT_FLAKY:
        return TOPK_JUNIT_FAILURE;
    case TOPK_VERDICT_ERROR:
    case TOPK_VERDICT_CRASH:
    case TOPK_VERDICT_TIMEOUT:
    case TOPK_VERDICT_DEVICE_LOST:
    case TOPK_VERDICT_HARNESS_ERROR:
    case TOPK_VERDICT_COUNT:
        break;
    }
    return TOPK_JUNIT_ERROR;
}

/* Returns the text that print() prints; NULL if memory ran out. */
static char *printed(const struct topk_log_record *record, const char *replay,
                     void (*print)(FILE *out, const struct topk_log_record *record,
                                   const char *replay))
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = topk_memory_stream(&text, &size);
    if (out == NULL) {
        return NULL;
    }
    print(out, record, replay);
    bool ok = !ferror(out);
    ok = fclose(out) == 0 && ok;
    if (!ok) {
        free(text);
        return NULL;
    }
    return text;
}

/* Prints the message, which is one line. */
static void print_message(FILE *out, const struct topk_log_record *record, const char *replay)
{
    (void)replay;
    const struct topk_log_finding *finding = record->findings;
    char runs[TOPK_AGAIN_TEXT];
    topk_log_runs_print(record, runs);
    fprintf(out, "%s%s", runs, runs[0] == 0 ? "" : "; ");
    if (record->cause[0] != 0) {
        fprintf(out, "%s: %s%s", topk_clause_id(record->clause),
                record->guess ? "possible cause: " : "", record->cause);
    } else if (record->finding_count > 0) {
        fprintf(out, "%s at %s: %s", topk_clause_id(finding->clause), finding->place,
                finding->sentence);
    } else if (record->clause != TOPK_CLAUSE_NONE) {
        fprintf(out, "%s: %s", topk_clause_id(record->clause),
                record->reason[0] != 0 ? record->reason
                                       : topk_clause_row(record->clause)->sentence);
    } else {
        fputs(record->reason[0] != 0 ? record->reason : topk_verdict_word(record->verdict), out);
    }
    if (record->crash != NULL) {
        char site[TOPK_CRASH_TEXT];
        topk_crash_site_print(record->crash, site);
        fprintf(out, "; %s", site);
    }
}

static void print_crash(FILE *out, const struct topk_crash *crash)
{
    char text[TOPK_CRASH_TEXT];
    topk_crash_signal_print(crash, text);
    fprintf(out, "crash: %s\n", text);
    for (uint32_t i = 0; i < crash->frame_count; i++) {
        topk_crash_frame_print(&crash->frames[i], text);
        fprintf(out, "    %s\n", text);
    }
}

static void print_clause(FILE *out, enum topk_clause clause)
{
    if (clause != TOPK_CLAUSE_NONE) {
        const struct topk_clause_row *row = topk_clause_row(clause);
        fprintf(out, "%s (%s): %s\n", row->id, topk_grade_name(row->grade), row->sentence);
    }
}

static void print_findings(FILE *out, const struct topk_log_record *record)
{
    for (size_t i = 0; i < record->finding_count; i++) {
        const struct topk_log_finding *finding = &record->findings[i];
        print_clause(out, finding->clause);
        fprintf(out, "    %s: %s", finding->place, finding->sentence);
        if (finding->count > 1) {
            fprintf(out, "; in %" PRIu64 " places", finding->count);
        }
        fputc('\n', out);
    }
}

static void print_window(FILE *out, const struct topk_log_record *record)
{
    if (record->has_sequence) {
        fprintf(out, "first wrong output: sequence %" PRIu64 ", position %" PRIu32 "\n",
                record->sequence, record->position);
    }
    for (size_t i = 0; i < record->window_count; i++) {
        const struct topk_log_output *output = &record->window[i];
        fprintf(out, "    [%" PRIu64 "] value %s (%s), index %" PRIu64 "\n",
                (uint64_t)record->window_from + i, output->value, output->bits, output->index);
    }
}

static void print_body(FILE *out, const struct topk_log_record *record, const char *replay)
{
    char runs[TOPK_AGAIN_TEXT];
    topk_log_runs_print(record, runs);
    fprintf(out, "verdict: %s\n", topk_verdict_word(record->verdict));
    if (runs[0] != 0) {
        fprintf(out, "%s: %s\n", record->again != NULL ? "run again" : "run several times", runs);
    }
    if (record->reason[0] != 0) {
        fprintf(out, "reason: %s\n", record->reason);
    }
    if (record->crash != NULL) {
        print_crash(out, record->crash);
    }
    if (record->finding_count == 0 || record->cause[0] != 0) {
        print_clause(out, record->clause);
    }
    if (record->cause[0] != 0) {
        fprintf(out, "    %s: %s\n",
                record->guess ? "possible cause" : "cause of all wrong outputs", record->cause);
    }
    print_findings(out, record);
    print_window(out, record);
    char *id = topk_text_shell(record->id);
    if (id != NULL) {
        fprintf(out, "replay: %s %s\n", replay, id);
    }
    free(id);
}

char *topk_junit_message(const struct topk_log_record *record)
{
    return printed(record, NULL, print_message);
}

char *topk_junit_body(const struct topk_log_record *record, const char *replay)
{
    return printed(record, replay, print_body);
}
