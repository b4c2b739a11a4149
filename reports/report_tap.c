/* A run as TAP, the Test Anything Protocol. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report_text.h"
#include "text.h"

struct tap {
    FILE *out;
    uint64_t number; /* of the last line */
};

/* one line; # would begin a directive */
static void put_text(FILE *out, const char *text)
{
    char *clean = topk_text_xml(text);
    for (const char *at = clean == NULL ? "" : clean; *at != 0; at++) {
        if (*at == '#' || *at == '\\') {
            fputc('\\', out);
        }
        fputc(strchr("\n\r\t", *at) != NULL ? ' ' : *at, out);
    }
    free(clean);
}

/* a scalar of YAML in single quotes */
static void put_yaml(FILE *out, const char *key, const char *text)
{
    char *clean = topk_text_xml(text);
    fprintf(out, "  %s: '", key);
    for (const char *at = clean == NULL ? "" : clean; *at != 0; at++) {
        fputs(*at == '\'' ? "'" : "", out);
        fputc(strchr("\n\r\t", *at) != NULL ? ' ' : *at, out);
    }
    fputs("'\n", out);
    free(clean);
}

static bool take_header(void *context, const struct topk_log_header *header)
{
    struct tap *tap = context;
    fprintf(tap->out, "TAP version 13\n1..%" PRIu64 "\n", header->cases);
    fputs("# ", tap->out);
    put_text(tap->out, header->backend.name);
    fputc(' ', tap->out);
    put_text(tap->out, header->backend.version);
    fputs(", profile ", tap->out);
    put_text(tap->out, header->profile);
    fputc('\n', tap->out);
    return true;
}

static void put_details(FILE *out, const struct topk_log_record *record)
{
    fputs("  ---\n", out);
    put_yaml(out, "verdict", topk_verdict_word(record->verdict));
    if (record->clause < TOPK_CLAUSE_COUNT) {
        put_yaml(out, "clause", topk_clause_id(record->clause));
    }
    if (record->cause[0] != 0) {
        put_yaml(out, "cause", record->cause);
    }
    if (record->reason[0] != 0) {
        put_yaml(out, "reason", record->reason);
    }
    if (record->finding_count > 0) {
        put_yaml(out, "place", record->findings[0].place);
        put_yaml(out, "message", record->findings[0].sentence);
    }
    fputs("  ...\n", out);
}

static bool take_record(void *context, const struct topk_log_record *record)
{
    struct tap *tap = context;
    bool failure = topk_verdict_failure(record->verdict);
    bool expected = record->verdict == TOPK_VERDICT_EXPECTED_FAIL;
    fprintf(tap->out, "%s %" PRIu64 " - ", failure || expected ? "not ok" : "ok", ++tap->number);
    put_text(tap->out, record->id);
    if (record->verdict == TOPK_VERDICT_UNSUPPORTED || expected) {
        fputs(expected ? " # TODO " : " # SKIP ", tap->out);
        put_text(tap->out, record->reason);
    }
    fputc('\n', tap->out);
    if (failure) {
        put_details(tap->out, record);
    }
    return ferror(tap->out) == 0;
}

int topk_tap_print(const char *log_path, FILE *out, char *error, size_t error_bytes)
{
    struct tap tap = {out, 0};
    const struct topk_log_reader reader = {
        .context = &tap, .header = take_header, .record = take_record};
    return topk_log_read(log_path, &reader, error, error_bytes);
}
